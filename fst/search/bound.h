/* Tables of a sentence for the lower bound of what the rest of it costs, in whatever order. Private to the searches.
 *
 * Each uncovered position will be covered after another uncovered one, except for the next, which comes after the last word
 * covered. So it costs at least the least that its word costs after any of those positions, in any longer history that the
 * sentence offers; the last of all also pays for the end. The least costs are read off the rows of each model, which are made
 * for every history that the words of the sentence can form; where words have many units they come from backoff.h, without rows.
 * Those of several models are added up. The bound is admissible: no
 * completion costs less. rest.h adds the costs up for a coverage. */
#ifndef PF_SEARCH_BOUND_H
#define PF_SEARCH_BOUND_H

#include "search/rows.h"
#include "search/routes.h"
#include "search/said.h"

#include <permfst/machine/moves.h>

enum { PFI_CHUNK = 8 }; /* loops go by as many, which compilers turn into vector operations */

/* A count, made a multiple of PFI_CHUNK. */
static inline size_t pfi_whole_chunks(size_t count) { return (count + PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK; }

/* As fminf, which is a call, for what is not NAN. */
static inline float pfi_smaller(float one, float other) { return one < other ? one : other; }

/* Histories of a model, and their potentials; NULL: it has none. */
typedef struct {
    struct pfi_listings *listings;
    float *potential;
} pfi_bound_histories;

typedef struct {
    bool known;          /* the tables are there; else only fst, empty and admissible are set */
    bool empty;          /* there is no position, and so one path at most */
    bool admissible;     /* a cost together with its rest cost, which is 0 without tables, is a lower bound of a path's cost */
    bool positions;      /* an input label is 1 + the position */
    const pf_fst *fst;
    bool units;          /* what is called a position here is one unit of a position; for completion.h only */
    pfi_said said;       /* with units: what is called a position here is a copy of a unit */
    unsigned length;     /* positions of the sentence */
    size_t stride;       /* floats in a table row: the length, made a multiple of PFI_CHUNK; those beyond the length are 0 */
    float *after;        /* length+1 table rows: the least cost of position j after position q; row `length`: after anything. With
                            moves: row `length` is that of the start, and what cannot come next costs INFINITY. PFI_CHUNK more
                            floats come after the last row, so that a chunk may be read from any column */
    uint16_t *by_cost;   /* for each position j all positions q, those first after which j is cheapest */
    double *end_after;   /* the least cost of the end after position q */
    uint16_t *by_end;    /* all positions, those first after which the end is cheapest */
    PF_VEC(double) potential; /* of each row of the search that is known: what comes after a hypothesis with this history costs
                                 so much more than completions say (potentials.h); empty: nothing */
    PF_VEC(uint32_t) said_in; /* with classes, of each row of the search that is known: what was said last */
    /* Where rows are filled for all words, some are met that no words which may follow one another lead to: NAN, and PFI_SILENT. */
    pfi_bound_histories *histories; /* with units, of each of `models` models of the search; else NULL */
    size_t models;
    float *price;          /* with units and potentials, of each position as moves know it (unit_routes.h); else NULL */
    float *rest_of_routes; /* then, by these prices: after each number of visits, from 0, the row of pfi_unit_routes_rest. PFI_CHUNK
                              more floats come after the last row */
    pfi_routes routes;     /* where they were asked for and could be made */
    double *column_least; /* of each column of the rows: the least that the models say after any history, with the potentials;
                             -INFINITY: not known. NULL, where there are units */
    uint64_t *uncovered; /* scratch: a coverage */
} pfi_bound;

/* What else is made. */
typedef struct {
    bool one_path;       /* one path is wanted, exactly: tables of more units pay off */
    unsigned potentials; /* rounds in which they are looked for, where there are moves, and one model or units; 0: none */
    unsigned rounds;     /* of `routes`, which need pfi_bound_routes and no moves; 0: they are not made */
} pfi_bound_wish;

/* Can routes bound a sentence: have its words few alternatives? */
bool pfi_bound_routes(const pf_slots_view *slots);

/* With the moves of the space (else NULL), and few alternatives, a history counts after a position only if its last two words can
 * stand one after the other, at positions that are neither the same nor the one that comes next; such tables are for completion.h,
 * and not for rest.h. With moves and many alternatives, if not too many, the tables are of units. Fills the rows of a single
 * model, where words have few alternatives: with moves those of the histories that orders of the space can form, else of all.
 * Leaves `known` false where there is no model, where the automaton is no permutation automaton, where one of its own costs may be
 * negative, where a model has more histories than are worth it, or where units cost so much that floats may not hold the cost of a
 * path. Borrows the machine. O(rows x words + n^2 (alternatives + log n)); with moves also O(words) for each pair of positions
 * that follow one another and each row that is possible after them. PF_ENOMEM, when pfi_bound_free is still to be called. */
pf_err pfi_bound_init(pfi_bound *bound, pfi_rows *rows, const pf_fst *fst, const pf_moves *moves, const pfi_bound_wish *wish);
void pfi_bound_free(pfi_bound *bound); /* with units, rows read what the bound lists: none is asked for afterwards */

/* Makes known what is asked of all rows that there are now: their potentials, and what was said last. Of words everything is known
 * from the beginning. O(new rows x models). PF_ENOMEM. */
pf_err pfi_bound_know(pfi_bound *bound, const pfi_rows *rows);

#endif
