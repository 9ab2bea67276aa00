/* Private to the pictures of machines: where states stand, and the way of the arcs between them. */
#ifndef PF_DRAW_LAYOUT_IMPL_H
#define PF_DRAW_LAYOUT_IMPL_H

#include "draw/machine_impl.h"

/* A state, or a bend: a place on a level that a longer edge goes through. */
typedef struct {
    unsigned level;
    uint32_t place;    /* among the nodes of its level, from the top */
    int y;             /* of its middle */
    pf_state state;    /* PF_NO_STATE: a bend */
} pfi_node_placed;

/* All arcs from a state to another one: a way over one node of each level from the lower to the higher one. An arc to its own state
 * is no way. */
typedef struct {
    pf_state from, to;
    size_t first_arc, arcs;  /* in arc_order */
    size_t first_node, nodes; /* in way: in the direction of growing levels; none where from = to */
    unsigned char bits;      /* what any of the arcs has */
    bool grey;               /* all of them are */
} pfi_edge_placed;

typedef struct {
    const pfi_shown_machine *shown;
    PF_VEC(pfi_node_placed) nodes;  /* the states first, by number; then the bends */
    PF_VEC(pfi_edge_placed) edges;
    PF_VEC(uint32_t) way;           /* nodes */
    PF_VEC(size_t) arc_order;       /* numbers of arcs, those of an edge side by side */
    uint32_t **column;              /* the nodes of each level, from the top; levels of them */
    uint32_t *columns;              /* how many */
    int height;                     /* of all of them: y is from 0 to height */
} pfi_layout;

/* Places the states of a machine. `apart` is how far the middles of neighbours of a level are apart, at least. *out is freed by
 * pfi_layout_free, also after an error. PF_ENOMEM. */
pf_err pfi_layout_make(const pfi_shown_machine *shown, int apart, pfi_layout *out);
void pfi_layout_free(pfi_layout *layout);

#endif
