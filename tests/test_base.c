/* The parts that know nothing about machines. */
#include "check.h"
#include "draw.h"
#include <permfst/permfst.h>

#include "base/packed.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MARK "\xef\xbb\xbf"

static pf_reader *reader_of(const void *bytes, size_t n) {
    pf_reader *reader;
    assert_int_equal(pf_reader_memory(bytes, n, "memory", &reader), PF_OK);
    return reader;
}

/* One gzip member. */
static size_t pack(const char *text, unsigned char *to, size_t room) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (uInt)strlen(text);
    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static void expect_line(pf_reader *reader, const char *want) {
    char *line;
    size_t n;
    assert_int_equal(pf_reader_line(reader, &line, &n), PF_OK);
    if (!want) {
        assert_null(line);
        return;
    }
    assert_non_null(line);
    assert_string_equal(line, want);
    assert_int_equal(n, strlen(want));
}

static void lines_end_with_lf_crlf_or_the_input(void **state) {
    (void)state;
    const char text[] = "one\r\n\ntwo words\nlast\r";
    pf_reader *reader = reader_of(text, sizeof text - 1);
    expect_line(reader, "one");
    expect_line(reader, "");
    expect_line(reader, "two words");
    expect_line(reader, "last\r"); /* only a CR before LF is dropped */
    assert_int_equal(pf_reader_line_number(reader), 4);
    expect_line(reader, NULL);
    expect_line(reader, NULL);
    pf_reader_free(reader);
}

static void long_lines_are_whole(void **state) {
    (void)state;
    size_t n = 300000;
    char *text = malloc(2 * n);
    memset(text, 'x', 2 * n);
    text[n] = '\n';
    pf_reader *reader = reader_of(text, 2 * n);
    char *line;
    size_t length;
    assert_int_equal(pf_reader_line(reader, &line, &length), PF_OK);
    assert_int_equal(length, n);
    assert_int_equal(pf_reader_line(reader, &line, &length), PF_OK);
    assert_int_equal(length, n - 1);
    pf_reader_free(reader);
    free(text);
}

static void gzip_is_unpacked_member_by_member(void **state) {
    (void)state;
    unsigned char packed[256];
    size_t n = pack("first\nsec", packed, sizeof packed);
    n += pack("ond\n", packed + n, sizeof packed - n);
    pf_reader *reader = reader_of(packed, n);
    expect_line(reader, "first");
    expect_line(reader, "second");
    expect_line(reader, NULL);
    pf_reader_free(reader);
}

static void told(void *self) { ++*(int *)self; }

/* A mark counts only with all of its bytes, at the beginning, packed or not; the reader waits for no more bytes than it needs. */
static void a_byte_order_mark_is_in_no_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *line;
        uint64_t offset;
    } begins[] = {{MARK "one\n", "one", 7}, {MARK MARK "\n", MARK, 7}, {MARK "\r\n", "", 5}, {MARK, NULL, 3}, {"\xef", "\xef", 1},
                  {"\xef\xbb", "\xef\xbb", 2}, {"\xef\xbb\n\xbf", "\xef\xbb", 3}, {" " MARK, " " MARK, 4}, {"", NULL, 0}};
    unsigned char packed[256];
    for (size_t i = 0; i < 2 * sizeof begins / sizeof *begins; i++) {
        const char *text = begins[i / 2].text;
        size_t n = i % 2 ? pack(text, packed, sizeof packed) : strlen(text);
        pf_reader *reader = reader_of(i % 2 ? packed : (const void *)text, n);
        expect_line(reader, begins[i / 2].line);
        assert_int_equal(pf_reader_offset(reader), begins[i / 2].offset);
        assert_int_equal(pf_reader_line_number(reader), begins[i / 2].line != NULL);
        pf_reader_free(reader);
    }
    pf_reader *reader = reader_of(MARK "x\n" MARK "y\n", 10);
    expect_line(reader, "x");
    expect_line(reader, MARK "y");
    pf_reader_free(reader);
    for (int i = 0; i < 3; i++) {
        static const char *const lines[] = {"a", "\xef", "\xef\xbb"};
        int end[2], waits = 0;
        char name[32];
        assert_int_equal(pipe(end), 0);
        snprintf(name, sizeof name, "/dev/fd/%d", end[0]);
        if (pf_reader_open(name, &reader) != PF_OK) skip();
        pf_reader_before_wait(reader, told, &waits);
        assert_true(write(end[1], lines[i], strlen(lines[i])) > 0);
        assert_int_equal(write(end[1], "\n", 1), 1);
        expect_line(reader, lines[i]);
        assert_int_equal(waits, 1);
        pf_reader_free(reader);
        close(end[0]);
        close(end[1]);
    }
}

static void a_reader_says_how_far_it_is_and_when_it_waits(void **state) {
    (void)state;
    int pipe_end[2], waits = 0;
    unsigned char packed[256];
    char name[32];
    pf_reader *reader = reader_of("one\ntwo", 7);
    expect_line(reader, "one");
    assert_int_equal(pf_reader_stored(reader), 4);
    expect_line(reader, "two");
    assert_int_equal(pf_reader_stored(reader), 7);
    pf_reader_free(reader);
    size_t n = pack("a line that has been packed\n", packed, sizeof packed);
    reader = reader_of(packed, n);
    expect_line(reader, "a line that has been packed");
    expect_line(reader, NULL);
    assert_int_equal(pf_reader_stored(reader), n);
    pf_reader_free(reader);
    assert_int_equal(pipe(pipe_end), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", pipe_end[0]);
    if (pf_reader_open(name, &reader) != PF_OK) skip();
    pf_reader_before_wait(reader, told, &waits);
    assert_int_equal(write(pipe_end[1], "a\nb\nc", 5), 5);
    assert_false(pf_reader_line_waits(reader));
    expect_line(reader, "a");
    int before = waits;
    assert_true(before > 0);
    assert_true(pf_reader_line_waits(reader));
    expect_line(reader, "b");
    assert_int_equal(waits, before);
    assert_false(pf_reader_line_waits(reader));
    close(pipe_end[1]);
    expect_line(reader, "c");
    assert_true(waits > before);
    assert_true(pf_reader_line_waits(reader));
    pf_reader_free(reader);
    close(pipe_end[0]);
}

static void damaged_gzip_is_an_error_at_every_cut(void **state) {
    (void)state;
    unsigned char packed[256];
    size_t n = pack("some text that is packed\nand a second line\n", packed, sizeof packed);
    for (size_t cut = 2; cut < n; cut++) {
        pf_reader *reader = reader_of(packed, cut);
        char *line;
        size_t length;
        pf_err err;
        while (!(err = pf_reader_line(reader, &line, &length)) && line) continue;
        assert_int_equal(err, PF_EINPUT);
        pf_reader_free(reader);
    }
}

static void peeking_takes_nothing(void **state) {
    (void)state;
    pf_reader *reader = reader_of("abcdef", 6);
    const unsigned char *at;
    size_t have;
    char got[6];
    assert_int_equal(pf_reader_peek(reader, 4, &at, &have), PF_OK);
    assert_int_equal(have, 4);
    assert_memory_equal(at, "abcd", 4);
    assert_int_equal(pf_reader_offset(reader), 0);
    assert_int_equal(pf_reader_get(reader, got, 5, "five"), PF_OK);
    assert_memory_equal(got, "abcde", 5);
    assert_int_equal(pf_reader_peek(reader, 4, &at, &have), PF_OK);
    assert_int_equal(have, 1);
    pf_reader_set_record(reader, 7);
    assert_int_equal(pf_reader_get(reader, got, 2, "a pair"), PF_EINPUT);
    assert_string_equal(pf_message(), "memory: record 7, byte 6: expected a pair (2 bytes), found the end of the input after 1");
    pf_reader_free(reader);
}

/* A reader of a file with these bytes, at `from`. */
static pf_reader *file_of(FILE *file, const void *bytes, size_t n, size_t from) {
    pf_reader *reader;
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, n, file) == n && fflush(file) == 0 && fseek(file, (long)from, SEEK_SET) == 0);
    assert_int_equal(pf_reader_descriptor(fileno(file), "file", &reader), PF_OK);
    return reader;
}

/* A head, n bytes to share and a tail, of a file from which they are mapped or of memory from which they are copied: the same. */
static void check_shared(const unsigned char *bytes, size_t all, size_t from, size_t head, size_t n) {
    for (unsigned mapped = 0; mapped < 2; mapped++) {
        FILE *file = tmpfile();
        pf_reader *reader = mapped ? file_of(file, bytes, all, from) : reader_of(bytes + from, all - from);
        const unsigned char *peeked;
        size_t have, length;
        pf_bytes *shared;
        assert_int_equal(pf_reader_peek(reader, 1, &peeked, &have), PF_OK);
        assert_int_equal(pf_reader_skip(reader, head), PF_OK);
        if (from + head + n > all) {
            char words[120];
            snprintf(words, sizeof words, "%s: byte %zu: expected what is shared (%zu bytes), found the end of the input after %zu",
                     mapped ? "file" : "memory", all - from, n, all - from - head);
            assert_int_equal(pf_reader_share(reader, n, "what is shared", &shared), PF_EINPUT);
            assert_string_equal(pf_message(), words);
        } else {
            assert_int_equal(pf_reader_share(reader, n, "what is shared", &shared), PF_OK);
            assert_memory_equal(pf_bytes_at(shared, &length), bytes + from + head, n);
            assert_int_equal(length, n);
            assert_int_equal(pf_reader_offset(reader), head + n);
            assert_int_equal(pf_reader_stored(reader), head + n);
            unsigned char *tail = malloc(all + 1);
            assert_non_null(tail);
            assert_int_equal(pf_reader_some(reader, tail, all + 1, &have), PF_OK);
            assert_int_equal(have, all - from - head - n);
            assert_memory_equal(tail, bytes + from + head + n, have);
            free(tail);
        }
        pf_bytes_free(shared);
        pf_reader_free(reader);
        fclose(file);
    }
}

static void shared_bytes_are_those_that_come_next(void **state PF_UNUSED) {
    enum { ALL = 200000 };
    static unsigned char bytes[ALL];
    static const size_t cases[][3] = {{0, 0, 1},      {0, 0, ALL},          {0, 1, 5},        {0, 3, 100000}, {5, 0, 20},
                                      {5, 70000, 99}, {4096, 8192, 100000}, {7, 65530, 6},    {7, 65529, 60}, {ALL - 1, 0, 1},
                                      {0, 0, ALL + 1}, {100000, 7, 100000}, {0, 65536, 100000}};
    for (size_t i = 0; i < ALL; i++) bytes[i] = (unsigned char)(i * 31 + i / 251);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_shared(bytes, ALL, cases[i][0], cases[i][1], cases[i][2]);
}

/* The bytes of a file that has the gzip mark are those that it unpacks to. */
static void what_is_packed_is_not_mapped(void **state PF_UNUSED) {
    unsigned char packed[200];
    size_t n = pack("what is packed", packed, sizeof packed), length;
    FILE *file = tmpfile();
    pf_reader *reader = file_of(file, packed, n, 0);
    const unsigned char *at;
    pf_bytes *shared;
    assert_int_equal(pf_reader_peek(reader, 1, &at, &length), PF_OK);
    assert_int_equal(pf_reader_share(reader, 14, "the text", &shared), PF_OK);
    assert_memory_equal(pf_bytes_at(shared, &length), "what is packed", 14);
    pf_bytes_free(shared);
    pf_reader_free(reader);
    fclose(file);
}

/* Numbers, packed as one member after another of so many bytes each, as long as the file is to be unpacked ahead. Returns how long
 * it is. */
static size_t pack_much(unsigned char *bytes, size_t n, size_t member, unsigned char *packed, size_t room) {
    size_t used = 0;
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)draw(&seed, 256);
    for (size_t at = 0; at < n; at += member) {
        z_stream stream = {.next_in = bytes + at, .avail_in = (uInt)(n - at < member ? n - at : member),
                           .next_out = packed + used, .avail_out = (uInt)(room - used)};
        assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        used += stream.total_out;
        deflateEnd(&stream);
    }
    return used;
}

static void a_large_packed_file_is_read_ahead(void **state PF_UNUSED) {
    enum { ALL = 3000000, ROOM = ALL + 100000 };
    static unsigned char bytes[ALL], packed[ROOM], found[ALL + 1];
    const size_t members[] = {ALL, 700001};
    for (size_t i = 0; i < 2; i++) {
        const size_t n = pack_much(bytes, ALL, members[i], packed, ROOM);
        /* All of it; cut in the middle, and at the end; with a wrong sum at the end; and given up early. */
        const struct { size_t n; const char *message; } cases[] = {
            {n, NULL}, {n / 2, "the gzip data end too early"}, {n - 1, "the gzip data end too early"}, {n, "damaged gzip data"},
            {n, ""}};
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            const char *message = cases[k].message;
            const bool damaged = message && message[0] == 'd', left = message && !*message;
            FILE *file = tmpfile();
            size_t got;
            packed[n - 6] ^= damaged; /* of the last member's sum */
            pf_reader *reader = file_of(file, packed, cases[k].n, 0);
            const pf_err err = pf_reader_some(reader, found, left ? 1000 : ALL + 1, &got);
            packed[n - 6] ^= damaged;
            assert_int_equal(err, message && !left ? PF_EINPUT : PF_OK);
            if (err) CHECK(strstr(pf_message(), message), "%s", pf_message());
            else assert_int_equal(got, left ? 1000 : ALL);
            if (!err && !left) assert_int_equal(pf_reader_stored(reader), n);
            if (left) assert_true(pf_reader_stored(reader) > 0 && pf_reader_stored(reader) < n);
            assert_int_equal(pf_reader_offset(reader), got);
            assert_memory_equal(found, bytes, got);
            pf_reader_free(reader);
            fclose(file);
        }
    }
}

static void what_is_in_place_is_passed_over(void **state PF_UNUSED) {
    unsigned char *memory = malloc(16);
    pf_bytes *shared, *in = NULL;
    pf_reader *reader, *other;
    assert_non_null(memory);
    memcpy(memory, "0123456789abcdef", 16);
    assert_int_equal(pf_bytes_of(memory, 16, &shared), PF_OK);
    assert_int_equal(pf_reader_bytes(shared, "shared", &reader), PF_OK);
    assert_ptr_equal(pf_reader_in_place(reader, 4, 4, &in), memory);
    assert_ptr_equal(in, shared);
    assert_ptr_equal(pf_reader_in_place(reader, 1, 4, &in), memory + 4);
    assert_null(pf_reader_in_place(reader, 4, 4, &in)); /* not at a multiple of 4 */
    assert_ptr_equal(pf_reader_in_place(reader, 4, 1, &in), memory + 5);
    assert_null(pf_reader_in_place(reader, 8, 1, &in)); /* not so many */
    assert_int_equal(pf_reader_offset(reader), 9);
    assert_int_equal(pf_reader_memory(memory, 16, "memory", &other), PF_OK);
    assert_null(pf_reader_in_place(other, 4, 4, &in)); /* nobody shares them */
    pf_reader_free(other);
    pf_reader_free(reader);
    pf_bytes_free(shared);
}

/* ---- packed numbers ---- */

/* A number of so many bits, of which the highest is set. */
static uint32_t number_of(unsigned bits, uint64_t *seed) {
    const uint32_t drawn = draw(seed, UINT32_C(1) << 31); /* all of it */
    return bits ? (drawn | UINT32_C(1) << 31) >> (32 - bits) : 0;
}

/* Written one bit at a time. */
static void by_bits(unsigned char *to, const uint32_t *number, size_t n, unsigned bits) {
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < bits; k++)
            if (number[i] >> k & 1) to[(i * bits + k) / 8] |= (unsigned char)(1u << (i * bits + k) % 8);
}

/* A table in these bytes, read from memory that has no byte more, is the numbers; or the bytes after them are refused. */
static void check_packed(const unsigned char *bytes, size_t size, const uint32_t *number, size_t n, uint32_t most, bool sound) {
    for (int in_place = 0; in_place < 2; in_place++) {
        unsigned char *memory = malloc(size);
        pf_bytes *shared, *in;
        pf_reader *reader;
        pfi_packed table = {0};
        assert_non_null(memory);
        memcpy(memory, bytes, size);
        assert_int_equal(pf_bytes_of(memory, size, &shared), PF_OK);
        if (in_place) assert_int_equal(pf_reader_bytes(shared, "shared", &reader), PF_OK);
        else assert_int_equal(pf_reader_memory(memory, size, "memory", &reader), PF_OK);
        const pf_err err = pfi_packed_read(reader, n, most, "numbers", &in, &table);
        assert_int_equal(err, sound ? PF_OK : PF_EINPUT);
        if (!sound) assert_non_null(strstr(pf_message(), "expected zeros after numbers"));
        assert_ptr_equal(in, in_place ? shared : NULL);
        for (size_t i = 0; !err && i < n; i++) CHECK(pfi_packed_at(&table, i) == number[i], "%zu of %u bits", i, table.bits);
        pfi_packed_free(&table);
        pf_reader_free(reader);
        pf_bytes_free(shared);
    }
}

static void packed_numbers_come_back(void **state PF_UNUSED) {
    enum { MOST = 70, ROOM = MOST * 4 + 16 };
    uint64_t seed = 1;
    for (unsigned bits = 0; bits <= 32; bits++)
        for (size_t n = 0; n <= MOST; n += n < 10 ? 1 : 15) {
            uint32_t number[MOST + 1], most = 0;
            unsigned char expected[ROOM] = {0};
            pfi_packed table;
            pf_writer *writer;
            size_t size;
            for (size_t i = 0; i < n; i++) number[i] = number_of(i % 3 ? bits : bits / 2, &seed);
            if (bits) most = UINT32_MAX >> (32 - bits);
            by_bits(expected, number, n, bits);
            assert_int_equal(pfi_packed_new(n, most, &table), PF_OK);
            for (size_t i = n; i-- > 0;) pfi_packed_set(&table, i, number[i]);
            for (size_t i = 0; i < n; i++) assert_int_equal(pfi_packed_at(&table, i), number[i]);
            assert_int_equal(pf_writer_memory(&writer), PF_OK);
            assert_int_equal(pfi_packed_write(&table, writer), PF_OK);
            const unsigned char *bytes = pf_writer_bytes(writer, &size);
            assert_true(size <= ROOM && size == pfi_packed_size(&table) && size % 4 == 0);
            assert_memory_equal(bytes, expected, size);
            check_packed(bytes, size, number, n, most, true);
            for (size_t bit = n * bits; bit < 8 * size; bit++) {
                expected[bit / 8] ^= (unsigned char)(1u << bit % 8);
                check_packed(expected, size, number, n, most, false);
                expected[bit / 8] ^= (unsigned char)(1u << bit % 8);
            }
            pf_writer_free(writer);
            pfi_packed_free(&table);
        }
}

static void packed_numbers_that_end_early_are_refused(void **state PF_UNUSED) {
    const unsigned char few[20] = {1};
    pf_bytes *in;
    pf_reader *reader;
    pfi_packed table = {0};
    assert_int_equal(pf_reader_memory(few, sizeof few, "few", &reader), PF_OK);
    assert_int_equal(pfi_packed_read(reader, UINT32_MAX, UINT32_MAX, "many numbers", &in, &table), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "many numbers"));
    pfi_packed_free(&table);
    pf_reader_free(reader);
}

static void strings_are_bounded(void **state) {
    (void)state;
    const unsigned char bytes[] = {3, 0, 0, 0, 'a', 0, 'b', 255, 255, 255, 255};
    char *s;
    size_t n;
    pf_reader *reader = reader_of(bytes, sizeof bytes);
    assert_int_equal(pf_reader_string(reader, &s, &n, 10, "a string"), PF_OK);
    assert_int_equal(n, 3);
    free(s);
    assert_int_equal(pf_reader_string(reader, &s, &n, 10, "a string"), PF_EINPUT);
    pf_reader_free(reader);
    reader = reader_of(bytes, sizeof bytes);
    assert_int_equal(pf_reader_string(reader, &s, NULL, 10, "a name"), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "NUL"));
    pf_reader_free(reader);
}

static void numbers_are_little_endian_both_ways(void **state) {
    (void)state;
    pf_writer *writer;
    size_t n;
    uint32_t a;
    uint64_t b;
    float c;
    double d;
    assert_int_equal(pf_writer_memory(&writer), PF_OK);
    pf_writer_u32(writer, 0x01020304u);
    pf_writer_u64(writer, UINT64_C(0x0102030405060708));
    pf_writer_f32(writer, -2.5f);
    pf_writer_f64(writer, 1e300);
    const unsigned char *bytes = pf_writer_bytes(writer, &n);
    assert_int_equal(n, 24);
    assert_int_equal(bytes[0], 4);
    assert_int_equal(bytes[4], 8);
    pf_reader *reader = reader_of(bytes, n);
    pf_reader_u32(reader, &a, "a");
    pf_reader_u64(reader, &b, "b");
    pf_reader_f32(reader, &c, "c");
    pf_reader_f64(reader, &d, "d");
    assert_true(a == 0x01020304u && b == UINT64_C(0x0102030405060708) && c == -2.5f && d == 1e300);
    pf_reader_free(reader);
    pf_writer_free(writer);
}

static void a_file_appears_whole_or_not_at_all(void **state) {
    (void)state;
    char folder[] = "/tmp/permfst-XXXXXX", name[64], link[64];
    struct stat there;
    pf_writer *writer;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(pf_writer_open(name, &writer), PF_OK);
    pf_writer_text(writer, "%0100000d", 1);
    pf_writer_flush(writer);
    assert_int_not_equal(stat(name, &there), 0);
    pf_writer_free(writer); /* not closed */
    assert_int_not_equal(stat(name, &there), 0);
    assert_int_equal(pf_writer_open(name, &writer), PF_OK);
    pf_writer_text(writer, "%010000d", 1);
    assert_int_equal(pf_writer_close(writer), PF_OK);
    pf_writer_free(writer);
    assert_int_equal(stat(name, &there), 0);
    assert_int_equal(there.st_size, 10000);
    assert_int_equal(symlink(name, link), 0);
    assert_int_equal(pf_writer_open(link, &writer), PF_OK);
    pf_writer_text(writer, "short");
    assert_int_equal(pf_writer_close(writer), PF_OK);
    pf_writer_free(writer);
    assert_int_equal(stat(name, &there), 0);
    assert_int_equal(there.st_size, 5); /* the file that the link leads to is replaced */
    unlink(link);
    unlink(name);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

static void a_full_disk_is_an_error_at_the_close(void **state) {
    (void)state;
    pf_writer *writer;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(pf_writer_open("/dev/full", &writer), PF_OK);
    pf_writer_text(writer, "x");
    assert_int_equal(pf_writer_close(writer), PF_EIO);
    assert_non_null(strstr(pf_message(), "/dev/full: "));
    pf_writer_free(writer);
}

/* What a shell has set to be non-blocking is waited for, on both sides. */
static void *write_slowly(void *descriptors) {
    const int *fd = descriptors;
    pf_writer *writer;
    SUCCEED(pf_writer_descriptor(fd[1], "pipe", &writer));
    for (int i = 0; i < 50000; i++) SUCCEED(pf_writer_text(writer, "line %d of many\n", i));
    SUCCEED(pf_writer_close(writer));
    pf_writer_free(writer);
    close(fd[1]);
    return NULL;
}

static void descriptors_that_do_not_block_are_waited_for(void **state) {
    (void)state;
    int fd[2];
    pthread_t writer;
    pf_reader *reader;
    char *line;
    size_t n, lines = 0;
    assert_int_equal(pipe(fd), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(fcntl(fd[i], F_SETFL, fcntl(fd[i], F_GETFL) | O_NONBLOCK), 0);
    SUCCEED(pf_reader_descriptor(fd[0], "pipe", &reader));
    assert_int_equal(pthread_create(&writer, NULL, write_slowly, fd), 0);
    SUCCEED(pf_reader_line(reader, &line, &n));
    for (; line; lines++) SUCCEED(pf_reader_line(reader, &line, &n));
    assert_int_equal(lines, 50000);
    pthread_join(writer, NULL);
    pf_reader_free(reader);
    close(fd[0]);
}

/* A file that takes the place of another's with set-user-ID does not get that bit. */
static void rights_of_another_owner_are_not_kept(void **state) {
    (void)state;
    char path[] = "test_base.owner";
    struct stat there;
    pf_writer *writer;
    if (geteuid() != 0) skip();
    for (int own = 0; own < 2; own++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
        assert_int_equal(chown(path, own ? 0 : 1, 0), 0);
        assert_int_equal(chmod(path, 04751), 0);
        SUCCEED(pf_writer_open(path, &writer));
        SUCCEED(pf_writer_text(writer, "x"));
        SUCCEED(pf_writer_close(writer));
        pf_writer_free(writer);
        assert_int_equal(stat(path, &there), 0);
        assert_int_equal(there.st_mode & 07777, own ? 04751 : 0751);
        unlink(path);
    }
}

/* ---- tables ---- */

/* The bytes of a scalar value of Unicode (table 3-6); at most four. */
static size_t utf8_of(uint32_t code, char *to) {
    static const uint32_t last[] = {0x7f, 0x7ff, 0xffff};
    static const unsigned first_byte[] = {0, 0xc0, 0xe0, 0xf0};
    unsigned more = 0;
    while (more < 3 && code > last[more]) more++;
    for (unsigned i = more; i > 0; i--, code >>= 6) to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(first_byte[more] | code);
    to[more + 1] = 0;
    return more + 1;
}

/* The value of the text in JSON, as it stands between its quotes. */
static void json_of(const char *text, char *found, size_t room) {
    static const pf_table_heading_cell columns[] = {{"t", 0}};
    pf_table table = PF_TABLE_OF(columns, PF_TABLE_JSON);
    pf_writer *writer;
    size_t n;
    SUCCEED(pf_writer_memory(&writer));
    pf_table_line line = pf_table_begin(&table, writer);
    SUCCEED(pf_cell_text(&line, text));
    const char *bytes = (const char *)pf_writer_bytes(writer, &n);
    assert_true(n >= 10 && n - 10 < room);
    assert_memory_equal(bytes, "{\"t\": \"", 7);
    assert_memory_equal(bytes + n - 3, "\"}\n", 3);
    memcpy(found, bytes + 7, n - 10);
    found[n - 10] = 0;
    pf_writer_free(writer);
}

/* Every character is there; and what is there as it stands is the bytes of characters. */
static void json_has_all_characters_and_nothing_else(void **state) {
    (void)state;
    char text[8], found[64], want[64];
    for (uint32_t code = 1; code <= 0x10ffff; code += code < 0x3000 ? 1 : 13) {
        bool none = code >= 0xd800 && code <= 0xdfff, escaped = code < ' ' || code == '"' || code == '\\';
        size_t n = utf8_of(code, text);
        json_of(text, found, sizeof found);
        if (none) snprintf(want, sizeof want, "\\ufffd\\ufffd\\ufffd");
        else if (escaped) snprintf(want, sizeof want, "\\u%04x", (unsigned)code);
        else memcpy(want, text, n + 1);
        assert_string_equal(found, want);
    }
    static const char *const bad[] = {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3\x41", "\xe0\x80\x80", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x82", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xff\xfe"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        *want = 0;
        for (const char *at = bad[i]; *at; at++) strcat(want, *at == 'A' ? "A" : "\\ufffd");
        json_of(bad[i], found, sizeof found);
        assert_string_equal(found, want);
    }
}

static void cells_of_text_stay_on_one_line(void **state) {
    (void)state;
    static const char *const want[] = {"a b   c          7\n", "a b\tc\t7\n",
                                       "{\"x\": \"a\\u0009b\", \"y\": \"\\u000ac\", \"z\": 7}\n"};
    static const pf_table_heading_cell columns[] = {{"x", 4}, {"y", 2}, {"z", -8}};
    for (int format = 0; format < PF_TABLE_FORMATS; format++) {
        pf_table table = PF_TABLE_OF(columns, (pf_table_format)format);
        pf_writer *writer;
        size_t n;
        SUCCEED(pf_writer_memory(&writer));
        pf_table_line line = pf_table_begin(&table, writer);
        SUCCEED(pf_cell_text(&line, "a\tb"));
        SUCCEED(pf_cell_text(&line, format == PF_TABLE_JSON ? "\nc" : "c"));
        SUCCEED(pf_cell_whole(&line, 7));
        const char *bytes = (const char *)pf_writer_bytes(writer, &n);
        assert_int_equal(n, strlen(want[format]));
        assert_memory_equal(bytes, want[format], n);
        pf_writer_free(writer);
    }
}

static void a_state_table_gives_dense_ids_in_order(void **state) {
    (void)state;
    for (size_t fixed = 0; fixed <= 16; fixed += 8) {
        pf_statetab table;
        pf_statetab_init(&table, fixed);
        for (unsigned round = 0; round < 2; round++)
            for (uint32_t i = 0; i < 5000; i++) {
                uint64_t key[2] = {i * UINT64_C(0x100000001), i / 3};
                size_t n = fixed ? fixed : 1 + i % 16;
                uint32_t id;
                int fresh;
                if (!fixed) key[0] = i | UINT64_C(1) << 63, n = 8 + i % 8; /* keys of several lengths */
                assert_int_equal(pf_statetab_intern(&table, key, n, &id, &fresh), PF_OK);
                assert_int_equal(id, i);
                assert_int_equal(fresh, round == 0);
                size_t length;
                assert_memory_equal(pf_statetab_key(&table, id, &length), key, n);
                assert_int_equal(length, n);
                assert_int_equal(pf_statetab_find(&table, key, n), i);
            }
        assert_int_equal(pf_statetab_find(&table, "no such key12345", fixed ? fixed : 16), UINT32_MAX);
        pf_statetab_reset(&table);
        assert_int_equal(table.n, 0);
        pf_statetab_free(&table);
    }
}

/* Room for many keys, whatever is there: then none is moved before there are more. */
static void a_state_table_expects_keys(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 191, 192, 193, 5000};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (uint32_t had = 0; had <= 400; had += 200) {
            pf_statetab table;
            uint32_t id = 0;
            pf_statetab_init(&table, sizeof(uint64_t));
            for (uint64_t i = 0; i < had; i++) SUCCEED(pf_statetab_intern_word(&table, 0, i << 40 | i, &id));
            SUCCEED(pf_statetab_expect(&table, counts[k]));
            const unsigned char *keys = table.key;
            const uint64_t *slots = table.part->slot;
            for (uint64_t i = 0; i < had || i < counts[k]; i++) {
                SUCCEED(pf_statetab_intern_word(&table, 0, i << 40 | i, &id));
                assert_int_equal(id, i);
                assert_int_equal(pf_statetab_find_word(&table, 0, i << 40 | i), i);
            }
            assert_true(table.key == keys && table.part->slot == slots);
            assert_int_equal(pf_statetab_find_word(&table, 0, UINT64_MAX), UINT32_MAX);
            assert_int_equal(pf_statetab_expect(&table, SIZE_MAX / 8), PF_ENOMEM);
            assert_int_equal(table.n, had > counts[k] ? had : counts[k]);
            pf_statetab_free(&table);
        }
}

static void the_empty_key_is_a_key(void **state) {
    (void)state;
    pf_statetab table;
    uint32_t id;
    size_t length;
    pf_statetab_init(&table, 0);
    assert_int_equal(pf_statetab_find(&table, "", 0), UINT32_MAX);
    assert_int_equal(pf_statetab_intern(&table, "", 0, &id, NULL), PF_OK);
    assert_int_equal(pf_statetab_intern(&table, "x", 1, &id, NULL), PF_OK);
    assert_int_equal(id, 1);
    assert_int_equal(pf_statetab_find(&table, "", 0), 0);
    assert_non_null(pf_statetab_key(&table, 0, &length));
    assert_int_equal(length, 0);
    pf_statetab_free(&table);
}

/* Against a plain array of flags, around the word boundaries. */
static void covers_are_sets(void **state) {
    (void)state;
    const unsigned lengths[] = {0, 1, 63, 64, 65, 127, 128, 129, 200};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        unsigned n = lengths[k], nw = pf_cover_words(n), count = 0;
        pf_cover cover[4] = {0}, out[4];
        bool flag[257] = {false};
        for (unsigned j = 0; j < n; j++)
            if (j * 7 % 5 < 2 || j < n / 3) {
                pf_cover_put(cover, j);
                flag[j] = true;
                count++;
            }
        assert_int_equal(pf_cover_count(cover, nw), count);
        for (unsigned from = 0; from <= n; from++) {
            unsigned next = from, gap = from;
            while (next < 64 * nw && !flag[next]) next++;
            while (gap < 64 * nw && flag[gap]) gap++;
            assert_int_equal(pf_cover_next(cover, nw, from), next);
            assert_int_equal(pf_cover_gap(cover, nw, from), gap);
            for (unsigned to = from; to <= n; to += 1 + n / 9) {
                pf_cover_range(out, nw, from, to);
                for (unsigned j = 0; j < 64 * nw; j++) assert_int_equal(pf_cover_has(out, j), j >= from && j < to);
            }
        }
        pf_cover_uncovered(cover, n, out);
        for (unsigned j = 0; j < 64 * nw; j++) assert_int_equal(pf_cover_has(out, j), j < n && !flag[j]);
    }
}

static bool less(const void *self, uint32_t a, uint32_t b) {
    const uint32_t *key = self;
    return key[a] != key[b] ? key[a] < key[b] : a < b;
}

static void a_heap_sorts(void **state) {
    (void)state;
    uint32_t key[500], x = 1;
    pf_heap h = {.before = less, .self = key};
    for (uint32_t i = 0; i < 500; i++) {
        x = x * 1664525u + 1013904223u;
        key[i] = x >> 27;
        assert_int_equal(pf_heap_push(&h, i), PF_OK);
    }
    for (uint32_t i = 0, last = 0; i < 500; i++) {
        uint32_t next = pf_heap_pop(&h);
        if (i) assert_true(less(key, last, next));
        last = next;
    }
    assert_int_equal(h.n, 0);
    pf_heap_free(&h);
}

static void specifications_are_split_and_checked(void **state) {
    (void)state;
    pf_params params;
    uint64_t n;
    double x;
    assert_int_equal(pf_params_parse("name:12,x,0.5", &params), PF_OK);
    assert_string_equal(params.name, "name");
    assert_int_equal(params.n, 3);
    assert_int_equal(pf_params_number(&params, 0, 1, 100, &n), PF_OK);
    assert_int_equal(n, 12);
    assert_int_equal(pf_params_number(&params, 0, 1, 11, &n), PF_EARG);
    assert_int_equal(pf_params_number(&params, 1, 1, 11, &n), PF_EARG);
    assert_int_equal(pf_params_real(&params, 2, 0, 1, &x), PF_OK);
    assert_int_equal(pf_params_real(&params, 2, 0.5, 1, &x), PF_EARG);
    assert_int_equal(pf_params_expect(&params, 1, "name:N"), PF_EARG);
    assert_int_equal(pf_params_parse("a:1,2,3,4,5,6,7,8,9", &params), PF_EARG);
    for (const char *const *bad = (const char *const[]){"a:", "a:-1", "a: 1", "a:1x", "a:99999999999999999999",
                                                        NULL}; *bad; bad++) {
        assert_int_equal(pf_params_parse(*bad, &params), PF_OK);
        assert_int_equal(pf_params_number(&params, 0, 0, UINT64_MAX, &n), PF_EARG);
    }
    for (const char *const *bad = (const char *const[]){"a:nan", "a:", "a:0.5.", "a:inf", NULL}; *bad; bad++) {
        assert_int_equal(pf_params_parse(*bad, &params), PF_OK);
        assert_int_equal(pf_params_real(&params, 0, 0, 1, &x), PF_EARG);
    }
}

static void an_arena_wastes_little(void **state) {
    (void)state;
    pf_arena arena = {0};
    unsigned char *piece[1000];
    size_t wanted = 0;
    for (unsigned i = 0; i < 1000; wanted += i++) {
        piece[i] = pf_arena_get(&arena, i);
        assert_true((uintptr_t)piece[i] % 16 == 0);
        memset(piece[i], (int)(i % 256), i);
    }
    for (unsigned i = 0; i < 1000; i++)
        for (unsigned k = 0; k < i; k++) assert_int_equal(piece[i][k], i % 256);
    assert_true(arena.total >= wanted && arena.total <= 2 * wanted);
    piece[0] = pf_arena_get(&arena, 1 << 20); /* larger than any chunk */
    memset(piece[0], 1, 1 << 20);
    assert_null(pf_arena_get(&arena, SIZE_MAX));
    pf_arena_free(&arena);
}

static void the_hash_is_the_same_everywhere(void **state) {
    (void)state;
    /* Records carry it: these values must never change. */
    assert_true(pf_hash("", 0, 1) != pf_hash("", 0, 2));
    assert_true(pf_hash("abcdefgh", 8, 1) != pf_hash("abcdefg", 7, 1));
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)pf_hash("the quick brown fox", 19, 1));
    assert_string_equal(hex, "ddfd251b27e6ec73");
    const char text[] = "jackdaws love my big sphinx of quartz";
    for (size_t n = 0; n < sizeof text; n++) {
        uint64_t two[2];
        pf_hash_two(text, n, 1, 2, two);
        assert_true(two[0] == pf_hash(text, n, 1) && two[1] == pf_hash(text, n, 2));
    }
}

static void digits_are_read_up_to_any_limit(void **state) {
    static const struct {
        const char *text;
        bool whole; /* is all of it a number? */
        uint64_t x;
        size_t digits; /* that it begins with */
    } cases[] = {
        {"0", true, 0, 1},        {"007", true, 7, 3},       {"65535", true, 65535, 5},
        {"", false, 0, 0},        {"-1", false, 0, 0},       {"12x", false, 12, 2},
        {" 1", false, 0, 0},      {"18446744073709551614", true, UINT64_MAX - 1, 20},
        {"18446744073709551615", true, UINT64_MAX, 20},      {"18446744073709551616", true, UINT64_MAX, 20},
        {"99999999999999999999999", true, UINT64_MAX, 23},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        uint64_t x = 1, y = 1;
        assert_int_equal(pf_digits(cases[i].text, strlen(cases[i].text), &x), cases[i].whole);
        if (cases[i].whole) assert_true(x == cases[i].x);
        assert_int_equal(pf_digits_take(&at, &y), cases[i].digits > 0);
        assert_int_equal(at - cases[i].text, cases[i].digits);
        if (cases[i].digits) assert_true(y == cases[i].x);
    }
}

/* ---- the nearest name ---- */

static const char *name_of(const void *self, size_t i) {
    const char *const *names = self;
    return names[i];
}

static void test_nearest(void **state) {
    static const char *const names[] = {"itg", "ibm", "inverse-ibm", "local", "distortion", "a", NULL};
    static const struct {
        const char *text, *meant;
    } cases[] = {
        {"igt", "itg"},     {"ib", "ibm"},          {"inverse", "inverse-ibm"}, {"locale", "local"}, {"olcal", "local"},
        {"loc", "local"},   {"disortoin", "distortion"}, {"inv-ibm", NULL},     {"xyz", NULL},       {"", NULL},
        {"b", NULL},        {"ixx", NULL},          {"olcla", "local"},         {"distort", "distortion"},
        {"0123456789012345678901234567890123456789012345678901234567890123456789", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = pf_nearest(cases[i].text, strlen(cases[i].text), name_of, names);
        if (cases[i].meant) assert_string_equal(found ? found : cases[i].text, cases[i].meant);
        else assert_null(found);
    }
    assert_string_equal(pf_nearest("ibm:4", 3, name_of, names), "ibm");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(lines_end_with_lf_crlf_or_the_input),
        cmocka_unit_test(long_lines_are_whole),
        cmocka_unit_test(gzip_is_unpacked_member_by_member),
        cmocka_unit_test(a_byte_order_mark_is_in_no_line),
        cmocka_unit_test(digits_are_read_up_to_any_limit),
        cmocka_unit_test(a_reader_says_how_far_it_is_and_when_it_waits),
        cmocka_unit_test(damaged_gzip_is_an_error_at_every_cut),
        cmocka_unit_test(peeking_takes_nothing),
        cmocka_unit_test(shared_bytes_are_those_that_come_next),
        cmocka_unit_test(what_is_packed_is_not_mapped),
        cmocka_unit_test(a_large_packed_file_is_read_ahead),
        cmocka_unit_test(what_is_in_place_is_passed_over),
        cmocka_unit_test(packed_numbers_come_back),
        cmocka_unit_test(packed_numbers_that_end_early_are_refused),
        cmocka_unit_test(strings_are_bounded),
        cmocka_unit_test(numbers_are_little_endian_both_ways),
        cmocka_unit_test(a_file_appears_whole_or_not_at_all),
        cmocka_unit_test(a_full_disk_is_an_error_at_the_close),
        cmocka_unit_test(descriptors_that_do_not_block_are_waited_for),
        cmocka_unit_test(rights_of_another_owner_are_not_kept),
        cmocka_unit_test(json_has_all_characters_and_nothing_else),
        cmocka_unit_test(cells_of_text_stay_on_one_line),
        cmocka_unit_test(a_state_table_gives_dense_ids_in_order),
        cmocka_unit_test(a_state_table_expects_keys),
        cmocka_unit_test(the_empty_key_is_a_key),
        cmocka_unit_test(covers_are_sets),
        cmocka_unit_test(a_heap_sorts),
        cmocka_unit_test(specifications_are_split_and_checked),
        cmocka_unit_test(an_arena_wastes_little),
        cmocka_unit_test(the_hash_is_the_same_everywhere),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
