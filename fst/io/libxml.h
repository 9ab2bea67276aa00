/* libxml2, which is loaded when XML is first read. It brings libraries of its own, and to link all of them would take more time
 * than a short call of a program does.
 *
 * Its functions are members of pfi_libxml, without the "xml" before their names. Where configure has found no file that can be
 * loaded (PFI_LIBXML_FILE), they are linked. */
#ifndef PF_IO_LIBXML_H
#define PF_IO_LIBXML_H

#include <permfst/base/err.h>

#include <libxml/xmlreader.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PFI_LIBXML_FUNCTIONS(X) \
    X(ByteConsumed) X(CreatePushParserCtxt) X(CtxtUseOptions) X(FreeParserCtxt) X(FreeTextReader) X(GetLineNo) X(InitParser) \
    X(ParseChunk) X(ReaderForIO) X(StopParser) X(TextReaderConstName) \
    X(TextReaderConstValue) X(TextReaderCurrentNode) X(TextReaderDepth) X(TextReaderGetAttribute) \
    X(TextReaderGetParserLineNumber) X(TextReaderIsEmptyElement) X(TextReaderMoveToElement) X(TextReaderMoveToNextAttribute) \
    X(TextReaderNodeType) X(TextReaderRead) X(TextReaderSetStructuredErrorHandler)

typedef struct {
#define PFI_MEMBER(NAME) __typeof__(xml##NAME) *NAME;
    PFI_LIBXML_FUNCTIONS(PFI_MEMBER)
#undef PFI_MEMBER
    /* the handlers of a thread, and their arguments */
    __typeof__(__xmlStructuredError) *structured;
    __typeof__(__xmlGenericError) *generic;
    __typeof__(__xmlStructuredErrorContext) *structured_self;
    __typeof__(__xmlGenericErrorContext) *generic_self;
    xmlFreeFunc *free;
} pfi_libxml_functions;

extern pfi_libxml_functions pfi_libxml;

/* Loads and starts libxml2, once; before any use of it. PF_EIO: it can't be loaded. */
pf_err pfi_libxml_load(void);

#ifdef __cplusplus
}
#endif
#endif
