/* permrandgen: paths of each record drawn at random, or permutations of a length. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"
#include "toolwatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_SEED UINT64_MAX
enum { BATCH = 1 << 14 }; /* positions drawn at a time, and printed together */

typedef struct {
    tool_common common;
    uint64_t draws, seed;
    int selection; /* a place in `selections` */
    tool_specs con;
    bool verbose;
} draw_settings;

enum { RECORDS, LENGTH }; /* forms */
enum { UNIFORM, WEIGHT };
static const char *const selections[] = {"uniform", "weight", NULL};

#define AT(FIELD) offsetof(draw_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is drawn"),
    {'n', "npath", TOOL_NUMBER, AT(draws), "N", .min = 1, .max = 1000000000,
     .help = "draw N paths of each record, or N permutations [1]"},
    {0, "seed", TOOL_NUMBER, AT(seed), "N", .max = INT64_MAX, .help = "the seed of the random numbers [from the system]"},
    TOOL_MAX_STATES(NULL, "fail if more than N states have to be counted"),
    {.kind = TOOL_GROUP, .forms = TOOL_IN(LENGTH), .help = "With a length"},
    TOOLPERM_CONSTRAINT(AT(con)),
    {.kind = TOOL_GROUP, .forms = TOOL_IN(RECORDS), .help = "With records"},
    {'s', "select", TOOL_CHOICE, AT(selection), "HOW", .words = selections,
     .help = "uniform, or in proportion to exp(-cost): weight [uniform]"},
    TOOL_OF_RECORDS,
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "report the seed, and how much was counted"},
    TOOL_OUTPUT,
    {0},
};

/* What is drawn from, and how. */
typedef struct {
    tool_call *call;
    const draw_settings *o;
    uint64_t seed;
    bool no_path;
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

/* ---- records ---- */

static void busy(void *self, pf_randgen_phase phase, uint64_t done) {
    static const tool_step step[] = {TOOL_STATES, TOOL_COUNTED_STATES, TOOL_DRAWN_PATHS};
    tool_steps(self, step[phase], done);
}

static pf_randgen_options randgen_options(const drawer *d) {
    return (pf_randgen_options){.by_weight = d->o->selection == WEIGHT, .max_states = d->o->common.max_states, .progress = busy,
                                .self = d->call};
}

static void report(drawer *d, const pf_answer *a, uint64_t record) {
    if (d->o->verbose)
        tool_say(d->call, "record %llu: %zu path%s, %llu states, %llu arcs", (unsigned long long)record, a->paths.n,
                 a->paths.n == 1 ? "" : "s", (unsigned long long)a->states, (unsigned long long)a->arcs);
    if (a->paths.n) return;
    tool_say(d->call, "record %llu has no path", (unsigned long long)record);
    d->no_path = true;
}

static pf_err draw(void *self, pf_record *r) {
    const drawer *d = self;
    pf_randgen_options how = randgen_options(d);
    pf_fst *fst;
    pf_answer answer;
    PF_TRY(pf_record_open(r, &fst));
    PF_TRY(pf_draw_paths(fst, &how, d->seed, r->record, (size_t)d->o->draws, &answer));
    return pf_expr_of_answer(&answer, &r->out);
}

/* A record that failed has an answer without paths. */
static pf_err finish(void *self, pf_record *r) {
    if (r->out) report(self, r->out->answer, r->record);
    return r->out ? PF_OK : pf_expr_of_answer(&(pf_answer){.bound = -(double)INFINITY}, &r->out);
}

/* ---- permutations of a length ---- */

typedef struct {
    const drawer *d;
    pf_space_drawer *space;
    gmp_randstate_t random;
    unsigned length, *orders; /* room for a piece */
} length_drawer;

static void report_counted(const length_drawer *p) {
    uint64_t states, arcs;
    if (pf_space_drawer_counted(p->space, &states, &arcs) && p->d->o->verbose)
        tool_say(p->d->call, "%llu states, %llu arcs", (unsigned long long)states, (unsigned long long)arcs);
}

static pf_err draw_piece(void *self, tool_piece *piece) {
    length_drawer *p = self;
    PF_TRY(pf_space_drawer_draw(p->space, p->random, (size_t)piece->n, p->orders));
    if (piece->first == 1) report_counted(p);
    for (size_t i = 0; i < piece->n; i++) {
        PF_TRY(pf_visit_order_write(piece->text, p->orders + i * p->length, p->length, 1));
        PF_TRY(pf_writer_put(piece->text, "\n", 1));
    }
    return PF_OK;
}

/* On Ctrl-C what is drawn is printed. */
static pf_err draw_pieces(length_drawer *p) {
    pf_randgen_options how = randgen_options(p->d);
    const draw_settings *o = p->d->o;
    size_t most = BATCH / (p->length + 1) + 1;
    tool_item(p->d->call, "permutation");
    tool_answer_early(p->d->call);
    PF_TRY(pf_space_drawer_new(o->con.at, o->con.n, p->length, &how, &p->space));
    if (!(p->orders = calloc(most * p->length + 1, sizeof *p->orders))) return pf_nomem();
    return toolmap_numbers(p->d->call, 1, o->draws, most, draw_piece, p);
}

static pf_err draw_length(const drawer *d, const char *operand) {
    length_drawer p = {.d = d};
    PF_TRY(toolperm_length(operand, &p.length));
    pf_randgen_seed(p.random, d->seed, 1);
    pf_err err = draw_pieces(&p);
    gmp_randclear(p.random);
    pf_space_drawer_free(p.space);
    free(p.orders);
    return err;
}

static int run(tool_call *call) {
    static const pf_record_steps steps = {NULL, draw, finish, NULL, false};
    drawer d = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = choose_seed(&d);
    if (!err) err = tool_form(call) == LENGTH ? draw_length(&d, operands[0]) : toolmap_records(call, n, operands, &steps, &d, NULL);
    return tool_status(call, err, d.no_path);
}

const tool permrandgen = {
    .name = "permrandgen",
    .summary = "Draw paths of automata, or permutations of a length, at random",
    .forms = {"[FILE...]", "LENGTH"},
    .options = rows,
    .size = sizeof(draw_settings),
    .defaults = &(const draw_settings){.draws = 1, .seed = NO_SEED},
    .run = run,
    .examples = {"permrandgen -c itg --seed=7 -n 5 20",
                 "echo a b c | permcompile | lazyperm -c ibm:2 | permrandgen -n 3 | permprint"},
};

TOOL_MAIN(permrandgen);
