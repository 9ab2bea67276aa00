/* Loops that are compiled twice, plainly and for wide vectors. What both versions share becomes a part of each. As functions that
 * the vector code calls, these would be compiled without AVX: that code keeps numbers in the upper halves of registers meanwhile,
 * and each change between instructions of the two kinds then takes some processors (AMD Zen) about a hundred cycles. */
#ifndef PF_SEARCH_WIDE_H
#define PF_SEARCH_WIDE_H

#include <stdbool.h>

/* A part of both versions. */
#define PFI_WIDE_BODY static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__)
#define PFI_WIDE __attribute__((target("avx2")))
/* Does the processor have the vectors that PFI_WIDE functions need? */
static inline bool pfi_has_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define PFI_WIDE
static inline bool pfi_has_wide(void) { return false; }
#endif

/* A part of wide functions alone. */
#define PFI_WIDE_PART PFI_WIDE PFI_WIDE_BODY

#endif
