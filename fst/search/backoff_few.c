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
    uint32_t *head;          /* of each head of all: its number here; PFI_NO_HEAD */
    uint32_t *tails;         /* of each tails of all: their number here; NO_TAILS, until they are wanted */
} few_maker;

#define NO_TAILS UINT32_MAX
enum { PART_TAKEN = 2 }; /* the few are no more than so large a part of most lists */

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
    maker->row[row] = (uint32_t)listings->sources.n;
    PF_TRY(pfi_listings_add_row(listings));
    for (uint32_t i = maker->all->sources.at[row].set; i < maker->all->sources.at[row + 1].set; i++) {
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
    return pfi_listings_add_row(listings);
}

/* What the few columns of a head cost beyond it. */
static pf_err take_tails(few_maker *maker, uint32_t number) {
    pfi_listings *listings = maker->listings;
    const pfi_heads *heads = &maker->all->heads;
    const pfi_tails tails = maker->all->tails.at[number];
    if (maker->tails[number] != NO_TAILS) return PF_OK;
    maker->tails[number] = (uint32_t)listings->tails.n;
    PF_TRY(PF_PUSH(&listings->tails, ((pfi_tails){maker->head[tails.head], (uint32_t)listings->tail.n})));
    const pfi_tail *tail = &maker->all->tail.at[tails.first];
    for (uint32_t column = heads->first[tails.head]; column < heads->first[tails.head + 1]; column++, tail++)
        if (maker->few->number[column] != PFI_NO_COLUMN) PF_TRY(PF_PUSH(&listings->tail, *tail));
    return PF_OK;
}

/* Takes what a history lists of the few. */
static pf_err take_list(few_maker *maker, uint32_t number) {
    const pfi_listing *from = &maker->all->histories.at[number];
    pfi_listing *history = &maker->listings->histories.at[number];
    const pfi_listed_head *end;
    *history = *from;
    history->first = maker->listings->listed.n;
    for (const pfi_listed_head *listed = pfi_listed(maker->all, number, &end); listed < end; listed++) {
        const uint32_t head = maker->head[listed->head];
        if (head == PFI_NO_HEAD) continue;
        PF_TRY(take_tails(maker, listed->tails));
        PF_TRY(PF_PUSH(&maker->listings->listed, ((pfi_listed_head){head, maker->tails[listed->tails], listed->cost})));
    }
    history->heads = maker->listings->listed.n - history->first;
    return want_list(maker, from->lower);
}

/* Room for what is mostly taken. */
static pf_err make_room(few_maker *maker) {
    const pfi_listings *all = maker->all;
    pfi_listings *listings = maker->listings;
    PF_TRY(PF_ROOM(&listings->histories, all->histories.n));
    PF_TRY(PF_ROOM(&maker->wanted, all->histories.n));
    PF_TRY(PF_ROOM(&listings->set, all->set.n));
    PF_TRY(PF_ROOM(&listings->row, maker->few->places));
    PF_TRY(PF_ROOM(&listings->sources, maker->few->places + 1));
    PF_TRY(PF_ROOM(&listings->listed, all->listed.n / PART_TAKEN));
    PF_TRY(PF_ROOM(&listings->tails, all->tails.n / PART_TAKEN));
    return PF_ROOM(&listings->tail, all->tail.n / PART_TAKEN);
}

static pf_err make(few_maker *maker) {
    pfi_listings *listings = maker->listings;
    const size_t rows = pfi_listings_rows(maker->all), histories = maker->all->histories.n, tails = maker->all->tails.n;
    maker->row = pfi_no_numbers(rows);
    maker->head = malloc((maker->all->heads.n + (size_t)1) * sizeof *maker->head);
    maker->tails = pfi_no_numbers(tails);
    if (!maker->row || !maker->head || !maker->tails) return pf_nomem();
    PF_TRY(pfi_heads_of_few(listings, maker->all, maker->few, maker->head));
    PF_TRY(make_room(maker));
    for (uint32_t number = 0; number < histories; number++)
        listings->histories.at[listings->histories.n++] = (pfi_listing){.lower = number};
    PF_TRY(take_rows(maker));
    for (size_t i = 0; i < maker->wanted.n; i++) PF_TRY(take_list(maker, maker->wanted.at[i]));
    return pfi_listings_ready(listings, true);
}

pf_err pfi_listings_of_few(const pfi_listings *all, const pfi_few_columns *few, pfi_listings **out) {
    few_maker maker = {.all = all, .few = few, .listings = calloc(1, sizeof *maker.listings)};
    *out = NULL;
    if (!maker.listings) return pf_nomem();
    maker.listings->width = few->columns;
    pf_statetab_init(&maker.listings->numbers, sizeof(uint64_t));
    const pf_err err = make(&maker);
    free(maker.row);
    free(maker.head);
    free(maker.tails);
    PF_VEC_FREE(&maker.wanted);
    if (err) pfi_listings_free(maker.listings);
    else *out = maker.listings;
    return err;
}
