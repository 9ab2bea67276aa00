/* From Alpino's phrases to heads and dependents: the main verb heads the clause (Zwarts & Dras 2006, section 3.3). O(nodes), and
 * O(words x punctuation) where punctuation is kept. */
#include "tree/alpino_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const pfi_alpino_sentence *s;
    const pfi_alpino_node *node;
    size_t n;
    int32_t *head;    /* of each node: the first word of the unit that heads it; -1: there are no words in it */
    int32_t *first;   /* of each node: its first word; -1 as above */
    int32_t *child;   /* of each node: its first child; -1: none */
    int32_t *sibling; /* of each node: the next one */
    uint32_t *word;   /* nodes, in the order of the sentence */
    pfi_tree_draft draft;
} phrases;

static const char *text(const phrases *p, size_t i, unsigned which) { return pfi_alpino_text(p->s, &p->node[i], which); }
static bool is(const phrases *p, size_t i, unsigned which, const char *value) { return strcmp(text(p, i, which), value) == 0; }

/* ---- words ---- */

static _Thread_local const pfi_alpino_node *compared; /* by_begin has no argument for it */

static int by_begin(const void *first, const void *second) {
    uint32_t one = compared[*(const uint32_t *)first].begin, other = compared[*(const uint32_t *)second].begin;
    return (one > other) - (one < other);
}

static pf_err fail(const phrases *p, const char *words, const char *word) {
    const char *id = p->s->text.at + p->s->id;
    return pf_fail(PF_EINPUT, "%s:%llu: %s%.80s%s%s%.40s", pf_reader_name(p->s->reader), (unsigned long long)p->s->line,
                   *id ? "sentence " : "", id, *id ? ": " : "", words, word);
}

static pf_err sort_words(phrases *p) {
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->node[i].text[PFI_ALPINO_WORD]) p->word[n++] = (uint32_t)i;
    assert(n == p->s->words);
    compared = p->node;
    qsort(p->word, n, sizeof *p->word, by_begin);
    for (size_t j = 1; j < n; j++)
        if (p->node[p->word[j]].begin == p->node[p->word[j - 1]].begin)
            return fail(p, "two words have the same begin; the second is ", text(p, p->word[j], PFI_ALPINO_WORD));
    return n ? PF_OK : fail(p, "expected a sentence with words", "");
}

static void link_children(phrases *p) {
    for (size_t i = 0; i < p->n; i++) p->head[i] = p->first[i] = p->child[i] = p->sibling[i] = -1;
    for (size_t i = p->n; i-- > 0;) {
        uint32_t parent = p->node[i].parent;
        if (parent == UINT32_MAX) continue;
        p->sibling[i] = p->child[parent];
        p->child[parent] = (int32_t)i;
    }
    for (unsigned j = 0; j < p->s->words; j++) p->first[p->word[j]] = (int32_t)j;
    for (size_t i = p->n; i-- > 0;) {
        uint32_t parent = p->node[i].parent;
        if (parent == UINT32_MAX || p->first[i] < 0) continue;
        if (p->first[parent] < 0 || p->first[i] < p->first[parent]) p->first[parent] = p->first[i];
    }
}

/* ---- heads ---- */

static bool has_child(const phrases *p, size_t i, const char *rel) {
    for (int32_t c = p->child[i]; c >= 0; c = p->sibling[c])
        if (is(p, (size_t)c, PFI_ALPINO_REL, rel)) return true;
    return false;
}

/* The first child of this rel that has words; -1: none. */
static int32_t child_with(const phrases *p, size_t i, const char *rel) {
    for (int32_t c = p->child[i]; c >= 0; c = p->sibling[c])
        if (p->head[c] >= 0 && is(p, (size_t)c, PFI_ALPINO_REL, rel)) return c;
    return -1;
}

static bool gives_its_verb(const phrases *p, int32_t vc) {
    return is(p, (size_t)vc, PFI_ALPINO_CAT, "inf") || is(p, (size_t)vc, PFI_ALPINO_CAT, "ppart") ||
           is(p, (size_t)vc, PFI_ALPINO_PT, "ww");
}

/* The child that heads a phrase with words. The hd beside a vc may be a reference to a verb that is spelled out elsewhere. */
static int32_t head_child(const phrases *p, size_t i) {
    static const char *const heads[] = {"hd", "cmp", "crd", "dlink", "rhd", "whd", "nucl"};
    int32_t vc = has_child(p, i, "hd") ? child_with(p, i, "vc") : -1;
    if (vc >= 0 && gives_its_verb(p, vc)) return vc;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        int32_t found = child_with(p, i, heads[k]);
        if (found >= 0) return found;
    }
    for (int32_t c = p->child[i];; c = p->sibling[c])
        if (p->first[c] == p->first[i]) return c;
}

static bool is_unit(const phrases *p, size_t i) { return is(p, i, PFI_ALPINO_CAT, "mwu"); }
static bool is_top(const phrases *p, size_t i) { return p->node[i].parent == UINT32_MAX && is(p, i, PFI_ALPINO_CAT, "top"); }

/* Children come after their parents, so this goes from the leaves up. */
static void find_heads(phrases *p) {
    for (size_t i = p->n; i-- > 0;) {
        if (p->first[i] < 0) continue;
        bool leaf = p->node[i].text[PFI_ALPINO_WORD] || is_unit(p, i);
        p->head[i] = leaf ? p->first[i] : p->head[head_child(p, i)];
    }
}

/* The words of a multi-word unit are one unit, also those of phrases inside it. */
static void make_units(const phrases *p) {
    for (unsigned j = 0; j < p->s->words; j++) {
        for (uint32_t i = p->word[j]; i != UINT32_MAX; i = p->node[i].parent)
            if (is_unit(p, i)) p->draft.unit[j] = (uint32_t)p->first[i];
        if (p->draft.unit[j] != j) p->draft.tree->word[j].relation = "mwp";
    }
}

static bool in_unit(const phrases *p, size_t i) {
    uint32_t parent = p->node[i].parent;
    while (parent != UINT32_MAX && !is_unit(p, parent)) parent = p->node[parent].parent;
    return parent != UINT32_MAX;
}

static pf_err hang(const phrases *p, size_t i) {
    uint32_t parent = p->node[i].parent;
    int32_t head = p->head[i];
    if (head < 0 || in_unit(p, i) || is_top(p, i)) return PF_OK;
    bool under_top = parent == UINT32_MAX || is_top(p, parent);
    pf_tree_word *word = &p->draft.tree->word[head];
    if (is(p, i, PFI_ALPINO_REL, "body") && is(p, i, PFI_ALPINO_CAT, "ssub")) word->features |= PF_WORD_CLAUSE;
    if (!under_top && p->head[parent] == head) return PF_OK; /* it heads the phrase that it is in */
    bool mark = under_top && is(p, i, PFI_ALPINO_PT, "let") && p->s->punctuation == PF_TREE_SKIP;
    p->draft.head[head] = mark ? PFI_HEAD_MARK : under_top ? PFI_HEAD_TOP : p->head[parent];
    const char *rel = text(p, i, PFI_ALPINO_REL);
    if (!(word->relation = pfi_tree_text(p->draft.tree, *rel ? rel : "--", strlen(*rel ? rel : "--")))) return pf_nomem();
    return PF_OK;
}

/* ---- punctuation in the tree ---- */

typedef struct {
    int32_t first, last;
    unsigned depth;
} word_span;

static bool is_let(const phrases *p, unsigned j) {
    uint32_t parent = p->node[p->word[j]].parent;
    return is(p, p->word[j], PFI_ALPINO_PT, "let") && (parent == UINT32_MAX || is_top(p, parent));
}

/* The spans of all constituents, of words that are no punctuation. A word is in the constituents of all heads above it. */
static void find_spans(const phrases *p, word_span *spans) {
    for (unsigned j = 0; j < p->s->words; j++) spans[j] = (word_span){INT32_MAX, -1, 0};
    for (unsigned j = 0; j < p->s->words; j++) {
        if (is_let(p, j)) continue;
        unsigned depth = 0;
        for (int32_t v = (int32_t)p->draft.unit[j]; v >= 0; v = p->draft.head[v], depth++) {
            if ((int32_t)j < spans[v].first) spans[v].first = (int32_t)j;
            if ((int32_t)j > spans[v].last) spans[v].last = (int32_t)j;
        }
        spans[p->draft.unit[j]].depth = depth;
    }
}

static pf_err keep_punctuation(const phrases *p) {
    word_span *spans = malloc((p->s->words + 1) * sizeof *spans);
    if (!spans) return pf_nomem();
    find_spans(p, spans);
    for (unsigned j = 0; j < p->s->words; j++) {
        int32_t lowest = PFI_HEAD_TOP;
        if (!is_let(p, j)) continue;
        for (int32_t v = 0; v < (int32_t)p->s->words; v++)
            if (spans[v].first < (int32_t)j && (int32_t)j < spans[v].last && (lowest < 0 || spans[v].depth > spans[lowest].depth))
                lowest = v;
        p->draft.head[j] = lowest;
    }
    free(spans);
    return PF_OK;
}

/* ---- the tree ---- */

static pf_err set_word(const phrases *p, unsigned j) {
    size_t i = p->word[j];
    pf_tree *tree = p->draft.tree;
    const unsigned which[] = {PFI_ALPINO_WORD, PFI_ALPINO_LEMMA, PFI_ALPINO_POSTAG};
    const char **to[] = {&tree->word[j].form, &tree->word[j].lemma, &tree->word[j].xpos};
    for (size_t k = 0; k < 3; k++) {
        const char *value = text(p, i, which[k]);
        if (*value && !(*to[k] = pfi_tree_text(tree, value, strlen(value)))) return pf_nomem();
    }
    if (is(p, i, PFI_ALPINO_PT, "ww")) tree->word[j].features |= PF_WORD_VERB;
    if (is(p, i, PFI_ALPINO_WVORM, "pv")) tree->word[j].features |= PF_WORD_FINITE;
    if (strcasecmp(tree->word[j].form, "niet") == 0) tree->word[j].features |= PF_WORD_NEGATIVE;
    return PF_OK;
}

static pf_err set_tree(phrases *p) {
    const char *id = p->s->text.at + p->s->id;
    pf_tree *tree = p->draft.tree;
    tree->scheme = PF_TREE_ALPINO;
    tree->line = p->s->line;
    if (!(tree->id = pfi_tree_text(tree, id, strlen(id)))) return pf_nomem();
    for (unsigned j = 0; j < tree->n; j++) PF_TRY(set_word(p, j));
    link_children(p);
    find_heads(p);
    make_units(p);
    for (size_t i = 0; i < p->n; i++) PF_TRY(hang(p, i));
    return p->s->punctuation == PF_TREE_KEEP ? keep_punctuation(p) : PF_OK;
}

pf_err pfi_alpino_make(const pfi_alpino_sentence *s, pf_tree **out) {
    size_t n = s->node.n;
    int32_t *numbers = malloc((4 * n + 1) * sizeof *numbers);
    phrases p = {.s = s, .node = s->node.at, .n = n, .head = numbers};
    pf_err err = numbers && (p.word = malloc((s->words + 1) * sizeof *p.word)) ? PF_OK : pf_nomem();
    if (!err) {
        p.first = numbers + n;
        p.child = p.first + n;
        p.sibling = p.child + n;
        err = sort_words(&p);
    }
    if (!err) err = pfi_tree_draft_new(s->words, &p.draft);
    if (!err) err = set_tree(&p);
    if (!err) err = pfi_tree_finish(&p.draft, out);
    pfi_tree_draft_free(&p.draft);
    free(p.word);
    free(numbers);
    return err;
}
