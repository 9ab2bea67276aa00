/* Reordering rules against their definitions: minimal reorderings, learning in memory and by sorting, files. */
#include "check.h"
#include "rule_scan.h"

#include <permfst/machine/build.h>
#include <permfst/rules/annotated.h>
#include <permfst/rules/map.h>
#include <permfst/rules/ruled.h>
#include <permfst/rules/rules.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void minimal_reorderings_are_those_of_the_definition(void **state) {
    static const unsigned eq2[] = {1, 1, 3, 13, 71, 461, 3447};
    (void)state;
    for (unsigned n = 1; n <= 7; n++) {
        unsigned perm[7], whole = n == 1;
        identity(perm, n);
        do {
            unsigned from = 0, found = 0, expected = 0;
            pf_reordering reordering;
            while (pf_reordering_next(perm, n, &from, &reordering)) {
                assert_true(minimal(perm, reordering.first, reordering.first + reordering.n - 1));
                assert_int_equal(from, reordering.first + reordering.n);
                found++;
            }
            for (unsigned i = 0; i < n; i++)
                for (unsigned j = i + 1; j < n; j++) expected += minimal(perm, i, j);
            assert_int_equal(found, expected);
            whole += n > 1 && minimal(perm, 0, n - 1);
        } while (next_permutation(perm, n));
        assert_int_equal(whole, eq2[n - 1]);
    }
}

/* ---- rules ---- */

static void learn(const pf_rule_options *options, pf_rules **out) {
    SUCCEED(pf_rules_new(options, out));
    for (int number = 0; number < SENTENCES; number++) SUCCEED(pf_rules_learn(*out, &corpus[number].tags, corpus[number].perm));
    for (int number = 0; number < SENTENCES; number++) SUCCEED(pf_rules_count(*out, &corpus[number].tags));
    SUCCEED(pf_rules_finish(*out));
}

static char expected_file[FILE_BYTES], reduced_file[FILE_BYTES];

static void written(pf_writer *writer, const char *expected) {
    size_t n;
    const unsigned char *bytes = pf_writer_bytes(writer, &n);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(bytes, expected, n);
}

static void rules_are_those_of_a_scan(void **state) {
    pf_rules *rules, *again;
    pf_writer *writer;
    pf_reader *in;
    (void)state;
    for (int i = 0; i < 30; i++) {
        pf_rule_options options = {.max_length = 2 + below(5), .max_cost = 0.5 * below(5)};
        make_corpus();
        scan(options.max_length, options.max_cost, expected_file);
        learn(&options, &rules);
        SUCCEED(pf_writer_memory(&writer));
        SUCCEED(pf_rules_write(rules, writer));
        written(writer, expected_file);
        pf_writer_clear(writer);
        SUCCEED(pf_reader_memory(expected_file, strlen(expected_file), "rules", &in));
        SUCCEED(pf_rules_read(in, NULL, &again));
        assert_int_equal(pf_rules_size(again), pf_rules_size(rules));
        SUCCEED(pf_rules_write(again, writer));
        written(writer, expected_file);
        pf_reader_free(in);
        pf_writer_free(writer);
        pf_rules_free(rules);
        pf_rules_free(again);
    }
}

/* ---- by sorting ---- */

static line lines[LINES];
static int by_bytes(const void *a, const void *b) { return strcmp(a, b); }

/* Sorts the lines of several writers into `lines`; returns their text. */
static size_t sort_lines(pf_writer *const *w, size_t n, char *out) {
    size_t count = 0, length;
    for (size_t i = 0; i < n; i++) {
        const char *at = (const char *)pf_writer_bytes(w[i], &length), *end = at + length;
        for (; at < end; at += strlen(lines[count++]) + 1) snprintf(lines[count], TEXT, "%.*s", (int)strcspn(at, "\n"), at);
    }
    qsort(lines, count, sizeof *lines, by_bytes);
    char *begin = out;
    for (size_t i = 0; i < count; i++) out += sprintf(out, "%s\n", lines[i]);
    return (size_t)(out - begin);
}

static void map_part(pf_writer *writer, const pf_rule_options *options, bool totals, size_t bytes, int begin, int end) {
    pf_rule_map *map;
    SUCCEED(pf_rule_map_new(writer, options, totals, bytes, &map));
    for (int number = begin; number < end; number++) SUCCEED(pf_rule_map_pair(map, &corpus[number].tags, corpus[number].perm));
    SUCCEED(pf_rule_map_end(map));
    pf_rule_map_free(map);
}

static void map_totals(pf_writer *const *first, const pf_rule_options *options, pf_writer *out) {
    pf_rules *rules;
    pf_reader *in;
    size_t n;
    SUCCEED(pf_rules_new(options, &rules));
    for (int i = 0; i < 2; i++) {
        const unsigned char *bytes = pf_writer_bytes(first[i], &n);
        SUCCEED(pf_reader_memory(bytes, n, "first pass", &in));
        SUCCEED(pf_rule_map_list(in, rules));
        pf_reader_free(in);
    }
    for (int number = 0; number < SENTENCES; number++) SUCCEED(pf_rules_count(rules, &corpus[number].tags));
    SUCCEED(pf_rule_map_totals(rules, out));
    pf_rules_free(rules);
}

static void sorted_lines_reduce_to_the_same_rules(void **state) {
    pf_writer *writer[3], *rules;
    pf_rules_left_out left_out;
    pf_reader *in;
    (void)state;
    for (int i = 0; i < 30; i++) {
        pf_rule_options options = {.max_length = 2 + below(4), .max_cost = 0.5 * below(5)};
        bool two_passes = i % 2;
        make_corpus();
        scan(options.max_length, options.max_cost, expected_file);
        for (int k = 0; k < 3; k++) SUCCEED(pf_writer_memory(&writer[k]));
        map_part(writer[0], &options, !two_passes, below(2) ? 100 : 0, 0, SENTENCES / 3);
        map_part(writer[1], &options, !two_passes, below(2) ? 100 : 0, SENTENCES / 3, SENTENCES);
        if (two_passes) map_totals(writer, &options, writer[2]);
        size_t n = sort_lines(writer, 3, reduced_file);
        SUCCEED(pf_writer_memory(&rules));
        SUCCEED(pf_reader_memory(reduced_file, n, "sorted", &in));
        SUCCEED(pf_rule_reduce(in, options.max_cost, rules, &left_out));
        written(rules, expected_file);
        pf_reader_free(in);
        pf_writer_free(rules);
        for (int k = 0; k < 3; k++) pf_writer_free(writer[k]);
    }
}

/* ---- words of the lexicon ---- */

static void the_most_frequent_words_have_tags(void **state) {
    pf_lexicon *lexicon;
    pf_lexical_tags found = {0};
    pf_word text[] = {{"b", 1}, {"a", 1}, {"c", 1}, {"b", 1}, {"c", 1}, {"a", 1}, {"b", 1}};
    pf_word tag[] = {{"X", 1}, {"Y", 1}, {"X", 1}};
    pf_words words = {text, 7, 7}, tags = {tag, 3, 3};
    (void)state;
    SUCCEED(pf_lexicon_new(&lexicon));
    SUCCEED(pf_lexicon_count(lexicon, &words));
    SUCCEED(pf_lexicon_keep(lexicon, 2)); /* b three times, a before c */
    assert_int_equal(pf_lexicon_size(lexicon), 2);
    assert_true(*pf_lexicon_at(lexicon, 0).at == 'a' && *pf_lexicon_at(lexicon, 1).at == 'b');
    words.n = 3;
    SUCCEED(pf_lexicon_tags(lexicon, &tags, &words, &found));
    assert_int_equal(found.tags.n, 3);
    assert_true(found.tags.at[0].n == 3 && memcmp(found.tags.at[0].at, "X|b", 3) == 0);
    assert_true(found.tags.at[1].n == 3 && memcmp(found.tags.at[1].at, "Y|a", 3) == 0);
    assert_true(found.tags.at[2].n == 1 && *found.tags.at[2].at == 'X');
    pf_lexical_tags_free(&found);
    pf_lexicon_free(lexicon);
}

/* ---- sentences with lines beside them ---- */

static pf_reader *reader_of(const char *text, const char *name) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), name, &reader));
    return reader;
}

static pf_fst *linear(unsigned n) {
    pf_build build = {0};
    pf_fst *fst;
    for (pf_label i = 0; i < (pf_label)n; i++) SUCCEED(pf_build_arc(&build, (pf_state)i, i + 1, i + 1, 0, (pf_state)i + 1));
    SUCCEED(pf_build_final(&build, n, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    return fst;
}

/* A bad line costs its own sentence only, whichever file it is in. */
static void lines_stay_with_their_sentences(void **state) {
    pf_reader *perms[] = {reader_of("2 1\n1 1\n1 2 3\n1\n", "first"), reader_of("1 2\n2 1\n3 2 1\n2 1\n", "second")};
    const pf_annotation_files files = {reader_of("A B\nC D\nE F G\nH I\n", "tags"), perms, 2};
    pf_annotated *annotated;
    pf_fst *words[2] = {linear(2), linear(3)};
    (void)state;
    SUCCEED(pf_annotated_read(&files, &annotated));
    SUCCEED(pf_annotated_take(annotated, &files, words[0]));
    assert_int_equal(annotated->tags.n, 2);
    assert_memory_equal(annotated->tags.at[1].at, "B", 1);
    assert_true(annotated->perm[0].at.at[0] == 1 && annotated->perm[1].at.at[0] == 0);
    pf_rule_sentence one = pf_annotated_sentence(annotated, 1);
    assert_true(one.input->n == 2 && one.n_added == 1 && one.tags->n == 2);
    pf_annotated_free(annotated);
    assert_int_equal(pf_annotated_read(&files, &annotated), PF_EINPUT);
    assert_true(!annotated && strncmp(pf_message(), "first:2: ", 9) == 0);
    SUCCEED(pf_annotated_read(&files, &annotated)); /* the next one has its own lines */
    assert_true(annotated->perm[1].at.at[0] == 2);
    SUCCEED(pf_annotated_take(annotated, &files, words[1]));
    pf_annotated_free(annotated);
    assert_int_equal(pf_annotation_end(&files, "records", 1), PF_EINPUT);
    assert_string_equal(pf_message(), "records: expected record 4, since tags has line 4, found the end of the records");
    pf_reader_free(files.tags);
    for (int i = 0; i < 2; i++) pf_reader_free(perms[i]);
    /* Another number of words, and a file that is too short. */
    const pf_annotation_files only_tags = {.tags = reader_of("A B\n", "tags")};
    SUCCEED(pf_annotated_read(&only_tags, &annotated));
    assert_int_equal(pf_annotated_take(annotated, &only_tags, words[1]), PF_EINPUT);
    assert_string_equal(pf_message(), "tags:1: expected 3 tags, the number of words of the record, found 2");
    pf_annotated_free(annotated);
    SUCCEED(pf_annotation_end(&only_tags, "records", 1));
    assert_int_equal(pf_annotated_read(&only_tags, &annotated), PF_EINPUT);
    assert_string_equal(pf_message(), "tags: expected line 2, for this record, found the end of the file");
    pf_reader_free(only_tags.tags);
    for (int i = 0; i < 2; i++) pf_fst_free(words[i]);
}

static pf_source *linear_records(pf_writer *bytes) {
    pf_stream_writer *stream;
    pf_reader *reader;
    pf_source *source;
    size_t n;
    SUCCEED(pf_stream_writer_new(bytes, PF_AS_RECORDS, &stream));
    for (unsigned length = 2; length <= 3; length++) {
        pf_expr *expr;
        SUCCEED(pf_expr_of_fst(linear(length), &expr));
        SUCCEED(pf_stream_put(stream, expr, length - 1));
        pf_expr_free(expr);
    }
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    const unsigned char *at = pf_writer_bytes(bytes, &n);
    SUCCEED(pf_reader_memory((const char *)at, n, "records", &reader));
    SUCCEED(pf_source_new(reader, &(pf_source_options){.first = 1}, &source));
    return source;
}

/* Only what is added is in a lattice; the reference of the second sentence is not. */
static void sentences_of_a_stream_are_counted(void **state) {
    (void)state;
    for (size_t threads = 1; threads <= 2; threads++) {
        pf_reader *perms[] = {reader_of("2 1\n1 2 3\n", "added"), reader_of("2 1\n3 2 1\n4\n", "wanted")};
        pf_writer *figures, *bytes;
        pf_records *records;
        size_t n;
        SUCCEED(pf_writer_memory(&figures));
        SUCCEED(pf_writer_memory(&bytes));
        pf_source *source = linear_records(bytes);
        pf_ruling ruling = {.files = {NULL, perms, 2}, .name = "records", .first = 1, .reference = true, .lines = figures};
        pf_rule_totals_init(&ruling.totals);
        SUCCEED(pf_records_new(&pf_ruled_figures, &ruling, &(pf_record_options){.threads = threads}, &records));
        SUCCEED(pf_records_end(records, pf_records_read(records, source), NULL));
        assert_int_equal(ruling.totals.sentences, 2);
        assert_int_equal(ruling.totals.words, 5);
        assert_int_equal(ruling.totals.covered, 1);
        const unsigned char *said = pf_writer_bytes(figures, &n);
        static const char want[] = "1\t2\t0\t3\t2\t1\tcovered\n2\t3\t0\t4\t3\t1\tmissed\n";
        CHECK(n == sizeof want - 1 && memcmp(said, want, n) == 0, "%.*s", (int)n, (const char *)said);
        assert_int_equal(pf_ruled_end(&ruling), PF_EINPUT); /* a third line is wanted */
        pf_rule_totals_free(&ruling.totals);
        for (int i = 0; i < 2; i++) pf_reader_free(perms[i]);
        pf_source_free(source);
        pf_writer_free(figures);
        pf_writer_free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimal_reorderings_are_those_of_the_definition),
        cmocka_unit_test(rules_are_those_of_a_scan),
        cmocka_unit_test(sorted_lines_reduce_to_the_same_rules),
        cmocka_unit_test(the_most_frequent_words_have_tags),
        cmocka_unit_test(lines_stay_with_their_sentences),
        cmocka_unit_test(sentences_of_a_stream_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
