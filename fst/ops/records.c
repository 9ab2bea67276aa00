/* Records as the pieces of workers: errors get their input and record. */
#include <permfst/ops/records.h>

#include <assert.h>
#include <stdlib.h>

typedef struct {
    pf_record r; /* the first member: pf_record_open gets it */
    const pf_records *of;
    const char *name; /* of the source */
} job;

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
    const pf_records *m = self;
    job *j = piece;
    if (m->steps->text) PF_TRY(pf_writer_memory(&j->r.text));
    return m->steps->work(m->self, &j->r);
}

static pf_err fail(pf_records *m, job *j, pf_err err) {
    pf_fail_in_record(err, j->name, j->r.record);
    pf_expr_free(j->r.out);
    j->r.out = NULL;
    if (j->r.text) pf_writer_clear(j->r.text);
    m->failed = j->r.failed = true;
    return m->options.failed ? m->options.failed(m->options.call, err) : err;
}

static pf_err finish(void *self, void *piece, pf_err err) {
    pf_records *m = self;
    job *j = piece;
    if (err) PF_TRY(fail(m, j, err));
    err = m->steps->finish(m->self, &j->r);
    if (err) return pf_fail_in_record(err, j->name, j->r.record);
    if (m->options.done) m->options.done(m->options.call, &j->r);
    return PF_OK;
}

static void drop(void *piece) {
    job *j = piece;
    if (j->r.own && j->of->steps->drop) j->of->steps->drop(j->r.own);
    pf_writer_free(j->r.text);
    pf_expr_free(j->r.out);
    pf_opened_free(j->r.opened);
    pf_expr_free(j->r.in);
}

pf_err pf_record_open(pf_record *r, pf_fst **out) {
    const pf_record_options *o = &((const job *)r)->of->options;
    if (!r->opened) PF_TRY(pf_open(r->in, &r->opened));
    *out = pf_opened_fst(r->opened);
    if (o->expanded) pf_fst_watch(*out, o->expanded, o->call);
    return PF_OK;
}

pf_err pf_record_put_text(const pf_record *r, const char *stand_in, pf_writer *writer) {
    size_t n = 0;
    const unsigned char *at = r->text ? pf_writer_bytes(r->text, &n) : NULL;
    if (r->failed) PF_TRY(pf_writer_text(writer, "%s", stand_in));
    else PF_TRY(pf_writer_put(writer, at, n));
    return pf_writer_flush(writer);
}

/* ---- reading ---- */

static pf_err put(pf_records *m, const pf_source *source, const char *name, pf_expr *in) {
    job j = {.r = {.call = m->options.call, .in = in, .record = pf_source_record(source)}, .of = m, .name = name};
    j.r.stored = m->stored + pf_source_stored(source);
    return pf_workers_put(m->workers, &j, m->steps->prepare ? m->steps->prepare(m->self, &j.r) : PF_OK);
}

pf_err pf_records_read(pf_records *m, pf_source *source) {
    const char *name; /* records outlive the source */
    PF_TRY(pf_workers_keep(m->workers, pf_source_name(source), &name));
    for (pf_expr *in;;) {
        PF_TRY(pf_source_next(source, &in));
        if (!in) break;
        PF_TRY(put(m, source, name, in));
    }
    m->stored += pf_source_stored(source);
    return PF_OK;
}

void pf_records_hurry(void *records) { pf_workers_hurry(((pf_records *)records)->workers); }

/* ---- the whole ---- */

pf_err pf_records_new(const pf_record_steps *steps, void *self, const pf_record_options *options, pf_records **out) {
    static const pf_workers_steps of_jobs = {sizeof(job), work, finish, drop};
    assert(steps->work && steps->finish);
    pf_records *m = *out = calloc(1, sizeof *m);
    if (!m) return pf_nomem();
    *m = (pf_records){.steps = steps, .self = self, .options = *options};
    pf_err err = pf_workers_new(options->threads, &of_jobs, m, &options->hooks, &m->workers);
    if (!err) return PF_OK;
    *out = NULL;
    return pf_records_end(m, err, NULL);
}

pf_err pf_records_end(pf_records *m, pf_err reading, bool *failed) {
    if (failed) *failed = false;
    if (!m) return reading;
    pf_err err = pf_workers_end(m->workers, reading);
    if (failed) *failed = m->failed;
    free(m);
    return err;
}
