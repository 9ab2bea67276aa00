/* permrules apply: a lattice for each sentence, or how large it is. */
#include "toolrules.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PERMS = sizeof ((tool_specs *)0)->at / sizeof(char *) + 1 }; /* those to add, and the reference */

typedef struct {
    pf_annotated *in;
    pf_rule_figures figures; /* the answer, of --statistics */
} ruled_sentence;

typedef struct {
    tool_call *call;
    const toolrules_options *o;
    pf_rules *rules; /* NULL: --only */
    pf_rule_apply_options how;
    pf_reader *perms[MOST_PERMS]; /* those to add, then the reference */
    pf_annotation_files files;
    const char *last;  /* operand of records */
    pf_writer *w;      /* of statistics */
    pf_rule_totals totals;
} applier;

/* ---- a record ---- */

static void ruled_sentence_free(void *own) {
    ruled_sentence *s = own;
    pf_annotated_free(s->in);
    pf_rule_figures_free(&s->figures);
    free(s);
}

static pf_err prepare(void *self, pf_record *r) {
    const applier *a = self;
    ruled_sentence *s = r->own = calloc(1, sizeof *s);
    pf_fst *fst;
    if (!s) return pf_nomem();
    pf_rule_figures_init(&s->figures);
    PF_TRY(pf_annotated_read(&a->files, &s->in));
    PF_TRY(pf_record_open(r, &fst));
    return pf_annotated_take(s->in, &a->files, fst);
}

static pf_err use(const applier *a, ruled_sentence *s, const pf_rule_lattice *l, uint64_t matches, pf_record *r) {
    pf_fst *fst;
    if (a->o->statistics)
        return pf_rule_figures_of(&s->figures, l, matches, a->o->reference ? &s->in->perm[a->o->augment.n] : NULL);
    PF_TRY(pf_rule_lattice_fst(l, &s->in->input, s->in->type, &fst));
    pf_fst_set_symbols(fst, NULL, s->in->symbols);
    return pf_expr_of_fst(fst, &r->out);
}

static pf_err work(void *self, pf_record *r) {
    const applier *a = self;
    ruled_sentence *s = r->own;
    pf_rule_sentence all = pf_annotated_sentence(s->in, a->o->augment.n);
    pf_rule_lattice *l;
    uint64_t matches;
    PF_TRY(pf_rules_apply(&a->how, &all, &l, &matches));
    pf_err err = use(a, s, l, matches, r);
    pf_rule_lattice_free(l);
    return err;
}

static pf_err add_figures(void *self, pf_record *r) {
    applier *a = self;
    const ruled_sentence *s = r->own;
    if (r->failed) return PF_OK;
    pf_rule_totals_add(&a->totals, &s->figures);
    if (!a->o->per_line) return PF_OK;
    PF_TRY(pf_rule_figures_write(&s->figures, r->record, a->o->reference != NULL, a->w));
    return pf_writer_flush(a->w);
}

/* ---- all records ---- */

static pf_err open_rules(applier *a, const char *path) {
    pf_rule_options most = {.max_length = a->o->maxlen ? (unsigned)a->o->maxlen : PF_MAX_WORDS,
                            .max_cost = a->o->maxcost >= 0 ? a->o->maxcost : (double)INFINITY};
    pf_reader *r;
    PF_TRY(toolfst_open(a->call, path, &r));
    pf_err err = pf_rules_read(r, &most, &a->rules);
    pf_reader_free(r);
    PF_TRY(err);
    bool one_tag = pf_rules_options(a->rules)->one_tag;
    if (one_tag && a->o->tags) return pf_fail(PF_EARG, "%s has rules of one tag: --tags cannot be used with them", path);
    if (!one_tag && !a->o->tags) return pf_fail(PF_EARG, "%s has rules over tags: give the tags of the sentences with --tags",
                                                path);
    toolrules_say_left_out(a->call, NULL, pf_rules_omitted(a->rules));
    return PF_OK;
}

static pf_err open_permutations(applier *a, const char *path) {
    a->files.perms = a->perms;
    return toolfst_open(a->call, path, &a->perms[a->files.n_perms++]);
}

static pf_err open_files(applier *a, char *const *operands) {
    if (!a->o->only) PF_TRY(open_rules(a, operands[0]));
    a->how = (pf_rule_apply_options){a->rules, !a->o->unweighted,
                                     a->o->augment_cost > 0 ? (float)a->o->augment_cost : 0};
    if (a->o->tags) PF_TRY(toolfst_open(a->call, a->o->tags, &a->files.tags));
    for (size_t i = 0; i < a->o->augment.n; i++) PF_TRY(open_permutations(a, a->o->augment.at[i]));
    return a->o->reference ? open_permutations(a, a->o->reference) : PF_OK;
}

static pf_err end(void *self) {
    const applier *a = self;
    return pf_annotation_end(&a->files, toolfst_name(a->last), a->o->common.first_record);
}

typedef struct {
    applier *a;
    int n;
    char *const *operands;
} applied_files;

static pf_err write_statistics(void *self, pf_writer *w) {
    static const pf_record_steps steps = {prepare, work, add_figures, ruled_sentence_free, false};
    const applied_files *f = self;
    applier *a = f->a;
    a->w = w;
    PF_TRY(toolmap_read(a->call, f->n, f->operands, &steps, a));
    PF_TRY(end(a));
    if (a->o->per_line) return PF_OK;
    return pf_rule_totals_write(&a->totals, a->rules ? pf_rules_size(a->rules) : 0, a->o->reference != NULL, w);
}

static pf_err apply_all(applier *a, int n, char *const *operands) {
    static const pf_record_steps steps = {prepare, work, NULL, ruled_sentence_free, false};
    int rules = !a->o->only;
    a->last = n > rules ? operands[n - 1] : "-";
    PF_TRY(open_files(a, operands));
    if (!a->o->statistics) return toolmap_records(a->call, n - rules, operands + rules, &steps, a, end);
    return toolfst_write(a->call, write_statistics, &(applied_files){a, n - rules, operands + rules});
}

pf_err toolrules_apply(tool_call *call, int n, char *const *operands) {
    applier a = {.call = call, .o = tool_options(call)};
    pf_rule_totals_init(&a.totals);
    pf_err err = apply_all(&a, n, operands);
    pf_reader_free(a.files.tags);
    for (size_t i = 0; i < a.files.n_perms; i++) pf_reader_free(a.perms[i]);
    pf_rules_free(a.rules);
    pf_rule_totals_free(&a.totals);
    return err;
}
