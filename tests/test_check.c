/* Membership, least parameters and explanations, against the definitions and the automata, on all orders of a few
 * positions. */
#include "check.h"

#include <permfst/permute/check.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6 };

static void first(unsigned *perm, unsigned n) {
    for (unsigned i = 0; i < n; i++) perm[i] = i;
}

static bool next(unsigned *perm, unsigned length) {
    unsigned at = length, position = length;
    while (at > 1 && perm[at - 2] > perm[at - 1]) at--;
    if (at < 2) return false;
    while (perm[position - 1] < perm[at - 2]) position--;
    unsigned x = perm[at - 2];
    perm[at - 2] = perm[position - 1];
    perm[position - 1] = x;
    for (position = length; at < position; at++, position--) {
        x = perm[at - 1];
        perm[at - 1] = perm[position - 1];
        perm[position - 1] = x;
    }
    return true;
}

static bool member(const char *spec, const unsigned *perm, unsigned n) {
    pf_con *con;
    SUCCEED(pf_con_new(spec, n, &con));
    bool yes = con->cls->member(con, perm);
    pf_con_free(con);
    return yes;
}

/* The least parameter admits p, and the one below it, if there is one, does not. If there is no least
 * parameter, no parameter admits p. */
static void check_least(const pf_con_class *cls, const unsigned *perm, unsigned length) {
    uint64_t param, lowest;
    bool inside;
    char spec[80];
    SUCCEED(pf_check_least(cls, &(unsigned){0}, 1, &inside, &lowest));
    SUCCEED(pf_check_least(cls, perm, length, &inside, &param));
    for (uint64_t limit = lowest; limit <= length + 1; limit++) {
        snprintf(spec, sizeof spec, "%s:%llu", cls->name, (unsigned long long)limit);
        CHECK(member(spec, perm, length) == (inside && limit >= param), "%s, n = %u: %llu", spec, length,
              (unsigned long long)param);
    }
}

static void least_parameters_are_tight(void **state) {
    unsigned perm[MOST];
    (void)state;
    for (size_t at = 0; pf_con_at(at); at++)
        for (unsigned length = 0; pf_con_at(at)->least && length < MOST; length++) {
            first(perm, length);
            do check_least(pf_con_at(at), perm, length);
            while (next(perm, length));
        }
}

/* Walks the automaton without dead ends: the first step that it refuses (n: none), and what it allows there. */
static unsigned walk(const pf_con *con, const unsigned *perm, pf_cover *allowed) {
    unsigned char x[2][4096] = {{0}};
    pf_cover cover = 0;
    unsigned step = 0;
    assert_true(con->room <= sizeof *x);
    pf_con_start(con, x[0]);
    for (; step < con->n; pf_cover_put(&cover, perm[step++])) {
        SUCCEED(pf_con_allowed(con, &cover, x[step % 2], allowed));
        if (!pf_cover_has(allowed, perm[step])) break;
        pf_con_advance(con, &cover, x[step % 2], perm[step], x[!(step % 2)]);
    }
    return step;
}

/* "allows 2, 3, 7-9 (" as a set. */
static pf_cover listed(const char *words) {
    const char *at = strstr(words, " allows ");
    pf_cover set = 0;
    assert_non_null(at);
    for (at += 8; *at >= '0' && *at <= '9'; at += strspn(at, ", ")) {
        char *end;
        unsigned long from = strtoul(at, &end, 10), to = from;
        if (*end == '-') to = strtoul(end + 1, &end, 10);
        for (at = end; from <= to; from++) pf_cover_put(&set, (unsigned)from - 1);
    }
    return set;
}

/* The last step that the explanation names in a clause that is not about a dead end; in a clause about a dead end, the first. */
static unsigned step_in(const char *words, bool dead_end) {
    unsigned step = 0, last = 0;
    for (const char *at = words; (at = strstr(at, " at step ")); ) {
        at += 9;
        step = (unsigned)strtoul(at, NULL, 10);
        if (dead_end) return step - 1;
        if (step > last) last = step;
    }
    return last - 1;
}

/* The explanation for p, which is outside; `plain`: for one constraint name that does not look ahead. */
static void check_words(const char *spec, const pf_con *con, const unsigned *perm, const char *words, bool plain) {
    pf_cover allowed = 0;
    unsigned step = walk(con, perm, &allowed);
    bool dead_end = strstr(words, "is a dead end") != NULL;
    CHECK(step < con->n, "%s: the automaton admits it: %s", spec, words);
    CHECK(step_in(words, dead_end) == step, "%s: not step %u: %s", spec, step + 1, words);
    CHECK(!dead_end || con->looks_ahead, "%s: %s", spec, words);
    CHECK(!strstr(words, "not ruled out") && !strstr(words, "()"), "%s: %s", spec, words);
    CHECK(!plain || listed(words) == allowed, "%s: allowed are %llx: %s", spec, (unsigned long long)allowed, words);
}

static void check_one(const char *spec, const pf_con *con, pf_check *check, const unsigned *perm, pf_writer *writer) {
    size_t n;
    bool inside = pf_check_inside(check, perm);
    CHECK(inside == con->cls->member(con, perm), "%s", spec);
    pf_writer_clear(writer);
    SUCCEED(pf_check_why(check, perm, 1, writer));
    SUCCEED(pf_writer_put(writer, "", 1));
    const char *words = (const char *)pf_writer_bytes(writer, &n);
    CHECK((n == 1) == inside && strlen(words) == n - 1, "%s: %s", spec, words);
    if (!inside) check_words(spec, con, perm, words, !con->looks_ahead && !strpbrk(spec, "+|("));
}

static void check_spec(const char *spec, unsigned length) {
    unsigned perm[MOST + 1];
    pf_con *con;
    pf_check *check;
    pf_writer *writer;
    SUCCEED(pf_con_new(spec, length, &con));
    SUCCEED(pf_check_new(spec, length, &check));
    SUCCEED(pf_writer_memory(&writer));
    first(perm, length);
    do check_one(spec, con, check, perm, writer);
    while (next(perm, length));
    pf_writer_free(writer);
    pf_check_free(check);
    pf_con_free(con);
}

static void words_name_the_step_that_the_automaton_refuses(void **state) {
    static const char *const families[] = {"ibm", "inverse-ibm", "local", "inverse-local", "mj", "displacement", "distortion",
                                           "jump", "itg-span"};
    char spec[40];
    (void)state;
    for (unsigned length = 0; length <= MOST; length++) {
        check_spec("none", length);
        check_spec("itg", length);
        for (size_t i = 0; i < LENGTH(families); i++)
            for (unsigned k = 1; k <= 5; k++) {
                snprintf(spec, sizeof spec, "%s:%u", families[i], k);
                check_spec(spec, length);
            }
    }
}

/* Reasons are asked of the classes of the table; an alias is made of others, and "none" refuses nothing. */
static void every_class_has_reasons(void **state) {
    const pf_con_class *cls;
    (void)state;
    for (size_t i = 0; (cls = pf_con_at(i)); i++)
        CHECK(cls->why || cls->alias || strcmp(cls->name, "none") == 0, "%s gives no reason", cls->name);
}

/* A jump is called too long only where it is; else the words name a run of covered positions that no jump passes. */
static void check_jump(const unsigned *perm, unsigned n, unsigned limit, const char *words) {
    unsigned at, step, most, j, last, from, to, next_one = 0, covered = 0;
    const char *reason = strchr(words, '(');
    if (strstr(words, "dead end")) return;
    assert_non_null(strstr(words, ": position "));
    CHECK(sscanf(strstr(words, ": position "), ": position %u at step %u", &at, &step) == 2 && perm[step - 1] == at - 1, "%s",
          words);
    if (step > 1) next_one = perm[step - 2] + 1;
    unsigned jump = at - 1 > next_one ? at - 1 - next_one : next_one - (at - 1);
    if (sscanf(reason, "(jumps of at most %u from %u)", &most, &j) == 2) {
        CHECK(jump > limit && most == limit && j == next_one + 1, "%s", words);
        return;
    }
    CHECK(sscanf(reason, "(with %u no jump of at most %u passes %u to %u, and", &last, &most, &from, &to) == 4, "%s", words);
    CHECK(jump <= limit && last == at && most == limit && to - from + 1 > limit && from > 1 && to < n, "%s", words);
    for (unsigned t = 0; t < step; t++) covered += perm[t] + 1 >= from && perm[t] + 1 <= to;
    CHECK(covered == to - from + 1, "%s", words);
}

static void reasons_of_jump_are_true(void **state) {
    (void)state;
    for (unsigned limit = 0; limit <= 5; limit++) {
        unsigned perm[MOST + 1];
        char spec[40];
        pf_check *check;
        pf_writer *writer;
        snprintf(spec, sizeof spec, "jump:%u", limit);
        SUCCEED(pf_check_new(spec, MOST, &check));
        SUCCEED(pf_writer_memory(&writer));
        first(perm, MOST);
        do {
            size_t n;
            if (pf_check_inside(check, perm)) continue;
            pf_writer_clear(writer);
            SUCCEED(pf_check_why(check, perm, 1, writer));
            SUCCEED(pf_writer_put(writer, "", 1));
            check_jump(perm, MOST, limit, (const char *)pf_writer_bytes(writer, &n));
        } while (next(perm, MOST));
        pf_writer_free(writer);
        pf_check_free(check);
    }
}

/* Half of 16,000 positions are allowed, every second one: a list of all of them is no explanation. */
static void lists_end(void **state) {
    enum { LONG = 16000 };
    unsigned *perm = calloc(LONG, sizeof *perm);
    pf_check *check;
    pf_writer *writer;
    size_t n;
    (void)state;
    assert_non_null(perm);
    for (unsigned t = 0; t < LONG; t++) perm[t] = t < LONG / 2 ? 2 * t + 1 : 2 * (t - LONG / 2);
    perm[LONG / 2] = LONG - 2;
    perm[LONG - 1] = 0;
    SUCCEED(pf_check_new("ibm:9000", LONG, &check));
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_check_why(check, perm, 1, writer));
    pf_writer_bytes(writer, &n);
    CHECK(n < 1000, "%zu bytes", n);
    pf_writer_free(writer);
    pf_check_free(check);
    free(perm);
}

static void combinations(void **state) {
    static const char *const specs[] = {
        "ibm:2+local:3", "itg+inverse-ibm:3", "itg+inverse-ibm:2+mj:3", "ibm:2|itg", "ibm:2|inverse-ibm:2|mj:1", "ibm:3-ibm:2",
        "itg-(ibm:2|local:3)", "(ibm:3-ibm:2)|itg", "(jump:2|inverse-local:2)+itg", "none-itg", "none-(itg+ibm:3)",
        "inverse:ibm:2", "inverse:(ibm:2|local:2)", "inverse:(itg-inverse:(ibm:2+local:3))", "displacement:1+itg",
        "itg-span:3+inverse-ibm:2", "displacement:2-itg-span:3", "wall:2", "wall:2,1,4", "zone:2,4", "unit:2,4", "zone:2,3+wall:4",
        "zone:1,3+inverse-ibm:3", "unit:3,5+ibm:2", "zone:2,5+zone:3,4+itg", "jump:3+itg", "jump:1|jump:2", "(ibm:3-ibm:2)-itg",
            "(ibm:3-itg)|ibm:2", "local:2|(none-mj:2)",
        "ibm:2+(itg|mj:1)", "itg+itg",
    };
    (void)state;
    for (unsigned length = 5; length <= MOST; length++)
        for (size_t i = 0; i < LENGTH(specs); i++) check_spec(specs[i], length);
}

/* Three of the four positions are visited in this order and the last is not yet; together they have the relative order named. */
static void forbidden_patterns(void **state) {
    unsigned perm[7], at[7], v[4], pattern;
    pf_check *check;
    pf_writer *writer;
    (void)state;
    SUCCEED(pf_check_new("itg", 7, &check));
    SUCCEED(pf_writer_memory(&writer));
    first(perm, 7);
    do {
        size_t n;
        if (pf_check_inside(check, perm)) continue;
        pf_writer_clear(writer);
        SUCCEED(pf_check_why(check, perm, 0, writer));
        SUCCEED(pf_writer_put(writer, "", 1));
        const char *words = (const char *)pf_writer_bytes(writer, &n);
        assert_int_equal(
            sscanf(strrchr(words, '('), "(%u, %u, %u and later %u would be a %u)", &v[0], &v[1], &v[2], &v[3], &pattern), 5);
        for (unsigned t = 0; t < 7; t++) at[perm[t]] = t;
        unsigned found = 0;
        for (unsigned place = 0; place < 4; place++) {
            unsigned rank = 1;
            for (unsigned k = 0; k < 4; k++) rank += v[k] < v[place];
            found = 10 * found + rank;
            CHECK(!place || at[v[place - 1]] < at[v[place]], "%s", words);
        }
        CHECK(found == pattern && (pattern == 2413 || pattern == 3142), "%s", words);
    } while (next(perm, 7));
    pf_writer_free(writer);
    pf_check_free(check);
}

static void an_empty_difference_admits_nothing(void **state) {
    static const unsigned perm[] = {1, 0};
    pf_check *check;
    pf_con *con;
    pf_writer *writer;
    size_t n;
    (void)state;
    assert_int_equal(pf_con_new("ibm:3-ibm:2", 2, &con), PF_EARG);
    SUCCEED(pf_check_new("ibm:3-ibm:2", 2, &check));
    SUCCEED(pf_writer_memory(&writer));
    assert_false(pf_check_inside(check, perm));
    SUCCEED(pf_check_why(check, perm, 1, writer));
    assert_non_null(pf_writer_bytes(writer, &n));
    assert_true(n > 0);
    pf_writer_free(writer);
    pf_check_free(check);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_parameters_are_tight),
        cmocka_unit_test(words_name_the_step_that_the_automaton_refuses),
        cmocka_unit_test(every_class_has_reasons),
        cmocka_unit_test(reasons_of_jump_are_true),
        cmocka_unit_test(lists_end),
        cmocka_unit_test(combinations),
        cmocka_unit_test(forbidden_patterns),
        cmocka_unit_test(an_empty_difference_admits_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
