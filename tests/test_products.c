/* Products over (min, +): both ways give the bits of the definition, so a chart finds the same bounds on every processor. */
#include "chart/products.h"
#include "draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 24, GAP = 6, STRIDE = 40, CASES = 4000 }; /* so many rows, sums and columns, and no larger gap */

/* Numbers whose sums are rounded, of both signs, equal ones, both zeros, and nothing (INFINITY). */
static float draw_cost(uint64_t *seed) {
    switch (draw(seed, 8)) {
    case 0: return INFINITY;
    case 1: return draw(seed, 2) ? 0.0f : -0.0f;
    case 2: return (float)draw(seed, 3);
    case 3: return -(float)draw(seed, 1000000) / 7919.0f;
    default: return (float)draw(seed, 1000000) / 997.0f;
    }
}

typedef struct {
    float one[STRIDE * STRIDE], other[STRIDE * STRIDE], to[STRIDE * STRIDE], want[STRIDE * STRIDE];
    pfi_min_product product;
} product_case;

static size_t rounded_up(size_t columns) { return (columns + PFI_PRODUCT_COLUMNS - 1) / PFI_PRODUCT_COLUMNS * PFI_PRODUCT_COLUMNS; }

static pfi_gapped draw_gapped(uint64_t *seed) { return (pfi_gapped){draw(seed, MOST), draw(seed, MOST), draw(seed, GAP)}; }

/* The first matrix lies by rows or by columns, as the chart's two halves of a node do. */
static void draw_case(uint64_t seed, product_case *out) {
    const bool by_columns = draw(&seed, 2);
    for (size_t i = 0; i < STRIDE * STRIDE; i++) {
        out->one[i] = draw_cost(&seed);
        out->other[i] = draw_cost(&seed);
        out->to[i] = draw(&seed, 3) ? INFINITY : draw_cost(&seed);
    }
    out->product = (pfi_min_product){
        .one = out->one, .other = out->other, .to = out->to,
        .row_step = by_columns ? 1 : STRIDE, .sum_step = by_columns ? STRIDE : 1,
        .other_stride = STRIDE, .to_stride = STRIDE, .rows = draw_gapped(&seed), .sums = draw_gapped(&seed),
        .columns = draw(&seed, MOST), .cost = draw(&seed, 3) ? draw_cost(&seed) : 0,
    };
}

/* Does a number stand for something, and is it not in the gap? */
static bool is_taken(const pfi_gapped *of, size_t number) {
    const bool before = number < of->gap_at;
    return before ? number < of->n : number >= of->gap_at + of->gap && number - of->gap < of->n;
}

/* The definition, in single precision: the cost is added to the least sum. Of equal numbers (0 and -0) the first one stays. */
static void multiply(const pfi_min_product *how, const float *from, float *want) {
    memcpy(want, from, STRIDE * STRIDE * sizeof *want);
    for (size_t i = 0; i < STRIDE; i++)
        for (size_t j = 0; j < how->columns && is_taken(&how->rows, i); j++) {
            float least = INFINITY;
            for (size_t k = 0; k < STRIDE; k++) {
                if (!is_taken(&how->sums, k)) continue;
                const float sum = how->one[i * how->row_step + k * how->sum_step] + how->other[k * how->other_stride + j];
                if (sum < least) least = sum;
            }
            if (least + how->cost < want[i * how->to_stride + j]) want[i * how->to_stride + j] = least + how->cost;
        }
}

/* The product is right, and nothing is written beyond the columns that are taken at a time. */
static void expect_product(product_case *made, const float *before) {
    const pfi_min_product *how = &made->product;
    for (size_t i = 0; i < STRIDE; i++) {
        const size_t written = is_taken(&how->rows, i) ? rounded_up(how->columns) : 0;
        const size_t meant = is_taken(&how->rows, i) ? how->columns : 0;
        assert_memory_equal(made->to + i * STRIDE, made->want + i * STRIDE, meant * sizeof *made->to);
        assert_memory_equal(made->to + i * STRIDE + written, before + i * STRIDE + written, (STRIDE - written) * sizeof *made->to);
    }
}

/* The least sum of two rows and where it is first, by both ways; the least one alone. */
static void expect_least_sum(const float *one, const float *other, size_t n) {
    size_t want = 0, at[2];
    for (size_t k = 1; k < n; k++)
        if (one[k] + other[k] < one[want] + other[want]) want = k;
    const float least = one[want] + other[want];
    assert_true(pfi_least_sum(one, other, n, &at[0]) == least && pfi_least_sum_plain(one, other, n, &at[1]) == least);
    assert_true(pfi_least_sum(one, other, n, NULL) == least && pfi_least_sum_plain(one, other, n, NULL) == least);
    assert_true(at[0] == want && at[1] == want);
}

static void least_sums_are_the_definition(void **state) {
    enum { N = 6 * PFI_PRODUCT_COLUMNS };
    float one[N], other[N];
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        uint64_t at = seed;
        const size_t n = (1 + draw(&at, 6)) * PFI_PRODUCT_COLUMNS;
        for (size_t k = 0; k < n; k++) {
            one[k] = draw_cost(&at);
            other[k] = draw(&at, seed % 3 ? 2 : 9) ? draw_cost(&at) : INFINITY;
        }
        expect_least_sum(one, other, n);
    }
}

static void both_ways_are_the_definition(void **state) {
    static product_case c;
    static float before[STRIDE * STRIDE], plain[STRIDE * STRIDE];
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        draw_case(seed, &c);
        memcpy(before, c.to, sizeof before);
        multiply(&c.product, before, c.want);
        pfi_min_product_plain(&c.product);
        expect_product(&c, before);
        memcpy(plain, c.to, sizeof plain);
        memcpy(c.to, before, sizeof before);
        pfi_min_product_take(&c.product);
        expect_product(&c, before);
        assert_memory_equal(plain, c.to, sizeof plain); /* also what means nothing */
    }
}

/* Where the processor has them, the wide instructions were taken, so that the test above compared two ways. */
static void the_test_says_what_it_compared(void **state) {
    (void)state;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) return;
#endif
    print_message("SKIP: this processor has no AVX2: only the plain way was taken\n");
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways_are_the_definition),
                                       cmocka_unit_test(least_sums_are_the_definition),
                                       cmocka_unit_test(the_test_says_what_it_compared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
