/* Nodes: the pairs of items that are joined.
 *
 * Without a beam, all pairs are joined that a bound does not rule out: the two costs, the least cost of the join, and the outside
 * cost of the span. Lists are in order of cost, so that most pairs are never looked at. With a beam, the pairs of each node are a
 * grid, and the first pairs of all grids are joined, in the order of what orders with them are guessed to cost: what cube pruning
 * does (Huang & Chiang 2007). But there the pairs are popped from a heap, one neighbour after another, as if costs grew along rows
 * and columns. They do so where a pair costs what its two items do. Where the bound knows which words meet, it does not grow: one
 * pair of words that never meet kept all pairs after it out of the heap. So pairs are looked at row by row, as far as the bounds
 * of their items are worth it, and the first of them are selected. With guessed left sides (pieces.h) only those items meet that
 * fit. */
#include "chart/first_pairs.h"
#include "chart/pass_impl.h"

#include "base/contract.h"

#include <math.h>
#include <stdlib.h>

/* ---- one pair ---- */

/* The two as a run, or as a node of a tree. */
static pf_err offer_node(pfi_chart_filler *pass, const pfi_node_grid *grid, const pfi_listed_item *x, const pfi_listed_item *y,
                         const pfi_piece_sides *sides, double joined, bool run) {
    const pfi_tree_edge edge = {x->item, y->item, PFI_NONE, PFI_NONE, joined + (grid->cost + grid->beyond[run])};
    return pfi_pass_offer(pass, sides, (pfi_item_form){run, false}, grid->orientation, &edge, x->cost + y->cost + edge.cost);
}

static pf_err join(pfi_chart_filler *pass, const pfi_node_grid *grid, uint32_t i, uint32_t k) {
    const pfi_listed_item *x = &grid->first.item[i], *y = &grid->second.item[k];
    const bool run = grid->orientation == PFI_STRAIGHT && x->run && y->run;
    pfi_piece_sides sides;
    double joined;
    assert(grid->orientation <= PFI_INVERTED && i < grid->first.costs.n && k < grid->second.costs.n);
    PF_TRY(pfi_pieces_join(pass->pieces, &x->sides, &y->sides, &sides, &joined));
    if (run) PF_TRY(offer_node(pass, grid, x, y, &sides, joined, true));
    return !run || grid->beyond[false] < grid->beyond[true] ? offer_node(pass, grid, x, y, &sides, joined, false) : PF_OK;
}

/* No order with item i of the first list and item k of the second one, one after the other, costs less. */
static double pair_bound(pfi_chart_filler *pass, const pfi_node_grid *grid, uint32_t i, uint32_t k) {
    const pfi_pieces *pieces = pass->pieces;
    const pfi_list_costs *first = &grid->first.costs, *second = &grid->second.costs;
    if (!pass->outside->wide) return first->total[i] + second->total[k] + grid->cost + pass->outer;
    double sum = first->inner[i] + second->inner[k] + grid->cost;
    if (!pieces->guesses) sum += (double)pieces->after[(size_t)first->last[i] * pieces->kinds.n + second->row[k]];
    return sum + pfi_pass_rest(pass, first->row[i], second->last[k]);
}

/* ---- all pairs ---- */

static pf_err join_all(pfi_chart_filler *pass, const pfi_node_grid *grid) {
    const double beyond = grid->cost + pass->outer, *total = grid->first.costs.total, *least = grid->second.costs.least;
    for (uint32_t i = 0; i < grid->first.costs.n; i++) {
        const double most = pass->limit - beyond - total[i];
        uint32_t k = 0;
        if (total[i] + least[0] + beyond > pass->limit) break;
        for (; k < grid->second.costs.n && least[k] <= most; k++)
            if (pair_bound(pass, grid, i, k) <= pass->limit) PF_TRY(join(pass, grid, i, k));
        PF_TRY(pfi_pass_steps(pass, k + (size_t)1));
    }
    return PF_OK;
}

/* The second items are by the place before them, and then in order. */
static pf_err join_meeting(pfi_chart_filler *pass, const pfi_node_grid *grid) {
    const pfi_listed_item *first = grid->first.item, *second = grid->second.item;
    const uint32_t n = grid->second.costs.n;
    for (uint32_t k = n; k-- > 0;) pass->meets[second[k].sides.left] = k;
    for (uint32_t i = 0; i < grid->first.costs.n; i++) {
        const uint32_t place = first[i].sides.place;
        PF_TRY(pfi_pass_step(pass));
        if (place >= pass->places || pass->meets[place] == PFI_NONE) continue;
        uint32_t k = pass->meets[place];
        for (; k < n && second[k].sides.left == place; k++)
            if (pair_bound(pass, grid, i, k) <= pass->limit) PF_TRY(join(pass, grid, i, k));
        PF_TRY(pfi_pass_steps(pass, k - pass->meets[place]));
    }
    for (uint32_t k = 0; k < n; k++) pass->meets[second[k].sides.left] = PFI_NONE;
    return PF_OK;
}

/* ---- the best pairs of all grids ---- */

/* A wide beam joins one pair for each item. */
enum { FEW_PAIRS = 128 };

/* So many pairs are joined. Some make the same item. Where bounds do not know which words meet, the first pairs are often not the
 * best ones, so there are two for each item that the beam keeps; so there are in a narrow beam, where they take little time. */
static size_t most_joined(const pfi_chart_filler *pass) {
    const size_t beam = pass->how->beam;
    if (!pass->outside->wide || beam <= FEW_PAIRS / 2) return 2 * beam;
    return beam > FEW_PAIRS ? beam : FEW_PAIRS;
}

/* Pairs are not looked at, and no order with one of them costs less. */
static void drop_above(pfi_chart_filler *pass, double least) {
    if (least <= pass->limit) pfi_pass_drop(pass, least);
}

/* Pairs that come after the first `most` ones are dropped, and from now on not looked for. */
static void keep_first_pairs(pfi_chart_filler *pass, size_t most) {
    const size_t n = pass->pairs.n;
    if (n <= most) return;
    pfi_first_pairs(pass->pairs.at, n, most);
    for (const pfi_grid_pair *pair = pass->pairs.at + most; pair < pass->pairs.at + n; pair++) {
        if (pair->rank < pass->worth) pass->worth = pair->rank;
        pfi_pass_drop(pass, pair->bound);
    }
    pass->pairs.n = most;
}

/* A division of each row of each grid would take longer than a look at its columns. */
static pf_err know_near(pfi_chart_filler *pass, uint32_t rows) {
    for (size_t i = pass->near.n; i < rows; i++) {
        const size_t near = pfi_grid_near(pass->how->beam, (uint32_t)i);
        PF_TRY(PF_PUSH(&pass->near, near < UINT32_MAX ? (uint32_t)near : UINT32_MAX));
    }
    return PF_OK;
}

/* Where a pair costs what its items do. */
static double plain_bound(const pfi_grid_rows *rows, double outer, uint32_t i, uint32_t k) {
    return rows->first.total[i] + rows->second.total[k] + rows->cost + outer;
}

/* As pfi_grid_rows_take. There the costs of pairs grow along rows, and along columns. */
static void take_plain_rows(pfi_grid_rows *rows, double outer) {
    for (; rows->row < rows->rows && plain_bound(rows, outer, rows->row, 0) < rows->worth; rows->row++) {
        uint32_t k, to;
        pfi_grid_columns(rows, rows->row, &k, &to);
        if (rows->n >= rows->most || rows->n + (to - k) > rows->room) return;
        rows->columns += to;
        for (; k < to; k++) {
            const double bound = plain_bound(rows, outer, rows->row, k);
            if (bound > rows->limit || bound >= rows->worth) break;
            rows->pair[rows->n++] = (pfi_grid_pair){bound, bound, rows->grid, rows->row, k};
        }
        if (k == rows->second.n || (rows->corner && k == to)) continue;
        const double bound = plain_bound(rows, outer, rows->row, k);
        if (bound <= rows->limit && bound < rows->dropped) rows->dropped = bound;
    }
}

/* Has no other row a pair that is worth a look? */
static bool is_done(const pfi_chart_filler *pass, const pfi_grid_rows *rows) {
    if (rows->row == rows->rows) return true;
    if (!pass->outside->wide) return plain_bound(rows, pass->outer, rows->row, 0) >= pass->worth;
    return rows->first.total[rows->row] + rows->first.more[rows->row] >= pass->worth;
}

/* Some rows of a grid, one at least. */
static pf_err look_at_rows(pfi_chart_filler *pass, pfi_grid_rows *rows) {
    const size_t had = rows->columns;
    PF_TRY(PF_ROOM(&pass->pairs, PFI_TOGETHER * (size_t)rows->second.n));
    rows->pair = pass->pairs.at;
    rows->n = pass->pairs.n;
    rows->room = pass->pairs.cap;
    rows->worth = pass->worth;
    if (pass->outside->wide) pfi_grid_rows_take(rows);
    else take_plain_rows(rows, pass->outer);
    pass->pairs.n = rows->n;
    if (rows->n >= rows->most) keep_first_pairs(pass, most_joined(pass));
    return pfi_pass_steps(pass, rows->columns - had);
}

/* Pairs that are not looked at count as dropped, with the bounds of their items. Where these are low, they would be all that is
 * proven in the end, so those pairs are looked at. */
static void look_at_low(pfi_grid_rows *rows) {
    rows->low_rows = rows->first.low;
    rows->low_columns = rows->second.low;
    if (rows->low_columns && rows->low_rows > rows->rows) rows->rows = rows->low_rows;
}

/* Is nothing beyond corners looked at? A narrow beam looks at so few pairs, and only what is low (look_at_low) could be more. */
static bool is_all_corners(const pfi_chart_filler *pass) {
    return pass->outside->wide && pass->limit == (double)INFINITY && pass->how->beam / PFI_NEAR <= PFI_CORNER;
}

/* The corner of a grid, or what is beyond it. What is not looked at then is dropped in the last of these parts. */
static pf_err look_at_grid(pfi_chart_filler *pass, uint32_t number, bool corner, bool last) {
    const pfi_node_grid *grid = &pass->grids.at[number];
    const size_t beam = pass->how->beam, most = corner || beam / PFI_NEAR < PFI_CORNER ? PFI_CORNER : beam / PFI_NEAR;
    const uint32_t n = grid->first.costs.n;
    pfi_grid_rows rows = {
        .first = grid->first.costs, .second = grid->second.costs, .after = pass->pieces->after, .rest = pass->rest,
        .kinds = pass->pieces->kinds.n, .cost = grid->cost, .limit = pass->limit, .rows = n < most ? n : (uint32_t)most,
        .corner = corner, .grid = number, .most = 2 * most_joined(pass), .dropped = (double)INFINITY};
    if (!corner) look_at_low(&rows);
    PF_TRY(know_near(pass, rows.rows));
    rows.near = pass->near.at;
    while (!is_done(pass, &rows)) PF_TRY(look_at_rows(pass, &rows));
    drop_above(pass, rows.dropped);
    if (!last) return PF_OK;
    if (corner && rows.second.n > PFI_CORNER) drop_above(pass, fmax(rows.first.least[0], rows.second.least[PFI_CORNER]));
    if (rows.row == n) return PF_OK;
    drop_above(pass, pass->outside->wide ? rows.first.least[rows.row] : plain_bound(&rows, pass->outer, rows.row, 0));
    return PF_OK;
}

static int by_key(const void *first, const void *second) {
    const pfi_list_key *one = first, *other = second;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return (one->item > other->item) - (one->item < other->item);
}

/* The order in which grids are looked at. Where the first pair of a grid costs least, grids whose first pair costs less come first:
 * then nothing of the last ones is worth a look. Where bounds know which words meet, the first pair tells little, and the order is
 * that of splits. */
static pf_err order_grids(pfi_chart_filler *pass) {
    pass->keys.n = 0;
    PF_TRY(PF_ROOM(&pass->keys, pass->grids.n));
    for (uint32_t number = 0; number < pass->grids.n; number++) {
        const pfi_node_grid *grid = &pass->grids.at[number];
        const double least = grid->first.costs.total[0] + grid->second.costs.total[0] + grid->cost;
        pass->keys.at[pass->keys.n++] = (pfi_list_key){pass->outside->wide ? 0 : least, number, 0};
    }
    if (!pass->outside->wide) qsort(pass->keys.at, pass->keys.n, sizeof *pass->keys.at, by_key);
    return PF_OK;
}

/* The corners of all grids; then what is beyond them, if that is looked at. */
static pf_err look_at_grids(pfi_chart_filler *pass) {
    const unsigned last = is_all_corners(pass) ? 0 : 1;
    PF_TRY(order_grids(pass));
    for (unsigned part = 0; part <= last; part++) {
        for (uint32_t i = 0; i < pass->grids.n; i++) PF_TRY(look_at_grid(pass, pass->keys.at[i].item, !part, part == last));
        keep_first_pairs(pass, most_joined(pass));
    }
    return PF_OK;
}

static pf_err join_first(pfi_chart_filler *pass) {
    pass->pairs.n = 0;
    pass->worth = (double)INFINITY;
    PF_TRY(look_at_grids(pass));
    for (size_t i = 0; i < pass->pairs.n; i++) {
        const pfi_grid_pair *pair = &pass->pairs.at[i];
        const pfi_node_grid *grid = &pass->grids.at[pair->grid];
        PF_TRY(pfi_pass_step(pass));
        PF_TRY(join(pass, grid, pair->x, pair->y));
    }
    return PF_OK;
}

/* ---- nodes ---- */

static pf_err put_node(pfi_chart_filler *pass, unsigned j, unsigned orientation, double cost, const double beyond[2]) {
    const bool straight = orientation == PFI_STRAIGHT;
    const pfi_span_lists *left = pfi_pass_lists(pass, pass->begin, j), *right = pfi_pass_lists(pass, j, pass->end);
    const pfi_span_lists *first = straight ? left : right, *second = straight ? right : left;
    unsigned which[2];
    if (!pfi_shape_sons(pass->shape, orientation, pass->begin, j, pass->end, which)) return PF_OK;
    const pfi_node_grid grid = {pfi_pass_items(pass, first, which[0]), pfi_pass_items(pass, second, which[1]), orientation, cost,
                                {beyond[0], beyond[1]}};
    if (!grid.first.costs.n || !grid.second.costs.n) return PF_OK;
    if (pass->pieces->guesses) return join_meeting(pass, &grid);
    return pass->how->beam ? PF_PUSH(&pass->grids, grid) : join_all(pass, &grid);
}

/* Where positions that are visited in their order may be one leaf: what is added to the least cost of a straight node. */
static void beyond_least(const pfi_chart_filler *pass, unsigned j, double beyond[2]) {
    double all[2], least[2];
    beyond[false] = beyond[true] = 0;
    if (!pass->shape->trees || !pass->shape->trees->runs) return;
    pfi_shape_tree_node(pass->shape, pass->begin, j, pass->end, all);
    pfi_shape_least_node(pass->shape, pass->begin, j, pass->end, least);
    beyond[false] = all[PFI_STRAIGHT] - least[PFI_STRAIGHT];
    beyond[true] = -least[PFI_STRAIGHT];
}

pf_err pfi_pass_nodes(pfi_chart_filler *pass) {
    static const double nothing[2] = {0, 0};
    double cost[2], beyond[2];
    pass->grids.n = 0;
    for (unsigned j = pass->begin + 1; j < pass->end; j++) {
        if (!pfi_pass_lists(pass, pass->begin, j)->n[PFI_ANY] || !pfi_pass_lists(pass, j, pass->end)->n[PFI_ANY]) continue;
        pfi_shape_node(pass->shape, pass->begin, j, pass->end, cost);
        beyond_least(pass, j, beyond);
        if (cost[PFI_STRAIGHT] < (double)INFINITY) PF_TRY(put_node(pass, j, PFI_STRAIGHT, cost[PFI_STRAIGHT], beyond));
        if (cost[PFI_INVERTED] < (double)INFINITY) PF_TRY(put_node(pass, j, PFI_INVERTED, cost[PFI_INVERTED], nothing));
    }
    return pass->grids.n ? join_first(pass) : PF_OK;
}
