/* A level of a layered machine: the hypotheses that have covered equally many positions. Private to the searches.
 *
 * A hypothesis is a state of the automaton (what is covered) together with a history of the models. Where there are blocks, the
 * hypotheses of one state stand together, in a block, and the blocks stand one after another. */
#ifndef PF_SEARCH_LEVEL_H
#define PF_SEARCH_LEVEL_H

#include "search/graph.h"
#include "search/rest.h"

typedef struct {
    double cost;      /* of the best path to it */
    double total;     /* the least cost of a way to it together with its rest cost */
    uint32_t node;    /* in the graph */
    uint32_t history; /* of the models: a row of rows.h */
    pf_state state;   /* of the automaton */
    uint32_t unit;    /* where completions know units: the last one (said.h); that of the start, before the first */
} pfi_hypothesis;

typedef struct {
    pf_state state;             /* of the automaton */
    uint32_t number;            /* of the block, counted over all levels from 1; 0: it is not filled yet */
    uint32_t first, hypotheses; /* where its hypotheses begin in the level, and how many they are: fewer than nodes */
    uint32_t first_link, last_link; /* of the arcs that lead to it (level_links.c) */
    size_t arrivals;            /* hypotheses that they come from */
    uint32_t rest;              /* its coverage among the rest costs of the level */
    double least_cost;          /* of a hypothesis in it */
    uint32_t open;              /* the critical positions that it leaves uncovered, where routes are known */
    double prices;              /* of its uncovered positions, where routes are known */
} pfi_block;

typedef struct {
    PF_VEC(pfi_block) blocks;
    PF_VEC(pfi_hypothesis) hypotheses;
    pfi_rests rests;
} pfi_level;

typedef PF_VEC(double) pfi_totals;

void pfi_level_free(pfi_level *level);

/* The bytes that the level takes. */
uint64_t pfi_level_bytes(const pfi_level *level);

/* The least total of a level's hypotheses; INFINITY where there are none. */
double pfi_level_least_total(const pfi_level *level);

/* How many states the hypotheses of a level have. With blocks O(1), else O(hypotheses log hypotheses). PF_ENOMEM. */
pf_err pfi_level_states(const pfi_level *level, uint64_t *states);

/* For checks: do the blocks stand one after another, is no state there with one history twice, and do the nodes stand in the order
 * in which they were made? */
bool pfi_level_in_order(const pfi_level *level);

/* The k-th least of totals, 1 <= k <= count. Puts them in another order: k of them that are not larger come first. O(count) on
 * average. */
double pfi_select_total(double *total, size_t count, size_t k);

/* Beam search: keeps the best hypotheses of a level, as many as the beam (0: all), none of which has a total that is worse than
 * the best one's by more than the threshold (INFINITY: any). Those kept stay in order; blocks that lose all of theirs go.
 * The totals of the others are added to *dropped. PF_ENOMEM. */
pf_err pfi_level_prune(pfi_level *level, const pfi_graph *graph, size_t beam, double threshold, pfi_totals *dropped);

#endif
