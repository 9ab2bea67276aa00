/* The second operand of a composition: which of its arcs read a word, straight away or after failing.
 *
 * Failure arcs (Aho & Corasick 1975; Allauzen, Mohri & Roark 2003, section 4) are the arcs whose input label is the failure
 * label, read as OpenFst's PhiMatcher reads them. A word that no arc of a state reads takes the state's failure arc, pays
 * its weight, and is looked up again where it leads. A failure arc that leads back to its own state reads the word there,
 * and puts the word out where all arcs of the machine have one label on both sides. A state that is not final ends as the
 * first final state that its failure arcs lead to, but not over a loop. Epsilons are read where they stand and never fail. A
 * word that is spelled like the failure symbol is a word that no arc reads.
 *
 * An ordinary machine is put in order once and is read only from then on, so threads can share it; a lazy one with a
 * failure label is expanded whole at first, any other where it is asked for. What is asked of the machine is O(1); final costs
 * and epsilons are O(1) for each failure on the way. */
#ifndef PF_OPS_MATCH_H
#define PF_OPS_MATCH_H

#include <permfst/model/scorer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_match pf_match;

/* The label of a failure symbol among the input labels of a machine with this table, or PF_NO_LABEL; without a table the
 * symbol is the label itself, a whole number from 1 on. */
pf_label pf_match_label(const pf_symtab *isyms, const char *phi);

/* Borrows the machine, which must outlive it. `phi` is the failure symbol; NULL: none. *out belongs to the caller.
 * PF_EINPUT: the machine lacks the symbol, has a state with two failure arcs, or a cycle of them.
 * O(arcs log arcs of a state) for an ordinary machine. */
pf_err pf_match_new(pf_fst *fst, const char *phi, pf_match **out);
void pf_match_free(pf_match *match);

pf_fst *pf_match_fst(const pf_match *match);

/* Arcs, borrowed from the match, with what they cost and put out beyond what they say. */
typedef struct {
    const pf_arc *arc;
    uint32_t n;
    double failed; /* the failure arcs on the way to them, added up */
    bool rewrite;  /* a loop that puts out the word it reads */
} pf_matched;

/* Is no weight of the machine below 0, failure arcs included? False where that is not known. */
bool pf_match_nonnegative(const pf_match *match);

/* The arcs that read a label from state s. O(log arcs) for each failure on the way. Errors of expanding. */
pf_err pf_match_word(pf_match *match, pf_state state, pf_label label, pf_matched *out);

/* The arcs of `state` that read nothing. Errors as pf_match_word. */
pf_err pf_match_epsilons(pf_match *match, pf_state state, pf_matched *out);

/* The cost of ending in `state`, over failure arcs too; INFINITY: no end. Errors as pf_match_word. */
pf_err pf_match_final(pf_match *match, pf_state state, double *cost);

/* Does a loop put out words that it reads? Then a composition needs names for those that the machine's table lacks. */
bool pf_match_rewrites(const pf_match *match);

/* The machine as a scorer, where it can be one: every word read by at most one arc of a state, put out as it is, no epsilon
 * and no loop of failures, one table of words. Borrowed; NULL where it cannot. Words that it does not read cost INFINITY. It
 * changes nothing when it is asked, so that threads may share it. It scores sentences from their start only. */
pf_scorer *pf_match_scorer(pf_match *match);

#ifdef __cplusplus
}
#endif
#endif
