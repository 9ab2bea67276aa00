/* Every part of an expression by itself, and then the whole by opening it. */
#include <permfst/verbs/intact.h>

#include <permfst/io/header.h>
#include <permfst/ops/open.h>
#include <permfst/ops/properties.h>

#include <inttypes.h>

#define ERROR UINT64_C(4)
enum { FIRST_BIT = 16, END_BIT = 48 };

static pf_err check_properties(const pf_expr *expr, pf_intact_counts *counts) {
    uint64_t holds;
    if (expr->properties & ERROR) return pf_fail(PF_EINPUT, "the program that wrote the automaton has marked it as an error");
    if (!(uint32_t)(expr->properties >> FIRST_BIT)) return PF_OK;
    PF_TRY(pf_properties(expr->fst, &holds));
    for (unsigned bit = FIRST_BIT; bit < END_BIT; bit++) {
        if (!(expr->properties >> bit & 1)) continue;
        if (!(holds >> bit & 1))
            return pf_fail(PF_EINPUT, "the header says that the automaton is %s; it is %s", pf_property_name(bit),
                                                pf_property_name(bit ^ 1));
        counts->properties++;
    }
    return PF_OK;
}

/* OpenFst writes 0 arcs in the header of a vector. */
static pf_err check_fst(const pf_expr *expr, pf_intact_counts *counts) {
    if (expr->arcs > 0 && (uint64_t)expr->arcs != expr->fst->narcs)
        return pf_fail(PF_EINPUT, "the header says that the automaton has %" PRId64 " arcs; it has %" PRIu64, expr->arcs,
                       expr->fst->narcs);
    counts->states += pf_fst_states(expr->fst);
    counts->arcs += expr->fst->narcs;
    return check_properties(expr, counts);
}

static pf_err check_model(pf_blob *blob, pf_intact_counts *counts) {
    const pf_model *model;
    counts->models++;
    return pf_open_model(blob, &model);
}

static pf_err check_parts(pf_expr *expr, pf_intact_counts *counts) {
    if (expr->first) PF_TRY(check_parts(expr->first, counts));
    if (expr->second) PF_TRY(check_parts(expr->second, counts));
    switch (expr->kind) {
    case PF_EXPR_FST: return check_fst(expr, counts);
    case PF_EXPR_BEST: counts->answers++; break; /* what it claims is about paths that it does not have */
    case PF_EXPR_MODEL: return check_model(expr->shared, counts);
    case PF_EXPR_PERM: case PF_EXPR_COMPOSE: break;
    }
    return PF_OK;
}

pf_err pf_expr_intact(pf_expr *expr, pf_intact_counts *counts) {
    pf_opened *opened;
    PF_TRY(check_parts(expr, counts));
    if (expr->kind != PF_EXPR_PERM && expr->kind != PF_EXPR_COMPOSE) return PF_OK;
    PF_TRY(pf_open(expr, &opened));
    pf_opened_free(opened);
    counts->opened++;
    return PF_OK;
}
