/* Models: deterministic scorers of word sequences, immutable once loaded and shared by all that use them.
 *
 * A model has states, a start, and for each state and word a cost and a next state; there is no other knowledge about it
 * in compositions and searches. It numbers its own words (labels from 1 on); callers map their words once per record with
 * pf_labelmap_model. Costs are -ln p, as doubles; +INFINITY where the model has no way on. */
#ifndef PF_MODEL_MODEL_H
#define PF_MODEL_MODEL_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_model_class {
    const char *name; /* "ngram", "tuples" */

    pf_state (*start)(const void *self);

    /* The cost of word x after state s and the next state. x is a label 1..V. */
    double (*step)(const void *self, pf_state s, pf_label x, pf_state *to);

    /* n words from one state: w[i] and to[i] for x[i]. x is strictly ascending. */
    void (*row)(const void *self, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to);

    /* The cost of ending in s. */
    double (*final)(const void *self, pf_state s);

    /* Is every cost finite, of every word after every history and of every end? Then a composition has a path for each path
     * of the automaton. O(size of the model). */
    bool (*finite)(const void *self);

    /* For pf_model_nonnegative; NULL: nobody knows. O(size of the model) when first asked, then O(1). */
    bool (*nonnegative)(const void *self);

    /* The model's body for a record, and back; read checks every number. The bytes are the same for the same model. */
    pf_err (*write)(const void *self, pf_writer *writer);
    pf_err (*read)(pf_reader *reader, void **self);

    /* The model as an automaton with failure (or epsilon) arcs labelled `backoff`; see ngram.h. */
    pf_err (*expand)(const void *self, pf_label backoff, const char *symbol, pf_fst **out);

    const pf_symtab *(*words)(const void *self); /* its words, labels 1..V */
    pf_label (*label)(const void *self, const char *word, size_t length); /* of running text; the unknown word's if it lacks it */
    pf_label (*unknown)(const void *self);
    bool (*lacks)(const void *self, const char *word, size_t length); /* NULL: a word that it has the unknown word's label for */
    void (*describe)(const void *self, pf_writer *text); /* lines "key TAB value" for perminfo */
    void (*free)(void *self);
} pf_model_class;

typedef struct pf_model {
    const pf_model_class *cls;
    void *self;
} pf_model;

/* Is a word of running text one that the model lacks? Its unknown word itself is none. Of a tuple model a source word that no
 * tuple has alone. */
bool pf_model_lacks(const pf_model *model, const char *word, size_t length);

/* Is no cost below 0? False where that is not known. */
bool pf_model_nonnegative(const pf_model *model);

/* The class of a name, or NULL. */
const pf_model_class *pf_model_class_find(const char *name);

/* Ends a model; NULL is accepted. */
void pf_model_free(pf_model *model);

#ifdef __cplusplus
}
#endif
#endif
