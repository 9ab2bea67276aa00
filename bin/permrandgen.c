/* permrandgen: paths of each record drawn at random, or permutations of a length. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"
#include "toolwatch.h"

#include <stdio.h>
#include <stdlib.h>

#define NO_SEED UINT64_MAX
enum { BATCH_NUMBERS = 1 << 16, BATCH_BYTES = 1 << 16 }; /* positions drawn at a time; bytes of lines before they are printed */

typedef struct {
    tool_common common;
    uint64_t draws, seed, max_states;
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
    {0, "max-states", TOOL_NUMBER, AT(max_states), "N", .min = 1, .max = UINT64_MAX,
     .help = "fail if more than N states have to be counted"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(LENGTH), .help = "With a length"},
    TOOLPERM_CONSTRAINT(AT(con)),
    {.kind = TOOL_GROUP, .forms = TOOL_IN(RECORDS), .help = "With records"},
    {'s', "select", TOOL_CHOICE, AT(selection), "HOW", .words = selections,
     .help = "uniform, or in proportion to exp(-cost): weight [uniform]"},
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
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

/* ---- records ---- */

static void busy(void *self, pf_randgen_phase phase, uint64_t done) {
    static const tool_step step[] = {TOOL_STATES, TOOL_COUNTED_STATES, TOOL_DRAWN_PATHS};
    tool_steps(self, step[phase], done);
}

static pf_randgen_options randgen_options(const drawer *d) {
    return (pf_randgen_options){.by_weight = d->o->selection == WEIGHT, .max_states = d->o->max_states, .progress = busy,
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

static pf_err put_answer(void *self, pf_record *r) {
    drawer *d = self;
    if (!r->out) return toolfst_put_no_answer(&d->sink, r->record);
    report(d, r->out->answer, r->record);
    return pf_stream_put(d->sink.stream, r->out, r->record);
}

static pf_err draw_records(drawer *d, int n, char *const *operands) {
    static const pf_record_steps steps = {NULL, draw, put_answer, NULL, false};
    PF_TRY(choose_seed(d));
    PF_TRY(toolfst_sink_open(d->call, &d->sink));
    PF_TRY(toolmap_read(d->call, n, operands, &steps, d, &d->failed));
    return toolfst_sink_close(&d->sink);
}

/* ---- permutations of a length ---- */

/* Lines go out some at a time, whole. */
typedef struct {
    const drawer *d;
    pf_space_drawer *space;
    pf_writer *to, *lines;
    gmp_randstate_t random;
    uint64_t drawn, held; /* in all, and in `lines` */
} drawn_lines;

static pf_err put_lines(drawn_lines *p) {
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
static pf_err put_line(drawn_lines *p, const unsigned *order, unsigned length) {
    size_t n;
    PF_TRY(pf_visit_order_write(p->lines, order, length, 1));
    PF_TRY(pf_writer_put(p->lines, "\n", 1));
    p->drawn++;
    if (!p->held++) tool_work_begin(p->d->call);
    pf_writer_bytes(p->lines, &n);
    return n < BATCH_BYTES && !tool_interrupted(p->d->call) ? PF_OK : put_lines(p);
}

static void report_counted(const drawn_lines *p) {
    uint64_t states, arcs;
    if (pf_space_drawer_counted(p->space, &states, &arcs) && p->d->o->verbose)
        tool_say(p->d->call, "%llu states, %llu arcs", (unsigned long long)states, (unsigned long long)arcs);
}

static pf_err put_batches(drawn_lines *p, unsigned length, size_t batch, unsigned *orders) {
    uint64_t draws = p->d->o->draws;
    for (uint64_t i = 0, n; i < draws; i += n) {
        n = draws - i < batch ? draws - i : batch;
        PF_TRY(pf_space_drawer_draw(p->space, p->random, (size_t)n, orders));
        if (!i) report_counted(p);
        for (size_t k = 0; k < n; k++) PF_TRY(put_line(p, orders + k * length, length));
    }
    return p->held ? put_lines(p) : PF_OK;
}

static pf_err put_permutations(drawn_lines *p, unsigned length) {
    pf_randgen_options how = randgen_options(p->d);
    size_t batch = BATCH_NUMBERS / (length + 1) + 1;
    tool_item(p->d->call, "permutation");
    tool_answer_early(p->d->call);
    PF_TRY(pf_space_drawer_new(p->d->o->con.at, p->d->o->con.n, length, &how, &p->space));
    unsigned *orders = calloc(batch * length + 1, sizeof *orders);
    pf_err err = orders ? put_batches(p, length, batch, orders) : pf_nomem();
    free(orders);
    return err;
}

static pf_err draw_length(drawer *d, const char *operand) {
    drawn_lines p = {.d = d};
    unsigned length;
    PF_TRY(toolperm_length(operand, &length));
    PF_TRY(choose_seed(d));
    pf_randgen_seed(p.random, d->seed, 1);
    pf_err err = toolfst_open_output(d->call, &p.to);
    if (!err) err = pf_writer_memory(&p.lines);
    if (!err) err = put_permutations(&p, length);
    if (!err) err = toolfst_close_output(d->call, p.to);
    gmp_randclear(p.random);
    pf_space_drawer_free(p.space);
    pf_writer_free(p.lines);
    pf_writer_free(p.to);
    return err;
}

static int run(tool_call *call) {
    drawer d = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = tool_form(call) == LENGTH ? draw_length(&d, operands[0]) : draw_records(&d, n, operands);
    toolfst_sink_free(&d.sink);
    return tool_status(call, err, d.failed, d.no_path);
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
