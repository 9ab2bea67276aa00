/* The bound of routes: against all permutations of short sentences, and the search with it against A*, which does without. The
 * costs after single positions, where moves are known: against all pairs of positions. Loops in vectors: against the plain ones. */
#include "search/bound_impl.h"
#include "search/completion_impl.h"
#include "search/completion_step.h"
#include "search/levels.h"
#include "search/route_step.h"
#include "search/subset_step.h"
#include "draw.h"
#include "paths.h"

#include <permfst/base/cover.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUCCEED(call) assert_int_equal(call, PF_OK)

static const double SLACK = 1e-5;

static uint64_t seed;

static unsigned dice(unsigned sides) { return draw(&seed, sides); }

/* Words of the texts, some of them twice; with `twice` each second position has two alternatives of own costs. */
static pf_fst *random_sentence(unsigned n, bool twice) {
    static const char *const word[] = {"that", "does", "me", "unfortunately", "not", "suit", "at", "the", "day", "man", "qqq",
                                       "have", "i", "already", "another"};
    enum { WORDS = sizeof word / sizeof *word };
    pf_build build = {0};
    pf_symtab *words;
    pf_fst *fst;
    pf_label label[WORDS];
    SUCCEED(pf_symtab_new("words", &words));
    for (size_t i = 0; i < WORDS; i++) SUCCEED(pf_symtab_add(words, word[i], strlen(word[i]), &label[i]));
    SUCCEED(pf_build_state(&build, n));
    for (unsigned j = 0; j < n; j++) {
        const unsigned one = dice(WORDS), other = (one + 1 + dice(WORDS - 1)) % WORDS;
        SUCCEED(pf_build_arc(&build, j, label[one], label[one], 0, j + 1));
        if (twice && j % 2) SUCCEED(pf_build_arc(&build, j, label[other], label[other], 0.25f * (float)dice(8) - 0.5f, j + 1));
    }
    SUCCEED(pf_build_final(&build, n, 0.125f));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

typedef struct {
    pf_fst *linear, *perm, *one, *scored;
} machine;

/* A sentence in a space, scored by the model, or twice by it; in free order. */
static machine make_in(const space *where, unsigned n, bool twice, bool both) {
    machine made = {.linear = random_sentence(n, twice)};
    made.perm = permute(made.linear, where);
    made.one = with_model(made.perm);
    if (both) made.scored = with_model(made.one);
    return made;
}

static machine make(unsigned n, bool twice, bool both) {
    static const space free_order = {{"none"}, NULL};
    return make_in(&free_order, n, twice, both);
}

static pf_fst *searched(const machine *made) { return made->scored ? made->scored : made->one; }

static void unmake(machine *made) {
    pf_fst_free(made->scored);
    pf_fst_free(made->one);
    pf_fst_free(made->perm);
    pf_fst_free(made->linear);
}

/* The weight of the arc with these labels; *state goes on to where it leads. */
static double follow(pf_fst *fst, pf_state *state, pf_label in, pf_label out) {
    const pf_arcs arcs = pf_fst_arcs(fst, *state);
    for (uint32_t i = 0; i < arcs.n; i++)
        if (arcs.arc[i].in == in && arcs.arc[i].out == out) {
            *state = arcs.arc[i].to;
            return (double)arcs.arc[i].w;
        }
    fail();
    return 0;
}

/* After each step of a permutation: what the routes say of the rest, at most what it costs. */
static void expect_below(pf_fst *fst, const pfi_routes *routes, const path *one) {
    double so_far = 0, prices = routes->prices;
    unsigned open = routes->sets - 1;
    pf_state state = fst->start;
    assert_true(routes->start <= one->cost + SLACK);
    for (unsigned visits = 1; visits <= one->n; visits++) {
        const unsigned last = (unsigned)one->in[visits - 1] - 1, before = visits > 1 ? (unsigned)one->in[visits - 2] - 1 : 0;
        so_far += follow(fst, &state, one->in[visits - 1], one->out[visits - 1]);
        prices -= (double)routes->price[last];
        open = pfi_routes_visit(routes, open, last);
        const double rest = prices + (double)pfi_routes_after(routes, open, visits, last)[before];
        assert_true(so_far + rest <= one->cost + SLACK);
        assert_true(prices + (double)pfi_routes_least(routes, open, visits, last) <= rest);
    }
}

/* ---- spaces ---- */

static const space narrow_spaces[] = {
    {{"ibm:2"}, NULL},         {{"ibm:3"}, NULL},           {{"ibm:4"}, "jumps:1"},        {{"inverse-ibm:3"}, NULL},
    {{"local:3"}, NULL},       {{"local:4"}, "distance:.5"}, {{"inverse-local:3"}, NULL},  {{"mj:2"}, "jumps:.25*2"},
    {{"displacement:2"}, NULL}, {{"distortion:3"}, "distance:1"}, {{"ibm:3", "itg"}, NULL}, {{"itg"}, "inversions:.5"},
    {{"none"}, "jumps:.5"},    {{"none"}, "inversions:.25"}, {{"ibm:2|local:4"}, NULL},    {{"ibm:4-ibm:2"}, NULL},
    {{"wall:3"}, NULL},        {{"unit:2,3", "ibm:3"}, NULL}, {{"none-itg"}, NULL},        {{"jump:3"}, "jumps:.125"},
    {{"ibm:1"}, NULL},
};
enum { NARROW_SPACES = sizeof narrow_spaces / sizeof *narrow_spaces };

/* ---- tests ---- */

/* No permutation costs less than the routes say, at any step. At the start the bound is close: much closer than with no prices. */
static void routes_are_a_lower_bound(void **state) {
    double least = 0, bound = 0;
    unsigned priced = 0;
    (void)state;
    for (seed = 1; seed < 41;) {
        const uint64_t next = seed + 1;
        const unsigned n = 1 + (unsigned)seed % 6;
        const bool twice = seed % 3 == 0, both = seed % 4 == 0;
        machine made = make(n, twice, both);
        pf_best_options options = {.n = 1, .threshold = (double)INFINITY};
        pfi_levels all;
        paths want = all_paths(searched(&made), INFINITY);
        SUCCEED(pfi_levels_init(&all, searched(&made), &options));
        assert_true(all.bound.known && all.bound.routes.known && !all.moves);
        for (size_t i = 0; i < want.at.n; i++) expect_below(searched(&made), &all.bound.routes, &want.at.at[i]);
        least += want.at.at[0].cost;
        bound += all.bound.routes.start;
        for (unsigned j = 0; j < n; j++) priced += all.bound.routes.price[j] != 0;
        pfi_levels_free(&all);
        PF_VEC_FREE(&want.at);
        unmake(&made);
        seed = next;
    }
    assert_true(priced > 20 && bound > 0.98 * least);
}

/* Makes positions critical, one after another: the bound holds after each, and becomes no worse. Returns by how much the
 * last one is below the least cost. */
static double expect_tighter(const machine *made, pfi_routes *routes, const paths *want) {
    const double least = want->at.at[0].cost;
    unsigned critical = 0;
    while (pfi_routes_tightening(routes) < (double)INFINITY) {
        const double had = routes->start;
        SUCCEED(pfi_routes_tighten(routes, least));
        critical++;
        assert_true(routes->sets == 1u << critical);
        assert_true(routes->start >= had - SLACK);
        for (size_t i = 0; i < want->at.n; i++) expect_below(searched(made), routes, &want->at.at[i]);
    }
    assert_true(critical + 1 == routes->length); /* which knows the coverage whole */
    return least - routes->start;
}

/* As many positions may be critical in long sentences as in short ones. */
static void long_sentences_have_critical_positions(void **state) {
    (void)state;
    for (unsigned length = 9; length <= 70; length++) {
        pfi_routes routes = {.known = true, .length = length, .sets = 1, .additions = 1};
        for (; routes.sets < 256; routes.sets *= 2) assert_true(pfi_routes_tightening(&routes) < (double)INFINITY);
        assert_true(pfi_routes_tightening(&routes) == (double)INFINITY);
    }
}

/* In all spaces, with costs of moves and without: no path costs less, whatever is critical; in free order, where words have one
 * history, nothing but rounding is missing when all but one are critical. */
static void critical_positions_make_routes_dearer(void **state) {
    (void)state;
    for (seed = 5001; seed < 5001 + 2 * NARROW_SPACES;) {
        const uint64_t next = seed + 1;
        static const space free_order = {{"none"}, NULL};
        const bool narrow = seed % 2;
        machine made =
            make_in(narrow ? &narrow_spaces[seed / 2 % NARROW_SPACES] : &free_order, 3 + (unsigned)seed % 4, false, false);
        pfi_rows rows;
        pfi_bound bound;
        paths want = all_paths(searched(&made), INFINITY);
        SUCCEED(pfi_rows_init(&rows, searched(&made)));
        SUCCEED(pfi_bound_init(&bound, &rows, rows.parts.fst, NULL, &(pfi_bound_wish){.one_path = true, .rounds = 30}));
        assert_true(bound.routes.known);
        const double missing = expect_tighter(&made, &bound.routes, &want);
        assert_true(narrow || missing < 10 * SLACK);
        pfi_bound_free(&bound);
        pfi_rows_free(&rows);
        PF_VEC_FREE(&want.at);
        unmake(&made);
        seed = next;
    }
}

/* Levels with routes, and A* with the rest costs of single positions: the same path, and no bound above it. */
static void searches_with_routes_find_the_best_path(void **state) {
    (void)state;
    for (seed = 101; seed < 117;) {
        const uint64_t next = seed + 1;
        machine made = make(7 + (unsigned)seed % 4, seed % 3 == 0, seed % 4 == 0);
        pf_answer want, got;
        SUCCEED(pf_best(searched(&made), &(pf_best_options){.n = 1, .search = PF_SEARCH_ASTAR}, &want));
        SUCCEED(pf_best(searched(&made), &(pf_best_options){.n = 1}, &got));
        assert_true(want.paths.n == 1 && got.paths.n == 1 && pf_answer_optimal(&got));
        assert_true(want.paths.at[0].cost == got.paths.at[0].cost && want.paths.at[0].n == got.paths.at[0].n);
        for (size_t i = 0; i < got.paths.at[0].n; i++) assert_int_equal(want.paths.at[0].arc[i].in, got.paths.at[0].arc[i].in);
        pf_answer_free(&got);
        for (size_t beam = 1; beam <= 64; beam *= 8) {
            SUCCEED(pf_best(searched(&made), &(pf_best_options){.n = 1, .beam = beam}, &got));
            assert_true(got.paths.at[0].cost >= want.paths.at[0].cost);
            assert_true(got.bound <= want.paths.at[0].cost + SLACK);
            pf_answer_free(&got);
        }
        pf_answer_free(&want);
        unmake(&made);
        seed = next;
    }
}

/* Do moves cost what routes do not know? */
static bool costs_of_pairs(const space *where) { return where->wm && strncmp(where->wm, "inversions", 10) == 0; }

/* In narrower spaces, with costs of moves, no path costs less than the routes say, whatever the search would choose. */
static void routes_know_the_space(void **state) {
    unsigned guesses = 0;
    (void)state;
    for (seed = 1001; seed < 1001 + 8 * NARROW_SPACES;) {
        const uint64_t next = seed + 1;
        const unsigned n = 4 + (unsigned)seed % 3;
        const bool twice = seed % 5 == 0;
        const space *where = &narrow_spaces[seed % NARROW_SPACES];
        machine made = make_in(where, n, twice, seed % 7 == 0);
        pfi_rows rows;
        pfi_bound narrow;
        paths want = all_paths(searched(&made), INFINITY);
        SUCCEED(pfi_rows_init(&rows, searched(&made)));
        SUCCEED(pfi_bound_init(&narrow, &rows, rows.parts.fst, NULL, &(pfi_bound_wish){.one_path = true, .rounds = 30}));
        assert_true(narrow.known && narrow.routes.known);
        for (size_t i = 0; i < want.at.n; i++) expect_below(searched(&made), &narrow.routes, &want.at.at[i]);
        if (!twice && !costs_of_pairs(where) && narrow.routes.guess < (double)INFINITY) {
            guesses++;
            assert_true(narrow.routes.guess >= want.at.at[0].cost - SLACK);
        }
        pfi_bound_free(&narrow);
        pfi_rows_free(&rows);
        PF_VEC_FREE(&want.at);
        unmake(&made);
        seed = next;
    }
    assert_true(guesses > 50);
}

/* The search in these spaces, with routes where it chooses them: the first of the best paths, and certificates that hold. */
static void searches_in_narrow_spaces_find_the_best_path(void **state) {
    unsigned with_routes = 0, with_twins = 0;
    (void)state;
    for (seed = 2001; seed < 2001 + 8 * NARROW_SPACES;) {
        const uint64_t next = seed + 1;
        machine made = make_in(&narrow_spaces[seed % NARROW_SPACES], 5 + (unsigned)seed % 3, seed % 5 == 0, seed % 7 == 0);
        paths want = all_paths(searched(&made), INFINITY);
        pf_best_options options = {.n = 1, .threshold = (double)INFINITY};
        pfi_levels all;
        SUCCEED(pfi_levels_init(&all, searched(&made), &options));
        with_routes += all.bound.routes.known;
        with_twins += all.twins.left != NULL;
        pfi_levels_free(&all);
        for (size_t beam = 0; beam <= 64; beam = beam ? 4 * beam : 1) {
            pf_answer got;
            SUCCEED(pf_best(searched(&made), &(pf_best_options){.n = 1, .beam = beam}, &got));
            expect_certificate(&got, &want, 1);
            if (!beam) expect_path(&want.at.at[0], &got.paths.at[0]);
            pf_answer_free(&got);
        }
        PF_VEC_FREE(&want.at);
        unmake(&made);
        seed = next;
    }
    assert_true(with_routes > 30 && with_twins > 30);
}

/* A model in which the end costs much after some words. */
static void random_ends(pf_model *out) {
    char text[400];
    pf_reader *reader;
    const int length = snprintf(text, sizeof text,
        "\\data\\\nngram 1=5\nngram 2=4\n\n\\1-grams:\n-9\t<unk>\n-99\t<s>\t0\n-1\t</s>\n-%u\ta\t-%u\n-%u\tb\t-%u\n\n"
        "\\2-grams:\n-%u\ta a\n-%u\tb a\n-%u\ta </s>\n-%u\tb </s>\n\n\\end\\\n",
        dice(3), dice(4), dice(3), dice(4), dice(9), dice(9), dice(9), dice(9));
    SUCCEED(pf_reader_memory(text, (size_t)length, "ends", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, out));
    pf_reader_free(reader);
}

enum { LETTERS = 8, START = 9 };
static const char *const letter[] = {"a", "b", "c", "d", "e", "f", "g", "h", "</s>", "<s>"};

/* A model that lists all pairs of letters, and some letters after them. */
static void random_trigrams(pf_model *out) {
    static char text[12000], three[8000];
    static const unsigned before[] = {0, 1, 2, 3, 4, 5, 6, 7, START};
    pf_reader *reader;
    int length = 0, listed = 0;
    for (unsigned one = 0; one <= LETTERS; one++)
        for (unsigned pair = 0; pair < LETTERS * (LETTERS + 1); pair++)
            if (dice(2)) {
                length += sprintf(three + length, "-%u\t%s %s %s\n", dice(9), letter[before[one]], letter[pair / (LETTERS + 1)],
                                  letter[pair % (LETTERS + 1)]);
                listed++;
            }
    length = sprintf(text, "\\data\\\nngram 1=%d\nngram 2=%d\nngram 3=%d\n\n\\1-grams:\n-9\t<unk>\n-99\t<s>\t0\n-1\t</s>\n",
                     LETTERS + 3, (LETTERS + 1) * LETTERS, listed);
    for (unsigned one = 0; one < LETTERS; one++)
        length += sprintf(text + length, "-%u\t%s\t-%u\n", dice(3), letter[one], dice(4));
    length += sprintf(text + length, "\n\\2-grams:\n");
    for (unsigned pair = 0; pair < (LETTERS + 1) * LETTERS; pair++)
        length += sprintf(text + length, "-%u\t%s %s\t-0.5\n", dice(9), letter[before[pair / LETTERS]], letter[pair % LETTERS]);
    length += sprintf(text + length, "\n\\3-grams:\n%s\n\\end\\\n", three);
    SUCCEED(pf_reader_memory(text, (size_t)length, "trigrams", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, out));
    pf_reader_free(reader);
}

/* Two letters at each position, of the first `letters` in turn. */
static pf_fst *sentence_of_alternatives(unsigned n, unsigned letters) {
    pf_build build = {0};
    pf_symtab *words;
    pf_label label[LETTERS];
    SUCCEED(pf_symtab_new("words", &words));
    for (unsigned i = 0; i < letters; i++) SUCCEED(pf_symtab_add(words, letter[i], 1, &label[i]));
    SUCCEED(pf_build_state(&build, n));
    for (unsigned j = 0; j < n; j++)
        for (unsigned k = 0; k < 2; k++) {
            const pf_label word = label[(2 * j + k) % letters];
            SUCCEED(pf_build_arc(&build, j, word, word, 0.5f * (float)dice(4), j + 1));
        }
    return finish_sentence(&build, n, 0, words);
}

/* Routes take the least cost of each word and of the end, which may be those of different alternatives: then a guess is too low,
 * the pass within it may find a path that costs more, and another path may cost less. */
static void a_path_above_the_guess_proves_nothing(void **state) {
    static const space free_order = {{"none"}, NULL};
    unsigned low = 0;
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        pf_model ends;
        pf_fst *linear, *perm, *one;
        pf_answer got;
        pfi_levels all;
        seed = 1000 + round;
        random_ends(&ends);
        linear = sentence_of_alternatives(1 + dice(4), 2);
        perm = permute(linear, &free_order);
        SUCCEED(pf_score_all(perm, 1, &(pf_scored){&ends, 1}, 1, &one));
        paths want = all_paths(one, INFINITY);
        pf_best_options options = {.n = 1, .threshold = (double)INFINITY};
        SUCCEED(pfi_levels_init(&all, one, &options));
        low += all.bound.routes.known && all.bound.routes.guess < want.at.at[0].cost - 1e-3;
        pfi_levels_free(&all);
        SUCCEED(pf_best(one, &(pf_best_options){.n = 1}, &got));
        assert_true(got.paths.n == 1 && pf_answer_optimal(&got));
        assert_true(fabs(got.paths.at[0].cost - want.at.at[0].cost) < 1e-5);
        pf_answer_free(&got);
        PF_VEC_FREE(&want.at);
        pf_fst_free(one);
        pf_fst_free(perm);
        pf_fst_free(linear);
        pf_model_free(&ends);
    }
    assert_true(low > 30);
}

/* Halves between -32 and 32; some are INFINITY. */
static void fill_costs(float *cost, size_t count) {
    for (size_t i = 0; i < count; i++) cost[i] = dice(8) ? 0.5f * (float)dice(128) - 32 : INFINITY;
}

static void steps_are_filled_as_the_plain_ones(void **context) {
    enum { MOST = 64 };
    static float costs[MOST * MOST * MOST], then[MOST * MOST], got[MOST * MOST], want[MOST * MOST];
    uint32_t nexts[MOST], lasts[MOST];
    (void)context;
    seed = 11;
    for (unsigned k = 0; k < 300; k++) {
        const size_t stride = PFI_CHUNK * (size_t)(1 + dice(MOST / PFI_CHUNK));
        const unsigned length = 1 + dice((unsigned)stride);
        const size_t first = PFI_CHUNK * (size_t)dice((unsigned)stride / PFI_CHUNK);
        const size_t end = first + PFI_CHUNK * (size_t)(1 + dice((unsigned)(stride - first) / PFI_CHUNK));
        const size_t next_count = dice(length + 1), last_count = dice(length + 1);
        const pfi_route_step step = {length, stride, costs, then, nexts, next_count, lasts, last_count, first, end, 0.25f};
        for (size_t i = 0; i < length; i++) nexts[i] = dice(length) * (uint32_t)stride;
        for (size_t i = 0; i < length; i++) lasts[i] = dice(length);
        fill_costs(costs, length * length * stride);
        fill_costs(then, length * stride);
        fill_costs(got, length * stride);
        memcpy(want, got, sizeof want);
        pfi_route_step_fill(&step, got);
        pfi_route_step_plain(&step, want);
        assert_memory_equal(got, want, sizeof want);
    }
}

static void prices_are_taken_as_by_the_plain_one(void **context) {
    enum { MOST = 64 };
    float after[MOST], got[MOST], want[MOST];
    (void)context;
    seed = 12;
    for (unsigned k = 0; k < 2000; k++) {
        const size_t count = PFI_CHUNK * (size_t)dice(MOST / PFI_CHUNK + 1);
        const float price = 0.5f * (float)dice(64) - 16;
        fill_costs(after, MOST);
        fill_costs(got, MOST);
        memcpy(want, got, sizeof want);
        const float largest = pfi_route_price(after, price, count, got);
        assert_true(largest == pfi_route_price_plain(after, price, count, want));
        assert_memory_equal(got, want, sizeof want);
    }
}

/* ---- rows of arrivals ---- */

/* The same, in thirds of halves, which are rounded. */
static void fill_rounded(float *cost, size_t count) {
    fill_costs(cost, count);
    for (size_t i = 0; i < count; i++) cost[i] /= 3;
}

enum { MOST_MOVES = 20, MOST_AFTER = 64, MOST_THEN = 1 << 13 };

/* A bound in floats of a cost: a little less. */
static void expect_less(float got, double least) {
    assert_true((double)got <= least);
    assert_true(least == (double)INFINITY ? got == INFINITY : (double)got >= least - 1e-6 * fabs(least));
}

/* What a row costs, by its definition. */
static void expect_row(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, const float *got) {
    for (uint32_t k = 0; k < width; k++) {
        double least = (double)INFINITY;
        for (uint32_t i = 0; i < moves->count; i++)
            least = fmin(least, (double)after[moves->position[i] * stride + k] + (double)moves->then[moves->of[i]]);
        expect_less(got[k], least);
    }
}

/* What it costs to get through full states to a row, by its definition. */
static void expect_through(const pfi_through *through, const float *cost, uint32_t width) {
    for (uint32_t k = 0; k < width; k++) {
        const double now = (double)through->after[k] + (double)cost[k], later = (double)through->on + (double)through->next[k];
        expect_less(through->to[k], fmin(now, later));
    }
}

static void rows_are_filled_as_the_plain_ones(void **context) {
    static float after[MOST_MOVES * MOST_AFTER], then[MOST_THEN], got[2 * MOST_AFTER], want[2 * MOST_AFTER];
    static float last[MOST_AFTER], next[MOST_AFTER], got_through[2 * MOST_AFTER], want_through[2 * MOST_AFTER];
    uint16_t position[MOST_MOVES];
    uint32_t of[MOST_MOVES];
    (void)context;
    seed = 13;
    for (unsigned k = 0; k < 3000; k++) {
        const uint32_t width = PF_ARRIVAL_CHUNK * (1 + dice(MOST_AFTER / PF_ARRIVAL_CHUNK));
        const size_t stride = width + dice(MOST_AFTER - width + 1), first = dice((unsigned)(stride - width) + 1);
        const size_t to = dice(MOST_AFTER);
        const pfi_arrival_moves moves = {dice(MOST_MOVES + 1), position, of, then};
        for (size_t i = 0; i < MOST_MOVES; i++) position[i] = (uint16_t)dice(MOST_MOVES);
        for (size_t i = 0; i < MOST_MOVES; i++) of[i] = dice(MOST_THEN);
        fill_rounded(after, MOST_MOVES * stride);
        fill_rounded(then, MOST_THEN);
        fill_rounded(got, 2 * MOST_AFTER);
        memcpy(want, got, sizeof want);
        fill_rounded(last, MOST_AFTER);
        fill_rounded(next, MOST_AFTER);
        fill_rounded(got_through, 2 * MOST_AFTER);
        memcpy(want_through, got_through, sizeof want_through);
        const pfi_through one = {last, next[dice(MOST_AFTER)], next, &got_through[to]};
        const pfi_through other = {last, one.on, next, &want_through[to]};
        const bool through = dice(2);
        pfi_row_step(&moves, &after[first], stride, width, through ? &one : NULL, &got[to]);
        pfi_row_step_plain(&moves, &after[first], stride, width, through ? &other : NULL, &want[to]);
        assert_memory_equal(got, want, sizeof want);
        assert_memory_equal(got_through, want_through, sizeof want_through);
        expect_row(&moves, &after[first], stride, width, &got[to]);
        if (through) expect_through(&one, &got[to], width);
    }
}

/* ---- all sets of positions ---- */

enum { MOST_IN_SET = 10, SUBSETS = 1 << MOST_IN_SET };

typedef struct {
    pfi_subset_tables tables;
    float cost[MOST_IN_SET][SUBSETS];
    bool known[MOST_IN_SET][SUBSETS];
} set_costs;

/* What comes after a set and its last position, by definition: from one position to the next, in any order. */
static float cost_after(set_costs *costs, unsigned last, unsigned set) {
    const pfi_subset_tables *tables = &costs->tables;
    float least = INFINITY;
    if (costs->known[last][set]) return costs->cost[last][set];
    if (set + 1 == 1u << tables->n) least = tables->end[last];
    for (unsigned next = 0; next < tables->n; next++) {
        if (set >> next & 1) continue;
        const float sum = tables->after[last * tables->width + next] + cost_after(costs, next, set | 1u << next);
        if (sum < least) least = sum;
    }
    costs->known[last][set] = true;
    return costs->cost[last][set] = pfi_completion_less(least);
}

/* Equal are also the bits. What is no arrival must not count, so it costs little at first. */
static void expect_sets(const pfi_subset_tables *tables, void (*fill)(const pfi_subset_tables *tables)) {
    static set_costs want;
    memset(&want, 0, sizeof want);
    want.tables = *tables;
    for (size_t i = 0; i < tables->n * tables->subsets; i++) tables->cost[i] = -1e6f;
    fill(tables);
    for (unsigned last = 0; last < tables->n; last++)
        for (unsigned set = 1; set < 1u << tables->n; set++) {
            const float cost = cost_after(&want, last, set | 1u << last);
            assert_memory_equal(&tables->cost[last * tables->subsets + (set | 1u << last)], &cost, sizeof cost);
        }
}

static void all_sets_are_filled_as_defined(void **context) {
    enum { WIDEST = 16, ROOM = SUBSETS + WIDEST };
    static float after[MOST_IN_SET * WIDEST], end[MOST_IN_SET], cost[MOST_IN_SET * ROOM];
    (void)context;
    seed = 15;
    for (unsigned k = 0; k < 200; k++) {
        const unsigned n = PF_SUBSETS_FROM + k % (MOST_IN_SET - PF_SUBSETS_FROM + 1);
        const size_t width = n + dice(WIDEST - n + 1), subsets = (1u << n) + dice(WIDEST + 1);
        const pfi_subset_tables tables = {n, after, width, end, cost, subsets};
        fill_rounded(after, n * width);
        fill_rounded(end, n);
        expect_sets(&tables, pfi_fill_subsets);
        expect_sets(&tables, pfi_fill_subsets_plain);
    }
}

/* ---- costs after positions ---- */

enum { MOST_PLACES = 9, MOST_ROWS = 400 };

/* What a model says of an order so far, by pairs of positions and cell by cell. */
typedef struct {
    pfi_rows *rows, own; /* of one model, those of the search; else its own */
    const double *potential; /* of each row; NULL: there is none */
    const pf_moves *moves;
    pf_slots_view slots;
    bool possible[MOST_PLACES][MOST_ROWS]; /* after each position, or the start, each row */
} pairs_of_model;

/* What an arc costs after a row, when the potential of each row is paid by the word that leads to it. */
static pfi_cell step(const pairs_of_model *pairs, uint32_t row, uint32_t arc) {
    pfi_cell cell;
    SUCCEED(pfi_rows_step(pairs->rows, row, pfi_rows_column(pairs->rows, pairs->slots.arc[arc].out), &cell));
    assert_true(pairs->rows->final.n <= MOST_ROWS);
    if (pairs->potential) cell.cost = cell.cost - pairs->potential[row] + pairs->potential[cell.to];
    return cell;
}

static double end_after_row(const pairs_of_model *pairs, uint32_t row) {
    double end;
    SUCCEED(pfi_rows_end(pairs->rows, row, &end));
    return pairs->potential ? end - pairs->potential[row] : end;
}

/* Marks the rows that an arc of position `last` leads to from those that are possible after `before`. Is one of them new? */
static bool mark_pair(pairs_of_model *pairs, unsigned before, unsigned last) {
    bool any = false;
    for (uint32_t row = 0; row < pairs->rows->final.n; row++)
        for (uint32_t arc = pairs->slots.first[last]; pairs->possible[before][row] && arc < pairs->slots.first[last + 1]; arc++) {
            const pfi_cell cell = step(pairs, row, arc);
            any = any || (cell.cost < (double)INFINITY && !pairs->possible[last][cell.to]);
            pairs->possible[last][cell.to] |= cell.cost < (double)INFINITY;
        }
    return any;
}

static bool may_follow(const pairs_of_model *pairs, unsigned before, unsigned last) {
    return pf_cover_has(&pairs->moves->follows[before * pf_cover_words(pairs->slots.n)], last);
}

static void find_possible(pairs_of_model *pairs) {
    const unsigned n = pairs->slots.n;
    pairs->possible[n][0] = true;
    for (bool any = true; any;) {
        any = false;
        for (unsigned before = 0; before <= n; before++)
            for (unsigned last = 0; last < n; last++)
                if (may_follow(pairs, before, last)) any = mark_pair(pairs, before, last) || any;
    }
}

/* The cost of an arc after a row, or of the end. */
static double cost_after_row(const pairs_of_model *pairs, uint32_t row, uint32_t arc) {
    return arc < pairs->slots.first[pairs->slots.n] ? step(pairs, row, arc).cost : end_after_row(pairs, row);
}

/* The least that the model says of an arc, or of the end, after `last`, when position j was not before it. */
static double least_of_pairs(pairs_of_model *pairs, unsigned last, unsigned j, uint32_t arc) {
    const unsigned n = pairs->slots.n;
    double least = (double)INFINITY;
    if (last == n) return cost_after_row(pairs, 0, arc);
    for (unsigned before = 0; before <= n; before++) {
        if (before == j || !may_follow(pairs, before, last)) continue;
        for (uint32_t row = 0; row < pairs->rows->final.n; row++)
            for (uint32_t own = pairs->slots.first[last]; own < pairs->slots.first[last + 1]; own++) {
                if (!pairs->possible[before][row]) break;
                const pfi_cell cell = step(pairs, row, own);
                if (cell.cost < (double)INFINITY) least = fmin(least, cost_after_row(pairs, cell.to, arc));
            }
    }
    return least;
}

static double least_after(pairs_of_model *pairs, unsigned models, unsigned last, unsigned j, uint32_t arc, double own) {
    for (unsigned i = 0; i < models; i++) own += least_of_pairs(&pairs[i], last, j, arc);
    return own;
}

/* All costs after `last`. How many of them are above those of any history? */
static unsigned expect_least(const pfi_levels *all, pairs_of_model *pairs, unsigned models, unsigned last) {
    const pf_slots_view *slots = &all->slots;
    const unsigned n = slots->n;
    unsigned above = 0;
    for (unsigned j = 0; j < n; j++) {
        double want = (double)INFINITY, any = want;
        for (uint32_t arc = slots->first[j]; arc < slots->first[j + 1] && may_follow(pairs, last, j); arc++) {
            const double own = pf_scaled(all->rows.parts.own, (double)slots->arc[arc].w);
            want = fmin(want, least_after(pairs, models, last, j, arc, own));
            any = fmin(any, least_after(pairs, models, last, n + 1, arc, own));
        }
        above += want > any;
        assert_true(all->bound.after[last * all->bound.stride + j] == pfi_float_below(want));
    }
    if (last < n) assert_true(all->bound.end_after[last] == least_after(pairs, models, last, n + 1, slots->first[n], 0));
    return above;
}

/* One model's rows are those of the search. All that are possible are filled, and each has a potential. Of how many is it not 0? */
static unsigned expect_potential(const pfi_levels *all, const pairs_of_model *pairs) {
    const pfi_bound *bound = &all->bound;
    unsigned count = 0;
    assert_non_null(bound->potential.at);
    assert_int_equal(bound->potential.n, all->rows.final.n);
    assert_true(bound->potential.at[0] == 0);
    for (size_t row = 0; row < bound->potential.n; row++) {
        assert_true(isfinite(bound->potential.at[row]));
        count += bound->potential.at[row] != 0;
        for (unsigned last = 0; last <= all->slots.n; last++)
            assert_false(pairs->possible[last][row] && isnan(all->rows.final.at[row]));
    }
    return count;
}

static uint32_t arc_of(const pf_slots_view *slots, unsigned j, pf_label out) {
    uint32_t arc = slots->first[j];
    while (arc < slots->first[j + 1] && slots->arc[arc].out != out) arc++;
    assert_true(arc < slots->first[j + 1]);
    return arc;
}

static uint32_t move_of(const pf_moves *moves, uint32_t state, unsigned j) {
    uint32_t move = moves->first[state];
    while (move < moves->first[state + 1] && moves->position[move] != j) move++;
    assert_true(move < moves->first[state + 1]);
    return move;
}

/* A path costs the same when words pay the potential of the rows that they lead to. Step by step, no word costs less than the
 * tables say, and what comes after it no less than completions say. `perm`: the space, without the model. */
static void expect_potential_paid(const pfi_levels *all, const pairs_of_model *pairs, pf_fst *perm, const path *one) {
    const pf_slots_view *slots = &all->slots;
    const pf_moves *moves = all->moves;
    const double slack = SLACK * fmax(1, fabs(one->cost));
    unsigned last = slots->n;
    uint32_t row = 0, at = 0;
    pf_state state = perm->start;
    double so_far = 0;
    assert_true(all->completion.start <= one->cost + slack);
    for (unsigned i = 0; i < one->n; i++) {
        const unsigned j = (unsigned)one->in[i] - 1;
        const uint32_t arc = arc_of(slots, j, one->out[i]), move = move_of(moves, at, j);
        const pfi_cell cell = step(pairs, row, arc);
        const double own = pf_scaled(all->rows.parts.own, (double)slots->arc[arc].w);
        assert_true((double)all->bound.after[last * all->bound.stride + j] <= own + cell.cost + slack);
        so_far += follow(perm, &state, one->in[i], one->out[i]) + cell.cost;
        pfi_completion_know(&all->completion, at);
        assert_true(so_far + (double)pfi_completion_after(&all->completion, move, 0) <= one->cost + slack);
        row = cell.to;
        at = moves->to[move];
        last = j;
    }
    const double end = end_after_row(pairs, row);
    if (last < slots->n) assert_true(all->bound.end_after[last] <= end + slack);
    assert_true(fabs(so_far + end + (double)pf_fst_final(perm, state) - one->cost) <= slack);
}

static void expect_paths_paid(const pfi_levels *all, const pairs_of_model *pairs, const machine *made) {
    paths want = all_paths(searched(made), INFINITY);
    for (size_t i = 0; i < want.at.n; i++) expect_potential_paid(all, pairs, made->perm, &want.at.at[i]);
    PF_VEC_FREE(&want.at);
}

/* How often there was what the tests are about. */
typedef struct {
    unsigned compared;  /* sentences whose moves are known to the search */
    unsigned above;     /* costs that are above those of any history */
    unsigned potential; /* rows with one */
} pairs_seen;

/* What a search knows, with potentials: it makes none for short sentences. */
static void init_with_potentials(pf_fst *fst, const pf_best_options *options, pfi_levels *all) {
    const pfi_bound_wish wish = {.potentials = 16};
    SUCCEED(pfi_levels_init(all, fst, options));
    if (!all->moves || !all->bound.known) return;
    assert_null(all->bound.potential.at);
    pfi_completion_free(&all->completion);
    pfi_bound_free(&all->bound);
    SUCCEED(pfi_bound_init(&all->bound, &all->rows, all->automaton, all->moves, &wish));
    SUCCEED(pfi_completion_init(&all->completion, all->moves, &all->bound, &all->rows, &all->slots, false, NULL));
}

/* Several models have no potential: hypotheses have one history for all of them. */
static void expect_costs_of_pairs(const machine *made, unsigned models, pf_moves_store *store, pairs_seen *seen) {
    enum { FEW_WORDS = 6, FEW_ALTERNATIVES = 10 };
    static pairs_of_model pairs[2];
    pf_best_options options = {.n = 1, .threshold = (double)INFINITY, .moves = store};
    pfi_levels all;
    init_with_potentials(searched(made), &options, &all);
    const bool known = all.moves && all.bound.known;
    seen->compared += known;
    for (unsigned i = 0; known && i < models; i++) {
        pairs[i] = (pairs_of_model){.moves = all.moves, .slots = all.slots};
        pairs[i].rows = models == 1 ? &all.rows : &pairs[i].own;
        if (models > 1) SUCCEED(pfi_rows_init_one(&pairs[i].own, &all.rows, i));
        else pairs[i].potential = all.bound.potential.at;
        find_possible(&pairs[i]);
    }
    if (known && models > 1) assert_null(all.bound.potential.at);
    if (known && models == 1) seen->potential += expect_potential(&all, pairs);
    for (unsigned last = 0; known && last <= all.slots.n; last++) seen->above += expect_least(&all, pairs, models, last);
    if (known && models == 1 && all.slots.n <= FEW_WORDS && all.slots.first[all.slots.n] <= FEW_ALTERNATIVES)
        expect_paths_paid(&all, pairs, made);
    for (unsigned i = 0; known && models > 1 && i < models; i++) pfi_rows_free(&pairs[i].own);
    pfi_levels_free(&all);
}

static pairs_seen compare_in_narrow_spaces(uint64_t first, unsigned rounds, unsigned models, pf_moves_store *store) {
    pairs_seen seen = {0};
    for (seed = first; seed < first + rounds * NARROW_SPACES;) {
        const uint64_t next = seed + 1;
        machine made = make_in(&narrow_spaces[seed % NARROW_SPACES], 4 + (unsigned)seed % 5, seed % 3 == 0, models == 2);
        expect_costs_of_pairs(&made, models, store, &seen);
        unmake(&made);
        seed = next;
    }
    return seen;
}

static void costs_after_positions_are_those_of_pairs(void **state) {
    pf_moves_store *store;
    (void)state;
    SUCCEED(pf_moves_store_new(1 << 20, &store));
    pairs_seen seen = compare_in_narrow_spaces(3001, 8, 1, store);
    for (seed = 4001; seed < 4001 + 4 * NARROW_SPACES;) {
        const uint64_t next = seed + 1;
        pf_model trigrams;
        machine made = {.linear = sentence_of_alternatives(4 + (unsigned)seed % 3, LETTERS)};
        made.perm = permute(made.linear, &narrow_spaces[seed % NARROW_SPACES]);
        random_trigrams(&trigrams);
        SUCCEED(pf_score_all(made.perm, 1, &(pf_scored){&trigrams, 1}, 1, &made.one));
        expect_costs_of_pairs(&made, 1, store, &seen);
        unmake(&made);
        pf_model_free(&trigrams);
        seed = next;
    }
    pf_moves_store_free(store);
    assert_true(seen.compared > 100 && seen.above > 40 && seen.potential > 500);
}

static void several_models_have_no_potential(void **state) {
    pf_moves_store *store;
    (void)state;
    SUCCEED(pf_moves_store_new(1 << 20, &store));
    const pairs_seen seen = compare_in_narrow_spaces(6001, 4, 2, store);
    pf_moves_store_free(store);
    assert_true(seen.compared > 40 && seen.above > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_filled_as_the_plain_ones),
        cmocka_unit_test(prices_are_taken_as_by_the_plain_one),
        cmocka_unit_test(rows_are_filled_as_the_plain_ones),
        cmocka_unit_test(all_sets_are_filled_as_defined),
        cmocka_unit_test(routes_are_a_lower_bound),
        cmocka_unit_test(critical_positions_make_routes_dearer),
        cmocka_unit_test(long_sentences_have_critical_positions),
        cmocka_unit_test(searches_with_routes_find_the_best_path),
        cmocka_unit_test(routes_know_the_space),
        cmocka_unit_test(searches_in_narrow_spaces_find_the_best_path),
        cmocka_unit_test(a_path_above_the_guess_proves_nothing),
        cmocka_unit_test(costs_after_positions_are_those_of_pairs),
        cmocka_unit_test(several_models_have_no_potential),
    };
    return cmocka_run_group_tests_name("routes", tests, read_model, free_model);
}
