/* Metrics against their definitions, written out over words as text; resampling against all samples there are. */
#include "check.h"
#include "draw.h"
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
static unsigned below(unsigned n) { return draw(&random_state, n); }

static sentence draw_sentence(unsigned words) {
    static const char *const word[] = {"a", "b", "ab", "ba", "c", "B"};
    sentence system = {.n = below(MOST_WORDS + 1)};
    for (size_t i = 0; i < system.n; i++) system.word[i] = word[below(words)];
    return system;
}

static size_t text_of(const sentence *system, char *to) {
    size_t order = 0;
    for (size_t i = 0; i < system->n; i++) order += (size_t)sprintf(to + order, "%s%s", i ? " " : "", system->word[i]);
    return order;
}

/* ---- the definitions ---- */

static bool same_gram(const sentence *a, size_t i, const sentence *b, size_t j, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (strcmp(a->word[i + k], b->word[j + k])) return false;
    return true;
}

/* How often the n-gram at i of `a` is in b. */
static size_t times(const sentence *a, size_t i, const sentence *other, size_t order) {
    size_t sum = 0;
    for (size_t j = 0; j + order <= other->n; j++) sum += same_gram(a, i, other, j, order);
    return sum;
}

static bool seen_before(const sentence *system, size_t i, size_t n) {
    for (size_t j = 0; j < i; j++)
        if (same_gram(system, i, system, j, n)) return true;
    return false;
}

static size_t clipped(const sentence *system, const sentence *reference, size_t refs, size_t order) {
    size_t sum = 0;
    for (size_t at = 0; at + order <= system->n; at++) {
        size_t most = 0, own = times(system, at, system, order);
        for (size_t k = 0; k < refs; k++)
            most = times(system, at, &reference[k], order) > most ? times(system, at, &reference[k], order) : most;
        if (!seen_before(system, at, order)) sum += own < most ? own : most;
    }
    return sum;
}

static size_t closest(const sentence *s, const sentence *reference, size_t refs) {
    for (size_t far = 0;; far++) /* the shorter first */
        for (int sign = -1; sign <= 1; sign += 2)
            for (size_t k = 0; k < refs; k++)
                if ((long)reference[k].n == (long)s->n + sign * (long)far) return reference[k].n;
}

/* All ways to edit: the last words are a pair, or one of them stands alone. */
static size_t edits(const sentence *one, size_t order, const sentence *other, size_t model) {
    if (!order || !model) return order + model;
    size_t pair = edits(one, order - 1, other, model - 1) + (strcmp(one->word[order - 1], other->word[model - 1]) != 0);
    size_t left = edits(one, order - 1, other, model) + 1, right = edits(one, order, other, model - 1) + 1;
    size_t alone = left < right ? left : right;
    return pair < alone ? pair : alone;
}

static size_t bag_errors(const sentence *one, const sentence *other) {
    bool used[MOST_WORDS] = {false};
    size_t matches = 0;
    for (size_t i = 0; i < one->n; i++)
        for (size_t other_place = 0; other_place < other->n; other_place++)
            if (!used[other_place] && strcmp(one->word[i], other->word[other_place]) == 0) {
                used[other_place] = true;
                matches++;
                break;
            }
    return (one->n > other->n ? one->n : other->n) - matches;
}

/* ---- statistics ---- */

typedef struct {
    pf_statetab vocabulary;
    pf_tokens words;
} text;

static void begin_text(text *to) {
    *to = (text){0};
    pf_statetab_init(&to->vocabulary, 0);
}

static void end_text(text *to) {
    pf_statetab_free(&to->vocabulary);
    pf_tokens_free(&to->words);
}

static void add(text *to, const char *words, size_t n) {
    SUCCEED(pf_tokens_add(&to->words, pf_tokeniser_at(0), &to->vocabulary, words, n));
}

static pf_metric metric(const char *name, pf_bleu_options bleu) {
    const pf_metric_class *cls;
    pf_metric scorer;
    SUCCEED(pf_metric_find(PF_METRIC_WORDS, name, strlen(name), &cls));
    SUCCEED(pf_metric_init(&scorer, cls, &(pf_metric_options){.bleu = bleu}));
    return scorer;
}

static void check_bleu(pf_metric *metric, const sentence *system, const sentence *reference, size_t refs, const double *found) {
    unsigned order = metric->options.bleu.order;
    CHECK(found[0] == (double)system->n && found[1] == (double)closest(system, reference, refs), "lengths %f %f", found[0],
          found[1]);
    for (unsigned count = 1; count <= order; count++) {
        CHECK(found[1 + count] == (double)clipped(system, reference, refs, count), "matches of order %u: %f", count,
              found[1 + count]);
        CHECK(found[1 + order + count] == (system->n < count ? 0 : (double)(system->n - count + 1)), "total of order %u", count);
    }
}

static size_t edits_of(const sentence *a, const sentence *b) { return edits(a, a->n, b, b->n); }

static void check_errors(size_t (*errors)(const sentence *, const sentence *), const sentence *system, const sentence *reference,
                         size_t refs, const double *found) {
    size_t least = SIZE_MAX, length = 0;
    for (size_t k = 0; k < refs; k++) least = errors(system, &reference[k]) < least ? errors(system, &reference[k]) : least;
    for (size_t k = 0; k < refs; k++)
        if (errors(system, &reference[k]) == least && reference[k].n > length) length = reference[k].n;
    CHECK(found[0] == (double)least && found[1] == (double)length, "%f of %f", found[0], found[1]);
}

static void statistics_are_those_of_the_definitions(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 1500; round++) {
        pf_bleu_options options = pf_bleu_usual();
        char words[200];
        text segments;
        double found[PF_METRIC_STATISTICS];
        sentence system = draw_sentence(1 + round % 6), reference[MOST_REFERENCES];
        pf_segment one[MOST_REFERENCES];
        size_t refs = 1 + below(MOST_REFERENCES);
        options.order = 1 + below(5);
        pf_metric bleu = metric("bleu", options), wer = metric("wer", options), per = metric("per", options);
        begin_text(&segments);
        add(&segments, words, text_of(&system, words));
        for (size_t which = 0; which < refs; which++) {
            reference[which] = draw_sentence(1 + round % 6);
            add(&segments, words, text_of(&reference[which], words));
        }
        for (size_t k = 0; k < refs; k++) one[k] = pf_tokens_at(&segments.words, 1 + k);
        SUCCEED(bleu.cls->count(&bleu, pf_tokens_at(&segments.words, 0), &(pf_references){one, refs, 0}, found));
        check_bleu(&bleu, &system, reference, refs, found);
        SUCCEED(per.cls->count(&per, pf_tokens_at(&segments.words, 0), &(pf_references){one, refs, 0}, found));
        check_errors(bag_errors, &system, reference, refs, found);
        pf_segment begin = pf_tokens_at(&segments.words, 0);
        begin.n = system.n = system.n < 6 ? system.n : 6; /* all edits of more take long */
        SUCCEED(wer.cls->count(&wer, begin, &(pf_references){one, refs, 0}, found));
        check_errors(edits_of, &system, reference, refs, found);
        end_text(&segments);
        pf_metric_free(&bleu);
        pf_metric_free(&wer);
        pf_metric_free(&per);
    }
}

/* A long segment makes a large table; the short ones after it must not find what it had. */
static void long_segments(void **state PF_UNUSED) {
    enum { LONG = 40000 };
    pf_metric scorer = metric("bleu", pf_bleu_usual()), per = metric("per", pf_bleu_usual());
    double found[PF_METRIC_STATISTICS];
    text words;
    begin_text(&words);
    for (unsigned i = 0; i < LONG; i++) {
        char word[20];
        add(&words, word, (size_t)sprintf(word, "%u", i));
    }
    pf_segment whole = {words.words.word.at, LONG}, two = {words.words.word.at, 2}, others = {words.words.word.at + 1, 2};
    for (int round = 0; round < 3; round++) {
        SUCCEED(scorer.cls->count(&scorer, whole, &(pf_references){&whole, 1, 0}, found));
        CHECK(found[2] == LONG && found[5] == LONG - 3, "%f %f", found[2], found[5]);
        SUCCEED(scorer.cls->count(&scorer, two, &(pf_references){&others, 1, 0}, found));
        CHECK(found[2] == 1 && found[3] == 0 && found[7] == 1, "%f %f %f", found[2], found[3], found[7]);
        SUCCEED(per.cls->count(&per, whole, &(pf_references){&two, 1, 0}, found));
        CHECK(found[0] == LONG - 2 && found[1] == 2, "%f %f", found[0], found[1]);
    }
    end_text(&words);
    pf_metric_free(&scorer);
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
    for (size_t at = 0; at < LENGTH(cases); at++) {
        pf_bleu_options options = {4, cases[at].smoothing, cases[at].value, cases[at].effective};
        pf_bleu b;
        pf_bleu_of(&options, cases[at].sum, &b);
        CHECK(fabs(b.score - cases[at].score) < 1e-4, "case %zu: expected %f, found %f", at, cases[at].score, b.score);
    }
    pf_metric wer = metric("wer", pf_bleu_usual());
    assert_true(pf_metric_score(&wer, (double[]){3, 4}) == 0.75);
    assert_true(pf_metric_score(&wer, (double[]){0, 0}) == 0);
    assert_true(pf_metric_score(&wer, (double[]){5, 0}) == 1);
    pf_metric_free(&wer);
}

static void what_makes_no_sense_is_refused(void **state PF_UNUSED) {
    const pf_metric_class *cls, *bleu;
    pf_metric scorer;
    assert_int_equal(pf_metric_find(PF_METRIC_WORDS, "bleu", 4, &bleu), PF_OK);
    assert_int_equal(pf_metric_find(PF_METRIC_WORDS, "bleus", 5, &cls), PF_EARG);
    assert_int_equal(pf_metric_find(PF_METRIC_WORDS, "ble", 3, &cls), PF_EARG);
    for (unsigned order = 0; order <= PF_BLEU_ORDER + 1; order += PF_BLEU_ORDER + 1) {
        pf_metric_options options = {.bleu = pf_bleu_usual()};
        options.bleu.order = order;
        assert_int_equal(pf_metric_init(&scorer, bleu, &options), PF_EARG);
        pf_metric_free(&scorer);
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
    for (size_t at = 0; at < LENGTH(cases); at++) {
        text words;
        char found[200] = "";
        begin_text(&words);
        SUCCEED(pf_tokens_add(&words.words, tokeniser_named(cases[at].tokeniser), &words.vocabulary, cases[at].text,
                              strlen(cases[at].text)));
        for (size_t which = 0; which < words.words.word.n; which++) {
            size_t order;
            const char *word = pf_statetab_key(&words.vocabulary, words.words.word.at[which], &order);
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s", which ? "|" : "", (int)order, word);
        }
        CHECK(strcmp(found, cases[at].tokens) == 0, "%s: expected %s, found %s", cases[at].text, cases[at].tokens, found);
        end_text(&words);
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
static void statistics(pf_statistics *statistic, const double *errors) {
    static const double lengths[SEGMENTS] = {2, 10, 5, 3};
    *statistic = (pf_statistics){.width = 2, .n = SEGMENTS};
    for (size_t at = 0; at < SEGMENTS; at++) {
        SUCCEED(PF_PUSH(&statistic->at, errors[at]));
        SUCCEED(PF_PUSH(&statistic->at, lengths[at]));
    }
}

static double rate(const pf_statistics *statistic, const size_t *chosen) {
    double e = 0, n = 0;
    for (size_t at = 0; at < SEGMENTS; at++) {
        e += statistic->at.at[2 * chosen[at]];
        n += statistic->at.at[2 * chosen[at] + 1];
    }
    return e / n;
}

/* Many samples have the mean and the share below a bound that all 4^4 have. */
static void bootstrap_draws_all_samples_alike(void **state PF_UNUSED) {
    enum { DRAWN = 200000, ALL = SEGMENTS * SEGMENTS * SEGMENTS * SEGMENTS };
    pf_metric scorer = metric("wer", pf_bleu_usual());
    pf_statistics statistic;
    double *score = malloc(DRAWN * sizeof *score), mean = 0, below = 0, drawn_mean = 0, drawn_below = 0;
    statistics(&statistic, (const double[]){2, 1, 4, 0});
    for (size_t k = 0; k < ALL; k++) {
        size_t chosen[SEGMENTS] = {k % 4, k / 4 % 4, k / 16 % 4, k / 64};
        mean += rate(&statistic, chosen) / ALL;
        below += (rate(&statistic, chosen) < 0.3) / (double)ALL;
    }
    pf_bootstrap(&scorer, &statistic, DRAWN, 7, score);
    for (size_t which = 0; which < DRAWN; which++) {
        drawn_mean += score[which] / DRAWN;
        drawn_below += (score[which] < 0.3) / (double)DRAWN;
    }
    CHECK(fabs(mean - drawn_mean) < 0.003, "mean %f, drawn %f", mean, drawn_mean);
    CHECK(fabs(below - drawn_below) < 0.01, "share %f, drawn %f", below, drawn_below);
    double first = score[0], last = score[999];
    pf_bootstrap(&scorer, &statistic, 1000, 7, score);
    assert_true(score[0] == first && score[999] == last);
    pf_bootstrap(&scorer, &statistic, 1000, 8, score);
    assert_false(score[0] == first && score[999] == last && score[1] == score[2]);
    free(score);
    pf_statistics_free(&statistic);
    pf_metric_free(&scorer);
}

/* The p value of many trials is the share of all 2^4 exchanges whose difference is as large. */
static void randomisation_tries_all_exchanges_alike(void **state PF_UNUSED) {
    static const double of_a[][SEGMENTS] = {{2, 1, 4, 0}, {2, 3, 1, 1}, {0, 0, 0, 0}};
    static const double of_b[][SEGMENTS] = {{1, 2, 2, 3}, {1, 7, 4, 2}, {1, 3, 5, 2}};
    pf_metric scorer = metric("per", pf_bleu_usual());
    for (size_t c = 0; c < LENGTH(of_a); c++) {
        pf_statistics statistic, other;
        double p, share = 0, found = 0;
        statistics(&statistic, of_a[c]);
        statistics(&other, of_b[c]);
        for (unsigned mask = 0; mask < 1u << SEGMENTS; mask++) {
            double x = 0, y = 0;
            for (unsigned at = 0; at < SEGMENTS; at++) {
                x += mask >> at & 1 ? of_b[c][at] : of_a[c][at];
                y += mask >> at & 1 ? of_a[c][at] : of_b[c][at];
            }
            if (!mask) found = fabs(x - y);
            share += (fabs(x - y) >= found) / (double)(1u << SEGMENTS);
        }
        SUCCEED(pf_randomisation_p(&scorer, &statistic, &other, 100000, 3, &p));
        CHECK(fabs(p - share) < 0.01, "case %zu: all %f, tried %f", c, share, p);
        SUCCEED(pf_randomisation_p(&scorer, &statistic, &statistic, 100, 3, &p));
        assert_true(p == 1);
        pf_statistics_free(&statistic);
        pf_statistics_free(&other);
    }
    pf_metric_free(&scorer);
}

/* ---- systems ---- */

static void read_docs(const char *lines, pf_docs *docs) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(lines, strlen(lines), "text", &reader));
    SUCCEED(pf_docs_read(reader, PF_DOCS_TEXT, docs));
    pf_reader_free(reader);
}

/* ---- NIST and RIBES ---- */

enum { TEXTS = 6 };

/* How often the n-gram at i of `s` is in all references. */
static double times_in_all(const sentence *s, size_t i, size_t order, sentence (*reference)[2], size_t texts, size_t refs) {
    double sum = 0;
    for (size_t k = 0; k < texts; k++)
        for (size_t j = 0; j < refs; j++) sum += order ? (double)times(s, i, &reference[k][j], order) : (double)reference[k][j].n;
    return sum;
}

static double nist_by_definition(const sentence *system, sentence (*reference)[2], size_t texts, size_t refs) {
    double score = 0, words = 0, mean = 0;
    for (size_t place = 0; place < texts; place++) {
        words += (double)system[place].n;
        for (size_t j = 0; j < refs; j++) mean += (double)reference[place][j].n / (double)refs;
    }
    for (size_t order = 1; order <= 5; order++) {
        double gain = 0, total = 0;
        for (size_t which = 0; which < texts; which++)
            for (size_t at = 0; at + order <= system[which].n; at++) {
                size_t most = 0, own = times(&system[which], at, &system[which], order);
                total++;
                for (size_t j = 0; j < refs; j++)
                    most = times(&system[which], at, &reference[which][j], order) > most
                               ? times(&system[which], at, &reference[which][j], order)
                               : most;
                if (!most || seen_before(&system[which], at, order)) continue;
                double info = log2(times_in_all(&system[which], at, order - 1, reference, texts, refs) /
                                   times_in_all(&system[which], at, order, reference, texts, refs));
                gain += (double)(own < most ? own : most) * info;
            }
        score += gain / fmax(total, 1);
    }
    double log_ratio = log(words / mean), beta = log(2) / (log(1.5) * log(1.5));
    return words == 0 ? 0 : words >= mean ? score : score * exp(-beta * log_ratio * log_ratio);
}

/* The only place of b where the n words from i of a stand; -1: none, or several. */
static int only_place(const sentence *a, size_t i, const sentence *other, size_t order) {
    int place = -1;
    for (size_t other_place = 0; other_place + order <= other->n; other_place++) {
        if (!same_gram(a, i, other, other_place, order)) continue;
        if (place >= 0) return -1;
        place = (int)other_place;
    }
    return place;
}

static double ribes_by_definition(const sentence *system, const sentence *reference) {
    int place[MOST_WORDS];
    size_t matched = 0;
    double ascending = 0;
    for (size_t at = 0; at < system->n; at++) {
        int found = -1;
        for (size_t which = 0; which <= system->n && found < 0; which++) {
            if (at >= which && only_place(system, at - which, system, which + 1) >= 0 &&
                only_place(system, at - which, reference, which + 1) >= 0)
                found = only_place(system, at - which, reference, which + 1) + (int)which;
            else if (at + which < system->n && only_place(system, at, system, which + 1) >= 0 &&
                     only_place(system, at, reference, which + 1) >= 0)
                found = only_place(system, at, reference, which + 1);
        }
        if (found >= 0) place[matched++] = found;
    }
    for (size_t i = 0; i < matched; i++)
        for (size_t j = 0; j < i; j++) ascending += place[j] < place[i];
    double nkt = matched >= 2 ? ascending / ((double)matched * (double)(matched - 1) / 2)
                                  : matched == 1 && reference->n == 1;
    if (!system->n) return 0;
    return nkt * pow((double)matched / (double)system->n, 0.25) *
           pow(fmin(1, exp(1 - (double)reference->n / (double)system->n)), 0.10);
}

static void nist_and_ribes_are_those_of_the_definitions(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 600; round++) {
        sentence systems[TEXTS], given[TEXTS][2];
        size_t texts = 1 + below(TEXTS), refs = 1 + below(2);
        char words[200];
        double sum[PF_METRIC_STATISTICS] = {0}, found[PF_METRIC_STATISTICS], mean = 0;
        pf_metric nist = metric("nist", pf_bleu_usual()), ribes = metric("ribes", pf_bleu_usual());
        text segments;
        begin_text(&segments);
        for (size_t place = 0; place < texts; place++) {
            systems[place] = draw_sentence(1 + round % 6);
            add(&segments, words, text_of(&systems[place], words));
            for (size_t ref = 0; ref < refs; ref++) {
                while (given[place][ref] = draw_sentence(1 + round % 6), !given[place][ref].n) {
                }
                add(&segments, words, text_of(&given[place][ref], words));
            }
        }
        for (int counting = 0; counting < 2; counting++)
            for (size_t which = 0; which < texts; which++) {
                pf_segment one[2];
                pf_references references = {one, refs, 0};
                for (size_t j = 0; j < refs; j++) one[j] = pf_tokens_at(&segments.words, which * (1 + refs) + 1 + j);
                if (!counting) {
                    SUCCEED(nist.cls->learn(&nist, &references));
                    continue;
                }
                SUCCEED(nist.cls->count(&nist, pf_tokens_at(&segments.words, which * (1 + refs)), &references, found));
                for (unsigned i = 0; i < nist.cls->width(&nist.options); i++) sum[i] += found[i];
                SUCCEED(ribes.cls->count(&ribes, pf_tokens_at(&segments.words, which * (1 + refs)), &references, found));
                double best = ribes_by_definition(&systems[which], &given[which][0]);
                if (refs > 1) best = fmax(best, ribes_by_definition(&systems[which], &given[which][1]));
                CHECK(fabs(pf_metric_score_one(&ribes, found) - best) < 1e-9, "RIBES: expected %f, found %f", best,
                      pf_metric_score_one(&ribes, found));
                mean += best / (double)texts;
            }
        double expected = nist_by_definition(systems, given, texts, refs), score = pf_metric_score(&nist, sum);
        CHECK(fabs(expected - score) < 1e-5, "NIST: expected %f, found %f", expected, score);
        end_text(&segments);
        pf_metric_free(&nist);
        pf_metric_free(&ribes);
    }
}

/* Texts with | between sentences; references likewise. */
static void score_texts(const char *name, const char *system, const char *const *reference, size_t refs, double expected) {
    pf_systems systems;
    const pf_metric_class *cls;
    const pf_metric_options options = {.bleu = pf_bleu_usual()};
    size_t extra, first;
    pf_systems_init(&systems, pf_tokeniser_at(0));
    SUCCEED(pf_metric_find(PF_METRIC_WORDS, name, strlen(name), &cls));
    SUCCEED(pf_systems_metric(&systems, cls, &options));
    for (size_t which = 0; which <= refs; which++) {
        char lines[200];
        pf_docs docs;
        snprintf(lines, sizeof lines, "%s\n", which < refs ? reference[which] : system);
        for (char *at = lines; *at; at++)
            if (*at == '|') *at = '\n';
        read_docs(lines, &docs);
        SUCCEED(which < refs ? pf_systems_reference(&systems, &docs.set.at[0], "ref")
                             : pf_systems_add(&systems, &docs.set.at[0], "h", &extra, &first));
        pf_docs_free(&docs);
    }
    for (size_t i = 0; i < systems.set.n; i++) SUCCEED(pf_systems_count(&systems, i));
    double found = pf_systems_score(&systems, 0, 0);
    CHECK(isnan(expected) ? isnan(found) : fabs(found - expected) < 1e-6, "%s of '%s': expected %f, found %f", name, system,
          expected, found);
    pf_systems_free(&systems);
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

static void set_up(pf_systems *systems) {
    static const char *const lines[] = {"a b c d e\nb b\nc a\n", "a b c d e\nb\nc\n", "a b c d e\nb b\nc a\n"};
    const pf_metric_options options = {.bleu = pf_bleu_usual()};
    const pf_metric_class *cls;
    size_t extra, first;
    pf_systems_init(systems, tokeniser_named("none"));
    SUCCEED(pf_metric_find(PF_METRIC_WORDS, "wer", 3, &cls));
    SUCCEED(pf_systems_metric(systems, cls, &options));
    for (size_t at = 0; at < LENGTH(lines); at++) {
        pf_docs docs;
        read_docs(lines[at], &docs);
        if (!at) SUCCEED(pf_systems_reference(systems, &docs.set.at[0], "ref"));
        else SUCCEED(pf_systems_add(systems, &docs.set.at[0], "hyp", &extra, &first));
        pf_docs_free(&docs);
    }
    for (size_t i = 0; i < systems->set.n; i++) SUCCEED(pf_systems_count(systems, i));
}

/* Two test sets at once do not know of one another, and the same seed gives the same answers. */
static void systems_by_hand(void **state PF_UNUSED) {
    const pf_resampling boot = {.samples = 200, .paired = true, .seed = 7}, randomised = {.trials = 200, .seed = 7};
    pf_systems systems[2];
    pf_resampled result[2];
    for (int i = 0; i < 2; i++) set_up(&systems[i]);
    assert_true(fabs(pf_systems_score(&systems[0], 0, 0) - 2.0 / 9) < 1e-12 && pf_systems_score(&systems[0], 1, 0) == 0);
    assert_true(pf_systems_segment(&systems[0], 0, 0, 1)[0] == 1 && pf_systems_segment(&systems[0], 0, 0, 1)[1] == 2);
    for (int i = 0; i < 2; i++) {
        SUCCEED(pf_systems_resample(&systems[i], 0, 0, &boot, &result[i]));
        assert_true(isnan(result[i].p_value) && result[i].interval.low <= 2.0 / 9 && result[i].interval.high >= 2.0 / 9);
    }
    assert_true(result[0].interval.mean == result[1].interval.mean && result[0].interval.low == result[1].interval.low);
    for (int i = 0; i < 2; i++) SUCCEED(pf_systems_resample(&systems[i], 1, 0, &boot, &result[i]));
    assert_true(result[0].p_value == result[1].p_value && result[0].p_value > 0 && result[0].p_value <= 1);
    assert_true(fabs(result[0].difference + 2.0 / 9) < 1e-12 && result[0].differences.low <= result[0].difference);
    assert_true(result[0].differences.low < result[0].differences.high && result[0].differences.high <= 0);
    SUCCEED(pf_systems_resample(&systems[0], 1, 0, &randomised, &result[0]));
    assert_true(fabs(result[0].difference + 2.0 / 9) < 1e-12 && isnan(result[0].differences.low));
    assert_true(isnan(result[0].interval.mean) && result[0].p_value > 0 && result[0].p_value <= 1);
    for (int i = 0; i < 2; i++) pf_systems_free(&systems[i]);
}

static void is_report(pf_systems *systems, const pf_report_options *how, const char *expected) {
    pf_writer *out;
    size_t order;
    SUCCEED(pf_writer_memory(&out));
    SUCCEED(pf_systems_report(systems, how, out));
    const char *at = (const char *)pf_writer_bytes(out, &order);
    CHECK(order == strlen(expected) && memcmp(at, expected, order) == 0, "%.*s", (int)order, at);
    pf_writer_free(out);
}

static void count_reports(void *self, uint64_t n) { assert_int_equal(n, ++*(uint64_t *)self); }

static void reports_by_hand(void **state PF_UNUSED) {
    uint64_t told = 0;
    pf_systems systems;
    set_up(&systems);
    systems.system.at[1].name[0] = '\xff'; /* no UTF-8 */
    is_report(&systems, &(pf_report_options){.format = PF_TABLE_PADDED, .digits = 2, .version = "V", .progress = count_reports,
                                             .self = &told},
              "system  metric      score  details\n"
              "hyp     WER          0.22  errors=2 ref_len=9\n"
              "\xffyp     WER          0.00  errors=0 ref_len=9\n"
              "\nWER|nrefs:1|case:mixed|tok:none|version:V\n");
    assert_int_equal(told, 2);
    is_report(&systems, &(pf_report_options){.format = PF_TABLE_TSV, .digits = 1, .sentences = true, .version = "V"},
              "sentence\tsystem\tmetric\tscore\tdetails\tsignature\n"
              "1\thyp\tWER\t0.0\terrors=0 ref_len=5\tnrefs:1|case:mixed|tok:none|version:V\n"
              "1\t\xffyp\tWER\t0.0\terrors=0 ref_len=5\tnrefs:1|case:mixed|tok:none|version:V\n"
              "2\thyp\tWER\t0.5\terrors=1 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n"
              "2\t\xffyp\tWER\t0.0\terrors=0 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n"
              "3\thyp\tWER\t0.5\terrors=1 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n"
              "3\t\xffyp\tWER\t0.0\terrors=0 ref_len=2\tnrefs:1|case:mixed|tok:none|version:V\n");
    is_report(&systems, &(pf_report_options){.format = PF_TABLE_JSON, .digits = 0, .version = "V"},
              "{\"system\": \"hyp\", \"metric\": \"WER\", \"score\": 0, \"details\": \"errors=2 ref_len=9\", "
              "\"signature\": \"nrefs:1|case:mixed|tok:none|version:V\"}\n"
              "{\"system\": \"\\ufffdyp\", \"metric\": \"WER\", \"score\": 0, \"details\": \"errors=0 ref_len=9\", "
              "\"signature\": \"nrefs:1|case:mixed|tok:none|version:V\"}\n");
    pf_systems_free(&systems);
}

static void keep_words(void *to, const char *words) { snprintf(to, 200, "%s", words); }

/* A file without references gives its translations instead, and says so. */
static void the_texts_of_a_file(void **state PF_UNUSED) {
    static const char lines[] =
        "<tstset setid=\"s\" srclang=\"x\" trglang=\"y\"><doc docid=\"d\" sysid=\"one\"><seg id=\"1\">a b</seg></doc>"
        "</tstset>";
    char said[200] = "";
    pf_reader *reader;
    pf_docs docs;
    pf_systems systems;
    pf_systems_init(&systems, tokeniser_named("none"));
    SUCCEED(pf_reader_memory(lines, sizeof lines - 1, "file", &reader));
    SUCCEED(pf_docs_read(reader, PF_DOCS_SGML, &docs));
    pf_reader_free(reader);
    SUCCEED(pf_systems_docs(&systems, &docs, "file", PF_DOCS_REFERENCE, keep_words, said));
    assert_string_equal(said, "file has no references: its translations of a system are used instead");
    *said = 0;
    SUCCEED(pf_systems_docs(&systems, &docs, "file", PF_DOCS_SYSTEM, keep_words, said));
    assert_string_equal(said, "");
    assert_string_equal(systems.system.at[0].name, "file");
    assert_int_equal(systems.set.n, 1);
    docs.set.at[0].kind = PF_DOCS_SOURCE;
    assert_int_equal(pf_systems_docs(&systems, &docs, "file", PF_DOCS_SYSTEM, NULL, NULL), PF_EINPUT);
    pf_docs_free(&docs);
    pf_systems_free(&systems);
}

static void note_count(void *self, uint64_t counted) { assert_int_equal(counted, ++*(uint64_t *)self); }

static void read_into(pf_systems *systems, const char *lines, const pf_scored_form *form, pf_docs_kind kind, pf_err expected) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(lines, strlen(lines), "file", &reader));
    assert_int_equal(pf_systems_read(systems, reader, form, kind, NULL, NULL), expected);
    pf_reader_free(reader);
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
    for (size_t at = 0; at < LENGTH(cases); at++) {
        uint64_t counted = 0;
        unsigned metrics = 0;
        pf_systems systems;
        pf_systems_init(&systems, tokeniser_named("none"));
        SUCCEED(pf_systems_usual(&systems, cases[at].form.subject, cases[at].program, &how));
        for (; cases[at].metrics[metrics]; metrics++)
            assert_string_equal(systems.metric[metrics].cls->name, cases[at].metrics[metrics]);
        assert_int_equal(systems.metrics, metrics);
        read_into(&systems, cases[at].reference, &cases[at].form, PF_DOCS_REFERENCE, PF_OK);
        read_into(&systems, cases[at].system, &cases[at].form, PF_DOCS_SYSTEM, PF_OK);
        SUCCEED(pf_systems_count_all(&systems, NULL, note_count, &counted));
        assert_int_equal(counted, 1);
        CHECK(fabs(pf_systems_score(&systems, 0, 0) - cases[at].first) < 1e-9, "case %zu: expected %f, found %f", at,
              cases[at].first, pf_systems_score(&systems, 0, 0));
        assert_int_equal(pf_systems_metric_named(&systems, cases[at].form.subject, "ter", &how), PF_EARG);
        pf_systems_free(&systems);
    }
}

static void what_cannot_be_counted(void **state PF_UNUSED) {
    const pf_scored_form words = {.subject = PF_METRIC_WORDS};
    char said[200] = "";
    pf_systems systems;
    pf_systems_init(&systems, tokeniser_named("none"));
    read_into(&systems, "", &words, PF_DOCS_REFERENCE, PF_OK);
    assert_int_equal(pf_systems_count_all(&systems, NULL, NULL, NULL), PF_EINPUT);
    assert_string_equal(pf_message(), "file is empty: there is nothing to score");
    pf_systems_free(&systems);
    pf_systems_init(&systems, tokeniser_named("none"));
    read_into(&systems, "a\nb\n", &words, PF_DOCS_REFERENCE, PF_OK);
    read_into(&systems, "a\n\n", &words, PF_DOCS_REFERENCE, PF_OK);
    read_into(&systems, "a\n", &words, PF_DOCS_SYSTEM, PF_EINPUT);
    SUCCEED(pf_systems_count_all(&systems, keep_words, NULL, said));
    assert_string_equal(said,
                        "not all sentences have 2 references, some have only 1: an empty line stands for a missing reference");
    pf_systems_free(&systems);
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
