/* Expanding: any record as an ordinary automaton, which every OpenFst tool reads. The verb of permexpand. */
#ifndef PF_VERBS_EXPAND_H
#define PF_VERBS_EXPAND_H

#include <permfst/io/expr.h>
#include <permfst/machine/moves.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the back-off arcs of a model read: nothing (approximate, as a listed n-gram does not bar its back-off), or a failure symbol
 * (exact). */
typedef enum { PF_BACKOFF_NOT_GIVEN, PF_BACKOFF_EPSILON, PF_BACKOFF_PHI } pf_backoff;

typedef struct {
    uint64_t max_states; /* the most states that are expanded; 0: no limit */
    pf_backoff backoff;  /* for a model, and only for one */
    const char *phi;     /* the failure symbol of PF_BACKOFF_PHI */
    pf_symtab *table;    /* words are numbered as here, and the whole table is carried; NULL: as they are */
    bool retype;         /* the automaton gets this arc type: */
    pf_arc_type type;
    void (*progress)(void *self, uint64_t states); /* called now and then with the states expanded so far; may be NULL */
    void *self;
    pf_moves_store *moves; /* tables of moves that records share, borrowed; NULL: none. They change no automaton */
} pf_expand_options;

/* The expanded automaton as an expression; *out has one reference, the caller's; NULL after an error. PF_EARG: a model without a
 * back-off, a back-off without a model, a symbol that is a word of the model. PF_EINPUT: a word that the table lacks; and as
 * pf_open. PF_ELIMIT: max_states. O(states + arcs). */
pf_err pf_expr_expand(pf_expr *expr, const pf_expand_options *options, pf_expr **out);

#ifdef __cplusplus
}
#endif
#endif
