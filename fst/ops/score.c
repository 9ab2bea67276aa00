/* Tuples of states, interned: the automaton's, then one of each model. */
#include <permfst/ops/score.h>

#include <permfst/base/statetab.h>
#include <permfst/ops/labelmap.h>
#include <permfst/ops/scale.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_fst *fst;
    double own; /* scale of its costs */
    PF_VEC(pf_scorer) made;    /* of models, by this composition */
    PF_VEC(pf_scored_by) by;
    PF_VEC(pf_labelmap) words; /* of each scorer */
    pf_statetab tuples;
    PF_VEC(pf_state) from, next; /* scratch: tuples */
} score_machine;

static void score_free(void *self) {
    score_machine *c = self;
    for (size_t i = 0; i < c->words.n; i++) pf_labelmap_free(&c->words.at[i]);
    for (size_t i = 0; i < c->made.n; i++) pf_scorer_end(&c->made.at[i]);
    PF_VEC_FREE(&c->made);
    PF_VEC_FREE(&c->by);
    PF_VEC_FREE(&c->words);
    pf_statetab_free(&c->tuples);
    PF_VEC_FREE(&c->from);
    PF_VEC_FREE(&c->next);
    free(c);
}

static size_t tuple_bytes(const score_machine *c) { return (1 + c->by.n) * sizeof(pf_state); }

/* What the models say of an output label; c->next is where they are then. Summed up before anything else, as rows do. */
static pf_err say(score_machine *c, pf_label out, double *w) {
    *w = 0;
    for (size_t i = 0; i < c->by.n; i++) {
        const pf_scored_by *m = &c->by.at[i];
        pf_label word;
        c->next.at[1 + i] = c->from.at[1 + i];
        if (out == PF_EPSILON) continue;
        PF_TRY(pf_labelmap_get(&c->words.at[i], out, &word));
        *w += pf_scaled(m->scale, m->scorer->cls->step(m->scorer, c->from.at[1 + i], word, &c->next.at[1 + i]));
    }
    return PF_OK;
}

static pf_err step(score_machine *c, const pf_arc *a, pf_emit *to) {
    double w;
    pf_state id;
    c->next.at[0] = a->to;
    PF_TRY(say(c, a->out, &w));
    w += pf_scaled(c->own, (double)a->w);
    if (w == (double)INFINITY) return PF_OK;
    if (!pf_cost_fits(w)) return pf_cost_too_large(w);
    PF_TRY(pf_statetab_intern(&c->tuples, c->next.at, tuple_bytes(c), &id, NULL));
    return pf_emit_arc(to, a->in, a->out, (float)w, id);
}

static pf_err end(score_machine *c, pf_emit *to) {
    double w = 0, own = pf_scaled(c->own, (double)pf_fst_final(c->fst, c->from.at[0]));
    if (own == (double)INFINITY) return PF_OK;
    for (size_t i = 0; i < c->by.n; i++) {
        const pf_scored_by *m = &c->by.at[i];
        w += pf_scaled(m->scale, m->scorer->cls->final(m->scorer, c->from.at[1 + i]));
    }
    w += own;
    to->final = (float)w;
    return pf_cost_fits(w) ? PF_OK : pf_cost_too_large(w);
}

static pf_err score_expand(void *self, pf_state s, pf_emit *to) {
    score_machine *c = self;
    size_t length;
    memcpy(c->from.at, pf_statetab_key(&c->tuples, s, &length), tuple_bytes(c));
    pf_arcs arcs = pf_fst_arcs(c->fst, c->from.at[0]);
    for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(step(c, &arcs.arc[i], to));
    PF_TRY(end(c, to));
    return pf_fst_error(c->fst);
}

static bool score_nonnegative(const void *self) {
    const score_machine *c = self;
    for (size_t i = 0; i < c->by.n; i++)
        if (!pf_scaled_nonnegative(c->by.at[i].scale, pf_scorer_nonnegative(c->by.at[i].scorer))) return false;
    return pf_scaled_nonnegative(c->own, pf_fst_nonnegative(c->fst));
}

static const struct pf_con *score_space(const void *self) { return pf_fst_space(((const score_machine *)self)->fst); }

static const pf_op score_op = {
    .name = "score", .expand = score_expand, .free = score_free, .nonnegative = score_nonnegative, .space = score_space,
};

static pf_err add(score_machine *c, const pf_scored_by *by, size_t n, double scale) {
    for (size_t i = 0; i < n; i++) {
        pf_scored_by one = {by[i].scorer, by[i].scale * scale};
        if (!pf_scale_fits(one.scale)) return pf_scale_too_large(one.scale);
        PF_TRY(PF_PUSH(&c->by, one));
        PF_TRY(PF_ROOM(&c->words, 1));
        PF_TRY(pf_labelmap_scorer(&c->words.at[c->words.n], c->fst->osyms, one.scorer));
        c->words.n++;
    }
    return PF_OK;
}

static pf_err set_start(score_machine *c, pf_state *start) {
    size_t n = 1 + c->by.n;
    PF_TRY(PF_ROOM(&c->from, n));
    PF_TRY(PF_ROOM(&c->next, n));
    pf_statetab_init(&c->tuples, tuple_bytes(c));
    if (c->fst->start == PF_NO_STATE) return PF_OK;
    c->from.at[0] = c->fst->start;
    for (size_t i = 1; i < n; i++) c->from.at[i] = c->by.at[i - 1].scorer->cls->start(c->by.at[i - 1].scorer);
    return pf_statetab_intern(&c->tuples, c->from.at, tuple_bytes(c), start, NULL);
}

static pf_err set_up(score_machine *c, const pf_scoring *parts, double own, const pf_scored_by *by, size_t n, pf_fst *out) {
    const pf_fst *fst = parts->fst;
    pf_fst_set_symbols(out, fst->isyms, fst->osyms);
    out->layered = fst->layered;
    PF_TRY(PF_ROOM(&out->alphabet, fst->alphabet.n));
    for (size_t i = 0; i < fst->alphabet.n; i++) out->alphabet.at[out->alphabet.n++] = fst->alphabet.at[i];
    if (!pf_scale_fits(c->own)) return pf_scale_too_large(c->own);
    PF_TRY(add(c, parts->by, parts->n, own));
    PF_TRY(add(c, by, n, 1));
    return set_start(c, &out->start);
}

/* Takes over what is begun: the scorers that were made. */
static pf_err finish(score_machine *c, pf_fst *fst, double own, const pf_scored_by *by, size_t n, pf_fst **out) {
    pf_scoring parts;
    pf_score_parts(fst, &parts);
    c->fst = parts.fst;
    c->own = parts.own * own;
    PF_TRY(pf_fst_new(fst->type, &score_op, c, out));
    pf_err err = set_up(c, &parts, own, by, n, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}

pf_err pf_score_by(pf_fst *fst, double own, const pf_scored_by *by, size_t n, pf_fst **out) {
    score_machine *c = calloc(1, sizeof *c);
    return c ? finish(c, fst, own, by, n, out) : pf_nomem();
}

/* The scorers do not move once they are there. */
static pf_err make_scorers(score_machine *c, const pf_scored *model, size_t n, pf_scored_by *by) {
    PF_TRY(PF_ROOM(&c->made, n));
    for (size_t i = 0; i < n; i++) {
        PF_TRY(pf_scorer_of(model[i].model, &c->made.at[i]));
        by[i] = (pf_scored_by){&c->made.at[i], model[i].scale};
        c->made.n++;
    }
    return PF_OK;
}

pf_err pf_score_all(pf_fst *fst, double own, const pf_scored *model, size_t n, pf_fst **out) {
    score_machine *c = calloc(1, sizeof *c);
    pf_scored_by *by = calloc(n + 1, sizeof *by);
    pf_err err = c && by ? make_scorers(c, model, n, by) : pf_nomem();
    if (!err) err = finish(c, fst, own, by, n, out);
    else if (c) score_free(c);
    free(by);
    return err;
}

pf_err pf_score_lazy(pf_fst *fst, const pf_model *model, pf_fst **out) {
    pf_scored one = {model, 1};
    return pf_score_all(fst, 1, &one, 1, out);
}

bool pf_score_parts(pf_fst *f, pf_scoring *parts) {
    *parts = (pf_scoring){f, 1, NULL, 0};
    if (f->op != &score_op) return false;
    const score_machine *c = f->self;
    *parts = (pf_scoring){c->fst, c->own, c->by.at, c->by.n};
    return true;
}
