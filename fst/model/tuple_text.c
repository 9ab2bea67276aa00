/* Writing copies runs of bytes between those that need a backslash. Parsing copies all bytes but the escapes to one place,
 * so that words are as they were; the room is there before the first word points into it. */
#include <permfst/model/tuple_text.h>

#include <stdbool.h>

static bool special(char c) { return c == '\\' || c == '|' || c == '_'; }

/* ---- writing ---- */

static pf_err put_word(pf_writer *writer, const pf_word *word) {
    size_t from = 0;
    for (size_t i = 0; i < word->n; i++) {
        if (!special(word->at[i])) continue;
        PF_TRY(pf_writer_put(writer, word->at + from, i - from));
        PF_TRY(pf_writer_put(writer, "\\", 1));
        from = i;
    }
    return pf_writer_put(writer, word->at + from, word->n - from);
}

static pf_err put_words(pf_writer *writer, const pf_word *word, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        if (i > begin) PF_TRY(pf_writer_put(writer, "_", 1));
        PF_TRY(put_word(writer, &word[i]));
    }
    return PF_OK;
}

pf_err pf_tuple_write(pf_writer *writer, const pf_word *source, size_t n_source, const pf_word *target, size_t n_target) {
    PF_TRY(put_words(writer, source, 0, n_source));
    PF_TRY(pf_writer_put(writer, "|", 1));
    return put_words(writer, target, 0, n_target);
}

/* ---- parsing ---- */

void pf_tuple_words_free(pf_tuple_words *tuple) {
    PF_VEC_FREE(&tuple->source);
    PF_VEC_FREE(&tuple->target);
    PF_VEC_FREE(&tuple->bytes);
}

typedef struct {
    const char *text;
    size_t n;
} text_span;

/* What is wrong with it; long ones are named by their first bytes. */
static pf_err bad(text_span span, const char *what) {
    enum { SHOWN = 80 };
    return pf_fail(PF_EINPUT, "tuple '%.*s%s': %s", (int)(span.n < SHOWN ? span.n : SHOWN), span.text, span.n < SHOWN ? "" : "...",
                   what);
}

/* The bytes from `from` on become a word of the side. */
static pf_err end_word(text_span span, pf_tuple_words *out, pf_words *side, size_t from) {
    if (out->bytes.n == from) return bad(span, "expected a word, found none (a side is empty or has words separated by one _)");
    return PF_PUSH(side, ((pf_word){out->bytes.at + from, out->bytes.n - from}));
}

/* An empty side has no word; any other ends with one. */
static pf_err end_side(text_span span, pf_tuple_words *out, pf_words *side, size_t from) {
    return side->n || out->bytes.n > from ? end_word(span, out, side, from) : PF_OK;
}

pf_err pf_tuple_parse(const char *text, size_t length, pf_tuple_words *out) {
    text_span span = {text, length};
    pf_words *side = &out->source;
    size_t from = 0; /* where the word began */
    out->source.n = out->target.n = out->bytes.n = 0;
    PF_TRY(PF_ROOM(&out->bytes, length ? length : 1));
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '|') {
            if (side == &out->target) return bad(span, "expected one |, found two (\\| is the byte in a word)");
            PF_TRY(end_side(span, out, side, from));
            side = &out->target;
            from = out->bytes.n;
        } else if (text[i] == '_') {
            PF_TRY(end_word(span, out, side, from));
            from = out->bytes.n;
        } else {
            if (text[i] == '\\' && (++i == length || !special(text[i]))) return bad(span, "expected \\, | or _ after a \\");
            out->bytes.at[out->bytes.n++] = text[i];
        }
    }
    if (side == &out->source) return bad(span, "expected a | between source and target, found none");
    PF_TRY(end_side(span, out, side, from));
    return out->source.n + out->target.n ? PF_OK : bad(span, "expected words on at least one side, found none");
}
