/* The HMM against all alignments of tiny corpora, written out: posteriors, best alignments, iterations. Its likelihood never
 * falls. And a corpus trained by several threads. */
#include "check.h"
#include "draw.h"

#include <permfst/train/aligner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 5, PAIRS = 4, MOST = 14, NARROW = 4, FAR = PF_HMM_FAR, WEIGHTS = 2 * FAR + 1, STEPS = 50, ITERATIONS = 4 };

static uint64_t seed = 7;
static unsigned below(unsigned n) { return draw(&seed, n); }

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
    sentence text = {.n = 1 + (int)below(most)};
    for (int i = 0; i < text.n; i++) text.word[i] = (int)below(KINDS);
    return text;
}

static void random_corpus(text_pair corpus[PAIRS], unsigned sources, unsigned targets) {
    for (int number = 0; number < PAIRS; number++)
        corpus[number] = (text_pair){{random_sentence(sources), random_sentence(targets)}};
}

static void spell(const sentence *text, pf_words *out) {
    out->n = 0;
    SUCCEED(PF_ROOM(out, (size_t)text->n));
    for (int i = 0; i < text->n; i++) out->at[out->n++] = (pf_word){spelling[text->word[i]], 1};
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

/* aligned[i]: the word that linked word i has; n: the empty word. */
static double probability(const parameters *values, double empty, const sentence *words, const sentence *linked,
                          const int *aligned) {
    double product = 1;
    int before = -1;
    for (int i = 0; i < linked->n; i++) {
        int e = linked->word[i];
        if (aligned[i] == words->n) product *= empty * floored(values->given[KINDS][e]);
        else {
            product *= (1 - empty) * floored(values->given[words->word[aligned[i]]][e]) *
                       (before < 0 ? jump(values->first, 0, aligned[i], words->n) : jump(values->inner, before, aligned[i],
                                                                                         words->n));
            before = aligned[i];
        }
    }
    return product;
}

static void add_alignment(sums *counts, const int *aligned, int n, int links, double product) {
    int before = -1;
    counts->sum += product;
    if (product > counts->best) counts->best = product;
    for (int i = 0; i < links; i++) {
        if (aligned[i] == n) counts->empty[i] += product;
        else {
            counts->posterior[i][aligned[i]] += product;
            if (before < 0) counts->first[place(0, aligned[i])] += product;
            else counts->inner[place(before, aligned[i])] += product, counts->departed[before] += product;
            before = aligned[i];
        }
    }
}

static void divide(sums *counts) {
    for (int i = 0; i < MOST; i++) {
        counts->empty[i] /= counts->sum;
        counts->departed[i] /= counts->sum;
        for (int j = 0; j < MOST; j++) counts->posterior[i][j] /= counts->sum;
    }
    for (int k = 0; k < WEIGHTS; k++) counts->first[k] /= counts->sum, counts->inner[k] /= counts->sum;
}

static void enumerate(const parameters *values, double empty, const sentence *words, const sentence *linked, sums *out) {
    int aligned[MOST] = {0}, i = 0;
    memset(out, 0, sizeof *out);
    while (i < linked->n) {
        add_alignment(out, aligned, words->n, linked->n, probability(values, empty, words, linked, aligned));
        for (i = 0; i < linked->n && ++aligned[i] > words->n; i++) aligned[i] = 0;
    }
    divide(out);
}

/* One step after the other towards the weights that fit counts; departed[number][j]: from word j of that pair. */
static void fit(double *weight, const double *count, double departed[PAIRS][MOST], const int *lengths) {
    for (int step = 0; step < STEPS; step++) {
        double rate[WEIGHTS] = {0}, sum = 0;
        for (int number = 0; number < PAIRS; number++)
            for (int from = 0; from < lengths[number]; from++) {
                double all = 0;
                for (int to = 0; to < lengths[number]; to++) all += weight[place(from, to)];
                for (int to = 0; to < lengths[number]; to++) rate[place(from, to)] += departed[number][from] / all;
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

/* The parameters after an iteration in the direction with these words, from the sums of each pair. */
static void iterate(parameters *values, int side, const text_pair *corpus, const sums *counts) {
    double given[KINDS + 1][KINDS] = {{0}}, first[WEIGHTS] = {0}, inner[WEIGHTS] = {0};
    double begun[PAIRS][MOST] = {{0}}, departed[PAIRS][MOST];
    int lengths[PAIRS];
    for (int k = 0; k < PAIRS; k++) {
        const sentence *words = &corpus[k].side[side], *linked = &corpus[k].side[!side];
        lengths[k] = words->n;
        for (int i = 0; i < linked->n; i++) {
            given[KINDS][linked->word[i]] += counts[k].empty[i];
            for (int j = 0; j < words->n; j++) given[words->word[j]][linked->word[i]] += counts[k].posterior[i][j];
        }
        add(first, counts[k].first);
        add(inner, counts[k].inner);
        for (int jump = 0; jump < WEIGHTS; jump++) begun[k][0] += counts[k].first[jump];
        memcpy(departed[k], counts[k].departed, sizeof departed[k]);
    }
    for (int from = 0; from <= KINDS; from++) {
        double sum = 0;
        for (int to = 0; to < KINDS; to++) sum += given[from][to];
        for (int to = 0; to < KINDS; to++) values->given[from][to] = sum > 0 ? given[from][to] / sum : 0;
    }
    fit(values->first, first, begun, lengths);
    double all = 0;
    for (int jump = 0; jump < WEIGHTS; jump++) all += inner[jump];
    if (all > 0) fit(values->inner, inner, departed, lengths);
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

static void begin(const text_pair *corpus, pf_hmm *model, parameters values[2]) {
    pf_words words[2] = {{0}};
    for (int side = 0; side < 2; side++) {
        pf_ibm1 *start;
        SUCCEED(pf_ibm1_new(&start));
        for (int iteration = 0; iteration < 2; iteration++) {
            for (int k = 0; k < PAIRS; k++) {
                spell(&corpus[k].side[side], &words[0]);
                spell(&corpus[k].side[!side], &words[1]);
                SUCCEED(pf_ibm1_count(start, &words[0], &words[1]));
            }
            pf_ibm1_update(start);
        }
        SUCCEED(pf_hmm_start(model, (pf_hmm_direction)side, start));
        for (int from = 0; from <= KINDS; from++)
            for (int to = 0; to < KINDS; to++)
                values[side].given[from][to] = pf_ibm1_given(start, &(pf_word){from < KINDS ? spelling[from] : "", from < KINDS},
                                                 &(pf_word){spelling[to], 1});
        for (int jump = 0; jump < WEIGHTS; jump++) values[side].first[jump] = values[side].inner[jump] = 1.0 / WEIGHTS;
        pf_ibm1_free(start);
    }
    PF_VEC_FREE(&words[0]);
    PF_VEC_FREE(&words[1]);
}

static void near(const char *what, double want, double got) {
    CHECK(fabs(want - got) < 1e-9, "%s: expected %.12g, found %.12g", what, want, got);
}

static void compare(const pf_hmm_pair *pair, pf_hmm_direction side, const text_pair *text, const sums *want) {
    near("log-likelihood", log(want->sum), pf_hmm_log_likelihood(pair, side));
    for (int k = 0; k < text->side[!side].n; k++) {
        double empty = 1;
        for (int word = 0; word < text->side[side].n; word++) {
            double posterior =
                side ? pf_hmm_posterior(pair, side, (uint32_t)k, (uint32_t)word) : pf_hmm_posterior(pair, side, (uint32_t)word,
                                                                                                 (uint32_t)k);
            near("posterior", want->posterior[k][word], posterior);
            empty -= posterior;
        }
        near("empty word", want->empty[k], empty);
    }
}

/* The best alignment has the probability of the best one of all, and its links their posteriors. */
static void compare_best(const pf_hmm *model, pf_hmm_work *work, const pf_hmm_pair *pair, pf_hmm_direction side,
                         const text_pair *text, const parameters *values, double empty, const sums *want) {
    pf_alignment links = {0};
    int aligned[MOST];
    for (int k = 0; k < MOST; k++) aligned[k] = text->side[side].n;
    SUCCEED(pf_hmm_best(model, work, pair, side, &links));
    for (size_t k = 0; k < links.link.n; k++) {
        const pf_link *link = &links.link.at[k];
        aligned[side ? link->source : link->target] = (int)(side ? link->target : link->source);
        near("posterior of a best link", pf_hmm_posterior(pair, side, link->source, link->target), link->posterior);
    }
    near("the best alignment", 1, probability(values, empty, &text->side[side], &text->side[!side], aligned) / want->best);
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
            for (int side = 0; side < directions; side++) {
                enumerate(&trained[side], empty, &corpus[k].side[side], &corpus[k].side[!side], &both[side]);
                compare(pair, (pf_hmm_direction)side, &corpus[k], &both[side]);
                compare_best(model, work, pair, (pf_hmm_direction)side, &corpus[k], &trained[side], empty, &both[side]);
                likelihood[side] += pf_hmm_log_likelihood(pair, (pf_hmm_direction)side);
            }
            if (!alone) agree(&corpus[k], both);
            for (int side = 0; side < directions; side++) summed[side][k] = both[side];
            pf_hmm_agree(model, pair);
            SUCCEED(pf_hmm_count(model, pair));
        }
        pf_hmm_update(model);
        for (int side = 0; side < directions; side++) {
            iterate(&trained[side], side, corpus, summed[side]);
            CHECK(!alone || likelihood[side] >= last[side] - 1e-9, "the likelihood fell from %.12g to %.12g", last[side],
                  likelihood[side]);
            last[side] = likelihood[side];
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
    const texts *mine = self;
    pf_reader *reader;
    PF_TRY(pf_parallel_new(1, pairs));
    PF_TRY(open_text(mine->source, &reader));
    PF_TRY(pf_parallel_words(*pairs, reader, source));
    PF_TRY(open_text(mine->target, &reader));
    return pf_parallel_words(*pairs, reader, target);
}

typedef struct {
    uint64_t n;
    pf_writer *out;
} taken;

static pf_err take(void *self, const pf_aligned_pair *pair) {
    taken *mine = self;
    const pf_align_pair where = {.number = pair->number};
    assert_int_equal(pair->number, ++mine->n);
    for (int side = 0; side < PF_HMM_DIRECTIONS; side++) {
        PF_TRY(pf_align_write(mine->out, PF_ALIGN_LENGTHS, pair->likely[side], &where));
        PF_TRY(pf_align_write(mine->out, PF_ALIGN_LENGTHS, pair->best[side], &where));
    }
    return PF_OK;
}

enum { LINES = 500 };

/* The iterations of a training come in order, each with the counts of all pairs. */
static void told(void *self, uint64_t iteration, const pf_aligner_counts *counts) {
    uint64_t *so_far = self;
    assert_int_equal(iteration, ++*so_far);
    assert_int_equal(counts->pairs, LINES);
    assert_true(counts->log_likelihood[PF_HMM_FORWARD] < 0 && counts->log_likelihood[PF_HMM_REVERSE] < 0);
}

/* All iterations of a training, then the alignments. */
static void align(texts *mine, size_t threads, pf_writer *out, pf_aligner_counts *counts) {
    const pf_ibm1_corpus corpus = {open_texts, NULL, mine};
    const pf_aligner_options how = {.threads = threads, .longest = 12};
    uint64_t iterations = 0;
    const pf_aligner_training training = {{.empty = 0.2}, 2, 3, told, &iterations};
    taken into = {0, out};
    pf_hmm *model;
    SUCCEED(pf_aligner_train(&training, &corpus, &how, &model));
    assert_int_equal(iterations, 3);
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
