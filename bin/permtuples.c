/* permtuples: bilingual tuples, the reordered source and its permutations from an aligned corpus, pair by pair. */
#include "toolalign.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { DEFAULT_ITERATIONS = 5 };
typedef enum { TUPLES, REORDERED, PERMUTATIONS, STATISTICS, OUTPUTS } output;

static const char *by = "unfold", *unaligned, *costs, *paths[OUTPUTS];
static const char *const methods[] = {"unfold", "monotone", NULL}, *const sides[] = {"ibm1", "left", "right", NULL},
                         *const cost_kinds[] = {"auto", "links", "posteriors", NULL};
static bool keep_order, invert_second;
static double weight = -1; /* not given */
static uint64_t iterations, max_words; /* 0: not given */

static const tool_option options[] = {
    {.letter = 'b', .name = "by", .kind = TOOL_CHOICE, .to = &by, .metavar = "METHOD", .words = methods,
     .help = "reorder and cut by unfold (between which no link leads) or monotone (least costs, one source word a tuple) [unfold]"},
    {.letter = 'k', .name = "keep-order", .kind = TOOL_FLAG, .to = &keep_order, .help = "do not reorder the source: tuples only"},
    {.letter = 'u', .name = "unaligned", .kind = TOOL_CHOICE, .to = &unaligned, .metavar = "SIDE", .words = sides,
     .help = "unfold: unaligned target words between two tuples go where ibm1 (IBM model 1, trained on the texts) prefers, "
             "left or right [ibm1]"},
    {.name = "iterations", .kind = TOOL_NUMBER, .to = &iterations, .metavar = "N", .min = 1, .max = 1000,
     .help = "train IBM model 1 with N iterations [5]"},
    {.letter = 'w', .name = "weight", .kind = TOOL_REAL, .to = &weight, .metavar = "W", .min = 0,
     .help = "monotone, two alignments: the share of the second in the costs, 0 to 1 [0.5]"},
    {.letter = 'c', .name = "costs", .kind = TOOL_CHOICE, .to = &costs, .metavar = "KIND", .words = cost_kinds,
     .help = "monotone: costs from links, from their posteriors, or auto: posteriors where all links of a pair have one [auto]"},
    {.letter = 'm', .name = "max-words", .kind = TOOL_NUMBER, .to = &max_words, .metavar = "N", .min = 1, .max = UINT32_MAX,
     .help = "leave out pairs with a tuple of more than N words on a side: their lines are empty"},
    {.letter = 't', .name = "tuples", .kind = TOOL_FILE, .to = &paths[TUPLES], .metavar = "FILE",
     .help = "write the tuples, a line a pair, to FILE; each output may be -, standard output, where the tuples go if there "
             "is no other"},
    {.letter = 'r', .name = "reordered", .kind = TOOL_FILE, .to = &paths[REORDERED], .metavar = "FILE",
     .help = "write the reordered source to FILE"},
    {.letter = 'p', .name = "permutations", .kind = TOOL_FILE, .to = &paths[PERMUTATIONS], .metavar = "FILE",
     .help = "write the permutations to FILE: source positions from 1, in the new order"},
    {.letter = 's', .name = "statistics", .kind = TOOL_FILE, .to = &paths[STATISTICS], .metavar = "FILE",
     .help = "write counts of the whole to FILE: pairs, those in order, tuples and others"},
    TOOLALIGN_FROM("alignments"),
    {.name = "invert-second", .kind = TOOL_FLAG, .to = &invert_second,
     .help = "the second alignment lists targets as sources, as the aligner made it"},
    TOOLFST_FIRST_RECORD,
    {0},
};

static const tool permtuples = {
    .name = "permtuples",
    .operands = "SOURCE TARGET ALIGNMENT [ALIGNMENT]",
    .summary = "Reorder an aligned corpus and cut it into bilingual tuples",
    .options = options,
    .min_operands = 3,
    .max_operands = 4,
};

typedef struct {
    pf_writer *out[OUTPUTS];
    pf_parallel *pairs;
    size_t source, target, links[2], alignments; /* columns; how many of links */
    pf_ibm1 *model;
    pf_extractor *extractor;
    pf_tuples tuples;
    pf_words reordered;
    pf_align_left_out left_out;
} builder;

/* ---- a pair ---- */

static pf_err write_pair(builder *t) {
    pf_writer **out = t->out;
    PF_TRY(pf_tuples_reorder(&t->tuples, pf_parallel_sentence(t->pairs, t->source), &t->reordered));
    if (out[TUPLES])
        PF_TRY(pf_tuples_write(out[TUPLES], &t->tuples, &t->reordered, pf_parallel_sentence(t->pairs, t->target)));
    if (out[REORDERED]) PF_TRY(pf_words_write(out[REORDERED], &t->reordered));
    if (out[PERMUTATIONS]) PF_TRY(pf_tuples_write_order(out[PERMUTATIONS], &t->tuples));
    for (int i = TUPLES; i <= PERMUTATIONS; i++) {
        if (!out[i]) continue;
        PF_TRY(pf_writer_put(out[i], "\n", 1));
        if (!pf_writer_temporary(out[i])) PF_TRY(pf_writer_flush(out[i])); /* a pipe, perhaps */
    }
    return PF_OK;
}

static const pf_alignment *take(builder *t, size_t i) {
    pf_alignment *a = pf_parallel_alignment(t->pairs, t->links[i]);
    pf_alignment_filter(a, NULL, &t->left_out);
    return a;
}

static pf_err do_pair(void *self) {
    builder *t = self;
    pf_extract_pair pair = {.source = pf_parallel_sentence(t->pairs, t->source),
                            .target = pf_parallel_sentence(t->pairs, t->target)};
    pair.first = take(t, 0);
    if (t->alignments > 1) pair.second = take(t, 1);
    PF_TRY(pf_tuples_of_pair(t->extractor, &pair, &t->tuples));
    return write_pair(t);
}

/* ---- IBM model 1 ---- */

static pf_err open_texts(void *files, pf_parallel **pairs, size_t *source, size_t *target) {
    char **path = files;
    PF_TRY(pf_parallel_new(toolfst.first_record, pairs));
    PF_TRY(toolalign_text(*pairs, path[0], source));
    return toolalign_text(*pairs, path[1], target);
}

static void trained(void *files PF_UNUSED, uint64_t pair) { tool_steps(TOOL_COUNTED_PAIRS, pair); }

static pf_err train(pf_ibm1 *model, char **files) {
    pf_ibm1_corpus corpus = {open_texts, trained, files};
    struct stat it;
    for (int i = 0; i < 2; i++)
        if (strcmp(files[i], "-") == 0 || (stat(files[i], &it) == 0 && !S_ISREG(it.st_mode)))
            return pf_fail(PF_EARG, "%s: --unaligned=ibm1 reads the texts several times and needs files; "
                           "--unaligned=left or right reads them once",
                           strcmp(files[i], "-") == 0 ? "standard input" : files[i]);
    return pf_ibm1_train(model, &corpus, iterations);
}

/* ---- files and options ---- */

static pf_err open_corpus(builder *t, int n, char **files) {
    PF_TRY(open_texts(files, &t->pairs, &t->source, &t->target));
    for (int i = 2; i < n; i++) {
        pf_parallel_links how = {toolalign_format(toolalign_from), invert_second && i == 3, t->source, t->target};
        PF_TRY(toolalign_links(t->pairs, files[i], &how, &t->links[t->alignments]));
        t->alignments++;
    }
    return PF_OK;
}

static pf_err open_outputs(builder *t) {
    if (!paths[TUPLES] && !paths[REORDERED] && !paths[PERMUTATIONS] && !paths[STATISTICS]) paths[TUPLES] = "-";
    PF_TRY(toolfst_check_outputs(paths, OUTPUTS));
    for (int i = 0; i < OUTPUTS; i++)
        if (paths[i]) PF_TRY(toolfst_create(paths[i], &t->out[i]));
    return PF_OK;
}

static pf_err close_outputs(builder *t) {
    if (t->out[STATISTICS]) PF_TRY(pf_extract_counts_write(pf_extractor_counts(t->extractor), t->out[STATISTICS]));
    return toolfst_close_outputs(t->out, OUTPUTS);
}

/* Options that would do nothing are refused, and the others get their defaults. */
static pf_err settle(int n) {
    bool unfolds = strcmp(by, "unfold") == 0;
    if (unfolds && n == 4) return pf_fail(PF_EARG, "two alignments take --by=monotone; permalign --symmetrize makes one of them");
    if (unfolds && (weight >= 0 || costs)) return pf_fail(PF_EARG, "--%s takes --by=monotone", costs ? "costs" : "weight");
    if (!unfolds && unaligned) return pf_fail(PF_EARG, "--unaligned takes --by=unfold");
    if (n != 4 && (weight >= 0 || invert_second))
        return pf_fail(PF_EARG, "--%s takes a second alignment", invert_second ? "invert-second" : "weight");
    if (weight > 1) return pf_fail(PF_EARG, "--weight: expected a number from 0 to 1");
    if (iterations && (!unfolds || (unaligned && strcmp(unaligned, "ibm1") != 0)))
        return pf_fail(PF_EARG, "--iterations takes --by=unfold --unaligned=ibm1");
    if (weight < 0) weight = 0.5;
    if (!costs) costs = "auto";
    if (!unaligned) unaligned = "ibm1";
    if (!iterations) iterations = DEFAULT_ITERATIONS;
    return PF_OK;
}

/* Where a word is in a list of choices. */
static unsigned choice(const char *const *words, const char *word) {
    unsigned i = 0;
    while (strcmp(words[i], word) != 0) i++;
    return i;
}

static pf_err open_extractor(builder *t, char **files) {
    static const pf_unaligned side[] = {PF_UNALIGNED_IBM1, PF_UNALIGNED_LEFT, PF_UNALIGNED_RIGHT};
    static const pf_costs_kind kind[] = {PF_COSTS_AUTO, PF_COSTS_LINKS, PF_COSTS_POSTERIORS};
    pf_extract_options o = {.method = strcmp(by, "unfold") == 0 ? PF_EXTRACT_UNFOLD : PF_EXTRACT_MONOTONE,
                            .keep_order = keep_order, .max_words = max_words, .unaligned = side[choice(sides, unaligned)],
                            .costs = kind[choice(cost_kinds, costs)], .second_share = weight};
    if (o.method == PF_EXTRACT_UNFOLD && o.unaligned == PF_UNALIGNED_IBM1) {
        PF_TRY(pf_ibm1_new(&t->model));
        PF_TRY(train(t->model, files));
        o.model = t->model;
    }
    return pf_extractor_new(&o, &t->extractor);
}

static pf_err run_all(builder *t, int n, char **files) {
    PF_TRY(settle(n));
    PF_TRY(open_outputs(t));
    PF_TRY(open_extractor(t, files));
    PF_TRY(open_corpus(t, n, files));
    PF_TRY(toolalign_each(t->pairs, t->links[t->alignments - 1], do_pair, t));
    return close_outputs(t);
}

/* What was left out of a run that went well. */
static void say_left_out(const builder *t) {
    const pf_extract_counts *c = pf_extractor_counts(t->extractor);
    const tool_left_out more[] = {
        {c->unused_posteriors, "posteriors, of which no use is made"},
        {c->left_out, "pairs with a tuple of too many words (--max-words), whose lines are empty"},
    };
    toolalign_say_left_out(&t->left_out, more, sizeof more / sizeof *more);
}

static int run(int n, char **files) {
    builder t = {0};
    pf_err err = run_all(&t, n, files);
    if (!err) say_left_out(&t);
    for (int i = 0; i < OUTPUTS; i++) pf_writer_free(t.out[i]);
    pf_parallel_free(t.pairs);
    pf_extractor_free(t.extractor);
    pf_ibm1_free(t.model);
    pf_tuples_free(&t.tuples);
    PF_VEC_FREE(&t.reordered);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) {
    toolalign_list();
    return tool_main(&permtuples, argc, argv, run);
}
