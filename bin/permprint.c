/* permprint: records as text for people and for other programs. */
#include "toolmap.h"

#include <stdio.h>
#include <string.h>

typedef enum { BY_RECORD, STRINGS, PERMUTATIONS, PATHS, ATT, PLF, SLF, XML, DOT } print_form; /* BY_RECORD: PATHS or ATT */

typedef struct {
    tool_common common;
    int form;
    bool all, numeric, acceptor, no_quotes;
    int plf_scores; /* a pf_plf_scores */
    uint64_t max_states;
} options;

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(options, max_states), .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "fail if a lazy automaton has more than N states [1000000]"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written (one form)"),
    {.letter = 's', .name = "strings", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = STRINGS,
     .help = "print the words of the best path, one line for each record"},
    {.letter = 'p', .name = "permutations", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = PERMUTATIONS,
     .help = "print the source positions in output order, counted from 1, one line for each record"},
    {.name = "paths", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = PATHS,
     .help = "print record, rank, cost, permutation and words of every path, separated by tabs (the default for answers)"},
    {.name = "att", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = ATT,
     .help = "print AT&T text (the default for automata)"},
    {.name = "plf", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = PLF,
     .help = "print a lattice in the format of Moses, one line for each record"},
    {.name = "slf", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = SLF,
     .help = "print a lattice in the standard lattice format of HTK"},
    {.name = "xml", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = XML,
     .help = "print one XML document"},
    {.name = "dot", .kind = TOOL_SELECT, .at = offsetof(options, form), .min = DOT,
     .help = "print a drawing for graphviz"},
    TOOL_GROUP_OF("How it is written"),
    {.letter = 'a', .name = "all", .kind = TOOL_FLAG, .at = offsetof(options, all), .needs = "strings permutations",
     .help = "print every path, not only the best"},
    {.name = "plf-scores", .kind = TOOL_CHOICE, .at = offsetof(options, plf_scores), .metavar = "KIND",
     .words = pf_plf_scores_names, .needs = "plf",
     .help = "scores are probabilities (prob), their logarithms (log), or their negated logarithms (cost) [prob]"},
    {.name = "no-quotes", .kind = TOOL_FLAG, .at = offsetof(options, no_quotes), .needs = "slf",
     .help = "do not quote words"},
    {.name = "acceptor", .kind = TOOL_FLAG, .at = offsetof(options, acceptor),
     .help = "print one label for each arc"},
    {.name = "numeric", .kind = TOOL_FLAG, .at = offsetof(options, numeric),
     .help = "print labels as numbers"},
    TOOL_OUTPUT,
    {0},
};

/* Of one record. */
typedef struct {
    tool_call *call;
    const options *o;
    pf_writer *w; /* its text */
    bool no_path;
} printer;

/* ---- answers ---- */

static pf_err put_line(printer *p, const pf_answer *a, size_t rank) {
    PF_TRY(p->o->form == STRINGS ? pf_answer_write_words(p->w, a, rank, p->o->numeric) : pf_answer_write_permutation(p->w, a, rank));
    return pf_writer_put(p->w, "\n", 1);
}

static pf_err put_answer(printer *p, const pf_answer *a, uint64_t record) {
    bool lines = p->o->form == STRINGS || p->o->form == PERMUTATIONS;
    if (!a->paths.n) {
        tool_say(p->call, "record %llu has no path", (unsigned long long)record);
        p->no_path = true;
        return lines ? pf_writer_put(p->w, "\n", 1) : PF_OK;
    }
    if (!lines) return pf_answer_write_table(p->w, a, record, p->o->numeric);
    for (size_t rank = 0; rank < (p->o->all ? a->paths.n : 1); rank++) PF_TRY(put_line(p, a, rank));
    return PF_OK;
}

/* ---- automata ---- */

static pf_err put_form(printer *p, pf_fst *f, uint64_t record) {
    const options *o = p->o;
    char name[40];
    bool drawn = o->form == DOT;
    snprintf(name, sizeof name, drawn ? "record%llu" : "%llu", (unsigned long long)record);
    switch (o->form) {
    case XML: return pf_xml_fst(p->w, f);
    case DOT: return pf_dot_write(p->w, f, name, o->acceptor, o->numeric);
    case PLF: return pf_plf_write(p->w, f, (pf_plf_scores)o->plf_scores, o->numeric);
    case SLF: return pf_slf_write(p->w, f, name, o->no_quotes, o->numeric);
    default: return pf_text_write(p->w, f, o->acceptor, o->numeric);
    }
}

/* Lazy automata are expanded; ordinary ones are printed as they are. */
static pf_err put_automaton(printer *p, toolmap_record *r) {
    pf_fst *f, *expanded = NULL;
    PF_TRY(toolmap_open(r, &f));
    if (f->op) PF_TRY(pf_expand(f, p->o->max_states, &expanded));
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

/* Is a record printed as an automaton? */
static bool as_automaton(const options *o, const pf_expr *e) {
    switch (o->form) {
    case BY_RECORD: return e->kind != PF_EXPR_BEST;
    case ATT: case PLF: case SLF: case DOT: return true;
    case XML: return e->kind != PF_EXPR_BEST;
    default: return false;
    }
}

static pf_err print(void *self, toolmap_record *r) {
    printer p = {.call = r->call, .o = tool_options(r->call), .w = r->text};
    bool answer = r->in->kind == PF_EXPR_BEST;
    (void)self;
    pf_err err = as_automaton(p.o, r->in)    ? put_automaton(&p, r)
                 : p.o->form == XML ? pf_xml_answer(p.w, r->in->answer)
                 : answer           ? put_answer(&p, r->in->answer, r->record)
                                    : put_linear(&p, r);
    r->own = p.no_path ? r : NULL; /* a mark */
    return err;
}

typedef struct {
    const options *o;
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
    output *out = self;
    int form = out->o->form;
    if (r->own) out->no_path = true;
    if (as_automaton(out->o, r->in) && form != DOT && form != PLF && form != XML) {
        if (out->first_done) PF_TRY(pf_writer_put(out->w, "\n", 1));
        out->first_done = true;
    }
    if (r->failed && form == XML) PF_TRY(put_nothing(out->w, r->in));
    return toolmap_put_text(out->w, r, form == STRINGS || form == PERMUTATIONS ? "\n" : ""); /* other lines have their record */
}

static pf_err print_all(tool_call *call, output *out) {
    static const toolmap_steps steps = {NULL, print, put_record, .text = true};
    char *const *operands;
    int n = tool_operands(call, &operands);
    PF_TRY(toolfst_open_output(call, &out->w));
    if (out->o->form == XML) PF_TRY(pf_xml_begin(out->w));
    PF_TRY(toolmap_read(call, n, operands, &steps, out, &out->failed));
    if (out->o->form == XML) PF_TRY(pf_xml_end(out->w));
    return toolfst_close_output(call, out->w);
}

static int run(tool_call *call) {
    output out = {.o = tool_options(call)};
    pf_err err = print_all(call, &out);
    pf_writer_free(out.w);
    if (err) return tool_trouble(call);
    return out.failed ? TOOL_TROUBLE : out.no_path ? TOOL_NO : TOOL_DONE;
}

const tool permprint = {
    .name = "permprint",
    .operands = "[FILE...]",
    .summary = "Print answers as strings, permutations or paths, and automata as AT&T text, lattices, XML or dot",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.max_states = 1000000},
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permshortest -n 10 composed.fst | permprint", "lazyperm -c ibm:2 words.fst | permprint --dot | dot -Tpdf > space.pdf"},
    .passes_on = true,
};

TOOL_MAIN(permprint);
