/* Writing XML: a plain stream of elements, one a line, nothing held back. What XML cannot hold in a symbol (control
 * characters, bytes that are no UTF-8) is an error that names the symbol; white space in symbols goes as character
 * references, which no parser normalises away. The reader is in xmlread.c. */
#include <permfst/io/xml.h>

#include <permfst/io/bin.h>
#include <permfst/io/header.h>
#include "base/utf8.h"
#include "io/io_impl.h"
#include <permfst/io/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t pfi_xml_char(const char *text, size_t n) {
    uint32_t code;
    size_t length = pfi_utf8(text, n, &code);
    bool good = code >= ' ' ? code != 0xfffe && code != 0xffff : code == '\t' || code == '\n' || code == '\r';
    return good ? length : 0;
}

static bool is_xml(const char *text, size_t length) {
    for (size_t i = 0, k; i < length; i += k)
        if (!(k = pfi_xml_char(text + i, length - i))) return false;
    return true;
}

static pf_err put_escaped(pf_writer *writer, const char *text, size_t length) {
    size_t from = 0;
    for (size_t i = 0; i < length; i++) {
        if (!strchr("<>&\"\t\n\r", text[i])) continue;
        PF_TRY(pf_writer_put(writer, text + from, i - from));
        PF_TRY(pf_writer_text(writer, "&#%d;", text[i]));
        from = i + 1;
    }
    return pf_writer_put(writer, text + from, length - from);
}

static pf_err put_symbol(pf_writer *writer, const char *symbol, size_t length, pf_label label) {
    char shown[80];
    if (!is_xml(symbol, length))
        return pf_fail(PF_EINPUT, "symbol '%s' (label %d) has a control character or is not UTF-8, so XML cannot hold it",
                       pfi_printable(symbol, length, shown, sizeof shown), label);
    PF_TRY(pf_writer_text(writer, "      <symbol label=\"%d\">", label));
    PF_TRY(put_escaped(writer, symbol, length));
    return pf_writer_text(writer, "</symbol>\n");
}

/* A name, which stays away where XML cannot hold it. NULL: there is none. */
static pf_err put_name(pf_writer *writer, const char *name) {
    if (!name || !is_xml(name, strlen(name))) return PF_OK;
    PF_TRY(pf_writer_text(writer, " name=\""));
    PF_TRY(put_escaped(writer, name, strlen(name)));
    return pf_writer_text(writer, "\"");
}

/* A table; its name is for readers only. */
static pf_err put_table(pf_writer *writer, const char *element, const pf_symtab *table) {
    if (!table) return PF_OK;
    size_t length;
    PF_TRY(pf_writer_text(writer, "    <%s", element));
    PF_TRY(put_name(writer, pf_symtab_title(table)));
    PF_TRY(pf_writer_text(writer, " xml:space=\"preserve\">\n"));
    for (size_t i = 0; i < pf_symtab_count(table); i++) {
        pf_label label;
        const char *symbol = pf_symtab_at(table, i, &length, &label);
        PF_TRY(put_symbol(writer, symbol, length, label));
    }
    return pf_writer_text(writer, "    </%s>\n", element);
}

static pf_err put_weight(pf_writer *writer, const char *name, float value) {
    char text[PFI_WEIGHT_BYTES];
    pfi_weight_text(value, text);
    return pf_writer_text(writer, " %s=\"%s\"", name, text);
}

/* A sum, in the fewest of 15 to 17 digits that read back to the same double. */
static pf_err put_sum(pf_writer *writer, const char *name, double value) {
    char text[40] = "Infinity";
    for (int digits = 15; value != (double)INFINITY && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return pf_writer_text(writer, " %s=\"%s\"", name, text);
}

/* The attributes that all arcs have, and the end of their element. */
static pf_err put_labels(pf_writer *writer, const pf_arc *arc) {
    PF_TRY(pf_writer_text(writer, " in=\"%d\" out=\"%d\"", arc->in, arc->out));
    if (arc->w != 0) PF_TRY(put_weight(writer, "weight", arc->w));
    return pf_writer_text(writer, "/>\n");
}

static pf_err put_state(pf_writer *writer, pf_fst *fst, pf_state state) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    float final = pf_fst_final(fst, state);
    PF_TRY(pf_writer_text(writer, "    <state id=\"%u\"", state));
    if (final != INFINITY) PF_TRY(put_weight(writer, "final", final));
    if (!arcs.n) return pf_writer_text(writer, "/>\n");
    PF_TRY(pf_writer_text(writer, ">\n"));
    for (const pf_arc *arc = arcs.arc, *end = arc + arcs.n; arc < end; arc++) {
        PF_TRY(pf_writer_text(writer, "      <arc to=\"%u\"", arc->to));
        PF_TRY(put_labels(writer, arc));
    }
    return pf_writer_text(writer, "    </state>\n");
}

pf_err pf_xml_begin(pf_writer *writer) {
    return pf_writer_text(writer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<permfst version=\"1\">\n");
}

pf_err pf_xml_end(pf_writer *writer) { return pf_writer_text(writer, "</permfst>\n"); }

pf_err pf_xml_fst(pf_writer *writer, pf_fst *fst, const char *name) {
    PF_TRY(pf_fst_complete(fst));
    PF_TRY(pf_writer_text(writer, "  <fst type=\"%s\"", pf_arc_type_name(fst->type)));
    PF_TRY(put_name(writer, name));
    if (fst->start != PF_NO_STATE) PF_TRY(pf_writer_text(writer, " start=\"%u\"", fst->start));
    PF_TRY(pf_writer_text(writer, ">\n"));
    PF_TRY(put_table(writer, "isymbols", fst->isyms));
    PF_TRY(put_table(writer, "osymbols", fst->osyms));
    for (pf_state state = 0; state < pf_fst_states(fst); state++) PF_TRY(put_state(writer, fst, state));
    return pf_writer_text(writer, "  </fst>\n");
}

static pf_err put_path(pf_writer *writer, const pf_path *path, size_t rank) {
    PF_TRY(pf_writer_text(writer, "    <path rank=\"%zu\"", rank));
    PF_TRY(put_sum(writer, "cost", path->cost));
    if (path->final != 0) PF_TRY(put_weight(writer, "final", path->final));
    PF_TRY(pf_writer_text(writer, ">\n"));
    for (size_t i = 0; i < path->n; i++) {
        PF_TRY(pf_writer_text(writer, "      <arc"));
        PF_TRY(put_labels(writer, &path->arc[i]));
    }
    return pf_writer_text(writer, "    </path>\n");
}

pf_err pf_xml_answer(pf_writer *writer, const pf_answer *answer, const char *name) {
    PF_TRY(pf_writer_text(writer, "  <answer type=\"%s\"", pf_arc_type_name(answer->type)));
    PF_TRY(put_name(writer, name));
    if (answer->bound != -(double)INFINITY) PF_TRY(put_sum(writer, "bound", answer->bound));
    if (answer->compared) PF_TRY(put_sum(writer, "reference", answer->reference));
    PF_TRY(pf_writer_text(writer, " states=\"%llu\" arcs=\"%llu\">\n", (unsigned long long)answer->states,
                          (unsigned long long)answer->arcs));
    PF_TRY(put_table(writer, "isymbols", answer->isyms));
    PF_TRY(put_table(writer, "osymbols", answer->osyms));
    for (size_t i = 0; i < answer->paths.n; i++) PF_TRY(put_path(writer, &answer->paths.at[i], i + 1));
    return pf_writer_text(writer, "  </answer>\n");
}
