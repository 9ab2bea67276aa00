/* permrules apply: a lattice for each sentence, or how large it is. */
#include "toolrules.h"

#include <math.h>

enum { MOST_PERMS = sizeof ((tool_specs *)0)->at / sizeof(char *) + 1 }; /* those to add, and the reference */

typedef struct {
    tool_call *call;
    const toolrules_options *o;
    int n; /* operands that are records */
    char *const *operands;
    pf_rules *rules; /* NULL: --only */
    pf_reader *perms[MOST_PERMS];
    pf_ruling ruling;
} applier;

static pf_err read_rules(applier *a, const char *path) {
    pf_rule_options most = {.max_length = a->o->maxlen ? (unsigned)a->o->maxlen : PF_MAX_WORDS,
                            .max_cost = a->o->maxcost >= 0 ? a->o->maxcost : (double)INFINITY};
    pf_reader *reader;
    PF_TRY(toolfst_open(a->call, path, &reader));
    pf_err err = pf_rules_read(reader, &most, &a->rules);
    pf_reader_free(reader);
    PF_TRY(err);
    bool one_tag = pf_rules_options(a->rules)->one_tag;
    if (one_tag && a->o->tags) return pf_fail(PF_EARG, "%s has rules of one tag: --tags cannot be used with them", path);
    if (!one_tag && !a->o->tags) return pf_fail(PF_EARG, "%s has rules over tags: give the tags of the sentences with --tags",
                                                path);
    toolrules_say_rules(a->call, NULL, a->rules);
    return PF_OK;
}

static pf_err open_permutations(applier *a, const char *path) {
    a->ruling.files.perms = a->perms;
    return toolfst_open(a->call, path, &a->perms[a->ruling.files.n_perms++]);
}

static pf_err open_files(applier *a, const char *rules) {
    if (rules) PF_TRY(read_rules(a, rules));
    a->ruling.how = (pf_rule_apply_options){a->rules, !a->o->unweighted, a->o->augment_cost > 0 ? (float)a->o->augment_cost : 0};
    if (a->o->tags) PF_TRY(toolfst_open(a->call, a->o->tags, &a->ruling.files.tags));
    for (size_t i = 0; i < a->o->augment.n; i++) PF_TRY(open_permutations(a, a->o->augment.at[i]));
    a->ruling.reference = a->o->reference != NULL;
    return a->o->reference ? open_permutations(a, a->o->reference) : PF_OK;
}

static pf_err end(void *ruling) { return pf_ruled_end(ruling); }

static pf_err write_statistics(void *self, pf_writer *writer) {
    applier *a = self;
    if (a->o->per_line) a->ruling.lines = writer;
    PF_TRY(toolmap_read(a->call, a->n, a->operands, &pf_ruled_figures, &a->ruling));
    PF_TRY(end(&a->ruling));
    if (a->o->per_line) return PF_OK;
    return pf_rule_totals_write(&a->ruling.totals, a->rules ? pf_rules_size(a->rules) : 0, a->ruling.reference, writer);
}

pf_err toolrules_apply(tool_call *call, int n, char *const *operands) {
    applier a = {.call = call, .o = tool_options(call)};
    int rules = !a.o->only;
    a.n = n - rules;
    a.operands = operands + rules;
    a.ruling.name = toolfst_name(a.n ? a.operands[a.n - 1] : "-");
    a.ruling.first = a.o->common.first_record;
    pf_rule_totals_init(&a.ruling.totals);
    pf_err err = open_files(&a, rules ? operands[0] : NULL);
    if (!err) err = a.o->statistics ? toolfst_write(call, write_statistics, &a)
                                    : toolmap_records(call, a.n, a.operands, &pf_ruled_lattices, &a.ruling, end);
    pf_reader_free(a.ruling.files.tags);
    for (size_t i = 0; i < a.ruling.files.n_perms; i++) pf_reader_free(a.perms[i]);
    pf_rules_free(a.rules);
    pf_rule_totals_free(&a.ruling.totals);
    return err;
}
