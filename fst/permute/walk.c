/* States of a constraint, one at a time; and the claims about them that only --enable-checks looks at. */
#include <permfst/permute/walk.h>

#include "base/contract.h"
#include "permute/con_impl.h"

#include <stdlib.h>

static size_t rounded(size_t bytes) { return (bytes + 7) / 8 * 8; }

pf_err pf_con_walk_init(pf_con_walk *walk, const pf_con *con, size_t beside) {
    *walk = (pf_con_walk){.con = con, .cover_bytes = con->nw * sizeof(pf_cover)};
    assert(con->nw == pf_cover_words(con->n));
    size_t room = rounded(pf_con_walk_room(walk) + beside);
    walk->key = calloc(1, room);
    walk->after = calloc(1, room);
    walk->moves = calloc(con->nw, sizeof *walk->moves);
    return walk->key && walk->after && walk->moves ? PF_OK : pf_nomem();
}

void pf_con_walk_free(pf_con_walk *walk) {
    free(walk->key);
    free(walk->after);
    free(walk->moves);
    *walk = (pf_con_walk){0};
}

/* The start state, too, has all the bytes that it says it has (see below). */
static bool start_writes_its_bytes(const pf_con_walk *walk, size_t extra) {
    unsigned char *again = walk->after + walk->cover_bytes;
    memset(again, 0xff, walk->con->room);
    return pf_con_start(walk->con, again) == extra && memcmp(again, pf_con_walk_extra(walk), extra) == 0 &&
           pf_con_extent(walk->con, again) == extra;
}

size_t pf_con_walk_start(pf_con_walk *walk) {
    memset(walk->key, 0, walk->cover_bytes);
    walk->covered = 0;
    size_t extra = pf_con_start(walk->con, walk->key + walk->cover_bytes);
    assert(extra <= walk->con->room);
    PFI_CHECK(start_writes_its_bytes(walk, extra));
    return walk->cover_bytes + extra;
}

void pf_con_walk_at(pf_con_walk *walk, const void *cover, const unsigned char *extra) {
    memcpy(walk->key, cover, walk->cover_bytes);
    memcpy(walk->key + walk->cover_bytes, extra, pf_con_extent(walk->con, extra));
    walk->covered = pf_cover_count(pf_con_walk_cover(walk), walk->con->nw);
    assert(walk->covered <= walk->con->n);
}

pf_err pf_con_walk_allows(pf_con_walk *walk, unsigned position, bool *allowed) {
    assert(position < walk->con->n && !pf_cover_has(pf_con_walk_cover(walk), position));
    pf_cover_clear(walk->moves, walk->con->nw);
    pf_cover_put(walk->moves, position);
    PF_TRY(pf_con_walk_narrow(walk, walk->moves));
    *allowed = pf_cover_has(walk->moves, position);
    return PF_OK;
}

void pf_con_walk_visit(pf_con_walk *walk, unsigned position) {
    unsigned char *before = walk->key;
    pf_con_walk_step(walk, position, walk->after);
    walk->key = walk->after;
    walk->after = before;
    walk->covered++;
}

/* ---- claims ---- */

/* The moves are uncovered positions. */
static bool moves_are_uncovered(const pf_con_walk *walk) {
    pf_cover *uncovered = calloc(walk->con->nw, sizeof *uncovered);
    bool good = uncovered;
    if (good) pf_cover_uncovered(pf_con_walk_cover(walk), walk->con->n, uncovered);
    for (unsigned i = 0; good && i < walk->con->nw; i++) good = !(walk->moves[i] & ~uncovered[i]);
    free(uncovered);
    return good;
}

/* Each position is judged by itself: it is allowed alone in a set if it is allowed among all. */
static bool moves_are_allowed_alone(const pf_con_walk *walk) {
    const pf_con *con = walk->con;
    pf_cover *alone = calloc(con->nw, sizeof *alone);
    bool good = alone;
    for (unsigned position = 0; good && position < con->n; position++) {
        if (pf_cover_has(pf_con_walk_cover(walk), position)) continue;
        pf_cover_clear(alone, con->nw);
        pf_cover_put(alone, position);
        good = !pf_con_walk_narrow(walk, alone) && pf_cover_has(alone, position) == pf_cover_has(walk->moves, position);
    }
    free(alone);
    return good;
}

/* Each move writes all the bytes that it counts: two buffers that were filled differently become equal. The bytes tell their
 * own length. */
static bool moves_write_their_bytes(const pf_con_walk *walk) {
    const pf_con *con = walk->con;
    size_t room = rounded(pf_con_walk_room(walk));
    unsigned char *zeros = malloc(room), *ones = malloc(room);
    bool good = zeros && ones;
    for (unsigned position = pf_con_walk_next(walk, 0); good && position < con->n;
         position = pf_con_walk_next(walk, position + 1)) {
        memset(zeros, 0, room);
        memset(ones, 0xff, room);
        size_t length = pf_con_walk_step(walk, position, zeros);
        good = pf_con_walk_step(walk, position, ones) == length && memcmp(zeros, ones, length) == 0 &&
               pf_con_extent(con, zeros + walk->cover_bytes) == length - walk->cover_bytes;
    }
    free(zeros);
    free(ones);
    return good;
}

pf_err pf_con_walk_expand(pf_con_walk *walk) {
    const pf_con *con = walk->con;
    if (walk->covered == con->n) {
        pf_cover_clear(walk->moves, con->nw);
        return PF_OK;
    }
    PF_TRY(pf_con_allowed(con, pf_con_walk_cover(walk), pf_con_walk_extra(walk), walk->moves));
    PFI_CHECK(con->n > PFI_CLAIMED_POSITIONS ||
              (moves_are_uncovered(walk) && moves_are_allowed_alone(walk) && moves_write_their_bytes(walk)));
    return PF_OK;
}
