/* Zones: once a position of I..J has been visited, no position outside may be visited until all of I..J has been. A unit is a
 * zone that is visited in order. Zones may be nested and may not cross. Any number of nested zones has no dead ends, also
 * together with walls, unless a wall that reaches out of a zone splits the zone. The coverage alone tells what may come next. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    unsigned begin, end;
} con_zone;

static pf_err init(pf_con *con, const pf_params *params) {
    uint64_t first, last;
    char usage[16];
    con_zone *own = con->data = calloc(1, sizeof *own);
    if (!own) return pf_nomem();
    snprintf(usage, sizeof usage, "%s:I,J", con->cls->name);
    PF_TRY(pf_params_expect(params, 2, usage));
    PF_TRY(pf_params_number(params, 0, 1, con->n, &first));
    PF_TRY(pf_params_number(params, 1, first, con->n, &last));
    *own = (con_zone){(unsigned)first - 1, (unsigned)last};
    return PF_OK;
}

static void end(pf_con *con) { free(con->data); }

static bool entered(const con_zone *zone, const pf_cover *covered, unsigned nw) {
    return pf_cover_next(covered, nw, zone->begin) < zone->end && pf_cover_gap(covered, nw, zone->begin) < zone->end;
}

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    const con_zone *zone = con->data;
    (void)extra;
    if (!entered(zone, covered, con->nw)) return PF_OK;
    for (unsigned i = 0; i < con->nw; i++) set[i] &= pf_cover_range_word(zone->begin, zone->end, i);
    return PF_OK;
}

/* Within the zone only the first uncovered position may be visited. */
static pf_err narrow_unit(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    const con_zone *zone = con->data;
    PF_TRY(narrow(con, covered, extra, set));
    unsigned gap = pf_cover_gap(covered, con->nw, zone->begin);
    if (gap >= zone->end) return PF_OK;
    for (unsigned i = 0; i < con->nw; i++) set[i] &= ~pf_cover_range_word(gap + 1, zone->end, i);
    return PF_OK;
}

/* The positions of the zone are visited in one run. */
static bool member(const pf_con *con, const unsigned *perm) {
    const con_zone *zone = con->data;
    unsigned first = con->n, last = 0;
    for (unsigned step = 0; step < con->n; step++) {
        if (perm[step] < zone->begin || perm[step] >= zone->end) continue;
        if (first == con->n) first = step;
        last = step;
    }
    return last - first + 1 == zone->end - zone->begin;
}

static bool member_unit(const pf_con *con, const unsigned *perm) {
    const con_zone *zone = con->data;
    unsigned next = zone->begin;
    for (unsigned step = 0; step < con->n; step++)
        if (perm[step] >= zone->begin && perm[step] < zone->end && perm[step] != next++) return false;
    return member(con, perm);
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    const con_zone *zone = con->data;
    (void)extra, (void)step;
    bool outside = perm[step] < zone->begin || perm[step] >= zone->end;
    if (outside && entered(zone, covered, con->nw))
        snprintf(words, room, "position %u of the %s is not covered yet",
            pf_cover_gap(covered, con->nw, zone->begin) + base, con->cls->name);
    else snprintf(words, room, "the %s is visited in order", con->cls->name);
}

/* All coverages can be reached; inside the zone some of its positions are covered, and only the others may come next. */
static void size(const pf_con *con, pf_con_size *size) {
    const con_zone *zone = con->data;
    const unsigned long inside = zone->end - zone->begin, rest = con->n - inside;
    mpz_ui_pow_ui(size->states, 2, con->n);
    mpz_ui_pow_ui(size->arcs, 2, inside - 1);
    mpz_mul_ui(size->arcs, size->arcs, inside);
    mpz_add_ui(size->arcs, size->arcs, rest);
    mpz_mul_2exp(size->arcs, size->arcs, rest);
    mpz_fac_ui(size->paths, inside);
    mpz_t others;
    mpz_init(others);
    mpz_fac_ui(others, rest + 1);
    mpz_mul(size->paths, size->paths, others);
    mpz_clear(others);
    size->machine = size->count = true;
}

static void size_unit(const pf_con *con, pf_con_size *size) {
    const con_zone *zone = con->data;
    const unsigned long inside = zone->end - zone->begin, rest = con->n - inside;
    mpz_set_ui(size->states, inside + 1);
    mpz_mul_2exp(size->states, size->states, rest);
    mpz_set_ui(size->arcs, con->n);
    mpz_mul_2exp(size->arcs, size->arcs, rest);
    mpz_fac_ui(size->paths, rest + 1);
    size->machine = size->count = true;
}

static bool is_zone(const pf_con *con) { return con->cls == &pfi_con_zone || con->cls == &pfi_con_unit; }

/* By begin, the longer one first. */
static int by_begin(const void *first, const void *second) {
    const con_zone *one = *(const con_zone *const *)first, *other = *(const con_zone *const *)second;
    if (one->begin != other->begin) return one->begin < other->begin ? -1 : 1;
    return (one->end < other->end) - (one->end > other->end);
}

/* `open` has room for as many zones: those that enclose the next one, innermost last. */
static pf_err check_nesting(const con_zone **zones, const con_zone **open, size_t count) {
    qsort(zones, count, sizeof *zones, by_begin);
    for (size_t at = 0, depth = 0; at < count; open[depth++] = zones[at++]) {
        while (depth && open[depth - 1]->end <= zones[at]->begin) depth--;
        if (depth && open[depth - 1]->end < zones[at]->end)
            return pf_fail(PF_EARG, "zones %u to %u and %u to %u cross: they must be nested or apart", open[depth - 1]->begin + 1,
                           open[depth - 1]->end, zones[at]->begin + 1, zones[at]->end);
    }
    return PF_OK;
}

pf_err pfi_con_zones_nest(pf_con *const *part, size_t count) {
    const con_zone **zones = calloc(2 * count + 1, sizeof *zones);
    size_t found = 0;
    if (!zones) return pf_nomem();
    for (size_t i = 0; i < count; i++)
        if (is_zone(part[i])) zones[found++] = part[i]->data;
    pf_err err = check_nesting(zones, zones + count, found);
    free(zones);
    return err;
}

/* Does the wall make some positions of the zone, but not all, wait for positions outside the zone? at .. end-1 wait. */
static bool splits(const pfi_wall_range *wall, const con_zone *zone) {
    bool some = wall->at < zone->end && zone->begin < wall->end, all = wall->at <= zone->begin && zone->end <= wall->end;
    bool outside = wall->begin < zone->begin || (wall->begin < wall->at && wall->at > zone->end);
    return some && !all && outside;
}

bool pfi_con_marks_live(pf_con *const *part, size_t count) {
    pfi_wall_range wall;
    for (size_t at = 0; at < count; at++) {
        if (is_zone(part[at])) continue;
        if (!pfi_con_wall_of(part[at], &wall)) return false;
        for (size_t k = 0; k < count; k++)
            if (is_zone(part[k]) && splits(&wall, part[k]->data)) return false;
    }
    return true;
}

static void together(const pf_con *con, unsigned *begin, unsigned *end) {
    const con_zone *zone = con->data;
    *begin = zone->begin;
    *end = zone->end;
}

/* No two positions of the unit are inverted. */
static bool inverts_unit(const pf_con *con, unsigned i, unsigned j, unsigned k) {
    const con_zone *unit = con->data;
    return !(i < unit->end && j > unit->begin && j < unit->end && k > unit->begin);
}

const pf_con_class pfi_con_zone = {
    .name = "zone",
    .params = ":I,J",
    .help = "positions I to J in one run, in any order",
    .init = init,
    .free = end,
    .narrow = narrow,
    .inverts = pfi_con_inverts_any,
    .together = together,
    .member = member,
    .size = size,
    .why = why,
};

const pf_con_class pfi_con_unit = {
    .name = "unit",
    .params = ":I,J",
    .help = "positions I to J in one run, in order",
    .init = init,
    .free = end,
    .narrow = narrow_unit,
    .inverts = inverts_unit,
    .together = together,
    .member = member_unit,
    .size = size_unit,
    .why = why,
};
