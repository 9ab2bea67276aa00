/* A grid of cells, a character each. An arc is a line between two columns at its level, with legs down to its words. A word has three
 * columns for legs: those of arcs to its dependents on the left and on the right, and between them that of the arc to itself, which
 * ends in an arrow. What crosses is drawn as crossing. */
#include "tree/draw_impl.h"

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

static const char *form(const canvas *c, unsigned place) { return c->tree->word[c->perm[place]].form; }
static unsigned middle(const canvas *c, unsigned place) {
    unsigned width = columns_of(form(c, place));
    return c->column[place] + (width > 3 ? width / 2 : 1);
}
static size_t cell(const canvas *c, unsigned row, unsigned column) { return (size_t)row * c->columns + column; }

/* The columns of an arc's ends: the head's leg is beside the middle, on the side of the dependent. */
static unsigned left_end(const canvas *c, const pfi_arc_drawn *arc) { return middle(c, arc->left) + arc->to_right; }
static unsigned right_end(const canvas *c, const pfi_arc_drawn *arc) { return middle(c, arc->right) - !arc->to_right; }

/* Words are so far apart that each relation has room on its arc. */
static void place_words(canvas *c) {
    unsigned at = 0;
    for (unsigned i = 0; i < c->tree->n; i++) {
        c->column[i] = at;
        for (unsigned k = 0; k < c->arcs.n; k++) { /* arcs that end here */
            const pfi_arc_drawn *arc = &c->arcs.arc[k];
            unsigned need = columns_of(arc->relation) + 2;
            if (arc->right != i) continue;
            unsigned room = right_end(c, arc) - left_end(c, arc);
            if (room < need) c->column[i] += need - room;
        }
        unsigned width = columns_of(form(c, i));
        at = c->column[i] + (width > 3 ? width : 3) + 1;
    }
    c->column[c->tree->n] = at;
}

static void draw_leg(canvas *c, unsigned from_row, unsigned column, bool arrow) {
    for (unsigned row = from_row + 1; row < c->rows; row++) c->lines[cell(c, row, column)] |= UP | DOWN;
    c->lines[cell(c, from_row, column)] |= DOWN;
    if (arrow) c->lines[cell(c, c->rows - 1, column)] |= ARROW;
}

/* Does a text of this width stand free of legs at a column? */
static bool is_free(const canvas *c, unsigned row, unsigned at, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        if (c->lines[cell(c, row, at + i)] & (UP | DOWN)) return false;
    return true;
}

/* In the middle of the arc, or as near to it as the legs of others leave room. */
static void draw_relation(canvas *c, unsigned row, unsigned left, unsigned right, const char *text) {
    unsigned width = columns_of(text), room = right - left - 1;
    unsigned most = room > width ? room - width : 0, middle = left + 1 + most / 2, at = middle;
    for (unsigned off = 0; off <= most / 2 + 1 && width <= room && !is_free(c, row, at, width); off++) {
        at = middle;
        if (middle >= left + 1 + off && is_free(c, row, middle - off, width)) at = middle - off;
        else if (middle + off + width <= right && is_free(c, row, middle + off, width)) at = middle + off;
    }
    while (*text && at < right) {
        size_t n = 1;
        while ((text[n] & 0xc0) == 0x80) n++;
        size_t k = cell(c, row, at++);
        if (!(c->lines[k] & (UP | DOWN))) {
            c->letter[k] = text;
            c->letters[k] = (unsigned char)n;
        }
        text += n;
    }
}

/* Legs first, so that the relations do not hide them. */
static void draw_arcs(canvas *c) {
    for (unsigned k = 0; k < c->arcs.n; k++) {
        const pfi_arc_drawn *arc = &c->arcs.arc[k];
        unsigned row = c->arcs.levels - arc->level, left = left_end(c, arc), right = right_end(c, arc);
        draw_leg(c, row, left, !arc->to_right);
        draw_leg(c, row, right, arc->to_right);
        c->lines[cell(c, row, left)] |= RIGHT;
        c->lines[cell(c, row, right)] |= LEFT;
        for (unsigned at = left + 1; at < right; at++) c->lines[cell(c, row, at)] |= LEFT | RIGHT;
    }
    for (unsigned k = 0; k < c->arcs.n; k++) {
        const pfi_arc_drawn *arc = &c->arcs.arc[k];
        draw_relation(c, c->arcs.levels - arc->level, left_end(c, arc), right_end(c, arc), arc->relation);
    }
}

static pf_err write_row(const canvas *c, unsigned row, pf_writer *writer) {
    static const char *const lines[] = {" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
    unsigned end = c->columns;
    while (end && !c->lines[cell(c, row, end - 1)] && !c->letter[cell(c, row, end - 1)]) end--;
    for (unsigned at = 0; at < end; at++) {
        size_t k = cell(c, row, at);
        const char *shown = c->lines[k] & ARROW ? "▼" : lines[c->lines[k] & 15];
        if (c->letter[k]) PF_TRY(pf_writer_put(writer, c->letter[k], c->letters[k]));
        else PF_TRY(pf_writer_put(writer, shown, strlen(shown)));
    }
    return pf_writer_put(writer, "\n", 1);
}

static pf_err put_blanks(pf_writer *writer, unsigned n) {
    while (n--) PF_TRY(pf_writer_put(writer, " ", 1));
    return PF_OK;
}

static pf_err write_words(const canvas *c, pf_writer *writer, const bool *moved) {
    unsigned at = 0;
    for (unsigned i = 0; i < c->tree->n; i++) {
        unsigned width = columns_of(form(c, i));
        if (moved && !moved[i]) continue;
        PF_TRY(put_blanks(writer, c->column[i] - at));
        if (!moved) PF_TRY(pf_writer_put(writer, form(c, i), strlen(form(c, i))));
        for (unsigned k = 0; moved && k < width; k++) PF_TRY(pf_writer_put(writer, "^", 1));
        at = c->column[i] + width;
    }
    return pf_writer_put(writer, "\n", 1);
}

static pf_err paint(canvas *c, pf_writer *writer, const bool *moved) {
    place_words(c);
    c->rows = c->arcs.levels + 1;
    c->columns = c->column[c->tree->n] + 1;
    size_t cells = (size_t)c->rows * c->columns;
    c->lines = calloc(cells + 1, 1);
    c->letter = calloc(cells + 1, sizeof *c->letter);
    c->letters = calloc(cells + 1, 1);
    if (!c->lines || !c->letter || !c->letters) return pf_nomem();
    draw_arcs(c);
    for (unsigned row = 0; row < c->rows && c->arcs.n; row++) PF_TRY(write_row(c, row, writer));
    PF_TRY(write_words(c, writer, NULL));
    return moved ? write_words(c, writer, moved) : PF_OK;
}

static pf_err draw(pf_writer *writer, const pf_tree *tree, const unsigned *perm, const bool *moved) {
    canvas c = {.tree = tree, .perm = perm};
    PF_TRY(pfi_arcs_of(tree, perm, &c.arcs));
    c.column = calloc(tree->n + 1, sizeof *c.column);
    pf_err err = c.column ? paint(&c, writer, moved) : pf_nomem();
    free(c.arcs.arc);
    free(c.column);
    free(c.lines);
    free(c.letter);
    free(c.letters);
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
