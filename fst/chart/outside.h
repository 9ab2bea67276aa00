/* A coarse chart, whose costs bound what an order costs outside of a span. Private to the chart.
 *
 * It knows of a history only the word visited last, and takes the least that each word costs after it in any history of the
 * sentence (pieces.h). So it is a chart of a bigram model over the alternatives of the slots, in which node costs and costs of
 * positions are exact: inside costs (for a span, the word before it and its last word) by dynamic programming over spans, and
 * outside costs (Goodman 1998; Klein & Manning 2003, "A* parsing") from the whole sentence down. Where the models look at one
 * word before a word, it is exact.
 *
 * A span's costs are a matrix, and to join two spans is a product of matrices over (min, +): the word before the first span, the
 * word between them, the last word. So each product joins over one boundary at a time, which is what the hook trick does (Huang,
 * Zhang & Gildea 2005). O(n^6 / 180) for n words inside, twice that outside; without words, where the bound is the least
 * cost of each word anywhere, a span is one number and the time is O(n^3) (narrow.c). */
#ifndef PF_CHART_OUTSIDE_H
#define PF_CHART_OUTSIDE_H

#include "chart/pieces.h"
#include "chart/products.h"

#include <permfst/search/best.h>

enum { PFI_OUTSIDE_TOGETHER = PFI_PRODUCT_COLUMNS };

typedef struct {
    const pfi_pieces *pieces;
    const pfi_shape *shape;
    bool wide;             /* as pieces->wide */
    uint32_t arcs;         /* alternatives of all slots; the number of the start among words before a span */
    const uint32_t *first; /* of each slot */
    size_t numbers;        /* wide: of each matrix, all together */
    size_t *at;            /* wide: of each span, by i * (n + 1) + k: where its matrix begins, in both; NULL */
    float *inside;         /* row: the alternative before the span; column: the last one, in it */
    float *outside;        /* of the same: what all else costs, the end included */
    float *turned;         /* scratch: the inside costs; row: the last alternative; column: the one before the span */
    double *outer;         /* of each span, as `at`: the least outside cost of it */
    double *through;       /* and of it and its inside: no order that has it as a block costs less; INFINITY: not looked at */
    double best;           /* no order costs less */
    double beyond;         /* nor does one over a span that was not looked at, less than this */
    double slack;          /* by how much rounding can raise a bound */
} pfi_outside;

/* How many additions it takes to tell words apart, and how many bytes at most. */
double pfi_outside_work(const pf_slots_view *slots);
uint64_t pfi_outside_room(const pf_slots_view *slots);

/* The bytes that it takes. */
uint64_t pfi_outside_bytes(const pfi_outside *outside);

/* `within`: spans are not looked at through which all orders cost more than the best one and so much (and rounding). INFINITY: all
 * are; so they are where words are told apart. pfi_outside_free is to be called after an error, too. PF_ELIMIT: the time is over
 * (asked of the options). */
pf_err pfi_outside_init(pfi_outside *outside, const pfi_pieces *pieces, const pf_best_options *options, double within);
void pfi_outside_free(pfi_outside *outside);

/* Fills what belongs to spans that are one number: all but the slack. */
pf_err pfi_outside_narrow(pfi_outside *outside, const pf_best_options *options, double within);

/* The columns of the alternatives of i .. k-1, with those that fill up the last few. */
static inline uint32_t pfi_columns_of(const uint32_t *first, unsigned i, unsigned k) {
    return (first[k] - first[i] + PFI_OUTSIDE_TOGETHER - 1) / PFI_OUTSIDE_TOGETHER * PFI_OUTSIDE_TOGETHER;
}

/* Where words are told apart: the matrix of a span, pfi_outside_columns() for each row, of which those beyond the alternatives of
 * the span mean nothing. */
static inline const float *pfi_outside_of(const pfi_outside *outside, unsigned i, unsigned k) {
    return &outside->outside[outside->at[i * (outside->shape->n + (size_t)1) + k]];
}
static inline uint32_t pfi_outside_columns(const pfi_outside *outside, unsigned i, unsigned k) {
    return pfi_columns_of(outside->first, i, k);
}

#endif
