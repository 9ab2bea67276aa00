/* permrandgen: paths of each record drawn at random, or permutations of a length. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"
#include "toolwatch.h"

#include <stdio.h>
#include <stdlib.h>

#define NO_SEED UINT64_MAX
enum { BATCH_NUMBERS = 1 << 16, BATCH_BYTES = 1 << 16 }; /* positions drawn, and bytes of lines, before they are printed */

typedef struct {
    tool_common common;
    uint64_t draws, seed, max_states;
    int selection; /* a place in `selections` */
    tool_specs con;
    bool verbose;
} options;

enum { UNIFORM, WEIGHT };
static const char *const selections[] = {"uniform", "weight", NULL};

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("What is drawn"),
    {.letter = 'n', .name = "npath", .kind = TOOL_NUMBER, .at = offsetof(options, draws), .metavar = "N", .min = 1,
     .max = 1000000000, .help = "draw N paths of each record, or N permutations [1]"},
    {.letter = 's', .name = "select", .kind = TOOL_CHOICE, .at = offsetof(options, selection), .metavar = "HOW",
     .words = selections,
     .help = "draw every path with the same probability (uniform), or in proportion to exp(-cost) (weight) [uniform]"},
    TOOLPERM_CONSTRAINT(offsetof(options, con)),
    {.name = "seed", .kind = TOOL_NUMBER, .at = offsetof(options, seed), .metavar = "N", .max = INT64_MAX,
     .help = "draw the same paths for the same N; the default is a seed from the system"},
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(options, max_states), .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "fail if more than N states have to be counted"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    {.letter = 'v', .name = "verbose", .kind = TOOL_FLAG, .at = offsetof(options, verbose),
     .help = "report the seed, and how much was counted for each record"},
    TOOL_OUTPUT,
    {0},
};

/* What is drawn from, and how. */
typedef struct {
    tool_call *call;
    const options *o;
    uint64_t seed;
    toolfst_sink sink;
    bool no_path, failed;
} drawer;

/* ---- seeds ---- */

static pf_err choose_seed(drawer *d) {
    d->seed = d->o->seed;
    if (d->seed == NO_SEED) {
        FILE *system = fopen("/dev/urandom", "rb");
        bool done = system && fread(&d->seed, sizeof d->seed, 1, system) == 1;
        if (system) fclose(system);
        if (!done) return pf_fail(PF_EIO, "/dev/urandom gives no seed: give one with --seed");
        d->seed &= INT64_MAX;
    }
    if (d->o->verbose) tool_say(d->call, "--seed=%llu", (unsigned long long)d->seed);
    return PF_OK;
}

/* A record has numbers of its own, whatever was drawn of those before it. */
static void seed_record(const drawer *d, gmp_randstate_t generator, uint64_t record) {
    uint64_t words[2] = {record, d->seed};
    mpz_t both;
    gmp_randinit_mt(generator);
    mpz_init(both);
    mpz_import(both, 2, -1, sizeof *words, 0, 0, words);
    gmp_randseed(generator, both);
    mpz_clear(both);
}

/* ---- records ---- */

static void busy(void *self, pf_randgen_phase phase, uint64_t done) {
    static const tool_step step[] = {TOOL_STATES, TOOL_COUNTED_STATES, TOOL_DRAWN_PATHS};
    tool_steps(self, step[phase], done);
}

static pf_err draw_order(const void *self, gmp_randstate_t random, unsigned *p) {
    const pf_con *c = self;
    return c->cls->draw(c, random, p);
}

static pf_err make_drawer(const drawer *d, pf_fst *fst, pf_randgen **out) {
    const pf_con *con = pf_fst_space(fst);
    pf_randgen_options o = {.by_weight = d->o->selection == WEIGHT, .order = con && con->cls->draw ? draw_order : NULL,
                            .con = con, .max_states = d->o->max_states, .progress = busy, .self = d->call};
    return pf_randgen_new(fst, &o, out);
}

static pf_err draw_answer(const drawer *d, pf_fst *fst, uint64_t record, pf_answer *out) {
    gmp_randstate_t generator;
    pf_randgen *g;
    PF_TRY(make_drawer(d, fst, &g));
    seed_record(d, generator, record);
    pf_err err = pf_randgen_paths(g, generator, (size_t)d->o->draws, out);
    gmp_randclear(generator);
    pf_randgen_free(g);
    return err;
}

static void report(drawer *d, const pf_answer *a, uint64_t record) {
    if (d->o->verbose)
        tool_say(d->call, "record %llu: %zu path%s, %llu states, %llu arcs", (unsigned long long)record, a->paths.n,
                 a->paths.n == 1 ? "" : "s", (unsigned long long)a->states, (unsigned long long)a->arcs);
    if (a->paths.n) return;
    tool_say(d->call, "record %llu has no path", (unsigned long long)record);
    d->no_path = true;
}

static pf_err draw(void *self, toolmap_record *r) {
    pf_fst *fst;
    pf_answer answer;
    PF_TRY(toolmap_open(r, &fst));
    PF_TRY(draw_answer(self, fst, r->record, &answer));
    return pf_expr_of_answer(&answer, &r->out);
}

static pf_err put_answer(void *self, toolmap_record *r) {
    drawer *d = self;
    if (!r->out) return toolfst_put_no_answer(&d->sink, r->record);
    report(d, r->out->answer, r->record);
    return pf_stream_put(d->sink.stream, r->out, r->record);
}

static pf_err draw_records(drawer *d, int n, char *const *operands) {
    static const toolmap_steps steps = {NULL, draw, put_answer, NULL, false};
    if (d->o->con.n)
        return pf_fail(PF_EARG, "-c needs a length: permrandgen -c itg 20; for records use "
                                "lazyperm -c");
    PF_TRY(choose_seed(d));
    PF_TRY(toolfst_sink_open(d->call, &d->sink));
    PF_TRY(toolmap_read(d->call, n, operands, &steps, d, &d->failed));
    return toolfst_sink_close(&d->sink);
}

/* ---- permutations of a length ---- */

static pf_err put_position(pf_writer *w, unsigned t, unsigned position) {
    return pf_writer_text(w, t ? " %u" : "%u", position);
}

/* Lines go out some at a time, whole. */
typedef struct {
    const drawer *d;
    pf_writer *to, *lines;
    gmp_randstate_t random;
    uint64_t drawn, held; /* in all, and in `lines` */
} printer;

static pf_err put_lines(printer *p) {
    size_t n;
    const unsigned char *at = pf_writer_bytes(p->lines, &n);
    tool_write_begin(p->d->call);
    pf_err err = pf_writer_put(p->to, at, n);
    if (!err) err = pf_writer_flush(p->to);
    if (!err) tool_done(p->d->call, p->held, p->drawn, 0);
    tool_write_end(p->d->call);
    pf_writer_clear(p->lines);
    p->held = 0;
    return err;
}

/* On Ctrl-C what is drawn is printed. */
static pf_err line_done(printer *p) {
    size_t n;
    PF_TRY(pf_writer_put(p->lines, "\n", 1));
    p->drawn++;
    if (!p->held++) tool_work_begin(p->d->call);
    pf_writer_bytes(p->lines, &n);
    return n < BATCH_BYTES && !tool_interrupted(p->d->call) ? PF_OK : put_lines(p);
}

/* By the constraint itself. */
static pf_err put_drawn(printer *p, const pf_con *c, unsigned *order) {
    for (uint64_t i = 0; i < p->d->o->draws; i++) {
        PF_TRY(c->cls->draw(c, p->random, order));
        for (unsigned t = 0; t < c->n; t++) PF_TRY(put_position(p->lines, t, order[t] + 1));
        PF_TRY(line_done(p));
    }
    return PF_OK;
}

static pf_err put_paths(printer *p, const pf_answer *a) {
    for (size_t i = 0; i < a->paths.n; i++) {
        const pf_path *path = &a->paths.at[i];
        for (size_t t = 0; t < path->n; t++) PF_TRY(put_position(p->lines, (unsigned)t, (unsigned)path->arc[t].in));
        PF_TRY(line_done(p));
    }
    return PF_OK;
}

static pf_err put_walked(printer *p, pf_randgen *g, unsigned length) {
    uint64_t most = BATCH_NUMBERS / (length + 1) + 1, draws = p->d->o->draws;
    pf_err err = PF_OK;
    for (uint64_t i = 0, n; !err && i < draws; i += n) {
        pf_answer a;
        n = draws - i < most ? draws - i : most;
        PF_TRY(pf_randgen_paths(g, p->random, (size_t)n, &a));
        if (!i && p->d->o->verbose)
            tool_say(p->d->call, "%llu states, %llu arcs", (unsigned long long)a.states, (unsigned long long)a.arcs);
        err = put_paths(p, &a);
        pf_answer_free(&a);
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
static pf_err put_counted(printer *p, unsigned length) {
    pf_fst *linear, *perm = NULL;
    pf_randgen *g = NULL;
    PF_TRY(make_linear(length, &linear));
    pf_err err = pf_perm_lazy(linear, &(pf_perm_spec){.con = p->d->o->con.at, .n_con = p->d->o->con.n}, &perm);
    if (!err) err = make_drawer(p->d, perm, &g);
    if (!err) err = put_walked(p, g, length);
    pf_randgen_free(g);
    pf_fst_free(perm);
    pf_fst_free(linear);
    return err;
}

static pf_err put_permutations(printer *p, unsigned length) {
    pf_con *c;
    PF_TRY(pf_con_all(p->d->o->con.at, p->d->o->con.n, length, &c));
    unsigned *order = calloc((size_t)length + 1, sizeof *order);
    tool_item(p->d->call, "permutation");
    tool_answer_early(p->d->call);
    pf_err err = !order ? pf_nomem() : c->cls->draw ? put_drawn(p, c, order) : put_counted(p, length);
    if (!err && p->held) err = put_lines(p);
    free(order);
    pf_con_free(c);
    return err;
}

static pf_err check_length(const drawer *d, int n, const char *operand, unsigned *length) {
    if (n > 1) return pf_fail(PF_EARG, "a length must be the only operand: no records are read");
    if (d->o->selection == WEIGHT)
        return pf_fail(PF_EARG, "--select=weight needs records: the permutations of a length have no weights");
    if (d->o->common.jobs > 1 || d->o->common.keep_going)
        return pf_fail(PF_EARG, "--jobs and --keep-going need records: the permutations of a length are one sequence of "
                       "random numbers");
    return toolperm_length(operand, length);
}

static pf_err draw_length(drawer *d, int n, char *const *operands) {
    printer p = {.d = d};
    unsigned length;
    PF_TRY(check_length(d, n, operands[0], &length));
    PF_TRY(choose_seed(d));
    seed_record(d, p.random, 1);
    pf_err err = toolfst_open_output(d->call, &p.to);
    if (!err) err = pf_writer_memory(&p.lines);
    if (!err) err = put_permutations(&p, length);
    if (!err) err = toolfst_close_output(d->call, p.to);
    gmp_randclear(p.random);
    pf_writer_free(p.lines);
    pf_writer_free(p.to);
    return err;
}

static int run(tool_call *call) {
    drawer d = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = (n && toolperm_is_length(operands[0]) ? draw_length : draw_records)(&d, n, operands);
    toolfst_sink_free(&d.sink);
    if (err) return tool_trouble(call);
    return d.failed ? TOOL_TROUBLE : d.no_path ? TOOL_NO : TOOL_DONE;
}

const tool permrandgen = {
    .name = "permrandgen",
    .operands = "[LENGTH | FILE...]",
    .summary = "Draw paths of automata, or permutations of a length, at random",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.draws = 1, .seed = NO_SEED},
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permrandgen -c itg --seed=7 -n 5 20", "echo a b c | permcompile | lazyperm -c ibm:2 | permrandgen -n 3 | permprint"},
};

TOOL_MAIN(permrandgen);
