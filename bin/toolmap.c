/* What a call does around the pieces of its work. */
#include "toolmap.h"

#include "toolcall.h"

#include <assert.h>

/* ---- hooks ---- */

static bool takes(void *call) { return tool_take(call); }

static void work_begins(void *call, pf_writer *said) {
    tool_steps_begin(call);
    tool_say_into(call, said);
}

static void work_ends(void *call) { tool_say_into(call, NULL); }

static void finish_begins(void *call, const pf_writer *said) {
    tool_write_begin(call);
    if (said) tool_said(call, said);
}

static void finish_ends(void *call) { tool_write_end(call); }

pf_workers_hooks tool_hooks(tool_call *call) {
    return (pf_workers_hooks){call, takes, work_begins, work_ends, finish_begins, finish_ends};
}

/* ---- errors ---- */

void tool_go_on(tool_call *call, bool *skipped) {
    assert(skipped);
    call->input.skipped = skipped;
}

void tool_take_sentences(tool_call *call) { call->input.sentences = true; }

static bool goes_on(const tool_call *call) { return call->input.skipped || tool_common_of(call)->keep_going; }

pf_err tool_skip(tool_call *call, pf_err err) {
    assert(err);
    if (!goes_on(call) || err == PF_EIO || err == PF_ENOMEM) return err;
    tool_trouble(call);
    if (call->input.skipped) *call->input.skipped = true;
    else tool_failed(call);
    return PF_OK;
}

static pf_err line_failed(void *call, pf_err err) { return tool_skip(call, err); }

/* A search that Ctrl-C cut short has found nothing; that is no failure. */
static pf_err record_failed(void *call, pf_err err) {
    if (err != PF_EIO && err != PF_ENOMEM) tool_cut_short(call);
    return tool_skip(call, err);
}

/* ---- pieces, records, lines ---- */

pf_err tool_workers(tool_call *call, const pf_workers_steps *steps, void *self, pf_workers **out) {
    pf_workers_hooks around = tool_hooks(call);
    return pf_workers_new((size_t)tool_common_of(call)->jobs, steps, self, &around, out);
}

static void record_done(void *call, const pf_record *record) { tool_done(call, 1, record->record, record->stored); }
static void line_done(void *call, uint64_t record, uint64_t stored) { tool_done(call, 1, record, stored); }

static void input_cut(void *self) {
    tool_call *call = self;
    call->input.cut = true;
}

static pf_err read_records(tool_call *call, const char *path, uint64_t *first, pf_records *records) {
    pf_source *source;
    PF_TRY(toolfst_source_from(call, path, *first, goes_on(call), &source));
    pf_err err = pf_records_read(records, source);
    *first = pf_source_record(source) + 1;
    pf_source_free(source);
    return err;
}

/* With `to`, which says where results are put; the rest of it is set here. The writer gathers records; NULL: none does. */
static pf_err read_all(tool_call *call, int count, const char *const *operands, const pf_record_steps *steps, void *self,
                       pf_record_options to, pf_writer *writer) {
    const tool_common *options = tool_common_of(call);
    uint64_t first = options->first_record;
    pf_records *records;
    assert(steps->work && options->jobs > 0 && first > 0 && !(to.stream && to.writer));
    to.threads = (size_t)options->jobs;
    to.hooks = tool_hooks(call);
    to.call = call;
    to.wanted = tool_is_wanted;
    to.expanded = tool_states;
    to.failed = record_failed;
    to.cut = goes_on(call) ? input_cut : NULL;
    to.done = record_done;
    toolfst_inputs(call, &count, &operands);
    if (writer) tool_gather_begin(call, writer);
    pf_err err = pf_records_new(steps, self, &to, &records);
    if (!err) toolfst_before_wait(call, pf_records_hurry, records);
    for (int i = 0; !err && i < count; i++) err = read_records(call, operands[i], &first, records);
    if (!err) err = tool_records_met(call, first - 1);
    toolfst_before_wait(call, NULL, NULL);
    err = pf_records_end(records, err, NULL);
    tool_gather_end(call);
    return err;
}

pf_err toolmap_read(tool_call *call, int count, const char *const *operands, const pf_record_steps *steps, void *self) {
    return read_all(call, count, operands, steps, self, (pf_record_options){0}, NULL);
}

pf_err toolmap_records(tool_call *call, int count, const char *const *operands, const pf_record_steps *steps, void *self,
                       pf_err (*end)(void *self)) {
    toolfst_sink to;
    pf_err err = toolfst_sink_open(call, &to);
    if (!err) err = read_all(call, count, operands, steps, self, (pf_record_options){.stream = to.stream}, to.writer);
    if (!err && end) err = end(self);
    if (!err) err = toolfst_sink_close(&to);
    toolfst_sink_free(&to);
    return err;
}

static pf_err put_heading(const pf_table *heading, pf_writer *writer) {
    return heading ? pf_table_heading(heading, writer) : PF_OK;
}

pf_err toolmap_text(tool_call *call, const pf_record_steps *steps, void *self, const char *stand_in, const pf_table *heading) {
    const char *const *operands;
    int count = tool_operands(call, &operands);
    pf_writer *writer;
    PF_TRY(toolfst_open_output(call, &writer));
    pf_err err = put_heading(heading, writer);
    const pf_record_options to = {.writer = writer, .stand_in = stand_in};
    if (!err) err = read_all(call, count, operands, steps, self, to, writer);
    if (!err) err = toolfst_close_output(call, writer);
    pf_writer_free(writer);
    return err;
}

/* ---- lines ---- */

typedef struct {
    tool_call *call;
    int count;
    const char *const *files;
    const pf_line_steps *steps;
    void *self;
    const pf_table *heading;
} line_files;

static pf_err read_lines(void *lines, pf_reader *reader) { return pf_lines_read(lines, reader); }

static pf_err write_lines(void *self, pf_writer *writer) {
    line_files *from = self;
    tool_call *call = from->call;
    const tool_common *options = tool_common_of(call);
    const pf_line_options how = {.threads = (size_t)options->jobs, .first = options->first_record, .hooks = tool_hooks(call),
                                 .call = call, .failed = options->keep_going ? line_failed : NULL, .wanted = tool_is_wanted,
                                 .done = line_done};
    pf_lines *lines;
    PF_TRY(put_heading(from->heading, writer));
    toolfst_inputs(call, &from->count, &from->files);
    pf_err err = pf_lines_new(from->steps, from->self, &how, writer, &lines);
    if (!err) toolfst_before_wait(call, pf_lines_hurry, lines);
    for (int i = 0; !err && i < from->count; i++) err = toolfst_read(call, from->files[i], read_lines, lines);
    if (!err) err = tool_text_ended(call, pf_lines_next(lines) - 1);
    toolfst_before_wait(call, NULL, NULL);
    return pf_lines_end(lines, err, NULL);
}

pf_err toolmap_lines(tool_call *call, int count, const char *const *files, const pf_line_steps *steps, void *self,
                     const pf_table *heading) {
    assert(steps->work && steps->most > 0);
    return toolfst_write(call, write_lines, &(line_files){call, count, files, steps, self, heading});
}

/* ---- numbers ---- */

typedef struct {
    tool_call *call;
    uint64_t first, last, most;
    pf_err (*work)(void *self, tool_piece *piece);
    void *self;
    const pf_table *heading;
    pf_writer *writer;
} number_range;

static pf_err work_on_numbers(void *self, void *piece) {
    const number_range *range = self;
    tool_piece *numbers = piece;
    PF_TRY(pf_writer_memory(&numbers->text));
    return range->work(range->self, numbers);
}

static pf_err put_numbers(void *self, void *piece, pf_err err) {
    const number_range *range = self;
    const tool_piece *numbers = piece;
    size_t length;
    if (err) return tool_skip(range->call, err);
    const unsigned char *at = pf_writer_bytes(numbers->text, &length);
    PF_TRY(pf_writer_put(range->writer, at, length));
    PF_TRY(pf_writer_flush(range->writer));
    tool_done(range->call, numbers->n, numbers->first + numbers->n - 1, 0);
    return PF_OK;
}

static void drop_numbers(void *piece) { pf_writer_free(((tool_piece *)piece)->text); }

static pf_err write_numbers(void *self, pf_writer *writer) {
    static const pf_workers_steps steps = {sizeof(tool_piece), work_on_numbers, put_numbers, drop_numbers, NULL};
    number_range *range = self;
    pf_workers *ring;
    range->writer = writer;
    PF_TRY(put_heading(range->heading, writer));
    pf_err err = tool_workers(range->call, &steps, range, &ring);
    for (uint64_t at = range->first, count; !err && at <= range->last; at += count) {
        count = range->last - at < range->most ? range->last - at + 1 : range->most;
        err = pf_workers_put(ring, &(tool_piece){.first = at, .n = count}, PF_OK);
    }
    return pf_workers_end(ring, err);
}

pf_err toolmap_numbers(tool_call *call, uint64_t first, uint64_t last, uint64_t most, pf_err (*work)(void *self, tool_piece *piece),
                       void *self, const pf_table *heading) {
    assert(first <= last && most > 0 && work);
    return toolfst_write(call, write_numbers, &(number_range){call, first, last, most, work, self, heading, NULL});
}
