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
     .help = "widen the beam until COST is proven to be the gap"},
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

static pf_best_options best_options(const search_settings *o) {
    return (pf_best_options){
        .search = (pf_search)o->search, .n = (size_t)o->n_best, .unique = (pf_unique)(1 + o->unique), .beam = (size_t)o->beam,
        .grouping = (pf_grouping)o->units, .lattice = o->lattice, .profile = o->profile != TOOL_NOT_GIVEN,
        .threshold = o->lattice ? o->threshold : tool_threshold(o->threshold), .widen = o->gap >= 0, .gap = o->gap,
        .max_states = o->common.max_states, .max_bytes = tool_bytes(o->memory, o->common.jobs), .all_bytes = !o->memory};
}

static bool trees_cost(const search_settings *o) { return o->node[0] > 0 || o->node[1] > 0 || o->start || o->spans; }

#define MANY_STATES 1e8 /* of the permutation automaton alone: gigabytes */

static void say(void *call, const char *words) { tool_say(call, "%s", words); }
static bool interrupted(void *call) { return tool_interrupted(call); }

static pf_err search(void *self, pf_record *r) {
    const pf_searcher *s = self;
    tool_clock clock = tool_clock_begin(r->call, ((const search_settings *)tool_options(r->call))->seconds);
    pf_best_options best = s->best;
    best.expired = tool_clock_expired;
    best.progress = tool_clock_states;
    best.self = &clock;
    return pf_searcher_work(s, r, &best);
}

static pf_err search_records(tool_call *call, pf_searcher *s, int n, char *const *operands) {
    const search_settings *o = tool_options(call);
    const pf_record_steps steps = {pf_searcher_open, search, pf_searcher_finish, pf_searcher_drop, o->scores || s->profile};
    if (o->spans) PF_TRY(toolfst_open(call, o->spans, &s->spans));
    if (o->scores || s->profile) return toolmap_text(call, &steps, s, "", NULL);
    if (o->reference) PF_TRY(toolfst_open(call, o->reference, &s->references));
    tool_answer_early(call);
    PF_TRY(toolmap_records(call, n, operands, &steps, s, pf_searcher_end));
    if (o->reference) pf_searched_say(&s->done, o->reference, say, call);
    return PF_OK;
}

static int search_all(tool_call *call, int n, char *const *operands) {
    const search_settings *o = tool_options(call);
    pf_searcher s = {.best = best_options(o), .scores = o->scores, .names = o->names, .verbose = o->verbose, .say = say,
                     .interrupted = interrupted,
                     .most_coverages = o->seconds < 0 ? MANY_STATES : (double)INFINITY,
                     .form = o->lattice ? PF_ANSWER_AS_LATTICE : o->as_fst ? PF_ANSWER_AS_FST : PF_ANSWER_AS_PATHS};
    s.profile = s.best.profile;
    s.picture = o->profile == PROFILE_SVG;
    const pf_tree_costs trees = {.node = {o->node[0], o->node[1]}, .runs = o->start > 0};
    if (trees_cost(o)) s.best.trees = &trees;
    pf_err err = pf_moves_store_new(TOOL_MOVES_BYTES, &s.best.moves);
    if (!err) err = search_records(call, &s, n, operands);
    pf_moves_store_free(s.best.moves);
    pf_reader_free(s.references);
    pf_reader_free(s.spans);
    if (s.done.out_of_memory) tool_failed(call);
    return tool_status(call, err, s.done.without_path > 0);
}

/* ---- --verify ---- */

static void say_wrong(void *call, uint64_t record, const pf_path *path, size_t rank, double cost) {
    unsigned long long number = record;
    if (isinf(cost)) tool_say(call, "record %llu: path %zu is not a path of the automaton", number, rank);
    else tool_say(call, "record %llu: path %zu costs %.9g in the automaton, but %.9g in the answer", number, rank, cost,
                  path->cost);
}

static int verify(tool_call *call, const char *answers, int n, char *const *operands) {
    pf_verifier v = {.wrong = say_wrong};
    pf_err err = toolfst_source_open(call, answers, &v.answers);
    if (!err) err = toolmap_read(call, n, operands, &pf_verifier_steps, &v);
    if (!err) err = pf_verifier_end(&v);
    if (!err)
        tool_say(call, "%llu answers with %llu paths: %llu wrong", (unsigned long long)v.done.records,
                 (unsigned long long)v.done.paths, (unsigned long long)v.done.wrong);
    pf_source_free(v.answers);
    return tool_status(call, err, v.done.wrong > 0);
}

static int run(tool_call *call) {
    char *const *operands;
    int n = tool_operands(call, &operands);
    if (tool_form(call) == SEARCH) return search_all(call, n, operands);
    return verify(call, ((const search_settings *)tool_options(call))->verify, n, operands);
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
