/* Labels that a model is asked for again and again, those of a sentence, each found in O(1). */
#ifndef PF_MODEL_LABEL_SET_H
#define PF_MODEL_LABEL_SET_H

#include <permfst/base/err.h>
#include <permfst/machine/symtab.h>

#include <stdbool.h>
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
    pf_label *at;        /* strictly ascending */
    unsigned shift;      /* a hash of 32 bits, shifted right by so many, is the number of a slot */
    pf_label_slot *slot; /* open addressing; three of four are empty, unless there are more than 2^29 labels */
} pf_label_set;

/* A set of `count` labels above PF_EPSILON, in any order and perhaps repeated, of which it takes a copy. The caller frees it, also
 * after an error. What is all zero is an empty set. O(count) if they ascend strictly; else O(count log count). PF_ENOMEM;
 * PF_ELIMIT: there are 2^31 or more. */
pf_err pf_label_set_init(pf_label_set *set, const pf_label *labels, unsigned count);
void pf_label_set_free(pf_label_set *set); /* leaves what is all zero */

/* Where a label is looked for first, and next. Labels of a sentence often follow one another, so they are spread. */
static inline uint32_t pf_label_set_first(const pf_label_set *set, pf_label label) {
    return (uint32_t)label * UINT32_C(0x9e3779b1) >> set->shift;
}
static inline uint32_t pf_label_set_next(const pf_label_set *set, uint32_t at) { return (at + 1) & UINT32_MAX >> set->shift; }

/* *place becomes that of a label, if it is there. */
static inline bool pf_label_set_find(const pf_label_set *set, pf_label label, unsigned *place) {
    if (!set->n) return false;
    uint32_t at = pf_label_set_first(set, label);
    for (; set->slot[at].label != label; at = pf_label_set_next(set, at))
        if (!set->slot[at].label) return false;
    *place = set->slot[at].place;
    return true;
}

#ifdef __cplusplus
}
#endif
#endif
