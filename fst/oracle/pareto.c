/* Pareto search: the hypotheses of each node, in the order of the nodes.
 *
 * Bounds of a score, in 4 ln: the matches so far with the most that paths from the node still have, order by order; and the
 * tangent. ln is concave, so that for any matches M the sum of ln m_n is at most the sum of ln M_n + (m_n - M_n) / M_n, and the
 * most of this linear function over all paths from a node is known (rest.value). Near the best path the tangent is nearly tight.
 * Sums of doubles are compared with a margin: what is within it is kept. */
#include "oracle/oracle_impl.h"

#include "base/contract.h"
#include "search/ties.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF };
#define EPSILON 1e-10
#define MARGIN 1e-9 /* more than the rounding of a few sums of logarithms */

void pfi_pareto_init(pfi_pareto *search, pfi_product *product, pfi_work *work) {
    *search = (pfi_pareto){.product = product, .work = work, .wanted = 1, .floor = -(double)INFINITY, .freed = NONE};
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) search->peak[n] = 1, search->slope[n] = 1;
}

void pfi_pareto_free(pfi_pareto *search) {
    PF_VEC_FREE(&search->all);
    PF_VEC_FREE(&search->used);
    PF_VEC_FREE(&search->head);
    PF_VEC_FREE(&search->logs);
}

uint64_t pfi_pareto_bytes(const pfi_pareto *search) {
    return search->all.cap * sizeof *search->all.at + search->used.cap * sizeof *search->used.at +
           search->head.cap * sizeof *search->head.at;
}

/* ---- bounds ---- */

static double log_of(const pfi_pareto *search, uint64_t n) {
    return n < search->logs.n ? search->logs.at[n] : log((double)n);
}

static pf_err fill_logs(pfi_pareto *search) {
    uint32_t most = search->product->rest.n ? search->product->rest.at[0].most_words : 0;
    size_t count = most < 100000 ? most + 2 : 100000;
    if (search->logs.n) return PF_OK;
    PF_TRY(PF_ROOM(&search->logs, count));
    for (size_t i = 0; i < count; i++) search->logs.at[i] = log((double)i);
    search->logs.n = count;
    return PF_OK;
}

/* ln of a precision; total > 0, or there is no match. */
static double precision(const pfi_pareto *search, uint64_t match, uint64_t total) {
    return match ? log_of(search, match) - log_of(search, total) : log(EPSILON);
}

static uint64_t total_of(uint64_t words, unsigned n) { return words > n ? words - n : 0; }

void pfi_pareto_tangent(pfi_pareto *search, const pf_oracle_counts *near) {
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        search->peak[n] = (double)near->match[n];
        search->slope[n] = near->match[n] ? 1 / (double)near->match[n] : -log(EPSILON); /* from no match to one, at the most */
    }
    pfi_product_values(search->product, search->slope);
}

/* ln of the tangent where it touches, less the slope for the matches there, for a whole length. */
static double tangent_at(const pfi_pareto *search, uint64_t words) {
    double sum = 0;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++)
        sum += search->peak[n] > 0 ? log(search->peak[n] / (double)(total_of(words, n) ? total_of(words, n) : 1)) - 1
            : log(EPSILON);
    return sum;
}

static double bound_with(const pfi_pareto *search, const uint32_t *match, const pfi_remainder *rest, uint64_t words,
                         double tangent) {
    double sum = 0;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        uint64_t most = (uint64_t)match[n] + rest->most[n], total = total_of(words, n);
        if (most > search->product->cap[n]) most = search->product->cap[n];
        if (search->product->fixed && !n) most = match[n];
        sum += precision(search, most < total ? most : total, total);
    }
    tangent += tangent_at(search, words);
    return (sum < tangent ? sum : tangent) + pfi_brevity(search->product, words);
}

/* 4 ln of a score that no path exceeds that goes on from the node. */
static double bound_of(const pfi_pareto *search, uint32_t node, const uint32_t *match, uint32_t words) {
    const pfi_remainder *rest = &search->product->rest.at[node];
    assert(node < search->product->rest.n);
    double tangent = rest->value, best = -(double)INFINITY;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) tangent += search->slope[n] * match[n];
    if (rest->least_words > rest->most_words) return best;
    for (uint64_t more = rest->least_words; more <= rest->most_words; more++) {
        double bound = bound_with(search, match, rest, words + more, tangent);
        if (bound > best) best = bound;
    }
    return best;
}

/* Matches of one path are whole: of the parts of a bound one with more matches than words is none. */
double pfi_pareto_bound(const pfi_pareto *search) {
    uint32_t match[PF_ORACLE_ORDER] = {search->product->fixed ? search->product->fixed_matches : 0};
    return search->product->rest.n ? bound_of(search, 0, match, 0) : -(double)INFINITY;
}

/* ---- the order of hypotheses ---- */

int pfi_pareto_compare(const pfi_pareto *search, uint32_t first, uint32_t second) {
    const pfi_partial *all = search->all.at;
    int in = 0, out = 0;
    if (all[first].depth != all[second].depth) return all[first].depth < all[second].depth ? -1 : 1;
    for (; first != second; first = all[first].from, second = all[second].from) {
        if (all[first].step == NONE || all[second].step == NONE) continue;
        const pf_arc *a = search->product->step.at[all[first].step].arc, *b = search->product->step.at[all[second].step].arc;
        if (a->in != b->in) in = a->in < b->in ? -1 : 1; /* the earliest difference decides */
        if (a->out != b->out) out = pfi_output_order(search->product->fst->osyms, a->out, b->out);
    }
    return in ? in : out;
}

static uint64_t *used_of(const pfi_pareto *search, uint32_t hypothesis) {
    return search->used.at + search->product->bits * hypothesis;
}

/* Does the first use no more than the second? *same: as much. */
static bool uses_no_more(const pfi_pareto *search, uint32_t first, uint32_t second, bool *same) {
    const uint64_t *one = used_of(search, first), *other = used_of(search, second);
    *same = true;
    for (size_t block = 0; block < search->product->bits; block++) {
        if (one[block] & ~other[block]) return false;
        *same = *same && one[block] == other[block];
    }
    return true;
}

/* Is every path over the second worse than the same one over the first, or of equal score and later? */
static bool betters(const pfi_pareto *search, uint32_t first, uint32_t second) {
    const pfi_partial *one = &search->all.at[first], *other = &search->all.at[second];
    bool more = false, same;
    if (one->words != other->words) return false;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        if (one->match[n] < other->match[n]) return false;
        more = more || one->match[n] > other->match[n];
    }
    if (!uses_no_more(search, first, second, &same)) return false;
    if (more) return true;
    if (search->ties && !same) return false; /* some paths over them may be equal */
    return pfi_pareto_compare(search, first, second) <= 0;
}

/* The same of hypotheses of which one is kept: by what each has scored so far. */
static bool leads(const pfi_pareto *search, uint32_t first, uint32_t second) {
    const pfi_partial *both[] = {&search->all.at[first], &search->all.at[second]};
    pf_oracle_counts counts[2] = {{{0}, {0}, 0, 0}};
    if (both[0]->words != both[1]->words) return false;
    for (unsigned which = 0; which < 2; which++) {
        pf_oracle_counts_total(&counts[which], both[which]->words);
        for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) counts[which].match[n] = both[which]->match[n];
    }
    int order = pf_oracle_compare(&counts[0], &counts[1], false);
    return order ? order > 0 : pfi_pareto_compare(search, first, second) <= 0;
}

static bool beats(const pfi_pareto *search, uint32_t first, uint32_t second) {
    return search->one_a_state ? leads(search, first, second) : betters(search, first, second);
}

/* ---- lists ---- */

static pf_err new_hypothesis(pfi_pareto *search, uint32_t *out) {
    if (search->freed != NONE) {
        *out = search->freed;
        search->freed = search->all.at[*out].next;
        return PF_OK;
    }
    if (search->all.n == NONE) return pf_fail(PF_ELIMIT, "there are more than %u hypotheses", NONE - 1);
    PF_TRY(PF_ROOM(&search->used, search->product->bits + 1));
    PF_TRY(PF_PUSH(&search->all, (pfi_partial){0}));
    search->used.n += search->product->bits;
    *out = (uint32_t)search->all.n - 1;
    return PF_OK;
}

static void drop(pfi_pareto *search, uint32_t hypothesis) {
    assert(hypothesis < search->all.n);
    search->all.at[hypothesis].next = search->freed;
    search->freed = hypothesis;
}

/* The one of the list with the least bound, before which `*at` stands, if the list is too long. */
static void shorten(pfi_pareto *search, uint32_t list) {
    size_t length = 0;
    uint32_t *worst = &search->head.at[list];
    for (uint32_t *at = worst; *at != NONE; at = &search->all.at[*at].next, length++)
        if (search->all.at[*at].bound < search->all.at[*worst].bound) worst = at;
    if (length <= search->at_node) return;
    uint32_t hypothesis = *worst;
    *worst = search->all.at[hypothesis].next;
    drop(search, hypothesis);
}

static void merge_orders(pfi_pareto *search, uint32_t into, uint32_t from) {
    uint64_t *sum = &search->all.at[into].orders, more = search->all.at[from].orders;
    *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

/* Do both have the same matches and uses, so that one stands for both where paths are counted? */
static bool are_equal(const pfi_pareto *search, uint32_t first, uint32_t second) {
    const pfi_partial *one = &search->all.at[first], *other = &search->all.at[second];
    bool same;
    return one->words == other->words && memcmp(one->match, other->match, sizeof one->match) == 0 &&
           uses_no_more(search, first, second, &same) && same;
}

/* Puts a new hypothesis into a list, unless n others of it are better; takes out those that now have n betters. */
static void enter(pfi_pareto *search, uint32_t list, uint32_t fresh) {
    pfi_partial *all = search->all.at;
    for (uint32_t *at = &search->head.at[list]; *at != NONE;) {
        uint32_t other = *at;
        bool merges = search->ties && are_equal(search, other, fresh);
        if (beats(search, other, fresh)) {
            if (merges) merge_orders(search, other, fresh);
            if (++all[fresh].betters >= search->wanted) return drop(search, fresh);
        } else if (beats(search, fresh, other)) {
            if (merges) merge_orders(search, fresh, other);
            if (++all[other].betters >= search->wanted) {
                *at = all[other].next;
                drop(search, other);
                continue;
            }
        }
        at = &all[other].next;
    }
    all[fresh].next = search->head.at[list];
    search->head.at[list] = fresh;
    if (search->at_node) shorten(search, list);
}

/* ---- one pass ---- */

/* Takes a contested n-gram, if there is one left. Its bits are set from the lowest. */
static bool take(const pfi_product *product, uint32_t gram, uint64_t *used) {
    uint32_t first = product->bit.at[gram];
    assert(first != NONE);
    for (uint32_t bit = first; bit < first + product->references->gram.at[gram].most; bit++) {
        if (used[bit / 64] >> bit % 64 & 1) continue;
        used[bit / 64] |= UINT64_C(1) << bit % 64;
        return true;
    }
    return false;
}

static void apply(pfi_pareto *search, uint32_t from, uint32_t step, uint32_t to) {
    const pfi_product *product = search->product;
    const pfi_step *by = &product->step.at[step];
    const pfi_move *move = &product->move.at[by->move];
    pfi_partial *next = &search->all.at[to];
    uint64_t *used = used_of(search, to);
    *next = search->all.at[from];
    next->from = from;
    next->step = step;
    next->words += move->words;
    next->depth++;
    next->betters = 0;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) next->match[n] += move->sure[n];
    if (!product->bits) return;
    memcpy(used, used_of(search, from), product->bits * sizeof *used);
    for (uint32_t i = move->first; i < move->first + move->contested; i++) {
        uint32_t gram = product->matched.at[i];
        if (take(product, gram, used)) next->match[product->references->gram.at[gram].length - 1]++;
    }
    for (size_t i = 0; i < product->bits; i++) used[i] &= product->relevant.at[product->bits * by->to + i];
}

static void leave(pfi_pareto *search, uint32_t hypothesis, uint32_t node) {
    const pfi_partial *left = &search->all.at[hypothesis];
    const pfi_remainder *rest = &search->product->rest.at[node];
    if (left->bound > search->left) search->left = left->bound;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        uint64_t most = (uint64_t)left->match[n] + rest->most[n];
        if (most > search->left_counts.match[n]) search->left_counts.match[n] = most;
    }
}

static pf_err extend(pfi_pareto *search, uint32_t from, uint32_t step) {
    uint32_t fresh, node = search->product->step.at[step].to;
    PF_TRY(new_hypothesis(search, &fresh));
    apply(search, from, step, fresh);
    pfi_partial *next = &search->all.at[fresh];
    bool is_dead = search->product->rest.at[node].least_words > search->product->rest.at[node].most_words;
    next->bound = is_dead || search->front || search->one_a_state ? 0 : bound_of(search, node, next->match, next->words);
    if (is_dead || next->bound < search->floor - MARGIN) return drop(search, fresh), PF_OK;
    enter(search, node, fresh);
    return PF_OK;
}

/* A bound that is too low loses paths without a word. Is none on the way to a complete hypothesis below its score? */
static bool bounds_hold(const pfi_pareto *search, uint32_t end) {
    const pfi_partial *all = search->all.at;
    if (search->front || search->one_a_state) return true;
    for (uint32_t at = all[end].from; at != NONE; at = all[at].from)
        if (all[at].bound < all[end].bound - MARGIN) return false;
    return true;
}

/* A path may end here. The score of a complete hypothesis is a floor for the others. */
static pf_err end(pfi_pareto *search, uint32_t from) {
    uint32_t fresh;
    PF_TRY(new_hypothesis(search, &fresh));
    pfi_partial *next = &search->all.at[fresh];
    *next = search->all.at[from];
    next->from = from;
    next->step = NONE;
    next->depth++;
    next->betters = 0;
    if (search->product->bits) memset(used_of(search, fresh), 0, search->product->bits * sizeof(uint64_t));
    pf_oracle_counts counts = pfi_pareto_counts(search, fresh);
    next->bound = pf_oracle_log(&counts, !search->product->options->without_brevity);
    PFI_CHECK(bounds_hold(search, fresh));
    if (search->wanted == 1 && !search->front && !search->one_a_state && next->bound > search->floor) search->floor = next->bound;
    enter(search, (uint32_t)search->product->node.n, fresh);
    return PF_OK;
}

static pf_err begin(pfi_pareto *search) {
    size_t nodes = search->product->node.n;
    uint32_t first;
    search->all.n = search->used.n = search->head.n = 0;
    search->freed = NONE;
    search->stopped = search->out_of_memory = false;
    search->left = -(double)INFINITY;
    search->left_counts = (pf_oracle_counts){0};
    PF_TRY(fill_logs(search));
    PF_TRY(PF_ROOM(&search->head, nodes + 1));
    search->head.n = nodes + 1;
    for (size_t i = 0; i <= nodes; i++) search->head.at[i] = NONE;
    if (!nodes) return PF_OK;
    PF_TRY(new_hypothesis(search, &first));
    search->all.at[first] = (pfi_partial){.from = NONE, .step = NONE, .next = NONE, .orders = 1,
                                             .match = {search->product->fixed ? search->product->fixed_matches : 0}};
    if (search->product->bits) memset(used_of(search, first), 0, search->product->bits * sizeof(uint64_t));
    search->all.at[first].bound = pfi_pareto_bound(search);
    search->head.at[0] = first;
    return PF_OK;
}

static pf_err visit(pfi_pareto *search, uint32_t node) {
    const pfi_node *at = &search->product->node.at[node];
    for (uint32_t from = search->head.at[node]; from != NONE; from = search->all.at[from].next) {
        if (search->all.at[from].bound < search->floor - MARGIN) continue; /* the floor has risen */
        PF_TRY(pfi_work_done(search->work, at->steps));
        for (uint32_t i = at->first; i < at->first + at->steps; i++) PF_TRY(extend(search, from, i));
        if (at->final) PF_TRY(end(search, from));
    }
    return PF_OK;
}

pf_err pfi_pareto_run(pfi_pareto *search) {
    const pfi_product *product = search->product;
    assert(product->rest.n == product->node.n && product->order.n == product->node.n);
    pf_err err = begin(search);
    size_t place = 0;
    for (; !err && place < product->order.n; place++) err = visit(search, product->order.at[place]);
    if (!pfi_ends_search(err)) return err;
    if (!search->head.n) return err;
    search->stopped = true;
    search->out_of_memory = err == PF_ENOMEM;
    for (place = place ? place - 1 : 0; place < product->order.n; place++)
        for (uint32_t at = search->head.at[product->order.at[place]]; at != NONE; at = search->all.at[at].next)
            leave(search, at, product->order.at[place]);
    return PF_OK;
}

/* ---- what was found ---- */

uint32_t pfi_pareto_end(const pfi_pareto *search) { return search->head.n ? search->head.at[search->head.n - 1] : NONE; }

pf_oracle_counts pfi_pareto_counts(const pfi_pareto *search, uint32_t hypothesis) {
    const pfi_partial *own = &search->all.at[hypothesis];
    pf_oracle_counts counts = {{0}, {0}, 0, 0};
    pf_oracle_counts_total(&counts, own->words);
    counts.reference = pf_oracle_closest(search->product->references, own->words);
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) counts.match[n] = own->match[n];
    return counts;
}

pf_err pfi_pareto_path(const pfi_pareto *search, uint32_t hypothesis, pf_path *out) {
    const pfi_partial *all = search->all.at;
    assert(hypothesis < search->all.n && all[hypothesis].step == NONE && all[hypothesis].depth);
    *out = (pf_path){.n = all[hypothesis].depth - 1};
    if (!(out->arc = malloc((out->n + 1) * sizeof *out->arc))) return pf_nomem();
    uint32_t at = all[hypothesis].from;
    for (size_t place = out->n; place--; at = all[at].from) {
        out->arc[place] = *search->product->step.at[all[at].step].arc;
        out->arc[place].w = 0;
        out->arc[place].to = PF_NO_STATE;
    }
    return PF_OK;
}
