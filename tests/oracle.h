/* Brute force: the definitions of constraints and weights, taken literally, on all n! permutations of a short sentence.
 *
 * Nothing here includes or calls the library, so an error has to be made twice, in different words, to go unseen. A
 * permutation p[0..n-1] lists the source positions 0..n-1 in the order in which they are visited. */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

enum { ORACLE_MAX = 10 }; /* positions of a sentence whose permutations are enumerated */

/* A constraint's least parameter, or -1 when it takes none. Aborts on a name that is not defined here. */
int oracle_least(const char *name);

/* Does the definition of one constraint ("ibm:3") admit p? O(n^3); itg O(n^4), less where few pairs are inverted. */
bool oracle_member(const char *spec, const unsigned *p, unsigned n);

/* For the constraints that are defined move by move (all but itg): may p[t] follow p[0..t-1]? O(n t). */
bool oracle_step(const char *spec, const unsigned *p, unsigned t);

/* The identity; then the next permutation in lexicographic order, false after the last. */
void oracle_first(unsigned *p, unsigned n);
bool oracle_next(unsigned *p, unsigned n);

/* q[p[t]] = t. */
void oracle_invert(const unsigned *p, unsigned n, unsigned *q);

/* Permutations in lexicographic order, n bytes each. */
typedef struct {
    unsigned n;
    size_t count;
    unsigned char *at; /* of malloc, the caller's */
} oracle_set;

/* The permutations that all `specs` specifications admit. O(n!). */
oracle_set oracle_all(const char *const *spec, size_t specs, unsigned n);

/* The place of p in the set, or SIZE_MAX. */
size_t oracle_find(const oracle_set *set, const unsigned *p);

/* The positions that come after p[0..t-1] in the members that begin so: ascending, in next[], and their number. */
unsigned oracle_moves(const oracle_set *set, const unsigned *p, unsigned t, unsigned *next);

/* The cost of the move to p[t] after p[0..t-1] by a weight model ("monotone:0.7"), and of all moves of the member p. */
double oracle_move_cost(const oracle_set *set, const char *model, const unsigned *p, unsigned t);
double oracle_cost(const oracle_set *set, const char *model, const unsigned *p);

#endif
