/* All states and moves of a space, level by level.
 *
 * The states of a level are interned in a table of their own, which is small and is forgotten when the next level is done. So they
 * are numbered as they are first seen, which is the order of a machine whose states are expanded one after the other. */
#include "permute/moves_impl.h"

#include <permfst/base/statetab.h>
#include "base/contract.h"
#include "permute/perm_walk_impl.h"
#include "permute/short_key_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- the states of a level that are words ---- */

enum { FIRST_SLOT_BITS = 8, SLOTS_A_WORD = 4 };

/* Open addressing. At most one slot of SLOTS_A_WORD is taken. */
typedef struct {
    PF_VEC(uint64_t) word; /* by number */
    uint32_t *slot;        /* 1 + a number; 0 is empty */
    unsigned bits, room;   /* 1 << bits slots are used; there are 1 << room of them */
} word_level;

static void word_level_free(word_level *level) {
    PF_VEC_FREE(&level->word);
    free(level->slot);
}

static size_t slots_of(const word_level *level) { return (size_t)1 << level->bits; }

/* The slot of a word, or the empty one where it would go. */
static inline size_t slot_of(const word_level *level, uint64_t word) {
    size_t at = (size_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - level->bits));
    while (level->slot[at] && level->word.at[level->slot[at] - 1] != word) at = (at + 1) & (slots_of(level) - 1);
    return at;
}

static pf_err use_slots(word_level *level, unsigned bits) {
    if (bits > level->room || !level->slot) {
        free(level->slot);
        level->slot = malloc(sizeof *level->slot << bits);
        if (!level->slot) return pf_nomem();
        level->room = bits;
    }
    level->bits = bits;
    memset(level->slot, 0, slots_of(level) * sizeof *level->slot);
    for (uint32_t i = 0; i < level->word.n; i++) level->slot[slot_of(level, level->word.at[i])] = i + 1;
    return PF_OK;
}

/* Forgets the words. There will be about as many as `expected`, or more. */
static pf_err word_level_begin(word_level *level, size_t expected) {
    unsigned bits = FIRST_SLOT_BITS;
    while ((size_t)1 << bits < SLOTS_A_WORD * expected) bits++;
    level->word.n = 0;
    return use_slots(level, bits);
}

/* Room for so many words. */
static pf_err word_level_room(word_level *level, unsigned more) {
    while ((level->word.n + more) * SLOTS_A_WORD > slots_of(level)) PF_TRY(use_slots(level, level->bits + 1));
    return PF_ROOM(&level->word, more);
}

/* The number of a word, a new one if it is not there. There is room for it. */
static inline uint32_t number_of(word_level *level, uint64_t word) {
    const size_t at = slot_of(level, word);
    if (!level->slot[at]) {
        level->word.at[level->word.n++] = word;
        level->slot[at] = (uint32_t)level->word.n;
    }
    return level->slot[at] - 1;
}

/* ---- making a table ---- */

typedef struct {
    const pfi_moves_task *task;
    pfi_perm_walk walk;
    bool is_short;             /* no move costs anything, and states have short keys: */
    pfi_short_keys keys;
    word_level words, next_words; /* the states of two levels */
    pf_statetab states, next_states; /* the same of other spaces */
    unsigned char *key;        /* scratch */
    bool costs;                /* are there any? */
    bool stopped;              /* the time is over */
    PF_VEC(uint32_t) level, first, to;
    PF_VEC(uint16_t) position;
    PF_VEC(double) cost;
} moves_maker;

static void maker_free(moves_maker *maker) {
    pfi_perm_walk_free(&maker->walk);
    word_level_free(&maker->words);
    word_level_free(&maker->next_words);
    pf_statetab_free(&maker->states);
    pf_statetab_free(&maker->next_states);
    free(maker->key);
    PF_VEC_FREE(&maker->level);
    PF_VEC_FREE(&maker->first);
    PF_VEC_FREE(&maker->to);
    PF_VEC_FREE(&maker->position);
    PF_VEC_FREE(&maker->cost);
}

static size_t states_of_level(const moves_maker *maker) { return maker->is_short ? maker->words.word.n : maker->states.n; }
static size_t states_of_next(const moves_maker *maker) { return maker->is_short ? maker->next_words.word.n : maker->next_states.n; }

enum { STATES_A_LOOK = 1024 };

/* The moves of one more state begin, `left` states before the end of its level. */
static pf_err begin_state(moves_maker *maker, size_t left, unsigned count, bool *whole) {
    const pfi_moves_task *task = maker->task;
    const uint64_t state = maker->first.n, state_of_level = state - maker->level.at[maker->level.n - 1], move = maker->to.n;
    if (task->max_states && state >= task->max_states) return pf_fst_past_limit(state, left + states_of_next(maker));
    if (task->asker) PF_TRY(pf_fst_look(task->asker, state));
    if (state_of_level % STATES_A_LOOK == 0 && task->limits.expired) maker->stopped = task->limits.expired(task->limits.self);
    *whole = !maker->stopped && move + count <= task->limits.most;
    PF_TRY(PF_PUSH(&maker->first, (uint32_t)move));
    if (move + count > maker->to.cap) PF_TRY(PF_ROOM(&maker->to, count));
    if (move + count > maker->position.cap) PF_TRY(PF_ROOM(&maker->position, count));
    return maker->costs ? PF_ROOM(&maker->cost, count) : PF_OK;
}

/* ---- states that are words ---- */

static pf_err add_words(moves_maker *maker, uint32_t next_level, bool *whole) {
    const size_t count = maker->words.word.n;
    PF_TRY(word_level_begin(&maker->next_words, count));
    for (size_t at = 0; at < count; at++) {
        pfi_short_move moves[PFI_SHORT_MOVES];
        const unsigned n = pfi_short_moves(&maker->keys, maker->words.word.at[at], moves);
        PF_TRY(begin_state(maker, count - at, n, whole));
        if (!*whole) return PF_OK;
        PF_TRY(word_level_room(&maker->next_words, n));
        for (unsigned k = 0; k < n; k++) {
            maker->position.at[maker->position.n++] = (uint16_t)moves[k].position;
            maker->to.at[maker->to.n++] = next_level + number_of(&maker->next_words, moves[k].to);
        }
    }
    return PF_OK;
}

/* ---- any states ---- */

/* The state after a move, as a number in its level. */
static pf_err state_after(moves_maker *maker, unsigned position, uint32_t *to) {
    if (maker->next_states.fixed != sizeof(pf_cover)) {
        size_t length = pfi_perm_walk_step(&maker->walk, position, maker->key);
        return pf_statetab_intern(&maker->next_states, maker->key, length, to, NULL);
    }
    uint64_t cover;
    memcpy(&cover, maker->walk.con.key, sizeof cover);
    return pf_statetab_intern_word(&maker->next_states, 0, cover | UINT64_C(1) << position, to);
}

static pf_err add_moves(moves_maker *maker, uint32_t next_level) {
    const pf_con_walk *con = &maker->walk.con;
    const double *cost = maker->walk.cost;
    for (unsigned position = pf_con_walk_next(con, 0); position < con->con->n; position = pf_con_walk_next(con, position + 1)) {
        uint32_t to;
        PF_TRY(state_after(maker, position, &to));
        maker->position.at[maker->position.n++] = (uint16_t)position;
        maker->to.at[maker->to.n++] = next_level + to;
        if (maker->costs) maker->cost.at[maker->cost.n++] = *cost++;
    }
    return PF_OK;
}

static pf_err add_states(moves_maker *maker, uint32_t next_level, bool *whole) {
    pf_statetab_reset(&maker->next_states);
    for (uint32_t state = 0; state < maker->states.n; state++) {
        size_t length;
        const void *key = pf_statetab_key(&maker->states, state, &length);
        PF_TRY(pfi_perm_walk_load(&maker->walk, key, length));
        PF_TRY(begin_state(maker, maker->states.n - state, maker->walk.count, whole));
        if (!*whole) return PF_OK;
        PF_TRY(add_moves(maker, next_level));
    }
    return PF_OK;
}

/* ---- both ---- */

static pf_err add_start(moves_maker *maker) {
    uint32_t start;
    if (maker->is_short) return PF_PUSH(&maker->words.word, pfi_short_start(&maker->keys));
    return pf_statetab_intern(&maker->states, maker->walk.con.key, pfi_perm_walk_start(&maker->walk), &start, NULL);
}

static void go_on(moves_maker *maker) {
    const word_level words = maker->words;
    const pf_statetab states = maker->states;
    maker->words = maker->next_words;
    maker->next_words = words;
    maker->states = maker->next_states;
    maker->next_states = states;
}

static pf_err add_all(moves_maker *maker, bool *whole) {
    uint32_t level = 0;
    *whole = true;
    PF_TRY(add_start(maker));
    while (states_of_level(maker) && *whole) {
        PF_TRY(PF_PUSH(&maker->level, level));
        level += (uint32_t)states_of_level(maker);
        PF_TRY(maker->is_short ? add_words(maker, level, whole) : add_states(maker, level, whole));
        go_on(maker);
    }
    PF_TRY(PF_PUSH(&maker->level, level));
    return PF_PUSH(&maker->first, (uint32_t)maker->to.n);
}

/* As much as will be needed, where that is known; states of a weight model make it more. */
static pf_err make_room(moves_maker *maker, const pf_con *con, const pf_wm *wm) {
    const pf_moves_size size = pf_moves_size_of(con, wm);
    if (!size.known || size.moves > maker->task->limits.most) return PF_OK;
    if (maker->task->max_states && size.states > (double)maker->task->max_states) return PF_OK;
    PF_TRY(PF_ROOM(&maker->first, (size_t)size.states + 1));
    PF_TRY(PF_ROOM(&maker->position, (size_t)size.moves));
    PF_TRY(PF_ROOM(&maker->to, (size_t)size.moves));
    return maker->costs ? PF_ROOM(&maker->cost, (size_t)size.moves) : PF_OK;
}

static pf_err maker_init(moves_maker *maker, const pf_con *con, const pf_wm *wm, const pfi_moves_task *task) {
    *maker = (moves_maker){.task = task, .costs = pf_wm_weighs(wm)};
    PF_TRY(pfi_perm_walk_init(&maker->walk, con, wm));
    maker->is_short = !maker->costs && pfi_short_keys_init(&maker->keys, con);
    pf_statetab_init(&maker->states, pfi_perm_walk_fixed(&maker->walk));
    pf_statetab_init(&maker->next_states, pfi_perm_walk_fixed(&maker->walk));
    maker->key = malloc(pfi_perm_walk_room(&maker->walk));
    return maker->key ? make_room(maker, con, wm) : pf_nomem();
}

/* For checks: do levels follow one another, and does each move lead to the next one? */
static bool moves_in_order(const pf_moves *moves) {
    for (unsigned level = 0; level <= moves->n; level++)
        for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++)
            for (uint32_t move = moves->first[state]; move < moves->first[state + 1]; move++) {
                if (level == moves->n || moves->position[move] >= moves->n) return false;
                if (moves->to[move] < moves->level[level + 1] || moves->to[move] >= moves->level[level + 2]) return false;
            }
    return moves->level[0] == 0 && moves->level[1] == 1 && moves->level[moves->n + 1] == moves->states;
}

pf_err pfi_moves_make(const pf_con *con, const pf_wm *wm, const pfi_moves_task *task, pf_moves *moves, bool *stopped) {
    moves_maker maker;
    bool whole;
    *moves = (pf_moves){.n = con->n};
    pf_err err = maker_init(&maker, con, wm, task);
    if (!err) err = add_all(&maker, &whole);
    if (!err && whole) {
        moves->states = (uint32_t)maker.first.n - 1;
        moves->level = maker.level.at;
        moves->first = maker.first.at;
        moves->position = maker.position.at;
        moves->to = maker.to.at;
        moves->cost = maker.cost.at;
        maker.level.at = maker.first.at = maker.to.at = NULL;
        maker.position.at = NULL;
        maker.cost.at = NULL;
        PFI_CHECK(moves_in_order(moves));
    }
    *stopped = maker.stopped;
    maker_free(&maker);
    return err;
}

void pfi_moves_clear(pf_moves *moves) {
    free(moves->level);
    free(moves->first);
    free(moves->position);
    free(moves->to);
    pfi_arrivals_clear(&moves->arrivals);
    free(moves->cost);
    free(moves->follows);
}
