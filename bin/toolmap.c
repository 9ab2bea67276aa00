/* Records through a ring: errors get their file and record, results go out in order. */
#include "toolmap.h"

#include "toolprogress.h"
#include "toolwatch.h"

typedef struct {
    toolmap_record r;
    const toolmap_steps *steps;
    const char *file;
    uint64_t position; /* in the input */
} job;

typedef struct {
    tool_call *call;
    const toolmap_steps *steps;
    void *self;
    toolring *ring;
    bool failed;
} map;

static pf_err work(void *self, void *piece) {
    const map *m = self;
    job *j = piece;
    if (m->steps->text) PF_TRY(pf_writer_memory(&j->r.text));
    return m->steps->work(m->self, &j->r);
}

/* A search that Ctrl-C cut short has found nothing; that is no failure. */
static pf_err fail(map *m, job *j, pf_err err) {
    if (err != PF_EIO && err != PF_ENOMEM) tool_cut_short(m->call);
    toolfst_name_record(err, j->file, j->r.record);
    pf_expr_free(j->r.out);
    j->r.out = NULL;
    if (j->r.text) pf_writer_clear(j->r.text);
    j->r.failed = true;
    return tool_skip(m->call, err, &m->failed);
}

static pf_err finish(void *self, void *piece, pf_err err) {
    map *m = self;
    job *j = piece;
    if (err) PF_TRY(fail(m, j, err));
    err = m->steps->finish(m->self, &j->r);
    if (err) return toolfst_name_record(err, j->file, j->r.record);
    tool_done(m->call, 1, j->r.record, j->position);
    return PF_OK;
}

static void drop(void *piece) {
    job *j = piece;
    if (j->r.own && j->steps->drop) j->steps->drop(j->r.own);
    pf_writer_free(j->r.text);
    pf_expr_free(j->r.out);
    pf_opened_free(j->r.opened);
    pf_expr_free(j->r.in);
}

static pf_err each(void *self, pf_expr **expr, uint64_t record, uint64_t position) {
    map *m = self;
    job j = {.r = {.call = m->call, .in = *expr, .record = record}, .steps = m->steps, .file = toolfst_reading(m->call), .position = position};
    *expr = NULL;
    return toolring_put(m->ring, &j, m->steps->prepare ? m->steps->prepare(m->self, &j.r) : PF_OK);
}

static void hurry(void *ring) { toolring_hurry(ring); }

pf_err toolmap_read(tool_call *call, int n, char *const *operands, const toolmap_steps *steps, void *self, bool *failed) {
    static const toolring_steps ring = {sizeof(job), work, finish, drop};
    map m = {.call = call, .steps = steps, .self = self};
    pf_err err = toolring_new(call, &ring, &m, &m.ring);
    if (!err) toolfst_before_wait(call, hurry, m.ring);
    if (!err) err = toolfst_read(call, n, operands, each, &m);
    toolfst_before_wait(call, NULL, NULL);
    err = toolring_last(m.ring, err);
    *failed = m.failed;
    return err;
}

pf_err toolmap_open(toolmap_record *r, pf_fst **out) {
    if (!r->opened) PF_TRY(pf_open(r->in, &r->opened));
    *out = pf_opened_fst(r->opened);
    pf_fst_watch(*out, tool_states, r->call);
    return PF_OK;
}

pf_err toolmap_put_text(pf_writer *writer, const toolmap_record *r, const char *stand_in) {
    size_t n = 0;
    const unsigned char *at = r->text ? pf_writer_bytes(r->text, &n) : NULL;
    if (r->failed) PF_TRY(pf_writer_text(writer, "%s", stand_in));
    else PF_TRY(pf_writer_put(writer, at, n));
    return pf_writer_flush(writer);
}
