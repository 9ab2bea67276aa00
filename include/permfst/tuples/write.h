/* The tuples of a pair as a line of text, each as model/tuple_text.h writes it: what an estimator of m-grams reads.
 *
 * Each call is O(bytes). */
#ifndef PF_TUPLES_WRITE_H
#define PF_TUPLES_WRITE_H

#include <permfst/model/tuple_text.h>
#include <permfst/tuples/tuples.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the tuples of a pair with blanks between them, without an end of line. `reordered` is what pf_tuples_reorder
 * gave. Errors of the writer. */
pf_err pf_tuples_write(pf_writer *writer, const pf_tuples *tuples, const pf_words *reordered, const pf_words *target);

/* Writes the order as a permutation, positions from 1 with blanks between them, without an end of line. Errors of
 * the writer. */
pf_err pf_tuples_write_order(pf_writer *writer, const pf_tuples *tuples);

/* Where the lines of a pair go, each of which may be NULL: its tuples, its source in the new order, and that order. */
typedef struct {
    pf_writer *tuples, *reordered, *permutations;
} pf_tuple_writers;

/* Writes the lines of a pair; those that do not go to a file of their own, but perhaps to a pipe, are handed to the system. The
 * errors of pf_tuples_reorder and of the writers. */
pf_err pf_tuples_write_lines(const pf_tuple_writers *to, const pf_tuples *tuples, const pf_words *source,
    const pf_words *target);

#ifdef __cplusplus
}
#endif
#endif
