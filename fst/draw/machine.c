/* Levels are longest paths, found in the reverse of the order in which a depth-first search leaves states. O(states + arcs), and as
 * many words of memory for coverages as the states have. */
#include "draw/machine_impl.h"

#include <assert.h>
#include <stdlib.h>

/* ---- levels ---- */

typedef struct {
    pfi_shown_machine *shown;
    PF_VEC(pf_state) path;  /* of the search */
    uint32_t *next;         /* of each state: the arc to follow next */
    unsigned char *colour;  /* 0: not met, 1: on the path, 2: left */
    PF_VEC(pf_state) left;  /* in this order */
} depth_search;

static pf_err enter(depth_search *search, pf_state state) {
    search->colour[state] = 1;
    return PF_PUSH(&search->path, state);
}

/* An arc to a state on the path leads back. */
static pf_err search_from(depth_search *search, pf_state root) {
    pfi_shown_machine *shown = search->shown;
    PF_TRY(enter(search, root));
    while (search->path.n) {
        pf_state state = search->path.at[search->path.n - 1];
        pf_arcs arcs = pf_fst_arcs(shown->fst, state);
        if (search->next[state] == arcs.n) {
            search->colour[state] = 2;
            search->path.n--;
            PF_TRY(PF_PUSH(&search->left, state));
            continue;
        }
        uint32_t i = search->next[state]++;
        pf_state to = arcs.arc[i].to;
        if (search->colour[to] == 1) shown->bits[shown->first[state] + i] |= PFI_ARC_BACK;
        if (!search->colour[to]) PF_TRY(enter(search, to));
    }
    return PF_OK;
}

static void set_levels(depth_search *search) {
    pfi_shown_machine *shown = search->shown;
    assert(search->left.n == shown->states);
    for (size_t k = search->left.n; k-- > 0;) {
        pf_state state = search->left.at[k];
        pf_arcs arcs = pf_fst_arcs(shown->fst, state);
        if (shown->level[state] >= shown->levels) shown->levels = shown->level[state] + 1;
        for (uint32_t arc = 0; arc < arcs.n; arc++) {
            if (shown->bits[shown->first[state] + arc] & PFI_ARC_BACK) continue;
            if (shown->level[arcs.arc[arc].to] <= shown->level[state]) shown->level[arcs.arc[arc].to] = shown->level[state] + 1;
        }
    }
}

/* ---- coverages ---- */

/* Does the arc agree with the coverage of its end? An end that was not met gets one. */
static bool cover_arc(pfi_shown_machine *shown, const pf_cover *from, const pf_arc *arc, pf_cover *after, bool *met) {
    unsigned nw = pf_cover_words(shown->positions);
    pf_cover *to = shown->cover + (size_t)arc->to * nw;
    memcpy(after, from, nw * sizeof *after);
    assert((unsigned)arc->in <= shown->positions);
    if (arc->in != PF_EPSILON) {
        if (pf_cover_has(after, (unsigned)arc->in - 1)) return false;
        pf_cover_put(after, (unsigned)arc->in - 1);
    }
    if (met[arc->to]) return !memcmp(to, after, nw * sizeof *after);
    met[arc->to] = true;
    memcpy(to, after, nw * sizeof *after);
    return true;
}

static bool cover_state(pfi_shown_machine *shown, pf_state state, pf_cover *after, bool *met) {
    unsigned nw = pf_cover_words(shown->positions);
    const pf_cover *cover = pfi_shown_cover(shown, state);
    pf_arcs arcs = pf_fst_arcs(shown->fst, state);
    if (!met[state]) return false;
    if (pf_fst_final(shown->fst, state) != INFINITY && pf_cover_count(cover, nw) != shown->positions) return false;
    for (uint32_t arc = 0; arc < arcs.n; arc++)
        if ((shown->bits[shown->first[state] + arc] & PFI_ARC_BACK) || !cover_arc(shown, cover, &arcs.arc[arc], after, met))
            return false;
    return true;
}

/* The largest input label, if all labels can be positions; else 0. */
static unsigned find_positions(const pfi_shown_machine *shown) {
    pf_label largest = 0;
    if (shown->fst->isyms) return 0;
    for (pf_state state = 0; state < shown->states; state++) {
        pf_arcs arcs = pf_fst_arcs(shown->fst, state);
        for (uint32_t arc = 0; arc < arcs.n; arc++) {
            if (arcs.arc[arc].in < 0) return 0;
            if (arcs.arc[arc].in > largest) largest = arcs.arc[arc].in;
        }
    }
    return (size_t)largest <= shown->first[shown->states] && (unsigned)largest <= PF_MAX_WORDS ? (unsigned)largest : 0;
}

static pf_err find_covers(depth_search *search) {
    pfi_shown_machine *shown = search->shown;
    unsigned nw = pf_cover_words(shown->positions);
    bool *met = calloc((size_t)shown->states + 1, sizeof *met), good = true;
    pf_cover *after = calloc(nw, sizeof *after);
    shown->cover = calloc((size_t)shown->states * nw + 1, sizeof *shown->cover);
    pf_err err = met && after && shown->cover ? PF_OK : pf_nomem();
    if (!err) {
        met[shown->fst->start] = true;
        for (size_t k = search->left.n; good && k-- > 0;) good = cover_state(shown, search->left.at[k], after, met);
    }
    if (err || !good) {
        free(shown->cover);
        shown->cover = NULL;
        shown->positions = 0;
    }
    free(met);
    free(after);
    return err;
}

/* ---- the whole ---- */

static pf_err find_levels(pfi_shown_machine *shown) {
    depth_search search = {.shown = shown, .next = calloc((size_t)shown->states + 1, sizeof *search.next),
                           .colour = calloc((size_t)shown->states + 1, 1)};
    pf_err err = search.next && search.colour ? PF_OK : pf_nomem();
    if (!err && shown->states && shown->fst->start != PF_NO_STATE) err = search_from(&search, shown->fst->start);
    for (pf_state state = 0; !err && state < shown->states; state++)
        if (!search.colour[state]) err = search_from(&search, state);
    if (!err) set_levels(&search);
    if (!err && shown->fst->start != PF_NO_STATE && (shown->positions = find_positions(shown))) err = find_covers(&search);
    free(search.next);
    free(search.colour);
    PF_VEC_FREE(&search.path);
    PF_VEC_FREE(&search.left);
    return err;
}

static pf_err make_room(pfi_shown_machine *shown) {
    shown->first = calloc((size_t)shown->states + 2, sizeof *shown->first);
    if (!shown->first) return pf_nomem();
    for (pf_state state = 0; state < shown->states; state++)
        shown->first[state + 1] = shown->first[state] + pf_fst_arcs(shown->fst, state).n;
    shown->bits = calloc(shown->first[shown->states] + 1, 1);
    shown->level = calloc((size_t)shown->states + 1, sizeof *shown->level);
    return shown->bits && shown->level ? PF_OK : pf_nomem();
}

pf_err pfi_machine_show(pf_fst *fst, const pf_draw_options *options, pfi_shown_machine *out) {
    *out = (pfi_shown_machine){.fst = fst, .options = options};
    PF_TRY(pf_fst_complete(fst));
    out->states = pf_fst_states(fst);
    PF_TRY(make_room(out));
    PF_TRY(find_levels(out));
    PF_TRY(pfi_machine_mark_best(out));
    return options->kept ? pfi_machine_mark_kept(out) : PF_OK;
}

void pfi_shown_machine_free(pfi_shown_machine *shown) {
    free(shown->first);
    free(shown->bits);
    free(shown->level);
    free(shown->cover);
    free(shown->grey);
    *shown = (pfi_shown_machine){0};
}

/* ---- names ---- */

enum { FULL_COVERAGE = 16, SHORT_RUN = 4 }; /* positions of a coverage that is written whole; equal signs that stand side by side */

static const char visited[] = "\xe2\x97\x8f", unvisited[] = "\xc2\xb7";

static pf_err put_run(pf_writer *writer, const char *sign, unsigned length) {
    if (length > SHORT_RUN) return pf_writer_text(writer, "%s\xc3\x97%u", sign, length);
    for (unsigned i = 0; i < length; i++) PF_TRY(pf_writer_text(writer, "%s", sign));
    return PF_OK;
}

/* How many positions are visited before the first that is not; then the signs from there to the last visited one. */
static pf_err put_window(pf_writer *writer, const pf_cover *cover, unsigned words) {
    unsigned prefix = pf_cover_gap(cover, words, 0), at = prefix, next;
    PF_TRY(pf_writer_text(writer, "%u", prefix));
    while ((next = pf_cover_next(cover, words, at)) < 64 * words) {
        unsigned end = pf_cover_gap(cover, words, next);
        PF_TRY(pf_writer_text(writer, "%s", at == prefix ? " " : ""));
        PF_TRY(put_run(writer, unvisited, next - at));
        PF_TRY(put_run(writer, visited, end - next));
        at = end;
    }
    return PF_OK;
}

bool pfi_covers_are_windows(const pfi_shown_machine *shown) { return shown->cover && shown->positions > FULL_COVERAGE; }

pf_err pfi_put_state_name(pf_writer *writer, const pfi_shown_machine *shown, pf_state state) {
    if (!shown->cover) return pf_writer_text(writer, "%u", state);
    const pf_cover *cover = pfi_shown_cover(shown, state);
    if (pfi_covers_are_windows(shown)) return put_window(writer, cover, pf_cover_words(shown->positions));
    for (unsigned position = 0; position < shown->positions; position++)
        PF_TRY(pf_writer_text(writer, "%s", pf_cover_has(cover, position) ? visited : unvisited));
    return PF_OK;
}

static pf_err put_label(pf_writer *writer, const pfi_shown_machine *shown, const pf_symtab *table, pf_label label) {
    size_t n = 0;
    const char *symbol = table && !shown->options->numeric ? pf_symtab_name(table, label, &n) : NULL;
    return symbol ? pf_writer_put(writer, symbol, n) : pf_writer_text(writer, "%d", label);
}

/* Coverages tell the positions, so words need not. */
pf_err pfi_put_arc_words(pf_writer *writer, const pfi_shown_machine *shown, const pf_arc *arc) {
    const pf_fst *fst = shown->fst;
    if (shown->cover && fst->osyms && !shown->options->numeric) return put_label(writer, shown, fst->osyms, arc->out);
    PF_TRY(put_label(writer, shown, fst->isyms, arc->in));
    if (shown->options->acceptor) return PF_OK;
    PF_TRY(pf_writer_put(writer, ":", 1));
    return put_label(writer, shown, fst->osyms, arc->out);
}
