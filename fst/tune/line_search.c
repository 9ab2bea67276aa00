/* The envelope of a sentence is a stack of lines sorted by slope: going right along the lower envelope, slopes fall. All
 * corners are sorted, and the sums of the statistics follow them from left to right. Statistics are whole numbers, so the sums
 * are exact. */
#include <permfst/tune/line_search.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    double at, slope; /* the sum at x = 0, and how it grows */
    size_t hypothesis;
} cost_line;

/* At x a sentence goes over from one hypothesis to another. */
typedef struct {
    double x;
    const double *from, *to; /* statistics */
    size_t number;           /* in the order in which corners are met, for equal x */
} corner;

typedef struct {
    const pf_pool *pool;
    const pf_line_of_scales *line;
    unsigned width;
    PF_VEC(cost_line) lines;  /* of a sentence */
    PF_VEC(cost_line) lowest; /* its envelope, from left to right */
    PF_VEC(corner) corners;
    double sum[PF_METRIC_STATISTICS];
} searcher;

/* Steeper first; of parallel ones the lower, then the one that was added first. */
static int by_slope(const void *first, const void *second) {
    const cost_line *a = first, *b = second;
    if (a->slope != b->slope) return a->slope > b->slope ? -1 : 1;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return a->hypothesis < b->hypothesis ? -1 : a->hypothesis > b->hypothesis;
}

static int by_place(const void *first, const void *second) {
    const corner *a = first, *b = second;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Where a line meets one that is less steep, and becomes the higher of the two. */
static double crossing(const cost_line *steep, const cost_line *flat) {
    return (flat->at - steep->at) / (steep->slope - flat->slope);
}

static pf_err make_lines(searcher *s, pf_pool_list list) {
    size_t features = pf_pool_features(s->pool);
    s->lines.n = 0;
    PF_TRY(PF_ROOM(&s->lines, list.n));
    for (size_t i = 0; i < list.n; i++) {
        cost_line line = {.hypothesis = i};
        for (size_t k = 0; k < features; k++) {
            line.at += s->line->scale[k] * list.feature[i * features + k];
            line.slope += s->line->direction[k] * list.feature[i * features + k];
        }
        s->lines.at[s->lines.n++] = line;
    }
    qsort(s->lines.at, s->lines.n, sizeof *s->lines.at, by_slope);
    return PF_OK;
}

/* A line takes the place of those that it crosses before they become the lowest. */
static pf_err make_envelope(searcher *s) {
    s->lowest.n = 0;
    PF_TRY(PF_ROOM(&s->lowest, s->lines.n));
    for (size_t i = 0; i < s->lines.n; i++) {
        const cost_line *next = &s->lines.at[i];
        size_t n = s->lowest.n;
        if (n && s->lowest.at[n - 1].slope == next->slope) continue; /* parallel, and not below it */
        while (n > 1 && crossing(&s->lowest.at[n - 1], next) <= crossing(&s->lowest.at[n - 2], &s->lowest.at[n - 1])) n--;
        s->lowest.at[n] = *next;
        s->lowest.n = n + 1;
    }
    return PF_OK;
}

/* The lowest line at the left end counts in the sums; where others follow, up to the right end, there are corners. */
static pf_err add_corners(searcher *s, pf_pool_list list) {
    size_t first = 0;
    while (first + 1 < s->lowest.n && crossing(&s->lowest.at[first], &s->lowest.at[first + 1]) <= s->line->low) first++;
    const double *now = list.statistic + s->lowest.at[first].hypothesis * s->width;
    for (unsigned k = 0; k < s->width; k++) s->sum[k] += now[k];
    for (size_t i = first + 1; i < s->lowest.n; i++) {
        double x = crossing(&s->lowest.at[i - 1], &s->lowest.at[i]);
        const double *next = list.statistic + s->lowest.at[i].hypothesis * s->width;
        if (x >= s->line->high) break;
        PF_TRY(PF_PUSH(&s->corners, ((corner){x, now, next, s->corners.n})));
        now = next;
    }
    return PF_OK;
}

static pf_err find_corners(searcher *s) {
    for (size_t i = 0; i < pf_pool_sentences(s->pool); i++) {
        pf_pool_list list = pf_pool_at(s->pool, i);
        if (!list.n) continue;
        PF_TRY(make_lines(s, list));
        PF_TRY(make_envelope(s));
        PF_TRY(add_corners(s, list));
    }
    if (s->corners.n) qsort(s->corners.at, s->corners.n, sizeof *s->corners.at, by_place);
    return PF_OK;
}

/* ---- intervals ---- */

/* Is 0 in an interval, and no corner of it? The ends of the line are no corners. */
static bool holds_0(const searcher *s, double low, double high) {
    return (low < 0 || low == s->line->low) && (0 < high || high == s->line->high);
}

static bool better(const searcher *s, const pf_line_best *one, const pf_line_best *best) {
    if (one->score != best->score) return one->score > best->score;
    bool here = holds_0(s, one->low, one->high), there = holds_0(s, best->low, best->high);
    if (here != there) return here;
    return !there && one->high - one->low > best->high - best->low;
}

/* Nearer than this, two places are the same but for rounding. */
static double near(double x) { return 1e-9 * (1 + fabs(x)); }

/* Over all corners at one place; returns the last of them. */
static double pass(searcher *s, size_t *next) {
    double x = s->corners.at[*next].x;
    for (; *next < s->corners.n && s->corners.at[*next].x <= x + near(x); ++*next) {
        x = s->corners.at[*next].x;
        for (unsigned k = 0; k < s->width; k++) s->sum[k] += s->corners.at[*next].to[k] - s->corners.at[*next].from[k];
    }
    return x;
}

static void see_interval(searcher *s, double low, double high, pf_line_best *out, bool *begun) {
    const pf_metric *metric = pf_pool_metric(s->pool);
    pf_line_best one = {.low = low, .high = high, .score = pf_metric_score(metric, s->sum)};
    if (!*begun || better(s, &one, out)) *out = one;
    *begun = true;
}

/* A line is one interval at least, however short. */
static void find_best(searcher *s, pf_line_best *out) {
    double low = s->line->low;
    bool begun = false;
    for (size_t next = 0; next < s->corners.n;) {
        double high = s->corners.at[next].x;
        if (high - low > near(low)) see_interval(s, low, high, out, &begun);
        low = pass(s, &next);
    }
    if (!begun || s->line->high - low > near(low)) see_interval(s, low, s->line->high, out, &begun);
}

pf_err pf_line_search(const pf_pool *pool, const pf_line_of_scales *line, pf_line_best *out) {
    searcher s = {.pool = pool, .line = line, .width = pf_pool_metric(pool)->cls->width(&pf_pool_metric(pool)->options)};
    assert(line->low <= 0 && line->high >= 0 && isfinite(line->low) && isfinite(line->high));
    pf_err err = find_corners(&s);
    *out = (pf_line_best){0};
    if (!err) {
        find_best(&s, out);
        out->at = holds_0(&s, out->low, out->high) ? 0 : out->low + (out->high - out->low) / 2;
    }
    PF_VEC_FREE(&s.lines);
    PF_VEC_FREE(&s.lowest);
    PF_VEC_FREE(&s.corners);
    return err;
}
