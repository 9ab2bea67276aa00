/* W for each inversion: each pair that is visited in the opposite order. A path costs W times its Kendall distance to the
 * order of the input (Pecheux et al. 2016, section 4.3): visiting p costs W for each covered position after p. */
#include "permute/wm_impl.h"

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    (void)extra, (void)moves;
    PFI_WM_MOVES(wm, allowed, j, move) costs[move] += wm->param * pf_cover_count_range(covered, wm->nw, j + 1, wm->n);
}

static double pair(const pf_wm *wm, unsigned earlier, unsigned later) { return earlier > later ? wm->param : 0; }

const pf_wm_class pfi_wm_inversions = {
    .name = "inversions",
    .params = ":W",
    .help = "W for each pair of positions visited in the opposite order",
    .whole = true,
    .init = pfi_wm_factor,
    .weigh = weigh,
    .pair = pair,
};
