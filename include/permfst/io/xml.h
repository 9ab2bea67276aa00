/* Automata and answers as XML (libxml2): <permfst version="1"> with <fst> and <answer> elements; schema: permfst.rng.
 *
 * Both sides stream: one record is in memory at a time. Nothing is fetched, no entity is expanded, a DTD is refused. A record is
 * O(its bytes). */
#ifndef PF_IO_XML_H
#define PF_IO_XML_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/io/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_xml_reader pf_xml_reader;

/* Reads from a reader, which must outlive it. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_xml_reader_new(pf_reader *reader, pf_xml_reader **out);
void pf_xml_reader_free(pf_xml_reader *xml);

/* The next record: an <fst> or an <answer>; *out = NULL at the end of the document, else the caller's. A path's cost is
 * computed from its weights, the stated one is only checked to be a number. PF_EINPUT with file and line. */
pf_err pf_xml_next(pf_xml_reader *xml, pf_expr **out);

/* The document's begin and end, and its records. An answer is an <answer> with its <path> elements. `name` is the record's; NULL:
 * it has none; one that XML cannot hold stays away. PF_EINPUT for a symbol that XML cannot hold. */
pf_err pf_xml_begin(pf_writer *writer);
pf_err pf_xml_fst(pf_writer *writer, pf_fst *fst, const char *name);
pf_err pf_xml_answer(pf_writer *writer, const pf_answer *answer, const char *name);
pf_err pf_xml_end(pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
