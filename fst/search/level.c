/* A level, and its pruning: by number of hypotheses (histogram pruning) and by threshold (Steinbiss, Tran & Ney 1994).
 *
 * The worst hypothesis that the beam keeps is found by quickselect, on average in one pass over the level; equal totals are told
 * apart by the order of their paths, so that the same hypotheses are kept however they were met. */
#include "search/level.h"

#include "base/contract.h"

#include <string.h>

void pfi_level_free(pfi_level *level) {
    PF_VEC_FREE(&level->blocks);
    PF_VEC_FREE(&level->hypotheses);
    pfi_rests_free(&level->rests);
}

uint64_t pfi_level_bytes(const pfi_level *level) {
    return level->blocks.n * sizeof *level->blocks.at + level->hypotheses.n * sizeof *level->hypotheses.at +
           level->rests.of.n * sizeof *level->rests.of.at + level->rests.least.n * sizeof *level->rests.least.at;
}

double pfi_level_least_total(const pfi_level *level) {
    double least = (double)INFINITY;
    for (size_t i = 0; i < level->hypotheses.n; i++)
        if (level->hypotheses.at[i].total < least) least = level->hypotheses.at[i].total;
    return least;
}

/* No history twice. O(hypotheses^2), so only of small blocks. */
static bool block_in_order(const pfi_block *block, const pfi_hypothesis *hypothesis) {
    for (size_t i = 0; block->hypotheses <= 64 && i < block->hypotheses; i++)
        for (size_t k = 0; k < i; k++)
            if (hypothesis[k].history == hypothesis[i].history) return false;
    return block->hypotheses > 0;
}

bool pfi_level_in_order(const pfi_level *level) {
    const pfi_hypothesis *hypothesis = level->hypotheses.at;
    size_t next = 0;
    for (size_t i = 0; i < level->blocks.n; i++) {
        const pfi_block *block = &level->blocks.at[i];
        if (block->first != next || !block_in_order(block, &hypothesis[block->first])) return false;
        next += block->hypotheses;
    }
    for (size_t i = 1; i < level->hypotheses.n; i++)
        if (hypothesis[i - 1].node >= hypothesis[i].node) return false;
    return next == level->hypotheses.n;
}

/* ---- pruning ---- */

/* A strict order, so that a beam keeps no more than it should: paths that read equal words of different positions may be alike. */
static bool better(const pfi_graph *graph, const pfi_hypothesis *first, const pfi_hypothesis *second) {
    if (first->total != second->total || first->node == second->node) return first->total < second->total;
    const pfi_edge *one = &graph->best.at[first->node], *other = &graph->best.at[second->node];
    const int order = pfi_edge_order(graph, one, other);
    return order ? order < 0 : first->node < second->node;
}

static void swap(pfi_hypothesis *first, pfi_hypothesis *second) {
    pfi_hypothesis had = *first;
    *first = *second;
    *second = had;
}

/* Quickselect: the k-th best of `count`, with the better ones before it. 1 <= k <= count. */
static pfi_hypothesis select_kth(const pfi_graph *graph, pfi_hypothesis *hypothesis, size_t count, size_t k) {
    assert(k && k <= count);
    for (;;) {
        size_t lower = 0;
        swap(&hypothesis[0], &hypothesis[count / 2]);
        for (size_t i = 1; i < count; i++)
            if (better(graph, &hypothesis[i], &hypothesis[0])) swap(&hypothesis[++lower], &hypothesis[i]);
        swap(&hypothesis[0], &hypothesis[lower]);
        if (lower + 1 == k) return hypothesis[lower];
        if (lower >= k) count = lower;
        else {
            hypothesis += lower + 1;
            count -= lower + 1;
            k -= lower + 1;
        }
    }
}

/* The worst hypothesis that the beam keeps; of infinite total if it keeps all. */
static pf_err worst_kept(const pfi_level *level, const pfi_graph *graph, size_t beam, pfi_hypothesis *worst) {
    size_t count = level->hypotheses.n;
    *worst = (pfi_hypothesis){.total = (double)INFINITY};
    if (!beam || count <= beam) return PF_OK;
    PF_VEC(pfi_hypothesis) all = {0};
    PF_TRY(PF_ROOM(&all, count));
    memcpy(all.at, level->hypotheses.at, count * sizeof *all.at);
    *worst = select_kth(graph, all.at, count, beam);
    PF_VEC_FREE(&all);
    return PF_OK;
}

static void drop_empty_blocks(pfi_level *level) {
    size_t kept = 0;
    for (size_t i = 0; i < level->blocks.n; i++) {
        if (!level->blocks.at[i].hypotheses) continue;
        if (kept < i) level->blocks.at[kept] = level->blocks.at[i];
        kept++;
    }
    level->blocks.n = kept;
}

/* Keeps the hypotheses that are neither after the worst one nor of a total above `most`. */
static pf_err keep(pfi_level *level, const pfi_graph *graph, const pfi_hypothesis *worst, double most, pfi_totals *dropped) {
    uint32_t kept = 0;
    for (size_t i = 0; i < level->blocks.n; i++) {
        pfi_block *block = &level->blocks.at[i];
        uint32_t first = kept, end = block->first + block->hypotheses;
        for (uint32_t at = block->first; at < end; at++) {
            const pfi_hypothesis *hypothesis = &level->hypotheses.at[at];
            bool drop = hypothesis->total > most || (worst->total < (double)INFINITY && better(graph, worst, hypothesis));
            if (!drop) level->hypotheses.at[kept++] = *hypothesis;
            else PF_TRY(PF_PUSH(dropped, hypothesis->total));
        }
        block->first = first;
        block->hypotheses = kept - first;
    }
    level->hypotheses.n = kept;
    return PF_OK;
}

/* For checks: is no hypothesis that was kept worse than one that was dropped? */
static bool best_are_kept(const pfi_level *level, const double *dropped, size_t count) {
    double worst = -(double)INFINITY;
    for (size_t i = 0; i < level->hypotheses.n; i++) worst = fmax(worst, level->hypotheses.at[i].total);
    for (size_t i = 0; i < count; i++)
        if (dropped[i] < worst) return false;
    return true;
}

pf_err pfi_level_prune(pfi_level *level, const pfi_graph *graph, size_t beam, double threshold, pfi_totals *dropped) {
    const bool all = threshold == (double)INFINITY;
    const double most = all ? threshold : pfi_level_least_total(level) + threshold;
    const size_t had = dropped->n;
    pfi_hypothesis worst;
    assert(threshold >= 0);
    PF_TRY(worst_kept(level, graph, beam, &worst));
    if (worst.total < (double)INFINITY || most < (double)INFINITY) PF_TRY(keep(level, graph, &worst, most, dropped));
    assert(!beam || level->hypotheses.n <= beam);
    PFI_CHECK(dropped->n == had || best_are_kept(level, &dropped->at[had], dropped->n - had));
    drop_empty_blocks(level);
    return PF_OK;
}
