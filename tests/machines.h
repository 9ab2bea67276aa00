/* Machines as they are stored, compared with one another. */
#ifndef MACHINES_H
#define MACHINES_H

#include <permfst/machine/fst.h>

/* The same labels, words and places; NULL is only NULL. */
void expect_same_table(const pf_symtab *one, const pf_symtab *other);

/* The same start, states, arcs and final weights, bit by bit; symbol tables are not compared. */
void expect_same_fst(pf_fst *one, pf_fst *other);

/* Is any weight of an arc or of an end below 0? */
bool some_negative(pf_fst *fst);

#endif
