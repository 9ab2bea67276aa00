/* The best BLEU of itg orders by a chart over spans (zens-ney-2003, section 3.1; Dreyer et al. 2007, section 3.2), in place of an
 * automaton that grows by 2.6 with each word.
 *
 * A span keeps, for each beginning, end and use of contested n-grams, the orders that no other one betters: with at least as many
 * matches of each length. If the best order of a sentence had a part that is bettered, the other part in its place would give a
 * better order of the same space. Each order has one tree (chart/forest.h), so that n best orders are different ones.
 *
 * Beams of 2, 8, 32, ... orders a span, until no dropped order has a bound above the best score: each pass ends with a path and a
 * bound for all orders. A pass joins at most 2 beam^2 pairs for each of the n^3 / 6 nodes; the bound, which is nearly tight
 * (seam.c), leaves few of them. */
#include "oracle/itg_impl.h"

#include "base/contract.h"
#include "search/ties.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF, FIRST_BEAM = 2, WIDER = 4, MOST_BEAM = 1 << 20, ROOM = 4 };
#define MARGIN 1e-9 /* as in pareto.c */

bool pfi_itg_takes(pf_fst *fst, const pf_oracle_options *options) {
    pfi_shape shape;
    pf_slots_view slots;
    const pf_con *con = pf_fst_space(fst);
    if (!con || !con->n || options->approximate || !fst->op || !fst->op->slots) return false;
    fst->op->slots(fst->self, &slots);
    bool takes = !pfi_shape_init(&shape, con, NULL, 1, NULL) && slots.final < INFINITY;
    pfi_shape_free(&shape);
    return takes;
}

/* ---- orders as paths ---- */

/* The alternatives of an order, one after the other; or, where `same` is on top, the whole of it is passed over. */
typedef struct {
    const pfi_itg *chart;
    uint32_t *stack;
    unsigned height;
} leaves;

static leaves leaves_of(const pfi_itg *chart, uint32_t order, unsigned which) {
    chart->stack[which][0] = order;
    return (leaves){chart, chart->stack[which], 1};
}

static uint32_t next_leaf(leaves *walk) {
    assert(walk->height);
    uint32_t order = walk->stack[--walk->height];
    while (walk->chart->all.at[order].second != NONE) {
        walk->stack[walk->height++] = walk->chart->all.at[order].second;
        order = walk->chart->all.at[order].first;
    }
    return order;
}

static pf_label output_of(const pfi_itg *chart, uint32_t leaf) { return chart->slots.arc[chart->all.at[leaf].first].out; }

/* Orders of one span as paths are ordered: inputs, then outputs. */
static int compare(const pfi_itg *chart, uint32_t first, uint32_t second) {
    const pf_symtab *symbols = chart->product->fst->osyms;
    if (chart->all.at[first].lead != chart->all.at[second].lead)
        return chart->all.at[first].lead < chart->all.at[second].lead ? -1 : 1;
    leaves a = leaves_of(chart, first, 0), b = leaves_of(chart, second, 1);
    int out = 0;
    while (a.height) {
        if (a.stack[a.height - 1] == b.stack[b.height - 1] && a.height == b.height) {
            a.height--, b.height--;
            continue;
        }
        uint32_t one = next_leaf(&a), other = next_leaf(&b);
        pf_label left = chart->all.at[one].lead, right = chart->all.at[other].lead;
        if (left != right) return left < right ? -1 : 1;
        if (!out && output_of(chart, one) != output_of(chart, other))
            out = pfi_output_order(symbols, output_of(chart, one), output_of(chart, other));
    }
    return out;
}

static pf_err path_of(const pfi_itg *chart, uint32_t order, pf_path *out) {
    leaves walk = leaves_of(chart, order, 0);
    *out = (pf_path){.n = 0};
    if (!(out->arc = malloc((chart->slots.n + (size_t)1) * sizeof *out->arc))) return pf_nomem();
    while (walk.height) {
        uint32_t leaf = next_leaf(&walk);
        out->arc[out->n++] = (pf_arc){chart->all.at[leaf].lead, output_of(chart, leaf), 0, PF_NO_STATE};
    }
    return PF_OK;
}

static pf_oracle_counts counts_of(const pfi_itg *chart, uint32_t order) {
    const pfi_span_order *own = &chart->all.at[order];
    pf_oracle_counts counts = {{0}, {0}, 0, 0};
    pf_oracle_counts_total(&counts, own->words);
    counts.reference = pf_oracle_closest(chart->product->references, own->words);
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) counts.match[n] = own->match[n];
    if (chart->product->fixed) counts.match[0] = chart->product->fixed_matches;
    return counts;
}

/* ---- the orders of one span ---- */

static void leave(pfi_itg *chart, const pfi_span_order *order) {
    if (order->bound > chart->dropped) chart->dropped = order->bound;
    for (unsigned n = 0; chart->front && n < PF_ORACLE_ORDER; n++) {
        uint64_t most = pfi_itg_most(chart, order, n, order->words + (uint64_t)chart->outside.most_words);
        if (most > chart->dropped_counts.match[n]) chart->dropped_counts.match[n] = most;
    }
}

static pf_err new_order(pfi_itg *chart, uint32_t *out) {
    if (chart->freed != NONE) {
        *out = chart->freed;
        chart->freed = chart->all.at[*out].next;
        return PF_OK;
    }
    if (chart->all.n == NONE) return pf_fail(PF_ELIMIT, "there are more than %u orders of spans", NONE - 1);
    PF_TRY(PF_ROOM(&chart->used, chart->contested.n + 1));
    PF_TRY(PF_PUSH(&chart->all, (pfi_span_order){0}));
    chart->used.n += chart->contested.n;
    *out = (uint32_t)chart->all.n - 1;
    return PF_OK;
}

static void drop(pfi_itg *chart, uint32_t order) {
    chart->all.at[order].next = chart->freed;
    chart->freed = order;
    chart->live--;
}

/* The first order with the same key as this one. */
static pf_err find_list(pfi_itg *chart, const pfi_span_order *order, const uint32_t *used, uint32_t *out) {
    uint32_t *key = chart->key.at;
    key[0] = order->left;
    key[1] = order->right;
    key[2] = order->words << 1 | order->open;
    memcpy(key + 3, used, chart->contested.n * sizeof *used);
    PF_TRY(pf_statetab_intern(&chart->keys, key, chart->keys.fixed, out, NULL));
    return *out < chart->head.n ? PF_OK : PF_PUSH(&chart->head, NONE);
}

/* Both have one key: is the first better wherever the second goes on, or of equal score there and before it? */
static bool betters(const pfi_itg *chart, uint32_t first, uint32_t second) {
    const pfi_span_order *a = &chart->all.at[first], *b = &chart->all.at[second];
    bool more = false;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        if (a->match[n] < b->match[n]) return false;
        more = more || a->match[n] > b->match[n];
    }
    if (more) return true;
    if (chart->ties && a->orientation != b->orientation) return false; /* each stands for orders of its own */
    return compare(chart, first, second) <= 0;
}

static void merge_orders(pfi_itg *chart, uint32_t into, uint32_t from) {
    pfi_span_order *a = &chart->all.at[into], *b = &chart->all.at[from];
    if (!chart->ties || a->orientation != b->orientation || memcmp(a->match, b->match, sizeof a->match) != 0) return;
    a->orders = b->orders > UINT64_MAX - a->orders ? UINT64_MAX : a->orders + b->orders;
}

/* Puts a new order into its list, unless n others there are better; takes out those that now have n betters. */
static void enter(pfi_itg *chart, uint32_t list, uint32_t fresh) {
    pfi_span_order *all = chart->all.at;
    for (uint32_t *at = &chart->head.at[list]; *at != NONE;) {
        uint32_t other = *at;
        if (betters(chart, other, fresh)) {
            merge_orders(chart, other, fresh);
            if (++all[fresh].betters >= chart->wanted) return drop(chart, fresh);
        } else if (betters(chart, fresh, other)) {
            merge_orders(chart, fresh, other);
            if (++all[other].betters >= chart->wanted) {
                *at = all[other].next;
                drop(chart, other);
                continue;
            }
        }
        at = &all[other].next;
    }
    all[fresh].next = chart->head.at[list];
    chart->head.at[list] = fresh;
}

typedef struct {
    double bound;
    uint64_t matches;
    uint32_t order, betters;
} ranked;

/* The greatest bound first, then the most matches, then the one made first. */
static int by_rank(const void *first, const void *second) {
    const ranked *a = first, *b = second;
    if (a->bound != b->bound) return a->bound > b->bound ? -1 : 1;
    if (a->matches != b->matches) return a->matches > b->matches ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* The orders of the span at hand, ranked; *out is the caller's. */
static pf_err rank_all(const pfi_itg *chart, ranked **out, size_t *count) {
    if (!(*out = malloc((chart->live + (size_t)1) * sizeof **out))) return pf_nomem();
    *count = 0;
    for (size_t list = 0; list < chart->head.n; list++)
        for (uint32_t at = chart->head.at[list]; at != NONE; at = chart->all.at[at].next) {
            const pfi_span_order *order = &chart->all.at[at];
            uint64_t matches = 0;
            for (unsigned m = 0; m < PF_ORACLE_ORDER; m++) matches += order->match[m];
            (*out)[(*count)++] = (ranked){order->bound, matches, at, order->betters};
        }
    if (*count) qsort(*out, *count, sizeof **out, by_rank);
    return PF_OK;
}

/* Leaves the best orders of the span, as many as the beam has. What then comes with a bound below all of them is left, too. */
static pf_err trim(pfi_itg *chart) {
    ranked *all;
    size_t count;
    if (!chart->beam || chart->live <= chart->beam) return PF_OK;
    PF_TRY(rank_all(chart, &all, &count));
    pf_statetab_reset(&chart->keys);
    chart->head.n = 0;
    pf_err err = PF_OK;
    for (size_t rank = count; !err && rank--;) {
        pfi_span_order *order = &chart->all.at[all[rank].order];
        uint32_t list;
        if (rank >= chart->beam) {
            leave(chart, order);
            drop(chart, all[rank].order);
            continue;
        }
        err = find_list(chart, order, &chart->used.at[chart->contested.n * all[rank].order], &list);
        if (err) break;
        order->next = chart->head.at[list];
        chart->head.at[list] = all[rank].order;
    }
    chart->cut = all[chart->beam - 1].bound;
    free(all);
    return err;
}

/* A new order of the span at hand, whose uses are in spare. */
static pf_err offer(pfi_itg *chart, pfi_span_order *order) {
    uint32_t fresh = PFI_NONE_OF, list;
    pfi_itg_settle(chart, order, chart->spare.at);
    if (order->bound < chart->floor - MARGIN) return PF_OK;
    if (order->bound < chart->cut) return leave(chart, order), PF_OK;
    PF_TRY(find_list(chart, order, chart->spare.at, &list));
    PF_TRY(new_order(chart, &fresh));
    chart->all.at[fresh] = *order;
    memcpy(&chart->used.at[chart->contested.n * fresh], chart->spare.at, chart->contested.n * sizeof *chart->spare.at);
    chart->live++;
    enter(chart, list, fresh);
    return chart->beam && chart->live > ROOM * chart->beam + 64 ? trim(chart) : PF_OK;
}

/* ---- one pass ---- */

static bool may_be(const pfi_span_order *order, unsigned which) {
    return which == PFI_ANY || order->orientation == PFI_ANY || order->orientation == which;
}

static pf_err join_spans(pfi_itg *chart, size_t left, size_t right, unsigned orientation, bool zone) {
    const size_t first = orientation == PFI_STRAIGHT ? left : right, second = orientation == PFI_STRAIGHT ? right : left;
    unsigned which[2];
    pfi_span_order made;
    pfi_sons(orientation, zone, which);
    for (uint32_t one = chart->cell_first[first]; one < chart->cell_first[first] + chart->cell_n[first]; one++) {
        if (!may_be(&chart->all.at[chart->kept.at[one]], which[0])) continue;
        PF_TRY(pfi_work_done(chart->work, chart->cell_n[second]));
        chart->joins += chart->cell_n[second];
        for (uint32_t other = chart->cell_first[second]; other < chart->cell_first[second] + chart->cell_n[second]; other++) {
            if (!may_be(&chart->all.at[chart->kept.at[other]], which[1])) continue;
            PF_TRY(pfi_itg_join(chart, chart->kept.at[one], chart->kept.at[other], &made, chart->spare.at));
            made.orientation = (unsigned char)orientation;
            PF_TRY(offer(chart, &made));
        }
    }
    return PF_OK;
}

static pf_err make_orders(pfi_itg *chart, unsigned begin, unsigned end) {
    const size_t side = chart->slots.n + (size_t)1;
    pfi_span_order made;
    for (uint32_t alternative = chart->slots.first[begin]; end == begin + 1 && alternative < chart->slots.first[end];
         alternative++) {
        PF_TRY(pfi_itg_word(chart, begin, alternative, &made, chart->spare.at));
        PF_TRY(offer(chart, &made));
    }
    for (unsigned split = begin + 1; split < end; split++) {
        size_t left = begin * side + split, right = split * side + end;
        bool zone = pfi_shape_zone(&chart->shape, split, end);
        if (!chart->cell_n[left] || !chart->cell_n[right]) continue;
        PF_TRY(join_spans(chart, left, right, PFI_STRAIGHT, zone));
        if (pfi_shape_inverts(&chart->shape, begin, split, end)) PF_TRY(join_spans(chart, left, right, PFI_INVERTED, zone));
    }
    return PF_OK;
}

static pf_err fill_span(pfi_itg *chart, unsigned begin, unsigned end) {
    const size_t cell = begin * (chart->slots.n + (size_t)1) + end;
    ranked *all;
    size_t count;
    assert(begin < end && end <= chart->slots.n);
    pf_statetab_reset(&chart->keys);
    chart->head.n = 0;
    chart->live = 0;
    chart->cut = -(double)INFINITY;
    pfi_itg_outside(chart, begin, end);
    PF_TRY(make_orders(chart, begin, end));
    PF_TRY(trim(chart));
    PF_TRY(rank_all(chart, &all, &count));
    chart->cell_first[cell] = (uint32_t)chart->kept.n;
    pf_err err = PF_ROOM(&chart->kept, count + 1);
    for (size_t rank = 0; !err && rank < count; rank++) chart->kept.at[chart->kept.n++] = all[rank].order;
    chart->cell_n[cell] = err ? 0 : (uint32_t)count;
    free(all);
    return err;
}

static pf_err run_pass(pfi_itg *chart, size_t beam) {
    const unsigned slots = chart->slots.n;
    chart->beam = beam;
    chart->all.n = chart->used.n = chart->kept.n = 0;
    chart->freed = NONE;
    chart->dropped = -(double)INFINITY;
    chart->dropped_counts = (pf_oracle_counts){0};
    memset(chart->cell_n, 0, (slots + (size_t)1) * (slots + (size_t)1) * sizeof *chart->cell_n);
    for (unsigned length = 1; length <= slots; length++)
        for (unsigned begin = 0; begin + length <= slots; begin++)
            if (pfi_shape_has(&chart->shape, begin, begin + length)) PF_TRY(fill_span(chart, begin, begin + length));
    return PF_OK;
}

/* ---- what a pass has found ---- */

typedef struct {
    const pfi_itg *chart;
    pf_oracle_counts counts;
    uint32_t order;
} complete;

static int by_score(const void *first, const void *second) {
    const complete *a = first, *b = second;
    int order = pf_oracle_compare(&b->counts, &a->counts, !a->chart->product->options->without_brevity);
    if (!order) order = compare(a->chart, a->order, b->order);
    return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

/* Is no bound of a part of an order below the score of the whole one? */
static bool bounds_hold(const pfi_itg *chart, uint32_t order, double score) {
    const pfi_span_order *own = &chart->all.at[order];
    if (own->bound < score - MARGIN) return false;
    return own->second == NONE || (bounds_hold(chart, own->first, score) && bounds_hold(chart, own->second, score));
}

/* All orders of the sentence, best first; *out is the caller's. */
static pf_err complete_orders(const pfi_itg *chart, complete **out, size_t *count) {
    const size_t cell = chart->slots.n;
    *count = chart->cell_n[cell];
    if (!(*out = malloc((*count + 1) * sizeof **out))) return pf_nomem();
    for (size_t rank = 0; rank < *count; rank++) {
        uint32_t order = chart->kept.at[chart->cell_first[cell] + rank];
        (*out)[rank] = (complete){chart, counts_of(chart, order), order};
        PFI_CHECK(bounds_hold(chart, order, pf_oracle_log(&(*out)[rank].counts, !chart->product->options->without_brevity)));
    }
    if (*count) qsort(*out, *count, sizeof **out, by_score);
    return PF_OK;
}

static void forget(pfi_itg_answer *out) {
    for (size_t i = 0; i < out->best.n; i++) free(out->best.at[i].path.arc);
    out->best.n = 0;
}

/* Takes what a pass has found, where it is better, or the pass is whole. */
static pf_err harvest(pfi_itg *chart, bool whole, pfi_itg_answer *out) {
    complete *all;
    size_t count;
    bool brevity = !chart->product->options->without_brevity;
    PF_TRY(complete_orders(chart, &all, &count));
    size_t taken = !chart->front && count > chart->wanted ? chart->wanted : count;
    bool better = count && (whole || !out->best.n || taken > out->best.n ||
                            pf_oracle_compare(&all[taken - 1].counts, &out->best.at[taken - 1].counts, brevity) >= 0);
    pf_err err = better ? PF_ROOM(&out->best, taken) : PF_OK;
    if (better && !err) forget(out);
    for (size_t rank = 0; better && !err && rank < taken; rank++) {
        pfi_solution next = {.counts = all[rank].counts};
        err = path_of(chart, all[rank].order, &next.path);
        if (!err) err = PF_PUSH(&out->best, next);
    }
    free(all);
    if (out->best.n >= chart->wanted && !chart->front)
        chart->floor = fmax(chart->floor, pf_oracle_log(&out->best.at[chart->wanted - 1].counts, brevity));
    return err;
}

/* With the best known, one pass that counts the orders as good as the first. */
static pf_err count_ties(pfi_itg *chart, pfi_itg_answer *out) {
    bool brevity = !chart->product->options->without_brevity;
    complete *all;
    size_t count;
    chart->ties = true;
    chart->wanted = 1;
    chart->floor = pf_oracle_log(&out->best.at[0].counts, brevity);
    PF_TRY(run_pass(chart, 0));
    PF_TRY(complete_orders(chart, &all, &count));
    for (size_t rank = 0; rank < count && pf_oracle_compare(&all[rank].counts, &all[0].counts, brevity) == 0; rank++) {
        uint64_t orders = chart->all.at[all[rank].order].orders;
        out->ties = orders > UINT64_MAX - out->ties ? UINT64_MAX : out->ties + orders;
    }
    free(all);
    return PF_OK;
}

/* ---- passes ---- */

/* No order has a greater score than the first one, or than what was dropped. */
static void lower_bound(const pfi_itg *chart, pfi_itg_answer *out) {
    double best = out->best.n ? pf_oracle_log(&out->best.at[0].counts, !chart->product->options->without_brevity)
        : -(double)INFINITY;
    out->bound = fmin(out->bound, fmax(best, chart->dropped));
    out->rest = chart->dropped_counts;
}

/* Is what was dropped worse than what is wanted? */
static bool is_whole(const pfi_itg *chart) {
    return chart->dropped == -(double)INFINITY || chart->dropped < chart->floor - MARGIN;
}

/* The first pass is for some order, whatever the limits are. */
static pf_err first_pass(pfi_itg *chart, pfi_itg_answer *out, bool *whole) {
    pf_oracle_options patient = *chart->work->options;
    pfi_work own = {.options = &patient, .states = chart->work->states}, *limited = chart->work;
    patient.max_states = 0;
    patient.expired = NULL;
    chart->work = &own;
    pf_err err = run_pass(chart, chart->wanted > FIRST_BEAM ? chart->wanted : FIRST_BEAM);
    chart->work = limited;
    *whole = is_whole(chart);
    if (!err) err = harvest(chart, *whole, out);
    if (!err) lower_bound(chart, out);
    if (!err && !chart->front && chart->wanted == 1 && patient.known)
        chart->floor = fmax(chart->floor, pf_oracle_log(patient.known, !patient.without_brevity));
    *whole = *whole || is_whole(chart);
    limited->states = own.states;
    return err ? err : pfi_work_done(limited, 0);
}

static pf_err run_passes(pfi_itg *chart, pfi_itg_answer *out) {
    bool whole = false;
    size_t beam = chart->wanted > FIRST_BEAM ? chart->wanted : FIRST_BEAM;
    out->bound = (double)INFINITY;
    PF_TRY(first_pass(chart, out, &whole));
    while (!whole) {
        beam = beam < MOST_BEAM ? WIDER * beam : 0;
        PF_TRY(run_pass(chart, beam));
        whole = is_whole(chart);
        PF_TRY(harvest(chart, whole, out));
        lower_bound(chart, out);
        whole = whole || is_whole(chart);
    }
    out->whole = true;
    return chart->product->options->ties && out->best.n ? count_ties(chart, out) : PF_OK;
}

static void end(pfi_itg *chart) {
    pfi_span_outside *outside = &chart->outside;
    pfi_shape_free(&chart->shape);
    PF_VEC_FREE(&chart->contested);
    PF_VEC_FREE(&chart->place);
    PF_VEC_FREE(&chart->slot_words);
    PF_VEC_FREE(&chart->slot_first);
    PF_VEC_FREE(&chart->slot_least);
    PF_VEC_FREE(&chart->slot_most);
    pf_statetab_free(&chart->seams);
    PF_VEC_FREE(&chart->seam);
    PF_VEC_FREE(&chart->seam_grams);
    PF_VEC_FREE(&chart->logs);
    PF_VEC_FREE(&chart->all);
    PF_VEC_FREE(&chart->used);
    pf_statetab_free(&chart->keys);
    PF_VEC_FREE(&chart->head);
    PF_VEC_FREE(&chart->key);
    PF_VEC_FREE(&chart->kept);
    PF_VEC_FREE(&chart->spare);
    free(outside->times);
    free(outside->left_most);
    free(outside->right_most);
    free(outside->left_kept);
    free(outside->right_kept);
    free(outside->relevant);
    free(chart->cell_first);
    free(chart->cell_n);
    free(chart->stack[0]);
    free(chart->stack[1]);
}

static pf_err begin(pfi_itg *chart, pfi_product *product) {
    bool known;
    product->fst->op->slots(product->fst->self, &chart->slots);
    const size_t side = chart->slots.n + (size_t)1;
    pf_statetab_init(&chart->seams, sizeof(uint64_t));
    PF_TRY(pfi_shape_init(&chart->shape, pf_fst_space(product->fst), NULL, 1, NULL));
    PF_TRY(pfi_product_caps(product, &known));
    PF_TRY(pfi_itg_prepare(chart));
    pf_statetab_init(&chart->keys, (3 + chart->contested.n) * sizeof(uint32_t));
    PF_TRY(PF_ROOM(&chart->key, 3 + chart->contested.n));
    PF_TRY(PF_ROOM(&chart->spare, 1 + chart->contested.n));
    chart->cell_first = calloc(side * side, sizeof *chart->cell_first);
    chart->cell_n = calloc(side * side, sizeof *chart->cell_n);
    chart->stack[0] = calloc(side, sizeof **chart->stack);
    chart->stack[1] = calloc(side, sizeof **chart->stack);
    return chart->cell_first && chart->cell_n && chart->stack[0] && chart->stack[1] ? PF_OK : pf_nomem();
}

static uint64_t bytes(const void *self) {
    const pfi_itg *chart = self;
    return pf_statetab_bytes(&chart->seams) + pf_statetab_bytes(&chart->keys) + chart->seam.cap * sizeof *chart->seam.at +
           chart->all.cap * sizeof *chart->all.at + chart->used.cap * sizeof *chart->used.at +
           chart->kept.cap * sizeof *chart->kept.at + chart->head.cap * sizeof *chart->head.at;
}

/* A limit ends the search with what the last pass has found. */
pf_err pfi_itg_search(pfi_product *product, pfi_work *work, bool front, pfi_itg_answer *out) {
    size_t wanted = product->options->n && !front ? product->options->n : 1;
    pfi_itg chart = {.product = product, .work = work, .wanted = wanted, .front = front, .floor = -(double)INFINITY};
    *out = (pfi_itg_answer){0};
    work->bytes = bytes;
    work->of = &chart;
    pf_err err = begin(&chart, product);
    if (!err) err = run_passes(&chart, out);
    if (pfi_ends_search(err) && out->best.n) {
        out->stopped = !out->whole;
        out->out_of_memory = err == PF_ENOMEM;
        err = PF_OK;
    }
    out->joins = chart.joins;
    work->bytes = NULL;
    end(&chart);
    if (err) pfi_itg_answer_free(out);
    return err;
}

void pfi_itg_answer_free(pfi_itg_answer *answer) {
    forget(answer);
    PF_VEC_FREE(&answer->best);
}
