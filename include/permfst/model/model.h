/* Models: what was loaded of a file or a record, immutable and shared by all that use it, by any number of threads.
 *
 * A model scores words through a scorer (model/scorer.h), of which every record makes its own. It numbers its own words (labels
 * from 1 on); callers map their words once per record with pf_labelmap_scorer. A word is O(its length), a name O(classes). */
#ifndef PF_MODEL_MODEL_H
#define PF_MODEL_MODEL_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_scorer pf_scorer;

/* No method may be NULL but `lacks`. */
typedef struct pf_model_class {
    const char *name; /* "ngram", "tuples" */

    /* Fills a scorer, which is all zero; see pf_scorer_of. PF_ENOMEM. */
    pf_err (*scorer)(const void *self, pf_scorer *out);

    /* Is every cost finite, of every word after every history and of every end? Then a composition has a path for each path
     * of the automaton. O(size of the model). */
    bool (*finite)(const void *self);

    /* The model's body for a record, and back; read checks every number. The bytes are the same for the same model, and a model
     * that was read has the bytes that it was read from. */
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

/* Does the model lack a word of running text? It does not lack its own unknown word. A tuple model lacks a source word that is
 * the only source word of no tuple. */
bool pf_model_lacks(const pf_model *model, const char *word, size_t length);

/* The class of a name, or NULL. */
const pf_model_class *pf_model_class_find(const char *name);

/* Ends a model; NULL is accepted. */
void pf_model_free(pf_model *model);

#ifdef __cplusplus
}
#endif
#endif
