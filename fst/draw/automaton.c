/* The columns of a layout with room for the labels between them. A label looks for a place on its edge where no other label of the
 * same gap between columns is; the nearest to the middle wins. Grey edges are drawn first, the best path last.
 *
 * What is wider than a page is folded: it is drawn once, and shown in rows, each a window on some of its columns. The last column
 * of a row is the first of the next, on a grey ground, so that no arc is cut. */
#include "draw/characters_impl.h"
#include "draw/layout_impl.h"

#include <permfst/base/digits.h>
#include <permfst/draw/svg.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 13, SMALL = 11, MARGIN = 24, PAD = 7, LINE = 14, LEAST_APART = 34, MOST_APART = 84, GAP = 46, LOOP = 26, ARROW = 10,
       LOWER = 8, LONGEST = 170, PAGE = 1200, WIDEST = 2000 }; /* pixels; PAGE: the most of a row, of what is wider than WIDEST */

typedef struct {
    int x, y, width, height; /* of its middle; of all of it */
} drawn_box;

/* Some columns of a picture that is folded. */
typedef struct {
    unsigned first, last;  /* levels */
    int left, right, top, bottom; /* of the window */
    int at;                /* where its top is, on the page */
} drawn_row;

typedef struct {
    const pfi_shown_machine *shown;
    pfi_layout layout;
    pf_writer *text;           /* labels of all arcs, one after the other */
    size_t *begin;             /* where the label of arc i begins: arcs + 1 */
    pf_writer *names;          /* of all states, one after the other */
    size_t *name_begin;        /* states + 1 */
    int *label_width;          /* of each edge: the widest of its labels */
    drawn_box *state;          /* of each state */
    drawn_box *label;          /* of each edge */
    int *x;                    /* of the middle of each level */
    int *column_width;
    int glyph, top, width, height;
    PF_VEC(drawn_row) row;     /* none: it is drawn as it is */
} automaton_picture;

static bool has_final_cost(const pfi_shown_machine *shown, pf_state state) {
    float final = pf_fst_final(shown->fst, state);
    return final != INFINITY && final != 0;
}

/* ---- labels ---- */

/* A left-to-right mark keeps the cost on the right of its words. */
static pf_err put_label(automaton_picture *picture, const pf_arc *arc) {
    size_t before, after;
    pf_writer_bytes(picture->text, &before);
    PF_TRY(pfi_put_arc_words(picture->text, picture->shown, arc));
    const char *bytes = (const char *)pf_writer_bytes(picture->text, &after);
    if (arc->w != 0 && pfi_text_turns(bytes + before, after - before)) PF_TRY(pf_writer_text(picture->text, "\xe2\x80\x8e"));
    return arc->w != 0 ? pf_writer_text(picture->text, " %.4g", (double)arc->w) : PF_OK;
}

static pf_err make_labels(automaton_picture *picture) {
    const pfi_shown_machine *shown = picture->shown;
    picture->begin = calloc(shown->first[shown->states] + 2, sizeof *picture->begin);
    if (!picture->begin) return pf_nomem();
    for (pf_state state = 0; state < shown->states; state++) {
        pf_arcs arcs = pf_fst_arcs(shown->fst, state);
        for (uint32_t arc = 0; arc < arcs.n; arc++) {
            PF_TRY(put_label(picture, &arcs.arc[arc]));
            pf_writer_bytes(picture->text, &picture->begin[shown->first[state] + arc + 1]);
        }
    }
    return PF_OK;
}

static pf_err make_names(automaton_picture *picture) {
    const pfi_shown_machine *shown = picture->shown;
    picture->name_begin = calloc((size_t)shown->states + 2, sizeof *picture->name_begin);
    if (!picture->name_begin) return pf_nomem();
    for (pf_state state = 0; state < shown->states; state++) {
        PF_TRY(pfi_put_state_name(picture->names, shown, state));
        pf_writer_bytes(picture->names, &picture->name_begin[state + 1]);
    }
    return PF_OK;
}

static const char *name_of(const automaton_picture *picture, pf_state state, size_t *length) {
    size_t all;
    const unsigned char *bytes = pf_writer_bytes(picture->names, &all);
    assert(picture->name_begin[state] <= picture->name_begin[state + 1] && picture->name_begin[state + 1] <= all);
    *length = picture->name_begin[state + 1] - picture->name_begin[state];
    return (const char *)bytes + picture->name_begin[state];
}

static const char *label_of(const automaton_picture *picture, size_t arc, size_t *length) {
    size_t all;
    const unsigned char *bytes = pf_writer_bytes(picture->text, &all);
    assert(picture->begin[arc] <= picture->begin[arc + 1] && picture->begin[arc + 1] <= all);
    *length = picture->begin[arc + 1] - picture->begin[arc];
    return (const char *)bytes + picture->begin[arc];
}

/* How many bytes of a label are drawn, before an ellipsis if it is longer. */
static size_t drawn_length(const char *label, size_t length, bool *whole) {
    size_t drawn = length;
    *whole = pf_text_width(label, length, SMALL) <= LONGEST;
    while (!*whole && (pf_text_width(label, drawn, SMALL) > LONGEST - SMALL ||
                       (drawn < length && ((unsigned char)label[drawn] & 0xc0) == 0x80)))
        drawn--;
    return drawn;
}

static int drawn_width(const char *label, size_t length) {
    bool whole;
    size_t drawn = drawn_length(label, length, &whole);
    return pf_text_width(label, drawn, SMALL) + (whole ? 0 : SMALL);
}

static pf_err measure_labels(automaton_picture *picture) {
    const pfi_layout *layout = &picture->layout;
    picture->label_width = calloc(layout->edges.n + 1, sizeof *picture->label_width);
    if (!picture->label_width) return pf_nomem();
    for (size_t edge = 0; edge < layout->edges.n; edge++)
        for (size_t arc = 0; arc < layout->edges.at[edge].arcs; arc++) {
            size_t length;
            const char *label = label_of(picture, layout->arc_order.at[layout->edges.at[edge].first_arc + arc], &length);
            int width = drawn_width(label, length) + 4;
            if (layout->edges.at[edge].bits & PFI_ARC_BEST) width += width / 8; /* bold */
            if (width > picture->label_width[edge]) picture->label_width[edge] = width;
        }
    return PF_OK;
}

/* ---- where things are ---- */

/* Coverages that are written whole have smaller circles if they are long. */
static int glyph_size(const pfi_shown_machine *shown) {
    return shown->positions <= 10 || pfi_covers_are_windows(shown) ? SIZE : 10;
}

static int state_width(const automaton_picture *picture, pf_state state) {
    size_t length;
    const char *name = name_of(picture, state, &length);
    int text = picture->shown->cover ? (int)pf_text_columns(name, length) * (62 * picture->glyph + 99) / 100
                                     : pf_text_width(name, length, SIZE);
    return text + 2 * PAD;
}

/* The level that a label lies before: that of the right end of the segment in the middle of its edge. */
static unsigned level_of_label(const pfi_layout *layout, const pfi_edge_placed *edge) {
    return layout->nodes.at[layout->way.at[edge->first_node + edge->nodes / 2]].level;
}

/* The room between a column and the one before, for the labels that lie there: with many edges between the two, for two beside one
 * another. */
static int gap_before(const automaton_picture *picture, unsigned level) {
    const pfi_layout *layout = &picture->layout;
    assert(level);
    uint32_t nodes = layout->columns[level] > layout->columns[level - 1] ? layout->columns[level] : layout->columns[level - 1];
    size_t edges = 0;
    int widest = 0;
    for (size_t number = 0; number < layout->edges.n; number++) {
        const pfi_edge_placed *edge = &layout->edges.at[number];
        if (!edge->nodes || level_of_label(layout, edge) != level) continue;
        edges++;
        if (picture->label_width[number] > widest) widest = picture->label_width[number];
    }
    return GAP + (edges > 2 * nodes ? 3 * widest : edges > nodes ? 2 * widest : widest);
}

/* How far states of a level are apart: further with many arcs, and with costs of ends, which stand below their states. */
static int states_apart(const pfi_shown_machine *shown) {
    int most = LEAST_APART;
    for (unsigned level = 0; level < shown->levels; level++) {
        int states = 0, arcs = 0;
        for (pf_state state = 0; state < shown->states; state++) {
            if (shown->level[state] != level) continue;
            states++;
            arcs += (int)(shown->first[state + 1] - shown->first[state]);
            if (has_final_cost(shown, state) && most < LEAST_APART + LINE) most = LEAST_APART + LINE;
        }
        if (states && LINE * arcs / states > most) most = LINE * arcs / states;
    }
    return most > MOST_APART ? MOST_APART : most;
}

static pf_err place_columns(automaton_picture *picture) {
    const pfi_shown_machine *shown = picture->shown;
    int at = MARGIN;
    picture->x = calloc((size_t)shown->levels + 1, sizeof *picture->x);
    picture->column_width = calloc((size_t)shown->levels + 1, sizeof *picture->column_width);
    if (!picture->x || !picture->column_width) return pf_nomem();
    for (pf_state state = 0; state < shown->states; state++) {
        int width = state_width(picture, state);
        if (width > picture->column_width[shown->level[state]]) picture->column_width[shown->level[state]] = width;
    }
    for (unsigned level = 0; level < shown->levels; level++) {
        if (level) at += gap_before(picture, level);
        picture->x[level] = at + picture->column_width[level] / 2;
        at += picture->column_width[level];
    }
    picture->width = at + MARGIN;
    return PF_OK;
}

static pf_err place_states(automaton_picture *picture) {
    const pfi_shown_machine *shown = picture->shown;
    picture->state = calloc((size_t)shown->states + 1, sizeof *picture->state);
    if (!picture->state) return pf_nomem();
    for (pf_state state = 0; state < shown->states; state++) {
        const pfi_node_placed *node = &picture->layout.nodes.at[state];
        picture->state[state] = (drawn_box){picture->x[node->level], picture->top + node->y, state_width(picture, state),
                                            SIZE + 11};
    }
    return PF_OK;
}

/* A point of the way of an edge: node k; the ends at the sides of their states. What leads back is lower than what leads there. */
static void point_of(const automaton_picture *picture, const pfi_edge_placed *edge, size_t k, int *x, int *y) {
    const pfi_node_placed *node = &picture->layout.nodes.at[picture->layout.way.at[edge->first_node + k]];
    *x = picture->x[node->level];
    *y = picture->top + node->y + (edge->bits & PFI_ARC_BACK ? LOWER : 0);
    if (node->state == PF_NO_STATE) return;
    *x += k ? -picture->state[node->state].width / 2 - 1 : picture->state[node->state].width / 2 + 1;
}

/* ---- where labels are ---- */

/* The area that two boxes have in common. */
static int64_t overlap(const drawn_box *one, const drawn_box *other) {
    int wide = (one->width + other->width) / 2 - abs(one->x - other->x),
        high = (one->height + other->height) / 2 - abs(one->y - other->y);
    return wide > 0 && high > 0 ? (int64_t)wide * high : 0;
}

/* With all labels that have a place. */
static int64_t overlap_with_all(const automaton_picture *picture, const drawn_box *box) {
    int64_t sum = 0;
    for (size_t edge = 0; edge < picture->layout.edges.n; edge++)
        if (picture->label[edge].width) sum += overlap(&picture->label[edge], box);
    return sum;
}

/* Tries 33 places on the segment and takes the one with the least overlap; the nearest to the middle wins a tie. */
static drawn_box find_place(const automaton_picture *picture, size_t edge, int x1, int y1, int x2, int y2) {
    enum { PLACES = 32 };
    drawn_box box = {.width = picture->label_width[edge], .height = LINE * (int)picture->layout.edges.at[edge].arcs}, best = box;
    int room = x2 - x1 - box.width - ARROW, middle = (x1 + x2 - ARROW) / 2;
    int64_t least = -1;
    for (int trial = 0; trial <= PLACES && least; trial++) {
        int aside = (trial + 1) / 2 * (trial % 2 ? 1 : -1); /* 0, 1, -1, 2, ... */
        box.x = middle + room * aside / PLACES;
        box.y = y1 + (y2 - y1) * (box.x - x1) / (x2 > x1 ? x2 - x1 : 1);
        int64_t area = overlap_with_all(picture, &box);
        if (least >= 0 && area >= least) continue;
        least = area;
        best = box;
    }
    return best;
}

static void place_label(automaton_picture *picture, size_t number) {
    const pfi_edge_placed *edge = &picture->layout.edges.at[number];
    int x1, y1, x2, y2;
    if (!edge->nodes) {
        const drawn_box *state = &picture->state[edge->from];
        int height = LINE * (int)edge->arcs;
        picture->label[number] =
            (drawn_box){state->x, state->y - state->height / 2 - LOOP - height / 2, picture->label_width[number], height};
        return;
    }
    point_of(picture, edge, edge->nodes / 2 - 1, &x1, &y1);
    point_of(picture, edge, edge->nodes / 2, &x2, &y2);
    picture->label[number] = find_place(picture, number, x1, y1, x2, y2);
}

/* Those of the best path choose first. */
static pf_err place_labels(automaton_picture *picture) {
    const pfi_layout *layout = &picture->layout;
    picture->label = calloc(layout->edges.n + 1, sizeof *picture->label);
    if (!picture->label) return pf_nomem();
    for (int best = 1; best >= 0; best--)
        for (size_t edge = 0; edge < layout->edges.n; edge++)
            if (best == ((layout->edges.at[edge].bits & PFI_ARC_BEST) != 0)) place_label(picture, edge);
    return PF_OK;
}

/* Labels of loops stand above the states, and large bundles of labels above and below their edges. */
static void find_height(automaton_picture *picture) {
    int least = 0, most = picture->top + picture->layout.height + 12;
    for (size_t edge = 0; edge < picture->layout.edges.n; edge++) {
        const drawn_box *label = &picture->label[edge];
        if (label->y - label->height / 2 < least) least = label->y - label->height / 2;
        if (label->y + label->height / 2 > most) most = label->y + label->height / 2;
    }
    for (pf_state state = 0; state < picture->shown->states; state++) picture->state[state].y -= least;
    for (size_t edge = 0; edge < picture->layout.edges.n; edge++) picture->label[edge].y -= least;
    picture->top -= least;
    picture->height = most - least + MARGIN;
}

/* ---- rows ---- */

static int left_of(const automaton_picture *picture, unsigned level) {
    return picture->x[level] - picture->column_width[level] / 2;
}
static int right_of(const automaton_picture *picture, unsigned level) {
    return left_of(picture, level) + picture->column_width[level];
}

static void extend_row(drawn_row *row, int top, int bottom) {
    if (top < row->top) row->top = top;
    if (bottom > row->bottom) row->bottom = bottom;
}

/* From the highest to the lowest of what is in the window: states with the costs of their ends, loops, bends, labels. */
static void find_window(const automaton_picture *picture, drawn_row *row) {
    const pfi_layout *layout = &picture->layout;
    row->left = left_of(picture, row->first) - (row->first ? PAD : MARGIN);
    row->right = right_of(picture, row->last) + (row->last + 1 < picture->shown->levels ? PAD : MARGIN);
    row->top = picture->height;
    row->bottom = 0;
    for (size_t number = 0; number < layout->nodes.n; number++) {
        const pfi_node_placed *node = &layout->nodes.at[number];
        int y = picture->top + node->y;
        if (node->level >= row->first && node->level <= row->last) extend_row(row, y - SIZE, y + SIZE + SMALL + LOWER);
    }
    for (size_t edge = 0; edge < layout->edges.n; edge++) {
        const drawn_box *label = &picture->label[edge];
        if (label->x + label->width / 2 < row->left || label->x - label->width / 2 > row->right) continue;
        extend_row(row, label->y - label->height / 2, label->y + label->height / 2 + (layout->edges.at[edge].nodes ? 0 : LOOP));
    }
    row->top -= PAD;
    row->bottom += PAD;
}

static pf_err fold(automaton_picture *picture) {
    const unsigned levels = picture->shown->levels;
    int width = 0, height = MARGIN;
    if (picture->width <= WIDEST) return PF_OK;
    for (unsigned first = 0, last; first + 1 < levels; first = last) {
        for (last = first + 1; last + 1 < levels && right_of(picture, last + 1) - left_of(picture, first) <= PAGE; last++);
        drawn_row row = {.first = first, .last = last, .at = height};
        find_window(picture, &row);
        if (row.right - row.left > width) width = row.right - row.left;
        height += row.bottom - row.top + MARGIN;
        if (PF_PUSH(&picture->row, row)) return pf_nomem();
    }
    picture->width = width + MARGIN;
    picture->height = height;
    return PF_OK;
}

static pf_err lay_out(automaton_picture *picture) {
    const pfi_shown_machine *shown = picture->shown;
    picture->glyph = glyph_size(shown);
    picture->top = MARGIN + 12;
    PF_TRY(make_names(picture));
    PF_TRY(make_labels(picture));
    PF_TRY(pfi_layout_make(shown, states_apart(shown), &picture->layout));
    PF_TRY(measure_labels(picture));
    PF_TRY(place_columns(picture));
    PF_TRY(place_states(picture));
    PF_TRY(place_labels(picture));
    find_height(picture);
    return fold(picture);
}

/* ---- writing ---- */

static const char *edge_class(const pfi_edge_placed *edge) { return edge->bits & PFI_ARC_BEST ? "b" : edge->grey ? "g" : "e"; }

/* Arrows point from `from` to `to`, also where the way is drawn from right to left. */
static pf_err put_edge(const automaton_picture *picture, pf_writer *writer, const pfi_edge_placed *edge) {
    bool back = edge->bits & PFI_ARC_BACK;
    const char *kind = edge_class(edge);
    PF_TRY(pf_writer_text(writer, "<path class=\"%s\" marker-end=\"url(#%s)\"%s d=\"", kind, *kind == 'g' ? "h" : "a",
                          back ? " stroke-dasharray=\"5 3\"" : ""));
    if (!edge->nodes) {
        const drawn_box *state = &picture->state[edge->from];
        int y = state->y - state->height / 2 - 1;
        return pf_writer_text(writer, "M%d %dC%d %d %d %d %d %d\"/>\n", state->x - 6, y, state->x - 22, y - LOOP - 6, state->x + 22,
                              y - LOOP - 6, state->x + 6, y);
    }
    for (size_t node = 0; node < edge->nodes; node++) {
        int x, y;
        point_of(picture, edge, back ? edge->nodes - 1 - node : node, &x, &y);
        PF_TRY(pf_writer_text(writer, "%s%d %d", node ? "L" : "M", x, y));
    }
    return pf_writer_text(writer, "\"/>\n");
}

static pf_err put_edges(const automaton_picture *picture, pf_writer *writer) {
    const pfi_layout *layout = &picture->layout;
    PF_TRY(pf_writer_text(writer, "<g fill=\"none\">\n"));
    for (const char *kind = "geb"; *kind; kind++)
        for (size_t edge = 0; edge < layout->edges.n; edge++)
            if (*edge_class(&layout->edges.at[edge]) == *kind) PF_TRY(put_edge(picture, writer, &layout->edges.at[edge]));
    return pf_writer_text(writer, "</g>\n");
}

/* A white ground for each label, all in one path. */
static pf_err put_grounds(const automaton_picture *picture, pf_writer *writer) {
    const pfi_layout *layout = &picture->layout;
    if (!layout->edges.n) return PF_OK;
    PF_TRY(pf_writer_text(writer, "<path fill=\"#ffffff\" fill-opacity=\"0.85\" d=\""));
    for (size_t edge = 0; edge < layout->edges.n; edge++) {
        const drawn_box *box = &picture->label[edge];
        PF_TRY(pf_writer_text(writer, "M%d %dh%dv%dh%dz", box->x - box->width / 2, box->y - box->height / 2, box->width,
                              box->height, -box->width));
    }
    return pf_writer_text(writer, "\"/>\n");
}

/* The whole of a label that is cut is its title, which viewers show and screen readers read. */
static pf_err put_label_text(pf_writer *writer, int x, int y, const char *kind, const char *label, size_t length) {
    bool whole;
    size_t drawn = drawn_length(label, length, &whole);
    if (whole) return pf_svg_text(writer, x, y, kind, label, length);
    PF_TRY(pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"%s\"><title>", x, y, kind));
    PF_TRY(pf_svg_escape(writer, label, length));
    PF_TRY(pf_writer_text(writer, "</title>"));
    PF_TRY(pf_svg_escape(writer, label, drawn));
    return pf_writer_text(writer, "\xe2\x80\xa6</text>\n");
}

static pf_err put_labels(const automaton_picture *picture, pf_writer *writer) {
    const pfi_layout *layout = &picture->layout;
    for (size_t number = 0; number < layout->edges.n; number++) {
        const pfi_edge_placed *edge = &layout->edges.at[number];
        const drawn_box *box = &picture->label[number];
        for (size_t line = 0; line < edge->arcs; line++) {
            size_t arc = layout->arc_order.at[edge->first_arc + line], length;
            const char *label = label_of(picture, arc, &length);
            const char *kind = picture->shown->bits[arc] & PFI_ARC_BEST ? "lb" : pfi_arc_is_grey(picture->shown, arc) ? "lg" : "l";
            PF_TRY(put_label_text(writer, box->x, box->y - box->height / 2 + LINE * (int)line + 11, kind, label, length));
        }
    }
    return PF_OK;
}

/* Final states have a second line around them. */
static pf_err put_state(const automaton_picture *picture, pf_writer *writer, pf_state state) {
    const pfi_shown_machine *shown = picture->shown;
    const drawn_box *box = &picture->state[state];
    const char *grey = shown->grey && shown->grey[state] ? " stroke=\"#aaaaaa\"" : "";
    size_t length;
    for (int ring = pf_fst_final(shown->fst, state) != INFINITY ? 2 : 1, inset = 0; ring-- > 0; inset += 3)
        PF_TRY(pf_writer_text(writer, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"%s%s/>\n",
                              box->x - box->width / 2 + inset,
                              box->y - box->height / 2 + inset, box->width - 2 * inset, box->height - 2 * inset, 9 - inset, grey,
                              state == shown->fst->start ? " stroke-width=\"2.5\"" : ""));
    const char *name = name_of(picture, state, &length);
    PF_TRY(pf_svg_text(writer, box->x, box->y + 5, *grey ? "n lg" : "n", name, length));
    if (!has_final_cost(shown, state)) return PF_OK;
    return pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"l\">end %.4g</text>\n", box->x,
                          box->y + box->height / 2 + SMALL + 1,
                          (double)pf_fst_final(shown->fst, state));
}

static pf_err put_states(const automaton_picture *picture, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "<g fill=\"#ffffff\" stroke=\"#000000\">\n"));
    for (pf_state state = 0; state < picture->shown->states; state++) PF_TRY(put_state(picture, writer, state));
    return pf_writer_text(writer, "</g>\n");
}

/* ---- head ---- */

static pf_err put_best(const pf_answer *best, bool numeric, pf_writer *writer) {
    const pf_path *path = &best->paths.at[0];
    PF_TRY(pf_writer_text(writer, " The best path is bold and costs %.6g:", path->cost));
    for (size_t arc = 0; arc < path->n; arc++) {
        size_t length;
        const char *word = numeric || !best->osyms ? NULL : pf_symtab_name(best->osyms, path->arc[arc].out, &length);
        if (path->arc[arc].out == PF_EPSILON) continue;
        PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(word ? pf_svg_escape(writer, word, length) : pf_writer_text(writer, "%d", path->arc[arc].out));
    }
    return pf_writer_put(writer, ".", 1);
}

static pf_err put_head(const automaton_picture *picture, pf_writer *writer) {
    const pfi_shown_machine *shown = picture->shown;
    char style[700];
    size_t arcs = shown->first[shown->states];
    PF_TRY(pf_svg_begin(writer, picture->width, picture->height));
    PF_TRY(pf_writer_text(writer, "Record %llu: an automaton of %u state%s and %zu arc%s",
                          (unsigned long long)shown->options->record,
                          shown->states, pf_plural(shown->states), arcs, pf_plural(arcs)));
    PF_TRY(pf_svg_describe(writer));
    PF_TRY(pf_writer_text(writer, "States stand in %u level%s from left to right.", shown->levels, pf_plural(shown->levels)));
    if (shown->cover)
        PF_TRY(pf_writer_text(writer, " A black circle in a state is a position that was visited, a dot one that was not."));
    if (pfi_covers_are_windows(shown))
        PF_TRY(pf_writer_text(writer, " A number before them counts positions that were all visited; no position "
                                      "after them was visited. "
                                      "A circle or dot with \xc3\x97 and a number stands for so many of them."));
    PF_TRY(pf_writer_text(writer, " The start has a thick line, an end two lines. Arcs have words and costs."));
    if (picture->row.n)
        PF_TRY(pf_writer_text(writer, " The picture goes on in %zu rows; "
                                      "the last column of a row, on a grey ground, is the first of the next.", picture->row.n));
    if (shown->best) PF_TRY(put_best(shown->options->best, shown->options->numeric, writer));
    if (shown->grey) PF_TRY(pf_writer_text(writer, " No path that the search has kept goes over what is grey."));
    snprintf(style, sizeof style,
             ".e{stroke:#555555}.g{stroke:#cccccc}.b{stroke:#000000;stroke-width:3}.l,.lb,.lg{font-size:%dpx}.lb{font-weight:bold}"
             ".lg{fill:#999999}.n{font-size:%dpx;%s}", SMALL, picture->glyph, shown->cover ? "font-family:monospace" : "");
    PF_TRY(pf_svg_style(writer, style));
    return pf_writer_text(writer, "<defs>\n"
                                  "<marker id=\"a\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" "
                                  "refY=\"4\" orient=\"auto\">"
                                  "<path d=\"M0 0L9 4L0 8z\"/></marker>\n"
                                  "<marker id=\"h\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" "
                                  "refY=\"4\" orient=\"auto\">"
                                  "<path d=\"M0 0L9 4L0 8z\" fill=\"#cccccc\"/></marker>\n</defs>\n");
}

/* ---- the whole ---- */

/* A column that two rows have. */
static pf_err put_seam(const automaton_picture *picture, pf_writer *writer, const drawn_row *row, int left, unsigned level) {
    return pf_writer_text(writer, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#e8e8e8\"/>\n",
                          left + left_of(picture, level) - PAD - row->left, row->at, picture->column_width[level] + 2 * PAD,
                          row->bottom - row->top);
}

static pf_err put_row(const automaton_picture *picture, pf_writer *writer, const drawn_row *row) {
    int width = row->right - row->left, height = row->bottom - row->top, left = row->first ? MARGIN - PAD : 0;
    if (row->first) PF_TRY(put_seam(picture, writer, row, left, row->first));
    if (row->last + 1 < picture->shown->levels) PF_TRY(put_seam(picture, writer, row, left, row->last));
    return pf_writer_text(writer, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">"
                                  "<use xlink:href=\"#m\"/></svg>\n",
                          left, row->at, width, height, row->left, row->top, width, height);
}

static pf_err put_machine(const automaton_picture *picture, pf_writer *writer) {
    PF_TRY(put_edges(picture, writer));
    PF_TRY(put_grounds(picture, writer));
    PF_TRY(put_labels(picture, writer));
    return put_states(picture, writer);
}

/* `xlink:href`, which SVG 2 calls `href`, is what all viewers know. */
static pf_err put_picture(const automaton_picture *picture, pf_writer *writer) {
    PF_TRY(put_head(picture, writer));
    if (picture->row.n) PF_TRY(pf_writer_text(writer, "<defs><g id=\"m\">\n"));
    PF_TRY(put_machine(picture, writer));
    if (picture->row.n) PF_TRY(pf_writer_text(writer, "</g></defs>\n<g xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"));
    for (size_t i = 0; i < picture->row.n; i++) PF_TRY(put_row(picture, writer, &picture->row.at[i]));
    if (picture->row.n) PF_TRY(pf_writer_text(writer, "</g>\n"));
    return pf_svg_end(writer);
}

static pf_err draw(automaton_picture *picture, pf_writer *writer) {
    PF_TRY(pf_writer_memory(&picture->text));
    PF_TRY(pf_writer_memory(&picture->names));
    PF_TRY(lay_out(picture));
    return put_picture(picture, writer);
}

pf_err pf_draw_automaton(pf_writer *writer, pf_fst *fst, const pf_draw_options *options) {
    pfi_shown_machine shown;
    automaton_picture picture = {.shown = &shown};
    pf_err err = pfi_machine_show(fst, options, &shown);
    if (!err) err = draw(&picture, writer);
    pf_writer_free(picture.text);
    pf_writer_free(picture.names);
    free(picture.begin);
    free(picture.name_begin);
    free(picture.label_width);
    free(picture.state);
    free(picture.label);
    free(picture.x);
    free(picture.column_width);
    PF_VEC_FREE(&picture.row);
    pfi_layout_free(&picture.layout);
    pfi_shown_machine_free(&shown);
    return err;
}
