/* Each record is a piece of the workers; its paths join the pool in order. */
#include <permfst/tune/tuner.h>

#include <permfst/io/paths.h>
#include <permfst/ops/open.h>
#include <permfst/verbs/search.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One search of all records. */
typedef struct {
    pf_pool *pool, *chosen; /* all hypotheses; the best paths of this search */
    pf_expr *const *record;
    const pf_tuner_options *options;
    const double *scale;
    pf_tuner_step step;
} tuner_pass;

/* What a record has given: the texts of its paths, one after the other, and their features. */
typedef struct {
    size_t record, paths;
    pf_writer *text;
    size_t *end; /* of each text */
    double *feature;
} searched_record;

static void drop(void *piece) {
    searched_record *found = piece;
    pf_writer_free(found->text);
    free(found->end);
    free(found->feature);
}

static pf_err take_paths(pf_expr *composed, const pf_answer *answer, searched_record *found) {
    found->paths = answer->paths.n;
    found->end = calloc(found->paths + 1, sizeof *found->end);
    found->feature = calloc(found->paths * pf_features_count(composed) + 1, sizeof *found->feature);
    if (!found->end || !found->feature) return pf_nomem();
    PF_TRY(pf_writer_memory(&found->text));
    for (size_t rank = 0; rank < found->paths; rank++) {
        PF_TRY(pf_answer_write_words(found->text, answer, rank, false));
        pf_writer_bytes(found->text, &found->end[rank]);
    }
    return pf_features_of(composed, answer, found->feature);
}

static pf_err search(pf_expr *composed, const pf_best_options *how, searched_record *found) {
    pf_opened *opened;
    pf_answer answer = {0};
    PF_TRY(pf_open(composed, &opened));
    pf_err err = pf_search_best(pf_opened_fst(opened), how, &answer);
    if (!err) err = take_paths(composed, &answer, found);
    pf_answer_free(&answer);
    pf_opened_free(opened);
    return err;
}

static pf_err work(void *self, void *piece) {
    const tuner_pass *pass = self;
    searched_record *found = piece;
    pf_expr *composed;
    PF_TRY(pf_features_rescale(pass->record[found->record], pass->scale, &composed));
    pf_err err = search(composed, &pass->options->search, found);
    pf_expr_free(composed);
    return err;
}

static pf_err finish(void *self, void *piece, pf_err err) {
    tuner_pass *pass = self;
    const searched_record *found = piece;
    size_t features = pf_pool_features(pass->pool), length;
    if (err) return err == PF_ENOMEM ? err : pf_fail_in(err, "record %zu: ", found->record + 1);
    const char *text = (const char *)pf_writer_bytes(found->text, &length);
    for (size_t rank = 0; rank < found->paths; rank++) {
        bool fresh;
        size_t begin = rank ? found->end[rank - 1] : 0;
        const double *feature = found->feature + rank * features;
        PF_TRY(pf_pool_add(pass->pool, found->record, text + begin, found->end[rank] - begin, feature, &fresh));
        if (!rank) PF_TRY(pf_pool_add(pass->chosen, found->record, text, found->end[0], feature, NULL));
        pass->step.fresh += fresh;
    }
    pass->step.without += !found->paths;
    if (pass->options->done)
        pass->options->done(pass->options->self, (pass->step.iteration - 1) * pf_pool_sentences(pass->pool) + found->record + 1);
    return PF_OK;
}

static pf_err search_all(tuner_pass *pass) {
    static const pf_workers_steps steps = {sizeof(searched_record), work, finish, drop, NULL};
    pf_workers *workers;
    pf_err err = PF_OK;
    PF_TRY(pf_workers_new(pass->options->threads, &steps, pass, pass->options->hooks, &workers));
    for (size_t i = 0; !err && i < pf_pool_sentences(pass->pool); i++)
        err = pf_workers_put(workers, &(searched_record){.record = i}, PF_OK);
    return pf_workers_end(workers, err);
}

/* ---- iterations ---- */

/* What a user can write down is what is searched with. */
static void round_scales(double *scale, size_t features) {
    for (size_t i = 0; i < features; i++) {
        char digits[40];
        snprintf(digits, sizeof digits, "%.6g", scale[i]);
        scale[i] = strtod(digits, NULL) + 0.0;
    }
}

/* Searches with the scales and says what was found. */
static pf_err iterate(tuner_pass *pass, pf_testset *references, pf_metric *metric) {
    PF_TRY(pf_pool_new(pf_pool_features(pass->pool), references, metric, &pass->chosen));
    pf_err err = search_all(pass);
    if (!err) {
        pass->step.score = pf_pool_score(pass->chosen, pass->scale);
        pass->step.hypotheses = pf_pool_hypotheses(pass->pool);
        pass->step.scale = pass->scale;
        if (pass->options->told) pass->options->told(pass->options->self, &pass->step);
    }
    pf_pool_free(pass->chosen);
    return err;
}

/* Scales at work, and the best so far. */
typedef struct {
    double *now, *best;
    size_t features;
} tuned_scales;

static pf_err tune(pf_pool *pool, pf_expr *const *record, const pf_tuner_options *options, tuned_scales *scales, pf_tuned *out) {
    for (uint64_t i = 1; i <= options->iterations; i++) {
        tuner_pass pass = {.pool = pool, .record = record, .options = options, .scale = scales->now, .step = {.iteration = i}};
        double predicted;
        PF_TRY(iterate(&pass, pf_pool_references(pool), pf_pool_counter(pool)));
        out->iterations = i;
        if (i == 1) out->score_before = pass.step.score;
        if (i == 1 || pass.step.score > out->score) {
            out->score = pass.step.score;
            memcpy(scales->best, scales->now, scales->features * sizeof *scales->now);
        }
        if ((out->converged = !pass.step.fresh)) return PF_OK;
        double *next = calloc(scales->features, sizeof *next);
        if (!next) return pf_nomem();
        memcpy(next, scales->best, scales->features * sizeof *next);
        pf_err err = pf_optimise(pool, &options->optimise, next, &predicted);
        round_scales(next, scales->features);
        out->converged = memcmp(next, scales->now, scales->features * sizeof *next) == 0;
        memcpy(scales->now, next, scales->features * sizeof *next);
        free(next);
        if (err || out->converged) return err;
    }
    return PF_OK;
}

static pf_err tune_with_moves(pf_pool *pool, pf_expr *const *record, const pf_tuner_options *options, tuned_scales *scales,
                              pf_tuned *out) {
    pf_tuner_options own = *options;
    if (own.search.moves || !own.moves_bytes) return tune(pool, record, options, scales, out);
    PF_TRY(pf_moves_store_new(own.moves_bytes, &own.search.moves));
    pf_err err = tune(pool, record, &own, scales, out);
    pf_moves_store_free(own.search.moves);
    return err;
}

static pf_err check(const pf_pool *pool, pf_expr *const *record, size_t records) {
    if (records != pf_pool_sentences(pool))
        return pf_fail(PF_EINPUT, "expected %zu record%s, one for each line of the references, found %zu", pf_pool_sentences(pool),
                       pf_pool_sentences(pool) == 1 ? "" : "s", records);
    for (size_t i = 0; i < records; i++)
        if (pf_features_count(record[i]) != pf_pool_features(pool)
            || pf_features_weights(record[i]) != pf_features_weights(record[0]))
            return pf_fail(PF_EINPUT, "record %zu: expected %zu scales (%zu of them of weights), as the first record has, found "
                                      "%zu (%zu)", i + 1,
                           pf_pool_features(pool), pf_features_weights(record[0]), pf_features_count(record[i]),
                           pf_features_weights(record[i]));
    return PF_OK;
}

pf_err pf_tune(pf_pool *pool, pf_expr *const *record, size_t records, const pf_tuner_options *options, double *scale,
               pf_tuned *out) {
    tuned_scales scales = {.features = pf_pool_features(pool)};
    *out = (pf_tuned){0};
    PF_TRY(check(pool, record, records));
    if (!(scales.now = calloc(2 * scales.features, sizeof *scales.now))) return pf_nomem();
    scales.best = scales.now + scales.features;
    memcpy(scales.now, scale, scales.features * sizeof *scale);
    round_scales(scales.now, scales.features);
    pf_err err = tune_with_moves(pool, record, options, &scales, out);
    if (!err) memcpy(scale, scales.best, scales.features * sizeof *scale);
    free(scales.now);
    return err;
}
