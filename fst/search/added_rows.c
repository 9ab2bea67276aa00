/* The innermost loop of completions of units: nearly all of their time goes here. */
#include "search/added_rows.h"

#include "search/completion_impl.h"
#include "search/wide.h"

#include <string.h>

enum { MOST_CHUNKS = 4 };

/* The least of the rows' sums in so many chunks of columns, from `first` on. `chunks` is constant where it is inlined, so that they
 * are in registers: rows are looked up once for all of them. */
PFI_WIDE_BODY void least_of_chunks(const pfi_added_row *rows, size_t count, size_t first, size_t chunks, float *least) {
    float found[MOST_CHUNKS][PFI_CHUNK];
#pragma GCC unroll 4
    for (size_t chunk = 0; chunk < chunks; chunk++)
        for (size_t k = 0; k < PFI_CHUNK; k++) found[chunk][k] = INFINITY;
    for (size_t i = 0; i < count; i++)
#pragma GCC unroll 4
        for (size_t chunk = 0; chunk < chunks; chunk++)
            pfi_take_less(found[chunk], &rows[i].row[first + chunk * PFI_CHUNK], rows[i].cost);
    memcpy(least, found, chunks * sizeof *found);
}

/* The same of so many columns. */
PFI_WIDE_BODY void least_of_rows(const pfi_added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    size_t column = 0;
    for (; column + 3 * PFI_CHUNK < columns; column += 4 * PFI_CHUNK)
        least_of_chunks(rows, count, first + column, 4, &least[column]);
    for (; column + PFI_CHUNK < columns; column += 2 * PFI_CHUNK)
        least_of_chunks(rows, count, first + column, 2, &least[column]);
    if (column < columns) least_of_chunks(rows, count, first + column, 1, &least[column]);
}

static void least_of_rows_plain(const pfi_added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    least_of_rows(rows, count, first, columns, least);
}

PFI_WIDE static void least_of_rows_wide(const pfi_added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    least_of_rows(rows, count, first, columns, least);
}

void pfi_least_of_rows(const pfi_added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    (pfi_has_wide() ? least_of_rows_wide : least_of_rows_plain)(rows, count, first, columns, least);
}
