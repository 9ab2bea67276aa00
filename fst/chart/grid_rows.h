/* The pairs of a grid, row by row, where bounds know which words meet (nodes.c). Private to the chart. */
#ifndef PF_CHART_GRID_ROWS_H
#define PF_CHART_GRID_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PFI_CORNER = 2, /* so many rows and columns of each grid are looked at first: they tell which pairs are not worth a look */
    PFI_NEAR = 6,   /* beyond the corner row i, from 1, has a look at its first beam / (PFI_NEAR i) pairs. If costs grew along rows
                       and columns, pair (i, k) would come after i k - 1 others; so few of the pairs that are not looked at are
                       among the first */
    PFI_TOGETHER = 4 /* so many rows after the corner look at the same columns, as many as the second one of them would */
};

/* What is asked of every pair of a list's items lies by itself, one number after another. A list is in the order of the sums of
 * `total` and `more`. There is memory for 3 items more, whose `row` and `last` are kinds. */
typedef struct {
    const double *total; /* no order with the item costs less; or, for other lists than those of a beam, `inner` with the bound of
                            the first pending word */
    const double *least; /* the least total of it and of those after it */
    const double *more;  /* by how much more orders are guessed to cost */
    const double *inner; /* its cost, with the bound of its pending words but the first */
    const uint32_t *row, *last; /* as in the item */
    uint32_t n;
    uint32_t low; /* so many come before all those whose `total` is not low (nodes.c) */
} pfi_list_costs;

/* A pair of a grid. No order with it costs less than `bound`; `rank` is what orders are guessed to cost. */
typedef struct {
    double rank, bound;
    uint32_t grid, x, y;
} pfi_grid_pair;

/* The bound of a pair is the sum of both `inner`, `cost`, what the first word of the second item costs after the last one of the
 * first item, and what all else costs. */
typedef struct {
    pfi_list_costs first, second;
    const float *after, *rest; /* kinds x kinds: by `last` of the first item and `row` of the second one; by the others */
    size_t kinds;
    double cost, limit;   /* pairs of a higher bound are of no use */
    double worth;         /* pairs of no less rank are dropped */
    const uint32_t *near; /* of each row: how many columns are looked at beyond the corner (pfi_grid_near) */
    uint32_t rows;        /* that are looked at */
    uint32_t low_rows, low_columns; /* beyond the corner: the first rows, and columns of them, that are all looked at */
    bool corner;          /* the corner, or what is beyond it */
    uint32_t grid;
    /* What is known so far. */
    uint32_t row;         /* the next one */
    size_t columns;       /* of the rows before it, to the last one that is looked at */
    pfi_grid_pair *pair;
    size_t n, room;       /* of pairs */
    size_t most;          /* rows end where there are so many */
    double dropped;       /* nothing that is dropped costs less */
} pfi_grid_rows;

/* The first of the rows that a row is looked at with. */
static inline uint32_t pfi_grid_first(uint32_t row) {
    return row < PFI_CORNER ? row : PFI_CORNER + (row - PFI_CORNER) / PFI_TOGETHER * PFI_TOGETHER;
}

/* How many columns of a row are looked at, beyond the corner, where the beam is so wide. */
static inline size_t pfi_grid_near(size_t beam, uint32_t row) {
    const size_t place = row < PFI_CORNER ? row + (size_t)1 : pfi_grid_first(row) + (size_t)2;
    return beam / (PFI_NEAR * place);
}

/* Columns of a row from `from` to `to` are looked at. */
static inline void pfi_grid_columns(const pfi_grid_rows *grid, uint32_t row, uint32_t *from, uint32_t *to) {
    const uint32_t n = grid->second.n, inside = row >= PFI_CORNER ? 0 : n < PFI_CORNER ? n : PFI_CORNER;
    *from = grid->corner ? 0 : inside;
    *to = inside;
    if (grid->corner) return;
    const bool low = pfi_grid_first(row) < grid->low_rows && grid->low_columns > grid->near[row];
    const uint32_t near = low ? grid->low_columns : grid->near[row];
    *to = near < inside ? inside : near < n ? near : n;
}

/* Goes on until all rows are done, one has no pair that is worth a look, there are the most pairs, or there is no room for those of
 * the rows that are taken together next. Four pairs at a time where the processor can (AVX2); the plain way gives the same. */
void pfi_grid_rows_take(pfi_grid_rows *grid);
void pfi_grid_rows_plain(pfi_grid_rows *grid);

#endif
