/* One alignment made from the two that an aligner gives in both directions (Och and Ney 2003, A systematic comparison of
 * various statistical alignment models, section 4; Koehn, Och and Marcu 2003).
 *
 * `grow` and its family begin with the intersection. They add links of the union that touch a link already there and cover a
 * word that is not linked yet. The order in which links are tried decides which of them are added, and two programs differ:
 *
 *   atools   tries the links of the union by source, then target, in rounds until a round adds none (fast_align)
 *   symal    walks over the links added so far by target, then source, those added during the walk included, and tries the
 *            neighbours of each, those beside it before the diagonal ones, until a walk adds none (Moses)
 *
 * Then `final` passes over the other links of the first alignment, and over those of the second, in the same order. It adds
 * links that cover a word not linked yet; `final-and` adds links both of whose words are not linked yet. Names and entries are
 * O(1). */
#ifndef PF_ALIGN_SYMMETRIZE_H
#define PF_ALIGN_SYMMETRIZE_H

#include <permfst/align/alignment.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_SYM_ATOOLS, PF_SYM_SYMAL } pf_sym_order;

/* intersect, union, grow, grow-diag, grow-final, grow-diag-final, grow-final-and, grow-diag-final-and.
 * Names and methods are constants; entry i of the table is NULL past the last. */
typedef struct pf_sym_method pf_sym_method;
const char *pf_sym_name(const pf_sym_method *method);
const pf_sym_method *pf_sym_at(size_t i);
const pf_sym_method *pf_sym_usual(void); /* grow-diag-final-and */

/* Memory that is kept from pair to pair. For one thread at a time. *out belongs to the caller. PF_ENOMEM. */
typedef struct pf_sym pf_sym;
pf_err pf_sym_new(pf_sym **out);
void pf_sym_free(pf_sym *sym);

/* Symmetrizes two alignments of the same pair, both from source to target, into `out`, which is neither of them. (First invert
 * the alignment that was made in the other direction.) A link of both is sure if it is sure in one of them, and its posterior is
 * the mean of those given; a link of one alignment stays as it is. PF_EINPUT if both know a length and differ, or if a
 * link of one is past a length that the other knows. PF_ENOMEM. Cost: O(links of the union) a round, at most as many rounds
 * as there are words, two or three in practice. */
pf_err pf_symmetrize(pf_sym *sym, const pf_sym_method *method, pf_sym_order order, const pf_alignment *first,
                     const pf_alignment *second, pf_alignment *out);

#ifdef __cplusplus
}
#endif
#endif
