/* What every function of the rings above expects of an alignment. For PFI_CHECK: O(links). */
#ifndef PFI_ALIGN_SOUND_H
#define PFI_ALIGN_SOUND_H

#include <permfst/align/alignment.h>

static inline bool pfi_link_before(const pf_link *first, const pf_link *second) {
    return first->source != second->source ? first->source < second->source : first->target < second->target;
}

/* Links are sorted by source, then target, none is there twice, and none is past the end of its sentence. */
static inline bool pfi_alignment_sound(const pf_alignment *links) {
    for (size_t i = 0; i < links->link.n; i++) {
        const pf_link *link = &links->link.at[i];
        if (i && !pfi_link_before(link - 1, link)) return false;
        if (link->source >= links->n_source || link->target >= links->n_target)
            return false; /* nothing is past an unknown length */
        if (link->posterior < 0 || link->posterior > 1) return false;                         /* NAN is neither */
    }
    return true;
}

#endif
