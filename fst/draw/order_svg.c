/* Two rows of words, and a line from each word to itself. A column of the upper row is a position, one of the lower row a step.
 * O(bytes that are written). */
#include <permfst/draw/order.h>

#include <permfst/draw/svg.h>

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 15, GAP = 18, MARGIN = 20, UPPER = 52, NARROW = 14 }; /* pixels; UPPER: where the words of the upper row stand */

typedef struct {
    const pf_order_shown *shown;
    int *upper, *lower; /* the middle of each position, and of each step */
    int width, below;   /* where the words of the lower row stand */
} order_picture;

/* A word without output has a dash. */
static const char *words_of(const pf_order_shown *shown, unsigned step, size_t *length) {
    const char *words = pf_order_words(shown, step, length);
    if (*length) return words;
    *length = sizeof "\xe2\x80\x93" - 1;
    return "\xe2\x80\x93";
}

/* The middles of a row, whose place i has the words of step of[i]; NULL: of step i. */
static int lay_row(const pf_order_shown *shown, const unsigned *of, int *middle) {
    int at = MARGIN;
    for (unsigned i = 0; i < shown->n; i++) {
        size_t length;
        const char *words = words_of(shown, of ? of[i] : i, &length);
        int width = pf_text_width(words, length, SIZE);
        if (shown->block[of ? of[i] : i]) width += width / 8; /* bold */
        if (width < NARROW) width = NARROW;
        middle[i] = at + width / 2;
        at += width + GAP;
    }
    return at - (shown->n ? GAP : 0) + MARGIN;
}

static pf_err put_line(const order_picture *picture, pf_writer *writer, unsigned step) {
    unsigned block = picture->shown->block[step];
    int top = UPPER + 8, bottom = picture->below - SIZE - 3, middle = (top + bottom) / 2;
    int from = picture->upper[picture->shown->order[step]], to = picture->lower[step];
    PF_TRY(pf_writer_text(writer, "<path d=\"M%d %dC%d %d %d %d %d %d\"", from, top, from, middle, to, middle, to, bottom));
    if (!block) return pf_writer_text(writer, "/>\n");
    return pf_writer_text(writer, " stroke=\"%s\" stroke-width=\"3\" stroke-dasharray=\"%s\"/>\n", pf_svg_colour(block - 1),
                          pf_svg_dash(block - 1));
}

static pf_err put_word(const order_picture *picture, pf_writer *writer, int x, int y, unsigned step) {
    unsigned block = picture->shown->block[step];
    size_t length;
    const char *words = words_of(picture->shown, step, &length);
    if (block)
        PF_TRY(pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"m\" style=\"fill:%s\">", x, y, pf_svg_colour(block - 1)));
    else PF_TRY(pf_writer_text(writer, "<text x=\"%d\" y=\"%d\">", x, y));
    PF_TRY(pf_svg_escape(writer, words, length));
    return pf_writer_text(writer, "</text>\n<text x=\"%d\" y=\"%d\" class=\"p\">", x, y == UPPER ? y - SIZE - 3 : y + SIZE);
}

static pf_err put_words(const order_picture *picture, pf_writer *writer) {
    const pf_order_shown *shown = picture->shown;
    for (unsigned position = 0; position < shown->n; position++) {
        PF_TRY(put_word(picture, writer, picture->upper[position], UPPER, shown->step[position]));
        PF_TRY(pf_writer_text(writer, "%u</text>\n", position + 1));
    }
    for (unsigned step = 0; step < shown->n; step++) {
        PF_TRY(put_word(picture, writer, picture->lower[step], picture->below, step));
        PF_TRY(pf_writer_text(writer, "%u</text>\n", shown->order[step] + 1));
    }
    return PF_OK;
}

/* ---- for screen readers ---- */

static pf_err put_sentence(const pf_order_shown *shown, const unsigned *of, pf_writer *writer) {
    for (unsigned i = 0; i < shown->n; i++) {
        size_t length;
        const char *words = pf_order_words(shown, of ? of[i] : i, &length);
        if (!length) continue;
        if (i) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(pf_svg_escape(writer, words, length));
    }
    return PF_OK;
}

static pf_err put_moves(const pf_order_shown *shown, pf_writer *writer) {
    unsigned moved = 0;
    for (unsigned t = 0; t < shown->n; t++) moved += shown->block[t] > 0;
    PF_TRY(pf_writer_text(writer, ". %u of %u words moved%s", moved, shown->n, moved ? ": " : "."));
    for (unsigned t = 0, first = 1; t < shown->n; t++) {
        size_t length;
        const char *words = words_of(shown, t, &length);
        if (!shown->block[t]) continue;
        if (!first) PF_TRY(pf_writer_put(writer, ", ", 2));
        first = 0;
        PF_TRY(pf_svg_escape(writer, words, length));
        PF_TRY(pf_writer_text(writer, " from %u to %u", shown->order[t] + 1, t + 1));
    }
    return moved ? pf_writer_put(writer, ".", 1) : PF_OK;
}

static pf_err put_head(const order_picture *picture, double cost, pf_writer *writer) {
    const pf_order_shown *shown = picture->shown;
    PF_TRY(pf_svg_begin(writer, picture->width, picture->below + SIZE + MARGIN));
    PF_TRY(pf_writer_text(writer, "Order: "));
    PF_TRY(put_sentence(shown, NULL, writer));
    PF_TRY(pf_svg_describe(writer));
    PF_TRY(pf_writer_text(writer,
                          "Above the sentence, below its new order, which costs %.6g, with a line from each word to itself. "
                                  "The lines of words that moved are thick. The sentence: ", cost));
    PF_TRY(put_sentence(shown, shown->step, writer));
    PF_TRY(put_moves(shown, writer));
    return pf_svg_style(writer, ".m{font-weight:bold}.p{font-size:11px;fill:#555555}");
}

/* ---- the whole ---- */

static pf_err draw(order_picture *picture, double cost, pf_writer *writer) {
    const pf_order_shown *shown = picture->shown;
    picture->upper = calloc(2 * (size_t)shown->n + 1, sizeof *picture->upper);
    if (!picture->upper) return pf_nomem();
    picture->lower = picture->upper + shown->n;
    picture->width = lay_row(shown, shown->step, picture->upper);
    picture->width = lay_row(shown, NULL, picture->lower);
    picture->below = UPPER + SIZE + 80 + (shown->n < 40 ? 4 * (int)shown->n : 160);
    PF_TRY(put_head(picture, cost, writer));
    PF_TRY(pf_writer_text(writer, "<g fill=\"none\" stroke=\"#999999\" stroke-width=\"1.2\">\n"));
    for (unsigned step = 0; step < shown->n; step++) PF_TRY(put_line(picture, writer, step));
    PF_TRY(pf_writer_text(writer, "</g>\n"));
    PF_TRY(put_words(picture, writer));
    return pf_svg_end(writer);
}

pf_err pf_draw_order(pf_writer *writer, const pf_answer *answer, size_t rank, bool numeric) {
    pf_order_shown shown;
    order_picture picture = {.shown = &shown};
    pf_err err = pf_order_show(answer, rank, numeric, &shown);
    if (!err) err = draw(&picture, answer->paths.at[rank].cost, writer);
    free(picture.upper);
    pf_order_shown_free(&shown);
    return err;
}
