/* A feature is the cost of the same path in the same composition with the scale 1 for it and 0 for the others. Scales change
 * no state and no arc but in its weight, so the path takes the arcs of the same places in the same states. This holds for
 * whatever can be composed: models, tuple models, automata. A weight of A cannot have a scale without A, so the cost of A is taken
 * off again. */
#include <permfst/verbs/features.h>

#include <permfst/io/paths.h>
#include <permfst/ops/open.h>
#include <permfst/permute/wm.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* A, and in how many compositions it is. */
static const pf_expr *innermost(const pf_expr *expr, size_t *around) {
    for (*around = 0; expr->kind == PF_EXPR_COMPOSE; expr = expr->first) ++*around;
    return expr;
}

static size_t weights_of(const pf_expr *a) { return a->kind == PF_EXPR_PERM && a->spec.n_wm > 1 ? a->spec.n_wm : 0; }

size_t pf_features_weights(const pf_expr *expr) {
    size_t around;
    return weights_of(innermost(expr, &around));
}

size_t pf_features_count(const pf_expr *expr) {
    size_t around;
    const pf_expr *a = innermost(expr, &around);
    return 1 + weights_of(a) + around;
}

const char *pf_feature_name(size_t i, size_t weights, char name[PF_FEATURE_NAME]) {
    assert(weights != 1); /* which is A itself */
    if (i > weights) snprintf(name, PF_FEATURE_NAME, "B%zu", i - weights);
    else if (i) snprintf(name, PF_FEATURE_NAME, "A%zu", i);
    else snprintf(name, PF_FEATURE_NAME, "A");
    return name;
}

/* ---- scales ---- */

void pf_features_scales(const pf_expr *expr, double *scale) {
    double around = 1;
    for (size_t i = pf_features_count(expr); expr->kind == PF_EXPR_COMPOSE; expr = expr->first) {
        scale[--i] = around * expr->scale[1];
        around *= expr->scale[0];
    }
    scale[0] = around;
    for (size_t i = 0, n = weights_of(expr); i < n; i++) {
        pf_wm_scale_of(expr->spec.wm[i].spec, &scale[i + 1]);
        scale[i + 1] *= around;
    }
}

/* ---- a composition with other scales ---- */

/* A with other scales of its weights: scale[0] is that of A, which multiplies them. */
static pf_err permute_with(const pf_expr *a, const double *scale, pf_weight *weight, char **spec, pf_expr **out) {
    for (size_t i = 0; i < a->spec.n_wm; i++) {
        double own = scale[i + 1] == 0 ? 0 : scale[i + 1] / scale[0];
        weight[i] = a->spec.wm[i];
        if (scale[0] == 0 && own != 0)
            return pf_fail(PF_EARG, "the scale of A is 0, so its weights cannot have scales of their own");
        PF_TRY(pf_wm_rescale(weight[i].spec, own, &spec[i]));
        weight[i].spec = spec[i];
    }
    pf_perm_spec with = a->spec;
    with.wm = weight;
    return pf_expr_permute(a->first, &with, out);
}

static pf_err rescale_weights(pf_expr *a, const double *scale, pf_expr **out) {
    size_t n = weights_of(a);
    if (!n) {
        *out = pf_expr_ref(a);
        return PF_OK;
    }
    pf_weight *weight = calloc(n, sizeof *weight);
    char **spec = calloc(n, sizeof *spec);
    pf_err err = weight && spec ? permute_with(a, scale, weight, spec, out) : pf_nomem();
    for (size_t i = 0; spec && i < n; i++) free(spec[i]);
    free(spec);
    free(weight);
    return err;
}

static pf_err compose(pf_expr *first, const pf_expr *like, double own, double scale, pf_expr **out) {
    pf_composing how = {{own, scale}, like->phi};
    return like->shared ? pf_expr_compose_shared(first, like->shared, &how, out) : pf_expr_compose(first, like->second, &how, out);
}

/* The compositions from the inside out, at[0] being A; `scale` has those of A and its weights first. */
static pf_err compose_all(pf_expr *const *at, size_t n, const double *scale, pf_expr **out) {
    const double *outer = scale + weights_of(at[0]);
    pf_expr *all = NULL;
    PF_TRY(rescale_weights(at[0], scale, &all));
    for (size_t i = 1; i < n; i++) {
        pf_expr *more;
        pf_err err = compose(all, at[i], i > 1 ? 1 : scale[0], outer[i], &more);
        pf_expr_free(all);
        PF_TRY(err);
        all = more;
    }
    *out = all;
    return PF_OK;
}

pf_err pf_features_rescale(pf_expr *expr, const double *scale, pf_expr **out) {
    size_t n;
    innermost(expr, &n);
    pf_expr **at = calloc(++n, sizeof *at);
    *out = NULL;
    if (!at) return pf_nomem();
    for (size_t i = n; i-- > 0; expr = expr->first) at[i] = expr;
    pf_err err = compose_all(at, n, scale, out);
    free(at);
    return err;
}

/* ---- a path, by the places of its arcs ---- */

typedef struct {
    PF_VEC(pf_state) state; /* after i arcs */
    PF_VEC(uint32_t) place; /* of arc i among those of its state */
} pf_trace;

static bool same_arc(const pf_arc *arc, const pf_arc *b) { return arc->in == b->in && arc->out == b->out && arc->w == b->w; }

/* A label of the answer's words as the machine has it. Target words are numbered as they are met, and a search of any automaton
 * meets them in another order. PF_NO_LABEL: the machine has not met the word. */
static pf_label label_in(const pf_fst *fst, const pf_symtab *words, pf_label label) {
    size_t length;
    if (label == PF_EPSILON || !words || !fst->osyms) return label;
    const char *word = pf_symtab_name(words, label, &length);
    return word ? pf_symtab_find(fst->osyms, word, length) : label;
}

/* The next place of an arc from `place` on; UINT32_MAX if there is none. */
static uint32_t find_arc(pf_fst *fst, pf_state state, const pf_symtab *words, pf_arc wanted, uint32_t place, pf_state *to) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    wanted.out = label_in(fst, words, wanted.out);
    while (place < arcs.n && !same_arc(&arcs.arc[place], &wanted)) place++;
    if (place < arcs.n) *to = arcs.arc[place].to;
    return place < arcs.n ? place : UINT32_MAX;
}

/* Follows the path, and goes back where two arcs look the same and the first does not lead to the end. */
static pf_err trace_path(pf_fst *fst, const pf_symtab *words, const pf_path *path, pf_trace *out) {
    size_t n = 0;
    out->state.n = out->place.n = 0;
    PF_TRY(PF_ROOM(&out->state, path->n + 1));
    PF_TRY(PF_ROOM(&out->place, path->n + 1));
    out->state.at[0] = fst->start;
    out->place.at[0] = 0;
    while (fst->start != PF_NO_STATE) {
        if (n == path->n && pf_fst_final(fst, out->state.at[n]) == path->final) return pf_fst_error(fst);
        uint32_t place = n == path->n ? UINT32_MAX
            : find_arc(fst, out->state.at[n], words, path->arc[n], out->place.at[n], &out->state.at[n + 1]);
        PF_TRY(pf_fst_error(fst));
        if (place != UINT32_MAX) {
            out->place.at[n++] = place;
            out->place.at[n] = 0;
        } else if (n) out->place.at[--n]++;
        else break;
    }
    return pf_fail(PF_EINPUT, "the answer has a path that the automaton lacks");
}

static pf_err cost_of(pf_fst *fst, size_t n, const pf_trace *trace, double *cost) {
    pf_state state = fst->start;
    *cost = 0;
    for (size_t i = 0; i < n; i++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        PF_TRY(pf_fst_error(fst));
        assert(trace->place.at[i] < arcs.n);
        *cost += (double)arcs.arc[trace->place.at[i]].w;
        state = arcs.arc[trace->place.at[i]].to;
    }
    *cost += (double)pf_fst_final(fst, state);
    return pf_fst_error(fst);
}

/* ---- all paths ---- */

typedef struct {
    size_t n, weights;
    pf_opened *whole, **one; /* the composition; with a scale of 1 for feature i alone, and for A where it is a weight of A */
    pf_trace trace;
} feature_machines;

static void machines_free(feature_machines *machines) {
    for (size_t i = 0; machines->one && i < machines->n; i++) pf_opened_free(machines->one[i]);
    free(machines->one);
    pf_opened_free(machines->whole);
    PF_VEC_FREE(&machines->trace.state);
    PF_VEC_FREE(&machines->trace.place);
}

static pf_err open_one(pf_expr *expr, size_t i, size_t weights, double *scale, pf_opened **out) {
    pf_expr *alone;
    scale[0] = i <= weights;
    scale[i] = 1;
    PF_TRY(pf_features_rescale(expr, scale, &alone));
    scale[i] = 0;
    pf_err err = pf_open(alone, out);
    pf_expr_free(alone);
    return err;
}

static pf_err open_machines(pf_expr *expr, feature_machines *machines) {
    double *scale = calloc(machines->n, sizeof *scale);
    machines->one = calloc(machines->n, sizeof(pf_opened *));
    pf_err err = scale && machines->one ? pf_open(expr, &machines->whole) : pf_nomem();
    for (size_t i = 0; !err && i < machines->n; i++) err = open_one(expr, i, machines->weights, scale, &machines->one[i]);
    free(scale);
    return err;
}

static pf_err find_features(feature_machines *machines, const pf_answer *answer, double *out) {
    for (size_t rank = 0; rank < answer->paths.n; rank++, out += machines->n) {
        const pf_path *path = &answer->paths.at[rank];
        PF_TRY(trace_path(pf_opened_fst(machines->whole), answer->osyms, path, &machines->trace));
        for (size_t i = 0; i < machines->n; i++)
            PF_TRY(cost_of(pf_opened_fst(machines->one[i]), path->n, &machines->trace, &out[i]));
        for (size_t i = 1; i <= machines->weights; i++) out[i] -= out[0];
    }
    return PF_OK;
}

pf_err pf_features_of(pf_expr *expr, const pf_answer *answer, double *out) {
    feature_machines machines = {.n = pf_features_count(expr), .weights = pf_features_weights(expr)};
    pf_err err = PF_OK;
    if (answer->paths.n) err = open_machines(expr, &machines);
    if (!err) err = find_features(&machines, answer, out);
    machines_free(&machines);
    return err;
}

static pf_err write_path(pf_writer *writer, const pf_answer *answer, size_t rank, const double *features, size_t n,
                         size_t weights) {
    char name[PF_FEATURE_NAME];
    PF_TRY(pf_answer_write_words(writer, answer, rank, false));
    PF_TRY(pf_writer_text(writer, " |||"));
    for (size_t i = 0; i < n; i++)
        PF_TRY(pf_writer_text(writer, " %s= %.6f", pf_feature_name(i, weights, name), 0 - features[i]));
    return pf_writer_text(writer, " ||| %.6f\n", 0 - answer->paths.at[rank].cost);
}

pf_err pf_features_put(pf_expr *expr, const pf_answer *answer, uint64_t record, bool named, pf_writer *writer) {
    size_t n = pf_features_count(expr), weights = pf_features_weights(expr);
    double *features = calloc(answer->paths.n * n + 1, sizeof *features);
    assert(record > 0);
    if (!features) return pf_nomem();
    pf_err err = pf_features_of(expr, answer, features);
    for (size_t rank = 0; !err && rank < answer->paths.n; rank++) {
        err = pf_record_name_write(writer, named ? pf_expr_name(expr) : NULL, record - 1);
        if (!err) err = pf_writer_text(writer, " ||| ");
        if (!err) err = write_path(writer, answer, rank, features + rank * n, n, weights);
    }
    free(features);
    return err;
}
