/* The coverage of an aligned corpus, pair by pair: counted in a table, written as a line for each pair, or explained by the links
 * that break a constraint.
 *
 *   pf_coverage_corpus_new(&options, &c);
 *   while (!(err = pf_parallel_next(pairs, &more)) && more) pf_coverage_corpus_pair(c);
 *   pf_coverage_corpus_end(c); pf_coverage_table_write(options.table, 8, PF_TABLE_PADDED, w);
 *
 * Memory: one pair, and the table. One thread at a time. A pair costs what the rows of the table ask (coverage.h, table.h); what
 * is asked of the corpus is O(1). */
#ifndef PF_COVERAGE_CORPUS_H
#define PF_COVERAGE_CORPUS_H

#include <permfst/align/parallel.h>
#include <permfst/coverage/table.h>
#include <permfst/ops/source.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_COVERAGE_COUNTED, PF_COVERAGE_LINES, PF_COVERAGE_EXPLAINED } pf_coverage_form;

/* All that it points to is borrowed. */
typedef struct {
    pf_parallel *pairs;           /* all columns are added */
    size_t links, source, target; /* its columns: alignments; sentences, 0: none */
    pf_source *lattices;          /* the automata of the table's lattice, a record for each pair; NULL: there is no such row */
    pf_coverage_table *table;     /* started */
    bool asked[PF_DIRECTIONS];
    pf_place place;
    pf_align_filter filter;
    uint64_t limit;               /* the most states that a search for an answer visits */
    pf_coverage_form form;
    bool marked;                  /* `source` has marks, which all constraints that are asked have beside them; no families then */
    const char *spec;             /* EXPLAINED: the constraint, which pf_coverage_check accepts; NULL: only the lattices */
    pf_writer *writer;            /* LINES, EXPLAINED: where they go; it is flushed after each pair */
    pf_table_format format;       /* of these */
    bool heading;                 /* EXPLAINED: begin with one; LINES have one */
} pf_coverage_corpus_options;

typedef struct pf_coverage_corpus pf_coverage_corpus;

/* Begins, and writes the heading if lines have one. *out belongs to the caller; NULL after an error. PF_ENOMEM; errors of the
 * writer. */
pf_err pf_coverage_corpus_new(const pf_coverage_corpus_options *options, pf_coverage_corpus **out);
void pf_coverage_corpus_free(pf_coverage_corpus *corpus); /* NULL is accepted */

/* Takes the pair that pf_parallel_next has read: it is counted in the table (EXPLAINED, LINES: only that there is one). If nothing
 * else says how long the sentence is, its lattice does. Errors name the line of the alignment or the record of the lattice.
 * PF_EINPUT: there is no lattice for the pair, or it has another length; the errors of pf_coverage_table_ask, pf_coverage_why. */
pf_err pf_coverage_corpus_pair(pf_coverage_corpus *corpus);

/* Passes over the pair that pf_parallel_next has read, with its lattice and its tree: it is not counted. PF_EINPUT: there is no
 * lattice for the pair, or it is damaged. */
pf_err pf_coverage_corpus_pass(pf_coverage_corpus *corpus);

/* Ends the corpus after its last pair. PF_EINPUT: there are more lattices than pairs. */
pf_err pf_coverage_corpus_end(pf_coverage_corpus *corpus);

/* So far: the links that were left out; the answers that are undecided because of the limit. */
const pf_align_left_out *pf_coverage_corpus_left_out(const pf_coverage_corpus *corpus);
uint64_t pf_coverage_corpus_undecided(const pf_coverage_corpus *corpus);

#ifdef __cplusplus
}
#endif
#endif
