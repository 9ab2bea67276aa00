/* Tuning: line searches against all crossings, and against a dense grid; optimisation on pools whose best scales are known. */
#include "check.h"
#include "draw.h"

#include <permfst/tune/line_search.h>
#include <permfst/tune/optimise.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCES = 4, MOST = 6, FEATURES = 3, WORDS = 3, GRID = 400 };

static uint64_t seed = 5;
static unsigned below(unsigned n) { return draw(&seed, n); }

/* ---- pools ---- */

typedef struct {
    pf_testset references;
    pf_metric metric;
    pf_pool *pool;
} made_pool;

static void add_references(pf_testset *set, const char *text) {
    pf_reader *reader;
    pf_docs docs;
    SUCCEED(pf_reader_memory(text, strlen(text), "references", &reader));
    SUCCEED(pf_docs_read(reader, PF_DOCS_TEXT, &docs));
    SUCCEED(pf_testset_reference(set, &docs.set.at[0], "references"));
    pf_docs_free(&docs);
    pf_reader_free(reader);
}

static void begin(made_pool *made, const char *references) {
    const pf_metric_options bleu = {.bleu = pf_bleu_usual()};
    const pf_metric_class *cls;
    SUCCEED(pf_metric_find(PF_METRIC_WORDS, "bleu", 4, &cls));
    SUCCEED(pf_metric_init(&made->metric, cls, &bleu));
    pf_testset_init(&made->references, pf_tokeniser_at(0));
    add_references(&made->references, references);
    SUCCEED(pf_pool_new(FEATURES, &made->references, &made->metric, &made->pool));
}

static void end(made_pool *made) {
    pf_pool_free(made->pool);
    pf_metric_free(&made->metric);
    pf_testset_free(&made->references);
}

static size_t random_words(char *text) {
    size_t n = 0;
    for (unsigned k = 4 + below(4); k--;) n += (size_t)sprintf(text + n, "%c ", 'a' + (int)below(WORDS));
    return n;
}

/* Features are halves, so that lines meet in one place and are parallel now and then. */
static void random_pool(made_pool *made) {
    char references[SENTENCES * 32] = "", text[32];
    for (int number = 0; number < SENTENCES; number++) {
        random_words(text);
        strcat(strcat(references, text), "\n");
    }
    begin(made, references);
    for (size_t number = 0; number < SENTENCES; number++)
        for (unsigned i = below(MOST + 1); i--;) {
            double feature[FEATURES];
            for (int k = 0; k < FEATURES; k++) feature[k] = 0.5 * below(12);
            size_t n = random_words(text);
            SUCCEED(pf_pool_add(made->pool, number, text, n, feature, NULL));
        }
}

static void go(const pf_line_of_scales *line, double x, double *scale) {
    for (int k = 0; k < FEATURES; k++) scale[k] = line->scale[k] + x * line->direction[k];
}

static double score_at(const pf_pool *pool, const pf_line_of_scales *line, double x) {
    double scale[FEATURES];
    go(line, x, scale);
    return pf_pool_score(pool, scale);
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < FEATURES; k++) sum += a[k] * b[k];
    return sum;
}

static int by_size(const void *first, const void *second) {
    const double *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

/* All places within the line where two hypotheses of a sentence cost the same, with both ends. */
static size_t all_crossings(const pf_pool *pool, const pf_line_of_scales *line, double *place) {
    size_t n = 0;
    place[n++] = line->low;
    place[n++] = line->high;
    for (size_t number = 0; number < SENTENCES; number++) {
        pf_pool_list list = pf_pool_at(pool, number);
        for (size_t i = 0; i < list.n; i++)
            for (size_t k = 0; k < i; k++) {
                const double *a = list.feature + i * FEATURES, *b = list.feature + k * FEATURES;
                double at = (dot(line->scale, b) - dot(line->scale, a)) / (dot(line->direction, a) - dot(line->direction, b));
                if (at > line->low && at < line->high) place[n++] = at;
            }
    }
    qsort(place, n, sizeof *place, by_size);
    return n;
}

static void random_line(double *scale, double *direction, pf_line_of_scales *line) {
    for (int k = 0; k < FEATURES; k++) {
        scale[k] = 0.01 * below(300);
        direction[k] = 0.01 * below(200) - 1;
    }
    *line = (pf_line_of_scales){scale, direction, -0.01 * below(400), 0.01 + 0.01 * below(400)};
}

/* Between two crossings, far enough from both. */
static void check_lines(void **state PF_UNUSED) {
    for (int round = 0; round < 2000; round++) {
        made_pool made;
        double scale[FEATURES], direction[FEATURES], place[2 + SENTENCES * MOST * MOST], most = -1;
        pf_line_of_scales line;
        pf_line_best best;
        random_pool(&made);
        random_line(scale, direction, &line);
        SUCCEED(pf_line_search(made.pool, &line, &best));
        size_t n = all_crossings(made.pool, &line, place);
        for (size_t i = 0; i + 1 < n; i++)
            if (place[i + 1] - place[i] > 1e-9) most = fmax(most, score_at(made.pool, &line, (place[i] + place[i + 1]) / 2));
        CHECK(fabs(best.score - most) < 1e-9, "round %d: expected %.9f, found %.9f at %.9f", round, most, best.score, best.at);
        assert_true(line.low <= best.low && best.low <= best.at && best.at <= best.high && best.high <= line.high);
        if (best.high - best.low > 1e-9)
            CHECK(fabs(score_at(made.pool, &line, best.low + (best.high - best.low) / 2) - best.score) < 1e-9, "round %d: %.9f",
                  round, best.score);
        for (int i = 0; i <= GRID && round < 100; i++) {
            double at = line.low + (line.high - line.low) * i / GRID, nearest = INFINITY;
            for (size_t k = 1; k + 1 < n; k++) nearest = fmin(nearest, fabs(at - place[k]));
            double score = score_at(made.pool, &line, at);
            CHECK(nearest < 1e-9 || score <= best.score + 1e-9, "round %d: %.9f at %.9f of the grid, more than %.9f", round, score,
                  at, best.score);
            CHECK(nearest < 1e-9 || at < best.low || at > best.high || fabs(score - best.score) < 1e-9, "round %d: at %.9f", round,
                  at);
        }
        end(&made);
    }
}

/* ---- optimisation ---- */

/* Sentence 1 is right where scale 0 is below twice scale 1, sentence 2 where it is above scale 1; scale 2 matters to nothing. */
static void known_pool(made_pool *made) {
    begin(made, "a b c d e f\ng h i j k l\n");
    SUCCEED(pf_pool_add(made->pool, 0, "a b c d e f", 11, (double[]){1, 0, 7}, NULL));
    SUCCEED(pf_pool_add(made->pool, 0, "a b x d e f", 11, (double[]){0, 2, 7}, NULL));
    SUCCEED(pf_pool_add(made->pool, 1, "g h i j k l", 11, (double[]){0, 1, 7}, NULL));
    SUCCEED(pf_pool_add(made->pool, 1, "g h x j k l", 11, (double[]){1, 0, 7}, NULL));
}

static void check_known(void **state PF_UNUSED) {
    static const double begins[][FEATURES] = {{0.1, 1, 0}, {5, 1, 0.5}, {1.5, 1, 1}, {0, 1, 1}};
    const double low[] = {0, 1, 0}, high[] = {8, 1, 1};
    for (size_t i = 0; i < LENGTH(begins); i++)
        for (size_t restarts = 0; restarts < 3; restarts++) {
            made_pool made;
            double scale[FEATURES], again[FEATURES], score;
            const pf_optimise_options how = {low, high, restarts, restarts, 3};
            int limit;
            known_pool(&made);
            memcpy(scale, begins[i], sizeof scale);
            memcpy(again, begins[i], sizeof again);
            SUCCEED(pf_optimise(made.pool, &how, scale, &score));
            CHECK(scale[0] > 1 && scale[0] < 2 && scale[1] == 1, "from %g: %g", begins[i][0], scale[0]);
            CHECK(fabs(score - 100) < 1e-9, "BLEU %g", score);
            SUCCEED(pf_optimise(made.pool, &how, again, &score));
            assert_memory_equal(scale, again, sizeof scale);
            for (size_t k = 0; k < FEATURES; k++) {
                SUCCEED(pf_optimise_limit(made.pool, &how, scale, k, &limit));
                assert_int_equal(limit, 0);
            }
            end(&made);
        }
}

static void check_limits(void **state PF_UNUSED) {
    static const struct {
        double low, high, begin;
        int limit;
    } cases[] = {{0, 1.5, 0.5, 1}, {1.25, 9, 5, -1}, {0, 0.75, 0.5, 0}, {2.5, 4, 3, 0}, {1.2, 1.2, 1.2, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        made_pool made;
        double scale[FEATURES] = {cases[i].begin, 1, 0}, score;
        const double low[] = {cases[i].low, 1, 0}, high[] = {cases[i].high, 1, 0};
        const pf_optimise_options how = {low, high, 2, 2, 3};
        int limit;
        known_pool(&made);
        SUCCEED(pf_optimise(made.pool, &how, scale, &score));
        assert_true(scale[0] >= low[0] && scale[0] <= high[0]);
        SUCCEED(pf_optimise_limit(made.pool, &how, scale, 0, &limit));
        CHECK(limit == cases[i].limit, "case %zu: expected %d, found %d at %g", i, cases[i].limit, limit, scale[0]);
        end(&made);
    }
}

/* No worse than where it began, and within the limits. */
static void check_random(void **state PF_UNUSED) {
    const double low[] = {-1, 0, 0.5}, high[] = {2, 3, 0.5};
    for (int round = 0; round < 200; round++) {
        made_pool made;
        double scale[FEATURES] = {1, 1, 0.5}, score;
        random_pool(&made);
        double before = pf_pool_score(made.pool, scale);
        SUCCEED(pf_optimise(made.pool, &(pf_optimise_options){low, high, 3, 2, (uint64_t)round}, scale, &score));
        assert_true(score >= before && score == pf_pool_score(made.pool, scale));
        for (int k = 0; k < FEATURES; k++) assert_true(scale[k] >= low[k] && scale[k] <= high[k]);
        end(&made);
    }
}

/* ---- merging ---- */

static void check_pool(void **state PF_UNUSED) {
    made_pool made;
    bool fresh;
    known_pool(&made);
    assert_int_equal(pf_pool_hypotheses(made.pool), 4);
    SUCCEED(pf_pool_add(made.pool, 0, "a  b c d e f", 12, (double[]){1, 0, 7}, &fresh));
    assert_false(fresh);
    SUCCEED(pf_pool_add(made.pool, 0, "a b c d e f", 11, (double[]){1, 0, 8}, &fresh));
    assert_true(fresh);
    SUCCEED(pf_pool_add(made.pool, 0, "", 0, (double[]){1, 0, 8}, &fresh));
    assert_true(fresh);
    assert_int_equal(pf_pool_at(made.pool, 0).n, 4);
    assert_int_equal(pf_pool_add(made.pool, 1, "a", 1, (double[]){INFINITY, 0, 8}, &fresh), PF_EINPUT);
    assert_int_equal(pf_pool_at(made.pool, 1).n, 2);
    end(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_lines),  cmocka_unit_test(check_known), cmocka_unit_test(check_limits),
        cmocka_unit_test(check_random), cmocka_unit_test(check_pool),
    };
    return cmocka_run_group_tests_name("tune", tests, NULL, NULL);
}
