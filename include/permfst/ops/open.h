/* Makes an automaton of its description.
 *
 * A description (an expression) is a value that threads share. Opening it gives a machine that belongs to whoever opened it:
 * the same expression may be opened many times, also by several threads at once, and each has machines of its own. What
 * compositions share, models and shared automata, is made once and stays with its blob (io/blob.h). A model is read once, in
 * O(bytes); all else is O(size of the description). */
#ifndef PF_OPS_OPEN_H
#define PF_OPS_OPEN_H

#include <permfst/io/expr.h>
#include <permfst/model/model.h>
#include <permfst/permute/perm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An automaton with the machines that it is made of. It holds a reference of its expression. One thread at a time. */
typedef struct pf_opened pf_opened;

/* *out belongs to the caller; NULL after an error. Lazy automata are not expanded, so that this costs O(size of the
 * description), and the making of models that nobody has made yet.
 * PF_EARG, PF_EINPUT; an answer opens as the automaton of its paths; a model alone does not open (PF_EARG). */
pf_err pf_open(pf_expr *expr, pf_opened **out);
void pf_opened_free(pf_opened *opened); /* NULL is accepted */

/* The machine: borrowed, it lives as long as what was opened. That of an ordinary automaton is the expression's own, which other
 * threads may read too. */
pf_fst *pf_opened_fst(const pf_opened *opened);

/* Opens the automaton whose output words an expression puts out: the expression itself, or that one of its operands which
 * gives the words. Expands nothing, makes no model. As pf_open; PF_EARG: a model puts out no words. */
pf_err pf_open_words(pf_expr *expr, pf_opened **out);

/* The model of a blob of a model class: made once, whoever asks; borrowed, it lives as long as the blob and may be used by any
 * number of threads. PF_EINPUT. */
pf_err pf_open_model(pf_blob *blob, const pf_model **out);

/* A blob of a model, which belongs to the blob from now on, also when this fails: *model is empty then. The model is used as it
 * is. *out has one reference, the caller's. PF_ENOMEM. */
pf_err pf_blob_of_model(pf_model *model, pf_blob **out);

/* A blob of an ordinary automaton, an expression of the kind PF_EXPR_FST: it keeps a reference and uses the machine as it is. */
pf_err pf_blob_of_fst(pf_expr *fst, pf_blob **out);

#ifdef __cplusplus
}
#endif
#endif
