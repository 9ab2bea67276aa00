/* Pictures of an order: which words moved, and where to.
 *
 * The words that moved are those outside a longest ascending part of the order. Moved words that stood side by side, and
 * still do, are a block: "where can i [park] my car ?  6->4". Pictures are O(n log n + bytes). */
#ifndef PF_DRAW_ORDER_H
#define PF_DRAW_ORDER_H

#include <permfst/base/writer.h>
#include <permfst/machine/answer.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which words moved: those that are not in a longest part of the order that ascends, the first such part. moved[place] is of the
 * word perm[place]. O(n log n). PF_ENOMEM. */
pf_err pf_order_moved(const unsigned *perm, unsigned n, bool *moved);

/* A path of a permutation automaton, as its pictures show it. */
typedef struct {
    unsigned n;
    unsigned *order;   /* the position visited at each step, from 0 */
    unsigned *step;    /* the inverse: when each position is visited */
    unsigned *block;   /* of each step: from 1; 0: the word did not move */
    unsigned blocks;
    pf_writer *text;   /* in memory: the output words of each step, with spaces between them; those of step t are */
    size_t *begin;     /* the bytes begin[t] .. begin[t+1]-1 */
} pf_order_shown;      /* all zero: there are no words */

/* The path of rank `rank`, from 0. Words are numbers with `numeric`. *out is freed by pf_order_shown_free, also after an error.
 * PF_EINPUT: the input labels are not the positions 1..n, each once. PF_ENOMEM. O(n log n). */
pf_err pf_order_show(const pf_answer *answer, size_t rank, bool numeric, pf_order_shown *out);
void pf_order_shown_free(pf_order_shown *shown);

/* The words of a step: borrowed. */
const char *pf_order_words(const pf_order_shown *shown, unsigned step, size_t *length);

/* The words in their new order, with the blocks in brackets; then two spaces and where each came from and went to, or "unchanged".
 * Brackets and backslashes of words get a backslash. With `colours`, escape sequences of a terminal make blocks bold and coloured.
 * No line end. Errors as pf_order_show, and of the writer. */
pf_err pf_draw_diff(pf_writer *writer, const pf_answer *answer, size_t rank, bool numeric, bool colours);

/* SVG: the sentence above, its new order below, and a line from each word to itself. The lines and words of blocks have colours,
 * and are bold and dashed. Errors as before. */
pf_err pf_draw_order(pf_writer *writer, const pf_answer *answer, size_t rank, bool numeric);

#ifdef __cplusplus
}
#endif
#endif
