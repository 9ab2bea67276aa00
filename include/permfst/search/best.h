/* Best paths.
 *
 * The cost of a path is the double sum of its float weights from the start to the end. Paths are ordered by cost, then by
 * number of arcs, then by their input labels (in a permutation automaton: by permutation, as all paths have the same
 * number of arcs), then by their output strings. An order that holds for two paths holds when both go on alike, so every
 * search gives the same answer, and the n best are the first n of the n+1 best. */
#ifndef PF_SEARCH_BEST_H
#define PF_SEARCH_BEST_H

#include <permfst/machine/answer.h>
#include <permfst/machine/moves.h>
#include <permfst/ops/units.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a machine is searched: as suits it; level by level; best-first, by cost and rest cost where there is one (A*); or by a chart
 * over spans, which pf_chart_best does (chart/best.h). */
typedef enum { PF_SEARCH_AUTO, PF_SEARCH_LEVELS, PF_SEARCH_ASTAR, PF_SEARCH_CHART } pf_search;

/* Which paths count as different: all; those with different output strings; or with different input strings, which in a
 * permutation automaton are the permutations. Of paths that do not differ, the first in order stands for all. */
typedef enum { PF_UNIQUE_PATHS, PF_UNIQUE_OUTPUTS, PF_UNIQUE_INPUTS } pf_unique;

/* Which units of several source words a translation may have, where orders are those of itg (zens-ney-2003, section 3.4): all that
 * an order can be cut into; those of neighbouring words; or also those of two runs of words around a block, which is translated as
 * a whole before the unit or after it. Only a chart tells them apart. */
typedef enum { PF_GROUPING_ANY, PF_GROUPING_CONTIGUOUS, PF_GROUPING_EXTENDED } pf_grouping;

/* All zero: the best path, exactly. */
typedef struct {
    pf_search search;
    pf_unique unique;
    pf_grouping grouping;
    bool lattice;         /* make a lattice of what the search has kept, pruned by `threshold`, which does not prune levels then */
    bool profile;         /* note what a search by levels does at each of them (answer.h) */
    size_t n;             /* paths wanted; 0 is taken as 1 */
    size_t beam;          /* hypotheses kept at a level; 0: all */
    double threshold;     /* by how much the cost and rest cost of a hypothesis may exceed those of the best one of its level;
                             INFINITY, or 0: any. With `lattice`: by how much a path of it may cost more than the best path */
    bool widen;           /* widen the beam until the best path is proven to be within `gap` of the least possible cost */
    double gap;
    uint64_t max_states;  /* at most so many states of the (composed) machine are visited in one pass; the first pass, whose beam is
                             narrow, has no limit; 0: no pass has one */
    uint64_t max_bytes;   /* at most this many bytes are taken by one pass, the machine, and the tables of moves and of what comes
                             after them; the first pass has no limit; 0: no pass has one */
    bool all_bytes;       /* max_bytes is all the memory that there is: to reach it is PF_ENOMEM, not a limit that was asked for */
    bool (*expired)(void *self); /* asked now and then: is the time over? NULL: never */
    void (*progress)(void *self, uint64_t states); /* called now and then with the states visited; NULL: never */
    void *self;
    const struct pf_tree_costs *trees; /* what nodes cost beside the machine (chart/spans.h): only a chart knows; NULL: nothing */
    pf_moves_store *moves; /* tables of moves that searches share, borrowed; NULL: none. They make searches faster, and change no
                              answer */
    const pf_units *units; /* NULL; pf_best sets it while it searches the units of a translation */
} pf_best_options;

/* The n best paths; fewer where there are no more. A layered machine (a permutation automaton, alone or composed with
 * models) is searched level by level: exact dynamic programming with two levels of hypotheses, the back-pointers and the
 * automaton's expanded states in memory. Any other machine is searched best-first, up to its best path, if it is known that no
 * weight is negative (pf_fst_nonnegative). If a weight may be negative, the whole machine is searched; if one is, in topological
 * order, or by label correcting where there are cycles.
 *
 * Without beam, threshold and widening the answer is exact; with them its bound says how far from that it can be. A limit that
 * is met when some path is known ends the search with the best one and what is proven of it (`stopped`).
 * *out is freed by pf_answer_free. PF_EINPUT: a cycle of negative cost that can be reached. PF_EARG: a beam on a machine without
 * levels, costs of trees, options that do not go together. PF_ELIMIT: max_states, max_bytes or expired. PF_ENOMEM: there is no
 * more memory. */
pf_err pf_best(pf_fst *fst, const pf_best_options *options, pf_answer *out);

#ifdef __cplusplus
}
#endif
#endif
