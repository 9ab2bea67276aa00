/* Makes a machine of the nodes and links of an SLF file: nodes by number, the two ends found, words and scores of nodes put
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

static pf_err bad(const slf_builder *builder, uint64_t line, const char *words) {
    return pf_fail(PF_EINPUT, "%s:%llu: %s", pf_reader_name(builder->reader), (unsigned long long)line, words);
}

/* ---- states by number ---- */

typedef struct {
    uint32_t number, node;
} numbered;

static int by_number(const void *one, const void *other) {
    const numbered *first = one, *second = other;
    return first->number < second->number ? -1 : first->number > second->number;
}

/* Node i of the text is the state of its rank by number, after the `extra` first state. */
static pf_err rank_nodes(slf_builder *builder, unsigned extra) {
    size_t nodes = builder->lattice->node.n;
    numbered *list = malloc(nodes * sizeof *list);
    if (!list) return pf_nomem();
    for (uint32_t i = 0; i < nodes; i++) list[i] = (numbered){builder->lattice->number.at[i], i};
    qsort(list, nodes, sizeof *list, by_number);
    for (uint32_t i = 0; i < nodes; i++) builder->state[list[i].node] = i + extra;
    free(list);
    return PF_OK;
}

/* ---- the two ends ---- */

/* The node of a number that the header gives. */
static pf_err named_end(const slf_builder *builder, uint32_t number, const char *name, uint32_t *to) {
    char words[80];
    for (*to = 0; *to < builder->lattice->node.n; ++*to)
        if (builder->lattice->number.at[*to] == number) return PF_OK;
    snprintf(words, sizeof words, "%s=%u, but there is no node %u", name, number, number);
    return bad(builder, builder->lattice->head.line, words);
}

/* The only node that is not touched. */
static pf_err only_end(const slf_builder *builder, const char *touched, const char *which, const char *name, uint32_t *to) {
    char words[200];
    uint32_t found = 0, other = 0;
    for (uint32_t i = 0; i < builder->lattice->node.n; i++) {
        if (touched[i]) continue;
        if (found++) other = i;
        else *to = i;
    }
    if (found == 1) return PF_OK;
    if (!found) snprintf(words, sizeof words, "every node has a link that %s it: there is a cycle, and no %s", which, name);
    else
        snprintf(words, sizeof words,
                 "expected one node without a link that %s it, found %u, for example %u and %u: %s= can name one", which, found,
                 builder->lattice->number.at[*to], builder->lattice->number.at[other], name);
    return bad(builder, builder->lattice->head.line, words);
}

static pf_err find_ends(slf_builder *builder) {
    const pfi_slf_lattice *lattice = builder->lattice;
    size_t nodes = lattice->node.n;
    char *touched = calloc(2 * nodes + 1, 1);
    if (!touched) return pf_nomem();
    for (size_t i = 0; i < lattice->link.n; i++)
        touched[lattice->link.at[i].to] = touched[nodes + lattice->link.at[i].from] = 1;
    pf_err err = lattice->head.start != PFI_SLF_NONE ? named_end(builder, lattice->head.start, "start", &builder->start)
                                               : only_end(builder, touched, "enters", "start", &builder->start);
    if (!err)
        err = lattice->head.end != PFI_SLF_NONE ? named_end(builder, lattice->head.end, "end", &builder->end)
                                          : only_end(builder, touched + nodes, "leaves", "end", &builder->end);
    free(touched);
    return err;
}

/* ---- arcs ---- */

static pf_err conflict(const slf_builder *builder, const pfi_slf_item *link, const pfi_slf_item *node) {
    char shown[2][60], words[240];
    for (unsigned i = 0; i < 2; i++) {
        size_t length;
        const char *word = pf_symtab_name(builder->words, i ? node->word : link->word, &length);
        pfi_printable(word, length, shown[i], sizeof shown[i]);
    }
    snprintf(words, sizeof words, "the link has the word '%s', but its node, on line %llu, has the word '%s'", shown[0],
             (unsigned long long)node->line, shown[1]);
    return bad(builder, link->line, words);
}

/* An arc with what a link says, and for the rest what its node says. */
static pf_err add_arc(slf_builder *builder, const pfi_slf_item *link, const pfi_slf_item *node, pf_state from, pf_state to) {
    float weight;
    double sum = 0;
    pf_label word = link && link->word ? link->word : node->word;
    uint64_t line = link ? link->line : node->line;
    if (link && link->word && node->word && link->word != node->word) return conflict(builder, link, node);
    for (size_t i = 0; link && i < link->scores; i++) {
        const pfi_slf_score_of *wanted = &builder->lattice->score.at[link->first + i];
        builder->mark[wanted->field] = line;
        sum += wanted->log_score;
    }
    for (size_t i = 0; i < node->scores; i++) {
        const pfi_slf_score_of *score = &builder->lattice->score.at[node->first + i];
        if (!link || builder->mark[score->field] != line) sum += score->log_score;
    }
    if (word != PF_EPSILON) sum += builder->penalty;
    if (!pfi_score_weight(sum, &weight))
        return bad(builder, line, "the scores of this link add up to a number that is not a weight");
    return pf_build_arc(&builder->build, from, word, word, weight, to);
}

/* The word of the first node (backward: of the last) is on no link. */
static bool has_word(const slf_builder *builder, uint32_t node) { return builder->lattice->node.at[node].word != PF_EPSILON; }

static pf_err add_arcs(slf_builder *builder, bool before, bool after) {
    const pfi_slf_lattice *lattice = builder->lattice;
    const pfi_slf_item *node = lattice->node.at;
    pf_state end = builder->state[builder->end];
    if (before) PF_TRY(add_arc(builder, NULL, &node[builder->start], 0, builder->state[builder->start]));
    for (size_t i = 0; i < lattice->link.n; i++) {
        const pfi_slf_item *item = &lattice->link.at[i];
        PF_TRY(add_arc(builder, item, &node[lattice->head.backward ? item->from : item->to], builder->state[item->from],
                       builder->state[item->to]));
    }
    if (after) PF_TRY(add_arc(builder, NULL, &node[builder->end], end, (pf_state)lattice->node.n));
    return pf_build_final(&builder->build, after ? (pf_state)lattice->node.n : end, 0);
}

/* ---- order ---- */

static bool is_sorted(pf_fst *fst) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (uint32_t i = 0; i < arcs.n; i++)
            if (arcs.arc[i].to <= state) return false;
    }
    return true;
}

static pf_err copy_sorted(pf_fst *fst, const pfi_numbers *order, const uint32_t *place, pf_fst **out) {
    pf_build build = {0};
    pf_err err = PF_OK;
    for (uint32_t i = 0; !err && i < order->n; i++) {
        pf_arcs arcs = pf_fst_arcs(fst, order->at[i]);
        err = pf_build_final(&build, i, pf_fst_final(fst, order->at[i]));
        for (uint32_t k = 0; !err && k < arcs.n; k++)
            err = pf_build_arc(&build, i, arcs.arc[k].in, arcs.arc[k].out, arcs.arc[k].w, place[arcs.arc[k].to]);
    }
    if (!err) return pf_build_finish(&build, fst->type, place[fst->start], out);
    pf_build_free(&build);
    return err;
}

static pf_err has_cycle(const slf_builder *builder, pf_state state) {
    char words[120];
    uint32_t i = 0;
    while (builder->state[i] != state) i++;
    snprintf(words, sizeof words, "a lattice has no cycle, but this one has one through node %u", builder->lattice->number.at[i]);
    return bad(builder, builder->lattice->head.line, words);
}

/* The machine itself, or in its place one with the states in order. */
static pf_err put_in_order(const slf_builder *builder, pf_fst **fst) {
    pfi_numbers order = {0};
    pf_state cycle;
    pf_fst *sorted = NULL;
    if (is_sorted(*fst)) return PF_OK;
    uint32_t *place = malloc(pf_fst_states(*fst) * sizeof *place);
    pf_err err = place ? pfi_topological(*fst, NULL, &order, &cycle) : pf_nomem();
    if (!err && cycle != PF_NO_STATE) err = has_cycle(builder, cycle);
    if (!err) {
        for (uint32_t i = 0; i < order.n; i++) place[order.at[i]] = i;
        err = copy_sorted(*fst, &order, place, &sorted);
    }
    free(place);
    PF_VEC_FREE(&order);
    if (err) return err;
    pf_fst_free(*fst);
    *fst = sorted;
    return PF_OK;
}

static pf_err build(slf_builder *builder, pf_fst **out) {
    PF_TRY(find_ends(builder));
    bool before = !builder->lattice->head.backward && has_word(builder, builder->start),
        after = builder->lattice->head.backward && has_word(builder, builder->end);
    PF_TRY(rank_nodes(builder, before));
    PF_TRY(pf_build_state(&builder->build, (pf_state)(builder->lattice->node.n - 1 + before)));
    PF_TRY(add_arcs(builder, before, after));
    PF_TRY(pf_build_finish(&builder->build, builder->options->type, before ? 0 : builder->state[builder->start], out));
    return put_in_order(builder, out);
}

pf_err pfi_slf_build(const pfi_slf_lattice *lattice, pf_reader *reader, const pf_lattice_options *options,
    const pf_symtab *words, pf_fst **out) {
    slf_builder builder = {.lattice = lattice, .reader = reader, .options = options, .words = words,
                           .penalty = pfi_slf_penalty(&lattice->head, options)};
    *out = NULL;
    builder.state = malloc((lattice->node.n + 1) * sizeof *builder.state);
    pf_err err = builder.state ? build(&builder, out) : pf_nomem();
    if (err) {
        pf_fst_free(*out);
        *out = NULL;
    }
    free(builder.state);
    pf_build_free(&builder.build);
    return err;
}
