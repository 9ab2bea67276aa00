/* Private to the constraints: the classes, one a file, and what several of them share. */
#ifndef PF_PERMUTE_CON_IMPL_H
#define PF_PERMUTE_CON_IMPL_H

#include "permute/con.h"

extern const pf_con_class pfi_con_none, pfi_con_ibm, pfi_con_inverse_ibm, pfi_con_local, pfi_con_itg;

/* A constraint of a class, without parameters read; freed by pf_con_free. */
pf_err pfi_con_make(const pf_con_class *cls, unsigned n, pf_con **out);

/* Wraps a constraint, which it owns from now on, in the completion test. */
pf_err pfi_con_live(pf_con *inner, pf_con **out);
extern const pf_con_class pfi_con_live_class;

/* The one parameter of ibm:L and its like, at least 1. */
pf_err pfi_con_window(pf_con *con, const pf_params *params);

/* Binomial coefficient, and the sizes of all orders of n. */
double pfi_binomial(double n, double k);
pf_con_size pfi_con_size_all(unsigned n);

#endif
