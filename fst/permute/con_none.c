/* No constraint: any uncovered position (Knight & Al-Onaizan 1998). 2^n states. */
#include "permute/con_impl.h"

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    (void)con;
    (void)covered;
    (void)extra;
    (void)set;
    return PF_OK;
}

static bool member(const pf_con *con, const unsigned *perm) {
    (void)con;
    (void)perm;
    return true;
}

static void size(const pf_con *con, pf_con_size *size) { pfi_con_size_all(con->n, size); }

static uint64_t view_allows(const pf_con *con, const pf_con_view *view) {
    (void)con, (void)view;
    return ~UINT64_C(0);
}

/* Fisher and Yates. */
static pf_err draw(const pf_con *con, gmp_randstate_t random, unsigned *perm) {
    for (unsigned step = 0; step < con->n; step++) {
        unsigned drawn = (unsigned)gmp_urandomm_ui(random, step + 1);
        perm[step] = perm[drawn];
        perm[drawn] = step;
    }
    return PF_OK;
}

const pf_con_class pfi_con_none = {
    .name = "none",
    .params = "",
    .help = "any uncovered position",
    .first_gap = true,
    .beside_itg = true,
    .sorts = true,
    .inverse = &pfi_con_none,
    .narrow = narrow,
    .view_allows = view_allows,
    .inverts = pfi_con_inverts_any,
    .member = member,
    .size = size,
    .draw = draw,
};
