/* A pass while it goes from level to level: what levels.c shares with the two ways to the next level. Private to these.
 *
 * level_moves.c extends hypotheses one by one, where a table has the moves and completions bound the rest. level_links.c asks the
 * automaton for arcs, and takes the hypotheses of a state together, which have their rest cost in common. */
#ifndef PF_SEARCH_LEVELS_IMPL_H
#define PF_SEARCH_LEVELS_IMPL_H

#include "search/claims.h"
#include "search/levels.h"

typedef struct pfi_level_way pfi_level_way;

typedef struct {
    pfi_levels *all;
    pf_fst *fst; /* the automaton */
    const pf_best_options *options;
    const pfi_pass *pass;
    pfi_graph graph;
    pfi_rows *rows;
    pfi_bound *bound;
    const pfi_completion *completion;
    pfi_level levels[2], *now, *next;
    unsigned level; /* of the hypotheses in `now`: how many positions they have covered */
    uint32_t end;   /* node; PFI_NONE until a path has ended */
    double end_cost;
    uint64_t arcs;
    uint64_t steps; /* of all levels */
    pfi_claims claims;
    const pfi_level_way *way;
    void *tables; /* the way's own */
} pfi_level_search;

struct pfi_level_way {
    /* Makes the tables, and the block of the start if there are blocks; *total: the least cost of a path. PF_ENOMEM. */
    pf_err (*start)(pfi_level_search *search, double *total);
    /* Makes `next` of `now`, whose rows are filled, unless completions know units. Both keep the order in which nodes were made. */
    pf_err (*extend)(pfi_level_search *search);
    uint64_t (*bytes)(const pfi_level_search *search);
    void (*free)(pfi_level_search *search); /* also after an error of start */
};

extern const pfi_level_way pfi_by_links, pfi_by_moves;

/* Another path to a node that is there, whose best one costs *cost. PF_ENOMEM. */
pf_err pfi_search_improve(pfi_level_search *search, double *cost, uint32_t node, const pfi_extension *path);

/* A step of the pass: a block, a hypothesis, or many rows. At few of the steps, all limits are looked at. PF_ELIMIT, PF_ENOMEM. */
enum { PFI_STEPS_A_LOOK = 64 };
pf_err pfi_search_look(const pfi_level_search *search, uint64_t step);
static inline pf_err pfi_search_step(pfi_level_search *search) {
    const uint64_t step = search->steps++;
    return step % PFI_STEPS_A_LOOK && !search->options->max_states ? PF_OK : pfi_search_look(search, step);
}

#endif
