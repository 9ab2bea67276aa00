/* Marked sentences: a builder of words, zones and walls, and libxml2's push parser, whose events drive it.
 *
 * The parser sees <sentence>, the line and </sentence>. So a document type declaration stands where none may stand, and
 * there are no entities but XML's own five; nothing is ever fetched. The line goes in by pieces, and what does not end soon
 * is refused, because libxml2 takes quadratic time for many attributes. O(n). */
#include <permfst/io/markup.h>

#include "base/contract.h"
#include "io/io_impl.h"
#include "io/xmlpull.h"

#include <assert.h>
#include <libxml/parser.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the sentence ---- */

static uint32_t words(const pf_sentence *s) { return (uint32_t)s->end.n; }

/* Word i from 1. */
static bool is_punctuation(const pf_sentence *s, uint32_t i) {
    size_t n;
    const char *word = pf_sentence_word(s, i - 1, &n);
    return n == 1 && strchr(",.!?:;\"", *word);
}

static pf_err add_wall(pf_sentence *s, uint32_t at, uint32_t zone) { return PF_PUSH(&s->wall, ((pf_wall){at, zone})); }

/* The wall between the last two words, where there is to be one: in the innermost zone that holds both. */
static pf_err wall_between(pf_sentence *s) {
    uint32_t at = words(s) - 1, zone = s->open;
    if (!at) return PF_OK;
    bool wanted = (s->walled && s->walled <= at) ||
                  (s->at_punctuation && (is_punctuation(s, at) || is_punctuation(s, at + 1)));
    while (zone && s->zone.at[zone - 1].first > at) zone = s->zone.at[zone - 1].around;
    return wanted ? add_wall(s, at, zone) : PF_OK;
}

static pf_err add_bytes(pf_sentence *s, const char *bytes, size_t n) {
    if (!n) return PF_OK;
    PF_TRY(PF_ROOM(&s->text, n));
    memcpy(s->text.at + s->text.n, bytes, n);
    s->text.n += n;
    return PF_OK;
}

static pf_err end_word(pf_sentence *s) {
    if (s->text.n == (s->end.n ? s->end.at[s->end.n - 1] : 0)) return PF_OK;
    PF_TRY(PF_PUSH(&s->end, s->text.n));
    return wall_between(s);
}

pf_err pf_sentence_add(pf_sentence *s, const char *word, size_t n) {
    assert(n > 0);
    PF_TRY(add_bytes(s, word, n));
    return end_word(s);
}

static pf_err open_zone(pf_sentence *s, bool unit) {
    PF_TRY(PF_PUSH(&s->zone, ((pf_zone){.first = words(s) + 1, .around = s->open, .unit = unit})));
    s->open = (uint32_t)s->zone.n;
    return PF_OK;
}

static void close_zone(pf_sentence *s) {
    pf_zone *z = &s->zone.at[s->open - 1];
    z->last = words(s);
    s->open = z->around;
}

static bool has_effect(const pf_sentence *s, const pf_wall *w) {
    const pf_zone *z = w->zone ? &s->zone.at[w->zone - 1] : NULL;
    return w->at >= (z ? z->first : 1) && w->at < (z ? z->last : words(s));
}

/* Walls came in order. Those in one place that have an effect are all in the innermost zone that holds the words before and
 * after it: they are the same. */
static void tidy_walls(pf_sentence *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->wall.n; i++)
        if (has_effect(s, &s->wall.at[i]) && (!n || s->wall.at[n - 1].at != s->wall.at[i].at))
            s->wall.at[n++] = s->wall.at[i];
    s->wall.n = n;
}

/* Are all zones closed and within the zones around them, and the walls in order and within their zones? */
static bool is_whole(const pf_sentence *s) {
    for (size_t i = 0; i < s->zone.n; i++) {
        const pf_zone *z = &s->zone.at[i], *around = z->around ? &s->zone.at[z->around - 1] : NULL;
        if (z->around > i || z->first < 1 || z->first > z->last || z->last > words(s)) return false;
        if (around && (z->first < around->first || z->last > around->last)) return false;
    }
    for (size_t i = 0; i < s->wall.n; i++)
        if (!has_effect(s, &s->wall.at[i]) || (i && s->wall.at[i].at <= s->wall.at[i - 1].at)) return false;
    return !s->open && !s->walled;
}

void pf_sentence_clear(pf_sentence *s) {
    s->text.n = s->end.n = s->zone.n = s->wall.n = 0;
    s->open = s->walled = 0;
}

void pf_sentence_free(pf_sentence *s) {
    PF_VEC_FREE(&s->text);
    PF_VEC_FREE(&s->end);
    PF_VEC_FREE(&s->zone);
    PF_VEC_FREE(&s->wall);
}

/* ---- the parser ---- */

static const char before[] = "<sentence>", after[] = "</sentence>";
enum { PIECE = 4096, SHOWN = 60 };

typedef struct {
    const struct markup_tag *tag;
    uint32_t before;  /* words */
    uint32_t walled;  /* of the sentence, as it was */
} markup_element;

typedef struct {
    const char *line;
    size_t n;
    pf_sentence *sentence;
    xmlParserCtxtPtr parser;
    pf_err err;
    bool inside, done; /* <sentence> has begun, has ended */
    size_t depth;
    markup_element open[PF_MARKUP_DEPTH];
} markup_reader;

/* What may stand in a line. */
typedef struct markup_tag {
    const char *name, *attribute;
    pf_err (*begin)(markup_reader *m, markup_element *e, bool value);
    pf_err (*end)(markup_reader *m, const markup_element *e, size_t at);
} markup_tag;

/* The first failure counts, and ends the parsing. */
static pf_err fail(markup_reader *m, size_t at, const char *format, ...) PF_PRINTF(3, 4);
static pf_err fail(markup_reader *m, size_t at, const char *format, ...) {
    char text[600];
    va_list ap;
    if (m->err) return m->err;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return pf_fail(PF_EINPUT, "byte %zu: %s", at + 1, text);
}

static void check(markup_reader *m, pf_err err) {
    if (!err || m->err) return;
    m->err = err;
    xmlStopParser(m->parser);
}

/* Bytes of the line that the parser has read. */
static size_t position(const markup_reader *m) {
    long at = xmlByteConsumed(m->parser) - (long)(sizeof before - 1);
    return at < 0 ? 0 : (size_t)at < m->n ? (size_t)at : m->n;
}

/* Has it read all of the line, so that it is in what was added after it? */
static bool past_line(const markup_reader *m) { return xmlByteConsumed(m->parser) > (long)(m->n + sizeof before - 1); }

/* Where the tag that the parser has just read begins: there is no '<' inside one. */
static size_t begin_of_tag(const markup_reader *m) {
    size_t at = position(m);
    while (at && m->line[at - 1] != '<') at--;
    return at ? at - 1 : 0;
}

/* What may stand between words; the first entry that fits counts. */
typedef struct {
    const char *begin, *end, *expected;
} markup_mark;

static const markup_mark marks[] = {
    {"<!--", "-->", "a comment that ends with --> and has no other --"},
    {"<![CDATA[", "]]>", "a CDATA section that ends with ]]>"},
    {"<!", ">", "<zone>, <wall/> or text, not a declaration"},
    {"<?", "?>", "<zone>, <wall/> or text, not a processing instruction"},
    {"</", ">", "</zone> or </wall>"},
    {"<", ">", "<zone>, <zone monotone=\"1\"> or <wall/> (write &lt; for a < in the text)"},
    {"&", ";", "&lt;, &gt;, &amp;, &apos;, &quot; or a character reference (write &amp; for an & in the text)"},
    {"]]>", "]]>", "text (write &gt; for a > after ]])"},
};
enum { MARKS = sizeof marks / sizeof *marks };

static const markup_mark *mark_at(const char *at) {
    for (size_t i = 0; i < MARKS; i++)
        if (strncmp(at, marks[i].begin, strlen(marks[i].begin)) == 0) return &marks[i];
    return NULL;
}

/* The last mark that begins before `limit`, in *at; NULL where there is none. */
static const markup_mark *last_mark(const markup_reader *m, size_t limit, size_t *at) {
    const markup_mark *last = NULL;
    for (size_t i = 0; i < limit;) {
        const markup_mark *k = mark_at(m->line + i);
        if (k) last = k, *at = i;
        const char *end = k ? strstr(m->line + i, k->end) : NULL;
        i = !k ? i + 1 : end ? (size_t)(end - m->line) + strlen(k->end) : m->n;
    }
    return last;
}

/* The mark that begins there, as words of a message. */
static const char *shown(const markup_reader *m, size_t at, char *to) {
    const markup_mark *k = mark_at(m->line + at);
    const char *end = k ? strstr(m->line + at, k->end) : NULL;
    return pfi_printable(m->line + at, end ? (size_t)(end - m->line) - at + strlen(k->end) : m->n - at, to, SHOWN);
}

/* "after word 3 'c'" */
static const char *place(const markup_reader *m, char *to, size_t room) {
    char shown_word[SHOWN];
    size_t n = 0;
    const char *word = words(m->sentence) ? pf_sentence_word(m->sentence, words(m->sentence) - 1, &n) : NULL;
    if (word) snprintf(to, room, "after word %u '%s'", words(m->sentence), pfi_printable(word, n, shown_word, sizeof shown_word));
    else snprintf(to, room, "before the first word");
    return to;
}

/* ---- elements ---- */

static pf_err begin_zone(markup_reader *m, markup_element *e PF_UNUSED, bool monotone) { return open_zone(m->sentence, monotone); }

static pf_err end_zone(markup_reader *m, const markup_element *e, size_t at) {
    char where[SHOWN + 40];
    if (words(m->sentence) == e->before)
        return fail(m, at, "expected words in the zone, found its end %s", place(m, where, sizeof where));
    close_zone(m->sentence);
    return PF_OK;
}

static pf_err begin_wall(markup_reader *m, markup_element *e, bool value PF_UNUSED) {
    if (!m->sentence->walled) m->sentence->walled = e->before + 1;
    return add_wall(m->sentence, e->before, m->sentence->open);
}

static pf_err end_wall(markup_reader *m, const markup_element *e, size_t at PF_UNUSED) {
    m->sentence->walled = e->walled;
    return add_wall(m->sentence, words(m->sentence), m->sentence->open);
}

static const markup_tag tags[] = {
    {"zone", "monotone", begin_zone, end_zone},
    {"wall", NULL, begin_wall, end_wall},
};
enum { TAGS = sizeof tags / sizeof *tags };

static const markup_tag *find_tag(const char *name) {
    for (size_t i = 0; i < TAGS; i++)
        if (strcmp(tags[i].name, name) == 0) return &tags[i];
    return NULL;
}

/* libxml2's five pointers of an attribute: name, prefix, namespace, begin and end of the value. */
static pf_err read_attribute(markup_reader *m, const markup_tag *t, const char *const *a, size_t at, bool *value) {
    char found[SHOWN];
    size_t n = (size_t)(a[4] - a[3]);
    if (a[1] || !t->attribute || strcmp(a[0], t->attribute) != 0)
        return fail(m, at, "<%s> has no attribute '%s%s%s'%s", t->name, a[1] ? a[1] : "", a[1] ? ":" : "",
                    pfi_printable(a[0], strlen(a[0]), found, sizeof found), t->attribute ? "; it may have monotone" : "");
    if (n != 1 || (*a[3] != '0' && *a[3] != '1'))
        return fail(m, at, "attribute %s: expected 0 or 1, found '%s'", t->attribute,
                    pfi_printable(a[3], n, found, sizeof found));
    *value = *a[3] == '1';
    return PF_OK;
}

static pf_err enter(markup_reader *m, const char *name, int attributes, const char *const *a, size_t at) {
    char found[SHOWN];
    bool value = false;
    const markup_tag *t = name ? find_tag(name) : NULL;
    if (!t) return fail(m, at, "expected <zone>, <wall/> or text, found %s", shown(m, at, found));
    for (int i = 0; i < attributes; i++) PF_TRY(read_attribute(m, t, a + 5 * i, at, &value));
    if (m->depth == PF_MARKUP_DEPTH)
        return fail(m, at, "expected at most %d nested elements, found more", PF_MARKUP_DEPTH);
    PF_TRY(end_word(m->sentence));
    markup_element *e = &m->open[m->depth++];
    *e = (markup_element){t, words(m->sentence), m->sentence->walled};
    return t->begin(m, e, value);
}

static void begin_element(void *self, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri PF_UNUSED,
                          int declarations, const xmlChar **declared PF_UNUSED, int attributes, int defaults PF_UNUSED,
                          const xmlChar **a) {
    markup_reader *m = self;
    if (m->err) return;
    size_t at = begin_of_tag(m);
    if (!m->inside) m->inside = true;
    else if (declarations) check(m, fail(m, at, "<%s> has no attribute 'xmlns'", name));
    else check(m, enter(m, prefix ? NULL : (const char *)name, attributes, (const char *const *)a, at));
}

static pf_err leave(markup_reader *m) {
    size_t at = begin_of_tag(m);
    PF_TRY(end_word(m->sentence));
    if (m->depth) {
        const markup_element *e = &m->open[--m->depth];
        return e->tag->end(m, e, at);
    }
    if (!past_line(m)) return fail(m, at, "expected text, found %s, which closes nothing", after);
    m->done = true;
    return PF_OK;
}

static void end_element(void *self, const xmlChar *name PF_UNUSED, const xmlChar *prefix PF_UNUSED,
                        const xmlChar *uri PF_UNUSED) {
    markup_reader *m = self;
    if (!m->err) check(m, leave(m));
}

/* ---- text ---- */

static pf_err add_text(pf_sentence *s, const char *at, size_t n) {
    static const char space[] = {' ', '\t', '\n', '\r'};
    for (size_t i = 0, from = 0; i <= n; i++) {
        bool splits = i < n && memchr(space, at[i], sizeof space);
        if (i < n && !splits) continue;
        PF_TRY(add_bytes(s, at + from, i - from));
        if (splits) PF_TRY(end_word(s));
        from = i + 1;
    }
    return PF_OK;
}

static void text(void *self, const xmlChar *at, int n) {
    markup_reader *m = self;
    if (!m->err) check(m, add_text(m->sentence, (const char *)at, (size_t)n));
}

/* ---- errors ---- */

/* The innermost open element of that name. */
static const markup_element *find_open(const markup_reader *m, const char *name) {
    for (size_t i = m->depth; i--;)
        if (strcmp(m->open[i].tag->name, name) == 0) return &m->open[i];
    return NULL;
}

/* An end tag that is not that of the innermost element. */
static pf_err mismatch(markup_reader *m, const char *name) {
    char where[SHOWN + 40], found[SHOWN];
    size_t at = begin_of_tag(m);
    PF_TRY(end_word(m->sentence));
    const markup_element *e = m->depth ? &m->open[m->depth - 1] : NULL, *other = find_open(m, name);
    const char *inner = e ? e->tag->name : NULL;
    if (e && past_line(m))
        return fail(m, m->n, "expected </%s>, found the end of the line: the %s that begins at word %u is not closed", inner,
                    inner, e->before + 1);
    place(m, where, sizeof where);
    if (other)
        return fail(m, at,
                    "expected </%s>, found </%s> %s: the %s that begins at word %u and the %s that begins at word %u cross",
                    inner, name, where, name, other->before + 1, inner, e->before + 1);
    return fail(m, at, "expected %s%s%s, found %s %s, but none is open", e ? "</" : "text", e ? inner : "", e ? ">" : "",
                shown(m, at, found), where);
}

/* Whatever else is wrong: it is in the last mark that the parser has begun, or in the text after that. */
static pf_err bad_mark(markup_reader *m, int code) {
    char found[SHOWN];
    size_t at = 0, limit = position(m);
    const char *in_text = code == XML_ERR_MISPLACED_CDATA_END ? strstr(m->line + limit, "]]>") : NULL;
    if (in_text) limit = (size_t)(in_text - m->line);
    const markup_mark *k = last_mark(m, limit + (limit < m->n && code != XML_ERR_LT_IN_ATTRIBUTE), &at);
    if (!k) return fail(m, limit, "damaged XML");
    const char *end = strstr(m->line + at, k->end);
    bool is_long = (end ? (size_t)(end - m->line) : m->n) - at > PF_MARKUP_LIMIT;
    return fail(m, at, "expected %s, found '%s'%s", k->expected, shown(m, at, found),
                is_long ? ", which is too long" : end ? "" : " and the end of the line");
}

/* For libxml2: what it complains of. */
static void complaint(void *self, xmlErrorPtr e) {
    markup_reader *m = self;
    if (m->err || e->level < XML_ERR_ERROR) return;
    if (e->code == XML_ERR_NO_MEMORY) check(m, pf_nomem());
    else if (e->code == XML_ERR_TAG_NAME_MISMATCH) check(m, mismatch(m, e->str2 ? e->str2 : ""));
    else check(m, bad_mark(m, e->code));
}

static void instruction(void *self, const xmlChar *target PF_UNUSED, const xmlChar *data PF_UNUSED) {
    markup_reader *m = self;
    check(m, bad_mark(m, XML_ERR_OK));
}

/* Looked at before libxml2 does, whose messages for these differ between its versions. */
static pf_err check_characters(markup_reader *m) {
    for (size_t i = 0, k; i < m->n; i += k)
        if (!(k = pfi_xml_char(m->line + i, m->n - i)))
            return fail(m, i, "expected characters of XML in UTF-8, found the byte 0x%02x", (unsigned char)m->line[i]);
    return PF_OK;
}

static pf_err push(markup_reader *m, const char *bytes, size_t n, bool last) {
    int code = xmlParseChunk(m->parser, bytes, (int)n, last);
    if (m->err) return m->err;
    return code ? fail(m, position(m), "damaged XML") : PF_OK;
}

/* Where the next piece ends: not within a character or ]]>, which libxml2 would let pass. */
static size_t piece(const markup_reader *m, size_t at) {
    size_t n = m->n - at < PIECE ? m->n - at : PIECE;
    while (at + n < m->n && n > PIECE / 2 && ((m->line[at + n] & 0xc0) == 0x80 || m->line[at + n - 1] == ']')) n--;
    return n;
}

static pf_err parse(markup_reader *m) {
    PF_TRY(push(m, before, sizeof before - 1, false));
    for (size_t at = 0, n; at < m->n; at += n) {
        n = piece(m, at);
        PF_TRY(push(m, m->line + at, n, false));
        if (at + n - position(m) > PF_MARKUP_LIMIT) return bad_mark(m, XML_ERR_OK);
    }
    PF_TRY(push(m, after, sizeof after - 1, true));
    return m->done ? PF_OK : fail(m, position(m), "damaged XML");
}

pf_err pf_sentence_markup(pf_sentence *s, const char *line, size_t n) {
    markup_reader m = {.line = line, .n = n, .sentence = s};
    xmlSAXHandler events = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = begin_element,
        .endElementNs = end_element,
        .characters = text,
        .ignorableWhitespace = text,
        .processingInstruction = instruction,
        .serror = complaint,
    };
    assert(line[n] == 0);
    pf_sentence_clear(s);
    PF_TRY(check_characters(&m));
    pfi_xml_init();
    m.parser = xmlCreatePushParserCtxt(&events, &m, NULL, 0, NULL);
    if (!m.parser) return pf_nomem();
    xmlCtxtUseOptions(m.parser, XML_PARSE_NONET);
    pf_err err = parse(&m);
    xmlFreeParserCtxt(m.parser);
    if (!err) tidy_walls(s);
    PFI_CHECK(err || is_whole(s));
    return err;
}
