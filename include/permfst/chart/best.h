/* Best paths of an itg space, by a chart over spans: in polynomial time (zens-ney-2003, section 3).
 *
 * The automaton of an itg space grows by 2.6 with each word. A chart has the same orders as trees: a node joins two neighbouring
 * blocks, straight (the left one is visited first) or inverted. What is kept of a block is how it can go on: what the models know
 * of its first words and of its last ones. So the time is polynomial in the length, whatever the model.
 *
 * A chart searches permutation automata, also those of translations, alone or composed with models or with automata that score as
 * models do. The constraint must be itg, alone or together with constraints that can be checked node by node: itg-span, local, mj,
 * walls, zones and units. The weights of moves must decompose over nodes: pairwise, inversions, distance, jumps and lexical. */
#ifndef PF_CHART_BEST_H
#define PF_CHART_BEST_H

#include <permfst/search/best.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Can a chart search the machine as the options ask? PF_EARG: it cannot; the message says why. *itg says whether the orders are
 * those of itg or some of them: only then does the reason matter to a user. `itg` may be NULL. Expands nothing. O(n^2) for the
 * weights of n positions. */
pf_err pf_chart_check(pf_fst *fst, const pf_best_options *options, bool *itg);

/* Finds what pf_best finds: the same paths at the same costs, in the same order. Without limits the answer is exact. A beam or a
 * threshold prunes the items of each span; the bound of the answer allows for what was pruned. In the answer, `states` counts the
 * items made, and `arcs` the pairs of items joined. max_states limits the items of one pass, and 4 n max_states limits the pairs
 * of items that it looks at. A pass to which no limit applies has a beam of at most 2048, or that of the options.
 *
 * First a coarse chart bounds the cost outside each span. Then passes with a narrow beam find paths, and a last pass looks for
 * nothing that costs more than they do. Time for n words: O(n^3) nodes, and for each the pairs of items that the bound does not
 * rule out; the coarse chart takes O(n^6 / 60) additions, or O(n^3) where that would be too many, or where there are no models.
 *
 * With `lattice`, where options->search asks for the chart, the answer has a lattice: the orders that the last pass has kept, up
 * to `threshold` above the best one. In it, each word is an arc, and each node of the tree is an epsilon arc with the cost of the
 * node. Each order is one path, and so is each translation. *out is freed by pf_answer_free. Errors as pf_chart_check, and
 * PF_ELIMIT. */
pf_err pf_chart_best(pf_fst *fst, const pf_best_options *options, pf_answer *out);

#ifdef __cplusplus
}
#endif
#endif
