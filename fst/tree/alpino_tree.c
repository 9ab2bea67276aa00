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
    const pfi_alpino_node **word; /* nodes, in the order of the sentence */
    pfi_tree_draft draft;
} phrases;

static uint32_t phrase_of(const phrases *parsed, size_t word) { return (uint32_t)(parsed->word[word] - parsed->node); }

static const char *text(const phrases *parsed, size_t phrase, unsigned which) {
    return pfi_alpino_text(parsed->sentence, &parsed->node[phrase], which);
}
static bool is(const phrases *parsed, size_t phrase, unsigned which, const char *value) {
    return strcmp(text(parsed, phrase, which), value) == 0;
}

/* ---- words ---- */

static int by_begin(const void *first, const void *second) {
    const pfi_alpino_node *const *words[] = {first, second};
    const uint32_t one = (*words[0])->begin, other = (*words[1])->begin;
    return (one > other) - (one < other);
}

static pf_err fail(const phrases *parsed, const char *words, const char *word) {
    const char *id = parsed->sentence->text.at + parsed->sentence->id;
    return pf_fail(PF_EINPUT, "%s:%llu: %s%.80s%s%s%.40s", pf_reader_name(parsed->sentence->reader),
                   (unsigned long long)parsed->sentence->line,
                   *id ? "sentence " : "", id, *id ? ": " : "", words, word);
}

static pf_err sort_words(phrases *parsed) {
    size_t words = 0;
    for (size_t phrase = 0; phrase < parsed->n; phrase++)
        if (parsed->node[phrase].text[PFI_ALPINO_WORD]) parsed->word[words++] = &parsed->node[phrase];
    assert(words == parsed->sentence->words);
    qsort(parsed->word, words, sizeof *parsed->word, by_begin);
    for (size_t place = 1; place < words; place++)
        if (parsed->word[place]->begin == parsed->word[place - 1]->begin)
            return fail(parsed, "two words begin at the same position; the second is ",
                        text(parsed, phrase_of(parsed, place), PFI_ALPINO_WORD));
    return words ? PF_OK : fail(parsed, "expected a sentence with words, found none", "");
}

static void link_children(phrases *parsed) {
    for (size_t phrase = 0; phrase < parsed->n; phrase++)
        parsed->head[phrase] = parsed->first[phrase] = parsed->child[phrase] = parsed->sibling[phrase] = -1;
    for (size_t phrase = parsed->n; phrase-- > 0;) {
        uint32_t parent = parsed->node[phrase].parent;
        if (parent == UINT32_MAX) continue;
        parsed->sibling[phrase] = parsed->child[parent];
        parsed->child[parent] = (int32_t)phrase;
    }
    for (unsigned word = 0; word < parsed->sentence->words; word++) parsed->first[phrase_of(parsed, word)] = (int32_t)word;
    for (size_t phrase = parsed->n; phrase-- > 0;) {
        uint32_t parent = parsed->node[phrase].parent;
        if (parent == UINT32_MAX || parsed->first[phrase] < 0) continue;
        if (parsed->first[parent] < 0 || parsed->first[phrase] < parsed->first[parent])
            parsed->first[parent] = parsed->first[phrase];
    }
}

/* ---- heads ---- */

static bool has_child(const phrases *parsed, size_t phrase, const char *rel) {
    for (int32_t child = parsed->child[phrase]; child >= 0; child = parsed->sibling[child])
        if (is(parsed, (size_t)child, PFI_ALPINO_REL, rel)) return true;
    return false;
}

/* The first child of this rel that has words; -1: none. */
static int32_t child_with(const phrases *parsed, size_t phrase, const char *rel) {
    for (int32_t child = parsed->child[phrase]; child >= 0; child = parsed->sibling[child])
        if (parsed->head[child] >= 0 && is(parsed, (size_t)child, PFI_ALPINO_REL, rel)) return child;
    return -1;
}

static bool gives_its_verb(const phrases *parsed, int32_t vc) {
    return is(parsed, (size_t)vc, PFI_ALPINO_CAT, "inf") || is(parsed, (size_t)vc, PFI_ALPINO_CAT, "ppart") ||
           is(parsed, (size_t)vc, PFI_ALPINO_PT, "ww");
}

/* The child that heads a phrase with words. The hd beside a vc may be a reference to a verb that is spelled out elsewhere. */
static int32_t head_child(const phrases *parsed, size_t phrase) {
    static const char *const heads[] = {"hd", "cmp", "crd", "dlink", "rhd", "whd", "nucl"};
    int32_t vc = has_child(parsed, phrase, "hd") ? child_with(parsed, phrase, "vc") : -1;
    if (vc >= 0 && gives_its_verb(parsed, vc)) return vc;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        int32_t found = child_with(parsed, phrase, heads[k]);
        if (found >= 0) return found;
    }
    for (int32_t child = parsed->child[phrase];; child = parsed->sibling[child])
        if (parsed->first[child] == parsed->first[phrase]) return child;
}

static bool is_unit(const phrases *parsed, size_t phrase) { return is(parsed, phrase, PFI_ALPINO_CAT, "mwu"); }
static bool is_top(const phrases *parsed, size_t phrase) {
    return parsed->node[phrase].parent == UINT32_MAX && is(parsed, phrase, PFI_ALPINO_CAT, "top");
}

/* Children come after their parents, so this goes from the leaves up. */
static void find_heads(phrases *parsed) {
    for (size_t phrase = parsed->n; phrase-- > 0;) {
        if (parsed->first[phrase] < 0) continue;
        bool leaf = parsed->node[phrase].text[PFI_ALPINO_WORD] || is_unit(parsed, phrase);
        parsed->head[phrase] = leaf ? parsed->first[phrase] : parsed->head[head_child(parsed, phrase)];
    }
}

/* The words of a multi-word unit are one unit, also those of phrases inside it. */
static void make_units(const phrases *parsed) {
    for (unsigned word = 0; word < parsed->sentence->words; word++) {
        for (uint32_t phrase = phrase_of(parsed, word); phrase != UINT32_MAX; phrase = parsed->node[phrase].parent)
            if (is_unit(parsed, phrase)) parsed->draft.unit[word] = (uint32_t)parsed->first[phrase];
        if (parsed->draft.unit[word] != word) parsed->draft.tree->word[word].relation = "mwp";
    }
}

static bool in_unit(const phrases *parsed, size_t phrase) {
    uint32_t parent = parsed->node[phrase].parent;
    while (parent != UINT32_MAX && !is_unit(parsed, parent)) parent = parsed->node[parent].parent;
    return parent != UINT32_MAX;
}

static pf_err hang(const phrases *parsed, size_t phrase) {
    uint32_t parent = parsed->node[phrase].parent;
    int32_t head = parsed->head[phrase];
    if (head < 0 || in_unit(parsed, phrase) || is_top(parsed, phrase)) return PF_OK;
    bool under_top = parent == UINT32_MAX || is_top(parsed, parent);
    pf_tree_word *word = &parsed->draft.tree->word[head];
    if (is(parsed, phrase, PFI_ALPINO_REL, "body") && is(parsed, phrase, PFI_ALPINO_CAT, "ssub")) word->features |= PF_WORD_CLAUSE;
    if (!under_top && parsed->head[parent] == head) return PF_OK; /* it heads the phrase that it is in */
    bool mark = under_top && is(parsed, phrase, PFI_ALPINO_PT, "let") && parsed->sentence->punctuation == PF_TREE_SKIP;
    parsed->draft.head[head] = mark ? PFI_HEAD_MARK : under_top ? PFI_HEAD_TOP : parsed->head[parent];
    const char *rel = text(parsed, phrase, PFI_ALPINO_REL);
    if (!(word->relation = pfi_tree_text(parsed->draft.tree, *rel ? rel : "--", strlen(*rel ? rel : "--")))) return pf_nomem();
    return PF_OK;
}

/* ---- punctuation in the tree ---- */

typedef struct {
    int32_t first, last;
    unsigned depth;
} word_span;

static bool is_let(const phrases *parsed, unsigned word) {
    uint32_t parent = parsed->word[word]->parent;
    return is(parsed, phrase_of(parsed, word), PFI_ALPINO_PT, "let") && (parent == UINT32_MAX || is_top(parsed, parent));
}

/* The spans of all constituents, of words that are no punctuation. A word is in the constituents of all heads above it. */
static void find_spans(const phrases *parsed, word_span *spans) {
    for (unsigned word = 0; word < parsed->sentence->words; word++) spans[word] = (word_span){INT32_MAX, -1, 0};
    for (unsigned word = 0; word < parsed->sentence->words; word++) {
        if (is_let(parsed, word)) continue;
        unsigned depth = 0;
        for (int32_t governor = (int32_t)parsed->draft.unit[word]; governor >= 0;
             governor = parsed->draft.head[governor], depth++) {
            if ((int32_t)word < spans[governor].first) spans[governor].first = (int32_t)word;
            if ((int32_t)word > spans[governor].last) spans[governor].last = (int32_t)word;
        }
        spans[parsed->draft.unit[word]].depth = depth;
    }
}

static pf_err keep_punctuation(const phrases *parsed) {
    word_span *spans = malloc((parsed->sentence->words + 1) * sizeof *spans);
    if (!spans) return pf_nomem();
    find_spans(parsed, spans);
    for (unsigned word = 0; word < parsed->sentence->words; word++) {
        int32_t lowest = PFI_HEAD_TOP;
        if (!is_let(parsed, word)) continue;
        for (int32_t governor = 0; governor < (int32_t)parsed->sentence->words; governor++)
            if (spans[governor].first < (int32_t)word && (int32_t)word < spans[governor].last
                && (lowest < 0 || spans[governor].depth > spans[lowest].depth))
                lowest = governor;
        parsed->draft.head[word] = lowest;
    }
    free(spans);
    return PF_OK;
}

/* ---- the tree ---- */

static pf_err set_word(const phrases *parsed, unsigned word) {
    size_t phrase = phrase_of(parsed, word);
    pf_tree *tree = parsed->draft.tree;
    const unsigned which[] = {PFI_ALPINO_WORD, PFI_ALPINO_LEMMA, PFI_ALPINO_POSTAG};
    const char **to[] = {&tree->word[word].form, &tree->word[word].lemma, &tree->word[word].xpos};
    for (size_t k = 0; k < 3; k++) {
        const char *value = text(parsed, phrase, which[k]);
        if (*value && !(*to[k] = pfi_tree_text(tree, value, strlen(value)))) return pf_nomem();
    }
    if (is(parsed, phrase, PFI_ALPINO_PT, "ww")) tree->word[word].features |= PF_WORD_VERB;
    if (is(parsed, phrase, PFI_ALPINO_WVORM, "pv")) tree->word[word].features |= PF_WORD_FINITE;
    if (strcasecmp(tree->word[word].form, "niet") == 0) tree->word[word].features |= PF_WORD_NEGATIVE;
    return PF_OK;
}

static pf_err set_tree(phrases *parsed) {
    const char *id = parsed->sentence->text.at + parsed->sentence->id;
    pf_tree *tree = parsed->draft.tree;
    tree->scheme = PF_TREE_ALPINO;
    tree->line = parsed->sentence->line;
    if (!(tree->id = pfi_tree_text(tree, id, strlen(id)))) return pf_nomem();
    for (unsigned word = 0; word < tree->n; word++) PF_TRY(set_word(parsed, word));
    link_children(parsed);
    find_heads(parsed);
    make_units(parsed);
    for (size_t phrase = 0; phrase < parsed->n; phrase++) PF_TRY(hang(parsed, phrase));
    return parsed->sentence->punctuation == PF_TREE_KEEP ? keep_punctuation(parsed) : PF_OK;
}

pf_err pfi_alpino_make(const pfi_alpino_sentence *sentence, pf_tree **out) {
    size_t nodes = sentence->node.n;
    int32_t *numbers = malloc((4 * nodes + 1) * sizeof *numbers);
    phrases parsed = {.sentence = sentence, .node = sentence->node.at, .n = nodes, .head = numbers};
    pf_err err = numbers && (parsed.word = malloc((sentence->words + 1) * sizeof *parsed.word)) ? PF_OK : pf_nomem();
    if (!err) {
        parsed.first = numbers + nodes;
        parsed.child = parsed.first + nodes;
        parsed.sibling = parsed.child + nodes;
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
