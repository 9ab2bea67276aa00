/* The limits of a search: its states, its time and its memory. Private to the searches. */
#ifndef PF_SEARCH_LIMITS_H
#define PF_SEARCH_LIMITS_H

#include <permfst/search/best.h>

/* Tells how far a search is. */
void pfi_tell_progress(const pf_best_options *options, uint64_t states);

/* PF_ELIMIT: there are more states than the options allow. */
pf_err pfi_check_states(const pf_best_options *options, uint64_t states);

/* PF_ELIMIT, or PF_ENOMEM with `all_bytes`: more bytes are taken than the options allow. */
pf_err pfi_check_bytes(const pf_best_options *options, uint64_t bytes);

/* PF_ELIMIT: the time limit is reached. */
pf_err pfi_check_clock(const pf_best_options *options);

/* Tells how far a search is, and asks for its time. PF_ELIMIT: the time limit is reached. */
pf_err pfi_check_time(const pf_best_options *options, uint64_t states);

/* The same in a loop: at step 0, and at few of the steps after it. */
static inline pf_err pfi_check_time_at(uint64_t step, const pf_best_options *options, uint64_t states) {
    return step % 1024 ? PF_OK : pfi_check_time(options, states);
}

/* Does an error end a search with what it has: no more states, time or memory? */
static inline bool pfi_is_limit(pf_err err) { return err == PF_ELIMIT || err == PF_ENOMEM; }

#endif
