/* Records in a row, and the shared operands that they name.
 *
 * A stream of ours begins with the first frame, and ends with the end record: so it is known where one is cut. What others wrote
 * (OpenFst files, archives, documents) stands between such streams. */
#include <permfst/io/stream.h>

#include "io/bloblist.h"
#include "io/frame.h"
#include "io/io_impl.h"

#include <permfst/io/bin.h>
#include <permfst/io/xml.h>

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pf_stream_reader {
    pf_reader *reader;
    uint64_t first, read;
    bool inside;      /* a stream of ours, which must have its end */
    uint64_t number;  /* in it, of the next record */
    bool resumes;
    uint64_t begin;   /* of the record that is read */
    bool summed;      /* it had a checksum */
    uint64_t search;  /* if it is damaged, what follows is not before this */
    pfi_bloblist shared;
    pf_far_reader *far;
    pf_xml_reader *xml;
    pf_symtab *isyms, *osyms; /* of automata that carry none */
};

pf_err pf_stream_reader_new(pf_reader *reader, uint64_t first, pf_stream_reader **out) {
    pf_stream_reader *stream = calloc(1, sizeof *stream);
    if (!stream) return pf_nomem();
    stream->reader = reader;
    stream->first = first;
    stream->number = 1;
    pfi_bloblist_init(&stream->shared);
    *out = stream;
    return PF_OK;
}

void pf_stream_reader_free(pf_stream_reader *stream) {
    if (!stream) return;
    pfi_bloblist_free(&stream->shared);
    pf_far_reader_free(stream->far);
    pf_xml_reader_free(stream->xml);
    pf_symtab_free(stream->isyms);
    pf_symtab_free(stream->osyms);
    free(stream);
}

void pf_stream_reader_symbols(pf_stream_reader *stream, pf_symtab *isyms, pf_symtab *osyms) {
    pf_symtab *const old[] = {stream->isyms, stream->osyms};
    stream->isyms = pf_symtab_ref(isyms);
    stream->osyms = pf_symtab_ref(osyms);
    for (int i = 0; i < 2; i++) pf_symtab_free(old[i]);
}

void pf_stream_reader_resumes(pf_stream_reader *stream) { stream->resumes = true; }

uint64_t pf_stream_record(const pf_stream_reader *stream) { return stream->first + stream->read - 1; }
bool pf_stream_summed(const pf_stream_reader *stream) { return stream->summed; }
uint64_t pf_stream_byte(const pf_stream_reader *stream) { return stream->begin; }

/* ---- what the first bytes tell ---- */

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

bool pf_stream_begins(const unsigned char *at, size_t n) {
    return !n || pfi_frame_is(at, n) || is_fst(at, n) || pf_far_is(at, n) || is_xml(at, n);
}

const char *pf_stream_text_kind(const unsigned char *at, size_t n) {
    static const struct {
        const char *begin, *kind;
    } texts[] = {
        {PF_ARPA_BEGIN, "an ARPA model (permcompose takes it as its second operand; permcompile --arpa makes a record of it)"},
        {"(((", "a lattice in the format PLF (permcompile --plf makes a record of it)"},
        {"VERSION=", "a lattice in the format SLF (permcompile --slf makes a record of it)"},
    };
    size_t i = 0, digits = 0, fields = 0;
    while (i < n && isspace(at[i])) i++;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (n - i >= strlen(texts[k].begin) && memcmp(at + i, texts[k].begin, strlen(texts[k].begin)) == 0) return texts[k].kind;
    for (; i < n && fields < 2 && (isdigit(at[i]) || at[i] == ' ' || at[i] == '\t'); i++) {
        digits += isdigit(at[i]) != 0;
        fields += digits && !isdigit(at[i]);
        if (!isdigit(at[i])) digits = 0;
    }
    if (fields < 2) return NULL;
    return "an automaton as text, as fstprint writes it (permcompile --att makes a record of it)";
}

static pf_err not_a_record(const pf_stream_reader *stream, const unsigned char *at, size_t n) {
    char look[24];
    size_t k = 0;
    for (; k < n && k < sizeof look - 1 && isprint(at[k]); k++) look[k] = (char)at[k];
    look[k] = 0;
    const char *kind = pf_stream_text_kind(at, n);
    if (kind) return pf_reader_fail(stream->reader, "expected a record, found %s", kind);
    if (k >= 4 || k + 1 >= n)
        return pf_reader_fail(stream->reader, "expected a record (permcompile makes records of text), found text: '%s'", look);
    return pf_reader_fail(stream->reader, "expected a record (an automaton), found the bytes %02x %02x", at[0], n > 1 ? at[1] : 0);
}

/* ---- where a stream of ours begins and ends ---- */

/* What has no frame ends no stream of ours. */
static pf_err check_outside(const pf_stream_reader *stream, const char *found) {
    if (!stream->inside) return PF_OK;
    return pf_reader_fail(stream->reader,
                          "the stream has lost its end: after %" PRIu64 " record%s, expected another one or the end "
                          "record, found %s (did the command before it fail?)", stream->number - 1, stream->number == 2 ? "" : "s",
                              found);
}

static pf_err check_number(const pf_stream_reader *stream, const pfi_frame *frame) {
    if (frame->number == stream->number) return PF_OK;
    return pf_reader_fail(stream->reader, "records are missing: expected number %" PRIu64 " of the stream, found number %" PRIu64,
                          stream->number, frame->number);
}

static void count_one(pf_stream_reader *stream) {
    stream->inside = stream->summed = true;
    stream->number++;
}

static pf_err end_stream(pf_stream_reader *stream, const pfi_frame *frame) {
    if (frame->number != stream->number - 1)
        return pf_reader_fail(stream->reader, "records are missing: the end record says that there are %" PRIu64 ", found %" PRIu64,
                              frame->number, stream->number - 1);
    stream->inside = false;
    stream->number = 1;
    return PF_OK;
}

static pf_err end_of_input(const pf_stream_reader *stream) {
    if (!pf_reader_offset(stream->reader))
        return pf_fail(PF_EINPUT, "%s is empty: expected records (did the command before it fail?)",
                       pf_reader_name(stream->reader));
    return check_outside(stream, "the end of the input");
}

/* ---- records ---- */

/* A model, whose bytes follow its frame and have their own hash. */
static pf_err read_blob(pf_stream_reader *stream, pf_reader *content, bool define, pf_expr **out) {
    pf_blob *blob;
    if (stream->resumes) pf_reader_keep(stream->reader, false); /* its size is known to be right */
    PF_TRY(pf_blob_read(content, stream->reader, &blob));
    if (define) return pfi_bloblist_add(&stream->shared, blob, NULL);
    pf_err err = pf_expr_of_model(blob, out);
    pf_blob_free(blob);
    return err;
}

static pf_err read_content(pf_stream_reader *stream, pf_reader *content, pf_expr **out) {
    pf_header header;
    const unsigned char *at;
    size_t left;
    uint64_t begin = pf_reader_offset(content);
    PF_TRY(pf_header_read(content, &header));
    bool define = strcmp(header.fst_type, "define") == 0, model = strcmp(header.fst_type, "model") == 0;
    if (define || model) PF_TRY(pfi_lazy_header_check(content, &header));
    PF_TRY(define || model ? read_blob(stream, content, define, out)
                           : pf_expr_read(content, &header, begin, pfi_bloblist_find, &stream->shared, out));
    if (define || model) PF_TRY(pfi_frame_skip_padding(content));
    PF_TRY(pf_reader_peek(content, 1, &at, &left));
    if (left) return pf_reader_fail(content, "the record has more bytes than it needs");
    if (define) stream->inside = true;
    else count_one(stream);
    return PF_OK;
}

/* *out = NULL for a definition. */
static pf_err read_framed(pf_stream_reader *stream, const pfi_frame *frame, pf_expr **out) {
    pf_reader *content = NULL;
    unsigned char *bytes = NULL;
    bool read;
    PF_TRY(check_number(stream, frame));
    stream->search = stream->begin + 1;
    pf_err err = pfi_frame_open(stream->reader, frame, stream->first + stream->read, &read, &bytes, &content);
    if (!err) err = read_content(stream, content, out);
    if (read) stream->search = pf_reader_offset(stream->reader);
    if (err) {
        pf_expr_free(*out);
        *out = NULL;
    }
    pf_reader_free(content);
    free(bytes);
    return err;
}

static pf_err next_framed(pf_stream_reader *stream, pf_expr **out) {
    pfi_frame frame;
    PF_TRY(pfi_frame_read(stream->reader, &frame));
    stream->search = stream->begin; /* the frame is whole: if it does not belong here, it belongs after something else */
    if (frame.kind == PFI_END) return end_stream(stream, &frame);
    if (frame.kind == PFI_RECORD) return read_framed(stream, &frame, out);
    return pf_reader_fail(stream->reader, "found the seal of an automaton, but no automaton before it");
}

/* Of the automaton that has just been read, and which has this sum. */
static pf_err read_seal(pf_stream_reader *stream, uint32_t sum) {
    uint64_t n = pf_reader_offset(stream->reader) - stream->begin;
    pfi_frame seal;
    const unsigned char *at;
    size_t have;
    PF_TRY(pf_reader_peek(stream->reader, PFI_FRAME_BYTES, &at, &have));
    if (have < PFI_FRAME_BYTES || !pfi_frame_is(at, have))
        return pf_reader_fail(stream->reader, "expected the seal of the automaton, found %s",
                              have < PFI_FRAME_BYTES ? "the end of the input" : "something else: one of the two is damaged");
    PF_TRY(pfi_frame_read(stream->reader, &seal));
    if (seal.kind != PFI_SEAL) return pf_reader_fail(stream->reader, "expected the seal of the automaton, found another frame");
    if (seal.length != n || seal.sum != sum)
        return pf_reader_fail(stream->reader, "the automaton is damaged: its %" PRIu64 " bytes have the checksum %08" PRIx32
                              ", expected %" PRIu64 " and %08" PRIx32, n, sum, seal.length, seal.sum);
    stream->search = stream->begin; /* it is whole */
    PF_TRY(check_number(stream, &seal));
    count_one(stream);
    return PF_OK;
}

static pf_err check_ordinary(const pf_stream_reader *stream, const pf_header *header) {
    if (!pf_bin_is(header)) {
        PF_TRY(pfi_lazy_header_check(stream->reader, header));
        return pf_reader_fail(stream->reader, "expected a frame around the record of type '%s', found none", header->fst_type);
    }
    return header->properties & PF_SEALED ? PF_OK : check_outside(stream, "an automaton that has no seal");
}

/* An OpenFst file: ours, which has a seal, or one of others. */
static pf_err next_ordinary(pf_stream_reader *stream, pf_expr **out) {
    pf_header header;
    pf_reader_sum_begin(stream->reader);
    PF_TRY(pf_header_read(stream->reader, &header));
    PF_TRY(check_ordinary(stream, &header));
    if (!(header.properties & PF_SEALED)) header.properties &= ~PF_NAMED; /* bits of others mean nothing */
    PF_TRY(pf_expr_read(stream->reader, &header, stream->begin, pfi_bloblist_find, &stream->shared, out));
    uint32_t sum = pf_reader_sum(stream->reader);
    pf_err err = header.properties & PF_SEALED ? read_seal(stream, sum) : PF_OK;
    if (!err) return PF_OK;
    pf_expr_free(*out);
    *out = NULL;
    return err;
}

/* The automaton of an entry of an archive, whose key is its name. */
static pf_err named_entry(const pf_stream_reader *stream, const char *key, pf_fst *fst, pf_expr **out) {
    PF_TRY(pf_expr_of_file(fst, pf_far_header(stream->far), out));
    return pf_expr_give_name(out, key);
}

/* The next entry of the archive or document the stream is in; *out = NULL when that is over. */
static pf_err next_inside(pf_stream_reader *stream, pf_expr **out) {
    const char *key;
    pf_fst *fst = NULL;
    *out = NULL;
    if (stream->far) PF_TRY(pf_far_next(stream->far, &key, &fst));
    if (fst) return named_entry(stream, key, fst, out);
    if (stream->xml) PF_TRY(pf_xml_next(stream->xml, out));
    if (*out) return PF_OK;
    pf_far_reader_free(stream->far);
    pf_xml_reader_free(stream->xml);
    stream->far = NULL;
    stream->xml = NULL;
    return PF_OK;
}

/* What begins here: a record, or a definition or an end, or an archive or a document. */
static pf_err next_item(pf_stream_reader *stream, const unsigned char *at, size_t n, pf_expr **out) {
    if (pfi_frame_is(at, n)) return next_framed(stream, out);
    if (is_fst(at, n)) return next_ordinary(stream, out);
    if (!pf_far_is(at, n) && !is_xml(at, n)) return not_a_record(stream, at, n);
    PF_TRY(check_outside(stream, pf_far_is(at, n) ? "a FAR archive" : "XML"));
    return pf_far_is(at, n) ? pf_far_reader_new(stream->reader, &stream->far) : pf_xml_reader_new(stream->reader, &stream->xml);
}

static pf_err next_expr(pf_stream_reader *stream, pf_expr **out) {
    const unsigned char *at;
    size_t n;
    *out = NULL;
    while (!*out) {
        stream->begin = pf_reader_offset(stream->reader);
        stream->search = stream->begin + 1;
        stream->summed = false;
        if (stream->far || stream->xml) {
            PF_TRY(next_inside(stream, out));
            if (*out) return PF_OK;
            continue;
        }
        if (stream->resumes) pf_reader_keep(stream->reader, true);
        PF_TRY(pf_reader_peek(stream->reader, PF_STREAM_LOOK, &at, &n));
        if (!n) return end_of_input(stream);
        PF_TRY(next_item(stream, at, n, out));
    }
    return PF_OK;
}

/* To a record that nobody has seen yet: from the return of pf_stream_next on an expression does not change. */
static void give_symbols(const pf_stream_reader *stream, const pf_expr *expr) {
    if (!expr) return;
    if (expr->kind == PF_EXPR_FST)
        pf_fst_set_symbols(expr->fst, expr->fst->isyms ? expr->fst->isyms : stream->isyms,
                           expr->fst->osyms ? expr->fst->osyms : stream->osyms);
    give_symbols(stream, expr->first);
    give_symbols(stream, expr->second);
}

pf_err pf_stream_next(pf_stream_reader *stream, pf_expr **out) {
    pf_reader_set_record(stream->reader, stream->first + stream->read);
    PF_TRY(next_expr(stream, out));
    if (stream->isyms || stream->osyms) give_symbols(stream, *out);
    stream->read += *out != NULL;
    return PF_OK;
}

/* ---- after damage ---- */

/* The number of the record at which reading goes on, which is before the reader then. A seal tells where its automaton begins. */
static pf_err go_on_at(pf_stream_reader *stream, const pfi_frame *frame, uint64_t *number) {
    uint64_t at = pf_reader_offset(stream->reader);
    *number = frame->number + (frame->kind == PFI_END);
    if (frame->kind != PFI_SEAL) return PF_OK;
    if (frame->length <= at - stream->search) { /* what is damaged is before this automaton */
        pf_reader_back(stream->reader, at - frame->length);
        return PF_OK;
    }
    ++*number;
    return pf_reader_skip(stream->reader, PFI_FRAME_BYTES);
}

/* To where the search begins. */
static pf_err go_to_search(pf_stream_reader *stream) {
    const unsigned char *at;
    size_t n;
    uint64_t here = pf_reader_offset(stream->reader);
    if (stream->search < here) pf_reader_back(stream->reader, stream->search);
    else if (stream->search > here) {
        PF_TRY(pf_reader_peek(stream->reader, 1, &at, &n));
        PF_TRY(pf_reader_skip(stream->reader, n));
    }
    pf_reader_keep(stream->reader, true);
    return PF_OK;
}

pf_err pf_stream_resume(pf_stream_reader *stream, pf_stream_loss *out) {
    pfi_frame frame;
    bool found;
    uint64_t number;
    assert(stream->resumes);
    *out = (pf_stream_loss){.from = stream->begin};
    if (stream->far || stream->xml) return PF_OK;
    PF_TRY(go_to_search(stream));
    PF_TRY(pfi_frame_find(stream->reader, &frame, &found));
    if (!found) return PF_OK;
    PF_TRY(go_on_at(stream, &frame, &number));
    out->to = pf_reader_offset(stream->reader);
    if (number == 1 && stream->number > 1) out->cut = true; /* another stream begins */
    else if (number < stream->number || number - stream->number > (out->to - out->from) / PFI_FRAME_BYTES + 1) return PF_OK;
    else out->records = number - stream->number;
    if (out->to == out->from && !out->records && !out->cut) return PF_OK; /* it would fail again */
    out->resumed = stream->inside = true;
    stream->number = number;
    stream->read += out->records;
    return PF_OK;
}
