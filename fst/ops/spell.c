/* States of the automaton over units, and the places inside a unit that says several words. */
#include <permfst/ops/spell.h>

#include <permfst/base/statetab.h>
#include <permfst/ops/expand.h>
#include <permfst/ops/most.h>

#include <assert.h>
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
    spelling *spell = self;
    if (!spell->borrowed) pf_fst_free(spell->scored);
    pf_fst_free(spell->units_fst);
    if (spell->owned) pf_units_free(spell->growing);
    pf_statetab_free(&spell->places);
    free(spell);
}

/* An arc that says word `said` of a unit. It leads to the state after the unit if it is the last. */
static pf_err say(spelling *spell, pf_label in, spell_place at, float weight, pf_emit *to) {
    size_t count = 0;
    const pf_label *word = at.unit == PF_EPSILON ? NULL : pf_units_said(spell->units, at.unit, &count);
    spell_place next = {at.to, at.unit, at.said + 1};
    assert(!at.said || at.said < count);
    pf_state id;
    if (next.said >= count) next = (spell_place){at.to, PF_EPSILON, 0};
    PF_TRY(pf_statetab_intern(&spell->places, &next, sizeof next, &id, NULL));
    return pf_emit_arc(to, in, at.said < count ? word[at.said] : PF_EPSILON, weight, id);
}

static pf_err expand(void *self, pf_state state, pf_emit *to) {
    spelling *spell = self;
    size_t length;
    spell_place at;
    memcpy(&at, pf_statetab_key(&spell->places, state, &length), sizeof at);
    assert(length == sizeof at);
    if (at.unit != PF_EPSILON) return say(spell, PF_EPSILON, at, 0, to);
    pf_arcs arcs = pf_fst_arcs(spell->scored, at.to);
    for (uint32_t i = 0; i < arcs.n; i++) {
        spell_place begin = {arcs.arc[i].to, arcs.arc[i].out, 0};
        PF_TRY(say(spell, arcs.arc[i].in, begin, arcs.arc[i].w, to));
    }
    to->final = pf_fst_final(spell->scored, at.to);
    return pf_fst_error(spell->scored);
}

static bool nonnegative(const void *self) { return pf_fst_nonnegative(((const spelling *)self)->scored); }

static const struct pf_con *space(const void *self) { return pf_fst_space(((const spelling *)self)->scored); }

static uint64_t bytes(const void *self) {
    const spelling *spell = self;
    return pf_statetab_bytes(&spell->places) + pf_fst_bytes(spell->scored);
}

/* What the words of a unit gain. */
typedef struct {
    const pf_units *units;
    const pf_gain *words;
} said_gain;

static pf_err unit_gain(void *self, pf_label unit, double *gain) {
    const said_gain *own = self;
    size_t count = 0;
    const pf_label *word = unit == PF_EPSILON ? NULL : pf_units_said(own->units, unit, &count);
    *gain = 0;
    for (size_t i = 0; i < count; i++) {
        double one;
        PF_TRY(own->words->of(own->words->self, word[i], &one));
        *gain += one;
    }
    return PF_OK;
}

static pf_err most(void *self, const pf_gain *gain, double *out) {
    spelling *spell = self;
    said_gain own = {spell->units, gain};
    return pf_most_known(spell->scored, &(pf_gain){unit_gain, &own}, out);
}

static const pf_op spell_op = {
    .name = "spell", .expand = expand, .free = spell_free, .nonnegative = nonnegative, .space = space, .bytes = bytes, .most = most,
};

static pf_err finish(spelling *spell, pf_fst **out) {
    spell_place start = {spell->scored->start, PF_EPSILON, 0};
    pf_statetab_init(&spell->places, sizeof start);
    pf_fst *scored = spell->scored;
    pf_symtab *words = pf_units_words(spell->units);
    PF_TRY(pf_fst_new(scored->type, &spell_op, spell, out));
    pf_fst_set_symbols(*out, scored->isyms, words);
    if (start.to == PF_NO_STATE) return PF_OK;
    pf_err err = pf_statetab_intern(&spell->places, &start, sizeof start, &(*out)->start, NULL);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}

static pf_err translate(spelling *spell, pf_fst *fst, const pf_model *tuples, const double scale[2]) {
    pf_scored_by by[2] = {{NULL, scale[1]}, {NULL, 1}};
    PF_TRY(pf_units_new(tuples, fst, &spell->growing));
    spell->units = spell->growing;
    spell->owned = true;
    PF_TRY(pf_units_lazy(fst, spell->growing, &spell->units_fst));
    PF_TRY(pf_units_tuple_scorer(spell->growing, &by[0].scorer));
    PF_TRY(pf_units_order_scorer(spell->growing, &by[1].scorer));
    return pf_score_by(spell->units_fst, scale[0], by, by[1].scorer ? 2 : 1, &spell->scored);
}

pf_err pf_spell_tuples(pf_fst *fst, const pf_model *tuples, const double scale[2], pf_fst **out) {
    spelling *spell = calloc(1, sizeof *spell);
    if (!spell) return pf_nomem();
    pf_err err = translate(spell, fst, tuples, scale);
    if (!err) return finish(spell, out);
    spell_free(spell);
    return err;
}

pf_err pf_spell_score(pf_fst *spelt, double own, const pf_scored_by *by, pf_fst **out) {
    const spelling *with = spelt->self;
    assert(spelt->op == &spell_op && with->growing);
    pf_scored_by said = {NULL, by->scale};
    spelling *spell = calloc(1, sizeof *spell);
    if (!spell) return pf_nomem();
    spell->units = spell->growing = with->growing;
    pf_err err = pf_units_target_scorer(spell->growing, by->scorer, &said.scorer);
    if (!err) err = pf_score_by(with->scored, own, &said, 1, &spell->scored);
    if (!err) return finish(spell, out);
    spell_free(spell);
    return err;
}

bool pf_spell_parts(const pf_fst *fst, pf_fst **scored, const pf_units **units) {
    if (fst->op != &spell_op) return false;
    const spelling *spell = fst->self;
    *scored = spell->scored;
    *units = spell->units;
    return true;
}

/* ---- answers ---- */

static pf_err spell_path(const pf_units *units, pf_path *path) {
    PF_VEC(pf_arc) arcs = {0};
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < path->n; i++) {
        size_t count = 0;
        pf_arc arc = path->arc[i];
        const pf_label *said = arc.out == PF_EPSILON ? NULL : pf_units_said(units, arc.out, &count);
        arc.out = count ? said[0] : PF_EPSILON;
        err = PF_PUSH(&arcs, arc);
        for (size_t k = 1; !err && k < count; k++) err = PF_PUSH(&arcs, ((pf_arc){PF_EPSILON, said[k], 0, PF_NO_STATE}));
    }
    if (err) {
        PF_VEC_FREE(&arcs);
        return err;
    }
    free(path->arc);
    path->arc = arcs.at;
    path->n = arcs.n;
    return path->arc || (path->arc = malloc(1)) ? PF_OK : pf_nomem();
}

/* A machine over units, whole, as one of words. */
static pf_err spell_whole(const pf_units *units, pf_fst *lattice, pf_fst **out) {
    pf_fst *lazy;
    spelling *spell = calloc(1, sizeof *spell);
    if (!spell) return pf_nomem();
    spell->scored = lattice;
    spell->borrowed = true;
    spell->units = units;
    PF_TRY(finish(spell, &lazy));
    pf_err err = pf_expand(lazy, 0, out);
    pf_fst_free(lazy);
    return err;
}

static pf_err spell_lattice(const pf_units *units, pf_answer *answer) {
    pf_fst *spelt = NULL;
    if (!answer->lattice) return PF_OK;
    PF_TRY(spell_whole(units, answer->lattice, &spelt));
    pf_fst_free(answer->lattice);
    answer->lattice = spelt;
    return PF_OK;
}

pf_err pf_spell_answer(const pf_units *units, pf_answer *answer) {
    for (size_t i = 0; i < answer->paths.n; i++) PF_TRY(spell_path(units, &answer->paths.at[i]));
    PF_TRY(spell_lattice(units, answer));
    pf_symtab_free(answer->osyms);
    answer->osyms = pf_symtab_ref(pf_units_words(units));
    return PF_OK;
}
