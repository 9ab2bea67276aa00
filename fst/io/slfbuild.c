/* From the nodes and links of an SLF file to a machine: nodes by number, the two ends found, words and scores of nodes put
 * on their links, then the states in topological order. O(links + nodes log nodes). */
#include "io/slf_impl.h"

#include "io/io_impl.h"
#include <permfst/machine/build.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const pfi_slf_lattice *lattice;
    pf_reader *reader;
    const pf_lattice_options *options;
    const pf_symtab *words;
    uint32_t *state;    /* of each node */
    uint32_t start, end; /* indexes of nodes */
    double penalty;
    uint64_t line;      /* of what is looked at, for messages */
    uint64_t mark[PFI_SLF_ALL]; /* the line whose link has this score */
    pf_build build;
} slf_builder;

static pf_err bad(const slf_builder *b, uint64_t line, const char *words) {
    return pf_fail(PF_EINPUT, "%s:%llu: %s", pf_reader_name(b->reader), (unsigned long long)line, words);
}

/* ---- states by number ---- */

typedef struct {
    uint32_t number, node;
} numbered;

static int by_number(const void *x, const void *y) {
    const numbered *a = x, *b = y;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Node i of the text is the state of its rank by number, after the `extra` first state. */
static pf_err rank_nodes(slf_builder *b, unsigned extra) {
    size_t n = b->lattice->node.n;
    numbered *list = malloc(n * sizeof *list);
    if (!list) return pf_nomem();
    for (uint32_t i = 0; i < n; i++) list[i] = (numbered){b->lattice->number.at[i], i};
    qsort(list, n, sizeof *list, by_number);
    for (uint32_t i = 0; i < n; i++) b->state[list[i].node] = i + extra;
    free(list);
    return PF_OK;
}

/* ---- the two ends ---- */

/* The node of a number that the header gives. */
static pf_err named_end(const slf_builder *b, uint32_t number, const char *name, uint32_t *to) {
    char words[80];
    for (*to = 0; *to < b->lattice->node.n; ++*to)
        if (b->lattice->number.at[*to] == number) return PF_OK;
    snprintf(words, sizeof words, "%s=%u, but there is no node %u", name, number, number);
    return bad(b, b->lattice->head.line, words);
}

/* The only node that is not touched. */
static pf_err only_end(const slf_builder *b, const char *touched, const char *which, const char *name, uint32_t *to) {
    char words[200];
    uint32_t found = 0, other = 0;
    for (uint32_t i = 0; i < b->lattice->node.n; i++) {
        if (touched[i]) continue;
        if (found++) other = i;
        else *to = i;
    }
    if (found == 1) return PF_OK;
    if (!found) snprintf(words, sizeof words, "every node has a link that %s it: there is a cycle, and no %s", which, name);
    else
        snprintf(words, sizeof words,
                 "expected one node without a link that %s it, found %u, for example %u and %u: %s= can name one", which, found,
                 b->lattice->number.at[*to], b->lattice->number.at[other], name);
    return bad(b, b->lattice->head.line, words);
}

static pf_err find_ends(slf_builder *b) {
    const pfi_slf_lattice *l = b->lattice;
    size_t n = l->node.n;
    char *touched = calloc(2 * n + 1, 1);
    if (!touched) return pf_nomem();
    for (size_t i = 0; i < l->link.n; i++) touched[l->link.at[i].to] = touched[n + l->link.at[i].from] = 1;
    pf_err err = l->head.start != PFI_SLF_NONE ? named_end(b, l->head.start, "start", &b->start)
                                               : only_end(b, touched, "enters", "start", &b->start);
    if (!err)
        err = l->head.end != PFI_SLF_NONE ? named_end(b, l->head.end, "end", &b->end)
                                          : only_end(b, touched + n, "leaves", "end", &b->end);
    free(touched);
    return err;
}

/* ---- arcs ---- */

static pf_err conflict(const slf_builder *b, const pfi_slf_item *link, const pfi_slf_item *node) {
    char shown[2][60], words[240];
    for (unsigned i = 0; i < 2; i++) {
        size_t n;
        const char *word = pf_symtab_name(b->words, i ? node->word : link->word, &n);
        pfi_printable(word, n, shown[i], sizeof shown[i]);
    }
    snprintf(words, sizeof words, "the link has the word '%s', but its node, on line %llu, has the word '%s'", shown[0],
             (unsigned long long)node->line, shown[1]);
    return bad(b, link->line, words);
}

/* An arc with what a link says, and for the rest what its node says. */
static pf_err add_arc(slf_builder *b, const pfi_slf_item *link, const pfi_slf_item *node, pf_state from, pf_state to) {
    float w;
    double sum = 0;
    pf_label word = link && link->word ? link->word : node->word;
    uint64_t line = link ? link->line : node->line;
    if (link && link->word && node->word && link->word != node->word) return conflict(b, link, node);
    for (size_t i = 0; link && i < link->scores; i++) {
        const pfi_slf_score_of *s = &b->lattice->score.at[link->first + i];
        b->mark[s->field] = line;
        sum += s->log_score;
    }
    for (size_t i = 0; i < node->scores; i++) {
        const pfi_slf_score_of *s = &b->lattice->score.at[node->first + i];
        if (!link || b->mark[s->field] != line) sum += s->log_score;
    }
    if (word != PF_EPSILON) sum += b->penalty;
    if (!pfi_score_weight(sum, &w)) return bad(b, line, "the scores of this link add up to a number that is not a weight");
    return pf_build_arc(&b->build, from, word, word, w, to);
}

/* The word of the first node (backward: of the last) is on no link. */
static bool has_word(const slf_builder *b, uint32_t node) { return b->lattice->node.at[node].word != PF_EPSILON; }

static pf_err add_arcs(slf_builder *b, bool before, bool after) {
    const pfi_slf_lattice *l = b->lattice;
    const pfi_slf_item *node = l->node.at;
    pf_state end = b->state[b->end];
    if (before) PF_TRY(add_arc(b, NULL, &node[b->start], 0, b->state[b->start]));
    for (size_t i = 0; i < l->link.n; i++) {
        const pfi_slf_item *k = &l->link.at[i];
        PF_TRY(add_arc(b, k, &node[l->head.backward ? k->from : k->to], b->state[k->from], b->state[k->to]));
    }
    if (after) PF_TRY(add_arc(b, NULL, &node[b->end], end, (pf_state)l->node.n));
    return pf_build_final(&b->build, after ? (pf_state)l->node.n : end, 0);
}

/* ---- order ---- */

static bool is_sorted(pf_fst *f) {
    for (pf_state s = 0; s < pf_fst_states(f); s++) {
        pf_arcs a = pf_fst_arcs(f, s);
        for (uint32_t i = 0; i < a.n; i++)
            if (a.arc[i].to <= s) return false;
    }
    return true;
}

static pf_err copy_sorted(pf_fst *f, const pfi_numbers *order, const uint32_t *place, pf_fst **out) {
    pf_build b = {0};
    pf_err err = PF_OK;
    for (uint32_t i = 0; !err && i < order->n; i++) {
        pf_arcs a = pf_fst_arcs(f, order->at[i]);
        err = pf_build_final(&b, i, pf_fst_final(f, order->at[i]));
        for (uint32_t k = 0; !err && k < a.n; k++)
            err = pf_build_arc(&b, i, a.arc[k].in, a.arc[k].out, a.arc[k].w, place[a.arc[k].to]);
    }
    if (!err) return pf_build_finish(&b, f->type, place[f->start], out);
    pf_build_free(&b);
    return err;
}

static pf_err has_cycle(const slf_builder *b, pf_state s) {
    char words[120];
    uint32_t i = 0;
    while (b->state[i] != s) i++;
    snprintf(words, sizeof words, "a lattice has no cycle, but this one has one through node %u", b->lattice->number.at[i]);
    return bad(b, b->lattice->head.line, words);
}

/* The machine itself, or in its place one with the states in order. */
static pf_err put_in_order(const slf_builder *b, pf_fst **f) {
    pfi_numbers order = {0};
    pf_state cycle;
    pf_fst *sorted = NULL;
    if (is_sorted(*f)) return PF_OK;
    uint32_t *place = malloc(pf_fst_states(*f) * sizeof *place);
    pf_err err = place ? pfi_topological(*f, NULL, &order, &cycle) : pf_nomem();
    if (!err && cycle != PF_NO_STATE) err = has_cycle(b, cycle);
    if (!err) {
        for (uint32_t i = 0; i < order.n; i++) place[order.at[i]] = i;
        err = copy_sorted(*f, &order, place, &sorted);
    }
    free(place);
    PF_VEC_FREE(&order);
    if (err) return err;
    pf_fst_free(*f);
    *f = sorted;
    return PF_OK;
}

static pf_err build(slf_builder *b, pf_fst **out) {
    PF_TRY(find_ends(b));
    bool before = !b->lattice->head.backward && has_word(b, b->start), after = b->lattice->head.backward && has_word(b, b->end);
    PF_TRY(rank_nodes(b, before));
    PF_TRY(pf_build_state(&b->build, (pf_state)(b->lattice->node.n - 1 + before)));
    PF_TRY(add_arcs(b, before, after));
    PF_TRY(pf_build_finish(&b->build, b->options->type, before ? 0 : b->state[b->start], out));
    return put_in_order(b, out);
}

pf_err pfi_slf_build(const pfi_slf_lattice *l, pf_reader *r, const pf_lattice_options *o, const pf_symtab *words,
                     pf_fst **out) {
    slf_builder b = {.lattice = l, .reader = r, .options = o, .words = words, .penalty = pfi_slf_penalty(&l->head, o)};
    *out = NULL;
    b.state = malloc((l->node.n + 1) * sizeof *b.state);
    pf_err err = b.state ? build(&b, out) : pf_nomem();
    if (err) {
        pf_fst_free(*out);
        *out = NULL;
    }
    free(b.state);
    pf_build_free(&b.build);
    return err;
}
