/* How many permutations and how many states: the figures of the literature and of our definitions, closed forms against
 * what is built, which automata are minimal, and which sets are the same. */
#include "laws.h"

#include <permfst/base/statetab.h>

/* ---- Counts. */

typedef struct {
    const char *con[2];
    double count[10]; /* for 1, 2, ... words; 0: not told */
} count_row;

static void check_counts(const count_row *row) {
    for (unsigned length = 1; length <= LENGTH(row->count); length++) {
        if (!(row->count[length - 1] > 0)) continue;
        pf_fst *fst = lazy(PLAIN, length, row->con, row->con[1] ? 2 : 1, NULL, 0);
        double paths = count_paths(fst, expand(fst, BREADTH));
        CHECK(fabs(paths - row->count[length - 1]) < 0.5, "%s, n = %u: %.0f paths, not %.0f", row->con[0], length, paths,
              row->count[length - 1]);
        pf_fst_free(fst);
    }
}

static void counts_are_those_of_the_table(void **state) {
    (void)state;
    static const count_row row[] = {
        {{"none"}, {1, 2, 6, 24, 120, 720, 5040, 40320}},
        {{"ibm:2"}, {1, 2, 4, 8, 16, 32, 64, 128, 256}},
        {{"ibm:3"}, {1, 2, 6, 18, 54, 162, 486, 1458, 4374}},
        {{"ibm:4"}, {1, 2, 6, 24, 96, 384, 1536, 6144, 24576}},
        {{"inverse-ibm:3"}, {1, 2, 6, 18, 54, 162, 486, 1458, 4374}},
        {{"local:2"}, {1, 2, 3, 5, 8, 13, 21, 34, 55}},
        {{"local:3"}, {1, 2, 6, 12, 25, 57, 124, 268, 588}},
        {{"local:4"}, {1, 2, 6, 24, 60, 150, 399, 1145, 3132}},
        {{"inverse-local:4"}, {1, 2, 6, 24, 60, 150, 399, 1145, 3132}},
        {{"mj:1"}, {1, 2, 3, 5, 8, 13, 21, 34, 55}},
        {{"mj:2"}, {1, 2, 6, 11, 23, 52, 108, 229, 493}},
        {{"mj:3"}, {1, 2, 6, 24, 49, 117, 316, 892, 2196}},
        {{"displacement:2"}, {1, 2, 6, 14, 31, 73, 172, 400, 932}},
        {{"displacement:3"}, {1, 2, 6, 24, 78, 230, 675, 2069, 6404}},
        {{"distortion:2"}, {1, 2, 3, 5, 8, 13, 21, 34, 55}},
        {{"distortion:3"}, {1, 2, 6, 12, 25, 53, 112, 239, 506}},
        {{"distortion:4"}, {1, 2, 6, 24, 60, 150, 375, 989, 2600}},
        {{"distortion:6"}, {1, 2, 6, 24, 120, 720, 2520, 8400, 27384}},
        {{"itg"}, {1, 2, 6, 22, 90, 394, 1806, 8558, 41586, 206098}},
        {{"itg-span:3"}, {1, 2, 6, 11, 23, 52, 108, 229}},
        {{"itg-span:4"}, {1, 2, 6, 22, 45, 107, 284, 768}},
        {{"itg", "ibm:3"}, {1, 2, 6, 16, 42, 112, 300, 804, 2156}},
        {{"ibm:4", "itg"}, {1, 2, 6, 22, 68, 206, 636, 1998, 6292}},
        {{"ibm:3", "inverse-ibm:3"}, {1, 2, 6, 14, 31, 73, 172, 400}}, /* displacement:2 */
        {{"itg", "local:3"}, {1, 2, 6, 11, 23, 52, 108, 229}},         /* itg-span:3 */
        {{"local:4", "itg"}, {1, 2, 6, 22, 45, 107, 284, 768}},        /* itg-span:4 */
    };
    for (size_t i = 0; i < LENGTH(row); i++) check_counts(&row[i]);
}

static void the_raw_jump_limit_counts_the_paths_that_never_get_stuck(void **state) {
    (void)state;
    static const count_row row[] = {
        {{"jump:0"}, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {{"jump:2"}, {1, 2, 4, 7, 11, 19, 33, 57, 97}},
        {{"jump:3"}, {1, 2, 6, 18, 46, 101, 222, 518, 1221}},
        {{"jump:6"}, {0, 0, 0, 0, 0, 720, 4320, 22920, 108336}},
    };
    for (size_t i = 0; i < LENGTH(row); i++) check_counts(&row[i]);
}

/* Zens & Ney 2003: equation 4, the large Schroeder numbers, and their table 1 (itg by ibm:4, one decimal). */
static void counts_follow_zens_and_ney(void **state) {
    (void)state;
    static const double ratio[] = {1.0, 1.2, 1.4, 1.7, 2.1, 2.6, 3.4, 4.3, 5.6, 7.4, 9.8, 13.0, 17.4, 23.3, 31.4};
    double schroeder[20] = {1, 2};
    for (unsigned n = 2; n < 20; n++)
        schroeder[n] = (3 * (2.0 * n - 1) * schroeder[n - 1] - (n - 2.0) * schroeder[n - 2]) / (n + 1.0);
    for (unsigned n = 1; n <= 13; n++) CHECK(fabs(built_paths("itg", n) - schroeder[n - 1]) < 0.5, "itg, n = %u", n);
    for (unsigned length = 6; length <= 20; length++) {
        double ibm = built_paths("ibm:4", length);
        CHECK(fabs(ibm - 24 * pow(4, length - 4.0)) < 0.5, "ibm:4, n = %u: %.0f", length, ibm);
        CHECK(fabs(schroeder[length - 1] / ibm - ratio[length - 6]) < 0.0501, "n = %u: %g, not %g", length,
              schroeder[length - 1] / ibm, ratio[length - 6]);
    }
}

/* ---- The same sets, and sets inside others. */

static pf_con *made(const char *format, unsigned number, unsigned n) {
    char spec[SPEC];
    pf_con *con;
    snprintf(spec, sizeof spec, format, number, number);
    SUCCEED(pf_con_new(spec, n, &con));
    return con;
}

/* How many permutations are only in a, and only in b. */
static void compare(const pf_con *one, const pf_con *other, unsigned *left, unsigned *right) {
    unsigned perm[LONGEST];
    *left = *right = 0;
    oracle_first(perm, one->n);
    do {
        bool x = one->cls->member(one, perm), y = other->cls->member(other, perm);
        *left += x && !y;
        *right += y && !x;
    } while (oracle_next(perm, one->n));
}

/* The sets of two formats; their numbers begin at `least` and differ by `more`. */
static void check_sets(const char *one, const char *other, unsigned least, unsigned more, bool equal) {
    for (unsigned length = 0; length <= LONGEST; length++)
        for (unsigned param = least; param <= length + 1; param++) {
            unsigned left, right;
            pf_con *first = made(one, param, length), *second = made(other, param + more, length);
            compare(first, second, &left, &right);
            CHECK(!left && (!equal || !right), "n = %u, %u: '%s' without '%s' has %u, the other way %u", length, param, one, other,
                  left, right);
            pf_con_free(first);
            pf_con_free(second);
        }
}

static void names_for_the_same_set_have_the_same_members(void **state) {
    (void)state;
    check_sets("displacement:%u", "ibm:%u+inverse-ibm:%u", 0, 1, true);
    check_sets("mj:%u + itg", "itg-span:%u", 0, 1, true);
    check_sets("itg-span:%u", "local:%u+itg", 1, 0, true);
    for (unsigned length = 0; length <= LONGEST; length++) {
        static const char *const fibonacci[] = {"mj:1", "local:2", "distortion:2", "displacement:1", "inverse-local:2"};
        for (size_t at = 1; at < LENGTH(fibonacci); at++) {
            unsigned left, right;
            pf_con *a = made(fibonacci[0], 0, length), *b = made(fibonacci[at], 0, length);
            compare(a, b, &left, &right);
            CHECK(!left && !right, "n = %u: mj:1 and %s differ in %u and %u", length, fibonacci[at], left, right);
            pf_con_free(a);
            pf_con_free(b);
        }
    }
}

static void smaller_sets_are_inside_larger_ones(void **state) {
    (void)state;
    check_sets("mj:%u", "local:%u", 0, 1, false);
    check_sets("mj:%u", "displacement:%u", 0, 0, false);
    check_sets("mj:%u", "ibm:%u", 0, 1, false);
    check_sets("local:%u", "ibm:%u", 1, 0, false);
    check_sets("distortion:%u", "jump:%u", 0, 0, false);
    check_sets("itg-span:%u", "itg-span:%u", 1, 1, false);
}

static void inverses_are_the_known_ones(void **state) {
    (void)state;
    check_sets("inverse:ibm:%u", "inverse-ibm:%u", 1, 0, true);
    check_sets("inverse:inverse-ibm:%u", "ibm:%u", 1, 0, true);
    check_sets("inverse:local:%u", "inverse-local:%u", 1, 0, true);
    check_sets("inverse:inverse-local:%u", "local:%u", 1, 0, true);
    check_sets("inverse:mj:%u", "mj:%u", 0, 0, true);
    check_sets("inverse:displacement:%u", "displacement:%u", 0, 0, true);
    check_sets("inverse:itg-span:%u", "itg-span:%u", 1, 0, true);
    check_sets("inverse:itg", "itg", 0, 0, true);
    check_sets("inverse:none", "none", 0, 0, true);
}

/* Every class of the table that names its inverse, also on permutations that are not involutions. */
static void a_class_admits_what_its_inverse_admits_inverted(void **state) {
    (void)state;
    for (unsigned length = 0; length <= LONGEST; length++) {
        spec_list all = single_specs(length, false);
        for (size_t at = 0; at < all.n; at++) {
            char spec[SPEC + 8];
            pf_con *con, *turned;
            unsigned perm[LONGEST], other[LONGEST];
            snprintf(spec, sizeof spec, "inverse:%s", all.at[at].text);
            if (pf_con_new(spec, length, &turned)) continue; /* no inverse is known */
            SUCCEED(pf_con_new(all.at[at].text, length, &con));
            oracle_first(perm, length);
            do {
                oracle_invert(perm, length, other);
                CHECK(con->cls->member(con, perm) == turned->cls->member(turned, other), "%s, n = %u", spec, length);
            } while (oracle_next(perm, length));
            pf_con_free(con);
            pf_con_free(turned);
        }
        PF_VEC_FREE(&all);
    }
}

/* A test with constraints that are their own inverses alone would not see swapped directions. */
static void ibm_and_local_are_not_their_own_inverses(void **state) {
    (void)state;
    for (unsigned length = 4; length <= LONGEST; length++)
        for (unsigned param = 2; param < length; param++) {
            unsigned left, right;
            pf_con *ibm = made("ibm:%u", param, length), *back = made("inverse-ibm:%u", param, length);
            compare(ibm, back, &left, &right);
            CHECK(left && left == right, "n = %u: ibm:%u and its inverses differ in %u", length, param, left);
            pf_con_free(back);
            back = made("local:%u", param, length);
            compare(ibm, back, &left, &right);
            CHECK(left && !right, "n = %u: local:%u is ibm:%u less %u", length, param, param, left);
            pf_con_free(ibm);
            ibm = made("inverse-local:%u", param, length);
            compare(ibm, back, &left, &right);
            CHECK(left == right && (param < 3 || left), "n = %u: local:%u and its inverses differ in %u", length, param, left);
            pf_con_free(ibm);
            pf_con_free(back);
        }
}

/* ---- Sizes. */

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
        {"none", {{16, 32}, {64, 192}, {256, 1024}, {1024, 5120}, {0}, {0}}},
    };
    for (size_t at = 0; at < LENGTH(row); at++)
        for (size_t k = 0; k < LENGTH(length); k++) {
            if (!row[at].size[k][0]) continue;
            pf_fst *fst = lazy_one(length[k], row[at].con);
            uint32_t states = expand(fst, BREADTH);
            CHECK(states == row[at].size[k][0] && fst->narcs == row[at].size[k][1], "%s, n = %u: %u states, %llu arcs", row[at].con,
                  length[k], states, (unsigned long long)fst->narcs);
            pf_fst_free(fst);
        }
}

static void itg_has_the_known_number_of_futures(void **state) {
    (void)state;
    static const uint32_t known[] = {1, 2, 4, 8, 18, 43, 107, 272, 698, 1799, 4645};
    for (unsigned length = 0; length < LENGTH(known); length++) {
        pf_fst *fst = lazy_one(length, "itg");
        uint32_t states = expand(fst, BREADTH);
        CHECK(states == known[length], "n = %u: %u states, not %u", length, states, known[length]);
        pf_fst_free(fst);
    }
}

static void check_minimal(const char *const *con, size_t cons, unsigned length, uint32_t known) {
    pf_fst *fst = lazy(PLAIN, length, con, cons, NULL, 0);
    uint32_t states = expand(fst, BREADTH), least = futures(fst, states, NULL);
    CHECK(states == least, "%s, n = %u: %u states, but %u are enough", con[0], length, states, least);
    CHECK(!known || states == known, "%s, n = %u: %u states, not %u", con[0], length, states, known);
    pf_fst_free(fst);
}

static void minimal_as_they_stand(void **state) {
    (void)state;
    static const char *const format[] = {"none",    "itg",           "ibm:%u",        "inverse-ibm:%u", "local:%u",
                                         "mj:%u",   "distortion:%u", "inverse-local:%u"};
    for (size_t at = 0; at < LENGTH(format); at++)
        for (unsigned length = 0; length <= 8; length++)
            for (unsigned k = strstr(format[at], "mj") || strstr(format[at], "dist") ? 0 : 1; k <= length + 1; k++) {
                char spec[SPEC];
                const char *con = spec;
                snprintf(spec, sizeof spec, format[at], k);
                check_minimal(&con, 1, length, 0);
            }
}

/* Its states are those of itg+local, of which two may have the same future: the manual says so. */
static void itg_span_is_nearly_minimal(void **state) {
    static const struct {
        unsigned span, n;
        uint32_t states, least;
    } row[] = {{3, 8, 33, 33}, {4, 8, 66, 66}, {5, 6, 74, 72}, {5, 9, 167, 159}};
    (void)state;
    for (size_t at = 0; at < LENGTH(row); at++) {
        char spec[SPEC];
        snprintf(spec, sizeof spec, "itg-span:%u", row[at].span);
        pf_fst *fst = lazy_one(row[at].n, spec);
        uint32_t states = expand(fst, BREADTH), least = futures(fst, states, NULL);
        CHECK(states == row[at].states && least == row[at].least, "%s, n = %u: %u states, %u futures", spec, row[at].n, states,
              least);
        pf_fst_free(fst);
    }
}

static void itg_within_ibm_is_minimal_and_of_the_known_size(void **state) {
    (void)state;
    static const char *const con[] = {"itg", "ibm:4"};
    for (unsigned n = 0; n <= 8; n++) check_minimal(con, 2, n, 0);
    check_minimal(con, 2, 9, 333);
    check_minimal(con, 2, 12, 1004);
    check_minimal(con, 2, 16, 3063);
    check_minimal(con, 2, 20, 7318);
}

/* ---- Look-ahead. */

/* All states of the product of two constraints as it stands, dead ends included. */
static uint32_t product_states(const pf_con *one, const pf_con *other) {
    pf_statetab known;
    unsigned char key[256] = {0}, next[256];
    pf_statetab_init(&known, 0);
    size_t length = sizeof(pf_cover);
    length += pf_con_start(one, key + length);
    length += pf_con_start(other, key + length);
    uint32_t id, done = 0;
    SUCCEED(pf_statetab_intern(&known, key, length, &id, NULL));
    for (; done < known.n; done++) {
        pf_cover cover, set;
        const void *at = pf_statetab_key(&known, done, &length);
        memcpy(key, at, length);
        memcpy(&cover, key, sizeof cover);
        const unsigned char *extra = key + sizeof cover, *other_extra = extra + pf_con_extent(one, extra);
        SUCCEED(pf_con_allowed(one, &cover, extra, &set));
        SUCCEED(other->cls->narrow(other, &cover, other_extra, &set));
        for (unsigned position = 0; position < one->n; position++) {
            if (!pf_cover_has(&set, position)) continue;
            pf_cover after = cover | UINT64_C(1) << position;
            memcpy(next, &after, sizeof after);
            size_t used = sizeof after;
            used += pf_con_advance(one, &cover, extra, position, next + used);
            used += pf_con_advance(other, &cover, other_extra, position, next + used);
            SUCCEED(pf_statetab_intern(&known, next, used, &id, NULL));
        }
    }
    pf_statetab_free(&known);
    return done;
}

static void check_dead(const char *one, const char *other, unsigned length, uint32_t all, uint32_t dead) {
    const char *const con[] = {one, other};
    pf_con *first, *second;
    SUCCEED(pf_con_new(one, length, &first));
    SUCCEED(pf_con_new(other, length, &second));
    uint32_t product = product_states(first, second);
    pf_fst *fst = lazy(PLAIN, length, con, 2, NULL, 0);
    uint32_t live = expand(fst, BREADTH);
    CHECK(product - live == dead && product == all, "%s + %s, n = %u: %u of %u states are dead, not %u of %u", one, other, length,
          product - live, product, dead, all);
    CHECK(pf_fst_space(fst)->looks_ahead && pf_con_probes(pf_fst_space(fst)), "%s + %s: no look-ahead", one, other);
    pf_fst_free(fst);
    pf_con_free(first);
    pf_con_free(second);
}

static void look_ahead_leaves_out_exactly_the_dead_states(void **state) {
    (void)state;
    check_dead("itg", "inverse-ibm:3", 9, 277, 56); /* by stacks they are 648 */
    check_dead("zone:2,6", "inverse-ibm:3", 9, 130, 30);
}

/* The states that members pass through, each a state of itg on the way: the conjunction has those and no more. */
static void look_ahead_leaves_the_states_that_members_pass(void **state) {
    (void)state;
    static const char *const con[] = {"itg", "inverse-ibm:3"};
    for (unsigned length = 0; length <= 8; length++) {
        oracle_set set = oracle_all(con, 2, length);
        pf_fst *itg = lazy_one(length, "itg"), *both = lazy(PLAIN, length, con, 2, NULL, 0);
        uint32_t all = expand(itg, BREADTH), passed = 0;
        bool *seen = calloc(all, 1);
        if (!seen) abort();
        for (size_t i = 0; i < set.count; i++) {
            pf_state from = itg->start;
            seen[from] = true;
            for (unsigned step = 0; step < length; step++) {
                pf_arcs arcs = pf_fst_arcs(itg, from);
                uint32_t arc = 0;
                while (arcs.arc[arc].in != set.at[i * length + step] + 1) arc++;
                seen[from = arcs.arc[arc].to] = true;
            }
        }
        for (uint32_t number = 0; number < all; number++) passed += seen[number];
        uint32_t states = expand(both, BREADTH);
        CHECK(states == passed, "n = %u: %u states, but members pass %u", length, states, passed);
        free(seen);
        free(set.at);
        pf_fst_free(itg);
        pf_fst_free(both);
    }
}

/* ---- Closed forms. */

static void check_told(const char *con, unsigned length) {
    pf_con *told;
    pf_con_size size;
    SUCCEED(pf_con_new(con, length, &told));
    pf_con_size_init(&size);
    pf_con_size_of(told, &size);
    pf_con_free(told);
    if (size.machine || size.count) {
        pf_fst *fst = lazy_one(length, con);
        uint32_t states = expand(fst, BREADTH);
        double paths = count_paths(fst, states);
        CHECK(!size.machine || (mpz_cmp_ui(size.states, states) == 0 && mpz_cmp_ui(size.arcs, fst->narcs) == 0),
              "%s, n = %u: told %g states, %g arcs; built %u, %llu", con, length, mpz_get_d(size.states), mpz_get_d(size.arcs),
              states, (unsigned long long)fst->narcs);
        CHECK(!size.count || mpz_cmp_d(size.paths, paths) == 0, "%s, n = %u: told %g paths, built %g", con, length,
              mpz_get_d(size.paths), paths);
        pf_fst_free(fst);
    }
    pf_con_size_clear(&size);
}

static void closed_forms_are_the_sizes_that_are_built(void **state) {
    (void)state;
    for (unsigned length = 0; length <= 11; length++) {
        spec_list all = single_specs(length, false);
        for (size_t i = 0; i < all.n; i++) check_told(all.at[i].text, length);
        PF_VEC_FREE(&all);
        for (unsigned from = 1; from <= length && length <= 9; from++)
            for (unsigned to = from; to <= length; to++) {
                char spec[SPEC];
                snprintf(spec, sizeof spec, "zone:%u,%u", from, to);
                check_told(spec, length);
                snprintf(spec, sizeof spec, "unit:%u,%u", from, to);
                check_told(spec, length);
                for (unsigned at = from; at <= to; at++) {
                    snprintf(spec, sizeof spec, "wall:%u,%u,%u", at, from, to);
                    check_told(spec, length);
                }
            }
        for (unsigned k = 5; k <= 9; k++) { /* longer windows than those */
            static const char *const name[] = {"ibm", "inverse-ibm", "local", "inverse-local", "mj"};
            for (size_t i = 0; i < LENGTH(name); i++) {
                char spec[SPEC];
                snprintf(spec, sizeof spec, "%s:%u", name[i], k);
                if (length <= 10) check_told(spec, length);
            }
        }
    }
}

enum { STATES, ARCS, PATHS };

/* Is the closed form there, and is it this number? */
static void check_form(const char *spec, unsigned length, int what, const mpz_t expected) {
    pf_con *con;
    pf_con_size size;
    SUCCEED(pf_con_new(spec, length, &con));
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    pf_con_free(con);
    CHECK(what == PATHS ? size.count : size.machine, "%s, n = %u tells no size", spec, length);
    mpz_t *told = what == STATES ? &size.states : what == ARCS ? &size.arcs : &size.paths;
    CHECK(mpz_cmp(*told, expected) == 0, "%s, n = %u: %g, not %g", spec, length, mpz_get_d(*told), mpz_get_d(expected));
    pf_con_size_clear(&size);
}

/* The closed forms of the definitions must exist, also for lengths at which the machine is too large to build. */
static void closed_forms_reach_long_sentences(void **state) {
    (void)state;
    static const struct {
        const char *con;
        unsigned n;
        int what;
        double number;
    } row[] = {
        {"ibm:4", 20, STATES, 6196},         {"ibm:4", 20, ARCS, 23200},          {"ibm:4", 40, STATES, 102091},
        {"ibm:4", 40, ARCS, 396800},         {"ibm:4", 80, STATES, 1666981},      {"inverse-ibm:4", 80, STATES, 1666981},
        {"ibm:2", 200, STATES, 20101},       {"ibm:2", 200, PATHS, 0x1p199},      {"local:4", 80, STATES, 624},
        {"wall:20", 40, STATES, 0x1p21 - 1}, {"wall:20", 40, ARCS, 40 * 0x1p19 },  {"zone:1,10", 30, STATES, 0x1p30},
        {"zone:1,10", 30, ARCS, 5140 * 0x1p20}, {"unit:1,10", 30, STATES, 11 * 0x1p20}, {"unit:1,10", 12, PATHS, 6},
        {"zone:1,10", 12, PATHS, 21772800},  {"wall:10", 11, PATHS, 3628800},
        {"local:7", 40, STATES, 2240},       {"local:7", 40, ARCS, 8896},         {"local:3", 200, STATES, 796},
        {"local:1", 65535, STATES, 65536},   {"none", 40, STATES, 0x1p40},        {"none", 1000, STATES, 0x1p1000},
        {"ibm:1000000", 40, STATES, 0x1p40}, {"inverse-ibm:1", 65535, STATES, 65536}, {"mj:0", 65535, STATES, 65536},
        {"mj:0", 65535, ARCS, 65535},        {"mj:0", 1000, PATHS, 1},            {"mj:1", 200, STATES, 201 + 199},
    };
    mpz_t number;
    mpz_init(number);
    for (size_t at = 0; at < LENGTH(row); at++) {
        mpz_set_d(number, row[at].number);
        check_form(row[at].con, row[at].n, row[at].what, number);
    }
    mpz_clear(number);
}

/* Sums and products only, as far as 200 words. */
static void closed_forms_of_ibm_are_pascals_triangle(void **state) {
    (void)state;
    enum { LENGTHS = 200 };
    static mpz_t row[LENGTHS + 1], before[LENGTHS + 1];
    mpz_t states, arcs, paths;
    mpz_inits(states, arcs, paths, (mpz_ptr)NULL);
    for (unsigned i = 0; i <= LENGTHS; i++) mpz_inits(row[i], before[i], (mpz_ptr)NULL);
    mpz_set_ui(row[0], 1);
    for (unsigned length = 1; length <= LENGTHS; length++) {
        for (unsigned k = 0; k <= length; k++) mpz_set(before[k], row[k]);
        for (unsigned k = 1; k <= length; k++) mpz_add(row[k], before[k], before[k - 1]);
        if (length % 7 && length < LENGTHS - 3) continue;
        mpz_set_ui(states, 1);
        mpz_set_ui(arcs, 0);
        for (unsigned param = 1; param<length; param += length> 20 ? 9 : 1) {
            char spec[SPEC];
            mpz_set_ui(states, 0);
            mpz_set_ui(arcs, 0);
            mpz_set_ui(paths, 1);
            for (unsigned i = 0; i <= param; i++) mpz_add(states, states, row[i]);
            for (unsigned i = 0; i < param; i++) mpz_addmul_ui(arcs, before[i], length);
            for (unsigned i = 1; i <= length; i++) mpz_mul_ui(paths, paths, i < param ? i : param);
            for (unsigned inverse = 0; inverse < 2; inverse++) {
                snprintf(spec, sizeof spec, "%sibm:%u", inverse ? "inverse-" : "", param);
                check_form(spec, length, STATES, states);
                check_form(spec, length, ARCS, arcs);
                check_form(spec, length, PATHS, paths);
            }
        }
    }
    for (unsigned i = 0; i <= LENGTHS; i++) mpz_clears(row[i], before[i], (mpz_ptr)NULL);
    mpz_clears(states, arcs, paths, (mpz_ptr)NULL);
}

/* S(n) = S(n-1) + sum of S(k) S(n-1-k), without a division; and F(n) = F(n-1) + F(n-2) for the Fibonacci numbers. */
static void closed_forms_of_itg_and_of_short_blocks_are_exact(void **state) {
    (void)state;
    enum { LENGTHS = 120 };
    static mpz_t schroeder[LENGTHS], number[LENGTHS + 2];
    static const char *const fibonacci[] = {"mj:1", "local:2", "inverse-local:2"};
    for (unsigned n = 0; n < LENGTHS; n++) mpz_init_set_ui(schroeder[n], n ? 0 : 1);
    for (unsigned n = 0; n < LENGTHS + 2; n++) mpz_init_set_ui(number[n], n < 2);
    for (unsigned length = 1; length < LENGTHS; length++) {
        mpz_set(schroeder[length], schroeder[length - 1]);
        for (unsigned k = 0; k < length; k++) mpz_addmul(schroeder[length], schroeder[k], schroeder[length - 1 - k]);
    }
    for (unsigned n = 2; n < LENGTHS + 2; n++) mpz_add(number[n], number[n - 1], number[n - 2]);
    for (unsigned length = 1; length <= LENGTHS; length++) {
        check_form("itg", length, PATHS, schroeder[length - 1]);
        for (size_t i = 0; i < LENGTH(fibonacci); i++) check_form(fibonacci[i], length, PATHS, number[length]);
    }
    for (unsigned n = 0; n < LENGTHS; n++) mpz_clear(schroeder[n]);
    for (unsigned n = 0; n < LENGTHS + 2; n++) mpz_clear(number[n]);
}

int main(void) {
    const struct CMUnitTest sizes[] = {
        cmocka_unit_test(counts_are_those_of_the_table),
        cmocka_unit_test(the_raw_jump_limit_counts_the_paths_that_never_get_stuck),
        cmocka_unit_test(counts_follow_zens_and_ney),
        cmocka_unit_test(names_for_the_same_set_have_the_same_members),
        cmocka_unit_test(smaller_sets_are_inside_larger_ones),
        cmocka_unit_test(inverses_are_the_known_ones),
        cmocka_unit_test(a_class_admits_what_its_inverse_admits_inverted),
        cmocka_unit_test(ibm_and_local_are_not_their_own_inverses),
        cmocka_unit_test(sizes_are_those_of_the_table),
        cmocka_unit_test(itg_has_the_known_number_of_futures),
        cmocka_unit_test(minimal_as_they_stand),
        cmocka_unit_test(itg_span_is_nearly_minimal),
        cmocka_unit_test(itg_within_ibm_is_minimal_and_of_the_known_size),
        cmocka_unit_test(look_ahead_leaves_out_exactly_the_dead_states),
        cmocka_unit_test(look_ahead_leaves_the_states_that_members_pass),
        cmocka_unit_test(closed_forms_are_the_sizes_that_are_built),
        cmocka_unit_test(closed_forms_reach_long_sentences),
        cmocka_unit_test(closed_forms_of_ibm_are_pascals_triangle),
        cmocka_unit_test(closed_forms_of_itg_and_of_short_blocks_are_exact),
    };
    return cmocka_run_group_tests_name("sizes", sizes, NULL, NULL);
}
