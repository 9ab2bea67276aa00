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

enum { FIRST_SLOT_BITS = 9, SLOTS_A_WORD = 4, LEAST_SLOTS_A_WORD = 2 };

typedef PF_VEC(uint64_t) word_list;

/* The words of a level, and those of the next one, by number. The latter are found by open addressing: a slot has the state of a
 * word. A slot is empty where its state is below those of the next level, so that slots need not be cleared after each level. There
 * are SLOTS_A_WORD slots for each word of a level when the next one begins, and never fewer than LEAST_SLOTS_A_WORD a word. */
typedef struct {
    word_list word, next;
    uint32_t next_level; /* the first state of the next level */
    uint32_t *slot;
    unsigned bits, room; /* 1 << bits slots are used; there are 1 << room of them */
} word_states;

static void word_states_free(word_states *words) {
    PF_VEC_FREE(&words->word);
    PF_VEC_FREE(&words->next);
    free(words->slot);
}

/* The states of some words, new ones where they are not there. There is room for them. */
static void states_of(word_states *words, const uint64_t *word, unsigned n, uint32_t *state) {
    const uint32_t next_level = words->next_level;
    const unsigned shift = 64 - words->bits;
    const size_t mask = ((size_t)1 << words->bits) - 1;
    uint32_t *slot = words->slot;
    uint64_t *next = words->next.at;
    size_t count = words->next.n;
    assert(count + n <= words->next.cap && (count + n) * LEAST_SLOTS_A_WORD <= mask + 1);
    for (unsigned i = 0; i < n; i++) {
        const uint64_t key = word[i];
        size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> shift);
        uint32_t found;
        while ((found = slot[at]) >= next_level && next[found - next_level] != key) at = (at + 1) & mask;
        if (found < next_level) {
            slot[at] = found = next_level + (uint32_t)count;
            next[count++] = key;
        }
        state[i] = found;
    }
    words->next.n = count;
}

/* Puts the words of the next level into so many slots. */
static pf_err use_slots(word_states *words, unsigned bits) {
    const size_t count = words->next.n;
    if (bits > words->room) {
        free(words->slot);
        words->room = 0;
        words->slot = calloc((size_t)1 << bits, sizeof *words->slot);
        if (!words->slot) return pf_nomem();
        words->room = bits;
    } else if (count) {
        memset(words->slot, 0, sizeof *words->slot << bits);
    }
    words->bits = bits;
    words->next.n = 0;
    for (uint32_t state; words->next.n < count;) states_of(words, &words->next.at[words->next.n], 1, &state);
    return PF_OK;
}

/* The next level begins at a state. It will have about as many words as this one, or more. */
static pf_err words_begin(word_states *words, uint32_t next_level) {
    unsigned bits = FIRST_SLOT_BITS;
    while ((size_t)1 << bits < SLOTS_A_WORD * words->word.n) bits++;
    words->next_level = next_level;
    words->next.n = 0;
    return use_slots(words, bits);
}

/* Room for so many words. */
static pf_err words_room(word_states *words, size_t more) {
    while ((words->next.n + more) * LEAST_SLOTS_A_WORD > (size_t)1 << words->bits) PF_TRY(use_slots(words, words->bits + 1));
    return PF_ROOM(&words->next, more);
}

/* ---- making a table ---- */

typedef struct {
    const pfi_moves_task *task;
    pfi_perm_walk walk;
    bool is_short;             /* no move costs anything, and states have short keys: */
    pfi_short_keys keys;
    word_states words;
    pf_statetab states, next_states; /* of other spaces: the states of two levels */
    unsigned char *key;        /* scratch */
    bool costs;                /* are there any? */
    bool stopped;              /* the time is over */
    PF_VEC(uint32_t) level, first, to;
    PF_VEC(uint16_t) position;
    PF_VEC(double) cost;
    size_t room;               /* for moves, in `to`, `position` and `cost` */
} moves_maker;

static void maker_free(moves_maker *maker) {
    pfi_perm_walk_free(&maker->walk);
    word_states_free(&maker->words);
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
static size_t states_of_next(const moves_maker *maker) { return maker->is_short ? maker->words.next.n : maker->next_states.n; }

enum { STATES_A_LOOK = 1024 };

static pf_err grow(moves_maker *maker, size_t more) {
    PF_TRY(PF_ROOM(&maker->to, more));
    PF_TRY(PF_ROOM(&maker->position, more));
    maker->room = maker->to.cap < maker->position.cap ? maker->to.cap : maker->position.cap;
    if (!maker->costs) return PF_OK;
    PF_TRY(PF_ROOM(&maker->cost, more));
    if (maker->room > maker->cost.cap) maker->room = maker->cost.cap;
    return PF_OK;
}

/* Room for so many moves. */
static pf_err moves_room(moves_maker *maker, size_t more) {
    return maker->to.n + more <= maker->room ? PF_OK : grow(maker, more);
}

/* The moves of *count more states begin, `left` states before the end of their level. *count becomes less where there may not be so
 * many states. */
static pf_err begin_states(moves_maker *maker, size_t left, size_t *count) {
    const pfi_moves_task *task = maker->task;
    const uint64_t state = maker->first.n, state_of_level = state - maker->level.at[maker->level.n - 1];
    if (task->max_states) {
        if (state >= task->max_states) return pf_fst_past_limit(state, left + states_of_next(maker));
        if (*count > task->max_states - state) *count = (size_t)(task->max_states - state);
    }
    for (size_t i = 0; task->asker && i < *count; i++) PF_TRY(pf_fst_look(task->asker, state + i));
    if (state_of_level % STATES_A_LOOK == 0 && task->limits.expired) maker->stopped = task->limits.expired(task->limits.self);
    return PF_OK;
}

/* Are so many more moves within the limits? */
static bool may_add(const moves_maker *maker, size_t moves) {
    return !maker->stopped && maker->to.n + moves <= maker->task->limits.most;
}

/* ---- states that are words ---- */

enum { STATES_AT_ONCE = 64 };

/* Takes some states at a time: first their moves, with the words after them, then the states of these words. */
static pf_err add_words(moves_maker *maker, uint32_t next_level, bool *whole) {
    word_states *words = &maker->words;
    uint16_t position[STATES_AT_ONCE * PFI_SHORT_MOVES];
    uint64_t next[STATES_AT_ONCE * PFI_SHORT_MOVES];
    PF_TRY(words_begin(words, next_level));
    for (size_t at = 0, states; at < words->word.n; at += states) {
        const size_t left = words->word.n - at;
        states = left < STATES_AT_ONCE ? left : STATES_AT_ONCE;
        PF_TRY(begin_states(maker, left, &states));
        PF_TRY(PF_ROOM(&maker->first, states));
        uint32_t *first = &maker->first.at[maker->first.n];
        const unsigned count = pfi_short_moves(&maker->keys, &words->word.at[at], (unsigned)states, first, position, next);
        *whole = may_add(maker, count);
        if (!*whole) return PF_OK;
        for (size_t i = 0; i < states; i++) first[i] += (uint32_t)maker->to.n;
        maker->first.n += states;
        if (!count) continue; /* all positions are covered */
        PF_TRY(words_room(words, count));
        PF_TRY(moves_room(maker, count));
        memcpy(&maker->position.at[maker->to.n], position, count * sizeof *position);
        states_of(words, next, count, &maker->to.at[maker->to.n]);
        maker->to.n = maker->position.n += count;
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
        size_t one = 1;
        PF_TRY(begin_states(maker, maker->states.n - state, &one));
        *whole = may_add(maker, maker->walk.count);
        if (!*whole) return PF_OK;
        PF_TRY(moves_room(maker, maker->walk.count));
        PF_TRY(PF_PUSH(&maker->first, (uint32_t)maker->to.n));
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
    const word_list words = maker->words.word;
    const pf_statetab states = maker->states;
    maker->words.word = maker->words.next;
    maker->words.next = words;
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
static pf_err make_room(moves_maker *maker, const pf_moves_size *size) {
    if (!size->known || size->moves > maker->task->limits.most) return PF_OK;
    if (maker->task->max_states && size->states > (double)maker->task->max_states) return PF_OK;
    PF_TRY(PF_ROOM(&maker->first, (size_t)size->states + 1));
    return moves_room(maker, (size_t)size->moves);
}

static pf_err maker_init(moves_maker *maker, const pf_con *con, const pf_wm *wm, const pfi_moves_task *task,
    const pf_moves_size *size) {
    *maker = (moves_maker){.task = task, .costs = pf_wm_weighs(wm)};
    PF_TRY(pfi_perm_walk_init(&maker->walk, con, wm));
    maker->is_short = !maker->costs && pfi_short_keys_init(&maker->keys, con);
    pf_statetab_init(&maker->states, pfi_perm_walk_fixed(&maker->walk));
    pf_statetab_init(&maker->next_states, pfi_perm_walk_fixed(&maker->walk));
    maker->key = malloc(pfi_perm_walk_room(&maker->walk));
    return maker->key ? make_room(maker, size) : pf_nomem();
}

/* Is nothing to be made, as there are too many moves? States of a weight model make them more. A limit of states is an error, which
 * tells how many there are. */
static bool is_too_large(const pf_moves_size *size, const pfi_moves_task *task) {
    return size->known && size->moves > task->limits.most && !task->max_states;
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
    *stopped = false;
    const pf_moves_size size = pf_moves_size_of(con, wm);
    if (is_too_large(&size, task)) return PF_OK;
    pf_err err = maker_init(&maker, con, wm, task, &size);
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
