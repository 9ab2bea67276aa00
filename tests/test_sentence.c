/* Sentences as linear automata: words, lines, marks, and the tables that give labels. */
#include "check.h"

#include <permfst/permfst.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of a linear machine, each with its label: "das/1 ist/2". */
static const char *words_of(pf_fst *fst) {
    static char text[400];
    size_t at = 0;
    pf_state state = fst->start;
    text[0] = 0;
    for (; pf_fst_arcs(fst, state).n; state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        CHECK(arcs.n == 1 && arcs.arc->to == state + 1 && arcs.arc->in == arcs.arc->out && arcs.arc->w == 0, "state %u", state);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s/%d", state ? " " : "",
                               pf_symtab_name(fst->osyms, arcs.arc->out, NULL),
                               arcs.arc->out);
    }
    CHECK(pf_fst_states(fst) == state + 1 && pf_fst_final(fst, state) == 0, "%u states", pf_fst_states(fst));
    CHECK(fst->isyms == fst->osyms && pf_symtab_name(fst->osyms, PF_EPSILON, NULL), "no name for epsilon");
    return text;
}

static void expect_words(pf_fst *fst, const char *want) {
    assert_string_equal(words_of(fst), want);
    pf_fst_free(fst);
}

static void test_words(void **state PF_UNUSED) {
    static const char *const words[] = {"das", "haus", "das", "\xc3\xbc"};
    pf_fst *fst;
    SUCCEED(pf_fst_of_words(PF_STANDARD, words, LENGTH(words), &fst));
    expect_words(fst, "das/1 haus/2 das/1 \xc3\xbc/3");
    SUCCEED(pf_fst_of_words(PF_LOG, NULL, 0, &fst));
    assert_int_equal(fst->type, PF_LOG);
    expect_words(fst, "");
    assert_int_equal(pf_fst_of_words(PF_STANDARD, (const char *[]){"das", ""}, 2, &fst), PF_EINPUT);
    assert_null(fst);
}

static void test_line(void **state PF_UNUSED) {
    pf_fst *fst;
    SUCCEED(pf_fst_of_line(PF_STANDARD, " das\thaus  das ", &fst));
    expect_words(fst, "das/1 haus/2 das/1");
    SUCCEED(pf_fst_of_line(PF_STANDARD, " \t", &fst));
    expect_words(fst, "");
}

/* n words of one character. */
static char *long_line(size_t n) {
    char *line = malloc(2 * n + 1);
    CHECK(line, "no memory");
    for (size_t i = 0; i < n; i++) memcpy(line + 2 * i, "a ", 2);
    line[2 * n] = 0;
    return line;
}

static void test_limits(void **state PF_UNUSED) {
    pf_fst *fst;
    char *line = long_line(PF_MAX_WORDS + 1);
    assert_int_equal(pf_fst_of_line(PF_STANDARD, line, &fst), PF_EINPUT);
    assert_string_equal(pf_message(), "expected at most 65535 words, found more");
    line[2 * PF_MAX_WORDS] = 0;
    SUCCEED(pf_fst_of_line(PF_STANDARD, line, &fst));
    assert_int_equal(pf_fst_states(fst), PF_MAX_WORDS + 1);
    pf_fst_free(fst);
    free(line);
    line = malloc(PF_SYMBOL_LIMIT + 2);
    CHECK(line, "no memory");
    memset(line, 'a', PF_SYMBOL_LIMIT + 1);
    line[PF_SYMBOL_LIMIT + 1] = 0;
    assert_int_equal(pf_fst_of_line(PF_STANDARD, line, &fst), PF_EINPUT);
    line[PF_SYMBOL_LIMIT] = 0;
    SUCCEED(pf_fst_of_line(PF_STANDARD, line, &fst));
    pf_fst_free(fst);
    free(line);
}

/* Compiles a line and expects its words and marks, as in "zone:1,2 wall:1". */
static void expect_compiled(const pf_compile_options *options, const char *line, const char *words, const char *marks) {
    pf_compiled compiled;
    char text[400] = "";
    SUCCEED(pf_compile_line(options, line, strlen(line), &compiled));
    assert_string_equal(words_of(compiled.fst), words);
    for (size_t i = 0; i < compiled.mark.n; i++) {
        pf_con *con;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", compiled.mark.at[i].spec);
        SUCCEED(pf_con_new(compiled.mark.at[i].spec, (unsigned)(pf_fst_states(compiled.fst) - 1), &con));
        pf_con_free(con);
    }
    assert_string_equal(text, marks);
    pf_compiled_free(&compiled);
    assert_null(compiled.fst);
}

static void expect_refused(const pf_compile_options *options, const char *line, size_t n, const char *words) {
    pf_compiled compiled;
    assert_int_equal(pf_compile_line(options, line, n, &compiled), PF_EINPUT);
    assert_string_equal(pf_message(), words);
    pf_compiled_free(&compiled);
}

static void test_shared_table(void **state PF_UNUSED) {
    pf_compile_options options = {0};
    pf_compiled compiled;
    expect_compiled(&options, "b a", "b/1 a/2", "");
    expect_compiled(&options, "a", "a/1", "");
    SUCCEED(pf_symtab_new("all", &options.labels.words));
    expect_compiled(&options, "b a", "b/1 a/2", "");
    expect_compiled(&options, "a c", "a/2 c/3", "");
    assert_int_equal(pf_symtab_count(options.labels.words), 3); /* epsilon has a name in the machines' tables only */
    SUCCEED(pf_compile_line(&options, "c", 1, &compiled));
    assert_int_equal(pf_symtab_count(compiled.fst->isyms), 2); /* epsilon, c */
    pf_compiled_free(&compiled);
    SUCCEED(pf_symtab_put_epsilon(options.labels.words));
    options.labels.fixed = true;
    expect_compiled(&options, "c b", "c/3 b/1", "");
    expect_refused(&options, "c d", 3, "the word 'd' is not in all");
    expect_refused(&options, "<eps>", 5, "the word '<eps>' is epsilon (0) in all");
    options.labels.name = "FILE";
    expect_refused(&options, "d", 1, "the word 'd' is not in FILE");
    options.labels.whole = true;
    SUCCEED(pf_compile_line(&options, "c", 1, &compiled));
    assert_ptr_equal(compiled.fst->isyms, options.labels.words);
    pf_compiled_free(&compiled);
    pf_symtab_free(options.labels.words);
}

static void test_marks(void **state PF_UNUSED) {
    pf_compile_options plain = {.at_punctuation = true}, marked = {.markup = true};
    expect_compiled(&plain, "a , b", "a/1 ,/2 b/3", "wall:1 wall:2");
    expect_compiled(&plain, "<zone>", "<zone>/1", "");
    expect_compiled(&marked, "a <zone>b <wall/> c</zone> d", "a/1 b/2 c/3 d/4", "zone:2,3 wall:2,2,3");
    expect_compiled(&marked, "<zone monotone=\"1\">a b</zone><wall/>&lt;", "a/1 b/2 </3", "unit:1,2 wall:2");
    marked.at_punctuation = true;
    expect_compiled(&marked, "a b ;", "a/1 b/2 ;/3", "wall:2");
    expect_refused(&plain, "a\0b", 3, "expected text, found a NUL byte");
    expect_refused(&marked, "a </zone>", 9,
                   "byte 3: expected text, found </zone> after word 1 'a', but none is open");
}

/* Every wall of a long sentence counts, up to the limit of a description. */
static void test_many_marks(void **state PF_UNUSED) {
    pf_compile_options options = {.at_punctuation = true};
    pf_compiled compiled;
    char *line = long_line(PF_SPECS_LIMIT + 2);
    for (size_t i = 0; line[i]; i += 2) line[i] = ',';
    expect_refused(&options, line, strlen(line), "expected at most 8192 walls and zones, found more");
    SUCCEED(pf_compile_line(&options, line, 2 * (PF_SPECS_LIMIT + 1), &compiled));
    assert_int_equal(compiled.mark.n, PF_SPECS_LIMIT);
    pf_compiled_free(&compiled);
    free(line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),        cmocka_unit_test(test_line),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_shared_table), cmocka_unit_test(test_marks), cmocka_unit_test(test_many_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
