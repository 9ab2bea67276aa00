/* Nodes: the pairs of items that are joined.
 *
 * Without a beam, all pairs are joined that a bound does not rule out: the two costs, the least cost of the join, and the outside
 * cost of the span. Lists are in order of cost, so that most pairs are never looked at. With a beam, the pairs of each node
 * are a grid, and the first pairs of all grids are joined, in the order of what orders with them are guessed to cost: what cube pruning
 * does (Huang & Chiang 2007). But there the pairs are popped from a heap, one neighbour after another, as if costs grew along rows and
 * columns. They do so where a pair costs what its two items do. Where the bound knows which words meet, it does not grow: one
 * pair of words that never meet kept all pairs behind it out of the heap. So pairs are looked at row by row, as far as the bounds of
 * their items are worth it, and the first of them are selected. With guessed left sides (pieces.h) only those items meet that fit. */
#include "chart/pass_impl.h"

/* ---- one pair ---- */

/* The two as a run, or as a node of a tree. */
static pf_err offer_node(pfi_chart_filler *pass, const pfi_node_grid *grid, const pfi_listed_item *x, const pfi_listed_item *y,
                         const pfi_piece_sides *sides, double joined, bool run) {
    const pfi_tree_edge edge = {x->item, y->item, PFI_NONE, PFI_NONE, joined + (grid->cost + grid->beyond[run])};
    return pfi_pass_offer(pass, sides, (pfi_item_form){run, false}, grid->orientation, &edge, x->cost + y->cost + edge.cost);
}

static pf_err join(pfi_chart_filler *pass, const pfi_node_grid *grid, const pfi_listed_item *x, const pfi_listed_item *y) {
    const bool run = grid->orientation == PFI_STRAIGHT && x->run && y->run;
    pfi_piece_sides sides;
    double joined;
    PF_TRY(pfi_pieces_join(pass->pieces, &x->sides, &y->sides, &sides, &joined));
    if (run) PF_TRY(offer_node(pass, grid, x, y, &sides, joined, true));
    return !run || grid->beyond[false] < grid->beyond[true] ? offer_node(pass, grid, x, y, &sides, joined, false) : PF_OK;
}

/* What is known without the words between the two. In a list, this grows. */
static double least_pair(const pfi_chart_filler *pass, const pfi_node_grid *grid, const pfi_listed_item *x,
                         const pfi_listed_item *y) {
    return x->key + y->key + grid->cost + pass->outer;
}

/* No order with the two, one after the other, costs less. */
static double pair_bound(pfi_chart_filler *pass, const pfi_node_grid *grid, const pfi_listed_item *x, const pfi_listed_item *y) {
    const pfi_pieces *pieces = pass->pieces;
    double sum = x->inner + y->inner + grid->cost;
    if (!pass->outside->wide) return least_pair(pass, grid, x, y);
    if (!pieces->guesses) sum += (double)pieces->after[(size_t)x->last * pieces->kinds.n + y->row];
    return sum + pfi_pass_rest(pass, x->row, y->last);
}

/* ---- all pairs ---- */

static pf_err join_all(pfi_chart_filler *pass, const pfi_node_grid *grid) {
    const pfi_listed_item *x = grid->first, *y;
    const double beyond = grid->cost + pass->outer;
    for (uint32_t i = 0; i < grid->n[0]; i++, x++) {
        if (x->key + grid->second->key + beyond > pass->limit) break;
        const double most = pass->limit - beyond - x->key;
        for (y = grid->second; y < grid->second + grid->n[1] && y->key <= most; y++)
            if (pair_bound(pass, grid, x, y) <= pass->limit) PF_TRY(join(pass, grid, x, y));
        PF_TRY(pfi_pass_steps(pass, (size_t)(y - grid->second) + 1));
    }
    return PF_OK;
}

/* The second items are by the place before them, and then in order. */
static pf_err join_meeting(pfi_chart_filler *pass, const pfi_node_grid *grid) {
    for (uint32_t i = grid->n[1]; i-- > 0;) pass->meets[grid->second[i].sides.left] = i;
    for (uint32_t i = 0; i < grid->n[0]; i++) {
        const pfi_listed_item *x = &grid->first[i];
        const uint32_t place = x->sides.place;
        PF_TRY(pfi_pass_step(pass));
        if (place >= pass->places || pass->meets[place] == PFI_NONE) continue;
        uint32_t k = pass->meets[place];
        for (; k < grid->n[1] && grid->second[k].sides.left == place; k++)
            if (pair_bound(pass, grid, x, &grid->second[k]) <= pass->limit) PF_TRY(join(pass, grid, x, &grid->second[k]));
        PF_TRY(pfi_pass_steps(pass, k - pass->meets[place]));
    }
    for (uint32_t i = 0; i < grid->n[1]; i++) pass->meets[grid->second[i].sides.left] = PFI_NONE;
    return PF_OK;
}

/* ---- the best pairs of all grids ---- */

enum {
    JOINED = 2, /* pairs that are joined, for each item that the beam keeps: some make the same item, and some cost more than bounds say */
    CORNER = 8, /* so many rows and columns of each grid are looked at first: they tell which pairs are not worth a look */
    NEAR = 2    /* beyond the corner row i, from 1, has a look at its first beam / (NEAR i) pairs. If costs grew along rows and columns,
                   pair (i, k) would come after i k - 1 others; so few of the pairs that are not looked at are among the first */
};

/* No pair costs less of item x or one after it in its list; of x, and y or one after it. */
static double least_rows(const pfi_chart_filler *pass, const pfi_node_grid *grid, const pfi_listed_item *x) {
    return pass->outside->wide ? x->least : least_pair(pass, grid, x, grid->second);
}
static double least_columns(const pfi_chart_filler *pass, const pfi_node_grid *grid, const pfi_listed_item *x, const pfi_listed_item *y) {
    if (!pass->outside->wide) return least_pair(pass, grid, x, y);
    return x->total > y->least ? x->total : y->least;
}

/* Pairs are not looked at, and no order with one of them costs less. */
static void drop_above(pfi_chart_filler *pass, double least) {
    if (least <= pass->limit) pfi_pass_drop(pass, least);
}

static inline bool pair_before(const pfi_grid_pair *one, const pfi_grid_pair *other) {
    return one->rank < other->rank || (one->rank == other->rank && one->number < other->number);
}

static inline void swap_pairs(pfi_grid_pair *one, pfi_grid_pair *other) {
    const pfi_grid_pair had = *one;
    *one = *other;
    *other = had;
}

/* Quickselect: the first `most` of n pairs come before the others. */
static void select_pairs(pfi_grid_pair *pair, size_t n, size_t most) {
    while (most && most < n) {
        size_t lower = 0;
        swap_pairs(&pair[0], &pair[n / 2]);
        for (size_t i = 1; i < n; i++)
            if (pair_before(&pair[i], &pair[0])) swap_pairs(&pair[++lower], &pair[i]);
        swap_pairs(&pair[0], &pair[lower]);
        const size_t first = lower < most ? lower + 1 : 0;
        n = lower < most ? n - first : lower;
        pair += first;
        most -= first;
    }
}

/* Pairs that come after the first `most` ones are dropped, and from now on not looked for. */
static void keep_first_pairs(pfi_chart_filler *pass, size_t most) {
    const size_t n = pass->pairs.n;
    if (n <= most) return;
    select_pairs(pass->pairs.at, n, most);
    for (const pfi_grid_pair *pair = pass->pairs.at + most; pair < pass->pairs.at + n; pair++) {
        pass->worth = fmin(pass->worth, pair->rank);
        pfi_pass_drop(pass, pair->bound);
    }
    pass->pairs.n = most;
}

/* Columns `from` to `to` of a row. There is room. */
static void look_at_columns(pfi_chart_filler *pass, uint32_t number, uint32_t i, uint32_t from, uint32_t to) {
    const pfi_node_grid *grid = &pass->grids.at[number];
    const pfi_listed_item *x = &grid->first[i], *second = grid->second;
    for (uint32_t k = from; k < to; k++) {
        const double least = least_columns(pass, grid, x, &second[k]);
        if (least > pass->limit) return;
        if (least + x->more >= pass->worth) {
            pfi_pass_drop(pass, least);
            return;
        }
        const double bound = pair_bound(pass, grid, x, &second[k]);
        if (bound > pass->limit) continue;
        if (bound + x->more >= pass->worth) pfi_pass_drop(pass, bound);
        else pass->pairs.at[pass->pairs.n++] = (pfi_grid_pair){bound + x->more, bound, number, i, k, pass->looked++};
    }
}

/* A row of a grid: in the corner, or beyond it. */
static pf_err look_at_row(pfi_chart_filler *pass, uint32_t number, uint32_t i, bool corner) {
    const pfi_node_grid *grid = &pass->grids.at[number];
    const uint32_t n = grid->n[1], inside = i >= CORNER ? 0 : n < CORNER ? n : CORNER;
    const size_t near = pass->how->beam / (NEAR * (i + (size_t)1));
    uint32_t to = near < n ? (uint32_t)near : n;
    if (corner || to < inside) to = inside;
    PF_TRY(pfi_pass_steps(pass, to));
    PF_TRY(PF_ROOM(&pass->pairs, n));
    look_at_columns(pass, number, i, corner ? 0 : inside, to);
    if (!corner && to < n) drop_above(pass, least_columns(pass, grid, &grid->first[i], &grid->second[to]));
    if (pass->pairs.n >= 2 * JOINED * pass->how->beam) keep_first_pairs(pass, JOINED * pass->how->beam);
    return PF_OK;
}

static pf_err look_at_grid(pfi_chart_filler *pass, uint32_t number, bool corner) {
    const pfi_node_grid *grid = &pass->grids.at[number];
    const size_t near = pass->how->beam / NEAR > CORNER ? pass->how->beam / NEAR : CORNER, most = corner ? CORNER : near;
    uint32_t i = 0;
    for (; i < grid->n[0] && i < most; i++) {
        const pfi_listed_item *x = &grid->first[i];
        if ((pass->outside->wide ? x->key : least_rows(pass, grid, x)) >= pass->worth) break;
        PF_TRY(look_at_row(pass, number, i, corner));
    }
    if (!corner && i < grid->n[0]) drop_above(pass, least_rows(pass, grid, &grid->first[i]));
    return PF_OK;
}

/* The corners of all grids; then what is beyond them. */
static pf_err look_at_grids(pfi_chart_filler *pass) {
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        for (uint32_t number = 0; number < pass->grids.n; number++) PF_TRY(look_at_grid(pass, number, !beyond));
        keep_first_pairs(pass, JOINED * pass->how->beam);
    }
    return PF_OK;
}

static pf_err join_first(pfi_chart_filler *pass) {
    pass->pairs.n = 0;
    pass->looked = 0;
    pass->worth = (double)INFINITY;
    PF_TRY(look_at_grids(pass));
    for (size_t i = 0; i < pass->pairs.n; i++) {
        const pfi_grid_pair *pair = &pass->pairs.at[i];
        const pfi_node_grid *grid = &pass->grids.at[pair->grid];
        PF_TRY(pfi_pass_step(pass));
        PF_TRY(join(pass, grid, &grid->first[pair->x], &grid->second[pair->y]));
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
    pfi_node_grid grid = {pass->listed.at + first->at[which[0]], pass->listed.at + second->at[which[1]],
                          {(uint32_t)first->n[which[0]], (uint32_t)second->n[which[1]]}, orientation, cost, {beyond[0], beyond[1]}};
    if (!grid.n[0] || !grid.n[1]) return PF_OK;
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
