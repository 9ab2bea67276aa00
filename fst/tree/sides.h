/* How many blocks of each size stand on the left of a node's unit, for the least sum of squared distances. */
#ifndef PF_TREE_SIDES_H
#define PF_TREE_SIDES_H

#include "tree/arrange.h"

#include <permfst/base/vec.h>

/* Blocks of one size, all but the unit; in limited mode only those of one word. `left` of them are left of the unit in the
 * read-off, and come first in item[]: blocks, ascending. */
typedef struct {
    uint32_t size, n, left;
    uint32_t item; /* the first of them, in pfi_sides.item */
} pfi_class;

/* What is known of the classes up to one, the smallest first, with so many words on the left. */
typedef struct {
    uint64_t cost;  /* UINT64_MAX: there is no such choice */
    uint32_t jumps; /* children on another side than in the read-off */
} pfi_sides_cell;

/* A choice says how many blocks of each class are on the left. It is a path from a top to the node of no classes: a node stands for
 * the smallest `classes` of them with so many words on the left, and an edge for `left` blocks of the largest of these on the left.
 * An edge leads to a later node. */
typedef struct {
    uint32_t classes, words;
    uint32_t edge, edges; /* the first of them, and how many there are */
} pfi_sides_node;

typedef struct {
    uint32_t left, to;
} pfi_sides_edge;

/* A node of all classes; in limited mode so many of the fixed blocks are on the left. */
typedef struct {
    uint32_t node, fixed_left;
} pfi_sides_top;

typedef struct {
    PF_VEC(pfi_class) class;     /* ascending sizes */
    PF_VEC(uint32_t) item;
    PF_VEC(pfi_sides_cell) cell;
    PF_VEC(size_t) row;          /* the first cell of each class */
    PF_VEC(uint32_t) word;       /* how many words the classes before each have */
    PF_VEC(uint32_t) fixed;      /* limited: the blocks that keep their order, ascending */
    bool pinned;                 /* limited: the unit is one of these, so none of them changes sides */
    uint64_t cost;               /* the least */
    uint32_t jumps;
    PF_VEC(pfi_sides_node) node; /* the graph of all choices that have this cost and so many jumps */
    PF_VEC(pfi_sides_edge) edge;
    PF_VEC(pfi_sides_top) top;
    PF_VEC(uint32_t) node_of;    /* of each cell; UINT32_MAX: it is in no such choice */
} pfi_sides;

/* Finds the least cost, the fewest jumps with it, and the graph of the choices that have both. */
pf_err pfi_sides_find(pfi_sides *sides, const pfi_blocks *blocks);
void pfi_sides_free(pfi_sides *sides);

#endif
