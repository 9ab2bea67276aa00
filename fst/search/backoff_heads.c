/* Columns by the heads of a model's labels. */
#include "search/backoff_impl.h"

#include "base/contract.h"

#include <stdlib.h>

/* No column has a head yet. There may be one head more than columns: one that has none. */
static pf_err allocate(pfi_heads *heads, unsigned width) {
    heads->first = malloc((width + (size_t)2) * sizeof *heads->first);
    heads->of = pfi_no_numbers(width);
    if (!heads->first || !heads->of) return pf_nomem();
    heads->first[0] = 0;
    return PF_OK;
}

static void put_column(pfi_listings *listings, uint32_t of_rows, uint32_t column) {
    listings->stands[of_rows] = column;
    listings->column[column] = of_rows;
}

pf_err pfi_heads_init(pfi_listings *listings, unsigned labels, const pf_label_heads *heads) {
    pfi_heads *made = &listings->heads;
    uint32_t column = 0;
    assert(labels <= listings->width && (!heads || heads->n <= labels + 1));
    PF_TRY(allocate(made, listings->width));
    listings->stands = malloc((listings->width + (size_t)1) * sizeof *listings->stands);
    listings->column = malloc((listings->width + (size_t)1) * sizeof *listings->column);
    if (!listings->stands || !listings->column) return pf_nomem();
    while (made->n < (heads ? heads->n : labels)) {
        const uint32_t end = heads ? heads->first[made->n + 1] : column + 1;
        for (; column < end; column++) {
            put_column(listings, heads ? heads->label[column] : column, column);
            made->of[column] = made->n;
        }
        made->first[++made->n] = end;
    }
    assert(column == labels);
    for (; column < listings->width; column++) put_column(listings, column, column);
    return PF_OK;
}

pf_err pfi_heads_of_few(pfi_listings *listings, const pfi_listings *all, const pfi_few_columns *few, uint32_t *of_all) {
    pfi_heads *made = &listings->heads;
    uint32_t end = 0;
    PF_TRY(allocate(made, listings->width));
    for (uint32_t head = 0; head < all->heads.n; head++) {
        of_all[head] = PFI_NO_HEAD;
        for (uint32_t column = all->heads.first[head]; column < all->heads.first[head + 1]; column++) {
            const uint32_t number = few->number[column];
            if (number == PFI_NO_COLUMN) continue;
            assert(number == end); /* they stand in the same order */
            of_all[head] = made->of[number] = made->n;
            end++;
        }
        if (of_all[head] != PFI_NO_HEAD) made->first[++made->n] = end;
    }
    return PF_OK;
}
