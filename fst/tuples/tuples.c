/* Room and order of tuples; the cutting is done in unfold.c and monotonize.c. */
#include <permfst/tuples/tuples.h>

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
    PF_TRY(PF_ROOM(to, t->order.n));
    for (size_t p = 0; p < t->order.n; p++) to->at[to->n++] = source->at[t->order.at[p]];
    return PF_OK;
}
