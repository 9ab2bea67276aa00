#include "draw.h"
#include "paths.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int compare_labels(const pf_label *one, const pf_label *other, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
    return 0;
}

static int compare_words(const path *one, const path *other) {
    for (unsigned at = 0; at < one->n; at++) {
        if (one->out[at] == other->out[at]) continue;
        const char *x = one->osyms && one->out[at] ? pf_symtab_name(one->osyms, one->out[at], NULL) : NULL;
        const char *y = one->osyms && other->out[at] ? pf_symtab_name(one->osyms, other->out[at], NULL) : NULL;
        return x && y ? strcmp(x, y) : one->out[at] < other->out[at] ? -1 : 1;
    }
    return 0;
}

/* Cost, number of arcs, inputs, outputs. */
static int compare_paths(const void *x, const void *y) {
    const path *one = x, *other = y;
    if (one->cost != other->cost) return one->cost < other->cost ? -1 : 1;
    if (one->n != other->n) return one->n < other->n ? -1 : 1;
    int in = compare_labels(one->in, other->in, one->n);
    return in ? in : compare_words(one, other);
}

/* Every path of at most MAX_ARCS arcs and of a cost up to `most`. */
static void walk(pf_fst *fst, pf_state state, path *now, double most, paths *out) {
    float final = pf_fst_final(fst, state);
    pf_arcs arcs = pf_fst_arcs(fst, state);
    double cost = now->cost;
    if (final != INFINITY && cost + (double)final <= most) {
        now->cost = cost + (double)final;
        assert_int_equal(PF_PUSH(&out->at, *now), PF_OK);
    }
    for (uint32_t at = 0; at < arcs.n && now->n < MAX_ARCS; at++) {
        now->cost = cost + (double)arcs.arc[at].w;
        if (now->cost > most) continue;
        now->in[now->n] = arcs.arc[at].in;
        now->out[now->n++] = arcs.arc[at].out;
        walk(fst, arcs.arc[at].to, now, most, out);
        now->n--;
    }
    now->cost = cost;
}

paths all_paths(pf_fst *fst, double most) {
    paths out = {0};
    path start = {.osyms = fst->osyms};
    if (fst->start != PF_NO_STATE) walk(fst, fst->start, &start, most, &out);
    if (out.at.n) qsort(out.at.at, out.at.n, sizeof(path), compare_paths);
    return out;
}

void expect_path(const path *want, const pf_path *got) {
    assert_true(want->cost == got->cost);
    size_t n = got->n;
    assert_int_equal(want->n, n);
    for (size_t at = 0; at < n; at++) {
        assert_int_equal(want->in[at], got->arc[at].in);
        assert_int_equal(want->out[at], got->arc[at].out);
    }
}

static bool has_path_of_cost(const paths *all, double cost) {
    for (size_t k = 0; k < all->at.n; k++)
        if (all->at.at[k].cost == cost) return true;
    return false;
}

void expect_certificate(const pf_answer *answer, const paths *all, size_t n) {
    const size_t listed = answer->paths.n, most = all->at.n < n ? all->at.n : n, proven = pf_answer_proven(answer);
    assert_true(listed <= most);
    for (size_t at = 0; at < most; at++) {
        const double cost = at < listed ? answer->paths.at[at].cost : (double)INFINITY, best = all->at.at[at].cost;
        assert_true(best >= fmin(cost, answer->bound));
        assert_true(at >= proven || cost == best);
        if (at >= listed) continue;
        assert_true(cost >= best && cost - best <= pf_answer_gap(answer) && has_path_of_cost(all, cost));
        assert_true(!at || cost >= answer->paths.at[at - 1].cost);
        if (pf_answer_optimal(answer) && !answer->stopped) expect_path(&all->at.at[at], &answer->paths.at[at]);
    }
    if (pf_answer_optimal(answer)) assert_int_equal(listed, most);
}

void expect_best_of_chart(pf_fst *fst, const paths *all, const pf_best_options *options) {
    pf_answer answer;
    if (pf_chart_best(fst, options, &answer)) fail_msg("%s", pf_message());
    assert_int_equal(answer.paths.n, options->n < all->at.n ? options->n : all->at.n);
    for (size_t i = 0; i < answer.paths.n; i++) expect_path(&all->at.at[i], &answer.paths.at[i]);
    assert_true(pf_answer_optimal(&answer));
    pf_answer_free(&answer);
}

void expect_claims_of_chart(pf_fst *fst, const paths *all, pf_best_options options) {
    for (options.n = 1; options.n <= 7; options.n += 3) {
        pf_answer answer;
        if (pf_chart_best(fst, &options, &answer)) fail_msg("%s", pf_message());
        assert_true(answer.paths.n || !all->at.n);
        expect_certificate(&answer, all, options.n);
        if (options.widen) assert_true(answer.bound == (double)INFINITY || pf_answer_gap(&answer) <= options.gap);
        pf_answer_free(&answer);
    }
}

/* ---- sentences and models ---- */

pf_model model;

int read_model(void **state) {
    (void)state;
    char name[512];
    pf_reader *r;
    const char *srcdir = getenv("srcdir");
    snprintf(name, sizeof name, "%s/examples/data/en.3gram.arpa", srcdir ? srcdir : ".");
    assert_int_equal(pf_reader_open(name, &r), PF_OK);
    assert_int_equal(pf_ngram_read_arpa(r, NULL, NULL, &model), PF_OK);
    pf_reader_free(r);
    return 0;
}

int free_model(void **state) {
    (void)state;
    pf_model_free(&model);
    return 0;
}

pf_fst *with_model(pf_fst *fst) {
    pf_fst *scored;
    if (pf_score_all(fst, 1, &(pf_scored){&model, 1}, 1, &scored)) fail_msg("%s", pf_message());
    return scored;
}

pf_fst *finish_sentence(pf_build *build, unsigned n, float final, pf_symtab *words) {
    pf_fst *fst;
    assert_int_equal(pf_build_final(build, n, final), PF_OK);
    assert_int_equal(pf_build_finish(build, PF_STANDARD, 0, &fst), PF_OK);
    pf_fst_set_symbols(fst, words, words);
    pf_symtab_free(words);
    return fst;
}

/* So many words of a text, the first ones; an odd word gets an alternative of its own cost, and one that prints nothing. */
pf_fst *sentence(const char *text, unsigned length, bool alternatives) {
    char copy[256], *word, *rest = copy;
    pf_build build = {0};
    pf_symtab *words;
    snprintf(copy, sizeof copy, "%s", text);
    assert_int_equal(pf_symtab_new("words", &words), PF_OK);
    assert_int_equal(pf_build_state(&build, length), PF_OK);
    for (unsigned state = 0; state < length && (word = strtok_r(rest, " ", &rest)); state++) {
        pf_label x, other;
        assert_int_equal(pf_symtab_add(words, word, strlen(word), &x), PF_OK);
        assert_int_equal(pf_symtab_add(words, "zzz", 3, &other), PF_OK);
        assert_int_equal(pf_build_arc(&build, state, x, x, 0, state + 1), PF_OK);
        if (!alternatives || state % 2 == 0) continue;
        assert_int_equal(pf_build_arc(&build, state, other, other, -0.5f, state + 1), PF_OK);
        if (state == 1) assert_int_equal(pf_build_arc(&build, state, other, PF_EPSILON, 7.25f, state + 1), PF_OK);
    }
    return finish_sentence(&build, length, 0.125f, words);
}

const space spaces[SPACES] = {
    {{"none"}, NULL},          {{"none"}, "monotone:0.7"}, {{"ibm:2"}, NULL},   {{"ibm:3"}, "monotone:0.4"},
    {{"inverse-ibm:3"}, NULL}, {{"local:3"}, NULL},        {{"itg"}, NULL},     {{"itg", "ibm:3"}, "monotone:0.6"},
    {{"itg", "inverse-ibm:3"}, "monotone:0.8"},            {{"ibm:1"}, NULL},
    {{"mj:2"}, "distance:0.5"}, {{"jump:2|itg"}, "inversions:0.25"}, {{"distortion:3", "itg|jump:3"}, "jumps:1"},
};

pf_fst *permute(pf_fst *linear, const space *given) {
    pf_weight weight = {.spec = given->wm};
    pf_perm_spec spec = {given->con, given->con[1] ? 2 : 1, &weight, given->wm != NULL, false};
    pf_fst *perm;
    assert_int_equal(pf_perm_lazy(linear, &spec, &perm), PF_OK);
    return perm;
}

const char *const texts[TEXTS] = {
    "that does me unfortunately not suit at",
    "the day the man the day the",
    "qqq have i have already qqq another",
};

const pf_moves *take_moves(pf_moves_store *store, const char *spec, unsigned n, const char *weights, uint32_t most) {
    pf_con *con;
    pf_wm *wm, *part[1];
    pf_weight weight = {.spec = weights};
    const pf_moves *moves;
    assert_int_equal(pf_con_new(spec, n, &con), PF_OK);
    if (weights) assert_int_equal(pf_wm_new(&weight, n, &part[0]), PF_OK);
    assert_int_equal(pf_wm_sum(part, weights != NULL, n, &wm), PF_OK);
    assert_int_equal(pf_moves_take(store, con, wm, &(pf_moves_limits){.most = most}, &moves), PF_OK);
    pf_wm_free(wm);
    pf_con_free(con);
    return moves;
}

pf_fst *random_machine(uint64_t seed, bool cyclic, float least) {
    pf_build build = {0};
    pf_fst *fst;
    unsigned states = 3 + draw(&seed, 5), arcs = states + draw(&seed, 2 * states);
    assert_int_equal(pf_build_state(&build, states - 1), PF_OK);
    for (unsigned i = 0; i < arcs; i++) {
        unsigned from = draw(&seed, states), to = draw(&seed, states);
        if (!cyclic && from == to) continue;
        if (!cyclic && from > to) {
            unsigned t = from;
            from = to;
            to = t;
        }
        pf_label in = (pf_label)draw(&seed, 3), out = (pf_label)draw(&seed, 3);
        float w = least + 0.5f * (float)draw(&seed, 4);
        assert_int_equal(pf_build_arc(&build, from, in, out, w, to), PF_OK);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pf_build_final(&build, draw(&seed, states), 0.5f * (float)draw(&seed, 3)), PF_OK);
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, 0, &fst), PF_OK);
    return fst;
}

pf_fst *cheaper(pf_fst *fst, uint64_t seed, float less) {
    pf_build build = {0};
    pf_fst *out;
    unsigned arcs = 0, n = 0;
    for (pf_state s = 0; s < pf_fst_states(fst); s++) arcs += pf_fst_arcs(fst, s).n;
    unsigned chosen = arcs ? draw(&seed, arcs) : 0;
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        pf_arcs own = pf_fst_arcs(fst, state);
        assert_int_equal(pf_build_final(&build, state, pf_fst_final(fst, state)), PF_OK);
        for (uint32_t at = 0; at < own.n; at++) {
            float w = own.arc[at].w - (n++ == chosen ? less : 0);
            assert_int_equal(pf_build_arc(&build, state, own.arc[at].in, own.arc[at].out, w, own.arc[at].to), PF_OK);
        }
    }
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, fst->start, &out), PF_OK);
    return out;
}

pf_fst *with_potentials(pf_fst *fst, uint64_t seed) {
    pf_build build = {0};
    pf_fst *out;
    float potential[MAX_ARCS];
    pf_state states = pf_fst_states(fst);
    assert_true(states <= MAX_ARCS);
    for (pf_state s = 0; s < states; s++) potential[s] = s == fst->start ? 0 : 0.5f * (float)draw(&seed, 9) - 2;
    for (pf_state state = 0; state < states; state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        assert_int_equal(pf_build_final(&build, state, pf_fst_final(fst, state) + potential[state]), PF_OK);
        for (uint32_t at = 0; at < arcs.n; at++) {
            float w = arcs.arc[at].w + potential[state] - potential[arcs.arc[at].to];
            assert_int_equal(pf_build_arc(&build, state, arcs.arc[at].in, arcs.arc[at].out, w, arcs.arc[at].to), PF_OK);
        }
    }
    assert_int_equal(pf_build_finish(&build, PF_STANDARD, fst->start, &out), PF_OK);
    return out;
}

/* ---- lattices ---- */

static int by_labels(const void *first, const void *second) {
    const path *one = first, *other = second;
    int in = memcmp(one->in, other->in, sizeof one->in);
    return in ? in : memcmp(one->out, other->out, sizeof one->out);
}

void paths_by_labels(paths *all) {
    for (size_t p = 0; p < all->at.n; p++) {
        path *at = &all->at.at[p];
        unsigned kept = 0;
        for (unsigned step = 0; step < at->n; step++) {
            if (!at->in[step] && !at->out[step]) continue;
            at->in[kept] = at->in[step];
            at->out[kept++] = at->out[step];
        }
        memset(&at->in[kept], 0, (MAX_ARCS - kept) * sizeof *at->in);
        memset(&at->out[kept], 0, (MAX_ARCS - kept) * sizeof *at->out);
        at->n = kept;
    }
    if (all->at.n) qsort(all->at.at, all->at.n, sizeof *all->at.at, by_labels);
}

void expect_paths(pf_fst *lattice, const paths *want, bool pruned, double more) {
    double best = (double)INFINITY;
    size_t at = 0;
    assert_true((lattice != NULL) == (want->at.n > 0));
    for (size_t p = 0; p < want->at.n; p++) best = fmin(best, want->at.at[p].cost);
    paths got = lattice ? all_paths(lattice, (double)INFINITY) : (paths){0};
    paths_by_labels(&got);
    for (size_t p = 0; p < want->at.n; p++) {
        const path *one = &want->at.at[p];
        bool there = at < got.at.n && by_labels(one, &got.at.at[at]) == 0;
        if (there) assert_true(fabs(one->cost - got.at.at[at++].cost) < 1e-5);
        else assert_true(pruned || one->cost > best + more);
    }
    assert_int_equal(at, got.at.n);
    PF_VEC_FREE(&got.at);
}

bool at_once(void *self) {
    (void)self;
    return true;
}
