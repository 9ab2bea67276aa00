/* The text of heads, read in one pass and checked in a second: a head may come after its dependents. */
#include "tree/tree_impl.h"

#include <permfst/base/digits.h>
#include <permfst/base/vec.h>
#include <permfst/tree/heads.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = UINT16_MAX, MARK = -1 };

/* What an entry says: a head, from 0 for none; MARK; or -1 - J for "=J". */
typedef PF_VEC(int32_t) entries;

bool pf_tree_is_heads(const char *text, size_t length) {
    if (!length || !(pf_is_digit(*text) || *text == '^' || *text == '=')) return false;
    for (size_t i = 0; i < length; i++)
        if (!pf_is_digit(text[i]) && !memchr(",^=", text[i], 3)) return false;
    return true;
}

static pf_err fail(size_t word, const char *text, size_t length) {
    return pf_fail(PF_EARG, "word %zu of a tree: expected the number of its head, 0, =N or ^, found '%.*s'", word,
                   length < 40 ? (int)length : 40, text);
}

static pf_err read_entry(const char *text, size_t length, entries *list) {
    bool same = length && *text == '=';
    uint64_t number = 0;
    if (length == 1 && *text == '^') return PF_PUSH(list, MARK);
    if (!pf_digits(text + same, length - same, &number) || number > MOST_WORDS || (same && !number))
        return fail(list->n + 1, text, length);
    if (same && number > list->n)
        return pf_fail(PF_EARG, "word %zu of a tree: expected a unit that an earlier word begins, found word %u", list->n + 1,
                       (unsigned)number);
    return PF_PUSH(list, same ? -1 - (int32_t)number : (int32_t)number);
}

static pf_err read_entries(const char *text, size_t length, entries *list) {
    for (const char *end = text + length;;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        if (list->n == MOST_WORDS) return pf_fail(PF_EARG, "a tree has at most %d words", MOST_WORDS);
        PF_TRY(read_entry(text, (size_t)((comma ? comma : end) - text), list));
        if (!comma) return PF_OK;
        text = comma + 1;
    }
}

/* The first words of units. */
static pf_err set_units(const entries *list, uint32_t *unit) {
    for (size_t word = 0; word < list->n; word++) {
        int32_t entry = list->at[word];
        assert(entry >= MARK || (size_t)(-entry - 2) < word);
        unit[word] = entry < MARK ? unit[-entry - 2] : (uint32_t)word;
        if (list->at[unit[word]] == MARK && unit[word] != word)
            return pf_fail(PF_EARG, "word %zu of a tree: word %u is a mark, which has no unit", word + 1, unit[word] + 1);
    }
    return PF_OK;
}

static pf_err set_heads(const entries *list, pfi_tree_draft *draft) {
    for (size_t word = 0; word < list->n; word++) {
        int32_t entry = list->at[word];
        if (entry == MARK) draft->head[word] = PFI_HEAD_MARK;
        if (entry <= 0) continue;
        if ((size_t)entry > list->n || list->at[entry - 1] == MARK)
            return pf_fail(PF_EARG, "word %zu of a tree: its head, word %d, is %s", word + 1, entry,
                           (size_t)entry > list->n ? "past the end" : "a mark");
        draft->head[word] = (int32_t)draft->unit[entry - 1];
    }
    return PF_OK;
}

/* met[word]: the word from which this one was met first on a way up, from 1. */
static pf_err check_cycles(const pfi_tree_draft *draft, uint32_t *met) {
    for (uint32_t word = 0; word < draft->tree->n; word++) {
        int32_t at = (int32_t)draft->unit[word];
        for (; at >= 0 && !met[at]; at = draft->head[at]) met[at] = word + 1;
        if (at >= 0 && met[at] == word + 1)
            return pf_fail(PF_EARG, "word %d of a tree is its own ancestor: its heads form a cycle", at + 1);
    }
    return PF_OK;
}

static pf_err make(const entries *list, pfi_tree_draft *draft, pf_tree **out) {
    PF_TRY(pfi_tree_draft_new((unsigned)list->n, draft));
    PF_TRY(set_units(list, draft->unit));
    PF_TRY(set_heads(list, draft));
    uint32_t *met = calloc(list->n + 1, sizeof *met);
    if (!met) return pf_nomem();
    pf_err err = check_cycles(draft, met);
    free(met);
    return err ? err : pfi_tree_finish(draft, out);
}

pf_err pf_tree_of_heads(const char *text, size_t length, pf_tree **out) {
    entries list = {0};
    pfi_tree_draft draft = {0};
    *out = NULL;
    pf_err err = read_entries(text, length, &list);
    if (!err) err = make(&list, &draft, out);
    pfi_tree_draft_free(&draft);
    PF_VEC_FREE(&list);
    return err;
}

pf_err pf_tree_write_heads(pf_writer *writer, const pf_tree *tree) {
    for (unsigned word = 0; word < tree->n; word++) {
        uint32_t unit = tree->word[word].node, first = unit == PF_TREE_NONE ? word : pf_tree_first(tree, unit);
        uint32_t head = unit == PF_TREE_NONE ? 0 : tree->node[unit].head;
        if (word) PF_TRY(pf_writer_put(writer, ",", 1));
        if (unit == PF_TREE_NONE) PF_TRY(pf_writer_put(writer, "^", 1));
        else if (first != word) PF_TRY(pf_writer_text(writer, "=%u", first + 1));
        else PF_TRY(pf_writer_text(writer, "%u", head == tree->nodes ? 0 : pf_tree_first(tree, head) + 1));
    }
    return PF_OK;
}
