/* OpenFst's property bits: what a file may claim of its automaton. */
#ifndef PF_OPS_PROPERTIES_H
#define PF_OPS_PROPERTIES_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits from 16 to 47 that are true of an ordinary machine, of which each property has two: it holds, or it does not. As OpenFst
 * defines them: arcs, labels and cycles count also where no path leads. O(states + arcs log arcs). PF_ENOMEM. */
pf_err pf_properties(pf_fst *fst, uint64_t *out);

/* The words for a bit that pf_properties may set; NULL for any other. O(1). */
const char *pf_property_name(unsigned bit);

#ifdef __cplusplus
}
#endif
#endif
