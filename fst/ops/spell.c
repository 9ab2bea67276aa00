/* States of the automaton over units, and the places inside a unit that says several words. */
#include <permfst/ops/spell.h>

#include <permfst/base/statetab.h>
#include <permfst/ops/expand.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_state to;   /* state of the automaton over units, or after the unit that is being said */
    pf_label unit; /* that is being said; PF_EPSILON: none */
    uint32_t said; /* words of it that were said */
} spell_place;

typedef struct {
    pf_fst *units_fst;  /* owned; NULL where it is another's */
    pf_fst *scored;
    bool borrowed;      /* scored, by a lattice that is spelt */
    const pf_units *units;
    pf_units *growing;  /* the same, where more scorers may be made of them; NULL: in a lattice */
    bool owned;         /* they are */
    pf_statetab places;
} spelling;

static void spell_free(void *self) {
    spelling *s = self;
    if (!s->borrowed) pf_fst_free(s->scored);
    pf_fst_free(s->units_fst);
    if (s->owned) pf_units_free(s->growing);
    pf_statetab_free(&s->places);
    free(s);
}

/* An arc that says word `said` of a unit. It leads to the state after the unit if it is the last. */
static pf_err say(spelling *s, pf_label in, spell_place at, float w, pf_emit *to) {
    size_t n = 0;
    const pf_label *word = at.unit == PF_EPSILON ? NULL : pf_units_said(s->units, at.unit, &n);
    spell_place next = {at.to, at.unit, at.said + 1};
    pf_state id;
    if (next.said >= n) next = (spell_place){at.to, PF_EPSILON, 0};
    PF_TRY(pf_statetab_intern(&s->places, &next, sizeof next, &id, NULL));
    return pf_emit_arc(to, in, at.said < n ? word[at.said] : PF_EPSILON, w, id);
}

static pf_err expand(void *self, pf_state state, pf_emit *to) {
    spelling *s = self;
    size_t length;
    spell_place at;
    memcpy(&at, pf_statetab_key(&s->places, state, &length), sizeof at);
    if (at.unit != PF_EPSILON) return say(s, PF_EPSILON, at, 0, to);
    pf_arcs a = pf_fst_arcs(s->scored, at.to);
    for (uint32_t i = 0; i < a.n; i++) {
        spell_place begin = {a.arc[i].to, a.arc[i].out, 0};
        PF_TRY(say(s, a.arc[i].in, begin, a.arc[i].w, to));
    }
    to->final = pf_fst_final(s->scored, at.to);
    return pf_fst_error(s->scored);
}

static bool nonnegative(const void *self) { return pf_fst_nonnegative(((const spelling *)self)->scored); }

static const struct pf_con *space(const void *self) { return pf_fst_space(((const spelling *)self)->scored); }

static const pf_op spell_op = {
    .name = "spell", .expand = expand, .free = spell_free, .nonnegative = nonnegative, .space = space,
};

static pf_err finish(spelling *s, pf_fst **out) {
    spell_place start = {s->scored->start, PF_EPSILON, 0};
    pf_statetab_init(&s->places, sizeof start);
    pf_fst *scored = s->scored;
    pf_symtab *words = pf_units_words(s->units);
    PF_TRY(pf_fst_new(scored->type, &spell_op, s, out));
    pf_fst_set_symbols(*out, scored->isyms, words);
    if (start.to == PF_NO_STATE) return PF_OK;
    pf_err err = pf_statetab_intern(&s->places, &start, sizeof start, &(*out)->start, NULL);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}

static pf_err translate(spelling *s, pf_fst *fst, const pf_model *tuples, const double scale[2]) {
    pf_scored_by by[2] = {{NULL, scale[1]}, {NULL, 1}};
    PF_TRY(pf_units_new(tuples, fst, &s->growing));
    s->units = s->growing;
    s->owned = true;
    PF_TRY(pf_units_lazy(fst, s->growing, &s->units_fst));
    PF_TRY(pf_units_tuple_scorer(s->growing, &by[0].scorer));
    PF_TRY(pf_units_order_scorer(s->growing, &by[1].scorer));
    return pf_score_by(s->units_fst, scale[0], by, by[1].scorer ? 2 : 1, &s->scored);
}

pf_err pf_spell_tuples(pf_fst *fst, const pf_model *tuples, const double scale[2], pf_fst **out) {
    spelling *s = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    pf_err err = translate(s, fst, tuples, scale);
    if (!err) return finish(s, out);
    spell_free(s);
    return err;
}

pf_err pf_spell_score(pf_fst *spelt, double own, const pf_scored_by *by, pf_fst **out) {
    const spelling *with = spelt->self;
    pf_scored_by said = {NULL, by->scale};
    spelling *s = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    s->units = s->growing = with->growing;
    pf_err err = pf_units_target_scorer(s->growing, by->scorer, &said.scorer);
    if (!err) err = pf_score_by(with->scored, own, &said, 1, &s->scored);
    if (!err) return finish(s, out);
    spell_free(s);
    return err;
}

bool pf_spell_parts(const pf_fst *f, pf_fst **scored, const pf_units **units) {
    if (f->op != &spell_op) return false;
    const spelling *s = f->self;
    *scored = s->scored;
    *units = s->units;
    return true;
}

/* ---- answers ---- */

static pf_err spell_path(const pf_units *units, pf_path *p) {
    PF_VEC(pf_arc) arcs = {0};
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < p->n; i++) {
        size_t n = 0;
        pf_arc a = p->arc[i];
        const pf_label *said = a.out == PF_EPSILON ? NULL : pf_units_said(units, a.out, &n);
        a.out = n ? said[0] : PF_EPSILON;
        err = PF_PUSH(&arcs, a);
        for (size_t k = 1; !err && k < n; k++) err = PF_PUSH(&arcs, ((pf_arc){PF_EPSILON, said[k], 0, PF_NO_STATE}));
    }
    if (err) {
        PF_VEC_FREE(&arcs);
        return err;
    }
    free(p->arc);
    p->arc = arcs.at;
    p->n = arcs.n;
    return p->arc || (p->arc = malloc(1)) ? PF_OK : pf_nomem();
}

/* A machine over units, whole, as one of words. */
static pf_err spell_whole(const pf_units *units, pf_fst *lattice, pf_fst **out) {
    pf_fst *lazy;
    spelling *s = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    s->scored = lattice;
    s->borrowed = true;
    s->units = units;
    PF_TRY(finish(s, &lazy));
    pf_err err = pf_expand(lazy, 0, out);
    pf_fst_free(lazy);
    return err;
}

static pf_err spell_lattice(const pf_units *units, pf_answer *a) {
    pf_fst *spelt = NULL;
    if (!a->lattice) return PF_OK;
    PF_TRY(spell_whole(units, a->lattice, &spelt));
    pf_fst_free(a->lattice);
    a->lattice = spelt;
    return PF_OK;
}

pf_err pf_spell_answer(const pf_units *units, pf_answer *a) {
    for (size_t i = 0; i < a->paths.n; i++) PF_TRY(spell_path(units, &a->paths.at[i]));
    PF_TRY(spell_lattice(units, a));
    pf_symtab_free(a->osyms);
    a->osyms = pf_symtab_ref(pf_units_words(units));
    return PF_OK;
}
