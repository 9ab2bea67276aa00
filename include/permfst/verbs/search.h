/* Searching: what surrounds a search for the best paths of one record (search/best.h). The verb of permshortest.
 *
 * A record costs its search; references and words are O(bytes). */
#ifndef PF_VERBS_SEARCH_H
#define PF_VERBS_SEARCH_H

#include <permfst/chart/best.h>
#include <permfst/chart/spans.h>
#include <permfst/io/expr.h>
#include <permfst/search/best.h>
#include <permfst/search/reference.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The n best paths of a machine by the search that the options name (search/best.h, chart/best.h). PF_SEARCH_AUTO takes the chart
 * where it can search the machine. All searches give the same answer. Errors as pf_best and pf_chart_best. */
pf_err pf_search_best(pf_fst *fst, const pf_best_options *options, pf_answer *out);

/* The most sets of positions that an exact search of a machine can visit; each may have as many hypotheses as the models tell
 * histories apart. INFINITY: more than a double holds. 0: the number is not known in closed form, a chart searches the machine, or
 * the options prune or limit the search. Expands nothing. */
double pf_best_size(pf_fst *fst, const pf_best_options *options);

/* What was searched, and how good the answer is: "1 path, levels: 23 states, 41 arcs, optimal". `fst` is the machine that was
 * searched. Returns `words`. */
enum { PF_SEARCHED_BYTES = 700 };
const char *pf_answer_searched(const pf_answer *answer, const pf_fst *fst, char words[PF_SEARCHED_BYTES]);

/* References in a file, a line for each record, read beside the records. The next line, as the reference of an automaton; the line
 * is also read where the record has failed: `failed` is its error, whose message stays. *out is the caller's. PF_EINPUT, which
 * names the line: there is none, or it is not text; errors of pf_reference_order_new. And after the last record: PF_EINPUT, if
 * there is one more line. */
pf_err pf_reference_next(pf_reader *references, pf_fst *fst, pf_err failed, pf_reference_order **out);
pf_err pf_reference_end(pf_reader *references);

/* An answer as a record: its paths as an answer; its paths as an automaton (pf_answer_fst); or its lattice, which has no state if
 * there is no path. */
typedef enum { PF_ANSWER_AS_PATHS, PF_ANSWER_AS_FST, PF_ANSWER_AS_LATTICE } pf_answer_form;

/* *out has one reference, the caller's; NULL after an error. The paths go to the expression as paths, and a lattice as a lattice:
 * the answer then has none. pf_answer_free ends it in any case. PF_ENOMEM. */
pf_err pf_expr_of_search(pf_answer *answer, pf_answer_form form, pf_expr **out);

#ifdef __cplusplus
}
#endif
#endif
