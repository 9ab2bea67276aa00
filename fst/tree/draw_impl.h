/* Private to the pictures of trees: arcs and their heights. */
#ifndef PF_TREE_DRAW_IMPL_H
#define PF_TREE_DRAW_IMPL_H

#include <permfst/draw/order.h>
#include <permfst/draw/svg.h>
#include <permfst/tree/draw.h>

#include <string.h>

/* An arc between two places of an order. */
typedef struct {
    unsigned left, right;
    bool to_right;   /* the dependent is on the right */
    unsigned level;  /* above the words, from 1; arcs of one level have no place in common but an end */
    const char *relation;
} pfi_arc_drawn;

typedef struct {
    pfi_arc_drawn *arc;
    unsigned n, levels;
} pfi_arcs_drawn;

/* The arcs of a tree where the word perm[i] stands at place i, and their levels: shorter ones are lower. The further words of a
 * unit hang on the first. out->arc is freed by free(). */
pf_err pfi_arcs_of(const pf_tree *tree, const unsigned *perm, pfi_arcs_drawn *out);

static inline unsigned columns_of(const char *text) { return pf_text_columns(text, strlen(text)); }

#endif
