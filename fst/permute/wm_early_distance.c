/* Early distortion cost (Moore & Quirk 2007, as Moses has it), for single words: charges for a gap when it is left, not when
 * it is filled. Times W: 0 for the first uncovered position; else 2 for a move to the left; else, when the last position
 * lies in the covered prefix, 2 (1 + positions from the prefix to p); else 2 (1 + positions from the last one to p). */
#include "permute/wm_impl.h"

static void weigh(const pf_wm *wm, const pf_cover *b, const unsigned char *x, const pf_cover *allowed, unsigned moves,
                  double *w) {
    unsigned gap = pf_cover_gap(b, wm->nw, 0), next = pfi_wm_next(x), from = next > gap ? next : gap;
    (void)moves;
    PFI_WM_MOVES(wm, allowed, j, r)
        if (j != gap) w[r] += wm->param * 2 * (j < next ? 1 : 1 + (j - from));
}

const pf_wm_class pfi_wm_early_distance = {
    .name = "early-distance",
    .params = ":W",
    .help = "W times the early distortion cost: a gap is paid for when it is left (Moore & Quirk)",
    .whole = true,
    .init = pfi_wm_factor_last,
    .weigh = weigh,
    .advance = pfi_wm_remember,
};
