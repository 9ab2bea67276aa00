/* permoracle: the path of each record that scores best against references. */
#include "toolmap.h"
#include "toolsearch.h"
#include "toolwatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    tool_common common;
    tool_specs input;
    uint64_t n_best;
    double seconds, threshold; /* TOOL_NOT_GIVEN */
    uint64_t base;
    bool without_brevity, ties, verbose, lattice;
    const char *metric, *alignment, *joiner, *scores;
    int approximate, corpus; /* places among `approximations` and `corpora`; TOOL_NOT_GIVEN */
} oracle_settings;

static const char *const approximations[] = {"clips", "states", "dreyer", NULL}; /* as PF_ORACLE_DREYER and its parts, less 1 */

static const char *const corpora[] = {"independent", "accumulate", "iterate", NULL}; /* as pf_oracle_corpus */

#define AT(FIELD) offsetof(oracle_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {.letter = 'i', .name = "input", .kind = TOOL_FILES, .at = AT(input), .metavar = "FILE",
     .help = "read automata from FILE instead of standard input; may be repeated"},
    {.letter = 'a', .name = "alignment", .kind = TOOL_FILE, .at = AT(alignment), .metavar = "LINKS",
     .help = "kendall, chunks: the reference order of a sentence is the unfolding of its word alignment in LINKS"},
    {.name = "base", .kind = TOOL_NUMBER, .at = AT(base), .metavar = "N", .min = 0, .max = 1,
     .excludes = "alignment", .help = "kendall, chunks: the number of the first position in a reference, 0 or 1 [1]"},
    {.name = "joiner", .kind = TOOL_TEXT, .at = AT(joiner), .metavar = "TEXT",
     .help = "the words of a phrase are joined by TEXT in a symbol: with --joiner=-, to-me is two words"},
    TOOL_OF_RECORDS,
    TOOL_GROUP_OF("What is searched"),
    {.letter = 'm', .name = "metric", .kind = TOOL_TEXT, .at = AT(metric), .metavar = "WORD",
     .help = "the score: bleu, linear-bleu (or linear-bleu:P,R), kendall, chunks or wer [bleu]"},
    {.letter = 'n', .name = "nbest", .kind = TOOL_NUMBER, .at = AT(n_best), .metavar = "N", .min = 1,
     .max = 1000000, .help = "find the N best paths [1]"},
    {.name = "ties", .kind = TOOL_FLAG, .at = AT(ties),
     .help = "count the paths that have the best score"},
    {.name = "no-brevity", .kind = TOOL_FLAG, .at = AT(without_brevity),
     .help = "leave the brevity penalty out of the score"},
    {.name = "approximate", .kind = TOOL_CHOICE, .at = AT(approximate), .metavar = "WHAT",
     .words = approximations, .excludes = "nbest ties",
     .help = "search as Dreyer et al. (2007) do: do not clip matches (clips), keep one hypothesis a state (states), or both "
             "(dreyer)"},
    {.name = "corpus", .kind = TOOL_CHOICE, .at = AT(corpus), .metavar = "HOW", .words = corpora,
     .excludes = "nbest ties approximate",
     .help = "choose paths by the BLEU of all records: each by itself (independent), one after the other (accumulate), or again "
             "until nothing is better (iterate); and print what no choice exceeds"},
    {.name = "time", .kind = TOOL_REAL, .at = AT(seconds), .metavar = "SECONDS",
     .help = "search each record for at most SECONDS, then give the best path so far"},
    TOOL_MAX_STATES(NULL, "end a search when N states and hypotheses were visited, and give the best path so far"),
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    {.name = "lattice", .kind = TOOL_FLAG, .at = AT(lattice), .excludes = "nbest ties scores",
     .help = "all metrics but bleu: write all paths that are at most --threshold worse than the best one, as an automaton"},
    {.letter = 't', .name = "threshold", .kind = TOOL_REAL, .at = AT(threshold), .metavar = "COST",
     .needs = "lattice", .help = "how much worse than the best path a path of --lattice may be [0]"},
    {.letter = 's', .name = "scores", .kind = TOOL_FILE, .at = AT(scores), .metavar = "FILE",
     .help = "write a line for each path to FILE: score, counts, proof, permutation and words"},
    {.letter = 'v', .name = "verbose", .kind = TOOL_FLAG, .at = AT(verbose),
     .help = "report what was searched for each record"},
    TOOL_OUTPUT,
    {0},
};

typedef enum { BLEU, LINEAR, KENDALL, CHUNKS, EDITS } oracle_metric;
static const char *const metric_names[] = {"bleu", "linear-bleu", "kendall", "chunks", "wer", NULL};

/* The front of a record, for --corpus. */
typedef struct {
    uint64_t record;
    bool failed;
} kept_record;

typedef struct {
    tool_call *call;
    const oracle_settings *options;
    oracle_metric metric;
    pf_linear_bleu linear;
    pf_align_reader *align; /* of --alignment */
    toolfst_sink sink;
    pf_reader **reader; /* of the references */
    int readers;
    pf_writer *scores;
    pf_oracle_counts sum;
    PF_VEC(pf_oracle_front) front; /* of all records, with --corpus; and which they are: */
    PF_VEC(kept_record) kept;
    uint64_t records, proven;
    double costs;
    bool no_path;
} scorer_state;

/* Of one record. */
typedef struct {
    pf_oracle_references references;
    char **line;               /* wer: those of the references that have words */
    size_t lines;
    pf_visit_order order;      /* kendall, chunks */
    pf_alignment links;
    pf_oracle_answer answer;
    pf_oracle_front front;
} scored_record;

/* ---- references ---- */

static pf_err add_order(const scorer_state *state, int k, const char *line, scored_record *own) {
    pf_err err = pf_visit_order_read(line, (unsigned)state->options->base, &own->order);
    return err == PF_EINPUT ? pf_reader_fail_line(state->reader[k], "%s", pf_message()) : err;
}

static pf_err add_line(const scorer_state *state, int k, bool last, scored_record *own, pf_err failed) {
    char *line;
    size_t n, words = 0;
    PF_TRY(pf_reader_line(state->reader[k], &line, &n));
    if (!line) return pf_reader_fail_line(state->reader[k], "expected the reference of another record, found the end");
    if (pf_line_check(line, n)) return pf_reader_fail_line(state->reader[k], "%s", pf_message());
    pf_word word;
    for (const char *at = line; pf_word_next(&at, line + n, &word);) words++;
    if (!own || failed) return PF_OK;
    if (state->metric == KENDALL || state->metric == CHUNKS) return add_order(state, k, line, own);
    if (!words && !(last && !own->references.length.n)) return PF_OK;
    if (!(own->line[own->lines] = strdup(line))) return pf_nomem();
    own->lines++;
    return pf_oracle_references_add(&own->references, line, n);
}

static pf_err add_links(const scorer_state *state, scored_record *own, pf_err failed) {
    pf_alignment skipped = {0};
    bool more;
    pf_err err = pf_align_next(state->align, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, own && !failed ? &own->links : &skipped, &more);
    pf_alignment_free(&skipped);
    if (!err && !more) err = pf_reader_fail_line(*state->reader, "expected the alignment of another record, found the end");
    return err;
}

/* The lines of the next record: they are read also past a record that failed, with its error and message. */
static pf_err next_references(const scorer_state *state, scored_record *own, pf_err failed) {
    char message[1024];
    snprintf(message, sizeof message, "%s", pf_message());
    if (own && !failed && !(own->line = calloc((size_t)state->readers + 1, sizeof *own->line))) return pf_nomem();
    if (state->align) PF_TRY(add_links(state, own, failed));
    for (int k = 0; !state->align && k < state->readers; k++) PF_TRY(add_line(state, k, k + 1 == state->readers, own, failed));
    return failed ? pf_fail(failed, "%s", message) : PF_OK;
}

static pf_err close_references(scorer_state *state) {
    pf_alignment links = {0};
    bool more = false;
    pf_err err = state->align ? pf_align_next(state->align, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, &links, &more) : PF_OK;
    pf_alignment_free(&links);
    if (err) return err;
    if (more) return pf_reader_fail_line(*state->reader, "expected the end, as every record has its alignment, found one more line");
    for (int k = 0; !state->align && k < state->readers; k++) {
        char *line;
        size_t n;
        PF_TRY(pf_reader_line(state->reader[k], &line, &n));
        if (line) return pf_reader_fail_line(state->reader[k], "expected the end, as every record has its reference, found one more line");
    }
    return PF_OK;
}

/* ---- one record ---- */

static pf_err open_record(void *self, pf_record *r) {
    const scorer_state *state = self;
    pf_fst *fst = NULL;
    scored_record *own = r->own = calloc(1, sizeof *own);
    if (own) pf_oracle_references_init(&own->references);
    pf_err err = own ? pf_record_open(r, &fst) : pf_nomem();
    return next_references(state, own, err);
}

static void drop(void *self) {
    scored_record *own = self;
    pf_oracle_references_free(&own->references);
    for (size_t k = 0; k < own->lines; k++) free(own->line[k]);
    free(own->line);
    pf_visit_order_free(&own->order);
    pf_alignment_free(&own->links);
    pf_oracle_answer_free(&own->answer);
    pf_oracle_front_free(&own->front);
    free(own);
}

/* The order in which unfolding visits the n positions of a record. */
static pf_err unfold(scored_record *own, unsigned n) {
    pf_unfolder *unfolder = NULL;
    pf_tuples tuples = {0};
    uint32_t linked = pf_alignment_sources(&own->links);
    if (linked > n) return pf_fail(PF_EINPUT, "expected links of %u source words, found one of word %u (from 0)", n, linked - 1);
    own->links.n_source = n;
    own->links.n_target = pf_alignment_targets(&own->links);
    pf_err err = pf_unfolder_new(&unfolder);
    if (!err) err = pf_unfold(unfolder, &own->links, &(pf_unfold_options){.unaligned = PF_UNALIGNED_LEFT}, &tuples);
    if (!err && !(own->order.order = malloc(((size_t)n + 1) * sizeof *own->order.order))) err = pf_nomem();
    for (unsigned i = 0; !err && i < n; i++) own->order.order[i] = tuples.order.at[i];
    own->order.n = err ? 0 : n;
    pf_unfolder_free(unfolder);
    pf_tuples_free(&tuples);
    return err;
}

/* The machine whose costs are the score. */
static pf_err weigh(const scorer_state *state, scored_record *own, pf_fst *fst, const pf_oracle_options *options, pf_fst **out) {
    unsigned n;
    *out = NULL;
    if (state->metric == LINEAR) return pf_oracle_linear(fst, &own->references, &state->linear, options, out);
    if (state->metric == EDITS) return pf_oracle_edits(fst, (const char *const *)own->line, own->lines, options, out);
    if (state->align) {
        PF_TRY(pf_oracle_positions(fst, options, &n));
        PF_TRY(unfold(own, n));
    }
    return (state->metric == KENDALL ? pf_oracle_kendall : pf_oracle_chunks)(fst, own->order.order, own->order.n, options, out);
}

static pf_err search_additive(const scorer_state *state, scored_record *own, pf_fst *fst, const pf_oracle_options *options) {
    const oracle_settings *settings = state->options;
    pf_best_options best = {.n = options->n, .max_states = options->max_states, .expired = options->expired,
                            .progress = options->progress, .self = options->self, .lattice = settings->lattice,
                            .threshold = settings->lattice && settings->threshold > 0 ? settings->threshold : 0};
    pf_fst *costs;
    if (state->metric == EDITS && options->n > 1) best.unique = PF_UNIQUE_INPUTS;
    pf_err err = weigh(state, own, fst, options, &costs);
    if (!err) err = pf_best(costs, &best, &own->answer.answer);
    if (!err && options->ties) err = pf_oracle_ties(costs, &own->answer.ties);
    pf_fst_free(costs);
    return err;
}

static pf_err search(void *self, pf_record *r) {
    const scorer_state *state = self;
    const oracle_settings *settings = state->options;
    tool_clock clock = tool_clock_begin(r->call, settings->seconds);
    scored_record *own = r->own;
    pf_fst *fst;
    pf_oracle_options options = {
        .n = (size_t)settings->n_best, .without_brevity = settings->without_brevity, .ties = settings->ties,
        .approximate = settings->approximate == TOOL_NOT_GIVEN ? 0 : (unsigned)settings->approximate + 1, .joiner = settings->joiner,
        .max_states = settings->common.max_states, .expired = tool_clock_expired, .progress = tool_clock_states, .self = &clock,
    };
    PF_TRY(pf_record_open(r, &fst));
    if (state->metric != BLEU) return search_additive(state, own, fst, &options);
    if (settings->corpus != TOOL_NOT_GIVEN) return pf_oracle_front_of(fst, &own->references, &options, &own->front);
    return pf_oracle_bleu(fst, &own->references, &options, &own->answer);
}

/* ---- what is written ---- */

static pf_err put_permutation(pf_writer *writer, const pf_answer *answer, size_t rank) {
    if (answer->isyms) return pf_writer_text(writer, "-");
    return pf_answer_write_permutation(writer, answer, rank);
}

/* Of a metric that adds. */
static double score_of(const scorer_state *state, const pf_path *path) {
    return state->metric == LINEAR ? 0.0 - path->cost : path->cost;
}

/* Of a metric that adds: the score, and its share of what is possible. */
static pf_err put_additive(const scorer_state *state, const pf_oracle_answer *answer, uint64_t record) {
    for (size_t i = 0; i < answer->answer.paths.n; i++) {
        const pf_path *path = &answer->answer.paths.at[i];
        double score = score_of(state, path), n = (double)path->n;
        char ties[24] = "-", proof[PF_PROOF_BYTES], details[40] = "-";
        if (!i && answer->ties) snprintf(ties, sizeof ties, "%llu", (unsigned long long)answer->ties);
        if (state->metric == KENDALL) snprintf(details, sizeof details, "%.6f", n > 1 ? sqrt(2 * score / (n * (n - 1))) : 0);
        if (state->metric == CHUNKS) snprintf(details, sizeof details, "%.6f", n > 1 ? (score - 1) / (n - 1) : 0);
        PF_TRY(pf_writer_text(state->scores, "%llu\t%zu\t%.6f\t%s\t-\t-\t%s\t%s\t", (unsigned long long)record, i + 1,
                              score, details, ties, i ? "-" : pf_answer_proof(&answer->answer, proof)));
        PF_TRY(put_permutation(state->scores, &answer->answer, i));
        PF_TRY(pf_writer_text(state->scores, "\t"));
        PF_TRY(pf_answer_write_words(state->scores, &answer->answer, i, false));
        PF_TRY(pf_writer_text(state->scores, "\n"));
    }
    return PF_OK;
}

static pf_err put_scores(const scorer_state *state, const pf_oracle_answer *answer, uint64_t record) {
    pf_writer *writer = state->scores;
    for (size_t i = 0; writer && i < answer->counts.n; i++) {
        const pf_oracle_counts *counts = &answer->counts.at[i];
        char ties[24] = "-", proof[40] = "-";
        if (!i && answer->ties) snprintf(ties, sizeof ties, "%llu", (unsigned long long)answer->ties);
        if (!i) pf_oracle_proof(answer, proof);
        PF_TRY(pf_writer_text(writer, "%llu\t%zu\t%.6f\t%llu/%llu/%llu/%llu\t%llu\t%llu\t%s\t%s\t", (unsigned long long)record, i + 1,
                              pf_oracle_score(counts, !state->options->without_brevity), (unsigned long long)counts->match[0],
                              (unsigned long long)counts->match[1], (unsigned long long)counts->match[2],
                              (unsigned long long)counts->match[3], (unsigned long long)counts->length,
                              (unsigned long long)counts->reference, ties, proof));
        PF_TRY(put_permutation(writer, &answer->answer, i));
        PF_TRY(pf_writer_text(writer, "\t"));
        PF_TRY(pf_answer_write_words(writer, &answer->answer, i, false));
        PF_TRY(pf_writer_text(writer, "\n"));
    }
    return PF_OK;
}

static void say(scorer_state *state, const pf_oracle_answer *answer, uint64_t record) {
    char proof[40];
    const pf_answer *found = &answer->answer;
    pf_oracle_proof(answer, proof);
    if (found->stopped)
        tool_say(state->call, "record %llu: %s ended the search after %llu states: best so far %.6f, %s", (unsigned long long)record,
                 tool_stop(state->call, found), (unsigned long long)found->states, answer->score, proof);
    else if (state->options->verbose)
        tool_say(state->call, "record %llu: %s %.6f: %llu states, %llu arcs, %s", (unsigned long long)record, found->search,
                 answer->score, (unsigned long long)found->states, (unsigned long long)found->arcs, proof);
}

/* What stands for a record that has failed. */
static pf_err put_no_answer(scorer_state *state, uint64_t record) {
    pf_answer_form form = state->options->lattice ? PF_ANSWER_AS_LATTICE : PF_ANSWER_AS_PATHS;
    pf_expr *none;
    PF_TRY(pf_expr_of_search(&(pf_answer){.bound = -(double)INFINITY}, form, &none));
    pf_err err = pf_stream_put(state->sink.stream, none, record);
    pf_expr_free(none);
    return err;
}

/* Keeps the front until all are known. */
static pf_err keep_front(scorer_state *state, pf_record *r) {
    scored_record *own = r->own;
    PF_TRY(PF_PUSH(&state->kept, ((kept_record){r->record, r->failed})));
    PF_TRY(PF_ROOM(&state->front, 1));
    state->front.at[state->front.n++] = r->failed ? (pf_oracle_front){.whole = true} : own->front;
    if (!r->failed) own->front = (pf_oracle_front){0};
    return PF_OK;
}

/* The answer of a metric that adds: as permshortest writes it. */
static pf_err put_best(scorer_state *state, pf_record *r, pf_oracle_answer *answer) {
    char words[PF_SEARCHED_BYTES], proof[PF_PROOF_BYTES];
    pf_fst *fst;
    size_t n = answer->answer.paths.n;
    unsigned long long record = r->record;
    PF_TRY(pf_record_open(r, &fst));
    if (state->options->verbose) tool_say(state->call, "record %llu: %s", record, pf_answer_searched(&answer->answer, fst, words));
    if (answer->answer.stopped)
        tool_say(state->call, "record %llu: %s ended the search: best so far %.6f, %s", record, tool_stop(state->call, &answer->answer),
                 score_of(state, &answer->answer.paths.at[0]), pf_answer_proof(&answer->answer, proof));
    if (!n) tool_say(state->call, "record %llu has no path", record);
    state->records++;
    state->proven += n && pf_answer_optimal(&answer->answer);
    state->no_path = state->no_path || !n;
    if (answer->answer.out_of_memory) tool_failed(state->call); /* the same call may find more elsewhere */
    if (n) state->costs += score_of(state, &answer->answer.paths.at[0]);
    if (state->scores) PF_TRY(put_additive(state, answer, r->record));
    PF_TRY(pf_expr_of_search(&answer->answer, state->options->lattice ? PF_ANSWER_AS_LATTICE : PF_ANSWER_AS_PATHS, &r->out));
    return pf_stream_put(state->sink.stream, r->out, r->record);
}

static pf_err put_answer(void *self, pf_record *r) {
    scorer_state *state = self;
    if (state->options->corpus != TOOL_NOT_GIVEN) return keep_front(state, r);
    if (r->failed) return put_no_answer(state, r->record);
    pf_oracle_answer *answer = &((scored_record *)r->own)->answer;
    if (state->metric != BLEU) return put_best(state, r, answer);
    state->records++;
    state->proven += answer->counts.n && pf_oracle_gap(answer) == 0 && state->options->approximate == TOOL_NOT_GIVEN;
    if (answer->answer.out_of_memory) tool_failed(state->call); /* the same call may find more elsewhere */
    if (answer->counts.n) pf_oracle_counts_add(&state->sum, &answer->counts.at[0]);
    PF_TRY(put_scores(state, answer, r->record));
    if (answer->counts.n) say(state, answer, r->record);
    else tool_say(state->call, "record %llu has no path", (unsigned long long)r->record);
    state->no_path = state->no_path || !answer->counts.n;
    PF_TRY(pf_expr_of_search(&answer->answer, PF_ANSWER_AS_PATHS, &r->out));
    return pf_stream_put(state->sink.stream, r->out, r->record);
}

/* ---- corpora ---- */

/* The choice as an answer of one path. */
static pf_err put_choice(scorer_state *state, size_t i, size_t chosen) {
    pf_oracle_answer answer = {.approximate = true};
    const pf_oracle_choice *choice = &state->front.at[i].choice.at[chosen];
    bool brevity = !state->options->without_brevity;
    pf_expr *out = NULL;
    double cost = -pf_oracle_log(&choice->counts, brevity) / PF_ORACLE_ORDER;
    answer.answer.isyms = pf_symtab_ref(state->front.at[i].isyms);
    answer.answer.osyms = pf_symtab_ref(state->front.at[i].osyms);
    answer.answer.search = "corpus BLEU";
    answer.answer.bound = -(double)INFINITY;
    pf_err err = pf_answer_add(&answer.answer, choice->path.arc, choice->path.n, (float)(cost < 1e6 ? cost > 0 ? cost : 0 : 1e6));
    if (!err) err = PF_PUSH(&answer.counts, choice->counts);
    if (!err) err = put_scores(state, &answer, state->kept.at[i].record);
    if (!err) err = pf_expr_of_search(&answer.answer, PF_ANSWER_AS_PATHS, &out);
    if (!err) err = pf_stream_put(state->sink.stream, out, state->kept.at[i].record);
    pf_expr_free(out);
    pf_oracle_answer_free(&answer);
    return err;
}

static pf_err put_choices(scorer_state *state) {
    size_t n = state->front.n, *chosen = malloc((n + 1) * sizeof *chosen);
    pf_err err = chosen ? PF_OK : pf_nomem();
    bool brevity = !state->options->without_brevity;
    if (!err) pf_oracle_choose(state->front.at, n, (pf_oracle_corpus)state->options->corpus, brevity, chosen, &state->sum);
    for (size_t i = 0; !err && i < n; i++) {
        state->records += !state->kept.at[i].failed;
        state->proven += state->front.at[i].whole && !state->kept.at[i].failed;
        state->no_path = state->no_path || (!state->kept.at[i].failed && chosen[i] == SIZE_MAX);
        if (chosen[i] == SIZE_MAX) err = put_no_answer(state, state->kept.at[i].record);
        else err = put_choice(state, i, chosen[i]);
    }
    free(chosen);
    return err;
}

/* ---- all of it ---- */

/* The name and the two numbers of --metric. */
static pf_err read_metric(scorer_state *state) {
    const char *word = state->options->metric;
    size_t n = strcspn(word, ":");
    int metric = 0, end = 0;
    while (metric_names[metric] && (strlen(metric_names[metric]) != n || strncmp(metric_names[metric], word, n) != 0)) metric++;
    if (!metric_names[metric])
        return pf_fail(PF_EARG, "unknown metric '%.60s'; there are: bleu, linear-bleu, kendall, chunks, wer", word);
    state->metric = (oracle_metric)metric;
    state->linear = pf_linear_bleu_usual;
    if (!word[n]) return PF_OK;
    bool read = sscanf(word + n, ":%lf,%lf%n", &state->linear.precision, &state->linear.ratio, &end) == 2 && !word[n + (size_t)end];
    if (metric != LINEAR || !read || !(state->linear.precision > 0) || !(state->linear.ratio > 0) ||
        !isfinite(state->linear.precision) || !isfinite(state->linear.ratio))
        return pf_fail(PF_EARG, "expected a metric as linear-bleu:0.4,0.8 with two numbers above 0, found '%.60s'", word);
    return PF_OK;
}

/* Options that go with some metrics only. */
static pf_err check_metric(const scorer_state *state, int operands) {
    static const char *const of_bleu[] = {"no-brevity", "approximate", "corpus"}, *const of_others[] = {"lattice"};
    static const char *const of_orders[] = {"alignment", "base"};
    bool orders = state->metric == KENDALL || state->metric == CHUNKS;
    const char *name = metric_names[state->metric];
    for (size_t i = 0; state->metric != BLEU && i < 3; i++)
        if (tool_given(state->call, of_bleu[i])) return pf_fail(PF_EARG, "--%s goes with --metric=bleu, not %s", of_bleu[i], name);
    for (size_t i = 0; state->metric == BLEU && i < 1; i++)
        if (tool_given(state->call, of_others[i])) return pf_fail(PF_EARG, "--%s does not go with --metric=bleu", of_others[i]);
    for (size_t i = 0; !orders && i < 2; i++)
        if (tool_given(state->call, of_orders[i]))
            return pf_fail(PF_EARG, "--%s goes with --metric=kendall or chunks, not %s", of_orders[i], name);
    if (state->metric == EDITS && state->options->ties) return pf_fail(PF_EARG, "--ties does not go with --metric=wer");
    if (orders && operands > 1) return pf_fail(PF_EARG, "--metric=%s has one reference, but %d are given", name, operands);
    return PF_OK;
}

static pf_err open_files(scorer_state *state) {
    char *const *operands;
    int n = tool_operands(state->call, &operands);
    PF_TRY(read_metric(state));
    PF_TRY(check_metric(state, n));
    const char *output = tool_common_of(state->call)->output, *scores = state->options->scores;
    if (scores && strcmp(output ? output : "-", scores) == 0)
        return pf_fail(PF_EARG, "--scores and the answers go to one file, %s", toolfst_name(scores));
    if (!(state->reader = calloc((size_t)n + 1, sizeof *state->reader))) return pf_nomem();
    if (state->options->alignment) {
        PF_TRY(toolfst_open(state->call, state->options->alignment, &state->reader[0]));
        state->readers = 1;
        PF_TRY(pf_align_reader_new(state->reader[0], PF_ALIGN_AUTO, 1, &state->align));
    }
    for (; state->readers < n; state->readers++) PF_TRY(toolfst_open(state->call, operands[state->readers], &state->reader[state->readers]));
    PF_TRY(toolfst_sink_open(state->call, &state->sink));
    if (!state->options->scores) return PF_OK;
    PF_TRY(toolfst_create(state->call, state->options->scores, &state->scores));
    return pf_writer_text(state->scores, "record\trank\tscore\tdetails\tlength\treference\tties\tproof\tpermutation\twords\n");
}

static pf_err search_all(scorer_state *state) {
    static const pf_record_steps steps = {open_record, search, put_answer, drop, false};
    const tool_specs *input = &state->options->input;
    PF_TRY(open_files(state));
    PF_TRY(toolmap_read(state->call, (int)input->n, (char *const *)input->at, &steps, state));
    PF_TRY(close_references(state));
    if (state->options->corpus != TOOL_NOT_GIVEN) PF_TRY(put_choices(state));
    PF_TRY(toolfst_sink_close(&state->sink));
    return state->scores ? pf_writer_close(state->scores) : PF_OK;
}

static void say_sum(scorer_state *state) {
    if (state->metric != BLEU) {
        tool_say(state->call, "%llu records, %llu proven; %s %.6f in all", (unsigned long long)state->records,
                 (unsigned long long)state->proven, metric_names[state->metric], state->costs + 0.0);
        return;
    }
    pf_oracle_counts *sum = &state->sum;
    double statistics[2 + 2 * PF_ORACLE_ORDER] = {(double)sum->length, (double)sum->reference};
    pf_bleu_options options = pf_bleu_usual();
    pf_bleu bleu;
    options.smoothing = PF_SMOOTH_NONE;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        statistics[2 + n] = (double)sum->match[n];
        statistics[2 + PF_ORACLE_ORDER + n] = (double)sum->total[n];
    }
    pf_bleu_of(&options, statistics, &bleu);
    char bound[60] = "";
    double most;
    bool corpus = state->options->corpus != TOOL_NOT_GIVEN;
    if (corpus && pf_oracle_choose_bound(state->front.at, state->front.n, sum, !state->options->without_brevity, &most))
        snprintf(bound, sizeof bound, ", at most %.4f", 100 * most);
    tool_say(state->call, "%llu records, %llu %s; corpus BLEU %.4f%s, %llu/%llu/%llu/%llu", (unsigned long long)state->records,
             (unsigned long long)state->proven, corpus ? "with all choices" : "proven", bleu.score, bound,
             (unsigned long long)sum->match[0], (unsigned long long)sum->match[1], (unsigned long long)sum->match[2],
             (unsigned long long)sum->match[3]);
}

static int run(tool_call *call) {
    scorer_state state = {.call = call, .options = tool_options(call)};
    tool_answer_early(call);
    pf_err err = search_all(&state);
    if (!err) say_sum(&state);
    toolfst_sink_free(&state.sink);
    pf_writer_free(state.scores);
    pf_align_reader_free(state.align);
    for (int k = 0; k < state.readers; k++) pf_reader_free(state.reader[k]);
    free(state.reader);
    for (size_t i = 0; i < state.front.n; i++) pf_oracle_front_free(&state.front.at[i]);
    PF_VEC_FREE(&state.front);
    PF_VEC_FREE(&state.kept);
    return tool_status(call, err, state.no_path);
}

const tool permoracle = {
    .name = "permoracle",
    .forms = {"REF...", "--alignment=LINKS"},
    .summary = "Find the path of each automaton that scores best against reference translations",
    .options = rows,
    .size = sizeof(oracle_settings),
    .defaults = &(const oracle_settings){.metric = "bleu", .base = 1, .n_best = 1, .threshold = TOOL_NOT_GIVEN, .seconds = TOOL_NOT_GIVEN, .approximate = TOOL_NOT_GIVEN,
                                    .corpus = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"lazyperm -c ibm:4 hyp.fst | permoracle ref.en | permprint --strings",
                 "permoracle --metric=kendall -i space.fst -a links -s scores.tsv -o best.fst"},
};

TOOL_MAIN(permoracle);
