/* A cost for each position at each step: a matrix for each sentence. Row p, column t is the cost of visiting p at step t. */
#include "permute/wm_impl.h"

static unsigned columns(unsigned length) { return length; }

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    unsigned step = pf_cover_count(covered, wm->nw);
    (void)extra, (void)moves;
    PFI_WM_MOVES(wm, allowed, j, move) costs[move] += wm->cost[(size_t)j * wm->n + step];
}

const pf_wm_class pfi_wm_position = {
    .name = "position",
    .params = ":FILE",
    .help = "the cost of visiting p in step t: a matrix for each sentence",
    .table = PF_WM_MATRIX,
    .columns = columns,
    .weigh = weigh,
};
