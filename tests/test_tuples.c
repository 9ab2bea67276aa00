/* Tuples as text: what is written is read again, and what is not a tuple is refused with its name. Tuples of a corpus: by the
 * library alone, again and again. */
#include "check.h"
#include "draw.h"

#include <permfst/tuples/extract.h>
#include <permfst/tuples/write.h>

#include <stdio.h>
#include <string.h>

enum { RANDOM_TUPLES = 5000, MOST = 3 };

static uint64_t seed = 99;
static unsigned below(unsigned n) { return draw(&seed, n); }

static void random_word(char text[8], pf_word *word) {
    static const char bytes[] = "\\|_ab\xc3\xa9";
    size_t n = 1 + below(6);
    for (size_t i = 0; i < n; i++) text[i] = bytes[below(sizeof bytes - 1)];
    *word = (pf_word){text, n};
}

static void same(const pf_word *want, size_t n, const pf_words *got) {
    assert_int_equal(got->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(got->at[i].n, want[i].n);
        assert_memory_equal(got->at[i].at, want[i].at, want[i].n);
    }
}

static void check_round_trip(void **state PF_UNUSED) {
    pf_tuple_words got = {0};
    pf_writer *writer;
    SUCCEED(pf_writer_memory(&writer));
    for (int round = 0; round < RANDOM_TUPLES; round++) {
        char text[2 * MOST][8];
        pf_word word[2 * MOST];
        size_t sources = below(MOST + 1), targets = below(MOST + 1), length;
        if (!sources && !targets) continue;
        for (int i = 0; i < 2 * MOST; i++) random_word(text[i], &word[i]);
        pf_writer_clear(writer);
        SUCCEED(pf_tuple_write(writer, word, sources, word + MOST, targets));
        const unsigned char *bytes = pf_writer_bytes(writer, &length);
        SUCCEED(pf_tuple_parse((const char *)bytes, length, &got));
        same(word, sources, &got.source);
        same(word + MOST, targets, &got.target);
    }
    pf_writer_free(writer);
    pf_tuple_words_free(&got);
}

static void check_spelling(void **state PF_UNUSED) {
    static const struct {
        const char *text;
        size_t sources, targets;
        const char *first; /* word */
    } good[] = {{"f|e1_e2", 1, 2, "f"}, {"f1_f2|e", 2, 1, "f1"},  {"f|", 1, 0, "f"},
                {"|e", 0, 1, "e"},      {"\\||\\_", 1, 1, "|"}, {"\\\\_\\_|", 2, 0, "\\"}};
    static const char *const bad[] = {"", "f", "|", "a|b|c", "a||", "_a|b", "a_|b", "a|_b",
                                      "a|b_", "a__b|c", "_|_", "a\\|b", "a|b\\", "a|\\b", "a|b\\n", "\\"};
    pf_tuple_words got = {0};
    for (size_t i = 0; i < LENGTH(good); i++) {
        SUCCEED(pf_tuple_parse(good[i].text, strlen(good[i].text), &got));
        assert_int_equal(got.source.n, good[i].sources);
        assert_int_equal(got.target.n, good[i].targets);
        const pf_word *first = got.source.n ? &got.source.at[0] : &got.target.at[0];
        assert_int_equal(first->n, strlen(good[i].first));
        assert_memory_equal(first->at, good[i].first, first->n);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "tuple '%s': ", bad[i]);
        CHECK(pf_tuple_parse(bad[i], strlen(bad[i]), &got) == PF_EINPUT, "accepted: %s", bad[i]);
        CHECK(strstr(pf_message(), quoted) == pf_message(), "%s does not begin with %s", pf_message(), quoted);
    }
    pf_tuple_words_free(&got);
}

/* ---- a corpus ---- */

static const char sources[] = "das haus\ndas buch\nein buch\n", targets[] = "the house there\nthe book\na book\n";
static const char links[] = "0-0 1-1\n0-0 1-1\n0-0 1-1\n";

typedef struct {
    unsigned opened;
    uint64_t pairs;
} times;

static void add_text(pf_parallel *pairs, const char *text, size_t *column) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), "text", &reader));
    SUCCEED(pf_parallel_words(pairs, reader, column));
}

static pf_err open_texts(void *self, pf_parallel **pairs, size_t *source, size_t *target) {
    ((times *)self)->opened++;
    SUCCEED(pf_parallel_new(1, pairs));
    add_text(*pairs, sources, source);
    add_text(*pairs, targets, target);
    return PF_OK;
}

static void told(void *self, uint64_t pair) {
    times *t = self;
    assert_int_equal(pair, t->pairs % 3 + 1);
    t->pairs++;
}

static double given(const pf_ibm1 *m, const char *f, const char *e) {
    return pf_ibm1_given(m, &(pf_word){f, strlen(f)}, &(pf_word){e, strlen(e)});
}

static void check_training(void **state PF_UNUSED) {
    times count = {0};
    pf_ibm1_corpus corpus = {open_texts, told, &count};
    pf_ibm1 *once, *twice;
    SUCCEED(pf_ibm1_new(&once));
    SUCCEED(pf_ibm1_new(&twice));
    SUCCEED(pf_ibm1_train(once, &corpus, 4));
    assert_int_equal(count.opened, 4);
    assert_int_equal(count.pairs, 12);
    SUCCEED(pf_ibm1_train(twice, &corpus, 2));
    SUCCEED(pf_ibm1_train(twice, &corpus, 2)); /* goes on where it was */
    assert_true(given(once, "das", "the") == given(twice, "das", "the") && given(once, "das", "the") > given(once, "das", "book"));
    pf_ibm1_free(once);
    pf_ibm1_free(twice);
}

/* The tuples of the corpus as text, a line a pair: by the parts, or by pf_extractor_pair. */
static void extract(pf_extractor *extractor, bool by_parts, pf_writer *writer) {
    pf_align_left_out left_out = {0};
    pf_parallel *pairs;
    size_t source, target, column;
    pf_tuples tuples = {0};
    pf_words reordered = {0};
    pf_reader *reader;
    SUCCEED(open_texts(&(times){0}, &pairs, &source, &target));
    SUCCEED(pf_reader_memory(links, strlen(links), "links", &reader));
    SUCCEED(pf_parallel_alignments(pairs, reader, &(pf_parallel_links){.source = source, .target = target}, &column));
    for (bool more;;) {
        SUCCEED(pf_parallel_next(pairs, &more));
        if (!more) break;
        const pf_tuple_corpus corpus = {pairs, source, target, {column}, {.tuples = writer}};
        if (!by_parts) {
            SUCCEED(pf_extractor_pair(extractor, &corpus, &left_out));
            continue;
        }
        pf_extract_pair pair = {pf_parallel_alignment(pairs, column), NULL, pf_parallel_sentence(pairs, source),
                                pf_parallel_sentence(pairs, target)};
        SUCCEED(pf_tuples_of_pair(extractor, &pair, &tuples));
        SUCCEED(pf_tuples_reorder(&tuples, pair.source, &reordered));
        SUCCEED(pf_tuples_write(writer, &tuples, &reordered, pair.target));
        SUCCEED(pf_writer_put(writer, "\n", 1));
    }
    pf_parallel_free(pairs);
    pf_tuples_free(&tuples);
    PF_VEC_FREE(&reordered);
}

static void check_extraction(void **state PF_UNUSED) {
    static const struct {
        pf_extract_options options;
        const char *text;
        unsigned left_out;
    } cases[] = {
        {{.method = PF_EXTRACT_UNFOLD, .unaligned = PF_UNALIGNED_LEFT},
         "das|the haus|house_there\ndas|the buch|book\nein|a buch|book\n", 0},
        {{.method = PF_EXTRACT_UNFOLD, .unaligned = PF_UNALIGNED_LEFT, .max_words = 1},
         "\ndas|the buch|book\nein|a buch|book\n", 1},
        {{.method = PF_EXTRACT_MONOTONE}, "das|the haus|house_there\ndas|the buch|book\nein|a buch|book\n", 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        pf_extractor *extractor;
        pf_writer *writer;
        SUCCEED(pf_extractor_new(&cases[i].options, &extractor));
        for (unsigned round = 1; round <= 2; round++) {
            size_t n;
            SUCCEED(pf_writer_memory(&writer));
            extract(extractor, round == 1, writer);
            SUCCEED(pf_writer_put(writer, "", 1));
            assert_string_equal((const char *)pf_writer_bytes(writer, &n), cases[i].text);
            assert_int_equal(pf_extractor_counts(extractor)->pairs, 3 * round);
            assert_int_equal(pf_extractor_counts(extractor)->left_out, cases[i].left_out * round);
            pf_writer_free(writer);
        }
        pf_extractor_free(extractor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_round_trip),
        cmocka_unit_test(check_spelling),
        cmocka_unit_test(check_training),
        cmocka_unit_test(check_extraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
