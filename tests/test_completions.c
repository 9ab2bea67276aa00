/* Completions: what comes after each move of a space, against the coarse model taken literally, state by state and position by
 * position. */
#include "search/completion_impl.h"
#include "check.h"
#include "draw.h"
#include "paths.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t seed = 21;

static unsigned dice(unsigned sides) { return draw(&seed, sides); }

/* Some costs are below 0, as with potentials; and some are INFINITY. */
static float draw_cost(void) { return dice(12) ? (float)dice(4000) / 300 - 2 : INFINITY; }

/* The tables of a bound that completions read. */
typedef struct {
    pfi_bound bound;
    double own, final;
} coarse_model;

static coarse_model draw_coarse(unsigned n) {
    coarse_model coarse = {{.known = true, .length = n, .stride = pfi_whole_chunks(n)}, dice(3), dice(2)};
    const size_t count = (n + 1) * coarse.bound.stride + PFI_CHUNK;
    coarse.bound.after = calloc(count, sizeof *coarse.bound.after);
    coarse.bound.end_after = calloc(n, sizeof *coarse.bound.end_after);
    assert_true(coarse.bound.after && coarse.bound.end_after);
    for (unsigned last = 0; last <= n; last++)
        for (unsigned next = 0; next < n; next++) coarse.bound.after[last * coarse.bound.stride + next] = draw_cost();
    for (unsigned last = 0; last < n; last++) coarse.bound.end_after[last] = (double)draw_cost();
    return coarse;
}

static void free_coarse(const coarse_model *coarse) {
    free(coarse->bound.after);
    free(coarse->bound.end_after);
}

/* What a move costs after a position, and all that comes after it. `rest`: of each state a row, of what comes after it and each
 * position that was visited last. */
static double cost_of(const coarse_model *coarse, const pf_moves *moves, const double *rest, unsigned last, uint32_t move) {
    const unsigned position = moves->position[move];
    const double own = moves->cost ? coarse->own * moves->cost[move] : 0;
    const double after = rest[moves->to[move] * (size_t)moves->n + position];
    return (double)coarse->bound.after[last * coarse->bound.stride + position] + own + after;
}

static double least_after(const coarse_model *coarse, const pf_moves *moves, const double *rest, unsigned last, uint32_t state) {
    double least = (double)INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
        least = fmin(least, cost_of(coarse, moves, rest, last, i));
    return least;
}

/* From the end, as moves lead to later states. */
static double *find_rest(const coarse_model *coarse, const pf_moves *moves) {
    const unsigned n = moves->n;
    double *rest = malloc(moves->states * (size_t)n * sizeof *rest);
    assert_non_null(rest);
    for (uint32_t state = moves->states; state-- > 0;)
        for (unsigned last = 0; last < n; last++)
            rest[state * (size_t)n + last] = state + 1 == moves->states ? coarse->bound.end_after[last] + coarse->final
                                                                        : least_after(coarse, moves, rest, last, state);
    return rest;
}

/* A bound in floats, lower by what the sums of n positions and the end are rounded by. */
static void expect_below(unsigned n, double got, double want) {
    if (want == (double)INFINITY) assert_true(got == want);
    else assert_true(got <= want && got >= want - 6e-7 * (n + 1) * (fabs(want) + 2 * n));
}

static void expect_completions(const pf_moves *moves) {
    const coarse_model coarse = draw_coarse(moves->n);
    double *rest = find_rest(&coarse, moves);
    pfi_completion completion = {.moves = moves};
    SUCCEED(pfi_completion_of_positions(&completion, &coarse.bound, coarse.own, coarse.final));
    for (uint32_t state = 0; state < moves->states; state++) {
        pfi_completion_know(&completion, state);
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
            expect_below(moves->n, (double)pfi_completion_after(&completion, i, 0),
                         rest[moves->to[i] * (size_t)moves->n + moves->position[i]]);
    }
    expect_below(moves->n, completion.start, least_after(&coarse, moves, rest, moves->n, 0));
    pfi_completion_free(&completion);
    free(rest);
    free_coarse(&coarse);
}

static void completions_are_the_definition(void **unused) {
    static const struct {
        const char *of, *weights;
        unsigned from, to;
    } spec[] = {
        {"ibm:1", NULL, 1, 9}, {"ibm:2", NULL, 1, 26}, {"ibm:3", NULL, 1, 26}, {"ibm:4", NULL, 1, 19}, {"ibm:5", NULL, 5, 13},
        {"ibm:7", NULL, 8, 11}, {"inverse-ibm:3", NULL, 4, 17}, {"local:4", NULL, 5, 24}, {"local:7", NULL, 8, 12},
        {"mj:3", NULL, 5, 11}, {"distortion:3", NULL, 5, 18}, {"displacement:2", NULL, 5, 19}, {"itg", NULL, 2, 8},
        {"itg+ibm:3", NULL, 5, 14}, {"ibm:2|local:4", NULL, 6, 15}, {"ibm:4+local:6", NULL, 8, 16}, {"wall:5+ibm:4", NULL, 8, 14},
        {"none", NULL, 1, 10}, {"none", "jumps:1", 2, 8}, {"ibm:4", "monotone:0.5", 2, 14}, {"ibm:3", "inversions:0.25", 4, 12},
        {"local:5", "jumps:0.5", 6, 12},
    };
    pf_moves_store *store;
    (void)unused;
    SUCCEED(pf_moves_store_new(0, &store));
    for (size_t i = 0; i < LENGTH(spec); i++)
        for (unsigned n = spec[i].from; n <= spec[i].to; n++) {
            const pf_moves *moves = take_moves(store, spec[i].of, n, spec[i].weights, 1 << 20);
            assert_non_null(moves);
            for (unsigned k = 0; k < 3; k++) expect_completions(moves);
            pf_moves_give_back(store, moves);
        }
    pf_moves_store_free(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_are_the_definition),
    };
    return cmocka_run_group_tests_name("completions", tests, NULL, NULL);
}
