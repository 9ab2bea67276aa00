/* A copy with other labels. */
#include <permfst/ops/relabel.h>

#include <permfst/machine/build.h>
#include <permfst/ops/labelmap.h>

static pf_err map(pf_labelmap *labels, pf_label label, pf_label *out) {
    PF_TRY(pf_labelmap_get(labels, label, out));
    if (*out != PF_NO_LABEL) return PF_OK;
    return pf_fail(PF_EINPUT, "the symbol table '%.100s' lacks the word '%.100s'", pf_symtab_title(labels->to),
                   pf_symtab_name(labels->from, label, NULL));
}

static pf_err copy(pf_fst *f, pf_labelmap *in, pf_labelmap *out, pf_build *build) {
    for (pf_state s = 0; s < pf_fst_states(f); s++) {
        pf_arcs a = pf_fst_arcs(f, s);
        PF_TRY(pf_build_final(build, s, pf_fst_final(f, s)));
        for (uint32_t i = 0; i < a.n; i++) {
            pf_label label, next;
            PF_TRY(map(in, a.arc[i].in, &label));
            PF_TRY(map(out, a.arc[i].out, &next));
            PF_TRY(pf_build_arc(build, s, label, next, a.arc[i].w, a.arc[i].to));
        }
    }
    return PF_OK;
}

pf_err pf_relabel(pf_fst *f, pf_symtab *table, pf_fst **out) {
    pf_labelmap in, words;
    pf_build build = {0};
    pf_labelmap_tables(&in, f->isyms, table);
    pf_labelmap_tables(&words, f->osyms, table);
    pf_err err = copy(f, &in, &words, &build);
    if (!err) err = pf_build_finish(&build, f->type, f->start, out);
    if (!err) pf_fst_set_symbols(*out, f->isyms ? table : NULL, table);
    pf_build_free(&build);
    pf_labelmap_free(&in);
    pf_labelmap_free(&words);
    return err;
}
