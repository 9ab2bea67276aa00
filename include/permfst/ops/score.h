/* Composition with deterministic models, on demand: what they say of an automaton's output words, each times a scale.
 *
 * A state is a state of the automaton and one of each model; labels stay as they are; an arc costs the automaton's weight
 * and what every model says of its output word, each times its scale, as a double sum that is made a float once; epsilon
 * outputs leave the models where they are. A word for which a model has no way on has no arc. Making one is O(models); expanding
 * a state is one step of each model for each arc. */
#ifndef PF_OPS_SCORE_H
#define PF_OPS_SCORE_H

#include <permfst/model/scorer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model and what multiplies its costs: a finite number, at most FLT_MAX in size. An infinite cost stays infinite. */
typedef struct {
    const pf_model *model;
    double scale;
} pf_scored;

/* The same of a scorer. */
typedef struct {
    pf_scorer *scorer;
    double scale;
} pf_scored_by;

/* What such a composition is made of, borrowed. */
typedef struct {
    pf_fst *fst;            /* the automaton */
    double own;             /* the scale of its own costs */
    const pf_scored_by *by; /* n of them */
    size_t n;
} pf_scoring;

/* Borrows the automaton and the models, which must outlive it; the list is copied. It makes a scorer of each model. If the
 * automaton is such a composition itself, the models join its list and its scales are multiplied by `own`, so that nothing is
 * rounded between them. *out belongs to the caller. PF_EINPUT: the automaton has no table of words. Expanding: PF_ELIMIT where a
 * float cannot hold a sum. */
pf_err pf_score_all(pf_fst *fst, double own, const pf_scored *model, size_t count, pf_fst **out);

/* The same with scorers, which it borrows: nobody else may ask them meanwhile, but such a composition over this one. Errors as
 * pf_score_all. */
pf_err pf_score_by(pf_fst *fst, double own, const pf_scored_by *by, size_t count, pf_fst **out);

/* Is it such a composition? Then its parts and true; else itself without a model, and false. The searches by level take
 * them apart. */
bool pf_score_parts(pf_fst *score, pf_scoring *parts);

#ifdef __cplusplus
}
#endif
#endif
