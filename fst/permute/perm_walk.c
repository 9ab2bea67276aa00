/* States of a permutation automaton, one at a time; and the claims about them that only --enable-checks looks at. */
#include "permute/perm_walk_impl.h"

#include "base/contract.h"
#include "permute/con_impl.h"

#include <math.h>
#include <stdlib.h>

pf_err pfi_perm_walk_init(pfi_perm_walk *walk, const pf_con *con, const pf_wm *wm) {
    assert(con->n == wm->n && (con->live || con->looks_ahead));
    *walk = (pfi_perm_walk){.wm = wm, .nonnegative = pf_wm_nonnegative(wm)};
    PF_TRY(pf_con_walk_init(&walk->con, con, wm->room));
    walk->cost = calloc(con->n + 1u, sizeof *walk->cost);
    return walk->cost ? PF_OK : pf_nomem();
}

void pfi_perm_walk_free(pfi_perm_walk *walk) {
    pf_con_walk_free(&walk->con);
    free(walk->cost);
}

size_t pfi_perm_walk_room(const pfi_perm_walk *walk) { return pf_con_walk_room(&walk->con) + walk->wm->room; }

size_t pfi_perm_walk_fixed(const pfi_perm_walk *walk) {
    return pf_con_walk_fixed(&walk->con) ? pfi_perm_walk_room(walk) : 0;
}

size_t pfi_perm_walk_start(pfi_perm_walk *walk) {
    size_t length = pf_con_walk_start(&walk->con);
    pf_wm_start(walk->wm, walk->con.key + length);
    return length + walk->wm->room;
}

size_t pfi_perm_walk_end(const pfi_perm_walk *walk, unsigned char *to) {
    size_t cover = walk->con.cover_bytes, fixed = pfi_perm_walk_fixed(walk), length = fixed ? fixed : cover + walk->wm->room;
    memset(to + cover, 0, length - cover);
    return length;
}

/* ---- claims ---- */

/* The state reaches the end. If no state is a dead end, any moves lead there: the first and the last move are taken in turn. */
static bool reaches_end(const pfi_perm_walk *walk) {
    const pf_con *con = walk->con.con;
    pf_con_walk way;
    pf_err err = pf_con_walk_init(&way, con, 0);
    bool good = !err;
    if (good) pf_con_walk_at(&way, walk->con.key, pf_con_walk_extra(&walk->con));
    while (good && !err && way.covered < con->n) {
        unsigned last = con->n;
        err = pf_con_walk_expand(&way);
        for (unsigned j = pf_con_walk_next(&way, 0); !err && j < con->n; j = pf_con_walk_next(&way, j + 1)) {
            last = j;
            if (way.covered % 2) break;
        }
        good = err || last < con->n;
        if (good && !err) pf_con_walk_visit(&way, last);
    }
    if (good && !err) good = pf_con_walk_ends(&way);
    pf_con_walk_free(&way);
    return good || err; /* no memory, or a limit: nothing is claimed */
}

/* Each move has a cost, and nothing else has. The costs are numbers, not negative where the model says so. The probabilities
 * of a normalised model sum to one. */
static bool costs_are_as_promised(const pfi_perm_walk *walk) {
    double sum = 0;
    if (walk->cost[walk->count] != 0) return false;
    for (unsigned move = 0; move < walk->count; move++) {
        double cost = walk->cost[move];
        if (isnan(cost) || (walk->nonnegative && cost < 0)) return false;
        sum += exp(-cost);
    }
    return !walk->wm->cls->normalised || !walk->count || fabs(sum - 1) < 1e-9;
}

/* The weight model, too, writes all its bytes. */
static bool weight_model_writes_its_bytes(const pfi_perm_walk *walk) {
    const pf_wm *wm = walk->wm;
    size_t room = wm->room;
    unsigned char *zeros = malloc(room + 1), *ones = malloc(room + 1);
    bool good = zeros && ones;
    for (unsigned position = pf_con_walk_next(&walk->con, 0); good && room && position < wm->n;
         position = pf_con_walk_next(&walk->con, position + 1)) {
        memset(zeros, 0, room);
        memset(ones, 0xff, room);
        wm->cls->advance(wm, pf_con_walk_cover(&walk->con), walk->wm_extra, position, zeros);
        wm->cls->advance(wm, pf_con_walk_cover(&walk->con), walk->wm_extra, position, ones);
        good = memcmp(zeros, ones, room) == 0;
    }
    free(zeros);
    free(ones);
    return good;
}

pf_err pfi_perm_walk_load(pfi_perm_walk *walk, const void *key, size_t length) {
    pf_con_walk *con = &walk->con;
    assert(length <= pfi_perm_walk_room(walk) && length >= con->cover_bytes + walk->wm->room);
    pf_con_walk_load(con, key, length);
    walk->wm_extra = con->key + length - walk->wm->room;
    PF_TRY(pf_con_walk_expand(con));
    walk->count = pf_cover_count(con->moves, con->con->nw);
    assert(walk->count || con->covered == con->con->n); /* else it were a dead end */
    for (unsigned move = 0; move <= walk->count; move++) walk->cost[move] = 0; /* one more, which is not priced */
    walk->wm->cls->weigh(walk->wm, pf_con_walk_cover(con), walk->wm_extra, con->moves, walk->count, walk->cost);
    PFI_CHECK(con->con->n > PFI_CLAIMED_POSITIONS ||
              ((con->covered == con->con->n || reaches_end(walk)) && weight_model_writes_its_bytes(walk) &&
               costs_are_as_promised(walk)));
    return PF_OK;
}
