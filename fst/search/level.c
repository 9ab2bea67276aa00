/* A level, and its pruning: by number of hypotheses (histogram pruning) and by threshold (Steinbiss, Tran & Ney 1994).
 *
 * The total at which the beam ends is found by quickselect among the totals, on average in linear time. Hypotheses with that total
 * are told apart by the order of their paths, so that the same ones are kept however they were met. */
#include "search/level.h"

#include "base/contract.h"

#include <stdlib.h>

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

static int by_state(const void *first, const void *second) {
    const pf_state one = *(const pf_state *)first, other = *(const pf_state *)second;
    return (one > other) - (one < other);
}

pf_err pfi_level_states(const pfi_level *level, uint64_t *states) {
    const size_t count = level->hypotheses.n;
    *states = level->blocks.n;
    if (level->blocks.n) return PF_OK;
    pf_state *state = malloc((count + 1) * sizeof *state);
    if (!state) return pf_nomem();
    for (size_t i = 0; i < count; i++) state[i] = level->hypotheses.at[i].state;
    qsort(state, count, sizeof *state, by_state);
    for (size_t i = 0; i < count; i++) *states += !i || state[i] != state[i - 1];
    free(state);
    return PF_OK;
}

/* No state with one history twice. O(hypotheses^2), so only of a few. */
static bool are_different(const pfi_hypothesis *hypothesis, size_t count) {
    for (size_t i = 0; count <= 64 && i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (hypothesis[k].history == hypothesis[i].history && hypothesis[k].state == hypothesis[i].state) return false;
    return true;
}

bool pfi_level_in_order(const pfi_level *level) {
    const pfi_hypothesis *hypothesis = level->hypotheses.at;
    size_t next = 0;
    for (size_t i = 0; i < level->blocks.n; i++) {
        const pfi_block *block = &level->blocks.at[i];
        if (block->first != next || !block->hypotheses || !are_different(&hypothesis[next], block->hypotheses)) return false;
        next += block->hypotheses;
    }
    for (size_t i = 1; i < level->hypotheses.n; i++)
        if (hypothesis[i - 1].node >= hypothesis[i].node) return false;
    return level->blocks.n ? next == level->hypotheses.n : are_different(hypothesis, level->hypotheses.n);
}

/* ---- pruning ---- */

/* A strict order, so that a beam keeps no more than it should. Paths that read equal words of different positions may be alike:
 * then the state tells. */
static bool better(const pfi_graph *graph, const pfi_hypothesis *first, const pfi_hypothesis *second) {
    if (first->total != second->total || first->node == second->node) return first->total < second->total;
    const pfi_edge *one = &graph->best.at[first->node], *other = &graph->best.at[second->node];
    const int order = pfi_edge_order(graph, one, other);
    if (order) return order < 0;
    return first->state != second->state ? first->state < second->state : first->node < second->node;
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

/* Puts those first that are below a pivot, or at it where `at` is set; returns how many. Which they are can't be foretold, so there
 * is no branch. */
static inline size_t put_first(double *total, size_t count, double pivot, bool at) {
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        const double one = total[i];
        total[i] = total[first];
        total[first] = one;
        first += at ? one <= pivot : one < pivot;
    }
    return first;
}

/* The k-th least of totals, how many are less, and how many are not more. 1 <= k <= count. Puts the array in another order. */
static double select_total(double *total, size_t count, size_t k, size_t *less, size_t *within) {
    assert(k && k <= count);
    for (*less = 0;;) {
        const double pivot = total[count / 2];
        const size_t below = put_first(total, count, pivot, false);
        if (k <= below) {
            count = below;
            continue;
        }
        const size_t equal = put_first(total + below, count - below, pivot, true);
        *less += below;
        *within = *less + equal;
        if (k <= below + equal) return pivot;
        *less = *within;
        total += below + equal;
        count -= below + equal;
        k -= below + equal;
    }
}

double pfi_select_total(double *total, size_t count, size_t k) {
    size_t less, within;
    return select_total(total, count, k, &less, &within);
}

/* What a beam keeps: all hypotheses below a total, and those at it that are not after the worst one. */
typedef struct {
    double total;         /* INFINITY: it keeps all */
    bool tied;            /* some of those at the total are dropped */
    pfi_hypothesis worst; /* if so, the last one that is kept */
} beam_end;

/* The k-th best of the hypotheses that have a total. */
static pf_err select_tied(const pfi_level *level, const pfi_graph *graph, double total, size_t k, pfi_hypothesis *worst) {
    PF_VEC(pfi_hypothesis) tied = {0};
    PF_TRY(PF_ROOM(&tied, level->hypotheses.n));
    for (size_t i = 0; i < level->hypotheses.n; i++)
        if (level->hypotheses.at[i].total == total) tied.at[tied.n++] = level->hypotheses.at[i];
    *worst = select_kth(graph, tied.at, tied.n, k);
    PF_VEC_FREE(&tied);
    return PF_OK;
}

/* There is room for the totals of all hypotheses behind those that were dropped: it serves as scratch. */
static pf_err end_of_beam(const pfi_level *level, const pfi_graph *graph, size_t beam, const pfi_totals *dropped, beam_end *end) {
    const size_t count = level->hypotheses.n;
    *end = (beam_end){.total = (double)INFINITY};
    if (!beam || count <= beam) return PF_OK;
    double *const total = &dropped->at[dropped->n];
    size_t less, within;
    for (size_t i = 0; i < count; i++) total[i] = level->hypotheses.at[i].total;
    end->total = select_total(total, count, beam, &less, &within);
    end->tied = within > beam;
    return end->tied ? select_tied(level, graph, end->total, beam - less, &end->worst) : PF_OK;
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

static inline bool is_dropped(const pfi_graph *graph, const beam_end *end, const pfi_hypothesis *hypothesis) {
    if (hypothesis->total == end->total && end->tied) return better(graph, &end->worst, hypothesis);
    return hypothesis->total > end->total;
}

/* Keeps those of some hypotheses that are within the end of the beam, after the ones that were kept before; returns how many are
 * kept then. Which ones are can't be foretold. So each is written to both lists, and only one of these grows. There is room for all
 * of them. */
static size_t keep_some(const pfi_level *level, size_t first, size_t count, size_t kept, const pfi_graph *graph,
    const beam_end *end, pfi_totals *dropped) {
    for (size_t at = first; at < first + count; at++) {
        const pfi_hypothesis hypothesis = level->hypotheses.at[at];
        const bool drop = is_dropped(graph, end, &hypothesis);
        level->hypotheses.at[kept] = hypothesis;
        kept += !drop;
        dropped->at[dropped->n] = hypothesis.total;
        dropped->n += drop;
    }
    return kept;
}

static void keep(pfi_level *level, const pfi_graph *graph, const beam_end *end, pfi_totals *dropped) {
    size_t kept = level->blocks.n ? 0 : keep_some(level, 0, level->hypotheses.n, 0, graph, end, dropped);
    for (size_t i = 0; i < level->blocks.n; i++) {
        pfi_block *block = &level->blocks.at[i];
        const size_t first = kept;
        kept = keep_some(level, block->first, block->hypotheses, kept, graph, end, dropped);
        block->first = (uint32_t)first;
        block->hypotheses = (uint32_t)(kept - first);
    }
    level->hypotheses.n = kept;
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
    const double most = threshold == (double)INFINITY ? threshold : pfi_level_least_total(level) + threshold;
    const size_t had = dropped->n;
    beam_end end;
    assert(threshold >= 0);
    if (beam || most < (double)INFINITY) PF_TRY(PF_ROOM(dropped, level->hypotheses.n));
    PF_TRY(end_of_beam(level, graph, beam, dropped, &end));
    if (most < end.total) end = (beam_end){.total = most};
    if (end.total < (double)INFINITY) keep(level, graph, &end, dropped);
    assert(!beam || level->hypotheses.n <= beam);
    PFI_CHECK(dropped->n == had || best_are_kept(level, &dropped->at[had], dropped->n - had));
    drop_empty_blocks(level);
    return PF_OK;
}
