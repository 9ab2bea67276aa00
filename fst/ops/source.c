/* The first bytes tell what a source is; they are looked at when the first record is asked for. */
#include <permfst/ops/source.h>

#include <permfst/io/stream.h>
#include <permfst/ops/open.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pf_source {
    pf_reader *reader;
    pf_stream_reader *stream;
    pf_source_options options; /* without tables: the stream has these */
    bool begun;
    uint64_t models; /* 1: the first record was ARPA text */
};

pf_err pf_source_new(pf_reader *reader, const pf_source_options *options, pf_source **out) {
    pf_source *s = *out = calloc(1, sizeof *s);
    if (!s) {
        pf_reader_free(reader);
        return pf_nomem();
    }
    s->reader = reader;
    s->options = *options;
    s->options.isyms = s->options.osyms = NULL;
    pf_err err = pf_stream_reader_new(reader, options->first, &s->stream);
    if (!err) {
        pf_stream_reader_symbols(s->stream, options->isyms, options->osyms);
        return PF_OK;
    }
    pf_source_free(s);
    *out = NULL;
    return err;
}

void pf_source_free(pf_source *s) {
    if (!s) return;
    pf_stream_reader_free(s->stream);
    pf_reader_free(s->reader);
    free(s);
}

uint64_t pf_source_record(const pf_source *s) { return pf_stream_record(s->stream) + s->models; }
const char *pf_source_name(const pf_source *s) { return pf_reader_name(s->reader); }
uint64_t pf_source_stored(const pf_source *s) { return pf_reader_stored(s->reader); }

static pf_err read_arpa(pf_source *s, pf_expr **out) {
    pf_model model;
    pf_blob *blob;
    PF_TRY(pf_ngram_read_arpa(s->reader, s->options.warn, s->options.warn_to, &model));
    PF_TRY(pf_blob_of_model(&model, &blob));
    pf_err err = pf_expr_of_model(blob, out);
    pf_blob_free(blob);
    s->models = !err;
    return err;
}

pf_err pf_source_next(pf_source *s, pf_expr **out) {
    const unsigned char *at;
    size_t n;
    *out = NULL;
    if (s->options.models && !s->begun) {
        PF_TRY(pf_reader_peek(s->reader, PF_STREAM_LOOK, &at, &n));
        s->begun = true;
        if (!pf_stream_begins(at, n)) return read_arpa(s, out);
    }
    return pf_stream_next(s->stream, out);
}

/* A model serves every record, so nothing can follow it. ARPA text is read up to its end, and what follows it is no record. */
static pf_err only_model(pf_source *s) {
    pf_expr *second = NULL;
    if (!s->models) PF_TRY(pf_source_next(s, &second));
    if (!second) return PF_OK;
    pf_expr_free(second);
    return pf_fail(PF_EINPUT, "%s: expected one model, found another record after it", pf_source_name(s));
}

pf_err pf_source_operand(pf_source *s, pf_blob **model, pf_expr **first) {
    assert(s->options.models && !s->begun);
    *model = NULL;
    PF_TRY(pf_source_next(s, first));
    if (!*first)
        return pf_fail(PF_EINPUT, "%s is empty: expected a model or an automaton (did the command before it fail?)",
                       pf_source_name(s));
    if ((*first)->kind != PF_EXPR_MODEL) return PF_OK;
    pf_err err = only_model(s);
    if (!err) *model = pf_blob_ref((*first)->shared);
    pf_expr_free(*first);
    *first = NULL;
    return err;
}

pf_err pf_fail_in_record(pf_err err, const char *name, uint64_t record) {
    char prefix[32];
    int n = snprintf(prefix, sizeof prefix, "record %llu", (unsigned long long)record);
    const char *named = strstr(pf_message(), prefix);
    if (err == PF_EIO || (named && (named[n] < '0' || named[n] > '9'))) return err;
    return pf_fail_in(err, "%s: %s: ", name, prefix);
}
