/* Longest paths, in reverse topological order. */
#include <permfst/ops/most.h>

#include <permfst/ops/topsort.h>

#include <assert.h>
#include <stdlib.h>

static const double no_path = -(double)INFINITY;

static pf_err take(const pf_gain *gain, pf_label label, double after, double *most) {
    double own;
    if (after == no_path) return PF_OK;
    PF_TRY(gain->of(gain->self, label, &own));
    assert(own < (double)INFINITY && after < (double)INFINITY);
    if (own + after > *most) *most = own + after;
    return PF_OK;
}

/* ---- machines whose states are known ---- */

static pf_err along(pf_fst *fst, const pf_topsort *sorted, const pf_gain *gain, double *value) {
    for (size_t k = sorted->order.n; k--;) {
        pf_state state = sorted->order.at[k];
        pf_arcs arcs = pf_fst_arcs(fst, state);
        value[state] = pf_fst_final(fst, state) < INFINITY ? 0 : no_path;
        for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(take(gain, arcs.arc[i].out, value[arcs.arc[i].to], &value[state]));
    }
    return PF_OK;
}

static pf_err by_states(pf_fst *fst, const pf_gain *gain, uint64_t max_states, double *out) {
    pf_topsort sorted;
    PF_TRY(pf_topsort_run(fst, max_states, NULL, NULL, &sorted));
    *out = (double)INFINITY;
    double *value = sorted.cyclic ? NULL : malloc(((size_t)pf_fst_states(fst) + 1) * sizeof *value);
    pf_err err = value || sorted.cyclic ? PF_OK : pf_nomem();
    if (value) err = along(fst, &sorted, gain, value);
    if (value && !err) *out = value[fst->start];
    free(value);
    pf_topsort_free(&sorted);
    return err;
}

/* ---- slots, and nodes of a graph ---- */

static pf_err by_slots(const pf_slots_view *slots, const pf_gain *gain, double *out) {
    *out = 0;
    for (unsigned j = 0; j < slots->n; j++) {
        double most = no_path;
        assert(slots->first[j] <= slots->first[j + 1]);
        for (uint32_t a = slots->first[j]; a < slots->first[j + 1]; a++) PF_TRY(take(gain, slots->arc[a].out, 0, &most));
        *out += most;
    }
    return PF_OK;
}

static pf_err by_nodes(const pf_slots_view *graph, const pf_gain *gain, double *out) {
    double *value = malloc(((size_t)graph->n + 1) * sizeof *value);
    pf_err err = value ? PF_OK : pf_nomem();
    if (!err) value[graph->n] = 0;
    for (unsigned j = graph->n; !err && j--;) {
        value[j] = no_path;
        for (uint32_t a = graph->first[j]; !err && a < graph->first[j + 1]; a++) {
            assert(graph->arc[a].to > j && graph->arc[a].to <= graph->n);
            err = take(gain, graph->arc[a].out, value[graph->arc[a].to], &value[j]);
        }
    }
    if (!err) *out = value[0];
    free(value);
    return err;
}

/* ---- any machine ---- */

pf_err pf_most_known(pf_fst *fst, const pf_gain *gain, double *out) {
    pf_slots_view view;
    *out = no_path;
    if (fst->start == PF_NO_STATE) return PF_OK;
    if (!fst->op) return by_states(fst, gain, 0, out);
    if (fst->op->most) return fst->op->most(fst->self, gain, out);
    *out = (double)INFINITY;
    if (!fst->op->slots && !fst->op->graph) return PF_OK;
    (fst->op->slots ? fst->op->slots : fst->op->graph)(fst->self, &view);
    return (fst->op->slots ? by_slots : by_nodes)(&view, gain, out);
}

pf_err pf_most(pf_fst *fst, const pf_gain *gain, uint64_t max_states, double *out) {
    PF_TRY(pf_most_known(fst, gain, out));
    return *out < (double)INFINITY || !fst->op ? PF_OK : by_states(fst, gain, max_states, out);
}
