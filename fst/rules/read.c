/* Rule files, and the parts of their lines that the lines counted by sorting share. */
#include "rules/rules_impl.h"

#include <permfst/base/digits.h>

#include <math.h>
#include <stdlib.h>

size_t pfi_fields(const char *line, size_t length, pf_word *field, size_t most) {
    size_t count = 0;
    for (const char *at = line, *end = line + length;; at++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (!tab) tab = end;
        if (count < most) field[count] = (pf_word){at, (size_t)(tab - at)};
        count++;
        if ((at = tab) == end) return count;
    }
}

void pfi_rule_line_free(pfi_rule_line *line) {
    PF_VEC_FREE(&line->tags);
    PF_VEC_FREE(&line->numbers);
    pf_permutation_free(&line->perm);
}

pf_err pfi_rule_parse(const pf_reader *reader, const pf_word *tags, const pf_word *perm, pfi_rule_line *out) {
    unsigned from = 0, length;
    pf_reordering reordering;
    PF_TRY(pf_words_split(reader, tags->at, tags->n, &out->tags));
    PF_TRY(pf_words_split(reader, perm->at, perm->n, &out->numbers));
    PF_TRY(pf_permutation_read(reader, &out->numbers, &out->perm));
    if (out->tags.n != out->perm.at.n || out->tags.n < 2)
        return pf_reader_fail_line(reader, "expected at least 2 tags and as many positions, found %zu tags and %zu positions",
                                   out->tags.n, out->perm.at.n);
    length = (unsigned)out->tags.n;
    if (pf_reordering_next(out->perm.at.at, length, &from, &reordering) && reordering.n == length) return PF_OK;
    return pf_reader_fail_line(reader, "expected a reordering that cannot be split, found '%.*s'",
                               (int)(perm->n < 80 ? perm->n : 80), perm->at);
}

pf_err pfi_count_parse(const pf_reader *reader, const pf_word *field, uint64_t *out) {
    if (pf_digits(field->at, field->n, out) && *out && *out < UINT64_MAX) return PF_OK;
    return pf_reader_fail_line(reader, "expected a count of at least 1, found '%.*s'", (int)(field->n < 40 ? field->n : 40),
                               field->at);
}

/* The field ends at a tab, where strtod ends too. */
static pf_err parse_cost(const pf_reader *reader, const pf_word *field, double *out) {
    char *end = NULL;
    *out = 0;
    if (field->n && strspn(field->at, "0123456789.eE+-") >= field->n && field->at[0] != '-') {
        *out = pfi_cost_round(strtod(field->at, &end));
        if (end == field->at + field->n && isfinite(*out) && (float)*out <= 3e38f) return PF_OK;
    }
    return pf_reader_fail_line(reader, "expected a cost of at least 0, found '%.*s'", (int)(field->n < 40 ? field->n : 40),
                               field->at);
}

/* ---- the first line ---- */

static pf_err bad_header(const pf_reader *reader, bool map) {
    static const char *const expected[] = {
        "expected '# permrules 1 maxlen=L maxcost=C tags=given', the first line of a rule file",
        "expected the first line that permrules map writes (was the input sorted in a locale other than C?)",
    };
    return pf_reader_fail_line(reader, "%s", expected[map]);
}

/* Goes on after `name`, if *at begins with it. */
static bool skip(const char **at, const char *name) {
    size_t n = strlen(name);
    if (strncmp(*at, name, n) != 0) return false;
    *at += n;
    return true;
}

static bool parse_header(const char *at, bool map, pf_rule_options *options, const char **words) {
    char *end;
    if (!skip(&at, map ? "\t permrules 1 maxlen=" : "# permrules 1 maxlen=")) return false;
    unsigned long length = strtoul(at, &end, 10);
    if (end == at || length < 2 || length > PF_MAX_WORDS) return false;
    at = end;
    *options = (pf_rule_options){.max_length = (unsigned)length, .max_cost = PF_RULES_MAX_COST};
    if (!map) {
        if (!skip(&at, " maxcost=")) return false;
        options->max_cost = strtod(at, &end);
        if (end == at || !(options->max_cost >= 0)) return false;
        at = end;
    }
    options->one_tag = skip(&at, " tags=one");
    if (!options->one_tag && !skip(&at, " tags=given")) return false;
    *words = at;
    return !*at || *at == '\t';
}

static pf_err read_lexicon(const pf_reader *reader, const char *at, size_t length, pf_lexicon **out) {
    pf_words words = {0};
    PF_TRY(pf_lexicon_new(out));
    pf_err err = pf_words_split(reader, at, length, &words);
    if (!err) err = pf_lexicon_count(*out, &words);
    if (!err) err = pf_lexicon_keep(*out, SIZE_MAX);
    PF_VEC_FREE(&words);
    return err;
}

/* Is the line what would be written? Then nothing in it was overlooked. */
static pf_err check_header(const pf_reader *reader, const char *line, size_t length, bool map, const pf_rule_options *options) {
    pf_writer *writer;
    size_t n;
    PF_TRY(pf_writer_memory(&writer));
    pf_err err = pfi_rules_header_write(writer, options, map);
    const unsigned char *bytes = pf_writer_bytes(writer, &n);
    if (!err && (n != length + 1 || memcmp(bytes, line, length) != 0)) err = bad_header(reader, map);
    pf_writer_free(writer);
    return err;
}

pf_err pfi_rules_header_read(const pf_reader *reader, char *line, size_t length, bool map, pf_rule_options *options,
                             pf_lexicon **lexicon) {
    const char *words;
    *lexicon = NULL;
    if (!parse_header(line, map, options, &words)) return bad_header(reader, map);
    pf_err err = *words ? read_lexicon(reader, words, length - (size_t)(words - line), lexicon) : PF_OK;
    options->lexicon = *lexicon;
    if (!err) err = check_header(reader, line, length, map, options);
    if (err) {
        pf_lexicon_free(*lexicon);
        *lexicon = NULL;
    }
    return err;
}

/* ---- rules ---- */

static pf_err read_rule(pf_rules *rules, const pf_reader *reader, const char *line, size_t length, pfi_rule_line *room) {
    pf_word field[5];
    uint64_t count, total;
    uint32_t node, rule;
    double cost;
    int fresh;
    size_t n = pfi_fields(line, length, field, 5);
    if (n != 5)
        return pf_reader_fail_line(reader, "expected tags, reordering, cost and two counts, separated by tabs, found %zu fields",
                                   n);
    PF_TRY(pfi_rule_parse(reader, &field[0], &field[1], room));
    PF_TRY(parse_cost(reader, &field[2], &cost));
    PF_TRY(pfi_count_parse(reader, &field[3], &count));
    PF_TRY(pfi_count_parse(reader, &field[4], &total));
    if (room->tags.n > rules->options.max_length) {
        rules->left_out.too_long++;
        return PF_OK;
    }
    PF_TRY(pfi_rules_node(rules, room->tags.at, room->tags.n, &node));
    PF_TRY(pfi_rules_rule(rules, node, room->perm.at.at, 0, (unsigned)room->tags.n, &rule, &fresh));
    if (!fresh) return pf_reader_fail_line(reader, "this rule is listed twice");
    if (count > total || (rules->total.at[node] && rules->total.at[node] != total))
        return pf_reader_fail_line(reader, "the counts contradict each other, or those of another rule with the same tags");
    rules->count.at[rule] = count;
    rules->cost.at[rule] = cost;
    rules->total.at[node] = total;
    return PF_OK;
}

static pf_err read_rules(pf_rules *rules, pf_reader *reader) {
    pfi_rule_line room = {0};
    pf_err err = PF_OK;
    char *line;
    size_t n;
    while (!err && !(err = pf_reader_line(reader, &line, &n)) && line) err = read_rule(rules, reader, line, n, &room);
    pfi_rule_line_free(&room);
    return err ? err : pfi_rules_index(rules);
}

static void narrow(pf_rule_options *options, const pf_rule_options *most) {
    if (most->max_length < options->max_length) options->max_length = most->max_length;
    if (most->max_cost < options->max_cost) options->max_cost = most->max_cost;
}

pf_err pf_rules_read(pf_reader *reader, const pf_rule_options *most, pf_rules **out) {
    pf_rule_options options;
    pf_lexicon *lexicon;
    char *line;
    size_t n;
    *out = NULL;
    PF_TRY(pf_reader_line(reader, &line, &n));
    if (!line) return pf_fail(PF_EINPUT, "%s is empty: expected a rule file", pf_reader_name(reader));
    PF_TRY(pfi_rules_header_read(reader, line, n, false, &options, &lexicon));
    if (most) narrow(&options, most);
    pf_err err = pf_rules_new(&options, out);
    if (err) {
        pf_lexicon_free(lexicon);
        return err;
    }
    (*out)->own = lexicon;
    if ((err = read_rules(*out, reader))) {
        pf_rules_free(*out);
        *out = NULL;
    }
    return err;
}
