/* Histories of a sentence, and what one model says after each: the tables of potentials. Private to the searches.
 *
 * A history is a kind of rows, after a position. Rows to which one word leads after one position are of one kind: so it is known
 * which kind a word leads to, whatever came before. In a trigram model each row is a kind. O(placed rows x words); 4 bytes for each
 * history and word. */
#ifndef PF_SEARCH_HISTORIES_H
#define PF_SEARCH_HISTORIES_H

#include "search/rows.h"

#include <permfst/base/arena.h>

struct pf_con;

/* A row, and a position after which it is possible; the length: the start. */
typedef struct {
    uint32_t row;
    unsigned last;
    unsigned before; /* where only one position can have come before `last`, that one; else none */
} pfi_placed_row;

/* A word that may come next: an alternative of a position. */
typedef struct {
    uint32_t column, alternative;
    unsigned position;
} pfi_next_word;

/* Can a word come next after a placed row? No position is visited twice. */
static inline bool pfi_can_come(const pfi_next_word *next, const pfi_placed_row *from) { return next->position != from->before; }

#define PFI_NO_ROW UINT32_MAX

/* What one model says of a sentence. */
typedef struct {
    const pfi_rows *rows;
    const pf_slots_view *slots;
    const double *own;           /* what each alternative costs by itself */
    const struct pf_con *space;
    const uint32_t *first;       /* of each position, and of the start: where the words that may come next begin; and the end */
    const pfi_next_word *next;
    const uint32_t *leads;       /* of each of these: a row that it leads to; PFI_NO_ROW */
    bool mixed;                  /* one of them leads to several rows */
    const pfi_placed_row *placed; /* each once; their rows are filled. The first one is the start, row 0 */
    size_t count;
    unsigned rounds;              /* in which potentials are looked for */
} pfi_placed_model;

typedef struct {
    unsigned length;     /* positions */
    uint32_t words;      /* alternatives of all positions */
    size_t stride;       /* the words, made a multiple of PFI_CHUNK */
    uint32_t rows, kinds;
    uint32_t *kind;      /* of each row. Kind 0 is that of row 0, and of rows that are not placed */
    uint32_t *leads;     /* of each next word of the model: the kind that it leads to */
    uint32_t *first;     /* of each position, and of the start: its first history; and the end */
    uint32_t *kind_of;   /* of each history */
    float *cost;         /* of each history a row of `stride`: the least cost of each word; INFINITY where it cannot come next */
    float *end;          /* of each history: of the end */
    uint16_t *position;  /* of each word */
    pf_arena memory;
} pfi_histories;

/* Borrows the model only while it is made. PF_ENOMEM, when pfi_histories_free is still to be called. */
pf_err pfi_histories_init(pfi_histories *histories, const pfi_placed_model *model);
void pfi_histories_free(pfi_histories *histories);

#endif
