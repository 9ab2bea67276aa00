/* What a call does around the pieces of its work. */
#include "toolmap.h"

#include "toolcall.h"

/* ---- hooks ---- */

static void work_begins(void *call, pf_writer *said) {
    tool_work_begin(call);
    tool_say_into(said);
}

static void work_ends(void *call) {
    (void)call;
    tool_say_into(NULL);
}

static void finish_begins(void *call, const pf_writer *said) {
    tool_write_begin(call);
    if (said) tool_said(call, said);
}

static void finish_ends(void *call) { tool_write_end(call); }

static pf_workers_hooks hooks(tool_call *call) {
    return (pf_workers_hooks){call, work_begins, work_ends, finish_begins, finish_ends};
}

/* ---- errors ---- */

pf_err tool_skip(tool_call *call, pf_err err, bool *failed) {
    if (!tool_common_of(call)->keep_going || err == PF_EIO || err == PF_ENOMEM) return err;
    tool_trouble(call);
    *failed = true;
    return PF_OK;
}

static pf_err line_failed(void *call, pf_err err) {
    bool failed;
    return tool_skip(call, err, &failed);
}

/* A search that Ctrl-C cut short has found nothing; that is no failure. */
static pf_err record_failed(void *call, pf_err err) {
    if (err != PF_EIO && err != PF_ENOMEM) tool_cut_short(call);
    return line_failed(call, err);
}

/* ---- pieces, records, lines ---- */

pf_err tool_workers(tool_call *call, const pf_workers_steps *steps, void *self, pf_workers **out) {
    pf_workers_hooks around = hooks(call);
    return pf_workers_new((size_t)tool_common_of(call)->jobs, steps, self, &around, out);
}

static void record_done(void *call, const pf_record *r) { tool_done(call, 1, r->record, r->stored); }
static void line_done(void *call, uint64_t record, uint64_t stored) { tool_done(call, 1, record, stored); }

static pf_err read_records(tool_call *call, const char *path, uint64_t *first, pf_records *records) {
    pf_source *source;
    PF_TRY(toolfst_source_from(call, path, *first, &source));
    pf_err err = pf_records_read(records, source);
    *first = pf_source_record(source) + 1;
    pf_source_free(source);
    return err;
}

pf_err toolmap_read(tool_call *call, int n, char *const *operands, const pf_record_steps *steps, void *self, bool *failed) {
    const tool_common *o = tool_common_of(call);
    const pf_record_options how = {.threads = (size_t)o->jobs, .hooks = hooks(call), .call = call, .expanded = tool_states,
                                   .failed = record_failed, .done = record_done};
    uint64_t first = o->first_record;
    pf_records *records;
    toolfst_inputs(call, &n, &operands);
    pf_err err = pf_records_new(steps, self, &how, &records);
    if (!err) toolfst_before_wait(call, pf_records_hurry, records);
    for (int i = 0; !err && i < n; i++) err = read_records(call, operands[i], &first, records);
    toolfst_before_wait(call, NULL, NULL);
    return pf_records_end(records, err, failed);
}

static pf_err read_lines(tool_call *call, const char *path, pf_lines *lines) {
    pf_reader *r;
    PF_TRY(toolfst_open(call, path, &r));
    pf_err err = pf_lines_read(lines, r);
    pf_reader_free(r);
    return err;
}

pf_err toollines_read(tool_call *call, int n, char *const *files, const pf_line_steps *steps, void *self, pf_writer *out,
                      bool *failed) {
    const tool_common *o = tool_common_of(call);
    const pf_line_options how = {.threads = (size_t)o->jobs, .first = o->first_record, .hooks = hooks(call), .call = call,
                                 .failed = o->keep_going ? line_failed : NULL, .done = line_done};
    pf_lines *lines;
    toolfst_inputs(call, &n, &files);
    pf_err err = pf_lines_new(steps, self, &how, out, &lines);
    if (!err) toolfst_before_wait(call, pf_lines_hurry, lines);
    for (int i = 0; !err && i < n; i++) err = read_lines(call, files[i], lines);
    toolfst_before_wait(call, NULL, NULL);
    return pf_lines_end(lines, err, failed);
}
