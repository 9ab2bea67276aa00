/* Unfolding: source words in the order of the target words they are linked with, and the tuples between which no link leads
 * (Crego, Marino and de Gispert 2005; Pecheux et al. 2016, section 2).
 *
 * The target is cut into the finest segments such that the links of each source word stay inside one. Source words are visited
 * segment by segment, inside a segment in source order. An unaligned source word is visited just before the next aligned one, in
 * its tuple, or at the end of the last tuple. Unaligned target words between two segments join one of them; those at the start
 * join the first tuple, those at the end the last. A pair without links is one tuple; a pair without words has no tuple. */
#ifndef PF_TUPLES_UNFOLD_H
#define PF_TUPLES_UNFOLD_H

#include <permfst/align/alignment.h>
#include <permfst/tuples/ibm1.h>
#include <permfst/tuples/tuples.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The side to which unaligned target words go.
 * By model 1: of r of them between two tuples, the first s join the left one, the others the right one, where s makes
 *
 *   p(e_1 | left) ... p(e_s | left) p(e_s+1 | right) ... p(e_r | right)
 *
 * greatest, p(e | tuple) = (t(e | empty word) + sum over its m source words of t(e | f)) / (m + 1), which is what model 1
 * says about the target sides of both; of equal ones the largest s. p is at least 1e-300. */
typedef enum { PF_UNALIGNED_IBM1, PF_UNALIGNED_LEFT, PF_UNALIGNED_RIGHT } pf_unaligned;

typedef struct {
    pf_unaligned unaligned;
    bool keep_order;       /* reorder nothing: segments are joined until their sources stand in source order, too */
    const pf_ibm1 *model;  /* for PF_UNALIGNED_IBM1: a model that was trained on both sentences, and their words */
    const pf_words *source, *target;
} pf_unfold_options;

/* Makes the memory that is kept from pair to pair, for one thread at a time. *out belongs to the caller. PF_ENOMEM. O(1). */
typedef struct pf_unfolder pf_unfolder;
pf_err pf_unfolder_new(pf_unfolder **out);
void pf_unfolder_free(pf_unfolder *unfolder); /* NULL is accepted */

/* Unfolds a pair. Every link counts, whatever its mark or posterior; none is past its sentence. PF_ENOMEM. O(words + links), and
 * with model 1 for each unaligned target word a look-up for each source word of the two tuples. */
pf_err pf_unfold(pf_unfolder *unfolder, const pf_alignment *links, const pf_unfold_options *options, pf_tuples *out);

/* Do two links cross, i < i' and j > j'? Not the same as whether unfolding reorders: an alignment with crossing links inside
 * one segment may keep every source word where it is. O(links). */
bool pf_alignment_crosses(const pf_alignment *links);

#ifdef __cplusplus
}
#endif
#endif
