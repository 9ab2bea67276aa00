/* Counting by levels of coverage: each state adds its numbers to those of the states that its moves lead to. */
#include <permfst/permute/tally.h>

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include "permute/perm_walk_impl.h"

#include <math.h>
#include <stdlib.h>

/* Numbers of permutations by statistic: at[k] for k < n. */
typedef struct {
    mpz_t *at;
    size_t n, cap;
} ways;

typedef struct {
    pf_statetab states;
    PF_VEC(ways) ways; /* of each state */
} level;

typedef struct {
    pfi_perm_walk walk;
    level now, next; /* the states of two levels */
    unsigned char *next_key; /* scratch */
    uint64_t max_states;     /* of one level */
} counter;

static void ways_free(ways *w) {
    for (size_t k = 0; k < w->n; k++) mpz_clear(w->at[k]);
    free(w->at);
    *w = (ways){0};
}

static pf_err ways_grow(ways *w, size_t n) {
    if (n <= w->n) return PF_OK;
    PF_TRY(pf_vec_reserve(&w->at, &w->cap, n, sizeof *w->at));
    while (w->n < n) mpz_init(w->at[w->n++]);
    return PF_OK;
}

/* to += from, the statistic of each larger by `shift`. */
static pf_err ways_add(ways *to, const ways *from, size_t shift) {
    PF_TRY(ways_grow(to, from->n + shift));
    for (size_t k = 0; k < from->n; k++) mpz_add(to->at[k + shift], to->at[k + shift], from->at[k]);
    return PF_OK;
}

static void level_clear(level *l) {
    for (size_t s = 0; s < l->ways.n; s++) ways_free(&l->ways.at[s]);
    l->ways.n = 0;
    pf_statetab_reset(&l->states);
}

static void level_free(level *l) {
    level_clear(l);
    PF_VEC_FREE(&l->ways);
    pf_statetab_free(&l->states);
}

static pf_err level_at(level *l, const void *key, size_t length, uint32_t *s) {
    ways none = {0};
    PF_TRY(pf_statetab_intern(&l->states, key, length, s, NULL));
    return *s == l->ways.n ? PF_PUSH(&l->ways, none) : PF_OK;
}

/* The cost of a move, by which the statistic grows. */
static pf_err whole(double cost, size_t *shift) {
    if (!(cost >= 0) || cost != floor(cost) || cost > 1e15)
        return pf_fail(PF_EARG, "permutations are counted by costs that are whole numbers, found %g", cost);
    *shift = (size_t)cost;
    return PF_OK;
}

static pf_err add_to_next(counter *c, uint32_t s) {
    size_t length;
    const void *key = pf_statetab_key(&c->now.states, s, &length);
    PF_TRY(pfi_perm_walk_load(&c->walk, key, length));
    const double *cost = c->walk.cost;
    const pf_con_walk *con = &c->walk.con;
    for (unsigned j = pf_con_walk_next(con, 0); j < con->con->n; j = pf_con_walk_next(con, j + 1)) {
        uint32_t to;
        size_t shift = 0;
        PF_TRY(whole(*cost++, &shift));
        PF_TRY(level_at(&c->next, c->next_key, pfi_perm_walk_step(&c->walk, j, c->next_key), &to));
        PF_TRY(ways_add(&c->next.ways.at[to], &c->now.ways.at[s], shift));
    }
    ways_free(&c->now.ways.at[s]);
    if (!c->max_states || c->next.states.n <= c->max_states) return PF_OK;
    return pf_fail(PF_ELIMIT, "a level has more than %llu states", (unsigned long long)c->max_states);
}

static pf_err one_level(counter *c, const pf_tally_options *options, uint64_t before) {
    level_clear(&c->next);
    for (uint32_t s = 0; s < c->now.states.n; s++) {
        if (options->progress && s % 1024 == 0) options->progress(options->self, before + s);
        PF_TRY(add_to_next(c, s));
    }
    level done = c->now;
    c->now = c->next;
    c->next = done;
    return PF_OK;
}

static pf_err start(counter *c) {
    uint32_t s;
    size_t fixed = pfi_perm_walk_fixed(&c->walk);
    pf_statetab_init(&c->now.states, fixed);
    pf_statetab_init(&c->next.states, fixed);
    if (!(c->next_key = malloc(pfi_perm_walk_room(&c->walk)))) return pf_nomem();
    PF_TRY(level_at(&c->now, c->walk.con.key, pfi_perm_walk_start(&c->walk), &s));
    PF_TRY(ways_grow(&c->now.ways.at[s], 1));
    mpz_set_ui(c->now.ways.at[s].at[0], 1);
    return PF_OK;
}

/* The last level has one state, in which everything is covered. */
static void take_last(counter *c, pf_tally *out) {
    assert(c->now.states.n == 1);
    out->at = c->now.ways.at[0].at;
    out->n = c->now.ways.at[0].n;
    c->now.ways.n = 0;
}

static pf_err run_levels(counter *c, const pf_tally_options *options, pf_tally *out) {
    PF_TRY(start(c));
    for (unsigned t = 0; t <= c->walk.con.con->n; t++) {
        uint64_t before = out->states;
        out->states += c->now.states.n;
        if (c->now.states.n > out->widest) out->widest = c->now.states.n;
        if (t < c->walk.con.con->n) PF_TRY(one_level(c, options, before));
    }
    if (options->progress) options->progress(options->self, out->states);
    take_last(c, out);
    return PF_OK;
}

static pf_err count_levels(const pf_con *con, const pf_wm *wm, const pf_tally_options *options, pf_tally *out) {
    counter c = {.max_states = options->max_states};
    pf_err err = pfi_perm_walk_init(&c.walk, con, wm);
    if (!err) err = run_levels(&c, options, out);
    level_free(&c.now);
    level_free(&c.next);
    pfi_perm_walk_free(&c.walk);
    free(c.next_key);
    return err;
}

static pf_err statistic(const char *by, unsigned n, pf_wm **out) {
    const pf_wm_class *cls;
    if (!by) return pf_wm_sum(NULL, 0, n, out);
    PF_TRY(pf_wm_class_of(by, &cls));
    if (!cls->whole) return pf_fail(PF_EARG, "the costs of '%s' are not whole numbers", by);
    return pf_wm_new(&(pf_weight){.spec = by}, n, out);
}

static pf_err closed(const pf_con *con, pf_tally *out) {
    pf_con_size size;
    pf_err err = PF_OK;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    if (size.count) {
        ways all = {0};
        if (!(err = ways_grow(&all, 1))) mpz_swap(all.at[0], size.paths);
        *out = (pf_tally){.at = all.at, .n = all.n, .closed = true};
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

void pf_tally_free(pf_tally *t) {
    ways all = {t->at, t->n, t->n};
    ways_free(&all);
    *t = (pf_tally){0};
}

static pf_err write_number(const mpz_t x, pf_writer *w) {
    char *digits = mpz_get_str(NULL, 10, x);
    pf_err err = digits ? pf_writer_text(w, "%s\n", digits) : pf_nomem();
    free(digits);
    return err;
}

pf_err pf_tally_write(const pf_tally *t, bool by_statistic, const char *prefix, pf_writer *w) {
    for (size_t k = 0; k < t->n; k++) {
        if (prefix) PF_TRY(pf_writer_text(w, "%s", prefix));
        if (by_statistic) PF_TRY(pf_writer_text(w, "%zu\t", k));
        PF_TRY(write_number(t->at[k], w));
    }
    return PF_OK;
}
