/* Bounded word moves: every position is visited within D steps of its own place. This is an alias of
 * ibm:(D+1) + inverse-ibm:(D+1), which has no dead ends. A plain test of each step by itself would have some. */
#include "permute/con_impl.h"

#include <stdio.h>

static void alias(const pf_con *con, char *spec, size_t room) {
    unsigned long long window = con->param + 1;
    snprintf(spec, room, "ibm:%llu+inverse-ibm:%llu", window, window);
}

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    unsigned most = 0;
    (void)scratch;
    for (unsigned step = 0; step < length; step++) {
        unsigned move = perm[step] > step ? perm[step] - step : step - perm[step];
        if (move > most) most = move;
    }
    *param = most;
    return true;
}

const pf_con_class pfi_con_displacement = {
    .name = "displacement",
    .params = ":D",
    .help = "every position within D steps of its own place: ibm:(D+1) + inverse-ibm:(D+1)",
    .inverse = &pfi_con_displacement,
    .init = pfi_con_distance,
    .alias = alias,
    .least = least,
};
