/* Places, steps, and the two sides of a piece. */
#include "chart/pieces.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 23 };

/* ---- kinds ---- */

static bool same_kind(const pfi_kind *one, const pfi_kind *other) {
    return one->column == other->column && one->position == other->position &&
        memcmp(&one->weight, &other->weight, sizeof one->weight) == 0;
}

static pf_err find_kind(pfi_pieces *pieces, const pfi_kind *kind, uint32_t *out) {
    for (*out = 0; *out < pieces->kinds.n; ++*out)
        if (same_kind(&pieces->kinds.at[*out], kind)) return PF_OK;
    return PF_PUSH(&pieces->kinds, *kind);
}

static pf_err find_kinds(pfi_pieces *pieces) {
    const pf_slots_view *slots = &pieces->slots;
    pieces->kind = calloc(slots->first[slots->n] + (size_t)1, sizeof *pieces->kind);
    if (!pieces->kind) return pf_nomem();
    for (unsigned j = 0; j < slots->n; j++)
        for (uint32_t a = slots->first[j]; a < slots->first[j + 1]; a++) {
            const pfi_kind kind = {pfi_rows_column(&pieces->rows, slots->arc[a].out), slots->arc[a].w, pieces->by_position ? j : 0};
            PF_TRY(find_kind(pieces, &kind, &pieces->kind[a]));
        }
    return PF_OK;
}

/* ---- places ---- */

static pf_err place_of(pfi_pieces *pieces, uint32_t row, uint32_t last, uint32_t *place) {
    int fresh;
    pfi_place_key key = {row, pieces->wide || pieces->by_position ? last : (uint32_t)pieces->kinds.n};
    PF_TRY(pf_statetab_intern(&pieces->places, &key, sizeof key, place, &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(PF_ROOM(&pieces->steps, pieces->kinds.n));
    pieces->steps.at[pieces->steps.n].cost = (double)NAN;
    pieces->steps.n += pieces->kinds.n;
    return PF_OK;
}

static void note(pfi_pieces *pieces, double cost) {
    if (cost == (double)INFINITY) return;
    if (fabs(cost) > pieces->largest) pieces->largest = fabs(cost);
    int lowest = pfi_lowest_bit(cost);
    if (lowest < pieces->lowest) pieces->lowest = lowest;
}

/* What the arc itself costs: one float, but where costs of pairs are still to be added to it. */
static double arc_cost(const pfi_pieces *pieces, const pfi_kind *kind, const pfi_kind *last) {
    unsigned before = last ? last->position : pieces->shape->n;
    double weight = (pieces->by_position ? pfi_shape_follow(pieces->shape, before, kind->position) : 0) + (double)kind->weight;
    return pf_scaled(pieces->rows.parts.own, pieces->shape->pairs ? weight : (double)(float)weight);
}

static pf_err step_cost(pfi_pieces *pieces, double arc, double model, double *cost) {
    double sum = arc + model;
    if (fabs(arc) > pieces->largest && fabs(arc) < (double)INFINITY) pieces->largest = fabs(arc);
    if (sum == (double)INFINITY) *cost = sum;
    else if (!pf_cost_fits(sum)) return pf_cost_too_large(sum);
    else *cost = pieces->shape->pairs ? sum : (double)(float)sum;
    note(pieces, *cost);
    return PF_OK;
}

pf_err pfi_pieces_fill(pfi_pieces *pieces, uint32_t place) {
    const pfi_place_key from = pfi_pieces_place(pieces, place);
    size_t kinds = pieces->kinds.n, at = (size_t)place * kinds;
    const pfi_kind *last = from.last < kinds ? &pieces->kinds.at[from.last] : NULL;
    PF_TRY(pfi_rows_fill(&pieces->rows, from.row));
    for (uint32_t kind = (uint32_t)kinds; kind-- > 0;) { /* the first one last: it says that all are filled */
        const pfi_kind *to = &pieces->kinds.at[kind];
        const pfi_cell cell = pfi_rows_cells(&pieces->rows, from.row)[to->column];
        pfi_cell step = {0, place};
        PF_TRY(step_cost(pieces, arc_cost(pieces, to, last), cell.cost, &step.cost));
        if (step.cost < (double)INFINITY) PF_TRY(place_of(pieces, cell.to, kind, &step.to));
        pieces->steps.at[at + kind] = step;
    }
    return PF_OK;
}

pf_err pfi_pieces_end(pfi_pieces *pieces, uint32_t place, double *cost) {
    const pfi_place_key at = pfi_pieces_place(pieces, place);
    double own = pf_scaled(pieces->rows.parts.own, (double)pieces->slots.final);
    PF_TRY(pfi_rows_fill(&pieces->rows, at.row));
    *cost = own + pieces->rows.final.at[at.row];
    if (!pf_cost_fits(*cost)) return pf_cost_too_large(*cost);
    *cost = (double)(float)*cost;
    note(pieces, *cost);
    return PF_OK;
}

/* ---- what bounds are made of ---- */

/* The largest float that is not above `value`. */
static float below(double value) {
    float rounded = (float)value;
    return (double)rounded > value ? nextafterf(rounded, -INFINITY) : rounded;
}

static void lower(float *least, double cost) {
    float value = below(cost);
    if (value < *least) *least = value;
}

static pf_err take_place(pfi_pieces *pieces, uint32_t place) {
    size_t kinds = pieces->kinds.n;
    const pfi_place_key at = pfi_pieces_place(pieces, place);
    const pfi_cell *cell;
    double end;
    PF_TRY(pfi_pieces_end(pieces, place, &end));
    lower(&pieces->end_after[at.last], end);
    if (end < pieces->end_least) pieces->end_least = end;
    for (uint32_t kind = 0; kind < kinds; kind++) {
        PF_TRY(pfi_pieces_step(pieces, place, kind, &cell));
        if (cell->cost < pieces->least[kind]) pieces->least[kind] = cell->cost;
        if (pieces->wide) lower(&pieces->after[at.last * kinds + kind], cell->cost);
    }
    return PF_OK;
}

/* A word that says nothing leaves the models where they were: anything may come after it. */
static void take_silent(pfi_pieces *pieces) {
    size_t kinds = pieces->kinds.n;
    for (size_t last = 0; pieces->wide && pieces->rows.parts.n && last < kinds; last++) {
        if (pieces->kinds.at[last].column != pieces->rows.words) continue;
        lower(&pieces->end_after[last], pieces->end_least);
        for (size_t kind = 0; kind < kinds; kind++) lower(&pieces->after[last * kinds + kind], pieces->least[kind]);
    }
}

static void fill_with_infinity(float *at, size_t n) {
    for (size_t i = 0; i < n; i++) at[i] = INFINITY;
}

/* Is every sum of costs of an order exact, whatever its parts? */
static bool is_exact(const pfi_pieces *pieces) {
    const pfi_shape *shape = pieces->shape;
    double most = (shape->n + 1.0) * pieces->largest;
    if (shape->trees) return false;
    if (!shape->pairs) return pieces->lowest == INT_MAX || most <= ldexp(1, pieces->lowest + DBL_MANT_DIG);
    int lowest = shape->lowest < pieces->lowest ? shape->lowest : pieces->lowest;
    return !pieces->rows.parts.n && pieces->rows.parts.own == 1 &&
        (lowest == INT_MAX || (shape->largest + pieces->largest <= ldexp(1, lowest + FLT_MANT_DIG) &&
                               shape->all + most <= ldexp(1, lowest + DBL_MANT_DIG)));
}

/* A path rounds each arc to a float, its moves' costs before that to another one, and the sums over pairs are of some 2 n numbers. */
static double slack(const pfi_pieces *pieces) {
    const pfi_shape *shape = pieces->shape;
    double own = fabs(pieces->rows.parts.own), n = shape->n + 1.0, arcs = own * shape->arcs + n * pieces->largest;
    double sums = own * shape->all + n * pieces->largest + shape->most_of_trees;
    double all = 4 * n * sums * DBL_EPSILON * (shape->pairs ? 4 * n : 1);
    if (is_exact(pieces)) return 0;
    if (shape->pairs) all += 1.01 * arcs * (double)FLT_EPSILON;
    if (shape->trees) all += (shape->most_of_trees + pieces->largest) * (double)FLT_EPSILON; /* in the end of a path */
    return all;
}

/* Every place that words lead to from the start. */
static pf_err reach_all(pfi_pieces *pieces) {
    size_t kinds = pieces->kinds.n, froms = pieces->wide ? kinds + 1 : 1;
    pieces->after = malloc((froms * kinds + 1) * sizeof *pieces->after);
    pieces->least = malloc((kinds + 1) * sizeof *pieces->least);
    pieces->end_after = malloc((kinds + 1) * sizeof *pieces->end_after);
    if (!pieces->after || !pieces->least || !pieces->end_after) return pf_nomem();
    fill_with_infinity(pieces->after, froms * kinds);
    for (size_t kind = 0; kind < kinds; kind++) pieces->least[kind] = (double)INFINITY;
    fill_with_infinity(pieces->end_after, kinds + 1);
    pieces->end_least = (double)INFINITY;
    for (uint32_t place = 0; place < pieces->places.n; place++) {
        if (place * kinds > MOST_STEPS)
            return pf_fail(PF_EARG, "the models have more than %zu histories of these words", MOST_STEPS / kinds);
        PF_TRY(take_place(pieces, place));
    }
    pieces->reached = pieces->places.n;
    take_silent(pieces);
    pieces->slack = slack(pieces);
    return PF_OK;
}

/* ---- left sides ---- */

static bool is_open(const pfi_pieces *pieces, uint32_t place, unsigned n) {
    if (pieces->by_position && n == 0) return true;
    return pfi_rows_open(&pieces->rows, pfi_pieces_place(pieces, place).row, n);
}

/* The left side whose kinds are pieces->scratch: the first kind, 1 if it is closed, and the pending ones. */
static pf_err intern_left(pfi_pieces *pieces, uint32_t *left) {
    int fresh;
    const uint32_t *key = pieces->scratch.at, n = (uint32_t)pieces->scratch.n - 2;
    PF_TRY(PF_ROOM(&pieces->left, 1));
    PF_TRY(PF_ROOM(&pieces->pending, n + 1));
    PF_TRY(pf_statetab_intern(&pieces->lefts, key, pieces->scratch.n * sizeof *key, left, &fresh));
    if (!fresh) return PF_OK;
    pfi_left one = {.first = key[0], .at = (uint32_t)pieces->pending.n, .pending = n, .closed = key[1]};
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
        PF_TRY(PF_PUSH(&pieces->scratch, kind));
        pieces->scratch.at[1] = !is_open(pieces, *place, (unsigned)pieces->scratch.n - 2);
    }
    return PF_OK;
}

/* A word as a piece by itself. */
static pf_err piece(pfi_pieces *pieces, uint32_t kind, pfi_piece_sides *out, double *cost) {
    uint32_t place = pieces->empty;
    pieces->scratch.n = 0;
    PF_TRY(PF_PUSH(&pieces->scratch, pieces->wide ? kind : (uint32_t)pieces->kinds.n));
    PF_TRY(PF_PUSH(&pieces->scratch, !is_open(pieces, place, 0)));
    PF_TRY(put_word(pieces, kind, &place, cost));
    out->place = place;
    return intern_left(pieces, &out->left);
}

pf_err pfi_pieces_piece(pfi_pieces *pieces, uint32_t before, uint32_t kind, pfi_piece_sides *out, double *cost) {
    const pfi_cell *cell;
    *cost = 0;
    if (!pieces->guesses) return piece(pieces, kind, out, cost);
    PF_TRY(pfi_pieces_step(pieces, before, kind, &cell));
    *out = (pfi_piece_sides){before, cell->to};
    *cost = cell->cost;
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

/* As pf_piece_join, where `first` is all pending. */
static pf_err join_open(pfi_pieces *pieces, const pfi_piece_sides *first, const pfi_piece_sides *second, pfi_piece_sides *out, double *cost) {
    const pfi_left one = pieces->left.at[first->left], other = pieces->left.at[second->left];
    uint32_t place = first->place;
    pieces->scratch.n = 0;
    PF_TRY(PF_PUSH(&pieces->scratch, one.first));
    PF_TRY(PF_PUSH(&pieces->scratch, 0));
    for (uint32_t i = 0; i < one.pending; i++) PF_TRY(PF_PUSH(&pieces->scratch, pieces->pending.at[one.at + i]));
    for (uint32_t i = 0; i < other.pending; i++) PF_TRY(put_word(pieces, pieces->pending.at[other.at + i], &place, cost));
    pieces->scratch.at[1] |= other.closed;
    out->place = other.closed ? second->place : place;
    return intern_left(pieces, &out->left);
}

pf_err pfi_pieces_join(pfi_pieces *pieces, const pfi_piece_sides *first, const pfi_piece_sides *second, pfi_piece_sides *out, double *cost) {
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
    if (pieces->shape->trees && pieces->shape->trees->runs) return false; /* whether a block is a run matters, too */
    return pieces->wide || !(pieces->rows.parts.n || pieces->by_position);
}

static bool has_silent_words(const pfi_pieces *pieces) {
    for (size_t i = 0; i < pieces->kinds.n; i++)
        if (pieces->kinds.at[i].column == pieces->rows.words) return pieces->rows.parts.n > 0;
    return false;
}

pf_err pfi_pieces_init(pfi_pieces *pieces, pf_fst *fst, const pfi_shape *shape, bool wide) {
    uint32_t row = 0;
    *pieces = (pfi_pieces){.shape = shape, .by_position = shape->follows.n, .lowest = INT_MAX};
    pf_statetab_init(&pieces->places, sizeof(pfi_place_key));
    pf_statetab_init(&pieces->lefts, 0);
    PF_TRY(pfi_rows_init(&pieces->rows, fst));
    const pf_fst *automaton = pieces->rows.parts.fst;
    automaton->op->slots(automaton->self, &pieces->slots);
    pieces->wide = wide && (pieces->rows.parts.n || pieces->by_position);
    PF_TRY(find_kinds(pieces));
    PF_TRY(place_of(pieces, row, (uint32_t)pieces->kinds.n, &row));
    PF_TRY(reach_all(pieces));
    pieces->guesses = has_silent_words(pieces) || !pfi_rows_pieces(&pieces->rows);
    if (pieces->guesses) return PF_OK;
    pieces->short_sighted = is_short_sighted(pieces);
    PF_TRY(pfi_rows_empty(&pieces->rows, &row));
    return place_of(pieces, row, (uint32_t)pieces->kinds.n, &pieces->empty);
}

void pfi_pieces_free(pfi_pieces *pieces) {
    pfi_rows_free(&pieces->rows);
    PF_VEC_FREE(&pieces->kinds);
    free(pieces->kind);
    pf_statetab_free(&pieces->places);
    PF_VEC_FREE(&pieces->steps);
    pf_statetab_free(&pieces->lefts);
    PF_VEC_FREE(&pieces->left);
    PF_VEC_FREE(&pieces->pending);
    PF_VEC_FREE(&pieces->scratch);
    free(pieces->after);
    free(pieces->least);
    free(pieces->end_after);
    *pieces = (pfi_pieces){0};
}
