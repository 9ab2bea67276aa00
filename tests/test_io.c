/* Reading and writing: OpenFst's binaries, FAR archives, AT&T text.
 *
 * The good-* binaries of tests/data were made by fstcompile, fstconvert and farcreate 1.7.9 from good-perm3.txt (all
 * orders of three words), from an automaton with epsilons and a dead end, and from nothing; the bad-* ones are good ones
 * with one field changed. The program runs with little memory, so that a count which is believed shows. */
#include "check.h"
#include "machines.h"
#include <permfst/io/bin.h>

#include <permfst/io/far.h>
#include <permfst/io/header.h>
#include "io/io_impl.h"
#include <permfst/io/paths.h>
#include <permfst/io/text.h>
#include <permfst/machine/build.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Bytes and machines. */

typedef struct {
    unsigned char *at;
    size_t n;
} bytes;

static bytes fixture(const char *name) {
    const char *srcdir = getenv("srcdir");
    char path[512];
    bytes content = {NULL, 0};
    snprintf(path, sizeof path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s", path);
    fseek(file, 0, SEEK_END);
    content.n = (size_t)ftell(file);
    content.at = malloc(content.n + 1);
    rewind(file);
    CHECK(content.at && fread(content.at, 1, content.n, file) == content.n, "%s", path);
    content.at[content.n] = 0;
    fclose(file);
    return content;
}

static pf_err read_fst(const void *at, size_t n, pf_fst **out) {
    pf_reader *reader;
    pf_header h;
    *out = NULL;
    SUCCEED(pf_reader_memory(at, n, "memory", &reader));
    pf_err err = pf_header_read(reader, &h);
    if (!err) err = pf_bin_read(reader, &h, 0, out);
    pf_reader_free(reader);
    return err;
}

static pf_fst *fst_of(const char *name) {
    bytes content = fixture(name);
    pf_fst *fst;
    CHECK(read_fst(content.at, content.n, &fst) == PF_OK, "%s: %s", name, pf_message());
    free(content.at);
    return fst;
}

static pf_writer *writer(void) {
    pf_writer *out;
    SUCCEED(pf_writer_memory(&out));
    return out;
}

/* ---- Binaries. */

static const char *const good[] = {
    "good-perm3.vector.fst", "good-perm3.const.fst", "good-perm3.const-aligned.fst", "good-perm3.log.fst",
    "good-perm3.log64.fst",  "good-perm3.log64-const.fst", "good-perm3.tables.fst",  "good-perm3.uncounted.fst",
};

static void every_layout_holds_the_same_machine(void **state PF_UNUSED) {
    pf_fst *first = fst_of(good[0]);
    for (size_t i = 1; i < LENGTH(good); i++) {
        pf_fst *fst = fst_of(good[i]);
        expect_same_fst(first, fst);
        pf_fst_free(fst);
    }
    pf_fst_free(first);
}

/* All bytes except those of the properties (we claim fewer of them) and of the arc count (OpenFst leaves it 0). */
static void a_vector_is_written_as_openfst_wrote_it(void **state PF_UNUSED) {
    static const struct {
        const char *name;
        size_t properties;
    } as[] = {{"good-perm3.vector.fst", 34}, {"good-perm3.tables.fst", 34}, {"good-perm3.log.fst", 29},
              {"good-epsilon.fst", 34},      {"good-empty.fst", 34}};
    for (size_t place = 0; place < LENGTH(as); place++) {
        bytes content = fixture(as[place].name);
        pf_fst *fst = fst_of(as[place].name);
        pf_writer *out = writer();
        size_t length, at = as[place].properties;
        SUCCEED(pf_bin_write(out, fst));
        const unsigned char *ours = pf_writer_bytes(out, &length);
        CHECK(length == content.n, "%s: %zu bytes", as[place].name, length);
        CHECK(memcmp(ours + at, "\3\0\0\0\0\0\0\0", 8) == 0, "%s: properties", as[place].name);
        CHECK(ours[at + 24] == fst->narcs, "%s: arcs", as[place].name);
        memcpy(content.at + at, ours + at, 8);
        memcpy(content.at + at + 24, ours + at + 24, 8);
        CHECK(memcmp(ours, content.at, length) == 0, "%s", as[place].name);
        pf_writer_free(out);
        pf_fst_free(fst);
        free(content.at);
    }
}

static const struct {
    const char *name, *words;
} bad[] = {
    {"bad-magic.fst", "byte 0: expected the magic number of an automaton (d6 fd b2 7e), found 41 42 43 44"},
    {"bad-type.fst", "fst type 'phi' is not an ordinary automaton: only vector and const can be read"},
    {"bad-arc-type.fst", "arc type 'tropical' is not known: only standard, log and log64 are"},
    {"bad-version.fst", "version 1 of fst type 'vector' is not supported: only 2 is"},
    {"bad-start.fst", "the start state is 8, but there are 8 states"},
    {"bad-states.fst", "expected state 8, found the end of the input"},
    {"bad-states-huge.fst", "expected state 8, found the end of the input"},
    {"bad-arcs-huge.fst", "state 0: expected 2147483648 arcs, found the end of the input after 17"},
    {"bad-target.fst", "state 0 has an arc to state 8, but there are 8 states"},
    {"bad-uncounted-target.fst", "state 0 has an arc to state 8, but there are 8 states"},
    {"bad-label.fst", "state 0 has an arc with the negative label -2"},
    {"bad-nan.fst", "state 0 has an arc whose weight is not a cost"},
    {"bad-minus-infinity.fst", "the final weight of state 0 is not a cost"},
    {"bad-wide-weight.fst", "state 0 has an arc whose weight is not a cost"},
    {"bad-ranges.fst", "the arcs of state 1 begin at number 4, expected 3"},
    {"bad-ranges-sum.fst", "the states have 12 arcs, but the header says 13"},
    {"bad-symbol-twice.fst", "symbol '1' has two labels: 1 and 2"},
    {"bad-label-twice.fst", "label 2 has two symbols: 'the' and 'small'"},
    {"bad-symbol-label.fst", "symbol 'the' has the label 8589934592"},
    {"bad-truncated.fst", "state 1: expected 2 arcs, found the end of the input after 0"},
};

static void damage_is_named(void **state PF_UNUSED) {
    for (size_t at = 0; at < LENGTH(bad); at++) {
        bytes content = fixture(bad[at].name);
        pf_fst *fst;
        CHECK(read_fst(content.at, content.n, &fst) == PF_EINPUT && !fst, "%s", bad[at].name);
        CHECK(strstr(pf_message(), bad[at].words), "%s: %s", bad[at].name, pf_message());
        free(content.at);
    }
}

static void an_empty_input_is_named(void **state PF_UNUSED) {
    pf_fst *fst;
    assert_int_equal(read_fst("", 0, &fst), PF_EINPUT);
    assert_string_equal(pf_message(), "memory is empty (did the command before it fail?)");
}

/* A cut is an error, except in a machine that does not say how many states it has: there the rest can be a smaller machine. */
static void a_cut_is_noticed(void **state PF_UNUSED) {
    for (size_t at = 0; at < LENGTH(good); at++) {
        bytes content = fixture(good[at]);
        for (size_t length = 0; length < content.n; length++) {
            pf_fst *fst;
            pf_err err = read_fst(content.at, length, &fst);
            CHECK(err == PF_EINPUT || (!err && strstr(good[at], "uncounted")), "%s at %zu", good[at], length);
            if (!err) CHECK(pf_fst_states(fst) < 8 && fst->start == 0, "%s at %zu", good[at], length);
            pf_fst_free(fst);
        }
        free(content.at);
    }
}

/* A machine that is read in spite of the damage must be sound: it can be written and read again. */
static void use(pf_fst *fst) {
    size_t length;
    pf_fst *again;
    pf_writer *out = writer();
    SUCCEED(pf_bin_write(out, fst));
    const unsigned char *at = pf_writer_bytes(out, &length);
    SUCCEED(read_fst(at, length, &again));
    expect_same_fst(fst, again);
    pf_fst_free(again);
    pf_writer_free(out);
}

static void no_flipped_bit_does_harm(void **state PF_UNUSED) {
    for (size_t at = 0; at < LENGTH(good); at++) {
        bytes content = fixture(good[at]);
        for (size_t bit = 0; bit < 8 * content.n; bit++) {
            pf_fst *fst;
            content.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
            pf_err err = read_fst(content.at, content.n, &fst);
            CHECK(err == PF_OK || err == PF_EINPUT, "%s, bit %zu: %s", good[at], bit, pf_message());
            if (!err) use(fst);
            pf_fst_free(fst);
            content.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        free(content.at);
    }
}

/* A lazy chain of four states; state 9 fails. */
static pf_err expand_chain(void *self, pf_state state, pf_emit *to) {
    if (state == *(pf_state *)self) return pf_fail(PF_ELIMIT, "state %u is too much", state);
    if (state == 3) to->final = 1;
    return state == 3 ? PF_OK : pf_emit_arc(to, 1, 2, 0.5f, state + 1);
}

static void a_lazy_machine_is_written_whole_or_not_at_all(void **state PF_UNUSED) {
    static const pf_op op = {.name = "chain", .expand = expand_chain};
    for (pf_state broken = 2; broken < 6; broken += 2) {
        pf_fst *fst, *again;
        pf_writer *out = writer();
        size_t length;
        SUCCEED(pf_fst_new(PF_STANDARD, &op, &broken, &fst));
        fst->start = 0;
        pf_err err = pf_bin_write(out, fst);
        const unsigned char *at = pf_writer_bytes(out, &length);
        if (broken == 2) CHECK(err == PF_ELIMIT && !length, "%zu bytes", length);
        else {
            SUCCEED(err);
            SUCCEED(read_fst(at, length, &again));
            expect_same_fst(fst, again);
            assert_int_equal(pf_fst_states(again), 4);
            pf_fst_free(again);
        }
        pf_fst_free(fst);
        pf_writer_free(out);
    }
}

/* ---- Archives. */

static pf_err read_far(const void *at, size_t n, unsigned *entries, char *keys) {
    pf_reader *reader;
    pf_far_reader *far;
    pf_fst *fst = NULL;
    const char *key;
    *entries = 0;
    *keys = 0;
    SUCCEED(pf_reader_memory(at, n, "memory", &reader));
    pf_err err = pf_far_reader_new(reader, &far);
    while (!err && !(err = pf_far_next(far, &key, &fst)) && fst) {
        if (*entries < 4) strcat(strncat(keys, key, 20), " ");
        use(fst);
        pf_fst_free(fst);
        ++*entries;
    }
    pf_far_reader_free(far);
    pf_reader_free(reader);
    return err;
}

static const char *const archives[] = {"good-three.stlist.far", "good-three.sttable.far", "good-aligned.stlist.far"};

static void archives_are_read_in_order(void **state PF_UNUSED) {
    for (size_t at = 0; at < LENGTH(archives); at++) {
        bytes content = fixture(archives[at]);
        unsigned n;
        char keys[100];
        assert_true(pf_far_is(content.at, 4));
        SUCCEED(read_far(content.at, content.n, &n, keys));
        assert_string_equal(keys, at == 2 ? "aligned " : "a_eps.fst b_perm c_const ");
        free(content.at);
    }
    assert_false(pf_far_is((const unsigned char *)"\x5c\x51\x56", 3));
}

static void archives_are_written_as_they_are_read(void **state PF_UNUSED) {
    static const char *const keys[] = {"1", "1", "12345678", "\xc3\xbc"};
    for (int type = PF_STLIST; type <= PF_STTABLE; type++)
        for (unsigned n = 0; n <= LENGTH(keys); n++) {
            pf_fst *fst = fst_of("good-epsilon.fst");
            pf_writer *out = writer();
            pf_far_writer *far;
            SUCCEED(pf_far_writer_new(out, (pf_far_type)type, &far));
            for (unsigned i = 0; i < n; i++) SUCCEED(pf_far_put(far, keys[i], fst));
            SUCCEED(pf_far_end(far));
            size_t length;
            unsigned found;
            char read[100];
            const unsigned char *at = pf_writer_bytes(out, &length);
            SUCCEED(read_far(at, length, &found, read));
            assert_int_equal(found, n);
            for (size_t cut = 0; cut < length; cut++)
                CHECK(read_far(at, cut, &found, read) == PF_EINPUT, "type %d, %u entries, cut at %zu", type, n, cut);
            pf_far_writer_free(far);
            pf_writer_free(out);
            pf_fst_free(fst);
        }
}

static void keys_must_not_be_empty_nor_fall(void **state PF_UNUSED) {
    pf_fst *fst = fst_of("good-epsilon.fst"), *other = fst_of("good-perm3.log.fst");
    pf_writer *out = writer();
    pf_far_writer *far;
    SUCCEED(pf_far_writer_new(out, PF_STLIST, &far));
    assert_int_equal(pf_far_put(far, "", fst), PF_EINPUT);
    SUCCEED(pf_far_put(far, "b", fst));
    assert_int_equal(pf_far_put(far, "a", fst), PF_EINPUT);
    assert_string_equal(pf_message(),
                        "the keys of an archive must be in ascending order: 'a' comes after 'b' (--number-keys numbers them)");
    assert_int_equal(pf_far_put(far, "c", other), PF_EINPUT);
    pf_far_writer_free(far);
    pf_writer_free(out);
    pf_fst_free(fst);
    pf_fst_free(other);
}

static void damaged_archives_are_refused(void **state PF_UNUSED) {
    static const struct {
        const char *name, *words;
    } damaged[] = {{"bad-no-end.stlist.far", "the archive ends without its end marker"},
                   {"bad-position.sttable.far", "puts entry 3 at byte 9; it is at"},
                   {"bad-count.sttable.far", "says that there are 2 entries; there are 3"},
                   {"bad-first-count.sttable.far", "says that there are 2 entries; there are 3"},
                   {"good-empty.fst", "expected the magic number of a FAR archive"}};
    unsigned n;
    char keys[100];
    for (size_t at = 0; at < LENGTH(damaged); at++) {
        bytes content = fixture(damaged[at].name);
        CHECK(read_far(content.at, content.n, &n, keys) == PF_EINPUT, "%s", damaged[at].name);
        CHECK(strstr(pf_message(), damaged[at].words), "%s: %s", damaged[at].name, pf_message());
        free(content.at);
    }
    for (size_t at = 0; at < LENGTH(archives); at++) {
        bytes content = fixture(archives[at]);
        for (size_t cut = 0; cut < content.n; cut++)
            CHECK(read_far(content.at, cut, &n, keys) == PF_EINPUT, "%s at %zu", archives[at], cut);
        for (size_t bit = 0; bit < 8 * content.n; bit++) {
            content.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
            pf_err err = read_far(content.at, content.n, &n, keys);
            CHECK(err == PF_OK || err == PF_EINPUT, "%s, bit %zu: %s", archives[at], bit, pf_message());
            content.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        free(content.at);
    }
}

/* ---- Text. */

static pf_err read_text(const char *text, const pf_text_options *options, pf_fst **out) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), "text", &reader));
    pf_err err = pf_text_read(reader, options, out);
    pf_reader_free(reader);
    return err;
}

/* The machine's text, the caller's. */
static char *text_of(pf_fst *fst, bool acceptor, bool numeric) {
    pf_writer *out = writer();
    size_t length;
    SUCCEED(pf_text_write(out, fst, acceptor, numeric));
    const unsigned char *at = pf_writer_bytes(out, &length);
    char *text = malloc(length + 1);
    assert_non_null(text);
    if (length) memcpy(text, at, length);
    text[length] = 0;
    pf_writer_free(out);
    return text;
}

static void same_text(const char *in, const pf_text_options *options, const char *expected) {
    pf_fst *fst;
    CHECK(read_text(in, options, &fst) == PF_OK, "%s: %s", in, pf_message());
    char *text = text_of(fst, options->acceptor, false);
    CHECK(strcmp(text, expected) == 0, "%s gives %s", in, text);
    free(text);
    pf_fst_free(fst);
}

static void text_is_as_fstprint_writes_it(void **state PF_UNUSED) {
    bytes content = fixture("good-perm3.txt");
    pf_fst *fst = fst_of("good-perm3.tables.fst"), *again;
    char *text = text_of(fst, false, false);
    char *tiny = strstr((char *)content.at, "1.00000001e-10"); /* nine digits, where five are enough */
    CHECK(tiny, "1e-10");
    memmove(tiny, "1e-10", 5);
    memmove(tiny + 5, tiny + 14, strlen(tiny + 14) + 1);
    assert_string_equal(text, (char *)content.at);
    pf_text_options o = {.isyms = fst->isyms, .osyms = fst->osyms, .keep_numbering = true};
    SUCCEED(read_text(text, &o, &again));
    expect_same_fst(fst, again);
    assert_ptr_equal(again->osyms, fst->osyms);
    pf_fst_free(again);
    pf_fst_free(fst);
    free(text);
    free(content.at);
}

static void the_start_state_comes_first_and_a_dead_end_shows(void **state PF_UNUSED) {
    pf_build build = {0};
    pf_fst *fst;
    SUCCEED(pf_build_arc(&build, 2, 0, 7, 0.1f, 0));
    SUCCEED(pf_build_arc(&build, 2, 5, 0, 0, 1));
    SUCCEED(pf_build_arc(&build, 0, 3, 3, -1.5f, 2));
    SUCCEED(pf_build_final(&build, 0, 4));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 2, &fst));
    char *text = text_of(fst, false, true);
    assert_string_equal(text, "2\t0\t0\t7\t0.1\n2\t1\t5\t0\n0\t2\t3\t3\t-1.5\n0\t4\n1\tInfinity\n");
    free(text);
    pf_fst_free(fst);
}

static void text_is_read_as_fstcompile_reads_it(void **state PF_UNUSED) {
    static const struct {
        const char *in, *out;
        pf_text_options options;
    } as[] = {
        {"", "", {0}},
        {"\n \t\n", "", {0}},
        {"7\n", "0\n", {0}},
        {"9 5 1 2\n5", "0\t1\t1\t2\n1\n", {0}},
        {"  9 \t 5 1 2  0.25 \r\n\n5 0.5\r\n", "0\t1\t1\t2\t0.25\n1\t0.5\n", {0}},
        {"0 1 1 1 Infinity\n1 +inf\n", "0\t1\t1\t1\tInfinity\n1\tInfinity\n", {0}},
        {"0 1 1 1 0x1p-2\n1 1e-60\n", "0\t1\t1\t1\t0.25\n1\n", {0}},
        {"0 1 3\n1 2 4 0.5\n2\n", "0\t1\t3\n1\t2\t4\t0.5\n2\n", {.acceptor = true}},
        {"2 0 1 1\n", "2\t0\t1\t1\n0\tInfinity\n1\tInfinity\n", {.keep_numbering = true}},
        {"0 1\n0 2\n", "0\t2\n", {0}},
        {"0 2147483647 1 2147483647\n", "0\t1\t1\t2147483647\n1\tInfinity\n", {0}},
    };
    for (size_t i = 0; i < LENGTH(as); i++) same_text(as[i].in, &as[i].options, as[i].out);
}

static void broken_lines_are_named(void **state PF_UNUSED) {
    static const struct {
        const char *in, *words;
        pf_text_options options;
    } as[] = {
        {"0 1 a b\n", "text:1: expected a label from 0 to 2147483647 (there is no symbol table), found 'a'", {0}},
        {"0 1 1 1\n1 2 3\n", "text:2: expected 1, 2, 4 or 5 columns (from, to, input, output, weight), found 3: is an "
                             "output label missing, or is this an acceptor?", {0}},
        {"0 1 1 1 1 1\n", "found more than 5", {0}},
        {"0 1 1 1 1\n", "found 5: is this a transducer?", {.acceptor = true}},
        {"-1 1 1 1\n", "expected a state number, found '-1'", {0}},
        {"x\n", "expected a state number, found 'x'", {0}},
        {"0 1 -1 1\n", "found '-1'", {0}},
        {"0 1 1 99999999999\n", "found '99999999999'", {0}},
        {"0 1 1 2147483648\n", "found '2147483648'", {0}},
        {"0 1 1 18446744073709551617\n", "found '18446744073709551617'", {0}},
        {"0 4294967296 1 1\n", "expected a state number, found '4294967296'", {0}},
        {"0 1 1 1 NaN\n", "expected a weight, found 'NaN'", {0}},
        {"0 -Infinity\n", "expected a weight, found '-Infinity'", {0}},
        {"0 1e39\n", "expected a weight, found '1e39'", {0}},
        {"0 1e999\n", "expected a weight, found '1e999'", {0}},
        {"0 0.5x\n", "expected a weight, found '0.5x'", {0}},
        {"2000000000\n", "expected state numbers without large gaps", {.keep_numbering = true}},
        {"0 1 1 \x1b[2J\n", "found '\\x1b[2J'", {0}},
    };
    for (size_t at = 0; at < LENGTH(as); at++) {
        pf_fst *fst;
        CHECK(read_text(as[at].in, &as[at].options, &fst) == PF_EINPUT && !fst, "%s", as[at].in);
        CHECK(strstr(pf_message(), as[at].words), "%s: %s", as[at].in, pf_message());
    }
}

static void a_blank_line_ends_a_machine_where_there_are_many(void **state PF_UNUSED) {
    static const pf_text_options o = {.many = true};
    static const int states[] = {2, 0, 1, -1, -1};
    static const char text[] = "0 1 1 1\n1\n\n\n0\n\n";
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, sizeof text - 1, "text", &reader));
    for (size_t at = 0; at < LENGTH(states); at++) {
        pf_fst *fst;
        SUCCEED(pf_text_read(reader, &o, &fst));
        CHECK((fst ? (int)pf_fst_states(fst) : -1) == states[at], "machine %zu", at);
        pf_fst_free(fst);
    }
    pf_reader_free(reader);
}

static void a_line_may_be_long_but_has_no_nul(void **state PF_UNUSED) {
    enum { LONG = 100000 };
    char *text = malloc(LONG + 1);
    pf_fst *fst;
    assert_non_null(text);
    memset(text, ' ', LONG);
    memcpy(text, "0 1 1", 5);
    memcpy(text + LONG - 4, "2\n1\n", 5);
    same_text(text, &(pf_text_options){0}, "0\t1\t1\t2\n1\n");
    free(text);
    pf_reader *reader;
    SUCCEED(pf_reader_memory("0 1 1 1\0 2\n", 11, "text", &reader));
    assert_int_equal(pf_text_read(reader, &(pf_text_options){0}, &fst), PF_EINPUT);
    assert_string_equal(pf_message(), "text:1: expected text, found a NUL byte");
    pf_reader_free(reader);
}

static pf_symtab *table(const char *const *symbols, size_t n) {
    pf_symtab *names;
    SUCCEED(pf_symtab_new("words", &names));
    for (size_t i = 0; i < n; i++) SUCCEED(pf_symtab_put(names, symbols[i], strlen(symbols[i]), (pf_label)i));
    return names;
}

static void symbols_are_named_that_cannot_be_read_or_written(void **state PF_UNUSED) {
    static const char *const symbols[] = {"<eps>", "a", "two words", "tab\t", ""};
    pf_symtab *names = table(symbols, LENGTH(symbols));
    pf_text_options o = {.isyms = names, .osyms = names};
    pf_fst *fst;
    assert_int_equal(read_text("0 1 a b\n", &o, &fst), PF_EINPUT);
    assert_string_equal(pf_message(), "text:1: symbol 'b' is not in the table 'words'");
    same_text("0 1 a <eps>\n1\n", &o, "0\t1\ta\t<eps>\n1\n");
    for (pf_label label = 2; label < 6; label++) {
        pf_build build = {0};
        pf_writer *out = writer();
        SUCCEED(pf_build_arc(&build, 0, label, 1, 0, 0));
        SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
        pf_fst_set_symbols(fst, names, names);
        assert_int_equal(pf_text_write(out, fst, false, false), PF_EINPUT);
        CHECK(strstr(pf_message(), label < 5 ? "cannot be written as text" : "label 5 has no symbol in the table 'words'"),
              "%s", pf_message());
        assert_int_equal(pf_text_write(out, fst, true, true), PF_EINPUT);
        CHECK(strstr(pf_message(), "not an acceptor"), "%s", pf_message());
        SUCCEED(pf_text_write(out, fst, false, true));
        pf_fst_free(fst);
        pf_writer_free(out);
    }
    pf_symtab_free(names);
}

static void every_weight_reads_back_from_its_text(void **state PF_UNUSED) {
    uint64_t x = 1;
    for (unsigned i = 0; i < 200000; i++) {
        char text[PFI_WEIGHT_BYTES];
        float w, again;
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t bits = (uint32_t)(x >> 32);
        memcpy(&w, &bits, sizeof w);
        if (isnan(w) || w == -INFINITY) continue;
        CHECK(pfi_weight_text(w, text) == strlen(text) && strlen(text) <= 15, "%s", text);
        CHECK(pfi_weight_parse(text, &again) && memcmp(&w, &again, sizeof w) == 0, "%s", text);
    }
}

static pf_err read_symbols(const char *text, pf_symtab **out) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), "some/where/words.syms", &reader));
    pf_err err = pf_symtab_read_text(reader, out);
    pf_reader_free(reader);
    return err;
}

static void symbol_files_are_read_and_written(void **state PF_UNUSED) {
    static const struct {
        const char *symbol;
        pf_label label;
    } as[] = {{"<eps>", 0}, {"the", 1}, {"small", 2}, {"h\xc3\xbc" "ben", 3}};
    bytes content = fixture("good-words.syms");
    pf_symtab *symbols, *again;
    pf_reader *reader;
    size_t length;
    SUCCEED(read_symbols((char *)content.at, &symbols));
    assert_string_equal(pf_symtab_title(symbols), "words.syms");
    pf_writer *out = writer();
    assert_int_equal(pf_symtab_count(symbols), LENGTH(as));
    for (size_t i = 0; i < LENGTH(as); i++)
        assert_int_equal(pf_symtab_find(symbols, as[i].symbol, strlen(as[i].symbol)), as[i].label);
    SUCCEED(pf_symtab_write(out, symbols));
    const unsigned char *at = pf_writer_bytes(out, &length);
    SUCCEED(pf_reader_memory(at, length, "memory", &reader));
    SUCCEED(pf_symtab_read(reader, &again));
    expect_same_table(symbols, again);
    pf_reader_free(reader);
    pf_symtab_free(again);
    pf_symtab_free(symbols);
    pf_writer_free(out);
    free(content.at);
}

static void broken_symbol_files_are_named(void **state PF_UNUSED) {
    static const char *const as[][2] = {
        {"a 1\nb\n", "words.syms:2: expected 2 columns (symbol, label), found 1"},
        {"a b 1\n", "words.syms:1: expected 2 columns (symbol, label), found more"},
        {"a -1\n", "words.syms:1: expected a label from 0 to 2147483647, found '-1'"},
        {"a 4294967297\n", "found '4294967297'"},
        {"a 1\n\na 2\n", "words.syms:3: symbol 'a' has two labels: 1 and 2"},
        {"a 1\nb 1\n", "words.syms:2: label 1 has two symbols: 'a' and 'b'"},
    };
    for (size_t at = 0; at < LENGTH(as); at++) {
        pf_symtab *symbols;
        CHECK(read_symbols(as[at][0], &symbols) == PF_EINPUT && !symbols, "%s", as[at][0]);
        CHECK(strstr(pf_message(), as[at][1]), "%s: %s", as[at][0], pf_message());
    }
}

/* ---- Answers as text. */

static void expect_text(pf_writer *out, const char *want) {
    size_t length;
    const char *text = (const char *)pf_writer_bytes(out, &length);
    CHECK(length == strlen(want) && (!length || memcmp(text, want, length) == 0), "expected:\n%s\nfound:\n%.*s", want, (int)length,
          text);
    pf_writer_clear(out);
}

static void an_answer_is_written_as_words_and_positions(void **state PF_UNUSED) {
    pf_arc first[] = {{2, 1, 1, 0}, {PF_EPSILON, PF_EPSILON, 1, 0}, {1, 2, 0, 0}}, second[] = {{1, 9, 0.25f, 0}};
    pf_answer answer = {.bound = 2};
    pf_writer *out = writer();
    SUCCEED(pf_symtab_new("words", &answer.osyms));
    SUCCEED(pf_symtab_put(answer.osyms, "b", 1, 1));
    SUCCEED(pf_symtab_put(answer.osyms, "c", 1, 2));
    SUCCEED(pf_answer_add(&answer, first, LENGTH(first), 0));
    SUCCEED(pf_answer_write_words(out, &answer, 0, false));
    expect_text(out, "b c");
    SUCCEED(pf_answer_write_words(out, &answer, 0, true));
    expect_text(out, "1 2");
    SUCCEED(pf_answer_write_permutation(out, &answer, 0));
    expect_text(out, "2 1");
    SUCCEED(pf_answer_add(&answer, second, LENGTH(second), 1));
    assert_int_equal(pf_answer_write_words(out, &answer, 1, false), PF_EINPUT);
    pf_writer_clear(out);
    SUCCEED(pf_answer_write_table(out, &answer, 5, true));
    expect_text(out, "5\t1\t2.000000\t2 1\t1 2\n5\t2\t1.250000\t1\t9\n");
    answer.isyms = pf_symtab_ref(answer.osyms);
    assert_int_equal(pf_answer_write_permutation(out, &answer, 0), PF_EINPUT);
    SUCCEED(pf_answer_write_table(out, &answer, 5, true));
    expect_text(out, "5\t1\t2.000000\t-\t1 2\n5\t2\t1.250000\t-\t9\n");
    pf_answer_free(&answer);
    pf_writer_free(out);
}

static void an_answer_is_described(void **state PF_UNUSED) {
    pf_arc arc = {1, 1, 2, 0};
    pf_answer answer = {.bound = -(double)INFINITY, .states = 3, .arcs = 4};
    pf_writer *out = writer();
    SUCCEED(pf_answer_describe(&answer, out));
    expect_text(out, "paths\t0\noptimal\tnot proven\nstates searched\t3\narcs searched\t4\n");
    SUCCEED(pf_answer_add(&answer, &arc, 1, 0));
    answer.bound = 1.5;
    answer.compared = true;
    answer.reference = 2.5;
    SUCCEED(pf_answer_describe(&answer, out));
    expect_text(out, "paths\t1\nbest cost\t2.000000\noptimal\tgap <= 0.500000\nreference\tmodel error\n"
                     "reference cost\t2.500000\nstates searched\t3\narcs searched\t4\n");
    answer.bound = 2;
    answer.reference = (double)INFINITY;
    SUCCEED(pf_answer_describe(&answer, out));
    expect_text(out, "paths\t1\nbest cost\t2.000000\noptimal\tyes\nreference\tnot admitted\nreference cost\tInfinity\n"
                     "states searched\t3\narcs searched\t4\n");
    pf_answer_free(&answer);
    pf_writer_free(out);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_written_as_words_and_positions),
        cmocka_unit_test(an_answer_is_described),
        cmocka_unit_test(every_layout_holds_the_same_machine),
        cmocka_unit_test(a_vector_is_written_as_openfst_wrote_it),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(an_empty_input_is_named),
        cmocka_unit_test(a_cut_is_noticed),
        cmocka_unit_test(no_flipped_bit_does_harm),
        cmocka_unit_test(a_lazy_machine_is_written_whole_or_not_at_all),
        cmocka_unit_test(archives_are_read_in_order),
        cmocka_unit_test(archives_are_written_as_they_are_read),
        cmocka_unit_test(keys_must_not_be_empty_nor_fall),
        cmocka_unit_test(damaged_archives_are_refused),
        cmocka_unit_test(text_is_as_fstprint_writes_it),
        cmocka_unit_test(the_start_state_comes_first_and_a_dead_end_shows),
        cmocka_unit_test(text_is_read_as_fstcompile_reads_it),
        cmocka_unit_test(broken_lines_are_named),
        cmocka_unit_test(a_blank_line_ends_a_machine_where_there_are_many),
        cmocka_unit_test(a_line_may_be_long_but_has_no_nul),
        cmocka_unit_test(symbols_are_named_that_cannot_be_read_or_written),
        cmocka_unit_test(every_weight_reads_back_from_its_text),
        cmocka_unit_test(symbol_files_are_read_and_written),
        cmocka_unit_test(broken_symbol_files_are_named),
    };
    limit_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
