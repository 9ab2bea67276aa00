/* From each point the best of all line searches is taken until none gains anything. */
#include <permfst/tune/optimise.h>

#include <permfst/base/hash.h>
#include <permfst/tune/line_search.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_GAIN 1e-9

typedef struct {
    const pf_pool *pool;
    const pf_optimise_options *options;
    size_t scales;
    uint64_t drawn; /* random numbers so far */
    double *direction, *next, *better;
} optimiser;

/* From 0 to below 1. */
static double draw(optimiser *run) { return (double)(pf_hash_word(run->drawn++, run->options->seed) >> 11) * 0x1p-53; }

static bool is_free(const optimiser *run, size_t scale) { return run->options->low[scale] < run->options->high[scale]; }

/* ---- directions ---- */

static void set_axis(optimiser *run, size_t axis) {
    for (size_t i = 0; i < run->scales; i++) run->direction[i] = i == axis;
}

/* Each scale moves in proportion to the room that it has. */
static void draw_direction(optimiser *run) {
    for (size_t i = 0; i < run->scales; i++) {
        double room = run->options->high[i] - run->options->low[i];
        run->direction[i] = is_free(run, i) ? (2 * draw(run) - 1) * room : 0;
    }
}

/* How far the limits let go. */
static pf_line_of_scales line_from(const optimiser *run, const double *scale) {
    pf_line_of_scales line = {scale, run->direction, -INFINITY, INFINITY};
    for (size_t i = 0; i < run->scales; i++) {
        double move = run->direction[i], low = run->options->low[i] - scale[i], high = run->options->high[i] - scale[i];
        if (move == 0) continue;
        line.low = fmax(line.low, fmin(0, move > 0 ? low / move : high / move));
        line.high = fmin(line.high, fmax(0, move > 0 ? high / move : low / move));
    }
    return line;
}

static void go(const optimiser *run, const double *scale, double distance, double *to) {
    for (size_t i = 0; i < run->scales; i++) to[i] = fmin(fmax(scale[i] + distance * run->direction[i], run->options->low[i]),
                                                          run->options->high[i]);
}

/* ---- from one point ---- */

/* Searches the direction that is set; a point that is better than all so far is kept in o->better. */
static pf_err try_direction(optimiser *run, const double *scale, double *score) {
    pf_line_of_scales line = line_from(run, scale);
    pf_line_best best;
    if (!(line.low > -INFINITY) || line.low == line.high) return PF_OK; /* nothing is free in it */
    PF_TRY(pf_line_search(run->pool, &line, &best));
    if (best.score <= *score + LEAST_GAIN || best.at == 0) return PF_OK;
    go(run, scale, best.at, run->next);
    double found = pf_pool_score(run->pool, run->next); /* an interval may be narrower than the numbers are dense */
    if (found <= *score + LEAST_GAIN) return PF_OK;
    *score = found;
    memcpy(run->better, run->next, run->scales * sizeof *run->next);
    return PF_OK;
}

static pf_err climb(optimiser *run, double *scale, double *score) {
    *score = pf_pool_score(run->pool, scale);
    for (;;) {
        double best = *score;
        for (size_t i = 0; i < run->scales; i++) {
            set_axis(run, i);
            if (is_free(run, i)) PF_TRY(try_direction(run, scale, &best));
        }
        for (size_t i = 0; i < run->options->directions; i++) {
            draw_direction(run);
            PF_TRY(try_direction(run, scale, &best));
        }
        if (best == *score) return PF_OK;
        *score = best;
        memcpy(scale, run->better, run->scales * sizeof *scale);
    }
}

/* ---- from all ---- */

static pf_err restart(optimiser *run, double *point, double *scale, double *score) {
    double found;
    for (size_t i = 0; i < run->scales; i++) {
        double share = draw(run);
        point[i] = run->options->low[i] + share * (run->options->high[i] - run->options->low[i]);
    }
    PF_TRY(climb(run, point, &found));
    if (found <= *score + LEAST_GAIN) return PF_OK;
    *score = found;
    memcpy(scale, point, run->scales * sizeof *scale);
    return PF_OK;
}

static pf_err begin(const pf_pool *pool, const pf_optimise_options *options, optimiser *run) {
    *run = (optimiser){.pool = pool, .options = options, .scales = pf_pool_features(pool)};
    run->direction = calloc(3 * run->scales, sizeof *run->direction);
    if (!run->direction) return pf_nomem();
    run->next = run->direction + run->scales;
    run->better = run->next + run->scales;
    return PF_OK;
}

pf_err pf_optimise(const pf_pool *pool, const pf_optimise_options *options, double *scale, double *score) {
    optimiser run;
    PF_TRY(begin(pool, options, &run));
    double *point = calloc(run.scales, sizeof *point);
    pf_err err = point ? climb(&run, scale, score) : pf_nomem();
    for (size_t i = 0; !err && i < options->restarts; i++) err = restart(&run, point, scale, score);
    free(point);
    free(run.direction);
    return err;
}

pf_err pf_optimise_limit(const pf_pool *pool, const pf_optimise_options *options, const double *scale, size_t feature, int *limit) {
    optimiser run;
    pf_line_best best;
    *limit = 0;
    PF_TRY(begin(pool, options, &run));
    pf_err err = PF_OK;
    if (is_free(&run, feature)) {
        set_axis(&run, feature);
        pf_line_of_scales line = line_from(&run, scale);
        err = pf_line_search(pool, &line, &best);
        bool low = !err && best.low <= line.low, high = !err && best.high >= line.high;
        if (low != high) *limit = low ? -1 : 1; /* a scale that changes nothing touches both */
    }
    free(run.direction);
    return err;
}
