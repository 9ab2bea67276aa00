/* lazyperm: linear automata to permutation automata, as descriptions that are expanded on demand. */
#include "toolmap.h"
#include "toolperm.h"

#include <stdlib.h>

typedef struct {
    tool_common common;
    tool_specs con, wm;
    bool acceptor;
} options;

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("How it is permuted"),
    TOOLPERM_CONSTRAINT(offsetof(options, con)),
    {.letter = 'w', .name = "weight", .kind = TOOL_SPECS, .at = offsetof(options, wm), .metavar = "SPEC",
     .list = toolperm_list_weights,
     .help = "a weight model, such as monotone:0.7; the costs of several are added. -w list prints them all"},
    {.name = "acceptor", .kind = TOOL_FLAG, .at = offsetof(options, acceptor),
     .help = "write the word as input and as output, not position and word"},
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0},
};

enum { MOST = sizeof((tool_specs){0}).at / sizeof(const char *) };

typedef struct {
    const options *o;
    toolfst_sink sink;
    uint64_t records; /* so far */
    bool failed;
    pf_wm_file *file[MOST]; /* of those weights that have one */
} permuter;

/* The costs that the weights' files have for the sentence. */
static pf_err read_costs(permuter *p, const pf_expr *e, const pf_input *in, double **cost, size_t *n) {
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < p->o->wm.n; i++)
        if (p->file[i]) err = pf_wm_file_next(p->file[i], in, e->first->fst->osyms, &cost[i], &n[i]);
    return err;
}

/* What makes no sense for the sentence is found here, not by the reader. */
static pf_err add_specs(permuter *p, pf_expr *e, pf_expr **out) {
    const tool_specs *con = &p->o->con, *wm = &p->o->wm;
    pf_input in;
    double *cost[MOST] = {NULL};
    size_t n[MOST] = {0};
    pf_weight weight[MOST];
    pf_err err = pf_input_read(e->first->fst, &in);
    if (!err) err = read_costs(p, e, &in, cost, n);
    for (size_t i = 0; i < wm->n; i++) weight[i] = (pf_weight){wm->at[i], cost[i], n[i]};
    if (!err) err = pf_expr_permute_more(e, &(pf_perm_spec){con->at, con->n, weight, wm->n, p->o->acceptor}, out);
    if (!err) err = pf_expr_check_space(*out, in.n);
    for (size_t i = 0; i < wm->n; i++) free(cost[i]);
    pf_input_free(&in);
    return err;
}

/* An automaton becomes the input of a permutation; a permutation gets what is asked for in addition. */
static pf_err permute(void *self, toolmap_record *r) {
    pf_expr *perm;
    PF_TRY(pf_expr_permutation(r->in, &perm));
    pf_err err = add_specs(self, perm, &r->out);
    pf_expr_free(perm);
    return err;
}

/* The costs of the next record are where they are, also after those of one that failed. */
static pf_err put(void *self, toolmap_record *r) {
    permuter *p = self;
    p->records++;
    for (size_t i = 0; r->failed && i < p->o->wm.n; i++)
        if (p->file[i]) PF_TRY(pf_wm_file_skip(p->file[i], p->records));
    return r->failed ? toolfst_put_nothing(&p->sink, r->record) : pf_stream_put(p->sink.stream, r->out, r->record);
}

static pf_err check_specs(const options *o) {
    pf_weight weight[MOST] = {{0}};
    for (size_t i = 0; i < o->wm.n; i++) weight[i].spec = o->wm.at[i];
    return pf_perm_check(&(pf_perm_spec){.con = o->con.at, .n_con = o->con.n, .wm = weight, .n_wm = o->wm.n});
}

static int run(tool_call *call) {
    static const toolmap_steps steps = {NULL, permute, put, NULL, false};
    permuter p = {.o = tool_options(call)};
    const tool_specs *wm = &p.o->wm;
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = check_specs(p.o);
    for (size_t i = 0; !err && i < wm->n; i++) err = pf_wm_file_open(wm->at[i], &p.file[i]);
    if (!err) err = toolfst_sink_open(call, &p.sink);
    if (!err) err = toolmap_read(call, n, operands, &steps, &p, &p.failed);
    for (size_t i = 0; !err && i < wm->n; i++)
        if (p.file[i]) err = pf_wm_file_end(p.file[i]);
    if (!err) err = toolfst_sink_close(&p.sink);
    toolfst_sink_free(&p.sink);
    for (size_t i = 0; i < wm->n; i++) pf_wm_file_free(p.file[i]);
    return err ? tool_trouble(call) : p.failed ? TOOL_TROUBLE : TOOL_DONE;
}

const tool lazyperm = {
    .name = "lazyperm",
    .operands = "[FILE...]",
    .summary = "Permute sentences and other linear automata on demand, under constraints and weights",
    .options = rows,
    .size = sizeof(options),
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permcompile sentences.de | lazyperm -c ibm:4 -w monotone:0.7 > permuted.fst",
                 "lazyperm -c list"},
    .passes_on = true,
};

TOOL_MAIN(lazyperm);
