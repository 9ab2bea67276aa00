/* The least that one back-off model says after each position of a sentence. Private to the searches.
 *
 * Where words have many units, as in translation, a sentence offers thousands of histories and hundreds of units after each.
 * Nearly all units cost what they cost after a shorter history, and the back-off (Katz 1987). So of each history only the units
 * that it lists are looked at. The others are looked at once, after the shorter history, together with the least back-off that
 * leads there from a history that ends at the position. A unit that one history lists at a higher cost than its back-off counts
 * at the lower one where some other history does not list it. So the result is a lower bound, and the very least where no model
 * does that. O(units listed after the histories that the sentence can form), for each position that they can end at. Where it is
 * known what may follow each position, only words that may follow one another form histories: fewer, and a closer bound. */
#ifndef PF_SEARCH_BACKOFF_H
#define PF_SEARCH_BACKOFF_H

#include "search/said.h"

#include <permfst/machine/moves.h>

/* The positions that have a word in each column: those of column c are position[first[c]] .. position[first[c + 1] - 1]. */
typedef struct {
    unsigned length;
    const uint32_t *first;
    const uint16_t *position;
    const pf_moves *moves; /* they say what may follow each position; NULL: anything */
    const uint16_t *slot;  /* with moves, the position that they know each one as: units of one word are positions here */
} pfi_column_positions;

/* Do the rows have one model, which backs off, and whose costs keep their order when they are scaled? */
bool pfi_backoff_possible(const pfi_rows *rows);

/* Of rows for which that is possible: after[q * (width + 1) + c], which the caller has set to INFINITY, becomes the least cost of
 * column c after position q, where there is one; c = width: of the end; q = length: at the start. The rows are not filled. *known
 * becomes false, and `after` is not whole, where the histories list more units than are worth it. With `said` (else NULL), whose
 * units are the positions, `after` has a row more for each class, of what is said after histories of that class; and the states get
 * their classes. PF_ENOMEM. */
pf_err pfi_backoff_least(const pfi_rows *rows, const pfi_column_positions *positions, pfi_said *said, double *after, bool *known);

#endif
