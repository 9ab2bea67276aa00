/* How many paths are nearest to the references in edits. A path has several ways to be edited, so paths are counted and not edits:
 * by state and by the row of the edits to each beginning of each reference (Wagner & Fischer 1974), in which what exceeds the least
 * number is all one. O(rows x steps x words of the references). */
#include <permfst/oracle/additive.h>

#include "oracle/oracle_impl.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF };

/* Some paths to a node that have the same row. */
typedef struct {
    uint64_t paths;
    uint32_t next; /* of the same node */
} row_paths;

typedef struct {
    pfi_product product;
    pfi_work work;
    pfi_word_list word;           /* of the references; where each begins, and the end: */
    PF_VEC(uint32_t) first;
    uint32_t most;                /* edits; more of them are most + 1 */
    pf_statetab rows;             /* node and row */
    PF_VEC(row_paths) row;
    PF_VEC(uint32_t) head;        /* by node */
    uint32_t *now, *then;         /* a node and a row each */
    size_t width;                 /* of both, in numbers */
} tie_count;

static pf_err read_lines(tie_count *own, const pfi_edit_words *words, const char *const *line, size_t lines) {
    for (size_t at = 0; at < lines; at++) {
        PF_TRY(PF_PUSH(&own->first, (uint32_t)own->word.n));
        PF_TRY(pfi_edit_words_of(words, line[at], &own->word));
    }
    return PF_PUSH(&own->first, (uint32_t)own->word.n);
}

static uint32_t at_most(const tie_count *own, uint32_t edits) { return edits > own->most ? own->most + 1 : edits; }

/* The row after one more word. Can a path over it still be as near? */
static bool add_word(const tie_count *own, uint32_t word, uint32_t *row) {
    bool near = false;
    for (size_t line = 0; line + 1 < own->first.n; line++) {
        uint32_t length = own->first.at[line + 1] - own->first.at[line], diagonal = row[0];
        const uint32_t *reference = own->word.at + own->first.at[line];
        row[0] = at_most(own, row[0] + 1);
        near = near || row[0] <= own->most;
        for (uint32_t end = 1; end <= length; end++) {
            uint32_t above = row[end], edits = diagonal + (word == NONE || word != reference[end - 1]);
            if (above + 1 < edits) edits = above + 1;
            if (row[end - 1] + 1 < edits) edits = row[end - 1] + 1;
            diagonal = above;
            row[end] = at_most(own, edits);
            near = near || row[end] <= own->most;
        }
        row += length + 1;
    }
    return near;
}

static pf_err add_paths(tie_count *own, uint64_t paths) {
    uint32_t id, node = own->then[0];
    PF_TRY(pf_statetab_intern(&own->rows, own->then, own->width * sizeof *own->then, &id, NULL));
    if (id == own->row.n) {
        PF_TRY(PF_PUSH(&own->row, ((row_paths){0, own->head.at[node]})));
        own->head.at[node] = id;
    }
    uint64_t *sum = &own->row.at[id].paths;
    *sum = paths > UINT64_MAX - *sum ? UINT64_MAX : *sum + paths;
    return PF_OK;
}

static pf_err take_step(tie_count *own, const pfi_step *step, uint64_t paths) {
    const pfi_label_words *words;
    bool near = true;
    PF_TRY(pfi_product_label(&own->product, step->arc->out, &words));
    memcpy(own->then, own->now, own->width * sizeof *own->then);
    own->then[0] = step->to;
    for (uint32_t at = words->first; near && at < words->first + words->n; at++)
        near = add_word(own, own->product.words.at[at], own->then + 1);
    return near ? add_paths(own, paths) : PF_OK;
}

static bool is_nearest(const tie_count *own) {
    bool nearest = false;
    size_t at = 1;
    for (size_t line = 0; line + 1 < own->first.n; line++) {
        at += own->first.at[line + 1] - own->first.at[line] + 1;
        nearest = nearest || own->now[at - 1] == own->most;
    }
    return nearest;
}

static pf_err visit(tie_count *own, uint32_t node, uint64_t *ties) {
    const pfi_node *at = &own->product.node.at[node];
    for (uint32_t id = own->head.at[node]; id != NONE; id = own->row.at[id].next) {
        size_t length;
        uint64_t paths = own->row.at[id].paths;
        memcpy(own->now, pf_statetab_key(&own->rows, id, &length), own->width * sizeof *own->now);
        PF_TRY(pfi_work_done(&own->work, at->steps));
        if (at->final && is_nearest(own)) *ties = paths > UINT64_MAX - *ties ? UINT64_MAX : *ties + paths;
        for (uint32_t i = at->first; i < at->first + at->steps; i++) PF_TRY(take_step(own, &own->product.step.at[i], paths));
    }
    return PF_OK;
}

static pf_err count(tie_count *own, uint64_t *ties) {
    size_t nodes = own->product.node.n;
    own->width = 1 + own->word.n + own->first.n - 1;
    pf_statetab_init(&own->rows, own->width * sizeof *own->now);
    PF_TRY(PF_ROOM(&own->head, nodes + 1));
    for (size_t i = 0; i < nodes; i++) own->head.at[own->head.n++] = NONE;
    own->now = calloc(own->width, sizeof *own->now);
    own->then = calloc(own->width, sizeof *own->then);
    if (!own->now || !own->then) return pf_nomem();
    for (size_t k = 0, at = 1; k + 1 < own->first.n; k++)
        for (uint32_t e = 0; e <= own->first.at[k + 1] - own->first.at[k]; e++) own->then[at++] = at_most(own, e);
    if (nodes) PF_TRY(add_paths(own, 1));
    for (size_t k = 0; k < own->product.order.n; k++) PF_TRY(visit(own, own->product.order.at[k], ties));
    return PF_OK;
}

static uint64_t bytes(const void *self) {
    const tie_count *own = self;
    return pfi_product_bytes(&own->product) + pf_statetab_bytes(&own->rows) + own->row.cap * sizeof *own->row.at;
}

pf_err pf_oracle_edit_ties(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, uint32_t least,
                           uint64_t *out) {
    pfi_edit_words words;
    tie_count own = {.work = {.options = options, .bytes = bytes, .of = &own}, .most = least};
    *out = 0;
    pf_err err = pfi_edit_words_read(&words, line, lines);
    pfi_edit_product(&own.product, fst, &words, options);
    if (!err) err = pfi_product_graph(&own.product, &own.work);
    if (!err) err = read_lines(&own, &words, line, lines);
    if (!err) err = count(&own, out);
    pfi_product_free(&own.product);
    PF_VEC_FREE(&own.word);
    PF_VEC_FREE(&own.first);
    PF_VEC_FREE(&own.row);
    PF_VEC_FREE(&own.head);
    if (own.width) pf_statetab_free(&own.rows);
    free(own.now);
    free(own.then);
    pfi_edit_words_free(&words);
    return err;
}
