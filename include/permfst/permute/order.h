/* A permutation as text: numbers separated by spaces and tabs. Each call is O(bytes). */
#ifndef PF_PERMUTE_ORDER_H
#define PF_PERMUTE_ORDER_H

#include <permfst/base/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    unsigned n;
    unsigned *order; /* the number at each place, from 0 */
    unsigned *place; /* the inverse: the place of each number */
} pf_visit_order;    /* all zero: of no positions */

/* Reads a NUL-ended line of the numbers base .. base + n - 1, each once. *out is freed by pf_visit_order_free, also after an
 * error. PF_EINPUT, without the line's place; PF_ENOMEM. O(bytes). */
pf_err pf_visit_order_read(const char *line, unsigned base, pf_visit_order *out);
void pf_visit_order_free(pf_visit_order *order);

/* Writes `length` numbers, from 0, as numbers from `base`, with a space between two and no line end. Errors of the
 * writer. */
pf_err pf_visit_order_write(pf_writer *writer, const unsigned *order, unsigned length, unsigned base);

#ifdef __cplusplus
}
#endif
#endif
