/* Oracles of itg by the chart against those by the automaton; spaces that are known to be inside others against enumeration; tables
 * of oracles against single searches of all candidates. */
#include "check.h"
#include "draw.h"

#include <permfst/machine/build.h>
#include <permfst/ops/expand.h>
#include <permfst/oracle/table.h>
#include <permfst/permute/compare.h>
#include <permfst/permute/perm.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 300 };

static uint64_t random_state = 7;
static unsigned below(unsigned n) { return draw(&random_state, n); }

/* A line as a linear automaton; "x-y" is one word. */
static pf_fst *sentence(const char *line) {
    pf_build build = {0};
    pf_symtab *words;
    pf_fst *fst;
    pf_state state = 0;
    const char *end = line + strlen(line);
    SUCCEED(pf_symtab_new("words", &words));
    SUCCEED(pf_build_state(&build, 0));
    for (pf_word word; pf_word_next(&line, end, &word); state++) {
        pf_label label;
        SUCCEED(pf_symtab_add(words, word.at, word.n, &label));
        SUCCEED(pf_build_arc(&build, state, label, label, 0, state + 1));
    }
    SUCCEED(pf_build_final(&build, state, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

static void references_of(const char *line, pf_oracle_references *out) {
    pf_oracle_references_init(out);
    SUCCEED(pf_oracle_references_add(out, line, strlen(line)));
}

static pf_fst *permuted(pf_fst *linear, const char *con) {
    const pf_perm_spec spec = {.con = &con, .n_con = 1};
    pf_fst *fst;
    SUCCEED(pf_perm_lazy(linear, &spec, &fst));
    return fst;
}

static void expect_same(const pf_oracle_answer *expected, const pf_oracle_answer *found) {
    assert_int_equal(expected->counts.n, found->counts.n);
    for (size_t i = 0; i < expected->counts.n; i++) {
        const pf_path *a = &expected->answer.paths.at[i], *b = &found->answer.paths.at[i];
        assert_memory_equal(&expected->counts.at[i], &found->counts.at[i], sizeof expected->counts.at[i]);
        assert_int_equal(a->n, b->n);
        for (size_t k = 0; k < a->n; k++) assert_true(a->arc[k].in == b->arc[k].in && a->arc[k].out == b->arc[k].out);
        assert_true(a->cost == b->cost);
    }
    assert_true(expected->ties == found->ties);
}

/* The machine that is expanded has no space, so it is searched as an automaton. */
static void the_chart_is_the_automaton(void **state PF_UNUSED) {
    static const char *const con[] = {"itg", "itg-span:3", "itg-span:5", "itg+local:4", "itg+mj:3"};
    for (unsigned round = 0; round < 150; round++) {
        char line[LINE], reference[LINE];
        unsigned n = 5 + below(5), types = 3 + below(9);
        pf_oracle_references references;
        pf_oracle_answer found, expected;
        const pf_oracle_options options = {.n = round % 3 ? 1 : 5, .ties = true};
        draw_line(&random_state, line, LINE, n, types);
        draw_line(&random_state, reference, LINE, n - 1 + below(3), types);
        references_of(reference, &references);
        pf_fst *linear = sentence(line), *fst = permuted(linear, con[round % 5]), *plain;
        SUCCEED(pf_expand(fst, 0, &plain));
        assert_true(pf_fst_space(fst) && !pf_fst_space(plain));
        SUCCEED(pf_oracle_bleu(fst, &references, &options, &found));
        SUCCEED(pf_oracle_bleu(plain, &references, &options, &expected));
        expect_same(&expected, &found);
        pf_oracle_answer_free(&found);
        pf_oracle_answer_free(&expected);
        pf_oracle_references_free(&references);
        pf_fst_free(plain);
        pf_fst_free(fst);
        pf_fst_free(linear);
    }
}

/* What is known of a path changes no answer: neither one that is worse, nor the best one. */
static void a_known_path_changes_nothing(void **state PF_UNUSED) {
    static const char *const con[] = {"itg", "ibm:3", "mj:2"};
    for (unsigned round = 0; round < 60; round++) {
        char line[LINE], reference[LINE];
        pf_oracle_references references;
        pf_oracle_answer all, again;
        draw_line(&random_state, line, LINE, 7, 4);
        draw_line(&random_state, reference, LINE, 7, 4);
        references_of(reference, &references);
        pf_fst *linear = sentence(line), *fst = permuted(linear, con[round % 3]);
        SUCCEED(pf_oracle_bleu(fst, &references, &(pf_oracle_options){.n = 30}, &all));
        for (size_t i = 0; i < all.counts.n; i += 1 + all.counts.n / 4) {
            SUCCEED(pf_oracle_bleu(fst, &references, &(pf_oracle_options){.known = &all.counts.at[i]}, &again));
            assert_int_equal(again.counts.n, 1);
            assert_memory_equal(&again.counts.at[0], &all.counts.at[0], sizeof all.counts.at[0]);
            for (size_t k = 0; k < 7; k++)
                assert_int_equal(again.answer.paths.at[0].arc[k].in, all.answer.paths.at[0].arc[k].in);
            pf_oracle_answer_free(&again);
        }
        pf_oracle_answer_free(&all);
        pf_oracle_references_free(&references);
        pf_fst_free(fst);
        pf_fst_free(linear);
    }
}

/* What is known to be inside is inside; and the pairs of the definitions are known. */
static void known_inclusions_hold(void **state PF_UNUSED) {
    static const char *const con[] = {"none", "ibm:2", "ibm:3", "ibm:4", "inverse-ibm:2", "inverse-ibm:3", "local:2", "local:3",
                                      "local:4", "mj:0", "mj:1", "mj:2", "mj:3", "displacement:1", "displacement:2", "distortion:2",
                                      "distortion:3", "itg", "itg-span:3", "itg-span:4", "itg+ibm:3", "itg+local:3",
                                          "ibm:3+inverse-ibm:3",
                                      "ibm:2|mj:2",
                                      "ibm:3-ibm:2", "inverse:local:3"};
    enum { CONS = sizeof con / sizeof *con };
    unsigned known = 0;
    for (unsigned length = 1; length <= 6; length++)
        for (unsigned i = 0; i < CONS; i++)
            for (unsigned k = 0; k < CONS; k++) {
                pf_con *first, *second;
                bool inside;
                unsigned permutation[8];
                if (strchr(con[i], '-') && strstr(con[i], "-ibm:2") == con[i] + 5 && length < 3) continue; /* an empty difference */
                if (strstr(con[k], "3-ibm") && length < 3) continue;
                SUCCEED(pf_con_new(con[i], length, &first));
                SUCCEED(pf_con_new(con[k], length, &second));
                if (pf_oracle_space_known_inside(first, second)) {
                    SUCCEED(pf_con_inside(first, second, &(pf_compare_options){0}, &inside, permutation));
                    CHECK(inside, "%s is said to be inside %s at %u", con[i], con[k], length);
                    known++;
                }
                pf_con_free(first);
                pf_con_free(second);
            }
    CHECK(known > 900, "%u are known", known);
    static const char *const pairs[][2] = {{"mj:1", "ibm:2"}, {"mj:2", "local:3"}, {"local:3", "ibm:4"}, {"itg-span:3", "itg"},
                                           {"itg-span:3", "mj:2"}, {"itg-span:3", "itg-span:5"}, {"ibm:2", "none"},
                                           {"mj:1", "displacement:2"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        pf_con *first, *second;
        SUCCEED(pf_con_new(pairs[i][0], 9, &first));
        SUCCEED(pf_con_new(pairs[i][1], 9, &second));
        CHECK(pf_oracle_space_known_inside(first, second), "%s inside %s is not known", pairs[i][0], pairs[i][1]);
        assert_false(pf_oracle_space_known_inside(second, first));
        pf_con_free(first);
        pf_con_free(second);
    }
}

/* ---- tables ---- */

static const char *const spaces[] = {"ibm:1", "mj:1", "ibm:2", "mj:2", "itg-span:3", "ibm:3", "itg", "none"};
enum { SPACES = sizeof spaces / sizeof *spaces };

static void expect_cell(const pf_oracle_cell *expected, const pf_oracle_cell *found, const char *what) {
    CHECK(memcmp(&expected->counts, &found->counts, sizeof expected->counts) == 0 && strcmp(expected->text, found->text) == 0,
          "%s: expected %s, found %s", what, expected->text, found->text);
    assert_true(found->proven && expected->proven);
}

/* The best order of any candidate, by one search for each. */
static void check_sentence(const pf_oracle_table_options *options, pf_expr *in, pf_fst *fst, const char *const *line, size_t lines,
                           pf_fst *const *candidate, size_t candidates) {
    pf_oracle_sentence together, alone;
    pf_oracle_table_options each = *options;
    pf_oracle_references references;
    references_of(line[0], &references);
    for (size_t k = 1; k < lines; k++) SUCCEED(pf_oracle_references_add(&references, line[k], strlen(line[k])));
    each.alone = true;
    SUCCEED(pf_oracle_table_sentence(options, in, fst, line, lines, &together));
    SUCCEED(pf_oracle_table_sentence(&each, in, fst, line, lines, &alone));
    unsigned searches = 0;
    for (size_t k = 0; k < SPACES; k++) {
        expect_cell(&alone.space.at[k], &together.space.at[k], spaces[k]);
        searches += together.space.at[k].searches;
        assert_int_equal(alone.space.at[k].searches, candidates);
        pf_oracle_counts best = {{0}, {0}, 0, 0};
        for (size_t c = 0; c < candidates; c++) {
            pf_oracle_answer answer;
            pf_fst *permutations = permuted(candidate[c], spaces[k]);
            SUCCEED(pf_oracle_bleu(permutations, &references, &(pf_oracle_options){.joiner = "+"}, &answer));
            if (!c || pf_oracle_compare(&answer.counts.at[0], &best, true) > 0) best = answer.counts.at[0];
            pf_oracle_answer_free(&answer);
            pf_fst_free(permutations);
        }
        assert_memory_equal(&best, &together.space.at[k].counts, sizeof best);
    }
    assert_true(searches < SPACES * candidates);
    pf_oracle_sentence_free(&together);
    pf_oracle_sentence_free(&alone);
    pf_oracle_references_free(&references);
}

static void spaces_share_work(void **state PF_UNUSED) {
    const pf_oracle_table_options options = {.space = spaces, .spaces = SPACES, .search.joiner = "+"};
    for (unsigned round = 0; round < 60; round++) {
        char text[LINE], line[2][LINE];
        const char *const lines[] = {line[0], line[1]};
        unsigned n = 5 + below(3), types = 3 + below(4);
        draw_line(&random_state, text, LINE, n, types);
        for (int k = 0; k < 2; k++) draw_line(&random_state, line[k], LINE, n - 1 + below(3), types);
        pf_fst *linear = sentence(text);
        check_sentence(&options, NULL, linear, lines, 1 + round % 2, &linear, 1);
        pf_fst_free(linear);
    }
}

/* An answer of some paths, whose arcs without input go on with the unit before: "b+c" is an arc for b and one for c. */
static pf_expr *answer_of(const char *const *text, size_t n) {
    pf_answer answer = {.type = PF_STANDARD, .search = "test"};
    pf_expr *expr;
    SUCCEED(pf_symtab_new("words", &answer.osyms));
    for (size_t i = 0; i < n; i++) {
        pf_arc arc[64];
        size_t arcs = 0;
        const char *end = text[i] + strlen(text[i]), *at = text[i];
        for (pf_word word; pf_word_next(&at, end, &word);)
            for (size_t from = 0; from < word.n; from += 2) {
                pf_label label;
                SUCCEED(pf_symtab_add(answer.osyms, word.at + from, 1, &label));
                arc[arcs++] = (pf_arc){from ? 0 : 1, label, 0, PF_NO_STATE};
            }
        SUCCEED(pf_answer_add(&answer, arc, arcs, 0));
    }
    SUCCEED(pf_expr_of_answer(&answer, &expr));
    return expr;
}

static void candidates_are_put_in_order(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 40; round++) {
        char text[3][LINE], line[LINE];
        const char *const texts[] = {text[0], text[1], text[2]}, *const lines[] = {line};
        pf_fst *linear[3];
        size_t taken = 1 + round % 3;
        const pf_oracle_table_options options = {.space = spaces, .spaces = SPACES, .candidates = taken, .search.joiner = "+"};
        for (int i = 0; i < 3; i++) {
            size_t at = 0;
            for (unsigned k = 0, n = 4 + below(2); k < n; k++)
                at += (size_t)snprintf(text[i] + at, LINE - at, below(3) ? "%s%c" : "%s%c+b", k ? " " : "", 'a' + (int)below(5));
            linear[i] = sentence(text[i]);
        }
        draw_line(&random_state, line, LINE, 5 + below(3), 5);
        pf_expr *in = answer_of(texts, 3);
        check_sentence(&options, in, NULL, lines, 1, linear, taken);
        pf_expr_free(in);
        for (int i = 0; i < 3; i++) pf_fst_free(linear[i]);
    }
}

/* A limit leaves scores that orders have, and bounds that hold. */
static void limits_leave_bounds(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 20; round++) {
        char text[LINE], line[LINE];
        const char *const lines[] = {line};
        pf_oracle_table_options options = {.space = spaces, .spaces = SPACES};
        pf_oracle_sentence whole, cut;
        draw_line(&random_state, text, LINE, 7, 5);
        draw_line(&random_state, line, LINE, 7, 5);
        pf_fst *linear = sentence(text);
        SUCCEED(pf_oracle_table_sentence(&options, NULL, linear, lines, 1, &whole));
        for (uint64_t limit = 1; limit < 500; limit *= 3) {
            options.search.max_states = limit;
            SUCCEED(pf_oracle_table_sentence(&options, NULL, linear, lines, 1, &cut));
            for (size_t k = 0; k < SPACES; k++) {
                double best = pf_oracle_score(&whole.space.at[k].counts, true),
                    found = pf_oracle_score(&cut.space.at[k].counts, true);
                assert_true(found <= best + 1e-12 && cut.space.at[k].bound >= best - 1e-12);
                if (cut.space.at[k].proven) assert_true(fabs(best - found) < 1e-9);
                for (size_t m = 0; m < k; m++) /* mj:1 is inside ibm:2 */
                    if (strcmp(spaces[m], "mj:1") == 0 && strcmp(spaces[k], "ibm:2") == 0)
                        assert_true(pf_oracle_score(&cut.space.at[m].counts, true) <= found + 1e-12);
            }
            pf_oracle_sentence_free(&cut);
        }
        pf_oracle_sentence_free(&whole);
        pf_fst_free(linear);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chart_is_the_automaton), cmocka_unit_test(a_known_path_changes_nothing),
        cmocka_unit_test(known_inclusions_hold),      cmocka_unit_test(spaces_share_work),
        cmocka_unit_test(candidates_are_put_in_order), cmocka_unit_test(limits_leave_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
