/* Triples of states, interned; the second machine's arcs sorted by input label when a state of it is first met. */
#include "ops/compose.h"

#include "base/statetab.h"
#include "ops/labelmap.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_state first, second;
    uint32_t filter; /* 1: the second has moved alone on epsilon, so the first may not until both move */
} triple;

typedef struct {
    pf_fst *first, *second;
    pf_labelmap words;
    pf_statetab triples;
    pf_arena memory;
    PF_VEC(const pf_arc *) sorted; /* of each state of the second, by input label; NULL: not yet */
} compose;

static void compose_free(void *self) {
    compose *c = self;
    pf_labelmap_free(&c->words);
    pf_statetab_free(&c->triples);
    pf_arena_free(&c->memory);
    PF_VEC_FREE(&c->sorted);
    free(c);
}

static int by_input(const void *a, const void *b) {
    const pf_arc *x = a, *y = b;
    return (x->in > y->in) - (x->in < y->in);
}

static bool is_sorted(pf_arcs a) {
    for (uint32_t i = 1; i < a.n; i++)
        if (a.arc[i].in < a.arc[i - 1].in) return false;
    return true;
}

static pf_err sorted_arcs(compose *c, pf_state s, pf_arcs *out) {
    *out = pf_fst_arcs(c->second, s);
    while (c->sorted.n <= s) PF_TRY(PF_PUSH(&c->sorted, NULL));
    if (!c->sorted.at[s]) {
        c->sorted.at[s] = out->arc;
        if (!is_sorted(*out)) {
            pf_arc *copy = pf_arena_get(&c->memory, out->n * sizeof *copy);
            if (!copy) return pf_nomem();
            memcpy(copy, out->arc, out->n * sizeof *copy);
            qsort(copy, out->n, sizeof *copy, by_input);
            c->sorted.at[s] = copy;
        }
    }
    out->arc = c->sorted.at[s];
    return PF_OK;
}

/* The first arc whose input label is at least x. */
static uint32_t lower_bound(pf_arcs a, pf_label x) {
    uint32_t low = 0, high = a.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a.arc[middle].in < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

static pf_err move(compose *c, triple next, pf_label in, pf_label out, double w, pf_emit *to) {
    pf_state id;
    PF_TRY(pf_statetab_intern(&c->triples, &next, sizeof next, &id, NULL));
    return pf_emit_arc(to, in, out, (float)w, id);
}

/* One arc of the first: alone on an output epsilon, else with every arc of the second that reads its word. */
static pf_err first_moves(compose *c, const triple *from, const pf_arc *a, pf_arcs second, pf_emit *to) {
    if (a->out == PF_EPSILON) {
        triple next = {a->to, from->second, 0};
        return from->filter ? PF_OK : move(c, next, a->in, PF_EPSILON, (double)a->w, to);
    }
    pf_label word;
    PF_TRY(pf_labelmap_get(&c->words, a->out, &word));
    if (word == PF_NO_LABEL || word == PF_EPSILON) return PF_OK;
    for (uint32_t i = lower_bound(second, word); i < second.n && second.arc[i].in == word; i++) {
        const pf_arc *b = &second.arc[i];
        triple next = {a->to, b->to, 0};
        PF_TRY(move(c, next, a->in, b->out, (double)a->w + (double)b->w, to));
    }
    return PF_OK;
}

/* The second alone on its input epsilons: not where the first can do nothing but move on epsilon itself. */
static pf_err second_moves(compose *c, const triple *from, pf_arcs first, pf_arcs second, pf_emit *to) {
    uint32_t epsilons = 0;
    for (uint32_t i = 0; i < first.n; i++) epsilons += first.arc[i].out == PF_EPSILON;
    if (epsilons && epsilons == first.n && pf_fst_final(c->first, from->first) == INFINITY) return PF_OK;
    for (uint32_t i = 0; i < second.n && second.arc[i].in == PF_EPSILON; i++) {
        const pf_arc *b = &second.arc[i];
        triple next = {from->first, b->to, epsilons > 0};
        PF_TRY(move(c, next, PF_EPSILON, b->out, (double)b->w, to));
    }
    return PF_OK;
}

static pf_err compose_expand(void *self, pf_state s, pf_emit *to) {
    compose *c = self;
    size_t length;
    triple from;
    memcpy(&from, pf_statetab_key(&c->triples, s, &length), sizeof from);
    pf_arcs first = pf_fst_arcs(c->first, from.first), second;
    PF_TRY(sorted_arcs(c, from.second, &second));
    for (uint32_t i = 0; i < first.n; i++) PF_TRY(first_moves(c, &from, &first.arc[i], second, to));
    PF_TRY(second_moves(c, &from, first, second, to));
    to->final = (float)((double)pf_fst_final(c->first, from.first) + (double)pf_fst_final(c->second, from.second));
    PF_TRY(pf_fst_error(c->first));
    return pf_fst_error(c->second);
}

static const pf_op compose_op = {.name = "compose", .expand = compose_expand, .free = compose_free};

pf_err pf_compose_lazy(pf_fst *first, pf_fst *second, pf_fst **out) {
    if ((first->type == PF_STANDARD) != (second->type == PF_STANDARD))
        return pf_fail(PF_EARG, "can't compose automata of the arc types %s and %s", pf_arc_type_name(first->type),
                       pf_arc_type_name(second->type));
    compose *c = calloc(1, sizeof *c);
    if (!c) return pf_nomem();
    c->first = first;
    c->second = second;
    pf_labelmap_tables(&c->words, first->osyms, second->isyms);
    triple start = {first->start, second->start, 0};
    pf_statetab_init(&c->triples, sizeof start);
    PF_TRY(pf_fst_new(first->type, &compose_op, c, out));
    pf_fst_set_symbols(*out, first->isyms, second->osyms);
    if (start.first == PF_NO_STATE || start.second == PF_NO_STATE) return PF_OK;
    pf_err err = pf_statetab_intern(&c->triples, &start, sizeof start, &(*out)->start, NULL);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}
