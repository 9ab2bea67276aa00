/* permscore: translations and orders against references: their scores, how sure they are, and whether systems differ. */
#include "toolfst.h"
#include "toolprogress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { DEFAULT_RESAMPLES = 1000, MAX_RESAMPLES = 10000000 };

typedef enum { NO_TEST = TOOL_NOT_GIVEN, BOOTSTRAP, RANDOMISATION } paired_test;

typedef struct {
    tool_common common;
    tool_specs references;
    const char *metrics, *alignment; /* NULL: not given */
    /* places among names; TOOL_NOT_GIVEN where there is no default */
    int tokeniser, letters, smoothing, effective, paired, format, input, compat, links, average, attach;
    bool sentences, orders, apart;
    double smooth_value;
    uint64_t max_order, resamples, trials, seed, digits, base;
} score_options;

static const char *tokeniser_name(size_t i) { return pf_tokeniser_at(i) ? pf_tokeniser_at(i)->name : NULL; }
static const char *const yes_no[] = {"no", "yes", NULL}, *const tests[] = {"bootstrap", "randomisation", NULL};
static const char *const formats[] = {"table", "tsv", "json", NULL}; /* as pf_report_format */
static const char *const inputs[] = {"auto", "text", "sgml", "xml", NULL}; /* as FORMS */
static const char *const letters[] = {"mixed", "lower", NULL};   /* after the first of pf_metric_case */
static const char *const programs[] = {"lader", "tdbtg", NULL}, *const averages[] = {"sentence", "pairs", NULL};
static const char *const links[] = {"sure", "all", NULL}, *const sides[] = {"right", "left", NULL};
enum { SCORED, PAIRED, ALIGNED, ALIGNED_PAIRED }; /* forms */
#define AT(FIELD) offsetof(score_options, FIELD)

static const pf_docs_form FORMS[] = {PF_DOCS_AUTO, PF_DOCS_TEXT, PF_DOCS_SGML, PF_DOCS_XML};

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {.letter = 'r', .name = "reference", .kind = TOOL_FILES, .at = AT(references), .metavar = "FILE",
     .help = "reference translations, or orders; may be repeated"},
    {.name = "input", .kind = TOOL_CHOICE, .at = AT(input), .metavar = "WORD", .words = inputs,
     .help = "read text, sgml, xml or auto [auto]"},
    {.letter = 't', .name = "tokenise", .kind = TOOL_CHOICE, .at = AT(tokeniser), .metavar = "WORD",
     .word = tokeniser_name,
     .help = "split tokens as mteval-v13a.pl (13a), or not [none]"},
    {.name = "case", .kind = TOOL_CHOICE, .at = AT(letters), .metavar = "WORD", .words = letters,
     .help = "compare words as they are (mixed) or in lower case (lower) [mixed; RIBES: lower]"},
    TOOL_GROUP_OF("What is read: orders"),
    {.name = "orders", .kind = TOOL_FLAG, .at = AT(orders), .excludes = "input tokenise case",
     .help = "all files have orders: positions in output order, a line each"},
    {.letter = 'a', .name = "alignment", .kind = TOOL_FILE, .at = AT(alignment), .metavar = "FILE",
     .excludes = "reference orders input tokenise case",
     .help = "score orders against these word alignments"},
    {.name = "links", .kind = TOOL_CHOICE, .at = AT(links), .metavar = "WHICH", .words = links,
     .needs = "alignment", .help = "count sure links, or all [sure]"},
    {.name = "base", .kind = TOOL_NUMBER, .at = AT(base), .metavar = "N", .min = 0, .max = 1,
     .needs = "orders alignment", .help = "the number of the first position, 0 or 1 [1]"},
    TOOL_GROUP_OF("What is computed"),
    {.letter = 'm', .name = "metric", .kind = TOOL_TEXT, .at = AT(metrics), .metavar = "LIST",
     .help = "the metrics, separated by commas [bleu,wer,per; --orders: tau,kendall,fuzzy; --alignment: all]"},
    {.name = "compat", .kind = TOOL_CHOICE, .at = AT(compat), .metavar = "PROGRAM", .words = programs,
     .needs = "alignment", .excludes = "metric",
     .help = "score as evaluate-lader (lader) or TD-BTG's evaluate_preordering.py (tdbtg)"},
    {.name = "average", .kind = TOOL_CHOICE, .at = AT(average), .metavar = "WHAT", .words = averages,
     .needs = "orders",
     .help = "the mean over sentences (sentence) or over what they count (pairs) [sentence]"},
    {.name = "no-combine", .kind = TOOL_FLAG, .at = AT(apart), .needs = "alignment",
     .help = "lader: words whose targets overlap make no block"},
    {.name = "attach", .kind = TOOL_CHOICE, .at = AT(attach), .metavar = "SIDE", .words = sides,
     .needs = "alignment",
     .help = "lader: words without links go with the word to their right or left [right]"},
    {.letter = 's', .name = "sentence", .kind = TOOL_FLAG, .at = AT(sentences),
     .help = "score each sentence by itself"},
    {.name = "smooth", .kind = TOOL_CHOICE, .at = AT(smoothing), .metavar = "WORD", .word = pf_smoothing_name,
     .help = "smooth a precision of 0: none, floor, add-k or exp [exp]"},
    {.name = "smooth-value", .kind = TOOL_REAL, .at = AT(smooth_value), .metavar = "X",
     .needs = "smooth=floor smooth=add-k",
     .help = "the number that floor or add-k uses [floor: 0.1; add-k: 1]"},
    {.name = "max-order", .kind = TOOL_NUMBER, .at = AT(max_order), .metavar = "N", .min = 1,
     .max = PF_BLEU_ORDER,
     .help = "count n-grams of up to N words [4]"},
    {.name = "effective-order", .kind = TOOL_CHOICE, .at = AT(effective), .metavar = "WORD", .words = yes_no,
     .help = "leave out orders of which there is no n-gram: no or yes [no; with --sentence: yes]"},
    {.letter = 'b', .name = "bootstrap", .kind = TOOL_NUMBER, .at = AT(resamples), .metavar = "N", .min = 1,
     .max = MAX_RESAMPLES, .excludes = "sentence",
     .help = "compute 95% intervals from N samples"},
    {.name = "paired", .kind = TOOL_CHOICE, .at = AT(paired), .metavar = "TEST", .words = tests,
     .optional = "bootstrap", .excludes = "sentence", .forms = TOOL_IN(PAIRED) | TOOL_IN(ALIGNED_PAIRED),
     .help = "test whether systems differ from the first one, by bootstrap (default) or randomisation"},
    {.name = "trials", .kind = TOOL_NUMBER, .at = AT(trials), .metavar = "N", .min = 1, .max = MAX_RESAMPLES,
     .needs = "paired=randomisation",
     .help = "make N trials [10000]"},
    {.name = "seed", .kind = TOOL_NUMBER, .at = AT(seed), .metavar = "N", .max = INT64_MAX,
     .needs = "bootstrap paired",
     .help = "draw the samples with this seed [12345]"},
    TOOL_GROUP_OF("What is written"),
    {.letter = 'f', .name = "format", .kind = TOOL_CHOICE, .at = AT(format), .metavar = "WORD",
     .words = formats,
     .help = "write a table, tsv or json [table]"},
    {.letter = 'w', .name = "width", .kind = TOOL_NUMBER, .at = AT(digits), .metavar = "N", .max = 15,
     .help = "print scores with N decimals [4]"},
    TOOL_OUTPUT,
    {0},
};

enum { ALL_LINKS = 1 };

static pf_metric_subject subject(const score_options *o) {
    return o->alignment ? PF_METRIC_LINKS : o->orders ? PF_METRIC_ORDERS : PF_METRIC_WORDS;
}

/* ---- systems and references ---- */

static pf_err add_file(tool_call *call, pf_systems *s, const char *path, pf_docs_kind kind) {
    const score_options *o = tool_options(call);
    pf_reader *r;
    pf_docs docs;
    PF_TRY(toolfst_open(call, path, &r));
    pf_err err = pf_docs_read(r, FORMS[o->input], &docs);
    if (!err) err = pf_systems_docs(s, &docs, toolfst_name(path), kind, tool_warn, call);
    pf_docs_free(&docs);
    pf_reader_free(r);
    return err;
}

static pf_err add_orders(tool_call *call, pf_systems *s, const char *path, pf_docs_kind kind) {
    pf_reader *r;
    PF_TRY(toolfst_open(call, path, &r));
    pf_err err = pf_systems_orders(s, r, (unsigned)((const score_options *)tool_options(call))->base, kind);
    pf_reader_free(r);
    return err;
}

static pf_err add_links(tool_call *call, pf_systems *s) {
    const score_options *o = tool_options(call);
    const pf_align_filter filter = {.sure_only = o->links != ALL_LINKS};
    pf_reader *r;
    PF_TRY(toolfst_open(call, o->alignment, &r));
    pf_err err = pf_systems_links(s, r, PF_ALIGN_AUTO, &filter);
    pf_reader_free(r);
    return err;
}

static pf_err check_references(const score_options *o) {
    if (!o->orders || o->references.n <= 1) return PF_OK;
    return pf_fail(PF_EARG, "orders have one reference, but --reference is given %zu times", o->references.n);
}

static pf_err add_files(tool_call *call, pf_systems *s) {
    const score_options *o = tool_options(call);
    pf_err (*add)(tool_call *, pf_systems *, const char *, pf_docs_kind) = subject(o) == PF_METRIC_WORDS ? add_file : add_orders;
    char *const *operands;
    int n = tool_operands(call, &operands);
    for (size_t i = 0; i < o->references.n; i++) PF_TRY(add(call, s, o->references.at[i], PF_DOCS_REFERENCE));
    if (o->alignment) PF_TRY(add_links(call, s));
    if (!s->set.n) return pf_fail(PF_EINPUT, "%s is empty: there is nothing to score", s->set.reference.at[0].file);
    if (!n) return add(call, s, "-", PF_DOCS_SYSTEM);
    for (int i = 0; i < n; i++) PF_TRY(add(call, s, operands[i], PF_DOCS_SYSTEM));
    return PF_OK;
}

/* ---- metrics ---- */

static pf_metric_options metric_options(const score_options *o) {
    pf_metric_options m = {.bleu = pf_bleu_usual(), .average = (pf_metric_average)o->average, .apart = o->apart,
                           .attach_left = o->attach};
    m.letters = o->letters == TOOL_NOT_GIVEN ? PF_CASE_USUAL : (pf_metric_case)(o->letters + PF_CASE_MIXED);
    if (o->max_order) m.bleu.order = (unsigned)o->max_order;
    m.bleu.effective = o->effective == TOOL_NOT_GIVEN ? o->sentences : o->effective;
    if (o->smoothing != TOOL_NOT_GIVEN) m.bleu.smoothing = (pf_smoothing)o->smoothing;
    m.bleu.value = isnan(o->smooth_value) ? pf_smoothing_value(m.bleu.smoothing) : o->smooth_value;
    return m;
}

/* What is said of BLEU needs BLEU. */
static pf_err check_metrics(tool_call *call, const pf_systems *s) {
    static const char *const of_bleu[] = {"smooth", "smooth-value", "max-order", "effective-order"};
    for (unsigned m = 0; m < s->metrics; m++)
        if (strcmp(s->metric[m].cls->name, "bleu") == 0) return PF_OK;
    for (size_t i = 0; i < sizeof of_bleu / sizeof *of_bleu; i++)
        if (tool_given(call, of_bleu[i])) return pf_fail(PF_EARG, "--%s is about BLEU, which --metric leaves out", of_bleu[i]);
    return PF_OK;
}

static const char *metrics(const score_options *o) {
    static const char *const usual[] = {"bleu,wer,per", "tau,kendall,fuzzy",
                                        "lader-chunk,lader-tau,tdbtg-fuzzy,tdbtg-tau,tdbtg-match,crossing"};
    static const char *const of_program[] = {"lader-chunk,lader-tau", "tdbtg-fuzzy,tdbtg-tau,tdbtg-match"};
    if (o->compat != TOOL_NOT_GIVEN) return of_program[o->compat];
    return o->metrics ? o->metrics : usual[subject(o)];
}

static pf_err add_metrics(tool_call *call, const score_options *o, pf_systems *s) {
    pf_metric_options how = metric_options(o);
    for (const char *at = metrics(o);; at++) {
        const pf_metric_class *cls;
        size_t n = strcspn(at, ",");
        PF_TRY(pf_metric_find(subject(o), at, n, &cls));
        for (unsigned i = 0; i < s->metrics; i++)
            if (s->metric[i].cls == cls) return pf_fail(PF_EARG, "--metric names %s twice", cls->name);
        PF_TRY(pf_systems_metric(s, cls, &how));
        at += n;
        if (!*at) return check_metrics(call, s);
    }
}

static pf_err count_all(tool_call *call, pf_systems *s) {
    char words[200];
    tool_item(call, "sentence");
    for (size_t i = 0; i < s->set.n; i++) {
        PF_TRY(pf_systems_count(s, i));
        tool_done(call, 1, i + 1, 0);
    }
    if (s->least_references == s->most_references) return PF_OK;
    snprintf(words, sizeof words,
             "not all sentences have %zu references, some have only %zu: an empty line stands for a missing reference",
             s->most_references, s->least_references);
    tool_warn(call, words);
    return PF_OK;
}

/* ---- all of it ---- */

static void count_rows(void *call, uint64_t written) { tool_steps(call, TOOL_SCORED_SYSTEMS, written); }

typedef struct {
    tool_call *call;
    pf_systems systems;
} scoring;

static pf_err put_all(void *self, pf_writer *w) {
    scoring *s = self;
    const score_options *o = tool_options(s->call);
    bool bootstrap = o->paired == BOOTSTRAP;
    return pf_systems_report(&s->systems, &(pf_report_options){
        .format = (pf_report_format)o->format, .digits = (unsigned)o->digits, .sentences = o->sentences,
        .resampling = {bootstrap && !o->resamples ? DEFAULT_RESAMPLES : o->resamples, bootstrap,
                       o->paired == RANDOMISATION ? o->trials : 0, o->seed},
        .version = "permscore-" PACKAGE_VERSION, .progress = count_rows, .self = s->call}, w);
}

static int run(tool_call *call) {
    const score_options *o = tool_options(call);
    scoring s = {.call = call};
    pf_systems_init(&s.systems, pf_tokeniser_at((size_t)o->tokeniser));
    pf_err err = check_references(o);
    if (!err) err = add_metrics(call, o, &s.systems);
    if (!err) err = add_files(call, &s.systems);
    if (!err) err = count_all(call, &s.systems);
    if (!err) err = toolfst_write(call, put_all, &s);
    pf_systems_free(&s.systems);
    return tool_status(call, err, false);
}

const tool permscore = {
    .name = "permscore",
    .forms = {"--reference=REF [HYP...]", "--reference=REF --paired HYP HYP...", "--alignment=LINKS [ORDERS...]",
              "--alignment=LINKS --paired ORDERS ORDERS..."},
    .summary = "Score translations and word orders, with intervals and tests of significance",
    .options = rows,
    .size = sizeof(score_options),
    .defaults = &(const score_options){.base = 1, .letters = TOOL_NOT_GIVEN, .compat = TOOL_NOT_GIVEN, .smoothing = TOOL_NOT_GIVEN, .effective = TOOL_NOT_GIVEN,
                                 .paired = NO_TEST, .smooth_value = NAN, .trials = 10000, .seed = 12345, .digits = 4},
    .run = run,
    .examples = {"permscore -r reference.en baseline.en reordered.en --paired",
                 "permscore --alignment=links.de-en --compat=lader orders.de"},
};

TOOL_MAIN(permscore);
