/* lazyperm: linear automata to permutation automata, as descriptions that are expanded on demand. */
#include "toolfst.h"

#include <stdio.h>

static tool_specs con, wm;
static bool acceptor;

static void list_con(void) {
    for (size_t i = 0; pf_con_at(i); i++) {
        const pf_con_class *c = pf_con_at(i);
        printf("%s%s\t%s\n", c->name, c->params, c->help);
    }
}

static void list_wm(void) {
    for (size_t i = 0; pf_wm_at(i); i++) {
        const pf_wm_class *c = pf_wm_at(i);
        printf("%s%s\t%s\n", c->name, c->params, c->help);
    }
}

static const tool_option options[] = {
    {.letter = 'c', .name = "constraint", .kind = TOOL_SPECS, .to = &con, .metavar = "SPEC", .list = list_con,
     .help = "a constraint, such as ibm:4; of several all must hold; without any, every order is allowed. -c list prints them all"},
    {.letter = 'w', .name = "weight", .kind = TOOL_SPECS, .to = &wm, .metavar = "SPEC", .list = list_wm,
     .help = "a weight model, such as monotone:0.7; several add up. -w list prints them all"},
    {.name = "acceptor", .kind = TOOL_FLAG, .to = &acceptor,
     .help = "the word on both sides of an arc, instead of position and word"},
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
};

static pf_err add_specs(pf_expr *e) {
    for (size_t i = 0; i < con.n; i++) PF_TRY(pf_expr_add_con(e, con.at[i]));
    for (size_t i = 0; i < wm.n; i++) PF_TRY(pf_expr_add_wm(e, wm.at[i]));
    e->acceptor = e->acceptor || acceptor;
    return PF_OK;
}

/* An automaton becomes the input of a permutation; a permutation gets what is asked for in addition. */
static pf_err permute(void *self, pf_expr **expr, uint64_t record) {
    toolfst_sink *sink = self;
    if ((*expr)->kind == PF_EXPR_BEST) { /* of one path: as linear as a sentence */
        pf_fst *paths;
        PF_TRY(pf_open(*expr, &paths));
        (*expr)->kind = PF_EXPR_FST;
    }
    if ((*expr)->kind == PF_EXPR_FST) {
        pf_expr *perm;
        pf_input in;
        PF_TRY(pf_input_read((*expr)->fst, &in));
        pf_input_free(&in);
        PF_TRY(pf_expr_new(PF_EXPR_PERM, &perm));
        perm->left = *expr;
        *expr = perm;
    }
    if ((*expr)->kind != PF_EXPR_PERM)
        return pf_fail(PF_EINPUT, "expected a linear automaton, found a '%s' record", pf_expr_kind_name((*expr)->kind));
    PF_TRY(add_specs(*expr));
    return pf_stream_put(sink->stream, *expr, record);
}

static int run(int n, char **operands) {
    toolfst_sink sink = {0};
    pf_perm_spec spec = {con.at, con.n, wm.at, wm.n, acceptor};
    pf_err err = pf_perm_check(&spec);
    if (!err) err = toolfst_sink_open(&sink);
    if (!err) err = toolfst_read(n, operands, permute, &sink);
    if (!err) err = toolfst_sink_close(&sink);
    toolfst_sink_free(&sink);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&lazyperm, argc, argv, run); }
