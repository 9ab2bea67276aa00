/* Pharaoh lines, in one pass over the bytes; and the checks that all formats share. */
#include "align/align_impl.h"

#include <permfst/permute/input.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pfi_align_skip(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

bool pfi_align_probability(const char **at, double *out) {
    size_t n = strspn(*at, "0123456789.eE+-");
    char *end;
    if ((**at < '0' || **at > '9') && **at != '.') return false; /* strtod takes signs, blanks and words */
    *out = strtod(*at, &end);
    if (end != *at + n || !(*out <= 1)) return false;
    *at = end;
    return true;
}

static pf_err past_end(const pf_reader *reader, uint64_t source, uint64_t target, unsigned base, const char *what,
                       uint32_t length) {
    unsigned long long i = source + base, j = target + base;
    if (!length) return pf_reader_fail_line(reader, "link %llu-%llu is past the end: the %s has no words", i, j, what);
    if (length == 1)
        return pf_reader_fail_line(reader, "link %llu-%llu is past the end: the %s has one word, %u", i, j, what, base);
    return pf_reader_fail_line(reader, "link %llu-%llu is past the end: the %s has %u words, %u to %u", i, j, what, length,
        base, length - 1 + base);
}

static uint32_t most(uint32_t length) { return length < PF_MAX_WORDS ? length : PF_MAX_WORDS; }

pf_err pfi_align_add(const pf_reader *reader, pf_alignment *links, uint64_t source, uint64_t target, bool possible,
                     double probability, unsigned base) {
    uint64_t past = UINT64_MAX - base; /* what pf_digits_take has read of a number that does not fit */
    if (source >= past || target >= past)
        return pf_reader_fail_line(reader, "the number in a link is too large (above %llu): a sentence has at most %u words",
                                   (unsigned long long)UINT64_MAX - 1, PF_MAX_WORDS);
    if (source >= most(links->n_source) || target >= most(links->n_target)) {
        if (source >= links->n_source && links->n_source != PF_UNKNOWN_LENGTH)
            return past_end(reader, source, target, base, "source", links->n_source);
        if (target >= links->n_target && links->n_target != PF_UNKNOWN_LENGTH)
            return past_end(reader, source, target, base, "target", links->n_target);
        return pf_reader_fail_line(reader, "link %llu-%llu: a sentence has at most %u words",
                                   (unsigned long long)source + base, (unsigned long long)target + base, PF_MAX_WORDS);
    }
    return pf_alignment_add(links, (pf_link){(uint32_t)source, (uint32_t)target, possible, probability});
}

pf_err pfi_align_length(const pf_reader *reader, const char *what, uint32_t found, uint32_t *length) {
    if (found != PF_UNKNOWN_LENGTH && *length != PF_UNKNOWN_LENGTH && found != *length)
        return pf_reader_fail_line(reader, "expected a %s of %u words, as the text has, found %u", what, *length, found);
    if (*length == PF_UNKNOWN_LENGTH) *length = found;
    return PF_OK;
}

/* ---- a line ---- */

static bool ends_word(char c) { return !c || c == ' ' || c == '\t'; }

static pf_err unexpected(const pf_reader *reader, const char *what, const char *word) {
    size_t n = strcspn(word, " \t");
    return pf_reader_fail_line(reader, "expected %s, found '%.*s'", what, (int)(n < 40 ? n : 40), word);
}

/* "m-n ||| " before the links, if it is there. */
static pf_err read_prefix(const pf_reader *reader, const char **line, bool needed, pf_alignment *links) {
    const char *at = pfi_align_skip(*line), *word = at;
    uint64_t first, n;
    if (!needed && !strstr(at, "|||")) return PF_OK;
    if (!pf_digits_take(&at, &first) || *at++ != '-' || !pf_digits_take(&at, &n) || !ends_word(*at))
        return unexpected(reader, "the lengths m-n before '|||'", word);
    if (first > PF_MAX_WORDS || n > PF_MAX_WORDS)
        return pf_reader_fail_line(reader, "lengths %.*s: a sentence has at most %u words", (int)(at - word), word,
                                   PF_MAX_WORDS);
    at = pfi_align_skip(at);
    if (strncmp(at, "|||", 3) != 0 || !ends_word(at[3])) return unexpected(reader, "'|||' after the lengths", at);
    *line = at + 3;
    PF_TRY(pfi_align_length(reader, "source", (uint32_t)first, &links->n_source));
    return pfi_align_length(reader, "target", (uint32_t)n, &links->n_target);
}

static pf_err read_link(const pf_reader *reader, const char **line, pf_alignment *links) {
    const char *at = *line;
    uint64_t source, target;
    double probability = NAN;
    if (!pf_digits_take(&at, &source)) return unexpected(reader, "a link i-j", *line);
    char mark = *at;
    if (mark != '-' && mark != 'p' && mark != '?') return unexpected(reader, "a link i-j", *line);
    at++;
    if (!pf_digits_take(&at, &target)) return unexpected(reader, "a link i-j", *line);
    if (*at == ':' && (at++, !pfi_align_probability(&at, &probability)))
        return unexpected(reader, "a link i-j:p with p from 0 to 1", *line);
    if (!ends_word(*at)) return unexpected(reader, "a link i-j", *line);
    PF_TRY(pfi_align_add(reader, links, source, target, mark != '-', probability, 0));
    *line = at;
    return PF_OK;
}

pf_err pf_align_line(const pf_reader *reader, const char *line, size_t length, pf_align_format format, uint32_t n_source,
                     uint32_t n_target, pf_alignment *links) {
    const char *at = line;
    pf_alignment_reset(links);
    links->n_source = n_source;
    links->n_target = n_target;
    if (format == PF_ALIGN_LENGTHS || memchr(line, '|', length))
        PF_TRY(read_prefix(reader, &at, format == PF_ALIGN_LENGTHS, links));
    while (*(at = pfi_align_skip(at))) PF_TRY(read_link(reader, &at, links));
    if (at != line + length) return pf_reader_fail_line(reader, "expected links, found a NUL byte");
    pf_alignment_sort(links);
    return PF_OK;
}
