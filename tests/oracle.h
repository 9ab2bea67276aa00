/* Brute force: the definitions of constraints and weights, taken literally, on all n! permutations of a short sentence.
 *
 * Nothing here includes or calls the library, so an error has to be made twice, in different words, to go unseen. A
 * permutation p[0..n-1] lists the source positions 0..n-1 in the order in which they are visited. */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    ORACLE_MAX = 10,     /* positions of a sentence whose permutations are enumerated */
    ORACLE_LONGEST = 200 /* positions of any permutation */
};

/* A constraint's least parameter, or -1 when it takes none of that kind. Aborts on a name that is not defined here. */
int oracle_least(const char *name);

/* Does a specification ("ibm:3", "inverse:(local:3|mj:2)+itg - ibm:2") admit p? O(n^3) a name; itg O(n^4), less
 * where few pairs are inverted; itg-span exponential. */
bool oracle_member(const char *spec, const unsigned *perm, unsigned n);

/* For one constraint that is defined move by move: may p[t] follow p[0..t-1]? O(n t). Aborts on the others. */
bool oracle_step(const char *spec, const unsigned *perm, unsigned t);

/* The identity; then the next permutation in lexicographic order, false after the last. */
void oracle_first(unsigned *perm, unsigned n);
bool oracle_next(unsigned *perm, unsigned n);

/* q[p[t]] = t. */
void oracle_invert(const unsigned *perm, unsigned n, unsigned *q);

/* Permutations in lexicographic order, n bytes each. */
typedef struct {
    unsigned n;
    size_t count;
    unsigned char *at; /* of malloc, the caller's */
} oracle_set;

/* The permutations that all `specs` specifications admit. O(n!). */
oracle_set oracle_all(const char *const *spec, size_t specs, unsigned n);

/* The place of p in the set, or SIZE_MAX. */
size_t oracle_find(const oracle_set *set, const unsigned *perm);

/* The positions that come after p[0..t-1] in the members that begin so: ascending, in next[], and their number. */
unsigned oracle_moves(const oracle_set *set, const unsigned *perm, unsigned t, unsigned *next);

/* The cost of the move to p[t] after p[0..t-1] by a weight model ("monotone:0.7"), and of all moves of the member p.
 * `table` has the rows of costs of a model that needs them, else it is not looked at. */
double oracle_move_cost(const oracle_set *set, const char *model, const double *table, const unsigned *perm, unsigned t);
double oracle_cost(const oracle_set *set, const char *model, const double *table, const unsigned *perm);

#endif
