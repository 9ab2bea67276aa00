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
    size_t n;
    uint64_t drawn; /* random numbers so far */
    double *direction, *next, *better;
} optimiser;

/* From 0 to below 1. */
static double draw(optimiser *o) { return (double)(pf_hash_word(o->drawn++, o->options->seed) >> 11) * 0x1p-53; }

static bool is_free(const optimiser *o, size_t i) { return o->options->low[i] < o->options->high[i]; }

/* ---- directions ---- */

static void set_axis(optimiser *o, size_t axis) {
    for (size_t i = 0; i < o->n; i++) o->direction[i] = i == axis;
}

/* Each scale moves in proportion to the room that it has. */
static void draw_direction(optimiser *o) {
    for (size_t i = 0; i < o->n; i++) {
        double room = o->options->high[i] - o->options->low[i];
        o->direction[i] = is_free(o, i) ? (2 * draw(o) - 1) * room : 0;
    }
}

/* How far the limits let go. */
static pf_line_of_scales line_from(const optimiser *o, const double *scale) {
    pf_line_of_scales line = {scale, o->direction, -INFINITY, INFINITY};
    for (size_t i = 0; i < o->n; i++) {
        double d = o->direction[i], low = o->options->low[i] - scale[i], high = o->options->high[i] - scale[i];
        if (d == 0) continue;
        line.low = fmax(line.low, fmin(0, d > 0 ? low / d : high / d));
        line.high = fmin(line.high, fmax(0, d > 0 ? high / d : low / d));
    }
    return line;
}

static void go(const optimiser *o, const double *scale, double x, double *to) {
    for (size_t i = 0; i < o->n; i++) to[i] = fmin(fmax(scale[i] + x * o->direction[i], o->options->low[i]), o->options->high[i]);
}

/* ---- from one point ---- */

/* Searches the direction that is set; a point that is better than all so far is kept in o->better. */
static pf_err try_direction(optimiser *o, const double *scale, double *score) {
    pf_line_of_scales line = line_from(o, scale);
    pf_line_best best;
    if (!(line.low > -INFINITY) || line.low == line.high) return PF_OK; /* nothing is free in it */
    PF_TRY(pf_line_search(o->pool, &line, &best));
    if (best.score <= *score + LEAST_GAIN || best.at == 0) return PF_OK;
    go(o, scale, best.at, o->next);
    double found = pf_pool_score(o->pool, o->next); /* an interval may be narrower than the numbers are dense */
    if (found <= *score + LEAST_GAIN) return PF_OK;
    *score = found;
    memcpy(o->better, o->next, o->n * sizeof *o->next);
    return PF_OK;
}

static pf_err climb(optimiser *o, double *scale, double *score) {
    *score = pf_pool_score(o->pool, scale);
    for (;;) {
        double best = *score;
        for (size_t i = 0; i < o->n; i++) {
            set_axis(o, i);
            if (is_free(o, i)) PF_TRY(try_direction(o, scale, &best));
        }
        for (size_t i = 0; i < o->options->directions; i++) {
            draw_direction(o);
            PF_TRY(try_direction(o, scale, &best));
        }
        if (best == *score) return PF_OK;
        *score = best;
        memcpy(scale, o->better, o->n * sizeof *scale);
    }
}

/* ---- from all ---- */

static pf_err restart(optimiser *o, double *point, double *scale, double *score) {
    double found;
    for (size_t i = 0; i < o->n; i++) {
        double share = draw(o);
        point[i] = o->options->low[i] + share * (o->options->high[i] - o->options->low[i]);
    }
    PF_TRY(climb(o, point, &found));
    if (found <= *score + LEAST_GAIN) return PF_OK;
    *score = found;
    memcpy(scale, point, o->n * sizeof *scale);
    return PF_OK;
}

static pf_err begin(const pf_pool *pool, const pf_optimise_options *options, optimiser *o) {
    *o = (optimiser){.pool = pool, .options = options, .n = pf_pool_features(pool)};
    o->direction = calloc(3 * o->n, sizeof *o->direction);
    if (!o->direction) return pf_nomem();
    o->next = o->direction + o->n;
    o->better = o->next + o->n;
    return PF_OK;
}

pf_err pf_optimise(const pf_pool *pool, const pf_optimise_options *options, double *scale, double *score) {
    optimiser o;
    PF_TRY(begin(pool, options, &o));
    double *point = calloc(o.n, sizeof *point);
    pf_err err = point ? climb(&o, scale, score) : pf_nomem();
    for (size_t i = 0; !err && i < options->restarts; i++) err = restart(&o, point, scale, score);
    free(point);
    free(o.direction);
    return err;
}

pf_err pf_optimise_limit(const pf_pool *pool, const pf_optimise_options *options, const double *scale, size_t feature, int *limit) {
    optimiser o;
    pf_line_best best;
    *limit = 0;
    PF_TRY(begin(pool, options, &o));
    pf_err err = PF_OK;
    if (is_free(&o, feature)) {
        set_axis(&o, feature);
        pf_line_of_scales line = line_from(&o, scale);
        err = pf_line_search(pool, &line, &best);
        bool low = !err && best.low <= line.low, high = !err && best.high >= line.high;
        if (low != high) *limit = low ? -1 : 1; /* a scale that changes nothing touches both */
    }
    free(o.direction);
    return err;
}
