/* permcompose: compositions as descriptions; the second operands are models and automata, taken in turn. */
#include "toolmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool by_name, no_unk;
static tool_reals scale, scale_first;
static const char *phi;

static const tool_option options[] = {
    {.letter = 's', .name = "scale", .kind = TOOL_REALS, .to = &scale, .metavar = "S,...",
     .help = "multiply the costs of each B, one number for each in their order [1]"},
    {.name = "scale-first", .kind = TOOL_REALS, .to = &scale_first, .metavar = "S", .max = 1,
     .help = "multiply the costs of A [1]"},
    {.name = "phi", .kind = TOOL_TEXT, .to = &phi, .metavar = "LABEL",
     .help = "arcs of each B that read LABEL are failure arcs, taken where no other reads the word"},
    {.name = "by-name", .kind = TOOL_FLAG, .to = &by_name,
     .help = "send the path and hash of a model, not its bytes"},
    {.name = "no-unk", .kind = TOOL_FLAG, .to = &no_unk, .help = "a word that a model lacks is an error"},
    TOOL_KEEP_GOING("record"),
    TOOLFST_RECORDS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permcompose = {
    .name = "permcompose",
    .operands = "A B...",
    .summary = "Compose each automaton of A with each of the models and automata B in turn, on demand",
    .options = options,
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .passes_on = true,
};

/* One of the second operands. */
typedef struct {
    const char *path;
    double scale;
    pf_blob *shared;       /* when it serves all of A: a model or an ordinary automaton */
    pf_expr *single;       /* or a lazy one, written out each time */
    toolfst_source pairs;  /* else it has a record for each of A */
    pf_expr *queue[2];     /* those read ahead */
    bool fails;            /* shared or single: it has the failure symbol */
} operand;

typedef struct {
    toolfst_sink sink;
    operand *b;
    size_t n;
    bool phi_met; /* some operand has had the failure symbol */
    bool failed;  /* some record */
} composer;

/* ---- failure symbols ---- */

/* Does an arc of the automaton read the label? */
static bool reads(pf_fst *f, pf_label x) {
    for (pf_state s = 0; s < pf_fst_states(f); s++) {
        pf_arcs a = pf_fst_arcs(f, s);
        for (uint32_t i = 0; i < a.n; i++)
            if (a.arc[i].in == x) return true;
    }
    return false;
}

static bool has_label(const pf_symtab *table) { return table && pf_match_label(table, phi) != PF_NO_LABEL; }

/* Has an automaton the failure symbol among its input labels? A number is one where there is no table but an arc. */
static bool has_phi(const pf_expr *e) {
    if (!phi || e->kind == PF_EXPR_MODEL) return false;
    if (e->kind == PF_EXPR_COMPOSE) return has_phi(e->first);
    if (e->kind == PF_EXPR_BEST) return has_label(e->answer->isyms);
    if (e->kind == PF_EXPR_PERM) return e->spec.acceptor && e->first->fst && has_label(e->first->fst->osyms);
    if (e->fst->isyms) return has_label(e->fst->isyms);
    pf_label x = pf_match_label(NULL, phi);
    return x != PF_NO_LABEL && reads(e->fst, x);
}

/* ---- words ---- */

typedef pf_err (*word_use)(const void *self, const char *word, size_t n);

static pf_err each_of_arcs(pf_fst *f, word_use use, const void *self) {
    for (pf_state s = 0; s < pf_fst_states(f); s++) {
        pf_arcs a = pf_fst_arcs(f, s);
        for (uint32_t i = 0; i < a.n; i++) {
            size_t n;
            const char *word = pf_symtab_name(f->osyms, a.arc[i].out, &n);
            if (a.arc[i].out && word) PF_TRY(use(self, word, n));
        }
    }
    return PF_OK;
}

typedef struct {
    const pf_model *tuples;
    word_use use;
    const void *self;
} translator;

/* What the tuples say that have a source word, or none (PF_EPSILON). */
static pf_err each_of_tuples(const translator *t, pf_label source) {
    size_t places, n;
    const pf_tuple_place *place = pf_tuplemodel_places(t->tuples, source, &places);
    for (size_t i = 0; i < places; i++) {
        pf_tuple_labels one = pf_tuplemodel_at(t->tuples, place[i].tuple);
        for (unsigned k = 0; k < one.n_target; k++) {
            const char *word = pf_symtab_name(pf_tuplemodel_target(t->tuples), one.target[k], &n);
            PF_TRY(t->use(t->self, word, n));
        }
    }
    return PF_OK;
}

static pf_err translate(const void *self, const char *word, size_t n) {
    const translator *t = self;
    pf_label x = pf_symtab_find(pf_tuplemodel_source(t->tuples), word, n);
    if (pf_model_lacks(t->tuples, word, n)) PF_TRY(t->use(t->self, word, n)); /* it passes through */
    return x == PF_NO_LABEL ? PF_OK : each_of_tuples(t, x);
}

/* Every word that an automaton can put out, some of them several times. The failure symbol is none; but a failure loop passes
 * words of the first operand on. */
static pf_err each_word(pf_expr *e, word_use use, const void *self) {
    pf_opened *source;
    bool scored = e->kind == PF_EXPR_COMPOSE && e->shared && strcmp(pf_blob_class(e->shared), "fst") != 0;
    if (scored && strcmp(pf_blob_class(e->shared), pf_tuple_class.name) == 0) {
        translator t = {.use = use, .self = self};
        PF_TRY(pf_open_model(e->shared, &t.tuples));
        PF_TRY(each_word(e->first, translate, &t));
        return each_of_tuples(&t, PF_EPSILON);
    }
    if (scored) return each_word(e->first, use, self);
    if (e->kind == PF_EXPR_COMPOSE && e->phi) PF_TRY(each_word(e->first, use, self));
    PF_TRY(pf_open_words(e, &source));
    pf_err err = each_of_arcs(pf_opened_fst(source), use, self);
    pf_opened_free(source);
    return err;
}

static pf_err refuse_lacking(const void *model, const char *word, size_t n) {
    return pf_model_lacks(model, word, n) ? pf_fail(PF_EINPUT, "the model lacks the word '%.200s'", word) : PF_OK;
}

/* A model needs words; with --no-unk it must have each of them. */
static pf_err check_words(pf_expr *left, pf_blob *shared) {
    const pf_model *model;
    pf_opened *source;
    if (strcmp(pf_blob_class(shared), "fst") == 0) return PF_OK;
    PF_TRY(pf_open_words(left, &source));
    bool named = pf_opened_fst(source)->osyms;
    pf_opened_free(source);
    if (!named)
        return pf_fail(PF_EINPUT, "the automaton has no output symbol table: its words can't be matched with the model's "
                                  "(see --osymbols)");
    if (!no_unk) return PF_OK;
    PF_TRY(pf_open_model(shared, &model));
    return each_word(left, refuse_lacking, model);
}

/* ---- one record ---- */

static pf_err next_pair(operand *b, pf_expr **right) {
    *right = b->queue[0];
    if (!*right)
        return pf_fail(PF_EINPUT, "%s has fewer records than the first operand; one, or as many, are needed", b->path);
    b->queue[0] = b->queue[1];
    b->queue[1] = NULL;
    return b->queue[0] ? toolfst_next(&b->pairs, &b->queue[1]) : PF_OK;
}

#define END_OF_PAIRS ((pf_expr *)(void *)&phi) /* no record */

/* The records of operands that have one for each of A; those of others are NULL. Taken before anything can fail, so that
 * they stay beside those of A. */
static pf_err take_pairs(composer *c, pf_expr ***right) {
    if (!(*right = calloc(c->n + 1, sizeof **right))) return pf_nomem();
    (*right)[c->n] = END_OF_PAIRS;
    for (size_t i = 0; i < c->n; i++)
        if (!c->b[i].shared && !c->b[i].single) PF_TRY(next_pair(&c->b[i], &(*right)[i]));
    return PF_OK;
}

static void drop_pairs(void *own) {
    pf_expr **right = own;
    for (size_t i = 0; right[i] != END_OF_PAIRS; i++) pf_expr_free(right[i]);
    free(right);
}

/* *expr becomes its composition with one operand, or with its own record of it. */
static pf_err compose_one(composer *c, operand *b, pf_expr **right, double first_scale, pf_expr **expr) {
    pf_expr *both, *second = *right ? *right : b->single;
    bool fails = b->fails;
    if (b->shared) PF_TRY(check_words(*expr, b->shared));
    if (*right && (*right)->kind == PF_EXPR_MODEL)
        return pf_fail(PF_EINPUT, "expected an automaton in %s, found a model: one stands alone in a file", b->path);
    if (*right) {
        fails = has_phi(second);
        c->phi_met = c->phi_met || fails;
    }
    pf_composing how = {{first_scale, b->scale}, fails ? phi : NULL};
    if (b->shared) PF_TRY(pf_expr_compose_shared(*expr, b->shared, &how, &both));
    else PF_TRY(pf_expr_compose(*expr, second, &how, &both));
    pf_expr_free(*expr);
    *expr = both;
    return PF_OK;
}

static pf_err compose(void *self, toolmap_record *r) {
    composer *c = self;
    pf_expr **right;
    pf_err err = take_pairs(c, &right);
    r->own = right;
    if (!err && r->in->kind == PF_EXPR_MODEL)
        err = pf_fail(PF_EINPUT, "expected an automaton as the first operand, found a model");
    for (size_t i = 0; !err && i < c->n; i++)
        err = compose_one(c, &c->b[i], &right[i], !i && scale_first.n ? scale_first.at[0] : 1, &r->in);
    return err;
}

static pf_err put(void *self, toolmap_record *r) {
    composer *c = self;
    if (r->failed) return toolfst_put_nothing(&c->sink, r->record);
    return pf_stream_put(c->sink.stream, r->in, r->record);
}

/* ---- operands ---- */

/* An operand of one record is for all of A. */
static pf_err open_b(composer *c, operand *b) {
    PF_TRY(toolfst_operand(b->path, &b->shared, &b->queue[0], &b->pairs));
    if (b->shared) return PF_OK;
    PF_TRY(toolfst_next(&b->pairs, &b->queue[1]));
    if (b->queue[1]) return PF_OK;
    b->single = b->queue[0];
    b->queue[0] = NULL;
    b->fails = has_phi(b->single);
    c->phi_met = c->phi_met || b->fails;
    return b->single->kind == PF_EXPR_FST ? pf_blob_of_fst(b->single, &b->shared) : PF_OK;
}

static pf_err name_it(operand *b) {
    struct stat there;
    if (!by_name) return PF_OK;
    if (toolfst.isyms || toolfst.osyms)
        return pf_fail(PF_EARG, "--by-name can't send symbol tables from beside: write the automaton with its tables first");
    if (!b->shared || stat(b->path, &there) != 0 || !S_ISREG(there.st_mode))
        return pf_fail(PF_EARG, "--by-name needs a model or a single automaton in a regular file, which %s is not", b->path);
    char *path = realpath(b->path, NULL);
    if (!path) return pf_nomem();
    pf_err err = pf_blob_by_name(b->shared, path);
    free(path);
    return err;
}

static pf_err check_scales(size_t n) {
    for (size_t i = 0; i < scale.n; i++)
        if (!pf_scale_fits(scale.at[i])) return pf_scale_too_large(scale.at[i]);
    if (scale_first.n && !pf_scale_fits(scale_first.at[0])) return pf_scale_too_large(scale_first.at[0]);
    if (!scale.n || scale.n == n) return PF_OK;
    return pf_fail(PF_EARG, "--scale has %zu number%s for %zu operand%s behind the first; one for each is needed", scale.n,
                   scale.n == 1 ? "" : "s", n, n == 1 ? "" : "s");
}

static pf_err no_phi(void) {
    return pf_fail(PF_EARG, "--phi: no automaton behind the first has the symbol '%.100s'", phi);
}

static pf_err open_all(composer *c, size_t n, char **operands) {
    bool pairs = false;
    PF_TRY(check_scales(n));
    if (phi && !*phi) return pf_fail(PF_EARG, "--phi: expected a symbol, found ''");
    if (!(c->b = calloc(n, sizeof *c->b))) return pf_nomem();
    for (; c->n < n; c->n++) {
        operand *b = &c->b[c->n];
        b->path = operands[c->n];
        b->scale = scale.n ? scale.at[c->n] : 1;
        pf_err err = open_b(c, b);
        if (!err) err = name_it(b);
        if (err) {
            c->n++;
            return err;
        }
        pairs = pairs || b->queue[0];
    }
    return phi && !c->phi_met && !pairs ? no_phi() : PF_OK;
}

/* What is there once A has ended. */
static pf_err check_end(const composer *c) {
    for (size_t i = 0; i < c->n; i++)
        if (c->b[i].queue[0])
            return pf_fail(PF_EINPUT, "%s has more records than the first operand; one, or as many, are needed", c->b[i].path);
    return phi && !c->phi_met ? no_phi() : PF_OK;
}

static void composer_free(composer *c) {
    toolfst_sink_free(&c->sink);
    for (size_t i = 0; i < c->n; i++) {
        operand *b = &c->b[i];
        toolfst_source_free(&b->pairs);
        pf_expr_free(b->single);
        pf_expr_free(b->queue[0]);
        pf_expr_free(b->queue[1]);
        pf_blob_free(b->shared);
    }
    free(c->b);
}

static int run(int n, char **operands) {
    static const toolmap_steps steps = {NULL, compose, put, drop_pairs, false};
    composer c = {0};
    pf_err err = open_all(&c, (size_t)n - 1, operands + 1);
    if (!err) err = toolfst_sink_open(&c.sink);
    if (!err) err = toolmap_read(1, operands, &steps, &c, &c.failed);
    if (!err) err = check_end(&c);
    if (!err) err = toolfst_sink_close(&c.sink);
    composer_free(&c);
    return err ? tool_trouble() : c.failed ? TOOL_TROUBLE : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permcompose, argc, argv, run); }
