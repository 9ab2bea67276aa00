/* What the files of the tuple model share. */
#ifndef PF_MODEL_TUPLE_IMPL_H
#define PF_MODEL_TUPLE_IMPL_H

#include <permfst/model/scorer.h>
#include <permfst/model/tuplemodel.h>

typedef struct {
    size_t at; /* its labels */
    unsigned n_source, n_target;
    bool left_out;
} pfi_model_tuple;

typedef struct {
    pf_model ngram;
    pf_tuple_options options;
    pf_symtab *source, *target;
    PF_VEC(pfi_model_tuple) first; /* of each word of the m-gram model */
    PF_VEC(pf_label) label;
    PF_VEC(size_t) begin;    /* of each source label, and one more: where its places begin */
    PF_VEC(pf_tuple_place) place;
} pfi_tuple_model;

/* pf_model_class: expand. */
pf_err pfi_tuples_expand(const void *self, pf_label backoff, const char *symbol, pf_fst **out);

#endif
