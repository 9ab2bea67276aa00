/* permcompose: compositions as descriptions; the second operand is a model, or an automaton. */
#include "toolfst.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool by_name, no_unk;

static const tool_option options[] = {
    {.name = "by-name", .kind = TOOL_FLAG, .to = &by_name,
     .help = "send the path and hash of the model, not its bytes"},
    {.name = "no-unk", .kind = TOOL_FLAG, .to = &no_unk, .help = "a word that the model lacks is an error"},
    TOOLFST_RECORDS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permcompose = {
    .name = "permcompose",
    .operands = "A B",
    .summary = "Compose each automaton of A with the model or automaton B, on demand",
    .options = options,
    .min_operands = 2,
    .max_operands = 2,
};

typedef struct {
    toolfst_sink sink;
    const char *b;
    pf_blob *shared;       /* B, when it serves all of A: a model or an ordinary automaton */
    pf_expr *single;       /* or a lazy one, written out each time */
    toolfst_source pairs;  /* else B has a record for each of A */
    pf_expr *queue[2];     /* those read ahead */
} composer;

static pf_err check_arcs(pf_fst *f, const pf_model *model) {
    for (pf_state s = 0; s < pf_fst_states(f); s++) {
        pf_arcs a = pf_fst_arcs(f, s);
        for (uint32_t i = 0; i < a.n; i++) {
            size_t n;
            const char *word = pf_symtab_name(f->osyms, a.arc[i].out, &n);
            if (a.arc[i].out && word && pf_model_lacks(model, word, n))
                return pf_fail(PF_EINPUT, "the model lacks the word '%.200s'", word);
        }
    }
    return PF_OK;
}

/* A model needs words; with --no-unk it must have each of them. */
static pf_err check_words(pf_expr *left, pf_blob *shared) {
    const pf_model *model;
    pf_fst *source;
    if (strcmp(shared->cls, "fst") == 0) return PF_OK;
    PF_TRY(pf_open_words(left, &source));
    if (!source->osyms)
        return pf_fail(PF_EINPUT, "the automaton has no output symbol table: its words can't be matched with the model's "
                                  "(see --osymbols)");
    if (!no_unk) return PF_OK;
    PF_TRY(pf_open_model(shared, &model));
    return check_arcs(source, model);
}

static pf_err next_pair(composer *c, pf_expr **right) {
    *right = c->queue[0];
    if (!*right) return pf_fail(PF_EINPUT, "%s has fewer records than the first operand; one, or as many, are needed", c->b);
    c->queue[0] = c->queue[1];
    c->queue[1] = NULL;
    return c->queue[0] ? toolfst_next(&c->pairs, &c->queue[1]) : PF_OK;
}

static pf_err compose(void *self, pf_expr **expr, uint64_t record) {
    composer *c = self;
    pf_expr *both;
    if ((*expr)->kind == PF_EXPR_MODEL) return pf_fail(PF_EINPUT, "expected an automaton as the first operand, found a model");
    if (c->shared) PF_TRY(check_words(*expr, c->shared));
    PF_TRY(pf_expr_new(PF_EXPR_COMPOSE, &both));
    both->left = *expr;
    *expr = both;
    if (c->shared) both->shared = pf_blob_ref(c->shared);
    else if (c->single) both->right = c->single;
    else PF_TRY(next_pair(c, &both->right));
    pf_err err = pf_stream_put(c->sink.stream, both, record);
    if (c->single) both->right = NULL;
    return err;
}

/* B of one record is for all of A. */
static pf_err open_b(composer *c) {
    PF_TRY(toolfst_operand(c->b, &c->shared, &c->queue[0], &c->pairs));
    if (c->shared) return PF_OK;
    PF_TRY(toolfst_next(&c->pairs, &c->queue[1]));
    if (c->queue[1]) return PF_OK;
    c->single = c->queue[0];
    c->queue[0] = NULL;
    return c->single->kind == PF_EXPR_FST ? pf_blob_of_fst(c->single->fst, &c->shared) : PF_OK;
}

static pf_err name_it(composer *c) {
    struct stat there;
    if (!by_name) return PF_OK;
    if (toolfst.isyms || toolfst.osyms)
        return pf_fail(PF_EARG, "--by-name can't send symbol tables from beside: write the automaton with its tables first");
    if (!c->shared || stat(c->b, &there) != 0 || !S_ISREG(there.st_mode))
        return pf_fail(PF_EARG, "--by-name needs a model or a single automaton in a regular file, which %s is not", c->b);
    c->shared->path = realpath(c->b, NULL);
    return c->shared->path ? PF_OK : pf_nomem();
}

static int run(int n, char **operands) {
    composer c = {.b = operands[1]};
    pf_err err = open_b(&c);
    if (!err) err = name_it(&c);
    if (!err) err = toolfst_sink_open(&c.sink);
    if (!err) err = toolfst_read(n - 1, operands, compose, &c);
    if (!err && c.queue[0])
        err = pf_fail(PF_EINPUT, "%s has more records than the first operand; one, or as many, are needed", c.b);
    if (!err) err = toolfst_sink_close(&c.sink);
    toolfst_sink_free(&c.sink);
    toolfst_source_free(&c.pairs);
    pf_expr_free(c.single);
    pf_expr_free(c.queue[0]);
    pf_expr_free(c.queue[1]);
    pf_blob_free(c.shared);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permcompose, argc, argv, run); }
