/* permrandgen: paths of each record drawn at random, or permutations of a length. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"
#include "toolwatch.h"

#include <stdio.h>

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

/* ---- seeds ---- */

static pf_err choose_seed(tool_call *call, uint64_t *seed) {
    const draw_settings *options = tool_options(call);
    *seed = options->seed;
    if (*seed == NO_SEED) {
        FILE *system = fopen("/dev/urandom", "rb");
        bool done = system && fread(seed, sizeof *seed, 1, system) == 1;
        if (system) fclose(system);
        if (!done) return pf_fail(PF_EIO, "/dev/urandom gives no seed: give one with --seed");
        *seed &= INT64_MAX;
    }
    if (options->verbose) tool_say(call, "--seed=%llu", (unsigned long long)*seed);
    return PF_OK;
}

static void busy(void *call, pf_randgen_phase phase, uint64_t done) {
    static const tool_step step[] = {TOOL_STATES, TOOL_COUNTED_STATES, TOOL_DRAWN_PATHS};
    tool_steps(call, step[phase], done);
}

/* ---- records ---- */

static void report(void *call, const pf_answer *answer, uint64_t record) {
    unsigned long long number = record;
    if (((const draw_settings *)tool_options(call))->verbose)
        tool_say(call, "record %llu: %zu path%s, %llu states, %llu arcs", number, answer->paths.n, pf_plural(answer->paths.n),
                 (unsigned long long)answer->states, (unsigned long long)answer->arcs);
    if (!answer->paths.n) tool_say(call, "record %llu has no path", number);
}

static int draw_records(tool_call *call, uint64_t seed, int count, const char *const *operands) {
    const draw_settings *options = tool_options(call);
    pf_record_drawer drawer = {.how = {.by_weight = options->selection == WEIGHT, .max_states = options->common.max_states,
                                       .progress = busy},
                               .seed = seed, .count = (size_t)options->draws, .done = report};
    pf_err err = toolmap_records(call, count, operands, &pf_record_drawer_steps, &drawer, NULL);
    return tool_status(call, err, drawer.without_path > 0);
}

/* ---- permutations of a length ---- */

typedef struct {
    tool_call *call;
    pf_space_drawer *space;
    gmp_randstate_t random;
} length_drawer;

static pf_err draw_piece(void *self, tool_piece *piece) {
    length_drawer *drawer = self;
    uint64_t states, arcs;
    PF_TRY(pf_space_drawer_write(drawer->space, drawer->random, (size_t)piece->n, piece->text));
    if (piece->first == 1 && pf_space_drawer_counted(drawer->space, &states, &arcs) &&
        ((const draw_settings *)tool_options(drawer->call))->verbose)
        tool_say(drawer->call, "%llu states, %llu arcs", (unsigned long long)states, (unsigned long long)arcs);
    return PF_OK;
}

/* On Ctrl-C what is drawn is printed. */
static pf_err draw_length(tool_call *call, uint64_t seed, const char *operand) {
    const draw_settings *options = tool_options(call);
    length_drawer drawer = {.call = call};
    unsigned length;
    PF_TRY(toolperm_length(operand, &length));
    tool_item(call, "permutation");
    tool_answer_early(call);
    PF_TRY(pf_space_drawer_new(options->con.at, options->con.n, length,
                               &(pf_randgen_options){.max_states = options->common.max_states, .progress = busy, .self = call},
                               &drawer.space));
    pf_randgen_seed(drawer.random, seed, 1);
    pf_err err = toolmap_numbers(call, 1, options->draws, BATCH / (length + 1) + 1, draw_piece, &drawer, NULL);
    gmp_randclear(drawer.random);
    pf_space_drawer_free(drawer.space);
    return err;
}

static int run(tool_call *call) {
    const char *const *operands;
    int count = tool_operands(call, &operands);
    uint64_t seed;
    pf_err err = choose_seed(call, &seed);
    if (!err && tool_form(call) == RECORDS) return draw_records(call, seed, count, operands);
    if (!err) err = draw_length(call, seed, operands[0]);
    return tool_status(call, err, false);
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
