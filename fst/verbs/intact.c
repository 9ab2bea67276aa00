/* Every part of an expression by itself, and then the whole by opening it. */
#include <permfst/verbs/intact.h>

#include <permfst/base/digits.h>
#include <permfst/io/header.h>
#include <permfst/ops/open.h>
#include <permfst/ops/properties.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

/* ---- a stream ---- */

static pf_err check(void *self PF_UNUSED, pf_record *record) {
    pf_intact_counts *counts = record->own = calloc(1, sizeof *counts);
    if (!counts) return pf_nomem();
    pf_err err = pf_expr_intact(record->in, counts);
    if (err != PF_EINPUT && err != PF_EARG && err != PF_ELIMIT) return err;
    return pf_fail_in(err, "%s: record %" PRIu64 ", byte %" PRIu64 ": ", record->name, record->record, record->byte);
}

static pf_err add_up(void *self, pf_record *record) {
    pf_intact_stream *stream = self;
    pf_intact_counts *all = &stream->counts;
    const pf_intact_counts *one = record->own;
    if (record->failed) return PF_OK;
    stream->records++;
    stream->bare += !record->summed;
    all->states += one->states;
    all->arcs += one->arcs;
    all->properties += one->properties;
    all->models += one->models;
    all->answers += one->answers;
    all->opened += one->opened;
    return PF_OK;
}

const pf_record_steps pf_intact_steps = {.work = check, .finish = add_up, .drop = free};

const char *pf_intact_words(const pf_intact_stream *stream, char words[PF_INTACT_BYTES]) {
    const pf_intact_counts *counts = &stream->counts;
    snprintf(words, PF_INTACT_BYTES, "intact: %" PRIu64 " record%s, %" PRIu64 " of them without a checksum; automata with %" PRIu64
             " states and %" PRIu64 " arcs, of which %" PRIu64 " properties were claimed; %" PRIu64 " lazy automata, which open; %"
             PRIu64 " models; %" PRIu64 " answers", stream->records, pf_plural(stream->records), stream->bare, counts->states,
             counts->arcs, counts->properties, counts->opened, counts->models, counts->answers);
    return words;
}
