/* The sentence, its new order, and a line from each word to itself. A short sentence stands above its order, as it is read. A
 * sentence that would be wider than a page stands beside it, one word below the other: so 80 words have the height of a page, and
 * none of them is turned. O(bytes that are written). */
#include <permfst/draw/order.h>

#include <permfst/draw/svg.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Pixels; UPPER: where the words of the upper row stand; LINE: from one word to the next below; NUMBER: the room of a position. */
enum { SIZE = 15, GAP = 18, MARGIN = 20, UPPER = 52, NARROW = 14, PAGE = 1200, LINE = 18, NUMBER = 34 };

typedef struct {
    const pf_order_shown *shown;
    bool beside;        /* words stand one below the other */
    int *source, *order; /* the middle of each position, and of each step: along the row or the column that they stand in */
    int width, height;
    int first, second;  /* where lines begin, and where they end: across */
} order_picture;

/* A word without output has a dash. */
static const char *words_of(const pf_order_shown *shown, unsigned step, size_t *length) {
    const char *words = pf_order_words(shown, step, length);
    if (*length) return words;
    *length = sizeof "\xe2\x80\x93" - 1;
    return "\xe2\x80\x93";
}

static int width_of(const pf_order_shown *shown, unsigned step) {
    size_t length;
    const char *words = words_of(shown, step, &length);
    int width = pf_text_width(words, length, SIZE);
    return shown->block[step] ? width + width / 8 : width; /* bold */
}

/* ---- where things are ---- */

/* The middles of a row, each place of which has the words of step of[place]; NULL: of the step with its number. */
static int lay_row(const pf_order_shown *shown, const unsigned *of, int *middle) {
    int at = MARGIN;
    for (unsigned place = 0; place < shown->n; place++) {
        int width = width_of(shown, of ? of[place] : place);
        if (width < NARROW) width = NARROW;
        middle[place] = at + width / 2;
        at += width + GAP;
    }
    return at - (shown->n ? GAP : 0) + MARGIN;
}

static void lay_rows(order_picture *picture) {
    const pf_order_shown *shown = picture->shown;
    picture->width = lay_row(shown, shown->step, picture->source);
    picture->width = lay_row(shown, NULL, picture->order);
    int below = UPPER + SIZE + 80 + (shown->n < 40 ? 4 * (int)shown->n : 160);
    picture->height = below + SIZE + MARGIN;
    picture->first = UPPER + 8;
    picture->second = below - SIZE - 3;
}

static void lay_columns(order_picture *picture) {
    const pf_order_shown *shown = picture->shown;
    int widest = NARROW;
    for (unsigned step = 0; step < shown->n; step++) {
        int width = width_of(shown, step);
        if (width > widest) widest = width;
        picture->source[step] = picture->order[step] = MARGIN + LINE * (int)step + LINE / 2;
    }
    picture->beside = true;
    picture->first = MARGIN + NUMBER + widest + 8;
    picture->second = picture->first + 240 + (shown->n < 80 ? 2 * (int)shown->n : 160);
    picture->width = picture->second + 8 + widest + NUMBER + MARGIN;
    picture->height = 2 * MARGIN + LINE * (int)shown->n;
}

/* ---- lines and words ---- */

static pf_err put_line(const order_picture *picture, pf_writer *writer, unsigned step) {
    unsigned block = picture->shown->block[step];
    assert(picture->shown->step[picture->shown->order[step]] == step);
    int begin = picture->first, end = picture->second, middle = (begin + end) / 2;
    int from = picture->source[picture->shown->order[step]], to = picture->order[step];
    PF_TRY(picture->beside
           ? pf_writer_text(writer, "<path d=\"M%d %dC%d %d %d %d %d %d\"", begin, from, middle, from, middle, to, end, to)
           : pf_writer_text(writer, "<path d=\"M%d %dC%d %d %d %d %d %d\"", from, begin, from, middle, to, middle, to, end));
    if (!block) return pf_writer_text(writer, "/>\n");
    return pf_writer_text(writer, " stroke=\"%s\" stroke-width=\"3\" stroke-dasharray=\"%s\"/>\n", pf_svg_colour(block - 1),
                          pf_svg_dash(block - 1));
}

/* A word of the sentence, or of its new order, with the number of its position. `at` is its middle. */
static pf_err put_word(const order_picture *picture, pf_writer *writer, bool source, int at, unsigned step) {
    unsigned block = picture->shown->block[step], number = picture->shown->order[step] + 1;
    size_t length;
    const char *words = words_of(picture->shown, step, &length);
    int x = picture->beside ? (source ? picture->first - 8 : picture->second + 8) : at;
    int y = picture->beside ? at + SIZE / 3 : source ? UPPER : picture->second + SIZE + 3;
    const char *side = !picture->beside ? "" : source ? "s" : "t";
    PF_TRY(pf_writer_text(writer, "<text x=\"%d\" y=\"%d\"", x, y));
    if (block) PF_TRY(pf_writer_text(writer, " class=\"%s%sm\" style=\"fill:%s\">", side, *side ? " " : "",
                                     pf_svg_ink(block - 1)));
    else PF_TRY(*side ? pf_writer_text(writer, " class=\"%s\">", side) : pf_writer_put(writer, ">", 1));
    PF_TRY(pf_svg_escape(writer, words, length));
    if (picture->beside) x = source ? MARGIN + NUMBER - 12 : picture->width - MARGIN - NUMBER + 12;
    else y = source ? y - SIZE - 3 : y + SIZE;
    return pf_writer_text(writer, "</text>\n<text x=\"%d\" y=\"%d\" class=\"%s%sp\">%u</text>\n", x, y, side, *side ? " " : "",
                          number);
}

static pf_err put_words(const order_picture *picture, pf_writer *writer) {
    const pf_order_shown *shown = picture->shown;
    for (unsigned position = 0; position < shown->n; position++)
        PF_TRY(put_word(picture, writer, true, picture->source[position], shown->step[position]));
    for (unsigned step = 0; step < shown->n; step++) PF_TRY(put_word(picture, writer, false, picture->order[step], step));
    return PF_OK;
}

/* ---- for screen readers ---- */

static pf_err put_sentence(const pf_order_shown *shown, const unsigned *of, pf_writer *writer) {
    for (unsigned place = 0; place < shown->n; place++) {
        size_t length;
        const char *words = pf_order_words(shown, of ? of[place] : place, &length);
        if (!length) continue;
        if (place) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(pf_svg_escape(writer, words, length));
    }
    return PF_OK;
}

static pf_err put_moves(const pf_order_shown *shown, pf_writer *writer) {
    unsigned moved = 0;
    for (unsigned step = 0; step < shown->n; step++) moved += shown->block[step] > 0;
    PF_TRY(pf_writer_text(writer, ". %u of %u words moved%s", moved, shown->n, moved ? ": " : "."));
    for (unsigned step = 0, first = 1; step < shown->n; step++) {
        size_t length;
        const char *words = words_of(shown, step, &length);
        if (!shown->block[step]) continue;
        if (!first) PF_TRY(pf_writer_put(writer, ", ", 2));
        first = 0;
        PF_TRY(pf_svg_escape(writer, words, length));
        PF_TRY(pf_writer_text(writer, " from %u to %u", shown->order[step] + 1, step + 1));
    }
    return moved ? pf_writer_put(writer, ".", 1) : PF_OK;
}

static pf_err put_head(const order_picture *picture, double cost, pf_writer *writer) {
    const pf_order_shown *shown = picture->shown;
    PF_TRY(pf_svg_begin(writer, picture->width, picture->height));
    PF_TRY(pf_writer_text(writer, "Order: "));
    PF_TRY(put_sentence(shown, NULL, writer));
    PF_TRY(pf_svg_describe(writer));
    PF_TRY(pf_writer_text(writer,
                          "%s the sentence, %s its new order, which costs %.6g, with a line from each word to itself. "
                          "The lines of words that moved are thick. The sentence: ", picture->beside ? "Left" : "Above",
                          picture->beside ? "right" : "below", cost));
    PF_TRY(put_sentence(shown, shown->step, writer));
    PF_TRY(put_moves(shown, writer));
    return pf_svg_style(writer, picture->beside ? ".m{font-weight:bold}.p{font-size:11px;fill:#555555}.s{text-anchor:end}"
                                                  ".t{text-anchor:start}"
                                                : ".m{font-weight:bold}.p{font-size:11px;fill:#555555}");
}

/* ---- the whole ---- */

static pf_err draw(order_picture *picture, double cost, pf_writer *writer) {
    const pf_order_shown *shown = picture->shown;
    picture->source = calloc(2 * (size_t)shown->n + 1, sizeof *picture->source);
    if (!picture->source) return pf_nomem();
    picture->order = picture->source + shown->n;
    lay_rows(picture);
    if (picture->width > PAGE) lay_columns(picture);
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
    free(picture.source);
    pf_order_shown_free(&shown);
    return err;
}
