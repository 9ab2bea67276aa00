/* The words in a row, with the arcs as round-cornered lines above them. What moved is in another colour, bold and underlined, so
 * that it can be told without colours, too. Widths are those of a fixed-width font. */
#include "tree/draw_impl.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHARACTER = 9, GAP = 22, MARGIN = 20, LEVEL = 26, CORNER = 8, WORDS = 30, PANEL = 34, LABEL = 7 }; /* pixels */
static const char *const moved_colour = "#d55e00", *const arc_colour = "#0072b2";

typedef struct {
    const pf_tree *tree;
    const unsigned *perm;
    const bool *moved; /* NULL: none */
    pfi_arcs_drawn arcs;
    double *middle;    /* of each place */
    double width, height;
    const char *title;
} panel;

static pf_err put_escaped(pf_writer *writer, const char *text) { return pf_svg_escape(writer, text, strlen(text)); }

/* Each word has room for itself, and each arc between neighbours for its relation. */
static pf_err lay_out(panel *drawing) {
    double at = MARGIN;
    PF_TRY(pfi_arcs_of(drawing->tree, drawing->perm, &drawing->arcs));
    if (!(drawing->middle = calloc(drawing->tree->n + 1, sizeof *drawing->middle))) return pf_nomem();
    for (unsigned word = 0; word < drawing->tree->n; word++) {
        double half = CHARACTER * columns_of(drawing->tree->word[drawing->perm[word]].form) / 2.0;
        drawing->middle[word] = at + half;
        for (unsigned k = 0; k < drawing->arcs.n; k++) {
            const pfi_arc_drawn *arc = &drawing->arcs.arc[k];
            double need = LABEL * columns_of(arc->relation) + 3 * CORNER;
            if (arc->right == word && drawing->middle[word] - drawing->middle[arc->left] < need)
                drawing->middle[word] = drawing->middle[arc->left] + need;
        }
        at = drawing->middle[word] + half + GAP;
    }
    drawing->width = at - GAP + MARGIN;
    drawing->height = PANEL + LEVEL * (drawing->arcs.levels + 1) + WORDS;
    return PF_OK;
}

/* From the head up, along, and down to the arrow at the dependent. */
static pf_err put_arc(const panel *drawing, pf_writer *writer, const pfi_arc_drawn *arc, double base) {
    double left = drawing->middle[arc->left] + (arc->to_right ? 5 : 0),
        right = drawing->middle[arc->right] - (arc->to_right ? 0 : 5);
    double top = base - LEVEL * arc->level, tip = arc->to_right ? right : left;
    PF_TRY(pf_writer_text(writer, "<path d=\"M%.1f %.1fV%.1fQ%.1f %.1f %.1f %.1fH%.1fQ%.1f %.1f %.1f %.1fV%.1f\"/>\n", left, base,
                          top + CORNER, left, top, left + CORNER, top, right - CORNER, right, top, right, top + CORNER, base));
    PF_TRY(pf_writer_text(writer, "<path d=\"M%.1f %.1fl-4 -7h8z\" fill=\"%s\"/>\n", tip, base + 1, arc_colour));
    PF_TRY(pf_writer_text(writer, "<text x=\"%.1f\" y=\"%.1f\" class=\"r\">", (left + right) / 2, top - 3));
    PF_TRY(put_escaped(writer, arc->relation));
    return pf_writer_text(writer, "</text>\n");
}

static pf_err put_panel(const panel *drawing, pf_writer *writer, double y) {
    double base = y + PANEL + LEVEL * (drawing->arcs.levels + 1) - 8;
    PF_TRY(pf_writer_text(writer, "<g fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\">\n", arc_colour));
    for (unsigned k = 0; k < drawing->arcs.n; k++) PF_TRY(put_arc(drawing, writer, &drawing->arcs.arc[k], base));
    PF_TRY(pf_writer_text(writer, "</g>\n<text x=\"%d\" y=\"%.1f\" class=\"t\">%s</text>\n", MARGIN, y + 20, drawing->title));
    for (unsigned word = 0; word < drawing->tree->n; word++) {
        PF_TRY(pf_writer_text(writer, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", drawing->middle[word], base + 20,
                              drawing->moved && drawing->moved[word] ? "m" : "w"));
        PF_TRY(put_escaped(writer, drawing->tree->word[drawing->perm[word]].form));
        PF_TRY(pf_writer_text(writer, "</text>\n"));
    }
    return PF_OK;
}

static pf_err put_sentence(pf_writer *writer, const pf_tree *tree, const unsigned *perm) {
    for (unsigned word = 0; word < tree->n; word++) {
        if (word) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(put_escaped(writer, tree->word[perm[word]].form));
    }
    return PF_OK;
}

static pf_err put_head(const panel *before, const panel *after, pf_writer *writer) {
    char style[400];
    double width = before->width > after->width ? before->width : after->width;
    double height = before->height + (after->moved ? after->height : 0) + MARGIN;
    PF_TRY(pf_svg_begin(writer, (int)width, (int)height));
    PF_TRY(pf_writer_text(writer, "Dependency tree of: "));
    PF_TRY(put_sentence(writer, before->tree, before->perm));
    PF_TRY(pf_svg_describe(writer));
    PF_TRY(pf_writer_text(writer, "Arcs lead from each head to its dependents. "));
    if (after->moved) {
        PF_TRY(pf_writer_text(writer, "Above the sentence, below its new order, in which moved words are underlined: "));
        PF_TRY(put_sentence(writer, after->tree, after->perm));
    } else PF_TRY(pf_writer_text(writer, "The order is that of the sentence."));
    snprintf(style, sizeof style,
             "text{font-family:monospace}.w{font-size:15px}.m{font-size:15px;font-weight:bold;text-decoration:underline;fill:%s}"
             ".r{font-size:11px;fill:#444444}.t{font-size:12px;font-family:sans-serif;text-anchor:start;fill:#444444}",
             moved_colour);
    return pf_svg_style(writer, style);
}

static pf_err draw(pf_writer *writer, panel *before, panel *after) {
    PF_TRY(lay_out(before));
    PF_TRY(lay_out(after));
    PF_TRY(put_head(before, after, writer));
    PF_TRY(put_panel(before, writer, 0));
    if (after->moved) PF_TRY(put_panel(after, writer, before->height));
    return pf_svg_end(writer);
}

pf_err pf_tree_draw_svg(pf_writer *writer, const pf_tree *tree, const unsigned *perm) {
    unsigned *same = calloc(tree->n + 1, sizeof *same);
    bool *moved = calloc(tree->n + 1, sizeof *moved), changed = false;
    panel before = {.tree = tree, .perm = same, .title = "sentence"}, after = {.tree = tree, .perm = perm, .title = "reordered"};
    pf_err err = same && moved ? PF_OK : pf_nomem();
    for (unsigned at = 0; !err && at < tree->n; at++) {
        same[at] = at;
        changed = changed || (perm && perm[at] != at);
    }
    if (!err && changed) err = pf_order_moved(perm, tree->n, moved);
    if (changed) after.moved = moved;
    else after.perm = same;
    if (!err) err = draw(writer, &before, &after);
    free(before.arcs.arc);
    free(before.middle);
    free(after.arcs.arc);
    free(after.middle);
    free(same);
    free(moved);
    return err;
}
