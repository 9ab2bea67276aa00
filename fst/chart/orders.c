/* Orders as paths: with the costs that their arcs have in the automaton.
 *
 * A chart adds up the costs of an order by its tree, and a path from the left to the right. Where sums are exact that is the same.
 * Else orders are taken until those that are left cost more than the last one wanted, by more than rounding comes to; so ties that
 * rounding makes or breaks are as in all other searches. */
#include "chart/orders.h"

#include "chart/derive.h"
#include "chart/least_tree.h"
#include "search/limits.h"

#include <permfst/base/cover.h>
#include <permfst/base/statetab.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_TIES = 1 << 14 }; /* orders that are taken beyond those wanted */

/* One order, as a path. */
typedef struct {
    pf_path path;
    uint32_t string; /* the number of what it is to differ in; PFI_NONE */
} found_order;

typedef struct {
    const pfi_forest *forest;
    pfi_pieces *pieces;
    const pf_best_options *options;
    PF_VEC(found_order) found; /* in order */
    pf_statetab strings;
    PF_VEC(pf_label) string;
    uint32_t *order;           /* scratch: alternatives */
    unsigned n;                /* of them */
    pfi_tree_leaf *leaf;       /* scratch: the same as leaves of a tree */
    unsigned leaves;
    pfi_least_tree tree;
    bool writes;               /* paths have trees: the order does not tell them */
    pf_arc *arc;               /* scratch: a path */
    pf_cover *cover, *only;    /* scratch: what is visited; what comes next */
    unsigned char *extra[2];   /* scratch: bytes of the weight model */
} order_taker;

/* ---- costs ---- */

/* What the weight model says of the next move, as it says it in the automaton. */
static double move_cost(order_taker *search, unsigned j) {
    const pf_wm *weights = search->pieces->slots.weights;
    double cost = 0;
    if (!weights) return 0;
    pf_cover_put(search->only, j);
    weights->cls->weigh(weights, search->cover, search->extra[0], search->only, 1, &cost);
    pf_cover_drop(search->only, j);
    if (weights->room && weights->cls->advance)
        weights->cls->advance(weights, search->cover, search->extra[0], j, search->extra[1]);
    unsigned char *extra = search->extra[0];
    search->extra[0] = search->extra[1];
    search->extra[1] = extra;
    pf_cover_put(search->cover, j);
    return cost;
}

/* Is the word the last one of its leaf? */
static bool ends_leaf(const order_taker *search, uint32_t arc) {
    const pf_label unit = search->pieces->slots.arc[arc].out;
    return !search->options->grouping || unit == PF_EPSILON || pf_units_ends(search->options->units, unit);
}

/* The words of a unit are read in the order of the source, with a block or without one after some of them. */
static void add_to_leaf(pfi_tree_leaf *leaf, unsigned begin, unsigned end) {
    if (begin != leaf->end) {
        leaf->gap_begin = leaf->end;
        leaf->gap_end = begin;
    }
    leaf->end = end;
    leaf->moves++;
}

static void find_leaves(order_taker *search, const uint32_t *order) {
    bool ended = true;
    search->leaves = 0;
    for (unsigned t = 0; t < search->n; t++) {
        const unsigned begin = search->forest->slot[order[t]], end = search->pieces->leaves->to[order[t]];
        if (ended) search->leaf[search->leaves++] = (pfi_tree_leaf){.begin = begin, .end = end, .moves = 1};
        else add_to_leaf(&search->leaf[search->leaves - 1], begin, end);
        ended = ends_leaf(search, order[t]);
    }
}

/* What its nodes cost, which a path pays in the end. */
static double tree_cost(order_taker *search, const uint32_t *order) {
    find_leaves(search, order);
    return pfi_least_tree_cost(&search->tree, search->leaf, search->leaves);
}

static pf_err write_tree(order_taker *search, pf_path *path) {
    pfi_tree_codes codes = {0};
    if (!search->writes) return PF_OK;
    pf_err err = pfi_least_tree_write(&search->tree, search->leaf, search->leaves, &codes);
    if (err) PF_VEC_FREE(&codes);
    path->tree = codes.at;
    path->codes = codes.n;
    return err;
}

/* Fills search->arc with the arcs of an order, each with its float. */
static pf_err follow_order(order_taker *search, const uint32_t *order, float *final) {
    pfi_rows *rows = &search->pieces->rows;
    const pf_slots_view *slots = &search->pieces->slots;
    uint32_t row = 0;
    memset(search->cover, 0, pf_cover_words(slots->n) * sizeof *search->cover);
    if (slots->weights) pf_wm_start(slots->weights, search->extra[0]);
    for (unsigned t = 0; t < search->n; t++) {
        const pf_arc *word = &slots->arc[order[t]];
        float weight = (float)(move_cost(search, search->forest->slot[order[t]]) + (double)word->w);
        pfi_cell cell;
        PF_TRY(pfi_rows_step(rows, row, pfi_rows_column(rows, word->out), &cell));
        search->arc[t] = (pf_arc){pfi_forest_in(search->forest, order[t]), word->out,
                                  (float)(pf_scaled(rows->parts.own, (double)weight) + cell.cost), PF_NO_STATE};
        row = cell.to;
    }
    double models;
    PF_TRY(pfi_rows_end(rows, row, &models));
    const double end = pf_scaled(rows->parts.own, (double)slots->final) + models + tree_cost(search, order);
    if (!pf_cost_fits(end)) return pf_cost_too_large(end);
    *final = (float)end;
    return PF_OK;
}

/* ---- what is found ---- */

/* Adds one label to the string that paths are to differ in, or the words that a unit says. */
static pf_err add_label(order_taker *search, pf_label word, bool output) {
    size_t n = 1;
    const pf_label *label = &word;
    if (word == PF_EPSILON) return PF_OK;
    if (output && search->options->units) label = pf_units_said(search->options->units, word, &n);
    for (size_t i = 0; i < n; i++) PF_TRY(PF_PUSH(&search->string, label[i]));
    return PF_OK;
}

/* The number of what an order is to differ in; *fresh: it is the first. */
static pf_err string_of(order_taker *search, const pf_path *path, uint32_t *string, int *fresh) {
    const bool outputs = search->options->unique == PF_UNIQUE_OUTPUTS;
    *string = PFI_NONE;
    *fresh = 1;
    if (search->options->unique == PF_UNIQUE_PATHS) return PF_OK;
    search->string.n = 0;
    for (size_t t = 0; t < path->n; t++) PF_TRY(add_label(search, outputs ? path->arc[t].out : path->arc[t].in, outputs));
    PF_TRY(PF_ROOM(&search->string, 1));
    return pf_statetab_intern(&search->strings, search->string.at, search->string.n * sizeof *search->string.at, string, fresh);
}

static void free_path(pf_path *path) {
    free(path->arc);
    free(path->tree);
}

/* Takes out the order that has this string, if it comes after the path. False: it comes before. */
static bool make_way(order_taker *search, uint32_t string, const pf_path *path) {
    size_t i = 0;
    while (i < search->found.n && search->found.at[i].string != string) i++;
    if (i == search->found.n) return true;
    if (pfi_path_order(&search->forest->speech, &search->found.at[i].path, path) <= 0) return false;
    free_path(&search->found.at[i].path);
    memmove(&search->found.at[i], &search->found.at[i + 1], (--search->found.n - i) * sizeof *search->found.at);
    return true;
}

/* Puts a path at its place; it is taken over. No more are kept than are wanted. */
static void place(order_taker *search, const found_order *one) {
    size_t at = search->found.n++;
    for (; at && pfi_path_order(&search->forest->speech, &one->path, &search->found.at[at - 1].path) < 0; at--)
        search->found.at[at] = search->found.at[at - 1];
    search->found.at[at] = *one;
    if (search->found.n > search->options->n) free_path(&search->found.at[--search->found.n].path);
}

/* The order in search->order, as a path with its cost. */
static pf_err take(order_taker *search) {
    const size_t n = search->n;
    found_order one = {.path = {.n = n}};
    int fresh;
    PF_TRY(follow_order(search, search->order, &one.path.final));
    PF_TRY(PF_ROOM(&search->found, 1));
    for (size_t t = 0; t < n; t++) one.path.cost += (double)search->arc[t].w;
    one.path.cost += (double)one.path.final;
    one.path.arc = search->arc;
    PF_TRY(string_of(search, &one.path, &one.string, &fresh));
    if (!fresh && !make_way(search, one.string, &one.path)) return PF_OK;
    one.path.arc = malloc((n + 1) * sizeof *one.path.arc);
    if (!one.path.arc) return pf_nomem();
    memcpy(one.path.arc, search->arc, n * sizeof *one.path.arc);
    pf_err err = write_tree(search, &one.path);
    if (err) free_path(&one.path);
    else place(search, &one);
    return err;
}

/* Can an order of this cost in the chart be one of those wanted? */
static bool is_wanted(const order_taker *search, double cost) {
    const size_t n = search->options->n;
    if (search->found.n < n) return true;
    return search->pieces->slack > 0 && cost <= search->found.at[n - 1].path.cost + search->pieces->slack;
}

/* ---- all orders ---- */

static pf_err take_best(order_taker *search) {
    double least = (double)INFINITY;
    const pfi_whole_order *best = NULL;
    for (size_t i = 0; i < search->forest->whole.n; i++) { /* the first of equal ones may be any: they are compared */
        const pfi_whole_order *whole = &search->forest->whole.at[i];
        double cost = pfi_item_cost(&search->forest->items.at[whole->item], PFI_ANY) + whole->cost;
        if (cost > least) continue;
        if (cost < least) best = NULL;
        least = cost;
        if (best) { /* both are taken, and the first in order stays first */
            search->n = pfi_forest_order(search->forest, best->item, PFI_ANY, search->order);
            PF_TRY(take(search));
        }
        best = whole;
    }
    if (!best) return PF_OK;
    search->n = pfi_forest_order(search->forest, best->item, PFI_ANY, search->order);
    return take(search);
}

/* The forest, what is derived from it, and the paths, each with its arcs. */
static uint64_t bytes(const order_taker *search, const pfi_derivations *all) {
    return pfi_pieces_bytes(search->pieces) + pfi_forest_bytes(search->forest) + pfi_derivations_bytes(all) +
        search->found.n * (sizeof *search->found.at + search->pieces->slots.n * sizeof(pf_arc));
}

static pf_err take_all(order_taker *search, pfi_derivations *all, double *unsettled) {
    for (size_t k = 0;; k++) {
        double cost;
        bool there;
        if (k) PF_TRY(pfi_check_time_at(k, search->options, search->forest->items.n));
        if (k) PF_TRY(pfi_check_bytes(search->options, bytes(search, all)));
        PF_TRY(pfi_derivations_at(all, k, search->order, &search->n, &cost, &there));
        if (!there || !is_wanted(search, cost)) return PF_OK;
        if (k >= MOST_TIES && search->found.n >= search->options->n) {
            *unsettled = cost - search->pieces->slack;
            return PF_OK;
        }
        PF_TRY(take(search));
    }
}

static pf_err run(order_taker *search, double *unsettled) {
    pfi_derivations *all = NULL;
    if (!search->forest->keep_all) return take_best(search);
    pf_err err = pfi_derivations_new(search->forest, &all);
    if (!err) err = take_all(search, all, unsettled);
    pfi_derivations_free(all);
    return err;
}

/* Gives the orders found to the answer, also after an error. */
static pf_err give(order_taker *search, pf_answer *out) {
    size_t n = search->found.n < search->options->n ? search->found.n : search->options->n;
    PF_TRY(PF_ROOM(&out->paths, n + 1));
    for (size_t i = 0; i < n; i++) {
        out->paths.at[out->paths.n++] = search->found.at[i].path;
        search->found.at[i].path = (pf_path){0};
    }
    return PF_OK;
}

static pf_err make_scratch(order_taker *search) {
    const pf_slots_view *slots = &search->pieces->slots;
    const size_t n = slots->n + (size_t)1, room = slots->weights ? slots->weights->room + 1 : 1;
    pf_statetab_init(&search->strings, 0);
    search->order = malloc(n * sizeof *search->order);
    search->leaf = malloc(n * sizeof *search->leaf);
    search->arc = malloc(n * sizeof *search->arc);
    search->cover = calloc(pf_cover_words(slots->n), sizeof *search->cover);
    search->only = calloc(pf_cover_words(slots->n), sizeof *search->only);
    search->extra[0] = calloc(room, 1);
    search->extra[1] = calloc(room, 1);
    PF_TRY(pfi_least_tree_init(&search->tree, search->forest->shape, search->writes));
    const bool room_for_all = search->order && search->leaf && search->arc && search->cover && search->only && search->extra[0] &&
        search->extra[1];
    return room_for_all ? PF_OK : pf_nomem();
}

pf_err pfi_orders_answer(const pfi_forest *forest, pfi_pieces *pieces, const pf_best_options *options, pf_answer *out,
                         double *unsettled) {
    order_taker search = {.forest = forest, .pieces = pieces, .options = options,
                          .writes = forest->shape->free_trees || options->grouping};
    *unsettled = (double)INFINITY;
    pf_err err = make_scratch(&search);
    if (!err) err = run(&search, unsettled);
    if (!err || pfi_is_limit(err)) {
        pf_err given = give(&search, out);
        if (!err) err = given;
    }
    for (size_t i = 0; i < search.found.n; i++) free_path(&search.found.at[i].path);
    PF_VEC_FREE(&search.found);
    PF_VEC_FREE(&search.string);
    pf_statetab_free(&search.strings);
    pfi_least_tree_free(&search.tree);
    free(search.order);
    free(search.leaf);
    free(search.arc);
    free(search.cover);
    free(search.only);
    free(search.extra[0]);
    free(search.extra[1]);
    return err;
}
