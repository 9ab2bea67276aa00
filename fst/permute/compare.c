/* Two automata side by side, breadth first. Both are deterministic and live, so a move that the first allows at a common
 * state and the second does not belongs to a permutation that only the first has. */
#include <permfst/permute/compare.h>

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include "permute/con_impl.h"

#include <stdlib.h>

/* How a common state was reached first: from which, by visiting what. */
typedef struct {
    uint32_t from;
    unsigned j;
} origin;

typedef struct {
    const pf_con *con[2];
    size_t cover;
    pf_statetab states; /* coverage, the first's bytes, the second's */
    PF_VEC(origin) origin;
    unsigned char *key, *next;
    pf_cover *allowed[2];
} walk;

static const pf_cover *coverage(const unsigned char *key) { return (const pf_cover *)(const void *)key; }

static pf_err walk_init(walk *w, const pf_con *a, const pf_con *b) {
    *w = (walk){.con = {a, b}, .cover = a->nw * sizeof(pf_cover)};
    pf_statetab_init(&w->states, 0);
    w->key = malloc(w->cover + a->room + b->room);
    w->next = malloc(w->cover + a->room + b->room);
    for (int i = 0; i < 2; i++) w->allowed[i] = malloc(w->cover);
    return w->key && w->next && w->allowed[0] && w->allowed[1] ? PF_OK : pf_nomem();
}

static void walk_free(walk *w) {
    pf_statetab_free(&w->states);
    PF_VEC_FREE(&w->origin);
    free(w->key);
    free(w->next);
    for (int i = 0; i < 2; i++) free(w->allowed[i]);
}

static pf_err reach(walk *w, size_t length, origin from) {
    uint32_t s;
    PF_TRY(pf_statetab_intern(&w->states, w->next, length, &s, NULL));
    return s == w->origin.n ? PF_PUSH(&w->origin, from) : PF_OK;
}

static pf_err start(walk *w) {
    size_t n = w->cover;
    memset(w->next, 0, n);
    for (int i = 0; i < 2; i++) n += pf_con_start(w->con[i], w->next + n);
    return reach(w, n, (origin){0, 0});
}

/* Takes up state s: its bytes into key, what each allows into allowed. */
static pf_err load(walk *w, uint32_t s) {
    size_t length;
    const void *key = pf_statetab_key(&w->states, s, &length);
    memcpy(w->key, key, length);
    const unsigned char *x = w->key + w->cover;
    for (int i = 0; i < 2; i++) {
        PF_TRY(pf_con_allowed(w->con[i], coverage(w->key), x, w->allowed[i]));
        x += pf_con_extent(w->con[i], x);
    }
    return PF_OK;
}

/* Writes the state after j to next: of both, or of the first alone. */
static size_t move(walk *w, unsigned j, int parts) {
    const unsigned char *x = w->key + w->cover;
    size_t n = w->cover;
    memcpy(w->next, w->key, n);
    pf_cover_put((pf_cover *)(void *)w->next, j);
    for (int i = 0; i < parts; i++) {
        n += pf_con_advance(w->con[i], coverage(w->key), x, j, w->next + n);
        x += pf_con_extent(w->con[i], x);
    }
    return n;
}

/* The smallest position that only the first allows, or one past all. */
static unsigned refused(const walk *w) {
    for (unsigned i = 0; i < w->con[0]->nw; i++) {
        uint64_t only = w->allowed[0][i] & ~w->allowed[1][i];
        if (only) return 64 * i + pf_bits_first(only);
    }
    return w->con[0]->n;
}

/* How s is reached, then j, then the smallest moves of the first to the end. w->key is the state of s. */
static pf_err complete(walk *w, uint32_t s, unsigned j, unsigned *p) {
    const pf_con *a = w->con[0];
    unsigned t = pf_cover_count(coverage(w->key), a->nw);
    for (unsigned i = t; i--; s = w->origin.at[s].from) p[i] = w->origin.at[s].j;
    for (;; j = pf_cover_next(w->allowed[0], a->nw, 0)) {
        p[t++] = j;
        if (t == a->n) return PF_OK;
        memcpy(w->key, w->next, move(w, j, 1));
        PF_TRY(pf_con_allowed(a, coverage(w->key), w->key + w->cover, w->allowed[0]));
    }
}

static pf_err search(walk *w, const pf_compare_options *o, bool *inside, unsigned *p) {
    const pf_con *a = w->con[0];
    PF_TRY(start(w));
    for (uint32_t s = 0; s < w->states.n; s++) {
        PF_TRY(load(w, s));
        if (o->progress && s % 1024 == 0) o->progress(o->self, s);
        unsigned only = refused(w);
        *inside = only >= a->n;
        if (!*inside) return complete(w, s, only, p);
        for (unsigned j = pf_cover_next(w->allowed[0], a->nw, 0); j < a->n; j = pf_cover_next(w->allowed[0], a->nw, j + 1))
            PF_TRY(reach(w, move(w, j, 2), (origin){s, j}));
        if (o->max_states && w->states.n > o->max_states)
            return pf_fail(PF_ELIMIT, "more than %llu common states", (unsigned long long)o->max_states);
    }
    return PF_OK;
}

/* Without looking: in all orders, or the same class with the same parameter. Walls and zones, which have more than that, are
 * not among the classes that can be drawn from or have a least parameter. */
static bool plainly_inside(const pf_con *a, const pf_con *b) {
    if (b->cls == &pfi_con_none) return true;
    return a->cls == b->cls && a->param == b->param && (a->cls->draw || a->cls->least);
}

pf_err pf_con_inside(const pf_con *a, const pf_con *b, const pf_compare_options *options, bool *inside, unsigned *p) {
    walk w;
    *inside = true;
    if (plainly_inside(a, b)) return PF_OK;
    pf_err err = walk_init(&w, a, b);
    if (!err) err = search(&w, options, inside, p);
    walk_free(&w);
    return err;
}
