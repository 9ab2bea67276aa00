/* libxml2's pull parser over a reader. An element that is not expected where it stands is refused before its content,
 * so nesting is as deep as the format and no deeper. A document type declaration is refused, and with it every entity;
 * nothing is fetched; libxml2's own limits stay on, and it prints nothing. A loose reader passes text between elements over,
 * and a document type declaration that only points elsewhere; an entity it refuses too. */
#include "io/xmlpull.h"

#include <permfst/io/header.h>
#include "io/io_impl.h"
#include <permfst/io/text.h>

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAR_LINE = 65535 /* where libxml2 stops counting the lines of nodes */, VALUE_LIMIT = 4096 };

pf_err pfi_xml_fail(pfi_xml *x, const char *format, ...) {
    char words[700];
    if (x->err) return x->err; /* whatever looks wrong comes from that */
    xmlTextReaderMoveToElement(x->parser); /* a namespace declaration is an attribute, but no node */
    xmlNodePtr node = xmlTextReaderCurrentNode(x->parser);
    long line = node ? xmlGetLineNo(node) : -1;
    if (line <= 0 || line >= FAR_LINE) line = xmlTextReaderGetParserLineNumber(x->parser);
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    return pf_fail(PF_EINPUT, "%s:%ld: %s", pf_reader_name(x->reader), line, words);
}

static const char *shown(const char *text, char *to) { return pfi_printable(text, strlen(text), to, PFI_XML_SHOWN); }

/* For libxml2: bytes. An error is kept here and looks like the end of the input there. */
static int more_bytes(void *self, char *to, int n) {
    pfi_xml *x = self;
    size_t got = 0;
    if (!x->err) x->err = pf_reader_some(x->reader, to, n > 0 ? (size_t)n : 0, &got);
    return x->err ? 0 : (int)got;
}

static const char no_dtd[] = "a document type declaration is not allowed";

/* The words of a complaint. What goes wrong in or after a document type declaration is its fault. */
static const char *words_of(const xmlError *e, bool loose) {
    const xmlParserCtxt *parser = e->domain == XML_FROM_PARSER ? e->ctxt : NULL;
    if (parser && !loose && parser->myDoc && parser->myDoc->intSubset) return no_dtd;
    if (e->code == XML_ERR_DOCUMENT_EMPTY) return "expected an XML document, which begins with '<'";
    return e->message ? e->message : "damaged XML";
}

/* For libxml2: what it complains of. */
static void complaint(void *self, xmlErrorPtr e) {
    pfi_xml *x = self;
    if (e->code == XML_ERR_NO_MEMORY && !(e->message && strstr(e->message, "huge"))) /* its limit has the same code */
        x->err = pf_nomem();
    if (*x->words || e->level < XML_ERR_ERROR) return;
    const char *words = words_of(e, x->loose);
    int n = snprintf(x->words, sizeof x->words, "%d: ", e->line);
    pfi_printable(words, strcspn(words, "\n"), x->words + n, sizeof x->words - (size_t)n);
}

/* What libxml2 says before a parser has its own handler, and of trees and buffers, goes to the thread's handler, which would
 * print it. It is taken while libxml2 works. */
typedef struct {
    xmlStructuredErrorFunc function;
    void *self;
} handler;

static handler listen(pfi_xml *x) {
    handler had = {xmlStructuredError, xmlStructuredErrorContext};
    xmlSetStructuredErrorFunc(x, complaint);
    return had;
}

static void listen_no_more(handler had) { xmlSetStructuredErrorFunc(had.self, had.function); }

/* It declares nothing itself, but points to what is never fetched. */
static bool only_points(const pfi_xml *x) {
    const xmlNode *node = xmlTextReaderCurrentNode(x->parser);
    return node && node->type == XML_DTD_NODE && !node->children;
}

/* The next node's type; 0 is the end. */
static pf_err next_node(pfi_xml *x, int *type) {
    handler had = listen(x);
    int code = xmlTextReaderRead(x->parser);
    listen_no_more(had);
    if (x->err) return x->err;
    if (*x->words) return pf_fail(PF_EINPUT, "%s:%s", pf_reader_name(x->reader), x->words);
    if (code < 0) return pfi_xml_fail(x, "damaged XML");
    *type = code ? xmlTextReaderNodeType(x->parser) : 0;
    if (*type == XML_READER_TYPE_DOCUMENT_TYPE && !(x->loose && only_points(x))) return pfi_xml_fail(x, "%s", no_dtd);
    if (*type == XML_READER_TYPE_ENTITY_REFERENCE) return pfi_xml_fail(x, "an entity reference is not allowed");
    return PF_OK;
}

static pf_err bad_text(pfi_xml *x) {
    char found[PFI_XML_SHOWN];
    const char *text = pfi_xml_text(x);
    return pfi_xml_fail(x, "expected an element, found the text '%s'", shown(text, found));
}

static bool is_text(int type) {
    return type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA || type == XML_READER_TYPE_WHITESPACE ||
           type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE;
}

pf_err pfi_xml_advance(pfi_xml *x, bool *begin) {
    for (int type;;) {
        PF_TRY(next_node(x, &type));
        if (!x->loose && (type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA)) return bad_text(x);
        *begin = type == XML_READER_TYPE_ELEMENT;
        x->empty = *begin && xmlTextReaderIsEmptyElement(x->parser) == 1;
        if (*begin || !type || type == XML_READER_TYPE_END_ELEMENT) return PF_OK;
    }
}

pf_err pfi_xml_child(pfi_xml *x, bool *more) {
    *more = false;
    if (!x->empty) return pfi_xml_advance(x, more);
    x->empty = false;
    return PF_OK;
}

/* What must be there is not: libxml2 had no memory for it. */
static const char *there(pfi_xml *x, const xmlChar *text) {
    if (!text) x->err = pf_nomem();
    return text ? (const char *)text : "";
}

const char *pfi_xml_name(pfi_xml *x) { return there(x, xmlTextReaderConstName(x->parser)); }
const char *pfi_xml_text(pfi_xml *x) { return there(x, xmlTextReaderConstValue(x->parser)); }

bool pfi_xml_is(pfi_xml *x, const pfi_xml_element *e) { return strcmp(pfi_xml_name(x), e->name) == 0; }

pf_err pfi_xml_unexpected(pfi_xml *x, const char *what) {
    char found[PFI_XML_SHOWN];
    return pfi_xml_fail(x, "expected %s, found <%s>", what, shown(pfi_xml_name(x), found));
}

static bool parse_count(const char *text, pfi_xml_value *v) {
    v->count = 0;
    for (const char *at = text; *at; at++) {
        if (*at < '0' || *at > '9' || v->count > (UINT64_MAX - 9) / 10) return false;
        v->count = 10 * v->count + (uint64_t)(*at - '0');
    }
    return *text;
}

static bool parse_number(const char *text, pfi_xml_value *v) { return parse_count(text, v) && v->count <= INT32_MAX; }
static bool parse_type(const char *text, pfi_xml_value *v) { return pf_arc_type_find(text, &v->type); }

/* Decimal only: no hexadecimal, no inf, no space. */
static bool decimal(const char *text) {
    return strcmp(text, "Infinity") == 0 || !text[strspn(text, "0123456789+-.eE")];
}

static bool parse_weight(const char *text, pfi_xml_value *v) {
    return decimal(text) && pfi_weight_parse(text, &v->weight);
}

static bool parse_sum(const char *text, pfi_xml_value *v) {
    char *end;
    v->sum = strtod(text, &end);
    return decimal(text) && end != text && !*end && v->sum != -(double)INFINITY &&
           (v->sum != (double)INFINITY || *text == 'I');
}

static bool parse_one(const char *text, pfi_xml_value *v PF_UNUSED) { return strcmp(text, "1") == 0; }
static bool parse_preserve(const char *text, pfi_xml_value *v PF_UNUSED) { return strcmp(text, "preserve") == 0; }
static bool parse_any(const char *text PF_UNUSED, pfi_xml_value *v PF_UNUSED) { return true; }

static const struct {
    bool (*parse)(const char *text, pfi_xml_value *to);
    const char *what;
} kinds[] = {
    [PFI_XML_NUMBER] = {parse_number, "a number from 0 to 2147483647"},
    [PFI_XML_COUNT] = {parse_count, "a whole number"},
    [PFI_XML_TYPE] = {parse_type, "standard, log or log64"},
    [PFI_XML_WEIGHT] = {parse_weight, "a weight"},
    [PFI_XML_SUM] = {parse_sum, "a cost"},
    [PFI_XML_ONE] = {parse_one, "1"},
    [PFI_XML_PRESERVE] = {parse_preserve, "preserve"},
    [PFI_XML_ANY] = {parse_any, "a name"},
};

static pf_err read_attribute(pfi_xml *x, const pfi_xml_element *e, pfi_xml_value *v) {
    char found[PFI_XML_SHOWN];
    const char *text = pfi_xml_text(x);
    const pfi_xml_attribute *a = e->attribute;
    while (a->name && strcmp(a->name, pfi_xml_name(x))) a++;
    if (!a->name) return pfi_xml_fail(x, "<%s> has no attribute '%s'", e->name, shown(pfi_xml_name(x), found));
    pfi_xml_value *to = &v[a - e->attribute];
    to->there = true;
    if (strlen(text) <= VALUE_LIMIT && kinds[a->kind].parse(text, to)) return PF_OK;
    return pfi_xml_fail(x, "attribute %s: expected %s, found '%s'", a->name, kinds[a->kind].what, shown(text, found));
}

pf_err pfi_xml_enter(pfi_xml *x, const pfi_xml_element *e, pfi_xml_value *v) {
    char what[40];
    snprintf(what, sizeof what, "<%s>", e->name);
    if (!pfi_xml_is(x, e)) return pfi_xml_unexpected(x, what);
    memset(v, 0, PFI_XML_ATTRIBUTES * sizeof *v);
    handler had = listen(x);
    pf_err err = PF_OK;
    while (!err && xmlTextReaderMoveToNextAttribute(x->parser) == 1) err = read_attribute(x, e, v);
    listen_no_more(had);
    xmlTextReaderMoveToElement(x->parser);
    if (x->err || err) return x->err ? x->err : err;
    for (unsigned i = 0; e->attribute[i].name; i++)
        if (e->attribute[i].needed && !v[i].there)
            return pfi_xml_fail(x, "<%s> needs the attribute '%s'", e->name, e->attribute[i].name);
    return PF_OK;
}

pf_err pfi_xml_leave(pfi_xml *x, const pfi_xml_element *e) {
    char what[40];
    bool more;
    snprintf(what, sizeof what, "the end of <%s>", e->name);
    PF_TRY(pfi_xml_child(x, &more));
    return more ? pfi_xml_unexpected(x, what) : PF_OK;
}

pf_err pfi_xml_content(pfi_xml *x, size_t limit) {
    x->content.n = 0;
    for (int node = 0; !x->empty;) {
        PF_TRY(next_node(x, &node));
        if (node == XML_READER_TYPE_END_ELEMENT) break;
        if (node == XML_READER_TYPE_ELEMENT) return pfi_xml_unexpected(x, "text");
        const char *text = is_text(node) ? pfi_xml_text(x) : NULL;
        size_t n = text ? strlen(text) : 0;
        if (x->content.n + n > limit) return pfi_xml_fail(x, "expected a text of at most %zu bytes", limit);
        PF_TRY(PF_ROOM(&x->content, n));
        if (n) memcpy(x->content.at + x->content.n, text, n);
        x->content.n += n;
    }
    x->empty = false;
    PF_TRY(PF_ROOM(&x->content, 1));
    x->content.at[x->content.n] = 0;
    return PF_OK;
}

void pfi_xml_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, xmlInitParser); /* which is not safe in several threads at a time */
}

pf_err pfi_xml_open(pfi_xml *x, pf_reader *r) {
    const unsigned char *at;
    size_t have;
    pfi_xml_init();
    PF_TRY(pf_reader_peek(r, 1, &at, &have));
    if (!have) return pf_fail(PF_EINPUT, "%s is empty (did the command before it fail?)", pf_reader_name(r));
    x->reader = r;
    handler had = listen(x);
    x->parser = xmlReaderForIO(more_bytes, NULL, x, NULL, NULL, XML_PARSE_NONET);
    listen_no_more(had);
    if (!x->parser) return x->err ? x->err : pf_nomem();
    xmlTextReaderSetStructuredErrorHandler(x->parser, complaint, x);
    return PF_OK;
}

void pfi_xml_close(pfi_xml *x) {
    xmlFreeTextReader(x->parser);
    PF_VEC_FREE(&x->content);
}

