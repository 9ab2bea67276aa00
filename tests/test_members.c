/* What classes of constraints know besides the automaton: the least parameter that admits a permutation, why a permutation is not
 * admitted, drawing members, and that the states of itg are the futures of a parser's stacks. */
#include "laws.h"

#include "itg_stacks.h"

#include <permfst/base/statetab.h>
#include "permute/con_impl.h"

/* ---- The least parameter. */

/* The constraints of a class for each parameter from the least on, up to one without effect. */
typedef struct {
    const pf_con_class *cls;
    unsigned n, least, last;
    pf_con *con[LONG];
} ladder;

static ladder ladder_of(const pf_con_class *cls, unsigned n) {
    ladder rungs = {.cls = cls, .n = n, .least = (unsigned)oracle_least(cls->name), .last = n + 1};
    for (unsigned k = rungs.least; k <= rungs.last; k++) {
        char spec[SPEC];
        snprintf(spec, sizeof spec, "%s:%u", cls->name, k);
        SUCCEED(pf_con_new(spec, n, &rungs.con[k]));
    }
    return rungs;
}

static void ladder_free(ladder *rungs) {
    for (unsigned k = rungs->least; k <= rungs->last; k++) pf_con_free(rungs->con[k]);
}

static void check_least(const ladder *rungs, const unsigned *perm) {
    unsigned room[2 * LONG + 2], k = rungs->least;
    uint64_t told = 99;
    memset(room, 0xAA, sizeof room);
    while (k <= rungs->last && !rungs->con[k]->cls->member(rungs->con[k], perm)) k++;
    bool found = rungs->cls->least(perm, rungs->n, room, &told);
    CHECK(found == (k <= rungs->last) && (!found || told == k), "%s, n = %u, %u %u %u %u ... (from 0): told %d %llu, found %u",
          rungs->cls->name, rungs->n, perm[0], perm[1], perm[2], perm[3], found, (unsigned long long)told, k);
    for (unsigned i = 2 * rungs->n + 2; i < LENGTH(room); i++) CHECK(room[i] == 0xAAAAAAAA, "%s uses more room", rungs->cls->name);
}

static void least_is_the_first_parameter_that_admits(void **state) {
    (void)state;
    const pf_con_class *cls;
    size_t tried = 0;
    for (size_t i = 0; (cls = pf_con_at(i)); i++) {
        if (!cls->least) continue;
        tried++;
        for (unsigned n = 0; n <= LONGEST; n++) {
            ladder rungs = ladder_of(cls, n);
            unsigned perm[LONGEST] = {0};
            oracle_first(perm, n);
            do check_least(&rungs, perm);
            while (oracle_next(perm, n));
            ladder_free(&rungs);
        }
    }
    CHECK(tried >= 9, "only %zu classes know it", tried);
}

/* A random member of a class of 40 positions: drawn where it can be, else swaps of near ones. */
static void random_order(unsigned kind, unsigned n, uint32_t *seed, gmp_randstate_t random, unsigned *perm) {
    static const char *const from[] = {"itg", "ibm:4", "inverse-ibm:3", "none"};
    oracle_first(perm, n);
    if (kind < LENGTH(from)) {
        pf_con *con;
        SUCCEED(pf_con_new(from[kind], n, &con));
        SUCCEED(con->cls->draw(con, random, perm));
        pf_con_free(con);
    } else
        for (unsigned i = 0; i < 2 * n; i++) {
            unsigned a = dice(seed, n - 3), b = a + 1 + dice(seed, 3), x = perm[a];
            perm[a] = perm[b];
            perm[b] = x;
        }
}

static bool is_involution(const unsigned *perm, unsigned n) {
    for (unsigned step = 0; step < n; step++)
        if (perm[perm[step]] != step) return false;
    return true;
}

static void least_holds_for_long_permutations(void **state) {
    (void)state;
    enum { N = 40, EACH = 12, KINDS = 6 };
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, 5);
    const pf_con_class *cls;
    for (size_t i = 0; (cls = pf_con_at(i)); i++) {
        if (!cls->least) continue;
        ladder rungs = ladder_of(cls, N);
        uint32_t seed = 3, involutions = 0;
        for (unsigned k = 0; k < EACH * KINDS; k++) {
            unsigned perm[N];
            if (k % KINDS == KINDS - 1) shuffle(perm, N, &seed);
            else random_order(k % KINDS, N, &seed, random, perm);
            check_least(&rungs, perm);
            involutions += is_involution(perm, N);
        }
        CHECK(involutions < 3, "%u involutions", involutions);
        ladder_free(&rungs);
    }
    gmp_randclear(random);
}

/* ---- Ranges of steps. */

/* Of all members: the least and the most position that each step visits. */
typedef struct {
    unsigned least[LONGEST], most[LONGEST], members;
} visited_range;

static visited_range range_of_members(const pf_con *con) {
    visited_range range = {{0}, {0}, 0};
    unsigned perm[LONGEST] = {0};
    oracle_first(perm, con->n);
    do {
        if (!con->cls->member(con, perm)) continue;
        for (unsigned step = 0; step < con->n; step++) {
            if (!range.members || perm[step] < range.least[step]) range.least[step] = perm[step];
            if (perm[step] > range.most[step]) range.most[step] = perm[step];
        }
        range.members++;
    } while (oracle_next(perm, con->n));
    return range;
}

/* Nothing is visited outside the range. With `close` its ends are visited. */
static unsigned check_ranges(const char *name, const pf_con *con, bool close) {
    const visited_range range = range_of_members(con);
    unsigned narrowed = 0;
    for (unsigned step = 0; range.members && step < con->n; step++) {
        unsigned least = 99, most = 99;
        pf_con_range(con, step, &least, &most);
        CHECK(least <= range.least[step] && most >= range.most[step] && most < con->n,
              "%s, n = %u, step %u: %u to %u, members %u to %u",
              name, con->n, step, least, most, range.least[step], range.most[step]);
        CHECK(!close || (least == range.least[step] && most == range.most[step]), "%s, n = %u, step %u: %u to %u, members %u to %u",
              name, con->n, step, least, most, range.least[step], range.most[step]);
        narrowed += least > 0 || most + 1 < con->n;
    }
    return narrowed;
}

static void ranges_have_what_members_visit(void **state) {
    unsigned narrowed = 0;
    (void)state;
    for (unsigned n = 1; n <= LONGEST; n++) {
        const char *text;
        spec_list all = single_specs(n, false);
        for (size_t i = 0; i < all.n; i++) {
            pf_con *con;
            SUCCEED(pf_con_new(all.at[i].text, n, &con));
            narrowed += check_ranges(all.at[i].text, con, con->cls->range && !con->cls->parts && !con->looks_ahead);
            pf_con_free(con);
        }
        for (size_t i = 0; (text = combination(i, n)); i++) {
            pf_con *con;
            SUCCEED(pf_con_new(text, n, &con));
            narrowed += check_ranges(text, con, false);
            pf_con_free(con);
        }
        PF_VEC_FREE(&all);
    }
    CHECK(narrowed > 500, "only %u steps are narrowed", narrowed);
}

/* ---- Constraints that sort. */

static bool is_member(const pf_con *con, const unsigned *perm) { return con->cls->member(con, perm); }

/* Is every permutation a member that comes of one by putting two positions in order? */
static bool members_can_be_sorted(const pf_con *con) {
    unsigned perm[LONGEST] = {0};
    bool all = true;
    oracle_first(perm, con->n);
    do {
        if (!is_member(con, perm)) continue;
        for (unsigned step = 1; step < con->n; step++)
            for (unsigned s = 0; s < step; s++) {
                const unsigned first = perm[s], second = perm[step];
                if (first < second) continue;
                perm[s] = second;
                perm[step] = first;
                all = all && is_member(con, perm);
                perm[s] = first;
                perm[step] = second;
            }
    } while (oracle_next(perm, con->n));
    return all;
}

static unsigned check_sorts(const char *name, unsigned n) {
    pf_con *con;
    SUCCEED(pf_con_new(name, n, &con));
    const bool sorts = pf_con_sorts(con);
    CHECK(!sorts || members_can_be_sorted(con), "%s does not sort %u positions", name, n);
    pf_con_free(con);
    return sorts;
}

static void constraints_that_sort_have_the_sorted_members(void **state) {
    unsigned sorting = 0, others = 0;
    (void)state;
    for (unsigned n = 2; n <= 6; n++) {
        const char *text;
        spec_list all = single_specs(n, false);
        for (size_t i = 0; i < all.n; i++) *(check_sorts(all.at[i].text, n) ? &sorting : &others) += 1;
        for (size_t i = 0; (text = combination(i, n)); i++) *(check_sorts(text, n) ? &sorting : &others) += 1;
        PF_VEC_FREE(&all);
    }
    CHECK(sorting > 100 && others > 50, "%u sort, %u do not", sorting, others);
}

/* ---- Why not. */

/* The state before the first move that is refused; false: no move is refused. */
typedef struct {
    pf_cover b;
    unsigned char x[512];
    unsigned step;
} place;

static bool refused_at(const pf_con *con, const unsigned *perm, place *at) {
    unsigned char to[512];
    memset(at, 0, sizeof *at);
    pf_con_start(con, at->x);
    for (; at->step < con->n; at->step++) {
        pf_cover set;
        SUCCEED(pf_con_allowed(con, &at->b, at->x, &set));
        if (!pf_cover_has(&set, perm[at->step])) return true;
        size_t n = pf_con_advance(con, &at->b, at->x, perm[at->step], to);
        memcpy(at->x, to, n);
        pf_cover_put(&at->b, perm[at->step]);
    }
    return false;
}

/* Asks with plenty of room and with little: nothing is written past the room, and the text ends with a NUL. */
static void ask_why(const pf_con *con, const unsigned *perm, const place *at, char words[256]) {
    for (size_t room = 256; room > 0; room = room == 256 ? 20 : room == 20 ? 1 : 0) {
        char got[256 + 8];
        memset(got, 'x', sizeof got);
        con->cls->why(con, &at->b, at->x, perm, at->step, 1, got, room);
        CHECK(memchr(got, 0, room), "%s: no end within %zu bytes", con->cls->name, room);
        for (size_t i = room; i < sizeof got; i++) CHECK(got[i] == 'x', "%s writes past %zu bytes", con->cls->name, room);
        if (room == 256) memcpy(words, got, 256);
    }
}

static void why_says_something_about_every_first_refused_step(void **state) {
    (void)state;
    for (unsigned n = 1; n <= 6; n++) {
        spec_list all = single_specs(n, false);
        for (size_t i = 0; i < all.n; i++) {
            pf_con *con; /* without a completion test around it, which would hide the class */
            unsigned perm[LONGEST];
            char words[256] = "";
            place at;
            SUCCEED(pfi_con_parse(all.at[i].text, n, &con));
            oracle_first(perm, n);
            do {
                if (!con->cls->why || !refused_at(con, perm, &at)) continue;
                ask_why(con, perm, &at, words);
                CHECK(*words, "%s, n = %u: nothing is said", all.at[i].text, n);
            } while (oracle_next(perm, n));
            pf_con_free(con);
        }
        PF_VEC_FREE(&all);
    }
}

/* Four positions, visited in the order in which they stand in `words`, that are the pattern it names. */
static void check_pattern(const unsigned *perm, unsigned step, const char *words) {
    unsigned v[4];
    char name[5] = "", order[5] = "";
    int read = sscanf(words, "%u, %u, %u and later %u would be a %4s", &v[0], &v[1], &v[2], &v[3], name);
    CHECK(read == 5, "'%s'", words);
    unsigned first = 0, second = 0;
    while (first < step && perm[first] + 1 != v[0]) first++;
    while (second < step && perm[second] + 1 != v[1]) second++;
    CHECK(first < second && second < step && perm[step] + 1 == v[2], "%s: not in this order", words);
    for (unsigned i = 0; i <= step; i++) CHECK(perm[i] + 1 != v[3], "%s: that one is not later", words);
    for (unsigned i = 0; i < 4; i++) {
        unsigned rank = 1;
        for (unsigned k = 0; k < 4; k++) rank += v[k] < v[i];
        order[i] = (char)('0' + rank);
    }
    CHECK(!strcmp(order, name) && (!strcmp(name, "2413") || !strcmp(name, "3142")), "%s: they are a %s", words, order);
}

static void itg_names_a_forbidden_pattern_for_every_non_member(void **state) {
    (void)state;
    for (unsigned n = 0; n <= 7; n++) {
        pf_con *itg;
        unsigned perm[LONGEST], asked = 0;
        SUCCEED(pf_con_new("itg", n, &itg));
        oracle_first(perm, n);
        do {
            place at;
            char words[256];
            bool refused = refused_at(itg, perm, &at);
            CHECK(refused == !oracle_member("itg", perm, n), "n = %u: a step is%s refused", n, refused ? "" : " not");
            if (!refused) continue;
            ask_why(itg, perm, &at, words);
            check_pattern(perm, at.step, words);
            asked++;
        } while (oracle_next(perm, n));
        CHECK(n < 4 || asked, "n = %u: nobody asked", n);
        pf_con_free(itg);
    }
}

/* ---- Drawing. */

/* The value that chi-square with `k` degrees of freedom passes with probability one in a million (Wilson and Hilferty). */
static double one_in_a_million(double k) {
    double z = 4.7534, v = 2 / (9 * k);
    return k * pow(1 - v + z * sqrt(v), 3);
}

static double chi_square(const size_t *cell, size_t cells, double expected) {
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        double off = (double)cell[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

enum { PER_CELL = 200 };

/* Draws members, and checks that each is one; returns the statistic of how often each was drawn. */
static double draw_all(const char *spec, unsigned n, const oracle_set *set, gmp_randstate_t random) {
    pf_con *con;
    unsigned perm[ORACLE_MAX];
    size_t *cell = calloc(set->count, sizeof *cell);
    if (!cell) abort();
    SUCCEED(pf_con_new(spec, n, &con));
    CHECK(con->cls->draw, "%s draws nothing", spec);
    for (size_t i = 0; i < PER_CELL * set->count; i++) {
        memset(perm, 0xAA, sizeof perm);
        SUCCEED(con->cls->draw(con, random, perm));
        size_t rank = oracle_find(set, perm);
        CHECK(rank != SIZE_MAX, "%s, n = %u draws %u %u %u ... (from 0), no member", spec, n, perm[0], perm[1], perm[2]);
        cell[rank]++;
    }
    double statistic = chi_square(cell, set->count, PER_CELL);
    pf_con_free(con);
    free(cell);
    return statistic;
}

static void draws_are_members_and_all_alike(void **state) {
    (void)state;
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, 12345);
    size_t tried = 0;
    for (unsigned n = 1; n <= 6; n++) {
        spec_list all = single_specs(n, false);
        for (size_t i = 0; i < all.n; i++) {
            const char *spec = all.at[i].text;
            pf_con *con;
            SUCCEED(pf_con_new(spec, n, &con));
            bool draws = con->cls->draw != NULL;
            pf_con_free(con);
            if (!draws) continue;
            oracle_set set = oracle_all(&spec, 1, n);
            double statistic = draw_all(spec, n, &set, random), most = one_in_a_million((double)set.count - 1);
            CHECK(set.count < 2 || statistic < most, "%s, n = %u: chi-square %g for %zu members, at most %g", spec, n,
                  statistic, set.count, most);
            tried += n == 5;
            free(set.at);
        }
        PF_VEC_FREE(&all);
    }
    CHECK(tried >= 12, "only %zu constraints draw", tried);
    gmp_randclear(random);
}

/* The test can fail: choosing the moves uniformly does not draw separable permutations uniformly. */
static void choosing_moves_uniformly_is_noticed(void **state) {
    (void)state;
    enum { N = 5 };
    static const char *const itg[] = {"itg"};
    oracle_set set = oracle_all(itg, 1, N);
    size_t *cell = calloc(set.count, sizeof *cell);
    uint32_t seed = 11;
    if (!cell) abort();
    for (size_t i = 0; i < PER_CELL * set.count; i++) {
        unsigned perm[N], next[N];
        for (unsigned step = 0; step < N; step++) {
            unsigned moves = oracle_moves(&set, perm, step, next);
            perm[step] = next[dice(&seed, moves)];
        }
        cell[oracle_find(&set, perm)]++;
    }
    double statistic = chi_square(cell, set.count, PER_CELL);
    CHECK(statistic > one_in_a_million((double)set.count - 1), "chi-square %g", statistic);
    free(cell);
    free(set.at);
}

static void long_draws_are_members(void **state) {
    (void)state;
    static const char *const spec[] = {"itg", "none", "ibm:1", "ibm:7", "inverse-ibm:5", "ibm:1000000"};
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, 8);
    for (size_t i = 0; i < LENGTH(spec); i++)
        for (unsigned n = 0; n <= 120; n += 40) {
            pf_con *con;
            unsigned perm[128], involutions = 0;
            SUCCEED(pf_con_new(spec[i], n, &con));
            for (unsigned k = 0; k < 4; k++) {
                SUCCEED(con->cls->draw(con, random, perm));
                bool seen[128] = {false};
                for (unsigned step = 0; step < n; step++) {
                    CHECK(perm[step] < n && !seen[perm[step]], "%s, n = %u: no permutation", spec[i], n);
                    seen[perm[step]] = true;
                }
                CHECK(oracle_member(spec[i], perm, n), "%s, n = %u: no member", spec[i], n);
                involutions += is_involution(perm, n);
            }
            CHECK(!n || !strcmp(spec[i], "ibm:1") || !involutions, "%s, n = %u: %u involutions", spec[i], n, involutions);
            pf_con_free(con);
        }
    gmp_randclear(random);
}

/* ---- The states of itg are what stacks have for a future. */

/* A stack with the canonical state that the same moves lead to. */
typedef struct {
    pf_cover b;
    unsigned char stack[64], state[128];
    size_t stack_n, state_n;
} twin;

typedef struct {
    pf_con *stacks, *itg;
    pf_statetab by_stack;
    PF_VEC(twin) at;
    PF_VEC(uint32_t) future; /* of each; filled from the last to the first */
} twins;

/* Enters a twin if its stack is new; returns its number. The same stack has always the same canonical state. */
static uint32_t meet(twins *met, const twin *one) {
    unsigned char key[sizeof one->b + sizeof one->stack];
    uint32_t id;
    int fresh;
    memcpy(key, &one->b, sizeof one->b);
    memcpy(key + sizeof one->b, one->stack, one->stack_n);
    SUCCEED(pf_statetab_intern(&met->by_stack, key, sizeof one->b + one->stack_n, &id, &fresh));
    if (fresh) SUCCEED(PF_PUSH(&met->at, *one));
    const twin *old = &met->at.at[id];
    CHECK(old->state_n == one->state_n && !memcmp(old->state, one->state, one->state_n), "a stack has two canonical states");
    return id;
}

static twin after(const twins *met, const twin *one, unsigned j) {
    twin next = {.b = one->b | UINT64_C(1) << j};
    next.stack_n = pf_con_advance(met->stacks, &one->b, one->stack, j, next.stack);
    next.state_n = pf_con_advance(met->itg, &one->b, one->state, j, next.state);
    return next;
}

static pf_cover moves_of(const twins *met, const twin *one) {
    pf_cover stacks, canonical;
    SUCCEED(pf_con_allowed(met->stacks, &one->b, one->stack, &stacks));
    SUCCEED(pf_con_allowed(met->itg, &one->b, one->state, &canonical));
    CHECK(stacks == canonical, "n = %u, coverage %llx: stacks allow %llx, canonical states %llx", met->itg->n,
          (unsigned long long)one->b, (unsigned long long)stacks, (unsigned long long)canonical);
    return stacks;
}

/* All stacks, breadth first, so moves lead to later ones. */
static twins meet_all(unsigned n) {
    twins met = {.stacks = itg_stacks(n)};
    SUCCEED(pf_con_new("itg", n, &met.itg));
    CHECK(met.stacks->room <= sizeof(((twin *)0)->stack) && met.itg->room <= sizeof(((twin *)0)->state), "room for %u", n);
    pf_statetab_init(&met.by_stack, 0);
    twin first = {0};
    first.stack_n = pf_con_start(met.stacks, first.stack);
    first.state_n = pf_con_start(met.itg, first.state);
    meet(&met, &first);
    for (size_t i = 0; i < met.at.n; i++) {
        pf_cover moves = moves_of(&met, &met.at.at[i]);
        for (unsigned j = 0; j < n; j++) {
            if (!pf_cover_has(&moves, j)) continue;
            twin next = after(&met, &met.at.at[i], j);
            meet(&met, &next);
        }
    }
    return met;
}

static void part(twins *met) {
    pf_con_free(met->stacks);
    pf_con_free(met->itg);
    pf_statetab_free(&met->by_stack);
    PF_VEC_FREE(&met->at);
    PF_VEC_FREE(&met->future);
}

static void stacks_allow_the_same_moves_and_are_more(void **state) {
    (void)state;
    static const size_t known[] = {1, 2, 4, 9, 23, 64, 186, 551, 1645, 4926, 14768};
    for (unsigned n = 0; n < LENGTH(known); n++) {
        twins met = meet_all(n);
        CHECK(met.at.n == known[n], "n = %u: %zu stacks, not %zu", n, met.at.n, known[n]);
        part(&met);
    }
}

/* Numbers futures from the end: a move and the future it leads to, for each move. */
static void find_futures(twins *met) {
    pf_statetab known;
    pf_statetab_init(&known, 0);
    for (size_t i = 0; i < met->at.n; i++) SUCCEED(PF_PUSH(&met->future, 0));
    for (size_t i = met->at.n; i-- > 0;) {
        uint32_t key[2 * ORACLE_MAX], n = 0;
        pf_cover moves = moves_of(met, &met->at.at[i]);
        for (unsigned j = 0; j < met->itg->n; j++) {
            if (!pf_cover_has(&moves, j)) continue;
            twin next = after(met, &met->at.at[i], j);
            key[n++] = j;
            key[n++] = met->future.at[meet(met, &next)];
        }
        SUCCEED(pf_statetab_intern(&known, key, n * sizeof *key, &met->future.at[i], NULL));
    }
    pf_statetab_free(&known);
}

/* The canonical bytes stand beside the coverage, as in a state of the automaton. */
static void equal_canonical_states_are_equal_futures(void **state) {
    (void)state;
    for (unsigned n = 0; n <= 8; n++) {
        twins met = meet_all(n);
        find_futures(&met);
        for (size_t i = 0; i < met.at.n; i++)
            for (size_t k = 0; k < i; k++) {
                const twin *a = &met.at.at[i], *b = &met.at.at[k];
                bool same = a->b == b->b && a->state_n == b->state_n && !memcmp(a->state, b->state, a->state_n);
                CHECK(same == (met.future.at[i] == met.future.at[k]), "n = %u: stacks %zu and %zu, of coverages %llx and %llx",
                      n, i, k, (unsigned long long)a->b, (unsigned long long)b->b);
            }
        part(&met);
    }
}

/* Paths by chance, far from what can be enumerated. */
static void long_stacks_allow_the_same_moves(void **state) {
    (void)state;
    static const unsigned length[] = {63, 64, 65, 128, 200};
    for (size_t i = 0; i < LENGTH(length) * 6; i++) {
        unsigned n = length[i % LENGTH(length)], nw = pf_cover_words(n);
        pf_con *con[2] = {itg_stacks(n), NULL};
        SUCCEED(pf_con_new("itg", n, &con[1]));
        unsigned char x[2][8 * LONG], to[8 * LONG];
        pf_cover cover[4] = {0}, moves[2][4];
        uint32_t seed = (uint32_t)i;
        for (unsigned side = 0; side < 2; side++) {
            CHECK(con[side]->room <= sizeof to && con[side]->room > 0, "room for %u", n);
            pf_con_start(con[side], x[side]);
        }
        for (unsigned step = 0; step < n; step++) {
            for (unsigned side = 0; side < 2; side++) SUCCEED(pf_con_allowed(con[side], cover, x[side], moves[side]));
            CHECK(!memcmp(moves[0], moves[1], nw * sizeof **moves), "n = %u: other moves after %u", n, step);
            unsigned j = pf_cover_next(moves[0], nw, 0), skip = dice(&seed, pf_cover_count(moves[0], nw));
            while (skip--) j = pf_cover_next(moves[0], nw, j + 1);
            for (unsigned side = 0; side < 2; side++) {
                size_t bytes = pf_con_advance(con[side], cover, x[side], j, to);
                CHECK(bytes <= con[side]->room, "n = %u: %zu bytes", n, bytes);
                memcpy(x[side], to, bytes);
            }
            pf_cover_put(cover, j);
        }
        for (unsigned side = 0; side < 2; side++) pf_con_free(con[side]);
    }
}

int main(void) {
    const struct CMUnitTest members[] = {
        cmocka_unit_test(least_is_the_first_parameter_that_admits),
        cmocka_unit_test(least_holds_for_long_permutations),
        cmocka_unit_test(ranges_have_what_members_visit),
        cmocka_unit_test(constraints_that_sort_have_the_sorted_members),
        cmocka_unit_test(why_says_something_about_every_first_refused_step),
        cmocka_unit_test(itg_names_a_forbidden_pattern_for_every_non_member),
        cmocka_unit_test(draws_are_members_and_all_alike),
        cmocka_unit_test(choosing_moves_uniformly_is_noticed),
        cmocka_unit_test(long_draws_are_members),
        cmocka_unit_test(stacks_allow_the_same_moves_and_are_more),
        cmocka_unit_test(equal_canonical_states_are_equal_futures),
        cmocka_unit_test(long_stacks_allow_the_same_moves),
    };
    return cmocka_run_group_tests_name("members", members, NULL, NULL);
}
