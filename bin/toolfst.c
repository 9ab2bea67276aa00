/* Streams named on a command line. */
#include "toolfst.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

toolfst_options toolfst = {.first_record = 1};
const char *const toolfst_far_forms[] = {"stlist", "sttable", NULL};
const char *const toolfst_arc_types[] = {"standard", "log", "log64", NULL};

static bool stdin_taken;
static void (*tell)(void *self);
static void *told;

void toolfst_before_wait(void (*call)(void *self), void *self) {
    tell = call;
    told = self;
}

static void before_wait(void *unused) {
    (void)unused;
    if (tell) tell(told);
}

pf_err toolfst_open(const char *path, pf_reader **out) {
    if (strcmp(path, "-") == 0) {
        if (stdin_taken) return pf_fail(PF_EARG, "only one operand can be standard input");
        stdin_taken = true;
    }
    PF_TRY(pf_reader_open(path, out));
    pf_reader_before_wait(*out, before_wait, NULL);
    return PF_OK;
}

/* ---- output ---- */

pf_err toolfst_check_outputs(const char *const *paths, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            if (!paths[i] || !paths[k] || strcmp(paths[i], paths[k]) != 0) continue;
            if (strcmp(paths[i], "-") == 0) return pf_fail(PF_EARG, "only one output can be standard output");
            return pf_fail(PF_EARG, "two outputs go to %s", paths[i]);
        }
    return PF_OK;
}

pf_err toolfst_create(const char *path, pf_writer **out) {
    PF_TRY(pf_writer_open(path, out));
    tool_temporary(pf_writer_temporary(*out));
    return PF_OK;
}

static pf_err close_outputs(pf_writer *const *w, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (w[i]) PF_TRY(pf_writer_close(w[i]));
    tool_temporary(NULL);
    return PF_OK;
}

pf_err toolfst_close_outputs(pf_writer *const *w, size_t n) {
    tool_write_begin();
    pf_err err = close_outputs(w, n);
    tool_write_end();
    return err;
}

pf_err toolfst_close_output(pf_writer *w) { return toolfst_close_outputs(&w, 1); }

pf_err toolfst_open_output(pf_writer **out) { return toolfst_create(toolfst.output ? toolfst.output : "-", out); }

pf_err toolfst_symbols(const char *path, pf_symtab **out) {
    pf_reader *r;
    PF_TRY(toolfst_open(path, &r));
    pf_err err = pf_symtab_read_text(r, out);
    pf_reader_free(r);
    return err;
}

/* ---- how much there is to read ---- */

static uint64_t position_before; /* of the operands that are done */

/* Of a regular file, what is not read yet; else 0. */
static uint64_t size_of(const char *path) {
    struct stat there;
    bool standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(STDIN_FILENO, &there) : stat(path, &there)) != 0 || !S_ISREG(there.st_mode)) return 0;
    off_t at = standard ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    return at >= 0 && at < there.st_size ? (uint64_t)(there.st_size - at) : 0;
}

void toolfst_inputs(int n, char **operands) {
    uint64_t all = 0;
    for (int i = 0; i < n; i++) {
        uint64_t one = size_of(operands[i]);
        if (!one) return;
        all += one;
    }
    tool_input(all);
}

uint64_t toolfst_position(const pf_reader *reader) { return position_before + pf_reader_stored(reader); }
void toolfst_input_done(const pf_reader *reader) { position_before += pf_reader_stored(reader); }

/* ---- reading ---- */

static uint64_t records_before; /* of the operands that are done */

/* What does not begin a stream is taken for ARPA text. */
static pf_err is_stream(pf_reader *r, bool *yes) {
    const unsigned char *at;
    size_t n;
    PF_TRY(pf_reader_peek(r, PF_STREAM_LOOK, &at, &n));
    *yes = pf_stream_begins(at, n);
    return PF_OK;
}

static pf_err arpa_blob(pf_reader *r, pf_blob **out) {
    pf_model model;
    PF_TRY(pf_ngram_read_arpa(r, tool_warn, NULL, &model));
    return pf_blob_of_model(&model, out);
}

static pf_err read_model(toolfst_source *s) {
    bool stream;
    PF_TRY(is_stream(s->reader, &stream));
    if (stream) return PF_OK;
    pf_blob *model;
    PF_TRY(arpa_blob(s->reader, &model));
    pf_err err = pf_expr_of_model(model, &s->model);
    pf_blob_free(model);
    return err;
}

pf_err toolfst_source_open(const char *path, toolfst_source *out) {
    *out = (toolfst_source){0};
    PF_TRY(toolfst_open(path, &out->reader));
    if (toolfst.models) PF_TRY(read_model(out));
    return pf_stream_reader_new(out->reader, toolfst.first_record + records_before, &out->stream);
}

void toolfst_source_free(toolfst_source *s) {
    pf_expr_free(s->model);
    pf_stream_reader_free(s->stream);
    pf_reader_free(s->reader);
    *s = (toolfst_source){0};
}

static pf_err beside(pf_fst *fst) {
    static pf_symtab *isyms, *osyms; /* live as long as the program */
    if (toolfst.isyms && !isyms) PF_TRY(toolfst_symbols(toolfst.isyms, &isyms));
    if (toolfst.osyms && !osyms) PF_TRY(toolfst_symbols(toolfst.osyms, &osyms));
    pf_fst_set_symbols(fst, fst->isyms ? fst->isyms : isyms, fst->osyms ? fst->osyms : osyms);
    return PF_OK;
}

static pf_err attach_symbols(pf_expr *e) {
    if (!e || (!toolfst.isyms && !toolfst.osyms)) return PF_OK;
    if (e->kind == PF_EXPR_FST) return beside(e->fst);
    PF_TRY(attach_symbols(e->first));
    return attach_symbols(e->second);
}

pf_err toolfst_next(toolfst_source *s, pf_expr **out) {
    if (s->model) {
        *out = s->model;
        s->model = NULL;
        s->taken = 1;
        return PF_OK;
    }
    PF_TRY(pf_stream_next(s->stream, out));
    pf_err err = attach_symbols(*out);
    if (!err) return PF_OK;
    pf_expr_free(*out);
    *out = NULL;
    return err;
}

/* The number of the record last read; the one before the first where there was none yet. */
static uint64_t record_of(const toolfst_source *s) { return pf_stream_record(s->stream) + s->taken; }

static const char *reading = "-"; /* the operand */

const char *toolfst_reading(void) { return reading; }

pf_err toolfst_name_record(pf_err err, const char *file, uint64_t record) {
    char prefix[32];
    int n = snprintf(prefix, sizeof prefix, "record %llu", (unsigned long long)record);
    const char *named = strstr(pf_message(), prefix);
    if (err == PF_EIO || (named && (named[n] < '0' || named[n] > '9'))) return err;
    return pf_fail_in(err, "%s: %s: ", strcmp(file, "-") ? file : "standard input", prefix);
}

static pf_err read_source(toolfst_source *s, toolfst_each each, void *self) {
    for (;;) {
        pf_expr *e;
        PF_TRY(toolfst_next(s, &e));
        if (!e) return PF_OK;
        pf_err err = each(self, &e, record_of(s), toolfst_position(s->reader));
        pf_expr_free(e);
        PF_TRY(err);
    }
}

pf_err toolfst_read(int n, char **operands, toolfst_each each, void *self) {
    static char *standard_input[] = {"-"};
    if (!n) {
        n = 1;
        operands = standard_input;
    }
    toolfst_inputs(n, operands);
    for (int i = 0; i < n; i++) {
        toolfst_source s;
        pf_err err = toolfst_source_open(reading = operands[i], &s);
        if (!err) err = read_source(&s, each, self);
        if (!err) records_before = record_of(&s) + 1 - toolfst.first_record;
        if (!err) toolfst_input_done(s.reader);
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
        return pf_fail(PF_EINPUT, "%s: expected one model, found another record behind it", pf_reader_name(s->reader));
    }
    *blob = pf_blob_ref((*first)->shared);
    pf_expr_free(*first);
    *first = NULL;
    return PF_OK;
}

pf_err toolfst_operand(const char *path, pf_blob **blob, pf_expr **first, toolfst_source *more) {
    bool stream = false;
    *blob = NULL;
    *first = NULL;
    *more = (toolfst_source){0};
    PF_TRY(toolfst_open(path, &more->reader));
    pf_err err = is_stream(more->reader, &stream);
    if (!err && !stream) err = arpa_blob(more->reader, blob);
    if (!err && stream) err = pf_stream_reader_new(more->reader, 1, &more->stream);
    if (!err && stream) err = toolfst_next(more, first);
    if (!err && stream && !*first) err = pf_fail(PF_EINPUT, "%s is empty: expected a model or an automaton (did the command before it fail?)", path);
    if (!err && stream && (*first)->kind == PF_EXPR_MODEL) err = only_model(more, blob, first);
    if (err || *blob) toolfst_source_free(more);
    return err;
}

/* ---- writing ---- */

pf_err toolfst_sink_open(toolfst_sink *out) {
    pf_stream_form form = !toolfst.far ? PF_AS_RECORDS : strcmp(toolfst.far, "stlist") ? PF_AS_STTABLE : PF_AS_FAR;
    *out = (toolfst_sink){0};
    PF_TRY(toolfst_open_output(&out->writer));
    return pf_stream_writer_new(out->writer, form, &out->stream);
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
    tool_write_begin();
    pf_err err = pf_stream_end(s->stream);
    if (!err) err = close_outputs(&s->writer, 1);
    tool_write_end();
    return err;
}

void toolfst_sink_free(toolfst_sink *s) {
    pf_stream_writer_free(s->stream);
    pf_writer_free(s->writer);
    *s = (toolfst_sink){0};
}
