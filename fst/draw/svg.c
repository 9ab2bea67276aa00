/* Fonts of viewers differ, so that no width is exact. The widths here are those of DejaVu Sans, which is wider than most. */
#include <permfst/draw/svg.h>

#include "base/utf8.h"
#include "draw/characters_impl.h"

#include <assert.h>
#include <string.h>

static const char *const colours[] = {"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
static const char *const inks[] = {"#a84a00", "#005a90", "#006e50", "#9a4776", "#855c00", "#1b6a94"};
static const char *const dashes[] = {"none", "7 3", "2 2", "9 3 2 3", "12 4", "4 2 1 2"};

const char *pf_svg_colour(size_t i) { return colours[i % (sizeof colours / sizeof *colours)]; }
const char *pf_svg_ink(size_t i) { return inks[i % (sizeof inks / sizeof *inks)]; }
const char *pf_svg_dash(size_t i) { return dashes[i % (sizeof dashes / sizeof *dashes)]; }

/* ---- characters ---- */

typedef struct {
    uint32_t code;
    size_t length; /* bytes; 0: these bytes are no character of UTF-8 */
} character;

static character decode(const char *bytes, size_t length) {
    character found;
    found.length = pfi_utf8(bytes, length, &found.code);
    return found;
}

/* Characters that XML has no way to write (XML 1.0, section 2.2), and those that turn the text around them (UAX #9, 2.1 to 2.4). */
static bool is_forbidden(unsigned code) {
    bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return (code < ' ' && code != '\t' && code != '\n') || code == 0xfffe || code == 0xffff || turns;
}

/* Hebrew, Arabic and the scripts after them; their presentation forms; the planes' blocks for such scripts (UAX #44,
 * Bidi_Class). */
static bool is_right_to_left(unsigned code) {
    return (code >= 0x590 && code <= 0x8ff) || code == 0x200f || (code >= 0xfb1d && code <= 0xfdff) ||
           (code >= 0xfe70 && code <= 0xfeff) || (code >= 0x10800 && code <= 0x10fff) || (code >= 0x1e800 && code <= 0x1efff);
}

bool pfi_text_turns(const char *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        character found = decode(bytes + at, length - at);
        if (found.length && is_right_to_left(found.code)) return true;
        at += found.length ? found.length : 1;
    }
    return false;
}

unsigned pf_text_columns(const char *bytes, size_t length) {
    unsigned columns = 0;
    for (size_t at = 0; at < length;) {
        character found = decode(bytes + at, length - at);
        columns += !found.length || found.code < ' ' ? 1 : pfi_character_columns(found.code);
        at += found.length ? found.length : 1;
    }
    return columns;
}

/* Of ' ' to '~', in hundredths of the font's size. */
static const unsigned char ascii[95] = {
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54,
    100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50,
    50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
};

static int hundredths(unsigned code) {
    if (code >= ' ' && code <= '~') return ascii[code - ' '];
    if (code == 0xb7) return 32; /* the middle dot, */
    if (code == 0x25cf) return 87; /* and the black circle: of coverages */
    static const int of_columns[] = {0, 70, 100};
    const unsigned columns = pfi_character_columns(code);
    assert(columns < sizeof of_columns / sizeof *of_columns);
    return of_columns[columns];
}

enum { REPLACED = 110 }; /* of the replacement character */

int pf_text_width(const char *bytes, size_t length, int size) {
    uint64_t sum = 0;
    assert(size > 0);
    for (size_t at = 0; at < length;) {
        character found = decode(bytes + at, length - at);
        sum += (uint64_t)(found.length && !is_forbidden(found.code) ? hundredths(found.code) : REPLACED);
        at += found.length ? found.length : 1;
    }
    sum = (sum * (uint64_t)size + 99) / 100;
    return sum > 1000000 ? 1000000 : (int)sum;
}

/* ---- documents ---- */

pf_err pf_svg_escape(pf_writer *writer, const char *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        character found = decode(bytes + at, length - at);
        const char *instead = !found.length || is_forbidden(found.code) ? "\xef\xbf\xbd" : found.code == '<' ? "&lt;"
            : found.code == '>' ? "&gt;"
                              : found.code == '&' ? "&amp;" : found.code == '"' ? "&quot;" : NULL;
        PF_TRY(instead ? pf_writer_put(writer, instead, strlen(instead)) : pf_writer_put(writer, bytes + at, found.length));
        at += found.length ? found.length : 1;
    }
    return PF_OK;
}

pf_err pf_svg_begin(pf_writer *writer, int width, int height) {
    assert(width > 0 && height > 0);
    return pf_writer_text(writer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                                  "role=\"img\">\n"
                                  "<title>", width, height, width, height);
}

pf_err pf_svg_describe(pf_writer *writer) { return pf_writer_text(writer, "</title>\n<desc>"); }

pf_err pf_svg_style(pf_writer *writer, const char *css) {
    return pf_writer_text(writer, "</desc>\n<style>"
                                  "text{font-family:sans-serif;font-size:15px;fill:#000000;stroke:none;text-anchor:middle}"
                                  "%s</style>\n"
                                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", css);
}

pf_err pf_svg_end(pf_writer *writer) { return pf_writer_text(writer, "</svg>\n"); }

pf_err pf_svg_text(pf_writer *writer, int x, int y, const char *css_class, const char *bytes, size_t length) {
    PF_TRY(pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, css_class));
    PF_TRY(pf_svg_escape(writer, bytes, length));
    return pf_writer_text(writer, "</text>\n");
}
