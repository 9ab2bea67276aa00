/* Compositions against their definition: every path of the first beside every run of the second that reads what it puts
 * out. The second's failure arcs, scales and models are worked out here anew, from lists of arcs, path by path. */
#include "check.h"
#include "draw.h"
#include "machines.h"
#include <permfst/permfst.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 }; /* arcs of a path */
enum { PHI = 5 };

/* ---- machines as lists of arcs ---- */

typedef struct {
    unsigned from, to;
    pf_label in, out;
    float weight;
} arc;

typedef struct {
    unsigned n;
    PF_VEC(arc) arcs;
    float final[64];
} machine;

static void add(machine *automaton, unsigned from, pf_label in, pf_label out, float weight, unsigned to) {
    arc taken = {from, to, in, out, weight};
    SUCCEED(PF_PUSH(&automaton->arcs, taken));
}

/* Weights are multiples of 1/4, a few infinite, so that sums are exact. */
static float weight(uint64_t *seed) { return draw(seed, 25) == 0 ? INFINITY : 0.25f * (float)draw(seed, 20) - 1; }

static machine states(uint64_t *seed, unsigned n) {
    machine automaton = {.n = n};
    for (unsigned from = 0; from < n; from++) automaton.final[from] = from + 1 == n || draw(seed, 4) == 0 ? weight(seed) : INFINITY;
    return automaton;
}

/* Acyclic: labels 1..4 on the output side, a third of them epsilon. */
static machine random_first(uint64_t *seed) {
    machine automaton = states(seed, 3 + draw(seed, 4));
    for (unsigned i = 0; i < 2 * automaton.n; i++) {
        unsigned from = draw(seed, automaton.n - 1), to = from + 1 + draw(seed, automaton.n - from - 1);
        add(&automaton, from, (pf_label)draw(seed, 4), draw(seed, 3) ? 1 + (pf_label)draw(seed, 4) : 0, weight(seed), to);
    }
    return automaton;
}

/* Any cycles, but epsilons lead upwards, and failure arcs downwards or, where loops are wanted, nowhere. */
static machine random_second(uint64_t *seed, bool acceptor, bool loops, bool phi) {
    machine automaton = states(seed, 2 + draw(seed, 4));
    for (unsigned i = 0; i < 3 * automaton.n; i++) {
        unsigned from = draw(seed, automaton.n), to = draw(seed, automaton.n);
        pf_label in = draw(seed, 4) ? 1 + (pf_label)draw(seed, 3) : 0;
        if (!in && from >= to) continue;
        add(&automaton, from, in, acceptor ? in : (pf_label)draw(seed, 4), weight(seed), to);
    }
    for (unsigned s = 0; phi && s < automaton.n; s++) {
        if (draw(seed, 3) == 0 || (!s && !loops)) continue;
        unsigned to = loops && draw(seed, 3) == 0 ? s : s ? draw(seed, s) : 0;
        add(&automaton, s, PHI, acceptor ? PHI : draw(seed, 2) ? PHI : 3, weight(seed), to);
    }
    return automaton;
}

static pf_fst *built(const machine *automaton, pf_symtab *table) {
    pf_build build = {0};
    pf_fst *fst;
    SUCCEED(pf_build_state(&build, automaton->n - 1));
    for (unsigned from = 0; from < automaton->n; from++) SUCCEED(pf_build_final(&build, from, automaton->final[from]));
    for (size_t i = 0; i < automaton->arcs.n; i++) {
        const arc *taken = &automaton->arcs.at[i];
        SUCCEED(pf_build_arc(&build, taken->from, taken->in, taken->out, taken->weight, taken->to));
    }
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, table, table);
    return fst;
}

/* ---- paths ---- */

typedef struct {
    double cost;
    unsigned ins, outs;
    pf_label in[MOST], out[MOST]; /* without epsilons */
} path;

typedef PF_VEC(path) paths;

static int compare(const void *a, const void *b) {
    const path *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->ins != y->ins) return x->ins < y->ins ? -1 : 1;
    if (x->outs != y->outs) return x->outs < y->outs ? -1 : 1;
    int in = memcmp(x->in, y->in, x->ins * sizeof *x->in);
    return in ? in : memcmp(x->out, y->out, x->outs * sizeof *x->out);
}

static void sort(paths *found) {
    if (found->n) qsort(found->at, found->n, sizeof *found->at, compare);
}

static void put(pf_label *list, unsigned *n, pf_label label) {
    CHECK(*n < MOST, "a path is too long");
    if (label) list[(*n)++] = label;
}

/* Every path of a machine that ends, from `now` on. */
static void walk(pf_fst *fst, pf_state state, const path *now, paths *out) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    float final = pf_fst_final(fst, state);
    if (final != INFINITY) {
        path whole = *now;
        whole.cost += (double)final;
        SUCCEED(PF_PUSH(out, whole));
    }
    for (uint32_t i = 0; i < arcs.n; i++) {
        path next = *now;
        if (arcs.arc[i].w == INFINITY) continue;
        next.cost += (double)arcs.arc[i].w;
        put(next.in, &next.ins, arcs.arc[i].in);
        put(next.out, &next.outs, arcs.arc[i].out);
        walk(fst, arcs.arc[i].to, &next, out);
    }
}

static paths paths_of(pf_fst *fst) {
    paths found = {0};
    path none = {0};
    if (fst->start != PF_NO_STATE) walk(fst, fst->start, &none, &found);
    SUCCEED(pf_fst_error(fst));
    sort(&found);
    return found;
}

/* ---- the definition ---- */

typedef struct {
    const machine *second;
    bool acceptor, phi;
    double scale[2];
    const path *first; /* whose output is read */
    paths found;
} definition;

static const arc *failure(const definition *reading, unsigned from) {
    for (size_t i = 0; reading->phi && i < reading->second->arcs.n; i++)
        if (reading->second->arcs.at[i].from == from && reading->second->arcs.at[i].in == PHI) return &reading->second->arcs.at[i];
    return NULL;
}

static void read_on(definition *reading, unsigned from, unsigned at, const path *now);

static void go(definition *reading, const arc *taken, pf_label out, double cost, unsigned at, const path *now) {
    path next = *now;
    if (cost == (double)INFINITY) return;
    next.cost += reading->scale[1] * cost;
    put(next.out, &next.outs, out);
    read_on(reading, taken->to, at, &next);
}

/* Reads one word, failing as often as it must. */
static void read_word(definition *reading, unsigned from, pf_label label, double failed, unsigned at, const path *now) {
    bool read = false;
    for (size_t i = 0; i < reading->second->arcs.n; i++) {
        const arc *taken = &reading->second->arcs.at[i];
        if (taken->from != from || taken->in != label) continue;
        read = true;
        go(reading, taken, taken->out, failed + (double)taken->weight, at + 1, now);
    }
    const arc *failing = failure(reading, from);
    if (read || !failing) return;
    if (failing->to != from) read_word(reading, failing->to, label, failed + (double)failing->weight, at, now);
    else go(reading, failing, reading->acceptor ? label : failing->out, failed + (double)failing->weight, at + 1, now);
}

static double end_of(const definition *reading, unsigned from) {
    const arc *failing = failure(reading, from);
    if (reading->second->final[from] != INFINITY) return (double)reading->second->final[from];
    return failing && failing->to != from ? (double)failing->weight + end_of(reading, failing->to) : (double)INFINITY;
}

static void read_on(definition *reading, unsigned from, unsigned at, const path *now) {
    if (at == reading->first->outs && end_of(reading, from) != (double)INFINITY) {
        path whole = *now;
        whole.cost += reading->scale[1] * end_of(reading, from);
        SUCCEED(PF_PUSH(&reading->found, whole));
    }
    for (size_t i = 0; i < reading->second->arcs.n; i++) {
        const arc *taken = &reading->second->arcs.at[i];
        if (taken->from == from && !taken->in) go(reading, taken, taken->out, (double)taken->weight, at, now);
    }
    if (at < reading->first->outs) read_word(reading, from, reading->first->out[at], 0, at, now);
}

static paths by_definition(pf_fst *first, const machine *second, bool acceptor, bool phi, const double scale[2]) {
    definition reading = {second, acceptor, phi, {scale[0], scale[1]}, NULL, {0}};
    paths all = paths_of(first);
    for (size_t i = 0; i < all.n; i++) {
        path now = {.cost = scale[0] * all.at[i].cost, .ins = all.at[i].ins};
        memcpy(now.in, all.at[i].in, sizeof now.in);
        reading.first = &all.at[i];
        read_on(&reading, 0, 0, &now);
    }
    PF_VEC_FREE(&all);
    sort(&reading.found);
    return reading.found;
}

static void expect_paths(const paths *want, const paths *got, const char *what, unsigned seed) {
    CHECK(want->n == got->n, "%s, seed %u: %zu paths, not %zu", what, seed, got->n, want->n);
    for (size_t i = 0; i < want->n; i++)
        CHECK(!compare(&want->at[i], &got->at[i]), "%s, seed %u: path %zu of %zu costs %g, not %g", what, seed, i, want->n,
              got->at[i].cost, want->at[i].cost);
}

/* ---- compositions of two automata ---- */

static void expect_all_best(pf_fst *fst, const paths *want, const char *what, unsigned seed) {
    for (size_t n = 1; n <= want->n + 1; n += want->n / 3 + 1) {
        pf_answer answer;
        SUCCEED(pf_best(fst, &(pf_best_options){.n = n}, &answer));
        CHECK(answer.paths.n == (n < want->n ? n : want->n), "%s, seed %u: %zu paths of %zu", what, seed, answer.paths.n, want->n);
        for (size_t i = 0; i < answer.paths.n; i++)
            CHECK(answer.paths.at[i].cost == want->at[i].cost, "%s, seed %u: the best path %zu costs %g, not %g", what, seed, i,
                  answer.paths.at[i].cost, want->at[i].cost);
        CHECK(pf_answer_optimal(&answer), "%s, seed %u", what, seed);
        pf_answer_free(&answer);
    }
}

/* Adds 1 to every weight that can be reached, with failure arcs or without: none is below 0. */
static void raise_all(machine *automaton) {
    for (unsigned from = 0; from < automaton->n; from++) automaton->final[from] += 1;
    for (size_t i = 0; i < automaton->arcs.n; i++) automaton->arcs.at[i].weight += 1;
}

/* ---- what no path exceeds ---- */

static pf_err drawn_gain(void *self, pf_label out, double *gain) {
    uint64_t seed = *(const uint64_t *)self + (uint64_t)out;
    *gain = out ? 0.25 * (double)draw(&seed, 16) - 1 : 0;
    return PF_OK;
}

static double most_of(const paths *all, uint64_t seed) {
    double most = -(double)INFINITY;
    for (size_t i = 0; i < all->n; i++) {
        double sum = 0, gain;
        for (unsigned k = 0; k < all->at[i].outs; k++) {
            SUCCEED(drawn_gain(&seed, all->at[i].out[k], &gain));
            sum += gain;
        }
        if (sum > most) most = sum;
    }
    return most;
}

static bool some_infinite(const machine *automaton) {
    bool some = false;
    for (size_t i = 0; i < automaton->arcs.n; i++) some = some || automaton->arcs.at[i].weight == INFINITY;
    return some;
}

/* A bound, which nothing is expanded for. */
static double expect_most(pf_fst *fst, const paths *all, unsigned number) {
    uint64_t seed = number, expanded = fst->expanded;
    double most, best = most_of(all, seed);
    SUCCEED(pf_most_known(fst, &(pf_gain){drawn_gain, &seed}, &most));
    CHECK(most < (double)INFINITY && most >= best, "seed %u: a path gains %g, at most %g", number, best, most);
    CHECK(fst->expanded == expanded, "seed %u: the machine is expanded", number);
    return most;
}

/* A word, then the second alone, in a circle or not; and words in a circle, read by a second one without. */
static void a_cycle_is_no_bound(void **state PF_UNUSED) {
    uint64_t seed = 1;
    const pf_gain gain = {drawn_gain, &seed};
    for (int round = 0; round < 3; round++) {
        machine left = {.n = 2, .final = {INFINITY, 0}}, right = {.n = 3, .final = {INFINITY, 0, 0}};
        double most, gained, bound = 0;
        pf_fst *both;
        add(&left, 0, 1, 1, 0, 1);
        add(&right, 0, 1, 2, 0, 1);
        add(&right, 1, 0, 3, 0, 2);
        if (round == 1) add(&right, 2, 0, 4, 0, 1);
        if (round == 2) add(&left, 1, 1, 1, 0, 0);
        pf_fst *first = built(&left, NULL), *second = built(&right, NULL);
        SUCCEED(pf_compose_lazy(first, second, &both));
        SUCCEED(pf_most_known(both, &gain, &most));
        assert_true((most == (double)INFINITY) == (round > 0));
        SUCCEED(pf_most(both, &gain, 100, &most));
        assert_true((most == (double)INFINITY) == (round == 1));
        if (round == 2) assert_int_equal(pf_most(both, &gain, 1, &most), PF_ELIMIT);
        for (pf_label label = 2; label <= 3; label++) {
            SUCCEED(drawn_gain(&seed, label, &gained));
            bound = label == 2 || gained > 0 ? bound + gained : bound;
        }
        if (round == 0) CHECK(most == bound, "%g, not %g", most, bound);
        pf_fst_free(both);
        pf_fst_free(second);
        pf_fst_free(first);
        PF_VEC_FREE(&left.arcs);
        PF_VEC_FREE(&right.arcs);
    }
}

static const double scales[][2] = {{1, 1}, {0.5, 2}, {-2, 3}, {0, 1}, {1, 0}, {-1, -0.25}};

static void compositions_are_what_the_definition_says(void **state PF_UNUSED) {
    size_t found = 0, failing = 0, known = 0, exact = 0;
    for (unsigned seed = 1; seed <= 3000; seed++) {
        uint64_t at = seed;
        bool acceptor = true, loops = seed % 3 == 0, phi = seed % 4 != 3;
        const double *scale = scales[seed % LENGTH(scales)];
        machine left = random_first(&at), right = random_second(&at, seed % 2, loops, phi);
        for (size_t i = 0; i < right.arcs.n; i++) acceptor = acceptor && right.arcs.at[i].in == right.arcs.at[i].out;
        if (seed % 5 < 2) raise_all(&left);
        if (seed % 5 < 3) raise_all(&right);
        pf_fst *first = built(&left, NULL), *second = built(&right, NULL), *both;
        pf_match *match;
        bool has = false;
        for (size_t i = 0; i < right.arcs.n; i++) has = has || right.arcs.at[i].in == PHI;
        SUCCEED(pf_match_new(second, has ? "5" : NULL, &match));
        SUCCEED(pf_compose_match(first, match, scale, &both));
        bool nonnegative = pf_fst_nonnegative(both);
        paths want = by_definition(first, &right, acceptor, phi, scale), all = paths_of(first);
        (void)expect_most(both, &want, seed);
        double most = expect_most(first, &all, seed);
        bool finite = !some_infinite(&left);
        CHECK(!finite || most == most_of(&all, seed), "seed %u: a stored machine gains %g", seed, most);
        exact += finite;
        PF_VEC_FREE(&all);
        expect_all_best(both, &want, "best of a composition", seed);
        paths got = paths_of(both);
        expect_paths(&want, &got, "composition", seed);
        CHECK(!nonnegative || !some_negative(both), "seed %u: a weight below 0", seed);
        known += nonnegative;
        found += want.n;
        failing += has && want.n;
        PF_VEC_FREE(&want);
        PF_VEC_FREE(&got);
        pf_fst_free(both);
        pf_match_free(match);
        pf_fst_free(second);
        pf_fst_free(first);
        PF_VEC_FREE(&left.arcs);
        PF_VEC_FREE(&right.arcs);
    }
    CHECK(found > 15000 && failing > 1000, "%zu paths, %zu machines that fail", found, failing);
    CHECK(exact > 500, "%zu stored machines without infinite weights", exact);
    CHECK(known > 500, "%zu machines without a weight below 0", known);
}

static void sums_become_floats_once(void **state PF_UNUSED) {
    machine left = {.n = 2, .final = {INFINITY, 0}}, right = {.n = 2, .final = {INFINITY, 0}};
    static const double scale[] = {1e8, -1e8};
    pf_match *match;
    pf_fst *both;
    add(&left, 0, 1, 2, 1.0f, 1);
    add(&right, 0, 2, 3, 0.99999994f, 1); /* the float before 1 */
    pf_fst *first = built(&left, NULL), *second = built(&right, NULL);
    SUCCEED(pf_match_new(second, NULL, &match));
    SUCCEED(pf_compose_match(first, match, scale, &both));
    float weight = pf_fst_arcs(both, 0).arc[0].w;
    CHECK(weight == (float)(1e8 * (1.0 - (double)0.99999994f)), "%g", (double)weight);
    CHECK(pf_fst_final(both, 1) == 0 && !signbit(pf_fst_final(both, 1)), "0 times a negative scale");
    pf_fst_free(both);
    static const double large[] = {3e38, 3e38};
    SUCCEED(pf_compose_match(first, match, large, &both));
    (void)pf_fst_arcs(both, 0);
    assert_int_equal(pf_fst_error(both), PF_ELIMIT);
    pf_fst_free(both);
    pf_match_free(match);
    pf_fst_free(first);
    pf_fst_free(second);
    PF_VEC_FREE(&left.arcs);
    PF_VEC_FREE(&right.arcs);
}

static void expect_refused(const machine *automaton, const char *phi, const char *words) {
    pf_fst *fst = built(automaton, NULL);
    pf_match *match;
    assert_int_equal(pf_match_new(fst, phi, &match), PF_EINPUT);
    CHECK(strstr(pf_message(), words), "%s", pf_message());
    pf_fst_free(fst);
}

static void failures_that_never_end_are_refused(void **state PF_UNUSED) {
    machine automaton = {.n = 5, .final = {INFINITY, INFINITY, INFINITY, INFINITY, 0}};
    add(&automaton, 0, 1, 1, 0, 4);
    add(&automaton, 4, PHI, PHI, 0, 3);
    add(&automaton, 3, PHI, PHI, 0, 2);
    add(&automaton, 2, PHI, PHI, 0, 1);
    pf_fst *fst = built(&automaton, NULL);
    pf_match *match;
    SUCCEED(pf_match_new(fst, "5", &match));
    pf_match_free(match);
    pf_fst_free(fst);
    add(&automaton, 1, PHI, PHI, 0, 3);
    expect_refused(&automaton, "5", "lead from state 1 back");
    automaton.arcs.n--;
    add(&automaton, 4, PHI, PHI, 0, 0);
    expect_refused(&automaton, "5", "state 4 has more than one failure arc");
    expect_refused(&automaton, "<phi>", "lacks the failure symbol '<phi>'");
    expect_refused(&automaton, "0", "lacks the failure symbol '0'");
    PF_VEC_FREE(&automaton.arcs);
}

/* ---- permutations with automata as models ---- */

static pf_symtab *table_of(const char *words) {
    pf_symtab *table;
    pf_label label;
    SUCCEED(pf_symtab_new("words", &table));
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        SUCCEED(pf_symtab_add(table, words, n, &label));
    }
    SUCCEED(pf_symtab_put_epsilon(table));
    return table;
}

static pf_fst *permuted(pf_symtab *table, const char *text, const char *con, const char *wm) {
    machine automaton = {.n = 1};
    for (const char *at = text; *at; at += strcspn(at, " "), at += *at == ' ', automaton.n++) {
        pf_label label = pf_symtab_find(table, at, strcspn(at, " "));
        add(&automaton, automaton.n - 1, label, automaton.n == 3 ? 0 : label, 0.25f * (float)automaton.n,
            automaton.n); /* the third word is silent */
        automaton.final[automaton.n - 1] = INFINITY;
    }
    automaton.final[automaton.n - 1] = 0.5f;
    pf_fst *linear = built(&automaton, table), *perm;
    pf_weight w = {.spec = wm};
    pf_perm_spec spec = {&con, 1, &w, wm != NULL, false};
    SUCCEED(pf_perm_lazy(linear, &spec, &perm));
    pf_fst_free(linear);
    PF_VEC_FREE(&automaton.arcs);
    return perm;
}

/* At most one arc a word, no loops, no epsilons. */
static machine deterministic(uint64_t *seed) {
    machine automaton = states(seed, 2 + draw(seed, 4));
    for (unsigned from = 0; from < automaton.n; from++) {
        for (pf_label label = 1; label <= 4; label++)
            if (draw(seed, 3)) add(&automaton, from, label, label, weight(seed), draw(seed, automaton.n));
        if (from && draw(seed, 3)) add(&automaton, from, PHI, PHI, weight(seed), draw(seed, from));
    }
    return automaton;
}

/* Composed as an automaton and scored as a model it has the same paths; the model is searched by levels. */
static void a_deterministic_automaton_is_a_model(void **state PF_UNUSED) {
    pf_symtab *table = table_of("a b c d <phi>");
    size_t found = 0;
    for (unsigned seed = 1; seed <= 300; seed++) {
        uint64_t at = seed;
        const double *scale = scales[seed % LENGTH(scales)];
        machine right = deterministic(&at);
        bool phi = false;
        for (size_t i = 0; i < right.arcs.n; i++) phi = phi || right.arcs.at[i].in == PHI;
        pf_fst *perm = permuted(table, seed % 2 ? "a b c d b" : "d d a c", seed % 3 ? "none" : "ibm:2", NULL);
        pf_fst *second = built(&right, table), *composed, *scored;
        pf_match *match;
        SUCCEED(pf_match_new(second, phi ? "<phi>" : NULL, &match));
        pf_scored_by one = {pf_match_scorer(match), scale[1]};
        assert_non_null(one.scorer);
        SUCCEED(pf_compose_match(perm, match, scale, &composed));
        SUCCEED(pf_score_by(perm, scale[0], &one, 1, &scored));
        assert_true(scored->layered && !composed->layered);
        paths want = by_definition(perm, &right, true, phi, scale);
        (void)expect_most(composed, &want, seed);
        (void)expect_most(scored, &want, seed);
        paths got = paths_of(composed), again = paths_of(scored);
        expect_paths(&want, &got, "composed", seed);
        expect_paths(&want, &again, "scored", seed);
        expect_all_best(scored, &want, "levels", seed);
        expect_all_best(composed, &want, "arcs", seed);
        found += want.n > 0;
        PF_VEC_FREE(&want);
        PF_VEC_FREE(&got);
        PF_VEC_FREE(&again);
        PF_VEC_FREE(&right.arcs);
        pf_fst_free(scored);
        pf_fst_free(composed);
        pf_match_free(match);
        pf_fst_free(second);
        pf_fst_free(perm);
    }
    CHECK(found > 100, "%zu machines have a path", found);
    pf_symtab_free(table);
}

static pf_scorer *scorer_of(const machine *automaton, pf_symtab *isyms, pf_symtab *osyms, pf_match **match, pf_fst **f) {
    *f = built(automaton, isyms);
    pf_fst_set_symbols(*f, isyms, osyms);
    SUCCEED(pf_match_new(*f, "<phi>", match));
    return pf_match_scorer(*match);
}

/* The space of the permutation automaton inside, however it is composed. */
static void a_composition_has_the_space_of_its_first(void **state PF_UNUSED) {
    pf_symtab *table = table_of("a b c d");
    pf_fst *linear = permuted(table, "a b c", "none", NULL), *perm = permuted(table, "a b c", "ibm:2", NULL), *twice, *scored,
        *other;
    pf_match *match;
    static const double scale[] = {1, 1};
    const struct pf_con *space = pf_fst_space(perm);
    pf_fst *whole;
    SUCCEED(pf_expand(linear, 0, &whole));
    SUCCEED(pf_match_new(whole, NULL, &match));
    assert_non_null(space);
    assert_null(pf_fst_space(whole));
    SUCCEED(pf_compose_lazy(perm, perm, &twice));
    assert_ptr_equal(pf_fst_space(twice), space);
    SUCCEED(pf_compose_match(twice, match, scale, &other));
    assert_ptr_equal(pf_fst_space(other), space);
    SUCCEED(pf_score_by(perm, 1, NULL, 0, &scored));
    assert_ptr_equal(pf_fst_space(scored), space);
    pf_fst_free(scored);
    SUCCEED(pf_compose_lazy(whole, perm, &scored));
    assert_null(pf_fst_space(scored));
    pf_fst_free(scored);
    pf_fst_free(other);
    pf_fst_free(twice);
    pf_match_free(match);
    pf_fst_free(whole);
    pf_fst_free(perm);
    pf_fst_free(linear);
    pf_symtab_free(table);
}

static void other_automata_are_no_models(void **state PF_UNUSED) {
    pf_symtab *table = table_of("a b c d <phi>"), *other = table_of("b a c d <phi>"), *longer = table_of("a b c d <phi> e");
    static const struct {
        arc taken;
        bool model;
        const char *what;
    } cases[] = {
        {{0, 0, 1, 1, 0}, true, "a loop"},          {{0, 0, 0, 0, 0}, false, "an epsilon"},
        {{0, 1, 1, 2, 0}, false, "another output"}, {{1, 1, PHI, PHI, 0}, false, "a failure loop"},
        {{1, 0, PHI, 0, 0}, true, "a failure arc"}, {{0, 0, 2, 2, 0}, false, "two arcs for a word"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        machine automaton = {.n = 2, .final = {INFINITY, 0}};
        pf_match *match;
        pf_fst *fst;
        add(&automaton, 0, 2, 2, 1, 1);
        SUCCEED(PF_PUSH(&automaton.arcs, cases[i].taken));
        CHECK((scorer_of(&automaton, table, table, &match, &fst) != NULL) == cases[i].model, "%s", cases[i].what);
        pf_match_free(match);
        pf_fst_free(fst);
        pf_symtab *with[] = {NULL, other, longer};
        for (size_t k = 0; k < 3; k++) {
            bool same = k == 2 && cases[i].model;
            CHECK((scorer_of(&automaton, table, with[k], &match, &fst) != NULL) == same, "%s, table %zu", cases[i].what, k);
            pf_match_free(match);
            pf_fst_free(fst);
        }
        PF_VEC_FREE(&automaton.arcs);
    }
    pf_symtab_free(table);
    pf_symtab_free(other);
    pf_symtab_free(longer);
}

/* ---- several models ---- */

static const char *const arpa[] = {
    "\\data\\\nngram 1=7\nngram 2=3\n\n\\1-grams:\n-2 <unk>\n-99 <s> -0.5\n-1 </s>\n-0.5 a -0.25\n-0.75 b -0.125\n"
    "-1.25 c\n-0.6 d -0.3\n\n\\2-grams:\n-0.25 <s> b\n-0.5 b a\n-0.125 d c\n\\end\\\n",
    "\\data\\\nngram 1=6\nngram 2=2\nngram 3=1\n\n\\1-grams:\n-1.5 <unk>\n-99 <s> -0.25\n-0.5 </s>\n-0.7 c -0.2\n-0.3 b\n"
    "-0.9 a -0.4\n\n\\2-grams:\n-0.2 c b -0.1\n-0.35 a c\n\n\\3-grams:\n-0.05 c b </s>\n\\end\\\n",
    "\\data\\\nngram 1=4\n\n\\1-grams:\n-0.1 </s>\n-3 <unk>\n-0.2 a\n-0.4 d\n\\end\\\n",
};
enum { MODELS = LENGTH(arpa) };
static pf_model models[MODELS];

/* The scores of a path by each model, added up word by word. */
static double said(const path *found, const pf_symtab *table, const pf_scored *list, size_t n) {
    double sum = 0;
    for (size_t model = 0; model < n; model++) {
        pf_scorer by;
        SUCCEED(pf_scorer_of(list[model].model, &by));
        pf_state at = by.cls->start(&by);
        double cost = 0;
        for (unsigned i = 0; i < found->outs; i++) {
            size_t length;
            const char *word = pf_symtab_name(table, found->out[i], &length);
            cost += by.cls->step(&by, at, by.cls->label(&by, word, length), &at);
        }
        sum += list[model].scale * (cost + by.cls->final(&by, at));
        pf_scorer_end(&by);
    }
    return sum;
}

static const pf_scored lists[][MODELS] = {
    {{&models[0], 1}, {&models[1], 1}, {&models[2], 1}},      {{&models[1], 0.3}, {&models[0], 0.7}, {&models[2], 0}},
    {{&models[0], -1}, {&models[1], 2}, {&models[2], -0.125}}, {{&models[2], 1e3}, {&models[2], -1e3}, {&models[0], 0.1}},
};
static const double own_scales[] = {1, 0.25, -3, 0};

/* The paths of the composition are those of the permutations, at the costs of the definition; the search by levels finds
 * them in order. */
static void expect_scored(pf_fst *perm, double own, const pf_scored *list, size_t n, unsigned seed) {
    pf_fst *scored;
    SUCCEED(pf_score_all(perm, own, list, n, &scored));
    paths alone = paths_of(perm), got = paths_of(scored);
    CHECK(alone.n == got.n, "%zu paths, not %zu", got.n, alone.n);
    for (size_t i = 0; i < alone.n; i++)
        alone.at[i].cost = own * alone.at[i].cost + said(&alone.at[i], perm->osyms, list, n);
    sort(&alone);
    for (size_t i = 0; i < alone.n; i++)
        CHECK(fabs(alone.at[i].cost - got.at[i].cost) < 1e-3, "path %zu costs %g, not %g", i, got.at[i].cost,
              alone.at[i].cost);
    expect_all_best(scored, &got, "models", seed);
    PF_VEC_FREE(&alone);
    PF_VEC_FREE(&got);
    pf_fst_free(scored);
}

static void models_add_up_by_their_scales(void **state PF_UNUSED) {
    static const char *const con[] = {"none", "ibm:2", "itg"}, *const wm[] = {NULL, "monotone:0.7", "distance:0.5"};
    pf_symtab *table = table_of("a b c d q");
    for (size_t i = 0; i < LENGTH(con); i++)
        for (size_t k = 0; k < LENGTH(lists); k++)
            for (size_t n = 0; n <= MODELS; n++) {
                pf_fst *perm = permuted(table, "q a c b d c", con[i], wm[i]);
                expect_scored(perm, own_scales[(i + k) % LENGTH(own_scales)], lists[k], n, (unsigned)k);
                expect_scored(perm, 1, lists[k], n, (unsigned)k);
                pf_fst_free(perm);
            }
    pf_symtab_free(table);
}

/* A composition of a composition is one with the models of both, bit by bit; its scale multiplies all of the inner one. */
static void a_chain_is_a_list(void **state PF_UNUSED) {
    pf_symtab *table = table_of("a b c d q");
    pf_fst *perm = permuted(table, "q a c b d c", "ibm:3", "monotone:0.7"), *one, *two, *three, *list;
    const pf_scored all[] = {{&models[0], 0.3 * 0.7 * 1.5}, {&models[1], -0.2 * 1.5}, {&models[2], 0.1}};
    SUCCEED(pf_score_all(perm, 0.9, &(pf_scored){&models[0], 0.3}, 1, &one));
    SUCCEED(pf_score_all(one, 0.7, &(pf_scored){&models[1], -0.2}, 1, &two));
    SUCCEED(pf_score_all(two, 1.5, &(pf_scored){&models[2], 0.1}, 1, &three));
    SUCCEED(pf_score_all(perm, 0.9 * 0.7 * 1.5, all, 3, &list));
    pf_scoring parts;
    assert_true(pf_score_parts(three, &parts));
    assert_ptr_equal(parts.fst, perm);
    assert_int_equal(parts.n, 3);
    CHECK(parts.own == 0.9 * 0.7 * 1.5 && parts.by[1].scale == -0.2 * 1.5 && parts.by[2].scorer->model == models[2].self, "parts");
    paths want = paths_of(list), got = paths_of(three);
    expect_paths(&want, &got, "chain", 0);
    expect_all_best(three, &want, "chain", 0);
    assert_false(pf_score_parts(perm, &parts));
    CHECK(parts.fst == perm && parts.own == 1 && !parts.n, "a machine is its own part");
    pf_fst *never;
    assert_int_equal(pf_score_all(three, 1e38, all, 1, &never), PF_OK);
    pf_fst_free(never);
    assert_int_equal(pf_score_all(three, -1e39, all, 1, &never), PF_ELIMIT);
    PF_VEC_FREE(&want);
    PF_VEC_FREE(&got);
    pf_fst_free(list);
    pf_fst_free(three);
    pf_fst_free(two);
    pf_fst_free(one);
    pf_fst_free(perm);
    pf_symtab_free(table);
}

/* A bound under negative scales must stay one. */
static void what_is_pruned_is_accounted_for(void **state PF_UNUSED) {
    pf_symtab *table = table_of("a b c d q");
    for (size_t k = 0; k < LENGTH(lists); k++) {
        pf_fst *perm = permuted(table, "q a c b d c", "none", "distance:0.25"), *scored;
        SUCCEED(pf_score_all(perm, k % 2 ? 0.5 : 1, lists[k], MODELS, &scored));
        paths want = paths_of(scored);
        for (size_t beam = 1; beam <= 256; beam *= 4)
            for (int widen = 0; widen < 2; widen++) {
                pf_answer answer;
                SUCCEED(pf_best(scored, &(pf_best_options){.beam = beam, .widen = widen}, &answer));
                CHECK(answer.bound <= want.at[0].cost && answer.paths.at[0].cost >= want.at[0].cost, "beam %zu", beam);
                if (pf_answer_optimal(&answer)) assert_true(answer.paths.at[0].cost == want.at[0].cost);
                pf_answer_free(&answer);
            }
        PF_VEC_FREE(&want);
        pf_fst_free(scored);
        pf_fst_free(perm);
    }
    pf_symtab_free(table);
}

static void costs_past_the_floats_are_errors(void **state PF_UNUSED) {
    pf_symtab *table = table_of("a b c d q");
    for (int negative = 0; negative < 2; negative++) {
        pf_fst *perm = permuted(table, "q a b", "none", NULL), *scored;
        pf_answer answer;
        SUCCEED(pf_score_all(perm, 1, &(pf_scored){&models[0], negative ? -3e38 : 3e38}, 1, &scored));
        assert_int_equal(pf_best(scored, &(pf_best_options){.n = 1}, &answer), PF_ELIMIT);
        (void)pf_fst_arcs(scored, 0);
        assert_int_equal(pf_fst_error(scored), PF_ELIMIT);
        pf_fst_free(scored);
        SUCCEED(pf_score_all(perm, negative ? -3e38 : 3e38, &(pf_scored){&models[0], 1}, 1, &scored));
        pf_err err = pf_best(scored, &(pf_best_options){.n = 1}, &answer);
        CHECK(err == PF_ELIMIT || (!err && answer.paths.n == 1 && isfinite(answer.paths.at[0].cost)), "lost without a word");
        if (!err) pf_answer_free(&answer);
        pf_fst_free(scored);
        pf_fst_free(perm);
    }
    pf_symtab_free(table);
}

static int read_models(void **state PF_UNUSED) {
    for (size_t model = 0; model < MODELS; model++) {
        pf_reader *reader;
        SUCCEED(pf_reader_memory(arpa[model], strlen(arpa[model]), "arpa", &reader));
        SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, &models[model]));
        pf_reader_free(reader);
    }
    return 0;
}

static int free_models(void **state PF_UNUSED) {
    for (size_t model = 0; model < MODELS; model++) pf_model_free(&models[model]);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compositions_are_what_the_definition_says),
        cmocka_unit_test(a_cycle_is_no_bound),
        cmocka_unit_test(sums_become_floats_once),
        cmocka_unit_test(failures_that_never_end_are_refused),
        cmocka_unit_test(a_deterministic_automaton_is_a_model),
        cmocka_unit_test(other_automata_are_no_models),
        cmocka_unit_test(models_add_up_by_their_scales),
        cmocka_unit_test(a_chain_is_a_list),
        cmocka_unit_test(what_is_pruned_is_accounted_for),
        cmocka_unit_test(a_composition_has_the_space_of_its_first),
        cmocka_unit_test(costs_past_the_floats_are_errors),
    };
    return cmocka_run_group_tests_name("compose", tests, read_models, free_models);
}
