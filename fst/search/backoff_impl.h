/* What backoff.c, backoff_heads.c, backoff_rows.c, backoff_least.c and backoff_few.c share. Private to the searches. */
#ifndef PF_SEARCH_BACKOFF_IMPL_H
#define PF_SEARCH_BACKOFF_IMPL_H

#include "search/backoff.h"

#include <permfst/base/vec.h>

#include <stdlib.h>

/* Columns stand by their heads (scorer.h): those of head h are first[h] .. first[h + 1] - 1. Last come those that are no words of
 * the model. */
typedef struct {
    uint32_t n, *first;
    uint32_t *of; /* of each column: its head; PFI_NO_HEAD: it is no word */
} pfi_heads;
#define PFI_NO_HEAD UINT32_MAX

/* A head that a history lists. */
typedef struct {
    uint32_t head, tails;
    double cost;          /* scaled, like all costs here */
} pfi_listed_head;

/* What the columns of a head cost beyond it, when it has led to some history: where they begin, one after the other. */
typedef struct {
    uint32_t head, first;
} pfi_tails;

typedef struct {
    double cost;
    uint32_t to; /* the history that the column leads to */
} pfi_tail;

typedef struct {
    pf_state state;
    bool asked;          /* what follows is known */
    size_t first, heads; /* where the heads that it lists begin, in order, and how many they are */
    uint32_t lower;      /* the history that it backs off to; itself: it lists all heads */
    double back;         /* what that costs */
    double said_back;    /* the same as the model says it, without its scale */
    double end;          /* the cost of the end after it */
} pfi_listing;

/* Of a row of costs: its sources are the histories of its set, by their numbers, and shorter ones that these back off to, numbered
 * after all histories. A source says of heads what leads to their tails. Each list begins where that of the row before it ends. */
typedef struct {
    uint32_t set;      /* its histories, in order */
    uint32_t back_off; /* steps from a source to a shorter one, the longest sources first */
    uint32_t whole;    /* sources that list all heads, those of the set last */
    uint32_t common;   /* heads that all of the set list: shorter sources do not count for them */
    uint32_t led;      /* tails that heads lead to, where they are gathered */
    uint32_t shorter;  /* sources that are shorter histories */
} pfi_row_sources;

/* A source that another one backs off to. */
typedef struct {
    double back;
    uint32_t from, to;
} pfi_back_off;

typedef struct {
    uint32_t source, history;
} pfi_row_source;

/* Tails that heads lead to, and what these cost: all of one row, one after the other. */
typedef struct {
    uint32_t tails, first; /* where its leads begin; and the end */
} pfi_led;

typedef struct {
    double cost;
    uint32_t source;
} pfi_lead;

struct pfi_listings {
    unsigned width;           /* columns */
    pfi_heads heads;
    uint32_t *stands;         /* of each column of the rows: its number here; NULL, where columns are few */
    uint32_t *column;         /* of each column here: that of the rows; NULL, too */
    pf_statetab numbers;      /* of the model's states: 8 bytes, so that they are compared as one word */
    PF_VEC(pfi_listing) histories;
    PF_VEC(pfi_listed_head) listed;
    PF_VEC(pfi_tails) tails;
    PF_VEC(pfi_tail) tail;
    PF_VEC(double) said;      /* of each listed head: the cost without the model's scale; empty, where columns are few */
    PF_VEC(double) said_tail; /* the same of each tail */
    PF_VEC(uint32_t) row;     /* of each position, of the start, and of each class: its row of costs */
    PF_VEC(pfi_row_sources) sources; /* of each row; and the end */
    PF_VEC(uint32_t) set;
    PF_VEC(pfi_back_off) back_off;
    PF_VEC(pfi_row_source) wholes;
    PF_VEC(uint32_t) common;
    PF_VEC(pfi_row_source) shorter;
    bool gathered;            /* of each row, what leads to the same tails is put together: */
    PF_VEC(pfi_led) led;
    PF_VEC(pfi_lead) lead;
    /* Scratch: */
    double *value;            /* of each source: what leads to it */
    double *paid;             /* of each tail: its cost, and the potential that is paid where it leads */
    uint32_t whole_of;        /* a history that lists all heads; UINT32_MAX: none */
    double *whole;            /* of each column: what it costs after that one */
    bool *is_common;          /* of each head: is it common in the row that is looked at? */
};

/* The heads of all columns, and where each stands. The first `labels` columns of the rows are a model's labels, with these heads;
 * NULL: each is its own head. PF_ENOMEM. */
pf_err pfi_heads_init(pfi_listings *listings, unsigned labels, const pf_label_heads *heads);

/* Those of few columns; of_all[]: of each head of all its number there, PFI_NO_HEAD, if it has none of the few. PF_ENOMEM. */
pf_err pfi_heads_of_few(pfi_listings *listings, const pfi_listings *all, const pfi_few_columns *few, uint32_t *of_all);

/* One more row, and where its set begins, to which histories are then added in order; and the end of all. PF_ENOMEM. */
pf_err pfi_listings_add_row(pfi_listings *listings);

/* Makes the sources of all rows, and scratch, when the sets are there. `often`: costs are asked for many times. Then what leads to
 * the same tails is gathered, which takes longer than to ask for them twice. O(heads that the sets list). PF_ENOMEM. */
pf_err pfi_listings_ready(pfi_listings *listings, bool often);

/* Does a history list all heads? */
static inline bool pfi_is_whole(const pfi_listings *listings, uint32_t number) {
    return listings->histories.at[number].lower == number;
}

/* So many numbers, none of which is known: UINT32_MAX. Freed by the caller; NULL: there is no memory. */
static inline uint32_t *pfi_no_numbers(size_t count) {
    uint32_t *none = malloc((count + 1) * sizeof *none);
    for (size_t i = 0; none && i < count; i++) none[i] = UINT32_MAX;
    return none;
}

/* The heads that a history lists. */
static inline const pfi_listed_head *pfi_listed(const pfi_listings *listings, uint32_t number, const pfi_listed_head **end) {
    const pfi_listing *listing = &listings->histories.at[number];
    const pfi_listed_head *first = &listings->listed.at[listing->first];
    *end = first + listing->heads;
    return first;
}

/* A head, if a history lists it. O(log heads). */
static inline const pfi_listed_head *pfi_find_listed(const pfi_listings *listings, uint32_t number, uint32_t head) {
    const pfi_listed_head *end, *first = pfi_listed(listings, number, &end);
    while (first < end) {
        const pfi_listed_head *middle = first + (end - first) / 2;
        if (middle->head == head) return middle;
        if (middle->head < head) first = middle + 1;
        else end = middle;
    }
    return NULL;
}

/* What a column costs beyond its head, which leads to some tails. */
static inline const pfi_tail *pfi_tail_of(const pfi_listings *listings, const pfi_tails *tails, uint32_t column) {
    return &listings->tail.at[tails->first + (column - listings->heads.first[tails->head])];
}

#endif
