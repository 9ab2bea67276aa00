/* permscore: translations against references: BLEU, WER and PER, how sure they are, and whether systems differ. */
#include "toolfst.h"
#include "toolrows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { NAMES = 16, METRICS = PF_SYSTEMS_METRICS, MAX_RESAMPLES = 10000000 };
#define NO_SEED UINT64_MAX

static tool_specs references;
static const char *metric_list = "bleu,wer,per", *tokeniser = "none", *smoothing, *effective, *paired;
static const char *format = "table", *input = "auto";
static const char *tokenisers[NAMES + 1], *smoothings[NAMES + 1];
static const char *const yes_no[] = {"no", "yes", NULL}, *const inputs[] = {"auto", "text", "sgml", "xml", NULL},
                  *const tests[] = {"bootstrap", "randomisation", NULL};
static bool sentences;
static double smooth_value = NAN;
static uint64_t max_order, resamples, trials, seed = NO_SEED, digits = 4;

static const tool_option options[] = {
    {.letter = 'r', .name = "reference", .kind = TOOL_FILES, .to = &references, .metavar = "FILE",
     .help = "the reference translation; may be repeated, and a file may have several"},
    {.letter = 'm', .name = "metric", .kind = TOOL_TEXT, .to = &metric_list, .metavar = "LIST",
     .help = "what to compute, with commas between [bleu,wer,per]"},
    {.letter = 't', .name = "tokenise", .kind = TOOL_CHOICE, .to = &tokeniser, .metavar = "WORD", .words = tokenisers,
     .help = "none: tokens are split at white space; 13a: as mteval-v13a.pl does it [none]"},
    {.name = "smooth", .kind = TOOL_CHOICE, .to = &smoothing, .metavar = "WORD", .words = smoothings,
     .help = "what BLEU does about a precision of 0: none, floor, add-k or exp [exp]"},
    {.name = "smooth-value", .kind = TOOL_REAL, .to = &smooth_value, .metavar = "X",
     .help = "the number that floor (0.1 without this) and add-k (1) take"},
    {.name = "max-order", .kind = TOOL_NUMBER, .to = &max_order, .metavar = "N", .min = 1, .max = PF_BLEU_ORDER,
     .help = "BLEU of n-grams up to N words [4]"},
    {.name = "effective-order", .kind = TOOL_CHOICE, .to = &effective, .metavar = "WORD", .words = yes_no,
     .help = "yes: BLEU leaves out the orders of which the system has no n-gram; without this no, and yes with --sentence"},
    {.letter = 's', .name = "sentence", .kind = TOOL_FLAG, .to = &sentences, .help = "score each sentence by itself"},
    {.letter = 'b', .name = "bootstrap", .kind = TOOL_NUMBER, .to = &resamples, .metavar = "N", .min = 1, .max = MAX_RESAMPLES,
     .help = "95% intervals from N bootstrap samples"},
    {.name = "paired", .kind = TOOL_CHOICE, .to = &paired, .metavar = "TEST", .words = tests,
     .optional = "bootstrap",
     .help = "whether each system differs from the first: bootstrap (the default) or randomisation"},
    {.name = "trials", .kind = TOOL_NUMBER, .to = &trials, .metavar = "N", .min = 1, .max = MAX_RESAMPLES,
     .help = "trials of --paired=randomisation [10000]"},
    {.name = "seed", .kind = TOOL_NUMBER, .to = &seed, .metavar = "N", .max = INT64_MAX,
     .help = "another seed draws other samples [12345]"},
    {.letter = 'f', .name = "format", .kind = TOOL_CHOICE, .to = &format, .metavar = "WORD", .words = toolrows_formats,
     .help = "table, tsv or json [table]"},
    {.letter = 'w', .name = "width", .kind = TOOL_NUMBER, .to = &digits, .metavar = "N", .max = 15,
     .help = "digits behind the point of a score [4]"},
    {.name = "input", .kind = TOOL_CHOICE, .to = &input, .metavar = "WORD", .words = inputs,
     .help = "take all files for text, sgml or xml; auto looks at how each begins [auto]"},
    TOOLFST_OUTPUT,
    {0},
};

static const tool permscore = {
    .name = "permscore",
    .operands = "-r REF [HYP...]",
    .summary = "Score translations: BLEU, WER and PER, with intervals and tests of significance",
    .options = options,
    .max_operands = SIZE_MAX,
};

static void list_names(void) {
    for (size_t i = 0; i < NAMES && pf_tokeniser_at(i); i++) tokenisers[i] = pf_tokeniser_at(i)->name;
    for (size_t i = 0; i < NAMES && pf_smoothing_name(i); i++) smoothings[i] = pf_smoothing_name(i);
}

/* ---- systems and references ---- */

typedef struct {
    pf_systems systems;
    pf_resampling resampling;
    char *signature[METRICS];
    pf_writer *w;
    toolrows rows;
} scorer;

static void warn(const char *format_, ...) PF_PRINTF(1, 2);
static void warn(const char *format_, ...) {
    char words[1000];
    va_list ap;
    va_start(ap, format_);
    vsnprintf(words, sizeof words, format_, ap);
    va_end(ap);
    tool_warn(NULL, words);
}

static size_t count_sets(const pf_docs *docs, pf_docs_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < docs->set.n; i++) n += docs->set.at[i].kind == kind || docs->set.at[i].kind == PF_DOCS_LINES;
    return n;
}

/* What a file has of a kind; where it has none, of the other, but never a source text. */
static pf_err choose(const pf_docs *docs, const char *path, pf_docs_kind *kind) {
    bool wants = *kind == PF_DOCS_REFERENCE;
    if (count_sets(docs, *kind)) return PF_OK;
    *kind = wants ? PF_DOCS_SYSTEM : PF_DOCS_REFERENCE;
    if (!count_sets(docs, *kind))
        return pf_fail(PF_EINPUT, "%s: expected %s, found a source text only", path, wants ? "references" : "translations");
    warn("%s has no %s: its %s are taken for them", path, wants ? "references" : "translations of a system",
         wants ? "translations of a system" : "references");
    return PF_OK;
}

static pf_err add_system(scorer *s, const pf_docset *set, const char *name) {
    size_t extra, first;
    char where[200];
    PF_TRY(pf_systems_add(&s->systems, set, name, &extra, &first));
    if (extra)
        warn("%s: %zu %s %s", name, extra,
             extra == 1 ? "segment without a reference is left out:" : "segments without a reference are left out, the first is",
             pf_docset_where(set, first, where, sizeof where));
    return PF_OK;
}

static pf_err add_sets(scorer *s, const pf_docs *docs, const char *path, pf_docs_kind kind) {
    bool is_reference = kind == PF_DOCS_REFERENCE;
    PF_TRY(choose(docs, path, &kind));
    bool several = count_sets(docs, kind) > 1;
    for (size_t i = 0; i < docs->set.n; i++) {
        const pf_docset *set = &docs->set.at[i];
        char name[5000];
        if (set->kind != kind && set->kind != PF_DOCS_LINES) continue;
        snprintf(name, sizeof name, "%s%s%s", strcmp(path, "-") ? path : "standard input", several ? ":" : "",
                 several ? set->name : "");
        PF_TRY(is_reference ? pf_systems_reference(&s->systems, set, name) : add_system(s, set, name));
    }
    return PF_OK;
}

static pf_err add_file(scorer *s, const char *path, pf_docs_kind kind) {
    static const pf_docs_form forms[] = {PF_DOCS_AUTO, PF_DOCS_TEXT, PF_DOCS_SGML, PF_DOCS_XML};
    size_t form = 0;
    pf_reader *r;
    pf_docs docs;
    while (strcmp(inputs[form], input)) form++;
    PF_TRY(toolfst_open(path, &r));
    pf_err err = pf_docs_read(r, forms[form], &docs);
    if (!err) err = add_sets(s, &docs, path, kind);
    pf_docs_free(&docs);
    pf_reader_free(r);
    return err;
}

static pf_err add_files(scorer *s, int n, char **operands) {
    const pf_testset *set = &s->systems.set;
    for (size_t i = 0; i < references.n; i++) PF_TRY(add_file(s, references.at[i], PF_DOCS_REFERENCE));
    if (!set->n) return pf_fail(PF_EINPUT, "%s is empty: there is nothing to score", set->reference.at[0].file);
    if (!n) return add_file(s, "-", PF_DOCS_SYSTEM);
    for (int i = 0; i < n; i++) PF_TRY(add_file(s, operands[i], PF_DOCS_SYSTEM));
    return PF_OK;
}

/* ---- metrics ---- */

static pf_err metric_options(pf_metric_options *o) {
    o->bleu = pf_bleu_usual();
    if (max_order) o->bleu.order = (unsigned)max_order;
    o->bleu.effective = effective ? strcmp(effective, "yes") == 0 : sentences;
    for (size_t i = 0; smoothing && pf_smoothing_name(i); i++)
        if (strcmp(pf_smoothing_name(i), smoothing) == 0) o->bleu.smoothing = (pf_smoothing)i;
    o->bleu.value = isnan(smooth_value) ? pf_smoothing_value(o->bleu.smoothing) : smooth_value;
    if (!isnan(smooth_value) && pf_smoothing_value(o->bleu.smoothing) < 0)
        return pf_fail(PF_EARG, "--smooth-value goes with --smooth=floor or add-k, not with %s",
                       pf_smoothing_name(o->bleu.smoothing));
    return PF_OK;
}

static pf_err check_metrics(const pf_systems *s) {
    if (!smoothing && !max_order && !effective && isnan(smooth_value)) return PF_OK;
    for (unsigned m = 0; m < s->metrics; m++)
        if (strcmp(s->metric[m].cls->name, "bleu") == 0) return PF_OK;
    return pf_fail(PF_EARG, "--smooth, --smooth-value, --max-order and --effective-order are of BLEU, which --metric leaves out");
}

static pf_err add_metrics(pf_systems *s) {
    pf_metric_options o;
    PF_TRY(metric_options(&o));
    for (const char *at = metric_list;; at++) {
        const pf_metric_class *cls;
        size_t n = strcspn(at, ",");
        PF_TRY(pf_metric_find(at, n, &cls));
        for (unsigned i = 0; i < s->metrics; i++)
            if (s->metric[i].cls == cls) return pf_fail(PF_EARG, "--metric names %s twice", cls->name);
        PF_TRY(pf_systems_metric(s, cls, &o));
        at += n;
        if (!*at) return check_metrics(s);
    }
}

static pf_err count_all(pf_systems *s) {
    tool_unit("sentence");
    for (size_t i = 0; i < s->set.n; i++) {
        PF_TRY(pf_systems_count(s, i));
        tool_done(1, i + 1, 0);
    }
    if (s->least_references < s->most_references)
        warn("not all sentences have %zu references, some have %zu: an empty line among references is none",
             s->most_references, s->least_references);
    return PF_OK;
}

/* ---- answers ---- */

static bool by_randomisation(void) { return paired && strcmp(paired, "randomisation") == 0; }

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
            tool_steps(TOOL_SCORED_SYSTEMS, m * s->systems.system.n + k + 1);
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
    s->rows = (toolrows){.w = s->w, .format = format, .digits = (unsigned)digits, .sentences = sentences,
                         .intervals = resamples, .paired = paired, .width = strlen("system")};
    for (size_t k = 0; k < s->systems.system.n; k++)
        if (strlen(s->systems.system.at[k].name) > s->rows.width) s->rows.width = strlen(s->systems.system.at[k].name);
    for (unsigned m = 0; m < s->systems.metrics; m++) PF_TRY(make_text(write_signature, s, m, NULL, &s->signature[m]));
    PF_TRY(toolrows_begin(&s->rows));
    PF_TRY(sentences ? put_sentences(s) : put_corpus(s));
    for (unsigned m = 0; m < s->systems.metrics; m++)
        PF_TRY(toolrows_signature(&s->rows, s->systems.metric[m].cls->title, s->signature[m], !m));
    return PF_OK;
}

/* ---- all of it ---- */

static pf_err check(void) {
    if (seed != NO_SEED && !resamples && !paired) return pf_fail(PF_EARG, "--seed goes with --bootstrap and --paired");
    if (seed == NO_SEED) seed = 12345;
    if (!references.n) return pf_fail(PF_EARG, "no reference: permscore -r REF HYP...");
    if (sentences && resamples) return pf_fail(PF_EARG, "--bootstrap is of a whole text: not with --sentence");
    if (sentences && paired) return pf_fail(PF_EARG, "--paired is of whole texts: not with --sentence");
    if (trials && !by_randomisation()) return pf_fail(PF_EARG, "--trials goes with --paired=randomisation");
    if (by_randomisation() && !trials) trials = 10000;
    if (paired && !by_randomisation() && !resamples) resamples = 1000;
    return PF_OK;
}

static pf_err score_all(scorer *s, int n, char **operands) {
    const pf_tokeniser *t;
    PF_TRY(check());
    s->resampling = (pf_resampling){resamples, paired && !by_randomisation(), trials, seed};
    PF_TRY(pf_tokeniser_find(tokeniser, &t));
    pf_systems_init(&s->systems, t);
    PF_TRY(add_metrics(&s->systems));
    PF_TRY(add_files(s, n, operands));
    if (paired && s->systems.system.n < 2)
        return pf_fail(PF_EARG, "--paired compares systems with the first one: there is only one");
    PF_TRY(count_all(&s->systems));
    PF_TRY(toolfst_open_output(&s->w));
    PF_TRY(put_all(s));
    return toolfst_close_output(s->w);
}

static void scorer_free(scorer *s) {
    pf_systems_free(&s->systems);
    for (unsigned m = 0; m < METRICS; m++) free(s->signature[m]);
    pf_writer_free(s->w);
}

static int run(int n, char **operands) {
    scorer s = {0};
    pf_err err = score_all(&s, n, operands);
    scorer_free(&s);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) {
    list_names();
    return tool_main(&permscore, argc, argv, run);
}
