/* What backoff.c, backoff_least.c and backoff_few.c share. Private to the searches. */
#ifndef PF_SEARCH_BACKOFF_IMPL_H
#define PF_SEARCH_BACKOFF_IMPL_H

#include "search/backoff.h"

#include <permfst/base/vec.h>

/* A unit that a history lists. */
typedef struct {
    uint32_t column, to; /* to: a history */
    double cost;         /* scaled, like all costs here */
} pfi_listed_unit;

typedef struct {
    pf_state state;
    bool asked;          /* what follows is known */
    size_t first, units; /* where the units that it lists begin, by column, and how many they are */
    uint32_t lower;      /* the history that it backs off to; itself: it lists all columns */
    double back;         /* what that costs */
    double said_back;    /* the same as the model says it, without its scale */
    double end;          /* the cost of the end after it */
} pfi_listing;

struct pfi_listings {
    unsigned width;      /* columns */
    pf_statetab numbers; /* of the model's states: 8 bytes, so that they are compared as one word */
    PF_VEC(pfi_listing) histories;
    PF_VEC(pfi_listed_unit) listed;
    PF_VEC(double) said;      /* of each: the cost as the model says it, without its scale; empty, where units are few */
    PF_VEC(uint32_t) set;     /* sets of histories, one after the other, each in order */
    PF_VEC(size_t) set_first; /* of each row of costs: where its set begins; and the end */
    PF_VEC(uint32_t) common;  /* of each row of costs: columns that all of its set list, one row after the other */
    PF_VEC(size_t) common_first; /* where they begin; and the end */
    PF_VEC(uint32_t) row;     /* of each position, of the start, and of each class */
    /* Scratch: */
    double *back;             /* of each history: the least back-off that leads to it from those of a set; else INFINITY */
    PF_VEC(uint32_t) reached; /* histories whose `back` is finite; there is room for all */
    uint32_t whole_of;        /* a history that lists all columns; UINT32_MAX: none */
    double *whole;            /* of each column: what it costs after that one */
};

/* Makes what is common, and scratch, when the sets are there (backoff_least.c). O(units that they list). PF_ENOMEM. */
pf_err pfi_listings_ready(pfi_listings *listings);

/* The units that a history lists. */
static inline const pfi_listed_unit *pfi_listed(const pfi_listings *listings, uint32_t number, const pfi_listed_unit **end) {
    const pfi_listing *listing = &listings->histories.at[number];
    const pfi_listed_unit *first = &listings->listed.at[listing->first];
    *end = first + listing->units;
    return first;
}

/* The unit of a column, if a history lists it. O(log units). */
static inline const pfi_listed_unit *pfi_find_listed(const pfi_listings *listings, uint32_t number, uint32_t column) {
    const pfi_listed_unit *end, *first = pfi_listed(listings, number, &end);
    while (first < end) {
        const pfi_listed_unit *middle = first + (end - first) / 2;
        if (middle->column == column) return middle;
        if (middle->column < column) first = middle + 1;
        else end = middle;
    }
    return NULL;
}

#endif
