/* The completion test: a constraint without its dead ends.
 *
 * A move is allowed if the inner constraint allows it and the state it leads to can be completed. Completion is decided
 * by a depth-first search that remembers every state it has decided, so all questions together cost at most the number of
 * states of the inner automaton; a search stops at the first completion, and then all states above it are live too. */
#include "permute/con_impl.h"

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include <permfst/permute/walk.h>

#include <stdlib.h>

enum { UNDECIDED, LIVE, DEAD };

/* One state of the depth-first search: its id and the moves that are still to be tried. */
typedef struct {
    uint32_t id;
    pf_cover *untried;
} live_frame;

typedef struct {
    pf_con *inner;
    uint64_t limit;          /* of states */
    pf_statetab seen;        /* keys of the inner constraint's states */
    PF_VEC(char) verdict;    /* of each id */
    PF_VEC(live_frame) path; /* the search in progress; path.cap frames own their sets */
    pf_con_walk asked;       /* at the state whose moves are asked about */
    pf_con_walk walk;        /* at a state of the search */
    unsigned char *next;     /* scratch: a key */
} completion;

static pf_err intern(completion *test, size_t length, uint32_t *id) {
    PF_TRY(pf_statetab_intern(&test->seen, test->next, length, id, NULL));
    if (test->seen.n > test->limit)
        return pf_fail(PF_ELIMIT, "the look-ahead of this combination needs more than %llu states",
                       (unsigned long long)test->limit);
    while (test->verdict.n < test->seen.n) PF_TRY(PF_PUSH(&test->verdict, UNDECIDED));
    return PF_OK;
}

/* The walk goes to a state that was seen. */
static void go_to(completion *test, uint32_t id) {
    size_t length;
    const void *key = pf_statetab_key(&test->seen, id, &length);
    pf_con_walk_load(&test->walk, key, length);
}

static pf_err open_frame(completion *test, uint32_t id) {
    size_t depth = test->path.n;
    if (depth == test->path.cap) {
        PF_TRY(PF_ROOM(&test->path, 1));
        for (size_t i = depth; i < test->path.cap; i++) test->path.at[i].untried = NULL;
    }
    live_frame *top = &test->path.at[depth];
    if (!top->untried && !(top->untried = calloc(test->inner->nw, sizeof(pf_cover)))) return pf_nomem();
    top->id = id;
    test->path.n++;
    go_to(test, id);
    PF_TRY(pf_con_walk_expand(&test->walk));
    memcpy(top->untried, test->walk.moves, test->walk.cover_bytes);
    return PF_OK;
}

/* The id of the state whose key is in `next`; asking for one that is decided needs no memory. */
static pf_err look_up(completion *test, size_t length, unsigned covered, uint32_t *id) {
    const pf_con *inner = test->inner;
    *id = pf_statetab_find(&test->seen, test->next, length);
    if (*id != UINT32_MAX) return PF_OK;
    PF_TRY(intern(test, length, id));
    if (covered == inner->n)
        test->verdict.at[*id] = pf_con_accepts(inner, test->next + test->walk.cover_bytes) ? LIVE : DEAD;
    return PF_OK;
}

/* Decides the state whose key, of `length` bytes, is in `next`, and in which `covered` positions are. */
static pf_err decide(completion *test, size_t length, unsigned covered, bool *live) {
    uint32_t id;
    test->path.n = 0;
    PF_TRY(look_up(test, length, covered, &id));
    if (test->verdict.at[id] == UNDECIDED) PF_TRY(open_frame(test, id));
    while (test->path.n) {
        live_frame *top = &test->path.at[test->path.n - 1];
        unsigned j = pf_cover_next(top->untried, test->inner->nw, 0);
        if (j >= test->inner->n) { /* every move failed */
            test->verdict.at[top->id] = DEAD;
            test->path.n--;
            continue;
        }
        pf_cover_drop(top->untried, j);
        go_to(test, top->id);
        uint32_t child;
        PF_TRY(look_up(test, pf_con_walk_step(&test->walk, j, test->next), test->walk.covered + 1, &child));
        if (test->verdict.at[child] == UNDECIDED) PF_TRY(open_frame(test, child));
        else if (test->verdict.at[child] == LIVE)
            for (; test->path.n; test->path.n--) test->verdict.at[test->path.at[test->path.n - 1].id] = LIVE;
    }
    assert(test->verdict.at[id] != UNDECIDED);
    *live = test->verdict.at[id] == LIVE;
    return PF_OK;
}

static pf_err live_narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    completion *test = con->data;
    pf_con_walk_at(&test->asked, covered, extra);
    PF_TRY(pf_con_walk_narrow(&test->asked, set));
    for (unsigned position = pf_cover_next(set, con->nw, 0); position < con->n;
         position = pf_cover_next(set, con->nw, position + 1)) {
        bool live;
        PF_TRY(decide(test, pf_con_walk_step(&test->asked, position, test->next), test->asked.covered + 1, &live));
        if (!live) pf_cover_drop(set, position);
    }
    return PF_OK;
}

static size_t live_start(const pf_con *con, unsigned char *extra) {
    return pf_con_start(((completion *)con->data)->inner, extra);
}

static size_t live_advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    return pf_con_advance(((completion *)con->data)->inner, covered, extra, position, to);
}

static size_t live_extent(const pf_con *con, const unsigned char *extra) {
    return pf_con_extent(((completion *)con->data)->inner, extra);
}

static bool live_accepts(const pf_con *con, const unsigned char *extra) {
    return pf_con_accepts(((completion *)con->data)->inner, extra);
}

static bool live_member(const pf_con *con, const unsigned *perm) {
    const pf_con *inner = ((completion *)con->data)->inner;
    return inner->cls->member(inner, perm);
}

static void live_range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    const pf_con *inner = ((const completion *)con->data)->inner;
    if (inner->cls->range) inner->cls->range(inner, t, least, most);
}

static uint64_t live_probes(const pf_con *con) {
    return ((const completion *)con->data)->seen.n;
}

static void live_free(pf_con *con) {
    completion *test = con->data;
    if (!test) return;
    pf_con_walk_free(&test->asked);
    pf_con_walk_free(&test->walk);
    pf_con_free(test->inner);
    pf_statetab_free(&test->seen);
    PF_VEC_FREE(&test->verdict);
    for (size_t i = 0; i < test->path.cap; i++) free(test->path.at[i].untried);
    PF_VEC_FREE(&test->path);
    free(test->next);
    free(test);
}

static const pf_con_class live_class = {
    .name = "live",
    .params = "",
    .help = "without dead ends",
    .free = live_free,
    .start = live_start,
    .narrow = live_narrow,
    .advance = live_advance,
    .extent = live_extent,
    .accepts = live_accepts,
    .range = live_range,
    .member = live_member,
    .probes = live_probes,
};

pf_err pfi_con_live(pf_con *inner, uint64_t limit, pf_con **out) {
    pf_con *con = NULL;
    pf_err err = pfi_con_make(&live_class, inner->n, &con);
    completion *test = err ? NULL : (con->data = calloc(1, sizeof *test));
    if (!test) {
        pf_con_free(inner);
        pf_con_free(con);
        return pf_nomem();
    }
    test->inner = inner;
    test->limit = limit;
    con->room = inner->room;
    con->first_gap = inner->first_gap;
    con->looks_ahead = true;
    pf_statetab_init(&test->seen, 0);
    err = pf_con_walk_init(&test->asked, inner, 0);
    if (!err) err = pf_con_walk_init(&test->walk, inner, 0);
    if (!err && !(test->next = malloc(pf_con_walk_room(&test->walk)))) err = pf_nomem();
    if (!err) *out = con;
    else pf_con_free(con);
    return err;
}

const pf_con *pf_con_inner(const pf_con *con) {
    return con->cls == &live_class ? ((const completion *)con->data)->inner : con;
}

bool pf_con_sorts(const pf_con *con) {
    const pf_con *inner = pf_con_inner(con);
    size_t parts = 0;
    pf_con *const *part = inner->cls->parts ? inner->cls->parts(inner, &parts) : NULL;
    bool all = inner->cls->sorts;
    for (size_t i = 0; all && i < parts; i++) all = pf_con_sorts(part[i]);
    return all;
}

pf_con *pfi_con_bare(pf_con *con) {
    if (con->cls != &live_class) return con;
    completion *test = con->data;
    pf_con *inner = test->inner;
    test->inner = NULL;
    pf_con_free(con);
    return inner;
}

pf_err pfi_con_live_start(const pf_con *con, bool *live) {
    completion *test = con->data;
    assert(con->cls == &live_class);
    size_t length = pf_con_walk_start(&test->asked);
    memcpy(test->next, test->asked.key, length);
    return decide(test, length, 0, live);
}
