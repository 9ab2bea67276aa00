/* Checking permutations against constraints, line by line. The verb of permcheck.
 *
 * A line is O(bytes), and what its checks cost (permute/check.h). */
#ifndef PF_VERBS_CHECK_H
#define PF_VERBS_CHECK_H

#include <permfst/base/table.h>
#include <permfst/permute/check.h>
#include <permfst/permute/con_file.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *const *con; /* specifications to check against */
    size_t n_con;
    bool tightest; /* also the least parameter of each family; only that without specifications */
    bool why;      /* also where a permutation breaks a constraint */
    bool quiet;    /* writes nothing */
    const pf_table *table; /* of pf_check_columns: one line for a permutation; NULL: a line for each answer */
    bool places;   /* a line has the place of each position, not the positions in the order of visits */
    unsigned base; /* the number of the first position, 0 or 1 */
} pf_check_options;

/* Adds the columns of a table with a line for each permutation: record; each specification of options->con ("yes", "no"); of the
 * families that `tightest` asks for the least parameter, or whether they allow it; with `why`, the reasons. A family that is a
 * specification, too, has one column. PF_ENOMEM. */
pf_err pf_check_columns(const pf_check_options *options, pf_table *table);

/* Writes the specifications for the permutation on a line, each with a NUL: those of options->con, with the next tree in the place
 * of a file. trees[i] is the file of options->con[i]; NULL: it has none. Lines come in order, and each takes a tree of every file,
 * also where one of them fails. The errors of pf_con_file_next and of the writer. */
pf_err pf_check_read_trees(const char *line, const pf_check_options *options, pf_con_file *const *trees, pf_writer *writer);

/* Checks the permutation on a line, and writes an answer for each specification, separated by tabs: `record`, the specification,
 * "inside" or "outside", and why. `specs` is what pf_check_read_trees has written, NULL: options->con as it stands. *outside: is it
 * outside one of options->con? Any number of threads may check at once. PF_EINPUT: the line is not a permutation; PF_EARG: a
 * specification makes no sense at this length; PF_ENOMEM, and the errors of the writer. Cost: pf_check_spec and
 * pf_check_tightest. */
pf_err pf_check_line(const char *line, uint64_t record, const pf_check_options *options, const char *specs, pf_writer *writer,
                     bool *outside);

#ifdef __cplusplus
}
#endif
#endif
