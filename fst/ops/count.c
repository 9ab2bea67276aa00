/* Numbers of paths, pushed along the arcs in topological order. A number is dropped when its state is done. */
#include <permfst/ops/count.h>

#include <permfst/ops/topsort.h>

#include <gmp.h>
#include <stdlib.h>

static void push_paths(pf_fst *f, const pf_topsort *top, mpz_t *paths, mpz_t total) {
    for (size_t i = 0; i < top->order.n; i++) {
        pf_state s = top->order.at[i];
        pf_arcs a = pf_fst_arcs(f, s);
        for (uint32_t k = 0; k < a.n; k++)
            if (a.arc[k].w != INFINITY) mpz_add(paths[a.arc[k].to], paths[a.arc[k].to], paths[s]);
        if (pf_fst_final(f, s) != INFINITY) mpz_add(total, total, paths[s]);
        mpz_clear(paths[s]);
        mpz_init(paths[s]); /* without memory of its own */
    }
}

static pf_err count_paths(pf_fst *f, const pf_topsort *top, pf_count *out) {
    size_t n = pf_fst_states(f);
    mpz_t total, *paths = calloc(n + 1, sizeof *paths);
    if (!paths) return pf_nomem();
    mpz_init(total);
    for (size_t s = 0; s < n; s++) mpz_init(paths[s]);
    if (top->order.n) mpz_set_ui(paths[f->start], 1);
    push_paths(f, top, paths, total);
    out->paths = malloc(mpz_sizeinbase(total, 10) + 2);
    if (out->paths) mpz_get_str(out->paths, 10, total);
    for (size_t s = 0; s < n; s++) mpz_clear(paths[s]);
    mpz_clear(total);
    free(paths);
    return out->paths ? PF_OK : pf_nomem();
}

pf_err pf_count_all(pf_fst *f, uint64_t max_states, pf_count *out) {
    pf_topsort top;
    *out = (pf_count){0};
    PF_TRY(pf_topsort_run(f, max_states, NULL, NULL, &top));
    out->states = top.order.n;
    out->cyclic = top.cyclic;
    for (size_t i = 0; i < top.order.n; i++) {
        out->arcs += pf_fst_arcs(f, top.order.at[i]).n;
        out->finals += pf_fst_final(f, top.order.at[i]) != INFINITY;
    }
    pf_err err = top.cyclic ? PF_OK : count_paths(f, &top, out);
    pf_topsort_free(&top);
    return err;
}

void pf_count_free(pf_count *count) {
    free(count->paths);
    count->paths = NULL;
}
