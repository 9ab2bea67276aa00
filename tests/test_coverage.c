/* Coverage of alignments against its definition: all orders of a few words are tried, and an alignment allows some of them. */
#include "check.h"
#include "draw.h"
#include "oracle.h"

#include <permfst/coverage/corpus.h>
#include <permfst/io/stream.h>
#include <permfst/machine/build.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 7, SIDE = 6, NUMBERED = 7, NEVER = 99, LIMIT = 1 << 20 };

static const char *const numbered[NUMBERED] = {"ibm", "inverse-ibm", "local", "mj", "displacement", "distortion", "itg-span"};

static uint64_t seed = 2003;
static unsigned below(unsigned n) { return draw(&seed, n); }

/* ---- alignments as matrices, and the orders that they allow ---- */

typedef struct {
    unsigned n, targets;
    bool at[MOST][SIDE + MOST]; /* source, target */
} matrix;

static void link_all(const matrix *links, pf_alignment *alignment) {
    pf_alignment_reset(alignment);
    alignment->n_source = links->n;
    alignment->n_target = links->targets;
    for (unsigned j = 0; j < links->n; j++)
        for (unsigned target = 0; target < links->targets; target++)
            if (links->at[j][target]) SUCCEED(pf_alignment_add(alignment, (pf_link){j, target, false, NAN}));
    pf_alignment_sort(alignment);
}

/* The target that a source word counts at; -1 without links. */
static int target_of(const matrix *links, unsigned j, pf_place place) {
    int found = -1;
    for (int target = 0; target < (int)links->targets; target++)
        if (links->at[j][target] && (found < 0 || place == PF_PLACE_LAST)) found = target;
    return found;
}

static bool allows(const matrix *links, pf_place place, const unsigned *perm) {
    for (unsigned early = 0; early < links->n; early++)
        for (unsigned late = early + 1; late < links->n; late++) {
            int first = target_of(links, perm[early], place), then = target_of(links, perm[late], place);
            if (first >= 0 && then >= 0 && (first > then || (first == then && perm[early] > perm[late]))) return false;
        }
    return true;
}

/* The least parameter that the definition has for an order. */
static unsigned least_of(const char *name, const unsigned *perm, unsigned n) {
    char spec[40];
    for (unsigned k = (unsigned)oracle_least(name); k <= n + 1; k++) {
        snprintf(spec, sizeof spec, "%s:%u", name, k);
        if (oracle_member(spec, perm, n)) return k;
    }
    return NEVER;
}

static const pf_coverage_family *family(const char *name) {
    size_t i = 0;
    while (strcmp(pf_coverage_family_at(i)->name, name) != 0) i++;
    return pf_coverage_family_at(i);
}

static unsigned found_least(const pf_coverage *coverage, const char *name) {
    unsigned param;
    return pf_coverage_least(coverage, family(name), &param) ? param : NEVER;
}

static bool reaches(const pf_coverage *coverage, const char *spec) {
    pf_reach reach;
    SUCCEED(pf_coverage_reaches(coverage, spec, LIMIT, &reach));
    assert_int_not_equal(reach, PF_UNDECIDED);
    return reach == PF_REACHED;
}

static const char *show(const matrix *links) {
    static char words[400];
    size_t n = (size_t)snprintf(words, sizeof words, "%u-%u |||", links->n, links->targets);
    for (unsigned j = 0; j < links->n; j++)
        for (unsigned target = 0; target < links->targets; target++)
            if (links->at[j][target]) n += (size_t)snprintf(words + n, sizeof words - n, " %u-%u", j, target);
    return words;
}

static void check_least(const pf_coverage *coverage, unsigned family, unsigned want, const matrix *links) {
    unsigned found = found_least(coverage, numbered[family]);
    CHECK(found == want, "%s: %u, not %u: %s", numbered[family], want, found, show(links));
}

/* ---- all orders of aligned words, all ways to place the others ---- */

/* The words of p that are in `mask`, in its order, as a number. */
static unsigned key_of(const unsigned *perm, unsigned n, unsigned mask) {
    unsigned key = 0;
    for (unsigned target = 0; target < n; target++)
        if (mask >> perm[target] & 1) key = key * (MOST + 1) + perm[target] + 1;
    return key;
}

static void check_key(pf_coverage *coverage, pf_alignment *alignment, unsigned n, unsigned key, const unsigned char *want) {
    matrix links = {.n = n, .targets = n};
    for (unsigned k = key, target = n; k; k /= MOST + 1) links.at[k % (MOST + 1) - 1][--target] = true;
    link_all(&links, alignment);
    SUCCEED(pf_coverage_take(coverage, alignment));
    for (unsigned family = 0; family < NUMBERED; family++)
        check_least(coverage, family, want[family], &links);
    bool separable = want[NUMBERED - 1] != NEVER; /* some itg-span */
    CHECK(reaches(coverage, "itg") == separable, "itg: %s", show(&links));
    CHECK(reaches(coverage, "itg-baseline") == separable && reaches(coverage, "itg-extended") == separable, "%s", show(&links));
}

static void least_over_all_placements(void **state) {
    size_t keys = 1;
    pf_alignment alignment = {0};
    pf_coverage *coverage;
    (void)state;
    SUCCEED(pf_coverage_new(PF_PLACE_FIRST, &coverage));
    for (unsigned n = 0; n <= MOST; n++, keys *= MOST + 1) {
        unsigned char(*least)[NUMBERED] = malloc(keys * sizeof *least), one[NUMBERED];
        unsigned perm[MOST + 1];
        memset(least, 255, keys * sizeof *least);
        oracle_first(perm, n);
        do {
            for (unsigned family = 0; family < NUMBERED; family++) one[family] = (unsigned char)least_of(numbered[family], perm, n);
            for (unsigned mask = 0; mask < 1u << n; mask++)
                for (unsigned family = 0, key = key_of(perm, n, mask); family < NUMBERED; family++)
                    if (one[family] < least[key][family]) least[key][family] = one[family];
        } while (oracle_next(perm, n));
        for (size_t key = 0; key < keys; key++)
            if (least[key][0] != 255) check_key(coverage, &alignment, n, (unsigned)key, least[key]);
        free(least);
    }
    pf_coverage_free(coverage);
    pf_alignment_free(&alignment);
}

/* ---- several links ---- */

/* Everything with a parameter, and itg, by going through all orders. */
static void check_orders(pf_coverage *coverage, const matrix *links, pf_place place) {
    unsigned perm[MOST + 1], want[NUMBERED];
    for (unsigned family = 0; family < NUMBERED; family++) want[family] = NEVER;
    oracle_first(perm, links->n);
    do {
        if (!allows(links, place, perm)) continue;
        for (unsigned family = 0; family < NUMBERED; family++) {
            unsigned least = least_of(numbered[family], perm, links->n);
            if (least < want[family]) want[family] = least;
        }
    } while (oracle_next(perm, links->n));
    for (unsigned family = 0; family < NUMBERED; family++)
        check_least(coverage, family, want[family], links);
    CHECK(reaches(coverage, "itg") == (want[NUMBERED - 1] != NEVER), "itg: %s", show(links));
}

/* Links of one pair against those of another. */
static bool crossing(const matrix *links) {
    for (unsigned j = 0; j < links->n; j++)
        for (unsigned high = 0; high < links->targets; high++)
            for (unsigned after = j + 1; after < links->n; after++)
                for (unsigned low = 0; low < high; low++)
                    if (links->at[j][high] && links->at[after][low]) return true;
    return false;
}

/* Target words t and t + 1 stand in different segments. */
static bool cut_after(const matrix *links, unsigned target) {
    for (unsigned j = 0; j < links->n; j++) {
        int first = target_of(links, j, PF_PLACE_FIRST), last = target_of(links, j, PF_PLACE_LAST);
        if (first >= 0 && first <= (int)target && last > (int)target) return false;
    }
    return true;
}

/* The order in which the source words go out; cf. definitions: unfolding. */
static bool unfolds_to_itself(const matrix *links) {
    unsigned out = 0, n = 0;
    for (unsigned from = 0, target = 0; target < links->targets; target++) {
        if (target + 1 < links->targets && !cut_after(links, target)) continue;
        for (unsigned j = 0; j < links->n; j++) {
            int first = target_of(links, j, PF_PLACE_FIRST);
            if (first < (int)from || first > (int)target) continue;
            while (n < j && target_of(links, n, PF_PLACE_FIRST) < 0) n++; /* unaligned ones go with the next aligned one */
            if (j != n) return false;
            n++;
            out++;
        }
        from = target + 1;
    }
    return true;
}

/* The units: target words that share a source word, at any remove. unit[j] is the first target of the unit of j. */
static void find_units(const matrix *links, int *unit) {
    for (unsigned j = 0; j < links->n; j++) unit[j] = target_of(links, j, PF_PLACE_FIRST);
    for (unsigned round = 0; round < links->n; round++)
        for (unsigned j = 0; j < links->n; j++)
            for (unsigned k = 0; k < links->n; k++)
                for (unsigned target = 0; target < links->targets; target++)
                    if (links->at[j][target] && links->at[k][target] && unit[k] < unit[j]) unit[j] = unit[k];
}

/* The aligned words by position: how many, and their units. */
typedef struct {
    unsigned k;
    int unit[MOST];
} row;

/* How many words of the unit are among i..j-1? */
static unsigned words_of(const row *units, int unit, unsigned i, unsigned j) {
    unsigned n = 0;
    for (; i < j; i++) n += units->unit[i] == unit;
    return n;
}

/* Are the units within a..b of i..j-1 exactly those between these on the target side, with none outside between? */
static bool next_to(const row *units, unsigned i, unsigned a, unsigned b, unsigned j) {
    int low[2] = {NEVER, NEVER}, high[2] = {-1, -1};
    for (unsigned target = i; target < j; target++) {
        unsigned side = target >= a && target < b;
        if (units->unit[target] < low[side]) low[side] = units->unit[target];
        if (units->unit[target] > high[side]) high[side] = units->unit[target];
    }
    if (!(high[0] < low[1] || high[1] < low[0])) return false;
    int from = high[0] < low[1] ? high[0] : high[1], to = high[0] < low[1] ? low[1] : low[0];
    for (unsigned target = 0; target < units->k; target++)
        if (units->unit[target] > from && units->unit[target] < to) return false;
    return true;
}

/* A constituent of the grammar: one whole unit; two constituents side by side on both sides; or, extended, a whole unit in
 * two parts around a constituent. */
static bool constituent(const row *units, unsigned i, unsigned j, bool extended) {
    if (words_of(units, units->unit[i], i, j) == j - i && words_of(units, units->unit[i], 0, units->k) == j - i) return true;
    for (unsigned mid = i + 1; mid < j; mid++)
        if (next_to(units, i, i, mid, j) && constituent(units, i, mid, extended) && constituent(units, mid, j,
                                                                                                extended)) return true;
    for (unsigned left = i + 1; extended && left < j; left++)
        for (unsigned right = left + 1; right < j; right++) {
            unsigned words = words_of(units, units->unit[i], i, left) + words_of(units, units->unit[i], right, j);
            if (words == left - i + j - right && words == words_of(units, units->unit[i], 0, units->k) &&
                next_to(units, i, left, right, j) && constituent(units, left, right, true))
                return true;
        }
    return false;
}

static bool derives(const matrix *links, bool extended) {
    int unit[MOST];
    row units = {0};
    find_units(links, unit);
    for (unsigned j = 0; j < links->n; j++)
        if (unit[j] >= 0) units.unit[units.k++] = unit[j];
    return !units.k || constituent(&units, 0, units.k, extended);
}

static void check_plain(pf_coverage *coverage, const matrix *links) {
    CHECK(reaches(coverage, "no-crossing") == !crossing(links), "no-crossing: %s", show(links));
    CHECK(reaches(coverage, "unfolding") == unfolds_to_itself(links), "unfolding: %s", show(links));
    CHECK(reaches(coverage, "itg-baseline") == derives(links, false), "itg-baseline: %s", show(links));
    CHECK(reaches(coverage, "itg-extended") == derives(links, true), "itg-extended: %s", show(links));
}

typedef void each(pf_coverage *coverage, const matrix *links, pf_place place, pf_alignment *a);

static void check_matrix(pf_coverage *coverage, const matrix *links, pf_place place, pf_alignment *alignment) {
    (void)alignment;
    check_orders(coverage, links, place);
    check_plain(coverage, links);
}

static void check_plain_matrix(pf_coverage *coverage, const matrix *links, pf_place place, pf_alignment *alignment) {
    (void)alignment, (void)place;
    check_plain(coverage, links);
}

static void for_one(const matrix *links, pf_place place, each *check) {
    pf_alignment alignment = {0};
    pf_coverage *coverage;
    SUCCEED(pf_coverage_new(place, &coverage));
    link_all(links, &alignment);
    SUCCEED(pf_coverage_take(coverage, &alignment));
    check(coverage, links, place, &alignment);
    pf_coverage_free(coverage);
    pf_alignment_free(&alignment);
}

/* Every set of links of n and m words. */
static void for_all(unsigned n, unsigned targets, pf_place place, each *check) {
    for (unsigned long bits = 0; bits < 1ul << n * targets; bits++) {
        matrix links = {.n = n, .targets = targets};
        for (unsigned i = 0; i < n * targets; i++) links.at[i / targets][i % targets] = bits >> i & 1;
        for_one(&links, place, check);
    }
}

static void random_matrix(matrix *links, unsigned n, unsigned targets, unsigned percent) {
    *links = (matrix){.n = n, .targets = targets};
    for (unsigned j = 0; j < n; j++)
        for (unsigned target = 0; target < targets; target++) links->at[j][target] = below(100) < percent;
}

static void all_alignments_of_few_words(void **state) {
    (void)state;
    for (unsigned n = 0; n <= 3; n++)
        for (unsigned targets = 0; targets <= 3; targets++) {
            for_all(n, targets, PF_PLACE_FIRST, check_matrix);
            for_all(n, targets, PF_PLACE_LAST, check_matrix);
        }
    for_all(4, 3, PF_PLACE_FIRST, check_plain_matrix);
    for_all(3, 4, PF_PLACE_LAST, check_matrix);
    for_all(4, 4, PF_PLACE_FIRST, check_plain_matrix);
    for_all(7, 2, PF_PLACE_FIRST, check_plain_matrix);
}

static void random_alignments(void **state) {
    matrix links;
    (void)state;
    for (int i = 0; i < 400; i++) {
        random_matrix(&links, 4 + below(2), 1 + below(SIDE), 10 + below(40));
        for_one(&links, below(2) ? PF_PLACE_FIRST : PF_PLACE_LAST, check_matrix);
    }
    for (int i = 0; i < 40; i++) {
        random_matrix(&links, MOST, MOST, 10 + below(20));
        for_one(&links, PF_PLACE_FIRST, check_matrix);
    }
    for (int i = 0; i < 60000; i++) {
        random_matrix(&links, MOST, 2 + below(MOST), 5 + below(30));
        for_one(&links, PF_PLACE_FIRST, check_plain_matrix);
    }
}

/* Each word has one target, and each target few words: where two parts are likely. */
static void parts(void **state) {
    unsigned reached[2] = {0};
    (void)state;
    for (int i = 0; i < 60000; i++) {
        unsigned targets = 2 + below(MOST - 1);
        matrix links = {.n = MOST, .targets = targets};
        for (unsigned j = 0; j < MOST; j++)
            if (below(8)) links.at[j][below(targets)] = true;
        for_one(&links, PF_PLACE_FIRST, check_plain_matrix);
        reached[0] += derives(&links, false);
        reached[1] += derives(&links, true);
    }
    assert_true(reached[0] > 1000 && reached[1] > reached[0] + 1000);
}

/* ---- the search ---- */

static const char *const specs[] = {"none",        "itg+ibm:3",   "jump:2",    "inverse-local:2",   "wall:2",   "zone:1,3",
                                    "none - mj:1", "local:3|mj:1", "ibm:2+itg", "inverse:local:2+mj:3", "mj:2 - mj:1",
                                    "jump:3+ibm:3"};

static void check_specs(pf_coverage *coverage, const matrix *links, pf_place place, pf_alignment *alignment) {
    (void)alignment;
    for (size_t i = 0; i < LENGTH(specs); i++) {
        unsigned perm[MOST + 1];
        bool want = false, marks = strchr("wz", *specs[i]);
        if (marks && links->n < 3) continue; /* which has no such positions */
        oracle_first(perm, links->n);
        do want = want || (allows(links, place, perm) && oracle_member(specs[i], perm, links->n));
        while (oracle_next(perm, links->n));
        CHECK(reaches(coverage, specs[i]) == want, "%s: %d: %s", specs[i], want, show(links));
    }
}

static void the_search_finds_what_there_is(void **state) {
    matrix links;
    (void)state;
    for (int i = 0; i < 300; i++) {
        random_matrix(&links, 1 + below(6), 1 + below(SIDE), 5 + below(30));
        for_one(&links, below(2) ? PF_PLACE_FIRST : PF_PLACE_LAST, check_specs);
    }
}

/* The least parameter, by searching the automata. */
static unsigned searched_least(const pf_coverage *coverage, const char *name, unsigned from, unsigned n) {
    char spec[40];
    for (; from <= n + 1; from++) {
        snprintf(spec, sizeof spec, "none+%s:%u", name, from); /* which is no family */
        if (reaches(coverage, spec)) return from;
    }
    return NEVER;
}

/* Sentences that are too long to enumerate, against the search, which does not know the closed forms' choice of places. */
static void longer_sentences_against_the_search(void **state) {
    (void)state;
    pf_alignment alignment = {0};
    pf_coverage *coverage;
    SUCCEED(pf_coverage_new(PF_PLACE_FIRST, &coverage));
    for (int round = 0; round < 300; round++) {
        unsigned n = 8 + below(6), share = 30 + below(70), far = 2 + below(5);
        pf_alignment_reset(&alignment);
        alignment.n_source = n;
        alignment.n_target = 2 * n;
        for (unsigned j = 0; j < n; j++)
            if (below(100) < share) SUCCEED(pf_alignment_add(&alignment, (pf_link){j, j + below(far), false, NAN}));
        pf_alignment_sort(&alignment);
        SUCCEED(pf_coverage_take(coverage, &alignment));
        for (unsigned family = 0; family < NUMBERED; family++) {
            unsigned want = searched_least(coverage, numbered[family], (unsigned)oracle_least(numbered[family]), n);
            CHECK(found_least(coverage, numbered[family]) == want, "%s: not %u, n = %u, round %d", numbered[family], want, n,
                  round);
        }
    }
    pf_coverage_free(coverage);
    pf_alignment_free(&alignment);
}

/* Two words could fill a step, but only the first may be used: 4 for the step to 6, so that 5 is left for the step to 10. */
static void the_first_stepping_stone_is_spent(void **state) {
    static const unsigned chain[] = {1, 2, 0, 6, 3, 10, 7, 8, 9};
    pf_alignment alignment = {0};
    pf_coverage *coverage;
    (void)state;
    pf_alignment_reset(&alignment);
    for (unsigned i = 0; i < LENGTH(chain); i++) SUCCEED(pf_alignment_add(&alignment, (pf_link){chain[i], i, false, NAN}));
    pf_alignment_sort(&alignment);
    SUCCEED(pf_coverage_new(PF_PLACE_FIRST, &coverage));
    SUCCEED(pf_coverage_take(coverage, &alignment));
    assert_int_equal(searched_least(coverage, "distortion", 0, 11), 4);
    assert_int_equal(found_least(coverage, "distortion"), 4);
    pf_coverage_free(coverage);
    pf_alignment_free(&alignment);
}

static void a_limit_leaves_it_undecided(void **state) {
    matrix links = {.n = 7, .targets = 7};
    pf_alignment alignment = {0};
    pf_coverage *coverage;
    pf_reach reach;
    (void)state;
    links.at[0][3] = links.at[6][0] = true;
    link_all(&links, &alignment);
    SUCCEED(pf_coverage_new(PF_PLACE_FIRST, &coverage));
    SUCCEED(pf_coverage_take(coverage, &alignment));
    SUCCEED(pf_coverage_reaches(coverage, "none+mj:5", 3, &reach));
    assert_int_equal(reach, PF_UNDECIDED);
    SUCCEED(pf_coverage_reaches(coverage, "none+mj:5", LIMIT, &reach));
    assert_int_equal(reach, PF_NOT_REACHED);
    assert_int_equal(pf_coverage_reaches(coverage, "wall:9", LIMIT, &reach), PF_EARG);
    assert_int_equal(pf_coverage_check("ibm:0"), PF_EARG);
    assert_int_equal(pf_coverage_check("itg-extended:2"), PF_EARG);
    SUCCEED(pf_coverage_check("itg-extended"));
    SUCCEED(pf_coverage_check("ibm:4+itg"));
    pf_coverage_free(coverage);
    pf_alignment_free(&alignment);
}

/* ---- marks ---- */

/* Marks that a sentence can have: nested zones, and walls in the innermost zone around them. The closed form of marks alone is what
 * the search for an order in all of them finds. */
static void check_marked(pf_coverage *coverage, const matrix *links, pf_place place, pf_alignment *alignment) {
    static const struct {
        const char *mark[4], *spec;
        unsigned words;
    } cases[] = {
        {{"wall:2"}, "none+wall:2", 3}, {{"wall:1", "wall:3"}, "none+wall:1+wall:3", 4}, {{"zone:2,3"}, "none+zone:2,3", 3},
        {{"unit:1,3"}, "none+unit:1,3", 3}, {{"zone:1,4", "zone:2,3", "wall:1,1,4"}, "none+zone:1,4+zone:2,3+wall:1,1,4", 5},
        {{"zone:1,3", "unit:4,5", "wall:2,1,3", "wall:3"}, "none+zone:1,3+unit:4,5+wall:2,1,3+wall:3", 5},
    };
    (void)place;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        pf_marks marks = {0};
        if (links->n < cases[i].words) continue;
        for (size_t k = 0; k < 4 && cases[i].mark[k]; k++) {
            pf_mark mark;
            snprintf(mark.spec, sizeof mark.spec, "%s", cases[i].mark[k]);
            SUCCEED(PF_PUSH(&marks, mark));
        }
        SUCCEED(pf_coverage_take(coverage, alignment));
        bool together = reaches(coverage, cases[i].spec), ibm = reaches(coverage, "none+ibm:2"), all;
        char spec[100];
        snprintf(spec, sizeof spec, "ibm:2%s", cases[i].spec + 4);
        all = reaches(coverage, spec);
        pf_coverage_mark(coverage, &marks);
        CHECK(reaches(coverage, "none") == together, "%s: %s", cases[i].spec, show(links));
        CHECK(reaches(coverage, "ibm:2") == all && (!all || (ibm && together)), "%s: %s", spec, show(links));
        if (!all) {
            pf_marks few = {0};
            SUCCEED(pf_coverage_why_marks(coverage, "ibm:2", LIMIT, &few));
            assert_false(reaches(coverage, "ibm:2"));
            CHECK(few.n <= marks.n && (ibm || !few.n), "%s: %zu marks", spec, few.n);
            PF_VEC_FREE(&few);
        }
        pf_coverage_mark(coverage, NULL);
        PF_VEC_FREE(&marks);
    }
}

static void marks_alone_need_no_search(void **state) {
    matrix links;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        random_matrix(&links, 3 + below(MOST - 2), 1 + below(SIDE), 5 + below(45));
        for_one(&links, PF_PLACE_FIRST, check_marked);
    }
}

/* ---- why ---- */

static void check_why(pf_coverage *coverage, const matrix *links, pf_place place, pf_alignment *alignment) {
    static const char *const asked[] = {"ibm:2", "inverse-ibm:2", "local:2", "mj:1", "displacement:1", "distortion:2", "itg",
                                        "itg-baseline", "itg-extended", "no-crossing", "unfolding", "itg+ibm:3"};
    pf_alignment few = {0}, fewer = {0};
    (void)links, (void)place;
    for (size_t i = 0; i < LENGTH(asked); i++) {
        SUCCEED(pf_coverage_take(coverage, alignment));
        if (reaches(coverage, asked[i])) continue;
        SUCCEED(pf_coverage_why(coverage, alignment, asked[i], NULL, LIMIT, &few));
        SUCCEED(pf_coverage_take(coverage, &few));
        assert_false(reaches(coverage, asked[i]));
        assert_int_equal(few.n_source, alignment->n_source);
        for (size_t link = 0; link < few.link.n; link++) {
            assert_non_null(pf_alignment_find(alignment, few.link.at[link].source, few.link.at[link].target));
            SUCCEED(pf_alignment_copy(&few, &fewer));
            memmove(fewer.link.at + link, fewer.link.at + link + 1, (fewer.link.n - link - 1) * sizeof *fewer.link.at);
            fewer.link.n--;
            SUCCEED(pf_coverage_take(coverage, &fewer));
            CHECK(reaches(coverage, asked[i]), "%s: link %zu can be left out: %s", asked[i], link, show(links));
        }
    }
    pf_alignment_free(&few);
    pf_alignment_free(&fewer);
}

static void no_link_of_why_can_be_left_out(void **state) {
    matrix links;
    (void)state;
    for (int i = 0; i < 300; i++) {
        random_matrix(&links, 3 + below(MOST - 2), 1 + below(SIDE), 10 + below(40));
        for_one(&links, PF_PLACE_FIRST, check_why);
    }
}

/* ---- intervals ---- */

/* The smallest share such that it and all smaller ones have a probability of at least `least`. */
static double percentile(unsigned count, unsigned n, double least) {
    double share = (double)count / n, sum = 0;
    for (unsigned k = 0; k <= n; k++) {
        sum += exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(share) + (n - k) * log1p(-share));
        if (sum >= least) return (double)k / n;
    }
    return 1;
}

static void intervals(void **state) {
    double low, high;
    (void)state;
    for (unsigned n = 2; n <= 400; n += n < 40 ? 1 : 37)
        for (unsigned count = 1; count < n; count++) {
            pf_coverage_interval(count, n, &low, &high);
            CHECK(fabs(low - percentile(count, n, .025)) < 1e-12, "%u of %u: %g", count, n, low);
            CHECK(fabs(high - percentile(count, n, .975)) < 1e-12, "%u of %u: %g", count, n, high);
        }
    pf_coverage_interval(0, 10, &low, &high);
    assert_true(low == 0 && high == 0);
    pf_coverage_interval(10, 10, &low, &high);
    assert_true(low == 1 && high == 1);
    pf_coverage_interval(0, 0, &low, &high);
    assert_true(isnan(low) && isnan(high));
    pf_coverage_interval(300000000, 1000000000, &low, &high); /* nothing overflows: 1.96 standard deviations */
    assert_true(fabs(low - (0.3 - 1.959964 * sqrt(.21e-9))) < 1e-8);
    assert_true(fabs(high - (0.3 + 1.959964 * sqrt(.21e-9))) < 1e-8);
}

/* ---- counting ---- */

static void a_table_counts(void **state) {
    pf_coverage_table table = {0};
    const bool both[PF_DIRECTIONS] = {true, true}, forward[PF_DIRECTIONS] = {true, false};
    char words[40];
    (void)state;
    SUCCEED(pf_coverage_table_family(&table, family("ibm"), both));
    SUCCEED(pf_coverage_table_spec(&table, "wall:1", forward));
    SUCCEED(PF_PUSH(&table.longest, 10));
    SUCCEED(PF_PUSH(&table.longest, UINT32_MAX));
    SUCCEED(pf_coverage_table_start(&table));
    for (unsigned n = 8; n < 12; n++) {
        pf_coverage_table_pair(&table, n);
        const pf_coverage_answer there[] = {{PF_REACHED, n - 7}, {PF_REACHED, 0}};
        const pf_coverage_answer back[] = {{n == 11 ? PF_UNDECIDED : PF_NOT_REACHED, 0}, {PF_REACHED, 0}};
        SUCCEED(pf_coverage_table_count(&table, PF_FORWARD, n, there));
        SUCCEED(pf_coverage_table_count(&table, PF_BACKWARD, n, back));
    }
    assert_int_equal(table.pairs.at[0], 4);
    assert_int_equal(table.pairs.at[1], 3);
    assert_int_equal(table.pairs.at[2], 1);
    assert_int_equal(pf_coverage_reached(pf_coverage_table_cell(&table, 0, 0, PF_FORWARD), 2), 2);
    assert_int_equal(pf_coverage_reached(pf_coverage_table_cell(&table, 1, 0, PF_FORWARD), 9), 3);
    assert_int_equal(pf_coverage_reached(pf_coverage_table_cell(&table, 2, 0, PF_FORWARD), 3), 0);
    assert_int_equal(pf_coverage_reached(pf_coverage_table_cell(&table, 0, 0, PF_BACKWARD), 9), 0);
    assert_int_equal(pf_coverage_table_cell(&table, 2, 0, PF_BACKWARD)->undecided, 1);
    assert_int_equal(pf_coverage_reached(pf_coverage_table_cell(&table, 0, 1, PF_FORWARD), 0), 4);
    assert_int_equal(pf_coverage_reached(pf_coverage_table_cell(&table, 0, 1, PF_BACKWARD), 0), 0); /* not asked, not counted */
    assert_int_equal(pf_coverage_enough(&table, 0), 4);
    pf_coverage_table_label(&table, 2, words, sizeof words);
    assert_string_equal(words, "over 10");
    pf_coverage_table_free(&table);
}

/* A table has for each row the answer of the row's own function, and only in the directions that the row has. */
static void a_table_asks(void **state) {
    pf_coverage_table table = {0};
    const bool both[PF_DIRECTIONS] = {true, true}, forward[PF_DIRECTIONS] = {true, false};
    pf_coverage_answer answer[3];
    pf_coverage *coverage;
    pf_alignment alignment = {0};
    size_t asked;
    (void)state;
    pf_alignment_reset(&alignment);
    for (uint32_t j = 0; j < 4; j++) SUCCEED(pf_alignment_add(&alignment, (pf_link){j, (j + 1) % 4, false, NAN}));
    pf_alignment_sort(&alignment);
    SUCCEED(pf_coverage_table_family(&table, family("ibm"), both));
    SUCCEED(pf_coverage_table_spec(&table, "none+mj:3", forward));
    SUCCEED(pf_coverage_table_spec(&table, "wall:9", forward));
    SUCCEED(pf_coverage_table_start(&table));
    SUCCEED(pf_coverage_new(PF_PLACE_FIRST, &coverage));
    SUCCEED(pf_coverage_take(coverage, &alignment));
    assert_int_equal(pf_coverage_table_ask(&table, coverage, PF_FORWARD, NULL, LIMIT, answer, &asked), PF_EARG);
    assert_int_equal(asked, 2);
    assert_true(answer[0].reach == PF_REACHED && answer[0].param == found_least(coverage, "ibm"));
    assert_int_equal(answer[1].reach, reaches(coverage, "none+mj:3") ? PF_REACHED : PF_NOT_REACHED);
    SUCCEED(pf_coverage_table_ask(&table, coverage, PF_BACKWARD, NULL, LIMIT, answer, &asked));
    assert_true(answer[0].reach == PF_REACHED && answer[1].reach == PF_NOT_REACHED && answer[2].reach == PF_NOT_REACHED);
    pf_coverage_free(coverage);
    pf_coverage_table_free(&table);
    pf_alignment_free(&alignment);
}

/* ---- a corpus ---- */

static void bins_of_a_list(void **state) {
    static const char *const bad[] = {"", "0", "3,3", "3,2", "a", "3,", "3;4", "70000"};
    pf_coverage_table table = {0};
    (void)state;
    SUCCEED(pf_coverage_table_lengths(&table, "10,20"));
    assert_int_equal(table.longest.n, 3);
    assert_true(table.longest.at[0] == 10 && table.longest.at[1] == 20 && table.longest.at[2] == UINT_MAX);
    pf_coverage_table_free(&table);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        pf_coverage_table none = {0};
        CHECK(pf_coverage_table_lengths(&none, bad[i]) == PF_EARG, "'%s'", bad[i]);
        pf_coverage_table_free(&none);
    }
}

static pf_reader *reader_of(const char *text, const char *name) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), name, &reader));
    return reader;
}

/* Linear automata of these lengths, with positions as input labels. */
static pf_writer *lattices_of(const unsigned *length, size_t n) {
    pf_writer *writer;
    pf_stream_writer *stream;
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &stream));
    for (size_t i = 0; i < n; i++) {
        pf_build build = {0};
        pf_fst *fst;
        pf_expr *expr;
        for (unsigned j = 0; j < length[i]; j++) SUCCEED(pf_build_arc(&build, j, (pf_label)j + 1, (pf_label)j + 1, 0, j + 1));
        SUCCEED(pf_build_final(&build, length[i], 0));
        SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
        SUCCEED(pf_expr_of_fst(fst, &expr));
        SUCCEED(pf_stream_put(stream, expr, i + 1));
        pf_expr_free(expr);
    }
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    return writer;
}

/* Two pairs, in order and exchanged, in the direction of the source. What is written is `expected`; the result is the error. */
static pf_err cover_two(pf_coverage_form form, const unsigned *lattices, size_t n_lattices, const char *expected) {
    pf_coverage_table table = {0};
    pf_coverage_corpus_options options = {.table = &table, .asked = {[PF_FORWARD] = true}, .limit = LIMIT, .form = form,
                                          .spec = "ibm:1", .format = PF_TABLE_TSV};
    pf_writer *stream = NULL;
    pf_coverage_corpus *coverage;
    bool more = true;
    size_t n;
    SUCCEED(pf_parallel_new(1, &options.pairs));
    SUCCEED(pf_parallel_words(options.pairs, reader_of("a b\nc d\n", "source"), &options.source));
    SUCCEED(pf_parallel_words(options.pairs, reader_of("A B\nC D\n", "target"), &options.target));
    SUCCEED(pf_parallel_alignments(options.pairs, reader_of("0-0 1-1\n0-1 1-0\n", "links"),
                                   &(pf_parallel_links){.source = options.source, .target = options.target}, &options.links));
    SUCCEED(pf_coverage_table_spec(&table, "ibm:1", options.asked));
    if (lattices) {
        SUCCEED(pf_coverage_table_lattice(&table, "lattice"));
        stream = lattices_of(lattices, n_lattices);
        const unsigned char *at = pf_writer_bytes(stream, &n);
        pf_reader *reader;
        SUCCEED(pf_reader_memory(at, n, "lattices", &reader));
        SUCCEED(pf_source_new(reader, &(pf_source_options){.first = 1}, &options.lattices));
    }
    SUCCEED(pf_coverage_table_start(&table));
    SUCCEED(pf_writer_memory(&options.writer));
    SUCCEED(pf_coverage_corpus_new(&options, &coverage));
    pf_err err = PF_OK;
    while (!err && !(err = pf_parallel_next(options.pairs, &more)) && more) err = pf_coverage_corpus_pair(coverage);
    if (!err) err = pf_coverage_corpus_end(coverage);
    const char *written = (const char *)pf_writer_bytes(options.writer, &n);
    if (!err) CHECK(n == strlen(expected) && (!n || memcmp(written, expected, n) == 0), "%.*s", (int)n, written);
    if (!err && form == PF_COVERAGE_COUNTED) {
        assert_int_equal(table.pairs.at[0], 2);
        assert_int_equal(pf_coverage_reached(pf_coverage_table_cell(&table, 0, 0, PF_FORWARD), 0), 1);
    }
    if (!err) assert_int_equal(pf_coverage_corpus_undecided(coverage), 0);
    pf_coverage_corpus_free(coverage);
    pf_source_free(options.lattices);
    pf_parallel_free(options.pairs);
    pf_coverage_table_free(&table);
    pf_writer_free(options.writer);
    pf_writer_free(stream);
    return err;
}

static void a_corpus_pair_by_pair(void **state) {
    static const unsigned right[] = {2, 2, 2}, wrong[] = {2, 3};
    (void)state;
    SUCCEED(cover_two(PF_COVERAGE_COUNTED, NULL, 0, ""));
    SUCCEED(cover_two(PF_COVERAGE_LINES, NULL, 0, "pair\tdirection\twords\tlinks\tibm:1\n"
                      "1\tsource-target\t2\t2\tyes\n2\tsource-target\t2\t2\tno\n"));
    SUCCEED(cover_two(PF_COVERAGE_EXPLAINED, NULL, 0, "2\tsource-target\tibm:1\t0-1 1-0\tc-D d-C\n"));
    SUCCEED(cover_two(PF_COVERAGE_EXPLAINED, right, 2, "2\tsource-target\tibm:1\t0-1 1-0\tc-D d-C\n"
                      "2\tsource-target\tlattice\t0-1 1-0\tc-D d-C\n"));
    SUCCEED(cover_two(PF_COVERAGE_LINES, right, 2, "pair\tdirection\twords\tlinks\tibm:1\tlattice\n"
                      "1\tsource-target\t2\t2\tyes\tyes\n2\tsource-target\t2\t2\tno\tno\n"));
    assert_int_equal(cover_two(PF_COVERAGE_LINES, right, 1, ""), PF_EINPUT);
    assert_string_equal(pf_message(), "lattices: expected a record for pair 2, found the end");
    assert_int_equal(cover_two(PF_COVERAGE_LINES, right, 3, ""), PF_EINPUT);
    assert_string_equal(pf_message(), "lattices: expected 2 records, one for each pair, found more");
    assert_int_equal(cover_two(PF_COVERAGE_LINES, wrong, 2, ""), PF_EINPUT);
    assert_string_equal(pf_message(), "links:2: the sentence has 2 words, but record 2 of lattices has 3 positions");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_over_all_placements),
        cmocka_unit_test(all_alignments_of_few_words),
        cmocka_unit_test(random_alignments),
        cmocka_unit_test(parts),
        cmocka_unit_test(the_search_finds_what_there_is),
        cmocka_unit_test(longer_sentences_against_the_search),
        cmocka_unit_test(the_first_stepping_stone_is_spent),
        cmocka_unit_test(a_limit_leaves_it_undecided),
        cmocka_unit_test(marks_alone_need_no_search),
        cmocka_unit_test(no_link_of_why_can_be_left_out),
        cmocka_unit_test(intervals),
        cmocka_unit_test(a_table_counts),
        cmocka_unit_test(a_table_asks),
        cmocka_unit_test(bins_of_a_list),
        cmocka_unit_test(a_corpus_pair_by_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
