/* Numbers of paths, pushed along the arcs in topological order. A number is dropped when its state is done. */
#include <permfst/ops/count.h>

#include <permfst/ops/topsort.h>

#include <gmp.h>
#include <assert.h>
#include <stdlib.h>

static void push_paths(pf_fst *fst, const pf_topsort *top, mpz_t *paths, mpz_t total) {
    for (size_t i = 0; i < top->order.n; i++) {
        pf_state state = top->order.at[i];
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (uint32_t k = 0; k < arcs.n; k++)
            if (arcs.arc[k].w != INFINITY) mpz_add(paths[arcs.arc[k].to], paths[arcs.arc[k].to], paths[state]);
        if (pf_fst_final(fst, state) != INFINITY) mpz_add(total, total, paths[state]);
        mpz_clear(paths[state]);
        mpz_init(paths[state]); /* without memory of its own */
    }
}

static pf_err count_paths(pf_fst *fst, const pf_topsort *top, pf_count *out) {
    size_t states = pf_fst_states(fst);
    mpz_t total, *paths = calloc(states + 1, sizeof *paths);
    assert(!top->cyclic);
    if (!paths) return pf_nomem();
    mpz_init(total);
    for (size_t state = 0; state < states; state++) mpz_init(paths[state]);
    if (top->order.n) mpz_set_ui(paths[fst->start], 1);
    push_paths(fst, top, paths, total);
    out->paths = malloc(mpz_sizeinbase(total, 10) + 2);
    if (out->paths) mpz_get_str(out->paths, 10, total);
    for (size_t state = 0; state < states; state++) mpz_clear(paths[state]);
    mpz_clear(total);
    free(paths);
    return out->paths ? PF_OK : pf_nomem();
}

pf_err pf_count_all(pf_fst *fst, uint64_t max_states, pf_count *out) {
    pf_topsort top;
    *out = (pf_count){0};
    PF_TRY(pf_topsort_run(fst, max_states, NULL, NULL, &top));
    out->states = top.order.n;
    out->cyclic = top.cyclic;
    for (size_t i = 0; i < top.order.n; i++) {
        out->arcs += pf_fst_arcs(fst, top.order.at[i]).n;
        out->finals += pf_fst_final(fst, top.order.at[i]) != INFINITY;
    }
    pf_err err = top.cyclic ? PF_OK : count_paths(fst, &top, out);
    pf_topsort_free(&top);
    return err;
}

void pf_count_free(pf_count *count) {
    free(count->paths);
    count->paths = NULL;
}
