/* A piece is the bytes of its lines and where they end; what was read beside a line follows it. */
#include <permfst/base/lines.h>

#include "base/failure.h"

#include <permfst/base/vec.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t length;   /* of the text, which has a NUL after it */
    size_t end;      /* of the bytes, with what was read beside the line, and a NUL */
    size_t out;      /* of what is printed: where it ends */
    bool left_out;   /* nobody wants it */
    pf_err err;
    char *message;   /* or NULL */
} outcome;

typedef struct {
    const char *name;            /* of the reader */
    uint64_t line, record, stored; /* of the first line; what is stored up to the end of the last one */
    PF_VEC(char) bytes; /* of each line: the text, a NUL, what was read beside it, a NUL */
    PF_VEC(outcome) lines;
    char *results;
    pf_writer *out;
} line_block;

struct pf_lines {
    pf_line_steps steps;
    void *self;
    pf_line_options options;
    pf_writer *out;
    pf_workers *workers;
    pf_writer *beside;           /* what was read beside a line; NULL: nothing is */
    uint64_t record, stored; /* of the next line; what the readers before have stored */
    bool failed;
};

pf_err pf_line_check(const char *line, size_t length) {
    return strlen(line) == length ? PF_OK : pf_fail(PF_EINPUT, "expected text, found a NUL byte");
}

/* ---- work ---- */

/* The line ends in an error, whose message is kept. */
static pf_err fail(const line_block *block, size_t i, pf_err err) {
    outcome *result = &block->lines.at[i];
    if (err != PF_EIO && err != PF_ENOMEM) pf_fail_in(err, "%s:%llu: ", block->name, (unsigned long long)(block->line + i));
    result->err = err;
    result->message = strdup(pf_message());
    return result->message ? PF_OK : pf_nomem();
}

static pf_err work_on(const pf_lines *lines, line_block *block, size_t number, pf_writer *one) {
    size_t begin = number ? block->lines.at[number - 1].end : 0, n;
    outcome *result = &block->lines.at[number];
    const char *text = block->bytes.at + begin;
    pf_line line = {text, result->length, block->record + number, text + result->length + 1, one,
                    block->results + number * lines->steps.result};
    pf_writer_clear(one);
    bool done = result->err || result->left_out;
    pf_err err = done ? PF_OK : pf_line_check(line.text, line.length);
    if (!err && !done) err = lines->steps.work(lines->self, &line);
    if (err) PF_TRY(fail(block, number, err));
    const unsigned char *at = pf_writer_bytes(one, &n);
    if (!result->err) PF_TRY(pf_writer_put(block->out, at, n));
    pf_writer_bytes(block->out, &result->out);
    return PF_OK;
}

static pf_err work(void *self, void *piece) {
    const pf_lines *lines = self;
    line_block *block = piece;
    pf_writer *one;
    block->results = calloc(block->lines.n + 1, lines->steps.result + 1);
    if (!block->results) return pf_nomem();
    PF_TRY(pf_writer_memory(&block->out));
    PF_TRY(pf_writer_memory(&one));
    pf_err err = PF_OK;
    for (size_t number = 0; !err && number < block->lines.n; number++) {
        err = work_on(lines, block, number, one);
        if (block->lines.at[number].err && !lines->options.failed) break; /* the end */
    }
    pf_writer_free(one);
    return err;
}

/* ---- finish ---- */

static pf_err skip(pf_lines *lines, const outcome *result) {
    pf_fail(result->err, "%s", result->message);
    lines->failed = true;
    PF_TRY(lines->options.failed ? lines->options.failed(lines->options.call, result->err) : result->err);
    return pf_writer_text(lines->out, "%s", lines->steps.stand_in);
}

static pf_err finish_line(pf_lines *lines, const line_block *block, size_t number) {
    size_t n, begin = number ? block->lines.at[number - 1].out : 0;
    const unsigned char *at = pf_writer_bytes(block->out, &n);
    if (block->lines.at[number].left_out) return PF_OK;
    if (block->lines.at[number].err) return skip(lines, &block->lines.at[number]);
    PF_TRY(pf_writer_put(lines->out, at + begin, block->lines.at[number].out - begin));
    if (lines->steps.finish) lines->steps.finish(lines->self, block->results + number * lines->steps.result);
    return PF_OK;
}

/* What comes before an error is printed. */
static pf_err finish(void *self, void *piece, pf_err err) {
    pf_lines *lines = self;
    line_block *block = piece;
    for (size_t number = 0; !err && number < block->lines.n; number++) {
        err = finish_line(lines, block, number);
        if (!err && lines->options.done) lines->options.done(lines->options.call, block->record + number, block->stored);
    }
    pf_err flushed = err == PF_EIO ? err : pf_writer_flush(lines->out);
    return err ? err : flushed;
}

static void drop(void *piece) {
    line_block *block = piece;
    for (size_t i = 0; i < block->lines.n; i++) free(block->lines.at[i].message);
    PF_VEC_FREE(&block->bytes);
    PF_VEC_FREE(&block->lines);
    free(block->results);
    pf_writer_free(block->out);
}

/* ---- reading ---- */

static pf_err add_bytes(line_block *block, const void *at, size_t length) {
    PF_TRY(PF_ROOM(&block->bytes, length + 1));
    memcpy(block->bytes.at + block->bytes.n, at, length);
    block->bytes.at[block->bytes.n + length] = 0;
    block->bytes.n += length + 1;
    return PF_OK;
}

static pf_err read_beside(const pf_lines *lines, const char *line) {
    if (!lines->beside) return PF_OK;
    pf_writer_clear(lines->beside);
    return lines->steps.read_beside(lines->self, line, lines->beside);
}

static pf_err add_line(const pf_lines *lines, line_block *block, const char *line, size_t length) {
    size_t n = 0;
    pf_err err = read_beside(lines, line);
    const unsigned char *beside = lines->beside ? pf_writer_bytes(lines->beside, &n) : NULL;
    PF_TRY(PF_ROOM(&block->lines, 1));
    PF_TRY(add_bytes(block, line, length));
    PF_TRY(add_bytes(block, beside ? (const char *)beside : "", err ? 0 : n));
    bool wanted = !lines->options.wanted || lines->options.wanted(lines->options.call, block->record + block->lines.n);
    block->lines.at[block->lines.n++] = (outcome){.length = length, .end = block->bytes.n, .left_out = !wanted};
    if (!err || !wanted || !(err = fail(block, block->lines.n - 1, err))) return PF_OK;
    block->lines.n--;
    return err;
}

/* The lines that are there, one at least; *more = false at the end. */
static pf_err read_block(const pf_lines *lines, pf_reader *reader, line_block *block, bool *more) {
    do {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(reader, &line, &length));
        *more = line != NULL;
        if (line) PF_TRY(add_line(lines, block, line, length));
    } while (*more && block->lines.n < lines->steps.most && pf_reader_line_waits(reader));
    return PF_OK;
}

/* Lines that were read before an error are worked on before it counts. */
static pf_err take_block(pf_lines *lines, pf_reader *reader, const char *name, bool *more) {
    line_block block = {.name = name, .line = pf_reader_line_number(reader) + 1, .record = lines->record};
    pf_err err = read_block(lines, reader, &block, more);
    block.stored = lines->stored + pf_reader_stored(reader);
    lines->record += block.lines.n;
    pfi_failure failed;
    pfi_failure_note(&failed, err);
    PF_TRY(pf_workers_put(lines->workers, &block, PF_OK));
    return pfi_failure_again(&failed);
}

pf_err pf_lines_read(pf_lines *lines, pf_reader *reader) {
    const char *name; /* pieces outlive the reader */
    PF_TRY(pf_workers_keep(lines->workers, pf_reader_name(reader), &name));
    for (bool more = true; more;) PF_TRY(take_block(lines, reader, name, &more));
    lines->stored += pf_reader_stored(reader);
    return PF_OK;
}

uint64_t pf_lines_next(const pf_lines *lines) { return lines->record; }

void pf_lines_hurry(void *lines) { pf_workers_hurry(((pf_lines *)lines)->workers); }

/* ---- the whole ---- */

pf_err pf_lines_new(const pf_line_steps *steps, void *self, const pf_line_options *options, pf_writer *out, pf_lines **out_lines) {
    static const pf_workers_steps of_blocks = {sizeof(line_block), work, finish, drop, NULL};
    assert(steps->most && steps->work && steps->stand_in);
    pf_lines *lines = *out_lines = calloc(1, sizeof *lines);
    if (!lines) return pf_nomem();
    *lines = (pf_lines){.steps = *steps, .self = self, .options = *options, .out = out, .record = options->first};
    pf_err err = steps->read_beside ? pf_writer_memory(&lines->beside) : PF_OK;
    if (!err) err = pf_workers_new(options->threads, &of_blocks, lines, &options->hooks, &lines->workers);
    if (!err) return PF_OK;
    *out_lines = NULL;
    return pf_lines_end(lines, err, NULL);
}

pf_err pf_lines_end(pf_lines *lines, pf_err reading, bool *failed) {
    if (failed) *failed = false;
    if (!lines) return reading;
    pf_err err = pf_workers_end(lines->workers, reading);
    if (failed) *failed = lines->failed;
    pf_writer_free(lines->beside);
    free(lines);
    return err;
}
