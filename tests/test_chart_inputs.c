/* What a chart takes besides sentences, against brute force: word graphs, all of whose paths and orders are listed; and units of
 * several words, which are enumerated by their definitions. */
#include "draw.h"
#include "oracle.h"
#include "paths.h"

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

static const pf_perm_spec itg = {.con = (const char *const[]){"itg"}, .n_con = 1};

/* ---- comparing ---- */

static void expect_all(pf_fst *fst, const paths *want, pf_best_options base) {
    const size_t numbers[] = {1, 2, 10, want->at.n + 1};
    static const size_t beams[] = {1, 3, 16};
    for (size_t i = 0; i < LENGTH_OF(numbers); i++) {
        base.n = numbers[i];
        expect_best_of_chart(fst, want, &base);
    }
    for (size_t i = 0; i < LENGTH_OF(beams); i++) {
        base.beam = beams[i];
        expect_claims_of_chart(fst, want, base);
    }
    base.widen = true;
    expect_claims_of_chart(fst, want, base);
    base = (pf_best_options){.grouping = base.grouping, .threshold = 1};
    expect_claims_of_chart(fst, want, base);
    base = (pf_best_options){.grouping = base.grouping, .max_bytes = 1}; /* no room to tell words apart in the bounds */
    expect_claims_of_chart(fst, want, base);
    base.beam = 1;
    expect_claims_of_chart(fst, want, base);
}

/* ---- word graphs ---- */

/* The words are from the shipped model's text, or silence. */
static pf_fst *random_graph(uint64_t seed, unsigned nodes, bool silent) {
    static const char *const word[] = {"that", "does", "not", "suit", "me", "at", "all", "qqq"};
    pf_symtab *words;
    pf_build build = {0};
    pf_fst *fst;
    pf_label label[LENGTH_OF(word)];
    SUCCEED(pf_symtab_new("words", &words));
    SUCCEED(pf_symtab_put_epsilon(words));
    for (size_t i = 0; i < LENGTH_OF(word); i++) SUCCEED(pf_symtab_add(words, word[i], strlen(word[i]), &label[i]));
    for (unsigned i = 0; i + 1 < nodes; i++)
        for (unsigned arcs = 1 + draw(&seed, 3); arcs > 0; arcs--) {
            const unsigned step = 1 + draw(&seed, 2) * draw(&seed, 3), to = i + step < nodes ? i + step : nodes - 1;
            const pf_label out = silent && draw(&seed, 5) == 0 ? PF_EPSILON : label[draw(&seed, LENGTH_OF(word))];
            /* states count down */
            SUCCEED(pf_build_arc(&build, nodes - 1 - i, out, out, 0.25f * (float)draw(&seed, 6), nodes - 1 - to));
        }
    SUCCEED(pf_build_final(&build, 0, 0.5f));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, nodes - 1, &fst));
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

typedef struct {
    const pf_input *graph;
    const pf_symtab *words;
    paths all;
    uint32_t arc[MAX_ARCS]; /* of a path of the graph */
    unsigned node[MAX_ARCS], n;
} graph_lister;

/* All orders of the path that are admitted, as the definition of itg says. */
static void list_orders(graph_lister *lister) {
    unsigned perm[MAX_ARCS];
    oracle_first(perm, lister->n);
    do {
        path one = {.cost = 0, .n = lister->n, .osyms = lister->words};
        if (!oracle_member("itg", perm, lister->n)) continue;
        for (unsigned t = 0; t < lister->n; t++) {
            const pf_arc *arc = &lister->graph->arc[lister->arc[perm[t]]];
            one.in[t] = (pf_label)lister->node[perm[t]] + 1;
            one.out[t] = arc->out;
            one.cost += (double)arc->w;
        }
        one.cost += (double)lister->graph->final;
        SUCCEED(PF_PUSH(&lister->all.at, one));
    } while (oracle_next(perm, lister->n));
}

static void list_paths(graph_lister *lister, unsigned node) {
    if (node == lister->graph->n) {
        list_orders(lister);
        return;
    }
    for (uint32_t a = lister->graph->first[node]; a < lister->graph->first[node + 1]; a++) {
        lister->arc[lister->n] = a;
        lister->node[lister->n++] = node;
        list_paths(lister, lister->graph->arc[a].to);
        lister->n--;
    }
}

static int by_labels(const void *first, const void *second) {
    const path *one = first, *other = second;
    if (one->n != other->n) return one->n < other->n ? -1 : 1;
    for (unsigned t = 0; t < one->n; t++) {
        if (one->in[t] != other->in[t]) return one->in[t] < other->in[t] ? -1 : 1;
        if (one->out[t] != other->out[t]) return one->out[t] < other->out[t] ? -1 : 1;
    }
    return (one->cost > other->cost) - (one->cost < other->cost);
}

/* The automaton's paths are all orders of all paths, each once. */
static void expect_orders(pf_fst *perm, pf_fst *graph) {
    pf_input input;
    graph_lister lister = {.graph = &input};
    paths got = all_paths(perm, (double)INFINITY);
    SUCCEED(pf_graph_read(graph, &input));
    list_paths(&lister, 0);
    assert_int_equal(lister.all.at.n, got.at.n);
    qsort(lister.all.at.at, lister.all.at.n, sizeof *lister.all.at.at, by_labels);
    qsort(got.at.at, got.at.n, sizeof *got.at.at, by_labels);
    for (size_t i = 0; i < got.at.n; i++) {
        assert_int_equal(by_labels(&lister.all.at.at[i], &got.at.at[i]), 0);
        assert_true(i == 0 || by_labels(&got.at.at[i - 1], &got.at.at[i]) <= 0);
    }
    PF_VEC_FREE(&lister.all.at);
    PF_VEC_FREE(&got.at);
    pf_input_free(&input);
}

static void expect_chart(pf_fst *fst) {
    paths want = all_paths(fst, (double)INFINITY);
    expect_all(fst, &want, (pf_best_options){0});
    PF_VEC_FREE(&want.at);
}

static void word_graphs_are_brute_force(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < (getenv("PERMFST_QUICK") ? 6 : 40); seed++) {
        pf_fst *graph = random_graph(seed, 3 + (unsigned)(seed % 4), seed % 5 == 4), *perm, *composed;
        if (!pf_input_branches(graph)) {
            pf_fst_free(graph);
            continue;
        }
        SUCCEED(pf_perm_lazy(graph, &itg, &perm));
        composed = with_model(perm);
        expect_orders(perm, graph);
        expect_chart(perm);
        expect_chart(composed);
        pf_fst_free(composed);
        pf_fst_free(perm);
        pf_fst_free(graph);
    }
}

/* The definition's example: 6 + 2 + 2 orders. */
static void a_small_graph_has_ten_orders(void **state) {
    (void)state;
    static const unsigned arcs[][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {1, 3}};
    pf_build build = {0};
    pf_fst *graph, *perm;
    for (unsigned i = 0; i < LENGTH_OF(arcs); i++)
        SUCCEED(pf_build_arc(&build, arcs[i][0], (pf_label)i + 1, (pf_label)i + 1, 0, arcs[i][1]));
    SUCCEED(pf_build_final(&build, 3, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &graph));
    SUCCEED(pf_perm_lazy(graph, &itg, &perm));
    paths all = all_paths(perm, (double)INFINITY);
    assert_int_equal(all.at.n, 10);
    for (size_t n = 1; n <= 11; n++) expect_best_of_chart(perm, &all, &(pf_best_options){.n = n});
    PF_VEC_FREE(&all.at);
    pf_fst_free(perm);
    pf_fst_free(graph);
}

static pf_fst *machine_of(const unsigned (*arcs)[2], unsigned n, unsigned last) {
    pf_build build = {0};
    pf_fst *fst;
    for (unsigned i = 0; i < n; i++) SUCCEED(pf_build_arc(&build, arcs[i][0], 1, 1, 0, arcs[i][1]));
    SUCCEED(pf_build_final(&build, last, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    return fst;
}

static void what_is_no_word_graph_is_refused(void **state) {
    (void)state;
    static const unsigned cycle[][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}}, dead[][2] = {{0, 1}, {0, 2}, {0, 2}},
        skip[][2] = {{0, 1}, {0, 2}, {1, 2}};
    static const struct {
        const char *con, *wm, *message;
    } bad[] = {{"wall:2", NULL, "'wall:2' is about positions"}, {"itg-span:2", NULL, "'itg-span:2'"},
               {NULL, "distance:1", "'distance:1' weighs"}};
    pf_fst *fst = machine_of(cycle, 4, 2), *perm;
    assert_int_equal(pf_perm_lazy(fst, &itg, &perm), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "on a cycle"));
    pf_fst_free(fst);
    fst = machine_of(dead, 3, 1);
    SUCCEED(pf_perm_lazy(fst, &itg, &perm)); /* state 2 leads nowhere */
    paths all = all_paths(perm, (double)INFINITY);
    assert_int_equal(all.at.n, 1);
    PF_VEC_FREE(&all.at);
    pf_fst_free(perm);
    pf_fst_free(fst);
    fst = machine_of(skip, 3, 2);
    for (size_t i = 0; i < LENGTH_OF(bad); i++) {
        const char *const con[] = {"itg", bad[i].con};
        const pf_weight wm = {.spec = bad[i].wm};
        assert_int_equal(pf_perm_lazy(fst, &(pf_perm_spec){con, 1 + (bad[i].con != NULL), &wm, bad[i].wm != NULL, false}, &perm),
                         PF_EARG);
        assert_non_null(strstr(pf_message(), bad[i].message));
    }
    assert_int_equal(pf_perm_lazy(fst, &(pf_perm_spec){.con = (const char *const[]){"ibm:2"}, .n_con = 1}, &perm), PF_EINPUT);
    pf_fst_free(fst);
}

/* ---- units ---- */

/* A model with a tuple for each set of the first n words, which says the set: "w1_w3|t5". All costs differ. */
static void tuples_of_all_sets(uint64_t seed, unsigned n, pf_model *out) {
    static char text[1 << 16];
    const unsigned sets = (1u << n) - 1;
    char name[64][40];
    pf_model ngram;
    pf_reader *reader;
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "\\data\\\nngram 1=%u\nngram 2=%u\n\n\\1-grams:\n-99\t<s>\t-0.3\n-1.25\t</s>\n-2\t<unk>\n",
                                     sets + 3, sets);
    for (unsigned set = 1; set <= sets; set++) {
        size_t at = 0;
        for (unsigned j = 0; j < n; j++)
            if (set >> j & 1) at += (size_t)snprintf(name[set - 1] + at, sizeof *name - at, "%sw%u", at ? "_" : "", j + 1);
        snprintf(name[set - 1] + at, sizeof *name - at, "|t%u", set);
        length += (size_t)snprintf(text + length, sizeof text - length, "-%u.%05u\t%s\t-0.%03u\n", 1 + draw(&seed, 2),
                                   draw(&seed, 100000),
                                   name[set - 1], draw(&seed, 1000));
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "\n\\2-grams:\n");
    for (unsigned set = 0; set < sets; set++)
        length += (size_t)snprintf(text + length, sizeof text - length, "-0.%05u\t%s %s\n", draw(&seed, 100000), name[set],
                                   name[(set + 1 + draw(&seed, 3)) % sets]);
    snprintf(text + length, sizeof text - length, "\n\\end\\\n");
    SUCCEED(pf_reader_memory(text, strlen(text), "test.arpa", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, &ngram));
    pf_reader_free(reader);
    SUCCEED(pf_tuplemodel_new(&ngram, &(pf_tuple_options){10, 0}, out));
}

typedef struct {
    pf_model tuples;
    pf_fst *linear, *perm, *spelt;
} translation;

static void translate(translation *translated, uint64_t seed, unsigned n, const pf_perm_spec *spec) {
    const double scale[2] = {1, 1};
    tuples_of_all_sets(seed, n, &translated->tuples);
    translated->linear = sentence("w1 w2 w3 w4 w5 w6", n, false);
    SUCCEED(pf_perm_lazy(translated->linear, spec, &translated->perm));
    SUCCEED(pf_spell_tuples(translated->perm, &translated->tuples, scale, &translated->spelt));
}

/* An automaton over the target words, whose costs depend on the sum of those before. It says nothing of a piece whose left context
 * is not known, so a chart guesses the place before it. */
typedef struct {
    pf_fst *automaton, *spelt;
    pf_match *match;
} guided;

static void guide(guided *by_guide, pf_fst *spelt, unsigned n) {
    enum { STATES = 3 };
    pf_build build = {0};
    pf_symtab *words;
    SUCCEED(pf_symtab_new("targets", &words));
    SUCCEED(pf_symtab_put_epsilon(words));
    for (unsigned set = 1; set < 1u << n; set++) {
        char name[8];
        pf_label word;
        const int length = snprintf(name, sizeof name, "t%u", set);
        SUCCEED(pf_symtab_add(words, name, (size_t)length, &word));
        for (unsigned s = 0; s < STATES; s++)
            SUCCEED(pf_build_arc(&build, s, word, word, 0.375f * (float)((3 * s + set) % 5), (s + set) % STATES));
    }
    for (unsigned s = 0; s < STATES; s++) SUCCEED(pf_build_final(&build, s, 0.25f * (float)s));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &by_guide->automaton));
    pf_fst_set_symbols(by_guide->automaton, words, words);
    pf_symtab_free(words);
    SUCCEED(pf_match_new(by_guide->automaton, NULL, &by_guide->match));
    SUCCEED(pf_spell_score(spelt, 1, &(pf_scored_by){pf_match_scorer(by_guide->match), 0.75}, &by_guide->spelt));
}

static void guided_free(guided *by_guide) {
    pf_fst_free(by_guide->spelt);
    pf_match_free(by_guide->match);
    pf_fst_free(by_guide->automaton);
}

static void translation_free(translation *translated) {
    pf_fst_free(translated->spelt);
    pf_fst_free(translated->perm);
    pf_fst_free(translated->linear);
    pf_model_free(&translated->tuples);
}

static bool is_run(unsigned set) { return !((set + (set & -set)) & set); }

static unsigned all_of(const unsigned *unit, unsigned n) {
    unsigned all = 0;
    for (unsigned i = 0; i < n; i++) all |= unit[i];
    return all;
}

/* Two runs around a block; that all of it is a run is known. */
static bool is_around(unsigned unit, unsigned inner) { return (unit & -unit) < (inner & -inner) && unit > inner; }

/* The grammar of definitions.md, section 10: A -> A A in either order, a run, or a unit of two runs around an A. */
static bool derives(const unsigned *unit, unsigned n, bool extended) {
    if (!is_run(all_of(unit, n))) return false;
    if (n == 1) return true;
    for (unsigned s = 1; s < n; s++)
        if (derives(unit, s, extended) && derives(unit + s, n - s, extended)) return true;
    if (!extended) return false;
    return (is_around(unit[0], all_of(unit + 1, n - 1)) && derives(unit + 1, n - 1, true)) ||
        (is_around(unit[n - 1], all_of(unit, n - 1)) && derives(unit, n - 1, true));
}

/* The units of a path: each begins where a word is said. */
static bool admits(const path *one, pf_grouping grouping) {
    unsigned unit[MAX_ARCS], n = 0;
    if (grouping == PF_GROUPING_ANY) return true;
    for (unsigned t = 0; t < one->n; t++) {
        if (one->out[t] != PF_EPSILON) unit[n++] = 0;
        unit[n - 1] |= 1u << (one->in[t] - 1);
    }
    return derives(unit, n, grouping == PF_GROUPING_EXTENDED);
}

static const unsigned numbers_of_units[3][6] = {{1, 3, 13, 69, 409, 2595}, {1, 3, 11, 47, 223, 1135}, {1, 3, 13, 65, 351, 2003}};

static void units_are_as_many_as_the_definition_says(void **state) {
    (void)state;
    for (unsigned n = 1; n <= (getenv("PERMFST_QUICK") ? 4 : 6); n++)
        for (pf_grouping grouping = PF_GROUPING_ANY; grouping <= PF_GROUPING_EXTENDED; grouping++) {
            translation translated;
            pf_answer answer;
            translate(&translated, n, n, &itg);
            SUCCEED(pf_chart_best(translated.spelt, &(pf_best_options){.n = 4000, .grouping = grouping}, &answer));
            assert_int_equal(answer.paths.n, numbers_of_units[grouping][n - 1]);
            assert_true(pf_answer_optimal(&answer));
            pf_answer_free(&answer);
            translation_free(&translated);
        }
}

/* ---- trees of units, read as the definition says ---- */

/* Units in the order in which they are visited, each a set of positions. */
typedef struct {
    unsigned set[MAX_ARCS], n;
    bool first_run, second_run; /* of a unit that is not whole */
} unit_list;

static void put_units(unit_list *to, const unit_list *from) {
    for (unsigned i = 0; i < from->n; i++) to->set[to->n++] = from->set[i];
}

static const char *read_unit(const char *text, unit_list *out) {
    out->second_run = *text == '~';
    if (*text == '~') text++;
    for (out->n = 1; *text >= '1' && *text <= '9'; text += strncmp(text + 1, "\\ ", 2) ? 1 : 3) out->set[0] |= 1u << (*text - '1');
    out->first_run = *text == '~';
    return text + out->first_run;
}

/* Returns what follows the tree. */
static const char *read_units(const char *text, unit_list *out) {
    unit_list son[8] = {0};
    const bool straight = *text == '[';
    unsigned n = 0;
    if (!strchr("[<", *text)) return read_unit(text, out);
    do text = read_units(text + 1, &son[n++]);
    while (*text == ' ');
    assert_true(*text == (straight ? ']' : '>') && n > 1);
    if (son[0].first_run) {
        assert_true(n == 3 && son[2].second_run && son[0].set[0] < son[2].set[0]);
        son[0].set[0] |= son[2].set[0];
        put_units(out, &son[straight ? 0 : 1]);
        put_units(out, &son[straight ? 1 : 0]);
    } else
        for (unsigned i = 0; i < n; i++) put_units(out, &son[straight ? i : n - 1 - i]);
    return text + 1;
}

/* What a path says of its units, and what its tree says of them. */
static void expect_units(const pf_answer *answer, size_t rank, pf_itg_tree_form form) {
    unit_list want = {0}, found = {0};
    pf_writer *writer;
    size_t length;
    char text[200];
    for (size_t t = 0; t < answer->paths.at[rank].n; t++) {
        const pf_arc arc = answer->paths.at[rank].arc[t];
        if (arc.out != PF_EPSILON) want.n++;
        want.set[want.n - 1] |= 1u << (arc.in - 1);
    }
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_answer_write_tree(writer, answer, rank, form, true, true));
    const unsigned char *bytes = pf_writer_bytes(writer, &length);
    assert_true(length < sizeof text);
    memcpy(text, bytes, length);
    text[length] = 0;
    pf_writer_free(writer);
    assert_string_equal(read_units(text, &found), "");
    assert_int_equal(found.n, want.n);
    assert_memory_equal(found.set, want.set, want.n * sizeof *want.set);
}

static void trees_have_the_units_of_their_paths(void **state) {
    (void)state;
    for (unsigned n = 1; n <= (getenv("PERMFST_QUICK") ? 4 : 5); n++)
        for (pf_grouping grouping = PF_GROUPING_CONTIGUOUS; grouping <= PF_GROUPING_EXTENDED; grouping++) {
            translation translated;
            pf_answer answer;
            translate(&translated, n, n, &itg);
            SUCCEED(pf_chart_best(translated.spelt, &(pf_best_options){.n = 4000, .grouping = grouping}, &answer));
            for (size_t rank = 0; rank < answer.paths.n; rank++) {
                expect_units(&answer, rank, PF_TREE_CANONICAL);
                expect_units(&answer, rank, PF_TREE_BINARY);
            }
            pf_answer_free(&answer);
            translation_free(&translated);
        }
}

static void expect_unit_lattice(pf_fst *spelt, const paths *want, pf_grouping grouping, size_t beam, double more) {
    pf_answer answer;
    SUCCEED(pf_chart_best(spelt, &(pf_best_options){.search = PF_SEARCH_CHART, .lattice = true, .grouping = grouping, .beam = beam,
                                                    .threshold = more}, &answer));
    expect_paths(answer.lattice, want, beam != 0, more);
    pf_answer_free(&answer);
}

/* Constraints beside itg, with zones that units cross, and costs of pairs: of at least 4 positions. */
static const char *const beside[][4] = {
    {"itg"}, {"itg-span:2"}, {"itg-span:3"}, {"itg", "local:3"}, {"itg", "mj:1"}, {"itg", "inverse-local:2"}, {"itg", "wall:2"},
    {"itg", "wall:3,2,4"}, {"itg", "zone:2,3"}, {"itg", "zone:2,4"}, {"itg", "zone:1,2", "zone:3,4"}, {"itg", "zone:1,3"},
    {"itg", "zone:1,4", "zone:2,3"}, {"itg", "zone:2,4", "zone:3,4"}, {"itg", "unit:2,4"}, {"itg", "unit:2,3"},
    {"itg", "unit:1,3", "wall:3"},
    {"itg-span:3", "zone:2,3", "wall:1"}, {"itg", "zone:1,3", "wall:2,1,3"}, {"itg", "zone:2,4", "wall:3"},
};
static const char *const pair_weights[] = {NULL, "pairwise:-", "inversions:0.6", "distance:0.4"};

/* The paths that have units of the grouping, as the definition says. */
static void expect_units_of(pf_fst *spelt, pf_grouping grouping) {
    paths want = {0}, all = all_paths(spelt, (double)INFINITY);
    for (size_t i = 0; i < all.at.n; i++)
        if (admits(&all.at.at[i], grouping)) SUCCEED(PF_PUSH(&want.at, all.at.at[i]));
    expect_all(spelt, &want, (pf_best_options){.grouping = grouping});
    paths_by_labels(&want);
    expect_unit_lattice(spelt, &want, grouping, 0, (double)INFINITY);
    PF_VEC_FREE(&all.at);
    PF_VEC_FREE(&want.at);
}

static void run_units_beside(const char *const *con, const pf_weight *weight, uint64_t seed, unsigned n, bool guesses) {
    pf_perm_spec spec = {.con = con, .wm = weight, .n_wm = weight->spec != NULL};
    translation translated;
    guided by_guide = {0};
    while (spec.n_con < 4 && con[spec.n_con]) spec.n_con++;
    translate(&translated, seed, n, &spec);
    if (guesses) guide(&by_guide, translated.spelt, n);
    for (pf_grouping grouping = PF_GROUPING_ANY; grouping <= PF_GROUPING_EXTENDED; grouping++)
        expect_units_of(guesses ? by_guide.spelt : translated.spelt, grouping);
    if (guesses) guided_free(&by_guide);
    translation_free(&translated);
}

/* Each constraint with each weight at 4 positions; at 5 with one of them. */
static void units_beside_constraints_are_brute_force(void **state) {
    (void)state;
    const unsigned longest = getenv("PERMFST_QUICK") ? 4 : 5;
    uint64_t seed = 5;
    double table[25];
    for (unsigned n = 4; n <= longest; n++)
        for (size_t i = 0; i < LENGTH_OF(beside); i++)
            for (size_t k = 0; k < LENGTH_OF(pair_weights); k++) {
                pf_weight weight = {.spec = pair_weights[k], .cost = table};
                for (size_t x = 0; x < LENGTH_OF(table); x++) table[x] = (double)draw(&seed, 1000000) / 345679.0;
                if (k == 1) weight.n = n * (size_t)n;
                if (n == 4 || k == i % LENGTH_OF(pair_weights)) run_units_beside(beside[i], &weight, seed, n, (i + k) % 3 == 0);
            }
}

static void units_are_brute_force(void **state) {
    (void)state;
    static const pf_weight distance = {.spec = "distance:0.37"};
    const pf_perm_spec weighed = {.con = (const char *const[]){"itg"}, .n_con = 1, .wm = &distance, .n_wm = 1};
    for (uint64_t seed = 0; seed < (getenv("PERMFST_QUICK") ? 2 : 6); seed++)
        for (pf_grouping grouping = PF_GROUPING_ANY; grouping <= PF_GROUPING_EXTENDED; grouping++) {
            const unsigned n = 3 + (unsigned)(seed % 3);
            translation translated;
            paths want = {0};
            translate(&translated, seed, n, seed % 2 ? &weighed : &itg);
            paths all = all_paths(translated.spelt, (double)INFINITY);
            for (size_t i = 0; i < all.at.n; i++)
                if (admits(&all.at.at[i], grouping)) SUCCEED(PF_PUSH(&want.at, all.at.at[i]));
            assert_int_equal(want.at.n, numbers_of_units[grouping][n - 1]);
            expect_all(translated.spelt, &want, (pf_best_options){.grouping = grouping});
            PF_VEC_FREE(&all.at);
            PF_VEC_FREE(&want.at);
            translation_free(&translated);
        }
}

static void lattices_of_units_are_brute_force(void **state) {
    (void)state;
    static const pf_weight distance = {.spec = "distance:0.37"};
    const pf_perm_spec weighed = {.con = (const char *const[]){"itg"}, .n_con = 1, .wm = &distance, .n_wm = 1};
    for (uint64_t seed = 0; seed < (getenv("PERMFST_QUICK") ? 2 : 6); seed++)
        for (pf_grouping grouping = PF_GROUPING_ANY; grouping <= PF_GROUPING_EXTENDED; grouping++) {
            translation translated;
            paths want = {0};
            translate(&translated, seed, 2 + (unsigned)(seed % 3), seed % 2 ? &weighed : &itg);
            paths all = all_paths(translated.spelt, (double)INFINITY);
            for (size_t i = 0; i < all.at.n; i++)
                if (admits(&all.at.at[i], grouping)) SUCCEED(PF_PUSH(&want.at, all.at.at[i]));
            paths_by_labels(&want);
            expect_unit_lattice(translated.spelt, &want, grouping, 0, (double)INFINITY);
            expect_unit_lattice(translated.spelt, &want, grouping, 0, 1.5);
            expect_unit_lattice(translated.spelt, &want, grouping, 3, (double)INFINITY);
            PF_VEC_FREE(&all.at);
            PF_VEC_FREE(&want.at);
            translation_free(&translated);
        }
}

static void units_that_cannot_be_are_refused(void **state) {
    (void)state;
    const pf_tree_costs trees = {.node = {1, 2}};
    const pf_best_options options = {.grouping = PF_GROUPING_CONTIGUOUS};
    pf_best_options with_trees = options;
    translation translated;
    pf_answer answer;
    with_trees.trees = &trees;
    translate(&translated, 1, 3, &itg);
    assert_int_equal(pf_chart_best(translated.perm, &options, &answer), PF_EARG);
    assert_non_null(strstr(pf_message(), "tuple model"));
    assert_int_equal(pf_best(translated.spelt, &options, &answer), PF_EARG);
    assert_int_equal(pf_chart_best(translated.spelt, &with_trees, &answer), PF_EARG);
    assert_non_null(strstr(pf_message(), "trees that cost something"));
    translation_free(&translated);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_graphs_are_brute_force),
        cmocka_unit_test(a_small_graph_has_ten_orders),
        cmocka_unit_test(what_is_no_word_graph_is_refused),
        cmocka_unit_test(units_are_as_many_as_the_definition_says),
        cmocka_unit_test(units_are_brute_force),
        cmocka_unit_test(units_beside_constraints_are_brute_force),
        cmocka_unit_test(trees_have_the_units_of_their_paths),
        cmocka_unit_test(lattices_of_units_are_brute_force),
        cmocka_unit_test(units_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, read_model, free_model);
}
