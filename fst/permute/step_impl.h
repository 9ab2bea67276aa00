/* Private: one state of a constraint with a weight model, and its moves. The bytes of a state are its coverage, then the
 * constraint's, then the weight model's. */
#ifndef PF_PERMUTE_STEP_IMPL_H
#define PF_PERMUTE_STEP_IMPL_H

#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>

typedef struct {
    const pf_con *con;
    const pf_wm *wm;
    size_t cover;              /* bytes of a coverage */
    unsigned char *key;        /* the state's bytes */
    const unsigned char *con_x, *wm_x; /* in key */
    pf_cover *allowed;
    unsigned covered;          /* positions */
    unsigned moves;            /* members of allowed */
    double *w;                 /* the cost of each */
} pfi_step;

/* Both are borrowed. PF_ENOMEM, when pfi_step_free is still to be called. */
pf_err pfi_step_init(pfi_step *step, const pf_con *con, const pf_wm *wm);
void pfi_step_free(pfi_step *step);

/* Bytes of every state, or 0 where they differ. */
size_t pfi_step_fixed(const pfi_step *step);

/* The most bytes that a state has. */
size_t pfi_step_room(const pfi_step *step);

/* Writes the start state; returns its length. */
size_t pfi_step_start(const pfi_step *step, unsigned char *to);

/* Fills up the state that covers everything. */
size_t pfi_step_end(const pfi_step *step, unsigned char *to);

/* Takes up the state of these bytes and finds its moves and their costs. Errors as narrow(). */
pf_err pfi_step_load(pfi_step *step, const void *key, size_t length);

/* Writes the state after visiting j to memory of malloc; returns its length. Where every position is covered, what came
 * before matters no more: these are one state. */
static inline size_t pfi_step_move(const pfi_step *s, unsigned j, unsigned char *to) {
    const pf_cover *b = (const pf_cover *)(const void *)s->key;
    size_t n = s->cover;
    memcpy(to, s->key, n);
    pf_cover_put((pf_cover *)(void *)to, j);
    if (s->covered + 1 == s->con->n) return pfi_step_end(s, to);
    n += pf_con_advance(s->con, b, s->con_x, j, to + n);
    if (s->wm->room) s->wm->cls->advance(s->wm, b, s->wm_x, j, to + n);
    return n + s->wm->room;
}

/* The smallest allowed position >= j, or one past all. */
static inline unsigned pfi_step_next(const pfi_step *s, unsigned j) { return pf_cover_next(s->allowed, s->con->nw, j); }

#endif
