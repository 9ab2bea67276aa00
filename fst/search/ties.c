/* Two paths are walked backwards, one arc of each at a time, so the last difference met is the first one on the paths. */
#include "search/ties.h"

#include "base/contract.h"

#include <string.h>

pfi_speech pfi_speech_of(const pf_symtab *osyms, const pf_units *units) {
    return (pfi_speech){units ? pf_units_words(units) : osyms, units};
}

int pfi_output_order(const pf_symtab *osyms, pf_label first, pf_label second) {
    if (first == second) return 0;
    const char *one = osyms && first ? pf_symtab_name(osyms, first, NULL) : NULL;
    const char *other = osyms && second ? pf_symtab_name(osyms, second, NULL) : NULL;
    int order = one && other ? strcmp(one, other) : 0;
    return order ? order : (first > second) - (first < second);
}

static int input_order(pf_label first, pf_label second) { return (first > second) - (first < second); }

/* The labels of one of the arcs, from 0, that an arc stands for. */
static void spell(const pfi_speech *speech, unsigned arc, pf_label *in, pf_label *out) {
    size_t count = 0;
    if (!speech->units || *out == PF_EPSILON) return;
    const pf_label *said = pf_units_said(speech->units, *out, &count);
    *in = arc ? PF_EPSILON : *in;
    *out = count ? said[arc] : PF_EPSILON;
}

/* ---- backwards ---- */

typedef struct {
    const void *place;
    unsigned left; /* of the arcs that the arc into `place` stands for, those that were not walked */
    pf_label in, out;
} cursor;

static void enter(const pfi_backwards *path, const pfi_speech *speech, const void *place, cursor *at) {
    at->place = place;
    path->labels(place, &at->in, &at->out);
    at->left = pfi_spelt_arcs(speech, at->out);
}

/* One spelt arc further back: its labels. */
static void step(const pfi_backwards *path, const pfi_speech *speech, cursor *at, pf_label *in, pf_label *out) {
    *in = at->in;
    *out = at->out;
    spell(speech, --at->left, in, out);
    if (!at->left) enter(path, speech, path->before(path->self, at->place), at);
}

/* The first difference of inputs, or of outputs, where an arc stands for itself. */
static int plain_difference(const pfi_backwards *path, const pf_symtab *words, const void *one, const void *other, bool inputs) {
    int order = 0;
    while (one != other) {
        pf_label in[2], out[2];
        path->labels(one, &in[0], &out[0]);
        path->labels(other, &in[1], &out[1]);
        const int here = inputs ? input_order(in[0], in[1]) : pfi_output_order(words, out[0], out[1]);
        if (here) order = here;
        one = path->before(path->self, one);
        other = path->before(path->self, other);
    }
    return order;
}

/* The same of any arcs. */
static int first_difference(const pfi_backwards *path, const pfi_speech *speech, const void *one, const void *other, bool inputs) {
    if (!speech->units) return plain_difference(path, speech->words, one, other, inputs);
    int order = 0;
    cursor first, second;
    enter(path, speech, one, &first);
    enter(path, speech, other, &second);
    while (first.place != second.place) {
        pf_label in[2], out[2];
        step(path, speech, &first, &in[0], &out[0]);
        step(path, speech, &second, &in[1], &out[1]);
        int here = inputs ? input_order(in[0], in[1]) : pfi_output_order(speech->words, out[0], out[1]);
        if (here) order = here;
    }
    assert(first.left == second.left);
    return order;
}

int pfi_backwards_order(const pfi_backwards *path, const pfi_speech *speech, const void *first, const void *second) {
    int order = first_difference(path, speech, first, second, true);
    return order ? order : first_difference(path, speech, first, second, false);
}

/* ---- paths of answers ---- */

static size_t spelt_length(const pfi_speech *speech, const pf_path *path) {
    size_t arcs = 0;
    for (size_t i = 0; i < path->n; i++) arcs += pfi_spelt_arcs(speech, path->arc[i].out);
    return arcs;
}

/* The first difference of inputs, or of outputs, of two paths of the same spelt length. */
static int forward_difference(const pfi_speech *speech, const pf_path *first, const pf_path *second, bool inputs) {
    const pf_path *path[2] = {first, second};
    size_t at[2] = {0, 0};
    unsigned part[2] = {0, 0};
    while (at[0] < first->n) {
        pf_label in[2], out[2];
        for (int side = 0; side < 2; side++) {
            const pf_arc *arc = &path[side]->arc[at[side]];
            in[side] = arc->in;
            out[side] = arc->out;
            spell(speech, part[side]++, &in[side], &out[side]);
            if (part[side] < pfi_spelt_arcs(speech, arc->out)) continue;
            part[side] = 0;
            at[side]++;
        }
        int order = inputs ? input_order(in[0], in[1]) : pfi_output_order(speech->words, out[0], out[1]);
        if (order) return order;
    }
    return 0;
}

int pfi_path_order(const pfi_speech *speech, const pf_path *first, const pf_path *second) {
    if (first->cost != second->cost) return first->cost < second->cost ? -1 : 1;
    size_t one = spelt_length(speech, first), other = spelt_length(speech, second);
    if (one != other) return one < other ? -1 : 1;
    int order = forward_difference(speech, first, second, true);
    return order ? order : forward_difference(speech, first, second, false);
}
