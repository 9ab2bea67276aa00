/* Finds the oracles of a stream of records, by any metric, and writes answers, choices for the corpus, or a table. The verb of
 * permoracle.
 *
 * A record costs O(1) beside its reading, its search and its writing. */
#ifndef PF_ORACLE_SEARCHER_H
#define PF_ORACLE_SEARCHER_H

#include <permfst/io/stream.h>
#include <permfst/ops/records.h>
#include <permfst/oracle/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t record;
    bool failed;
} pf_oracle_kept;

/* The `self` of the steps below. What is above `sum` is set before the first record; stream and writer are borrowed. */
typedef struct {
    pf_oracle_sources sources;
    pf_oracle_record_options search; /* of each record, but for expired, progress and self; `front` where paths are chosen: */
    pf_oracle_corpus corpus;         /* how, after the last record */
    bool verbose;                    /* say of each record what was searched */
    pf_stream_writer *stream;        /* answers go there; and lines of scores there (NULL: nowhere) */
    pf_writer *scores;
    pf_oracle_table *table;          /* sentences go there, and nothing is written; NULL: records have answers */
    /* What is to be said of a record, in order: with `verbose`; where a limit ended the search; where there is no path. */
    void (*say)(void *call, const char *words);
    bool (*interrupted)(void *call); /* by any thread: is it to end? NULL: never */
    pf_oracle_sum sum;
    bool out_of_memory;              /* of some record: the same call may find more elsewhere */
    PF_VEC(pf_oracle_front) front;   /* of all records, where paths are chosen; and of which: */
    PF_VEC(pf_oracle_kept) kept;
} pf_oracle_searcher; /* pf_oracle_searcher_free; it frees the sources, the table, and the last two */

/* Steps of records (ops/records.h). Between open and finish, a step of the caller's calls pf_oracle_searcher_work, where `clock` is
 * the `self` of the options for this record. A record that failed has an answer without a path. Errors of
 * opening, of pf_oracle_record_search and of the writers. */
pf_err pf_oracle_searcher_open(void *searcher, pf_record *record);
pf_err pf_oracle_searcher_work(const pf_oracle_searcher *searcher, pf_record *record, void *clock);
pf_err pf_oracle_searcher_finish(void *searcher, pf_record *record);
void pf_oracle_searcher_drop(void *own);

/* Ends the stream after its last record: checks that no reference is left (pf_oracle_sources_end), and writes the choices for the
 * corpus. The errors of both. O(choices) for each pass of pf_oracle_choose. */
pf_err pf_oracle_searcher_end(pf_oracle_searcher *searcher);

/* Writes pf_oracle_sum_words with the bound of all choices, and returns `words`. It costs pf_oracle_choose_bound. */
const char *pf_oracle_searcher_words(const pf_oracle_searcher *searcher, char words[PF_ORACLE_SUM_BYTES]);

void pf_oracle_searcher_free(pf_oracle_searcher *searcher);

#ifdef __cplusplus
}
#endif
#endif
