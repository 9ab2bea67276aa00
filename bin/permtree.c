/* permtree: orders of sentences from their dependency trees. */
#include "toolmap.h"
#include "toolprogress.h"

#include <stdlib.h>

enum { READ_OFF, FULL, LIMITED, COLLINS, STATS, DRAW };
#define ORDERS (TOOL_IN(READ_OFF) | TOOL_IN(FULL) | TOOL_IN(LIMITED) | TOOL_IN(COLLINS))

enum { PERMUTATIONS, WORDS, CONLLU, RECORDS };
static const char *const forms[] = {"permutations", "words", "conllu", "records", NULL};
static const char *const punctuations[] = {"skip", "tree", NULL}; /* as pf_tree_punctuation has them */

static const char *const models[] = {"read-off", "full", "limited", "collins", NULL}; /* as pf_tree_model has them */

typedef struct {
    tool_common common;
    int punctuation, to, by;
    double ratio;
    uint64_t sentence; /* 0: all */
    bool why, svg;
} tree_options;

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {.letter = 'p', .name = "punctuation", .kind = TOOL_CHOICE, .at = offsetof(tree_options, punctuation), .metavar = "HOW",
     .words = punctuations, .help = "skip punctuation, or take it as part of the tree [skip]"},
    TOOL_FIRST_RECORD,
    TOOL_GROUP_OF("How it is reordered"),
    {.letter = 'r', .name = "ratio", .kind = TOOL_REAL, .at = offsetof(tree_options, ratio), .metavar = "R", .min = 0, .max = 1,
     .forms = TOOL_IN(LIMITED) | TOOL_IN(STATS) | TOOL_IN(DRAW),
     .help = "limited: reorder a node only if that takes at least R of its squared distances away [0.9]"},
    {.name = "by", .kind = TOOL_CHOICE, .at = offsetof(tree_options, by), .metavar = "MODEL", .words = models,
     .forms = TOOL_IN(DRAW), .help = "draw the order of read-off, full, limited or collins below the sentence [full]"},
    {.name = "sentence", .kind = TOOL_NUMBER, .at = offsetof(tree_options, sentence), .metavar = "N", .min = 1,
     .max = UINT64_MAX / 2, .forms = TOOL_IN(DRAW), .help = "draw only sentence N"},
    TOOL_JOBS("sentences"),
    TOOL_KEEP_GOING("sentence"),
    TOOL_GROUP_OF("What is written"),
    {.letter = 't', .name = "to", .kind = TOOL_CHOICE, .at = offsetof(tree_options, to), .metavar = "FORM", .words = forms,
     .forms = ORDERS, .help = "permutations, words, conllu or records [permutations]"},
    {.letter = 'w', .name = "why", .kind = TOOL_FLAG, .at = offsetof(tree_options, why), .excludes = "to", .forms = ORDERS,
     .help = "write the nodes that are reordered, with their squared distances before and after, not the orders"},
    {.name = "svg", .kind = TOOL_FLAG, .at = offsetof(tree_options, svg), .forms = TOOL_IN(DRAW), .needs = "sentence",
     .help = "draw as SVG, not as text"},
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const tree_options *o;
    pf_tree_rule rule;
    bool stats, draw;
    toolfst_sink sink; /* of records, or */
    pf_writer *out;    /* of text */
    pf_tree_totals *totals;
    uint64_t number;   /* of the next sentence */
    bool drawn; /* a sentence */
    bool found; /* there was a sentence, or the one that is asked for */
} reordering;

/* One sentence, and what comes of it. */
typedef struct {
    pf_tree *tree;
    const char *file;
    uint64_t number, stored;
    pf_writer *text;
    pf_expr *record;
    pf_tree_totals *totals;
} sentence;

static void drop(void *piece) {
    sentence *s = piece;
    pf_tree_free(s->tree);
    pf_writer_free(s->text);
    pf_expr_free(s->record);
    pf_tree_totals_free(s->totals);
}

/* ---- a sentence ---- */

static pf_err write_perm(const reordering *r, sentence *s, const unsigned *perm) {
    pf_fst *fst;
    if (r->draw)
        return r->o->svg ? pf_tree_draw_svg(s->text, s->tree, perm) : pf_tree_draw_text(s->text, s->tree, perm);
    switch (r->o->to) {
    case WORDS: return pf_tree_write_words(s->text, s->tree, perm);
    case CONLLU: return pf_tree_write_conllu(s->text, s->tree, perm);
    case PERMUTATIONS: return pf_tree_write_order(s->text, perm, s->tree->n);
    }
    PF_TRY(pf_tree_fst(s->tree, perm, &fst));
    return pf_expr_of_fst(fst, &s->record);
}

static pf_err reorder(const reordering *r, sentence *s, pf_reorderer *reorderer) {
    const pf_tree_node *top = &s->tree->node[s->tree->nodes];
    uint32_t *order = calloc(top->blocks + top->n_blocks + 1, sizeof *order);
    unsigned *perm = calloc(s->tree->n + 1, sizeof *perm);
    pf_err err = order && perm ? pf_writer_memory(&s->text) : pf_fail(PF_ENOMEM, "out of memory");
    if (!err) err = pf_tree_reorder(reorderer, s->tree, &r->rule, order);
    if (!err) err = pf_tree_order(s->tree, order, perm);
    if (!err) err = r->o->why ? pf_tree_write_why(s->text, s->tree, order, s->number) : write_perm(r, s, perm);
    free(order);
    free(perm);
    return err;
}

static pf_err work(void *self, void *piece) {
    const reordering *r = self;
    sentence *s = piece;
    pf_reorderer *reorderer;
    PF_TRY(pf_reorderer_new(&reorderer));
    pf_err err = PF_OK;
    if (!r->stats) err = reorder(r, s, reorderer);
    else if (!(err = pf_tree_totals_new(&s->totals))) err = pf_tree_totals_add(s->totals, reorderer, s->tree, r->rule.ratio);
    pf_reorderer_free(reorderer);
    if (err && err != PF_ENOMEM) return pf_fail_in(err, "%s:%llu: ", s->file, (unsigned long long)s->tree->line);
    return err;
}

static pf_err write_failed(reordering *r, const sentence *s) {
    if (r->stats || r->o->why) return PF_OK;
    if (r->o->to == RECORDS) return pf_stream_put_empty(r->sink.stream, s->number);
    return pf_writer_put(r->out, "\n", 1);
}

static pf_err finish(void *self, void *piece, pf_err err) {
    reordering *r = self;
    sentence *s = piece;
    size_t n = 0;
    tool_item(r->call, "sentence");
    tool_done(r->call, 1, s->number, s->stored);
    if (err) {
        PF_TRY(tool_skip(r->call, err));
        return write_failed(r, s);
    }
    if (r->stats) return pf_tree_totals_join(r->totals, s->totals);
    if (s->record) return pf_stream_put(r->sink.stream, s->record, s->number);
    const unsigned char *bytes = pf_writer_bytes(s->text, &n);
    if (r->draw && r->drawn) PF_TRY(pf_writer_put(r->out, "\n", 1));
    r->drawn = true;
    PF_TRY(pf_writer_put(r->out, bytes, n));
    return pf_writer_flush(r->out);
}

/* ---- all sentences ---- */

static pf_err read_trees(reordering *r, pf_reader *reader, const char *file, pf_workers *workers) {
    pf_treebank *treebank;
    PF_TRY(pf_treebank_open(reader, (pf_tree_punctuation)r->o->punctuation, &treebank));
    pf_err err = PF_OK;
    for (;;) {
        sentence s = {.file = file, .number = r->number};
        pf_err wrong = pf_treebank_next(treebank, &s.tree);
        if (!wrong && !s.tree) break;
        s.stored = toolfst_position(r->call, reader);
        bool other = r->o->sentence && r->number != r->o->sentence;
        r->number++;
        r->found = r->found || !other;
        if (other && !wrong) {
            pf_tree_free(s.tree);
            continue;
        }
        if ((err = pf_workers_put(workers, &s, wrong))) break;
    }
    pf_treebank_free(treebank);
    return err;
}

static pf_err read_file(reordering *r, const char *path, pf_workers *workers) {
    const char *file;
    pf_reader *reader;
    PF_TRY(pf_workers_keep(workers, toolfst_name(path), &file));
    PF_TRY(toolfst_open(r->call, path, &reader));
    pf_err err = read_trees(r, reader, file, workers);
    if (!err) toolfst_input_done(r->call, reader);
    pf_reader_free(reader);
    return err;
}

static pf_err read_all(reordering *r) {
    static const pf_workers_steps steps = {sizeof(sentence), work, finish, drop};
    pf_workers *workers;
    char *const *files;
    int n = tool_operands(r->call, &files);
    toolfst_inputs(r->call, &n, &files);
    PF_TRY(tool_workers(r->call, &steps, r, &workers));
    toolfst_before_wait(r->call, pf_workers_hurry, workers);
    pf_err err = PF_OK;
    for (int i = 0; !err && i < n; i++) err = read_file(r, files[i], workers);
    toolfst_before_wait(r->call, NULL, NULL);
    return pf_workers_end(workers, err);
}

static pf_err reorder_all(reordering *r) {
    bool records = !r->stats && r->o->to == RECORDS;
    PF_TRY(records ? toolfst_sink_open(r->call, &r->sink) : toolfst_open_output(r->call, &r->out));
    if (r->stats) PF_TRY(pf_tree_totals_new(&r->totals));
    PF_TRY(read_all(r));
    if (r->o->sentence && !r->found)
        return pf_fail(PF_EARG, "--sentence=%llu: the last sentence is %llu", (unsigned long long)r->o->sentence,
                       (unsigned long long)r->number - 1);
    if (r->stats) PF_TRY(pf_tree_totals_write(r->totals, r->out));
    return records ? toolfst_sink_close(&r->sink) : toolfst_close_output(r->call, r->out);
}

static int run(tool_call *call) {
    const tree_options *o = tool_options(call);
    int form = tool_form(call);
    reordering r = {.call = call, .o = o, .stats = form == STATS, .draw = form == DRAW, .number = o->common.first_record};
    r.rule = (pf_tree_rule){(pf_tree_model)(r.draw ? o->by : r.stats ? FULL : form), o->ratio};
    pf_err err = reorder_all(&r);
    toolfst_sink_free(&r.sink);
    pf_writer_free(r.out);
    pf_tree_totals_free(r.totals);
    return tool_status(call, err, false);
}

const tool permtree = {
    .name = "permtree",
    .summary = "Reorder sentences by their dependency trees",
    .forms = {"read-off [FILE...]", "full [FILE...]", "limited [FILE...]", "collins [FILE...]", "stats [FILE...]",
              "draw [FILE...]"},
    .options = rows,
    .size = sizeof(tree_options),
    .defaults = &(const tree_options){.ratio = PF_TREE_RATIO, .by = FULL},
    .run = run,
    .examples = {"permtree full --to=words dev.conllu > dev.reordered",
                 "tar xOf cdb.tar.gz | permtree stats"},
};

TOOL_MAIN(permtree);
