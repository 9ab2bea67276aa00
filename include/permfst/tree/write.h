/* Writes a tree's sentence in a new order: as a permutation, as words, as CoNLL-U, as an automaton. perm[i] is the word, from 0,
 * that stands at place i.
 *
 * Each call is O(words), and O(bytes) that are written. */
#ifndef PF_TREE_WRITE_H
#define PF_TREE_WRITE_H

#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>
#include <permfst/tree/reorder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the order as a line of numbers from 1, or as a line of words. Errors of the writer. */
pf_err pf_tree_write_order(pf_writer *writer, const unsigned *perm, unsigned n);
pf_err pf_tree_write_words(pf_writer *writer, const pf_tree *tree, const unsigned *perm);

/* The sentence in CoNLL-U, with an empty line after it. Words are renumbered, and with them HEAD, DEPS and empty nodes. A range
 * stays if its words are still neighbours in their order. A comment (# permutation) and each word's MISC (Position) have the old
 * order; the text is spelled anew, and SpaceAfter=No is dropped where another word follows than before. Alpino's trees become
 * CoNLL-U with their own relations. PF_ENOMEM and the errors of the writer. O(bytes). */
pf_err pf_tree_write_conllu(pf_writer *writer, const pf_tree *tree, const unsigned *perm);

/* Writes a line for each node whose blocks have another order than in the read-off: the number of the sentence; the first word of
 * the node's unit, from 1, and its form; SHD2 of the node in the read-off and in this order; its blocks in this order, each by the
 * first word of its unit, the node's own in brackets. Tabs separate these. `order` is as pf_tree_reorder writes it. Errors of
 * the writer. */
pf_err pf_tree_write_why(pf_writer *writer, const pf_tree *tree, const uint32_t *order, uint64_t number);

/* The automaton of this one order: inputs are positions from 1, outputs words, which have a table of their own. *out belongs to the
 * caller. PF_EINPUT: a word is too long for a table; PF_ENOMEM. */
pf_err pf_tree_fst(const pf_tree *tree, const unsigned *perm, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
