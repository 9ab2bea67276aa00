/* Links are sorted by source, then by target, so one walk over them fills the rows. */
#include <permfst/align/draw.h>

#include <permfst/draw/svg.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NUMBER_BYTES = 12 };

typedef struct {
    const pf_alignment *links;
    const pf_align_pair *pair;
    uint32_t sources, targets;
} drawn_pair;

static pf_err show(const pf_alignment *links, const pf_align_pair *pair, drawn_pair *out) {
    *out = (drawn_pair){links, pair, pf_alignment_sources(links), pf_alignment_targets(links)};
    if (pair->source && pair->source->n > out->sources) out->sources = (uint32_t)pair->source->n;
    if (pair->target && pair->target->n > out->targets) out->targets = (uint32_t)pair->target->n;
    uint64_t cells = (uint64_t)out->sources * out->targets;
    if (cells <= PF_DRAW_CELLS) return PF_OK;
    return pf_fail(PF_ELIMIT,
                   "pair %" PRIu64 ": a picture of %" PRIu32 " times %" PRIu32 " words cannot be read; it may have up to %d cells",
                   pair->number, out->sources, out->targets, PF_DRAW_CELLS);
}

/* A word, or its position where there is none; `number` has room for that. */
static pf_word word_of(const pf_words *words, uint32_t position, char number[NUMBER_BYTES]) {
    if (words && position < words->n) return words->at[position];
    return (pf_word){number, (size_t)snprintf(number, NUMBER_BYTES, "%" PRIu32, position)};
}

/* ---- text ---- */

static pf_err put_blanks(pf_writer *writer, unsigned n) { return n ? pf_writer_text(writer, "%*s", (int)n, "") : PF_OK; }

/* The columns of the longest source word, and two more. */
static unsigned margin_of(const drawn_pair *drawn) {
    unsigned most = 0;
    for (uint32_t i = 0; i < drawn->sources; i++) {
        char number[NUMBER_BYTES];
        pf_word word = word_of(drawn->pair->source, i, number);
        unsigned columns = pf_text_columns(word.at, word.n);
        if (columns > most) most = columns;
    }
    return most + 2;
}

static pf_err put_stairs(const drawn_pair *drawn, pf_writer *writer, unsigned margin) {
    for (uint32_t target = 0; target < drawn->targets; target++) {
        char number[NUMBER_BYTES];
        pf_word word = word_of(drawn->pair->target, target, number);
        PF_TRY(put_blanks(writer, margin));
        for (uint32_t k = 0; k < target; k++) PF_TRY(pf_writer_put(writer, "\xe2\x94\x82 ", 4));
        PF_TRY(pf_writer_put(writer, word.at, word.n));
        PF_TRY(pf_writer_put(writer, "\n", 1));
    }
    return PF_OK;
}

static pf_err put_cell(pf_writer *writer, const pf_link *link) {
    if (!link) return pf_writer_put(writer, "\xc2\xb7", 2);
    if (isnan(link->posterior)) return pf_writer_put(writer, link->possible ? "\xe2\x96\xa1" : "\xe2\x96\xa0", 3);
    return pf_writer_text(writer, "%d", link->posterior < 1 ? (int)(10 * link->posterior) : 9);
}

static pf_err put_row(const drawn_pair *drawn, pf_writer *writer, uint32_t source, unsigned margin, size_t *next) {
    char number[NUMBER_BYTES];
    pf_word word = word_of(drawn->pair->source, source, number);
    PF_TRY(pf_writer_put(writer, word.at, word.n));
    PF_TRY(put_blanks(writer, drawn->targets ? margin - pf_text_columns(word.at, word.n) : 0));
    for (uint32_t target = 0; target < drawn->targets; target++) {
        const pf_link *link = *next < drawn->links->link.n ? &drawn->links->link.at[*next] : NULL;
        bool here = link && link->source == source && link->target == target;
        *next += here;
        if (target) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(put_cell(writer, here ? link : NULL));
    }
    return pf_writer_put(writer, "\n", 1);
}

pf_err pf_draw_alignment_text(pf_writer *writer, const pf_alignment *links, const pf_align_pair *pair) {
    drawn_pair drawn;
    size_t next = 0;
    PF_TRY(show(links, pair, &drawn));
    unsigned margin = margin_of(&drawn);
    PF_TRY(put_stairs(&drawn, writer, margin));
    for (uint32_t i = 0; i < drawn.sources; i++) PF_TRY(put_row(&drawn, writer, i, margin, &next));
    return PF_OK;
}

/* ---- SVG ---- */

/* Pixels; every RULED-th line is dark; a side of more than LARGE words has the words of the other one at both ends. */
enum { SIZE = 14, CELL = 22, MARGIN = 16, SQUARE = 14, RULED = 5, LARGE = 25 };

typedef struct {
    const drawn_pair *drawn;
    int left, top; /* of the matrix */
    int width, height;
} matrix_picture;

static int widest(const pf_words *words, uint32_t n) {
    int most = 0;
    for (uint32_t i = 0; i < n; i++) {
        char number[NUMBER_BYTES];
        pf_word word = word_of(words, i, number);
        int width = pf_text_width(word.at, word.n, SIZE);
        if (width > most) most = width;
    }
    return most;
}

/* Target words rise to the right at 60 degrees, whose cosine is 0.5 and whose sine is below 0.87. Below they rise to their
 * columns. */
static void place(matrix_picture *picture) {
    const drawn_pair *drawn = picture->drawn;
    int sources = widest(drawn->pair->source, drawn->sources), targets = widest(drawn->pair->target, drawn->targets);
    int rise = targets * 87 / 100 + 12, run = targets / 2;
    bool left = drawn->sources > LARGE && run > sources + 8;
    picture->left = MARGIN + (left ? run : sources + 8);
    picture->top = MARGIN + rise;
    int right = drawn->targets > LARGE && sources + 8 > run ? sources + 8 : run;
    picture->width = picture->left + CELL * (int)drawn->targets + right + MARGIN;
    picture->height = picture->top + CELL * (int)drawn->sources + (drawn->sources > LARGE ? rise : 0) + MARGIN;
}

static pf_err put_word(pf_writer *writer, pf_word word) {
    PF_TRY(pf_svg_escape(writer, word.at, word.n));
    return pf_writer_text(writer, "</text>\n");
}

static pf_err put_source(const matrix_picture *picture, pf_writer *writer, uint32_t i) {
    const drawn_pair *drawn = picture->drawn;
    char number[NUMBER_BYTES];
    pf_word word = word_of(drawn->pair->source, i, number);
    int y = picture->top + CELL * (int)i + CELL / 2 + 5;
    PF_TRY(pf_svg_text(writer, picture->left - 8, y, "s", word.at, word.n));
    if (drawn->targets <= LARGE) return PF_OK;
    return pf_svg_text(writer, picture->left + CELL * (int)drawn->targets + 8, y, "t", word.at, word.n);
}

static pf_err put_target(const matrix_picture *picture, pf_writer *writer, uint32_t j) {
    const drawn_pair *drawn = picture->drawn;
    char number[NUMBER_BYTES];
    pf_word word = word_of(drawn->pair->target, j, number);
    int x = picture->left + CELL * (int)j + CELL / 2;
    PF_TRY(pf_writer_text(writer, "<text class=\"t\" transform=\"translate(%d %d)rotate(-60)\">", x + 4, picture->top - 6));
    PF_TRY(put_word(writer, word));
    if (drawn->sources <= LARGE) return PF_OK;
    PF_TRY(pf_writer_text(writer, "<text class=\"s\" transform=\"translate(%d %d)rotate(-60)\">", x + 4,
                          picture->top + CELL * (int)drawn->sources + 12));
    return put_word(writer, word);
}

static pf_err put_words(const matrix_picture *picture, pf_writer *writer) {
    for (uint32_t i = 0; i < picture->drawn->sources; i++) PF_TRY(put_source(picture, writer, i));
    for (uint32_t j = 0; j < picture->drawn->targets; j++) PF_TRY(put_target(picture, writer, j));
    return PF_OK;
}

/* Lines between rows and columns: all of them, or those after every RULED-th. */
static pf_err put_lines(const matrix_picture *picture, pf_writer *writer, const char *colour, uint32_t step) {
    const drawn_pair *drawn = picture->drawn;
    PF_TRY(pf_writer_text(writer, "<path stroke=\"%s\" fill=\"none\" d=\"", colour));
    for (uint32_t i = 0; i <= drawn->sources; i += step)
        PF_TRY(pf_writer_text(writer, "M%d %dh%d", picture->left, picture->top + CELL * (int)i, CELL * (int)drawn->targets));
    for (uint32_t j = 0; j <= drawn->targets; j += step)
        PF_TRY(pf_writer_text(writer, "M%d %dv%d", picture->left + CELL * (int)j, picture->top, CELL * (int)drawn->sources));
    return pf_writer_text(writer, "\"/>\n");
}

static pf_err put_grid(const matrix_picture *picture, pf_writer *writer) {
    PF_TRY(put_lines(picture, writer, "#cccccc", 1));
    if (picture->drawn->sources <= RULED && picture->drawn->targets <= RULED) return PF_OK;
    return put_lines(picture, writer, "#888888", RULED);
}

static pf_err put_links(const matrix_picture *picture, pf_writer *writer) {
    const pf_alignment *links = picture->drawn->links;
    PF_TRY(pf_writer_text(writer, "<g stroke=\"#000000\" stroke-width=\"1.5\">\n"));
    for (size_t k = 0; k < links->link.n; k++) {
        const pf_link *link = &links->link.at[k];
        double black = isnan(link->posterior) ? !link->possible : link->posterior;
        PF_TRY(pf_writer_text(writer, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill-opacity=\"%.2g\"/>\n",
                              picture->left + CELL * (int)link->target + (CELL - SQUARE) / 2,
                              picture->top + CELL * (int)link->source + (CELL - SQUARE) / 2, SQUARE, SQUARE, black));
    }
    return pf_writer_text(writer, "</g>\n");
}

static pf_err put_head(const matrix_picture *picture, pf_writer *writer) {
    const drawn_pair *drawn = picture->drawn;
    char number[NUMBER_BYTES];
    PF_TRY(pf_svg_begin(writer, picture->width, picture->height));
    PF_TRY(pf_writer_text(writer, "Alignment of pair %" PRIu64 ": %" PRIu32 " source words and %" PRIu32 " target words, %zu links",
                          drawn->pair->number, drawn->sources, drawn->targets, drawn->links->link.n));
    PF_TRY(pf_svg_describe(writer));
    PF_TRY(pf_writer_text(writer, "Rows are source words, columns target words. A black square is a sure link, a white one a "
                                  "possible link, a grey one "
                                  "a link with a posterior. Links:"));
    for (size_t at = 0; at < drawn->links->link.n; at++) {
        const pf_link *link = &drawn->links->link.at[at];
        pf_word word = word_of(drawn->pair->source, link->source, number);
        PF_TRY(pf_writer_text(writer, at ? ", " : " "));
        PF_TRY(pf_svg_escape(writer, word.at, word.n));
        PF_TRY(pf_writer_put(writer, " - ", 3));
        word = word_of(drawn->pair->target, link->target, number);
        PF_TRY(pf_svg_escape(writer, word.at, word.n));
    }
    if (!drawn->links->link.n) PF_TRY(pf_writer_text(writer, " none"));
    return pf_svg_style(writer, ".s,.t{font-size:14px}.s{text-anchor:end}.t{text-anchor:start}");
}

pf_err pf_draw_alignment(pf_writer *writer, const pf_alignment *links, const pf_align_pair *pair) {
    drawn_pair drawn;
    matrix_picture picture = {.drawn = &drawn};
    PF_TRY(show(links, pair, &drawn));
    place(&picture);
    PF_TRY(put_head(&picture, writer));
    PF_TRY(put_grid(&picture, writer));
    PF_TRY(put_links(&picture, writer));
    PF_TRY(put_words(&picture, writer));
    return pf_svg_end(writer);
}
