/* What a permutation automaton is asked for: constraints and weight models by name, with the costs of one sentence. */
#ifndef PF_MACHINE_WEIGHT_H
#define PF_MACHINE_WEIGHT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *spec;   /* "monotone:0.7", "pairwise:FILE" */
    const double *cost; /* n numbers of FILE, where the model has a file; else NULL */
    size_t n;
} pf_weight;

typedef struct {
    const char *const *con; /* n_con specifications, all of which must hold; none: every order */
    size_t n_con;
    const pf_weight *wm;    /* n_wm weight models, whose costs add up; none: no cost */
    size_t n_wm;
    bool acceptor;          /* the word on both sides, instead of position : word */
} pf_perm_spec;

#endif
