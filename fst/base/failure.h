/* An error that counts later: kept with its message, which the next error of the thread would replace. */
#ifndef PF_BASE_FAILURE_H
#define PF_BASE_FAILURE_H

#include <permfst/base/err.h>

#include <stdio.h>

typedef struct {
    pf_err err; /* PF_OK: nothing failed */
    char message[1024];
} pfi_failure;

/* Keeps an error that has just been met, in this thread; or PF_OK. */
static inline void pfi_failure_note(pfi_failure *failed, pf_err err) {
    failed->err = err;
    if (err) snprintf(failed->message, sizeof failed->message, "%s", pf_message());
}

/* Fails, in any thread, as it failed then. */
static inline pf_err pfi_failure_again(const pfi_failure *failed) {
    return failed->err ? pf_fail(failed->err, "%s", failed->message) : PF_OK;
}

#endif
