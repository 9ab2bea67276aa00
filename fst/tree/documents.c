/* A filter of bytes. A declaration begins with "<?xml" or "<!DOCTYPE"; what may become one is held back until it is known. */
#include "tree/documents.h"

#include <string.h>
#include <strings.h>

enum { TAG_LIMIT = 1 << 16 };
static const char root[] = "<documents>", root_end[] = "</documents>";
static const char xml[] = "<?xml", doctype[] = "<!DOCTYPE";

static pf_err fail(const pfi_documents *from, const char *words) {
    return pf_fail(PF_EINPUT, "%s:%llu: %s", pf_reader_name(from->reader), (unsigned long long)from->line, words);
}

/* UTF-8 is what all documents together must have. */
static pf_err check_encoding(const pfi_documents *from) {
    const char *at = strstr(from->declaration, "encoding");
    if (!at) return PF_OK;
    at += strcspn(at, "'\"");
    size_t n = *at ? strcspn(at + 1, "'\"") : 0;
    if ((n == 5 && strncasecmp(at + 1, "UTF-8", n) == 0) || (n == 8 && strncasecmp(at + 1, "US-ASCII", n) == 0)) return PF_OK;
    return fail(from, "expected a document in UTF-8");
}

/* In a declaration. */
static pf_err declare(pfi_documents *from, char c) {
    if (c != '>') {
        if (from->declared == PFI_DECLARATION_LIMIT) return fail(from, "the declaration is too long");
        from->declaration[from->declared++] = c;
        return c == '[' && from->pattern == doctype ? fail(from, "a document type declaration is not allowed") : PF_OK;
    }
    from->declaration[from->declared] = 0;
    from->inside = false;
    return from->pattern == xml ? check_encoding(from) : PF_OK;
}

/* A byte that belongs to a document. */
static pf_err give(pfi_documents *from, char c, char *to, size_t *n) {
    to[(*n)++] = c;
    if (c == '>') from->tag = 0;
    else if (from->tag && ++from->tag > TAG_LIMIT) return fail(from, "a tag is too long");
    return PF_OK;
}

static pf_err give_held(pfi_documents *from, char *to, size_t *n) {
    size_t held = from->held;
    from->held = 0;
    for (size_t i = 0; i < held; i++) PF_TRY(give(from, from->pattern[i], to, n));
    return PF_OK;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Is what is held, with c, the begin of a declaration still? */
static bool goes_on(pfi_documents *from, char c) {
    if (from->held == 1) from->pattern = c == '!' ? doctype : xml;
    return from->pattern[from->held] == c && c;
}

static pf_err take(pfi_documents *from, char byte, char *to, size_t *length) {
    from->line += byte == '\n';
    if (from->inside && byte == '\n') to[(*length)++] = byte;
    if (from->inside) return declare(from, byte);
    if (from->held && goes_on(from, byte)) {
        from->held++;
        return PF_OK;
    }
    if (from->held && !from->pattern[from->held] && is_space(byte)) {
        from->inside = true;
        from->held = from->declared = 0;
        if (byte == '\n') to[(*length)++] = byte;
        return PF_OK;
    }
    bool tag = from->held == 1 && byte != '!' && byte != '?';
    PF_TRY(give_held(from, to, length));
    if (tag) from->tag = 1;
    if (byte != '<') return give(from, byte, to, length);
    from->pattern = xml;
    from->held = 1;
    return PF_OK;
}

/* Gives the bytes before the next '<' at once. What begins there goes byte by byte, and so does a tag that may be too long. */
static void give_text(pfi_documents *from) {
    const size_t have = from->have - from->at, room = sizeof from->output - from->ready, most = have < room ? have : room;
    const char *text = from->input + from->at, *tag = memchr(text, '<', most);
    const size_t length = tag ? (size_t)(tag - text) : most;
    if (from->inside || from->held || from->tag + length > TAG_LIMIT) return;
    if (memchr(text, '>', length)) from->tag = 0;
    else if (from->tag) from->tag += length;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))); at++) from->line++;
    memcpy(from->output + from->ready, text, length);
    from->ready += length;
    from->at += length;
}

/* The bytes that one byte of the input may release. */
enum { MOST_GIVEN = sizeof doctype };

static void put(pfi_documents *from, const char *text) {
    size_t n = strlen(text);
    memcpy(from->output + from->ready, text, n);
    from->ready += n;
}

static pf_err refill_input(pfi_documents *from) {
    from->at = 0;
    PF_TRY(pf_reader_some(from->reader, from->input, sizeof from->input, &from->have));
    if (from->have || from->ended) return PF_OK;
    from->ended = true;
    PF_TRY(give_held(from, from->output, &from->ready));
    put(from, root_end);
    return PF_OK;
}

static pf_err refill_output(pfi_documents *from) {
    from->given = from->ready = 0;
    if (!from->begun) put(from, root);
    if (!from->begun) from->line = 1;
    from->begun = true;
    while (!from->ready && !from->ended) {
        if (from->at == from->have) PF_TRY(refill_input(from));
        while (from->at < from->have && from->ready + MOST_GIVEN < sizeof from->output) {
            PF_TRY(take(from, from->input[from->at++], from->output, &from->ready));
            give_text(from);
        }
    }
    return PF_OK;
}

pf_err pfi_documents_feed(void *documents, char *to, size_t room, size_t *got) {
    pfi_documents *from = documents;
    if (from->given == from->ready) PF_TRY(refill_output(from));
    *got = from->ready - from->given < room ? from->ready - from->given : room;
    memcpy(to, from->output + from->given, *got);
    from->given += *got;
    return PF_OK;
}
