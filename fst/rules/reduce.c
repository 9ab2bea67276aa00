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

static pf_err sum(const rule_reducer *r, uint64_t *to, uint64_t more) {
    if (more > UINT64_MAX - *to)
        return pf_reader_fail_line(r->in, "the counts add up to more than %llu", (unsigned long long)UINT64_MAX);
    *to += more;
    return PF_OK;
}

/* The occurrences of a sequence are known. */
static pf_err close_total(rule_reducer *r) {
    r->totalled.n = 0;
    r->total = r->count;
    r->reordered = 0;
    return pfi_text_put(&r->totalled, r->group.at, r->tags);
}

static pf_err close_rule(rule_reducer *r) {
    pf_word text = {r->group.at, r->group.n}, tags = {r->group.at, r->tags};
    int shown = (int)(tags.n < 80 ? tags.n : 80);
    if (r->totalled.n != tags.n || memcmp(r->totalled.at, tags.at, tags.n) != 0)
        return pf_reader_fail_line(r->in, "before this line: the occurrences of '%.*s' were not counted (the input "
                                          "has no totals, or those of another corpus)", shown, tags.at);
    PF_TRY(sum(r, &r->reordered, r->count));
    if (r->reordered > r->total)
        return pf_reader_fail_line(r->in, "before this line: '%.*s' is reordered more often than it occurs", shown, tags.at);
    double cost = pfi_rule_cost(r->count, r->total);
    if (cost <= r->max_cost) return pfi_rule_write(r->out, &text, cost, r->count, r->total);
    r->left_out->too_costly++;
    return PF_OK;
}

static pf_err close_group(rule_reducer *r) {
    if (!r->group.n) return PF_OK;
    return r->group.n == r->tags + 2 ? close_total(r) : close_rule(r);
}

static pf_err open_group(rule_reducer *r, const pf_word *field, const char *line, size_t n) {
    PF_TRY(close_group(r));
    r->group.n = 0;
    r->tags = field[0].n;
    r->count = 0;
    PF_TRY(pfi_text_put(&r->group, line, n));
    if (field[1].n) return pfi_rule_parse(r->in, &field[0], &field[1], &r->room);
    if (field[0].n) return PF_OK;
    return pf_reader_fail_line(r->in, "expected tags, found none");
}

static pf_err reduce_line(rule_reducer *r, const char *line, size_t length) {
    pf_word field[3];
    uint64_t count;
    size_t fields = pfi_fields(line, length, field, 3);
    if (fields != 3)
        return pf_reader_fail_line(r->in, "expected tags, reordering and count, separated by tabs, found %zu fields", fields);
    PF_TRY(pfi_count_parse(r->in, &field[2], &count));
    size_t n = (size_t)(field[2].at - line), common = n < r->group.n ? n : r->group.n;
    int order = common ? memcmp(r->group.at, line, common) : 0;
    if (order > 0 || (!order && n < r->group.n))
        return pf_reader_fail_line(r->in, "expected lines in the order of their bytes (LC_ALL=C sort), but this line comes "
                                          "after a greater one");
    if (order || n != r->group.n) PF_TRY(open_group(r, field, line, n));
    return sum(r, &r->count, count);
}

/* The first line of the first part becomes that of the rules; those of the others are the same. */
static pf_err take_options(rule_reducer *r, char *line, size_t n) {
    pf_rule_options o;
    pf_lexicon *lexicon;
    if (r->first.n && (r->first.n != n || memcmp(r->first.at, line, n) != 0))
        return pf_reader_fail_line(r->in, "this part was mapped with other options than the first: compare '%.60s' and '%.*s'",
                                   line + 1, (int)(r->first.n < 60 ? r->first.n : 60) - 1, r->first.at + 1);
    if (r->first.n) return PF_OK;
    PF_TRY(pfi_text_put(&r->first, line, n));
    PF_TRY(pfi_rules_header_read(r->in, line, n, true, &o, &lexicon));
    o.max_cost = r->max_cost;
    pf_err err = pfi_rules_header_write(r->out, &o, false);
    pf_lexicon_free(lexicon);
    return err;
}

static pf_err reduce(rule_reducer *r) {
    char *line;
    size_t n;
    for (;;) {
        PF_TRY(pf_reader_line(r->in, &line, &n));
        if (!line) break;
        bool options = *line == '\t' || !r->first.n;
        PF_TRY(options ? take_options(r, line, n) : reduce_line(r, line, n));
    }
    if (r->first.n) return close_group(r);
    return pf_fail(PF_EINPUT, "%s is empty: expected the lines of permrules map (did it fail?)", pf_reader_name(r->in));
}

pf_err pf_rule_reduce(pf_reader *sorted, double max_cost, pf_writer *w, pf_rules_left_out *left_out) {
    rule_reducer r = {.in = sorted, .out = w, .max_cost = max_cost, .left_out = left_out};
    *left_out = (pf_rules_left_out){0};
    pf_err err = reduce(&r);
    PF_VEC_FREE(&r.first);
    PF_VEC_FREE(&r.group);
    PF_VEC_FREE(&r.totalled);
    pfi_rule_line_free(&r.room);
    return err;
}
