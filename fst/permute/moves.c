/* Tables of moves: their sizes, and a store of those that searches and expansions share. A table is made by the thread that asks
 * for it first, while those that ask for the same one wait; tables of other spaces are made and used at the same time. */
#include "permute/moves_impl.h"

#include <permfst/base/vec.h>
#include "permute/con_impl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t pf_moves_bytes(const pf_moves *moves) {
    const uint64_t count = moves->first[moves->states], each = sizeof *moves->position + sizeof *moves->to;
    return (moves->n + 1u) * pf_cover_words(moves->n) * sizeof *moves->follows
        + moves->states * sizeof *moves->first + (moves->n + 2u) * sizeof *moves->level
        + sizeof *moves + count * (each + (moves->cost ? sizeof *moves->cost : 0)) + pfi_arrivals_bytes(moves);
}

uint32_t pfi_moves_widest_level(const pf_moves *moves) {
    uint32_t widest = 0;
    for (unsigned level = 0; level <= moves->n; level++) {
        const uint32_t states = moves->level[level + 1] - moves->level[level];
        if (states > widest) widest = states;
    }
    return widest;
}

pf_moves_size pf_moves_size_of(const pf_con *con, const pf_wm *wm) {
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    const pf_moves_size known = {size.machine, size.machine ? mpz_get_d(size.states) : 0, size.machine ? mpz_get_d(size.arcs) : 0,
                                 pf_wm_weighs(wm)};
    pf_con_size_clear(&size);
    return known;
}

/* ---- what searches ask of a table ---- */

/* What follows the positions of the moves of a level: where a move leads to a state, the positions of its moves, which `next` has
 * for each state of the next level. `here` gets the positions of the moves of each state. */
static inline void add_level(const pf_moves *moves, unsigned level, size_t words, const uint64_t *next, uint64_t *restrict here,
                             uint64_t *restrict follows) {
    const size_t begin = moves->level[level], end = moves->level[level + 1];
    const uint16_t *positions = moves->position;
    const uint32_t *to = moves->to;
    uint32_t move = moves->first[begin];
    memset(here, 0, (end - begin) * words * sizeof *here);
    for (size_t state = begin; state < end; state++, here += words)
        for (const uint32_t last = moves->first[state + 1]; move < last; move++) {
            const size_t position = positions[move];
            const uint64_t *there = &next[(to[move] - end) * words];
            here[words > 1 ? position / 64 : 0] |= UINT64_C(1) << position % 64;
            for (size_t i = 0; i < words; i++) follows[position * words + i] |= there[i];
        }
}

/* Goes from the last level to the first one. `sets` has room for two levels of `widest` states. Most sentences have at most 64
 * positions: then a set is a word, and the compiler makes loops of their own of those above. */
static void add_follows(pf_moves *moves, size_t words, uint64_t *sets, size_t widest) {
    uint64_t *here = sets, *next = sets + widest * words;
    for (unsigned level = moves->n + 1; level-- > 0;) {
        if (words == 1) add_level(moves, level, 1, next, here, moves->follows);
        else add_level(moves, level, words, next, here, moves->follows);
        uint64_t *other = here;
        here = next;
        next = other;
    }
    memcpy(&moves->follows[moves->n * words], next, words * sizeof *next);
}

/* Which positions follow which. */
static pf_err fill_follows(pf_moves *moves) {
    const size_t words = pf_cover_words(moves->n), widest = pfi_moves_widest_level(moves);
    uint64_t *sets = malloc(2 * widest * words * sizeof *sets + 1);
    if (sets) moves->follows = calloc((moves->n + 1u) * words + 1, sizeof *moves->follows);
    if (moves->follows) add_follows(moves, words, sets, widest);
    free(sets);
    return moves->follows ? PF_OK : pf_nomem();
}

/* ---- names ---- */

enum { NAME_BYTES = 600 };

typedef struct {
    char text[NAME_BYTES];
    size_t length;
    bool known;
} space_name;

static void add_text(space_name *name, const char *text) {
    size_t length = strlen(text);
    name->known = name->known && name->length + length < NAME_BYTES;
    if (!name->known) return;
    memcpy(name->text + name->length, text, length + 1);
    name->length += length;
}

static void add_constraint(space_name *name, const pf_con *con) {
    size_t parts = 0;
    pf_con *const *part = con->cls->parts ? con->cls->parts(con, &parts) : NULL;
    /* A sentence shares its tree with no other one, and a search with a beam sees little of its space. */
    if ((!part && !con->spec) || con->cls == &pfi_con_tree) name->known = false;
    add_text(name, part ? con->cls->name : con->spec ? con->spec : "");
    for (size_t i = 0; part && i < parts; i++) {
        add_text(name, "(");
        add_constraint(name, part[i]);
        add_text(name, ")");
    }
}

static void add_weights(space_name *name, const pf_wm *wm) {
    char number[80];
    size_t parts = 0;
    pf_wm *const *part = wm->cls->parts ? wm->cls->parts(wm, &parts) : NULL;
    if (wm->cost) name->known = false;
    snprintf(number, sizeof number, ":%a*%a", wm->param, wm->scale);
    add_text(name, "\n");
    add_text(name, wm->cls->name);
    if (!part) add_text(name, number);
    for (size_t i = 0; part && i < parts; i++) add_weights(name, part[i]);
}

static space_name name_of(const pf_con *con, const pf_wm *wm) {
    space_name name = {.known = true};
    char length[24];
    snprintf(length, sizeof length, "%u ", con->n);
    add_text(&name, length);
    add_constraint(&name, pf_con_inner(con));
    add_weights(&name, wm);
    return name;
}

/* ---- the store ---- */

typedef struct {
    char *name;
    pf_moves *moves;  /* none: level is NULL */
    uint32_t tried;   /* none: there are more moves than these */
    unsigned users;
    bool busy;        /* a thread works at the table; nobody else reads how far it is */
    uint64_t last;    /* when it was taken */
} stored_moves;

struct pf_moves_store {
    pthread_mutex_t lock;
    pthread_cond_t done; /* a thread has ended its work at a table */
    PF_VEC(stored_moves) all;
    uint64_t most_bytes, taken;
};

pf_err pf_moves_store_new(uint64_t most_bytes, pf_moves_store **out) {
    pf_moves_store *store = calloc(1, sizeof *store);
    if (!store) return pf_nomem();
    store->most_bytes = most_bytes;
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->done, NULL);
    *out = store;
    return PF_OK;
}

static void stored_free(stored_moves *one) {
    pfi_moves_clear(one->moves);
    free(one->moves);
    free(one->name);
}

void pf_moves_store_free(pf_moves_store *store) {
    if (!store) return;
    for (size_t at = 0; at < store->all.n; at++) {
        assert(!store->all.at[at].users && !store->all.at[at].busy);
        stored_free(&store->all.at[at]);
    }
    PF_VEC_FREE(&store->all);
    pthread_cond_destroy(&store->done);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static void drop(pf_moves_store *store, stored_moves *one) {
    stored_free(one);
    *one = store->all.at[--store->all.n];
}

enum { MOST_SPACES = 1024 }; /* that are known, with a table or without one: walls and zones make many of them */

/* Gives up tables that nobody uses, the one first that was not taken for the longest time, until the others fit. */
static void shrink(pf_moves_store *store) {
    for (;;) {
        uint64_t bytes = 0;
        size_t oldest = store->all.n;
        for (size_t at = 0; at < store->all.n; at++) {
            const stored_moves *one = &store->all.at[at];
            if (one->busy) continue;
            if (one->moves->level) bytes += pf_moves_bytes(one->moves);
            if (!one->users && (oldest == store->all.n || one->last < store->all.at[oldest].last)) oldest = at;
        }
        if ((bytes <= store->most_bytes && store->all.n <= MOST_SPACES) || oldest == store->all.n) return;
        drop(store, &store->all.at[oldest]);
    }
}

/* What is asked of a store. */
typedef struct {
    const pf_con *con;
    const pf_wm *wm;
    const pfi_moves_task *task;
    bool for_search; /* with `arrivals` and `follows` */
} moves_wish;

static bool keeps_limits(const pf_moves *moves, const pfi_moves_task *task) {
    return moves->first[moves->states] <= task->limits.most && (!task->max_states || moves->states <= task->max_states);
}

/* Is what is stored all that there will be for this wish? */
static bool is_ready(const stored_moves *one, const moves_wish *wish) {
    if (!one->moves->level) return one->tried && one->tried >= wish->task->limits.most;
    return !wish->for_search || one->moves->follows || !keeps_limits(one->moves, wish->task);
}

/* What a table lacks. After an error of memory the rest is made when it is next asked for. */
static pf_err make(const moves_wish *wish, pf_moves *moves, bool *stopped) {
    if (!moves->level) PF_TRY(pfi_moves_make(wish->con, wish->wm, wish->task, moves, stopped));
    if (!moves->level || !wish->for_search) return PF_OK;
    if (!moves->arrivals.of) PF_TRY(pfi_arrivals_make(moves));
    return fill_follows(moves);
}

static stored_moves *find(pf_moves_store *store, const char *name) {
    for (size_t at = 0; at < store->all.n; at++)
        if (strcmp(store->all.at[at].name, name) == 0) return &store->all.at[at];
    return NULL;
}

static pf_err add_empty(pf_moves_store *store, const char *name) {
    stored_moves one = {.name = strdup(name), .moves = calloc(1, sizeof *one.moves)};
    pf_err err = one.name && one.moves ? PF_PUSH(&store->all, one) : pf_nomem();
    if (err) {
        free(one.name);
        free(one.moves);
    }
    return err;
}

/* Makes what is lacking; the lock is open meanwhile. What has no table, for want of memory or time, is forgotten: *one is NULL. */
static pf_err work(pf_moves_store *store, const char *name, const moves_wish *wish, stored_moves **one) {
    pf_moves *moves = (*one)->moves;
    bool stopped = false;
    (*one)->busy = true;
    pthread_mutex_unlock(&store->lock);
    pf_err err = make(wish, moves, &stopped);
    pthread_mutex_lock(&store->lock);
    *one = find(store, name); /* the others may have moved it */
    (*one)->busy = false;
    pthread_cond_broadcast(&store->done);
    if (moves->level) return err;
    if (!err && !stopped) {
        (*one)->tried = wish->task->limits.most;
        return PF_OK;
    }
    drop(store, *one);
    *one = NULL;
    return err;
}

/* Under the lock. */
static pf_err take(pf_moves_store *store, const char *name, const moves_wish *wish, const pf_moves **out) {
    stored_moves *one;
    while ((one = find(store, name)) && one->busy) pthread_cond_wait(&store->done, &store->lock);
    if (!one) {
        PF_TRY(add_empty(store, name));
        one = &store->all.at[store->all.n - 1];
    }
    if (!is_ready(one, wish)) PF_TRY(work(store, name, wish, &one));
    if (!one) return PF_OK;
    one->last = ++store->taken;
    if (one->moves->level && keeps_limits(one->moves, wish->task)) {
        one->users++;
        *out = one->moves;
    }
    shrink(store);
    return PF_OK;
}

static pf_err take_named(pf_moves_store *store, const moves_wish *wish, const pf_moves **out) {
    const space_name name = name_of(wish->con, wish->wm);
    *out = NULL;
    if (!name.known) return PF_OK;
    pthread_mutex_lock(&store->lock);
    pf_err err = take(store, name.text, wish, out);
    pthread_mutex_unlock(&store->lock);
    return err;
}

pf_err pf_moves_take(pf_moves_store *store, const pf_con *con, const pf_wm *wm, const pf_moves_limits *limits,
                     const pf_moves **out) {
    *out = NULL;
    if (con->looks_ahead) return PF_OK;
    return take_named(store, &(moves_wish){con, wm, &(pfi_moves_task){.limits = *limits}, true}, out);
}

pf_err pfi_moves_share(pf_moves_store *store, const pf_con *con, const pf_wm *wm, const pfi_moves_task *task,
                       const pf_moves **out) {
    return take_named(store, &(moves_wish){con, wm, task, false}, out);
}

void pf_moves_give_back(pf_moves_store *store, const pf_moves *moves) {
    if (!moves) return;
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < store->all.n; i++) store->all.at[i].users -= store->all.at[i].moves == moves;
    shrink(store);
    pthread_mutex_unlock(&store->lock);
}
