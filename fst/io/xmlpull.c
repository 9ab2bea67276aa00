/* libxml2's pull parser over a reader. An element that is not expected where it stands is refused before its content,
 * so nesting is as deep as the format and no deeper. A document type declaration is refused, and with it every entity;
 * nothing is fetched; libxml2's own limits stay on, and it prints nothing. A loose reader passes text between elements over,
 * and a document type declaration that only points elsewhere; an entity it refuses too. */
#include "io/xmlpull.h"

#include <permfst/io/header.h>
#include "io/io_impl.h"
#include <permfst/io/text.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAR_LINE = 65535 /* where libxml2 stops counting the lines of nodes */, VALUE_LIMIT = 4096 };

pf_err pfi_xml_fail(pfi_xml *xml, const char *format, ...) {
    char words[700];
    if (xml->err) return xml->err; /* whatever looks wrong comes from that */
    pfi_libxml.TextReaderMoveToElement(xml->parser); /* a namespace declaration is an attribute, but no node */
    xmlNodePtr node = pfi_libxml.TextReaderCurrentNode(xml->parser);
    long line = node ? pfi_libxml.GetLineNo(node) : -1;
    if (line <= 0 || line >= FAR_LINE) line = pfi_libxml.TextReaderGetParserLineNumber(xml->parser);
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    return pf_fail(PF_EINPUT, "%s:%ld: %s", pf_reader_name(xml->reader), line, words);
}

static const char *shown(const char *text, char *to) { return pfi_printable(text, strlen(text), to, PFI_XML_SHOWN); }

/* For libxml2: bytes. An error is kept here and looks like the end of the input there. */
static int more_bytes(void *self, char *to, int length) {
    pfi_xml *xml = self;
    size_t got = 0, room = length > 0 ? (size_t)length : 0;
    if (!xml->err && xml->feed) xml->err = xml->feed(xml->feed_self, to, room, &got);
    else if (!xml->err) xml->err = pf_reader_some(xml->reader, to, room, &got);
    return xml->err ? 0 : (int)got;
}

static const char no_dtd[] = "a document type declaration is not allowed";

/* The words of a complaint. What goes wrong in or after a document type declaration is its fault. */
static const char *words_of(const xmlError *error, bool loose) {
    const xmlParserCtxt *parser = error->domain == XML_FROM_PARSER ? error->ctxt : NULL;
    if (parser && !loose && parser->myDoc && parser->myDoc->intSubset) return no_dtd;
    if (error->code == XML_ERR_DOCUMENT_EMPTY) return "expected an XML document, which begins with '<'";
    return error->message ? error->message : "damaged XML";
}

/* For libxml2: what it complains of. */
static void complaint(void *self, xmlErrorPtr error) {
    pfi_xml *xml = self;
    if (error->code == XML_ERR_NO_MEMORY && !(error->message && strstr(error->message, "huge"))) /* its limit has the same code */
        xml->err = pf_nomem();
    if (*xml->words || error->level < XML_ERR_ERROR) return;
    const char *words = words_of(error, xml->loose);
    int n = snprintf(xml->words, sizeof xml->words, "%d: ", error->line);
    pfi_printable(words, strcspn(words, "\n"), xml->words + n, sizeof xml->words - (size_t)n);
}

static void drop_words(void *self PF_UNUSED, const char *format PF_UNUSED, ...) {}

/* What the listener has and what libxml2 has change places. */
static void exchange(pfi_xml_listener *listener) {
    const pfi_xml_listener had = *listener;
    listener->function = *had.function_at;
    listener->words = *had.words_at;
    listener->self = *had.self_at;
    listener->words_self = *had.words_self_at;
    *had.function_at = had.function;
    *had.words_at = had.words;
    *had.self_at = had.self;
    *had.words_self_at = had.words_self;
}

/* Where a thread keeps its handlers is asked once: that took a tenth of the time of reading. */
pfi_xml_listener pfi_xml_listen(xmlStructuredErrorFunc function, void *self) {
    pfi_xml_listener listener = {function, pfi_libxml.structured(), drop_words, pfi_libxml.generic(), self,
                                 pfi_libxml.structured_self(), NULL, pfi_libxml.generic_self()};
    exchange(&listener);
    return listener;
}

void pfi_xml_listen_no_more(pfi_xml_listener had) { exchange(&had); }

/* It declares nothing itself, but points to what is never fetched. */
static bool only_points(const pfi_xml *xml) {
    const xmlNode *node = pfi_libxml.TextReaderCurrentNode(xml->parser);
    return node && node->type == XML_DTD_NODE && !node->children;
}

/* The next node's type; 0 is the end. */
static pf_err next_node(pfi_xml *xml, int *type) {
    pfi_xml_listener had = pfi_xml_listen(complaint, xml);
    int code = pfi_libxml.TextReaderRead(xml->parser);
    pfi_xml_listen_no_more(had);
    if (xml->err) return xml->err;
    if (*xml->words) return pf_fail(PF_EINPUT, "%s:%s", pf_reader_name(xml->reader), xml->words);
    if (code < 0) return pfi_xml_fail(xml, "damaged XML");
    *type = code ? pfi_libxml.TextReaderNodeType(xml->parser) : 0;
    if (*type == XML_READER_TYPE_DOCUMENT_TYPE && !(xml->loose && only_points(xml))) return pfi_xml_fail(xml, "%s", no_dtd);
    if (*type == XML_READER_TYPE_ENTITY_REFERENCE) return pfi_xml_fail(xml, "an entity reference is not allowed");
    return PF_OK;
}

static pf_err bad_text(pfi_xml *xml) {
    char found[PFI_XML_SHOWN];
    const char *text = pfi_xml_text(xml);
    return pfi_xml_fail(xml, "expected an element, found the text '%s'", shown(text, found));
}

static bool is_text(int type) {
    return type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA || type == XML_READER_TYPE_WHITESPACE ||
           type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE;
}

pf_err pfi_xml_advance(pfi_xml *xml, bool *begin) {
    for (int type;;) {
        PF_TRY(next_node(xml, &type));
        if (!xml->loose && (type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA)) return bad_text(xml);
        *begin = type == XML_READER_TYPE_ELEMENT;
        xml->empty = *begin && pfi_libxml.TextReaderIsEmptyElement(xml->parser) == 1;
        if (*begin || !type || type == XML_READER_TYPE_END_ELEMENT) return PF_OK;
    }
}

pf_err pfi_xml_child(pfi_xml *xml, bool *more) {
    *more = false;
    if (!xml->empty) return pfi_xml_advance(xml, more);
    xml->empty = false;
    return PF_OK;
}

/* Where what must be there is not, libxml2 had no memory for it. */
static const char *there(pfi_xml *xml, const xmlChar *what(xmlTextReaderPtr parser)) {
    pfi_xml_listener had = pfi_xml_listen(complaint, xml);
    const xmlChar *text = what(xml->parser);
    pfi_xml_listen_no_more(had);
    if (!text) xml->err = pf_nomem();
    return text ? (const char *)text : "";
}

const char *pfi_xml_name(pfi_xml *xml) { return there(xml, pfi_libxml.TextReaderConstName); }
const char *pfi_xml_text(pfi_xml *xml) { return there(xml, pfi_libxml.TextReaderConstValue); }

bool pfi_xml_next_attribute(pfi_xml *xml) {
    pfi_xml_listener had = pfi_xml_listen(complaint, xml);
    bool more = pfi_libxml.TextReaderMoveToNextAttribute(xml->parser) == 1;
    pfi_xml_listen_no_more(had);
    return more;
}

xmlChar *pfi_xml_value_of(pfi_xml *xml, const char *attribute) {
    pfi_xml_listener had = pfi_xml_listen(complaint, xml);
    xmlChar *value = pfi_libxml.TextReaderGetAttribute(xml->parser, (const xmlChar *)attribute);
    pfi_xml_listen_no_more(had);
    return value;
}

bool pfi_xml_is(pfi_xml *xml, const pfi_xml_element *element) { return strcmp(pfi_xml_name(xml), element->name) == 0; }

pf_err pfi_xml_unexpected(pfi_xml *xml, const char *what) {
    char found[PFI_XML_SHOWN];
    return pfi_xml_fail(xml, "expected %s, found <%s>", what, shown(pfi_xml_name(xml), found));
}

static bool parse_count(const char *text, pfi_xml_value *values) {
    values->count = 0;
    for (const char *at = text; *at; at++) {
        if (*at < '0' || *at > '9' || values->count > (UINT64_MAX - 9) / 10) return false;
        values->count = 10 * values->count + (uint64_t)(*at - '0');
    }
    return *text;
}

static bool parse_number(const char *text, pfi_xml_value *values) {
    return parse_count(text, values) && values->count <= INT32_MAX;
}

static bool parse_type(const char *text, pfi_xml_value *values) { return pf_arc_type_find(text, &values->type); }

/* Decimal only: no hexadecimal, no inf, no space. */
static bool decimal(const char *text) {
    return strcmp(text, "Infinity") == 0 || !text[strspn(text, "0123456789+-.eE")];
}

static bool parse_weight(const char *text, pfi_xml_value *values) {
    return decimal(text) && pfi_weight_parse(text, &values->weight);
}

static bool parse_sum(const char *text, pfi_xml_value *values) {
    char *end;
    values->sum = strtod(text, &end);
    return decimal(text) && end != text && !*end && values->sum != -(double)INFINITY &&
           (values->sum != (double)INFINITY || *text == 'I');
}

static bool parse_one(const char *text, pfi_xml_value *values PF_UNUSED) { return strcmp(text, "1") == 0; }
static bool parse_preserve(const char *text, pfi_xml_value *values PF_UNUSED) { return strcmp(text, "preserve") == 0; }
static bool parse_any(const char *text PF_UNUSED, pfi_xml_value *values PF_UNUSED) { return true; }

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

static pf_err read_attribute(pfi_xml *xml, const pfi_xml_element *element, pfi_xml_value *values) {
    char found[PFI_XML_SHOWN];
    const char *text = pfi_xml_text(xml);
    const pfi_xml_attribute *attribute = element->attribute;
    while (attribute->name && strcmp(attribute->name, pfi_xml_name(xml))) attribute++;
    if (!attribute->name)
        return pfi_xml_fail(xml, "<%s> has no attribute '%s'", element->name, shown(pfi_xml_name(xml), found));
    pfi_xml_value *to = &values[attribute - element->attribute];
    to->there = true;
    if (strlen(text) <= VALUE_LIMIT && kinds[attribute->kind].parse(text, to)) return PF_OK;
    return pfi_xml_fail(xml, "attribute %s: expected %s, found '%s'", attribute->name, kinds[attribute->kind].what,
        shown(text, found));
}

pf_err pfi_xml_enter(pfi_xml *xml, const pfi_xml_element *element, pfi_xml_value *values) {
    char what[40];
    snprintf(what, sizeof what, "<%s>", element->name);
    if (!pfi_xml_is(xml, element)) return pfi_xml_unexpected(xml, what);
    memset(values, 0, PFI_XML_ATTRIBUTES * sizeof *values);
    pf_err err = PF_OK;
    while (!err && pfi_xml_next_attribute(xml)) err = read_attribute(xml, element, values);
    pfi_libxml.TextReaderMoveToElement(xml->parser);
    if (xml->err || err) return xml->err ? xml->err : err;
    for (unsigned i = 0; element->attribute[i].name; i++)
        if (element->attribute[i].needed && !values[i].there)
            return pfi_xml_fail(xml, "<%s> needs the attribute '%s'", element->name, element->attribute[i].name);
    return PF_OK;
}

pf_err pfi_xml_leave(pfi_xml *xml, const pfi_xml_element *element) {
    char what[40];
    bool more;
    snprintf(what, sizeof what, "the end of <%s>", element->name);
    PF_TRY(pfi_xml_child(xml, &more));
    return more ? pfi_xml_unexpected(xml, what) : PF_OK;
}

pf_err pfi_xml_content(pfi_xml *xml, size_t limit) {
    xml->content.n = 0;
    for (int node = 0; !xml->empty;) {
        PF_TRY(next_node(xml, &node));
        if (node == XML_READER_TYPE_END_ELEMENT) break;
        if (node == XML_READER_TYPE_ELEMENT) return pfi_xml_unexpected(xml, "text");
        const char *text = is_text(node) ? pfi_xml_text(xml) : NULL;
        size_t n = text ? strlen(text) : 0;
        if (xml->content.n + n > limit) return pfi_xml_fail(xml, "expected a text of at most %zu bytes", limit);
        PF_TRY(PF_ROOM(&xml->content, n));
        if (n) memcpy(xml->content.at + xml->content.n, text, n);
        xml->content.n += n;
    }
    xml->empty = false;
    PF_TRY(PF_ROOM(&xml->content, 1));
    xml->content.at[xml->content.n] = 0;
    return PF_OK;
}

pf_err pfi_xml_open(pfi_xml *xml, pf_reader *reader) {
    const unsigned char *at;
    size_t have;
    PF_TRY(pfi_libxml_load());
    PF_TRY(pf_reader_peek(reader, 1, &at, &have));
    if (!have) return pf_fail(PF_EINPUT, "%s is empty (did the command before it fail?)", pf_reader_name(reader));
    xml->reader = reader;
    pfi_xml_listener had = pfi_xml_listen(complaint, xml);
    xml->parser = pfi_libxml.ReaderForIO(more_bytes, NULL, xml, NULL, NULL, XML_PARSE_NONET);
    pfi_xml_listen_no_more(had);
    if (!xml->parser) return xml->err ? xml->err : pf_nomem();
    pfi_libxml.TextReaderSetStructuredErrorHandler(xml->parser, complaint, xml);
    return PF_OK;
}

void pfi_xml_close(pfi_xml *xml) {
    if (xml->parser) pfi_libxml.FreeTextReader(xml->parser);
    PF_VEC_FREE(&xml->content);
}

