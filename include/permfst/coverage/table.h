/* How many pairs of a corpus each constraint reaches, by direction and sentence length, with intervals for other pairs like them.
 *
 * A table is rows (families, specifications, a lattice) by bins of length (the first bin has all lengths) by the two directions.
 * A cell counts pairs by the least parameter that reaches them, so one pass over the corpus answers for all parameters.
 *
 * To make one: add the ends of the bins and the rows, start; for each pair, pf_coverage_table_pair, and in each direction take the
 * alignment, ask, and count. Adding a row or a bin, and counting, are O(1), an answer O(bins); writing is O(bytes), and sums are
 * O(parameters). */
#ifndef PF_COVERAGE_TABLE_H
#define PF_COVERAGE_TABLE_H

#include <permfst/base/table.h>
#include <permfst/coverage/coverage.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_FORWARD, PF_BACKWARD, PF_DIRECTIONS }; /* source words visited in target order; target words in source order */

typedef struct {
    const char *name;                 /* borrowed; of a specification: itself */
    const char *spec;                 /* borrowed; of the pair at hand, where the name has a file of trees; NULL: the name */
    const pf_coverage_family *family; /* NULL: a specification or a lattice */
    bool lattice;                     /* the paths of an automaton for each pair */
    bool numbered;                    /* has a parameter, of at least `lowest` */
    unsigned lowest;
    bool asked[PF_DIRECTIONS];        /* is it in the table? */
} pf_coverage_row;

typedef struct {
    PF_VEC(uint64_t) need; /* pairs by least parameter */
    uint64_t undecided;    /* pairs not counted as reached */
} pf_coverage_cell;

typedef struct {
    PF_VEC(pf_coverage_row) row;
    PF_VEC(unsigned) longest; /* of each bin but the first: lengths up to this; ascending, the last UINT_MAX */
    PF_VEC(uint64_t) pairs;   /* of each bin */
    PF_VEC(pf_coverage_cell) cell;
} pf_coverage_table; /* all zero: empty */

void pf_coverage_table_free(pf_coverage_table *table); /* what it has; it is empty then */

/* Adds a row for a family, for a specification that pf_coverage_check accepts, or for lattices. Lattices, and specifications with a
 * file of trees, are about the source and so about PF_FORWARD only. asked[d]: in this direction. PF_ENOMEM. */
pf_err pf_coverage_table_family(pf_coverage_table *table, const pf_coverage_family *family, const bool *asked);
pf_err pf_coverage_table_spec(pf_coverage_table *table, const char *spec, const bool *asked);
pf_err pf_coverage_table_lattice(pf_coverage_table *table, const char *name);

/* Adds bins that end at the lengths of a list, such as "10,20,30", and one for all that are longer. PF_EARG: they are not numbers,
 * or do not rise. PF_ENOMEM. */
pf_err pf_coverage_table_lengths(pf_coverage_table *table, const char *list);

/* What a table is asked, all at once. */
typedef struct {
    bool families;                     /* a row for each family */
    const char *const *spec;
    size_t specs;
    const char *lattice;               /* the name of a row for lattices; NULL: there is none */
    const char *lengths, *lengths_are; /* as above, and what messages call them; NULL: one bin */
    const bool *asked;
    bool marked;                       /* the marks of sentences go with each specification; there are no families then */
} pf_coverage_questions;

/* PF_EARG: pf_coverage_check does not accept the specification or, with `marked`, it is not one of permute/con.h. */
pf_err pf_coverage_check_spec(const char *spec, bool marked);

/* Adds these rows and bins, and starts. Errors as above, and those of pf_coverage_check_spec. */
pf_err pf_coverage_table_make(pf_coverage_table *table, const pf_coverage_questions *questions);

/* Makes the cells, when all rows and bins are there. PF_ENOMEM. */
pf_err pf_coverage_table_start(pf_coverage_table *table);

/* What a row says about an alignment. */
typedef struct {
    pf_reach reach;
    unsigned param; /* the least one that reaches it; 0 without a parameter or if it is not reached */
} pf_coverage_answer;

/* Asks all rows that the direction has about the alignment that `coverage` has taken, into answer[rows]; those that it does not
 * have answer PF_NOT_REACHED. `lattice` is NULL if no row needs it. *row is the row being asked, for messages if it fails. The
 * errors of pf_coverage_reaches and pf_coverage_lattice. */
pf_err pf_coverage_table_ask(const pf_coverage_table *table, const pf_coverage *coverage, unsigned direction, pf_fst *lattice,
                             uint64_t limit, pf_coverage_answer *answer, size_t *row);

/* Counts a pair with this many source words; then the answers for it in a direction. PF_ENOMEM. */
void pf_coverage_table_pair(pf_coverage_table *table, unsigned length);
pf_err pf_coverage_table_count(pf_coverage_table *table, unsigned direction, unsigned length, const pf_coverage_answer *answer);

/* The number of bins, and a cell, borrowed. */
size_t pf_coverage_table_bins(const pf_coverage_table *table);
const pf_coverage_cell *pf_coverage_table_cell(const pf_coverage_table *table, size_t bin, size_t row, unsigned direction);

/* The lengths of a bin in words: "all lengths", "up to 10", "11 to 20", "over 40". */
void pf_coverage_table_label(const pf_coverage_table *table, size_t bin, char *words, size_t room);

/* The pairs that a row reaches with a parameter; the least parameter after which there are no more, in any bin or direction. */
uint64_t pf_coverage_reached(const pf_coverage_cell *cell, unsigned param);
unsigned pf_coverage_enough(const pf_coverage_table *table, size_t row);

/* The 95 % bootstrap interval (percentiles) of the share of `reached` out of `pairs`: the shares at 2.5 and 97.5 % of those that
 * resampling the pairs gives. How many are reached in a resample is binomial, so the distribution is summed and not drawn: it is
 * the limit of infinitely many resamples. NAN for no pairs. O(sqrt(pairs)). */
void pf_coverage_interval(uint64_t reached, uint64_t pairs, double *low, double *high);

/* Writes the table. PF_TABLE_PADDED is text for people, with parameters up to `most` (0: PF_COVERAGE_MOST). Other formats have a
 * line for each figure (0: all parameters). The SVG chart has a panel for each bin and direction. It shows the shares against the
 * parameters from 0 to `most` (0: PF_COVERAGE_MOST). The errors of the writer. */
enum { PF_COVERAGE_MOST = 8 };
pf_err pf_coverage_table_write(const pf_coverage_table *table, unsigned most, pf_table_format format, pf_writer *writer);
pf_err pf_coverage_table_svg(const pf_coverage_table *table, unsigned most, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
