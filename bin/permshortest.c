/* permshortest: the best paths of each record. */
#include "toolmap.h"
#include "toolsearch.h"
#include "toolwatch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    tool_common common;
    uint64_t n_best, beam;
    double threshold, gap, seconds; /* TOOL_NOT_GIVEN */
    bool as_fst, lattice, scores, verbose;
    const char *reference, *verify;
    int search, unique; /* a pf_search, and a place in `uniques` */
} search_settings;

enum { SEARCH, VERIFY }; /* forms */
static const char *const searches[] = {"auto", "levels", "astar", "chart", NULL}; /* as pf_search */
static const char *const uniques[] = {"output", "permutation", NULL};    /* after the first of pf_unique */

#define AT(FIELD) offsetof(search_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    {0, "verify", TOOL_FILE, AT(verify), "ANSWERS", .help = "only check each path of these answers"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH), .help = "What is searched"},
    {'n', "nbest", TOOL_NUMBER, AT(n_best), "N", .min = 1, .max = 1000000000, .excludes = "lattice search=astar",
     .help = "find the N best paths [1]"},
    {0, "unique", TOOL_CHOICE, AT(unique), "WHAT", .words = uniques, .optional = "output", .excludes = "lattice",
     .help = "paths that differ in their output (default) or in their permutation"},
    {0, "search", TOOL_CHOICE, AT(search), "HOW", .words = searches,
     .help = "levels, astar (best-first), chart (spans; orders of itg) or auto [auto]"},
    {'r', "reference", TOOL_FILE, AT(reference), "FILE",
     .help = "say what the order on each line of FILE costs, and why another one is preferred"},
    {0, "time", TOOL_REAL, AT(seconds), "SECONDS", .help = "give the best answer found in SECONDS per record"},
    TOOL_MAX_STATES(NULL, "give the best answer found in N states per pass"),
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH), .excludes = "search=astar", .help = "With a beam (not with --search=astar)"},
    {'b', "beam", TOOL_NUMBER, AT(beam), "N", .min = 1, .max = 1000000000,
     .help = "keep only the N best hypotheses of each level"},
    {'t', "threshold", TOOL_REAL, AT(threshold), "COST",
     .help = "keep only hypotheses of a level, or paths of --lattice, up to COST above the best"},
    {'g', "gap", TOOL_REAL, AT(gap), "COST",
     .help = "widen the beam until the answer is proven to be within COST of the best"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(SEARCH), .help = "What is written"},
    {0, "lattice", TOOL_FLAG, AT(lattice), .excludes = "fst search=astar",
     .help = "write an automaton of all paths up to --threshold"},
    {0, "fst", TOOL_FLAG, AT(as_fst), .help = "write an automaton, as fstshortestpath does"},
    {0, "scores", TOOL_FLAG, AT(scores), .excludes = "lattice fst reference",
     .help = "write n best lists as Moses does, with the scores of all operands"},
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "report what was searched for each record"},
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const search_settings *o;
    pf_reader *references;
    uint64_t verdict[PF_VERDICTS]; /* how often */
    bool no_path;
} searcher;

/* Of one record. */
typedef struct {
    pf_reference_order *reference;
    pf_answer answer; /* goes to r->out where that is an answer */
} one;

/* ---- how it is searched ---- */

static pf_best_options best_options(const search_settings *o) {
    pf_best_options best = {.search = (pf_search)o->search, .n = (size_t)o->n_best, .beam = (size_t)o->beam,
                            .unique = (pf_unique)(1 + o->unique), .lattice = o->lattice, .threshold = o->threshold,
                            .widen = o->gap >= 0, .gap = o->gap, .max_states = o->common.max_states};
    /* A threshold of 0 keeps what costs as much as the best; for the library 0 is none. */
    if (o->threshold == 0 && !o->lattice) best.threshold = DBL_TRUE_MIN;
    return best;
}

static pf_answer_form form(const search_settings *o) {
    return o->lattice ? PF_ANSWER_AS_LATTICE : o->as_fst ? PF_ANSWER_AS_FST : PF_ANSWER_AS_PATHS;
}

/* ---- what is said ---- */

#define MANY_STATES 1e8 /* of the permutation automaton alone: gigabytes */

/* An exact search that will hardly end says so before it begins. */
static void warn_of_size(const searcher *s, pf_fst *fst, uint64_t record) {
    pf_best_options best = best_options(s->o);
    double states = s->o->seconds >= 0 ? 0 : pf_best_size(fst, &best);
    if (states > MANY_STATES)
        tool_say(s->call, "warning: record %llu: an exact search may visit up to %.2g coverages, times their histories; see --beam "
                 "and --max-states", (unsigned long long)record, states);
}

static void report(tool_call *call, const pf_fst *fst, const pf_answer *a, uint64_t record) {
    char words[PF_SEARCHED_BYTES];
    tool_say(call, "record %llu: %s", (unsigned long long)record, pf_answer_searched(a, fst, words));
}

/* What a limit has left. */
static void report_stop(tool_call *call, const pf_answer *a, uint64_t record) {
    char proof[PF_PROOF_BYTES];
    tool_say(call, "record %llu: %s ended the search after %llu states: best so far %.6f, %s", (unsigned long long)record, tool_stop(call, a),
             (unsigned long long)a->states, a->paths.at[0].cost, pf_answer_proof(a, proof));
}

/* ---- one record ---- */

static bool interrupted(void *call) { return tool_interrupted(call); }

/* Opened in order, as the references are read beside the records. */
static pf_err open_record(void *self, pf_record *r) {
    searcher *s = self;
    pf_fst *fst = NULL;
    one *own = r->own = calloc(1, sizeof *own);
    pf_err err = own ? pf_record_open(r, &fst) : pf_nomem();
    if (!err) warn_of_size(s, fst, r->record);
    return s->references ? pf_reference_next(s->references, fst, err, own ? &own->reference : NULL) : err;
}

static void drop(void *self) {
    one *own = self;
    pf_reference_order_free(own->reference);
    pf_answer_free(&own->answer);
    free(own);
}

/* The paths as text. */
static pf_err write_scores(const pf_answer *a, pf_record *r) {
    size_t n = pf_features_count(r->in);
    double *features = calloc(a->paths.n * n + 1, sizeof *features);
    if (!features) return pf_nomem();
    pf_err err = pf_features_of(r->in, a, features);
    if (!err) err = pf_features_write(r->text, a, r->record, features, n);
    free(features);
    return err;
}

static pf_err search(void *self, pf_record *r) {
    const searcher *s = self;
    tool_clock clock = tool_clock_begin(r->call, s->o->seconds);
    pf_best_options best = best_options(s->o);
    one *own = r->own;
    pf_answer *a = &own->answer;
    pf_fst *fst;
    best.expired = tool_clock_expired;
    best.progress = tool_clock_states;
    best.self = &clock;
    PF_TRY(pf_record_open(r, &fst));
    PF_TRY(pf_search_best(fst, &best, a));
    if (s->o->scores) return write_scores(a, r);
    if (own->reference) PF_TRY(pf_answer_compare(a, own->reference, interrupted, r->call));
    return pf_expr_of_search(a, form(s->o), &r->out);
}

static void say_answer(searcher *s, const pf_answer *a, const pf_record *r) {
    if (s->o->verbose) report(s->call, pf_opened_fst(r->opened), a, r->record);
    /* Memory is a limit that nobody has set: the same call may find more elsewhere. */
    if (a->out_of_memory) tool_failed(s->call);
    if (a->stopped) report_stop(s->call, a, r->record);
    if (a->compared) s->verdict[pf_answer_verdict(a)]++;
    if (a->paths.n) return;
    tool_say(s->call, "record %llu has no path", (unsigned long long)r->record);
    s->no_path = true;
}

/* A record that failed has an answer without a path. */
static pf_err finish(void *self, pf_record *r) {
    searcher *s = self;
    if (!r->out) return pf_expr_of_search(&(pf_answer){.bound = -(double)INFINITY}, form(s->o), &r->out);
    say_answer(s, r->out->kind == PF_EXPR_BEST ? r->out->answer : &((const one *)r->own)->answer, r);
    return PF_OK;
}

static pf_err finish_scores(void *self, pf_record *r) {
    if (!r->failed) say_answer(self, &((const one *)r->own)->answer, r);
    return PF_OK;
}

static void say_verdicts(const searcher *s) {
    char words[200] = "";
    for (int v = 0, n = 0; v < PF_VERDICTS; v++)
        n += snprintf(words + n, sizeof words - (size_t)n, "%s%llu %s", v ? ", " : "", (unsigned long long)s->verdict[v],
                      pf_verdict_name((pf_verdict)v));
    tool_say(s->call, "references: %s", words);
}

static pf_err end(void *self) {
    const searcher *s = self;
    return s->references ? pf_reference_end(s->references) : PF_OK;
}

static pf_err search_all(searcher *s, int n, char *const *operands) {
    static const pf_record_steps steps = {open_record, search, finish, drop, false};
    static const pf_record_steps to_scores = {open_record, search, finish_scores, drop, true};
    if (s->o->scores) return toolmap_text(s->call, &to_scores, s, "");
    if (s->o->reference) PF_TRY(toolfst_open(s->call, s->o->reference, &s->references));
    tool_answer_early(s->call);
    PF_TRY(toolmap_records(s->call, n, operands, &steps, s, end));
    if (s->references) say_verdicts(s);
    return PF_OK;
}

/* ---- --verify ---- */

static void say_wrong(void *call, uint64_t record, const pf_path *path, size_t rank, double cost) {
    unsigned long long number = record;
    if (isinf(cost)) tool_say(call, "record %llu: path %zu is not a path of the automaton", number, rank);
    else tool_say(call, "record %llu: path %zu costs %.9g in the automaton, but %.9g in the answer", number, rank, cost, path->cost);
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
    searcher s = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    if (tool_form(call) == VERIFY) return verify(call, s.o->verify, n, operands);
    pf_err err = search_all(&s, n, operands);
    pf_reader_free(s.references);
    return tool_status(call, err, s.no_path);
}

const tool permshortest = {
    .name = "permshortest",
    .summary = "Find the best paths of automata, permutation automata and compositions",
    .forms = {"[FILE...]", "--verify=ANSWERS [FILE...]"},
    .options = rows,
    .size = sizeof(search_settings),
    .defaults = &(const search_settings){.n_best = 1, .threshold = TOOL_NOT_GIVEN, .gap = TOOL_NOT_GIVEN, .seconds = TOOL_NOT_GIVEN,
                                 .unique = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"permshortest -n 10 --unique composed.fst | permprint",
                 "permshortest --gap=0.5 --time=10 -j 2 composed.fst -o best.fst"},
};

TOOL_MAIN(permshortest);
