/* Learning which word comes first. Features against their definition, written out; charts against all permutations; the gradient of
 * logistic regression against differences, and its optimum against coordinate descent; the perceptron against one that decodes by
 * enumeration and averages by adding up. */
#include "check.h"
#include "draw.h"

#include <permfst/io/sentence.h>
#include <permfst/learn/ap.h>
#include <permfst/learn/chunk_decoder.h>
#include <permfst/learn/chunk_search.h>
#include <permfst/learn/feature_map.h>
#include <permfst/learn/learner_state.h>
#include <permfst/learn/order_apply.h>
#include <permfst/learn/order_train.h>
#include <permfst/ops/open.h>
#include <permfst/search/best.h>

#include "learn/learn_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 6, ORDERS = 720, TEXT = 4000, ENUMERATED_COST = 1 << 20 };

static uint64_t seed = 18;
static unsigned below(unsigned n) { return draw(&seed, n); }

/* ---- orders ---- */

static unsigned orders(unsigned n, uint32_t all[ORDERS][MOST]) {
    unsigned count = 0;
    uint32_t now[MOST];
    for (unsigned i = 0; i < n; i++) now[i] = i;
    for (;;) {
        memcpy(all[count++], now, sizeof now);
        int i = (int)n - 2, j = (int)n - 1;
        while (i >= 0 && now[i] > now[i + 1]) i--;
        if (i < 0) return count;
        while (now[j] < now[i]) j--;
        uint32_t other = now[i];
        now[i] = now[j];
        now[j] = other;
        for (int a = i + 1, b = (int)n - 1; a < b; a++, b--) {
            other = now[a];
            now[a] = now[b];
            now[b] = other;
        }
    }
}

/* No four of its words are visited as 2 4 1 3 or 3 1 4 2. */
static bool separable(const uint32_t *order, unsigned n) {
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++)
            for (unsigned c = b + 1; c < n; c++)
                for (unsigned d = c + 1; d < n; d++) {
                    const uint32_t w = order[a], x = order[b], y = order[c], z = order[d];
                    if (y < w && w < z && z < x) return false;
                    if (x < z && z < w && w < y) return false;
                }
    return true;
}

/* May the order be of the space ibm:2: is each word among the first two that are left? */
static bool of_ibm2(const uint32_t *order, unsigned n) {
    for (unsigned at = 0; at < n; at++) {
        unsigned before = 0;
        for (unsigned later = at + 1; later < n; later++) before += order[later] < order[at];
        if (before > 1) return false;
    }
    return true;
}

static bool of_none(const uint32_t *order PF_UNUSED, unsigned n PF_UNUSED) { return true; }
static bool of_itg_and_ibm2(const uint32_t *order, unsigned n) { return separable(order, n) && of_ibm2(order, n); }
static bool of_none_but_itg(const uint32_t *order, unsigned n) { return !separable(order, n); } /* empty below 4 words */

static int64_t cost_of(const uint32_t *order, unsigned n, const int64_t *cost) {
    int64_t sum = 0;
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++)
            if (order[b] < order[a]) sum += cost[order[b] * n + order[a]];
    return sum;
}

/* Of equal costs the first one. */
static const uint32_t *enumerated(unsigned n, const int64_t *cost, bool (*has)(const uint32_t *order, unsigned n)) {
    static uint32_t all[ORDERS][MOST];
    unsigned count = orders(n, all), best = 0;
    int64_t least = INT64_MAX;
    for (unsigned k = 0; k < count; k++) {
        if (!has(all[k], n)) continue;
        int64_t now = cost_of(all[k], n, cost);
        if (now >= least) continue;
        least = now;
        best = k;
    }
    return all[best];
}

static void random_costs(unsigned n, int spread, int64_t *cost) {
    for (unsigned i = 0; i < n * n; i++) cost[i] = (int64_t)below(2 * (unsigned)spread + 1) - spread;
}

static const struct {
    const char *space;
    bool (*has)(const uint32_t *order, unsigned n);
} spaces[] = {
    {"itg", separable}, {"none", of_none}, {"ibm:2", of_ibm2}, {"itg+ibm:2", of_itg_and_ibm2}, {"none-itg", of_none_but_itg}};

static void check_decoders(void **state PF_UNUSED) {
    for (size_t k = 0; k < LENGTH(spaces); k++) {
        pf_order_decoder decoder;
        SUCCEED(pf_order_decoder_init(&decoder, spaces[k].space, 1));
        for (int round = 0; round < 300; round++) {
            const unsigned n = (spaces[k].has == of_none_but_itg ? 4 + below(MOST - 3) : 1 + below(MOST));
            int64_t cost[MOST * MOST];
            uint32_t order[MOST];
            bool proven;
            random_costs(n, round % 3 ? 3 : 1000, cost);
            SUCCEED(pf_order_decode(&decoder, cost, n, order, &proven));
            assert_true(proven);
            assert_memory_equal(order, enumerated(n, cost, spaces[k].has), n * sizeof *order);
        }
        pf_order_decoder_free(&decoder);
    }
    pf_order_decoder decoder;
    assert_int_equal(pf_order_decoder_init(&decoder, "itgg", 1), PF_EARG);
}

/* Neighbours, with the ends, that are no chunk. */
static int64_t breaks(const uint32_t *order, unsigned n, const uint32_t *rank) {
    uint32_t largest = 0;
    int64_t sum = 0;
    for (unsigned i = 0; i < n; i++) largest = rank[i] > largest ? rank[i] : largest;
    for (unsigned at = 0; at <= n; at++) {
        const int64_t before = at ? (int64_t)rank[order[at - 1]] : -1,
                      after = at < n ? (int64_t)rank[order[at]] : (int64_t)largest + 1;
        sum += after != before && after != before + 1;
    }
    return sum;
}

static void random_ranks(unsigned n, uint32_t *rank) {
    bool used[MOST] = {false};
    uint32_t now[MOST], next = 0;
    for (unsigned i = 0; i < n; i++) used[now[i] = below(n)] = true;
    for (unsigned r = 0; r < n; r++)
        if (used[r]) {
            for (unsigned i = 0; i < n; i++)
                if (now[i] == r) rank[i] = next;
            next++;
        }
}

typedef struct {
    unsigned n;
    int64_t cost[MOST * MOST], loss;
    uint32_t rank[MOST];
} chunk_case;

static int64_t chunk_cost(const chunk_case *one, const uint32_t *order) {
    return cost_of(order, one->n, one->cost) + one->loss * breaks(order, one->n, one->rank);
}

static void random_case(int round, chunk_case *out) {
    static const int64_t losses[] = {0, 1, -1, 5, -5, ENUMERATED_COST, -ENUMERATED_COST};
    out->n = 1 + below(MOST);
    out->loss = losses[round % (int)LENGTH(losses)];
    random_costs(out->n, 4, out->cost);
    random_ranks(out->n, out->rank);
}

/* INT64_MAX: the space is empty. */
static int64_t least_chunk_cost(const chunk_case *one, bool (*has)(const uint32_t *order, unsigned n)) {
    static uint32_t all[ORDERS][MOST];
    const unsigned count = orders(one->n, all);
    int64_t least = INT64_MAX;
    for (unsigned k = 0; k < count; k++)
        if (has(all[k], one->n) && chunk_cost(one, all[k]) < least) least = chunk_cost(one, all[k]);
    return least;
}

static void check_chunk_decoder(void **state PF_UNUSED) {
    pf_chunk_decoder decoder = {.item = {0}};
    for (int round = 0; round < 700; round++) {
        chunk_case one;
        uint32_t order[MOST];
        random_case(round, &one);
        SUCCEED(pf_chunk_decode(&decoder, one.cost, one.rank, one.loss, one.n, order));
        assert_true(separable(order, one.n));
        assert_int_equal(chunk_cost(&one, order), least_chunk_cost(&one, separable));
    }
    pf_chunk_decoder_free(&decoder);
}

/* The same in every space, itg with its stacks included; a space without orders is said. */
static void check_chunk_search(void **state PF_UNUSED) {
    pf_chunk_search search = {.open = {0}};
    unsigned empty = 0;
    for (int round = 0; round < 700; round++) {
        chunk_case one;
        random_case(round, &one);
        for (size_t k = 0; k < LENGTH(spaces); k++) {
            uint32_t order[MOST];
            const int64_t least = least_chunk_cost(&one, spaces[k].has);
            pf_err err = pf_chunk_search_best(&search, spaces[k].space, one.cost, one.rank, one.loss, one.n, order);
            assert_int_equal(err, least == INT64_MAX ? PF_EINPUT : PF_OK);
            empty += err != PF_OK;
            if (err) continue;
            assert_true(spaces[k].has(order, one.n));
            assert_int_equal(chunk_cost(&one, order), least);
        }
    }
    assert_true(empty > 0);
    assert_int_equal(pf_chunk_search_best(&search, "itgg", (const int64_t[]){0}, (const uint32_t[]){0}, 1, 1, (uint32_t[]){0}),
                     PF_EARG);
    pf_chunk_search_free(&search);
}

/* ---- corpora ---- */

typedef struct {
    const char *words, *tags, *links, *trees; /* tags, trees: NULL or a text */
} corpus_text;

static pf_reader *reader_of(const char *text, const char *name) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), name, &reader));
    return reader;
}

static pf_factor_reader *open_corpus(const corpus_text *text) {
    pf_factor_files files = {.tags = text->tags != NULL};
    pf_factor_reader *out;
    SUCCEED(pf_parallel_new(1, &files.pairs));
    SUCCEED(pf_parallel_words(files.pairs, reader_of(text->words, "words"), &files.words));
    if (text->tags) {
        SUCCEED(pf_parallel_words(files.pairs, reader_of(text->tags, "tags"), &files.tag[0]));
        SUCCEED(pf_parallel_match(files.pairs, files.tag[0], files.words));
    }
    SUCCEED(pf_parallel_alignments(files.pairs, reader_of(text->links, "links"), &(pf_parallel_links){.source = files.words},
                                   &files.links));
    if (text->trees) files.trees = reader_of(text->trees, "trees");
    SUCCEED(pf_factor_reader_new(&files, &out));
    return out;
}

static pf_order_model *new_model(pf_learner learner, const char *templates) {
    pf_templates list = {{0}};
    pf_order_model *model;
    pf_reader *reader = reader_of(templates, "templates");
    SUCCEED(pf_templates_read(&list, reader));
    pf_reader_free(reader);
    SUCCEED(pf_order_model_new(learner, &list, &model));
    return model;
}

static pf_examples *read_examples(const corpus_text *text, const pf_example_options *how, pf_order_model *model) {
    pf_factor_reader *reader = open_corpus(text);
    pf_examples *examples;
    SUCCEED(pf_examples_new(how, model, &examples));
    SUCCEED(pf_examples_read(examples, reader));
    pf_factor_reader_free(reader);
    return examples;
}

/* Sentences of a few words, with tags that repeat, and links that cross, are missing, and are shared. */
typedef struct {
    char words[TEXT], tags[TEXT], links[TEXT];
} random_text;

static void random_corpus(unsigned sentences, random_text *out) {
    size_t w = 0, t = 0, l = 0;
    for (unsigned s = 0; s < sentences; s++) {
        const unsigned n = 1 + below(MOST);
        for (unsigned i = 0; i < n; i++) {
            w += (size_t)snprintf(out->words + w, TEXT - w, "%s%c", i ? " " : "", (int)('a' + below(4)));
            t += (size_t)snprintf(out->tags + t, TEXT - t, "%s%c", i ? " " : "", (int)('N' + below(3)));
        }
        for (unsigned i = 0; i < n; i++)
            for (unsigned k = below(5) % 3; k; k--)
                l += (size_t)snprintf(out->links + l, TEXT - l, "%s%u-%u", l && out->links[l - 1] != '\n' ? " " : "", i, below(n));
        w += (size_t)snprintf(out->words + w, TEXT - w, "\n");
        t += (size_t)snprintf(out->tags + t, TEXT - t, "\n");
        l += (size_t)snprintf(out->links + l, TEXT - l, "\n");
    }
    assert_true(w < TEXT - 1 && t < TEXT - 1 && l < TEXT - 1);
}

static const corpus_text toy = {"a b c\na b c\na b c\n", "D V A\nD A V\nA D V\n", "0-0 1-1 2-2\n0-0 1-2 2-1\n0-2 1-0 2-1\n", NULL};
static const char toy_templates[] = "1\nt1.i+t1.j\n";

/* ---- features ---- */

static pf_err collect(void *self, const uint32_t *key) {
    void **to = self;
    const pf_order_model *model = to[0];
    uint32_t feature = pf_statetab_find(&model->feature, key, model->stride * sizeof *key);
    pf_writer *text = to[1];
    assert_int_not_equal(feature, UINT32_MAX);
    SUCCEED(pf_writer_text(text, "%s:", model->templates.at.at[key[0]].text));
    SUCCEED(pf_order_model_write_values(model, feature, text));
    return pf_writer_put(text, "\n", 1);
}

static void features_are(const corpus_text *text, const char *templates, unsigned i, unsigned j, const char *want) {
    pf_order_model *model = new_model(PF_LEARN_LR, templates);
    pf_examples *examples = read_examples(text, &(pf_example_options){PF_GOLD_LINKS, true, 80, 1}, model);
    pf_factor_reader *reader = open_corpus(text);
    pf_factored sentence;
    pf_numbered numbered = {.n = 0};
    pf_writer *found;
    bool more;
    size_t n;
    SUCCEED(pf_factor_next(reader, &sentence, &more));
    SUCCEED(pf_order_model_find(model, &sentence, &numbered));
    SUCCEED(pf_writer_memory(&found));
    SUCCEED(pf_order_model_features(model, &numbered, i, j, collect, (void *[]){model, found}));
    SUCCEED(pf_writer_put(found, "", 1));
    assert_string_equal((const char *)pf_writer_bytes(found, &n), want);
    pf_writer_free(found);
    pf_numbered_free(&numbered);
    pf_factor_reader_free(reader);
    pf_examples_free(examples);
    pf_order_model_free(model);
}

static void check_features(void **state PF_UNUSED) {
    const corpus_text text = {
        "the old dog the barks loud\n", "D A N D V R\n", "0-0\n",
        "1\tthe\t_\tDET\t_\t_\t3\tdet\t_\t_\n2\told\t_\tADJ\t_\t_\t3\tamod\t_\t_\n3\tdog\t_\tNOUN\t_\t_\t5\tnsubj\t_\t_\n"
        "4\tthe\t_\tDET\t_\t_\t5\tdet\t_\t_\n5\tbarks\t_\tVERB\t_\t_\t0\troot\t_\t_\n6\tloud\t_\tADV\t_\t_\t5\tadvmod\t_\t_\n\n"};
    const corpus_text plain = {text.words, text.tags, text.links, NULL};
    features_are(
        &plain, "1\nd\nw.i\nw.j\nw.i+w.j\nt1.i-1+t1.i+t1.j\nt1.i+t1.i+1+t1.j\nt1.i+t1.j-1+t1.j\nt1.i+t1.j+t1.j+1\nt1.i+t1.b+t1.j\n",
        0, 5,
        "1:\nd:5\nw.i:the\nw.j:loud\nw.i+w.j:the loud\nt1.i-1+t1.i+t1.j:<s> D R\nt1.i+t1.i+1+t1.j:D A R\n"
        "t1.i+t1.j-1+t1.j:D V R\nt1.i+t1.j+t1.j+1:D R </s>\nt1.i+t1.b+t1.j:D A R\nt1.i+t1.b+t1.j:D N R\n"
        "t1.i+t1.b+t1.j:D D R\nt1.i+t1.b+t1.j:D V R\n");
    features_are(&plain, "t1.b\nw.b+t1.b\nd+t1.b\n", 0, 1, "");
    features_are(&plain, "w.b\nt1.b+w.b\n", 1, 4, "w.b:dog\nw.b:the\nt1.b+w.b:N dog\nt1.b+w.b:D the\n");
    features_are(&text, "h\nr.i+u.i+g.i\nr.j+h\n", 0, 1, "h:=\nr.i+u.i+g.i:det DET NOUN\nr.j+h:amod =\n");
    features_are(&text, "h\ng.j\n", 0, 2, "h:<\ng.j:VERB\n");
    features_are(&text, "h\ng.i\n", 4, 5, "h:>\ng.i:root\n");
    features_are(&text, "h\n", 0, 5, "h:-\n");
}

/* Bins of distances. */
static void check_distances(void **state PF_UNUSED) {
    static const char *const bins[] = {"1", "2", "3", "4", "5", "6", "6", "6", "6", "6", "11", "11", "11"};
    const corpus_text text = {"a a a a a a a a a a a a a a\n", NULL, "0-0\n", NULL};
    for (unsigned j = 1; j <= LENGTH(bins); j++) {
        char want[20];
        snprintf(want, sizeof want, "d:%s\n", bins[j - 1]);
        features_are(&text, "d\n", 0, j, want);
    }
}

/* A value repeated between i and j is one feature: the features of a pair are those of a list without repeats. */
static void check_repeats(void **state PF_UNUSED) {
    const corpus_text text = {"a b c b c b d\n", NULL, "0-0\n", NULL};
    features_are(&text, "w.b\n", 0, 6, "w.b:b\nw.b:c\n");
}

static void check_templates(void **state PF_UNUSED) {
    static const char *const bad[] = {"",       "2",   "w",       "w.k", "w.i+", "+w.i",  "w.i++w.j",        "t0.i",
                                      "t10.i",  "x.i", "w.i w.j", "dd",  "1+d",  "w.i+2", "d+d+d+d+d+d+d+d", "w.i-2",
                                      "w.i-1-1"};
    static const char *const good[] = {"1", "d", "h", "w.i-1", "t9.b+d+h", "u.i+r.j+g.b", "d+d+d+d+d+d+d"};
    pf_templates list = {{0}};
    for (size_t k = 0; k < LENGTH(bad); k++)
        CHECK(pf_templates_add(&list, bad[k], strlen(bad[k])) == PF_EARG, "%s", bad[k]);
    for (size_t k = 0; k < LENGTH(good); k++) SUCCEED(pf_templates_add(&list, good[k], strlen(good[k])));
    assert_int_equal(pf_templates_add(&list, "w.i-1", 5), PF_EARG);
    assert_int_equal(list.at.n, LENGTH(good));
    assert_int_equal(pf_templates_tags(&list), 9);
    assert_true(pf_templates_trees(&list));
    SUCCEED(pf_templates_check(&list, "list", 9, true));
    assert_int_equal(pf_templates_check(&list, "list", 8, true), PF_EARG);
    assert_string_equal(pf_message(), "list: a template needs t9: expected as many --tags, found 8");
    assert_int_equal(pf_templates_check(&list, "list", 9, false), PF_EARG);
    assert_string_equal(pf_message(), "list: a template needs trees: expected --trees");
    pf_templates_free(&list);
    list = (pf_templates){{0}};
    SUCCEED(pf_templates_usual(&list, 2, false));
    assert_int_equal(list.at.n, 5 + 2 * 9);
    assert_int_equal(pf_templates_tags(&list), 2);
    assert_false(pf_templates_trees(&list));
    pf_templates_free(&list);
    list = (pf_templates){{0}};
    SUCCEED(pf_templates_usual(&list, 0, true));
    assert_int_equal(pf_templates_tags(&list), 0);
    assert_true(pf_templates_trees(&list));
    pf_templates_free(&list);
}

/* ---- gold ---- */

static void golds_are(pf_gold kind, unsigned words, const char *links, const char *want) {
    pf_alignment alignment = {0};
    pf_gold_finder finder = {.gold = kind};
    pf_reader *reader = reader_of("", "links");
    char found[100];
    size_t n = 0;
    SUCCEED(pf_align_line(reader, links, strlen(links), PF_ALIGN_PHARAOH, words, 9, &alignment));
    SUCCEED(pf_gold_find(&finder, &alignment, words));
    for (unsigned i = 0; i < words; i++)
        for (unsigned j = i + 1; j < words; j++) found[n++] = "-0+"[pf_gold_of(&finder, i, j) + 1];
    found[n] = 0;
    assert_string_equal(found, want);
    pf_gold_finder_free(&finder);
    pf_alignment_free(&alignment);
    pf_reader_free(reader);
}

static void check_gold(void **state PF_UNUSED) {
    golds_are(PF_GOLD_LINKS, 3, "0-2 1-0 2-1", "--+");
    golds_are(PF_GOLD_LINKS, 4, "0-0 0-4 1-2 3-5", "0" "0" "+" "0" "+" "0"); /* 1 is inside of 0, 2 has no link */
    golds_are(PF_GOLD_LINKS, 2, "0-1 1-1", "0");
    golds_are(PF_GOLD_UNFOLD, 3, "0-2 1-0 2-1", "--+");
    golds_are(PF_GOLD_UNFOLD, 3, "0-1 2-0", "--" "+"); /* 1 goes with 2 */
    golds_are(PF_GOLD_RANKS, 4, "0-1 1-3 2-0 3-2", "+-+--+"); /* definitions.md, section 11: 1 3 0 2 */
    golds_are(PF_GOLD_RANKS, 3, "0-1 2-0", "--0");             /* 1 0 0 */
    golds_are(PF_GOLD_RANKS, 5, "1-2 3-0", "0---" "---" "00" "0"); /* 1 1 0 0 0 */
    golds_are(PF_GOLD_RANKS, 6, "0-3 1-4 1-5 2-4 3-0 4-1 5-2 5-1", "++---" "0---" "---" "++" "0"); /* 2 3 3 0 1 1 */
    golds_are(PF_GOLD_RANKS, 3, "", "000");
}

/* ---- logistic regression ---- */

static const char rich_templates[] = "1\nd\nw.i\nw.i+w.j\nt1.i+t1.b+t1.j\nt1.i-1+t1.j+1\n";

static void check_gradient(void **state PF_UNUSED) {
    random_text text;
    random_corpus(30, &text);
    pf_order_model *model = new_model(PF_LEARN_LR, rich_templates);
    pf_examples *examples = read_examples(&(corpus_text){text.words, text.tags, text.links, NULL},
                                          &(pf_example_options){PF_GOLD_LINKS, false, 80, 1}, model);
    const pf_lr_options how = {.lambda = 0.7, .threads = 1};
    const size_t n = model->weight.n;
    double *theta = calloc(2 * n, sizeof *theta), *gradient = theta + n, value, above, under;
    assert_non_null(theta);
    for (size_t k = 0; k < n; k++) theta[k] = ((double)below(2001) - 1000) / 1000;
    SUCCEED(pf_lr_value(examples, &how, theta, &value, gradient));
    for (size_t k = 0; k < n; k++) {
        const double h = 1e-4, at = theta[k];
        theta[k] = at + h;
        SUCCEED(pf_lr_value(examples, &how, theta, &above, NULL));
        theta[k] = at - h;
        SUCCEED(pf_lr_value(examples, &how, theta, &under, NULL));
        theta[k] = at;
        CHECK(fabs((above - under) / (2 * h) - gradient[k]) < 1e-5, "feature %zu", k);
        CHECK(above + under > 2 * value, "feature %zu", k); /* strictly convex */
    }
    free(theta);
    pf_examples_free(examples);
    pf_order_model_free(model);
}

/* F at theta, from the list of features alone. */
static double objective(const pf_examples *examples, const double *theta, double lambda) {
    double sum = 0;
    for (size_t pair = 0; pair < examples->gold.n; pair++) {
        double s = 0;
        for (size_t k = pair ? examples->end.at[pair - 1] : 0; k < examples->end.at[pair]; k++) s += theta[examples->feature.at[k]];
        if (examples->gold.at[pair]) sum += log(1 + exp(-examples->gold.at[pair] * s));
    }
    for (size_t k = 0; k < examples->model->weight.n; k++) sum += lambda / 2 * theta[k] * theta[k];
    return sum;
}

/* Coordinate descent: the best value of each weight in turn, by thirds of an interval. */
static double descend(const pf_examples *examples, double lambda, double *theta) {
    double value = objective(examples, theta, lambda), before;
    do {
        before = value;
        for (size_t k = 0; k < examples->model->weight.n; k++) {
            double low = theta[k] - 1, high = theta[k] + 1;
            while (high - low > 1e-9) {
                double third = (high - low) / 3, left, right;
                theta[k] = low + third;
                left = objective(examples, theta, lambda);
                theta[k] = high - third;
                right = objective(examples, theta, lambda);
                if (left < right) high -= third;
                else low += third;
            }
            theta[k] = (low + high) / 2;
        }
        value = objective(examples, theta, lambda);
    } while (before - value > 1e-10);
    return value;
}

static void check_optimum(void **state PF_UNUSED) {
    for (int round = 0; round < 6; round++) {
        random_text text;
        random_corpus(12, &text);
        const pf_gold gold = (pf_gold)(round % PF_GOLDS);
        const corpus_text corpus = {text.words, text.tags, text.links, NULL};
        pf_order_model *model = new_model(PF_LEARN_LR, "1\nt1.i+t1.j\nd\n");
        pf_examples *examples = read_examples(&corpus, &(pf_example_options){gold, round % 2, 80, 1 + (uint64_t)round % 3}, model);
        const pf_lr_options how = {.lambda = 0.5, .tolerance = 1e-10, .passes = 10000, .threads = 1};
        double *theta = calloc(model->weight.n + 1, sizeof *theta);
        pf_lr_state end;
        assert_non_null(theta);
        const double least = descend(examples, how.lambda, theta);
        SUCCEED(pf_lr_train(examples, &how, &end));
        CHECK(fabs(end.value - least) < 1e-7, "%.12f and %.12f", end.value, least);
        assert_true(end.value - least <= end.bound + 1e-12);
        for (size_t k = 0; k < model->weight.n; k++)
            CHECK(fabs(theta[k] - model->weight.at[k]) < 1e-4, "weight %zu: %.12g and %.12g", k, theta[k], model->weight.at[k]);
        free(theta);
        pf_examples_free(examples);
        pf_order_model_free(model);
    }
}

/* alpha is the probability that the pair is wrong, where its margin is what alpha makes of it. Newton's method by itself goes back
 * and forth for ever at 12, -7.2, 0 and a few more. */
static void check_alpha(void **state PF_UNUSED) {
    static const double before[] = {0, 0.1, 0.5, 0.9, 1};
    for (unsigned stiffness = 1; stiffness < 1500; stiffness += 7)
        for (int margin = -150; margin <= 150; margin += 3)
            for (size_t k = 0; k < LENGTH(before); k++) {
                const double q = stiffness / 10., m = margin / 10., alpha = pfi_best_alpha(before[k], m, q);
                CHECK(fabs(alpha - 1 / (1 + exp(m + q * (alpha - before[k])))) < 1e-7, "%g, %g, %g: %g", q, m, before[k], alpha);
            }
}

/* The weight of a feature, by the text of its line. */
static double weight_of(const pf_order_model *model, const char *template, const char *values) {
    for (uint32_t feature = 0; feature < model->feature.n; feature++) {
        size_t n;
        const uint32_t *key = pf_statetab_key(&model->feature, feature, &n);
        pf_writer *text;
        SUCCEED(pf_writer_memory(&text));
        SUCCEED(pf_order_model_write_values(model, feature, text));
        const unsigned char *at = pf_writer_bytes(text, &n);
        bool same =
            strcmp(model->templates.at.at[key[0]].text, template) == 0 && n == strlen(values) && (!n || memcmp(at, values, n) == 0);
        pf_writer_free(text);
        if (same) return model->weight.at[feature];
    }
    return NAN;
}

typedef struct {
    const char *values;
    double weight;
} toy_weight;

static void weights_are(const pf_order_model *model, const toy_weight *want, size_t n) {
    for (size_t k = 0; k < n; k++) {
        double found = weight_of(model, *want[k].values ? "t1.i+t1.j" : "1", want[k].values);
        CHECK(fabs(found - want[k].weight) < 1e-6, "%s: %.9f, not %.9f", want[k].values, found, want[k].weight);
    }
}

static pf_err first_states(void *self, const pf_lr_state *state) {
    pf_lr_state *first = self;
    if (!state->pass) *first = *state;
    return PF_OK;
}

/* What the best order of a sentence in itg costs. */
static double best_cost(const pf_order_model *model, const pf_numbered *numbered, const char *line) {
    const char *const space[] = {"itg"};
    pf_fst *fst;
    pf_expr *words, *orders;
    pf_opened *opened;
    pf_answer best;
    SUCCEED(pf_fst_of_line(PF_STANDARD, line, &fst));
    SUCCEED(pf_expr_of_fst(fst, &words));
    assert_int_equal(pf_order_permute(model, numbered, words, (const char *const[]){"no-space"}, 1, &orders), PF_OK);
    assert_int_equal(pf_open(orders, &opened), PF_EARG); /* as of every specification, it is said when it is opened */
    pf_expr_free(orders);
    SUCCEED(pf_order_permute(model, numbered, words, space, LENGTH(space), &orders));
    SUCCEED(pf_open(orders, &opened));
    SUCCEED(pf_best(pf_opened_fst(opened), &(pf_best_options){.n = 1}, &best));
    assert_int_equal(best.paths.n, 1);
    const double cost = best.paths.at[0].cost;
    pf_answer_free(&best);
    pf_opened_free(opened);
    pf_expr_free(orders);
    pf_expr_free(words);
    return cost;
}

/* definitions.md, section 13. */
static const toy_weight toy_lr[] = {{"", .370805},    {"A D", -.474179}, {"A V", -.792312},
                                    {"D A", .563930}, {"D V", .742029},  {"V A", .331337}};

static void check_toy_lr(void **state PF_UNUSED) {
    static const int64_t matrix[] = {0, 284146, 331237, 1396979, 0, 402476, 1265972, 1104618, 0};
    pf_order_model *model = new_model(PF_LEARN_LR, toy_templates);
    pf_examples *examples = read_examples(&toy, &(pf_example_options){PF_GOLD_LINKS, false, 80, 1}, model);
    pf_lr_state first, end;
    SUCCEED(pf_lr_train(
        examples,
        &(pf_lr_options){.lambda = 1, .tolerance = 1e-13, .passes = 100, .threads = 1, .told = first_states, .self = &first},
        &end));
    assert_true(fabs(first.value - 6.238325) < 1e-6 && fabs(first.bound - 3.5) < 1e-12);
    assert_true(fabs(end.value - 4.553316) < 1e-6);
    weights_are(model, toy_lr, LENGTH(toy_lr));
    pf_factor_reader *reader = open_corpus(&toy);
    pf_factored sentence;
    pf_numbered numbered = {.n = 0};
    int64_t found[9];
    bool more;
    SUCCEED(pf_factor_next(reader, &sentence, &more));
    SUCCEED(pf_order_model_find(model, &sentence, &numbered));
    pf_order_model_matrix(model, &numbered, found);
    assert_memory_equal(found, matrix, sizeof matrix);
    assert_true(fabs(best_cost(model, &numbered, "a b c") - 1.017859) < 1e-6); /* 0 1 2 pays for three pairs */
    pf_numbered_free(&numbered);
    pf_factor_reader_free(reader);
    pf_examples_free(examples);
    pf_order_model_free(model);
}

/* What no learner has written may have a checksum as well: weights and alphas out of bounds, a pass that never was. */
static void check_unsound_lr(void **state PF_UNUSED) {
    for (int broken = 0; broken < 5; broken++) {
        pf_order_model *model = new_model(PF_LEARN_LR, toy_templates);
        pf_examples *examples = read_examples(&toy, &(pf_example_options){PF_GOLD_LINKS, false, 80, 1}, model);
        const pf_lr_options how = {.lambda = 2, .threads = 1};
        double dual[9] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
        pf_lr_state given = {.pass = broken == 3 ? UINT64_MAX : 1, .dual = dual}, read;
        pf_writer *bytes;
        pf_reader *reader;
        size_t n;
        assert_int_equal(examples->gold.n, LENGTH(dual));
        model->weight.at[0] = -4.5; /* nine pairs, a lambda of 2 */
        if (broken == 1) model->weight.at[1] = INFINITY;
        if (broken == 2) dual[8] = 1.5;
        if (broken == 4) model->weight.at[1] = 4.6;
        SUCCEED(pf_writer_memory(&bytes));
        SUCCEED(pf_lr_state_write(examples, &how, &given, bytes));
        const unsigned char *at = pf_writer_bytes(bytes, &n);
        SUCCEED(pf_reader_memory(at, n, "state", &reader));
        assert_int_equal(pf_lr_state_read(reader, examples, &how, &read), broken ? PF_EINPUT : PF_OK);
        pf_lr_state_free(&read);
        pf_reader_free(reader);
        pf_writer_free(bytes);
        pf_examples_free(examples);
        pf_order_model_free(model);
    }
}

/* ---- the perceptron ---- */

static const toy_weight toy_ap[] = {{"", -1. / 6}, {"A V", -5. / 6}, {"D V", 4. / 6}, {"A D", 0}};

static void check_toy_ap(void **state PF_UNUSED) {
    pf_order_model *model = new_model(PF_LEARN_AP, toy_templates);
    pf_examples *examples = read_examples(&toy, &(pf_example_options){PF_GOLD_UNFOLD, true, 80, 1}, model);
    pf_perceptron *learner;
    pf_ap_state pass;
    SUCCEED(pf_perceptron_new(examples, &(pf_ap_options){.space = "itg", .margin = 1}, &learner));
    SUCCEED(pf_perceptron_pass(learner, &pass));
    assert_int_equal(pass.sentences, 2);
    assert_int_equal(pass.pairs, 2);
    SUCCEED(pf_perceptron_pass(learner, &pass));
    assert_int_equal(pass.sentences, 0);
    pf_perceptron_mean(learner);
    weights_are(model, toy_ap, LENGTH(toy_ap));
    pf_perceptron_free(learner);
    pf_examples_free(examples);
    pf_order_model_free(model);
}

/* ---- both learners, from a corpus ---- */

static void count_sentences(void *sentences, const pf_examples *examples) { *(size_t *)sentences += examples->sentence.n; }

static void learn_toy(pf_learner learner, uint64_t max_length, uint64_t passes, pf_order_model *model, pf_learned *learned) {
    size_t sentences = 0;
    const pf_example_options which = {pf_train_gold(learner, PF_LOSS_NONE), learner == PF_LEARN_AP, max_length, 1};
    const pf_train_options how = {.lr = {.lambda = 1, .tolerance = 1e-13, .threads = 1}, .ap = {.space = "itg", .margin = 1},
                                  .passes = passes, .read = count_sentences, .self = &sentences};
    pf_factor_reader *corpus = open_corpus(&toy);
    SUCCEED(pf_order_learn(model, corpus, &which, &how, learned));
    assert_int_equal(sentences + learned->too_long, 3);
    pf_factor_reader_free(corpus);
}

static void check_toy_corpus(void **state PF_UNUSED) {
    static const struct {
        pf_learner learner;
        const toy_weight *want;
        size_t n;
        uint64_t passes;
    } toys[] = {{PF_LEARN_LR, toy_lr, LENGTH(toy_lr), 0}, {PF_LEARN_AP, toy_ap, LENGTH(toy_ap), 2}};
    for (size_t k = 0; k < LENGTH(toys); k++)
        for (uint64_t max_length = 2; max_length < 4; max_length++) {
            pf_order_model *model = new_model(toys[k].learner, toy_templates);
            pf_learned learned;
            learn_toy(toys[k].learner, max_length, toys[k].passes, model, &learned);
            assert_true(learned.converged);
            assert_int_equal(learned.too_long, max_length < 3 ? 3 : 0);
            if (max_length == 3) weights_are(model, toys[k].want, toys[k].n);
            pf_order_model_free(model);
        }
    assert_int_equal(pf_train_gold(PF_LEARN_AP, PF_LOSS_TAU), PF_GOLD_RANKS);
}

typedef struct {
    const pf_examples *examples;
    int64_t *weight, *sum;
    uint64_t sentences;
} plain_learner;

static void plain_costs(const plain_learner *learner, const pf_example_sentence *sentence, int64_t factor, int64_t loss,
                        int64_t *cost) {
    size_t pair = sentence->pair;
    for (unsigned i = 0; i < sentence->n; i++)
        for (unsigned j = i + 1; j < sentence->n; j++, pair++) {
            int64_t s = 0;
            for (size_t k = pair ? learner->examples->end.at[pair - 1] : 0; k < learner->examples->end.at[pair]; k++)
                s += learner->weight[learner->examples->feature.at[k]];
            cost[i * sentence->n + j] = factor * s + loss * learner->examples->gold.at[pair];
        }
}

static bool before(const uint32_t *order, unsigned n, unsigned i, unsigned j) {
    for (unsigned at = 0; at < n; at++)
        if (order[at] == i || order[at] == j) return order[at] == i;
    return false;
}

static void plain_sentence(plain_learner *learner, const pf_example_sentence *sentence, bool loss) {
    int64_t cost[MOST * MOST];
    uint32_t target[MOST], found[MOST];
    const unsigned n = sentence->n;
    plain_costs(learner, sentence, loss, loss ? ENUMERATED_COST : 1, cost);
    memcpy(target, enumerated(n, cost, separable), n * sizeof *target);
    plain_costs(learner, sentence, 1, loss ? -3 : 0, cost);
    memcpy(found, enumerated(n, cost, separable), n * sizeof *found);
    size_t pair = sentence->pair;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i + 1; j < n; j++, pair++) {
            const bool wanted = before(target, n, i, j);
            if (wanted == before(found, n, i, j) || !learner->examples->gold.at[pair]) continue;
            for (size_t k = pair ? learner->examples->end.at[pair - 1] : 0; k < learner->examples->end.at[pair]; k++)
                learner->weight[learner->examples->feature.at[k]] += wanted ? 1 : -1;
        }
    for (size_t k = 0; k < learner->examples->model->weight.n; k++) learner->sum[k] += learner->weight[k];
    learner->sentences++;
}

/* All three kinds of gold, and the loss of pairs. */
static void check_perceptron(void **state PF_UNUSED) {
    for (int round = 0; round < 8; round++) {
        const bool loss = round % 4 == 3;
        random_text text;
        random_corpus(20, &text);
        pf_order_model *model = new_model(PF_LEARN_AP, rich_templates);
        pf_examples *examples =
            read_examples(&(corpus_text){text.words, text.tags, text.links, NULL},
                          &(pf_example_options){loss ? PF_GOLD_RANKS : (pf_gold)(round % 4), true, 80, 2}, model);
        const size_t n = model->weight.n;
        plain_learner plain = {examples, calloc(n + 1, sizeof(int64_t)), calloc(n + 1, sizeof(int64_t)), 0};
        pf_perceptron *learner;
        assert_true(plain.weight && plain.sum);
        SUCCEED(pf_perceptron_new(
            examples, &(pf_ap_options){.space = "itg", .loss = loss ? PF_LOSS_TAU : PF_LOSS_NONE, .margin = 3}, &learner));
        for (int pass = 0; pass < 3; pass++) {
            pf_ap_state end;
            SUCCEED(pf_perceptron_pass(learner, &end));
            for (size_t k = 0; k < examples->sentence.n; k++) plain_sentence(&plain, &examples->sentence.at[k], loss);
            pf_perceptron_mean(learner);
            for (size_t k = 0; k < n; k++)
                CHECK(fabs(model->weight.at[k] - (double)plain.sum[k] / (double)plain.sentences) < 1e-12, "round %d, weight %zu",
                      round, k);
        }
        free(plain.weight);
        free(plain.sum);
        pf_perceptron_free(learner);
        pf_examples_free(examples);
        pf_order_model_free(model);
    }
}

/* What the losses are for: of orders that look equally good, the one that the metric likes is learned. */
static void check_losses(void **state PF_UNUSED) {
    static const char *const space[] = {"itg", "none", "ibm:2"};
    for (unsigned k = 0; k < 2 * LENGTH(space); k++) {
        const pf_loss loss = k % 2 ? PF_LOSS_TAU : PF_LOSS_CHUNK;
        pf_order_model *model = new_model(PF_LEARN_AP, toy_templates);
        pf_examples *examples = read_examples(&toy, &(pf_example_options){PF_GOLD_RANKS, true, 80, 1}, model);
        pf_perceptron *learner;
        pf_ap_state end;
        SUCCEED(pf_perceptron_new(examples, &(pf_ap_options){.space = space[k / 2], .loss = loss, .margin = 2}, &learner));
        for (int pass = 0; pass < 20; pass++) SUCCEED(pf_perceptron_pass(learner, &end));
        assert_int_equal(end.pairs, 0);
        pf_perceptron_mean(learner);
        assert_true(weight_of(model, "t1.i+t1.j", "A V") < weight_of(model, "t1.i+t1.j", "D V"));
        pf_perceptron_free(learner);
        pf_examples_free(examples);
        pf_order_model_free(model);
    }
    pf_order_model *model = new_model(PF_LEARN_AP, toy_templates);
    pf_examples *examples = read_examples(&toy, &(pf_example_options){PF_GOLD_RANKS, true, 80, 1}, model);
    pf_perceptron *learner;
    assert_int_equal(pf_perceptron_new(examples, &(pf_ap_options){.space = "nine"}, &learner), PF_EARG);
    pf_examples_free(examples);
    pf_order_model_free(model);
}

/* A state is what a learner can have come to: its sums are bounded by its passes, and its products by 62 bits. */
static pf_err read_changed(const pf_examples *examples, const pf_ap_options *how, void (*change)(pfi_perceptron_numbers *numbers)) {
    pf_perceptron *learner, *other;
    pfi_perceptron_numbers numbers;
    pf_ap_state end;
    pf_writer *bytes;
    pf_reader *reader;
    size_t n;
    SUCCEED(pf_perceptron_new(examples, how, &learner));
    SUCCEED(pf_perceptron_new(examples, how, &other));
    SUCCEED(pf_perceptron_pass(learner, &end));
    pfi_perceptron_numbers_of(learner, &numbers);
    change(&numbers);
    pfi_perceptron_go_on(learner, numbers.pass, numbers.sentences);
    SUCCEED(pf_writer_memory(&bytes));
    SUCCEED(pf_perceptron_write(learner, bytes));
    const unsigned char *at = pf_writer_bytes(bytes, &n);
    SUCCEED(pf_reader_memory(at, n, "state", &reader));
    pf_err err = pf_perceptron_read(other, reader);
    if (!err) SUCCEED(pf_perceptron_pass(other, &end));
    pf_reader_free(reader);
    pf_writer_free(bytes);
    pf_perceptron_free(learner);
    pf_perceptron_free(other);
    return err;
}

static void nothing(pfi_perceptron_numbers *numbers PF_UNUSED) {}
static void as_much_as_can_be(pfi_perceptron_numbers *numbers) { numbers->weight[0] = -9, numbers->late[1] = 27; }
static void too_much_weight(pfi_perceptron_numbers *numbers) { numbers->weight[0] = 10; }
static void least_weight(pfi_perceptron_numbers *numbers) { numbers->weight[0] = INT64_MIN; }
static void too_late(pfi_perceptron_numbers *numbers) { numbers->late[1] = -28; }
static void other_sentences(pfi_perceptron_numbers *numbers) { numbers->sentences = 4; }
static void pass_of_ages(pfi_perceptron_numbers *numbers) {
    numbers->pass = UINT64_MAX / 3 * 2, numbers->sentences = numbers->pass * 3;
}
static void product(pfi_perceptron_numbers *numbers) {
    numbers->pass = PF_PASSES_MOST, numbers->sentences = 3 * numbers->pass;
    numbers->weight[0] = 3000000000;
}

static void check_unsound_ap(void **state PF_UNUSED) {
    static void (*const broken[])(pfi_perceptron_numbers *numbers) = {too_much_weight, least_weight, too_late,
                                                                      other_sentences, pass_of_ages, product};
    pf_order_model *model = new_model(PF_LEARN_AP, toy_templates);
    pf_examples *examples = read_examples(&toy, &(pf_example_options){PF_GOLD_RANKS, true, 80, 1}, model);
    for (pf_loss loss = PF_LOSS_NONE; loss <= PF_LOSS_CHUNK; loss++) {
        const pf_ap_options how = {.space = "itg", .loss = loss, .margin = 2};
        assert_int_equal(read_changed(examples, &how, nothing), PF_OK);
        assert_int_equal(read_changed(examples, &how, as_much_as_can_be), PF_OK);
        for (size_t k = 0; k < LENGTH(broken); k++) CHECK(read_changed(examples, &how, broken[k]) == PF_EINPUT, "change %zu", k);
    }
    pf_examples_free(examples);
    pf_order_model_free(model);
}

/* Scores whose losses would not be within 61 bits end the training. */
static void check_large_weights(void **state PF_UNUSED) {
    pf_order_model *model = new_model(PF_LEARN_AP, toy_templates);
    pf_examples *examples = read_examples(&toy, &(pf_example_options){PF_GOLD_RANKS, true, 80, 1}, model);
    pf_perceptron *learner;
    pfi_perceptron_numbers numbers;
    pf_ap_state end;
    SUCCEED(pf_perceptron_new(examples, &(pf_ap_options){.space = "itg", .loss = PF_LOSS_TAU, .margin = 1}, &learner));
    pfi_perceptron_numbers_of(learner, &numbers);
    numbers.weight[0] = INT64_C(1) << 54;
    SUCCEED(pf_perceptron_pass(learner, &end));
    numbers.weight[0] = INT64_C(1) << 57;
    assert_int_equal(pf_perceptron_pass(learner, &end), PF_ELIMIT);
    pf_perceptron_free(learner);
    pf_examples_free(examples);
    pf_order_model_free(model);
}

/* ---- files ---- */

static pf_order_model *again(const pf_order_model *model, pf_err (*write)(const pf_order_model *model, pf_writer *writer),
                             pf_writer **bytes) {
    pf_order_model *out;
    pf_reader *reader;
    size_t n;
    SUCCEED(pf_writer_memory(bytes));
    SUCCEED(write(model, *bytes));
    const unsigned char *at = pf_writer_bytes(*bytes, &n);
    SUCCEED(pf_reader_memory(at, n, "model", &reader));
    SUCCEED(pf_order_model_read(reader, &out));
    pf_reader_free(reader);
    return out;
}

static void same_text(pf_writer *one, pf_writer *other) {
    size_t m, n;
    const unsigned char *a = pf_writer_bytes(one, &m), *b = pf_writer_bytes(other, &n);
    assert_int_equal(m, n);
    assert_memory_equal(a, b, n);
}

static pf_order_model *trained(size_t threads, random_text *text) {
    pf_order_model *model = new_model(PF_LEARN_LR, rich_templates);
    pf_examples *examples = read_examples(&(corpus_text){text->words, text->tags, text->links, NULL},
                                          &(pf_example_options){PF_GOLD_LINKS, false, 80, 1}, model);
    pf_lr_state end;
    SUCCEED(pf_lr_train(examples, &(pf_lr_options){.lambda = 1, .tolerance = 1e-6, .passes = 100, .threads = threads}, &end));
    pf_examples_free(examples);
    return model;
}

static void check_files(void **state PF_UNUSED) {
    random_text text;
    pf_writer *plain, *read, *binary;
    random_corpus(40, &text);
    pf_order_model *model = trained(1, &text), *of_text = again(model, pf_order_model_write, &plain),
                   *of_binary = again(model, pf_order_model_compile, &binary);
    SUCCEED(pf_writer_memory(&read));
    SUCCEED(pf_order_model_write(of_text, read));
    same_text(plain, read);
    pf_writer_clear(read);
    SUCCEED(pf_order_model_write(of_binary, read));
    same_text(plain, read);
    pf_order_model_free(of_text);
    pf_order_model_free(of_binary);
    pf_order_model_free(model);
    pf_writer_free(plain);
    pf_writer_free(binary);
    pf_writer_free(read);
}

static void refused(const char *text, const char *message) {
    pf_reader *reader = reader_of(text, "model");
    pf_order_model *model;
    assert_int_equal(pf_order_model_read(reader, &model), PF_EINPUT);
    assert_null(model);
    assert_string_equal(pf_message(), message);
    pf_reader_free(reader);
}

static void check_damage(void **state PF_UNUSED) {
#define HEAD "# permlearn 1 lr\n# template w.i+d\n"
    refused("", "model:0: expected '# permlearn 1' at the beginning, found 'the end'");
    refused("# permlearn 1 svm\n", "model:1: expected '# permlearn 1' at the beginning, found '# permlearn 1 svm'");
    refused("# permlearn 1 lr\n1\t1\t\n", "model:2: expected lines '# template ...' before the features");
    refused("# permlearn 1 lr\n# template w.k\n", "model:2: expected a template, such as w.i+t1.j+d (up to 7 atoms), found 'w.k'");
    refused(HEAD "1\tw.j\ta\n", "model:3: the template 'w.j' is not listed at the beginning of the file");
    refused(HEAD "1\tw.i+d\ta\n", "model:3: expected 2 values of the template w.i+d, separated by blanks, found 'a'");
    refused(HEAD "1\tw.i+d\ta 7\n", "model:3: expected a distance, 1 to 6 or 11, found '7'");
    refused(HEAD "inf\tw.i+d\ta 6\n", "model:3: expected weight, template and values, separated by tabs, found 'inf\tw.i+d\ta 6'");
    refused(HEAD "1 w.i+d\ta 6\n", "model:3: expected weight, template and values, separated by tabs, found '1 w.i+d\ta 6'");
    refused(HEAD "1\tw.i+d\ta 6\n2\tw.i+d\ta 6\n", "model:4: the feature w.i+d a 6 is listed twice");
}

/* Blocks are of 1,024 sentences: more of them than one. */
static void check_threads(void **state PF_UNUSED) {
    enum { TIMES = 120, SENTENCES = 20 };
    random_text part;
    char *words = malloc(TIMES * TEXT), *tags = malloc(TIMES * TEXT), *links = malloc(TIMES * TEXT);
    size_t w = 0, t = 0, l = 0;
    pf_writer *text[3];
    assert_true(words && tags && links);
    for (int k = 0; k < TIMES; k++) {
        random_corpus(SENTENCES, &part);
        w += (size_t)sprintf(words + w, "%s", part.words);
        t += (size_t)sprintf(tags + t, "%s", part.tags);
        l += (size_t)sprintf(links + l, "%s", part.links);
    }
    for (size_t threads = 1; threads <= 3; threads++) {
        pf_order_model *model = new_model(PF_LEARN_LR, rich_templates);
        pf_examples *examples =
            read_examples(&(corpus_text){words, tags, links, NULL}, &(pf_example_options){PF_GOLD_LINKS, false, 80, 1}, model);
        pf_lr_state end;
        SUCCEED(pf_lr_train(examples, &(pf_lr_options){.lambda = 1, .tolerance = 1e-6, .passes = 100, .threads = threads}, &end));
        SUCCEED(pf_writer_memory(&text[threads - 1]));
        SUCCEED(pf_order_model_write(model, text[threads - 1]));
        same_text(text[0], text[threads - 1]);
        pf_examples_free(examples);
        pf_order_model_free(model);
    }
    for (int k = 0; k < 3; k++) pf_writer_free(text[k]);
    free(words);
    free(tags);
    free(links);
}

/* Columns that do not go together. */
static void corpus_fails(const corpus_text *text, const char *message) {
    pf_factor_reader *reader = open_corpus(text);
    pf_factored sentence;
    pf_err err = PF_OK;
    for (bool more = true; !err && more;) err = pf_factor_next(reader, &sentence, &more);
    assert_int_equal(err, PF_EINPUT);
    assert_string_equal(pf_message(), message);
    pf_factor_reader_free(reader);
}

static void check_columns(void **state PF_UNUSED) {
    static const char tree[] = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n";
    corpus_fails(&(corpus_text){"a b\nc\n", "A B\nC D\n", "\n\n", NULL},
                 "tags:2: expected 1 words, the number in line 2 of words, found 2");
    corpus_fails(&(corpus_text){"a b\n", "A B\n", "0-0\n0-1\n", NULL},
                 "words: expected line 2, which links has, found the end of the file");
    corpus_fails(&(corpus_text){"a b\n", NULL, "0-0\n", tree}, "words:1: the sentence has 2 words, but its tree (trees:1) has 1");
    corpus_fails(&(corpus_text){"a\nb\n", NULL, "0-0\n\n", tree},
                 "words:2: expected the tree of this sentence in trees, found the end of the file");
    corpus_fails(&(corpus_text){"", NULL, "", tree},
                 "trees:1: expected the end of the file after a tree for each sentence of words, found another tree");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_decoders),  cmocka_unit_test(check_chunk_decoder), cmocka_unit_test(check_chunk_search),
        cmocka_unit_test(check_templates), cmocka_unit_test(check_features),      cmocka_unit_test(check_distances),
        cmocka_unit_test(check_repeats),   cmocka_unit_test(check_gold),          cmocka_unit_test(check_gradient),
        cmocka_unit_test(check_optimum),   cmocka_unit_test(check_alpha),         cmocka_unit_test(check_unsound_lr),
        cmocka_unit_test(check_toy_lr),    cmocka_unit_test(check_toy_ap),        cmocka_unit_test(check_toy_corpus),
        cmocka_unit_test(check_perceptron),
        cmocka_unit_test(check_losses),    cmocka_unit_test(check_unsound_ap),    cmocka_unit_test(check_large_weights),
        cmocka_unit_test(check_files),     cmocka_unit_test(check_damage),        cmocka_unit_test(check_threads),
        cmocka_unit_test(check_columns),
    };
    return cmocka_run_group_tests_name("learn", tests, NULL, NULL);
}
