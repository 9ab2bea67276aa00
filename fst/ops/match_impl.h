/* What a match is made of, for match.c and match_scorer.c. */
#ifndef PF_OPS_MATCH_IMPL_H
#define PF_OPS_MATCH_IMPL_H

#include <permfst/ops/match.h>

struct pf_match {
    pf_fst *fst;
    pf_label phi;    /* PF_NO_LABEL: no failure arcs */
    bool whole;      /* all states are expanded and in order; what follows up to `scorer` is known */
    pf_state states;
    bool loops;      /* some failure arc leads back to its state */
    bool acceptor;   /* all arcs have one label on both sides */
    bool scores;     /* the machine can be a scorer */
    bool nonnegative; /* no weight is below 0 */
    pf_label largest; /* label */
    pf_scorer scorer;
    PF_VEC(const pf_arc *) sorted; /* of each state; `whole` and empty: arcs are in order where they are */
    pf_arena memory;
};

/* The arcs of a state in order of their input labels. */
pf_err pfi_match_arcs(pf_match *match, pf_state state, pf_arcs *out);

extern const pf_scorer_class pfi_match_scorer_class; /* `own` is a pf_match */

#endif
