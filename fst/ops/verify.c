/* The states that a path's labels can have led to, and the least cost of each. */
#include "ops/verify.h"

typedef struct {
    pf_state state;
    double cost;
} place;

typedef PF_VEC(place) places;

static pf_err reach(places *to, pf_state state, double cost) {
    place p = {state, cost};
    for (size_t i = 0; i < to->n; i++) {
        if (to->at[i].state != state) continue;
        if (cost < to->at[i].cost) to->at[i].cost = cost;
        return PF_OK;
    }
    return PF_PUSH(to, p);
}

static pf_err follow(pf_fst *fst, const places *from, const pf_arc *step, places *to) {
    to->n = 0;
    for (size_t i = 0; i < from->n; i++) {
        pf_arcs a = pf_fst_arcs(fst, from->at[i].state);
        PF_TRY(pf_fst_error(fst));
        for (uint32_t k = 0; k < a.n; k++)
            if (a.arc[k].in == step->in && a.arc[k].out == step->out)
                PF_TRY(reach(to, a.arc[k].to, from->at[i].cost + (double)a.arc[k].w));
    }
    return PF_OK;
}

static pf_err walk(pf_fst *fst, const pf_path *path, places *now, places *next, double *cost) {
    PF_TRY(reach(now, fst->start, 0));
    for (size_t i = 0; i < path->n; i++) {
        PF_TRY(follow(fst, now, &path->arc[i], next));
        places done = *now;
        *now = *next;
        *next = done;
    }
    for (size_t i = 0; i < now->n; i++) {
        double end = now->at[i].cost + (double)pf_fst_final(fst, now->at[i].state);
        if (end < *cost) *cost = end;
    }
    return pf_fst_error(fst);
}

pf_err pf_verify_path(pf_fst *fst, const pf_path *path, double *cost) {
    places now = {0}, next = {0};
    *cost = (double)INFINITY;
    if (fst->start == PF_NO_STATE) return PF_OK;
    pf_err err = walk(fst, path, &now, &next, cost);
    PF_VEC_FREE(&now);
    PF_VEC_FREE(&next);
    return err;
}
