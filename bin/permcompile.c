/* permcompile: text to automata. Each input line is a record; or AT&T text, lattices, XML, an ARPA model. */
#include "toolfst.h"
#include "toolring.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool att, xml, arpa, tuples, plf, slf, acceptor, keep_numbering, many, markup, at_punctuation, no_quotes;
static const char *symbols, *arc_type, *plf_scores, *epsilon;
static tool_specs scales;

#define DEFAULT_PASS 10.0
static double pass = NAN; /* not given */
static uint64_t most;

static void list_scales(void) {
    printf("N:X\tPLF: score N of an arc, from 1, times X [1]\nNAME:X\tPLF: the feature NAME times X\n"
           "a:X\tSLF: acoustic score [acscale, or 1]\nl:X\tSLF: language model score [lmscale, or 1]\n"
           "n:X\tSLF: n-gram score [ngscale, or 1]\nr:X\tSLF: pronunciation score [prscale, or 1]\n"
           "ds:X\tSLF: duration score [duscale, or 0]\nxN:X\tSLF: further score N, from 1 to %d [xNscale, or 0]\n"
           "p:X\tSLF: posterior probability [0]\nwords:X\tX is added to the log score of each word [SLF: wdpenalty, or 0]\n",
           PF_SLF_SCORES);
}

static const tool_option options[] = {
    {.letter = 's', .name = "symbols", .kind = TOOL_FILE, .to = &symbols, .metavar = "FILE",
     .help = "number the words as this symbol table does; a word it lacks is an error"},
    {.name = "markup", .kind = TOOL_FLAG, .to = &markup,
     .help = "lines are marked: <zone>, <wall/>, XML's entities; the records carry the constraints"},
    {.name = "monotone-at-punctuation", .kind = TOOL_FLAG, .to = &at_punctuation,
     .help = "a wall before and after each of the words , . ! ? : ; \""},
    {.name = "att", .kind = TOOL_FLAG, .to = &att, .help = "the input is AT&T text, one automaton in each file"},
    {.name = "acceptor", .kind = TOOL_FLAG, .to = &acceptor, .help = "--att: one label a line"},
    {.name = "keep-state-numbering", .kind = TOOL_FLAG, .to = &keep_numbering, .help = "--att: do not renumber states"},
    {.name = "many", .kind = TOOL_FLAG, .to = &many, .help = "--att: a blank line ends an automaton"},
    {.name = "arc-type", .kind = TOOL_CHOICE, .to = &arc_type, .metavar = "TYPE", .words = toolfst_arc_types,
     .help = "arc type of the automata: standard, log or log64 [standard]"},
    {.name = "xml", .kind = TOOL_FLAG, .to = &xml, .help = "the input is XML, as permprint --xml writes it"},
    {.name = "arpa", .kind = TOOL_FLAG, .to = &arpa, .help = "the input is an ARPA language model: compile it"},
    {.name = "tuples", .kind = TOOL_FLAG, .to = &tuples,
     .help = "the input is an ARPA model over tuples f|e1_e2: compile it to a transducer from source to target words"},
    {.name = "pass", .kind = TOOL_REAL, .to = &pass, .metavar = "COST",
     .help = "of passing a source word through that no tuple has alone [10]"},
    {.name = "most", .kind = TOOL_NUMBER, .to = &most, .metavar = "N", .min = 1, .max = UINT32_MAX,
     .help = "of the tuples that begin with a word read the N likeliest [all]"},
    {.name = "plf", .kind = TOOL_FLAG, .to = &plf, .help = "lines are lattices in the format of Moses"},
    {.name = "plf-scores", .kind = TOOL_CHOICE, .to = &plf_scores, .metavar = "KIND", .words = pf_plf_scores_names,
     .help = "--plf: scores are prob (probabilities), log (their logarithms) or cost (these negated) [prob]"},
    {.name = "slf", .kind = TOOL_FLAG, .to = &slf, .help = "the input is lattices in the standard lattice format of HTK"},
    {.name = "no-quotes", .kind = TOOL_FLAG, .to = &no_quotes,
     .help = "--slf: quotes and backslashes are letters like any other"},
    {.name = "scale", .kind = TOOL_SPECS, .to = &scales, .metavar = "NAME:X", .list = list_scales,
     .help = "--plf, --slf: the scale of a score; --scale=list names them"},
    {.name = "epsilon", .kind = TOOL_TEXT, .to = &epsilon, .metavar = "WORDS",
     .help = "--plf, --slf: these words, apart by blanks, are epsilons too"},
    TOOLFST_FAR,
    {.name = "isymbols", .kind = TOOL_FILE, .to = &toolfst.isyms, .metavar = "FILE",
     .help = "--att: symbol table of the input labels"},
    {.name = "osymbols", .kind = TOOL_FILE, .to = &toolfst.osyms, .metavar = "FILE",
     .help = "--att: symbol table of the output labels"},
    TOOL_KEEP_GOING("line"),
    TOOLFST_FIRST_RECORD,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permcompile = {
    .name = "permcompile",
    .operands = "[FILE...]",
    .summary = "Compile text to automata, one record for each line",
    .options = options,
    .max_operands = SIZE_MAX,
    .passes_on = true,
};

typedef struct {
    toolfst_sink sink;
    uint64_t record;
    pf_arc_type type;
    pf_sentence sentence; /* the line at hand */
    pf_symtab *all;    /* every word so far, or --symbols */
    pf_symtab *isyms, *osyms;
    pf_score_scale scale[sizeof scales.at / sizeof *scales.at];
    char scale_name[sizeof scales.at / sizeof *scales.at][PF_PARAMS_BYTES];
    const pf_reader *reader;
    bool failed;
} compiler;

/* Writes a record and frees it. */
static pf_err put(compiler *c, pf_expr *e) {
    tool_write_begin();
    pf_err err = pf_stream_put(c->sink.stream, e, c->record);
    if (!err) tool_done(1, c->record++, toolfst_position(c->reader));
    tool_write_end();
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

static pf_err word_label(compiler *c, const pf_reader *r, const char *word, size_t n, pf_label *label) {
    if (!symbols) return pf_symtab_add(c->all, word, n, label);
    *label = pf_symtab_find(c->all, word, n);
    if (*label > 0) return PF_OK;
    if (*label == 0) return pf_reader_fail_line(r, "the word '%.*s' is epsilon (0) in %s", (int)n, word, symbols);
    return pf_reader_fail_line(r, "the word '%.*s' is not in %s", (int)n, word, symbols);
}

/* farprintstrings takes the table of an archive's first entry for all. */
static bool whole_table(void) { return symbols && toolfst.far; }

static pf_err read_line(compiler *c, const pf_reader *r, const char *line, size_t length) {
    if (markup) return pf_sentence_markup(&c->sentence, r, line, length);
    pf_sentence_clear(&c->sentence);
    PF_TRY(tool_text(r, line, length));
    for (size_t n = 0; tool_word(&line, &n);) PF_TRY(pf_sentence_add(&c->sentence, line, n));
    return PF_OK;
}

/* Slot by slot: state i -word-> state i+1. `used` gets the sentence's words under the labels of the whole input, or is the
 * whole table. */
static pf_err build_line(compiler *c, const pf_reader *r, pf_symtab *used, pf_build *b) {
    pf_state s = 0;
    PF_TRY(pf_build_state(b, 0));
    for (; s < c->sentence.end.n; s++) {
        pf_label label;
        size_t n;
        const char *word = pf_sentence_word(&c->sentence, s, &n);
        if (n > PF_SYMBOL_LIMIT) return pf_reader_fail_line(r, "expected words of at most %zu bytes, found a longer one", PF_SYMBOL_LIMIT);
        if (s == PF_MAX_WORDS) return pf_reader_fail_line(r, "expected at most %u words, found more", PF_MAX_WORDS);
        PF_TRY(word_label(c, r, word, n, &label));
        if (!whole_table()) PF_TRY(pf_symtab_put(used, word, n, label));
        PF_TRY(pf_build_arc(b, s, label, label, 0, s + 1));
    }
    if (!whole_table()) PF_TRY(pf_symtab_put_epsilon(used));
    return pf_build_final(b, s, 0);
}

enum { MARK_BYTES = 64 };

/* Each mark as a constraint. */
static void name_marks(const pf_sentence *s, char (*spec)[MARK_BYTES]) {
    for (size_t i = 0; i < s->zone.n; i++) {
        const pf_zone *z = &s->zone.at[i];
        snprintf(*spec++, MARK_BYTES, "%s:%u,%u", z->unit ? "unit" : "zone", z->first, z->last);
    }
    for (size_t i = 0; i < s->wall.n; i++) {
        const pf_wall *w = &s->wall.at[i];
        const pf_zone *z = w->zone ? &s->zone.at[w->zone - 1] : NULL;
        int n = snprintf(*spec, MARK_BYTES, "wall:%u", w->at);
        if (z) snprintf(*spec + n, MARK_BYTES - (size_t)n, ",%u,%u", z->first, z->last);
        spec++;
    }
}

/* A sentence whose marks are read is the automaton of its permutations, also one without a mark. */
static pf_err permute(const pf_sentence *s, const pf_reader *r, pf_expr **e) {
    size_t n = s->zone.n + s->wall.n;
    if (n > PF_SPECS_LIMIT)
        return pf_reader_fail_line(r, "expected at most %d walls and zones, found more", PF_SPECS_LIMIT);
    pf_expr *perm;
    char (*spec)[MARK_BYTES] = calloc(n + 1, sizeof *spec);
    const char **con = calloc(n + 1, sizeof *con);
    pf_err err = spec && con ? PF_OK : pf_nomem();
    if (!err) name_marks(s, spec);
    for (size_t i = 0; !err && i < n; i++) con[i] = spec[i];
    if (!err) err = pf_expr_permute(*e, &(pf_perm_spec){.con = con, .n_con = n}, &perm);
    free(con);
    free(spec);
    if (err) return err;
    pf_expr_free(*e);
    *e = perm;
    return PF_OK;
}

static pf_err put_line(compiler *c, const pf_reader *r, pf_fst *fst) {
    pf_expr *e;
    PF_TRY(pf_expr_of_fst(fst, &e));
    pf_err err = markup || at_punctuation ? permute(&c->sentence, r, &e) : PF_OK;
    if (!err) return put(c, e);
    pf_expr_free(e);
    return err;
}

static pf_err compile_line(compiler *c, const pf_reader *r, const char *line, size_t length) {
    pf_symtab *used = NULL;
    PF_TRY(read_line(c, r, line, length));
    pf_build b = {0};
    pf_fst *fst = NULL;
    if (whole_table()) used = pf_symtab_ref(c->all);
    else PF_TRY(pf_symtab_new("words", &used));
    pf_err err = build_line(c, r, used, &b);
    if (!err) err = pf_build_finish(&b, c->type, 0, &fst);
    if (!err) pf_fst_set_symbols(fst, used, used);
    pf_build_free(&b);
    pf_symtab_free(used);
    return err ? err : put_line(c, r, fst);
}

/* With --keep-going the automaton without states stands for a line that failed. */
static pf_err compile_or_skip(compiler *c, const pf_reader *r, line_compiler compile, const char *line, size_t length) {
    uint64_t record = c->record;
    pf_build none = {0};
    pf_fst *fst;
    pf_err err = compile(c, r, line, length);
    if (!err || c->record != record) return err;
    PF_TRY(tool_skip(err, &c->failed));
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
    pf_text_options o = {c->type, c->isyms, c->osyms, acceptor, keep_numbering, many};
    for (;;) {
        pf_fst *fst;
        PF_TRY(pf_text_read(r, &o, &fst));
        if (!fst) return PF_OK;
        PF_TRY(put_fst(c, fst));
        if (!many) return PF_OK;
    }
}

static pf_lattice_options lattice_options(const compiler *c) {
    pf_lattice_options o = {.type = c->type, .words = c->all, .fixed = symbols, .whole = whole_table(), .epsilon = epsilon,
                            .scale = c->scale, .scales = scales.n, .plain = no_quotes, .warn = tool_warn};
    for (int i = 0; plf_scores && pf_plf_scores_names[i]; i++)
        if (strcmp(plf_scores, pf_plf_scores_names[i]) == 0) o.scores = (pf_plf_scores)i;
    return o;
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
    PF_TRY(pf_ngram_read_arpa(r, tool_warn, NULL, &model));
    return put_model(c, &model);
}

static pf_err compile_tuples(compiler *c, pf_reader *r) {
    pf_model model;
    PF_TRY(pf_tuplemodel_read_arpa(r, &(pf_tuple_options){isnan(pass) ? DEFAULT_PASS : pass, (uint32_t)most}, tool_warn, NULL, &model));
    return put_model(c, &model);
}

static const struct {
    const bool *chosen;
    pf_err (*compile)(compiler *c, pf_reader *r);
} kinds[] = {
    {&att, compile_att}, {&plf, compile_plf},   {&slf, compile_slf},
    {&xml, compile_xml}, {&arpa, compile_arpa}, {&tuples, compile_tuples},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static pf_err compile_file(compiler *c, const char *path) {
    pf_reader *r;
    size_t k = 0;
    while (k < KINDS && !*kinds[k].chosen) k++;
    PF_TRY(toolfst_open(path, &r));
    c->reader = r;
    pf_err err = (k < KINDS ? kinds[k].compile : compile_text)(c, r);
    if (!err) toolfst_input_done(r);
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
    for (size_t i = 0; i < scales.n; i++) {
        PF_TRY(read_scale(scales.at[i], c->scale_name[i], &c->scale[i]));
        for (size_t k = 0; k < i; k++)
            if (strcmp(c->scale[k].name, c->scale[i].name) == 0)
                return pf_fail(PF_EARG, "--scale gives '%s' twice", c->scale[i].name);
    }
    return PF_OK;
}

/* That options stand with the kind of text that they are for. */
static pf_err check_options(void) {
    unsigned chosen = 0;
    for (size_t k = 0; k < KINDS; k++) chosen += *kinds[k].chosen;
    bool plain = !chosen, lattices = plf || slf, model = arpa || tuples;
    if (chosen > 1) return pf_fail(PF_EARG, "only one of --att, --plf, --slf, --xml, --arpa and --tuples");
    if (!att && (acceptor || keep_numbering || many || toolfst.isyms || toolfst.osyms))
        return pf_fail(PF_EARG, "--acceptor, --keep-state-numbering, --many, --isymbols and --osymbols go with --att");
    if (!plain && (markup || at_punctuation))
        return pf_fail(PF_EARG, "--markup and --monotone-at-punctuation go with sentences");
    if ((markup || at_punctuation) && toolfst.far)
        return pf_fail(PF_EARG, "a FAR holds no permutations made on demand: permexpand --far expands and writes them");
    if (!plf && plf_scores) return pf_fail(PF_EARG, "--plf-scores goes with --plf");
    if (!slf && no_quotes) return pf_fail(PF_EARG, "--no-quotes goes with --slf");
    if (!lattices && (scales.n || epsilon)) return pf_fail(PF_EARG, "--scale and --epsilon go with --plf and --slf");
    if (!plain && !lattices && symbols) return pf_fail(PF_EARG, "--symbols goes with plain text, --plf and --slf");
    if ((xml || model) && arc_type) return pf_fail(PF_EARG, "--arc-type goes with plain text, --att, --plf and --slf");
    if (!plain && !plf && tool_keep_going)
        return pf_fail(PF_EARG, "--keep-going goes with sentences and --plf: "
                                "what is wrong in other text has no next line to go on with");
    if (model && toolfst.far) return pf_fail(PF_EARG, "a FAR holds automata, no model");
    if (!tuples && (!isnan(pass) || most)) return pf_fail(PF_EARG, "--pass and --most go with --tuples");
    return PF_OK;
}

static pf_err set_up(compiler *c) {
    PF_TRY(check_options());
    PF_TRY(read_scales(c));
    if (arc_type) pf_arc_type_find(arc_type, &c->type);
    if (symbols) PF_TRY(toolfst_symbols(symbols, &c->all));
    else PF_TRY(pf_symtab_new("words", &c->all));
    if (toolfst.isyms) PF_TRY(toolfst_symbols(toolfst.isyms, &c->isyms));
    if (toolfst.osyms) PF_TRY(toolfst_symbols(toolfst.osyms, &c->osyms));
    return toolfst_sink_open(&c->sink);
}

static int run(int n, char **operands) {
    static char *standard_input[] = {"-"};
    compiler c = {.record = toolfst.first_record, .sentence.at_punctuation = at_punctuation};
    pf_err err = set_up(&c);
    if (!n) operands = standard_input;
    if (!n) n = 1;
    toolfst_inputs(n, operands);
    for (int i = 0; !err && i < n; i++) err = compile_file(&c, operands[i]);
    if (!err) err = toolfst_sink_close(&c.sink);
    toolfst_sink_free(&c.sink);
    pf_sentence_free(&c.sentence);
    pf_symtab_free(c.all);
    pf_symtab_free(c.isyms);
    pf_symtab_free(c.osyms);
    return err ? tool_trouble() : c.failed ? TOOL_TROUBLE : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permcompile, argc, argv, run); }
