/* Counts the permutations that a constraint admits, exactly, in all or by a statistic. Writing is O(bytes). */
#ifndef PF_PERMUTE_TALLY_H
#define PF_PERMUTE_TALLY_H

#include <permfst/base/writer.h>
#include <permfst/permute/con.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    mpz_t *at;       /* n numbers: at[k] permutations have the statistic k. Without a statistic at[0] is all of them */
    size_t n;
    bool closed;     /* known in closed form. Otherwise counted level by level: */
    uint64_t states; /* states visited */
    uint64_t widest; /* states of the largest level */
} pf_tally;

typedef struct {
    const char *by;      /* a weight model whose costs are whole numbers, "inversions:1" (wm.h: whole); NULL: no statistic */
    uint64_t max_states; /* the most states of one level; 0: no limit */
    void (*progress)(void *self, uint64_t states); /* called now and then with the states visited so far; may be NULL */
    void *self;
    bool (*expired)(void *self); /* asked now and then: is it to end (PF_ELIMIT)? NULL: nobody is asked */
} pf_tally_options;

/* Counts the permutations of a constraint without dead ends. A closed form is used where the class has one and no statistic is
 * asked for. Otherwise the states are visited level by level of coverage. The states of two levels are in memory, each with the
 * number of ways to reach it, or one such number for each value of the statistic. O(arcs) additions of these numbers.
 * *out is freed by pf_tally_free. PF_EARG: `by` is unknown or its costs are not whole numbers. PF_ELIMIT: max_states, or a
 * completion test. PF_ENOMEM. */
pf_err pf_tally_run(const pf_con *con, const pf_tally_options *options, pf_tally *out);
void pf_tally_free(pf_tally *tally);

/* Writes the numbers, a line each: `prefix` (NULL: none), the value of the statistic and a tab where there is a statistic, and the
 * number. PF_ENOMEM, and the errors of the writer. */
pf_err pf_tally_write(const pf_tally *tally, bool by_statistic, const char *prefix, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
