/* The two sides of a piece, and what it costs to join two. */
#include "chart/pieces.h"

#include <limits.h>
#include <stdlib.h>

/* ---- left sides ---- */

/* After the kinds that are pending in pieces->scratch: `n` of them. The first one is always pending where bounds have its cost
 * after each word that may stand before it. */
static bool is_open(const pfi_pieces *pieces, uint32_t place, size_t n) {
    if ((pieces->by_position || pieces->wide) && n == 0) return true;
    return pfi_rows_open(&pieces->rows, pfi_pieces_place(pieces, place).row, pieces->words);
}

/* Begins a left side: its first kind, not closed, nothing pending. */
static pf_err begin_left(pfi_pieces *pieces, uint32_t first) {
    pieces->scratch.n = 0;
    for (size_t model = 0; model < pieces->rows.parts.n; model++) pieces->words[model] = 0;
    PF_TRY(PF_PUSH(&pieces->scratch, first));
    return PF_PUSH(&pieces->scratch, 0);
}

static pf_err put_pending(pfi_pieces *pieces, uint32_t kind) {
    for (size_t model = 0; model < pieces->rows.parts.n; model++)
        pieces->words[model] += pfi_rows_length(&pieces->rows, model, pieces->kinds.at[kind].column);
    return PF_PUSH(&pieces->scratch, kind);
}

/* The left side whose kinds are pieces->scratch: the first kind, 1 if it is closed, and the pending ones. */
static pf_err intern_left(pfi_pieces *pieces, uint32_t *left) {
    int fresh;
    const uint32_t *key = pieces->scratch.at, n = (uint32_t)pieces->scratch.n - 2;
    PF_TRY(PF_ROOM(&pieces->left, 1));
    PF_TRY(PF_ROOM(&pieces->pending, n + 1));
    PF_TRY(pf_statetab_intern(&pieces->lefts, key, pieces->scratch.n * sizeof *key, left, &fresh));
    if (!fresh) return PF_OK;
    pfi_left one = {
        .first = key[0], .at = (uint32_t)pieces->pending.n, .pending = n, .closed = key[1], .guess = PFI_NO_GUESS};
    if (n) one.lead = pieces->least[key[2]];
    for (uint32_t i = 1; i < n; i++)
        one.ahead += pieces->wide ? (double)pieces->after[key[1 + i] * pieces->kinds.n + key[2 + i]] : pieces->least[key[2 + i]];
    for (uint32_t i = 0; i < n; i++) pieces->pending.at[pieces->pending.n++] = key[2 + i];
    pieces->left.at[pieces->left.n++] = one;
    return PF_OK;
}

/* One word more: pieces->scratch is the left side, and *place is after it. */
static pf_err put_word(pfi_pieces *pieces, uint32_t kind, uint32_t *place, double *cost) {
    const pfi_cell *cell;
    PF_TRY(pfi_pieces_step(pieces, *place, kind, &cell));
    *place = cell->to;
    if (pieces->scratch.at[1]) *cost += cell->cost;
    else if (cell->cost == (double)INFINITY) *cost = (double)INFINITY; /* as after any other words */
    else {
        PF_TRY(put_pending(pieces, kind));
        pieces->scratch.at[1] = !is_open(pieces, *place, pieces->scratch.n - 2);
    }
    return PF_OK;
}

static uint32_t kind_of(const pfi_pieces *pieces, const pfi_leaf *leaf, uint32_t i) {
    return pieces->kind[pieces->leaves->read.at[leaf->at + i]];
}

/* A leaf as a piece by itself. */
static pf_err piece(pfi_pieces *pieces, const pfi_leaf *leaf, pfi_piece_sides *out, double *cost) {
    uint32_t place = pieces->empty;
    PF_TRY(begin_left(pieces, pieces->wide ? kind_of(pieces, leaf, 0) : (uint32_t)pieces->kinds.n));
    pieces->scratch.at[1] = !is_open(pieces, place, 0);
    for (uint32_t i = 0; i < leaf->n && *cost < (double)INFINITY; i++)
        PF_TRY(put_word(pieces, kind_of(pieces, leaf, i), &place, cost));
    out->place = place;
    return intern_left(pieces, &out->left);
}

pf_err pfi_pieces_leaf(pfi_pieces *pieces, uint32_t before, const pfi_leaf *leaf, pfi_piece_sides *out, double *cost) {
    *cost = 0;
    if (!pieces->guesses) return piece(pieces, leaf, out, cost);
    *out = (pfi_piece_sides){before, before};
    for (uint32_t i = 0; i < leaf->n && *cost < (double)INFINITY; i++) {
        const pfi_cell *cell;
        PF_TRY(pfi_pieces_step(pieces, out->place, kind_of(pieces, leaf, i), &cell));
        out->place = cell->to;
        *cost += cell->cost;
    }
    return PF_OK;
}

/* The pending words of `second` after a place that is known. */
static pf_err follow(pfi_pieces *pieces, const pfi_left *second, uint32_t *place, double *cost) {
    for (uint32_t i = 0; i < second->pending; i++) {
        const pfi_cell *cell;
        PF_TRY(pfi_pieces_step(pieces, *place, pieces->pending.at[second->at + i], &cell));
        *cost += cell->cost;
        *place = cell->to;
    }
    return PF_OK;
}

/* ---- guesses ---- */

static pf_err guess_after(pfi_pieces *pieces, const pfi_left *left, size_t before, double *cost) {
    uint32_t place = PFI_START_PLACE;
    *cost = 0;
    if (before < pieces->kinds.n) {
        const pfi_cell *cell;
        PF_TRY(pfi_pieces_step(pieces, pieces->empty, (uint32_t)before, &cell));
        place = cell->to;
        if (cell->cost == (double)INFINITY) *cost = (double)INFINITY;
    }
    return *cost < (double)INFINITY ? follow(pieces, left, &place, cost) : PF_OK;
}

/* The bounds, before any guess is asked for. */
static pf_err begin_guesses(pfi_pieces *pieces, pfi_left *left) {
    const size_t n = pfi_pieces_befores(pieces), kinds = pieces->kinds.n, at = pieces->guess.n;
    PF_TRY(PF_ROOM(&pieces->guess, n));
    PF_TRY(PF_ROOM(&pieces->asked, n));
    for (size_t before = 0; before < n; before++) {
        const double bound =
            before <= kinds ? (double)pieces->after[before * kinds + left->first] + left->ahead : (double)INFINITY;
        pieces->guess.at[pieces->guess.n++] = (float)bound;
        pieces->asked.at[pieces->asked.n++] = false;
    }
    left->guess = at;
    return PF_OK;
}

/* Guesses are no less than their bounds, so those of which the bound is worth it are all that are made. */
pf_err pfi_pieces_guess(pfi_pieces *pieces, uint32_t left, const float *beyond, double *least) {
    pfi_left *of = &pieces->left.at[left];
    assert(pieces->wide && !pieces->guesses);
    if (of->guess == PFI_NO_GUESS) PF_TRY(begin_guesses(pieces, of));
    for (size_t n = pfi_pieces_befores(pieces), before;;) {
        float *guess = pieces->guess.at + of->guess;
        double pending;
        *least = (double)pfi_least_sum(beyond, guess, n, &before);
        if (*least == (double)INFINITY || pieces->asked.at[of->guess + before]) return PF_OK;
        PF_TRY(guess_after(pieces, of, before, &pending));
        guess[before] = fmaxf(guess[before], (float)pending);
        pieces->asked.at[of->guess + before] = true;
    }
}

/* As pfi_pieces_join, where `first` is all pending. */
static pf_err join_open(pfi_pieces *pieces, const pfi_piece_sides *first, const pfi_piece_sides *second, pfi_piece_sides *out,
                        double *cost) {
    const pfi_left one = pieces->left.at[first->left], other = pieces->left.at[second->left];
    uint32_t place = first->place;
    PF_TRY(begin_left(pieces, one.first));
    for (uint32_t i = 0; i < one.pending; i++) PF_TRY(put_pending(pieces, pieces->pending.at[one.at + i]));
    for (uint32_t i = 0; i < other.pending; i++) PF_TRY(put_word(pieces, pieces->pending.at[other.at + i], &place, cost));
    pieces->scratch.at[1] |= other.closed;
    out->place = other.closed ? second->place : place;
    return intern_left(pieces, &out->left);
}

pf_err pfi_pieces_join(pfi_pieces *pieces, const pfi_piece_sides *first, const pfi_piece_sides *second, pfi_piece_sides *out,
                       double *cost) {
    *cost = 0;
    if (pieces->guesses) {
        assert(first->place == second->left);
        *out = (pfi_piece_sides){first->left, second->place};
        return PF_OK;
    }
    if (!pieces->left.at[first->left].closed) return join_open(pieces, first, second, out, cost);
    const pfi_left *other = &pieces->left.at[second->left];
    *out = *first;
    PF_TRY(follow(pieces, other, &out->place, cost));
    if (other->closed) out->place = second->place;
    return PF_OK;
}

pf_err pfi_pieces_whole(pfi_pieces *pieces, const pfi_piece_sides *whole, double *cost) {
    uint32_t place = whole->place;
    double end;
    *cost = 0;
    if (pieces->guesses) *cost = whole->left == PFI_START_PLACE ? 0 : (double)INFINITY;
    else {
        const pfi_left *left = &pieces->left.at[whole->left];
        place = PFI_START_PLACE;
        PF_TRY(follow(pieces, left, &place, cost));
        if (left->closed) place = whole->place;
    }
    PF_TRY(pfi_pieces_end(pieces, place, &end));
    *cost += end;
    return PF_OK;
}

/* ---- all of it ---- */

/* Does no model look at more than one word before a word? */
static bool is_short_sighted(const pfi_pieces *pieces) {
    for (size_t model = 0; model < pieces->rows.parts.n; model++) {
        const pf_scorer *scorer = pieces->rows.parts.by[model].scorer;
        if (scorer->cls->reach(scorer) > 1) return false;
    }
    /* whether a block is a run matters, too */
    if (pieces->lazy || (pieces->shape->trees && pieces->shape->trees->runs)) return false;
    return pieces->wide || !(pieces->rows.parts.n || pieces->by_position);
}

pf_err pfi_pieces_init(pfi_pieces *pieces, pf_fst *fst, const pfi_shape *shape, const pfi_leaves *leaves, bool wide) {
    *pieces = (pfi_pieces){.shape = shape, .leaves = leaves, .slots = leaves->slots, .by_position = shape->follows.n,
                           .lowest = INT_MAX};
    pf_statetab_init(&pieces->places, sizeof(pfi_place_key));
    pf_statetab_init(&pieces->found, sizeof(uint64_t));
    pf_statetab_init(&pieces->lefts, 0);
    PF_TRY(pfi_rows_init(&pieces->rows, fst));
    pieces->wide = wide && (pieces->rows.parts.n || pieces->by_position);
    if (!(pieces->words = calloc(pieces->rows.parts.n + 1, sizeof *pieces->words))) return pf_nomem();
    PF_TRY(pfi_pieces_places(pieces));
    pieces->short_sighted = !pieces->guesses && is_short_sighted(pieces);
    return PF_OK;
}

uint64_t pfi_pieces_bytes(const pfi_pieces *pieces) {
    const size_t kinds = pieces->kinds.n, befores = pieces->wide ? kinds + 1 : 1;
    return pfi_rows_bytes(&pieces->rows) + pf_statetab_bytes(&pieces->places) + pf_statetab_bytes(&pieces->found) +
        pf_statetab_bytes(&pieces->lefts) + pieces->steps.cap * sizeof *pieces->steps.at +
            pieces->filled.cap * sizeof *pieces->filled.at +
        pieces->left.cap * sizeof *pieces->left.at + pieces->pending.cap * sizeof *pieces->pending.at +
        pieces->guess.cap * (sizeof *pieces->guess.at + sizeof *pieces->asked.at) + befores * kinds * sizeof *pieces->after;
}

void pfi_pieces_free(pfi_pieces *pieces) {
    pfi_rows_free(&pieces->rows);
    PF_VEC_FREE(&pieces->kinds);
    free(pieces->kind);
    pf_statetab_free(&pieces->places);
    PF_VEC_FREE(&pieces->steps);
    PF_VEC_FREE(&pieces->filled);
    pf_statetab_free(&pieces->found);
    pf_statetab_free(&pieces->lefts);
    PF_VEC_FREE(&pieces->left);
    PF_VEC_FREE(&pieces->pending);
    PF_VEC_FREE(&pieces->guess);
    PF_VEC_FREE(&pieces->asked);
    PF_VEC_FREE(&pieces->scratch);
    free(pieces->words);
    free(pieces->after);
    free(pieces->least);
    free(pieces->end_after);
    *pieces = (pfi_pieces){0};
}
