/* Reordering in training and monotonization (Kanthak et al. 2005, section 3): the source in the order in which the target
 * needs it, and tuples of one source word each, from a matrix that says what it costs to link each source word with each
 * target word.
 *
 *   A1  each source word takes its cheapest target, ties to the lowest; the new order is by that target, then by position
 *   A2  on the reordered matrix each target word takes its cheapest source, ties to the lowest
 *   A3  the monotone alignment of least cost that begins at the first and ends at the last source word that A2 has; each next
 *       target has the same source word or the next one that A2 has, so that each of these gets a target; of equal ones the
 *       lexicographically lowest, target by target
 *
 * Costs, and sums of n costs, are equal where they differ by no more than 16 n DBL_EPSILON (1 + |cost|): rounding decides no tie.
 * A tuple is a source word and the targets that A3 gives it; source words that A2 does not have pair with the empty phrase.
 * Without target words every source word does, in source order; target words without a source are one tuple. */
#ifndef PF_TUPLES_MONOTONIZE_H
#define PF_TUPLES_MONOTONIZE_H

#include <permfst/align/alignment.h>
#include <permfst/tuples/tuples.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_MAX_COSTS ((uint64_t)1 << 27) /* source words x target words of a pair */

/* The costs of a pair: at[j * n_target + i] for source word j and target word i. */
typedef struct {
    uint32_t n_source, n_target;
    PF_VEC(double) at;
} pf_costs; /* all zero: of a pair without words */
void pf_costs_free(pf_costs *costs);

/* A matrix of this size, whose costs may be anything. PF_ELIMIT past PF_MAX_COSTS, PF_ENOMEM. */
pf_err pf_costs_resize(pf_costs *costs, uint32_t n_source, uint32_t n_target);

/* Costs from links, sure or possible: 0 if both alignments have the link, or the only one has it (second = NULL); w, the
 * weight, if only the first has it, 1 - w if only the second has it (w from 0 to 1 is the share of the second); without a
 * link, for positions i, j from 1,
 *
 *   1 + floor(256 |(2i - 1) J - (2j - 1) I| / (2 I J)) / 1024,
 *
 * so that words nearer to the diagonal are cheaper. The lengths are those that the alignments know, or else end at the
 * last link. PF_EINPUT if both know a length and differ; otherwise as pf_costs_resize. O(J I). */
pf_err pf_costs_links(pf_costs *costs, const pf_alignment *first, const pf_alignment *second, double weight);

/* Costs from link posteriors: -ln((1 - w) p_a + w p_b), or -ln p_a. A link that is not listed has p = 0, and each p is at least
 * 1e-4. PF_EINPUT also for a link without a posterior, naming it. O(J I). */
pf_err pf_costs_posteriors(pf_costs *costs, const pf_alignment *first, const pf_alignment *second, double weight);

/* How the last pair was made, and memory that is kept from pair to pair. All zero: none. */
typedef struct {
    PF_VEC(uint32_t) a1;     /* source word: its target; empty without target words or if the order was kept */
    PF_VEC(uint32_t) a2, a3; /* target word: its source, as a place in the new order; empty without source words */
    PF_VEC(uint32_t) used;   /* the places that A2 has */
    PF_VEC(double) cost;
    PF_VEC(unsigned char) go;
} pf_monotone;
void pf_monotone_free(pf_monotone *monotone);

/* Reorders and monotonizes a pair. With keep_order there is no A1 and the source stays as it is: this serves matrices that were
 * estimated again on a reordered corpus, and tuples without reordering. Costs must be numbers. PF_ENOMEM. O(J I) time and
 * memory. */
pf_err pf_monotonize(pf_monotone *monotone, const pf_costs *costs, bool keep_order, pf_tuples *out);

#ifdef __cplusplus
}
#endif
#endif
