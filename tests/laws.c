/* See laws.h. */
#include "laws.h"

#include "permute/con_impl.h"

#include <permfst/base/statetab.h>
#include <permfst/machine/build.h>

instances cases;

/* ---- Specifications. */

static void add_spec(spec_list *to, const char *text) {
    spec_text s;
    snprintf(s.text, SPEC, "%s", text);
    SUCCEED(PF_PUSH(to, s));
}

static void add_number(spec_list *to, const char *name, unsigned long parameter) {
    char text[SPEC];
    snprintf(text, SPEC, "%s:%lu", name, parameter);
    add_spec(to, text);
}

/* Arguments of constraints that take positions: some that fit n words, none for no words. */
static void add_marks(spec_list *to, const char *name, unsigned n, bool few) {
    static const struct {
        unsigned n;
        const char *name, *text; /* "tree, alone": the identity is out, so it may have nothing in common with others */
    } mark[] = {
        {1, "wall", "wall:1"},     {3, "wall", "wall:2"},     {5, "wall", "wall:4"},     {4, "wall", "wall:3,2,4"},
        {3, "wall", "wall:1,1,2"}, {1, "zone", "zone:1,1"},   {3, "zone", "zone:1,2"},   {3, "zone", "zone:2,3"},
        {4, "zone", "zone:2,4"},   {5, "zone", "zone:2,5"},   {1, "unit", "unit:1,1"},   {3, "unit", "unit:1,2"},
        {3, "unit", "unit:2,3"},   {5, "unit", "unit:3,5"},
        {1, "tree", "tree:0"},     {2, "tree", "tree:2,0"},   {3, "tree", "tree:2,0,2"},
        {3, "tree", "tree:0,0,^"}, {4, "tree", "tree:0,1,2,3"}, {4, "tree", "tree:^,3,0,3"}, {4, "tree", "tree:0,1,0,3"},
        {5, "tree", "tree:2,0,=2,2,0"}, {5, "tree", "tree:5,5,4,5,0,limited"}, {5, "tree", "tree:5,5,4,5,0"},
        {6, "tree", "tree:2,3,0,5,3,3"}, {6, "tree", "tree:2,0,^,5,2,^,limited"}, {7, "tree", "tree:0,^,1,5,3,=5,5,limited"},
        {4, "tree, alone", "tree:3,4,0,3"}, {4, "tree, alone", "tree:0,1,2,=1"}, {5, "tree, alone", "tree:4,5,^,0,4,limited"},
        {6, "tree, alone", "tree:5,0,2,=1,2,^"}, {7, "tree, alone", "tree:4,6,1,0,2,4,=3,limited"},
    };
    size_t known = 0;
    for (size_t i = 0; i < LENGTH(mark); i++) {
        size_t length = strlen(name);
        bool alone = mark[i].name[length] == ',';
        if (strncmp(mark[i].name, name, length) != 0 || (mark[i].name[length] && !alone)) continue;
        known++;
        bool fits = strcmp(name, "tree") == 0 ? n == mark[i].n : n >= mark[i].n;
        if (fits && !(few && alone)) add_spec(to, mark[i].text);
    }
    CHECK(known, "tests/laws.c knows no parameters for '%s'", name);
}

static void add_class(spec_list *to, const pf_con_class *cls, unsigned n, bool few) {
    int least = oracle_least(cls->name);
    if (!*cls->params) add_spec(to, cls->name);
    else if (least < 0) add_marks(to, cls->name, n, few);
    else if (few)
        for (int k = least + 1; k <= least + 2; k++) add_number(to, cls->name, (unsigned long)k);
    else {
        for (int k = least; k < least + 4; k++) add_number(to, cls->name, (unsigned long)k);
        add_number(to, cls->name, 1000000);
    }
}

spec_list single_specs(unsigned n, bool few) {
    spec_list all = {0};
    for (size_t i = 0; pf_con_at(i); i++) add_class(&all, pf_con_at(i), n, few);
    return all;
}

bool is_zone(const char *spec, unsigned *first, unsigned *last) {
    return sscanf(spec, "zone:%u,%u", first, last) == 2 || sscanf(spec, "unit:%u,%u", first, last) == 2;
}

bool is_wall(const char *spec, unsigned n, unsigned *at, unsigned *first, unsigned *last) {
    int read = sscanf(spec, "wall:%u,%u,%u", at, first, last);
    if (read == 1) {
        *first = 1;
        *last = n;
    }
    return read == 1 || read == 3;
}

bool cross(const char *a, const char *b) {
    unsigned i, j, k, l;
    if (!is_zone(a, &i, &j) || !is_zone(b, &k, &l)) return false;
    return (i < k && k <= j && j < l) || (k < i && i <= l && l < j);
}

bool cuts(const char *a, const char *b, unsigned n) {
    unsigned at, i, j, k, l;
    if (is_zone(a, &k, &l) && is_wall(b, n, &at, &i, &j)) return cuts(b, a, n);
    if (!is_wall(a, n, &at, &i, &j) || !is_zone(b, &k, &l)) return false;
    bool inside = k <= i && j <= l, apart = j < k || l < i, one_side = i <= k && l <= j && (l <= at || k > at);
    return !inside && !apart && !one_side;
}

/* ---- Cases. */

void instance_init(instance *k, unsigned n, const char *a, const char *b, const char *c) {
    const char *con[] = {a, b, c};
    *k = (instance){.n = n};
    while (k->cons < 3 && con[k->cons]) k->cons++;
    k->set = oracle_all(con, k->cons, n);
    for (size_t i = 0; i < k->cons; i++) {
        snprintf(k->spec[i], SPEC, "%s", con[i]);
        k->con[i] = k->spec[i];
    }
    snprintf(k->name, NAME, "%.60s %.40s %.30s, n = %u", a ? a : "(nothing)", b ? b : "", c ? c : "", n);
}

void add_case(unsigned n, const char *a, const char *b, const char *c) {
    instance given;
    instance_init(&given, n, a, b, c);
    SUCCEED(PF_PUSH(&cases, given));
}

void settle_cases(void) {
    for (size_t i = 0; i < cases.n; i++) /* the vector moves no more */
        for (size_t k = 0; k < cases.at[i].cons; k++) cases.at[i].con[k] = cases.at[i].spec[k];
}

static void add_singles(void) {
    for (unsigned n = 0; n <= LONGEST; n++) {
        spec_list all = single_specs(n, false);
        add_case(n, NULL, NULL, NULL);
        for (size_t i = 0; i < all.n; i++) add_case(n, all.at[i].text, NULL, NULL);
        PF_VEC_FREE(&all);
    }
}

static void add_pairs(void) {
    for (unsigned n = 0; n <= LONGEST; n++) {
        spec_list all = single_specs(n, true);
        for (size_t i = 0; i < all.n; i++)
            for (size_t k = 0; k <= i; k++)
                if (!cross(all.at[i].text, all.at[k].text) && !cuts(all.at[i].text, all.at[k].text, n))
                    add_case(n, all.at[i].text, all.at[k].text, NULL);
        PF_VEC_FREE(&all);
    }
}

static void add_triples(void) {
    static const char *const triple[][3] = {
        {"itg", "inverse-ibm:3", "ibm:3"},      {"itg", "inverse-ibm:3", "local:4"}, {"inverse-ibm:4", "itg", "ibm:3"},
        {"itg", "inverse-ibm:4", "local:3"},    {"ibm:3", "local:4", "itg"},         {"ibm:4", "inverse-ibm:3", "local:4"},
        {"itg", "itg", "inverse-ibm:3"},        {"ibm:3", "inverse-ibm:2", "none"},  {"local:3", "inverse-ibm:3", "itg"},
        {"mj:3", "jump:3", "itg"},              {"itg-span:3", "jump:2", "mj:2"},    {"distortion:3", "mj:3", "itg"},
        {"displacement:2", "distortion:4", "itg"}, {"inverse-local:3", "local:3", "itg"},
        {"inverse-local:3", "distortion:3", "ibm:3"}, {"zone:2,4", "wall:3,2,4", "unit:2,3"}, {"zone:2,4", "itg", "ibm:3"},
        {"unit:1,2", "unit:4,4", "wall:2"},     {"unit:2,3", "zone:2,4", "inverse-ibm:3"}, {"wall:2", "jump:3", "itg"},
        {"itg|ibm:2", "mj:3", "zone:2,4"},      {"none-mj:2", "itg", "displacement:3"},
    };
    for (unsigned n = 0; n <= LONGEST; n++)
        for (size_t i = 0; i < LENGTH(triple); i++)
            if (n >= 4) add_case(n, triple[i][0], triple[i][1], triple[i][2]);
}

/* Specifications with the least length for which they are valid: their positions exist, and their differences are not empty. */
const char *combination(size_t i, unsigned n) {
    static const struct {
        unsigned n;
        const char *text;
    } all[] = {
        {0, "itg|ibm:2"},
        {0, "ibm:3|inverse-ibm:3"},
        {0, "mj:2|jump:2"},
        {0, "jump:2|jump:3"},
        {0, "local:2 | inverse-local:3 | itg-span:2"},
        {0, "inverse:ibm:2"},
        {0, "inverse:local:3"},
        {0, "inverse:inverse-local:2"},
        {0, "inverse:inverse:local:3"},
        {0, "inverse:(local:3|mj:2)"},
        {0, "inverse:(local:3+ibm:2)"},
        {0, "inverse:mj:2+inverse:local:3"},
        {0, "inverse:displacement:2|inverse:itg-span:3"},
        {0, "(itg|ibm:3)+(local:3|inverse-local:3)"},
        {0, "(itg|jump:2)+inverse-ibm:3"},
        {0, "((none))"},
        {0, "itg+inverse-ibm:3+ibm:3"},
        {2, "none-ibm:1"},
        {4, "ibm:3-ibm:2"},
        {4, "none-itg"},
        {5, "ibm:3 - itg"},
        {3, "itg-local:2"},
        {3, "itg - local:2 - mj:1"},
        {3, "itg-(local:3-local:2)"},
        {4, "none-(itg|local:3)"},
        {4, "inverse:(local:4-local:3)"},
        {4, "inverse:(ibm:3-local:3)+itg"},
        {4, "(ibm:3-mj:1)|(itg-ibm:2)"},
        {4, "(none-itg)+displacement:3"},
        {4, "itg|none-itg"},
        {4, "none-jump:2"},
        {3, "jump:3-distortion:2"},
        {4, "none-zone:2,4"},
        {4, "zone:2,4|wall:2"},
        {4, "zone:1,3-unit:1,3"},
        {5, "wall:3+ibm:4-zone:1,2"},
        {5, "(unit:2,3|unit:4,5)+itg"},
    };
    for (size_t k = 0; k < LENGTH(all); k++)
        if (n >= all[k].n && i-- == 0) return all[k].text;
    return NULL;
}

static void add_combinations(void) {
    for (unsigned n = 0; n <= LONGEST; n++)
        for (size_t i = 0; combination(i, n); i++) add_case(n, combination(i, n), NULL, NULL);
}

int make_cases(void **state) {
    (void)state;
    add_singles();
    add_pairs();
    add_triples();
    add_combinations();
    settle_cases();
    return 0;
}

int make_few_cases(void **state) {
    (void)state;
    add_singles();
    add_triples();
    add_combinations();
    settle_cases();
    return 0;
}

int drop_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) free(cases.at[i].set.at);
    PF_VEC_FREE(&cases);
    return 0;
}

/* ---- Machines. */

unsigned alternatives(int kind, unsigned j) { return kind == PLAIN ? 1 : 1 + j % 3; }
pf_label word(int kind, unsigned j, unsigned k) {
    if (kind == PLAIN) return (pf_label)(1000 + j);
    if (j % 3 == 1 && k == 1) return PF_EPSILON;
    return (pf_label)(1000 + 10 * j + (k == 2 ? 0 : k));
}
float own_cost(int kind, unsigned j, unsigned k) {
    return kind == PLAIN ? 0 : 0.5f + 0.25f * (float)k + 0.0625f * (float)j;
}
float own_final(int kind) { return kind == PLAIN ? 0 : 0.375f; }

pf_fst *slots(int kind, unsigned n) {
    pf_build build = {0};
    pf_fst *linear = NULL;
    for (unsigned j = 0; j < n; j++)
        for (unsigned k = 0; k < alternatives(kind, j); k++)
            SUCCEED(pf_build_arc(&build, j, (pf_label)(1 + j), word(kind, j, k), own_cost(kind, j, k), j + 1));
    SUCCEED(pf_build_final(&build, n, own_final(kind)));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &linear));
    return linear;
}

uint32_t dice(uint32_t *seed, uint32_t sides) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*seed * sides) >> 32);
}

void shuffle(unsigned *perm, unsigned n, uint32_t *seed) {
    for (unsigned step = 0; step < n; step++) {
        unsigned r = dice(seed, step + 1);
        perm[step] = perm[r];
        perm[r] = step;
    }
}

enum { TABLES = 512 };

/* Numbers of either sign that are exact in binary, different for each model and length. */
const double *table_for(const char *wm, unsigned n) {
    static struct {
        char wm[SPEC];
        unsigned n;
        double *cost;
    } known[TABLES];
    size_t i = 0, costs = (size_t)n * (n > 3 ? n : 3);
    while (i < TABLES && known[i].cost && (known[i].n != n || strcmp(known[i].wm, wm) != 0)) i++;
    if (i == TABLES) abort();
    if (known[i].cost) return known[i].cost;
    uint32_t seed = n + 17;
    for (const char *c = wm; *c; c++) seed = 31 * seed + (unsigned char)*c;
    snprintf(known[i].wm, SPEC, "%s", wm);
    known[i].n = n;
    known[i].cost = calloc(costs + 1, sizeof(double));
    if (!known[i].cost) abort();
    for (size_t k = 0; k < costs; k++) known[i].cost[k] = ((double)dice(&seed, 256) - 64) / 32;
    return known[i].cost;
}

pf_weight weight_for(const char *wm, unsigned n) {
    const pf_wm_class *cls;
    pf_weight weight = {.spec = wm};
    SUCCEED(pf_wm_class_of(wm, &cls));
    if (!cls->columns) return weight;
    weight.cost = table_for(wm, n);
    weight.n = (size_t)n * cls->columns(n);
    return weight;
}

pf_fst *lazy(int kind, unsigned n, const char *const *con, size_t cons, const char *const *wm, size_t wms) {
    pf_weight weight[4] = {{0}};
    for (size_t i = 0; i < wms; i++) weight[i] = weight_for(wm[i], n);
    pf_perm_spec spec = {con, cons, weight, wms, false};
    pf_fst *linear = slots(kind, n), *fst = NULL;
    SUCCEED(pf_perm_lazy(linear, &spec, &fst));
    pf_fst_free(linear); /* a copy is kept */
    return fst;
}

pf_fst *lazy_case(const instance *given, int kind, const char *wm) {
    return lazy(kind, given->n, given->con, given->cons, &wm, wm ? 1 : 0);
}

pf_fst *lazy_one(unsigned n, const char *con) { return lazy(PLAIN, n, &con, 1, NULL, 0); }

pf_con *con_of(const char *const *spec, size_t specs, unsigned n) {
    pf_con *part[3] = {NULL}, *con = NULL;
    for (size_t i = 0; i < specs; i++) SUCCEED(pf_con_new(spec[i], n, &part[i]));
    SUCCEED(pfi_con_and(part, specs, n, &con));
    return con;
}

uint32_t expand(pf_fst *fst, enum order order) {
    PF_VEC(pf_state) todo = {0};
    PF_VEC(bool) seen = {0};
    uint32_t known = 0, done = 0, seed = 7;
    size_t head = 0;
    SUCCEED(PF_PUSH(&todo, fst->start));
    SUCCEED(PF_PUSH(&seen, true));
    for (known = 1; head < todo.n; done++) {
        size_t at = order == BREADTH ? head : order == DEPTH ? todo.n - 1 : dice(&seed, (uint32_t)todo.n);
        pf_state state = todo.at[at];
        if (order == BREADTH) head++;
        else todo.at[at] = todo.at[--todo.n];
        pf_arcs arcs = pf_fst_arcs(fst, state);
        SUCCEED(pf_fst_error(fst));
        for (uint32_t arc = 0; arc < arcs.n; arc++) {
            while (seen.n <= arcs.arc[arc].to) SUCCEED(PF_PUSH(&seen, false));
            if (seen.at[arcs.arc[arc].to]) continue;
            seen.at[arcs.arc[arc].to] = true;
            SUCCEED(PF_PUSH(&todo, arcs.arc[arc].to));
            known++;
        }
    }
    CHECK(known == seen.n, "%u states are reached, but ids go up to %zu", known, seen.n);
    CHECK(done == known && fst->expanded == known, "%u of %u states expanded, %llu counted", done, known,
          (unsigned long long)fst->expanded);
    PF_VEC_FREE(&todo);
    PF_VEC_FREE(&seen);
    return known;
}

double count_paths(pf_fst *fst, uint32_t states) {
    double *paths = calloc(states, sizeof *paths), all;
    if (!paths) abort();
    for (pf_state state = states; state-- > 0;) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        paths[state] = isfinite(pf_fst_final(fst, state));
        for (uint32_t arc = 0; arc < arcs.n; arc++) paths[state] += paths[arcs.arc[arc].to];
    }
    all = paths[fst->start];
    free(paths);
    return all;
}

double built_paths(const char *con, unsigned n) {
    pf_fst *fst = lazy_one(n, con);
    double paths = count_paths(fst, expand(fst, BREADTH));
    pf_fst_free(fst);
    return paths;
}

/* From the end backwards: states with the same arcs to the same futures have the same future. */
uint32_t futures(pf_fst *fst, uint32_t states, uint32_t *class) {
    uint32_t *own = calloc(states, sizeof *own), key[2 * LONG + 1];
    pf_statetab known;
    pf_statetab_init(&known, 0);
    if (!own) abort();
    for (pf_state state = states; state-- > 0;) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        size_t length = 0;
        key[length++] = isfinite(pf_fst_final(fst, state));
        for (uint32_t arc = 0; arc < arcs.n; arc++) {
            key[length++] = (uint32_t)arcs.arc[arc].in;
            key[length++] = own[arcs.arc[arc].to];
        }
        SUCCEED(pf_statetab_intern(&known, key, length * sizeof *key, &own[state], NULL));
    }
    if (class) memcpy(class, own, states * sizeof *own);
    uint32_t distinct = known.n;
    pf_statetab_free(&known);
    free(own);
    return distinct;
}

/* ---- Paths. */

typedef struct {
    const instance *given;
    pf_fst *fst;
    const char *const *wm;
    const double *table[4]; /* of each */
    size_t wms;
    unsigned char *seen;
    size_t paths;
    unsigned perm[LONGEST];
} walk;

static void end_of_path(walk *w, unsigned step, double cost) {
    const instance *given = w->given;
    size_t rank = step == given->n ? oracle_find(&given->set, w->perm) : SIZE_MAX;
    double expected = 0;
    CHECK(rank != SIZE_MAX, "%s: a path of %u moves, %u %u %u ..., is not a member (from 0)", given->name, step, w->perm[0],
          w->perm[1], w->perm[2]);
    CHECK(!w->seen[rank], "%s: path of member %zu comes twice", given->name, rank);
    w->seen[rank] = 1;
    w->paths++;
    for (size_t i = 0; i < w->wms; i++) expected += oracle_cost(&given->set, w->wm[i], w->table[i], w->perm);
    CHECK(fabs(cost - expected) < 1e-5, "%s, %s: member %zu costs %.9g, not %.9g", given->name,
          w->wms ? w->wm[0] : "no weights", rank, cost, expected);
}

static void walk_from(walk *w, pf_state state, unsigned step, double cost) {
    const instance *given = w->given;
    pf_arcs arcs = pf_fst_arcs(w->fst, state);
    for (uint32_t a = 0; a < arcs.n; a++) {
        const pf_arc *arc = &arcs.arc[a];
        CHECK(step < given->n && arc->in >= 1 && (unsigned)arc->in <= given->n, "%s: label %d after %u moves", given->name, arc->in,
              step);
        w->perm[step] = (unsigned)arc->in - 1;
        CHECK(arc->out == word(PLAIN, w->perm[step], 0), "%s: word %d at position %d", given->name, arc->out, arc->in);
        CHECK(w->wms || !(arc->w < 0 || arc->w > 0), "%s: an arc without model costs %g", given->name, (double)arc->w);
        walk_from(w, arc->to, step + 1, cost + (double)arc->w);
    }
    if (isfinite(pf_fst_final(w->fst, state))) end_of_path(w, step, cost + (double)pf_fst_final(w->fst, state));
}

void check_paths(const instance *given, const char *const *wm, size_t wms) {
    walk w = {.given = given, .fst = lazy(PLAIN, given->n, given->con, given->cons, wm, wms), .wm = wm, .wms = wms};
    if (!(w.seen = calloc(given->set.count + 1, 1))) abort();
    for (size_t i = 0; i < wms; i++) w.table[i] = table_for(wm[i], given->n);
    walk_from(&w, w.fst->start, 0, 0);
    SUCCEED(pf_fst_error(w.fst));
    CHECK(w.paths == given->set.count, "%s: %zu paths, %zu members", given->name, w.paths, given->set.count);
    free(w.seen);
    pf_fst_free(w.fst);
}

/* ---- Shape. */

/* All paths into a state have visited the same positions, so they have the same length. */
static void check_moves(const instance *given, pf_arcs arcs, pf_state state, uint64_t *covered, bool *seen) {
    for (uint32_t arc = 0; arc < arcs.n; arc++) {
        pf_state to = arcs.arc[arc].to;
        uint64_t bit = UINT64_C(1) << (arcs.arc[arc].in - 1);
        CHECK(!(covered[state] & bit), "%s: state %u visits position %d again", given->name, state, arcs.arc[arc].in);
        CHECK(to > state && (!seen[to] || covered[to] == (covered[state] | bit)), "%s: paths into state %u disagree", given->name,
              to);
        covered[to] = covered[state] | bit;
        seen[to] = true;
        for (uint32_t c = 0; c < arc; c++)
            CHECK(arcs.arc[c].in != arcs.arc[arc].in || arcs.arc[c].to == to, "%s: two ways to visit position %d", given->name,
                  arcs.arc[arc].in);
    }
}

uint32_t count_finals(pf_fst *fst, uint32_t states) {
    uint32_t finals = 0;
    for (pf_state state = 0; state < states; state++) finals += isfinite(pf_fst_final(fst, state)) != 0;
    return finals;
}

void check_shape(const instance *given, pf_fst *fst) {
    uint32_t states = expand(fst, BREADTH);
    uint64_t *covered = calloc(states, sizeof *covered);
    bool *seen = calloc(states, 1), *live = calloc(states, 1);
    if (!covered || !seen || !live) abort();
    for (pf_state state = 0; state < states; state++) {
        bool final = isfinite(pf_fst_final(fst, state)), full = pf_bits_count(covered[state]) == given->n;
        check_moves(given, pf_fst_arcs(fst, state), state, covered, seen);
        CHECK(final == full, "%s: state %u of coverage %llx is %sfinal", given->name, state, (unsigned long long)covered[state],
              final ? "" : "not ");
        CHECK(!final || !pf_fst_arcs(fst, state).n, "%s: the final state has arcs", given->name);
    }
    CHECK(fst->start == 0 && fst->layered, "%s: starts at %u", given->name, fst->start);
    CHECK(given->n > 0 || states == 1, "%s: %u states", given->name, states);
    for (pf_state state = states; state-- > 0;) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        live[state] = isfinite(pf_fst_final(fst, state));
        for (uint32_t arc = 0; arc < arcs.n; arc++) live[state] |= live[arcs.arc[arc].to];
        CHECK(live[state], "%s: state %u of coverage %llx is dead", given->name, state, (unsigned long long)covered[state]);
    }
    free(covered);
    free(seen);
    free(live);
}

/* ---- Contracts. */

typedef struct {
    const instance *given;
    const pf_con *con;
    unsigned perm[LONGEST];
} prefix;

/* Runs advance() into a room filled with `fill`, so that bytes left unwritten show. */
static size_t advance(const prefix *at, const pf_cover *b, const unsigned char *x, unsigned j, int fill,
                      unsigned char *to) {
    memset(to, fill, at->con->room + 1);
    size_t bytes = pf_con_advance(at->con, b, x, j, to);
    CHECK(bytes <= at->con->room && to[at->con->room] == (unsigned char)fill, "%s: advance() writes past room",
          at->given->name);
    CHECK(pf_con_extent(at->con, to) == bytes, "%s: extent() is %zu, advance() wrote %zu", at->given->name,
          pf_con_extent(at->con, to), bytes);
    return bytes;
}

static void contracts_from(prefix *at, unsigned step, pf_cover b, const unsigned char *x) {
    unsigned next[LONGEST], moves = oracle_moves(&at->given->set, at->perm, step, next);
    pf_cover allowed = ~UINT64_C(0), expected = 0;
    for (unsigned i = 0; i < moves; i++) pf_cover_put(&expected, next[i]);
    SUCCEED(pf_con_allowed(at->con, &b, x, &allowed));
    CHECK(allowed == expected, "%s: after %u moves %llx are allowed, not %llx", at->given->name, step,
          (unsigned long long)allowed, (unsigned long long)expected);
    for (unsigned some = 1; some < 8; some++) { /* positions are judged one by one: what is left of a part is its share */
        pf_cover part = ~b & ((UINT64_C(1) << at->given->n) - 1) & (UINT64_C(0x9249249249249249) * some), before = part;
        SUCCEED(at->con->cls->narrow(at->con, &b, x, &part));
        CHECK(part == (before & expected), "%s: narrow() leaves %llx of %llx", at->given->name, (unsigned long long)part,
              (unsigned long long)before);
    }
    if (at->con->first_gap && step < at->given->n)
        CHECK(pf_cover_has(&allowed, pf_cover_gap(&b, 1, 0)), "%s: first_gap is not kept", at->given->name);
    unsigned char *to = malloc(at->con->room + 1), *again = malloc(at->con->room + 1);
    if (!to || !again) abort();
    for (unsigned i = 0; i < moves; i++) {
        size_t bytes = advance(at, &b, x, at->perm[step] = next[i], 0xAA, to);
        CHECK(bytes == advance(at, &b, x, next[i], 0x55, again) && !memcmp(to, again, bytes),
              "%s: advance() leaves bytes unwritten", at->given->name);
        contracts_from(at, step + 1, b | UINT64_C(1) << next[i], to);
    }
    free(to);
    free(again);
}

void check_contracts(const instance *given, const pf_con *con) {
    prefix at = {.given = given, .con = con};
    unsigned char *x = malloc(con->room + 1);
    if (!x) abort();
    memset(x, 0xAA, con->room + 1);
    size_t bytes = pf_con_start(con, x);
    CHECK(bytes == pf_con_extent(con, x) && bytes <= con->room, "%s: start() wrote %zu bytes", given->name, bytes);
    contracts_from(&at, 0, 0, x);
    free(x);
}
