/* The histories of few words of a sentence: they list these alone. */
#include "search/backoff_impl.h"

#include "base/contract.h"

#include <stdlib.h>

typedef struct {
    const pfi_listings *all;
    const pfi_few_columns *few;
    pfi_listings *listings;
    PF_VEC(uint32_t) wanted; /* histories that are in sets, or that these back off to; their lists are taken in this order */
    uint32_t *row;           /* of each row of all: its number here; PFI_NO_ROW_OF_COSTS */
} few_maker;

/* `asked` of a history: its list is wanted. */
static pf_err want_list(few_maker *maker, uint32_t number) {
    pfi_listing *history = &maker->listings->histories.at[number];
    if (history->asked) return PF_OK;
    history->asked = true;
    return PF_PUSH(&maker->wanted, number);
}

/* The same set has a row here, once it is asked for. */
static pf_err take_row(few_maker *maker, uint32_t row) {
    pfi_listings *listings = maker->listings;
    if (row == PFI_NO_ROW_OF_COSTS || maker->row[row] != PFI_NO_ROW_OF_COSTS) return PF_OK;
    maker->row[row] = (uint32_t)listings->set_first.n;
    PF_TRY(PF_PUSH(&listings->set_first, listings->set.n));
    for (size_t i = maker->all->set_first.at[row]; i < maker->all->set_first.at[row + 1]; i++) {
        PF_TRY(PF_PUSH(&listings->set, maker->all->set.at[i]));
        PF_TRY(want_list(maker, maker->all->set.at[i]));
    }
    return PF_OK;
}

static pf_err take_rows(few_maker *maker) {
    pfi_listings *listings = maker->listings;
    for (size_t place = 0; place < maker->few->places; place++) {
        const uint32_t row = maker->all->row.at[maker->few->place[place]];
        PF_TRY(take_row(maker, row));
        PF_TRY(PF_PUSH(&listings->row, row == PFI_NO_ROW_OF_COSTS ? row : maker->row[row]));
    }
    return PF_PUSH(&listings->set_first, listings->set.n);
}

/* Takes what a history lists of the few. */
static pf_err take_list(few_maker *maker, uint32_t number) {
    const pfi_listing *from = &maker->all->histories.at[number];
    pfi_listing *history = &maker->listings->histories.at[number];
    const pfi_listed_unit *end;
    *history = *from;
    history->first = maker->listings->listed.n;
    for (const pfi_listed_unit *unit = pfi_listed(maker->all, number, &end); unit < end; unit++) {
        const uint32_t column = maker->few->number[unit->column];
        if (column != PFI_NO_COLUMN) PF_TRY(PF_PUSH(&maker->listings->listed, ((pfi_listed_unit){column, unit->to, unit->cost})));
    }
    history->units = maker->listings->listed.n - history->first;
    return want_list(maker, from->lower);
}

static pf_err make(few_maker *maker) {
    pfi_listings *listings = maker->listings;
    const size_t rows = pfi_listings_rows(maker->all), histories = maker->all->histories.n;
    maker->row = malloc((rows + 1) * sizeof *maker->row);
    if (!maker->row) return pf_nomem();
    for (size_t row = 0; row < rows; row++) maker->row[row] = PFI_NO_ROW_OF_COSTS;
    PF_TRY(PF_ROOM(&listings->histories, histories));
    for (uint32_t number = 0; number < histories; number++)
        listings->histories.at[listings->histories.n++] = (pfi_listing){.lower = number};
    PF_TRY(take_rows(maker));
    for (size_t i = 0; i < maker->wanted.n; i++) PF_TRY(take_list(maker, maker->wanted.at[i]));
    return pfi_listings_ready(listings);
}

pf_err pfi_listings_of_few(const pfi_listings *all, const pfi_few_columns *few, pfi_listings **out) {
    few_maker maker = {.all = all, .few = few, .listings = calloc(1, sizeof *maker.listings)};
    *out = NULL;
    if (!maker.listings) return pf_nomem();
    maker.listings->width = few->columns;
    pf_statetab_init(&maker.listings->numbers, sizeof(uint64_t));
    const pf_err err = make(&maker);
    free(maker.row);
    PF_VEC_FREE(&maker.wanted);
    if (err) pfi_listings_free(maker.listings);
    else *out = maker.listings;
    return err;
}
