/* A space without a draw() of its own is drawn from as the permutation automaton of a sentence of as many words. */
#include <permfst/verbs/draw.h>

#include <permfst/machine/build.h>
#include <permfst/permute/perm.h>

#include <assert.h>
#include <stdlib.h>

static pf_err draw_order(const void *self, gmp_randstate_t random, unsigned *p) {
    const pf_con *con = self;
    return con->cls->draw(con, random, p);
}

/* With the order of the machine's own space, if that can be drawn. */
static pf_err make_randgen(pf_fst *fst, const pf_randgen_options *options, pf_randgen **out) {
    pf_randgen_options o = *options;
    o.con = pf_fst_space(fst);
    o.order = o.con && pf_fst_space(fst)->cls->draw ? draw_order : NULL;
    return pf_randgen_new(fst, &o, out);
}

pf_err pf_draw_paths(pf_fst *fst, const pf_randgen_options *options, uint64_t seed, uint64_t record, size_t n, pf_answer *out) {
    gmp_randstate_t random;
    pf_randgen *randgen;
    *out = (pf_answer){0};
    PF_TRY(make_randgen(fst, options, &randgen));
    pf_randgen_seed(random, seed, record);
    pf_err err = pf_randgen_paths(randgen, random, n, out);
    gmp_randclear(random);
    pf_randgen_free(randgen);
    return err;
}

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
    pf_build b = {0};
    pf_err err = pf_build_final(&b, length, 0);
    for (pf_state s = 0; !err && s < length; s++) err = pf_build_arc(&b, s, (pf_label)s + 1, (pf_label)s + 1, 0, s + 1);
    if (!err) return pf_build_finish(&b, PF_STANDARD, 0, out);
    pf_build_free(&b);
    return err;
}

static pf_err make_automaton(pf_space_drawer *d, const pf_perm_spec *spec, const pf_randgen_options *options) {
    PF_TRY(make_linear(d->length, &d->linear));
    PF_TRY(pf_perm_lazy(d->linear, spec, &d->perm));
    return make_randgen(d->perm, options, &d->randgen);
}

pf_err pf_space_drawer_new(const char *const *con, size_t n_con, unsigned length, const pf_randgen_options *options,
                           pf_space_drawer **out) {
    pf_space_drawer *d = *out = calloc(1, sizeof *d);
    assert(!options->by_weight);
    if (!d) return pf_nomem();
    d->length = length;
    pf_err err = pf_con_all(con, n_con, length, &d->con);
    if (err) d->con = NULL;
    if (!err && !d->con->cls->draw) {
        pf_con_free(d->con);
        d->con = NULL;
        err = make_automaton(d, &(pf_perm_spec){.con = con, .n_con = n_con}, options);
    }
    if (!err) return PF_OK;
    pf_space_drawer_free(d);
    *out = NULL;
    return err;
}

void pf_space_drawer_free(pf_space_drawer *d) {
    if (!d) return;
    pf_con_free(d->con);
    pf_randgen_free(d->randgen);
    pf_fst_free(d->perm);
    pf_fst_free(d->linear);
    free(d);
}

/* The input labels of a permutation automaton are positions, from 1. */
static void read_orders(const pf_answer *a, unsigned length, unsigned *orders) {
    for (size_t i = 0; i < a->paths.n; i++) {
        assert(a->paths.at[i].n == length);
        for (unsigned t = 0; t < length; t++) *orders++ = (unsigned)a->paths.at[i].arc[t].in - 1;
    }
}

static pf_err draw_paths(pf_space_drawer *d, gmp_randstate_t random, size_t n, unsigned *orders) {
    pf_answer a;
    PF_TRY(pf_randgen_paths(d->randgen, random, n, &a));
    assert(a.paths.n == n);
    d->states = a.states;
    d->arcs = a.arcs;
    read_orders(&a, d->length, orders);
    pf_answer_free(&a);
    return PF_OK;
}

pf_err pf_space_drawer_draw(pf_space_drawer *d, gmp_randstate_t random, size_t n, unsigned *orders) {
    if (!d->con) return draw_paths(d, random, n, orders);
    for (size_t i = 0; i < n; i++) PF_TRY(d->con->cls->draw(d->con, random, orders + i * d->length));
    return PF_OK;
}

bool pf_space_drawer_counted(const pf_space_drawer *d, uint64_t *states, uint64_t *arcs) {
    *states = d->states;
    *arcs = d->arcs;
    return !d->con;
}
