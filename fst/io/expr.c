/* Expressions as values: every one is filled before anybody sees it. */
#include <permfst/io/expr.h>

#include <permfst/base/arena.h>
#include <permfst/machine/scale.h>

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* An expression with what nobody else sees. */
typedef struct {
    pf_expr shown;   /* first, so that a pointer to it is one to all */
    unsigned refs;   /* atomic */
    pf_arena memory; /* of the specification, the failure symbol and the name */
    pf_answer answer;
} expr_holder;

static const char *const names[] = {"vector", "perm", "compose", "model", "best"};

const char *pf_expr_kind_name(pf_expr_kind kind) {
    assert((size_t)kind < sizeof names / sizeof *names);
    return names[kind];
}

static expr_holder *holder_new(void) {
    expr_holder *holder = calloc(1, sizeof *holder);
    if (holder) holder->refs = 1;
    else pf_nomem();
    return holder;
}

/* The members of an expression are const, so they come all at once. */
static pf_err show(expr_holder *holder, pf_expr shown, pf_expr **out) {
    memcpy(&holder->shown, &shown, sizeof shown);
    *out = &holder->shown;
    return PF_OK;
}

pf_expr *pf_expr_ref(pf_expr *expr) {
    __atomic_add_fetch(&((expr_holder *)expr)->refs, 1, __ATOMIC_RELAXED);
    return expr;
}

uint64_t pf_expr_bytes(const pf_expr *expr) {
    if (!expr) return 0;
    uint64_t own = sizeof(expr_holder) + ((const expr_holder *)expr)->memory.total;
    if (expr->fst) own += pf_fst_bytes(expr->fst);
    if (expr->answer) own += pf_answer_bytes(expr->answer);
    return own + pf_expr_bytes(expr->first) + pf_expr_bytes(expr->second);
}

void pf_expr_free(pf_expr *expr) {
    expr_holder *holder = (expr_holder *)expr;
    if (!expr || __atomic_sub_fetch(&holder->refs, 1, __ATOMIC_ACQ_REL)) return;
    pf_fst_free(expr->fst);
    pf_expr_free(expr->first);
    pf_expr_free(expr->second);
    pf_blob_free(expr->shared);
    pf_answer_free(&holder->answer);
    pf_arena_free(&holder->memory);
    free(holder);
}

/* ---- what is there already ---- */

pf_err pf_expr_of_fst(pf_fst *fst, pf_expr **out) { return pf_expr_of_file(fst, &(pf_header){.arcs = -1}, out); }

pf_err pf_expr_of_file(pf_fst *fst, const pf_header *header, pf_expr **out) {
    assert(!fst->op);
    expr_holder *holder = holder_new();
    *out = NULL;
    if (holder)
        return show(holder, (pf_expr){.kind = PF_EXPR_FST, .fst = fst, .properties = header->properties, .arcs = header->arcs},
                    out);
    pf_fst_free(fst);
    return PF_ENOMEM;
}

pf_err pf_expr_of_answer(pf_answer *answer, pf_expr **out) {
    pf_answer all = *answer;
    expr_holder *holder = holder_new();
    *answer = (pf_answer){0};
    *out = NULL;
    if (!holder) {
        pf_answer_free(&all);
        return PF_ENOMEM;
    }
    holder->answer = all;
    return show(holder, (pf_expr){.kind = PF_EXPR_BEST, .answer = &holder->answer}, out);
}

pf_err pf_expr_of_model(pf_blob *model, pf_expr **out) {
    expr_holder *holder = holder_new();
    *out = NULL;
    return holder ? show(holder, (pf_expr){.kind = PF_EXPR_MODEL, .shared = pf_blob_ref(model)}, out) : PF_ENOMEM;
}

/* ---- copies in the arena ---- */

static pf_err copy(pf_arena *memory, const void *from, size_t bytes, void *out) {
    void *at = pf_arena_get(memory, bytes ? bytes : 1);
    if (!at) return pf_nomem();
    if (bytes) memcpy(at, from, bytes);
    memcpy(out, &at, sizeof at);
    return PF_OK;
}

static pf_err copy_string(pf_arena *memory, const char *from, const char **out) {
    return copy(memory, from, strlen(from) + 1, out);
}

/* ---- names ---- */

const char *pf_expr_name(const pf_expr *expr) {
    if (!expr || expr->name) return expr ? expr->name : NULL;
    const char *first = pf_expr_name(expr->first);
    return first ? first : pf_expr_name(expr->second);
}

static pf_err give_name(pf_expr *expr, const char *name) {
    expr_holder *holder = (expr_holder *)expr;
    const char *own;
    assert(!expr->name && holder->refs == 1 && (expr->kind == PF_EXPR_FST || expr->kind == PF_EXPR_BEST));
    if (strlen(name) > PF_NAME_LIMIT)
        return pf_fail(PF_EINPUT, "expected a name of at most %zu bytes, found %zu", PF_NAME_LIMIT, strlen(name));
    PF_TRY(copy_string(&holder->memory, name, &own));
    memcpy((char *)expr + offsetof(pf_expr, name), &own, sizeof own);
    return PF_OK;
}

pf_err pf_expr_give_name(pf_expr **expr, const char *name) {
    pf_err err = name && *name ? give_name(*expr, name) : PF_OK;
    if (!err) return PF_OK;
    pf_expr_free(*expr);
    *expr = NULL;
    return err;
}

/* ---- permutations ---- */

typedef struct {
    const char **con;
    pf_weight *wm;
    size_t n_con, n_wm;
} spec_lists;

static pf_err add_all(pf_arena *memory, const pf_perm_spec *from, spec_lists *to) {
    for (size_t i = 0; i < from->n_con; i++) PF_TRY(copy_string(memory, from->con[i], &to->con[to->n_con++]));
    for (size_t i = 0; i < from->n_wm; i++) {
        pf_weight *weight = &to->wm[to->n_wm++];
        *weight = (pf_weight){.n = from->wm[i].n};
        assert(!weight->n || from->wm[i].cost);
        PF_TRY(copy_string(memory, from->wm[i].spec, &weight->spec));
        if (weight->n) PF_TRY(copy(memory, from->wm[i].cost, weight->n * sizeof *weight->cost, &weight->cost));
    }
    return PF_OK;
}

/* Both, one after the other. */
static pf_err copy_specs(pf_arena *memory, const pf_perm_spec *first, const pf_perm_spec *second, pf_perm_spec *out) {
    spec_lists to = {0};
    size_t cons = first->n_con + second->n_con, wms = first->n_wm + second->n_wm;
    if (cons > PF_SPECS_LIMIT || wms > PF_SPECS_LIMIT)
        return pf_fail(PF_ELIMIT, "expected at most %d constraints or weights, found more", PF_SPECS_LIMIT);
    to.con = pf_arena_get(memory, (cons + 1) * sizeof *to.con);
    to.wm = pf_arena_get(memory, (wms + 1) * sizeof *to.wm);
    if (!to.con || !to.wm) return pf_nomem();
    PF_TRY(add_all(memory, first, &to));
    PF_TRY(add_all(memory, second, &to));
    *out = (pf_perm_spec){to.con, to.n_con, to.wm, to.n_wm, first->acceptor || second->acceptor};
    return PF_OK;
}

static pf_err permute(pf_expr *input, const pf_perm_spec *spec, const pf_perm_spec *more, pf_expr **out) {
    pf_perm_spec all = {0};
    expr_holder *holder = holder_new();
    *out = NULL;
    if (!holder) return PF_ENOMEM;
    pf_err err = copy_specs(&holder->memory, spec, more, &all);
    if (!err) return show(holder, (pf_expr){.kind = PF_EXPR_PERM, .first = pf_expr_ref(input), .spec = all}, out);
    pf_expr_free(&holder->shown);
    return err;
}

pf_err pf_expr_permute(pf_expr *input, const pf_perm_spec *spec, pf_expr **out) {
    return permute(input, spec, &(pf_perm_spec){0}, out);
}

pf_err pf_expr_permute_more(pf_expr *perm, const pf_perm_spec *more, pf_expr **out) {
    assert(perm->kind == PF_EXPR_PERM);
    return permute(perm->first, &perm->spec, more, out);
}

/* ---- compositions ---- */

static pf_err check(const pf_composing *how) {
    if (how->phi && (!*how->phi || strlen(how->phi) > PF_PHI_LIMIT))
        return pf_fail(PF_EARG, "a failure symbol has from 1 to %d bytes", PF_PHI_LIMIT);
    for (size_t i = 0; i < 2; i++)
        if (!pf_scale_fits(how->scale[i])) return pf_scale_too_large(how->scale[i]);
    return PF_OK;
}

static pf_err compose(pf_expr *first, pf_expr *second, pf_blob *shared, const pf_composing *how, pf_expr **out) {
    static const pf_composing as_they_are = {{1, 1}, NULL};
    const char *phi = NULL;
    assert(!second != !shared);
    *out = NULL;
    if (!how) how = &as_they_are;
    PF_TRY(check(how));
    expr_holder *holder = holder_new();
    if (!holder) return PF_ENOMEM;
    if (how->phi && copy_string(&holder->memory, how->phi, &phi)) {
        pf_expr_free(&holder->shown);
        return PF_ENOMEM;
    }
    return show(holder, (pf_expr){.kind = PF_EXPR_COMPOSE, .first = pf_expr_ref(first),
                                  .second = second ? pf_expr_ref(second) : NULL, .shared = shared ? pf_blob_ref(shared) : NULL,
                                  .scale = {how->scale[0], how->scale[1]}, .phi = phi},
                out);
}

pf_err pf_expr_compose(pf_expr *first, pf_expr *second, const pf_composing *how, pf_expr **out) {
    return compose(first, second, NULL, how, out);
}

pf_err pf_expr_compose_shared(pf_expr *first, pf_blob *second, const pf_composing *how, pf_expr **out) {
    return compose(first, NULL, second, how, out);
}
