/* What was said last: by it, units that say nothing are told apart. Private to the searches.
 *
 * In translation a unit may say nothing to a model of target words. What that model says of the next unit depends on what was said
 * before the silent one. A coarse model that knows only the last unit would take the least over all that the sentence can say, at
 * each silent unit anew. So a silent unit has a copy for each class of what was said last: a class is the position whose unit said
 * it, or the start. The model tells classes by its histories: one has the class of the first unit that is seen to lead to it.
 * Units of other positions may lead to it, too; it is enough that each history has one class, and that each unit knows to which
 * classes it leads. */
#ifndef PF_SEARCH_SAID_H
#define PF_SEARCH_SAID_H

#include <permfst/base/err.h>
#include <permfst/base/vec.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PFI_SILENT UINT32_MAX /* the class of a unit that says nothing */

typedef struct {
    unsigned classes;          /* 0: units are not told apart, and each has one copy. The last one is that of the start */
    size_t model;              /* the one that silent units say nothing to */
    unsigned units, words;     /* words of a set of classes */
    uint32_t *of_unit;         /* of each unit: its class */
    uint64_t *leads_to;        /* of each unit, and of the start: a set of the classes of the histories that it may lead to */
    PF_VEC(uint32_t) of_history; /* of each history of the model (backoff.h): its class; PFI_SILENT: nothing leads to it */
    uint32_t copies;           /* of all units: those of a silent one stand together, by class */
    uint32_t *unit;            /* of each copy; and of the start, which comes after all copies: the number of units */
    uint32_t *of_copy;         /* of each copy of a silent unit: its class; else, and of the start, PFI_SILENT */
    uint32_t *first;           /* of each unit: its first copy */
    uint32_t *silent;          /* the units that have several copies, in order; and their end: the number of units */
    uint32_t *place;           /* of each position: its first copy; and the end */
} pfi_said;

/* Makes classes, where some unit is silent, and copies: `positions` positions have the units place[p] .. place[p + 1] - 1. Where
 * there would be more copies than `most`, there are no classes. What histories and units lead to is left empty. O(copies).
 * PF_ENOMEM, when pfi_said_free is still to be called. */
pf_err pfi_said_init(pfi_said *said, unsigned positions, const uint32_t *place, const bool *silent, size_t most);
void pfi_said_free(pfi_said *said);

/* Does a unit, or the start, have a copy for each class? */
static inline bool pfi_is_told_apart(const pfi_said *said, uint32_t unit) {
    return said->classes && unit < said->units && said->of_unit[unit] == PFI_SILENT;
}

/* The class of what was said last in a history of the model; PFI_SILENT: no unit leads to it. O(1). */
static inline uint32_t pfi_said_in(const pfi_said *said, uint32_t history) {
    return history < said->of_history.n ? said->of_history.at[history] : PFI_SILENT;
}

#endif
