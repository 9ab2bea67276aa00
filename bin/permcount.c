/* permcount: how many permutations, exactly. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    tool_common common;
    tool_specs con;
    const char *table;
    int by; /* a place among the statistics */
    uint64_t max_states;
    bool verbose;
} options;

/* Statistic i: the weight models that count by whole numbers. */
static const char *statistic(size_t i) {
    const pf_wm_class *c;
    for (size_t k = 0; (c = pf_wm_at(k)); k++)
        if (c->whole && !i--) return c->name;
    return NULL;
}

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is counted"),
    TOOLPERM_CONSTRAINT(offsetof(options, con)),
    {.letter = 't', .name = "table", .kind = TOOL_TEXT, .at = offsetof(options, table), .metavar = "FROM-TO",
     .help = "print a line for each length of the range: the length and the number"},
    {.letter = 'b', .name = "by", .kind = TOOL_CHOICE, .at = offsetof(options, by), .metavar = "STATISTIC", .word = statistic,
     .help = "print a line for each value of a statistic: inversions, jumps, distance or early-distance"},
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(options, max_states), .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "fail if a level, or an automaton, has more than N states"},
    TOOL_JOBS("records or lengths"),
    TOOL_KEEP_GOING("record or length"),
    TOOL_GROUP_OF("What is written"),
    {.letter = 'v', .name = "verbose", .kind = TOOL_FLAG, .at = offsetof(options, verbose), .help = "say how each number was found"},
    TOOL_OUTPUT,
    {0},
};

/* Of one record or length. */
typedef struct {
    tool_call *call;
    const options *o;
    pf_writer *w;    /* what is to be printed */
    char prefix[40]; /* of each line: a length and a tab */
} counter;

typedef struct {
    tool_call *call;
    const options *o;
    pf_writer *w;
    bool failed;
} output;

static pf_err put(const counter *c, const mpz_t x) {
    char *digits = malloc(mpz_sizeinbase(x, 10) + 2);
    pf_err err = digits ? pf_writer_text(c->w, "%s%s\n", c->prefix, mpz_get_str(digits, 10, x)) : pf_nomem();
    free(digits);
    return err;
}

static pf_err put_tally(counter *c, const pf_tally *t) {
    size_t prefix = strlen(c->prefix);
    for (size_t k = 0; k < t->n; k++) {
        if (c->o->by != TOOL_NOT_GIVEN) snprintf(c->prefix + prefix, sizeof c->prefix - prefix, "%zu\t", k);
        PF_TRY(put(c, t->at[k]));
    }
    c->prefix[prefix] = 0;
    return PF_OK;
}

static void say_how(const counter *c, const pf_con *con, const pf_tally *t) {
    if (!c->o->verbose) return;
    if (t->closed) tool_say(c->call, "%u positions: closed form", con->n);
    else
        tool_say(c->call, "%u positions: level by level (transfer automaton), %llu states, at most %llu at a level%s", con->n,
                 (unsigned long long)t->states, (unsigned long long)t->widest,
                 con->looks_ahead ? ", with a completion test" : "");
}

/* Counts, and multiplies by the number of ways that each permutation has. */
static pf_err count(counter *c, const pf_con *con, const mpz_t ways) {
    char spec[64];
    pf_tally t;
    bool by = c->o->by != TOOL_NOT_GIVEN;
    if (by) snprintf(spec, sizeof spec, "%s:1", statistic((size_t)c->o->by));
    pf_tally_options o = {by ? spec : NULL, c->o->max_states, tool_states, c->call};
    PF_TRY(pf_tally_run(con, &o, &t));
    say_how(c, con, &t);
    for (size_t k = 0; k < t.n; k++) mpz_mul(t.at[k], t.at[k], ways);
    pf_err err = put_tally(c, &t);
    pf_tally_free(&t);
    return err;
}

/* ---- lengths ---- */

typedef struct {
    unsigned n;
    pf_writer *text;
} length;

static pf_err count_length(void *self, void *piece) {
    const output *out = self;
    length *l = piece;
    pf_con *con;
    mpz_t one;
    PF_TRY(pf_writer_memory(&l->text));
    PF_TRY(pf_con_all(out->o->con.at, out->o->con.n, l->n, &con));
    counter c = {.call = out->call, .o = out->o, .w = l->text};
    mpz_init_set_ui(one, 1);
    if (out->o->table) snprintf(c.prefix, sizeof c.prefix, "%u\t", l->n);
    pf_err err = count(&c, con, one);
    mpz_clear(one);
    pf_con_free(con);
    return err;
}

/* A line of a table has its length, so nothing stands for one that failed. */
static pf_err put_length(void *self, void *piece, pf_err err) {
    output *o = self;
    const length *l = piece;
    size_t n;
    if (err) return tool_skip(o->call, err, &o->failed);
    const unsigned char *at = pf_writer_bytes(l->text, &n);
    PF_TRY(pf_writer_put(o->w, at, n));
    PF_TRY(pf_writer_flush(o->w));
    tool_done(o->call, 1, l->n, 0);
    return PF_OK;
}

static void drop_length(void *piece) { pf_writer_free(((length *)piece)->text); }

static pf_err count_lengths(output *o, const char *text) {
    static const pf_workers_steps steps = {sizeof(length), count_length, put_length, drop_length};
    pf_workers *ring;
    unsigned from, to;
    const char *table = o->o->table;
    PF_TRY(table ? toolperm_range(text, &from, &to) : toolperm_length(text, &from));
    if (!table) to = from;
    tool_item(o->call, "length");
    pf_err err = tool_workers(o->call, &steps, o, &ring);
    for (unsigned n = from; !err && n <= to; n++) err = pf_workers_put(ring, &(length){.n = n}, PF_OK);
    return pf_workers_end(ring, err);
}

/* ---- records ---- */

/* Of position j, without those that cannot be taken. */
static unsigned long alternatives(const pf_input *in, unsigned j) {
    unsigned long n = 0;
    for (uint32_t a = in->first[j]; a < in->first[j + 1]; a++) n += in->arc[a].w != INFINITY;
    return n;
}

/* Every permutation has a path for each choice of alternatives. */
static pf_err count_permutations(counter *c, pf_expr *e, const pf_con *con) {
    pf_input in;
    mpz_t ways;
    PF_TRY(pf_input_read(e->first->fst, &in));
    mpz_init_set_ui(ways, 1);
    for (unsigned j = 0; j < in.n; j++) mpz_mul_ui(ways, ways, alternatives(&in, j));
    if (in.final == INFINITY) mpz_set_ui(ways, 0);
    pf_err err = count(c, con, ways);
    mpz_clear(ways);
    pf_input_free(&in);
    return err;
}

static pf_err count_paths(counter *c, pf_fst *f, uint64_t record) {
    pf_count paths;
    if (c->o->by != TOOL_NOT_GIVEN) return pf_fail(PF_EARG, "--by counts permutation automata, but record %llu is not one",
                                                   (unsigned long long)record);
    PF_TRY(pf_count_all(f, c->o->max_states, &paths));
    pf_err err = PF_OK;
    if (paths.cyclic) err = pf_fail(PF_EINPUT, "the automaton has a cycle, so it has infinitely many paths");
    else err = pf_writer_text(c->w, "%s\n", paths.paths);
    if (!err && c->o->verbose)
        tool_say(c->call, "record %llu: %llu states and %llu arcs built", (unsigned long long)record,
                 (unsigned long long)paths.states, (unsigned long long)paths.arcs);
    pf_count_free(&paths);
    return err;
}

/* Behind compositions with models that give every word a finite cost: they change no number of paths. */
static pf_err without_models(pf_expr *e, pf_expr **out) {
    const pf_model *model;
    for (*out = e; (*out)->kind == PF_EXPR_COMPOSE && (*out)->shared && strcmp(pf_blob_class((*out)->shared), "fst"); *out = (*out)->first) {
        PF_TRY(pf_open_model((*out)->shared, &model));
        if (!model->cls->finite(model->self)) break;
    }
    return PF_OK;
}

static pf_err count_record(void *self, toolmap_record *r) {
    const output *out = self;
    counter c = {.call = out->call, .o = out->o, .w = r->text};
    pf_expr *e;
    pf_fst *f;
    pf_opened *inner;
    PF_TRY(toolmap_open(r, &f));
    PF_TRY(without_models(r->in, &e));
    if (e->kind == PF_EXPR_PERM) return count_permutations(&c, e, pf_fst_space(f));
    PF_TRY(pf_open(e, &inner));
    pf_fst_watch(pf_opened_fst(inner), tool_states, r->call);
    pf_err err = count_paths(&c, pf_opened_fst(inner), r->record);
    pf_opened_free(inner);
    return err;
}

static pf_err put_record(void *self, toolmap_record *r) {
    output *o = self;
    return toolmap_put_text(o->w, r, "\n");
}

static pf_err check(const options *o, int n, char *const *operands) {
    if (o->table && n) return pf_fail(PF_EARG, "--table states the lengths, so it takes no operands");
    if (n > 1 && toolperm_is_length(operands[0]))
        return pf_fail(PF_EARG, "only one length can be given; --table 1-40 takes a range");
    if (!o->table && o->con.n && (!n || !toolperm_is_length(operands[0])))
        return pf_fail(PF_EARG, "-c needs a length: permcount -c ibm:4 20, or --table 1-40");
    return PF_OK;
}

static pf_err count_all(output *out, int n, char *const *operands) {
    static const toolmap_steps steps = {NULL, count_record, put_record, .text = true};
    if (out->o->table) return count_lengths(out, out->o->table);
    if (n && toolperm_is_length(operands[0])) return count_lengths(out, operands[0]);
    return toolmap_read(out->call, n, operands, &steps, out, &out->failed);
}

static int run(tool_call *call) {
    output out = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = check(out.o, n, operands);
    if (!err) err = toolfst_open_output(call, &out.w);
    if (!err) err = count_all(&out, n, operands);
    if (!err) err = toolfst_close_output(call, out.w);
    pf_writer_free(out.w);
    return err ? tool_trouble(call) : out.failed ? TOOL_TROUBLE : TOOL_DONE;
}

const tool permcount = {
    .name = "permcount",
    .operands = "[LENGTH | FILE...]",
    .summary = "Count exactly the permutations that constraints allow at a length, or the paths of automata",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.by = TOOL_NOT_GIVEN},
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permcount -c itg+ibm:4 --table 1-20", "echo a b c d | permcompile | lazyperm -c ibm:2 | permcount"},
};

TOOL_MAIN(permcount);
