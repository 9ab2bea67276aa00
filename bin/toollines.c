/* A piece is the bytes of its lines and where they end; each line has its own outcome. */
#include "toollines.h"

#include "toolprogress.h"

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
    const char *file;
    uint64_t line, record, position; /* of the first; the position is that after the last */
    PF_VEC(char) bytes;
    PF_VEC(outcome) lines;
    char *results;
    pf_writer *out;
} block;

typedef struct {
    tool_call *call;
    const toollines_steps *steps;
    void *self;
    pf_writer *out;
    toolring *ring;
    uint64_t record; /* of the next line */
    bool failed;
} lines;

/* ---- work ---- */

static pf_err fail(const block *b, size_t i, pf_err err) {
    outcome *o = &b->lines.at[i];
    if (err != PF_EIO && err != PF_ENOMEM)
        pf_fail_in(err, "%s:%llu: ", b->file, (unsigned long long)(b->line + i));
    o->err = err;
    o->message = strdup(pf_message());
    return o->message ? PF_OK : pf_nomem();
}

static pf_err work_on(const lines *l, block *b, size_t i, pf_writer *one) {
    size_t begin = i ? b->lines.at[i - 1].end : 0, n;
    toollines_line line = {l->call, b->bytes.at + begin, b->lines.at[i].end - begin - 1, b->record + i, one,
                           b->results + i * l->steps->result};
    pf_writer_clear(one);
    pf_err err = tool_check_text(line.text, line.length);
    if (!err) err = l->steps->work(l->self, &line);
    if (err) PF_TRY(fail(b, i, err));
    const unsigned char *at = pf_writer_bytes(one, &n);
    if (!err) PF_TRY(pf_writer_put(b->out, at, n));
    pf_writer_bytes(b->out, &b->lines.at[i].out);
    return PF_OK;
}

static pf_err work(void *self, void *piece) {
    const lines *l = self;
    block *b = piece;
    pf_writer *one;
    b->results = calloc(b->lines.n + 1, l->steps->result + 1);
    if (!b->results) return pf_nomem();
    PF_TRY(pf_writer_memory(&b->out));
    PF_TRY(pf_writer_memory(&one));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < b->lines.n; i++) {
        err = work_on(l, b, i, one);
        if (b->lines.at[i].err && !tool_common_of(l->call)->keep_going) break; /* the end */
    }
    pf_writer_free(one);
    return err;
}

/* ---- finish ---- */

static pf_err skip(lines *l, const outcome *o) {
    pf_fail(o->err, "%s", o->message);
    PF_TRY(tool_skip(l->call, o->err, &l->failed));
    return pf_writer_text(l->out, "%s", l->steps->stand_in);
}

static pf_err finish_line(lines *l, const block *b, size_t i) {
    size_t n, begin = i ? b->lines.at[i - 1].out : 0;
    const unsigned char *at = pf_writer_bytes(b->out, &n);
    if (b->lines.at[i].err) return skip(l, &b->lines.at[i]);
    PF_TRY(pf_writer_put(l->out, at + begin, b->lines.at[i].out - begin));
    if (l->steps->finish) l->steps->finish(l->self, b->results + i * l->steps->result);
    return PF_OK;
}

/* What comes before an error is printed. */
static pf_err finish(void *self, void *piece, pf_err err) {
    lines *l = self;
    block *b = piece;
    for (size_t i = 0; !err && i < b->lines.n; i++) {
        err = finish_line(l, b, i);
        if (!err) tool_done(l->call, 1, b->record + i, b->position);
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
static pf_err read_block(const lines *l, pf_reader *r, block *b, bool *more) {
    do {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(r, &line, &length));
        *more = line != NULL;
        if (line) PF_TRY(add_line(b, line, length));
    } while (*more && b->lines.n < l->steps->most && pf_reader_line_waits(r));
    return PF_OK;
}

/* Lines that were read before an error are worked on before it counts. */
static pf_err take_block(lines *l, pf_reader *r, const char *file, bool *more) {
    block b = {.file = file, .line = pf_reader_line_number(r) + 1, .record = l->record};
    pf_err err = read_block(l, r, &b, more);
    b.position = toolfst_position(l->call, r);
    l->record += b.lines.n;
    if (!err) return toolring_put(l->ring, &b, PF_OK);
    char message[1024];
    snprintf(message, sizeof message, "%s", pf_message());
    PF_TRY(toolring_put(l->ring, &b, PF_OK));
    return pf_fail(err, "%s", message);
}

static pf_err read_file(lines *l, const char *path) {
    pf_reader *r;
    bool more = true;
    PF_TRY(toolfst_open(l->call, path, &r));
    const char *file = toolfst_name(path);
    pf_err err = PF_OK;
    while (!err && more) err = take_block(l, r, file, &more);
    if (!err) toolfst_input_done(l->call, r);
    pf_reader_free(r);
    return err;
}

static void hurry(void *ring) { toolring_hurry(ring); }

pf_err toollines_read(tool_call *call, int n, char *const *files, const toollines_steps *steps, void *self, pf_writer *out,
                      bool *failed) {
    static const toolring_steps ring = {sizeof(block), work, finish, drop};
    lines l = {.call = call, .steps = steps, .self = self, .out = out, .record = tool_common_of(call)->first_record};
    toolfst_inputs(call, &n, &files);
    pf_err err = toolring_new(call, &ring, &l, &l.ring);
    if (!err) toolfst_before_wait(call, hurry, l.ring);
    for (int i = 0; !err && i < n; i++) err = read_file(&l, files[i]);
    toolfst_before_wait(call, NULL, NULL);
    err = toolring_last(l.ring, err);
    *failed = l.failed;
    return err;
}
