/* Bytes are made into a small machine, and its best paths are found in every way that there is: level by level, by A*, with beams
 * and thresholds, by arcs, and by a list of all paths, which shares nothing with the searches. */
#include "fuzz.h"

#include <permfst/io/sentence.h>
#include <permfst/machine/build.h>
#include <permfst/model/ngram.h>
#include <permfst/ops/score.h>
#include <permfst/permute/perm.h>
#include <permfst/verbs/search.h>

#include <math.h>
#include <string.h>

enum { LONGEST = 4, MOST_ARCS = 12, MOST_PATHS = 5000, STATES = 5, N_BEST = 5 };

/* The next byte, below `limit`; 0 after the last one. */
static unsigned below(pf_reader *reader, unsigned limit) {
    unsigned char byte = 0;
    size_t got;
    MUST(!pf_reader_some(reader, &byte, 1, &got));
    return byte % limit;
}

/* ---- all paths ---- */

typedef struct {
    double cost;
    size_t n;
    pf_label in[MOST_ARCS], out[MOST_ARCS];
} a_path;

typedef struct {
    PF_VEC(a_path) at;
    bool too_many;
} path_list;

static void walk(pf_fst *fst, pf_state state, a_path so_far, path_list *all) {
    float final = pf_fst_final(fst, state);
    if (all->at.n == MOST_PATHS) all->too_many = true;
    if (all->too_many) return;
    if (final < INFINITY) {
        a_path whole = so_far;
        whole.cost += (double)final;
        MUST(!PF_PUSH(&all->at, whole));
    }
    pf_arcs arcs = pf_fst_arcs(fst, state);
    for (uint32_t i = 0; i < arcs.n; i++) {
        a_path longer = so_far;
        MUST(longer.n < MOST_ARCS);
        longer.cost += (double)arcs.arc[i].w;
        longer.in[longer.n] = arcs.arc[i].in;
        longer.out[longer.n++] = arcs.arc[i].out;
        if (longer.cost < (double)INFINITY) walk(fst, arcs.arc[i].to, longer, all);
    }
}

/* By cost, arcs, inputs; outputs are left to the tests of best.h: their order is that of strings. */
static int compare(const void *a, const void *b) {
    const a_path *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    for (size_t i = 0; i < x->n; i++)
        if (x->in[i] != y->in[i]) return x->in[i] < y->in[i] ? -1 : 1;
    return 0;
}

/* ---- searches ---- */

static bool is_like(const a_path *want, const pf_path *got) {
    bool same = want->cost == got->cost && want->n == got->n;
    for (size_t i = 0; same && i < got->n; i++) same = want->in[i] == got->arc[i].in;
    return same;
}

/* The first paths of the list. */
static void exact(pf_fst *fst, pf_search search, const path_list *all, size_t n, pf_moves_store *moves) {
    pf_answer answer;
    pf_err err = pf_search_best(fst, &(pf_best_options){.search = search, .n = n, .moves = moves}, &answer);
    if (err == PF_EARG || err == PF_ELIMIT) return; /* this search is not for this machine; a sum that no float holds */
    MUST(!err);
    size_t found = all->at.n < n ? all->at.n : n;
    MUST(answer.paths.n == found && pf_answer_optimal(&answer));
    for (size_t i = 0; i < found; i++) MUST(is_like(&all->at.at[i], &answer.paths.at[i]));
    pf_answer_free(&answer);
}

/* What is pruned has a path of the list, and a bound that no path is below. */
static void pruned(pf_fst *fst, pf_best_options how, const path_list *all) {
    pf_answer answer;
    pf_err err = pf_search_best(fst, &how, &answer);
    if (err == PF_EARG || err == PF_ELIMIT) return;
    MUST(!err && (answer.paths.n > 0) <= (all->at.n > 0));
    if (all->at.n) MUST(answer.bound <= all->at.at[0].cost);
    if (answer.paths.n) MUST(answer.paths.at[0].cost >= all->at.at[0].cost);
    if (how.widen && answer.paths.n) MUST(answer.paths.at[0].cost <= all->at.at[0].cost + how.gap);
    pf_answer_free(&answer);
}

/* As many outputs as there are in the list. */
static void unique(pf_fst *fst, const path_list *all) {
    size_t different = 0;
    pf_answer answer;
    pf_err err = pf_search_best(fst, &(pf_best_options){.n = MOST_PATHS, .unique = PF_UNIQUE_INPUTS}, &answer);
    if (err == PF_EARG || err == PF_ELIMIT) return;
    MUST(!err);
    for (size_t i = 0; i < all->at.n; i++) {
        bool fresh = true;
        const a_path *one = &all->at.at[i];
        for (size_t k = 0; fresh && k < i; k++) {
            const a_path *other = &all->at.at[k];
            fresh = one->n != other->n || memcmp(one->in, other->in, one->n * sizeof *one->in) != 0;
        }
        different += fresh;
    }
    MUST(answer.paths.n == different);
    pf_answer_free(&answer);
}

static size_t search_all(pf_fst *fst, bool has_epsilons) {
    static const pf_search searches[] = {PF_SEARCH_AUTO, PF_SEARCH_LEVELS, PF_SEARCH_ASTAR, PF_SEARCH_CHART};
    path_list all = {0};
    pf_moves_store *moves;
    if (fst->start != PF_NO_STATE) walk(fst, fst->start, (a_path){0}, &all);
    if (!all.too_many && !pf_fst_error(fst)) {
        if (all.at.n) qsort(all.at.at, all.at.n, sizeof *all.at.at, compare);
        for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
            exact(fst, searches[i], &all, 1, NULL);
            exact(fst, searches[i], &all, N_BEST, NULL);
        }
        MUST(!pf_moves_store_new(0, &moves));
        exact(fst, PF_SEARCH_LEVELS, &all, 1, moves);
        exact(fst, PF_SEARCH_LEVELS, &all, N_BEST, moves);
        pruned(fst, (pf_best_options){.beam = 1, .moves = moves}, &all);
        pf_moves_store_free(moves);
        pruned(fst, (pf_best_options){.beam = 1}, &all);
        pruned(fst, (pf_best_options){.threshold = 0.5}, &all);
        pruned(fst, (pf_best_options){.beam = 2, .widen = true, .gap = 0.25}, &all);
        pruned(fst, (pf_best_options){.max_states = 3}, &all);
        if (!has_epsilons && all.at.n < 200) unique(fst, &all);
    }
    size_t paths = all.at.n;
    PF_VEC_FREE(&all.at);
    return paths > 0;
}

/* ---- permutation automata with a model ---- */

/* A bigram model of a and b; its costs are quarters, and may be negative after a scale. */
static void make_model(pf_reader *reader, pf_model *out) {
    char text[600];
    pf_reader *arpa;
    double cost[8];
    for (int i = 0; i < 8; i++) cost[i] = -0.25 * below(reader, 16);
    int n = snprintf(text, sizeof text,
                     "\\data\\\nngram 1=5\nngram "
                     "2=2\n\n\\1-grams:\n%g\t<unk>\n-99\t<s>\t%g\n%g\t</s>\n%g\ta\t%g\n%g\tb\n\n\\2-grams:\n"
                     "%g\t<s> a\n%g\ta b\n\n\\end\\\n",
                     cost[0], cost[1], cost[2], cost[3], cost[4], cost[5], cost[6], cost[7]);
    MUST(n > 0 && (size_t)n < sizeof text && !pf_reader_memory(text, (size_t)n, "model", &arpa));
    MUST(!pf_ngram_read_arpa(arpa, NULL, NULL, out));
    pf_reader_free(arpa);
}

/* Slots in a row, with an alternative here and there. */
static pf_fst *make_slots(pf_reader *reader) {
    static const char *const words[] = {"a", "b", "c"};
    pf_symtab *table;
    pf_build build = {0};
    pf_fst *fst;
    unsigned n = below(reader, LONGEST + 1);
    MUST(!pf_symtab_new("words", &table) && !pf_build_state(&build, n) && !pf_build_final(&build, n,
                                                                                          0.25f * (float)below(reader, 4)));
    for (unsigned j = 0; j < n; j++)
        for (unsigned k = 0, alternatives = 1 + below(reader, 4) / 3; k < alternatives; k++) {
            pf_label label;
            MUST(!pf_symtab_add(table, words[below(reader, 3)], 1, &label));
            MUST(!pf_build_arc(&build, j, label, label, 0.25f * (float)((int)below(reader, 12) - 2), j + 1));
        }
    MUST(!pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, table, table);
    pf_symtab_free(table);
    return fst;
}

size_t fuzz_searches(pf_reader *reader, pf_writer *writer PF_UNUSED, unsigned variant PF_UNUSED) {
    static const char *const cons[] = {"none", "ibm:2", "inverse-ibm:2", "itg", "mj:1", "jump:2", "itg+ibm:2", "ibm:2|mj:1",
                                       "local:3", "wall:1", "itg-mj:1", "inverse:jump:2"};
    static const char *const wms[] = {"monotone:0.75", "distance:0.5", "inversions:0.25", "jumps:1", "early-distance:0.5"};
    const char *con = cons[below(reader, sizeof cons / sizeof *cons)];
    pf_weight wm = {.spec = wms[below(reader, sizeof wms / sizeof *wms)]};
    double scale = 0.5 * ((int)below(reader, 6) - 2), own = 0.5 * (1 + (int)below(reader, 3));
    pf_model model;
    pf_fst *slots, *permuted, *scored;
    size_t accepted = 0;
    make_model(reader, &model);
    slots = make_slots(reader);
    pf_perm_spec spec = {.con = &con, .n_con = 1, .wm = &wm, .n_wm = below(reader, 2)};
    pf_scored by = {&model, scale};
    if (!pf_perm_lazy(slots, &spec, &permuted)) {
        MUST(!pf_score_all(permuted, own, &by, below(reader, 3) > 0, &scored));
        accepted = search_all(scored, false);
        pf_fst_free(scored);
        pf_fst_free(permuted);
    }
    pf_fst_free(slots);
    pf_model_free(&model);
    return accepted;
}

/* ---- word graphs under itg ---- */

/* Each node has an arc to the next one, and others to any after it; now and then one that says nothing. */
static pf_fst *make_graph(pf_reader *reader) {
    static const char *const words[] = {"a", "b", "c"};
    pf_symtab *table;
    pf_build build = {0};
    pf_fst *fst;
    const unsigned n = below(reader, LONGEST + 1);
    MUST(!pf_symtab_new("words", &table) && !pf_build_state(&build, n) && !pf_build_final(&build, n,
                                                                                          0.25f * (float)below(reader, 4)));
    for (unsigned node = 0; node < n; node++)
        for (unsigned k = 0, arcs = 1 + below(reader, 3); k < arcs; k++) {
            pf_label label;
            const unsigned to = node + 1 + (k ? below(reader, n - node) : 0);
            MUST(!pf_symtab_add(table, words[below(reader, 3)], 1, &label));
            if (!below(reader, 8)) label = PF_EPSILON;
            MUST(!pf_build_arc(&build, node, label, label, 0.25f * (float)((int)below(reader, 12) - 2), to));
        }
    MUST(!pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, table, table);
    pf_symtab_free(table);
    return fst;
}

size_t fuzz_graphs(pf_reader *reader, pf_writer *writer PF_UNUSED, unsigned variant PF_UNUSED) {
    static const char *const itg = "itg";
    const double scale = 0.5 * ((int)below(reader, 6) - 2), own = 0.5 * (1 + (int)below(reader, 3));
    const pf_perm_spec spec = {.con = &itg, .n_con = 1};
    pf_model model;
    pf_fst *permuted, *scored;
    make_model(reader, &model);
    pf_fst *graph = make_graph(reader);
    const pf_scored by = {&model, scale};
    MUST(!pf_perm_lazy(graph, &spec, &permuted));
    MUST(!pf_score_all(permuted, own, &by, below(reader, 3) > 0, &scored));
    const size_t accepted = search_all(scored, false);
    pf_fst_free(scored);
    pf_fst_free(permuted);
    pf_fst_free(graph);
    pf_model_free(&model);
    return accepted;
}

/* ---- any machine without cycles ---- */

size_t fuzz_machines(pf_reader *reader, pf_writer *writer PF_UNUSED, unsigned variant PF_UNUSED) {
    pf_build build = {0};
    pf_fst *fst;
    bool has_epsilons = false;
    unsigned arcs = below(reader, MOST_ARCS), least = below(reader, 3);
    MUST(!pf_build_state(&build, STATES - 1));
    for (unsigned state = 0; state < STATES; state++)
        if (state == STATES - 1 || !below(reader, 3)) MUST(!pf_build_final(&build, state, 0.5f * (float)below(reader, 6)));
    while (arcs--) {
        unsigned from = below(reader, STATES - 1), to = from + 1 + below(reader, STATES - 1 - from);
        pf_label in = (pf_label)below(reader, 3), out = (pf_label)below(reader, 3);
        has_epsilons = has_epsilons || !in;
        MUST(!pf_build_arc(&build, from, in, out, 0.5f * (float)((int)below(reader, 12) - (int)least), to));
    }
    MUST(!pf_build_finish(&build, PF_STANDARD, 0, &fst));
    size_t accepted = search_all(fst, has_epsilons);
    pf_fst_free(fst);
    return accepted;
}
