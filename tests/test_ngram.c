/* The n-gram model against values by hand, a slow scorer written from the definition, and scores of another program. */
#include <permfst/model/ngram.h>
#include <permfst/model/scorer.h>

#include "model/ngram_impl.h"
#include "draw.h"
#include "known.h"
#include "piece.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LN10 2.30258509299404568402

enum { PATH = 1024 };

static unsigned states_of_ngram(const pf_model *model) { return (unsigned)pfi_ngram_states(model->self); }
static unsigned order_of(const pf_model *model) { return (unsigned)((const pfi_ngram *)model->self)->count.n; }

static const char *source_file(char *path, const char *name) {
    const char *srcdir = getenv("srcdir");
    snprintf(path, PATH, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    return path;
}

/* Warnings, one line each. */
typedef struct {
    char text[4000];
    unsigned n;
} warnings;

static void collect(void *to, const char *words) {
    warnings *given = to;
    size_t used = strlen(given->text);
    snprintf(given->text + used, sizeof given->text - used, "%s\n", words);
    given->n++;
}

static void load(const char *name, warnings *given, pf_model *model) {
    char path[PATH];
    pf_reader *reader;
    memset(given, 0, sizeof *given);
    if (pf_reader_open(source_file(path, name), &reader)) fail_msg("%s", pf_message());
    if (pf_ngram_read_arpa(reader, collect, given, model)) fail_msg("%s", pf_message());
    pf_reader_free(reader);
}

/* A scorer of a model that scores without anything of its own, to ask at once. */
static pf_scorer *ask(const pf_model *model) {
    static pf_scorer by;
    assert_int_equal(pf_scorer_of(model, &by), PF_OK);
    assert_null(by.own);
    return &by;
}

static pf_label label(const pf_model *model, const char *word) { return model->cls->label(model->self, word, strlen(word)); }

/* The cost of a sentence with its </s>; words are parted by one blank. */
static double sentence(const pf_model *model, const char *line, unsigned *unknown) {
    pf_state state = ask(model)->cls->start(ask(model));
    double sum = 0;
    *unknown = 0;
    while (*line) {
        size_t length = strcspn(line, " ");
        pf_label x = model->cls->label(model->self, line, length);
        *unknown += x == model->cls->unknown(model->self);
        sum += ask(model)->cls->step(ask(model), state, x, &state);
        line += length + (line[length] == ' ');
    }
    return sum + ask(model)->cls->final(ask(model), state);
}

static double log10_of(const pf_model *model, const char *line) {
    unsigned unknown;
    return -sentence(model, line, &unknown) / LN10;
}

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static void backs_off_as_by_hand(void **state) {
    (void)state;
    warnings given;
    pf_model model;
    load("good-back-off.arpa", &given, &model);
    assert_string_equal(given.text, "");
    NEAR(log10_of(&model, "a b"), -0.2 - 0.1 - 0.6, 1e-6);
    NEAR(log10_of(&model, "b a a"), (-0.5 - 0.75) - 0.3 + (-0.25 - 0.5) + (-0.25 - 1), 1e-6);
    NEAR(log10_of(&model, "a x b"), -0.2 + (-0.0625 - 0.25 - 1.5) - 0.75 - 0.6, 1e-6);
    NEAR(log10_of(&model, ""), -0.5 - 1, 1e-6);
    NEAR(log10_of(&model, "<s> </s> <unk>"), (-0.5 - 1.5) + 2 * -1.5 - 1, 1e-6); /* words like any that it lacks */
    assert_int_equal(order_of(&model), 3);
    pf_state from = ask(&model)->cls->start(ask(&model)), to;
    unsigned length;
    pf_ngram_step(&model, from, label(&model, "a"), &from, &length);
    assert_int_equal(length, 2);
    pf_ngram_step(&model, from, label(&model, "b"), &to, &length);
    assert_int_equal(length, 3);
    pf_ngram_step(&model, from, label(&model, "a"), &to, &length);
    assert_int_equal(length, 1);
    pf_writer *text;
    size_t n;
    assert_int_equal(pf_writer_memory(&text), PF_OK);
    model.cls->describe(model.self, text);
    pf_writer_put(text, "", 1);
    const char *lines = (const char *)pf_writer_bytes(text, &n);
    assert_non_null(strstr(lines, "order\t3\n1-grams\t5\n2-grams\t4\n3-grams\t1\nwords\t5\nstates\t5\n"));
    pf_writer_free(text);
    pf_model_free(&model);
}

static void has_one_state_without_histories(void **state) {
    (void)state;
    warnings given;
    pf_model model;
    load("good-unigrams.arpa", &given, &model);
    assert_int_equal(given.n, 2);
    assert_non_null(strstr(given.text, "<unk> is not among the unigrams"));
    assert_non_null(strstr(given.text, ":11: expected the end of the file after \\end\\, skipped 'what follows is not read'"));
    NEAR(log10_of(&model, "a x a"), -0.25 - 100 - 0.25 - 0.5, 1e-5);
    pf_state to;
    assert_true(ask(&model)->cls->step(ask(&model), 0, pf_symtab_find(model.cls->words(model.self), "<s>", 3), &to) == INFINITY);
    assert_int_equal(to, 0);
    pf_fst *fst;
    assert_int_equal(model.cls->expand(model.self, 9, "<phi>", &fst), PF_OK);
    assert_int_equal(pf_fst_states(fst), 1);
    assert_int_equal(pf_fst_arcs(fst, 0).n, 2);
    pf_fst_free(fst);
    pf_model_free(&model);
}

static void reads_odd_files_with_one_warning_a_kind(void **state) {
    (void)state;
    static const char *const kinds[] = {
        ":1: expected \\data\\, skipped 'made by hand'",
        ":16: the header says 18446744073709551615 1-grams, but the section has 6",
        ":10: the log10 probability 0.00001 is more than 0",   ":14: the back-off weight +0.125 is more than 0",
        "'b' has no back-off weight, but longer",            ":21: back-off weights on n-grams of the highest order",
        ":21: an n-gram that ends in 'a' is listed, but its history is not",
        "'a b a' is listed, but it is not listed without its first word"};
    warnings given;
    pf_model model;
    load("good-quirks.arpa", &given, &model);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strstr(given.text, kinds[i])) fail_msg("no '%s' in\n%s", kinds[i], given.text);
    assert_int_equal(given.n, sizeof kinds / sizeof *kinds);
    NEAR(log10_of(&model, "a b a"), -0.5 + (-0.25 - 0.75) - 0.5 + (-0.25 - 1), 1e-6);
    NEAR(log10_of(&model, "c b c a"), 0 + (0.125 - 0.75) - 0.25 - 0.125 + (-0.5 - 0.25 - 1), 1e-6);
    pf_model_free(&model);
}

static void refuses_what_is_wrong_and_says_where(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"empty", ": expected \\data\\, found the end; did the command before it fail?"},
        {"no-data", ":1: expected an ARPA model, found text without a line \\data\\: "},
        {"truncated", ":21: expected \\end\\, found the end"},
        {"word", ":16: 'x' is not among the unigrams"},
        {"duplicate", ":16: the 2-gram 'a ... b' is listed twice"},
        {"unigram-twice", ":11: the unigram 'a' is listed twice"},
        {"number", ":16: expected a log10 probability, found '-0.3x'"},
        {"nan", ":16: expected a log10 probability, found 'nan'"},
        {"range", ":16: expected a log10 probability, found one out of range: '-1e39'"},
        {"positive", ":16: expected a log10 probability, found 0.3, which is more than 0"},
        {"fields", ":16: expected a log10 probability, 2 words and optionally a back-off weight, found 2 fields"},
        {"section", ":13: expected \\2-grams: or \\end\\, found '\\3-grams:'"},
        {"header", ":3: expected 'ngram 2=(a number)', found 'ngram two=4'"},
        {"no-sentence-end", ": expected </s> among the unigrams"},
        {"no-unigrams", ":4: expected unigrams, found none"},
    };
    for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
        char path[PATH], name[64];
        pf_reader *reader;
        pf_model model;
        snprintf(name, sizeof name, "bad-%s.arpa", bad[at][0]);
        assert_int_equal(pf_reader_open(source_file(path, name), &reader), PF_OK);
        assert_int_equal(pf_ngram_read_arpa(reader, NULL, NULL, &model), PF_EINPUT);
        if (!strstr(pf_message(), bad[at][1])) fail_msg("%s: %s", name, pf_message());
        pf_reader_free(reader);
    }
}

/* ---- random models, and a slow scorer ---- */

enum { WORDS = 8, ORDER = 4, GRAMS = 120 };
static const char *const vocabulary[WORDS] = {"<unk>", "<s>", "</s>", "a", "b", "c", "d", "e"};

typedef struct {
    unsigned k;
    int word[ORDER];
    float cost, back;
    char text[100];
} gram;

typedef struct {
    unsigned order, n;
    bool closed; /* histories and ends of n-grams are listed */
    gram list[GRAMS];
    char arpa[GRAMS * 120];
} slow_model;

static uint64_t seed = 1;
static unsigned dice(unsigned n) { return draw(&seed, n); }

static const gram *slow_find(const slow_model *slow, const int *word, unsigned length) {
    for (unsigned i = 0; i < slow->n; i++)
        if (slow->list[i].k == length && memcmp(slow->list[i].word, word, length * sizeof *word) == 0) return &slow->list[i];
    return NULL;
}

/* The definition; word[0 .. k-1], the last one is scored. */
static double slow_score(const slow_model *slow, const int *word, unsigned length, unsigned *matched) {
    const gram *whole = slow_find(slow, word, length), *history = length > 1 ? slow_find(slow, word, length - 1) : NULL;
    *matched = length;
    if (whole) return whole->cost;
    return (history ? history->back : 0) + slow_score(slow, word + 1, length - 1, matched);
}

/* The histories that matter, counted from the list: proper beginnings of n-grams, and those with a back-off weight. */
static unsigned slow_states(const slow_model *slow) {
    static int seen[GRAMS * ORDER][ORDER + 1];
    unsigned words = 0;
    for (unsigned i = 0; i < slow->n; i++) {
        const gram *one = &slow->list[i];
        unsigned longest = one->k < slow->order && one->back != 0 ? one->k : one->k - 1;
        for (unsigned length = 1; length <= longest; length++) {
            int key[ORDER + 1] = {(int)length};
            memcpy(key + 1, one->word, length * sizeof *key);
            unsigned j = 0;
            while (j < words && memcmp(seen[j], key, sizeof key) != 0) j++;
            if (j == words) memcpy(seen[words++], key, sizeof key);
        }
    }
    return words + 1;
}

/* Few digits and many, so that both ways of reading a number are used. */
static void number(char *to, size_t size, double x) {
    int digits = (int)dice(22);
    if (dice(2)) snprintf(to, size, "%.*g", digits + 3, x);
    else if (dice(2)) snprintf(to, size, "%.*e", digits, x);
    else snprintf(to, size, "%.*f", digits, x);
}

static void random_gram(slow_model *slow, unsigned length) {
    gram one = {.k = length};
    char p[64], back[64] = "";
    for (unsigned i = 0; i < length; i++) one.word[i] = length == 1 ? (int)slow->n : (int)dice(WORDS);
    if (slow_find(slow, one.word, length)) return;
    if (length > 1 && slow->closed && (!slow_find(slow, one.word, length - 1) || !slow_find(slow, one.word + 1, length - 1)))
        return;
    number(p, sizeof p, -(double)dice(1000000) / 300000);
    one.cost = (float)(-strtod(p, NULL) * LN10);
    if (length < slow->order && dice(3)) {
        number(back, sizeof back, (double)dice(1000000) / 300000 - 2);
        one.back = (float)(-strtod(back, NULL) * LN10);
    }
    size_t used = (size_t)snprintf(one.text, sizeof one.text, "%s", p);
    for (unsigned i = 0; i < length; i++)
        used += (size_t)snprintf(one.text + used, sizeof one.text - used, " %s", vocabulary[one.word[i]]);
    snprintf(one.text + used, sizeof one.text - used, " %s\n", back);
    slow->list[slow->n++] = one;
}

static void random_model(slow_model *slow, pf_model *out) {
    slow->n = 0;
    slow->order = 1 + dice(ORDER);
    slow->closed = dice(2);
    for (unsigned i = 0; i < WORDS; i++) random_gram(slow, 1);
    for (unsigned k = 2; k <= slow->order; k++)
        for (unsigned i = 0, tries = dice(100); i < tries && slow->n < GRAMS; i++) random_gram(slow, k);
    char *at = slow->arpa, *end = slow->arpa + sizeof slow->arpa;
    at += snprintf(at, (size_t)(end - at), "\\data\\\n");
    for (unsigned length = 1; length <= slow->order; length++) {
        at += snprintf(at, (size_t)(end - at), "\\%u-grams:\n", length);
        for (unsigned i = 0; i < slow->n; i++)
            if (slow->list[i].k == length) at += snprintf(at, (size_t)(end - at), "%s", slow->list[i].text);
    }
    at += snprintf(at, (size_t)(end - at), "\\end\\\n");
    pf_reader *reader;
    assert_int_equal(pf_reader_memory(slow->arpa, (size_t)(at - slow->arpa), "random", &reader), PF_OK);
    if (pf_ngram_read_arpa(reader, NULL, NULL, out)) fail_msg("%s\n%s", pf_message(), slow->arpa);
    pf_reader_free(reader);
}

static unsigned states_of(const pf_model *model) {
    pf_fst *fst;
    assert_int_equal(model->cls->expand(model->self, 0, NULL, &fst), PF_OK);
    unsigned n = pf_fst_states(fst);
    pf_fst_free(fst);
    return n;
}

static void check_sentence(const slow_model *slow, const pf_model *model) {
    int word[1 + 12] = {1};
    pf_state state = ask(model)->cls->start(ask(model));
    unsigned length = dice(12), mine, its;
    for (unsigned at = 1; at <= length + 1; at++) {
        unsigned k = at + 1 < slow->order ? at + 1 : slow->order;
        word[at] = at == length + 1 ? 2 : dice(8) ? 3 + (int)dice(WORDS - 3) : 0;
        double want = slow_score(slow, word + at + 1 - k, k, &its), got = ask(model)->cls->final(ask(model), state);
        if (at <= length) got = pf_ngram_step(model, state, label(model, vocabulary[word[at]]), &state, &mine);
        NEAR(got, want, slow->closed ? 1e-12 : 1e-5); /* a cost that was entered is a float */
        if (at <= length && slow->closed) assert_int_equal(mine, its);
    }
}

/* The cost of x, or of ending (x = 0), read from the automaton with its failure arcs. */
static double by_failure(pf_fst *fst, pf_state *state, pf_label x, pf_label phi) {
    for (double sum = 0;;) {
        pf_arcs arcs = pf_fst_arcs(fst, *state);
        unsigned a = 0;
        if (!x && pf_fst_final(fst, *state) < INFINITY) return sum + pf_fst_final(fst, *state);
        while (a + 1 < arcs.n && (!x || arcs.arc[a].in < x)) a++;
        const pf_arc *arc = arcs.arc[a].in == x ? &arcs.arc[a] : &arcs.arc[arcs.n - 1];
        assert_true(arc->in == x || arc->in == phi);
        assert_int_equal(arc->in, arc->out);
        sum += arc->w;
        *state = arc->to;
        if (arc->in == x) return sum;
    }
}

/* Rows, and the automaton with failure arcs, give what single steps give, to the bit. */
static void check_rows_and_automaton(const pf_model *model) {
    pf_fst *fst;
    const pf_label phi = 100;
    assert_int_equal(model->cls->expand(model->self, phi, "<phi>", &fst), PF_OK);
    assert_int_equal(fst->start, ask(model)->cls->start(ask(model)));
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        pf_label labels[WORDS];
        double w[WORDS];
        pf_state to[WORDS], next, end = state;
        unsigned words = 0;
        for (pf_label v = 1; v <= WORDS; v++)
            if (dice(3)) labels[words++] = v;
        pf_label_set set;
        assert_int_equal(pf_label_set_init(&set, labels, words), PF_OK);
        ask(model)->cls->row(ask(model), state, &set, w, to);
        pf_label_set_free(&set);
        for (unsigned place = 0; place < words; place++) {
            double one = ask(model)->cls->step(ask(model), state, labels[place], &next);
            assert_true(w[place] == one && to[place] == next);
            if (labels[place] == 2 || labels[place] == 3) continue; /* <s> and </s> are no arcs */
            pf_state at = state;
            assert_true(by_failure(fst, &at, labels[place], phi) == one && at == next);
        }
        assert_true(by_failure(fst, &end, 0, phi) == ask(model)->cls->final(ask(model), state));
    }
    pf_fst_free(fst);
}

/* ---- rows of a model with long lists ---- */

enum { LONG_WORDS = 1500, LONG_HISTORIES = 30, LONG_BYTES = 1 << 21, LONG_LABELS = 40 };

/* Two of three words have an arc after some words, a tenth after others; after pairs, few; some list the end. */
static void write_long_lists(char *to) {
    const unsigned ways[] = {3, 2, 10, 1};
    char *at = to + sprintf(to, "\\data\\\n\\1-grams:\n-1\t<s>\t-0.5\n-2\t</s>\n-3\t<unk>\n");
    for (unsigned word = 0; word < LONG_WORDS; word++)
        at += sprintf(at, "-%.3f\tw%u\t-%.3f\n", 1 + dice(3000) / 1e3, word, dice(900) / 1e3);
    at += sprintf(at, "\\2-grams:\n");
    for (unsigned history = 0; history < LONG_HISTORIES; history++)
        for (unsigned word = 0; word < LONG_WORDS; word++)
            if (word < LONG_HISTORIES || dice(ways[history % 4] * 3) < 3)
                at += sprintf(at, "-%.3f\tw%u w%u\t-%.3f\n", dice(3000) / 1e3, history, word, dice(900) / 1e3);
    for (unsigned history = 0; history < LONG_HISTORIES; history += 3)
        at += sprintf(at, "-%.3f\tw%u </s>\n", dice(3000) / 1e3, history);
    at += sprintf(at, "\\3-grams:\n");
    for (unsigned history = 0; history < LONG_HISTORIES * 8; history++) {
        for (unsigned word = 0; word < LONG_WORDS; word++)
            if (dice(LONG_WORDS) < history % 60)
                at += sprintf(at, "-%.3f\tw%u w%u w%u\n", dice(3000) / 1e3, history / 8, history % 8, word);
        if (dice(2)) at += sprintf(at, "-%.3f\tw%u w%u </s>\n", dice(3000) / 1e3, history / 8, history % 8);
    }
    at += sprintf(at, "\\end\\\n");
    assert_true(at < to + LONG_BYTES);
}

/* The labels, or all of them in another order, and some twice; returns how many. */
static unsigned mix_labels(const pf_label *labels, unsigned count, bool mixed, pf_label *out) {
    unsigned many = count;
    memcpy(out, labels, count * sizeof *labels);
    for (unsigned i = 0; mixed && i < count; i++)
        if (dice(2)) out[many++] = labels[i];
    for (unsigned i = many; mixed && i > 1; i--) {
        const unsigned other = dice(i);
        const pf_label one = out[i - 1];
        out[i - 1] = out[other];
        out[other] = one;
    }
    return many;
}

/* A set has the labels that it was given, in any order, each at its place, and no others. */
static void a_label_set_finds_its_labels(void **unused) {
    enum { MOST = 300 };
    (void)unused;
    for (unsigned round = 0; round < 300; round++) {
        pf_label labels[MOST], given[2 * MOST];
        pf_label_set set;
        const unsigned most = dice(MOST), stride = 1 + dice(3) * dice(200);
        unsigned count = 0, next = 0, place;
        for (pf_label label = 1 + (pf_label)dice(9); count < most; label += (pf_label)(dice(2) ? stride : 1 + dice(5)))
            labels[count++] = label;
        const unsigned many = mix_labels(labels, count, round % 2, given);
        assert_int_equal(pf_label_set_init(&set, given, many), PF_OK);
        assert_int_equal(set.n, count);
        for (pf_label label = 1; count && label <= labels[count - 1] + 9; label++) {
            const bool there = next < count && labels[next] == label;
            assert_int_equal(pf_label_set_find(&set, label, &place), there);
            if (there) assert_true(place == next && set.at[next] == label);
            next += there;
        }
        pf_label_set_free(&set);
        assert_false(pf_label_set_find(&set, 1, &place));
    }
}

/* Rows, and what states know, are what single steps say, for many labels and few, to the bit. */
static void rows_of_long_lists_are_those_of_steps(void **unused) {
    char *text = malloc(LONG_BYTES);
    pf_model model;
    pf_reader *reader;
    (void)unused;
    assert_non_null(text);
    write_long_lists(text);
    assert_int_equal(pf_reader_memory(text, strlen(text), "long.arpa", &reader), PF_OK);
    if (pf_ngram_read_arpa(reader, NULL, NULL, &model)) fail_msg("%s", pf_message());
    pf_scorer *by = ask(&model);
    for (unsigned round = 0; round < 4000; round++) {
        pf_label labels[LONG_LABELS], limit = (pf_label)(4 + dice(LONG_WORDS));
        double cost[LONG_LABELS];
        pf_state to[LONG_LABELS], next, state = (pf_state)dice(states_of_ngram(&model));
        unsigned count = 0, most = 1 + dice(LONG_LABELS);
        pf_label_set set;
        for (pf_label word = 1 + (pf_label)dice(3); word < limit && count < most; word += 1 + (pf_label)dice(2 * LONG_WORDS / most))
            labels[count++] = word;
        assert_int_equal(pf_label_set_init(&set, labels, count), PF_OK);
        by->cls->row(by, state, &set, cost, to);
        for (unsigned i = 0; i < count; i++) {
            assert_true(by->cls->step(by, state, labels[i], &next) == cost[i] && next == to[i]);
            assert_true(cost_by_known(by, state, &set, i, &next) == cost[i] && next == to[i]);
        }
        assert_true(cost_by_known(by, state, &set, count, &next) == by->cls->final(by, state));
        pf_label_set_free(&set);
    }
    pf_reader_free(reader);
    pf_model_free(&model);
    free(text);
}

/* ---- pieces of a sentence ---- */

enum { LONGEST = 6, REACH = ORDER - 1 };

/* The same piece is made once, from words; a piece of pieces must be no other. */
typedef struct {
    text_piece is;
    pf_label room[REACH + 1];
} piece;

static void begin_piece(pf_scorer *by, piece *part) {
    piece_begin(by, part->room, &part->is);
    for (unsigned i = 0; i <= REACH; i++) part->room[i] = -7; /* past its reach nothing is written */
}

static void make_piece(pf_scorer *by, const pf_label *labels, unsigned n, piece *part) {
    begin_piece(by, part);
    for (unsigned i = 0; i < n; i++) piece_word(by, &part->is, labels[i]);
    assert_int_equal(part->room[by->cls->reach(by)], -7);
}

static void join_pieces(pf_scorer *by, const piece *a, const piece *b, piece *out) {
    *out = *a;
    out->is.word = out->room;
    piece_join(by, &out->is, &b->is);
    assert_int_equal(out->room[by->cls->reach(by)], -7);
}

static bool near(double a, double b) { return a == b || fabs(a - b) < 1e-9; }

static void same_piece(const piece *one, const piece *other) {
    assert_true(near(one->is.cost, other->is.cost));
    assert_int_equal(one->is.closed, other->is.closed);
    assert_int_equal(one->is.n, other->is.n);
    assert_memory_equal(one->room, other->room, one->is.n * sizeof *one->room);
    assert_int_equal(one->is.state, other->is.state);
}

/* Word by word, from the left. */
static double from_left(pf_scorer *by, pf_state state, const pf_label *labels, unsigned n, pf_state *to) {
    double w = 0;
    for (unsigned i = 0; i < n; i++) w += by->cls->step(by, state, labels[i], &state);
    *to = state;
    return w;
}

static void expect_after(pf_scorer *by, pf_state state, const piece *p, const pf_label *labels, unsigned n) {
    pf_state want, got;
    double cost = from_left(by, state, labels, n, &want);
    assert_true(near(piece_after(by, state, &p->is, &got), cost));
    assert_int_equal(got, want);
}

/* Three pieces, cut at i and j, put together in both orders; then the sentence begins before them. */
static void cut_at(pf_scorer *by, const pf_label *labels, unsigned words, unsigned i, unsigned j) {
    piece whole, a, b, c, ab, bc, first, second;
    make_piece(by, labels, words, &whole);
    make_piece(by, labels, i, &a);
    make_piece(by, labels + i, j - i, &b);
    make_piece(by, labels + j, words - j, &c);
    join_pieces(by, &a, &b, &ab);
    join_pieces(by, &ab, &c, &first);
    join_pieces(by, &b, &c, &bc);
    join_pieces(by, &a, &bc, &second);
    same_piece(&first, &whole);
    same_piece(&second, &whole);
    expect_after(by, by->cls->start(by), &first, labels, words);
    expect_after(by, by->cls->start(by), &second, labels, words);
}

/* Every left context of up to ORDER words of the model, the beginning of the sentence before it or not. */
static void after_every_history(pf_scorer *by, const pf_label *labels, unsigned count, const pf_label *word, unsigned words) {
    piece part;
    make_piece(by, labels, count, &part);
    for (unsigned length = 0, all = 1; length <= REACH; length++, all *= words)
        for (unsigned code = 0; code < all; code++) {
            pf_label history[REACH + 1];
            for (unsigned i = 0, c = code; i < length; i++, c /= words) history[i] = word[c % words];
            expect_after(by, state_after(by, true, history, length), &part, labels, count);
            expect_after(by, state_after(by, false, history, length), &part, labels, count);
        }
}

/* A history in the middle of a sentence is as good as the sentence once it is long enough. */
static void a_long_history_is_enough(pf_scorer *by, const pf_label *labels, unsigned words) {
    unsigned reach = by->cls->reach(by);
    pf_state want = state_after(by, true, labels, words);
    for (unsigned i = 0; i + reach <= words && i < words; i++)
        assert_int_equal(state_after(by, false, labels + i, words - i), want);
}

static void pieces_cost_what_they_cost_in_the_sentence(void **state) {
    (void)state;
    static slow_model slow;
    size_t pending = 0, most = 0, open = 0, orders[ORDER + 1] = {0};
    for (unsigned turn = 0; turn < 150; turn++) {
        pf_model model;
        pf_scorer by;
        pf_label labels[LONGEST], word[] = {0, 0, 0, 0};
        random_model(&slow, &model);
        assert_int_equal(pf_scorer_of(&model, &by), PF_OK);
        assert_int_equal(by.cls->reach(&by) + 1, order_of(&model));
        orders[order_of(&model)]++;
        for (unsigned i = 0; i < 4; i++) word[i] = label(&model, i ? vocabulary[3 + i] : "not a word");
        for (unsigned text = 0; text < 20; text++) {
            piece part;
            unsigned words = dice(LONGEST + 1), reach = by.cls->reach(&by);
            for (unsigned i = 0; i < words; i++) labels[i] = word[dice(4)];
            for (unsigned i = 0; i <= words; i++)
                for (unsigned j = i; j <= words; j++) cut_at(&by, labels, words, i, j);
            after_every_history(&by, labels, words, word, 4);
            a_long_history_is_enough(&by, labels, words);
            make_piece(&by, labels, words, &part);
            assert_true(part.is.closed || part.is.n == words);
            pending += part.is.n;
            most += words < reach ? words : reach;
            open += !part.is.closed;
        }
        pf_scorer_end(&by);
        pf_model_free(&model);
    }
    for (unsigned k = 1; k <= ORDER; k++) assert_true(orders[k] > 10);
    assert_true(open > 100 && pending > 100 && pending < most); /* the model's own histories say more than its order */
}

/* What the bits of the model are for: it has no history that ends in "c", and one that ends in "b". */
static void few_words_are_pending(void **state) {
    static const char text[] = "\\data\\\nngram 1=6\nngram 2=2\nngram 3=1\n\n\\1-grams:\n-1 <unk>\n-9 <s> -1\n-1 </s>\n-1 a -1\n-1 "
                               "b -1\n-1 c\n"
                               "\n\\2-grams:\n-1 a b -1\n-1 b c\n\n\\3-grams:\n-1 a b c\n\n\\end\\\n";
    static const struct {
        const char *word[3];
        unsigned n, pending;
        bool closed;
    } cases[] = {
        {{"c"}, 1, 1, true}, {{"b"}, 1, 1, false}, {{"b", "c"}, 2, 2, true}, {{"c", "b", "c"}, 3, 1, true}, {{"a"}, 1, 1, true},
        {{"a", "b"}, 2, 1, true}, {{NULL}, 0, 0, false},
    };
    pf_reader *reader;
    pf_model model;
    pf_scorer by;
    (void)state;
    assert_int_equal(pf_reader_memory(text, sizeof text - 1, "text", &reader), PF_OK);
    assert_int_equal(pf_ngram_read_arpa(reader, NULL, NULL, &model), PF_OK);
    pf_reader_free(reader);
    assert_int_equal(pf_scorer_of(&model, &by), PF_OK);
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        piece part;
        begin_piece(&by, &part);
        for (unsigned k = 0; k < cases[at].n; k++) piece_word(&by, &part.is, label(&model, cases[at].word[k]));
        assert_int_equal(part.is.n, cases[at].pending);
        assert_int_equal(part.is.closed, cases[at].closed);
    }
    pf_scorer_end(&by);
    pf_model_free(&model);
}

static pf_writer *record_of(const pf_model *model) {
    pf_writer *writer;
    assert_int_equal(pf_writer_memory(&writer), PF_OK);
    assert_int_equal(model->cls->write(model->self, writer), PF_OK);
    return writer;
}

static pf_err read_model(pf_reader *reader, pf_model *model) {
    *model = (pf_model){NULL, NULL};
    pf_err err = pf_ngram_class.read(reader, &model->self);
    if (!err) model->cls = &pf_ngram_class;
    pf_reader_free(reader);
    return err;
}

/* Tables are copied. */
static pf_err copied(const unsigned char *bytes, size_t n, pf_model *model) {
    pf_reader *reader;
    assert_int_equal(pf_reader_memory(bytes, n, "record", &reader), PF_OK);
    return read_model(reader, model);
}

/* Tables stay where they lie, if they lie at a multiple of 4. */
static pf_err placed(const unsigned char *bytes, size_t length, size_t before, pf_model *model) {
    pf_reader *reader;
    pf_bytes *shared;
    unsigned char *place = calloc(before + length + 1, 1);
    assert_non_null(place);
    if (length) memcpy(place + before, bytes, length);
    assert_int_equal(pf_bytes_of(place, before + length, &shared), PF_OK);
    assert_int_equal(pf_reader_bytes(shared, "record", &reader), PF_OK);
    assert_int_equal(pf_reader_skip(reader, before), PF_OK);
    pf_reader_set_offset(reader, 0);
    pf_err err = read_model(reader, model);
    pf_bytes_free(shared); /* the model has a reference of its own, if it needs it */
    return err;
}

/* The model in place, which is what the plain way makes of the same bytes, or refuses with the same words. */
static pf_err from_record(const unsigned char *bytes, size_t count, pf_model *model) {
    pf_model plain, odd;
    pf_err err = copied(bytes, count, &plain);
    char words[300];
    snprintf(words, sizeof words, "%s", err ? pf_message() : "");
    for (size_t before = 0; before < 3; before++) {
        assert_int_equal(placed(bytes, count, before, &odd), err);
        if (err) {
            assert_string_equal(pf_message(), words);
            continue;
        }
        pf_writer *first = record_of(&plain), *second = record_of(&odd);
        size_t length, other;
        const unsigned char *ours = pf_writer_bytes(first, &length), *theirs = pf_writer_bytes(second, &other);
        assert_int_equal(length, other);
        assert_memory_equal(ours, theirs, length);
        pf_writer_free(first);
        pf_writer_free(second);
        pf_model_free(&odd);
    }
    if (err) return err;
    pf_model_free(&plain);
    return placed(bytes, count, 0, model);
}

static void check_record(const slow_model *slow, const pf_model *model) {
    pf_writer *first = record_of(model), *second;
    size_t length, again;
    const unsigned char *bytes = pf_writer_bytes(first, &length), *others;
    pf_model copy;
    if (from_record(bytes, length, &copy)) fail_msg("%s", pf_message());
    second = record_of(&copy);
    others = pf_writer_bytes(second, &again);
    assert_int_equal(length, again);
    assert_memory_equal(bytes, others, length);
    check_sentence(slow, &copy);
    pf_model_free(&copy);
    pf_writer_free(first);
    pf_writer_free(second);
}

static void agrees_with_the_definition_on_random_models(void **state) {
    (void)state;
    static slow_model slow;
    for (unsigned i = 0; i < 300; i++) {
        pf_model model;
        random_model(&slow, &model);
        assert_int_equal(states_of(&model), slow_states(&slow));
        for (unsigned j = 0; j < 20; j++) check_sentence(&slow, &model);
        check_rows_and_automaton(&model);
        check_record(&slow, &model);
        pf_model_free(&model);
    }
}

/* ---- numbers ---- */

/* All ways to write a number that is no more than 0: few digits and many, before the point and after it, with exponents. */
static void odd_number(char *to, size_t size) {
    char whole[32] = "", fraction[32] = "", exponent[16] = "";
    for (unsigned i = 0, n = 1 + dice(dice(4) ? 3 : 21); i < n; i++) whole[i] = (char)('0' + dice(10));
    for (unsigned i = 0, n = dice(dice(4) ? 10 : 24); i < n; i++) fraction[i] = (char)('0' + dice(10));
    if (!dice(3)) snprintf(exponent, sizeof exponent, "%c%s%u", dice(2) ? 'e' : 'E', dice(2) ? "-" : dice(2) ? "+" : "", dice(9));
    snprintf(to, size, "-%s%s%s%s", *fraction && !dice(5) ? "" : whole, *fraction || dice(2) ? "." : "", fraction, exponent);
}

static void reads_numbers_as_strtod_does(void **state) {
    (void)state;
    enum { NUMBERS = 100000, ROOM = 80 };
    char *numbers = malloc(NUMBERS * ROOM);
    pf_writer *arpa;
    pf_reader *reader;
    pf_model model;
    size_t n;
    assert_non_null(numbers);
    assert_int_equal(pf_writer_memory(&arpa), PF_OK);
    pf_writer_text(arpa, "\\data\\\n\\1-grams:\n-1 <unk>\n-1 <s>\n-1 </s>\n");
    for (size_t i = 0; i < NUMBERS; i++) {
        odd_number(numbers + i * ROOM, ROOM);
        pf_writer_text(arpa, "%s w%zu\n", numbers + i * ROOM, i);
    }
    pf_writer_text(arpa, "\\end\\\n");
    const unsigned char *text = pf_writer_bytes(arpa, &n);
    assert_int_equal(pf_reader_memory(text, n, "numbers", &reader), PF_OK);
    if (pf_ngram_read_arpa(reader, NULL, NULL, &model)) fail_msg("%s", pf_message());
    for (size_t i = 0; i < NUMBERS; i++) {
        pf_state to;
        double cost = ask(&model)->cls->step(ask(&model), 0, (pf_label)i + 4, &to);
        if (cost != (double)(float)(-strtod(numbers + i * ROOM, NULL) * LN10)) fail_msg("%s: %a", numbers + i * ROOM, cost);
    }
    pf_reader_free(reader);
    pf_model_free(&model);
    pf_writer_free(arpa);
    free(numbers);
}

/* ---- orders of lines ---- */

/* The longer n-grams of a random model with their lines in another order; `sorting`: 0 none, 1 by first words, 2 by last ones. */
static size_t reordered(const slow_model *m, unsigned sorting, char *to, size_t size) {
    size_t used = (size_t)snprintf(to, size, "\\data\\\n");
    for (unsigned k = 1; k <= m->order; k++) {
        const gram *line[GRAMS];
        unsigned n = 0;
        for (unsigned i = 0; i < m->n; i++)
            if (m->list[i].k == k) line[n++] = &m->list[i];
        for (unsigned i = 1; i < n && k > 1; i++)
            for (unsigned j = i; j; j--) {
                const gram *kept = line[j];
                int order = sorting ? 0 : (int)dice(3) - 1;
                for (unsigned w = 0; sorting && !order && w < k; w++) {
                    unsigned at = sorting == 1 ? w : k - 1 - w;
                    order = (line[j - 1]->word[at] > kept->word[at]) - (line[j - 1]->word[at] < kept->word[at]);
                }
                if (order <= 0) break;
                line[j] = line[j - 1];
                line[j - 1] = kept;
            }
        used += (size_t)snprintf(to + used, size - used, "\\%u-grams:\n", k);
        for (unsigned i = 0; i < n; i++) used += (size_t)snprintf(to + used, size - used, "%s", line[i]->text);
    }
    return used + (size_t)snprintf(to + used, size - used, "\\end\\\n");
}

static void is_the_same_in_any_order_of_lines(void **state) {
    (void)state;
    static slow_model slow;
    static char arpa[sizeof slow.arpa];
    for (unsigned i = 0; i < 600; i++) {
        pf_model model, other;
        pf_reader *reader;
        size_t n, again;
        random_model(&slow, &model);
        size_t length = reordered(&slow, i % 3, arpa, sizeof arpa);
        assert_int_equal(pf_reader_memory(arpa, length, "reordered", &reader), PF_OK);
        if (pf_ngram_read_arpa(reader, NULL, NULL, &other)) fail_msg("%s\n%s", pf_message(), arpa);
        pf_reader_free(reader);
        pf_writer *first = record_of(&model), *second = record_of(&other);
        const unsigned char *ours = pf_writer_bytes(first, &n), *theirs = pf_writer_bytes(second, &again);
        assert_int_equal(n, again);
        assert_memory_equal(ours, theirs, n);
        pf_writer_free(first);
        pf_writer_free(second);
        pf_model_free(&model);
        pf_model_free(&other);
    }
}

/* A section of random bigrams, empty lines among them: which line is the first that repeats another one, which is the first whose
 * history is not listed, and does a later line that is no n-gram hide them? */
static void names_the_first_line_that_is_wrong(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        char arpa[4000], wanted[200] = "", warned[200] = "";
        bool pair[6][6] = {{0}}, triple[6][6][6] = {{{0}}};
        size_t used = 0;
        unsigned line = 8, bigrams = dice(20), trigrams = 1 + dice(12), broken = dice(2);
        warnings w = {.n = 0};
        pf_reader *reader;
        pf_model model;
#define PUT(...) used += (size_t)snprintf(arpa + used, sizeof arpa - used, __VA_ARGS__)
        PUT("\\data\\\n\\1-grams:\n-1 <unk>\n-1 <s>\n-1 </s>\n-1 a\n-1 b\n-1 c\n");
        const char *const name[6] = {"<unk>", "<s>", "</s>", "a", "b", "c"};
        PUT("\\2-grams:\n");
        for (unsigned j = 0; j < bigrams; j++) {
            unsigned x = dice(6), y = dice(6);
            if (pair[x][y]) continue;
            pair[x][y] = true;
            PUT("-1 %s %s\n", name[x], name[y]);
            line++;
        }
        PUT("\\3-grams:\n");
        line += 2; /* of the header of this section and of the one before */
        for (unsigned j = 0; j < trigrams; j++) {
            unsigned x = dice(3), y = dice(3), z = 3 + dice(3);
            for (; !dice(4); line++) PUT("\n");
            PUT("%s %s %s %s\n", dice(6) ? "-1" : "0.00001", name[x], name[y], name[z]);
            if (triple[x][y][z] && !*wanted)
                snprintf(wanted, sizeof wanted, "text:%u: the 3-gram '%s ... %s' is listed twice", line + 1, name[x], name[z]);
            triple[x][y][z] = true;
            if (!pair[x][y] && !*warned && !*wanted)
                snprintf(warned, sizeof warned, "text:%u: an n-gram that ends in '%s' is listed", line + 1, name[z]);
            line++;
        }
        if (broken) PUT("-1 a b\n");
        if (broken && !*wanted) snprintf(wanted, sizeof wanted, "text:%u: expected a log10 probability, 3 words", line + 1);
        PUT("\\end\\\n");
#undef PUT
        assert_int_equal(pf_reader_memory(arpa, used, "text", &reader), PF_OK);
        pf_err err = pf_ngram_read_arpa(reader, collect, &w, &model);
        pf_reader_free(reader);
        if (err != (*wanted ? PF_EINPUT : PF_OK) || (err && strncmp(pf_message(), wanted, strlen(wanted)) != 0))
            fail_msg("expected '%s', found '%s'\n%s", wanted, err ? pf_message() : "", arpa);
        unsigned last = 0; /* the line of the last warning that has one */
        for (const char *at = w.text; (at = strstr(at, "text:")); at++) {
            unsigned where = (unsigned)strtoul(at + strlen("text:"), NULL, 10);
            if (!where) continue;
            if (where < last) fail_msg("line %u after %u in\n%s", where, last, w.text);
            last = where;
        }
        if (err && last > (unsigned)strtoul(pf_message() + strlen("text:"), NULL, 10))
            fail_msg("a warning of a later line than '%s':\n%s", pf_message(), w.text);
        if (!!*warned != !!strstr(w.text, "is listed, but its history") || !strstr(w.text, warned))
            fail_msg("expected '%s', found '%s'\n%s", warned, w.text, arpa);
        if (!err) pf_model_free(&model);
    }
}

static double least_cost(const pf_model *model) {
    double least = INFINITY;
    for (pf_state state = 0, n = states_of(model); state < n; state++)
        for (pf_label x = 1; x <= (pf_label)pf_symtab_count(model->cls->words(model->self)); x++) {
            pf_state to;
            double w = ask(model)->cls->step(ask(model), state, x, &to);
            if (w < least) least = w;
        }
    return least;
}

/* What a model says of its costs is true, and where it is, it says so. */
static void knows_whether_a_cost_is_negative(void **state) {
    (void)state;
    static slow_model slow;
    size_t with[2] = {0, 0};
    for (unsigned i = 0; i < 2000; i++) {
        pf_model model;
        random_model(&slow, &model);
        bool nonnegative = least_cost(&model) >= 0;
        assert_int_equal(pf_scorer_nonnegative(ask(&model)), nonnegative);
        with[nonnegative]++;
        pf_model_free(&model);
    }
    assert_true(with[0] > 200 && with[1] > 200);
}

/* A back-off weight of 10 on a history that has the one word which would become likelier than certain, or lacks it. */
static void a_back_off_above_one_is_looked_at(void **state) {
    (void)state;
    static const char text[] = "\\data\\\n\\1-grams:\n-9 <unk>\n-3 </s>\n-99 <s>\n-0.05 a 1\n-2 b\n\\2-grams:\n-0.01 a "
                               "%c\n\\end\\\n";
    for (unsigned lacks = 0; lacks < 2; lacks++) {
        char arpa[200];
        pf_model model;
        pf_reader *reader;
        int n = snprintf(arpa, sizeof arpa, text, lacks ? 'b' : 'a');
        assert_int_equal(pf_reader_memory(arpa, (size_t)n, "text", &reader), PF_OK);
        assert_int_equal(pf_ngram_read_arpa(reader, NULL, NULL, &model), PF_OK);
        assert_int_equal(least_cost(&model) < 0, lacks);
        assert_int_equal(pf_scorer_nonnegative(ask(&model)), !lacks);
        pf_model_free(&model);
        pf_reader_free(reader);
    }
}

/* The bytes of the record that a file makes, in memory of the caller's. */
static unsigned char *record_of_file(const char *name, size_t *length) {
    warnings w;
    pf_model model;
    load(name, &w, &model);
    pf_writer *record = record_of(&model);
    const unsigned char *bytes = pf_writer_bytes(record, length);
    unsigned char *copy = malloc(*length);
    assert_non_null(copy);
    memcpy(copy, bytes, *length);
    pf_writer_free(record);
    pf_model_free(&model);
    return copy;
}

static void refuses_a_record_cut_anywhere(void **state) {
    (void)state;
    pf_model cut;
    size_t length;
    unsigned char *bytes = record_of_file("good-back-off.arpa", &length);
    for (size_t i = 0; i < length; i++) assert_int_equal(from_record(bytes, i, &cut), PF_EINPUT);
    free(bytes);
}

static void a_record_of_another_version_is_named_as_such(void **state) {
    (void)state;
    pf_model older;
    size_t length;
    unsigned char *bytes = record_of_file("good-back-off.arpa", &length);
    bytes[0] = 2;
    assert_int_equal(from_record(bytes, length, &older), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "found an n-gram model of version 2, expected version 3: compile its ARPA text again"));
    free(bytes);
}

static void use(const pf_model *model) {
    unsigned words = states_of(model), k;
    for (pf_state state = 0; state < words; state++)
        for (pf_label x = 1; x <= pf_symtab_largest(model->cls->words(model->self)); x++) {
            pf_state to;
            double w = pf_ngram_step(model, state, x, &to, &k);
            assert_true(to < words && k <= order_of(model) && w > -INFINITY);
        }
    for (size_t i = 0; i < 4; i++) log10_of(model, "a b x a");
}

static void stays_sound_on_records_with_a_flipped_bit(void **state) {
    (void)state;
    pf_model other;
    size_t length, kept = 0;
    unsigned char *bytes = record_of_file("good-quirks.arpa", &length);
    for (size_t at = 0; at < 8 * length; at++) {
        bytes[at / 8] ^= (unsigned char)(1u << at % 8);
        if (!from_record(bytes, length, &other)) {
            kept++;
            use(&other);
            pf_model_free(&other);
        }
        bytes[at / 8] ^= (unsigned char)(1u << at % 8);
    }
    assert_true(kept > 0); /* a flip in a cost is a cost */
    free(bytes);
}

static void expands_with_symbols_of_its_own(void **state) {
    (void)state;
    static const char text[] = "\\data\\\nngram 1=4\nngram 2=1\n\\1-grams:\n-1 <UNK>\n-1 </s>\n-1 <eps> -1\n-1 <phi>\n"
                               "\\2-grams:\n-2 <eps> <phi>\n\\end\\\n";
    pf_reader *reader;
    warnings given = {.n = 0};
    pf_model model;
    pf_fst *fst;
    assert_int_equal(pf_reader_memory(text, sizeof text - 1, "text", &reader), PF_OK);
    assert_int_equal(pf_ngram_read_arpa(reader, collect, &given, &model), PF_OK);
    pf_reader_free(reader);
    assert_string_equal(given.text, "text:9: <s> is not among the unigrams; sentences begin with the empty history\n");
    assert_int_equal(model.cls->unknown(model.self), 1);
    assert_int_equal(model.cls->expand(model.self, 5, "<phi>", &fst), PF_EARG);
    assert_int_equal(model.cls->expand(model.self, 5, NULL, &fst), PF_EARG);
    assert_int_equal(model.cls->expand(model.self, 4, "#", &fst), PF_EARG);
    assert_int_equal(model.cls->expand(model.self, -1, "#", &fst), PF_EARG);
    assert_int_equal(model.cls->expand(model.self, 5, "<eps1>", &fst), PF_OK);
    assert_string_equal(pf_symtab_name(fst->isyms, 5, NULL), "<eps1>");
    assert_string_equal(pf_symtab_name(fst->osyms, 0, NULL), "<eps2>");
    assert_int_equal(pf_symtab_find(fst->isyms, "<eps>", 5), 3);
    pf_arcs arcs = pf_fst_arcs(fst, 1);
    assert_int_equal(arcs.n, 2);
    assert_int_equal(arcs.arc[0].in, 4);
    assert_int_equal(arcs.arc[1].out, 5);
    assert_true(pf_fst_final(fst, 1) == INFINITY && pf_fst_final(fst, 0) == (float)LN10);
    pf_fst_free(fst);
    assert_int_equal(model.cls->expand(model.self, 0, NULL, &fst), PF_OK);
    assert_int_equal(pf_fst_arcs(fst, 1).arc[0].in, 0);
    assert_string_equal(pf_symtab_name(fst->isyms, 0, NULL), "<eps1>");
    pf_fst_free(fst);
    pf_model_free(&model);
}

/* ---- against the scores of another program ---- */

static pf_err open_data(const char *name, pf_reader **r) {
    char path[PATH];
    const char *data = getenv("PERMFST_DATA"), *srcdir = getenv("srcdir");
    if (data) snprintf(path, sizeof path, "%s/%s", data, name);
    else snprintf(path, sizeof path, "%s/../shared/data/%s", srcdir ? srcdir : ".", name);
    return pf_reader_open(path, r);
}

static bool load_data(const char *name, pf_model *model) {
    pf_reader *reader;
    warnings given = {.n = 0};
    if (open_data(name, &reader)) return false;
    if (pf_ngram_read_arpa(reader, collect, &given, model)) fail_msg("%s", pf_message());
    assert_string_equal(given.text, "");
    pf_reader_free(reader);
    return true;
}

static void compare_scores(const pf_model *model, const char *text, const char *scores) {
    pf_reader *t = NULL, *s = NULL;
    char *line, *score, *end;
    size_t length;
    unsigned count = 0, unknown;
    if (open_data(text, &t) || open_data(scores, &s)) fail_msg("%s", pf_message());
    for (;; count++) {
        assert_int_equal(pf_reader_line(t, &line, &length), PF_OK);
        assert_int_equal(pf_reader_line(s, &score, &length), PF_OK);
        if (!line || !score) break;
        double got = -sentence(model, line, &unknown) / LN10, want = strtod(score, &end);
        if (fabs(got - want) > 1e-4 || unknown != strtoul(end, NULL, 10))
            fail_msg("%s:%u: %.6f, %u, wanted %s", text, count + 1, got, unknown, score);
    }
    assert_true(!line && !score && count > 900);
    pf_reader_free(t);
    pf_reader_free(s);
}

static void scores_sentences_as_another_program(void **state) {
    (void)state;
    static const char *const sets[][4] = {
        /* model, text: before and after the part's name, scores: after it */
        {"en.2gram", "multi30k/", ".en", ".en.2gram.score"},
        {"en.3gram", "multi30k/", ".en", ".en.3gram.score"},
        {"en.4gram", "multi30k/", ".en", ".en.4gram.score"},
        {"de.3gram", "multi30k/", ".de", ".de.3gram.score"},
        {"en.upos.5gram", "multi30k/tags/", ".en.upos", ".en.upos5.score"},
    };
    static const char *const parts[] = {"val", "test2016"};
    pf_model model;
    for (size_t at = 0; at < sizeof sets / sizeof *sets; at++) {
        char name[100], text[100], scores[100];
        snprintf(name, sizeof name, "multi30k/lm/%s.arpa.gz", sets[at][0]);
        if (!load_data(name, &model)) skip();
        for (size_t k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "%s%s%s", sets[at][1], parts[k], sets[at][2]);
            snprintf(scores, sizeof scores, "multi30k/lm/scores/%s%s", parts[k], sets[at][3]);
            compare_scores(&model, text, scores);
        }
        pf_model_free(&model);
    }
    if (!load_data("news/lm/en.3gram.arpa.gz", &model)) skip();
    compare_scores(&model, "news/newstest2013-a.en", "news/lm/scores/newstest2013-a.en.3gram.score");
    pf_model_free(&model);
}

/* Lines of "word length log10p", parted by tabs. */
static void matches_as_long_as_another_program(void **state) {
    (void)state;
    pf_model model;
    pf_reader *reader;
    char *line;
    size_t n;
    if (!load_data("multi30k/lm/en.3gram.arpa.gz", &model)) skip();
    assert_int_equal(open_data("multi30k/lm/scores/val20.en.3gram.words", &reader), PF_OK);
    for (;;) {
        assert_int_equal(pf_reader_line(reader, &line, &n), PF_OK);
        if (!line) break;
        pf_state from = ask(&model)->cls->start(ask(&model));
        for (char *at = strtok(line, "\t"); at; at = strtok(NULL, "\t")) {
            size_t length = strcspn(at, " ");
            char *end;
            unsigned long want = strtoul(at + length, &end, 10);
            unsigned matched;
            pf_label x = length == 4 && memcmp(at, "</s>", 4) == 0 ? pf_symtab_find(model.cls->words(model.self), at, 4)
                                                                   : model.cls->label(model.self, at, length);
            double w = pf_ngram_step(&model, from, x, &from, &matched);
            assert_int_equal(matched, want);
            NEAR(-w / LN10, strtod(end, NULL), 1e-5);
        }
    }
    pf_reader_free(reader);
    pf_model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_cost_what_they_cost_in_the_sentence),
        cmocka_unit_test(few_words_are_pending),
        cmocka_unit_test(backs_off_as_by_hand),
        cmocka_unit_test(has_one_state_without_histories),
        cmocka_unit_test(reads_odd_files_with_one_warning_a_kind),
        cmocka_unit_test(refuses_what_is_wrong_and_says_where),
        cmocka_unit_test(agrees_with_the_definition_on_random_models),
        cmocka_unit_test(a_label_set_finds_its_labels),
        cmocka_unit_test(rows_of_long_lists_are_those_of_steps),
        cmocka_unit_test(reads_numbers_as_strtod_does),
        cmocka_unit_test(is_the_same_in_any_order_of_lines),
        cmocka_unit_test(names_the_first_line_that_is_wrong),
        cmocka_unit_test(knows_whether_a_cost_is_negative),
        cmocka_unit_test(a_back_off_above_one_is_looked_at),
        cmocka_unit_test(refuses_a_record_cut_anywhere),
        cmocka_unit_test(a_record_of_another_version_is_named_as_such),
        cmocka_unit_test(stays_sound_on_records_with_a_flipped_bit),
        cmocka_unit_test(expands_with_symbols_of_its_own),
        cmocka_unit_test(scores_sentences_as_another_program),
        cmocka_unit_test(matches_as_long_as_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
