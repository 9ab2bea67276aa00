/* What every function of the rings above expects of an alignment. For PFI_CHECK: O(links). */
#ifndef PFI_ALIGN_SOUND_H
#define PFI_ALIGN_SOUND_H

#include <permfst/align/alignment.h>

static inline bool pfi_link_before(const pf_link *a, const pf_link *b) {
    return a->source != b->source ? a->source < b->source : a->target < b->target;
}

/* Links are sorted by source, then target, none is there twice, and none is past the end of its sentence. */
static inline bool pfi_alignment_sound(const pf_alignment *a) {
    for (size_t i = 0; i < a->link.n; i++) {
        const pf_link *l = &a->link.at[i];
        if (i && !pfi_link_before(l - 1, l)) return false;
        if (l->source >= a->n_source || l->target >= a->n_target) return false; /* nothing is past an unknown length */
        if (l->posterior < 0 || l->posterior > 1) return false;                 /* NAN is neither */
    }
    return true;
}

#endif
