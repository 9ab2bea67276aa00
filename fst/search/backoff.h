/* The histories of one back-off model that the words of a sentence form, and what it says after them. Private to the searches.
 *
 * Where words have many units, as in translation, a sentence offers thousands of histories and hundreds of units after each.
 * Nearly all units cost what they cost after a shorter history, and the back-off (Katz 1987). So a history is kept as what it
 * lists, and the shorter one. Where it is known what may follow each position, only words that may follow one another form
 * histories: fewer, and a closer bound. Units are listed by their heads (scorer.h): a first word that leads to some state is
 * followed by the same costs wherever it comes from, so these are asked for once.
 *
 * A coarse model knows only the last position: a unit costs the least that it costs after any history that ends there. Of each
 * such history only the units that it lists are looked at. The others are looked at once, after the shorter history, together with
 * the least back-off that leads there. A unit that one history lists at a higher cost than its back-off counts at the lower one
 * where some other history does not list it. So the result is a lower bound, and the very least where no model does that. Many
 * positions have the same histories, as those whose unit says the same to a model of target words: they share a row of costs.
 *
 * Histories may have potentials: the unit that leads to one pays it, and the next unit need not pay it (potentials.h). */
#ifndef PF_SEARCH_BACKOFF_H
#define PF_SEARCH_BACKOFF_H

#include "search/rows.h"
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

/* Columns are numbered anew: those of units that begin alike (scorer.h) stand side by side. */
typedef struct pfi_listings pfi_listings;

/* Do the rows have one model, which backs off, and whose costs keep their order when they are scaled? */
bool pfi_listings_possible(const pfi_rows *rows);

/* Of rows for which that is possible: they are not filled, and borrowed, like the positions, only while it is made. *out is NULL
 * where the histories list more units than are worth it; else it is freed by pfi_listings_free. With `said` (else NULL), whose
 * units are the positions, histories get their classes. O(units listed after the histories). PF_ENOMEM. */
pf_err pfi_listings_new(const pfi_rows *rows, const pfi_column_positions *positions, pfi_said *said, pfi_listings **out);
void pfi_listings_free(pfi_listings *listings); /* NULL is accepted */

/* Of each column of the rows: its number in the listings. */
const uint32_t *pfi_listings_stands(const pfi_listings *listings);

/* Some columns of others: which, and for whom. */
typedef struct {
    const uint32_t *number; /* of each column of others: its number here, in the same order; PFI_NO_COLUMN: it is none of them */
    uint32_t columns;
    const uint32_t *place;  /* of each position, of the start, and of each class, as they are numbered here: the place there */
    size_t places;
} pfi_few_columns;
#define PFI_NO_COLUMN UINT32_MAX

/* The same for some columns alone: what they cost after all histories that end at the places. Histories keep their numbers, but
 * those of no place list nothing, and none is found by its state. O(units that the histories list). PF_ENOMEM. */
pf_err pfi_listings_of_few(const pfi_listings *all, const pfi_few_columns *few, pfi_listings **out);

/* How many histories it has. Number 0 is that of the start. */
uint32_t pfi_listings_histories(const pfi_listings *listings);

/* The history that a state of the model is; PFI_NO_HISTORY: words that may follow one another form none. O(1). */
#define PFI_NO_HISTORY UINT32_MAX
uint32_t pfi_listings_history(const pfi_listings *listings, pf_state state);

/* *out is what known() of the model's scorer says of a state, but in the order of the listings' columns, if the histories are
 * listings of all columns and the model was asked of the state; else false. O(units that it lists). */
bool pfi_listings_known(const pfi_listings *listings, pf_state state, pf_known_words *out);

/* The same of one label of the rows: what step() says. O(order x log labels). */
bool pfi_listings_step(const pfi_listings *listings, pf_state state, uint32_t label, double *cost, pf_state *to);

/* How many rows of costs there are; and of each position, of the start, and of each class: its row. A unit that has classes has
 * no row: PFI_NO_ROW_OF_COSTS. */
#define PFI_NO_ROW_OF_COSTS UINT32_MAX
uint32_t pfi_listings_rows(const pfi_listings *listings);
const uint32_t *pfi_listings_row(const pfi_listings *listings);

/* Fills after[row * (width + 1) + c] with the least cost of column c; c = width: of the end; INFINITY, where there is none.
 * `potential`: of each history; NULL: there are none. For each row O(units listed after its histories). */
void pfi_listings_least(pfi_listings *listings, const float *potential, double *after);

/* The history of a row after which a column, or the end, costs least, or the first one after which it costs `enough` or less; and
 * the one that it leads to; of the end: the same. False where it costs INFINITY after all of them. O(histories of the row x order x
 * log words). */
bool pfi_listings_cheapest(const pfi_listings *listings, uint32_t row, uint32_t column, const float *potential, double enough,
    uint32_t *from, uint32_t *to);

#endif
