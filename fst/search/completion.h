/* The least cost of all that comes after a move: a coarser model searched backwards over the whole space. Private to the searches.
 *
 * The coarse model knows of a history only its last position: position j after position i costs the least that it costs after any
 * history that ends in i (bound.h), with the potentials of histories (potentials.h). Where positions have many units, as in
 * translation, it knows the last unit. With this model the best way on from each move is found exactly, for all moves of the space,
 * from the end to the start. No completion costs less in the fine model. This is coarse-to-fine search (Charniak & Johnson 2005; as
 * a bound of A*, Felzenszwalb & McAllester 2007), and much closer than rest.h, which allows each position its own predecessor.
 * O(moves x moves of a state), times the units of a position squared, a few instructions each; 4 bytes for each move, in free order
 * 8, and 6 for each of its units after which something can come.
 * Where one path is wanted, most units of most moves are passed over (unit_completion.c). */
#ifndef PF_SEARCH_COMPLETION_H
#define PF_SEARCH_COMPLETION_H

#include "search/bound.h"

#include <permfst/machine/moves.h>
#include <permfst/search/best.h>

/* The units of a move after which something can come: a part of `unit` and `after`. */
typedef struct {
    uint32_t first, end;
} pfi_move_units;

typedef struct {
    const pf_moves *moves; /* NULL: nothing is known */
    float *cost;           /* of each arrival (moves.h): the least cost of all that comes after it; INFINITY: nothing can. At a
                              full state that another one leads to: not known before pfi_completion_know */
    float *through;        /* of each arrival of a row that full states lead to: the least cost of all that comes after such a
                              state, if a path goes on along full states, or not, until it makes this arrival */
    pfi_move_units *units; /* of each move, where words have many units; else NULL */
    uint16_t *unit;        /* of each move those after which something can come: ascending, counted from the first one of its
                              position */
    float *after;          /* of each of these: the least cost of all that comes after it */
    size_t after_units;    /* how many these are */
    double start;          /* each path costs this or more, or more than `within` */
    double within;         /* paths that cost more may go over moves and units after which nothing is said to come; INFINITY: the
                              best path does not */
    struct pfi_unit_maker *maker; /* makes it again, further; NULL where that is not needed */
} pfi_completion;

/* Needs bound->known. The moves are those of the machine that the bound is of; `slots` are the machine's. Twins
 * (twins.h) make no difference: what they put in order costs the same in the coarse model. Where one path is wanted, exactly
 * (`one_path`), and there are units, it may be that more is said to come after a unit of a move, or nothing, if no path within
 * a limit goes over it. The best path does so only if it costs more than `within`. Where the options of the search allow no time
 * or memory for that (NULL: nothing is limited), they know positions alone, as by pfi_completion_forget_units. `rows` may come to
 * have more rows, which are empty. All of these are borrowed until pfi_completion_free. PF_ENOMEM. */
pf_err pfi_completion_init(pfi_completion *completion, const pf_moves *moves, const pfi_bound *bound, pfi_rows *rows,
    const pf_slots_view *slots, bool one_path, const pf_best_options *options);

/* Makes completions further, where no path is known that costs as little as `within`, but one that costs `most`; INFINITY: none is.
 * PF_ELIMIT, PF_ENOMEM: the options of the search allow no more time or memory, and they stay as they were. */
pf_err pfi_completion_widen(pfi_completion *completion, double most);

/* Forgets what is known of units. Completions then know positions alone: they say less, but of all paths, and `within` is INFINITY.
 * Needs `maker`. O(1). */
void pfi_completion_forget_units(pfi_completion *completion);

/* The least cost of all that comes after a full state, which has so many moves to rows, from `first` on. */
static inline float pfi_completion_of_full(const pf_arrivals *arrivals, const float *through, uint32_t first, uint32_t rows) {
    const uint32_t *of = &arrivals->of[first];
    float least = through[of[0]];
    for (uint32_t i = 1; i < rows; i++) least = through[of[i]] < least ? through[of[i]] : least;
    return least;
}

/* From here on, what comes after all moves of a state is known. O(moves of a state). */
static inline void pfi_completion_know(const pfi_completion *completion, uint32_t state) {
    const pf_moves *moves = completion->moves;
    const pf_arrivals *arrivals = &moves->arrivals;
    if (!completion->through || !arrivals->full[state]) return;
    const uint32_t on = moves->first[state] + arrivals->full[state];
    if (on == moves->first[state + 1]) return;
    const uint32_t next = moves->to[on];
    completion->cost[arrivals->of[on]] =
        pfi_completion_of_full(arrivals, completion->through, moves->first[next], arrivals->full[next]);
}

/* The least cost of all that comes after a move by one of the units of its position, counted from 0; INFINITY: nothing can. Of many
 * units O(units), else O(1). */
static inline float pfi_completion_after(const pfi_completion *completion, uint32_t move, uint32_t unit) {
    if (!completion->units) return completion->cost[completion->moves->arrivals.of[move]];
    uint32_t i = completion->units[move].first;
    while (i < completion->units[move].end && completion->unit[i] < unit) i++;
    return i < completion->units[move].end && completion->unit[i] == unit ? completion->after[i] : INFINITY;
}

void pfi_completion_free(pfi_completion *completion);

/* The bytes that it takes, with the table of moves and with `maker`; 0, where nothing is known. */
uint64_t pfi_completion_bytes(const pfi_completion *completion);

#endif
