/* The tree of an itg order, as text.
 *
 * A node visits neighbouring blocks of positions one after the other: straight, [x y ...], in their order, or inverted,
 * <x y ...>, in the opposite one. Leaves stand in the order of the source. A son has the other kind of brackets, so each order
 * has one canonical tree and each such tree one order: 2 1 3 is [<1 2> 3], 3 4 1 2 is <[1 2] [3 4]>, and 2 4 1 3 has no tree (Wu
 * 1997; zens-ney-2003, section 2.1). The picture is O(length log length + bytes). */
#ifndef PF_CHART_TREE_H
#define PF_CHART_TREE_H

#include <permfst/base/writer.h>
#include <permfst/machine/answer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_TREE_CANONICAL, /* sons have other brackets than their node: one tree for each order */
    PF_TREE_BINARY     /* each node has two sons: the tree that the path carries, where trees of one order cost different sums; else
                          the one whose splits, the root first and the left part before the right one, are the smallest */
} pf_itg_tree_form;

/* Writes the tree of path `rank`, from 0, without a line end; an empty sentence has an empty one. A leaf is the output words of its
 * position, or the position itself, from 1, with `positions`. Where the path carries a tree of units (machine/answer.h), a leaf is
 * a unit, and a unit of two runs around a block is [f1~ block ~f2], if it is visited before the block, else <f1~ block ~f2>; its
 * words stand at f1. In a binary tree a run of words that is one leaf is written as such. Brackets and backslashes in a word get a
 * backslash, and so does the space between two words or positions of a leaf, and ~ where there is a unit of two runs; a leaf
 * without words is "\-". Labels are numbers with `numeric` and without a table. Positions of a word graph (permute/graph.h) are
 * numbers of nodes. PF_EINPUT: an input label is there twice; the order is not one of itg; the tree that is carried is not a tree
 * of the order. PF_ENOMEM. O(length log length). */
pf_err pf_answer_write_tree(pf_writer *writer, const pf_answer *answer, size_t rank, pf_itg_tree_form form, bool positions,
                            bool numeric);

/* The same tree as SVG: the leaves below in the order of the source, each with its position above its words and its step below
 * them; an inverted node is black and has < >, a straight one is white and has [ ]. Errors as above, and of the writer. */
pf_err pf_draw_itg_tree(pf_writer *writer, const pf_answer *answer, size_t rank, bool positions, bool numeric);

#ifdef __cplusplus
}
#endif
#endif
