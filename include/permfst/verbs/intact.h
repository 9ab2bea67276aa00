/* Is a record what it claims to be? */
#ifndef PF_VERBS_INTACT_H
#define PF_VERBS_INTACT_H

#include <permfst/ops/records.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was looked at. */
typedef struct {
    uint64_t states, arcs; /* of ordinary automata */
    uint64_t properties;   /* that they claim to have */
    uint64_t models, answers, opened;
} pf_intact_counts;

/* Checks a record. One that was read has come whole, if it has a checksum, and its structure is sound. What is left to check: that
 * the number of arcs and the properties that an OpenFst header claims are true; that a lazy automaton can be opened, also one
 * whose model travels by name; that a model can be made of its bytes. Adds to *counts. PF_EINPUT: the first thing that is wrong;
 * the errors of pf_open. O(size), and what opening costs. */
pf_err pf_expr_intact(pf_expr *expr, pf_intact_counts *counts);

/* A stream: the `self` of the steps (ops/records.h), which check each record. Those that failed are not counted. Messages name the
 * record and the byte where it begins. */
typedef struct {
    uint64_t records, bare; /* bare: without a checksum */
    pf_intact_counts counts;
} pf_intact_stream;
extern const pf_record_steps pf_intact_steps;

/* Writes "intact: 3 records, 1 of them without a checksum; ..", and returns `words`. O(1). */
enum { PF_INTACT_BYTES = 400 };
const char *pf_intact_words(const pf_intact_stream *stream, char words[PF_INTACT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
