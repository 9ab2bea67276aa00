/* The innermost loops of completions: a row of arrivals, and a run of them (machine/moves.h). Private to the searches.
 *
 * What comes after an arrival costs the least, over the moves of its state, of what the move costs after the position visited
 * last, and of what comes after that; and a little less, so that it stays a bound in floats (completion_impl.h). O(arrivals x
 * moves), some eight additions at once. What is plain does the same without AVX2. */
#ifndef PF_SEARCH_COMPLETION_STEP_H
#define PF_SEARCH_COMPLETION_STEP_H

#include <permfst/machine/moves.h>

#include <stddef.h>

/* The moves of a state; of a run, those of its first state. */
typedef struct {
    uint32_t count;
    const uint16_t *position;
    const uint32_t *of;    /* the places of their costs in `then` */
    const float *then;     /* what a move itself costs, and all that comes after it */
    const pf_arrival_step *step; /* of a run: how positions and places go on, from one arrival to the next */
} pfi_arrival_moves;

/* Fills `width` places of a row, a multiple of PF_ARRIVAL_CHUNK. after[j * stride + k]: what position j costs after the position of
 * place k. INFINITY where there is no move. */
void pfi_row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, float *to);
void pfi_row_step_plain(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, float *to);

/* Fills the places of a run of `count` arrivals, two at least. after[j]: what position j costs after their last position. */
void pfi_run_step(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to);
void pfi_run_step_plain(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to);

/* Tables of a sentence, and of a space where no move costs anything. */
typedef struct {
    const pf_moves *moves;
    const float *after;      /* rows of `width` floats: of each position, what others cost after it */
    size_t width;
    const float *after_next; /* rows of `stride` floats: of each position, what it costs after others */
    size_t stride;
    float *cost;             /* of each arrival */
} pfi_arrival_tables;

/* Fills all groups before group `end`, from the last one on. Those from there on are filled. */
void pfi_fill_groups(const pfi_arrival_tables *tables, uint32_t end);

#endif
