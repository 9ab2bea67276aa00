/* permrules apply: a lattice for each sentence, or how large it is. */
#include "toolrules.h"

#include <math.h>

enum { MOST_PERMS = TOOL_MOST_SPECS + 1 }; /* those to add, and the reference */

typedef struct {
    tool_call *call;
    const toolrules_options *options;
    int count; /* operands that are records */
    const char *const *operands;
    pf_rules *rules; /* NULL: --only */
    pf_reader *perms[MOST_PERMS];
    pf_ruling ruling;
} applier;

static pf_err read_rules(void *self, pf_reader *reader) {
    applier *task = self;
    pf_rule_options most = {.max_length = task->options->maxlen ? (unsigned)task->options->maxlen : PF_MAX_WORDS,
                            .max_cost = task->options->maxcost >= 0 ? task->options->maxcost : (double)INFINITY};
    PF_TRY(pf_rules_read(reader, &most, &task->rules));
    if (pf_rules_options(task->rules)->one_tag == (task->options->tags != NULL))
        return pf_fail(PF_EARG, task->options->tags ? "%s has rules of one tag: --tags cannot be used with them"
                       : "%s has rules over tags: give the tags of the sentences with --tags", pf_reader_name(reader));
    toolrules_say_rules(task->call, NULL, task->rules);
    return PF_OK;
}

static pf_err open_permutations(applier *task, const char *path) {
    task->ruling.files.perms = task->perms;
    return toolfst_open(task->call, path, &task->perms[task->ruling.files.n_perms++]);
}

static pf_err open_files(applier *task, const char *rules) {
    if (rules) PF_TRY(toolfst_read(task->call, rules, read_rules, task));
    task->ruling.how = (pf_rule_apply_options){task->rules, !task->options->unweighted,
                                               task->options->augment_cost > 0 ? (float)task->options->augment_cost : 0};
    PF_TRY(toolfst_open(task->call, task->options->tags, &task->ruling.files.tags));
    for (size_t i = 0; i < task->options->augment.n; i++) PF_TRY(open_permutations(task, task->options->augment.at[i]));
    task->ruling.reference = task->options->reference != NULL;
    return task->options->reference ? open_permutations(task, task->options->reference) : PF_OK;
}

static pf_err end(void *ruling) { return pf_ruled_end(ruling); }

static pf_err write_statistics(void *self, pf_writer *writer) {
    applier *task = self;
    if (task->options->per_line) task->ruling.lines = writer;
    PF_TRY(toolmap_read(task->call, task->count, task->operands, &pf_ruled_figures, &task->ruling));
    PF_TRY(end(&task->ruling));
    if (task->options->per_line) return PF_OK;
    return pf_rule_totals_write(&task->ruling.totals, task->rules ? pf_rules_size(task->rules) : 0, task->ruling.reference, writer);
}

pf_err toolrules_apply(tool_call *call, int count, const char *const *operands) {
    applier task = {.call = call, .options = tool_options(call)};
    int rules = !task.options->only;
    task.count = count - rules;
    task.operands = operands + rules;
    task.ruling.name = toolfst_name(task.count ? task.operands[task.count - 1] : "-");
    task.ruling.first = task.options->common.first_record;
    pf_rule_totals_init(&task.ruling.totals);
    pf_err err = open_files(&task, rules ? operands[0] : NULL);
    if (!err) err = task.options->statistics ? toolfst_write(call, write_statistics, &task)
                                       : toolmap_records(call, task.count, task.operands, &pf_ruled_lattices, &task.ruling, end);
    pf_reader_free(task.ruling.files.tags);
    for (size_t i = 0; i < task.ruling.files.n_perms; i++) pf_reader_free(task.perms[i]);
    pf_rules_free(task.rules);
    pf_rule_totals_free(&task.ruling.totals);
    return err;
}
