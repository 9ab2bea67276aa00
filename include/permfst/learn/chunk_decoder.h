/* The separable order of least cost of pairs and of chunks: a chart over spans whose items know the ranks of their first and last
 * words (as lader decodes with a loss, Neubig et al. 2012).
 *
 * Two items of a span differ, in what they cost together with the words around them, by at most two neighbours that are chunks for
 * one and not for the other. So an item that costs more than the best one of its span and two losses is in no best order: it is
 * left out, and the answer stays exact. Time O(n^3) times the pairs of items that are left. */
#ifndef PF_LEARN_CHUNK_DECODER_H
#define PF_LEARN_CHUNK_DECODER_H

#include <permfst/base/err.h>
#include <permfst/base/vec.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int64_t cost;
    uint32_t first, last;   /* ranks */
    uint32_t left, right;   /* the items that it joins, and in which order; of a word: its position in both */
    uint32_t split;         /* 0: it is a word */
    uint32_t inverted;
} pf_chunk_item;

/* Memory that is kept; all zero: none. */
typedef struct {
    PF_VEC(pf_chunk_item) item; /* those of a span lie side by side, the cheapest first */
    PF_VEC(uint32_t) begin;     /* of span i .. k-1 at 2 (i (n + 1) + k): its items, begin and end */
    PF_VEC(int64_t) sum;
    PF_VEC(uint32_t) place;     /* of a pair of ranks, in the span that is being filled */
    PF_VEC(pf_chunk_item) open;
} pf_chunk_decoder;
void pf_chunk_decoder_free(pf_chunk_decoder *decoder);

/* Finds the best order as pf_separable_best does, where each two neighbours of the order also cost `loss`, unless the rank of the
 * second is that of the first or the next one. Before the order is rank -1; after it is the largest rank plus 1. Each rank from 0
 * to the largest is that of some word. Among orders of equal cost it always takes the same one. PF_ELIMIT, PF_ENOMEM. */
pf_err pf_chunk_decode(pf_chunk_decoder *decoder, const int64_t *cost, const uint32_t *rank, int64_t loss, unsigned length,
                       uint32_t *order);

#ifdef __cplusplus
}
#endif
#endif
