/* Counting by levels of coverage: each state adds its numbers to those of the states that its moves lead to. */
#include <permfst/permute/tally.h>

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include "permute/perm_walk_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of permutations by statistic: at[value]. */
typedef struct {
    mpz_t *at;
    size_t values, cap;
} level_ways;

typedef struct {
    pf_statetab states;
    PF_VEC(level_ways) ways; /* of each state */
} tally_level;

typedef struct {
    pfi_perm_walk walk;
    tally_level now, next; /* the states of two levels */
    unsigned char *next_key; /* scratch */
    uint64_t max_states;     /* of one level */
} tally_counter;

static void ways_free(level_ways *ways) {
    for (size_t k = 0; k < ways->values; k++) mpz_clear(ways->at[k]);
    free(ways->at);
    *ways = (level_ways){0};
}

static pf_err ways_grow(level_ways *ways, size_t count) {
    if (count <= ways->values) return PF_OK;
    PF_TRY(pf_vec_reserve(&ways->at, &ways->cap, count, sizeof *ways->at));
    while (ways->values < count) mpz_init(ways->at[ways->values++]);
    return PF_OK;
}

/* to += from, the statistic of each larger by `shift`. */
static pf_err ways_add(level_ways *to, const level_ways *from, size_t shift) {
    PF_TRY(ways_grow(to, from->values + shift));
    for (size_t k = 0; k < from->values; k++) mpz_add(to->at[k + shift], to->at[k + shift], from->at[k]);
    return PF_OK;
}

static void level_clear(tally_level *level) {
    for (size_t state = 0; state < level->ways.n; state++) ways_free(&level->ways.at[state]);
    level->ways.n = 0;
    pf_statetab_reset(&level->states);
}

static void level_free(tally_level *level) {
    level_clear(level);
    PF_VEC_FREE(&level->ways);
    pf_statetab_free(&level->states);
}

static pf_err level_at(tally_level *level, const void *key, size_t length, uint32_t *state) {
    level_ways none = {0};
    PF_TRY(pf_statetab_intern(&level->states, key, length, state, NULL));
    return *state == level->ways.n ? PF_PUSH(&level->ways, none) : PF_OK;
}

/* The cost of a move, by which the statistic grows. */
static pf_err whole(double cost, size_t *shift) {
    if (!(cost >= 0) || cost != floor(cost) || cost > 1e15)
        return pf_fail(PF_EARG, "counting by a statistic needs costs that are whole numbers, found %g", cost);
    *shift = (size_t)cost;
    return PF_OK;
}

static pf_err add_to_next(tally_counter *counter, uint32_t state) {
    size_t length;
    const void *key = pf_statetab_key(&counter->now.states, state, &length);
    PF_TRY(pfi_perm_walk_load(&counter->walk, key, length));
    const double *cost = counter->walk.cost;
    const pf_con_walk *con = &counter->walk.con;
    for (unsigned position = pf_con_walk_next(con, 0); position < con->con->n; position = pf_con_walk_next(con, position + 1)) {
        uint32_t to;
        size_t shift = 0;
        PF_TRY(whole(*cost++, &shift));
        PF_TRY(level_at(&counter->next, counter->next_key, pfi_perm_walk_step(&counter->walk, position, counter->next_key), &to));
        PF_TRY(ways_add(&counter->next.ways.at[to], &counter->now.ways.at[state], shift));
    }
    ways_free(&counter->now.ways.at[state]);
    if (!counter->max_states || counter->next.states.n <= counter->max_states) return PF_OK;
    return pf_fail(PF_ELIMIT, "a level has more than %llu states", (unsigned long long)counter->max_states);
}

static pf_err one_level(tally_counter *counter, const pf_tally_options *options, uint64_t before) {
    level_clear(&counter->next);
    for (uint32_t state = 0; state < counter->now.states.n; state++) {
        if (options->progress && state % 1024 == 0) options->progress(options->self, before + state);
        if (options->expired && state % 256 == 0 && options->expired(options->self)) return pf_fail(PF_ELIMIT, "interrupted");
        PF_TRY(add_to_next(counter, state));
    }
    tally_level done = counter->now;
    counter->now = counter->next;
    counter->next = done;
    return PF_OK;
}

static pf_err start(tally_counter *counter) {
    uint32_t state;
    size_t fixed = pfi_perm_walk_fixed(&counter->walk);
    pf_statetab_init(&counter->now.states, fixed);
    pf_statetab_init(&counter->next.states, fixed);
    if (!(counter->next_key = malloc(pfi_perm_walk_room(&counter->walk)))) return pf_nomem();
    PF_TRY(level_at(&counter->now, counter->walk.con.key, pfi_perm_walk_start(&counter->walk), &state));
    PF_TRY(ways_grow(&counter->now.ways.at[state], 1));
    mpz_set_ui(counter->now.ways.at[state].at[0], 1);
    return PF_OK;
}

/* The last level has one state, in which everything is covered. */
static void take_last(tally_counter *counter, pf_tally *out) {
    assert(counter->now.states.n == 1);
    out->at = counter->now.ways.at[0].at;
    out->n = counter->now.ways.at[0].values;
    counter->now.ways.n = 0;
}

static pf_err run_levels(tally_counter *counter, const pf_tally_options *options, pf_tally *out) {
    PF_TRY(start(counter));
    for (unsigned step = 0; step <= counter->walk.con.con->n; step++) {
        uint64_t before = out->states;
        out->states += counter->now.states.n;
        if (counter->now.states.n > out->widest) out->widest = counter->now.states.n;
        if (step < counter->walk.con.con->n) PF_TRY(one_level(counter, options, before));
    }
    if (options->progress) options->progress(options->self, out->states);
    take_last(counter, out);
    return PF_OK;
}

static pf_err count_levels(const pf_con *con, const pf_wm *wm, const pf_tally_options *options, pf_tally *out) {
    tally_counter counter = {.max_states = options->max_states};
    pf_err err = pfi_perm_walk_init(&counter.walk, con, wm);
    if (!err) err = run_levels(&counter, options, out);
    level_free(&counter.now);
    level_free(&counter.next);
    pfi_perm_walk_free(&counter.walk);
    free(counter.next_key);
    return err;
}

static pf_err statistic(const char *by, unsigned length, pf_wm **out) {
    const pf_wm_class *cls;
    double scale;
    if (!by) return pf_wm_sum(NULL, 0, length, out);
    PF_TRY(pf_wm_class_of(by, &cls));
    if (!cls->whole || pf_wm_scale_of(by, &scale) != strlen(by))
        return pf_fail(PF_EARG, "the costs of '%s' are not whole numbers", by);
    return pf_wm_new(&(pf_weight){.spec = by}, length, out);
}

static pf_err closed(const pf_con *con, pf_tally *out) {
    pf_con_size size;
    pf_err err = PF_OK;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    if (size.count) {
        level_ways all = {0};
        if (!(err = ways_grow(&all, 1))) mpz_swap(all.at[0], size.paths);
        *out = (pf_tally){.at = all.at, .n = all.values, .closed = true};
    }
    pf_con_size_clear(&size);
    return err;
}

pf_err pf_tally_run(const pf_con *con, const pf_tally_options *options, pf_tally *out) {
    pf_wm *wm;
    assert(con->live || con->looks_ahead);
    *out = (pf_tally){0};
    if (!options->by) PF_TRY(closed(con, out));
    if (out->closed) return PF_OK;
    PF_TRY(statistic(options->by, con->n, &wm));
    pf_err err = count_levels(con, wm, options, out);
    pf_wm_free(wm);
    if (err) pf_tally_free(out);
    return err;
}

void pf_tally_free(pf_tally *tally) {
    level_ways all = {tally->at, tally->n, tally->n};
    ways_free(&all);
    *tally = (pf_tally){0};
}

static pf_err write_number(const mpz_t number, pf_writer *writer) {
    char *digits = malloc(mpz_sizeinbase(number, 10) + 2);
    pf_err err = digits ? pf_writer_text(writer, "%s\n", mpz_get_str(digits, 10, number)) : pf_nomem();
    free(digits);
    return err;
}

pf_err pf_tally_write(const pf_tally *tally, bool by_statistic, const char *prefix, pf_writer *writer) {
    for (size_t at = 0; at < tally->n; at++) {
        if (prefix) PF_TRY(pf_writer_text(writer, "%s", prefix));
        if (by_statistic) PF_TRY(pf_writer_text(writer, "%zu\t", at));
        PF_TRY(write_number(tally->at[at], writer));
    }
    return PF_OK;
}
