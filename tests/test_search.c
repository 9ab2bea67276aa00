/* Searches against brute force: every path of a machine is listed by walking it, sorted by the documented order, and
 * compared with the n best, exactly. */
#include "machines.h"
#include "oracle.h"
#include "paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static pf_moves_store *store; /* searches are done without it and with it */

static void expect_best_with(pf_fst *f, const paths *want, const pf_best_options *o) {
    pf_answer answer;
    assert_int_equal(pf_best(f, o, &answer), PF_OK);
    assert_int_equal(answer.paths.n, o->n < want->at.n ? o->n : want->at.n);
    for (size_t i = 0; i < answer.paths.n; i++) expect_path(&want->at.at[i], &answer.paths.at[i]);
    assert_true(pf_answer_optimal(&answer));
    pf_answer_free(&answer);
}

static void expect_best(pf_fst *fst, const paths *want, size_t wanted) {
    expect_best_with(fst, want, &(pf_best_options){.n = wanted});
    expect_best_with(fst, want, &(pf_best_options){.n = wanted, .moves = store});
}

/* Asks for every n in turn: the n best are a prefix of the n+1 best. */
static void expect_all_best(pf_fst *fst, const paths *want) {
    for (size_t n = 1; n <= want->at.n + 1; n += n < 12 ? 1 : want->at.n / 3 + 1) expect_best(fst, want, n);
    expect_best(fst, want, want->at.n + 1);
}

/* The cost by the definitions: the oracle's moves and weights, and the model word by word. */
static double cost_by_definition(const space *s, const unsigned *p, unsigned n, pf_fst *linear, const oracle_set *set) {
    double cost = s->wm ? oracle_cost(set, s->wm, NULL, p) : 0;
    pf_scorer by;
    assert_int_equal(pf_scorer_of(&model, &by), PF_OK);
    pf_state at = by.cls->start(&by);
    for (unsigned step = 0; step < n; step++) {
        size_t length;
        const char *word = pf_symtab_name(linear->osyms, pf_fst_arcs(linear, p[step]).arc[0].out, &length);
        cost += by.cls->step(&by, at, by.cls->label(&by, word, length), &at);
    }
    cost += by.cls->final(&by, at) + 0.125;
    pf_scorer_end(&by);
    return cost;
}

/* ---- tests ---- */

/* Composed with a trigram: the walk lists exactly the oracle's permutations at the costs of the definitions, and the
 * search by levels and the one by arcs give all of them in order. */
static void exact_search_is_brute_force(void **state) {
    (void)state;
    for (size_t t = 0; t < (size_t)TEXTS; t++)
        for (size_t at = 0; at < SPACES; at++)
            for (unsigned length = 0; length <= 7; length++) {
                pf_fst *linear = sentence(texts[t], length, false), *perm = permute(linear, &spaces[at]), *plain;
                pf_fst *composed = with_model(perm);
                paths want = all_paths(composed, INFINITY);
                oracle_set set = oracle_all(spaces[at].con, spaces[at].con[1] ? 2 : 1, length);
                assert_int_equal(want.at.n, set.count);
                for (size_t k = 0; k < want.at.n; k++) {
                    unsigned p[8];
                    for (unsigned j = 0; j < length; j++) p[j] = (unsigned)want.at.at[k].in[j] - 1;
                    assert_true(oracle_find(&set, p) != SIZE_MAX);
                    double cost = cost_by_definition(&spaces[at], p, length, linear, &set);
                    assert_true(fabs(cost - want.at.at[k].cost) < 1e-4);
                }
                expect_best(composed, &want, 1);
                if (length <= 5) expect_all_best(composed, &want);
                else expect_best(composed, &want, 20);
                assert_int_equal(pf_expand(composed, 0, &plain), PF_OK);
                assert_false(plain->layered);
                expect_best(plain, &want, 1);
                if (length <= 5) expect_all_best(plain, &want);
                else expect_best(plain, &want, 20);
                free(set.at);
                PF_VEC_FREE(&want.at);
                pf_fst_free(plain);
                pf_fst_free(composed);
                pf_fst_free(perm);
                pf_fst_free(linear);
            }
}

static void alternatives_keep_their_weights(void **state) {
    (void)state;
    for (size_t i = 0; i < SPACES; i++)
        for (unsigned length = 1; length <= 5; length++) {
            pf_fst *linear = sentence(texts[0], length, true), *perm = permute(linear, &spaces[i]), *composed = with_model(perm);
            paths want = all_paths(composed, INFINITY), alone = all_paths(perm, INFINITY);
            expect_best(composed, &want, want.at.n);
            expect_best(composed, &want, 1);
            expect_best(perm, &alone, alone.at.n);
            PF_VEC_FREE(&want.at);
            PF_VEC_FREE(&alone.at);
            pf_fst_free(composed);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
}

/* Without weights everything ties: permutations come in lexicographic order. */
static void ties_come_in_lexicographic_order(void **state) {
    (void)state;
    pf_fst *linear = sentence("a b a c", 4, false), *perm = permute(linear, &spaces[0]);
    pf_best_options o = {.n = 30};
    pf_answer answer;
    unsigned p[4];
    assert_int_equal(pf_best(perm, &o, &answer), PF_OK);
    assert_int_equal(answer.paths.n, 24);
    oracle_first(p, 4);
    for (size_t k = 0; k < 24; k++, oracle_next(p, 4))
        for (unsigned t = 0; t < 4; t++) assert_int_equal(answer.paths.at[k].arc[t].in, p[t] + 1);
    pf_answer_free(&answer);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* A second model on top of the first: levels inside levels. */
static void two_models_add_up(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[1], 5, false), *perm = permute(linear, &spaces[2]), *one = with_model(perm);
    pf_fst *two = with_model(one);
    paths want = all_paths(two, INFINITY);
    assert_int_equal(want.at.n, 16);
    expect_all_best(two, &want);
    PF_VEC_FREE(&want.at);
    pf_fst_free(two);
    pf_fst_free(one);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static size_t lists_in_part;

/* The certificate of one path, of three and of thirty. A search that widens keeps its word for the whole list. */
static void expect_certificates(pf_fst *fst, const paths *want, const pf_best_options *o) {
    for (size_t at = 0; at < 6; at++) {
        static const size_t counts[] = {1, 3, 30};
        const size_t wanted = counts[at / 2];
        pf_answer answer;
        pf_best_options own = *o;
        own.n = wanted;
        own.moves = at % 2 ? store : NULL;
        assert_int_equal(pf_best(fst, &own, &answer), PF_OK);
        assert_true(answer.paths.n > 0);
        expect_certificate(&answer, want, wanted);
        if (o->widen) {
            assert_true(pf_answer_gap(&answer) <= o->gap);
            assert_int_equal(answer.paths.n, want->at.n < wanted ? want->at.n : wanted);
        }
        size_t proven = pf_answer_proven(&answer);
        lists_in_part += proven && proven < answer.paths.n;
        pf_answer_free(&answer);
    }
}

static size_t pruned_lattices;

/* What a lattice of a pruned search claims: it has all paths within the threshold that cost less than the bound. */
static void expect_lattice_certificate(pf_fst *fst, const paths *want, size_t beam, double threshold, pf_moves_store *moves) {
    pf_answer answer;
    const pf_best_options how = {.lattice = true, .beam = beam, .threshold = threshold, .moves = moves};
    assert_int_equal(pf_best(fst, &how, &answer), PF_OK);
    const double end = answer.paths.at[0].cost + threshold - 1e-6; /* sums in another order */
    const double complete = pf_answer_optimal(&answer) ? end : fmin(end, answer.bound);
    paths kept = all_paths(answer.lattice, INFINITY);
    size_t least = 0, there = 0;
    while (least < want->at.n && want->at.at[least].cost <= complete) least++;
    while (there < kept.at.n && kept.at.at[there].cost <= complete) there++;
    assert_int_equal(there, least);
    for (size_t i = 0; i < least; i++) assert_true(kept.at.at[i].cost == want->at.at[i].cost);
    pruned_lattices += !pf_answer_optimal(&answer);
    PF_VEC_FREE(&kept.at);
    pf_answer_free(&answer);
}

static void what_is_pruned_is_accounted_for(void **state) {
    (void)state;
    for (size_t i = 0; i < SPACES; i++)
        for (size_t k = 0; k < (size_t)TEXTS; k++)
            for (unsigned length = 1; length <= 6; length++) {
                pf_fst *linear = sentence(texts[k], length, length % 2), *perm = permute(linear, &spaces[i]),
                       *composed = with_model(perm);
                pf_fst *machine[] = {perm, composed};
                for (unsigned m = 0; m < 2; m++) {
                    paths want = all_paths(machine[m], INFINITY);
                    for (size_t beam = 1; beam <= 64; beam *= 4)
                        expect_certificates(machine[m], &want, &(pf_best_options){.beam = beam});
                    for (size_t beam = 1; beam <= 64; beam *= 2)
                        expect_lattice_certificate(machine[m], &want, beam, 3, beam % 3 == 1 ? store : NULL);
                    for (double t = 0.25; t <= 16; t *= 4)
                        expect_certificates(machine[m], &want, &(pf_best_options){.threshold = t});
                    expect_certificates(machine[m], &want, &(pf_best_options){.beam = 8, .threshold = 2});
                    for (double gap = 0; gap <= 4; gap += 2)
                        expect_certificates(machine[m], &want, &(pf_best_options){.beam = 1, .widen = true, .gap = gap});
                    for (double t = 1e-9; t < 1; t += 0.5)
                        expect_certificates(machine[m], &want, &(pf_best_options){.threshold = t, .widen = true});
                    PF_VEC_FREE(&want.at);
                }
                pf_fst_free(composed);
                pf_fst_free(perm);
                pf_fst_free(linear);
            }
    assert_true(lists_in_part > 100 && pruned_lattices > 100);
}

static void a_wide_beam_is_exact(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[0], 7, false), *perm = permute(linear, &spaces[0]), *composed = with_model(perm);
    paths want = all_paths(composed, INFINITY);
    for (size_t beam = 1; beam < 100000; beam *= 4) {
        pf_answer answer;
        expect_certificates(composed, &want, &(pf_best_options){.beam = beam});
        assert_int_equal(pf_best(composed, &(pf_best_options){.beam = beam}, &answer), PF_OK);
        if (beam > 20000) assert_true(pf_answer_optimal(&answer));
        pf_answer_free(&answer);
    }
    PF_VEC_FREE(&want.at);
    pf_fst_free(composed);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* The first pass of a widening search must end; the next ones need not. */
static void a_widening_search_ends_with_what_it_has(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[0], 7, false), *perm = permute(linear, &spaces[0]), *composed = with_model(perm);
    paths want = all_paths(composed, INFINITY);
    pf_answer answer;
    pf_best_options o = {.beam = 2, .widen = true, .max_states = 60};
    assert_int_equal(pf_best(composed, &o, &answer), PF_OK);
    assert_int_equal(answer.paths.n, 1);
    assert_true(answer.bound <= want.at.at[0].cost && answer.bound > 0);
    pf_answer_free(&answer);
    const pf_best_options met_at_once[] = {{.beam = 2, .widen = true, .max_states = 3}, {.beam = 2, .expired = at_once},
                                           {.n = 3, .expired = at_once}};
    for (size_t at = 0; at < sizeof met_at_once / sizeof *met_at_once; at++) {
        assert_int_equal(pf_best(composed, &met_at_once[at], &answer), PF_OK);
        assert_true(answer.paths.n >= 1 && (answer.stopped || pf_answer_optimal(&answer))); /* a narrow beam may be wide enough */
        expect_certificate(&answer, &want, met_at_once[at].n ? met_at_once[at].n : 1);
        pf_answer_free(&answer);
    }
    PF_VEC_FREE(&want.at);
    pf_fst_free(composed);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static void acyclic_machines_are_searched_exactly(void **state) {
    (void)state;
    size_t with_paths = 0;
    for (unsigned seed = 0; seed < 600; seed++) {
        pf_fst *fst = random_machine(seed, false, seed % 3 == 2 ? -1.0f : 0.0f);
        paths want = all_paths(fst, INFINITY);
        with_paths += want.at.n > 1;
        expect_all_best(fst, &want);
        PF_VEC_FREE(&want.at);
        pf_fst_free(fst);
    }
    assert_true(with_paths > 200);
}

/* One weight below 0, often after a final state whose path costs less than the path to the weight. */
static void a_negative_weight_after_an_end_is_found(void **state) {
    (void)state;
    size_t used = 0;
    for (unsigned seed = 0; seed < 600; seed++) {
        pf_fst *plain = random_machine(seed, false, 0.5f), *fst = cheaper(plain, seed, 5);
        paths want = all_paths(fst, INFINITY);
        used += want.at.n > 1 && want.at.at[0].cost < 0;
        expect_all_best(fst, &want);
        PF_VEC_FREE(&want.at);
        pf_fst_free(fst);
        pf_fst_free(plain);
    }
    assert_true(used > 100);
}

/* By the definitions: what can be reached, from each state, in one arc or more. */
enum { MOST_STATES = 8 };
typedef struct {
    bool to[MOST_STATES][MOST_STATES];
} relation;

static relation reached(pf_fst *fst) {
    relation reach = {0};
    pf_state states = pf_fst_states(fst);
    assert_true(states <= MOST_STATES);
    for (pf_state state = 0; state < states; state++)
        for (uint32_t i = 0; i < pf_fst_arcs(fst, state).n; i++) reach.to[state][pf_fst_arcs(fst, state).arc[i].to] = true;
    for (pf_state from = 0; from < states; from++)
        for (pf_state i = 0; i < states; i++)
            for (pf_state j = 0; j < states; j++) reach.to[i][j] = reach.to[i][j] || (reach.to[i][from] && reach.to[from][j]);
    return reach;
}

/* Does a cycle that can be reached cost less than nothing? Least costs between all pairs (Floyd 1962). */
static bool has_negative_cycle(pf_fst *fst, const relation *r) {
    double cost[MOST_STATES][MOST_STATES];
    pf_state states = (pf_state)pf_fst_states(fst);
    bool found = false;
    for (pf_state i = 0; i < states; i++)
        for (pf_state j = 0; j < states; j++) cost[i][j] = INFINITY;
    for (pf_state from = 0; from < states; from++)
        for (uint32_t k = 0; k < pf_fst_arcs(fst, from).n; k++) {
            pf_arc arc = pf_fst_arcs(fst, from).arc[k];
            cost[from][arc.to] = fmin(cost[from][arc.to], (double)arc.w);
        }
    for (pf_state from = 0; from < states; from++)
        for (pf_state i = 0; i < states; i++)
            for (pf_state j = 0; j < states; j++) cost[i][j] = fmin(cost[i][j], cost[i][from] + cost[from][j]);
    for (pf_state i = 0; i < states; i++) found = found || ((i == fst->start || r->to[fst->start][i]) && cost[i][i] < 0);
    return found;
}

static bool has_negative_weight_and_cycle(pf_fst *fst, const relation *reach) {
    bool cycle = false, negative = false;
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        if (state != fst->start && !reach->to[fst->start][state]) continue;
        cycle = cycle || reach->to[state][state];
        for (uint32_t i = 0; i < pf_fst_arcs(fst, state).n; i++) negative = negative || pf_fst_arcs(fst, state).arc[i].w < 0;
    }
    return cycle && negative;
}

static void expect_same_paths(const pf_answer *one, const pf_answer *other) {
    assert_int_equal(one->paths.n, other->paths.n);
    for (size_t i = 0; i < one->paths.n; i++) {
        const pf_path *first = &one->paths.at[i], *second = &other->paths.at[i];
        assert_true(first->cost == second->cost && first->n == second->n);
        for (size_t k = 0; k < first->n; k++)
            assert_true(first->arc[k].in == second->arc[k].in && first->arc[k].out == second->arc[k].out);
    }
}

/* Negative weights on cycles that cost nothing or something: the same answer as without negative weights, which potentials of
 * the states have brought in. A cycle that costs less than nothing is refused. */
static void cycles_with_negative_weights_are_searched(void **state) {
    (void)state;
    static const pf_best_options options[] = {{.n = 1}, {.n = 3}, {.n = 40}, {.lattice = true, .threshold = 1}};
    size_t refused = 0, searched = 0;
    for (unsigned seed = 0; seed < 900; seed++) {
        pf_fst *plain = random_machine(seed, true, 0.5f);
        pf_fst *fst = seed % 3 ? with_potentials(plain, seed) : cheaper(plain, seed, 2.25f);
        relation reach = reached(fst);
        bool endless = has_negative_cycle(fst, &reach), hard = has_negative_weight_and_cycle(fst, &reach);
        assert_false(endless && seed % 3);
        for (size_t at = 0; at < sizeof options / sizeof *options; at++) {
            pf_answer answer, other;
            assert_int_equal(pf_best(fst, &options[at], &answer), endless ? PF_EINPUT : PF_OK);
            refused += endless;
            if (endless) {
                assert_non_null(strstr(pf_message(), "a cycle of negative cost"));
                continue;
            }
            searched += hard;
            if (hard) assert_string_equal(answer.search, "label correcting");
            if (seed % 3) {
                assert_int_equal(pf_best(plain, &options[at], &other), PF_OK);
                expect_same_paths(&answer, &other);
                pf_answer_free(&other);
            }
            pf_answer_free(&answer);
        }
        pf_fst_free(fst);
        pf_fst_free(plain);
    }
    assert_true(refused > 300 && searched > 300);
}

/* Positive weights on cycles: the cheapest of infinitely many paths. */
static void cyclic_machines_are_searched_exactly(void **state) {
    (void)state;
    size_t with_paths = 0;
    for (unsigned seed = 0; seed < 200; seed++) {
        pf_fst *fst = random_machine(seed, true, 0.5f);
        paths want = all_paths(fst, 5.0); /* at most ten arcs */
        with_paths += want.at.n > 5;
        for (size_t n = 1; n <= want.at.n && n < 60; n += 4) expect_best(fst, &want, n);
        PF_VEC_FREE(&want.at);
        pf_fst_free(fst);
    }
    assert_true(with_paths > 50);
}

static pf_fst *two_states(float forth, float back, float loop) {
    pf_build build = {0};
    pf_fst *fst;
    assert_int_equal(pf_build_arc(&build, 0, 1, 1, forth, 1), PF_OK);
    assert_int_equal(pf_build_arc(&build, 1, 2, 2, back, 0), PF_OK);
    assert_int_equal(pf_build_arc(&build, 1, 3, 3, loop, 1), PF_OK);
    assert_int_equal(pf_build_final(&build, 1, 0), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    return fst;
}

static void endless_improvements_are_refused(void **state) {
    (void)state;
    pf_best_options one = {.n = 1}, many = {.n = 5};
    pf_answer answer;
    pf_fst *negative = two_states(1, -2, 1), *zero = two_states(0, 0, 0);
    assert_int_equal(pf_best(negative, &one, &answer), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "cycle"));
    assert_int_equal(pf_best(zero, &one, &answer), PF_OK);
    assert_int_equal(answer.paths.at[0].n, 1);
    pf_answer_free(&answer);
    assert_int_equal(pf_best(zero, &many, &answer), PF_OK); /* fewer arcs first, so this list has an order too */
    assert_int_equal(answer.paths.n, 5);
    assert_int_equal(answer.paths.at[1].n, 2);
    pf_answer_free(&answer);
    pf_fst_free(negative);
    pf_fst_free(zero);
}

enum { CHAIN = 200 };

/* State 1 is final, and so is the end of a chain of many more arcs, which cost 1 each, the last one `last`. */
static pf_fst *long_chain(pf_symtab *words, float last) {
    pf_build build = {0};
    pf_fst *fst;
    for (pf_state state = 0; state < CHAIN; state++)
        assert_int_equal(pf_build_arc(&build, state, 1, 1, state + 1 == CHAIN ? last : 1, state + 1), PF_OK);
    assert_int_equal(pf_build_final(&build, 1, 0), PF_OK);
    assert_int_equal(pf_build_final(&build, CHAIN, 0), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    pf_fst_set_symbols(fst, words, words);
    return fst;
}

static void expect_states(pf_fst *f, uint64_t least, uint64_t most) {
    pf_answer answer;
    assert_int_equal(pf_best(f, &(pf_best_options){.n = 1}, &answer), PF_OK);
    assert_true(answer.states >= least && answer.states <= most);
    assert_true(pf_answer_optimal(&answer));
    pf_answer_free(&answer);
}

/* Where all weights are known not to be negative, stored or still to be made, nothing is looked at after the best path. */
static void known_costs_end_a_search_early(void **state) {
    (void)state;
    pf_symtab *words;
    pf_label x;
    assert_int_equal(pf_symtab_new("words", &words), PF_OK);
    assert_int_equal(pf_symtab_add(words, "the", 3, &x), PF_OK);
    for (unsigned negative = 0; negative < 2; negative++) {
        pf_fst *fst = long_chain(words, negative ? -0.5f : 1), *with[5], *second = two_states(0, 0, 1);
        uint64_t least = negative ? CHAIN : 1, most = negative ? CHAIN + 1 : 3;
        const double keep[] = {1, 1}, drop[] = {0.5, 0};
        pf_scored by = {&model, 1}, dropped = {&model, 0}, turned = {&model, -1};
        pf_match *match;
        assert_int_equal(pf_match_new(second, NULL, &match), PF_OK);
        assert_int_equal(pf_score_all(fst, 1, &by, 1, &with[0]), PF_OK);
        assert_int_equal(pf_score_all(fst, 1, &dropped, 1, &with[1]), PF_OK);
        assert_int_equal(pf_score_all(fst, 1, &turned, 1, &with[2]), PF_OK);
        assert_int_equal(pf_compose_match(fst, match, keep, &with[3]), PF_OK);
        assert_int_equal(pf_compose_match(with[1], match, drop, &with[4]), PF_OK);
        expect_states(fst, least, most);
        expect_states(with[0], least, most);
        expect_states(with[1], least, most);
        expect_states(with[2], CHAIN, CHAIN + 1);
        pf_answer answer;
        assert_int_equal(pf_best(fst, &(pf_best_options){.max_states = 20}, &answer), PF_OK);
        assert_int_equal(answer.stopped, negative);
        assert_true(pf_answer_optimal(&answer) == !negative && pf_answer_gap(&answer) == (negative ? (double)INFINITY : 0));
        pf_answer_free(&answer);
        for (unsigned i = 0; i < 5; i++) assert_int_equal(pf_fst_nonnegative(with[i]), !negative && i != 2);
        for (unsigned i = 5; i;) pf_fst_free(with[--i]);
        pf_match_free(match);
        pf_fst_free(second);
        pf_fst_free(fst);
    }
    pf_symtab_free(words);
}

/* What a permutation automaton says of its weights before they are made; for every space, except with negative alternatives. */
static void permutations_know_their_weights(void **state) {
    (void)state;
    for (size_t at = 0; at < SPACES; at++)
        for (unsigned alternatives = 0; alternatives < 2; alternatives++) {
            pf_fst *linear = sentence(texts[at % TEXTS], 6, alternatives), *perm = permute(linear, &spaces[at]), *plain;
            pf_fst *composed = with_model(perm);
            assert_int_equal(pf_fst_nonnegative(perm), !alternatives);
            assert_int_equal(pf_fst_nonnegative(composed), !alternatives);
            assert_int_equal(pf_expand(composed, 0, &plain), PF_OK);
            if (!alternatives) assert_false(some_negative(plain));
            assert_int_equal(pf_fst_nonnegative(plain), !some_negative(plain));
            pf_fst_free(plain);
            pf_fst_free(composed);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
}

static void limits_and_misuse_are_errors(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[0], 7, false), *perm = permute(linear, &spaces[0]), *plain;
    pf_answer answer;
    pf_best_options few = {.n = 1, .max_states = 20}, beam = {.n = 1, .beam = 3};
    assert_int_equal(pf_expand(perm, 0, &plain), PF_OK);
    assert_int_equal(pf_best(plain, &few, &answer), PF_ELIMIT);
    assert_int_equal(pf_best(plain, &beam, &answer), PF_EARG);
    pf_fst_free(plain);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* The end of the memory that is allowed ends a search with what there is, and a bound. */
static void memory_is_a_limit(void **state) {
    (void)state;
    const pf_best_options how[] = {{.n = 1}, {.n = 5}, {.search = PF_SEARCH_ASTAR}, {.widen = true, .gap = 0}};
    /* In free order the first pass, which limits are not for, would prove its path by routes. */
    static const space narrow = {{"ibm:5"}, NULL};
    static const char line[] = "suit the day at not man unfortunately that the me does another i have";
    pf_fst *linear = sentence(line, 14, false), *perm = permute(linear, &narrow), *scored = with_model(perm);
    for (size_t at = 0; at < sizeof how / sizeof *how; at++) {
        pf_best_options little = how[at], enough = how[at];
        pf_answer cut, whole;
        little.max_bytes = 1;
        little.all_bytes = at % 2;
        enough.max_bytes = 1 << 30;
        assert_int_equal(pf_best(scored, &little, &cut), PF_OK);
        assert_int_equal(pf_best(scored, &enough, &whole), PF_OK);
        assert_true(cut.paths.n && cut.stopped && cut.out_of_memory == (at % 2) && !whole.stopped && pf_answer_optimal(&whole));
        assert_true(cut.bound <= whole.paths.at[0].cost && whole.paths.at[0].cost <= cut.paths.at[0].cost);
        pf_answer_free(&cut);
        pf_answer_free(&whole);
    }
    pf_fst_free(scored);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static bool count_looks(void *self) {
    ++*(int *)self;
    return false;
}

/* A negative weight on the first arc: nothing is looked at best-first, then 1500 states are sorted and searched. */
static void time_is_asked_for_while_states_are_sorted(void **state) {
    (void)state;
    pf_build build = {0};
    pf_fst *fst;
    pf_answer answer;
    int looks = 0;
    for (pf_state s = 0; s < 1500; s++) assert_int_equal(pf_build_arc(&build, s, 1, 1, s ? 1.0f : -1.0f, s + 1), PF_OK);
    assert_int_equal(pf_build_final(&build, 1500, 0), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    assert_int_equal(pf_best(fst, &(pf_best_options){.expired = count_looks, .self = &looks}, &answer), PF_OK);
    assert_int_equal(looks, 2);
    pf_answer_free(&answer);
    pf_fst_free(fst);
}

static void no_path_is_an_answer(void **state) {
    (void)state;
    pf_build build = {0};
    pf_fst *fst, *empty;
    paths none = {0};
    assert_int_equal(pf_build_arc(&build, 0, 1, 1, 0, 1), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &empty), PF_OK);
    expect_best(fst, &none, 1);
    expect_best(fst, &none, 4);
    expect_best(empty, &none, 1);
    pf_fst_free(fst);
    pf_fst_free(empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_search_is_brute_force),
        cmocka_unit_test(alternatives_keep_their_weights),
        cmocka_unit_test(ties_come_in_lexicographic_order),
        cmocka_unit_test(two_models_add_up),
        cmocka_unit_test(what_is_pruned_is_accounted_for),
        cmocka_unit_test(a_wide_beam_is_exact),
        cmocka_unit_test(a_widening_search_ends_with_what_it_has),
        cmocka_unit_test(acyclic_machines_are_searched_exactly),
        cmocka_unit_test(a_negative_weight_after_an_end_is_found),
        cmocka_unit_test(cycles_with_negative_weights_are_searched),
        cmocka_unit_test(cyclic_machines_are_searched_exactly),
        cmocka_unit_test(endless_improvements_are_refused),
        cmocka_unit_test(known_costs_end_a_search_early),
        cmocka_unit_test(permutations_know_their_weights),
        cmocka_unit_test(limits_and_misuse_are_errors),
        cmocka_unit_test(time_is_asked_for_while_states_are_sorted),
        cmocka_unit_test(memory_is_a_limit),
        cmocka_unit_test(no_path_is_an_answer),
    };
    if (pf_moves_store_new(1 << 20, &store)) return 1;
    int failed = cmocka_run_group_tests_name("search", tests, read_model, free_model);
    pf_moves_store_free(store);
    return failed;
}
