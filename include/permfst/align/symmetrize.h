/* One alignment out of the two that an aligner makes in both directions (Och and Ney 2003, A systematic comparison of
 * various statistical alignment models, section 4; Koehn, Och and Marcu 2003).
 *
 * `grow` and its family begin with the intersection and add links of the union that touch a link already there and cover
 * a word that is not linked yet; the order in which links are tried decides which get in, and two programs differ:
 *
 *   atools   tries the links of the union by source, then target, in rounds until a round adds none (fast_align)
 *   symal    walks the links that are in by target, then source, also those that it adds further on, and tries the
 *            neighbours of each, those beside it before the diagonal ones, until a walk adds none (Moses)
 *
 * Then `final` passes over the rest of the first alignment, and over that of the second, in the same order, and adds links
 * that cover a word not linked yet, `final-and` those both of whose words are not linked yet. */
#ifndef PF_ALIGN_SYMMETRIZE_H
#define PF_ALIGN_SYMMETRIZE_H

#include <permfst/align/alignment.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_SYM_ATOOLS, PF_SYM_SYMAL } pf_sym_order;

/* intersect, union, grow, grow-diag, grow-final, grow-diag-final, grow-final-and, grow-diag-final-and. */
typedef struct pf_sym_method pf_sym_method;
const char *pf_sym_name(const pf_sym_method *method);
const pf_sym_method *pf_sym_at(size_t i); /* NULL past the last */
const pf_sym_method *pf_sym_find(const char *name); /* NULL: there is none */

/* Room that is kept from pair to pair. */
typedef struct pf_sym pf_sym;
pf_err pf_sym_new(pf_sym **out);
void pf_sym_free(pf_sym *s);

/* Symmetrizes two alignments of the same pair, both source to target (an alignment made in the other direction is inverted
 * first), into `out`, which is neither of them. A link that both have is sure where one has it so and its posterior is the
 * mean of those given; a link that one has stays as it is. PF_EINPUT where both know a length and they differ, PF_ENOMEM.
 * Cost: O(links of the union) a round, at most as many rounds as there are words, two or three in practice. */
pf_err pf_symmetrize(pf_sym *s, const pf_sym_method *method, pf_sym_order order, const pf_alignment *first,
                     const pf_alignment *second, pf_alignment *out);

#ifdef __cplusplus
}
#endif
#endif
