/* lazyperm: linear automata to permutation automata, as descriptions that are expanded on demand. */
#include "toolmap.h"
#include "toolperm.h"

#include <stdlib.h>

static tool_specs wm;
static bool acceptor;

static const tool_option options[] = {
    TOOLPERM_CONSTRAINT,
    {.letter = 'w', .name = "weight", .kind = TOOL_SPECS, .to = &wm, .metavar = "SPEC", .list = toolperm_list_weights,
     .help = "a weight model, such as monotone:0.7; several add up. -w list prints them all"},
    {.name = "acceptor", .kind = TOOL_FLAG, .to = &acceptor,
     .help = "the word on both sides of an arc, instead of position and word"},
    TOOL_KEEP_GOING("record"),
    TOOLFST_FIRST_RECORD,
    TOOLFST_OSYMBOLS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool lazyperm = {
    .name = "lazyperm",
    .operands = "[FILE...]",
    .summary = "Permute linear automata on demand under constraints and weights",
    .options = options,
    .max_operands = SIZE_MAX,
    .passes_on = true,
};

typedef struct {
    toolfst_sink sink;
    uint64_t records; /* so far */
    bool failed;
    pf_wm_file *file[sizeof wm.at / sizeof *wm.at]; /* of those weights that have one */
} permuter;

enum { MOST = sizeof wm.at / sizeof *wm.at };

/* The costs that the weights' files have for the sentence. */
static pf_err read_costs(permuter *p, const pf_expr *e, const pf_input *in, double **cost, size_t *n) {
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < wm.n; i++)
        if (p->file[i]) err = pf_wm_file_next(p->file[i], in, e->first->fst->osyms, &cost[i], &n[i]);
    return err;
}

/* Positions that the sentence lacks, crossing zones and empty differences are found here, not by the reader. */
static pf_err check_space(const pf_expr *e, unsigned n) {
    pf_con *all;
    PF_TRY(pf_con_all(e->spec.con, e->spec.n_con, n, &all));
    pf_con_free(all);
    return PF_OK;
}

static pf_err add_specs(permuter *p, pf_expr *e, pf_expr **out) {
    pf_input in;
    double *cost[MOST] = {NULL};
    size_t n[MOST] = {0};
    pf_weight weight[MOST];
    pf_err err = pf_input_read(e->first->fst, &in);
    if (!err) err = read_costs(p, e, &in, cost, n);
    for (size_t i = 0; i < wm.n; i++) weight[i] = (pf_weight){wm.at[i], cost[i], n[i]};
    if (!err) err = pf_expr_permute_more(e, &(pf_perm_spec){toolperm_con.at, toolperm_con.n, weight, wm.n, acceptor}, out);
    if (!err) err = check_space(*out, in.n);
    for (size_t i = 0; i < wm.n; i++) free(cost[i]);
    pf_input_free(&in);
    return err;
}

/* The permutation that a record is, or is the input of. */
static pf_err begin(pf_expr *e, pf_expr **out) {
    pf_expr *input;
    pf_fst *fst;
    if (e->kind == PF_EXPR_PERM && e->first->kind == PF_EXPR_FST) {
        *out = pf_expr_ref(e);
        return PF_OK;
    }
    if (e->kind == PF_EXPR_FST) return pf_expr_permute(e, &(pf_perm_spec){0}, out);
    if (e->kind != PF_EXPR_BEST)
        return pf_fail(PF_EINPUT, "expected a linear automaton, found a '%s' record", pf_expr_kind_name(e->kind));
    PF_TRY(pf_answer_fst(e->answer, &fst)); /* of one path: as linear as a sentence */
    PF_TRY(pf_expr_of_fst(fst, &input));
    pf_err err = pf_expr_permute(input, &(pf_perm_spec){0}, out);
    pf_expr_free(input);
    return err;
}

/* An automaton becomes the input of a permutation; a permutation gets what is asked for in addition. */
static pf_err permute(void *self, toolmap_record *r) {
    pf_expr *perm;
    PF_TRY(begin(r->in, &perm));
    pf_err err = add_specs(self, perm, &r->out);
    pf_expr_free(perm);
    return err;
}

/* The costs of the next record are where they are, also behind those of one that failed. */
static pf_err put(void *self, toolmap_record *r) {
    permuter *p = self;
    p->records++;
    for (size_t i = 0; r->failed && i < wm.n; i++)
        if (p->file[i]) PF_TRY(pf_wm_file_skip(p->file[i], p->records));
    return r->failed ? toolfst_put_nothing(&p->sink, r->record) : pf_stream_put(p->sink.stream, r->out, r->record);
}

static pf_err check_specs(void) {
    pf_weight weight[sizeof wm.at / sizeof *wm.at] = {{0}};
    for (size_t i = 0; i < wm.n; i++) weight[i].spec = wm.at[i];
    return pf_perm_check(&(pf_perm_spec){.con = toolperm_con.at, .n_con = toolperm_con.n, .wm = weight, .n_wm = wm.n});
}

static int run(int n, char **operands) {
    static const toolmap_steps steps = {NULL, permute, put, NULL, false};
    permuter p = {0};
    pf_err err = check_specs();
    for (size_t i = 0; !err && i < wm.n; i++) err = pf_wm_file_open(wm.at[i], &p.file[i]);
    if (!err) err = toolfst_sink_open(&p.sink);
    if (!err) err = toolmap_read(n, operands, &steps, &p, &p.failed);
    for (size_t i = 0; !err && i < wm.n; i++)
        if (p.file[i]) err = pf_wm_file_end(p.file[i]);
    if (!err) err = toolfst_sink_close(&p.sink);
    toolfst_sink_free(&p.sink);
    for (size_t i = 0; i < wm.n; i++) pf_wm_file_free(p.file[i]);
    return err ? tool_trouble() : p.failed ? TOOL_TROUBLE : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&lazyperm, argc, argv, run); }
