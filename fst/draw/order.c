/* An order as what moved in it. The longest ascending part is found by patience sorting (Fredman 1975), O(n log n). */
#include <permfst/draw/order.h>

#include <assert.h>
#include <stdlib.h>

/* last[k] is the place of the smallest end of an ascending part of k + 1 words; before[] links back. */
pf_err pf_order_moved(const unsigned *perm, unsigned n, bool *moved) {
    unsigned *last = calloc(2 * (size_t)n + 1, sizeof *last), *before = last ? last + n : NULL, length = 0;
    if (!last) return pf_nomem();
    for (unsigned place = 0; place < n; place++) {
        unsigned low = 0, high = length;
        while (low < high) {
            unsigned middle = (low + high) / 2;
            if (perm[last[middle]] < perm[place]) low = middle + 1;
            else high = middle;
        }
        before[place] = low ? last[low - 1] : n;
        last[low] = place;
        if (low == length) length++;
        moved[place] = true;
    }
    for (unsigned i = length ? last[length - 1] : n; i < n; i = before[i]) moved[i] = false;
    free(last);
    return PF_OK;
}

/* ---- from a path ---- */

static pf_err no_positions(unsigned n) {
    return pf_fail(PF_EINPUT, "expected the positions 1 to %u as input labels, each once: other paths have no order to draw", n);
}

/* Sets `step` to `n` where a position was not seen yet. */
static pf_err find_order(const pf_path *path, pf_order_shown *shown) {
    unsigned step = 0;
    for (unsigned position = 0; position < shown->n; position++) shown->step[position] = shown->n;
    for (size_t arc = 0; arc < path->n; arc++) {
        const pf_label label = path->arc[arc].in;
        if (label == PF_EPSILON) continue;
        if (label < 1 || (unsigned)label > shown->n || shown->step[label - 1] != shown->n) return no_positions(shown->n);
        shown->order[step] = (unsigned)label - 1;
        shown->step[label - 1] = step++;
    }
    assert(step == shown->n);
    return PF_OK;
}

static pf_err put_word(const pf_answer *answer, pf_label label, bool numeric, pf_writer *text) {
    size_t length;
    const char *word = numeric || !answer->osyms ? NULL : pf_symtab_name(answer->osyms, label, &length);
    return word ? pf_writer_put(text, word, length) : pf_writer_text(text, "%d", label);
}

/* The words of a step are those of its arc, of the arcs after it without an input, and for the first step also of those before
 * it. */
static pf_err find_words(const pf_answer *answer, const pf_path *path, bool numeric, pf_order_shown *shown) {
    unsigned step = 0;
    for (size_t arc = 0; arc < path->n; arc++) {
        size_t length;
        if (path->arc[arc].in != PF_EPSILON && step++) {
            pf_writer_bytes(shown->text, &length);
            shown->begin[step - 1] = length;
        }
        if (path->arc[arc].out == PF_EPSILON) continue;
        pf_writer_bytes(shown->text, &length);
        if (length > shown->begin[step ? step - 1 : 0]) PF_TRY(pf_writer_put(shown->text, " ", 1));
        PF_TRY(put_word(answer, path->arc[arc].out, numeric, shown->text));
    }
    pf_writer_bytes(shown->text, &shown->begin[shown->n]);
    return PF_OK;
}

static pf_err find_blocks(pf_order_shown *shown) {
    bool *moved = calloc(shown->n + 1, sizeof *moved);
    pf_err err = moved ? pf_order_moved(shown->order, shown->n, moved) : pf_nomem();
    for (unsigned step = 0; !err && step < shown->n; step++) {
        if (!moved[step]) continue;
        bool follows = step && moved[step - 1] && shown->order[step] == shown->order[step - 1] + 1;
        shown->block[step] = follows ? shown->blocks : ++shown->blocks;
    }
    free(moved);
    return err;
}

pf_err pf_order_show(const pf_answer *answer, size_t rank, bool numeric, pf_order_shown *out) {
    assert(rank < answer->paths.n);
    const pf_path *path = &answer->paths.at[rank];
    *out = (pf_order_shown){0};
    if (answer->isyms)
        return pf_fail(PF_EINPUT, "the input labels are symbols, not positions: there is no order to draw (see lazyperm)");
    for (size_t i = 0; i < path->n; i++) out->n += path->arc[i].in != PF_EPSILON;
    out->order = calloc(out->n + 1, sizeof *out->order);
    out->step = calloc(out->n + 1, sizeof *out->step);
    out->block = calloc(out->n + 1, sizeof *out->block);
    out->begin = calloc(out->n + 1, sizeof *out->begin);
    if (!out->order || !out->step || !out->block || !out->begin) return pf_nomem();
    PF_TRY(pf_writer_memory(&out->text));
    PF_TRY(find_order(path, out));
    PF_TRY(find_words(answer, path, numeric, out));
    return find_blocks(out);
}

void pf_order_shown_free(pf_order_shown *shown) {
    free(shown->order);
    free(shown->step);
    free(shown->block);
    free(shown->begin);
    pf_writer_free(shown->text);
    *shown = (pf_order_shown){0};
}

const char *pf_order_words(const pf_order_shown *shown, unsigned step, size_t *length) {
    size_t all;
    const unsigned char *bytes = pf_writer_bytes(shown->text, &all);
    assert(step < shown->n && shown->begin[step] <= shown->begin[step + 1] && shown->begin[step + 1] <= all);
    *length = shown->begin[step + 1] - shown->begin[step];
    return all ? (const char *)bytes + shown->begin[step] : "";
}
