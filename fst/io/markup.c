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

static uint32_t words(const pf_sentence *sentence) { return (uint32_t)sentence->end.n; }

/* Word i from 1. */
static bool is_punctuation(const pf_sentence *sentence, uint32_t i) {
    size_t length;
    const char *word = pf_sentence_word(sentence, i - 1, &length);
    return length == 1 && strchr(",.!?:;\"", *word);
}

static pf_err add_wall(pf_sentence *sentence, uint32_t at, uint32_t zone) {
    return PF_PUSH(&sentence->wall, ((pf_wall){at, zone}));
}

/* The wall between the last two words, where there is to be one: in the innermost zone that holds both. */
static pf_err wall_between(pf_sentence *sentence) {
    uint32_t at = words(sentence) - 1, zone = sentence->open;
    if (!at) return PF_OK;
    bool wanted = (sentence->walled && sentence->walled <= at) ||
                  (sentence->at_punctuation && (is_punctuation(sentence, at) || is_punctuation(sentence, at + 1)));
    while (zone && sentence->zone.at[zone - 1].first > at) zone = sentence->zone.at[zone - 1].around;
    return wanted ? add_wall(sentence, at, zone) : PF_OK;
}

static pf_err add_bytes(pf_sentence *sentence, const char *bytes, size_t length) {
    if (!length) return PF_OK;
    PF_TRY(PF_ROOM(&sentence->text, length));
    memcpy(sentence->text.at + sentence->text.n, bytes, length);
    sentence->text.n += length;
    return PF_OK;
}

static pf_err end_word(pf_sentence *sentence) {
    if (sentence->text.n == (sentence->end.n ? sentence->end.at[sentence->end.n - 1] : 0)) return PF_OK;
    PF_TRY(PF_PUSH(&sentence->end, sentence->text.n));
    return wall_between(sentence);
}

pf_err pf_sentence_add(pf_sentence *sentence, const char *word, size_t length) {
    assert(length > 0);
    PF_TRY(add_bytes(sentence, word, length));
    return end_word(sentence);
}

static pf_err open_zone(pf_sentence *sentence, bool unit) {
    PF_TRY(PF_PUSH(&sentence->zone, ((pf_zone){.first = words(sentence) + 1, .around = sentence->open, .unit = unit})));
    sentence->open = (uint32_t)sentence->zone.n;
    return PF_OK;
}

static void close_zone(pf_sentence *sentence) {
    pf_zone *zone = &sentence->zone.at[sentence->open - 1];
    zone->last = words(sentence);
    sentence->open = zone->around;
}

static bool has_effect(const pf_sentence *sentence, const pf_wall *wall) {
    const pf_zone *zone = wall->zone ? &sentence->zone.at[wall->zone - 1] : NULL;
    return wall->at >= (zone ? zone->first : 1) && wall->at < (zone ? zone->last : words(sentence));
}

/* Walls came in order. Those in one place that have an effect are all in the innermost zone that holds the words before and
 * after it: they are the same. */
static void tidy_walls(pf_sentence *sentence) {
    size_t kept = 0;
    for (size_t i = 0; i < sentence->wall.n; i++)
        if (has_effect(sentence, &sentence->wall.at[i]) &&
            (!kept || sentence->wall.at[kept - 1].at != sentence->wall.at[i].at))
            sentence->wall.at[kept++] = sentence->wall.at[i];
    sentence->wall.n = kept;
}

/* Are all zones closed and within the zones around them, and the walls in order and within their zones? */
static bool is_whole(const pf_sentence *sentence) {
    for (size_t i = 0; i < sentence->zone.n; i++) {
        const pf_zone *zone = &sentence->zone.at[i], *around = zone->around ? &sentence->zone.at[zone->around - 1] : NULL;
        if (zone->around > i || zone->first < 1 || zone->first > zone->last || zone->last > words(sentence)) return false;
        if (around && (zone->first < around->first || zone->last > around->last)) return false;
    }
    for (size_t i = 0; i < sentence->wall.n; i++)
        if (!has_effect(sentence, &sentence->wall.at[i]) || (i && sentence->wall.at[i].at <= sentence->wall.at[i - 1].at))
            return false;
    return !sentence->open && !sentence->walled;
}

void pf_sentence_clear(pf_sentence *sentence) {
    sentence->text.n = sentence->end.n = sentence->zone.n = sentence->wall.n = 0;
    sentence->open = sentence->walled = 0;
}

void pf_sentence_free(pf_sentence *sentence) {
    PF_VEC_FREE(&sentence->text);
    PF_VEC_FREE(&sentence->end);
    PF_VEC_FREE(&sentence->zone);
    PF_VEC_FREE(&sentence->wall);
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
    pf_err (*begin)(markup_reader *reader, markup_element *element, bool value);
    pf_err (*end)(markup_reader *reader, const markup_element *element, size_t at);
} markup_tag;

/* The first failure counts, and ends the parsing. */
static pf_err fail(markup_reader *markup, size_t at, const char *format, ...) PF_PRINTF(3, 4);
static pf_err fail(markup_reader *markup, size_t at, const char *format, ...) {
    char text[600];
    va_list ap;
    if (markup->err) return markup->err;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return pf_fail(PF_EINPUT, "byte %zu: %s", at + 1, text);
}

static void check(markup_reader *markup, pf_err err) {
    if (!err || markup->err) return;
    markup->err = err;
    pfi_libxml.StopParser(markup->parser);
}

/* Bytes of the line that the parser has read. */
static size_t position(const markup_reader *markup) {
    long at = pfi_libxml.ByteConsumed(markup->parser) - (long)(sizeof before - 1);
    return at < 0 ? 0 : (size_t)at < markup->n ? (size_t)at : markup->n;
}

/* Has it read all of the line, so that it is in what was added after it? */
static bool past_line(const markup_reader *markup) {
    return pfi_libxml.ByteConsumed(markup->parser) > (long)(markup->n + sizeof before - 1);
}

/* Where the tag that the parser has just read begins: there is no '<' inside one. */
static size_t begin_of_tag(const markup_reader *markup) {
    size_t at = position(markup);
    while (at && markup->line[at - 1] != '<') at--;
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
static const markup_mark *last_mark(const markup_reader *markup, size_t limit, size_t *at) {
    const markup_mark *last = NULL;
    for (size_t i = 0; i < limit;) {
        const markup_mark *mark = mark_at(markup->line + i);
        if (mark) last = mark, *at = i;
        const char *end = mark ? strstr(markup->line + i, mark->end) : NULL;
        i = !mark ? i + 1 : end ? (size_t)(end - markup->line) + strlen(mark->end) : markup->n;
    }
    return last;
}

/* The mark that begins there, as words of a message. */
static const char *shown(const markup_reader *markup, size_t at, char *to) {
    const markup_mark *mark = mark_at(markup->line + at);
    const char *end = mark ? strstr(markup->line + at, mark->end) : NULL;
    return pfi_printable(markup->line + at, end ? (size_t)(end - markup->line) - at + strlen(mark->end) : markup->n - at, to,
                         SHOWN);
}

/* "after word 3 'c'" */
static const char *place(const markup_reader *markup, char *to, size_t room) {
    char shown_word[SHOWN];
    size_t length = 0;
    const char *word =
        words(markup->sentence) ? pf_sentence_word(markup->sentence, words(markup->sentence) - 1, &length) : NULL;
    if (word)
        snprintf(to, room, "after word %u '%s'", words(markup->sentence),
            pfi_printable(word, length, shown_word, sizeof shown_word));
    else snprintf(to, room, "before the first word");
    return to;
}

/* ---- elements ---- */

static pf_err begin_zone(markup_reader *markup, markup_element *element PF_UNUSED, bool monotone) {
    return open_zone(markup->sentence, monotone);
}

static pf_err end_zone(markup_reader *markup, const markup_element *element, size_t at) {
    char where[SHOWN + 40];
    if (words(markup->sentence) == element->before)
        return fail(markup, at, "expected words in the zone, found its end %s", place(markup, where, sizeof where));
    close_zone(markup->sentence);
    return PF_OK;
}

static pf_err begin_wall(markup_reader *markup, markup_element *element, bool value PF_UNUSED) {
    if (!markup->sentence->walled) markup->sentence->walled = element->before + 1;
    return add_wall(markup->sentence, element->before, markup->sentence->open);
}

static pf_err end_wall(markup_reader *markup, const markup_element *element, size_t at PF_UNUSED) {
    markup->sentence->walled = element->walled;
    return add_wall(markup->sentence, words(markup->sentence), markup->sentence->open);
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
static pf_err read_attribute(markup_reader *markup, const markup_tag *tag, const char *const *attributes, size_t at,
    bool *value) {
    char found[SHOWN];
    size_t length = (size_t)(attributes[4] - attributes[3]);
    if (attributes[1] || !tag->attribute || strcmp(attributes[0], tag->attribute) != 0)
        return fail(markup, at, "<%s> has no attribute '%s%s%s'%s", tag->name, attributes[1] ? attributes[1] : "",
            attributes[1] ? ":" : "", pfi_printable(attributes[0], strlen(attributes[0]), found, sizeof found),
            tag->attribute ? "; it may have monotone" : "");
    if (length != 1 || (*attributes[3] != '0' && *attributes[3] != '1'))
        return fail(markup, at, "attribute %s: expected 0 or 1, found '%s'", tag->attribute,
                    pfi_printable(attributes[3], length, found, sizeof found));
    *value = *attributes[3] == '1';
    return PF_OK;
}

static pf_err enter(markup_reader *markup, const char *name, int attributes, const char *const *a, size_t at) {
    char found[SHOWN];
    bool value = false;
    const markup_tag *tag = name ? find_tag(name) : NULL;
    if (!tag) return fail(markup, at, "expected <zone>, <wall/> or text, found %s", shown(markup, at, found));
    for (int i = 0; i < attributes; i++) PF_TRY(read_attribute(markup, tag, a + 5 * i, at, &value));
    if (markup->depth == PF_MARKUP_DEPTH)
        return fail(markup, at, "expected at most %d nested elements, found more", PF_MARKUP_DEPTH);
    PF_TRY(end_word(markup->sentence));
    markup_element *element = &markup->open[markup->depth++];
    *element = (markup_element){tag, words(markup->sentence), markup->sentence->walled};
    return tag->begin(markup, element, value);
}

static void begin_element(void *self, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri PF_UNUSED,
                          int declarations, const xmlChar **declared PF_UNUSED, int attributes, int defaults PF_UNUSED,
                          const xmlChar **a) {
    markup_reader *markup = self;
    if (markup->err) return;
    size_t at = begin_of_tag(markup);
    if (!markup->inside) markup->inside = true;
    else if (declarations) check(markup, fail(markup, at, "<%s> has no attribute 'xmlns'", name));
    else check(markup, enter(markup, prefix ? NULL : (const char *)name, attributes, (const char *const *)a, at));
}

static pf_err leave(markup_reader *markup) {
    size_t at = begin_of_tag(markup);
    PF_TRY(end_word(markup->sentence));
    if (markup->depth) {
        const markup_element *element = &markup->open[--markup->depth];
        return element->tag->end(markup, element, at);
    }
    if (!past_line(markup)) return fail(markup, at, "expected text, found %s, which closes nothing", after);
    markup->done = true;
    return PF_OK;
}

static void end_element(void *self, const xmlChar *name PF_UNUSED, const xmlChar *prefix PF_UNUSED,
                        const xmlChar *uri PF_UNUSED) {
    markup_reader *markup = self;
    if (!markup->err) check(markup, leave(markup));
}

/* ---- text ---- */

static pf_err add_text(pf_sentence *sentence, const char *at, size_t length) {
    static const char space[] = {' ', '\t', '\n', '\r'};
    for (size_t i = 0, from = 0; i <= length; i++) {
        bool splits = i < length && memchr(space, at[i], sizeof space);
        if (i < length && !splits) continue;
        PF_TRY(add_bytes(sentence, at + from, i - from));
        if (splits) PF_TRY(end_word(sentence));
        from = i + 1;
    }
    return PF_OK;
}

static void text(void *self, const xmlChar *at, int length) {
    markup_reader *markup = self;
    if (!markup->err) check(markup, add_text(markup->sentence, (const char *)at, (size_t)length));
}

/* ---- errors ---- */

/* The innermost open element of that name. */
static const markup_element *find_open(const markup_reader *markup, const char *name) {
    for (size_t i = markup->depth; i--;)
        if (strcmp(markup->open[i].tag->name, name) == 0) return &markup->open[i];
    return NULL;
}

/* An end tag that is not that of the innermost element. */
static pf_err mismatch(markup_reader *markup, const char *name) {
    char where[SHOWN + 40], found[SHOWN];
    size_t at = begin_of_tag(markup);
    PF_TRY(end_word(markup->sentence));
    const markup_element *element = markup->depth ? &markup->open[markup->depth - 1] : NULL, *other = find_open(markup, name);
    const char *inner = element ? element->tag->name : NULL;
    if (element && past_line(markup))
        return fail(markup, markup->n, "expected </%s>, found the end of the line: the %s that begins at word %u is not closed",
                    inner, inner, element->before + 1);
    place(markup, where, sizeof where);
    if (other)
        return fail(markup, at,
                    "expected </%s>, found </%s> %s: the %s that begins at word %u and the %s that begins at word %u cross",
                    inner, name, where, name, other->before + 1, inner, element->before + 1);
    return fail(markup, at, "expected %s%s%s, found %s %s, but none is open", element ? "</" : "text", element ? inner : "",
                element ? ">" : "", shown(markup, at, found), where);
}

/* Whatever else is wrong: it is in the last mark that the parser has begun, or in the text after that. */
static pf_err bad_mark(markup_reader *markup, int code) {
    char found[SHOWN];
    size_t at = 0, limit = position(markup);
    const char *in_text = code == XML_ERR_MISPLACED_CDATA_END ? strstr(markup->line + limit, "]]>") : NULL;
    if (in_text) limit = (size_t)(in_text - markup->line);
    const markup_mark *mark = last_mark(markup, limit + (limit < markup->n && code != XML_ERR_LT_IN_ATTRIBUTE), &at);
    if (!mark) return fail(markup, limit, "damaged XML");
    const char *end = strstr(markup->line + at, mark->end);
    bool is_long = (end ? (size_t)(end - markup->line) : markup->n) - at > PF_MARKUP_LIMIT;
    return fail(markup, at, "expected %s, found '%s'%s", mark->expected, shown(markup, at, found),
                is_long ? ", which is too long" : end ? "" : " and the end of the line");
}

/* For libxml2: what it complains of. */
static void complaint(void *self, xmlErrorPtr error) {
    markup_reader *markup = self;
    if (markup->err || error->level < XML_ERR_ERROR) return;
    if (error->code == XML_ERR_NO_MEMORY) check(markup, pf_nomem());
    else if (error->code == XML_ERR_TAG_NAME_MISMATCH) check(markup, mismatch(markup, error->str2 ? error->str2 : ""));
    else check(markup, bad_mark(markup, error->code));
}

static void instruction(void *self, const xmlChar *target PF_UNUSED, const xmlChar *data PF_UNUSED) {
    markup_reader *markup = self;
    check(markup, bad_mark(markup, XML_ERR_OK));
}

/* Looked at before libxml2 does, whose messages for these differ between its versions. */
static pf_err check_characters(markup_reader *markup) {
    for (size_t i = 0, k; i < markup->n; i += k)
        if (!(k = pfi_xml_char(markup->line + i, markup->n - i)))
            return fail(markup, i, "expected characters of XML in UTF-8, found the byte 0x%02x", (unsigned char)markup->line[i]);
    return PF_OK;
}

static pf_err push(markup_reader *markup, const char *bytes, size_t length, bool last) {
    int code = pfi_libxml.ParseChunk(markup->parser, bytes, (int)length, last);
    if (markup->err) return markup->err;
    return code ? fail(markup, position(markup), "damaged XML") : PF_OK;
}

/* Where the next piece ends: not within a character or ]]>, which libxml2 would let pass. */
static size_t piece(const markup_reader *markup, size_t at) {
    size_t length = markup->n - at < PIECE ? markup->n - at : PIECE;
    while (at + length < markup->n && length > PIECE / 2 &&
           ((markup->line[at + length] & 0xc0) == 0x80 || markup->line[at + length - 1] == ']'))
        length--;
    return length;
}

static pf_err parse(markup_reader *markup) {
    PF_TRY(push(markup, before, sizeof before - 1, false));
    for (size_t at = 0, length; at < markup->n; at += length) {
        length = piece(markup, at);
        PF_TRY(push(markup, markup->line + at, length, false));
        if (at + length - position(markup) > PF_MARKUP_LIMIT) return bad_mark(markup, XML_ERR_OK);
    }
    PF_TRY(push(markup, after, sizeof after - 1, true));
    return markup->done ? PF_OK : fail(markup, position(markup), "damaged XML");
}

pf_err pf_sentence_markup(pf_sentence *sentence, const char *line, size_t length) {
    markup_reader markup = {.line = line, .n = length, .sentence = sentence};
    xmlSAXHandler events = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = begin_element,
        .endElementNs = end_element,
        .characters = text,
        .ignorableWhitespace = text,
        .processingInstruction = instruction,
        .serror = complaint,
    };
    assert(line[length] == 0);
    pf_sentence_clear(sentence);
    PF_TRY(check_characters(&markup));
    PF_TRY(pfi_libxml_load());
    pfi_xml_listener had = pfi_xml_listen(complaint, &markup);
    markup.parser = pfi_libxml.CreatePushParserCtxt(&events, &markup, NULL, 0, NULL);
    if (markup.parser) pfi_libxml.CtxtUseOptions(markup.parser, XML_PARSE_NONET);
    pf_err err = markup.parser ? parse(&markup) : pf_nomem();
    pfi_libxml.FreeParserCtxt(markup.parser);
    pfi_xml_listen_no_more(had);
    if (!err) tidy_walls(sentence);
    PFI_CHECK(err || is_whole(sentence));
    return err;
}
