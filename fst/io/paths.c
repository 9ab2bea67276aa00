/* O(labels of the paths that are written). */
#include <permfst/io/paths.h>

#include <assert.h>

static pf_err put_word(pf_writer *w, const pf_symtab *table, pf_label label) {
    size_t n;
    const char *word = table ? pf_symtab_name(table, label, &n) : NULL;
    if (word) return pf_writer_put(w, word, n);
    if (table) return pf_fail(PF_EINPUT, "label %d is not in the symbol table", label);
    return pf_writer_text(w, "%d", label);
}

pf_err pf_answer_write_words(pf_writer *w, const pf_answer *a, size_t rank, bool numeric) {
    assert(rank < a->paths.n);
    const pf_path *path = &a->paths.at[rank];
    bool space = false;
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].out == PF_EPSILON) continue;
        if (space) PF_TRY(pf_writer_put(w, " ", 1));
        PF_TRY(put_word(w, numeric ? NULL : a->osyms, path->arc[i].out));
        space = true;
    }
    return PF_OK;
}

pf_err pf_answer_write_permutation(pf_writer *w, const pf_answer *a, size_t rank) {
    assert(rank < a->paths.n);
    const pf_path *path = &a->paths.at[rank];
    bool space = false;
    if (a->isyms)
        return pf_fail(PF_EINPUT, "the input labels are symbols, not positions: there is no permutation to write (see lazyperm)");
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].in == PF_EPSILON) continue;
        PF_TRY(pf_writer_text(w, space ? " %d" : "%d", path->arc[i].in));
        space = true;
    }
    return PF_OK;
}

pf_err pf_answer_write_table(pf_writer *w, const pf_answer *a, uint64_t record, bool numeric) {
    for (size_t rank = 0; rank < a->paths.n; rank++) {
        PF_TRY(pf_writer_text(w, "%llu\t%zu\t%.6f\t", (unsigned long long)record, rank + 1, a->paths.at[rank].cost));
        PF_TRY(a->isyms ? pf_writer_put(w, "-", 1) : pf_answer_write_permutation(w, a, rank));
        PF_TRY(pf_writer_put(w, "\t", 1));
        PF_TRY(pf_answer_write_words(w, a, rank, numeric));
        PF_TRY(pf_writer_put(w, "\n", 1));
    }
    return PF_OK;
}

/* Paths that were drawn at random are in no order. */
static double least_cost(const pf_answer *a) {
    double least = a->paths.at[0].cost;
    for (size_t i = 1; i < a->paths.n; i++)
        if (a->paths.at[i].cost < least) least = a->paths.at[i].cost;
    return least;
}

static pf_err describe_proof(const pf_answer *a, pf_writer *w) {
    if (pf_answer_optimal(a)) return pf_writer_text(w, "optimal\tyes\n");
    double gap = pf_answer_gap(a);
    return gap == (double)INFINITY ? pf_writer_text(w, "optimal\tnot proven\n") : pf_writer_text(w, "optimal\tgap <= %.6f\n", gap);
}

static pf_err describe_reference(const pf_answer *a, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "reference\t%s\n", pf_verdict_name(pf_answer_verdict(a))));
    if (a->reference < (double)INFINITY) return pf_writer_text(w, "reference cost\t%.6f\n", a->reference);
    return pf_writer_text(w, "reference cost\tInfinity\n");
}

pf_err pf_answer_describe(const pf_answer *a, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "paths\t%zu\n", a->paths.n));
    if (a->paths.n) PF_TRY(pf_writer_text(w, "best cost\t%.6f\n", least_cost(a)));
    PF_TRY(describe_proof(a, w));
    if (a->compared) PF_TRY(describe_reference(a, w));
    PF_TRY(pf_writer_text(w, "states searched\t%llu\n", (unsigned long long)a->states));
    return pf_writer_text(w, "arcs searched\t%llu\n", (unsigned long long)a->arcs);
}
