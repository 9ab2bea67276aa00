/* The laws of permutation automata, held against brute force (oracle.h).
 *
 * Every entry of the table of constraints is tried alone, with several parameters, in all pairs and in some triples, with
 * operators between, so a new entry is tested before its author writes a test; what it needs is its definition in oracle.c.
 * Sizes, combinations, weights and what else a class can do have files of their own. */
#include "laws.h"

#include "permute/con_impl.h"

/* ---- 1. What member() says. */

static void member_is_the_definition(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        const instance *one = &cases.at[i];
        pf_con *con;
        SUCCEED(pf_con_all(one->con, one->cons, one->n, &con));
        unsigned perm[LONGEST];
        oracle_first(perm, one->n);
        do
            CHECK(con->cls->member(con, perm) == (oracle_find(&one->set, perm) != SIZE_MAX), "%s: %u%u%u%u%u%u%u (from 0)",
                  one->name, perm[0], one->n > 1 ? perm[1] : 0, one->n > 2 ? perm[2] : 0, one->n > 3 ? perm[3] : 0,
                  one->n > 4 ? perm[4] : 0, one->n > 5 ? perm[5] : 0, one->n > 6 ? perm[6] : 0);
        while (oracle_next(perm, one->n));
        pf_con_free(con);
    }
}

/* ---- Contracts. */

static void constraints_keep_their_contracts(void **state) {
    (void)state;
    for (size_t at = 0; at < cases.n; at++) {
        pf_con *con = con_of(cases.at[at].con, cases.at[at].cons, cases.at[at].n);
        check_contracts(&cases.at[at], con);
        pf_con_free(con);
    }
}

/* A constraint of the test's own, with a byte of state and with dead ends: no jump of more than `param` positions. */
static size_t near_start(const pf_con *con, unsigned char *x) {
    x[0] = (unsigned char)(16 * con->param); /* which tells the parts' bytes apart; + 1 + the position visited last */
    return 1;
}

static pf_err near_narrow(const pf_con *con, const pf_cover *cover, const unsigned char *x, pf_cover *out) {
    int last = x[0] - 16 * (int)con->param - 1, most = (int)con->param;
    (void)cover;
    for (int j = 0; j < (int)con->n; j++)
        if (last >= 0 && abs(j - last) > most) pf_cover_drop(out, (unsigned)j);
    return PF_OK;
}

static size_t near_advance(const pf_con *con, const pf_cover *cover, const unsigned char *x, unsigned j,
                           unsigned char *to) {
    (void)cover, (void)x;
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
    for (unsigned length = 0; length <= 6; length++)
        for (unsigned order = 0; order < 3; order++) {
            instance one = {.n = length, .set = oracle_all(spec, 2, length)};
            snprintf(one.name, NAME, "itg, ibm:4 and near in order %u, n = %u", order, length);
            keep_near(&one.set, 2);
            pf_con *part[4] = {NULL}, *con = NULL;
            SUCCEED(pf_con_new("itg", length, &part[order]));
            SUCCEED(pf_con_new("ibm:4", length, &part[(order + 1) % 3]));
            part[(order + 2) % 3] = near_of(length, 2);
            part[3] = near_of(length, 3);
            SUCCEED(pfi_con_and(part, 4, length, &con));
            CHECK(con->looks_ahead, "%s: no look-ahead", one.name);
            check_contracts(&one, con);
            pf_con_free(con);
            free(one.set.at);
        }
}

/* ---- 2. The paths are the members, each once. */

static void paths_are_the_members_each_once(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) check_paths(&cases.at[i], NULL, 0);
}

/* ---- 3. Shape. */

static void states_are_live_and_layered(void **state) {
    (void)state;
    for (size_t at = 0; at < cases.n; at++) {
        pf_fst *plain = lazy_case(&cases.at[at], PLAIN, NULL);
        pf_fst *many = lazy_case(&cases.at[at], ALTERNATIVES, "monotone:0.7");
        check_shape(&cases.at[at], plain);
        check_shape(&cases.at[at], many);
        pf_fst_free(plain);
        pf_fst_free(many);
    }
}

static void there_is_one_final_state(void **state) {
    (void)state;
    for (size_t at = 0; at < cases.n; at++) {
        pf_fst *fst = lazy_case(&cases.at[at], PLAIN, NULL);
        uint32_t finals = count_finals(fst, expand(fst, BREADTH));
        CHECK(finals == 1, "%s: %u final states", cases.at[at].name, finals);
        pf_fst_free(fst);
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
    for (size_t at = 0; at < set->count; at++)
        for (unsigned step = 0; step < set->n; step++)
            all[at * (set->n + 1) + step + 1] = all[at * (set->n + 1) + step] | UINT64_C(1) << set->at[at * set->n + step];
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < n; i++) distinct += !i || all[i] != all[i - 1];
    free(all);
    return distinct;
}

/* Are the states of this constraint its coverages? */
static bool is_window(const char *spec) {
    static const char *const name[] = {"none", "ibm", "inverse-ibm", "local", "displacement", "wall", "zone", "unit"};
    size_t length = strcspn(spec, ":");
    bool is_name = false;
    for (size_t i = 0; i < LENGTH(name); i++)
        is_name = is_name || (length == strlen(name[i]) && !strncmp(spec, name[i], length));
    return is_name && !strpbrk(spec + length, "|+-");
}

static void window_constraints_have_a_state_for_each_coverage(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.n; i++) {
        const instance *one = &cases.at[i];
        bool window = true;
        for (size_t m = 0; m < one->cons; m++) window = window && is_window(one->con[m]);
        if (!window) continue;
        pf_fst *fst = lazy_case(one, PLAIN, "monotone:0.7");
        uint32_t states = expand(fst, BREADTH);
        CHECK(states == coverages(&one->set), "%s: %u states, %zu coverages", one->name, states, coverages(&one->set));
        pf_fst_free(fst);
    }
}

/* ---- 4. Orders of expansion. */

/* Checks that two machines are equal up to the numbering of their states; both are expanded. */
static void check_same(const instance *one, pf_fst *fst, pf_fst *other, uint32_t states) {
    pf_state *twin = malloc(states * sizeof *twin);
    if (!twin) abort();
    for (uint32_t i = 0; i < states; i++) twin[i] = PF_NO_STATE;
    twin[fst->start] = other->start;
    for (pf_state state = 0; state < states; state++) { /* a is numbered breadth-first */
        pf_arcs arcs = pf_fst_arcs(fst, state), others = pf_fst_arcs(other, twin[state]);
        float fx = pf_fst_final(fst, state), fy = pf_fst_final(other, twin[state]);
        CHECK(arcs.n == others.n && !memcmp(&fx, &fy, sizeof fx), "%s: state %u", one->name, state);
        for (uint32_t at = 0; at < arcs.n; at++) {
            CHECK(arcs.arc[at].in == others.arc[at].in && arcs.arc[at].out == others.arc[at].out &&
                      !memcmp(&arcs.arc[at].w, &others.arc[at].w, sizeof(float)),
                  "%s: state %u, arc %u", one->name, state, at);
            if (twin[arcs.arc[at].to] == PF_NO_STATE) twin[arcs.arc[at].to] = others.arc[at].to;
            CHECK(twin[arcs.arc[at].to] == others.arc[at].to, "%s: state %u, arc %u: one state became two", one->name, state, at);
        }
    }
    free(twin);
}

static void the_order_of_expansion_changes_nothing(void **state) {
    (void)state;
    for (size_t at = 0; at < cases.n; at++) {
        const instance *one = &cases.at[at];
        int kind = at % 3 ? ALTERNATIVES : PLAIN;
        pf_fst *fst[] = {lazy_case(one, kind, "monotone:0.7"), lazy_case(one, kind, "monotone:0.7"),
                         lazy_case(one, kind, "monotone:0.7")};
        uint32_t states = expand(fst[0], BREADTH);
        CHECK(expand(fst[1], DEPTH) == states && expand(fst[2], RANDOM) == states, "%s", one->name);
        check_same(one, fst[0], fst[1], states);
        check_same(one, fst[0], fst[2], states);
        for (unsigned m = 0; m < 3; m++) pf_fst_free(fst[m]);
    }
}

/* ---- 5. Alternatives. */

typedef struct {
    const instance *k;
    pf_fst *f;
    const char *wm;
    unsigned char *seen; /* [member][choice of alternatives] */
    size_t choices, paths;
    unsigned p[LONGEST];
} choosing;

/* The alternative of slot j that an arc stands for: the cheapest of several with the same labels; 99: none. */
static unsigned alternative(unsigned position, pf_label out, double own) {
    for (unsigned k = 0; k < alternatives(ALTERNATIVES, position); k++)
        if (word(ALTERNATIVES, position, k) == out && fabs((double)own_cost(ALTERNATIVES, position, k) - own) < 1e-5) return k;
    return 99;
}

/* `choice` numbers the alternatives in mixed radix, slot 0 lowest, so that it does not depend on the order of visits. */
static void choose_from(choosing *chooser, pf_state state, unsigned step, size_t choice, double cost, double expected) {
    const instance *one = chooser->k;
    pf_arcs arcs = pf_fst_arcs(chooser->f, state);
    for (uint32_t arc = 0; arc < arcs.n; arc++) {
        unsigned position = chooser->p[step] = (unsigned)arcs.arc[arc].in - 1;
        double w = (double)arcs.arc[arc].w,
               move = chooser->wm ? oracle_move_cost(&one->set, chooser->wm, NULL, chooser->p, step) : 0;
        unsigned i = alternative(position, arcs.arc[arc].out, w - move);
        CHECK(i != 99, "%s: position %u has no word %d for %g", one->name, position + 1, arcs.arc[arc].out, w - move);
        size_t radix = 1;
        for (unsigned m = 0; m < position; m++) radix *= alternatives(ALTERNATIVES, m);
        choose_from(chooser, arcs.arc[arc].to, step + 1, choice + i * radix, cost + w,
                    expected + (double)own_cost(ALTERNATIVES, position, i));
    }
    if (isinf(pf_fst_final(chooser->f, state))) return;
    size_t rank = oracle_find(&one->set, chooser->p);
    CHECK(rank != SIZE_MAX && !chooser->seen[rank * chooser->choices + choice]++, "%s: a path too many", one->name);
    chooser->paths++;
    expected += (double)own_final(ALTERNATIVES) + (chooser->wm ? oracle_cost(&one->set, chooser->wm, NULL, chooser->p) : 0);
    CHECK(fabs(cost + (double)pf_fst_final(chooser->f, state) - expected) < 1e-5, "%s: %.9g, not %.9g", one->name, cost, expected);
}

static void choose_case(const instance *one, const char *wm) {
    choosing chooser = {.k = one, .f = lazy_case(one, ALTERNATIVES, wm), .wm = wm, .choices = 1};
    for (unsigned j = 0; j < one->n; j++) chooser.choices *= alternatives(ALTERNATIVES, j);
    chooser.seen = calloc(one->set.count * chooser.choices, 1);
    if (!chooser.seen) abort();
    choose_from(&chooser, chooser.f->start, 0, 0, 0, 0);
    SUCCEED(pf_fst_error(chooser.f));
    CHECK(chooser.paths == one->set.count * chooser.choices, "%s: %zu paths for %zu members of %zu choices", one->name,
          chooser.paths, one->set.count, chooser.choices);
    free(chooser.seen);
    pf_fst_free(chooser.f);
}

static void alternatives_multiply_the_paths_and_keep_their_costs(void **state) {
    (void)state;
    for (size_t at = 0; at < cases.n; at++)
        if (cases.at[at].n <= 5) {
            choose_case(&cases.at[at], NULL);
            choose_case(&cases.at[at], "monotone:0.7");
        }
}

static void alternatives_share_the_states_of_their_slot(void **state) {
    (void)state;
    for (size_t at = 0; at < cases.n; at++) {
        pf_fst *one = lazy_case(&cases.at[at], PLAIN, NULL), *many = lazy_case(&cases.at[at], ALTERNATIVES, NULL);
        CHECK(expand(one, BREADTH) == expand(many, BREADTH), "%s", cases.at[at].name);
        pf_fst_free(one);
        pf_fst_free(many);
    }
}

static void an_acceptor_has_the_word_on_both_sides(void **state) {
    (void)state;
    pf_perm_spec spec = {.acceptor = true};
    pf_fst *linear = slots(ALTERNATIVES, 4), *fst = NULL;
    SUCCEED(pf_perm_lazy(linear, &spec, &fst));
    pf_fst_free(linear);
    uint32_t states = expand(fst, BREADTH), words[8] = {0};
    CHECK(states == 16 && fst->narcs == 8 * 7, "%u states, %llu arcs", states, (unsigned long long)fst->narcs);
    for (pf_state from = 0; from < states; from++)
        for (uint32_t at = 0; at < pf_fst_arcs(fst, from).n; at++) {
            const pf_arc *arc = &pf_fst_arcs(fst, from).arc[at];
            CHECK(arc->in == arc->out, "%d : %d", arc->in, arc->out);
            for (unsigned position = 0, i = 0; position < 4; position++)
                for (unsigned k = 0; k < alternatives(ALTERNATIVES, position); k++, i++)
                    words[i] += word(ALTERNATIVES, position, k) == arc->in;
        }
    static const uint32_t expected[] = {8, 8, 8, 16, 8, 16, 8}; /* slot 2 has a word twice */
    CHECK(!memcmp(words, expected, sizeof expected), "each word is visited from 8 coverages");
    pf_fst_free(fst);
}

/* ---- 6. Long sentences, and only what is asked for. */

static void only_what_is_asked_for_is_built(void **state) {
    (void)state;
    static const char *const wm[] = {"monotone:0.7"};
    pf_fst *fst = lazy(PLAIN, LONG, NULL, 0, wm, 1);
    CHECK(fst->expanded == 0, "%llu states before anybody asks", (unsigned long long)fst->expanded);
    pf_arcs arcs = pf_fst_arcs(fst, fst->start);
    CHECK(arcs.n == LONG && fst->expanded == 1 && fst->narcs == LONG, "%u arcs, %llu states", arcs.n,
          (unsigned long long)fst->expanded);
    for (uint32_t i = 0; i < LONG; i++) CHECK(arcs.arc[i].in == (pf_label)i + 1, "arc %u visits %d", i, arcs.arc[i].in);
    pf_fst_arcs(fst, arcs.arc[150].to);
    pf_fst_arcs(fst, arcs.arc[150].to);
    CHECK(fst->expanded == 2 && fst->narcs == LONG + LONG - 1, "%llu states", (unsigned long long)fst->expanded);
    pf_fst_free(fst);
}

typedef struct {
    const char *con[2];
    double states[5]; /* at 63, 64, 65, 128 and 200 words; 0: too many to build */
    double paths[5];  /* 0: not known */
} long_row;

/* A path by `choose` (NULL: the identity): at every state the moves are those of the last constraint's definition. */
static void long_walk(const long_row *row, pf_fst *fst, unsigned length, uint32_t *seed) {
    unsigned perm[LONG];
    const char *window = row->con[1] ? row->con[1] : row->con[0]; /* inside itg where both are asked for */
    pf_state state = fst->start;
    for (unsigned step = 0; step < length; step++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        uint32_t arc = 0;
        for (unsigned position = 0; position < length; position++) {
            perm[step] = position;
            bool there = arc < arcs.n && arcs.arc[arc].in == (pf_label)position + 1;
            CHECK(there == oracle_step(window, perm, step), "%s, n = %u: position %u after %u moves", row->con[0], length,
                  position + 1, step);
            arc += there;
        }
        CHECK(arc == arcs.n && arc > 0, "%s, n = %u: %u of %u moves", row->con[0], length, arc, arcs.n);
        for (arc = 0; !seed && arcs.arc[arc].in != (pf_label)step + 1; arc++) CHECK(arc + 1 < arcs.n, "the identity is a member");
        if (seed) arc = dice(seed, arcs.n);
        perm[step] = (unsigned)arcs.arc[arc].in - 1;
        CHECK(isinf(pf_fst_final(fst, state)), "%s, n = %u: final after %u moves", row->con[0], length, step);
        state = arcs.arc[arc].to;
    }
    CHECK(isfinite(pf_fst_final(fst, state)) && !pf_fst_arcs(fst, state).n, "%s, n = %u: the path does not end", row->con[0],
          length);
    for (unsigned i = 0; i < 2 && row->con[i]; i++)
        CHECK(oracle_member(row->con[i], perm, length), "%s, n = %u", row->con[i], length);
    CHECK(pf_fst_space(fst)->cls->member(pf_fst_space(fst), perm), "%s, n = %u: member() denies a path", row->con[0], length);
}

static void check_long(const long_row *row, unsigned length, double states, double paths) {
    pf_fst *fst = lazy(PLAIN, length, row->con, row->con[1] ? 2 : 1, NULL, 0);
    uint32_t seed = length;
    long_walk(row, fst, length, NULL);
    CHECK(fst->expanded == length + 1, "%s, n = %u: a walk expanded %llu states", row->con[0], length,
          (unsigned long long)fst->expanded);
    for (int i = 0; i < 3; i++) long_walk(row, fst, length, &seed);
    pf_fst_free(fst);
    if (!(states > 0)) return;
    fst = lazy(PLAIN, length, row->con, row->con[1] ? 2 : 1, NULL, 0);
    uint32_t built = expand(fst, BREADTH);
    CHECK(fabs(built - states) < 0.5, "%s, n = %u: %u states, not %.0f", row->con[0], length, built, states);
    double counted = count_paths(fst, built);
    CHECK(!(paths > 0) || fabs(counted / paths - 1) < 1e-12, "%s, n = %u: %g paths, not %g", row->con[0], length, counted, paths);
    pf_fst_free(fst);
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

/* What is left after p[0..t], appended: the rest of the zone i..j (from 1) if it has been entered, then all in order. */
static void complete(unsigned *perm, unsigned step, unsigned n, unsigned i, unsigned position) {
    bool seen[LONG] = {false}, entered = false;
    unsigned end = step + 1;
    for (unsigned k = 0; k <= step; k++) {
        seen[perm[k]] = true;
        entered = entered || (perm[k] + 1 >= i && perm[k] + 1 <= position);
    }
    for (unsigned k = i; entered && k <= position; k++)
        if (!seen[k - 1]) seen[perm[end++] = k - 1] = true;
    for (unsigned k = 0; k < n; k++)
        if (!seen[k]) perm[end++] = k;
}

/* For constraints whose states can all be completed in this way: a move is allowed iff the completed permutation is a member. */
static bool completes(const char *spec, unsigned *perm, unsigned step, unsigned length) {
    unsigned i = 1, j = 0;
    for (unsigned m = 0; m < step; m++)
        if (perm[m] == perm[step]) return false;
    is_zone(spec, &i, &j);
    complete(perm, step, length, i, j);
    return oracle_member(spec, perm, length);
}

static void long_moves_complete(const char *spec, unsigned length, uint32_t seed) {
    pf_fst *fst = lazy_one(length, spec);
    pf_state state = fst->start;
    unsigned perm[LONG];
    for (unsigned step = 0; step < length; step++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (unsigned arc = 0, k = 0; k < length && step % 5 == seed % 5; k++) {
            bool there = arc < arcs.n && arcs.arc[arc].in == (pf_label)k + 1;
            arc += there;
            perm[step] = k;
            CHECK(there == completes(spec, perm, step, length), "%s, n = %u: position %u after %u moves", spec, length, k + 1,
                  step);
        }
        const pf_arc *next = &arcs.arc[dice(&seed, 3) ? dice(&seed, arcs.n) : arcs.n - 1]; /* far ones more often */
        perm[step] = (unsigned)next->in - 1;
        state = next->to;
    }
    CHECK(oracle_member(spec, perm, length), "%s, n = %u: no member", spec, length);
    pf_fst_free(fst);
}

static void long_sentences_allow_what_can_be_completed(void **state) {
    (void)state;
    static const char *const spec[] = {"mj:2",            "mj:70",            "distortion:4",    "distortion:70",
                                       "inverse-local:3", "inverse-local:66", "wall:40",         "wall:64,50,100",
                                       "zone:10,20",      "zone:60,80",       "unit:63,66",      "unit:100,104",
                                       "displacement:70", "inverse:local:65", "ibm:66",          "inverse-ibm:66"};
    for (size_t i = 0; i < LENGTH(spec); i++)
        for (uint32_t seed = 0; seed < 2; seed++) long_moves_complete(spec[i], seed ? 128 : 110, seed);
}

/* Paths by chance are members, wherever a word of 64 positions ends. */
static void long_paths_are_members(void **state) {
    (void)state;
    static const char *const spec[] = {
        "jump:3+mj:5", "displacement:3",       "itg-span:5",        "itg",          "itg|ibm:3",
        "ibm:3-ibm:2", "jump:4+ibm:3|local:3", "itg+inverse-ibm:2", "mj:4-local:4", "none-itg",
        "inverse:(itg|local:4)", "zone:3,70+wall:66,3,70",
    };
    static const unsigned length[] = {63, 64, 65, 70, 128, 129};
    for (size_t at = 0; at < LENGTH(spec); at++)
        for (size_t k = 0; k < LENGTH(length); k++) {
            unsigned words = length[k], perm[LONG];
            uint32_t seed = words;
            if (words < 70 && strstr(spec[at], "70")) continue;
            pf_fst *fst = lazy_one(words, spec[at]);
            pf_state from = fst->start;
            for (unsigned step = 0; step < words; step++) {
                pf_arcs arcs = pf_fst_arcs(fst, from);
                SUCCEED(pf_fst_error(fst));
                CHECK(arcs.n, "%s, n = %u: stuck after %u moves", spec[at], words, step);
                const pf_arc *next = &arcs.arc[dice(&seed, arcs.n)];
                perm[step] = (unsigned)next->in - 1;
                from = next->to;
            }
            bool slow = strstr(spec[at], "itg-span"); /* for the oracle */
            CHECK(oracle_member(slow ? "itg+mj:4" : spec[at], perm, words), "%s, n = %u: no member", spec[at], words);
            CHECK(pf_fst_space(fst)->cls->member(pf_fst_space(fst), perm), "%s, n = %u: member() denies a path", spec[at], words);
            pf_fst_free(fst);
        }
}

/* ---- 7. Specifications. */

static void refuse_con(const char *spec) {
    pf_con *con = NULL;
    pf_perm_spec both = {&spec, 1, NULL, 0, false};
    CHECK(pf_con_new(spec, 5, &con) == PF_EARG && *pf_message(), "'%s' is taken", spec);
    CHECK(pf_perm_check(&both) == PF_EARG, "'%s' passes pf_perm_check", spec);
    pf_fst *linear = slots(PLAIN, 3), *f = NULL;
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
    size_t at = 0;
    refuse_con("nonesuch:4");
    for (; pf_con_at(at); at++) CHECK(strstr(pf_message(), pf_con_at(at)->name), "%s: %s", pf_con_at(at)->name, pf_message());
    CHECK(at >= 5, "the table has %zu constraints", at);
    refuse_wm("nonesuch:4");
    for (at = 0; pf_wm_at(at); at++) CHECK(strstr(pf_message(), pf_wm_at(at)->name), "%s: %s", pf_wm_at(at)->name, pf_message());
    CHECK(at >= 1, "the table has %zu weight models", at);
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
        cmocka_unit_test(states_are_live_and_layered),
        cmocka_unit_test(there_is_one_final_state),
        cmocka_unit_test(window_constraints_have_a_state_for_each_coverage),
        cmocka_unit_test(the_order_of_expansion_changes_nothing),
        cmocka_unit_test(alternatives_multiply_the_paths_and_keep_their_costs),
        cmocka_unit_test(alternatives_share_the_states_of_their_slot),
        cmocka_unit_test(an_acceptor_has_the_word_on_both_sides),
        cmocka_unit_test(only_what_is_asked_for_is_built),
        cmocka_unit_test(long_sentences_keep_the_laws),
        cmocka_unit_test(long_sentences_allow_what_can_be_completed),
        cmocka_unit_test(long_paths_are_members),
        cmocka_unit_test(bad_specifications_are_refused),
        cmocka_unit_test(an_unknown_name_lists_the_known_ones),
        cmocka_unit_test(a_parameter_of_the_length_or_more_is_no_limit),
        cmocka_unit_test(a_parameter_past_32_bits_does_not_wrap),
    };
    return cmocka_run_group_tests_name("laws", laws, make_cases, drop_cases);
}
