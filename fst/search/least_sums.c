/* The sums of a few chunks are kept in registers while all rows go by. */
#include "search/least_sums.h"

#include "search/bound.h"
#include "search/wide.h"

#include "base/contract.h"

#include <math.h>

enum { TWO_CHUNKS = 2 * PFI_CHUNK };

/* The places from the first one of the rows on; `count` is constant where it is inlined. */
PFI_WIDE_BODY void fill(const pfi_summands *summands, const float *row, size_t count, float *to) {
    const float *const end = summands->added + summands->rows;
    float least[TWO_CHUNKS];
    for (size_t k = 0; k < count; k++) least[k] = INFINITY;
    for (const float *added = summands->added; added < end; added++, row += summands->stride) {
        const float more = *added;
        for (size_t k = 0; k < count; k++) {
            const float sum = row[k] + more;
            least[k] = sum < least[k] ? sum : least[k];
        }
    }
    for (size_t k = 0; k < count; k++) to[k] = least[k];
}

PFI_WIDE_BODY void fill_all(const pfi_summands *summands, size_t width, float *least) {
    size_t at = 0;
    for (; at + TWO_CHUNKS <= width; at += TWO_CHUNKS) fill(summands, &summands->row[at], TWO_CHUNKS, &least[at]);
    if (at < width) fill(summands, &summands->row[at], PFI_CHUNK, &least[at]);
}

PFI_WIDE static void fill_wide(const pfi_summands *summands, size_t width, float *least) { fill_all(summands, width, least); }

void pfi_least_sums_plain(const pfi_summands *summands, size_t width, float *least) { fill_all(summands, width, least); }

void pfi_least_sums(const pfi_summands *summands, size_t width, float *least) {
    assert(width % PFI_CHUNK == 0);
    (pfi_has_wide() ? fill_wide : pfi_least_sums_plain)(summands, width, least);
}
