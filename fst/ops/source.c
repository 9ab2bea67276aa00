/* The first bytes tell what a source is; they are looked at when the first record is asked for. */
#include <permfst/ops/source.h>

#include <permfst/io/sentence.h>
#include <permfst/ops/open.h>

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pf_source {
    pf_reader *reader;
    pf_stream_reader *stream;
    pf_source_options options; /* without tables: the stream has these */
    bool begun, arpa, lines; /* the first record is looked at; it is ARPA text; or a sentence */
    uint64_t texts;          /* models, 1 at most, or sentences that are read */
    uint64_t from;           /* where the last of them begins */
};

pf_err pf_source_new(pf_reader *reader, const pf_source_options *options, pf_source **out) {
    pf_source *source = *out = calloc(1, sizeof *source);
    if (!source) {
        pf_reader_free(reader);
        return pf_nomem();
    }
    source->reader = reader;
    source->options = *options;
    source->options.isyms = source->options.osyms = NULL;
    pf_err err = pf_stream_reader_new(reader, options->first, &source->stream);
    if (!err) {
        pf_stream_reader_symbols(source->stream, options->isyms, options->osyms);
        if (options->resumes) pf_stream_reader_resumes(source->stream);
        return PF_OK;
    }
    pf_source_free(source);
    *out = NULL;
    return err;
}

void pf_source_free(pf_source *source) {
    if (!source) return;
    pf_stream_reader_free(source->stream);
    pf_reader_free(source->reader);
    free(source);
}

uint64_t pf_source_record(const pf_source *source) { return pf_stream_record(source->stream) + source->texts; }
uint64_t pf_source_byte(const pf_source *source) { return source->lines ? source->from : pf_stream_byte(source->stream); }
bool pf_source_summed(const pf_source *source) { return !source->arpa && !source->lines && pf_stream_summed(source->stream); }
const char *pf_source_name(const pf_source *source) { return pf_reader_name(source->reader); }
uint64_t pf_source_stored(const pf_source *source) { return pf_reader_stored(source->reader); }

static pf_err read_arpa(pf_source *source, pf_expr **out) {
    pf_model model;
    pf_blob *blob;
    source->arpa = true;
    PF_TRY(pf_ngram_read_arpa(source->reader, source->options.warn, source->options.warn_to, &model));
    PF_TRY(pf_blob_of_model(&model, &blob));
    pf_err err = pf_expr_of_model(blob, out);
    pf_blob_free(blob);
    source->texts = !err;
    return err;
}

/* The words may be numbers, but not what another format begins with. */
static pf_err check_sentences(const pf_source *source, const unsigned char *at, size_t length) {
    const char *kind = pf_stream_text_kind(at, length);
    size_t i = 0;
    while (i < length && isspace(at[i])) i++;
    if (!kind || isdigit(at[i])) return PF_OK;
    return pf_fail(PF_EINPUT, "%s: expected records or sentences, found %s", pf_source_name(source), kind);
}

static pf_err read_sentence(pf_source *source, pf_expr **out) {
    char *line;
    size_t length;
    pf_compiled sentence;
    source->from = pf_reader_offset(source->reader);
    PF_TRY(pf_reader_line(source->reader, &line, &length));
    if (!line) return PF_OK;
    source->texts++;
    pf_err err = pf_compile_line(&(pf_compile_options){0}, line, length, &sentence);
    if (err == PF_EINPUT) pf_reader_fail_line(source->reader, "%s", pf_message());
    if (!err) {
        err = pf_expr_of_fst(sentence.fst, out);
        sentence.fst = NULL;
    }
    pf_compiled_free(&sentence);
    return err;
}

/* Lines before \data\ are allowed, but not what has another format. */
static pf_err read_text(pf_source *source, const unsigned char *at, size_t length, pf_expr **out) {
    const char *kind = pf_stream_text_kind(at, length);
    if (!kind || memchr(at, *PF_ARPA_BEGIN, length)) return read_arpa(source, out);
    return pf_fail(PF_EINPUT, "%s: expected a record or an ARPA model, found %s", pf_source_name(source), kind);
}

/* An input that begins no stream. */
static pf_err begin_text(pf_source *source, const unsigned char *at, size_t length, pf_expr **out) {
    if (source->options.models) return read_text(source, at, length, out);
    PF_TRY(check_sentences(source, at, length));
    source->lines = true;
    return read_sentence(source, out);
}

pf_err pf_source_next(pf_source *source, pf_expr **out) {
    const unsigned char *at;
    size_t length;
    *out = NULL;
    if ((source->options.models || source->options.sentences) && !source->begun) {
        PF_TRY(pf_reader_peek(source->reader, PF_STREAM_LOOK, &at, &length));
        source->begun = true;
        if (!pf_stream_begins(at, length)) return begin_text(source, at, length, out);
    }
    if (source->arpa) return PF_OK;
    return source->lines ? read_sentence(source, out) : pf_stream_next(source->stream, out);
}

pf_err pf_source_resume(pf_source *source, pf_stream_loss *out) {
    assert(source->options.resumes);
    if (!source->arpa && !source->lines) return pf_stream_resume(source->stream, out);
    *out = (pf_stream_loss){0};
    if (source->lines) *out = (pf_stream_loss){true, source->from, pf_reader_offset(source->reader), 1, false};
    return PF_OK;
}

/* A model serves every record, so nothing can follow it. */
static pf_err only_model(pf_source *source) {
    pf_expr *second;
    PF_TRY(pf_source_next(source, &second));
    if (!second) return PF_OK;
    pf_expr_free(second);
    return pf_fail(PF_EINPUT, "%s: expected one model, found another record after it", pf_source_name(source));
}

pf_err pf_source_operand(pf_source *source, pf_blob **model, pf_expr **first) {
    assert(source->options.models && !source->begun);
    *model = NULL;
    PF_TRY(pf_source_next(source, first));
    if (!*first)
        return pf_fail(PF_EINPUT, "%s is empty: expected a model or an automaton (did the command before it fail?)",
                       pf_source_name(source));
    if ((*first)->kind != PF_EXPR_MODEL) return PF_OK;
    pf_err err = only_model(source);
    if (!err) *model = pf_blob_ref((*first)->shared);
    pf_expr_free(*first);
    *first = NULL;
    return err;
}

pf_err pf_source_model(pf_reader *reader, pf_warn warn, void *warn_to, pf_blob **out) {
    pf_source *source;
    pf_expr *automaton = NULL;
    *out = NULL;
    PF_TRY(pf_source_new(reader, &(pf_source_options){.first = 1, .models = true, .warn = warn, .warn_to = warn_to}, &source));
    pf_err err = pf_source_operand(source, out, &automaton);
    if (!err && automaton) err = pf_fail(PF_EINPUT, "%s: expected a model, found an automaton", pf_source_name(source));
    pf_expr_free(automaton);
    pf_source_free(source);
    return err;
}

pf_err pf_fail_in_record(pf_err err, const char *name, uint64_t record) {
    char prefix[32];
    int n = snprintf(prefix, sizeof prefix, "record %llu", (unsigned long long)record);
    const char *named = strstr(pf_message(), prefix);
    if (err == PF_EIO || (named && (named[n] < '0' || named[n] > '9'))) return err;
    return pf_fail_in(err, "%s: %s: ", name, prefix);
}
