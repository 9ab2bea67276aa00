/* Checking answers against the automata that they answer, record by record. The verb of permshortest --verify. */
#ifndef PF_VERBS_VERIFY_H
#define PF_VERBS_VERIFY_H

#include <permfst/ops/records.h>
#include <permfst/ops/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was checked, and how many paths were wrong. */
typedef struct {
    uint64_t records, paths, wrong;
} pf_verified;

/* Steps of records (ops/records.h) that check each of them; their `self` is a pf_verifier. */
typedef struct {
    pf_source *answers; /* an answer for each record, in the same order; borrowed */
    void (*say)(void *call, const char *words); /* by the thread that works: a path is wrong, and why. NULL: nobody wants it */
    pf_verified done;
} pf_verifier;
extern const pf_record_steps pf_verifier_steps;

/* After the last record: PF_EINPUT if there are more answers; errors of reading them. */
pf_err pf_verifier_end(const pf_verifier *verifier);

/* "2 answers with 20 paths: 0 wrong". Returns `words`. */
enum { PF_VERIFIED_BYTES = 120 };
const char *pf_verified_words(const pf_verified *done, char words[PF_VERIFIED_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
