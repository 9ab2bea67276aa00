/* Contracts between functions.
 *
 * assert() states what a caller promises, or what a loop keeps true, where that costs a comparison; it stays in every build
 * without NDEBUG. PFI_CHECK states what is true of a whole structure and takes time to see: every row sorted, every state
 * live, every bound below what is found. Only a build configured with --enable-checks looks at it. */
#ifndef PFI_BASE_CONTRACT_H
#define PFI_BASE_CONTRACT_H

#include <assert.h>

#ifdef PF_CHECKS
#include <stdbool.h>
extern bool pfi_checks_on; /* true; a test in which claims cannot be looked at, as memory fails, sets it to false */
#define PFI_CHECK(claim) assert(!pfi_checks_on || (claim))
#else
#define PFI_CHECK(claim) ((void)sizeof(claim))
#endif

#endif
