/* SVG pictures: what all of them have in common.
 *
 * A picture is a document of its own: no script, no font and no file from elsewhere. It has a title and a description for screen
 * readers, a white ground, and coordinates in whole pixels, so that its bytes are the same on every machine. Colours are those of
 * Okabe and Ito, which people who see fewer colours tell apart; what a colour says, a dash or a weight says too, for paper without
 * colours.
 *
 *   pf_svg_begin(w, 200, 100); pf_writer_text(w, "A dot"); pf_svg_describe(w); pf_writer_text(w, "One black dot.");
 *   pf_svg_style(w, ".dot{fill:#000000}"); pf_writer_text(w, "<circle .../>"); pf_svg_end(w);
 *
 * All calls are O(bytes) that are written, and have the errors of the writer; colours and dashes are O(1). */
#ifndef PF_DRAW_SVG_H
#define PF_DRAW_SVG_H

#include <permfst/base/writer.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts of a document, in this order: the head up to the title, which follows as escaped text; the description, which follows
 * in the same way; the style, after which the picture follows; the end. Errors of the writer. */
pf_err pf_svg_begin(pf_writer *writer, int width, int height);
pf_err pf_svg_describe(pf_writer *writer);
pf_err pf_svg_style(pf_writer *writer, const char *css);
pf_err pf_svg_end(pf_writer *writer);

/* Writes bytes as text of XML. Where they are not UTF-8, not a character of XML, or one that turns the text around it (embeddings,
 * overrides and isolates of UAX #9), the replacement character stands for them. */
pf_err pf_svg_escape(pf_writer *writer, const char *bytes, size_t length);

/* Writes a text element of a class, which says where its anchor is. */
pf_err pf_svg_text(pf_writer *writer, int x, int y, const char *css_class, const char *bytes, size_t length);

/* Colour i of the palette, from 0, without black; it begins again after the last. The same colour for text, dark enough for a
 * contrast with white of at least 5 to 1 (WCAG 2.1, 1.4.3 asks for 4.5). And a dash pattern to go with it: "none" first. */
const char *pf_svg_colour(size_t i);
const char *pf_svg_ink(size_t i);
const char *pf_svg_dash(size_t i);

/* ---- how wide text is ---- */

/* In pixels, in a sans-serif font of `size` pixels: an estimate from above, as fonts differ. O(length). */
int pf_text_width(const char *bytes, size_t length, int size);

/* In columns of a terminal: wide characters of East Asia have two, combining ones none. O(length). */
unsigned pf_text_columns(const char *bytes, size_t length);

#ifdef __cplusplus
}
#endif
#endif
