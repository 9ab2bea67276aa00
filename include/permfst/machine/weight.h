/* A weight model of a permutation automaton, as it is written: its specification, and the costs that a file gives it for one
 * sentence. */
#ifndef PF_MACHINE_WEIGHT_H
#define PF_MACHINE_WEIGHT_H

#include <stddef.h>

typedef struct {
    const char *spec;   /* "monotone:0.7", "pairwise:FILE" */
    const double *cost; /* n numbers of FILE, where the model has a file; else NULL */
    size_t n;
} pf_weight;

#endif
