/* The order of paths that cost the same: fewer arcs first, then inputs, then outputs (best.h). Private to the searches.
 *
 * What counts are the arcs of the answer. In a search of units (ops/units.h) the answer is spelt: an arc whose unit says several
 * words stands for as many arcs, of which the first has the input. So a translation has one order, however it is searched. */
#ifndef PF_SEARCH_TIES_H
#define PF_SEARCH_TIES_H

#include <permfst/machine/answer.h>
#include <permfst/ops/units.h>

/* What outputs are: words of a table (NULL: numbers), or units that say such words. */
typedef struct {
    const pf_symtab *words;
    const pf_units *units; /* NULL: outputs are words */
} pfi_speech;

/* The table is for outputs that are no units; either may be NULL. */
pfi_speech pfi_speech_of(const pf_symtab *osyms, const pf_units *units);

/* The arcs that an arc with this output stands for: at least 1. O(1). */
static inline unsigned pfi_spelt_arcs(const pfi_speech *speech, pf_label out) {
    size_t count = 1;
    if (speech->units && out != PF_EPSILON) pf_units_said(speech->units, out, &count);
    return count ? (unsigned)count : 1;
}

/* The order of two labels as outputs: by string, or by number where there is no table. */
int pfi_output_order(const pf_symtab *osyms, pf_label first, pf_label second);

/* A path that is read from its end backwards. A place is where an arc ends, and it stands for the path up to there: paths with the
 * same beginning go over the same place. */
typedef struct {
    const void *self;
    void (*labels)(const void *place, pf_label *in, pf_label *out); /* of the arc that ends there */
    const void *(*before)(const void *self, const void *place);     /* where that arc begins */
} pfi_backwards;

/* The order of two paths by inputs, then by outputs. They differ, and have equally many arcs when they are spelt. O(length). */
int pfi_backwards_order(const pfi_backwards *path, const pfi_speech *speech, const void *first, const void *second);

/* The order of two paths of an answer: by cost, arcs, inputs and outputs. O(length). */
int pfi_path_order(const pfi_speech *speech, const pf_path *first, const pf_path *second);

#endif
