/* Tuple models: an m-gram model over bilingual tuples as a transducer from source words to target words, with its exact
 * back-off (Kanthak et al. 2005, §2; Casacuberta & Vidal 2004).
 *
 * The words of the m-gram model are tuples (tuple_text.h). A source word is read as any tuple that has it; a tuple of several
 * source words is read where they come one after the other; a tuple without source words is inserted; one without target
 * words says nothing. A source word that is the only one of no tuple may also be passed through to the target as it is, at a
 * stated cost; for the m-gram model it is the unknown word then.
 *
 * As a pf_model (class "tuples") it scores sentences of tuples, as its m-gram model does. ops/units.h reads source words.
 * Reading is O(bytes); what is asked of a tuple is O(1). */
#ifndef PF_MODEL_TUPLEMODEL_H
#define PF_MODEL_TUPLEMODEL_H

#include <permfst/model/ngram.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const pf_model_class pf_tuple_class;

typedef struct {
    double pass;   /* the cost of passing a word through, finite */
    uint32_t most; /* of the tuples that begin with a source word, as many of the least unigram costs are read, and in any case
                      the first of them that has it alone; 0: all */
} pf_tuple_options;

/* Makes an m-gram model one of tuples and takes it over, also when this fails. *out belongs to the caller. PF_EINPUT: one of its
 * words is not a tuple; the message names it. */
pf_err pf_tuplemodel_new(pf_model *ngram, const pf_tuple_options *options, pf_model *out);

/* The same from an ARPA file, as pf_ngram_read_arpa reads it; a word that is not a tuple is PF_EINPUT, with its line. Errors as
 * there. */
pf_err pf_tuplemodel_read_arpa(pf_reader *reader, const pf_tuple_options *options, pf_warn warn, void *warn_to, pf_model *out);

/* The cost of passing a word through. */
double pf_tuplemodel_pass(const pf_model *model);

/* The words on either side, labels 1.. in the order in which the tuples have them first. Borrowed. */
const pf_symtab *pf_tuplemodel_source(const pf_model *model);
const pf_symtab *pf_tuplemodel_target(const pf_model *model);

/* What a tuple consists of: labels of these tables, borrowed. A word of the m-gram model that is not a tuple has none. */
typedef struct {
    const pf_label *source, *target;
    unsigned n_source, n_target;
} pf_tuple_labels;
pf_tuple_labels pf_tuplemodel_at(const pf_model *model, pf_label tuple);

/* Where a source word stands: in which tuple, as which of its source words. */
typedef struct {
    pf_label tuple;
    unsigned place;
} pf_tuple_place;

/* All places of a source word in tuples that are read, by tuple; of label 0 the tuples without source words. Borrowed;
 * *count is how many. O(1). */
const pf_tuple_place *pf_tuplemodel_places(const pf_model *model, pf_label source, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
