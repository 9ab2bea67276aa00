/* An answer as text: the words of its paths, their permutations, a table of the paths, and facts.
 *
 * Lines and tables are O(bytes) that are written, and O(paths). */
#ifndef PF_IO_PATHS_H
#define PF_IO_PATHS_H

#include <permfst/base/table.h>
#include <permfst/machine/answer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The output words of path `rank`, from 0, with a space between two and no line end; epsilons are left out. Labels are
 * numbers with `numeric` and without a table. PF_EINPUT: a label that the table lacks. */
pf_err pf_answer_write_words(pf_writer *writer, const pf_answer *answer, size_t rank, bool numeric);

/* The input labels of path `rank`, which are source positions counted from 1, as pf_answer_write_words writes words. PF_EINPUT: the
 * input labels have a table, so they are symbols, not positions. */
pf_err pf_answer_write_permutation(pf_writer *writer, const pf_answer *answer, size_t rank);

/* The name of a record as a part of a line: tabs and line ends are blanks. NULL: its number stands for it. Errors of the writer. */
pf_err pf_record_name_write(pf_writer *writer, const char *name, uint64_t record);

/* The columns of the paths of answers: record, its name (if `named`), rank (from 1), cost, permutation, words. */
pf_table pf_answer_columns(pf_table_format format, bool named);

/* A line of such columns for each path. A record has no name ("-") where `name` is NULL, and there is no permutation where the
 * input labels are symbols. Errors as pf_answer_write_words. */
pf_err pf_answer_write_lines(pf_writer *writer, const pf_answer *answer, uint64_t record, const char *name, bool numeric,
                             const pf_table *columns);

/* The same separated by tabs, without names and with the same errors. */
pf_err pf_answer_write_table(pf_writer *writer, const pf_answer *answer, uint64_t record, bool numeric);

/* Lines "key TAB value": how many paths, the best cost, what is proven, how a reference compares, and the work of the
 * search. Errors of the writer. */
pf_err pf_answer_describe(const pf_answer *answer, pf_writer *writer);

/* Of these lines, the best cost and those about the reference that the answer was compared with. Errors of the writer. */
pf_err pf_answer_describe_verdict(const pf_answer *answer, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
