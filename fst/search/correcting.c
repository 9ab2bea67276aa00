/* Label correcting (Bellman 1958; Moore 1959), with a queue of states.
 *
 * The label of a state is the least cost of a path to it that was met, and of such paths the fewest arcs. A state whose label
 * becomes smaller is queued, so that the labels after it are corrected. If no cycle has a negative cost, the labels become those of
 * the best paths; a state has more arcs on its best path than the state before it, so states in the order of their arcs are an
 * order in which best paths grow. A path with more arcs than there are states has a cycle on it: then the way back to the start is
 * looked at, and if it never gets there, it is a cycle that makes costs ever smaller. */
#include "search/correcting.h"

#include "search/limits.h"

typedef struct {
    double cost;     /* INFINITY: not met */
    uint32_t arcs;   /* of the path */
    pf_state before; /* the state before it on the path; PF_NO_STATE: none */
    pf_arc arc;      /* from there */
    bool queued;
} state_label;

typedef struct {
    pf_fst *fst;
    const pf_best_options *options;
    PF_VEC(state_label) labels; /* of each state */
    PF_VEC(pf_state) queue;     /* from `first` on */
    size_t first;
    uint32_t met; /* states */
} label_search;

void pfi_correcting_free(pfi_correcting *correcting) {
    PF_VEC_FREE(&correcting->order);
    PF_VEC_FREE(&correcting->cycle);
}

static pf_err enqueue(label_search *search, pf_state state) {
    if (search->labels.at[state].queued) return PF_OK;
    if (search->first > search->queue.n / 2) { /* what has left the queue makes room */
        size_t left = search->queue.n - search->first;
        for (size_t i = 0; i < left; i++) search->queue.at[i] = search->queue.at[search->first + i];
        search->queue.n = left;
        search->first = 0;
    }
    search->labels.at[state].queued = true;
    return PF_PUSH(&search->queue, state);
}

/* A path to the state of an arc: it is noted if it is better than the one known. */
static pf_err correct(label_search *search, pf_state from, const pf_arc *arc, bool *corrected) {
    static const state_label none = {.cost = (double)INFINITY, .before = PF_NO_STATE};
    while (search->labels.n <= arc->to) PF_TRY(PF_PUSH(&search->labels, none));
    const state_label *source = &search->labels.at[from];
    const double cost = source->cost + (double)arc->w;
    const uint32_t arcs = source->arcs + 1;
    state_label *label = &search->labels.at[arc->to];
    *corrected = cost < label->cost || (cost == label->cost && arcs < label->arcs);
    if (!*corrected) return PF_OK;
    search->met += label->cost == (double)INFINITY;
    *label = (state_label){cost, arcs, from, *arc, label->queued};
    return enqueue(search, arc->to);
}

/* The state before the state before ... as many times as there are states: one on a cycle, or PF_NO_STATE. */
static pf_state on_cycle(const label_search *search, pf_state state) {
    for (uint32_t i = 0; i < search->met && state != PF_NO_STATE; i++) state = search->labels.at[state].before;
    return state;
}

static pf_err write_cycle(const label_search *search, pf_state state, pfi_correcting *out) {
    size_t n = 0;
    for (pf_state at = state; !n || at != state; at = search->labels.at[at].before, n++)
        PF_TRY(PF_PUSH(&out->cycle, search->labels.at[at].arc));
    for (size_t i = 0; i < n / 2; i++) {
        pf_arc arc = out->cycle.at[i];
        out->cycle.at[i] = out->cycle.at[n - 1 - i];
        out->cycle.at[n - 1 - i] = arc;
    }
    return PF_OK;
}

static pf_err follow(label_search *search, pf_state state, pfi_correcting *out) {
    pf_arcs arcs = pf_fst_arcs(search->fst, state);
    PF_TRY(pf_fst_error(search->fst));
    for (uint32_t i = 0; i < arcs.n && !out->cycle.n; i++) {
        bool corrected = false;
        if (arcs.arc[i].w < INFINITY) PF_TRY(correct(search, state, &arcs.arc[i], &corrected));
        if (!corrected || search->labels.at[arcs.arc[i].to].arcs < search->met) continue;
        pf_state turning = on_cycle(search, arcs.arc[i].to);
        if (turning != PF_NO_STATE) PF_TRY(write_cycle(search, turning, out));
    }
    return PF_OK;
}

/* A counting sort by the number of arcs, which is less than that of the states. */
static pf_err sort_states(const label_search *search, pfi_correcting *out) {
    PF_VEC(size_t) first = {0};
    pf_err err = PF_ROOM(&first, search->met + (size_t)1);
    if (!err) err = PF_ROOM(&out->order, search->met);
    if (!err) {
        for (size_t i = 0; i <= search->met; i++) first.at[i] = 0;
        for (size_t i = 0; i < search->labels.n; i++)
            if (search->labels.at[i].cost < (double)INFINITY) first.at[search->labels.at[i].arcs + 1]++;
        for (size_t i = 1; i <= search->met; i++) first.at[i] += first.at[i - 1];
        for (size_t i = 0; i < search->labels.n; i++)
            if (search->labels.at[i].cost < (double)INFINITY) out->order.at[first.at[search->labels.at[i].arcs]++] = (pf_state)i;
        out->order.n = search->met;
    }
    PF_VEC_FREE(&first);
    return err;
}

static pf_err start(label_search *search) {
    const state_label none = {.cost = (double)INFINITY, .before = PF_NO_STATE};
    while (search->labels.n <= search->fst->start) PF_TRY(PF_PUSH(&search->labels, none));
    search->labels.at[search->fst->start].cost = 0;
    search->met = 1;
    return enqueue(search, search->fst->start);
}

static pf_err run(label_search *search, pfi_correcting *out) {
    PF_TRY(start(search));
    for (uint64_t steps = 0; search->first < search->queue.n && !out->cycle.n; steps++) {
        pf_state state = search->queue.at[search->first++];
        search->labels.at[state].queued = false;
        PF_TRY(pfi_check_states(search->options, search->met));
        PF_TRY(pfi_check_time_at(steps, search->options, search->met));
        PF_TRY(follow(search, state, out));
    }
    return out->cycle.n ? PF_OK : sort_states(search, out);
}

pf_err pfi_correcting_run(pf_fst *fst, const pf_best_options *options, pfi_correcting *out) {
    label_search search = {.fst = fst, .options = options};
    *out = (pfi_correcting){0};
    pf_err err = run(&search, out);
    PF_VEC_FREE(&search.labels);
    PF_VEC_FREE(&search.queue);
    return err;
}
