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

pf_err pf_rule_map_new(pf_writer *writer, const pf_rule_options *options, bool totals, size_t bytes, pf_rule_map **out) {
    pf_rule_map *map = *out = calloc(1, sizeof *map);
    if (!map) return pf_nomem();
    *map = (pf_rule_map){.out = writer, .options = *options, .totals = totals, .most = bytes ? bytes : ROOM};
    pf_statetab_init(&map->line, 0);
    pf_err err = pfi_rules_header_write(writer, options, true);
    if (err) {
        pf_rule_map_free(map);
        *out = NULL;
    }
    return err;
}

void pf_rule_map_free(pf_rule_map *map) {
    if (!map) return;
    pf_statetab_free(&map->line);
    PF_VEC_FREE(&map->count);
    PF_VEC_FREE(&map->text);
    PF_VEC_FREE(&map->begin);
    PF_VEC_FREE(&map->key);
    free(map);
}

const pf_rules_left_out *pf_rule_map_omitted(const pf_rule_map *map) { return &map->left_out; }

/* ---- lines ---- */

pf_err pf_rule_map_end(pf_rule_map *map) {
    for (uint32_t at = 0; at < map->line.n; at++) {
        size_t n;
        const char *line = pf_statetab_key(&map->line, at, &n);
        PF_TRY(pf_writer_put(map->out, line, n));
        PF_TRY(pf_writer_text(map->out, "%s\t%llu\n", memchr(line, '\t', n) ? "" : "\t", (unsigned long long)map->count.at[at]));
    }
    pf_statetab_reset(&map->line);
    map->count.n = 0;
    return PF_OK;
}

static pf_err add(pf_rule_map *map, const char *line, size_t length) {
    uint32_t id;
    int fresh;
    if (map->line.key_n + length + 24 * (size_t)map->line.n > map->most) PF_TRY(pf_rule_map_end(map));
    PF_TRY(PF_ROOM(&map->count, 1));
    PF_TRY(pf_statetab_intern(&map->line, line, length, &id, &fresh));
    if (fresh) map->count.at[map->count.n++] = 0;
    map->count.at[id]++;
    return PF_OK;
}

/* A tag that would be sorted before the options line is refused. */
static pf_err join(pf_rule_map *map, const pf_words *tags) {
    map->text.n = map->begin.n = 0;
    for (size_t at = 0; at < tags->n; at++) {
        unsigned first = (unsigned char)*tags->at[at].at;
        if (first < '\t')
            return pf_fail(PF_EINPUT, "tag %zu begins with byte %u, which sorts before the tab at the beginning of the options "
                           "line", at + 1, first);
        PF_TRY(PF_PUSH(&map->begin, map->text.n));
        PF_TRY(pfi_text_put(&map->text, tags->at[at].at, tags->at[at].n));
        PF_TRY(pfi_text_put(&map->text, " ", 1));
    }
    return PF_PUSH(&map->begin, map->text.n);
}

/* Tags first .. first + count - 1. */
static pf_word span(const pf_rule_map *map, size_t first, size_t count) {
    size_t begin = map->begin.at[first];
    return (pf_word){map->text.at + begin, map->begin.at[first + count] - 1 - begin};
}

static pf_err add_totals(pf_rule_map *map, size_t words) {
    for (size_t i = 0; i < words; i++)
        for (size_t n = 2; n <= map->options.max_length && i + n <= words; n++) {
            pf_word tags = span(map, i, n);
            PF_TRY(add(map, tags.at, tags.n));
        }
    return PF_OK;
}

static pf_err add_reordering(pf_rule_map *map, const pf_reordering *reordering, const unsigned *perm) {
    pf_word tags = span(map, reordering->first, reordering->n);
    map->key.n = 0;
    PF_TRY(pfi_text_put(&map->key, tags.at, tags.n));
    for (unsigned step = 0; step < reordering->n; step++) {
        PF_TRY(pfi_text_put(&map->key, step ? " " : "\t", 1));
        PF_TRY(pfi_text_number(&map->key, perm[reordering->first + step] - reordering->first + 1));
    }
    return add(map, map->key.at, map->key.n);
}

pf_err pf_rule_map_pair(pf_rule_map *map, const pf_words *tags, const unsigned *perm) {
    unsigned from = 0;
    PFI_CHECK(pfi_is_permutation(perm, (unsigned)tags->n));
    PF_TRY(join(map, tags));
    if (map->totals) PF_TRY(add_totals(map, tags->n));
    for (pf_reordering reordering; pf_reordering_next(perm, (unsigned)tags->n, &from, &reordering);) {
        if (reordering.n > map->options.max_length) map->left_out.too_long++;
        else PF_TRY(add_reordering(map, &reordering, perm));
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

pf_err pf_rule_map_totals(const pf_rules *rules, pf_writer *writer) {
    pfi_text text = {0};
    pf_err err = pfi_rules_header_write(writer, &rules->options, true);
    for (uint32_t node = 0; !err && node < rules->total.n; node++) {
        text.n = 0;
        if (!rules->listed.at[node] || !rules->total.at[node] || (err = pfi_text_tags(rules, node, &text)) ||
            (err = pf_writer_put(writer, text.at, text.n)))
            continue;
        err = pf_writer_text(writer, "\t\t%llu\n", (unsigned long long)rules->total.at[node]);
    }
    PF_VEC_FREE(&text);
    return err;
}
