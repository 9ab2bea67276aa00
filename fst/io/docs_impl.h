/* Private to the readers of documents: tags and texts, whichever reader finds them, become sets of segments. */
#ifndef PF_IO_DOCS_IMPL_H
#define PF_IO_DOCS_IMPL_H

#include <permfst/io/docs.h>

#include <stdbool.h>

typedef PF_VEC(char) pfi_chars; /* NUL-ended, unless NULL; its n does not count the NUL */

pf_err pfi_chars_set(pfi_chars *to, const char *text, size_t length);
pf_err pfi_chars_add(pfi_chars *to, const char *text, size_t length);

/* The attributes that are read. */
enum { PFI_ID, PFI_DOCID, PFI_SYSID, PFI_REFID, PFI_SYSTEM, PFI_TRANSLATOR, PFI_DOC_ATTRIBUTES, PFI_DOC_VALUE = 4096 };

typedef struct {
    pfi_chars name;
    pfi_chars value[PFI_DOC_ATTRIBUTES];
    bool there[PFI_DOC_ATTRIBUTES];
} pfi_tag;

/* Begins a tag of this name without attributes; then adds an attribute, which is kept if it is one of those above. Names lose
 * their case. */
pf_err pfi_tag_begin(pfi_tag *tag, const char *name, size_t length);
pf_err pfi_tag_attribute(pfi_tag *tag, const char *name, size_t length, const char *value, size_t value_length);

typedef struct {
    pf_docs *docs;
    pf_statetab names;          /* "kind name" -> set */
    pfi_tag tag;                /* for the readers */
    bool in_set, in_doc, in_part; /* inside <refset>, <doc>, <ref> or the like */
    pf_docs_kind set_kind, part_kind;
    pfi_chars set_name, doc_id, doc_name, part_name;
    size_t set;                 /* that the segment goes to */
    pfi_chars key, text;        /* of the segment */
} pfi_docs_build;

/* An element begins: that of build->tag. *segment: it is <seg>, whose text is to follow in pfi_docs_segment.
 * Errors are words without a place: PF_EINPUT. */
pf_err pfi_docs_begin(pfi_docs_build *build, bool *segment);
pf_err pfi_docs_segment(pfi_docs_build *build, const char *text, size_t length);
void pfi_docs_end(pfi_docs_build *build, const char *name);
void pfi_docs_build_free(pfi_docs_build *build);

/* Is the name, in upper or lower case, that of an element that is read? */
bool pfi_docs_known(const char *name, size_t length);

/* The readers. */
pf_err pfi_docs_xml(pf_reader *reader, pfi_docs_build *build);
pf_err pfi_docs_sgml(pf_reader *reader, pfi_docs_build *build);

#endif
