/* Reading the elements of the format, in their order. Each record is built while its elements come; no more than one is
 * in memory. */
#include <permfst/io/xml.h>

#include <permfst/io/bin.h>
#include <permfst/io/header.h>
#include "base/contract.h"
#include "io/io_impl.h"
#include "io/xmlpull.h"
#include "machine/fst_check.h"

#include <inttypes.h>
#include <stdlib.h>

struct pf_xml_reader {
    pfi_xml xml;
    pf_err err;                /* sticky */
    bool begun, inside, ended; /* `inside` a permfst element */
};

static const pfi_xml_element
    permfst = {"permfst", {{"version", PFI_XML_ONE, true}}},
    fst_element = {"fst", {{"type", PFI_XML_TYPE, true}, {"start", PFI_XML_NUMBER, false}, {"name", PFI_XML_ANY, false}}},
    answer = {"answer",
              {{"type", PFI_XML_TYPE, true},
               {"bound", PFI_XML_SUM, false},
               {"states", PFI_XML_COUNT, false},
               {"arcs", PFI_XML_COUNT, false},
               {"reference", PFI_XML_SUM, false},
               {"name", PFI_XML_ANY, false}}},
    isymbols = {"isymbols", {{"name", PFI_XML_ANY, false}, {"xml:space", PFI_XML_PRESERVE, false}}},
    osymbols = {"osymbols", {{"name", PFI_XML_ANY, false}, {"xml:space", PFI_XML_PRESERVE, false}}},
    symbol = {"symbol", {{"label", PFI_XML_NUMBER, true}}},
    state_element = {"state", {{"id", PFI_XML_NUMBER, true}, {"final", PFI_XML_WEIGHT, false}}},
    arc = {"arc",
           {{"in", PFI_XML_NUMBER, true},
            {"out", PFI_XML_NUMBER, true},
            {"weight", PFI_XML_WEIGHT, false},
            {"to", PFI_XML_NUMBER, true}}},
    path = {"path", {{"rank", PFI_XML_NUMBER, true}, {"cost", PFI_XML_SUM, true}, {"final", PFI_XML_WEIGHT, false}}},
    step = {"arc", {{"in", PFI_XML_NUMBER, true}, {"out", PFI_XML_NUMBER, true}, {"weight", PFI_XML_WEIGHT, false}}};

static pf_err read_symbols(pfi_xml *xml, pf_symtab *table) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    bool more;
    for (;;) {
        PF_TRY(pfi_xml_child(xml, &more));
        if (!more) return PF_OK;
        PF_TRY(pfi_xml_enter(xml, &symbol, values));
        PF_TRY(pfi_xml_content(xml, PF_SYMBOL_LIMIT));
        pf_err err = pf_symtab_put(table, xml->content.at, xml->content.n, (pf_label)values[0].count);
        if (err) return err == PF_EINPUT ? pfi_xml_fail(xml, "%s", pf_message()) : err;
    }
}

/* A symbol table, if there is one; then the next child is the current element. */
static pf_err read_table(pfi_xml *xml, const pfi_xml_element *element, bool *more, pf_symtab **out) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    if (!*more || !pfi_xml_is(xml, element)) return PF_OK;
    PF_TRY(pfi_xml_enter(xml, element, values));
    xmlChar *title = pfi_xml_value_of(xml, "name");
    if (!title && values[0].there) return pf_nomem();
    pf_err err = pf_symtab_new(title ? (const char *)title : "", out);
    (*pfi_libxml.free)(title);
    if (!err) err = read_symbols(xml, *out);
    return err ? err : pfi_xml_child(xml, more);
}

/* Both records begin with their tables; after them the next child is the current element. */
static pf_err read_tables(pfi_xml *xml, bool *more, pf_symtab **isyms, pf_symtab **osyms) {
    PF_TRY(pfi_xml_child(xml, more));
    PF_TRY(read_table(xml, &isymbols, more, isyms));
    return read_table(xml, &osymbols, more, osyms);
}

static pf_err read_arc(pfi_xml *xml, const pfi_xml_element *element, pf_emit *to) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    PF_TRY(pfi_xml_enter(xml, element, values));
    PF_TRY(pfi_xml_leave(xml, element));
    return pf_emit_arc(to, (pf_label)values[0].count, (pf_label)values[1].count, values[2].weight, (pf_state)values[3].count);
}

/* All arcs of the current element. */
static pf_err read_arcs(pfi_xml *xml, const pfi_xml_element *element, pf_emit *to) {
    bool more;
    to->arcs.n = 0;
    for (;;) {
        PF_TRY(pfi_xml_child(xml, &more));
        if (!more) return PF_OK;
        PF_TRY(read_arc(xml, element, to));
    }
}

static pf_err read_state(pfi_xml *xml, pf_fst *fst) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    size_t state = fst->state.n;
    PF_TRY(pfi_xml_enter(xml, &state_element, values));
    if (values[0].count != state)
        return pfi_xml_fail(xml, "expected state %zu, found state %" PRIu64, state, values[0].count);
    pf_fst_record record = {NULL, 0, values[1].there ? values[1].weight : INFINITY};
    PF_TRY(PF_PUSH(&fst->state, record));
    PF_TRY(read_arcs(xml, &arc, &fst->emit));
    return pfi_fst_place(fst, (pf_state)state);
}

/* Checks that the start state and the states that arcs lead to are there. */
static pf_err check_states(pfi_xml *xml, const pf_fst *fst) {
    size_t states = fst->state.n;
    if (fst->start != PF_NO_STATE && fst->start >= states)
        return pfi_xml_fail(xml, "the start state is %u, but there are %zu states", fst->start, states);
    for (size_t state = 0; state < states; state++)
        for (uint32_t i = 0; i < fst->state.at[state].n; i++)
            if (fst->state.at[state].arc[i].to >= states)
                return pfi_xml_fail(xml, "state %zu has an arc to state %u, but there are %zu states", state,
                                    fst->state.at[state].arc[i].to, states);
    return PF_OK;
}

/* The name of the current element, which is freed with xmlFree; NULL: it has none. */
static pf_err read_name(pfi_xml *xml, bool there, xmlChar **name) {
    if (!there) return PF_OK;
    *name = pfi_xml_value_of(xml, "name");
    return *name ? PF_OK : pf_nomem();
}

static pf_err read_fst(pfi_xml *xml, pf_fst *fst, xmlChar **name) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    bool more;
    PF_TRY(pfi_xml_enter(xml, &fst_element, values));
    fst->type = values[0].type;
    if (values[1].there) fst->start = (pf_state)values[1].count;
    PF_TRY(read_name(xml, values[2].there, name));
    PF_TRY(read_tables(xml, &more, &fst->isyms, &fst->osyms));
    while (more) {
        PF_TRY(read_state(xml, fst));
        PF_TRY(pfi_xml_child(xml, &more));
    }
    PF_VEC_FREE(&fst->emit.arcs);
    PF_TRY(check_states(xml, fst));
    PFI_CHECK(pfi_fst_is_closed(fst));
    return PF_OK;
}

static pf_err read_path(pfi_xml *xml, pf_answer *out, pf_emit *arcs) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    PF_TRY(pfi_xml_enter(xml, &path, values));
    if (values[0].count != out->paths.n + 1)
        return pfi_xml_fail(xml, "expected rank %zu, found rank %" PRIu64, out->paths.n + 1, values[0].count);
    PF_TRY(read_arcs(xml, &step, arcs));
    return pf_answer_add(out, arcs->arcs.at, arcs->arcs.n, values[2].weight);
}

static pf_err read_answer(pfi_xml *xml, pf_answer *other, pf_emit *arcs, xmlChar **name) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    bool more;
    PF_TRY(pfi_xml_enter(xml, &answer, values));
    other->type = values[0].type;
    other->bound = values[1].there ? values[1].sum : -(double)INFINITY;
    other->states = values[2].count;
    other->arcs = values[3].count;
    other->compared = values[4].there;
    other->reference = values[4].sum;
    PF_TRY(read_name(xml, values[5].there, name));
    PF_TRY(read_tables(xml, &more, &other->isyms, &other->osyms));
    while (more) {
        PF_TRY(read_path(xml, other, arcs));
        PF_TRY(pfi_xml_child(xml, &more));
    }
    return PF_OK;
}

static pf_err read_answer_record(pfi_xml *xml, pf_expr **out, xmlChar **name) {
    pf_emit arcs = {0};
    pf_answer found = {0};
    pf_err err = read_answer(xml, &found, &arcs, name);
    PF_VEC_FREE(&arcs.arcs);
    if (!err) return pf_expr_of_answer(&found, out);
    pf_answer_free(&found);
    return err;
}

static pf_err read_fst_record(pfi_xml *xml, pf_expr **out, xmlChar **name) {
    pf_fst *fst;
    PF_TRY(pf_fst_new(PF_STANDARD, NULL, NULL, &fst));
    pf_err err = read_fst(xml, fst, name);
    if (!err) return pf_expr_of_fst(fst, out);
    pf_fst_free(fst);
    return err;
}

/* The record whose element is the current one. */
static pf_err read_record(pfi_xml *xml, pf_expr **out) {
    xmlChar *name = NULL;
    bool is_answer = pfi_xml_is(xml, &answer);
    if (!is_answer && !pfi_xml_is(xml, &fst_element)) return pfi_xml_unexpected(xml, "<fst> or <answer>");
    pf_err err = (is_answer ? read_answer_record : read_fst_record)(xml, out, &name);
    if (!err) err = pf_expr_give_name(out, (const char *)name);
    (*pfi_libxml.free)(name);
    return err;
}

/* The root element: the whole document, or its only record, which is the current element then. */
static pf_err begin(pf_xml_reader *reader, bool *more) {
    pfi_xml_value values[PFI_XML_ATTRIBUTES];
    bool is;
    reader->begun = true;
    PF_TRY(pfi_xml_advance(&reader->xml, &is));
    if (!is) return pfi_xml_fail(&reader->xml, "expected <permfst>, found no element");
    reader->inside = pfi_xml_is(&reader->xml, &permfst);
    *more = !reader->inside;
    return reader->inside ? pfi_xml_enter(&reader->xml, &permfst, values) : PF_OK;
}

/* Is there one more record? Then its element is the current one; else the document has been read to its end. */
static pf_err next_record(pf_xml_reader *reader, bool *more) {
    *more = false;
    if (reader->ended) return PF_OK;
    if (!reader->begun) PF_TRY(begin(reader, more));
    if (reader->inside) PF_TRY(pfi_xml_child(&reader->xml, more));
    if (*more) return PF_OK;
    reader->ended = true;
    return pfi_xml_advance(&reader->xml, more);
}

pf_err pf_xml_next(pf_xml_reader *reader, pf_expr **out) {
    bool more;
    *out = NULL;
    if (reader->err) return reader->err;
    pf_err err = next_record(reader, &more);
    if (!err && more) err = read_record(&reader->xml, out);
    return reader->err = err;
}

pf_err pf_xml_reader_new(pf_reader *reader, pf_xml_reader **out) {
    pf_xml_reader *made = calloc(1, sizeof *made);
    *out = NULL;
    if (!made) return pf_nomem();
    pf_err err = pfi_xml_open(&made->xml, reader);
    if (err) pf_xml_reader_free(made);
    else *out = made;
    return err;
}

void pf_xml_reader_free(pf_xml_reader *reader) {
    if (!reader) return;
    pfi_xml_close(&reader->xml);
    free(reader);
}
