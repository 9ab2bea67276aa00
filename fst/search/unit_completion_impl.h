/* What unit_completion.c, unit_leads.c and unit_limit.c share: a coarse model of units, while completions are made. Private.
 *
 * Where one best path is wanted, nothing has to be known of moves and units that no path within a limit goes over. Three passes
 * find them, each within what the one before has left. Where routes are known, another one before them finds what paths cost more
 * than these (unit_detours.h). The first one goes backwards and knows only positions: what all that
 * comes after a move costs at least, by whatever units. The second one goes forwards (unit_leads.c): what a path up to a unit
 * of a move costs at least is its lead. The third one goes backwards and finds completions of those units alone whose lead and
 * completion are within the limit (unit_completion.c). unit_limit.c chooses it. */
#ifndef PF_SEARCH_UNIT_COMPLETION_IMPL_H
#define PF_SEARCH_UNIT_COMPLETION_IMPL_H

#include "search/added_rows.h"
#include "search/completion_impl.h"
#include "search/kept_units.h"
#include "search/unit_detours.h"

#include <permfst/base/arena.h>
#include <permfst/base/vec.h>

#define PFI_NO_MOVE UINT32_MAX

/* What a path up to a move costs at least. */
typedef struct {
    float least;         /* by any unit; INFINITY: none is within the limit */
    float other;         /* by any unit that is within the limit, and not one of the best */
    float on;            /* by any unit that is within the limit, with what comes after it on routes */
    uint32_t units;      /* how many are within the limit: the best of them lead on one by one, the others together */
    pfi_unit_lead *unit; /* these, in order */
    uint32_t from;       /* its state */
    uint32_t earlier;    /* the move before it that leads to the same state; PFI_NO_MOVE */
} pfi_move_lead;

/* The units that may come next in a state: a part of the list of its level. */
typedef struct {
    size_t begin, end;
    float least; /* of their costs after whatever comes before, where there is a limit */
} pfi_unit_range;

typedef struct pfi_unit_maker {
    pfi_completion *completion;
    const pfi_bound *bound;
    pfi_rows *rows;
    const pf_slots_view *slots;
    const uint32_t *place;  /* of each position, its first unit among those of all positions */
    double own, final;      /* the scale of the moves' costs; what the end costs */
    bool limited;           /* there is a limit */
    size_t room;            /* of the units of any position, a multiple of PFI_CHUNK */
    float *after_next;      /* the table of costs by what comes next: a row of `stride` has the costs after each unit */
    size_t stride;
    pfi_added_rows next[2]; /* of each unit that may come next, in the level that is filled and the one after it: what it costs
                               after each unit, and what its move and all that comes after it cost */
    pfi_unit_range *range;  /* of each state */
    pfi_move_units *units;  /* of the completion that is made: `units`, `unit` and `after` */
    PF_VEC(uint16_t) unit;
    PF_VEC(float) after;
    float *least;           /* scratch: of each unit of a move */
    float start;            /* the least cost of a path */
    double within;          /* as of the completion */
    /* Where there is a limit: */
    const pf_best_options *options; /* of the search, which may limit time and memory; NULL: they are not looked at */
    float limit;            /* paths that cost more are of no use */
    double known;           /* the cost of a path */
    double led_to;          /* leads are known of all paths that cost so much or less; -INFINITY: of none */
    double least_lead;      /* no path costs less, as they tell */
    double proven;          /* no path costs less, as all that was found tells */
    pfi_completion rest;    /* of a model that knows only positions */
    pfi_bound positions;    /* its tables */
    double *price_left;     /* of each state: the prices of the positions that are not covered; NULL: there are none */
    pfi_unit_detours detours; /* with prices */
    float *after_position;  /* n + 1 rows: what each unit costs at least after each position; at the start */
    float *cheapest;        /* the least of each of its columns */
    pfi_move_lead *lead;    /* of each move */
    pf_arena leads;         /* what these point to */
    size_t led_units;       /* how many units they have */
    float *led;             /* scratch: of each unit of a move */
    uint32_t *arrival;      /* of each state: the last move that leads to it; PFI_NO_MOVE */
    pfi_added_rows arrived; /* scratch: the units that lead to a state, and what others cost after them */
    float *detours_after;   /* scratch: of each unit of a move: the detours that come after it at least */
    float *unit_total;      /* scratch: of each unit of a move: its lead with what comes after it at least */
    uint32_t *path;         /* scratch: the moves of a path */
} pfi_unit_maker;

static inline const pf_moves *pfi_moves_of(const pfi_unit_maker *maker) { return maker->completion->moves; }

static inline uint32_t pfi_first_unit(const pfi_unit_maker *maker, uint32_t move) {
    return maker->place[pfi_moves_of(maker)->position[move]];
}

static inline uint32_t pfi_units_of(const pfi_unit_maker *maker, uint32_t move) {
    const uint32_t *place = &maker->place[pfi_moves_of(maker)->position[move]];
    return place[1] - place[0];
}

static inline float pfi_move_cost(const pfi_unit_maker *maker, uint32_t move) {
    return pfi_cost_of_move(pfi_moves_of(maker), maker->own, move);
}

/* The cost of the end after a unit. */
static inline float pfi_end_cost(const pfi_unit_maker *maker, uint32_t unit) {
    return (float)(maker->bound->end_after[unit] + maker->final);
}

/* What units cost at least at the start. */
static inline const float *pfi_costs_at_start(const pfi_unit_maker *maker) {
    return &maker->bound->after[maker->bound->length * maker->bound->stride];
}

/* Now and then, for one of many states: is there more time and memory, as the options say? PF_ELIMIT; PF_ENOMEM. */
pf_err pfi_unit_check_limits(const pfi_unit_maker *maker, uint32_t state);

/* All completions of paths within maker->limit. PF_ENOMEM; PF_ELIMIT, as the options say. */
pf_err pfi_unit_completions_fill(pfi_unit_maker *maker);

/* All leads of paths within maker->limit, and least_lead; INFINITY: there is no such path. Needs pfi_unit_leads_prepare.
 * PF_ENOMEM; PF_ELIMIT, as the options say. */
pf_err pfi_unit_leads_fill(pfi_unit_maker *maker);

/* What leads need: the tables of positions, and what comes after moves by these. PF_ENOMEM. */
pf_err pfi_unit_leads_prepare(pfi_unit_maker *maker);
void pfi_unit_leads_free(pfi_unit_maker *maker);

/* The moves of the path that leads to the end at the least cost. There is one within the limit. */
void pfi_unit_leads_follow(const pfi_unit_maker *maker, uint32_t *move);

/* Chooses a limit, for the first time or further than it was, and makes completions within it. The first one needs
 * pfi_unit_leads_prepare. Also where there is an error, maker->proven is known. PF_ENOMEM; PF_ELIMIT, as the options say. */
pf_err pfi_unit_limit_first(pfi_unit_maker *maker);
pf_err pfi_unit_limit_further(pfi_unit_maker *maker, double most);

#endif
