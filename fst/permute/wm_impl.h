/* Private to the weight models: the classes, one in each file, and what several of them share. */
#ifndef PF_PERMUTE_WM_IMPL_H
#define PF_PERMUTE_WM_IMPL_H

#include <permfst/permute/wm.h>

extern const pf_wm_class pfi_wm_monotone, pfi_wm_distance, pfi_wm_early_distance, pfi_wm_inversions, pfi_wm_jumps,
    pfi_wm_pairwise, pfi_wm_position, pfi_wm_lexical;

/* A model of a class whose parameters are still to be read; freed by pf_wm_free. */
pf_err pfi_wm_make(const pf_wm_class *cls, unsigned length, pf_wm **out);

/* The costs of a model times a finite number. It owns the model from now on, also when this fails. PF_ENOMEM. */
pf_err pfi_wm_scale(pf_wm *of, double scale, pf_wm **out);

/* init() with the one number of distance:W and its like: any that a float holds. */
pf_err pfi_wm_factor(pf_wm *wm, const pf_params *params);

/* Models whose state is the position visited last: their bytes are that position + 1, and 0 at the start. pfi_wm_factor_last is
 * an init() with one number, pfi_wm_remember an advance(), and pfi_wm_next reads the bytes. */
enum { PFI_WM_LAST_ROOM = sizeof(uint16_t) };
pf_err pfi_wm_factor_last(pf_wm *wm, const pf_params *params);
void pfi_wm_remember(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to);
static inline unsigned pfi_wm_next(const unsigned char *extra) { return (unsigned)(extra[0] | extra[1] << 8); }

/* For each member j of `allowed`, of which it is the r-th. */
#define PFI_WM_MOVES(wm, allowed, j, r) \
    for (unsigned j = pf_cover_next(allowed, (wm)->nw, 0), r = 0; j < (wm)->n; j = pf_cover_next(allowed, (wm)->nw, j + 1), r++)

#endif
