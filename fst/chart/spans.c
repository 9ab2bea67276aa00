/* Costs of spans, sorted by span and split. */
#include <permfst/chart/spans.h>

#include "base/contract.h"

#include <permfst/base/vec.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned begin, end, split; /* split = begin: of all nodes of the span */
    double cost[2];
    uint64_t line;
} span_cost;

struct pf_span_costs {
    unsigned n;
    PF_VEC(span_cost) at;
    bool by_split, forbids;
    double largest;
};

/* ---- a line ---- */

enum { MOST_FIELDS = 5 };

static pf_err read_position(const pf_reader *reader, const char *text, unsigned most, unsigned *out) {
    char *end;
    unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : ULONG_MAX;
    if (value > most || *end)
        return pf_reader_fail_line(reader, "expected a position from 0 to %u, found '%.40s'", most, text);
    *out = (unsigned)value;
    return PF_OK;
}

static pf_err read_cost(const pf_reader *reader, const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    if (end != text && !*end && (fabs(*out) <= (double)FLT_MAX || *out == (double)INFINITY)) return PF_OK;
    return pf_reader_fail_line(reader, "expected a cost, a number or inf, found '%.40s'", text);
}

static pf_err parse(const pf_reader *reader, unsigned n, char *line, span_cost *out) {
    char *text[MOST_FIELDS + 1];
    size_t count = 0;
    while (count <= MOST_FIELDS && (text[count] = pf_line_field(&line))) count++;
    if (count != 4 && count != 5)
        return pf_reader_fail_line(reader, "expected 'begin end straight inverted' or 'begin split end straight inverted', found "
                                           "%s%zu fields",
                                   count > MOST_FIELDS ? "more than " : "", count > MOST_FIELDS ? (size_t)MOST_FIELDS : count);
    out->line = pf_reader_line_number(reader);
    PF_TRY(read_position(reader, text[0], n, &out->begin));
    PF_TRY(read_position(reader, text[count - 3], n, &out->end));
    out->split = out->begin;
    if (count == 5) PF_TRY(read_position(reader, text[1], n, &out->split));
    PF_TRY(read_cost(reader, text[count - 2], &out->cost[0]));
    PF_TRY(read_cost(reader, text[count - 1], &out->cost[1]));
    if (out->end < out->begin + 2)
        return pf_reader_fail_line(reader, "expected a span of two positions or more, found %u .. %u, which has no node",
                                   out->begin, out->end);
    if (count == 4 || (out->split > out->begin && out->split < out->end)) return PF_OK;
    return pf_reader_fail_line(reader, "expected a split between %u and %u, found %u", out->begin, out->end, out->split);
}

/* ---- a record ---- */

/* The next line that is not empty; NULL: the record ends. *any: there was a line, empty or not. */
static pf_err next_line(pf_reader *reader, char **line, bool *any) {
    size_t n;
    PF_TRY(pf_reader_line(reader, line, &n));
    *any = *line != NULL;
    if (!*line) return PF_OK;
    if (strlen(*line) != n) return pf_reader_fail_line(reader, "expected text, found a NUL byte");
    if (!(*line)[strspn(*line, " \t")]) *line = NULL;
    return PF_OK;
}

static pf_err no_record(const pf_reader *reader) {
    return pf_reader_fail_line(reader, "expected the span costs of another sentence, found the end");
}

static int by_node(const void *first, const void *second) {
    const span_cost *one = first, *other = second;
    if (one->begin != other->begin) return one->begin < other->begin ? -1 : 1;
    if (one->end != other->end) return one->end < other->end ? -1 : 1;
    if (one->split != other->split) return one->split < other->split ? -1 : 1;
    return (one->line > other->line) - (one->line < other->line);
}

static pf_err read_lines(pf_reader *reader, pf_span_costs *spans) {
    bool any;
    for (char *line;;) {
        span_cost one;
        PF_TRY(next_line(reader, &line, &any));
        if (!line) return any || spans->at.n ? PF_OK : no_record(reader);
        PF_TRY(parse(reader, spans->n, line, &one));
        PF_TRY(PF_PUSH(&spans->at, one));
    }
}

static pf_err sort(const pf_reader *reader, pf_span_costs *spans) {
    if (spans->at.n) qsort(spans->at.at, spans->at.n, sizeof *spans->at.at, by_node);
    for (size_t i = 0; i < spans->at.n; i++) {
        const span_cost *one = &spans->at.at[i], *before = one - 1;
        spans->by_split |= one->split != one->begin;
        for (unsigned which = 0; which < 2; which++) {
            spans->forbids |= one->cost[which] == (double)INFINITY;
            if (one->cost[which] < (double)INFINITY) spans->largest = fmax(spans->largest, fabs(one->cost[which]));
        }
        if (i && one->begin == before->begin && one->end == before->end && one->split == before->split)
            return pf_reader_fail_line(reader, "the node of line %llu is listed again in line %llu",
                                       (unsigned long long)before->line, (unsigned long long)one->line);
    }
    return PF_OK;
}

/* ---- is there a tree? ---- */

static bool joins(const pf_span_costs *spans, const bool *there, unsigned i, unsigned k) {
    const size_t side = spans->n + (size_t)1;
    for (unsigned j = i + 1; j < k; j++) {
        double cost[2] = {0, 0};
        if (!there[i * side + j] || !there[j * side + k]) continue;
        pf_span_costs_add(spans, i, j, k, cost);
        if (cost[0] < (double)INFINITY || cost[1] < (double)INFINITY) return true;
    }
    return false;
}

static pf_err expect_tree(const pf_reader *reader, const pf_span_costs *spans) {
    const size_t n = spans->n, side = n + 1;
    bool *there = calloc(side * side, sizeof *there);
    if (!there) return pf_nomem();
    for (unsigned length = 1; length <= n; length++)
        for (unsigned i = 0; i + length <= n; i++) there[i * side + i + length] = length == 1 || joins(spans, there, i, i + length);
    const bool whole = there[n];
    free(there);
    if (whole) return PF_OK;
    return pf_reader_fail_line(reader, "the costs of this record forbid all trees of its %zu positions", n);
}

static pf_err read_record(pf_reader *reader, pf_span_costs *spans) {
    PF_TRY(read_lines(reader, spans));
    PF_TRY(sort(reader, spans));
    return spans->forbids ? expect_tree(reader, spans) : PF_OK;
}

pf_err pf_span_costs_skip(pf_reader *reader) {
    bool any, first = true;
    for (char *line;; first = false) {
        PF_TRY(next_line(reader, &line, &any));
        if (!line) return any || !first ? PF_OK : no_record(reader);
    }
}

pf_err pf_span_costs_read(pf_reader *reader, unsigned n, pf_span_costs **out) {
    *out = NULL;
    pf_span_costs *spans = calloc(1, sizeof *spans);
    if (!spans) return pf_nomem();
    spans->n = n;
    pf_err err = read_record(reader, spans);
    if (err) pf_span_costs_free(spans);
    else *out = spans;
    return err;
}

void pf_span_costs_free(pf_span_costs *spans) {
    if (!spans) return;
    PF_VEC_FREE(&spans->at);
    free(spans);
}

pf_err pf_span_costs_end(pf_reader *reader) {
    bool any = true;
    for (char *line = NULL; any && !line;) {
        PF_TRY(next_line(reader, &line, &any));
        if (line) return pf_reader_fail_line(reader, "expected the end, as every sentence has its span costs, found more of them");
    }
    return PF_OK;
}

/* ---- looking up ---- */

static void add(const pf_span_costs *spans, unsigned begin, unsigned split, unsigned end, double cost[2]) {
    const span_cost key = {begin, end, split, {0, 0}, 0};
    size_t low = 0, high = spans->at.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_node(&spans->at.at[middle], &key) < 0) low = middle + 1;
        else high = middle;
    }
    if (low == spans->at.n) return;
    const span_cost *found = &spans->at.at[low];
    if (found->begin != begin || found->end != end || found->split != split) return;
    cost[0] += found->cost[0];
    cost[1] += found->cost[1];
}

void pf_span_costs_add(const pf_span_costs *spans, unsigned begin, unsigned split, unsigned end, double cost[2]) {
    assert(begin < split && split < end && end <= spans->n);
    add(spans, begin, begin, end, cost);
    if (spans->by_split) add(spans, begin, split, end, cost);
}

double pf_span_costs_largest(const pf_span_costs *spans) { return 2 * spans->largest * spans->n; }
bool pf_span_costs_by_split(const pf_span_costs *spans) { return spans->by_split; }
