/* Searches a stream of records, compares each answer with a reference, and says what was found. The verb of permshortest.
 *
 * A record costs O(1) beside its reading, its search and its writing. */
#ifndef PF_VERBS_SEARCHER_H
#define PF_VERBS_SEARCHER_H

#include <permfst/ops/records.h>
#include <permfst/verbs/search.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The outcomes of the records. */
typedef struct {
    uint64_t records, without_path, out_of_memory;
    uint64_t verdict[PF_VERDICTS]; /* on references, how often */
    uint64_t other_words; /* references that are not admitted and have other words than the best path */
} pf_searched;

/* The `self` of the steps below. All but `done` is set before the first record, and borrowed. */
typedef struct {
    pf_best_options best;  /* of each record, but for expired, progress and self */
    pf_answer_form form;   /* of r->out, unless r->text is made */
    bool scores;           /* r->text becomes a list of n best with the scores of all operands (verbs/features.h) */
    bool names;            /* ... and with the names of records */
    bool profile, picture; /* r->text becomes the profile of the search, as rows or as a picture (draw/profile.h) */
    bool verbose;          /* say of each record what was searched */
    pf_reader *references; /* a line for each record; NULL: none */
    /* costs of spans for each record (chart/spans.h), beside those of best.trees, which is there; NULL: none */
    pf_reader *spans;
    double most_coverages; /* say so before a search that may visit more sets of positions (pf_best_size); INFINITY: never */
    /* What is to be said of a record, in order: with `verbose`; where a limit ended the search; where there is no path. By any
     * thread, and a warning of a later record at the same time. */
    void (*say)(void *call, const char *words);
    bool (*interrupted)(void *call); /* by any thread: is it to end? NULL: never */
    pf_searched done;
} pf_searcher;

/* Steps of records (ops/records.h). Between open and finish, a step of the caller's calls pf_searcher_work with the options of this
 * record. A record that failed has an answer without a path, or no line. Errors of opening, of pf_best and of the writers. */
pf_err pf_searcher_open(void *searcher, pf_record *record);
pf_err pf_searcher_work(const pf_searcher *searcher, pf_record *record, const pf_best_options *best);
pf_err pf_searcher_finish(void *searcher, pf_record *record);
void pf_searcher_drop(void *own);

/* Ends the stream after its last record. PF_EINPUT: there are more references than records, or more blocks of costs. O(1). */
pf_err pf_searcher_end(void *searcher);

/* Writes how often each verdict was given, "3 best, 0 best found, ..", and returns `words`. O(1). */
enum { PF_VERDICTS_BYTES = 240 };
const char *pf_searched_verdicts(const pf_searched *done, char words[PF_VERDICTS_BYTES]);

/* Says how often each verdict was given on the references of the file `name`, and how many of them have other words than their
 * sentences. O(1). */
void pf_searched_say(const pf_searched *done, const char *name, void (*say)(void *call, const char *words), void *call);

#ifdef __cplusplus
}
#endif
#endif
