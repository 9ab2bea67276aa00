/* Records in a row, and the shared operands that they name. */
#include <permfst/io/stream.h>

#include <permfst/base/statetab.h>
#include <permfst/io/bin.h>
#include <permfst/io/xml.h>
#include <permfst/machine/build.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blobs by hash. */
typedef struct {
    pf_statetab hashes;
    PF_VEC(pf_blob *) blob;
} blob_list;

static void blobs_free(blob_list *b) {
    for (size_t i = 0; i < b->blob.n; i++) pf_blob_free(b->blob.at[i]);
    PF_VEC_FREE(&b->blob);
    pf_statetab_free(&b->hashes);
}

static pf_blob *blobs_find(void *self, const unsigned char *hash) {
    blob_list *b = self;
    uint32_t id = pf_statetab_find(&b->hashes, hash, PF_HASH_BYTES);
    return id == UINT32_MAX ? NULL : b->blob.at[id];
}

/* Takes over one reference; a repeat is given back. */
static pf_err blobs_add(blob_list *b, pf_blob *blob, bool *fresh) {
    uint32_t id;
    unsigned char hash[PF_HASH_BYTES];
    int is_new = 0;
    pf_err err = PF_ROOM(&b->blob, 1);
    if (!err) err = pf_blob_hash(blob, hash);
    if (!err) err = pf_statetab_intern(&b->hashes, hash, PF_HASH_BYTES, &id, &is_new);
    if (fresh) *fresh = is_new;
    if (is_new) b->blob.at[b->blob.n++] = blob;
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
    pf_symtab *isyms, *osyms; /* of automata that carry none */
};

pf_err pf_stream_reader_new(pf_reader *reader, uint64_t first, pf_stream_reader **out) {
    pf_stream_reader *s = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    s->reader = reader;
    s->first = first;
    pf_statetab_init(&s->shared.hashes, PF_HASH_BYTES);
    *out = s;
    return PF_OK;
}

void pf_stream_reader_free(pf_stream_reader *s) {
    if (!s) return;
    blobs_free(&s->shared);
    pf_far_reader_free(s->far);
    pf_xml_reader_free(s->xml);
    pf_symtab_free(s->isyms);
    pf_symtab_free(s->osyms);
    free(s);
}

void pf_stream_reader_symbols(pf_stream_reader *s, pf_symtab *isyms, pf_symtab *osyms) {
    pf_symtab *const old[] = {s->isyms, s->osyms};
    s->isyms = pf_symtab_ref(isyms);
    s->osyms = pf_symtab_ref(osyms);
    for (int i = 0; i < 2; i++) pf_symtab_free(old[i]);
}

uint64_t pf_stream_record(const pf_stream_reader *s) { return s->first + s->read - 1; }

/* The next entry of the archive or document the stream is in; *out = NULL when that is over. */
static pf_err next_inside(pf_stream_reader *s, pf_expr **out) {
    const char *key;
    pf_fst *fst = NULL;
    *out = NULL;
    if (s->far) PF_TRY(pf_far_next(s->far, &key, &fst));
    if (fst) return pf_expr_of_fst(fst, out);
    if (s->xml) PF_TRY(pf_xml_next(s->xml, out));
    if (*out) return PF_OK;
    pf_far_reader_free(s->far);
    pf_xml_reader_free(s->xml);
    s->far = NULL;
    s->xml = NULL;
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

static pf_err not_a_record(const pf_stream_reader *s, const unsigned char *at, size_t n) {
    char look[24];
    size_t k = 0;
    for (; k < n && k < sizeof look - 1 && isprint(at[k]); k++) look[k] = (char)at[k];
    look[k] = 0;
    if (k >= 4 || k + 1 >= n)
        return pf_reader_fail(s->reader, "expected a record (permcompile makes records of text), found text: '%s'", look);
    return pf_reader_fail(s->reader, "expected a record (an automaton), found the bytes %02x %02x", at[0], n > 1 ? at[1] : 0);
}

/* A record of ours or OpenFst's; *out = NULL for a definition. */
static pf_err next_record(pf_stream_reader *s, pf_expr **out) {
    pf_header h;
    uint64_t begin = pf_reader_offset(s->reader);
    PF_TRY(pf_header_read(s->reader, &h));
    if (strcmp(h.fst_type, "define") != 0) return pf_expr_read(s->reader, &h, begin, blobs_find, &s->shared, out);
    pf_blob *blob;
    if (h.version != PF_FORMAT_VERSION)
        return pf_reader_fail(s->reader, "a 'define' record of format version %d; this program reads version %d", h.version,
                              PF_FORMAT_VERSION);
    PF_TRY(pf_blob_read(s->reader, &blob));
    return blobs_add(&s->shared, blob, NULL);
}

static pf_err next_expr(pf_stream_reader *s, pf_expr **out) {
    const unsigned char *at;
    size_t n;
    *out = NULL;
    while (!*out) {
        if (s->far || s->xml) {
            PF_TRY(next_inside(s, out));
            if (*out) return PF_OK;
        }
        PF_TRY(pf_reader_peek(s->reader, PF_STREAM_LOOK, &at, &n));
        if (!n) return PF_OK;
        if (is_fst(at, n)) PF_TRY(next_record(s, out));
        else if (pf_far_is(at, n)) PF_TRY(pf_far_reader_new(s->reader, &s->far));
        else if (is_xml(at, n)) PF_TRY(pf_xml_reader_new(s->reader, &s->xml));
        else return not_a_record(s, at, n);
    }
    return PF_OK;
}

/* To a record that nobody has seen yet: from the return of pf_stream_next on an expression does not change. */
static void give_symbols(const pf_stream_reader *s, const pf_expr *e) {
    if (!e) return;
    if (e->kind == PF_EXPR_FST)
        pf_fst_set_symbols(e->fst, e->fst->isyms ? e->fst->isyms : s->isyms, e->fst->osyms ? e->fst->osyms : s->osyms);
    give_symbols(s, e->first);
    give_symbols(s, e->second);
}

pf_err pf_stream_next(pf_stream_reader *s, pf_expr **out) {
    pf_reader_set_record(s->reader, s->first + s->read);
    PF_TRY(next_expr(s, out));
    if (s->isyms || s->osyms) give_symbols(s, *out);
    s->read += *out != NULL;
    return PF_OK;
}

/* ---- writing ---- */

struct pf_stream_writer {
    pf_writer *writer;
    blob_list defined;
    pf_far_writer *far;
};

pf_err pf_stream_writer_new(pf_writer *writer, pf_stream_form form, pf_stream_writer **out) {
    pf_stream_writer *s = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    s->writer = writer;
    pf_statetab_init(&s->defined.hashes, PF_HASH_BYTES);
    pf_err err = PF_OK;
    if (form != PF_AS_RECORDS) err = pf_far_writer_new(writer, form == PF_AS_FAR ? PF_STLIST : PF_STTABLE, &s->far);
    if (err) pf_stream_writer_free(s);
    else *out = s;
    return err;
}

void pf_stream_writer_free(pf_stream_writer *s) {
    if (!s) return;
    blobs_free(&s->defined);
    pf_far_writer_free(s->far);
    free(s);
}

static pf_err define(pf_stream_writer *s, const pf_expr *e) {
    if (e->first) PF_TRY(define(s, e->first));
    if (e->second) PF_TRY(define(s, e->second));
    if (!e->shared || e->kind == PF_EXPR_MODEL) return PF_OK;
    bool fresh;
    PF_TRY(blobs_add(&s->defined, pf_blob_ref(e->shared), &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(pf_lazy_header_write(s->writer, "define", PF_STANDARD, 0));
    return pf_blob_write(s->writer, e->shared);
}

pf_err pf_stream_put(pf_stream_writer *s, const pf_expr *e, uint64_t record) {
    if (s->far) {
        char key[24];
        if (e->kind != PF_EXPR_FST)
            return pf_fail(PF_EARG, "a FAR archive can hold only ordinary automata (permexpand makes them)");
        snprintf(key, sizeof key, "%010llu", (unsigned long long)record);
        PF_TRY(pf_far_put(s->far, key, e->fst));
    } else {
        PF_TRY(define(s, e));
        PF_TRY(pf_expr_write(s->writer, e));
    }
    return pf_writer_flush(s->writer);
}

static pf_err put_and_free(pf_stream_writer *s, pf_expr *e, uint64_t record) {
    pf_err err = pf_stream_put(s, e, record);
    pf_expr_free(e);
    return err;
}

pf_err pf_stream_put_empty(pf_stream_writer *s, uint64_t record) {
    pf_build none = {0};
    pf_fst *fst;
    pf_expr *e;
    PF_TRY(pf_build_finish(&none, PF_STANDARD, 0, &fst));
    PF_TRY(pf_expr_of_fst(fst, &e));
    return put_and_free(s, e, record);
}

pf_err pf_stream_put_no_answer(pf_stream_writer *s, uint64_t record) {
    pf_answer answer = {.bound = -(double)INFINITY};
    pf_expr *e;
    PF_TRY(pf_expr_of_answer(&answer, &e));
    return put_and_free(s, e, record);
}

pf_err pf_stream_end(pf_stream_writer *s) { return s->far ? pf_far_end(s->far) : PF_OK; }
