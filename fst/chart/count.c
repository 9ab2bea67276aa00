/* The numbers of orders of spans, from the shortest up: a node has as many as its sons have of the orientations that they may have
 * (forest.h). */
#include <permfst/chart/count.h>

#include "chart/forest.h"

#include <stdlib.h>

typedef struct {
    pfi_shape shape;
    mpz_t *span; /* by 3 (i * (n + 1) + k) + orientation, or PFI_ANY */
    mpz_t product;
    const pf_tally_options *options;
    uint64_t filled; /* spans */
} order_counts;

static mpz_t *span_of(const order_counts *c, unsigned i, unsigned k, unsigned which) {
    return &c->span[3 * (i * (c->shape.n + (size_t)1) + k) + which];
}

static void add_node(order_counts *c, unsigned i, unsigned j, unsigned k, unsigned orientation) {
    unsigned which[2];
    const unsigned left = orientation == PFI_STRAIGHT ? 0 : 1;
    pfi_shape_sons(&c->shape, orientation, i, j, k, which);
    mpz_mul(c->product, *span_of(c, i, j, which[left]), *span_of(c, j, k, which[!left]));
    mpz_add(*span_of(c, i, k, orientation), *span_of(c, i, k, orientation), c->product);
}

static pf_err fill_span(order_counts *c, unsigned i, unsigned k) {
    if (c->options->progress && c->filled % 1024 == 0) c->options->progress(c->options->self, c->filled);
    if (c->options->expired && c->filled++ % 64 == 0 && c->options->expired(c->options->self)) return pf_fail(PF_ELIMIT, "interrupted");
    for (unsigned j = i + 1; j < k; j++) {
        add_node(c, i, j, k, PFI_STRAIGHT);
        if (pfi_shape_inverts(&c->shape, i, j, k)) add_node(c, i, j, k, PFI_INVERTED);
    }
    mpz_add(*span_of(c, i, k, PFI_ANY), *span_of(c, i, k, PFI_STRAIGHT), *span_of(c, i, k, PFI_INVERTED));
    return PF_OK;
}

static pf_err fill_all(order_counts *c) {
    const unsigned n = c->shape.n;
    for (unsigned i = 0; i < n; i++)
        for (unsigned which = 0; which < 3; which++) mpz_set_ui(*span_of(c, i, i + 1, which), 1);
    for (unsigned length = 2; length <= n; length++)
        for (unsigned i = 0; i + length <= n; i++)
            if (pfi_shape_has(&c->shape, i, i + length)) PF_TRY(fill_span(c, i, i + length));
    return PF_OK;
}

static pf_err fill(order_counts *c, mpz_t count) {
    const unsigned n = c->shape.n;
    const size_t all = 3 * (n + (size_t)1) * (n + 1);
    if (!(c->span = malloc(all * sizeof *c->span))) return pf_nomem();
    for (size_t x = 0; x < all; x++) mpz_init(c->span[x]);
    pf_err err = fill_all(c);
    if (n) mpz_set(count, *span_of(c, 0, n, PFI_ANY));
    else mpz_set_ui(count, 1);
    for (size_t x = 0; x < all; x++) mpz_clear(c->span[x]);
    free(c->span);
    return err;
}

bool pf_chart_counts(const pf_con *con) {
    pfi_shape shape;
    const bool counts = pfi_shape_init(&shape, con, NULL, 1, NULL) == PF_OK;
    pfi_shape_free(&shape);
    return counts;
}

pf_err pf_chart_count(const pf_con *con, const pf_tally_options *options, mpz_t count) {
    order_counts c = {.options = options};
    pf_err err = pfi_shape_init(&c.shape, con, NULL, 1, NULL);
    mpz_init(c.product);
    if (!err) err = fill(&c, count);
    mpz_clear(c.product);
    pfi_shape_free(&c.shape);
    return err;
}
