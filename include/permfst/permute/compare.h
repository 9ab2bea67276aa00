/* Is one reordering space inside another? */
#ifndef PF_PERMUTE_COMPARE_H
#define PF_PERMUTE_COMPARE_H

#include <permfst/base/writer.h>
#include <permfst/permute/con.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t max_states; /* the most common states; 0: no limit */
    void (*progress)(void *self, uint64_t states); /* called now and then with the common states visited so far; may be NULL */
    void *self;
    bool (*expired)(void *self); /* asked now and then: is it to end (PF_ELIMIT)? NULL: nobody is asked */
} pf_compare_options;

/* Is every permutation of `first` in `second`? Both have the same length and no dead ends. If not, *inside = false, and
 * perm[0..n-1] is a permutation that is in `first` and not in `second`: one of those that `second` refuses at the earliest step.
 * Goes through both automata side by side, through the states that they reach together.
 * PF_ELIMIT, PF_ENOMEM. O(common states and their moves). */
pf_err pf_con_inside(const pf_con *first, const pf_con *second, const pf_compare_options *options, bool *inside, unsigned *perm);

/* Whether one space is inside another, and if not, the proof. */
typedef struct {
    bool inside;
    unsigned *only; /* the permutation only[0..n-1] is in the first and not in the second; NULL: it is inside */
    unsigned n;     /* its length */
} pf_space_proof;

/* Is the space of `first` at `length` positions inside that of `second`? If not, the proof is one of the least length:
 * shorter lengths are tried, but for those at which a specification makes no sense. *out is freed by pf_space_proof_free,
 * also after an error. PF_EARG: no such constraint; PF_ELIMIT; PF_ENOMEM. It costs pf_con_inside for each length. */
pf_err pf_space_inside(const char *first, const char *second, unsigned length, const pf_compare_options *options,
    pf_space_proof *out);
void pf_space_proof_free(pf_space_proof *proof);

/* Writes how two spaces are related, with a line for each permutation that is in one of them only: "A is inside B", ... Positions
 * count from 1. `inside` proves whether the first is inside the second, `other_way` the converse; NULL: that was not asked. The
 * errors of the writer. O(length). */
pf_err pf_space_relation_write(const char *first, const char *second, const pf_space_proof *inside,
                               const pf_space_proof *other_way, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
