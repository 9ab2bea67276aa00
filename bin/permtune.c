/* permtune: scales of compositions that give the best translations of a text with references. */
#include "toolmap.h"
#include "toolprogress.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES = 1 << 28 }; /* of tables of moves, for records that have the same space and length */

typedef struct {
    tool_common common;
    tool_specs references;
    tool_reals low, high, fixed;
    uint64_t n_best, beam, iterations, restarts, directions, seed;
    double threshold, gap; /* TOOL_NOT_GIVEN */
    int tokeniser, unique; /* places among names */
    bool verbose;
} tune_settings;

static const char *tokeniser_name(size_t i) { return pf_tokeniser_at(i) ? pf_tokeniser_at(i)->name : NULL; }
static const char *const uniques[] = {"paths", "output", "permutation", NULL}; /* as pf_unique */

#define AT(FIELD) offsetof(tune_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {'r', "reference", TOOL_FILES, AT(references), "FILE", .help = "a reference for each record; may be repeated"},
    {0, "tokenise", TOOL_CHOICE, AT(tokeniser), "WORD", .word = tokeniser_name,
     .help = "split tokens at white space (none) or as mteval-v13a.pl does (13a) [none]"},
    TOOL_FIRST_RECORD,
    TOOL_RECORDS,
    TOOL_GROUP_OF("What is searched"),
    {'n', "nbest", TOOL_NUMBER, AT(n_best), "N", .min = 1, .max = 1000000, .help = "find the N best paths of each record [100]"},
    {0, "unique", TOOL_CHOICE, AT(unique), "WHAT", .words = uniques,
     .help = "paths that differ at all (paths), in their output or in their permutation [output]"},
    {'b', "beam", TOOL_NUMBER, AT(beam), "N", .min = 1, .max = 1000000000,
     .help = "keep only the N best hypotheses of each level"},
    {'t', "threshold", TOOL_REAL, AT(threshold), "COST",
     .help = "keep only hypotheses of a level up to COST above the best"},
    {'g', "gap", TOOL_REAL, AT(gap), "COST",
     .help = "widen the beam until the answer is proven to be within COST of the best"},
    TOOL_JOBS("records"),
    TOOL_GROUP_OF("What is tuned"),
    {0, "low", TOOL_REALS, AT(low), "X,...",
     .help = "the least scales of A, its weights, B1, B2 and so on [0; -3 for negative ones]"},
    {0, "high", TOOL_REALS, AT(high), "X,...", .help = "the greatest scales [3; 0 for negative ones]"},
    {0, "fix", TOOL_REALS, AT(fixed), "I,...", .help = "keep these scales, 0 for A, 1 for the next and so on [that of B1]"},
    {0, "iterations", TOOL_NUMBER, AT(iterations), "N", .min = 1, .max = 1000,
     .help = "search all records at most N times [10]"},
    {0, "restarts", TOOL_NUMBER, AT(restarts), "N", .max = 100000, .help = "optimise from N random points too [5]"},
    {0, "directions", TOOL_NUMBER, AT(directions), "N", .max = 100000,
     .help = "try N random directions beside the axes [3]"},
    {0, "seed", TOOL_NUMBER, AT(seed), "N", .max = INT64_MAX, .help = "draw points and directions with this seed [1]"},
    TOOL_GROUP_OF("What is written"),
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "say the scales and the score of each iteration"},
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const tune_settings *o;
    pf_writer *out;
    PF_VEC(pf_expr *) record;
    pf_testset references;
    pf_metric metric;
    pf_pool *pool;
    size_t n, weights; /* features; those that are weights of A */
    double *scale, *low, *high;
    uint64_t read, searched; /* records */
} tuner;

/* ---- what is read ---- */

/* Record `i` of the input, or the reference in line `i`, from 0. */
static bool is_wanted(const tuner *t, uint64_t i) { return tool_in_ranges(&t->o->common.records, t->o->common.first_record + i); }

static pf_err keep_records(tuner *t, pf_source *source) {
    for (;;) {
        pf_expr **next;
        PF_TRY(PF_ROOM(&t->record, 1));
        PF_TRY(pf_source_next(source, next = &t->record.at[t->record.n]));
        if (!*next) return PF_OK;
        if (is_wanted(t, t->read++)) t->record.n++;
        else pf_expr_free(*next);
    }
}

static pf_err read_records(tuner *t) {
    char *const *operands;
    int n = tool_operands(t->call, &operands);
    toolfst_inputs(t->call, &n, &operands);
    for (int i = 0; i < n; i++) {
        pf_source *source;
        PF_TRY(toolfst_source_open(t->call, operands[i], &source));
        pf_err err = keep_records(t, source);
        pf_source_free(source);
        PF_TRY(err);
    }
    if (t->read) PF_TRY(tool_ranges_met(&t->o->common.records, t->o->common.first_record + t->read - 1));
    if (!t->record.n) return pf_fail(PF_EINPUT, "expected compositions, found no record");
    t->n = pf_features_count(t->record.at[0]);
    t->weights = pf_features_weights(t->record.at[0]);
    if (t->n < 2)
        return pf_fail(PF_EINPUT, "record 1 is no composition, nor has it several weights: there are no scales to tune (see permcompose)");
    return PF_OK;
}

/* The lines that belong to the records. */
static void keep_lines(const tuner *t, pf_docset *set) {
    size_t kept = 0, end = 0;
    for (size_t i = 0, begin = 0; i < set->end.n; begin = set->end.at[i++]) {
        if (!is_wanted(t, i)) continue;
        size_t n = set->end.at[i] - begin;
        if (n) memmove(set->text.at + end, set->text.at + begin, n);
        set->end.at[kept++] = end += n;
    }
    set->end.n = kept;
    set->text.n = end;
}

static pf_err read_references(tuner *t) {
    const tool_specs *files = &t->o->references;
    for (size_t i = 0; i < files->n; i++) {
        pf_reader *reader;
        pf_docs docs = {0};
        PF_TRY(toolfst_open(t->call, files->at[i], &reader));
        pf_err err = pf_docs_read(reader, PF_DOCS_TEXT, &docs);
        for (size_t k = 0; !err && k < docs.set.n; k++) keep_lines(t, &docs.set.at[k]);
        for (size_t k = 0; !err && k < docs.set.n; k++)
            err = pf_testset_reference(&t->references, &docs.set.at[k], toolfst_name(files->at[i]));
        pf_docs_free(&docs);
        pf_reader_free(reader);
        PF_TRY(err);
    }
    return PF_OK;
}

/* ---- limits ---- */

static const char *name_of(const tuner *t, size_t i, char *name) { return pf_feature_name(i, t->weights, name); }

static pf_err check_limits(const tuner *t, const tool_reals *limits, const char *name) {
    char last[PF_FEATURE_NAME];
    if (!limits->n || limits->n == t->n) return PF_OK;
    return pf_fail(PF_EARG, "--%s has %zu number%s: there are %zu scales, A to %s", name, limits->n, limits->n == 1 ? "" : "s", t->n,
                   name_of(t, t->n - 1, last));
}

static pf_err check_scale(const tuner *t, size_t i) {
    char name[PF_FEATURE_NAME];
    if (!pf_scale_fits(t->low[i]) || !pf_scale_fits(t->high[i]))
        return pf_scale_too_large(pf_scale_fits(t->low[i]) ? t->high[i] : t->low[i]);
    if (t->low[i] <= t->scale[i] && t->scale[i] <= t->high[i]) return PF_OK;
    return pf_fail(PF_EARG, "%s begins with a scale of %g, which is not within its limits, %g to %g", name_of(t, i, name),
                   t->scale[i], t->low[i], t->high[i]);
}

static void fix(tuner *t, size_t i) { t->low[i] = t->high[i] = t->scale[i]; }

/* The scales of a sum matter only in proportion, so one of them stays as it is. So does that of A where its weights have scales. */
static pf_err fix_scales(tuner *t) {
    const tool_reals *fixed = &t->o->fixed;
    for (size_t i = 0; i < fixed->n; i++) {
        double number = fixed->at[i];
        if (!(number >= 0 && number < (double)t->n) || number != (double)(size_t)number)
            return pf_fail(PF_EARG, "--fix: expected numbers of scales, 0 to %zu, found %g", t->n - 1, number);
        fix(t, (size_t)number);
    }
    if (t->weights) fix(t, 0);
    if (!fixed->n) fix(t, t->n > t->weights + 1 ? t->weights + 1 : 1);
    return PF_OK;
}

static pf_err set_scales(tuner *t) {
    PF_TRY(check_limits(t, &t->o->low, "low"));
    PF_TRY(check_limits(t, &t->o->high, "high"));
    if (!(t->scale = calloc(3 * t->n, sizeof *t->scale))) return pf_nomem();
    t->low = t->scale + t->n;
    t->high = t->low + t->n;
    pf_features_scales(t->record.at[0], t->scale);
    for (size_t i = 0; i < t->n; i++) {
        double scale = t->scale[i];
        t->low[i] = t->o->low.n ? t->o->low.at[i] : scale < 0 ? (scale < -3 ? 2 * scale : -3) : 0;
        t->high[i] = t->o->high.n ? t->o->high.at[i] : scale < 0 ? 0 : scale > 3 ? 2 * scale : 3;
    }
    PF_TRY(fix_scales(t));
    for (size_t i = 0; i < t->n; i++) PF_TRY(check_scale(t, i));
    return PF_OK;
}

/* ---- what is said ---- */

static void list_scales(const tuner *t, const double *scale, char *words, size_t room) {
    char name[PF_FEATURE_NAME];
    size_t used = 0;
    words[0] = 0;
    for (size_t i = 0; i < t->n && used < room; i++)
        used += (size_t)snprintf(words + used, room - used, "%s%s %.6g", i ? ", " : "", name_of(t, i, name), scale[i]);
}

static void told(void *self, const pf_tuner_step *step) {
    const tuner *t = self;
    char words[800];
    if (step->without && step->iteration == 1)
        tool_say(t->call, "warning: %zu record%s no path", step->without, step->without == 1 ? " has" : "s have");
    if (!t->o->verbose) return;
    list_scales(t, step->scale, words, sizeof words);
    tool_say(t->call, "iteration %llu: BLEU %.4f with %s; %zu hypotheses, %zu of them new", (unsigned long long)step->iteration,
             step->score, words, step->hypotheses, step->fresh);
}

static void record_done(void *self, size_t record) {
    tuner *t = self;
    (void)record;
    t->searched++;
    tool_done(t->call, 1, t->searched, 0);
}

static void warn_of_result(const tuner *t, const pf_tuned *tuned) {
    if (!tuned->converged)
        tool_say(t->call, "warning: the scales still changed after %llu iterations (--iterations)",
                 (unsigned long long)tuned->iterations);
}

/* An optimum at a limit may go on behind it. */
static pf_err warn_of_limits(const tuner *t, const pf_optimise_options *how) {
    char name[PF_FEATURE_NAME];
    for (size_t i = 0; i < t->n; i++) {
        int limit;
        PF_TRY(pf_optimise_limit(t->pool, how, t->scale, i, &limit));
        if (!limit) continue;
        bool low = limit < 0;
        tool_say(t->call, "warning: the best scale of %s, %g, is at its %s limit, %g (--%s)", name_of(t, i, name), t->scale[i],
                 low ? "lower" : "upper", low ? t->low[i] : t->high[i], low ? "low" : "high");
    }
    return PF_OK;
}

static pf_err write_list(const tuner *t, size_t from, size_t to, double by) {
    for (size_t i = from; i < to; i++) PF_TRY(pf_writer_text(t->out, "%s%.6g", i > from ? "," : "", t->scale[i] / by));
    return pf_writer_text(t->out, "\n");
}

/* The options of permcompose, and, on a line of their own, those of lazyperm. */
static pf_err write_scales(const tuner *t) {
    size_t outer = t->weights + 1;
    if (t->n > outer) {
        PF_TRY(pf_writer_text(t->out, "--scale-first=%.6g --scale=", t->scale[0]));
        PF_TRY(write_list(t, outer, t->n, 1));
    }
    if (!t->weights) return PF_OK;
    PF_TRY(pf_writer_text(t->out, "--weight-scales="));
    return write_list(t, 1, outer, t->scale[0]);
}

/* ---- all of it ---- */

static pf_best_options search_options(const tune_settings *o) {
    pf_best_options best = {.n = (size_t)o->n_best, .beam = (size_t)o->beam, .unique = (pf_unique)o->unique,
                            .threshold = o->threshold, .widen = o->gap >= 0, .gap = o->gap};
    if (o->threshold == 0) best.threshold = DBL_TRUE_MIN; /* for the library 0 is none */
    return best;
}

static pf_err tune(tuner *t) {
    const tune_settings *o = t->o;
    const pf_workers_hooks hooks = tool_hooks(t->call);
    pf_tuner_options how = {
        .search = search_options(o),
        .optimise = {t->low, t->high, (size_t)o->restarts, (size_t)o->directions, o->seed},
        .iterations = o->iterations, .threads = (size_t)o->common.jobs, .hooks = &hooks,
        .told = told, .done = record_done, .self = t,
    };
    pf_tuned tuned;
    PF_TRY(pf_pool_new(t->n, &t->references, &t->metric, &t->pool));
    PF_TRY(pf_moves_store_new(KEPT_BYTES, &how.search.moves));
    pf_err err = pf_tune(t->pool, t->record.at, t->record.n, &how, t->scale, &tuned);
    pf_moves_store_free(how.search.moves);
    PF_TRY(err);
    if (o->verbose) tool_say(t->call, "BLEU %.4f before, %.4f after %llu iterations", tuned.score_before, tuned.score,
                             (unsigned long long)tuned.iterations);
    warn_of_result(t, &tuned);
    return warn_of_limits(t, &how.optimise);
}

static pf_err run_all(tuner *t) {
    const pf_metric_options bleu = {.bleu = pf_bleu_usual()};
    const pf_metric_class *cls;
    PF_TRY(pf_metric_find(PF_METRIC_WORDS, "bleu", 4, &cls));
    PF_TRY(pf_metric_init(&t->metric, cls, &bleu));
    PF_TRY(read_references(t));
    PF_TRY(read_records(t));
    PF_TRY(set_scales(t));
    PF_TRY(toolfst_open_output(t->call, &t->out));
    PF_TRY(tune(t));
    PF_TRY(write_scales(t));
    return toolfst_close_output(t->call, t->out);
}

static int run(tool_call *call) {
    tuner t = {.call = call, .o = tool_options(call)};
    pf_testset_init(&t.references, pf_tokeniser_at((size_t)t.o->tokeniser));
    pf_err err = run_all(&t);
    for (size_t i = 0; i < t.record.n; i++) pf_expr_free(t.record.at[i]);
    PF_VEC_FREE(&t.record);
    pf_pool_free(t.pool);
    pf_metric_free(&t.metric);
    pf_testset_free(&t.references);
    free(t.scale);
    pf_writer_free(t.out);
    return tool_status(call, err, false);
}

const tool permtune = {
    .name = "permtune",
    .summary = "Tune the scales of compositions for the best BLEU",
    .forms = {"--reference=FILE [COMPOSED...]"},
    .options = rows,
    .size = sizeof(tune_settings),
    .defaults = &(const tune_settings){.n_best = 100, .iterations = 10, .restarts = 5, .directions = 3, .seed = 1,
                                       .threshold = TOOL_NOT_GIVEN, .gap = TOOL_NOT_GIVEN, .unique = PF_UNIQUE_OUTPUTS},
    .run = run,
    .examples = {"permcompose -s 1,0.5 permuted.fst tuples.bin en.bin | permtune -r dev.en",
                 "permcompose $(permtune -j 2 -b 50 -r dev.en dev.fst) test.fst tuples.bin en.bin"},
};

TOOL_MAIN(permtune);
