/* Metrics against their definitions, written out over words as text; resampling against all samples there are. */
#include "check.h"
#include <permfst/metric/bootstrap.h>
#include <permfst/metric/report.h>
#include <permfst/metric/systems.h>
#include <permfst/metric/testset.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 9, MOST_REFERENCES = 4 };

typedef struct {
    const char *word[MOST_WORDS];
    size_t n;
} sentence;

static uint64_t random_state = 1;
static unsigned draw(unsigned n) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % n;
}

static sentence draw_sentence(unsigned words) {
    static const char *const word[] = {"a", "b", "ab", "ba", "c", "B"};
    sentence s = {.n = draw(MOST_WORDS + 1)};
    for (size_t i = 0; i < s.n; i++) s.word[i] = word[draw(words)];
    return s;
}

static size_t text_of(const sentence *s, char *to) {
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += (size_t)sprintf(to + n, "%s%s", i ? " " : "", s->word[i]);
    return n;
}

/* ---- the definitions ---- */

static bool same_gram(const sentence *a, size_t i, const sentence *b, size_t j, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (strcmp(a->word[i + k], b->word[j + k])) return false;
    return true;
}

/* How often the n-gram at i of `a` is in b. */
static size_t times(const sentence *a, size_t i, const sentence *b, size_t n) {
    size_t sum = 0;
    for (size_t j = 0; j + n <= b->n; j++) sum += same_gram(a, i, b, j, n);
    return sum;
}

static bool seen_before(const sentence *s, size_t i, size_t n) {
    for (size_t j = 0; j < i; j++)
        if (same_gram(s, i, s, j, n)) return true;
    return false;
}

static size_t clipped(const sentence *s, const sentence *r, size_t refs, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i + n <= s->n; i++) {
        size_t most = 0, own = times(s, i, s, n);
        for (size_t k = 0; k < refs; k++) most = times(s, i, &r[k], n) > most ? times(s, i, &r[k], n) : most;
        if (!seen_before(s, i, n)) sum += own < most ? own : most;
    }
    return sum;
}

static size_t closest(const sentence *s, const sentence *r, size_t refs) {
    for (size_t far = 0;; far++) /* the shorter first */
        for (int sign = -1; sign <= 1; sign += 2)
            for (size_t k = 0; k < refs; k++)
                if ((long)r[k].n == (long)s->n + sign * (long)far) return r[k].n;
}

/* All ways to edit: the last words are a pair, or one of them stands alone. */
static size_t edits(const sentence *a, size_t n, const sentence *b, size_t m) {
    if (!n || !m) return n + m;
    size_t pair = edits(a, n - 1, b, m - 1) + (strcmp(a->word[n - 1], b->word[m - 1]) != 0);
    size_t left = edits(a, n - 1, b, m) + 1, right = edits(a, n, b, m - 1) + 1;
    size_t alone = left < right ? left : right;
    return pair < alone ? pair : alone;
}

static size_t bag_errors(const sentence *a, const sentence *b) {
    bool used[MOST_WORDS] = {false};
    size_t matches = 0;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            if (!used[j] && strcmp(a->word[i], b->word[j]) == 0) {
                used[j] = true;
                matches++;
                break;
            }
    return (a->n > b->n ? a->n : b->n) - matches;
}

/* ---- statistics ---- */

typedef struct {
    pf_statetab vocabulary;
    pf_tokens words;
} text;

static void begin_text(text *t) {
    *t = (text){0};
    pf_statetab_init(&t->vocabulary, 0);
}

static void end_text(text *t) {
    pf_statetab_free(&t->vocabulary);
    pf_tokens_free(&t->words);
}

static void add(text *t, const char *words, size_t n) {
    SUCCEED(pf_tokens_add(&t->words, pf_tokeniser_at(0), &t->vocabulary, words, n));
}

static pf_metric metric(const char *name, pf_bleu_options bleu) {
    const pf_metric_class *cls;
    pf_metric m;
    SUCCEED(pf_metric_find(PF_METRIC_WORDS, name, strlen(name), &cls));
    SUCCEED(pf_metric_init(&m, cls, &(pf_metric_options){.bleu = bleu}));
    return m;
}

static void check_bleu(pf_metric *m, const sentence *s, const sentence *r, size_t refs, const double *found) {
    unsigned order = m->options.bleu.order;
    CHECK(found[0] == (double)s->n && found[1] == (double)closest(s, r, refs), "lengths %f %f", found[0], found[1]);
    for (unsigned n = 1; n <= order; n++) {
        CHECK(found[1 + n] == (double)clipped(s, r, refs, n), "matches of order %u: %f", n, found[1 + n]);
        CHECK(found[1 + order + n] == (s->n < n ? 0 : (double)(s->n - n + 1)), "total of order %u", n);
    }
}

static size_t edits_of(const sentence *a, const sentence *b) { return edits(a, a->n, b, b->n); }

static void check_errors(size_t (*errors)(const sentence *, const sentence *), const sentence *s, const sentence *r,
                         size_t refs, const double *found) {
    size_t least = SIZE_MAX, length = 0;
    for (size_t k = 0; k < refs; k++) least = errors(s, &r[k]) < least ? errors(s, &r[k]) : least;
    for (size_t k = 0; k < refs; k++)
        if (errors(s, &r[k]) == least && r[k].n > length) length = r[k].n;
    CHECK(found[0] == (double)least && found[1] == (double)length, "%f of %f", found[0], found[1]);
}

static void statistics_are_those_of_the_definitions(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 1500; round++) {
        pf_bleu_options o = pf_bleu_usual();
        char words[200];
        text t;
        double found[PF_METRIC_STATISTICS];
        sentence s = draw_sentence(1 + round % 6), r[MOST_REFERENCES];
        pf_segment one[MOST_REFERENCES];
        size_t refs = 1 + draw(MOST_REFERENCES);
        o.order = 1 + draw(5);
        pf_metric bleu = metric("bleu", o), wer = metric("wer", o), per = metric("per", o);
        begin_text(&t);
        add(&t, words, text_of(&s, words));
        for (size_t k = 0; k < refs; k++) {
            r[k] = draw_sentence(1 + round % 6);
            add(&t, words, text_of(&r[k], words));
        }
        for (size_t k = 0; k < refs; k++) one[k] = pf_tokens_at(&t.words, 1 + k);
        SUCCEED(bleu.cls->count(&bleu, pf_tokens_at(&t.words, 0), &(pf_references){one, refs, 0}, found));
        check_bleu(&bleu, &s, r, refs, found);
        SUCCEED(per.cls->count(&per, pf_tokens_at(&t.words, 0), &(pf_references){one, refs, 0}, found));
        check_errors(bag_errors, &s, r, refs, found);
        pf_segment begin = pf_tokens_at(&t.words, 0);
        begin.n = s.n = s.n < 6 ? s.n : 6; /* all edits of more take long */
        SUCCEED(wer.cls->count(&wer, begin, &(pf_references){one, refs, 0}, found));
        check_errors(edits_of, &s, r, refs, found);
        end_text(&t);
        pf_metric_free(&bleu);
        pf_metric_free(&wer);
        pf_metric_free(&per);
    }
}

/* A long segment makes a large table; the short ones after it must not find what it had. */
static void long_segments(void **state PF_UNUSED) {
    enum { LONG = 40000 };
    pf_metric m = metric("bleu", pf_bleu_usual()), per = metric("per", pf_bleu_usual());
    double found[PF_METRIC_STATISTICS];
    text t;
    begin_text(&t);
    for (unsigned i = 0; i < LONG; i++) {
        char word[20];
        add(&t, word, (size_t)sprintf(word, "%u", i));
    }
    pf_segment whole = {t.words.word.at, LONG}, two = {t.words.word.at, 2}, others = {t.words.word.at + 1, 2};
    for (int round = 0; round < 3; round++) {
        SUCCEED(m.cls->count(&m, whole, &(pf_references){&whole, 1, 0}, found));
        CHECK(found[2] == LONG && found[5] == LONG - 3, "%f %f", found[2], found[5]);
        SUCCEED(m.cls->count(&m, two, &(pf_references){&others, 1, 0}, found));
        CHECK(found[2] == 1 && found[3] == 0 && found[7] == 1, "%f %f %f", found[2], found[3], found[7]);
        SUCCEED(per.cls->count(&per, whole, &(pf_references){&two, 1, 0}, found));
        CHECK(found[0] == LONG - 2 && found[1] == 2, "%f %f", found[0], found[1]);
    }
    end_text(&t);
    pf_metric_free(&m);
    pf_metric_free(&per);
}

/* ---- scores by hand ---- */

static void scores_by_hand(void **state PF_UNUSED) {
    static const struct {
        double sum[10]; /* c, r, matches, n-grams */
        pf_smoothing smoothing;
        double value;
        bool effective;
        double score;
    } cases[] = {
        /* the cat sat on mat / the cat sat on the mat: 1, 3/4, 2/3, 1/2; exp(-1/5) of the fourth root of 1/4 */
        {{5, 6, 5, 3, 2, 1, 5, 4, 3, 2}, PF_SMOOTH_EXP, -1, false, 57.8930},
        {{6, 6, 6, 5, 4, 3, 6, 5, 4, 3}, PF_SMOOTH_NONE, -1, false, 100},
        /* two orders without a match: 1/2 * 1/2 and 1/4 * 1/1 */
        {{4, 4, 2, 1, 0, 0, 4, 3, 2, 1}, PF_SMOOTH_EXP, -1, false, 31.9472}, /* (1/2 1/3 1/4 1/4)^(1/4) */
        {{4, 4, 2, 1, 0, 0, 4, 3, 2, 1}, PF_SMOOTH_NONE, -1, false, 0},
        {{4, 4, 2, 1, 0, 0, 4, 3, 2, 1}, PF_SMOOTH_FLOOR, 0.1, false, 16.9904}, /* (1/2 1/3 1/20 1/10)^(1/4) */
        {{4, 4, 2, 1, 0, 0, 4, 3, 2, 1}, PF_SMOOTH_ADD_K, 1, false, 45.1801},   /* (1/2 2/4 1/3 1/2)^(1/4) */
        {{4, 4, 2, 1, 0, 0, 4, 3, 2, 1}, PF_SMOOTH_FLOOR, 0, false, 0},
        /* two words: no 3-gram at all */
        {{2, 2, 2, 1, 0, 0, 2, 1, 0, 0}, PF_SMOOTH_EXP, -1, false, 0},
        {{2, 2, 2, 1, 0, 0, 2, 1, 0, 0}, PF_SMOOTH_EXP, -1, true, 100},
        {{2, 2, 1, 0, 0, 0, 2, 1, 0, 0}, PF_SMOOTH_EXP, -1, true, 50}, /* (1/2 1/2)^(1/2) */
        {{2, 2, 2, 1, 0, 0, 2, 1, 0, 0}, PF_SMOOTH_ADD_K, 1, false, 100},
        {{4, 4, 0, 0, 0, 0, 4, 3, 2, 1}, PF_SMOOTH_EXP, -1, true, 0},
        {{0, 4, 0, 0, 0, 0, 0, 0, 0, 0}, PF_SMOOTH_ADD_K, 1, true, 0},
        {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, PF_SMOOTH_EXP, -1, true, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        pf_bleu_options o = {4, cases[i].smoothing, cases[i].value, cases[i].effective};
        pf_bleu b;
        pf_bleu_of(&o, cases[i].sum, &b);
        CHECK(fabs(b.score - cases[i].score) < 1e-4, "case %zu: expected %f, found %f", i, cases[i].score, b.score);
    }
    pf_metric wer = metric("wer", pf_bleu_usual());
    assert_true(pf_metric_score(&wer, (double[]){3, 4}) == 0.75);
    assert_true(pf_metric_score(&wer, (double[]){0, 0}) == 0);
    assert_true(pf_metric_score(&wer, (double[]){5, 0}) == 1);
    pf_metric_free(&wer);
}

static void what_makes_no_sense_is_refused(void **state PF_UNUSED) {
    const pf_metric_class *cls, *bleu;
    pf_metric m;
    assert_int_equal(pf_metric_find(PF_METRIC_WORDS, "bleu", 4, &bleu), PF_OK);
    assert_int_equal(pf_metric_find(PF_METRIC_WORDS, "bleus", 5, &cls), PF_EARG);
    assert_int_equal(pf_metric_find(PF_METRIC_WORDS, "ble", 3, &cls), PF_EARG);
    for (unsigned order = 0; order <= PF_BLEU_ORDER + 1; order += PF_BLEU_ORDER + 1) {
        pf_metric_options o = {.bleu = pf_bleu_usual()};
        o.bleu.order = order;
        assert_int_equal(pf_metric_init(&m, bleu, &o), PF_EARG);
        pf_metric_free(&m);
    }
}

static const pf_tokeniser *tokeniser_named(const char *name) {
    size_t i = 0;
    while (strcmp(pf_tokeniser_at(i)->name, name) != 0) i++;
    return pf_tokeniser_at(i);
}

/* ---- tokens ---- */

static void tokens_by_hand(void **state PF_UNUSED) {
    static const struct {
        const char *tokeniser, *text, *tokens; /* with | between */
    } cases[] = {
        {"none", " a\tb\v\f\rc\nd ", "a|b|c|d"},
        {"none", "don't 1,000.5 a\xc2\xa0" "b", "don't|1,000.5|a\xc2\xa0" "b"},
        {"13a", "don't 1,000.5 U.S. x,y a-b 2-3", "don't|1,000.5|U|.|S|.|x|,|y|a-b|2|-|3"},
        {"13a", "\"Hi!\" (a/b) {x}~[y]`$5%", "\"|Hi|!|\"|(|a|/|b|)|{|x|}|~|[|y|]|`|$|5|%"},
        {"13a", "&quot;R&amp;D&quot; &lt;x&gt; &amp;lt; <skipped>z", "\"|R|&|D|\"|<|x|>|<|z"},
        {"13a", "end. .5 5. 5.a a.5 ..", "end|.|.|5|5|.|5|.|a|a|.|5|.|."},
        {"13a", "hyphen-\nation two\nlines", "hyphenation|two|lines"},
        {"13a", "\xc3\xa9. .\xc3\xa9 \xc2\xab" "a\xc2\xbb,", "\xc3\xa9|.|.|\xc3\xa9|\xc2\xab" "a\xc2\xbb|,"},
        {"13a", "", ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        text t;
        char found[200] = "";
        begin_text(&t);
        SUCCEED(pf_tokens_add(&t.words, tokeniser_named(cases[i].tokeniser), &t.vocabulary, cases[i].text, strlen(cases[i].text)));
        for (size_t k = 0; k < t.words.word.n; k++) {
            size_t n;
            const char *word = pf_statetab_key(&t.vocabulary, t.words.word.at[k], &n);
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s", k ? "|" : "", (int)n, word);
        }
        CHECK(strcmp(found, cases[i].tokens) == 0, "%s: expected %s, found %s", cases[i].text, cases[i].tokens, found);
        end_text(&t);
    }
}

/* ---- resampling ---- */

static void intervals_and_p_by_hand(void **state PF_UNUSED) {
    double score[1000];
    pf_interval i;
    for (int k = 0; k < 1000; k++) score[k] = (k * 7) % 1000;
    SUCCEED(pf_interval_of(score, 1000, &i));
    assert_true(i.low == 25 && i.high == 974 && fabs(i.mean - 499.5) < 1e-9);
    SUCCEED(pf_interval_of(score, 1, &i));
    assert_true(i.low == 0 && i.high == 0 && i.mean == 0);
    /* differences 1 1 1 5, mean 2, less that -1 -1 -1 3: one is as large as 3 */
    double a[] = {2, 1, 3, 6}, b[] = {1, 2, 2, 1};
    assert_true(pf_bootstrap_p(a, b, 4, 10, 13) == 2.0 / 5);
    assert_true(pf_bootstrap_p(b, a, 4, 10, 13.5) == 1.0 / 5);
    assert_true(pf_bootstrap_p(a, a, 4, 10, 10) == 1);
}

enum { SEGMENTS = 4 };

/* Errors and lengths that do not average to the quotient of the sums. */
static void statistics(pf_statistics *s, const double *errors) {
    static const double lengths[SEGMENTS] = {2, 10, 5, 3};
    *s = (pf_statistics){.width = 2, .n = SEGMENTS};
    for (size_t i = 0; i < SEGMENTS; i++) {
        SUCCEED(PF_PUSH(&s->at, errors[i]));
        SUCCEED(PF_PUSH(&s->at, lengths[i]));
    }
}

static double rate(const pf_statistics *s, const size_t *chosen) {
    double e = 0, n = 0;
    for (size_t i = 0; i < SEGMENTS; i++) {
        e += s->at.at[2 * chosen[i]];
        n += s->at.at[2 * chosen[i] + 1];
    }
    return e / n;
}

/* Many samples have the mean and the share below a bound that all 4^4 have. */
static void bootstrap_draws_all_samples_alike(void **state PF_UNUSED) {
    enum { DRAWN = 200000, ALL = SEGMENTS * SEGMENTS * SEGMENTS * SEGMENTS };
    pf_metric m = metric("wer", pf_bleu_usual());
    pf_statistics s;
    double *score = malloc(DRAWN * sizeof *score), mean = 0, below = 0, drawn_mean = 0, drawn_below = 0;
    statistics(&s, (const double[]){2, 1, 4, 0});
    for (size_t k = 0; k < ALL; k++) {
        size_t chosen[SEGMENTS] = {k % 4, k / 4 % 4, k / 16 % 4, k / 64};
        mean += rate(&s, chosen) / ALL;
        below += (rate(&s, chosen) < 0.3) / (double)ALL;
    }
    pf_bootstrap(&m, &s, DRAWN, 7, score);
    for (size_t k = 0; k < DRAWN; k++) {
        drawn_mean += score[k] / DRAWN;
        drawn_below += (score[k] < 0.3) / (double)DRAWN;
    }
    CHECK(fabs(mean - drawn_mean) < 0.003, "mean %f, drawn %f", mean, drawn_mean);
    CHECK(fabs(below - drawn_below) < 0.01, "share %f, drawn %f", below, drawn_below);
    double first = score[0], last = score[999];
    pf_bootstrap(&m, &s, 1000, 7, score);
    assert_true(score[0] == first && score[999] == last);
    pf_bootstrap(&m, &s, 1000, 8, score);
    assert_false(score[0] == first && score[999] == last && score[1] == score[2]);
    free(score);
    pf_statistics_free(&s);
    pf_metric_free(&m);
}

/* The p value of many trials is the share of all 2^4 exchanges whose difference is as large. */
static void randomisation_tries_all_exchanges_alike(void **state PF_UNUSED) {
    static const double of_a[][SEGMENTS] = {{2, 1, 4, 0}, {2, 3, 1, 1}, {0, 0, 0, 0}};
    static const double of_b[][SEGMENTS] = {{1, 2, 2, 3}, {1, 7, 4, 2}, {1, 3, 5, 2}};
    pf_metric m = metric("per", pf_bleu_usual());
    for (size_t c = 0; c < LENGTH(of_a); c++) {
        pf_statistics a, b;
        double p, share = 0, found = 0;
        statistics(&a, of_a[c]);
        statistics(&b, of_b[c]);
        for (unsigned mask = 0; mask < 1u << SEGMENTS; mask++) {
            double x = 0, y = 0;
            for (unsigned i = 0; i < SEGMENTS; i++) {
                x += mask >> i & 1 ? of_b[c][i] : of_a[c][i];
                y += mask >> i & 1 ? of_a[c][i] : of_b[c][i];
            }
            if (!mask) found = fabs(x - y);
            share += (fabs(x - y) >= found) / (double)(1u << SEGMENTS);
        }
        SUCCEED(pf_randomisation_p(&m, &a, &b, 100000, 3, &p));
        CHECK(fabs(p - share) < 0.01, "case %zu: all %f, tried %f", c, share, p);
        SUCCEED(pf_randomisation_p(&m, &a, &a, 100, 3, &p));
        assert_true(p == 1);
        pf_statistics_free(&a);
        pf_statistics_free(&b);
    }
    pf_metric_free(&m);
}

/* ---- systems ---- */

static void read_docs(const char *lines, pf_docs *docs) {
    pf_reader *r;
    SUCCEED(pf_reader_memory(lines, strlen(lines), "text", &r));
    SUCCEED(pf_docs_read(r, PF_DOCS_TEXT, docs));
    pf_reader_free(r);
}

/* ---- NIST and RIBES ---- */

enum { TEXTS = 6 };

/* How often the n-gram at i of `s` is in all references. */
static double times_in_all(const sentence *s, size_t i, size_t n, sentence (*r)[2], size_t texts, size_t refs) {
    double sum = 0;
    for (size_t k = 0; k < texts; k++)
        for (size_t j = 0; j < refs; j++) sum += n ? (double)times(s, i, &r[k][j], n) : (double)r[k][j].n;
    return sum;
}

static double nist_by_definition(const sentence *s, sentence (*r)[2], size_t texts, size_t refs) {
    double score = 0, words = 0, mean = 0;
    for (size_t k = 0; k < texts; k++) {
        words += (double)s[k].n;
        for (size_t j = 0; j < refs; j++) mean += (double)r[k][j].n / (double)refs;
    }
    for (size_t n = 1; n <= 5; n++) {
        double gain = 0, total = 0;
        for (size_t k = 0; k < texts; k++)
            for (size_t i = 0; i + n <= s[k].n; i++) {
                size_t most = 0, own = times(&s[k], i, &s[k], n);
                total++;
                for (size_t j = 0; j < refs; j++) most = times(&s[k], i, &r[k][j], n) > most ? times(&s[k], i, &r[k][j], n) : most;
                if (!most || seen_before(&s[k], i, n)) continue;
                double info = log2(times_in_all(&s[k], i, n - 1, r, texts, refs) / times_in_all(&s[k], i, n, r, texts, refs));
                gain += (double)(own < most ? own : most) * info;
            }
        score += gain / fmax(total, 1);
    }
    double log_ratio = log(words / mean), beta = log(2) / (log(1.5) * log(1.5));
    return words == 0 ? 0 : words >= mean ? score : score * exp(-beta * log_ratio * log_ratio);
}

/* The only place of b where the n words from i of a stand; -1: none, or several. */
static int only_place(const sentence *a, size_t i, const sentence *b, size_t n) {
    int place = -1;
    for (size_t j = 0; j + n <= b->n; j++) {
        if (!same_gram(a, i, b, j, n)) continue;
        if (place >= 0) return -1;
        place = (int)j;
    }
    return place;
}

static double ribes_by_definition(const sentence *s, const sentence *r) {
    int place[MOST_WORDS];
    size_t q = 0;
    double ascending = 0;
    for (size_t i = 0; i < s->n; i++) {
        int found = -1;
        for (size_t k = 0; k <= s->n && found < 0; k++) {
            if (i >= k && only_place(s, i - k, s, k + 1) >= 0 && only_place(s, i - k, r, k + 1) >= 0)
                found = only_place(s, i - k, r, k + 1) + (int)k;
            else if (i + k < s->n && only_place(s, i, s, k + 1) >= 0 && only_place(s, i, r, k + 1) >= 0)
                found = only_place(s, i, r, k + 1);
        }
        if (found >= 0) place[q++] = found;
    }
    for (size_t i = 0; i < q; i++)
        for (size_t j = 0; j < i; j++) ascending += place[j] < place[i];
    double nkt = q >= 2 ? ascending / ((double)q * (double)(q - 1) / 2) : q == 1 && r->n == 1;
    if (!s->n) return 0;
    return nkt * pow((double)q / (double)s->n, 0.25) * pow(fmin(1, exp(1 - (double)r->n / (double)s->n)), 0.10);
}

static void nist_and_ribes_are_those_of_the_definitions(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 600; round++) {
        sentence systems[TEXTS], given[TEXTS][2];
        size_t texts = 1 + draw(TEXTS), refs = 1 + draw(2);
        char words[200];
        double sum[PF_METRIC_STATISTICS] = {0}, found[PF_METRIC_STATISTICS], mean = 0;
        pf_metric nist = metric("nist", pf_bleu_usual()), ribes = metric("ribes", pf_bleu_usual());
        text t;
        begin_text(&t);
        for (size_t k = 0; k < texts; k++) {
            systems[k] = draw_sentence(1 + round % 6);
            add(&t, words, text_of(&systems[k], words));
            for (size_t j = 0; j < refs; j++) {
                while (given[k][j] = draw_sentence(1 + round % 6), !given[k][j].n) {}
                add(&t, words, text_of(&given[k][j], words));
            }
        }
        for (int counting = 0; counting < 2; counting++)
            for (size_t k = 0; k < texts; k++) {
                pf_segment one[2];
                pf_references references = {one, refs, 0};
                for (size_t j = 0; j < refs; j++) one[j] = pf_tokens_at(&t.words, k * (1 + refs) + 1 + j);
                if (!counting) {
                    SUCCEED(nist.cls->learn(&nist, &references));
                    continue;
                }
                SUCCEED(nist.cls->count(&nist, pf_tokens_at(&t.words, k * (1 + refs)), &references, found));
                for (unsigned i = 0; i < nist.cls->width(&nist.options); i++) sum[i] += found[i];
                SUCCEED(ribes.cls->count(&ribes, pf_tokens_at(&t.words, k * (1 + refs)), &references, found));
                double best = ribes_by_definition(&systems[k], &given[k][0]);
                if (refs > 1) best = fmax(best, ribes_by_definition(&systems[k], &given[k][1]));
                CHECK(fabs(pf_metric_score_one(&ribes, found) - best) < 1e-9, "RIBES: expected %f, found %f", best,
                      pf_metric_score_one(&ribes, found));
                mean += best / (double)texts;
            }
        double expected = nist_by_definition(systems, given, texts, refs), score = pf_metric_score(&nist, sum);
        CHECK(fabs(expected - score) < 1e-5, "NIST: expected %f, found %f", expected, score);
        end_text(&t);
        pf_metric_free(&nist);
        pf_metric_free(&ribes);
    }
}

/* Texts with | between sentences; references likewise. */
static void score_texts(const char *name, const char *system, const char *const *reference, size_t refs, double expected) {
    pf_systems s;
    const pf_metric_class *cls;
    const pf_metric_options o = {.bleu = pf_bleu_usual()};
    size_t extra, first;
    pf_systems_init(&s, pf_tokeniser_at(0));
    SUCCEED(pf_metric_find(PF_METRIC_WORDS, name, strlen(name), &cls));
    SUCCEED(pf_systems_metric(&s, cls, &o));
    for (size_t k = 0; k <= refs; k++) {
        char lines[200];
        pf_docs docs;
        snprintf(lines, sizeof lines, "%s\n", k < refs ? reference[k] : system);
        for (char *at = lines; *at; at++)
            if (*at == '|') *at = '\n';
        read_docs(lines, &docs);
        SUCCEED(k < refs ? pf_systems_reference(&s, &docs.set.at[0], "ref")
                : pf_systems_add(&s, &docs.set.at[0], "h", &extra, &first));
        pf_docs_free(&docs);
    }
    for (size_t i = 0; i < s.set.n; i++) SUCCEED(pf_systems_count(&s, i));
    double found = pf_systems_score(&s, 0, 0);
    CHECK(isnan(expected) ? isnan(found) : fabs(found - expected) < 1e-6, "%s of '%s': expected %f, found %f", name, system,
          expected, found);
    pf_systems_free(&s);
}

static void scores_of_texts_by_hand(void **state PF_UNUSED) {
    static const struct {
        const char *metric, *system, *reference[2];
        double score;
    } cases[] = {
        {"nist", "a b", {"a b"}, 1},
        {"nist", "yes", {"yes"}, 0},
        {"nist", "a a a", {"a a a"}, 1.584963},
        {"nist", "the cat is on the mat|a b c d e", {"the cat is on the mat|a b c d e"}, 3.499836},
        {"nist", "the quick brown fox", {"the quick brown fox jumps over the lazy dog"}, 0.203329},
        {"nist", "a a a a", {"a b a c", "d a a e"}, 1.166667},
        {"nist", "a b c d e", {"a b c d e f", "a b c d"}, 4.605261},
        {"nist", "A b", {"a b"}, 0.5},
        {"ribes", "f e d c b a", {"a b c d e f"}, 0},
        {"ribes", "a b c x d e f", {"a b c y d e f"}, 0.962195},
        {"ribes", "the cat saw the dog and the cat ran", {"the dog saw the cat and the cat ran"}, 0.849666},
        {"ribes", "a b a b a b a", {"b a b a b a b"}, 0.579628},
        {"ribes", "a a a", {"a a a"}, 0.903602},
        {"ribes", "yes", {"yes it is so"}, 0},
        {"ribes", "yes it is so", {"yes"}, 0.707107},
        {"ribes", "YES", {"yes"}, 1},
        {"ribes", "a b|a b", {"a b|"}, NAN},
        {"ribes", "a b|a b", {"a b|a b", "a b|"}, NAN},
        {"ribes", "|a b", {"a b|a b"}, 0.5},
        {"mwer", "the the the the the the the", {"the cat is on the mat", "there is a cat on the mat"}, 5.0 / 6},
        {"per", "the the the the the the the", {"the cat is on the mat", "there is a cat on the mat"}, 5.0 / 6},
        {"mwer", "a b c d|e f g h i j", {"a b c d x x x|e f g", "a b|e f g h i j k l m"}, 5.0 / 11},
        {"mwer", "a b c d e", {"a b c d e f", "a b c d"}, 1.0 / 6},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        score_texts(cases[i].metric, cases[i].system, cases[i].reference, cases[i].reference[1] ? 2 : 1, cases[i].score);
}

static void lower_case_by_hand(void **state PF_UNUSED) {
    static const char upper[] =
        "aZ\xc3\x84\xc3\x97\xc3\x9f \xc4\xb0\xc4\xbd\xc4\xbe\xce\xa3\xd0\x96\xe1\xba\x9e\xe1\xbb\xb8\xff\xc3"
        "A\xe1\x90"
        "A\xc3";
    static const char lower[] =
        "az\xc3\xa4\xc3\x97\xc3\x9f \xc4\xb0\xc4\xbe\xc4\xbe\xcf\x83\xd0\xb6\xe1\xba\x9e\xe1\xbb\xb9\xff\xc3"
        "a\xe1\x90"
        "a\xc3";
    pf_token_text found = {0};
    SUCCEED(pf_lower_case(upper, sizeof upper - 1, &found));
    assert_int_equal(found.n, sizeof lower - 1);
    assert_memory_equal(found.at, lower, found.n);
    PF_VEC_FREE(&found);
}

static void set_up(pf_systems *s) {
    static const char *const lines[] = {"a b c d e\nb b\nc a\n", "a b c d e\nb\nc\n", "a b c d e\nb b\nc a\n"};
    const pf_metric_options o = {.bleu = pf_bleu_usual()};
    const pf_metric_class *cls;
    size_t extra, first;
    pf_systems_init(s, tokeniser_named("none"));
    SUCCEED(pf_metric_find(PF_METRIC_WORDS, "wer", 3, &cls));
    SUCCEED(pf_systems_metric(s, cls, &o));
    for (size_t i = 0; i < LENGTH(lines); i++) {
        pf_docs docs;
        read_docs(lines[i], &docs);
        if (!i) SUCCEED(pf_systems_reference(s, &docs.set.at[0], "ref"));
        else SUCCEED(pf_systems_add(s, &docs.set.at[0], "hyp", &extra, &first));
        pf_docs_free(&docs);
    }
    for (size_t i = 0; i < s->set.n; i++) SUCCEED(pf_systems_count(s, i));
}

/* Two test sets at once do not know of one another, and the same seed gives the same answers. */
static void systems_by_hand(void **state PF_UNUSED) {
    const pf_resampling boot = {.samples = 200, .paired = true, .seed = 7}, randomised = {.trials = 200, .seed = 7};
    pf_systems s[2];
    pf_resampled r[2];
    for (int i = 0; i < 2; i++) set_up(&s[i]);
    assert_true(fabs(pf_systems_score(&s[0], 0, 0) - 2.0 / 9) < 1e-12 && pf_systems_score(&s[0], 1, 0) == 0);
    assert_true(pf_systems_segment(&s[0], 0, 0, 1)[0] == 1 && pf_systems_segment(&s[0], 0, 0, 1)[1] == 2);
    for (int i = 0; i < 2; i++) {
        SUCCEED(pf_systems_resample(&s[i], 0, 0, &boot, &r[i]));
        assert_true(isnan(r[i].p_value) && r[i].interval.low <= 2.0 / 9 && r[i].interval.high >= 2.0 / 9);
    }
    assert_true(r[0].interval.mean == r[1].interval.mean && r[0].interval.low == r[1].interval.low);
    for (int i = 0; i < 2; i++) SUCCEED(pf_systems_resample(&s[i], 1, 0, &boot, &r[i]));
    assert_true(r[0].p_value == r[1].p_value && r[0].p_value > 0 && r[0].p_value <= 1);
    assert_true(fabs(r[0].difference + 2.0 / 9) < 1e-12 && r[0].differences.low <= r[0].difference);
    assert_true(r[0].differences.low < r[0].differences.high && r[0].differences.high <= 0);
    SUCCEED(pf_systems_resample(&s[0], 1, 0, &randomised, &r[0]));
    assert_true(fabs(r[0].difference + 2.0 / 9) < 1e-12 && isnan(r[0].differences.low));
    assert_true(isnan(r[0].interval.mean) && r[0].p_value > 0 && r[0].p_value <= 1);
    for (int i = 0; i < 2; i++) pf_systems_free(&s[i]);
}

static void is_report(pf_systems *s, const pf_report_options *how, const char *expected) {
    pf_writer *w;
    size_t n;
    SUCCEED(pf_writer_memory(&w));
    SUCCEED(pf_systems_report(s, how, w));
    const char *at = (const char *)pf_writer_bytes(w, &n);
    CHECK(n == strlen(expected) && memcmp(at, expected, n) == 0, "%.*s", (int)n, at);
    pf_writer_free(w);
}

static void count_reports(void *self, uint64_t n) { assert_int_equal(n, ++*(uint64_t *)self); }

static void reports_by_hand(void **state PF_UNUSED) {
    uint64_t told = 0;
    pf_systems s;
    set_up(&s);
    s.system.at[1].name[0] = '\xff'; /* no UTF-8 */
    is_report(&s, &(pf_report_options){.format = PF_TABLE_PADDED, .digits = 2, .version = "V", .progress = count_reports,
                                       .self = &told},
              "system  metric      score  details\n"
              "hyp     WER          0.22  errors=2 ref_len=9\n"
              "\xffyp     WER          0.00  errors=0 ref_len=9\n"
              "\nWER|nrefs:1|case:mixed|tok:none|version:V\n");
    assert_int_equal(told, 2);
    is_report(&s, &(pf_report_options){.format = PF_TABLE_TSV, .digits = 1, .sentences = true, .version = "V"},
              "sentence\tsystem\tmetric\tscore\tdetails\tsignature\n"
              "1\thyp\tWER\t0.0\terrors=0 ref_len=5\tnrefs:1|case:mixed|tok:none|version:V\n"
              "1\t\xffyp\tWER\t0.0\terrors=0 ref_len=5\tnrefs:1|case:mixed|tok:none|version:V\n"
              "2\thyp\tWER\t0.5\terrors=1 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n"
              "2\t\xffyp\tWER\t0.0\terrors=0 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n"
              "3\thyp\tWER\t0.5\terrors=1 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n"
              "3\t\xffyp\tWER\t0.0\terrors=0 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n");
    is_report(&s, &(pf_report_options){.format = PF_TABLE_JSON, .digits = 0, .version = "V"},
              "{\"system\": \"hyp\", \"metric\": \"WER\", \"score\": 0, \"details\": \"errors=2 ref_len=9\", "
              "\"signature\": \"nrefs:1|case:mixed|tok:none|version:V\"}\n"
              "{\"system\": \"\\ufffdyp\", \"metric\": \"WER\", \"score\": 0, \"details\": \"errors=0 ref_len=9\", "
              "\"signature\": \"nrefs:1|case:mixed|tok:none|version:V\"}\n");
    pf_systems_free(&s);
}

static void keep_words(void *to, const char *words) { snprintf(to, 200, "%s", words); }

/* A file without references gives its translations instead, and says so. */
static void the_texts_of_a_file(void **state PF_UNUSED) {
    static const char lines[] =
        "<tstset setid=\"s\" srclang=\"x\" trglang=\"y\"><doc docid=\"d\" sysid=\"one\"><seg id=\"1\">a b</seg></doc>"
        "</tstset>";
    char said[200] = "";
    pf_reader *r;
    pf_docs docs;
    pf_systems s;
    pf_systems_init(&s, tokeniser_named("none"));
    SUCCEED(pf_reader_memory(lines, sizeof lines - 1, "file", &r));
    SUCCEED(pf_docs_read(r, PF_DOCS_SGML, &docs));
    pf_reader_free(r);
    SUCCEED(pf_systems_docs(&s, &docs, "file", PF_DOCS_REFERENCE, keep_words, said));
    assert_string_equal(said, "file has no references: its translations of a system are used instead");
    *said = 0;
    SUCCEED(pf_systems_docs(&s, &docs, "file", PF_DOCS_SYSTEM, keep_words, said));
    assert_string_equal(said, "");
    assert_string_equal(s.system.at[0].name, "file");
    assert_int_equal(s.set.n, 1);
    docs.set.at[0].kind = PF_DOCS_SOURCE;
    assert_int_equal(pf_systems_docs(&s, &docs, "file", PF_DOCS_SYSTEM, NULL, NULL), PF_EINPUT);
    pf_docs_free(&docs);
    pf_systems_free(&s);
}

static void note_count(void *self, uint64_t counted) { assert_int_equal(counted, ++*(uint64_t *)self); }

static void read_into(pf_systems *s, const char *lines, const pf_scored_form *form, pf_docs_kind kind, pf_err expected) {
    pf_reader *r;
    SUCCEED(pf_reader_memory(lines, strlen(lines), "file", &r));
    assert_int_equal(pf_systems_read(s, r, form, kind, NULL, NULL), expected);
    pf_reader_free(r);
}

/* The metrics that nobody has to name, and the files of each subject. */
static void usual_metrics_and_files(void **state PF_UNUSED) {
    static const struct {
        pf_scored_form form;
        const char *program, *metrics[7], *reference, *system;
        double first; /* score of the first metric */
    } cases[] = {
        {{.subject = PF_METRIC_WORDS}, NULL, {"bleu", "wer", "per"}, "a b c d\n", "a b c d\n", 100},
        {{.subject = PF_METRIC_ORDERS, .base = 1}, NULL, {"tau", "kendall", "fuzzy"}, "1 2 3\n", "2 3 1\n", 1 - 4.0 * 2 / 6},
        {{.subject = PF_METRIC_ORDERS, .base = 0}, NULL, {"tau", "kendall", "fuzzy"}, "0 1 2\n", "1 2 0\n", 1 - 4.0 * 2 / 6},
        {{.subject = PF_METRIC_LINKS, .base = 1}, NULL,
         {"lader-chunk", "lader-tau", "tdbtg-fuzzy", "tdbtg-tau", "tdbtg-match", "crossing"}, "0-1 1-2 2-0\n", "3 1 2\n", 1},
        {{.subject = PF_METRIC_LINKS, .base = 1}, "tdbtg", {"tdbtg-fuzzy", "tdbtg-tau", "tdbtg-match"}, "0-1 1-2 2-0\n", "1 2 3\n",
         0.25},
        {{.subject = PF_METRIC_LINKS, .base = 1, .links = {.sure_only = true}}, "lader", {"lader-chunk", "lader-tau"},
         "0-1 1-2 2p0\n", "1 2 3\n", 1},
    };
    const pf_metric_options how = {.bleu = pf_bleu_usual()};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint64_t counted = 0;
        unsigned n = 0;
        pf_systems s;
        pf_systems_init(&s, tokeniser_named("none"));
        SUCCEED(pf_systems_usual(&s, cases[i].form.subject, cases[i].program, &how));
        for (; cases[i].metrics[n]; n++) assert_string_equal(s.metric[n].cls->name, cases[i].metrics[n]);
        assert_int_equal(s.metrics, n);
        read_into(&s, cases[i].reference, &cases[i].form, PF_DOCS_REFERENCE, PF_OK);
        read_into(&s, cases[i].system, &cases[i].form, PF_DOCS_SYSTEM, PF_OK);
        SUCCEED(pf_systems_count_all(&s, NULL, note_count, &counted));
        assert_int_equal(counted, 1);
        CHECK(fabs(pf_systems_score(&s, 0, 0) - cases[i].first) < 1e-9, "case %zu: expected %f, found %f", i, cases[i].first,
              pf_systems_score(&s, 0, 0));
        assert_int_equal(pf_systems_metric_named(&s, cases[i].form.subject, "ter", &how), PF_EARG);
        pf_systems_free(&s);
    }
}

static void what_cannot_be_counted(void **state PF_UNUSED) {
    const pf_scored_form words = {.subject = PF_METRIC_WORDS};
    char said[200] = "";
    pf_systems s;
    pf_systems_init(&s, tokeniser_named("none"));
    read_into(&s, "", &words, PF_DOCS_REFERENCE, PF_OK);
    assert_int_equal(pf_systems_count_all(&s, NULL, NULL, NULL), PF_EINPUT);
    assert_string_equal(pf_message(), "file is empty: there is nothing to score");
    pf_systems_free(&s);
    pf_systems_init(&s, tokeniser_named("none"));
    read_into(&s, "a\nb\n", &words, PF_DOCS_REFERENCE, PF_OK);
    read_into(&s, "a\n\n", &words, PF_DOCS_REFERENCE, PF_OK);
    read_into(&s, "a\n", &words, PF_DOCS_SYSTEM, PF_EINPUT);
    SUCCEED(pf_systems_count_all(&s, keep_words, NULL, said));
    assert_string_equal(said,
                        "not all sentences have 2 references, some have only 1: an empty line stands for a missing reference");
    pf_systems_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_those_of_the_definitions),
        cmocka_unit_test(long_segments),
        cmocka_unit_test(scores_by_hand),
        cmocka_unit_test(nist_and_ribes_are_those_of_the_definitions),
        cmocka_unit_test(scores_of_texts_by_hand),
        cmocka_unit_test(lower_case_by_hand),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(tokens_by_hand),
        cmocka_unit_test(intervals_and_p_by_hand),
        cmocka_unit_test(bootstrap_draws_all_samples_alike),
        cmocka_unit_test(randomisation_tries_all_exchanges_alike),
        cmocka_unit_test(systems_by_hand),
        cmocka_unit_test(reports_by_hand),
        cmocka_unit_test(the_texts_of_a_file),
        cmocka_unit_test(usual_metrics_and_files),
        cmocka_unit_test(what_cannot_be_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
