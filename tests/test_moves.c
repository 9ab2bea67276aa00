/* Tables of moves against the permutation automaton, state by state; and the store that keeps them. */
#include "check.h"
#include "draw.h"
#include "paths.h"
#include "permute/moves_impl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The space of an automaton, and what its moves cost. */
static void parts_of(pf_fst *perm, const pf_con **con, const pf_wm **wm) {
    pf_slots_view view;
    perm->op->slots(perm->self, &view);
    *con = pf_fst_space(perm);
    *wm = view.weights;
}

/* Both are walked at once, and each state of one belongs to one state of the other. The words of the sentence cost nothing. */
static void expect_same_moves(const pf_moves *moves, pf_fst *perm) {
    uint32_t *state = malloc(moves->states * sizeof *state);
    assert_non_null(state);
    for (uint32_t s = 0; s < moves->states; s++) state[s] = PF_NO_STATE;
    state[0] = perm->start;
    for (uint32_t s = 0; s < moves->states; s++) {
        assert_true(state[s] != PF_NO_STATE);
        pf_arcs arcs = pf_fst_arcs(perm, state[s]);
        assert_int_equal(arcs.n, moves->first[s + 1] - moves->first[s]);
        assert_int_equal(pf_fst_final(perm, state[s]) < INFINITY, s + 1 == moves->states);
        for (uint32_t i = 0; i < arcs.n; i++) {
            const uint32_t move = moves->first[s] + i, to = moves->to[move];
            assert_int_equal(arcs.arc[i].in, moves->position[move] + 1);
            assert_true(arcs.arc[i].w == (moves->cost ? (float)moves->cost[move] : 0));
            if (state[to] == PF_NO_STATE) state[to] = arcs.arc[i].to;
            assert_int_equal(state[to], arcs.arc[i].to);
        }
    }
    assert_int_equal(pf_fst_complete(perm), PF_OK);
    assert_int_equal(pf_fst_states(perm), moves->states);
    free(state);
}

static size_t tables;

static void a_table_is_the_automaton(void **unused) {
    (void)unused;
    pf_moves_store *store;
    assert_int_equal(pf_moves_store_new(1 << 20, &store), PF_OK);
    for (size_t i = 0; i < SPACES; i++)
        for (unsigned n = 0; n <= 7; n++) {
            pf_fst *linear = sentence(texts[1], n, false), *perm = permute(linear, &spaces[i]);
            const pf_moves *moves;
            const pf_con *con;
            const pf_wm *wm;
            parts_of(perm, &con, &wm);
            assert_int_equal(pf_moves_take(store, con, wm, &(pf_moves_limits){.most = 1 << 20}, &moves), PF_OK);
            assert_true((moves != NULL) != con->looks_ahead);
            if (moves) expect_same_moves(moves, perm);
            tables += moves != NULL;
            pf_moves_give_back(store, moves);
            pf_fst_free(perm);
            pf_fst_free(linear);
        }
    assert_true(tables > 50);
    pf_moves_store_free(store);
}

/* Looks at the time, of which *self are left. */
static bool after_looks(void *self) { return (*(int *)self)-- <= 0; }

/* What the time was too short for is made when there is time for it. */
static void a_table_is_made_in_its_time(void **unused) {
    pf_moves_store *store;
    pf_con *con;
    pf_wm *wm;
    const pf_moves *moves;
    (void)unused;
    assert_int_equal(pf_moves_store_new(1 << 20, &store), PF_OK);
    assert_int_equal(pf_con_new("itg", 9, &con), PF_OK);
    assert_int_equal(pf_wm_sum(NULL, 0, 9, &wm), PF_OK);
    for (int looks = 0; looks < 12; looks++) {
        int left = looks;
        const pf_moves_limits limits = {1 << 20, after_looks, &left};
        assert_int_equal(pf_moves_take(store, con, wm, &limits, &moves), PF_OK);
        assert_int_equal(moves != NULL, looks >= 10); /* a look for each level */
        pf_moves_give_back(store, moves);
    }
    assert_non_null(moves);
    pf_wm_free(wm);
    pf_con_free(con);
    pf_moves_store_free(store);
}

static void tables_are_shared_and_told_apart(void **unused) {
    (void)unused;
    pf_moves_store *store;
    static const struct {
        const char *con, *wm;
        unsigned n;
    } different[] = {{"ibm:2", NULL, 6}, {"ibm:3", NULL, 6}, {"ibm:2", NULL, 7}, {"local:2", NULL, 6}, {"ibm:2", "monotone:0.5", 6},
                     {"ibm:2", "monotone:0.25", 6}, {"ibm:2", "monotone:0.5*2", 6}, {"ibm:2", "monotone:0.25*2", 6},
                     {"ibm:2", "monotone:0.5*-2", 6}, {"ibm:2+local:2", NULL, 6}, {"ibm:2|local:2", NULL, 6}};
    enum { KINDS = sizeof different / sizeof *different };
    const pf_moves *first[KINDS];
    assert_int_equal(pf_moves_store_new(0, &store), PF_OK);
    for (size_t i = 0; i < KINDS; i++) first[i] = take_moves(store, different[i].con, different[i].n, different[i].wm, 1000);
    for (size_t i = 0; i < KINDS; i++) {
        if (!first[i]) continue;
        for (size_t k = 0; k < i; k++) assert_true(first[i] != first[k]);
        assert_ptr_equal(take_moves(store, different[i].con, different[i].n, different[i].wm, 1000), first[i]);
        pf_moves_give_back(store, first[i]);
    }
    assert_non_null(first[0]);
    for (size_t i = 0; i < KINDS; i++) pf_moves_give_back(store, first[i]);
    pf_moves_give_back(store, NULL);
    pf_moves_store_free(store);
}

/* What nobody uses goes, the oldest first, when there is no more room; what is in use stays. */
static void what_is_in_use_stays(void **unused) {
    (void)unused;
    pf_moves_store *store;
    assert_int_equal(pf_moves_store_new(4000, &store), PF_OK);
    const pf_moves *held = take_moves(store, "none", 4, NULL, 1000);
    assert_int_equal(held->states, 16);
    for (unsigned n = 1; n <= 9; n++) pf_moves_give_back(store, take_moves(store, "none", n, NULL, 100000));
    assert_ptr_equal(take_moves(store, "none", 4, NULL, 1000), held);
    assert_int_equal(held->states, 16);
    pf_moves_give_back(store, held);
    pf_moves_give_back(store, held);
    pf_moves_store_free(store);
}

/* Spaces that differ from sentence to sentence do not pile up: what was known of the first is asked again. */
static void few_spaces_are_known(void **unused) {
    (void)unused;
    pf_moves_store *store;
    char spec[40];
    assert_int_equal(pf_moves_store_new(1 << 30, &store), PF_OK);
    assert_null(take_moves(store, "none", 6, NULL, 10));
    for (unsigned wall = 1; wall <= 1100; wall++) {
        snprintf(spec, sizeof spec, "wall:%u", wall);
        pf_moves_give_back(store, take_moves(store, spec, 1101, NULL, 50));
    }
    const pf_moves *moves = take_moves(store, "none", 6, NULL, 1000);
    assert_non_null(moves);
    pf_moves_give_back(store, moves);
    pf_moves_store_free(store);
}

static void there_is_no_table_of_too_many_moves(void **unused) {
    (void)unused;
    pf_moves_store *store;
    assert_int_equal(pf_moves_store_new(1 << 20, &store), PF_OK);
    assert_null(take_moves(store, "none", 5, NULL, 79));
    assert_null(take_moves(store, "none", 5, NULL, 79));
    const pf_moves *moves = take_moves(store, "none", 4, NULL, 32); /* 4 x 2^3 */
    assert_non_null(moves);
    pf_moves_give_back(store, moves);
    pf_moves_store_free(store);
}

/* ---- short keys ---- */

/* Words that cost something, and two ways to say the last one. */
static pf_fst *words_of(unsigned n) {
    pf_build build = {0};
    pf_fst *fst;
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(pf_build_arc(&build, i, (pf_label)i % 5 + 1, (pf_label)i % 5 + 1, (float)(i % 3) / 4, i + 1), PF_OK);
    if (n) assert_int_equal(pf_build_arc(&build, n - 1, 9, 9, -0.0f, n), PF_OK);
    assert_int_equal(pf_build_final(&build, n, 0.5f), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    return fst;
}

/* Weights that are all 0 take the plain way. */
static pf_fst *automaton(pf_fst *words, const char *spec, bool plain) {
    const pf_weight weight = {.spec = "inversions:0"};
    pf_fst *perm;
    assert_int_equal(pf_perm_lazy(words, &(pf_perm_spec){&spec, 1, &weight, plain, false}, &perm), PF_OK);
    return perm;
}

/* One state of both: the same arcs in the same order, bits of weights included. Where they lead to in either. */
static pf_arcs expect_same_state(pf_fst *some, pf_fst *other, pf_state state, uint64_t *cover, size_t words) {
    pf_arcs one = pf_fst_arcs(some, state), two = pf_fst_arcs(other, state);
    assert_int_equal(one.n, two.n);
    if (one.n) assert_memory_equal(one.arc, two.arc, one.n * sizeof *one.arc);
    assert_true(pf_fst_final(some, state) == pf_fst_final(other, state));
    some->op->cover(some->self, state, cover);
    other->op->cover(other->self, state, cover + words);
    assert_memory_equal(cover, cover + words, words * sizeof *cover);
    return one;
}

/* States have the same numbers: all of them, or the first that have 20,000 arcs together, and then those of random paths to the
 * end, which has states that a search in breadth does not come to. */
static void expect_same_automata(pf_fst *some, pf_fst *other, unsigned n) {
    enum { MOST_ARCS = 20000, PATHS = 16 };
    const size_t words = pf_cover_words(n);
    uint64_t *cover = calloc(2 * words, sizeof *cover);
    size_t seen = 0;
    pf_state states = 1, state;
    assert_non_null(cover);
    assert_int_equal(some->start, other->start);
    for (state = 0; state < states && seen < MOST_ARCS; state++) {
        pf_arcs arcs = expect_same_state(some, other, state, cover, words);
        for (uint32_t i = 0; i < arcs.n; i++)
            if (arcs.arc[i].to >= states) states = arcs.arc[i].to + 1;
        seen += arcs.n;
    }
    for (uint64_t draw = 0, seed = n; draw < PATHS && state < states; draw++) {
        pf_arcs arcs = expect_same_state(some, other, some->start, cover, words);
        while (arcs.n) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            arcs = expect_same_state(some, other, arcs.arc[(seed >> 33) % arcs.n].to, cover, words);
        }
    }
    assert_int_equal(pf_fst_error(some), PF_OK);
    assert_int_equal(pf_fst_error(other), PF_OK);
    free(cover);
}

/* Spaces with short keys, at lengths around those at which their form changes. */
static const struct {
    const char *spec;
    unsigned from, to, step;
} lengths[] = {
    {"local:1", 0, 140, 23}, {"local:2", 0, 12, 1}, {"local:3", 60, 70, 1}, {"local:7", 20, 130, 22}, {"local:9", 8, 11, 1},
    {"mj:1", 0, 9, 1}, {"mj:2", 60, 67, 1}, {"mj:5", 4, 130, 31}, {"distortion:0", 0, 70, 35}, {"distortion:1", 0, 70, 35},
    {"distortion:2", 0, 12, 1}, {"distortion:3", 60, 68, 1}, {"distortion:6", 3, 130, 21}, {"displacement:1", 0, 10, 1},
    {"displacement:2", 60, 68, 1}, {"displacement:4", 5, 120, 23}, {"ibm:1", 0, 130, 26}, {"ibm:2", 0, 10, 1},
    {"ibm:2", 60, 130, 10}, {"ibm:3", 46, 80, 1}, {"ibm:4", 2, 8, 1}, {"ibm:4", 47, 66, 3}, {"ibm:5", 3, 20, 1},
    {"inverse-ibm:3", 0, 12, 1}, {"inverse-ibm:2", 60, 70, 5}, {"none", 0, 9, 1}, {"local:4+mj:3", 60, 70, 5},
    {"ibm:3+local:5", 40, 90, 10}, {"ibm:2+distortion:4", 50, 60, 5}, {"mj:3+distortion:3", 10, 14, 2},
    {"inverse-ibm:3+local:4+ibm:3", 64, 66, 1}, {"mj:3+inverse-ibm:2", 5, 75, 14},
    {"local:47", 40, 130, 3}, {"local:48", 47, 80, 5}, {"local:49", 48, 70, 1}, {"mj:41", 41, 90, 7}, {"mj:42", 41, 45, 1},
    {"distortion:42", 40, 80, 3}, {"distortion:43", 42, 46, 1}, {"ibm:48", 47, 50, 1}, {"none", 40, 66, 2},
    {"displacement:23", 40, 80, 8}, {"displacement:24", 47, 50, 1}, {"ibm:4", 200, 1100, 450},
};

static void short_keys_are_the_same_states(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned n = lengths[i].from; n <= lengths[i].to; n += lengths[i].step) {
            pf_fst *words = words_of(n), *some = automaton(words, lengths[i].spec, false);
            pf_fst *other = automaton(words, lengths[i].spec, true);
            expect_same_automata(some, other, n);
            pf_fst_free(some);
            pf_fst_free(other);
            pf_fst_free(words);
        }
}

/* ---- all states at once ---- */

static void expect_same_records(pf_fst *one, pf_fst *two) {
    assert_int_equal(one->start, two->start);
    assert_int_equal(one->type, two->type);
    assert_int_equal(one->narcs, two->narcs);
    assert_int_equal(one->expanded, two->expanded);
    assert_int_equal(pf_fst_states(one), pf_fst_states(two));
    assert_ptr_equal(one->osyms, two->osyms);
    for (pf_state state = 0; state < pf_fst_states(one); state++) {
        pf_arcs some = pf_fst_arcs(one, state), other = pf_fst_arcs(two, state);
        assert_int_equal(some.n, other.n);
        if (some.n) assert_memory_equal(some.arc, other.arc, some.n * sizeof *some.arc);
        assert_true(pf_fst_final(one, state) == pf_fst_final(two, state));
    }
}

/* Where the size is known, the message of a limit has it. It is a bound of what a machine without a limit has. */
static void expect_same_limit(const char *message, const char *other, pf_fst *fst) {
    enum { FEW = 20000 };
    const char *size = strstr(message, ": there are at least ");
    if (!size) {
        assert_string_equal(message, other);
        return;
    }
    const double least = strtod(size + strlen(": there are at least "), NULL);
    pf_fst *all = NULL;
    assert_memory_equal(message, other, (size_t)(size - message));
    assert_non_null(strstr(other, "the limit of "));
    assert_true(least > strtod(other + strlen("the limit of "), NULL));
    if (least > FEW) return;
    assert_int_equal(pf_expand(fst, 0, &all), PF_OK);
    assert_true(pf_fst_states(all) >= least);
    pf_fst_free(all);
}

/* All states at once, with a store or without one (NULL): as another expansion of the same machine gave them, or its error. */
static void expect_same_expansion(pf_fst *fst, uint64_t max_states, pf_moves_store *store, pf_err want_err, const char *message,
                                  pf_fst *want) {
    pf_fst *whole = NULL;
    assert_int_equal(pf_expand_shared(fst, max_states, store, &whole), want_err);
    if (want_err) {
        char found[400];
        snprintf(found, sizeof found, "%s", pf_message());
        expect_same_limit(found, message, fst);
    } else expect_same_records(whole, want);
    pf_fst_free(whole);
}

static pf_moves_store *expansions; /* their tables */

/* The same machine twice, of which one is expanded at once, alone and twice with a store, the other one state by state: states,
 * arcs, bits of weights, errors and their messages are the same. Returns how many states there are; 0 after an error. */
static pf_state expect_same_whole(pf_fst *at_once, pf_fst *by_states, uint64_t max_states) {
    pf_fst *two = NULL;
    char message[400];
    pf_op plain = *by_states->op;
    assert_non_null(at_once->op->whole);
    plain.whole = NULL;
    by_states->op = &plain;
    const pf_err err = pf_expand(by_states, max_states, &two);
    snprintf(message, sizeof message, "%s", err ? pf_message() : "");
    expect_same_expansion(at_once, max_states, NULL, err, message, two);
    for (int times = 0; times < 2; times++) expect_same_expansion(at_once, max_states, expansions, err, message, two);
    const pf_state states = err ? 0 : pf_fst_states(two);
    pf_fst_free(two);
    pf_fst_free(at_once);
    by_states->op = NULL; /* `plain` ends with this function */
    plain.free(by_states->self);
    pf_fst_free(by_states);
    return states;
}

static void all_states_at_once_are_the_same(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned n = lengths[i].from; n <= lengths[i].to; n += 3 * lengths[i].step) {
            pf_fst *words = words_of(n);
            expect_same_whole(automaton(words, lengths[i].spec, false), automaton(words, lengths[i].spec, true), 4000);
            pf_fst_free(words);
        }
}

/* One or two constraints, with small numbers. */
static void draw_space(uint64_t *seed, char *spec, size_t room) {
    static const char *const names[] = {"none", "itg", "wall:2", "zone:2-4", "unit:1-3", "ibm:", "inverse-ibm:", "local:", "mj:",
                                        "displacement:", "distortion:", "itg-span:"};
    static const char *const joints[] = {"", "", "+", "+", "|", "-"};
    enum { NAMES = sizeof names / sizeof *names, JOINTS = sizeof joints / sizeof *joints };
    const char *joint = joints[draw(seed, JOINTS)];
    size_t n = 0;
    for (unsigned part = 0; part < (*joint ? 2 : 1); part++) {
        const char *name = names[draw(seed, NAMES)];
        n += (size_t)snprintf(spec + n, room - n, "%s%s", part ? joint : "", name);
        if (name[strlen(name) - 1] == ':') n += (size_t)snprintf(spec + n, room - n, "%u", 1 + draw(seed, 5));
    }
}

/* Constraints, weights, lengths, limits and alternatives are drawn. Where weights are too large for arcs there is no limit of
 * states: two errors may be told in either order. */
static void drawn_machines_are_the_same_at_once(void **unused) {
    static const char *const weights[] = {"monotone:0.5", "jumps:1", "distance:0.25", "inversions:0.5", "early-distance:2",
                                          "monotone:0.25*-2", "inversions:-3e38"};
    enum { WEIGHTS = sizeof weights / sizeof *weights, DRAWS = 2000 };
    uint64_t seed = 1;
    size_t whole = 0, refused = 0;
    (void)unused;
    for (unsigned i = 0; i < DRAWS; i++) {
        char text[100];
        const char *spec = text;
        const unsigned n = draw(&seed, 9);
        pf_weight weight[2] = {{.spec = weights[draw(&seed, WEIGHTS)]}, {.spec = weights[draw(&seed, WEIGHTS)]}};
        draw_space(&seed, text, sizeof text);
        pf_perm_spec what = {&spec, 1, weight, draw(&seed, 3), draw(&seed, 2) != 0};
        bool limited = draw(&seed, 2) != 0;
        for (size_t k = 0; k < what.n_wm; k++) limited = limited && weight[k].spec != weights[WEIGHTS - 1];
        pf_fst *words = draw(&seed, 2) ? words_of(n) : sentence(texts[draw(&seed, TEXTS)], n, draw(&seed, 2) != 0);
        pf_fst *one, *two;
        if (!pf_perm_lazy(words, &what, &one)) {
            assert_int_equal(pf_perm_lazy(words, &what, &two), PF_OK);
            const bool is_whole = expect_same_whole(one, two, limited ? 1 + draw(&seed, 100) : 0) > 0;
            whole += is_whole;
            refused += !is_whole;
        }
        pf_fst_free(words);
    }
    assert_true(whole > 800);
    assert_true(refused > 100);
}

/* ---- a table for both expansions and searches ---- */

/* What moves say of the arrivals: the state that each belongs to (PF_NO_STATE: no move makes it), and how many moves make it, from
 * which position. */
typedef struct {
    const pf_moves *moves;
    pf_state *state;
    uint32_t *makers;
    uint16_t *position;
} made_arrivals;

static uint32_t count_of_moves(const pf_moves *moves, uint32_t state) { return moves->first[state + 1] - moves->first[state]; }

static unsigned level_of(const pf_moves *moves, uint32_t state) {
    unsigned level = 0;
    while (state >= moves->level[level + 1]) level++;
    return level;
}

/* Moves that share an arrival lead to the same state from the same position. */
static made_arrivals find_made(const pf_moves *moves) {
    const pf_arrivals *arrivals = &moves->arrivals;
    made_arrivals made = {moves, malloc((arrivals->count + (size_t)1) * sizeof *made.state),
                          calloc(arrivals->count + (size_t)1, sizeof *made.makers),
                          calloc(arrivals->count + (size_t)1, sizeof *made.position)};
    assert_true(made.state && made.makers && made.position);
    for (uint32_t i = 0; i < arrivals->count; i++) made.state[i] = PF_NO_STATE;
    for (uint32_t i = 0; i < moves->first[moves->states]; i++) {
        const uint32_t arrival = arrivals->of[i];
        assert_true(arrival < arrivals->count);
        if (!made.makers[arrival]++) {
            made.state[arrival] = moves->to[i];
            made.position[arrival] = moves->position[i];
        }
        assert_int_equal(made.state[arrival], moves->to[i]);
        assert_int_equal(made.position[arrival], moves->position[i]);
    }
    return made;
}

static void free_made(made_arrivals *made) {
    free(made->state);
    free(made->makers);
    free(made->position);
}

/* All moves to the state of a row are in it, at the place of their position. It is no wider than they need. Returns the state. */
static uint32_t expect_row(const made_arrivals *made, const pf_arrival_group *row) {
    const pf_moves *moves = made->moves;
    uint32_t first = row->first, low = UINT32_MAX, high = 0, count = 0;
    while (first < row->first + row->count && made->state[first] == PF_NO_STATE) first++;
    assert_true(first < row->first + row->count);
    const uint32_t state = made->state[first];
    for (uint32_t i = 0; i < moves->first[moves->states]; i++) {
        if (moves->to[i] != state) continue;
        assert_true(moves->position[i] >= row->position && (uint32_t)(moves->position[i] - row->position) < row->count);
        assert_int_equal(moves->arrivals.of[i], row->first + moves->position[i] - row->position);
        if (moves->position[i] < low) low = moves->position[i];
        if (moves->position[i] > high) high = moves->position[i];
        count++;
    }
    for (uint32_t k = 0; k < row->count; k++)
        assert_true(made->state[row->first + k] == state || made->state[row->first + k] == PF_NO_STATE);
    assert_true(count > 1);
    assert_int_equal(row->position % PF_ARRIVAL_CHUNK, 0);
    assert_int_equal(row->count % PF_ARRIVAL_CHUNK, 0);
    assert_true(low - row->position < PF_ARRIVAL_CHUNK && row->position + row->count - high <= PF_ARRIVAL_CHUNK);
    return state;
}

/* One move makes the arrival of a group of one. Returns its state. */
static uint32_t expect_one(const made_arrivals *made, const pf_arrival_group *one) {
    assert_int_equal(one->count, 1);
    assert_int_equal(made->makers[one->first], 1);
    assert_int_equal(made->position[one->first], one->position);
    return made->state[one->first];
}

/* A full state is arrived at by one move. Its moves lead to rows, but for the last one perhaps, which goes on to a full state. What
 * comes after any of them comes after going on, too: by definition the way on does not matter. Returns how many moves lead to
 * rows. */
static uint32_t expect_full(const pf_moves *moves, const pf_arrival_group **row_of, uint32_t state, uint32_t last) {
    const uint32_t first = moves->first[state], rows = moves->arrivals.full[state], all = count_of_moves(moves, state);
    assert_true(rows && (rows == all || rows + 1 == all));
    const uint32_t next = rows < all ? moves->to[first + rows] : PF_NO_STATE;
    if (next != PF_NO_STATE) assert_int_equal(moves->arrivals.full[next], rows);
    for (uint32_t i = first; i < first + rows; i++) {
        const pf_arrival_group *row = row_of[moves->to[i]];
        assert_non_null(row);
        assert_int_equal(row->last, last);
        assert_int_equal(row->on, rows < all ? moves->position[first + rows] : PF_NO_POSITION);
        if (next == PF_NO_STATE) continue;
        const uint32_t later = moves->first[next] + i - first;
        const pf_arrival_group *other = row_of[moves->to[later]];
        assert_int_equal(moves->position[later], moves->position[i]);
        assert_int_equal(other->first + row->position - other->position, row->next);
        assert_true(row->next + row->count <= other->first + other->count);
        uint32_t across = row->move;
        while (across < row->move + row->moves && moves->position[across] != row->on) across++;
        assert_true(across < row->move + row->moves);
        assert_int_equal(moves->to[across], moves->to[later]);
    }
    return rows;
}

typedef struct {
    unsigned rows, ones;  /* groups */
    unsigned wide;        /* rows of more than a chunk */
    unsigned full, going; /* full states, and those that go on */
    unsigned left;        /* full states in no group */
    unsigned subsets;     /* tables that are numbered by them */
} arrivals_seen;

static void see_group(arrivals_seen *seen, const pf_arrival_group *group) {
    seen->rows += group->kind == PF_ARRIVAL_ROW;
    seen->wide += group->kind == PF_ARRIVAL_ROW && group->count > PF_ARRIVAL_CHUNK;
    seen->ones += group->kind == PF_ARRIVAL_ONE;
}

/* The number of an arrival is made of its position and the positions on any way to its state. */
static void expect_subsets(const pf_moves *moves) {
    const pf_arrivals *arrivals = &moves->arrivals;
    uint32_t *set = calloc(moves->states, sizeof *set);
    assert_non_null(set);
    assert_true(arrivals->subsets >= moves->states && moves->states == 1u << moves->n && !moves->cost);
    assert_int_equal(arrivals->count, moves->n * arrivals->subsets);
    assert_int_equal(arrivals->groups, 0);
    for (uint32_t state = 0; state < moves->states; state++)
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            set[moves->to[i]] = set[state] | 1u << moves->position[i];
            assert_true(set[moves->to[i]] > set[state]);
            assert_int_equal(arrivals->of[i], moves->position[i] * arrivals->subsets + set[moves->to[i]]);
        }
    free(set);
}

/* Full states are in a group if no other one leads to them; all other arrivals are. */
static void expect_full_states(const made_arrivals *made, const bool *in_group, arrivals_seen *seen) {
    const pf_moves *moves = made->moves;
    const pf_arrivals *arrivals = &moves->arrivals;
    const pf_arrival_group **row_of = calloc(moves->states, sizeof *row_of);
    bool *left = calloc(arrivals->count + (size_t)1, sizeof *left); /* those that need no group */
    assert_true(row_of && left && !(moves->cost && arrivals->full));
    for (uint32_t i = 0; i < arrivals->groups; i++)
        for (uint32_t k = 0; arrivals->group[i].kind == PF_ARRIVAL_ROW && k < arrivals->group[i].count; k++)
            if (made->makers[arrivals->group[i].first + k]) row_of[made->state[arrivals->group[i].first + k]] = &arrivals->group[i];
    for (uint32_t state = 0; arrivals->full && state < moves->states; state++)
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            if (!arrivals->full[moves->to[i]]) continue;
            const uint32_t rows = expect_full(moves, row_of, moves->to[i], moves->position[i]);
            left[arrivals->of[i]] = arrivals->full[state];
            seen->left += arrivals->full[state] != 0;
            seen->full++;
            seen->going += rows < count_of_moves(moves, moves->to[i]);
        }
    for (uint32_t i = 0; i < arrivals->count; i++) assert_true(in_group[i] != left[i]);
    free(row_of);
    free(left);
}

/* The arrivals of a table against its moves: groups cover them once, level by level from the last one, in each level first
 * the rows. */
static void expect_groups(const pf_moves *moves, arrivals_seen *seen) {
    const pf_arrivals *arrivals = &moves->arrivals;
    made_arrivals made = find_made(moves);
    bool *in_group = calloc(arrivals->count + (size_t)1, sizeof *in_group);
    unsigned level = moves->n;
    bool row = true; /* was the group before one? */
    assert_non_null(in_group);
    for (uint32_t i = 0; i < arrivals->groups; i++) {
        const pf_arrival_group *group = &arrivals->group[i];
        const uint32_t state = (group->kind == PF_ARRIVAL_ROW ? expect_row : expect_one)(&made, group);
        const bool full = arrivals->full && arrivals->full[state];
        for (uint32_t k = 0; k < group->count; k++) assert_false(in_group[group->first + k]);
        memset(&in_group[group->first], true, group->count);
        assert_int_equal(group->kind == PF_ARRIVAL_FULL, full);
        assert_int_equal(group->move, moves->first[state]);
        assert_int_equal(group->moves, full ? arrivals->full[state] : count_of_moves(moves, state));
        assert_true(level_of(moves, state) < level || (level_of(moves, state) == level && (row || group->kind != PF_ARRIVAL_ROW)));
        level = level_of(moves, state);
        row = group->kind == PF_ARRIVAL_ROW;
        see_group(seen, group);
    }
    expect_full_states(&made, in_group, seen);
    free(in_group);
    free_made(&made);
}

static void expect_arrivals(const pf_moves *moves, arrivals_seen *seen) {
    if (moves->arrivals.subsets) {
        made_arrivals made = find_made(moves);
        expect_subsets(moves);
        free_made(&made);
        seen->subsets++;
    } else expect_groups(moves, seen);
}

/* A search adds to a table of an expansion what it has beyond that. */
static void a_search_takes_the_table_of_an_expansion(void **unused) {
    arrivals_seen seen = {0};
    (void)unused;
    for (size_t i = 0; i < SPACES; i++)
        for (unsigned n = 0; n <= 6; n += 2) {
            pf_moves_store *store;
            pf_fst *linear = sentence(texts[1], n, false), *perm = permute(linear, &spaces[i]), *whole;
            const pf_moves *alone, *shared;
            const pf_con *con;
            const pf_wm *wm;
            const pf_moves_limits limits = {.most = 1 << 20};
            parts_of(perm, &con, &wm);
            assert_int_equal(pf_moves_store_new(1 << 20, &store), PF_OK);
            assert_int_equal(pf_expand_shared(perm, 0, store, &whole), PF_OK);
            assert_int_equal(pf_moves_take(store, con, wm, &limits, &shared), PF_OK);
            assert_true((shared != NULL) != con->looks_ahead);
            if (shared) {
                pf_moves_store *other;
                assert_int_equal(pf_moves_store_new(0, &other), PF_OK);
                assert_int_equal(pf_moves_take(other, con, wm, &limits, &alone), PF_OK);
                expect_same_moves(shared, perm);
                expect_arrivals(shared, &seen);
                expect_arrivals(alone, &seen);
                assert_memory_equal(shared->follows, alone->follows, (n + 1) * pf_cover_words(n) * sizeof *alone->follows);
                pf_moves_give_back(other, alone);
                pf_moves_store_free(other);
            }
            pf_moves_give_back(store, shared);
            pf_fst_free(whole);
            pf_fst_free(perm);
            pf_fst_free(linear);
            pf_moves_store_free(store);
        }
}

/* Spaces and lengths in which there are rows of all widths, and runs whose positions go either way. */
static void arrivals_are_those_of_the_moves(void **unused) {
    static const struct {
        const char *spec, *weights;
        unsigned from, to, step;
    } tables_of[] = {
        {"none", NULL, 1, 9, 1},          {"none", "jumps:1", 2, 8, 3},      {"ibm:2", NULL, 3, 30, 1},
        {"ibm:3", NULL, 5, 21, 4},        {"ibm:4", "monotone:0.5", 6, 18, 4}, {"inverse-ibm:3", NULL, 4, 19, 3},
        {"local:3", NULL, 6, 26, 5},      {"local:6", NULL, 9, 11, 1},       {"mj:2", NULL, 6, 30, 6},
        {"mj:3", NULL, 8, 12, 2},         {"distortion:3", NULL, 5, 25, 5},  {"displacement:2", NULL, 6, 33, 9},
        {"itg", NULL, 2, 8, 1},           {"itg+ibm:3", NULL, 8, 18, 5},     {"ibm:2|local:4", NULL, 7, 19, 6},
        {"wall:5", NULL, 8, 10, 1},       {"ibm:1", NULL, 1, 40, 13},        {"distortion:4", "inversions:0.25", 7, 17, 5},
    };
    arrivals_seen seen = {0};
    pf_moves_store *store;
    (void)unused;
    assert_int_equal(pf_moves_store_new(0, &store), PF_OK);
    for (size_t i = 0; i < LENGTH(tables_of); i++)
        for (unsigned n = tables_of[i].from; n <= tables_of[i].to; n += tables_of[i].step) {
            const pf_moves *moves = take_moves(store, tables_of[i].spec, n, tables_of[i].weights, 1 << 16);
            assert_non_null(moves);
            assert_true((moves->cost != NULL) == (tables_of[i].weights != NULL));
            expect_arrivals(moves, &seen);
            pf_moves_give_back(store, moves);
        }
    assert_true(seen.rows > 5000 && seen.wide > 2000 && seen.ones > 500);
    assert_true(seen.full > 5000 && seen.going > 4000 && seen.left > 4000);
    pf_moves_store_free(store);
}

/* Which tables have all sets of positions as states. */
static void subsets_are_found_in_free_order(void **unused) {
    static const struct {
        const char *spec, *weights;
        unsigned from, to;
        bool subsets;
    } tables_of[] = {
        {"none", NULL, PF_SUBSETS_FROM, 12, true}, {"none", NULL, 0, PF_SUBSETS_FROM - 1, false},
        {"none", "jumps:1", 1, 8, false},          {"ibm:20", NULL, PF_SUBSETS_FROM, 9, true},
        {"ibm:3", NULL, 5, 12, false},             {"ibm:4", NULL, 5, 12, false},
        {"local:3", NULL, 5, 12, false},           {"mj:2", NULL, 5, 12, false},
        {"distortion:3", NULL, 5, 12, false},      {"itg", NULL, 5, 8, false},
        {"wall:5", NULL, 8, 10, false},
    };
    arrivals_seen seen = {0};
    pf_moves_store *store;
    (void)unused;
    assert_int_equal(pf_moves_store_new(0, &store), PF_OK);
    for (size_t i = 0; i < LENGTH(tables_of); i++)
        for (unsigned n = tables_of[i].from; n <= tables_of[i].to; n++) {
            const pf_moves *moves = take_moves(store, tables_of[i].spec, n, tables_of[i].weights, 1 << 16);
            assert_non_null(moves);
            assert_true((moves->arrivals.subsets > 0) == tables_of[i].subsets);
            expect_arrivals(moves, &seen);
            pf_moves_give_back(store, moves);
        }
    pf_moves_store_free(store);
}

/* There are as many states as sets, and as many moves, but one of these leads to another state of its level. */
static void a_state_of_two_sets_is_none(void **unused) {
    pf_moves_store *store;
    (void)unused;
    assert_int_equal(pf_moves_store_new(0, &store), PF_OK);
    const pf_moves *moves = take_moves(store, "none", 6, NULL, 1 << 16);
    assert_true(moves && moves->arrivals.subsets);
    const uint32_t count = moves->first[moves->states];
    pf_moves changed = *moves;
    changed.to = malloc(count * sizeof *changed.to);
    assert_non_null(changed.to);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned level = level_of(moves, moves->to[i]);
        memcpy(changed.to, moves->to, count * sizeof *changed.to);
        if (++changed.to[i] == moves->level[level + 1]) changed.to[i] = moves->level[level];
        changed.arrivals = (pf_arrivals){0};
        assert_int_equal(pfi_arrivals_make(&changed), PF_OK);
        assert_true((changed.arrivals.subsets > 0) == (changed.to[i] == moves->to[i]));
        assert_true(changed.arrivals.subsets || changed.arrivals.groups);
        pfi_arrivals_clear(&changed.arrivals);
    }
    free(changed.to);
    pf_moves_give_back(store, moves);
    pf_moves_store_free(store);
}

/* What is too large for one is not too large for another: a table of 80 moves. */
static void limits_are_those_of_who_asks(void **unused) {
    pf_moves_store *store;
    pf_fst *words = words_of(5), *whole, *perm = NULL;
    const char *spec = "none";
    const pf_moves *moves;
    (void)unused;
    assert_int_equal(pf_perm_lazy(words, &(pf_perm_spec){.con = &spec, .n_con = 1}, &perm), PF_OK);
    assert_int_equal(pf_moves_store_new(1 << 20, &store), PF_OK);
    assert_null(take_moves(store, spec, 5, NULL, 40));
    moves = take_moves(store, spec, 5, NULL, 80);
    assert_non_null(moves);
    assert_null(take_moves(store, spec, 5, NULL, 79));
    assert_ptr_equal(take_moves(store, spec, 5, NULL, 81), moves);
    pf_moves_give_back(store, moves);
    pf_moves_give_back(store, moves);
    assert_int_equal(pf_expand_shared(perm, 31, store, &whole), PF_ELIMIT);
    assert_int_equal(pf_expand_shared(perm, 32, store, &whole), PF_OK);
    pf_fst_free(whole);
    pf_fst_free(perm);
    pf_fst_free(words);
    pf_moves_store_free(store);
}

/* ---- who looks on ---- */

typedef struct {
    unsigned looks;
    uint64_t last;
} onlooker;

static void look_on(void *watcher, uint64_t expanded) {
    onlooker *on = watcher;
    assert_true(expanded > on->last);
    on->last = expanded;
    on->looks++;
}

static void whoever_watches_or_ends_it_is_asked(void **unused) {
    (void)unused;
    pf_fst *words = words_of(20), *out, *some = automaton(words, "ibm:4", false);
    onlooker on = {0};
    pf_fst_watch(some, look_on, &on);
    assert_int_equal(pf_expand(some, 0, &out), PF_OK);
    assert_int_equal(on.last, 6196);
    assert_int_equal(on.looks, 6196 / 1024 + 1);
    pf_fst_free(out);
    on = (onlooker){0};
    pf_fst_expires(some, at_once, NULL);
    assert_int_equal(pf_expand(some, 0, &out), PF_ELIMIT);
    assert_string_equal(pf_message(), "interrupted");
    pf_fst_free(some);
    pf_fst_free(words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_the_automaton),
        cmocka_unit_test(a_table_is_made_in_its_time),
        cmocka_unit_test(tables_are_shared_and_told_apart),
        cmocka_unit_test(what_is_in_use_stays),
        cmocka_unit_test(few_spaces_are_known),
        cmocka_unit_test(there_is_no_table_of_too_many_moves),
        cmocka_unit_test(short_keys_are_the_same_states),
        cmocka_unit_test(all_states_at_once_are_the_same),
        cmocka_unit_test(drawn_machines_are_the_same_at_once),
        cmocka_unit_test(arrivals_are_those_of_the_moves),
        cmocka_unit_test(subsets_are_found_in_free_order),
        cmocka_unit_test(a_state_of_two_sets_is_none),
        cmocka_unit_test(a_search_takes_the_table_of_an_expansion),
        cmocka_unit_test(limits_are_those_of_who_asks),
        cmocka_unit_test(whoever_watches_or_ends_it_is_asked),
    };
    if (pf_moves_store_new(100000, &expansions)) return 1; /* too few bytes for all */
    keep_memory();
    int failed = cmocka_run_group_tests_name("moves", tests, NULL, NULL);
    pf_moves_store_free(expansions);
    return failed;
}
