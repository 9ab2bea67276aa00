/* From a trie of n-grams to a model: which histories are states, where they back off to, where arcs lead.
 *
 * A history is a state if an n-gram extends it or it has a back-off weight; any other changes no score and is dropped for
 * its longest end that is a state. Every history of a node is a node, so the states are closed under taking away the last
 * word, and the state after a word is found from the state before it alone. Nodes are put in order by two counting
 * sorts and visited level by level, which numbers the states by length and words; longest ends are found like the
 * failure links of Aho & Corasick (1975). Linear in the number of n-grams, times the order. */
#include "model/ngram_impl.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pfi_trie *trie;
    pfi_warner *warner;
    uint32_t nodes;   /* how many */
    uint32_t *sorted; /* nodes by history, then by word */
    uint32_t *end;    /* where the children of node i - 1 end in it; of the root at 0 */
    uint32_t *arc;    /* the node of each arc */
    uint32_t *link;   /* the longest proper end of a node that is a node */
    pf_state *state;  /* of a node, or PF_NO_STATE */
    PF_VEC(uint32_t) history; /* the node of each state */
    pfi_ngram *model;
} ngram_builder;

void pfi_ngram_warn(pfi_warner *warner, unsigned kind, uint64_t line, const char *format, ...) {
    char words[600], all[800];
    if (!warner->warn || warner->given >> kind & 1) return;
    warner->given |= 1u << kind;
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    if (line) snprintf(all, sizeof all, "%.150s:%llu: %s", warner->name, (unsigned long long)line, words);
    else snprintf(all, sizeof all, "%.150s: %s", warner->name, words);
    warner->warn(warner->to, all);
}

void pfi_trie_free(pfi_trie *trie) {
    pf_symtab_free(trie->words);
    pf_statetab_free(&trie->node);
    PF_VEC_FREE(&trie->gram);
    PF_VEC_FREE(&trie->count);
}

/* The words of a node, for messages; cut at its front when they are too long. */
static const char *spell(const ngram_builder *builder, uint32_t node, char *to, size_t size) {
    size_t at = size - 1;
    to[at] = 0;
    for (; node != PFI_ROOT; node = pfi_trie_key(builder->trie, node).history) {
        size_t length;
        const char *word = pf_symtab_name(builder->trie->words, (pf_label)pfi_trie_key(builder->trie, node).word, &length);
        if (length + 1 > at) break;
        if (to[at]) to[--at] = ' ';
        at -= length;
        memcpy(to + at, word, length);
    }
    return to + at;
}

/* A warning about a node: its words, then `rest`. */
static void warn_gram(const ngram_builder *builder, unsigned kind, uint32_t node, const char *rest) {
    char words[300];
    if (builder->warner->given >> kind & 1) return; /* spelling takes time */
    pfi_ngram_warn(builder->warner, kind, 0, "'%s'%s", spell(builder, node, words, sizeof words), rest);
}

/* The child of a node by a word, or PFI_ROOT. */
static uint32_t child(const ngram_builder *builder, uint32_t node, uint32_t word) {
    if (node == PFI_ROOT) return word - 1;
    pfi_gram_key key = {node, word};
    return pf_statetab_find(&builder->trie->node, &key, sizeof key);
}

static uint32_t by_word(pfi_gram_key key) { return key.word; }
static uint32_t by_history(pfi_gram_key key) { return key.history + 1; /* the root is 0 */ }

/* A stable counting sort; in = NULL: all nodes by id. end[k] becomes where the nodes of key k end. */
static void sort_nodes(const ngram_builder *builder, uint32_t (*by)(pfi_gram_key), const uint32_t *in, uint32_t *out,
                       uint32_t *end, size_t keys) {
    memset(end, 0, (keys + 1) * sizeof *end);
    for (uint32_t i = 0; i < builder->nodes; i++) end[by(pfi_trie_key(builder->trie, i)) + 1]++;
    for (size_t k = 0; k < keys; k++) end[k + 1] += end[k];
    assert(end[keys] == builder->nodes); /* each has a key */
    for (uint32_t i = 0; i < builder->nodes; i++) {
        uint32_t node = in ? in[i] : i;
        out[end[by(pfi_trie_key(builder->trie, node))]++] = node;
    }
}

static uint32_t children(const ngram_builder *builder, uint32_t node, uint32_t *first) {
    size_t key = (uint32_t)(node + 1);
    *first = key ? builder->end[key - 1] : 0;
    return builder->end[key] - *first;
}

static bool is_state(ngram_builder *builder, uint32_t node) {
    uint32_t first;
    const pfi_gram *gram = &builder->trie->gram.at[node];
    if (!children(builder, node, &first)) return gram->back != 0;
    if (!(gram->flags & PFI_WEIGHED) && gram->flags & PFI_LISTED)
        warn_gram(builder, PFI_WARN_BACK_MISSING, node,
                  " has no back-off weight, but longer n-grams begin with it; 0 is taken");
    return true;
}

/* Visits histories level by level: states get their numbers, arcs their order. */
static pf_err number(ngram_builder *builder) {
    pfi_ngram *model = builder->model;
    uint32_t narcs = 0;
    for (uint32_t i = 0; i < builder->nodes; i++) builder->state[i] = PF_NO_STATE;
    PF_TRY(PF_PUSH(&builder->history, PFI_ROOT));
    PF_TRY(PF_PUSH(&model->level, 1));
    PF_TRY(PF_PUSH(&model->first, 0));
    for (size_t state = 0; state < builder->history.n; state++) {
        if (state == model->level.at[model->level.n - 1]) PF_TRY(PF_PUSH(&model->level, (uint32_t)builder->history.n));
        uint32_t first, count = children(builder, builder->history.at[state], &first);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t node = builder->arc[narcs++] = builder->sorted[first + i];
            bool highest = model->level.n == builder->trie->count.n; /* n-grams that nothing can extend */
            if (highest || !is_state(builder, node)) continue;
            builder->state[node] = (pf_state)builder->history.n;
            PF_TRY(PF_PUSH(&builder->history, node));
        }
        PF_TRY(PF_PUSH(&model->first, narcs));
    }
    assert(narcs == builder->nodes); /* the history of each is a state */
    while (model->level.n < builder->trie->count.n) PF_TRY(PF_PUSH(&model->level, (uint32_t)builder->history.n));
    return PF_OK;
}

/* The longest proper ends of all nodes, shorter nodes first, and the costs of histories that are not listed: backed off
 * as any unlisted n-gram, made a float where the arc is made. */
static void find_links(ngram_builder *builder) {
    pfi_gram *gram = builder->trie->gram.at;
    for (uint32_t arc = 0; arc < builder->nodes; arc++) {
        uint32_t node = builder->arc[arc], there;
        pfi_gram_key key = pfi_trie_key(builder->trie, node);
        builder->link[node] = PFI_ROOT;
        if (key.history == PFI_ROOT) continue;
        double back = gram[key.history].back;
        uint32_t shorter = builder->link[key.history];
        bool gap = gram[key.history].flags & PFI_GAP;
        while ((there = child(builder, shorter, key.word)) == PFI_ROOT) {
            back += gram[shorter].back;
            shorter = builder->link[shorter];
            gap = true;
        }
        builder->link[node] = there;
        if (gap) gram[node].flags |= PFI_GAP;
        if (!(gram[node].flags & PFI_LISTED)) gram[node].cost = (float)(back + gram[there].cost);
        else if (gap || !(gram[there].flags & PFI_LISTED))
            warn_gram(builder, PFI_WARN_SUFFIX, node, " is listed, but it is not listed without its first word");
    }
}

/* The state of the longest proper end of a node. */
static pf_state back_off(const ngram_builder *builder, uint32_t node) {
    do node = builder->link[node];
    while (node != PFI_ROOT && builder->state[node] == PF_NO_STATE);
    return node == PFI_ROOT ? 0 : builder->state[node];
}

static pf_err fill(ngram_builder *builder) {
    pfi_ngram *model = builder->model;
    PF_TRY(PF_ROOM(&model->word, builder->nodes));
    PF_TRY(PF_ROOM(&model->cost, builder->nodes));
    PF_TRY(PF_ROOM(&model->to, builder->nodes));
    for (uint32_t arc = 0; arc < builder->nodes; arc++) {
        uint32_t node = builder->arc[arc];
        model->word.at[arc] = pfi_trie_key(builder->trie, node).word;
        model->cost.at[arc] = builder->trie->gram.at[node].cost;
        model->to.at[arc] = builder->state[node] != PF_NO_STATE ? builder->state[node] : back_off(builder, node);
    }
    model->word.n = model->cost.n = model->to.n = builder->nodes;
    PF_TRY(PF_ROOM(&model->back, builder->history.n));
    PF_TRY(PF_ROOM(&model->fail, builder->history.n));
    for (size_t state = 0; state < builder->history.n; state++) {
        uint32_t node = builder->history.at[state];
        model->back.at[state] = state ? builder->trie->gram.at[node].back : 0;
        model->fail.at[state] = state ? back_off(builder, node) : 0;
        assert(!state || model->fail.at[state] < state);
    }
    model->back.n = model->fail.n = builder->history.n;
    PF_TRY(PF_ROOM(&model->count, builder->trie->count.n));
    memcpy(model->count.at, builder->trie->count.at, builder->trie->count.n * sizeof *model->count.at);
    model->count.n = builder->trie->count.n;
    model->words = pf_symtab_ref(builder->trie->words);
    if (!pfi_ngram_marks(model)) return pf_fail(PF_EINPUT, "%s: expected </s> and <unk> among the words", builder->warner->name);
    return PF_OK;
}

static pf_err build(ngram_builder *builder) {
    size_t words = pf_symtab_count(builder->trie->words), keys = (words > builder->nodes ? words : builder->nodes) + (size_t)1;
    PF_TRY(pfi_ngram_new(&builder->model));
    builder->sorted = malloc(builder->nodes * sizeof *builder->sorted);
    builder->end = malloc((keys + 1) * sizeof *builder->end);
    builder->arc = malloc(builder->nodes * sizeof *builder->arc);
    builder->link = malloc(builder->nodes * sizeof *builder->link);
    builder->state = malloc(builder->nodes * sizeof *builder->state);
    if (!builder->sorted || !builder->end || !builder->arc || !builder->link || !builder->state) return pf_nomem();
    sort_nodes(builder, by_word, NULL, builder->arc, builder->end, keys); /* arc serves as room */
    sort_nodes(builder, by_history, builder->arc, builder->sorted, builder->end, keys);
    PF_TRY(number(builder));
    find_links(builder);
    PF_TRY(fill(builder));
    return pfi_ngram_mark_longer(builder->model);
}

pf_err pfi_ngram_build(pfi_trie *trie, pfi_warner *warner, pfi_ngram **out) {
    ngram_builder builder = {.trie = trie, .warner = warner, .nodes = trie->node.n};
    pf_err err = build(&builder);
    free(builder.sorted);
    free(builder.end);
    free(builder.arc);
    free(builder.link);
    free(builder.state);
    PF_VEC_FREE(&builder.history);
    if (err) pfi_ngram_free(builder.model);
    else *out = builder.model;
    return err;
}
