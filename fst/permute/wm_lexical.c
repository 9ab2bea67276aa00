/* Lexical orientation: each word has three costs, for coming right after the position visited last (monotone), right before
 * it (swap), or elsewhere (discontinuous). At the start only the first position is monotone. The table of a sentence has the
 * row of each word. */
#include "permute/wm_impl.h"

enum { MONOTONE, SWAP, DISCONTINUOUS, ORIENTATIONS };

static unsigned columns(unsigned length) {
    (void)length;
    return ORIENTATIONS;
}

static pf_err init(pf_wm *wm, const pf_params *params) {
    (void)params;
    wm->room = PFI_WM_LAST_ROOM;
    return PF_OK;
}

static double cost_of(const pf_wm *wm, unsigned next, unsigned j) {
    unsigned orientation = j == next ? MONOTONE : j + 2 == next ? SWAP : DISCONTINUOUS;
    return wm->cost[(size_t)j * ORIENTATIONS + orientation];
}

static double follow(const pf_wm *wm, unsigned last, unsigned j) { return cost_of(wm, last < wm->n ? last + 1 : 0, j); }

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    unsigned next = pfi_wm_next(extra);
    (void)covered, (void)moves;
    PFI_WM_MOVES(wm, allowed, j, move) costs[move] += cost_of(wm, next, j);
}

const pf_wm_class pfi_wm_lexical = {
    .name = "lexical",
    .params = ":FILE",
    .help = "costs of monotone, swap and discontinuous moves to each word",
    .table = PF_WM_WORDS,
    .columns = columns,
    .init = init,
    .weigh = weigh,
    .follow = follow,
    .advance = pfi_wm_remember,
};
