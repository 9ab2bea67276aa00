/* A line for each state, and one for each arc. */
#include <permfst/io/dot.h>

typedef struct {
    pf_writer *to;
    const pf_symtab *isyms, *osyms; /* NULL: numbers */
    bool acceptor;
} dot_drawing;

static pf_err put_label(pf_writer *writer, const pf_symtab *table, pf_label label) {
    size_t n = 0;
    const char *symbol = table ? pf_symtab_name(table, label, &n) : NULL;
    if (!symbol) return pf_writer_text(writer, "%d", label);
    for (size_t i = 0; i < n; i++) {
        if (symbol[i] == '"' || symbol[i] == '\\') PF_TRY(pf_writer_put(writer, "\\", 1));
        PF_TRY(pf_writer_put(writer, &symbol[i], 1));
    }
    return PF_OK;
}

static pf_err put_arc(const dot_drawing *drawing, pf_state state, const pf_arc *arc) {
    PF_TRY(pf_writer_text(drawing->to, "  %u -> %u [label=\"", state, arc->to));
    PF_TRY(put_label(drawing->to, drawing->isyms, arc->in));
    if (!drawing->acceptor) {
        PF_TRY(pf_writer_put(drawing->to, ":", 1));
        PF_TRY(put_label(drawing->to, drawing->osyms, arc->out));
    }
    if (arc->w != 0) PF_TRY(pf_writer_text(drawing->to, "/%.6g", (double)arc->w));
    return pf_writer_text(drawing->to, "\"];\n");
}

static pf_err put_state(const dot_drawing *drawing, pf_fst *fst, pf_state state) {
    float final = pf_fst_final(fst, state);
    pf_arcs arcs = pf_fst_arcs(fst, state);
    PF_TRY(pf_writer_text(drawing->to, "  %u [style=%s", state, state == fst->start ? "bold" : "solid"));
    if (final != INFINITY) PF_TRY(pf_writer_text(drawing->to, ", shape=doublecircle"));
    if (final != INFINITY && final != 0) PF_TRY(pf_writer_text(drawing->to, ", label=\"%u/%.6g\"", state, (double)final));
    PF_TRY(pf_writer_text(drawing->to, "];\n"));
    for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(put_arc(drawing, state, &arcs.arc[i]));
    return PF_OK;
}

pf_err pf_dot_write(pf_writer *writer, pf_fst *fst, const char *name, bool acceptor, bool numeric) {
    dot_drawing drawing = {writer, numeric ? NULL : fst->isyms, numeric ? NULL : fst->osyms, acceptor};
    PF_TRY(pf_fst_complete(fst));
    PF_TRY(pf_writer_text(writer, "digraph %s {\n  rankdir=LR;\n  node [shape=circle];\n", name));
    for (pf_state state = 0; state < pf_fst_states(fst); state++) PF_TRY(put_state(&drawing, fst, state));
    return pf_writer_text(writer, "}\n");
}
