/* Two automata side by side, breadth first. Both are deterministic and have no dead ends, so a move that the first allows at a
 * common state and the second does not allow begins a permutation that only the first has. */
#include <permfst/permute/check.h>
#include <permfst/permute/compare.h>

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include <permfst/permute/order.h>
#include <permfst/permute/walk.h>
#include "permute/con_impl.h"

#include <assert.h>
#include <stdlib.h>

/* How a common state was reached first: from which, by visiting what. */
typedef struct {
    uint32_t from;
    unsigned visited;
} pair_origin;

typedef struct {
    pf_con_walk first, second;
    pf_statetab states; /* keys: coverage, the first's extra bytes, the second's */
    PF_VEC(pair_origin) origin;
    unsigned char *next; /* scratch: a key */
} space_pair;

static pf_err pair_init(space_pair *both, const pf_con *first, const pf_con *second) {
    assert(first->n == second->n); /* coverages are of the same positions */
    *both = (space_pair){0};
    pf_statetab_init(&both->states, 0);
    PF_TRY(pf_con_walk_init(&both->first, first, 0));
    PF_TRY(pf_con_walk_init(&both->second, second, 0));
    both->next = malloc(pf_con_walk_room(&both->first) + second->room);
    return both->next ? PF_OK : pf_nomem();
}

static void pair_free(space_pair *both) {
    pf_con_walk_free(&both->first);
    pf_con_walk_free(&both->second);
    pf_statetab_free(&both->states);
    PF_VEC_FREE(&both->origin);
    free(both->next);
}

static pf_err reach(space_pair *both, size_t length, pair_origin from) {
    uint32_t state;
    PF_TRY(pf_statetab_intern(&both->states, both->next, length, &state, NULL));
    return state == both->origin.n ? PF_PUSH(&both->origin, from) : PF_OK;
}

static pf_err start(space_pair *both) {
    size_t length = pf_con_walk_start(&both->first), extra = pf_con_walk_start(&both->second) - both->second.cover_bytes;
    memcpy(both->next, both->first.key, length);
    memcpy(both->next + length, pf_con_walk_extra(&both->second), extra);
    return reach(both, length + extra, (pair_origin){0, 0});
}

/* Both walks go to `state` and find their moves. */
static pf_err expand(space_pair *both, uint32_t state) {
    size_t length;
    const unsigned char *key = pf_statetab_key(&both->states, state, &length), *extra = key + both->first.cover_bytes;
    pf_con_walk_at(&both->first, key, extra);
    pf_con_walk_at(&both->second, key, extra + pf_con_extent(both->first.con, extra));
    PF_TRY(pf_con_walk_expand(&both->first));
    return pf_con_walk_expand(&both->second);
}

static pf_err move(space_pair *both, uint32_t from, unsigned position) {
    assert(pf_cover_has(both->first.moves, position) && pf_cover_has(both->second.moves, position));
    size_t length = pf_con_walk_step(&both->first, position, both->next);
    length += pf_con_walk_advance(&both->second, position, both->next + length);
    return reach(both, length, (pair_origin){from, position});
}

/* The smallest position that only the first allows, or one past all. */
static unsigned refused(const space_pair *both) {
    const pf_con *con = both->first.con;
    for (unsigned word = 0; word < con->nw; word++) {
        uint64_t only = both->first.moves[word] & ~both->second.moves[word];
        if (only) return 64 * word + pf_bits_first(only);
    }
    return con->n;
}

/* How `state`, where the walks are, is reached; then `position`, then the smallest moves of the first to the end. */
static pf_err complete(space_pair *both, uint32_t state, unsigned position, unsigned *perm) {
    pf_con_walk *walk = &both->first;
    unsigned length = walk->con->n;
    for (unsigned step = walk->covered; step--; state = both->origin.at[state].from)
        perm[step] = both->origin.at[state].visited;
    for (;; position = pf_con_walk_next(walk, 0)) {
        assert(position < length); /* the first has no dead ends */
        perm[walk->covered] = position;
        pf_con_walk_visit(walk, position);
        if (walk->covered == length) return PF_OK;
        PF_TRY(pf_con_walk_expand(walk));
    }
}

static pf_err search(space_pair *both, const pf_compare_options *options, bool *inside, unsigned *perm) {
    unsigned length = both->first.con->n;
    PF_TRY(start(both));
    for (uint32_t state = 0; state < both->states.n; state++) {
        PF_TRY(expand(both, state));
        if (options->progress && state % 1024 == 0) options->progress(options->self, state);
        if (options->expired && state % 256 == 0 && options->expired(options->self)) return pf_fail(PF_ELIMIT, "interrupted");
        unsigned only = refused(both);
        *inside = only >= length;
        if (!*inside) return complete(both, state, only, perm);
        for (unsigned j = pf_con_walk_next(&both->first, 0); j < length; j = pf_con_walk_next(&both->first, j + 1))
            PF_TRY(move(both, state, j));
        if (options->max_states && both->states.n > options->max_states)
            return pf_fail(PF_ELIMIT, "the two automata have more than %llu states in common",
                           (unsigned long long)options->max_states);
    }
    return PF_OK;
}

/* Is it known without a search? `second` admits all orders, or both are of one class with the same parameter. Walls and zones
 * have more than one parameter; they are not among the classes that have draw() or least(). */
static bool plainly_inside(const pf_con *first, const pf_con *second) {
    if (second->cls == &pfi_con_none) return true;
    return first->cls == second->cls && first->param == second->param && (first->cls->draw || first->cls->least);
}

pf_err pf_con_inside(const pf_con *first, const pf_con *second, const pf_compare_options *options, bool *inside, unsigned *perm) {
    space_pair both;
    assert(first->n == second->n && (first->live || first->looks_ahead) && (second->live || second->looks_ahead));
    *inside = true;
    if (plainly_inside(first, second)) return PF_OK;
    pf_err err = pair_init(&both, first, second);
    if (!err) err = search(&both, options, inside, perm);
    pair_free(&both);
    return err;
}

/* ---- spaces by their names ---- */

static pf_err inside_at(const char *first, const char *second, unsigned length, const pf_compare_options *options,
    pf_space_proof *out) {
    pf_con *con[2] = {NULL, NULL};
    out->n = length;
    pf_err err = pf_con_new(first, length, &con[0]);
    if (!err) err = pf_con_new(second, length, &con[1]);
    if (!err) err = pf_con_inside(con[0], con[1], options, &out->inside, out->only);
    for (int k = 0; k < 2; k++) pf_con_free(con[k]);
    return err;
}

/* Is the order in the first space and not in the second? */
static pf_err is_proof(const char *first, const char *second, unsigned length, const unsigned *permutation, bool *yes) {
    const char *const spec[2] = {first, second};
    *yes = true;
    for (int side = 0; *yes && side < 2; side++) {
        pf_check *check;
        PF_TRY(pf_check_new(spec[side], length, &check));
        *yes = pf_check_inside(check, permutation) == !side;
        pf_check_free(check);
    }
    return PF_OK;
}

/* Does a proof of a few positions, with all others in their places after it or before it, prove it at `length` positions? */
static pf_err extends(const char *first, const char *second, unsigned length, const pf_space_proof *few, bool *yes) {
    unsigned rest = length - few->n, *permutation = calloc((size_t)length + 1, sizeof *permutation);
    pf_err err = permutation ? PF_OK : pf_nomem();
    *yes = false;
    for (unsigned at = 0; !err && !*yes && at < 2; at++) {
        unsigned from = at ? rest : 0;
        for (unsigned t = 0; t < length; t++)
            permutation[t] = t < from || t >= from + few->n ? t : from + few->only[t - from];
        err = is_proof(first, second, length, permutation, yes);
    }
    free(permutation);
    return err;
}

enum { FEW = 7 };

/* Looks for a proof of few positions first, which is the one of the least length and costs next to nothing. *found: it
 * holds at `length`. A specification may make no sense at a shorter length. */
static pf_err look_for_few(const char *first, const char *second, unsigned length, const pf_compare_options *options,
                           pf_space_proof *out, bool *found) {
    out->inside = true;
    *found = false;
    for (unsigned k = 1; out->inside && k < length && k <= FEW; k++) {
        pf_err err = inside_at(first, second, k, options, out);
        if (err && err != PF_ELIMIT && err != PF_EARG) return err;
        if (err) out->inside = true;
    }
    return out->inside ? PF_OK : extends(first, second, length, out, found);
}

/* A proof of the least length, one of n positions being there. */
static pf_err shorten(const char *first, const char *second, const pf_compare_options *options, pf_space_proof *out) {
    unsigned longest = out->n;
    for (unsigned n = 1; n < longest; n++) {
        pf_err err = inside_at(first, second, n, options, out);
        if (!err && !out->inside) return PF_OK;
        if (err && err != PF_EARG) return err;
    }
    return inside_at(first, second, longest, options, out);
}

pf_err pf_space_inside(const char *first, const char *second, unsigned length, const pf_compare_options *options,
    pf_space_proof *out) {
    bool found;
    *out = (pf_space_proof){.only = calloc((size_t)length + 1, sizeof *out->only)};
    if (!out->only) return pf_nomem();
    PF_TRY(look_for_few(first, second, length, options, out, &found));
    if (found) return PF_OK;
    PF_TRY(inside_at(first, second, length, options, out));
    if (!out->inside) return shorten(first, second, options, out);
    pf_space_proof_free(out);
    out->inside = true;
    return PF_OK;
}

static pf_err write_only(const pf_space_proof *proof, const char *one, const char *other, pf_writer *writer) {
    if (proof->inside) return PF_OK;
    PF_TRY(pf_visit_order_write(writer, proof->only, proof->n, 1));
    return pf_writer_text(writer, " is in %s, not in %s\n", one, other);
}

static pf_err write_relation(const char *first, const char *second, bool inside, bool other_way, pf_writer *writer) {
    if (inside && other_way) return pf_writer_text(writer, "%s and %s are equal\n", first, second);
    if (inside) return pf_writer_text(writer, "%s is inside %s\n", first, second);
    if (other_way) return pf_writer_text(writer, "%s is inside %s\n", second, first);
    return pf_writer_text(writer, "%s and %s differ\n", first, second);
}

pf_err pf_space_relation_write(const char *first, const char *second, const pf_space_proof *inside,
                               const pf_space_proof *other_way, pf_writer *writer) {
    if (other_way) PF_TRY(write_relation(first, second, inside->inside, other_way->inside, writer));
    else PF_TRY(pf_writer_text(writer, "%s is %sinside %s\n", first, inside->inside ? "" : "not ", second));
    PF_TRY(write_only(inside, first, second, writer));
    return other_way ? write_only(other_way, second, first, writer) : PF_OK;
}

void pf_space_proof_free(pf_space_proof *proof) {
    free(proof->only);
    *proof = (pf_space_proof){0};
}
