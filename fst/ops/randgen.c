/* Backward sums over the paths that go on from each state, then walks.
 *
 * Uniformly: a path is drawn by its number. Those of a state are numbered by where they go on: to end comes first, then arc
 * by arc, each with as many numbers as there are paths behind it. So one number below the count of the start state, less
 * what is passed by, says every turn. By weight: a turn has the probability of what is behind it, a double. */
#include <permfst/ops/randgen.h>

#include <permfst/ops/topsort.h>

#include <stdlib.h>

enum { ATTEMPTS = 100 }; /* orders of infinite weight before the automaton is counted after all */

struct pf_randgen {
    pf_fst *fst;
    pf_randgen_options options;
    unsigned n;        /* positions of an order */
    unsigned *order;   /* the one drawn; NULL: the states are counted */
    pf_state counted;  /* states that have a number */
    mpz_t *paths;      /* of each state: paths to the end */
    double *cost;      /* or: -ln of the sum of their probabilities */
    mpz_t number;      /* of the path being walked */
    PF_VEC(pf_arc) path;
    uint64_t states, arcs;
};

static void tell(const pf_randgen *g, pf_randgen_phase phase, uint64_t done) {
    if (g->options.progress && done % 256 == 0) g->options.progress(g->options.self, phase, done);
}

/* ---- counting ---- */

static void count_state(pf_randgen *g, pf_state s) {
    pf_arcs a = pf_fst_arcs(g->fst, s);
    mpz_t *sum = &g->paths[s];
    if (pf_fst_final(g->fst, s) != INFINITY) mpz_set_ui(*sum, 1);
    for (uint32_t i = 0; i < a.n; i++)
        if (a.arc[i].w != INFINITY) mpz_add(*sum, *sum, g->paths[a.arc[i].to]);
}

/* What it costs to go on by an arc, all paths behind it together; or to end. */
static double arc_cost(const pf_randgen *g, const pf_arc *a) { return (double)a->w + g->cost[a->to]; }

static void sum_state(pf_randgen *g, pf_state s) {
    pf_arcs a = pf_fst_arcs(g->fst, s);
    double final = (double)pf_fst_final(g->fst, s), least = final, sum;
    for (uint32_t i = 0; i < a.n; i++)
        if (arc_cost(g, &a.arc[i]) < least) least = arc_cost(g, &a.arc[i]);
    g->cost[s] = least;
    if (least == (double)INFINITY) return;
    sum = exp(least - final);
    for (uint32_t i = 0; i < a.n; i++) sum += exp(least - arc_cost(g, &a.arc[i]));
    g->cost[s] = least - log(sum);
}

static pf_err make_numbers(pf_randgen *g) {
    pf_state n = pf_fst_states(g->fst);
    if (g->options.by_weight) g->cost = calloc(n + (size_t)1, sizeof *g->cost);
    else g->paths = calloc(n + (size_t)1, sizeof *g->paths);
    if (!g->cost && !g->paths) return pf_nomem();
    for (; g->paths && g->counted < n; g->counted++) mpz_init(g->paths[g->counted]);
    return PF_OK;
}

/* Expands a lazy machine, as far as the limit: its states are numbered as they are seen. */
static pf_err expand_all(pf_randgen *g) {
    pf_state last = g->fst->start;
    uint64_t most = g->options.max_states ? g->options.max_states : PF_NO_STATE;
    if (!g->fst->op || last == PF_NO_STATE) return PF_OK;
    for (pf_state s = 0; s <= last && s < most; s++) {
        pf_arcs a = pf_fst_arcs(g->fst, s);
        for (uint32_t i = 0; i < a.n; i++)
            if (a.arc[i].to > last) last = a.arc[i].to;
        PF_TRY(pf_fst_error(g->fst));
        tell(g, PF_RANDGEN_EXPANDS, s + (uint64_t)1);
    }
    return PF_OK;
}

/* From the end of the topological order to its begin. */
static pf_err count_all(pf_randgen *g) {
    pf_topsort top;
    PF_TRY(expand_all(g));
    PF_TRY(pf_topsort_run(g->fst, g->options.max_states, NULL, NULL, &top));
    pf_err err = PF_OK;
    if (top.cyclic)
        err = pf_fail(PF_EINPUT, "the automaton has a cycle through state %u: its paths have no number to draw from",
                      top.cycle.at[top.cycle.n - 1].to);
    if (!err) err = make_numbers(g);
    for (size_t left = err ? 0 : top.order.n; left; left--) {
        pf_state s = top.order.at[left - 1];
        (g->paths ? count_state : sum_state)(g, s);
        g->arcs += pf_fst_arcs(g->fst, s).n;
        tell(g, PF_RANDGEN_COUNTS, ++g->states);
    }
    pf_topsort_free(&top);
    return err;
}

/* Of a machine that is counted. */
static bool has_path(const pf_randgen *g) {
    pf_state start = g->fst->start;
    if (start == PF_NO_STATE) return false;
    return g->paths ? mpz_sgn(g->paths[start]) > 0 : g->cost[start] != (double)INFINITY;
}

/* Is it a permutation automaton, and are its input labels positions? */
static bool tells_order(const pf_fst *f, unsigned *n) {
    pf_slots_view slots;
    if (!f->op || !f->op->slots) return false;
    f->op->slots(f->self, &slots);
    *n = slots.n;
    return slots.positions;
}

static pf_err set_up(pf_randgen *g) {
    mpz_init(g->number);
    if (g->options.by_weight || !g->options.order || !tells_order(g->fst, &g->n)) return count_all(g);
    g->order = calloc(g->n + (size_t)1, sizeof *g->order);
    return g->order ? PF_OK : pf_nomem();
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
    pf_randgen *g = calloc(1, sizeof *g);
    if (!g) return pf_nomem();
    g->fst = fst;
    g->options = *options;
    pf_err err = set_up(g);
    if (err) pf_randgen_free(g);
    else *out = g;
    return err;
}

void pf_randgen_free(pf_randgen *g) {
    if (!g) return;
    while (g->counted) mpz_clear(g->paths[--g->counted]);
    mpz_clear(g->number);
    PF_VEC_FREE(&g->path);
    free(g->paths);
    free(g->cost);
    free(g->order);
    free(g);
}

/* ---- drawing ---- */

/* In [0, 1), 53 bits. */
static double fraction(gmp_randstate_t random) {
    double high = (double)gmp_urandomb_ui(random, 26), low = (double)gmp_urandomb_ui(random, 27);
    return ldexp(ldexp(high, 27) + low, -53);
}

/* The arc by which path number g->number of a state goes on; NULL: it ends. What is passed by is taken off the number. */
static const pf_arc *turn_by_number(pf_randgen *g, pf_state s) {
    pf_arcs a = pf_fst_arcs(g->fst, s);
    if (pf_fst_final(g->fst, s) != INFINITY) {
        if (!mpz_sgn(g->number)) return NULL;
        mpz_sub_ui(g->number, g->number, 1);
    }
    for (uint32_t i = 0; i < a.n; i++) {
        mpz_t *behind = &g->paths[a.arc[i].to];
        if (a.arc[i].w == INFINITY) continue;
        if (mpz_cmp(g->number, *behind) < 0) return &a.arc[i];
        mpz_sub(g->number, g->number, *behind);
    }
    return NULL; /* not reached */
}

/* The same by probabilities; where rounding leaves a rest of the unit, the last turn has it. */
static const pf_arc *turn_by_weight(pf_randgen *g, pf_state s, double u) {
    pf_arcs a = pf_fst_arcs(g->fst, s);
    const pf_arc *last = NULL;
    u -= exp(g->cost[s] - (double)pf_fst_final(g->fst, s));
    for (uint32_t i = 0; i < a.n && u >= 0; i++) {
        double cost = arc_cost(g, &a.arc[i]);
        if (cost == (double)INFINITY) continue;
        last = &a.arc[i];
        u -= exp(g->cost[s] - cost);
    }
    return last;
}

/* A path of a machine that is counted. */
static pf_err walk(pf_randgen *g, gmp_randstate_t random, pf_state *end) {
    *end = g->fst->start;
    if (g->paths) mpz_urandomm(g->number, random, g->paths[*end]);
    for (const pf_arc *a;; *end = a->to) {
        a = g->paths ? turn_by_number(g, *end) : turn_by_weight(g, *end, fraction(random));
        if (!a) return PF_OK;
        PF_TRY(PF_PUSH(&g->path, *a));
    }
}

/* The arc that visits a position, one of those that do. */
static const pf_arc *visit(const pf_randgen *g, pf_state s, unsigned position, gmp_randstate_t random) {
    pf_arcs a = pf_fst_arcs(g->fst, s);
    uint32_t first = 0, n = 0;
    while (first < a.n && (unsigned)a.arc[first].in != position + 1) first++;
    while (first + n < a.n && (unsigned)a.arc[first + n].in == position + 1) n++;
    if (n > 1) first += (uint32_t)gmp_urandomm_ui(random, n);
    return n ? &a.arc[first] : NULL;
}

/* A path of a permutation automaton, by its order. Every order has the same number of paths, the product of the
 * alternatives of each position. *finite: its weights are. */
static pf_err permute(pf_randgen *g, gmp_randstate_t random, pf_state *end, bool *finite) {
    *finite = true;
    *end = g->fst->start;
    PF_TRY(g->options.order(g->options.con, random, g->order));
    for (unsigned t = 0; *finite && t < g->n; t++) {
        const pf_arc *a = visit(g, *end, g->order[t], random);
        PF_TRY(pf_fst_error(g->fst));
        *finite = a && a->w != INFINITY;
        if (*finite) PF_TRY(PF_PUSH(&g->path, *a));
        if (*finite) *end = a->to;
    }
    *finite = *finite && pf_fst_final(g->fst, *end) != INFINITY;
    return pf_fst_error(g->fst);
}

/* What is left when paths of infinite weight are drawn again is uniform among the others. */
static pf_err draw(pf_randgen *g, gmp_randstate_t random, pf_state *end) {
    bool finite = false;
    for (int i = 0; g->order && !finite && i < ATTEMPTS; i++) {
        g->path.n = 0;
        PF_TRY(permute(g, random, end, &finite));
    }
    if (finite) return PF_OK;
    g->path.n = 0;
    if (g->order) PF_TRY(count_all(g));
    free(g->order);
    g->order = NULL;
    if (has_path(g)) return walk(g, random, end);
    *end = PF_NO_STATE;
    return PF_OK;
}

pf_err pf_randgen_paths(pf_randgen *g, gmp_randstate_t random, size_t n, pf_answer *out) {
    pf_err err = PF_OK;
    *out = (pf_answer){.type = g->fst->type, .bound = -(double)INFINITY, .isyms = pf_symtab_ref(g->fst->isyms),
                       .osyms = pf_symtab_ref(g->fst->osyms)};
    while (!err && out->paths.n < n) {
        pf_state end;
        err = draw(g, random, &end);
        if (!err && end == PF_NO_STATE) break;
        if (!err) err = pf_answer_add(out, g->path.at, g->path.n, pf_fst_final(g->fst, end));
        tell(g, PF_RANDGEN_DRAWS, out->paths.n);
    }
    out->states = g->order ? g->fst->expanded : g->states;
    out->arcs = g->order ? g->fst->narcs : g->arcs;
    if (err) pf_answer_free(out);
    return err;
}
