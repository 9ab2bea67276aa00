/* What is read is kept: a search goes over all records, again and again. The scales are those of the first record, and the tuner
 * sees to it that the others have the same features. */
#include <permfst/tune/tuning.h>

#include <permfst/base/digits.h>
#include <permfst/io/docs.h>
#include <permfst/machine/scale.h>
#include <permfst/metric/bleu.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pf_tuning {
    pf_tuning_choice choice;
    PF_VEC(pf_expr *) record;
    pf_testset references;
    pf_metric metric;
    pf_pool *pool;
    pf_optimise_options optimise; /* of the run, with the limits */
    size_t features, weights;            /* features; those that are weights of A */
    double *scale, *low, *high;   /* a single allocation */
    const char *low_name, *high_name; /* what warnings call these limits */
    uint64_t read;
};

static pf_err make_metric(pf_metric *metric) {
    const pf_metric_options bleu = {.bleu = pf_bleu_usual()};
    const pf_metric_class *cls;
    PF_TRY(pf_metric_find(PF_METRIC_WORDS, "bleu", 4, &cls));
    return pf_metric_init(metric, cls, &bleu);
}

pf_err pf_tuning_new(const pf_tokeniser *tokeniser, const pf_tuning_choice *choice, pf_tuning **out) {
    pf_tuning *tuning = calloc(1, sizeof *tuning);
    *out = NULL;
    if (!tuning) return pf_nomem();
    tuning->choice = *choice;
    pf_testset_init(&tuning->references, tokeniser);
    pf_err err = make_metric(&tuning->metric);
    if (err) pf_tuning_free(tuning);
    else *out = tuning;
    return err;
}

void pf_tuning_free(pf_tuning *tuning) {
    if (!tuning) return;
    for (size_t i = 0; i < tuning->record.n; i++) pf_expr_free(tuning->record.at[i]);
    PF_VEC_FREE(&tuning->record);
    pf_pool_free(tuning->pool);
    pf_metric_free(&tuning->metric);
    pf_testset_free(&tuning->references);
    free(tuning->scale);
    free(tuning);
}

/* ---- what is read ---- */

static bool keeps(const pf_tuning *tuning, uint64_t number) { return tuning->choice.keeps(tuning->choice.self, number); }

/* The lines that belong to the records. */
static void keep_lines(const pf_tuning *tuning, pf_docset *set) {
    size_t kept = 0, end = 0;
    for (size_t i = 0, begin = 0; i < set->end.n; begin = set->end.at[i++]) {
        if (!keeps(tuning, i)) continue;
        size_t length = set->end.at[i] - begin;
        if (length) memmove(set->text.at + end, set->text.at + begin, length);
        set->end.at[kept++] = end += length;
    }
    set->end.n = kept;
    set->text.n = end;
}

pf_err pf_tuning_reference(pf_tuning *tuning, pf_reader *reader) {
    pf_docs docs = {0};
    pf_err err = pf_docs_read(reader, PF_DOCS_TEXT, &docs);
    for (size_t i = 0; !err && i < docs.set.n; i++) {
        keep_lines(tuning, &docs.set.at[i]);
        err = pf_testset_reference(&tuning->references, &docs.set.at[i], pf_reader_name(reader));
    }
    pf_docs_free(&docs);
    return err;
}

pf_err pf_tuning_records(pf_tuning *tuning, pf_source *source) {
    for (;;) {
        pf_expr **next;
        PF_TRY(PF_ROOM(&tuning->record, 1));
        PF_TRY(pf_source_next(source, next = &tuning->record.at[tuning->record.n]));
        if (!*next) return PF_OK;
        if (keeps(tuning, tuning->read++)) tuning->record.n++;
        else pf_expr_free(*next);
    }
}

uint64_t pf_tuning_read(const pf_tuning *tuning) { return tuning->read; }

/* ---- limits ---- */

static pf_err count_scales(pf_tuning *tuning) {
    if (!tuning->record.n) return pf_fail(PF_EINPUT, "expected compositions, found no record");
    tuning->features = pf_features_count(tuning->record.at[0]);
    tuning->weights = pf_features_weights(tuning->record.at[0]);
    if (tuning->features > 1) return PF_OK;
    return pf_fail(PF_EINPUT, "record 1 is neither a composition nor an automaton with several weights, "
                   "so it has no scales to tune (see permcompose)");
}

static const char *name_of(const pf_tuning *tuning, size_t feature, char *name) {
    return pf_feature_name(feature, tuning->weights, name);
}

static pf_err check_numbers(const pf_tuning *tuning, const pf_scale_numbers *limits) {
    char last[PF_FEATURE_NAME];
    if (!limits->n || limits->n == tuning->features) return PF_OK;
    return pf_fail(PF_EARG, "%s: expected %zu numbers, one for each scale from A to %s, found %zu", limits->name, tuning->features,
                   name_of(tuning, tuning->features - 1, last), limits->n);
}

static pf_err check_scale(const pf_tuning *tuning, size_t feature) {
    char name[PF_FEATURE_NAME];
    double scale = tuning->scale[feature], low = tuning->low[feature], high = tuning->high[feature];
    if (!pf_scale_fits(low) || !pf_scale_fits(high)) return pf_scale_too_large(pf_scale_fits(low) ? high : low);
    if (low <= scale && scale <= high) return PF_OK;
    return pf_fail(PF_EARG, "the scale of %s begins at %g, but its limits are %g and %g",
                   name_of(tuning, feature, name), scale, low, high);
}

static void fix(pf_tuning *tuning, size_t feature) { tuning->low[feature] = tuning->high[feature] = tuning->scale[feature]; }

static pf_err fix_scales(pf_tuning *tuning, const pf_scale_numbers *fixed) {
    for (size_t i = 0; i < fixed->n; i++) {
        double number = fixed->at[i];
        if (!(number >= 0 && number < (double)tuning->features) || number != (double)(size_t)number)
            return pf_fail(PF_EARG, "%s: expected the numbers of scales, from 0 to %zu, found %g", fixed->name,
                           tuning->features - 1, number);
        fix(tuning, (size_t)number);
    }
    if (tuning->weights) fix(tuning, 0);
    if (!fixed->n) fix(tuning, tuning->features > tuning->weights + 1 ? tuning->weights + 1 : 1);
    return PF_OK;
}

static pf_err begin_scales(pf_tuning *tuning) {
    double *all = calloc(3 * tuning->features, sizeof *all);
    if (!all) return pf_nomem();
    free(tuning->scale);
    tuning->scale = all;
    tuning->low = all + tuning->features;
    tuning->high = tuning->low + tuning->features;
    pf_features_scales(tuning->record.at[0], tuning->scale);
    return PF_OK;
}

pf_err pf_tuning_limits(pf_tuning *tuning, const pf_scale_limits *limits) {
    PF_TRY(count_scales(tuning));
    PF_TRY(check_numbers(tuning, &limits->low));
    PF_TRY(check_numbers(tuning, &limits->high));
    PF_TRY(begin_scales(tuning));
    tuning->low_name = limits->low.name;
    tuning->high_name = limits->high.name;
    for (size_t i = 0; i < tuning->features; i++) {
        double scale = tuning->scale[i];
        tuning->low[i] = limits->low.n ? limits->low.at[i] : scale < 0 ? (scale < -3 ? 2 * scale : -3) : 0;
        tuning->high[i] = limits->high.n ? limits->high.at[i] : scale < 0 ? 0 : scale > 3 ? 2 * scale : 3;
    }
    PF_TRY(fix_scales(tuning, &limits->fixed));
    for (size_t i = 0; i < tuning->features; i++) PF_TRY(check_scale(tuning, i));
    return PF_OK;
}

/* ---- what is tuned ---- */

pf_err pf_tuning_run(pf_tuning *tuning, const pf_tuner_options *options, pf_tuned *out) {
    pf_tuner_options how = *options;
    assert(tuning->scale && !tuning->pool); /* after pf_tuning_limits, once */
    how.optimise.low = tuning->low;
    how.optimise.high = tuning->high;
    tuning->optimise = how.optimise;
    PF_TRY(pf_pool_new(tuning->features, &tuning->references, &tuning->metric, &tuning->pool));
    return pf_tune(tuning->pool, tuning->record.at, tuning->record.n, &how, tuning->scale, out);
}

static void warn_of_limit(const pf_tuning *tuning, size_t feature, bool low, pf_warn warn, void *warn_to) {
    char name[PF_FEATURE_NAME], words[PF_FEATURE_NAME + 200];
    name_of(tuning, feature, name);
    snprintf(words, sizeof words, "the score is the same from the scale of %s, %g, to its %s limit, %g (%.40s)", name,
             tuning->scale[feature],
             low ? "lower" : "upper", (low ? tuning->low : tuning->high)[feature], low ? tuning->low_name : tuning->high_name);
    warn(warn_to, words);
}

pf_err pf_tuning_warn(const pf_tuning *tuning, const pf_tuned *tuned, const char *iterations, pf_warn warn, void *warn_to) {
    char words[200];
    assert(tuning->pool);
    snprintf(words, sizeof words, "the scales still changed after %llu iteration%s (%.40s)", (unsigned long long)tuned->iterations,
             pf_plural(tuned->iterations), iterations);
    if (!tuned->converged) warn(warn_to, words);
    for (size_t i = 0; i < tuning->features; i++) {
        int limit; /* where the interval with the same score ends: -1 at the lower limit, 1 at the upper one, 0 at neither */
        PF_TRY(pf_optimise_limit(tuning->pool, &tuning->optimise, tuning->scale, i, &limit));
        if (limit) warn_of_limit(tuning, i, limit < 0, warn, warn_to);
    }
    return PF_OK;
}

/* ---- scales as text ---- */

const char *pf_tuning_words(const pf_tuning *tuning, const double *scale, char words[PF_TUNING_WORDS]) {
    char name[PF_FEATURE_NAME];
    size_t used = 0;
    words[0] = 0;
    for (size_t i = 0; i < tuning->features && used < PF_TUNING_WORDS; i++)
        used += (size_t)snprintf(words + used, PF_TUNING_WORDS - used, "%s%s %.6g", i ? ", " : "", name_of(tuning, i, name),
                                 scale[i]);
    return words;
}

static pf_err write_list(const pf_tuning *tuning, size_t from, size_t to, double by, pf_writer *writer) {
    for (size_t i = from; i < to; i++) PF_TRY(pf_writer_text(writer, "%s%.6g", i > from ? "," : "", tuning->scale[i] / by));
    return pf_writer_text(writer, "\n");
}

pf_err pf_tuning_write(const pf_tuning *tuning, pf_writer *writer) {
    size_t outer = tuning->weights + 1;
    if (tuning->features > outer) {
        PF_TRY(pf_writer_text(writer, "--scale-first=%.6g --scale=", tuning->scale[0]));
        PF_TRY(write_list(tuning, outer, tuning->features, 1, writer));
    }
    if (!tuning->weights) return PF_OK;
    PF_TRY(pf_writer_text(writer, "--weight-scales="));
    return write_list(tuning, 1, outer, tuning->scale[0], writer);
}
