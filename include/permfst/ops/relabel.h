/* The labels of another symbol table, by string. */
#ifndef PF_OPS_RELABEL_H
#define PF_OPS_RELABEL_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A copy of an expanded machine whose words are numbered as `table` has them: outputs, and inputs where they have a
 * table. The copy carries `table`. *out belongs to the caller. PF_EINPUT: a word that the table lacks. O(arcs). */
pf_err pf_relabel(pf_fst *fst, pf_symtab *table, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
