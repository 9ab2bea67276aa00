/* permalign: word alignments, pair by pair: from one format to another, inverted, symmetrized, scored. And made: permalign train. */
#include "tooltrain.h"

#include <stdio.h>

static const char *method_name(size_t i) { return pf_sym_at(i) ? pf_sym_name(pf_sym_at(i)) : NULL; }
static const char *const compats[] = {"atools", "symal", NULL};
enum { ONE, TWO, TRAIN }; /* forms: alignments, and texts */
#define ON_ALIGNMENTS (TOOL_IN(ONE) | TOOL_IN(TWO))
enum { ALL, SURE };
static const char *const kinds[] = {"all", "sure", NULL};

#define AT(FIELD) offsetof(align_options, FIELD)

static const tool_option rows[] = {
    {.kind = TOOL_GROUP, .forms = ON_ALIGNMENTS, .help = "What is read"},
    TOOLALIGN_FROM(AT(from)),
    {0, "source", TOOL_FILE, AT(source), "FILE", .help = "the source sentences: no link may be past their end"},
    {0, "target", TOOL_FILE, AT(target), "FILE", .help = "the target sentences"},
    {0, "links", TOOL_CHOICE, AT(links), "KIND", .words = kinds, .help = "use all links, or only the sure ones [all]"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TWO), .help = "With two alignments"},
    {'s', "symmetrize", TOOL_CHOICE, AT(method), "NAME", .word = method_name, .forms = TOOL_IN(TWO) | TOOL_IN(TRAIN),
     .help = "make one of them: intersect, union, grow, grow-final, grow-final-and, grow-diag, grow-diag-final or "
             "grow-diag-final-and [train: grow-diag-final-and]"},
    {0, "compat", TOOL_CHOICE, AT(compat), "PROGRAM", .words = compats, .forms = TOOL_IN(TWO) | TOOL_IN(TRAIN),
     .help = "try links in the order of atools or of symal [atools]"},
    {0, "invert-second", TOOL_FLAG, AT(invert_second), .help = "the links of BACKWARD have their target first"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TRAIN), .help = "With train"},
    {0, "model1", TOOL_NUMBER, AT(model1), "N", .min = 1, .max = 1000, .help = "begin with N iterations of IBM model 1 [5]"},
    {0, "hmm", TOOL_NUMBER, AT(hmm), "N", .min = 1, .max = 1000, .help = "then do N iterations of the HMM [5]"},
    {0, "empty", TOOL_REAL, AT(empty), "P", .min = 0, .max = 1, .help = "the probability of the empty word [0.1]"},
    {0, "alone", TOOL_FLAG, AT(alone), .help = "train the two directions without agreement"},
    {0, "max-words", TOOL_NUMBER, AT(max_words), "N", .min = 1, .max = PF_MAX_WORDS,
     .help = "pass over pairs with more than N words on a side [500]"},
    TOOL_JOBS("batches of pairs"),
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "say the log-likelihood that each iteration begins with"},
    {'F', "forward", TOOL_FILE, AT(paths[TOOLTRAIN_FORWARD]), "FILE",
     .help = "write the best links, at most one for each target word"},
    {'R', "reverse", TOOL_FILE, AT(paths[TOOLTRAIN_REVERSE]), "FILE",
     .help = "write the best links, at most one for each source word"},
    {0, "forward-posteriors", TOOL_FILE, AT(paths[TOOLTRAIN_FORWARD_LIKELY]), "FILE",
     .help = "write the likely links of that direction and their posteriors"},
    {0, "reverse-posteriors", TOOL_FILE, AT(paths[TOOLTRAIN_REVERSE_LIKELY]), "FILE",
     .help = "write the likely links of that direction and their posteriors"},
    {.kind = TOOL_GROUP, .forms = ON_ALIGNMENTS, .help = "What is written"},
    {'t', "to", TOOL_CHOICE, AT(to), "FORMAT", .word = toolalign_writable,
     .help = "write pharaoh, lengths, plain, naacl or a3 [pharaoh]"},
    {'i', "invert", TOOL_FLAG, AT(invert), .help = "exchange source and target in the output"},
    {'g', "gold", TOOL_FILE, AT(gold), "FILE", .excludes = "to",
     .help = "evaluate against the links of FILE, write no links"},
    {0, "per-line", TOOL_FLAG, AT(per_line), .needs = "gold", .help = "write a line for each pair, then one for all"},
    {0, "alpha", TOOL_REAL, AT(alpha), "A", .min = 0, .max = 1, .needs = "gold",
     .help = "the weight of precision in F [0.5]"},
    TOOL_GROUP_OF("In all cases"),
    {0, "min-posterior", TOOL_REAL, AT(min_posterior), "P", .min = 0, .max = 1,
     .help = "leave out links with a posterior below P [0; train: 0.001]"},
    TOOL_FIRST_RECORD,
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const align_options *o;
    pf_writer *out;
    pf_parallel *pairs;
    size_t operand[2], operands, source, target, gold; /* columns; 0 without */
    pf_align_format from, to;
    pf_align_filter filter;
    const pf_sym_method *method;
    pf_sym *sym;
    pf_alignment symmetrized;
    pf_align_counts all;
    pf_align_left_out left_out;
    pf_align_lost lost;
} aligner;

/* ---- a pair ---- */

static pf_alignment *take(aligner *t, size_t operand) {
    pf_alignment *a = pf_parallel_alignment(t->pairs, t->operand[operand]);
    pf_alignment_filter(a, &t->filter, &t->left_out);
    return a;
}

static pf_err symmetrize(aligner *t, pf_alignment **a) {
    const pf_alignment *first = take(t, 0), *second = take(t, 1);
    *a = &t->symmetrized;
    return pf_symmetrize(t->sym, t->method, (pf_sym_order)t->o->compat, first, second, *a);
}

/* The words of a side: of the text, or else of an operand that has them. */
static const pf_words *words(const aligner *t, size_t text, const pf_words *side(const pf_parallel *, size_t)) {
    if (text) return pf_parallel_sentence(t->pairs, text);
    for (size_t i = 0; i < t->operands; i++)
        if (side(t->pairs, t->operand[i])) return side(t->pairs, t->operand[i]);
    return NULL;
}

static pf_err write_pair(aligner *t, const pf_alignment *a) {
    const pf_words *f = words(t, t->source, pf_parallel_source), *e = words(t, t->target, pf_parallel_target);
    pf_align_pair pair = {pf_parallel_number(t->pairs), t->o->invert ? e : f, t->o->invert ? f : e};
    pf_align_count_lost(t->to, a, &t->lost);
    return pf_align_write(t->out, t->to, a, &pair);
}

static pf_err evaluate_pair(aligner *t, const pf_alignment *a) {
    pf_alignment *gold_links = pf_parallel_alignment(t->pairs, t->gold);
    pf_align_counts counts = {0};
    char number[24];
    pf_alignment_filter(gold_links, NULL, &t->left_out);
    pf_align_evaluate(a, gold_links, &t->all);
    if (!t->o->per_line) return PF_OK;
    pf_align_evaluate(a, gold_links, &counts);
    snprintf(number, sizeof number, "%llu", (unsigned long long)pf_parallel_number(t->pairs));
    return pf_align_counts_write_line(&counts, t->o->alpha, number, t->out);
}

static pf_err do_pair(void *self) {
    aligner *t = self;
    pf_alignment *a;
    if (t->method) PF_TRY(symmetrize(t, &a));
    else a = take(t, 0);
    if (t->o->invert) pf_alignment_invert(a);
    PF_TRY(t->o->gold ? evaluate_pair(t, a) : write_pair(t, a));
    return pf_writer_flush(t->out);
}

static pf_err write_all(const aligner *t) {
    const align_options *o = t->o;
    if (!o->gold) return PF_OK;
    return o->per_line ? pf_align_counts_write_line(&t->all, o->alpha, "all", t->out)
                       : pf_align_counts_write(&t->all, o->alpha, t->out);
}

/* ---- columns ---- */

static pf_err add_columns(aligner *t, int n, char *const *files) {
    const align_options *o = t->o;
    PF_TRY(pf_parallel_new(o->common.first_record, &t->pairs));
    PF_TRY(toolalign_text(t->call, t->pairs, o->source, &t->source));
    PF_TRY(toolalign_text(t->call, t->pairs, o->target, &t->target));
    t->operands = t->method ? 2 : 1;
    for (size_t i = 0; i < t->operands; i++) {
        pf_parallel_links how = {t->from, o->invert_second && i == 1, t->source, t->target};
        PF_TRY(toolalign_links(t->call, t->pairs, (size_t)n > i ? files[i] : "-", &how, &t->operand[i]));
    }
    if (!o->gold) return PF_OK;
    pf_parallel_links how = {PF_ALIGN_AUTO, false, o->invert ? t->target : t->source, o->invert ? t->source : t->target};
    return toolalign_links(t->call, t->pairs, o->gold, &how, &t->gold);
}

static pf_err align_all(void *self, pf_writer *w) {
    aligner *t = self;
    const align_options *o = t->o;
    char *const *operands;
    int n = tool_operands(t->call, &operands);
    bool two = tool_form(t->call) == TWO;
    t->out = w;
    t->from = toolalign_from(o->from);
    t->to = toolalign_to(o->to);
    t->method = two ? pf_sym_at((size_t)o->method) : NULL;
    t->filter = (pf_align_filter){o->links == SURE, tool_given(t->call, "min-posterior") ? o->min_posterior : 0};
    if (two) PF_TRY(pf_sym_new(&t->sym));
    PF_TRY(add_columns(t, n, operands));
    PF_TRY(toolalign_each(t->call, t->pairs, t->operand[t->operands - 1], do_pair, t));
    return write_all(t);
}

static void say_left_out(const aligner *t) {
    const tool_left_out more[] = {
        {t->lost.marks, "marks of possible links, which the output format does not have"},
        {t->lost.posteriors, "posteriors, which the output format does not have"},
    };
    toolalign_say_left_out(t->call, &t->left_out, more, sizeof more / sizeof *more);
}

static int convert(tool_call *call) {
    aligner t = {.call = call, .o = tool_options(call)};
    pf_err err = toolfst_write(call, align_all, &t);
    pf_parallel_free(t.pairs);
    pf_sym_free(t.sym);
    pf_alignment_free(&t.symmetrized);
    if (!err) say_left_out(&t);
    return tool_status(call, err, false);
}

static int run(tool_call *call) { return tool_form(call) == TRAIN ? tooltrain(call) : convert(call); }

const tool permalign = {
    .name = "permalign",
    .summary = "Convert, invert, symmetrize and evaluate word alignments, and make them",
    .forms = {"[FILE]", "--symmetrize=NAME FORWARD BACKWARD", "train SOURCE TARGET"},
    .options = rows,
    .size = sizeof(align_options),
    .defaults = &(const align_options){.method = TOOL_NOT_GIVEN, .alpha = 0.5, .min_posterior = 0.001, .empty = 0.1, .model1 = 5,
                                       .hmm = 5, .max_words = 500},
    .run = run,
    .examples = {"permalign train -j 2 -F train.fwd -R train.rev train.de train.en",
                 "permalign -s grow-diag-final-and train.fwd train.rev > train.gdfa"},
};

TOOL_MAIN(permalign);
