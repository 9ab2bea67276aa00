/* Tuples of states, interned: the automaton's, then one of each model. */
#include <permfst/ops/score.h>

#include <permfst/base/statetab.h>
#include <permfst/machine/scale.h>
#include <permfst/ops/labelmap.h>
#include <permfst/ops/most.h>

#include <assert.h>
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
    score_machine *score = self;
    for (size_t i = 0; i < score->words.n; i++) pf_labelmap_free(&score->words.at[i]);
    for (size_t i = 0; i < score->made.n; i++) pf_scorer_end(&score->made.at[i]);
    PF_VEC_FREE(&score->made);
    PF_VEC_FREE(&score->by);
    PF_VEC_FREE(&score->words);
    pf_statetab_free(&score->tuples);
    PF_VEC_FREE(&score->from);
    PF_VEC_FREE(&score->next);
    free(score);
}

static size_t tuple_bytes(const score_machine *score) { return (1 + score->by.n) * sizeof(pf_state); }

/* What the models say of an output label; score->next is where they are then. Summed up before anything else, as rows do. */
static pf_err say(score_machine *score, pf_label out, double *costs) {
    *costs = 0;
    for (size_t i = 0; i < score->by.n; i++) {
        const pf_scored_by *by = &score->by.at[i];
        pf_label word;
        score->next.at[1 + i] = score->from.at[1 + i];
        if (out == PF_EPSILON) continue;
        PF_TRY(pf_labelmap_get(&score->words.at[i], out, &word));
        *costs +=
            pf_scaled(by->scale, by->scorer->cls->step(by->scorer, score->from.at[1 + i], word, &score->next.at[1 + i]));
    }
    return PF_OK;
}

static pf_err step(score_machine *score, const pf_arc *arc, pf_emit *to) {
    double cost;
    pf_state id;
    score->next.at[0] = arc->to;
    PF_TRY(say(score, arc->out, &cost));
    cost += pf_scaled(score->own, (double)arc->w);
    if (cost == (double)INFINITY) return PF_OK;
    if (!pf_cost_fits(cost)) return pf_cost_too_large(cost);
    PF_TRY(pf_statetab_intern(&score->tuples, score->next.at, tuple_bytes(score), &id, NULL));
    return pf_emit_arc(to, arc->in, arc->out, (float)cost, id);
}

static pf_err end(score_machine *score, pf_emit *to) {
    double cost = 0, own = pf_scaled(score->own, (double)pf_fst_final(score->fst, score->from.at[0]));
    if (own == (double)INFINITY) return PF_OK;
    for (size_t i = 0; i < score->by.n; i++) {
        const pf_scored_by *by = &score->by.at[i];
        cost += pf_scaled(by->scale, by->scorer->cls->final(by->scorer, score->from.at[1 + i]));
    }
    cost += own;
    to->final = (float)cost;
    return pf_cost_fits(cost) ? PF_OK : pf_cost_too_large(cost);
}

static pf_err score_expand(void *self, pf_state state, pf_emit *to) {
    score_machine *score = self;
    size_t length;
    memcpy(score->from.at, pf_statetab_key(&score->tuples, state, &length), tuple_bytes(score));
    assert(length == tuple_bytes(score));
    pf_arcs arcs = pf_fst_arcs(score->fst, score->from.at[0]);
    for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(step(score, &arcs.arc[i], to));
    PF_TRY(end(score, to));
    return pf_fst_error(score->fst);
}

static bool score_nonnegative(const void *self) {
    const score_machine *score = self;
    for (size_t i = 0; i < score->by.n; i++)
        if (!pf_scaled_nonnegative(score->by.at[i].scale, pf_scorer_nonnegative(score->by.at[i].scorer))) return false;
    return pf_scaled_nonnegative(score->own, pf_fst_nonnegative(score->fst));
}

static const struct pf_con *score_space(const void *self) { return pf_fst_space(((const score_machine *)self)->fst); }

static uint64_t score_bytes(const void *self) {
    const score_machine *score = self;
    return pf_statetab_bytes(&score->tuples) + pf_fst_bytes(score->fst);
}

/* Arcs put out what those of the automaton do. */
static pf_err score_most(void *self, const pf_gain *gain, double *out) {
    return pf_most_known(((score_machine *)self)->fst, gain, out);
}

static const pf_op score_op = {
    .name = "score", .expand = score_expand, .free = score_free, .nonnegative = score_nonnegative, .space = score_space,
    .bytes = score_bytes, .most = score_most,
};

static pf_err add(score_machine *score, const pf_scored_by *by, size_t count, double scale) {
    for (size_t i = 0; i < count; i++) {
        pf_scored_by one = {by[i].scorer, by[i].scale * scale};
        assert(one.scorer);
        if (!pf_scale_fits(one.scale)) return pf_scale_too_large(one.scale);
        PF_TRY(PF_PUSH(&score->by, one));
        PF_TRY(PF_ROOM(&score->words, 1));
        PF_TRY(pf_labelmap_scorer(&score->words.at[score->words.n], score->fst->osyms, one.scorer));
        score->words.n++;
    }
    return PF_OK;
}

static pf_err set_start(score_machine *score, pf_state *start) {
    size_t count = 1 + score->by.n;
    assert(score->words.n == score->by.n);
    PF_TRY(PF_ROOM(&score->from, count));
    PF_TRY(PF_ROOM(&score->next, count));
    pf_statetab_init(&score->tuples, tuple_bytes(score));
    if (score->fst->start == PF_NO_STATE) return PF_OK;
    score->from.at[0] = score->fst->start;
    for (size_t i = 1; i < count; i++)
        score->from.at[i] = score->by.at[i - 1].scorer->cls->start(score->by.at[i - 1].scorer);
    return pf_statetab_intern(&score->tuples, score->from.at, tuple_bytes(score), start, NULL);
}

static pf_err set_up(score_machine *score, const pf_scoring *parts, double own, const pf_scored_by *by, size_t count,
    pf_fst *out) {
    const pf_fst *fst = parts->fst;
    pf_fst_set_symbols(out, fst->isyms, fst->osyms);
    out->layered = fst->layered;
    PF_TRY(PF_ROOM(&out->alphabet, fst->alphabet.n));
    for (size_t i = 0; i < fst->alphabet.n; i++) out->alphabet.at[out->alphabet.n++] = fst->alphabet.at[i];
    if (!pf_scale_fits(score->own)) return pf_scale_too_large(score->own);
    PF_TRY(add(score, parts->by, parts->n, own));
    PF_TRY(add(score, by, count, 1));
    return set_start(score, &out->start);
}

/* Takes over what is begun: the scorers that were made. */
static pf_err finish(score_machine *score, pf_fst *fst, double own, const pf_scored_by *by, size_t count, pf_fst **out) {
    pf_scoring parts;
    pf_score_parts(fst, &parts);
    score->fst = parts.fst;
    score->own = parts.own * own;
    PF_TRY(pf_fst_new(fst->type, &score_op, score, out));
    pf_err err = set_up(score, &parts, own, by, count, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}

pf_err pf_score_by(pf_fst *fst, double own, const pf_scored_by *by, size_t count, pf_fst **out) {
    score_machine *score = calloc(1, sizeof *score);
    return score ? finish(score, fst, own, by, count, out) : pf_nomem();
}

/* The scorers do not move once they are there. */
static pf_err make_scorers(score_machine *score, const pf_scored *model, size_t count, pf_scored_by *by) {
    PF_TRY(PF_ROOM(&score->made, count));
    for (size_t i = 0; i < count; i++) {
        PF_TRY(pf_scorer_of(model[i].model, &score->made.at[i]));
        by[i] = (pf_scored_by){&score->made.at[i], model[i].scale};
        score->made.n++;
    }
    return PF_OK;
}

pf_err pf_score_all(pf_fst *fst, double own, const pf_scored *model, size_t count, pf_fst **out) {
    score_machine *score = calloc(1, sizeof *score);
    pf_scored_by *by = calloc(count + 1, sizeof *by);
    pf_err err = score && by ? make_scorers(score, model, count, by) : pf_nomem();
    if (!err) err = finish(score, fst, own, by, count, out);
    else if (score) score_free(score);
    free(by);
    return err;
}

bool pf_score_parts(pf_fst *fst, pf_scoring *parts) {
    *parts = (pf_scoring){fst, 1, NULL, 0};
    if (fst->op != &score_op) return false;
    const score_machine *score = fst->self;
    *parts = (pf_scoring){score->fst, score->own, score->by.at, score->by.n};
    return true;
}
