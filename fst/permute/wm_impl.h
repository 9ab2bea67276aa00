/* Private to the weight models: the classes, one a file. */
#ifndef PF_PERMUTE_WM_IMPL_H
#define PF_PERMUTE_WM_IMPL_H

#include "permute/wm.h"

extern const pf_wm_class pfi_wm_monotone;

/* A model of a class, without parameters read; freed by pf_wm_free. */
pf_err pfi_wm_make(const pf_wm_class *cls, unsigned n, pf_wm **out);

#endif
