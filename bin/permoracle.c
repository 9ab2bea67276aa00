/* permoracle: the path of each record that scores best against references. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolsearch.h"
#include "toolwatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    tool_common common;
    tool_specs input;
    uint64_t n_best;
    double seconds, threshold; /* TOOL_NOT_GIVEN */
    uint64_t base;
    bool without_brevity, ties, verbose, lattice;
    const char *metric, *alignment, *joiner, *scores;
    int approximate, corpus; /* places among `approximations` and `corpora`; TOOL_NOT_GIVEN */
    int table;               /* a pf_oracle_table_format; TOOL_NOT_GIVEN */
    tool_specs spaces;
    uint64_t candidates;
    uint64_t memory; /* MiB; 0: not given */
    tool_reals bins;
    const char *chart;
    bool alone, timings;
} oracle_settings;

static const char *const approximations[] = {"clips", "states", "dreyer", NULL}; /* as PF_ORACLE_DREYER and its parts, less 1 */

static const char *const corpora[] = {"independent", "accumulate", "iterate", NULL}; /* as pf_oracle_corpus */

static const char *const table_formats[] = {"text", "tsv", NULL}; /* as pf_oracle_table_format */

/* In a table of corpora the searches end, also in the space of all orders, whose automaton doubles with each word. */
enum { TABLE_STATES = 200000 };

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
    {.name = "memory", .kind = TOOL_NUMBER, .at = AT(memory), .metavar = "MIB", .min = 1, .max = 1 << 30,
     .help = "give the best path found in MIB MiB per record [half of the machine's, divided by --jobs]"},
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
    TOOL_GROUP_OF("Tables"),
    {.name = "table", .kind = TOOL_CHOICE, .at = AT(table), .metavar = "FORM", .words = table_formats, .optional = "text",
     .excludes = "nbest ties approximate corpus lattice scores verbose alignment base",
     .help = "put the sentences that are read in order, in each space of -c, and print a table of their oracles: text (default) "
             "or tsv"},
    {.letter = 'c', .name = "constraint", .kind = TOOL_SPECS, .at = AT(spaces), .metavar = "SPEC",
     .list = toolperm_list_constraints,
     .needs = "table", .help = "a space of the table; ibm:2,3,4 are three (-c list: names)"},
    {.name = "candidates", .kind = TOOL_NUMBER, .at = AT(candidates), .metavar = "N", .min = 1, .max = 1000000, .needs = "table",
     .help = "of a record with answers of permshortest, or of a lattice, put the units of the first N paths in order and take the "
             "best [1]"},
    {.name = "bins", .kind = TOOL_REALS, .at = AT(bins), .metavar = "N,...", .max = 60, .needs = "table",
     .help = "group sentences by their words: up to the first N, up to the second, and so on [5,10,15,20,25,30,35,40]"},
    {.name = "chart", .kind = TOOL_FILE, .at = AT(chart), .metavar = "FILE", .needs = "table",
     .help = "draw BLEU by sentence length to FILE, as SVG"},
    {.name = "timings", .kind = TOOL_FLAG, .at = AT(timings), .needs = "table", .help = "add a column with the seconds of CPU"},
    {.name = "alone", .kind = TOOL_FLAG, .at = AT(alone), .needs = "table",
     .help = "search each space by itself, without what is known from the others"},
    TOOL_GROUP_OF("Output"),
    TOOL_OUTPUT,
    {0},
};

/* The front of a record, for --corpus. */
typedef struct {
    uint64_t record;
    bool failed;
} kept_record;

typedef struct {
    tool_call *call;
    const oracle_settings *options;
    pf_oracle_sources sources;
    pf_reader **reader; /* of the references */
    toolfst_sink sink;
    pf_writer *scores;
    pf_oracle_sum sum;
    PF_VEC(pf_oracle_front) front; /* of all records, with --corpus; and which they are: */
    PF_VEC(kept_record) kept;
    pf_oracle_spaces space;        /* --table */
    PF_VEC(unsigned) bin;
    pf_oracle_table_options form;
    pf_oracle_table *table;
} oracle_state;

/* ---- one record ---- */

static pf_err open_record(void *self, pf_record *r) {
    const oracle_state *state = self;
    pf_fst *fst = NULL;
    pf_oracle_record *own = r->own = calloc(1, sizeof *own);
    if (own) pf_oracle_record_init(own);
    pf_err err = own ? pf_record_open(r, &fst) : pf_nomem();
    return pf_oracle_sources_next(&state->sources, err, own);
}

static void drop(void *self) {
    pf_oracle_record_free(self);
    free(self);
}

static pf_oracle_options limits(const oracle_state *state, tool_clock *clock) {
    const oracle_settings *settings = state->options;
    return (pf_oracle_options){
        .n = (size_t)settings->n_best, .without_brevity = settings->without_brevity, .ties = settings->ties,
        .approximate = settings->approximate == TOOL_NOT_GIVEN ? 0 : (unsigned)settings->approximate + 1,
        .joiner = settings->joiner,
        .max_states = settings->common.max_states, .max_bytes = tool_bytes(settings->memory, settings->common.jobs),
        .all_bytes = !settings->memory, .expired = tool_clock_expired, .progress = tool_clock_states, .self = clock,
    };
}

static pf_err search(void *self, pf_record *r) {
    const oracle_state *state = self;
    const oracle_settings *settings = state->options;
    tool_clock clock = tool_clock_begin(r->call, settings->seconds);
    pf_oracle_record_options options = {.oracle = limits(state, &clock), .front = settings->corpus != TOOL_NOT_GIVEN,
                                        .lattice = settings->lattice,
                                        .threshold = settings->lattice && settings->threshold > 0 ? settings->threshold : 0};
    pf_fst *fst;
    PF_TRY(pf_record_open(r, &fst));
    return pf_oracle_record_search(&state->sources, r->own, fst, &options);
}

/* ---- what is written ---- */

static pf_answer_form form_of(const oracle_state *state) {
    return state->options->lattice ? PF_ANSWER_AS_LATTICE : PF_ANSWER_AS_PATHS;
}

/* What stands for a record that has failed. */
static pf_err put_no_answer(oracle_state *state, uint64_t record) {
    pf_expr *none;
    PF_TRY(pf_expr_of_search(&(pf_answer){.bound = -(double)INFINITY}, form_of(state), &none));
    pf_err err = pf_stream_put(state->sink.stream, none, record);
    pf_expr_free(none);
    return err;
}

/* Keeps the front until all are known. */
static pf_err keep_front(oracle_state *state, pf_record *r) {
    pf_oracle_record *own = r->own;
    PF_TRY(PF_PUSH(&state->kept, ((kept_record){r->record, r->failed})));
    PF_TRY(PF_ROOM(&state->front, 1));
    if (!r->failed && own->front.out_of_memory) {
        tool_say(state->call, "record %llu: the end of memory ended the search", (unsigned long long)r->record);
        tool_failed(state->call);
    }
    state->front.at[state->front.n++] = r->failed ? (pf_oracle_front){.whole = true} : own->front;
    if (!r->failed) own->front = (pf_oracle_front){0};
    return PF_OK;
}

static void say_of_bleu(oracle_state *state, const pf_oracle_answer *answer, unsigned long long record) {
    char proof[PF_ORACLE_PROOF_BYTES];
    const pf_answer *found = &answer->answer;
    pf_oracle_proof(answer, proof);
    if (found->stopped)
        tool_say(state->call, "record %llu: %s ended the search after %llu states: best so far %.6f, %s", record,
                 tool_stop(state->call, found), (unsigned long long)found->states, answer->score, proof);
    else if (state->options->verbose)
        tool_say(state->call, "record %llu: %s %.6f: %llu states, %llu arcs, %s", record, found->search, answer->score,
                 (unsigned long long)found->states, (unsigned long long)found->arcs, proof);
}

static void say_of_figure(oracle_state *state, const pf_answer *found, const pf_fst *fst, unsigned long long record) {
    char words[PF_SEARCHED_BYTES], proof[PF_PROOF_BYTES];
    if (state->options->verbose) tool_say(state->call, "record %llu: %s", record, pf_answer_searched(found, fst, words));
    if (found->stopped)
        tool_say(state->call, "record %llu: %s ended the search: best so far %.6f, %s", record, tool_stop(state->call, found),
                 pf_oracle_figure(&state->sources.metric, &found->paths.at[0]), pf_answer_proof(found, proof));
}

static pf_err put_answer(void *self, pf_record *r) {
    oracle_state *state = self;
    pf_oracle_record *own = r->own;
    pf_fst *fst;
    if (state->options->corpus != TOOL_NOT_GIVEN) return keep_front(state, r);
    if (r->failed) return put_no_answer(state, r->record);
    pf_answer *found = &own->answer.answer;
    PF_TRY(pf_record_open(r, &fst));
    if (found->out_of_memory) tool_failed(state->call); /* the same call may find more elsewhere */
    if (state->sources.metric.kind != PF_ORACLE_BY_BLEU) say_of_figure(state, found, fst, r->record);
    else if (found->paths.n) say_of_bleu(state, &own->answer, r->record);
    if (!found->paths.n) tool_say(state->call, "record %llu has no path", (unsigned long long)r->record);
    pf_oracle_sum_add(&state->sum, &state->sources.metric, &own->answer);
    if (state->scores)
        PF_TRY(pf_oracle_scores_write(&state->sources.metric, &own->answer, !state->options->without_brevity, r->record,
                                      state->scores));
    PF_TRY(pf_expr_of_search(found, form_of(state), &r->out));
    return pf_stream_put(state->sink.stream, r->out, r->record);
}

/* ---- corpora ---- */

static pf_err put_choice(oracle_state *state, size_t i, size_t chosen) {
    pf_oracle_answer answer;
    bool brevity = !state->options->without_brevity;
    pf_expr *out = NULL;
    pf_err err = pf_oracle_choice_answer(&state->front.at[i], chosen, brevity, &answer);
    if (!err && state->scores)
        err = pf_oracle_scores_write(&state->sources.metric, &answer, brevity, state->kept.at[i].record, state->scores);
    if (!err) err = pf_expr_of_search(&answer.answer, PF_ANSWER_AS_PATHS, &out);
    if (!err) err = pf_stream_put(state->sink.stream, out, state->kept.at[i].record);
    pf_expr_free(out);
    pf_oracle_answer_free(&answer);
    return err;
}

static pf_err put_choices(oracle_state *state) {
    size_t n = state->front.n, *chosen = malloc((n + 1) * sizeof *chosen);
    pf_err err = chosen ? PF_OK : pf_nomem();
    bool brevity = !state->options->without_brevity;
    pf_oracle_sum *sum = &state->sum;
    if (!err) pf_oracle_choose(state->front.at, n, (pf_oracle_corpus)state->options->corpus, brevity, chosen, &sum->counts);
    for (size_t i = 0; !err && i < n; i++) {
        sum->records += !state->kept.at[i].failed;
        sum->proven += state->front.at[i].whole && !state->kept.at[i].failed;
        sum->no_path = sum->no_path || (!state->kept.at[i].failed && chosen[i] == SIZE_MAX);
        err = chosen[i] == SIZE_MAX ? put_no_answer(state, state->kept.at[i].record) : put_choice(state, i, chosen[i]);
    }
    free(chosen);
    return err;
}

/* ---- tables ---- */

static double thread_seconds(void *self PF_UNUSED) {
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) ? 0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin_search(void *self) {
    tool_clock *clock = self;
    *clock = tool_clock_begin(clock->call, clock->seconds);
}

static pf_err search_sentence(void *self, pf_record *r) {
    const oracle_state *state = self;
    pf_oracle_record *own = r->own;
    tool_clock clock = tool_clock_begin(r->call, state->options->seconds);
    pf_oracle_table_options form = state->form;
    pf_fst *fst;
    form.search = limits(state, &clock);
    if (!form.search.max_states && state->options->seconds == TOOL_NOT_GIVEN) form.search.max_states = TABLE_STATES;
    form.begin = begin_search;
    form.self = &clock;
    PF_TRY(pf_record_open(r, &fst));
    return pf_oracle_table_sentence(&form, r->in, fst, (const char *const *)own->line.at, own->line.n, &own->sentence);
}

static pf_err keep_sentence(void *self, pf_record *r) {
    oracle_state *state = self;
    pf_oracle_record *own = r->own;
    if (r->failed) return PF_OK;
    if (own->sentence.out_of_memory) {
        tool_say(state->call, "record %llu: the end of memory ended a search", (unsigned long long)r->record);
        tool_failed(state->call);
    }
    return pf_oracle_table_add(state->table, &own->sentence);
}

static pf_err read_bins(oracle_state *state) {
    static const tool_reals usual = {{5, 10, 15, 20, 25, 30, 35, 40}, 8};
    const tool_reals *bins = state->options->bins.n ? &state->options->bins : &usual;
    for (size_t i = 0; i < bins->n; i++) {
        double own = bins->at[i];
        if (!(own >= 1 && own <= PF_MAX_WORDS && own == floor(own)) || (i && own <= bins->at[i - 1]))
            return pf_fail(PF_EARG, "--bins: expected ascending numbers of words, found %g", own);
        PF_TRY(PF_PUSH(&state->bin, (unsigned)own));
    }
    return PF_OK;
}

static pf_err open_table(oracle_state *state) {
    const oracle_settings *settings = state->options;
    const tool_specs usual = {{"none"}, 1}, *specs = settings->spaces.n ? &settings->spaces : &usual;
    if (settings->table == TOOL_NOT_GIVEN) return PF_OK;
    if (state->sources.metric.kind != PF_ORACLE_BY_BLEU)
        return pf_fail(PF_EARG, "--table goes with --metric=bleu, not %s", state->sources.metric.name);
    PF_TRY(read_bins(state));
    for (size_t i = 0; i < specs->n; i++) PF_TRY(pf_oracle_spaces_add(&state->space, specs->at[i]));
    state->form = (pf_oracle_table_options){
        .space = (const char *const *)state->space.at, .spaces = state->space.n, .candidates = (size_t)settings->candidates,
        .bin = state->bin.at, .bins = state->bin.n, .alone = settings->alone, .seconds = thread_seconds,
        .search.without_brevity = settings->without_brevity};
    return pf_oracle_table_new(&state->form, &state->table);
}

static pf_err put_table(oracle_state *state) {
    const char *output = tool_common_of(state->call)->output;
    const char *const paths[] = {output ? output : "-", state->options->chart};
    pf_writer *writer[2] = {NULL, NULL};
    pf_err err = pf_oracle_table_finish(state->table);
    if (!err) err = toolfst_create_all(state->call, paths, writer, 2);
    if (!err)
        err = pf_oracle_table_write(state->table, (pf_oracle_table_format)state->options->table, state->options->timings,
                                    writer[0]);
    if (!err && writer[1]) err = pf_oracle_table_chart(state->table, writer[1]);
    if (!err) err = toolfst_close_outputs(state->call, writer, 2);
    for (int i = 0; i < 2; i++) pf_writer_free(writer[i]);
    return err;
}

/* ---- all of it ---- */

/* Options that go with some metrics only. */
static pf_err check_metric(const oracle_state *state, int operands) {
    static const char *const of_bleu[] = {"no-brevity", "approximate", "corpus"}, *const of_orders[] = {"alignment", "base"};
    const pf_oracle_metric *metric = &state->sources.metric;
    bool orders = pf_oracle_by_order(metric), bleu = metric->kind == PF_ORACLE_BY_BLEU;
    for (size_t i = 0; !bleu && i < 3; i++)
        if (tool_given(state->call, of_bleu[i]))
            return pf_fail(PF_EARG, "--%s goes with --metric=bleu, not %s", of_bleu[i], metric->name);
    if (bleu && tool_given(state->call, "lattice")) return pf_fail(PF_EARG, "--lattice does not go with --metric=bleu");
    for (size_t i = 0; !orders && i < 2; i++)
        if (tool_given(state->call, of_orders[i]))
            return pf_fail(PF_EARG, "--%s goes with --metric=kendall or chunks, not %s", of_orders[i], metric->name);
    if (orders && operands > 1) return pf_fail(PF_EARG, "--metric=%s has one reference, but %d are given", metric->name, operands);
    return PF_OK;
}

/* The sentences of a table, where they are the first of several operands; the others are references. */
static bool names_sentences(const oracle_state *state) {
    char *const *operands;
    return state->options->table != TOOL_NOT_GIVEN && !state->options->input.n && tool_operands(state->call, &operands) > 1;
}

static pf_err open_references(oracle_state *state) {
    char *const *operands;
    int n = tool_operands(state->call, &operands);
    if (names_sentences(state)) operands++, n--;
    pf_oracle_sources *sources = &state->sources;
    const char *links = state->options->alignment;
    PF_TRY(pf_oracle_metric_read(state->options->metric, &sources->metric));
    PF_TRY(check_metric(state, n));
    if (!(state->reader = calloc((size_t)n + 1, sizeof *state->reader))) return pf_nomem();
    sources->reader = state->reader;
    sources->base = (unsigned)state->options->base;
    for (int k = 0; k < (links ? 1 : n); k++) {
        PF_TRY(toolfst_open(state->call, links ? links : operands[k], &state->reader[k]));
        sources->readers++;
    }
    return links ? pf_align_reader_new(state->reader[0], PF_ALIGN_AUTO, 1, &sources->align) : PF_OK;
}

static pf_err open_outputs(oracle_state *state) {
    const char *output = tool_common_of(state->call)->output, *scores = state->options->scores;
    if (state->table) return PF_OK;
    if (scores && strcmp(output ? output : "-", scores) == 0)
        return pf_fail(PF_EARG, "--scores and the answers go to one file, %s", toolfst_name(scores));
    PF_TRY(toolfst_sink_open(state->call, &state->sink));
    if (!scores) return PF_OK;
    PF_TRY(toolfst_create(state->call, scores, &state->scores));
    return pf_oracle_scores_head(state->scores);
}

static pf_err search_all(oracle_state *state) {
    static const pf_record_steps paths = {open_record, search, put_answer, drop, false};
    static const pf_record_steps sentences = {open_record, search_sentence, keep_sentence, drop, false};
    const tool_specs *input = &state->options->input;
    char *const *inputs = (char *const *)input->at;
    int n = (int)input->n;
    PF_TRY(open_references(state));
    PF_TRY(open_table(state));
    PF_TRY(open_outputs(state));
    if (names_sentences(state)) {
        tool_operands(state->call, &inputs);
        tool_take_sentences(state->call);
        n = 1;
    }
    PF_TRY(toolmap_read(state->call, n, inputs, state->table ? &sentences : &paths, state));
    PF_TRY(pf_oracle_sources_end(&state->sources));
    if (state->table) return put_table(state);
    if (state->options->corpus != TOOL_NOT_GIVEN) PF_TRY(put_choices(state));
    PF_TRY(toolfst_sink_close(&state->sink));
    return state->scores ? pf_writer_close(state->scores) : PF_OK;
}

static void say_sum(oracle_state *state) {
    char words[PF_ORACLE_SUM_BYTES];
    double most = NAN;
    bool corpus = state->options->corpus != TOOL_NOT_GIVEN;
    if (corpus && !pf_oracle_choose_bound(state->front.at, state->front.n, &state->sum.counts, !state->options->without_brevity,
                                          &most))
        most = NAN;
    if (!state->table)
        tool_say(state->call, "%s", pf_oracle_sum_words(&state->sum, &state->sources.metric, corpus ? &most : NULL, words));
}

static void close_all(oracle_state *state) {
    toolfst_sink_free(&state->sink);
    pf_writer_free(state->scores);
    pf_align_reader_free(state->sources.align);
    for (size_t k = 0; k < state->sources.readers; k++) pf_reader_free(state->reader[k]);
    free(state->reader);
    for (size_t i = 0; i < state->front.n; i++) pf_oracle_front_free(&state->front.at[i]);
    pf_oracle_spaces_free(&state->space);
    PF_VEC_FREE(&state->front);
    PF_VEC_FREE(&state->kept);
    PF_VEC_FREE(&state->bin);
    pf_oracle_table_free(state->table);
}

static int run(tool_call *call) {
    oracle_state state = {.call = call, .options = tool_options(call)};
    tool_answer_early(call);
    pf_err err = search_all(&state);
    if (!err) say_sum(&state);
    close_all(&state);
    return tool_status(call, err, state.sum.no_path);
}

const tool permoracle = {
    .name = "permoracle",
    .forms = {"REF...", "--alignment=LINKS", "--table REF...", "--table SENTENCES REF..."},
    .summary = "Find the path of each automaton that scores best against reference translations",
    .options = rows,
    .size = sizeof(oracle_settings),
    .defaults = &(const oracle_settings){.metric = "bleu", .base = 1, .n_best = 1, .threshold = TOOL_NOT_GIVEN,
                                         .seconds = TOOL_NOT_GIVEN, .approximate = TOOL_NOT_GIVEN, .corpus = TOOL_NOT_GIVEN,
                                         .table = TOOL_NOT_GIVEN, .candidates = 1},
    .run = run,
    .examples = {"lazyperm -c ibm:4 hyp.fst | permoracle ref.en | permprint --strings",
                 "permoracle --table -c ibm:2,3,4 -c mj:1,2 -c itg hyp.en ref.en"},
};

TOOL_MAIN(permoracle);
