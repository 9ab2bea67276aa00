/* The beam of a level: against the order of all its hypotheses, put in order one by one. */
#include "search/level.h"
#include "draw.h"
#include "values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUCCEED(call) assert_int_equal(call, PF_OK)

enum { MOST = 120, LABELS = 3 };

static uint64_t seed = 11;

static unsigned dice(unsigned sides) { return draw(&seed, sides); }

/* A level of blocks with up to five hypotheses each, or of as many hypotheses of each state, without blocks; some totals are equal,
 * and some of their paths have equal labels. Each path has two arcs. */
static void random_level(pfi_level *level, pfi_graph *graph, unsigned totals, bool blocks) {
    uint32_t first[LABELS];
    const unsigned count = dice(MOST);
    *level = (pfi_level){0};
    *graph = (pfi_graph){.same_length = true};
    SUCCEED(pfi_graph_start(graph));
    for (pf_label label = 0; label < LABELS; label++) {
        SUCCEED(pfi_graph_node(graph, &first[label]));
        graph->best.at[first[label]] = (pfi_edge){PFI_START_NODE, label + 1, label + 1, 0};
    }
    for (pf_state state = 0; level->hypotheses.n < count; state++) {
        pfi_block block = {.state = state, .first = (uint32_t)level->hypotheses.n, .hypotheses = dice(6)};
        for (uint32_t history = 0; history < block.hypotheses; history++) {
            pfi_hypothesis one = {.total = dice(totals) / 4.0, .history = history, .state = blocks ? 0 : state};
            SUCCEED(pfi_graph_node(graph, &one.node));
            const pf_label label = 1 + (pf_label)dice(LABELS);
            graph->best.at[one.node] = (pfi_edge){first[dice(LABELS)], label, label, 0};
            SUCCEED(PF_PUSH(&level->hypotheses, one));
        }
        if (blocks) SUCCEED(PF_PUSH(&level->blocks, block));
    }
}

static void level_clear(pfi_level *level, pfi_graph *graph) {
    pfi_level_free(level);
    pfi_graph_free(graph);
}

/* Is one before the other, by total, the labels of the path, and the node? Inputs count before outputs, which are the same here. */
static bool before(const pfi_graph *graph, const pfi_hypothesis *one, const pfi_hypothesis *other) {
    if (one->total != other->total) return one->total < other->total;
    const pfi_edge *last = &graph->best.at[one->node], *its = &graph->best.at[other->node];
    const pf_label first = graph->best.at[last->from].in, its_first = graph->best.at[its->from].in;
    if (first != its_first) return first < its_first;
    if (last->in != its->in) return last->in < its->in;
    return one->node < other->node;
}

/* How many are before it. */
static size_t rank(const pfi_level *level, const pfi_graph *graph, size_t i) {
    size_t count = 0;
    for (size_t k = 0; k < level->hypotheses.n; k++) count += before(graph, &level->hypotheses.at[k], &level->hypotheses.at[i]);
    return count;
}

static void expect_dropped(const pfi_totals *dropped, double *expected, size_t count) {
    assert_int_equal(dropped->n, count + 1);
    assert_true(dropped->at[0] == -1);
    qsort(dropped->at + 1, count, sizeof *dropped->at, by_value);
    qsort(expected, count, sizeof *expected, by_value);
    for (size_t i = 0; i < count; i++) assert_true(dropped->at[i + 1] == expected[i]);
}

/* Each state that is there once. */
static void expect_states(const pfi_level *level) {
    bool seen[MOST] = {false};
    uint64_t states, expected = 0;
    SUCCEED(pfi_level_states(level, &states));
    for (size_t i = 0; i < level->hypotheses.n; i++) {
        bool *of = &seen[level->hypotheses.at[i].state];
        expected += !*of;
        *of = true;
    }
    assert_int_equal(states, level->blocks.n ? level->blocks.n : expected);
}

static void the_k_least_totals_come_first(void **unused) {
    (void)unused;
    for (unsigned round = 0; round < 4000; round++) {
        double total[MOST], sorted[MOST];
        const size_t count = 1 + dice(MOST), k = 1 + dice((unsigned)count);
        const unsigned totals = 1 + dice(2 * MOST);
        for (size_t i = 0; i < count; i++) sorted[i] = total[i] = dice(totals) / 4.0;
        qsort(sorted, count, sizeof *sorted, by_value);
        assert_true(pfi_select_total(total, count, k) == sorted[k - 1]);
        qsort(total, k, sizeof *total, by_value);
        for (size_t i = 0; i < k; i++) assert_true(total[i] == sorted[i]);
        qsort(total, count, sizeof *total, by_value);
        for (size_t i = 0; i < count; i++) assert_true(total[i] == sorted[i]);
    }
}

static void a_beam_keeps_the_best_in_their_order(void **unused) {
    (void)unused;
    for (unsigned round = 0; round < 6000; round++) {
        pfi_level level;
        pfi_graph graph;
        pfi_totals dropped = {0};
        pfi_hypothesis kept[MOST + 6];
        double lost[MOST + 6], least = (double)INFINITY;
        size_t keeps = 0, loses = 0;
        random_level(&level, &graph, round % 3 ? 1 + dice(12) : 100000, dice(2));
        const size_t beam = dice(4) ? dice(40) : 0;
        const double threshold = dice(2) ? (double)INFINITY : dice(9) / 4.0;
        SUCCEED(PF_PUSH(&dropped, -1));
        for (size_t i = 0; i < level.hypotheses.n; i++) least = fmin(least, level.hypotheses.at[i].total);
        for (size_t i = 0; i < level.hypotheses.n; i++) {
            const pfi_hypothesis *one = &level.hypotheses.at[i];
            const bool within = one->total <= least + threshold && (!beam || rank(&level, &graph, i) < beam);
            if (within) kept[keeps++] = *one;
            else lost[loses++] = one->total;
        }
        SUCCEED(pfi_level_prune(&level, &graph, beam, threshold, &dropped));
        assert_int_equal(level.hypotheses.n, keeps);
        assert_true(pfi_level_in_order(&level));
        for (size_t i = 0; i < keeps; i++) {
            const pfi_hypothesis *one = &level.hypotheses.at[i];
            assert_true(one->node == kept[i].node && one->total == kept[i].total && one->history == kept[i].history);
            assert_int_equal(one->state, kept[i].state);
        }
        expect_states(&level);
        expect_dropped(&dropped, lost, loses);
        PF_VEC_FREE(&dropped);
        level_clear(&level, &graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_keeps_the_best_in_their_order),
        cmocka_unit_test(the_k_least_totals_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
