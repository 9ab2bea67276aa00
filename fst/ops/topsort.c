/* Finishing times of a depth-first search, reversed. */
#include <permfst/ops/topsort.h>

#include <assert.h>

enum { NEW, OPEN, DONE };

typedef struct {
    pf_state state;
    uint32_t next; /* arc to be looked at */
} topsort_frame;

typedef struct {
    PF_VEC(char) colour;
    PF_VEC(topsort_frame) path;
    uint64_t visited, most; /* most: 0 for no limit */
    pf_topsort_look look;
    void *self;
} topsort_search;

static pf_err enter(topsort_search *search, pf_state state) {
    if (search->most && search->visited >= search->most)
        return pf_fail(PF_ELIMIT, "the limit of %llu states is reached", (unsigned long long)search->most);
    if (++search->visited % 1024 == 0 && search->look) PF_TRY(search->look(search->self, search->visited));
    search->colour.at[state] = OPEN;
    topsort_frame frame = {state, 0};
    return PF_PUSH(&search->path, frame);
}

/* The path from the state that an arc leads back to, and that arc. */
static pf_err keep_cycle(const topsort_search *search, pf_fst *fst, pf_state to, pf_topsort *out) {
    size_t i = search->path.n;
    if (out->cyclic) return PF_OK;
    out->cyclic = true;
    for (; search->path.at[i - 1].state != to; i--) assert(i > 1);
    for (i--; i < search->path.n; i++)
        PF_TRY(PF_PUSH(&out->cycle, pf_fst_arcs(fst, search->path.at[i].state).arc[search->path.at[i].next - 1]));
    return PF_OK;
}

static pf_err run(topsort_search *search, pf_fst *fst, pf_topsort *out) {
    while (search->colour.n <= fst->start) PF_TRY(PF_PUSH(&search->colour, NEW));
    PF_TRY(enter(search, fst->start));
    while (search->path.n) {
        topsort_frame *top = &search->path.at[search->path.n - 1];
        pf_arcs arcs = pf_fst_arcs(fst, top->state);
        PF_TRY(pf_fst_error(fst));
        if (top->next == arcs.n) {
            search->colour.at[top->state] = DONE;
            PF_TRY(PF_PUSH(&out->order, top->state));
            search->path.n--;
            continue;
        }
        pf_state to = arcs.arc[top->next++].to;
        while (search->colour.n <= to) PF_TRY(PF_PUSH(&search->colour, NEW));
        if (search->colour.at[to] == OPEN) PF_TRY(keep_cycle(search, fst, to, out));
        else if (search->colour.at[to] == NEW) PF_TRY(enter(search, to));
    }
    return PF_OK;
}

pf_err pf_topsort_run(pf_fst *fst, uint64_t max_states, pf_topsort_look look, void *self, pf_topsort *out) {
    topsort_search search = {.most = max_states, .look = look, .self = self};
    *out = (pf_topsort){0};
    pf_err err = fst->start == PF_NO_STATE ? PF_OK : run(&search, fst, out);
    PF_VEC_FREE(&search.colour);
    PF_VEC_FREE(&search.path);
    for (size_t i = 0, n = out->order.n; i < n / 2; i++) {
        pf_state state = out->order.at[i];
        out->order.at[i] = out->order.at[n - 1 - i];
        out->order.at[n - 1 - i] = state;
    }
    if (err) pf_topsort_free(out);
    return err;
}

void pf_topsort_free(pf_topsort *top) {
    PF_VEC_FREE(&top->order);
    PF_VEC_FREE(&top->cycle);
}
