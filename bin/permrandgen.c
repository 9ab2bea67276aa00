/* permrandgen: paths of each record drawn at random, or permutations of a length. */
#include "toolfst.h"
#include "toolperm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_GIVEN UINT64_MAX
enum { BATCH_NUMBERS = 1 << 16 }; /* positions drawn before they are printed */

static uint64_t draws = 1, seed = NOT_GIVEN, max_states;
static const char *const selections[] = {"uniform", "weight", NULL};
static const char *selection = "uniform";
static bool verbose;

static const tool_option options[] = {
    {.letter = 'n', .name = "npath", .kind = TOOL_NUMBER, .to = &draws, .metavar = "N", .min = 1, .max = 1000000000,
     .help = "draw N paths of each record, or N permutations [1]"},
    {.letter = 's', .name = "select", .kind = TOOL_CHOICE, .to = &selection, .metavar = "HOW", .words = selections,
     .help = "uniform: every path is as likely; weight: in proportion to exp(-cost) [uniform]"},
    TOOLPERM_CONSTRAINT,
    {.name = "seed", .kind = TOOL_NUMBER, .to = &seed, .metavar = "N", .max = INT64_MAX,
     .help = "draw the same paths whenever N is the same; without it the system gives a seed"},
    {.name = "max-states", .kind = TOOL_NUMBER, .to = &max_states, .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "stop with an error where more than N states have to be counted"},
    {.letter = 'v', .name = "verbose", .kind = TOOL_FLAG, .to = &verbose,
     .help = "say the seed, and how much was counted for each record"},
    TOOLFST_RECORDS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permrandgen = {
    .name = "permrandgen",
    .operands = "[LENGTH | FILE...]",
    .summary = "Draw paths of automata, or permutations of a length, at random",
    .options = options,
    .max_operands = SIZE_MAX,
};

static gmp_randstate_t generator;

/* ---- seeds ---- */

static pf_err choose_seed(void) {
    if (seed == NOT_GIVEN) {
        FILE *system = fopen("/dev/urandom", "rb");
        bool done = system && fread(&seed, sizeof seed, 1, system) == 1;
        if (system) fclose(system);
        if (!done) return pf_fail(PF_EIO, "/dev/urandom gives no seed: choose one with --seed");
        seed &= INT64_MAX;
    }
    if (verbose) tool_say("--seed=%llu", (unsigned long long)seed);
    return PF_OK;
}

/* A record has numbers of its own, whatever was drawn of those before it. */
static void seed_record(uint64_t record) {
    uint64_t words[2] = {record, seed};
    mpz_t both;
    mpz_init(both);
    mpz_import(both, 2, -1, sizeof *words, 0, 0, words);
    gmp_randseed(generator, both);
    mpz_clear(both);
}

/* ---- records ---- */

typedef struct {
    toolfst_sink sink;
    bool no_path;
} drawer;

static void busy(void *self, uint64_t done, const char *what) {
    (void)self;
    tool_busy(done, what);
}

static pf_err draw_order(const void *self, gmp_randstate_t random, unsigned *p) {
    const pf_con *c = self;
    return c->cls->draw(c, random, p);
}

/* Of a permutation automaton with its constraint, or NULL. */
static pf_err make_drawer(pf_fst *fst, const pf_con *c, pf_randgen **out) {
    pf_randgen_options o = {.by_weight = strcmp(selection, "weight") == 0, .max_states = max_states, .progress = busy};
    if (c && c->cls->draw) {
        o.order = draw_order;
        o.con = c;
        o.n = c->n;
    }
    return pf_randgen_new(fst, &o, out);
}

static pf_err draw_answer(pf_expr *e, pf_answer *out) {
    pf_fst *fst;
    pf_randgen *g;
    PF_TRY(pf_open(e, &fst));
    PF_TRY(make_drawer(fst, e->kind == PF_EXPR_PERM && !e->acceptor ? pf_perm_con(fst) : NULL, &g));
    pf_err err = pf_randgen_paths(g, generator, (size_t)draws, out);
    pf_randgen_free(g);
    return err;
}

static void report(drawer *d, const pf_answer *a, uint64_t record) {
    if (verbose)
        tool_say("record %llu: %zu path%s, %llu states, %llu arcs", (unsigned long long)record, a->paths.n,
                 a->paths.n == 1 ? "" : "s", (unsigned long long)a->states, (unsigned long long)a->arcs);
    if (a->paths.n) return;
    tool_say("record %llu has no path", (unsigned long long)record);
    d->no_path = true;
}

static pf_err draw(void *self, pf_expr **expr, uint64_t record) {
    drawer *d = self;
    pf_expr *answer;
    seed_record(record);
    PF_TRY(pf_expr_new(PF_EXPR_BEST, &answer));
    pf_err err = draw_answer(*expr, &answer->answer);
    if (!err) {
        report(d, &answer->answer, record);
        err = pf_stream_put(d->sink.stream, answer, record);
    }
    pf_expr_free(answer);
    return err;
}

static int draw_records(int n, char **operands) {
    drawer d = {0};
    pf_err err = toolperm_con.n ? pf_fail(PF_EARG, "a constraint is drawn from at a length: permrandgen -c itg 20; records "
                                                   "have the constraints of lazyperm -c")
                                : choose_seed();
    if (!err) err = toolfst_sink_open(&d.sink);
    if (!err) err = toolfst_read(n, operands, draw, &d);
    if (!err) err = toolfst_sink_close(&d.sink);
    toolfst_sink_free(&d.sink);
    if (err) return tool_trouble();
    return d.no_path ? TOOL_NO : TOOL_DONE;
}

/* ---- permutations of a length ---- */

static pf_err put_position(pf_writer *w, unsigned t, unsigned position) {
    return pf_writer_text(w, t ? " %u" : "%u", position);
}

/* By the constraint itself. */
static pf_err put_drawn(pf_writer *w, const pf_con *c, unsigned *p) {
    pf_err err = PF_OK;
    for (uint64_t i = 0; !err && i < draws; i++) {
        err = c->cls->draw(c, generator, p);
        for (unsigned t = 0; !err && t < c->n; t++) err = put_position(w, t, p[t] + 1);
        if (!err) err = pf_writer_put(w, "\n", 1);
        tool_progress(i + 1, "permutations drawn", false);
    }
    return err;
}

static pf_err put_paths(pf_writer *w, const pf_answer *a) {
    for (size_t i = 0; i < a->paths.n; i++) {
        const pf_path *p = &a->paths.at[i];
        for (size_t t = 0; t < p->n; t++) PF_TRY(put_position(w, (unsigned)t, (unsigned)p->arc[t].in));
        PF_TRY(pf_writer_put(w, "\n", 1));
    }
    return PF_OK;
}

static pf_err put_walked(pf_writer *w, pf_randgen *g, unsigned length) {
    uint64_t most = BATCH_NUMBERS / (length + 1) + 1;
    pf_err err = PF_OK;
    for (uint64_t i = 0, n; !err && i < draws; i += n) {
        pf_answer a;
        n = draws - i < most ? draws - i : most;
        PF_TRY(pf_randgen_paths(g, generator, (size_t)n, &a));
        if (!i && verbose)
            tool_say("%llu states, %llu arcs", (unsigned long long)a.states, (unsigned long long)a.arcs);
        err = put_paths(w, &a);
        pf_answer_free(&a);
        tool_progress(i + n, "permutations drawn", false);
    }
    return err;
}

/* A sentence of so many positions. */
static pf_err make_linear(unsigned length, pf_fst **out) {
    pf_build b = {0};
    pf_err err = pf_build_final(&b, length, 0);
    for (pf_state s = 0; !err && s < length; s++) err = pf_build_arc(&b, s, (pf_label)s + 1, (pf_label)s + 1, 0, s + 1);
    if (!err) return pf_build_finish(&b, PF_STANDARD, 0, out);
    pf_build_free(&b);
    return err;
}

/* Through the automaton. */
static pf_err put_counted(pf_writer *w, unsigned length) {
    pf_fst *linear, *perm = NULL;
    pf_randgen *g = NULL;
    PF_TRY(make_linear(length, &linear));
    pf_err err = pf_perm_lazy(linear, &(pf_perm_spec){.con = toolperm_con.at, .n_con = toolperm_con.n}, &perm);
    if (!err) err = make_drawer(perm, NULL, &g);
    if (!err) err = put_walked(w, g, length);
    pf_randgen_free(g);
    pf_fst_free(perm);
    pf_fst_free(linear);
    return err;
}

static pf_err put_permutations(pf_writer *w, unsigned length) {
    pf_con *c;
    PF_TRY(toolperm_space(length, &c));
    unsigned *p = calloc((size_t)length + 1, sizeof *p);
    seed_record(1);
    pf_err err = !p ? pf_nomem() : c->cls->draw ? put_drawn(w, c, p) : put_counted(w, length);
    tool_progress(draws, "permutations drawn", true);
    free(p);
    pf_con_free(c);
    return err;
}

static pf_err check_length(int n, const char *operand, unsigned *length) {
    if (n > 1) return pf_fail(PF_EARG, "a length goes alone: no records are read");
    if (strcmp(selection, "weight") == 0)
        return pf_fail(PF_EARG, "--select=weight goes with records: the permutations of a length have no weights");
    return toolperm_length(operand, length);
}

static int draw_length(int n, char **operands) {
    pf_writer *w = NULL;
    unsigned length;
    pf_err err = check_length(n, operands[0], &length);
    if (!err) err = choose_seed();
    if (!err) err = toolfst_open_output(&w);
    if (!err) err = put_permutations(w, length);
    if (!err) err = pf_writer_close(w);
    pf_writer_free(w);
    return err ? tool_trouble() : TOOL_DONE;
}

static int run(int n, char **operands) {
    gmp_randinit_mt(generator);
    int status = n && toolperm_is_length(operands[0]) ? draw_length(n, operands) : draw_records(n, operands);
    gmp_randclear(generator);
    return status;
}

int main(int argc, char **argv) { return tool_main(&permrandgen, argc, argv, run); }
