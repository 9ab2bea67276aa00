/* The HMM against all alignments of tiny corpora, written out: posteriors, best alignments, iterations. Its likelihood never
 * falls. And a corpus trained by several threads. */
#include "check.h"

#include <permfst/train/aligner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 5, PAIRS = 4, MOST = 14, NARROW = 4, FAR = PF_HMM_FAR, WEIGHTS = 2 * FAR + 1, STEPS = 50, ITERATIONS = 4 };

static uint64_t seed = 7;
static unsigned below(unsigned n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* ---- corpora ---- */

static const char *const spelling[KINDS] = {"a", "b", "c", "d", "e"};

typedef struct {
    int n, word[MOST];
} sentence;

/* side[0]: source, side[1]: target. */
typedef struct {
    sentence side[2];
} text_pair;

static sentence random_sentence(unsigned most) {
    sentence s = {.n = 1 + (int)below(most)};
    for (int i = 0; i < s.n; i++) s.word[i] = (int)below(KINDS);
    return s;
}

static void random_corpus(text_pair corpus[PAIRS], unsigned sources, unsigned targets) {
    for (int p = 0; p < PAIRS; p++) corpus[p] = (text_pair){{random_sentence(sources), random_sentence(targets)}};
}

static void spell(const sentence *s, pf_words *out) {
    out->n = 0;
    SUCCEED(PF_ROOM(out, (size_t)s->n));
    for (int i = 0; i < s->n; i++) out->at[out->n++] = (pf_word){spelling[s->word[i]], 1};
}

/* ---- the oracle ---- */

/* A direction: given[f][e], f = KINDS the empty word; weights of jumps by -FAR .. FAR. */
typedef struct {
    double given[KINDS + 1][KINDS], first[WEIGHTS], inner[WEIGHTS];
} parameters;

/* What the alignments of a pair sum to. */
typedef struct {
    double sum, best, posterior[MOST][MOST], empty[MOST]; /* [linked][word] */
    double first[WEIGHTS], inner[WEIGHTS], departed[MOST];
} sums;

static int place(int from, int to) {
    int jump = to - from;
    return FAR + (jump < -FAR ? -FAR : jump > FAR ? FAR : jump);
}

static double jump(const double *weight, int from, int to, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += weight[place(from, k)];
    return weight[place(from, to)] / sum;
}

static double floored(double x) { return x > 1e-12 ? x : 1e-12; }

/* a[i]: the word that linked word i has; n: the empty word. */
static double probability(const parameters *p, double empty, const sentence *words, const sentence *linked, const int *a) {
    double product = 1;
    int before = -1;
    for (int i = 0; i < linked->n; i++) {
        int e = linked->word[i];
        if (a[i] == words->n) product *= empty * floored(p->given[KINDS][e]);
        else {
            product *= (1 - empty) * floored(p->given[words->word[a[i]]][e]) *
                       (before < 0 ? jump(p->first, 0, a[i], words->n) : jump(p->inner, before, a[i], words->n));
            before = a[i];
        }
    }
    return product;
}

static void add_alignment(sums *s, const int *a, int n, int links, double product) {
    int before = -1;
    s->sum += product;
    if (product > s->best) s->best = product;
    for (int i = 0; i < links; i++) {
        if (a[i] == n) s->empty[i] += product;
        else {
            s->posterior[i][a[i]] += product;
            if (before < 0) s->first[place(0, a[i])] += product;
            else s->inner[place(before, a[i])] += product, s->departed[before] += product;
            before = a[i];
        }
    }
}

static void divide(sums *s) {
    for (int i = 0; i < MOST; i++) {
        s->empty[i] /= s->sum;
        s->departed[i] /= s->sum;
        for (int j = 0; j < MOST; j++) s->posterior[i][j] /= s->sum;
    }
    for (int k = 0; k < WEIGHTS; k++) s->first[k] /= s->sum, s->inner[k] /= s->sum;
}

static void enumerate(const parameters *p, double empty, const sentence *words, const sentence *linked, sums *out) {
    int a[MOST] = {0}, i = 0;
    memset(out, 0, sizeof *out);
    while (i < linked->n) {
        add_alignment(out, a, words->n, linked->n, probability(p, empty, words, linked, a));
        for (i = 0; i < linked->n && ++a[i] > words->n; i++) a[i] = 0;
    }
    divide(out);
}

/* One step after the other towards the weights that fit counts; departed[p][j]: from word j of pair p. */
static void fit(double *weight, const double *count, double departed[PAIRS][MOST], const int *lengths) {
    for (int step = 0; step < STEPS; step++) {
        double rate[WEIGHTS] = {0}, sum = 0;
        for (int p = 0; p < PAIRS; p++)
            for (int from = 0; from < lengths[p]; from++) {
                double all = 0;
                for (int to = 0; to < lengths[p]; to++) all += weight[place(from, to)];
                for (int to = 0; to < lengths[p]; to++) rate[place(from, to)] += departed[p][from] / all;
            }
        for (int k = 0; k < WEIGHTS; k++) {
            if (rate[k] > 0) weight[k] = count[k] / rate[k];
            sum += weight[k];
        }
        for (int k = 0; k < WEIGHTS; k++) weight[k] /= sum;
    }
}

static void add(double *to, const double *counts) {
    for (int k = 0; k < WEIGHTS; k++) to[k] += counts[k];
}

/* The parameters after an iteration in direction d, from the sums of each pair. */
static void iterate(parameters *p, int d, const text_pair *corpus, const sums *s) {
    double given[KINDS + 1][KINDS] = {{0}}, first[WEIGHTS] = {0}, inner[WEIGHTS] = {0};
    double begun[PAIRS][MOST] = {{0}}, departed[PAIRS][MOST];
    int lengths[PAIRS];
    for (int k = 0; k < PAIRS; k++) {
        const sentence *words = &corpus[k].side[d], *linked = &corpus[k].side[!d];
        lengths[k] = words->n;
        for (int i = 0; i < linked->n; i++) {
            given[KINDS][linked->word[i]] += s[k].empty[i];
            for (int j = 0; j < words->n; j++) given[words->word[j]][linked->word[i]] += s[k].posterior[i][j];
        }
        add(first, s[k].first);
        add(inner, s[k].inner);
        for (int w = 0; w < WEIGHTS; w++) begun[k][0] += s[k].first[w];
        memcpy(departed[k], s[k].departed, sizeof departed[k]);
    }
    for (int f = 0; f <= KINDS; f++) {
        double sum = 0;
        for (int e = 0; e < KINDS; e++) sum += given[f][e];
        for (int e = 0; e < KINDS; e++) p->given[f][e] = sum > 0 ? given[f][e] / sum : 0;
    }
    fit(p->first, first, begun, lengths);
    double all = 0;
    for (int w = 0; w < WEIGHTS; w++) all += inner[w];
    if (all > 0) fit(p->inner, inner, departed, lengths);
}

/* The products of the posteriors in both directions, and what they leave of each word. */
static void agree(const text_pair *pair, sums both[2]) {
    for (int j = 0; j < pair->side[0].n; j++) both[1].empty[j] = 1;
    for (int i = 0; i < pair->side[1].n; i++) both[0].empty[i] = 1;
    for (int i = 0; i < pair->side[1].n; i++)
        for (int j = 0; j < pair->side[0].n; j++) {
            both[0].posterior[i][j] = both[1].posterior[j][i] = both[0].posterior[i][j] * both[1].posterior[j][i];
            both[0].empty[i] -= both[0].posterior[i][j];
            both[1].empty[j] -= both[0].posterior[i][j];
        }
}

/* ---- the model beside it ---- */

static void begin(const text_pair *corpus, pf_hmm *model, parameters p[2]) {
    pf_words words[2] = {{0}};
    for (int d = 0; d < 2; d++) {
        pf_ibm1 *start;
        SUCCEED(pf_ibm1_new(&start));
        for (int n = 0; n < 2; n++) {
            for (int k = 0; k < PAIRS; k++) {
                spell(&corpus[k].side[d], &words[0]);
                spell(&corpus[k].side[!d], &words[1]);
                SUCCEED(pf_ibm1_count(start, &words[0], &words[1]));
            }
            pf_ibm1_update(start);
        }
        SUCCEED(pf_hmm_start(model, (pf_hmm_direction)d, start));
        for (int f = 0; f <= KINDS; f++)
            for (int e = 0; e < KINDS; e++)
                p[d].given[f][e] = pf_ibm1_given(start, &(pf_word){f < KINDS ? spelling[f] : "", f < KINDS},
                                                 &(pf_word){spelling[e], 1});
        for (int w = 0; w < WEIGHTS; w++) p[d].first[w] = p[d].inner[w] = 1.0 / WEIGHTS;
        pf_ibm1_free(start);
    }
    PF_VEC_FREE(&words[0]);
    PF_VEC_FREE(&words[1]);
}

static void near(const char *what, double want, double got) {
    CHECK(fabs(want - got) < 1e-9, "%s: expected %.12g, found %.12g", what, want, got);
}

static void compare(const pf_hmm_pair *pair, pf_hmm_direction d, const text_pair *text, const sums *want) {
    near("log-likelihood", log(want->sum), pf_hmm_log_likelihood(pair, d));
    for (int k = 0; k < text->side[!d].n; k++) {
        double empty = 1;
        for (int w = 0; w < text->side[d].n; w++) {
            double posterior =
                d ? pf_hmm_posterior(pair, d, (uint32_t)k, (uint32_t)w) : pf_hmm_posterior(pair, d, (uint32_t)w, (uint32_t)k);
            near("posterior", want->posterior[k][w], posterior);
            empty -= posterior;
        }
        near("empty word", want->empty[k], empty);
    }
}

/* The best alignment has the probability of the best one of all, and its links their posteriors. */
static void compare_best(const pf_hmm *model, pf_hmm_work *work, const pf_hmm_pair *pair, pf_hmm_direction d,
                         const text_pair *text, const parameters *p, double empty, const sums *want) {
    pf_alignment links = {0};
    int a[MOST];
    for (int k = 0; k < MOST; k++) a[k] = text->side[d].n;
    SUCCEED(pf_hmm_best(model, work, pair, d, &links));
    for (size_t k = 0; k < links.link.n; k++) {
        const pf_link *link = &links.link.at[k];
        a[d ? link->source : link->target] = (int)(d ? link->target : link->source);
        near("posterior of a best link", pf_hmm_posterior(pair, d, link->source, link->target), link->posterior);
    }
    near("the best alignment", 1, probability(p, empty, &text->side[d], &text->side[!d], a) / want->best);
    pf_alignment_free(&links);
}

/* Iterations of a corpus beside those of the oracle. `directions`: 1, only forward, where the other way has too many
 * alignments. */
static void follow(unsigned sources, unsigned targets, bool alone, int directions) {
    text_pair corpus[PAIRS];
    parameters trained[2];
    static sums summed[2][PAIRS];
    double empty = 0.1 + 0.2 * below(3), last[2] = {-INFINITY, -INFINITY};
    pf_words words[2] = {{0}};
    pf_hmm *model;
    pf_hmm_pair *pair;
    pf_hmm_work *work;
    random_corpus(corpus, sources, targets);
    SUCCEED(pf_hmm_new(&(pf_hmm_options){empty, alone}, &model));
    SUCCEED(pf_hmm_pair_new(&pair));
    SUCCEED(pf_hmm_work_new(&work));
    begin(corpus, model, trained);
    for (int n = 0; n < ITERATIONS; n++) {
        double likelihood[2] = {0, 0};
        for (int k = 0; k < PAIRS; k++) {
            sums both[2];
            spell(&corpus[k].side[0], &words[0]);
            spell(&corpus[k].side[1], &words[1]);
            SUCCEED(pf_hmm_pair_set(pair, model, &words[0], &words[1]));
            SUCCEED(pf_hmm_expect(model, work, pair));
            for (int d = 0; d < directions; d++) {
                enumerate(&trained[d], empty, &corpus[k].side[d], &corpus[k].side[!d], &both[d]);
                compare(pair, (pf_hmm_direction)d, &corpus[k], &both[d]);
                compare_best(model, work, pair, (pf_hmm_direction)d, &corpus[k], &trained[d], empty, &both[d]);
                likelihood[d] += pf_hmm_log_likelihood(pair, (pf_hmm_direction)d);
            }
            if (!alone) agree(&corpus[k], both);
            for (int d = 0; d < directions; d++) summed[d][k] = both[d];
            pf_hmm_agree(model, pair);
            SUCCEED(pf_hmm_count(model, pair));
        }
        pf_hmm_update(model);
        for (int d = 0; d < directions; d++) {
            iterate(&trained[d], d, corpus, summed[d]);
            CHECK(!alone || likelihood[d] >= last[d] - 1e-9, "the likelihood fell from %.12g to %.12g", last[d], likelihood[d]);
            last[d] = likelihood[d];
        }
    }
    pf_hmm_free(model);
    pf_hmm_pair_free(pair);
    pf_hmm_work_free(work);
    PF_VEC_FREE(&words[0]);
    PF_VEC_FREE(&words[1]);
}

static void check_alone(void **state PF_UNUSED) {
    for (int round = 0; round < 40; round++) follow(NARROW, NARROW, true, 2);
}

static void check_agreement(void **state PF_UNUSED) {
    for (int round = 0; round < 40; round++) follow(NARROW, NARROW, false, 2);
}

static void check_far_jumps(void **state PF_UNUSED) {
    for (int round = 0; round < 20; round++) follow(MOST, 3, true, 1);
}

/* ---- corpora of the aligner ---- */

typedef struct {
    const char *source, *target;
} texts;

static pf_err open_text(const char *text, pf_reader **out) {
    return pf_reader_memory(text, strlen(text), "text", out);
}

static pf_err open_texts(void *self, pf_parallel **pairs, size_t *source, size_t *target) {
    const texts *t = self;
    pf_reader *reader;
    PF_TRY(pf_parallel_new(1, pairs));
    PF_TRY(open_text(t->source, &reader));
    PF_TRY(pf_parallel_words(*pairs, reader, source));
    PF_TRY(open_text(t->target, &reader));
    return pf_parallel_words(*pairs, reader, target);
}

typedef struct {
    uint64_t n;
    pf_writer *out;
} taken;

static pf_err take(void *self, const pf_aligned_pair *pair) {
    taken *t = self;
    const pf_align_pair where = {.number = pair->number};
    assert_int_equal(pair->number, ++t->n);
    for (int d = 0; d < PF_HMM_DIRECTIONS; d++) {
        PF_TRY(pf_align_write(t->out, PF_ALIGN_LENGTHS, pair->likely[d], &where));
        PF_TRY(pf_align_write(t->out, PF_ALIGN_LENGTHS, pair->best[d], &where));
    }
    return PF_OK;
}

static void align(texts *t, size_t threads, pf_writer *out, pf_aligner_counts *counts) {
    const pf_ibm1_corpus corpus = {open_texts, NULL, t};
    const pf_aligner_options how = {.threads = threads, .longest = 12};
    taken into = {0, out};
    pf_hmm *model;
    SUCCEED(pf_hmm_new(&(pf_hmm_options){.empty = 0.2}, &model));
    SUCCEED(pf_aligner_start(model, &corpus, 2));
    for (int n = 0; n < 2; n++) SUCCEED(pf_aligner_iterate(model, &corpus, &how, counts));
    SUCCEED(pf_aligner_align(model, &corpus, &how, &(pf_aligner_taker){0.01, take, &into}, counts));
    pf_hmm_free(model);
}

/* Sentences of 0 to 13 words, of which 13 is too long. */
static char *random_text(size_t lines) {
    char *text = malloc(lines * 2 * MOST + 1), *at = text;
    assert_non_null(text);
    while (lines--) {
        for (unsigned n = below(MOST); n--;) at += sprintf(at, "%c%s", 'a' + (int)below(26), n ? " " : "");
        *at++ = '\n';
    }
    *at = 0;
    return text;
}

static void check_threads(void **state PF_UNUSED) {
    enum { LINES = 500 };
    char *source = random_text(LINES), *target = random_text(LINES);
    pf_writer *one, *many;
    pf_aligner_counts counts[2];
    size_t n[2];
    SUCCEED(pf_writer_memory(&one));
    SUCCEED(pf_writer_memory(&many));
    align(&(texts){source, target}, 1, one, &counts[0]);
    align(&(texts){source, target}, 4, many, &counts[1]);
    const unsigned char *bytes[2] = {pf_writer_bytes(one, &n[0]), pf_writer_bytes(many, &n[1])};
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    assert_int_equal(counts[0].pairs, LINES);
    assert_true(counts[0].too_long > 0 && counts[0].wordless > 0);
    assert_true(counts[0].log_likelihood[0] == counts[1].log_likelihood[0]);
    pf_writer_free(one);
    pf_writer_free(many);
    free(source);
    free(target);
}

/* A corpus that changes between two readings. */
static void check_changed(void **state PF_UNUSED) {
    static const struct {
        texts then;
        const char *message;
    } changes[] = {
        {{"a b\nc\n", "x y\nw\n"},
         "pair 2: the target word 'w' does not occur in the corpus that the model began with: has the corpus changed?"},
        {{"a b\nq\n", "x y\nz\n"},
         "pair 2: the source word 'q' does not occur in the corpus that the model began with: has the corpus changed?"},
        {{"a b\nc\n", "x y\ny\n"},
         "pair 2: two words of this pair occur together in no pair of the corpus that the model began with: has the corpus "
         "changed?"},
        {{"a b\n", "x y\nz\n"}, "text: expected line 2, which text has, found the end of the file"},
    };
    for (size_t i = 0; i < LENGTH(changes); i++)
        for (size_t threads = 1; threads < 3; threads++) {
            texts text = {"a b\nc\n", "x y\nz\n"};
            const pf_ibm1_corpus corpus = {open_texts, NULL, &text};
            const pf_aligner_options how = {.threads = threads, .longest = 9};
            pf_aligner_counts counts;
            pf_hmm *model;
            SUCCEED(pf_hmm_new(&(pf_hmm_options){.empty = 0.2}, &model));
            SUCCEED(pf_aligner_start(model, &corpus, 1));
            text = changes[i].then;
            assert_int_equal(pf_aligner_iterate(model, &corpus, &how, &counts), PF_EINPUT);
            assert_string_equal(pf_message(), changes[i].message);
            pf_hmm_free(model);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_alone),     cmocka_unit_test(check_agreement), cmocka_unit_test(check_far_jumps),
        cmocka_unit_test(check_threads),   cmocka_unit_test(check_changed),
    };
    return cmocka_run_group_tests_name("train", tests, NULL, NULL);
}
