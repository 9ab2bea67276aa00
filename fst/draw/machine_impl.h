/* Private to the pictures of machines: levels, coverages, and which arcs are bold or grey. */
#ifndef PF_DRAW_MACHINE_IMPL_H
#define PF_DRAW_MACHINE_IMPL_H

#include <permfst/base/cover.h>
#include <permfst/draw/automaton.h>

enum { PFI_ARC_BACK = 1, PFI_ARC_BEST = 2, PFI_ARC_KEPT = 4 }; /* bits of an arc */

/* Arc i of a state has the number first[state] + i. */
typedef struct {
    pf_fst *fst;
    const pf_draw_options *options;
    pf_state states;
    size_t *first;         /* states + 1 */
    unsigned char *bits;   /* of each arc; arcs that are not BACK have no cycle */
    unsigned *level;       /* of each state */
    unsigned levels;       /* one more than the largest */
    unsigned positions;    /* of coverages; 0: there are none */
    pf_cover *cover;       /* of each state: pf_cover_words(positions); NULL: there are none */
    bool *grey;            /* states that no path of `kept` visits; NULL: none is */
    bool best;             /* there is a best path */
} pfi_shown_machine;

/* Expands a machine and finds all of this. *out is freed by pfi_shown_machine_free, also after an error. */
pf_err pfi_machine_show(pf_fst *fst, const pf_draw_options *options, pfi_shown_machine *out);
void pfi_shown_machine_free(pfi_shown_machine *shown);

/* Sets PFI_ARC_BEST of the arcs of the best path, and `best`; PFI_ARC_KEPT of the arcs on paths of `kept`, and `grey`. */
pf_err pfi_machine_mark_best(pfi_shown_machine *shown);
pf_err pfi_machine_mark_kept(pfi_shown_machine *shown);

static inline const pf_cover *pfi_shown_cover(const pfi_shown_machine *shown, pf_state state) {
    return shown->cover + (size_t)state * pf_cover_words(shown->positions);
}
static inline bool pfi_arc_is_grey(const pfi_shown_machine *shown, size_t arc) {
    return shown->grey && !(shown->bits[arc] & PFI_ARC_KEPT);
}

/* Are coverages written short: how many positions are visited before the first that is not, and then a window? */
bool pfi_covers_are_windows(const pfi_shown_machine *shown);

/* The name of a state: its coverage, or its number. The words of an arc, without its cost. Errors of the writer. */
pf_err pfi_put_state_name(pf_writer *writer, const pfi_shown_machine *shown, pf_state state);
pf_err pfi_put_arc_words(pf_writer *writer, const pfi_shown_machine *shown, const pf_arc *arc);

#endif
