/* The chart against the definitions alone: orders are listed by oracle.c, models are tables that are drawn here, and costs are
 * added up as section 2 of the definitions says, one float an arc. Nothing that is compared comes from an automaton. So costs are
 * equal to the last bit, ties stand in the documented order, and what a beam claims is held to all orders there are. */
#include "draw.h"
#include "oracle.h"
#include "paths.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))
#define SUCCEED(call) \
    do { \
        if (call) fail_msg("%s", pf_message()); \
    } while (0)

enum { LONGEST = 7, KNOWN = 4, UNKNOWN = KNOWN, START, END, WORDS, MOST_ALTERNATIVES = 2 };

static const char *const word_of[WORDS] = {"a", "b", "c", "d", "<unk>", "<s>", "</s>"}; /* of the model */
static const char *const said[WORDS] = {"a", "b", "c", "d", "qqq", "<s>", "</s>"};      /* of the sentence */

static uint64_t state_of_draws;

static unsigned below(unsigned n) { return draw(&state_of_draws, n); }

/* ---- a trigram model with back-off ---- */

/* log10 of probabilities and back-off weights, in thousandths; of a history of 2, its first word comes first. */
typedef struct {
    bool has2[WORDS][WORDS], has3[WORDS][WORDS][WORDS];
    int one[WORDS], two[WORDS][WORDS], three[WORDS][WORDS][WORDS], back1[WORDS], back2[WORDS][WORDS];
    pf_model model;
} random_model;

static bool may_follow(unsigned last, unsigned next) { return last != END && last != UNKNOWN && next != START && next != UNKNOWN; }

static void draw_model(random_model *drawn) {
    memset(drawn, 0, sizeof *drawn);
    for (unsigned before = 0; before < WORDS; before++) {
        drawn->one[before] = -(int)below(2500);
        drawn->back1[before] = before == END || before == UNKNOWN ? 0 : 200 - (int)below(700);
        for (unsigned word = 0; word < WORDS; word++) {
            drawn->has2[before][word] = may_follow(before, word) && below(3);
            drawn->two[before][word] = -(int)below(2000);
            drawn->back2[before][word] = word == END ? 0 : 100 - (int)below(500);
        }
    }
    for (unsigned before = 0; before < WORDS; before++)
        for (unsigned word = 0; word < WORDS; word++)
            for (unsigned w = 0; w < WORDS; w++) {
                drawn->has3[before][word][w] = drawn->has2[before][word] && drawn->has2[word][w] && below(2);
                drawn->three[before][word][w] = -(int)below(1500);
            }
}

static size_t put(char *text, int thousandths, const char *words, int back, bool has_back) {
    const size_t n = (size_t)sprintf(text, "%.3f\t%s", thousandths / 1000.0, words);
    return n + (size_t)(has_back ? sprintf(text + n, "\t%.3f\n", back / 1000.0) : sprintf(text + n, "\n"));
}

static void read_random(random_model *drawn) {
    static char text[1 << 16];
    char words[32];
    unsigned twos = 0, threes = 0;
    pf_reader *reader;
    for (unsigned gram = 0; gram < WORDS * WORDS * WORDS; gram++) {
        twos += gram < WORDS * WORDS && drawn->has2[gram / WORDS][gram % WORDS];
        threes += drawn->has3[gram / WORDS / WORDS][gram / WORDS % WORDS][gram % WORDS];
    }
    size_t n = (size_t)sprintf(text, "\\data\\\nngram 1=%d\nngram 2=%u\nngram 3=%u\n\n\\1-grams:\n", WORDS, twos, threes);
    for (unsigned before = 0; before < WORDS; before++)
        n += put(text + n, drawn->one[before], word_of[before], drawn->back1[before], drawn->back1[before]);
    n += (size_t)sprintf(text + n, "\n\\2-grams:\n");
    for (unsigned before = 0; before < WORDS; before++)
        for (unsigned word = 0; word < WORDS; word++) {
            sprintf(words, "%s %s", word_of[before], word_of[word]);
            if (drawn->has2[before][word]) n += put(text + n, drawn->two[before][word], words, drawn->back2[before][word],
                                                    drawn->back2[before][word]);
        }
    n += (size_t)sprintf(text + n, "\n\\3-grams:\n");
    for (unsigned before = 0; before < WORDS; before++)
        for (unsigned word = 0; word < WORDS; word++)
            for (unsigned w = 0; w < WORDS; w++) {
                sprintf(words, "%s %s %s", word_of[before], word_of[word], word_of[w]);
                if (drawn->has3[before][word][w]) n += put(text + n, drawn->three[before][word][w], words, 0, false);
            }
    n += (size_t)sprintf(text + n, "\n\\end\\\n");
    assert_true(n < sizeof text);
    SUCCEED(pf_reader_memory(text, n, "random.arpa", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, &drawn->model));
    pf_reader_free(reader);
}

/* A number of a file is a cost, one float. */
static double cost_of(int thousandths) { return (double)(float)(-(thousandths / 1000.0) * 2.30258509299404568402); }

/* The cost of a word after the two before it; WORDS: there is none. */
static double model_cost(const random_model *drawn, unsigned before, unsigned last, unsigned word) {
    double back = 0;
    if (before < WORDS && drawn->has3[before][last][word]) return cost_of(drawn->three[before][last][word]);
    if (before < WORDS && drawn->has2[before][last]) back += cost_of(drawn->back2[before][last]);
    if (drawn->has2[last][word]) return back + cost_of(drawn->two[last][word]);
    return back + cost_of(drawn->back1[last]) + cost_of(drawn->one[word]);
}

/* ---- a case ---- */

enum { MODELS = 2, SPECS = 3 };

typedef struct {
    unsigned n, alternatives[LONGEST], word[LONGEST][MOST_ALTERNATIVES];
    float weight[LONGEST][MOST_ALTERNATIVES], end;
    const char *con[SPECS], *wm;
    size_t n_con;
    double table[LONGEST * LONGEST];
    random_model model[MODELS];
    double scale[MODELS], own;
    size_t models;
    pf_tree_costs trees;
    bool has_trees;
    double span[LONGEST + 1][LONGEST + 1][2];
    pf_symtab *words;
    oracle_set orders;
    paths want;
} brute_case;

/* ---- what the definitions say ---- */

/* The least sum of node costs over the trees of the moves a .. b-1. INFINITY: there is no tree. */
static double least_tree(const brute_case *brute, const unsigned *perm, unsigned a, unsigned b) {
    unsigned low = LONGEST, high = 0;
    bool run = true;
    for (unsigned step = a; step < b; step++) {
        if (perm[step] < low) low = perm[step];
        if (perm[step] >= high) high = perm[step] + 1;
        run = run && (step == a || perm[step] == perm[step - 1] + 1);
    }
    if (high - low != b - a) return (double)INFINITY;
    if (b - a == 1) return 0;
    double least = run && brute->trees.runs ? 0 : (double)INFINITY;
    for (unsigned split = a + 1; split < b; split++) {
        unsigned least_of[2] = {LONGEST, LONGEST};
        for (unsigned step = a; step < b; step++)
            if (perm[step] < least_of[step >= split]) least_of[step >= split] = perm[step];
        const bool inverted = least_of[0] > least_of[1];
        const double sum = least_tree(brute, perm, a, split) + least_tree(brute, perm, split, b) + brute->trees.node[inverted]
                           + brute->span[low][high][inverted];
        least = fmin(least, sum);
    }
    return least;
}

/* One order with one choice of words. */
static void add_path(brute_case *brute, const unsigned *perm, const unsigned *choice) {
    path one = {.n = brute->n, .osyms = brute->words};
    unsigned before[MODELS], last[MODELS];
    for (size_t scorer = 0; scorer < brute->models; scorer++) before[scorer] = WORDS, last[scorer] = START;
    for (unsigned step = 0; step < brute->n; step++) {
        const unsigned word = brute->word[perm[step]][choice[perm[step]]];
        const double move = brute->wm ? oracle_move_cost(&brute->orders, brute->wm, brute->table, perm, step) : 0;
        const float own = (float)(move + (double)brute->weight[perm[step]][choice[perm[step]]]);
        double models = 0;
        for (size_t scorer = 0; scorer < brute->models; scorer++) {
            models += brute->scale[scorer] * model_cost(&brute->model[scorer], before[scorer], last[scorer], word);
            before[scorer] = last[scorer];
            last[scorer] = word;
        }
        one.cost += (double)(brute->models ? (float)(models + brute->own * (double)own) : own);
        one.in[step] = (pf_label)perm[step] + 1;
        one.out[step] = (pf_label)word + 1;
    }
    double end = 0;
    for (size_t scorer = 0; scorer < brute->models; scorer++)
        end += brute->scale[scorer] * model_cost(&brute->model[scorer], before[scorer], last[scorer], END);
    end += (brute->models ? brute->own : 1) * (double)brute->end + (brute->has_trees ? least_tree(brute, perm, 0, brute->n) : 0);
    one.cost += (double)(float)end;
    if (one.cost < (double)INFINITY) SUCCEED(PF_PUSH(&brute->want.at, one));
}

/* Cost, then permutation, then words; all orders have equally many. */
static int by_definition(const void *first, const void *second) {
    const path *one = first, *other = second;
    if (one->cost != other->cost) return one->cost < other->cost ? -1 : 1;
    for (unsigned step = 0; step < one->n; step++)
        if (one->in[step] != other->in[step]) return one->in[step] < other->in[step] ? -1 : 1;
    for (unsigned step = 0; step < one->n; step++)
        if (one->out[step] != other->out[step]) return strcmp(said[one->out[step] - 1], said[other->out[step] - 1]);
    return 0;
}

static void list_paths(brute_case *brute) {
    brute->orders = oracle_all(brute->con, brute->n_con, brute->n);
    for (size_t i = 0; i < brute->orders.count; i++) {
        unsigned perm[LONGEST], choice[LONGEST] = {0}, j = 0;
        for (unsigned step = 0; step < brute->n; step++) perm[step] = brute->orders.at[i * brute->n + step];
        do {
            add_path(brute, perm, choice);
            for (j = 0; j < brute->n && ++choice[j] == brute->alternatives[j]; j++) choice[j] = 0;
        } while (j < brute->n);
    }
    qsort(brute->want.at.at, brute->want.at.n, sizeof *brute->want.at.at, by_definition);
}

/* ---- cases at random ---- */

/* Costs are multiples of an eighth, of which sums are exact: so ties are where the definitions have them. */
static double eighths(unsigned most) { return below(most) / 8.0; }

static void draw_words(brute_case *brute) {
    for (unsigned j = 0; j < brute->n; j++) {
        brute->alternatives[j] = brute->n < 6 && below(4) == 0 ? 2 : 1;
        brute->word[j][0] = below(KNOWN + 1);
        brute->word[j][1] = (brute->word[j][0] + 1) % (KNOWN + 1);
        for (unsigned a = 0; a < MOST_ALTERNATIVES; a++) brute->weight[j][a] = (float)eighths(6);
    }
    brute->end = (float)eighths(4);
}

static void draw_space(brute_case *brute) {
    static const char *const beside[][2] = {{"itg"}, {"itg"}, {"itg", "local:3"}, {"itg", "mj:2"}, {"itg-span:3"},
                                            {"itg", "wall:2"}, {"itg", "zone:2,4"}, {"itg", "unit:1,3"}};
    static const char *const weights[] = {NULL, NULL, "pairwise:-", "inversions:0.25", "distance:0.5", "lexical:-"};
    const size_t chosen = below(brute->n < 4 ? 2 : LENGTH_OF(beside));
    for (brute->n_con = 0; brute->n_con < 2 && beside[chosen][brute->n_con]; brute->n_con++)
        brute->con[brute->n_con] = beside[chosen][brute->n_con];
    brute->wm = weights[below(LENGTH_OF(weights))];
    for (size_t i = 0; i < LENGTH_OF(brute->table); i++) brute->table[i] = eighths(12);
}

static void draw_models(brute_case *brute) {
    static const double scales[] = {1, 0.75, -0.25, 2};
    brute->models = below(MODELS + 1);
    brute->own = brute->models ? scales[below(2)] : 1;
    for (size_t scorer = 0; scorer < brute->models; scorer++) {
        brute->scale[scorer] = scorer ? scales[below(LENGTH_OF(scales))] : 1;
        draw_model(&brute->model[scorer]);
        read_random(&brute->model[scorer]);
    }
}

/* As a file of span costs has them. */
static void draw_trees(brute_case *brute, pf_span_costs **spans) {
    char text[4096];
    size_t n = 0;
    *spans = NULL;
    if (!(brute->has_trees = below(3) == 0)) return;
    brute->trees = (pf_tree_costs){.node = {eighths(8), eighths(8)}, .runs = below(2)};
    for (unsigned i = 0; i < brute->n; i++)
        for (unsigned k = i + 2; k <= brute->n; k++) {
            if (below(3)) continue;
            brute->span[i][k][0] = eighths(8);
            brute->span[i][k][1] = below(4) ? eighths(8) : (double)INFINITY;
            n += (size_t)snprintf(text + n, sizeof text - n, "%u %u %g %g\n", i, k, brute->span[i][k][0], brute->span[i][k][1]);
        }
    snprintf(text + n, sizeof text - n, "\n");
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), "spans", &reader));
    if (pf_span_costs_read(reader, brute->n, spans)) { /* they leave no tree */
        *spans = NULL;
        memset(brute->span, 0, sizeof brute->span);
    }
    pf_reader_free(reader);
    brute->trees.spans = *spans;
}

static pf_fst *make_sentence(brute_case *brute) {
    pf_build build = {0};
    pf_fst *fst;
    SUCCEED(pf_symtab_new("words", &brute->words));
    SUCCEED(pf_symtab_put_epsilon(brute->words));
    for (unsigned w = 0; w < WORDS; w++) {
        pf_label label;
        SUCCEED(pf_symtab_add(brute->words, said[w], strlen(said[w]), &label));
        assert_int_equal(label, w + 1);
    }
    SUCCEED(pf_build_state(&build, brute->n));
    for (unsigned j = 0; j < brute->n; j++)
        for (unsigned a = 0; a < brute->alternatives[j]; a++) {
            const pf_label label = (pf_label)brute->word[j][a] + 1;
            SUCCEED(pf_build_arc(&build, j, label, label, brute->weight[j][a], j + 1));
        }
    SUCCEED(pf_build_final(&build, brute->n, brute->end));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, brute->words, brute->words);
    return fst;
}

/* ---- comparing ---- */

static void expect_exact(pf_fst *fst, const brute_case *brute, size_t n) {
    pf_answer answer;
    SUCCEED(pf_chart_best(fst, &(pf_best_options){.n = n, .trees = brute->has_trees ? &brute->trees : NULL}, &answer));
    assert_int_equal(answer.paths.n, n < brute->want.at.n ? n : brute->want.at.n);
    for (size_t i = 0; i < answer.paths.n; i++) expect_path(&brute->want.at.at[i], &answer.paths.at[i]);
    assert_true(pf_answer_optimal(&answer));
    pf_answer_free(&answer);
}

static void expect_true(pf_fst *fst, const brute_case *brute, pf_best_options options) {
    options.trees = brute->has_trees ? &brute->trees : NULL;
    for (options.n = 1; options.n <= 9; options.n += 4) {
        pf_answer answer;
        SUCCEED(pf_chart_best(fst, &options, &answer));
        assert_true(answer.paths.n || !brute->want.at.n);
        expect_certificate(&answer, &brute->want, options.n);
        if (options.widen) assert_true(answer.bound == (double)INFINITY || pf_answer_gap(&answer) <= options.gap);
        pf_answer_free(&answer);
    }
}

static void expect_case(pf_fst *fst, const brute_case *brute) {
    const size_t numbers[] = {1, 2, 7, 50, brute->want.at.n + 1};
    for (size_t i = 0; i < LENGTH_OF(numbers); i++) expect_exact(fst, brute, numbers[i]);
    for (size_t beam = 1; beam <= 16; beam *= 4) expect_true(fst, brute, (pf_best_options){.beam = beam});
    expect_true(fst, brute, (pf_best_options){.threshold = 0.5});
    expect_true(fst, brute, (pf_best_options){.beam = 1, .widen = true, .gap = 0.75});
    expect_true(fst, brute, (pf_best_options){.beam = 1, .widen = true});
    expect_true(fst, brute, (pf_best_options){.max_states = 20});
}

static void run_case(uint64_t seed) {
    static brute_case brute;
    pf_span_costs *spans;
    pf_fst *linear, *perm, *scored;
    pf_scored by[MODELS];
    memset(&brute, 0, sizeof brute);
    state_of_draws = seed;
    below(7);
    brute.n = 1 + below(LONGEST);
    draw_words(&brute);
    draw_space(&brute);
    draw_models(&brute);
    draw_trees(&brute, &spans);
    linear = make_sentence(&brute);
    list_paths(&brute);
    const size_t costs = brute.wm && brute.wm[0] == 'p' ? brute.n * (size_t)brute.n : brute.wm && brute.wm[0] == 'l'
        ? 3 * (size_t)brute.n : 0;
    const pf_weight weight = {.spec = brute.wm, .cost = brute.table, .n = costs};
    SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = brute.con, .n_con = brute.n_con, .wm = &weight, .n_wm = brute.wm != NULL},
                         &perm));
    for (size_t scorer = 0; scorer < brute.models; scorer++)
        by[scorer] = (pf_scored){&brute.model[scorer].model, brute.scale[scorer]};
    if (brute.models) SUCCEED(pf_score_all(perm, brute.own, by, brute.models, &scored));
    expect_case(brute.models ? scored : perm, &brute);
    if (brute.models) pf_fst_free(scored);
    pf_fst_free(perm);
    pf_fst_free(linear);
    pf_span_costs_free(spans);
    for (size_t scorer = 0; scorer < brute.models; scorer++) pf_model_free(&brute.model[scorer].model);
    pf_symtab_free(brute.words);
    PF_VEC_FREE(&brute.want.at);
    free(brute.orders.at);
}

static void charts_are_the_definitions(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < (getenv("PERMFST_QUICK") ? 60 : 600); seed++) run_case(seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(charts_are_the_definitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
