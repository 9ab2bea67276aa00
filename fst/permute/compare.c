/* Two automata side by side, breadth first. Both are deterministic and have no dead ends, so a move that the first allows at a
 * common state and the second does not allow begins a permutation that only the first has. */
#include <permfst/permute/compare.h>

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include <permfst/permute/walk.h>
#include "permute/con_impl.h"

#include <stdlib.h>

/* How a common state was reached first: from which, by visiting what. */
typedef struct {
    uint32_t from;
    unsigned visited;
} origin;

typedef struct {
    pf_con_walk first, second;
    pf_statetab states; /* keys: coverage, the first's extra bytes, the second's */
    PF_VEC(origin) origin;
    unsigned char *next; /* scratch: a key */
} pair;

static pf_err pair_init(pair *both, const pf_con *first, const pf_con *second) {
    *both = (pair){0};
    pf_statetab_init(&both->states, 0);
    PF_TRY(pf_con_walk_init(&both->first, first, 0));
    PF_TRY(pf_con_walk_init(&both->second, second, 0));
    both->next = malloc(pf_con_walk_room(&both->first) + second->room);
    return both->next ? PF_OK : pf_nomem();
}

static void pair_free(pair *both) {
    pf_con_walk_free(&both->first);
    pf_con_walk_free(&both->second);
    pf_statetab_free(&both->states);
    PF_VEC_FREE(&both->origin);
    free(both->next);
}

static pf_err reach(pair *both, size_t length, origin from) {
    uint32_t s;
    PF_TRY(pf_statetab_intern(&both->states, both->next, length, &s, NULL));
    return s == both->origin.n ? PF_PUSH(&both->origin, from) : PF_OK;
}

static pf_err start(pair *both) {
    size_t length = pf_con_walk_start(&both->first), extra = pf_con_walk_start(&both->second) - both->second.cover_bytes;
    memcpy(both->next, both->first.key, length);
    memcpy(both->next + length, pf_con_walk_extra(&both->second), extra);
    return reach(both, length + extra, (origin){0, 0});
}

/* Both walks go to state s and find their moves. */
static pf_err expand(pair *both, uint32_t s) {
    size_t length;
    const unsigned char *key = pf_statetab_key(&both->states, s, &length), *extra = key + both->first.cover_bytes;
    pf_con_walk_at(&both->first, key, extra);
    pf_con_walk_at(&both->second, key, extra + pf_con_extent(both->first.con, extra));
    PF_TRY(pf_con_walk_expand(&both->first));
    return pf_con_walk_expand(&both->second);
}

static pf_err move(pair *both, uint32_t from, unsigned j) {
    size_t length = pf_con_walk_step(&both->first, j, both->next);
    length += pf_con_walk_advance(&both->second, j, both->next + length);
    return reach(both, length, (origin){from, j});
}

/* The smallest position that only the first allows, or one past all. */
static unsigned refused(const pair *both) {
    const pf_con *con = both->first.con;
    for (unsigned i = 0; i < con->nw; i++) {
        uint64_t only = both->first.moves[i] & ~both->second.moves[i];
        if (only) return 64 * i + pf_bits_first(only);
    }
    return con->n;
}

/* How s, where the walks are, is reached; then j, then the smallest moves of the first to the end. */
static pf_err complete(pair *both, uint32_t s, unsigned j, unsigned *p) {
    pf_con_walk *walk = &both->first;
    unsigned n = walk->con->n;
    for (unsigned t = walk->covered; t--; s = both->origin.at[s].from) p[t] = both->origin.at[s].visited;
    for (;; j = pf_con_walk_next(walk, 0)) {
        assert(j < n); /* the first has no dead ends */
        p[walk->covered] = j;
        pf_con_walk_visit(walk, j);
        if (walk->covered == n) return PF_OK;
        PF_TRY(pf_con_walk_expand(walk));
    }
}

static pf_err search(pair *both, const pf_compare_options *options, bool *inside, unsigned *p) {
    unsigned n = both->first.con->n;
    PF_TRY(start(both));
    for (uint32_t s = 0; s < both->states.n; s++) {
        PF_TRY(expand(both, s));
        if (options->progress && s % 1024 == 0) options->progress(options->self, s);
        unsigned only = refused(both);
        *inside = only >= n;
        if (!*inside) return complete(both, s, only, p);
        for (unsigned j = pf_con_walk_next(&both->first, 0); j < n; j = pf_con_walk_next(&both->first, j + 1))
            PF_TRY(move(both, s, j));
        if (options->max_states && both->states.n > options->max_states)
            return pf_fail(PF_ELIMIT, "more than %llu common states", (unsigned long long)options->max_states);
    }
    return PF_OK;
}

/* Is it known without a search? `second` admits all orders, or both are of one class with the same parameter. Walls and zones
 * have more than one parameter; they are not among the classes that have draw() or least(). */
static bool plainly_inside(const pf_con *first, const pf_con *second) {
    if (second->cls == &pfi_con_none) return true;
    return first->cls == second->cls && first->param == second->param && (first->cls->draw || first->cls->least);
}

pf_err pf_con_inside(const pf_con *first, const pf_con *second, const pf_compare_options *options, bool *inside, unsigned *p) {
    pair both;
    assert(first->n == second->n && (first->live || first->looks_ahead) && (second->live || second->looks_ahead));
    *inside = true;
    if (plainly_inside(first, second)) return PF_OK;
    pf_err err = pair_init(&both, first, second);
    if (!err) err = search(&both, options, inside, p);
    pair_free(&both);
    return err;
}

/* ---- spaces by their names ---- */

static pf_err inside_at(const char *first, const char *second, unsigned n, const pf_compare_options *options, pf_space_proof *out) {
    pf_con *con[2] = {NULL, NULL};
    out->n = n;
    pf_err err = pf_con_new(first, n, &con[0]);
    if (!err) err = pf_con_new(second, n, &con[1]);
    if (!err) err = pf_con_inside(con[0], con[1], options, &out->inside, out->only);
    for (int k = 0; k < 2; k++) pf_con_free(con[k]);
    return err;
}

/* A proof of the least length. */
static pf_err shorten(const char *first, const char *second, const pf_compare_options *options, pf_space_proof *out) {
    unsigned longest = out->n;
    for (unsigned n = 1; n < longest; n++) {
        pf_err err = inside_at(first, second, n, options, out);
        if (!err && !out->inside) return PF_OK;
        if (err && err != PF_EARG) return err;
    }
    return inside_at(first, second, longest, options, out);
}

pf_err pf_space_inside(const char *first, const char *second, unsigned n, const pf_compare_options *options, pf_space_proof *out) {
    *out = (pf_space_proof){.only = calloc((size_t)n + 1, sizeof *out->only)};
    if (!out->only) return pf_nomem();
    PF_TRY(inside_at(first, second, n, options, out));
    if (!out->inside) return shorten(first, second, options, out);
    pf_space_proof_free(out);
    out->inside = true;
    return PF_OK;
}

void pf_space_proof_free(pf_space_proof *proof) {
    free(proof->only);
    *proof = (pf_space_proof){0};
}
