/* Is one reordering space inside another? */
#ifndef PF_PERMUTE_COMPARE_H
#define PF_PERMUTE_COMPARE_H

#include <permfst/permute/con.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t max_states; /* common states; 0: no limit */
    void (*progress)(void *self, uint64_t states); /* called now and then with the common states visited; NULL: not */
    void *self;
} pf_compare_options;

/* Is every permutation of `a` in `b`, of the same length? If not, *inside = false and p[0..n-1] is one that is in a and not
 * in b: of those that b refuses at the earliest step one. Walks both automata side by side through the states that they
 * reach together, as constraints have no dead ends.
 * PF_ELIMIT, PF_ENOMEM. O(common states and moves). */
pf_err pf_con_inside(const pf_con *a, const pf_con *b, const pf_compare_options *options, bool *inside, unsigned *p);

#ifdef __cplusplus
}
#endif
#endif
