/* Potentials in searches that would do without. For tests that have included cmocka. */
#ifndef TESTS_POTENTIALS_H
#define TESTS_POTENTIALS_H

#include "search/levels.h"

/* Makes what a search knows again, with potentials of so many rounds even where they do not pay. */
static inline void make_potentials(pfi_levels *all, unsigned rounds) {
    const pfi_bound_wish wish = {.potentials = rounds};
    pfi_completion_free(&all->completion);
    pfi_bound_free(&all->bound);
    assert_int_equal(pfi_bound_init(&all->bound, &all->rows, all->automaton, all->moves, &wish), PF_OK);
    assert_int_equal(pfi_completion_init(&all->completion, all->moves, &all->bound, &all->rows, &all->slots, false, NULL), PF_OK);
}

#endif
