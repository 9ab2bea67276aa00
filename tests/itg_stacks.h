/* The constraint itg with the stacks of a shift-reduce parser for states: many stacks have the same future. It is simple
 * and says which moves are allowed, so the canonical states of the library are held against it. */
#ifndef TESTS_ITG_STACKS_H
#define TESTS_ITG_STACKS_H

#include <permfst/permute/con.h>

/* Of the caller; freed by pf_con_free. */
pf_con *itg_stacks(unsigned n);

#endif
