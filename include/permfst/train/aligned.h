/* Where the alignments of an aligner go: the best links of either direction, the likely ones with their posteriors, and the best
 * links of both made one (align/symmetrize.h).
 *
 * A pair is O(links). */
#ifndef PF_TRAIN_ALIGNED_H
#define PF_TRAIN_ALIGNED_H

#include <permfst/align/symmetrize.h>
#include <permfst/base/writer.h>
#include <permfst/train/aligner.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writers are borrowed; NULL: not written. */
typedef struct {
    pf_writer *best[PF_HMM_DIRECTIONS], *likely[PF_HMM_DIRECTIONS], *symmetrized;
    const pf_sym_method *method; /* of `symmetrized` */
    pf_sym_order order;
} pf_aligned_to;

/* One thread at a time. *out belongs to the caller. PF_ENOMEM. */
typedef struct pf_aligned_writer pf_aligned_writer;
pf_err pf_aligned_writer_new(const pf_aligned_to *to, pf_aligned_writer **out);
void pf_aligned_writer_free(pf_aligned_writer *writer); /* NULL is accepted */

/* A pf_aligner_taker's function, whose `self` is a pf_aligned_writer: writes a line of each. Likely links are written as pharaoh,
 * the others as plain. Errors of pf_symmetrize and of the writers. */
pf_err pf_aligned_writer_take(void *writer, const pf_aligned_pair *pair);

#ifdef __cplusplus
}
#endif
#endif
