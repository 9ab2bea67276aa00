/* The definitions as they stand in the papers, slowly: quantifiers are loops, and what a state allows is read off the
 * list of all members. */
#include "oracle.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long number;

static bool visited(const unsigned *perm, unsigned step, unsigned j) {
    for (unsigned i = 0; i < step; i++)
        if (perm[i] == j) return true;
    return false;
}

static unsigned first_uncovered(const unsigned *perm, unsigned step) {
    bool covered[ORACLE_LONGEST + 1] = {false};
    unsigned gap = 0;
    for (unsigned i = 0; i < step; i++) {
        if (perm[i] >= ORACLE_LONGEST) abort();
        covered[perm[i]] = true;
    }
    while (covered[gap]) gap++;
    return gap;
}

static bool any(const unsigned *perm, unsigned step, number limit) {
    (void)limit;
    return !visited(perm, step, perm[step]);
}

/* One of the first l uncovered positions: fewer than l of them lie before it (Berger 1996; Kanthak 2005, 4.2). */
static bool ibm(const unsigned *perm, unsigned step, number limit) {
    number before = perm[step];
    for (unsigned i = 0; i < step; i++)
        if (perm[i] < perm[step]) before--;
    return before < limit;
}

/* Any position while fewer than l-1 after the first gap are covered, else the gap (Kanthak 2005, 4.3). */
static bool inverse_ibm(const unsigned *perm, unsigned step, number limit) {
    unsigned gap = first_uncovered(perm, step);
    number after = 0;
    for (unsigned i = 0; i < step; i++)
        if (perm[i] > gap) after++;
    return perm[step] == gap || after + 1 < limit;
}

/* Within a window of l positions that begins at the first gap (Kanthak 2005, 4.4). */
static bool local(const unsigned *perm, unsigned step, number limit) { return perm[step] < first_uncovered(perm, step) + limit; }

/* abs(p - (last+1)) <= most, where `last` is the position visited last: Moses' limit for single words, without its look-ahead. */
static bool jump(const unsigned *perm, unsigned step, number most) {
    long long last = step ? (long long)perm[step - 1] : -1;
    return (number)llabs((long long)perm[step] - (last + 1)) <= most;
}

/* And, if p is not the first gap, also p+1-gap <= most. */
static bool distortion(const unsigned *perm, unsigned step, number most) {
    unsigned gap = first_uncovered(perm, step);
    return jump(perm, step, most) && (perm[step] == gap || perm[step] + 1 - gap <= most);
}

/* abs(p - t) <= most. */
static bool displacement(const unsigned *perm, unsigned step, number most) {
    return (number)llabs((long long)perm[step] - (long long)step) <= most;
}

/* p_t > max(p_1 .. p_(t-l)): the inverses of local:l. */
static bool inverse_local(const unsigned *perm, unsigned step, number limit) {
    for (unsigned i = 0; i + limit <= step; i++)
        if (perm[i] > perm[step]) return false;
    return true;
}

/* Contains neither 2413 nor 3142 (Wu 1997; Zens & Ney 2003, 2.1). */
static bool separable(const unsigned *perm, unsigned n, const number *value) {
    (void)value;
    for (unsigned first = 0; first < n; first++)
        for (unsigned second = first + 1; second < n; second++)
            for (unsigned third = second + 1; third < n; third++) {
                bool low = perm[third] < perm[first] && perm[first] < perm[second];
                bool high = perm[second] < perm[first] && perm[first] < perm[third];
                if (!low && !high) continue;
                for (unsigned fourth = third + 1; fourth < n; fourth++) {
                    if (low && perm[first] < perm[fourth] && perm[fourth] < perm[second]) return false;  /* 2413 */
                    if (high && perm[second] < perm[fourth] && perm[fourth] < perm[first]) return false; /* 3142 */
                }
            }
    return true;
}

/* Are p[i..j-1] the positions i..j-1? */
static bool onto_itself(const unsigned *perm, unsigned i, unsigned j) {
    for (unsigned step = i; step < j; step++)
        if (perm[step] < i || perm[step] >= j) return false;
    return true;
}

/* p splits into ranges of at most k+1 positions, each mapped onto itself (Kumar & Byrne 2005). */
static bool mj(const unsigned *perm, unsigned n, const number *value) {
    bool splits[ORACLE_LONGEST + 1] = {true}; /* the first so many */
    if (n > ORACLE_LONGEST) abort();
    for (unsigned end = 1; end <= n; end++)
        for (unsigned begin = 0; begin < end && !splits[end]; begin++)
            splits[end] = splits[begin] && end - begin <= value[0] + 1 && onto_itself(perm, begin, end);
    return splits[n];
}

/* Every one of p[i..middle-1] is less than every one of p[middle..j-1]; inverted: greater. */
static bool apart(const unsigned *perm, unsigned i, unsigned middle, unsigned j, bool inverted) {
    for (unsigned left = i; left < middle; left++)
        for (unsigned right = middle; right < j; right++)
            if ((perm[left] > perm[right]) != inverted) return false;
    return true;
}

/* Is there a binary tree over p[i..j-1] whose inverted nodes span at most `most` positions (Dreyer 2007, 3.2)? */
static bool tree(const unsigned *perm, unsigned i, unsigned j, number most) {
    if (j - i <= 1) return true;
    for (unsigned middle = i + 1; middle < j; middle++) {
        bool node = apart(perm, i, middle, j, false) || (apart(perm, i, middle, j, true) && j - i <= most);
        if (node && tree(perm, i, middle, most) && tree(perm, middle, j, most)) return true;
    }
    return false;
}

static bool itg_span(const unsigned *perm, unsigned n, const number *value) { return tree(perm, 0, n, value[0]); }

/* A wall after v[0] that binds v[1]..v[2]: the positions up to it are visited before those after it. Positions from 1. */
static bool wall(const unsigned *perm, unsigned n, const number *value) {
    number begin = value[2] ? value[1] : 1, end = value[2] ? value[2] : n;
    for (unsigned first = 0; first < n; first++)
        for (unsigned then = first + 1; then < n; then++) {
            number early = perm[first] + 1, late = perm[then] + 1;
            if (late >= begin && late <= value[0] && early > value[0] && early <= end) return false;
        }
    return true;
}

/* Once entered, a zone v[0]..v[1] is finished before any position outside is visited. */
static bool zone(const unsigned *perm, unsigned n, const number *value) {
    number left = value[1] - value[0] + 1, all = left;
    for (unsigned step = 0; step < n; step++) {
        bool inside = perm[step] + 1 >= value[0] && perm[step] + 1 <= value[1];
        if (!inside && left && left < all) return false;
        left -= inside;
    }
    return true;
}

/* A zone that is monotone inside. */
static bool unit(const unsigned *perm, unsigned n, const number *value) {
    for (unsigned first = 0; first < n; first++)
        for (unsigned then = first + 1; then < n; then++)
            if (perm[then] + 1 >= value[0] && perm[then] < perm[first] && perm[first] + 1 <= value[1]) return false;
    return zone(perm, n, value);
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
    oracle_tree tree = {.n = n};
    unsigned head[ORACLE_LONGEST], last = n;
    for (unsigned j = 0; j < n; j++) {
        char *end = NULL;
        tree.mark[j] = **at == '^';
        bool same = **at == '=';
        head[j] = tree.mark[j] ? 0 : (unsigned)strtoul(*at + same, &end, 10);
        tree.unit[j] = same ? tree.unit[head[j] - 1] : tree.mark[j] ? n : j;
        if (same) head[j] = 0;
        if (!tree.mark[j]) last = j;
        *at = end ? end : *at + 1;
        *at += **at == ',';
    }
    for (unsigned j = 0; j < n; j++) tree.head[j] = head[j] ? tree.unit[head[j] - 1] : n;
    for (unsigned j = 1; j < n && last < n; j++)
        if (tree.mark[j] && j < last) tree.unit[j] = tree.unit[j - 1];
    tree.limited = !strncmp(*at, "limited", 7);
    if (tree.limited) *at += 7;
    return tree;
}

static bool belongs(const oracle_tree *tree, unsigned j, unsigned owner) {
    unsigned at = tree->unit[j];
    while (at < tree->n && at != owner) at = tree->head[at];
    return at < tree->n;
}

/* The part of the owner's constituent that word j is in: the owner for its unit, else a child of it (of the top, where it is n). */
static unsigned part_of(const oracle_tree *tree, unsigned j, unsigned owner) {
    unsigned at = tree->unit[j];
    while (at < tree->n && at != owner && tree->head[at] != owner) at = tree->head[at];
    return at;
}

/* How many words, without marks, are in such a part. */
static unsigned words_of(const oracle_tree *tree, unsigned part, unsigned owner) {
    unsigned words = 0;
    for (unsigned j = 0; j < tree->n; j++) words += !tree->mark[j] && part_of(tree, j, owner) == part;
    return words;
}

/* Is nothing that is not of a kind visited between two of that kind? And do the two ascend, where they must? */
static bool in_tree(const oracle_tree *tree, const unsigned *perm) {
    for (unsigned j = 0; j < tree->n; j++)
        if (tree->unit[j] == tree->n && perm[j] != j) return false;
    for (unsigned early = 0; early < tree->n; early++)
        for (unsigned late = early + 1; late < tree->n; late++) {
            unsigned first = perm[early], second = perm[late];
            if (tree->unit[first] == tree->n || tree->unit[second] == tree->n) continue;
            if (tree->unit[first] == tree->unit[second] && first > second) return false;
            for (unsigned between = early + 1; between < late; between++) {
                if (tree->unit[first] == tree->unit[second] && tree->unit[perm[between]] != tree->unit[first]) return false;
                for (unsigned owner = 0; owner < tree->n; owner++)
                    if (tree->unit[owner] == owner && belongs(tree, first, owner) && belongs(tree, second, owner) &&
                        !belongs(tree, perm[between], owner))
                        return false;
            }
            for (unsigned owner = 0; owner <= tree->n; owner++) {
                if (owner < tree->n &&
                    (tree->unit[owner] != owner || !belongs(tree, first, owner) || !belongs(tree, second, owner)))
                    continue;
                unsigned one = part_of(tree, first, owner), other = part_of(tree, second, owner);
                bool keep = owner == tree->n ||
                            (tree->limited && words_of(tree, one, owner) > 1 && words_of(tree, other, owner) > 1);
                if (keep && one > other) return false;
            }
        }
    return true;
}

typedef struct {
    const char *name;
    int least; /* parameter, or -1 */
    bool (*step)(const unsigned *perm, unsigned step, number limit);
    bool (*whole)(const unsigned *perm, unsigned n, const number *value);
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
static const definition *read_name(const char **at, number *value) {
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
        value[i] = strtoull(*at + 1, &end, 10);
        *at = end;
    }
    return def;
}

static bool admits(const definition *def, const unsigned *perm, unsigned n, const number *value) {
    for (unsigned step = 0; step < n; step++)
        if (perm[step] >= n || visited(perm, step, perm[step]) || (def->step && !def->step(perm, step, value[0]))) return false;
    return !def->whole || def->whole(perm, n, value);
}

/* Specifications: sums of parts are intersections, and bind closer than unions and differences. */
typedef struct {
    const char *at;
    const unsigned *perm;
    unsigned n;
} reading;

static bool any_of(reading *from);

/* Takes the character if it comes next, after blanks. */
static bool takes(reading *from, char c) {
    from->at += strspn(from->at, " \t");
    if (*from->at != c) return false;
    from->at++;
    from->at += strspn(from->at, " \t");
    return true;
}

/* Does the constraint admit the inverse of p? */
static bool inverted(reading *from) {
    const unsigned *perm = from->perm;
    unsigned inverse[ORACLE_LONGEST];
    if (from->n > ORACLE_LONGEST) abort();
    oracle_invert(perm, from->n, inverse);
    from->perm = inverse;
    bool in = any_of(from);
    from->perm = perm;
    return in;
}

static bool one(reading *from) {
    number value[3] = {0};
    from->at += strspn(from->at, " \t");
    if (takes(from, '(')) {
        bool in = any_of(from);
        if (!takes(from, ')')) abort();
        return in;
    }
    if (!strncmp(from->at, "inverse:", 8)) { /* of one part only */
        char part[128];
        const char *begin = from->at += 8;
        reading skip = *from;
        one(&skip);
        snprintf(part, sizeof part, "%.*s", (int)(skip.at - begin), begin);
        reading inner = {part, from->perm, from->n};
        from->at = skip.at;
        return inverted(&inner);
    }
    if (!strncmp(from->at, "tree:", 5)) {
        from->at += 5;
        oracle_tree tree = read_tree(&from->at, from->n);
        return in_tree(&tree, from->perm);
    }
    const definition *def = read_name(&from->at, value);
    return admits(def, from->perm, from->n, value);
}

static bool all_of(reading *from) {
    bool in = one(from);
    while (takes(from, '+')) in = one(from) && in;
    return in;
}

static bool any_of(reading *from) {
    bool in = all_of(from);
    for (;;)
        if (takes(from, '|')) in = all_of(from) || in;
        else if (takes(from, '-')) in = !all_of(from) && in;
        else return in;
}

bool oracle_member(const char *spec, const unsigned *perm, unsigned n) {
    reading from = {spec, perm, n};
    bool in = any_of(&from);
    if (*from.at) {
        fprintf(stderr, "tests/oracle.c does not understand '%s' in '%s'\n", from.at, spec);
        abort();
    }
    return in;
}

int oracle_least(const char *name) {
    number value[3];
    return read_name(&name, value)->least;
}

bool oracle_step(const char *spec, const unsigned *perm, unsigned step) {
    number value[3] = {0};
    const definition *def = read_name(&spec, value);
    if (!def->step) abort();
    return !visited(perm, step, perm[step]) && def->step(perm, step, value[0]);
}

void oracle_first(unsigned *perm, unsigned n) {
    for (unsigned step = 0; step < n; step++) perm[step] = step;
}

static void swap(unsigned *perm, unsigned i, unsigned j) {
    unsigned kept = perm[i];
    perm[i] = perm[j];
    perm[j] = kept;
}

bool oracle_next(unsigned *perm, unsigned n) {
    unsigned i = n, j = n;
    do
        if (i < 2) return false;
    while (i--, perm[i - 1] > perm[i]);
    while (perm[j - 1] < perm[i - 1]) j--;
    swap(perm, i - 1, j - 1);
    for (unsigned k = n - 1; i < k; i++, k--) swap(perm, i, k);
    return true;
}

void oracle_invert(const unsigned *perm, unsigned n, unsigned *inverse) {
    for (unsigned step = 0; step < n; step++) inverse[perm[step]] = step;
}

static void put(unsigned char *row, const unsigned *perm, unsigned n) {
    for (unsigned step = 0; step < n; step++) row[step] = (unsigned char)perm[step];
}

/* Which permutations a specification admits, in lexicographic order. */
typedef struct {
    char *spec;
    unsigned n;
    bool *admits;
} known_members;

enum { MOST_KNOWN = 1024, LONGEST_KNOWN = 7 };

static bool *find_members(const char *spec, unsigned n) {
    unsigned perm[ORACLE_MAX];
    size_t count = 1, at = 0;
    for (unsigned i = 2; i <= n; i++) count *= i;
    bool *admits = malloc(count * sizeof *admits);
    if (!admits) abort();
    oracle_first(perm, n);
    do admits[at++] = oracle_member(spec, perm, n);
    while (oracle_next(perm, n));
    return admits;
}

/* The same, found once, because pairs and triples of specifications ask for it again and again. NULL: there is no room for more. */
static const bool *members_of(const char *spec, unsigned n) {
    static known_members known[MOST_KNOWN];
    size_t i = 0;
    while (i < MOST_KNOWN && known[i].spec && (known[i].n != n || strcmp(known[i].spec, spec) != 0)) i++;
    if (i == MOST_KNOWN) return NULL;
    if (known[i].spec) return known[i].admits;
    const size_t length = strlen(spec) + 1;
    if (!(known[i].spec = malloc(length))) abort();
    memcpy(known[i].spec, spec, length);
    known[i].n = n;
    return known[i].admits = find_members(spec, n);
}

oracle_set oracle_all(const char *const *spec, size_t specs, unsigned n) {
    enum { MOST_SPECS = 8 };
    const bool *admits[MOST_SPECS] = {NULL};
    unsigned perm[ORACLE_MAX];
    size_t most = 1, at = 0;
    for (unsigned i = 2; i <= n; i++) most *= i;
    oracle_set set = {n, 0, n <= ORACLE_MAX && specs <= MOST_SPECS ? malloc(most * (n ? n : 1)) : NULL};
    if (!set.at) abort();
    for (size_t i = 0; i < specs && n <= LONGEST_KNOWN; i++) admits[i] = members_of(spec[i], n);
    oracle_first(perm, n);
    do {
        bool all = true;
        for (size_t i = 0; i < specs && all; i++) all = admits[i] ? admits[i][at] : oracle_member(spec[i], perm, n);
        if (all) put(set.at + set.count++ * n, perm, n);
        at++;
    } while (oracle_next(perm, n));
    unsigned char *less = realloc(set.at, set.count * n + 1);
    if (less) set.at = less;
    return set;
}

/* The first member whose first t positions do not sort before those of p. */
static size_t lower(const oracle_set *set, const unsigned *perm, unsigned step) {
    unsigned char key[ORACLE_MAX];
    size_t low = 0, high = set->count;
    put(key, perm, step);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(set->at + middle * set->n, key, step) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool begins(const oracle_set *set, size_t i, const unsigned *perm, unsigned step) {
    for (unsigned k = 0; k < step; k++)
        if (set->at[i * set->n + k] != perm[k]) return false;
    return true;
}

size_t oracle_find(const oracle_set *set, const unsigned *perm) {
    size_t i = lower(set, perm, set->n);
    return i < set->count && begins(set, i, perm, set->n) ? i : SIZE_MAX;
}

unsigned oracle_moves(const oracle_set *set, const unsigned *perm, unsigned step, unsigned *next) {
    unsigned moves = 0, after[ORACLE_MAX];
    if (step >= set->n) return 0;
    memcpy(after, perm, step * sizeof *after);
    for (size_t i = lower(set, perm, step); i < set->count && begins(set, i, perm, step); i = lower(set, after, step + 1)) {
        next[moves++] = set->at[i * set->n + step];
        after[step] = next[moves - 1] + 1;
    }
    return moves;
}

/* Kanthak 2005, 4.6: where a prefix 0..t-1 is covered the next position gets a, the other moves share 1 - a; elsewhere,
 * and where a difference has taken the next position out, all moves are alike. */
static double monotone(const oracle_set *set, double a, const unsigned *perm, unsigned step) {
    unsigned next[ORACLE_MAX], moves = oracle_moves(set, perm, step, next);
    if (!moves) abort();
    if (moves == 1) return 0;
    if (first_uncovered(perm, step) != step || next[0] != step) return log(moves);
    return perm[step] == step ? -log(a) : -log((1 - a) / (moves - 1));
}

/* How far p[t] is from where the last position leads, abs(p - (q+1)). */
static double distance(const unsigned *perm, unsigned step) { return fabs((double)perm[step] - (step ? perm[step - 1] + 1.0 : 0)); }

/* Moore & Quirk 2007, for single words. The prefix is what is covered before the first gap. */
static double early_distance(const unsigned *perm, unsigned step) {
    int gap = (int)first_uncovered(perm, step), last = step ? (int)perm[step - 1] : -1, here = (int)perm[step];
    if (here == gap) return 0;                         /* next to the prefix */
    if (here < last) return 2;                         /* left of the last one: twice the one word */
    if (last < gap) return 2 * (here - gap + 1);       /* the last one is inside the prefix */
    return 2 * (here - last - 1 + 1);                  /* the words between, and the one */
}

/* Pairs that p[t] closes in the opposite order. */
static double inversions(const unsigned *perm, unsigned step) {
    double pairs = 0;
    for (unsigned i = 0; i < step; i++) pairs += perm[i] > perm[step];
    return pairs;
}

/* The sum of B[s][p] over the positions s visited before. */
static double pairwise(const double *b, const unsigned *perm, unsigned step, unsigned n) {
    double cost = 0;
    for (unsigned i = 0; i < step; i++) cost += b[perm[i] * n + perm[step]];
    return cost;
}

/* Costs of monotone, swap and discontinuous moves to each position. */
static double lexical(const double *row, const unsigned *perm, unsigned step) {
    int last = step ? (int)perm[step - 1] : -1, here = (int)perm[step];
    return row[3 * perm[step] + (here == last + 1 ? 0 : here == last - 1 ? 1 : 2)];
}

/* The number of a model, and its scale. Those of the last one are kept, because all moves of a space ask for them. */
static void read_model(const char *model, double *weight, double *scale) {
    static char last[64];
    static double numbers[2];
    if (strcmp(last, model) != 0) {
        const char *colon = strchr(model, ':'), *star = strchr(model, '*');
        if (strlen(model) >= sizeof last) abort();
        strcpy(last, model);
        numbers[0] = colon ? strtod(colon + 1, NULL) : 0;
        numbers[1] = star ? strtod(star + 1, NULL) : 1;
    }
    *weight = numbers[0];
    *scale = numbers[1];
}

static double plain_cost(const oracle_set *set, const char *model, double weight, const double *table, const unsigned *perm,
                         unsigned step) {
    if (!strncmp(model, "monotone:", 9)) return monotone(set, weight, perm, step);
    if (!strncmp(model, "distance:", 9)) return weight * distance(perm, step);
    if (!strncmp(model, "early-distance:", 15)) return weight * early_distance(perm, step);
    if (!strncmp(model, "inversions:", 11)) return weight * inversions(perm, step);
    if (!strncmp(model, "jumps:", 6)) return step && perm[step] != perm[step - 1] + 1 ? weight : 0;
    if (!strncmp(model, "pairwise:", 9)) return pairwise(table, perm, step, set->n);
    if (!strncmp(model, "position:", 9)) return table[perm[step] * set->n + step];
    if (!strncmp(model, "lexical:", 8)) return lexical(table, perm, step);
    fprintf(stderr, "tests/oracle.c has no definition of '%s'\n", model);
    abort();
}

double oracle_move_cost(const oracle_set *set, const char *model, const double *table, const unsigned *perm, unsigned step) {
    double weight, scale;
    read_model(model, &weight, &scale);
    return scale * plain_cost(set, model, weight, table, perm, step);
}

double oracle_cost(const oracle_set *set, const char *model, const double *table, const unsigned *perm) {
    double cost = 0;
    for (unsigned step = 0; step < set->n; step++) cost += oracle_move_cost(set, model, table, perm, step);
    return cost;
}
