/* The words of a chart: what they cost after one another, and what is known of a piece of an order before it is joined to others.
 * Private to the chart.
 *
 * A *place* is where a search from the left would be: the joint history of the models (a row of search/rows.h) and, where it
 * matters, the word visited last. A step from a place over a word costs one float, as the word's arc does in any other search; so
 * orders cost the same in all of them. Words that no place tells apart are of one *kind*.
 *
 * A piece of an order has two sides. The right one is the place after it. The left one is either of two:
 *   - where all models can score pieces (empty() and open() of model/scorer.h): the words that are *pending*, as what stands before
 *     them still matters to their costs, which are not in the cost of the piece;
 *   - where some model cannot, as an automaton: the place before it, which is guessed, one piece for each.
 *
 * Pending words. A back-off model of order N looks at up to N - 1 words before a word. Of a piece w1 .. wn whose left context is
 * not known, the cost of wk is known as soon as nothing that may stand before w1 can change it: where w1 .. wk-1 are N - 1 words,
 * or where no history of the model ends in w1 .. wk-1 and begins before them. The words up to there are pending. A pending word is
 * scored when its left context comes, so each word is scored once, with the cost that it has in the whole sentence:
 *
 *   cost(a b) = cost(a) + cost(b) + the cost of those words pending in b whose context a completes;
 *   pending(a b) = pending(a), and, while a is all pending and leaves its end open, those of b that stay so.
 *
 * Why that is exact. Say that k words are open if some history of the model (a state) has them as its end and one word
 * more before them, or more words. Every beginning of a history is a history; so if k words are not open neither are k + 1 words
 * that begin with them, and the costs are known from some word on. If k words are not open, then what stands before them leads
 * to the same state as nothing does: the longest history that is an end of all words read is an end of the k words. The state
 * decides the cost of the next word, which is therefore that of the whole sentence.
 *
 * The first words of a piece and its last state are the two sides that Chiang (2007, "Hierarchical phrase-based translation",
 * section 5.3) keeps of a chart item. That they may be fewer than N - 1 words, because the model has no longer history, is due to
 * Li & Khudanpur (2008, "A scalable decoder for parsing-based machine translation with equivalent language model state
 * maintenance"); Heafield (2011, "KenLM: faster and smaller language model queries") keeps a bit with each state for it.
 * tests/piece.h is the plain form.
 *
 * Where places are few, all that there are are listed, and the least that a word costs after another one is exact. Several models
 * of many words, as those of translation units, have more joint histories than can be listed, of which a search meets few: then
 * each model is listed by itself, the least costs are sums of theirs, and steps are found one by one (`lazy`). */
#ifndef PF_CHART_PIECES_H
#define PF_CHART_PIECES_H

#include "chart/leaves.h"
#include "chart/products.h"
#include "chart/shape.h"
#include "search/rows.h"

typedef struct {
    uint32_t column;   /* of the rows */
    float weight;      /* its own */
    unsigned position; /* where what follows it depends on that; else 0 */
} pfi_kind;

typedef struct {
    uint32_t row, last; /* the kind visited last: `kinds.n` at the start and where it does not matter */
} pfi_place_key;

enum { PFI_START_PLACE };

#define PFI_NO_STEPS UINT32_MAX
#define PFI_NO_GUESS SIZE_MAX

/* The left side of a piece whose left context is not known. */
typedef struct {
    uint32_t first;      /* kind of the first word; `kinds.n` where it does not matter */
    uint32_t at, pending; /* the pending words: kinds, in pieces->pending */
    bool closed;         /* no word before the piece matters to what follows it */
    double lead;         /* the least cost of the first pending word in any context */
    double ahead;        /* of the other pending words, each after the one before it */
    size_t guess;        /* where its guesses begin; PFI_NO_GUESS: it has none yet */
} pfi_left;

/* A piece of an order, but for its cost. */
typedef struct {
    uint32_t left;  /* a pfi_left; or the place before it */
    uint32_t place; /* after it; if its left side is not closed, after nothing but its words */
} pfi_piece_sides;

typedef struct {
    const pfi_shape *shape;
    const pfi_leaves *leaves;
    pf_slots_view slots;
    pfi_rows rows;
    bool guesses;          /* left sides are places */
    bool wide;             /* bounds tell words apart that stand before others; so places and left sides know first and last */
    bool by_position;      /* costs of one position right after another */
    bool short_sighted;    /* no model looks at more than one word before a word, so what `after` says is what a word costs */
    PF_VEC(pfi_kind) kinds;
    uint32_t *kind;        /* of each alternative of the slots */
    pf_statetab places;    /* pfi_place_key; PFI_START_PLACE is that before the first word */
    bool lazy;             /* steps are found one by one */
    PF_VEC(pfi_cell) steps; /* those that were found: lazy: as `found` has them; else `kinds` of each place that is filled */
    PF_VEC(uint32_t) filled; /* not lazy: of each place, how many were filled before it; PFI_NO_STEPS: it is not */
    pf_statetab found;     /* lazy: place << 32 | kind */
    uint32_t reached;      /* not lazy: places that words lead to from the start, before any other */
    pf_statetab lefts;
    PF_VEC(pfi_left) left;
    PF_VEC(uint32_t) pending;
    PF_VEC(float) guess;   /* of left sides that were asked for, for each kind before them: the guess, or its bound */
    PF_VEC(bool) asked;    /* it is the guess */
    PF_VEC(uint32_t) scratch;
    unsigned *words;       /* scratch: of each model, how many the pending kinds are */
    uint32_t empty;        /* place: nothing is known */
    float *after;          /* wide: (kinds + 1) x kinds: the least cost of each kind after each, and at the start */
    double *least;         /* of each kind anywhere */
    float *end_after;      /* the least cost of the end after each kind, and at the start */
    double end_least;
    double largest;        /* no step costs more in size; */
    int lowest;            /* all steps that were found are multiples of this power of two */
    double slack;          /* more than two sums of the costs of one order can differ by; 0: every sum of its costs is exact. Lazy:
                              of the steps that were found until pfi_pieces_settle */
} pfi_pieces;

/* Takes a machine apart that is a permutation automaton, alone or scored. Finds all places that there are. pfi_pieces_free is to be
 * called after an error, too. PF_EARG: the models have too many histories. O(places x kinds). */
pf_err pfi_pieces_init(pfi_pieces *pieces, pf_fst *fst, const pfi_shape *shape, const pfi_leaves *leaves, bool wide);
void pfi_pieces_free(pfi_pieces *pieces);

/* The part of that which knows of no left side (places.c): fills kinds, places and what bounds are made of. */
pf_err pfi_pieces_places(pfi_pieces *pieces);

static inline pfi_place_key pfi_pieces_place(const pfi_pieces *pieces, uint32_t place) {
    size_t length;
    pfi_place_key at;
    memcpy(&at, pf_statetab_key(&pieces->places, place, &length), sizeof at);
    return at;
}

/* Fills the steps from a place, or finds one of them. Other places may come to exist. PF_ELIMIT: a cost that no float holds. */
pf_err pfi_pieces_fill(pfi_pieces *pieces, uint32_t place);
pf_err pfi_pieces_find(pfi_pieces *pieces, uint32_t place, uint32_t kind, const pfi_cell **cell);

/* The step from a place over a kind; *cell is valid until the next call. */
static inline pf_err pfi_pieces_step(pfi_pieces *pieces, uint32_t place, uint32_t kind, const pfi_cell **cell) {
    if (pieces->lazy) return pfi_pieces_find(pieces, place, kind, cell);
    if (pieces->filled.at[place] == PFI_NO_STEPS) PF_TRY(pfi_pieces_fill(pieces, place));
    *cell = &pieces->steps.at[(size_t)pieces->filled.at[place] * pieces->kinds.n + kind];
    return PF_OK;
}

/* The bytes that they take. */
uint64_t pfi_pieces_bytes(const pfi_pieces *pieces);

/* Sets the slack to that of all steps that were found. Did it grow? Then what was searched with less is to be searched again. */
bool pfi_pieces_settle(pfi_pieces *pieces);

/* The cost of the end at a place. */
pf_err pfi_pieces_end(pfi_pieces *pieces, uint32_t place, double *cost);

/* A leaf as a piece. With guesses `before` is the place before it. *cost is INFINITY where there is no such piece. */
pf_err pfi_pieces_leaf(pfi_pieces *pieces, uint32_t before, const pfi_leaf *leaf, pfi_piece_sides *out, double *cost);

/* `second` after `first`: what that costs beyond the two. With guesses first->place is second->left. */
pf_err pfi_pieces_join(pfi_pieces *pieces, const pfi_piece_sides *first, const pfi_piece_sides *second, pfi_piece_sides *out,
                       double *cost);

/* The least that the pending words of a left side are guessed to cost after a kind, or at the start (kinds.n), with what is
 * `beyond` it: pfi_pieces_befores() costs, the last ones INFINITY. The guess is what they cost where nothing is known but that the
 * kind stands there, and no less than their bounds. It is no bound: words before that one may matter, too. For bounds that tell
 * words apart, and left sides that are not guessed. */
pf_err pfi_pieces_guess(pfi_pieces *pieces, uint32_t left, const float *beyond, double *least);

/* Kinds and the start, with what fills up the last few columns of a product. */
static inline size_t pfi_pieces_befores(const pfi_pieces *pieces) {
    return (pieces->kinds.n + PFI_PRODUCT_COLUMNS) / PFI_PRODUCT_COLUMNS * PFI_PRODUCT_COLUMNS;
}

/* What a piece costs beyond itself if it is the whole order. */
pf_err pfi_pieces_whole(pfi_pieces *pieces, const pfi_piece_sides *whole, double *cost);

/* What a bound adds for the pending words of a piece. */
static inline double pfi_pieces_ahead(const pfi_pieces *pieces, uint32_t left) {
    return pieces->guesses ? 0 : pieces->left.at[left].ahead;
}
static inline double pfi_pieces_lead(const pfi_pieces *pieces, uint32_t left) {
    return pieces->guesses ? 0 : pieces->left.at[left].lead;
}

#endif
