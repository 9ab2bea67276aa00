/* permshortest: the best paths of each record. */
#include "toolmap.h"
#include "toolref.h"
#include "toolverify.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOT_GIVEN (-1.0)

static uint64_t n_best = 1, beam, max_states;
static double threshold = NOT_GIVEN, gap = NOT_GIVEN, seconds = NOT_GIVEN;
static bool as_fst, lattice, verbose;
static const char *reference_file, *verify, *how = "auto", *different;

static const char *const searches[] = {"auto", "levels", "astar", NULL}; /* in the order of pf_search */
static const char *const uniques[] = {"output", "permutation", NULL};    /* after the first of pf_unique */

static const tool_option options[] = {
    {.letter = 'n', .name = "nbest", .kind = TOOL_NUMBER, .to = &n_best, .metavar = "N", .min = 1, .max = 1000000000,
     .help = "the N best paths [1]"},
    {.name = "unique", .kind = TOOL_CHOICE, .to = &different, .metavar = "WHAT", .words = uniques,
     .optional = "output", .help = "N paths that differ in their output words (the default), or in their permutation (input labels)"},
    {.name = "search", .kind = TOOL_CHOICE, .to = &how, .metavar = "HOW", .words = searches,
     .help = "auto, level by level, or astar: best-first with a bound of what is left [auto]"},
    {.letter = 'b', .name = "beam", .kind = TOOL_NUMBER, .to = &beam, .metavar = "N", .min = 1, .max = 1000000000,
     .help = "keep the N best hypotheses of each level"},
    {.letter = 't', .name = "threshold", .kind = TOOL_REAL, .to = &threshold, .metavar = "COST",
     .help = "keep the hypotheses of a level that cost at most so much more than its best one; with --lattice: its paths"},
    {.letter = 'g', .name = "gap", .kind = TOOL_REAL, .to = &gap, .metavar = "COST",
     .help = "widen the beam until the answer is proven to cost at most so much more than the least possible"},
    {.name = "time", .kind = TOOL_REAL, .to = &seconds, .metavar = "SECONDS",
     .help = "of a record at most: then the search ends with the best answer so far"},
    {.name = "max-states", .kind = TOOL_NUMBER, .to = &max_states, .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "the same where a pass of a search visits more than N states"},
    {.letter = 'r', .name = "reference", .kind = TOOL_FILE, .to = &reference_file, .metavar = "FILE",
     .help = "a line of words for each record: say what it costs, and why another order is preferred"},
    {.name = "verify", .kind = TOOL_FILE, .to = &verify, .metavar = "FILE",
     .help = "search nothing: check the answers in FILE, path by path and from the automata alone"},
    {.name = "lattice", .kind = TOOL_FLAG, .to = &lattice,
     .help = "write all paths that cost at most --threshold more than the best one, as an automaton"},
    {.name = "fst", .kind = TOOL_FLAG, .to = &as_fst,
     .help = "write the paths as an automaton, laid out as by fstshortestpath"},
    {.letter = 'v', .name = "verbose", .kind = TOOL_FLAG, .to = &verbose,
     .help = "say what was searched for each record"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOLFST_RECORDS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permshortest = {
    .name = "permshortest",
    .operands = "[FILE...]",
    .summary = "Find the best paths of automata, permutation automata and compositions",
    .options = options,
    .max_operands = SIZE_MAX,
};

typedef struct {
    toolfst_sink sink;
    pf_reader *references;
    uint64_t verdict[PF_VERDICTS]; /* how often */
    bool no_path;
} searcher;

/* Of one record. */
typedef struct {
    toolref reference;
    pf_answer answer; /* goes to r->out where that is an answer */
} one;

/* "optimal", or "gap <= 1.73". */
static const char *how_good(const pf_answer *a) {
    static char words[40];
    if (pf_answer_optimal(a)) return "optimal";
    if (pf_answer_gap(a) == (double)INFINITY) return "not proven optimal";
    snprintf(words, sizeof words, "gap <= %.6f", pf_answer_gap(a));
    return words;
}

static void report(const pf_fst *fst, const pf_answer *a, uint64_t record) {
    const pf_con *con = pf_fst_space(fst);
    char ahead[64] = "", reference[80] = "";
    if (con && con->looks_ahead)
        snprintf(ahead, sizeof ahead, ", %llu states looked ahead", (unsigned long long)pf_con_probes(con));
    if (a->compared && a->reference < (double)INFINITY)
        snprintf(reference, sizeof reference, "; reference %.6f, %s", a->reference, pf_verdict_name(pf_answer_verdict(a)));
    else if (a->compared) snprintf(reference, sizeof reference, "; reference not admitted");
    tool_say("record %llu: %zu path%s, %s: %llu states, %llu arcs%s, %s%s", (unsigned long long)record, a->paths.n,
             a->paths.n == 1 ? "" : "s", a->search, (unsigned long long)a->states, (unsigned long long)a->arcs, ahead,
             how_good(a), reference);
}

#define MANY_STATES 1e8 /* of the permutation automaton alone: gigabytes */

/* An exact search that will hardly end says so before it begins. */
static void warn_of_size(const pf_fst *fst, uint64_t record) {
    const pf_con *con = pf_fst_space(fst);
    bool prunes = beam || gap >= 0 || (threshold >= 0 && !lattice);
    if (!con || prunes || max_states || seconds >= 0) return;
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    double states = size.machine ? mpz_get_d(size.states) : 0; /* infinity where it is past all doubles */
    pf_con_size_clear(&size);
    if (states > MANY_STATES)
        tool_say("warning: record %llu: an exact search visits up to %.2g sets of positions, times histories; see --beam and "
                 "--max-states", (unsigned long long)record, states);
}

/* What a limit has left. */
static void report_stop(const pf_answer *a, uint64_t record) {
    tool_say("record %llu: %s has ended the search after %llu states: best so far %.6f, %s", (unsigned long long)record,
             tool_interrupted() ? "Ctrl-C" : "a limit", (unsigned long long)a->states, a->paths.at[0].cost, how_good(a));
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool expired(void *start) { return tool_interrupted() || (seconds >= 0 && now() - *(double *)start > seconds); }

/* Opened in order, as the references are read beside the records. */
static pf_err open_record(void *self, toolmap_record *r) {
    searcher *s = self;
    pf_fst *fst;
    one *own = r->own = calloc(1, sizeof *own);
    pf_err err = own ? toolmap_open(r, &fst) : pf_nomem();
    if (err) return s->references ? toolref_skip(s->references, err) : err;
    warn_of_size(fst, r->record);
    return s->references ? toolref_next(s->references, fst, &own->reference) : PF_OK;
}

static void drop(void *self) {
    one *own = self;
    toolref_end(&own->reference);
    pf_answer_free(&own->answer);
    free(own);
}

/* The place of a word of a table. */
static unsigned place(const char *const *words, const char *word) {
    unsigned i = 0;
    while (strcmp(words[i], word) != 0) i++;
    return i;
}

/* A threshold of 0 keeps what costs as much as the best; for the library 0 is none. */
static double level_threshold(void) { return threshold == 0 && !lattice ? DBL_TRUE_MIN : threshold; }

/* The lattice of an answer, empty without a path, with the answer's symbol tables. */
static pf_err take_lattice(pf_answer *a, pf_fst **out) {
    *out = a->lattice;
    a->lattice = NULL;
    if (!*out) PF_TRY(pf_fst_new(a->type, NULL, NULL, out));
    pf_fst_set_symbols(*out, a->isyms, a->osyms);
    return PF_OK;
}

/* What is written of an answer: itself, which is empty then, or an automaton. */
static pf_err to_write(pf_answer *a, pf_expr **out) {
    pf_fst *fst;
    if (!as_fst && !lattice) return pf_expr_of_answer(a, out);
    PF_TRY(lattice ? take_lattice(a, &fst) : pf_answer_fst(a, &fst));
    return pf_expr_of_fst(fst, out);
}

static pf_err search(void *self, toolmap_record *r) {
    double start = now();
    one *own = r->own;
    pf_answer *a = &own->answer;
    pf_fst *fst;
    pf_best_options o = {.search = (pf_search)place(searches, how), .n = (size_t)n_best, .beam = (size_t)beam,
                         .unique = different ? (pf_unique)(1 + place(uniques, different)) : PF_UNIQUE_PATHS, .lattice = lattice,
                         .threshold = level_threshold(), .widen = gap >= 0, .gap = gap, .max_states = max_states,
                         .expired = expired, .progress = tool_states, .self = &start};
    PF_TRY(toolmap_open(r, &fst));
    PF_TRY(pf_best(fst, &o, a));
    a->compared = ((const searcher *)self)->references;
    if (a->compared) PF_TRY(toolref_cost(&own->reference, &a->reference));
    return to_write(a, &r->out);
}

/* What stands for a record that failed: an answer without a path. */
static pf_err no_answer(searcher *s, uint64_t record) {
    pf_expr *none;
    pf_answer answer = {.bound = -(double)INFINITY};
    pf_err err = to_write(&answer, &none);
    pf_answer_free(&answer);
    if (err) return err;
    err = pf_stream_put(s->sink.stream, none, record);
    pf_expr_free(none);
    return err;
}

static pf_err put_answer(void *self, toolmap_record *r) {
    searcher *s = self;
    if (!r->out) return no_answer(s, r->record);
    const pf_answer *a = r->out->kind == PF_EXPR_BEST ? r->out->answer : &((const one *)r->own)->answer;
    if (verbose) report(pf_opened_fst(r->opened), a, r->record);
    if (a->stopped) report_stop(a, r->record);
    if (a->compared) s->verdict[pf_answer_verdict(a)]++;
    if (!a->paths.n) {
        tool_say("record %llu has no path", (unsigned long long)r->record);
        s->no_path = true;
    }
    return pf_stream_put(s->sink.stream, r->out, r->record);
}

static void say_verdicts(const searcher *s) {
    char words[200] = "";
    for (int v = 0, n = 0; v < PF_VERDICTS; v++)
        n += snprintf(words + n, sizeof words - (size_t)n, "%s%llu %s", v ? ", " : "", (unsigned long long)s->verdict[v],
                      pf_verdict_name((pf_verdict)v));
    tool_say("references: %s", words);
}

static pf_err search_all(searcher *s, int n, char **operands, bool *failed) {
    static const toolmap_steps steps = {open_record, search, put_answer, drop, false};
    if (reference_file) PF_TRY(toolfst_open(reference_file, &s->references));
    PF_TRY(toolfst_sink_open(&s->sink));
    PF_TRY(toolmap_read(n, operands, &steps, s, failed));
    if (reference_file) PF_TRY(toolref_close(s->references));
    PF_TRY(toolfst_sink_close(&s->sink));
    if (reference_file) say_verdicts(s);
    return PF_OK;
}

/* Options that exclude one another. */
static pf_err check_options(void) {
    if (lattice && as_fst) return pf_fail(PF_EARG, "a record is either a lattice (--lattice) or some paths (--fst)");
    if (lattice && different) return pf_fail(PF_EARG, "--unique is of paths one by one: not with --lattice");
    if (verify && (n_best > 1 || beam || threshold >= 0 || gap >= 0 || seconds >= 0 || max_states || reference_file || lattice ||
                   as_fst || different || verbose || strcmp(how, "auto") != 0))
        return pf_fail(PF_EARG, "--verify searches nothing: it goes without options of a search");
    if (lattice && n_best > 1) return pf_fail(PF_EARG, "--lattice has all paths up to --threshold: it goes without --nbest");
    if (strcmp(how, "astar") == 0 && (n_best > 1 || beam || threshold >= 0 || gap >= 0 || lattice))
        return pf_fail(PF_EARG, "--search=astar finds one path, exactly: search for more, or with a beam, by levels");
    return PF_OK;
}

static int run(int n, char **operands) {
    searcher s = {0};
    bool failed = false;
    if (check_options()) return tool_trouble();
    if (verify) return toolverify_run(verify, n, operands);
    tool_answer_early();
    pf_err err = search_all(&s, n, operands, &failed);
    toolfst_sink_free(&s.sink);
    pf_reader_free(s.references);
    if (err) return tool_trouble();
    return failed ? TOOL_TROUBLE : s.no_path ? TOOL_NO : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permshortest, argc, argv, run); }
