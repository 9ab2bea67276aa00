/* Records as the pieces of workers: errors get their input and record. */
#include <permfst/ops/records.h>

#include <permfst/machine/build.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    pf_record record; /* the first member: pf_record_open gets it */
    const pf_records *of;
    bool only_report; /* of damage that has cost no record */
} record_job;

struct pf_records {
    const pf_record_steps *steps;
    void *self;
    pf_record_options options;
    pf_workers *workers;
    uint64_t stored;      /* of the sources that are read */
    bool failed;
};

/* ---- steps ---- */

static pf_err work(void *self, void *piece) {
    const pf_records *records = self;
    record_job *job = piece;
    if (records->steps->text || records->options.writer) PF_TRY(pf_writer_memory(&job->record.text));
    return records->steps->work(records->self, &job->record);
}

static pf_err fail(pf_records *records, record_job *job, pf_err err) {
    assert(err && !job->record.failed);
    if (!job->only_report) pf_fail_in_record(err, job->record.name, job->record.record);
    pf_expr_free(job->record.out);
    job->record.out = NULL;
    if (job->record.text) pf_writer_clear(job->record.text);
    records->failed = job->record.failed = true;
    return records->options.failed ? records->options.failed(records->options.call, err) : err;
}

/* What is made of a record has its name. */
static pf_err keep_name(pf_record *record) {
    if (!record->out || pf_expr_name(record->out)) return PF_OK;
    if (record->out->kind != PF_EXPR_FST && record->out->kind != PF_EXPR_BEST) return PF_OK;
    return pf_expr_give_name(&record->out, pf_expr_name(record->in));
}

static pf_err put_result(const pf_record_options *to, const pf_record *record) {
    if (to->writer) return pf_record_put_text(record, to->stand_in, to->writer);
    if (!to->stream) return PF_OK;
    if (record->out) return pf_stream_put(to->stream, record->out, record->record);
    return pf_stream_put_empty(to->stream, record->record, pf_expr_name(record->in));
}

static pf_err finish(void *self, void *piece, pf_err err) {
    pf_records *records = self;
    record_job *job = piece;
    if (err) PF_TRY(fail(records, job, err));
    if (job->only_report) return PF_OK;
    if (records->steps->finish) err = records->steps->finish(records->self, &job->record);
    else err = PF_OK;
    if (!err) err = keep_name(&job->record);
    if (!err) err = put_result(&records->options, &job->record);
    if (err) return pf_fail_in_record(err, job->record.name, job->record.record);
    if (records->options.done) records->options.done(records->options.call, &job->record);
    return PF_OK;
}

static void drop(void *piece) {
    record_job *job = piece;
    if (job->record.own && job->of->steps->drop) job->of->steps->drop(job->record.own);
    pf_writer_free(job->record.text);
    pf_expr_free(job->record.out);
    pf_opened_free(job->record.opened);
    pf_expr_free(job->record.in);
}

static uint64_t bytes(const void *piece) {
    const pf_record *record = &((const record_job *)piece)->record;
    size_t text = 0;
    if (record->text) pf_writer_bytes(record->text, &text);
    return pf_expr_bytes(record->in) + pf_expr_bytes(record->out) + text + record->own_bytes +
           (record->opened ? pf_fst_bytes(pf_opened_fst(record->opened)) : 0);
}

pf_err pf_record_open(pf_record *record, pf_fst **out) {
    const pf_record_options *options = &((const record_job *)record)->of->options;
    assert(record->in);
    if (!record->opened) PF_TRY(pf_open(record->in, &record->opened));
    *out = pf_opened_fst(record->opened);
    if (options->expanded) pf_fst_watch(*out, options->expanded, options->call);
    return PF_OK;
}

pf_err pf_record_put_text(const pf_record *record, const char *stand_in, pf_writer *writer) {
    size_t n = 0;
    const unsigned char *at = record->text ? pf_writer_bytes(record->text, &n) : NULL;
    assert(!record->failed || stand_in);
    if (record->failed) PF_TRY(pf_writer_text(writer, "%s", stand_in));
    else PF_TRY(pf_writer_put(writer, at, n));
    return pf_writer_end_record(writer);
}

/* ---- reading ---- */

typedef struct {
    pf_source *source;
    const char *name; /* records outlive the source */
    char damage[1024];
    pf_stream_loss lost;
} intake;

static record_job job_of(const pf_records *records, const intake *from, pf_expr *in) {
    return (record_job){.record = {.call = records->options.call, .name = from->name, .in = in,
                                   .record = pf_source_record(from->source),
                       .byte = pf_source_byte(from->source), .summed = pf_source_summed(from->source),
                       .stored = records->stored + pf_source_stored(from->source)},
                 .of = records};
}

static pf_err prepare(const pf_records *records, record_job *job) {
    return records->steps->prepare ? records->steps->prepare(records->self, &job->record) : PF_OK;
}

static bool is_wanted(const pf_records *records, const record_job *job) {
    return !records->options.wanted || records->options.wanted(records->options.call, job->record.record);
}

/* What goes with a record that nobody wants is read, and only the system's errors count. */
static pf_err put_or_drop(pf_records *records, record_job *job, pf_err err) {
    if (is_wanted(records, job)) return pf_workers_put(records->workers, job, err);
    drop(job);
    return err == PF_EIO || err == PF_ENOMEM ? err : PF_OK;
}

static pf_err put(pf_records *records, const intake *from, pf_expr *in) {
    record_job job = job_of(records, from, in);
    return put_or_drop(records, &job, prepare(records, &job));
}

/* ---- damage ---- */

static pf_err say_damage(const intake *from) {
    if (!from->lost.resumed) return pf_fail(PF_EINPUT, "%s", from->damage);
    return pf_fail(PF_EINPUT, "%s; bytes %" PRIu64 " to %" PRIu64 " are lost", from->damage, from->lost.from, from->lost.to - 1);
}

/* The k-th record that was lost, from 0: what is read beside the records is read for it as well, and finish() writes what stands
 * for one that failed. */
static pf_err put_lost(pf_records *records, const intake *from, uint64_t k) {
    pf_build none = {0};
    pf_fst *fst;
    record_job job = job_of(records, from, NULL);
    assert(k < from->lost.records);
    job.record.record -= from->lost.records - 1 - k;
    PF_TRY(pf_build_finish(&none, PF_STANDARD, 0, &fst));
    PF_TRY(pf_expr_of_fst(fst, &job.record.in));
    pf_err err = prepare(records, &job);
    if (err != PF_EIO && err != PF_ENOMEM)
        err = k ? pf_fail(PF_EINPUT, "the record is lost with the one before it") : say_damage(from);
    return put_or_drop(records, &job, err);
}

static pf_err report_damage(pf_records *records, const intake *from) {
    record_job job = job_of(records, from, NULL);
    job.only_report = true;
    return pf_workers_put(records->workers, &job, say_damage(from));
}

/* What could not be read is told in its turn; *ended: nothing follows it. */
static pf_err pass_over(pf_records *records, intake *from, pf_err err, bool *ended) {
    if (err != PF_EINPUT || !records->options.failed || !records->options.cut) return err;
    snprintf(from->damage, sizeof from->damage, "%s", pf_message());
    err = pf_source_resume(from->source, &from->lost);
    if (err && err != PF_EINPUT) return err;
    *ended = err || !from->lost.resumed;
    if (*ended || from->lost.cut) records->options.cut(records->options.call);
    if (*ended || !from->lost.records) return report_damage(records, from);
    for (uint64_t k = 0; k < from->lost.records; k++) PF_TRY(put_lost(records, from, k));
    return PF_OK;
}

pf_err pf_records_read(pf_records *records, pf_source *source) {
    intake from = {.source = source};
    PF_TRY(pf_workers_keep(records->workers, pf_source_name(source), &from.name));
    for (bool ended = false; !ended;) {
        pf_expr *in = NULL;
        pf_err err = pf_source_next(source, &in);
        if (err) PF_TRY(pass_over(records, &from, err, &ended));
        else if (in) PF_TRY(put(records, &from, in));
        else ended = true;
    }
    records->stored += pf_source_stored(source);
    return PF_OK;
}

void pf_records_hurry(void *records) { pf_workers_hurry(((pf_records *)records)->workers); }

/* ---- the whole ---- */

pf_err pf_records_new(const pf_record_steps *steps, void *self, const pf_record_options *options, pf_records **out) {
    static const pf_workers_steps of_jobs = {sizeof(record_job), work, finish, drop, bytes};
    assert(steps->work && (steps->finish || options->stream || options->writer));
    assert(options->threads);
    pf_records *records = *out = calloc(1, sizeof *records);
    if (!records) return pf_nomem();
    *records = (pf_records){.steps = steps, .self = self, .options = *options};
    pf_err err = pf_workers_new(options->threads, &of_jobs, records, &options->hooks, &records->workers);
    if (!err) return PF_OK;
    *out = NULL;
    return pf_records_end(records, err, NULL);
}

pf_err pf_records_end(pf_records *records, pf_err reading, bool *failed) {
    if (failed) *failed = false;
    if (!records) return reading;
    pf_err err = pf_workers_end(records->workers, reading);
    if (failed) *failed = records->failed;
    free(records);
    return err;
}
