/* Checks answers against the automata that they answer, record by record. The verb of permshortest --verify.
 *
 * A record costs its reading and pf_verify_answer (ops/verify.h). */
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

/* Ends the stream after its last record. PF_EINPUT: there are more answers; errors of reading them. It reads at most one. */
pf_err pf_verifier_end(const pf_verifier *verifier);

/* Writes "2 answers with 20 paths: 0 wrong", and returns `words`. O(1). */
enum { PF_VERIFIED_BYTES = 120 };
const char *pf_verified_words(const pf_verified *done, char words[PF_VERIFIED_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
