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

/* abs(p - (q+1)) <= d, q the position visited last: Moses' limit for single words, without its look-ahead. */
static bool jump(const unsigned *p, unsigned t, number d) {
    long long q = t ? (long long)p[t - 1] : -1;
    return (number)llabs((long long)p[t] - (q + 1)) <= d;
}

/* And, if p is not the first gap u, also p+1-u <= d. */
static bool distortion(const unsigned *p, unsigned t, number d) {
    unsigned u = first_uncovered(p, t);
    return jump(p, t, d) && (p[t] == u || p[t] + 1 - u <= d);
}

/* abs(p - t) <= d. */
static bool displacement(const unsigned *p, unsigned t, number d) {
    return (number)llabs((long long)p[t] - (long long)t) <= d;
}

/* p_t > max(p_1 .. p_(t-l)): the inverses of local:l. */
static bool inverse_local(const unsigned *p, unsigned t, number l) {
    for (unsigned i = 0; i + l <= t; i++)
        if (p[i] > p[t]) return false;
    return true;
}

/* Contains neither 2413 nor 3142 (Wu 1997; Zens & Ney 2003, 2.1). */
static bool separable(const unsigned *p, unsigned n, const number *v) {
    (void)v;
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

/* Are p[i..j-1] the positions i..j-1? */
static bool onto_itself(const unsigned *p, unsigned i, unsigned j) {
    for (unsigned t = i; t < j; t++)
        if (p[t] < i || p[t] >= j) return false;
    return true;
}

/* p splits into ranges of at most k+1 positions, each mapped onto itself (Kumar & Byrne 2005). */
static bool mj(const unsigned *p, unsigned n, const number *v) {
    bool splits[ORACLE_LONGEST + 1] = {true}; /* the first so many */
    if (n > ORACLE_LONGEST) abort();
    for (unsigned end = 1; end <= n; end++)
        for (unsigned begin = 0; begin < end && !splits[end]; begin++)
            splits[end] = splits[begin] && end - begin <= v[0] + 1 && onto_itself(p, begin, end);
    return splits[n];
}

/* Every one of p[i..m-1] is less than every one of p[m..j-1]; inverted: greater. */
static bool apart(const unsigned *p, unsigned i, unsigned m, unsigned j, bool inverted) {
    for (unsigned a = i; a < m; a++)
        for (unsigned b = m; b < j; b++)
            if ((p[a] > p[b]) != inverted) return false;
    return true;
}

/* Is there a binary tree over p[i..j-1] whose inverted nodes span at most s positions (Dreyer 2007, 3.2)? */
static bool tree(const unsigned *p, unsigned i, unsigned j, number s) {
    if (j - i <= 1) return true;
    for (unsigned m = i + 1; m < j; m++) {
        bool node = apart(p, i, m, j, false) || (apart(p, i, m, j, true) && j - i <= s);
        if (node && tree(p, i, m, s) && tree(p, m, j, s)) return true;
    }
    return false;
}

static bool itg_span(const unsigned *p, unsigned n, const number *v) { return tree(p, 0, n, v[0]); }

/* A wall after v[0] that binds v[1]..v[2]: the positions up to it are visited before those after it. Positions from 1. */
static bool wall(const unsigned *p, unsigned n, const number *v) {
    number begin = v[2] ? v[1] : 1, end = v[2] ? v[2] : n;
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++) {
            number early = p[a] + 1, late = p[b] + 1;
            if (late >= begin && late <= v[0] && early > v[0] && early <= end) return false;
        }
    return true;
}

/* Once entered, a zone v[0]..v[1] is finished before any position outside is visited. */
static bool zone(const unsigned *p, unsigned n, const number *v) {
    number left = v[1] - v[0] + 1, all = left;
    for (unsigned t = 0; t < n; t++) {
        bool inside = p[t] + 1 >= v[0] && p[t] + 1 <= v[1];
        if (!inside && left && left < all) return false;
        left -= inside;
    }
    return true;
}

/* A zone that is monotone inside. */
static bool unit(const unsigned *p, unsigned n, const number *v) {
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++)
            if (p[b] + 1 >= v[0] && p[b] < p[a] && p[a] + 1 <= v[1]) return false;
    return zone(p, n, v);
}

/* ---- trees ---- */

/* Word j's entry: "^" a mark, "=J" of the unit of word J, else its head. unit[j]: the first word of its unit; a mark belongs to the
 * word before it, but at the ends of the sentence to none (n). head[j], of a first word: the first word of its head's unit, or
 * n. */
typedef struct {
    unsigned n, unit[ORACLE_LONGEST], head[ORACLE_LONGEST];
    bool mark[ORACLE_LONGEST], limited;
} oracle_tree;

static oracle_tree read_tree(const char **at, unsigned n) {
    oracle_tree t = {.n = n};
    unsigned head[ORACLE_LONGEST], last = n;
    for (unsigned j = 0; j < n; j++) {
        char *end = (char *)*at + 1;
        t.mark[j] = **at == '^';
        bool same = **at == '=';
        head[j] = t.mark[j] ? 0 : (unsigned)strtoul(*at + same, &end, 10);
        t.unit[j] = same ? t.unit[head[j] - 1] : t.mark[j] ? n : j;
        if (same) head[j] = 0;
        if (!t.mark[j]) last = j;
        *at = end + (*end == ',');
    }
    for (unsigned j = 0; j < n; j++) t.head[j] = head[j] ? t.unit[head[j] - 1] : n;
    for (unsigned j = 1; j < n && last < n; j++)
        if (t.mark[j] && j < last) t.unit[j] = t.unit[j - 1];
    t.limited = !strncmp(*at, "limited", 7);
    if (t.limited) *at += 7;
    return t;
}

static bool belongs(const oracle_tree *t, unsigned j, unsigned v) {
    unsigned at = t->unit[j];
    while (at < t->n && at != v) at = t->head[at];
    return at < t->n;
}

/* The part of v's constituent that word j is in: v itself for its unit, else a child of v (of the top, where v is n). */
static unsigned part_of(const oracle_tree *t, unsigned j, unsigned v) {
    unsigned at = t->unit[j];
    while (at < t->n && at != v && t->head[at] != v) at = t->head[at];
    return at;
}

/* How many words, without marks, are in a part of v. */
static unsigned words_of(const oracle_tree *t, unsigned part, unsigned v) {
    unsigned words = 0;
    for (unsigned j = 0; j < t->n; j++) words += !t->mark[j] && part_of(t, j, v) == part;
    return words;
}

/* Is nothing that is not of a kind visited between two of that kind? And do the two ascend, where they must? */
static bool in_tree(const oracle_tree *t, const unsigned *p) {
    for (unsigned j = 0; j < t->n; j++)
        if (t->unit[j] == t->n && p[j] != j) return false;
    for (unsigned a = 0; a < t->n; a++)
        for (unsigned b = a + 1; b < t->n; b++) {
            unsigned x = p[a], y = p[b];
            if (t->unit[x] == t->n || t->unit[y] == t->n) continue;
            if (t->unit[x] == t->unit[y] && x > y) return false;
            for (unsigned c = a + 1; c < b; c++) {
                if (t->unit[x] == t->unit[y] && t->unit[p[c]] != t->unit[x]) return false;
                for (unsigned v = 0; v < t->n; v++)
                    if (t->unit[v] == v && belongs(t, x, v) && belongs(t, y, v) && !belongs(t, p[c], v)) return false;
            }
            for (unsigned v = 0; v <= t->n; v++) {
                if (v < t->n && (t->unit[v] != v || !belongs(t, x, v) || !belongs(t, y, v))) continue;
                unsigned one = part_of(t, x, v), other = part_of(t, y, v);
                bool keep = v == t->n || (t->limited && words_of(t, one, v) > 1 && words_of(t, other, v) > 1);
                if (keep && one > other) return false;
            }
        }
    return true;
}

typedef struct {
    const char *name;
    int least; /* parameter, or -1 */
    bool (*step)(const unsigned *p, unsigned t, number l);
    bool (*whole)(const unsigned *p, unsigned n, const number *v);
} definition;

static const definition definitions[] = {
    {"none", -1, any, NULL},
    {"ibm", 1, ibm, NULL},
    {"inverse-ibm", 1, inverse_ibm, NULL},
    {"local", 1, local, NULL},
    {"inverse-local", 1, inverse_local, NULL},
    {"mj", 0, NULL, mj},
    {"displacement", 0, displacement, NULL},
    {"distortion", 0, distortion, NULL},
    {"jump", 0, jump, NULL},
    {"itg", -1, NULL, separable},
    {"itg-span", 1, NULL, itg_span},
    {"wall", -1, NULL, wall},
    {"zone", -1, NULL, zone},
    {"unit", -1, NULL, unit},
    {"tree", -1, NULL, NULL}, /* see one() */
};

static const definition *named(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        if (strlen(definitions[i].name) == length && !memcmp(definitions[i].name, name, length)) return &definitions[i];
    return NULL;
}

/* A name and its numbers, from *at, which then stands after them. As a name may be followed by a difference, hyphens are given
 * back until it is one. */
static const definition *read_name(const char **at, number *v) {
    size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyz-");
    const definition *def;
    while (!(def = named(*at, length)))
        if (length-- == 0) {
            fprintf(stderr, "tests/oracle.c has no definition of '%s'\n", *at);
            abort();
        }
    *at += length;
    for (unsigned i = 0; i < 3 && **at == (i ? ',' : ':'); i++) {
        char *end;
        v[i] = strtoull(*at + 1, &end, 10);
        *at = end;
    }
    return def;
}

static bool admits(const definition *def, const unsigned *p, unsigned n, const number *v) {
    for (unsigned t = 0; t < n; t++)
        if (p[t] >= n || visited(p, t, p[t]) || (def->step && !def->step(p, t, v[0]))) return false;
    return !def->whole || def->whole(p, n, v);
}

/* Specifications: sums of parts are intersections, and bind closer than unions and differences. */
typedef struct {
    const char *at;
    const unsigned *p;
    unsigned n;
} reading;

static bool any_of(reading *r);

/* Takes the character if it comes next, after blanks. */
static bool takes(reading *r, char c) {
    r->at += strspn(r->at, " \t");
    if (*r->at != c) return false;
    r->at++;
    r->at += strspn(r->at, " \t");
    return true;
}

/* Does the constraint admit the inverse of p? */
static bool inverted(reading *r) {
    const unsigned *p = r->p;
    unsigned q[ORACLE_LONGEST];
    if (r->n > ORACLE_LONGEST) abort();
    oracle_invert(p, r->n, q);
    r->p = q;
    bool in = any_of(r);
    r->p = p;
    return in;
}

static bool one(reading *r) {
    number v[3] = {0};
    r->at += strspn(r->at, " \t");
    if (takes(r, '(')) {
        bool in = any_of(r);
        if (!takes(r, ')')) abort();
        return in;
    }
    if (!strncmp(r->at, "inverse:", 8)) { /* of one part only */
        char part[128];
        const char *begin = r->at += 8;
        reading skip = *r;
        one(&skip);
        snprintf(part, sizeof part, "%.*s", (int)(skip.at - begin), begin);
        reading inner = {part, r->p, r->n};
        r->at = skip.at;
        return inverted(&inner);
    }
    if (!strncmp(r->at, "tree:", 5)) {
        r->at += 5;
        oracle_tree t = read_tree(&r->at, r->n);
        return in_tree(&t, r->p);
    }
    const definition *def = read_name(&r->at, v);
    return admits(def, r->p, r->n, v);
}

static bool all_of(reading *r) {
    bool in = one(r);
    while (takes(r, '+')) in = one(r) && in;
    return in;
}

static bool any_of(reading *r) {
    bool in = all_of(r);
    for (;;)
        if (takes(r, '|')) in = all_of(r) || in;
        else if (takes(r, '-')) in = !all_of(r) && in;
        else return in;
}

bool oracle_member(const char *spec, const unsigned *p, unsigned n) {
    reading r = {spec, p, n};
    bool in = any_of(&r);
    if (*r.at) {
        fprintf(stderr, "tests/oracle.c does not understand '%s' in '%s'\n", r.at, spec);
        abort();
    }
    return in;
}

int oracle_least(const char *name) {
    number v[3];
    return read_name(&name, v)->least;
}

bool oracle_step(const char *spec, const unsigned *p, unsigned t) {
    number v[3] = {0};
    const definition *def = read_name(&spec, v);
    if (!def->step) abort();
    return !visited(p, t, p[t]) && def->step(p, t, v[0]);
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

/* The first member whose first t positions do not sort before those of p. */
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

/* Kanthak 2005, 4.6: where a prefix 0..t-1 is covered the next position gets a, the other moves share 1 - a; elsewhere,
 * and where a difference has taken the next position out, all moves are alike. */
static double monotone(const oracle_set *set, double a, const unsigned *p, unsigned t) {
    unsigned next[ORACLE_MAX], moves = oracle_moves(set, p, t, next);
    if (!moves) abort();
    if (moves == 1) return 0;
    if (first_uncovered(p, t) != t || next[0] != t) return log(moves);
    return p[t] == t ? -log(a) : -log((1 - a) / (moves - 1));
}

/* How far p[t] is from where the last position leads, abs(p - (q+1)). */
static double distance(const unsigned *p, unsigned t) { return fabs((double)p[t] - (t ? p[t - 1] + 1.0 : 0)); }

/* Moore & Quirk 2007, for single words. The prefix is what is covered before the first gap. */
static double early_distance(const unsigned *p, unsigned t) {
    int gap = (int)first_uncovered(p, t), last = t ? (int)p[t - 1] : -1, here = (int)p[t];
    if (here == gap) return 0;                         /* next to the prefix */
    if (here < last) return 2;                         /* left of the last one: twice the one word */
    if (last < gap) return 2 * (here - gap + 1);       /* the last one is inside the prefix */
    return 2 * (here - last - 1 + 1);                  /* the words between, and the one */
}

/* Pairs that p[t] closes in the opposite order. */
static double inversions(const unsigned *p, unsigned t) {
    double pairs = 0;
    for (unsigned i = 0; i < t; i++) pairs += p[i] > p[t];
    return pairs;
}

/* The sum of B[s][p] over the positions s visited before. */
static double pairwise(const double *b, const unsigned *p, unsigned t, unsigned n) {
    double cost = 0;
    for (unsigned i = 0; i < t; i++) cost += b[p[i] * n + p[t]];
    return cost;
}

/* Costs of monotone, swap and discontinuous moves to each position. */
static double lexical(const double *row, const unsigned *p, unsigned t) {
    int last = t ? (int)p[t - 1] : -1, here = (int)p[t];
    return row[3 * p[t] + (here == last + 1 ? 0 : here == last - 1 ? 1 : 2)];
}

double oracle_move_cost(const oracle_set *set, const char *model, const double *table, const unsigned *p, unsigned t) {
    size_t name = strcspn(model, ":");
    double w = model[name] ? strtod(model + name + 1, NULL) : 0;
    const char *scale = strchr(model, '*');
    if (scale) {
        char plain[64];
        snprintf(plain, sizeof plain, "%.*s", (int)(scale - model), model);
        return strtod(scale + 1, NULL) * oracle_move_cost(set, plain, table, p, t);
    }
    if (!strncmp(model, "monotone:", 9)) return monotone(set, w, p, t);
    if (!strncmp(model, "distance:", 9)) return w * distance(p, t);
    if (!strncmp(model, "early-distance:", 15)) return w * early_distance(p, t);
    if (!strncmp(model, "inversions:", 11)) return w * inversions(p, t);
    if (!strncmp(model, "jumps:", 6)) return t && p[t] != p[t - 1] + 1 ? w : 0;
    if (!strncmp(model, "pairwise:", 9)) return pairwise(table, p, t, set->n);
    if (!strncmp(model, "position:", 9)) return table[p[t] * set->n + t];
    if (!strncmp(model, "lexical:", 8)) return lexical(table, p, t);
    fprintf(stderr, "tests/oracle.c has no definition of '%s'\n", model);
    abort();
}

double oracle_cost(const oracle_set *set, const char *model, const double *table, const unsigned *p) {
    double cost = 0;
    for (unsigned t = 0; t < set->n; t++) cost += oracle_move_cost(set, model, table, p, t);
    return cost;
}
