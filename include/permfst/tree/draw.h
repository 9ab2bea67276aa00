/* Draws a tree: arcs from heads to their dependents over the words, in the order of the sentence and in a new one. */
#ifndef PF_TREE_DRAW_H
#define PF_TREE_DRAW_H

#include <permfst/base/writer.h>
#include <permfst/tree/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tree in characters: rows of arcs, the relations on them, an arrow above each dependent, the words. Below the words of an
 * order a row of carets marks those that moved. If perm is the sentence, or NULL, it is drawn alone; else the sentence first.
 * Columns are counted in characters of UTF-8. O(n^2) for n words. PF_ELIMIT: more than PF_TREE_DRAWN_WORDS words; PF_ENOMEM and the
 * errors of the writer. */
#define PF_TREE_DRAWN_WORDS 1000
pf_err pf_tree_draw_text(pf_writer *writer, const pf_tree *tree, const unsigned *perm);

/* Draws the same as SVG 1.1: a document of its own, with a title and a description. O(n^2); the errors are the same. */
pf_err pf_tree_draw_svg(pf_writer *writer, const pf_tree *tree, const unsigned *perm);

#ifdef __cplusplus
}
#endif
#endif
