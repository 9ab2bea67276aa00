/* permalign: word alignments, pair by pair: from one format to another, inverted, symmetrized, scored. */
#include "toolalign.h"

#include <stdio.h>
#include <string.h>

enum { CHOICES = 16 };
#define NOT_GIVEN (-1.0)

static const char *to, *source, *target, *method, *compat, *gold, *links = "all";
static const char *writable[CHOICES + 1], *methods[CHOICES + 1];
static const char *const compats[] = {"atools", "symal", NULL}, *const kinds[] = {"all", "sure", NULL};
static bool invert, invert_second, per_line;
static double min_posterior, alpha = NOT_GIVEN;

static const tool_option options[] = {
    TOOLALIGN_FROM("operands"),
    {.letter = 't', .name = "to", .kind = TOOL_CHOICE, .to = &to, .metavar = "FORMAT", .words = writable,
     .help = "the format to write: pharaoh, lengths, plain, naacl or a3 [pharaoh]"},
    {.name = "source", .kind = TOOL_FILE, .to = &source, .metavar = "FILE",
     .help = "the source sentences, a line a pair: no link may be past their end"},
    {.name = "target", .kind = TOOL_FILE, .to = &target, .metavar = "FILE", .help = "the target sentences, likewise"},
    {.letter = 's', .name = "symmetrize", .kind = TOOL_CHOICE, .to = &method, .metavar = "NAME", .words = methods,
     .help = "one alignment out of two: intersect, union, grow, grow-final, grow-final-and, grow-diag, grow-diag-final or "
             "grow-diag-final-and"},
    {.name = "compat", .kind = TOOL_CHOICE, .to = &compat, .metavar = "PROGRAM", .words = compats,
     .help = "try links in the order of atools (fast_align) or symal (Moses) [atools]"},
    {.letter = 'i', .name = "invert", .kind = TOOL_FLAG, .to = &invert,
     .help = "exchange source and target in what is written"},
    {.name = "invert-second", .kind = TOOL_FLAG, .to = &invert_second,
     .help = "the second operand lists targets as sources, as the aligner made it"},
    {.letter = 'g', .name = "gold", .kind = TOOL_FILE, .to = &gold, .metavar = "FILE",
     .help = "write no links, but precision, recall, F and alignment error rate against the links of FILE"},
    {.name = "per-line", .kind = TOOL_FLAG, .to = &per_line, .help = "with --gold: a line for each pair, then one for all"},
    {.name = "alpha", .kind = TOOL_REAL, .to = &alpha, .metavar = "A", .min = 0,
     .help = "the share of precision in F, 0 to 1 [0.5]"},
    {.name = "links", .kind = TOOL_CHOICE, .to = &links, .metavar = "KIND", .words = kinds,
     .help = "the links of the operands to use: all, or sure ones only [all]"},
    {.name = "min-posterior", .kind = TOOL_REAL, .to = &min_posterior, .metavar = "P", .min = 0,
     .help = "leave out links with a posterior below P, 0 to 1"},
    TOOLFST_FIRST_RECORD,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permalign = {
    .name = "permalign",
    .operands = "[FILE [FILE]]",
    .summary = "Convert, invert, symmetrize and score word alignments",
    .options = options,
    .max_operands = 2,
};

static void list_choices(void) {
    const pf_align_form *form;
    toolalign_list();
    for (size_t i = 0, n = 0; (form = pf_align_form_at(i)) && n < CHOICES; i++)
        if (form->writes) writable[n++] = form->name;
    for (size_t i = 0; pf_sym_at(i) && i < CHOICES; i++) methods[i] = pf_sym_name(pf_sym_at(i));
}

typedef struct {
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
    pf_sym_order order = compat && strcmp(compat, "symal") == 0 ? PF_SYM_SYMAL : PF_SYM_ATOOLS;
    *a = &t->symmetrized;
    return pf_symmetrize(t->sym, t->method, order, first, second, *a);
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
    pf_align_pair pair = {pf_parallel_number(t->pairs), invert ? e : f, invert ? f : e};
    pf_align_count_lost(t->to, a, &t->lost);
    return pf_align_write(t->out, t->to, a, &pair);
}

static pf_err evaluate_pair(aligner *t, const pf_alignment *a) {
    pf_alignment *gold_links = pf_parallel_alignment(t->pairs, t->gold);
    pf_align_counts counts = {0};
    char number[24];
    pf_alignment_filter(gold_links, NULL, &t->left_out);
    pf_align_evaluate(a, gold_links, &t->all);
    if (!per_line) return PF_OK;
    pf_align_evaluate(a, gold_links, &counts);
    snprintf(number, sizeof number, "%llu", (unsigned long long)pf_parallel_number(t->pairs));
    return pf_align_counts_write_line(&counts, alpha, number, t->out);
}

static pf_err do_pair(void *self) {
    aligner *t = self;
    pf_alignment *a;
    if (t->method) PF_TRY(symmetrize(t, &a));
    else a = take(t, 0);
    if (invert) pf_alignment_invert(a);
    PF_TRY(gold ? evaluate_pair(t, a) : write_pair(t, a));
    return pf_writer_flush(t->out);
}

static pf_err write_all(const aligner *t) {
    if (!gold) return PF_OK;
    return per_line ? pf_align_counts_write_line(&t->all, alpha, "all", t->out) : pf_align_counts_write(&t->all, alpha, t->out);
}

/* ---- columns ---- */

static pf_err add_columns(aligner *t, int n, char **files) {
    PF_TRY(pf_parallel_new(toolfst.first_record, &t->pairs));
    PF_TRY(toolalign_text(t->pairs, source, &t->source));
    PF_TRY(toolalign_text(t->pairs, target, &t->target));
    t->operands = t->method ? 2 : 1;
    for (size_t i = 0; i < t->operands; i++) {
        pf_parallel_links how = {t->from, invert_second && i == 1, t->source, t->target};
        PF_TRY(toolalign_links(t->pairs, (size_t)n > i ? files[i] : "-", &how, &t->operand[i]));
    }
    if (!gold) return PF_OK;
    pf_parallel_links how = {PF_ALIGN_AUTO, false, invert ? t->target : t->source, invert ? t->source : t->target};
    return toolalign_links(t->pairs, gold, &how, &t->gold);
}

static pf_err check(int n) {
    if (method && n != 2)
        return pf_fail(PF_EARG, "--symmetrize takes two operands, an alignment and that of the other direction");
    if (!method && n == 2) return pf_fail(PF_EARG, "two operands need --symmetrize");
    if (!method && invert_second) return pf_fail(PF_EARG, "--invert-second needs --symmetrize; see --invert");
    if (!method && compat) return pf_fail(PF_EARG, "--compat needs --symmetrize");
    if (!gold && alpha >= 0) return pf_fail(PF_EARG, "--alpha needs --gold");
    if (gold && to) return pf_fail(PF_EARG, "--gold writes scores, no alignments: not with --to");
    if (per_line && !gold) return pf_fail(PF_EARG, "--per-line needs --gold");
    if (min_posterior > 1) return pf_fail(PF_EARG, "--min-posterior: expected a number from 0 to 1");
    if (alpha > 1) return pf_fail(PF_EARG, "--alpha: expected a number from 0 to 1");
    if (alpha < 0) alpha = 0.5;
    return PF_OK;
}

static pf_err run_all(aligner *t, int n, char **operands) {
    PF_TRY(check(n));
    t->from = toolalign_format(toolalign_from);
    t->to = toolalign_format(to ? to : "pharaoh");
    t->method = method ? pf_sym_find(method) : NULL;
    t->filter = (pf_align_filter){strcmp(links, "sure") == 0, min_posterior};
    if (t->method) PF_TRY(pf_sym_new(&t->sym));
    PF_TRY(toolfst_open_output(&t->out));
    PF_TRY(add_columns(t, n, operands));
    PF_TRY(toolalign_each(t->pairs, t->operand[t->operands - 1], do_pair, t));
    PF_TRY(write_all(t));
    return toolfst_close_output(t->out);
}

static void say_left_out(const aligner *t) {
    const tool_left_out more[] = {
        {t->lost.marks, "marks of possible links, which the format to write does not have"},
        {t->lost.posteriors, "posteriors, which the format to write does not have"},
    };
    toolalign_say_left_out(&t->left_out, more, sizeof more / sizeof *more);
}

static int run(int n, char **operands) {
    aligner t = {0};
    pf_err err = run_all(&t, n, operands);
    pf_writer_free(t.out);
    pf_parallel_free(t.pairs);
    pf_sym_free(t.sym);
    pf_alignment_free(&t.symmetrized);
    if (!err) say_left_out(&t);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) {
    list_choices();
    return tool_main(&permalign, argc, argv, run);
}
