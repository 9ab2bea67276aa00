/* Reordering lattices against their definition: every path is spelt out, from the rules and from the automaton. */
#include "check.h"
#include "rule_scan.h"

#include <permfst/rules/lattice.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 4000 };

typedef struct {
    unsigned perm[MOST];
    double cost;
} path;
typedef struct {
    path at[PATHS];
    size_t n;
    unsigned length;
} paths;

/* A rule of a rule file: tags, reordering and cost. */
static bool matches(const char *rule, const sentence *words, unsigned i, unsigned *n, unsigned *perm, double *cost) {
    size_t tags = strcspn(rule, "\t");
    const char *at = rule + tags + 1;
    char *end;
    line tags_text;
    for (*n = 0; *at != '\t'; ++*n, at = end) perm[*n] = (unsigned)strtoul(at, &end, 10) - 1;
    if (i + *n > words->n) return false;
    span_text(words, i, i + *n - 1, tags_text);
    *cost = strtod(at + 1, NULL);
    return strlen(tags_text) == tags && memcmp(tags_text, rule, tags) == 0;
}

/* All continuations from position i; p has the positions before. */
static void apply(const char *rules, const sentence *text, bool weighted, unsigned i, path begun, paths *out) {
    if (i == text->n) {
        assert_true(out->n < PATHS);
        out->at[out->n++] = begun;
        return;
    }
    begun.perm[i] = i;
    apply(rules, text, weighted, i + 1, begun, out);
    for (const char *rule = strchr(rules, '\n') + 1; *rule; rule = strchr(rule, '\n') + 1) {
        unsigned n, perm[MOST];
        double cost;
        path longer = begun;
        if (!matches(rule, text, i, &n, perm, &cost)) continue;
        for (unsigned k = 0; k < n; k++) longer.perm[i + k] = i + perm[k];
        if (weighted) longer.cost += cost;
        apply(rules, text, weighted, i + n, longer, out);
    }
}

/* All paths of the automaton from s on; labels are positions, words are 100 and more. */
static void spell(pf_fst *fst, pf_state state, unsigned step, path begun, paths *out) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    assert_true((pf_fst_final(fst, state) != INFINITY) == (step == out->length));
    if (step == out->length) {
        assert_true(out->n < PATHS);
        assert_int_equal(arcs.n, 0);
        out->at[out->n++] = begun;
        return;
    }
    assert_true(arcs.n > 0);
    for (uint32_t i = 0; i < arcs.n; i++) {
        path longer = begun;
        assert_true(arcs.arc[i].out == 99 + arcs.arc[i].in && arcs.arc[i].w >= 0 && arcs.arc[i].to > state);
        longer.perm[step] = (unsigned)arcs.arc[i].in - 1;
        longer.cost += (double)arcs.arc[i].w;
        spell(fst, arcs.arc[i].to, step + 1, longer, out);
    }
}

static int by_perm(const void *left, const void *right) {
    const path *one = left, *other = right;
    return memcmp(one->perm, other->perm, sizeof one->perm);
}

/* The number of states of the smallest automaton: the different sets of ends that prefixes have. The paths are in order. */
static size_t different_futures(const paths *list) {
    typedef struct { size_t first, n; unsigned step; } prefix;
    static prefix kept[PATHS * MOST];
    size_t n = 0;
    for (unsigned step = 0; step <= list->length; step++)
        for (size_t i = 0, k; i < list->n; i = k) {
            bool known = false;
            for (k = i + 1; k < list->n && memcmp(list->at[k].perm, list->at[i].perm, step * sizeof(unsigned)) == 0;) k++;
            for (size_t earlier = 0; earlier < n && !known; earlier++) {
                known = kept[earlier].step == step && kept[earlier].n == k - i;
                for (size_t nth = 0; known && nth < k - i; nth++) {
                    const path *one = &list->at[i + nth], *other = &list->at[kept[earlier].first + nth];
                    known = memcmp(one->perm + step, other->perm + step, (list->length - step) * sizeof(unsigned)) == 0;
                }
            }
            if (!known) kept[n++] = (prefix){i, k - i, step};
        }
    return n;
}

static void make_input(pf_input *in, unsigned n) {
    static uint32_t first[MOST + 1];
    static pf_arc arc[MOST];
    for (unsigned j = 0; j <= n; j++) first[j] = j;
    for (unsigned j = 0; j < n; j++) arc[j] = (pf_arc){0, (pf_label)(100 + j), 0, 0};
    *in = (pf_input){n, first, arc, 0};
}

static paths naive, found;
static char rule_file[FILE_BYTES];

static void compare(const pf_rule_lattice *lattice, unsigned n, bool weighted) {
    pf_input in;
    pf_fst *fst;
    pf_rule_lattice_size size;
    mpz_t count;
    make_input(&in, n);
    SUCCEED(pf_rule_lattice_fst(lattice, &in, PF_STANDARD, &fst));
    found.n = 0;
    found.length = naive.length = n;
    spell(fst, fst->start, 0, (path){{0}, 0}, &found);
    qsort(naive.at, naive.n, sizeof *naive.at, by_perm);
    qsort(found.at, found.n, sizeof *found.at, by_perm);
    assert_int_equal(found.n, naive.n);
    for (size_t i = 0; i < found.n; i++) {
        assert_int_equal(by_perm(&found.at[i], &naive.at[i]), 0);
        assert_true(fabs(found.at[i].cost - naive.at[i].cost) < 1e-5);
        assert_true(!i || by_perm(&naive.at[i - 1], &naive.at[i]) != 0); /* one path a permutation */
    }
    mpz_init(count);
    SUCCEED(pf_rule_lattice_count(lattice, &size, count));
    assert_int_equal(mpz_get_ui(count), naive.n);
    assert_int_equal(size.states, pf_fst_states(fst));
    assert_int_equal(size.arcs, fst->narcs);
    if (!weighted) assert_int_equal(size.states, different_futures(&naive));
    mpz_clear(count);
    pf_fst_free(fst);
}

/* Asks for every permutation. */
static void has_what_it_has(const pf_rule_lattice *lattice, unsigned n) {
    path begun = {{0}, 0};
    size_t inside = 0;
    double cost;
    identity(begun.perm, n);
    do {
        const path *there = bsearch(&begun, naive.at, naive.n, sizeof begun, by_perm);
        bool has = pf_rule_lattice_has(lattice, begun.perm, &cost);
        assert_true(has == (there != NULL));
        if (has) assert_true(fabs(cost - there->cost) < 1e-5);
        inside += has;
    } while (next_permutation(begun.perm, n));
    assert_int_equal(inside, naive.n);
}

/* Adds permutations, one of them at least twice, to the lattice and to the list. */
static void add_some(pf_rule_lattice *lattice, const sentence *text, bool weighted) {
    for (unsigned k = below(5); k; k--) {
        path begun = {{0}, weighted ? 0.25 * below(20) : 0};
        bool fresh, known = false;
        identity(begun.perm, text->n);
        for (unsigned step = 0; step + 1 < text->n; step++) {
            unsigned kept = begun.perm[step], from = step + below(text->n - step);
            begun.perm[step] = begun.perm[from];
            begun.perm[from] = kept;
        }
        for (size_t i = 0; i < naive.n; i++) known = known || by_perm(&begun, &naive.at[i]) == 0;
        SUCCEED(pf_rule_lattice_add(lattice, begun.perm, (float)begun.cost, &fresh));
        assert_true(fresh == !known);
        if (!known) naive.at[naive.n++] = begun;
        SUCCEED(pf_rule_lattice_add(lattice, begun.perm, 0, &fresh));
        assert_false(fresh);
    }
}

/* The rules of a new corpus, by the definitions. */
static void make_rules(pf_rules **out) {
    pf_reader *in;
    make_corpus();
    scan(2 + below(6), 1.0 + below(4), rule_file);
    SUCCEED(pf_reader_memory(rule_file, strlen(rule_file), "rules", &in));
    SUCCEED(pf_rules_read(in, NULL, out));
    pf_reader_free(in);
}

static void lattices_have_the_paths_of_their_rules(void **state) {
    pf_rules *rules = NULL;
    pf_rule_lattice *lattice;
    sentence text;
    uint64_t matched;
    (void)state;
    for (int i = 0; i < 400; i++) {
        bool weighted = i % 2;
        if (i % 20 == 0) make_rules(&rules);
        do random_sentence(&text);
        while (text.n > 7);
        naive.n = 0;
        SUCCEED(pf_rule_lattice_new(text.n, &lattice));
        if (i % 10) {
            apply(rule_file, &text, weighted, 0, (path){{0}, 0}, &naive);
            SUCCEED(pf_rule_lattice_match(lattice, rules, &text.tags, weighted, &matched));
            compare(lattice, text.n, weighted);
        }
        add_some(lattice, &text, weighted);
        if (naive.n) {
            compare(lattice, text.n, weighted);
            has_what_it_has(lattice, text.n);
        }
        pf_rule_lattice_free(lattice);
        if (i % 20 == 19) pf_rules_free(rules);
    }
}

/* A sentence that is too long for a recursion: one rule over all of it, and a permutation of its own. */
static void long_sentences_are_no_recursion(void **state) {
    enum { WORDS = 60000 };
    static unsigned perm[WORDS];
    static char tag[WORDS][8];
    static pf_word word[WORDS];
    pf_rule_options options = {.max_length = WORDS, .max_cost = 4};
    pf_words tags = {word, WORDS, WORDS};
    pf_rules *rules;
    pf_rule_lattice *lattice;
    pf_rule_lattice_size size;
    mpz_t count;
    uint64_t matched;
    bool fresh;
    (void)state;
    for (unsigned i = 0; i < WORDS; i++) {
        perm[i] = (i + 1) % WORDS;
        word[i] = (pf_word){tag[i], (size_t)snprintf(tag[i], sizeof tag[i], "%u", i)};
    }
    SUCCEED(pf_rules_new(&options, &rules));
    SUCCEED(pf_rules_learn(rules, &tags, perm));
    SUCCEED(pf_rules_count(rules, &tags));
    SUCCEED(pf_rules_finish(rules));
    assert_int_equal(pf_rules_size(rules), 1);
    SUCCEED(pf_rule_lattice_new(WORDS, &lattice));
    SUCCEED(pf_rule_lattice_match(lattice, rules, &tags, true, &matched));
    assert_int_equal(matched, 1);
    for (unsigned i = 0; i < WORDS; i++) perm[i] = WORDS - 1 - i;
    SUCCEED(pf_rule_lattice_add(lattice, perm, 1, &fresh));
    assert_true(fresh);
    mpz_init(count);
    SUCCEED(pf_rule_lattice_count(lattice, &size, count));
    assert_int_equal(mpz_get_ui(count), 3);
    mpz_clear(count);
    pf_rule_lattice_free(lattice);
    pf_rules_free(rules);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattices_have_the_paths_of_their_rules),
        cmocka_unit_test(long_sentences_are_no_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
