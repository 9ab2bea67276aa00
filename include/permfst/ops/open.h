/* From the description of an automaton to the automaton. */
#ifndef PF_OPS_OPEN_H
#define PF_OPS_OPEN_H

#include <permfst/io/expr.h>
#include <permfst/model/model.h>
#include <permfst/permute/perm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The machine of an expression, lazy where the expression is: borrowed, it lives as long as the expression (which owns
 * it and those of its operands). A shared operand is made once and stays with its blob, whose bytes are dropped: an
 * expression that was opened is not written any more.
 * PF_EARG, PF_EINPUT; an answer opens as the automaton of its paths; a model alone does not open (PF_EARG). */
pf_err pf_open(pf_expr *expr, pf_fst **out);

/* Makes what an expression shares with other records, its models and shared automata. Then several threads may pf_open
 * expressions that share them, each its own. Errors as above. */
pf_err pf_open_shared(pf_expr *expr);

/* The model of a blob of a model class: made once, borrowed. PF_EINPUT. */
pf_err pf_open_model(pf_blob *blob, const pf_model **out);

/* The automaton whose output words an expression puts out: its own, or that of the operand that gives the words; opened,
 * nothing is expanded. Borrowed. PF_EARG: a model has none. */
pf_err pf_open_words(pf_expr *expr, pf_fst **out);

/* A blob of a model or of an automaton: its bytes as a stream carries them. *out has one reference. */
pf_err pf_blob_of_model(const pf_model *model, pf_blob **out);
pf_err pf_blob_of_fst(pf_fst *fst, pf_blob **out);

/* The specification of a perm expression, pointing into it. */
pf_perm_spec pf_expr_spec(const pf_expr *perm);

#ifdef __cplusplus
}
#endif
#endif
