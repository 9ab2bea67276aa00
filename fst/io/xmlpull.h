/* Elements and attributes pulled from an XML document one after the other: what the reader of xmlread.c stands on. */
#ifndef PF_IO_XMLPULL_H
#define PF_IO_XMLPULL_H

#include "io/libxml.h"

#include <permfst/base/reader.h>
#include <permfst/base/vec.h>
#include <permfst/machine/semiring.h>


#ifdef __cplusplus
extern "C" {
#endif

enum { PFI_XML_ATTRIBUTES = 6, PFI_XML_SHOWN = 80 };

/* What an attribute's value must be. */
typedef enum {
    PFI_XML_NUMBER,   /* 0..2147483647, into count */
    PFI_XML_COUNT,    /* any whole number, into count */
    PFI_XML_TYPE,     /* an arc type */
    PFI_XML_WEIGHT,   /* a float or Infinity */
    PFI_XML_SUM,      /* a double or Infinity */
    PFI_XML_ONE,      /* "1" */
    PFI_XML_PRESERVE, /* "preserve" */
    PFI_XML_ANY
} pfi_xml_kind;

typedef struct {
    const char *name;
    pfi_xml_kind kind;
    bool needed;
} pfi_xml_attribute;

/* An element and its attributes; their values are kept in the order in which they stand here. */
typedef struct {
    const char *name;
    pfi_xml_attribute attribute[PFI_XML_ATTRIBUTES + 1];
} pfi_xml_element;

typedef struct {
    bool there;
    uint64_t count;
    pf_arc_type type;
    double sum;
    float weight;
} pfi_xml_value;

/* Gives the next bytes of a document, at most `room`; *got = 0 at the end. Its error ends the reading. */
typedef pf_err (*pfi_xml_feed)(void *self, char *to, size_t room, size_t *got);

typedef struct {
    pf_reader *reader;
    pfi_xml_feed feed; /* set by the caller, with its `self`; NULL: the reader's bytes */
    void *feed_self;
    xmlTextReaderPtr parser;
    pf_err err;      /* of the reader, or PF_ENOMEM of libxml2 */
    bool loose;      /* set by the caller: other people's documents, see xmlpull.c */
    bool empty;      /* the current element is <x/>, which has no end of its own */
    char words[400]; /* libxml2's first complaint */
    PF_VEC(char) content;
} pfi_xml;

/* What libxml2 says before a parser has its own handler, and of trees and buffers, goes to the thread's two handlers, which would
 * print it. Between listen and listen_no_more `function` gets what has a structure, and the rest, of memory that ends, is
 * dropped. */
typedef struct {
    xmlStructuredErrorFunc function, *function_at;
    xmlGenericErrorFunc words, *words_at;
    void *self, **self_at, *words_self, **words_self_at;
} pfi_xml_listener; /* the handlers that there were, and where libxml2 keeps those of this thread */
pfi_xml_listener pfi_xml_listen(xmlStructuredErrorFunc function, void *self);
void pfi_xml_listen_no_more(pfi_xml_listener had);

/* Begins on an all-zero pfi_xml, which must not move from then on; the reader must outlive it. `close` ends also one that
 * was not opened. */
pf_err pfi_xml_open(pfi_xml *xml, pf_reader *reader);
void pfi_xml_close(pfi_xml *xml);

/* PF_EINPUT with file and line before the words. */
pf_err pfi_xml_fail(pfi_xml *xml, const char *format, ...) PF_PRINTF(2, 3);

/* Goes to the next attribute of the element, until there is none. The value of one by its name, for xmlFree; NULL: there is none,
 * or xml->err. */
bool pfi_xml_next_attribute(pfi_xml *xml);
xmlChar *pfi_xml_value_of(pfi_xml *xml, const char *attribute);

/* The name of the current element or attribute; the text of the current attribute or text. "", and x->err = PF_ENOMEM, where
 * libxml2 has no memory for it. Borrowed until the next node. */
const char *pfi_xml_name(pfi_xml *xml);
const char *pfi_xml_text(pfi_xml *xml);

/* Is this the current element? */
bool pfi_xml_is(pfi_xml *xml, const pfi_xml_element *element);

/* The failure that `what` was expected and the current element was found. */
pf_err pfi_xml_unexpected(pfi_xml *xml, const char *what);

/* Reads on to the begin of the next element (*begin; it is the current one then), or to the end of an element or of the
 * document. */
pf_err pfi_xml_advance(pfi_xml *xml, bool *begin);

/* Has the current element one more child? Then that becomes the current one; else the end of the element has been read. */
pf_err pfi_xml_child(pfi_xml *xml, bool *more);

/* Checks that the current element is `element`, and reads its attributes into values[PFI_XML_ATTRIBUTES]. */
pf_err pfi_xml_enter(pfi_xml *xml, const pfi_xml_element *element, pfi_xml_value *values);

/* Reads the end of an element without children. */
pf_err pfi_xml_leave(pfi_xml *xml, const pfi_xml_element *element);

/* Reads the text of an element that has only text, and its end, into xml->content; a NUL follows its n bytes. */
pf_err pfi_xml_content(pfi_xml *xml, size_t limit);

#ifdef __cplusplus
}
#endif
#endif
