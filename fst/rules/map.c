/* Lines are interned without their counts until the table is full, then written. */
#include <permfst/rules/map.h>

#include "rules/rules_impl.h"
#include "base/contract.h"

#include <stdlib.h>

#define ROOM ((size_t)1 << 26) /* bytes of the table */

struct pf_rule_map {
    pf_writer *out;
    pf_rule_options options;
    bool totals;
    size_t most;
    pf_rules_left_out left_out;
    pf_statetab line; /* tags, or tags, a tab and a reordering */
    PF_VEC(uint64_t) count;
    pfi_text text;        /* of a sentence: its tags with blanks between */
    PF_VEC(size_t) begin; /* of each tag in it, and one past the end */
    pfi_text key;
};

pf_err pf_rule_map_new(pf_writer *w, const pf_rule_options *o, bool totals, size_t bytes, pf_rule_map **out) {
    pf_rule_map *m = *out = calloc(1, sizeof *m);
    if (!m) return pf_nomem();
    *m = (pf_rule_map){.out = w, .options = *o, .totals = totals, .most = bytes ? bytes : ROOM};
    pf_statetab_init(&m->line, 0);
    pf_err err = pfi_rules_header_write(w, o, true);
    if (err) {
        pf_rule_map_free(m);
        *out = NULL;
    }
    return err;
}

void pf_rule_map_free(pf_rule_map *m) {
    if (!m) return;
    pf_statetab_free(&m->line);
    PF_VEC_FREE(&m->count);
    PF_VEC_FREE(&m->text);
    PF_VEC_FREE(&m->begin);
    PF_VEC_FREE(&m->key);
    free(m);
}

const pf_rules_left_out *pf_rule_map_omitted(const pf_rule_map *m) { return &m->left_out; }

/* ---- lines ---- */

pf_err pf_rule_map_end(pf_rule_map *m) {
    for (uint32_t i = 0; i < m->line.n; i++) {
        size_t n;
        const char *line = pf_statetab_key(&m->line, i, &n);
        PF_TRY(pf_writer_put(m->out, line, n));
        PF_TRY(pf_writer_text(m->out, "%s\t%llu\n", memchr(line, '\t', n) ? "" : "\t", (unsigned long long)m->count.at[i]));
    }
    pf_statetab_reset(&m->line);
    m->count.n = 0;
    return PF_OK;
}

static pf_err add(pf_rule_map *m, const char *line, size_t n) {
    uint32_t id;
    int fresh;
    if (m->line.key_n + n + 24 * (size_t)m->line.n > m->most) PF_TRY(pf_rule_map_end(m));
    PF_TRY(PF_ROOM(&m->count, 1));
    PF_TRY(pf_statetab_intern(&m->line, line, n, &id, &fresh));
    if (fresh) m->count.at[m->count.n++] = 0;
    m->count.at[id]++;
    return PF_OK;
}

/* A tag that would be sorted before the options line is refused. */
static pf_err join(pf_rule_map *m, const pf_words *tags) {
    m->text.n = m->begin.n = 0;
    for (size_t i = 0; i < tags->n; i++) {
        unsigned first = (unsigned char)*tags->at[i].at;
        if (first < '\t')
            return pf_fail(PF_EINPUT, "tag %zu begins with byte %u, which sorts before the tab at the beginning of the options "
                           "line",
                           i + 1, first);
        PF_TRY(PF_PUSH(&m->begin, m->text.n));
        PF_TRY(pfi_text_put(&m->text, tags->at[i].at, tags->at[i].n));
        PF_TRY(pfi_text_put(&m->text, " ", 1));
    }
    return PF_PUSH(&m->begin, m->text.n);
}

/* Tags first .. first + n - 1. */
static pf_word span(const pf_rule_map *m, size_t first, size_t n) {
    size_t begin = m->begin.at[first];
    return (pf_word){m->text.at + begin, m->begin.at[first + n] - 1 - begin};
}

static pf_err add_totals(pf_rule_map *m, size_t words) {
    for (size_t i = 0; i < words; i++)
        for (size_t n = 2; n <= m->options.max_length && i + n <= words; n++) {
            pf_word tags = span(m, i, n);
            PF_TRY(add(m, tags.at, tags.n));
        }
    return PF_OK;
}

static pf_err add_reordering(pf_rule_map *m, const pf_reordering *r, const unsigned *perm) {
    pf_word tags = span(m, r->first, r->n);
    m->key.n = 0;
    PF_TRY(pfi_text_put(&m->key, tags.at, tags.n));
    for (unsigned t = 0; t < r->n; t++) {
        PF_TRY(pfi_text_put(&m->key, t ? " " : "\t", 1));
        PF_TRY(pfi_text_number(&m->key, perm[r->first + t] - r->first + 1));
    }
    return add(m, m->key.at, m->key.n);
}

pf_err pf_rule_map_pair(pf_rule_map *m, const pf_words *tags, const unsigned *perm) {
    unsigned from = 0;
    PFI_CHECK(pfi_is_permutation(perm, (unsigned)tags->n));
    PF_TRY(join(m, tags));
    if (m->totals) PF_TRY(add_totals(m, tags->n));
    for (pf_reordering r; pf_reordering_next(perm, (unsigned)tags->n, &from, &r);) {
        if (r.n > m->options.max_length) m->left_out.too_long++;
        else PF_TRY(add_reordering(m, &r, perm));
    }
    return PF_OK;
}

/* ---- the second pass ---- */

pf_err pf_rule_map_list(pf_reader *lines, pf_rules *rules) {
    pf_words tags = {0};
    pf_err err = PF_OK;
    char *line;
    size_t n;
    while (!err && !(err = pf_reader_line(lines, &line, &n)) && line) {
        pf_word field[3];
        if (*line == '\t') continue;
        if (pfi_fields(line, n, field, 3) != 3) err = pf_reader_fail_line(lines, "expected a line of permrules map");
        else if (!(err = pf_words_split(lines, field[0].at, field[0].n, &tags))) err = pf_rules_list(rules, &tags);
    }
    PF_VEC_FREE(&tags);
    return err;
}

pf_err pf_rule_map_totals(const pf_rules *r, pf_writer *w) {
    pfi_text text = {0};
    pf_err err = pfi_rules_header_write(w, &r->options, true);
    for (uint32_t node = 0; !err && node < r->total.n; node++) {
        text.n = 0;
        if (!r->listed.at[node] || !r->total.at[node] || (err = pfi_text_tags(r, node, &text)) ||
            (err = pf_writer_put(w, text.at, text.n)))
            continue;
        err = pf_writer_text(w, "\t\t%llu\n", (unsigned long long)r->total.at[node]);
    }
    PF_VEC_FREE(&text);
    return err;
}
