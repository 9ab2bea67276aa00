/* Texts as sets of sentences: plain lines, and the marked-up documents of machine translation evaluations.
 *
 *   plain     a segment a line
 *   mteval    <srcset>, <refset>, <tstset> with <doc docid= sysid=> and <seg id=>  (NIST, WMT until 2020, IWSLT)
 *   WMT 2021  <dataset> with <doc id=>, in it <src>, <ref translator=>, <hyp system=> with <seg id=>
 *
 * What is declared as XML is read by libxml2: no entity but XML's own five, nothing is fetched, a document type declaration
 * may only point elsewhere. What is not is read as the SGML that is in use: names in any case, values without quotes, an &
 * or < that begins nothing is text. In both, other elements, and text outside segments, are passed over. O(bytes). */
#ifndef PF_IO_DOCS_H
#define PF_IO_DOCS_H

#include <permfst/base/reader.h>
#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>

#include <assert.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_DOCS_LINES, PF_DOCS_SOURCE, PF_DOCS_REFERENCE, PF_DOCS_SYSTEM } pf_docs_kind;

/* One text. Its segments have keys, "document NUL segment", or are lines, which have none. */
typedef struct {
    pf_docs_kind kind;
    char *name;           /* of the system or the translator; "" where it has none */
    PF_VEC(char) text;    /* of all segments */
    PF_VEC(size_t) end;   /* where that of segment i ends */
    pf_statetab key;      /* id i is the key of segment i */
} pf_docset;

/* All zero is empty. */
typedef struct {
    PF_VEC(pf_docset) set; /* in the order in which they begin */
} pf_docs;

typedef enum { PF_DOCS_AUTO, PF_DOCS_TEXT, PF_DOCS_SGML, PF_DOCS_XML } pf_docs_form;

/* Reads a file to its end. With PF_DOCS_AUTO, what begins with <?xml is XML, what begins with one of the elements above
 * (or <mteval>, <!DOCTYPE or a comment) is SGML, and all else is lines. *out is freed by pf_docs_free, also after an error.
 * PF_EINPUT with the line; PF_EIO, PF_ENOMEM. */
pf_err pf_docs_read(pf_reader *reader, pf_docs_form form, pf_docs *out);
void pf_docs_free(pf_docs *docs);

/* The text of segment i < set->end.n: *length bytes, borrowed, with the line ends that it had; no NUL follows it. */
static inline const char *pf_docset_text(const pf_docset *set, size_t i, size_t *length) {
    assert(i < set->end.n);
    size_t begin = i ? set->end.at[i - 1] : 0;
    *length = set->end.at[i] - begin;
    return set->text.at ? set->text.at + begin : "";
}

#ifdef __cplusplus
}
#endif
#endif
