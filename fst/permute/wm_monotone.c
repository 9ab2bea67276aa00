/* Monotone weights (Kanthak et al. 2005, section 4.6): at a state whose coverage is a prefix, the next position in order
 * gets probability A and the other moves share 1-A; at every other state all moves are equally likely. A single move has
 * probability one. Only moves that all constraints allow are counted, so the probabilities always sum to one. */
#include "permute/wm_impl.h"

#include <math.h>

static pf_err init(pf_wm *wm, const pf_params *params) {
    PF_TRY(pf_params_expect(params, 1, "monotone:A"));
    return pf_params_real(params, 0, 0, 1, &wm->param);
}

static void weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    (void)extra;
    unsigned gap;
    if (moves < 2) return;
    /* The first uncovered position after a prefix can only be the first of the moves. */
    bool prefix = pf_cover_is_prefix(covered, wm->nw, &gap) && pf_cover_has(allowed, gap);
    double others = prefix ? -log((1 - wm->param) / (moves - 1)) : log(moves);
    costs[0] += prefix ? -log(wm->param) : others;
    for (unsigned move = 1; move < moves; move++) costs[move] += others;
}

const pf_wm_class pfi_wm_monotone = {
    .name = "monotone",
    .params = ":A",
    .help = "probability A (0 < A < 1) of going on in order while no gap is open",
    .normalised = true,
    .init = init,
    .weigh = weigh,
};
