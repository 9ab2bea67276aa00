/* Trees from files: CoNLL-U, or the XML of Alpino (alpino_ds). The first bytes tell which.
 *
 * CoNLL-U: a word has its HEAD and DEPREL as they stand; of the other columns UPOS and FEATS are used. Ranges (1-2) and empty nodes
 * (8.1) are not words. Sentences are separated by empty lines.
 *
 * Alpino: one <alpino_ds>, a <treebank> of them, or any number of documents one after the other, as `cat` or `tar xO` write them.
 * Words are nodes with a `word`, in the order of `begin`. In each phrase the head is the first child with rel hd, cmp, crd, dlink,
 * rhd, whd or nucl, in this order, else the one whose first word is leftmost; but a vc that is inf, ppart or a bare verb gives its
 * own head (Zwarts & Dras 2006, section 3.3). A phrase of cat mwu is one unit. A node with an index but neither word nor
 * phrase is nothing. Phrases under the top have no head.
 *
 * Punctuation is a word with the tag PUNCT, or pt=let under the top. If it is left out, what hangs on it hangs on the next word
 * above that stays; else it hangs where CoNLL-U says, and in Alpino's trees on the lowest constituent with words on both sides.
 * A tree is O(its bytes). */
#ifndef PF_TREE_TREEBANK_H
#define PF_TREE_TREEBANK_H

#include <permfst/base/reader.h>
#include <permfst/tree/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_treebank pf_treebank;

/* The reader must outlive it. *out is freed by pf_treebank_free. PF_EINPUT: neither format; PF_EIO, PF_ENOMEM. */
pf_err pf_treebank_open(pf_reader *reader, pf_tree_punctuation punctuation, pf_treebank **out);
void pf_treebank_free(pf_treebank *treebank); /* NULL is accepted */

/* The next tree, which the caller frees; *out = NULL at the end. Memory: one sentence. PF_EINPUT, with the file and the line (and
 * the sentence id, if there is one): something that is not a tree, such as a cycle, a HEAD out of range or two words of one
 * `begin`; XML that is damaged, has entities or is nested too deep; more than PF_MAX_WORDS words. Then the sentence has been read.
 * The next call goes on after it if its end can be found, and otherwise says that the input has ended. PF_EIO, PF_ENOMEM. */
pf_err pf_treebank_next(pf_treebank *treebank, pf_tree **out);

#ifdef __cplusplus
}
#endif
#endif
