/* Records are written each with its frame or its seal; the definitions of what they share come before them. */
#include <permfst/io/stream.h>

#include "io/bloblist.h"
#include "io/frame.h"
#include "io/io_impl.h"

#include <permfst/base/crc.h>
#include <permfst/io/bin.h>
#include <permfst/machine/build.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct pf_stream_writer {
    pf_writer *writer;
    pf_writer *content; /* of a frame */
    uint64_t number;    /* of the last record */
    pfi_bloblist defined;
    pf_far_writer *far;
    bool number_keys;
};

pf_err pf_stream_writer_new(pf_writer *writer, pf_stream_form form, pf_stream_writer **out) {
    pf_stream_writer *stream = calloc(1, sizeof *stream);
    if (!stream) return pf_nomem();
    stream->writer = writer;
    pfi_bloblist_init(&stream->defined);
    pf_err err = pf_writer_memory(&stream->content);
    if (!err && form != PF_AS_RECORDS) err = pf_far_writer_new(writer, form == PF_AS_FAR ? PF_STLIST : PF_STTABLE, &stream->far);
    if (err) pf_stream_writer_free(stream);
    else *out = stream;
    return err;
}

void pf_stream_writer_free(pf_stream_writer *stream) {
    if (!stream) return;
    pfi_bloblist_free(&stream->defined);
    pf_writer_free(stream->content);
    pf_far_writer_free(stream->far);
    free(stream);
}

void pf_stream_writer_number_keys(pf_stream_writer *stream) { stream->number_keys = true; }

/* The content that was written, with its frame. */
static pf_err put_content(pf_stream_writer *stream, uint64_t number) {
    size_t n;
    assert(!stream->far);
    const unsigned char *at = pf_writer_bytes(stream->content, &n);
    const pfi_frame frame = {PFI_RECORD, number, n, pf_crc32c(0, at, n)};
    PF_TRY(pfi_frame_write(stream->writer, &frame));
    return pf_writer_put(stream->writer, at, n);
}

static pf_err put_blob(pf_stream_writer *stream, const char *type, pf_blob *blob, uint64_t number) {
    assert(blob);
    pf_writer_clear(stream->content);
    PF_TRY(pf_lazy_header_write(stream->content, type, PF_STANDARD, 0));
    PF_TRY(pf_blob_write_head(stream->content, blob));
    PF_TRY(pfi_frame_pad(stream->content));
    PF_TRY(put_content(stream, number));
    return pf_blob_write_bytes(stream->writer, blob);
}

/* A definition has the number of the record that needs it first. */
static pf_err define(pf_stream_writer *stream, const pf_expr *expr) {
    if (expr->first) PF_TRY(define(stream, expr->first));
    if (expr->second) PF_TRY(define(stream, expr->second));
    if (!expr->shared || expr->kind == PF_EXPR_MODEL) return PF_OK;
    bool fresh;
    PF_TRY(pfi_bloblist_add(&stream->defined, pf_blob_ref(expr->shared), &fresh));
    return fresh ? put_blob(stream, "define", expr->shared, stream->number) : PF_OK;
}

static pf_err put_sealed(pf_stream_writer *stream, const pf_expr *expr) {
    pfi_frame seal = {PFI_SEAL, stream->number, 0, 0};
    pf_writer_sum_begin(stream->writer);
    PF_TRY(pfi_fst_record_write(stream->writer, expr, true));
    seal.sum = pf_writer_sum(stream->writer, &seal.length);
    return pfi_frame_write(stream->writer, &seal);
}

static pf_err put_framed(pf_stream_writer *stream, const pf_expr *expr) {
    PF_TRY(define(stream, expr));
    pf_writer_clear(stream->content);
    PF_TRY(pf_expr_write(stream->content, expr));
    return put_content(stream, stream->number);
}

static pf_err put_entry(pf_stream_writer *stream, const pf_expr *expr, uint64_t record) {
    char key[24];
    if (expr->kind != PF_EXPR_FST)
        return pf_fail(PF_EARG, "a FAR archive can hold only ordinary automata (permexpand makes them)");
    snprintf(key, sizeof key, "%010llu", (unsigned long long)record);
    return pf_far_put(stream->far, expr->name && !stream->number_keys ? expr->name : key, expr->fst);
}

pf_err pf_stream_put(pf_stream_writer *stream, const pf_expr *expr, uint64_t record) {
    stream->number++;
    if (stream->far) PF_TRY(put_entry(stream, expr, record));
    else if (expr->kind == PF_EXPR_FST) PF_TRY(put_sealed(stream, expr));
    else if (expr->kind == PF_EXPR_MODEL) PF_TRY(put_blob(stream, "model", expr->shared, stream->number));
    else PF_TRY(put_framed(stream, expr));
    return pf_writer_end_record(stream->writer);
}

pf_err pf_stream_put_empty(pf_stream_writer *stream, uint64_t record, const char *name) {
    pf_build none = {0};
    pf_fst *fst;
    pf_expr *expr;
    PF_TRY(pf_build_finish(&none, PF_STANDARD, 0, &fst));
    PF_TRY(pf_expr_of_fst(fst, &expr));
    PF_TRY(pf_expr_give_name(&expr, name));
    pf_err err = pf_stream_put(stream, expr, record);
    pf_expr_free(expr);
    return err;
}

pf_err pf_stream_end(pf_stream_writer *stream) {
    return stream->far ? pf_far_end(stream->far) : pfi_frame_write(stream->writer, &(pfi_frame){PFI_END, stream->number, 0, 0});
}
