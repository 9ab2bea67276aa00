/* The distortion cost of phrase-based decoders: W for each position that a jump passes, abs(p - (q+1)), where q was visited
 * last. The jump from the last word to the end of the sentence is free. */
#include "permute/wm_impl.h"

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    unsigned next = pfi_wm_next(extra);
    (void)covered, (void)moves;
    PFI_WM_MOVES(wm, allowed, j, move) costs[move] += wm->param * (j > next ? j - next : next - j);
}

static double follow(const pf_wm *wm, unsigned last, unsigned j) {
    unsigned next = last < wm->n ? last + 1 : 0;
    return wm->param * (j > next ? j - next : next - j);
}

const pf_wm_class pfi_wm_distance = {
    .name = "distance",
    .params = ":W",
    .help = "W for each position that a jump skips: W * abs(p - (q+1))",
    .whole = true,
    .init = pfi_wm_factor_last,
    .weigh = weigh,
    .follow = follow,
    .advance = pfi_wm_remember,
};
