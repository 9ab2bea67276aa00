/* Backward sums over the paths that go on from each state, then walks.
 *
 * Uniformly: a path is drawn by its number. The paths of a state are numbered by how they go on: the end comes first, then arc
 * by arc, each with as many numbers as there are paths from its end. So one number below the count of the start state, less
 * the numbers that are skipped, decides every turn. By weight: a turn has the probability of all paths through it, a double. */
#include <permfst/ops/randgen.h>

#include <permfst/ops/topsort.h>

#include <assert.h>
#include <stdlib.h>

enum { ATTEMPTS = 100 }; /* orders of infinite weight before the automaton is counted after all */

struct pf_randgen {
    pf_fst *fst;
    pf_randgen_options options;
    unsigned length;  /* positions of an order */
    unsigned *order;  /* the one drawn; NULL: the states are counted */
    pf_state counted; /* states that have a number */
    mpz_t *paths;     /* of each state: paths to the end */
    double *cost;     /* or: -ln of the sum of their probabilities */
    mpz_t number;     /* of the path being walked */
    PF_VEC(pf_arc) path;
    uint64_t states, arcs;
};

static pf_err tell(const pf_randgen *randgen, pf_randgen_phase phase, uint64_t done) {
    const pf_randgen_options *options = &randgen->options;
    if (done % 256 != 0) return PF_OK;
    if (options->progress) options->progress(options->self, phase, done);
    return options->expired && options->expired(options->self) ? pf_fail(PF_ELIMIT, "interrupted") : PF_OK;
}

/* ---- counting ---- */

static void count_state(pf_randgen *randgen, pf_state state) {
    pf_arcs arcs = pf_fst_arcs(randgen->fst, state);
    mpz_t *sum = &randgen->paths[state];
    if (pf_fst_final(randgen->fst, state) != INFINITY) mpz_set_ui(*sum, 1);
    for (uint32_t i = 0; i < arcs.n; i++)
        if (arcs.arc[i].w != INFINITY) mpz_add(*sum, *sum, randgen->paths[arcs.arc[i].to]);
}

/* The cost of an arc with all paths from its end together. */
static double arc_cost(const pf_randgen *randgen, const pf_arc *arc) { return (double)arc->w + randgen->cost[arc->to]; }

static void sum_state(pf_randgen *randgen, pf_state state) {
    pf_arcs arcs = pf_fst_arcs(randgen->fst, state);
    double final = (double)pf_fst_final(randgen->fst, state), least = final, sum;
    for (uint32_t i = 0; i < arcs.n; i++)
        if (arc_cost(randgen, &arcs.arc[i]) < least) least = arc_cost(randgen, &arcs.arc[i]);
    randgen->cost[state] = least;
    if (least == (double)INFINITY) return;
    sum = exp(least - final);
    for (uint32_t i = 0; i < arcs.n; i++) sum += exp(least - arc_cost(randgen, &arcs.arc[i]));
    randgen->cost[state] = least - log(sum);
}

static pf_err make_numbers(pf_randgen *randgen) {
    pf_state n = pf_fst_states(randgen->fst);
    assert(!randgen->paths && !randgen->cost); /* counted once */
    if (randgen->options.by_weight) randgen->cost = calloc(n + (size_t)1, sizeof *randgen->cost);
    else randgen->paths = calloc(n + (size_t)1, sizeof *randgen->paths);
    if (!randgen->cost && !randgen->paths) return pf_nomem();
    for (; randgen->paths && randgen->counted < n; randgen->counted++) mpz_init(randgen->paths[randgen->counted]);
    return PF_OK;
}

/* Expands a lazy machine, as far as the limit: its states are numbered as they are seen. */
static pf_err expand_all(pf_randgen *randgen) {
    pf_state last = randgen->fst->start;
    uint64_t most = randgen->options.max_states ? randgen->options.max_states : PF_NO_STATE;
    if (!randgen->fst->op || last == PF_NO_STATE) return PF_OK;
    for (pf_state state = 0; state <= last && state < most; state++) {
        pf_arcs arcs = pf_fst_arcs(randgen->fst, state);
        for (uint32_t i = 0; i < arcs.n; i++)
            if (arcs.arc[i].to > last) last = arcs.arc[i].to;
        PF_TRY(pf_fst_error(randgen->fst));
        PF_TRY(tell(randgen, PF_RANDGEN_EXPANDS, state + (uint64_t)1));
    }
    return PF_OK;
}

/* Goes from the end of the topological order to its beginning. */
static pf_err count_all(pf_randgen *randgen) {
    pf_topsort top;
    PF_TRY(expand_all(randgen));
    PF_TRY(pf_topsort_run(randgen->fst, randgen->options.max_states, NULL, NULL, &top));
    pf_err err = PF_OK;
    if (top.cyclic)
        err = pf_fail(PF_EINPUT, "the automaton has a cycle through state %u: it has infinitely many paths",
                      top.cycle.at[top.cycle.n - 1].to);
    if (!err) err = make_numbers(randgen);
    for (size_t left = top.order.n; !err && left; left--) {
        pf_state state = top.order.at[left - 1];
        (randgen->paths ? count_state : sum_state)(randgen, state);
        randgen->arcs += pf_fst_arcs(randgen->fst, state).n;
        err = tell(randgen, PF_RANDGEN_COUNTS, ++randgen->states);
    }
    pf_topsort_free(&top);
    return err;
}

/* The paths or costs of the machine have been summed. */
static bool has_path(const pf_randgen *randgen) {
    pf_state start = randgen->fst->start;
    if (start == PF_NO_STATE) return false;
    return randgen->paths ? mpz_sgn(randgen->paths[start]) > 0 : randgen->cost[start] != (double)INFINITY;
}

/* Is it a permutation automaton, and are its input labels positions? */
static bool tells_order(const pf_fst *fst, unsigned *length) {
    pf_slots_view slots;
    if (!fst->op || !fst->op->slots) return false;
    fst->op->slots(fst->self, &slots);
    *length = slots.n;
    return slots.positions;
}

static pf_err set_up(pf_randgen *randgen) {
    mpz_init(randgen->number);
    if (randgen->options.by_weight || !randgen->options.order || !tells_order(randgen->fst, &randgen->length))
        return count_all(randgen);
    randgen->order = calloc(randgen->length + (size_t)1, sizeof *randgen->order);
    return randgen->order ? PF_OK : pf_nomem();
}

void pf_randgen_seed(gmp_randstate_t random, uint64_t seed, uint64_t record) {
    uint64_t words[2] = {record, seed};
    mpz_t both;
    gmp_randinit_mt(random);
    mpz_init(both);
    mpz_import(both, 2, -1, sizeof *words, 0, 0, words);
    gmp_randseed(random, both);
    mpz_clear(both);
}

pf_err pf_randgen_new(pf_fst *fst, const pf_randgen_options *options, pf_randgen **out) {
    pf_randgen *randgen = calloc(1, sizeof *randgen);
    if (!randgen) return pf_nomem();
    randgen->fst = fst;
    randgen->options = *options;
    pf_err err = set_up(randgen);
    if (err) pf_randgen_free(randgen);
    else *out = randgen;
    return err;
}

void pf_randgen_free(pf_randgen *randgen) {
    if (!randgen) return;
    while (randgen->counted) mpz_clear(randgen->paths[--randgen->counted]);
    mpz_clear(randgen->number);
    PF_VEC_FREE(&randgen->path);
    free(randgen->paths);
    free(randgen->cost);
    free(randgen->order);
    free(randgen);
}

/* ---- drawing ---- */

/* In [0, 1), 53 bits. */
static double fraction(gmp_randstate_t random) {
    double high = (double)gmp_urandomb_ui(random, 26), low = (double)gmp_urandomb_ui(random, 27);
    return ldexp(ldexp(high, 27) + low, -53);
}

/* The arc by which path number randgen->number of a state goes on; NULL: it ends. What is passed by is taken off the number. */
static const pf_arc *turn_by_number(pf_randgen *randgen, pf_state state) {
    pf_arcs arcs = pf_fst_arcs(randgen->fst, state);
    assert(mpz_cmp(randgen->number, randgen->paths[state]) < 0);
    if (pf_fst_final(randgen->fst, state) != INFINITY) {
        if (!mpz_sgn(randgen->number)) return NULL;
        mpz_sub_ui(randgen->number, randgen->number, 1);
    }
    for (uint32_t i = 0; i < arcs.n; i++) {
        mpz_t *through = &randgen->paths[arcs.arc[i].to];
        if (arcs.arc[i].w == INFINITY) continue;
        if (mpz_cmp(randgen->number, *through) < 0) return &arcs.arc[i];
        mpz_sub(randgen->number, randgen->number, *through);
    }
    return NULL; /* not reached */
}

/* The same by probabilities; where rounding leaves a rest of the unit, the last turn has it. */
static const pf_arc *turn_by_weight(pf_randgen *randgen, pf_state state, double drawn) {
    pf_arcs arcs = pf_fst_arcs(randgen->fst, state);
    const pf_arc *last = NULL;
    drawn -= exp(randgen->cost[state] - (double)pf_fst_final(randgen->fst, state));
    for (uint32_t i = 0; i < arcs.n && drawn >= 0; i++) {
        double cost = arc_cost(randgen, &arcs.arc[i]);
        if (cost == (double)INFINITY) continue;
        last = &arcs.arc[i];
        drawn -= exp(randgen->cost[state] - cost);
    }
    return last;
}

/* A path of a machine that is counted. */
static pf_err walk(pf_randgen *randgen, gmp_randstate_t random, pf_state *end) {
    *end = randgen->fst->start;
    if (randgen->paths) mpz_urandomm(randgen->number, random, randgen->paths[*end]);
    for (const pf_arc *arc;; *end = arc->to) {
        arc = randgen->paths ? turn_by_number(randgen, *end) : turn_by_weight(randgen, *end, fraction(random));
        if (!arc) return PF_OK;
        PF_TRY(PF_PUSH(&randgen->path, *arc));
    }
}

/* The arc that visits a position, one of those that do. */
static const pf_arc *visit(const pf_randgen *randgen, pf_state state, unsigned position, gmp_randstate_t random) {
    pf_arcs arcs = pf_fst_arcs(randgen->fst, state);
    uint32_t first = 0, n = 0;
    assert(position < randgen->length);
    while (first < arcs.n && (unsigned)arcs.arc[first].in != position + 1) first++;
    while (first + n < arcs.n && (unsigned)arcs.arc[first + n].in == position + 1) n++;
    if (n > 1) first += (uint32_t)gmp_urandomm_ui(random, n);
    return n ? &arcs.arc[first] : NULL;
}

/* A path of a permutation automaton, by its order. Every order has the same number of paths, the product of the
 * alternatives of each position. *finite: its weights are. */
static pf_err permute(pf_randgen *randgen, gmp_randstate_t random, pf_state *end, bool *finite) {
    *finite = true;
    *end = randgen->fst->start;
    PF_TRY(randgen->options.order(randgen->options.con, random, randgen->order));
    for (unsigned step = 0; *finite && step < randgen->length; step++) {
        const pf_arc *arc = visit(randgen, *end, randgen->order[step], random);
        PF_TRY(pf_fst_error(randgen->fst));
        *finite = arc && arc->w != INFINITY;
        if (*finite) PF_TRY(PF_PUSH(&randgen->path, *arc));
        if (*finite) *end = arc->to;
    }
    *finite = *finite && pf_fst_final(randgen->fst, *end) != INFINITY;
    return pf_fst_error(randgen->fst);
}

/* What is left when paths of infinite weight are drawn again is uniform among the others. */
static pf_err draw(pf_randgen *randgen, gmp_randstate_t random, pf_state *end) {
    bool finite = false;
    for (int i = 0; randgen->order && !finite && i < ATTEMPTS; i++) {
        randgen->path.n = 0;
        PF_TRY(permute(randgen, random, end, &finite));
    }
    if (finite) return PF_OK;
    randgen->path.n = 0;
    if (randgen->order) PF_TRY(count_all(randgen));
    free(randgen->order);
    randgen->order = NULL;
    if (has_path(randgen)) return walk(randgen, random, end);
    *end = PF_NO_STATE;
    return PF_OK;
}

pf_err pf_randgen_paths(pf_randgen *randgen, gmp_randstate_t random, size_t count, pf_answer *out) {
    pf_err err = PF_OK;
    assert(randgen->order || randgen->paths || randgen->cost); /* no call has failed before */
    *out = (pf_answer){.type = randgen->fst->type, .bound = -(double)INFINITY, .isyms = pf_symtab_ref(randgen->fst->isyms),
                       .osyms = pf_symtab_ref(randgen->fst->osyms)};
    while (!err && out->paths.n < count) {
        pf_state end;
        err = draw(randgen, random, &end);
        if (!err && end == PF_NO_STATE) break;
        if (!err) err = pf_answer_add(out, randgen->path.at, randgen->path.n, pf_fst_final(randgen->fst, end));
        if (!err) err = tell(randgen, PF_RANDGEN_DRAWS, out->paths.n);
    }
    out->states = randgen->order ? randgen->fst->expanded : randgen->states;
    out->arcs = randgen->order ? randgen->fst->narcs : randgen->arcs;
    if (err) pf_answer_free(out);
    return err;
}
