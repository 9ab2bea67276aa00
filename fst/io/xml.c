/* Writing XML: a plain stream of elements, one a line, nothing held back. What XML cannot hold in a symbol (control
 * characters, bytes that are no UTF-8) is an error that names the symbol; white space in symbols goes as character
 * references, which no parser normalises away. The reader is in xmlread.c. */
#include <permfst/io/xml.h>

#include <permfst/io/bin.h>
#include <permfst/io/header.h>
#include "io/io_impl.h"
#include <permfst/io/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t pfi_xml_char(const char *text, size_t n) {
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (!length || length > n) return 0;
    uint32_t c = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    bool good = c >= ' ' ? c < 0xd800 || (c > 0xdfff && c < 0xfffe) || (c > 0xffff && c < 0x110000)
                         : c == '\t' || c == '\n' || c == '\r';
    return good && c >= least[length] ? length : 0;
}

static bool is_xml(const char *text, size_t n) {
    for (size_t i = 0, k; i < n; i += k)
        if (!(k = pfi_xml_char(text + i, n - i))) return false;
    return true;
}

static pf_err put_escaped(pf_writer *w, const char *text, size_t n) {
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        if (!strchr("<>&\"\t\n\r", text[i])) continue;
        PF_TRY(pf_writer_put(w, text + from, i - from));
        PF_TRY(pf_writer_text(w, "&#%d;", text[i]));
        from = i + 1;
    }
    return pf_writer_put(w, text + from, n - from);
}

static pf_err put_symbol(pf_writer *w, const char *symbol, size_t n, pf_label label) {
    char shown[80];
    if (!is_xml(symbol, n))
        return pf_fail(PF_EINPUT, "symbol '%s' (label %d) has a control character or is not UTF-8, so XML cannot hold it",
                       pfi_printable(symbol, n, shown, sizeof shown), label);
    PF_TRY(pf_writer_text(w, "      <symbol label=\"%d\">", label));
    PF_TRY(put_escaped(w, symbol, n));
    return pf_writer_text(w, "</symbol>\n");
}

/* A table; its name is for readers only and stays away where XML cannot hold it. */
static pf_err put_table(pf_writer *w, const char *element, const pf_symtab *t) {
    if (!t) return PF_OK;
    const char *title = pf_symtab_title(t);
    size_t n = strlen(title);
    PF_TRY(pf_writer_text(w, "    <%s", element));
    if (is_xml(title, n)) {
        PF_TRY(pf_writer_text(w, " name=\""));
        PF_TRY(put_escaped(w, title, n));
        PF_TRY(pf_writer_text(w, "\""));
    }
    PF_TRY(pf_writer_text(w, " xml:space=\"preserve\">\n"));
    for (size_t i = 0; i < pf_symtab_count(t); i++) {
        pf_label label;
        const char *symbol = pf_symtab_at(t, i, &n, &label);
        PF_TRY(put_symbol(w, symbol, n, label));
    }
    return pf_writer_text(w, "    </%s>\n", element);
}

static pf_err put_weight(pf_writer *w, const char *name, float x) {
    char text[PFI_WEIGHT_BYTES];
    pfi_weight_text(x, text);
    return pf_writer_text(w, " %s=\"%s\"", name, text);
}

/* A sum, in the fewest of 15 to 17 digits that read back to the same double. */
static pf_err put_sum(pf_writer *w, const char *name, double x) {
    char text[40] = "Infinity";
    for (int digits = 15; x != (double)INFINITY && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    return pf_writer_text(w, " %s=\"%s\"", name, text);
}

/* The attributes that all arcs have, and the end of their element. */
static pf_err put_labels(pf_writer *w, const pf_arc *a) {
    PF_TRY(pf_writer_text(w, " in=\"%d\" out=\"%d\"", a->in, a->out));
    if (a->w != 0) PF_TRY(put_weight(w, "weight", a->w));
    return pf_writer_text(w, "/>\n");
}

static pf_err put_state(pf_writer *w, pf_fst *f, pf_state s) {
    pf_arcs arcs = pf_fst_arcs(f, s);
    float final = pf_fst_final(f, s);
    PF_TRY(pf_writer_text(w, "    <state id=\"%u\"", s));
    if (final != INFINITY) PF_TRY(put_weight(w, "final", final));
    if (!arcs.n) return pf_writer_text(w, "/>\n");
    PF_TRY(pf_writer_text(w, ">\n"));
    for (const pf_arc *a = arcs.arc, *end = a + arcs.n; a < end; a++) {
        PF_TRY(pf_writer_text(w, "      <arc to=\"%u\"", a->to));
        PF_TRY(put_labels(w, a));
    }
    return pf_writer_text(w, "    </state>\n");
}

pf_err pf_xml_begin(pf_writer *w) {
    return pf_writer_text(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<permfst version=\"1\">\n");
}

pf_err pf_xml_end(pf_writer *w) { return pf_writer_text(w, "</permfst>\n"); }

pf_err pf_xml_fst(pf_writer *w, pf_fst *f) {
    PF_TRY(pf_fst_complete(f));
    PF_TRY(pf_writer_text(w, "  <fst type=\"%s\"", pf_arc_type_name(f->type)));
    if (f->start != PF_NO_STATE) PF_TRY(pf_writer_text(w, " start=\"%u\"", f->start));
    PF_TRY(pf_writer_text(w, ">\n"));
    PF_TRY(put_table(w, "isymbols", f->isyms));
    PF_TRY(put_table(w, "osymbols", f->osyms));
    for (pf_state s = 0; s < pf_fst_states(f); s++) PF_TRY(put_state(w, f, s));
    return pf_writer_text(w, "  </fst>\n");
}

static pf_err put_path(pf_writer *w, const pf_path *p, size_t rank) {
    PF_TRY(pf_writer_text(w, "    <path rank=\"%zu\"", rank));
    PF_TRY(put_sum(w, "cost", p->cost));
    if (p->final != 0) PF_TRY(put_weight(w, "final", p->final));
    PF_TRY(pf_writer_text(w, ">\n"));
    for (size_t i = 0; i < p->n; i++) {
        PF_TRY(pf_writer_text(w, "      <arc"));
        PF_TRY(put_labels(w, &p->arc[i]));
    }
    return pf_writer_text(w, "    </path>\n");
}

pf_err pf_xml_answer(pf_writer *w, const pf_answer *a) {
    PF_TRY(pf_writer_text(w, "  <answer type=\"%s\"", pf_arc_type_name(a->type)));
    if (a->bound != -(double)INFINITY) PF_TRY(put_sum(w, "bound", a->bound));
    if (a->compared) PF_TRY(put_sum(w, "reference", a->reference));
    PF_TRY(pf_writer_text(w, " states=\"%llu\" arcs=\"%llu\">\n", (unsigned long long)a->states,
                          (unsigned long long)a->arcs));
    PF_TRY(put_table(w, "isymbols", a->isyms));
    PF_TRY(put_table(w, "osymbols", a->osyms));
    for (size_t i = 0; i < a->paths.n; i++) PF_TRY(put_path(w, &a->paths.at[i], i + 1));
    return pf_writer_text(w, "  </answer>\n");
}
