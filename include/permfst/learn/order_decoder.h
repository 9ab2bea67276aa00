/* The order of least cost of a sentence's pairs, in any space: by the chart of separable.h for itg, else by a search of the
 * permutation automaton (search/best.h) with weights `pairwise`.
 *
 * Decoding costs that of separable.h, or of the search. */
#ifndef PF_LEARN_ORDER_DECODER_H
#define PF_LEARN_ORDER_DECODER_H

#include <permfst/learn/separable.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *space;   /* a specification of constraints */
    double unit;         /* the costs are whole multiples of 1 / unit */
    uint64_t max_states; /* of a search, not of a chart; 0: no limit */
    pf_separable room;
    PF_VEC(double) cost;
} pf_order_decoder; /* pf_order_decoder_free */
void pf_order_decoder_free(pf_order_decoder *decoder);

/* PF_EARG: no such space. */
pf_err pf_order_decoder_init(pf_order_decoder *decoder, const char *space, double unit);

/* As pf_separable_best. *proven (NULL: not asked): is no order of the space better? None is, unless max_states ended the search.
 * PF_ELIMIT: the limit was met before there was an order. A search adds costs up in single precision, arc by arc. */
pf_err pf_order_decode(pf_order_decoder *decoder, const int64_t *cost, unsigned length, uint32_t *order, bool *proven);

#ifdef __cplusplus
}
#endif
#endif
