/* A space without a draw() of its own is drawn from as the permutation automaton of a sentence of as many words. */
#include <permfst/verbs/draw.h>

#include <permfst/machine/build.h>
#include <permfst/permute/order.h>
#include <permfst/permute/perm.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static pf_err draw_order(const void *self, gmp_randstate_t random, unsigned *permutation) {
    const pf_con *con = self;
    return con->cls->draw(con, random, permutation);
}

/* Orders are drawn by the constraint of the machine's space, if its class can draw. */
static pf_err make_randgen(pf_fst *fst, const pf_randgen_options *options, pf_randgen **out) {
    pf_randgen_options o = *options;
    o.con = pf_fst_space(fst);
    o.order = o.con && pf_fst_space(fst)->cls->draw ? draw_order : NULL;
    return pf_randgen_new(fst, &o, out);
}

pf_err pf_draw_paths(pf_fst *fst, const pf_randgen_options *options, uint64_t seed, uint64_t record, size_t count,
    pf_answer *out) {
    gmp_randstate_t random;
    pf_randgen *randgen;
    *out = (pf_answer){0};
    PF_TRY(make_randgen(fst, options, &randgen));
    pf_randgen_seed(random, seed, record);
    pf_err err = pf_randgen_paths(randgen, random, count, out);
    gmp_randclear(random);
    pf_randgen_free(randgen);
    return err;
}

/* ---- records ---- */

static pf_err draw_record(void *self, pf_record *record) {
    const pf_record_drawer *drawer = self;
    pf_randgen_options how = drawer->how;
    pf_fst *fst;
    pf_answer answer;
    how.self = record->call;
    PF_TRY(pf_record_open(record, &fst));
    PF_TRY(pf_draw_paths(fst, &how, drawer->seed, record->record, drawer->count, &answer));
    return pf_expr_of_answer(&answer, &record->out);
}

static pf_err finish_record(void *self, pf_record *record) {
    pf_record_drawer *drawer = self;
    if (!record->out) return pf_expr_of_answer(&(pf_answer){.bound = -(double)INFINITY}, &record->out);
    drawer->without_path += !record->out->answer->paths.n;
    if (drawer->done) drawer->done(record->call, record->out->answer, record->record);
    return PF_OK;
}

const pf_record_steps pf_record_drawer_steps = {NULL, draw_record, finish_record, NULL, false};

/* ---- permutations of a length ---- */

struct pf_space_drawer {
    unsigned length;
    pf_con *con;           /* draws; or NULL, and these do: */
    pf_fst *linear, *perm;
    pf_randgen *randgen;
    uint64_t states, arcs; /* counted */
};

/* A sentence of so many positions. */
static pf_err make_linear(unsigned length, pf_fst **out) {
    pf_build build = {0};
    pf_err err = pf_build_final(&build, length, 0);
    for (pf_state state = 0; !err && state < length; state++)
        err = pf_build_arc(&build, state, (pf_label)state + 1, (pf_label)state + 1, 0, state + 1);
    if (!err) return pf_build_finish(&build, PF_STANDARD, 0, out);
    pf_build_free(&build);
    return err;
}

static pf_err make_automaton(pf_space_drawer *drawer, const pf_perm_spec *spec, const pf_randgen_options *options) {
    PF_TRY(make_linear(drawer->length, &drawer->linear));
    PF_TRY(pf_perm_lazy(drawer->linear, spec, &drawer->perm));
    return make_randgen(drawer->perm, options, &drawer->randgen);
}

pf_err pf_space_drawer_new(const char *const *con, size_t n_con, unsigned length, const pf_randgen_options *options,
                           pf_space_drawer **out) {
    pf_space_drawer *drawer = *out = calloc(1, sizeof *drawer);
    assert(!options->by_weight);
    if (!drawer) return pf_nomem();
    drawer->length = length;
    pf_err err = pf_con_all(con, n_con, length, &drawer->con);
    if (err) drawer->con = NULL;
    if (!err && !drawer->con->cls->draw) {
        pf_con_free(drawer->con);
        drawer->con = NULL;
        err = make_automaton(drawer, &(pf_perm_spec){.con = con, .n_con = n_con}, options);
    }
    if (!err) return PF_OK;
    pf_space_drawer_free(drawer);
    *out = NULL;
    return err;
}

void pf_space_drawer_free(pf_space_drawer *drawer) {
    if (!drawer) return;
    pf_con_free(drawer->con);
    pf_randgen_free(drawer->randgen);
    pf_fst_free(drawer->perm);
    pf_fst_free(drawer->linear);
    free(drawer);
}

/* The input labels of a permutation automaton are positions, from 1. */
static void read_orders(const pf_answer *answer, unsigned length, unsigned *orders) {
    for (size_t i = 0; i < answer->paths.n; i++) {
        assert(answer->paths.at[i].n == length);
        for (unsigned t = 0; t < length; t++) *orders++ = (unsigned)answer->paths.at[i].arc[t].in - 1;
    }
}

static pf_err draw_paths(pf_space_drawer *drawer, gmp_randstate_t random, size_t count, unsigned *orders) {
    pf_answer answer;
    PF_TRY(pf_randgen_paths(drawer->randgen, random, count, &answer));
    assert(answer.paths.n == count);
    drawer->states = answer.states;
    drawer->arcs = answer.arcs;
    read_orders(&answer, drawer->length, orders);
    pf_answer_free(&answer);
    return PF_OK;
}

pf_err pf_space_drawer_draw(pf_space_drawer *drawer, gmp_randstate_t random, size_t count, unsigned *orders) {
    if (!drawer->con) return draw_paths(drawer, random, count, orders);
    for (size_t i = 0; i < count; i++) PF_TRY(drawer->con->cls->draw(drawer->con, random, orders + i * drawer->length));
    return PF_OK;
}

static pf_err write_orders(pf_writer *writer, const unsigned *orders, size_t count, unsigned length) {
    for (size_t i = 0; i < count; i++) {
        PF_TRY(pf_visit_order_write(writer, orders + i * length, length, 1));
        PF_TRY(pf_writer_put(writer, "\n", 1));
    }
    return PF_OK;
}

pf_err pf_space_drawer_write(pf_space_drawer *drawer, gmp_randstate_t random, size_t count, pf_writer *writer) {
    unsigned *orders = calloc(count * drawer->length + 1, sizeof *orders);
    if (!orders) return pf_nomem();
    pf_err err = pf_space_drawer_draw(drawer, random, count, orders);
    if (!err) err = write_orders(writer, orders, count, drawer->length);
    free(orders);
    return err;
}

bool pf_space_drawer_counted(const pf_space_drawer *drawer, uint64_t *states, uint64_t *arcs) {
    *states = drawer->states;
    *arcs = drawer->arcs;
    return !drawer->con;
}
