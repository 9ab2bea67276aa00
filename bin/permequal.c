/* permequal: are two reordering spaces the same, or one inside the other? */
#include "toolfst.h"
#include "toolperm.h"
#include "toolprogress.h"
#include "toolmap.h"

typedef struct {
    tool_common common;
    bool inside;
} compare_settings;

#define AT(FIELD) offsetof(compare_settings, FIELD)

static const tool_option rows[] = {
    {'i', "inside", TOOL_FLAG, AT(inside), .help = "say only whether the first space is inside the second"},
    TOOL_MAX_STATES(NULL, "fail if the two have more than N states in common"),
    {'j', "jobs", TOOL_NUMBER, AT(common.jobs), "N", .min = 1, .max = 1024,
     .help = "with N above 1, look both ways at the same time [1]"},
    TOOL_OUTPUT,
    {0},
};

/* The two spaces at one length; each of them in the other. */
typedef struct {
    tool_call *call;
    const compare_settings *options;
    const char *spec[2];
    unsigned length;
    pf_space_proof proof[2];
} comparison;

/* One way: the answer, and its proof. */
static pf_err look(void *self, void *piece) {
    comparison *task = self;
    int i = *(int *)piece;
    pf_compare_options how = {task->options->common.max_states, tool_states, task->call, NULL};
    return pf_space_inside(task->spec[i], task->spec[!i], task->length, &how, &task->proof[i]);
}

static pf_err looked(void *self, void *piece, pf_err err) {
    comparison *task = self;
    if (!err) tool_done(task->call, 1, *(int *)piece ? 2 : 1, 0);
    return err;
}

static pf_err compare(comparison *task) {
    static const pf_workers_steps steps = {sizeof(int), look, looked, NULL, NULL};
    pf_workers *ring;
    task->proof[1].inside = true;
    tool_item(task->call, "direction");
    pf_err err = tool_workers(task->call, &steps, task, &ring);
    for (int i = 0; !err && i < (task->options->inside ? 1 : 2); i++) err = pf_workers_put(ring, &i, PF_OK);
    return pf_workers_end(ring, err);
}

static pf_err write_all(void *self, pf_writer *writer) {
    comparison *task = self;
    PF_TRY(compare(task));
    return pf_space_relation_write(task->spec[0], task->spec[1], &task->proof[0], task->options->inside ? NULL : &task->proof[1],
                                   writer);
}

static int run(tool_call *call) {
    const char *const *operands;
    tool_operands(call, &operands);
    comparison task = {.call = call, .options = tool_options(call), .spec = {operands[0], operands[1]}};
    pf_err err = toolperm_length(operands[2], &task.length);
    if (!err) err = toolfst_write(call, write_all, &task);
    bool yes = task.proof[0].inside && task.proof[1].inside;
    for (int i = 0; i < 2; i++) pf_space_proof_free(&task.proof[i]);
    return tool_status(call, err, !yes);
}

const tool permequal = {
    .name = "permequal",
    .summary = "Compare the permutations of two reordering spaces at a length",
    .forms = {"SPACE SPACE LENGTH"},
    .options = rows,
    .size = sizeof(compare_settings),
    .run = run,
    .examples = {"permequal ibm:2 inverse:inverse-ibm:2 8", "permequal --inside local:3 ibm:3 10"},
};

TOOL_MAIN(permequal);
