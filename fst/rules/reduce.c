/* Sorted lines to rules, a group of equal lines at a time. */
#include <permfst/rules/map.h>

#include "rules/rules_impl.h"

typedef struct {
    pf_reader *in;
    pf_writer *out;
    double max_cost;
    pf_rules_left_out *left_out;
    pfi_text first;          /* the first line, of the options */
    pfi_text group;          /* tags, tab, reordering, tab */
    size_t tags;             /* bytes of its tags */
    uint64_t count;          /* of the group */
    pfi_text totalled;       /* the tags whose occurrences were counted last */
    uint64_t total, reordered;
    pfi_rule_line room;
} rule_reducer;

static pf_err sum(const rule_reducer *reducer, uint64_t *to, uint64_t more) {
    if (more > UINT64_MAX - *to)
        return pf_reader_fail_line(reducer->in, "the counts add up to more than %llu", (unsigned long long)UINT64_MAX);
    *to += more;
    return PF_OK;
}

/* The occurrences of a sequence are known. */
static pf_err close_total(rule_reducer *reducer) {
    reducer->totalled.n = 0;
    reducer->total = reducer->count;
    reducer->reordered = 0;
    return pfi_text_put(&reducer->totalled, reducer->group.at, reducer->tags);
}

static pf_err close_rule(rule_reducer *reducer) {
    pf_word text = {reducer->group.at, reducer->group.n}, tags = {reducer->group.at, reducer->tags};
    int shown = (int)(tags.n < 80 ? tags.n : 80);
    if (reducer->totalled.n != tags.n || memcmp(reducer->totalled.at, tags.at, tags.n) != 0)
        return pf_reader_fail_line(reducer->in, "before this line: the occurrences of '%.*s' were not counted (the input "
                                          "has no totals, or those of another corpus)", shown, tags.at);
    PF_TRY(sum(reducer, &reducer->reordered, reducer->count));
    if (reducer->reordered > reducer->total)
        return pf_reader_fail_line(reducer->in, "before this line: '%.*s' is reordered more often than it occurs", shown, tags.at);
    double cost = pfi_rule_cost(reducer->count, reducer->total);
    if (cost <= reducer->max_cost) return pfi_rule_write(reducer->out, &text, cost, reducer->count, reducer->total);
    reducer->left_out->too_costly++;
    return PF_OK;
}

static pf_err close_group(rule_reducer *reducer) {
    if (!reducer->group.n) return PF_OK;
    return reducer->group.n == reducer->tags + 2 ? close_total(reducer) : close_rule(reducer);
}

static pf_err open_group(rule_reducer *reducer, const pf_word *field, const char *line, size_t length) {
    PF_TRY(close_group(reducer));
    reducer->group.n = 0;
    reducer->tags = field[0].n;
    reducer->count = 0;
    PF_TRY(pfi_text_put(&reducer->group, line, length));
    if (field[1].n) return pfi_rule_parse(reducer->in, &field[0], &field[1], &reducer->room);
    if (field[0].n) return PF_OK;
    return pf_reader_fail_line(reducer->in, "expected tags, found none");
}

static pf_err reduce_line(rule_reducer *reducer, const char *line, size_t length) {
    pf_word field[3];
    uint64_t count;
    size_t fields = pfi_fields(line, length, field, 3);
    if (fields != 3)
        return pf_reader_fail_line(reducer->in, "expected tags, reordering and count, separated by tabs, found %zu fields", fields);
    PF_TRY(pfi_count_parse(reducer->in, &field[2], &count));
    size_t key = (size_t)(field[2].at - line), common = key < reducer->group.n ? key : reducer->group.n;
    int order = common ? memcmp(reducer->group.at, line, common) : 0;
    if (order > 0 || (!order && key < reducer->group.n))
        return pf_reader_fail_line(reducer->in, "expected lines in the order of their bytes (LC_ALL=C sort), but this line comes "
                                          "after a greater one");
    if (order || key != reducer->group.n) PF_TRY(open_group(reducer, field, line, key));
    return sum(reducer, &reducer->count, count);
}

/* The first line of the first part becomes that of the rules; those of the others are the same. */
static pf_err take_options(rule_reducer *reducer, char *line, size_t length) {
    pf_rule_options options;
    pf_lexicon *lexicon;
    if (reducer->first.n && (reducer->first.n != length || memcmp(reducer->first.at, line, length) != 0))
        return pf_reader_fail_line(reducer->in,
                                   "this part was mapped with other options than the first: compare '%.60s' and '%.*s'",
                                   line + 1, (int)(reducer->first.n < 60 ? reducer->first.n : 60) - 1, reducer->first.at + 1);
    if (reducer->first.n) return PF_OK;
    PF_TRY(pfi_text_put(&reducer->first, line, length));
    PF_TRY(pfi_rules_header_read(reducer->in, line, length, true, &options, &lexicon));
    options.max_cost = reducer->max_cost;
    pf_err err = pfi_rules_header_write(reducer->out, &options, false);
    pf_lexicon_free(lexicon);
    return err;
}

static pf_err reduce(rule_reducer *reducer) {
    char *line;
    size_t length;
    for (;;) {
        PF_TRY(pf_reader_line(reducer->in, &line, &length));
        if (!line) break;
        bool options = *line == '\t' || !reducer->first.n;
        PF_TRY(options ? take_options(reducer, line, length) : reduce_line(reducer, line, length));
    }
    if (reducer->first.n) return close_group(reducer);
    return pf_fail(PF_EINPUT, "%s is empty: expected the lines of permrules map (did it fail?)", pf_reader_name(reducer->in));
}

pf_err pf_rule_reduce(pf_reader *sorted, double max_cost, pf_writer *writer, pf_rules_left_out *left_out) {
    rule_reducer reducer = {.in = sorted, .out = writer, .max_cost = max_cost, .left_out = left_out};
    *left_out = (pf_rules_left_out){0};
    pf_err err = reduce(&reducer);
    PF_VEC_FREE(&reducer.first);
    PF_VEC_FREE(&reducer.group);
    PF_VEC_FREE(&reducer.totalled);
    pfi_rule_line_free(&reducer.room);
    return err;
}
