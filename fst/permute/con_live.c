/* The completion test: a constraint without its dead ends.
 *
 * A move is allowed if the inner constraint allows it and the state it leads to can be completed. Completion is decided
 * by a depth-first search that remembers every state it has decided, so all questions together cost at most the number of
 * states of the inner automaton; a search stops at the first completion, and then all states above it are live too. */
#include "permute/con_impl.h"

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>

#include <stdlib.h>

enum { UNDECIDED, LIVE, DEAD };

/* One state of the depth-first search: its id and the moves that are still to be tried. */
typedef struct {
    uint32_t id;
    pf_cover *left;
} frame;

typedef struct {
    pf_con *inner;
    uint64_t limit;            /* of states */
    pf_statetab seen;          /* coverage, then extra bytes */
    PF_VEC(char) fate;         /* of each id */
    PF_VEC(frame) path;        /* the search in progress; path.cap frames own their sets */
    unsigned char *key, *next; /* scratch: a state's bytes */
    pf_cover *set;
} look;

static size_t key_room(const pf_con *inner) { return inner->nw * sizeof(pf_cover) + inner->room; }

static pf_err intern(look *l, const unsigned char *key, size_t length, uint32_t *id) {
    PF_TRY(pf_statetab_intern(&l->seen, key, length, id, NULL));
    if (l->seen.n > l->limit)
        return pf_fail(PF_ELIMIT, "the completion test of this combination needs more than %llu states",
                       (unsigned long long)l->limit);
    while (l->fate.n < l->seen.n) PF_TRY(PF_PUSH(&l->fate, UNDECIDED));
    return PF_OK;
}

/* The bytes of a state and then of the one after visiting j. */
static void load(const look *l, uint32_t id) {
    size_t length;
    const void *key = pf_statetab_key(&l->seen, id, &length);
    memcpy(l->key, key, length);
}

static size_t step(const look *l, const unsigned char *key, unsigned j) {
    const pf_con *inner = l->inner;
    size_t cover = inner->nw * sizeof(pf_cover);
    pf_cover *b = (pf_cover *)(void *)l->next;
    memcpy(l->next, key, cover);
    size_t extra = pf_con_advance(inner, (const pf_cover *)(const void *)key, key + cover, j, l->next + cover);
    pf_cover_put(b, j);
    return cover + extra;
}

static pf_err open_frame(look *l, uint32_t id) {
    size_t depth = l->path.n;
    if (depth == l->path.cap) {
        PF_TRY(PF_ROOM(&l->path, 1));
        for (size_t i = depth; i < l->path.cap; i++) l->path.at[i].left = NULL;
    }
    frame *f = &l->path.at[depth];
    if (!f->left && !(f->left = calloc(l->inner->nw, sizeof(pf_cover)))) return pf_nomem();
    f->id = id;
    l->path.n++;
    load(l, id);
    const unsigned char *x = l->key + l->inner->nw * sizeof(pf_cover);
    return pf_con_allowed(l->inner, (const pf_cover *)(const void *)l->key, x, f->left);
}

static bool complete(const look *l, const unsigned char *key) {
    return pf_cover_count((const pf_cover *)(const void *)key, l->inner->nw) == l->inner->n;
}

/* Of a state whose coverage is complete. */
static char end_of(const look *l, const unsigned char *key) {
    return pf_con_accepts(l->inner, key + l->inner->nw * sizeof(pf_cover)) ? LIVE : DEAD;
}

/* The fate of the state in l->next; asking for one that is decided needs no memory. */
static pf_err look_up(look *l, size_t length, uint32_t *id) {
    *id = pf_statetab_find(&l->seen, l->next, length);
    if (*id != UINT32_MAX) return PF_OK;
    PF_TRY(intern(l, l->next, length, id));
    if (complete(l, l->next)) l->fate.at[*id] = end_of(l, l->next);
    return PF_OK;
}

/* Decides the state in l->next, whose bytes are `length`. */
static pf_err decide(look *l, size_t length, bool *live) {
    uint32_t id;
    PF_TRY(look_up(l, length, &id));
    if (l->fate.at[id] == UNDECIDED) PF_TRY(open_frame(l, id));
    while (l->path.n) {
        frame *top = &l->path.at[l->path.n - 1];
        unsigned j = pf_cover_next(top->left, l->inner->nw, 0);
        if (j >= l->inner->n) { /* every move failed */
            l->fate.at[top->id] = DEAD;
            l->path.n--;
            continue;
        }
        pf_cover_drop(top->left, j);
        load(l, top->id);
        size_t n = step(l, l->key, j);
        uint32_t child;
        PF_TRY(look_up(l, n, &child));
        if (l->fate.at[child] == UNDECIDED) PF_TRY(open_frame(l, child));
        else if (l->fate.at[child] == LIVE)
            for (; l->path.n; l->path.n--) l->fate.at[l->path.at[l->path.n - 1].id] = LIVE;
    }
    *live = l->fate.at[id] == LIVE;
    return PF_OK;
}

static pf_err live_narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    look *l = con->data;
    const pf_con *inner = l->inner;
    size_t cover = con->nw * sizeof *b, extra = pf_con_extent(inner, x);
    unsigned char *key = (unsigned char *)l->set; /* decide() uses l->key */
    PF_TRY(inner->cls->narrow(inner, b, x, set));
    for (unsigned j = pf_cover_next(set, con->nw, 0); j < con->n; j = pf_cover_next(set, con->nw, j + 1)) {
        bool live;
        memcpy(key, b, cover);
        memcpy(key + cover, x, extra);
        l->path.n = 0;
        PF_TRY(decide(l, step(l, key, j), &live));
        if (!live) pf_cover_drop(set, j);
    }
    return PF_OK;
}

static size_t live_start(const pf_con *con, unsigned char *x) {
    return pf_con_start(((look *)con->data)->inner, x);
}

static size_t live_advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    return pf_con_advance(((look *)con->data)->inner, b, x, j, to);
}

static size_t live_extent(const pf_con *con, const unsigned char *x) {
    return pf_con_extent(((look *)con->data)->inner, x);
}

static bool live_accepts(const pf_con *con, const unsigned char *x) {
    return pf_con_accepts(((look *)con->data)->inner, x);
}

static bool live_member(const pf_con *con, const unsigned *p) {
    const pf_con *inner = ((look *)con->data)->inner;
    return inner->cls->member(inner, p);
}

static uint64_t live_probes(const pf_con *con) {
    return ((const look *)con->data)->seen.n;
}

static void live_free(pf_con *con) {
    look *l = con->data;
    if (!l) return;
    pf_con_free(l->inner);
    pf_statetab_free(&l->seen);
    PF_VEC_FREE(&l->fate);
    for (size_t i = 0; i < l->path.cap; i++) free(l->path.at[i].left);
    PF_VEC_FREE(&l->path);
    free(l->key);
    free(l->next);
    free(l->set);
    free(l);
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
    .member = live_member,
    .probes = live_probes,
};

pf_err pfi_con_live(pf_con *inner, uint64_t limit, pf_con **out) {
    pf_con *con = NULL;
    pf_err err = pfi_con_make(&live_class, inner->n, &con);
    look *l = err ? NULL : (con->data = calloc(1, sizeof *l));
    if (!l) {
        pf_con_free(inner);
        pf_con_free(con);
        return pf_nomem();
    }
    l->inner = inner;
    l->limit = limit;
    con->room = inner->room;
    con->first_gap = inner->first_gap;
    con->looks_ahead = true;
    pf_statetab_init(&l->seen, 0);
    size_t room = (key_room(inner) + 7) / 8 * 8;
    l->key = malloc(room);
    l->next = malloc(room);
    l->set = malloc(room);
    if (!l->key || !l->next || !l->set) {
        pf_con_free(con);
        return pf_nomem();
    }
    *out = con;
    return PF_OK;
}

pf_con *pfi_con_bare(pf_con *con) {
    if (con->cls != &live_class) return con;
    look *l = con->data;
    pf_con *inner = l->inner;
    l->inner = NULL;
    pf_con_free(con);
    return inner;
}

pf_err pfi_con_live_start(const pf_con *con, bool *live) {
    look *l = con->data;
    size_t cover = con->nw * sizeof(pf_cover);
    memset(l->next, 0, cover);
    l->path.n = 0;
    return decide(l, cover + pf_con_start(l->inner, l->next + cover), live);
}
