/* Weight models: what the moves from a state cost.
 *
 * A weight model prices all allowed moves of a state at once, so probabilities that must sum to one are natural. It may
 * add bytes to the state, as a constraint does. A new one is one file wm_X.c and one line in wm_table.c.
 *
 * Some have a table of costs for each sentence, which wm_file.h reads from a file; the numbers then travel with the
 * record, not the file's name. */
#ifndef PF_PERMUTE_WM_H
#define PF_PERMUTE_WM_H

#include <permfst/base/cover.h>
#include <permfst/base/err.h>
#include <permfst/base/params.h>
#include <permfst/machine/weight.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pf_wm_class;

typedef struct pf_wm {
    const struct pf_wm_class *cls;
    unsigned n, nw;     /* positions; words of a coverage */
    double param;       /* the model's number, where it has one */
    const double *cost; /* n rows of columns(n) costs, borrowed, where it has a table */
    size_t room;        /* bytes of extra state, always all of them */
    void *data;         /* of the class, ended by its free() */
} pf_wm;

/* What the file of a model with a table holds. */
typedef enum {
    PF_WM_NO_TABLE,
    PF_WM_MATRIX, /* a matrix for each sentence, a row a position */
    PF_WM_WORDS   /* a row for each word */
} pf_wm_table;

typedef struct pf_wm_class {
    const char *name, *params, *help;
    bool normalised; /* the probabilities of each state's moves sum to one: a law test holds it to that */
    bool whole;      /* with the number 1 a cost is a whole number, not negative: permcount can count by it */
    pf_wm_table table;
    unsigned (*columns)(unsigned n); /* of the table; NULL: there is none */

    pf_err (*init)(pf_wm *wm, const pf_params *params); /* NULL: no numbers, or a FILE only */
    void (*free)(pf_wm *wm);                           /* NULL: nothing to give back */
    void (*start)(const pf_wm *wm, unsigned char *x);  /* NULL: no extra bytes, or all 0 */

    /* Adds the cost of each move to w[0 .. moves-1]: w[r] belongs to the r-th smallest member of `allowed`. */
    void (*weigh)(const pf_wm *wm, const pf_cover *b, const unsigned char *x, const pf_cover *allowed, unsigned moves,
                  double *w);

    void (*advance)(const pf_wm *wm, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to);
    bool (*nonnegative)(const pf_wm *wm); /* NULL: with a number or costs that are not negative, and where normalised */
} pf_wm_class;

/* The table: entry i, or NULL past the last; and the class of a specification. PF_EARG: an unknown name (the message lists
 * the valid ones). */
const pf_wm_class *pf_wm_at(size_t i);
pf_err pf_wm_class_of(const char *spec, const pf_wm_class **out);

/* A weight model for n positions; weight->cost must outlive it. *out is freed by pf_wm_free.
 * PF_EARG: an unknown name, a parameter out of range. PF_EINPUT: a table of the wrong size. */
pf_err pf_wm_new(const pf_weight *weight, unsigned n, pf_wm **out);

/* Checks name and parameters without a sentence or a table. PF_EARG. */
pf_err pf_wm_check(const char *spec);

/* The sum of `count` models, which it owns from now on, also when this fails; count = 0 costs nothing. */
pf_err pf_wm_sum(pf_wm **parts, size_t count, unsigned n, pf_wm **out);

void pf_wm_free(pf_wm *wm);

/* Is no cost of it below 0? O(size of its table). */
bool pf_wm_nonnegative(const pf_wm *wm);

/* Writes the extra bytes of the start state. */
static inline void pf_wm_start(const pf_wm *wm, unsigned char *x) {
    if (wm->cls->start) wm->cls->start(wm, x);
    else if (wm->room) memset(x, 0, wm->room);
}

#ifdef __cplusplus
}
#endif
#endif
