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

/* What is left out, and why. */
typedef enum { REPEATED, EMPTY_WORD, POSTERIORS, TOO_LONG, REASONS } reason;
static tool_left_out left_out[REASONS] = {
    [REPEATED] = {0, TOOLALIGN_REPEATED},
    [EMPTY_WORD] = {0, TOOLALIGN_EMPTY_WORD},
    [POSTERIORS] = {0, "posteriors, of which no use is made"},
    [TOO_LONG] = {0, "pairs with a tuple of too many words (--max-words), whose lines are empty"},
};

/* What --statistics counts, in this order. */
typedef enum {
    PAIRS, LEFT_OUT, IN_ORDER, UNCROSSED, UNLINKED, SOURCES, TARGETS, ALL_TUPLES, NO_TARGET, NO_SOURCE, MOST_SOURCES,
    MOST_TARGETS, STATS
} statistic;
static const char *const statistics[STATS] = {
    [PAIRS] = "pairs", [LEFT_OUT] = "left-out", [IN_ORDER] = "in-order", [UNCROSSED] = "no-crossing-links", [UNLINKED] = "no-links",
    [SOURCES] = "source-words", [TARGETS] = "target-words", [ALL_TUPLES] = "tuples", [NO_TARGET] = "tuples-without-target",
    [NO_SOURCE] = "tuples-without-source", [MOST_SOURCES] = "most-source-words", [MOST_TARGETS] = "most-target-words",
};

typedef struct {
    pf_writer *w[OUTPUTS];
    pf_parallel *rows;
    size_t source, target, align[2], alignments; /* columns */
    pf_ibm1 *model;
    pf_unfolder *unfolder;
    pf_costs costs;
    pf_monotone monotone;
    pf_tuples tuples;
    pf_words reordered;
    uint64_t count[STATS];
} builder;

/* ---- a pair ---- */

static const pf_alignment *take(builder *t, size_t i) {
    const pf_alignment *a = pf_parallel_alignment(t->rows, t->align[i]);
    left_out[REPEATED].n += a->repeated;
    left_out[EMPTY_WORD].n += a->null;
    return a;
}

static size_t posteriors(const pf_alignment *a) {
    size_t n = 0;
    for (size_t k = 0; a && k < a->link.n; k++) n += a->link.at[k].p >= 0; /* no NAN is */
    return n;
}

static pf_err unfold(builder *t, const pf_alignment *a) {
    const pf_words *f = pf_parallel_sentence(t->rows, t->source), *e = pf_parallel_sentence(t->rows, t->target);
    pf_unfold_options how = {PF_UNALIGNED_IBM1, keep_order, t->model, f, e};
    if (!t->model) how.unaligned = strcmp(unaligned, "left") == 0 ? PF_UNALIGNED_LEFT : PF_UNALIGNED_RIGHT;
    left_out[POSTERIORS].n += posteriors(a);
    return pf_unfold(t->unfolder, a, &how, &t->tuples);
}

static pf_err monotonize(builder *t, const pf_alignment *a, const pf_alignment *b) {
    size_t links = a->link.n + (b ? b->link.n : 0), with = posteriors(a) + posteriors(b);
    bool use = strcmp(costs, "posteriors") == 0, look = strcmp(costs, "auto") == 0;
    if (look && with && with < links)
        return pf_fail(PF_EINPUT, "%zu of %zu links have a posterior: expected all or none; see --costs", with, links);
    if (look) use = with > 0;
    if (!use) left_out[POSTERIORS].n += with;
    PF_TRY((use ? pf_costs_posteriors : pf_costs_links)(&t->costs, a, b, weight));
    return pf_monotonize(&t->monotone, &t->costs, keep_order, &t->tuples);
}

/* Counts a pair, unless one of its tuples is too long. */
static bool count_pair(builder *t, const pf_alignment *a) {
    uint64_t no_source = 0, no_target = 0, sources = t->count[MOST_SOURCES], targets = t->count[MOST_TARGETS];
    pf_tuple before = {0, 0};
    for (size_t k = 0; k < t->tuples.tuple.n; k++) {
        pf_tuple x = t->tuples.tuple.at[k];
        uint32_t f = x.source_end - before.source_end, e = x.target_end - before.target_end;
        if (max_words && (f > max_words || e > max_words)) return false;
        no_source += !f;
        no_target += !e;
        if (sources < f) sources = f;
        if (targets < e) targets = e;
        before = x;
    }
    t->count[MOST_SOURCES] = sources;
    t->count[MOST_TARGETS] = targets;
    t->count[NO_SOURCE] += no_source;
    t->count[NO_TARGET] += no_target;
    t->count[IN_ORDER] += pf_tuples_in_order(&t->tuples);
    t->count[UNCROSSED] += !pf_alignment_crosses(a);
    t->count[UNLINKED] += !a->link.n;
    t->count[SOURCES] += t->tuples.order.n;
    t->count[TARGETS] += before.target_end;
    t->count[ALL_TUPLES] += t->tuples.tuple.n;
    return true;
}

static pf_err write_reordered(builder *t, pf_writer *w) {
    for (size_t p = 0; p < t->reordered.n; p++) {
        if (p) PF_TRY(pf_writer_put(w, " ", 1));
        PF_TRY(pf_writer_put(w, t->reordered.at[p].at, t->reordered.at[p].n));
    }
    return PF_OK;
}

static pf_err write_pair(builder *t) {
    pf_writer **w = t->w;
    PF_TRY(pf_tuples_reorder(&t->tuples, pf_parallel_sentence(t->rows, t->source), &t->reordered));
    if (w[TUPLES]) PF_TRY(pf_tuples_write(w[TUPLES], &t->tuples, &t->reordered, pf_parallel_sentence(t->rows, t->target)));
    if (w[REORDERED]) PF_TRY(write_reordered(t, w[REORDERED]));
    if (w[PERMUTATIONS]) PF_TRY(pf_tuples_write_order(w[PERMUTATIONS], &t->tuples));
    for (int i = TUPLES; i <= PERMUTATIONS; i++) {
        if (!w[i]) continue;
        PF_TRY(pf_writer_put(w[i], "\n", 1));
        if (!pf_writer_temporary(w[i])) PF_TRY(pf_writer_flush(w[i])); /* a pipe, perhaps */
    }
    return PF_OK;
}

static pf_err do_pair(builder *t) {
    const pf_alignment *a = take(t, 0), *b = t->alignments > 1 ? take(t, 1) : NULL;
    PF_TRY(t->unfolder ? unfold(t, a) : monotonize(t, a, b));
    t->count[PAIRS]++;
    if (!count_pair(t, a)) {
        left_out[TOO_LONG].n++;
        t->count[LEFT_OUT]++;
        pf_tuples_reset(&t->tuples);
    }
    return write_pair(t);
}

static pf_err do_pairs(builder *t) {
    tool_unit("pair");
    for (bool more;;) {
        PF_TRY(pf_parallel_next(t->rows, &more));
        if (!more) break;
        tool_write_begin();
        pf_err err = do_pair(t);
        tool_write_end();
        if (err == PF_EINPUT || err == PF_ELIMIT)
            return pf_reader_fail_line(pf_parallel_reader(t->rows, t->align[t->alignments - 1]), "%s", pf_message());
        PF_TRY(err);
        tool_done(1, pf_parallel_number(t->rows), 0);
    }
    return PF_OK;
}

/* ---- IBM model 1 ---- */

static pf_err open_texts(char **files, pf_parallel *rows, size_t *source, size_t *target) {
    PF_TRY(toolalign_text(rows, files[0], source));
    return toolalign_text(rows, files[1], target);
}

static pf_err count_words(pf_ibm1 *model, pf_parallel *rows, size_t source, size_t target) {
    for (bool more;;) {
        PF_TRY(pf_parallel_next(rows, &more));
        if (!more) return PF_OK;
        PF_TRY(pf_ibm1_count(model, pf_parallel_sentence(rows, source), pf_parallel_sentence(rows, target)));
        tool_steps(TOOL_COUNTED_PAIRS, pf_parallel_number(rows));
    }
}

static pf_err iterate(pf_ibm1 *model, char **files) {
    pf_parallel *rows;
    size_t source, target;
    PF_TRY(pf_parallel_new(toolfst.first_record, &rows));
    pf_err err = open_texts(files, rows, &source, &target);
    if (!err) err = count_words(model, rows, source, target);
    pf_parallel_free(rows);
    if (!err) pf_ibm1_update(model);
    return err;
}

static pf_err train(pf_ibm1 *model, char **files) {
    struct stat it;
    for (int i = 0; i < 2; i++)
        if (strcmp(files[i], "-") == 0 || (stat(files[i], &it) == 0 && !S_ISREG(it.st_mode)))
            return pf_fail(PF_EARG, "%s: --unaligned=ibm1 reads the texts several times and needs files; "
                           "--unaligned=left or right reads them once",
                           strcmp(files[i], "-") == 0 ? "standard input" : files[i]);
    for (uint64_t n = 0; n < iterations; n++) PF_TRY(iterate(model, files));
    return PF_OK;
}

/* ---- files and options ---- */

static pf_err open_corpus(builder *t, int n, char **files) {
    PF_TRY(pf_parallel_new(toolfst.first_record, &t->rows));
    PF_TRY(open_texts(files, t->rows, &t->source, &t->target));
    for (int i = 2; i < n; i++) {
        pf_parallel_links how = {toolalign_format(toolalign_from), invert_second && i == 3, t->source, t->target};
        PF_TRY(toolalign_links(t->rows, files[i], &how, &t->align[t->alignments]));
        t->alignments++;
    }
    return PF_OK;
}

static pf_err open_outputs(builder *t) {
    if (!paths[TUPLES] && !paths[REORDERED] && !paths[PERMUTATIONS] && !paths[STATISTICS]) paths[TUPLES] = "-";
    PF_TRY(toolfst_check_outputs(paths, OUTPUTS));
    for (int i = 0; i < OUTPUTS; i++)
        if (paths[i]) PF_TRY(toolfst_create(paths[i], &t->w[i]));
    return PF_OK;
}

static pf_err close_outputs(builder *t) {
    for (int i = 0; i < STATS && t->w[STATISTICS]; i++)
        PF_TRY(pf_writer_text(t->w[STATISTICS], "%s\t%llu\n", statistics[i], (unsigned long long)t->count[i]));
    return toolfst_close_outputs(t->w, OUTPUTS);
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

static pf_err run_all(builder *t, int n, char **files) {
    PF_TRY(settle(n));
    PF_TRY(open_outputs(t));
    if (strcmp(by, "unfold") == 0) {
        PF_TRY(pf_unfolder_new(&t->unfolder));
        if (strcmp(unaligned, "ibm1") == 0) {
            PF_TRY(pf_ibm1_new(&t->model));
            PF_TRY(train(t->model, files));
        }
    }
    PF_TRY(open_corpus(t, n, files));
    PF_TRY(do_pairs(t));
    return close_outputs(t);
}

static int run(int n, char **files) {
    builder t = {0};
    pf_err err = run_all(&t, n, files);
    for (int i = 0; i < OUTPUTS; i++) pf_writer_free(t.w[i]);
    pf_parallel_free(t.rows);
    pf_ibm1_free(t.model);
    pf_unfolder_free(t.unfolder);
    pf_costs_free(&t.costs);
    pf_monotone_free(&t.monotone);
    pf_tuples_free(&t.tuples);
    PF_VEC_FREE(&t.reordered);
    if (!err) tool_say_left_out(left_out, REASONS);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) {
    toolalign_list();
    return tool_main(&permtuples, argc, argv, run);
}
