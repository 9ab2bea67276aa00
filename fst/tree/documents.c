/* A filter of bytes. A declaration begins with "<?xml" or "<!DOCTYPE"; what may become one is held back until it is known. */
#include "tree/documents.h"

#include <string.h>
#include <strings.h>

enum { TAG_LIMIT = 1 << 16 };
static const char root[] = "<documents>", root_end[] = "</documents>";
static const char xml[] = "<?xml", doctype[] = "<!DOCTYPE";

static pf_err fail(const pfi_documents *d, const char *words) {
    return pf_fail(PF_EINPUT, "%s:%llu: %s", pf_reader_name(d->reader), (unsigned long long)d->line, words);
}

/* UTF-8 is what all documents together must have. */
static pf_err check_encoding(const pfi_documents *d) {
    const char *at = strstr(d->declaration, "encoding");
    if (!at) return PF_OK;
    at += strcspn(at, "'\"");
    size_t n = *at ? strcspn(at + 1, "'\"") : 0;
    if ((n == 5 && strncasecmp(at + 1, "UTF-8", n) == 0) || (n == 8 && strncasecmp(at + 1, "US-ASCII", n) == 0)) return PF_OK;
    return fail(d, "expected a document in UTF-8");
}

/* In a declaration. */
static pf_err declare(pfi_documents *d, char c) {
    if (c != '>') {
        if (d->declared == PFI_DECLARATION_LIMIT) return fail(d, "a declaration is too long");
        d->declaration[d->declared++] = c;
        return c == '[' && d->pattern == doctype ? fail(d, "a document type declaration is not allowed") : PF_OK;
    }
    d->declaration[d->declared] = 0;
    d->inside = false;
    return d->pattern == xml ? check_encoding(d) : PF_OK;
}

/* A byte that belongs to a document. */
static pf_err give(pfi_documents *d, char c, char *to, size_t *n) {
    to[(*n)++] = c;
    if (c == '>') d->tag = 0;
    else if (d->tag && ++d->tag > TAG_LIMIT) return fail(d, "a tag is too long");
    return PF_OK;
}

static pf_err give_held(pfi_documents *d, char *to, size_t *n) {
    size_t held = d->held;
    d->held = 0;
    for (size_t i = 0; i < held; i++) PF_TRY(give(d, d->pattern[i], to, n));
    return PF_OK;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Is what is held, with c, the begin of a declaration still? */
static bool goes_on(pfi_documents *d, char c) {
    if (d->held == 1) d->pattern = c == '!' ? doctype : xml;
    return d->pattern[d->held] == c && c;
}

static pf_err take(pfi_documents *d, char c, char *to, size_t *n) {
    d->line += c == '\n';
    if (d->inside && c == '\n') to[(*n)++] = c;
    if (d->inside) return declare(d, c);
    if (d->held && goes_on(d, c)) {
        d->held++;
        return PF_OK;
    }
    if (d->held && !d->pattern[d->held] && is_space(c)) {
        d->inside = true;
        d->held = d->declared = 0;
        if (c == '\n') to[(*n)++] = c;
        return PF_OK;
    }
    bool tag = d->held == 1 && c != '!' && c != '?';
    PF_TRY(give_held(d, to, n));
    if (tag) d->tag = 1;
    if (c != '<') return give(d, c, to, n);
    d->pattern = xml;
    d->held = 1;
    return PF_OK;
}

/* The bytes that one byte of the input may release. */
enum { MOST_GIVEN = sizeof doctype };

static void put(pfi_documents *d, const char *text) {
    size_t n = strlen(text);
    memcpy(d->output + d->ready, text, n);
    d->ready += n;
}

static pf_err refill_input(pfi_documents *d) {
    d->at = 0;
    PF_TRY(pf_reader_some(d->reader, d->input, sizeof d->input, &d->have));
    if (d->have || d->ended) return PF_OK;
    d->ended = true;
    PF_TRY(give_held(d, d->output, &d->ready));
    put(d, root_end);
    return PF_OK;
}

static pf_err refill_output(pfi_documents *d) {
    d->given = d->ready = 0;
    if (!d->begun) put(d, root);
    if (!d->begun) d->line = 1;
    d->begun = true;
    while (!d->ready && !d->ended) {
        if (d->at == d->have) PF_TRY(refill_input(d));
        while (d->at < d->have && d->ready + MOST_GIVEN < sizeof d->output)
            PF_TRY(take(d, d->input[d->at++], d->output, &d->ready));
    }
    return PF_OK;
}

pf_err pfi_documents_feed(void *documents, char *to, size_t room, size_t *got) {
    pfi_documents *d = documents;
    if (d->given == d->ready) PF_TRY(refill_output(d));
    *got = d->ready - d->given < room ? d->ready - d->given : room;
    memcpy(to, d->output + d->given, *got);
    d->given += *got;
    return PF_OK;
}
