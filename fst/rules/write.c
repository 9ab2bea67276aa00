/* Rules as text. Their order is that of the bytes of their first two fields, as sort puts them in the C locale, so that rules
 * learned in memory and by sorting are the same file. */
#include "rules/rules_impl.h"

#include <stdio.h>
#include <stdlib.h>

pf_err pfi_text_put(pfi_text *text, const char *at, size_t length) {
    PF_TRY(PF_ROOM(text, length));
    if (length) memcpy(text->at + text->n, at, length);
    text->n += length;
    return PF_OK;
}

pf_err pfi_text_number(pfi_text *text, unsigned value) {
    char digits[16];
    size_t i = sizeof digits;
    do digits[--i] = (char)('0' + value % 10);
    while (value /= 10);
    return pfi_text_put(text, digits + i, sizeof digits - i);
}

/* Goes from the node to the root, tag by tag, and puts each tag before those that follow it. */
pf_err pfi_text_tags(const pf_rules *rules, uint32_t node, pfi_text *text) {
    size_t bytes = 0, length;
    uint64_t key;
    for (uint32_t at = node; at != PFI_RULES_ROOT; at = (uint32_t)(key >> 32)) {
        memcpy(&key, pf_statetab_key(&rules->child, at - 1, &length), sizeof key);
        pf_statetab_key(&rules->tag, (uint32_t)key, &length);
        bytes += length + 1;
    }
    PF_TRY(PF_ROOM(text, bytes));
    text->n += bytes ? bytes - 1 : 0;
    char *end = text->at + text->n;
    for (uint32_t at = node; at != PFI_RULES_ROOT; at = (uint32_t)(key >> 32)) {
        memcpy(&key, pf_statetab_key(&rules->child, at - 1, &length), sizeof key);
        const char *tag = pf_statetab_key(&rules->tag, (uint32_t)key, &length);
        memcpy(end - length, tag, length);
        end -= length;
        if (key >> 32) *--end = ' ';
    }
    return PF_OK;
}

pf_err pfi_rule_write(pf_writer *writer, const pf_word *text, double cost, uint64_t count, uint64_t total) {
    PF_TRY(pf_writer_put(writer, text->at, text->n));
    return pf_writer_text(writer, "%.9g\t%llu\t%llu\n", cost, (unsigned long long)count, (unsigned long long)total);
}

pf_err pfi_rules_header_write(pf_writer *writer, const pf_rule_options *options, bool map) {
    PF_TRY(pf_writer_text(writer, "%s permrules %d maxlen=%u", map ? "\t" : "#", PFI_RULE_FORMAT, options->max_length));
    if (!map) PF_TRY(pf_writer_text(writer, " maxcost=%.15g", options->max_cost));
    PF_TRY(pf_writer_text(writer, " tags=%s", options->one_tag ? "one" : "given"));
    for (size_t i = 0; options->lexicon && i < pf_lexicon_size(options->lexicon); i++) {
        pf_word word = pf_lexicon_at(options->lexicon, i);
        PF_TRY(pf_writer_put(writer, i ? " " : "\t", 1));
        PF_TRY(pf_writer_put(writer, word.at, word.n));
    }
    return pf_writer_put(writer, "\n", 1);
}

/* ---- all of them ---- */

typedef struct {
    const pfi_text *text;
    size_t begin, length;
    uint32_t rule;
} written;

static int by_text(const void *first, const void *second) {
    const written *one = first, *other = second;
    int order = memcmp(one->text->at + one->begin, other->text->at + other->begin,
                       one->length < other->length ? one->length : other->length);
    return order ? order : (one->length > other->length) - (one->length < other->length);
}

/* Tags and reordering, each followed by a tab. */
static pf_err text_of(const pf_rules *rules, uint32_t rule, pfi_text *text) {
    unsigned length = pfi_rule_length(rules, rule);
    PF_TRY(pfi_text_tags(rules, pfi_rule_node(rules, rule), text));
    PF_TRY(pfi_text_put(text, "\t", 1));
    for (unsigned at = 0; at < length; at++) {
        PF_TRY(pfi_text_number(text, pfi_rule_at(rules, rule, at) + 1));
        PF_TRY(pfi_text_put(text, at + 1 < length ? " " : "\t", 1));
    }
    return PF_OK;
}

static pf_err write_all(const pf_rules *rules, pfi_text *text, written *list, pf_writer *writer) {
    size_t count = rules->by_path.n;
    for (size_t at = 0; at < count; at++) {
        list[at] = (written){text, text->n, 0, rules->by_path.at[at]};
        PF_TRY(text_of(rules, list[at].rule, text));
        list[at].length = text->n - list[at].begin;
    }
    qsort(list, count, sizeof *list, by_text);
    PF_TRY(pfi_rules_header_write(writer, &rules->options, false));
    for (size_t at = 0; at < count; at++) {
        uint32_t rule = list[at].rule;
        pf_word line = {text->at + list[at].begin, list[at].length};
        PF_TRY(pfi_rule_write(writer, &line, rules->cost.at[rule], rules->count.at[rule],
                              rules->total.at[pfi_rule_node(rules, rule)]));
    }
    return PF_OK;
}

pf_err pf_rules_write(const pf_rules *rules, pf_writer *writer) {
    pfi_text text = {0};
    written *list = calloc(rules->by_path.n + 1, sizeof *list);
    pf_err err = list ? write_all(rules, &text, list, writer) : pf_nomem();
    free(list);
    PF_VEC_FREE(&text);
    return err;
}
