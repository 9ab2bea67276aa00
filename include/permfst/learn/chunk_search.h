/* The order of least cost of pairs and of chunks in any space: what chunk_decoder.h finds for itg.
 *
 * The loss of two neighbours needs the rank of the word visited last, so a state is a state of the constraint with that rank. The
 * search takes states in the order of their costs (Dijkstra 1959). A word pays for its pairs with all words that come later when
 * it is visited, and of the two orders of a pair the better one costs nothing: so the costs that are still to come are at least 0,
 * and a path that looks good is followed to its end. All in whole numbers: the answer is exact. The search is exponential at
 * worst, as the space is. */
#ifndef PF_LEARN_CHUNK_SEARCH_H
#define PF_LEARN_CHUNK_SEARCH_H

#include <permfst/base/heap.h>
#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A path to a state. */
typedef struct {
    int64_t cost;
    uint32_t state, before;     /* the path that it goes on with; UINT32_MAX: none */
    uint32_t position, covered; /* visited last; how many were visited */
} pf_chunk_path;

/* Memory that is kept; all zero: none. */
typedef struct {
    pf_statetab states;
    pf_heap open;
    PF_VEC(pf_chunk_path) path;
    PF_VEC(int64_t) least; /* to each state, so far */
} pf_chunk_search;
void pf_chunk_search_free(pf_chunk_search *search);

/* Finds what pf_chunk_decode finds, among the orders of `space`, a specification of constraints. PF_EARG: no such space;
 * PF_EINPUT: it has no order of this many words; PF_ELIMIT: too many states; PF_ENOMEM. O(states moves length), and the states of
 * wide spaces, as none, grow exponentially with the length. */
pf_err pf_chunk_search_best(pf_chunk_search *search, const char *space, const int64_t *cost, const uint32_t *rank, int64_t loss,
                            unsigned length, uint32_t *order);

#ifdef __cplusplus
}
#endif
#endif
