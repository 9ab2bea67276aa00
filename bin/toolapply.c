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
    toolfst_sink sink; /* automata, or */
    pf_writer *w;      /* statistics: */
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

static pf_err finish(void *self, pf_record *r) {
    applier *a = self;
    const ruled_sentence *s = r->own;
    if (!a->o->statistics)
        return r->failed ? toolfst_put_nothing(&a->sink, r->record) : pf_stream_put(a->sink.stream, r->out, r->record);
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
    if (a->o->reference) PF_TRY(open_permutations(a, a->o->reference));
    return a->o->statistics ? toolfst_open_output(a->call, &a->w) : toolfst_sink_open(a->call, &a->sink);
}

static pf_err apply_all(applier *a, int n, char *const *operands, bool *failed) {
    static const pf_record_steps steps = {prepare, work, finish, ruled_sentence_free, false};
    int rules = !a->o->only;
    PF_TRY(open_files(a, operands));
    PF_TRY(toolmap_read(a->call, n - rules, operands + rules, &steps, a, failed));
    PF_TRY(pf_annotation_end(&a->files, toolfst_name(n > rules ? operands[n - 1] : "-"), a->o->common.first_record));
    if (!a->o->statistics) return toolfst_sink_close(&a->sink);
    if (!a->o->per_line)
        PF_TRY(pf_rule_totals_write(&a->totals, a->rules ? pf_rules_size(a->rules) : 0, a->o->reference != NULL, a->w));
    return toolfst_close_output(a->call, a->w);
}

pf_err toolrules_apply(tool_call *call, int n, char *const *operands, bool *failed) {
    applier a = {.call = call, .o = tool_options(call)};
    pf_rule_totals_init(&a.totals);
    pf_err err = apply_all(&a, n, operands, failed);
    toolfst_sink_free(&a.sink);
    pf_writer_free(a.w);
    pf_reader_free(a.files.tags);
    for (size_t i = 0; i < a.files.n_perms; i++) pf_reader_free(a.perms[i]);
    pf_rules_free(a.rules);
    pf_rule_totals_free(&a.totals);
    return err;
}
