/* ITG with short inversions (Dreyer et al. 2007, section 3.2): separable, and every inverted node spans at most S positions.
 * For every choice of binary trees this is itg + local:S, and also itg + mj:(S-1). */
#include "permute/con_impl.h"

#include <stdio.h>

static void alias(const pf_con *con, char *spec, size_t room) {
    snprintf(spec, room, "itg+local:%llu", (unsigned long long)con->param);
}

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    return pfi_con_separable(perm, length, scratch) && pfi_con_local.least(perm, length, scratch, param);
}

const pf_con_class pfi_con_itg_span = {
    .name = "itg-span",
    .params = ":S",
    .help = "separable, and every inverted node spans at most S positions: itg + local:S",
    .inverse = &pfi_con_itg_span,
    .init = pfi_con_window,
    .alias = alias,
    .least = least,
};
