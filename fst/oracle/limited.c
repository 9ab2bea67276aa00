/* What is known of a machine of which a limit has left a part unexpanded: that it has no cycle, and what no path of it gains. Both
 * follow from its parts (ops/most.h). Where they do not, a fixed number of states is looked at. */
#include "oracle/oracle_impl.h"

#include <permfst/ops/most.h>

#include <math.h>

enum { NONE = PFI_NONE_OF, LOOKED_AT = 1 << 18 };

static pf_err find_most(pf_fst *fst, const pf_gain *gain, double *out) {
    pf_err err = pf_most(fst, gain, LOOKED_AT, out);
    if (err == PF_ELIMIT && !pf_fst_error(fst))
        return pf_fail(PF_ELIMIT, "expected an automaton without a cycle; %d of its states do not tell whether it has one",
                       LOOKED_AT);
    if (!err && *out == (double)INFINITY)
        return pf_fail(PF_EINPUT, "expected an automaton without a cycle, found one with a cycle");
    return err;
}

static pf_err gain_of_nothing(void *self PF_UNUSED, pf_label out PF_UNUSED, double *gain) { return *gain = 0, PF_OK; }

pf_err pfi_refuse_cycle(pf_fst *fst) {
    double most;
    return find_most(fst, &(pf_gain){gain_of_nothing, NULL}, &most);
}

/* ---- linear BLEU ---- */

typedef struct {
    pfi_product product; /* for the words of labels */
    double theta[1 + PF_ORACLE_ORDER];
    PF_VEC(double) word; /* of the references: what it gains at most */
} linear_gain;

/* Whatever stands before a word, it ends no n-gram that is longer than those of the references that end with it. */
static pf_err find_words(linear_gain *own) {
    const pf_oracle_references *references = own->product.references;
    for (uint32_t i = 0; i < references->words.n; i++) PF_TRY(PF_PUSH(&own->word, own->theta[0]));
    for (size_t i = 1; i < references->gram.n; i++) {
        const pf_oracle_gram *gram = &references->gram.at[i];
        double gain = 0;
        for (unsigned n = 0; n <= gram->length; n++) gain += own->theta[n];
        if (gain > own->word.at[gram->word]) own->word.at[gram->word] = gain;
    }
    return PF_OK;
}

/* A label that has no symbol is on no path that a search can find. */
static pf_err gain_of_label(void *self, pf_label out, double *gain) {
    linear_gain *own = self;
    const pfi_label_words *words;
    pf_err err = pfi_product_label(&own->product, out, &words);
    *gain = -(double)INFINITY;
    if (err) return err == PF_EINPUT ? PF_OK : err;
    *gain = 0;
    for (uint32_t match = words->first; match < words->first + words->n; match++) {
        uint32_t word = own->product.words.at[match];
        *gain += word == NONE ? own->theta[0] : own->word.at[word];
    }
    *gain = (double)(float)*gain; /* as arcs have it */
    return PF_OK;
}

pf_err pfi_linear_most(pf_fst *fst, const pf_oracle_references *references, const pf_linear_bleu *how,
                       const pf_oracle_options *options, double *out) {
    linear_gain own = {.word = {0}};
    pfi_product_init(&own.product, fst, references, options);
    pfi_linear_thetas(how, own.theta);
    pf_err err = find_words(&own);
    if (!err) err = find_most(fst, &(pf_gain){gain_of_label, &own}, out);
    pfi_product_free(&own.product);
    PF_VEC_FREE(&own.word);
    return err;
}
