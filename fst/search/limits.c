/* The limits of a search, as its options set them. */
#include "search/limits.h"

void pfi_tell_progress(const pf_best_options *o, uint64_t states) {
    if (o->progress) o->progress(o->self, states);
}

pf_err pfi_check_states(const pf_best_options *o, uint64_t states) {
    if (!o->max_states || states <= o->max_states) return PF_OK;
    return pf_fail(PF_ELIMIT, "the limit of %llu states is reached", (unsigned long long)o->max_states);
}

pf_err pfi_check_time(const pf_best_options *o, uint64_t states) {
    pfi_tell_progress(o, states);
    return o->expired && o->expired(o->self) ? pf_fail(PF_ELIMIT, "the time limit is reached") : PF_OK;
}
