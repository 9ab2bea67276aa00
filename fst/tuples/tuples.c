/* Memory and order of tuples; unfold.c and monotonize.c cut them. */
#include <permfst/tuples/tuples.h>

#include "base/contract.h"
#include "tuples/sound.h"

#include <stdlib.h>

void pf_tuples_reset(pf_tuples *tuples) { tuples->order.n = tuples->tuple.n = 0; }

void pf_tuples_free(pf_tuples *tuples) {
    PF_VEC_FREE(&tuples->order);
    PF_VEC_FREE(&tuples->tuple);
}

bool pf_tuples_in_order(const pf_tuples *tuples) {
    for (size_t place = 0; place < tuples->order.n; place++)
        if (tuples->order.at[place] != place) return false;
    return true;
}

pf_err pf_tuples_reorder(const pf_tuples *tuples, const pf_words *source, pf_words *to) {
    to->n = 0;
    assert(tuples->order.n <= source->n);
    PF_TRY(PF_ROOM(to, tuples->order.n));
    for (size_t place = 0; place < tuples->order.n; place++) to->at[to->n++] = source->at[tuples->order.at[place]];
    return PF_OK;
}

static bool is_permutation(const uint32_t *at, size_t length) {
    bool *seen = calloc(length + 1, sizeof *seen), holds = seen != NULL;
    for (size_t place = 0; holds && place < length; place++) {
        holds = at[place] < length && !seen[at[place]];
        if (holds) seen[at[place]] = true;
    }
    free(seen);
    return holds;
}

bool pfi_tuples_sound(const pf_tuples *tuples) {
    pf_tuple before = {0, 0};
    for (size_t k = 0; k < tuples->tuple.n; k++) {
        pf_tuple end = tuples->tuple.at[k];
        if (end.source_end < before.source_end || end.target_end < before.target_end) return false;
        if (end.source_end == before.source_end && end.target_end == before.target_end) return false;
        before = end;
    }
    return before.source_end == tuples->order.n && is_permutation(tuples->order.at, tuples->order.n);
}
