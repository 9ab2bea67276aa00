/* Tuples as text: what is written is read again, and what is no tuple is refused by name. */
#include "check.h"

#include <permfst/tuples/write.h>

#include <stdio.h>
#include <string.h>

enum { RANDOM_TUPLES = 5000, MOST = 3 };

static uint64_t seed = 99;
static unsigned below(unsigned n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

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
    pf_writer *w;
    SUCCEED(pf_writer_memory(&w));
    for (int round = 0; round < RANDOM_TUPLES; round++) {
        char text[2 * MOST][8];
        pf_word word[2 * MOST];
        size_t n = below(MOST + 1), m = below(MOST + 1), length;
        if (!n && !m) continue;
        for (int i = 0; i < 2 * MOST; i++) random_word(text[i], &word[i]);
        pf_writer_clear(w);
        SUCCEED(pf_tuple_write(w, word, n, word + MOST, m));
        const unsigned char *bytes = pf_writer_bytes(w, &length);
        SUCCEED(pf_tuple_parse((const char *)bytes, length, &got));
        same(word, n, &got.source);
        same(word + MOST, m, &got.target);
    }
    pf_writer_free(w);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_round_trip),
        cmocka_unit_test(check_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
