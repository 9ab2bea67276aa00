/* GIZA++'s A3.final (Och and Ney 2003): three lines a pair.
 *
 *   # Sentence pair (1) source length 2 target length 3 alignment score : 0.001
 *   das ist gut
 *   NULL ({ }) that ({ 1 }) suits ({ 2 3 })
 *
 * The words of the third line are the sources, those of the second the targets; numbers are target positions from 1. A word
 * may look like a bracket, so what a token is follows from its place. */
#include "align/align_impl.h"

#include <permfst/permute/input.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t number;
    uint32_t n_source, n_target; /* PF_UNKNOWN_LENGTH: not said */
    double score;
} a3_heading;

static bool is(const pf_word *word, const char *text) { return word->n == strlen(text) && memcmp(word->at, text, word->n) == 0; }

/* The number after `name`, if the heading has it; PF_MAX_WORDS + 1 for larger numbers. */
static uint32_t named_length(const char *line, const char *name) {
    const char *at = strstr(line, name);
    uint64_t value;
    if (!at) return PF_UNKNOWN_LENGTH;
    at = pfi_align_skip(at + strlen(name));
    return pf_digits_take(&at, &value) ? (uint32_t)(value <= PF_MAX_WORDS ? value : PF_MAX_WORDS + 1) : PF_UNKNOWN_LENGTH;
}

static double named_score(const char *line) {
    const char *at = strstr(line, "alignment score :");
    char *end;
    if (!at) return NAN;
    at = pfi_align_skip(at + strlen("alignment score :"));
    double score = strtod(at, &end);
    return end == at || !isfinite(score) ? NAN : score;
}

static pf_err read_heading(const pf_align_reader *reader, const char *line, size_t length, a3_heading *heading) {
    static const char begin[] = "# Sentence pair (";
    const char *at = line + sizeof begin - 1;
    bool begins = strncmp(line, begin, sizeof begin - 1) == 0;
    if (!begins || !pf_digits_take(&at, &heading->number) || *at != ')' || strlen(line) != length)
        return pf_reader_fail_line(reader->reader, "expected '# Sentence pair (%llu) ...', found '%.60s'",
                                   (unsigned long long)reader->number, line);
    if (heading->number != reader->number)
        return pf_reader_fail_line(reader->reader, "expected sentence pair %llu, found %llu", (unsigned long long)reader->number,
                                   (unsigned long long)heading->number);
    heading->n_source = named_length(line, "source length");
    heading->n_target = named_length(line, "target length");
    heading->score = named_score(line);
    return PF_OK;
}

/* Another of the three lines of a pair. */
static pf_err read_line(const pf_align_reader *reader, const char *what, char **line, size_t *length) {
    PF_TRY(pf_reader_line(reader->reader, line, length));
    if (*line) return PF_OK;
    return pf_reader_fail_line(reader->reader, "expected the %s of sentence pair %llu after this line, found the end", what,
                               (unsigned long long)reader->number);
}

/* The line is copied, because the next one overwrites it in the reader. */
static pf_err read_target(pf_align_reader *reader) {
    char *line;
    size_t length;
    PF_TRY(read_line(reader, "target words", &line, &length));
    reader->target_line.n = 0;
    PF_TRY(PF_ROOM(&reader->target_line, length + 1));
    memcpy(reader->target_line.at, line, length + 1);
    return pf_words_split(reader->reader, reader->target_line.at, length, &reader->target);
}

static pf_err check_length(const pf_align_reader *reader, const char *what, size_t found, uint32_t said,
    uint32_t *length) {
    if (said != PF_UNKNOWN_LENGTH && said != found)
        return pf_reader_fail_line(reader->reader,
            "expected a %s of %s%u words, as the first line of the pair says, found %zu", what,
            said > PF_MAX_WORDS ? "more than " : "", said > PF_MAX_WORDS ? PF_MAX_WORDS : said, found);
    return pfi_align_length(reader->reader, what, (uint32_t)found, length);
}

static pf_err read_position(const pf_align_reader *reader, const pf_word *word, size_t source, pf_alignment *links) {
    const char *at = word->at;
    uint64_t target;
    if (!pf_digits_take(&at, &target) || at != word->at + word->n || !target)
        return pf_reader_fail_line(reader->reader, "expected a target position or '})' after source word %zu, found '%.*s'",
                                   source, (int)(word->n < 40 ? word->n : 40), word->at);
    if (source) return pfi_align_add(reader->reader, links, source - 1, target - 1, false, NAN, 1);
    if (target <= links->n_target) return PF_OK;
    return pf_reader_fail_line(reader->reader, "NULL with target word %.*s is past the end: the target has %u words",
                               (int)(word->n < 40 ? word->n : 40), word->at, links->n_target);
}

/* "word ({ 1 3 })" from token *at on; the word is source `source`, 0 for NULL. */
static pf_err read_group(pf_align_reader *reader, size_t *at, size_t source, pf_alignment *links) {
    const pf_words *words = &reader->words;
    if (!source && !is(&words->at[*at], "NULL"))
        return pf_reader_fail_line(reader->reader, "expected NULL ({ ... }) before the source words");
    if (source) PF_TRY(PF_PUSH(&reader->source, words->at[*at]));
    if (++*at == words->n || !is(&words->at[*at], "({"))
        return pf_reader_fail_line(reader->reader, "expected '({' after source word %zu", source);
    while (++*at < words->n && !is(&words->at[*at], "})")) PF_TRY(read_position(reader, &words->at[*at], source, links));
    if (*at == words->n)
        return pf_reader_fail_line(reader->reader, "expected '})' after source word %zu, found the end of the line", source);
    ++*at;
    return PF_OK;
}

static pf_err read_source(pf_align_reader *reader, pf_alignment *links) {
    char *line;
    size_t length, i = 0, count = 0;
    PF_TRY(read_line(reader, "alignment", &line, &length));
    PF_TRY(pf_words_split(reader->reader, line, length, &reader->words));
    reader->source.n = 0;
    do {
        if (i == reader->words.n) return pf_reader_fail_line(reader->reader, "expected NULL ({ ... }) and the source words");
        PF_TRY(read_group(reader, &i, count++, links));
    } while (i < reader->words.n);
    return PF_OK;
}

pf_err pfi_align_a3(pf_align_reader *reader, pf_alignment *links, bool *more) {
    a3_heading heading = {0};
    char *line;
    size_t length;
    PF_TRY(pf_reader_line(reader->reader, &line, &length));
    *more = line != NULL;
    if (!line) return PF_OK;
    PF_TRY(read_heading(reader, line, length, &heading));
    PF_TRY(read_target(reader));
    PF_TRY(check_length(reader, "target", reader->target.n, heading.n_target, &links->n_target));
    PF_TRY(read_source(reader, links));
    PF_TRY(check_length(reader, "source", reader->source.n, heading.n_source, &links->n_source));
    links->score = heading.score;
    return PF_OK;
}
