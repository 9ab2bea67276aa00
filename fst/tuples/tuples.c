/* Memory and order of tuples; unfold.c and monotonize.c cut them. */
#include <permfst/tuples/tuples.h>

#include "base/contract.h"
#include "tuples/sound.h"

#include <stdlib.h>

void pf_tuples_reset(pf_tuples *t) { t->order.n = t->tuple.n = 0; }

void pf_tuples_free(pf_tuples *t) {
    PF_VEC_FREE(&t->order);
    PF_VEC_FREE(&t->tuple);
}

bool pf_tuples_in_order(const pf_tuples *t) {
    for (size_t p = 0; p < t->order.n; p++)
        if (t->order.at[p] != p) return false;
    return true;
}

pf_err pf_tuples_reorder(const pf_tuples *t, const pf_words *source, pf_words *to) {
    to->n = 0;
    assert(t->order.n <= source->n);
    PF_TRY(PF_ROOM(to, t->order.n));
    for (size_t p = 0; p < t->order.n; p++) to->at[to->n++] = source->at[t->order.at[p]];
    return PF_OK;
}

static bool is_permutation(const uint32_t *at, size_t n) {
    bool *seen = calloc(n + 1, sizeof *seen), holds = seen != NULL;
    for (size_t p = 0; holds && p < n; p++) {
        holds = at[p] < n && !seen[at[p]];
        if (holds) seen[at[p]] = true;
    }
    free(seen);
    return holds;
}

bool pfi_tuples_sound(const pf_tuples *t) {
    pf_tuple before = {0, 0};
    for (size_t k = 0; k < t->tuple.n; k++) {
        pf_tuple end = t->tuple.at[k];
        if (end.source_end < before.source_end || end.target_end < before.target_end) return false;
        if (end.source_end == before.source_end && end.target_end == before.target_end) return false;
        before = end;
    }
    return before.source_end == t->order.n && is_permutation(t->order.at, t->order.n);
}
