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
    /* A path that the automaton lacks (cost INFINITY), or that has another cost in it. By the thread that works. May be NULL. */
    void (*wrong)(void *call, uint64_t record, const pf_path *path, size_t rank, double cost);
    pf_verified done;
} pf_verifier;
extern const pf_record_steps pf_verifier_steps;

/* After the last record: PF_EINPUT if there are more answers; errors of reading them. */
pf_err pf_verifier_end(const pf_verifier *verifier);

#ifdef __cplusplus
}
#endif
#endif
