/* Triples of states, interned; match.c finds the second machine's arcs. */
#include <permfst/ops/compose.h>

#include <permfst/base/statetab.h>
#include <permfst/machine/scale.h>
#include <permfst/ops/labelmap.h>
#include <permfst/ops/most.h>

#include "ops/match_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_state first, second;
    uint32_t filter; /* 1: the second has moved alone on epsilon, so the first may not until both move */
} triple;

typedef struct {
    pf_fst *first;
    pf_match *second, *own; /* own: made here */
    double scale[2];        /* of the costs of either side */
    pf_labelmap words;
    pf_statetab triples;
} compose_machine;

static void compose_free(void *self) {
    compose_machine *compose = self;
    pf_labelmap_free(&compose->words);
    pf_statetab_free(&compose->triples);
    pf_match_free(compose->own);
    free(compose);
}

/* What both sides cost together, made a float once. */
static pf_err sum(const compose_machine *compose, double first, double second, float *out) {
    double cost = pf_scaled(compose->scale[0], first) + pf_scaled(compose->scale[1], second);
    *out = (float)cost;
    return pf_cost_fits(cost) ? PF_OK : pf_cost_too_large(cost);
}

static pf_err move(compose_machine *compose, triple next, pf_label in, pf_label out, float weight, pf_emit *to) {
    pf_state id;
    PF_TRY(pf_statetab_intern(&compose->triples, &next, sizeof next, &id, NULL));
    return pf_emit_arc(to, in, out, weight, id);
}

/* The first alone on an output epsilon. */
static pf_err first_alone(compose_machine *compose, const triple *from, const pf_arc *arc, pf_emit *to) {
    triple next = {arc->to, from->second, 0};
    float weight;
    if (from->filter) return PF_OK;
    PF_TRY(sum(compose, (double)arc->w, 0, &weight));
    return move(compose, next, arc->in, PF_EPSILON, weight, to);
}

/* What a loop that reads a word puts out: the word. */
static pf_err rewritten(const compose_machine *compose, const pf_arc *arc, pf_label word, pf_label *out) {
    const char *name;
    *out = word;
    if (word > 0) return PF_OK;
    name = compose->words.from ? pf_symtab_name(compose->words.from, arc->out, NULL) : "";
    return pf_fail(PF_EINPUT, "a failure loop reads the word '%.100s', which the symbol table of the second automaton lacks", name);
}

/* One arc of the first with every arc of the second that reads its word. */
static pf_err both_move(compose_machine *compose, const triple *from, const pf_arc *arc, pf_emit *to) {
    pf_label word;
    pf_matched found;
    PF_TRY(pf_labelmap_get(&compose->words, arc->out, &word));
    PF_TRY(pf_match_word(compose->second, from->second, word, &found));
    for (uint32_t i = 0; i < found.n; i++) {
        const pf_arc *b = &found.arc[i];
        triple next = {arc->to, b->to, 0};
        pf_label out = b->out;
        float weight;
        if (found.rewrite) PF_TRY(rewritten(compose, arc, word, &out));
        PF_TRY(sum(compose, (double)arc->w, found.failed + (double)b->w, &weight));
        PF_TRY(move(compose, next, arc->in, out, weight, to));
    }
    return PF_OK;
}

/* The second alone on its input epsilons: not where the first can do nothing but move on epsilon itself. */
static pf_err second_moves(compose_machine *compose, const triple *from, pf_arcs first, pf_emit *to) {
    uint32_t epsilons = 0;
    pf_matched found;
    for (uint32_t i = 0; i < first.n; i++) epsilons += first.arc[i].out == PF_EPSILON;
    if (epsilons == first.n && pf_fst_final(compose->first, from->first) == INFINITY) return PF_OK;
    PF_TRY(pf_match_epsilons(compose->second, from->second, &found));
    for (uint32_t i = 0; i < found.n; i++) {
        const pf_arc *b = &found.arc[i];
        triple next = {from->first, b->to, epsilons > 0};
        float weight;
        PF_TRY(sum(compose, 0, (double)b->w, &weight));
        PF_TRY(move(compose, next, PF_EPSILON, b->out, weight, to));
    }
    return PF_OK;
}

static pf_err end(compose_machine *compose, const triple *from, pf_emit *to) {
    double first = (double)pf_fst_final(compose->first, from->first), second;
    if (first == (double)INFINITY) return PF_OK;
    PF_TRY(pf_match_final(compose->second, from->second, &second));
    return sum(compose, first, second, &to->final);
}

static pf_err compose_expand(void *self, pf_state state, pf_emit *to) {
    compose_machine *compose = self;
    size_t length;
    triple from;
    memcpy(&from, pf_statetab_key(&compose->triples, state, &length), sizeof from);
    assert(length == sizeof from);
    pf_arcs first = pf_fst_arcs(compose->first, from.first);
    for (uint32_t i = 0; i < first.n; i++) {
        const pf_arc *arc = &first.arc[i];
        PF_TRY(arc->out == PF_EPSILON ? first_alone(compose, &from, arc, to) : both_move(compose, &from, arc, to));
    }
    PF_TRY(second_moves(compose, &from, first, to));
    PF_TRY(end(compose, &from, to));
    PF_TRY(pf_fst_error(compose->first));
    return pf_fst_error(pf_match_fst(compose->second));
}

static bool compose_nonnegative(const void *self) {
    const compose_machine *compose = self;
    return pf_scaled_nonnegative(compose->scale[0], pf_fst_nonnegative(compose->first)) &&
           pf_scaled_nonnegative(compose->scale[1], pf_match_nonnegative(compose->second));
}

static const struct pf_con *compose_space(const void *self) { return pf_fst_space(((const compose_machine *)self)->first); }

static uint64_t compose_bytes(const void *self) {
    const compose_machine *compose = self;
    return pf_statetab_bytes(&compose->triples) + pf_fst_bytes(compose->first) + pf_fst_bytes(pf_match_fst(compose->second));
}

/* ---- what no path exceeds ---- */

/* By words of the first: what the best arc of the second gains that reads one, with what the second may gain alone after it. */
typedef struct {
    compose_machine *compose;
    const pf_gain *gain;
    pf_statetab labels;      /* that arcs of the second read; and what the best of them gains: */
    PF_VEC(double) best;
    double looping;          /* the best of the failure arcs that read any word */
    PF_VEC(uint32_t) before; /* by state: arcs without input that lead to it */
    PF_VEC(double) moved;    /* the most of a path of such arcs to it */
    PF_VEC(pf_state) order;
    double alone;            /* the most of such a path; INFINITY: they have a cycle */
} second_gain;

static pf_err note_arc(second_gain *own, pf_state from, const pf_arc *arc) {
    uint32_t id;
    double gain;
    bool fails = arc->in == own->compose->second->phi;
    assert(arc->to < own->before.n);
    if (arc->in == PF_EPSILON) return own->before.at[arc->to]++, PF_OK;
    if (fails && arc->to != from) return PF_OK;
    PF_TRY(own->gain->of(own->gain->self, arc->out, &gain));
    if (fails) return own->looping = gain > own->looping ? gain : own->looping, PF_OK;
    PF_TRY(pf_statetab_intern(&own->labels, &arc->in, sizeof arc->in, &id, NULL));
    if (id == own->best.n) return PF_PUSH(&own->best, gain);
    if (gain > own->best.at[id]) own->best.at[id] = gain;
    return PF_OK;
}

static pf_err note_arcs(second_gain *own, pf_fst *second) {
    for (pf_state state = 0; state < pf_fst_states(second); state++) {
        PF_TRY(PF_PUSH(&own->before, 0));
        PF_TRY(PF_PUSH(&own->moved, 0));
    }
    for (pf_state state = 0; state < pf_fst_states(second); state++) {
        pf_arcs arcs = pf_fst_arcs(second, state);
        for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(note_arc(own, state, &arcs.arc[i]));
    }
    return PF_OK;
}

/* Over arcs without input, sources before targets (Kahn 1962). */
static pf_err follow_epsilons(second_gain *own, pf_fst *second) {
    for (pf_state state = 0; state < own->before.n; state++)
        if (!own->before.at[state]) PF_TRY(PF_PUSH(&own->order, state));
    own->alone = 0;
    for (size_t k = 0; k < own->order.n; k++) {
        pf_arcs arcs = pf_fst_arcs(second, own->order.at[k]);
        double so_far = own->moved.at[own->order.at[k]], gain;
        if (so_far > own->alone) own->alone = so_far;
        for (uint32_t i = 0; i < arcs.n; i++) {
            pf_state to = arcs.arc[i].to;
            if (arcs.arc[i].in != PF_EPSILON) continue;
            PF_TRY(own->gain->of(own->gain->self, arcs.arc[i].out, &gain));
            if (so_far + gain > own->moved.at[to]) own->moved.at[to] = so_far + gain;
            assert(own->before.at[to]);
            if (!--own->before.at[to]) PF_TRY(PF_PUSH(&own->order, to));
        }
    }
    if (own->order.n < own->before.n) own->alone = (double)INFINITY;
    return PF_OK;
}

static pf_err first_gain(void *self, pf_label label, double *gain) {
    second_gain *own = self;
    pf_label word;
    *gain = 0;
    if (label == PF_EPSILON) return PF_OK;
    PF_TRY(pf_labelmap_get(&own->compose->words, label, &word));
    uint32_t id = pf_statetab_find(&own->labels, &word, sizeof word);
    *gain = id < own->best.n && own->best.at[id] > own->looping ? own->best.at[id] : own->looping;
    if (word > 0 && pf_match_rewrites(own->compose->second)) {
        double same;
        PF_TRY(own->gain->of(own->gain->self, word, &same));
        if (same > *gain) *gain = same;
    }
    *gain += own->alone;
    return PF_OK;
}

/* The first with what the second makes of its words, and the second by itself: the less of both, where the first has no cycle. */
static pf_err bound_both(second_gain *own, double *out) {
    pf_fst *second = pf_match_fst(own->compose->second);
    double other;
    PF_TRY(note_arcs(own, second));
    PF_TRY(follow_epsilons(own, second));
    if (own->alone == (double)INFINITY) return PF_OK;
    PF_TRY(pf_most_known(own->compose->first, &(pf_gain){first_gain, own}, out));
    if (*out == (double)INFINITY) return PF_OK;
    *out += own->alone;
    PF_TRY(pf_most_known(second, own->gain, &other));
    if (other < *out) *out = other;
    return PF_OK;
}

static pf_err compose_most(void *self, const pf_gain *gain, double *out) {
    compose_machine *compose = self;
    second_gain own = {.compose = compose, .gain = gain, .looping = -(double)INFINITY};
    *out = (double)INFINITY;
    if (pf_match_fst(compose->second)->op) return PF_OK;
    pf_statetab_init(&own.labels, sizeof(pf_label));
    pf_err err = bound_both(&own, out);
    pf_statetab_free(&own.labels);
    PF_VEC_FREE(&own.best);
    PF_VEC_FREE(&own.before);
    PF_VEC_FREE(&own.moved);
    PF_VEC_FREE(&own.order);
    return err;
}

static const pf_op compose_op = {
    .name = "compose", .expand = compose_expand, .free = compose_free, .nonnegative = compose_nonnegative, .space = compose_space,
    .bytes = compose_bytes, .most = compose_most,
};

/* The table of the second, followed by the words of the first that it lacks. */
static pf_err longer_table(const pf_symtab *words, const pf_symtab *second, pf_symtab **out) {
    PF_TRY(pf_symtab_new(pf_symtab_title(second), out));
    const pf_symtab *both[] = {second, words};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < pf_symtab_count(both[side]); i++) {
            size_t n;
            pf_label label;
            const char *word = pf_symtab_at(both[side], i, &n, &label);
            if (!side) PF_TRY(pf_symtab_put(*out, word, n, label));
            else if (label) PF_TRY(pf_symtab_add(*out, word, n, &label));
        }
    return PF_OK;
}

static pf_err set_symbols(compose_machine *compose, pf_fst *out) {
    const pf_fst *second = pf_match_fst(compose->second);
    pf_symtab *words = compose->first->osyms, *longer = NULL;
    pf_err err = PF_OK;
    if (words && second->isyms && pf_match_rewrites(compose->second)) err = longer_table(words, second->isyms, &longer);
    if (!err) pf_fst_set_symbols(out, compose->first->isyms, longer ? longer : second->osyms);
    if (!err) pf_labelmap_tables(&compose->words, words, longer ? longer : second->isyms);
    pf_symtab_free(longer);
    return err;
}

static pf_err set_up(compose_machine *compose, pf_fst *out) {
    triple start = {compose->first->start, pf_match_fst(compose->second)->start, 0};
    pf_statetab_init(&compose->triples, sizeof start);
    PF_TRY(set_symbols(compose, out));
    if (start.first == PF_NO_STATE || start.second == PF_NO_STATE) return PF_OK;
    return pf_statetab_intern(&compose->triples, &start, sizeof start, &out->start, NULL);
}

static pf_err make(pf_fst *first, pf_match *second, pf_match *own, const double scale[2], pf_fst **out) {
    compose_machine *compose = calloc(1, sizeof *compose);
    if (!compose) {
        pf_match_free(own);
        return pf_nomem();
    }
    *compose = (compose_machine){.first = first, .second = second, .own = own, .scale = {scale[0], scale[1]}};
    PF_TRY(pf_fst_new(first->type, &compose_op, compose, out));
    pf_err err = set_up(compose, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}

pf_err pf_compose_types(pf_arc_type first, pf_arc_type second) {
    if ((first == PF_STANDARD) == (second == PF_STANDARD)) return PF_OK;
    return pf_fail(PF_EARG, "automata of the arc types %s and %s cannot be composed", pf_arc_type_name(first),
                   pf_arc_type_name(second));
}

pf_err pf_compose_match(pf_fst *first, pf_match *second, const double scale[2], pf_fst **out) {
    PF_TRY(pf_compose_types(first->type, pf_match_fst(second)->type));
    return make(first, second, NULL, scale, out);
}

pf_err pf_compose_lazy(pf_fst *first, pf_fst *second, pf_fst **out) {
    static const double scale[] = {1, 1};
    pf_match *own;
    PF_TRY(pf_compose_types(first->type, second->type));
    PF_TRY(pf_match_new(second, NULL, &own));
    return make(first, own, own, scale, out);
}
