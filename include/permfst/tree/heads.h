/* A tree as a short text: what a constraint of a record needs of it.
 *
 * The text has an entry for each word, with commas between:
 *     3    word 3 is its head, or a word of the unit that is its head
 *     0    it has no head
 *     =1   it belongs to the unit of word 1, which is before it
 *     ^    it is a mark: it stands after the word before it, or at the begin or the end of the sentence
 * Words count from 1. "5,5,4,5,0" is the tree of "wij moeten dit probleem aanpakken". */
#ifndef PF_TREE_HEADS_H
#define PF_TREE_HEADS_H

#include <permfst/base/writer.h>
#include <permfst/tree/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is this such a text: does it begin with an entry, and have no other characters? O(length). */
bool pf_tree_is_heads(const char *text, size_t length);

/* Makes the tree of a text; its words have no forms. *out is the caller's. PF_EARG: an entry of another form, a head that is not a
 * word or is a mark, a cycle, more than 65535 words; PF_ENOMEM. O(length). */
pf_err pf_tree_of_heads(const char *text, size_t length, pf_tree **out);

/* Writes the text of a tree. Errors of the writer. O(its length). */
pf_err pf_tree_write_heads(pf_writer *writer, const pf_tree *tree);

#ifdef __cplusplus
}
#endif
#endif
