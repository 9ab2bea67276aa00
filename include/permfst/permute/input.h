/* What is permuted: a sentence as slots, each with one word or several alternatives. */
#ifndef PF_PERMUTE_INPUT_H
#define PF_PERMUTE_INPUT_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    unsigned n;       /* slots, the positions 0..n-1 */
    uint32_t *first;  /* n + 1 entries: slot j has the arcs first[j] .. first[j+1]-1 */
    pf_arc *arc;      /* `in` and `out` are the word, `w` its cost; `to` is not used */
    float final;      /* the final cost of the input, paid at the end of each path */
} pf_input;

/* Reads the slots of a linear automaton: all arcs of a state are alternatives and lead to the same next state. A slot has at
 * least one arc. *out is freed by pf_input_free. PF_EINPUT: it is not linear or has no path. PF_ELIMIT: more than PF_MAX_WORDS
 * slots. O(arcs). */
pf_err pf_input_read(pf_fst *linear, pf_input *out);

/* Does some state that can be reached have arcs to different states? Then the automaton is not a sentence. It may be a word graph.
 * O(arcs). PF_ENOMEM is told as false. */
bool pf_input_branches(pf_fst *fst);

/* The alphabet of an automaton over the input: every word of it, ascending, each once. O(arcs log arcs). PF_ENOMEM. */
pf_err pf_input_alphabet(const pf_input *input, pf_fst *fst);

void pf_input_free(pf_input *input); /* its memory; it is all zero then */

#ifdef __cplusplus
}
#endif
#endif
