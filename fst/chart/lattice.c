/* A state of the automaton is what is still to be visited: a list of items. The first of them is replaced by the two sons of one of
 * its edges, or it is a word, which is read. Lists share their ends, and equal lists are one state.
 *
 * Which edges are kept is told by outside costs, from the whole orders down to the words. An item has a higher number than the
 * items that it is made of. */
#include "chart/lattice.h"

#include "base/contract.h"
#include "search/limits.h"

#include <permfst/base/statetab.h>
#include <permfst/machine/build.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is still to come: an item, of an orientation, and then `rest`, which is a state; or the words of a leaf, from number
 * which - IN_LEAF on, and then `rest`. */
typedef struct {
    uint32_t item, which, rest;
} pending_item;

enum { FINAL_STATE = 1, IN_LEAF = PFI_ANY + 1 };

typedef struct {
    const pfi_forest *forest;
    const pf_best_options *options;
    double most;     /* no order that costs more is wanted */
    double *outer;   /* at 3 * item + orientation: the least of what orders cost beyond it */
    pf_statetab states; /* pending_item; state s has the key s - 2, after the start and the final state */
    pf_build build;
} forest_lattice;

/* ---- outside costs ---- */

/* An atom is of any orientation: it has the place of straight items, in the outside costs as in the states. */
static unsigned place_of(const forest_lattice *lattice, uint32_t item, unsigned which) {
    return lattice->forest->items.at[item].atom ? PFI_STRAIGHT : which;
}

static void lower(forest_lattice *lattice, uint32_t item, unsigned which, double cost) {
    double *outer = &lattice->outer[3 * (size_t)item + place_of(lattice, item, which)];
    if (cost < *outer) *outer = cost;
}

static double son_cost(const forest_lattice *lattice, uint32_t item, unsigned which) {
    return pfi_item_cost(&lattice->forest->items.at[item], which);
}

/* What the sons of an edge cost; 0 for the one that is not there. */
static void sons_cost(const forest_lattice *lattice, const pfi_tree_edge *edge, const unsigned which[2], double cost[2]) {
    cost[0] = edge->first == PFI_NONE ? 0 : son_cost(lattice, edge->first, which[0]);
    cost[1] = edge->second == PFI_NONE ? 0 : son_cost(lattice, edge->second, which[1]);
}

static void pass_down(forest_lattice *lattice, const pfi_tree_edge *edge, double outer) {
    unsigned which[2];
    double cost[2];
    pfi_edge_sons(lattice->forest, edge, which);
    sons_cost(lattice, edge, which, cost);
    if (edge->first != PFI_NONE) lower(lattice, edge->first, which[0], outer + edge->cost + cost[1]);
    if (edge->second != PFI_NONE) lower(lattice, edge->second, which[1], outer + edge->cost + cost[0]);
}

static void fill_outer(forest_lattice *lattice) {
    const pfi_forest *forest = lattice->forest;
    for (size_t x = 0; x < 3 * forest->items.n; x++) lattice->outer[x] = (double)INFINITY;
    for (size_t i = 0; i < forest->whole.n; i++) lower(lattice, forest->whole.at[i].item, PFI_ANY, forest->whole.at[i].cost);
    for (uint32_t item = (uint32_t)forest->items.n; item-- > 0;)
        for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
            lower(lattice, item, which, lattice->outer[3 * (size_t)item + PFI_ANY]);
            for (uint32_t id = forest->items.at[item].edge[which]; id != PFI_NONE; id = forest->edges.at[id].next)
                pass_down(lattice, &forest->edges.at[id], lattice->outer[3 * (size_t)item + which]);
        }
}

/* The least cost of an order over an edge of an item. */
static double through(const forest_lattice *lattice, uint32_t item, unsigned which, const pfi_tree_edge *edge) {
    unsigned of[2];
    double cost[2];
    pfi_edge_sons(lattice->forest, edge, of);
    sons_cost(lattice, edge, of, cost);
    return lattice->outer[3 * (size_t)item + which] + edge->cost + cost[0] + cost[1];
}

/* ---- states ---- */

static pf_err intern_state(forest_lattice *lattice, const pending_item *key, uint32_t *state) {
    int fresh;
    PF_TRY(pf_statetab_intern(&lattice->states, key, sizeof *key, state, &fresh));
    *state += FINAL_STATE + 1;
    if (fresh) PF_TRY(pfi_check_states(lattice->options, lattice->states.n));
    return PF_OK;
}

/* The state in which an item is visited, and then what is to come at `rest`. */
static pf_err state_of(forest_lattice *lattice, uint32_t item, unsigned which, uint32_t rest, uint32_t *state) {
    return intern_state(lattice, &(pending_item){item, place_of(lattice, item, which), rest}, state);
}

/* The state in which the words of a leaf are read from number `word` on. */
static pf_err leaf_state(forest_lattice *lattice, uint32_t leaf, uint32_t word, uint32_t rest, uint32_t *state) {
    *state = rest;
    if (word == lattice->forest->pieces->leaves->leaf.at[leaf].n) return PF_OK;
    return intern_state(lattice, &(pending_item){leaf, IN_LEAF + word, rest}, state);
}

/* One word of a leaf. */
static pf_err put_word(forest_lattice *lattice, uint32_t from, const pending_item *at, float cost) {
    const pfi_leaves *leaves = lattice->forest->pieces->leaves;
    const uint32_t word = at->which - IN_LEAF, arc = leaves->read.at[leaves->leaf.at[at->item].at + word];
    uint32_t to;
    PF_TRY(leaf_state(lattice, at->item, word + 1, at->rest, &to));
    const pf_label in = pfi_forest_in(lattice->forest, arc), out = lattice->forest->pieces->slots.arc[arc].out;
    return pf_build_arc(&lattice->build, from, in, out, cost, to);
}

static pf_err put_edge(forest_lattice *lattice, uint32_t from, const pending_item *at, unsigned which, const pfi_tree_edge *edge) {
    unsigned of[2];
    uint32_t to = at->rest;
    if (through(lattice, at->item, which, edge) > lattice->most) return PF_OK;
    if (edge->first == PFI_NONE && edge->second == PFI_NONE)
        return put_word(lattice, from, &(pending_item){edge->leaf, IN_LEAF, at->rest}, (float)edge->cost);
    pfi_edge_sons(lattice->forest, edge, of);
    if (edge->second != PFI_NONE) PF_TRY(state_of(lattice, edge->second, of[1], to, &to));
    if (edge->leaf != PFI_NONE) PF_TRY(leaf_state(lattice, edge->leaf, 0, to, &to));
    if (edge->first != PFI_NONE) PF_TRY(state_of(lattice, edge->first, of[0], to, &to));
    return pf_build_arc(&lattice->build, from, PF_EPSILON, PF_EPSILON, (float)edge->cost, to);
}

/* The forest, and the automaton, which is copied in the end. */
static uint64_t bytes(const forest_lattice *lattice) {
    const pfi_forest *forest = lattice->forest;
    const pf_build *build = &lattice->build;
    return pfi_pieces_bytes(forest->pieces) + pfi_forest_bytes(forest) + 3 * forest->items.n * sizeof *lattice->outer +
        pf_statetab_bytes(&lattice->states) + 2 * build->arcs.n * (sizeof *build->arcs.at + sizeof *build->from.at);
}

static pf_err expand(forest_lattice *lattice, uint32_t id) {
    size_t length;
    pending_item at;
    memcpy(&at, pf_statetab_key(&lattice->states, id, &length), sizeof at);
    if (at.which >= IN_LEAF) return put_word(lattice, id + FINAL_STATE + 1, &at, 0);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        if (at.which != PFI_ANY && at.which != which) continue;
        const pfi_tree_edge *edges = lattice->forest->edges.at;
        for (uint32_t edge = lattice->forest->items.at[at.item].edge[which]; edge != PFI_NONE; edge = edges[edge].next)
            PF_TRY(put_edge(lattice, id + FINAL_STATE + 1, &at, which, &edges[edge]));
    }
    if (id % 1024 == 0) PF_TRY(pfi_check_bytes(lattice->options, bytes(lattice)));
    return pfi_check_time_at(id, lattice->options, lattice->states.n);
}

/* From the start an epsilon arc leads to each whole order, with what it costs beyond its item. */
static pf_err put_all(forest_lattice *lattice) {
    PF_TRY(pf_build_final(&lattice->build, FINAL_STATE, 0));
    for (size_t i = 0; i < lattice->forest->whole.n; i++) {
        const pfi_whole_order *whole = &lattice->forest->whole.at[i];
        uint32_t to;
        if (whole->cost + son_cost(lattice, whole->item, PFI_ANY) > lattice->most) continue;
        PF_TRY(state_of(lattice, whole->item, PFI_ANY, FINAL_STATE, &to));
        PF_TRY(pf_build_arc(&lattice->build, 0, PF_EPSILON, PF_EPSILON, (float)whole->cost, to));
    }
    for (uint32_t id = 0; id < lattice->states.n; id++) PF_TRY(expand(lattice, id));
    return PF_OK;
}

static double best_whole(const forest_lattice *lattice) {
    double best = (double)INFINITY;
    for (size_t i = 0; i < lattice->forest->whole.n; i++)
        best = fmin(best, lattice->forest->whole.at[i].cost + son_cost(lattice, lattice->forest->whole.at[i].item, PFI_ANY));
    return best;
}

pf_err pfi_forest_lattice(const pfi_forest *forest, const pf_best_options *options, double more, pf_arc_type type, pf_fst **out) {
    forest_lattice lattice = {.forest = forest, .options = options};
    assert(forest->keep_all && more >= 0);
    lattice.most = best_whole(&lattice) + more + forest->pieces->slack;
    pf_statetab_init(&lattice.states, sizeof(pending_item));
    lattice.outer = malloc((3 * forest->items.n + 1) * sizeof *lattice.outer);
    pf_err err = lattice.outer ? PF_OK : pf_nomem();
    if (!err) {
        fill_outer(&lattice);
        err = put_all(&lattice);
    }
    if (!err) err = pf_build_finish(&lattice.build, type, 0, out);
    pf_build_free(&lattice.build);
    pf_statetab_free(&lattice.states);
    free(lattice.outer);
    return err;
}
