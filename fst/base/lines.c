/* A piece is the bytes of its lines and where they end. */
#include <permfst/base/lines.h>

#include <permfst/base/vec.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t end;      /* of the bytes, with the NUL */
    size_t out;      /* of what is printed: where it ends */
    pf_err err;
    char *message;   /* or NULL */
} outcome;

typedef struct {
    const char *name;            /* of the reader */
    uint64_t line, record, stored; /* of the first line; what is stored up to the end of the last one */
    PF_VEC(char) bytes;
    PF_VEC(outcome) lines;
    char *results;
    pf_writer *out;
} block;

struct pf_lines {
    pf_line_steps steps;
    void *self;
    pf_line_options options;
    pf_writer *out;
    pf_workers *workers;
    uint64_t record, stored; /* of the next line; what the readers before have stored */
    bool failed;
};

pf_err pf_line_check(const char *line, size_t length) {
    return strlen(line) == length ? PF_OK : pf_fail(PF_EINPUT, "expected text, found a NUL byte");
}

/* ---- work ---- */

static pf_err fail(const block *b, size_t i, pf_err err) {
    outcome *o = &b->lines.at[i];
    if (err != PF_EIO && err != PF_ENOMEM) pf_fail_in(err, "%s:%llu: ", b->name, (unsigned long long)(b->line + i));
    o->err = err;
    o->message = strdup(pf_message());
    return o->message ? PF_OK : pf_nomem();
}

static pf_err work_on(const pf_lines *l, block *b, size_t i, pf_writer *one) {
    size_t begin = i ? b->lines.at[i - 1].end : 0, n;
    pf_line line = {b->bytes.at + begin, b->lines.at[i].end - begin - 1, b->record + i, one, b->results + i * l->steps.result};
    pf_writer_clear(one);
    pf_err err = pf_line_check(line.text, line.length);
    if (!err) err = l->steps.work(l->self, &line);
    if (err) PF_TRY(fail(b, i, err));
    const unsigned char *at = pf_writer_bytes(one, &n);
    if (!err) PF_TRY(pf_writer_put(b->out, at, n));
    pf_writer_bytes(b->out, &b->lines.at[i].out);
    return PF_OK;
}

static pf_err work(void *self, void *piece) {
    const pf_lines *l = self;
    block *b = piece;
    pf_writer *one;
    b->results = calloc(b->lines.n + 1, l->steps.result + 1);
    if (!b->results) return pf_nomem();
    PF_TRY(pf_writer_memory(&b->out));
    PF_TRY(pf_writer_memory(&one));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < b->lines.n; i++) {
        err = work_on(l, b, i, one);
        if (b->lines.at[i].err && !l->options.failed) break; /* the end */
    }
    pf_writer_free(one);
    return err;
}

/* ---- finish ---- */

static pf_err skip(pf_lines *l, const outcome *o) {
    pf_fail(o->err, "%s", o->message);
    l->failed = true;
    PF_TRY(l->options.failed ? l->options.failed(l->options.call, o->err) : o->err);
    return pf_writer_text(l->out, "%s", l->steps.stand_in);
}

static pf_err finish_line(pf_lines *l, const block *b, size_t i) {
    size_t n, begin = i ? b->lines.at[i - 1].out : 0;
    const unsigned char *at = pf_writer_bytes(b->out, &n);
    if (b->lines.at[i].err) return skip(l, &b->lines.at[i]);
    PF_TRY(pf_writer_put(l->out, at + begin, b->lines.at[i].out - begin));
    if (l->steps.finish) l->steps.finish(l->self, b->results + i * l->steps.result);
    return PF_OK;
}

/* What comes before an error is printed. */
static pf_err finish(void *self, void *piece, pf_err err) {
    pf_lines *l = self;
    block *b = piece;
    for (size_t i = 0; !err && i < b->lines.n; i++) {
        err = finish_line(l, b, i);
        if (!err && l->options.done) l->options.done(l->options.call, b->record + i, b->stored);
    }
    pf_err flushed = err == PF_EIO ? err : pf_writer_flush(l->out);
    return err ? err : flushed;
}

static void drop(void *piece) {
    block *b = piece;
    for (size_t i = 0; i < b->lines.n; i++) free(b->lines.at[i].message);
    PF_VEC_FREE(&b->bytes);
    PF_VEC_FREE(&b->lines);
    free(b->results);
    pf_writer_free(b->out);
}

/* ---- reading ---- */

static pf_err add_line(block *b, const char *line, size_t length) {
    PF_TRY(PF_ROOM(&b->bytes, length + 1));
    memcpy(b->bytes.at + b->bytes.n, line, length + 1);
    b->bytes.n += length + 1;
    outcome o = {.end = b->bytes.n};
    return PF_PUSH(&b->lines, o);
}

/* The lines that are there, one at least; *more = false at the end. */
static pf_err read_block(const pf_lines *l, pf_reader *r, block *b, bool *more) {
    do {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(r, &line, &length));
        *more = line != NULL;
        if (line) PF_TRY(add_line(b, line, length));
    } while (*more && b->lines.n < l->steps.most && pf_reader_line_waits(r));
    return PF_OK;
}

/* Lines that were read before an error are worked on before it counts. */
static pf_err take_block(pf_lines *l, pf_reader *r, const char *name, bool *more) {
    block b = {.name = name, .line = pf_reader_line_number(r) + 1, .record = l->record};
    pf_err err = read_block(l, r, &b, more);
    b.stored = l->stored + pf_reader_stored(r);
    l->record += b.lines.n;
    if (!err) return pf_workers_put(l->workers, &b, PF_OK);
    char message[1024];
    snprintf(message, sizeof message, "%s", pf_message());
    PF_TRY(pf_workers_put(l->workers, &b, PF_OK));
    return pf_fail(err, "%s", message);
}

pf_err pf_lines_read(pf_lines *l, pf_reader *reader) {
    const char *name; /* pieces outlive the reader */
    PF_TRY(pf_workers_keep(l->workers, pf_reader_name(reader), &name));
    for (bool more = true; more;) PF_TRY(take_block(l, reader, name, &more));
    l->stored += pf_reader_stored(reader);
    return PF_OK;
}

void pf_lines_hurry(void *lines) { pf_workers_hurry(((pf_lines *)lines)->workers); }

/* ---- the whole ---- */

pf_err pf_lines_new(const pf_line_steps *steps, void *self, const pf_line_options *options, pf_writer *out, pf_lines **out_lines) {
    static const pf_workers_steps of_blocks = {sizeof(block), work, finish, drop};
    assert(steps->most && steps->work && steps->stand_in);
    pf_lines *l = *out_lines = calloc(1, sizeof *l);
    if (!l) return pf_nomem();
    *l = (pf_lines){.steps = *steps, .self = self, .options = *options, .out = out, .record = options->first};
    pf_err err = pf_workers_new(options->threads, &of_blocks, l, &options->hooks, &l->workers);
    if (!err) return PF_OK;
    *out_lines = NULL;
    return pf_lines_end(l, err, NULL);
}

pf_err pf_lines_end(pf_lines *l, pf_err reading, bool *failed) {
    if (failed) *failed = false;
    if (!l) return reading;
    pf_err err = pf_workers_end(l->workers, reading);
    if (failed) *failed = l->failed;
    free(l);
    return err;
}
