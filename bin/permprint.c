/* permprint: records as text for people and for other programs. */
#include "toolmap.h"

#include <stdio.h>
#include <string.h>

static bool strings, permutations, paths, att, plf, slf, xml, dot, all, numeric, acceptor, no_quotes;
static const char *plf_scores;
static uint64_t max_states = 1000000;

static const tool_option options[] = {
    {.letter = 's', .name = "strings", .kind = TOOL_FLAG, .to = &strings, .help = "the words of the best path, one line a record"},
    {.letter = 'p', .name = "permutations", .kind = TOOL_FLAG, .to = &permutations,
     .help = "the source positions in output order, counted from 1, one line a record"},
    {.name = "paths", .kind = TOOL_FLAG, .to = &paths,
     .help = "record, rank, cost, permutation and words of every path, tab-separated (the default for answers)"},
    {.letter = 'a', .name = "all", .kind = TOOL_FLAG, .to = &all, .help = "with --strings or --permutations: every path, not only the best"},
    {.name = "att", .kind = TOOL_FLAG, .to = &att, .help = "AT&T text (the default for automata)"},
    {.name = "plf", .kind = TOOL_FLAG, .to = &plf, .help = "a lattice in the format of Moses, one line a record"},
    {.name = "plf-scores", .kind = TOOL_CHOICE, .to = &plf_scores, .metavar = "KIND", .words = pf_plf_scores_names,
     .help = "--plf: scores are prob (probabilities), log (their logarithms) or cost (these negated) [prob]"},
    {.name = "slf", .kind = TOOL_FLAG, .to = &slf, .help = "a lattice in the standard lattice format of HTK"},
    {.name = "no-quotes", .kind = TOOL_FLAG, .to = &no_quotes, .help = "--slf: no quoting of words"},
    {.name = "xml", .kind = TOOL_FLAG, .to = &xml, .help = "XML"},
    {.name = "dot", .kind = TOOL_FLAG, .to = &dot, .help = "a drawing for graphviz"},
    {.name = "acceptor", .kind = TOOL_FLAG, .to = &acceptor, .help = "--att, --dot: one label an arc"},
    {.name = "numeric", .kind = TOOL_FLAG, .to = &numeric, .help = "labels as numbers, wherever they print"},
    {.name = "max-states", .kind = TOOL_NUMBER, .to = &max_states, .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "refuse to print a lazy automaton of more than N states [1000000]"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOLFST_RECORDS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permprint = {
    .name = "permprint",
    .operands = "[FILE...]",
    .summary = "Print answers as strings, permutations or paths, and automata as AT&T text, lattices, XML or dot",
    .options = options,
    .max_operands = SIZE_MAX,
    .passes_on = true,
};

/* Of one record. */
typedef struct {
    pf_writer *w; /* its text */
    bool no_path;
} printer;

/* ---- answers ---- */

static pf_err put_word(printer *p, const pf_symtab *table, pf_label x, bool space) {
    size_t n;
    const char *word = table && !numeric ? pf_symtab_name(table, x, &n) : NULL;
    if (space) PF_TRY(pf_writer_put(p->w, " ", 1));
    if (word) return pf_writer_put(p->w, word, n);
    if (table && !numeric) return pf_fail(PF_EINPUT, "label %d is not in the symbol table", x);
    return pf_writer_text(p->w, "%d", x);
}

static pf_err put_words(printer *p, const pf_answer *a, const pf_path *path) {
    bool space = false;
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].out == PF_EPSILON) continue;
        PF_TRY(put_word(p, a->osyms, path->arc[i].out, space));
        space = true;
    }
    return PF_OK;
}

static pf_err put_permutation(printer *p, const pf_answer *a, const pf_path *path) {
    bool space = false;
    if (a->isyms)
        return pf_fail(PF_EINPUT, "the input labels are symbols, not positions: there is no permutation (see lazyperm)");
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].in == PF_EPSILON) continue;
        PF_TRY(pf_writer_text(p->w, space ? " %d" : "%d", path->arc[i].in));
        space = true;
    }
    return PF_OK;
}

/* Source positions only; "-" where the input labels are words. */
static pf_err put_path(printer *p, const pf_answer *a, size_t rank, uint64_t record) {
    const pf_path *path = &a->paths.at[rank];
    PF_TRY(pf_writer_text(p->w, "%llu\t%zu\t%.6f\t", (unsigned long long)record, rank + 1, path->cost));
    PF_TRY(a->isyms ? pf_writer_put(p->w, "-", 1) : put_permutation(p, a, path));
    PF_TRY(pf_writer_put(p->w, "\t", 1));
    PF_TRY(put_words(p, a, path));
    return pf_writer_put(p->w, "\n", 1);
}

static pf_err put_line(printer *p, const pf_answer *a, size_t rank) {
    const pf_path *path = &a->paths.at[rank];
    PF_TRY((strings ? put_words : put_permutation)(p, a, path));
    return pf_writer_put(p->w, "\n", 1);
}

static pf_err put_answer(printer *p, const pf_answer *a, uint64_t record) {
    bool lines = strings || permutations;
    if (!a->paths.n) {
        tool_say("record %llu has no path", (unsigned long long)record);
        p->no_path = true;
        return lines ? pf_writer_put(p->w, "\n", 1) : PF_OK;
    }
    for (size_t rank = 0; rank < a->paths.n; rank++) {
        if (lines && rank && !all) break;
        PF_TRY(lines ? put_line(p, a, rank) : put_path(p, a, rank, record));
    }
    return PF_OK;
}

/* ---- automata ---- */

static pf_err put_dot_label(printer *p, const pf_symtab *table, pf_label x) {
    size_t n = 0;
    const char *s = table && !numeric ? pf_symtab_name(table, x, &n) : NULL;
    if (!s) return pf_writer_text(p->w, "%d", x);
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"' || s[i] == '\\') PF_TRY(pf_writer_put(p->w, "\\", 1));
        PF_TRY(pf_writer_put(p->w, &s[i], 1));
    }
    return PF_OK;
}

static pf_err put_dot_arc(printer *p, const pf_fst *f, pf_state s, const pf_arc *a) {
    PF_TRY(pf_writer_text(p->w, "  %u -> %u [label=\"", s, a->to));
    PF_TRY(put_dot_label(p, f->isyms, a->in));
    if (!acceptor) {
        PF_TRY(pf_writer_put(p->w, ":", 1));
        PF_TRY(put_dot_label(p, f->osyms, a->out));
    }
    if (a->w != 0) PF_TRY(pf_writer_text(p->w, "/%.6g", (double)a->w));
    return pf_writer_text(p->w, "\"];\n");
}

static pf_err put_dot(printer *p, pf_fst *f, uint64_t record) {
    PF_TRY(pf_writer_text(p->w, "digraph record%llu {\n  rankdir=LR;\n  node [shape=circle];\n", (unsigned long long)record));
    for (pf_state s = 0; s < pf_fst_states(f); s++) {
        float final = pf_fst_final(f, s);
        pf_arcs a = pf_fst_arcs(f, s);
        PF_TRY(pf_writer_text(p->w, "  %u [style=%s", s, s == f->start ? "bold" : "solid"));
        if (final != INFINITY) PF_TRY(pf_writer_text(p->w, ", shape=doublecircle"));
        if (final != INFINITY && final != 0) PF_TRY(pf_writer_text(p->w, ", label=\"%u/%.6g\"", s, (double)final));
        PF_TRY(pf_writer_text(p->w, "];\n"));
        for (uint32_t i = 0; i < a.n; i++) PF_TRY(put_dot_arc(p, f, s, &a.arc[i]));
    }
    return pf_writer_text(p->w, "}\n");
}

static pf_err put_plf(printer *p, pf_fst *f) {
    int kind = 0;
    while (plf_scores && strcmp(plf_scores, pf_plf_scores_names[kind]) != 0) kind++;
    return pf_plf_write(p->w, f, (pf_plf_scores)kind, numeric);
}

static pf_err put_slf(printer *p, pf_fst *f, uint64_t record) {
    char utterance[24];
    snprintf(utterance, sizeof utterance, "%llu", (unsigned long long)record);
    return pf_slf_write(p->w, f, utterance, no_quotes, numeric);
}

static pf_err put_form(printer *p, pf_fst *f, uint64_t record) {
    return xml ? pf_xml_fst(p->w, f) : dot ? put_dot(p, f, record) : plf ? put_plf(p, f) : slf ? put_slf(p, f, record)
                                                                    : pf_text_write(p->w, f, acceptor, numeric);
}

/* Lazy automata are expanded; ordinary ones are printed as they are. */
static pf_err put_automaton(printer *p, toolmap_record *r) {
    pf_fst *f, *expanded = NULL;
    PF_TRY(toolmap_open(r, &f));
    if (f->op) PF_TRY(pf_expand(f, max_states, &expanded));
    if (expanded) f = expanded;
    pf_err err = put_form(p, f, r->record);
    pf_fst_free(expanded);
    return err;
}

/* An automaton of one path is an answer of one path. */
static pf_err put_linear(printer *p, toolmap_record *r) {
    pf_fst *f;
    pf_answer a;
    PF_TRY(toolmap_open(r, &f));
    pf_err err = pf_answer_from_linear(f, &a);
    if (err) return err;
    err = put_answer(p, &a, r->record);
    pf_answer_free(&a);
    return err;
}

static bool as_automaton(const pf_expr *e) {
    bool form = att || dot || plf || slf;
    return e->kind == PF_EXPR_BEST ? form : !strings && !permutations && !paths && !xml;
}

static pf_err print(void *self, toolmap_record *r) {
    printer p = {.w = r->text};
    (void)self;
    pf_err err = r->in->kind == PF_EXPR_BEST && xml ? pf_xml_answer(p.w, r->in->answer)
                 : xml || as_automaton(r->in)       ? put_automaton(&p, r)
                 : r->in->kind == PF_EXPR_BEST      ? put_answer(&p, r->in->answer, r->record)
                                                    : put_linear(&p, r);
    r->own = p.no_path ? r : NULL; /* a mark */
    return err;
}

typedef struct {
    pf_writer *w;
    bool no_path, failed;
    bool first_done; /* a blank line goes between two automata */
} output;

/* What stands in XML for a record that failed. */
static pf_err put_nothing(pf_writer *w, const pf_expr *e) {
    pf_build none = {0};
    pf_fst *fst;
    if (e->kind == PF_EXPR_BEST) return pf_xml_answer(w, &(pf_answer){.bound = -(double)INFINITY});
    PF_TRY(pf_build_finish(&none, PF_STANDARD, 0, &fst));
    pf_err err = pf_xml_fst(w, fst);
    pf_fst_free(fst);
    return err;
}

static pf_err put_record(void *self, toolmap_record *r) {
    output *o = self;
    if (r->own) o->no_path = true;
    if (as_automaton(r->in) && !dot && !plf) {
        if (o->first_done) PF_TRY(pf_writer_put(o->w, "\n", 1));
        o->first_done = true;
    }
    if (r->failed && xml) PF_TRY(put_nothing(o->w, r->in));
    return toolmap_put_text(o->w, r, strings || permutations ? "\n" : ""); /* other lines have their record */
}

static pf_err print_all(output *o, int n, char **operands) {
    static const toolmap_steps steps = {NULL, print, put_record, .text = true};
    PF_TRY(toolfst_open_output(&o->w));
    if (xml) PF_TRY(pf_xml_begin(o->w));
    PF_TRY(toolmap_read(n, operands, &steps, o, &o->failed));
    if (xml) PF_TRY(pf_xml_end(o->w));
    return toolfst_close_output(o->w);
}

static int run(int n, char **operands) {
    output o = {0};
    pf_err err = PF_OK;
    if (strings + permutations + paths + att + plf + slf + xml + dot > 1)
        err = pf_fail(PF_EARG, "only one of --strings, --permutations, --paths, --att, --plf, --slf, --xml and --dot");
    if (!err && plf_scores && !plf) err = pf_fail(PF_EARG, "--plf-scores goes with --plf");
    if (!err && no_quotes && !slf) err = pf_fail(PF_EARG, "--no-quotes goes with --slf");
    if (!err && all && !strings && !permutations) err = pf_fail(PF_EARG, "--all goes with --strings or --permutations");
    if (!err) err = print_all(&o, n, operands);
    pf_writer_free(o.w);
    if (err) return tool_trouble();
    return o.failed ? TOOL_TROUBLE : o.no_path ? TOOL_NO : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permprint, argc, argv, run); }
