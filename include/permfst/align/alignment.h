/* The word alignment of a sentence pair: which source words are linked with which target words.
 *
 * Positions count from 0. Links are kept sorted by source, then by target, and each pair of words has one link. So all links
 * of a source word lie side by side; pf_alignment_invert gives the same for target words. format.h reads and writes
 * alignments. A call that states no cost is O(1), or O(links) where it copies, counts or looks for the last target. */
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
    bool possible;           /* false: a sure link, or one of which this is not known */
    double posterior;        /* 0 to 1; NAN: not known */
} pf_link;

typedef struct {
    uint32_t n_source, n_target;   /* words on each side; PF_UNKNOWN_LENGTH: not known. Every link is below them */
    PF_VEC(pf_link) link;          /* sorted, without repeats */
    uint64_t repeated, empty_word; /* links that the reader left out: listed twice; with the empty word (position 0) */
    double score;                  /* of the pair, as GIZA++ writes it; NAN: nobody said */
} pf_alignment;

/* An all-zero alignment may be freed or reset. Reset drops the contents and keeps the memory: a pair that has no more links
 * than an earlier one allocates nothing. */
void pf_alignment_reset(pf_alignment *links);
void pf_alignment_free(pf_alignment *links);

/* Adds a link. Links may come in any order; call pf_alignment_sort before the alignment is used. PF_ELIMIT for a position of
 * PF_MAX_WORDS or more, PF_ENOMEM. */
pf_err pf_alignment_add(pf_alignment *links, pf_link link);

/* Sorts the links and merges repeats. A merged link is sure if one of the two is, has the larger posterior, and counts in
 * `repeated`. O(links) if they are sorted already, else O(links log links). */
void pf_alignment_sort(pf_alignment *links);

/* Copies to another alignment. PF_ENOMEM. */
pf_err pf_alignment_copy(const pf_alignment *links, pf_alignment *to);

/* Exchanges source and target, in place. O(links log links). */
void pf_alignment_invert(pf_alignment *links);

/* The link of two words, or NULL. O(log links). */
const pf_link *pf_alignment_find(const pf_alignment *links, uint32_t source, uint32_t target);

/* The words of a side as far as they are known: its length, or else one past its last linked word. */
uint32_t pf_alignment_sources(const pf_alignment *links);
uint32_t pf_alignment_targets(const pf_alignment *links);

/* How many links have a posterior. */
size_t pf_alignment_posteriors(const pf_alignment *links);

/* Which links to use. All zero: all of them. */
typedef struct {
    bool sure_only;
    double least_posterior; /* links without a posterior stay */
} pf_align_filter;

/* How many links were left out, and why; sums over pairs. */
typedef struct {
    uint64_t repeated, empty_word; /* by the reader */
    uint64_t possible, unlikely;   /* by a filter */
} pf_align_left_out;

/* Takes out the links that the filter does not want (NULL: none), and adds to *left_out what it and the reader have left out.
 * Call it once for each alignment that was read. O(links). */
void pf_alignment_filter(pf_alignment *links, const pf_align_filter *filter, pf_align_left_out *left_out);

#ifdef __cplusplus
}
#endif
#endif
