/* Early distortion cost (Moore & Quirk 2007, as Moses has it), for single words: a gap is paid for when it is made, not when it
 * is filled. W times: 0 for the first uncovered position; otherwise 2 for a move to the left; otherwise, if the last position
 * is in the covered prefix, 2 (1 + positions between the prefix and p); otherwise 2 (1 + positions between the last one and p). */
#include "permute/wm_impl.h"

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    unsigned gap = pf_cover_gap(covered, wm->nw, 0), next = pfi_wm_next(extra), from = next > gap ? next : gap;
    (void)moves;
    PFI_WM_MOVES(wm, allowed, j, move)
        if (j != gap) costs[move] += wm->param * 2 * (j < next ? 1 : 1 + (j - from));
}

const pf_wm_class pfi_wm_early_distance = {
    .name = "early-distance",
    .params = ":W",
    .help = "W times the early distortion cost: a gap is charged for when it is left (Moore & Quirk)",
    .whole = true,
    .init = pfi_wm_factor_last,
    .weigh = weigh,
    .advance = pfi_wm_remember,
};
