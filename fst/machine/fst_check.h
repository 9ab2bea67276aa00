/* Private to the library: what is true of every machine that was read or built. */
#ifndef PF_MACHINE_FST_CHECK_H
#define PF_MACHINE_FST_CHECK_H

#include <permfst/machine/fst.h>

/* For PFI_CHECK: are all states of a stored machine done, do its arcs and its start stay within them, with labels of at
 * least 0, and are states and arcs counted rightly? True of a lazy machine. O(arcs). */
bool pfi_fst_is_closed(const pf_fst *fst);

#endif
