/* A sentence pair cut into tuples: the source words in a new order, the target words in theirs, and the places where both
 * are cut. unfold.h and monotonize.h make it; write.h writes it.
 *
 * In sequence, the tuples give the reordered source on one side and the target on the other. A tuple may lack the words of one
 * side (the empty phrase, or no source), never of both. Each call is O(words). */
#ifndef PF_TUPLES_TUPLES_H
#define PF_TUPLES_TUPLES_H

#include <permfst/base/vec.h>
#include <permfst/align/words.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a tuple ends. It begins where the tuple before it ends, the first at 0. */
typedef struct {
    uint32_t source_end; /* in the order */
    uint32_t target_end; /* in the target */
} pf_tuple;

typedef struct {
    PF_VEC(uint32_t) order; /* the source positions, from 0, as they are visited */
    PF_VEC(pf_tuple) tuple;
} pf_tuples; /* all zero: none */

/* Drops the tuples, keeps the memory. */
void pf_tuples_reset(pf_tuples *tuples);
void pf_tuples_free(pf_tuples *tuples);

/* Does every source word keep its place? */
bool pf_tuples_in_order(const pf_tuples *tuples);

/* The source words as they are visited: those of tuple k are to->at[source_end of k - 1 .. source_end of k). They point where
 * those of `source` point. PF_ENOMEM. O(words). */
pf_err pf_tuples_reorder(const pf_tuples *tuples, const pf_words *source, pf_words *to);

#ifdef __cplusplus
}
#endif
#endif
