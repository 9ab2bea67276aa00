/* A path where the graph is too large: a beam on the automaton itself, by matches that nothing clips, longer n-grams first. It
 * takes as many expansions as the beam is wide for each arc of a path. */
#include "oracle/oracle_impl.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF, BEAM = 64 };

typedef struct {
    uint32_t from, history;
    pf_state state;
    const pf_arc *arc;
    uint64_t value;
} partial;

typedef struct {
    PF_VEC(partial) all;
    size_t begin; /* the last ones: those of the arc at hand */
} partial_paths;

static uint64_t value_of(const pfi_product *product, const pfi_move *move) {
    uint64_t sum = 0;
    for (uint32_t match = move->first; match < move->first + move->matches; match++)
        sum += UINT64_C(1) << 2 * (product->references->gram.at[product->matched.at[match]].length - 1);
    return sum;
}

/* The best first; of equal ones the first. */
static int by_value(const void *first, const void *second) {
    const partial *a = first, *b = second;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->arc > b->arc) - (a->arc < b->arc);
}

static pf_err extend(pfi_product *product, partial_paths *beam, uint32_t from) {
    partial own = beam->all.at[from];
    pf_arcs arcs = pf_fst_arcs(product->fst, own.state);
    PF_TRY(pf_fst_error(product->fst));
    for (uint32_t arc = 0; arc < arcs.n; arc++) {
        uint32_t move;
        PF_TRY(pfi_product_move(product, own.history, arcs.arc[arc].out, &move));
        partial next = {from, product->move.at[move].next, arcs.arc[arc].to, &arcs.arc[arc],
                        own.value + value_of(product, &product->move.at[move])};
        PF_TRY(PF_PUSH(&beam->all, next));
    }
    return PF_OK;
}

static pf_err take_path(const partial_paths *beam, uint32_t last, pf_path *out) {
    size_t length = 0;
    for (uint32_t at = last; beam->all.at[at].from != NONE; at = beam->all.at[at].from) length++;
    *out = (pf_path){.n = length};
    if (!(out->arc = malloc((length + 1) * sizeof *out->arc))) return pf_nomem();
    for (uint32_t at = last; length--; at = beam->all.at[at].from) {
        out->arc[length] = *beam->all.at[at].arc;
        out->arc[length].w = 0;
        out->arc[length].to = PF_NO_STATE;
    }
    return PF_OK;
}

/* Ends with the first arc after which the best partial path is whole. */
static pf_err run(pfi_product *product, partial_paths *beam, pf_path *out) {
    PF_TRY(PF_PUSH(&beam->all, ((partial){NONE, 0, product->fst->start, NULL, 0})));
    for (size_t arcs = 0; arcs <= PF_MAX_WORDS; arcs++) {
        size_t end = beam->all.n;
        for (size_t hypothesis = beam->begin; hypothesis < end; hypothesis++)
            if (pf_fst_final(product->fst, beam->all.at[hypothesis].state) < INFINITY)
                return take_path(beam, (uint32_t)hypothesis, out);
        for (size_t i = beam->begin; i < end; i++) PF_TRY(extend(product, beam, (uint32_t)i));
        beam->begin = end;
        if (beam->all.n == end) break;
        qsort(beam->all.at + end, beam->all.n - end, sizeof *beam->all.at, by_value);
        if (beam->all.n > end + BEAM) beam->all.n = end + BEAM;
    }
    return pf_fail(PF_ELIMIT, "a limit is reached before there is a path");
}

pf_err pfi_greedy(pfi_product *product, pf_path *out) {
    partial_paths beam = {0};
    *out = (pf_path){0};
    pf_err err = run(product, &beam, out);
    PF_VEC_FREE(&beam.all);
    return err;
}

pf_err pfi_greedy_answer(pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options, pf_answer *out) {
    pfi_product product;
    pf_path path;
    pfi_product_init(&product, fst, references, options);
    product.whole_histories = false;
    pf_err err = pfi_greedy(&product, &path);
    if (!err) err = pf_answer_add(out, path.arc, path.n, 0);
    free(path.arc);
    pfi_product_free(&product);
    return err;
}
