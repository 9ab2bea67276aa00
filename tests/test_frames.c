/* Damage: what was lost is told exactly, and no more is lost than what was damaged; in whole programs no changed bit and no cut
 * passes unnoticed. */
#include "check.h"
#include "steps.h"

#include "base/crc_impl.h"

#include <permfst/base/vec.h>
#include <permfst/io/sentence.h>
#include <permfst/io/stream.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checksums ---- */

/* The definition: bit by bit. */
static uint32_t crc_of_bits(const unsigned char *at, size_t n) {
    uint32_t rest = UINT32_MAX;
    for (size_t i = 0; i < 8 * n; i++) {
        rest ^= (uint32_t)(at[i / 8] >> i % 8 & 1);
        rest = rest >> 1 ^ (rest & 1 ? 0x82f63b78u : 0);
    }
    return ~rest;
}

static void a_checksum_is_what_is_defined(void **state PF_UNUSED) {
    unsigned char bytes[100];
    assert_int_equal(pf_crc32c(0, "123456789", 9), 0xe3069283u); /* RFC 3720 and all catalogues of checksums */
    assert_int_equal(pf_crc32c(0, "", 0), 0);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i * 37 + 11);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; from + n <= sizeof bytes; n++) {
            uint32_t whole = crc_of_bits(bytes + from, n);
            assert_int_equal(pf_crc32c(0, bytes + from, n), whole);
            assert_int_equal(pfi_crc32c_plain(0, bytes + from, n), whole);
            assert_int_equal(pf_crc32c(pf_crc32c(0, bytes + from, n / 3), bytes + from + n / 3, n - n / 3), whole);
        }
}

/* Of what is read, however it is read. */
static void a_sum_is_of_what_was_handed_out(void **state PF_UNUSED) {
    enum { SIZE = 300000 };
    unsigned char *bytes = malloc(SIZE), some[70000];
    pf_reader *reader;
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(i * i >> 5);
    for (size_t piece = 1; piece <= sizeof some; piece = piece * 7 + 3) {
        size_t got = 1, at = 1000;
        SUCCEED(pf_reader_memory(bytes, SIZE, "memory", &reader));
        SUCCEED(pf_reader_skip(reader, at));
        pf_reader_sum_begin(reader);
        while (got) {
            SUCCEED(pf_reader_some(reader, some, piece, &got));
            at += got;
        }
        assert_int_equal(at, SIZE);
        assert_int_equal(pf_reader_sum(reader), pf_crc32c(0, bytes + 1000, SIZE - 1000));
        pf_reader_free(reader);
    }
    /* and what is kept can be read again */
    SUCCEED(pf_reader_memory(bytes, SIZE, "memory", &reader));
    SUCCEED(pf_reader_skip(reader, 100000));
    pf_reader_keep(reader, true);
    SUCCEED(pf_reader_skip(reader, 150000));
    pf_reader_back(reader, 100001);
    SUCCEED(pf_reader_get(reader, some, sizeof some, "bytes"));
    assert_memory_equal(some, bytes + 100001, sizeof some);
    pf_reader_free(reader);
    free(bytes);
}

/* ---- going on after damage ---- */

enum { RECORDS = 7 };

typedef struct {
    unsigned char *at;
    size_t n, end[RECORDS];
} stream;

static pf_expr *sentence(const char *words) {
    pf_fst *fst;
    pf_expr *expr;
    SUCCEED(pf_fst_of_line(PF_STANDARD, words, &fst));
    SUCCEED(pf_expr_of_fst(fst, &expr));
    return expr;
}

static pf_expr *permuted(const char *words) {
    static const char *const con[] = {"ibm:2"};
    pf_expr *expr, *input = sentence(words);
    SUCCEED(pf_expr_permute(input, &(pf_perm_spec){.con = con, .n_con = 1}, &expr));
    pf_expr_free(input);
    return expr;
}

/* Records that have seals and records that have frames, side by side in each order. */
static stream make_stream(void) {
    stream out = {0};
    pf_writer *writer;
    pf_stream_writer *sink;
    pf_expr *expr[RECORDS] = {sentence("a b c"),    sentence("b"),     permuted("a b c d"), permuted("b a"),
                           sentence("c c c c b"), permuted("a c b"), sentence("d a")};
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &sink));
    for (size_t i = 0; i < RECORDS; i++) {
        SUCCEED(pf_stream_put(sink, expr[i], i + 1));
        (void)pf_writer_bytes(writer, &out.end[i]);
        pf_expr_free(expr[i]);
    }
    SUCCEED(pf_stream_end(sink));
    const unsigned char *at = pf_writer_bytes(writer, &out.n);
    out.at = malloc(out.n);
    assert_non_null(out.at);
    memcpy(out.at, at, out.n);
    pf_stream_writer_free(sink);
    pf_writer_free(writer);
    return out;
}

typedef struct {
    uint64_t records, lost, errors, from, to;
    bool given[RECORDS + 1], resumed; /* one more: an automaton whose seal was not announced is given, and its seal is lost */
} outcome;

static outcome read_on(const void *at, size_t n) {
    outcome seen = {.resumed = true};
    pf_reader *reader;
    pf_stream_reader *damaged;
    SUCCEED(pf_reader_memory(at, n, "memory", &reader));
    SUCCEED(pf_stream_reader_new(reader, 1, &damaged));
    pf_stream_reader_resumes(damaged);
    for (bool ended = false; !ended;) {
        pf_expr *expr = NULL;
        pf_stream_loss loss;
        if (!pf_stream_next(damaged, &expr)) {
            ended = !expr;
            if (expr) seen.given[pf_stream_record(damaged) - 1] = true;
            seen.records += expr != NULL;
            pf_expr_free(expr);
            continue;
        }
        if (pf_stream_resume(damaged, &loss) || !loss.resumed) seen.resumed = false;
        ended = !seen.resumed;
        seen.lost += loss.records;
        seen.from = loss.from;
        seen.to = loss.to;
        CHECK(++seen.errors < 100, "no end");
    }
    pf_stream_reader_free(damaged);
    pf_reader_free(reader);
    return seen;
}

/* Wherever a bit changes: the record that has it is lost, and no other one. */
static void only_the_damaged_record_is_lost(void **state PF_UNUSED) {
    stream in = make_stream();
    for (size_t bit = 0; bit < 8 * in.n; bit += getenv("PERMFST_QUICK") ? 7 : 1) {
        size_t k = 0;
        while (k < RECORDS && in.end[k] <= bit / 8) k++;
        in.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
        outcome seen = read_on(in.at, in.n);
        CHECK(seen.errors > 0, "bit %zu of byte %zu is not noticed", bit % 8, bit / 8);
        if (k < RECORDS) {
            size_t begin = k ? in.end[k - 1] : 0;
            CHECK(seen.resumed && seen.errors == 1, "bit %zu of byte %zu: %llu errors", bit % 8, bit / 8,
                  (unsigned long long)seen.errors);
            /* an automaton whose one bit that announces the seal has changed is given */
            CHECK(seen.records == RECORDS - 1 || (seen.records == RECORDS && bit == 8 * 41 + 6),
                  "bit %zu of byte %zu: %llu records",
                  bit % 8, bit / 8, (unsigned long long)seen.records);
            CHECK(seen.lost == 1 && seen.from >= begin && seen.to == in.end[k],
                  "bit %zu of byte %zu: %llu lost, bytes %llu to %llu",
                  bit % 8, bit / 8, (unsigned long long)seen.lost, (unsigned long long)seen.from, (unsigned long long)seen.to);
        } else CHECK(seen.records == RECORDS && !seen.resumed, "byte %zu, in the end record", bit / 8);
        in.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(in.at);
}

/* A piece of the stream is overwritten, or is missing; what is whole is given, and what is counted as lost is not. */
static void longer_damage_loses_what_it_touches(void **state PF_UNUSED) {
    stream in = make_stream();
    unsigned char *copy = malloc(in.n);
    assert_non_null(copy);
    for (size_t from = 0; from < in.end[RECORDS - 2]; from += 5)
        for (size_t n = 1; from + n < in.end[RECORDS - 1]; n = n * 3 + 5) {
            memcpy(copy, in.at, in.n);
            memset(copy + from, 0x5a, n);
            outcome seen = read_on(copy, in.n);
            for (size_t k = 0; k < RECORDS; k++) {
                bool touched = from < in.end[k] && from + n > (k ? in.end[k - 1] : 0);
                CHECK(seen.given[k] == !touched, "%zu bytes from %zu: record %zu is %s", n, from, k + 1,
                      touched ? "given" : "lost");
            }
            CHECK(seen.resumed && seen.records + seen.lost == RECORDS, "%zu bytes from %zu: %llu and %llu", n, from,
                  (unsigned long long)seen.records,
                  (unsigned long long)seen.lost);
            memcpy(copy + from, in.at + from + n, in.n - from - n);
            seen = read_on(copy, in.n - n);
            CHECK(seen.errors > 0 && seen.records + seen.lost <= RECORDS, "%zu bytes taken out from %zu on", n, from);
            if (seen.resumed) assert_int_equal(seen.records + seen.lost, RECORDS);
        }
    free(copy);
    free(in.at);
}

/* What came whole before a cut is given, and then it is over. */
static void a_cut_ends_the_reading(void **state PF_UNUSED) {
    stream in = make_stream();
    for (size_t n = 0; n < in.n; n++) {
        size_t whole = 0;
        while (whole < RECORDS && in.end[whole] <= n) whole++;
        outcome seen = read_on(in.at, n);
        CHECK(seen.records == whole && !seen.resumed && seen.errors == 1, "cut at byte %zu: %llu records, %llu errors", n,
              (unsigned long long)seen.records, (unsigned long long)seen.errors);
    }
    free(in.at);
}

/* ---- whole programs ---- */

/* What each is given: a stream that some step has written. */
static const struct {
    const tool *program;
    const char *arguments;
    const char *from;
} readers[] = {
    {&permprint, "", "sentences"}, {&lazyperm, "-c itg", "sentences"},    {&permshortest, "-n 2", "permuted"},
    {&permprint, "--strings", "best"}, {&perminfo, "", "composed"},       {&perminfo, "--check", "best"},
    {&permexpand, "", "permuted"}, {&permcount, "", "permuted"},          {&permshortest, "-j 2", "composed"},
    {&permcompose, "- @sentences", "constrained"},
};

static void put_input(const char *folder, const void *at, size_t n) {
    char path[2 * NAME];
    snprintf(path, sizeof path, "%s/damaged", folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(at, 1, n, file) == n && fclose(file) == 0, "%s", path);
}

static int run_on(const char *folder, size_t i, const void *at, size_t n) {
    put_input(folder, at, n);
    return run_step(folder, &(step){readers[i].program, readers[i].arguments, "@damaged", 0}, "out");
}

static void read_output(const char *folder, const char *name, char **bytes, size_t *n) {
    char path[2 * NAME];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    read_whole(path, bytes, n);
}

static void no_program_takes_a_damaged_stream(void **state PF_UNUSED) {
    char folder[NAME], *in;
    size_t n, every = getenv("PERMFST_QUICK") ? 61 : 11;
    begin_folder(folder);
    run_all(folder);
    for (size_t i = 0; i < LENGTH(readers); i++) {
        read_output(folder, readers[i].from, &in, &n);
        assert_int_equal(run_on(folder, i, in, n), 0);
        for (size_t bit = i; bit < 8 * n; bit += every) {
            in[bit / 8] = (char)(in[bit / 8] ^ 1 << bit % 8);
            CHECK(run_on(folder, i, in, n) != 0, "%s %s: bit %zu of byte %zu", readers[i].program->name, readers[i].arguments,
                  bit % 8, bit / 8);
            in[bit / 8] = (char)(in[bit / 8] ^ 1 << bit % 8);
        }
        for (size_t cut = 0; cut < n; cut += 1 + every / 11)
            CHECK(run_on(folder, i, in, cut) != 0, "%s %s: cut at byte %zu", readers[i].program->name, readers[i].arguments, cut);
        free(in);
    }
    end_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checksum_is_what_is_defined),
        cmocka_unit_test(a_sum_is_of_what_was_handed_out),
        cmocka_unit_test(only_the_damaged_record_is_lost),
        cmocka_unit_test(longer_damage_loses_what_it_touches),
        cmocka_unit_test(a_cut_ends_the_reading),
        cmocka_unit_test(no_program_takes_a_damaged_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
