/* permshortest: the best paths of each record. */
#include "toolmap.h"
#include "toolsearch.h"
#include "toolwatch.h"

#include <math.h>

typedef struct {
    tool_common common;
    uint64_t n_best, beam, memory; /* MiB; 0: not given */
    double threshold, gap, seconds; /* TOOL_NOT_GIVEN */
    bool as_fst, lattice, scores, names, verbose;
    const char *reference, *verify;
    int search, unique, profile, start, units; /* a pf_search; places in `uniques`, `profiles` and `starts`; a pf_grouping */
    double node[2]; /* straight, inverted */
    const char *spans;
} search_settings;

enum { SEARCH, VERIFY }; /* forms */
static const char *const searches[] = {"auto", "levels", "astar", "chart", NULL}; /* as pf_search */
static const char *const uniques[] = {"output", "permutation", NULL};    /* after the first of pf_unique */

enum { PROFILE_TSV, PROFILE_SVG };
static const char *const profiles[] = {"tsv", "svg", NULL};
static const char *const groupings[] = {"any", "contiguous", "extended", NULL}; /* as pf_grouping */
static const char *const starts[] = {"words", "runs", NULL};

#define AT(FIELD) offsetof(search_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    {0, "verify", TOOL_FILE, AT(verify), "ANSWERS", .help = "only check each path of these answers"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH), .help = "What is searched"},
    {0, "unique", TOOL_CHOICE, AT(unique), "WHAT", .words = uniques, .optional = "output", .excludes = "lattice",
     .help = "paths that differ in output or permutation"},
    {0, "search", TOOL_CHOICE, AT(search), "HOW", .words = searches,
     .help = "levels, astar, chart (orders of itg), auto [auto]"},
    {'r', "reference", TOOL_FILE, AT(reference), "FILE",
     .help = "say what the order on each line of FILE costs"},
    {0, "time", TOOL_REAL, AT(seconds), "SECONDS", .help = "give the best answer found in SECONDS per record"},
    TOOL_MAX_STATES(NULL, "give the best answer found in N states per pass"),
    {0, "memory", TOOL_NUMBER, AT(memory), "MIB", .min = 1, .max = 1 << 30,
     .help = "give the best answer found in MIB MiB [half of all]"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH), .excludes = "search=astar",
     .help = "How many paths are kept (not with --search=astar)"},
    {'n', "nbest", TOOL_NUMBER, AT(n_best), "N", .min = 1, .max = 1000000000, .excludes = "lattice",
     .help = "find the N best paths [1]"},
    {'b', "beam", TOOL_NUMBER, AT(beam), "N", .min = 1, .max = 1000000000,
     .help = "keep only the N best hypotheses of each level"},
    {'t', "threshold", TOOL_REAL, AT(threshold), "COST",
     .help = "keep only what costs up to COST more than the best"},
    {'g', "gap", TOOL_REAL, AT(gap), "COST",
     .help = "widen the beam until the gap is proven to be COST"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH), .excludes = "search=levels search=astar lattice scores reference",
     .help = "What trees cost (orders of itg, by a chart)"},
    {0, "straight", TOOL_REAL, AT(node[0]), "COST", .help = "the cost of a node that is visited left to right [0]"},
    {0, "inverted", TOOL_REAL, AT(node[1]), "COST", .help = "the cost of a node that is visited right to left [0]"},
    {0, "start", TOOL_CHOICE, AT(start), "LEAVES", .words = starts, .help = "leaves are words, or runs of words, too [words]"},
    {0, "spans", TOOL_FILE, AT(spans), "FILE", .help = "add the costs of spans in FILE, a block per record"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH),
     .excludes = "search=levels search=astar scores reference straight inverted start spans",
     .help = "What units of several words may be (translations under itg, by a chart)"},
    {0, "units", TOOL_CHOICE, AT(units), "WHICH", .words = groupings,
     .help = "any, contiguous or extended (around a block) [any]"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH), .help = "What is written"},
    {0, "lattice", TOOL_FLAG, AT(lattice), .excludes = "fst search=astar",
     .help = "write an automaton of all paths up to --threshold"},
    {0, "fst", TOOL_FLAG, AT(as_fst), .help = "write an automaton, as fstshortestpath does"},
    {0, "scores", TOOL_FLAG, AT(scores), .excludes = "lattice fst reference",
     .help = "write n best lists as Moses does, with all scores"},
    {0, "names", TOOL_FLAG, AT(names), .needs = "scores",
     .help = "write the names of records, not their numbers"},
    {0, "profile", TOOL_CHOICE, AT(profile), "FORM", .words = profiles, .optional = "tsv",
     .excludes = "lattice fst scores reference search=astar search=chart",
     .help = "write what was done at each level: tsv (default) or svg"},
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "report what was searched for each record"},
    TOOL_OUTPUT,
    {0},
};

/* ---- how it is searched ---- */

static pf_best_options best_options(const search_settings *options) {
    return (pf_best_options){
        .search = (pf_search)options->search, .n = (size_t)options->n_best, .unique = (pf_unique)(1 + options->unique),
        .beam = (size_t)options->beam, .grouping = (pf_grouping)options->units, .lattice = options->lattice,
        .profile = options->profile != TOOL_NOT_GIVEN,
        .threshold = options->lattice ? options->threshold : tool_threshold(options->threshold),
        .widen = options->gap >= 0, .gap = options->gap, .max_states = options->common.max_states,
        .max_bytes = tool_bytes(options->memory, options->common.jobs), .all_bytes = !options->memory};
}

static bool trees_cost(const search_settings *options) {
    return options->node[0] > 0 || options->node[1] > 0 || options->start || options->spans;
}

#define MANY_STATES 1e8 /* of the permutation automaton alone: gigabytes */


static pf_err search(void *self, pf_record *record) {
    const pf_searcher *searcher = self;
    tool_clock clock = tool_clock_begin(record->call, ((const search_settings *)tool_options(record->call))->seconds);
    pf_best_options best = searcher->best;
    best.expired = tool_clock_expired;
    best.progress = tool_clock_states;
    best.self = &clock;
    return pf_searcher_work(searcher, record, &best);
}

static pf_err search_records(tool_call *call, pf_searcher *searcher, int count, const char *const *operands) {
    const search_settings *options = tool_options(call);
    const pf_record_steps steps = {pf_searcher_open, search, pf_searcher_finish, pf_searcher_drop,
                                   options->scores || searcher->profile};
    PF_TRY(toolfst_open(call, options->spans, &searcher->spans));
    if (options->scores || searcher->profile) return toolmap_text(call, &steps, searcher, "", NULL);
    PF_TRY(toolfst_open(call, options->reference, &searcher->references));
    tool_answer_early(call);
    PF_TRY(toolmap_records(call, count, operands, &steps, searcher, pf_searcher_end));
    if (options->reference) pf_searched_say(&searcher->done, options->reference, tool_say_words, call);
    return PF_OK;
}

static int search_all(tool_call *call, int count, const char *const *operands) {
    const search_settings *options = tool_options(call);
    pf_searcher searcher = {.best = best_options(options), .scores = options->scores, .names = options->names,
                            .verbose = options->verbose, .say = tool_say_words, .interrupted = tool_interrupted,
                            .most_coverages = options->seconds < 0 ? MANY_STATES : (double)INFINITY,
                            .form = options->lattice ? PF_ANSWER_AS_LATTICE : options->as_fst ? PF_ANSWER_AS_FST
                                                                                              : PF_ANSWER_AS_PATHS};
    searcher.profile = searcher.best.profile;
    searcher.picture = options->profile == PROFILE_SVG;
    const pf_tree_costs trees = {.node = {options->node[0], options->node[1]}, .runs = options->start > 0};
    if (trees_cost(options)) searcher.best.trees = &trees;
    pf_err err = pf_moves_store_new(TOOL_MOVES_BYTES, &searcher.best.moves);
    if (!err) err = search_records(call, &searcher, count, operands);
    pf_moves_store_free(searcher.best.moves);
    pf_reader_free(searcher.references);
    pf_reader_free(searcher.spans);
    if (searcher.done.out_of_memory) tool_failed(call);
    return tool_status(call, err, searcher.done.without_path > 0);
}

/* ---- --verify ---- */

static int verify(tool_call *call, const char *answers, int count, const char *const *operands) {
    pf_verifier verifier = {.say = tool_say_words};
    char words[PF_VERIFIED_BYTES];
    pf_err err = toolfst_source_open(call, answers, &verifier.answers);
    if (!err) err = toolmap_read(call, count, operands, &pf_verifier_steps, &verifier);
    if (!err) err = pf_verifier_end(&verifier);
    if (!err) tool_say(call, "%s", pf_verified_words(&verifier.done, words));
    pf_source_free(verifier.answers);
    return tool_status(call, err, verifier.done.wrong > 0);
}

static int run(tool_call *call) {
    const char *const *operands;
    int count = tool_operands(call, &operands);
    if (tool_form(call) == SEARCH) return search_all(call, count, operands);
    return verify(call, ((const search_settings *)tool_options(call))->verify, count, operands);
}

const tool permshortest = {
    .name = "permshortest",
    .summary = "Find the best paths of automata, permutation automata and compositions",
    .forms = {"[FILE...]", "--verify=ANSWERS [FILE...]"},
    .options = rows,
    .size = sizeof(search_settings),
    .defaults = &(const search_settings){.n_best = 1, .threshold = TOOL_NOT_GIVEN, .gap = TOOL_NOT_GIVEN, .seconds = TOOL_NOT_GIVEN,
                                 .unique = TOOL_NOT_GIVEN, .profile = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"permshortest -n 10 --unique composed.fst | permprint",
                 "permshortest --gap=0.5 --time=10 -j 2 composed.fst -o best.fst"},
};

TOOL_MAIN(permshortest);
