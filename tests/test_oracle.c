/* Oracles against all paths of small machines, each scored by the definition over words as text. */
#include "check.h"
#include "draw.h"
#include "paths.h"
#include <permfst/oracle/additive.h>
#include <permfst/oracle/corpus.h>
#include <permfst/machine/build.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 2 * MAX_ARCS, MOST_REFERENCES = 3, LINE = 400 };

static uint64_t random_state = 1;
static unsigned below(unsigned n) { return draw(&random_state, n); }

/* ---- the definition ---- */

typedef struct {
    char word[MOST_WORDS][12];
    size_t n;
} text;

static text text_of(const char *line) {
    text found = {.n = 0};
    for (const char *at = line; *at;) {
        size_t n = strcspn(at, " ");
        if (n) snprintf(found.word[found.n++], sizeof *found.word, "%.*s", (int)n, at);
        at += n + (at[n] == ' ');
    }
    return found;
}

static size_t times(const text *a, size_t i, const text *b, size_t n) {
    size_t sum = 0;
    for (size_t j = 0; j + n <= b->n; j++) {
        size_t k = 0;
        while (k < n && strcmp(a->word[i + k], b->word[j + k]) == 0) k++;
        sum += k == n;
    }
    return sum;
}

static pf_oracle_counts counts_of(const text *own, const text *reference, size_t refs) {
    pf_oracle_counts counts = {{0}, {0}, own->n, 0};
    for (size_t n = 1; n <= 4; n++) {
        counts.total[n - 1] = own->n < n ? 0 : own->n - n + 1;
        for (size_t i = 0; i + n <= own->n; i++) {
            size_t most = 0, before = 0;
            for (size_t k = 0; k < refs; k++)
                most = times(own, i, &reference[k], n) > most ? times(own, i, &reference[k], n) : most;
            text begin = *own;
            begin.n = i + n - 1;
            before = times(own, i, &begin, n);
            counts.match[n - 1] += before < most;
        }
    }
    for (size_t far = 0, found = 0; !found; far++)
        for (int sign = -1; sign <= 1 && !found; sign += 2)
            for (size_t k = 0; k < refs && !found; k++)
                if ((long)reference[k].n == (long)own->n + sign * (long)far) counts.reference = reference[k].n, found = 1;
    return counts;
}

static long double log_of(const pf_oracle_counts *c, bool brevity) {
    long double sum = 0;
    for (unsigned n = 0; n < 4; n++) sum += c->match[n] ? logl((long double)c->match[n] / (long double)c->total[n]) : logl(1e-10L);
    if (brevity && c->length < c->reference)
        sum += c->length ? 4 - 4 * (long double)c->reference / (long double)c->length : -(long double)INFINITY;
    return sum;
}

/* Do both counts give the same score? By integers: e^x is irrational for each rational x other than 0, so a penalty of one
 * side never makes up for the precisions of the other, and neither do 10^-10 for each precision of 0. */
static bool scores_equal(const pf_oracle_counts *a, const pf_oracle_counts *b, bool brevity) {
    const pf_oracle_counts *side[2] = {a, b};
    uint64_t matches[2] = {1, 1}, totals[2] = {1, 1};
    int zeros[2] = {0, 0};
    size_t missing[2], length[2];
    for (int i = 0; i < 2; i++) {
        for (unsigned n = 0; n < 4; n++)
            if (side[i]->match[n]) matches[i] *= (uint64_t)side[i]->match[n], totals[i] *= (uint64_t)side[i]->total[n];
            else zeros[i]++;
        length[i] = (size_t)side[i]->length;
        missing[i] = brevity && side[i]->length < side[i]->reference ? (size_t)side[i]->reference - length[i] : 0;
    }
    return zeros[0] == zeros[1] && matches[0] * totals[1] == matches[1] * totals[0] &&
           missing[0] * length[1] == missing[1] * length[0];
}

/* ---- scores ---- */

static void counts_compare_as_they_are(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 20000; round++) {
        pf_oracle_counts c[2] = {{{0}, {0}, 0, 0}, {{0}, {0}, 0, 0}};
        for (int i = 0; i < 2; i++) {
            pf_oracle_counts_total(&c[i], 1 + below(round % 3 ? 6 : 30));
            if (i && round % 2) pf_oracle_counts_total(&c[1], c[0].length);
            c[i].reference = 1 + below(8);
            for (unsigned n = 0; n < 4; n++) c[i].match[n] = c[i].total[n] ? below((unsigned)c[i].total[n] + 1) : 0;
        }
        bool brevity = below(2);
        long double one = log_of(&c[0], brevity), other = log_of(&c[1], brevity);
        int expected = scores_equal(&c[0], &c[1], brevity) ? 0 : one < other ? -1 : 1;
        int found = pf_oracle_compare(&c[0], &c[1], brevity);
        CHECK(found == expected, "round %u: expected %d, found %d: %.20Lf %.20Lf", round, expected, found, one, other);
        assert_true(fabs(pf_oracle_log(&c[0], brevity) - (double)one) < 1e-12);
        assert_int_equal(pf_oracle_compare(&c[1], &c[0], brevity), -found);
    }
    /* 6 * 5 * 2 = 5 * 4 * 3; and the same product where the penalties differ by one part in many */
    pf_oracle_counts a = {{7, 6, 5, 2}, {7, 6, 5, 4}, 7, 7}, b = {{7, 5, 4, 3}, {7, 6, 5, 4}, 7, 7};
    assert_int_equal(pf_oracle_compare(&a, &b, true), 0);
    a.length = a.reference = 30000000000;
    b.length = 29999999999, b.reference = 30000000000;
    assert_int_equal(pf_oracle_compare(&a, &b, true), 1);
    assert_int_equal(pf_oracle_compare(&b, &a, true), -1);
    assert_int_equal(pf_oracle_compare(&a, &b, false), 0);
}

/* ---- all paths ---- */

typedef struct {
    path path;
    pf_oracle_counts counts;
    long double log;
} scored;

static const pf_symtab *symbols; /* of the machine at hand; NULL: words are numbers */

static const char *symbol(pf_label label) {
    static char number[2][24];
    static int which;
    if (symbols) return pf_symtab_name(symbols, label, NULL);
    snprintf(number[which = !which], sizeof *number, "%d", (int)label);
    return number[which];
}

static int by_score(const void *first, const void *second) {
    const scored *a = first, *b = second;
    if (fabsl(a->log - b->log) > 1e-13L) return a->log > b->log ? -1 : 1;
    if (a->path.n != b->path.n) return a->path.n < b->path.n ? -1 : 1;
    for (unsigned i = 0; i < a->path.n; i++)
        if (a->path.in[i] != b->path.in[i]) return a->path.in[i] < b->path.in[i] ? -1 : 1;
    for (unsigned i = 0; i < a->path.n; i++) {
        pf_label x = a->path.out[i], y = b->path.out[i];
        if (x == y) continue;
        if (!x || !y) return x < y ? -1 : 1;
        return symbols ? strcmp(symbol(x), symbol(y)) : x < y ? -1 : 1;
    }
    return 0;
}

/* What a path prints. */
static text printed(const path *own) {
    text found = {.n = 0};
    for (unsigned k = 0; k < own->n; k++) {
        if (!own->out[k]) continue;
        text words = text_of(symbol(own->out[k]));
        char *dash;
        while ((dash = strchr(words.word[words.n - 1] + 1, '-')) && dash[1]) {
            snprintf(words.word[words.n], sizeof *words.word, "%s", dash + 1);
            *dash = 0;
            words.n++;
        }
        for (size_t word = 0; word < words.n; word++) memcpy(found.word[found.n++], words.word[word], sizeof *found.word);
    }
    return found;
}

static scored *score_all(pf_fst *fst, const text *reference, size_t refs, bool brevity, size_t *n) {
    paths all = all_paths(fst, (double)INFINITY);
    symbols = fst->osyms;
    scored *out = malloc((all.at.n + 1) * sizeof *out);
    for (size_t i = 0; i < all.at.n; i++) {
        out[i].path = all.at.at[i];
        text t = printed(&out[i].path);
        out[i].counts = counts_of(&t, reference, refs);
        out[i].log = log_of(&out[i].counts, brevity);
    }
    *n = all.at.n;
    if (*n) qsort(out, *n, sizeof *out, by_score);
    PF_VEC_FREE(&all.at);
    return out;
}

static void expect_counts(const pf_oracle_counts *expected, const pf_oracle_counts *found) {
    CHECK(memcmp(expected, found, sizeof *expected) == 0, "expected %u/%u/%u/%u of %u, found %u/%u/%u/%u of %u",
          (unsigned)expected->match[0], (unsigned)expected->match[1], (unsigned)expected->match[2], (unsigned)expected->match[3],
          (unsigned)expected->length, (unsigned)found->match[0], (unsigned)found->match[1], (unsigned)found->match[2],
          (unsigned)found->match[3], (unsigned)found->length);
}

static void expect_labels(const path *expected, const pf_path *found) {
    assert_int_equal(expected->n, found->n);
    for (unsigned i = 0; i < expected->n; i++) {
        assert_int_equal(expected->in[i], found->arc[i].in);
        assert_int_equal(expected->out[i], found->arc[i].out);
    }
}

static void check_best(pf_fst *fst, const pf_oracle_references *references, const scored *all, size_t n, bool brevity) {
    size_t ties = 0;
    while (ties < n && (all[ties].log == all[0].log || fabsl(all[ties].log - all[0].log) <= 1e-13L)) ties++;
    for (size_t wanted = 1; wanted <= 4; wanted += 3) {
        pf_oracle_options options = {.n = wanted, .ties = true, .without_brevity = !brevity, .joiner = "-"};
        pf_oracle_answer answer;
        SUCCEED(pf_oracle_bleu(fst, references, &options, &answer));
        assert_int_equal(answer.counts.n, n < wanted ? n : wanted);
        for (size_t i = 0; i < answer.counts.n; i++) {
            expect_counts(&all[i].counts, &answer.counts.at[i]);
            expect_labels(&all[i].path, &answer.answer.paths.at[i]);
        }
        if (n) CHECK(answer.ties == ties, "%zu of %zu paths are best, found %llu", ties, n, (unsigned long long)answer.ties);
        assert_true(pf_oracle_gap(&answer) == 0 && pf_answer_optimal(&answer.answer));
        pf_oracle_answer_free(&answer);
    }
}

static unsigned ended_by_memory;

/* What a limit of states, or of memory, leaves: some path at its score, and a bound that holds. */
static void check_limits(pf_fst *fst, const pf_oracle_references *references, const scored *all, size_t n, bool brevity,
                         bool memory) {
    for (uint64_t limit = 1; n && limit < (memory ? 200000 : 2000); limit += 1 + limit * (memory ? 8 : 2)) {
        pf_oracle_options options = {.max_states = memory ? 0 : limit, .max_bytes = memory ? limit : 0, .all_bytes = limit % 4 == 1,
                                     .without_brevity = !brevity, .joiner = "-"};
        pf_oracle_answer answer;
        size_t i = 0;
        SUCCEED(pf_oracle_bleu(fst, references, &options, &answer));
        assert_int_equal(answer.counts.n, 1);
        while (i < n && memcmp(&all[i].counts, &answer.counts.at[0], sizeof answer.counts.at[0])) i++;
        assert_true(i < n);
        double best = (double)expl(all[0].log / 4);
        CHECK(answer.bound >= best - 1e-12, "limit %llu: bound %f, best %f", (unsigned long long)limit, answer.bound, best);
        if (!answer.answer.stopped) expect_labels(&all[0].path, &answer.answer.paths.at[0]);
        assert_true(!answer.answer.out_of_memory || (memory && answer.answer.stopped));
        ended_by_memory += memory && answer.answer.stopped;
        pf_oracle_answer_free(&answer);
    }
}

static bool is_dominated(const pf_oracle_counts *c, const scored *all, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool more = false, less = all[i].counts.length != c->length;
        for (unsigned k = 0; k < 4; k++) {
            less = less || all[i].counts.match[k] < c->match[k];
            more = more || all[i].counts.match[k] > c->match[k];
        }
        if (more && !less) return true;
    }
    return false;
}

static void check_front(pf_fst *fst, const pf_oracle_references *references, const scored *all, size_t n) {
    pf_oracle_front front;
    size_t expected = 0;
    SUCCEED(pf_oracle_front_of(fst, references, &(pf_oracle_options){.joiner = "-"}, &front));
    assert_true(front.whole);
    for (size_t i = 0; i < n; i++) { /* `all` has the first of equal counts first */
        bool first = true;
        for (size_t k = 0; k < i && first; k++) first = memcmp(&all[k].counts, &all[i].counts, sizeof all[i].counts) != 0;
        if (!first || is_dominated(&all[i].counts, all, n)) continue;
        expected++;
        size_t at = 0;
        while (at < front.choice.n && memcmp(&front.choice.at[at].counts, &all[i].counts, sizeof all[i].counts)) at++;
        assert_true(at < front.choice.n);
        expect_labels(&all[i].path, &front.choice.at[at].path);
    }
    assert_int_equal(expected, front.choice.n);
    pf_oracle_front_free(&front);
}

static void check_machine(pf_fst *fst, const char (*line)[LINE], size_t refs) {
    pf_oracle_references references;
    text reference[MOST_REFERENCES];
    pf_oracle_references_init(&references);
    for (size_t k = 0; k < refs; k++) {
        reference[k] = text_of(line[k]);
        SUCCEED(pf_oracle_references_add(&references, line[k], strlen(line[k])));
    }
    for (int brevity = 0; brevity < 2; brevity++) {
        size_t n;
        scored *all = score_all(fst, reference, refs, brevity, &n);
        check_best(fst, &references, all, n, brevity);
        if (brevity) check_front(fst, &references, all, n);
        if (brevity) check_limits(fst, &references, all, n, brevity, false);
        if (brevity && n > 100) check_limits(fst, &references, all, n, brevity, true);
        free(all);
    }
    pf_oracle_references_free(&references);
}

/* ---- machines ---- */

static const char *const vocabulary[] = {"a", "b", "c", "to-me", "-", "d", "e", "f"};

/* A sentence of few words; an alternative and an empty one for some slots. */
static pf_fst *draw_sentence(unsigned n, unsigned types, bool alternatives) {
    pf_build build = {0};
    pf_symtab *words;
    pf_fst *fst;
    pf_label label[LENGTH(vocabulary)];
    SUCCEED(pf_symtab_new("words", &words));
    for (size_t i = 0; i < LENGTH(vocabulary); i++) SUCCEED(pf_symtab_add(words, vocabulary[i], strlen(vocabulary[i]), &label[i]));
    SUCCEED(pf_build_state(&build, n));
    for (unsigned i = 0; i < n; i++) {
        pf_label one = label[below(types)];
        SUCCEED(pf_build_arc(&build, i, one, one, 0, i + 1));
        if (!alternatives || below(3)) continue;
        pf_label other = below(2) ? PF_EPSILON : label[below(types)];
        if (other != one) SUCCEED(pf_build_arc(&build, i, other, other, 0.5f, i + 1));
    }
    SUCCEED(pf_build_final(&build, n, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

static void draw_words(char line[LINE], unsigned n, unsigned types) {
    static const char *const word[] = {"a", "b", "c", "to", "me", "d", "e", "-"};
    size_t at = 0;
    line[0] = 0;
    for (unsigned i = 0; i < n; i++) at += (size_t)snprintf(line + at, LINE - at, "%s%s", i ? " " : "", word[below(types)]);
}

static pf_fst *permuted(pf_fst *linear, const char *con) {
    const pf_perm_spec spec = {.con = &con, .n_con = 1};
    pf_fst *fst;
    SUCCEED(pf_perm_lazy(linear, &spec, &fst));
    return fst;
}

static void orders_against_all_orders(void **state PF_UNUSED) {
    static const char *const con[] = {"none", "ibm:2", "ibm:3", "inverse-ibm:3", "local:3", "mj:1", "mj:2", "displacement:2",
                                      "distortion:3", "itg", "itg-span:3", "itg+ibm:3"};
    for (unsigned round = 0; round < 700; round++) {
        const char *own = con[round % LENGTH(con)];
        bool large = strcmp(own, "none") == 0 || strcmp(own, "itg") == 0 || strncmp(own, "i", 1) == 0,
            alternatives = round % 5 == 1;
        unsigned most = alternatives ? 5 : large ? 6 : 7, types = 2 + below(4);
        char line[MOST_REFERENCES][LINE];
        size_t refs = 1 + (below(4) == 0);
        pf_fst *linear = draw_sentence(below(most) + 1, types, alternatives), *fst = permuted(linear, own);
        for (size_t k = 0; k < refs; k++) draw_words(line[k], 1 + below(most + 2), types > 3 ? types + 1 : types);
        check_machine(fst, (const char (*)[LINE])line, refs);
        pf_fst_free(fst);
        pf_fst_free(linear);
    }
}

static void machines_against_all_paths(void **state PF_UNUSED) {
    for (uint64_t seed = 1; seed < 400; seed++) {
        pf_fst *fst = random_machine(seed, false, 0);
        char line[MOST_REFERENCES][LINE];
        size_t refs = 1 + below(2);
        for (size_t k = 0; k < refs; k++) {
            size_t at = 0;
            for (unsigned i = 0, n = 1 + below(6); i < n; i++)
                at += (size_t)snprintf(line[k] + at, LINE - at, "%s%u", i ? " " : "", 1 + below(4));
        }
        check_machine(fst, (const char (*)[LINE])line, refs);
        pf_fst_free(fst);
    }
}

/* ---- metrics that add ---- */

static long double gain_of(const text *s, const text *reference, size_t refs) {
    static const long double theta[] = {0.625L, 0.78125L, 0.9765625L, 1.220703125L};
    long double sum = -(long double)s->n;
    for (size_t n = 1; n <= 4; n++)
        for (size_t i = 0; i + n <= s->n; i++) {
            bool has = false;
            for (size_t k = 0; k < refs; k++) has = has || times(s, i, &reference[k], n);
            if (has) sum += theta[n - 1];
        }
    return sum;
}

static size_t edits_of(const text *a, size_t n, const text *b, size_t m) {
    size_t row[MOST_WORDS + 1];
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 0, diagonal = 0; j <= m; j++) {
            size_t above = row[j];
            size_t own = j ? diagonal + (strcmp(a->word[i - 1], b->word[j - 1]) != 0) : i;
            if (j && row[j - 1] + 1 < own) own = row[j - 1] + 1;
            row[j] = above + 1 < own ? above + 1 : own;
            diagonal = above;
        }
    return row[m];
}

/* All paths by a cost, and what the search of a machine finds: its n best, and how many are best. */
static void check_costs(pf_fst *costs, scored *all, size_t n, bool paths_too) {
    pf_answer answer;
    uint64_t found;
    size_t ties = 0;
    qsort(all, n, sizeof *all, by_score);
    while (ties < n && all[ties].log == all[0].log) ties++;
    SUCCEED(pf_best(costs, &(pf_best_options){.n = paths_too ? 3 : 1}, &answer));
    assert_int_equal(answer.paths.n, n < 3 || !paths_too ? (n ? (paths_too ? n : 1) : 0) : 3);
    for (size_t i = 0; i < answer.paths.n; i++) {
        CHECK((long double)answer.paths.at[i].cost == -all[i].log, "expected %Lf, found %f", -all[i].log, answer.paths.at[i].cost);
        if (paths_too) expect_labels(&all[i].path, &answer.paths.at[i]);
    }
    SUCCEED(pf_oracle_ties(costs, &found));
    if (paths_too) CHECK(found == ties, "expected %zu, found %llu", ties, (unsigned long long)found);
    pf_answer_free(&answer);
    pf_fst_free(costs);
}

static void metrics_that_add(void **state PF_UNUSED) {
    static const char *const con[] = {"none", "ibm:2", "mj:2", "itg", "local:3"};
    for (unsigned round = 0; round < 300; round++) {
        const pf_oracle_options options = {.joiner = "-"};
        unsigned n = 1 + below(5), order[8], place[8], types = 2 + below(4);
        pf_fst *linear = draw_sentence(n, types, round % 3 == 0), *perm = permuted(linear, con[round % LENGTH(con)]), *costs;
        char line[MOST_REFERENCES][LINE];
        const char *lines[MOST_REFERENCES];
        text reference[MOST_REFERENCES];
        size_t refs = 1 + below(2), count;
        pf_oracle_references references;
        pf_oracle_references_init(&references);
        for (size_t k = 0; k < refs; k++) {
            draw_words(line[k], 1 + below(6), types);
            reference[k] = text_of(lines[k] = line[k]);
            SUCCEED(pf_oracle_references_add(&references, line[k], strlen(line[k])));
        }
        scored *all = score_all(perm, reference, refs, true, &count);
        for (size_t i = 0; i < count; i++) {
            text t = printed(&all[i].path);
            all[i].log = gain_of(&t, reference, refs);
        }
        SUCCEED(pf_oracle_linear(perm, &references, &pf_linear_bleu_usual, &options, &costs));
        check_costs(costs, all, count, true);
        for (size_t i = 0; i < count; i++) {
            text t = printed(&all[i].path);
            size_t least = SIZE_MAX;
            for (size_t k = 0; k < refs; k++) {
                size_t own = edits_of(&t, t.n, &reference[k], reference[k].n);
                if (own < least) least = own;
            }
            all[i].log = -(long double)least;
        }
        SUCCEED(pf_oracle_edits(perm, lines, refs, &options, &costs));
        uint64_t ties;
        long double least = INFINITY;
        unsigned nearest = 0;
        for (size_t i = 0; i < count; i++) least = -all[i].log < least ? -all[i].log : least;
        for (size_t i = 0; i < count; i++) nearest += all[i].log == -least;
        SUCCEED(pf_oracle_edit_ties(perm, lines, refs, &options, (uint32_t)least, &ties));
        CHECK(ties == nearest, "expected %u, found %llu", nearest, (unsigned long long)ties);
        check_costs(costs, all, count, false);
        for (unsigned i = 0; i < n; i++) {
            unsigned j = below(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (unsigned i = 0; i < n; i++) place[order[i]] = i;
        for (int chunks = 0; chunks < 2; chunks++) {
            for (size_t i = 0; i < count; i++) {
                unsigned sum = 0;
                for (unsigned k = 0; k < n; k++) {
                    unsigned at = place[all[i].path.in[k] - 1];
                    if (chunks) sum += !k || at != place[all[i].path.in[k - 1] - 1] + 1;
                    for (unsigned m = 0; m < k && !chunks; m++) sum += place[all[i].path.in[m] - 1] > at;
                }
                all[i].log = -(long double)sum;
            }
            SUCCEED((chunks ? pf_oracle_chunks : pf_oracle_kendall)(perm, order, n, &options, &costs));
            check_costs(costs, all, count, true);
        }
        free(all);
        pf_oracle_references_free(&references);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
}

/* ---- corpora ---- */

enum { CORPUS = 3 };

/* The best BLEU of all choices of orders of three sentences; and what choosing finds, and its bound. In a third of the rounds a
 * limit ends the search of fronts. */
static void corpora_against_all_choices(void **state PF_UNUSED) {
    unsigned best_found = 0, bounds = 0, parts = 0;
    for (unsigned round = 0; round < 225; round++) {
        bool limited = round % 3 == 0;
        scored *all[CORPUS];
        size_t count[CORPUS], chosen[CORPUS];
        pf_oracle_front front[CORPUS];
        long double best = -(long double)INFINITY;
        for (size_t i = 0; i < CORPUS; i++) {
            char line[LINE];
            unsigned types = 2 + below(3), n = 3 + below(3);
            pf_fst *linear = draw_sentence(n, types, false), *perm = permuted(linear, "mj:2");
            pf_oracle_references references;
            text reference;
            draw_words(line, n, types);
            reference = text_of(line);
            pf_oracle_references_init(&references);
            SUCCEED(pf_oracle_references_add(&references, line, strlen(line)));
            all[i] = score_all(perm, &reference, 1, true, &count[i]);
            pf_oracle_options options = {.joiner = "-", .max_states = limited ? 1 + below(60) : 0};
            SUCCEED(pf_oracle_front_of(perm, &references, &options, &front[i]));
            assert_true(front[i].whole || limited);
            parts += !front[i].whole;
            pf_oracle_references_free(&references);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
        for (size_t i = 0; i < count[0]; i++)
            for (size_t j = 0; j < count[1]; j++)
                for (size_t k = 0; k < count[2]; k++) {
                    pf_oracle_counts sum = all[0][i].counts;
                    pf_oracle_counts_add(&sum, &all[1][j].counts);
                    pf_oracle_counts_add(&sum, &all[2][k].counts);
                    long double log = log_of(&sum, true);
                    if (log > best) best = log;
                }
        for (int how = 0; how < 3; how++) {
            pf_oracle_counts total;
            double bound;
            pf_oracle_choose(front, CORPUS, (pf_oracle_corpus)how, true, chosen, &total);
            long double found = log_of(&total, true);
            assert_true(found <= best + 1e-12L);
            if (how == PF_CORPUS_ITERATE && !limited) best_found += fabsl(found - best) < 1e-12L;
            if (!pf_oracle_choose_bound(front, CORPUS, &total, true, &bound)) continue;
            bounds++;
            CHECK(bound >= (double)expl(best / 4) - 1e-12, "bound %f, best %Lf", bound, expl(best / 4));
        }
        for (size_t i = 0; i < CORPUS; i++) {
            free(all[i]);
            pf_oracle_front_free(&front[i]);
        }
    }
    CHECK(best_found > 130 && bounds > 100 && parts > 50, "%u of 150 best, %u bounds, %u fronts that are not whole", best_found,
          bounds, parts);
}

static void a_cycle_is_refused(void **state PF_UNUSED) {
    pf_build build = {0};
    pf_oracle_references references;
    pf_oracle_answer answer;
    pf_fst *fst;
    SUCCEED(pf_build_arc(&build, 0, 1, 1, 0, 1));
    SUCCEED(pf_build_arc(&build, 1, 2, 2, 0, 0));
    SUCCEED(pf_build_final(&build, 1, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_oracle_references_init(&references);
    SUCCEED(pf_oracle_references_add(&references, "1 2", 3));
    assert_int_equal(pf_oracle_bleu(fst, &references, &(pf_oracle_options){0}, &answer), PF_EINPUT);
    pf_oracle_answer_free(&answer);
    pf_oracle_references_free(&references);
    pf_fst_free(fst);
}

static void memory_was_a_limit(void **state PF_UNUSED) { CHECK(ended_by_memory > 10, "memory ended %u searches", ended_by_memory); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_compare_as_they_are),
        cmocka_unit_test(orders_against_all_orders),
        cmocka_unit_test(machines_against_all_paths),
        cmocka_unit_test(memory_was_a_limit),
        cmocka_unit_test(metrics_that_add),
        cmocka_unit_test(corpora_against_all_choices),
        cmocka_unit_test(a_cycle_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
