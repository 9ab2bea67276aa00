/* Machines with the costs of a score. The graph of oracle/product.c has the steps; with no reference its nodes are the states. */
#include <permfst/oracle/additive.h>

#include <permfst/machine/build.h>
#include "oracle/oracle_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF };

const pf_linear_bleu pf_linear_bleu_usual = {0.4, 0.8, -1};

typedef struct {
    pfi_product product;
    pfi_work work;
    pf_build build;
} weighing;

static uint64_t bytes(const void *self) {
    const weighing *own = self;
    const pf_build *build = &own->build;
    return pfi_product_bytes(&own->product) + build->arcs.cap * sizeof *build->arcs.at + build->from.cap * sizeof *build->from.at +
           build->final.cap * sizeof *build->final.at;
}

static pf_err begin(weighing *own, pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options) {
    *own = (weighing){.work = {.options = options, .bytes = bytes, .of = own}};
    pfi_product_init(&own->product, fst, references, options);
    own->product.whole_histories = false;
    return pfi_product_graph(&own->product, &own->work);
}

/* The machine, if all went well; frees the rest. */
static pf_err end(weighing *own, pf_err err, pf_fst **out) {
    const pf_fst *fst = own->product.fst;
    *out = NULL;
    if (!err) err = pf_build_finish(&own->build, fst->type, own->build.final.n ? 0 : PF_NO_STATE, out);
    if (!err) pf_fst_set_symbols(*out, fst->isyms, fst->osyms);
    pf_build_free(&own->build);
    pfi_product_free(&own->product);
    return err;
}

static pf_err add_arc(weighing *own, uint32_t from, const pfi_step *step, double cost, uint32_t to) {
    return pf_build_arc(&own->build, from, step->arc->in, step->arc->out, (float)cost, to);
}

/* ---- linear BLEU ---- */

enum { SPARE_BITS = 2, LEAST_UNITS = 1024 }; /* an arc may gain four times as much as one word does at most */

/* All are multiples of one power of two, such that a float has what a word gains exactly: orders with equal matches tie. Where they
 * differ too much in size for that, they stay as they are. */
void pfi_linear_thetas(const pf_linear_bleu *how, double theta[1 + PF_ORACLE_ORDER]) {
    int exponent;
    double most = fabs(how->length);
    theta[0] = how->length;
    theta[1] = 1 / (4 * how->precision);
    for (unsigned n = 2; n <= PF_ORACLE_ORDER; n++) theta[n] = theta[n - 1] / how->ratio;
    for (unsigned n = 1; n <= PF_ORACLE_ORDER; n++) most += theta[n];
    frexp(fmin(most, (double)FLT_MAX), &exponent);
    const double unit = ldexp(1, exponent + SPARE_BITS - FLT_MANT_DIG);
    if (fmin(theta[1], theta[PF_ORACLE_ORDER]) < LEAST_UNITS * unit) return;
    for (unsigned n = 0; n <= PF_ORACLE_ORDER; n++) theta[n] = unit * round(theta[n] / unit);
}

static double gain(const pfi_product *product, const pfi_move *move, const double *theta) {
    double sum = theta[0] * move->words;
    for (uint32_t match = move->first; match < move->first + move->matches; match++)
        sum += theta[product->references->gram.at[product->matched.at[match]].length];
    return sum;
}

static pf_err weigh_linear(weighing *own, const double *theta) {
    const pfi_product *product = &own->product;
    for (uint32_t from = 0; from < product->node.n; from++) {
        const pfi_node *node = &product->node.at[from];
        PF_TRY(pf_build_final(&own->build, from, node->final ? 0 : INFINITY));
        for (uint32_t k = node->first; k < node->first + node->steps; k++) {
            const pfi_step *step = &product->step.at[k];
            PF_TRY(add_arc(own, from, step, -gain(product, &product->move.at[step->move], theta), step->to));
        }
    }
    return PF_OK;
}

pf_err pf_oracle_linear(pf_fst *fst, const pf_oracle_references *references, const pf_linear_bleu *how,
                        const pf_oracle_options *options, pf_fst **out) {
    double theta[1 + PF_ORACLE_ORDER];
    weighing own;
    pfi_linear_thetas(how, theta);
    pf_err err = begin(&own, fst, references, options);
    if (!err) err = weigh_linear(&own, theta);
    return end(&own, err, out);
}

/* ---- edits ---- */

/* A reference as numbers of words; state (node, done): so many words of it are edited. */
typedef struct {
    pfi_word_list word;
    uint32_t first; /* state (node 0, 0): that of the first reference is the start of all */
} edited;

static uint32_t state_of(const weighing *own, const edited *reference, uint32_t node, uint32_t done) {
    assert(node < own->product.node.n && done <= reference->word.n);
    uint32_t state = reference->first + node * ((uint32_t)reference->word.n + 1) + done;
    return node == 0 && done == 0 ? 0 : state + (own->product.node.n ? 1 : 0);
}

static pf_err edit_step(weighing *own, const edited *reference, uint32_t node, uint32_t done, const pfi_step *step, uint32_t *row) {
    const pfi_product *product = &own->product;
    uint64_t key = (uint64_t)(uint32_t)step->arc->out;
    const pfi_label_words *words = &product->label.at[pf_statetab_find(&product->labels, &key, sizeof key)];
    const uint32_t *word = product->words.at + words->first, *of = reference->word.at;
    pfi_edit_row(word, words->n, of, done, (uint32_t)reference->word.n, row);
    for (uint32_t end = done; end <= reference->word.n; end++)
        if (pfi_edit_needed(word, words->n, of, done, end))
            PF_TRY(add_arc(own, state_of(own, reference, node, done), step, row[end], state_of(own, reference, step->to, end)));
    return PF_OK;
}

static pf_err edit_reference(weighing *own, const edited *reference, uint32_t *row) {
    const pfi_product *product = &own->product;
    uint32_t words = (uint32_t)reference->word.n;
    for (uint32_t from = 0; from < product->node.n; from++)
        for (uint32_t done = 0; done <= words; done++) {
            const pfi_node *node = &product->node.at[from];
            uint32_t state = state_of(own, reference, from, done);
            bool nearer =
                own->build.final.n <= state || (float)(words - done) < own->build.final.at[state]; /* the start is shared */
            PF_TRY(pfi_work_done(&own->work, 1));
            if (nearer) PF_TRY(pf_build_final(&own->build, state, node->final ? (float)(words - done) : INFINITY));
            for (uint32_t step = node->first; step < node->first + node->steps; step++)
                PF_TRY(edit_step(own, reference, from, done, &product->step.at[step], row));
        }
    return PF_OK;
}

static pf_err weigh_edits(weighing *own, const pfi_edit_words *words, const char *const *line, size_t lines) {
    uint64_t first = 0;
    for (size_t k = 0; k < lines; k++) {
        edited reference = {.first = (uint32_t)first};
        uint32_t *row = NULL;
        pf_err err = pfi_edit_words_of(words, line[k], &reference.word);
        first += (uint64_t)own->product.node.n * (reference.word.n + 1);
        if (!err && first >= NONE) err = pf_fail(PF_ELIMIT, "there are more than %u states", NONE - 1);
        if (!err && !(row = malloc((reference.word.n + 1) * sizeof *row))) err = pf_nomem();
        if (!err) err = edit_reference(own, &reference, row);
        free(row);
        PF_VEC_FREE(&reference.word);
        if (err) return err;
    }
    return PF_OK;
}

pf_err pf_oracle_edits(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, pf_fst **out) {
    pfi_edit_words words;
    weighing own = {0};
    *out = NULL;
    pf_err err = pfi_edit_words_read(&words, line, lines);
    if (!err) {
        err = begin(&own, fst, &words.without, options);
        if (!err) err = weigh_edits(&own, &words, line, lines);
        err = end(&own, err, out);
    }
    pfi_edit_words_free(&words);
    return err;
}

/* ---- orders ---- */

/* Where the reference visits each position. */
static pf_err places_of(const unsigned *order, size_t n, uint32_t **out) {
    if (!(*out = malloc((n + 1) * sizeof **out))) return pf_nomem();
    for (size_t i = 0; i < n; i++) (*out)[order[i]] = (uint32_t)i;
    return PF_OK;
}

static pf_err check_positions(const pfi_product *product, size_t n) {
    if (product->fst->isyms) return pf_fail(PF_EINPUT, "expected positions as input labels, found symbols");
    for (size_t step = 0; step < product->step.n; step++) {
        pf_label in = product->step.at[step].arc->in;
        if (in < 1 || (uint64_t)in > n)
            return pf_fail(PF_EINPUT, "expected a position from 1 to %zu, as the reference order has, found %ld", n, (long)in);
    }
    return PF_OK;
}

/* Sets what each node has visited, `words` numbers each: of all paths to it the same. */
static pf_err find_covers(const pfi_product *product, size_t words, uint64_t *cover) {
    uint64_t *next = calloc(words + 1, sizeof *next);
    bool *known = calloc(product->node.n + 1, sizeof *known), same = true;
    pf_err err = next && known ? PF_OK : pf_nomem();
    assert(product->order.n == product->node.n);
    for (size_t place = 0; !err && same && place < product->order.n; place++) {
        const pfi_node *node = &product->node.at[product->order.at[place]];
        for (uint32_t step = node->first; same && step < node->first + node->steps; step++) {
            uint32_t to = product->step.at[step].to, at = (uint32_t)product->step.at[step].arc->in - 1;
            memcpy(next, cover + words * product->order.at[place], words * sizeof *next);
            same = !(next[at / 64] >> at % 64 & 1);
            next[at / 64] |= UINT64_C(1) << at % 64;
            same = same && (!known[to] || memcmp(next, cover + words * to, words * sizeof *next) == 0);
            memcpy(cover + words * to, next, words * sizeof *next);
            known[to] = true;
        }
    }
    free(next);
    free(known);
    if (!err && !same) err = pf_fail(PF_EINPUT, "expected paths to one state to visit the same positions, each once, found others");
    return err;
}

/* Positions of the cover that the reference visits after `at`. */
static double later(const uint64_t *cover, const uint32_t *place, size_t n, uint32_t at) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (cover[i / 64] >> i % 64 & 1) && place[i] > place[at];
    return sum;
}

static pf_err weigh_kendall(weighing *own, const uint32_t *place, size_t n) {
    const pfi_product *product = &own->product;
    size_t words = n / 64 + 1;
    PF_TRY(check_positions(product, n));
    uint64_t *cover = calloc(words * (product->node.n + 1), sizeof *cover);
    pf_err err = cover ? find_covers(product, words, cover) : pf_nomem();
    for (uint32_t from = 0; !err && from < product->node.n; from++) {
        const pfi_node *node = &product->node.at[from];
        err = pf_build_final(&own->build, from, node->final ? 0 : INFINITY);
        for (uint32_t k = node->first; !err && k < node->first + node->steps; k++) {
            const pfi_step *step = &product->step.at[k];
            err = add_arc(own, from, step, later(cover + words * from, place, n, (uint32_t)step->arc->in - 1), step->to);
        }
    }
    free(cover);
    return err;
}

/* States are nodes with the position visited last; 0 of the first node is the start. */
static pf_err weigh_chunks(weighing *own, const uint32_t *place, size_t n) {
    const pfi_product *product = &own->product;
    pf_statetab states;
    pf_err err = check_positions(product, n);
    uint32_t id;
    pf_statetab_init(&states, sizeof(uint64_t));
    if (!err && product->node.n) err = pf_statetab_intern_word(&states, 0, 0, &id);
    for (uint32_t state = 0; !err && state < states.n; state++) {
        size_t length;
        uint64_t key;
        memcpy(&key, pf_statetab_key(&states, state, &length), sizeof key);
        uint32_t last = (uint32_t)key;
        const pfi_node *node = &product->node.at[key >> 32];
        err = pfi_work_done(&own->work, 1);
        if (!err) err = pf_build_final(&own->build, state, node->final ? 0 : INFINITY);
        for (uint32_t k = node->first; !err && k < node->first + node->steps; k++) {
            const pfi_step *step = &product->step.at[k];
            uint32_t in = (uint32_t)step->arc->in;
            bool follows = last && place[in - 1] == place[last - 1] + 1;
            err = pf_statetab_intern_word(&states, 0, (uint64_t)step->to << 32 | in, &id);
            if (!err) err = add_arc(own, state, step, !follows, id);
        }
    }
    pf_statetab_free(&states);
    return err;
}

static pf_err weigh_orders(pf_fst *fst, const unsigned *order, size_t n, const pf_oracle_options *options,
                           pf_err (*weigh)(weighing *, const uint32_t *, size_t), pf_fst **out) {
    pf_oracle_references none;
    weighing own;
    uint32_t *place;
    *out = NULL;
    PF_TRY(places_of(order, n, &place));
    pf_oracle_references_init(&none);
    pf_err err = begin(&own, fst, &none, options);
    if (!err) err = weigh(&own, place, n);
    err = end(&own, err, out);
    pf_oracle_references_free(&none);
    free(place);
    return err;
}

pf_err pf_oracle_kendall(pf_fst *fst, const unsigned *order, size_t n, const pf_oracle_options *options, pf_fst **out) {
    return weigh_orders(fst, order, n, options, weigh_kendall, out);
}

pf_err pf_oracle_chunks(pf_fst *fst, const unsigned *order, size_t n, const pf_oracle_options *options, pf_fst **out) {
    return weigh_orders(fst, order, n, options, weigh_chunks, out);
}

pf_err pf_oracle_positions(pf_fst *fst, const pf_oracle_options *options, unsigned *out) {
    pf_oracle_references none;
    weighing own;
    *out = 0;
    if (fst->op && fst->op->slots) {
        pf_slots_view slots;
        fst->op->slots(fst->self, &slots);
        if (slots.positions) return *out = slots.n, PF_OK;
    }
    pf_oracle_references_init(&none);
    pf_err err = begin(&own, fst, &none, options);
    for (size_t step = 0; !err && step < own.product.step.n; step++)
        if (own.product.step.at[step].arc->in > (pf_label)*out) *out = (unsigned)own.product.step.at[step].arc->in;
    pfi_product_free(&own.product);
    pf_oracle_references_free(&none);
    return err;
}

/* ---- ties ---- */

/* Backwards: the least cost from each node, and how many paths have it. */
static pf_err count_ties(const pfi_product *product, double *least, uint64_t *ties) {
    for (size_t place = product->order.n; place--;) {
        uint32_t at = product->order.at[place];
        const pfi_node *node = &product->node.at[at];
        least[at] = pf_fst_final(product->fst, node->state);
        ties[at] = node->final;
        for (uint32_t i = node->first; i < node->first + node->steps; i++) {
            const pfi_step *step = &product->step.at[i];
            double cost = (double)step->arc->w + least[step->to];
            if (cost == (double)INFINITY || cost > least[at]) continue;
            if (cost < least[at]) ties[at] = 0;
            least[at] = cost;
            ties[at] = ties[step->to] > UINT64_MAX - ties[at] ? UINT64_MAX : ties[at] + ties[step->to];
        }
    }
    return PF_OK;
}

pf_err pf_oracle_ties(pf_fst *fst, uint64_t *out) {
    const pf_oracle_options options = {0};
    pf_oracle_references none;
    weighing own;
    *out = 0;
    pf_oracle_references_init(&none);
    pf_err err = begin(&own, fst, &none, &options);
    double *least = err ? NULL : malloc((own.product.node.n + 1) * sizeof *least);
    uint64_t *ties = err ? NULL : malloc((own.product.node.n + 1) * sizeof *ties);
    if (!err && (!least || !ties)) err = pf_nomem();
    if (!err) err = count_ties(&own.product, least, ties);
    if (!err && own.product.node.n) *out = ties[0];
    free(least);
    free(ties);
    pfi_product_free(&own.product);
    pf_oracle_references_free(&none);
    return err;
}
