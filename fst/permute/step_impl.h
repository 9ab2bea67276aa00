/* Private: one state of a constraint with a weight model, and its moves. The bytes of a state are its coverage, then the
 * constraint's, then the weight model's. */
#ifndef PF_PERMUTE_STEP_IMPL_H
#define PF_PERMUTE_STEP_IMPL_H

#include "permute/con.h"
#include "permute/wm.h"

typedef struct {
    const pf_con *con;
    const pf_wm *wm;
    size_t cover;              /* bytes of a coverage */
    unsigned char *key, *next; /* the state's bytes, and those after a move */
    const unsigned char *con_x, *wm_x; /* in key */
    pf_cover *allowed;
    unsigned moves;            /* members of allowed */
    double *w;                 /* the cost of each */
} pfi_step;

/* Both are borrowed. PF_ENOMEM, when pfi_step_free is still to be called. */
pf_err pfi_step_init(pfi_step *step, const pf_con *con, const pf_wm *wm);
void pfi_step_free(pfi_step *step);

/* Bytes of every state, or 0 where they differ. */
size_t pfi_step_fixed(const pfi_step *step);

/* Writes the start state to `next`; returns its length. */
size_t pfi_step_start(pfi_step *step);

/* Takes up the state of these bytes and finds its moves and their costs. Errors as narrow(). */
pf_err pfi_step_load(pfi_step *step, const void *key, size_t length);

/* Writes the state after visiting j to `next`; returns its length. */
static inline size_t pfi_step_move(pfi_step *s, unsigned j) {
    const pf_cover *b = (const pf_cover *)(const void *)s->key;
    size_t n = s->cover;
    memcpy(s->next, s->key, n);
    pf_cover_put((pf_cover *)(void *)s->next, j);
    n += pf_con_advance(s->con, b, s->con_x, j, s->next + n);
    if (s->wm->cls->advance) s->wm->cls->advance(s->wm, b, s->wm_x, j, s->next + n);
    return n + s->wm->room;
}

/* The smallest allowed position >= j, or one past all. */
static inline unsigned pfi_step_next(const pfi_step *s, unsigned j) { return pf_cover_next(s->allowed, s->con->nw, j); }

#endif
