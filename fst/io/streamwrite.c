/* Records are written each with its frame or its seal; the definitions of what they share come before them. */
#include <permfst/io/stream.h>

#include "io/bloblist.h"
#include "io/frame.h"
#include "io/io_impl.h"

#include <permfst/base/crc.h>
#include <permfst/io/bin.h>
#include <permfst/machine/build.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct pf_stream_writer {
    pf_writer *writer;
    pf_writer *content; /* of a frame */
    uint64_t number;    /* of the last record */
    pfi_bloblist defined;
    pf_far_writer *far;
};

pf_err pf_stream_writer_new(pf_writer *writer, pf_stream_form form, pf_stream_writer **out) {
    pf_stream_writer *s = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    s->writer = writer;
    pfi_bloblist_init(&s->defined);
    pf_err err = pf_writer_memory(&s->content);
    if (!err && form != PF_AS_RECORDS) err = pf_far_writer_new(writer, form == PF_AS_FAR ? PF_STLIST : PF_STTABLE, &s->far);
    if (err) pf_stream_writer_free(s);
    else *out = s;
    return err;
}

void pf_stream_writer_free(pf_stream_writer *s) {
    if (!s) return;
    pfi_bloblist_free(&s->defined);
    pf_writer_free(s->content);
    pf_far_writer_free(s->far);
    free(s);
}

/* The content that was written, with its frame. */
static pf_err put_content(pf_stream_writer *s, uint64_t number) {
    size_t n;
    const unsigned char *at = pf_writer_bytes(s->content, &n);
    const pfi_frame frame = {PFI_RECORD, number, n, pf_crc32c(0, at, n)};
    PF_TRY(pfi_frame_write(s->writer, &frame));
    return pf_writer_put(s->writer, at, n);
}

static pf_err put_blob(pf_stream_writer *s, const char *type, pf_blob *blob, uint64_t number) {
    pf_writer_clear(s->content);
    PF_TRY(pf_lazy_header_write(s->content, type, PF_STANDARD, 0));
    PF_TRY(pf_blob_write_head(s->content, blob));
    PF_TRY(put_content(s, number));
    return pf_blob_write_bytes(s->writer, blob);
}

/* A definition has the number of the record that needs it first. */
static pf_err define(pf_stream_writer *s, const pf_expr *e) {
    if (e->first) PF_TRY(define(s, e->first));
    if (e->second) PF_TRY(define(s, e->second));
    if (!e->shared || e->kind == PF_EXPR_MODEL) return PF_OK;
    bool fresh;
    PF_TRY(pfi_bloblist_add(&s->defined, pf_blob_ref(e->shared), &fresh));
    return fresh ? put_blob(s, "define", e->shared, s->number) : PF_OK;
}

static pf_err put_sealed(pf_stream_writer *s, pf_fst *fst) {
    pfi_frame seal = {PFI_SEAL, s->number, 0, 0};
    pf_writer_sum_begin(s->writer);
    PF_TRY(pfi_bin_write_as(s->writer, fst, PF_SEALED));
    seal.sum = pf_writer_sum(s->writer, &seal.length);
    return pfi_frame_write(s->writer, &seal);
}

static pf_err put_framed(pf_stream_writer *s, const pf_expr *e) {
    PF_TRY(define(s, e));
    pf_writer_clear(s->content);
    PF_TRY(pf_expr_write(s->content, e));
    return put_content(s, s->number);
}

static pf_err put_entry(pf_stream_writer *s, const pf_expr *e, uint64_t record) {
    char key[24];
    if (e->kind != PF_EXPR_FST)
        return pf_fail(PF_EARG, "a FAR archive can hold only ordinary automata (permexpand makes them)");
    snprintf(key, sizeof key, "%010llu", (unsigned long long)record);
    return pf_far_put(s->far, key, e->fst);
}

pf_err pf_stream_put(pf_stream_writer *s, const pf_expr *e, uint64_t record) {
    s->number++;
    if (s->far) PF_TRY(put_entry(s, e, record));
    else if (e->kind == PF_EXPR_FST) PF_TRY(put_sealed(s, e->fst));
    else if (e->kind == PF_EXPR_MODEL) PF_TRY(put_blob(s, "model", e->shared, s->number));
    else PF_TRY(put_framed(s, e));
    return pf_writer_flush(s->writer);
}

pf_err pf_stream_put_empty(pf_stream_writer *s, uint64_t record) {
    pf_build none = {0};
    pf_fst *fst;
    pf_expr *e;
    PF_TRY(pf_build_finish(&none, PF_STANDARD, 0, &fst));
    PF_TRY(pf_expr_of_fst(fst, &e));
    pf_err err = pf_stream_put(s, e, record);
    pf_expr_free(e);
    return err;
}

pf_err pf_stream_end(pf_stream_writer *s) {
    return s->far ? pf_far_end(s->far) : pfi_frame_write(s->writer, &(pfi_frame){PFI_END, s->number, 0, 0});
}
