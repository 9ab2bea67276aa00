/* What a back-off model says at least after any of a set of histories. */
#include "search/backoff_impl.h"

#include "base/contract.h"

#include <math.h>
#include <stdlib.h>

/* Of a row of costs: its set of histories. */
typedef struct {
    const uint32_t *first, *end;
} history_set;

static history_set set_of(const pfi_listings *listings, uint32_t row) {
    return (history_set){&listings->set.at[listings->set_first.at[row]], &listings->set.at[listings->set_first.at[row + 1]]};
}

static double potential_of(const float *potential, uint32_t history) { return potential ? (double)potential[history] : 0; }

/* Does a history list all columns? */
static bool is_whole(const pfi_listings *listings, uint32_t number) { return listings->histories.at[number].lower == number; }

/* The histories that one backs off to, step by step, as long as that is cheaper than it was from others. */
static void back_off(pfi_listings *listings, uint32_t number, const float *potential) {
    double back = -potential_of(potential, number);
    while (!is_whole(listings, number)) {
        back += listings->histories.at[number].back;
        number = listings->histories.at[number].lower;
        if (!(back < listings->back[number])) return;
        if (listings->back[number] == (double)INFINITY) listings->reached.at[listings->reached.n++] = number;
        listings->back[number] = back;
    }
}

/* The units that a history lists, and what leads to it. Always written: which is less can't be foretold. */
static void take_listed(const pfi_listings *listings, uint32_t number, double back, const float *potential, double *after) {
    const pfi_listed_unit *end;
    for (const pfi_listed_unit *unit = pfi_listed(listings, number, &end); unit < end; unit++) {
        const double cost = back + unit->cost + potential_of(potential, unit->to), least = after[unit->column];
        after[unit->column] = cost < least ? cost : least;
    }
}

/* The same of a history that lists all columns: mostly the one that was taken before. */
static void take_whole(pfi_listings *listings, uint32_t number, double back, const float *potential, double *after) {
    if (listings->whole_of != number) {
        for (unsigned column = 0; column < listings->width; column++) listings->whole[column] = (double)INFINITY;
        take_listed(listings, number, 0, potential, listings->whole);
        listings->whole_of = number;
    }
    const double *whole = listings->whole;
    for (unsigned column = 0; column < listings->width; column++) {
        const double cost = back + whole[column];
        after[column] = cost < after[column] ? cost : after[column];
    }
}

/* First the shorter histories; then what all of the set list is forgotten, for it counts nowhere else; then the set itself. */
static void take_row(pfi_listings *listings, uint32_t row, const float *potential, double *after) {
    const history_set set = set_of(listings, row);
    for (unsigned column = 0; column <= listings->width; column++) after[column] = (double)INFINITY;
    for (const uint32_t *number = set.first; number < set.end; number++) back_off(listings, *number, potential);
    for (size_t i = 0; i < listings->reached.n; i++) {
        const uint32_t number = listings->reached.at[i];
        if (is_whole(listings, number)) take_whole(listings, number, listings->back[number], potential, after);
        else take_listed(listings, number, listings->back[number], potential, after);
        listings->back[number] = (double)INFINITY;
    }
    listings->reached.n = 0;
    for (size_t i = listings->common_first.at[row]; i < listings->common_first.at[row + 1]; i++)
        after[listings->common.at[i]] = (double)INFINITY;
    for (const uint32_t *number = set.first; number < set.end; number++) {
        const double back = -potential_of(potential, *number), end = back + listings->histories.at[*number].end;
        if (end < after[listings->width]) after[listings->width] = end;
        take_listed(listings, *number, back, potential, after);
    }
}

void pfi_listings_least(pfi_listings *listings, const float *potential, double *after) {
    listings->whole_of = UINT32_MAX;
    for (uint32_t row = 0; row < pfi_listings_rows(listings); row++)
        take_row(listings, row, potential, &after[row * (listings->width + (size_t)1)]);
}

/* ---- one column ---- */

/* What a column costs after a history, and where it leads. */
static double cost_after(const pfi_listings *listings, uint32_t number, uint32_t column, const float *potential, uint32_t *to) {
    const pfi_listing *listing = &listings->histories.at[number];
    double cost = -potential_of(potential, number);
    *to = number;
    if (column == listings->width) return cost + listing->end;
    for (;;) {
        const pfi_listed_unit *unit = pfi_find_listed(listings, number, column);
        if (unit) {
            *to = unit->to;
            return cost + unit->cost + potential_of(potential, unit->to);
        }
        if (listing->lower == number) return (double)INFINITY;
        cost += listing->back;
        number = listing->lower;
        listing = &listings->histories.at[number];
    }
}

bool pfi_listings_cheapest(const pfi_listings *listings, uint32_t row, uint32_t column, const float *potential, double enough,
    uint32_t *from, uint32_t *to) {
    const history_set set = set_of(listings, row);
    double least = (double)INFINITY;
    for (const uint32_t *number = set.first; number < set.end && least > enough; number++) {
        uint32_t leads;
        const double cost = cost_after(listings, *number, column, potential, &leads);
        if (!(cost < least)) continue;
        least = cost;
        *from = *number;
        *to = leads;
    }
    return least < (double)INFINITY;
}

/* ---- what is made once ---- */

/* The columns that all histories of a row list. `listed_by`: scratch, 0 for each column. */
static pf_err list_common(pfi_listings *listings, size_t row, uint32_t *listed_by) {
    const size_t first = listings->set_first.at[row], end = listings->set_first.at[row + 1];
    const pfi_listed_unit *unit, *last;
    PF_TRY(PF_PUSH(&listings->common_first, listings->common.n));
    for (size_t i = first; i < end; i++)
        for (unit = pfi_listed(listings, listings->set.at[i], &last); unit < last; unit++)
            if (++listed_by[unit->column] == end - first) PF_TRY(PF_PUSH(&listings->common, unit->column));
    for (size_t i = first; i < end; i++)
        for (unit = pfi_listed(listings, listings->set.at[i], &last); unit < last; unit++) listed_by[unit->column] = 0;
    return PF_OK;
}

static pf_err list_all_common(pfi_listings *listings) {
    uint32_t *listed_by = calloc(listings->width + (size_t)1, sizeof *listed_by);
    pf_err err = listed_by ? PF_OK : pf_nomem();
    for (size_t row = 0; !err && row + 1 < listings->set_first.n; row++) err = list_common(listings, row, listed_by);
    free(listed_by);
    return err ? err : PF_PUSH(&listings->common_first, listings->common.n);
}

pf_err pfi_listings_ready(pfi_listings *listings) {
    const size_t histories = listings->histories.n;
    PF_TRY(list_all_common(listings));
    PF_TRY(PF_ROOM(&listings->reached, histories));
    listings->whole = malloc((listings->width + (size_t)1) * sizeof *listings->whole);
    listings->back = malloc(histories * sizeof *listings->back);
    for (size_t i = 0; listings->back && i < histories; i++) listings->back[i] = (double)INFINITY;
    return listings->whole && listings->back ? PF_OK : pf_nomem();
}
