/* XML documents one after another, as `cat *.xml` or `tar xO` write them, made children of one root. */
#ifndef PF_TREE_DOCUMENTS_H
#define PF_TREE_DOCUMENTS_H

#include <permfst/base/reader.h>

#include <stdbool.h>

enum { PFI_DECLARATION_LIMIT = 500 };

typedef struct {
    pf_reader *reader;
    char input[4096], output[8192];
    size_t at, have;     /* of the input: at is the next byte */
    size_t given, ready; /* of the output: given bytes were handed out */
    uint64_t line;
    const char *pattern; /* the declaration that may have begun; NULL: none */
    size_t held;         /* bytes of it that were met */
    char declaration[PFI_DECLARATION_LIMIT + 1]; /* what a declaration has after its name */
    size_t declared;     /* its bytes */
    bool inside;         /* in a declaration */
    size_t tag;          /* bytes of a tag so far; 0: in none */
    bool begun, ended;   /* the root's tags were given */
} pfi_documents;

/* A pfi_xml_feed (io/xmlpull.h), *documents being all zero but for the reader: the bytes of all documents without their XML and
 * document type declarations, between <documents> and </documents>. Lines keep their numbers. PF_EINPUT: a declared encoding other
 * than UTF-8, a document type with declarations of its own, a tag too long to be one (libxml2 takes quadratic time for the
 * attributes of an element); the errors of the reader. */
pf_err pfi_documents_feed(void *documents, char *to, size_t room, size_t *got);

#endif
