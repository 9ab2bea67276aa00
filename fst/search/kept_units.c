/* Loops over the units of a move, each compiled for wide vectors, too. */
#include "search/kept_units.h"

#include "search/completion_impl.h"

#include "base/contract.h"

#include <stdbool.h>

enum { CUTS = 3 /* how often a range of totals is cut into PFI_CHUNK parts, to find where the best end */ };

static const float lane[PFI_CHUNK] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The sum of a chunk, as pfi_least_of_chunk finds the least. */
PFI_WIDE_BODY float sum_of_chunk(const float part[PFI_CHUNK]) {
    float four[4];
    for (size_t k = 0; k < 4; k++) four[k] = part[k] + part[k + 4];
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* What is known of kept units while they are looked at. */
typedef struct {
    float units[PFI_CHUNK], least[PFI_CHUNK]; /* how many, and the least lead */
    float on[PFI_CHUNK];                      /* the least lead with what comes after it on routes */
    float total[PFI_CHUNK];                   /* the least total */
} chunk_sums;

/* A chunk of a move's units, `left` of which are there: adds what the move costs to leads, and to these what comes after units, so
 * that totals stay bounds. Of those beyond the limit INFINITY is left. */
PFI_WIDE_BODY void keep_chunk(const pfi_unit_rests *rests, float own, float limit, float left, float *restrict lead,
    float *restrict total, chunk_sums *restrict sums) {
    const float *of_routes = rests->of_routes, *detours = rests->detours;
    float then[PFI_CHUNK], one[PFI_CHUNK], sum[PFI_CHUNK], on[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) one[k] = lead[k] + own;
    for (size_t k = 0; k < PFI_CHUNK; k++) then[k] = rests->of_positions;
    for (size_t k = 0; k < PFI_CHUNK; k++) on[k] = one[k];
    if (of_routes) {
        for (size_t k = 0; k < PFI_CHUNK; k++) on[k] = one[k] + (of_routes[k] + rests->left);
        for (size_t k = 0; k < PFI_CHUNK; k++) then[k] = of_routes[k] + (rests->left + detours[k]);
        pfi_completion_less_by(then, PFI_COMPLETION_ROUNDING);
        for (size_t k = 0; k < PFI_CHUNK; k++) then[k] = then[k] < rests->of_positions ? rests->of_positions : then[k];
    }
    for (size_t k = 0; k < PFI_CHUNK; k++) sum[k] = one[k] + then[k];
    for (size_t k = 0; k < PFI_CHUNK; k++) sum[k] = lane[k] < left ? sum[k] : INFINITY;
    for (size_t k = 0; k < PFI_CHUNK; k++) lead[k] = sum[k] <= limit ? one[k] : INFINITY;
    for (size_t k = 0; k < PFI_CHUNK; k++) total[k] = sum[k] <= limit ? sum[k] : INFINITY;
    for (size_t k = 0; k < PFI_CHUNK; k++) sums->units[k] += sum[k] <= limit ? 1.0F : 0.0F;
    for (size_t k = 0; k < PFI_CHUNK; k++) sums->least[k] = lead[k] < sums->least[k] ? lead[k] : sums->least[k];
    for (size_t k = 0; k < PFI_CHUNK; k++) on[k] = sum[k] <= limit ? on[k] : INFINITY;
    for (size_t k = 0; k < PFI_CHUNK; k++) sums->on[k] = on[k] < sums->on[k] ? on[k] : sums->on[k];
    for (size_t k = 0; k < PFI_CHUNK; k++) sums->total[k] = sum[k] < sums->total[k] ? sum[k] : sums->total[k];
}

/* Cuts what is beyond a total into PFI_CHUNK parts. Returns the end of the last one up to which there are few enough; `within`,
 * where there is none. */
PFI_WIDE_BODY float cut(const float *total, uint32_t units, float within, float part) {
    float end[PFI_CHUNK], few[PFI_CHUNK];
    int32_t count[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) end[k] = within + (lane[k] + 1) * part;
    for (size_t k = 0; k < PFI_CHUNK; k++) count[k] = 0;
    for (uint32_t unit = 0; unit < units; unit++)
        for (size_t k = 0; k < PFI_CHUNK; k++) count[k] += total[unit] <= end[k];
    for (size_t k = 0; k < PFI_CHUNK; k++) few[k] = count[k] <= PFI_MOST_BEST ? 1.0F : 0.0F;
    return within + sum_of_chunk(few) * part;
}

/* How many totals are not above `most`. */
PFI_WIDE_BODY float count_within(const float *total, size_t count, float most) {
    float within[PFI_CHUNK] = {0};
    for (size_t i = 0; i < count; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) within[k] += total[i + k] <= most ? 1.0F : 0.0F;
    return sum_of_chunk(within);
}

/* The least lead of units whose total is above `most`. */
PFI_WIDE_BODY float least_beyond(const float *lead, const float *total, size_t count, float most) {
    float least[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
    for (size_t i = 0; i < count; i += PFI_CHUNK) {
        float cost[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) cost[k] = total[i + k] > most ? 0 : INFINITY;
        for (size_t k = 0; k < PFI_CHUNK; k++) cost[k] += lead[i + k];
        for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = cost[k] < least[k] ? cost[k] : least[k];
    }
    return pfi_least_of_chunk(least);
}

/* The total that the best of many do not exceed. As parts are rounded, there may still be too many of them: then which ones are the
 * best does not matter. */
PFI_WIDE_BODY float end_of_best(const float *total, uint32_t units, float least, float limit) {
    float part = limit - least;
    for (int i = 0; i < CUTS; i++) {
        part /= PFI_CHUNK;
        least = cut(total, units, least, part);
    }
    return least;
}

PFI_WIDE_BODY void keep_units(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept) {
    const size_t count = pfi_whole_chunks(units);
    chunk_sums sums;
    for (size_t k = 0; k < PFI_CHUNK; k++) sums.units[k] = 0;
    for (size_t k = 0; k < PFI_CHUNK; k++) sums.least[k] = sums.on[k] = sums.total[k] = INFINITY;
    for (uint32_t i = 0; i < count; i += PFI_CHUNK) {
        const bool routes = rests->of_routes != NULL;
        const pfi_unit_rests here = {routes ? &rests->of_routes[i] : NULL, routes ? &rests->detours[i] : NULL, rests->left,
                                     rests->of_positions};
        keep_chunk(&here, own, limit, (float)(units - i), &lead[i], &total[i], &sums);
    }
    kept->units = (uint32_t)sum_of_chunk(sums.units);
    kept->least = pfi_least_of_chunk(sums.least);
    kept->on = pfi_least_of_chunk(sums.on);
    kept->other = INFINITY;
    kept->most = limit;
    if (kept->units <= PFI_MOST_BEST) return;
    kept->most = end_of_best(total, units, pfi_least_of_chunk(sums.total), limit);
    const bool tied = count_within(total, count, kept->most) > (float)PFI_MOST_BEST;
    kept->other = tied ? kept->least : least_beyond(lead, total, count, kept->most);
}

void pfi_keep_units_plain(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept) {
    keep_units(rests, own, limit, units, lead, total, kept);
}

PFI_WIDE static void keep_units_wide(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept) {
    keep_units(rests, own, limit, units, lead, total, kept);
}

void pfi_keep_units(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept) {
    (pfi_has_wide() ? keep_units_wide : pfi_keep_units_plain)(rests, own, limit, units, lead, total, kept);
}

/* Lists kept units; returns how many. `all`: where there are not too many, all of them are the best. It is constant where it is
 * inlined. */
PFI_WIDE_BODY uint32_t list_kept(const pfi_kept_units *kept, bool all, const float *lead, const float *total, uint32_t units,
    pfi_unit_lead *out) {
    uint32_t n = 0, best = 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        const uint16_t is_best = all | ((total[unit] <= kept->most) & (best < PFI_MOST_BEST));
        out[n] = (pfi_unit_lead){lead[unit], (uint16_t)unit, is_best};
        n += lead[unit] < INFINITY;
        best += is_best;
    }
    assert(best || !n);
    return n;
}

void pfi_list_kept(const pfi_kept_units *kept, const float *lead, const float *total, uint32_t units, pfi_unit_lead *out) {
    const bool all = kept->units <= PFI_MOST_BEST;
    const uint32_t n = all ? list_kept(kept, true, lead, total, units, out) : list_kept(kept, false, lead, total, units, out);
    assert(n == kept->units);
    (void)n;
}
