/* ITG constraints on alignments (Zens and Ney 2003, sections 2.1 and 3.4), by one shift-reduce parser, O(words).
 *
 * Items come in source order. Each is an interval of target clusters; two that touch on top of the stack are one
 * constituent. Reducing greedily loses nothing: in a separable arrangement, blocks that touch on both sides may be joined to one
 * without making it inseparable.
 *
 * Extended: a cluster of two parts leaves a mark where the first part is. Its second part must find exactly one constituent
 * above that mark, next to the cluster on the target side, and joins the three. What is inside a pair of parts is a problem of
 * its own and nothing merges across a mark, so the greedy way is right there too, and no chart is needed. */
#include "coverage/coverage_impl.h"

#include <string.h>

typedef struct {
    unsigned *lo, *hi, n; /* intervals [lo, hi); hi = 0: a mark of cluster lo */
} itg_stack;

/* The interval on top with those below that it touches. */
static void push(itg_stack *s, unsigned lo, unsigned hi) {
    while (s->n && s->hi[s->n - 1] && (s->hi[s->n - 1] == lo || s->lo[s->n - 1] == hi)) {
        s->n--;
        if (s->lo[s->n] < lo) lo = s->lo[s->n];
        else hi = s->hi[s->n];
    }
    s->lo[s->n] = lo;
    s->hi[s->n++] = hi;
}

static void push_mark(itg_stack *s, unsigned cluster) {
    s->lo[s->n] = cluster;
    s->hi[s->n++] = 0;
}

/* The second part of a cluster. */
static bool wrap(itg_stack *s, unsigned cluster) {
    if (s->n < 2 || s->hi[s->n - 2] || s->lo[s->n - 2] != cluster) return false;
    unsigned lo = s->lo[s->n - 1], hi = s->hi[s->n - 1];
    if (!hi || (cluster != hi && cluster + 1 != lo)) return false;
    s->n -= 2;
    push(s, cluster < lo ? cluster : lo, cluster < lo ? hi : hi + 1);
    return true;
}

/* The parts of each cluster: runs of its words with no other aligned word between. */
static void count_parts(const pfi_order *o, unsigned *parts) {
    memset(parts, 0, o->aligned * sizeof *parts);
    for (unsigned i = 0; i < o->aligned; i++)
        if (!i || o->cluster[i] != o->cluster[i - 1]) parts[o->cluster[i]]++;
}

static bool parse(const pfi_order *o, unsigned most) {
    unsigned *parts = o->scratch, *seen = parts + o->sources;
    itg_stack s = {seen + o->sources, seen + 2 * (size_t)o->sources, 0};
    count_parts(o, parts);
    memset(seen, 0, o->aligned * sizeof *seen);
    for (unsigned i = 0; i < o->aligned; i++) {
        unsigned u = o->cluster[i];
        if (i && u == o->cluster[i - 1]) continue;
        if (parts[u] > most) return false;
        if (parts[u] == 1) push(&s, u, u + 1);
        else if (!seen[u]++) push_mark(&s, u);
        else if (!wrap(&s, u)) return false;
    }
    return s.n <= 1;
}

bool pfi_coverage_itg_baseline(const pfi_order *o, unsigned *param) {
    (void)param;
    return parse(o, 1);
}

bool pfi_coverage_itg_extended(const pfi_order *o, unsigned *param) {
    (void)param;
    return parse(o, 2);
}

/* The order alone: each word is a block. A word without links goes right after a neighbour and changes nothing: a point of
 * a separable permutation may become two that touch. */
bool pfi_coverage_itg(const pfi_order *o, unsigned *param) {
    itg_stack s = {o->scratch, o->scratch + o->sources, 0};
    (void)param;
    for (unsigned j = 0; j < o->sources; j++)
        if (o->turn[j] != PFI_FREE) push(&s, o->turn[j], o->turn[j] + 1);
    return s.n <= 1;
}
