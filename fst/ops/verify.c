/* The states that a path's labels can have led to, and the least cost of each: first over arcs with the path's weights, so
 * that of several paths with the same labels each finds itself; where there is none, over any. */
#include <permfst/ops/verify.h>

typedef struct {
    pf_state state;
    double cost;
} path_place;

typedef PF_VEC(path_place) path_places;

static pf_err reach(path_places *to, pf_state state, double cost) {
    path_place place = {state, cost};
    for (size_t i = 0; i < to->n; i++) {
        if (to->at[i].state != state) continue;
        if (cost < to->at[i].cost) to->at[i].cost = cost;
        return PF_OK;
    }
    return PF_PUSH(to, place);
}

typedef struct {
    pf_fst *fst;
    const pf_path *path;
    bool exact; /* only what weighs as the path says */
} path_search;

static bool fits(const path_search *search, float weight, float said) { return !search->exact || weight == said; }

static pf_err follow(const path_search *search, const path_places *from, const pf_arc *step, path_places *to) {
    to->n = 0;
    for (size_t i = 0; i < from->n; i++) {
        pf_arcs arcs = pf_fst_arcs(search->fst, from->at[i].state);
        PF_TRY(pf_fst_error(search->fst));
        for (uint32_t k = 0; k < arcs.n; k++)
            if (arcs.arc[k].in == step->in && arcs.arc[k].out == step->out && fits(search, arcs.arc[k].w, step->w))
                PF_TRY(reach(to, arcs.arc[k].to, from->at[i].cost + (double)arcs.arc[k].w));
    }
    return PF_OK;
}

static pf_err walk(const path_search *search, path_places *now, path_places *next, double *cost) {
    now->n = 0;
    PF_TRY(reach(now, search->fst->start, 0));
    for (size_t i = 0; i < search->path->n; i++) {
        PF_TRY(follow(search, now, &search->path->arc[i], next));
        path_places done = *now;
        *now = *next;
        *next = done;
    }
    for (size_t i = 0; i < now->n; i++) {
        float final = pf_fst_final(search->fst, now->at[i].state);
        double end = now->at[i].cost + (double)final;
        if (end < *cost && fits(search, final, search->path->final)) *cost = end;
    }
    return pf_fst_error(search->fst);
}

pf_err pf_verify_path(pf_fst *fst, const pf_path *path, double *cost) {
    path_places now = {0}, next = {0};
    *cost = (double)INFINITY;
    if (fst->start == PF_NO_STATE) return PF_OK;
    path_search exact = {fst, path, true}, any = {fst, path, false};
    pf_err err = walk(&exact, &now, &next, cost);
    if (!err && *cost == (double)INFINITY) err = walk(&any, &now, &next, cost);
    PF_VEC_FREE(&now);
    PF_VEC_FREE(&next);
    return err;
}

pf_err pf_verify_answer(pf_fst *fst, const pf_answer *answer, pf_wrong_path wrong, void *self, uint64_t *count) {
    *count = 0;
    for (size_t i = 0; i < answer->paths.n; i++) {
        const pf_path *path = &answer->paths.at[i];
        double cost;
        PF_TRY(pf_verify_path(fst, path, &cost));
        if (cost == path->cost) continue;
        ++*count;
        if (wrong) wrong(self, path, i + 1, cost);
    }
    return PF_OK;
}
