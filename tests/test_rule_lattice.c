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
static bool matches(const char *rule, const sentence *s, unsigned i, unsigned *n, unsigned *perm, double *cost) {
    size_t tags = strcspn(rule, "\t");
    const char *at = rule + tags + 1;
    char *end;
    line text;
    for (*n = 0; *at != '\t'; ++*n, at = end) perm[*n] = (unsigned)strtoul(at, &end, 10) - 1;
    if (i + *n > s->n) return false;
    span_text(s, i, i + *n - 1, text);
    *cost = strtod(at + 1, NULL);
    return strlen(text) == tags && memcmp(text, rule, tags) == 0;
}

/* All continuations from position i; p has the positions before. */
static void apply(const char *rules, const sentence *s, bool weighted, unsigned i, path p, paths *out) {
    if (i == s->n) {
        assert_true(out->n < PATHS);
        out->at[out->n++] = p;
        return;
    }
    p.perm[i] = i;
    apply(rules, s, weighted, i + 1, p, out);
    for (const char *r = strchr(rules, '\n') + 1; *r; r = strchr(r, '\n') + 1) {
        unsigned n, perm[MOST];
        double cost;
        path q = p;
        if (!matches(r, s, i, &n, perm, &cost)) continue;
        for (unsigned k = 0; k < n; k++) q.perm[i + k] = i + perm[k];
        if (weighted) q.cost += cost;
        apply(rules, s, weighted, i + n, q, out);
    }
}

/* All paths of the automaton from s on; labels are positions, words are 100 and more. */
static void spell(pf_fst *fst, pf_state state, unsigned t, path p, paths *out) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    assert_true((pf_fst_final(fst, state) != INFINITY) == (t == out->length));
    if (t == out->length) {
        assert_true(out->n < PATHS);
        assert_int_equal(arcs.n, 0);
        out->at[out->n++] = p;
        return;
    }
    assert_true(arcs.n > 0);
    for (uint32_t i = 0; i < arcs.n; i++) {
        path q = p;
        assert_true(arcs.arc[i].out == 99 + arcs.arc[i].in && arcs.arc[i].w >= 0 && arcs.arc[i].to > state);
        q.perm[t] = (unsigned)arcs.arc[i].in - 1;
        q.cost += (double)arcs.arc[i].w;
        spell(fst, arcs.arc[i].to, t + 1, q, out);
    }
}

static int by_perm(const void *a, const void *b) {
    const path *x = a, *y = b;
    return memcmp(x->perm, y->perm, sizeof x->perm);
}

/* The number of states of the smallest automaton: the different sets of ends that prefixes have. The paths are in order. */
static size_t different_futures(const paths *p) {
    typedef struct { size_t first, n; unsigned t; } prefix;
    static prefix kept[PATHS * MOST];
    size_t n = 0;
    for (unsigned t = 0; t <= p->length; t++)
        for (size_t i = 0, k; i < p->n; i = k) {
            bool known = false;
            for (k = i + 1; k < p->n && memcmp(p->at[k].perm, p->at[i].perm, t * sizeof(unsigned)) == 0;) k++;
            for (size_t x = 0; x < n && !known; x++) {
                known = kept[x].t == t && kept[x].n == k - i;
                for (size_t y = 0; known && y < k - i; y++) {
                    const path *a = &p->at[i + y], *b = &p->at[kept[x].first + y];
                    known = memcmp(a->perm + t, b->perm + t, (p->length - t) * sizeof(unsigned)) == 0;
                }
            }
            if (!known) kept[n++] = (prefix){i, k - i, t};
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

static void compare(const pf_rule_lattice *l, unsigned n, bool weighted) {
    pf_input in;
    pf_fst *fst;
    pf_rule_lattice_size size;
    mpz_t count;
    make_input(&in, n);
    SUCCEED(pf_rule_lattice_fst(l, &in, PF_STANDARD, &fst));
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
    SUCCEED(pf_rule_lattice_count(l, &size, count));
    assert_int_equal(mpz_get_ui(count), naive.n);
    assert_int_equal(size.states, pf_fst_states(fst));
    assert_int_equal(size.arcs, fst->narcs);
    if (!weighted) assert_int_equal(size.states, different_futures(&naive));
    mpz_clear(count);
    pf_fst_free(fst);
}

/* Asks for every permutation. */
static void has_what_it_has(const pf_rule_lattice *l, unsigned n) {
    path p = {{0}, 0};
    size_t inside = 0;
    double cost;
    identity(p.perm, n);
    do {
        const path *there = bsearch(&p, naive.at, naive.n, sizeof p, by_perm);
        bool has = pf_rule_lattice_has(l, p.perm, &cost);
        assert_true(has == (there != NULL));
        if (has) assert_true(fabs(cost - there->cost) < 1e-5);
        inside += has;
    } while (next_permutation(p.perm, n));
    assert_int_equal(inside, naive.n);
}

/* Adds permutations, one of them at least twice, to the lattice and to the list. */
static void add_some(pf_rule_lattice *l, const sentence *s, bool weighted) {
    for (unsigned k = below(5); k; k--) {
        path p = {{0}, weighted ? 0.25 * below(20) : 0};
        bool fresh, known = false;
        identity(p.perm, s->n);
        for (unsigned t = 0; t + 1 < s->n; t++) {
            unsigned x = p.perm[t], u = t + below(s->n - t);
            p.perm[t] = p.perm[u];
            p.perm[u] = x;
        }
        for (size_t i = 0; i < naive.n; i++) known = known || by_perm(&p, &naive.at[i]) == 0;
        SUCCEED(pf_rule_lattice_add(l, p.perm, (float)p.cost, &fresh));
        assert_true(fresh == !known);
        if (!known) naive.at[naive.n++] = p;
        SUCCEED(pf_rule_lattice_add(l, p.perm, 0, &fresh));
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
    pf_rule_lattice *l;
    sentence s;
    uint64_t matched;
    (void)state;
    for (int i = 0; i < 400; i++) {
        bool weighted = i % 2;
        if (i % 20 == 0) make_rules(&rules);
        do random_sentence(&s);
        while (s.n > 7);
        naive.n = 0;
        SUCCEED(pf_rule_lattice_new(s.n, &l));
        if (i % 10) {
            apply(rule_file, &s, weighted, 0, (path){{0}, 0}, &naive);
            SUCCEED(pf_rule_lattice_match(l, rules, &s.tags, weighted, &matched));
            compare(l, s.n, weighted);
        }
        add_some(l, &s, weighted);
        if (naive.n) {
            compare(l, s.n, weighted);
            has_what_it_has(l, s.n);
        }
        pf_rule_lattice_free(l);
        if (i % 20 == 19) pf_rules_free(rules);
    }
}

/* A sentence that is too long for a recursion: one rule over all of it, and a permutation of its own. */
static void long_sentences_are_no_recursion(void **state) {
    enum { N = 60000 };
    static unsigned perm[N];
    static char tag[N][8];
    static pf_word word[N];
    pf_rule_options o = {.max_length = N, .max_cost = 4};
    pf_words tags = {word, N, N};
    pf_rules *rules;
    pf_rule_lattice *l;
    pf_rule_lattice_size size;
    mpz_t count;
    uint64_t matched;
    bool fresh;
    (void)state;
    for (unsigned i = 0; i < N; i++) {
        perm[i] = (i + 1) % N;
        word[i] = (pf_word){tag[i], (size_t)snprintf(tag[i], sizeof tag[i], "%u", i)};
    }
    SUCCEED(pf_rules_new(&o, &rules));
    SUCCEED(pf_rules_learn(rules, &tags, perm));
    SUCCEED(pf_rules_count(rules, &tags));
    SUCCEED(pf_rules_finish(rules));
    assert_int_equal(pf_rules_size(rules), 1);
    SUCCEED(pf_rule_lattice_new(N, &l));
    SUCCEED(pf_rule_lattice_match(l, rules, &tags, true, &matched));
    assert_int_equal(matched, 1);
    for (unsigned i = 0; i < N; i++) perm[i] = N - 1 - i;
    SUCCEED(pf_rule_lattice_add(l, perm, 1, &fresh));
    assert_true(fresh);
    mpz_init(count);
    SUCCEED(pf_rule_lattice_count(l, &size, count));
    assert_int_equal(mpz_get_ui(count), 3);
    mpz_clear(count);
    pf_rule_lattice_free(l);
    pf_rules_free(rules);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattices_have_the_paths_of_their_rules),
        cmocka_unit_test(long_sentences_are_no_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
