/* Paths are kept in the order in which they were found, the open ones in a heap. A state is entered again only by a cheaper path,
 * so a path that costs more than the least one to its state is passed over. Of equal costs the longer path comes first. */
#include <permfst/learn/chunk_search.h>

#include <permfst/permute/walk.h>

#include <assert.h>
#include <stdlib.h>

enum { NO_PATH = UINT32_MAX, NO_RANK = UINT32_MAX };

void pf_chunk_search_free(pf_chunk_search *search) {
    pf_statetab_free(&search->states);
    pf_heap_free(&search->open);
    PF_VEC_FREE(&search->path);
    PF_VEC_FREE(&search->least);
}

typedef struct {
    pf_chunk_search *room;
    const int64_t *cost;
    const uint32_t *rank;
    unsigned n;
    uint32_t ranks;
    int64_t broken, joined; /* what two neighbours cost; one of them 0 */
    pf_con *con;
    pf_con_walk walk;       /* at the state that is being expanded */
} chunk_call;

static bool comes_first(const void *self, uint32_t one, uint32_t other) {
    const pf_chunk_path *path = ((const pf_chunk_search *)self)->path.at, *a = &path[one], *b = &path[other];
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->covered != b->covered) return a->covered > b->covered;
    return one < other;
}

/* ---- costs ---- */

/* NO_RANK + 1 is 0: before the order is rank -1. */
static int64_t neighbours(const chunk_call *call, uint32_t before, uint32_t after) {
    return after == before || after == before + 1 ? call->joined : call->broken;
}

static int64_t first_of_pair(const chunk_call *call, unsigned first, unsigned second) {
    const int64_t *cost = call->cost, n = call->n, more = first < second ? -cost[first * n + second] : cost[second * n + first];
    return more > 0 ? more : 0;
}

/* Of visiting `position` from the present state, after a word of rank `last`. */
static int64_t cost_of(const chunk_call *call, uint32_t last, unsigned position) {
    const pf_cover *covered = pf_con_walk_cover(&call->walk);
    int64_t sum = neighbours(call, last, call->rank[position]);
    if (call->walk.covered + 1 == call->n) sum += neighbours(call, call->rank[position], call->ranks);
    for (unsigned later = 0; later < call->n; later++)
        if (later != position && !pf_cover_has(covered, later)) sum += first_of_pair(call, position, later);
    return sum;
}

/* ---- paths ---- */

/* A path to the state whose key, without the rank, has `length` bytes and stands in walk.after. */
static pf_err open_path(chunk_call *call, pf_chunk_path *path, size_t length, uint32_t rank) {
    pf_chunk_search *room = call->room;
    int fresh;
    memcpy(call->walk.after + length, &rank, sizeof rank);
    PF_TRY(pf_statetab_intern(&room->states, call->walk.after, length + sizeof rank, &path->state, &fresh));
    if (fresh) PF_TRY(PF_PUSH(&room->least, INT64_MAX));
    if (path->cost >= room->least.at[path->state]) return PF_OK;
    if (room->path.n == NO_PATH) return pf_fail(PF_ELIMIT, "the search has more than %u paths", NO_PATH);
    room->least.at[path->state] = path->cost;
    PF_TRY(PF_PUSH(&room->path, *path));
    return pf_heap_push(&room->open, (uint32_t)room->path.n - 1);
}

static pf_err expand(chunk_call *call, uint32_t at) {
    const pf_chunk_path from = call->room->path.at[at];
    const uint32_t last = from.covered ? call->rank[from.position] : NO_RANK;
    assert(from.covered == call->walk.covered);
    PF_TRY(pf_con_walk_expand(&call->walk));
    for (unsigned next = pf_con_walk_next(&call->walk, 0); next < call->n; next = pf_con_walk_next(&call->walk, next + 1)) {
        pf_chunk_path path = {from.cost + cost_of(call, last, next), 0, at, next, from.covered + 1};
        PF_TRY(open_path(call, &path, pf_con_walk_step(&call->walk, next, call->walk.after), call->rank[next]));
    }
    return PF_OK;
}

static void write_order(const chunk_call *call, uint32_t at, uint32_t *order) {
    assert(call->room->path.at[at].covered == call->n);
    for (const pf_chunk_path *path; path = &call->room->path.at[at], path->covered; at = path->before)
        order[path->covered - 1] = path->position;
}

static pf_err open_start(chunk_call *call) {
    pf_chunk_path none = {.before = NO_PATH};
    const size_t length = pf_con_walk_start(&call->walk);
    memcpy(call->walk.after, call->walk.key, length);
    return open_path(call, &none, length, NO_RANK);
}

static pf_err run(chunk_call *call, uint32_t *order) {
    pf_chunk_search *room = call->room;
    PF_TRY(open_start(call));
    while (room->open.n) {
        const uint32_t at = pf_heap_pop(&room->open);
        const pf_chunk_path *path = &room->path.at[at];
        size_t length;
        if (path->cost > room->least.at[path->state]) continue;
        const void *key = pf_statetab_key(&room->states, path->state, &length);
        pf_con_walk_load(&call->walk, key, length);
        if (pf_con_walk_ends(&call->walk)) return write_order(call, at, order), PF_OK;
        PF_TRY(expand(call, at));
    }
    return pf_fail(PF_EINPUT, "the space has no order of %u words", call->n);
}

static void forget(pf_chunk_search *search) {
    if (!search->open.before) pf_statetab_init(&search->states, 0);
    pf_statetab_reset(&search->states);
    search->path.n = search->least.n = search->open.n = 0;
    search->open.before = comes_first;
    search->open.self = search;
}

pf_err pf_chunk_search_best(pf_chunk_search *search, const char *space, const int64_t *cost, const uint32_t *rank, int64_t loss,
                            unsigned length, uint32_t *order) {
    chunk_call call = {.room = search, .cost = cost, .rank = rank, .n = length,
                       .broken = loss > 0 ? loss : 0, .joined = loss < 0 ? -loss : 0};
    if (!length) return PF_OK;
    for (unsigned i = 0; i < length; i++)
        if (rank[i] >= call.ranks) call.ranks = rank[i] + 1;
    forget(search);
    PF_TRY(pf_con_plain(&space, 1, length, &call.con));
    pf_err err = pf_con_walk_init(&call.walk, call.con, sizeof *rank);
    if (!err) err = run(&call, order);
    pf_con_walk_free(&call.walk);
    pf_con_free(call.con);
    return err;
}
