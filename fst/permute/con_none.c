/* No constraint: any uncovered position (Knight & Al-Onaizan 1998). 2^n states. */
#include "permute/con_impl.h"

static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    (void)con;
    (void)b;
    (void)x;
    (void)set;
    return PF_OK;
}

static bool member(const pf_con *con, const unsigned *p) {
    (void)con;
    (void)p;
    return true;
}

static pf_con_size size(const pf_con *con) { return pfi_con_size_all(con->n); }

const pf_con_class pfi_con_none = {
    .name = "none",
    .params = "",
    .help = "any uncovered position",
    .first_gap = true,
    .narrow = narrow,
    .member = member,
    .size = size,
};
