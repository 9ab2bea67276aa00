/* The sets of a file: lines, or what the two readers of marked-up documents find, as documents and segments. A segment is
 * known by its document and its number in it, so files whose documents stand in another order are put together rightly. */
#include <permfst/io/docs.h>

#include "io/docs_impl.h"
#include "io/io_impl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- strings and tags ---- */

pf_err pfi_chars_add(pfi_chars *to, const char *text, size_t length) {
    PF_TRY(PF_ROOM(to, length + 1));
    if (length) memcpy(to->at + to->n, text, length);
    to->n += length;
    to->at[to->n] = 0;
    return PF_OK;
}

pf_err pfi_chars_set(pfi_chars *to, const char *text, size_t length) {
    to->n = 0;
    return pfi_chars_add(to, text, length);
}

static const char *const attributes[PFI_DOC_ATTRIBUTES] = {"id", "docid", "sysid", "refid", "system", "translator"};

static bool is(const char *name, const char *text, size_t length) {
    return strncasecmp(name, text, length) == 0 && !name[length];
}

pf_err pfi_tag_begin(pfi_tag *tag, const char *name, size_t length) {
    memset(tag->there, 0, sizeof tag->there);
    return pfi_chars_set(&tag->name, name, length);
}

pf_err pfi_tag_attribute(pfi_tag *tag, const char *name, size_t length, const char *value, size_t value_length) {
    for (unsigned i = 0; i < PFI_DOC_ATTRIBUTES; i++) {
        if (!is(attributes[i], name, length)) continue;
        if (value_length > PFI_DOC_VALUE)
            return pf_fail(PF_EINPUT, "attribute %s: expected at most %d bytes", attributes[i], PFI_DOC_VALUE);
        tag->there[i] = true;
        return pfi_chars_set(&tag->value[i], value, value_length);
    }
    return PF_OK;
}

/* The value of the first that is there, or "". */
static pf_err take(const pfi_tag *tag, unsigned first, unsigned second, pfi_chars *to) {
    const pfi_chars *chars = tag->there[first] ? &tag->value[first] : tag->there[second] ? &tag->value[second] : NULL;
    return pfi_chars_set(to, chars ? chars->at : "", chars ? chars->n : 0);
}

/* ---- sets ---- */

static pf_err new_set(pf_docs *docs, pf_docs_kind kind, const char *name) {
    PF_TRY(PF_ROOM(&docs->set, 1));
    pf_docset *set = &docs->set.at[docs->set.n];
    *set = (pf_docset){.kind = kind, .name = strdup(name)};
    if (!set->name) return pf_nomem();
    pf_statetab_init(&set->key, 0);
    docs->set.n++;
    return PF_OK;
}

static pf_err add_segment(pf_docset *set, const char *text, size_t length) {
    PF_TRY(PF_ROOM(&set->text, length));
    if (length) memcpy(set->text.at + set->text.n, text, length);
    set->text.n += length;
    return PF_PUSH(&set->end, set->text.n);
}

static pf_err choose_set(pfi_docs_build *build, pf_docs_kind kind, const char *name) {
    uint32_t id;
    int fresh;
    char mark = (char)('0' + (int)kind);
    PF_TRY(pfi_chars_set(&build->key, &mark, 1));
    PF_TRY(pfi_chars_add(&build->key, name, strlen(name)));
    PF_TRY(pf_statetab_intern(&build->names, build->key.at, build->key.n, &id, &fresh));
    if (fresh) PF_TRY(new_set(build->docs, kind, name));
    build->set = id;
    return PF_OK;
}

/* ---- elements ---- */

/* Document and number; the set is that of the part of the document, else that around it. */
static pf_err begin_seg(pfi_docs_build *build, pf_docs_kind kind PF_UNUSED) {
    static const char outside[] = "a <seg> is expected inside a <doc> of <srcset>, <refset> or <tstset>, or inside <src>, "
                                  "<ref> or <hyp> of a <doc>";
    const pfi_chars *id = &build->tag.value[PFI_ID];
    if (!build->in_doc || (!build->in_part && !build->in_set)) return pf_fail(PF_EINPUT, outside);
    if (!build->tag.there[PFI_ID]) return pf_fail(PF_EINPUT, "<seg> needs the attribute 'id'");
    const pfi_chars *name = build->in_part ? &build->part_name : build->doc_name.n ? &build->doc_name : &build->set_name;
    PF_TRY(choose_set(build, build->in_part ? build->part_kind : build->set_kind, name->at));
    PF_TRY(pfi_chars_set(&build->key, build->doc_id.at, build->doc_id.n + 1));
    return pfi_chars_add(&build->key, id->at, id->n);
}

static pf_err begin_set(pfi_docs_build *build, pf_docs_kind kind) {
    build->in_set = true;
    build->set_kind = kind;
    return take(&build->tag, PFI_SYSID, PFI_REFID, &build->set_name);
}

static pf_err begin_doc(pfi_docs_build *build, pf_docs_kind kind PF_UNUSED) {
    if (!build->tag.there[PFI_DOCID] && !build->tag.there[PFI_ID])
        return pf_fail(PF_EINPUT, "<doc> needs the attribute 'docid' or 'id'");
    build->in_doc = true;
    build->in_part = false;
    PF_TRY(take(&build->tag, PFI_DOCID, PFI_ID, &build->doc_id));
    return take(&build->tag, PFI_SYSID, PFI_SYSID, &build->doc_name);
}

static pf_err begin_part(pfi_docs_build *build, pf_docs_kind kind) {
    build->in_part = true;
    build->part_kind = kind;
    return take(&build->tag, PFI_SYSTEM, PFI_TRANSLATOR, &build->part_name);
}

static void end_set(pfi_docs_build *build) { build->in_set = build->in_doc = build->in_part = false; }
static void end_doc(pfi_docs_build *build) { build->in_doc = build->in_part = false; }
static void end_part(pfi_docs_build *build) { build->in_part = false; }

static const struct {
    const char *name;
    pf_err (*begin)(pfi_docs_build *build, pf_docs_kind kind);
    void (*end)(pfi_docs_build *build);
    pf_docs_kind kind;
} elements[] = {
    {"seg", begin_seg, NULL, PF_DOCS_LINES},          {"doc", begin_doc, end_doc, PF_DOCS_LINES},
    {"srcset", begin_set, end_set, PF_DOCS_SOURCE},   {"refset", begin_set, end_set, PF_DOCS_REFERENCE},
    {"tstset", begin_set, end_set, PF_DOCS_SYSTEM},   {"src", begin_part, end_part, PF_DOCS_SOURCE},
    {"ref", begin_part, end_part, PF_DOCS_REFERENCE}, {"hyp", begin_part, end_part, PF_DOCS_SYSTEM},
    {"p", NULL, NULL, PF_DOCS_LINES},                 {"hl", NULL, NULL, PF_DOCS_LINES},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static size_t find(const char *name, size_t length) {
    size_t i = 0;
    while (i < ELEMENTS && !is(elements[i].name, name, length)) i++;
    return i;
}

bool pfi_docs_known(const char *name, size_t length) { return find(name, length) < ELEMENTS; }

pf_err pfi_docs_begin(pfi_docs_build *build, bool *segment) {
    size_t i = find(build->tag.name.at, build->tag.name.n);
    *segment = i < ELEMENTS && elements[i].begin == begin_seg;
    return i < ELEMENTS && elements[i].begin ? elements[i].begin(build, elements[i].kind) : PF_OK;
}

void pfi_docs_end(pfi_docs_build *build, const char *name) {
    size_t i = find(name, strlen(name));
    if (i < ELEMENTS && elements[i].end) elements[i].end(build);
}

pf_err pfi_docs_segment(pfi_docs_build *build, const char *text, size_t length) {
    pf_docset *set = &build->docs->set.at[build->set];
    char doc[80], seg[80];
    const char *id = build->key.at + build->doc_id.n + 1;
    uint32_t index;
    int fresh;
    PF_TRY(pf_statetab_intern(&set->key, build->key.at, build->key.n, &index, &fresh));
    if (fresh) return add_segment(set, text, length);
    return pf_fail(PF_EINPUT, "expected each segment of a text once, found segment %s of document '%s' twice",
                   pfi_printable(id, strlen(id), seg, sizeof seg), pfi_printable(build->key.at, build->doc_id.n, doc, sizeof doc));
}

void pfi_docs_build_free(pfi_docs_build *build) {
    pf_statetab_free(&build->names);
    PF_VEC_FREE(&build->tag.name);
    for (unsigned i = 0; i < PFI_DOC_ATTRIBUTES; i++) PF_VEC_FREE(&build->tag.value[i]);
    PF_VEC_FREE(&build->set_name);
    PF_VEC_FREE(&build->doc_id);
    PF_VEC_FREE(&build->doc_name);
    PF_VEC_FREE(&build->part_name);
    PF_VEC_FREE(&build->key);
    PF_VEC_FREE(&build->text);
}

/* ---- files ---- */

static pf_err read_lines(pf_reader *reader, pf_docs *docs) {
    char *line;
    size_t length;
    PF_TRY(new_set(docs, PF_DOCS_LINES, ""));
    for (;;) {
        PF_TRY(pf_reader_line(reader, &line, &length));
        if (!line) return PF_OK;
        if (memchr(line, 0, length)) return pf_reader_fail_line(reader, "expected text, found a NUL byte");
        PF_TRY(add_segment(docs->set.at, line, length));
    }
}

static pf_err read_marked(pf_reader *reader, pf_docs *docs, pf_err (*read)(pf_reader *, pfi_docs_build *)) {
    pfi_docs_build build = {.docs = docs};
    pf_statetab_init(&build.names, 0);
    pf_err err = read(reader, &build);
    pfi_docs_build_free(&build);
    if (!err && !docs->set.n)
        err = pf_fail(PF_EINPUT, "%s: expected documents with <seg>, found none", pf_reader_name(reader));
    return err;
}

static const char *const roots[] = {"!DOCTYPE", "!--",     "mteval",     "srcset", "refset",
                                    "tstset",   "dataset", "collection", "doc"};

static pf_docs_form form_of(const char *at, size_t length) {
    while (length && strchr(" \t\r\n", *at)) at++, length--;
    if (length < 2 || *at != '<') return PF_DOCS_TEXT;
    if (length > 5 && strncmp(at, "<?xml", 5) == 0) return PF_DOCS_XML;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        size_t k = strlen(roots[i]);
        if (length > k + 1 && strncasecmp(at + 1, roots[i], k) == 0 &&
            (roots[i][k - 1] == '-' || strchr(" \t\r\n>", at[k + 1])))
            return PF_DOCS_SGML;
    }
    return PF_DOCS_TEXT;
}

static pf_err look(pf_reader *reader, pf_docs_form *form) {
    enum { LOOK = 256 };
    const unsigned char *at;
    char text[LOOK + 1] = {0};
    size_t n;
    PF_TRY(pf_reader_peek(reader, LOOK, &at, &n));
    if (n > LOOK) n = LOOK;
    memcpy(text, at, n);
    size_t mark = n > 2 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *form = form_of(text + mark, strlen(text + mark));
    return PF_OK;
}

pf_err pf_docs_read(pf_reader *reader, pf_docs_form form, pf_docs *out) {
    *out = (pf_docs){0};
    if (form == PF_DOCS_AUTO) PF_TRY(look(reader, &form));
    if (form == PF_DOCS_TEXT) return read_lines(reader, out);
    return read_marked(reader, out, form == PF_DOCS_XML ? pfi_docs_xml : pfi_docs_sgml);
}

void pf_docs_free(pf_docs *docs) {
    for (size_t i = 0; i < docs->set.n; i++) {
        free(docs->set.at[i].name);
        PF_VEC_FREE(&docs->set.at[i].text);
        PF_VEC_FREE(&docs->set.at[i].end);
        pf_statetab_free(&docs->set.at[i].key);
    }
    PF_VEC_FREE(&docs->set);
}
