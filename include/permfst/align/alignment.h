/* The word alignment of a sentence pair: which source words are linked with which target words.
 *
 * Positions count from 0. Links are kept by source, then by target, each pair once, so that all links of a source word lie
 * side by side; pf_alignment_invert gives the same for target words. Reading, writing: align_io.h. */
#ifndef PF_ALIGN_ALIGNMENT_H
#define PF_ALIGN_ALIGNMENT_H

#include <permfst/base/err.h>
#include <permfst/base/vec.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_UNKNOWN_LENGTH UINT32_MAX

typedef struct {
    uint32_t source, target; /* positions */
    bool possible;           /* possible only; false: sure, and where nothing was said */
    double p;                /* the posterior; NAN where none was said */
} pf_link;

typedef struct {
    uint32_t n_source, n_target; /* words on either side; PF_UNKNOWN_LENGTH where nothing says it */
    PF_VEC(pf_link) link;        /* sorted and unique */
    uint64_t repeated, null;     /* links left out when it was read: listed before in it; with the empty word (position 0) */
    double score;                /* of the pair, as GIZA++ writes it; NAN where none was said */
} pf_alignment;

/* An all-zero alignment may be freed or reset. Reset forgets what it has and keeps the room: nothing is allocated for a
 * pair that has no more links than one before it. */
void pf_alignment_reset(pf_alignment *a);
void pf_alignment_free(pf_alignment *a);

/* One more link, in any order; pf_alignment_sort must follow before the alignment is used. PF_ELIMIT for a position from
 * PF_MAX_WORDS on, PF_ENOMEM. */
pf_err pf_alignment_add(pf_alignment *a, pf_link link);

/* Sorts and makes unique. A pair listed twice is sure where one of the two is, has the larger posterior, and counts in
 * `repeated`. O(links) where they are sorted already, O(links log links) elsewhere. */
void pf_alignment_sort(pf_alignment *a);

/* The same links, sorted. `to` is another alignment. PF_ENOMEM. */
pf_err pf_alignment_copy(const pf_alignment *a, pf_alignment *to);

/* Source and target change places, in place. O(links log links). */
void pf_alignment_invert(pf_alignment *a);

/* The one link of a pair, or NULL. O(log links). */
const pf_link *pf_alignment_find(const pf_alignment *a, uint32_t source, uint32_t target);

/* The words on a side as far as they are known: the length, or else just past the last link. */
uint32_t pf_alignment_sources(const pf_alignment *a);
uint32_t pf_alignment_targets(const pf_alignment *a);

/* Where the links of each source word begin: those of j are link.at[first[j]..first[j + 1]). `first` has room for
 * n + 1 numbers, and n is pf_alignment_sources(a) or more. O(n + links). */
void pf_alignment_rows(const pf_alignment *a, uint32_t n, uint32_t *first);

/* Keeps the sure links; those with a posterior that is below p (links without one stay). Both return how many went. */
size_t pf_alignment_keep_sure(pf_alignment *a);
size_t pf_alignment_keep_likely(pf_alignment *a, double p);

#ifdef __cplusplus
}
#endif
#endif
