/* Moves one after the other, and of each all units without a branch: which ones are within the limit cannot be foretold. */
#include "search/followers.h"

#include "base/contract.h"

#include <math.h>

/* Adds the units of a move that cost no more than `most` after the one before, together with what comes after them. after[]: what
 * each unit costs. The sum of two floats may be too large for a float. There is room. */
static void add_units(const pfi_completion *completion, uint32_t move, uint32_t first_unit, const float *after, double most,
    pfi_followers *out) {
    size_t n = out->n;
    for (uint32_t i = completion->units[move].first; i < completion->units[move].end; i++) {
        const uint32_t unit = first_unit + completion->unit[i];
        const double rest = (double)completion->after[i];
        out->at[n] = (pfi_follower){move, unit, rest};
        n += (double)after[unit] + rest <= most;
    }
    out->n = n;
}

/* Of the copies of silent units only those of the class that was said last are kept. */
static void keep_class(const pfi_said *said, uint32_t class, pfi_followers *out) {
    size_t n = 0;
    for (size_t i = 0; i < out->n; i++) {
        const uint32_t of_copy = said->of_copy[out->at[i].unit];
        out->at[n] = out->at[i];
        n += of_copy == PFI_SILENT || of_copy == class;
    }
    out->n = n;
}

pf_err pfi_followers_find(const pfi_completion *completion, const pfi_bound *bound, double own, const pfi_path_end *end,
    double most, pfi_followers *out) {
    const pf_moves *moves = completion->moves;
    const float *after = &bound->after[end->unit * bound->stride];
    assert(completion->units && end->unit <= bound->length && most < (double)INFINITY);
    out->n = 0;
    for (uint32_t move = moves->first[end->state]; move < moves->first[end->state + 1]; move++) {
        const uint32_t units = completion->units[move].end - completion->units[move].first;
        const double left = moves->cost ? most - own * moves->cost[move] : most;
        PF_TRY(PF_ROOM(out, units + (size_t)1));
        add_units(completion, move, bound->said.place[moves->position[move]], after, left, out);
    }
    if (bound->said.classes) keep_class(&bound->said, end->class, out);
    return PF_OK;
}
