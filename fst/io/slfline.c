/* The lines of SLF: fields NAME=value, separated by white space. Values are quoted as HTK does it (HShell's ReadString), with
 * SRILM's longer octal numbers too: a quote of either kind at the begin; a backslash before what is to be taken as it is,
 * before three octal digits, or before 0 and up to three of them. Values are put straight in place. O(line). */
#include "io/slf_impl.h"

#include <permfst/base/digits.h>
#include "io/io_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pf_err pfi_slf_bad(const pfi_slf_line *line, const char *at, const char *words) {
    return pf_reader_fail_line(line->reader, "byte %td: %s", at - line->line + 1, words);
}

pf_err pfi_slf_expected(const pfi_slf_line *line, const char *at, const char *what, const char *found, size_t length) {
    char shown[80], words[240];
    snprintf(words, sizeof words, "expected %s, found '%s'", what, pfi_printable(found, length, shown, sizeof shown));
    return pfi_slf_bad(line, at, words);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool is_octal(char c) { return c >= '0' && c <= '7'; }

/* The byte after a backslash. */
static pf_err read_escape(pfi_slf_line *line, char *to) {
    const char *begin = line->at - 1;
    unsigned value = 0, count = 0, most = *line->at == '0' ? 4 : 3;
    if (!*line->at) return pfi_slf_bad(line, begin, "expected a character after the backslash, found the end of the line");
    while (count < most && is_octal(line->at[count]) && 8 * value + (unsigned)(line->at[count] - '0') < 256)
        value = 8 * value + (unsigned)(line->at[count++] - '0');
    bool octal = count >= 3 || (count && most == 4);
    *to = octal ? (char)value : *line->at;
    if (octal && !value) return pfi_slf_bad(line, begin, "expected text, found a NUL byte");
    line->at += octal ? count : 1;
    return PF_OK;
}

/* The value, put straight where it stands. */
static pf_err read_value(pfi_slf_line *line, bool plain) {
    char *to = line->at, *begin = line->at, quote = !plain && (*begin == '"' || *begin == '\'') ? *begin : 0;
    line->value = to;
    if (quote) line->at++;
    while (*line->at && (quote ? *line->at != quote : !is_space(*line->at))) {
        char c = *line->at++;
        if (c == '\\' && !plain) PF_TRY(read_escape(line, &c));
        *to++ = c;
    }
    line->value_n = (size_t)(to - line->value);
    if (quote && *line->at != quote)
        return pfi_slf_bad(line, begin,
                           "expected a closing quote like the opening one (quotes can also be read as characters)");
    if (quote) line->at++;
    if (quote && *line->at && !is_space(*line->at))
        return pfi_slf_expected(line, line->at, "a space after the quote", line->at, 1);
    return PF_OK;
}

pf_err pfi_slf_field(pfi_slf_line *line, bool plain, bool *any) {
    while (is_space(*line->at)) line->at++;
    *any = *line->at && *line->at != '#';
    if (!*any) return PF_OK;
    line->name = line->at;
    while (*line->at && *line->at != '=' && *line->at != '~' && !is_space(*line->at)) line->at++;
    line->name_n = (size_t)(line->at - line->name);
    line->value = line->at;
    line->value_n = 0;
    if (line->name_n == 1 && *line->name == '.') return PF_OK;
    if (*line->at == '~') return pfi_slf_expected(line, line->name, "text", line->name, line->name_n + 1); /* HTK's binary fields */
    if (*line->at != '=' || !line->name_n)
        return pfi_slf_expected(line, line->name, "NAME=value", line->name, line->name_n + !line->name_n);
    line->at++;
    line->value_at = line->at;
    if (!*line->at || is_space(*line->at))
        return pfi_slf_expected(line, line->name, "a value after the field", line->name, line->name_n);
    return read_value(line, plain);
}

bool pfi_slf_is(const pfi_slf_line *line, const char *name) {
    return strlen(name) == line->name_n && memcmp(line->name, name, line->name_n) == 0;
}

pf_err pfi_slf_number(const pfi_slf_line *line, uint64_t below, const char *what, uint32_t *to) {
    uint64_t value = 0;
    char words[120];
    bool digits = pf_digits(line->value, line->value_n, &value);
    *to = (uint32_t)value;
    if (digits && value < below) return PF_OK;
    if (below <= UINT32_MAX) snprintf(words, sizeof words, "%s, a whole number below %llu", what, (unsigned long long)below);
    else snprintf(words, sizeof words, "%s, a whole number below 2^32", what);
    return pfi_slf_expected(line, line->value_at, words, line->value, line->value_n);
}

pf_err pfi_slf_real(const pfi_slf_line *line, bool endless, const char *what, double *to) {
    char text[64] = "";
    if (line->value_n < sizeof text) {
        memcpy(text, line->value, line->value_n);
        text[line->value_n] = 0;
    }
    size_t n = strlen(text);
    if (n == line->value_n && pfi_score_parse(text, text + n, to) && (endless || fabs(*to) < (double)INFINITY)) return PF_OK;
    return pfi_slf_expected(line, line->value_at, what, line->value, line->value_n);
}
