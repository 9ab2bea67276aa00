/* Translation: an automaton over source words composed with a tuple model, on demand.
 *
 * It is an automaton over units (units.h), scored, with each unit spelt out: an arc reads what the automaton reads and says the
 * first target word, arcs that read nothing say the others, and a unit that says nothing is one epsilon output. All of a
 * unit's cost is on its first arc, as one float. Models of target words join the scores of the units, so that a chain of
 * compositions stays one that is searched by levels; anything else sees an ordinary automaton.
 *
 * units.h says how many tuples without source words are inserted, and where. Making one is O(1) and the units of the words;
 * spelling an answer is O(arcs) of its paths, lattice and tables. */
#ifndef PF_OPS_SPELL_H
#define PF_OPS_SPELL_H

#include <permfst/machine/answer.h>
#include <permfst/ops/score.h>
#include <permfst/ops/units.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The composition, costs of the two times their scales. Borrows both. *out belongs to the caller. PF_EINPUT: the automaton has
 * no table of words. */
pf_err pf_spell_tuples(pf_fst *fst, const pf_model *tuples, const double scale[2], pf_fst **out);

/* The composition with one more scorer, of target words; `own` scales what is there. Borrows both. Errors as
 * pf_score_by. */
pf_err pf_spell_score(pf_fst *spelt, double own, const pf_scored_by *by, pf_fst **out);

/* Is it such a composition? Then the scored automaton over units, and true. */
bool pf_spell_parts(const pf_fst *spelt, pf_fst **scored, const pf_units **units);

/* Spells what was found in the automaton over units, in place: paths, lattice, table. Errors of expanding. */
pf_err pf_spell_answer(const pf_units *units, pf_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
