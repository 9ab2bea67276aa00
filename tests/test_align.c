/* Alignments, their evaluation and formats against plain definitions, and files that do not belong together. */
#include "check.h"
#include "draw.h"

#include <permfst/align/convert.h>
#include <permfst/align/format.h>
#include <permfst/align/evaluate.h>
#include <permfst/align/parallel.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 7 };

static uint64_t seed = 20031;
static unsigned below(unsigned n) { return draw(&seed, n); }

/* ---- alignments ---- */

static void links_are_sorted_and_unique(void **state) {
    pf_alignment alignment = {0}, b = {0};
    (void)state;
    for (int i = 0; i < 400; i++) {
        unsigned n = below(300), seen = 0, side = 1 + below(40);
        bool has[40][40] = {{false}};
        pf_alignment_reset(&alignment);
        for (unsigned k = 0; k < n; k++) {
            pf_link l = {below(side), below(side), below(2), NAN};
            has[l.source][l.target] = true;
            SUCCEED(pf_alignment_add(&alignment, l));
        }
        pf_alignment_sort(&alignment);
        for (uint32_t source = 0; source < 40; source++)
            for (uint32_t target = 0; target < 40; target++) {
                assert_true((pf_alignment_find(&alignment, source, target) != NULL) == has[source][target]);
                seen += has[source][target];
            }
        assert_int_equal(alignment.link.n, seen);
        assert_int_equal(alignment.repeated, n - seen);
        SUCCEED(pf_alignment_copy(&alignment, &b));
        pf_alignment_invert(&b);
        assert_int_equal(b.link.n, seen);
        for (size_t k = 0; k < seen; k++) assert_true(has[b.link.at[k].target][b.link.at[k].source]);
        assert_int_equal(pf_alignment_sources(&b), pf_alignment_targets(&alignment));
        pf_alignment_invert(&b);
        for (size_t k = 0; k < seen; k++) assert_int_equal(b.link.at[k].possible, alignment.link.at[k].possible);
    }
    pf_alignment_free(&alignment);
    pf_alignment_free(&b);
}

static void read_line(const char *line, pf_alignment *alignment) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(line, strlen(line), "line", &reader));
    SUCCEED(pf_align_line(reader, line, strlen(line), PF_ALIGN_PHARAOH, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, alignment));
    pf_reader_free(reader);
}

static void a_long_line_leaves_its_room(void **state) {
    pf_alignment alignment = {0};
    (void)state;
    read_line("0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8", &alignment);
    pf_link *at = alignment.link.at;
    size_t cap = alignment.link.cap;
    for (int i = 0; i < 10; i++) read_line("3-1 0-0 0-0", &alignment);
    assert_ptr_equal(alignment.link.at, at);
    assert_int_equal(alignment.link.cap, cap);
    pf_alignment_free(&alignment);
}

static void positions_have_a_limit(void **state) {
    pf_alignment alignment = {0};
    (void)state;
    pf_alignment_reset(&alignment);
    assert_int_equal(pf_alignment_add(&alignment, (pf_link){65535, 0, false, NAN}), PF_ELIMIT);
    assert_int_equal(pf_alignment_add(&alignment, (pf_link){0, UINT32_MAX, false, NAN}), PF_ELIMIT);
    SUCCEED(pf_alignment_add(&alignment, (pf_link){65534, 65534, false, NAN}));
    pf_alignment_free(&alignment);
}

/* ---- scores ---- */

static void scores_follow_the_definitions(void **state) {
    pf_alignment alignment = {0}, gold_links = {0};
    pf_align_counts c = {0}, none = {0};
    uint64_t links = 0, sure = 0, all = 0, in_sure = 0, in_all = 0;
    (void)state;
    for (int i = 0; i < 300; i++) {
        char given[SIDE][SIDE] = {{0}}, gold[SIDE][SIDE] = {{0}}; /* gold: 1 sure, 2 possible */
        pf_alignment_reset(&alignment);
        pf_alignment_reset(&gold_links);
        for (uint32_t source = 0; source < SIDE; source++)
            for (uint32_t target = 0; target < SIDE; target++) {
                given[source][target] = below(3) == 0;
                gold[source][target] = (char)(below(3) ? 0 : 1 + below(2));
                if (given[source][target]) SUCCEED(pf_alignment_add(&alignment, (pf_link){source, target, below(2), NAN}));
                if (gold[source][target])
                    SUCCEED(pf_alignment_add(&gold_links, (pf_link){source, target, gold[source][target] == 2, NAN}));
                links += given[source][target] != 0;
                sure += gold[source][target] == 1;
                all += gold[source][target] != 0;
                in_sure += given[source][target] && gold[source][target] == 1;
                in_all += given[source][target] && gold[source][target];
            }
        pf_align_evaluate(&alignment, &gold_links, &c);
    }
    assert_int_equal(c.pairs, 300);
    assert_true(c.links == links && c.sure == sure && c.possible == all && c.in_sure == in_sure && c.in_possible == in_all);
    double precision = (double)in_all / (double)links, recall = (double)in_sure / (double)sure;
    assert_true(pf_align_precision(&c) == precision && pf_align_recall(&c) == recall);
    assert_true(fabs(pf_align_aer(&c) - (1 - (double)(in_sure + in_all) / (double)(links + sure))) < 1e-12);
    assert_true(fabs(pf_align_f(&c, 0.5) - 2 * precision * recall / (precision + recall)) < 1e-12);
    assert_true(fabs(pf_align_f(&c, 1) - precision) < 1e-12 && fabs(pf_align_f(&c, 0) - recall) < 1e-12);
    assert_true(pf_align_precision(&none) == 1 && pf_align_recall(&none) == 1 && pf_align_aer(&none) == 0);
    pf_alignment_free(&alignment);
    pf_alignment_free(&gold_links);
}

/* ---- formats ---- */

enum { WORDS = 5, PAIRS = 30 };

static void random_alignment(pf_alignment *alignment, bool marks) {
    pf_alignment_reset(alignment);
    alignment->n_source = alignment->n_target = WORDS;
    for (uint32_t source = 0; source < WORDS; source++)
        for (uint32_t target = 0; target < WORDS; target++)
            if (!below(4)) {
                bool possible = marks && below(2);
                double p = marks && below(2) ? (double)below(1000003) / 1000003 : NAN;
                SUCCEED(pf_alignment_add(alignment, (pf_link){source, target, possible, p}));
            }
    /* in naacl, the last pair has to have one */
    if (!alignment->link.n) SUCCEED(pf_alignment_add(alignment, (pf_link){0, 1, false, NAN}));
}

static void same_links(const pf_alignment *alignment, const pf_alignment *b) {
    assert_int_equal(alignment->link.n, b->link.n);
    for (size_t i = 0; i < alignment->link.n; i++) {
        const pf_link *x = &alignment->link.at[i], *y = &b->link.at[i];
        assert_true(x->source == y->source && x->target == y->target && x->possible == y->possible);
        assert_true(x->posterior == y->posterior || (isnan(x->posterior) && isnan(y->posterior)));
    }
}

/* Words that look like the marks around them. */
static pf_word odd_words[WORDS] = {{"({", 2}, {"})", 2}, {"NULL", 4}, {"7", 1}, {"#", 1}};

static void check_format(pf_align_format format) {
    static pf_alignment pairs[PAIRS];
    pf_alignment back = {0};
    pf_words words = {odd_words, WORDS, WORDS};
    pf_writer *writer;
    pf_reader *reader;
    pf_align_reader *in;
    size_t n;
    bool more;
    SUCCEED(pf_writer_memory(&writer));
    for (unsigned i = 0; i < PAIRS; i++) {
        random_alignment(&pairs[i], pf_align_form_at(format)->marks);
        if (i == 7) pairs[i].link.n = 0;
        pairs[i].score = 0.3;
        SUCCEED(pf_align_write(writer, format, &pairs[i], &(pf_align_pair){i + 3, &words, &words}));
    }
    const unsigned char *bytes = pf_writer_bytes(writer, &n);
    SUCCEED(pf_reader_memory(bytes, n, "pairs", &reader));
    SUCCEED(pf_align_reader_new(reader, PF_ALIGN_AUTO, 3, &in));
    for (unsigned i = 0; i < PAIRS; i++) {
        SUCCEED(pf_align_next(in, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, &back, &more));
        assert_true(more);
        same_links(&pairs[i], &back);
        if (format != PF_ALIGN_A3) continue;
        assert_true(back.score == 0.3);
        assert_int_equal(pf_align_source_words(in)->n, WORDS);
        assert_memory_equal(pf_align_source_words(in)->at[2].at, "NULL", 4);
    }
    SUCCEED(pf_align_next(in, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, &back, &more));
    assert_false(more);
    pf_align_reader_free(in);
    pf_reader_free(reader);
    pf_writer_free(writer);
    for (unsigned i = 0; i < PAIRS; i++) pf_alignment_free(&pairs[i]), pairs[i] = (pf_alignment){0};
    pf_alignment_free(&back);
}

static void what_is_written_is_read_again(void **state) {
    (void)state;
    for (size_t f = 0; pf_align_form_at(f); f++)
        if (pf_align_form_at(f)->reads && pf_align_form_at(f)->writes) check_format((pf_align_format)f);
}

/* ---- columns ---- */

typedef struct {
    const char *text;
    int kind; /* 0 words, 1 words as many as in column 1, 2 links from 1 to 2, 3 the same inverted */
} source;

/* Reads all rows; the last error, and how many rows came before. */
static pf_err rows(const source *from, size_t n, unsigned *count, pf_align_format format) {
    pf_parallel *p;
    bool more = true;
    pf_err err = PF_OK;
    SUCCEED(pf_parallel_new(1, &p));
    for (size_t i = 0; i < n; i++) {
        char name[2] = {(char)('a' + i), 0};
        pf_reader *reader;
        size_t column;
        SUCCEED(pf_reader_memory(from[i].text, strlen(from[i].text), name, &reader));
        if (from[i].kind < 2) SUCCEED(pf_parallel_words(p, reader, &column));
        else SUCCEED(pf_parallel_alignments(p, reader, &(pf_parallel_links){format, from[i].kind == 3, 1, 2}, &column));
        if (from[i].kind == 1) SUCCEED(pf_parallel_match(p, column, 1));
        assert_int_equal(column, i + 1);
    }
    for (*count = 0; !err && more; *count += !err && more) err = pf_parallel_next(p, &more);
    if (!err) assert_int_equal(pf_parallel_number(p), *count);
    pf_parallel_free(p);
    return err;
}

static void columns_must_go_together(void **state) {
    static const struct {
        source s[4];
        pf_align_format format;
        unsigned rows;
        const char *words; /* NULL: no error */
    } cases[] = {
        {{{"x y\nz\n", 0}, {"u\n\n", 0}, {"0-0 1-0\n\n", 2}}, PF_ALIGN_PHARAOH, 2, NULL},
        {{{"x y\nz\n", 0}, {"u\n\n", 0}, {"0-0 1-0\n", 2}}, PF_ALIGN_PHARAOH, 1, "c: expected line 2, which a has"},
        {{{"x y\n", 0}, {"u\n", 0}, {"0-0\n\n", 2}}, PF_ALIGN_PHARAOH, 1, "a: expected line 2, which c has"},
        {{{"x y\nz\n", 0}, {"u\n\n", 0}, {"0-0\n0-0\n", 2}}, PF_ALIGN_PHARAOH, 1,
         "c:2: link 0-0 is past the end: the target has no words"},
        {{{"x y\n", 0}, {"u\n", 0}, {"2-0\n", 2}}, PF_ALIGN_PHARAOH, 0,
         "c:1: link 2-0 is past the end: the source has 2 words, 0 to 1"},
        {{{"x y\n", 0}, {"u\n", 0}, {"0-1\n", 3}}, PF_ALIGN_PHARAOH, 1, NULL},
        {{{"x y\n", 0}, {"u\n", 0}, {"1-0\n", 3}}, PF_ALIGN_PHARAOH, 0, "c:1: link 1-0"},
        {{{"x y\n", 0}, {"u\n", 0}, {"3-1 ||| 1-0\n", 2}}, PF_ALIGN_PHARAOH, 0,
         "c:1: expected a source of 2 words, as the text has, found 3"},
        {{{"x y\nz\n", 0}, {"V N\nN N\n", 1}}, PF_ALIGN_PHARAOH, 1,
         "b:2: expected 1 words, the number in line 2 of a, found 2"},
        {{{"x\ny\nz\n", 0}, {"u\nv\nw\n", 0}, {"2 1 1\n", 2}}, PF_ALIGN_NAACL, 3, NULL},
        {{{"x\n", 0}, {"u\n", 0}, {"2 1 1\n", 2}}, PF_ALIGN_NAACL, 1, "a: expected line 2, which c has"},
        {{{"x\ny\n", 0}, {"u\nv\n", 0}, {"2 1 2\n", 2}}, PF_ALIGN_NAACL, 1,
         "c:1: link 1-2 is past the end: the target has one word, 1"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        unsigned count, n = 0;
        while (n < 4 && cases[i].s[n].text) n++;
        pf_err err = rows(cases[i].s, n, &count, cases[i].format);
        CHECK(err == (cases[i].words ? PF_EINPUT : PF_OK), "case %zu: %s", i, pf_message());
        CHECK(count == cases[i].rows, "case %zu: %u rows", i, count);
        CHECK(!cases[i].words || strstr(pf_message(), cases[i].words), "case %zu: %s", i, pf_message());
    }
}

/* ---- a corpus ---- */

static size_t column_of(pf_parallel *p, const char *text, const char *name) {
    pf_reader *reader;
    size_t column;
    SUCCEED(pf_reader_memory(text, strlen(text), name, &reader));
    SUCCEED(pf_parallel_alignments(p, reader, &(pf_parallel_links){.format = PF_ALIGN_PHARAOH}, &column));
    return column;
}

static const pf_sym_method *method_named(const char *name) {
    size_t i = 0;
    while (strcmp(pf_sym_name(pf_sym_at(i)), name) != 0) i++;
    return pf_sym_at(i);
}

/* What comes of the files, and of how much was left out. */
static void expect_converted(pf_align_conversion how, const char *const file[3], const char *want, uint64_t repeated) {
    pf_align_converter *converter;
    size_t n;
    SUCCEED(pf_parallel_new(1, &how.pairs));
    SUCCEED(pf_writer_memory(&how.writer));
    for (int i = 0; i < 2; i++)
        if (file[i]) how.operand[i] = column_of(how.pairs, file[i], "links");
    if (file[2]) how.gold = column_of(how.pairs, file[2], "gold");
    SUCCEED(pf_align_converter_new(&how, &converter));
    for (bool more = true;;) {
        SUCCEED(pf_parallel_next(how.pairs, &more));
        if (!more) break;
        SUCCEED(pf_align_converter_pair(converter));
    }
    SUCCEED(pf_align_converter_end(converter));
    assert_int_equal(pf_align_converter_left_out(converter)->repeated, repeated);
    const char *at = (const char *)pf_writer_bytes(how.writer, &n);
    CHECK(n >= strlen(want) && memcmp(at, want, strlen(want)) == 0 && (how.gold || n == strlen(want)), "expected %s, found %.*s",
          want, (int)n, at);
    pf_align_converter_free(converter);
    pf_writer_free(how.writer);
    pf_parallel_free(how.pairs);
}

static void a_corpus_is_converted(void **state) {
    static const char first[] = "0-1 1-2 2-0\n0-0 0-0\n", second[] = "0-1 1-1\n\n", gold[] = "0-1 1-2\n0-0\n";
    (void)state;
    expect_converted((pf_align_conversion){.to = PF_ALIGN_PHARAOH}, (const char *const[3]){first}, "0-1 1-2 2-0\n0-0\n", 1);
    expect_converted((pf_align_conversion){.to = PF_ALIGN_PHARAOH, .invert = true}, (const char *const[3]){first},
                     "0-2 1-0 2-1\n0-0\n", 1);
    expect_converted((pf_align_conversion){.to = PF_ALIGN_PHARAOH, .method = method_named("union")},
                     (const char *const[3]){first, second},
                     "0-1 1-1 1-2 2-0\n0-0\n", 1);
    expect_converted((pf_align_conversion){.to = PF_ALIGN_PHARAOH, .method = method_named("intersect"), .invert = true},
                     (const char *const[3]){first, second}, "1-0\n\n", 1);
    expect_converted((pf_align_conversion){.per_line = true, .alpha = 0.5}, (const char *const[3]){first, NULL, gold}, "1\t", 1);
    expect_converted((pf_align_conversion){.alpha = 0.5}, (const char *const[3]){first, NULL, gold}, "pairs\t2\nlinks\t4\n", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_sorted_and_unique),
        cmocka_unit_test(a_long_line_leaves_its_room),
        cmocka_unit_test(positions_have_a_limit),
        cmocka_unit_test(scores_follow_the_definitions),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(columns_must_go_together),
        cmocka_unit_test(a_corpus_is_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
