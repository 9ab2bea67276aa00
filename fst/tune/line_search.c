/* The envelope of a sentence is a stack of lines sorted by slope: going right along the lower envelope, slopes fall. All
 * corners are sorted, and the sums of the statistics follow them from left to right. Statistics are whole numbers, so the sums
 * are exact. */
#include <permfst/tune/line_search.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    double at, slope; /* the sum at 0, and how it grows */
    size_t hypothesis;
} cost_line;

/* At this place a sentence goes over from one hypothesis to another. */
typedef struct {
    double at;               /* on the line of scales */
    const double *from, *to; /* statistics */
    size_t number;           /* in the order in which corners are met, for equal places */
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
    const cost_line *one = first, *other = second;
    if (one->slope != other->slope) return one->slope > other->slope ? -1 : 1;
    if (one->at != other->at) return one->at < other->at ? -1 : 1;
    return one->hypothesis < other->hypothesis ? -1 : one->hypothesis > other->hypothesis;
}

static int by_place(const void *first, const void *second) {
    const corner *one = first, *other = second;
    if (one->at != other->at) return one->at < other->at ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Where a line meets one that is less steep, and becomes the higher of the two. */
static double crossing(const cost_line *steep, const cost_line *flat) {
    return (flat->at - steep->at) / (steep->slope - flat->slope);
}

static pf_err make_lines(searcher *search, pf_pool_list list) {
    size_t features = pf_pool_features(search->pool);
    search->lines.n = 0;
    PF_TRY(PF_ROOM(&search->lines, list.n));
    for (size_t i = 0; i < list.n; i++) {
        cost_line line = {.hypothesis = i};
        for (size_t feature = 0; feature < features; feature++) {
            line.at += search->line->scale[feature] * list.feature[i * features + feature];
            line.slope += search->line->direction[feature] * list.feature[i * features + feature];
        }
        search->lines.at[search->lines.n++] = line;
    }
    qsort(search->lines.at, search->lines.n, sizeof *search->lines.at, by_slope);
    return PF_OK;
}

/* A line takes the place of those that it crosses before they become the lowest. */
static pf_err make_envelope(searcher *search) {
    search->lowest.n = 0;
    PF_TRY(PF_ROOM(&search->lowest, search->lines.n));
    for (size_t i = 0; i < search->lines.n; i++) {
        const cost_line *next = &search->lines.at[i];
        size_t kept = search->lowest.n;
        if (kept && search->lowest.at[kept - 1].slope == next->slope) continue; /* parallel, and not below it */
        while (kept > 1 && crossing(&search->lowest.at[kept - 1], next) <= crossing(&search->lowest.at[kept - 2],
                                                                                    &search->lowest.at[kept - 1])) kept--;
        search->lowest.at[kept] = *next;
        search->lowest.n = kept + 1;
    }
    return PF_OK;
}

/* The lowest line at the left end counts in the sums; where others follow, up to the right end, there are corners. */
static pf_err add_corners(searcher *search, pf_pool_list list) {
    size_t first = 0;
    while (first + 1 < search->lowest.n
           && crossing(&search->lowest.at[first], &search->lowest.at[first + 1]) <= search->line->low) first++;
    const double *now = list.statistic + search->lowest.at[first].hypothesis * search->width;
    for (unsigned k = 0; k < search->width; k++) search->sum[k] += now[k];
    for (size_t i = first + 1; i < search->lowest.n; i++) {
        double place = crossing(&search->lowest.at[i - 1], &search->lowest.at[i]);
        const double *next = list.statistic + search->lowest.at[i].hypothesis * search->width;
        if (place >= search->line->high) break;
        PF_TRY(PF_PUSH(&search->corners, ((corner){place, now, next, search->corners.n})));
        now = next;
    }
    return PF_OK;
}

static pf_err find_corners(searcher *search) {
    for (size_t i = 0; i < pf_pool_sentences(search->pool); i++) {
        pf_pool_list list = pf_pool_at(search->pool, i);
        if (!list.n) continue;
        PF_TRY(make_lines(search, list));
        PF_TRY(make_envelope(search));
        PF_TRY(add_corners(search, list));
    }
    if (search->corners.n) qsort(search->corners.at, search->corners.n, sizeof *search->corners.at, by_place);
    return PF_OK;
}

/* ---- intervals ---- */

/* Is 0 in an interval, and no corner of it? The ends of the line are no corners. */
static bool holds_0(const searcher *search, double low, double high) {
    return (low < 0 || low == search->line->low) && (0 < high || high == search->line->high);
}

static bool better(const searcher *search, const pf_line_best *one, const pf_line_best *best) {
    if (one->score != best->score) return one->score > best->score;
    bool here = holds_0(search, one->low, one->high), there = holds_0(search, best->low, best->high);
    if (here != there) return here;
    return !there && one->high - one->low > best->high - best->low;
}

/* Nearer than this, two places are the same but for rounding. */
static double near(double place) { return 1e-9 * (1 + fabs(place)); }

/* Over all corners at one place; returns the last of them. */
static double pass(searcher *search, size_t *next) {
    double last = search->corners.at[*next].at;
    for (; *next < search->corners.n && search->corners.at[*next].at <= last + near(last); ++*next) {
        last = search->corners.at[*next].at;
        for (unsigned k = 0; k < search->width; k++)
            search->sum[k] += search->corners.at[*next].to[k] - search->corners.at[*next].from[k];
    }
    return last;
}

static void see_interval(searcher *search, double low, double high, pf_line_best *out, bool *begun) {
    const pf_metric *metric = pf_pool_metric(search->pool);
    pf_line_best one = {.low = low, .high = high, .score = pf_metric_score(metric, search->sum)};
    if (!*begun || better(search, &one, out)) *out = one;
    *begun = true;
}

/* A line is one interval at least, however short. */
static void find_best(searcher *search, pf_line_best *out) {
    double low = search->line->low;
    bool begun = false;
    for (size_t next = 0; next < search->corners.n;) {
        double high = search->corners.at[next].at;
        if (high - low > near(low)) see_interval(search, low, high, out, &begun);
        low = pass(search, &next);
    }
    if (!begun || search->line->high - low > near(low)) see_interval(search, low, search->line->high, out, &begun);
}

pf_err pf_line_search(const pf_pool *pool, const pf_line_of_scales *line, pf_line_best *out) {
    searcher search = {.pool = pool, .line = line, .width = pf_pool_metric(pool)->cls->width(&pf_pool_metric(pool)->options)};
    assert(line->low <= 0 && line->high >= 0 && isfinite(line->low) && isfinite(line->high));
    pf_err err = find_corners(&search);
    *out = (pf_line_best){0};
    if (!err) {
        find_best(&search, out);
        out->at = holds_0(&search, out->low, out->high) ? 0 : out->low + (out->high - out->low) / 2;
    }
    PF_VEC_FREE(&search.lines);
    PF_VEC_FREE(&search.lowest);
    PF_VEC_FREE(&search.corners);
    return err;
}
