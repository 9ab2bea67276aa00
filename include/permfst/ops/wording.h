/* Tells which words a description reads and puts out, before anything is expanded. */
#ifndef PF_OPS_WORDING_H
#define PF_OPS_WORDING_H

#include <permfst/io/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is a symbol among the input labels of an automaton's description? Where there is no symbol table a symbol is a number, and an
 * arc must read it. False for a model. O(arcs) without a table. */
bool pf_expr_reads(const pf_expr *expr, const char *symbol);

/* Can the output of an expression be scored by a shared operand? Its words need names if that is a model, and with `all` the
 * model must have each word that can come. An automaton takes anything. PF_EINPUT. O(arcs) of the operand that has the
 * words with `all`. */
pf_err pf_expr_check_words(pf_expr *expr, pf_blob *shared, bool all);

#ifdef __cplusplus
}
#endif
#endif
