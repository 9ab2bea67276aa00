/* Times the library on sentences, one line each: record, words, cost, seconds, states, arcs, bytes of states and arcs without
 * the table of keys; the least CPU time of K runs. Searches share the tables of moves of all lengths met, as in permshortest.
 *
 *   bench expand CONSTRAINT K < sentences          full expansion of the permutation automaton, all states at once, where the
 *                                                  table of moves is kept: all sentences of a length but the first (K > 1)
 *   bench first CONSTRAINT K < sentences           the same where the table is made: the first sentence of a length
 *   bench visit CONSTRAINT K < sentences           the same on demand, state by state
 *   bench search CONSTRAINT K MODEL < sentences    composition with a model and exact search by levels
 *   bench chart CONSTRAINT K MODEL [BEAM] < sentences   the same by a chart, exactly or with a beam
 *   bench pairs CONSTRAINT K < sentences           search by a chart with costs of pairs alone, drawn at random
 *   bench stacks itg K < sentences                 the states of itg alone, as stacks (tests/itg_stacks.c)
 *   bench states CONSTRAINT K < sentences          those of a constraint alone, in the same way
 *
 * At the end, on stderr: resident memory after loading the model, and at its peak, in KiB. */
#include "../itg_stacks.h"
#include <permfst/permfst.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *mode, *constraint;
    unsigned repeat;
    const pf_model *model;
    pf_moves_store *moves;
    size_t beam;
} job;

typedef struct {
    double seconds, cost;
    uint64_t states, arcs, bytes;
} result;

static void check(pf_err err) {
    if (!err) return;
    fprintf(stderr, "bench: %s\n", pf_message());
    exit(2);
}

static double now(void) {
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
}

static long status_kib(const char *key) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, key, strlen(key)) == 0) kib = strtol(line + strlen(key) + 1, NULL, 10);
    if (status) fclose(status);
    return kib;
}

static pf_fst *sentence(char *line) {
    pf_build build = {0};
    pf_symtab *words;
    pf_fst *fst;
    pf_state state = 0;
    check(pf_symtab_new("words", &words));
    check(pf_build_state(&build, 0));
    for (char *word = strtok(line, " \t"); word; word = strtok(NULL, " \t"), state++) {
        pf_label label;
        check(pf_symtab_add(words, word, strlen(word), &label));
        check(pf_build_arc(&build, state, label, label, 0, state + 1));
    }
    check(pf_build_final(&build, state, 0));
    check(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

static uint64_t bytes_of(const pf_fst *fst) { return fst->arcs.total + fst->state.cap * sizeof *fst->state.at; }

static result expand(pf_fst *perm, pf_moves_store *moves) {
    pf_fst *whole;
    check(pf_expand_shared(perm, 0, moves, &whole));
    result found = {.states = pf_fst_states(whole), .arcs = whole->narcs, .bytes = bytes_of(whole)};
    pf_fst_free(whole);
    return found;
}

static result visit(pf_fst *perm) {
    result found = {0};
    for (pf_state state = 0; state == 0 || state < found.states; state++) {
        pf_arcs arcs = pf_fst_arcs(perm, state);
        for (uint32_t i = 0; i < arcs.n; i++)
            if (arcs.arc[i].to >= found.states) found.states = arcs.arc[i].to + UINT64_C(1);
        found.arcs += arcs.n;
    }
    check(pf_fst_error(perm));
    found.bytes = bytes_of(perm);
    return found;
}

static result best(pf_fst *fst, const job *task) {
    pf_best_options how = {.n = 1, .beam = task->beam, .moves = task->moves};
    pf_answer answer;
    check((strcmp(task->mode, "search") == 0 ? pf_best : pf_chart_best)(fst, &how, &answer));
    result found = {0, answer.paths.n ? answer.paths.at[0].cost : -1, answer.states, answer.arcs, 0};
    pf_answer_free(&answer);
    return found;
}

static result search(pf_fst *perm, const job *task) {
    pf_fst *composed;
    check(pf_score_all(perm, 1, &(pf_scored){task->model, 1}, 1, &composed));
    result found = best(composed, task);
    pf_fst_free(composed);
    return found;
}

/* Costs between -2 and 2, the same in each run. */
static double *draw_pairs(unsigned n) {
    uint64_t seed = 1;
    double *cost = malloc(((size_t)n * n + 1) * sizeof *cost);
    for (size_t i = 0; i < (size_t)n * n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        cost[i] = (double)(seed >> 40) / (1 << 22) - 2;
    }
    return cost;
}

/* Breadth first through the states of a constraint: no machine, no arcs. */
static result walk(const pf_con *con) {
    result found = {0};
    pf_statetab states;
    pf_con_walk at;
    check(pf_con_walk_init(&at, con, 0));
    unsigned char *next = malloc(pf_con_walk_room(&at));
    size_t length = pf_con_walk_start(&at);
    uint32_t id;
    pf_statetab_init(&states, 0);
    check(pf_statetab_intern(&states, at.key, length, &id, NULL));
    for (uint32_t state = 0; state < states.n; state++) {
        const void *key = pf_statetab_key(&states, state, &length);
        pf_con_walk_load(&at, key, length);
        check(pf_con_walk_expand(&at));
        for (unsigned j = pf_con_walk_next(&at, 0); j < con->n; j = pf_con_walk_next(&at, j + 1)) {
            check(pf_statetab_intern(&states, next, pf_con_walk_step(&at, j, next), &id, NULL));
            found.arcs++;
        }
    }
    found.states = states.n;
    pf_statetab_free(&states);
    pf_con_walk_free(&at);
    free(next);
    return found;
}

/* The states of a constraint alone: "states", or "stacks" for itg as stacks. */
static result run_walk(const job *task, unsigned n) {
    result best = {.seconds = 1e99};
    for (unsigned k = 0; k < task->repeat; k++) {
        pf_con *con = NULL;
        double begin = now();
        if (strcmp(task->mode, "stacks") == 0) con = itg_stacks(n);
        else check(pf_con_new(task->constraint, n, &con));
        result found = walk(con);
        found.seconds = now() - begin;
        pf_con_free(con);
        if (found.seconds < best.seconds) best = found;
    }
    return best;
}

static result run(const job *task, pf_fst *linear) {
    result least = {.seconds = 1e99};
    const unsigned n = pf_fst_states(linear) - 1;
    const bool pairs = strcmp(task->mode, "pairs") == 0, visits = strcmp(task->mode, "visit") == 0;
    const bool first = strcmp(task->mode, "first") == 0;
    pf_weight weight = {.spec = "pairwise:-", .cost = pairs ? draw_pairs(n) : NULL, .n = (size_t)n * n};
    pf_perm_spec spec = {.con = &task->constraint, .n_con = 1, .wm = &weight, .n_wm = pairs};
    for (unsigned k = 0; k < task->repeat; k++) {
        pf_fst *perm;
        double begin = now();
        check(pf_perm_lazy(linear, &spec, &perm));
        result found = task->model ? search(perm, task) : pairs ? best(perm, task) : visits ? visit(perm)
                   : expand(perm, first ? NULL : task->moves);
        found.seconds = now() - begin;
        pf_fst_free(perm);
        if (found.seconds < least.seconds) least = found;
    }
    free((void *)weight.cost);
    return least;
}

static pf_blob *load(const char *path) {
    pf_reader *reader;
    pf_stream_reader *stream;
    pf_expr *expr;
    check(pf_reader_open(path, &reader));
    check(pf_stream_reader_new(reader, 1, &stream));
    check(pf_stream_next(stream, &expr));
    if (!expr || !expr->shared) {
        fprintf(stderr, "bench: %s is no compiled model\n", path);
        exit(2);
    }
    pf_blob *blob = pf_blob_ref(expr->shared);
    pf_expr_free(expr);
    pf_stream_reader_free(stream);
    pf_reader_free(reader);
    return blob;
}

/* As the programs do (bin/tool.c), and as the peer does. */
static void keep_memory(void) {
    mallopt(M_TRIM_THRESHOLD, 1 << 27);
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
}

int main(int argc, char **argv) {
    const bool scored = argc > 1 && (strcmp(argv[1], "search") == 0 || strcmp(argv[1], "chart") == 0);
    if (argc < 4 || scored != (argc >= 5) || argc > 6) {
        fprintf(stderr, "usage: bench expand|first|visit|search|chart|pairs|states|stacks CONSTRAINT REPEAT [MODEL [BEAM]] "
                        "< sentences\n");
        return 2;
    }
    job task = {.mode = argv[1], .constraint = argv[2], .repeat = (unsigned)strtoul(argv[3], NULL, 10),
             .beam = argc == 6 ? strtoul(argv[5], NULL, 10) : 0};
    bool alone = strncmp(task.mode, "sta", 3) == 0;
    keep_memory();
    pf_blob *blob = NULL;
    if (scored) {
        blob = load(argv[4]);
        check(pf_open_model(blob, &task.model));
    }
    check(pf_moves_store_new(1 << 28, &task.moves));
    long loaded = status_kib("VmRSS");
    pf_reader *in;
    check(pf_reader_open("-", &in));
    for (unsigned long record = 1;; record++) {
        char *line;
        size_t length;
        check(pf_reader_line(in, &line, &length));
        if (!line) break;
        pf_fst *linear = sentence(line);
        result found = alone ? run_walk(&task, pf_fst_states(linear) - 1) : run(&task, linear);
        printf("%lu\t%u\t%.6f\t%.9f\t%llu\t%llu\t%llu\n", record, pf_fst_states(linear) - 1, found.cost, found.seconds,
               (unsigned long long)found.states, (unsigned long long)found.arcs, (unsigned long long)found.bytes);
        pf_fst_free(linear);
    }
    fprintf(stderr, "loaded_kib=%ld peak_kib=%ld\n", loaded, status_kib("VmHWM"));
    pf_reader_free(in);
    pf_blob_free(blob);
    pf_moves_store_free(task.moves);
    return 0;
}
