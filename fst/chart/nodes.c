/* Nodes: the pairs of items that are joined.
 *
 * Without a beam, all pairs are joined that a bound does not rule out: the two costs, the least cost of the join, and the outside
 * cost of the span. Lists are in order of cost, so that most pairs are never looked at. With a beam, the pairs of each node
 * are a grid, of which the best ones are popped until there are enough items (cube pruning; Huang & Chiang 2007). With guessed left
 * sides (pieces.h) only those items meet that fit. */
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
        PF_TRY(pfi_pass_step(pass));
        const double most = pass->limit - beyond - x->key;
        for (y = grid->second; y < grid->second + grid->n[1] && y->key <= most; y++)
            if (pair_bound(pass, grid, x, y) <= pass->limit) PF_TRY(join(pass, grid, x, y));
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
        for (uint32_t k = pass->meets[place]; k < grid->n[1] && grid->second[k].sides.left == place; k++)
            if (pair_bound(pass, grid, x, &grid->second[k]) <= pass->limit) PF_TRY(join(pass, grid, x, &grid->second[k]));
    }
    for (uint32_t i = 0; i < grid->n[1]; i++) pass->meets[grid->second[i].sides.left] = PFI_NONE;
    return PF_OK;
}

/* ---- the best pairs of all grids ---- */

static inline bool pair_before(const pfi_grid_pair *one, const pfi_grid_pair *other) {
    return one->bound < other->bound || (one->bound == other->bound && one->number > other->number);
}

/* A pair of the grid, if there is one and an order within the limit can have it, or one that comes after it. */
static bool make_pair(pfi_chart_filler *pass, uint32_t grid, uint32_t x, uint32_t y, pfi_grid_pair *pair) {
    const pfi_node_grid *of = &pass->grids.at[grid];
    if (x >= of->n[0] || y >= of->n[1] || least_pair(pass, of, &of->first[x], &of->second[y]) > pass->limit) return false;
    *pair = (pfi_grid_pair){pair_bound(pass, of, &of->first[x], &of->second[y]), grid, x, y, pass->pushed++};
    return true;
}

static pf_err push_pair(pfi_chart_filler *pass, const pfi_grid_pair *pair) {
    PF_TRY(PF_ROOM(&pass->pairs, 1));
    pfi_grid_pair *heap = pass->pairs.at;
    size_t at = pass->pairs.n++;
    for (; at && pair_before(pair, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = *pair;
    return PF_OK;
}

/* Takes the first pair out, and puts another one in. */
static void replace_first(pfi_chart_filler *pass, const pfi_grid_pair *pair) {
    pfi_grid_pair *heap = pass->pairs.at;
    const size_t n = pass->pairs.n;
    size_t at = 0;
    for (size_t son; (son = 2 * at + 1) < n; at = son) {
        if (son + 1 < n && pair_before(&heap[son + 1], &heap[son])) son++;
        if (!pair_before(&heap[son], pair)) break;
        heap[at] = heap[son];
    }
    heap[at] = *pair;
}

/* Each pair has one predecessor in its grid, so none is pushed twice. */
static pf_err push_next(pfi_chart_filler *pass, const pfi_grid_pair *pair) {
    pfi_grid_pair next[2];
    unsigned n = make_pair(pass, pair->grid, pair->x, pair->y + 1, &next[0]);
    if (!pair->y) n += make_pair(pass, pair->grid, pair->x + 1, 0, &next[n]);
    if (n) replace_first(pass, &next[0]);
    else {
        const pfi_grid_pair last = pass->pairs.at[--pass->pairs.n];
        replace_first(pass, &last);
    }
    return n == 2 ? push_pair(pass, &next[1]) : PF_OK;
}

/* What is never popped costs at least what the least of it does, in order of the keys. */
static void drop_pairs(pfi_chart_filler *pass) {
    for (size_t i = 0; i < pass->pairs.n; i++) {
        const pfi_grid_pair *pair = &pass->pairs.at[i];
        const pfi_node_grid *grid = &pass->grids.at[pair->grid];
        pfi_pass_drop(pass, least_pair(pass, grid, &grid->first[pair->x], &grid->second[pair->y]));
    }
}

enum { REFUSED = 4 }; /* so many pairs that the limit refuses count as one item, so that the search for items ends */

/* Cube pruning. */
static pf_err pop_pairs(pfi_chart_filler *pass) {
    pfi_grid_pair pair;
    pass->pairs.n = pass->pushed = 0;
    for (uint32_t grid = 0; grid < pass->grids.n; grid++)
        if (make_pair(pass, grid, 0, 0, &pair)) PF_TRY(push_pair(pass, &pair));
    while (pass->pairs.n && pass->forest->items.n - pass->first_item + pass->refused / REFUSED < pass->how->beam) {
        pair = pass->pairs.at[0];
        const pfi_node_grid *grid = &pass->grids.at[pair.grid];
        PF_TRY(pfi_pass_step(pass));
        if (pair.bound > pass->limit) pass->refused++;
        else PF_TRY(join(pass, grid, &grid->first[pair.x], &grid->second[pair.y]));
        PF_TRY(push_next(pass, &pair));
    }
    drop_pairs(pass);
    return PF_OK;
}

/* ---- nodes ---- */

static pf_err put_node(pfi_chart_filler *pass, unsigned j, unsigned orientation, double cost, const double beyond[2]) {
    const bool straight = orientation == PFI_STRAIGHT;
    const pfi_span_lists *left = pfi_pass_lists(pass, pass->begin, j), *right = pfi_pass_lists(pass, j, pass->end);
    const pfi_span_lists *first = straight ? left : right, *second = straight ? right : left;
    unsigned which[2];
    pfi_sons(orientation, pass->shape->free_trees || pfi_shape_zone(pass->shape, j, pass->end), which);
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
    return pass->grids.n ? pop_pairs(pass) : PF_OK;
}
