/* Tables of moves against the permutation automaton, state by state; and the store that keeps them. */
#include "paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The space of an automaton, and what its moves cost. */
static void parts_of(pf_fst *perm, const pf_con **con, const pf_wm **wm) {
    pf_slots_view view;
    perm->op->slots(perm->self, &view);
    *con = pf_fst_space(perm);
    *wm = view.weights;
}

/* Both are walked at once, and each state of one belongs to one state of the other. The words of the sentence cost nothing. */
static void expect_same_moves(const pf_moves *moves, pf_fst *perm) {
    uint32_t *state = malloc(moves->states * sizeof *state);
    assert_non_null(state);
    for (uint32_t s = 0; s < moves->states; s++) state[s] = PF_NO_STATE;
    state[0] = perm->start;
    for (uint32_t s = 0; s < moves->states; s++) {
        assert_true(state[s] != PF_NO_STATE);
        pf_arcs arcs = pf_fst_arcs(perm, state[s]);
        assert_int_equal(arcs.n, moves->first[s + 1] - moves->first[s]);
        assert_int_equal(pf_fst_final(perm, state[s]) < INFINITY, s + 1 == moves->states);
        for (uint32_t i = 0; i < arcs.n; i++) {
            const uint32_t move = moves->first[s] + i, to = moves->to[move];
            assert_int_equal(arcs.arc[i].in, moves->position[move] + 1);
            assert_true(arcs.arc[i].w == (moves->cost ? (float)moves->cost[move] : 0));
            if (state[to] == PF_NO_STATE) state[to] = arcs.arc[i].to;
            assert_int_equal(state[to], arcs.arc[i].to);
        }
    }
    assert_int_equal(pf_fst_complete(perm), PF_OK);
    assert_int_equal(pf_fst_states(perm), moves->states);
    free(state);
}

static size_t tables;

static void a_table_is_the_automaton(void **unused) {
    (void)unused;
    pf_moves_store *store;
    assert_int_equal(pf_moves_store_new(1 << 20, &store), PF_OK);
    for (size_t i = 0; i < SPACES; i++)
        for (unsigned n = 0; n <= 7; n++) {
            pf_fst *linear = sentence(texts[1], n, false), *perm = permute(linear, &spaces[i]);
            const pf_moves *moves;
            const pf_con *con;
            const pf_wm *wm;
            parts_of(perm, &con, &wm);
            assert_int_equal(pf_moves_take(store, con, wm, 1 << 20, &moves), PF_OK);
            assert_true((moves != NULL) != con->looks_ahead);
            if (moves) expect_same_moves(moves, perm);
            tables += moves != NULL;
            pf_moves_give_back(store, moves);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
    assert_true(tables > 50);
    pf_moves_store_free(store);
}

static const pf_moves *take(pf_moves_store *store, const char *spec, unsigned n, const char *weights, uint32_t most) {
    pf_con *con;
    pf_wm *wm, *part[1];
    pf_weight weight = {.spec = weights};
    const pf_moves *moves;
    assert_int_equal(pf_con_new(spec, n, &con), PF_OK);
    if (weights) assert_int_equal(pf_wm_new(&weight, n, &part[0]), PF_OK);
    assert_int_equal(pf_wm_sum(part, weights != NULL, n, &wm), PF_OK);
    assert_int_equal(pf_moves_take(store, con, wm, most, &moves), PF_OK);
    pf_wm_free(wm);
    pf_con_free(con);
    return moves;
}

static void tables_are_shared_and_told_apart(void **unused) {
    (void)unused;
    pf_moves_store *store;
    static const struct {
        const char *con, *wm;
        unsigned n;
    } different[] = {{"ibm:2", NULL, 6}, {"ibm:3", NULL, 6}, {"ibm:2", NULL, 7}, {"local:2", NULL, 6}, {"ibm:2", "monotone:0.5", 6},
                     {"ibm:2", "monotone:0.25", 6}, {"ibm:2", "monotone:0.5*2", 6}, {"ibm:2", "monotone:0.25*2", 6},
                     {"ibm:2", "monotone:0.5*-2", 6}, {"ibm:2+local:2", NULL, 6}, {"ibm:2|local:2", NULL, 6}};
    enum { KINDS = sizeof different / sizeof *different };
    const pf_moves *first[KINDS];
    assert_int_equal(pf_moves_store_new(0, &store), PF_OK);
    for (size_t i = 0; i < KINDS; i++) first[i] = take(store, different[i].con, different[i].n, different[i].wm, 1000);
    for (size_t i = 0; i < KINDS; i++) {
        if (!first[i]) continue;
        for (size_t k = 0; k < i; k++) assert_true(first[i] != first[k]);
        assert_ptr_equal(take(store, different[i].con, different[i].n, different[i].wm, 1000), first[i]);
        pf_moves_give_back(store, first[i]);
    }
    assert_non_null(first[0]);
    for (size_t i = 0; i < KINDS; i++) pf_moves_give_back(store, first[i]);
    pf_moves_give_back(store, NULL);
    pf_moves_store_free(store);
}

/* What nobody uses goes, the oldest first, when there is no more room; what is in use stays. */
static void what_is_in_use_stays(void **unused) {
    (void)unused;
    pf_moves_store *store;
    assert_int_equal(pf_moves_store_new(4000, &store), PF_OK);
    const pf_moves *held = take(store, "none", 4, NULL, 1000);
    assert_int_equal(held->states, 16);
    for (unsigned n = 1; n <= 9; n++) pf_moves_give_back(store, take(store, "none", n, NULL, 100000));
    assert_ptr_equal(take(store, "none", 4, NULL, 1000), held);
    assert_int_equal(held->states, 16);
    pf_moves_give_back(store, held);
    pf_moves_give_back(store, held);
    pf_moves_store_free(store);
}

/* Spaces that differ from sentence to sentence do not pile up: what was known of the first is asked again. */
static void few_spaces_are_known(void **unused) {
    (void)unused;
    pf_moves_store *store;
    char spec[40];
    assert_int_equal(pf_moves_store_new(1 << 30, &store), PF_OK);
    assert_null(take(store, "none", 6, NULL, 10));
    for (unsigned wall = 1; wall <= 1100; wall++) {
        snprintf(spec, sizeof spec, "wall:%u", wall);
        pf_moves_give_back(store, take(store, spec, 1101, NULL, 50));
    }
    const pf_moves *moves = take(store, "none", 6, NULL, 1000);
    assert_non_null(moves);
    pf_moves_give_back(store, moves);
    pf_moves_store_free(store);
}

static void there_is_no_table_of_too_many_moves(void **unused) {
    (void)unused;
    pf_moves_store *store;
    assert_int_equal(pf_moves_store_new(1 << 20, &store), PF_OK);
    assert_null(take(store, "none", 5, NULL, 79));
    assert_null(take(store, "none", 5, NULL, 79));
    const pf_moves *moves = take(store, "none", 4, NULL, 32); /* 4 x 2^3 */
    assert_non_null(moves);
    pf_moves_give_back(store, moves);
    pf_moves_store_free(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_the_automaton),
        cmocka_unit_test(tables_are_shared_and_told_apart),
        cmocka_unit_test(what_is_in_use_stays),
        cmocka_unit_test(few_spaces_are_known),
        cmocka_unit_test(there_is_no_table_of_too_many_moves),
    };
    return cmocka_run_group_tests_name("moves", tests, NULL, NULL);
}
