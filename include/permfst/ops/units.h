/* Units: the ways in which a tuple model can read one source word, as words that deterministic models score.
 *
 * A unit is a tuple with one source word; or one of the places of a tuple with several, of which the others must follow; or
 * a word passed through; with, perhaps, a tuple without source words inserted before it, or, at the end of the sentence, after it.
 * So at most one tuple is inserted before each other one or word passed through, and one at the end. Where nothing else was read a
 * tuple that is inserted is a unit of its own, which ends the sentence.
 *
 * An automaton over source words with its words replaced by their units keeps its states, coverage and levels, and the
 * tuple model, the order of the places and any model of the target words score its units one by one, deterministically:
 * what is known of searches by level holds for translation. (The tuple model by itself is not deterministic.) Making them is
 * O(tuples of the words); what is asked of a unit is O(1). */
#ifndef PF_OPS_UNITS_H
#define PF_OPS_UNITS_H

#include <permfst/model/scorer.h>
#include <permfst/model/tuplemodel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_units pf_units;

typedef struct {
    pf_label before, tuple, after; /* words of the m-gram model; before, after: PF_EPSILON for none */
    unsigned place;                /* of the source word in the tuple */
    bool passed;                   /* through: the tuple is the unknown word */
    uint32_t said, n_said;         /* target words: where, and how many */
} pf_unit;

/* Units of the words of an automaton's alphabet; those of other words come when they are met. Where all words are known from the
 * beginning, tuples with other words have no units. Borrows the model. *out belongs to the caller. PF_EINPUT: the automaton has no
 * table of words. */
pf_err pf_units_new(const pf_model *tuples, const pf_fst *fst, pf_units **out);
void pf_units_free(pf_units *units);

/* The unit of a label, from 1 on; and the target words that it says, in order, as labels of pf_units_words. Both are borrowed. */
const pf_unit *pf_units_at(const pf_units *units, pf_label label);
const pf_label *pf_units_said(const pf_units *units, pf_label label, size_t *count);

/* Is a unit, which is not PF_EPSILON, the last place of its tuple? Is `next` the place after it, of the same tuple? O(1). */
bool pf_units_ends(const pf_units *units, pf_label label);
bool pf_units_follows(const pf_units *units, pf_label label, pf_label next);

/* May a tuple without source words be all of a path, where no other word says anything? Then pf_units_lazy has arcs that its slots
 * do not show. */
bool pf_units_alone(const pf_units *units);
pf_symtab *pf_units_words(const pf_units *units); /* the target words met so far */

/* The automaton with its output words replaced by units. Borrows both, grows the units. *out belongs to the caller.
 * PF_ENOMEM; expanding may also fail with PF_ELIMIT. */
pf_err pf_units_lazy(pf_fst *fst, pf_units *units, pf_fst **out);

/* Scorers of units, which live as long as the units. The tuple model's costs; 0 while the places of a tuple follow one another
 * and INFINITY elsewhere (only if there are any to follow, else NULL); and what a scorer, which is borrowed, says of the target
 * words. They score sentences from their start only. PF_ENOMEM. */
pf_err pf_units_tuple_scorer(pf_units *units, pf_scorer **out);
pf_err pf_units_order_scorer(pf_units *units, pf_scorer **out);
pf_err pf_units_target_scorer(pf_units *units, pf_scorer *target, pf_scorer **out);

#ifdef __cplusplus
}
#endif
#endif
