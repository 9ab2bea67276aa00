/* Which moves arrive at one state from one position: what a coarse model of histories knows of a move. */
#include "permute/moves_impl.h"

#include <stdlib.h>

/* A state has a row of arrivals where a move leads to it from one in so many positions, or more: then a vector over all positions
 * takes less time than the moves one by one. */
enum { POSITIONS_OF_A_MOVE = 6 };

#define MOST_MOVES (UINT32_MAX / (POSITIONS_OF_A_MOVE + PF_ARRIVAL_CHUNK)) /* so that arrivals can be numbered */


uint64_t pfi_arrivals_bytes(const pf_moves *moves) {
    const pf_arrivals *arrivals = &moves->arrivals;
    if (!arrivals->of) return 0;
    return moves->first[moves->states] * sizeof *arrivals->of + (moves->states + (uint64_t)1) * sizeof *arrivals->first +
           arrivals->first[moves->states] * sizeof *arrivals->position;
}

void pfi_arrivals_clear(pf_arrivals *arrivals) {
    free(arrivals->first);
    free(arrivals->of);
    free(arrivals->position);
    *arrivals = (pf_arrivals){0};
}

/* first[s] counts the moves to state s. It becomes the first arrival of a state with a row, and the end of those of another one. */
static void number_states(const pf_moves *moves, pf_arrivals *arrivals, bool *has_row) {
    uint32_t begin = 0;
    for (uint32_t state = 0; state < moves->states; state++) {
        const uint32_t count = arrivals->first[state];
        has_row[state] = count && count * (uint64_t)POSITIONS_OF_A_MOVE >= arrivals->row;
        arrivals->first[state] = has_row[state] ? begin : begin + count;
        begin += has_row[state] ? arrivals->row : count;
    }
    arrivals->first[moves->states] = begin;
}

/* From the last move on, so that those to one state are numbered in their order, and the first of them comes last. */
static void number_moves(const pf_moves *moves, pf_arrivals *arrivals, const bool *has_row) {
    for (uint32_t i = moves->first[moves->states]; i-- > 0;) {
        uint32_t *first = &arrivals->first[moves->to[i]];
        arrivals->of[i] = has_row[moves->to[i]] ? *first + moves->position[i] : --*first;
        arrivals->position[arrivals->of[i]] = moves->position[i];
    }
    for (uint32_t state = 0; state < moves->states; state++)
        for (uint32_t i = 0; has_row[state] && i < arrivals->row; i++) arrivals->position[arrivals->first[state] + i] = (uint16_t)i;
}

static pf_err make(const pf_moves *moves, pf_arrivals *arrivals, bool *has_row) {
    const uint32_t count = moves->first[moves->states];
    arrivals->row = (moves->n + PF_ARRIVAL_CHUNK - 1u) / PF_ARRIVAL_CHUNK * PF_ARRIVAL_CHUNK;
    arrivals->first = calloc(moves->states + (size_t)1, sizeof *arrivals->first);
    arrivals->of = malloc((count + (size_t)1) * sizeof *arrivals->of);
    if (!has_row || !arrivals->first || !arrivals->of) return pf_nomem();
    for (uint32_t i = 0; i < count; i++) arrivals->first[moves->to[i]]++;
    number_states(moves, arrivals, has_row);
    arrivals->position = malloc((arrivals->first[moves->states] + (size_t)1) * sizeof *arrivals->position);
    if (!arrivals->position) return pf_nomem();
    number_moves(moves, arrivals, has_row);
    return PF_OK;
}

pf_err pfi_arrivals_make(pf_moves *moves) {
    if (moves->first[moves->states] > MOST_MOVES)
        return pf_fail(PF_ELIMIT, "a table for searches has at most %u moves", MOST_MOVES);
    bool *has_row = calloc(moves->states, sizeof *has_row);
    pf_err err = make(moves, &moves->arrivals, has_row);
    if (err) pfi_arrivals_clear(&moves->arrivals);
    free(has_row);
    return err;
}
