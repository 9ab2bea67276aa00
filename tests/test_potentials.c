/* Potentials of histories: with them the bounds of long sentences are much closer, and searches find the same paths and claim what
 * is true. The loop in vectors: against the plain one. */
#include "search/least_sums.h"
#include "search/levels.h"
#include "draw.h"
#include "paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "potentials.h"

#define SUCCEED(call) assert_int_equal(call, PF_OK)

static const double SLACK = 1e-4;

static uint64_t seed;
static pf_moves_store *store;

static unsigned dice(unsigned sides) { return draw(&seed, sides); }

/* ---- sums ---- */

/* Thirds of halves, which are rounded; some are INFINITY. */
static void fill_costs(float *cost, size_t count) {
    for (size_t i = 0; i < count; i++) cost[i] = dice(8) ? (0.5f * (float)dice(128) - 32) / 3 : INFINITY;
}

/* What is least, by its definition; what is rounded is so in one way. */
static void expect_least(const pfi_summands *summands, size_t width, const float *got) {
    for (size_t k = 0; k < width; k++) {
        float least = INFINITY;
        for (size_t row = 0; row < summands->rows; row++)
            least = fminf(least, summands->row[row * summands->stride + k] + summands->added[row]);
        assert_true(got[k] == least);
    }
}

/* Nothing is written beside the places that were asked for, and rows may begin anywhere. */
static void sums_are_those_of_the_plain_loop(void **state) {
    enum { MOST_ROWS = 24, MOST_WIDTH = 12 * PFI_CHUNK, AROUND = 2 * PFI_CHUNK, PLACES = MOST_WIDTH + 2 * AROUND };
    static float cost[MOST_ROWS * (MOST_WIDTH + AROUND)], added[MOST_ROWS], got[PLACES], want[PLACES];
    (void)state;
    seed = 1;
    for (unsigned k = 0; k < 2000; k++) {
        const size_t width = PFI_CHUNK * (size_t)dice(MOST_WIDTH / PFI_CHUNK + 1), stride = width + dice(AROUND);
        const size_t to = AROUND + dice(PFI_CHUNK);
        const pfi_summands summands = {&cost[dice(AROUND)], stride, added, dice(MOST_ROWS)};
        fill_costs(cost, sizeof cost / sizeof *cost);
        fill_costs(added, MOST_ROWS);
        fill_costs(got, PLACES);
        memcpy(want, got, sizeof want);
        pfi_least_sums(&summands, width, &got[to]);
        pfi_least_sums_plain(&summands, width, &want[to]);
        assert_memory_equal(got, want, sizeof want);
        expect_least(&summands, width, &got[to]);
        fill_costs(got, to);
        memcpy(want, got, to * sizeof *got);
        pfi_least_sums(&summands, width, &got[to]);
        assert_memory_equal(got, want, sizeof want);
    }
}

/* ---- machines ---- */

enum { SHORTEST = 20, LONGEST = 23 }; /* shorter sentences are searched without potentials */

/* Those with few moves are searched without. */
static const space narrow_spaces[] = {
    {{"local:5"}, NULL},        {{"ibm:3"}, NULL},          {{"inverse-ibm:3"}, NULL}, {{"local:6"}, "jumps:.5"},
    {{"ibm:3"}, "distance:.5"}, {{"ibm:3", "local:6"}, NULL}, {{"ibm:2|local:5"}, NULL}, {{"ibm:3", "itg"}, NULL},
    {{"mj:4"}, NULL},           {{"displacement:3"}, NULL},
};
enum { NARROW_SPACES = sizeof narrow_spaces / sizeof *narrow_spaces };

/* A sentence in a space, and the same scored: by one model, or by that one and another one, of scale 0, which only keeps costs from
 * having potentials. */
typedef struct {
    pf_fst *linear, *perm, *one, *plain;
} machine;

static machine score(pf_fst *linear, const space *where, const pf_model *by) {
    const pf_scored scored[] = {{by, 1}, {by, 0}};
    machine made = {.linear = linear, .perm = permute(linear, where)};
    SUCCEED(pf_score_all(made.perm, 1, scored, 1, &made.one));
    SUCCEED(pf_score_all(made.perm, 1, scored, 2, &made.plain));
    return made;
}

static void unmake(machine *made) {
    pf_fst_free(made->plain);
    pf_fst_free(made->one);
    pf_fst_free(made->perm);
    pf_fst_free(made->linear);
}

static pf_label add_word(pf_symtab *words, const char *word) {
    pf_label label;
    SUCCEED(pf_symtab_add(words, word, strlen(word), &label));
    return label;
}

/* A sentence of some of the words; with `alternatives` each third position has two, which may cost something themselves. */
static pf_fst *sentence_of(const char *const *word, unsigned count, unsigned n, bool alternatives) {
    pf_build build = {0};
    pf_symtab *words;
    SUCCEED(pf_symtab_new("words", &words));
    SUCCEED(pf_build_state(&build, n));
    for (unsigned j = 0; j < n; j++) {
        const unsigned one = dice(count), other = (one + 1 + dice(count - 1)) % count;
        const pf_label label = add_word(words, word[one]), second = add_word(words, word[other]);
        SUCCEED(pf_build_arc(&build, j, label, label, 0, j + 1));
        if (alternatives && j % 3 == 1) SUCCEED(pf_build_arc(&build, j, second, second, 0.25f * (float)dice(8), j + 1));
    }
    return finish_sentence(&build, n, 0.125f, words);
}

/* Words that the model of the tests knows, and one that it does not. */
static const char *const common[] = {
    ".", "?", "the", "in", "at", "on", "i", "is", "to", "a", "for", "you", "this", "that", "by", "we", "have", "of",
    "yet", "would", "will", "very", "two", "take", "all", "me", "do", "with", "my", "it", "are", "was", "train",
    "hotel", "week", "last", "not", "there", "qqqq", "because",
};

static pf_fst *random_sentence(unsigned n, bool alternatives) {
    return sentence_of(common, sizeof common / sizeof *common, n, alternatives);
}

/* Round `round` of the tests: each space in turn. */
static machine make(unsigned round, unsigned n, bool alternatives) {
    return score(random_sentence(n, alternatives), &narrow_spaces[round % NARROW_SPACES], &model);
}

static unsigned some_length(void) { return SHORTEST + dice(LONGEST - SHORTEST + 1); }

/* ---- a model in which a history may be three words long ---- */

enum { LETTERS = 8, PAIRS = LETTERS * LETTERS, TRIPLES = PAIRS * LETTERS, FOURS = TRIPLES * LETTERS, LINE = 32 };
static const char *const letter[LETTERS] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* Lists, of the `count` n-grams whose first n-1 letters and last n-1 letters are listed, one in so many. They cost little, and to
 * back off costs more; the longest have no back-off weight. Returns what was written. */
static int list_grams(char *text, unsigned n, unsigned count, unsigned one_in, const bool *shorter, bool *listed) {
    int length = sprintf(text, "\n\\%u-grams:\n", n);
    for (unsigned gram = 0; gram < count; gram++) {
        listed[gram] = shorter[gram / LETTERS] && shorter[gram % (count / LETTERS)] && !dice(one_in);
        if (!listed[gram]) continue;
        length += sprintf(text + length, "-0.%02u\t", dice(100));
        for (unsigned place = count / LETTERS; place; place /= LETTERS)
            length += sprintf(text + length, "%s%s", letter[gram / place % LETTERS], place > 1 ? " " : "");
        length += count < FOURS ? sprintf(text + length, "\t-%u.%u\n", dice(2), dice(10)) : sprintf(text + length, "\n");
    }
    return length;
}

static unsigned count_listed(const bool *listed, unsigned count) {
    unsigned all = 0;
    for (unsigned gram = 0; gram < count; gram++) all += listed[gram];
    return all;
}

/* After the same two words there may be histories of one word, of two and of three, unless all are listed. */
static void random_fourgrams(unsigned one_in, pf_model *out) {
    static char text[2 * FOURS * LINE], grams[FOURS * LINE];
    static bool one[LETTERS], two[PAIRS], three[TRIPLES], four[FOURS];
    pf_reader *reader;
    int length = 0;
    for (unsigned i = 0; i < LETTERS; i++) one[i] = true;
    length += list_grams(grams + length, 2, PAIRS, one_in, one, two);
    length += list_grams(grams + length, 3, TRIPLES, one_in, two, three);
    list_grams(grams + length, 4, FOURS, one_in, three, four);
    length = sprintf(text, "\\data\\\nngram 1=%d\nngram 2=%u\nngram 3=%u\nngram 4=%u\n", LETTERS + 2, count_listed(two, PAIRS),
                     count_listed(three, TRIPLES), count_listed(four, FOURS));
    length += sprintf(text + length, "\n\\1-grams:\n-99\t<s>\t0\n-1\t</s>\n");
    for (unsigned i = 0; i < LETTERS; i++)
        length += sprintf(text + length, "-%u.%u\t%s\t-0.%u\n", 1 + dice(2), dice(10), letter[i], dice(10));
    length += sprintf(text + length, "%s\n\\end\\\n", grams);
    SUCCEED(pf_reader_memory(text, (size_t)length, "fourgrams", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, out));
    pf_reader_free(reader);
}

static pf_fst *sentence_of_letters(unsigned n) { return sentence_of(letter, LETTERS, n, false); }

/* ---- searches ---- */

static void expect_same_paths(const pf_answer *want, const pf_answer *got) {
    assert_true(pf_answer_optimal(want) && pf_answer_optimal(got));
    assert_true(want->paths.n && want->paths.n == got->paths.n);
    for (size_t i = 0; i < got->paths.n; i++) {
        const pf_path *one = &want->paths.at[i], *other = &got->paths.at[i];
        assert_true(one->cost == other->cost && one->n == other->n);
        for (size_t k = 0; k < one->n; k++) assert_true(one->arc[k].in == other->arc[k].in && one->arc[k].out == other->arc[k].out);
    }
}

/* The same answer as without the table of moves, where there are no potentials. Returns the least cost. */
static double expect_answer(pf_fst *fst, pf_best_options options) {
    pf_answer want, got;
    options.moves = store;
    SUCCEED(pf_best(fst, &options, &got));
    options.moves = NULL;
    SUCCEED(pf_best(fst, &options, &want));
    expect_same_paths(&want, &got);
    const double cost = got.paths.at[0].cost;
    pf_answer_free(&want);
    pf_answer_free(&got);
    return cost;
}

/* At no level is more proven than the best path costs: something that was not extended is on it. */
static void expect_levels(const pf_answer *answer, double cost) {
    assert_true(answer->profile.n > 0);
    for (size_t i = 0; i < answer->profile.n; i++) assert_true(answer->profile.at[i].bound <= cost);
}

/* What a search that may be pruned claims of the best path. */
static void expect_claim(pf_fst *fst, double cost, pf_best_options options) {
    pf_answer got;
    options.moves = store;
    options.profile = true;
    SUCCEED(pf_best(fst, &options, &got));
    assert_int_equal(got.paths.n, 1);
    expect_levels(&got, cost);
    assert_true(got.paths.at[0].cost >= cost);
    assert_true(got.paths.at[0].cost - cost <= pf_answer_gap(&got));
    if (pf_answer_optimal(&got)) assert_true(got.paths.at[0].cost == cost);
    if (options.widen) assert_true(pf_answer_gap(&got) <= options.gap);
    pf_answer_free(&got);
}

/* Paths up to a cost: as many as without the table. */
static void expect_lattice(pf_fst *fst) {
    pf_answer want, got;
    SUCCEED(pf_best(fst, &(pf_best_options){.lattice = true, .threshold = 0.25, .moves = store}, &got));
    SUCCEED(pf_best(fst, &(pf_best_options){.lattice = true, .threshold = 0.25}, &want));
    paths all = all_paths(got.lattice, INFINITY), other = all_paths(want.lattice, INFINITY);
    assert_int_equal(all.at.n, other.at.n);
    for (size_t i = 0; i < all.at.n; i++) assert_true(all.at.at[i].cost == other.at.at[i].cost);
    PF_VEC_FREE(&all.at);
    PF_VEC_FREE(&other.at);
    pf_answer_free(&want);
    pf_answer_free(&got);
}

static void expect_searches(const machine *made) {
    pf_answer astar;
    SUCCEED(pf_best(made->one, &(pf_best_options){.n = 1, .search = PF_SEARCH_ASTAR}, &astar));
    const double cost = expect_answer(made->one, (pf_best_options){.n = 1});
    assert_true(astar.paths.n == 1 && astar.paths.at[0].cost == cost);
    assert_true(expect_answer(made->one, (pf_best_options){.n = 20}) == cost);
    expect_answer(made->one, (pf_best_options){.n = 3, .unique = PF_UNIQUE_OUTPUTS});
    expect_lattice(made->one);
    expect_claim(made->one, cost, (pf_best_options){.n = 1});
    for (size_t beam = 1; beam <= 64; beam *= 8) expect_claim(made->one, cost, (pf_best_options){.n = 1, .beam = beam});
    expect_claim(made->one, cost, (pf_best_options){.n = 1, .threshold = 0.5});
    expect_claim(made->one, cost, (pf_best_options){.n = 1, .widen = true, .gap = 0.5});
    pf_answer_free(&astar);
}

static void searches_find_the_same_paths(void **state) {
    (void)state;
    for (unsigned round = 0; round < 2 * NARROW_SPACES; round++) {
        seed = 100 + round;
        machine made = make(round, some_length(), round % 3 == 0);
        expect_searches(&made);
        unmake(&made);
    }
}

static void searches_with_long_histories_find_the_same_paths(void **state) {
    (void)state;
    for (unsigned round = 0; round < NARROW_SPACES; round++) {
        pf_model fourgrams;
        seed = 200 + round;
        random_fourgrams(2, &fourgrams);
        machine made = score(sentence_of_letters(some_length()), &narrow_spaces[round], &fourgrams);
        expect_searches(&made);
        unmake(&made);
        pf_model_free(&fourgrams);
    }
}

/* ---- bounds ---- */

/* By how much less than the best path a search knows its start to cost: with potentials, and without. */
typedef struct {
    double with, without;
} missing;

/* What a search knows at its start. *potentials: one is not 0. */
static double bound_at_start(pf_fst *fst, bool always, bool *potentials) {
    const pf_best_options options = {.n = 1, .threshold = (double)INFINITY, .moves = store};
    pfi_levels all;
    *potentials = false;
    SUCCEED(pfi_levels_init(&all, fst, &options));
    assert_true(all.moves && all.bound.known);
    if (always) make_potentials(&all, 16);
    for (size_t row = 0; row < all.bound.potential.n; row++) *potentials = *potentials || all.bound.potential.at[row] != 0;
    const double start = all.completion.start;
    pfi_levels_free(&all);
    return start;
}

static missing missing_in(const machine *made) {
    bool with, without;
    pf_answer best;
    SUCCEED(pf_best(made->one, &(pf_best_options){.n = 1, .moves = store}, &best));
    const double cost = best.paths.at[0].cost;
    const missing found = {cost - bound_at_start(made->one, true, &with), cost - bound_at_start(made->plain, true, &without)};
    pf_answer_free(&best);
    assert_true(with && !without);
    assert_true(found.with >= -SLACK && found.without >= -SLACK);
    return found;
}

static void add_missing(const machine *made, missing *sum) {
    const missing one = missing_in(made);
    sum->with += one.with;
    sum->without += one.without;
}

/* In long sentences less than half is missing of what is without potentials. */
static void bounds_of_long_sentences_are_closer(void **state) {
    missing sum = {0, 0};
    (void)state;
    for (unsigned round = 0; round < 4 * NARROW_SPACES; round++) {
        seed = 300 + round;
        machine made = make(round, some_length(), round % 4 == 0);
        add_missing(&made, &sum);
        unmake(&made);
    }
    assert_true(sum.without > 100 && sum.with <= sum.without / 2);
}

/* Where a word leads to several rows after one position, less is gained. */
static void bounds_of_long_histories_are_closer(void **state) {
    missing sum = {0, 0};
    (void)state;
    for (unsigned round = 0; round < 2 * NARROW_SPACES; round++) {
        pf_model fourgrams;
        seed = 400 + round;
        random_fourgrams(2, &fourgrams);
        machine made = score(sentence_of_letters(some_length()), &narrow_spaces[round % NARROW_SPACES], &fourgrams);
        add_missing(&made, &sum);
        unmake(&made);
        pf_model_free(&fourgrams);
    }
    assert_true(sum.without > 100 && sum.with <= 0.8 * sum.without);
}

/* Does a search use them? */
static bool search_has_potentials(const space *where, unsigned n) {
    bool with;
    seed = 500 + n;
    machine made = score(random_sentence(n, false), where, &model);
    bound_at_start(made.one, false, &with);
    unmake(&made);
    return with;
}

/* Where sentences are short, or moves are few, they would take more time than they save. */
static void searches_have_potentials_where_they_pay(void **state) {
    static const space few = {{"local:3"}, NULL};
    (void)state;
    for (unsigned round = 0; round < NARROW_SPACES; round++) {
        assert_true(search_has_potentials(&narrow_spaces[round], LONGEST));
        assert_true(!search_has_potentials(&narrow_spaces[round], SHORTEST - 1));
    }
    assert_true(!search_has_potentials(&few, LONGEST));
}

static bool has_potentials(unsigned n, const pf_model *by) {
    static const space where = {{"ibm:2"}, NULL};
    bool with;
    seed = 600 + n;
    machine made = score(sentence_of_letters(n), &where, by);
    bound_at_start(made.one, true, &with);
    unmake(&made);
    return with;
}

/* Steps take no longer than searches: there are none for too many words, or too many histories of them. */
static void too_much_has_no_potential(void **state) {
    enum { MOST_WORDS = 512 };
    pf_model some, all;
    (void)state;
    seed = 600;
    random_fourgrams(2, &some);
    random_fourgrams(1, &all);
    assert_true(has_potentials(LONGEST, &some) && has_potentials(LONGEST, &all));
    assert_true(has_potentials(MOST_WORDS, &some) && !has_potentials(MOST_WORDS + 1, &some));
    assert_true(!has_potentials(MOST_WORDS, &all));
    pf_model_free(&some);
    pf_model_free(&all);
}

static int begin(void **state) {
    SUCCEED(pf_moves_store_new(1 << 24, &store));
    return read_model(state);
}

static int end(void **state) {
    pf_moves_store_free(store);
    return free_model(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_plain_loop),
        cmocka_unit_test(searches_find_the_same_paths),
        cmocka_unit_test(searches_with_long_histories_find_the_same_paths),
        cmocka_unit_test(bounds_of_long_sentences_are_closer),
        cmocka_unit_test(bounds_of_long_histories_are_closer),
        cmocka_unit_test(searches_have_potentials_where_they_pay),
        cmocka_unit_test(too_much_has_no_potential),
    };
    return cmocka_run_group_tests_name("potentials", tests, begin, end);
}
