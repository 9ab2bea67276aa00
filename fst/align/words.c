/* The line is split byte by byte; nothing is copied. */
#include <permfst/align/words.h>

#include <permfst/permute/input.h>

#include <stdbool.h>
#include <string.h>

static bool blank(char c) { return c == ' ' || c == '\t'; }

pf_err pf_words_split(const pf_reader *reader, const char *line, size_t length, pf_words *words) {
    const char *at = line, *end = line + length;
    words->n = 0;
    if (memchr(line, 0, length)) return pf_reader_fail_line(reader, "expected text, found a NUL byte");
    for (;;) {
        while (at < end && blank(*at)) at++;
        if (at == end) return PF_OK;
        const char *word = at;
        while (at < end && !blank(*at)) at++;
        if (words->n == PF_MAX_WORDS)
            return pf_reader_fail_line(reader, "expected at most %u words, found more", PF_MAX_WORDS);
        PF_TRY(PF_PUSH(words, ((pf_word){word, (size_t)(at - word)})));
    }
}

pf_err pf_words_write(pf_writer *writer, const pf_words *words) {
    for (size_t at = 0; at < words->n; at++) {
        if (at) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(pf_writer_put(writer, words->at[at].at, words->at[at].n));
    }
    return PF_OK;
}
