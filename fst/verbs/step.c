/* A word that stands in several places is taken where it is cheapest. O(arcs of the states on the way). */
#include <permfst/verbs/step.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pf_step_word(const pf_fst *fst, pf_label label, char room[PF_STEP_ROOM]) {
    size_t length;
    const char *name = fst->osyms && label ? pf_symtab_name(fst->osyms, label, &length) : NULL;
    if (name || !label) return name ? name : "(nothing)";
    snprintf(room, PF_STEP_ROOM, "%u", (unsigned)label);
    return room;
}

static pf_err no_such_word(pf_fst *fst, pf_arcs arcs, const char *word, size_t step) {
    char names[400] = "", room[PF_STEP_ROOM];
    size_t used = 0;
    for (uint32_t i = 0; i < arcs.n && used < sizeof names - 100; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", i ? ", " : "",
                                 pf_step_word(fst, arcs.arc[i].out, room));
    return pf_fail(PF_EARG, "expected %s at step %zu, found '%.100s'", arcs.n ? names : "the end", step, word);
}

pf_err pf_step_take(pf_fst *fst, pf_state from, const char *word, size_t step, pf_arc *out) {
    pf_arcs arcs = pf_fst_arcs(fst, from);
    const pf_arc *best = NULL;
    char room[PF_STEP_ROOM];
    PF_TRY(pf_fst_error(fst));
    for (uint32_t i = 0; i < arcs.n; i++)
        if (strcmp(pf_step_word(fst, arcs.arc[i].out, room), word) == 0 && (!best || arcs.arc[i].w < best->w)) best = &arcs.arc[i];
    if (!best) return no_such_word(fst, arcs, word, step);
    *out = *best;
    return PF_OK;
}

static int by_cost(const void *first, const void *second) {
    const pf_arc *one = first, *other = second;
    if (one->w != other->w) return one->w < other->w ? -1 : 1;
    if (one->in != other->in) return one->in < other->in ? -1 : 1;
    return one->out < other->out ? -1 : one->out > other->out;
}

pf_err pf_step_arcs(pf_fst *fst, pf_state from, pf_arc **out, uint32_t *n) {
    pf_arcs arcs = pf_fst_arcs(fst, from);
    *out = NULL;
    *n = 0;
    PF_TRY(pf_fst_error(fst));
    pf_arc *sorted = malloc(((size_t)arcs.n + 1) * sizeof *sorted);
    if (!sorted) return pf_nomem();
    if (arcs.n) memcpy(sorted, arcs.arc, arcs.n * sizeof *sorted);
    qsort(sorted, arcs.n, sizeof *sorted, by_cost);
    *out = sorted;
    *n = arcs.n;
    return PF_OK;
}

pf_err pf_step_write(pf_fst *fst, pf_state from, pf_writer *writer) {
    pf_arc *arc;
    uint32_t n;
    char room[PF_STEP_ROOM];
    PF_TRY(pf_step_arcs(fst, from, &arc, &n));
    pf_err err = PF_OK;
    for (uint32_t i = 0; !err && i < n; i++)
        err = pf_writer_text(writer, "%s\t%u\t%.6f\n", pf_step_word(fst, arc[i].out, room), (unsigned)arc[i].in, (double)arc[i].w);
    free(arc);
    float final = pf_fst_final(fst, from);
    return err || isinf(final) ? err : pf_writer_text(writer, "(end)\t\t%.6f\n", (double)final);
}

static pf_err write_after(pf_fst *fst, char *words, pf_writer *writer) {
    pf_state state = fst->start;
    pf_arc arc;
    size_t step = 1;
    char *rest;
    if (state == PF_NO_STATE) return pf_fail(PF_EARG, "the automaton has no state");
    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        PF_TRY(pf_step_take(fst, state, word, step++, &arc));
        state = arc.to;
    }
    return pf_step_write(fst, state, writer);
}

pf_err pf_step_write_after(pf_fst *fst, const char *words, pf_writer *writer) {
    char *copy = strdup(words);
    if (!copy) return pf_nomem();
    pf_err err = write_after(fst, copy, writer);
    free(copy);
    return err;
}
