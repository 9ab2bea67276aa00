/* Streams named on a command line. */
#include "toolfst.h"

#include "toolcall.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void toolfst_before_wait(tool_call *call, void (*tell)(void *self), void *self) {
    call->input.tell = tell;
    call->input.told = self;
}

static void before_wait(void *self) {
    tool_call *call = self;
    if (call->input.tell) call->input.tell(call->input.told);
    tool_flush_or_end(call);
}

const char *toolfst_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

static pf_err open_standard_input(tool_call *call, pf_reader **out) {
    if (call->input.stdin_taken) return pf_fail(PF_EARG, "standard input can be read for only one operand");
    call->input.stdin_taken = true;
    return pf_reader_descriptor(call->streams.in, "standard input", out);
}

/* There may be no such file because a constraint is written in its place. */
static pf_err open_file(const tool_call *call, const char *path, pf_reader **out) {
    pf_err err = pf_reader_open(path, out);
    if (err != PF_EIO || access(path, F_OK) == 0) return err;
    if (!tool_find(call->program->options, "constraint", strlen("constraint"))) return err;
    char words[400];
    snprintf(words, sizeof words, "%s", pf_message());
    if (pf_con_check(path)) return pf_fail(err, "%s", words);
    return pf_fail(err, "%s; -c %s is how the constraint is written", words, path);
}

pf_err toolfst_open(tool_call *call, const char *path, pf_reader **out) {
    *out = NULL;
    if (!path) return PF_OK;
    PF_TRY(strcmp(path, "-") ? open_file(call, path, out) : open_standard_input(call, out));
    pf_reader_before_wait(*out, before_wait, call);
    return PF_OK;
}

pf_err toolfst_read(tool_call *call, const char *path, pf_err (*read)(void *self, pf_reader *reader), void *self) {
    pf_reader *reader;
    PF_TRY(toolfst_open(call, path, &reader));
    pf_err err = read(self, reader);
    pf_reader_free(reader);
    return err;
}

static bool is_read_once(const char *path) {
    struct stat it;
    return path && (strcmp(path, "-") == 0 || (stat(path, &it) == 0 && (S_ISFIFO(it.st_mode) || S_ISSOCK(it.st_mode))));
}

pf_err toolfst_check_files(const char *const *paths, size_t count, const char *why) {
    for (size_t i = 0; i < count; i++)
        if (is_read_once(paths[i])) return pf_fail(PF_EARG, "%s: %s", toolfst_name(paths[i]), why);
    return PF_OK;
}

/* ---- output ---- */

static pf_err check_outputs(const char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (!paths[i] || !paths[k] || strcmp(paths[i], paths[k]) != 0) continue;
            if (strcmp(paths[i], "-") == 0) return pf_fail(PF_EARG, "only one output can go to standard output");
            return pf_fail(PF_EARG, "two outputs go to %s", paths[i]);
        }
    return PF_OK;
}

pf_err toolfst_create(tool_call *call, const char *path, pf_writer **out) {
    if (strcmp(path, "-") == 0) return pf_writer_descriptor(call->streams.out, "standard output", out);
    tool_temporary_begin(call);
    pf_err err = pf_writer_open(path, out);
    if (!err) tool_temporary(call, pf_writer_temporary(*out));
    tool_temporary_end(call);
    if (!err && tool_common_of(call)->no_sync) pf_writer_no_sync(*out);
    return err;
}

static pf_err close_outputs(tool_call *call, pf_writer *const *writers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (writers[i]) PF_TRY(pf_writer_close(writers[i]));
    tool_temporary(call, NULL);
    return PF_OK;
}

static pf_err close_whole(tool_call *call, pf_writer *const *writers, size_t count) {
    tool_write_begin(call);
    pf_err err = close_outputs(call, writers, count);
    tool_write_end(call);
    return err;
}

pf_err toolfst_close_output(tool_call *call, pf_writer *writer) { return close_whole(call, &writer, 1); }

pf_err toolfst_write_all(tool_call *call, const char *const *paths, size_t count, toolfst_writing *write, void *self) {
    pf_writer *writers[TOOLFST_OUTPUTS] = {NULL};
    assert(count <= TOOLFST_OUTPUTS);
    pf_err err = check_outputs(paths, count);
    for (size_t i = 0; !err && i < count; i++)
        if (paths[i]) err = toolfst_create(call, paths[i], &writers[i]);
    if (!err) err = write(self, writers);
    if (!err) err = close_whole(call, writers, count);
    for (size_t i = 0; i < count; i++) pf_writer_free(writers[i]);
    return err;
}

const char *toolfst_output(const tool_call *call) {
    const char *path = tool_common_of(call)->output;
    return path ? path : "-";
}

pf_err toolfst_open_output(tool_call *call, pf_writer **out) { return toolfst_create(call, toolfst_output(call), out); }

static pf_err write_to(tool_call *call, const char *path, pf_err (*write)(void *self, pf_writer *writer), void *self) {
    pf_writer *writer;
    PF_TRY(toolfst_create(call, path, &writer));
    pf_err err = write(self, writer);
    if (!err) err = toolfst_close_output(call, writer);
    pf_writer_free(writer);
    return err;
}

pf_err toolfst_write(tool_call *call, pf_err (*write)(void *self, pf_writer *writer), void *self) {
    return write_to(call, toolfst_output(call), write, self);
}

pf_err toolfst_print(tool_call *call, pf_err (*write)(void *self, pf_writer *writer), void *self) {
    return write_to(call, "-", write, self);
}

static pf_err read_table(void *out, pf_reader *reader) { return pf_symtab_read_text(reader, out); }

pf_err toolfst_symbols(tool_call *call, const char *path, pf_symtab **out) {
    *out = NULL;
    return path ? toolfst_read(call, path, read_table, out) : PF_OK;
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

void toolfst_inputs(tool_call *call, int *count, const char *const **operands) {
    static const char *const standard_input[] = {"-"};
    uint64_t all = 0;
    assert(*count >= 0);
    if (!*count) {
        *count = 1;
        *operands = standard_input;
    }
    for (int i = 0; i < *count; i++) {
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

/* The tables of --isymbols and --osymbols are read once, after the first operand is opened. */
static pf_err read_symbols(tool_call *call) {
    const tool_common *options = tool_common_of(call);
    tool_input_state *in = &call->input;
    if (!in->isyms) PF_TRY(toolfst_symbols(call, options->isyms, &in->isyms));
    return in->osyms ? PF_OK : toolfst_symbols(call, options->osyms, &in->osyms);
}

static pf_err open_source(tool_call *call, const char *path, const pf_source_options *options, pf_source **out) {
    pf_reader *reader;
    assert(options->first > 0);
    *out = NULL;
    PF_TRY(toolfst_open(call, path, &reader));
    pf_err err = read_symbols(call);
    pf_source_options how = *options;
    how.isyms = call->input.isyms;
    how.osyms = call->input.osyms;
    how.warn = tool_warn;
    how.warn_to = call;
    if (!err) return pf_source_new(reader, &how, out);
    pf_reader_free(reader);
    return err;
}

pf_err toolfst_source_from(tool_call *call, const char *path, uint64_t first, bool resumes, pf_source **out) {
    const pf_source_options options = {.first = first, .models = call->program->models, .sentences = call->input.sentences,
                                       .resumes = resumes};
    return open_source(call, path, &options, out);
}

pf_err toolfst_source_open(tool_call *call, const char *path, pf_source **out) {
    return toolfst_source_from(call, path, tool_common_of(call)->first_record, false, out);
}

pf_err toolfst_operand(tool_call *call, const char *path, pf_blob **blob, pf_expr **first, pf_source **more) {
    *blob = NULL;
    *first = NULL;
    PF_TRY(open_source(call, path, &(pf_source_options){.first = 1, .models = true}, more));
    pf_err err = pf_source_operand(*more, blob, first);
    if (!err && !*blob) return PF_OK;
    pf_source_free(*more);
    *more = NULL;
    return err;
}

/* ---- writing ---- */

/* A terminal shows nothing of binary records. -o names it where it is meant. */
static pf_err not_on_a_terminal(const tool_call *call) {
    const char *path = tool_common_of(call)->output;
    if (path || !isatty(call->streams.out)) return PF_OK;
    return pf_fail(PF_EARG, "binary records are not written to a terminal: add '| permprint', or -o FILE");
}

pf_err toolfst_sink_open(tool_call *call, toolfst_sink *out) {
    static const pf_stream_form forms[] = {PF_AS_FAR, PF_AS_STTABLE}; /* of tool_far_forms */
    int far = tool_common_of(call)->far;
    *out = (toolfst_sink){.call = call};
    PF_TRY(not_on_a_terminal(call));
    PF_TRY(toolfst_open_output(call, &out->writer));
    PF_TRY(pf_stream_writer_new(out->writer, far == TOOL_NOT_GIVEN ? PF_AS_RECORDS : forms[far], &out->stream));
    if (tool_common_of(call)->number_keys) pf_stream_writer_number_keys(out->stream);
    return PF_OK;
}

pf_err toolfst_sink_close(toolfst_sink *sink) {
    assert(sink->stream && sink->writer);
    tool_write_begin(sink->call);
    pf_err err = sink->call->input.cut ? PF_OK : pf_stream_end(sink->stream);
    if (!err) err = close_outputs(sink->call, &sink->writer, 1);
    tool_write_end(sink->call);
    return err;
}

void toolfst_sink_free(toolfst_sink *sink) {
    pf_stream_writer_free(sink->stream);
    pf_writer_free(sink->writer);
    *sink = (toolfst_sink){0};
}
