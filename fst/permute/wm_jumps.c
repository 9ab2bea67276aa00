/* W for each jump: each step after the first to a position that does not follow the last one, p_t != p_(t-1) + 1. A path of
 * J jumps has J+1 monotone runs, the chunks of fuzzy reordering scores. */
#include "permute/wm_impl.h"

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    unsigned next = pfi_wm_next(extra);
    (void)covered, (void)moves;
    PFI_WM_MOVES(wm, allowed, j, move)
        if (next && j != next) costs[move] += wm->param;
}

static double follow(const pf_wm *wm, unsigned last, unsigned j) {
    return last < wm->n && j != last + 1 ? wm->param : 0;
}

const pf_wm_class pfi_wm_jumps = {
    .name = "jumps",
    .params = ":W",
    .help = "W for each step after the first that does not go to the next position",
    .whole = true,
    .init = pfi_wm_factor_last,
    .weigh = weigh,
    .follow = follow,
    .advance = pfi_wm_remember,
};
