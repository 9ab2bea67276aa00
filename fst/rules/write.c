/* Rules as text. Their order is that of the bytes of their first two fields, as sort puts them in the C locale, so that rules
 * learned in memory and by sorting are the same file. */
#include "rules/rules_impl.h"

#include <stdio.h>
#include <stdlib.h>

pf_err pfi_text_put(pfi_text *t, const char *at, size_t n) {
    PF_TRY(PF_ROOM(t, n));
    if (n) memcpy(t->at + t->n, at, n);
    t->n += n;
    return PF_OK;
}

pf_err pfi_text_number(pfi_text *t, unsigned x) {
    char digits[16];
    size_t i = sizeof digits;
    do digits[--i] = (char)('0' + x % 10);
    while (x /= 10);
    return pfi_text_put(t, digits + i, sizeof digits - i);
}

/* From the node to the root, tag by tag; each is put before the tags that follow it. */
pf_err pfi_text_tags(const pf_rules *r, uint32_t node, pfi_text *t) {
    size_t bytes = 0, n;
    uint64_t key;
    for (uint32_t at = node; at != PFI_RULES_ROOT; at = (uint32_t)(key >> 32)) {
        memcpy(&key, pf_statetab_key(&r->child, at - 1, &n), sizeof key);
        pf_statetab_key(&r->tag, (uint32_t)key, &n);
        bytes += n + 1;
    }
    PF_TRY(PF_ROOM(t, bytes));
    t->n += bytes ? bytes - 1 : 0;
    char *end = t->at + t->n;
    for (uint32_t at = node; at != PFI_RULES_ROOT; at = (uint32_t)(key >> 32)) {
        memcpy(&key, pf_statetab_key(&r->child, at - 1, &n), sizeof key);
        const char *tag = pf_statetab_key(&r->tag, (uint32_t)key, &n);
        memcpy(end - n, tag, n);
        end -= n;
        if (key >> 32) *--end = ' ';
    }
    return PF_OK;
}

pf_err pfi_rule_write(pf_writer *w, const pf_word *text, double cost, uint64_t count, uint64_t total) {
    PF_TRY(pf_writer_put(w, text->at, text->n));
    return pf_writer_text(w, "%.9g\t%llu\t%llu\n", cost, (unsigned long long)count, (unsigned long long)total);
}

pf_err pfi_rules_header_write(pf_writer *w, const pf_rule_options *o, bool map) {
    PF_TRY(pf_writer_text(w, "%s permrules %d maxlen=%u", map ? "\t" : "#", PFI_RULE_FORMAT, o->max_length));
    if (!map) PF_TRY(pf_writer_text(w, " maxcost=%.15g", o->max_cost));
    PF_TRY(pf_writer_text(w, " tags=%s", o->one_tag ? "one" : "given"));
    for (size_t i = 0; o->lexicon && i < pf_lexicon_size(o->lexicon); i++) {
        pf_word word = pf_lexicon_at(o->lexicon, i);
        PF_TRY(pf_writer_put(w, i ? " " : "\t", 1));
        PF_TRY(pf_writer_put(w, word.at, word.n));
    }
    return pf_writer_put(w, "\n", 1);
}

/* ---- all of them ---- */

typedef struct {
    const pfi_text *text;
    size_t begin, n;
    uint32_t rule;
} written;

static int by_text(const void *a, const void *b) {
    const written *x = a, *y = b;
    int order = memcmp(x->text->at + x->begin, y->text->at + y->begin, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* Tags and reordering, each followed by a tab. */
static pf_err text_of(const pf_rules *r, uint32_t rule, pfi_text *t) {
    unsigned n = pfi_rule_length(r, rule);
    PF_TRY(pfi_text_tags(r, pfi_rule_node(r, rule), t));
    PF_TRY(pfi_text_put(t, "\t", 1));
    for (unsigned i = 0; i < n; i++) {
        PF_TRY(pfi_text_number(t, pfi_rule_at(r, rule, i) + 1));
        PF_TRY(pfi_text_put(t, i + 1 < n ? " " : "\t", 1));
    }
    return PF_OK;
}

static pf_err write_all(const pf_rules *r, pfi_text *text, written *list, pf_writer *w) {
    size_t n = r->by_path.n;
    for (size_t i = 0; i < n; i++) {
        list[i] = (written){text, text->n, 0, r->by_path.at[i]};
        PF_TRY(text_of(r, list[i].rule, text));
        list[i].n = text->n - list[i].begin;
    }
    qsort(list, n, sizeof *list, by_text);
    PF_TRY(pfi_rules_header_write(w, &r->options, false));
    for (size_t i = 0; i < n; i++) {
        uint32_t rule = list[i].rule;
        pf_word line = {text->at + list[i].begin, list[i].n};
        PF_TRY(pfi_rule_write(w, &line, r->cost.at[rule], r->count.at[rule], r->total.at[pfi_rule_node(r, rule)]));
    }
    return PF_OK;
}

pf_err pf_rules_write(const pf_rules *r, pf_writer *w) {
    pfi_text text = {0};
    written *list = calloc(r->by_path.n + 1, sizeof *list);
    pf_err err = list ? write_all(r, &text, list, w) : pf_nomem();
    free(list);
    PF_VEC_FREE(&text);
    return err;
}
