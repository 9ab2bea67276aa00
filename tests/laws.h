/* What the law tests share: the cases that they try, machines, and walks through them. */
#ifndef TESTS_LAWS_H
#define TESTS_LAWS_H

#include "check.h"
#include "oracle.h"

#include <permfst/base/vec.h>
#include <permfst/machine/fst.h>
#include <permfst/permute/con.h>
#include <permfst/permute/perm.h>
#include <permfst/permute/wm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 7, LONG = 200, NAME = 160, SPEC = 96 };

/* ---- Specifications. */

typedef struct {
    char text[SPEC];
} spec_text;
typedef PF_VEC(spec_text) spec_list;

/* Every entry of the table of constraints: the least four parameters and one without effect, or where `few` two that have
 * one; those with positions, some that fit n. The caller frees the vector. */
spec_list single_specs(unsigned n, bool few);

/* The range that a zone or a unit takes, or what a wall binds and where it stands: positions from 1. */
bool is_zone(const char *spec, unsigned *first, unsigned *last);
bool is_wall(const char *spec, unsigned n, unsigned *at, unsigned *first, unsigned *last);

/* Do two zones cross? Does a wall bind positions inside a zone and outside, on both sides of itself or in part? */
bool cross(const char *a, const char *b);
bool cuts(const char *a, const char *b, unsigned n);

/* ---- Cases: a conjunction of constraints, a length, and the members by definition. */

typedef struct {
    char spec[3][SPEC];
    const char *con[3];
    size_t cons;
    unsigned n;
    oracle_set set;
    char name[NAME];
} instance;

/* Of the caller, who frees set.at and does not move the instance. */
void instance_init(instance *k, unsigned n, const char *a, const char *b, const char *c);

typedef struct {
    instance *at;
    size_t n, cap;
} instances;
extern instances cases;

/* Appends a case to `cases`; settle_cases() when there are no more to come. */
void add_case(unsigned n, const char *a, const char *b, const char *c);
void settle_cases(void);

/* The set up and the end of a group of tests: all singles, all pairs up to six words, triples and combinations, or singles
 * and combinations only. */
int make_cases(void **state);
int make_few_cases(void **state);
int drop_cases(void **state);

/* Specifications with operators, which leave something at n words. NULL past the last. */
const char *combination(size_t i, unsigned n);

/* ---- Machines. */

enum { PLAIN, ALTERNATIVES };

/* Alternative k of slot j: its word and its own cost. The first slot has one, the next two, three, one, ... Slot 1 may
 * print nothing, slot 2 has one word twice. */
unsigned alternatives(int kind, unsigned j);
pf_label word(int kind, unsigned j, unsigned k);
float own_cost(int kind, unsigned j, unsigned k);
float own_final(int kind);

pf_fst *slots(int kind, unsigned n);

/* The costs for a weight model with a table, which live as long as the test. */
const double *table_for(const char *wm, unsigned n);
pf_weight weight_for(const char *wm, unsigned n);

pf_fst *lazy(int kind, unsigned n, const char *const *con, size_t cons, const char *const *wm, size_t wms);
pf_fst *lazy_case(const instance *given, int kind, const char *wm);
pf_fst *lazy_one(unsigned n, const char *con);

/* Constraints made one by one and then conjoined. */
pf_con *con_of(const char *const *spec, size_t specs, unsigned n);

uint32_t dice(uint32_t *seed, uint32_t sides);

/* A random permutation of n positions. */
void shuffle(unsigned *perm, unsigned n, uint32_t *seed);

/* Expands all that is reachable and returns the number of states; ids are dense, in order first seen. */
enum order { BREADTH, DEPTH, RANDOM };
uint32_t expand(pf_fst *fst, enum order order);

/* Paths from the start to a final state. The machine is expanded breadth-first, so arcs lead to larger ids. */
double count_paths(pf_fst *fst, uint32_t states);
double built_paths(const char *con, unsigned n);

uint32_t count_finals(pf_fst *fst, uint32_t states);

/* The number of states with different futures: of the minimal machine. `class` (may be NULL) gets a number for each. */
uint32_t futures(pf_fst *fst, uint32_t states, uint32_t *class);

/* ---- The laws that several files hold machines to. */

/* The paths are the members, each once, and cost what the oracle says of the sum of `wms` weight models. */
void check_paths(const instance *given, const char *const *wm, size_t wms);

/* Live and layered; final where all is covered. */
void check_shape(const instance *given, pf_fst *fst);

/* The contracts of con.h, on every prefix of every member. */
void check_contracts(const instance *given, const pf_con *con);

#endif
