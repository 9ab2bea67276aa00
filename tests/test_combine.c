/* Combining constraints: which conjunctions are known to have no dead ends, unions, differences and inverses, walls and
 * zones, and what a specification may say. */
#include "laws.h"

#include "permute/con_impl.h"

#include <time.h>

/* ---- Conjunctions that need no look-ahead. */

typedef struct {
    const char *con[4];
    size_t cons;
    unsigned n;
} conjunction;

/* Do all states of the machine of n words lead to its end? A state without moves is final to the machine. */
static bool all_live(pf_fst *fst, unsigned n) {
    uint32_t states = expand(fst, BREADTH), dead = 0;
    bool *live = calloc(states, 1);
    unsigned *moves = calloc(states, sizeof *moves);
    if (!live || !moves) abort();
    for (pf_state state = 0; state < states; state++)
        for (uint32_t a = 0; a < pf_fst_arcs(fst, state).n; a++) moves[pf_fst_arcs(fst, state).arc[a].to] = moves[state] + 1;
    for (pf_state state = states; state-- > 0;) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        live[state] = moves[state] == n;
        for (uint32_t a = 0; a < arcs.n; a++) live[state] |= live[arcs.arc[a].to];
        dead += !live[state];
    }
    free(live);
    free(moves);
    return !dead;
}

static void needs_no_look_ahead(const conjunction *c) {
    pf_fst *fst = lazy(PLAIN, c->n, c->con, c->cons, NULL, 0);
    const pf_con *con = pf_fst_space(fst);
    bool live = all_live(fst, c->n);
    CHECK(!con->looks_ahead && live, "n = %u: %s + %s + %s + %s %s", c->n, c->con[0], c->con[1] ? c->con[1] : "",
          c->con[2] ? c->con[2] : "", c->con[3] ? c->con[3] : "", live ? "looks ahead" : "has dead ends");
    CHECK(pf_con_probes(con) == 0, "probes without a look-ahead");
    pf_fst_free(fst);
}

/* The specifications of the classes that have a mark, with parameters from the least on; `most` of each. */
static spec_list small_specs(bool beside_itg, bool first_gap, unsigned most, unsigned n) {
    spec_list all = {0};
    const pf_con_class *cls;
    for (size_t i = 0; (cls = pf_con_at(i)); i++) {
        int least = oracle_least(cls->name);
        if (!(beside_itg && cls->beside_itg) && !(first_gap && cls->first_gap)) continue;
        for (unsigned k = 0; k < most && (int)k + least < (int)n + 1; k++) {
            spec_text s;
            if (!*cls->params && k > 0) break;
            if (!*cls->params) snprintf(s.text, SPEC, "%s", cls->name);
            else if (least < 0 && k >= n) break;
            else snprintf(s.text, SPEC, "%s:%u", cls->name, (unsigned)(least < 0 ? (int)k + 1 : (int)k + least));
            SUCCEED(PF_PUSH(&all, s));
        }
    }
    return all;
}

/* `first` (NULL: nothing) with every one, two and three of the list. */
static void try_triples(const char *first, const spec_list *all, unsigned n) {
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k <= i; k++)
            for (size_t m = 0; m <= k; m++) {
                conjunction c = {.n = n};
                if (first) c.con[c.cons++] = first;
                c.con[c.cons++] = all->at[i].text;
                if (k < i) c.con[c.cons++] = all->at[k].text;
                if (m < k) c.con[c.cons++] = all->at[m].text;
                needs_no_look_ahead(&c);
            }
}

static void one_itg_with_windows_has_no_dead_ends(void **state) {
    (void)state;
    static const char *const name[] = {"none", "ibm", "local", "mj", "distortion"};
    size_t known = 0;
    for (size_t i = 0; pf_con_at(i); i++)
        for (size_t k = 0; k < LENGTH(name); k++)
            known += pf_con_at(i)->beside_itg && !strcmp(name[k], pf_con_at(i)->name);
    CHECK(known == LENGTH(name), "only %zu of those that go beside itg are known", known);
    for (unsigned n = 0; n <= 8; n++) {
        spec_list all = small_specs(true, false, n < 8 ? 5 : 4, n);
        CHECK(n < 4 || all.n > 12, "only %zu go beside itg", all.n);
        try_triples("itg", &all, n);
        PF_VEC_FREE(&all);
    }
}

static void what_allows_the_first_gap_has_no_dead_ends_together(void **state) {
    (void)state;
    for (unsigned n = 0; n <= 7; n++) {
        spec_list all = small_specs(false, true, 3, n);
        CHECK(n < 4 || all.n > 12, "only %zu allow the first gap", all.n);
        try_triples(NULL, &all, n);
        PF_VEC_FREE(&all);
    }
}

static void singles_need_no_look_ahead_but_the_plain_jump_does(void **state) {
    (void)state;
    for (unsigned n = 0; n <= LONGEST; n++) {
        spec_list all = single_specs(n, false);
        for (size_t i = 0; i < all.n; i++) {
            conjunction c = {{all.at[i].text}, 1, n};
            pf_con *con;
            bool ahead = !strncmp(c.con[0], "jump:", 5) && (!n || strtoul(c.con[0] + 5, NULL, 10) < n);
            if (!ahead) needs_no_look_ahead(&c);
            SUCCEED(pf_con_new(c.con[0], n, &con));
            CHECK(con->looks_ahead == ahead, "%s, n = %u", c.con[0], n);
            pf_con_free(con);
        }
        PF_VEC_FREE(&all);
    }
}

/* ---- Walls and zones. */

static const conjunction marked[] = {
    {{"zone:2,5", "zone:3,4"}, 2, 6},           {{"zone:2,5", "unit:3,4", "wall:4,2,5"}, 3, 6},
    {{"zone:1,3", "zone:4,6", "wall:3"}, 3, 6}, {{"unit:1,3", "zone:1,3", "zone:1,2"}, 3, 5},
    {{"wall:2", "wall:4", "wall:1,1,2"}, 3, 5}, {{"unit:2,4", "zone:2,3"}, 2, 5},
    {{"zone:1,6", "zone:2,6", "zone:3,6", "wall:4,3,6"}, 4, 7}, {{"zone:2,4", "zone:2,4"}, 2, 5},
    {{"none", "unit:2,3", "wall:5,4,6"}, 3, 6}, {{"zone:2,3", "wall:3", "none", "unit:5,6"}, 4, 6},
};

static void check_members(const conjunction *c) {
    instance k;
    instance_init(&k, c->n, c->con[0], c->con[1], c->con[2]);
    if (c->cons == 4) { /* an instance has three */
        free(k.set.at);
        k.set = oracle_all(c->con, c->cons, c->n);
        snprintf(k.spec[2], SPEC, "%s+%s", c->con[2], c->con[3]);
    }
    check_paths(&k, NULL, 0);
    free(k.set.at);
}

static void walls_and_nested_zones_need_no_look_ahead(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(marked); i++) {
        needs_no_look_ahead(&marked[i]);
        check_members(&marked[i]);
    }
}

/* Where a wall binds positions inside a zone and outside, entering the zone can lead to a dead end. */
static void walls_that_cut_zones_leave_live_states_only(void **state) {
    (void)state;
    static const conjunction cut[] = {
        {{"wall:2", "zone:2,3"}, 2, 3},     {{"zone:2,4", "wall:3"}, 2, 4},       {{"wall:1,1,2", "zone:2,3"}, 2, 3},
        {{"wall:2,1,3", "zone:3,4"}, 2, 4}, {{"unit:2,4", "wall:2"}, 2, 5},       {{"unit:2,4", "wall:4,3,5"}, 2, 5},
        {{"zone:2,5", "wall:3", "unit:3,4"}, 3, 6}, {{"zone:1,3", "wall:2"}, 2, 5}, {{"wall:2,2,4", "unit:1,2"}, 2, 5},
    };
    for (size_t i = 0; i < LENGTH(cut); i++) {
        pf_fst *fst = lazy(PLAIN, cut[i].n, cut[i].con, cut[i].cons, NULL, 0);
        CHECK(all_live(fst, cut[i].n), "n = %u: %s + %s has dead ends", cut[i].n, cut[i].con[0], cut[i].con[1]);
        pf_fst_free(fst);
        check_members(&cut[i]);
    }
}

static pf_err make(const char *spec, unsigned n) {
    pf_con *con = NULL;
    pf_err err = pf_con_new(spec, n, &con);
    if (!err) pf_con_free(con);
    return err;
}

/* Refused, and the message has both words. */
static void refuse(const char *spec, unsigned n, const char *one, const char *other) {
    CHECK(make(spec, n) == PF_EARG, "'%s', n = %u, is taken", spec, n);
    CHECK(strstr(pf_message(), one) && strstr(pf_message(), other), "'%s': '%s' lacks '%s' or '%s'", spec, pf_message(),
          one, other);
}

static void crossing_zones_are_refused_naming_both(void **state) {
    (void)state;
    static const char *const con[] = {"zone:4,6", "ibm:3", "unit:2,4"};
    pf_con *all = NULL;
    refuse("zone:1,3+zone:2,4", 5, "1 to 3", "2 to 4");
    refuse("unit:3,5+zone:2,4", 5, "3 to 5", "2 to 4");
    refuse("zone:1,5+unit:1,2+itg+zone:2,3", 5, "1 to 2", "2 to 3");
    CHECK(pf_con_all(con, 3, 6, &all) == PF_EARG, "crossing zones are taken");
    CHECK(strstr(pf_message(), "4 to 6") && strstr(pf_message(), "2 to 4"), "%s", pf_message());
    SUCCEED(make("zone:1,3|zone:2,4", 5)); /* one or the other is no crossing */
}

static void marks_past_the_end_are_refused(void **state) {
    (void)state;
    static const char *const spec[] = {"wall:6",     "wall:0",   "wall:2,3,5", "wall:4,1,3", "wall:1,0,3", "wall:1,1,6",
                                       "zone:0,2",   "zone:3,2", "zone:1,6",   "unit:6,6",   "zone:2",     "zone:1,2,3",
                                       "wall:2,3",   "wall",     "unit",       "unit:1,x",   "wall:1,2,3,4", "zone:1,"};
    for (size_t i = 0; i < LENGTH(spec); i++) CHECK(make(spec[i], 5) == PF_EARG, "'%s' is taken", spec[i]);
    SUCCEED(make("wall:5", 5));
    SUCCEED(make("wall:3,3,3", 5));
    SUCCEED(make("zone:1,5", 5));
    SUCCEED(make("unit:5,5", 5));
    CHECK(make("wall:1", 0) == PF_EARG, "a wall in nothing");
}

/* ---- Operators. */

/* ---- Specifications by chance. */

typedef struct {
    uint32_t seed;
    char text[SPEC * 8];
    size_t n;
} writing;

static void write_text(writing *out, const char *text) {
    out->n += (size_t)snprintf(out->text + out->n, sizeof out->text - out->n, "%s", text);
}

static void write_name(writing *out, bool inverse) {
    static const char *const turned[] = {"none",    "itg",             "ibm:2", "ibm:3",          "inverse-ibm:3",
                                         "local:3", "inverse-local:3", "mj:2",  "displacement:2", "itg-span:3"};
    static const char *const straight[] = {"distortion:2", "distortion:3", "jump:2", "jump:3", "zone:2,4", "unit:2,3",
                                           "wall:3,2,4", "wall:1"};
    size_t pick = dice(&out->seed, inverse ? LENGTH(turned) : LENGTH(turned) + LENGTH(straight));
    write_text(out, pick < LENGTH(turned) ? turned[pick] : straight[pick - LENGTH(turned)]);
}

static void write_space(writing *out, unsigned depth, bool inverse);

static void write_atom(writing *out, unsigned depth, bool inverse) {
    unsigned kind = depth ? dice(&out->seed, 5) : 0;
    if (kind == 1) {
        write_text(out, "inverse:");
        write_atom(out, depth - 1, true);
    } else if (kind > 2) {
        write_text(out, "(");
        write_space(out, depth - 1, inverse);
        write_text(out, ")");
    } else write_name(out, inverse);
}

static void write_space(writing *out, unsigned depth, bool inverse) {
    static const char *const operator[] = {"+", "+", "|", "-", " | ", " - "};
    write_atom(out, depth, inverse);
    for (unsigned i = dice(&out->seed, 3); i; i--) {
        write_text(out, operator[dice(&out->seed, LENGTH(operator))]);
        write_atom(out, depth ? depth - 1 : 0, inverse);
    }
}

/* Is the set what the oracle says? One operand of a union can be empty although the union is not; that is refused, too. */
static bool check_random(const char *spec, unsigned n) {
    pf_con *con;
    instance k;
    pf_err err = pf_con_new(spec, n, &con);
    if (err) CHECK(err == PF_EARG && strstr(pf_message(), "no permutation is left"), "'%s': %s", spec, pf_message());
    instance_init(&k, n, "none", NULL, NULL);
    free(k.set.at);
    k.set = oracle_all(&spec, 1, n);
    k.con[0] = spec;
    snprintf(k.name, NAME, "%.120s, n = %u", spec, n);
    CHECK(err ? !k.set.count || strchr(spec, '|') : k.set.count > 0, "'%s', n = %u: %zu members, error %d", spec, n,
          k.set.count, err);
    if (!err) {
        unsigned perm[LONGEST];
        oracle_first(perm, n);
        do CHECK(con->cls->member(con, perm) == (oracle_find(&k.set, perm) != SIZE_MAX), "%s: member()", k.name);
        while (oracle_next(perm, n));
        check_contracts(&k, con);
        check_paths(&k, NULL, 0);
        pf_con_free(con);
    }
    free(k.set.at);
    return !err;
}

static void random_specifications_are_what_they_say(void **state) {
    (void)state;
    unsigned taken = 0;
    enum { TRIES = 1500 };
    for (uint32_t i = 0; i < TRIES; i++) {
        writing w = {.seed = 7919 * i + 1};
        dice(&w.seed, 2);
        write_space(&w, 3, false);
        if (w.n < SPEC * 4) taken += check_random(w.text, 4 + i % 3);
    }
    CHECK(taken > TRIES / 3, "only %u of %d are no empty difference", taken, TRIES);
}

/* ---- How specifications are read. */

/* The second has all its brackets: it shows how the first is read. */
static void operators_bind_as_the_grammar_says(void **state) {
    (void)state;
    static const char *const pair[][2] = {
        {"ibm:2|itg+local:2", "ibm:2|(itg+local:2)"},
        {"none-itg+local:4", "none-(itg+local:4)"},
        {"itg-ibm:2-local:2", "(itg-ibm:2)-local:2"},
        {"itg-ibm:2|local:2", "(itg-ibm:2)|local:2"},
        {"ibm:2|none-itg", "(ibm:2|none)-itg"},
        {"inverse:local:3+ibm:2", "(inverse:local:3)+ibm:2"},
        {"inverse:local:3|ibm:2", "(inverse:local:3)|ibm:2"},
        {"inverse:(inverse:local:3)", "local:3"},
        {"inverse-ibm:3-inverse-local:2", "(inverse-ibm:3)-(inverse-local:2)"},
        {"itg-itg-span:2", "(itg)-(itg-span:2)"},
        {"itg-span:3-itg-span:2", "(itg-span:3)-(itg-span:2)"},
        {" itg \t+ ibm:3 ", "itg+ibm:3"},
        {"( itg | ibm:2 )-( mj:1 )", "(itg|ibm:2)-mj:1"},
    };
    for (size_t i = 0; i < LENGTH(pair); i++)
        for (unsigned n = 4; n <= 6; n++) {
            pf_con *one, *other;
            unsigned perm[LONGEST];
            SUCCEED(pf_con_new(pair[i][0], n, &one));
            SUCCEED(pf_con_new(pair[i][1], n, &other));
            oracle_first(perm, n);
            do {
                bool in = one->cls->member(one, perm);
                CHECK(in == other->cls->member(other, perm) && in == oracle_member(pair[i][0], perm, n) &&
                          in == oracle_member(pair[i][1], perm, n),
                      "'%s' and '%s' differ", pair[i][0], pair[i][1]);
            } while (oracle_next(perm, n));
            pf_con_free(one);
            pf_con_free(other);
        }
}

static void an_empty_difference_is_refused_naming_both_sides(void **state) {
    (void)state;
    refuse("ibm:2-ibm:3", 5, "'ibm:2'", "'ibm:3'");
    refuse("mj:1 - local:2", 6, "'mj:1'", "'local:2'");
    refuse("itg-(itg|ibm:2)", 5, "'itg'", "'itg|ibm:2'");
    refuse("ibm:2+itg-local:4", 4, "'ibm:2+itg'", "'local:4'");
    refuse("none-ibm:5", 5, "'none'", "'ibm:5'");
    refuse("inverse:ibm:2-inverse-ibm:2", 5, "'inverse:ibm:2'", "'inverse-ibm:2'");
    refuse("none-none", 0, "'none'", "'none'");
    refuse("(ibm:2-ibm:2)|(none-none)", 5, "(ibm:2-ibm:2)|(none-none)", "5 positions");
    SUCCEED(make("(ibm:2-ibm:2)|itg", 5)); /* one side of a union may be empty */
    SUCCEED(make("none-ibm:4", 5)); /* as long as something is left */
}

/* Constraints that are not empty can have an empty conjunction. */
static void an_empty_conjunction_of_differences_is_refused(void **state) {
    (void)state;
    static const char *const con[] = {"ibm:3-itg", "itg", "none"};
    pf_con *all = NULL;
    refuse("(ibm:3-itg)+itg", 5, "5 positions", "ibm:3-itg");
    CHECK(pf_con_all(con, 3, 5, &all) == PF_EARG, "an empty conjunction is taken");
    CHECK(strstr(pf_message(), "ibm:3-itg") && strstr(pf_message(), "itg"), "%s", pf_message());
}

static void an_unknown_inverse_lists_the_known_ones(void **state) {
    (void)state;
    static const char *const none[] = {"distortion:2", "jump:2", "wall:2", "zone:1,2", "unit:1,2", "(itg+distortion:2)"};
    for (size_t i = 0; i < LENGTH(none); i++) {
        char spec[SPEC];
        snprintf(spec, sizeof spec, "inverse:%s", none[i]);
        CHECK(make(spec, 5) == PF_EARG && pf_con_check(spec) == PF_EARG, "'%s' is taken", spec);
        for (size_t k = 0; pf_con_at(k); k++)
            CHECK(!pf_con_at(k)->inverse || strstr(pf_message(), pf_con_at(k)->name), "%s: %s", spec, pf_message());
    }
    refuse("inverse:distortion:2", 5, "'distortion'", "inverse-local:L");
    SUCCEED(make("inverse:inverse:distortion:2", 5)); /* which is no inverse */
}

static void broken_specifications_are_refused(void **state) {
    (void)state;
    static const char *const spec[] = {"+",        "itg+",       "|itg",     "itg|",          "itg-",       "-itg",
                                       "(itg",     "itg)",       "()",       "itg ibm:2",     "itg++ibm:2", "inverse:",
                                       "inverse",  "inverse:(",  "(itg))",   "itg+(ibm:2",    "itg,ibm:2",  "itg&ibm:2",
                                       "itgs",     "itg-spam:2", "ibm:2:3",  "ibm:2+",        "mj",         "mj:-1",
                                       "distortion:1.5", "itg-span:0", "inverse-local:0", "jump:", "displacement:x", "  "};
    for (size_t i = 0; i < LENGTH(spec); i++) {
        CHECK(make(spec[i], 5) == PF_EARG && *pf_message(), "'%s' is taken", spec[i]);
        CHECK(pf_con_check(spec[i]) == PF_EARG, "'%s' passes pf_con_check", spec[i]);
    }
}

static void nesting_ends(void **state) {
    (void)state;
    char spec[256] = "";
    for (unsigned i = 0; i < 20; i++) strcat(spec, "(");
    strcat(spec, "itg");
    for (unsigned i = 0; i < 20; i++) strcat(spec, ")");
    SUCCEED(make(spec, 5));
    memset(spec, '(', 200);
    CHECK(make(spec, 5) == PF_EARG, "200 parentheses are taken");
    spec[100] = 0;
    strcat(spec, "itg");
    memset(spec + 103, ')', 100);
    spec[203] = 0;
    CHECK(make(spec, 5) == PF_EARG, "100 parentheses are taken");
}

static void a_check_without_a_length_takes_what_some_length_takes(void **state) {
    (void)state;
    static const char *const spec[] = {"itg|ibm:2",        "ibm:3-ibm:2", "zone:3,9+wall:7", "inverse:(local:3|mj:2)",
                                       "jump:3|itg",       "none-zone:1,5", "wall:5|unit:2,3"};
    for (size_t i = 0; i < LENGTH(spec); i++) SUCCEED(pf_con_check(spec[i]));
}

/* No sentence is that long, so it is not checked whether a difference leaves a permutation. */
static void a_check_without_a_length_searches_nothing(void **state) {
    (void)state;
    clock_t begin = clock();
    SUCCEED(pf_con_check("(ibm:3-local:3)|itg"));
    SUCCEED(pf_con_check("ibm:2+(jump:3|none-itg)"));
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    CHECK(seconds < 0.5, "two checks took %g s", seconds);
}

/* ---- A constraint that exists stays as it is when it becomes part of another one. */

static void conjunctions_of_made_constraints_are_those_of_their_specifications(void **state) {
    (void)state;
    static const char *const con[][3] = {{"jump:2", "itg", "none"},
                                         {"itg|ibm:2", "jump:3", "inverse-ibm:3"},
                                         {"ibm:3-itg", "local:4", "jump:4"},
                                         {"itg+inverse-ibm:3", "zone:2,4", "wall:3,2,4"}};
    for (size_t i = 0; i < LENGTH(con); i++)
        for (unsigned n = 4; n <= LONGEST; n++) {
            instance k;
            instance_init(&k, n, con[i][0], con[i][1], con[i][2]);
            pf_con *made = con_of(con[i], 3, n), *again[] = {made, NULL}, *twice;
            check_contracts(&k, made);
            SUCCEED(pf_con_new("none", n, &again[1]));
            SUCCEED(pfi_con_and(again, 2, n, &twice));
            check_contracts(&k, twice);
            pf_con_free(twice);
            free(k.set.at);
        }
}

int main(void) {
    const struct CMUnitTest combine[] = {
        cmocka_unit_test(one_itg_with_windows_has_no_dead_ends),
        cmocka_unit_test(what_allows_the_first_gap_has_no_dead_ends_together),
        cmocka_unit_test(singles_need_no_look_ahead_but_the_plain_jump_does),
        cmocka_unit_test(walls_and_nested_zones_need_no_look_ahead),
        cmocka_unit_test(walls_that_cut_zones_leave_live_states_only),
        cmocka_unit_test(crossing_zones_are_refused_naming_both),
        cmocka_unit_test(marks_past_the_end_are_refused),
        cmocka_unit_test(random_specifications_are_what_they_say),
        cmocka_unit_test(operators_bind_as_the_grammar_says),
        cmocka_unit_test(an_empty_difference_is_refused_naming_both_sides),
        cmocka_unit_test(an_empty_conjunction_of_differences_is_refused),
        cmocka_unit_test(an_unknown_inverse_lists_the_known_ones),
        cmocka_unit_test(broken_specifications_are_refused),
        cmocka_unit_test(nesting_ends),
        cmocka_unit_test(a_check_without_a_length_takes_what_some_length_takes),
        cmocka_unit_test(a_check_without_a_length_searches_nothing),
        cmocka_unit_test(conjunctions_of_made_constraints_are_those_of_their_specifications),
    };
    return cmocka_run_group_tests_name("combine", combine, NULL, NULL);
}
