/* One iterator over all kinds of text: each kind has a function that gives its next record. Nothing is read ahead. */
#include <permfst/verbs/compile.h>

#include <permfst/io/plf.h>
#include <permfst/io/slf.h>
#include <permfst/io/xml.h>
#include <permfst/machine/build.h>
#include <permfst/model/ngram.h>
#include <permfst/ops/open.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pf_compiler {
    pf_reader *reader;
    pf_compiler_options options;
    pf_slf_reader *slf;
    pf_xml_reader *xml;
    bool words;       /* a line with words was read */
    bool ended;       /* there is no record after those that were given */
    bool line_failed; /* the last error was that of one line */
};

typedef pf_err (*record_reader)(pf_compiler *compiler, pf_expr **out);

/* The automaton, if there is one, belongs to the expression. */
static pf_err of_fst(pf_fst *fst, pf_expr **out) { return fst ? pf_expr_of_fst(fst, out) : PF_OK; }

/* ---- sentences and lattices, a line each ---- */

/* The permutations of the words, with the constraints that the marks stand for. */
static pf_err permute_marked(const pf_compiled *sentence, pf_expr *words, pf_expr **out) {
    size_t n = sentence->mark.n;
    const char **con = calloc(n + 1, sizeof *con);
    if (!con) return pf_nomem();
    for (size_t i = 0; i < n; i++) con[i] = sentence->mark.at[i].spec;
    pf_err err = pf_expr_permute(words, &(pf_perm_spec){.con = con, .n_con = n}, out);
    free(con);
    return err;
}

static pf_err of_sentence(const pf_compile_options *options, pf_compiled *sentence, pf_expr **out) {
    pf_expr *words;
    pf_fst *fst = sentence->fst;
    sentence->fst = NULL;
    PF_TRY(pf_expr_of_fst(fst, &words));
    if (!options->markup && !options->at_punctuation) {
        *out = words;
        return PF_OK;
    }
    pf_err err = permute_marked(sentence, words, out);
    pf_expr_free(words);
    return err;
}

static pf_err compile_sentence(pf_compiler *compiler, const char *line, size_t length, pf_expr **out) {
    pf_compiled sentence;
    if (!compiler->words && strcmp(line, "\\data\\") == 0)
        return pf_reader_fail_line(compiler->reader, "expected sentences, found an ARPA model: --arpa reads it");
    compiler->words = compiler->words || line[strspn(line, " \t\r")];
    pf_err err = pf_compile_line(&compiler->options.sentence, line, length, &sentence);
    if (err == PF_EINPUT) pf_reader_fail_line(compiler->reader, "%s", pf_message());
    if (!err) err = of_sentence(&compiler->options.sentence, &sentence, out);
    pf_compiled_free(&sentence);
    return err;
}

static pf_err compile_plf(pf_compiler *compiler, const char *line, size_t length, pf_expr **out) {
    pf_fst *fst;
    PF_TRY(pf_plf_line(compiler->reader, &compiler->options.lattice, line, length, &fst));
    return of_fst(fst, out);
}

static pf_err next_line(pf_compiler *compiler, pf_expr **out) {
    char *line;
    size_t n;
    PF_TRY(pf_reader_line(compiler->reader, &line, &n));
    if (!line) return PF_OK;
    pf_err err = (compiler->options.kind == PF_TEXT_PLF ? compile_plf : compile_sentence)(compiler, line, n, out);
    compiler->line_failed = err;
    return err;
}

/* ---- documents ---- */

static pf_err next_att(pf_compiler *compiler, pf_expr **out) {
    pf_fst *fst;
    PF_TRY(pf_text_read(compiler->reader, &compiler->options.att, &fst));
    compiler->ended = !compiler->options.att.many;
    return of_fst(fst, out);
}

static pf_err next_slf(pf_compiler *compiler, pf_expr **out) {
    pf_fst *fst;
    if (!compiler->slf) PF_TRY(pf_slf_reader_new(compiler->reader, &compiler->options.lattice, &compiler->slf));
    PF_TRY(pf_slf_next(compiler->slf, &fst));
    PF_TRY(of_fst(fst, out));
    return *out ? pf_expr_give_name(out, pf_slf_utterance(compiler->slf)) : PF_OK;
}

static pf_err next_xml(pf_compiler *compiler, pf_expr **out) {
    if (!compiler->xml) PF_TRY(pf_xml_reader_new(compiler->reader, &compiler->xml));
    return pf_xml_next(compiler->xml, out);
}

/* ---- models ---- */

static pf_err only_model(pf_compiler *compiler, pf_expr **out) {
    const pf_compiler_options *options = &compiler->options;
    pf_model model;
    pf_blob *blob;
    PF_TRY(options->kind == PF_TEXT_TUPLES
               ? pf_tuplemodel_read_arpa(compiler->reader, &options->tuples, options->warn, options->warn_to, &model)
               : pf_ngram_read_arpa(compiler->reader, options->warn, options->warn_to, &model));
    compiler->ended = true;
    PF_TRY(pf_blob_of_model(&model, &blob));
    pf_err err = pf_expr_of_model(blob, out);
    pf_blob_free(blob);
    return err;
}

/* ---- all kinds ---- */

pf_err pf_compiler_new(pf_reader *reader, const pf_compiler_options *options, pf_compiler **out) {
    assert(options->kind <= PF_TEXT_TUPLES);
    *out = calloc(1, sizeof **out);
    if (!*out) return pf_nomem();
    (*out)->reader = reader;
    (*out)->options = *options;
    return PF_OK;
}

void pf_compiler_free(pf_compiler *compiler) {
    if (!compiler) return;
    pf_slf_reader_free(compiler->slf);
    pf_xml_reader_free(compiler->xml);
    free(compiler);
}

pf_err pf_compiler_next(pf_compiler *compiler, pf_expr **out) {
    static const record_reader next[] = {
        [PF_TEXT_SENTENCES] = next_line, [PF_TEXT_ATT] = next_att,    [PF_TEXT_PLF] = next_line,     [PF_TEXT_SLF] = next_slf,
        [PF_TEXT_XML] = next_xml,        [PF_TEXT_ARPA] = only_model, [PF_TEXT_TUPLES] = only_model,
    };
    *out = NULL;
    compiler->line_failed = false;
    if (compiler->ended) return PF_OK;
    pf_err err = next[compiler->options.kind](compiler, out);
    if (err) *out = NULL;
    if (!*out && !compiler->line_failed) compiler->ended = true;
    return err;
}

bool pf_compiler_goes_on(const pf_compiler *compiler) { return compiler->line_failed; }

static pf_arc_type type_of(const pf_compiler *compiler) {
    switch (compiler->options.kind) {
    case PF_TEXT_SENTENCES: return compiler->options.sentence.type;
    case PF_TEXT_ATT: return compiler->options.att.type;
    case PF_TEXT_PLF: case PF_TEXT_SLF: return compiler->options.lattice.type;
    default: return PF_STANDARD;
    }
}

pf_err pf_compiler_nothing(const pf_compiler *compiler, pf_expr **out) {
    pf_fst *fst;
    *out = NULL;
    PF_TRY(pf_build_finish(&(pf_build){0}, type_of(compiler), 0, &fst));
    return pf_expr_of_fst(fst, out);
}
