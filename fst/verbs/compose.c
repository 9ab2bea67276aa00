/* Two records are read ahead of an operand that goes record by record. So an operand that has a single record is known as such. */
#include <permfst/verbs/compose.h>

#include <permfst/machine/scale.h>
#include <permfst/ops/compose.h>
#include <permfst/ops/open.h>
#include <permfst/ops/wording.h>

#include <assert.h>
#include <stdlib.h>

typedef struct {
    const char *name;
    double scale;
    pf_blob *shared;      /* serves all records: a model or an ordinary automaton */
    pf_expr *single;      /* serves all records: an automaton, written out each time if it is lazy */
    pf_operand_next next; /* else it has a record for each */
    void *self;
    pf_source *source;    /* of `next`, if the list owns it */
    pf_expr *queue[2];    /* those read ahead */
    bool fails;           /* shared or single: it has the failure symbol */
    bool automaton;       /* shared or single: of `type` */
    pf_arc_type type;
} operand;

struct pf_operands {
    pf_operands_options options;
    PF_VEC(operand) list;
    bool phi_met; /* some operand has had the failure symbol */
};

/* For each operand that goes record by record its expression, NULL for the others; and whether that has the failure symbol. */
typedef struct {
    pf_expr *expr;
    bool fails;
} own_record;

struct pf_operand_records {
    size_t n;
    own_record at[];
};

pf_err pf_operands_new(const pf_operands_options *options, pf_operands **out) {
    *out = NULL;
    if (!pf_scale_fits(options->scale_first)) return pf_scale_too_large(options->scale_first);
    *out = calloc(1, sizeof **out);
    if (!*out) return pf_nomem();
    (*out)->options = *options;
    return PF_OK;
}

void pf_operands_free(pf_operands *operands) {
    if (!operands) return;
    for (size_t i = 0; i < operands->list.n; i++) {
        operand *second = &operands->list.at[i];
        pf_expr_free(second->single);
        pf_expr_free(second->queue[0]);
        pf_expr_free(second->queue[1]);
        pf_blob_free(second->shared);
        pf_source_free(second->source);
    }
    PF_VEC_FREE(&operands->list);
    free(operands);
}

/* ---- the list ---- */

/* Has an automaton the failure symbol? It is noted whether any has. */
static bool fails(pf_operands *operands, const pf_expr *expr) {
    bool yes = operands->options.phi && pf_expr_reads(expr, operands->options.phi);
    operands->phi_met = operands->phi_met || yes;
    return yes;
}

/* The arc type of an automaton's record. */
static pf_arc_type type_of(const pf_expr *expr) {
    while (expr->kind == PF_EXPR_PERM || expr->kind == PF_EXPR_COMPOSE) expr = expr->first;
    assert(expr->kind != PF_EXPR_MODEL);
    return expr->kind == PF_EXPR_FST ? expr->fst->type : expr->answer->type;
}

pf_err pf_operands_add_model(pf_operands *operands, double scale, pf_blob *model) {
    operand second = {.scale = scale};
    if (!pf_scale_fits(scale)) return pf_scale_too_large(scale);
    PF_TRY(PF_ROOM(&operands->list, 1));
    second.shared = pf_blob_ref(model);
    operands->list.at[operands->list.n++] = second;
    return PF_OK;
}

pf_err pf_operands_add(pf_operands *operands, const char *name, double scale, pf_expr *first, pf_operand_next next,
    void *self) {
    if (!pf_scale_fits(scale)) return pf_scale_too_large(scale);
    PF_TRY(PF_ROOM(&operands->list, 1));
    operand *second = &operands->list.at[operands->list.n++];
    *second = (operand){.name = name, .scale = scale, .next = next, .self = self};
    second->queue[0] = pf_expr_ref(first);
    PF_TRY(next(self, &second->queue[1]));
    if (second->queue[1]) return PF_OK;
    second->single = second->queue[0];
    second->queue[0] = NULL;
    second->fails = fails(operands, second->single);
    second->automaton = second->single->kind != PF_EXPR_MODEL;
    if (second->automaton) second->type = type_of(second->single);
    return second->single->kind == PF_EXPR_FST ? pf_blob_of_fst(second->single, &second->shared) : PF_OK;
}

static pf_err next_record(void *source, pf_expr **out) { return pf_source_next(source, out); }

pf_err pf_operands_add_source(pf_operands *operands, const char *name, double scale, pf_expr *first, pf_source *source) {
    size_t n = operands->list.n;
    pf_err err = pf_operands_add(operands, name, scale, first, next_record, source);
    if (operands->list.n > n) operands->list.at[n].source = source;
    else pf_source_free(source);
    return err;
}

pf_blob *pf_operands_shared(const pf_operands *operands, size_t i) {
    assert(i < operands->list.n);
    return operands->list.at[i].shared;
}

bool pf_operands_lack_phi(const pf_operands *operands) {
    bool more = false;
    for (size_t i = 0; i < operands->list.n; i++) more = more || operands->list.at[i].queue[0];
    return operands->options.phi && !operands->phi_met && !more;
}

pf_err pf_operands_check_phi(const pf_operands *operands) {
    if (!pf_operands_lack_phi(operands)) return PF_OK;
    return pf_fail(PF_EARG, "no automaton after the first has the symbol '%.100s'", operands->options.phi);
}

/* ---- one record ---- */

static pf_err take_next(pf_operands *operands, operand *second, own_record *out) {
    out->expr = second->queue[0];
    if (!out->expr)
        return pf_fail(PF_EINPUT, "%s has fewer records than the first operand: it must have one record, or as many", second->name);
    second->queue[0] = second->queue[1];
    second->queue[1] = NULL;
    out->fails = fails(operands, out->expr);
    return second->queue[0] ? second->next(second->self, &second->queue[1]) : PF_OK;
}

pf_err pf_operands_take(pf_operands *operands, pf_operand_records **out) {
    pf_operand_records *own = *out = calloc(1, sizeof *own + operands->list.n * sizeof *own->at);
    if (!own) return pf_nomem();
    own->n = operands->list.n;
    for (size_t i = 0; i < own->n; i++) {
        operand *second = &operands->list.at[i];
        if (!second->shared && !second->single) PF_TRY(take_next(operands, second, &own->at[i]));
    }
    return PF_OK;
}

void pf_operand_records_free(pf_operand_records *own) {
    if (!own) return;
    for (size_t i = 0; i < own->n; i++) pf_expr_free(own->at[i].expr);
    free(own);
}

static pf_err compose_one(const pf_operands_options *options, const operand *b, const own_record *own, double first_scale,
    pf_expr *first, pf_expr **out) {
    pf_expr *second = own->expr ? own->expr : b->single;
    if (b->shared) PF_TRY(pf_expr_check_words(first, b->shared, options->all_words));
    if (own->expr && own->expr->kind == PF_EXPR_MODEL)
        return pf_fail(PF_EINPUT, "expected an automaton in %s, found a model: a model must be alone in its file", b->name);
    if (own->expr || b->automaton) PF_TRY(pf_compose_types(type_of(first), own->expr ? type_of(own->expr) : b->type));
    pf_composing how = {{first_scale, b->scale}, own->fails || b->fails ? options->phi : NULL};
    if (b->shared) return pf_expr_compose_shared(first, b->shared, &how, out);
    return pf_expr_compose(first, second, &how, out);
}

pf_err pf_operands_compose(const pf_operands *operands, const pf_operand_records *own, pf_expr *first, pf_expr **out) {
    assert(own->n == operands->list.n);
    *out = NULL;
    if (first->kind == PF_EXPR_MODEL) return pf_fail(PF_EINPUT, "expected an automaton as the first operand, found a model");
    pf_expr *all = pf_expr_ref(first), *both;
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < own->n; i++) {
        err = compose_one(&operands->options, &operands->list.at[i], &own->at[i], i ? 1 : operands->options.scale_first,
            all, &both);
        if (err) break;
        pf_expr_free(all);
        all = both;
    }
    if (err) pf_expr_free(all);
    else *out = all;
    return err;
}

pf_err pf_operands_end(const pf_operands *operands) {
    for (size_t i = 0; i < operands->list.n; i++)
        if (operands->list.at[i].queue[0])
            return pf_fail(PF_EINPUT, "%s has more records than the first operand: it must have one record, or as many",
                           operands->list.at[i].name);
    return PF_OK;
}

/* ---- records ---- */

/* Taken before anything can fail, so that operands stay beside the records. */
static pf_err take(void *self, pf_record *record) {
    pf_operand_records *own;
    pf_err err = pf_operands_take(self, &own);
    record->own = own;
    for (size_t i = 0; own && i < own->n; i++) record->own_bytes += pf_expr_bytes(own->at[i].expr);
    return err;
}

static pf_err compose(void *self, pf_record *record) { return pf_operands_compose(self, record->own, record->in, &record->out); }

static void drop(void *own) { pf_operand_records_free(own); }

const pf_record_steps pf_operands_steps = {take, compose, NULL, drop, false};
