/* What a search by levels makes before its first pass: rows, twins, and one of three bounds.
 *
 * A table of the moves of the space gives completions, which know the coverage exactly and of the history one position. Routes know
 * two positions of the history, and of the coverage the prices. They are closer in free order, where coverages are many; they need
 * no table; and their work does not grow with the number of states. Where there is neither, the rest costs of single positions
 * are left. */
#include "search/levels.h"

#include <permfst/machine/space.h>

#include <float.h>
#include <math.h>

enum {
    MOST_MOVES = 1 << 22, /* a table is made whole: some tenths of a second */
    MOST_MOVES_OF_UNITS = 1 << 24, /* the same in exact translation, where little is known without a table */
    BYTES_OF_A_MOVE = 48, /* in so large a table and in completions of positions, and as much again for passes */
    SHORT = 20, FEW_MOVES_OF_A_POSITION = 32, /* for fewer positions, or moves, potentials take more time than they save */
    MOST_ROUNDS = 36,
    SHORT_TEXT = 10, ROUNDS_OF_A_POSITION = 3, MOST_ROUNDS_OF_UNITS = 160, /* the same in translation; there also */
    MIDDLE_TEXT = 14, MANY_MOVES = 12000, /* where one path is wanted: so many positions or fewer, unless moves are as many */
    FEW_MOVES = 1 << 15, /* completions of so many are made sooner than prices for routes are found */
    ADDITIONS_OF_A_MOVE = 4 /* of one set of prices: completions take as long for a move as all sets do for so many additions */
};

/* The space of a permutation automaton that models score; space is NULL where there is none. */
typedef struct {
    const struct pf_con *space;
    pf_slots_view slots;
    pf_moves_size size;
} level_space;

static level_space space_of(const pf_fst *fst, const pfi_rows *rows) {
    level_space of = {0};
    if (!fst->op || !fst->op->slots || !pf_fst_space(fst) || !rows->parts.n) return of;
    fst->op->slots(fst->self, &of.slots);
    if (!of.slots.n || !of.slots.weights) return of;
    of.space = pf_fst_space(fst);
    of.size = pf_moves_size_of(of.space, of.slots.weights);
    return of;
}

/* How many rounds routes would be tried for; 0: none, as for words of many alternatives. */
static unsigned rounds_of_routes(const level_space *of, const pf_best_options *options) {
    if (options->search == PF_SEARCH_ASTAR || !of->space || !of->slots.positions || !pfi_bound_routes(&of->slots)) return 0;
    return pfi_routes_rounds(of->space, options->widen ? 0 : options->beam);
}

static bool is_exact(const pf_best_options *options) {
    return !options->beam && !options->widen && options->threshold == (double)INFINITY;
}

/* Is one best path wanted, and that exactly? */
static bool wants_one_path(const pf_best_options *options) {
    return is_exact(options) && options->n == 1 && !options->lattice;
}

/* Are routes closer than completions, or less work? Where the size of the space is not known, a table of moves is tried first. How
 * close they are matters little where few moves are searched, but it tells which hypotheses a beam keeps. */
static bool prefers_routes(const level_space *of, const pf_best_options *options) {
    const pf_moves_size *size = &of->size;
    const bool dense = size->moves * 3 > size->states * of->slots.n;
    if (!size->known || (options->moves && is_exact(options) && size->moves <= FEW_MOVES)) return false;
    if (size->moves > fmin(MOST_MOVES, ADDITIONS_OF_A_MOVE * pfi_routes_additions(of->space))) return true;
    return dense && pf_space_follow_is_all(of->slots.weights);
}

/* Twins need a space that has a path, too, when two of its positions have been put in order; moves that cost nothing; and a search
 * for one path, whose inputs are positions. */
static pf_err take_twins(pfi_levels *all, const level_space *of) {
    const pf_best_options *options = all->options;
    if (!of->space || options->n > 1 || options->lattice || options->units) return PF_OK;
    if (!of->slots.positions || of->size.costs || !pf_space_sorts(of->space)) return PF_OK;
    return pfi_twins_init(&all->twins, &all->rows, &of->slots);
}

/* Do arcs have weights that are floats, whatever the moves cost? */
static bool weights_fit(const pf_slots_view *slots, const pf_moves *moves) {
    const double most = (double)FLT_MAX / 4;
    for (uint32_t i = 0; i < slots->first[slots->n]; i++)
        if (slots->arc[i].w != INFINITY && fabs((double)slots->arc[i].w) > most) return false;
    for (uint32_t i = 0; moves->cost && i < moves->first[moves->states]; i++)
        if (!(fabs(moves->cost[i]) <= most)) return false;
    return true;
}

/* In translation by several models, whose histories differ, potentials close most of the gap; a tuple model alone leaves little of
 * it. The work that they save grows with the length faster than their own. Where a beam is used, they also tell which hypotheses it
 * keeps, and how far from the best path its answer can be. */
static unsigned rounds_of_unit_potentials(const pfi_levels *all) {
    const unsigned n = all->moves->n;
    const uint32_t moves = all->moves->first[all->moves->states];
    if (all->rows.parts.n < 2 || n <= SHORT_TEXT || moves / n < FEW_MOVES_OF_A_POSITION) return 0;
    if (n <= MIDDLE_TEXT && moves < MANY_MOVES && wants_one_path(all->options)) return 0;
    const unsigned rounds = ROUNDS_OF_A_POSITION * (n - SHORT_TEXT);
    return rounds < MOST_ROUNDS_OF_UNITS ? rounds : MOST_ROUNDS_OF_UNITS;
}

/* In how many rounds potentials are looked for: in more of them, the longer a sentence, and the more moves there are to spare. */
static unsigned rounds_of_potentials(const pfi_levels *all) {
    const pf_moves *moves = all->moves;
    if (moves && !pfi_bound_routes(&all->slots)) return rounds_of_unit_potentials(all);
    if (!moves || moves->n < SHORT || moves->first[moves->states] / moves->n < FEW_MOVES_OF_A_POSITION) return 0;
    return (unsigned)fmin(fmin(moves->n * 0.75, sqrt(moves->first[moves->states]) / 3), MOST_ROUNDS);
}

/* How many moves a table may have. A beam takes less time than a very large one. */
static uint32_t most_moves(const level_space *of, const pf_best_options *options) {
    const uint64_t room = options->max_bytes ? options->max_bytes / BYTES_OF_A_MOVE : MOST_MOVES_OF_UNITS;
    const bool units = !pfi_bound_routes(&of->slots);
    if (!units || !is_exact(options) || room <= MOST_MOVES) return MOST_MOVES;
    return room < MOST_MOVES_OF_UNITS ? (uint32_t)room : MOST_MOVES_OF_UNITS;
}

/* The moves of the automaton, from the store, where they are not too many. */
static pf_err take_moves(pfi_levels *all, const level_space *of) {
    pf_moves_store *store = all->options->moves;
    if (!store || all->options->search == PF_SEARCH_ASTAR || !of->space) return PF_OK;
    const pf_moves_limits limits = {most_moves(of, all->options), all->options->expired, all->options->self};
    all->slots = of->slots;
    const pf_err err = pf_moves_take(store, of->space, of->slots.weights, &limits, &all->moves);
    if (err == PF_ENOMEM && of->size.known && of->size.moves > MOST_MOVES) return PF_OK; /* there is no memory for a large one */
    PF_TRY(err);
    if (!all->moves || weights_fit(&all->slots, all->moves)) return PF_OK;
    pf_moves_give_back(store, all->moves);
    all->moves = NULL;
    return PF_OK;
}

/* The bound and completions, in so many rounds of routes. */
static pf_err know(pfi_levels *all, unsigned rounds) {
    const bool one_path = wants_one_path(all->options);
    const pfi_bound_wish wish = {one_path, rounds_of_potentials(all), rounds};
    PF_TRY(pfi_bound_init(&all->bound, &all->rows, all->automaton, all->moves, &wish));
    if (!all->moves || !all->bound.known) return PF_OK;
    return pfi_completion_init(&all->completion, all->moves, &all->bound, &all->rows, &all->slots, one_path, all->options);
}

/* The same without a table of moves, if it was so large that there is no memory for more. */
static pf_err know_less(pfi_levels *all, unsigned rounds) {
    pfi_completion_free(&all->completion);
    pfi_bound_free(&all->bound);
    pf_moves_give_back(all->options->moves, all->moves);
    all->moves = NULL;
    return know(all, rounds);
}

pf_err pfi_levels_init(pfi_levels *all, pf_fst *fst, const pf_best_options *options) {
    *all = (pfi_levels){.options = options};
    PF_TRY(pfi_rows_init(&all->rows, fst));
    all->automaton = all->rows.parts.fst;
    const level_space of = space_of(all->automaton, &all->rows);
    unsigned rounds = rounds_of_routes(&of, options);
    if (!rounds || !prefers_routes(&of, options)) {
        PF_TRY(take_moves(all, &of));
        if (all->moves || of.size.known) rounds = 0;
    }
    /* A beam over a table of moves keeps what it can of all paths. */
    if (!all->moves || is_exact(options)) PF_TRY(take_twins(all, &of));
    const pf_err err = know(all, rounds);
    const bool large = all->moves && all->moves->first[all->moves->states] > MOST_MOVES;
    return err == PF_ENOMEM && large ? know_less(all, rounds) : err;
}

void pfi_levels_free(pfi_levels *all) {
    PF_VEC_FREE(&all->profile);
    pf_moves_give_back(all->options->moves, all->moves);
    pfi_completion_free(&all->completion);
    pfi_twins_free(&all->twins);
    PF_VEC_FREE(&all->dropped);
    pfi_bound_free(&all->bound);
    pfi_rows_free(&all->rows);
}
