/* A pass over a table of moves, against its definition: of all that the hypotheses of a level lead to, those of one state and
 * history become one, and the beam keeps the best of these. The definition makes everything, and drops afterwards. */
#include "draw.h"
#include "paths.h"
#include "values.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "potentials.h"

#define SUCCEED(call) assert_int_equal(call, PF_OK)

static uint64_t seed;
static pf_moves_store *store;

static unsigned dice(unsigned sides) { return draw(&seed, sides); }

/* ---- the definition ---- */

typedef struct {
    pf_state state;
    uint32_t history;
    double cost, total; /* the least of all ways */
    bool kept;
} hypothesis;

typedef struct {
    pfi_levels *all;
    const pfi_pass *pass;
    PF_VEC(hypothesis) now, next;
    pfi_totals dropped; /* of each hypothesis that was dropped, the least total */
    bool tied;          /* totals are equal where the beam ends: the order of paths tells which are kept */
} definition;

static size_t find(const definition *of, pf_state state, uint32_t history) {
    size_t i = 0;
    while (i < of->next.n && (of->next.at[i].state != state || of->next.at[i].history != history)) i++;
    return i;
}

static void add_way(definition *of, pf_state state, uint32_t history, double cost, double total) {
    const size_t at = find(of, state, history);
    if (at == of->next.n) SUCCEED(PF_PUSH(&of->next, ((hypothesis){state, history, cost, total, true})));
    hypothesis *there = &of->next.at[at];
    if (cost < there->cost) there->cost = cost;
    if (total < there->total) there->total = total;
}

static void extend(definition *of, const hypothesis *from) {
    pfi_levels *all = of->all;
    const pf_moves *moves = all->moves;
    const pf_slots_view *slots = &all->slots;
    SUCCEED(pfi_rows_fill(&all->rows, from->history));
    pfi_completion_know(&all->completion, from->state);
    const pfi_cell *cells = pfi_rows_cells(&all->rows, from->history);
    for (uint32_t move = moves->first[from->state]; move < moves->first[from->state + 1]; move++) {
        const uint32_t first = slots->first[moves->position[move]], end = slots->first[moves->position[move] + 1];
        for (uint32_t word = first; word < end; word++) {
            const float arc = (float)((moves->cost ? moves->cost[move] : 0) + (double)slots->arc[word].w);
            const pfi_cell *cell = &cells[pfi_rows_column(&all->rows, slots->arc[word].out)];
            const float weight = (float)(pf_scaled(all->rows.parts.own, (double)arc) + cell->cost);
            const double cost = from->cost + (double)weight, more = all->bound.potential.n ? all->bound.potential.at[cell->to] : 0;
            const double total = cost + more + (double)pfi_completion_after(&all->completion, move, word - first);
            if (total <= fmin(of->pass->limit, DBL_MAX)) add_way(of, moves->to[move], cell->to, cost, total);
        }
    }
}

/* How many have a smaller total. */
static size_t rank(const definition *of, const hypothesis *one) {
    size_t rank = 0;
    for (size_t i = 0; i < of->next.n; i++) rank += of->next.at[i].total < one->total;
    return rank;
}

static void prune(definition *of) {
    size_t kept = 0;
    for (size_t i = 0; of->pass->beam && i < of->next.n; i++) {
        hypothesis *one = &of->next.at[i];
        one->kept = rank(of, one) < of->pass->beam;
        if (!one->kept) SUCCEED(PF_PUSH(&of->dropped, one->total));
        kept += one->kept;
    }
    of->tied = of->tied || kept > of->pass->beam;
}

static void go_on(definition *of) {
    of->now.n = 0;
    for (size_t i = 0; i < of->next.n; i++)
        if (of->next.at[i].kept) SUCCEED(PF_PUSH(&of->now, of->next.at[i]));
    of->next.n = 0;
}

/* The least cost of a path. */
static double define(definition *of) {
    pfi_levels *all = of->all;
    double least = (double)INFINITY;
    SUCCEED(PF_PUSH(&of->now, ((hypothesis){0, 0, 0, 0, true})));
    for (unsigned level = 0; level < all->moves->n; level++) {
        for (size_t i = 0; i < of->now.n; i++) extend(of, &of->now.at[i]);
        prune(of);
        go_on(of);
    }
    for (size_t i = 0; i < of->now.n; i++) {
        SUCCEED(pfi_rows_fill(&all->rows, of->now.at[i].history));
        const double own = pf_scaled(all->rows.parts.own, (double)all->slots.final);
        least = fmin(least, of->now.at[i].cost + (double)(float)(own + all->rows.final.at[of->now.at[i].history]));
    }
    return least;
}

static void definition_free(definition *of) {
    PF_VEC_FREE(&of->now);
    PF_VEC_FREE(&of->next);
    PF_VEC_FREE(&of->dropped);
}

/* ---- the pass ---- */

/* What was dropped: each hypothesis once, with its least total. */
static void expect_dropped(const definition *of, const pfi_totals *dropped) {
    assert_int_equal(dropped->n, of->dropped.n);
    if (!dropped->n) return;
    qsort(dropped->at, dropped->n, sizeof *dropped->at, by_value);
    qsort(of->dropped.at, of->dropped.n, sizeof *of->dropped.at, by_value);
    for (size_t i = 0; i < dropped->n; i++) assert_true(dropped->at[i] == of->dropped.at[i]);
}

/* Passes of a beam that were compared, and those that were not: totals were equal. */
static unsigned compared, tied;

/* Returns the cost of the path, or INFINITY where there is none. */
static double expect_pass(pfi_levels *all, const pfi_pass *pass) {
    definition of = {.all = all, .pass = pass};
    pf_answer answer = {0};
    const double least = define(&of);
    SUCCEED(pfi_levels_pass(all, pass, &answer));
    const double cost = answer.paths.n ? answer.paths.at[0].cost : (double)INFINITY;
    if (!of.tied) {
        assert_true(cost == least);
        expect_dropped(&of, &all->dropped);
    }
    compared += pass->beam && !of.tied;
    tied += of.tied;
    pf_answer_free(&answer);
    definition_free(&of);
    return cost;
}

/* With a beam; then within the cost of the path that it has found, with a wider one and with none. */
static void expect_passes(pf_fst *fst, size_t beam, size_t count, bool potentials) {
    const pf_best_options options = {.n = count, .threshold = (double)INFINITY, .moves = store};
    pfi_levels all;
    SUCCEED(pfi_levels_init(&all, fst, &options));
    assert_non_null(all.completion.moves);
    if (potentials) make_potentials(&all, 8);
    const double infinite = (double)INFINITY;
    const double cost = expect_pass(&all, &(pfi_pass){.beam = beam, .threshold = infinite, .limit = infinite});
    const double limit = cost + pfi_levels_slack(&all, cost);
    expect_pass(&all, &(pfi_pass){.beam = 2 * beam, .threshold = infinite, .limit = limit});
    const double best = expect_pass(&all, &(pfi_pass){.threshold = infinite, .limit = limit});
    assert_true(best <= cost);
    pfi_levels_free(&all);
}

/* ---- machines ---- */

/* The words of a sentence differ, so that totals are rarely equal, and the beam has no choice. */
static const char *const word[] = {"the", "in", "at", "i", "to", "a", "for", "you", "this", "that", "by", "we"};
enum { WORDS = sizeof word / sizeof *word };

static pf_fst *random_sentence(unsigned n, bool alternatives) {
    unsigned order[WORDS];
    pf_build build = {0};
    pf_symtab *words;
    for (unsigned i = 0; i < WORDS; i++) {
        const unsigned k = dice(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    SUCCEED(pf_symtab_new("words", &words));
    SUCCEED(pf_build_state(&build, n));
    for (unsigned j = 0; j < n; j++) {
        pf_label label, second;
        SUCCEED(pf_symtab_add(words, word[order[j]], strlen(word[order[j]]), &label));
        SUCCEED(pf_symtab_add(words, word[order[WORDS - 1 - j]], strlen(word[order[WORDS - 1 - j]]), &second));
        SUCCEED(pf_build_arc(&build, j, label, label, 0.01f * (float)dice(100), j + 1));
        if (alternatives && j % 2 && label != second)
            SUCCEED(pf_build_arc(&build, j, second, second, 0.01f * (float)dice(100), j + 1));
    }
    return finish_sentence(&build, n, 0.125f, words);
}

static const space some_spaces[] = {
    {{"none"}, NULL},    {{"ibm:3"}, NULL},   {{"local:3"}, NULL},         {{"inverse-ibm:2"}, NULL},
    {{"mj:3"}, NULL},    {{"ibm:4"}, NULL},   {{"ibm:3", "itg"}, NULL},    {{"ibm:3"}, "jumps:.37"},
    {{"none"}, "distance:.21"},
};
enum { SOME_SPACES = sizeof some_spaces / sizeof *some_spaces };

static void passes_are_those_of_the_definition(void **state) {
    (void)state;
    for (unsigned round = 0; round < 40 * SOME_SPACES; round++) {
        seed = 500 + round;
        pf_fst *linear = random_sentence(1 + dice(7), dice(3) == 0), *perm = permute(linear, &some_spaces[round % SOME_SPACES]);
        pf_fst *scored = with_model(perm);
        const unsigned size = 1 + dice(4);
        expect_passes(scored, size * size, 1 + (size_t)dice(2) * 3, dice(2));
        pf_fst_free(scored);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
    assert_true(compared > tied);
}

static int begin(void **state) {
    return pf_moves_store_new(UINT64_MAX, &store) ? -1 : read_model(state);
}

static int end(void **state) {
    pf_moves_store_free(store);
    return free_model(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_are_those_of_the_definition)};
    return cmocka_run_group_tests_name("passes", tests, begin, end);
}
