/* Streams named on a command line. */
#include "toolfst.h"

#include "toolcall.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void toolfst_before_wait(tool_call *call, void (*tell)(void *self), void *self) {
    call->input.tell = tell;
    call->input.told = self;
}

static void before_wait(void *self) {
    const tool_call *call = self;
    if (call->input.tell) call->input.tell(call->input.told);
}

const char *toolfst_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

static pf_err open_standard_input(tool_call *call, pf_reader **out) {
    if (call->input.stdin_taken) return pf_fail(PF_EARG, "standard input can be read for only one operand");
    call->input.stdin_taken = true;
    return pf_reader_descriptor(call->streams.in, "standard input", out);
}

pf_err toolfst_open(tool_call *call, const char *path, pf_reader **out) {
    PF_TRY(strcmp(path, "-") ? pf_reader_open(path, out) : open_standard_input(call, out));
    pf_reader_before_wait(*out, before_wait, call);
    return PF_OK;
}

/* ---- output ---- */

pf_err toolfst_check_outputs(const char *const *paths, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            if (!paths[i] || !paths[k] || strcmp(paths[i], paths[k]) != 0) continue;
            if (strcmp(paths[i], "-") == 0) return pf_fail(PF_EARG, "only one output can go to standard output");
            return pf_fail(PF_EARG, "two outputs go to %s", paths[i]);
        }
    return PF_OK;
}

pf_err toolfst_create(tool_call *call, const char *path, pf_writer **out) {
    if (strcmp(path, "-") == 0) return pf_writer_descriptor(call->streams.out, "standard output", out);
    PF_TRY(pf_writer_open(path, out));
    if (tool_common_of(call)->no_sync) pf_writer_no_sync(*out);
    tool_temporary(call, pf_writer_temporary(*out));
    return PF_OK;
}

static pf_err close_outputs(tool_call *call, pf_writer *const *w, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (w[i]) PF_TRY(pf_writer_close(w[i]));
    tool_temporary(call, NULL);
    return PF_OK;
}

pf_err toolfst_close_outputs(tool_call *call, pf_writer *const *w, size_t n) {
    tool_write_begin(call);
    pf_err err = close_outputs(call, w, n);
    tool_write_end(call);
    return err;
}

pf_err toolfst_close_output(tool_call *call, pf_writer *w) { return toolfst_close_outputs(call, &w, 1); }

pf_err toolfst_open_output(tool_call *call, pf_writer **out) {
    const char *path = tool_common_of(call)->output;
    return toolfst_create(call, path ? path : "-", out);
}

pf_err toolfst_symbols(tool_call *call, const char *path, pf_symtab **out) {
    pf_reader *r;
    PF_TRY(toolfst_open(call, path, &r));
    pf_err err = pf_symtab_read_text(r, out);
    pf_reader_free(r);
    return err;
}

/* ---- how much there is to read ---- */

/* Of a regular file, what is not read yet; else 0. */
static uint64_t size_of(const tool_call *call, const char *path) {
    struct stat there;
    bool standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(call->streams.in, &there) : stat(path, &there)) != 0 || !S_ISREG(there.st_mode)) return 0;
    off_t at = standard ? lseek(call->streams.in, 0, SEEK_CUR) : 0;
    return at >= 0 && at < there.st_size ? (uint64_t)(there.st_size - at) : 0;
}

void toolfst_inputs(tool_call *call, int *n, char *const **operands) {
    static char dash[] = "-";
    static char *const standard_input[] = {dash};
    uint64_t all = 0;
    if (!*n) {
        *n = 1;
        *operands = standard_input;
    }
    for (int i = 0; i < *n; i++) {
        uint64_t one = size_of(call, (*operands)[i]);
        if (!one) return;
        all += one;
    }
    tool_input(call, all);
}

uint64_t toolfst_position(const tool_call *call, const pf_reader *reader) {
    return call->input.stored + pf_reader_stored(reader);
}

void toolfst_input_done(tool_call *call, const pf_reader *reader) { call->input.stored += pf_reader_stored(reader); }

/* ---- reading ---- */

/* What does not begin a stream is taken for ARPA text. */
static pf_err is_stream(pf_reader *r, bool *yes) {
    const unsigned char *at;
    size_t n;
    PF_TRY(pf_reader_peek(r, PF_STREAM_LOOK, &at, &n));
    *yes = pf_stream_begins(at, n);
    return PF_OK;
}

static pf_err arpa_blob(tool_call *call, pf_reader *r, pf_blob **out) {
    pf_model model;
    PF_TRY(pf_ngram_read_arpa(r, tool_warn, call, &model));
    return pf_blob_of_model(&model, out);
}

static pf_err read_model(toolfst_source *s) {
    bool stream;
    pf_blob *model;
    PF_TRY(is_stream(s->reader, &stream));
    if (stream) return PF_OK;
    PF_TRY(arpa_blob(s->call, s->reader, &model));
    pf_err err = pf_expr_of_model(model, &s->model);
    pf_blob_free(model);
    return err;
}

pf_err toolfst_source_open(tool_call *call, const char *path, toolfst_source *out) {
    *out = (toolfst_source){.call = call};
    PF_TRY(toolfst_open(call, path, &out->reader));
    if (call->program->models) PF_TRY(read_model(out));
    return pf_stream_reader_new(out->reader, tool_common_of(call)->first_record + call->input.records, &out->stream);
}

void toolfst_source_free(toolfst_source *s) {
    pf_expr_free(s->model);
    pf_stream_reader_free(s->stream);
    pf_reader_free(s->reader);
    *s = (toolfst_source){0};
}

static pf_err beside(tool_call *call, pf_fst *fst) {
    const tool_common *o = tool_common_of(call);
    tool_input_state *in = &call->input;
    if (o->isyms && !in->isyms) PF_TRY(toolfst_symbols(call, o->isyms, &in->isyms));
    if (o->osyms && !in->osyms) PF_TRY(toolfst_symbols(call, o->osyms, &in->osyms));
    pf_fst_set_symbols(fst, fst->isyms ? fst->isyms : in->isyms, fst->osyms ? fst->osyms : in->osyms);
    return PF_OK;
}

static pf_err attach_symbols(tool_call *call, pf_expr *e) {
    if (!e || (!tool_common_of(call)->isyms && !tool_common_of(call)->osyms)) return PF_OK;
    if (e->kind == PF_EXPR_FST) return beside(call, e->fst);
    PF_TRY(attach_symbols(call, e->first));
    return attach_symbols(call, e->second);
}

pf_err toolfst_next(toolfst_source *s, pf_expr **out) {
    if (s->model) {
        *out = s->model;
        s->model = NULL;
        s->taken = 1;
        return PF_OK;
    }
    PF_TRY(pf_stream_next(s->stream, out));
    pf_err err = attach_symbols(s->call, *out);
    if (!err) return PF_OK;
    pf_expr_free(*out);
    *out = NULL;
    return err;
}

/* The number of the record last read; the one before the first where there was none yet. */
static uint64_t record_of(const toolfst_source *s) { return pf_stream_record(s->stream) + s->taken; }

const char *toolfst_reading(const tool_call *call) { return call->input.reading ? call->input.reading : "-"; }

pf_err toolfst_name_record(pf_err err, const char *file, uint64_t record) {
    char prefix[32];
    int n = snprintf(prefix, sizeof prefix, "record %llu", (unsigned long long)record);
    const char *named = strstr(pf_message(), prefix);
    if (err == PF_EIO || (named && (named[n] < '0' || named[n] > '9'))) return err;
    return pf_fail_in(err, "%s: %s: ", toolfst_name(file), prefix);
}

static pf_err read_source(toolfst_source *s, toolfst_each each, void *self) {
    for (;;) {
        pf_expr *e;
        PF_TRY(toolfst_next(s, &e));
        if (!e) return PF_OK;
        pf_err err = each(self, &e, record_of(s), toolfst_position(s->call, s->reader));
        pf_expr_free(e);
        PF_TRY(err);
    }
}

pf_err toolfst_read(tool_call *call, int n, char *const *operands, toolfst_each each, void *self) {
    toolfst_inputs(call, &n, &operands);
    for (int i = 0; i < n; i++) {
        toolfst_source s;
        call->input.reading = operands[i];
        pf_err err = toolfst_source_open(call, operands[i], &s);
        if (!err) err = read_source(&s, each, self);
        if (!err) call->input.records = record_of(&s) + 1 - tool_common_of(call)->first_record;
        if (!err) toolfst_input_done(call, s.reader);
        toolfst_source_free(&s);
        PF_TRY(err);
    }
    return PF_OK;
}

/* A model serves every record, so nothing can follow it. */
static pf_err only_model(toolfst_source *s, pf_blob **blob, pf_expr **first) {
    pf_expr *second;
    PF_TRY(toolfst_next(s, &second));
    if (second) {
        pf_expr_free(second);
        return pf_fail(PF_EINPUT, "%s: expected one model, found another record after it", pf_reader_name(s->reader));
    }
    *blob = pf_blob_ref((*first)->shared);
    pf_expr_free(*first);
    *first = NULL;
    return PF_OK;
}

pf_err toolfst_operand(tool_call *call, const char *path, pf_blob **blob, pf_expr **first, toolfst_source *more) {
    bool stream = false;
    *blob = NULL;
    *first = NULL;
    *more = (toolfst_source){.call = call};
    PF_TRY(toolfst_open(call, path, &more->reader));
    pf_err err = is_stream(more->reader, &stream);
    if (!err && !stream) err = arpa_blob(call, more->reader, blob);
    if (!err && stream) err = pf_stream_reader_new(more->reader, 1, &more->stream);
    if (!err && stream) err = toolfst_next(more, first);
    if (!err && stream && !*first) err = pf_fail(PF_EINPUT, "%s is empty: expected a model or an automaton (did the command before it fail?)", path);
    if (!err && stream && (*first)->kind == PF_EXPR_MODEL) err = only_model(more, blob, first);
    if (err || *blob) toolfst_source_free(more);
    return err;
}

/* ---- writing ---- */

pf_err toolfst_sink_open(tool_call *call, toolfst_sink *out) {
    static const pf_stream_form forms[] = {PF_AS_FAR, PF_AS_STTABLE}; /* of tool_far_forms */
    int far = tool_common_of(call)->far;
    *out = (toolfst_sink){.call = call};
    PF_TRY(toolfst_open_output(call, &out->writer));
    return pf_stream_writer_new(out->writer, far == TOOL_NOT_GIVEN ? PF_AS_RECORDS : forms[far], &out->stream);
}

pf_err toolfst_put_nothing(toolfst_sink *s, uint64_t record) {
    pf_build none = {0};
    pf_fst *fst;
    pf_expr *e;
    PF_TRY(pf_build_finish(&none, PF_STANDARD, 0, &fst));
    PF_TRY(pf_expr_of_fst(fst, &e));
    pf_err err = pf_stream_put(s->stream, e, record);
    pf_expr_free(e);
    return err;
}

pf_err toolfst_put_no_answer(toolfst_sink *s, uint64_t record) {
    pf_expr *none;
    pf_answer answer = {.bound = -(double)INFINITY};
    PF_TRY(pf_expr_of_answer(&answer, &none));
    pf_err err = pf_stream_put(s->stream, none, record);
    pf_expr_free(none);
    return err;
}

pf_err toolfst_sink_close(toolfst_sink *s) {
    tool_write_begin(s->call);
    pf_err err = pf_stream_end(s->stream);
    if (!err) err = close_outputs(s->call, &s->writer, 1);
    tool_write_end(s->call);
    return err;
}

void toolfst_sink_free(toolfst_sink *s) {
    pf_stream_writer_free(s->stream);
    pf_writer_free(s->writer);
    *s = (toolfst_sink){0};
}
