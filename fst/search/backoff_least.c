/* What a back-off model says at least after any of a set of histories. */
#include "search/backoff_impl.h"

#include "base/contract.h"
#include "search/bound.h"
#include "search/wide.h"

#include <math.h>

static double potential_of(const float *potential, uint32_t history) { return potential ? (double)potential[history] : 0; }

/* ---- one row ---- */

PFI_WIDE_BODY double less(double one, double other) { return one < other ? one : other; }

/* What leads to the shorter sources. */
PFI_WIDE_BODY void back_off(pfi_listings *listings, const pfi_row_sources *row) {
    const pfi_back_off *one = &listings->back_off.at[row->back_off], *end = &listings->back_off.at[row[1].back_off];
    double *value = listings->value, *shorter = &value[listings->histories.n];
    for (uint32_t i = 0; i < row[1].shorter - row->shorter; i++) shorter[i] = (double)INFINITY;
    for (; one < end; one++) {
        const double cost = value[one->from] + one->back;
        value[one->to] = cost < value[one->to] ? cost : value[one->to];
    }
}

/* What comes after a history that lists all heads: mostly the one that was asked for before. */
static const double *whole_of(pfi_listings *listings, uint32_t number) {
    const pfi_listed_head *end;
    double *whole = listings->whole;
    if (listings->whole_of == number) return whole;
    for (unsigned column = 0; column < listings->width; column++) whole[column] = (double)INFINITY;
    for (const pfi_listed_head *listed = pfi_listed(listings, number, &end); listed < end; listed++) {
        const double *paid = &listings->paid[listings->tails.at[listed->tails].first];
        const uint32_t *first = &listings->heads.first[listed->head];
        for (uint32_t column = first[0]; column < first[1]; column++) whole[column] = listed->cost + *paid++;
    }
    listings->whole_of = number;
    return whole;
}

PFI_WIDE_BODY void fill(double *restrict least, double cost, size_t count) {
    size_t i = 0;
    for (; i + PFI_CHUNK <= count; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) least[i + k] = cost;
    for (; i < count; i++) least[i] = cost;
}

PFI_WIDE_BODY void take_whole(double *restrict least, const double *restrict whole, double value, size_t count) {
    size_t i = 0;
    for (; i + PFI_CHUNK <= count; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) {
            const double cost = value + whole[i + k];
            least[i + k] = cost < least[i + k] ? cost : least[i + k];
        }
    for (; i < count; i++) least[i] = less(value + whole[i], least[i]);
}

/* The sources that list all heads: first the shorter ones, which do not count for heads that are common. */
PFI_WIDE_BODY void take_wholes(pfi_listings *listings, const pfi_row_sources *row, double *least) {
    const uint32_t *first = listings->heads.first;
    uint32_t i = row->whole;
    for (; i < row[1].whole && listings->wholes.at[i].source >= listings->histories.n; i++)
        take_whole(least, whole_of(listings, listings->wholes.at[i].history), listings->value[listings->wholes.at[i].source],
                   listings->width);
    for (uint32_t k = row->common; k < row[1].common; k++) {
        const uint32_t head = listings->common.at[k];
        for (uint32_t column = first[head]; column < first[head + 1]; column++) least[column] = (double)INFINITY;
    }
    for (; i < row[1].whole; i++)
        take_whole(least, whole_of(listings, listings->wholes.at[i].history), listings->value[listings->wholes.at[i].source],
                   listings->width);
}

/* The heads that a history lists, or those of them that are not common. */
PFI_WIDE_BODY void take_heads(const pfi_listings *listings, uint32_t number, double value, const bool *is_common,
    double *restrict least) {
    const double *restrict all_paid = listings->paid;
    const pfi_listed_head *end, *listed = pfi_listed(listings, number, &end);
    for (; listed < end; listed++) {
        if (is_common && is_common[listed->head]) continue;
        const double leads = value + listed->cost, *paid = &all_paid[listings->tails.at[listed->tails].first];
        const uint32_t *first = &listings->heads.first[listed->head];
        for (uint32_t column = first[0]; column < first[1]; column++) least[column] = less(leads + *paid++, least[column]);
    }
}

/* What sources lead to, one by one. */
PFI_WIDE_BODY void take_listed(pfi_listings *listings, const pfi_row_sources *row, double *restrict least) {
    const double *value = listings->value;
    for (uint32_t i = row->set; i < row[1].set; i++) {
        const uint32_t number = listings->set.at[i];
        if (!pfi_is_whole(listings, number)) take_heads(listings, number, value[number], NULL, least);
    }
    for (uint32_t i = row->common; i < row[1].common; i++) listings->is_common[listings->common.at[i]] = true;
    for (uint32_t i = row->shorter; i < row[1].shorter; i++) {
        const pfi_row_source one = listings->shorter.at[i];
        if (!pfi_is_whole(listings, one.history)) take_heads(listings, one.history, value[one.source], listings->is_common, least);
    }
    for (uint32_t i = row->common; i < row[1].common; i++) listings->is_common[listings->common.at[i]] = false;
}

/* The tails that heads lead to. */
PFI_WIDE_BODY void take_led(const pfi_listings *listings, const pfi_row_sources *row, double *restrict least) {
    const double *restrict value = listings->value, *restrict all_paid = listings->paid;
    for (uint32_t i = row->led; i < row[1].led; i++) {
        const pfi_led *led = &listings->led.at[i];
        const pfi_tails *tails = &listings->tails.at[led->tails];
        const pfi_lead *lead = &listings->lead.at[led->first], *end = &listings->lead.at[led[1].first];
        const double *paid = &all_paid[tails->first];
        const uint32_t *first = &listings->heads.first[tails->head];
        double leads = (double)INFINITY;
        for (; lead < end; lead++) leads = less(value[lead->source] + lead->cost, leads);
        for (uint32_t column = first[0]; column < first[1]; column++) least[column] = less(leads + *paid++, least[column]);
    }
}

PFI_WIDE_BODY void take_row(pfi_listings *listings, const pfi_row_sources *row, double *after) {
    double end = (double)INFINITY;
    back_off(listings, row);
    fill(after, (double)INFINITY, listings->width);
    take_wholes(listings, row, after);
    if (listings->gathered) take_led(listings, row, after);
    else take_listed(listings, row, after);
    for (uint32_t i = row->set; i < row[1].set; i++) {
        const uint32_t number = listings->set.at[i];
        end = less(listings->value[number] + listings->histories.at[number].end, end);
    }
    after[listings->width] = end;
}

static void take_row_plain(pfi_listings *listings, const pfi_row_sources *row, double *after) { take_row(listings, row, after); }

PFI_WIDE static void take_row_wide(pfi_listings *listings, const pfi_row_sources *row, double *after) {
    take_row(listings, row, after);
}

void pfi_listings_least(pfi_listings *listings, const float *potential, double *after) {
    const size_t width = listings->width + (size_t)1;
    listings->whole_of = UINT32_MAX;
    for (size_t i = 0; i < listings->histories.n; i++) listings->value[i] = -potential_of(potential, (uint32_t)i);
    for (size_t i = 0; i < listings->tail.n; i++)
        listings->paid[i] = listings->tail.at[i].cost + potential_of(potential, listings->tail.at[i].to);
    for (uint32_t row = 0; row < pfi_listings_rows(listings); row++)
        (pfi_has_wide() ? take_row_wide : take_row_plain)(listings, &listings->sources.at[row], &after[row * width]);
}

/* ---- one column ---- */

/* What a column costs after a history, and where it leads. */
static double cost_after(const pfi_listings *listings, uint32_t number, uint32_t column, const float *potential, uint32_t *to) {
    const pfi_listing *listing = &listings->histories.at[number];
    const uint32_t head = column < listings->width ? listings->heads.of[column] : PFI_NO_HEAD;
    double cost = -potential_of(potential, number);
    *to = number;
    if (column == listings->width) return cost + listing->end;
    for (;;) {
        const pfi_listed_head *listed = pfi_find_listed(listings, number, head);
        if (listed) {
            const pfi_tail *tail = pfi_tail_of(listings, &listings->tails.at[listed->tails], column);
            *to = tail->to;
            return cost + listed->cost + (tail->cost + potential_of(potential, tail->to));
        }
        if (pfi_is_whole(listings, number)) return (double)INFINITY;
        cost += listing->back;
        number = listing->lower;
        listing = &listings->histories.at[number];
    }
}

bool pfi_listings_cheapest(const pfi_listings *listings, uint32_t row, uint32_t column, const float *potential, double enough,
    uint32_t *from, uint32_t *to) {
    const uint32_t end = listings->sources.at[row + 1].set;
    double least = (double)INFINITY;
    for (uint32_t i = listings->sources.at[row].set; i < end && least > enough; i++) {
        uint32_t leads;
        const double cost = cost_after(listings, listings->set.at[i], column, potential, &leads);
        if (!(cost < least)) continue;
        least = cost;
        *from = listings->set.at[i];
        *to = leads;
    }
    return least < (double)INFINITY;
}
