/* permoracle: the path of each record that scores best against references. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolsearch.h"
#include "toolwatch.h"

#include <string.h>

typedef struct {
    tool_common common;
    tool_specs input;
    uint64_t n_best;
    double seconds, threshold; /* the former TOOL_NOT_GIVEN */
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

/* As PF_ORACLE_DREYER and its parts, less 1: none is 0. */
static const char *const approximations[] = {"clips", "states", "dreyer", NULL};

static const char *const corpora[] = {"independent", "accumulate", "iterate", NULL}; /* as pf_oracle_corpus */

static const char *const table_formats[] = {"text", "tsv", NULL}; /* as pf_oracle_table_format */

#define AT(FIELD) offsetof(oracle_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {'i', "input", TOOL_FILES, AT(input), "FILE", .help = "read automata from FILE instead of standard input"},
    {0, "joiner", TOOL_TEXT, AT(joiner), "TEXT", .help = "TEXT joins words: with --joiner=-, to-me is 2 words"},
    TOOL_OF_RECORDS,
    {.kind = TOOL_GROUP, .needs = "metric=kendall metric=chunks", .help = "Orders as references (with --metric=kendall or chunks)"},
    {'a', "alignment", TOOL_FILE, AT(alignment), "LINKS", .help = "unfold LINKS to orders"},
    {0, "base", TOOL_NUMBER, AT(base), "N", .min = 0, .max = 1, .excludes = "alignment",
     .help = "the first position is 0 or 1 [1]"},
    TOOL_GROUP_OF("What is searched"),
    {'m', "metric", TOOL_TEXT, AT(metric), "WORD", .excludes = "metric=kendall|chunks+REF>1",
     .help = "bleu, linear-bleu[:P,R], kendall, chunks, wer [bleu]"},
    {0, "no-brevity", TOOL_FLAG, AT(without_brevity), .needs = "metric=bleu", .help = "leave out the brevity penalty"},
    {0, "time", TOOL_REAL, AT(seconds), "SECONDS", .help = "give the best path found in SECONDS per record"},
    TOOL_MAX_STATES(NULL, "give the best path found in N states"),
    {0, "memory", TOOL_NUMBER, AT(memory), "MIB", .min = 1, .max = 1 << 30,
     .help = "give the best path found in MIB MiB [half of all]"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    {.kind = TOOL_GROUP, .excludes = "table", .help = "What paths are found (not with --table)"},
    {'n', "nbest", TOOL_NUMBER, AT(n_best), "N", .min = 1, .max = 1000000, .excludes = "lattice",
     .help = "find the N best paths [1]"},
    {0, "ties", TOOL_FLAG, AT(ties), .excludes = "lattice", .help = "count the paths with the best score"},
    {.kind = TOOL_GROUP, .needs = "metric=bleu", .excludes = "table nbest ties",
     .help = "For bleu (not with -n, --ties or --table)"},
    {0, "approximate", TOOL_CHOICE, AT(approximate), "WHAT", .words = approximations,
     .help = "dreyer, or its clips or states"},
    {0, "corpus", TOOL_CHOICE, AT(corpus), "HOW", .words = corpora, .excludes = "approximate",
     .help = "independent, accumulate, iterate"},
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0, "table", TOOL_CHOICE, AT(table), "FORM", .words = table_formats, .optional = "text", .needs = "metric=bleu",
     .help = "print oracles: text or tsv"},
    {.kind = TOOL_GROUP, .excludes = "table", .help = "What is written of paths (not with --table)"},
    {0, "lattice", TOOL_FLAG, AT(lattice), .excludes = "metric=bleu", .help = "write an automaton of the best"},
    {'t', "threshold", TOOL_REAL, AT(threshold), "COST", .needs = "lattice",
     .help = "also keep paths up to COST worse [0]"},
    {'s', "scores", TOOL_FILE, AT(scores), "FILE", .excludes = "lattice", .help = "write a line for each path to FILE"},
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "report what was searched for each record"},
    {.kind = TOOL_GROUP, .needs = "table", .help = "What a table has (with --table)"},
    {'c', "constraint", TOOL_SPECS, AT(spaces), "SPEC", .list = toolperm_list_constraints,
     .help = "a space; ibm:2,3,4 are three (-c list: names)"},
    {0, "candidates", TOOL_NUMBER, AT(candidates), "N", .min = 1, .max = 1000000,
     .help = "permute the units of the first N paths [1]"},
    {0, "bins", TOOL_REALS, AT(bins), "N,...", .max = 60, .help = "group sentences by words [5,10,15,20,25,30,35,40]"},
    {0, "chart", TOOL_FILE, AT(chart), "FILE", .help = "draw BLEU by length to FILE, as SVG"},
    {0, "timings", TOOL_FLAG, AT(timings), .help = "add a column with the CPU seconds"},
    {0, "alone", TOOL_FLAG, AT(alone), .help = "search each space without what others have found"},
    {0},
};

/* In a table of corpora the searches end, also in the space of all orders, whose automaton doubles with each word. */
enum { TABLE_STATES = 200000 };

typedef struct {
    pf_oracle_searcher searcher; /* the first: steps get it */
    const oracle_settings *options;
    tool_call *call;
    toolfst_sink sink;
    int count; /* files that are searched */
    const char *const *inputs;
} oracle_state;

static pf_err search(void *self, pf_record *record) {
    tool_clock clock = tool_clock_begin(record->call, ((const oracle_settings *)tool_options(record->call))->seconds);
    return pf_oracle_searcher_work(self, record, &clock);
}

static pf_err open_file(void *call, const char *path, pf_reader **out) { return toolfst_open(call, path, out); }

static pf_oracle_options search_options(const oracle_settings *settings) {
    return (pf_oracle_options){
        .n = (size_t)settings->n_best, .without_brevity = settings->without_brevity, .ties = settings->ties,
        .approximate = (unsigned)(settings->approximate + 1), .joiner = settings->joiner,
        .max_states = settings->common.max_states, .max_bytes = tool_bytes(settings->memory, settings->common.jobs),
        .all_bytes = !settings->memory, .expired = tool_clock_expired, .progress = tool_clock_states,
    };
}

/* In a table the first of several operands has sentences, unless the files to be searched are given. */
static pf_err open_references(oracle_state *state) {
    const oracle_settings *settings = state->options;
    pf_oracle_sources *sources = &state->searcher.sources;
    const char *const *operands;
    int count = tool_operands(state->call, &operands);
    state->inputs = settings->input.at;
    state->count = (int)settings->input.n;
    if (settings->table != TOOL_NOT_GIVEN && !state->count && count > 1) {
        state->inputs = operands++;
        state->count = 1;
        count--;
        tool_take_sentences(state->call);
    }
    PF_TRY(pf_oracle_metric_read(settings->metric, &sources->metric));
    sources->base = (unsigned)settings->base;
    return pf_oracle_sources_open(sources, operands, (size_t)count, settings->alignment, open_file, state->call);
}

static pf_err search_records(oracle_state *state) {
    static const pf_record_steps steps = {pf_oracle_searcher_open, search, pf_oracle_searcher_finish, pf_oracle_searcher_drop,
                                          false};
    PF_TRY(toolmap_read(state->call, state->count, state->inputs, &steps, state));
    return pf_oracle_searcher_end(&state->searcher);
}

static pf_err search_table(void *self, pf_writer *const *writers) {
    oracle_state *state = self;
    const oracle_settings *settings = state->options;
    pf_oracle_table_options table = {
        .space = settings->spaces.at, .spaces = settings->spaces.n, .candidates = (size_t)settings->candidates,
        .bin = settings->bins.at, .bins = settings->bins.n, .alone = settings->alone, .begin = tool_clock_again,
        .seconds = tool_clock_worked, .search = state->searcher.search.oracle};
    const pf_oracle_table_outputs out = {(pf_oracle_table_format)settings->table, settings->timings, {writers[0], writers[1]}};
    if (!settings->common.max_states && settings->seconds == TOOL_NOT_GIVEN) table.search.max_states = TABLE_STATES;
    PF_TRY(pf_oracle_table_new(&table, &state->searcher.table));
    PF_TRY(search_records(state));
    return pf_oracle_table_put(state->searcher.table, &out);
}

static pf_err search_paths(void *self, pf_writer *const *writers) {
    oracle_state *state = self;
    state->searcher.scores = writers[0];
    if (writers[0]) PF_TRY(pf_oracle_scores_head(writers[0]));
    PF_TRY(toolfst_sink_open(state->call, &state->sink));
    state->searcher.stream = state->sink.stream;
    PF_TRY(search_records(state));
    return toolfst_sink_close(&state->sink);
}

static pf_err search_all(oracle_state *state) {
    const oracle_settings *settings = state->options;
    const char *const output = toolfst_output(state->call), *const of_table[] = {output, settings->chart};
    PF_TRY(open_references(state));
    if (settings->table != TOOL_NOT_GIVEN) return toolfst_write_all(state->call, of_table, 2, search_table, state);
    if (settings->scores && strcmp(output, settings->scores) == 0)
        return pf_fail(PF_EARG, "--scores and the answers go to one file, %s", toolfst_name(output));
    return toolfst_write_all(state->call, &settings->scores, 1, search_paths, state);
}

static int run(tool_call *call) {
    const oracle_settings *settings = tool_options(call);
    char words[PF_ORACLE_SUM_BYTES + PF_ORACLE_TABLE_BYTES];
    oracle_state state = {.call = call, .options = settings, .searcher = {
        .search = {.oracle = search_options(settings), .front = settings->corpus != TOOL_NOT_GIVEN, .lattice = settings->lattice,
                   .threshold = settings->threshold},
        .corpus = settings->corpus == TOOL_NOT_GIVEN ? PF_CORPUS_INDEPENDENT : (pf_oracle_corpus)settings->corpus,
        .verbose = settings->verbose, .say = tool_say_words, .interrupted = tool_interrupted}};
    const pf_oracle_searcher *searcher = &state.searcher;
    tool_answer_early(call);
    pf_err err = search_all(&state);
    if (!err && !searcher->table) tool_say_words(call, pf_oracle_searcher_words(searcher, words));
    else if (!err && pf_oracle_table_words(searcher->table, words)) tool_say_words(call, words);
    if (searcher->out_of_memory) tool_failed(call);
    toolfst_sink_free(&state.sink);
    pf_oracle_searcher_free(&state.searcher);
    return tool_status(call, err, searcher->sum.no_path);
}

const tool permoracle = {
    .name = "permoracle",
    .forms = {"REF...", "--alignment=LINKS", "--table [SENTENCES] REF..."},
    .summary = "Find the path of each automaton that scores best against reference translations",
    .options = rows,
    .size = sizeof(oracle_settings),
    .defaults = &(const oracle_settings){.metric = "bleu", .base = 1, .n_best = 1,
                                         .seconds = TOOL_NOT_GIVEN, .approximate = TOOL_NOT_GIVEN, .corpus = TOOL_NOT_GIVEN,
                                         .table = TOOL_NOT_GIVEN, .candidates = 1},
    .run = run,
    .examples = {"lazyperm -c ibm:4 hyp.fst | permoracle ref.en | permprint --strings",
                 "permoracle --table -c ibm:2,3,4 -c mj:1,2 -c itg hyp.en ref.en"},
};

TOOL_MAIN(permoracle);
