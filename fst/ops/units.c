/* Units of words, made when a word is first met. */
#include "ops/units_impl.h"

#include <permfst/ops/most.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making units ---- */

/* A word spelt like epsilon's name in the table gets label 0: it would be silence. */
static pf_err say_word(pf_units *units, const char *word, size_t length) {
    pf_label label;
    PF_TRY(pf_symtab_add(units->words, word, length, &label));
    if (label == PF_EPSILON) return pf_fail(PF_EINPUT, "the target word '%.80s' is the symbol of epsilon in automata", word);
    return PF_PUSH(&units->said, label);
}

static pf_err say_tuple(pf_units *units, pf_label tuple) {
    pf_tuple_labels labels = {0};
    if (tuple != PF_EPSILON) labels = pf_tuplemodel_at(units->tuples, tuple);
    for (unsigned i = 0; i < labels.n_target; i++) {
        size_t n;
        const char *word = pf_symtab_name(pf_tuplemodel_target(units->tuples), labels.target[i], &n);
        PF_TRY(say_word(units, word, n));
    }
    return PF_OK;
}

/* A tuple speaks at its first place. `passed` is the word to be passed through, or NULL. */
static pf_err say_all(pf_units *units, const pf_unit *one, const char *passed, size_t length) {
    PF_TRY(say_tuple(units, one->before));
    if (passed) PF_TRY(say_word(units, passed, length));
    else if (!one->place) PF_TRY(say_tuple(units, one->tuple));
    return say_tuple(units, one->after);
}

static void name_of(const pf_units *units, const pf_unit *one, char number[24], const char **name, size_t *length) {
    bool whole = !one->passed && !one->before && !one->after && pf_tuplemodel_at(units->tuples, one->tuple).n_source == 1;
    if (whole) *name = pf_symtab_name(units->tuples->cls->words(units->tuples->self), one->tuple, length);
    else {
        *length = (size_t)snprintf(number, 24, "#%zu", units->unit.n + 1); /* no tuple: they have a | */
        *name = number;
    }
}

static pf_err add_unit(pf_units *units, pf_unit one, const char *passed, size_t n_passed) {
    char number[24];
    const char *name;
    size_t length;
    pf_label label;
    if (units->unit.n == INT32_MAX || units->said.n > UINT32_MAX / 2)
        return pf_fail(PF_ELIMIT, "a sentence has more than %zu tuples, including inserted ones", units->unit.n);
    name_of(units, &one, number, &name, &length);
    PF_TRY(pf_symtab_add(units->names, name, length, &label));
    one.said = (uint32_t)units->said.n;
    PF_TRY(say_all(units, &one, passed, n_passed));
    one.n_said = (uint32_t)units->said.n - one.said;
    return PF_PUSH(&units->unit, one);
}

static pf_err add_reading(pf_units *units, pf_unit one, const char *passed, size_t length) {
    PF_TRY(add_unit(units, one, passed, length));
    return PF_PUSH(&units->reading, (pf_label)units->unit.n);
}

/* The plain unit of a tuple, if it was made before all others. */
static pf_label find_plain(const pf_units *units, pf_label tuple) {
    size_t low = 0, high = units->plain;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (units->unit.at[middle].tuple < tuple) low = middle + 1;
        else high = middle;
    }
    return low < units->plain && units->unit.at[low].tuple == tuple ? (pf_label)low + 1 : PF_EPSILON;
}

/* A place with tuples inserted before it, where it is the first of its tuple, and after it, where it is the last. `passed` is the
 * word of a unit that passes it through. */
static pf_err add_insertions(pf_units *units, pf_unit one, bool last, const pf_word *passed) {
    size_t n;
    const pf_tuple_place *inserted = pf_tuplemodel_places(units->tuples, PF_EPSILON, &n);
    size_t fronts = one.place ? 0 : n, ends = last ? n : 0;
    if (n) units->ordered = true;
    for (size_t i = 0; i <= fronts; i++)
        for (size_t k = 0; k <= ends; k++) {
            pf_unit with = one;
            if (i) with.before = inserted[i - 1].tuple;
            if (k) with.after = inserted[k - 1].tuple;
            if (i || k) PF_TRY(add_reading(units, with, passed ? passed->at : NULL, passed ? passed->n : 0));
        }
    return PF_OK;
}

static int by_label(const void *first, const void *second) {
    pf_label label = *(const pf_label *)first, next = *(const pf_label *)second;
    return (label > next) - (label < next);
}

/* Does each source word of a tuple occur in the automaton? Most tuples of several frequent words have one that does not. */
static bool may_be_read(const pf_units *units, pf_label tuple) {
    const pf_tuple_labels labels = pf_tuplemodel_at(units->tuples, tuple);
    for (unsigned i = 0; units->closed && i < labels.n_source; i++)
        if (!bsearch(&labels.source[i], units->occurring.at, units->occurring.n, sizeof(pf_label), by_label)) return false;
    return true;
}

static pf_err add_place(pf_units *units, pf_tuple_place place) {
    unsigned places = pf_tuplemodel_at(units->tuples, place.tuple).n_source;
    pf_unit one = {.tuple = place.tuple, .place = place.place};
    pf_label plain = places == 1 ? find_plain(units, place.tuple) : PF_EPSILON;
    if (places > 1) units->ordered = true;
    PF_TRY(plain ? PF_PUSH(&units->reading, plain) : add_reading(units, one, NULL, 0));
    return add_insertions(units, one, place.place + 1 == places, NULL);
}

static pf_err add_word(pf_units *units, const char *word, size_t length) {
    pf_label label = pf_symtab_find(pf_tuplemodel_source(units->tuples), word, length);
    size_t places = 0;
    bool alone = false;
    const pf_tuple_place *at = label == PF_NO_LABEL ? NULL : pf_tuplemodel_places(units->tuples, label, &places);
    for (size_t i = 0; i < places; i++) {
        alone = alone || pf_tuplemodel_at(units->tuples, at[i].tuple).n_source == 1;
        if (may_be_read(units, at[i].tuple)) PF_TRY(add_place(units, at[i]));
    }
    pf_unit passed = {.tuple = units->tuples->cls->unknown(units->tuples->self), .passed = true};
    if (alone) return PF_OK;
    PF_TRY(add_reading(units, passed, word, length));
    return add_insertions(units, passed, true, &(pf_word){word, length});
}

pf_err pfi_units_of(pf_units *units, pf_label word, const pf_label **unit, size_t *count) {
    uint32_t id;
    size_t length;
    assert(word != PF_EPSILON);
    if ((id = pf_statetab_find(&units->met, &word, sizeof word)) == UINT32_MAX) {
        const char *name = pf_symtab_name(units->from, word, &length);
        size_t first = units->reading.n;
        if (!name) return pf_fail(PF_EINPUT, "label %d is not in the symbol table '%.100s'", word, pf_symtab_title(units->from));
        PF_TRY(add_word(units, name, length));
        PF_TRY(PF_ROOM(&units->of, 1));
        PF_TRY(pf_statetab_intern(&units->met, &word, sizeof word, &id, NULL));
        units->of.at[units->of.n++] = (pfi_readings){first, units->reading.n - first};
    }
    *unit = units->reading.at + units->of.at[id].first;
    *count = units->of.at[id].n;
    return PF_OK;
}

/* ---- those of an alphabet ---- */

typedef PF_VEC(pf_label) label_list;

/* The automaton's words that the tuple model knows. */
static pf_err list_occurring(pf_units *units, const pf_fst *fst) {
    for (size_t i = 0; i < fst->alphabet.n; i++) {
        size_t n;
        const char *word = pf_symtab_name(units->from, fst->alphabet.at[i], &n);
        pf_label label = word ? pf_symtab_find(pf_tuplemodel_source(units->tuples), word, n) : PF_NO_LABEL;
        if (label != PF_NO_LABEL) PF_TRY(PF_PUSH(&units->occurring, label));
    }
    if (units->occurring.n) qsort(units->occurring.at, units->occurring.n, sizeof *units->occurring.at, by_label);
    return PF_OK;
}

/* The tuples of one source word that occurs, in their order. */
static pf_err plain_tuples(const pf_units *units, label_list *out) {
    for (size_t i = 0; i < units->occurring.n; i++) {
        size_t places;
        const pf_tuple_place *at = pf_tuplemodel_places(units->tuples, units->occurring.at[i], &places);
        for (size_t k = 0; k < places; k++)
            if (pf_tuplemodel_at(units->tuples, at[k].tuple).n_source == 1) PF_TRY(PF_PUSH(out, at[k].tuple));
    }
    if (out->n) qsort(out->at, out->n, sizeof *out->at, by_label);
    return PF_OK;
}

/* What it is made of, if it is a permutation automaton of a sentence or of a word graph. */
static bool look_at_slots(const pf_fst *fst, pf_slots_view *out) {
    void (*look)(const void *self, pf_slots_view *out) = !fst->op ? NULL : fst->op->slots ? fst->op->slots : fst->op->graph;
    if (look) look(fst->self, out);
    return look != NULL;
}

static bool has_slots(const pf_fst *fst) { return fst->op && fst->op->slots; }
static bool has_graph(const pf_fst *fst) { return fst->op && fst->op->graph; }

/* May a path say nothing? Of an automaton that is not known yet, one may. */
static bool may_be_silent(const pf_fst *fst) {
    pf_slots_view slots;
    const bool epsilons = fst->alphabet.n && fst->alphabet.at[0] == PF_EPSILON;
    if (!look_at_slots(fst, &slots)) return true;
    if (has_graph(fst)) return epsilons || !slots.n; /* a path may leave out those that say something */
    for (unsigned j = 0; j < slots.n; j++) {
        bool silent = false;
        for (uint32_t i = slots.first[j]; i < slots.first[j + 1]; i++) silent = silent || slots.arc[i].out == PF_EPSILON;
        if (!silent) return false;
    }
    return true;
}

/* Units of the tuples that are inserted where nothing was read. */
static pf_err add_alone(pf_units *units, const pf_fst *fst) {
    size_t n;
    const pf_tuple_place *inserted = pf_tuplemodel_places(units->tuples, PF_EPSILON, &n);
    units->alone = n && may_be_silent(fst);
    units->ordered = units->ordered || units->alone;
    units->alone_first = units->unit.n;
    for (size_t i = 0; units->alone && i < n; i++) PF_TRY(add_unit(units, (pf_unit){.tuple = inserted[i].tuple}, NULL, 0));
    units->alone_n = units->unit.n - units->alone_first;
    return PF_OK;
}

static pf_err add_alphabet(pf_units *units, const pf_fst *fst) {
    label_list plain = {0};
    const pf_label *unit;
    size_t count;
    pf_err err = plain_tuples(units, &plain);
    units->plain = plain.n;
    for (size_t i = 0; !err && i < plain.n; i++) err = add_unit(units, (pf_unit){.tuple = plain.at[i]}, NULL, 0);
    for (size_t i = 0; !err && i < fst->alphabet.n; i++)
        if (fst->alphabet.at[i] != PF_EPSILON) err = pfi_units_of(units, fst->alphabet.at[i], &unit, &count);
    PF_VEC_FREE(&plain);
    return err ? err : add_alone(units, fst);
}

pf_err pf_units_new(const pf_model *tuples, const pf_fst *fst, pf_units **out) {
    if (!fst->osyms)
        return pf_fail(PF_EINPUT, "the automaton has no output symbol table, so its words cannot be matched with the tuples'");
    pf_units *units = calloc(1, sizeof *units);
    if (!units) return pf_nomem();
    units->tuples = tuples;
    units->from = fst->osyms;
    units->closed = fst->layered || has_graph(fst);
    units->ordered = !units->closed; /* words that are not known yet may need it */
    pf_statetab_init(&units->met, sizeof(pf_label));
    pf_err err = pf_symtab_new("units", &units->names);
    if (!err) err = pf_symtab_new("target", &units->words);
    if (!err) err = pf_symtab_put_epsilon(units->words);
    if (!err) err = list_occurring(units, fst);
    if (!err) err = add_alphabet(units, fst);
    if (err) pf_units_free(units);
    else *out = units;
    return err;
}

void pf_units_free(pf_units *units) {
    if (!units) return;
    for (size_t i = 0; i < units->owned.n; i++) {
        pf_scorer_end(units->owned.at[i]);
        free(units->owned.at[i]);
    }
    pf_symtab_free(units->names);
    pf_symtab_free(units->words);
    pf_statetab_free(&units->met);
    PF_VEC_FREE(&units->unit);
    PF_VEC_FREE(&units->said);
    PF_VEC_FREE(&units->of);
    PF_VEC_FREE(&units->reading);
    PF_VEC_FREE(&units->occurring);
    PF_VEC_FREE(&units->owned);
    free(units);
}

const pf_unit *pf_units_at(const pf_units *units, pf_label label) {
    assert(label > 0 && (size_t)label <= units->unit.n);
    return &units->unit.at[label - 1];
}

const pf_label *pf_units_said(const pf_units *units, pf_label label, size_t *count) {
    const pf_unit *one = pf_units_at(units, label);
    *count = one->n_said;
    return units->said.at + one->said;
}

bool pf_units_ends(const pf_units *units, pf_label label) {
    const pf_unit *one = pf_units_at(units, label);
    return one->passed || one->place + 1 >= pf_tuplemodel_at(units->tuples, one->tuple).n_source;
}

bool pf_units_follows(const pf_units *units, pf_label label, pf_label next) {
    const pf_unit *one = pf_units_at(units, label), *other = next == PF_EPSILON ? NULL : pf_units_at(units, next);
    return other && !other->passed && other->tuple == one->tuple && other->place == one->place + 1;
}

bool pf_units_alone(const pf_units *units) { return units->alone; }

pf_symtab *pf_units_words(const pf_units *units) { return units->words; }

/* ---- the automaton ---- */

typedef struct {
    pf_fst *fst;
    pf_units *units;
    PF_VEC(uint32_t) first; /* slots, as the automaton's view of them */
    PF_VEC(pf_arc) arc;
    pf_slots_view slots;
} unit_arcs;

static void alternatives_free(void *self) {
    unit_arcs *arcs = self;
    PF_VEC_FREE(&arcs->first);
    PF_VEC_FREE(&arcs->arc);
    free(arcs);
}

/* States are those of the automaton. Where a tuple may stand alone, each is there twice: as it is, with an even number, and after
 * such a tuple, which leads from a final state to the end. */
static unsigned copies(const unit_arcs *filled) { return filled->units->alone ? 2 : 1; }

static pf_err emit_alone(const unit_arcs *filled, pf_state state, float final, pf_emit *to) {
    const pf_units *units = filled->units;
    if (final == INFINITY || !units->alone) return PF_OK;
    for (size_t i = 0; i < units->alone_n; i++)
        PF_TRY(pf_emit_arc(to, PF_EPSILON, (pf_label)(units->alone_first + i + 1), 0, state + 1));
    return PF_OK;
}

static pf_err expand(void *self, pf_state state, pf_emit *to) {
    unit_arcs *filled = self;
    const unsigned times = copies(filled);
    const bool ended = state % times;
    pf_arcs arcs = pf_fst_arcs(filled->fst, state / times);
    to->final = pf_fst_final(filled->fst, state / times);
    if (ended) return pf_fst_error(filled->fst);
    for (uint32_t i = 0; i < arcs.n; i++) {
        const pf_label epsilon = PF_EPSILON, *unit = &epsilon;
        const pf_arc *arc = &arcs.arc[i];
        size_t n = 1;
        if (arc->out != PF_EPSILON) PF_TRY(pfi_units_of(filled->units, arc->out, &unit, &n));
        for (size_t k = 0; k < n; k++) PF_TRY(pf_emit_arc(to, arc->in, unit[k], arc->w, arc->to * times));
    }
    PF_TRY(emit_alone(filled, state, to->final, to));
    return pf_fst_error(filled->fst);
}

static void slots(const void *self, pf_slots_view *out) { *out = ((const unit_arcs *)self)->slots; }

static void cover(const void *self, pf_state state, uint64_t *slots) {
    const unit_arcs *arcs = self;
    arcs->fst->op->cover(arcs->fst->self, state / copies(arcs), slots);
}

static bool nonnegative(const void *self) { return pf_fst_nonnegative(((const unit_arcs *)self)->fst); }

static const struct pf_con *space(const void *self) { return pf_fst_space(((const unit_arcs *)self)->fst); }

static uint64_t bytes(const void *self) { return pf_fst_bytes(((const unit_arcs *)self)->fst); }

/* What the best unit of a word gains. */
typedef struct {
    pf_units *units;
    const pf_gain *of_unit;
} reading_gain;

static pf_err word_gain(void *self, pf_label word, double *gain) {
    reading_gain *own = self;
    const pf_label epsilon = PF_EPSILON, *unit = &epsilon;
    size_t n = 1;
    *gain = -(double)INFINITY;
    if (word != PF_EPSILON) PF_TRY(pfi_units_of(own->units, word, &unit, &n));
    for (size_t k = 0; k < n; k++) {
        double one;
        PF_TRY(own->of_unit->of(own->of_unit->self, unit[k], &one));
        if (one > *gain) *gain = one;
    }
    return PF_OK;
}

static pf_err most(void *self, const pf_gain *gain, double *out) {
    unit_arcs *arcs = self;
    const pf_units *units = arcs->units;
    reading_gain own = {arcs->units, gain};
    double alone = 0;
    for (size_t i = 0; units->alone && i < units->alone_n; i++) {
        double one;
        PF_TRY(gain->of(gain->self, (pf_label)(units->alone_first + i + 1), &one));
        if (one > alone) alone = one;
    }
    PF_TRY(pf_most_known(arcs->fst, &(pf_gain){word_gain, &own}, out));
    *out += alone;
    return PF_OK;
}

static const pf_op units_op = {
    .name = "units", .expand = expand, .free = alternatives_free, .nonnegative = nonnegative, .space = space, .bytes = bytes,
    .most = most,
};
static const pf_op units_of_slots_op = {
    .name = "units", .expand = expand, .free = alternatives_free, .slots = slots, .cover = cover, .nonnegative = nonnegative,
    .space = space, .bytes = bytes, .most = most,
};
static const pf_op units_of_graph_op = {
    .name = "units", .expand = expand, .free = alternatives_free, .graph = slots, .nonnegative = nonnegative, .bytes = bytes,
    .most = most,
};

static pf_err fill_slots(unit_arcs *arcs) {
    pf_slots_view *slots = &arcs->slots;
    if (!look_at_slots(arcs->fst, slots)) return PF_OK;
    for (unsigned j = 0; j < slots->n; j++) {
        PF_TRY(PF_PUSH(&arcs->first, (uint32_t)arcs->arc.n));
        for (uint32_t i = slots->first[j]; i < slots->first[j + 1]; i++) {
            const pf_label epsilon = PF_EPSILON, *unit = &epsilon;
            size_t n = 1;
            if (slots->arc[i].out != PF_EPSILON) PF_TRY(pfi_units_of(arcs->units, slots->arc[i].out, &unit, &n));
            for (size_t k = 0; k < n; k++) {
                pf_arc one = slots->arc[i];
                one.out = unit[k];
                PF_TRY(PF_PUSH(&arcs->arc, one));
            }
        }
    }
    PF_TRY(PF_PUSH(&arcs->first, (uint32_t)arcs->arc.n));
    slots->first = arcs->first.at;
    slots->arc = arcs->arc.at;
    return PF_OK;
}

static pf_err set_up(unit_arcs *arcs, pf_fst *out) {
    out->start = arcs->fst->start == PF_NO_STATE ? PF_NO_STATE : arcs->fst->start * copies(arcs);
    out->layered = arcs->fst->layered;
    pf_fst_set_symbols(out, arcs->fst->isyms, arcs->units->names);
    PF_TRY(fill_slots(arcs));
    if (!out->layered && !has_graph(arcs->fst)) return PF_OK;
    PF_TRY(PF_ROOM(&out->alphabet, arcs->units->unit.n + 1));
    for (size_t i = 0; i < arcs->fst->alphabet.n && arcs->fst->alphabet.at[i] == PF_EPSILON; i++)
        out->alphabet.at[out->alphabet.n++] = PF_EPSILON;
    for (size_t unit = 1; unit <= arcs->units->unit.n; unit++) out->alphabet.at[out->alphabet.n++] = (pf_label)unit;
    return PF_OK;
}

pf_err pf_units_lazy(pf_fst *fst, pf_units *units, pf_fst **out) {
    unit_arcs *arcs = calloc(1, sizeof *arcs);
    if (!arcs) return pf_nomem();
    arcs->fst = fst;
    arcs->units = units;
    PF_TRY(pf_fst_new(fst->type, has_slots(fst) ? &units_of_slots_op : has_graph(fst) ? &units_of_graph_op : &units_op, arcs, out));
    pf_err err = set_up(arcs, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}
