/* A wall after position P, within the positions I..J (or all): of these, those up to P are visited before those after P.
 * The coverage alone tells what may come next, and the first uncovered position always may. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>

static pf_err init(pf_con *con, const pf_params *params) {
    uint64_t at, begin = 1, end = con->n;
    pfi_wall_range *wall = con->data = calloc(1, sizeof *wall);
    if (!wall) return pf_nomem();
    if (params->n != 1) PF_TRY(pf_params_expect(params, 3, "wall:P or wall:P,I,J"));
    if (params->n == 3) {
        PF_TRY(pf_params_number(params, 1, 1, con->n, &begin));
        PF_TRY(pf_params_number(params, 2, begin, con->n, &end));
    }
    PF_TRY(pf_params_number(params, 0, begin, end, &at));
    *wall = (pfi_wall_range){(unsigned)begin - 1, (unsigned)at, (unsigned)end};
    return PF_OK;
}

static void end(pf_con *con) { free(con->data); }

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    const pfi_wall_range *wall = con->data;
    (void)extra;
    if (pf_cover_gap(covered, con->nw, wall->begin) >= wall->at) return PF_OK;
    for (unsigned i = 0; i < con->nw; i++) set[i] &= ~pf_cover_range_word(wall->at, wall->end, i);
    return PF_OK;
}

/* Not if a position that waits is among the later ones and one that it waits for among the earlier ones. */
static bool inverts(const pf_con *con, unsigned i, unsigned j, unsigned k) {
    const pfi_wall_range *wall = con->data;
    bool some_before = i < wall->at && j > wall->begin, some_after = j < wall->end && k > wall->at;
    return !(some_before && some_after);
}

static bool member(const pf_con *con, const unsigned *perm) {
    const pfi_wall_range *wall = con->data;
    bool passed = false;
    for (unsigned step = 0; step < con->n; step++) {
        if (perm[step] < wall->begin || perm[step] >= wall->end) continue;
        if (passed && perm[step] < wall->at) return false;
        passed = passed || perm[step] >= wall->at;
    }
    return true;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    const pfi_wall_range *wall = con->data;
    (void)extra, (void)perm, (void)step;
    snprintf(words, room, "position %u, before the wall, is not covered yet",
        pf_cover_gap(covered, con->nw, wall->begin) + base);
}

/* With A positions before the wall, B after it and K others, free of both: a state has any of the K, and some of the A and none of
 * the B, or all of the A and some of the B. */
static void size(const pf_con *con, pf_con_size *size) {
    const pfi_wall_range *wall = con->data;
    const unsigned long before = wall->at - wall->begin, after = wall->end - wall->at, others = con->n - before - after;
    mpz_t power;
    mpz_init(power);
    mpz_fac_ui(size->paths, con->n);
    mpz_bin_uiui(power, before + after, before);
    mpz_divexact(size->paths, size->paths, power);
    for (unsigned side = 0; side < 2; side++) {
        mpz_ui_pow_ui(power, 2, side ? after : before);
        mpz_add(size->states, size->states, power);
        mpz_mul_ui(power, power, side ? after : before);
        mpz_add(size->arcs, size->arcs, power); /* twice the arcs, so far */
    }
    mpz_sub_ui(size->states, size->states, 1);
    mpz_addmul_ui(size->arcs, size->states, others);
    mpz_mul_2exp(size->states, size->states, others);
    mpz_mul_2exp(size->arcs, size->arcs, others);
    mpz_fdiv_q_2exp(size->arcs, size->arcs, 1);
    mpz_clear(power);
    size->machine = size->count = true;
}

const pf_con_class pfi_con_wall = {
    .name = "wall",
    .params = ":P[,I,J]",
    .help = "positions up to P before those after it; with I,J only among I to J",
    .first_gap = true,
    .init = init,
    .free = end,
    .narrow = narrow,
    .inverts = inverts,
    .member = member,
    .size = size,
    .why = why,
};

bool pfi_con_wall_of(const pf_con *con, pfi_wall_range *out) {
    if (con->cls != &pfi_con_wall) return false;
    *out = *(const pfi_wall_range *)con->data;
    return true;
}
