/* The sources of rows of costs: which histories say what of a row's columns, whatever potentials they have. */
#include "search/backoff_impl.h"

#include "base/contract.h"

#include <stdlib.h>

typedef struct {
    pfi_listings *listings;
    PF_VEC(pfi_row_source) sources; /* of a row: its set, then shorter histories, the longer of them first */
    size_t set;                 /* how many are its set */
    PF_VEC(uint32_t) found;     /* scratch: shorter histories, as they are found */
    uint32_t *source;           /* of each history that is a shorter source of the row: its number among all sources; else NONE */
    uint32_t *listed_by;        /* of each head: how many of the set list it */
    uint32_t *led;              /* where leads are gathered, of each tails: their place in listings->led; NONE: there is none */
} source_maker;

#define NONE UINT32_MAX
enum { LEADS_OF_LISTED = 4, BACKS_OF_SET = 2 }; /* in most captions: room is made for as many */

/* How many histories one backs off to, one after the other. */
static unsigned backs_of(const pfi_listings *listings, uint32_t number) {
    unsigned backs = 0;
    for (; !pfi_is_whole(listings, number); number = listings->histories.at[number].lower) backs++;
    return backs;
}

pf_err pfi_listings_add_row(pfi_listings *listings) {
    return PF_PUSH(&listings->sources, ((pfi_row_sources){.set = (uint32_t)listings->set.n}));
}

/* ---- sources ---- */

static pf_err add_set(source_maker *maker, const pfi_row_sources *row) {
    maker->sources.n = 0;
    for (uint32_t i = row->set; i < row[1].set; i++) {
        const uint32_t number = maker->listings->set.at[i];
        PF_TRY(PF_PUSH(&maker->sources, ((pfi_row_source){number, number})));
    }
    maker->set = maker->sources.n;
    return PF_OK;
}

/* *most: the most that one of them backs off to. */
static pf_err find_shorter(source_maker *maker, unsigned *most) {
    const pfi_listings *listings = maker->listings;
    maker->found.n = *most = 0;
    for (size_t i = 0; i < maker->set; i++)
        for (uint32_t number = maker->sources.at[i].history; !pfi_is_whole(listings, number);) {
            number = listings->histories.at[number].lower;
            if (maker->source[number] != NONE) break;
            maker->source[number] = 0;
            const unsigned backs = backs_of(listings, number);
            *most = backs > *most ? backs : *most;
            PF_TRY(PF_PUSH(&maker->found, number));
        }
    return PF_OK;
}

static pf_err add_shorter(source_maker *maker) {
    pfi_listings *listings = maker->listings;
    unsigned backs;
    PF_TRY(find_shorter(maker, &backs));
    for (bool more = maker->found.n; more; more = backs-- > 0)
        for (size_t i = 0; i < maker->found.n; i++) {
            const uint32_t number = maker->found.at[i];
            if (backs_of(listings, number) != backs) continue;
            maker->source[number] = (uint32_t)(listings->histories.n + maker->sources.n - maker->set);
            PF_TRY(PF_PUSH(&maker->sources, ((pfi_row_source){maker->source[number], number})));
            PF_TRY(PF_PUSH(&listings->shorter, ((pfi_row_source){maker->source[number], number})));
        }
    return PF_OK;
}

/* What leads to shorter sources, and the sources that list all heads. */
static pf_err link_sources(source_maker *maker) {
    pfi_listings *listings = maker->listings;
    for (size_t i = 0; i < maker->sources.n; i++) {
        const pfi_row_source *one = &maker->sources.at[i];
        const pfi_listing *history = &listings->histories.at[one->history];
        if (pfi_is_whole(listings, one->history)) continue;
        PF_TRY(PF_PUSH(&listings->back_off, ((pfi_back_off){history->back, one->source, maker->source[history->lower]})));
    }
    for (size_t i = maker->set; i < maker->sources.n; i++)
        if (pfi_is_whole(listings, maker->sources.at[i].history)) PF_TRY(PF_PUSH(&listings->wholes, maker->sources.at[i]));
    for (size_t i = 0; i < maker->set; i++)
        if (pfi_is_whole(listings, maker->sources.at[i].history)) PF_TRY(PF_PUSH(&listings->wholes, maker->sources.at[i]));
    return PF_OK;
}

/* ---- heads ---- */

/* The heads that all histories of the set list. */
static pf_err list_common(source_maker *maker) {
    pfi_listings *listings = maker->listings;
    const pfi_listed_head *listed, *end;
    for (size_t i = 0; i < maker->set; i++)
        for (listed = pfi_listed(listings, maker->sources.at[i].history, &end); listed < end; listed++)
            if (++maker->listed_by[listed->head] == maker->set) PF_TRY(PF_PUSH(&listings->common, listed->head));
    return PF_OK;
}

static void forget_common(source_maker *maker) {
    const pfi_listed_head *listed, *end;
    for (size_t i = 0; i < maker->set; i++)
        for (listed = pfi_listed(maker->listings, maker->sources.at[i].history, &end); listed < end; listed++)
            maker->listed_by[listed->head] = 0;
}

/* Does a source lead to the tails of a head that it lists? */
static bool leads(const source_maker *maker, size_t source, const pfi_listed_head *listed) {
    return listed->cost < (double)INFINITY && (source < maker->set || maker->listed_by[listed->head] < maker->set);
}

/* Counts the leads to each tails, in the place of where they begin. */
static pf_err count_leads(source_maker *maker, size_t source) {
    pfi_listings *listings = maker->listings;
    const pfi_listed_head *end, *listed = pfi_listed(listings, maker->sources.at[source].history, &end);
    for (; listed < end; listed++) {
        if (!leads(maker, source, listed)) continue;
        uint32_t *led = &maker->led[listed->tails];
        if (*led == NONE) {
            *led = (uint32_t)listings->led.n;
            PF_TRY(PF_PUSH(&listings->led, ((pfi_led){listed->tails, 0})));
        }
        listings->led.at[*led].first++;
    }
    return PF_OK;
}

/* Each lead goes to the end of those that are there of its tails. */
static void put_leads(source_maker *maker, size_t source) {
    pfi_listings *listings = maker->listings;
    const pfi_listed_head *end, *listed = pfi_listed(listings, maker->sources.at[source].history, &end);
    for (; listed < end; listed++)
        if (leads(maker, source, listed))
            listings->lead.at[listings->led.at[maker->led[listed->tails]].first++] =
                (pfi_lead){listed->cost, maker->sources.at[source].source};
}

/* The leads of a row by their tails: a counting sort. */
static pf_err list_leads(source_maker *maker, size_t first_led) {
    pfi_listings *listings = maker->listings;
    uint32_t first = (uint32_t)listings->lead.n, count = 0;
    for (size_t i = 0; i < maker->sources.n; i++)
        if (!pfi_is_whole(listings, maker->sources.at[i].history)) PF_TRY(count_leads(maker, i));
    for (size_t i = first_led; i < listings->led.n; i++) {
        const uint32_t leads = listings->led.at[i].first;
        listings->led.at[i].first = first + count;
        count += leads;
    }
    PF_TRY(PF_ROOM(&listings->lead, count));
    listings->lead.n += count;
    for (size_t i = 0; i < maker->sources.n; i++)
        if (!pfi_is_whole(listings, maker->sources.at[i].history)) put_leads(maker, i);
    for (size_t i = first_led; i < listings->led.n; i++) {
        const uint32_t next = listings->led.at[i].first; /* where those of the next tails begin */
        listings->led.at[i].first = first;
        first = next;
        maker->led[listings->led.at[i].tails] = NONE;
    }
    return PF_OK;
}

/* ---- rows ---- */

/* Where its lists begin. */
static void begin_row(const pfi_listings *listings, pfi_row_sources *row) {
    row->back_off = (uint32_t)listings->back_off.n;
    row->whole = (uint32_t)listings->wholes.n;
    row->common = (uint32_t)listings->common.n;
    row->led = (uint32_t)listings->led.n;
    row->shorter = (uint32_t)listings->shorter.n;
}

static pf_err make_row(source_maker *maker, pfi_row_sources *row) {
    begin_row(maker->listings, row);
    PF_TRY(add_set(maker, row));
    PF_TRY(add_shorter(maker));
    PF_TRY(link_sources(maker));
    PF_TRY(list_common(maker));
    if (maker->listings->gathered) PF_TRY(list_leads(maker, row->led));
    forget_common(maker);
    for (size_t i = maker->set; i < maker->sources.n; i++) maker->source[maker->sources.at[i].history] = NONE;
    return PF_OK;
}

static pf_err make_rows(source_maker *maker, uint32_t *most_shorter) {
    pfi_listings *listings = maker->listings;
    const uint32_t rows = pfi_listings_rows(listings);
    pfi_row_sources *row = listings->sources.at;
    *most_shorter = 0;
    for (; row < &listings->sources.at[rows]; row++) {
        PF_TRY(make_row(maker, row));
        const uint32_t shorter = (uint32_t)listings->shorter.n - row->shorter;
        *most_shorter = shorter > *most_shorter ? shorter : *most_shorter;
    }
    begin_row(listings, row);
    return PF_PUSH(&listings->led, ((pfi_led){NONE, (uint32_t)listings->lead.n}));
}

static pf_err room_for_leads(source_maker *maker) {
    pfi_listings *listings = maker->listings;
    maker->led = pfi_no_numbers(listings->tails.n);
    if (!maker->led) return pf_nomem();
    PF_TRY(PF_ROOM(&listings->lead, LEADS_OF_LISTED * listings->listed.n));
    return PF_ROOM(&listings->led, LEADS_OF_LISTED * listings->tails.n);
}

static pf_err make_scratch(pfi_listings *listings, size_t sources) {
    listings->value = malloc((sources + 1) * sizeof *listings->value);
    listings->paid = malloc((listings->tail.n + 1) * sizeof *listings->paid);
    listings->whole = malloc((listings->width + (size_t)1) * sizeof *listings->whole);
    listings->is_common = calloc(listings->heads.n + (size_t)1, sizeof *listings->is_common);
    return listings->value && listings->paid && listings->whole && listings->is_common ? PF_OK : pf_nomem();
}

pf_err pfi_listings_ready(pfi_listings *listings, bool often) {
    source_maker maker = {.listings = listings};
    listings->gathered = often;
    maker.source = pfi_no_numbers(listings->histories.n);
    uint32_t most_shorter = 0;
    maker.listed_by = calloc(listings->heads.n + (size_t)1, sizeof *maker.listed_by);
    pf_err err = maker.source && maker.listed_by ? PF_OK : pf_nomem();
    if (!err && often) err = room_for_leads(&maker);
    if (!err) err = PF_ROOM(&listings->back_off, BACKS_OF_SET * listings->set.n);
    if (!err) err = make_rows(&maker, &most_shorter);
    PF_VEC_FREE(&maker.sources);
    PF_VEC_FREE(&maker.found);
    free(maker.source);
    free(maker.led);
    free(maker.listed_by);
    return err ? err : make_scratch(listings, listings->histories.n + most_shorter);
}
