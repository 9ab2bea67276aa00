/* Counting: how many paths a record has, or how many permutations a space has at a length, exactly. The verb of permcount.
 *
 * Counting is that of the automaton or of the closed form; lines are O(digits). */
#ifndef PF_VERBS_COUNT_H
#define PF_VERBS_COUNT_H

#include <permfst/base/table.h>
#include <permfst/io/expr.h>
#include <permfst/permute/tally.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    bool of_space;        /* permutations were counted, not the states of an automaton */
    pf_tally tally;       /* the numbers, and how they were found; of an automaton at[0] alone */
    unsigned positions;   /* of_space: how many */
    bool looks_ahead;     /* of_space: the space has a completion test */
    bool by_trees;        /* of_space: orders of itg, counted by their trees (chart/count.h) */
    bool empty;           /* of_space: there is no permutation; the only number is 0 */
    uint64_t states, arcs; /* else: how many of the automaton were built */
} pf_path_count;

void pf_path_count_free(pf_path_count *count); /* what it has; not the struct */

/* The permutations of `length` positions that satisfy all of `n_con` constraints; there may be none. *out is freed by
 * pf_path_count_free. Errors as pf_con_all_if_any and pf_tally_run. */
pf_err pf_space_count(const char *const *con, size_t n_con, unsigned length, const pf_tally_options *options,
    pf_path_count *out);

/* Spaces side by side, each with one constraint; without constraints there is one space, "none". The columns of a table: the
 * length, the statistic (NULL: none), a number for each space. Names are borrowed. PF_ENOMEM. */
pf_err pf_space_columns(const char *const *con, size_t n_con, const char *statistic, pf_table *table);

/* The lines of such a table at one length: one line, or one for each value of the statistic. `told` (NULL: nobody is told) gets how
 * each space was counted, with its name. Errors of pf_space_count and of the writer. */
typedef struct {
    const pf_table *table;
    void (*told)(void *self, const char *con, const pf_path_count *count);
    void *self;
} pf_space_lines_to;
pf_err pf_space_lines(const char *const *con, size_t n_con, unsigned length, const pf_tally_options *options,
                      const pf_space_lines_to *to, pf_writer *writer);

/* The operand of an expression whose paths are as many as those of the expression: models that give every word a finite cost are
 * left off. Borrowed. PF_EINPUT: a damaged model. */
pf_err pf_expr_without_models(pf_expr *expr, pf_expr **out);

/* The paths of an expression. Those of a permutation automaton, alone or composed with models as above, are counted by its space:
 * each permutation has one path for each choice of alternatives, and options->by is a statistic of them. Any other automaton is
 * expanded. *out is freed by pf_path_count_free. PF_EINPUT: a cycle. PF_EARG: `by` for something else than permutations.
 * PF_ELIMIT, PF_ENOMEM. */
pf_err pf_expr_count(pf_expr *expr, const pf_tally_options *options, pf_path_count *out);

/* How the numbers were found: "20 positions: closed form". Returns `words`. */
enum { PF_COUNT_HOW_BYTES = 200 };
const char *pf_path_count_how(const pf_path_count *count, char words[PF_COUNT_HOW_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
