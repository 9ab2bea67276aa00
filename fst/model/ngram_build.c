/* From a trie of n-grams to a model: which histories are states, where they back off to, where arcs lead.
 *
 * A history is a state if an n-gram extends it or it has a back-off weight; any other changes no score and is dropped for
 * its longest end that is a state. Every history of a node is a node, so the states are closed under taking away the last
 * word, and the state after a word is found from the state before it alone. Nodes come in the order of arcs: visited one after
 * the other, they number the states by length and words. Longest ends are found like the failure links of Aho & Corasick (1975):
 * the children of a history are merged with those of its own longest end, both ascend by word. */
#include "model/ngram_impl.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pfi_trie *trie;
    pfi_warner *warner;
    uint32_t nodes;   /* how many; node i is arc i of the model */
    uint32_t *end;    /* where the children of each node end; of the last word at the end of the words */
    uint32_t *link;   /* the longest proper end of a node that is a node */
    pf_state *state;  /* of a node, or PF_NO_STATE */
    PF_VEC(uint32_t) history; /* the node of each state */
    PF_VEC(uint32_t) first;   /* states + 1: where the arcs of each begin, and the end */
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

/* The words of a node, for messages; cut at its front when they are too long. */
static const char *spell(const ngram_builder *builder, uint32_t node, char *to, size_t size) {
    size_t at = size - 1;
    to[at] = 0;
    for (; node != PFI_ROOT; node = builder->trie->node.at[node].history) {
        size_t length;
        const char *word = pf_symtab_name(builder->trie->words, (pf_label)builder->trie->node.at[node].word, &length);
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

/* Children stand in the order of their histories, after all words. */
static void find_children(ngram_builder *builder) {
    uint32_t at = (uint32_t)pf_symtab_count(builder->trie->words);
    for (uint32_t node = 0; node < builder->nodes; node++) {
        while (at < builder->nodes && builder->trie->node.at[at].history == node) at++;
        builder->end[node] = at;
    }
    assert(at == builder->nodes);
}

/* The children of a node, from *first on: how many. */
static uint32_t children(const ngram_builder *builder, uint32_t node, uint32_t *first) {
    const uint32_t words = (uint32_t)pf_symtab_count(builder->trie->words);
    *first = node == PFI_ROOT ? 0 : node ? builder->end[node - 1] : words;
    return (node == PFI_ROOT ? words : builder->end[node]) - *first;
}

/* The child of a node by a word, or PFI_ROOT. *near is where it was or would be; it is looked for from there on, if all words of
 * the children before *near are below it. */
static uint32_t child(const ngram_builder *builder, uint32_t node, uint32_t word, uint32_t *near) {
    if (node == PFI_ROOT) return word - 1;
    const pfi_gram_key *key = builder->trie->node.at;
    const uint32_t end = builder->end[node];
    uint32_t low = *near, high = low, step = 1;
    while (high < end && key[high].word < word) { /* the ones before `low` are below */
        low = high + 1;
        high = step < end - high ? high + step : end;
        step *= 2;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (key[middle].word < word) low = middle + 1;
        else high = middle;
    }
    *near = low;
    return low < end && key[low].word == word ? low : PFI_ROOT;
}

/* The same among all children. */
static uint32_t any_child(const ngram_builder *builder, uint32_t node, uint32_t word) {
    uint32_t first;
    children(builder, node, &first);
    return child(builder, node, word, &first);
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
    PF_TRY(PF_PUSH(&builder->first, 0));
    for (size_t state = 0; state < builder->history.n; state++) {
        if (state == model->level.at[model->level.n - 1]) PF_TRY(PF_PUSH(&model->level, (uint32_t)builder->history.n));
        uint32_t first, count = children(builder, builder->history.at[state], &first);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t node = first + i;
            assert(node == narcs);
            narcs++;
            bool highest = model->level.n == builder->trie->count.n; /* n-grams that nothing can extend */
            if (highest || !is_state(builder, node)) continue;
            builder->state[node] = (pf_state)builder->history.n;
            PF_TRY(PF_PUSH(&builder->history, node));
        }
        PF_TRY(PF_PUSH(&builder->first, narcs));
    }
    assert(narcs == builder->nodes); /* the history of each is a state */
    while (model->level.n < builder->trie->count.n) PF_TRY(PF_PUSH(&model->level, (uint32_t)builder->history.n));
    return PF_OK;
}

/* The longest proper ends of all nodes, shorter nodes first, and the costs of histories that are not listed: backed off
 * as any unlisted n-gram, made a float where the arc is made. */
static void find_links(ngram_builder *builder) {
    pfi_gram *gram = builder->trie->gram.at;
    uint32_t near = 0, near_to = PFI_ROOT; /* where the last word was found, after which history */
    for (uint32_t node = 0; node < builder->nodes; node++) {
        const pfi_gram_key key = builder->trie->node.at[node];
        builder->link[node] = PFI_ROOT;
        if (key.history == PFI_ROOT) continue;
        double back = gram[key.history].back;
        uint32_t shorter = builder->link[key.history];
        bool gap = gram[key.history].flags & PFI_GAP;
        if (key.history != near_to) children(builder, shorter, &near);
        near_to = key.history;
        uint32_t there = child(builder, shorter, key.word, &near);
        for (; there == PFI_ROOT; there = any_child(builder, shorter, key.word)) {
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

static pf_err fill_states(ngram_builder *builder) {
    pfi_ngram *model = builder->model;
    const size_t states = builder->history.n;
    PF_TRY(pfi_packed_new(states + 1, builder->nodes, &model->first));
    PF_TRY(pfi_packed_new(states, (uint32_t)states - 1, &model->fail));
    PF_TRY(PF_ROOM(&model->back, states));
    for (size_t state = 0; state <= states; state++) pfi_packed_set(&model->first, state, builder->first.at[state]);
    for (size_t state = 0; state < states; state++) {
        const uint32_t node = builder->history.at[state];
        const pf_state fail = state ? back_off(builder, node) : 0;
        assert(!state || fail < state);
        pfi_packed_set(&model->fail, state, fail);
        model->back.at[model->back.n++] = state ? builder->trie->gram.at[node].back : 0;
    }
    return PF_OK;
}

static pf_err fill_arcs(ngram_builder *builder) {
    pfi_ngram *model = builder->model;
    const size_t inner = pfi_ngram_inner_arcs(model);
    PF_TRY(pfi_packed_new(builder->nodes, (uint32_t)pf_symtab_count(builder->trie->words), &model->word));
    PF_TRY(pfi_packed_new(inner, (uint32_t)builder->history.n - 1, &model->to));
    PF_TRY(PF_ROOM(&model->cost, builder->nodes));
    for (uint32_t node = 0; node < builder->nodes; node++) {
        const pf_state state = builder->state[node];
        pfi_packed_set(&model->word, node, builder->trie->node.at[node].word);
        model->cost.at[model->cost.n++] = builder->trie->gram.at[node].cost;
        if (node < inner) pfi_packed_set(&model->to, node, state != PF_NO_STATE ? state : back_off(builder, node));
    }
    return PF_OK;
}

static pf_err fill(ngram_builder *builder) {
    pfi_ngram *model = builder->model;
    PF_TRY(fill_states(builder));
    PF_TRY(fill_arcs(builder));
    PF_TRY(PF_ROOM(&model->count, builder->trie->count.n));
    memcpy(model->count.at, builder->trie->count.at, builder->trie->count.n * sizeof *model->count.at);
    model->count.n = builder->trie->count.n;
    model->words = pf_symtab_ref(builder->trie->words);
    if (!pfi_ngram_marks(model)) return pf_fail(PF_EINPUT, "%s: expected </s> and <unk> among the words", builder->warner->name);
    return PF_OK;
}

static pf_err build(ngram_builder *builder) {
    PF_TRY(pfi_ngram_new(&builder->model));
    builder->end = malloc(builder->nodes * sizeof *builder->end);
    builder->link = malloc(builder->nodes * sizeof *builder->link);
    builder->state = malloc(builder->nodes * sizeof *builder->state);
    if (!builder->end || !builder->link || !builder->state) return pf_nomem();
    find_children(builder);
    PF_TRY(number(builder));
    find_links(builder);
    PF_TRY(fill(builder));
    return pfi_ngram_mark_longer(builder->model);
}

pf_err pfi_ngram_build(pfi_trie *trie, pfi_warner *warner, pfi_ngram **out) {
    ngram_builder builder = {.trie = trie, .warner = warner, .nodes = (uint32_t)trie->node.n};
    pf_err err = build(&builder);
    free(builder.end);
    free(builder.link);
    free(builder.state);
    PF_VEC_FREE(&builder.history);
    PF_VEC_FREE(&builder.first);
    if (err) pfi_ngram_free(builder.model);
    else *out = builder.model;
    return err;
}
