/* The lines of SLF: fields NAME=value, separated by white space. Values are quoted as HTK does it (HShell's ReadString), with
 * SRILM's longer octal numbers too: a quote of either kind at the begin; a backslash before what is to be taken as it is,
 * before three octal digits, or before 0 and up to three of them. Values are put straight in place. O(line). */
#include "io/slf_impl.h"

#include <permfst/base/digits.h>
#include "io/io_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pf_err pfi_slf_bad(const pfi_slf_line *l, const char *at, const char *words) {
    return pf_reader_fail_line(l->reader, "byte %td: %s", at - l->line + 1, words);
}

pf_err pfi_slf_expected(const pfi_slf_line *l, const char *at, const char *what, const char *found, size_t n) {
    char shown[80], words[240];
    snprintf(words, sizeof words, "expected %s, found '%s'", what, pfi_printable(found, n, shown, sizeof shown));
    return pfi_slf_bad(l, at, words);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool is_octal(char c) { return c >= '0' && c <= '7'; }

/* The byte after a backslash. */
static pf_err read_escape(pfi_slf_line *l, char *to) {
    const char *begin = l->at - 1;
    unsigned x = 0, n = 0, most = *l->at == '0' ? 4 : 3;
    if (!*l->at) return pfi_slf_bad(l, begin, "expected a character after the backslash, found the end of the line");
    while (n < most && is_octal(l->at[n]) && 8 * x + (unsigned)(l->at[n] - '0') < 256) x = 8 * x + (unsigned)(l->at[n++] - '0');
    bool octal = n >= 3 || (n && most == 4);
    *to = octal ? (char)x : *l->at;
    if (octal && !x) return pfi_slf_bad(l, begin, "expected text, found a NUL byte");
    l->at += octal ? n : 1;
    return PF_OK;
}

/* The value, put straight where it stands. */
static pf_err read_value(pfi_slf_line *l, bool plain) {
    char *to = l->at, *begin = l->at, quote = !plain && (*begin == '"' || *begin == '\'') ? *begin : 0;
    l->value = to;
    if (quote) l->at++;
    while (*l->at && (quote ? *l->at != quote : !is_space(*l->at))) {
        char c = *l->at++;
        if (c == '\\' && !plain) PF_TRY(read_escape(l, &c));
        *to++ = c;
    }
    l->value_n = (size_t)(to - l->value);
    if (quote && *l->at != quote)
        return pfi_slf_bad(l, begin, "expected a closing quote like the opening one (quotes can also be read as characters)");
    if (quote) l->at++;
    if (quote && *l->at && !is_space(*l->at)) return pfi_slf_expected(l, l->at, "a space after the quote", l->at, 1);
    return PF_OK;
}

pf_err pfi_slf_field(pfi_slf_line *l, bool plain, bool *any) {
    while (is_space(*l->at)) l->at++;
    *any = *l->at && *l->at != '#';
    if (!*any) return PF_OK;
    l->name = l->at;
    while (*l->at && *l->at != '=' && *l->at != '~' && !is_space(*l->at)) l->at++;
    l->name_n = (size_t)(l->at - l->name);
    l->value = l->at;
    l->value_n = 0;
    if (l->name_n == 1 && *l->name == '.') return PF_OK;
    if (*l->at == '~') return pfi_slf_expected(l, l->name, "text", l->name, l->name_n + 1); /* HTK's binary fields */
    if (*l->at != '=' || !l->name_n) return pfi_slf_expected(l, l->name, "NAME=value", l->name, l->name_n + !l->name_n);
    l->at++;
    l->value_at = l->at;
    if (!*l->at || is_space(*l->at)) return pfi_slf_expected(l, l->name, "a value after the field", l->name, l->name_n);
    return read_value(l, plain);
}

bool pfi_slf_is(const pfi_slf_line *l, const char *name) {
    return strlen(name) == l->name_n && memcmp(l->name, name, l->name_n) == 0;
}

pf_err pfi_slf_number(const pfi_slf_line *l, uint64_t below, const char *what, uint32_t *to) {
    uint64_t x = 0;
    char words[120];
    bool digits = pf_digits(l->value, l->value_n, &x);
    *to = (uint32_t)x;
    if (digits && x < below) return PF_OK;
    if (below <= UINT32_MAX) snprintf(words, sizeof words, "%s, a whole number below %llu", what, (unsigned long long)below);
    else snprintf(words, sizeof words, "%s, a whole number below 2^32", what);
    return pfi_slf_expected(l, l->value_at, words, l->value, l->value_n);
}

pf_err pfi_slf_real(const pfi_slf_line *l, bool endless, const char *what, double *to) {
    char text[64] = "";
    if (l->value_n < sizeof text) {
        memcpy(text, l->value, l->value_n);
        text[l->value_n] = 0;
    }
    size_t n = strlen(text);
    if (n == l->value_n && pfi_score_parse(text, text + n, to) && (endless || fabs(*to) < (double)INFINITY)) return PF_OK;
    return pfi_slf_expected(l, l->value_at, what, l->value, l->value_n);
}
