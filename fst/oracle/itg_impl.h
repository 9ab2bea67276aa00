/* Private to the oracles: exact BLEU over the spans of itg orders (definitions: zens-ney-2003, section 3.1, with counts for costs).
 *
 * An order of a span prints a text. How it goes on depends on the longest beginning and the longest end of the text that n-grams of
 * the references can go on over, given the words outside of the span; on the matches so far; and on how often it has used the
 * n-grams that whole orders can have more often than the references. */
#ifndef PF_ORACLE_ITG_IMPL_H
#define PF_ORACLE_ITG_IMPL_H

#include "chart/forest.h"
#include "oracle/oracle_impl.h"

/* What is printed where one text follows another: n-grams with words of both. */
typedef struct {
    uint32_t next;      /* history after the second, as far as its beginning goes */
    uint32_t left;      /* the longest beginning of both, where the first is an n-gram as a whole */
    bool whole;         /* ... which has all of both */
    uint32_t sure[PF_ORACLE_ORDER];
    uint32_t first, contested; /* of `seam_grams` */
} pfi_seam;

/* An order of a span. */
typedef struct {
    uint32_t first, second; /* its two parts, in the order of visits; of one slot: an alternative, and PFI_NONE_OF */
    uint32_t next;          /* another one with the same key */
    uint32_t left, right;   /* n-grams */
    uint32_t match[PF_ORACLE_ORDER], words;
    uint32_t betters;       /* how many others are better */
    pf_label lead;          /* the input label that it begins with */
    unsigned char orientation; /* PFI_ANY: one slot */
    bool open;              /* the text is one n-gram of at most three words, or empty */
    double bound;           /* 4 ln of a score that no order over it exceeds */
    uint64_t orders;        /* those that it stands for */
} pfi_span_order;

/* What can still come outside of a span. */
typedef struct {
    uint32_t *times;            /* of each word of the references, at the most */
    uint32_t out[PF_ORACLE_ORDER]; /* n-grams of words outside, at the most */
    uint32_t least_words, most_words;
    uint32_t (*left_most)[PF_ORACLE_ORDER], (*right_most)[PF_ORACLE_ORDER]; /* by n-gram at a side: those that go on over it */
    uint32_t *left_kept, *right_kept; /* by n-gram: as much of it as matters */
    bool *relevant;             /* by contested n-gram: it may come again */
    bool all;                   /* the span is the sentence */
} pfi_span_outside;

typedef struct {
    uint32_t word, times;
} pfi_slot_word;

typedef struct {
    pfi_product *product;
    pfi_work *work;
    pfi_shape shape;
    pf_slots_view slots;
    PF_VEC(uint32_t) contested;      /* n-grams; and the place of each in that list: */
    PF_VEC(uint32_t) place;
    PF_VEC(pfi_slot_word) slot_words; /* those of slot j, at the most of its alternatives: from slot_first[j] */
    PF_VEC(uint32_t) slot_first, slot_least, slot_most;
    pf_statetab seams;
    PF_VEC(pfi_seam) seam;
    PF_VEC(uint32_t) seam_grams;
    pfi_span_outside outside;
    PF_VEC(double) logs;

    size_t wanted, beam;             /* orders; those kept of a span, 0: all */
    bool ties, front;
    double floor;                    /* nothing below it is kept */
    PF_VEC(pfi_span_order) all;
    PF_VEC(uint32_t) used;           /* of each order, by contested n-gram */
    uint32_t freed;
    pf_statetab keys;
    PF_VEC(uint32_t) head, key;      /* of the span at hand: by key; a key that is made */
    uint32_t live;
    double cut;                      /* the span at hand has enough orders with bounds above it */
    PF_VEC(uint32_t) kept, spare;    /* the orders of all spans */
    uint32_t *cell_first, *cell_n;   /* by begin * (slots + 1) + end */
    uint32_t *stack[2];              /* to walk through two orders */
    double dropped;                  /* no order that the beam has dropped has a greater bound */
    pf_oracle_counts dropped_counts; /* ... nor more matches of an order */
    uint64_t joins;
} pfi_itg;

/* ---- texts of spans: seam.c ---- */

/* Prepares what does not depend on the pass. PF_ENOMEM, and errors of labels. */
pf_err pfi_itg_prepare(pfi_itg *chart);

/* Sets `outside` for begin .. end-1. O(n-grams). */
void pfi_itg_outside(pfi_itg *chart, unsigned begin, unsigned end);

/* One alternative of a slot. Into *out, and used[]. */
pf_err pfi_itg_word(pfi_itg *chart, unsigned slot, uint32_t alternative, pfi_span_order *out, uint32_t *used);

/* The second after the first. */
pf_err pfi_itg_join(pfi_itg *chart, uint32_t first, uint32_t second, pfi_span_order *out, uint32_t *used);

/* Leaves of an order what matters outside of the span at hand, and sets its bound. */
void pfi_itg_settle(pfi_itg *chart, pfi_span_order *order, uint32_t *used);

/* The most matches of n + 1 words that a whole order of so many words over this one can have. */
uint64_t pfi_itg_most(const pfi_itg *chart, const pfi_span_order *order, unsigned n, uint64_t words);

#endif
