/* The linear ordering model (Tromble & Eisner 2009): a matrix B for each sentence; visiting p costs the sum over the covered
 * positions q of B[q][p], the cost of q before p. With B[q][p] = 1 where a reference has p before s, else 0, a path costs
 * its Kendall distance to the reference (Pecheux et al. 2016, eq. 7). O(covered) a move. */
#include "permute/wm_impl.h"

static unsigned columns(unsigned length) { return length; }

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    (void)extra, (void)moves;
    for (unsigned earlier = pf_cover_next(covered, wm->nw, 0); earlier < wm->n;
         earlier = pf_cover_next(covered, wm->nw, earlier + 1)) {
        const double *before = wm->cost + (size_t)earlier * wm->n;
        PFI_WM_MOVES(wm, allowed, j, move) costs[move] += before[j];
    }
}

static double pair(const pf_wm *wm, unsigned earlier, unsigned later) { return wm->cost[(size_t)earlier * wm->n + later]; }

const pf_wm_class pfi_wm_pairwise = {
    .name = "pairwise",
    .params = ":FILE",
    .help = "the cost of visiting s before p, for each pair: a matrix for each sentence",
    .table = PF_WM_MATRIX,
    .columns = columns,
    .weigh = weigh,
    .pair = pair,
};
