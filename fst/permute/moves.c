/* Tables of moves: their sizes, and a store of those that searches share. */
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
        + moves->states * (sizeof *moves->first + sizeof *moves->arrivals) + (moves->n + 2u) * sizeof *moves->level
        + sizeof *moves + count * (each + (moves->cost ? sizeof *moves->cost : 0));
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

static pf_err count_arrivals(pf_moves *moves) {
    moves->arrivals = calloc(moves->states, sizeof *moves->arrivals);
    if (!moves->arrivals) return pf_nomem();
    for (uint32_t i = 0; i < moves->first[moves->states]; i++) {
        uint8_t *count = &moves->arrivals[moves->to[i]];
        if (*count < UINT8_MAX) ++*count;
    }
    return PF_OK;
}

/* Which positions follow which: where a move leads to a state, those of the moves from there. */
static pf_err fill_follows(pf_moves *moves) {
    const size_t words = pf_cover_words(moves->n);
    moves->follows = calloc((moves->n + 1u) * words + 1, sizeof *moves->follows);
    if (!moves->follows) return pf_nomem();
    for (uint32_t i = 0; i < moves->first[moves->states]; i++) {
        uint64_t *after = &moves->follows[moves->position[i] * words];
        for (uint32_t k = moves->first[moves->to[i]]; k < moves->first[moves->to[i] + 1]; k++)
            pf_cover_put(after, moves->position[k]);
    }
    for (uint32_t k = moves->first[0]; k < moves->first[1]; k++)
        pf_cover_put(&moves->follows[moves->n * words], moves->position[k]);
    return PF_OK;
}

/* ---- names ---- */

enum { NAME_BYTES = 600 };

typedef struct {
    char text[NAME_BYTES];
    size_t n;
    bool known;
} space_name;

static void add_text(space_name *name, const char *text) {
    size_t length = strlen(text);
    name->known = name->known && name->n + length < NAME_BYTES;
    if (!name->known) return;
    memcpy(name->text + name->n, text, length + 1);
    name->n += length;
}

static void add_constraint(space_name *name, const pf_con *con) {
    size_t parts = 0;
    pf_con *const *part = con->cls->parts ? con->cls->parts(con, &parts) : NULL;
    /* A sentence shares its tree with no other one, and a search with a beam sees little of its space. */
    if (con->looks_ahead || (!part && !con->spec) || con->cls == &pfi_con_tree) name->known = false;
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
    add_constraint(&name, con);
    add_weights(&name, wm);
    return name;
}

/* ---- the store ---- */

typedef struct {
    char *name;
    pf_moves *moves;  /* none: level is NULL */
    unsigned users;
    uint64_t last;    /* when it was taken */
} stored_moves;

struct pf_moves_store {
    pthread_mutex_t lock;
    PF_VEC(stored_moves) all;
    uint64_t most_bytes, taken;
};

pf_err pf_moves_store_new(uint64_t most_bytes, pf_moves_store **out) {
    pf_moves_store *store = calloc(1, sizeof *store);
    if (!store) return pf_nomem();
    store->most_bytes = most_bytes;
    pthread_mutex_init(&store->lock, NULL);
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
    for (size_t i = 0; i < store->all.n; i++) {
        assert(!store->all.at[i].users);
        stored_free(&store->all.at[i]);
    }
    PF_VEC_FREE(&store->all);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

enum { MOST_SPACES = 1024 }; /* that are known, with a table or without one: walls and zones make many of them */

/* Gives up tables that nobody uses, the one first that was not taken for the longest time, until the others fit. */
static void shrink(pf_moves_store *store) {
    for (;;) {
        uint64_t bytes = 0;
        size_t oldest = store->all.n;
        for (size_t i = 0; i < store->all.n; i++) {
            const stored_moves *one = &store->all.at[i];
            if (one->moves->level) bytes += pf_moves_bytes(one->moves);
            if (!one->users && (oldest == store->all.n || one->last < store->all.at[oldest].last)) oldest = i;
        }
        if ((bytes <= store->most_bytes && store->all.n <= MOST_SPACES) || oldest == store->all.n) return;
        stored_free(&store->all.at[oldest]);
        store->all.at[oldest] = store->all.at[--store->all.n];
    }
}

static pf_err make(const pf_con *con, const pf_wm *wm, const pf_moves_limits *limits, pf_moves *moves, bool *stopped) {
    PF_TRY(pfi_moves_make(con, wm, &(pfi_moves_task){.limits = *limits}, moves, stopped));
    if (!moves->level) return PF_OK;
    PF_TRY(fill_follows(moves));
    return count_arrivals(moves);
}

/* One more table, or the knowledge that there is none; nothing where the time is over. */
static pf_err add(pf_moves_store *store, const char *name, const pf_con *con, const pf_wm *wm, const pf_moves_limits *limits) {
    bool stopped = false;
    stored_moves one = {.name = strdup(name), .moves = calloc(1, sizeof *one.moves)};
    pf_err err = one.name && one.moves ? PF_ROOM(&store->all, 1) : pf_nomem();
    if (!err) err = make(con, wm, limits, one.moves, &stopped);
    if (err || stopped) {
        if (one.moves) stored_free(&one);
        else free(one.name);
        return err;
    }
    store->all.at[store->all.n++] = one;
    return PF_OK;
}

/* Under the lock. */
static pf_err take(pf_moves_store *store, const char *name, const pf_con *con, const pf_wm *wm,
                   const pf_moves_limits *limits, const pf_moves **out) {
    size_t i = 0;
    while (i < store->all.n && strcmp(store->all.at[i].name, name) != 0) i++;
    if (i == store->all.n) PF_TRY(add(store, name, con, wm, limits));
    if (i == store->all.n) return PF_OK;
    stored_moves *one = &store->all.at[i];
    one->last = ++store->taken;
    if (one->moves->level) {
        one->users++;
        *out = one->moves;
    }
    shrink(store);
    return PF_OK;
}

pf_err pf_moves_take(pf_moves_store *store, const pf_con *con, const pf_wm *wm, const pf_moves_limits *limits,
                     const pf_moves **out) {
    const space_name name = name_of(con, wm);
    *out = NULL;
    if (!name.known) return PF_OK;
    pthread_mutex_lock(&store->lock);
    pf_err err = take(store, name.text, con, wm, limits, out);
    pthread_mutex_unlock(&store->lock);
    return err;
}

void pf_moves_give_back(pf_moves_store *store, const pf_moves *moves) {
    if (!moves) return;
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < store->all.n; i++) store->all.at[i].users -= store->all.at[i].moves == moves;
    shrink(store);
    pthread_mutex_unlock(&store->lock);
}
