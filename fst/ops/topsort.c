/* Finishing times of a depth-first search, reversed. */
#include <permfst/ops/topsort.h>

enum { NEW, OPEN, DONE };

typedef struct {
    pf_state s;
    uint32_t next; /* arc to be looked at */
} topsort_frame;

typedef struct {
    PF_VEC(char) colour;
    PF_VEC(topsort_frame) path;
    uint64_t visited, most; /* most: 0 for no limit */
    pf_topsort_look look;
    void *self;
} topsort_search;

static pf_err enter(topsort_search *d, pf_state s) {
    if (d->most && d->visited >= d->most)
        return pf_fail(PF_ELIMIT, "the limit of %llu states is reached", (unsigned long long)d->most);
    if (++d->visited % 1024 == 0 && d->look) PF_TRY(d->look(d->self, d->visited));
    d->colour.at[s] = OPEN;
    topsort_frame f = {s, 0};
    return PF_PUSH(&d->path, f);
}

/* The path from the state that an arc leads back to, and that arc. */
static pf_err keep_cycle(const topsort_search *d, pf_fst *fst, pf_state to, pf_topsort *out) {
    size_t i = d->path.n;
    if (out->cyclic) return PF_OK;
    out->cyclic = true;
    while (d->path.at[i - 1].s != to) i--;
    for (i--; i < d->path.n; i++)
        PF_TRY(PF_PUSH(&out->cycle, pf_fst_arcs(fst, d->path.at[i].s).arc[d->path.at[i].next - 1]));
    return PF_OK;
}

static pf_err run(topsort_search *d, pf_fst *fst, pf_topsort *out) {
    while (d->colour.n <= fst->start) PF_TRY(PF_PUSH(&d->colour, NEW));
    PF_TRY(enter(d, fst->start));
    while (d->path.n) {
        topsort_frame *top = &d->path.at[d->path.n - 1];
        pf_arcs a = pf_fst_arcs(fst, top->s);
        PF_TRY(pf_fst_error(fst));
        if (top->next == a.n) {
            d->colour.at[top->s] = DONE;
            PF_TRY(PF_PUSH(&out->order, top->s));
            d->path.n--;
            continue;
        }
        pf_state to = a.arc[top->next++].to;
        while (d->colour.n <= to) PF_TRY(PF_PUSH(&d->colour, NEW));
        if (d->colour.at[to] == OPEN) PF_TRY(keep_cycle(d, fst, to, out));
        else if (d->colour.at[to] == NEW) PF_TRY(enter(d, to));
    }
    return PF_OK;
}

pf_err pf_topsort_run(pf_fst *fst, uint64_t max_states, pf_topsort_look look, void *self, pf_topsort *out) {
    topsort_search d = {.most = max_states, .look = look, .self = self};
    *out = (pf_topsort){0};
    pf_err err = fst->start == PF_NO_STATE ? PF_OK : run(&d, fst, out);
    PF_VEC_FREE(&d.colour);
    PF_VEC_FREE(&d.path);
    for (size_t i = 0, n = out->order.n; i < n / 2; i++) {
        pf_state s = out->order.at[i];
        out->order.at[i] = out->order.at[n - 1 - i];
        out->order.at[n - 1 - i] = s;
    }
    if (err) pf_topsort_free(out);
    return err;
}

void pf_topsort_free(pf_topsort *top) {
    PF_VEC_FREE(&top->order);
    PF_VEC_FREE(&top->cycle);
}
