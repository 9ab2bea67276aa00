/* Searches of permutation automata by scores that add, by levels and by the chart, against the same automata expanded, whose
 * machines of costs are made whole; and against all orders, scored by the definition. */
#include "check.h"
#include "draw.h"

#include <permfst/machine/build.h>
#include <permfst/ops/compose.h>
#include <permfst/ops/expand.h>
#include <permfst/oracle/record.h>
#include <permfst/permute/perm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 300, MOST = 10 };

static uint64_t random_state = 11;
static unsigned below(unsigned n) { return draw(&random_state, n); }

/* Words of one letter, some of them joined to two or three; an alternative, which may be empty, for some slots. */
static pf_fst *draw_sentence(unsigned n, unsigned types, bool joined, bool alternatives) {
    pf_build build = {0};
    pf_symtab *words;
    pf_fst *fst;
    SUCCEED(pf_symtab_new("words", &words));
    SUCCEED(pf_build_state(&build, n));
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0, several = alternatives && below(3) == 0; k <= several; k++) {
            char word[16];
            size_t at = (size_t)snprintf(word, sizeof word, "%c", 'a' + (int)below(types));
            pf_label label = PF_EPSILON;
            for (unsigned more = joined && below(3) == 0 ? 1 + below(2) : 0; more--;)
                at += (size_t)snprintf(word + at, sizeof word - at, "-%c", 'a' + (int)below(types));
            if (!k || below(2)) SUCCEED(pf_symtab_add(words, word, at, &label));
            SUCCEED(pf_build_arc(&build, i, label, label, 0.5f, i + 1));
        }
    SUCCEED(pf_build_final(&build, n, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

typedef struct {
    pf_oracle_sources sources;
    char line[2][LINE];
    size_t lines;
    unsigned order[MOST];
    unsigned n; /* positions */
} wanted;

static void draw_reference(wanted *own, unsigned types) {
    own->lines = 1 + below(2);
    for (size_t k = 0; k < own->lines; k++) draw_line(&random_state, own->line[k], LINE, 1 + below(own->n + 2), types);
    for (unsigned i = 0; i < own->n; i++) {
        unsigned j = below(i + 1);
        own->order[i] = own->order[j];
        own->order[j] = i;
    }
}

static void find(const wanted *own, pf_fst *fst, const pf_oracle_record_options *options, pf_oracle_record *out) {
    pf_oracle_record_init(out);
    for (size_t k = 0; k < own->lines; k++) {
        SUCCEED(pf_oracle_references_add(&out->references, own->line[k], strlen(own->line[k])));
        SUCCEED(PF_PUSH(&out->line, strdup(own->line[k])));
        SUCCEED(PF_PUSH(&out->taken, out->line.at[k]));
    }
    out->order.order = malloc((own->n + 1u) * sizeof *out->order.order);
    assert_non_null(out->order.order);
    memcpy(out->order.order, own->order, own->n * sizeof *own->order);
    out->order.n = own->n;
    SUCCEED(pf_oracle_record_search(&own->sources, out, fst, options));
}

static void expect_same(const pf_answer *expected, const pf_answer *found) {
    assert_int_equal(expected->paths.n, found->paths.n);
    for (size_t i = 0; i < expected->paths.n; i++) {
        const pf_path *a = &expected->paths.at[i], *b = &found->paths.at[i];
        CHECK(a->cost == b->cost, "path %zu: expected %f, found %f", i, a->cost, b->cost);
        assert_int_equal(a->n, b->n);
        for (size_t k = 0; k < a->n; k++) assert_true(a->arc[k].in == b->arc[k].in && a->arc[k].out == b->arc[k].out);
    }
    assert_true(pf_answer_optimal(expected) && pf_answer_optimal(found));
}

static uint64_t paths_of(pf_fst *lattice) {
    uint64_t sum = 0;
    PF_VEC(pf_state) todo = {0};
    SUCCEED(PF_PUSH(&todo, lattice->start));
    while (todo.n) {
        pf_state state = todo.at[--todo.n];
        sum += pf_fst_final(lattice, state) < INFINITY;
        for (uint32_t i = 0; i < pf_fst_arcs(lattice, state).n; i++) SUCCEED(PF_PUSH(&todo, pf_fst_arcs(lattice, state).arc[i].to));
    }
    PF_VEC_FREE(&todo);
    return sum;
}

static const char *const spaces[] = {"itg", "ibm:3", "itg-span:3", "none", "itg+local:4", "mj:2", "itg+mj:3", "local:3",
                                     "itg+zone:2,4", "itg+wall:3"};
static const char *const metrics[] = {"linear-bleu", "kendall", "chunks", "wer"};

static void spaces_are_as_their_automata(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 480; round++) {
        const char *con = spaces[round % LENGTH(spaces)];
        wanted own = {.n = 5 + below(con[0] == 'n' ? 2 : 4)};
        unsigned types = 2 + below(6);
        bool by_path = below(4) == 0, edits = round / 4 % 4 == 3;
        pf_fst *linear = draw_sentence(own.n, types, below(2), below(3) == 0), *fst, *plain;
        pf_oracle_record found, expected;
        pf_oracle_record_options options = {.oracle = {.n = by_path ? 6 : 1, .ties = !by_path, .joiner = "-"}};
        draw_reference(&own, types);
        SUCCEED(pf_oracle_metric_read(metrics[round / 4 % 4], &own.sources.metric));
        SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = &con, .n_con = 1}, &fst));
        SUCCEED(pf_expand(fst, 0, &plain));
        assert_true(pf_is_perm(fst) && !pf_is_perm(plain));
        find(&own, fst, &options, &found);
        find(&own, plain, &options, &expected);
        expect_same(&expected.answer.answer, &found.answer.answer);
        CHECK(expected.answer.ties == found.answer.ties, "%s, %s: expected %llu ties, found %llu", con, own.sources.metric.name,
              (unsigned long long)expected.answer.ties, (unsigned long long)found.answer.ties);
        pf_oracle_record_free(&found);
        pf_oracle_record_free(&expected);
        if (!edits) {
            options = (pf_oracle_record_options){.oracle.joiner = "-", .lattice = true, .threshold = below(2)};
            find(&own, fst, &options, &found);
            find(&own, plain, &options, &expected);
            assert_true(paths_of(expected.answer.answer.lattice) == paths_of(found.answer.answer.lattice));
            pf_oracle_record_free(&found);
            pf_oracle_record_free(&expected);
        }
        pf_fst_free(plain);
        pf_fst_free(fst);
        pf_fst_free(linear);
    }
}

/* A limit of states or of memory leaves some order of the space, its true cost, and a bound that holds; also where the automaton is
 * expanded, so that nobody knows what space it is. */
static void limits_leave_a_gap_that_holds(void **state PF_UNUSED) {
    unsigned stopped = 0, unknown = 0, out_of_memory = 0;
    for (unsigned round = 0; round < 640; round++) {
        const char *con = spaces[round % LENGTH(spaces)];
        bool expanded = below(3) == 0, memory = below(3) == 0;
        wanted own = {.n = memory ? 10 : 7 + below(2)};
        pf_fst *linear = draw_sentence(own.n, 3, below(2), !memory && below(3) == 0), *fst, *plain;
        pf_oracle_record found, expected;
        pf_oracle_record_options options = {.oracle = {.joiner = "-", .n = 1 + 2 * (below(4) == 0)}};
        if (memory) options.oracle.max_bytes = 1 + below(40000), options.oracle.all_bytes = below(2);
        else options.oracle.max_states = 1 + below(60);
        draw_reference(&own, 3);
        SUCCEED(pf_oracle_metric_read(metrics[round / 4 % 4], &own.sources.metric));
        if (con[0] == 'n' && memory) con = "ibm:5";
        SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = &con, .n_con = 1}, &fst));
        SUCCEED(pf_expand(fst, 0, &plain));
        find(&own, expanded ? plain : fst, &options, &found);
        find(&own, plain, &(pf_oracle_record_options){.oracle.joiner = "-"}, &expected);
        const pf_answer *answer = &found.answer.answer;
        double best = expected.answer.answer.paths.at[0].cost;
        assert_true(answer->paths.n >= 1);
        CHECK(answer->bound > -(double)INFINITY && answer->bound < (double)INFINITY, "%s, %s: bound %f", con,
              own.sources.metric.name, answer->bound);
        stopped += answer->stopped;
        unknown += answer->stopped && expanded;
        out_of_memory += answer->out_of_memory;
        assert_true(options.oracle.all_bytes || !answer->out_of_memory);
        const double cost = answer->paths.at[0].cost;
        CHECK(fmin(answer->bound, cost) <= best && best <= cost, "%s, %s: bound %f, best %f, found %f", con,
              own.sources.metric.name, answer->bound, best, cost);
        if (!answer->stopped) CHECK(cost == best, "%s: best %f, found %f", con, best, cost);
        pf_oracle_record_free(&found);
        pf_oracle_record_free(&expected);
        pf_fst_free(plain);
        pf_fst_free(fst);
        pf_fst_free(linear);
    }
    CHECK(stopped > 200 && unknown > 50 && out_of_memory > 20, "limits ended %u searches, %u of unknown spaces, %u by memory",
          stopped, unknown, out_of_memory);
}

/* ---- lattices ---- */

/* States in topological order; words of one letter or two, and arcs without any; several ends. */
static pf_fst *draw_lattice(unsigned states, unsigned types) {
    pf_build build = {0};
    pf_symtab *words;
    pf_fst *fst;
    SUCCEED(pf_symtab_new("words", &words));
    for (unsigned state = 0; state < states; state++) {
        SUCCEED(pf_build_final(&build, state, state + 1 == states || below(5) == 0 ? 0 : INFINITY));
        for (unsigned arcs = state + 1 < states ? 1 + below(3) : 0; arcs--;) {
            char word[4] = {(char)('a' + (int)below(types)), '-', (char)('a' + (int)below(types)), 0};
            pf_label label = PF_EPSILON;
            if (below(6)) SUCCEED(pf_symtab_add(words, word, below(3) ? 1 : 3, &label));
            SUCCEED(pf_build_arc(&build, state, label, label, 0.5f * (float)below(4), state + 1 + below(states - state - 1)));
        }
    }
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

/* The definition: each word costs 1, and each n-gram that ends in it and that some reference has gains. */
static double gain_of(const char *words, size_t n, const wanted *own) {
    static const double theta[] = {0.625, 0.78125, 0.9765625, 1.220703125};
    double sum = 0;
    for (size_t end = 0; end < n; end++) {
        sum -= 1;
        for (size_t length = 1; length <= 4 && length <= end + 1; length++) {
            bool known = false;
            for (size_t k = 0; k < own->lines; k++)
                for (const char *at = own->line[k]; strlen(at) >= 2 * length - 1; at += 2) {
                    bool same = true;
                    for (size_t i = 0; i < length; i++) same = same && at[2 * i] == words[end + 1 - length + i];
                    known = known || same;
                    if (strlen(at) < 2) break;
                }
            if (known) sum += theta[length - 1];
        }
    }
    return sum;
}

/* The most that a path from a state on gains; `words` has what was printed before. */
static double most_of(pf_fst *fst, pf_state state, char *words, size_t n, const wanted *own) {
    double most = pf_fst_final(fst, state) < INFINITY ? gain_of(words, n, own) : -(double)INFINITY;
    pf_arcs arcs = pf_fst_arcs(fst, state);
    for (uint32_t i = 0; i < arcs.n; i++) {
        const char *word = arcs.arc[i].out ? pf_symtab_name(fst->osyms, arcs.arc[i].out, NULL) : "";
        size_t more = (strlen(word) + 1) / 2;
        for (size_t k = 0; k < more; k++) words[n + k] = word[2 * k];
        most = fmax(most, most_of(fst, arcs.arc[i].to, words, n + more, own));
    }
    return most;
}

/* A path, and a bound that is finite and holds, whatever the limit is: of lattices, and of compositions with another one. */
static void limits_leave_a_gap_of_any_lattice(void **state PF_UNUSED) {
    unsigned stopped = 0, composed = 0, tight = 0;
    for (unsigned round = 0; round < 600; round++) {
        wanted own = {.n = 5};
        pf_fst *fst = draw_lattice(4 + below(6), 3), *second = NULL, *both = fst;
        pf_oracle_record found;
        pf_oracle_record_options options = {.oracle = {.joiner = "-", .max_states = 1 + below(12)}};
        char words[100];
        draw_reference(&own, 3);
        if (below(2)) {
            SUCCEED(pf_expand(fst, 0, &second));
            SUCCEED(pf_compose_lazy(fst, second, &both));
        }
        SUCCEED(pf_oracle_metric_read("linear-bleu", &own.sources.metric));
        double best = most_of(both, both->start, words, 0, &own);
        find(&own, both, &options, &found);
        const pf_answer *answer = &found.answer.answer;
        assert_true(answer->paths.n == 1);
        const double cost = answer->paths.at[0].cost;
        CHECK(answer->bound > -(double)INFINITY && fmin(answer->bound, cost) <= -best && -best <= cost,
              "round %u: bound %f, best %f, found %f", round, answer->bound, -best, cost);
        stopped += answer->stopped;
        composed += answer->stopped && both != fst;
        tight += answer->stopped && cost == -best;
        pf_oracle_record_free(&found);
        if (both != fst) pf_fst_free(both);
        pf_fst_free(second);
        pf_fst_free(fst);
    }
    CHECK(stopped > 150 && composed > 40 && tight > 20, "limits ended %u searches, %u of compositions; %u had the best path",
          stopped, composed, tight);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_are_as_their_automata),
        cmocka_unit_test(limits_leave_a_gap_that_holds),
        cmocka_unit_test(limits_leave_a_gap_of_any_lattice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
