/* The numbers of orders of spans, from the shortest up: a node has as many as its sons have of the orientations that they may have
 * (forest.h). */
#include <permfst/chart/count.h>

#include "chart/forest.h"

#include "base/contract.h"

#include <stdlib.h>

typedef struct {
    pfi_shape shape;
    mpz_t *span; /* by 3 (i * (n + 1) + k) + orientation, or PFI_ANY */
    mpz_t product;
    const pf_tally_options *options;
    uint64_t filled; /* spans */
} order_counts;

static mpz_t *span_of(const order_counts *counts, unsigned begin, unsigned end, unsigned which) {
    return &counts->span[3 * (begin * (counts->shape.n + (size_t)1) + end) + which];
}

static void add_node(order_counts *counts, unsigned begin, unsigned split, unsigned end, unsigned orientation) {
    unsigned which[2];
    const unsigned left = orientation == PFI_STRAIGHT ? 0 : 1;
    assert(begin < split && split < end && end <= counts->shape.n);
    pfi_shape_sons(&counts->shape, orientation, begin, split, end, which);
    mpz_mul(counts->product, *span_of(counts, begin, split, which[left]), *span_of(counts, split, end, which[!left]));
    mpz_add(*span_of(counts, begin, end, orientation), *span_of(counts, begin, end, orientation), counts->product);
}

static pf_err fill_span(order_counts *counts, unsigned begin, unsigned end) {
    if (counts->options->progress && counts->filled % 1024 == 0) counts->options->progress(counts->options->self, counts->filled);
    if (counts->options->expired && counts->filled++ % 64 == 0 && counts->options->expired(counts->options->self))
        return pf_fail(PF_ELIMIT, "interrupted");
    for (unsigned split = begin + 1; split < end; split++) {
        add_node(counts, begin, split, end, PFI_STRAIGHT);
        if (pfi_shape_inverts(&counts->shape, begin, split, end)) add_node(counts, begin, split, end, PFI_INVERTED);
    }
    mpz_add(*span_of(counts, begin, end, PFI_ANY), *span_of(counts, begin, end, PFI_STRAIGHT), *span_of(counts, begin, end,
        PFI_INVERTED));
    return PF_OK;
}

static pf_err fill_all(order_counts *counts) {
    const unsigned words = counts->shape.n;
    for (unsigned begin = 0; begin < words; begin++)
        for (unsigned which = 0; which < 3; which++) mpz_set_ui(*span_of(counts, begin, begin + 1, which), 1);
    for (unsigned length = 2; length <= words; length++)
        for (unsigned begin = 0; begin + length <= words; begin++)
            if (pfi_shape_has(&counts->shape, begin, begin + length)) PF_TRY(fill_span(counts, begin, begin + length));
    return PF_OK;
}

static pf_err fill(order_counts *counts, mpz_t count) {
    const unsigned words = counts->shape.n;
    const size_t all = 3 * (words + (size_t)1) * (words + 1);
    if (!(counts->span = malloc(all * sizeof *counts->span))) return pf_nomem();
    for (size_t at = 0; at < all; at++) mpz_init(counts->span[at]);
    pf_err err = fill_all(counts);
    if (words) mpz_set(count, *span_of(counts, 0, words, PFI_ANY));
    else mpz_set_ui(count, 1);
    for (size_t at = 0; at < all; at++) mpz_clear(counts->span[at]);
    free(counts->span);
    return err;
}

bool pf_chart_counts(const pf_con *con) {
    pfi_shape shape;
    const bool counts = pfi_shape_init(&shape, con, NULL, 1, NULL) == PF_OK;
    pfi_shape_free(&shape);
    return counts;
}

pf_err pf_chart_count(const pf_con *con, const pf_tally_options *options, mpz_t count) {
    order_counts counts = {.options = options};
    pf_err err = pfi_shape_init(&counts.shape, con, NULL, 1, NULL);
    mpz_init(counts.product);
    if (!err) err = fill(&counts, count);
    mpz_clear(counts.product);
    pfi_shape_free(&counts.shape);
    return err;
}
