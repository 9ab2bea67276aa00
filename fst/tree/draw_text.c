/* A grid of cells, a character each. An arc is a line between two columns at its level, with legs down to its words. A word has
 * three columns for legs: those of arcs to its dependents on the left and on the right, and between them that of the arc to itself,
 * which ends in an arrow. What crosses is drawn as crossing. */
#include "tree/draw_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, ARROW = 16, LETTER = 32 }; /* of a cell; a letter is in the bits above */

typedef struct {
    const pf_tree *tree;
    const unsigned *perm;
    pfi_arcs_drawn arcs;
    unsigned *column; /* of each place: where its word begins; one more for the end */
    unsigned rows, columns;
    unsigned char *lines;     /* of each cell */
    const char **letter;      /* of each cell: a byte sequence of one character, or NULL */
    unsigned char *letters;   /* how many bytes */
} canvas;

static const char *form(const canvas *drawing, unsigned place) { return drawing->tree->word[drawing->perm[place]].form; }
static unsigned middle(const canvas *drawing, unsigned place) {
    unsigned width = columns_of(form(drawing, place));
    return drawing->column[place] + (width > 3 ? width / 2 : 1);
}
static size_t cell(const canvas *drawing, unsigned row, unsigned column) {
    assert(row < drawing->rows && column < drawing->columns);
    return (size_t)row * drawing->columns + column;
}

/* The columns of an arc's ends: the head's leg is beside the middle, on the side of the dependent. */
static unsigned left_end(const canvas *drawing, const pfi_arc_drawn *arc) { return middle(drawing, arc->left) + arc->to_right; }
static unsigned right_end(const canvas *drawing, const pfi_arc_drawn *arc) { return middle(drawing, arc->right) - !arc->to_right; }

/* Words are so far apart that each relation has room on its arc. */
static void place_words(canvas *drawing) {
    unsigned at = 0;
    for (unsigned word = 0; word < drawing->tree->n; word++) {
        drawing->column[word] = at;
        for (unsigned k = 0; k < drawing->arcs.n; k++) { /* arcs that end here */
            const pfi_arc_drawn *arc = &drawing->arcs.arc[k];
            unsigned need = columns_of(arc->relation) + 2;
            if (arc->right != word) continue;
            unsigned room = right_end(drawing, arc) - left_end(drawing, arc);
            if (room < need) drawing->column[word] += need - room;
        }
        unsigned width = columns_of(form(drawing, word));
        at = drawing->column[word] + (width > 3 ? width : 3) + 1;
    }
    drawing->column[drawing->tree->n] = at;
}

static void draw_leg(canvas *drawing, unsigned from_row, unsigned column, bool arrow) {
    for (unsigned row = from_row + 1; row < drawing->rows; row++) drawing->lines[cell(drawing, row, column)] |= UP | DOWN;
    drawing->lines[cell(drawing, from_row, column)] |= DOWN;
    if (arrow) drawing->lines[cell(drawing, drawing->rows - 1, column)] |= ARROW;
}

/* Does a text of this width stand free of legs at a column? */
static bool is_free(const canvas *drawing, unsigned row, unsigned at, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        if (drawing->lines[cell(drawing, row, at + i)] & (UP | DOWN)) return false;
    return true;
}

/* In the middle of the arc, or as near to it as the legs of others leave room. */
static void draw_relation(canvas *drawing, unsigned row, unsigned left, unsigned right, const char *text) {
    unsigned width = columns_of(text), room = right - left - 1;
    unsigned most = room > width ? room - width : 0, middle = left + 1 + most / 2, at = middle;
    for (unsigned off = 0; off <= most / 2 + 1 && width <= room && !is_free(drawing, row, at, width); off++) {
        at = middle;
        if (middle >= left + 1 + off && is_free(drawing, row, middle - off, width)) at = middle - off;
        else if (middle + off + width <= right && is_free(drawing, row, middle + off, width)) at = middle + off;
    }
    while (*text && at < right) {
        size_t length = 1;
        while ((text[length] & 0xc0) == 0x80) length++;
        size_t k = cell(drawing, row, at++);
        if (!(drawing->lines[k] & (UP | DOWN))) {
            drawing->letter[k] = text;
            drawing->letters[k] = (unsigned char)length;
        }
        text += length;
    }
}

/* Legs first, so that the relations do not hide them. */
static void draw_arcs(canvas *drawing) {
    for (unsigned k = 0; k < drawing->arcs.n; k++) {
        const pfi_arc_drawn *arc = &drawing->arcs.arc[k];
        unsigned row = drawing->arcs.levels - arc->level, left = left_end(drawing, arc), right = right_end(drawing, arc);
        draw_leg(drawing, row, left, !arc->to_right);
        draw_leg(drawing, row, right, arc->to_right);
        drawing->lines[cell(drawing, row, left)] |= RIGHT;
        drawing->lines[cell(drawing, row, right)] |= LEFT;
        for (unsigned at = left + 1; at < right; at++) drawing->lines[cell(drawing, row, at)] |= LEFT | RIGHT;
    }
    for (unsigned k = 0; k < drawing->arcs.n; k++) {
        const pfi_arc_drawn *arc = &drawing->arcs.arc[k];
        draw_relation(drawing, drawing->arcs.levels - arc->level, left_end(drawing, arc), right_end(drawing, arc), arc->relation);
    }
}

static pf_err write_row(const canvas *drawing, unsigned row, pf_writer *writer) {
    static const char *const lines[] = {" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
    unsigned end = drawing->columns;
    while (end && !drawing->lines[cell(drawing, row, end - 1)] && !drawing->letter[cell(drawing, row, end - 1)]) end--;
    for (unsigned at = 0; at < end; at++) {
        size_t place = cell(drawing, row, at);
        const char *shown = drawing->lines[place] & ARROW ? "▼" : lines[drawing->lines[place] & 15];
        if (drawing->letter[place]) PF_TRY(pf_writer_put(writer, drawing->letter[place], drawing->letters[place]));
        else PF_TRY(pf_writer_put(writer, shown, strlen(shown)));
    }
    return pf_writer_put(writer, "\n", 1);
}

static pf_err put_blanks(pf_writer *writer, unsigned n) {
    while (n--) PF_TRY(pf_writer_put(writer, " ", 1));
    return PF_OK;
}

static pf_err write_words(const canvas *drawing, pf_writer *writer, const bool *moved) {
    unsigned at = 0;
    for (unsigned word = 0; word < drawing->tree->n; word++) {
        unsigned width = columns_of(form(drawing, word));
        if (moved && !moved[word]) continue;
        PF_TRY(put_blanks(writer, drawing->column[word] - at));
        if (!moved) PF_TRY(pf_writer_put(writer, form(drawing, word), strlen(form(drawing, word))));
        for (unsigned k = 0; moved && k < width; k++) PF_TRY(pf_writer_put(writer, "^", 1));
        at = drawing->column[word] + width;
    }
    return pf_writer_put(writer, "\n", 1);
}

static pf_err paint(canvas *drawing, pf_writer *writer, const bool *moved) {
    place_words(drawing);
    drawing->rows = drawing->arcs.levels + 1;
    drawing->columns = drawing->column[drawing->tree->n] + 1;
    size_t cells = (size_t)drawing->rows * drawing->columns;
    drawing->lines = calloc(cells + 1, 1);
    drawing->letter = calloc(cells + 1, sizeof *drawing->letter);
    drawing->letters = calloc(cells + 1, 1);
    if (!drawing->lines || !drawing->letter || !drawing->letters) return pf_nomem();
    draw_arcs(drawing);
    for (unsigned row = 0; row < drawing->rows && drawing->arcs.n; row++) PF_TRY(write_row(drawing, row, writer));
    PF_TRY(write_words(drawing, writer, NULL));
    return moved ? write_words(drawing, writer, moved) : PF_OK;
}

static pf_err draw(pf_writer *writer, const pf_tree *tree, const unsigned *perm, const bool *moved) {
    canvas drawing = {.tree = tree, .perm = perm};
    PF_TRY(pfi_arcs_of(tree, perm, &drawing.arcs));
    drawing.column = calloc(tree->n + 1, sizeof *drawing.column);
    pf_err err = drawing.column ? paint(&drawing, writer, moved) : pf_nomem();
    free(drawing.arcs.arc);
    free(drawing.column);
    free(drawing.lines);
    free(drawing.letter);
    free(drawing.letters);
    return err;
}

static pf_err draw_both(pf_writer *writer, const pf_tree *tree, const unsigned *perm, unsigned *same, bool *moved) {
    bool changed = false;
    for (unsigned i = 0; i < tree->n; i++) {
        same[i] = i;
        changed = changed || (perm && perm[i] != i);
    }
    PF_TRY(draw(writer, tree, same, NULL));
    if (!changed) return PF_OK;
    PF_TRY(pf_order_moved(perm, tree->n, moved));
    PF_TRY(pf_writer_put(writer, "\n", 1));
    return draw(writer, tree, perm, moved);
}

pf_err pf_tree_draw_text(pf_writer *writer, const pf_tree *tree, const unsigned *perm) {
    unsigned *same = calloc(tree->n + 1, sizeof *same);
    bool *moved = calloc(tree->n + 1, sizeof *moved);
    pf_err err = same && moved ? draw_both(writer, tree, perm, same, moved) : pf_nomem();
    free(same);
    free(moved);
    return err;
}
