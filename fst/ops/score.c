/* Pairs of states, interned. */
#include "ops/score.h"

#include "base/statetab.h"
#include "ops/labelmap.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_state fst, model;
} pair;

typedef struct {
    pf_fst *fst;
    const pf_model *model;
    pf_labelmap words;
    pf_statetab pairs;
} score;

static void score_free(void *self) {
    score *c = self;
    pf_labelmap_free(&c->words);
    pf_statetab_free(&c->pairs);
    free(c);
}

static pf_err step(score *c, pf_state from, const pf_arc *a, pf_emit *to) {
    pair next = {a->to, from};
    double w = (double)a->w;
    pf_label word;
    pf_state id;
    PF_TRY(pf_labelmap_get(&c->words, a->out, &word));
    if (word != PF_EPSILON) w += c->model->cls->step(c->model->self, from, word, &next.model);
    PF_TRY(pf_statetab_intern(&c->pairs, &next, sizeof next, &id, NULL));
    return pf_emit_arc(to, a->in, a->out, (float)w, id);
}

static pf_err score_expand(void *self, pf_state s, pf_emit *to) {
    score *c = self;
    size_t length;
    pair from;
    memcpy(&from, pf_statetab_key(&c->pairs, s, &length), sizeof from);
    pf_arcs arcs = pf_fst_arcs(c->fst, from.fst);
    for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(step(c, from.model, &arcs.arc[i], to));
    float final = pf_fst_final(c->fst, from.fst);
    if (final != INFINITY) to->final = (float)((double)final + c->model->cls->final(c->model->self, from.model));
    return pf_fst_error(c->fst);
}

static const pf_op score_op = {.name = "score", .expand = score_expand, .free = score_free};

static pf_err set_up(score *c, pf_fst *out) {
    pair start = {c->fst->start, c->model->cls->start(c->model->self)};
    pf_statetab_init(&c->pairs, sizeof start);
    pf_fst_set_symbols(out, c->fst->isyms, c->fst->osyms);
    out->layered = c->fst->layered;
    PF_TRY(pf_labelmap_model(&c->words, c->fst->osyms, c->model));
    PF_TRY(PF_ROOM(&out->alphabet, c->fst->alphabet.n));
    for (size_t i = 0; i < c->fst->alphabet.n; i++) out->alphabet.at[out->alphabet.n++] = c->fst->alphabet.at[i];
    if (start.fst == PF_NO_STATE) return PF_OK;
    return pf_statetab_intern(&c->pairs, &start, sizeof start, &out->start, NULL);
}

pf_err pf_score_lazy(pf_fst *fst, const pf_model *model, pf_fst **out) {
    score *c = calloc(1, sizeof *c);
    if (!c) return pf_nomem();
    c->fst = fst;
    c->model = model;
    PF_TRY(pf_fst_new(fst->type, &score_op, c, out));
    pf_err err = set_up(c, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}

bool pf_score_parts(const pf_fst *f, pf_fst **fst, const pf_model **model) {
    if (f->op != &score_op) return false;
    const score *c = f->self;
    *fst = c->fst;
    *model = c->model;
    return true;
}
