/* The binary body of an n-gram model. All numbers are little-endian.
 *
 *   u32 version (3), u32 order, u64 n-grams listed of each length, u32 states of each length 0 .. order - 1, u32 arcs,
 *   u32 words, each word (int32 length, bytes), zero bytes up to a multiple of 4,
 *   f32 back-off costs of the states, f32 costs of the arcs,
 *   and in as few bits as the largest number needs (packed.h): 0 and, by state, where its arcs end; back-off states; the words of
 *   arcs; the next states of arcs, but for those of the states of length order - 1.
 *
 * Tables are used where they lie, if they lie in bytes that stay, and those of costs are aligned. Else reading takes them in bulk,
 * and grows them with what comes, whatever the counts claim. It checks every number: what it accepts is a model on which scoring
 * ends and stays within its arrays. */
#include "model/ngram_impl.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 3, STRIDE = 1 << 16, MOST_EXPECTED = 1 << 16 /* words: a damaged number takes no more room */ };

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { LITTLE = 1 };
#else
enum { LITTLE = 0 };
#endif

static pf_err put32(pf_writer *writer, const void *at, size_t count) {
    if (LITTLE) return pf_writer_put(writer, at, 4 * count);
    const unsigned char *bytes = at;
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, bytes + 4 * i, 4);
        PF_TRY(pf_writer_u32(writer, value));
    }
    return PF_OK;
}

static const unsigned char padding[4];

/* Zero bytes after this many others. */
static size_t padding_after(size_t bytes) { return (sizeof padding - bytes % sizeof padding) % sizeof padding; }

static pf_err put_words(pf_writer *writer, const pf_symtab *words) {
    size_t bytes = 0;
    PF_TRY(pf_writer_u32(writer, (uint32_t)pf_symtab_count(words)));
    for (size_t i = 0; i < pf_symtab_count(words); i++) {
        size_t length;
        const char *word = pf_symtab_at(words, i, &length, NULL);
        PF_TRY(pf_writer_string(writer, word, length));
        bytes += length;
    }
    return pf_writer_put(writer, padding, padding_after(bytes));
}

pf_err pfi_ngram_write(const void *self, pf_writer *writer) {
    const pfi_ngram *model = self;
    PF_TRY(pf_writer_u32(writer, VERSION));
    PF_TRY(pf_writer_u32(writer, (uint32_t)model->count.n));
    for (size_t k = 0; k < model->count.n; k++) PF_TRY(pf_writer_u64(writer, model->count.at[k]));
    for (size_t k = 0; k < model->count.n; k++)
        PF_TRY(pf_writer_u32(writer, model->level.at[k] - (k ? model->level.at[k - 1] : 0)));
    PF_TRY(pf_writer_u32(writer, (uint32_t)pfi_ngram_arcs(model)));
    PF_TRY(put_words(writer, model->words));
    PF_TRY(put32(writer, model->back.at, model->back.n));
    PF_TRY(put32(writer, model->cost.at, model->cost.n));
    PF_TRY(pfi_packed_write(&model->first, writer));
    PF_TRY(pfi_packed_write(&model->fail, writer));
    PF_TRY(pfi_packed_write(&model->word, writer));
    return pfi_packed_write(&model->to, writer);
}

static void to_native(unsigned char *at, size_t count) {
    for (; !LITTLE && count; count--, at += 4) {
        uint32_t value = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        memcpy(at, &value, 4);
    }
}

/* `total` numbers of 4 bytes into the vector {at, n, cap}. */
static pf_err get32(pf_reader *reader, void *at, size_t *count, size_t *cap, size_t total, const char *what) {
    while (*count < total) {
        size_t more = total - *count < STRIDE ? total - *count : STRIDE;
        unsigned char *bytes;
        PF_TRY(pf_vec_reserve(at, cap, *count + more, 4));
        memcpy(&bytes, at, sizeof bytes);
        PF_TRY(pf_reader_get(reader, bytes + 4 * *count, 4 * more, what));
        to_native(bytes + 4 * *count, more);
        *count += more;
    }
    return PF_OK;
}

static void keep(pfi_ngram *model, pf_bytes *in) {
    if (!model->placed) model->placed = pf_bytes_ref(in);
}

/* The same for a table that never changes: it stays where it is, if it can be used there. */
static pf_err take32(pf_reader *reader, pfi_ngram *model, void *at, size_t *count, size_t *cap, size_t total, const char *what) {
    pf_bytes *in;
    const void *table = LITTLE && total <= SIZE_MAX / 4 ? pf_reader_in_place(reader, 4 * total, _Alignof(uint32_t), &in) : NULL;
    if (!table) return get32(reader, at, count, cap, total, what);
    keep(model, in);
    memcpy(at, &table, sizeof table);
    *count = total;
    return PF_OK;
}
#define TAKE32(r, model, v, total, what) take32(r, model, &(v)->at, &(v)->n, &(v)->cap, total, what)

static pf_err take_packed(pf_reader *reader, pfi_ngram *model, pfi_packed *table, size_t n, size_t most, const char *what) {
    pf_bytes *in;
    pf_err err = pfi_packed_read(reader, n, (uint32_t)most, what, &in, table);
    if (in) keep(model, in);
    return err;
}

static pf_err get_sizes(pf_reader *reader, pfi_ngram *model, uint32_t *arcs) {
    uint32_t version, order;
    PF_TRY(pf_reader_u32(reader, &version, "the version of an n-gram model"));
    if (version != VERSION)
        return pf_reader_fail(reader, "found an n-gram model of version %u, expected version %d: compile its ARPA text again",
                              version, VERSION);
    PF_TRY(pf_reader_u32(reader, &order, "an order"));
    if (!order) return pf_reader_fail(reader, "expected an order of at least 1, found 0");
    for (uint32_t k = 0; k < order; k++) {
        uint64_t count;
        PF_TRY(pf_reader_u64(reader, &count, "a number of n-grams"));
        PF_TRY(PF_PUSH(&model->count, count));
    }
    PF_TRY(get32(reader, &model->level.at, &model->level.n, &model->level.cap, order, "numbers of states"));
    if (model->level.at[0] != 1) return pf_reader_fail(reader, "expected one empty history, found %u", model->level.at[0]);
    for (uint32_t k = 1; k < order; k++) {
        if (model->level.at[k] >= PF_NO_STATE - model->level.at[k - 1])
            return pf_reader_fail(reader, "the model has too many states");
        model->level.at[k] += model->level.at[k - 1];
    }
    PF_TRY(pf_reader_u32(reader, arcs, "a number of arcs"));
    return *arcs < UINT32_MAX ? PF_OK : pf_reader_fail(reader, "the model has too many arcs");
}

static pf_err skip_padding(pf_reader *reader, size_t n) {
    unsigned char bytes[sizeof padding];
    PF_TRY(pf_reader_get(reader, bytes, n, "the zero bytes after the words"));
    return memcmp(bytes, padding, n) == 0 ? PF_OK : pf_reader_fail(reader, "expected zero bytes after the words");
}

static pf_err get_words(pf_reader *reader, pfi_ngram *model) {
    size_t bytes = 0;
    uint32_t n;
    PF_TRY(pf_reader_u32(reader, &n, "a number of words"));
    if (n > INT32_MAX - 1) return pf_reader_fail(reader, "the model has too many words: %u", n);
    PF_TRY(pf_symtab_new("words", &model->words));
    PF_TRY(pf_symtab_expect(model->words, n < MOST_EXPECTED ? n : MOST_EXPECTED));
    for (uint32_t i = 0; i < n; i++) {
        char *word;
        size_t length;
        pf_label label;
        PF_TRY(pf_reader_string(reader, &word, &length, PF_LINE_LIMIT, "a word"));
        bool sound = length && !memchr(word, 0, length);
        pf_err err = sound ? pf_symtab_add(model->words, word, length, &label) : PF_OK;
        free(word);
        if (err) return err;
        if (!sound || label != (pf_label)i + 1)
            return pf_reader_fail(reader, "word %u is empty, damaged or listed twice", i + 1);
        bytes += length;
    }
    return skip_padding(reader, padding_after(bytes));
}

static pf_err check_cost(const pf_reader *reader, float weight, const char *what) {
    if (weight > -INFINITY) return PF_OK; /* false for NaN too */
    return pf_reader_fail(reader, "expected %s, found %g", what, (double)weight);
}

static pf_err get_costs(pf_reader *reader, pfi_ngram *model, uint32_t arcs) {
    const size_t states = model->level.at[model->level.n - 1];
    PF_TRY(TAKE32(reader, model, &model->back, states, "back-off costs"));
    PF_TRY(TAKE32(reader, model, &model->cost, arcs, "the costs of arcs"));
    for (size_t state = 0; state < states; state++) PF_TRY(check_cost(reader, model->back.at[state], "a back-off cost"));
    for (size_t arc = 0; arc < arcs; arc++) PF_TRY(check_cost(reader, model->cost.at[arc], "a cost"));
    return PF_OK;
}

/* Where the arcs of the states end: in order, and no state has more than there are words. */
static pf_err get_ends(pf_reader *reader, pfi_ngram *model) {
    const size_t states = model->back.n, words = pf_symtab_count(model->words), arcs = pfi_ngram_arcs(model);
    PF_TRY(take_packed(reader, model, &model->first, states + 1, arcs, "where the arcs of states end"));
    uint32_t begin = pfi_ngram_first(model, 0);
    if (begin) return pf_reader_fail(reader, "expected arcs that begin at 0, found %u", begin);
    for (size_t state = 0; state < states; state++) {
        const uint32_t end = pfi_ngram_first(model, state + 1);
        if (!state && end != words) return pf_reader_fail(reader, "expected %zu unigrams, found %u", words, end);
        if (end < begin || end - begin > words)
            return pf_reader_fail(reader, "state %zu: expected at most %zu arcs from %u on, found that they end at %u", state,
                                  words, begin, end);
        begin = end;
    }
    return begin == arcs ? PF_OK : pf_reader_fail(reader, "expected %zu arcs of states, found %u", arcs, begin);
}

static pf_err get_states(pf_reader *reader, pfi_ngram *model) {
    const size_t states = model->back.n;
    PF_TRY(get_ends(reader, model));
    PF_TRY(take_packed(reader, model, &model->fail, states, states - 1, "back-off states"));
    for (size_t state = 0, k = 0; state < states; state++) {
        const pf_state fail = pfi_ngram_fail(model, (pf_state)state);
        while (state >= model->level.at[k]) k++;
        if (fail >= (k ? model->level.at[k - 1] : 1))
            return pf_reader_fail(reader, "state %zu backs off to %u, which is not shorter", state, fail);
    }
    return PF_OK;
}

/* The words of a state's arcs ascend. */
static pf_err check_words(const pf_reader *reader, const pfi_ngram *model, size_t state) {
    const uint32_t words = pfi_ngram_first(model, 1), end = pfi_ngram_first(model, state + 1);
    for (uint32_t arc = pfi_ngram_first(model, state), before = 0; arc < end; arc++) {
        const uint32_t word = pfi_ngram_word(model, arc);
        if (word <= before || word > words)
            return pf_reader_fail(reader, "state %zu: expected a word from %u to %u, found %u", state, before + 1, words, word);
        before = word;
    }
    return PF_OK;
}

/* Where the arcs of one state of length k lead. A longer state is one word longer and entered by one arc, all in their order, so
 * that the histories are a tree. */
static pf_err check_next(const pf_reader *reader, const pfi_ngram *model, size_t state, size_t k, uint32_t *next) {
    const uint32_t longer = model->level.at[k], limit = model->level.at[k + 1], end = pfi_ngram_first(model, state + 1);
    for (uint32_t arc = pfi_ngram_first(model, state); arc < end; arc++) {
        const pf_state to = pfi_ngram_to(model, (pf_state)state, arc);
        if (to >= longer && (to >= limit || to != (*next)++))
            return pf_reader_fail(reader, "state %zu: an arc leads to state %u out of order", state, to);
    }
    return PF_OK;
}

static pf_err get_arcs(pf_reader *reader, pfi_ngram *model) {
    const size_t states = pfi_ngram_states(model), longest = model->level.n - 1;
    uint32_t next = 1;
    PF_TRY(take_packed(reader, model, &model->word, pfi_ngram_arcs(model), pf_symtab_count(model->words), "the words of arcs"));
    PF_TRY(take_packed(reader, model, &model->to, pfi_ngram_inner_arcs(model), states - 1, "the next states of arcs"));
    for (size_t state = 0, k = 0; state < states; state++) {
        while (state >= model->level.at[k]) k++;
        PF_TRY(check_words(reader, model, state));
        if (k < longest) PF_TRY(check_next(reader, model, state, k, &next));
    }
    return next == states ? PF_OK : pf_reader_fail(reader, "expected %zu states on arcs, found %u", states, next);
}

/* No more n-grams than arcs; the unigrams are the words, but for an <unk> that was not listed. */
static pf_err check_counts(const pf_reader *reader, const pfi_ngram *model) {
    const uint32_t words = pfi_ngram_first(model, 1);
    uint64_t left = pfi_ngram_arcs(model);
    for (size_t k = 0; k < model->count.n; k++) {
        if (model->count.at[k] > left) return pf_reader_fail(reader, "the model has more n-grams than arcs");
        left -= model->count.at[k];
    }
    if (model->count.at[0] == words || model->count.at[0] + 1 == words) return PF_OK;
    return pf_reader_fail(reader, "expected %u unigrams, found %llu", words, (unsigned long long)model->count.at[0]);
}

static pf_err read_into(pf_reader *reader, pfi_ngram *model) {
    uint32_t arcs;
    PF_TRY(get_sizes(reader, model, &arcs));
    PF_TRY(get_words(reader, model));
    PF_TRY(get_costs(reader, model, arcs));
    PF_TRY(get_states(reader, model));
    PF_TRY(get_arcs(reader, model));
    PF_TRY(check_counts(reader, model));
    if (!pfi_ngram_marks(model)) return pf_reader_fail(reader, "expected </s> and <unk> among the words");
    return PF_OK;
}

pf_err pfi_ngram_read(pf_reader *reader, void **self) {
    pfi_ngram *model;
    PF_TRY(pfi_ngram_new(&model));
    pf_err err = read_into(reader, model);
    if (!err) err = pfi_ngram_mark_longer(model);
    if (err) pfi_ngram_free(model);
    else *self = model;
    return err;
}
