/* O(bytes that are written). */
#include <permfst/draw/order.h>

#include <assert.h>

/* Colours of a terminal, after red, which means trouble: blue, magenta, cyan, green, yellow. */
static const int colours[] = {34, 35, 36, 32, 33};

static pf_err put_words(pf_writer *writer, const char *bytes, size_t length) {
    for (size_t at = 0; at < length; at++) {
        if (bytes[at] == '[' || bytes[at] == ']' || bytes[at] == '\\') PF_TRY(pf_writer_put(writer, "\\", 1));
        PF_TRY(pf_writer_put(writer, &bytes[at], 1));
    }
    return PF_OK;
}

/* Is the step the first, or the last, of its block? */
static bool begins(const pf_order_shown *shown, unsigned step) {
    return shown->block[step] && (!step || shown->block[step - 1] != shown->block[step]);
}
static bool ends(const pf_order_shown *shown, unsigned step) {
    return shown->block[step] && (step + 1 == shown->n || shown->block[step + 1] != shown->block[step]);
}

static pf_err put_step(pf_writer *writer, const pf_order_shown *shown, unsigned step, bool colour) {
    size_t length;
    const char *words = pf_order_words(shown, step, &length);
    if (begins(shown, step) && colour)
        PF_TRY(pf_writer_text(writer, "\033[1;%dm", colours[(shown->block[step] - 1) % (sizeof colours / sizeof *colours)]));
    if (begins(shown, step)) PF_TRY(pf_writer_put(writer, "[", 1));
    PF_TRY(put_words(writer, words, length));
    if (ends(shown, step)) PF_TRY(pf_writer_put(writer, "]", 1));
    return ends(shown, step) && colour ? pf_writer_text(writer, "\033[0m") : PF_OK;
}

static pf_err put_range(pf_writer *writer, unsigned first, unsigned length) {
    assert(first && length);
    return length == 1 ? pf_writer_text(writer, "%u", first) : pf_writer_text(writer, "%u-%u", first, first + length - 1);
}

/* Where the blocks came from, and where they went: "6->4, 9-10->2-3". */
static pf_err put_moves(pf_writer *writer, const pf_order_shown *shown) {
    if (!shown->blocks) return pf_writer_text(writer, "unchanged");
    for (unsigned step = 0, end; step < shown->n; step = end) {
        for (end = step + 1; shown->block[step] && !ends(shown, end - 1); end++)
            ;
        if (!shown->block[step]) continue;
        if (shown->block[step] > 1) PF_TRY(pf_writer_put(writer, ", ", 2));
        PF_TRY(put_range(writer, shown->order[step] + 1, end - step));
        PF_TRY(pf_writer_put(writer, "->", 2));
        PF_TRY(put_range(writer, step + 1, end - step));
    }
    return PF_OK;
}

static pf_err put_diff(pf_writer *writer, const pf_order_shown *shown, bool colour) {
    bool space = false;
    for (unsigned step = 0; step < shown->n; step++) {
        size_t length;
        pf_order_words(shown, step, &length);
        if (!length && !shown->block[step]) continue; /* a word without a translation */
        if (space) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(put_step(writer, shown, step, colour));
        space = true;
    }
    PF_TRY(pf_writer_put(writer, "  ", 2));
    return put_moves(writer, shown);
}

pf_err pf_draw_diff(pf_writer *writer, const pf_answer *answer, size_t rank, bool numeric, bool colour) {
    pf_order_shown shown;
    pf_err err = pf_order_show(answer, rank, numeric, &shown);
    if (!err) err = put_diff(writer, &shown, colour);
    pf_order_shown_free(&shown);
    return err;
}
