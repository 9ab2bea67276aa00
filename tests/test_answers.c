/* What else a search can be asked for, against the list of all paths: A*, paths that differ, lattices, and what is left
 * when a limit ends it. */
#include "paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void (*check)(pf_fst *fst, const paths *all);

/* Every space and text, composed with the model and alone; then machines without levels. */
static void each_machine(check check_one, unsigned longest) {
    for (size_t i = 0; i < SPACES; i++)
        for (size_t k = 0; k < TEXTS; k++)
            for (unsigned n = 0; n <= longest; n++) {
                pf_fst *linear = sentence(texts[k], n, n % 2), *perm = permute(linear, &spaces[i]), *composed = with_model(perm);
                pf_fst *machine[] = {perm, composed};
                for (unsigned which = 0; which < 2; which++) {
                    paths all = all_paths(machine[which], INFINITY);
                    check_one(machine[which], &all);
                    PF_VEC_FREE(&all.at);
                }
                pf_fst_free(composed);
                pf_fst_free(perm);
                pf_fst_free(linear);
            }
    for (unsigned seed = 0; seed < 300; seed++) {
        pf_fst *machine = random_machine(seed, false, seed % 3 == 2 ? -1.0f : 0.0f);
        paths all = all_paths(machine, INFINITY);
        check_one(machine, &all);
        PF_VEC_FREE(&all.at);
        pf_fst_free(machine);
    }
    for (unsigned seed = 0; seed < 200; seed++) {
        pf_fst *plain = random_machine(seed, false, 0.5f), *machine = cheaper(plain, seed, 5);
        paths all = all_paths(machine, INFINITY);
        check_one(machine, &all);
        PF_VEC_FREE(&all.at);
        pf_fst_free(machine);
        pf_fst_free(plain);
    }
}

/* ---- A* ---- */

static size_t searched, refused;

static void expect_the_same_from_astar(pf_fst *fst, const paths *all) {
    pf_answer answer;
    pf_err err = pf_best(fst, &(pf_best_options){.search = PF_SEARCH_ASTAR}, &answer);
    if (err == PF_EARG && strstr(pf_message(), "not to be negative")) {
        refused++;
        return;
    }
    assert_int_equal(err, PF_OK);
    assert_int_equal(answer.paths.n, all->at.n > 0);
    if (all->at.n) expect_path(&all->at.at[0], &answer.paths.at[0]);
    assert_true(pf_answer_optimal(&answer));
    pf_answer_free(&answer);
    searched++;
}

static void astar_gives_the_same_answer(void **state) {
    (void)state;
    each_machine(expect_the_same_from_astar, 7);
    assert_true(searched > 600 && refused < searched / 2);
}

/* ---- paths that differ ---- */

static bool same_string(const path *a, const path *b, pf_unique what) {
    pf_label label[MAX_ARCS] = {0}, y[MAX_ARCS] = {0};
    unsigned m = 0, n = 0;
    for (unsigned i = 0; i < a->n; i++)
        if ((label[m] = what == PF_UNIQUE_OUTPUTS ? a->out[i] : a->in[i])) m++;
    for (unsigned i = 0; i < b->n; i++)
        if ((y[n] = what == PF_UNIQUE_OUTPUTS ? b->out[i] : b->in[i])) n++;
    return m == n && memcmp(label, y, n * sizeof *label) == 0;
}

static paths first_of_each(const paths *all, pf_unique what) {
    paths out = {0};
    for (size_t i = 0; i < all->at.n; i++) {
        bool there = false;
        for (size_t k = 0; k < out.at.n; k++) there = there || same_string(&out.at.at[k], &all->at.at[i], what);
        if (!there) assert_int_equal(PF_PUSH(&out.at, all->at.at[i]), PF_OK);
    }
    return out;
}

static size_t left_out;

static void expect_unique(pf_fst *fst, const paths *all) {
    for (pf_unique what = PF_UNIQUE_OUTPUTS; what <= PF_UNIQUE_INPUTS; what++) {
        paths want = first_of_each(all, what);
        left_out += all->at.n - want.at.n;
        for (size_t n = 1; n <= want.at.n + 1; n += 1 + want.at.n / 3) {
            pf_answer answer;
            assert_int_equal(pf_best(fst, &(pf_best_options){.n = n, .unique = what}, &answer), PF_OK);
            assert_int_equal(answer.paths.n, n < want.at.n ? n : want.at.n);
            for (size_t i = 0; i < answer.paths.n; i++) expect_path(&want.at.at[i], &answer.paths.at[i]);
            pf_answer_free(&answer);
        }
        PF_VEC_FREE(&want.at);
    }
}

static void unique_paths_are_the_first_of_their_kind(void **state) {
    (void)state;
    each_machine(expect_unique, 5);
    assert_true(left_out > 1000);
}

/* ---- lattices ---- */

static void expect_useful(pf_fst *lattice) {
    for (pf_state state = 0; state < pf_fst_states(lattice); state++)
        assert_true(pf_fst_arcs(lattice, state).n || pf_fst_final(lattice, state) < INFINITY);
}

static size_t up_to(const paths *all, double most) {
    size_t n = 0;
    while (n < all->at.n && all->at.at[n].cost <= most) n++;
    return n;
}

/* Exactly the paths up to a cost, beside what else their arcs can form. `longest`: no path of more than this is listed. */
static void expect_lattice(pf_fst *fst, const paths *all, double more, double longest) {
    pf_answer answer;
    assert_int_equal(pf_best(fst, &(pf_best_options){.lattice = true, .threshold = more}, &answer), PF_OK);
    assert_int_equal(answer.lattice != NULL, all->at.n > 0);
    if (!all->at.n) {
        pf_answer_free(&answer);
        return;
    }
    pf_fst_set_symbols(answer.lattice, fst->isyms, fst->osyms);
    double most = all->at.at[0].cost + more + 1e-8;
    paths got = all_paths(answer.lattice, longest);
    size_t n = up_to(all, most);
    assert_int_equal(up_to(&got, most), n);
    for (size_t i = 0; i < n; i++) {
        assert_true(got.at.at[i].cost == all->at.at[i].cost && got.at.at[i].n == all->at.at[i].n);
        assert_true(memcmp(got.at.at[i].in, all->at.at[i].in, got.at.at[i].n * sizeof(pf_label)) == 0);
        assert_true(memcmp(got.at.at[i].out, all->at.at[i].out, got.at.at[i].n * sizeof(pf_label)) == 0);
    }
    expect_useful(answer.lattice);
    PF_VEC_FREE(&got.at);
    pf_answer_free(&answer);
}

/* Every arc is on a path that is good enough: the best over it is found by asking the machine without it. */
static void expect_no_useless_arc(pf_fst *fst, const paths *all, double more) {
    pf_answer answer;
    assert_int_equal(pf_best(fst, &(pf_best_options){.lattice = true, .threshold = more}, &answer), PF_OK);
    double most = all->at.at[0].cost + more + 1e-8;
    size_t arcs = 0, used = 0;
    for (pf_state state = 0; state < pf_fst_states(answer.lattice); state++) arcs += pf_fst_arcs(answer.lattice, state).n;
    for (size_t skip = 0; skip < arcs; skip++) {
        pf_build build = {0};
        pf_fst *without;
        size_t k = 0;
        assert_int_equal(pf_build_state(&build, pf_fst_states(answer.lattice) - 1), PF_OK);
        for (pf_state state = 0; state < pf_fst_states(answer.lattice); state++) {
            pf_arcs at = pf_fst_arcs(answer.lattice, state);
            assert_int_equal(pf_build_final(&build, state, pf_fst_final(answer.lattice, state)), PF_OK);
            for (uint32_t i = 0; i < at.n; i++)
                if (k++ != skip)
                    assert_int_equal(pf_build_arc(&build, state, at.arc[i].in, at.arc[i].out, at.arc[i].w, at.arc[i].to), PF_OK);
        }
        assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &without), PF_OK);
        paths fewer = all_paths(without, INFINITY), full = all_paths(answer.lattice, INFINITY);
        used += up_to(&fewer, most) < up_to(&full, most);
        PF_VEC_FREE(&fewer.at);
        PF_VEC_FREE(&full.at);
        pf_fst_free(without);
    }
    assert_int_equal(used, arcs);
    pf_answer_free(&answer);
}

static void expect_lattices(pf_fst *fst, const paths *all) {
    for (double more = 0; more <= 8; more = more * 2 + 0.5) expect_lattice(fst, all, more, INFINITY);
    expect_lattice(fst, all, INFINITY, INFINITY);
    if (all->at.n && all->at.n <= 24) expect_no_useless_arc(fst, all, 1.5);
}

static void lattices_have_the_good_paths(void **state) {
    (void)state;
    each_machine(expect_lattices, 5);
}

/* A path goes round a cycle that costs something as often as the threshold allows. */
static void lattices_may_have_cycles(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < 100; seed++) {
        pf_fst *fst = random_machine(seed, true, 0.5f);
        paths all = all_paths(fst, 5.0);
        if (all.at.n && all.at.at[0].cost <= 3) expect_lattice(fst, &all, 1.5, 5.0);
        PF_VEC_FREE(&all.at);
        pf_fst_free(fst);
    }
}

/* ---- checking ---- */

static size_t twins;

/* Each path is found at its own cost, also where another one has its labels; at any cost that no path has it is not. Weights
 * are a quarter apart at least. */
static void expect_verified(pf_fst *fst, const paths *all) {
    pf_answer answer;
    assert_int_equal(pf_best(fst, &(pf_best_options){.n = all->at.n + 1}, &answer), PF_OK);
    for (size_t i = 0; i < answer.paths.n; i++) {
        pf_path *found = &answer.paths.at[i];
        double cost;
        assert_int_equal(pf_verify_path(fst, found, &cost), PF_OK);
        assert_true(cost == found->cost);
        for (size_t k = 0; k < i; k++) {
            const path *one = &all->at.at[i], *other = &all->at.at[k];
            twins += one->cost != other->cost && one->n == other->n && !memcmp(one->in, other->in, one->n * sizeof *one->in) &&
                     !memcmp(one->out, other->out, one->n * sizeof *one->out);
        }
        found->final += 0.0625f;
        assert_int_equal(pf_verify_path(fst, found, &cost), PF_OK);
        assert_true(cost < (double)INFINITY && cost <= found->cost && cost != found->cost + 0.0625);
    }
    pf_answer_free(&answer);
}

static void answers_are_checked(void **state) {
    (void)state;
    each_machine(expect_verified, 4);
    assert_true(twins > 100);
}

/* ---- limits ---- */

static size_t stopped;

static void expect_a_certificate_at_a_limit(pf_fst *fst, const paths *all, pf_search how) {
    for (uint64_t limit = 1; limit < 300; limit += 1 + limit / 4) {
        pf_answer answer;
        pf_err err = pf_best(fst, &(pf_best_options){.search = how, .max_states = limit}, &answer);
        if (err == PF_ELIMIT || err == PF_EARG) continue; /* no path was met */
        assert_int_equal(err, PF_OK);
        stopped += answer.stopped;
        assert_int_equal(answer.paths.n, all->at.n > 0);
        if (!answer.paths.n) continue;
        expect_certificate(&answer, all, 1);
        if (!answer.stopped) assert_true(pf_answer_optimal(&answer));
        pf_answer_free(&answer);
    }
}

static void expect_certificates_at_limits(pf_fst *fst, const paths *all) {
    expect_a_certificate_at_a_limit(fst, all, PF_SEARCH_AUTO);
    expect_a_certificate_at_a_limit(fst, all, PF_SEARCH_ASTAR);
}

static void a_limit_leaves_a_path_and_a_bound(void **state) {
    (void)state;
    each_machine(expect_certificates_at_limits, 7);
    assert_true(stopped > 100);
}

/* The search of one path or three is stopped at each of its looks at the clock: nothing that it says is false. */
typedef struct {
    int looks, most;
} patience;

static bool out_of_patience(void *self) {
    patience *p = self;
    return ++p->looks > p->most;
}

static size_t impatient;

static void expect_truth_at_any_time(pf_fst *fst, const paths *all) {
    for (size_t n = 1; n <= 3; n += 2)
        for (int most = 0; most < 40; most += 1 + most / 8) {
            patience p = {0, most};
            pf_answer answer;
            pf_err err = pf_best(fst, &(pf_best_options){.n = n, .expired = out_of_patience, .self = &p}, &answer);
            if (err == PF_ELIMIT && !fst->layered) continue;
            assert_int_equal(err, PF_OK);
            impatient += answer.stopped;
            assert_int_equal(answer.paths.n > 0, all->at.n > 0);
            for (size_t i = 0; i < answer.paths.n; i++) assert_true(answer.paths.at[i].cost >= all->at.at[i].cost);
            expect_certificate(&answer, all, n);
            if (!answer.stopped) assert_int_equal(answer.paths.n, all->at.n < n ? all->at.n : n);
            pf_answer_free(&answer);
        }
}

static void nothing_false_is_said_at_any_time(void **state) {
    (void)state;
    each_machine(expect_truth_at_any_time, 6);
    assert_true(impatient > 100);
}

static bool after_some_looks(void *self) { return ++*(int *)self > 8; }

static void time_leaves_a_path_and_a_bound(void **state) {
    (void)state;
    static const space window = {{"ibm:5"}, "jumps:.01"}; /* routes or twins would end the search before 8 looks */
    int looks = 0;
    pf_fst *linear = sentence("that does me unfortunately not suit at the day the man the day qqq", 14, false);
    pf_fst *perm = permute(linear, &window);
    pf_answer exact, answer;
    pf_fst *composed = with_model(perm);
    assert_int_equal(pf_best(composed, &(pf_best_options){.n = 1}, &exact), PF_OK);
    assert_int_equal(pf_best(composed, &(pf_best_options){.expired = after_some_looks, .self = &looks}, &answer), PF_OK);
    assert_true(answer.stopped && answer.paths.n == 1);
    assert_true(answer.bound > 0 && answer.bound <= exact.paths.at[0].cost && exact.paths.at[0].cost <= answer.paths.at[0].cost);
    pf_answer_free(&answer);
    pf_answer_free(&exact);
    pf_fst_free(composed);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* Costs below 0, of a model and of the end: what is left may cost less than nothing. */
static void negative_scales_are_searched_exactly(void **state) {
    (void)state;
    static const double scales[] = {-1, -0.1, -3};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < TEXTS; k++)
            for (unsigned n = 0; n <= 7; n++) {
                pf_fst *linear = sentence(texts[k], n, false), *perm = permute(linear, &spaces[i]), *composed;
                pf_scored one = {&model, scales[(i + n) % 3]};
                assert_int_equal(pf_score_all(perm, 1, &one, 1, &composed), PF_OK);
                paths all = all_paths(composed, INFINITY);
                pf_best_options o[] = {{.n = 1}, {.n = 20}, {.beam = 1, .widen = true}, {.beam = 100000},
                                       {.search = PF_SEARCH_ASTAR}};
                for (size_t m = 0; m < sizeof o / sizeof *o; m++) {
                    pf_answer answer;
                    assert_int_equal(pf_best(composed, &o[m], &answer), PF_OK);
                    assert_true(answer.paths.n > 0 && pf_answer_optimal(&answer));
                    for (size_t x = 0; x < answer.paths.n; x++)
                        assert_true(fabs(answer.paths.at[x].cost - all.at.at[x].cost) < 1e-9);
                    pf_answer_free(&answer);
                }
                PF_VEC_FREE(&all.at);
                pf_fst_free(composed);
                pf_fst_free(perm);
                pf_fst_free(linear);
            }
}

/* Several models with costs below 0, and no time: the bound of a search that has not begun is not 0. */
static void a_bound_is_below_costs_that_are_negative(void **state) {
    (void)state;
    static const double scales[] = {-1, -0.3, -2};
    for (unsigned n = 8; n <= 12; n++)
        for (size_t i = 0; i < 3; i++) {
            pf_fst *linear = sentence("that does me unfortunately not suit at the day the man the", n, false);
            pf_fst *perm = permute(linear, &spaces[0]), *composed;
            pf_scored two[] = {{&model, scales[i]}, {&model, 0.2}};
            pf_answer exact, answer;
            assert_int_equal(pf_score_all(perm, 1, two, 2, &composed), PF_OK);
            assert_int_equal(pf_best(composed, &(pf_best_options){.n = 1}, &exact), PF_OK);
            assert_int_equal(pf_best(composed, &(pf_best_options){.n = 20000, .expired = at_once}, &answer), PF_OK);
            assert_true(answer.stopped && answer.bound <= exact.paths.at[0].cost);
            pf_answer_free(&answer);
            pf_answer_free(&exact);
            pf_fst_free(composed);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
}

static void what_does_not_go_together_is_refused(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[0], 4, false), *perm = permute(linear, &spaces[0]), *plain;
    pf_answer answer;
    assert_int_equal(pf_expand(perm, 0, &plain), PF_OK);
    assert_int_equal(pf_best(plain, &(pf_best_options){.search = PF_SEARCH_LEVELS}, &answer), PF_EARG);
    assert_int_equal(pf_best(perm, &(pf_best_options){.search = PF_SEARCH_ASTAR, .n = 2}, &answer), PF_EARG);
    assert_int_equal(pf_best(perm, &(pf_best_options){.search = PF_SEARCH_ASTAR, .beam = 2}, &answer), PF_EARG);
    assert_int_equal(pf_best(perm, &(pf_best_options){.lattice = true, .widen = true}, &answer), PF_EARG);
    assert_int_equal(pf_best(plain, &(pf_best_options){.lattice = true, .threshold = INFINITY, .max_states = 3}, &answer),
                     PF_ELIMIT);
    assert_int_equal(pf_best(perm, &(pf_best_options){.lattice = true, .threshold = INFINITY, .max_states = 3}, &answer),
                     PF_ELIMIT);
    pf_fst_free(plain);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static void a_negative_cycle_is_named(void **state) {
    (void)state;
    pf_build build = {0};
    pf_fst *fst;
    pf_answer answer;
    assert_int_equal(pf_build_arc(&build, 0, 7, 1, 1, 1), PF_OK);
    assert_int_equal(pf_build_arc(&build, 1, 8, 2, -2, 2), PF_OK);
    assert_int_equal(pf_build_arc(&build, 2, 9, 3, 0.5f, 1), PF_OK);
    assert_int_equal(pf_build_final(&build, 2, 0), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    assert_int_equal(pf_best(fst, &(pf_best_options){.n = 1}, &answer), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "through state 2 with the input 9 8 of cost -1.5"));
    pf_fst_free(fst);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(astar_gives_the_same_answer),
        cmocka_unit_test(unique_paths_are_the_first_of_their_kind),
        cmocka_unit_test(lattices_have_the_good_paths),
        cmocka_unit_test(lattices_may_have_cycles),
        cmocka_unit_test(answers_are_checked),
        cmocka_unit_test(a_limit_leaves_a_path_and_a_bound),
        cmocka_unit_test(nothing_false_is_said_at_any_time),
        cmocka_unit_test(time_leaves_a_path_and_a_bound),
        cmocka_unit_test(negative_scales_are_searched_exactly),
        cmocka_unit_test(a_bound_is_below_costs_that_are_negative),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(a_negative_cycle_is_named),
    };
    return cmocka_run_group_tests_name("answers", tests, read_model, free_model);
}
