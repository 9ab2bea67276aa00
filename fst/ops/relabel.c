/* A copy with other labels. */
#include <permfst/ops/relabel.h>

#include <permfst/machine/build.h>
#include <permfst/ops/labelmap.h>

#include <assert.h>

static pf_err map(pf_labelmap *labels, pf_label label, pf_label *out) {
    PF_TRY(pf_labelmap_get(labels, label, out));
    if (*out != PF_NO_LABEL) return PF_OK;
    return pf_fail(PF_EINPUT, "the symbol table '%.100s' lacks the word '%.100s'", pf_symtab_title(labels->to),
                   pf_symtab_name(labels->from, label, NULL));
}

static pf_err copy(pf_fst *fst, pf_labelmap *in, pf_labelmap *out, pf_build *build) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        PF_TRY(pf_build_final(build, state, pf_fst_final(fst, state)));
        for (uint32_t i = 0; i < arcs.n; i++) {
            pf_label label, next;
            PF_TRY(map(in, arcs.arc[i].in, &label));
            PF_TRY(map(out, arcs.arc[i].out, &next));
            PF_TRY(pf_build_arc(build, state, label, next, arcs.arc[i].w, arcs.arc[i].to));
        }
    }
    return PF_OK;
}

pf_err pf_relabel(pf_fst *fst, pf_symtab *table, pf_fst **out) {
    pf_labelmap in, words;
    pf_build build = {0};
    assert(table && (!fst->op || fst->expanded == pf_fst_states(fst)));
    pf_labelmap_tables(&in, fst->isyms, table);
    pf_labelmap_tables(&words, fst->osyms, table);
    pf_err err = copy(fst, &in, &words, &build);
    if (!err) err = pf_build_finish(&build, fst->type, fst->start, out);
    if (!err) pf_fst_set_symbols(*out, fst->isyms ? table : NULL, table);
    pf_build_free(&build);
    pf_labelmap_free(&in);
    pf_labelmap_free(&words);
    return err;
}
