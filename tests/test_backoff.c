/* What back-off models say as differences from shorter histories: against rows, which say it word by word. */
#include "search/backoff.h"
#include "draw.h"
#include "paths.h"

#include <permfst/model/tuplemodel.h>
#include <permfst/ops/spell.h>
#include <permfst/ops/units.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUCCEED(call) assert_int_equal(call, PF_OK)

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

static double chance(void) { return -(double)dice(3000) / 1000; }

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
    for (unsigned i = 0; i < n; i++) text += sprintf(text, "%.6f\t%s\t%.6f\n", listed->one[i], listed->word[i], listed->back[i]);
    text += sprintf(text, "\n\\2-grams:\n");
    for (unsigned i = 0; i < n * n; i++)
        if (listed->two[i / n][i % n] < 1)
            text += sprintf(text, "%.6f\t%s %s\t%.6f\n", listed->two[i / n][i % n], listed->word[i / n], listed->word[i % n],
                            listed->pair_back[i / n][i % n]);
    text += sprintf(text, "\n\\3-grams:\n");
    for (unsigned i = 0; i < n * n * n; i++)
        if (listed->three[i / n / n][i / n % n][i % n] < 1)
            text += sprintf(text, "%.6f\t%s %s %s\n", listed->three[i / n / n][i / n % n][i % n], listed->word[i / n / n],
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

/* The cost of one of the labels, by going down from a state to one that knows it. */
static double by_known(pf_scorer *scorer, pf_state state, const pf_label_set *labels, unsigned wanted, pf_state *to) {
    uint32_t which[MANY];
    double cost[MANY];
    pf_state leads[MANY];
    for (double back = 0;;) {
        pf_known_words known = {.which = which, .cost = cost, .to = leads};
        scorer->cls->known(scorer, state, labels, &known);
        assert_true(known.n <= labels->n && (known.lower != state || known.n == labels->n));
        for (unsigned i = 0; i < known.n; i++) {
            assert_true(which[i] < labels->n && (!i || which[i - 1] < which[i]));
            if (which[i] != wanted) continue;
            *to = leads[i];
            if (leads[i] == PF_NO_STATE) by_known(scorer, known.lower, labels, wanted, to);
            return back + cost[i];
        }
        back += known.back;
        state = known.lower;
    }
}

static void expect_row(pf_scorer *scorer, pf_state state, const pf_label_set *labels) {
    double cost[MANY];
    pf_state to[MANY], next;
    scorer->cls->row(scorer, state, labels, cost, to);
    for (unsigned i = 0; i < labels->n; i++) {
        const double other = by_known(scorer, state, labels, i, &next);
        assert_true(next == to[i]);
        assert_true(other == cost[i] || fabs(other - cost[i]) < 1e-12);
        assert_true(fabs(scorer->cls->step(scorer, state, labels->at[i], &next) - cost[i]) < 1e-12 || cost[i] == (double)INFINITY);
        assert_true(next == to[i]);
    }
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

/* The least of the rows after each position, by definition: every row that words form which may follow one another. */
static double *least_of_rows(pfi_rows *rows, const positions *places) {
    const size_t width = rows->width + (size_t)1;
    const unsigned length = places->list.length;
    double *after = malloc((length + 1) * width * sizeof *after);
    bool *formed = calloc(ROOM, sizeof *formed);
    assert_true(after && formed);
    for (size_t i = 0; i < (length + 1) * width; i++) after[i] = (double)INFINITY;
    form_after(rows, places, 0, length, formed);
    for (uint32_t row = 0; row < rows->final.n; row++) SUCCEED(pfi_rows_fill(rows, row));
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned last = 0; last <= length; last++) {
            if (!formed[row * (length + 1) + last]) continue;
            for (unsigned column = 0; column < rows->words; column++)
                after[last * width + column] = fmin(after[last * width + column], pfi_rows_cells(rows, row)[column].cost);
            after[last * width + rows->width] = fmin(after[last * width + rows->width], rows->final.at[row]);
        }
    free(formed);
    return after;
}

/* A lower bound, and the very least where no history lists a unit that another one makes cheaper. */
static void compare(pfi_rows *rows, const pf_slots_view *slots, bool exact, bool follows, comparison *found) {
    positions places;
    bool known;
    const size_t width = rows->width + (size_t)1;
    assert_true(pfi_backoff_possible(rows) && rows->width < MANY && slots->n < MANY);
    list_positions(rows, slots, follows, &places);
    double *least = malloc((slots->n + (size_t)1) * width * sizeof *least), *rowwise;
    assert_non_null(least);
    for (size_t i = 0; i < (slots->n + (size_t)1) * width; i++) least[i] = (double)INFINITY;
    SUCCEED(pfi_backoff_least(rows, &places.list, NULL, least, &known));
    assert_true(known);
    assert_true(follows || !rows->cells.n); /* no row was filled */
    rowwise = least_of_rows(rows, &places);
    for (unsigned last = 0; last <= slots->n; last++)
        for (size_t column = 0; column < width; column++) {
            const double mine = least[last * width + column], other = rowwise[last * width + column];
            if (column == rows->words) continue; /* epsilon is no word */
            found->places++;
            if (mine == other) continue;
            assert_true(mine <= other + 1e-9);
            assert_true(!exact || mine >= other - 1e-5); /* costs are floats */
            found->lower += mine < other - 1e-5;
        }
    for (uint32_t row = 0; row < rows->final.n; row++)
        expect_row(rows->parts.by[0].scorer, ((const pf_state *)pf_statetab_key(&rows->states, row, &(size_t){0}))[0],
                   &rows->model[0].labels);
    free(least);
    free(rowwise);
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

static uint32_t class_of_row(const pfi_rows *rows, const pfi_said *said, uint32_t row) {
    return pfi_said_in(said, pfi_rows_state(rows, 0, row));
}

/* A unit leads to the classes of the rows that are formed at it, and to no others. Each class is said by one of its units. */
static void expect_classes(const pfi_rows *rows, const positions *places, const pfi_said *said, const bool *formed) {
    const unsigned length = places->list.length;
    uint64_t leads_to[MANY + 1] = {0};
    bool said_there[ROOM / 2] = {0}; /* of each row: does a unit of its class lead to it? */
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned unit = 0; unit <= length; unit++) {
            if (!formed[row * (length + 1) + unit]) continue;
            const uint32_t class = class_of_row(rows, said, row);
            pf_cover_put(&leads_to[unit], class);
            said_there[row] |= class == (unit < length ? said->of_unit[unit] : said->classes - 1);
        }
    assert_int_equal(said->words, 1);
    for (unsigned unit = 0; unit <= length; unit++) assert_int_equal(said->leads_to[unit], leads_to[unit]);
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned unit = 0; unit <= length; unit++) assert_true(said_there[row] || !formed[row * (length + 1) + unit]);
}

/* After a class comes what comes after the rows of that class: a lower bound, or the very least where the model is sound. */
static void expect_after_classes(const pfi_rows *rows, const positions *places, const pfi_said *said, const bool *formed,
                                 const double *after, bool exact) {
    const unsigned length = places->list.length;
    const size_t width = rows->width + (size_t)1;
    double *least = malloc(said->classes * width * sizeof *least);
    assert_non_null(least);
    for (size_t i = 0; i < said->classes * width; i++) least[i] = (double)INFINITY;
    for (uint32_t row = 0; row < rows->final.n; row++)
        for (unsigned unit = 0; unit <= length; unit++) {
            if (!formed[row * (length + 1) + unit]) continue;
            double *of = &least[class_of_row(rows, said, row) * width];
            for (unsigned column = 0; column < rows->words; column++)
                of[column] = fmin(of[column], pfi_rows_cells(rows, row)[column].cost);
            of[rows->width] = fmin(of[rows->width], rows->final.at[row]);
        }
    for (uint32_t class = 0; class < said->classes; class++)
        for (size_t column = 0; column < width; column++) {
            const double mine = after[(length + 1 + class) * width + column], other = least[class * width + column];
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
            for (uint32_t class = 0; class < (silent[unit] ? slots + 1 : 1); class++, copy++) {
                assert_int_equal(said->unit[copy], unit);
                assert_int_equal(said->of_copy[copy], silent[unit] ? class : PFI_SILENT);
            }
        }
    }
    assert_int_equal(said->copies, copy);
    assert_int_equal(said->place[slots], copy);
}

/* What is said after units is the same as without classes. */
static void compare_said(pfi_rows *rows, const pf_slots_view *slots, bool exact, unsigned *told_apart) {
    positions places;
    pfi_said said;
    uint32_t place[MANY];
    bool silent[MANY], known;
    list_units(rows, slots, &places, place, silent);
    SUCCEED(pfi_said_init(&said, slots->n, place, silent, 1000));
    if (said.classes) {
        const size_t width = rows->width + (size_t)1, units = (places.list.length + (size_t)1) * width;
        const size_t all = units + said.classes * width;
        double *least = malloc(all * sizeof *least), *alone = malloc(units * sizeof *alone);
        bool *formed = calloc(ROOM, sizeof *formed);
        assert_true(least && alone && formed);
        for (size_t i = 0; i < all; i++) least[i] = (double)INFINITY;
        memcpy(alone, least, units * sizeof *alone);
        SUCCEED(pfi_backoff_least(rows, &places.list, &said, least, &known));
        SUCCEED(pfi_backoff_least(rows, &places.list, NULL, alone, &known));
        assert_memory_equal(least, alone, units * sizeof *alone);
        form_after(rows, &places, 0, places.list.length, formed);
        for (uint32_t row = 0; row < rows->final.n; row++) SUCCEED(pfi_rows_fill(rows, row));
        expect_copies(&said, slots->n, place, silent);
        expect_classes(rows, &places, &said, formed);
        expect_after_classes(rows, &places, &said, formed, least, exact);
        (*told_apart)++;
        free(least);
        free(alone);
        free(formed);
    }
    pfi_said_free(&said);
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
            for (unsigned follows = 0; follows < 2 && pfi_backoff_possible(&rows); follows++)
                compare(&rows, &slots, sound && !which, follows, found);
            if (pfi_backoff_possible(&rows)) compare_said(&rows, &slots, sound && !which, &found->told_apart);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
