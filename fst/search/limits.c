/* The limits of a search, as its options set them. */
#include "search/limits.h"

void pfi_tell_progress(const pf_best_options *options, uint64_t states) {
    if (options->progress) options->progress(options->self, states);
}

pf_err pfi_check_states(const pf_best_options *options, uint64_t states) {
    if (!options->max_states || states <= options->max_states) return PF_OK;
    return pf_fail(PF_ELIMIT, "the limit of %llu states is reached", (unsigned long long)options->max_states);
}

pf_err pfi_check_bytes(const pf_best_options *options, uint64_t bytes) {
    if (!options->max_bytes || bytes <= options->max_bytes) return PF_OK;
    return pf_fail(options->all_bytes ? PF_ENOMEM : PF_ELIMIT, "the limit of %llu MiB of memory is reached",
                   (unsigned long long)(options->max_bytes >> 20));
}

pf_err pfi_check_clock(const pf_best_options *options) {
    return options->expired && options->expired(options->self) ? pf_fail(PF_ELIMIT, "the time limit is reached") : PF_OK;
}

pf_err pfi_check_time(const pf_best_options *options, uint64_t states) {
    pfi_tell_progress(options, states);
    return pfi_check_clock(options);
}
