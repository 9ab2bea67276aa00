/* From Alpino's phrases to heads and dependents: the main verb heads the clause (Zwarts & Dras 2006, section 3.3). O(nodes), and
 * O(words x punctuation) where punctuation is kept. */
#include "tree/alpino_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const pfi_alpino_sentence *sentence;
    const pfi_alpino_node *node;
    size_t n;
    int32_t *head;    /* of each node: the first word of the unit that heads it; -1: there are no words in it */
    int32_t *first;   /* of each node: its first word; -1 as above */
    int32_t *child;   /* of each node: its first child; -1: none */
    int32_t *sibling; /* of each node: the next one */
    uint32_t *word;   /* nodes, in the order of the sentence */
    pfi_tree_draft draft;
} phrases;

static const char *text(const phrases *parsed, size_t i, unsigned which) {
    return pfi_alpino_text(parsed->sentence, &parsed->node[i], which);
}
static bool is(const phrases *parsed, size_t i, unsigned which, const char *value) {
    return strcmp(text(parsed, i, which), value) == 0;
}

/* ---- words ---- */

static _Thread_local const pfi_alpino_node *compared; /* by_begin has no argument for it */

static int by_begin(const void *first, const void *second) {
    uint32_t one = compared[*(const uint32_t *)first].begin, other = compared[*(const uint32_t *)second].begin;
    return (one > other) - (one < other);
}

static pf_err fail(const phrases *parsed, const char *words, const char *word) {
    const char *id = parsed->sentence->text.at + parsed->sentence->id;
    return pf_fail(PF_EINPUT, "%s:%llu: %s%.80s%s%s%.40s", pf_reader_name(parsed->sentence->reader),
                   (unsigned long long)parsed->sentence->line,
                   *id ? "sentence " : "", id, *id ? ": " : "", words, word);
}

static pf_err sort_words(phrases *parsed) {
    size_t n = 0;
    for (size_t i = 0; i < parsed->n; i++)
        if (parsed->node[i].text[PFI_ALPINO_WORD]) parsed->word[n++] = (uint32_t)i;
    assert(n == parsed->sentence->words);
    compared = parsed->node;
    qsort(parsed->word, n, sizeof *parsed->word, by_begin);
    for (size_t j = 1; j < n; j++)
        if (parsed->node[parsed->word[j]].begin == parsed->node[parsed->word[j - 1]].begin)
            return fail(parsed, "two words have the same begin; the second is ", text(parsed, parsed->word[j], PFI_ALPINO_WORD));
    return n ? PF_OK : fail(parsed, "expected a sentence with words", "");
}

static void link_children(phrases *parsed) {
    for (size_t i = 0; i < parsed->n; i++) parsed->head[i] = parsed->first[i] = parsed->child[i] = parsed->sibling[i] = -1;
    for (size_t i = parsed->n; i-- > 0;) {
        uint32_t parent = parsed->node[i].parent;
        if (parent == UINT32_MAX) continue;
        parsed->sibling[i] = parsed->child[parent];
        parsed->child[parent] = (int32_t)i;
    }
    for (unsigned j = 0; j < parsed->sentence->words; j++) parsed->first[parsed->word[j]] = (int32_t)j;
    for (size_t i = parsed->n; i-- > 0;) {
        uint32_t parent = parsed->node[i].parent;
        if (parent == UINT32_MAX || parsed->first[i] < 0) continue;
        if (parsed->first[parent] < 0 || parsed->first[i] < parsed->first[parent]) parsed->first[parent] = parsed->first[i];
    }
}

/* ---- heads ---- */

static bool has_child(const phrases *parsed, size_t i, const char *rel) {
    for (int32_t c = parsed->child[i]; c >= 0; c = parsed->sibling[c])
        if (is(parsed, (size_t)c, PFI_ALPINO_REL, rel)) return true;
    return false;
}

/* The first child of this rel that has words; -1: none. */
static int32_t child_with(const phrases *parsed, size_t i, const char *rel) {
    for (int32_t c = parsed->child[i]; c >= 0; c = parsed->sibling[c])
        if (parsed->head[c] >= 0 && is(parsed, (size_t)c, PFI_ALPINO_REL, rel)) return c;
    return -1;
}

static bool gives_its_verb(const phrases *parsed, int32_t vc) {
    return is(parsed, (size_t)vc, PFI_ALPINO_CAT, "inf") || is(parsed, (size_t)vc, PFI_ALPINO_CAT, "ppart") ||
           is(parsed, (size_t)vc, PFI_ALPINO_PT, "ww");
}

/* The child that heads a phrase with words. The hd beside a vc may be a reference to a verb that is spelled out elsewhere. */
static int32_t head_child(const phrases *parsed, size_t i) {
    static const char *const heads[] = {"hd", "cmp", "crd", "dlink", "rhd", "whd", "nucl"};
    int32_t vc = has_child(parsed, i, "hd") ? child_with(parsed, i, "vc") : -1;
    if (vc >= 0 && gives_its_verb(parsed, vc)) return vc;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        int32_t found = child_with(parsed, i, heads[k]);
        if (found >= 0) return found;
    }
    for (int32_t c = parsed->child[i];; c = parsed->sibling[c])
        if (parsed->first[c] == parsed->first[i]) return c;
}

static bool is_unit(const phrases *parsed, size_t i) { return is(parsed, i, PFI_ALPINO_CAT, "mwu"); }
static bool is_top(const phrases *parsed, size_t i) {
    return parsed->node[i].parent == UINT32_MAX && is(parsed, i, PFI_ALPINO_CAT, "top");
}

/* Children come after their parents, so this goes from the leaves up. */
static void find_heads(phrases *parsed) {
    for (size_t i = parsed->n; i-- > 0;) {
        if (parsed->first[i] < 0) continue;
        bool leaf = parsed->node[i].text[PFI_ALPINO_WORD] || is_unit(parsed, i);
        parsed->head[i] = leaf ? parsed->first[i] : parsed->head[head_child(parsed, i)];
    }
}

/* The words of a multi-word unit are one unit, also those of phrases inside it. */
static void make_units(const phrases *parsed) {
    for (unsigned j = 0; j < parsed->sentence->words; j++) {
        for (uint32_t i = parsed->word[j]; i != UINT32_MAX; i = parsed->node[i].parent)
            if (is_unit(parsed, i)) parsed->draft.unit[j] = (uint32_t)parsed->first[i];
        if (parsed->draft.unit[j] != j) parsed->draft.tree->word[j].relation = "mwp";
    }
}

static bool in_unit(const phrases *parsed, size_t i) {
    uint32_t parent = parsed->node[i].parent;
    while (parent != UINT32_MAX && !is_unit(parsed, parent)) parent = parsed->node[parent].parent;
    return parent != UINT32_MAX;
}

static pf_err hang(const phrases *parsed, size_t i) {
    uint32_t parent = parsed->node[i].parent;
    int32_t head = parsed->head[i];
    if (head < 0 || in_unit(parsed, i) || is_top(parsed, i)) return PF_OK;
    bool under_top = parent == UINT32_MAX || is_top(parsed, parent);
    pf_tree_word *word = &parsed->draft.tree->word[head];
    if (is(parsed, i, PFI_ALPINO_REL, "body") && is(parsed, i, PFI_ALPINO_CAT, "ssub")) word->features |= PF_WORD_CLAUSE;
    if (!under_top && parsed->head[parent] == head) return PF_OK; /* it heads the phrase that it is in */
    bool mark = under_top && is(parsed, i, PFI_ALPINO_PT, "let") && parsed->sentence->punctuation == PF_TREE_SKIP;
    parsed->draft.head[head] = mark ? PFI_HEAD_MARK : under_top ? PFI_HEAD_TOP : parsed->head[parent];
    const char *rel = text(parsed, i, PFI_ALPINO_REL);
    if (!(word->relation = pfi_tree_text(parsed->draft.tree, *rel ? rel : "--", strlen(*rel ? rel : "--")))) return pf_nomem();
    return PF_OK;
}

/* ---- punctuation in the tree ---- */

typedef struct {
    int32_t first, last;
    unsigned depth;
} word_span;

static bool is_let(const phrases *parsed, unsigned j) {
    uint32_t parent = parsed->node[parsed->word[j]].parent;
    return is(parsed, parsed->word[j], PFI_ALPINO_PT, "let") && (parent == UINT32_MAX || is_top(parsed, parent));
}

/* The spans of all constituents, of words that are no punctuation. A word is in the constituents of all heads above it. */
static void find_spans(const phrases *parsed, word_span *spans) {
    for (unsigned j = 0; j < parsed->sentence->words; j++) spans[j] = (word_span){INT32_MAX, -1, 0};
    for (unsigned j = 0; j < parsed->sentence->words; j++) {
        if (is_let(parsed, j)) continue;
        unsigned depth = 0;
        for (int32_t v = (int32_t)parsed->draft.unit[j]; v >= 0; v = parsed->draft.head[v], depth++) {
            if ((int32_t)j < spans[v].first) spans[v].first = (int32_t)j;
            if ((int32_t)j > spans[v].last) spans[v].last = (int32_t)j;
        }
        spans[parsed->draft.unit[j]].depth = depth;
    }
}

static pf_err keep_punctuation(const phrases *parsed) {
    word_span *spans = malloc((parsed->sentence->words + 1) * sizeof *spans);
    if (!spans) return pf_nomem();
    find_spans(parsed, spans);
    for (unsigned j = 0; j < parsed->sentence->words; j++) {
        int32_t lowest = PFI_HEAD_TOP;
        if (!is_let(parsed, j)) continue;
        for (int32_t v = 0; v < (int32_t)parsed->sentence->words; v++)
            if (spans[v].first < (int32_t)j && (int32_t)j < spans[v].last && (lowest < 0 || spans[v].depth > spans[lowest].depth))
                lowest = v;
        parsed->draft.head[j] = lowest;
    }
    free(spans);
    return PF_OK;
}

/* ---- the tree ---- */

static pf_err set_word(const phrases *parsed, unsigned j) {
    size_t i = parsed->word[j];
    pf_tree *tree = parsed->draft.tree;
    const unsigned which[] = {PFI_ALPINO_WORD, PFI_ALPINO_LEMMA, PFI_ALPINO_POSTAG};
    const char **to[] = {&tree->word[j].form, &tree->word[j].lemma, &tree->word[j].xpos};
    for (size_t k = 0; k < 3; k++) {
        const char *value = text(parsed, i, which[k]);
        if (*value && !(*to[k] = pfi_tree_text(tree, value, strlen(value)))) return pf_nomem();
    }
    if (is(parsed, i, PFI_ALPINO_PT, "ww")) tree->word[j].features |= PF_WORD_VERB;
    if (is(parsed, i, PFI_ALPINO_WVORM, "pv")) tree->word[j].features |= PF_WORD_FINITE;
    if (strcasecmp(tree->word[j].form, "niet") == 0) tree->word[j].features |= PF_WORD_NEGATIVE;
    return PF_OK;
}

static pf_err set_tree(phrases *parsed) {
    const char *id = parsed->sentence->text.at + parsed->sentence->id;
    pf_tree *tree = parsed->draft.tree;
    tree->scheme = PF_TREE_ALPINO;
    tree->line = parsed->sentence->line;
    if (!(tree->id = pfi_tree_text(tree, id, strlen(id)))) return pf_nomem();
    for (unsigned j = 0; j < tree->n; j++) PF_TRY(set_word(parsed, j));
    link_children(parsed);
    find_heads(parsed);
    make_units(parsed);
    for (size_t i = 0; i < parsed->n; i++) PF_TRY(hang(parsed, i));
    return parsed->sentence->punctuation == PF_TREE_KEEP ? keep_punctuation(parsed) : PF_OK;
}

pf_err pfi_alpino_make(const pfi_alpino_sentence *sentence, pf_tree **out) {
    size_t n = sentence->node.n;
    int32_t *numbers = malloc((4 * n + 1) * sizeof *numbers);
    phrases parsed = {.sentence = sentence, .node = sentence->node.at, .n = n, .head = numbers};
    pf_err err = numbers && (parsed.word = malloc((sentence->words + 1) * sizeof *parsed.word)) ? PF_OK : pf_nomem();
    if (!err) {
        parsed.first = numbers + n;
        parsed.child = parsed.first + n;
        parsed.sibling = parsed.child + n;
        err = sort_words(&parsed);
    }
    if (!err) err = pfi_tree_draft_new(sentence->words, &parsed.draft);
    if (!err) err = set_tree(&parsed);
    if (!err) err = pfi_tree_finish(&parsed.draft, out);
    pfi_tree_draft_free(&parsed.draft);
    free(parsed.word);
    free(numbers);
    return err;
}
