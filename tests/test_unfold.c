/* Unfolding against its definition: every way to cut the target is tried. IBM model 1 against EM on dense matrices. */
#include "check.h"
#include "draw.h"

#include <permfst/tuples/unfold.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 6, KINDS = 5, RANDOM_PAIRS = 12000, CORPUS = 12, ITERATIONS = 4 };

static uint64_t seed = 4711;
static unsigned below(unsigned n) { return draw(&seed, n); }

static const char *const spelling[KINDS] = {"a", "bb", "c", "d_", "eee"};

typedef struct {
    int n, kind[SIDE];
} sentence;

static sentence random_sentence(void) {
    sentence text = {.n = (int)below(SIDE + 1)};
    for (int i = 0; i < text.n; i++) text.kind[i] = (int)below(KINDS);
    return text;
}

static void spell(const sentence *text, pf_words *words) {
    words->n = 0;
    for (int i = 0; i < text->n; i++)
        SUCCEED(PF_PUSH(words, ((pf_word){spelling[text->kind[i]], strlen(spelling[text->kind[i]])})));
}

/* ---- IBM model 1 on matrices ---- */

typedef struct {
    sentence source, target;
} pair;

static double given[KINDS + 1][KINDS]; /* t(target | source); [0]: the empty word */

/* EM as in a textbook: posteriors of all alignments of a pair, one target word at a time. */
static void em(const pair *corpus, int pairs, int iterations) {
    for (int source = 0; source <= KINDS; source++)
        for (int target = 0; target < KINDS; target++) given[source][target] = 1.0 / KINDS;
    while (iterations--) {
        double count[KINDS + 1][KINDS] = {{0}};
        for (int number = 0; number < pairs; number++)
            for (int i = 0; i < corpus[number].target.n; i++) {
                int target = corpus[number].target.kind[i];
                double all = given[0][target];
                for (int j = 0; j < corpus[number].source.n; j++) all += given[corpus[number].source.kind[j] + 1][target];
                count[0][target] += given[0][target] / all;
                for (int j = 0; j < corpus[number].source.n; j++)
                    count[corpus[number].source.kind[j] + 1][target] += given[corpus[number].source.kind[j] + 1][target] / all;
            }
        for (int source = 0; source <= KINDS; source++) {
            double sum = 0;
            for (int target = 0; target < KINDS; target++) sum += count[source][target];
            for (int target = 0; target < KINDS; target++) given[source][target] = sum > 0 ? count[source][target] / sum : 0;
        }
    }
}

static void random_corpus(pair corpus[CORPUS]) {
    for (int number = 0; number < CORPUS; number++) corpus[number] = (pair){random_sentence(), random_sentence()};
}

static pf_ibm1 *train(const pair *corpus, int pairs, int iterations) {
    pf_ibm1 *model;
    pf_words source = {0}, target = {0};
    SUCCEED(pf_ibm1_new(&model));
    for (int iteration = 0; iteration < iterations; iteration++) {
        for (int number = 0; number < pairs; number++) {
            spell(&corpus[number].source, &source);
            spell(&corpus[number].target, &target);
            SUCCEED(pf_ibm1_count(model, &source, &target));
        }
        pf_ibm1_update(model);
    }
    PF_VEC_FREE(&source);
    PF_VEC_FREE(&target);
    return model;
}

static void check_ibm1(void **state PF_UNUSED) {
    for (int round = 0; round < 200; round++) {
        pair corpus[CORPUS];
        random_corpus(corpus);
        em(corpus, CORPUS, ITERATIONS);
        pf_ibm1 *model = train(corpus, CORPUS, ITERATIONS);
        for (int from = 0; from <= KINDS; from++)
            for (int to = 0; to < KINDS; to++) {
                pf_word source = {from ? spelling[from - 1] : NULL, from ? strlen(spelling[from - 1]) : 0};
                pf_word target = {spelling[to], strlen(spelling[to])};
                double got = pf_ibm1_given(model, &source, &target);
                CHECK(fabs(got - given[from][to]) < 1e-12, "t(%d | %d): expected %.15g, found %.15g", to, from, given[from][to],
                      got);
            }
        pf_ibm1_free(model);
    }
}

/* Many words, so that the table grows: each source word i stands with target word i only. */
static void check_ibm1_grows(void **state PF_UNUSED) {
    enum { MANY = 3000 };
    pf_ibm1 *model;
    char text[2][16];
    pf_words source = {0}, target = {0};
    SUCCEED(PF_ROOM(&source, 1));
    SUCCEED(PF_ROOM(&target, 1));
    source.n = target.n = 1;
    SUCCEED(pf_ibm1_new(&model));
    for (int iteration = 0; iteration < 2; iteration++) {
        for (int i = 0; i < MANY; i++) {
            source.at[0] = (pf_word){text[0], (size_t)snprintf(text[0], sizeof text[0], "f%d", i)};
            target.at[0] = (pf_word){text[1], (size_t)snprintf(text[1], sizeof text[1], "e%d", i)};
            SUCCEED(pf_ibm1_count(model, &source, &target));
        }
        pf_ibm1_update(model);
    }
    for (int i = 0; i < MANY; i++) {
        pf_word empty = {"", 0};
        source.at[0].n = (size_t)snprintf(text[0], sizeof text[0], "f%d", i);
        target.at[0].n = (size_t)snprintf(text[1], sizeof text[1], "e%d", i);
        assert_true(pf_ibm1_given(model, &source.at[0], &target.at[0]) == 1);
        assert_true(fabs(pf_ibm1_given(model, &empty, &target.at[0]) - 1.0 / MANY) < 1e-12);
        target.at[0].n = (size_t)snprintf(text[1], sizeof text[1], "e%d", i + 1);
        assert_true(pf_ibm1_given(model, &source.at[0], &target.at[0]) == 0);
    }
    assert_int_equal(pf_ibm1_count(model, &source, &target), PF_EINPUT); /* f2999 and e3000, which is new */
    target.at[0].n = (size_t)snprintf(text[1], sizeof text[1], "e%d", 7);
    assert_int_equal(pf_ibm1_count(model, &source, &target), PF_EINPUT); /* both are known, but not together */
    pf_ibm1_free(model);
    PF_VEC_FREE(&source);
    PF_VEC_FREE(&target);
}

/* ---- unfolding by its definition ---- */

typedef struct {
    int sources, targets;
    bool link[SIDE][SIDE];
    int n, order[SIDE], source_end[SIDE + 1], target_end[SIDE + 1]; /* n tuples */
} oracle;

/* The aligned word that decides for j: itself or the next one, else -1. */
static int decider(const oracle *truth, int j) {
    for (; j < truth->sources; j++)
        for (int i = 0; i < truth->targets; i++)
            if (truth->link[j][i]) return j;
    return -1;
}

/* Is there a link of j with the targets begin..end-1? */
static bool linked(const oracle *truth, int j, int begin, int end) {
    for (int i = begin; i < end; i++)
        if (truth->link[j][i]) return true;
    return false;
}

/* Do the sources of the targets before `at` go before those of the later ones? Sources that nothing decides go last. */
static bool keeps_order(const oracle *truth, int at) {
    for (int j = 0; j < truth->sources; j++)
        for (int k = 0; k < j; k++) {
            int late = decider(truth, j), early = decider(truth, k);
            if (late >= 0 && early >= 0 && linked(truth, late, 0, at) && !linked(truth, early, 0, at)) return false;
        }
    return true;
}

/* Bit i of `cuts`: between targets i and i + 1. */
static bool allowed(const oracle *truth, unsigned cuts, bool keep) {
    for (int i = 0; i + 1 < truth->targets; i++) {
        if (!(cuts >> i & 1)) continue;
        for (int j = 0; j < truth->sources; j++)
            if (linked(truth, j, 0, i + 1) && linked(truth, j, i + 1, truth->targets)) return false;
        if (keep && !keeps_order(truth, i + 1)) return false;
    }
    return true;
}

static unsigned finest(const oracle *truth, bool keep) {
    unsigned best = 0;
    for (unsigned cuts = 0; cuts < 1u << (truth->targets ? truth->targets - 1 : 0); cuts++)
        if (allowed(truth, cuts, keep) && __builtin_popcount(cuts) >= __builtin_popcount(best)) best = cuts;
    return best;
}

/* The likelihood of a target word beside the sources order[begin..end). */
static double likelihood(const oracle *truth, const pair *text, int begin, int end, int i) {
    double sum = given[0][text->target.kind[i]];
    for (int k = begin; k < end; k++) sum += given[text->source.kind[truth->order[k]] + 1][text->target.kind[i]];
    return sum / (end - begin + 1);
}

/* How many of the targets begin..end-1 go to tuple k: all splits are tried. */
static int split(const oracle *truth, const pair *text, int k, int begin, int end) {
    int best = 0, first = k ? truth->source_end[k - 1] : 0;
    double most = -1;
    for (int left = 0; left <= end - begin; left++) {
        double product = 1;
        for (int i = begin; i < end; i++)
            product *= i < begin + left ? likelihood(truth, text, first, truth->source_end[k], i)
                                     : likelihood(truth, text, truth->source_end[k], truth->source_end[k + 1], i);
        if (product >= most * (1 - 1e-12)) {
            most = product;
            best = left;
        }
    }
    return best;
}

static void unfold(oracle *truth, const pair *text, bool keep, pf_unaligned side) {
    unsigned cuts = finest(truth, keep);
    int begins[SIDE], ends[SIDE], placed = 0;
    truth->n = 0;
    for (int begin = 0, i = 0; i < truth->targets; i++) {
        if (i + 1 < truth->targets && !(cuts >> i & 1)) continue;
        bool any = false;
        for (int j = 0; j < truth->sources; j++) any = any || linked(truth, j, begin, i + 1);
        if (any) begins[truth->n] = begin, ends[truth->n++] = i + 1;
        begin = i + 1;
    }
    if (!truth->n) {
        for (int j = 0; j < truth->sources; j++) truth->order[j] = j;
        truth->n = truth->sources || truth->targets;
        truth->source_end[0] = truth->sources, truth->target_end[0] = truth->targets;
        return;
    }
    for (int k = 0; k < truth->n; k++) {
        for (int j = 0; j < truth->sources; j++)
            if (decider(truth, j) >= 0 ? linked(truth, decider(truth, j), begins[k], ends[k]) : k == truth->n - 1)
                truth->order[placed++] = j;
        truth->source_end[k] = placed;
    }
    for (int k = 0; k < truth->n; k++) {
        if (k == truth->n - 1) truth->target_end[k] = truth->targets;
        else if (side == PF_UNALIGNED_LEFT) truth->target_end[k] = begins[k + 1];
        else if (side == PF_UNALIGNED_RIGHT) truth->target_end[k] = ends[k];
        else truth->target_end[k] = ends[k] + split(truth, text, k, ends[k], begins[k + 1]);
    }
}

static void same(const oracle *truth, const pf_tuples *got, const char *what) {
    CHECK((int)got->order.n == truth->sources, "%s: %zu words of %d", what, got->order.n, truth->sources);
    CHECK((int)got->tuple.n == truth->n, "%s: expected %d tuples, found %zu", what, truth->n, got->tuple.n);
    for (int number = 0; number < truth->sources; number++)
        CHECK((int)got->order.at[number] == truth->order[number], "%s: place %d: expected %d, found %u", what, number,
              truth->order[number],
              got->order.at[number]);
    for (int k = 0; k < truth->n; k++) {
        CHECK((int)got->tuple.at[k].source_end == truth->source_end[k], "%s: source of tuple %d", what, k);
        CHECK((int)got->tuple.at[k].target_end == truth->target_end[k], "%s: target of tuple %d: expected %d, found %u",
              what, k, truth->target_end[k], got->tuple.at[k].target_end);
    }
}

static bool crosses(const oracle *truth) {
    for (int j = 0; j < truth->sources; j++)
        for (int k = 0; k < j; k++)
            for (int i = 0; i < truth->targets; i++)
                if (truth->link[j][i] && linked(truth, k, i + 1, truth->targets)) return true;
    return false;
}

static void random_links(oracle *truth, const pair *text, pf_alignment *alignment) {
    unsigned share = 1 + below(4);
    *truth = (oracle){.sources = text->source.n, .targets = text->target.n};
    pf_alignment_reset(alignment);
    alignment->n_source = (uint32_t)truth->sources;
    alignment->n_target = (uint32_t)truth->targets;
    for (int j = 0; j < truth->sources; j++)
        for (int i = 0; i < truth->targets; i++)
            if ((truth->link[j][i] = below(8) < share && below(2)))
                SUCCEED(pf_alignment_add(alignment, (pf_link){(uint32_t)j, (uint32_t)i, false, NAN}));
    pf_alignment_sort(alignment);
}

static void check_unfolding(void **state PF_UNUSED) {
    static const char *const names[] = {"ibm1", "left", "right"};
    pf_unfolder *unfolder;
    pf_alignment alignment = {0};
    pf_tuples got = {0};
    pf_words source = {0}, target = {0};
    int reordered = 0, crossed = 0, divided = 0;
    SUCCEED(pf_unfolder_new(&unfolder));
    for (int round = 0; round < RANDOM_PAIRS / CORPUS; round++) {
        pair corpus[CORPUS];
        random_corpus(corpus);
        em(corpus, CORPUS, ITERATIONS);
        pf_ibm1 *model = train(corpus, CORPUS, ITERATIONS);
        for (int number = 0; number < CORPUS; number++) {
            oracle truth;
            random_links(&truth, &corpus[number], &alignment);
            spell(&corpus[number].source, &source);
            spell(&corpus[number].target, &target);
            for (int way = 0; way < 6; way++) {
                pf_unfold_options how = {(pf_unaligned)(way / 2), way % 2, way / 2 ? NULL : model, &source, &target};
                unfold(&truth, &corpus[number], how.keep_order, how.unaligned);
                SUCCEED(pf_unfold(unfolder, &alignment, &how, &got));
                same(&truth, &got, names[how.unaligned]);
                if (how.keep_order) assert_true(pf_tuples_in_order(&got));
                else reordered += !pf_tuples_in_order(&got);
                if (!crosses(&truth)) assert_true(pf_tuples_in_order(&got));
                divided += how.keep_order && got.tuple.n > 1;
            }
            assert_int_equal(pf_alignment_crosses(&alignment), crosses(&truth));
            crossed += crosses(&truth);
        }
        pf_ibm1_free(model);
    }
    CHECK(reordered > 1000 && crossed > 500 && divided > 1000, "too few of a kind: %d %d %d", reordered, crossed, divided);
    pf_unfolder_free(unfolder);
    pf_alignment_free(&alignment);
    pf_tuples_free(&got);
    PF_VEC_FREE(&source);
    PF_VEC_FREE(&target);
}

/* Worked by hand: an unaligned source word inside, one at the end, an unaligned target word at either place. */
static void check_worked(void **state PF_UNUSED) {
    static const pf_link links[] = {
        {0, 2, false, NAN}, {1, 0, false, NAN}, {2, 1, false, NAN}, {2, 3, false, NAN}, {4, 5, false, NAN}};
    static const uint32_t order[] = {1, 0, 2, 3, 4, 5}; /* 0 and 2 are in one segment, 3 goes with 4, 5 is at the end */
    pf_alignment alignment = {0};
    pf_tuples got = {0};
    pf_unfolder *unfolder;
    pf_unfold_options how = {.unaligned = PF_UNALIGNED_LEFT};
    pf_alignment_reset(&alignment);
    alignment.n_source = 6;
    alignment.n_target = 7;
    for (size_t i = 0; i < LENGTH(links); i++) SUCCEED(pf_alignment_add(&alignment, links[i]));
    SUCCEED(pf_unfolder_new(&unfolder));
    SUCCEED(pf_unfold(unfolder, &alignment, &how, &got));
    assert_memory_equal(got.order.at, order, sizeof order);
    assert_int_equal(got.tuple.n, 3);
    assert_int_equal(got.tuple.at[0].source_end, 1);
    assert_int_equal(got.tuple.at[0].target_end, 1);
    assert_int_equal(got.tuple.at[1].source_end, 3);
    assert_int_equal(got.tuple.at[1].target_end, 5); /* target 4 is unaligned and goes left */
    assert_int_equal(got.tuple.at[2].source_end, 6);
    assert_int_equal(got.tuple.at[2].target_end, 7);
    pf_unfolder_free(unfolder);
    pf_alignment_free(&alignment);
    pf_tuples_free(&got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_ibm1),
        cmocka_unit_test(check_ibm1_grows),
        cmocka_unit_test(check_unfolding),
        cmocka_unit_test(check_worked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
