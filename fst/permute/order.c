/* The words are counted first, as the count is the range of the numbers. O(bytes). */
#include <permfst/permute/order.h>

#include <permfst/base/digits.h>
#include <permfst/base/word.h>
#include <permfst/machine/fst.h>

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

static pf_err count_words(const char *line, const char *end, unsigned *out) {
    pf_word word;
    for (*out = 0; pf_word_next(&line, end, &word); ++*out)
        if (*out == PF_MAX_WORDS) return pf_fail(PF_EINPUT, "expected at most %u positions, found more", PF_MAX_WORDS);
    return PF_OK;
}

static pf_err read_number(unsigned base, const pf_word *word, unsigned length, unsigned *out) {
    uint64_t number;
    if (!pf_digits(word->at, word->n, &number) || number < base || number - base >= length)
        return pf_fail(PF_EINPUT, "expected a number from %u to %u (--base=%u), found '%.*s'", base, length - 1 + base,
            base, (int)(word->n < 40 ? word->n : 40), word->at);
    *out = (unsigned)(number - base);
    return PF_OK;
}

pf_err pf_visit_order_read(const char *line, unsigned base, pf_visit_order *out) {
    const char *end = line + strlen(line);
    unsigned number = 0, i = 0;
    *out = (pf_visit_order){0};
    PF_TRY(count_words(line, end, &out->n));
    out->order = calloc((size_t)out->n + 1, sizeof *out->order);
    out->place = malloc(((size_t)out->n + 1) * sizeof *out->place);
    if (!out->order || !out->place) return pf_nomem();
    for (unsigned k = 0; k < out->n; k++) out->place[k] = NOWHERE;
    for (pf_word word; pf_word_next(&line, end, &word); out->order[i++] = number) {
        PF_TRY(read_number(base, &word, out->n, &number));
        if (out->place[number] != NOWHERE)
            return pf_fail(PF_EINPUT, "expected each number from %u to %u once, found %.*s twice", base, out->n - 1 + base,
                           (int)word.n, word.at);
        out->place[number] = i;
    }
    return PF_OK;
}

void pf_visit_order_free(pf_visit_order *order) {
    free(order->order);
    free(order->place);
    *order = (pf_visit_order){0};
}

pf_err pf_visit_order_write(pf_writer *writer, const unsigned *order, unsigned length, unsigned base) {
    for (unsigned i = 0; i < length; i++) PF_TRY(pf_writer_text(writer, i ? " %u" : "%u", order[i] + base));
    return PF_OK;
}
