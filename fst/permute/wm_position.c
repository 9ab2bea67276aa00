/* A cost for each position at each step: a matrix for each sentence. Row p, column t is the cost of visiting p at step t. */
#include "permute/wm_impl.h"

static unsigned columns(unsigned n) { return n; }

static void weigh(const pf_wm *wm, const pf_cover *b, const unsigned char *x, const pf_cover *allowed, unsigned moves,
                  double *w) {
    unsigned step = pf_cover_count(b, wm->nw);
    (void)x, (void)moves;
    PFI_WM_MOVES(wm, allowed, j, move) w[move] += wm->cost[(size_t)j * wm->n + step];
}

const pf_wm_class pfi_wm_position = {
    .name = "position",
    .params = ":FILE",
    .help = "the cost of visiting p in step t: a matrix for each sentence",
    .table = PF_WM_MATRIX,
    .columns = columns,
    .weigh = weigh,
};
