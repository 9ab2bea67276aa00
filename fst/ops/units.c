/* Units of words, made when a word is first met. */
#include "ops/units_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making units ---- */

/* A word spelt like epsilon's name in the table gets label 0: it would be silence. */
static pf_err say_word(pf_units *u, const char *word, size_t n) {
    pf_label x;
    PF_TRY(pf_symtab_add(u->words, word, n, &x));
    if (x == PF_EPSILON) return pf_fail(PF_EINPUT, "the target word '%.80s' is the symbol of epsilon in automata", word);
    return PF_PUSH(&u->said, x);
}

static pf_err say_tuple(pf_units *u, pf_label tuple) {
    pf_tuple_labels t = {0};
    if (tuple != PF_EPSILON) t = pf_tuplemodel_at(u->tuples, tuple);
    for (unsigned i = 0; i < t.n_target; i++) {
        size_t n;
        const char *word = pf_symtab_name(pf_tuplemodel_target(u->tuples), t.target[i], &n);
        PF_TRY(say_word(u, word, n));
    }
    return PF_OK;
}

/* A tuple speaks at its first place. `passed` is the word to be passed through, or NULL. */
static pf_err say_all(pf_units *u, const pf_unit *one, const char *passed, size_t n) {
    PF_TRY(say_tuple(u, one->before));
    if (passed) PF_TRY(say_word(u, passed, n));
    else if (!one->place) PF_TRY(say_tuple(u, one->tuple));
    return say_tuple(u, one->after);
}

static void name_of(const pf_units *u, const pf_unit *one, char number[24], const char **name, size_t *n) {
    bool whole = !one->passed && !one->before && !one->after && pf_tuplemodel_at(u->tuples, one->tuple).n_source == 1;
    if (whole) *name = pf_symtab_name(u->tuples->cls->words(u->tuples->self), one->tuple, n);
    else {
        *n = (size_t)snprintf(number, 24, "#%zu", u->unit.n + 1); /* no tuple: they have a | */
        *name = number;
    }
}

static pf_err add_unit(pf_units *u, pf_unit one, const char *passed, size_t n_passed) {
    char number[24];
    const char *name;
    size_t n;
    pf_label x;
    if (u->unit.n == INT32_MAX || u->said.n > UINT32_MAX / 2)
        return pf_fail(PF_ELIMIT, "the tuples of a sentence, including inserted ones, are more than %zu", u->unit.n);
    name_of(u, &one, number, &name, &n);
    PF_TRY(pf_symtab_add(u->names, name, n, &x));
    one.said = (uint32_t)u->said.n;
    PF_TRY(say_all(u, &one, passed, n_passed));
    one.n_said = (uint32_t)u->said.n - one.said;
    return PF_PUSH(&u->unit, one);
}

static pf_err add_reading(pf_units *u, pf_unit one, const char *passed, size_t n) {
    PF_TRY(add_unit(u, one, passed, n));
    return PF_PUSH(&u->reading, (pf_label)u->unit.n);
}

/* The plain unit of a tuple, if it was made before all others. */
static pf_label find_plain(const pf_units *u, pf_label tuple) {
    size_t low = 0, high = u->plain;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->unit.at[middle].tuple < tuple) low = middle + 1;
        else high = middle;
    }
    return low < u->plain && u->unit.at[low].tuple == tuple ? (pf_label)low + 1 : PF_EPSILON;
}

/* A place with tuples inserted before it, where it is the first of its tuple, and after it, where it is the last. `passed` is the
 * word of a unit that passes it through. */
static pf_err add_insertions(pf_units *u, pf_unit one, bool last, const pf_word *passed) {
    size_t n;
    const pf_tuple_place *inserted = pf_tuplemodel_places(u->tuples, PF_EPSILON, &n);
    size_t fronts = one.place ? 0 : n, ends = last ? n : 0;
    if (n) u->ordered = true;
    for (size_t i = 0; i <= fronts; i++)
        for (size_t k = 0; k <= ends; k++) {
            pf_unit with = one;
            if (i) with.before = inserted[i - 1].tuple;
            if (k) with.after = inserted[k - 1].tuple;
            if (i || k) PF_TRY(add_reading(u, with, passed ? passed->at : NULL, passed ? passed->n : 0));
        }
    return PF_OK;
}

static pf_err add_place(pf_units *u, pf_tuple_place place) {
    unsigned places = pf_tuplemodel_at(u->tuples, place.tuple).n_source;
    pf_unit one = {.tuple = place.tuple, .place = place.place};
    pf_label plain = places == 1 ? find_plain(u, place.tuple) : PF_EPSILON;
    if (places > 1) u->ordered = true;
    PF_TRY(plain ? PF_PUSH(&u->reading, plain) : add_reading(u, one, NULL, 0));
    return add_insertions(u, one, place.place + 1 == places, NULL);
}

static pf_err add_word(pf_units *u, const char *word, size_t n) {
    pf_label x = pf_symtab_find(pf_tuplemodel_source(u->tuples), word, n);
    size_t places = 0;
    bool alone = false;
    const pf_tuple_place *at = x == PF_NO_LABEL ? NULL : pf_tuplemodel_places(u->tuples, x, &places);
    for (size_t i = 0; i < places; i++) {
        alone = alone || pf_tuplemodel_at(u->tuples, at[i].tuple).n_source == 1;
        PF_TRY(add_place(u, at[i]));
    }
    pf_unit passed = {.tuple = u->tuples->cls->unknown(u->tuples->self), .passed = true};
    if (alone) return PF_OK;
    PF_TRY(add_reading(u, passed, word, n));
    return add_insertions(u, passed, true, &(pf_word){word, n});
}

pf_err pfi_units_of(pf_units *u, pf_label word, const pf_label **unit, size_t *n) {
    uint32_t id;
    size_t length;
    if ((id = pf_statetab_find(&u->met, &word, sizeof word)) == UINT32_MAX) {
        const char *name = pf_symtab_name(u->from, word, &length);
        size_t first = u->reading.n;
        if (!name) return pf_fail(PF_EINPUT, "label %d is not in the symbol table '%.100s'", word, pf_symtab_title(u->from));
        PF_TRY(add_word(u, name, length));
        PF_TRY(PF_ROOM(&u->of, 1));
        PF_TRY(pf_statetab_intern(&u->met, &word, sizeof word, &id, NULL));
        u->of.at[u->of.n++] = (pfi_readings){first, u->reading.n - first};
    }
    *unit = u->reading.at + u->of.at[id].first;
    *n = u->of.at[id].n;
    return PF_OK;
}

/* ---- those of an alphabet ---- */

static int by_label(const void *a, const void *b) {
    pf_label x = *(const pf_label *)a, y = *(const pf_label *)b;
    return (x > y) - (x < y);
}

typedef PF_VEC(pf_label) label_list;

/* Tuples of one source word, that word one of the alphabet, by tuple. */
static pf_err plain_tuples(const pf_units *u, const pf_fst *fst, label_list *out) {
    for (size_t i = 0; i < fst->alphabet.n; i++) {
        size_t n, places = 0;
        const char *word = pf_symtab_name(u->from, fst->alphabet.at[i], &n);
        pf_label x = word ? pf_symtab_find(pf_tuplemodel_source(u->tuples), word, n) : PF_NO_LABEL;
        const pf_tuple_place *at = x == PF_NO_LABEL ? NULL : pf_tuplemodel_places(u->tuples, x, &places);
        for (size_t k = 0; k < places; k++)
            if (pf_tuplemodel_at(u->tuples, at[k].tuple).n_source == 1) PF_TRY(PF_PUSH(out, at[k].tuple));
    }
    if (out->n) qsort(out->at, out->n, sizeof *out->at, by_label);
    return PF_OK;
}

static pf_err add_alphabet(pf_units *u, const pf_fst *fst) {
    label_list plain = {0};
    const pf_label *unit;
    size_t n;
    pf_err err = plain_tuples(u, fst, &plain);
    u->plain = plain.n;
    for (size_t i = 0; !err && i < plain.n; i++) err = add_unit(u, (pf_unit){.tuple = plain.at[i]}, NULL, 0);
    for (size_t i = 0; !err && i < fst->alphabet.n; i++)
        if (fst->alphabet.at[i] != PF_EPSILON) err = pfi_units_of(u, fst->alphabet.at[i], &unit, &n);
    PF_VEC_FREE(&plain);
    return err;
}

pf_err pf_units_new(const pf_model *tuples, const pf_fst *fst, pf_units **out) {
    if (!fst->osyms)
        return pf_fail(PF_EINPUT, "the automaton has no output symbol table, so its words cannot be matched with the tuples'");
    pf_units *u = calloc(1, sizeof *u);
    if (!u) return pf_nomem();
    u->tuples = tuples;
    u->from = fst->osyms;
    u->ordered = !fst->layered; /* words that are not known yet may need it */
    pf_statetab_init(&u->met, sizeof(pf_label));
    pf_err err = pf_symtab_new("units", &u->names);
    if (!err) err = pf_symtab_new("target", &u->words);
    if (!err) err = pf_symtab_put_epsilon(u->words);
    if (!err) err = add_alphabet(u, fst);
    if (err) pf_units_free(u);
    else *out = u;
    return err;
}

void pf_units_free(pf_units *u) {
    if (!u) return;
    for (size_t i = 0; i < u->owned.n; i++) {
        pf_scorer_end(u->owned.at[i]);
        free(u->owned.at[i]);
    }
    pf_symtab_free(u->names);
    pf_symtab_free(u->words);
    pf_statetab_free(&u->met);
    PF_VEC_FREE(&u->unit);
    PF_VEC_FREE(&u->said);
    PF_VEC_FREE(&u->of);
    PF_VEC_FREE(&u->reading);
    PF_VEC_FREE(&u->owned);
    free(u);
}

const pf_unit *pf_units_at(const pf_units *u, pf_label x) { return &u->unit.at[x - 1]; }

const pf_label *pf_units_said(const pf_units *u, pf_label x, size_t *n) {
    const pf_unit *one = pf_units_at(u, x);
    *n = one->n_said;
    return u->said.at + one->said;
}

pf_symtab *pf_units_words(const pf_units *u) { return u->words; }

/* ---- the automaton ---- */

typedef struct {
    pf_fst *fst;
    pf_units *units;
    PF_VEC(uint32_t) first; /* slots, as the automaton's view of them */
    PF_VEC(pf_arc) arc;
    pf_slots_view slots;
} unit_arcs;

static void alternatives_free(void *self) {
    unit_arcs *a = self;
    PF_VEC_FREE(&a->first);
    PF_VEC_FREE(&a->arc);
    free(a);
}

/* States are those of the automaton. */
static pf_err expand(void *self, pf_state s, pf_emit *to) {
    unit_arcs *a = self;
    pf_arcs arcs = pf_fst_arcs(a->fst, s);
    for (uint32_t i = 0; i < arcs.n; i++) {
        const pf_label epsilon = PF_EPSILON, *unit = &epsilon;
        const pf_arc *arc = &arcs.arc[i];
        size_t n = 1;
        if (arc->out != PF_EPSILON) PF_TRY(pfi_units_of(a->units, arc->out, &unit, &n));
        for (size_t k = 0; k < n; k++) PF_TRY(pf_emit_arc(to, arc->in, unit[k], arc->w, arc->to));
    }
    to->final = pf_fst_final(a->fst, s);
    return pf_fst_error(a->fst);
}

static void slots(const void *self, pf_slots_view *out) { *out = ((const unit_arcs *)self)->slots; }

static void cover(const void *self, pf_state s, uint64_t *slots) {
    const unit_arcs *a = self;
    a->fst->op->cover(a->fst->self, s, slots);
}

static bool nonnegative(const void *self) { return pf_fst_nonnegative(((const unit_arcs *)self)->fst); }

static const struct pf_con *space(const void *self) { return pf_fst_space(((const unit_arcs *)self)->fst); }

static const pf_op units_op = {
    .name = "units", .expand = expand, .free = alternatives_free, .nonnegative = nonnegative, .space = space,
};
static const pf_op units_of_slots_op = {"units", expand, alternatives_free, slots, cover, nonnegative, space};

static bool has_slots(const pf_fst *fst) { return fst->op && fst->op->slots; }

static pf_err fill_slots(unit_arcs *a) {
    pf_slots_view *s = &a->slots;
    a->fst->op->slots(a->fst->self, s);
    for (unsigned j = 0; j < s->n; j++) {
        PF_TRY(PF_PUSH(&a->first, (uint32_t)a->arc.n));
        for (uint32_t i = s->first[j]; i < s->first[j + 1]; i++) {
            const pf_label epsilon = PF_EPSILON, *unit = &epsilon;
            size_t n = 1;
            if (s->arc[i].out != PF_EPSILON) PF_TRY(pfi_units_of(a->units, s->arc[i].out, &unit, &n));
            for (size_t k = 0; k < n; k++) {
                pf_arc one = s->arc[i];
                one.out = unit[k];
                PF_TRY(PF_PUSH(&a->arc, one));
            }
        }
    }
    PF_TRY(PF_PUSH(&a->first, (uint32_t)a->arc.n));
    s->first = a->first.at;
    s->arc = a->arc.at;
    return PF_OK;
}

static pf_err set_up(unit_arcs *a, pf_fst *out) {
    out->start = a->fst->start;
    out->layered = a->fst->layered;
    pf_fst_set_symbols(out, a->fst->isyms, a->units->names);
    if (has_slots(a->fst)) PF_TRY(fill_slots(a));
    if (!out->layered) return PF_OK;
    PF_TRY(PF_ROOM(&out->alphabet, a->units->unit.n + 1));
    for (size_t i = 0; i < a->fst->alphabet.n && a->fst->alphabet.at[i] == PF_EPSILON; i++)
        out->alphabet.at[out->alphabet.n++] = PF_EPSILON;
    for (size_t x = 1; x <= a->units->unit.n; x++) out->alphabet.at[out->alphabet.n++] = (pf_label)x;
    return PF_OK;
}

pf_err pf_units_lazy(pf_fst *fst, pf_units *units, pf_fst **out) {
    unit_arcs *a = calloc(1, sizeof *a);
    if (!a) return pf_nomem();
    a->fst = fst;
    a->units = units;
    PF_TRY(pf_fst_new(fst->type, has_slots(fst) ? &units_of_slots_op : &units_op, a, out));
    pf_err err = set_up(a, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}
