/* Oracles whose scores are sums over arcs. Each is a machine with the paths of another one, whose costs say how far a path is from
 * a reference.
 *
 * So n best paths, lattices, limits and proofs of search/best.h hold for the score. The weights of `fst` itself do not count.
 * Functions with `fst` and `out` make *out, which belongs to the caller. A state of it is a state of `fst` and what the costs of
 * the next words or positions depend on. PF_EINPUT: `fst` has a cycle; PF_ELIMIT: a limit of the options (oracle/bleu.h);
 * PF_ENOMEM; the errors of `fst`. Each call is O(states and arcs) of *out. */
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

/* Edits: the insertions, deletions and substitutions that lead to the nearest of the references, which are lines of words. A path
 * of `fst` has a path in *out for each way to edit it that could be best. */
pf_err pf_oracle_edits(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, pf_fst **out);

/* How many paths of `fst` have `least` edits, the least number that any path has. PF_ELIMIT: a limit of the options. */
pf_err pf_oracle_edit_ties(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, uint32_t least,
                           uint64_t *out);

/* The number of pairs of positions that a path visits in another order than the reference (Pecheux et al. 2016, section 4.3); and
 * the number of its chunks, which are maximal runs of positions that also follow one another directly in the reference. `order`
 * has n positions, from 0. Input labels are positions, from 1. PF_EINPUT, too: they are symbols, or above n; or paths to one state
 * visit different positions. */
pf_err pf_oracle_kendall(pf_fst *fst, const unsigned *order, size_t n, const pf_oracle_options *options, pf_fst **out);
pf_err pf_oracle_chunks(pf_fst *fst, const unsigned *order, size_t n, const pf_oracle_options *options, pf_fst **out);

/* How many positions a machine has: its slots, or its largest input label. Expands a machine without slots. */
pf_err pf_oracle_positions(pf_fst *fst, const pf_oracle_options *options, unsigned *out);

/* How many paths have the least cost. Sums of costs must be exact, as rounding would tell equal ones apart. UINT64_MAX: that many
 * or more; 0: there is no path. The machine has no cycle. PF_ENOMEM. */
pf_err pf_oracle_ties(pf_fst *fst, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
