/* The chart against brute force: every path of a machine is listed by walking it, sorted by the documented order, and compared
 * with the n best of the chart, exactly: costs, orders, words. What is pruned is held to its certificate. */
#include "check.h"
#include "draw.h"
#include "oracle.h"
#include "paths.h"
#include "values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 7 };

/* What a chart can search: constraints beside itg, at least 4 positions for those that name them. */
static const char *const constraints[][4] = {
    {"itg"}, {"itg-span:3"}, {"itg-span:4"}, {"itg", "mj:2"}, {"itg", "local:4"}, {"itg", "inverse-local:3"}, {"itg", "wall:2"},
    {"itg", "wall:3,2,4"}, {"itg", "zone:2,4"}, {"itg", "zone:1,2", "zone:3,4"}, {"itg", "zone:1,4", "zone:2,3"},
        {"itg", "unit:2,4"},
    {"itg-span:4", "zone:2,3", "wall:1"}, {"itg", "none", "unit:1,3", "wall:3"}, {"itg", "zone:1,3", "wall:2,1,3"},
};

static const char *const weights[] = {NULL, "inversions:0.25", "distance:0.3", "jumps:1.7", "pairwise:-", "lexical:-",
                                      "pairwise:whole",
    "lexical:-*1.25"};

static const char *const more_texts[] = {
    "that does me unfortunately not suit at", "the day the man the day the", "qqq have i have already qqq another",
    "we could meet in the afternoon ?", "in the in the in the in",
};

typedef struct {
    uint64_t seed;
    unsigned n;
    double table[2][LONGEST * LONGEST]; /* costs of pairs: any; whole numbers */
    pf_weight weight[2];
} random_case;

static unsigned below(random_case *drawn, unsigned n) { return draw(&drawn->seed, n); }

/* The weight models number `which` and, now and then, another one. */
static size_t draw_weights(random_case *drawn, size_t which) {
    size_t n = 0;
    for (size_t i = 0; i < LENGTH(drawn->table[0]); i++) {
        drawn->table[0][i] = (double)below(drawn, 1000000) / 123457.0;
        drawn->table[1][i] = below(drawn, 4);
    }
    for (; n < 2 && weights[which]; n++, which = below(drawn, 3) ? 0 : 1 + below(drawn, 3)) {
        const char *spec = weights[which];
        size_t costs = strncmp(spec, "pairwise", 8) == 0 ? drawn->n * (size_t)drawn->n : strncmp(spec, "lexical", 7) == 0
            ? 3 * (size_t)drawn->n : 0;
        drawn->weight[n] = (pf_weight){.spec = spec, .cost = drawn->table[strcmp(spec, "pairwise:whole") == 0], .n = costs};
    }
    return n;
}

static pf_fst *draw_space(random_case *drawn, pf_fst *linear, size_t constraint, size_t weight) {
    const char *const *con = constraints[constraint];
    pf_perm_spec spec = {.con = con, .wm = drawn->weight, .n_wm = draw_weights(drawn, weight)};
    pf_fst *perm;
    while (spec.n_con < 4 && con[spec.n_con]) spec.n_con++;
    if (drawn->n < 4 && constraint > 5) spec.n_con = 1;
    if (drawn->n == 0) spec.n_wm = 0;
    assert_int_equal(pf_perm_lazy(linear, &spec, &perm), PF_OK);
    return perm;
}

/* ---- comparing ---- */

static void expect_all(pf_fst *fst) {
    paths want = all_paths(fst, (double)INFINITY);
    const size_t numbers[] = {1, 2, 3, 10, 100, want.at.n, want.at.n + 1};
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        size_t asked = 0; /* not the same number twice */
        while (numbers[asked] != numbers[i]) asked++;
        if (numbers[i] && asked == i) expect_best_of_chart(fst, &want, &(pf_best_options){.n = numbers[i]});
    }
    expect_claims_of_chart(fst, &want, (pf_best_options){.beam = 1});
    expect_claims_of_chart(fst, &want, (pf_best_options){.beam = 4});
    expect_claims_of_chart(fst, &want, (pf_best_options){.beam = 16});
    expect_claims_of_chart(fst, &want, (pf_best_options){.threshold = 1});
    expect_claims_of_chart(fst, &want, (pf_best_options){.beam = 3, .threshold = 2});
    expect_claims_of_chart(fst, &want, (pf_best_options){.beam = 1, .widen = true, .gap = 1});
    expect_claims_of_chart(fst, &want, (pf_best_options){.beam = 1, .widen = true});
    expect_claims_of_chart(fst, &want, (pf_best_options){.threshold = 1e-300, .widen = true, .gap = 0.5});
    expect_claims_of_chart(fst, &want, (pf_best_options){.max_states = 3});
    expect_claims_of_chart(fst, &want, (pf_best_options){.max_bytes = 1}); /* no room to tell words apart in the bounds */
    PF_VEC_FREE(&want.at);
}

/* ---- models ---- */

/* Scales, of which one is below 0. */
static pf_fst *score_twice(pf_fst *perm) {
    static const pf_scored two[] = {{&model, 0.7}, {&model, -0.2}};
    pf_fst *composed;
    assert_int_equal(pf_score_all(perm, 1.3, two, 2, &composed), PF_OK);
    return composed;
}

/* ---- tests ---- */

static void run_case(uint64_t seed, size_t constraint, size_t weight) {
    random_case drawn = {.seed = seed};
    below(&drawn, 7);
    drawn.n = below(&drawn, LONGEST + 1);
    bool alternatives = drawn.n < 6 && below(&drawn, 3) == 0;
    pf_fst *linear = sentence(more_texts[below(&drawn, LENGTH(more_texts))], drawn.n, alternatives), *two;
    pf_fst *perm = draw_space(&drawn, linear, constraint, weight);
    pf_fst *one = with_model(perm);
    two = score_twice(perm);
    expect_all(perm);
    expect_all(one);
    expect_all(two);
    pf_fst_free(two);
    pf_fst_free(one);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static void the_chart_is_brute_force(void **state) {
    (void)state;
    const uint64_t seeds = is_watched() ? 1 : 4;
    for (size_t constraint = 0; constraint < LENGTH(constraints); constraint++)
        for (size_t weight = 0; weight < LENGTH(weights); weight++)
            for (uint64_t seed = 0; seed < seeds; seed++) run_case(seed * 1000 + constraint * 31 + weight, constraint, weight);
}

/* ---- the definitions ---- */

/* What the order p of the words costs: its moves by the definition of the weight, its words by the model, and the end. */
static double order_cost(const oracle_set *set, const pf_weight *weight, char *const *word, const unsigned *perm) {
    pf_scorer scorer;
    double cost = weight->spec ? oracle_cost(set, weight->spec, weight->cost, perm) : 0;
    assert_int_equal(pf_scorer_of(&model, &scorer), PF_OK);
    pf_state at = scorer.cls->start(&scorer);
    for (unsigned step = 0; step < set->n; step++)
        cost += scorer.cls->step(&scorer, at, scorer.cls->label(&scorer, word[perm[step]], strlen(word[perm[step]])), &at);
    cost += scorer.cls->final(&scorer, at);
    pf_scorer_end(&scorer);
    return cost + 0.125; /* the end of sentence() */
}

/* Nothing of the automata is looked at: all orders are those of oracle.c. */
static void expect_definition(const pf_answer *answer, const oracle_set *set, const double *cost, size_t most) {
    double *sorted = malloc((set->count + 1) * sizeof *sorted);
    bool *seen = calloc(set->count + 1, sizeof *seen);
    assert_true(sorted && seen);
    memcpy(sorted, cost, set->count * sizeof *sorted);
    qsort(sorted, set->count, sizeof *sorted, by_value);
    assert_int_equal(answer->paths.n, set->count < most ? set->count : most);
    for (size_t i = 0; i < answer->paths.n; i++) {
        const pf_path *order = &answer->paths.at[i];
        unsigned perm[LONGEST], t = 0;
        for (size_t k = 0; k < order->n; k++)
            if (order->arc[k].in != PF_EPSILON) perm[t++] = (unsigned)order->arc[k].in - 1;
        assert_int_equal(t, set->n);
        const size_t found = oracle_find(set, perm);
        assert_true(found < set->count && !seen[found]);
        seen[found] = true;
        assert_true(fabs(order->cost - cost[found]) < 1e-4);
        assert_true(fabs(order->cost - sorted[i]) < 1e-4);
    }
    free(sorted);
    free(seen);
}

static void compare_with_definition(random_case *drawn, const char *const *con, size_t n_con, const char *weight) {
    enum { MOST = 60 };
    char copy[256], *word[LONGEST], *rest = copy;
    const char *text = more_texts[below(drawn, LENGTH(more_texts))];
    unsigned count = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *next; count < drawn->n && (next = strtok_r(rest, " ", &rest));) word[count++] = next;
    drawn->n = count;
    for (size_t i = 0; i < LENGTH(drawn->table[0]); i++) drawn->table[0][i] = (double)below(drawn, 1000000) / 123457.0;
    const bool pairwise = weight && strncmp(weight, "pairwise", 8) == 0, lexical = weight && strncmp(weight, "lexical", 7) == 0;
    const size_t costs = pairwise ? drawn->n * (size_t)drawn->n : lexical ? 3 * (size_t)drawn->n : 0;
    drawn->weight[0] = (pf_weight){.spec = weight, .cost = drawn->table[0], .n = costs};
    oracle_set set = oracle_all(con, n_con, drawn->n);
    double *cost = malloc((set.count + 1) * sizeof *cost);
    assert_non_null(cost);
    for (size_t i = 0; i < set.count; i++) {
        unsigned perm[LONGEST];
        for (unsigned step = 0; step < drawn->n; step++) perm[step] = set.at[i * drawn->n + step];
        cost[i] = order_cost(&set, &drawn->weight[0], word, perm);
    }
    pf_perm_spec spec = {.con = con, .n_con = n_con, .wm = drawn->weight, .n_wm = weight != NULL};
    pf_fst *linear = sentence(text, drawn->n, false), *perm;
    pf_answer answer;
    assert_int_equal(pf_perm_lazy(linear, &spec, &perm), PF_OK);
    pf_fst *scored = with_model(perm);
    if (pf_chart_best(scored, &(pf_best_options){.n = MOST}, &answer)) fail_msg("%s", pf_message());
    expect_definition(&answer, &set, cost, MOST);
    pf_answer_free(&answer);
    pf_fst_free(scored);
    pf_fst_free(perm);
    pf_fst_free(linear);
    free(cost);
    free(set.at);
}

static void orders_are_those_of_the_definitions(void **state) {
    static const char *const by_definition[] = {NULL, "inversions:0.25", "distance:0.3", "jumps:1.7", "pairwise:-", "lexical:-"};
    random_case drawn = {.seed = 7};
    (void)state;
    for (size_t i = 0; i < LENGTH(constraints); i++) {
        size_t n_con = 0;
        while (n_con < 4 && constraints[i][n_con]) n_con++;
        for (size_t k = 0; k < LENGTH(by_definition); k++) {
            drawn.n = k % 2 ? LONGEST : 4 + below(&drawn, LONGEST - 3);
            compare_with_definition(&drawn, constraints[i], n_con, by_definition[k]);
        }
    }
}

/* An automaton over neighbouring words, which reads no word twice in a row. */
static pf_fst *neighbours(pf_fst *linear, unsigned words) {
    pf_build build = {0};
    pf_fst *fst;
    for (unsigned last = 0; last <= words; last++) {
        for (unsigned next = 1; next <= words; next++)
            if (next != last)
                assert_int_equal(pf_build_arc(&build, last, (pf_label)next, (pf_label)next, 0.25f * (float)((3 * last + next) % 5),
                                              next), PF_OK);
        assert_int_equal(pf_build_final(&build, last, last % 2 ? 0.5f : 0), PF_OK);
    }
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    pf_fst_set_symbols(fst, linear->osyms, linear->osyms);
    return fst;
}

/* An automaton says nothing of a piece whose left context is not known: the place before it is guessed. */
static void automata_are_models(void **state) {
    (void)state;
    for (size_t text = 0; text < LENGTH(more_texts); text++)
        for (unsigned n = 1; n <= 6; n++) {
            pf_fst *linear = sentence(more_texts[text], n, false), *perm = permute(linear, &spaces[6]), *one, *two;
            pf_fst *automaton = neighbours(linear, (unsigned)linear->alphabet.n + 8);
            pf_match *match;
            assert_int_equal(pf_match_new(automaton, NULL, &match), PF_OK);
            pf_scored_by by = {pf_match_scorer(match), 0.75};
            assert_non_null(by.scorer);
            assert_int_equal(pf_score_by(perm, 1, &by, 1, &one), PF_OK);
            two = with_model(one);
            expect_all(one);
            expect_all(two);
            pf_fst_free(two);
            pf_fst_free(one);
            pf_match_free(match);
            pf_fst_free(automaton);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
}

/* No word before a word matters to a model of single words: nothing of a piece is pending but its first word. */
static void single_words_are_models(void **state) {
    (void)state;
    static const char *const arpa = "\\data\\\nngram 1=8\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-.5\t</s>\n-.7\tin\n-1.3\tthe\n"
        "-2.1\tday\n-1.9\thave\n-.4\tnot\n\n\\end\\\n";
    pf_model words;
    pf_reader *reader;
    SUCCEED(pf_reader_memory(arpa, strlen(arpa), "arpa", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, &words));
    pf_reader_free(reader);
    for (uint64_t seed = 0; seed < 24; seed++) {
        random_case drawn = {.seed = seed, .n = 4 + (unsigned)(seed % 3)};
        below(&drawn, 7);
        pf_fst *linear = sentence(more_texts[seed % LENGTH(more_texts)], drawn.n, seed % 4 == 0 && drawn.n == 4);
        pf_fst *perm = draw_space(&drawn, linear, seed % 4, 1 + below(&drawn, LENGTH(weights) - 1)), *composed;
        SUCCEED(pf_score_all(perm, 1, &(pf_scored){&words, 1}, 1, &composed));
        expect_all(composed);
        pf_fst_free(composed);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
    pf_model_free(&words);
}

/* Longer sentences, which no brute force reaches: the chart and the levels agree. */
static void the_chart_is_the_level_search(void **state) {
    (void)state;
    static const char *const text = "that does me unfortunately not suit at all on the day in the afternoon";
    static const unsigned lengths[] = {9, 10, 11};
    for (size_t i = 0; i < LENGTH(lengths); i++)
        for (size_t n = 1; n <= 40; n += 13) {
            pf_fst *linear = sentence(text, lengths[i], false), *perm = permute(linear, &spaces[6]), *composed = with_model(perm);
            pf_answer chart, levels;
            assert_int_equal(pf_chart_best(composed, &(pf_best_options){.n = n}, &chart), PF_OK);
            assert_int_equal(pf_best(composed, &(pf_best_options){.n = n}, &levels), PF_OK);
            assert_int_equal(chart.paths.n, n);
            assert_int_equal(levels.paths.n, n);
            for (size_t k = 0; k < n; k++) {
                assert_true(chart.paths.at[k].cost == levels.paths.at[k].cost);
                for (unsigned step = 0; step < lengths[i]; step++)
                    assert_int_equal(chart.paths.at[k].arc[step].in, levels.paths.at[k].arc[step].in);
            }
            pf_answer_free(&chart);
            pf_answer_free(&levels);
            pf_fst_free(composed);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
}

static void expect_differing(pf_fst *fst, pf_unique unique) {
    pf_answer chart, levels;
    pf_best_options options = {.n = 12, .unique = unique};
    assert_int_equal(pf_chart_best(fst, &options, &chart), PF_OK);
    assert_int_equal(pf_best(fst, &options, &levels), PF_OK);
    assert_int_equal(chart.paths.n, levels.paths.n);
    for (size_t k = 0; k < chart.paths.n; k++) {
        assert_true(chart.paths.at[k].cost == levels.paths.at[k].cost);
        for (size_t t = 0; t < chart.paths.at[k].n; t++) {
            assert_int_equal(chart.paths.at[k].arc[t].in, levels.paths.at[k].arc[t].in);
            assert_int_equal(chart.paths.at[k].arc[t].out, levels.paths.at[k].arc[t].out);
        }
    }
    pf_answer_free(&chart);
    pf_answer_free(&levels);
}

static void differing_paths_are_those_of_the_level_search(void **state) {
    (void)state;
    for (size_t text = 0; text < LENGTH(more_texts); text++)
        for (unsigned alternatives = 0; alternatives < 2; alternatives++) {
            pf_fst *linear = sentence(more_texts[text], 5, alternatives);
            random_case drawn = {.seed = text, .n = 5};
            pf_fst *perm = draw_space(&drawn, linear, 0, 4); /* pairwise: costs of sums in another order */
            pf_fst *composed = with_model(perm);
            expect_differing(composed, PF_UNIQUE_OUTPUTS);
            expect_differing(composed, PF_UNIQUE_INPUTS);
            expect_differing(perm, PF_UNIQUE_OUTPUTS);
            pf_fst_free(composed);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
}

static void a_limit_leaves_an_answer(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[0], 7, false), *perm = permute(linear, &spaces[6]), *composed = with_model(perm);
    paths want = all_paths(composed, (double)INFINITY);
    const pf_best_options met[] = {{.expired = at_once}, {.n = 4, .expired = at_once}, {.beam = 2, .expired = at_once},
                                   {.widen = true, .gap = 0.5, .beam = 1, .expired = at_once}, {.max_states = 1},
                                   {.beam = 9, .max_states = 2}, {.max_bytes = 1}, {.n = 4, .max_bytes = 1},
                                   {.beam = 9, .max_bytes = 1}, {.widen = true, .gap = 0.5, .beam = 1, .max_bytes = 1},
                                   {.n = 4, .max_bytes = 1, .all_bytes = true}};
    for (size_t i = 0; i < LENGTH(met); i++) {
        pf_answer answer;
        assert_int_equal(pf_chart_best(composed, &met[i], &answer), PF_OK);
        assert_true(answer.paths.n >= 1 && (answer.stopped || pf_answer_optimal(&answer)));
        assert_true(answer.out_of_memory == (answer.stopped && met[i].all_bytes));
        expect_certificate(&answer, &want, met[i].n ? met[i].n : 1);
        pf_answer_free(&answer);
    }
    PF_VEC_FREE(&want.at);
    pf_fst_free(composed);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* The threshold is no bound, so all pairs are looked at: of words that come twice there are many more than items. */
static void a_limit_of_states_bounds_the_pairs(void **state) {
    (void)state;
    enum { LENGTH = 16 };
    static const char *const text = "in the day have not suit at me in the day have not suit at me";
    pf_fst *linear = sentence(text, LENGTH, false), *perm = permute(linear, &spaces[6]);
    pf_best_options options = {.threshold = 1e6};
    pf_answer all, some;
    pf_fst *composed = with_model(perm);
    assert_int_equal(pf_chart_best(composed, &options, &all), PF_OK);
    assert_true(pf_answer_optimal(&all) && all.arcs > 6 * LENGTH * all.states);
    options.max_states = all.states;
    assert_int_equal(pf_chart_best(composed, &options, &some), PF_OK);
    assert_true(some.stopped && some.arcs < 5 * LENGTH * all.states);
    pf_answer_free(&some);
    pf_answer_free(&all);
    pf_fst_free(composed);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* The memory of a list grows with it, and so does that of a lattice. */
static void a_limit_of_memory_is_for_lists_and_lattices(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[0], 7, false), *perm = permute(linear, &spaces[6]);
    pf_answer answer;
    pf_fst *composed = with_model(perm);
    const pf_best_options lattice = {.search = PF_SEARCH_CHART, .lattice = true, .threshold = (double)INFINITY,
                                     .max_bytes = 1 << 16};
    assert_int_equal(pf_chart_best(composed, &lattice, &answer), PF_ELIMIT);
    assert_int_equal(pf_chart_best(composed, &(pf_best_options){.n = 1000, .max_bytes = 1 << 16}, &answer), PF_OK);
    assert_true(answer.stopped && !answer.out_of_memory && answer.paths.n);
    pf_answer_free(&answer);
    pf_fst_free(composed);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static void what_does_not_decompose_is_refused(void **state) {
    (void)state;
    static const struct {
        space s;
        const char *says;
    } refused[] = {
        {{{"none"}, NULL}, "a chart searches orders of itg, and 'none' has other orders"},
        {{{"itg", "ibm:3"}, NULL}, "cannot check 'ibm:3' node by node"},
        {{{"itg|mj:1"}, NULL}, "cannot check 'itg|mj:1' node by node"},
        {{{"itg-mj:1"}, NULL}, "cannot check"},
        {{{"itg", "displacement:2"}, NULL}, "node by node"},
        {{{"itg"}, "monotone:0.7"}, "the costs of 'monotone' depend on all positions visited before"},
        {{{"itg"}, "early-distance:1"}, "the costs of 'early-distance'"},
    };
    for (size_t i = 0; i < LENGTH(refused); i++) {
        pf_fst *linear = sentence(texts[0], 6, false), *perm = permute(linear, &refused[i].s);
        pf_answer answer;
        assert_int_equal(pf_chart_best(perm, &(pf_best_options){.n = 1}, &answer), PF_EARG);
        if (!strstr(pf_message(), refused[i].says)) fail_msg("%s: %s", refused[i].says, pf_message());
        assert_int_equal(pf_search_best(perm, &(pf_best_options){.n = 1}, &answer), PF_OK);
        assert_string_equal(answer.search, "levels");
        pf_answer_free(&answer);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
}

/* B of definitions: the identity costs 29, and the best orders are the only ones. */
static void worked_examples_hold(void **state) {
    (void)state;
    static const double B[] = {0, 5, 1, 5, 2, 4, 0, 3, 4, 2, 4, 1, 0, 3, 4, 4, 1, 1, 0, 0, 5, 4, 0, 4, 0};
    static const pf_label order[] = {1, 4, 5, 3, 2};
    pf_weight weight = {.spec = "pairwise:-", .cost = B, .n = 25};
    pf_perm_spec spec = {(const char *const[]){"itg"}, 1, &weight, 1, false};
    pf_fst *linear = sentence(texts[0], 5, false), *perm;
    pf_answer answer;
    assert_int_equal(pf_perm_lazy(linear, &spec, &perm), PF_OK);
    assert_int_equal(pf_chart_best(perm, &(pf_best_options){.n = 2}, &answer), PF_OK);
    assert_true(answer.paths.at[0].cost == 20.125 && answer.paths.at[1].cost > 20.125); /* the sentence ends at 0.125 */
    for (unsigned step = 0; step < 5; step++) assert_int_equal(answer.paths.at[0].arc[step].in, order[step]);
    pf_answer_free(&answer);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* ---- costs of trees ---- */

enum { TREE_LONGEST = 6 };

/* Costs of nodes, drawn at random: of spans, and of their splits. */
typedef struct {
    unsigned n;
    pf_tree_costs costs;
    double span[TREE_LONGEST + 1][TREE_LONGEST + 1][2], split[TREE_LONGEST + 1][TREE_LONGEST + 1][TREE_LONGEST + 1][2];
} tree_case;

static double draw_cost(random_case *drawn) { return below(drawn, 7) ? (double)below(drawn, 40) / 16 - 0.5 : (double)INFINITY; }

static size_t print_costs(char *to, size_t room, const double cost[2]) {
    return (size_t)snprintf(to, room, " %g %g\n", cost[0], cost[1]);
}

/* Writes the costs as a file has them, some of them. */
static void draw_spans(random_case *drawn, tree_case *trees, char *text, size_t room) {
    size_t at = 0;
    for (unsigned i = 0; i < trees->n; i++)
        for (unsigned k = i + 2; k <= trees->n; k++)
            for (unsigned j = i; j < k; j++) {
                double *cost = j == i ? trees->span[i][k] : trees->split[i][j][k];
                if (below(drawn, 3)) continue;
                cost[0] = draw_cost(drawn);
                cost[1] = draw_cost(drawn);
                at += (size_t)(j == i ? snprintf(text + at, room - at, "%u\t%u", i, k)
                               : snprintf(text + at, room - at, " %u %u %u", i, j, k));
                at += print_costs(text + at, room - at, cost);
            }
    snprintf(text + at, room - at, "\n");
}

/* The least cost of a tree of the moves a .. b-1, by the definition; INFINITY: there is none. */
static double brute_tree(const tree_case *tree, const unsigned *order, unsigned a, unsigned b) {
    double least = b - a == 1 ? 0 : (double)INFINITY;
    bool run = tree->costs.runs;
    for (unsigned step = a + 1; step < b; step++) run = run && order[step] == order[step - 1] + 1;
    if (run) least = 0;
    for (unsigned split = a + 1; split < b; split++) {
        unsigned low[2] = {99, 99}, high[2] = {0, 0};
        for (unsigned step = a; step < b; step++) {
            if (order[step] < low[step >= split]) low[step >= split] = order[step];
            if (order[step] > high[step >= split]) high[step >= split] = order[step];
        }
        if (high[0] - low[0] + 1 != split - a || high[1] - low[1] + 1 != b - split) continue;
        const bool inverted = low[0] > low[1];
        if (high[inverted] + 1 != low[!inverted]) continue;
        const unsigned i = low[inverted], j = low[!inverted], k = high[!inverted] + 1;
        double sum = brute_tree(tree, order, a, split) + brute_tree(tree, order, split,
                                                                b) + tree->costs.node[inverted] + tree->span[i][k][inverted] +
            tree->split[i][j][k][inverted];
        if (sum < least) least = sum;
    }
    return least;
}

static int by_cost(const void *first, const void *second) {
    const path *one = first, *other = second;
    return (one->cost > other->cost) - (one->cost < other->cost);
}

/* All paths, each with its cheapest tree; those that have none are left out. */
static paths paths_with_trees(pf_fst *fst, const tree_case *tree) {
    paths all = all_paths(fst, (double)INFINITY);
    size_t kept = 0;
    for (size_t nth = 0; nth < all.at.n; nth++) {
        unsigned order[TREE_LONGEST];
        for (unsigned step = 0; step < tree->n; step++) order[step] = (unsigned)all.at.at[nth].in[step] - 1;
        all.at.at[kept] = all.at.at[nth];
        all.at.at[kept].cost += brute_tree(tree, order, 0, tree->n);
        kept += all.at.at[kept].cost < (double)INFINITY;
    }
    all.at.n = kept;
    if (kept) qsort(all.at.at, kept, sizeof *all.at.at, by_cost);
    return all;
}

enum { NEAR = 10000 };

/* The same up to rounding; a path that is found costs what it is to cost. */
static void expect_near(pf_fst *fst, const paths *want, const tree_case *tree, pf_best_options options) {
    pf_answer answer;
    options.trees = &tree->costs;
    assert_int_equal(pf_best(fst, &options, &answer), PF_EARG);
    if (pf_chart_best(fst, &options, &answer)) fail_msg("%s", pf_message());
    assert_int_equal(answer.paths.n, options.n < want->at.n ? options.n : want->at.n);
    for (size_t rank = 0; rank < answer.paths.n; rank++) {
        const pf_path *got = &answer.paths.at[rank];
        size_t same = 0, there = 0;
        if (!options.beam) assert_true(fabs(got->cost - want->at.at[rank].cost) < 1.0 / NEAR);
        for (size_t nth = 0; nth < want->at.n; nth++) {
            unsigned step = 0;
            while (step < tree->n && got->arc[step].in == want->at.at[nth].in[step]
                   && got->arc[step].out == want->at.at[nth].out[step]) step++;
            same += step == tree->n && fabs(got->cost - want->at.at[nth].cost) < 1.0 / NEAR;
        }
        for (size_t other = 0; other < answer.paths.n; other++) {
            unsigned step = 0;
            while (step < tree->n && got->arc[step].in == answer.paths.at[other].arc[step].in
                   && got->arc[step].out == answer.paths.at[other].arc[step].out) step++;
            there += step == tree->n;
        }
        assert_true(same >= 1 && there <= same);
    }
    if (!options.beam) assert_true(pf_answer_optimal(&answer));
    else if (answer.paths.n && options.n == 1)
        assert_true(answer.bound <= want->at.at[0].cost + 1.0 / NEAR || answer.bound == (double)INFINITY);
    pf_answer_free(&answer);
}

static void run_trees(uint64_t seed) {
    random_case drawn = {.seed = seed};
    tree_case trees = {0};
    char text[8000];
    pf_reader *reader;
    pf_span_costs *spans = NULL;
    below(&drawn, 7);
    trees.n = drawn.n = 1 + below(&drawn, TREE_LONGEST);
    pf_fst *linear = sentence(more_texts[below(&drawn, LENGTH(more_texts))], drawn.n, drawn.n < 5 && below(&drawn, 3) == 0);
    pf_fst *one;
    pf_fst *perm = draw_space(&drawn, linear, 0, below(&drawn, LENGTH(weights)));
    trees.costs = (pf_tree_costs){.node = {below(&drawn, 3) * 0.5, below(&drawn, 4) * 0.75}, .runs = below(&drawn, 2)};
    if (below(&drawn, 4)) {
        draw_spans(&drawn, &trees, text, sizeof text);
        assert_int_equal(pf_reader_memory(text, strlen(text), "spans", &reader), PF_OK);
        pf_err err = pf_span_costs_read(reader, trees.n, &spans);
        if (!err) assert_int_equal(pf_span_costs_end(reader), PF_OK);
        else assert_non_null(strstr(pf_message(), "forbid all trees"));
        pf_reader_free(reader);
        trees.costs.spans = spans;
        if (err) trees.costs.runs = false;
    }
    one = with_model(perm);
    paths bare = paths_with_trees(perm, &trees), scored = paths_with_trees(one, &trees);
    if (trees.costs.spans || !bare.at.n)
        assert_true((spans == NULL) == (bare.at.n == 0) || trees.costs.runs);
    for (size_t n = 1; n <= 50 && (spans || bare.at.n); n = 3 * n + 1) {
        expect_near(perm, &bare, &trees, (pf_best_options){.n = n});
        expect_near(one, &scored, &trees, (pf_best_options){.n = n});
    }
    if (spans || bare.at.n) expect_near(one, &scored, &trees, (pf_best_options){.n = 1, .beam = 2});
    PF_VEC_FREE(&bare.at);
    PF_VEC_FREE(&scored.at);
    pf_span_costs_free(spans);
    pf_fst_free(one);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static void trees_cost_what_they_should(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < (is_watched() ? 20 : 150); seed++) run_trees(seed);
}

/* The vectors of zens-ney-2003 with p_m = 0.7: order, its cost with words as leaves, and with runs. */
static void the_costs_of_p_m(void **state) {
    (void)state;
    static const struct {
        pf_label order[4];
        double cost[2];
    } known[] = {{{2, 1, 3, 4}, {1.917323, 1.560648}}, {{1, 2, 3, 4}, {1.070025, 0}}, {{4, 3, 2, 1}, {3.611918, 3.611918}}};
    static const space itg = {{"itg"}, NULL};
    pf_fst *linear = sentence(texts[0], 4, false), *perm = permute(linear, &itg);
    for (int runs = 0; runs < 2; runs++) {
        const pf_tree_costs trees = {.node = {-log(0.7), -log(0.3)}, .runs = runs};
        pf_answer answer;
        size_t found = 0;
        assert_int_equal(pf_chart_best(perm, &(pf_best_options){.n = 99, .trees = &trees}, &answer), PF_OK);
        assert_int_equal(answer.paths.n, 22);
        for (size_t rank = 0; rank < answer.paths.n; rank++)
            for (size_t k = 0; k < LENGTH(known); k++) {
                unsigned step = 0;
                while (step < 4 && answer.paths.at[rank].arc[step].in == known[k].order[step]) step++;
                if (step < 4) continue;
                found++;
                assert_true(fabs(answer.paths.at[rank].cost - 0.125 - known[k].cost[runs]) < 2e-6); /* the sentence ends at 0.125 */
            }
        assert_int_equal(found, 3);
        pf_answer_free(&answer);
    }
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static void bad_span_costs_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "expected the span costs of another sentence, found the end"},
        {"0 2 1 x\n", "spans:1: expected a cost, a number or inf, found 'x'"},
        {"0 2 1 nan\n", "expected a cost"},
        {"0 2 1 -inf\n", "expected a cost"},
        {"0 2 1 1\n0 6 1 1\n", "spans:2: expected a position from 0 to 5, found '6'"},
        {"0 -2 1 1\n", "expected a position from 0 to 5"},
        {"0 2 1\n", "found 3 fields"},
        {"0 1 2 1 1 1\n", "found more than 5 fields"},
        {"2 3 1 1\n", "which has no node"},
        {"3 1 1 1\n", "which has no node"},
        {"0 0 2 1 1\n", "expected a split between 0 and 2, found 0"},
        {"0 2 1 1\n1 3 1 1\n0 2 0 0\n", "the node of line 1 is listed again in line 3"},
        {"0 5 inf inf\n", "forbid all trees of its 5 positions"},
        {"0 2 inf inf\n1 3 inf inf\n2 4 inf inf\n3 5 inf inf\n", "forbid all trees"},
        {"0 2 1 1\n\n0 2 1 1\n", "expected the end"},
    };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        pf_reader *reader;
        pf_span_costs *spans;
        assert_int_equal(pf_reader_memory(bad[i].text, strlen(bad[i].text), "spans", &reader), PF_OK);
        pf_err err = pf_span_costs_read(reader, 5, &spans);
        if (!err) {
            pf_span_costs_free(spans);
            err = pf_span_costs_end(reader);
        }
        assert_int_equal(err, PF_EINPUT);
        if (!strstr(pf_message(), bad[i].says)) fail_msg("%s: %s", bad[i].says, pf_message());
        pf_reader_free(reader);
    }
}

/* ---- lattices and counts ---- */

static void expect_lattice(pf_fst *fst, const paths *want, size_t beam, double more) {
    pf_answer answer;
    if (pf_chart_best(fst, &(pf_best_options){.search = PF_SEARCH_CHART, .lattice = true, .beam = beam, .threshold = more},
                      &answer))
        fail_msg("%s", pf_message());
    expect_paths(answer.lattice, want, beam != 0, more);
    pf_answer_free(&answer);
}

static void expect_lattices(pf_fst *fst) {
    paths want = all_paths(fst, (double)INFINITY);
    paths_by_labels(&want);
    expect_lattice(fst, &want, 0, (double)INFINITY);
    expect_lattice(fst, &want, 0, 2);
    expect_lattice(fst, &want, 0, 0);
    expect_lattice(fst, &want, 2, (double)INFINITY);
    PF_VEC_FREE(&want.at);
}

static void lattices_have_each_order_once(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < (is_watched() ? 12 : 60); seed++) {
        random_case drawn = {.seed = seed};
        below(&drawn, 7);
        drawn.n = 1 + below(&drawn, 6);
        pf_fst *linear = sentence(more_texts[below(&drawn, LENGTH(more_texts))], drawn.n, drawn.n < 5 && below(&drawn, 3) == 0);
        pf_fst *perm = draw_space(&drawn, linear, below(&drawn, LENGTH(constraints)), below(&drawn, LENGTH(weights)));
        pf_fst *one = with_model(perm);
        expect_lattices(perm);
        expect_lattices(one);
        pf_fst_free(one);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
}

/* A lattice that is not finished is no answer; nor is there one where it was not asked for by name. */
static void no_lattice_by_halves(void **state) {
    (void)state;
    pf_fst *linear = sentence(texts[0], 7, false), *perm = permute(linear, &spaces[6]);
    pf_best_options options = {.search = PF_SEARCH_CHART, .lattice = true, .threshold = (double)INFINITY, .max_states = 40};
    const pf_tree_costs trees = {.node = {1, 1}};
    pf_answer answer;
    pf_fst *composed = with_model(perm);
    assert_int_equal(pf_chart_best(composed, &options, &answer), PF_ELIMIT);
    options.max_states = 0;
    options.widen = true;
    assert_int_equal(pf_chart_best(composed, &options, &answer), PF_EARG);
    options.widen = false;
    options.trees = &trees;
    assert_int_equal(pf_chart_best(composed, &options, &answer), PF_EARG);
    options = (pf_best_options){.lattice = true};
    assert_int_equal(pf_search_best(composed, &options, &answer), PF_OK);
    assert_string_equal(answer.search, "levels");
    pf_answer_free(&answer);
    pf_fst_free(composed);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

/* Trees of one form are counted, and members of the definition. */
static void trees_of_one_form_are_as_many_as_orders(void **state) {
    (void)state;
    static const unsigned long schroeder[] = {1, 1, 2, 6, 22, 90, 394, 1806, 8558, 41586, 206098};
    static const pf_tally_options whole = {0};
    mpz_t count;
    pf_con *con;
    mpz_init(count);
    for (unsigned n = 0; n < LENGTH(schroeder); n++) {
        assert_int_equal(pf_con_new("itg", n, &con), PF_OK);
        assert_int_equal(pf_chart_count(con, &whole, count), PF_OK);
        assert_true(mpz_cmp_ui(count, schroeder[n]) == 0);
        pf_con_free(con);
    }
    for (size_t i = 0; i < LENGTH(constraints); i++)
        for (unsigned n = 4; n <= 6; n++) {
            pf_fst *linear = sentence(more_texts[0], n, false);
            random_case drawn = {.n = n};
            pf_fst *perm = draw_space(&drawn, linear, i, 0);
            paths all = all_paths(perm, (double)INFINITY);
            assert_int_equal(pf_chart_count(pf_fst_space(perm), &whole, count), PF_OK);
            assert_true(mpz_cmp_ui(count, all.at.n) == 0);
            PF_VEC_FREE(&all.at);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
    assert_int_equal(pf_con_new("ibm:2", 5, &con), PF_OK);
    assert_int_equal(pf_chart_count(con, &whole, count), PF_EARG);
    pf_con_free(con);
    mpz_clear(count);
}

/* The order of a tree of positions, read as its definition says; appended to `order`. Returns what follows the tree. */
static const char *read_tree(const char *text, unsigned *order, unsigned *n) {
    if (*text != '[' && *text != '<') {
        char *end;
        order[(*n)++] = (unsigned)strtoul(text, &end, 10) - 1;
        return end;
    }
    const bool straight = *text == '[';
    unsigned sons[LONGEST][LONGEST], size[LONGEST], count = 0;
    do {
        size[count] = 0;
        assert_true(text[1] != *text); /* a son has the other brackets */
        text = read_tree(text + 1, sons[count], &size[count]);
        count++;
    } while (*text == ' ');
    assert_true(*text == (straight ? ']' : '>') && count > 1);
    for (unsigned i = 0; i < count; i++) {
        unsigned son = straight ? i : count - 1 - i;
        for (unsigned k = 0; k < size[son]; k++) order[(*n)++] = sons[son][k];
    }
    return text + 1;
}

static pf_err try_path_tree(const pf_answer *answer, size_t rank, pf_itg_tree_form form, char *text, size_t room) {
    pf_writer *writer;
    size_t length;
    SUCCEED(pf_writer_memory(&writer));
    pf_err err = pf_answer_write_tree(writer, answer, rank, form, true, true);
    const unsigned char *bytes = pf_writer_bytes(writer, &length);
    assert_true(length < room);
    if (length) memcpy(text, bytes, length);
    text[length] = 0;
    pf_writer_free(writer);
    return err;
}

static void write_path_tree(const pf_answer *answer, size_t rank, pf_itg_tree_form form, char *text, size_t room) {
    SUCCEED(try_path_tree(answer, rank, form, text, room));
}

static pf_err write_tree(const unsigned *perm, unsigned n, char *text, size_t room) {
    pf_arc arcs[LONGEST];
    pf_answer answer = {.type = PF_STANDARD};
    for (unsigned step = 0; step < n; step++) arcs[step] = (pf_arc){(pf_label)perm[step] + 1, (pf_label)perm[step] + 7, 0, 0};
    assert_int_equal(pf_answer_add(&answer, arcs, n, 0), PF_OK);
    pf_err err = try_path_tree(&answer, 0, PF_TREE_CANONICAL, text, room);
    pf_answer_free(&answer);
    return err;
}

/* Every separable order has a tree, which is read back as the order; no other has one. */
static void trees_are_orders(void **state) {
    (void)state;
    unsigned with_tree = 0;
    for (unsigned n = 1; n <= 6; n++) {
        unsigned perm[LONGEST];
        oracle_first(perm, n);
        do {
            char text[200];
            unsigned order[LONGEST], count = 0;
            pf_err err = write_tree(perm, n, text, sizeof text);
            assert_int_equal(err, oracle_member("itg", perm, n) ? PF_OK : PF_EINPUT);
            if (err) continue;
            with_tree++;
            assert_string_equal(read_tree(text, order, &count), "");
            assert_int_equal(count, n);
            assert_memory_equal(order, perm, n * sizeof *perm);
        } while (oracle_next(perm, n));
    }
    assert_int_equal(with_tree, 1 + 2 + 6 + 22 + 90 + 394);
}

/* ---- binary trees ---- */

/* One binary tree of a span, with what it costs, its splits and its order. */
typedef struct {
    double cost;
    char text[64], splits[40]; /* of each node, the root first and the left part before the right one, its split; of a leaf '0' */
    unsigned order[6], n;
} binary_tree;

typedef PF_VEC(binary_tree) binary_trees;

static void add_leaves(const tree_case *tree, unsigned i, unsigned k, binary_trees *out) {
    binary_tree leaf = {.n = k - i};
    if (k - i > 1 && !tree->costs.runs) return;
    for (unsigned p = i; p < k; p++) {
        leaf.order[p - i] = p;
        sprintf(leaf.text + strlen(leaf.text), p > i ? "\\ %u" : "%u", p + 1);
    }
    if (k - i > 1) strcpy(leaf.splits, "0");
    SUCCEED(PF_PUSH(out, leaf));
}

static void add_tree(const tree_case *tree, unsigned i, unsigned j, unsigned k, const binary_tree *left, const binary_tree *right,
                     bool inverted, binary_trees *out) {
    const binary_tree *first = inverted ? right : left, *second = inverted ? left : right;
    binary_tree both = {.n = k - i, .cost = left->cost + right->cost + tree->costs.node[inverted] + tree->span[i][k][inverted] +
                        tree->split[i][j][k][inverted]};
    memcpy(both.order, first->order, first->n * sizeof *both.order);
    memcpy(both.order + first->n, second->order, second->n * sizeof *both.order);
    sprintf(both.text, inverted ? "<%s %s>" : "[%s %s]", left->text, right->text);
    snprintf(both.splits, sizeof both.splits, "%u%.12s%.12s", j, left->splits, right->splits);
    SUCCEED(PF_PUSH(out, both));
}

/* All of them. */
static void binary_trees_of(const tree_case *tree, unsigned i, unsigned k, binary_trees *out) {
    add_leaves(tree, i, k, out);
    for (unsigned j = i + 1; j < k; j++) {
        binary_trees left = {0}, right = {0};
        binary_trees_of(tree, i, j, &left);
        binary_trees_of(tree, j, k, &right);
        for (size_t one = 0; one < left.n; one++)
            for (size_t other = 0; other < right.n; other++)
                for (int inverted = 0; inverted < 2; inverted++)
                    add_tree(tree, i, j, k, &left.at[one], &right.at[other], inverted, out);
        PF_VEC_FREE(&left);
        PF_VEC_FREE(&right);
    }
}

/* The one that belongs to an order: the cheapest, and of these the one with the smallest splits. */
static const binary_tree *tree_of(const binary_trees *all, const unsigned *order, unsigned n) {
    const binary_tree *best = NULL;
    for (size_t i = 0; i < all->n; i++) {
        const binary_tree *one = &all->at[i];
        if (memcmp(one->order, order, n * sizeof *order) != 0 || one->cost == (double)INFINITY) continue;
        if (!best || one->cost < best->cost || (one->cost == best->cost && strcmp(one->splits, best->splits) < 0)) best = one;
    }
    return best;
}

static void expect_trees(const pf_answer *answer, const tree_case *tree, const binary_trees *all) {
    for (size_t rank = 0; rank < answer->paths.n; rank++) {
        unsigned order[6];
        char text[64];
        for (unsigned k = 0; k < tree->n; k++) order[k] = (unsigned)answer->paths.at[rank].arc[k].in - 1;
        write_path_tree(answer, rank, PF_TREE_BINARY, text, sizeof text);
        const binary_tree *want = tree_of(all, order, tree->n);
        assert_non_null(want);
        assert_string_equal(text, want->text);
    }
}

/* The trees of all orders, where trees of one order cost different sums and where they do not, also as a record that was read. */
static void run_binary_trees(uint64_t seed, bool free_trees) {
    random_case drawn = {.seed = seed};
    tree_case trees = {.n = 1 + (unsigned)(seed % 5)};
    char text[4096] = "";
    pf_reader *reader;
    pf_span_costs *spans = NULL;
    binary_trees all = {0};
    pf_answer answer;
    trees.costs = (pf_tree_costs){.node = {below(&drawn, 3), below(&drawn, 3)}, .runs = free_trees && below(&drawn, 2)};
    if (free_trees) {
        draw_spans(&drawn, &trees, text, sizeof text);
        SUCCEED(pf_reader_memory(text, strlen(text), "spans", &reader));
        if (pf_span_costs_read(reader, trees.n, &spans))
            spans = NULL, memset(trees.span, 0, sizeof trees.span), memset(trees.split, 0, sizeof trees.split);
        trees.costs.spans = spans;
        pf_reader_free(reader);
    }
    pf_fst *linear = sentence(more_texts[0], trees.n, false), *perm;
    SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = (const char *const[]){"itg"}, .n_con = 1}, &perm));
    SUCCEED(pf_chart_best(perm, &(pf_best_options){.n = 1000, .trees = &trees.costs}, &answer));
    binary_trees_of(&trees, 0, trees.n, &all);
    expect_trees(&answer, &trees, &all);
    pf_answer_free(&answer);
    PF_VEC_FREE(&all);
    pf_span_costs_free(spans);
    pf_fst_free(perm);
    pf_fst_free(linear);
}

static void binary_trees_are_brute_force(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < (is_watched() ? 20 : 200); seed++) run_binary_trees(seed, seed % 3);
}

/* Codes come from files: whatever they are, they are a tree of the order or an error. */
static void codes_are_checked(void **state) {
    (void)state;
    static const pf_label order[] = {2, 3, 1, 4};
    unsigned trees = 0;
    for (unsigned code = 0; code < 25 * 25 * 25; code++) {
        pf_answer answer = {.type = PF_STANDARD};
        char text[64];
        pf_arc arcs[4];
        for (unsigned step = 0; step < 4; step++) arcs[step] = (pf_arc){order[step], order[step], 0, 0};
        SUCCEED(pf_answer_add(&answer, arcs, 4, 0));
        pf_path *one = &answer.paths.at[0];
        one->codes = 3;
        assert_non_null(one->tree = malloc(3 * sizeof *one->tree));
        one->tree[0] = code % 25;
        one->tree[1] = code / 25 % 25;
        one->tree[2] = code / 625;
        const bool fits = !try_path_tree(&answer, 0, PF_TREE_BINARY, text, sizeof text);
        if (!fits) assert_non_null(strstr(pf_message(), "does not fit"));
        else assert_true(!strcmp(text, "[<1 [2 3]> 4]") || !strcmp(text, "[<1 2\\ 3> 4]"));
        trees += fits;
        pf_answer_free(&answer);
    }
    assert_int_equal(trees, 3); /* the last two are a node, a run or a unit */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_trees_are_brute_force),
        cmocka_unit_test(codes_are_checked),
        cmocka_unit_test(the_chart_is_brute_force),
        cmocka_unit_test(orders_are_those_of_the_definitions),
        cmocka_unit_test(automata_are_models), cmocka_unit_test(single_words_are_models),
        cmocka_unit_test(the_chart_is_the_level_search),
        cmocka_unit_test(differing_paths_are_those_of_the_level_search),
        cmocka_unit_test(a_limit_leaves_an_answer),
        cmocka_unit_test(a_limit_of_states_bounds_the_pairs),
        cmocka_unit_test(a_limit_of_memory_is_for_lists_and_lattices),
        cmocka_unit_test(what_does_not_decompose_is_refused),
        cmocka_unit_test(worked_examples_hold),
        cmocka_unit_test(trees_are_orders),
        cmocka_unit_test(lattices_have_each_order_once),
        cmocka_unit_test(no_lattice_by_halves),
        cmocka_unit_test(trees_of_one_form_are_as_many_as_orders),
        cmocka_unit_test(trees_cost_what_they_should),
        cmocka_unit_test(the_costs_of_p_m),
        cmocka_unit_test(bad_span_costs_are_named),
    };
    return cmocka_run_group_tests(tests, read_model, free_model);
}
