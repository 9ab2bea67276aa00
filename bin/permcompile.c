/* permcompile: text to automata. Each input line is a record; or AT&T text, lattices, XML, an ARPA model. */
#include "toolfst.h"
#include "toolprogress.h"
#include "toolmap.h"
#include "toolwatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PASS 10.0
enum { MOST_SCALES = sizeof((tool_specs){0}).at / sizeof(const char *) };

typedef enum { SENTENCES, ATT, PLF, SLF, XML, ARPA, TUPLES } text_kind;

typedef struct {
    tool_common common;
    int kind;
    bool markup, at_punctuation, acceptor, keep_numbering, many, no_quotes;
    const char *symbols, *epsilon;
    int arc_type, plf_scores; /* a pf_arc_type, a pf_plf_scores */
    tool_specs scales;
    double pass;
    uint64_t most;
} options;

static pf_err list_scales(pf_writer *to) {
    return pf_writer_text(
        to,
        "N:X\tPLF: score N of an arc, from 1, times X [1]\nNAME:X\tPLF: the feature NAME times X\n"
        "a:X\tSLF: acoustic score [acscale, or 1]\nl:X\tSLF: language model score [lmscale, or 1]\n"
        "n:X\tSLF: n-gram score [ngscale, or 1]\nr:X\tSLF: pronunciation score [prscale, or 1]\n"
        "ds:X\tSLF: duration score [duscale, or 0]\nxN:X\tSLF: further score N, from 1 to %d [xNscale, or 0]\n"
        "p:X\tSLF: posterior probability [0]\nwords:X\tX is added to the log score of each word [SLF: wdpenalty, or 0]\n",
        PF_SLF_SCORES);
}

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read (sentences, a line each, or one of these)"),
    {.name = "att", .kind = TOOL_SELECT, .at = offsetof(options, kind), .min = ATT, .help = "AT&T text, one automaton in each file"},
    {.name = "plf", .kind = TOOL_SELECT, .at = offsetof(options, kind), .min = PLF,
     .help = "the lines are lattices in the format of Moses"},
    {.name = "slf", .kind = TOOL_SELECT, .at = offsetof(options, kind), .min = SLF,
     .help = "lattices in the standard lattice format of HTK"},
    {.name = "xml", .kind = TOOL_SELECT, .at = offsetof(options, kind), .min = XML, .help = "XML, as permprint --xml writes it"},
    {.name = "arpa", .kind = TOOL_SELECT, .at = offsetof(options, kind), .min = ARPA,
     .help = "the input is a language model in ARPA format"},
    {.name = "tuples", .kind = TOOL_SELECT, .at = offsetof(options, kind), .min = TUPLES,
     .help = "the input is an ARPA model of tuples f|e1_e2: make a transducer from source words to target words of it"},
    TOOL_GROUP_OF("How it is read"),
    {.letter = 's', .name = "symbols", .kind = TOOL_FILE, .at = offsetof(options, symbols), .metavar = "FILE",
     .excludes = "att xml arpa tuples",
     .help = "number the words as in this symbol table; a word that it lacks is an error"},
    {.name = "markup", .kind = TOOL_FLAG, .at = offsetof(options, markup), .excludes = "att plf slf xml arpa tuples far",
     .help = "the lines are XML with <zone> and <wall/>, which become constraints of the records"},
    {.name = "monotone-at-punctuation", .kind = TOOL_FLAG, .at = offsetof(options, at_punctuation),
     .excludes = "att plf slf xml arpa tuples far",
     .help = "put a wall before and after each of the words , . ! ? : ; \""},
    {.name = "acceptor", .kind = TOOL_FLAG, .at = offsetof(options, acceptor), .needs = "att",
     .help = "each line has one label"},
    {.name = "keep-state-numbering", .kind = TOOL_FLAG, .at = offsetof(options, keep_numbering), .needs = "att",
     .help = "keep the numbers of states"},
    {.name = "many", .kind = TOOL_FLAG, .at = offsetof(options, many), .needs = "att",
     .help = "a file may have several automata, with a blank line after each"},
    {.name = "isymbols", .kind = TOOL_FILE, .at = offsetof(tool_common, isyms), .metavar = "FILE", .needs = "att",
     .help = "the symbol table of the input labels"},
    {.name = "osymbols", .kind = TOOL_FILE, .at = offsetof(tool_common, osyms), .metavar = "FILE", .needs = "att",
     .help = "the symbol table of the output labels"},
    {.name = "plf-scores", .kind = TOOL_CHOICE, .at = offsetof(options, plf_scores), .metavar = "KIND",
     .words = pf_plf_scores_names, .needs = "plf",
     .help = "scores are probabilities (prob), their logarithms (log), or their negated logarithms (cost) [prob]"},
    {.name = "no-quotes", .kind = TOOL_FLAG, .at = offsetof(options, no_quotes), .needs = "slf",
     .help = "quotes and backslashes are ordinary characters"},
    {.name = "scale", .kind = TOOL_SPECS, .at = offsetof(options, scales), .metavar = "NAME:X", .list = list_scales,
     .needs = "plf slf",
     .help = "multiply the scores of this name by X; may be repeated. --scale=list prints the names"},
    {.name = "epsilon", .kind = TOOL_TEXT, .at = offsetof(options, epsilon), .metavar = "WORDS", .needs = "plf slf",
     .help = "these words, separated by blanks, are epsilons, too"},
    {.name = "pass", .kind = TOOL_REAL, .at = offsetof(options, pass), .metavar = "COST", .needs = "tuples",
     .help = "the cost at which a source word passes unchanged if it has no tuple of its own [10]"},
    {.name = "most", .kind = TOOL_NUMBER, .at = offsetof(options, most), .metavar = "N", .min = 1, .max = UINT32_MAX,
     .needs = "tuples",
     .help = "use only the N most probable tuples that begin with a word [all]"},
    {.letter = 'k', .name = "keep-going", .kind = TOOL_FLAG, .at = offsetof(tool_common, keep_going),
     .excludes = "att slf xml arpa tuples",
     .help = "report a line that fails, and continue with the others"},
    TOOL_GROUP_OF("What is written"),
    {.name = "arc-type", .kind = TOOL_CHOICE, .at = offsetof(options, arc_type), .metavar = "TYPE", .words = tool_arc_types,
     .excludes = "xml arpa tuples",
     .help = "the arc type of the automata: standard, log or log64 [standard]"},
    TOOL_FAR("arpa tuples"),
    TOOL_FIRST_RECORD,
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const options *o;
    toolfst_sink sink;
    uint64_t record;
    pf_arc_type type;
    pf_symtab *all;    /* every word so far, or --symbols */
    pf_symtab *isyms, *osyms;
    pf_score_scale scale[MOST_SCALES];
    char scale_name[MOST_SCALES][PF_PARAMS_BYTES];
    const pf_reader *reader;
    bool failed;
} compiler;

/* Writes a record and frees it. */
static pf_err put(compiler *c, pf_expr *e) {
    tool_write_begin(c->call);
    pf_err err = pf_stream_put(c->sink.stream, e, c->record);
    if (!err) tool_done(c->call, 1, c->record++, toolfst_position(c->call, c->reader));
    tool_write_end(c->call);
    pf_expr_free(e);
    return err;
}

static pf_err put_fst(compiler *c, pf_fst *fst) {
    pf_expr *e;
    PF_TRY(pf_expr_of_fst(fst, &e));
    return put(c, e);
}

/* ---- sentences ---- */

typedef pf_err (*line_compiler)(compiler *c, const pf_reader *r, const char *line, size_t length);

/* farprintstrings takes the table of an archive's first entry for all. */
static bool whole_table(const options *o) { return o->symbols && o->common.far != TOOL_NOT_GIVEN; }

static pf_word_labels word_labels(const compiler *c) {
    return (pf_word_labels){.words = c->all, .fixed = c->o->symbols, .whole = whole_table(c->o)};
}

/* A sentence whose marks are read is the automaton of its permutations, also one without a mark. */
static pf_err permute(const pf_compiled *sentence, pf_expr *words, pf_expr **out) {
    size_t n = sentence->mark.n;
    const char **con = calloc(n + 1, sizeof *con);
    if (!con) return pf_nomem();
    for (size_t i = 0; i < n; i++) con[i] = sentence->mark.at[i].spec;
    pf_err err = pf_expr_permute(words, &(pf_perm_spec){.con = con, .n_con = n}, out);
    free(con);
    return err;
}

static pf_err put_sentence(compiler *c, pf_compiled *sentence) {
    pf_expr *words, *perm;
    pf_fst *fst = sentence->fst;
    sentence->fst = NULL;
    PF_TRY(pf_expr_of_fst(fst, &words));
    if (!c->o->markup && !c->o->at_punctuation) return put(c, words);
    pf_err err = permute(sentence, words, &perm);
    pf_expr_free(words);
    return err ? err : put(c, perm);
}

static pf_err compile_line(compiler *c, const pf_reader *r, const char *line, size_t length) {
    pf_compile_options o = {.type = c->type, .labels = word_labels(c), .markup = c->o->markup,
                            .at_punctuation = c->o->at_punctuation};
    pf_compiled sentence;
    o.labels.name = c->o->symbols;
    pf_err err = pf_compile_line(&o, line, length, &sentence);
    if (err == PF_EINPUT) pf_reader_fail_line(r, "%s", pf_message());
    if (!err) err = put_sentence(c, &sentence);
    pf_compiled_free(&sentence);
    return err;
}

/* With --keep-going the automaton without states stands for a line that failed. */
static pf_err compile_or_skip(compiler *c, const pf_reader *r, line_compiler compile, const char *line, size_t length) {
    uint64_t record = c->record;
    pf_build none = {0};
    pf_fst *fst;
    pf_err err = compile(c, r, line, length);
    if (!err || c->record != record) return err;
    PF_TRY(tool_skip(c->call, err, &c->failed));
    PF_TRY(pf_build_finish(&none, c->type, 0, &fst));
    return put_fst(c, fst);
}

static pf_err compile_lines(compiler *c, pf_reader *r, line_compiler compile) {
    for (;;) {
        char *line;
        size_t n;
        PF_TRY(pf_reader_line(r, &line, &n));
        if (!line) return PF_OK;
        PF_TRY(compile_or_skip(c, r, compile, line, n));
    }
}

static pf_err compile_text(compiler *c, pf_reader *r) { return compile_lines(c, r, compile_line); }

/* ---- the other inputs ---- */

static pf_err compile_att(compiler *c, pf_reader *r) {
    pf_text_options o = {c->type, c->isyms, c->osyms, c->o->acceptor, c->o->keep_numbering, c->o->many};
    for (;;) {
        pf_fst *fst;
        PF_TRY(pf_text_read(r, &o, &fst));
        if (!fst) return PF_OK;
        PF_TRY(put_fst(c, fst));
        if (!c->o->many) return PF_OK;
    }
}

static pf_lattice_options lattice_options(const compiler *c) {
    const options *o = c->o;
    return (pf_lattice_options){.type = c->type, .labels = word_labels(c), .epsilon = o->epsilon, .scale = c->scale,
                                .scales = o->scales.n, .scores = (pf_plf_scores)o->plf_scores, .plain = o->no_quotes,
                                .warn = tool_warn, .warn_to = c->call};
}

static pf_err compile_plf_line(compiler *c, const pf_reader *r, const char *line, size_t length) {
    pf_lattice_options o = lattice_options(c);
    pf_fst *fst;
    PF_TRY(pf_plf_line(r, &o, line, length, &fst));
    return put_fst(c, fst);
}

static pf_err compile_plf(compiler *c, pf_reader *r) { return compile_lines(c, r, compile_plf_line); }

static pf_err compile_slf(compiler *c, pf_reader *r) {
    pf_lattice_options o = lattice_options(c);
    pf_slf_reader *lattices;
    PF_TRY(pf_slf_reader_new(r, &o, &lattices));
    pf_err err = PF_OK;
    pf_fst *fst = NULL;
    while (!err && !(err = pf_slf_next(lattices, &fst)) && fst) err = put_fst(c, fst);
    pf_slf_reader_free(lattices);
    return err;
}

static pf_err compile_xml(compiler *c, pf_reader *r) {
    pf_xml_reader *xml_reader;
    PF_TRY(pf_xml_reader_new(r, &xml_reader));
    pf_err err = PF_OK;
    pf_expr *e = NULL;
    while (!err && !(err = pf_xml_next(xml_reader, &e)) && e) err = put(c, e);
    pf_xml_reader_free(xml_reader);
    return err;
}

/* The model is gone then. */
static pf_err put_model(compiler *c, pf_model *model) {
    pf_blob *blob;
    pf_expr *e;
    PF_TRY(pf_blob_of_model(model, &blob));
    pf_err err = pf_expr_of_model(blob, &e);
    pf_blob_free(blob);
    return err ? err : put(c, e);
}

static pf_err compile_arpa(compiler *c, pf_reader *r) {
    pf_model model;
    PF_TRY(pf_ngram_read_arpa(r, tool_warn, c->call, &model));
    return put_model(c, &model);
}

static pf_err compile_tuples(compiler *c, pf_reader *r) {
    pf_tuple_options o = {c->o->pass, (uint32_t)c->o->most};
    pf_model model;
    PF_TRY(pf_tuplemodel_read_arpa(r, &o, tool_warn, c->call, &model));
    return put_model(c, &model);
}

static pf_err compile_file(compiler *c, const char *path) {
    static pf_err (*const compile[])(compiler *c, pf_reader *r) = {
        [SENTENCES] = compile_text, [ATT] = compile_att,   [PLF] = compile_plf,       [SLF] = compile_slf,
        [XML] = compile_xml,        [ARPA] = compile_arpa, [TUPLES] = compile_tuples,
    };
    pf_reader *r;
    PF_TRY(toolfst_open(c->call, path, &r));
    c->reader = r;
    pf_err err = compile[c->o->kind](c, r);
    if (!err) toolfst_input_done(c->call, r);
    pf_reader_free(r);
    return err;
}

/* NAME:X, where a feature's NAME may have colons. */
static pf_err read_scale(const char *spec, char *name, pf_score_scale *to) {
    const char *colon = strrchr(spec, ':');
    size_t n = colon ? (size_t)(colon - spec) : 0;
    pf_params value;
    if (!n || n >= PF_PARAMS_BYTES) return pf_fail(PF_EARG, "--scale: expected NAME:X, found '%.80s'", spec);
    memcpy(name, spec, n);
    name[n] = 0;
    *to = (pf_score_scale){.name = name};
    PF_TRY(pf_params_parse(colon, &value));
    value.name = "--scale";
    PF_TRY(pf_params_expect(&value, 1, "NAME:X"));
    return pf_params_real(&value, 0, -INFINITY, INFINITY, &to->by);
}

static pf_err read_scales(compiler *c) {
    for (size_t i = 0; i < c->o->scales.n; i++) {
        PF_TRY(read_scale(c->o->scales.at[i], c->scale_name[i], &c->scale[i]));
        for (size_t k = 0; k < i; k++)
            if (strcmp(c->scale[k].name, c->scale[i].name) == 0)
                return pf_fail(PF_EARG, "--scale gives '%s' twice", c->scale[i].name);
    }
    return PF_OK;
}

static pf_err set_up(compiler *c) {
    const tool_common *common = &c->o->common;
    PF_TRY(read_scales(c));
    pf_arc_type_find(tool_arc_types[c->o->arc_type], &c->type);
    if (c->o->symbols) PF_TRY(toolfst_symbols(c->call, c->o->symbols, &c->all));
    else PF_TRY(pf_symtab_new("words", &c->all));
    if (common->isyms) PF_TRY(toolfst_symbols(c->call, common->isyms, &c->isyms));
    if (common->osyms) PF_TRY(toolfst_symbols(c->call, common->osyms, &c->osyms));
    return toolfst_sink_open(c->call, &c->sink);
}

static int run(tool_call *call) {
    compiler c = {.call = call, .o = tool_options(call), .record = tool_common_of(call)->first_record};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = set_up(&c);
    toolfst_inputs(call, &n, &operands);
    for (int i = 0; !err && i < n; i++) err = compile_file(&c, operands[i]);
    if (!err) err = toolfst_sink_close(&c.sink);
    toolfst_sink_free(&c.sink);
    pf_symtab_free(c.all);
    pf_symtab_free(c.isyms);
    pf_symtab_free(c.osyms);
    return err ? tool_trouble(call) : c.failed ? TOOL_TROUBLE : TOOL_DONE;
}

const tool permcompile = {
    .name = "permcompile",
    .operands = "[FILE...]",
    .summary = "Compile text to automata, one record for each line",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.pass = DEFAULT_PASS},
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permcompile sentences.de | lazyperm -c ibm:4 | permshortest | permprint", "permcompile --arpa -o en.3gram.bin en.3gram.arpa"},
    .passes_on = true,
};

TOOL_MAIN(permcompile);
