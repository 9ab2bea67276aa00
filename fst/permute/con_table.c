/* The table of constraints, and making one. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLETION_LIMIT (UINT64_C(1) << 26) /* states that a completion test may remember */

static const pf_con_class *const table[] = {
    &pfi_con_none,       &pfi_con_ibm,  &pfi_con_inverse_ibm, &pfi_con_local, &pfi_con_inverse_local, &pfi_con_mj,
    &pfi_con_displacement, &pfi_con_distortion, &pfi_con_jump, &pfi_con_itg, &pfi_con_itg_span, &pfi_con_wall,
    &pfi_con_zone,       &pfi_con_unit, &pfi_con_tree,
};
enum { ENTRIES = sizeof table / sizeof *table };

const pf_con_class *pf_con_at(size_t i) { return i < ENTRIES ? table[i] : NULL; }

pf_err pfi_con_make(const pf_con_class *cls, unsigned length, pf_con **out) {
    pf_con *con = calloc(1, sizeof *con);
    assert(length <= UINT16_MAX); /* extra bytes count positions in 16 bits */
    if (!con) return pf_nomem();
    con->cls = cls;
    con->n = length;
    con->nw = pf_cover_words(length);
    con->first_gap = cls->first_gap;
    con->live = !cls->dead_ends;
    *out = con;
    return PF_OK;
}

void pf_con_free(pf_con *con) {
    if (con && con->cls->free) con->cls->free(con);
    if (con) free(con->spec);
    free(con);
}

/* Each as it was written: "'ibm:3-itg' and 'mj:1'", where one text of both would be another expression. */
static void describe(const char *const *spec, size_t count, char *text, size_t room) {
    *text = 0;
    for (size_t i = 0, at = 0; i < count && at < room; i++)
        at += (size_t)snprintf(text + at, room - at, "%s'%s'", i ? " and " : "", spec[i]);
}

pf_err pf_con_new(const char *spec, unsigned length, pf_con **out) {
    pf_con *con;
    char text[256];
    *out = NULL;
    PF_TRY(pfi_con_parse(spec, length, &con));
    describe(&spec, 1, text, sizeof text);
    return pfi_con_finish(con, text, out);
}

/* The longest sentence allows every position in a value. */
pf_err pf_con_check(const char *spec) {
    pf_con *con;
    PF_TRY(pfi_con_parse(spec, PFI_ANY_LENGTH, &con));
    pf_con_free(con);
    return PF_OK;
}

pf_err pfi_con_and(pf_con **part, size_t count, unsigned length, pf_con **out) {
    pf_con *con;
    for (size_t i = 0; i < count; i++) part[i] = pfi_con_bare(part[i]);
    PF_TRY(pfi_con_conjoin(part, count, length, &con));
    return pfi_con_finish(con, "the conjunction", out);
}

pf_err pf_con_plain(const char *const *spec, size_t count, unsigned length, pf_con **out) {
    *out = NULL;
    pf_con **part = calloc(count + 1, sizeof *part);
    if (!part) return pf_nomem();
    pf_err err = PF_OK;
    size_t made = 0;
    while (!err && made < count)
        if (!(err = pfi_con_parse(spec[made], length, &part[made]))) made++;
    if (err)
        while (made) pf_con_free(part[--made]);
    else err = pfi_con_conjoin(part, count, length, out);
    free(part);
    return err;
}

pf_err pf_con_all(const char *const *spec, size_t count, unsigned length, pf_con **out) {
    pf_con *con;
    char text[256];
    *out = NULL;
    PF_TRY(pf_con_plain(spec, count, length, &con));
    describe(spec, count, text, sizeof text);
    return pfi_con_finish(con, text, out);
}

/* `con` with the completion test that it may need; *out is freed also where no permutation is left. */
static pf_err complete(pf_con *con, pf_con **out, bool *any) {
    bool may_be_empty = con->may_be_empty;
    *any = true;
    *out = con->live ? con : NULL;
    if (con->live) return PF_OK;
    PF_TRY(pfi_con_live(con, COMPLETION_LIMIT, out));
    pf_err err = may_be_empty ? pfi_con_live_start(*out, any) : PF_OK;
    if (!err) return PF_OK;
    pf_con_free(*out);
    *out = NULL;
    return err;
}

pf_err pf_con_all_if_any(const char *const *spec, size_t count, unsigned length, pf_con **out) {
    pf_con *con;
    bool any;
    *out = NULL;
    PF_TRY(pf_con_plain(spec, count, length, &con));
    PF_TRY(complete(con, out, &any));
    if (any) return PF_OK;
    pf_con_free(*out);
    *out = NULL;
    return PF_OK;
}

static pf_err fail_empty(unsigned length, pf_con *const *side, const char *what) {
    if (!side) return pf_fail(PF_EARG, "at %u positions no permutation is left of %s", length, what);
    return pf_fail(PF_EARG, "at %u positions no permutation is left: every permutation in '%s' is in '%s'", length, side[0]->spec,
                   side[1]->spec);
}

pf_err pfi_con_finish(pf_con *con, const char *what, pf_con **out) {
    size_t sides;
    pf_con *const *side = con->cls == &pfi_con_without ? con->cls->parts(con, &sides) : NULL;
    unsigned length = con->n;
    bool any;
    PF_TRY(complete(con, out, &any));
    if (any) return PF_OK;
    pf_err err = fail_empty(length, side, what);
    pf_con_free(*out);
    *out = NULL;
    return err;
}

static pf_err parameter(pf_con *con, const pf_params *params, uint64_t least) {
    char usage[40];
    snprintf(usage, sizeof usage, "%s%s", con->cls->name, con->cls->params);
    PF_TRY(pf_params_expect(params, 1, usage));
    PF_TRY(pf_params_number(params, 0, least, UINT64_MAX, &con->param));
    if (con->param > UINT32_MAX) con->param = UINT32_MAX; /* no limit, either way */
    return PF_OK;
}

pf_err pfi_con_window(pf_con *con, const pf_params *params) { return parameter(con, params, 1); }

void pfi_con_range_window(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    pfi_con_narrow_range(t, con->param - 1, con->param - 1, least, most);
}
pf_err pfi_con_distance(pf_con *con, const pf_params *params) { return parameter(con, params, 0); }

pf_err pfi_con_distance_u16(pf_con *con, const pf_params *params) {
    con->room = sizeof(uint16_t);
    return pfi_con_distance(con, params);
}

bool pfi_con_inverts_short(const pf_con *con, unsigned i, unsigned j, unsigned k) {
    (void)j;
    return k - i <= con->param;
}

bool pfi_con_inverts_any(const pf_con *con, unsigned i, unsigned j, unsigned k) {
    (void)con, (void)i, (void)j, (void)k;
    return true;
}

void pf_con_size_init(pf_con_size *size) {
    size->machine = size->count = false;
    mpz_inits(size->states, size->arcs, size->paths, (mpz_ptr)NULL);
}

void pf_con_size_clear(pf_con_size *size) { mpz_clears(size->states, size->arcs, size->paths, (mpz_ptr)NULL); }

void pfi_con_size_all(unsigned length, pf_con_size *size) {
    size->machine = size->count = true;
    mpz_ui_pow_ui(size->states, 2, length);
    mpz_mul_ui(size->arcs, size->states, length);
    mpz_fdiv_q_2exp(size->arcs, size->arcs, 1);
    mpz_fac_ui(size->paths, length);
}
