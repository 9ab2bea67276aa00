/* Paths, and paths as automata. */
#include <permfst/machine/answer.h>

#include <permfst/machine/build.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double cost_of(const pf_answer *answer) { return answer->paths.n ? answer->paths.at[0].cost : (double)INFINITY; }

static double last_cost(const pf_answer *answer) {
    return answer->paths.n ? answer->paths.at[answer->paths.n - 1].cost : (double)INFINITY;
}

size_t pf_answer_proven(const pf_answer *answer) {
    size_t proven = 0;
    while (proven < answer->paths.n && answer->paths.at[proven].cost <= answer->bound) proven++;
    return proven;
}

bool pf_answer_optimal(const pf_answer *answer) {
    return answer->bound == last_cost(answer) || answer->bound == (double)INFINITY;
}

double pf_answer_gap(const pf_answer *answer) {
    double last = last_cost(answer);
    return last <= answer->bound ? 0 : last - answer->bound;
}

const char *pf_answer_proof(const pf_answer *answer, char words[PF_PROOF_BYTES]) {
    const size_t proven = pf_answer_proven(answer);
    const double gap = pf_answer_gap(answer);
    if (pf_answer_optimal(answer)) return "optimal";
    if (gap == (double)INFINITY) return "not proven optimal";
    if (proven == answer->paths.n) snprintf(words, PF_PROOF_BYTES, "complete up to cost %.6f", answer->bound);
    else if (proven) snprintf(words, PF_PROOF_BYTES, "first %zu of %zu optimal, gap <= %.6f", proven, answer->paths.n, gap);
    else snprintf(words, PF_PROOF_BYTES, "gap <= %.6f", gap);
    return words;
}

pf_verdict pf_answer_verdict(const pf_answer *answer) {
    const double cost = cost_of(answer), reference = answer->reference;
    assert(answer->compared);
    if (reference == (double)INFINITY) return PF_NOT_ADMITTED;
    if (reference == cost) return pf_answer_proven(answer) ? PF_REFERENCE_BEST : PF_REFERENCE_BEST_FOUND;
    if (fabs(reference - cost) <= PF_TIE * fmax(fabs(reference), fabs(cost))) return PF_REFERENCE_TIE;
    return reference > cost ? PF_MODEL_ERROR : PF_SEARCH_ERROR;
}

const char *pf_verdict_name(pf_verdict verdict) {
    static const char *const names[] = {"best", "best found", "tie", "model error", "search error", "not admitted"};
    assert(verdict < PF_VERDICTS);
    return names[verdict];
}

void pf_answer_free(pf_answer *answer) {
    for (size_t i = 0; i < answer->paths.n; i++) {
        free(answer->paths.at[i].arc);
        free(answer->paths.at[i].tree);
    }
    PF_VEC_FREE(&answer->paths);
    PF_VEC_FREE(&answer->profile);
    pf_fst_free(answer->lattice);
    pf_symtab_free(answer->isyms);
    pf_symtab_free(answer->osyms);
    *answer = (pf_answer){0};
}

uint64_t pf_answer_bytes(const pf_answer *answer) {
    uint64_t own = answer->profile.n * sizeof *answer->profile.at + (answer->lattice ? pf_fst_bytes(answer->lattice) : 0);
    for (size_t i = 0; i < answer->paths.n; i++) {
        const pf_path *path = &answer->paths.at[i];
        own += sizeof *path + path->n * sizeof *path->arc + path->codes * sizeof *path->tree;
    }
    return own;
}

pf_err pf_answer_add(pf_answer *answer, const pf_arc *arc, size_t count, float final) {
    assert(arc || !count);
    PF_TRY(PF_ROOM(&answer->paths, 1));
    pf_path path = {.arc = malloc(count ? count * sizeof *arc : 1), .n = count, .final = final};
    if (!path.arc) return pf_nomem();
    if (count) memcpy(path.arc, arc, count * sizeof *arc);
    for (size_t i = 0; i < count; i++) path.cost += (double)arc[i].w;
    path.cost += (double)final;
    answer->paths.at[answer->paths.n++] = path;
    return PF_OK;
}

/* One path: state ids fall from the start to the final state 0, as fstshortestpath numbers them. */
static pf_err chain(const pf_path *path, pf_build *build, pf_state *start) {
    *start = (pf_state)path->n;
    PF_TRY(pf_build_final(build, 0, path->final));
    for (size_t i = 0; i < path->n; i++) {
        const pf_arc *arc = &path->arc[i];
        PF_TRY(pf_build_arc(build, (pf_state)(path->n - i), arc->in, arc->out, arc->w, (pf_state)(path->n - i - 1)));
    }
    return PF_OK;
}

/* Several: 0 -epsilon-> each path -> 1. A final cost that the paths do not share sits on an epsilon arc. */
static pf_err fan(const pf_answer *answer, pf_build *build) {
    pf_state next = 2;
    PF_TRY(pf_build_final(build, 1, 0));
    for (size_t i = 0; i < answer->paths.n; i++) {
        const pf_path *path = &answer->paths.at[i];
        bool last = path->n && path->final == 0;
        PF_TRY(pf_build_arc(build, 0, PF_EPSILON, PF_EPSILON, 0, next++));
        for (size_t k = 0; k < path->n; k++) {
            bool end = last && k + 1 == path->n;
            PF_TRY(pf_build_arc(build, next - 1, path->arc[k].in, path->arc[k].out, path->arc[k].w, end ? 1 : next));
            if (!end) next++;
        }
        if (!last) PF_TRY(pf_build_arc(build, next - 1, PF_EPSILON, PF_EPSILON, path->final, 1));
    }
    return PF_OK;
}

/* A fan has epsilon arcs, which need a name. */
static pf_err set_symbols(const pf_answer *answer, pf_fst *fst) {
    pf_symtab *isyms = NULL, *osyms = NULL;
    pf_err err = answer->isyms ? pf_symtab_with_epsilon(answer->isyms, &isyms) : PF_OK;
    if (!err && answer->osyms) err = pf_symtab_with_epsilon(answer->osyms, &osyms);
    if (!err) pf_fst_set_symbols(fst, isyms, osyms);
    pf_symtab_free(isyms);
    pf_symtab_free(osyms);
    return err;
}

pf_err pf_answer_fst(const pf_answer *answer, pf_fst **out) {
    pf_build build = {0};
    pf_state start = 0;
    pf_err err = answer->paths.n == 1 ? chain(answer->paths.at, &build, &start) : answer->paths.n ? fan(answer, &build) : PF_OK;
    if (err) {
        pf_build_free(&build);
        return err;
    }
    pf_fst *fst;
    PF_TRY(pf_build_finish(&build, answer->type, start, &fst));
    err = set_symbols(answer, fst);
    if (err) pf_fst_free(fst);
    else *out = fst;
    return err;
}

pf_err pf_answer_from_linear(pf_fst *fst, pf_answer *out) {
    PF_VEC(pf_arc) arcs = {0};
    pf_err err = PF_OK;
    pf_state state = fst->start;
    *out = (pf_answer){.type = fst->type, .isyms = pf_symtab_ref(fst->isyms), .osyms = pf_symtab_ref(fst->osyms)};
    if (state == PF_NO_STATE) return PF_OK;
    while (!err && pf_fst_arcs(fst, state).n) {
        pf_arcs a = pf_fst_arcs(fst, state);
        if (a.n > 1 || pf_fst_final(fst, state) != INFINITY || arcs.n > pf_fst_states(fst))
            err = pf_fail(PF_EINPUT, "expected a single path (permshortest finds the best one), found a state with several "
                                     "continuations, or a cycle");
        else err = PF_PUSH(&arcs, a.arc[0]);
        state = a.arc[0].to;
    }
    if (!err) err = pf_fst_error(fst);
    if (!err && pf_fst_final(fst, state) != INFINITY) err = pf_answer_add(out, arcs.at, arcs.n, pf_fst_final(fst, state));
    PF_VEC_FREE(&arcs);
    if (err) pf_answer_free(out);
    else if (out->paths.n) out->bound = out->paths.at[0].cost;
    return err;
}
