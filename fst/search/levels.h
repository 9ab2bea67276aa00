/* One pass over the levels of a layered machine, and what the passes of one search share. Private to the searches. */
#ifndef PF_SEARCH_LEVELS_H
#define PF_SEARCH_LEVELS_H

#include "search/completion.h"
#include "search/level.h"
#include "search/twins.h"

typedef struct {
    pf_fst *automaton; /* without its models */
    const pf_best_options *options;
    pfi_rows rows;
    pfi_bound bound;
    const pf_moves *moves;       /* taken from the store of the options; NULL */
    pfi_completion completion;   /* known where there are moves and the bound is known */
    pfi_twins twins;     /* where positions are visited from left to right */
    pf_slots_view slots; /* where the completion is known */
    pfi_totals dropped; /* totals of what the beam or the threshold of the last pass dropped */
    PF_VEC(pf_level_work) profile; /* of all passes, if the options ask for it */
    unsigned passes;    /* by levels */
} pfi_levels;

/* Borrows the machine and the options. pfi_levels_free is to be called after an error, too. */
pf_err pfi_levels_init(pfi_levels *all, pf_fst *fst, const pf_best_options *options);
void pfi_levels_free(pfi_levels *all);

typedef struct {
    size_t beam;      /* hypotheses kept at a level; 0: all */
    double threshold; /* by how much the total of a hypothesis may be worse than the best one of its level; INFINITY: by any */
    double limit;     /* paths that cost more are not looked for; INFINITY: none */
    bool lattice;     /* to be made */
    bool unlimited;   /* the options' limits of states and time are not for this pass */
} pfi_pass;

/* More than rounding can come to in sums of this size: costs are sums of floats, bounds are not. */
double pfi_levels_slack(const pfi_levels *all, double cost);

/* How far completions reach: paths that cost more may be missing. INFINITY: none are that are wanted. */
static inline double pfi_levels_reach(const pfi_levels *all) {
    return all->completion.moves ? all->completion.within : (double)INFINITY;
}

/* The n best paths that are found; out->states and out->arcs are added to. out->bound is a lower bound for all paths: the least
 * of the totals that the beam or the threshold dropped and of the cost that was found; where none costs as little as the limit, or
 * as completions reach, this is one more. With PF_ELIMIT there are no paths, and the bound is that of the level at which the limit
 * was met. A limit of the cost needs all->bound.admissible. */
pf_err pfi_levels_pass(pfi_levels *all, const pfi_pass *pass, pf_answer *out);

#endif
