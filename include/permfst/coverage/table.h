/* How many pairs each constraint reaches, by direction and length, and what that says about other pairs like them.
 *
 * A table is rows (families, specifications, lattices) by bins (all lengths first) by the two directions. A cell counts pairs
 * by the least parameter that reaches them, so that one pass answers for all parameters. */
#ifndef PF_COVERAGE_TABLE_H
#define PF_COVERAGE_TABLE_H

#include <permfst/base/writer.h>
#include <permfst/coverage/coverage.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_FORWARD, PF_BACKWARD, PF_DIRECTIONS }; /* source words visited in target order; and the other way round */

typedef struct {
    const char *name; /* borrowed */
    bool numbered;
    unsigned lowest;
    bool asked[PF_DIRECTIONS]; /* is it in the table? */
} pf_coverage_row;

typedef struct {
    PF_VEC(uint64_t) need; /* pairs by least parameter */
    uint64_t undecided;    /* not counted as reached */
} pf_coverage_cell;

typedef struct {
    PF_VEC(pf_coverage_row) row;
    PF_VEC(unsigned) longest; /* of each bin but the first: lengths up to this; ascending, the last UINT_MAX */
    PF_VEC(uint64_t) pairs;   /* of each bin */
    PF_VEC(pf_coverage_cell) cell;
} pf_coverage_table; /* all zero: empty; rows and the ends of bins are pushed, then ..._start */

void pf_coverage_table_free(pf_coverage_table *t);

/* A row of a family; of a specification or the like, without a parameter. Directions are asked by the caller. PF_ENOMEM. */
pf_err pf_coverage_table_add(pf_coverage_table *t, const char *name, bool numbered, unsigned lowest, const bool *asked);

/* Makes the cells. PF_ENOMEM. */
pf_err pf_coverage_table_start(pf_coverage_table *t);

/* A pair of this many source words; then the answers for it. PF_ENOMEM. */
void pf_coverage_table_pair(pf_coverage_table *t, unsigned length);
pf_err pf_coverage_table_count(pf_coverage_table *t, size_t row, unsigned direction, unsigned length, pf_reach reach,
                               unsigned param);

size_t pf_coverage_table_bins(const pf_coverage_table *t);
const pf_coverage_cell *pf_coverage_table_cell(const pf_coverage_table *t, size_t bin, size_t row, unsigned direction);

/* The lengths of a bin in words: "all lengths", "up to 10", "11 to 20", "over 40". */
void pf_coverage_table_label(const pf_coverage_table *t, size_t bin, char *words, size_t room);

/* The pairs that a row reaches with a parameter; the parameter from which on there are no more, in any bin or direction. */
uint64_t pf_coverage_reached(const pf_coverage_cell *cell, unsigned param);
unsigned pf_coverage_enough(const pf_coverage_table *t, size_t row);

/* The 95 % bootstrap interval (percentiles) of a share of `reached` out of `pairs`: the shares at 2.5 and 97.5 % of all that
 * resampling the pairs would give. Their distribution is known, reached in a resample is binomial, so it is summed and not
 * drawn: the limit of infinitely many resamples. NAN for no pairs. O(sqrt(pairs)). */
void pf_coverage_interval(uint64_t reached, uint64_t pairs, double *low, double *high);

/* The table as text for people, parameters up to `most`; as tab-separated lines under a heading; as an SVG chart, shares
 * against parameters from 0 to `most`, a panel for each bin and direction. As the writer. */
pf_err pf_coverage_table_text(const pf_coverage_table *t, unsigned most, pf_writer *w);
pf_err pf_coverage_table_tsv(const pf_coverage_table *t, unsigned most, pf_writer *w);
pf_err pf_coverage_table_svg(const pf_coverage_table *t, unsigned most, pf_writer *w);

#ifdef __cplusplus
}
#endif
#endif
