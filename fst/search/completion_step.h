/* The innermost loops of completions: rows of arrivals (machine/moves.h). Private to the searches.
 *
 * What comes after an arrival costs the least, over the moves of its state, of what the move costs after the position visited
 * last, and of what comes after that; and a little less, so that it stays a bound in floats (completion_impl.h). O(arrivals x
 * moves), some eight additions at once. What is plain does the same without AVX2. */
#ifndef PF_SEARCH_COMPLETION_STEP_H
#define PF_SEARCH_COMPLETION_STEP_H

#include <permfst/machine/moves.h>

#include <stddef.h>

/* The moves of a state. */
typedef struct {
    uint32_t count;
    const uint16_t *position;
    const uint32_t *of;    /* the places of their costs in `then` */
    const float *then;     /* what a move itself costs, and all that comes after it */
} pfi_arrival_moves;

/* What full states cost that lead to a row (pfi_completion's `through`). */
typedef struct {
    const float *after; /* of each place: what its position costs after the last position of these */
    float on;           /* what it costs there to go on; INFINITY: nothing goes on */
    const float *next;  /* of each place: what it costs to get through after going on */
    float *to;          /* is filled, of each place */
} pfi_through;

/* Fills `width` places of a row, a multiple of PF_ARRIVAL_CHUNK. after[j * stride + k]: what position j costs after the position of
 * place k. INFINITY where there is no move. `through` may be NULL. */
void pfi_row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to);
void pfi_row_step_plain(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to);

/* Tables of a sentence, and of a space where no move costs anything. */
typedef struct {
    const pf_moves *moves;
    const float *after;      /* rows of `width` floats: of each position, what others cost after it */
    size_t width;
    const float *after_next; /* rows of `stride` floats: of each position, what it costs after others */
    size_t stride;
    float *cost, *through;   /* of each arrival */
} pfi_arrival_tables;

/* Fills all groups from group `begin` on. Those before it are filled. */
void pfi_fill_groups(const pfi_arrival_tables *tables, uint32_t begin);

#endif
