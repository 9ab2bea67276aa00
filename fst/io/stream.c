/* Records in a row, and the shared operands that they name. */
#include <permfst/io/stream.h>

#include <permfst/base/statetab.h>
#include <permfst/io/bin.h>
#include <permfst/io/xml.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blobs by hash. */
typedef struct {
    pf_statetab hashes;
    PF_VEC(pf_blob *) blob;
} blob_list;

static void blobs_free(blob_list *blobs) {
    for (size_t i = 0; i < blobs->blob.n; i++) pf_blob_free(blobs->blob.at[i]);
    PF_VEC_FREE(&blobs->blob);
    pf_statetab_free(&blobs->hashes);
}

static pf_blob *blobs_find(void *self, const unsigned char *hash) {
    blob_list *blobs = self;
    uint32_t id = pf_statetab_find(&blobs->hashes, hash, PF_HASH_BYTES);
    return id == UINT32_MAX ? NULL : blobs->blob.at[id];
}

/* Takes over one reference; a repeat is given back. */
static pf_err blobs_add(blob_list *blobs, pf_blob *blob, bool *fresh) {
    uint32_t id;
    unsigned char hash[PF_HASH_BYTES];
    int is_new = 0;
    pf_err err = PF_ROOM(&blobs->blob, 1);
    if (!err) err = pf_blob_hash(blob, hash);
    if (!err) err = pf_statetab_intern(&blobs->hashes, hash, PF_HASH_BYTES, &id, &is_new);
    if (fresh) *fresh = is_new;
    if (is_new) blobs->blob.at[blobs->blob.n++] = blob;
    else pf_blob_free(blob);
    return err;
}

/* ---- reading ---- */

struct pf_stream_reader {
    pf_reader *reader;
    uint64_t first, read;
    blob_list shared;
    pf_far_reader *far;
    pf_xml_reader *xml;
};

pf_err pf_stream_reader_new(pf_reader *reader, uint64_t first, pf_stream_reader **out) {
    pf_stream_reader *stream = calloc(1, sizeof *stream);
    if (!stream) return pf_nomem();
    stream->reader = reader;
    stream->first = first;
    pf_statetab_init(&stream->shared.hashes, PF_HASH_BYTES);
    *out = stream;
    return PF_OK;
}

void pf_stream_reader_free(pf_stream_reader *stream) {
    if (!stream) return;
    blobs_free(&stream->shared);
    pf_far_reader_free(stream->far);
    pf_xml_reader_free(stream->xml);
    free(stream);
}

uint64_t pf_stream_record(const pf_stream_reader *stream) { return stream->first + stream->read - 1; }

/* The next entry of the archive or document the stream is in; *out = NULL when that is over. */
static pf_err next_inside(pf_stream_reader *stream, pf_expr **out) {
    const char *key;
    pf_fst *fst = NULL;
    *out = NULL;
    if (stream->far) PF_TRY(pf_far_next(stream->far, &key, &fst));
    if (fst) return pf_expr_of_fst(fst, out);
    if (stream->xml) PF_TRY(pf_xml_next(stream->xml, out));
    if (*out) return PF_OK;
    pf_far_reader_free(stream->far);
    pf_xml_reader_free(stream->xml);
    stream->far = NULL;
    stream->xml = NULL;
    return PF_OK;
}

static bool is_fst(const unsigned char *at, size_t n) {
    return n >= 4 && ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24) == PF_FST_MAGIC;
}

/* Text that happens to begin with '<' is no document. */
static bool is_xml(const unsigned char *at, size_t n) {
    static const char *const begins[] = {"<?xml", "<!", "<permfst", "<fst", "<answer"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (n >= strlen(begins[i]) && memcmp(at, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

bool pf_stream_begins(const unsigned char *at, size_t n) { return !n || is_fst(at, n) || pf_far_is(at, n) || is_xml(at, n); }

static pf_err not_a_record(const pf_stream_reader *stream, const unsigned char *at, size_t n) {
    char look[24];
    size_t k = 0;
    for (; k < n && k < sizeof look - 1 && isprint(at[k]); k++) look[k] = (char)at[k];
    look[k] = 0;
    if (k >= 4 || k + 1 >= n)
        return pf_reader_fail(stream->reader, "expected a record (permcompile makes records of text), found text: '%s'", look);
    return pf_reader_fail(stream->reader, "expected a record (an automaton), found the bytes %02x %02x", at[0], n > 1 ? at[1] : 0);
}

/* A record of ours or OpenFst's; *out = NULL for a definition. */
static pf_err next_record(pf_stream_reader *stream, pf_expr **out) {
    pf_header header;
    uint64_t begin = pf_reader_offset(stream->reader);
    PF_TRY(pf_header_read(stream->reader, &header));
    if (strcmp(header.fst_type, "define") != 0)
        return pf_expr_read(stream->reader, &header, begin, blobs_find, &stream->shared, out);
    pf_blob *blob;
    if (header.version != PF_FORMAT_VERSION)
        return pf_reader_fail(stream->reader, "a 'define' record of format version %d; this program reads version %d",
                              header.version, PF_FORMAT_VERSION);
    PF_TRY(pf_blob_read(stream->reader, &blob));
    return blobs_add(&stream->shared, blob, NULL);
}

static pf_err next_expr(pf_stream_reader *stream, pf_expr **out) {
    const unsigned char *at;
    size_t n;
    *out = NULL;
    while (!*out) {
        if (stream->far || stream->xml) {
            PF_TRY(next_inside(stream, out));
            if (*out) return PF_OK;
        }
        PF_TRY(pf_reader_peek(stream->reader, PF_STREAM_LOOK, &at, &n));
        if (!n) return PF_OK;
        if (is_fst(at, n)) PF_TRY(next_record(stream, out));
        else if (pf_far_is(at, n)) PF_TRY(pf_far_reader_new(stream->reader, &stream->far));
        else if (is_xml(at, n)) PF_TRY(pf_xml_reader_new(stream->reader, &stream->xml));
        else return not_a_record(stream, at, n);
    }
    return PF_OK;
}

pf_err pf_stream_next(pf_stream_reader *stream, pf_expr **out) {
    pf_reader_set_record(stream->reader, stream->first + stream->read);
    PF_TRY(next_expr(stream, out));
    stream->read += *out != NULL;
    return PF_OK;
}

/* ---- writing ---- */

struct pf_stream_writer {
    pf_writer *writer;
    blob_list defined;
    pf_far_writer *far;
};

pf_err pf_stream_writer_new(pf_writer *writer, pf_stream_form form, pf_stream_writer **out) {
    pf_stream_writer *stream = calloc(1, sizeof *stream);
    if (!stream) return pf_nomem();
    stream->writer = writer;
    pf_statetab_init(&stream->defined.hashes, PF_HASH_BYTES);
    pf_err err = PF_OK;
    if (form != PF_AS_RECORDS) err = pf_far_writer_new(writer, form == PF_AS_FAR ? PF_STLIST : PF_STTABLE, &stream->far);
    if (err) pf_stream_writer_free(stream);
    else *out = stream;
    return err;
}

void pf_stream_writer_free(pf_stream_writer *stream) {
    if (!stream) return;
    blobs_free(&stream->defined);
    pf_far_writer_free(stream->far);
    free(stream);
}

static pf_err define(pf_stream_writer *stream, const pf_expr *e) {
    if (e->first) PF_TRY(define(stream, e->first));
    if (e->second) PF_TRY(define(stream, e->second));
    if (!e->shared || e->kind == PF_EXPR_MODEL) return PF_OK;
    bool fresh;
    PF_TRY(blobs_add(&stream->defined, pf_blob_ref(e->shared), &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(pf_lazy_header_write(stream->writer, "define", PF_STANDARD, 0));
    return pf_blob_write(stream->writer, e->shared);
}

pf_err pf_stream_put(pf_stream_writer *stream, const pf_expr *e, uint64_t record) {
    if (stream->far) {
        char key[24];
        if (e->kind != PF_EXPR_FST) return pf_fail(PF_EARG, "a FAR holds ordinary automata: use permexpand");
        snprintf(key, sizeof key, "%010llu", (unsigned long long)record);
        PF_TRY(pf_far_put(stream->far, key, e->fst));
    } else {
        PF_TRY(define(stream, e));
        PF_TRY(pf_expr_write(stream->writer, e));
    }
    return pf_writer_flush(stream->writer);
}

pf_err pf_stream_end(pf_stream_writer *stream) { return stream->far ? pf_far_end(stream->far) : PF_OK; }
