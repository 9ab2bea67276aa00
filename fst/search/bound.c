/* The tables of the bound, read off the rows of each model. */
#include "search/bound_impl.h"

#include "base/contract.h"
#include "search/backoff.h"

#include <permfst/base/cover.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 22, MOST_POSITIONS = 1 << 12 };

static double smaller(double first, double second) { return first < second ? first : second; }

static uint32_t alternatives(const pfi_bound_tables *tables) { return tables->slots.first[tables->slots.n]; }

static bool has_silent_words(const pfi_bound_tables *tables) {
    for (uint32_t a = 0; a < alternatives(tables); a++)
        if (pfi_rows_column(tables->rows, tables->slots.arc[a].out) == tables->rows->words) return true;
    return false;
}

static bool own_costs_are_not_negative(const pfi_bound_tables *tables) {
    for (uint32_t a = 0; a < alternatives(tables); a++)
        if (pfi_own_cost(tables, a) < 0) return false;
    return true;
}

static bool scores_are_not_negative(const pfi_bound_tables *tables) {
    const pf_scoring *parts = &tables->rows->parts;
    for (size_t i = 0; i < parts->n; i++)
        if (!pf_scaled_nonnegative(parts->by[i].scale, pf_scorer_nonnegative(parts->by[i].scorer))) return false;
    return true;
}

/* ---- one model ---- */

/* Makes the rows of every history that words of the sentence can form. *all: they are within the limit. */
static pf_err close_rows(pfi_rows *rows, bool *all) {
    size_t most = MOST_CELLS / rows->width;
    *all = false;
    for (uint32_t row = 0; row < rows->final.n; row++) {
        if (row == most) return PF_OK;
        PF_TRY(pfi_rows_fill(rows, row));
    }
    *all = true;
    return PF_OK;
}

/* The positions that have an alternative in each column, column by column. A counting sort: the counts stand two places further,
 * so that the sums, one place further, are cursors, and in the end each column begins where the one before it has ended. */
static pf_err list_positions(pfi_bound_tables *tables, const pfi_model_costs *model) {
    const pf_slots_view *slots = &tables->slots;
    const size_t width = model->rows->width;
    tables->first_position = calloc(width + 2, sizeof *tables->first_position);
    tables->position = malloc((alternatives(tables) + (size_t)1) * sizeof *tables->position);
    if (!tables->first_position || !tables->position) return pf_nomem();
    uint32_t *count = tables->first_position + 2, *cursor = tables->first_position + 1;
    for (uint32_t a = 0; a < alternatives(tables); a++) count[model->column[a]]++;
    for (size_t column = 1; column < width; column++) count[column] += count[column - 1];
    for (unsigned last = 0; last < slots->n; last++)
        for (uint32_t a = slots->first[last]; a < slots->first[last + 1]; a++)
            tables->position[cursor[model->column[a]]++] = (uint16_t)last;
    return PF_OK;
}

void pfi_forget_rows(const pfi_rows *rows, double *least) {
    for (size_t column = 0; column <= rows->width; column++) least[column] = (double)INFINITY;
}

void pfi_take_row(const pfi_rows *rows, uint32_t row, double *least) {
    const pfi_cell *cell = pfi_rows_cells(rows, row);
    for (size_t column = 0; column < rows->width; column++) least[column] = smaller(least[column], cell[column].cost);
    least[rows->width] = smaller(least[rows->width], rows->final.at[row]);
}

/* The costs of a row are possible after position `last`. */
static void take_row(const pfi_model_costs *model, uint32_t row, unsigned last) {
    pfi_take_row(model->rows, row, &model->after[last * (model->rows->width + (size_t)1)]);
}

/* A row is possible after each position that has a word whose cell leads to the row. */
static pf_err take_rows(const pfi_bound_tables *tables, pfi_model_costs *model) {
    const pfi_rows *rows = model->rows;
    unsigned n = tables->slots.n;
    unsigned char *seen = calloc(rows->final.n, n);
    if (!seen) return pf_nomem();
    for (uint32_t from = 0; from < rows->final.n; from++)
        for (size_t column = 0; column < rows->words; column++) {
            pfi_cell cell = pfi_rows_cells(rows, from)[column];
            model->least[column] = smaller(model->least[column], cell.cost);
            if (cell.cost == (double)INFINITY) continue;
            for (uint32_t i = tables->first_position[column]; i < tables->first_position[column + 1]; i++) {
                unsigned char *at = &seen[cell.to * (size_t)n + tables->position[i]];
                if (!*at) take_row(model, cell.to, tables->position[i]);
                *at = true;
            }
        }
    take_row(model, 0, n);
    free(seen);
    return PF_OK;
}

static double *infinities(size_t count) {
    double *cost = malloc(count * sizeof *cost);
    for (size_t i = 0; cost && i < count; i++) cost[i] = (double)INFINITY;
    return cost;
}

static pf_err allocate_model(const pfi_bound_tables *tables, pfi_model_costs *model) {
    model->width = tables->pairs ? alternatives(tables) : model->rows->width;
    model->least = infinities(model->rows->width + (size_t)1);
    model->column = calloc(pfi_whole_chunks(alternatives(tables) + (size_t)1), sizeof *model->column);
    if (!model->least || !model->column) return pf_nomem();
    for (uint32_t a = 0; a < alternatives(tables); a++) model->column[a] = pfi_rows_column(model->rows, tables->slots.arc[a].out);
    return PF_OK;
}

static pf_err allocate_after(pfi_model_costs *model, size_t rows) {
    model->after = infinities(rows * (model->width + 1));
    return model->after ? PF_OK : pf_nomem();
}

static pf_err from_rows(const pfi_bound_tables *tables, pfi_model_costs *model, bool *known) {
    PF_TRY(allocate_after(model, tables->slots.n + (size_t)1));
    PF_TRY(close_rows(model->rows, known));
    return *known ? take_rows(tables, model) : PF_OK;
}

/* What was said last, if this is the model that is asked for it. */
static pfi_said *said_by(const pfi_bound_tables *tables, const pfi_model_costs *model) {
    pfi_said *said = tables->said;
    return said->classes && model == &tables->model[said->model] ? said : NULL;
}

static pf_err from_back_offs(const pfi_bound_tables *tables, pfi_model_costs *model, bool *known) {
    const pfi_column_positions positions = {tables->slots.n, tables->first_position, tables->position, tables->moves,
                                            tables->stands};
    PF_TRY(pfi_listings_new(model->rows, &positions, said_by(tables, model), &model->listings));
    *known = model->listings != NULL;
    if (!*known) return PF_OK;
    const uint32_t *stands = pfi_listings_stands(model->listings);
    for (uint32_t a = 0; a < alternatives(tables); a++) model->column[a] = stands[model->column[a]];
    model->row = pfi_listings_row(model->listings);
    PF_TRY(allocate_after(model, pfi_listings_rows(model->listings)));
    pfi_listings_least(model->listings, NULL, model->after);
    return PF_OK;
}

static pf_err make_model(pfi_bound_tables *tables, pfi_model_costs *model, bool *known) {
    const bool backs_off = tables->many_units && pfi_listings_possible(model->rows);
    PF_TRY(allocate_model(tables, model));
    if (tables->pairs) {
        PF_TRY(allocate_after(model, tables->slots.n + (size_t)1));
        return pfi_placed_least(tables, model, MOST_CELLS / model->rows->width, known);
    }
    pf_err err = list_positions(tables, model);
    if (!err) err = (backs_off ? from_back_offs : from_rows)(tables, model, known);
    free(tables->first_position);
    free(tables->position);
    tables->first_position = NULL;
    tables->position = NULL;
    return err;
}

/* ---- all of them ---- */

/* Each model's rows: those of the search where there is one model. */
static pf_err make_rows(const pfi_bound_tables *tables) {
    const size_t n = tables->rows->parts.n;
    for (size_t i = 0; i < n; i++) {
        pfi_model_costs *model = &tables->model[i];
        model->rows = tables->rows;
        if (n > 1 && !(model->rows = calloc(1, sizeof *model->rows))) return pf_nomem();
        if (n > 1) PF_TRY(pfi_rows_init_one(model->rows, tables->rows, i));
    }
    return PF_OK;
}

/* *known: no model has too many histories. */
static pf_err make_models(pfi_bound_tables *tables, bool one_path, bool *known) {
    const size_t n = tables->rows->parts.n;
    tables->model = calloc(n, sizeof *tables->model);
    tables->after = calloc(n, sizeof *tables->after);
    if (!tables->model || !tables->after) return pf_nomem();
    PF_TRY(make_rows(tables));
    if (tables->place) PF_TRY(pfi_units_tell_apart(tables, one_path));
    *known = true;
    for (size_t i = 0; i < n && *known; i++) PF_TRY(make_model(tables, &tables->model[i], known));
    tables->models = n;
    return PF_OK;
}

static void free_models(pfi_bound_tables *tables) {
    for (size_t i = 0; tables->model && i < tables->rows->parts.n; i++) {
        pfi_model_costs *model = &tables->model[i];
        free(model->after);
        free(model->least);
        free(model->potential);
        free(model->history_potential);
        pfi_listings_free(model->listings);
        free(model->column);
        if (model->rows == tables->rows || !model->rows) continue;
        pfi_rows_free(model->rows);
        free(model->rows);
    }
    free(tables->model);
    free(tables->after);
}

/* The least cost of position j over its alternatives, where models say `after`. */
static double position_cost(const pfi_bound_tables *tables, const double *const *after, unsigned j) {
    double least = (double)INFINITY;
    for (uint32_t a = tables->slots.first[j]; a < tables->slots.first[j + 1]; a++) {
        double cost = pfi_own_cost(tables, a);
        for (size_t i = 0; i < tables->models; i++) cost += after[i][tables->pairs ? a : tables->model[i].column[a]];
        least = smaller(least, cost);
    }
    return least;
}

/* Units stand where their word does. */
static pf_err list_stands(pfi_bound_tables *tables) {
    tables->stands = malloc((tables->slots.n + (size_t)1) * sizeof *tables->stands);
    if (!tables->stands) return pf_nomem();
    for (unsigned j = 0; !tables->place && j < tables->slots.n; j++) tables->stands[j] = (uint16_t)j;
    for (unsigned j = 0; tables->place && j < tables->moves->n; j++)
        for (uint32_t unit = tables->place[j]; unit < tables->place[j + 1]; unit++) tables->stands[unit] = (uint16_t)j;
    return PF_OK;
}

static double end_after(const pfi_bound_tables *tables, unsigned last) {
    const double *const *after = pfi_after_position(tables, last);
    double cost = 0;
    for (size_t i = 0; i < tables->models; i++) cost += after[i][tables->model[i].width];
    return cost;
}

/* Lowers `least` to the costs in `after`, when the potentials are final. */
static void take_least(const pfi_model_costs *model) {
    const size_t width = model->width + 1;
    for (uint32_t row = 0; row < pfi_listings_rows(model->listings); row++)
        for (size_t column = 0; column < width; column++)
            model->least[column] = smaller(model->least[column], model->after[row * width + column]);
}

/* The least of each column of the search's rows. */
static void fill_column_least(pfi_bound *bound, const pfi_bound_tables *tables) {
    for (size_t i = 0; i < tables->models; i++)
        if (tables->model[i].listings) take_least(&tables->model[i]);
    for (size_t column = 0; column < tables->rows->width; column++) bound->column_least[column] = -(double)INFINITY;
    for (uint32_t a = 0; a < alternatives(tables); a++) {
        double cost = 0;
        for (size_t i = 0; i < tables->models; i++) cost += tables->model[i].least[tables->model[i].column[a]];
        bound->column_least[pfi_rows_column(tables->rows, tables->slots.arc[a].out)] = cost;
    }
}

typedef struct {
    double cost;
    uint16_t position;
} ranked_position;

static int by_cost(const void *first, const void *second) {
    const ranked_position *one = first, *other = second;
    return (one->cost > other->cost) - (one->cost < other->cost);
}

static bool in_order(const ranked_position *one, unsigned n) {
    for (unsigned i = 1; i < n; i++)
        if (one[i - 1].cost > one[i].cost) return false;
    return true;
}

/* qsort takes a hundred instructions for a comparison, and every column of every sentence is sorted. */
static void sort_by_cost(ranked_position *one, unsigned n, uint16_t *position) {
    if (n > 64) qsort(one, n, sizeof *one, by_cost);
    for (unsigned i = 1; n <= 64 && i < n; i++) {
        ranked_position other = one[i];
        unsigned k = i;
        for (; k && one[k - 1].cost > other.cost; k--) one[k] = one[k - 1];
        one[k] = other;
    }
    PFI_CHECK(in_order(one, n));
    for (unsigned i = 0; i < n; i++) position[i] = one[i].position;
}

/* The costs of position j after any other one, and their order; false where one is infinite. Nothing is known then. */
static bool fill_position(pfi_bound *bound, const pfi_bound_tables *tables, unsigned j, ranked_position *order) {
    const unsigned n = bound->length;
    double any = position_cost(tables, pfi_after_position(tables, n), j);
    bool finite = true;
    for (unsigned last = 0; last < n; last++) {
        const double cost = position_cost(tables, pfi_after_position(tables, last), j);
        order[last] = (ranked_position){cost, (uint16_t)last};
        bound->after[last * bound->stride + j] = pfi_float_below(cost);
        finite = finite && cost < (double)INFINITY;
        any = smaller(any, cost);
    }
    bound->after[n * bound->stride + j] = pfi_float_below(any);
    sort_by_cost(order, n, &bound->by_cost[(size_t)j * n]);
    return finite;
}

/* Where moves are known: the costs after position `last`, or at the start (last = n), of the positions that may follow it; false
 * where one is infinite. They need no order. */
static bool fill_followers(pfi_bound *bound, const pfi_bound_tables *tables, unsigned last) {
    const unsigned n = bound->length, words = pf_cover_words(n);
    const uint64_t *follows = &tables->moves->follows[last * (size_t)words];
    const double *const *after = pfi_after_position(tables, last);
    float *row = &bound->after[last * bound->stride];
    bool finite = true;
    for (unsigned j = 0; j < n; j++) row[j] = INFINITY;
    for (unsigned j = pf_cover_next(follows, words, 0); j < n; j = pf_cover_next(follows, words, j + 1)) {
        const double cost = position_cost(tables, after, j);
        row[j] = pfi_float_below(cost);
        finite = finite && (cost < (double)INFINITY || last == n);
    }
    return finite;
}

/* The costs of the end; false where one is infinite. */
static bool fill_end(pfi_bound *bound, const pfi_bound_tables *tables) {
    bool finite = true;
    for (unsigned last = 0; last < bound->length; last++) {
        bound->end_after[last] = end_after(tables, last);
        finite = finite && bound->end_after[last] < (double)INFINITY;
    }
    return finite;
}

static void sort_ends(const pfi_bound *bound, ranked_position *order) {
    for (unsigned last = 0; last < bound->length; last++)
        order[last] = (ranked_position){bound->end_after[last], (uint16_t)last};
    sort_by_cost(order, bound->length, bound->by_end);
}

static bool fill(pfi_bound *bound, const pfi_bound_tables *tables, ranked_position *order) {
    const unsigned n = bound->length;
    bool finite = fill_end(bound, tables);
    if (!tables->moves) {
        sort_ends(bound, order);
        for (unsigned j = 0; j < n; j++) finite = fill_position(bound, tables, j, order) && finite;
    } else
        for (unsigned last = 0; last <= n; last++) finite = fill_followers(bound, tables, last) && finite;
    fill_column_least(bound, tables);
    return finite;
}

/* Room for the costs after positions; what stands beyond those is 0. */
static float *room_after(const pfi_bound *bound) {
    const size_t n = bound->length, stride = bound->stride;
    float *after = malloc(((n + 1) * stride + PFI_CHUNK) * sizeof *after);
    for (size_t last = 0; after && last <= n; last++) memset(&after[last * stride + n], 0, (stride - n) * sizeof *after);
    if (after) memset(&after[(n + 1) * stride], 0, PFI_CHUNK * sizeof *after);
    return after;
}

static pf_err make(pfi_bound *bound, const pfi_bound_tables *tables) {
    unsigned n = bound->length = tables->place ? tables->said->copies : tables->slots.n;
    ranked_position *order = malloc(n * sizeof *order);
    bound->positions = tables->slots.positions;
    bound->stride = pfi_whole_chunks(n);
    bound->after = room_after(bound);
    bound->units = tables->place;
    bound->by_cost = malloc(tables->moves ? 1 : (size_t)n * n * sizeof *bound->by_cost);
    bound->end_after = malloc(n * sizeof *bound->end_after);
    bound->by_end = malloc(n * sizeof *bound->by_end);
    bound->uncovered = malloc(pf_cover_words(n) * sizeof *bound->uncovered);
    bound->column_least = tables->place ? NULL : malloc(tables->rows->width * sizeof *bound->column_least);
    bool room = order && bound->after && bound->by_cost && bound->end_after && bound->by_end && bound->uncovered &&
                (bound->column_least || tables->place);
    if (room && !tables->place) bound->known = fill(bound, tables, order);
    free(order);
    if (!room) return pf_nomem();
    return tables->place ? pfi_bound_of_units(bound, tables) : PF_OK;
}

static bool can_be_known(const pfi_bound_tables *tables) {
    return tables->rows->parts.n && tables->slots.n && tables->slots.n <= MOST_POSITIONS && !has_silent_words(tables);
}

/* Where words have many units there are too many histories to look at two positions at a time. */
static bool has_many_units(const pf_slots_view *slots) { return slots->first[slots->n] > 2 * slots->n; }

bool pfi_bound_routes(const pf_slots_view *slots) { return !has_many_units(slots); }

/* The model's rows are those of the search. */
static void take_potential(pfi_bound *bound, pfi_model_costs *model) {
    bound->potential.at = model->potential;
    bound->potential.n = bound->potential.cap = model->potential ? model->rows->final.n : 0;
    model->potential = NULL;
}

pf_err pfi_bound_init(pfi_bound *bound, pfi_rows *rows, const pf_fst *fst, const pf_moves *moves, const pfi_bound_wish *wish) {
    pfi_bound_tables tables = {.rows = rows, .moves = moves, .potentials = wish->potentials,
                               .said = &bound->said};
    uint32_t *first = NULL;
    bool all = false;
    pf_err err = PF_OK;
    *bound = (pfi_bound){.fst = fst};
    for (size_t i = 0; i < rows->parts.n; i++) rows->model[i].shorter.listings = NULL; /* of an earlier bound */
    if (!fst->op || !fst->op->slots) return PF_OK;
    assert(fst->op->cover && !(moves && wish->rounds)); /* routes read all rows of the models */
    tables.space = pf_fst_space(fst);
    fst->op->slots(fst->self, &tables.slots);
    bound->empty = !tables.slots.n && !fst->alphabet.n;
    const bool moves_are_nonnegative = tables.slots.nonnegative && rows->parts.own >= 0;
    tables.many_units = has_many_units(&tables.slots);
    tables.pairs = moves && !tables.many_units;
    if (tables.pairs && rows->parts.n > 1) tables.potentials = 0;
    if (moves_are_nonnegative && can_be_known(&tables)) {
        err = pfi_units_take_apart(&tables, wish->one_path, &first);
        if (!err && moves && tables.many_units) err = list_stands(&tables);
        if (!err) err = make_models(&tables, wish->one_path, &all);
    }
    if (!err && all) err = make(bound, &tables);
    if (!err && wish->rounds && bound->known) err = pfi_routes_init(&bound->routes, &tables, tables.space, wish->rounds);
    if (!err && bound->known && tables.pairs && tables.potentials) take_potential(bound, &tables.model[0]);
    bound->admissible = bound->known || (moves_are_nonnegative && own_costs_are_not_negative(&tables) &&
                                         scores_are_not_negative(&tables));
    free_models(&tables);
    free(first);
    free(tables.stands);
    return err;
}

void pfi_bound_free(pfi_bound *bound) {
    pfi_routes_free(&bound->routes);
    free(bound->after);
    PF_VEC_FREE(&bound->potential);
    PF_VEC_FREE(&bound->said_in);
    pfi_bound_forget_histories(bound);
    free(bound->price);
    free(bound->rest_of_routes);
    free(bound->by_cost);
    free(bound->end_after);
    free(bound->by_end);
    free(bound->uncovered);
    free(bound->column_least);
    pfi_said_free(&bound->said);
}
