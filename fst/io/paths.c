/* O(labels of the paths that are written). */
#include <permfst/io/paths.h>

#include <assert.h>

static pf_err put_word(pf_writer *writer, const pf_symtab *table, pf_label label) {
    size_t n;
    const char *word = table ? pf_symtab_name(table, label, &n) : NULL;
    if (word) return pf_writer_put(writer, word, n);
    if (table) return pf_fail(PF_EINPUT, "label %d is not in the symbol table", label);
    return pf_writer_text(writer, "%d", label);
}

pf_err pf_answer_write_words(pf_writer *writer, const pf_answer *answer, size_t rank, bool numeric) {
    assert(rank < answer->paths.n);
    const pf_path *path = &answer->paths.at[rank];
    bool space = false;
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].out == PF_EPSILON) continue;
        if (space) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(put_word(writer, numeric ? NULL : answer->osyms, path->arc[i].out));
        space = true;
    }
    return PF_OK;
}

pf_err pf_answer_write_permutation(pf_writer *writer, const pf_answer *answer, size_t rank) {
    assert(rank < answer->paths.n);
    const pf_path *path = &answer->paths.at[rank];
    bool space = false;
    if (answer->isyms)
        return pf_fail(PF_EINPUT, "the input labels are symbols, not positions: there is no permutation to write (see lazyperm)");
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].in == PF_EPSILON) continue;
        PF_TRY(pf_writer_text(writer, space ? " %d" : "%d", path->arc[i].in));
        space = true;
    }
    return PF_OK;
}

pf_err pf_answer_write_table(pf_writer *writer, const pf_answer *answer, uint64_t record, bool numeric) {
    for (size_t rank = 0; rank < answer->paths.n; rank++) {
        PF_TRY(pf_writer_text(writer, "%llu\t%zu\t%.6f\t", (unsigned long long)record, rank + 1, answer->paths.at[rank].cost));
        PF_TRY(answer->isyms ? pf_writer_put(writer, "-", 1) : pf_answer_write_permutation(writer, answer, rank));
        PF_TRY(pf_writer_put(writer, "\t", 1));
        PF_TRY(pf_answer_write_words(writer, answer, rank, numeric));
        PF_TRY(pf_writer_put(writer, "\n", 1));
    }
    return PF_OK;
}

/* Paths that were drawn at random are in no order. */
static double least_cost(const pf_answer *answer) {
    double least = answer->paths.at[0].cost;
    for (size_t i = 1; i < answer->paths.n; i++)
        if (answer->paths.at[i].cost < least) least = answer->paths.at[i].cost;
    return least;
}

static pf_err describe_proof(const pf_answer *answer, pf_writer *writer) {
    char proof[PF_PROOF_BYTES];
    if (pf_answer_optimal(answer)) return pf_writer_text(writer, "optimal\tyes\n");
    if (pf_answer_gap(answer) == (double)INFINITY) return pf_writer_text(writer, "optimal\tnot proven\n");
    return pf_writer_text(writer, "optimal\t%s\n", pf_answer_proof(answer, proof));
}

static pf_err describe_reference(const pf_answer *answer, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "reference\t%s\n", pf_verdict_name(pf_answer_verdict(answer))));
    if (answer->reference < (double)INFINITY) return pf_writer_text(writer, "reference cost\t%.6f\n", answer->reference);
    return pf_writer_text(writer, "reference cost\tInfinity\n");
}

pf_err pf_answer_describe(const pf_answer *answer, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "paths\t%zu\n", answer->paths.n));
    if (answer->paths.n) PF_TRY(pf_writer_text(writer, "best cost\t%.6f\n", least_cost(answer)));
    PF_TRY(describe_proof(answer, writer));
    if (answer->compared) PF_TRY(describe_reference(answer, writer));
    PF_TRY(pf_writer_text(writer, "states searched\t%llu\n", (unsigned long long)answer->states));
    return pf_writer_text(writer, "arcs searched\t%llu\n", (unsigned long long)answer->arcs);
}
