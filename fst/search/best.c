/* Which search fits the machine. */
#include <permfst/search/best.h>

#include "base/contract.h"
#include <permfst/ops/spell.h>
#include "search/graph.h"

static bool needs_levels(const pf_best_options *options) {
    return options->search == PF_SEARCH_LEVELS || options->profile || options->beam || options->widen ||
        (!options->lattice && options->threshold < (double)INFINITY);
}

/* Is the cost of a path the sum of its weights without any rounding? The error of each addition is found as by Knuth (The Art of
 * Computer Programming, volume 2, section 4.2.2, theorem B). */
static bool exact_cost(const pf_path *path) {
    double sum = 0;
    for (size_t i = 0; i <= path->n; i++) {
        double weight = i < path->n ? path->arc[i].w : path->final, more = sum + weight, part = more - sum;
        if ((sum - (more - part)) + (weight - part) != 0) return false;
        sum = more;
    }
    return true;
}

/* For checks: the order of best.h. Where costs are rounded to the same number, beginnings of paths may have differed in cost, so
 * that the search has taken another order; this needs weights that differ by a factor of about 2^29. */
static int path_order(const pfi_speech *speech, const pf_path *one, const pf_path *other) {
    if (one->cost == other->cost && !(exact_cost(one) && exact_cost(other))) return 0;
    return pfi_path_order(speech, one, other);
}

static bool paths_in_order(const pf_answer *answer, const pf_units *units) {
    const pfi_speech speech = pfi_speech_of(answer->osyms, units);
    for (size_t i = 1; i < answer->paths.n; i++)
        if (path_order(&speech, &answer->paths.at[i - 1], &answer->paths.at[i]) > 0) return false;
    return true;
}

/* A translation is searched as the automaton over units that it is made of, and the answer is spelt. */
static pf_err best_spelt(pf_fst *scored, const pf_units *units, const pf_best_options *options, pf_answer *out) {
    pf_best_options own = *options;
    own.units = units;
    PF_TRY(pf_best(scored, &own, out));
    pf_err err = pf_spell_answer(units, out);
    if (err) pf_answer_free(out);
    return err;
}

/* The end of what was asked for: the cost up to which an answer is to have all paths. */
static double asked_for(const pf_answer *answer, const pf_best_options *options) {
    double end = answer->paths.n < options->n ? (double)INFINITY : answer->paths.at[options->n - 1].cost;
    if (!options->lattice || !answer->paths.n) return end;
    return fmax(options->n > 1 ? end : -(double)INFINITY, answer->paths.at[0].cost + options->threshold);
}

/* What lies beyond the end of what was asked for need not be proven. */
static void cut_bound(const pf_best_options *options, pf_answer *answer) {
    if (answer->bound >= asked_for(answer, options) && answer->paths.n)
        answer->bound = answer->paths.n < options->n ? (double)INFINITY : answer->paths.at[options->n - 1].cost;
}

pf_err pf_best(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    pf_best_options own = *options;
    pf_fst *scored;
    const pf_units *units;
    if (options->grouping) return pf_fail(PF_EARG, "only a chart tells units of neighbouring words apart");
    if (options->trees) return pf_fail(PF_EARG, "only a chart uses costs of the nodes of trees");
    if (pf_spell_parts(fst, &scored, &units)) return best_spelt(scored, units, options, out);
    if (!own.n) own.n = 1;
    if (!(own.threshold > 0 || (own.lattice && own.threshold == 0))) own.threshold = (double)INFINITY;
    *out = (pf_answer){.type = fst->type};
    out->bound = -(double)INFINITY;
    out->isyms = pf_symtab_ref(fst->isyms);
    out->osyms = pf_symtab_ref(fst->osyms);
    pf_err err = PF_OK;
    if (fst->start == PF_NO_STATE) out->bound = (double)INFINITY;
    else if (fst->layered) err = pfi_best_levels(fst, &own, out);
    else if (needs_levels(&own))
        err = pf_fail(PF_EARG, "a beam, a profile, or a search by levels, needs an automaton that has levels (a permutation "
                               "automaton, alone "
                               "or composed with models)");
    else err = pfi_best_arcs(fst, &own, out);
    if (!err) cut_bound(&own, out);
    assert(err || out->paths.n <= own.n);
    PFI_CHECK(err || paths_in_order(out, own.units));
    if (err) pf_answer_free(out);
    return err;
}
