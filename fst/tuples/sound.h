/* What tuples promise, for PFI_CHECK. O(words), with memory for a mark a word. */
#ifndef PFI_TUPLES_SOUND_H
#define PFI_TUPLES_SOUND_H

#include <permfst/tuples/tuples.h>

/* The order is a permutation of the source; the cuts rise on both sides, end where the source does, and no tuple is empty. */
bool pfi_tuples_sound(const pf_tuples *tuples);

#endif
