/* What PLF and SLF have in common: labels of words, scales of scores, and the way from a machine to nodes and links. The
 * order is Kahn's (Topological sorting of large networks, 1962) with a heap, so that a machine whose numbers are a
 * topological order keeps them. O(arcs + states log states). */
#include "io/lattice_impl.h"

#include <permfst/base/heap.h>
#include <permfst/base/params.h>
#include <permfst/base/word.h>
#include <permfst/io/slf.h>
#include "base/contract.h"
#include "io/io_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 80 };
#define NO_NODE UINT32_MAX

const char *const pf_plf_scores_names[] = {"prob", "log", "cost", NULL};

/* ---- words ---- */

static bool is_listed(const char *list, const char *word, size_t length) {
    if (!list) return false;
    const char *end = list + strlen(list);
    for (pf_word listed; pf_word_next(&list, end, &listed);)
        if (listed.n == length && memcmp(listed.at, word, length) == 0) return true;
    return false;
}

pf_err pfi_lattice_label(const pf_lattice_options *options, pfi_labeller *labeller, const char *word, size_t length,
    pf_label *label) {
    *label = PF_EPSILON;
    return is_listed(options->epsilon, word, length) ? PF_OK : pfi_labeller_label(labeller, word, length, label);
}

/* ---- scores ---- */

double pfi_scale(const pf_lattice_options *options, const char *name, size_t length, double without) {
    for (size_t i = 0; i < options->scales; i++)
        if (strlen(options->scale[i].name) == length && memcmp(options->scale[i].name, name, length) == 0)
            return options->scale[i].by;
    return without;
}

static pf_err read_scale(const char *spec, const char *what, char *name, pf_score_scale *to) {
    const char *colon = strrchr(spec, ':');
    size_t n = colon ? (size_t)(colon - spec) : 0;
    pf_params value;
    if (!n || n >= PF_PARAMS_BYTES) return pf_fail(PF_EARG, "%s: expected NAME:X, found '%.80s'", what, spec);
    memcpy(name, spec, n);
    name[n] = 0;
    *to = (pf_score_scale){.name = name};
    PF_TRY(pf_params_parse(colon, &value));
    value.name = what;
    PF_TRY(pf_params_expect(&value, 1, "NAME:X"));
    return pf_params_real(&value, 0, -(double)INFINITY, (double)INFINITY, &to->by);
}

pf_err pf_score_scales_list(pf_writer *writer) {
    return pf_writer_text(
        writer,
        "N:X\tPLF: score N of an arc, from 1, times X [1]\nNAME:X\tPLF: the feature NAME times X\n"
        "a:X\tSLF: acoustic score [acscale, or 1]\nl:X\tSLF: language model score [lmscale, or 1]\n"
        "n:X\tSLF: n-gram score [ngscale, or 1]\nr:X\tSLF: pronunciation score [prscale, or 1]\n"
        "ds:X\tSLF: duration score [duscale, or 0]\nxN:X\tSLF: further score N, from 1 to %d [xNscale, or 0]\n"
        "p:X\tSLF: posterior probability [0]\nwords:X\tX is added to the log score of each word [SLF: wdpenalty, or 0]\n",
        PF_SLF_SCORES);
}

pf_err pf_score_scales_read(const char *const *spec, size_t count, const char *what, pf_score_scales *out) {
    *out = (pf_score_scales){calloc(count + 1, sizeof *out->at), 0, calloc(count + 1, PF_PARAMS_BYTES)};
    if (!out->at || !out->names) return pf_nomem();
    for (; out->n < count; out->n++) {
        size_t i = out->n;
        PF_TRY(read_scale(spec[i], what, out->names + i * PF_PARAMS_BYTES, &out->at[i]));
        for (size_t k = 0; k < i; k++)
            if (strcmp(out->at[k].name, out->at[i].name) == 0)
                return pf_fail(PF_EARG, "%s gives '%s' twice", what, out->at[i].name);
    }
    return PF_OK;
}

void pf_score_scales_free(pf_score_scales *scales) {
    free(scales->at);
    free(scales->names);
    *scales = (pf_score_scales){0};
}

bool pfi_score_parse(const char *text, const char *end, double *score) {
    char *stop;
    *score = strtod(text, &stop);
    if (text == end || stop != end || *score != *score) return false;
    bool named = (text[*text == '+' || *text == '-'] | 32) == 'i'; /* the word, not 1e999 */
    return named || (*score >= -DBL_MAX && *score <= DBL_MAX);
}

bool pfi_score_weight(double log_score, float *weight) {
    double cost = 0 - log_score; /* which is +0 for 0 */
    *weight = (float)cost;
    return cost == (double)INFINITY || (cost >= -(double)FLT_MAX && cost <= (double)FLT_MAX);
}

/* ---- order ---- */

static bool smaller(const void *self PF_UNUSED, uint32_t first, uint32_t second) { return first < second; }
static bool kept(const char *keep, pf_state state) { return !keep || keep[state]; }

/* How many arcs lead to each state from those kept. */
static void count_entries(pf_fst *fst, const char *keep, uint64_t *entries) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        if (!kept(keep, state)) continue;
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (uint32_t i = 0; i < arcs.n; i++) entries[arcs.arc[i].to]++;
    }
}

/* Every state left has one before it that is left too: going back often enough ends on a cycle. */
static pf_err find_cycle(pf_fst *fst, const char *keep, const uint64_t *entries, pf_state *on_cycle) {
    pf_state states = pf_fst_states(fst), at = PF_NO_STATE;
    pf_state *before = malloc(states * sizeof *before);
    if (!before) return pf_nomem();
    for (pf_state state = 0; state < states; state++) {
        if (!kept(keep, state) || !entries[state]) continue;
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (uint32_t i = 0; i < arcs.n; i++) before[arcs.arc[i].to] = state;
        at = state;
    }
    assert(at != PF_NO_STATE);
    for (pf_state i = 0; i < states; i++) at = before[at];
    *on_cycle = at;
    free(before);
    return PF_OK;
}

static pf_err sort(pf_fst *fst, const char *keep, uint64_t *entries, pf_heap *next, pfi_numbers *order) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++)
        if (kept(keep, state) && !entries[state]) PF_TRY(pf_heap_push(next, state));
    while (next->n) {
        pf_state state = pf_heap_pop(next);
        pf_arcs arcs = pf_fst_arcs(fst, state);
        PF_TRY(PF_PUSH(order, state));
        for (uint32_t i = 0; i < arcs.n; i++)
            if (!--entries[arcs.arc[i].to] && kept(keep, arcs.arc[i].to)) PF_TRY(pf_heap_push(next, arcs.arc[i].to));
    }
    return PF_OK;
}

/* Does every arc between states of the order lead on in it? */
static bool leads_on(pf_fst *fst, const pfi_numbers *order) {
    size_t *place = calloc((size_t)pf_fst_states(fst) + 1, sizeof *place); /* 0: not in the order */
    bool good = true;
    if (!place) return true; /* nobody can say */
    for (size_t i = 0; i < order->n; i++) place[order->at[i]] = i + 1;
    for (size_t i = 0; good && i < order->n; i++) {
        pf_arcs arcs = pf_fst_arcs(fst, order->at[i]);
        for (uint32_t k = 0; k < arcs.n; k++) good &= !place[arcs.arc[k].to] || place[arcs.arc[k].to] > i + 1;
    }
    free(place);
    return good;
}

pf_err pfi_topological(pf_fst *fst, const char *keep, pfi_numbers *order, pf_state *on_cycle) {
    pf_heap next = {.before = smaller};
    uint64_t *entries = calloc((size_t)pf_fst_states(fst) + 1, sizeof *entries), wanted = 0;
    *on_cycle = PF_NO_STATE;
    if (!entries) return pf_nomem();
    count_entries(fst, keep, entries);
    pf_err err = sort(fst, keep, entries, &next, order);
    for (pf_state state = 0; state < pf_fst_states(fst); state++) wanted += kept(keep, state);
    PFI_CHECK(err || leads_on(fst, order));
    if (!err && order->n < wanted) err = find_cycle(fst, keep, entries, on_cycle);
    pf_heap_free(&next);
    free(entries);
    return err;
}

/* ---- what is on a path ---- */

enum { FROM_START = 1, TO_END = 2 };

static pf_err reach_forward(pf_fst *fst, char *seen) {
    pfi_numbers todo = {0};
    pf_err err = PF_PUSH(&todo, fst->start);
    seen[fst->start] |= FROM_START;
    while (!err && todo.n) {
        pf_arcs arcs = pf_fst_arcs(fst, todo.at[--todo.n]);
        for (uint32_t i = 0; !err && i < arcs.n; i++) {
            if (seen[arcs.arc[i].to] & FROM_START) continue;
            seen[arcs.arc[i].to] |= FROM_START;
            err = PF_PUSH(&todo, arcs.arc[i].to);
        }
    }
    PF_VEC_FREE(&todo);
    return err;
}

/* The sources of the arcs into each state s: source[begin[s]] .. source[begin[s + 1] - 1]. */
static void turn_arcs(pf_fst *fst, uint64_t *begin, pf_state *source) {
    pf_state states = pf_fst_states(fst);
    count_entries(fst, NULL, begin + 2);
    for (pf_state state = 0; state < states; state++) begin[state + 2] += begin[state + 1];
    for (pf_state state = 0; state < states; state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (uint32_t i = 0; i < arcs.n; i++) source[begin[arcs.arc[i].to + 1]++] = state;
    }
}

static pf_err reach_backward(pf_fst *fst, const uint64_t *begin, const pf_state *source, char *seen) {
    pfi_numbers todo = {0};
    pf_err err = PF_OK;
    for (pf_state state = 0; !err && state < pf_fst_states(fst); state++) {
        if (pf_fst_final(fst, state) == INFINITY) continue;
        seen[state] |= TO_END;
        err = PF_PUSH(&todo, state);
    }
    while (!err && todo.n) {
        pf_state state = todo.at[--todo.n];
        for (uint64_t i = begin[state]; !err && i < begin[state + 1]; i++) {
            if (seen[source[i]] & TO_END) continue;
            seen[source[i]] |= TO_END;
            err = PF_PUSH(&todo, source[i]);
        }
    }
    PF_VEC_FREE(&todo);
    return err;
}

/* seen[s] becomes 1 for the states on a path and 0 for the others. */
static pf_err find_paths(pf_fst *fst, uint64_t arcs, char *seen) {
    pf_state states = pf_fst_states(fst);
    uint64_t *begin = calloc((size_t)states + 3, sizeof *begin);
    pf_state *source = malloc((arcs + 1) * sizeof *source);
    pf_err err = begin && source ? reach_forward(fst, seen) : pf_nomem();
    if (!err) turn_arcs(fst, begin, source);
    if (!err) err = reach_backward(fst, begin, source, seen);
    free(begin);
    free(source);
    for (pf_state state = 0; state < states; state++) seen[state] = seen[state] == (FROM_START | TO_END);
    return err;
}

/* ---- nodes and links ---- */

/* Whether the last node can be the end: the only final one, without arcs and without a cost. */
static bool has_end(const pfi_lattice *lattice) {
    assert(lattice->state.n);
    for (size_t i = 0; i + 1 < lattice->state.n; i++)
        if (pf_fst_final(lattice->fst, lattice->state.at[i]) != INFINITY) return false;
    return pf_fst_final(lattice->fst, lattice->state.at[lattice->state.n - 1]) == 0;
}

static pf_err number_nodes(pfi_lattice *lattice, const char *on_path) {
    pf_state cycle, states = pf_fst_states(lattice->fst);
    PF_TRY(pfi_topological(lattice->fst, on_path, &lattice->state, &cycle));
    if (cycle != PF_NO_STATE)
        return pf_fail(PF_EINPUT, "a lattice has no cycle, but this automaton has one through state %u", cycle);
    if (!lattice->state.n) return pf_fail(PF_EINPUT, "a lattice has a path, but this automaton has none");
    PF_TRY(PF_ROOM(&lattice->node, states));
    while (lattice->node.n < states) lattice->node.at[lattice->node.n++] = NO_NODE;
    for (size_t i = 0; i < lattice->state.n; i++) lattice->node.at[lattice->state.at[i]] = (uint32_t)i;
    assert(lattice->state.at[0] == lattice->fst->start);
    lattice->joined = !has_end(lattice);
    for (uint32_t i = 0; i < lattice->state.n; i++) {
        pfi_node_link link;
        for (uint32_t k = 0; pfi_lattice_link(lattice, i, &k, &link);) lattice->links++;
    }
    return PF_OK;
}

pf_err pfi_lattice_of(pf_fst *fst, bool numeric, const char *epsilon, pfi_lattice *lattice) {
    *lattice = (pfi_lattice){.fst = fst, .words = numeric ? NULL : fst->osyms, .epsilon = epsilon};
    PF_TRY(pf_fst_complete(fst));
    char *seen = calloc((size_t)pf_fst_states(fst) + 1, 1);
    if (!seen) return pf_nomem();
    pf_err err = fst->start == PF_NO_STATE ? PF_OK : find_paths(fst, fst->narcs, seen);
    if (!err) err = number_nodes(lattice, seen);
    free(seen);
    if (err) pfi_lattice_free(lattice);
    return err;
}

void pfi_lattice_free(pfi_lattice *lattice) {
    PF_VEC_FREE(&lattice->state);
    PF_VEC_FREE(&lattice->node);
}

bool pfi_lattice_link(const pfi_lattice *lattice, uint32_t node, uint32_t *k, pfi_node_link *out) {
    assert(node < lattice->state.n);
    pf_state state = lattice->state.at[node];
    pf_arcs arcs = pf_fst_arcs(lattice->fst, state);
    for (; *k < arcs.n; ++*k) {
        const pf_arc *arc = &arcs.arc[*k];
        if (lattice->node.at[arc->to] == NO_NODE) continue;
        *out = (pfi_node_link){lattice->node.at[arc->to], arc->out, arc->w};
        ++*k;
        return true;
    }
    float final = pf_fst_final(lattice->fst, state);
    if (*k > arcs.n || !lattice->joined || final == INFINITY) return false;
    *out = (pfi_node_link){(uint32_t)lattice->state.n, PF_EPSILON, final};
    *k = arcs.n + 1;
    return true;
}

pf_err pfi_lattice_word(const pfi_lattice *lattice, pf_label label, char *number, const char **word, size_t *length) {
    char shown[SHOWN];
    *word = lattice->epsilon;
    *length = strlen(lattice->epsilon);
    if (label == PF_EPSILON) return PF_OK;
    if (!lattice->words) {
        *word = number;
        *length = (size_t)snprintf(number, PFI_NUMBER, "%d", label);
        return PF_OK;
    }
    *word = pf_symtab_name(lattice->words, label, length);
    if (!*word) return pf_fail(PF_EINPUT, "label %d is not in the symbol table", label);
    if (!*length || memchr(*word, 0, *length))
        return pf_fail(PF_EINPUT, "the symbol of label %d %s", label, *length ? "has a NUL byte" : "is empty");
    if (*length != strlen(lattice->epsilon) || memcmp(*word, lattice->epsilon, *length) != 0) return PF_OK;
    return pf_fail(PF_EINPUT, "the word '%s' (label %d) would be read back as epsilon",
                   pfi_printable(*word, *length, shown, sizeof shown), label);
}
