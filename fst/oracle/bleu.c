/* From a floor to the proof. The path that is best for a linear function of its matches gives a first score, and the tangent there
 * gives better slopes, and so on; a beam of a few hypotheses a node raises the floor; then one pass without a beam leaves nothing
 * that could be better. */
#include <permfst/oracle/bleu.h>

#include "oracle/oracle_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST_OF_NOTHING 1e6 /* of a path that prints nothing, whose score is 0 */
enum { NONE = PFI_NONE_OF, ROUNDS = 4, NARROW = 2, WIDE = 16 };

typedef struct {
    const pf_oracle_options *options;
    pfi_work work;
    pfi_product product;
    pfi_pareto search;
    PF_VEC(pfi_solution) best; /* in order */
    double bound;          /* 4 ln of what no path exceeds */
    uint64_t ties, joins;
    bool stopped, out_of_memory;
} oracle;

static bool has_brevity(const oracle *own) { return !own->options->without_brevity; }

static void forget(oracle *own) {
    for (size_t i = 0; i < own->best.n; i++) free(own->best.at[i].path.arc);
    own->best.n = 0;
}

static uint64_t bytes(const void *self) {
    const oracle *own = self;
    return pfi_product_bytes(&own->product) + pfi_pareto_bytes(&own->search);
}

static void begin(oracle *own, pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options) {
    *own = (oracle){.options = options, .work = {.options = options, .bytes = bytes, .of = own}};
    pfi_product_init(&own->product, fst, references, options);
    pfi_pareto_init(&own->search, &own->product, &own->work);
}

static void end(oracle *own) {
    forget(own);
    PF_VEC_FREE(&own->best);
    pfi_pareto_free(&own->search);
    pfi_product_free(&own->product);
}

/* ---- linear paths ---- */

/* The path of the greatest value; of equal ones the first step. */
static pf_err linear_path(const oracle *own, pf_path *out) {
    const pfi_product *product = &own->product;
    PF_VEC(pf_arc) arcs = {0};
    pf_err err = PF_OK;
    for (uint32_t at = 0; !err;) {
        const pfi_node *node = &product->node.at[at];
        double best = node->final ? 0 : -(double)INFINITY;
        uint32_t step = NONE;
        for (uint32_t next = node->first; next < node->first + node->steps; next++) {
            const pfi_move *move = &product->move.at[product->step.at[next].move];
            double value = product->rest.at[product->step.at[next].to].value;
            for (uint32_t match = move->first; match < move->first + move->matches; match++) {
                uint32_t length = product->references->gram.at[product->matched.at[match]].length;
                if (!product->fixed || length > 1) value += own->search.slope[length - 1];
            }
            if (value > best || (step == NONE && value >= best && value > -(double)INFINITY)) best = value, step = next;
        }
        if (step == NONE) break;
        pf_arc arc = *product->step.at[step].arc;
        arc.w = 0;
        arc.to = PF_NO_STATE;
        err = PF_PUSH(&arcs, arc);
        at = product->step.at[step].to;
    }
    *out = (pf_path){.arc = arcs.at, .n = arcs.n};
    if (!err && !arcs.at && !(out->arc = malloc(sizeof *out->arc))) err = pf_nomem();
    if (err) PF_VEC_FREE(&arcs);
    return err;
}

/* Keeps a path as the only solution, if it is better than that there is; its arcs are moved or freed. */
static pf_err keep_better(oracle *own, pf_path path, const pf_oracle_counts *counts) {
    if (own->best.n && pf_oracle_compare(counts, &own->best.at[0].counts, has_brevity(own)) <= 0) return free(path.arc), PF_OK;
    forget(own);
    pf_err err = PF_PUSH(&own->best, ((pfi_solution){path, *counts}));
    if (err) free(path.arc);
    return err;
}

/* The most matches that any path can have, for the first tangent. */
static pf_oracle_counts most_matches(const pfi_product *product) {
    pf_oracle_counts most = {{0}, {0}, 0, 0};
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        most.match[n] = product->fixed && !n ? product->fixed_matches : product->rest.at[0].most[n];
        if (most.match[n] > product->cap[n]) most.match[n] = product->cap[n];
    }
    return most;
}

/* Each path gives the next tangent, until one gives no more. */
static pf_err climb(oracle *own) {
    pf_oracle_counts near = most_matches(&own->product), counts;
    for (int round = 0; round < ROUNDS; round++) {
        pf_path path;
        pfi_pareto_tangent(&own->search, &near);
        PF_TRY(linear_path(own, &path));
        pf_err err = pfi_product_count(&own->product, path.arc, path.n, &counts);
        if (err) return free(path.arc), err;
        bool again = memcmp(counts.match, near.match, sizeof near.match) == 0;
        PF_TRY(keep_better(own, path, &counts));
        near = counts;
        if (again) break;
    }
    pfi_pareto_tangent(&own->search, &own->best.at[0].counts);
    return PF_OK;
}

/* ---- passes ---- */

/* Is a complete hypothesis before another? */
static bool is_before(const oracle *own, uint32_t first, uint32_t second) {
    pf_oracle_counts one = pfi_pareto_counts(&own->search, first), other = pfi_pareto_counts(&own->search, second);
    int order = pf_oracle_compare(&one, &other, has_brevity(own));
    return order ? order > 0 : pfi_pareto_compare(&own->search, first, second) < 0;
}

/* The complete hypotheses, best first; *out is the caller's. */
static pf_err sorted_ends(const oracle *own, uint32_t **out, size_t *count) {
    *count = 0;
    for (uint32_t at = pfi_pareto_end(&own->search); at != NONE; at = own->search.all.at[at].next) ++*count;
    if (!(*out = malloc((2 * *count + 1) * sizeof **out))) return pf_nomem();
    uint32_t *list = *out, *spare = list + *count, filled = 0;
    for (uint32_t at = pfi_pareto_end(&own->search); at != NONE; at = own->search.all.at[at].next) list[filled++] = at;
    for (size_t run = 1; run < *count; run *= 2)
        for (size_t from = 0; from + run < *count; from += 2 * run) {
            size_t left = from, middle = from + run, right = middle, last = middle + run < *count ? middle + run : *count, to = 0;
            while (left < middle || right < last) {
                bool is_left = right == last || (left < middle && !is_before(own, list[right], list[left]));
                spare[to++] = list[is_left ? left++ : right++];
            }
            memcpy(list + from, spare, to * sizeof *list);
        }
    return PF_OK;
}

static pf_err take_solutions(oracle *own, const uint32_t *list, size_t count) {
    forget(own);
    PF_TRY(PF_ROOM(&own->best, count));
    for (size_t place = 0; place < count && place < own->search.wanted; place++) {
        pfi_solution *next = &own->best.at[own->best.n];
        next->counts = pfi_pareto_counts(&own->search, list[place]);
        PF_TRY(pfi_pareto_path(&own->search, list[place], &next->path));
        own->best.n++;
        if (own->options->approximate) PF_TRY(pfi_product_count(&own->product, next->path.arc, next->path.n, &next->counts));
    }
    return PF_OK;
}

/* Takes what a pass has found, where it is better; what a whole pass has found is taken in any case. */
static pf_err harvest(oracle *own, bool whole) {
    uint32_t *list;
    size_t count;
    PF_TRY(sorted_ends(own, &list, &count));
    pf_oracle_counts first = {{0}, {0}, 0, 0};
    if (count) first = pfi_pareto_counts(&own->search, list[0]);
    bool is_better = count && (!own->best.n || count >= own->search.wanted || whole) &&
                     (whole || !own->best.n || pf_oracle_compare(&first, &own->best.at[0].counts, has_brevity(own)) >= 0);
    pf_err err = is_better ? take_solutions(own, list, count) : PF_OK;
    free(list);
    return err;
}

static void raise_floor(oracle *own) {
    if (own->best.n < own->search.wanted) return;
    double floor = pf_oracle_log(&own->best.at[own->search.wanted - 1].counts, has_brevity(own));
    if (floor > own->search.floor) own->search.floor = floor;
}

static pf_err pass(oracle *own, size_t at_node, bool *stopped) {
    own->search.at_node = at_node;
    PF_TRY(pfi_pareto_run(&own->search));
    *stopped = own->search.stopped;
    own->out_of_memory = own->out_of_memory || own->search.out_of_memory;
    if (!at_node && *stopped) {
        double left = fmax(own->search.left, own->search.floor);
        if (left < own->bound) own->bound = left;
    }
    PF_TRY(harvest(own, !at_node && !*stopped));
    raise_floor(own);
    return PF_OK;
}

/* Paths with the score of the best one. */
static void count_ties(oracle *own) {
    if (!own->best.n) return;
    for (uint32_t at = pfi_pareto_end(&own->search); at != NONE; at = own->search.all.at[at].next) {
        pf_oracle_counts counts = pfi_pareto_counts(&own->search, at);
        uint64_t orders = own->search.all.at[at].orders;
        if (pf_oracle_compare(&counts, &own->best.at[0].counts, has_brevity(own)) != 0) continue;
        own->ties = orders > UINT64_MAX - own->ties ? UINT64_MAX : own->ties + orders;
    }
}

/* With the n best paths known, one pass that counts those as good as the first. */
static pf_err run_ties(oracle *own) {
    bool stopped;
    size_t wanted = own->search.wanted;
    if (!own->options->ties || own->stopped || !own->best.n) return PF_OK;
    own->search.ties = true;
    own->search.wanted = 1;
    own->search.at_node = 0;
    own->search.floor = pf_oracle_log(&own->best.at[0].counts, has_brevity(own));
    PF_TRY(pfi_pareto_run(&own->search));
    stopped = own->search.stopped;
    own->out_of_memory = own->search.out_of_memory;
    if (!stopped) count_ties(own);
    own->search.ties = false;
    own->search.wanted = wanted;
    return PF_OK;
}

static pf_err run_exact(oracle *own) {
    bool stopped = false;
    size_t wanted = own->options->n ? own->options->n : 1;
    if (own->product.rest.at[0].least_words > own->product.rest.at[0].most_words) return PF_OK; /* no path */
    PF_TRY(climb(own));
    own->search.wanted = wanted;
    own->bound = pfi_pareto_bound(&own->search);
    raise_floor(own);
    if (wanted == 1 && own->options->known)
        own->search.floor = fmax(own->search.floor, pf_oracle_log(own->options->known, has_brevity(own)));
    PF_TRY(pass(own, wanted > NARROW ? wanted : NARROW, &stopped));
    if (!stopped) PF_TRY(pass(own, wanted > WIDE ? wanted : WIDE, &stopped));
    if (own->best.n) pfi_pareto_tangent(&own->search, &own->best.at[0].counts);
    if (!stopped) own->bound = fmin(own->bound, pfi_pareto_bound(&own->search));
    if (!stopped) PF_TRY(pass(own, 0, &stopped));
    own->stopped = stopped;
    if (!stopped && own->best.n) own->bound = pf_oracle_log(&own->best.at[0].counts, has_brevity(own));
    return run_ties(own);
}

/* One hypothesis a state: nothing is proven. Where a limit leaves none, a path is found as for the exact search. */
static pf_err run_one(oracle *own) {
    own->search.one_a_state = true;
    own->search.wanted = 1;
    own->bound = 0;
    PF_TRY(pfi_pareto_run(&own->search));
    own->stopped = own->search.stopped;
    own->out_of_memory = own->search.out_of_memory;
    if (pfi_pareto_end(&own->search) != NONE) return harvest(own, true);
    return own->out_of_memory ? pf_nomem() : climb(own);
}

/* Without a graph, which a limit has ended: some path, and what the n-grams of the slots allow. */
static pf_err run_greedy(oracle *own, pf_err limit) {
    bool known = false;
    pf_path path;
    pf_oracle_counts counts, most;
    own->stopped = true;
    own->out_of_memory = limit == PF_ENOMEM;
    own->bound = 0;
    PF_TRY(pfi_refuse_cycle(own->product.fst));
    const pfi_product left = own->product; /* tables that lack what memory did not suffice for */
    pfi_product_free(&own->product);
    pfi_product_init(&own->product, left.fst, left.references, left.options);
    own->product.whole_histories = false;
    PF_TRY(pfi_product_caps(&own->product, &known));
    PF_TRY(pfi_greedy(&own->product, &path));
    pf_err err = pfi_product_count(&own->product, path.arc, path.n, &counts);
    if (err) return free(path.arc), err;
    if (known && own->product.fixed) {
        most = counts;
        for (unsigned n = 0; n < PF_ORACLE_ORDER; n++)
            most.match[n] = own->product.cap[n] < most.total[n] ? own->product.cap[n] : most.total[n];
        own->bound = pf_oracle_log(&most, has_brevity(own));
    }
    return keep_better(own, path, &counts);
}

/* Orders of itg. */
static pf_err run_itg(oracle *own, bool front, pfi_itg_answer *found) {
    PF_TRY(pfi_itg_search(&own->product, &own->work, front, found));
    pf_err err = PF_ROOM(&own->best, found->best.n + 1);
    if (err) return pfi_itg_answer_free(found), err;
    for (size_t i = 0; i < found->best.n; i++) own->best.at[own->best.n++] = found->best.at[i];
    found->best.n = 0;
    own->bound = found->bound;
    own->ties = found->ties;
    own->joins = found->joins;
    own->stopped = found->stopped;
    own->out_of_memory = found->out_of_memory;
    own->search.wanted = own->options->n ? own->options->n : 1;
    pfi_itg_answer_free(found);
    return PF_OK;
}

static pf_err run(oracle *own) {
    pfi_itg_answer found;
    if (pfi_itg_takes(own->product.fst, own->options)) return run_itg(own, false, &found);
    pf_err err = pfi_product_build(&own->product, &own->work);
    if (pfi_ends_search(err) && own->product.fst->start != PF_NO_STATE) return run_greedy(own, err);
    PF_TRY(err);
    if (!own->product.node.n) return PF_OK;
    return own->options->approximate & PF_ORACLE_ONE_A_STATE ? run_one(own) : run_exact(own);
}

/* ---- answers ---- */

static pf_err fill(const oracle *own, pf_oracle_answer *out) {
    pf_answer *answer = &out->answer;
    answer->type = own->product.fst->type;
    answer->isyms = pf_symtab_ref(own->product.fst->isyms);
    answer->osyms = pf_symtab_ref(own->product.fst->osyms);
    answer->search = own->options->approximate ? "approximate BLEU" : "BLEU";
    answer->states = own->work.states;
    answer->arcs = own->joins ? own->joins : own->product.step.n;
    answer->stopped = own->stopped;
    answer->out_of_memory = own->out_of_memory;
    answer->bound = -(double)INFINITY;
    for (size_t place = 0; place < own->best.n; place++) {
        const pfi_solution *next = &own->best.at[place];
        double cost = fmin(-pf_oracle_log(&next->counts, has_brevity(own)) / PF_ORACLE_ORDER, COST_OF_NOTHING);
        PF_TRY(pf_answer_add(answer, next->path.arc, next->path.n, (float)fmax(cost, 0)));
        PF_TRY(PF_PUSH(&out->counts, next->counts));
    }
    out->ties = own->ties;
    out->approximate = own->options->approximate != 0;
    if (!own->best.n && own->stopped) return pf_fail(PF_ELIMIT, "a limit is reached before there is a path");
    if (!own->best.n) return answer->bound = (double)INFINITY, PF_OK;
    bool proven = !own->stopped && !own->options->approximate;
    out->score = pf_oracle_score(&out->counts.at[0], has_brevity(own));
    out->bound = proven ? out->score : fmax(out->score, exp(own->bound / PF_ORACLE_ORDER));
    if (proven)
        answer->bound = answer->paths.n < own->search.wanted ? (double)INFINITY : answer->paths.at[answer->paths.n - 1].cost;
    else answer->bound = fmax(0, -log(out->bound));
    if (own->options->approximate) answer->bound = -(double)INFINITY;
    return PF_OK;
}

pf_err pf_oracle_bleu(pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options,
                      pf_oracle_answer *out) {
    oracle own;
    assert(references->length.n);
    *out = (pf_oracle_answer){0};
    begin(&own, fst, references, options);
    pf_err err = run(&own);
    if (pfi_ends_search(err) && own.best.n) {
        own.stopped = true;
        own.out_of_memory = err == PF_ENOMEM;
        err = PF_OK;
    }
    if (!err) err = fill(&own, out);
    end(&own);
    return err;
}

void pf_oracle_answer_free(pf_oracle_answer *answer) {
    pf_answer_free(&answer->answer);
    PF_VEC_FREE(&answer->counts);
}

double pf_oracle_gap(const pf_oracle_answer *answer) {
    double points = 100 * (answer->bound - answer->score);
    return points > 0 ? ceil(points * 100) / 100 : 0;
}

const char *pf_oracle_proof(const pf_oracle_answer *answer, char words[PF_ORACLE_PROOF_BYTES]) {
    double gap = pf_oracle_gap(answer);
    if (answer->approximate) snprintf(words, PF_ORACLE_PROOF_BYTES, "approximate");
    else if (gap > 0) snprintf(words, PF_ORACLE_PROOF_BYTES, "gap <= %.2f", gap);
    else snprintf(words, PF_ORACLE_PROOF_BYTES, "optimal");
    return words;
}

/* ---- fronts ---- */

static bool is_larger(const pf_oracle_counts *first, const pf_oracle_counts *second) {
    if (first->length != second->length) return first->length > second->length;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++)
        if (first->match[n] != second->match[n]) return first->match[n] > second->match[n];
    return false;
}

static pf_err fill_front(const oracle *own, pf_oracle_front *out) {
    for (uint32_t at = pfi_pareto_end(&own->search); at != NONE; at = own->search.all.at[at].next) {
        pf_oracle_choice next = {.counts = pfi_pareto_counts(&own->search, at)};
        PF_TRY(PF_ROOM(&out->choice, 1));
        PF_TRY(pfi_pareto_path(&own->search, at, &next.path));
        size_t place = out->choice.n++;
        for (; place && is_larger(&next.counts, &out->choice.at[place - 1].counts); place--)
            out->choice.at[place] = out->choice.at[place - 1];
        out->choice.at[place] = next;
    }
    return PF_OK;
}

/* Where the front is not whole: the paths of the exact oracle, or what there is, and what nothing exceeds. */
static pf_err fill_part(oracle *own, pf_oracle_front *out) {
    for (size_t i = 0; i < own->best.n; i++) {
        PF_TRY(PF_PUSH(&out->choice, ((pf_oracle_choice){own->best.at[i].counts, own->best.at[i].path})));
        own->best.at[i].path.arc = NULL;
    }
    own->best.n = 0;
    return PF_OK;
}

/* The front of itg orders: its choices in the order of fill_front. */
static pf_err front_of_itg(oracle *own, pf_oracle_front *out) {
    pfi_itg_answer found;
    PF_TRY(run_itg(own, true, &found));
    out->whole = found.whole;
    out->rest = found.rest;
    for (size_t i = 1; i < own->best.n; i++) {
        pfi_solution next = own->best.at[i];
        size_t place = i;
        for (; place && is_larger(&next.counts, &own->best.at[place - 1].counts); place--)
            own->best.at[place] = own->best.at[place - 1];
        own->best.at[place] = next;
    }
    return fill_part(own, out);
}

static pf_err run_front(oracle *own, pf_oracle_front *out) {
    if (pfi_itg_takes(own->product.fst, own->options)) return front_of_itg(own, out);
    pf_err err = pfi_product_build(&own->product, &own->work);
    if (pfi_ends_search(err) && own->product.fst->start != PF_NO_STATE) {
        PF_TRY(run_greedy(own, err));
        for (unsigned n = 0; n < PF_ORACLE_ORDER; n++)
            out->rest.match[n] = own->product.fixed ? own->product.cap[n] : UINT32_MAX;
        return fill_part(own, out);
    }
    PF_TRY(err);
    if (!own->product.node.n) return out->whole = true, PF_OK;
    PF_TRY(climb(own));
    own->search.front = true;
    PF_TRY(pfi_pareto_run(&own->search));
    out->whole = !own->search.stopped;
    own->out_of_memory = own->search.out_of_memory;
    out->rest = own->search.left_counts;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++)
        if (out->rest.match[n] > own->product.cap[n]) out->rest.match[n] = own->product.cap[n];
    return out->whole ? fill_front(own, out) : fill_part(own, out);
}

pf_err pf_oracle_front_of(pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options,
                          pf_oracle_front *out) {
    oracle own;
    *out = (pf_oracle_front){.isyms = pf_symtab_ref(fst->isyms), .osyms = pf_symtab_ref(fst->osyms)};
    begin(&own, fst, references, options);
    pf_err err = run_front(&own, out);
    out->out_of_memory = own.out_of_memory;
    end(&own);
    return err;
}

void pf_oracle_front_free(pf_oracle_front *front) {
    for (size_t i = 0; i < front->choice.n; i++) free(front->choice.at[i].path.arc);
    PF_VEC_FREE(&front->choice);
    pf_symtab_free(front->isyms);
    pf_symtab_free(front->osyms);
}
