/* Documents in SGML as evaluations have it, which is often neither valid SGML nor well-formed XML: a scanner for tags.
 *
 * Outside of a segment tags count and text does not. Inside, all is text up to </seg>, but XML's five entities, character
 * references, comments and CDATA sections, which are what they are in XML; a bare & or <, an unknown entity or element
 * stay as they are. A tag of the documents inside a segment says that </seg> is missing. The file is taken into memory.
 * O(bytes). */
#include "io/docs_impl.h"
#include "io/io_impl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const char *file;
    const char *at, *end;   /* what is left; a NUL is at *end */
    const char *counted;    /* up to where lines are counted */
    uint64_t line;
    pfi_docs_build *build;
} sgml_scanner;

static uint64_t line_of(sgml_scanner *scanner, const char *at) {
    for (; scanner->counted < at; scanner->counted++) scanner->line += *scanner->counted == '\n';
    return scanner->line;
}

static pf_err fail(sgml_scanner *scanner, const char *at, const char *words) {
    return pf_fail(PF_EINPUT, "%s:%llu: %s", scanner->file, (unsigned long long)line_of(scanner, at), words);
}

static pf_err placed(sgml_scanner *scanner, const char *at, pf_err err) {
    return err == PF_EINPUT ? pf_fail_in(err, "%s:%llu: ", scanner->file, (unsigned long long)line_of(scanner, at)) : err;
}

static pf_err slurp(pf_reader *reader, pfi_chars *all) {
    enum { PIECE = 1 << 16 };
    for (size_t got = PIECE; got == PIECE; all->n += got) {
        PF_TRY(PF_ROOM(all, PIECE + 1));
        PF_TRY(pf_reader_some(reader, all->at + all->n, PIECE, &got));
    }
    all->at[all->n] = 0;
    return PF_OK;
}

static bool starts(const char *at, const char *with) { return strncmp(at, with, strlen(with)) == 0; }
static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static size_t name_length(const char *at) { return letter(*at) ? strcspn(at, " \t\r\n\f/>=<\"'") : 0; }
static bool is_space(char c) { return c && strchr(" \t\r\n\f", c); }

/* ---- text ---- */

static size_t put_utf8(unsigned long code, char *to) {
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6) to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)((n == 1 ? 0 : lead[n]) | code);
    return n;
}

static const struct {
    const char *name;
    char is;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

/* The bytes of a reference, 0 where the & is text; what it stands for. */
static size_t reference(const char *at, char *to, size_t *written) {
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (starts(at, entities[i].name)) return *to = entities[i].is, *written = 1, strlen(entities[i].name);
    if (!starts(at, "&#")) return 0;
    int base = at[2] == 'x' ? 16 : 10;
    const char *digits = at + (base == 16 ? 3 : 2);
    size_t length = strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789");
    unsigned long code = length && length < 9 ? strtoul(digits, NULL, base) : 0;
    if (digits[length] != ';' || !code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    *written = put_utf8(code, to);
    return (size_t)(digits - at) + length + 1;
}

static pf_err add_text(pfi_chars *to, const char *at, const char *end) {
    while (at < end) {
        char bytes[4];
        size_t n = 0, used = *at == '&' ? reference(at, bytes, &n) : 0;
        const char *next = used ? NULL : memchr(at + 1, '&', (size_t)(end - at - 1));
        if (used > (size_t)(end - at)) used = 0, next = end;
        PF_TRY(used ? pfi_chars_add(to, bytes, n) : pfi_chars_add(to, at, (size_t)((next ? next : end) - at)));
        at = used ? at + used : next ? next : end;
    }
    return PF_OK;
}

/* ---- what is no element ---- */

static const struct {
    const char *begin, *end, *words;
} others[] = {
    {"<!--", "-->", "the comment does not end"},
    {"<![CDATA[", "]]>", "the CDATA section does not end"},
    {"<!", ">", "the declaration does not end"},
    {"<?", ">", "the processing instruction does not end"},
};
enum { COMMENT, CDATA, DECLARATION, OTHERS = sizeof others / sizeof *others };

/* Which of them begins there, OTHERS if none does; *end: what ends it. */
static pf_err other(sgml_scanner *scanner, const char *at, size_t *which, const char **end) {
    for (*which = 0; *which < OTHERS && !starts(at, others[*which].begin); ++*which) {}
    if (*which == OTHERS) return PF_OK;
    *end = strstr(at + strlen(others[*which].begin), others[*which].end);
    if (!*end) return fail(scanner, at, others[*which].words);
    if (*which == DECLARATION && memchr(at, '[', (size_t)(*end - at)))
        return fail(scanner, at, "a document type declaration must not have declarations inside");
    return PF_OK;
}

/* ---- segments ---- */

/* </seg>, or a tag that cannot be in a segment: the first is the end. */
static bool ends_segment(const char *at, bool *well) {
    const char *name = at + 1 + (at[1] == '/');
    size_t n = name_length(name);
    *well = at[1] == '/' && n == 3 && strncasecmp(name, "seg", 3) == 0;
    return *well || pfi_docs_known(name, n);
}

/* scanner->at stands after <seg ...>, and then after </seg>. */
static pf_err read_segment(sgml_scanner *scanner, const char *tag) {
    pfi_chars *text = &scanner->build->text;
    bool well = false;
    PF_TRY(pfi_chars_set(text, "", 0));
    for (const char *from = scanner->at;;) {
        size_t which;
        const char *at = strchr(scanner->at, '<'), *end;
        if (!at || ends_segment(at, &well)) {
            if (!well || !(end = strchr(at, '>'))) return fail(scanner, tag, "the <seg> has no </seg>");
            PF_TRY(add_text(text, from, at));
            scanner->at = end + 1;
            return placed(scanner, tag, pfi_docs_segment(scanner->build, text->at, text->n));
        }
        scanner->at = at + 1;
        if (!starts(at, others[COMMENT].begin) && !starts(at, others[CDATA].begin)) continue;
        PF_TRY(other(scanner, at, &which, &end));
        PF_TRY(add_text(text, from, at));
        at += strlen(others[which].begin);
        if (which == CDATA) PF_TRY(pfi_chars_add(text, at, (size_t)(end - at)));
        from = scanner->at = end + strlen(others[which].end);
    }
}

/* ---- tags ---- */

/* name=value, with or without quotes, or a name alone; scanner->at moves past it. */
static pf_err read_attribute(sgml_scanner *scanner, const char *tag) {
    const char *name = scanner->at;
    size_t length = strcspn(name, " \t\r\n\f=>"), n;
    scanner->at += length;
    scanner->at += strspn(scanner->at, " \t\r\n\f");
    if (!length) length = 1; /* a stray = */
    if (*scanner->at != '=') return PF_OK;
    scanner->at += 1;
    scanner->at += strspn(scanner->at, " \t\r\n\f");
    char quote = *scanner->at == '"' || *scanner->at == '\'' ? *scanner->at++ : 0;
    const char *value = scanner->at, *end = quote ? strchr(value, quote) : value + strcspn(value, " \t\r\n\f>");
    if (!end) return fail(scanner, tag, "the value has no closing quote");
    scanner->at = end + (quote != 0);
    PF_TRY(pfi_chars_set(&scanner->build->text, "", 0));
    PF_TRY(add_text(&scanner->build->text, value, end));
    n = scanner->build->text.n;
    return placed(scanner, tag, pfi_tag_attribute(&scanner->build->tag, name, length, scanner->build->text.at, n));
}

/* <name ...>; scanner->at moves past it. */
static pf_err begin_tag(sgml_scanner *scanner, const char *tag, size_t length) {
    bool segment, empty = false;
    PF_TRY(pfi_tag_begin(&scanner->build->tag, tag + 1, length));
    for (scanner->at = tag + 1 + length;;) {
        for (; is_space(*scanner->at) || *scanner->at == '/'; scanner->at++) empty = empty || *scanner->at == '/';
        if (*scanner->at == '>') break;
        if (!*scanner->at) return fail(scanner, tag, "the tag does not end");
        empty = false;
        PF_TRY(read_attribute(scanner, tag));
    }
    scanner->at++;
    PF_TRY(placed(scanner, tag, pfi_docs_begin(scanner->build, &segment)));
    if (segment) return empty ? placed(scanner, tag, pfi_docs_segment(scanner->build, "", 0)) : read_segment(scanner, tag);
    if (empty) pfi_docs_end(scanner->build, scanner->build->tag.name.at);
    return PF_OK;
}

static pf_err end_tag(sgml_scanner *scanner, const char *tag, size_t length) {
    const char *end = strchr(tag, '>');
    if (!end) return fail(scanner, tag, "the tag does not end");
    PF_TRY(pfi_tag_begin(&scanner->build->tag, tag + 2, length));
    pfi_docs_end(scanner->build, scanner->build->tag.name.at);
    scanner->at = end + 1;
    return PF_OK;
}

static pf_err scan(sgml_scanner *scanner) {
    const char *at, *end = NULL;
    while ((at = strchr(scanner->at, '<'))) {
        size_t n, which;
        PF_TRY(other(scanner, at, &which, &end));
        if (which < OTHERS) scanner->at = end + strlen(others[which].end);
        else if ((n = name_length(at + 1))) PF_TRY(begin_tag(scanner, at, n));
        else if (at[1] == '/' && (n = name_length(at + 2))) PF_TRY(end_tag(scanner, at, n));
        else scanner->at = at + 1;
    }
    return PF_OK;
}

pf_err pfi_docs_sgml(pf_reader *reader, pfi_docs_build *build) {
    pfi_chars all = {0};
    sgml_scanner scanner = {.file = pf_reader_name(reader), .line = 1, .build = build};
    pf_err err = slurp(reader, &all);
    if (!err) {
        scanner.at = scanner.counted = all.at;
        scanner.end = all.at + all.n;
        const char *nul = memchr(all.at, 0, all.n);
        err = nul ? fail(&scanner, nul, "expected text, found a NUL byte") : scan(&scanner);
    }
    PF_VEC_FREE(&all);
    return err;
}
