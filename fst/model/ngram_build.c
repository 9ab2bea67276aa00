/* From a trie of n-grams to a model: which histories are states, where they back off to, where arcs lead.
 *
 * A history is a state if an n-gram extends it or it has a back-off weight; any other changes no score and is dropped for
 * its longest end that is a state. Every history of a node is a node, so the states are closed under taking away the last
 * word, and the state after a word is found from the state before it alone. Nodes are put in order by two counting
 * sorts and visited level by level, which numbers the states by length and words; longest ends are found like the
 * failure links of Aho & Corasick (1975). Linear in the number of n-grams, times the order. */
#include "model/ngram_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pfi_trie *trie;
    pfi_warner *warner;
    uint32_t n;          /* nodes */
    uint32_t *sorted;    /* nodes by history, then by word */
    uint32_t *end;       /* where the children of node i - 1 end in it; of the root at 0 */
    uint32_t *arc;       /* the node of each arc */
    uint32_t *link;      /* the longest proper end of a node that is a node */
    pf_state *state;     /* of a node, or PF_NO_STATE */
    PF_VEC(uint32_t) history; /* the node of each state */
    pfi_ngram *model;
} ngram_builder;

void pfi_ngram_warn(pfi_warner *w, unsigned kind, uint64_t line, const char *format, ...) {
    char words[600], all[800];
    if (!w->warn || w->given >> kind & 1) return;
    w->given |= 1u << kind;
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    if (line) snprintf(all, sizeof all, "%.150s:%llu: %s", w->name, (unsigned long long)line, words);
    else snprintf(all, sizeof all, "%.150s: %s", w->name, words);
    w->warn(w->to, all);
}

void pfi_trie_free(pfi_trie *t) {
    pf_symtab_free(t->words);
    pf_statetab_free(&t->node);
    PF_VEC_FREE(&t->gram);
    PF_VEC_FREE(&t->count);
}

/* The words of a node, for messages; cut at its front when they are too long. */
static const char *spell(const ngram_builder *b, uint32_t node, char *to, size_t size) {
    size_t at = size - 1;
    to[at] = 0;
    for (; node != PFI_ROOT; node = pfi_trie_key(b->trie, node).history) {
        size_t length;
        const char *word = pf_symtab_name(b->trie->words, (pf_label)pfi_trie_key(b->trie, node).word, &length);
        if (length + 1 > at) break;
        if (to[at]) to[--at] = ' ';
        at -= length;
        memcpy(to + at, word, length);
    }
    return to + at;
}

/* A warning about a node: its words, then `rest`. */
static void warn_gram(const ngram_builder *b, unsigned kind, uint32_t node, const char *rest) {
    char words[300];
    if (b->warner->given >> kind & 1) return; /* spelling takes time */
    pfi_ngram_warn(b->warner, kind, 0, "'%s'%s", spell(b, node, words, sizeof words), rest);
}

/* The child of a node by a word, or PFI_ROOT. */
static uint32_t child(const ngram_builder *b, uint32_t node, uint32_t word) {
    if (node == PFI_ROOT) return word - 1;
    pfi_gram_key key = {node, word};
    return pf_statetab_find(&b->trie->node, &key, sizeof key);
}

static uint32_t by_word(pfi_gram_key key) { return key.word; }
static uint32_t by_history(pfi_gram_key key) { return key.history + 1; /* the root is 0 */ }

/* A stable counting sort; in = NULL: all nodes by id. end[k] becomes where the nodes of key k end. */
static void sort_nodes(const ngram_builder *b, uint32_t (*by)(pfi_gram_key), const uint32_t *in, uint32_t *out,
                       uint32_t *end, size_t keys) {
    memset(end, 0, (keys + 1) * sizeof *end);
    for (uint32_t i = 0; i < b->n; i++) end[by(pfi_trie_key(b->trie, i)) + 1]++;
    for (size_t k = 0; k < keys; k++) end[k + 1] += end[k];
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t node = in ? in[i] : i;
        out[end[by(pfi_trie_key(b->trie, node))]++] = node;
    }
}

static uint32_t children(const ngram_builder *b, uint32_t node, uint32_t *first) {
    size_t key = (uint32_t)(node + 1);
    *first = key ? b->end[key - 1] : 0;
    return b->end[key] - *first;
}

static bool is_state(ngram_builder *b, uint32_t node) {
    uint32_t first;
    const pfi_gram *gram = &b->trie->gram.at[node];
    if (!children(b, node, &first)) return gram->back != 0;
    if (!(gram->flags & PFI_WEIGHED) && gram->flags & PFI_LISTED)
        warn_gram(b, PFI_WARN_BACK_MISSING, node,
                  " has no back-off weight, but longer n-grams begin with it; 0 is taken");
    return true;
}

/* Visits histories level by level: states get their numbers, arcs their order. */
static pf_err number(ngram_builder *b) {
    pfi_ngram *m = b->model;
    uint32_t narcs = 0;
    for (uint32_t i = 0; i < b->n; i++) b->state[i] = PF_NO_STATE;
    PF_TRY(PF_PUSH(&b->history, PFI_ROOT));
    PF_TRY(PF_PUSH(&m->level, 1));
    PF_TRY(PF_PUSH(&m->first, 0));
    for (size_t s = 0; s < b->history.n; s++) {
        if (s == m->level.at[m->level.n - 1]) PF_TRY(PF_PUSH(&m->level, (uint32_t)b->history.n));
        uint32_t first, count = children(b, b->history.at[s], &first);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t node = b->arc[narcs++] = b->sorted[first + i];
            bool highest = m->level.n == b->trie->count.n; /* n-grams that nothing can extend */
            if (highest || !is_state(b, node)) continue;
            b->state[node] = (pf_state)b->history.n;
            PF_TRY(PF_PUSH(&b->history, node));
        }
        PF_TRY(PF_PUSH(&m->first, narcs));
    }
    while (m->level.n < b->trie->count.n) PF_TRY(PF_PUSH(&m->level, (uint32_t)b->history.n));
    return PF_OK;
}

/* The longest proper ends of all nodes, shorter nodes first, and the costs of histories that are not listed: backed off
 * as any unlisted n-gram, made a float where the arc is made. */
static void find_links(ngram_builder *b) {
    pfi_gram *gram = b->trie->gram.at;
    for (uint32_t a = 0; a < b->n; a++) {
        uint32_t node = b->arc[a], there;
        pfi_gram_key key = pfi_trie_key(b->trie, node);
        b->link[node] = PFI_ROOT;
        if (key.history == PFI_ROOT) continue;
        double back = gram[key.history].back;
        uint32_t q = b->link[key.history];
        bool gap = gram[key.history].flags & PFI_GAP;
        while ((there = child(b, q, key.word)) == PFI_ROOT) {
            back += gram[q].back;
            q = b->link[q];
            gap = true;
        }
        b->link[node] = there;
        if (gap) gram[node].flags |= PFI_GAP;
        if (!(gram[node].flags & PFI_LISTED)) gram[node].cost = (float)(back + gram[there].cost);
        else if (gap || !(gram[there].flags & PFI_LISTED))
            warn_gram(b, PFI_WARN_SUFFIX, node, " is listed, but it is not listed without its first word");
    }
}

/* The state of the longest proper end of a node. */
static pf_state back_off(const ngram_builder *b, uint32_t node) {
    do node = b->link[node];
    while (node != PFI_ROOT && b->state[node] == PF_NO_STATE);
    return node == PFI_ROOT ? 0 : b->state[node];
}

static pf_err fill(ngram_builder *b) {
    pfi_ngram *m = b->model;
    PF_TRY(PF_ROOM(&m->word, b->n));
    PF_TRY(PF_ROOM(&m->cost, b->n));
    PF_TRY(PF_ROOM(&m->to, b->n));
    for (uint32_t a = 0; a < b->n; a++) {
        uint32_t node = b->arc[a];
        m->word.at[a] = pfi_trie_key(b->trie, node).word;
        m->cost.at[a] = b->trie->gram.at[node].cost;
        m->to.at[a] = b->state[node] != PF_NO_STATE ? b->state[node] : back_off(b, node);
    }
    m->word.n = m->cost.n = m->to.n = b->n;
    PF_TRY(PF_ROOM(&m->back, b->history.n));
    PF_TRY(PF_ROOM(&m->fail, b->history.n));
    for (size_t s = 0; s < b->history.n; s++) {
        uint32_t node = b->history.at[s];
        m->back.at[s] = s ? b->trie->gram.at[node].back : 0;
        m->fail.at[s] = s ? back_off(b, node) : 0;
    }
    m->back.n = m->fail.n = b->history.n;
    PF_TRY(PF_ROOM(&m->count, b->trie->count.n));
    memcpy(m->count.at, b->trie->count.at, b->trie->count.n * sizeof *m->count.at);
    m->count.n = b->trie->count.n;
    m->words = pf_symtab_ref(b->trie->words);
    if (!pfi_ngram_marks(m)) return pf_fail(PF_EINPUT, "%s: expected </s> and <unk> among the words", b->warner->name);
    return PF_OK;
}

static pf_err build(ngram_builder *b) {
    size_t words = pf_symtab_count(b->trie->words), keys = (words > b->n ? words : b->n) + (size_t)1;
    PF_TRY(pfi_ngram_new(&b->model));
    b->sorted = malloc(b->n * sizeof *b->sorted);
    b->end = malloc((keys + 1) * sizeof *b->end);
    b->arc = malloc(b->n * sizeof *b->arc);
    b->link = malloc(b->n * sizeof *b->link);
    b->state = malloc(b->n * sizeof *b->state);
    if (!b->sorted || !b->end || !b->arc || !b->link || !b->state) return pf_nomem();
    sort_nodes(b, by_word, NULL, b->arc, b->end, keys); /* arc serves as room */
    sort_nodes(b, by_history, b->arc, b->sorted, b->end, keys);
    PF_TRY(number(b));
    find_links(b);
    PF_TRY(fill(b));
    return pfi_ngram_mark_longer(b->model);
}

pf_err pfi_ngram_build(pfi_trie *trie, pfi_warner *warner, pfi_ngram **out) {
    ngram_builder b = {.trie = trie, .warner = warner, .n = trie->node.n};
    pf_err err = build(&b);
    free(b.sorted);
    free(b.end);
    free(b.arc);
    free(b.link);
    free(b.state);
    PF_VEC_FREE(&b.history);
    if (err) pfi_ngram_free(b.model);
    else *out = b.model;
    return err;
}
