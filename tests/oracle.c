/* The definitions as they stand in the papers, slowly: quantifiers are loops, and what a state allows is read off the
 * list of all members. */
#include "oracle.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long number;

static bool visited(const unsigned *p, unsigned t, unsigned j) {
    for (unsigned i = 0; i < t; i++)
        if (p[i] == j) return true;
    return false;
}

static unsigned first_uncovered(const unsigned *p, unsigned t) {
    unsigned u = 0;
    while (visited(p, t, u)) u++;
    return u;
}

static bool any(const unsigned *p, unsigned t, number l) {
    (void)l;
    return !visited(p, t, p[t]);
}

/* One of the first l uncovered positions: fewer than l of them lie before it (Berger 1996; Kanthak 2005, 4.2). */
static bool ibm(const unsigned *p, unsigned t, number l) {
    number before = 0;
    for (unsigned j = 0; j < p[t]; j++)
        if (!visited(p, t, j)) before++;
    return before < l;
}

/* Any position while fewer than l-1 after the first gap are covered, else the gap (Kanthak 2005, 4.3). */
static bool inverse_ibm(const unsigned *p, unsigned t, number l) {
    unsigned u = first_uncovered(p, t);
    number after = 0;
    for (unsigned i = 0; i < t; i++)
        if (p[i] > u) after++;
    return p[t] == u || after + 1 < l;
}

/* Within a window of l positions that begins at the first gap (Kanthak 2005, 4.4). */
static bool local(const unsigned *p, unsigned t, number l) { return p[t] < first_uncovered(p, t) + l; }

/* Contains neither 2413 nor 3142 (Wu 1997; Zens & Ney 2003, 2.1). */
static bool separable(const unsigned *p, unsigned n) {
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++)
            for (unsigned c = b + 1; c < n; c++) {
                bool low = p[c] < p[a] && p[a] < p[b], high = p[b] < p[a] && p[a] < p[c];
                if (!low && !high) continue;
                for (unsigned d = c + 1; d < n; d++) {
                    if (low && p[a] < p[d] && p[d] < p[b]) return false;  /* 2413 */
                    if (high && p[b] < p[d] && p[d] < p[a]) return false; /* 3142 */
                }
            }
    return true;
}

typedef struct {
    const char *name;
    int least; /* parameter, or -1 */
    bool (*step)(const unsigned *p, unsigned t, number l);
    bool (*whole)(const unsigned *p, unsigned n);
} definition;

static const definition definitions[] = {
    {"none", -1, any, NULL},          {"ibm", 1, ibm, NULL},        {"inverse-ibm", 1, inverse_ibm, NULL},
    {"local", 1, local, NULL},        {"itg", -1, any, separable},
};

static const definition *find(const char *spec) {
    size_t length = strcspn(spec, ":");
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        if (strlen(definitions[i].name) == length && !memcmp(definitions[i].name, spec, length)) return &definitions[i];
    fprintf(stderr, "tests/oracle.c has no definition of '%s'\n", spec);
    abort();
}

static number parameter(const char *spec) {
    const char *colon = strchr(spec, ':');
    return colon ? strtoull(colon + 1, NULL, 10) : 0;
}

int oracle_least(const char *name) { return find(name)->least; }

bool oracle_step(const char *spec, const unsigned *p, unsigned t) {
    return !visited(p, t, p[t]) && find(spec)->step(p, t, parameter(spec));
}

bool oracle_member(const char *spec, const unsigned *p, unsigned n) {
    const definition *def = find(spec);
    number l = parameter(spec);
    for (unsigned t = 0; t < n; t++)
        if (p[t] >= n || visited(p, t, p[t]) || !def->step(p, t, l)) return false;
    return !def->whole || def->whole(p, n);
}

void oracle_first(unsigned *p, unsigned n) {
    for (unsigned t = 0; t < n; t++) p[t] = t;
}

static void swap(unsigned *p, unsigned i, unsigned j) {
    unsigned x = p[i];
    p[i] = p[j];
    p[j] = x;
}

bool oracle_next(unsigned *p, unsigned n) {
    unsigned i = n, j = n;
    do
        if (i < 2) return false;
    while (i--, p[i - 1] > p[i]);
    while (p[j - 1] < p[i - 1]) j--;
    swap(p, i - 1, j - 1);
    for (unsigned k = n - 1; i < k; i++, k--) swap(p, i, k);
    return true;
}

void oracle_invert(const unsigned *p, unsigned n, unsigned *q) {
    for (unsigned t = 0; t < n; t++) q[p[t]] = t;
}

static void put(unsigned char *row, const unsigned *p, unsigned n) {
    for (unsigned t = 0; t < n; t++) row[t] = (unsigned char)p[t];
}

oracle_set oracle_all(const char *const *spec, size_t specs, unsigned n) {
    unsigned p[ORACLE_MAX];
    size_t most = 1;
    for (unsigned i = 2; i <= n; i++) most *= i;
    oracle_set set = {n, 0, n <= ORACLE_MAX ? malloc(most * (n ? n : 1)) : NULL};
    if (!set.at) abort();
    oracle_first(p, n);
    do {
        bool all = true;
        for (size_t i = 0; i < specs && all; i++) all = oracle_member(spec[i], p, n);
        if (all) put(set.at + set.count++ * n, p, n);
    } while (oracle_next(p, n));
    unsigned char *less = realloc(set.at, set.count * n + 1);
    if (less) set.at = less;
    return set;
}

/* The first member whose first t positions are not before those of p. */
static size_t lower(const oracle_set *set, const unsigned *p, unsigned t) {
    unsigned char key[ORACLE_MAX];
    size_t low = 0, high = set->count;
    put(key, p, t);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(set->at + middle * set->n, key, t) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool begins(const oracle_set *set, size_t i, const unsigned *p, unsigned t) {
    for (unsigned k = 0; k < t; k++)
        if (set->at[i * set->n + k] != p[k]) return false;
    return true;
}

size_t oracle_find(const oracle_set *set, const unsigned *p) {
    size_t i = lower(set, p, set->n);
    return i < set->count && begins(set, i, p, set->n) ? i : SIZE_MAX;
}

unsigned oracle_moves(const oracle_set *set, const unsigned *p, unsigned t, unsigned *next) {
    unsigned moves = 0;
    for (size_t i = lower(set, p, t); t < set->n && i < set->count && begins(set, i, p, t); i++) {
        unsigned j = set->at[i * set->n + t];
        if (!moves || next[moves - 1] != j) next[moves++] = j;
    }
    return moves;
}

/* Kanthak 2005, 4.6: where a prefix 0..t-1 is covered the next position gets a, the other moves share 1 - a; elsewhere
 * all moves are alike. */
static double monotone(const oracle_set *set, double a, const unsigned *p, unsigned t) {
    unsigned next[ORACLE_MAX], moves = oracle_moves(set, p, t, next);
    if (!moves) abort();
    if (moves == 1) return 0;
    if (first_uncovered(p, t) != t) return log(moves);
    if (next[0] != t) abort(); /* every constraint lets an order of a prefix go on monotonely */
    return p[t] == t ? -log(a) : -log((1 - a) / (moves - 1));
}

double oracle_move_cost(const oracle_set *set, const char *model, const unsigned *p, unsigned t) {
    if (!strncmp(model, "monotone:", 9)) return monotone(set, strtod(model + 9, NULL), p, t);
    fprintf(stderr, "tests/oracle.c has no definition of '%s'\n", model);
    abort();
}

double oracle_cost(const oracle_set *set, const char *model, const unsigned *p) {
    double cost = 0;
    for (unsigned t = 0; t < set->n; t++) cost += oracle_move_cost(set, model, p, t);
    return cost;
}
