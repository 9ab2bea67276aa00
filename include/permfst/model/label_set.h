/* Labels that a model is asked for again and again, those of a sentence, each found in O(1). */
#ifndef PF_MODEL_LABEL_SET_H
#define PF_MODEL_LABEL_SET_H

#include <permfst/base/err.h>
#include <permfst/machine/symtab.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_label label; /* PF_EPSILON: the slot is empty */
    uint32_t place; /* among the labels */
} pf_label_slot;

typedef struct {
    unsigned n;
    pf_label *at;        /* strictly ascending, above PF_EPSILON */
    size_t last_slot;    /* there are so many and one, a power of two: one of four is taken at most */
    pf_label_slot *slot; /* open addressing: labels modulo the number of slots */
} pf_label_set;

/* A set of `count` labels, strictly ascending, of which it takes a copy. The caller frees it, also after an error. What is all zero
 * is an empty set. O(count). PF_ENOMEM. */
pf_err pf_label_set_init(pf_label_set *set, const pf_label *labels, unsigned count);
void pf_label_set_free(pf_label_set *set); /* leaves what is all zero */

/* *place becomes that of a label, if it is there. */
static inline bool pf_label_set_find(const pf_label_set *set, pf_label label, unsigned *place) {
    if (!set->n) return false;
    size_t at = (size_t)label & set->last_slot;
    for (; set->slot[at].label != label; at = (at + 1) & set->last_slot)
        if (!set->slot[at].label) return false;
    *place = set->slot[at].place;
    return true;
}

#ifdef __cplusplus
}
#endif
#endif
