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
    fst = {"fst", {{"type", PFI_XML_TYPE, true}, {"start", PFI_XML_NUMBER, false}}},
    answer = {"answer",
              {{"type", PFI_XML_TYPE, true},
               {"bound", PFI_XML_SUM, false},
               {"states", PFI_XML_COUNT, false},
               {"arcs", PFI_XML_COUNT, false},
               {"reference", PFI_XML_SUM, false}}},
    isymbols = {"isymbols", {{"name", PFI_XML_ANY, false}, {"xml:space", PFI_XML_PRESERVE, false}}},
    osymbols = {"osymbols", {{"name", PFI_XML_ANY, false}, {"xml:space", PFI_XML_PRESERVE, false}}},
    symbol = {"symbol", {{"label", PFI_XML_NUMBER, true}}},
    state = {"state", {{"id", PFI_XML_NUMBER, true}, {"final", PFI_XML_WEIGHT, false}}},
    arc = {"arc",
           {{"in", PFI_XML_NUMBER, true},
            {"out", PFI_XML_NUMBER, true},
            {"weight", PFI_XML_WEIGHT, false},
            {"to", PFI_XML_NUMBER, true}}},
    path = {"path", {{"rank", PFI_XML_NUMBER, true}, {"cost", PFI_XML_SUM, true}, {"final", PFI_XML_WEIGHT, false}}},
    step = {"arc", {{"in", PFI_XML_NUMBER, true}, {"out", PFI_XML_NUMBER, true}, {"weight", PFI_XML_WEIGHT, false}}};

static pf_err read_symbols(pfi_xml *x, pf_symtab *t) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    bool more;
    for (;;) {
        PF_TRY(pfi_xml_child(x, &more));
        if (!more) return PF_OK;
        PF_TRY(pfi_xml_enter(x, &symbol, v));
        PF_TRY(pfi_xml_content(x, PF_SYMBOL_LIMIT));
        pf_err err = pf_symtab_put(t, x->content.at, x->content.n, (pf_label)v[0].count);
        if (err) return err == PF_EINPUT ? pfi_xml_fail(x, "%s", pf_message()) : err;
    }
}

/* A symbol table, if there is one; then the next child is the current element. */
static pf_err read_table(pfi_xml *x, const pfi_xml_element *e, bool *more, pf_symtab **out) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    if (!*more || !pfi_xml_is(x, e)) return PF_OK;
    PF_TRY(pfi_xml_enter(x, e, v));
    xmlChar *title = xmlTextReaderGetAttribute(x->parser, (const xmlChar *)"name");
    if (!title && v[0].there) return pf_nomem();
    pf_err err = pf_symtab_new(title ? (const char *)title : "", out);
    xmlFree(title);
    if (!err) err = read_symbols(x, *out);
    return err ? err : pfi_xml_child(x, more);
}

/* Both records begin with their tables; after them the next child is the current element. */
static pf_err read_tables(pfi_xml *x, bool *more, pf_symtab **isyms, pf_symtab **osyms) {
    PF_TRY(pfi_xml_child(x, more));
    PF_TRY(read_table(x, &isymbols, more, isyms));
    return read_table(x, &osymbols, more, osyms);
}

static pf_err read_arc(pfi_xml *x, const pfi_xml_element *e, pf_emit *to) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    PF_TRY(pfi_xml_enter(x, e, v));
    PF_TRY(pfi_xml_leave(x, e));
    return pf_emit_arc(to, (pf_label)v[0].count, (pf_label)v[1].count, v[2].weight, (pf_state)v[3].count);
}

/* All arcs of the current element. */
static pf_err read_arcs(pfi_xml *x, const pfi_xml_element *e, pf_emit *to) {
    bool more;
    to->arcs.n = 0;
    for (;;) {
        PF_TRY(pfi_xml_child(x, &more));
        if (!more) return PF_OK;
        PF_TRY(read_arc(x, e, to));
    }
}

static pf_err read_state(pfi_xml *x, pf_fst *f) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    size_t s = f->state.n;
    PF_TRY(pfi_xml_enter(x, &state, v));
    if (v[0].count != s) return pfi_xml_fail(x, "expected state %zu, found state %" PRIu64, s, v[0].count);
    pf_fst_record record = {NULL, 0, v[1].there ? v[1].weight : INFINITY};
    PF_TRY(PF_PUSH(&f->state, record));
    PF_TRY(read_arcs(x, &arc, &f->emit));
    return pfi_fst_place(f, (pf_state)s);
}

/* Checks that the start state and the states that arcs lead to are there. */
static pf_err check_states(pfi_xml *x, const pf_fst *f) {
    size_t n = f->state.n;
    if (f->start != PF_NO_STATE && f->start >= n)
        return pfi_xml_fail(x, "the start state is %u, but there are %zu states", f->start, n);
    for (size_t s = 0; s < n; s++)
        for (uint32_t i = 0; i < f->state.at[s].n; i++)
            if (f->state.at[s].arc[i].to >= n)
                return pfi_xml_fail(x, "state %zu has an arc to state %u, but there are %zu states", s,
                                    f->state.at[s].arc[i].to, n);
    return PF_OK;
}

static pf_err read_fst(pfi_xml *x, pf_fst *f) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    bool more;
    PF_TRY(pfi_xml_enter(x, &fst, v));
    f->type = v[0].type;
    if (v[1].there) f->start = (pf_state)v[1].count;
    PF_TRY(read_tables(x, &more, &f->isyms, &f->osyms));
    while (more) {
        PF_TRY(read_state(x, f));
        PF_TRY(pfi_xml_child(x, &more));
    }
    PF_VEC_FREE(&f->emit.arcs);
    PF_TRY(check_states(x, f));
    PFI_CHECK(pfi_fst_is_closed(f));
    return PF_OK;
}

static pf_err read_path(pfi_xml *x, pf_answer *a, pf_emit *arcs) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    PF_TRY(pfi_xml_enter(x, &path, v));
    if (v[0].count != a->paths.n + 1)
        return pfi_xml_fail(x, "expected rank %zu, found rank %" PRIu64, a->paths.n + 1, v[0].count);
    PF_TRY(read_arcs(x, &step, arcs));
    return pf_answer_add(a, arcs->arcs.at, arcs->arcs.n, v[2].weight);
}

static pf_err read_answer(pfi_xml *x, pf_answer *a, pf_emit *arcs) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    bool more;
    PF_TRY(pfi_xml_enter(x, &answer, v));
    a->type = v[0].type;
    a->bound = v[1].there ? v[1].sum : -(double)INFINITY;
    a->states = v[2].count;
    a->arcs = v[3].count;
    a->compared = v[4].there;
    a->reference = v[4].sum;
    PF_TRY(read_tables(x, &more, &a->isyms, &a->osyms));
    while (more) {
        PF_TRY(read_path(x, a, arcs));
        PF_TRY(pfi_xml_child(x, &more));
    }
    return PF_OK;
}

static pf_err read_answer_record(pfi_xml *x, pf_expr **out) {
    pf_emit arcs = {0};
    pf_answer a = {0};
    pf_err err = read_answer(x, &a, &arcs);
    PF_VEC_FREE(&arcs.arcs);
    if (!err) return pf_expr_of_answer(&a, out);
    pf_answer_free(&a);
    return err;
}

/* The record whose element is the current one. */
static pf_err read_record(pfi_xml *x, pf_expr **out) {
    pf_fst *f;
    if (pfi_xml_is(x, &answer)) return read_answer_record(x, out);
    if (!pfi_xml_is(x, &fst)) return pfi_xml_unexpected(x, "<fst> or <answer>");
    PF_TRY(pf_fst_new(PF_STANDARD, NULL, NULL, &f));
    pf_err err = read_fst(x, f);
    if (!err) return pf_expr_of_fst(f, out);
    pf_fst_free(f);
    return err;
}

/* The root element: the whole document, or its only record, which is the current element then. */
static pf_err begin(pf_xml_reader *r, bool *more) {
    pfi_xml_value v[PFI_XML_ATTRIBUTES];
    bool is;
    r->begun = true;
    PF_TRY(pfi_xml_advance(&r->xml, &is));
    if (!is) return pfi_xml_fail(&r->xml, "expected <permfst>, found no element");
    r->inside = pfi_xml_is(&r->xml, &permfst);
    *more = !r->inside;
    return r->inside ? pfi_xml_enter(&r->xml, &permfst, v) : PF_OK;
}

/* Is there one more record? Then its element is the current one; else the document has been read to its end. */
static pf_err next_record(pf_xml_reader *r, bool *more) {
    *more = false;
    if (r->ended) return PF_OK;
    if (!r->begun) PF_TRY(begin(r, more));
    if (r->inside) PF_TRY(pfi_xml_child(&r->xml, more));
    if (*more) return PF_OK;
    r->ended = true;
    return pfi_xml_advance(&r->xml, more);
}

pf_err pf_xml_next(pf_xml_reader *r, pf_expr **out) {
    bool more;
    *out = NULL;
    if (r->err) return r->err;
    pf_err err = next_record(r, &more);
    if (!err && more) err = read_record(&r->xml, out);
    return r->err = err;
}

pf_err pf_xml_reader_new(pf_reader *reader, pf_xml_reader **out) {
    pf_xml_reader *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r) return pf_nomem();
    pf_err err = pfi_xml_open(&r->xml, reader);
    if (err) pf_xml_reader_free(r);
    else *out = r;
    return err;
}

void pf_xml_reader_free(pf_xml_reader *r) {
    if (!r) return;
    pfi_xml_close(&r->xml);
    free(r);
}
