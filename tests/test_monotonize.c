/* Costs against their formulas, A1, A2 and A3 against all alignments there are, and the figure of the paper. */
#include "check.h"
#include "draw.h"

#include <permfst/tuples/monotonize.h>
#include <permfst/tuples/write.h>

#include <math.h>
#include <string.h>

enum { SIDE = 5, RANDOM_MATRICES = 6000, RANDOM_PAIRS = 500 };

static uint64_t seed = 831;
static unsigned below(unsigned n) { return draw(&seed, n); }

/* ---- A1, A2, A3 ---- */

/* In whole numbers: costs in quarters, of which the least sum is best; or, `soft`, twentieths of posteriors, of which the
 * largest product is. */
typedef struct {
    int sources, targets;
    bool soft;
    int64_t cost[SIDE][SIDE];
    int a1[SIDE], order[SIDE], a2[SIDE], a3[SIDE];
    bool used[SIDE];
} oracle;

/* Is cost a as good as b, or better? */
static bool no_worse(const oracle *truth, int64_t a, int64_t b) { return truth->soft ? a >= b : a <= b; }

static void order_by_a1(oracle *truth, bool keep) {
    int n = 0;
    for (int j = 0; j < truth->sources; j++)
        for (int i = truth->targets; i--;)
            if (i == truth->targets - 1 || no_worse(truth, truth->cost[j][i], truth->cost[j][truth->a1[j]])) truth->a1[j] = i;
    for (int i = 0; i < (keep ? 1 : truth->targets); i++)
        for (int j = 0; j < truth->sources; j++)
            if (keep || truth->a1[j] == i) truth->order[n++] = j;
}

static void take_a2(oracle *truth) {
    memset(truth->used, 0, sizeof truth->used);
    for (int i = 0; i < truth->targets; i++) {
        for (int place = truth->sources; place--;)
            if (place == truth->sources - 1 ||
                no_worse(truth, truth->cost[truth->order[place]][i], truth->cost[truth->order[truth->a2[i]]][i]))
                truth->a2[i] = place;
        truth->used[truth->a2[i]] = true;
    }
}

/* Begins at the first and ends at the last used place, goes from one to the next or stays, and leaves none out. */
static bool monotone(const oracle *truth, const int at[SIDE]) {
    bool there[SIDE] = {false};
    for (int i = 0; i < truth->targets; i++) {
        if (i && at[i] < at[i - 1]) return false;
        there[at[i]] = true;
    }
    return memcmp(there, truth->used, sizeof there) == 0;
}

static void take_a3(oracle *truth) {
    int all = 1;
    int64_t best = truth->soft ? 0 : INT64_MAX;
    for (int i = 0; i < truth->targets; i++) all *= truth->sources;
    for (int choice = 0; choice < all; choice++) {
        int at[SIDE], rest = choice;
        int64_t total = truth->soft;
        for (int i = truth->targets; i--; rest /= truth->sources) at[i] = rest % truth->sources; /* in lexicographic order */
        for (int i = 0; i < truth->targets; i++) {
            int64_t one = truth->cost[truth->order[at[i]]][i];
            total = truth->soft ? total * one : total + one;
        }
        if (!monotone(truth, at) || no_worse(truth, best, total)) continue;
        best = total;
        memcpy(truth->a3, at, sizeof at);
    }
}

static void fill_costs(pf_costs *costs, oracle *truth, unsigned values) {
    SUCCEED(pf_costs_resize(costs, (uint32_t)truth->sources, (uint32_t)truth->targets));
    for (int j = 0; j < truth->sources; j++)
        for (int i = 0; i < truth->targets; i++)
            costs->at.at[j * truth->targets + i] = (double)(truth->cost[j][i] = below(values)) / 4;
}

/* Posteriors of one digit in both directions. */
static void fill_posteriors(pf_costs *costs, oracle *truth, unsigned values) {
    pf_alignment alignment[2] = {0};
    for (int side = 0; side < 2; side++) {
        alignment[side].n_source = (uint32_t)truth->sources;
        alignment[side].n_target = (uint32_t)truth->targets;
        for (uint32_t j = 0; j < alignment[side].n_source; j++)
            for (uint32_t i = 0; i < alignment[side].n_target; i++) {
                unsigned p = 1 + below(values);
                truth->cost[j][i] += p;
                SUCCEED(pf_alignment_add(&alignment[side], (pf_link){j, i, false, p / 10.0}));
            }
    }
    SUCCEED(pf_costs_posteriors(costs, &alignment[0], &alignment[1], 0.5));
    for (int side = 0; side < 2; side++) pf_alignment_free(&alignment[side]);
}

static void check_matrices(void **state PF_UNUSED) {
    pf_costs costs = {0};
    pf_monotone monotone = {0};
    pf_tuples tuples = {0};
    int moved = 0;
    for (int round = 0; round < RANDOM_MATRICES; round++) {
        oracle truth = {.sources = 1 + (int)below(SIDE), .targets = 1 + (int)below(SIDE), .soft = round % 3 == 0};
        bool keep = below(4) == 0;
        unsigned values = 2 + below(round % 2 ? 3 : truth.soft ? 8 : 1000);
        (truth.soft ? fill_posteriors : fill_costs)(&costs, &truth, values);
        order_by_a1(&truth, keep);
        take_a2(&truth);
        take_a3(&truth);
        SUCCEED(pf_monotonize(&monotone, &costs, keep, &tuples));
        assert_int_equal(monotone.a1.n, keep ? 0 : truth.sources);
        for (int j = 0; j < truth.sources && !keep; j++) assert_int_equal(monotone.a1.at[j], truth.a1[j]);
        assert_int_equal(tuples.order.n, truth.sources);
        assert_int_equal(tuples.tuple.n, truth.sources);
        for (int i = 0; i < truth.targets; i++) {
            assert_int_equal(monotone.a2.at[i], truth.a2[i]);
            CHECK((int)monotone.a3.at[i] == truth.a3[i], "matrix %d, target %d: expected place %d, found %u", round, i, truth.a3[i],
                  monotone.a3.at[i]);
            moved += truth.a2[i] != truth.a3[i];
        }
        for (int place = 0, end = 0; place < truth.sources; place++) {
            assert_int_equal(tuples.order.at[place], truth.order[place]);
            assert_int_equal(tuples.tuple.at[place].source_end, place + 1);
            while (end < truth.targets && truth.a3[end] == place) end++;
            assert_int_equal(tuples.tuple.at[place].target_end, end);
        }
    }
    CHECK(moved > 1000, "A3 is A2 too often: %d", moved);
    pf_costs_free(&costs);
    pf_monotone_free(&monotone);
    pf_tuples_free(&tuples);
}

/* A side without words. */
static void check_empty(void **state PF_UNUSED) {
    pf_costs costs = {0};
    pf_monotone monotone = {0};
    pf_tuples tuples = {0};
    SUCCEED(pf_monotonize(&monotone, &costs, false, &tuples));
    assert_int_equal(tuples.tuple.n + tuples.order.n, 0);
    SUCCEED(pf_costs_resize(&costs, 0, 3));
    SUCCEED(pf_monotonize(&monotone, &costs, false, &tuples));
    assert_int_equal(tuples.tuple.n, 1);
    assert_int_equal(tuples.tuple.at[0].target_end, 3);
    SUCCEED(pf_costs_resize(&costs, 2, 0));
    SUCCEED(pf_monotonize(&monotone, &costs, false, &tuples));
    assert_int_equal(tuples.tuple.n, 2);
    assert_int_equal(tuples.tuple.at[1].source_end, 2);
    assert_int_equal(tuples.tuple.at[1].target_end, 0);
    assert_int_equal(pf_costs_resize(&costs, 65535, 65535), PF_ELIMIT);
    pf_costs_free(&costs);
    pf_monotone_free(&monotone);
    pf_tuples_free(&tuples);
}

/* ---- costs ---- */

static double at_least(const double posterior[SIDE][SIDE], int j, int i) { return posterior[j][i] > 1e-4 ? posterior[j][i] : 1e-4; }

/* 1 + x / 1024 for the largest x with x <= 256 |(2i - 1) J - (2j - 1) I| / (2 I J). */
static double not_linked(int i, int j, int I, int J) {
    int x = 0, distance = (2 * i - 1) * J - (2 * j - 1) * I;
    if (distance < 0) distance = -distance;
    while ((x + 1) * 2 * I * J <= 256 * distance) x++;
    return 1 + x / 1024.0;
}

static void random_alignment(pf_alignment *alignment, double posterior[SIDE][SIDE], int sources, int targets) {
    pf_alignment_reset(alignment);
    alignment->n_source = (uint32_t)sources;
    alignment->n_target = (uint32_t)targets;
    for (int j = 0; j < sources; j++)
        for (int i = 0; i < targets; i++) {
            posterior[j][i] = below(3) ? 0 : below(10) ? (1 + below(1000)) / 1000.0 : 1e-5;
            if (posterior[j][i] > 0)
                SUCCEED(pf_alignment_add(alignment, (pf_link){(uint32_t)j, (uint32_t)i, below(2), posterior[j][i]}));
        }
}

static void check_costs(void **state PF_UNUSED) {
    pf_costs costs = {0};
    pf_alignment alignment = {0}, other = {0};
    for (int round = 0; round < RANDOM_PAIRS; round++) {
        double first[SIDE][SIDE], second[SIDE][SIDE], share = below(5) / 4.0;
        int sources = 1 + (int)below(SIDE), targets = 1 + (int)below(SIDE);
        random_alignment(&alignment, first, sources, targets);
        random_alignment(&other, second, sources, targets);
        for (int kind = 0; kind < 4; kind++) {
            bool two = kind & 1, soft = kind & 2;
            SUCCEED((soft ? pf_costs_posteriors : pf_costs_links)(&costs, &alignment, two ? &other : NULL, share));
            assert_int_equal(costs.at.n, targets * sources);
            for (int j = 0; j < sources; j++)
                for (int i = 0; i < targets; i++) {
                    bool in_a = first[j][i] > 0, in_b = two ? second[j][i] > 0 : in_a;
                    double hard = in_a && in_b ? 0 : in_a ? share : in_b ? 1 - share : not_linked(i + 1, j + 1, targets, sources);
                    double mixed = two ? (1 - share) * at_least(first, j, i) + share * at_least(second, j, i)
                                       : at_least(first, j, i);
                    double want = soft ? -log(mixed) : hard, got = costs.at.at[j * targets + i];
                    CHECK(soft ? fabs(got - want) < 1e-12 : got == want, "%d-%d of %d-%d: expected %.12g, found %.12g",
                          j, i, sources, targets, want, got);
                }
        }
    }
    other.n_source++;
    assert_int_equal(pf_costs_links(&costs, &alignment, &other, 0.5), PF_EINPUT);
    other.n_source = PF_UNKNOWN_LENGTH;
    SUCCEED(pf_alignment_add(&other, (pf_link){SIDE, 0, false, NAN}));
    assert_int_equal(pf_costs_links(&costs, &alignment, &other, 0.5), PF_EINPUT); /* past the end that a knows */
    alignment.n_source = PF_UNKNOWN_LENGTH;
    SUCCEED(pf_costs_links(&costs, &alignment, &other, 0.5));
    assert_int_equal(costs.n_source, SIDE + 1);
    assert_int_equal(pf_costs_posteriors(&costs, &alignment, &other, 0.5), PF_EINPUT); /* one link has none */
    pf_costs_free(&costs);
    pf_alignment_free(&alignment);
    pf_alignment_free(&other);
}

/* ---- figure 1 of the paper ---- */

static const char *const german[] = {"mir", "würde", "sehr", "gut", "Anfang", "Mai", "passen", "."};
static const char *const english[] = {"the", "very", "beginning", "of", "May", "would", "suit", "me", "."};

/* Costs of links that an aligner would find; all others cost 4. "the" is drawn to "Mai", which A3 must not allow; "gut" has
 * no target of its own. */
static const struct {
    int j, i;
    double cost;
} figure[] = {{1, 8, 0.1}, {2, 6, 0.1}, {3, 2, 0.2}, {4, 3, 1.5}, {5, 3, 0.3}, {6, 5, 0.1},
              {7, 7, 0.4}, {8, 9, 0.1}, {6, 1, 1.0}, {3, 1, 2.0}, {5, 4, 1.0}, {6, 4, 1.2}};

static void words_of(const char *const *text, size_t n, pf_words *words) {
    for (size_t i = 0; i < n; i++) SUCCEED(PF_PUSH(words, ((pf_word){text[i], strlen(text[i])})));
}

static void check_figure(void **state PF_UNUSED) {
    pf_costs costs = {0};
    pf_monotone monotone = {0};
    pf_tuples tuples = {0};
    pf_words source = {0}, target = {0}, reordered = {0};
    pf_writer *writer;
    size_t n;
    SUCCEED(pf_costs_resize(&costs, LENGTH(german), LENGTH(english)));
    for (size_t k = 0; k < costs.at.n; k++) costs.at.at[k] = 4;
    for (size_t k = 0; k < LENGTH(figure); k++)
        costs.at.at[(figure[k].j - 1) * (int)LENGTH(english) + figure[k].i - 1] = figure[k].cost;
    SUCCEED(pf_monotonize(&monotone, &costs, false, &tuples));
    words_of(german, LENGTH(german), &source);
    words_of(english, LENGTH(english), &target);
    SUCCEED(pf_tuples_reorder(&tuples, &source, &reordered));
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_tuples_write_order(writer, &tuples));
    SUCCEED(pf_writer_put(writer, "\n", 1));
    SUCCEED(pf_tuples_write(writer, &tuples, &reordered, &target));
    SUCCEED(pf_writer_put(writer, "", 1));
    assert_string_equal((const char *)pf_writer_bytes(writer, &n),
                        "3 4 5 6 2 7 1 8\nsehr|the_very gut| Anfang|beginning_of Mai|May würde|would passen|suit mir|me .|.");
    pf_writer_clear(writer); /* all lines, to one writer */
    SUCCEED(pf_tuples_write_lines(&(pf_tuple_writers){writer, NULL, NULL}, &tuples, &source, &target));
    SUCCEED(pf_tuples_write_lines(&(pf_tuple_writers){NULL, writer, NULL}, &tuples, &source, &target));
    SUCCEED(pf_tuples_write_lines(&(pf_tuple_writers){NULL, NULL, writer}, &tuples, &source, &target));
    SUCCEED(pf_writer_put(writer, "", 1));
    assert_string_equal((const char *)pf_writer_bytes(writer, &n),
                        "sehr|the_very gut| Anfang|beginning_of Mai|May würde|would passen|suit mir|me .|.\n"
                        "sehr gut Anfang Mai würde passen mir .\n3 4 5 6 2 7 1 8\n");
    assert_int_equal(monotone.a2.at[0], 3); /* A2 has "the" at "Mai" */
    pf_writer_free(writer);
    pf_costs_free(&costs);
    pf_monotone_free(&monotone);
    pf_tuples_free(&tuples);
    PF_VEC_FREE(&source);
    PF_VEC_FREE(&target);
    PF_VEC_FREE(&reordered);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_matrices),
        cmocka_unit_test(check_empty),
        cmocka_unit_test(check_costs),
        cmocka_unit_test(check_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
