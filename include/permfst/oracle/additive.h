/* Oracles whose scores are sums over arcs: a machine with the paths of another one, at costs that say how far each is from a
 * reference.
 *
 * What search/best.h finds in it, n best paths, lattices, limits and proofs, holds for the score. Weights of the machine itself do
 * not count. All make a machine whose states are those of the first one with what the next words or positions depend on: as many at
 * most as they have together. It is the caller's; PF_EINPUT: the first machine has a cycle; PF_ELIMIT: a limit of the options
 * (oracle/bleu.h); PF_ENOMEM; the errors of the machine. The cost is O(states and arcs) of what is made. */
#ifndef PF_ORACLE_ADDITIVE_H
#define PF_ORACLE_ADDITIVE_H

#include <permfst/oracle/bleu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Linear BLEU (Tromble et al. 2008; Pecheux et al. 2016, eq. 8): each word gains theta_0, and theta_n = 1 / (4 p r^(n-1)) for each
 * n-gram of a reference that ends with it, not clipped. Each theta is rounded to a multiple of a power of two, 2^-19 for the usual
 * ones and those of their size, so that costs are exact and equal matches tie. The cost is the gain with the opposite sign. */
typedef struct {
    double precision, ratio, length; /* p, r, theta_0 */
} pf_linear_bleu;
extern const pf_linear_bleu pf_linear_bleu_usual; /* .4, .8, -1 */

pf_err pf_oracle_linear(pf_fst *fst, const pf_oracle_references *references, const pf_linear_bleu *how,
                        const pf_oracle_options *options, pf_fst **out);

/* Edits: insertions, deletions and substitutions to the nearest of the references, lines of words. A path of the first machine has
 * a path here for each way to edit it that could be best. */
pf_err pf_oracle_edits(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, pf_fst **out);

/* How many paths of the first machine have the least number of edits, which is given. A limit of the options: PF_ELIMIT. */
pf_err pf_oracle_edit_ties(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, uint32_t least,
                           uint64_t *out);

/* The pairs of positions that a path visits in another order than the reference does (Pecheux et al. 2016, section 4.3), or the
 * number of its chunks: stretches that the reference has, too, one position directly after the other. `order` has n positions,
 * from 0. Input labels are positions from 1. PF_EINPUT also: they are symbols, or past n; paths to one state visit different
 * positions. */
pf_err pf_oracle_kendall(pf_fst *fst, const unsigned *order, size_t n, const pf_oracle_options *options, pf_fst **out);
pf_err pf_oracle_chunks(pf_fst *fst, const unsigned *order, size_t n, const pf_oracle_options *options, pf_fst **out);

/* How many positions a machine has: its slots, or its largest input label. Expands a machine without slots. */
pf_err pf_oracle_positions(pf_fst *fst, const pf_oracle_options *options, unsigned *out);

/* How many paths have the least cost of all, which must not differ by rounding; UINT64_MAX: that many or more. Without paths 0. The
 * machine has no cycle. PF_ENOMEM. */
pf_err pf_oracle_ties(pf_fst *fst, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
