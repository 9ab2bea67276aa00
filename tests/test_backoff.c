/* What back-off models say as differences from shorter histories: against rows, which say it word by word. */
#include "search/backoff_impl.h"
#include "draw.h"
#include "known.h"
#include "paths.h"
#include "potentials.h"

#include <permfst/model/tuplemodel.h>
#include <permfst/ops/spell.h>
#include <permfst/ops/units.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 64, ROOM = 1 << 16 };

/* ---- random models ---- */

static uint64_t seed;

static unsigned dice(unsigned sides) { return draw(&seed, sides); }

/* Some n-grams of words; probabilities from 10^-3 to 10^0. A `sound` model lists none that its back-off would make likelier. */
typedef struct {
    const char *const *word;
    unsigned words;
    double one[MANY], back[MANY], two[MANY][MANY], pair_back[MANY][MANY], three[MANY][MANY][MANY]; /* log10; 1: not listed */
} grams;

/* Some are so near 1 that a sum with others is rounded: what is added first can be told. */
static double chance(void) { return dice(6) ? -(double)dice(3000) / 1000 : -(double)dice(3000) / 1e12; }

static double two(const grams *listed, unsigned i, unsigned j) {
    return listed->two[i][j] < 1 ? listed->two[i][j] : listed->back[i] + listed->one[j];
}

/* Words 0 and 1 are <s>, which is never predicted, and </s>, after which nothing is. */
static void make_grams(grams *listed, const char *const *word, unsigned words, bool sound) {
    memset(listed, 0, sizeof *listed); /* a literal of this size would stand on the stack first */
    listed->word = word;
    listed->words = words;
    for (unsigned i = 0; i < words; i++) {
        listed->one[i] = i ? chance() - 1 : -99;
        listed->back[i] = chance() / 3;
        for (unsigned j = 0; j < words; j++) {
            listed->two[i][j] = i != 1 && j && !dice(3) ? chance() : 1;
            if (sound && listed->two[i][j] < 1) listed->two[i][j] = fmax(listed->two[i][j], listed->back[i] + listed->one[j]);
            listed->pair_back[i][j] = chance() / 3;
        }
    }
    for (unsigned i = 0; i < words; i++)
        for (unsigned j = 0; j < words; j++)
            for (unsigned k = 0; k < words; k++) {
                double *three = &listed->three[i][j][k];
                *three = j != 1 && k && listed->two[i][j] < 1 && !dice(4) ? chance() : 1;
                if (sound && *three < 1) *three = fmax(*three, listed->pair_back[i][j] + two(listed, j, k));
            }
}

static void write_grams(const grams *listed, char *text) {
    unsigned count[4] = {0, listed->words, 0, 0}, n = listed->words;
    for (unsigned i = 0; i < n * n * n; i++) {
        count[2] += i < n * n && listed->two[i / n][i % n] < 1;
        count[3] += listed->three[i / n / n][i / n % n][i % n] < 1;
    }
    text += sprintf(text, "\\data\\\nngram 1=%u\nngram 2=%u\nngram 3=%u\n\n\\1-grams:\n", count[1], count[2], count[3]);
    for (unsigned i = 0; i < n; i++) text += sprintf(text, "%.16f\t%s\t%.16f\n", listed->one[i], listed->word[i], listed->back[i]);
    text += sprintf(text, "\n\\2-grams:\n");
    for (unsigned i = 0; i < n * n; i++)
        if (listed->two[i / n][i % n] < 1)
            text += sprintf(text, "%.16f\t%s %s\t%.16f\n", listed->two[i / n][i % n], listed->word[i / n], listed->word[i % n],
                            listed->pair_back[i / n][i % n]);
    text += sprintf(text, "\n\\3-grams:\n");
    for (unsigned i = 0; i < n * n * n; i++)
        if (listed->three[i / n / n][i / n % n][i % n] < 1)
            text += sprintf(text, "%.16f\t%s %s %s\n", listed->three[i / n / n][i / n % n][i % n], listed->word[i / n / n],
                            listed->word[i / n % n], listed->word[i % n]);
    sprintf(text, "\n\\end\\\n");
}

static void random_model(const char *const *word, unsigned words, bool sound, pf_model *out) {
    grams *listed = malloc(sizeof *listed);
    char *text = malloc(ROOM * 16);
    pf_reader *reader;
    assert_true(listed && text);
    make_grams(listed, word, words, sound);
    write_grams(listed, text);
    SUCCEED(pf_reader_memory(text, strlen(text), "random.arpa", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, out));
    pf_reader_free(reader);
    free(text);
    free(listed);
}

/* Tuples that say nothing, one word or several; of two source words; inserted ones. */
static const char *const tuple_words[] = {
    "<s>", "</s>", "<unk>", "a|x", "a|y", "a|", "a|x_y", "a|z_x_y", "b|x", "b|z", "b|y_z", "b|", "c|x", "c|y_y", "c|z",
};
static const char *const harder_words[] = {
    "<s>", "</s>", "<unk>", "a|x", "a|y", "a|", "a|x_y", "b|x", "b|z", "b|y_z", "c|x", "a_b|z", "b_c|x_y", "|y", "c|",
};
static const char *const target_words[] = {"<s>", "</s>", "<unk>", "x", "y", "z"};

/* ---- what a state knows, against the row ---- */

/* Where a head leads from a state that lists it, or from the first one that tells. */
static pf_state leads_to(pf_scorer *scorer, pf_state state, const pf_label_set *labels, uint32_t head) {
    uint32_t which[MANY];
    double cost[MANY];
    pf_state to[MANY];
    pf_known_words known = {0, which, cost, to, state, 0};
    for (;; state = known.lower) {
        scorer->cls->known_heads(scorer, state, labels, &known);
        for (unsigned i = 0; i < known.n; i++)
            if (which[i] == head && to[i] != PF_NO_STATE) return to[i];
        assert_true(known.lower != state);
    }
}

/* What a state knows of labels is what it knows of heads, with their tails. */
static void expect_heads(pf_scorer *scorer, pf_state state, const pf_label_set *labels) {
    uint32_t which[MANY], head_which[MANY];
    double cost[MANY], head_cost[MANY], tail_cost[MANY];
    pf_state to[MANY], head_to[MANY], tail_to[MANY];
    pf_known_words known = {0, which, cost, to, state, 0}, known_heads = {0, head_which, head_cost, head_to, state, 0};
    pf_label_heads heads;
    unsigned found = 0;
    assert_true(!scorer->cls->heads == !scorer->cls->tails && !scorer->cls->heads == !scorer->cls->known_heads);
    if (!scorer->cls->heads) return;
    scorer->cls->known(scorer, state, labels, &known);
    SUCCEED(scorer->cls->heads(scorer, labels, &heads));
    assert_int_equal(heads.first[heads.n], labels->n);
    scorer->cls->known_heads(scorer, state, labels, &known_heads);
    assert_true(known.lower == known_heads.lower && known.back == known_heads.back);
    for (unsigned i = 0; i < known_heads.n; i++) {
        const uint32_t head = head_which[i], first = heads.first[head];
        assert_true(!i || head > head_which[i - 1]);
        scorer->cls->tails(scorer, labels, head, leads_to(scorer, state, labels, head), tail_cost, tail_to);
        for (uint32_t k = first; k < heads.first[head + 1]; k++, found++) {
            unsigned at = 0;
            while (at < known.n && which[at] != heads.label[k]) at++;
            assert_true(at < known.n && cost[at] == head_cost[i] + tail_cost[k - first]);
            assert_true(to[at] == PF_NO_STATE || to[at] == tail_to[k - first]);
        }
    }
    assert_int_equal(found, known.n);
}

/* What backs off step by step says the same costs to the last bit. */
static void expect_row(pf_scorer *scorer, pf_state state, const pf_label_set *labels) {
    double cost[MANY];
    pf_state to[MANY], next;
    const bool exact = scorer->cls->backs != NULL;
    scorer->cls->row(scorer, state, labels, cost, to);
    for (unsigned i = 0; i < labels->n; i++) {
        const double other = cost_by_known(scorer, state, labels, i, &next);
        assert_true(next == to[i]);
        assert_true(other == cost[i] || (!exact && fabs(other - cost[i]) < 1e-12));
        const double step = scorer->cls->step(scorer, state, labels->at[i], &next);
        assert_true(step == cost[i] || (!exact && fabs(step - cost[i]) < 1e-12));
        assert_true(next == to[i]);
    }
    if (exact) assert_true(cost_by_known(scorer, state, labels, labels->n, &next) == scorer->cls->final(scorer, state));
    expect_heads(scorer, state, labels);
}

/* ---- the least costs, against all rows ---- */

typedef struct {
    unsigned places, lower; /* costs compared; how many of them are lower than those of the rows */
    unsigned told_apart;    /* how many models had silent units */
} comparison;

/* The positions of each column, and of each position whether it has the column; which positions may follow which. */
typedef struct {
    pfi_column_positions list;
    bool has[MANY][MANY]; /* column, position */
    uint32_t first[MANY + 2];
    uint16_t position[MANY * MANY], slot[MANY];
    pf_moves moves;       /* `n` and `follows` alone */
    uint64_t follows[MANY + 1];
} positions;

/* Moves know one or two positions as one. After each, and at the start, about two thirds may follow. */
static void draw_follows(positions *out) {
    const unsigned length = out->list.length, together = 1 + dice(2);
    for (unsigned last = 0; last < length; last++) out->slot[last] = (uint16_t)(last / together);
    out->moves = (pf_moves){.n = (length + together - 1) / together, .follows = out->follows};
    for (unsigned last = 0; last <= out->moves.n; last++)
        for (unsigned next = 0; next < out->moves.n; next++)
            if (dice(3)) pf_cover_put(&out->follows[last], next);
    out->list.moves = &out->moves;
    out->list.slot = out->slot;
}

/* Column by column, from whether each position has it. */
static void list_columns(const pfi_rows *rows, positions *out) {
    uint32_t n = 0;
    for (unsigned column = 0; column < rows->width; column++) {
        out->first[column] = n;
        for (unsigned last = 0; last < out->list.length; last++)
            if (out->has[column][last]) out->position[n++] = (uint16_t)last;
        out->first[column + 1] = n;
    }
    out->list.first = out->first;
    out->list.position = out->position;
}

static void list_positions(pfi_rows *rows, const pf_slots_view *slots, bool follows, positions *out) {
    *out = (positions){.list = {.length = slots->n}};
    for (unsigned last = 0; last < slots->n; last++)
        for (uint32_t arc = slots->first[last]; arc < slots->first[last + 1]; arc++)
            out->has[pfi_rows_column(rows, slots->arc[arc].out)][last] = true;
    list_columns(rows, out);
    if (follows) draw_follows(out);
}

/* At the start, last is the length. */
static bool may_follow(const positions *places, unsigned last, unsigned next) {
    const pf_moves *moves = places->list.moves;
    if (!moves) return true;
    return pf_cover_has(&moves->follows[last < places->list.length ? places->slot[last] : moves->n], places->slot[next]);
}

/* Forms what comes next after a row that is formed at a position. */
static void form_after(pfi_rows *rows, const positions *places, uint32_t row, unsigned last, bool *formed) {
    const unsigned length = places->list.length;
    bool *here = &formed[row * (length + 1) + last];
    if (*here) return;
    *here = true;
    for (unsigned next = 0; next < length; next++)
        for (unsigned column = 0; column < rows->words; column++) {
            SUCCEED(pfi_rows_fill(rows, row));
            const pfi_cell cell = pfi_rows_cells(rows, row)[column];
            if (cell.cost == (double)INFINITY || !places->has[column][next] || !may_follow(places, last, next)) continue;
            assert_true((cell.to + 1) * (length + 1) <= ROOM);
            form_after(rows, places, cell.to, next, formed);
        }
}

/* Of each row; NULL: there are none. */
static double potential_of(const double *given, uint32_t row) { return given ? given[row] : 0; }

/* Makes costs less where those of a row are, with its potential. */
static void take_row(const pfi_rows *rows, uint32_t row, const double *given, double *least) {
    const pfi_cell *cell = pfi_rows_cells(rows, row);
    const double paid = potential_of(given, row);
    for (unsigned column = 0; column < rows->words; column++)
        if (cell[column].cost < (double)INFINITY)
            least[column] = fmin(least[column], cell[column].cost + potential_of(given, cell[column].to) - paid);
    least[rows->width] = fmin(least[rows->width], rows->final.at[row] - paid);
}

/* Which rows words form that may follow one another, at each position; all of them are filled. */
static bool *form_rows(pfi_rows *rows, const positions *places) {
    bool *formed = calloc(ROOM, sizeof *formed);
    assert_non_null(formed);
    form_after(rows, places, 0, places->list.length, formed);
    for (uint32_t row = 0; row < rows->final.n; row++) SUCCEED(pfi_rows_fill(rows, row));
    return formed;
}

/* The least of the rows after each position, by definition. */
static double *least_of_rows(const pfi_rows *rows, const positions *places, const bool *formed, const double *given) {
    const size_t width = rows->width + (size_t)1;
    const unsigned length = places->list.length;
    double *after = malloc((length + 1) * width * sizeof *after);
    assert_non_null(after);
    for (size_t i = 0; i < (length + 1) * width; i++) after[i] = (double)INFINITY;
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned last = 0; last <= length; last++)
            if (formed[row * (length + 1) + last]) take_row(rows, row, given, &after[last * width]);
    return after;
}

/* What is said after each place, row by row. */
static double *least_of(pfi_listings *listings, const pfi_rows *rows, const float *potential) {
    double *least = malloc(pfi_listings_rows(listings) * (rows->width + (size_t)1) * sizeof *least);
    assert_non_null(least);
    pfi_listings_least(listings, potential, least);
    return least;
}

/* Of each history that words form a potential from -2 to 2, but for the start; of each row that is one, the same. */
static float *draw_potentials(const pfi_listings *listings, const pfi_rows *rows, const bool *formed, unsigned length,
                              double *of_row) {
    float *potential = calloc(pfi_listings_histories(listings), sizeof *potential);
    assert_non_null(potential);
    assert_true(pfi_listings_history(listings, pfi_rows_state(rows, 0, 0)) == 0);
    for (uint32_t row = 0; row < rows->final.n; row++) {
        bool any = false;
        for (unsigned last = 0; last <= length; last++) any = any || formed[row * (length + 1) + last];
        of_row[row] = any && row ? (double)dice(4000) / 1000 - 2 : 0;
        if (any) potential[pfi_listings_history(listings, pfi_rows_state(rows, 0, row))] = (float)of_row[row];
        of_row[row] = (double)(float)of_row[row];
    }
    return potential;
}

/* What a column, or the end, costs after a history, and where it leads. */
static double cost_after(const pfi_listings *listings, uint32_t number, uint32_t column, const float *potential, uint32_t *to) {
    double cost = potential ? -(double)potential[number] : 0;
    *to = number;
    if (column == listings->width) return cost + listings->histories.at[number].end;
    for (;;) {
        const pfi_listing *history = &listings->histories.at[number];
        for (size_t i = history->first; i < history->first + history->heads; i++) {
            const pfi_listed_head *listed = &listings->listed.at[i];
            const uint32_t first = listings->heads.first[listed->head], end = listings->heads.first[listed->head + 1];
            if (column < first || column >= end) continue;
            const pfi_tail *tail = &listings->tail.at[listings->tails.at[listed->tails].first + (column - first)];
            *to = tail->to;
            return cost + listed->cost + (tail->cost + (potential ? (double)potential[tail->to] : 0));
        }
        if (history->lower == number) return (double)INFINITY;
        cost += history->back;
        number = history->lower;
    }
}

/* The first history of a row after which a column costs `enough` or less, or the cheapest one. */
static void expect_first(const pfi_listings *listings, uint32_t row, uint32_t column, const float *potential, double enough) {
    uint32_t from = UINT32_MAX, to = UINT32_MAX, leads, best = UINT32_MAX, best_to = UINT32_MAX;
    double least = (double)INFINITY;
    for (size_t i = listings->sources.at[row].set; i < listings->sources.at[row + 1].set && least > enough; i++) {
        const double cost = cost_after(listings, listings->set.at[i], column, potential, &leads);
        if (!(cost < least)) continue;
        least = cost;
        best = listings->set.at[i];
        best_to = leads;
    }
    const bool found = pfi_listings_cheapest(listings, row, column, potential, enough, &from, &to);
    assert_true(found == (least < (double)INFINITY) && from == best && to == best_to);
}

/* The cheapest history says what is least, if the model is sound; and where it leads is a history. */
static void expect_cheapest(const pfi_listings *listings, const pfi_rows *rows, const positions *places, const float *potential,
                            const double *least, bool exact) {
    const size_t width = rows->width + (size_t)1;
    for (unsigned last = 0; last <= places->list.length; last++)
        for (uint32_t column = 0; column < width; column++) {
            const uint32_t row = pfi_listings_row(listings)[last];
            uint32_t from = UINT32_MAX, to = UINT32_MAX;
            if (column < rows->width && listings->column[column] == rows->words) continue;
            const bool found = pfi_listings_cheapest(listings, row, column, potential, -(double)INFINITY, &from, &to);
            assert_true(found || !exact || least[row * width + column] == (double)INFINITY);
            assert_true(!found || (from < pfi_listings_histories(listings) && to < pfi_listings_histories(listings)));
            assert_true(!found || column < rows->width || from == to);
            expect_first(listings, row, column, potential, -(double)INFINITY);
            expect_first(listings, row, column, potential, least[row * width + column] + 1e-9);
            expect_first(listings, row, column, potential, least[row * width + column] + 2);
        }
}

/* A column of the rows, or the end, as a column of listings. */
static size_t column_of(const pfi_listings *listings, size_t column) {
    return column < listings->width ? pfi_listings_stands(listings)[column] : column;
}

/* A lower bound, and the very least where no history lists a unit that another one makes cheaper. */
static void compare_costs(const pfi_listings *listings, const pfi_rows *rows, unsigned length, const double *least,
                          const double *rowwise, bool exact, comparison *found) {
    const size_t width = rows->width + (size_t)1;
    for (unsigned last = 0; last <= length; last++)
        for (size_t column = 0; column < width; column++) {
            const size_t here = column_of(listings, column);
            const double mine = least[pfi_listings_row(listings)[last] * width + here], other = rowwise[last * width + column];
            if (column == rows->words) continue; /* epsilon is no word */
            found->places++;
            if (mine == other) continue;
            assert_true(mine <= other + 1e-9);
            assert_true(!exact || mine >= other - 1e-5); /* costs are floats */
            found->lower += mine < other - 1e-5;
        }
}

/* Some columns at some places cost what they cost among all. */
static void expect_few(const pfi_listings *listings, const pfi_rows *rows, unsigned length, const float *potential,
                       const double *least) {
    uint32_t number[MANY], column_of[MANY], place[MANY + 1];
    pfi_few_columns few = {.number = number, .place = place};
    pfi_listings *part;
    for (uint32_t column = 0; column < rows->width; column++) {
        number[column] = dice(2) ? few.columns : PFI_NO_COLUMN;
        if (number[column] != PFI_NO_COLUMN) column_of[few.columns++] = column;
    }
    for (unsigned at = 0; at <= length; at++)
        if (dice(2) || at == length) place[few.places++] = at;
    SUCCEED(pfi_listings_of_few(listings, &few, &part));
    assert_int_equal(pfi_listings_histories(part), pfi_listings_histories(listings));
    double *got = malloc(pfi_listings_rows(part) * (few.columns + (size_t)1) * sizeof *got);
    assert_non_null(got);
    pfi_listings_least(part, potential, got);
    for (size_t at = 0; at < few.places; at++) {
        const double *mine = &got[pfi_listings_row(part)[at] * (few.columns + (size_t)1)];
        const double *other = &least[pfi_listings_row(listings)[place[at]] * (rows->width + (size_t)1)];
        for (uint32_t column = 0; column < few.columns; column++) assert_true(mine[column] == other[column_of[column]]);
        assert_true(mine[few.columns] == other[rows->width]);
    }
    free(got);
    pfi_listings_free(part);
}

/* What listings say of one label is what the model says, to the last bit, where it was asked of the state. */
static void expect_steps(const pfi_listings *listings, pfi_rows *rows) {
    pfi_shorter *shorter = &rows->model[0].shorter;
    pf_scorer *scorer = rows->parts.by[0].scorer;
    shorter->listings = listings;
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (uint32_t label = 0; label < rows->words; label++) {
            const pf_state from = pfi_rows_state(rows, 0, row);
            const uint32_t history = pfi_listings_history(listings, from);
            double cost = 0, step;
            pf_state to = PF_NO_STATE, there;
            const bool listed = pfi_listings_step(listings, from, label, &cost, &to);
            assert_true(listed == (history != PFI_NO_HISTORY && listings->histories.at[history].asked));
            step = scorer->cls->step(scorer, from, rows->model[0].labels.at[label], &there);
            assert_true(!listed || (cost == step && to == there));
            assert_true(pfi_shorter_step(shorter, from, label, &to) == step && to == there);
        }
    shorter->listings = NULL;
}

/* Cells that are asked for one by one, some of them again, on a way through rows that stay empty; by listings, or without. */
static void expect_cells(const pfi_rows *of, const pfi_listings *listings) {
    pfi_rows rows;
    uint32_t row = 0;
    SUCCEED(pfi_rows_init_one(&rows, of, 0));
    rows.model[0].shorter.listings = listings;
    for (unsigned step = 0; rows.words && step < 60; step++) {
        pfi_cell cell, again;
        pf_state to;
        const uint32_t column = dice(rows.words);
        const pf_label label = rows.model[0].labels.at[rows.model[0].place[column]];
        const double cost = rows.parts.by[0].scorer->cls->step(rows.parts.by[0].scorer, pfi_rows_state(&rows, 0, row), label, &to);
        SUCCEED(pfi_rows_cell(&rows, row, column, &cell));
        SUCCEED(pfi_rows_cell(&rows, row, column, &again));
        assert_true(cell.cost == again.cost && cell.to == again.to && rows.met_cells.n <= step + 1);
        assert_true(cell.cost == pf_scaled(rows.parts.by[0].scale, cost) && pfi_rows_state(&rows, 0, cell.to) == to);
        assert_true(isnan(rows.final.at[row]));
        row = dice(4) ? cell.to : 0;
    }
    pfi_rows_free(&rows);
}

static void compare(pfi_rows *rows, const pf_slots_view *slots, bool exact, bool follows, comparison *found) {
    positions places;
    pfi_listings *listings;
    double of_row[ROOM / 16];
    assert_true(pfi_listings_possible(rows) && rows->width < MANY && slots->n < MANY);
    list_positions(rows, slots, follows, &places);
    SUCCEED(pfi_listings_new(rows, &places.list, NULL, &listings));
    assert_non_null(listings);
    assert_true(follows || !rows->filled); /* no row was filled */
    bool *formed = form_rows(rows, &places);
    double *least = least_of(listings, rows, NULL), *rowwise = least_of_rows(rows, &places, formed, NULL);
    compare_costs(listings, rows, slots->n, least, rowwise, exact, found);
    expect_cheapest(listings, rows, &places, NULL, least, exact);
    expect_few(listings, rows, slots->n, NULL, least);
    free(least);
    free(rowwise);
    assert_true(rows->final.n <= ROOM / 16);
    float *potential = draw_potentials(listings, rows, formed, slots->n, of_row);
    least = least_of(listings, rows, potential);
    rowwise = least_of_rows(rows, &places, formed, of_row);
    compare_costs(listings, rows, slots->n, least, rowwise, false, found);
    expect_cheapest(listings, rows, &places, potential, least, false);
    expect_few(listings, rows, slots->n, potential, least);
    for (uint32_t row = 0; row < rows->final.n; row++)
        expect_row(rows->parts.by[0].scorer, ((const pf_state *)pf_statetab_key(&rows->states, row, &(size_t){0}))[0],
                   &rows->model[0].labels);
    expect_steps(listings, rows);
    expect_cells(rows, NULL);
    expect_cells(rows, listings);
    free(least);
    free(rowwise);
    free(potential);
    free(formed);
    pfi_listings_free(listings);
}

/* ---- rows of costs, of histories that back off further than those of a trigram ---- */

enum { HISTORIES = 12, HEADS = 5, COLUMNS_OF_HEAD = 3, ROWS = 4 };

static double draw_price(void) { return (double)dice(2000) / 100 - 4; }

/* Tails of a head: some that are there, or new ones. */
static uint32_t draw_tails(pfi_listings *listings, uint32_t head) {
    for (uint32_t i = 0; i < listings->tails.n; i++)
        if (listings->tails.at[i].head == head && dice(2)) return i;
    const pfi_tails tails = {head, (uint32_t)listings->tail.n};
    SUCCEED(PF_PUSH(&listings->tails, tails));
    for (uint32_t i = listings->heads.first[head]; i < listings->heads.first[head + 1]; i++)
        SUCCEED(PF_PUSH(&listings->tail, ((pfi_tail){draw_price(), dice(HISTORIES)})));
    return (uint32_t)listings->tails.n - 1;
}

/* History 0 lists all heads; each other one backs off to any before it. */
static void draw_histories(pfi_listings *listings) {
    for (uint32_t number = 0; number < HISTORIES; number++) {
        pfi_listing history = {.asked = true, .first = listings->listed.n, .lower = number ? dice(number) : 0};
        for (uint32_t head = 0; head < HEADS; head++) {
            if (number && dice(3)) continue;
            const pfi_listed_head listed = {head, draw_tails(listings, head), dice(9) ? draw_price() : (double)INFINITY};
            SUCCEED(PF_PUSH(&listings->listed, listed));
        }
        history.heads = listings->listed.n - history.first;
        history.back = draw_price();
        history.end = draw_price();
        SUCCEED(PF_PUSH(&listings->histories, history));
    }
}

static void draw_sets(pfi_listings *listings) {
    for (unsigned row = 0; row < ROWS; row++) {
        SUCCEED(pfi_listings_add_row(listings));
        const uint32_t one = dice(HISTORIES);
        for (uint32_t number = 0; number < HISTORIES; number++)
            if (number == one || !dice(3)) SUCCEED(PF_PUSH(&listings->set, number));
    }
    SUCCEED(pfi_listings_add_row(listings));
}

static pfi_listings *draw_listings(void) {
    pfi_listings *listings = calloc(1, sizeof *listings);
    uint32_t first[HEADS + 1] = {0}, label[HEADS * COLUMNS_OF_HEAD];
    assert_non_null(listings);
    for (unsigned head = 0; head < HEADS; head++) first[head + 1] = first[head] + 1 + dice(COLUMNS_OF_HEAD);
    for (uint32_t i = 0; i < first[HEADS]; i++) label[i] = i;
    listings->width = first[HEADS];
    pf_statetab_init(&listings->numbers, sizeof(uint64_t));
    SUCCEED(pfi_heads_init(listings, first[HEADS], &(pf_label_heads){HEADS, first, label}));
    draw_histories(listings);
    draw_sets(listings);
    SUCCEED(pfi_listings_ready(listings, dice(2)));
    return listings;
}

/* Makes costs less where a history lists a column, with what leads to the history. `all_list`: of each column, whether shorter
 * histories do not count; NULL: this is none. */
static void take_history(const pfi_listings *listings, uint32_t number, double leads, const float *potential, const bool *all_list,
                         double *least) {
    const pfi_listing *history = &listings->histories.at[number];
    for (size_t i = history->first; i < history->first + history->heads; i++) {
        const pfi_listed_head *listed = &listings->listed.at[i];
        const pfi_tail *tail = &listings->tail.at[listings->tails.at[listed->tails].first];
        const uint32_t first = listings->heads.first[listed->head], end = listings->heads.first[listed->head + 1];
        for (uint32_t column = first; column < end; column++, tail++)
            if (!all_list || !all_list[column])
                least[column] = fmin(least[column], leads + listed->cost + (tail->cost + (double)potential[tail->to]));
    }
}

static bool lists(const pfi_listings *listings, uint32_t number, uint32_t column) {
    return pfi_find_listed(listings, number, listings->heads.of[column]) != NULL;
}

/* By definition: of the set, and of all that it backs off to. */
static void least_by_definition(const pfi_listings *listings, uint32_t row, const float *potential, double *least) {
    bool all_list[HEADS * COLUMNS_OF_HEAD];
    const pfi_row_sources *sources = &listings->sources.at[row];
    const uint32_t *first = &listings->set.at[sources[0].set], *end = &listings->set.at[sources[1].set];
    for (uint32_t column = 0; column <= listings->width; column++) least[column] = (double)INFINITY;
    for (uint32_t column = 0; column < listings->width; column++) {
        all_list[column] = true;
        for (const uint32_t *number = first; number < end; number++)
            all_list[column] = all_list[column] && lists(listings, *number, column);
    }
    for (const uint32_t *one = first; one < end; one++) {
        uint32_t number = *one;
        double leads = -(double)potential[number];
        least[listings->width] = fmin(least[listings->width], leads + listings->histories.at[number].end);
        take_history(listings, number, leads, potential, NULL, least);
        while (listings->histories.at[number].lower != number) {
            leads += listings->histories.at[number].back;
            number = listings->histories.at[number].lower;
            take_history(listings, number, leads, potential, all_list, least);
        }
    }
}

static void rows_have_all_sources(void **state) {
    (void)state;
    for (seed = 1; seed < 500;) {
        const uint64_t next = seed + 1;
        pfi_listings *listings = draw_listings();
        float potential[HISTORIES];
        double after[ROWS * (HEADS * COLUMNS_OF_HEAD + 1)], least[HEADS * COLUMNS_OF_HEAD + 1];
        for (unsigned i = 0; i < HISTORIES; i++) potential[i] = dice(3) ? (float)draw_price() : 0;
        pfi_listings_least(listings, potential, after);
        for (uint32_t row = 0; row < ROWS; row++) {
            least_by_definition(listings, row, potential, least);
            for (uint32_t column = 0; column <= listings->width; column++) {
                const double got = after[row * (listings->width + 1) + column];
                assert_true(got == least[column] || fabs(got - least[column]) < 1e-9);
            }
        }
        pfi_listings_free(listings);
        seed = next;
    }
}

/* ---- what was said last ---- */

/* Each alternative as a position of its own, which moves know as its slot; and where the units of each slot begin. */
static void list_units(pfi_rows *rows, const pf_slots_view *slots, positions *out, uint32_t *place, bool *silent) {
    *out = (positions){.list = {.length = slots->first[slots->n]}};
    assert_true(out->list.length < MANY);
    for (unsigned slot = 0; slot <= slots->n; slot++) place[slot] = slots->first[slot];
    for (unsigned slot = 0; slot < slots->n; slot++)
        for (uint32_t unit = place[slot]; unit < place[slot + 1]; unit++) {
            const uint32_t column = pfi_rows_column(rows, slots->arc[unit].out);
            out->has[column][unit] = true;
            out->slot[unit] = (uint16_t)slot;
            silent[unit] = !pfi_rows_length(rows, 0, column);
        }
    list_columns(rows, out);
    out->moves = (pf_moves){.n = slots->n, .follows = out->follows};
    for (unsigned last = 0; last <= slots->n; last++)
        for (unsigned next = 0; next < slots->n; next++)
            if (next != last && dice(4)) pf_cover_put(&out->follows[last], next);
    out->list.moves = &out->moves;
    out->list.slot = out->slot;
}

/* A sentence whose silent units are told apart. */
typedef struct {
    pfi_listings *listings;
    pfi_said said;
} told_apart;

static uint32_t class_of_row(const pfi_rows *rows, const told_apart *units, uint32_t row) {
    return pfi_said_in(&units->said, pfi_listings_history(units->listings, pfi_rows_state(rows, 0, row)));
}

/* A unit leads to the classes of the rows that are formed at it, and to no others. Each class is said by one of its units. */
static void expect_classes(const pfi_rows *rows, const positions *places, const told_apart *units, const bool *formed) {
    const pfi_said *said = &units->said;
    const unsigned length = places->list.length;
    uint64_t leads_to[MANY + 1] = {0};
    bool said_there[ROOM / 2] = {0}; /* of each row: does a unit of its class lead to it? */
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned unit = 0; unit <= length; unit++) {
            if (!formed[row * (length + 1) + unit]) continue;
            const uint32_t class = class_of_row(rows, units, row);
            pf_cover_put(&leads_to[unit], class);
            said_there[row] |= class == (unit < length ? said->of_unit[unit] : said->classes - 1);
        }
    assert_int_equal(said->words, 1);
    for (unsigned unit = 0; unit <= length; unit++) assert_int_equal(said->leads_to[unit], leads_to[unit]);
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned unit = 0; unit <= length; unit++) assert_true(said_there[row] || !formed[row * (length + 1) + unit]);
}

/* After a class comes what comes after the rows of that class: a lower bound, or the very least where the model is sound. */
static void expect_after_classes(const pfi_rows *rows, const positions *places, const told_apart *units, const bool *formed,
                                 const double *after, bool exact) {
    const unsigned length = places->list.length, classes = units->said.classes;
    const size_t width = rows->width + (size_t)1;
    double *least = malloc(classes * width * sizeof *least);
    assert_non_null(least);
    for (size_t i = 0; i < classes * width; i++) least[i] = (double)INFINITY;
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned unit = 0; unit <= length; unit++)
            if (formed[row * (length + 1) + unit])
                take_row(rows, row, NULL, &least[class_of_row(rows, units, row) * width]);
    for (uint32_t class = 0; class < classes; class++)
        for (size_t column = 0; column < width; column++) {
            const uint32_t row = pfi_listings_row(units->listings)[length + 1 + class];
            const double mine = after[row * width + column_of(units->listings, column)], other = least[class * width + column];
            if (column == rows->words || mine == other) continue;
            assert_true(mine <= other + 1e-9);
            assert_true(!exact || mine >= other - 1e-5);
        }
    free(least);
}

/* Copies stand by position and unit, one for each class of a silent unit. */
static void expect_copies(const pfi_said *said, unsigned slots, const uint32_t *place, const bool *silent) {
    uint32_t copy = 0;
    for (unsigned slot = 0; slot < slots; slot++) {
        assert_int_equal(said->place[slot], copy);
        for (uint32_t unit = place[slot]; unit < place[slot + 1]; unit++) {
            assert_int_equal(said->first[unit], copy);
            assert_int_equal(said->of_unit[unit], silent[unit] ? PFI_SILENT : slot);
            for (uint32_t class = 0; class < (silent[unit] ? said->classes : 1); class++, copy++) {
                assert_int_equal(said->unit[copy], unit);
                assert_int_equal(said->of_copy[copy], silent[unit] ? class : PFI_SILENT);
            }
        }
    }
    assert_int_equal(said->copies, copy);
    assert_int_equal(said->place[slots], copy);
}

/* What is said after units is the same as without classes; after silent ones, it is asked of classes. */
static void expect_as_alone(const told_apart *units, pfi_listings *alone, const pfi_rows *rows, const double *least) {
    const size_t width = rows->width + (size_t)1;
    double *other = least_of(alone, rows, NULL);
    for (uint32_t unit = 0; unit <= units->said.units; unit++) {
        const uint32_t row = pfi_listings_row(units->listings)[unit];
        const bool silent = unit < units->said.units && units->said.of_unit[unit] == PFI_SILENT;
        assert_true((row == PFI_NO_ROW_OF_COSTS) == silent);
        if (!silent) assert_memory_equal(&least[row * width], &other[pfi_listings_row(alone)[unit] * width], width * sizeof *least);
    }
    free(other);
}

static void compare_said(pfi_rows *rows, const pf_slots_view *slots, bool exact, unsigned *found) {
    positions places;
    told_apart units;
    uint32_t place[MANY];
    bool silent[MANY];
    list_units(rows, slots, &places, place, silent);
    SUCCEED(pfi_said_init(&units.said, slots->n, place, silent, 1000));
    expect_copies(&units.said, slots->n, place, silent);
    if (units.said.classes) {
        pfi_listings *alone;
        SUCCEED(pfi_listings_new(rows, &places.list, &units.said, &units.listings));
        SUCCEED(pfi_listings_new(rows, &places.list, NULL, &alone));
        assert_true(units.listings && alone);
        double *least = least_of(units.listings, rows, NULL);
        bool *formed = form_rows(rows, &places);
        expect_as_alone(&units, alone, rows, least);
        expect_classes(rows, &places, &units, formed);
        expect_after_classes(rows, &places, &units, formed, least, exact);
        (*found)++;
        free(least);
        free(formed);
        pfi_listings_free(units.listings);
        pfi_listings_free(alone);
    }
    pfi_said_free(&units.said);
}

/* ---- potentials of units ---- */

/* A copy of a unit, where it comes after a hypothesis with this history. */
static uint32_t copy_after(const pfi_levels *all, uint32_t unit, uint32_t row) {
    const pfi_said *said = &all->bound.said;
    const bool silent = said->classes && said->of_unit[unit] == PFI_SILENT;
    return said->first[unit] + (silent ? all->bound.said_in.at[row] : 0);
}

/* What comes after a hypothesis costs at least, in all orders and readings. No completion says more of a step. */
static double least_rest(pfi_levels *all, uint32_t state, uint32_t row) {
    const pf_moves *moves = all->moves;
    double least = (double)INFINITY, end;
    SUCCEED(pfi_rows_fill(&all->rows, row)); /* also of words that cannot come next in the space */
    if (state + 1 == moves->states) {
        SUCCEED(pfi_rows_end(&all->rows, row, &end));
        return end + pf_scaled(all->rows.parts.own, (double)all->slots.final);
    }
    for (uint32_t move = moves->first[state]; move < moves->first[state + 1]; move++)
        for (uint32_t unit = all->slots.first[moves->position[move]]; unit < all->slots.first[moves->position[move] + 1]; unit++) {
            const pf_arc *arc = &all->slots.arc[unit];
            const uint32_t first = all->bound.said.place[moves->position[move]];
            pfi_cell cell;
            SUCCEED(pfi_rows_step(&all->rows, row, pfi_rows_column(&all->rows, arc->out), &cell));
            if (cell.cost == (double)INFINITY) continue;
            SUCCEED(pfi_bound_know(&all->bound, &all->rows));
            const double rest = least_rest(all, moves->to[move], cell.to), own = pf_scaled(all->rows.parts.own, (double)arc->w);
            const double more = all->bound.potential.n ? all->bound.potential.at[cell.to] : 0;
            const float said = pfi_completion_after(&all->completion, move, copy_after(all, unit, row) - first);
            assert_true((double)said + more <= rest + 1e-9);
            least = fmin(least, own + cell.cost + rest);
        }
    return least;
}

/* What is missing in the bound of the start, with potentials of so many rounds. */
static double missing_at_start(pf_fst *machine, pf_moves_store *store, unsigned rounds) {
    const pf_best_options options = {.n = 2, .threshold = (double)INFINITY, .moves = store};
    pfi_levels all;
    SUCCEED(pfi_levels_init(&all, machine, &options));
    assert_true(all.moves && all.bound.known && all.completion.units);
    make_potentials(&all, rounds);
    const double best = least_rest(&all, 0, 0), start = all.completion.start;
    assert_true(!all.bound.potential.n || all.bound.potential.at[0] == 0);
    assert_true(start <= best + 1e-9);
    pfi_levels_free(&all);
    return best < (double)INFINITY ? best - start : 0;
}

/* The bound is one with any potentials, and they close most of what is missing. */
static void potentials_of_units_make_the_bound_better(void **state) {
    static const char *const line[] = {"a b c a", "c a b d", "b a"}, *const constraint[] = {"none", "ibm:1", "local:2"};
    double without = 0, with = 0;
    pf_moves_store *store;
    (void)state;
    SUCCEED(pf_moves_store_new(1 << 20, &store));
    for (unsigned round = 0; round < 20; round++) {
        pf_model ngram, tuples, target;
        pf_scorer scorer, bonus;
        seed = 301 + round;
        random_model(tuple_words, sizeof tuple_words / sizeof *tuple_words, false, &ngram);
        SUCCEED(pf_tuplemodel_new(&ngram, &(pf_tuple_options){3.25, 0}, &tuples));
        random_model(target_words, sizeof target_words / sizeof *target_words, false, &target);
        SUCCEED(pf_scorer_of(&target, &scorer));
        SUCCEED(pf_scorer_of(&target, &bonus));
        for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
            pf_fst *linear = sentence(line[i], (unsigned)(strlen(line[i]) + 1) / 2, false), *perm;
            pf_fst *spelt, *scored, *more, *machine;
            const pf_units *units;
            SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = &constraint[round % 3], .n_con = 1}, &perm));
            SUCCEED(pf_spell_tuples(perm, &tuples, (double[]){1, 1}, &spelt));
            SUCCEED(pf_spell_score(spelt, 1, &(pf_scored_by){&scorer, i == 1 ? 0.5 : 1}, &scored));
            SUCCEED(pf_spell_score(scored, 1, &(pf_scored_by){&bonus, -0.25}, &more)); /* this one has no listings */
            assert_true(pf_spell_parts(round % 2 ? more : scored, &machine, &units));
            without += missing_at_start(machine, store, 0);
            with += missing_at_start(machine, store, 24);
            pf_fst_free(more);
            pf_fst_free(scored);
            pf_fst_free(spelt);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
        pf_scorer_end(&bonus);
        pf_scorer_end(&scorer);
        pf_model_free(&tuples);
        pf_model_free(&target);
    }
    assert_true(with < without / 2);
    pf_moves_store_free(store);
}

/* A tuple model and a target model, each by itself, on the units of a sentence. Of several target words that a unit says, later
 * ones may cost less after a shorter history, also where the model is sound. */
static void compare_both(const char *const *words, unsigned count, bool sound, double scale, comparison *found) {
    static const char *const line[] = {"a b c", "c a b a", "b", "a d b"};
    pf_model ngram, tuples, target;
    pf_scorer scorer;
    random_model(words, count, sound, &ngram);
    SUCCEED(pf_tuplemodel_new(&ngram, &(pf_tuple_options){3.25, 0}, &tuples));
    random_model(target_words, sizeof target_words / sizeof *target_words, sound, &target);
    SUCCEED(pf_scorer_of(&target, &scorer));
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        const unsigned n = (unsigned)(strlen(line[i]) + 1) / 2;
        pf_fst *linear = sentence(line[i], n, false), *perm = permute(linear, &spaces[0]), *spelt, *scored, *machine;
        const pf_units *units;
        pf_slots_view slots;
        pfi_rows all, rows;
        SUCCEED(pf_spell_tuples(perm, &tuples, (double[]){1, scale}, &spelt));
        SUCCEED(pf_spell_score(spelt, 1, &(pf_scored_by){&scorer, scale}, &scored));
        assert_true(pf_spell_parts(scored, &machine, &units));
        SUCCEED(pfi_rows_init(&all, machine));
        all.parts.fst->op->slots(all.parts.fst->self, &slots);
        for (size_t which = 0; which < all.parts.n; which++) {
            SUCCEED(pfi_rows_init_one(&rows, &all, which));
            for (unsigned follows = 0; follows < 2 && pfi_listings_possible(&rows); follows++)
                compare(&rows, &slots, sound && !which, follows, found);
            if (pfi_listings_possible(&rows)) compare_said(&rows, &slots, sound && !which, &found->told_apart);
            pfi_rows_free(&rows);
        }
        pfi_rows_free(&all);
        pf_fst_free(scored);
        pf_fst_free(spelt);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
    pf_scorer_end(&scorer);
    pf_model_free(&tuples);
    pf_model_free(&target);
}

#define COUNT(array) (unsigned)(sizeof(array) / sizeof *(array))

static void sound_models_reach_the_least(void **state) {
    comparison found = {0};
    (void)state;
    for (seed = 1; seed < 13;) {
        const uint64_t next = seed + 1;
        compare_both(tuple_words, COUNT(tuple_words), true, 0.75, &found);
        seed = next + 100;
        compare_both(harder_words, COUNT(harder_words), true, 1, &found);
        seed = next;
    }
    assert_true(found.places > 10000 && found.lower < found.places / 50);
    assert_true(found.told_apart > 40);
}

static void other_models_have_a_lower_bound(void **state) {
    comparison found = {0};
    (void)state;
    for (seed = 201; seed < 213;) {
        const uint64_t next = seed + 1;
        compare_both(tuple_words, COUNT(tuple_words), false, 2, &found);
        seed = next + 100;
        compare_both(harder_words, COUNT(harder_words), false, 0, &found);
        seed = next;
    }
    assert_true(found.lower && found.lower < found.places / 4);
}

/* Where larger costs become smaller ones the least back-off is no bound. */
static void a_negative_scale_is_left_to_the_rows(void **state) {
    comparison found = {0};
    (void)state;
    seed = 5;
    compare_both(tuple_words, COUNT(tuple_words), true, -1, &found);
    assert_int_equal(found.places, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_models_reach_the_least),
        cmocka_unit_test(other_models_have_a_lower_bound),
        cmocka_unit_test(a_negative_scale_is_left_to_the_rows),
        cmocka_unit_test(rows_have_all_sources),
        cmocka_unit_test(potentials_of_units_make_the_bound_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
