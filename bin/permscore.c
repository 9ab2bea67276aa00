/* permscore: translations against references: BLEU, WER and PER, how sure they are, and whether systems differ. */
#include "toolfst.h"
#include "toolprogress.h"
#include "toolrows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { METRICS = PF_SYSTEMS_METRICS, DEFAULT_RESAMPLES = 1000, MAX_RESAMPLES = 10000000 };

typedef enum { NO_TEST = TOOL_NOT_GIVEN, BOOTSTRAP, RANDOMISATION } paired_test;

typedef struct {
    tool_common common;
    tool_specs references;
    const char *metrics;
    int tokeniser, smoothing, effective, paired, format, input; /* places among names; TOOL_NOT_GIVEN where there is no default */
    bool sentences;
    double smooth_value;
    uint64_t max_order, resamples, trials, seed, digits;
} options;

static const char *tokeniser_name(size_t i) { return pf_tokeniser_at(i) ? pf_tokeniser_at(i)->name : NULL; }
static const char *const yes_no[] = {"no", "yes", NULL}, *const tests[] = {"bootstrap", "randomisation", NULL};
static const char *const inputs[] = {"auto", "text", "sgml", "xml", NULL}; /* as FORMS */
static const pf_docs_form FORMS[] = {PF_DOCS_AUTO, PF_DOCS_TEXT, PF_DOCS_SGML, PF_DOCS_XML};

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {.letter = 'r', .name = "reference", .kind = TOOL_FILES, .at = offsetof(options, references), .metavar = "FILE",
     .help = "the reference translation; may be repeated, and a document may have several references"},
    {.name = "input", .kind = TOOL_CHOICE, .at = offsetof(options, input), .metavar = "WORD", .words = inputs,
     .help = "read all files as text, sgml or xml; auto decides by the beginning of each file [auto]"},
    {.letter = 't', .name = "tokenise", .kind = TOOL_CHOICE, .at = offsetof(options, tokeniser), .metavar = "WORD",
     .word = tokeniser_name,
     .help = "split tokens at white space (none), or as mteval-v13a.pl does (13a) [none]"},
    TOOL_GROUP_OF("What is computed"),
    {.letter = 'm', .name = "metric", .kind = TOOL_TEXT, .at = offsetof(options, metrics), .metavar = "LIST",
     .help = "the metrics to compute, separated by commas [bleu,wer,per]"},
    {.letter = 's', .name = "sentence", .kind = TOOL_FLAG, .at = offsetof(options, sentences),
     .help = "score each sentence by itself"},
    {.name = "smooth", .kind = TOOL_CHOICE, .at = offsetof(options, smoothing), .metavar = "WORD", .word = pf_smoothing_name,
     .help = "how BLEU smooths a precision of 0: none, floor, add-k or exp [exp]"},
    {.name = "smooth-value", .kind = TOOL_REAL, .at = offsetof(options, smooth_value), .metavar = "X",
     .needs = "smooth=floor smooth=add-k",
     .help = "the number that --smooth=floor or add-k uses [floor: 0.1; add-k: 1]"},
    {.name = "max-order", .kind = TOOL_NUMBER, .at = offsetof(options, max_order), .metavar = "N", .min = 1,
     .max = PF_BLEU_ORDER,
     .help = "compute BLEU with n-grams of up to N words [4]"},
    {.name = "effective-order", .kind = TOOL_CHOICE, .at = offsetof(options, effective), .metavar = "WORD", .words = yes_no,
     .help = "whether BLEU leaves out orders of which the system has no n-gram: no or yes [no; with --sentence: yes]"},
    {.letter = 'b', .name = "bootstrap", .kind = TOOL_NUMBER, .at = offsetof(options, resamples), .metavar = "N", .min = 1,
     .max = MAX_RESAMPLES, .excludes = "sentence",
     .help = "compute 95% intervals from N bootstrap samples"},
    {.name = "paired", .kind = TOOL_CHOICE, .at = offsetof(options, paired), .metavar = "TEST", .words = tests,
     .optional = "bootstrap", .excludes = "sentence",
     .help = "test whether each system differs from the first one, by bootstrap (the default) or randomisation"},
    {.name = "trials", .kind = TOOL_NUMBER, .at = offsetof(options, trials), .metavar = "N", .min = 1, .max = MAX_RESAMPLES,
     .needs = "paired=randomisation",
     .help = "make N trials for --paired=randomisation [10000]"},
    {.name = "seed", .kind = TOOL_NUMBER, .at = offsetof(options, seed), .metavar = "N", .max = INT64_MAX,
     .needs = "bootstrap paired",
     .help = "draw the samples with this seed [12345]"},
    TOOL_GROUP_OF("What is written"),
    {.letter = 'f', .name = "format", .kind = TOOL_CHOICE, .at = offsetof(options, format), .metavar = "WORD",
     .words = toolrows_formats,
     .help = "write a table, tsv or json [table]"},
    {.letter = 'w', .name = "width", .kind = TOOL_NUMBER, .at = offsetof(options, digits), .metavar = "N", .max = 15,
     .help = "print scores with N decimals [4]"},
    TOOL_OUTPUT,
    {0},
};

/* ---- systems and references ---- */

typedef struct {
    tool_call *call;
    const options *o;
    pf_systems systems;
    pf_resampling resampling;
    char *signature[METRICS];
    pf_writer *w;
    toolrows rows;
} scorer;

static void warn(tool_call *call, const char *format, ...) PF_PRINTF(2, 3);
static void warn(tool_call *call, const char *format, ...) {
    char words[1000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    tool_warn(call, words);
}

static size_t count_sets(const pf_docs *docs, pf_docs_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < docs->set.n; i++) n += docs->set.at[i].kind == kind || docs->set.at[i].kind == PF_DOCS_LINES;
    return n;
}

/* What a file has of a kind; where it has none, of the other, but never a source text. */
static pf_err choose(tool_call *call, const pf_docs *docs, const char *path, pf_docs_kind *kind) {
    bool wants = *kind == PF_DOCS_REFERENCE;
    if (count_sets(docs, *kind)) return PF_OK;
    *kind = wants ? PF_DOCS_SYSTEM : PF_DOCS_REFERENCE;
    if (!count_sets(docs, *kind))
        return pf_fail(PF_EINPUT, "%s: expected %s, found only a source text", path, wants ? "references" : "translations");
    warn(call, "%s has no %s: its %s are used instead", path, wants ? "references" : "translations of a system",
         wants ? "translations of a system" : "references");
    return PF_OK;
}

static pf_err add_system(scorer *s, const pf_docset *set, const char *name) {
    size_t extra, first;
    char where[200];
    PF_TRY(pf_systems_add(&s->systems, set, name, &extra, &first));
    if (extra)
        warn(s->call, "%s: %zu %s %s", name, extra,
             extra == 1 ? "segment without a reference is left out:" : "segments without a reference are left out; the first is",
             pf_docset_where(set, first, where, sizeof where));
    return PF_OK;
}

static pf_err add_sets(scorer *s, const pf_docs *docs, const char *path, pf_docs_kind kind) {
    bool is_reference = kind == PF_DOCS_REFERENCE;
    PF_TRY(choose(s->call, docs, path, &kind));
    bool several = count_sets(docs, kind) > 1;
    for (size_t i = 0; i < docs->set.n; i++) {
        const pf_docset *set = &docs->set.at[i];
        char name[5000];
        if (set->kind != kind && set->kind != PF_DOCS_LINES) continue;
        snprintf(name, sizeof name, "%s%s%s", toolfst_name(path), several ? ":" : "",
                 several ? set->name : "");
        PF_TRY(is_reference ? pf_systems_reference(&s->systems, set, name) : add_system(s, set, name));
    }
    return PF_OK;
}

static pf_err add_file(scorer *s, const char *path, pf_docs_kind kind) {
    pf_reader *r;
    pf_docs docs;
    PF_TRY(toolfst_open(s->call, path, &r));
    pf_err err = pf_docs_read(r, FORMS[s->o->input], &docs);
    if (!err) err = add_sets(s, &docs, path, kind);
    pf_docs_free(&docs);
    pf_reader_free(r);
    return err;
}

static pf_err add_files(scorer *s, int n, char *const *operands) {
    const tool_specs *references = &s->o->references;
    const pf_testset *set = &s->systems.set;
    for (size_t i = 0; i < references->n; i++) PF_TRY(add_file(s, references->at[i], PF_DOCS_REFERENCE));
    if (!set->n) return pf_fail(PF_EINPUT, "%s is empty: there is nothing to score", set->reference.at[0].file);
    if (!n) return add_file(s, "-", PF_DOCS_SYSTEM);
    for (int i = 0; i < n; i++) PF_TRY(add_file(s, operands[i], PF_DOCS_SYSTEM));
    return PF_OK;
}

/* ---- metrics ---- */

static pf_metric_options metric_options(const options *o) {
    pf_metric_options m = {.bleu = pf_bleu_usual()};
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

static pf_err add_metrics(tool_call *call, const options *o, pf_systems *s) {
    pf_metric_options how = metric_options(o);
    for (const char *at = o->metrics;; at++) {
        const pf_metric_class *cls;
        size_t n = strcspn(at, ",");
        PF_TRY(pf_metric_find(at, n, &cls));
        for (unsigned i = 0; i < s->metrics; i++)
            if (s->metric[i].cls == cls) return pf_fail(PF_EARG, "--metric names %s twice", cls->name);
        PF_TRY(pf_systems_metric(s, cls, &how));
        at += n;
        if (!*at) return check_metrics(call, s);
    }
}

static pf_err count_all(tool_call *call, pf_systems *s) {
    tool_item(call, "sentence");
    for (size_t i = 0; i < s->set.n; i++) {
        PF_TRY(pf_systems_count(s, i));
        tool_done(call, 1, i + 1, 0);
    }
    if (s->least_references < s->most_references)
        warn(call, "not all sentences have %zu references, some have only %zu: an empty line stands for a missing reference",
             s->most_references, s->least_references);
    return PF_OK;
}

/* ---- answers ---- */

static pf_err make_text(pf_err (*write)(const scorer *s, unsigned m, const double *sum, pf_writer *w), const scorer *s,
                        unsigned m, const double *sum, char **out) {
    pf_writer *w;
    size_t n;
    PF_TRY(pf_writer_memory(&w));
    pf_err err = write(s, m, sum, w);
    if (!err) err = pf_writer_put(w, "", 1);
    if (!err && !(*out = strdup((const char *)pf_writer_bytes(w, &n)))) err = pf_nomem();
    pf_writer_free(w);
    return err;
}

static pf_err write_details(const scorer *s, unsigned m, const double *sum, pf_writer *w) {
    return s->systems.metric[m].cls->details(&s->systems.metric[m].options, sum, w);
}

static pf_err write_signature(const scorer *s, unsigned m, const double *sum PF_UNUSED, pf_writer *w) {
    return pf_systems_signature(&s->systems, m, &s->resampling, "permscore-" PACKAGE_VERSION, w);
}

/* One system's row of a metric. */
static pf_err put_row(scorer *s, size_t k, unsigned m, const double *sum, toolrows_row *row) {
    const pf_metric *metric = &s->systems.metric[m];
    char *details = NULL;
    row->system = s->systems.system.at[k].name;
    row->metric = metric->cls->title;
    row->signature = s->signature[m];
    row->score = metric->cls->score(&metric->options, sum);
    PF_TRY(make_text(write_details, s, m, sum, &details));
    row->details = details;
    pf_err err = toolrows_put(&s->rows, row);
    free(details);
    return err;
}

static pf_err put_system(scorer *s, size_t k, unsigned m) {
    double sum[PF_METRIC_STATISTICS];
    pf_resampled resampled;
    PF_TRY(pf_systems_resample(&s->systems, k, m, &s->resampling, &resampled));
    const pf_interval *i = &resampled.interval;
    toolrows_row row = {.mean = i->mean, .low = i->low, .high = i->high, .p = resampled.p_value};
    pf_systems_sum(&s->systems, k, m, sum);
    return put_row(s, k, m, sum, &row);
}

static pf_err put_corpus(scorer *s) {
    for (unsigned m = 0; m < s->systems.metrics; m++)
        for (size_t k = 0; k < s->systems.system.n; k++) {
            PF_TRY(put_system(s, k, m));
            tool_steps(s->call, TOOL_SCORED_SYSTEMS, m * s->systems.system.n + k + 1);
        }
    return PF_OK;
}

static pf_err put_sentences(scorer *s) {
    for (size_t i = 0; i < s->systems.set.n; i++)
        for (size_t k = 0; k < s->systems.system.n; k++)
            for (unsigned m = 0; m < s->systems.metrics; m++) {
                toolrows_row row = {.sentence = i + 1, .mean = NAN, .low = NAN, .high = NAN, .p = NAN};
                PF_TRY(put_row(s, k, m, pf_systems_segment(&s->systems, k, m, i), &row));
            }
    return PF_OK;
}

static pf_err put_all(scorer *s) {
    s->rows = (toolrows){.w = s->w, .format = s->o->format, .digits = (unsigned)s->o->digits, .sentences = s->o->sentences,
                         .intervals = s->resampling.samples, .paired = s->o->paired != NO_TEST, .width = strlen("system")};
    for (size_t k = 0; k < s->systems.system.n; k++)
        if (strlen(s->systems.system.at[k].name) > s->rows.width) s->rows.width = strlen(s->systems.system.at[k].name);
    for (unsigned m = 0; m < s->systems.metrics; m++) PF_TRY(make_text(write_signature, s, m, NULL, &s->signature[m]));
    PF_TRY(toolrows_begin(&s->rows));
    PF_TRY(s->o->sentences ? put_sentences(s) : put_corpus(s));
    for (unsigned m = 0; m < s->systems.metrics; m++)
        PF_TRY(toolrows_signature(&s->rows, s->systems.metric[m].cls->title, s->signature[m], !m));
    return PF_OK;
}

/* ---- all of it ---- */

static pf_err score_all(scorer *s, int n, char *const *operands) {
    const options *o = s->o;
    bool bootstrap = o->paired == BOOTSTRAP;
    if (!o->references.n) return pf_fail(PF_EARG, "no reference is given: permscore -r REF HYP...");
    s->resampling = (pf_resampling){bootstrap && !o->resamples ? DEFAULT_RESAMPLES : o->resamples, bootstrap,
                                    o->paired == RANDOMISATION ? o->trials : 0, o->seed};
    pf_systems_init(&s->systems, pf_tokeniser_at((size_t)o->tokeniser));
    PF_TRY(add_metrics(s->call, o, &s->systems));
    PF_TRY(add_files(s, n, operands));
    if (o->paired != NO_TEST && s->systems.system.n < 2)
        return pf_fail(PF_EARG, "--paired compares systems with the first one, but there is only one");
    PF_TRY(count_all(s->call, &s->systems));
    PF_TRY(toolfst_open_output(s->call, &s->w));
    PF_TRY(put_all(s));
    return toolfst_close_output(s->call, s->w);
}

static void scorer_free(scorer *s) {
    pf_systems_free(&s->systems);
    for (unsigned m = 0; m < METRICS; m++) free(s->signature[m]);
    pf_writer_free(s->w);
}

static int run(tool_call *call) {
    scorer s = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = score_all(&s, n, operands);
    scorer_free(&s);
    return err ? tool_trouble(call) : TOOL_DONE;
}

const tool permscore = {
    .name = "permscore",
    .operands = "-r REF [HYP...]",
    .summary = "Score translations by BLEU, WER and PER, with intervals and tests of significance",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.metrics = "bleu,wer,per", .smoothing = TOOL_NOT_GIVEN, .effective = TOOL_NOT_GIVEN,
                                 .paired = NO_TEST, .smooth_value = NAN, .trials = 10000, .seed = 12345, .digits = 4},
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permscore -r reference.en baseline.en reordered.en --paired", "permscore --sentence -m bleu -f tsv -r reference.en system.en"},
};

TOOL_MAIN(permscore);
