/* Steps along a direction that remembers the ones before. */
#include "search/ascent.h"

#include "base/contract.h"
#include "search/bound.h"

#include <math.h>
#include <string.h>

enum { PATIENCE = 4 };

static const float SMOOTHING = 0.5F; /* past directions count so much */
static const float LARGEST = 1e6F;   /* value that is kept in the end */

/* What a change makes of the direction; returns the sum of its squares. */
static float turn(float *restrict direction, const float *restrict change, size_t count) {
    float squares[PFI_CHUNK] = {0}, sum = 0;
    for (size_t i = 0; i < count; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) {
            const float turned = change[i + k] + SMOOTHING * direction[i + k];
            direction[i + k] = turned;
            squares[k] += turned * turned;
        }
    for (size_t k = 0; k < PFI_CHUNK; k++) sum += squares[k];
    return sum;
}

static void go(float *restrict value, const float *restrict direction, size_t count, float step) {
    for (size_t i = 0; i < count; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) value[i + k] += step * direction[i + k];
}

pfi_ascent pfi_ascent_begin(float gap) { return (pfi_ascent){.gap = gap, .dearest = -INFINITY, .reach = 1}; }

static void keep_best(const pfi_ascent *ascent) {
    for (size_t i = 0; i < ascent->parts; i++) {
        const pfi_ascent_part *part = &ascent->part[i];
        if (part->best) memcpy(part->best, part->value, part->count * sizeof *part->best);
    }
}

bool pfi_ascent_step(pfi_ascent *ascent, float cost) {
    float squares = 0;
    assert(ascent->parts && ascent->parts <= PFI_ASCENT_PARTS);
    if (cost > ascent->dearest) {
        ascent->dearest = cost;
        ascent->stalled = 0;
        keep_best(ascent);
    } else if (++ascent->stalled == PATIENCE) {
        ascent->reach /= 2;
        ascent->stalled = 0;
    }
    const float missing = ascent->reach * (ascent->dearest + ascent->gap * fabsf(ascent->dearest) - cost);
    for (size_t i = 0; i < ascent->parts; i++) {
        const pfi_ascent_part *part = &ascent->part[i];
        squares += part->scale * turn(part->direction, part->change, part->count);
    }
    if (!(squares > 0)) return false;
    for (size_t i = 0; i < ascent->parts; i++) {
        const pfi_ascent_part *part = &ascent->part[i];
        go(part->value, part->direction, part->count, part->scale * missing / squares);
    }
    return true;
}

static float within_largest(float value) { return isnan(value) ? 0 : fmaxf(-LARGEST, fminf(value, LARGEST)); }

void pfi_ascent_end(const pfi_ascent *ascent) {
    for (size_t i = 0; i < ascent->parts; i++) {
        const pfi_ascent_part *part = &ascent->part[i];
        if (!part->best) continue;
        if (ascent->dearest > -INFINITY) memcpy(part->value, part->best, part->count * sizeof *part->best);
        for (size_t k = 0; k < part->count; k++) part->value[k] = within_largest(part->value[k]);
    }
}
