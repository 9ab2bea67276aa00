/* Weight models: what the moves from a state cost.
 *
 * A weight model prices all moves from a state at once, so that their probabilities can sum to one. It may add bytes to the
 * state, as a constraint does. A new one is one file wm_X.c and one line in wm_table.c.
 *
 * Some models have a table of costs for each sentence, which wm_file.h reads from a file. A record carries the numbers, not
 * the name of the file. Making one is O(size of its table); names are O(classes). */
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
    double scale;       /* that multiplies its costs; 1 if the specification has none */
    const double *cost; /* its table, where it has one: n rows of columns(n) costs, borrowed */
    size_t room;        /* bytes of extra state, the same for every state */
    void *data;         /* belongs to the class; its free() ends it */
} pf_wm;

/* What the file of a weight model holds. */
typedef enum {
    PF_WM_NO_TABLE,
    PF_WM_MATRIX, /* a matrix for each sentence, with a row for each position */
    PF_WM_WORDS   /* a row for each word */
} pf_wm_table;

typedef struct pf_wm_class {
    const char *name, *params, *help;
    bool normalised; /* the probabilities of the moves from each state sum to one (a law test, and --enable-checks) */
    bool whole;      /* with the number 1 all costs are whole numbers, not negative: permcount can count by them */
    pf_wm_table table;
    unsigned (*columns)(unsigned length); /* of the table at `length` positions; NULL: there is no table */

    pf_err (*init)(pf_wm *wm, const pf_params *params); /* NULL: it takes no numbers */
    void (*free)(pf_wm *wm);                           /* NULL: there is nothing to free */
    void (*start)(const pf_wm *wm, unsigned char *extra);  /* NULL: there are no extra bytes, or all are 0 */

    /* Adds the cost of each move to costs[0 .. moves-1]: costs[r] belongs to the r-th smallest of the `moves` members of
     * `allowed`. */
    void (*weigh)(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
        unsigned moves, double *costs);

    /* Writes all bytes of the state after visiting `position` from (covered, extra); `covered` does not have it yet.
     * NULL: room is 0. */
    void (*advance)(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, unsigned position,
        unsigned char *to);

    /* How the costs of a whole order decompose: into the cost of visiting `earlier` somewhere before `later`, for each pair; and
     * that of visiting j right after `last` (n: at the start). A model without either needs the whole coverage. */
    double (*pair)(const pf_wm *wm, unsigned earlier, unsigned later);
    double (*follow)(const pf_wm *wm, unsigned last, unsigned j);

    /* The parts of a sum, borrowed, and how many they are. NULL: it is not a sum. */
    pf_wm *const *(*parts)(const pf_wm *wm, size_t *n);

    /* Is no cost below 0? NULL: true of a normalised model, and where neither the number nor the table has a
     * negative value. */
    bool (*nonnegative)(const pf_wm *wm);
} pf_wm_class;

/* A specification is NAME, NAME:NUMBER or NAME:FILE, and may end in *SCALE, a finite number that multiplies all costs. Returns
 * the bytes before the scale; *scale is 1 where there is none. */
size_t pf_wm_scale_of(const char *spec, double *scale);

/* The same specification with another scale, which is finite. The caller frees *out. PF_ENOMEM. */
pf_err pf_wm_rescale(const char *spec, double scale, char **out);

/* The table: entry i, or NULL past the last. */
const pf_wm_class *pf_wm_at(size_t i);

/* The class of a specification. PF_EARG: an unknown name (the message lists the valid ones). */
pf_err pf_wm_class_of(const char *spec, const pf_wm_class **out);

/* Makes a weight model for `length` positions; weight->cost outlives it. *out is freed by pf_wm_free.
 * PF_EARG: an unknown name, a parameter out of range. PF_EINPUT: a table of the wrong size. */
pf_err pf_wm_new(const pf_weight *weight, unsigned length, pf_wm **out);

/* Are name and parameters valid? No sentence and no table are needed. PF_EARG. */
pf_err pf_wm_check(const char *spec);

/* The sum of `count` models for `length` positions. It owns them from now on, also when this fails. count = 0: no move costs
 * anything. PF_ENOMEM. */
pf_err pf_wm_sum(pf_wm **parts, size_t count, unsigned length, pf_wm **out);

void pf_wm_free(pf_wm *wm); /* NULL is accepted */

/* Is no cost of the model below 0? O(size of its table). */
bool pf_wm_nonnegative(const pf_wm *wm);

/* May a move cost anything? Not under the sum of no models. */
static inline bool pf_wm_weighs(const pf_wm *wm) {
    size_t count = 1;
    if (wm->cls->parts) wm->cls->parts(wm, &count);
    return count > 0;
}

/* Writes the extra bytes of the start state. */
static inline void pf_wm_start(const pf_wm *wm, unsigned char *extra) {
    if (wm->cls->start) wm->cls->start(wm, extra);
    else if (wm->room) memset(extra, 0, wm->room);
}

#ifdef __cplusplus
}
#endif
#endif
