/* A line for each state, one for each arc, and one for each level, whose states have one rank. */
#include "draw/machine_impl.h"

#include <assert.h>
#include <stdlib.h>

/* ---- labels ---- */

/* What a memory writer holds, with the escapes of a string of dot; then it is empty. */
static pf_err put_escaped(pf_writer *writer, pf_writer *text) {
    size_t n;
    const char *bytes = (const char *)pf_writer_bytes(text, &n);
    for (size_t at = 0; at < n; at++) {
        if (bytes[at] == '"' || bytes[at] == '\\') PF_TRY(pf_writer_put(writer, "\\", 1));
        PF_TRY(pf_writer_put(writer, &bytes[at], 1));
    }
    pf_writer_clear(text);
    return PF_OK;
}

static pf_err put_arc(pf_writer *writer, const pfi_shown_machine *shown, pf_state state, uint32_t i, pf_writer *text) {
    const pf_arc *arc = &pf_fst_arcs(shown->fst, state).arc[i];
    size_t number = shown->first[state] + i;
    PF_TRY(pf_writer_text(writer, "  %u -> %u [label=\"", state, arc->to));
    PF_TRY(pfi_put_arc_words(text, shown, arc));
    PF_TRY(put_escaped(writer, text));
    if (arc->w != 0) PF_TRY(pf_writer_text(writer, "/%.4g", (double)arc->w));
    PF_TRY(pf_writer_text(writer, "\""));
    if (shown->bits[number] & PFI_ARC_BACK) PF_TRY(pf_writer_text(writer, ", constraint=false"));
    if (shown->bits[number] & PFI_ARC_BEST) PF_TRY(pf_writer_text(writer, ", style=bold"));
    else if (pfi_arc_is_grey(shown, number)) PF_TRY(pf_writer_text(writer, ", color=gray70, fontcolor=gray50"));
    return pf_writer_text(writer, "];\n");
}

static pf_err put_state(pf_writer *writer, const pfi_shown_machine *shown, pf_state state, pf_writer *text) {
    float final = pf_fst_final(shown->fst, state);
    bool is_final = final != INFINITY;
    PF_TRY(pf_writer_text(writer, "  %u [style=%s", state, state == shown->fst->start ? "bold" : "solid"));
    if (is_final) PF_TRY(pf_writer_text(writer, shown->cover ? ", peripheries=2" : ", shape=doublecircle"));
    if (shown->cover || (is_final && final != 0)) {
        PF_TRY(pf_writer_text(writer, ", label=\""));
        PF_TRY(pfi_put_state_name(text, shown, state));
        PF_TRY(put_escaped(writer, text));
        if (is_final && final != 0) PF_TRY(pf_writer_text(writer, "/%.4g", (double)final));
        PF_TRY(pf_writer_text(writer, "\""));
    }
    if (shown->grey && shown->grey[state]) PF_TRY(pf_writer_text(writer, ", color=gray70, fontcolor=gray50"));
    PF_TRY(pf_writer_text(writer, "];\n"));
    for (uint32_t i = 0; i < pf_fst_arcs(shown->fst, state).n; i++) PF_TRY(put_arc(writer, shown, state, i, text));
    return PF_OK;
}

/* ---- levels ---- */

/* Puts the states of one level after the other into `state`; begin[level] is the first of them. */
static void sort_by_level(const pfi_shown_machine *shown, size_t *begin, pf_state *state) {
    for (pf_state s = 0; s < shown->states; s++) {
        assert(shown->level[s] < shown->levels);
        begin[shown->level[s] + 1]++;
    }
    for (unsigned level = 0; level < shown->levels; level++) begin[level + 1] += begin[level];
    for (pf_state s = shown->states; s-- > 0;) state[--begin[shown->level[s] + 1]] = s;
    for (unsigned level = 0; level < shown->levels; level++) begin[level] = begin[level + 1];
    begin[shown->levels] = shown->states;
}

static pf_err put_ranks(pf_writer *writer, const pfi_shown_machine *shown) {
    size_t *begin = calloc((size_t)shown->levels + 2, sizeof *begin);
    pf_state *state = calloc((size_t)shown->states + 1, sizeof *state);
    pf_err err = begin && state ? PF_OK : pf_nomem();
    if (!err) sort_by_level(shown, begin, state);
    for (unsigned level = 0; !err && level < shown->levels; level++) {
        if (begin[level + 1] - begin[level] < 2) continue;
        err = pf_writer_text(writer, "  {rank=same;");
        for (size_t i = begin[level]; !err && i < begin[level + 1]; i++) err = pf_writer_text(writer, " %u;", state[i]);
        if (!err) err = pf_writer_text(writer, "}\n");
    }
    free(begin);
    free(state);
    return err;
}

/* ---- the whole ---- */

static pf_err put_graph(pf_writer *writer, const pfi_shown_machine *shown, pf_writer *text) {
    PF_TRY(pf_writer_text(writer, "digraph record%llu {\n  rankdir=LR;\n  node [shape=%s];\n",
                          (unsigned long long)shown->options->record, shown->cover ? "box" : "circle"));
    for (pf_state state = 0; state < shown->states; state++) PF_TRY(put_state(writer, shown, state, text));
    PF_TRY(put_ranks(writer, shown));
    return pf_writer_text(writer, "}\n");
}

pf_err pf_draw_dot(pf_writer *writer, pf_fst *fst, const pf_draw_options *options) {
    pfi_shown_machine shown;
    pf_writer *text = NULL;
    pf_err err = pfi_machine_show(fst, options, &shown);
    if (!err) err = pf_writer_memory(&text);
    if (!err) err = put_graph(writer, &shown, text);
    pf_writer_free(text);
    pfi_shown_machine_free(&shown);
    return err;
}
