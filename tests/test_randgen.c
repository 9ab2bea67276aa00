/* Drawing at random: chi-square tests against the definitions, with fixed seeds. A right sampler fails one of them with a
 * probability of 1e-6; that they do reject a wrong one is tested too. */
#include "oracle.h"
#include <permfst/permfst.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static gmp_randstate_t generator;

/* ---- chi-square ---- */

/* The value that the statistic exceeds with a probability of 1e-6 (Wilson and Hilferty 1931). */
static double critical(double df) {
    double a = 2 / (9 * df), x = 1 - a + 4.7534 * sqrt(a);
    return df * x * x * x;
}

/* How far the counts are from the probabilities, as a part of the critical value. The probabilities are at least 5 / draws. */
static double distance(const unsigned long *seen, const double *probability, size_t n, double draws) {
    double sum = 0;
    for (size_t at = 0; at < n; at++) {
        double expected = draws * probability[at], d = (double)seen[at] - expected;
        CHECK(expected >= 5, "%g draws of %zu", expected, at);
        sum += d * d / expected;
    }
    return n > 1 ? sum / critical((double)n - 1) : 0;
}

/* ---- permutations ---- */

static pf_fst *sentence(unsigned length) {
    pf_build build = {0};
    pf_fst *fst;
    SUCCEED(pf_build_final(&build, length, 0));
    for (unsigned at = 0; at < length; at++) SUCCEED(pf_build_arc(&build, at, (pf_label)at + 1, (pf_label)at + 1, 0, at + 1));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    return fst;
}

static pf_fst *permute(const char *const *con, size_t n_con, const char *wm, unsigned n) {
    pf_fst *linear = sentence(n), *perm;
    pf_weight weight = {.spec = wm};
    SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){con, n_con, &weight, wm != NULL, false}, &perm));
    pf_fst_free(linear);
    return perm;
}

static pf_err order_of(const void *self, gmp_randstate_t random, unsigned *perm) {
    const pf_con *con = self;
    return con->cls->draw(con, random, perm);
}

/* Draws by the constraint, if it can draw. */
static pf_randgen_options by_order(pf_fst *perm, bool yes) {
    const pf_con *con = pf_fst_space(perm);
    return (pf_randgen_options){.order = yes && con->cls->draw ? order_of : NULL, .con = con};
}

static pf_answer draw(pf_fst *fst, const pf_randgen_options *options, size_t n) {
    pf_randgen *drawer;
    pf_answer answer;
    SUCCEED(pf_randgen_new(fst, options, &drawer));
    SUCCEED(pf_randgen_paths(drawer, generator, n, &answer));
    pf_randgen_free(drawer);
    return answer;
}

/* All members, by the definition that the class has; their number is known. */
static oracle_set members(const char *const *con, size_t n_con, unsigned length, size_t count) {
    oracle_set set = {.n = length, .at = calloc(count * length + 1, 1)};
    unsigned perm[ORACLE_MAX];
    pf_con *c;
    SUCCEED(pf_con_all(con, n_con, length, &c));
    oracle_first(perm, length);
    do {
        if (!c->cls->member(c, perm)) continue;
        CHECK(set.count < count, "%s, %u positions: more than %zu", con[0], length, count);
        for (unsigned step = 0; step < length; step++) set.at[set.count * length + step] = (unsigned char)perm[step];
        set.count++;
    } while (oracle_next(perm, length));
    CHECK(set.count == count, "%s, %u positions: %zu", con[0], length, set.count);
    pf_con_free(c);
    return set;
}

static size_t place_of(const oracle_set *set, const pf_path *path) {
    unsigned perm[ORACLE_MAX];
    CHECK(path->n == set->n, "%zu positions", path->n);
    for (size_t step = 0; step < path->n; step++) perm[step] = (unsigned)path->arc[step].in - 1;
    size_t at = oracle_find(set, perm);
    CHECK(at < set->count, "not a member");
    return at;
}

static unsigned long *tally(const oracle_set *set, const pf_answer *answer) {
    unsigned long *seen = calloc(set->count, sizeof *seen);
    for (size_t i = 0; i < answer->paths.n; i++) seen[place_of(set, &answer->paths.at[i])]++;
    return seen;
}

static double *equal_shares(size_t n) {
    double *share = calloc(n, sizeof *share);
    for (size_t i = 0; i < n; i++) share[i] = 1 / (double)n;
    return share;
}

typedef struct {
    const char *con[2];
    unsigned n;
    size_t count;
} space;

static const space spaces[] = {
    {{"local:3"}, 5, 25},     {{"itg"}, 4, 22},       {{"itg"}, 6, 394},          {{"itg"}, 2, 2},
    {{"itg"}, 3, 6},          {{"mj:2"}, 5, 23},      {{"ibm:2"}, 4, 8},          {{"ibm:3"}, 5, 54},
    {{"inverse-ibm:3"}, 5, 54}, {{"none"}, 4, 24},    {{"distortion:3"}, 5, 25},  {{"itg", "ibm:3"}, 5, 42},
    {{"ibm:1"}, 4, 1},        {{"ibm:9"}, 4, 24},     {{"itg"}, 1, 1},            {{"mj:2"}, 0, 1},
};

/* By the constraint, if it can draw, and through the automaton: every member is drawn, and all equally often. */
static void permutations_are_uniform(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(spaces); i++)
        for (int orders = 0; orders < 2; orders++) {
            const space *space_of = &spaces[i];
            size_t n_con = space_of->con[1] ? 2 : 1, draws = 400 * space_of->count;
            oracle_set set = members(space_of->con, n_con, space_of->n, space_of->count);
            pf_fst *perm = permute(space_of->con, n_con, NULL, space_of->n);
            pf_randgen_options options = by_order(perm, orders);
            pf_answer answer = draw(perm, &options, draws);
            CHECK(answer.paths.n == draws, "%zu", answer.paths.n);
            unsigned long *seen = tally(&set, &answer);
            double *share = equal_shares(set.count), far = distance(seen, share, set.count, (double)draws);
            CHECK(far < 1, "%s, %u positions: %g", space_of->con[0], space_of->n, far);
            CHECK(set.count < 20 || far > 0.01, "%s, %u positions: %g is too good", space_of->con[0], space_of->n, far);
            free(seen);
            free(share);
            pf_answer_free(&answer);
            pf_fst_free(perm);
            free(set.at);
        }
}

/* In proportion to exp(-cost), the costs being the oracle's. The same draws are far from uniform. */
static void weights_are_probabilities(void **state) {
    static const char *const con[] = {"ibm:3"};
    static const char *const models[] = {"monotone:0.7", "monotone:0.2"};
    enum { DRAWS = 50000 };
    (void)state;
    oracle_set set = oracle_all(con, 1, 5);
    double *share = calloc(set.count, sizeof *share), *equal = equal_shares(set.count);
    for (size_t model = 0; model < LENGTH(models); model++) {
        double sum = 0;
        for (size_t at = 0; at < set.count; at++) {
            unsigned order[ORACLE_MAX];
            for (unsigned step = 0; step < set.n; step++) order[step] = set.at[at * set.n + step];
            sum += share[at] = exp(-oracle_cost(&set, models[model], NULL, order));
        }
        for (size_t i = 0; i < set.count; i++) share[i] /= sum;
        pf_fst *perm = permute(con, 1, models[model], 5);
        pf_randgen_options options = by_order(perm, true); /* which is not used */
        options.by_weight = true;
        pf_answer answer = draw(perm, &options, DRAWS);
        unsigned long *seen = tally(&set, &answer);
        double far = distance(seen, share, set.count, DRAWS), wrong = distance(seen, equal, set.count, DRAWS);
        CHECK(far < 1, "%s: %g", models[model], far);
        CHECK(wrong > 2, "%s: %g is not rejected", models[model], wrong);
        free(seen);
        pf_answer_free(&answer);
        pf_fst_free(perm);
    }
    free(share);
    free(equal);
    free(set.at);
}

/* The costs of the paths have no influence if all paths are equally likely, and the costs that are written are right. */
static void uniform_paths_have_their_costs(void **state) {
    static const char *const con[] = {"local:3"};
    (void)state;
    oracle_set set = oracle_all(con, 1, 5);
    for (int orders = 0; orders < 2; orders++) {
        pf_fst *perm = permute(con, 1, "monotone:0.7", 5);
        pf_randgen_options options = by_order(perm, orders);
        pf_answer answer = draw(perm, &options, 2500);
        unsigned long *seen = tally(&set, &answer);
        double *share = equal_shares(set.count), far = distance(seen, share, set.count, 2500);
        CHECK(far < 1, "%g", far);
        for (size_t at = 0; at < answer.paths.n; at++) {
            unsigned order[ORACLE_MAX];
            for (unsigned step = 0; step < 5; step++) order[step] = (unsigned)answer.paths.at[at].arc[step].in - 1;
            double cost = oracle_cost(&set, "monotone:0.7", NULL, order);
            CHECK(fabs(answer.paths.at[at].cost - cost) < 1e-5, "%g, %g", answer.paths.at[at].cost, cost);
        }
        CHECK(!pf_answer_optimal(&answer), "a sample proves nothing");
        free(seen);
        free(share);
        pf_answer_free(&answer);
        pf_fst_free(perm);
    }
    free(set.at);
}

/* ---- long permutations ---- */

/* Can the permutation be reduced to one interval by merging neighbours that touch? O(n). */
static bool separable(const unsigned *perm, unsigned n) {
    unsigned low[512], high[512], top = 0;
    for (unsigned step = 0; step < n; step++) {
        unsigned first = perm[step], last = perm[step];
        while (top && (high[top - 1] + 1 == first || last + 1 == low[top - 1])) {
            top--;
            if (low[top] < first) first = low[top];
            if (high[top] > last) last = high[top];
        }
        low[top] = first;
        high[top++] = last;
    }
    return top <= 1;
}

/* The length of the first part: of a sum it has the lowest values, of a skew sum (*skew) the highest. */
static unsigned first_part(const unsigned *perm, unsigned length, bool *skew) {
    unsigned low = length, high = 0;
    for (unsigned step = 0; step < length - 1; step++) {
        if (perm[step] < low) low = perm[step];
        if (perm[step] > high) high = perm[step];
        *skew = low == length - 1 - step;
        if (*skew || high == step) return step + 1;
    }
    return length;
}

static void a_broken_permutation_is_seen(void **state) {
    static const unsigned bad[] = {1, 3, 0, 2}, hidden[] = {6, 0, 2, 5, 1, 4, 3}, good[] = {1, 0, 3, 2};
    bool skew;
    (void)state;
    CHECK(!separable(bad, 4) && !separable(hidden, 7) && separable(good, 4), "the check itself");
    CHECK(first_part(good, 4, &skew) == 2 && !skew, "the check itself");
}

static pf_con *constraint(const char *spec, unsigned n) {
    pf_con *con;
    SUCCEED(pf_con_new(spec, n, &con));
    CHECK(con->cls->draw, "%s cannot draw", spec);
    return con;
}

/* All are separable, and half of them are sums, half skew sums. */
static void long_itg_is_separable(void **state) {
    enum { N = 300, DRAWS = 2000 };
    static const double half[] = {0.5, 0.5};
    unsigned perm[N];
    unsigned long kinds[2] = {0};
    (void)state;
    pf_con *con = constraint("itg", N);
    for (int i = 0; i < DRAWS; i++) {
        bool skew, seen[N] = {false};
        SUCCEED(con->cls->draw(con, generator, perm));
        for (unsigned step = 0; step < N; step++) {
            CHECK(perm[step] < N && !seen[perm[step]], "not a permutation");
            seen[perm[step]] = true;
        }
        CHECK(separable(perm, N), "draw %d", i);
        CHECK(first_part(perm, N, &skew) < N, "draw %d is neither sum nor skew sum", i);
        kinds[skew]++;
    }
    CHECK(distance(kinds, half, 2, DRAWS) < 1, "%lu sums, %lu skew sums", kinds[0], kinds[1]);
    pf_con_free(con);
}

/* Large Schroeder numbers: S[m] separable permutations of m positions. */
static void schroeder(double *S, unsigned n) {
    S[1] = 1;
    S[2] = 2;
    for (unsigned m = 2; m < n; m++)
        S[m + 1] = (3 * (2 * (double)m - 1) * S[m] - ((double)m - 2) * S[m - 1]) / ((double)m + 1);
}

/* The first part has k of n positions with probability H(k) S(n-k) / (S(n) / 2), where H(k) are of one kind only. */
static void first_parts_are_schroeder(void **state) {
    enum { N = 40, DRAWS = 20000 };
    double S[N + 1], share[N] = {0};
    unsigned perm[N];
    unsigned long seen[N] = {0};
    bool skew;
    (void)state;
    schroeder(S, N);
    pf_con *con = constraint("itg", N);
    for (unsigned k = 1; k < N; k++) share[k] = (k > 1 ? S[k] / 2 : 1) * S[N - k] / (S[N] / 2);
    for (int i = 0; i < DRAWS; i++) {
        SUCCEED(con->cls->draw(con, generator, perm));
        seen[first_part(perm, N, &skew)]++;
    }
    double far = distance(seen + 1, share + 1, N - 1, DRAWS);
    CHECK(far < 1, "%g", far);
    pf_con_free(con);
}

/* local:2 at 300 positions has a Fibonacci number of permutations, of 63 digits; the first position comes first in a part
 * 0.618 of them. */
static void counts_are_large(void **state) {
    enum { DRAWS = 3000 };
    static const char *const con[] = {"local:2"};
    double golden = (sqrt(5) - 1) / 2, share[] = {golden, 1 - golden};
    unsigned long seen[2] = {0};
    (void)state;
    pf_fst *perm = permute(con, 1, NULL, 300);
    pf_randgen_options options = by_order(perm, true); /* which it cannot */
    pf_answer answer = draw(perm, &options, DRAWS);
    for (size_t at = 0; at < answer.paths.n; at++) {
        CHECK(answer.paths.at[at].n == 300, "%zu", answer.paths.at[at].n);
        seen[answer.paths.at[at].arc[0].in == 2]++;
    }
    CHECK(distance(seen, share, 2, DRAWS) < 1, "%lu, %lu", seen[0], seen[1]);
    pf_answer_free(&answer);
    pf_fst_free(perm);
}

/* ---- any automaton ---- */

typedef struct {
    unsigned from;
    float w;
    unsigned to;
} edge;

/* Arc i has the label i+1. The last state is final, and so is state 2. */
static pf_fst *machine(const edge *e, size_t n, unsigned states, float middle) {
    pf_build build = {0};
    pf_fst *fst;
    SUCCEED(pf_build_final(&build, states - 1, 0.5f));
    SUCCEED(pf_build_final(&build, 2, middle));
    for (size_t i = 0; i < n; i++) SUCCEED(pf_build_arc(&build, e[i].from, (pf_label)i + 1, (pf_label)i + 1, e[i].w, e[i].to));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    return fst;
}

/* One path by state 1; by state 2 one that ends there and 27 that go on; state 5 is a dead end. */
static const edge uneven[] = {
    {0, 0.25f, 1}, {0, 0, 2},     {1, 0, 6},      {2, 1, 3}, {2, -0.5f, 3}, {2, 0, 3}, {3, 0.75f, 4}, {3, 0, 4},
    {3, 0, 4},     {4, -1.5f, 6}, {4, 0.125f, 6}, {4, 0, 6}, {2, 0, 5},     {0, 0, 5},
};
enum { UNEVEN_STATES = 7, UNEVEN_PATHS = 29, MAX_PATHS = 64 };

/* All paths, spelt as their labels, with their probabilities by weight. */
typedef struct {
    char name[MAX_PATHS][32];
    double share[MAX_PATHS];
    size_t n;
} listing;

static void list_paths(pf_fst *fst, pf_state state, const char *name, double cost, listing *to) {
    float final = pf_fst_final(fst, state);
    pf_arcs arcs = pf_fst_arcs(fst, state);
    if (final != INFINITY) {
        snprintf(to->name[to->n], sizeof *to->name, "%s", name);
        to->share[to->n++] = exp(-cost - (double)final);
    }
    for (uint32_t at = 0; at < arcs.n; at++) {
        char longer[40];
        if (arcs.arc[at].w == INFINITY) continue;
        snprintf(longer, sizeof longer, "%.30s%c", name, 'A' + arcs.arc[at].in);
        list_paths(fst, arcs.arc[at].to, longer, cost + (double)arcs.arc[at].w, to);
    }
}

static listing all_paths(pf_fst *fst) {
    listing all = {.n = 0};
    double sum = 0;
    list_paths(fst, fst->start, "", 0, &all);
    for (size_t i = 0; i < all.n; i++) sum += all.share[i];
    for (size_t i = 0; i < all.n; i++) all.share[i] /= sum;
    return all;
}

static void count_path(const listing *all, const char *name, unsigned long *seen) {
    size_t at = 0;
    while (at < all->n && strcmp(all->name[at], name) != 0) at++;
    CHECK(at < all->n, "no such path: %s", name);
    seen[at]++;
}

static void count_paths(const listing *l, const pf_answer *answer, unsigned long *seen) {
    for (size_t at = 0; at < answer->paths.n; at++) {
        char name[32] = "";
        for (size_t k = 0; k < answer->paths.at[at].n; k++) name[k] = (char)('A' + answer->paths.at[at].arc[k].in);
        count_path(l, name, seen);
    }
}

/* What many tools do: at each state all arcs and the end are equally likely. Dead ends are drawn again. */
static void walk_by_arcs(pf_fst *fst, char *name) {
    pf_state state = fst->start;
    for (size_t n = 0;; n++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        unsigned ends = pf_fst_final(fst, state) != INFINITY ? 1u : 0u;
        unsigned long turn = arcs.n + ends ? gmp_urandomm_ui(generator, arcs.n + ends) : 0;
        name[n] = 0;
        if (!arcs.n && !ends) return walk_by_arcs(fst, name);
        if (turn == arcs.n) return;
        name[n] = (char)('A' + arcs.arc[turn].in);
        state = arcs.arc[turn].to;
    }
}

static void paths_are_uniform_not_arcs(void **state) {
    enum { DRAWS = 8000 };
    unsigned long seen[MAX_PATHS] = {0}, by_arcs[MAX_PATHS] = {0};
    (void)state;
    pf_fst *fst = machine(uneven, LENGTH(uneven), UNEVEN_STATES, 0);
    listing all = all_paths(fst);
    CHECK(all.n == UNEVEN_PATHS, "%zu", all.n);
    pf_answer answer = draw(fst, &(pf_randgen_options){0}, DRAWS);
    count_paths(&all, &answer, seen);
    double *share = equal_shares(all.n), far = distance(seen, share, all.n, DRAWS);
    CHECK(far < 1, "%g", far);
    for (int i = 0; i < DRAWS; i++) {
        char name[32];
        walk_by_arcs(fst, name);
        count_path(&all, name, by_arcs);
    }
    far = distance(by_arcs, share, all.n, DRAWS);
    CHECK(far > 10, "drawing arc by arc is not rejected: %g", far);
    free(share);
    pf_answer_free(&answer);
    pf_fst_free(fst);
}

static void weights_of_any_automaton(void **state) {
    enum { DRAWS = 40000 };
    unsigned long seen[MAX_PATHS] = {0}, uniform[MAX_PATHS] = {0};
    (void)state;
    pf_fst *fst = machine(uneven, LENGTH(uneven), UNEVEN_STATES, 0.375f);
    listing all = all_paths(fst);
    pf_answer answer = draw(fst, &(pf_randgen_options){.by_weight = true}, DRAWS);
    count_paths(&all, &answer, seen);
    double far = distance(seen, all.share, all.n, DRAWS);
    CHECK(far < 1, "%g", far);
    pf_answer_free(&answer);
    answer = draw(fst, &(pf_randgen_options){0}, DRAWS);
    count_paths(&all, &answer, uniform);
    far = distance(uniform, all.share, all.n, DRAWS);
    CHECK(far > 10, "uniform draws are not rejected: %g", far);
    pf_answer_free(&answer);
    pf_fst_free(fst);
}

/* Costs of thousands do not harm the sums. */
static void large_costs(void **state) {
    static const edge far[] = {{0, 5000, 1}, {0, 5000.5f, 1}, {1, -9000, 2}, {1, 20000, 2}};
    unsigned long seen[2] = {0};
    double e = exp(-0.5), share[] = {1 / (1 + e), e / (1 + e)};
    (void)state;
    pf_fst *fst = machine(far, LENGTH(far), 3, 0);
    pf_answer answer = draw(fst, &(pf_randgen_options){.by_weight = true}, 4000);
    for (size_t at = 0; at < answer.paths.n; at++) {
        CHECK(answer.paths.at[at].arc[1].in == 3, "the improbable path");
        seen[answer.paths.at[at].arc[0].in == 2]++;
    }
    CHECK(distance(seen, share, 2, 4000) < 1, "%lu, %lu", seen[0], seen[1]);
    pf_answer_free(&answer);
    pf_fst_free(fst);
}

/* ---- infinite weights ---- */

static void infinite_weights_are_no_paths(void **state) {
    static const edge one[] = {{0, INFINITY, 2}, {0, 1, 1}, {1, INFINITY, 2}, {1, 2, 2}};
    static const edge none[] = {{0, INFINITY, 2}, {0, 1, 1}};
    (void)state;
    for (int by_weight = 0; by_weight < 2; by_weight++) {
        pf_fst *fst = machine(one, LENGTH(one), 3, 0), *dead = machine(none, LENGTH(none), 3, 0);
        pf_answer answer = draw(fst, &(pf_randgen_options){.by_weight = by_weight}, 50);
        CHECK(answer.paths.n == 50, "%zu", answer.paths.n);
        for (size_t i = 0; i < 50; i++) CHECK(answer.paths.at[i].cost == 3, "%g", answer.paths.at[i].cost);
        pf_answer_free(&answer);
        answer = draw(dead, &(pf_randgen_options){.by_weight = by_weight}, 50);
        CHECK(!answer.paths.n, "%zu", answer.paths.n);
        pf_answer_free(&answer);
        pf_fst_free(fst);
        pf_fst_free(dead);
    }
}

/* Three positions under ibm:2, the first with two words and one that is infinitely dear, the last with `dear` such words
 * and one that is not. */
static pf_fst *alternatives(unsigned dear, bool none) {
    static const char *const con[] = {"ibm:2"};
    pf_build build = {0};
    pf_fst *linear, *perm;
    SUCCEED(pf_build_final(&build, 3, 0));
    SUCCEED(pf_build_arc(&build, 0, 11, 11, 0, 1));
    SUCCEED(pf_build_arc(&build, 0, 12, 12, INFINITY, 1));
    SUCCEED(pf_build_arc(&build, 0, 13, 13, 3, 1));
    SUCCEED(pf_build_arc(&build, 1, 21, 21, 0, 2));
    for (unsigned i = 0; i < dear; i++) SUCCEED(pf_build_arc(&build, 2, 31, 31, INFINITY, 3));
    if (!none) SUCCEED(pf_build_arc(&build, 2, 32, 32, 0, 3));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &linear));
    SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = con, .n_con = 1}, &perm));
    pf_fst_free(linear);
    return perm;
}

/* By the constraint, again and again, and through the automaton if that takes too long. */
static void alternatives_of_a_word(void **state) {
    enum { DRAWS = 4000 };
    (void)state;
    for (unsigned dear = 0; dear < 1000; dear += 499) {
        pf_fst *fst = alternatives(dear, false);
        unsigned long seen[8] = {0};
        pf_randgen_options options = by_order(fst, true);
        pf_answer answer = draw(fst, &options, DRAWS);
        CHECK(answer.paths.n == DRAWS, "%zu", answer.paths.n);
        for (size_t i = 0; i < DRAWS; i++) {
            unsigned order = 0, word = 0;
            for (unsigned step = 0; step < 3; step++) {
                const pf_arc *arc = &answer.paths.at[i].arc[step];
                CHECK(arc->w != INFINITY, "an infinite weight");
                if (arc->in == 1) word = arc->out == 13;
                if (step < 2) order = 2 * order + ((unsigned)arc->in > step + 1);
            }
            seen[2 * order + word]++; /* 123, 132, 213 or 231 */
        }
        double *share = equal_shares(8), far = distance(seen, share, 8, DRAWS);
        CHECK(far < 1, "%u: %g", dear, far);
        free(share);
        pf_answer_free(&answer);
        pf_fst_free(fst);
    }
    pf_fst *fst = alternatives(2, true);
    pf_randgen_options options = by_order(fst, true);
    pf_answer answer = draw(fst, &options, 3);
    CHECK(!answer.paths.n, "%zu", answer.paths.n);
    pf_answer_free(&answer);
    pf_fst_free(fst);
}

/* ---- ends ---- */

static void nothing_to_draw(void **state) {
    static const edge dead[] = {{0, 0, 1}};
    pf_build build = {0};
    pf_fst *empty;
    (void)state;
    SUCCEED(pf_build_finish(&build, PF_STANDARD, PF_NO_STATE, &empty));
    pf_fst *fst = machine(dead, 1, 4, INFINITY);
    for (int by_weight = 0; by_weight < 2; by_weight++) {
        pf_answer answer = draw(empty, &(pf_randgen_options){.by_weight = by_weight}, 5);
        CHECK(!answer.paths.n, "%zu", answer.paths.n);
        pf_answer_free(&answer);
        answer = draw(fst, &(pf_randgen_options){.by_weight = by_weight}, 5);
        CHECK(!answer.paths.n && answer.states == 2, "%zu", answer.paths.n);
        pf_answer_free(&answer);
    }
    pf_fst_free(fst);
    pf_fst_free(empty);
}

static void cycles_and_limits(void **state) {
    static const edge round[] = {{0, 0, 1}, {1, 0, 0}, {1, 0, 2}};
    static const char *const con[] = {"local:3"};
    pf_randgen *drawer;
    (void)state;
    pf_fst *fst = machine(round, LENGTH(round), 3, 0), *perm = permute(con, 1, NULL, 6);
    CHECK(pf_randgen_new(fst, &(pf_randgen_options){0}, &drawer) == PF_EINPUT && strstr(pf_message(), "cycle"), "%s", pf_message());
    CHECK(pf_randgen_new(perm, &(pf_randgen_options){.max_states = 19}, &drawer) == PF_ELIMIT, "%s", pf_message());
    SUCCEED(pf_randgen_new(perm, &(pf_randgen_options){.max_states = 20}, &drawer)); /* 2^(l-1) (n-l+2) */
    pf_randgen_free(drawer);
    pf_fst_free(perm);
    pf_fst_free(fst);
}

static void seen(void *self, pf_randgen_phase phase, uint64_t done) {
    (void)phase;
    *(uint64_t *)self += done > 0;
}

/* A seed determines the draws, whether they are asked for at once or in two parts. */
static void seeds_repeat(void **state) {
    static const char *const con[] = {"itg"};
    uint64_t calls = 0;
    (void)state;
    for (int orders = 0; orders < 2; orders++) {
        pf_answer all, part[2];
        pf_randgen *drawer;
        pf_fst *perm = permute(con, 1, NULL, 8);
        pf_randgen_options options = by_order(perm, orders);
        options.progress = seen;
        options.self = &calls;
        SUCCEED(pf_randgen_new(perm, &options, &drawer));
        gmp_randseed_ui(generator, 5);
        SUCCEED(pf_randgen_paths(drawer, generator, 20, &all));
        gmp_randseed_ui(generator, 5);
        for (int i = 0; i < 2; i++) SUCCEED(pf_randgen_paths(drawer, generator, 10, &part[i]));
        for (size_t at = 0; at < 20; at++)
            for (size_t step = 0; step < 8; step++)
                CHECK(all.paths.at[at].arc[step].in == part[at / 10].paths.at[at % 10].arc[step].in, "path %zu", at);
        pf_answer_free(&all);
        for (int i = 0; i < 2; i++) pf_answer_free(&part[i]);
        pf_randgen_free(drawer);
        pf_fst_free(perm);
    }
    CHECK(calls >= 4, "progress was told %llu times", (unsigned long long)calls);
}

static int set_up(void **state) {
    (void)state;
    gmp_randinit_mt(generator);
    gmp_randseed_ui(generator, 20051);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    gmp_randclear(generator);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutations_are_uniform),   cmocka_unit_test(weights_are_probabilities),
        cmocka_unit_test(uniform_paths_have_their_costs), cmocka_unit_test(a_broken_permutation_is_seen),
        cmocka_unit_test(long_itg_is_separable),      cmocka_unit_test(first_parts_are_schroeder),
        cmocka_unit_test(counts_are_large),           cmocka_unit_test(paths_are_uniform_not_arcs),
        cmocka_unit_test(weights_of_any_automaton),   cmocka_unit_test(large_costs),
        cmocka_unit_test(infinite_weights_are_no_paths), cmocka_unit_test(alternatives_of_a_word),
        cmocka_unit_test(nothing_to_draw),            cmocka_unit_test(cycles_and_limits),
        cmocka_unit_test(seeds_repeat),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
