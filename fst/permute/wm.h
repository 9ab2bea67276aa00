/* Weight models: what the moves from a state cost.
 *
 * A weight model prices all allowed moves of a state at once, so probabilities that must sum to one are natural. It may
 * add bytes to the state, as a constraint does. A new one is one file wm_X.c and one line in wm_table.c. */
#ifndef PF_PERMUTE_WM_H
#define PF_PERMUTE_WM_H

#include "base/cover.h"
#include "base/err.h"
#include "base/params.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pf_wm_class;

typedef struct pf_wm {
    const struct pf_wm_class *cls;
    unsigned n, nw; /* positions; words of a coverage */
    double param;   /* the model's number, where it has one */
    size_t room;    /* bytes of extra state, always all of them */
    void *data;     /* of the class, ended by its free() */
} pf_wm;

typedef struct pf_wm_class {
    const char *name, *params, *help;
    bool normalised; /* the probabilities of a state's moves sum to one: a law test holds it to that */

    pf_err (*init)(pf_wm *wm, const pf_params *params);
    void (*free)(pf_wm *wm);                           /* NULL: nothing to give back */
    void (*start)(const pf_wm *wm, unsigned char *x);  /* NULL: no extra bytes */

    /* Adds the cost of each move to w[0 .. moves-1]: w[r] belongs to the r-th smallest member of `allowed`. */
    void (*weigh)(const pf_wm *wm, const pf_cover *b, const unsigned char *x, const pf_cover *allowed, unsigned moves,
                  double *w);

    void (*advance)(const pf_wm *wm, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to);
    double (*final)(const pf_wm *wm, const unsigned char *x); /* NULL: 0 */
} pf_wm_class;

/* The table: entry i, or NULL past the last. */
const pf_wm_class *pf_wm_at(size_t i);

/* A weight model from its specification ("monotone:0.7") for n positions. *out is freed by pf_wm_free.
 * PF_EARG: an unknown name (the message lists the valid ones) or a parameter out of range. */
pf_err pf_wm_new(const char *spec, unsigned n, pf_wm **out);

/* The sum of `count` models, which it owns from now on, also when this fails; count = 0 costs nothing. */
pf_err pf_wm_sum(pf_wm **parts, size_t count, unsigned n, pf_wm **out);

void pf_wm_free(pf_wm *wm);

#ifdef __cplusplus
}
#endif
#endif
