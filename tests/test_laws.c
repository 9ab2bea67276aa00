/* The laws of permutation automata, held against brute force (oracle.h).
 *
 * Every entry of the tables of constraints and weight models is tried alone, with several parameters, in all pairs and in
 * some triples, on all lengths up to 7, so a new entry is tested before its author writes a test; what it needs is its
 * definition in oracle.c. Then come the figures of definitions.md: counts, sizes, long sentences. */
#include "check.h"
#include "oracle.h"

#include "machine/build.h"
#include "machine/fst.h"
#include "ops/expand.h"
#include "permute/con.h"
#include "permute/perm.h"
#include "permute/wm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 7, LONG = 200, NAME = 96 };

/* ---- Cases: a conjunction of constraints, a length, and the members by definition. */

typedef struct {
    char spec[3][32];
    const char *con[3];
    size_t cons;
    unsigned n;
    oracle_set set;
    char name[NAME];
} instance;

static PF_VEC(instance) cases;
static PF_VEC(pf_params) singles; /* used for their text only */

static void add_case(const char *a, const char *b, const char *c) {
    const char *con[] = {a, b, c};
    for (unsigned n = 0; n <= LONGEST; n++) {
        instance k = {.n = n};
        while (k.cons < 3 && con[k.cons]) k.cons++;
        k.set = oracle_all(con, k.cons, n);
        for (size_t i = 0; i < k.cons; i++) snprintf(k.spec[i], sizeof k.spec[i], "%s", con[i]);
        snprintf(k.name, NAME, "%s %s %s, n = %u", a ? a : "(nothing)", b ? b : "", c ? c : "", n);
        if (PF_PUSH(&cases, k)) abort();
    }
}

static void add_single(const char *format, const char *name, unsigned long parameter) {
    pf_params single;
    snprintf(single.text, sizeof single.text, format, name, parameter);
    if (PF_PUSH(&singles, single)) abort();
}

/* The table's constraints, with their least four parameters and one without effect. */
static void add_singles(void) {
    for (size_t i = 0; pf_con_at(i); i++) {
        const char *name = pf_con_at(i)->name;
        int least = oracle_least(name);
        if ((least < 0) != !*pf_con_at(i)->params) abort();
        if (least < 0) add_single("%s", name, 0);
        for (int k = 0; least >= 0 && k < 4; k++) add_single("%s:%lu", name, (unsigned long)(least + k));
        if (least >= 0) add_single("%s:%lu", name, 1000000);
    }
}

static void add_triples(void) {
    static const char *const triple[][3] = {
        {"itg", "inverse-ibm:3", "ibm:3"},   {"itg", "inverse-ibm:3", "local:4"}, {"inverse-ibm:4", "itg", "ibm:3"},
        {"itg", "inverse-ibm:4", "local:3"}, {"ibm:3", "local:4", "itg"},         {"ibm:4", "inverse-ibm:3", "local:4"},
        {"itg", "itg", "inverse-ibm:3"},     {"ibm:3", "inverse-ibm:2", "none"},  {"local:3", "inverse-ibm:3", "itg"},
    };
    for (size_t i = 0; i < LENGTH(triple); i++) add_case(triple[i][0], triple[i][1], triple[i][2]);
}

static int make_cases(void **state) {
    (void)state;
    add_singles();
    add_case(NULL, NULL, NULL);
    for (size_t i = 0; i < singles.n; i++) add_case(singles.at[i].text, NULL, NULL);
    for (size_t i = 0; i < singles.n; i++)
        for (size_t k = 0; k <= i; k++) add_case(singles.at[i].text, singles.at[k].text, NULL);
    add_triples();
    for (size_t i = 0; i < cases.n; i++) /* the vector moves no more */
        for (size_t k = 0; k < cases.at[i].cons; k++) cases.at[i].con[k] = cases.at[i].spec[k];
    return 0;
}

static int drop_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) free(cases.at[i].set.at);
    PF_VEC_FREE(&cases);
    PF_VEC_FREE(&singles);
    return 0;
}

/* ---- Machines. */

enum { PLAIN, ALTERNATIVES };

/* Alternative k of slot j: its word and its own cost. The first slot has one, the next two, three, one, ... Slot 1 may
 * print nothing, slot 2 has one word twice. */
static unsigned alternatives(int kind, unsigned j) { return kind == PLAIN ? 1 : 1 + j % 3; }
static pf_label word(int kind, unsigned j, unsigned k) {
    if (kind == PLAIN) return (pf_label)(1000 + j);
    if (j % 3 == 1 && k == 1) return PF_EPSILON;
    return (pf_label)(1000 + 10 * j + (k == 2 ? 0 : k));
}
static float own_cost(int kind, unsigned j, unsigned k) {
    return kind == PLAIN ? 0 : 0.5f + 0.25f * (float)k + 0.0625f * (float)j;
}
static float own_final(int kind) { return kind == PLAIN ? 0 : 0.375f; }

static pf_fst *sentence(int kind, unsigned n) {
    pf_build build = {0};
    pf_fst *linear = NULL;
    for (unsigned j = 0; j < n; j++)
        for (unsigned k = 0; k < alternatives(kind, j); k++)
            SUCCEED(pf_build_arc(&build, j, (pf_label)(1 + j), word(kind, j, k), own_cost(kind, j, k), j + 1));
    SUCCEED(pf_build_final(&build, n, own_final(kind)));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &linear));
    return linear;
}

static pf_fst *lazy(int kind, unsigned n, const char *const *con, size_t cons, const char *const *wm, size_t wms) {
    pf_weight weight[4] = {{0}};
    for (size_t i = 0; i < wms; i++) weight[i].spec = wm[i];
    pf_perm_spec spec = {con, cons, weight, wms, false};
    pf_fst *linear = sentence(kind, n), *f = NULL;
    SUCCEED(pf_perm_lazy(linear, &spec, &f));
    pf_fst_free(linear); /* a copy is kept */
    return f;
}

static pf_fst *lazy_case(const instance *k, int kind, const char *wm) {
    return lazy(kind, k->n, k->con, k->cons, &wm, wm ? 1 : 0);
}

static pf_fst *lazy_one(unsigned n, const char *con) { return lazy(PLAIN, n, &con, 1, NULL, 0); }

static uint32_t dice(uint32_t *seed, uint32_t sides) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*seed * sides) >> 32);
}

enum order { BREADTH, DEPTH, RANDOM };

/* Expands all that is reachable and returns the number of states; ids are dense, in order first seen. */
static uint32_t expand(pf_fst *f, enum order order) {
    PF_VEC(pf_state) todo = {0};
    PF_VEC(bool) seen = {0};
    uint32_t known = 0, done = 0, seed = 7;
    size_t head = 0;
    SUCCEED(PF_PUSH(&todo, f->start));
    SUCCEED(PF_PUSH(&seen, true));
    for (known = 1; head < todo.n; done++) {
        size_t at = order == BREADTH ? head : order == DEPTH ? todo.n - 1 : dice(&seed, (uint32_t)todo.n);
        pf_state s = todo.at[at];
        if (order == BREADTH) head++;
        else todo.at[at] = todo.at[--todo.n];
        pf_arcs arcs = pf_fst_arcs(f, s);
        SUCCEED(pf_fst_error(f));
        for (uint32_t a = 0; a < arcs.n; a++) {
            while (seen.n <= arcs.arc[a].to) SUCCEED(PF_PUSH(&seen, false));
            if (seen.at[arcs.arc[a].to]) continue;
            seen.at[arcs.arc[a].to] = true;
            SUCCEED(PF_PUSH(&todo, arcs.arc[a].to));
            known++;
        }
    }
    CHECK(known == seen.n, "%u states are reached, but ids go up to %zu", known, seen.n);
    CHECK(done == known && f->expanded == known, "%u of %u states expanded, %llu counted", done, known,
          (unsigned long long)f->expanded);
    PF_VEC_FREE(&todo);
    PF_VEC_FREE(&seen);
    return known;
}

/* Paths from the start to a final state. The machine is expanded breadth-first, so arcs lead to larger ids. */
static double count_paths(pf_fst *f, uint32_t states) {
    double *paths = calloc(states, sizeof *paths), all;
    if (!paths) abort();
    for (pf_state s = states; s-- > 0;) {
        pf_arcs arcs = pf_fst_arcs(f, s);
        paths[s] = isfinite(pf_fst_final(f, s));
        for (uint32_t a = 0; a < arcs.n; a++) paths[s] += paths[arcs.arc[a].to];
    }
    all = paths[f->start];
    free(paths);
    return all;
}

static pf_con *con_of(const char *const *spec, size_t specs, unsigned n) {
    pf_con *part[3] = {NULL}, *con = NULL;
    for (size_t i = 0; i < specs; i++) SUCCEED(pf_con_new(spec[i], n, &part[i]));
    SUCCEED(pf_con_and(part, specs, n, &con));
    return con;
}

/* ---- 1. What member() says. */

static void member_is_the_definition(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        const instance *k = &cases.at[i];
        pf_con *con = k->cons == 1 ? NULL : con_of(k->con, k->cons, k->n);
        if (!con) SUCCEED(pf_con_new(k->con[0], k->n, &con));
        unsigned p[LONGEST];
        oracle_first(p, k->n);
        do
            CHECK(con->cls->member(con, p) == (oracle_find(&k->set, p) != SIZE_MAX), "%s: %u%u%u%u%u%u%u (from 0)",
                  k->name, p[0], k->n > 1 ? p[1] : 0, k->n > 2 ? p[2] : 0, k->n > 3 ? p[3] : 0, k->n > 4 ? p[4] : 0,
                  k->n > 5 ? p[5] : 0, k->n > 6 ? p[6] : 0);
        while (oracle_next(p, k->n));
        pf_con_free(con);
    }
}

/* ---- The contracts of con.h, on every prefix of every member. */

typedef struct {
    const instance *k;
    const pf_con *con;
    unsigned p[LONGEST];
} prefix;

/* Runs advance() into a room filled with `fill`, so that bytes left unwritten show. */
static size_t advance(const prefix *at, const pf_cover *b, const unsigned char *x, unsigned j, int fill,
                      unsigned char *to) {
    memset(to, fill, at->con->room + 1);
    size_t bytes = pf_con_advance(at->con, b, x, j, to);
    CHECK(bytes <= at->con->room && to[at->con->room] == (unsigned char)fill, "%s: advance() writes past room",
          at->k->name);
    CHECK(pf_con_extent(at->con, to) == bytes, "%s: extent() is %zu, advance() wrote %zu", at->k->name,
          pf_con_extent(at->con, to), bytes);
    return bytes;
}

static void contracts_from(prefix *at, unsigned t, pf_cover b, const unsigned char *x) {
    unsigned next[LONGEST], moves = oracle_moves(&at->k->set, at->p, t, next);
    pf_cover allowed = ~UINT64_C(0), expected = 0;
    for (unsigned i = 0; i < moves; i++) pf_cover_put(&expected, next[i]);
    SUCCEED(pf_con_allowed(at->con, &b, x, &allowed));
    CHECK(allowed == expected, "%s: after %u moves %llx are allowed, not %llx", at->k->name, t,
          (unsigned long long)allowed, (unsigned long long)expected);
    for (unsigned some = 1; some < 8; some++) { /* positions are judged one by one: what is left of a part is its share */
        pf_cover part = ~b & ((UINT64_C(1) << at->k->n) - 1) & (UINT64_C(0x9249249249249249) * some), before = part;
        SUCCEED(at->con->cls->narrow(at->con, &b, x, &part));
        CHECK(part == (before & expected), "%s: narrow() leaves %llx of %llx", at->k->name, (unsigned long long)part,
              (unsigned long long)before);
    }
    if (at->con->cls->first_gap && t < at->k->n)
        CHECK(pf_cover_has(&allowed, pf_cover_gap(&b, 1, 0)), "%s: first_gap is not kept", at->k->name);
    unsigned char *to = malloc(at->con->room + 1), *again = malloc(at->con->room + 1);
    if (!to || !again) abort();
    for (unsigned i = 0; i < moves; i++) {
        size_t bytes = advance(at, &b, x, at->p[t] = next[i], 0xAA, to);
        CHECK(bytes == advance(at, &b, x, next[i], 0x55, again) && !memcmp(to, again, bytes),
              "%s: advance() leaves bytes unwritten", at->k->name);
        contracts_from(at, t + 1, b | UINT64_C(1) << next[i], to);
    }
    free(to);
    free(again);
}

static void check_contracts(const instance *k, const pf_con *con) {
    prefix at = {.k = k, .con = con};
    unsigned char *x = malloc(con->room + 1);
    if (!x) abort();
    memset(x, 0xAA, con->room + 1);
    size_t bytes = pf_con_start(con, x);
    CHECK(bytes == pf_con_extent(con, x) && bytes <= con->room, "%s: start() wrote %zu bytes", k->name, bytes);
    contracts_from(&at, 0, 0, x);
    free(x);
}

static void constraints_keep_their_contracts(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        pf_con *con = con_of(cases.at[i].con, cases.at[i].cons, cases.at[i].n);
        check_contracts(&cases.at[i], con);
        pf_con_free(con);
    }
}

/* A constraint of the test's own, with a byte of state and with dead ends: no jump of more than `param` positions. */
static size_t near_start(const pf_con *con, unsigned char *x) {
    x[0] = (unsigned char)(16 * con->param); /* which tells the parts' bytes apart; + 1 + the position visited last */
    return 1;
}

static pf_err near_narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *out) {
    int last = x[0] - 16 * (int)con->param - 1, most = (int)con->param;
    (void)b;
    for (int j = 0; j < (int)con->n; j++)
        if (last >= 0 && abs(j - last) > most) pf_cover_drop(out, (unsigned)j);
    return PF_OK;
}

static size_t near_advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j,
                           unsigned char *to) {
    (void)b, (void)x;
    to[0] = (unsigned char)(16 * con->param + 1 + j);
    return 1;
}

static const pf_con_class near_class = {
    .name = "near", .params = ":D", .help = "", .start = near_start, .narrow = near_narrow, .advance = near_advance};

static pf_con *near_of(unsigned n, unsigned param) {
    pf_con *con = calloc(1, sizeof *con);
    if (!con) abort();
    *con = (pf_con){.cls = &near_class, .n = n, .nw = 1, .param = param, .room = 1};
    return con;
}

static void keep_near(oracle_set *set, int most) {
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        const unsigned char *p = set->at + i * set->n;
        bool good = true;
        for (unsigned t = 1; t < set->n; t++) good = good && abs(p[t] - p[t - 1]) <= most;
        if (good) memmove(set->at + kept++ * set->n, p, set->n);
    }
    set->count = kept;
}

static void conjunctions_keep_the_bytes_of_their_parts_apart(void **state) {
    (void)state;
    static const char *const spec[] = {"itg", "ibm:4"};
    for (unsigned n = 0; n <= 6; n++)
        for (unsigned order = 0; order < 3; order++) {
            instance k = {.n = n, .set = oracle_all(spec, 2, n)};
            snprintf(k.name, NAME, "itg, ibm:4 and near in order %u, n = %u", order, n);
            keep_near(&k.set, 2);
            pf_con *part[4] = {NULL}, *con = NULL;
            SUCCEED(pf_con_new("itg", n, &part[order]));
            SUCCEED(pf_con_new("ibm:4", n, &part[(order + 1) % 3]));
            part[(order + 2) % 3] = near_of(n, 2);
            part[3] = near_of(n, 3);
            SUCCEED(pf_con_and(part, 4, n, &con));
            CHECK(con->looks_ahead, "%s: no look-ahead", k.name);
            check_contracts(&k, con);
            pf_con_free(con);
            free(k.set.at);
        }
}

/* ---- 2. The paths are the members, each once; 6. and cost what the definition says. */

typedef struct {
    const instance *k;
    pf_fst *f;
    const char *wm; /* NULL: no cost */
    unsigned char *seen;
    size_t paths;
    unsigned p[LONGEST];
} walk;

static void walk_from(walk *w, pf_state s, unsigned t, double cost) {
    const instance *k = w->k;
    pf_arcs arcs = pf_fst_arcs(w->f, s);
    for (uint32_t a = 0; a < arcs.n; a++) {
        const pf_arc *arc = &arcs.arc[a];
        CHECK(t < k->n && arc->in >= 1 && (unsigned)arc->in <= k->n, "%s: label %d after %u moves", k->name, arc->in, t);
        w->p[t] = (unsigned)arc->in - 1;
        CHECK(arc->out == word(PLAIN, w->p[t], 0), "%s: word %d at position %d", k->name, arc->out, arc->in);
        CHECK(w->wm || !(arc->w < 0 || arc->w > 0), "%s: an arc without model costs %g", k->name, (double)arc->w);
        walk_from(w, arc->to, t + 1, cost + (double)arc->w);
    }
    if (isinf(pf_fst_final(w->f, s))) return;
    size_t rank = t == k->n ? oracle_find(&k->set, w->p) : SIZE_MAX;
    CHECK(rank != SIZE_MAX, "%s: a path of %u moves, %u %u %u ..., is not a member (from 0)", k->name, t, w->p[0],
          w->p[1], w->p[2]);
    CHECK(!w->seen[rank], "%s: path of member %zu comes twice", k->name, rank);
    w->seen[rank] = 1;
    w->paths++;
    double expected = w->wm ? oracle_cost(&k->set, w->wm, w->p) : 0;
    cost += (double)pf_fst_final(w->f, s);
    CHECK(fabs(cost - expected) < 1e-5, "%s, %s: member %zu costs %.9g, not %.9g", k->name, w->wm ? w->wm : "no weights",
          rank, cost, expected);
}

static void walk_case(const instance *k, const char *wm) {
    walk w = {.k = k, .f = lazy_case(k, PLAIN, wm), .wm = wm, .seen = calloc(k->set.count, 1)};
    if (!w.seen) abort();
    walk_from(&w, w.f->start, 0, 0);
    SUCCEED(pf_fst_error(w.f));
    CHECK(w.paths == k->set.count, "%s: %zu paths, %zu members", k->name, w.paths, k->set.count);
    free(w.seen);
    pf_fst_free(w.f);
}

static void paths_are_the_members_each_once(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) walk_case(&cases.at[i], NULL);
}

/* The specifications to try for an entry of the table of weight models. */
static const char *const *model_specs(const char *name) {
    static const char *const monotone[] = {"monotone:0.3", "monotone:0.7", NULL};
    if (!strcmp(name, "monotone")) return monotone;
    print_error("tests/test_laws.c knows no parameters for '%s'\n", name);
    fail();
    return NULL;
}

static void paths_cost_what_the_definition_says(void **state) {
    (void)state;
    for (size_t m = 0; pf_wm_at(m); m++)
        for (const char *const *wm = model_specs(pf_wm_at(m)->name); *wm; wm++)
            for (size_t i = 0; i < cases.n; i++) walk_case(&cases.at[i], *wm);
}

/* ---- 3. Shape: live, layered, one final state. */

/* All paths into a state have visited the same positions, so they have the same length. */
static void check_moves(const instance *k, pf_arcs arcs, pf_state s, uint64_t *covered, bool *seen) {
    for (uint32_t a = 0; a < arcs.n; a++) {
        pf_state to = arcs.arc[a].to;
        uint64_t bit = UINT64_C(1) << (arcs.arc[a].in - 1);
        CHECK(!(covered[s] & bit), "%s: state %u visits position %d again", k->name, s, arcs.arc[a].in);
        CHECK(to > s && (!seen[to] || covered[to] == (covered[s] | bit)), "%s: paths into state %u disagree", k->name,
              to);
        covered[to] = covered[s] | bit;
        seen[to] = true;
        for (uint32_t c = 0; c < a; c++)
            CHECK(arcs.arc[c].in != arcs.arc[a].in || arcs.arc[c].to == to, "%s: two ways to visit position %d", k->name,
                  arcs.arc[a].in);
    }
}

static void check_shape(const instance *k, pf_fst *f) {
    uint32_t states = expand(f, BREADTH), finals = 0;
    uint64_t *covered = calloc(states, sizeof *covered);
    bool *seen = calloc(states, 1), *live = calloc(states, 1);
    if (!covered || !seen || !live) abort();
    for (pf_state s = 0; s < states; s++) {
        bool final = isfinite(pf_fst_final(f, s)), full = pf_bits_count(covered[s]) == k->n;
        check_moves(k, pf_fst_arcs(f, s), s, covered, seen);
        CHECK(final == full, "%s: state %u of coverage %llx is %sfinal", k->name, s, (unsigned long long)covered[s],
              final ? "" : "not ");
        CHECK(!final || !pf_fst_arcs(f, s).n, "%s: the final state has arcs", k->name);
        finals += final;
    }
    CHECK(f->start == 0 && finals == 1 && f->layered, "%s: %u final states", k->name, finals);
    CHECK(k->n > 0 || states == 1, "%s: %u states", k->name, states);
    for (pf_state s = states; s-- > 0;) {
        pf_arcs arcs = pf_fst_arcs(f, s);
        live[s] = isfinite(pf_fst_final(f, s));
        for (uint32_t a = 0; a < arcs.n; a++) live[s] |= live[arcs.arc[a].to];
        CHECK(live[s], "%s: state %u of coverage %llx is dead", k->name, s, (unsigned long long)covered[s]);
    }
    free(covered);
    free(seen);
    free(live);
}

static void states_are_live_and_layered_with_one_final(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        pf_fst *plain = lazy_case(&cases.at[i], PLAIN, NULL);
        pf_fst *many = lazy_case(&cases.at[i], ALTERNATIVES, "monotone:0.7");
        check_shape(&cases.at[i], plain);
        check_shape(&cases.at[i], many);
        pf_fst_free(plain);
        pf_fst_free(many);
    }
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Distinct coverages of the prefixes of the members. */
static size_t coverages(const oracle_set *set) {
    size_t n = set->count * (set->n + 1), distinct = 0;
    uint64_t *all = calloc(n, sizeof *all);
    if (!all) abort();
    for (size_t i = 0; i < set->count; i++)
        for (unsigned t = 0; t < set->n; t++)
            all[i * (set->n + 1) + t + 1] = all[i * (set->n + 1) + t] | UINT64_C(1) << set->at[i * set->n + t];
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < n; i++) distinct += !i || all[i] != all[i - 1];
    free(all);
    return distinct;
}

static void window_constraints_have_a_state_for_each_coverage(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        const instance *k = &cases.at[i];
        if (strstr(k->name, "itg")) continue;
        pf_fst *f = lazy_case(k, PLAIN, "monotone:0.7");
        uint32_t states = expand(f, BREADTH);
        CHECK(states == coverages(&k->set), "%s: %u states, %zu coverages", k->name, states, coverages(&k->set));
        pf_fst_free(f);
    }
}

static bool is_pair(const instance *k, const char *a, const char *b) {
    if (k->cons != 2) return false;
    bool swapped = strncmp(k->con[0], a, strlen(a)) != 0;
    return !strncmp(k->con[swapped], a, strlen(a)) && !strncmp(k->con[!swapped], b, strlen(b));
}

/* The table of definitions.md; anything else may look ahead or not, as long as its states are live. */
static void known_combinations_need_no_look_ahead(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        const instance *k = &cases.at[i];
        bool known = k->cons < 2 || is_pair(k, "itg", "ibm") || is_pair(k, "itg", "local") ||
                     is_pair(k, "ibm", "inverse-ibm");
        pf_fst *f = lazy_case(k, PLAIN, NULL);
        expand(f, BREADTH);
        const pf_con *con = pf_perm_con(f);
        CHECK(con && !(known && con->looks_ahead), "%s looks ahead", k->name);
        CHECK(con->looks_ahead || pf_con_probes(con) == 0, "%s: probes without a look-ahead", k->name);
        pf_fst_free(f);
    }
}

/* All 648 states of itg + inverse-ibm:3 at n = 9, less the 56 dead ones; likewise for the other lengths. */
static void look_ahead_leaves_out_exactly_the_dead_states(void **state) {
    (void)state;
    static const char *const con[] = {"itg", "inverse-ibm:3"};
    static const uint32_t live[] = {1, 2, 4, 9, 21, 47, 98, 190, 345, 592, 968, 1519};
    for (unsigned n = 0; n < LENGTH(live); n++) {
        pf_fst *f = lazy(PLAIN, n, con, 2, NULL, 0);
        uint32_t states = expand(f, BREADTH);
        CHECK(states == live[n], "n = %u: %u states, not %u", n, states, live[n]);
        const pf_con *both = pf_perm_con(f);
        CHECK(n < 4 || (both->looks_ahead && pf_con_probes(both) > 0), "n = %u: no look-ahead", n);
        pf_fst_free(f);
    }
}

/* ---- 4. Counts. */

static void counts_are_those_of_the_table(void **state) {
    (void)state;
    static const struct {
        const char *con[2];
        double count[8];
    } row[] = {
        {{"none"}, {1, 2, 6, 24, 120, 720, 5040, 40320}},
        {{"ibm:2"}, {1, 2, 4, 8, 16, 32, 64, 128}},
        {{"ibm:3"}, {1, 2, 6, 18, 54, 162, 486, 1458}},
        {{"ibm:4"}, {1, 2, 6, 24, 96, 384, 1536, 6144}},
        {{"inverse-ibm:3"}, {1, 2, 6, 18, 54, 162, 486, 1458}},
        {{"local:2"}, {1, 2, 3, 5, 8, 13, 21, 34}},
        {{"local:3"}, {1, 2, 6, 12, 25, 57, 124, 268}},
        {{"local:4"}, {1, 2, 6, 24, 60, 150, 399, 1145}},
        {{"itg"}, {1, 2, 6, 22, 90, 394, 1806, 8558}},
        {{"itg", "ibm:3"}, {1, 2, 6, 16, 42, 112, 300, 804}},
        {{"ibm:3", "inverse-ibm:3"}, {1, 2, 6, 14, 31, 73, 172, 400}}, /* displacement:2 */
        {{"itg", "local:3"}, {1, 2, 6, 11, 23, 52, 108, 229}},         /* itg-span:3 */
        {{"local:4", "itg"}, {1, 2, 6, 22, 45, 107, 284, 768}},        /* itg-span:4 */
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        for (unsigned n = 1; n <= 8; n++) {
            pf_fst *f = lazy(PLAIN, n, row[i].con, row[i].con[1] ? 2 : 1, NULL, 0);
            double paths = count_paths(f, expand(f, BREADTH));
            CHECK(fabs(paths - row[i].count[n - 1]) < 0.5, "%s, n = %u: %.0f paths, not %.0f", row[i].con[0], n, paths,
                  row[i].count[n - 1]);
            pf_fst_free(f);
        }
}

static double built_paths(const char *con, unsigned n) {
    pf_fst *f = lazy_one(n, con);
    double paths = count_paths(f, expand(f, BREADTH));
    pf_fst_free(f);
    return paths;
}

/* Zens & Ney 2003: equation 4, the large Schroeder numbers, and their table 1 (itg by ibm:4, one decimal). */
static void counts_follow_zens_and_ney(void **state) {
    (void)state;
    static const double ratio[] = {1.0, 1.2, 1.4, 1.7, 2.1, 2.6, 3.4, 4.3, 5.6, 7.4, 9.8, 13.0, 17.4, 23.3, 31.4};
    double s[20] = {1, 2};
    for (unsigned n = 2; n < 20; n++) s[n] = (3 * (2.0 * n - 1) * s[n - 1] - (n - 2.0) * s[n - 2]) / (n + 1.0);
    for (unsigned n = 1; n <= 10; n++) CHECK(fabs(built_paths("itg", n) - s[n - 1]) < 0.5, "itg, n = %u", n);
    for (unsigned n = 6; n <= 20; n++) {
        double ibm = built_paths("ibm:4", n);
        CHECK(fabs(ibm - 24 * pow(4, n - 4.0)) < 0.5, "ibm:4, n = %u: %.0f", n, ibm);
        CHECK(fabs(s[n - 1] / ibm - ratio[n - 6]) < 0.0501, "n = %u: %g, not %g", n, s[n - 1] / ibm, ratio[n - 6]);
    }
}

static bool admits(const pf_con *con, const unsigned *p) { return con->cls->member(con, p); }

static void inverse_ibm_is_the_inverses_of_ibm_and_local_is_inside_ibm(void **state) {
    (void)state;
    for (unsigned n = 1; n <= LONGEST; n++)
        for (unsigned l = 1; l <= n; l++) {
            char spec[3][32];
            pf_con *ibm, *inverse, *local;
            unsigned p[LONGEST], q[LONGEST], proper = 0, turned = 0;
            snprintf(spec[0], 32, "ibm:%u", l);
            snprintf(spec[1], 32, "inverse-ibm:%u", l);
            snprintf(spec[2], 32, "local:%u", l);
            SUCCEED(pf_con_new(spec[0], n, &ibm));
            SUCCEED(pf_con_new(spec[1], n, &inverse));
            SUCCEED(pf_con_new(spec[2], n, &local));
            oracle_first(p, n);
            do {
                oracle_invert(p, n, q);
                CHECK(admits(ibm, p) == admits(inverse, q), "n = %u, l = %u", n, l);
                CHECK(!admits(local, p) || admits(ibm, p), "n = %u, l = %u", n, l);
                proper += admits(ibm, p) && !admits(local, p);
                turned += admits(ibm, p) != admits(inverse, p);
            } while (oracle_next(p, n));
            CHECK((l > 1 && l < n) == (proper > 0), "n = %u: local:%u and ibm:%u differ in %u", n, l, l, proper);
            CHECK((l > 1 && l < n) == (turned > 0), "n = %u: ibm:%u and its inverses differ in %u", n, l, turned);
            pf_con_free(ibm);
            pf_con_free(inverse);
            pf_con_free(local);
        }
}

/* ---- 5. Sizes. */

static void sizes_are_those_of_the_table(void **state) {
    (void)state;
    static const unsigned length[] = {4, 6, 8, 10, 20, 30};
    static const struct {
        const char *con;
        uint32_t size[6][2];
    } row[] = {
        {"ibm:3", {{15, 28}, {42, 96}, {93, 232}, {176, 460}, {1351, 3820}, {4526, 13080}}},
        {"ibm:4", {{16, 32}, {57, 156}, {163, 512}, {386, 1300}, {6196, 23200}, {31931, 122700}}},
        {"inverse-ibm:4", {{16, 32}, {57, 156}, {163, 512}, {386, 1300}, {6196, 23200}, {31931, 122700}}},
        {"local:4", {{16, 32}, {32, 72}, {48, 112}, {64, 152}, {144, 352}, {224, 552}}},
        {"local:6", {{16, 32}, {64, 192}, {128, 416}, {192, 640}, {512, 1760}, {832, 2880}}},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        for (size_t k = 0; k < LENGTH(length); k++) {
            pf_fst *f = lazy_one(length[k], row[i].con);
            uint32_t states = expand(f, BREADTH);
            CHECK(states == row[i].size[k][0] && f->narcs == row[i].size[k][1], "%s, n = %u: %u states, %llu arcs",
                  row[i].con, length[k], states, (unsigned long long)f->narcs);
            pf_fst_free(f);
        }
}

static void itg_has_the_known_number_of_stacks(void **state) {
    (void)state;
    static const uint32_t stacks[] = {1, 2, 4, 9, 23, 64, 186, 551, 1645, 4926, 14768};
    for (unsigned n = 0; n < LENGTH(stacks); n++) {
        pf_fst *f = lazy_one(n, "itg");
        uint32_t states = expand(f, BREADTH);
        CHECK(states == stacks[n], "n = %u: %u states, not %u", n, states, stacks[n]);
        pf_fst_free(f);
    }
}

static bool as_told(double told, double real) { return told < 0 || fabs(told - real) < 0.5; }

static void closed_forms_are_the_sizes_that_are_built(void **state) {
    (void)state;
    for (size_t i = 0; i < singles.n; i++)
        for (unsigned n = 0; n <= 12; n++) {
            const char *con = singles.at[i].text;
            pf_con *told;
            SUCCEED(pf_con_new(con, n, &told));
            pf_con_size size = told->cls->size ? told->cls->size(told) : (pf_con_size){-1, -1, -1};
            pf_con_free(told);
            bool states_known = size.states >= 0 || size.arcs >= 0;
            if ((!states_known && size.paths < 0) || (!states_known && n > 10)) continue;
            pf_fst *f = lazy_one(n, con);
            uint32_t states = expand(f, BREADTH);
            double paths = count_paths(f, states);
            CHECK(as_told(size.states, states) && as_told(size.arcs, (double)f->narcs) && as_told(size.paths, paths),
                  "%s, n = %u: told %g states, %g arcs, %g paths; built %u, %llu, %g", con, n, size.states, size.arcs,
                  size.paths, states, (unsigned long long)f->narcs, paths);
            pf_fst_free(f);
        }
}

/* Those that definitions.md writes down must be there, also where nobody builds the machine. */
/* That is why conjunctions of these do not look ahead: every window of each kind, up to eight words. */
static void itg_within_windows_has_no_dead_ends(void **state) {
    (void)state;
    for (unsigned n = 1; n <= 8; n++)
        for (unsigned a = 1; a <= n; a++)
            for (unsigned b = 1; b <= n; b++) {
                char ibm[16], local[16];
                snprintf(ibm, sizeof ibm, "ibm:%u", a);
                snprintf(local, sizeof local, "local:%u", b);
                const char *con[] = {local, "itg", ibm};
                pf_fst *all = lazy(PLAIN, n, con, 3, NULL, 0), *live;
                CHECK(!pf_perm_con(all)->looks_ahead, "itg + %s + %s looks ahead", ibm, local);
                SUCCEED(pf_expand(all, 0, &live));
                CHECK(pf_fst_states(live) == pf_fst_states(all), "n = %u, itg + %s + %s: %u of %u states are live", n, ibm,
                      local, pf_fst_states(live), pf_fst_states(all));
                pf_fst_free(live);
                pf_fst_free(all);
            }
}

static void closed_forms_reach_long_sentences(void **state) {
    (void)state;
    static const struct {
        const char *con;
        unsigned n;
        double states;
    } row[] = {{"ibm:4", 40, 102091},          {"ibm:4", 80, 1666981}, {"inverse-ibm:4", 80, 1666981},
               {"ibm:2", 200, 20101},          {"local:4", 80, 624},   {"local:3", 200, 796},
               {"local:1", 65535, 65536},      {"none", 40, 0x1p40},   {"ibm:1000000", 40, 0x1p40},
               {"inverse-ibm:1", 65535, 65536}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        pf_con *con;
        SUCCEED(pf_con_new(row[i].con, row[i].n, &con));
        CHECK(con->cls->size, "%s tells no size", row[i].con);
        double states = con->cls->size(con).states;
        CHECK(fabs(states - row[i].states) < 0.5, "%s, n = %u: %.0f states", row[i].con, row[i].n, states);
        pf_con_free(con);
    }
}

/* Pascal's triangle and the Schroeder convolution need sums and products only: whole numbers, no rounding. */
static void closed_forms_are_exact_up_to_2_53(void **state) {
    (void)state;
    enum { N = 60 };
    static uint64_t c[N + 1][N + 1], s[N];
    const uint64_t most = UINT64_C(1) << 53;
    for (unsigned n = 0; n <= N; n++)
        for (unsigned k = 0; k <= n; k++) c[n][k] = k && k < n ? c[n - 1][k - 1] + c[n - 1][k] : 1;
    s[0] = 1;
    for (unsigned n = 1; n < 24; n++) { /* S(n) = S(n-1) + sum of S(k) S(n-1-k); S(23) < 2^63 */
        s[n] = s[n - 1];
        for (unsigned k = 0; k < n; k++) s[n] += s[k] * s[n - 1 - k];
    }
    for (unsigned n = 1; n <= N; n++) {
        pf_con *con;
        for (unsigned l = 1; l < n; l++) {
            char spec[32];
            uint64_t states = 0, arcs = 0;
            for (unsigned i = 0; i <= l; i++) states += c[n][i];
            for (unsigned i = 0; i < l; i++) arcs += c[n - 1][i] * n;
            snprintf(spec, sizeof spec, "ibm:%u", l);
            SUCCEED(pf_con_new(spec, n, &con));
            pf_con_size size = con->cls->size(con);
            pf_con_free(con);
            CHECK(states > most || (uint64_t)size.states == states, "%s, n = %u: %.0f states", spec, n, size.states);
            CHECK(arcs > most || (uint64_t)size.arcs == arcs, "%s, n = %u: %.0f arcs", spec, n, size.arcs);
        }
        if (n > 24) continue;
        SUCCEED(pf_con_new("itg", n, &con));
        double paths = con->cls->size ? con->cls->size(con).paths : -1;
        pf_con_free(con);
        CHECK(paths < 0 || s[n - 1] > most || (uint64_t)paths == s[n - 1], "itg, n = %u: %.0f paths", n, paths);
    }
}

/* ---- 6. Weights. */

/* Every position once: arcs of one slot share its probability and carry their own costs besides. */
static double mass(pf_fst *f, pf_state s, int kind) {
    pf_arcs arcs = pf_fst_arcs(f, s);
    unsigned last = 0, k = 0;
    double sum = 0;
    for (uint32_t a = 0; a < arcs.n; a++) {
        k = (unsigned)arcs.arc[a].in == last ? k + 1 : 0;
        last = (unsigned)arcs.arc[a].in;
        if (!k) sum += exp(-((double)arcs.arc[a].w - (double)own_cost(kind, last - 1, 0)));
    }
    return sum;
}

static void probabilities_sum_to_one(void **state) {
    (void)state;
    for (size_t m = 0; pf_wm_at(m); m++)
        for (const char *const *wm = model_specs(pf_wm_at(m)->name); pf_wm_at(m)->normalised && *wm; wm++)
            for (size_t i = 0; i < cases.n; i++) {
                const instance *k = &cases.at[i];
                int kind = i % 3 ? ALTERNATIVES : PLAIN;
                pf_fst *f = lazy_case(k, kind, *wm);
                uint32_t states = expand(f, BREADTH);
                for (pf_state s = 0; s < states; s++)
                    CHECK(isfinite(pf_fst_final(f, s)) || fabs(mass(f, s, kind) - 1) < 1e-6, "%s, %s, state %u: %.9g",
                          k->name, *wm, s, mass(f, s, kind));
                pf_fst_free(f);
            }
}

/* That two machines are equal up to the numbering of their states; both are expanded. */
static void check_same(const instance *k, pf_fst *a, pf_fst *b, uint32_t states) {
    pf_state *twin = malloc(states * sizeof *twin);
    if (!twin) abort();
    for (uint32_t i = 0; i < states; i++) twin[i] = PF_NO_STATE;
    twin[a->start] = b->start;
    for (pf_state s = 0; s < states; s++) { /* a is numbered breadth-first */
        pf_arcs x = pf_fst_arcs(a, s), y = pf_fst_arcs(b, twin[s]);
        float fx = pf_fst_final(a, s), fy = pf_fst_final(b, twin[s]);
        CHECK(x.n == y.n && !memcmp(&fx, &fy, sizeof fx), "%s: state %u", k->name, s);
        for (uint32_t i = 0; i < x.n; i++) {
            CHECK(x.arc[i].in == y.arc[i].in && x.arc[i].out == y.arc[i].out &&
                      !memcmp(&x.arc[i].w, &y.arc[i].w, sizeof(float)),
                  "%s: state %u, arc %u", k->name, s, i);
            if (twin[x.arc[i].to] == PF_NO_STATE) twin[x.arc[i].to] = y.arc[i].to;
            CHECK(twin[x.arc[i].to] == y.arc[i].to, "%s: state %u, arc %u: one state became two", k->name, s, i);
        }
    }
    free(twin);
}

static void the_order_of_expansion_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        const instance *k = &cases.at[i];
        int kind = i % 3 ? ALTERNATIVES : PLAIN;
        pf_fst *f[] = {lazy_case(k, kind, "monotone:0.7"), lazy_case(k, kind, "monotone:0.7"),
                       lazy_case(k, kind, "monotone:0.7")};
        uint32_t states = expand(f[0], BREADTH);
        CHECK(expand(f[1], DEPTH) == states && expand(f[2], RANDOM) == states, "%s", k->name);
        check_same(k, f[0], f[1], states);
        check_same(k, f[0], f[2], states);
        for (unsigned m = 0; m < 3; m++) pf_fst_free(f[m]);
    }
}

static void weight_models_add_up(void **state) {
    (void)state;
    static const char *const con[] = {"itg", "inverse-ibm:3"}, *const wm[] = {"monotone:0.3", "monotone:0.7"};
    pf_fst *a = lazy(PLAIN, 6, con, 2, wm, 1), *b = lazy(PLAIN, 6, con, 2, wm + 1, 1);
    pf_fst *both = lazy(PLAIN, 6, con, 2, wm, 2);
    uint32_t states = expand(a, BREADTH);
    CHECK(expand(b, BREADTH) == states && expand(both, BREADTH) == states, "the models changed the states");
    for (pf_state s = 0; s < states; s++) {
        pf_arcs x = pf_fst_arcs(a, s), y = pf_fst_arcs(b, s), z = pf_fst_arcs(both, s);
        for (uint32_t i = 0; i < x.n; i++)
            CHECK(fabs((double)x.arc[i].w + (double)y.arc[i].w - (double)z.arc[i].w) < 1e-5, "state %u, arc %u", s, i);
    }
    pf_fst_free(a);
    pf_fst_free(b);
    pf_fst_free(both);
}

/* A weight model of the test's own, with a byte of state: jumps cost their distance, and so does the end. */
static void far_start(const pf_wm *wm, unsigned char *x) {
    x[0] = (unsigned char)wm->param; /* which tells the parts' bytes apart; + the position that would go on in order */
}

static void far_weigh(const pf_wm *wm, const pf_cover *b, const unsigned char *x, const pf_cover *allowed, unsigned moves,
                      double *w) {
    (void)b;
    for (unsigned j = 0, r = 0; r < moves; j++)
        if (pf_cover_has(allowed, j)) w[r++] += wm->param * fabs(j + wm->param - x[0]);
}

static void far_advance(const pf_wm *wm, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    (void)b, (void)x;
    to[0] = (unsigned char)(wm->param + j + 1);
}

static double far_final(const pf_wm *wm, const unsigned char *x) { return wm->param * (wm->n + wm->param - x[0]); }

static const pf_wm_class far_class = {.name = "far",
                                      .params = ":W",
                                      .help = "",
                                      .start = far_start,
                                      .weigh = far_weigh,
                                      .advance = far_advance,
                                      .final = far_final};

static pf_wm *far_of(unsigned n, double param) {
    pf_wm *wm = calloc(1, sizeof *wm);
    if (!wm) abort();
    *wm = (pf_wm){.cls = &far_class, .n = n, .nw = 1, .param = param, .room = 1};
    return wm;
}

/* far:1 + monotone + far:100 along 1 3 0 2, whose jumps are 1, 1, 4, 1 and 1 to the end. */
static void sums_keep_the_bytes_of_their_parts_apart(void **state) {
    (void)state;
    static const unsigned p[] = {1, 3, 0, 2}, jump[] = {1, 1, 4, 1};
    oracle_set set = oracle_all(NULL, 0, 4);
    pf_wm *part[] = {far_of(4, 1), NULL, far_of(4, 100)}, *sum = NULL;
    SUCCEED(pf_wm_new(&(pf_weight){.spec = "monotone:0.7"}, 4, &part[1]));
    SUCCEED(pf_wm_sum(part, 3, 4, &sum));
    CHECK(sum->room == 2, "room for %zu bytes", sum->room);
    unsigned char x[2], to[2];
    pf_cover b = 0;
    sum->cls->start(sum, x);
    for (unsigned t = 0; t < 4; t++) {
        pf_cover allowed = 15 & ~b;
        double w[4] = {1000, 1000, 1000, 1000};
        double expected = 1000 + 101 * jump[t] + oracle_move_cost(&set, "monotone:0.7", p, t);
        sum->cls->weigh(sum, &b, x, &allowed, 4 - t, w);
        unsigned rank = pf_bits_count(allowed & ((UINT64_C(1) << p[t]) - 1));
        CHECK(fabs(w[rank] - expected) < 1e-9, "move %u costs %g, not %g", t, w[rank], expected);
        sum->cls->advance(sum, &b, x, p[t], to);
        memcpy(x, to, 2);
        pf_cover_put(&b, p[t]);
    }
    CHECK(fabs(sum->cls->final(sum, x) - 101) < 1e-9, "the end costs %g", sum->cls->final(sum, x));
    pf_wm_free(sum);
    free(set.at);
}

/* ---- 7. Alternatives. */

typedef struct {
    const instance *k;
    pf_fst *f;
    const char *wm;
    unsigned char *seen; /* [member][choice of alternatives] */
    size_t choices, paths;
    unsigned p[LONGEST];
} choosing;

/* The alternative of slot j that an arc is, or of those alike the cheapest; 99 for none. */
static unsigned alternative(unsigned j, pf_label out, double own) {
    for (unsigned k = 0; k < alternatives(ALTERNATIVES, j); k++)
        if (word(ALTERNATIVES, j, k) == out && fabs((double)own_cost(ALTERNATIVES, j, k) - own) < 1e-5) return k;
    return 99;
}

/* `choice` numbers the alternatives in mixed radix, slot 0 lowest, so that it does not depend on the order of visits. */
static void choose_from(choosing *c, pf_state s, unsigned t, size_t choice, double cost, double expected) {
    const instance *k = c->k;
    pf_arcs arcs = pf_fst_arcs(c->f, s);
    for (uint32_t a = 0; a < arcs.n; a++) {
        unsigned j = c->p[t] = (unsigned)arcs.arc[a].in - 1;
        double w = (double)arcs.arc[a].w, move = c->wm ? oracle_move_cost(&k->set, c->wm, c->p, t) : 0;
        unsigned i = alternative(j, arcs.arc[a].out, w - move);
        CHECK(i != 99, "%s: position %u has no word %d for %g", k->name, j + 1, arcs.arc[a].out, w - move);
        size_t radix = 1;
        for (unsigned m = 0; m < j; m++) radix *= alternatives(ALTERNATIVES, m);
        choose_from(c, arcs.arc[a].to, t + 1, choice + i * radix, cost + w,
                    expected + (double)own_cost(ALTERNATIVES, j, i));
    }
    if (isinf(pf_fst_final(c->f, s))) return;
    size_t rank = oracle_find(&k->set, c->p);
    CHECK(rank != SIZE_MAX && !c->seen[rank * c->choices + choice]++, "%s: a path too many", k->name);
    c->paths++;
    expected += (double)own_final(ALTERNATIVES) + (c->wm ? oracle_cost(&k->set, c->wm, c->p) : 0);
    CHECK(fabs(cost + (double)pf_fst_final(c->f, s) - expected) < 1e-5, "%s: %.9g, not %.9g", k->name, cost, expected);
}

static void choose_case(const instance *k, const char *wm) {
    choosing c = {.k = k, .f = lazy_case(k, ALTERNATIVES, wm), .wm = wm, .choices = 1};
    for (unsigned j = 0; j < k->n; j++) c.choices *= alternatives(ALTERNATIVES, j);
    c.seen = calloc(k->set.count * c.choices, 1);
    if (!c.seen) abort();
    choose_from(&c, c.f->start, 0, 0, 0, 0);
    SUCCEED(pf_fst_error(c.f));
    CHECK(c.paths == k->set.count * c.choices, "%s: %zu paths for %zu members of %zu choices", k->name, c.paths,
          k->set.count, c.choices);
    free(c.seen);
    pf_fst_free(c.f);
}

static void alternatives_multiply_the_paths_and_keep_their_costs(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++)
        if (cases.at[i].n <= 5) {
            choose_case(&cases.at[i], NULL);
            choose_case(&cases.at[i], "monotone:0.7");
        }
}

static void alternatives_share_the_states_of_their_slot(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        pf_fst *one = lazy_case(&cases.at[i], PLAIN, NULL), *many = lazy_case(&cases.at[i], ALTERNATIVES, NULL);
        CHECK(expand(one, BREADTH) == expand(many, BREADTH), "%s", cases.at[i].name);
        pf_fst_free(one);
        pf_fst_free(many);
    }
}

static void an_acceptor_has_the_word_on_both_sides(void **state) {
    (void)state;
    pf_perm_spec spec = {.acceptor = true};
    pf_fst *linear = sentence(ALTERNATIVES, 4), *f = NULL;
    SUCCEED(pf_perm_lazy(linear, &spec, &f));
    pf_fst_free(linear);
    uint32_t states = expand(f, BREADTH), words[8] = {0};
    CHECK(states == 16 && f->narcs == 8 * 7, "%u states, %llu arcs", states, (unsigned long long)f->narcs);
    for (pf_state s = 0; s < states; s++)
        for (uint32_t a = 0; a < pf_fst_arcs(f, s).n; a++) {
            const pf_arc *arc = &pf_fst_arcs(f, s).arc[a];
            CHECK(arc->in == arc->out, "%d : %d", arc->in, arc->out);
            for (unsigned j = 0, i = 0; j < 4; j++)
                for (unsigned k = 0; k < alternatives(ALTERNATIVES, j); k++, i++)
                    words[i] += word(ALTERNATIVES, j, k) == arc->in;
        }
    static const uint32_t expected[] = {8, 8, 8, 16, 8, 16, 8}; /* slot 2 has a word twice */
    CHECK(!memcmp(words, expected, sizeof expected), "each word is visited from 8 coverages");
    pf_fst_free(f);
}

/* ---- 8. Long sentences, and only what is asked for. */

static void only_what_is_asked_for_is_built(void **state) {
    (void)state;
    static const char *const wm[] = {"monotone:0.7"};
    pf_fst *f = lazy(PLAIN, LONG, NULL, 0, wm, 1);
    CHECK(f->expanded == 0, "%llu states before anybody asks", (unsigned long long)f->expanded);
    pf_arcs arcs = pf_fst_arcs(f, f->start);
    CHECK(arcs.n == LONG && f->expanded == 1 && f->narcs == LONG, "%u arcs, %llu states", arcs.n,
          (unsigned long long)f->expanded);
    for (uint32_t i = 0; i < LONG; i++) CHECK(arcs.arc[i].in == (pf_label)i + 1, "arc %u visits %d", i, arcs.arc[i].in);
    pf_fst_arcs(f, arcs.arc[150].to);
    pf_fst_arcs(f, arcs.arc[150].to);
    CHECK(f->expanded == 2 && f->narcs == LONG + LONG - 1, "%llu states", (unsigned long long)f->expanded);
    pf_fst_free(f);
}

typedef struct {
    const char *con[2];
    double states[5]; /* at 63, 64, 65, 128 and 200 words; 0: too many to build */
    double paths[5];  /* 0: not known */
} long_row;

/* A path by `choose` (NULL: the identity): at every state the moves are those of the last constraint's definition. */
static void long_walk(const long_row *row, pf_fst *f, unsigned n, uint32_t *seed) {
    unsigned p[LONG];
    const char *window = row->con[1] ? row->con[1] : row->con[0]; /* inside itg where both are asked for */
    pf_state s = f->start;
    for (unsigned t = 0; t < n; t++) {
        pf_arcs arcs = pf_fst_arcs(f, s);
        uint32_t a = 0;
        for (unsigned j = 0; j < n; j++) {
            p[t] = j;
            bool there = a < arcs.n && arcs.arc[a].in == (pf_label)j + 1;
            CHECK(there == oracle_step(window, p, t), "%s, n = %u: position %u after %u moves", row->con[0], n, j + 1, t);
            a += there;
        }
        CHECK(a == arcs.n && a > 0, "%s, n = %u: %u of %u moves", row->con[0], n, a, arcs.n);
        for (a = 0; !seed && arcs.arc[a].in != (pf_label)t + 1; a++) CHECK(a + 1 < arcs.n, "the identity is a member");
        if (seed) a = dice(seed, arcs.n);
        p[t] = (unsigned)arcs.arc[a].in - 1;
        CHECK(isinf(pf_fst_final(f, s)), "%s, n = %u: final after %u moves", row->con[0], n, t);
        s = arcs.arc[a].to;
    }
    CHECK(isfinite(pf_fst_final(f, s)) && !pf_fst_arcs(f, s).n, "%s, n = %u: the path does not end", row->con[0], n);
    for (unsigned i = 0; i < 2 && row->con[i]; i++) CHECK(oracle_member(row->con[i], p, n), "%s, n = %u", row->con[i], n);
    CHECK(pf_perm_con(f)->cls->member(pf_perm_con(f), p), "%s, n = %u: member() denies a path", row->con[0], n);
}

static void check_long(const long_row *row, unsigned n, double states, double paths) {
    pf_fst *f = lazy(PLAIN, n, row->con, row->con[1] ? 2 : 1, NULL, 0);
    uint32_t seed = n;
    long_walk(row, f, n, NULL);
    CHECK(f->expanded == n + 1, "%s, n = %u: a walk expanded %llu states", row->con[0], n,
          (unsigned long long)f->expanded);
    for (int i = 0; i < 3; i++) long_walk(row, f, n, &seed);
    pf_fst_free(f);
    if (!(states > 0)) return;
    f = lazy(PLAIN, n, row->con, row->con[1] ? 2 : 1, NULL, 0);
    uint32_t built = expand(f, BREADTH);
    CHECK(fabs(built - states) < 0.5, "%s, n = %u: %u states, not %.0f", row->con[0], n, built, states);
    double counted = count_paths(f, built);
    CHECK(!(paths > 0) || fabs(counted / paths - 1) < 1e-12, "%s, n = %u: %g paths, not %g", row->con[0], n, counted,
          paths);
    pf_fst_free(f);
}

/* ibm:2 has 1 + n + n (n-1) / 2 states and 2^(n-1) paths, its inverse the same; all of ibm:2 is separable, and a stack is
 * known from its coverage. local:3 has 4 (n-1) states. */
static void long_sentences_keep_the_laws(void **state) {
    (void)state;
    static const unsigned length[] = {63, 64, 65, 128, 200};
    static const long_row row[] = {
        {{"ibm:2"}, {2017, 2081, 2146, 8257, 20101}, {0x1p62, 0x1p63, 0x1p64, 0x1p127, 0x1p199}},
        {{"inverse-ibm:2"}, {2017, 2081, 2146, 8257, 20101}, {0x1p62, 0x1p63, 0x1p64, 0x1p127, 0x1p199}},
        {{"local:3"}, {248, 252, 256, 508, 796}, {0}},
        {{"itg", "ibm:2"}, {2017, 2081, 2146, 8257, 20101}, {0x1p62, 0x1p63, 0x1p64, 0x1p127, 0x1p199}},
        {{"none"}, {0}, {0}},
        {{"ibm:70"}, {0}, {0}},
        {{"inverse-ibm:70"}, {0}, {0}},
        {{"local:70"}, {0}, {0}},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        for (size_t k = 0; k < LENGTH(length); k++) check_long(&row[i], length[k], row[i].states[k], row[i].paths[k]);
}

/* ---- 9. Specifications. */

static void refuse_con(const char *spec) {
    pf_con *con = NULL;
    pf_perm_spec both = {&spec, 1, NULL, 0, false};
    CHECK(pf_con_new(spec, 5, &con) == PF_EARG && *pf_message(), "'%s' is taken", spec);
    CHECK(pf_perm_check(&both) == PF_EARG, "'%s' passes pf_perm_check", spec);
    pf_fst *linear = sentence(PLAIN, 3), *f = NULL;
    CHECK(pf_perm_lazy(linear, &both, &f) == PF_EARG, "'%s' makes a machine", spec);
    pf_fst_free(linear);
}

static void refuse_wm(const char *spec) {
    pf_wm *wm = NULL;
    pf_perm_spec both = {NULL, 0, &(pf_weight){.spec = spec}, 1, false};
    CHECK(pf_wm_new(&(pf_weight){.spec = spec}, 5, &wm) == PF_EARG && *pf_message(), "'%s' is taken", spec);
    CHECK(pf_perm_check(&both) == PF_EARG, "'%s' passes pf_perm_check", spec);
}

static void bad_specifications_are_refused(void **state) {
    (void)state;
    static const char *const con[] = {"",        "ibm",   "ibm:0",  "ibm:",    "ibm:x",   "ibm:1,2",       "ibm:-1",
                                      "ibm:2x",  "ibm: 2", "ibm:1.5", "local:0", "local", "inverse-ibm:0", "inverse-ibm",
                                      "none:3",  "itg:2", "itg:",   "Ibm:2",   "ibm2",    "ib:2",          "nonesuch:4"};
    static const char *const wm[] = {"",           "monotone",       "monotone:",    "monotone:0",  "monotone:1",
                                     "monotone:x", "monotone:0.5,2", "monotone:nan", "monotone:-1", "nonesuch:0.5"};
    for (size_t i = 0; i < LENGTH(con); i++) refuse_con(con[i]);
    for (size_t i = 0; i < LENGTH(wm); i++) refuse_wm(wm[i]);
}

static void an_unknown_name_lists_the_known_ones(void **state) {
    (void)state;
    size_t i = 0;
    refuse_con("nonesuch:4");
    for (; pf_con_at(i); i++)
        CHECK(strstr(pf_message(), pf_con_at(i)->name), "%s: %s", pf_con_at(i)->name, pf_message());
    CHECK(i >= 5, "the table has %zu constraints", i);
    refuse_wm("nonesuch:4");
    for (i = 0; pf_wm_at(i); i++)
        CHECK(strstr(pf_message(), pf_wm_at(i)->name), "%s: %s", pf_wm_at(i)->name, pf_message());
    CHECK(i >= 1, "the table has %zu weight models", i);
}

static void a_parameter_of_the_length_or_more_is_no_limit(void **state) {
    (void)state;
    static const char *const name[] = {"ibm", "inverse-ibm", "local"};
    static const char *const parameter[] = {"5", "6", "1000000", "4294967295"};
    for (size_t i = 0; i < LENGTH(name); i++)
        for (size_t k = 0; k < LENGTH(parameter); k++) {
            char spec[32];
            snprintf(spec, sizeof spec, "%s:%s", name[i], parameter[k]);
            CHECK(fabs(built_paths(spec, 5) - 120) < 0.5, "%s, n = 5: %g paths", spec, built_paths(spec, 5));
        }
}

static void a_parameter_past_32_bits_does_not_wrap(void **state) {
    (void)state;
    pf_con *con;
    unsigned p[] = {4, 3, 2, 1, 0}; /* ibm:1 has the identity only */
    if (pf_con_new("ibm:4294967297", 5, &con)) return; /* refused */
    CHECK(con->cls->member(con, p), "ibm:4294967297 is taken for ibm:1");
    pf_con_free(con);
}

int main(void) {
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(member_is_the_definition),
        cmocka_unit_test(constraints_keep_their_contracts),
        cmocka_unit_test(conjunctions_keep_the_bytes_of_their_parts_apart),
        cmocka_unit_test(paths_are_the_members_each_once),
        cmocka_unit_test(paths_cost_what_the_definition_says),
        cmocka_unit_test(states_are_live_and_layered_with_one_final),
        cmocka_unit_test(window_constraints_have_a_state_for_each_coverage),
        cmocka_unit_test(known_combinations_need_no_look_ahead),
        cmocka_unit_test(look_ahead_leaves_out_exactly_the_dead_states),
        cmocka_unit_test(counts_are_those_of_the_table),
        cmocka_unit_test(counts_follow_zens_and_ney),
        cmocka_unit_test(inverse_ibm_is_the_inverses_of_ibm_and_local_is_inside_ibm),
        cmocka_unit_test(sizes_are_those_of_the_table),
        cmocka_unit_test(itg_has_the_known_number_of_stacks),
        cmocka_unit_test(closed_forms_are_the_sizes_that_are_built),
        cmocka_unit_test(closed_forms_reach_long_sentences),
        cmocka_unit_test(closed_forms_are_exact_up_to_2_53),
        cmocka_unit_test(probabilities_sum_to_one),
        cmocka_unit_test(the_order_of_expansion_changes_nothing),
        cmocka_unit_test(weight_models_add_up),
        cmocka_unit_test(sums_keep_the_bytes_of_their_parts_apart),
        cmocka_unit_test(alternatives_multiply_the_paths_and_keep_their_costs),
        cmocka_unit_test(alternatives_share_the_states_of_their_slot),
        cmocka_unit_test(an_acceptor_has_the_word_on_both_sides),
        cmocka_unit_test(only_what_is_asked_for_is_built),
        cmocka_unit_test(long_sentences_keep_the_laws),
        cmocka_unit_test(bad_specifications_are_refused),
        cmocka_unit_test(itg_within_windows_has_no_dead_ends),
        cmocka_unit_test(an_unknown_name_lists_the_known_ones),
        cmocka_unit_test(a_parameter_of_the_length_or_more_is_no_limit),
        cmocka_unit_test(a_parameter_past_32_bits_does_not_wrap),
    };
    return cmocka_run_group_tests_name("laws", laws, make_cases, drop_cases);
}
