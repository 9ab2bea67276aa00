/* Leaves stand below, in the order of the source; a node stands above the middle of what it spans, as high as its tree is deep.
 * Where the words would be wider than a page, the tree lies on its side: the leaves stand on the right, one below the other, and
 * the root on the left. O(nodes). */
#include "chart/tree_impl.h"

#include <permfst/draw/order.h>
#include <permfst/draw/svg.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 15, GAP = 20, MARGIN = 24, LEVEL = 40, RADIUS = 12, NARROW = 24, BELOW = 66, PAGE = 1200, LINE = 18, BESIDE = 30,
       NUMBER = 34 }; /* pixels; LINE: from one leaf to the next below; BESIDE: a level of a tree that lies; NUMBER: the room of
                         a position */

typedef struct {
    const pfi_order_tree *tree;
    const pf_order_shown *shown;
    bool positions;
    int *middle;       /* of each position */
    unsigned *height;  /* of each node: of leaves 0 */
    uint32_t *self;    /* of each node: the one that it is drawn as, which is above it where both have the same brackets */
    uint32_t *above;   /* of each node that is drawn as itself: the node that it hangs on */
    bool lies;         /* on its side */
    int width, height_of_all;
    int base;          /* where leaves stand */
    int places;        /* where their places in the new order stand, if it lies */
} tree_picture;

/* ---- where things are ---- */

static void find_heights(tree_picture *picture) {
    for (uint32_t id = 0; id < picture->tree->nodes.n; id++) {
        const pfi_order_node *node = &picture->tree->nodes.at[id];
        for (int side = 0; node->open && side < 2; side++) {
            uint32_t son = side ? node->right : node->left;
            unsigned height = picture->height[son] + (picture->tree->nodes.at[son].open != node->open);
            if (height > picture->height[id]) picture->height[id] = height;
        }
    }
}

static void join_brackets(tree_picture *picture) {
    uint32_t n = (uint32_t)picture->tree->nodes.n;
    if (n) picture->self[n - 1] = picture->above[n - 1] = n - 1;
    for (uint32_t id = n; id-- > 0;) {
        const pfi_order_node *node = &picture->tree->nodes.at[id];
        for (int side = 0; node->open && side < 2; side++) {
            uint32_t son = side ? node->right : node->left;
            picture->above[son] = picture->self[id];
            picture->self[son] = picture->tree->nodes.at[son].open == node->open ? picture->self[id] : son;
        }
    }
}

/* A leaf without output has a dash. */
static const char *words_of(const tree_picture *picture, unsigned position, size_t *length) {
    const char *words = pf_order_words(picture->shown, picture->shown->step[position], length);
    if (*length && !picture->positions) return words;
    *length = picture->positions ? 0 : strlen("\xe2\x80\x93");
    return "\xe2\x80\x93";
}

static int word_width(const tree_picture *picture, unsigned position) {
    size_t length;
    const char *words = words_of(picture, position, &length);
    return pf_text_width(words, length, SIZE);
}

static unsigned tree_height(const tree_picture *picture) {
    return picture->tree->nodes.n ? picture->height[picture->tree->nodes.n - 1] : 0;
}

static void place_upright(tree_picture *picture) {
    int at = MARGIN;
    for (unsigned position = 0; position < picture->shown->n; position++) {
        int width = word_width(picture, position);
        if (width < NARROW) width = NARROW;
        picture->middle[position] = at + width / 2;
        at += width + GAP;
    }
    picture->width = at - (picture->shown->n ? GAP : 0) + MARGIN;
    picture->base = MARGIN + RADIUS + LEVEL * (int)tree_height(picture);
    picture->height_of_all = picture->base + BELOW;
}

static void place_lying(tree_picture *picture) {
    int widest = 0;
    for (unsigned position = 0; position < picture->shown->n; position++) {
        int width = word_width(picture, position);
        if (width > widest) widest = width;
        picture->middle[position] = MARGIN + LINE * (int)position + LINE / 2;
    }
    picture->lies = true;
    picture->base = MARGIN + RADIUS + BESIDE * (int)tree_height(picture);
    picture->places = picture->base + NUMBER + widest + NUMBER;
    picture->width = picture->places + MARGIN;
    picture->height_of_all = 2 * MARGIN + LINE * (int)picture->shown->n;
}

/* Where a node is along the leaves, and across. */
static int along(const tree_picture *picture, uint32_t id) {
    const pfi_order_node *node = &picture->tree->nodes.at[id];
    return (picture->middle[node->begin - 1] + picture->middle[node->end - 2]) / 2;
}
static int across(const tree_picture *picture, uint32_t id) {
    if (picture->lies) return picture->base - BESIDE * (int)picture->height[id];
    return picture->base - (picture->height[id] ? LEVEL * (int)picture->height[id] : SIZE + 4);
}

/* ---- writing ---- */

static bool is_drawn(const tree_picture *picture, uint32_t id) { return picture->self[id] == id; }

static pf_err put_edges(const tree_picture *picture, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "<g fill=\"none\" stroke=\"#555555\" stroke-width=\"1.4\">\n"));
    for (uint32_t id = 0; id + 1 < picture->tree->nodes.n; id++) {
        uint32_t above = picture->above[id];
        int from = along(picture, above), to = along(picture, id), top = across(picture, above), bottom = across(picture, id);
        if (!is_drawn(picture, id)) continue;
        PF_TRY(picture->lies ? pf_writer_text(writer, "<path d=\"M%d %dV%dH%d\"/>\n", top, from, to, bottom)
                             : pf_writer_text(writer, "<path d=\"M%d %dH%dV%d\"/>\n", from, top, to, bottom));
    }
    return pf_writer_text(writer, "</g>\n");
}

static pf_err put_nodes(const tree_picture *picture, pf_writer *writer) {
    for (uint32_t id = 0; id < picture->tree->nodes.n; id++) {
        bool inverted = picture->tree->nodes.at[id].open == '<';
        const int aside = across(picture, id), down = along(picture, id);
        const int x = picture->lies ? aside : down, y = picture->lies ? down : aside;
        if (!picture->tree->nodes.at[id].open || !is_drawn(picture, id)) continue;
        PF_TRY(pf_writer_text(writer, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" stroke=\"#000000\" fill=\"%s\"/>\n", x, y, RADIUS,
                              inverted ? "#000000" : "#ffffff"));
        PF_TRY(pf_svg_text(writer, x, y + 4, inverted ? "i" : "n", inverted ? "< >" : "[ ]", 3));
    }
    return PF_OK;
}

static pf_err put_leaf(const tree_picture *picture, pf_writer *writer, unsigned position) {
    size_t length;
    const char *words = words_of(picture, position, &length);
    int x = picture->middle[position], base = picture->base;
    PF_TRY(pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"p\">%u</text>\n", x, base, position + 1));
    if (length) PF_TRY(pf_svg_text(writer, x, base + SIZE + 3, "w", words, length));
    return pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"s\">%u.</text>\n", x, base + (length ? 2 : 1) * (SIZE + 5),
                          picture->shown->step[position] + 1);
}

static pf_err put_lying_leaf(const tree_picture *picture, pf_writer *writer, unsigned position) {
    size_t length;
    const char *words = words_of(picture, position, &length);
    int y = picture->middle[position] + SIZE / 3;
    PF_TRY(pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"p\">%u</text>\n", picture->base + NUMBER - 9, y, position + 1));
    if (length) PF_TRY(pf_svg_text(writer, picture->base + NUMBER, y, "w", words, length));
    return pf_writer_text(writer, "<text x=\"%d\" y=\"%d\" class=\"s\">%u.</text>\n", picture->places, y,
                          picture->shown->step[position] + 1);
}

static pf_err put_leaves(const tree_picture *picture, pf_writer *writer) {
    for (unsigned position = 0; position < picture->shown->n; position++)
        PF_TRY((picture->lies ? put_lying_leaf : put_leaf)(picture, writer, position));
    return PF_OK;
}

static pf_err put_text(pfi_order_tree *tree, pf_writer *writer) {
    pf_writer *text;
    size_t n = 0;
    PF_TRY(pf_writer_memory(&text));
    pf_err err = tree->nodes.n ? pfi_order_tree_write(tree, text) : PF_OK;
    const char *bytes = (const char *)pf_writer_bytes(text, &n);
    if (!err) err = pf_svg_escape(writer, bytes, n);
    pf_writer_free(text);
    return err;
}

static pf_err put_head(const tree_picture *picture, pfi_order_tree *tree, pf_writer *writer) {
    PF_TRY(pf_svg_begin(writer, picture->width, picture->height_of_all));
    PF_TRY(pf_writer_text(writer, "Tree of an order: "));
    PF_TRY(put_text(tree, writer));
    PF_TRY(pf_svg_describe(writer));
    PF_TRY(pf_writer_text(writer, "The leaves are the %u words of the sentence, each with its position %s it and its place in "
                                  "the new order %s it. A white node [ ] keeps the order of its parts; a black node &lt; &gt; "
                                  "inverts it.",
                          picture->shown->n, picture->lies ? "before" : "above", picture->lies ? "after" : "below"));
    PF_TRY(pf_svg_style(writer, ".p{font-size:11px;fill:#555555}.s{font-size:12px;font-weight:bold}.n,.i{font-size:11px}"
                                ".i{fill:#ffffff}"));
    return picture->lies ? pf_writer_text(writer, "<style>.p,.s{text-anchor:end}.w{text-anchor:start}</style>\n") : PF_OK;
}

/* ---- the whole ---- */

static pf_err draw(tree_picture *picture, pfi_order_tree *tree, pf_writer *writer) {
    size_t nodes = tree->nodes.n;
    picture->middle = calloc((size_t)picture->shown->n + 1, sizeof *picture->middle);
    picture->height = calloc(nodes + 1, sizeof *picture->height);
    picture->self = calloc(nodes + 1, sizeof *picture->self);
    picture->above = calloc(nodes + 1, sizeof *picture->above);
    if (!picture->middle || !picture->height || !picture->self || !picture->above) return pf_nomem();
    find_heights(picture);
    join_brackets(picture);
    place_upright(picture);
    if (picture->width > PAGE) place_lying(picture);
    PF_TRY(put_head(picture, tree, writer));
    PF_TRY(put_edges(picture, writer));
    PF_TRY(put_nodes(picture, writer));
    PF_TRY(put_leaves(picture, writer));
    return pf_svg_end(writer);
}

pf_err pf_draw_itg_tree(pf_writer *writer, const pf_answer *answer, size_t rank, bool positions, bool numeric) {
    assert(rank < answer->paths.n);
    pfi_order_tree tree = {.path = &answer->paths.at[rank], .words = numeric ? NULL : answer->osyms, .positions = positions};
    pf_order_shown shown = {0};
    tree_picture picture = {.tree = &tree, .shown = &shown, .positions = positions};
    pf_err err = pf_order_show(answer, rank, numeric, &shown);
    if (!err) err = pfi_order_tree_read(&tree, answer);
    if (!err) err = draw(&picture, &tree, writer);
    free(picture.middle);
    free(picture.height);
    free(picture.self);
    free(picture.above);
    pf_order_shown_free(&shown);
    pfi_order_tree_free(&tree);
    return err;
}
