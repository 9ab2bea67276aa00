/* The pairs of a grid, row by row: both ways give those of the definition, and no pair that is dropped costs less than they say.
 * The first pairs of many: both ways give the same, and those that sorting gives. */
#include "chart/first_pairs.h"
#include "draw.h"
#include "values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 60, BEYOND = 3, KINDS = 7, PAIRS = 4000, CASES = 20000 };

/* Some are equal. */
static double draw_cost(uint64_t *seed) { return draw(seed, 3) ? (double)draw(seed, 100000) / 9973 : (double)draw(seed, 10); }

typedef struct {
    double total[MOST + BEYOND], least[MOST + BEYOND], more[MOST + BEYOND], inner[MOST + BEYOND];
    uint32_t row[MOST + BEYOND], last[MOST + BEYOND];
} list_numbers;

typedef struct {
    list_numbers list[2];
    float after[KINDS * KINDS], rest[KINDS * KINDS];
    uint32_t near[MOST];
    pfi_grid_rows rows;
} grid_case;

/* Sums of `total` and `more` grow. */
static pfi_list_costs draw_list(uint64_t *seed, list_numbers *to) {
    const uint32_t n = 1 + draw(seed, MOST);
    double sum[MOST], least = (double)INFINITY;
    memset(to, 0, sizeof *to);
    for (uint32_t i = 0; i < n; i++) sum[i] = draw_cost(seed);
    qsort(sum, n, sizeof *sum, by_value);
    for (uint32_t i = n; i-- > 0;) {
        to->more[i] = draw(seed, 2) ? 0 : draw_cost(seed) / 8;
        to->total[i] = sum[i] - to->more[i];
        while (i + 1 < n && to->total[i] + to->more[i] > to->total[i + 1] + to->more[i + 1]) to->total[i] -= 1e-9;
        to->least[i] = least = fmin(least, to->total[i]);
        to->inner[i] = draw_cost(seed) / 4;
        to->row[i] = draw(seed, KINDS);
        to->last[i] = draw(seed, KINDS);
    }
    for (uint32_t i = n; i < n + BEYOND; i++) to->row[i] = to->last[i] = draw(seed, KINDS);
    return (pfi_list_costs){to->total, to->least, to->more, to->inner, to->row, to->last, n, 0};
}

static void draw_case(uint64_t seed, grid_case *out) {
    const unsigned beam = 1 + draw(&seed, 2 * MOST);
    const size_t most_rows = beam / PFI_NEAR > PFI_CORNER ? beam / PFI_NEAR : PFI_CORNER;
    const bool corner = draw(&seed, 3) == 0;
    for (unsigned x = 0; x < KINDS * KINDS; x++) {
        out->after[x] = (float)draw_cost(&seed);
        out->rest[x] = draw(&seed, 9) ? (float)draw_cost(&seed) : INFINITY;
    }
    for (unsigned i = 0; i < MOST; i++) out->near[i] = (uint32_t)pfi_grid_near(beam, i);
    out->rows = (pfi_grid_rows){
        .first = draw_list(&seed, &out->list[0]), .second = draw_list(&seed, &out->list[1]), .after = out->after, .rest = out->rest,
        .kinds = KINDS, .cost = draw_cost(&seed) / 8, .limit = draw(&seed, 3) ? 2 * draw_cost(&seed) : (double)INFINITY,
        .worth = draw(&seed, 3) ? 2 * draw_cost(&seed) : (double)INFINITY, .near = out->near, .corner = corner,
        .grid = draw(&seed, 9),
        .room = draw(&seed, 2) ? PAIRS : MOST + draw(&seed, MOST), .most = 1 + draw(&seed, 4 * MOST),
        .dropped = draw(&seed, 2) ? (double)INFINITY : draw_cost(&seed)};
    const size_t rows = corner ? PFI_CORNER : most_rows;
    out->rows.rows = out->rows.first.n < rows ? out->rows.first.n : (uint32_t)rows;
    out->rows.low_rows = draw(&seed, 2) ? draw(&seed, out->rows.rows + 1) : 0;
    out->rows.low_columns = draw(&seed, MOST);
}

/* The definition, pair by pair. */
static void take_pair(pfi_grid_rows *grid, uint32_t i, uint32_t k) {
    const double bound = grid->first.inner[i] + grid->second.inner[k] + grid->cost +
        (double)grid->after[grid->first.last[i] * KINDS + grid->second.row[k]] +
        (double)grid->rest[grid->first.row[i] * KINDS + grid->second.last[k]];
    const bool kept = bound <= grid->limit && bound + grid->first.more[i] < grid->worth;
    if (kept) grid->pair[grid->n++] = (pfi_grid_pair){bound + grid->first.more[i], bound, grid->grid, i, k};
    else if (bound <= grid->limit) grid->dropped = fmin(grid->dropped, bound);
}

static void define(pfi_grid_rows *grid) {
    for (; grid->row < grid->rows && grid->first.total[grid->row] + grid->first.more[grid->row] < grid->worth
           && grid->n < grid->most; grid->row++) {
        uint32_t from, to;
        pfi_grid_columns(grid, grid->row, &from, &to);
        uint32_t end = grid->row + 1;
        while (end < grid->rows && grid->row >= PFI_CORNER && (end - PFI_CORNER) % PFI_TOGETHER) end++;
        if (grid->n + (end - grid->row) * (to - from) > grid->room) return;
        for (uint32_t k = from; k < to; k++)
            for (uint32_t i = grid->row; i < end; i++) take_pair(grid, i, k);
        for (uint32_t i = grid->row; i < end; i++) {
            const double next = !grid->corner && to < grid->second.n
                ? fmax(grid->first.total[i], grid->second.least[to]) : (double)INFINITY;
            if (next <= grid->limit) grid->dropped = fmin(grid->dropped, next);
            grid->columns += to;
        }
        grid->row = end - 1;
    }
}

static void expect_same(const pfi_grid_rows *one, const pfi_grid_rows *other) {
    assert_int_equal(one->n, other->n);
    assert_int_equal(one->row, other->row);
    assert_int_equal(one->columns, other->columns);
    assert_memory_equal(&one->dropped, &other->dropped, sizeof one->dropped);
    for (size_t i = 0; i < one->n; i++) {
        const pfi_grid_pair *x = &one->pair[i], *y = &other->pair[i];
        assert_true(x->rank == y->rank && x->bound == y->bound);
        assert_true(x->grid == y->grid && x->x == y->x && x->y == y->y);
    }
}

static void both_ways_are_the_definition(void **state) {
    static grid_case c;
    static pfi_grid_pair want[PAIRS], plain[PAIRS], found[PAIRS];
    size_t kept = 0, ended = 0;
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        draw_case(seed, &c);
        pfi_grid_rows definition = c.rows, plainly = c.rows, fast = c.rows;
        definition.pair = want;
        plainly.pair = plain;
        fast.pair = found;
        define(&definition);
        pfi_grid_rows_plain(&plainly);
        pfi_grid_rows_take(&fast);
        expect_same(&definition, &plainly);
        expect_same(&definition, &fast);
        kept += definition.n;
        ended += definition.row < definition.rows;
    }
    assert_true(kept > CASES && ended > CASES / 10 && ended < CASES);
}

static int by_rank(const void *first, const void *second) {
    return by_value(&((const pfi_grid_pair *)first)->rank, &((const pfi_grid_pair *)second)->rank);
}

static int by_place(const void *first, const void *second) {
    const pfi_grid_pair *one = first, *other = second;
    return (one->x > other->x) - (one->x < other->x);
}

/* Of few ranks many pairs are equal. */
static void draw_pairs(uint64_t *seed, size_t n, pfi_grid_pair *to) {
    const unsigned ranks = draw(seed, 3) ? 1 + draw(seed, 5) : 1000000;
    for (size_t i = 0; i < n; i++) {
        const double rank = (double)draw(seed, ranks) / 7 - 1;
        to[i] = (pfi_grid_pair){rank, -rank, draw(seed, 9), (uint32_t)i, draw(seed, MOST)};
    }
}

static void first_pairs_are_those_of_sorting(void **state) {
    static pfi_grid_pair drawn[PAIRS], sorted[PAIRS], plain[PAIRS], found[PAIRS];
    (void)state;
    for (uint64_t seed = 1; seed < CASES / 10; seed++) {
        uint64_t at = seed;
        const size_t n = draw(&at, draw(&at, 9) ? 9 + draw(&at, 500) : PAIRS), most = draw(&at, (unsigned)n + 1);
        draw_pairs(&at, n, drawn);
        memcpy(sorted, drawn, n * sizeof *sorted);
        memcpy(plain, drawn, n * sizeof *plain);
        memcpy(found, drawn, n * sizeof *found);
        qsort(sorted, n, sizeof *sorted, by_rank);
        pfi_first_pairs_plain(plain, n, most);
        pfi_first_pairs(found, n, most);
        for (size_t i = 0; i < n; i++) assert_true(plain[i].x == found[i].x && plain[i].y == found[i].y);
        for (size_t i = 0; i < n; i++)
            assert_true(i < most ? found[i].rank <= sorted[most - 1].rank : found[i].rank >= sorted[most].rank);
        qsort(found, n, sizeof *found, by_place); /* none is lost */
        for (size_t i = 0; i < n; i++) assert_true(found[i].x == i && found[i].rank == drawn[i].rank && found[i].y == drawn[i].y);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways_are_the_definition),
                                       cmocka_unit_test(first_pairs_are_those_of_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
