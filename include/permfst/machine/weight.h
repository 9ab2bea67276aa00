/* A weight model on its way to a permutation automaton: what it is, and the costs that it was given for one sentence. */
#ifndef PF_MACHINE_WEIGHT_H
#define PF_MACHINE_WEIGHT_H

#include <stddef.h>

typedef struct {
    const char *spec;   /* "monotone:0.7", "pairwise:FILE" */
    const double *cost; /* n numbers, where the model has a table: FILE's for this sentence; else NULL */
    size_t n;
} pf_weight;

#endif
