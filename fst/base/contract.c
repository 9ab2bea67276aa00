/* Whether claims are looked at, in the builds that have them. */
#include "base/contract.h"

#ifdef PF_CHECKS
bool pfi_checks_on = true;
#else
typedef int pfi_no_checks; /* a file is not empty */
#endif
