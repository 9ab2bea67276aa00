/* The tokenisers: none, and 13a, which is that of mteval-v13a.pl (NIST) as sacreBLEU has it: entities, then four
 * substitutions, each of which goes over the text once from left to right. Their classes are of ASCII, so bytes do for
 * characters. A new tokeniser is one function and a line. */
#include <permfst/metric/tokens.h>

#include <stdbool.h>
#include <string.h>

static pf_err put(pf_token_text *to, const char *text, size_t n) {
    PF_TRY(PF_ROOM(to, n));
    if (n) memcpy(to->at + to->n, text, n);
    to->n += n;
    return PF_OK;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_point(char c) { return c == '.' || c == ','; }

/* ---- 13a ---- */

static const struct {
    const char *from, *to;
} replaced[] = {{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};

/* All of them, one after the other, in place: none makes the text longer. */
static size_t replace(char *text, size_t n) {
    for (size_t k = 0; k < sizeof replaced / sizeof *replaced; k++) {
        size_t length = strlen(replaced[k].from), kept = 0;
        if (!memchr(text, *replaced[k].from, n)) continue;
        for (size_t i = 0; i < n;) {
            bool here = n - i >= length && memcmp(text + i, replaced[k].from, length) == 0;
            if (!here) text[kept++] = text[i];
            else if (*replaced[k].to) text[kept++] = *replaced[k].to;
            i += here ? length : 1;
        }
        n = kept;
    }
    return n;
}

/* ASCII characters that stand alone: all but letters, digits, space, and ' , - . */
static bool stands_alone(char c) {
    return c > ' ' && c < 127 && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !is_digit(c) && !strchr("',-.", c);
}

static bool one(const char *at, size_t n) { return n && stands_alone(*at); }
static bool point_after(const char *at, size_t n) { return n > 1 && !is_digit(at[0]) && is_point(at[1]); }
static bool point_before(const char *at, size_t n) { return n > 1 && is_point(at[0]) && !is_digit(at[1]); }
static bool dash_after(const char *at, size_t n) { return n > 1 && is_digit(at[0]) && at[1] == '-'; }

/* A match is one or two bytes, which get a space before, between or after them. */
static const struct {
    bool (*matches)(const char *at, size_t n);
    size_t bytes;
    bool before, between, after;
} substitutions[] = {
    {one, 1, true, false, true},
    {point_after, 2, false, true, true},
    {point_before, 2, true, true, false},
    {dash_after, 2, false, true, true},
};

static pf_err substitute(const pf_token_text *from, size_t k, pf_token_text *to) {
    PF_TRY(PF_ROOM(to, 3 * from->n)); /* each byte with a space on both sides is the most */
    for (size_t i = 0; i < from->n;) {
        bool here = substitutions[k].matches(from->at + i, from->n - i);
        if (here && substitutions[k].before) to->at[to->n++] = ' ';
        to->at[to->n++] = from->at[i++];
        if (!here) continue;
        if (substitutions[k].between) to->at[to->n++] = ' ';
        if (substitutions[k].bytes == 2) to->at[to->n++] = from->at[i++];
        if (substitutions[k].after) to->at[to->n++] = ' ';
    }
    return PF_OK;
}

static pf_err substitute_all(pf_token_text *text, pf_token_text *other) {
    for (size_t k = 0; k < sizeof substitutions / sizeof *substitutions; k++) {
        other->n = 0;
        PF_TRY(substitute(text, k, other));
        pf_token_text swap = *text;
        *text = *other;
        *other = swap;
    }
    return PF_OK;
}

static pf_err rewrite_13a(const char *text, size_t n, pf_token_text *out) {
    pf_token_text other = {0};
    while (n && is_space(text[n - 1])) n--;
    PF_TRY(put(out, " ", 1));
    PF_TRY(put(out, text, n));
    out->n = 1 + replace(out->at + 1, n);
    PF_TRY(put(out, " ", 1));
    pf_err err = substitute_all(out, &other);
    PF_VEC_FREE(&other);
    return err;
}

/* ---- the table ---- */

static const pf_tokeniser tokenisers[] = {{"none", NULL}, {"13a", rewrite_13a}};
enum { TOKENISERS = sizeof tokenisers / sizeof *tokenisers };

const pf_tokeniser *pf_tokeniser_at(size_t i) { return i < TOKENISERS ? &tokenisers[i] : NULL; }

/* ---- words ---- */

static pf_err split(pf_tokens *words, pf_statetab *vocabulary, const char *text, size_t n) {
    for (size_t i = 0, begin; i < n;) {
        uint32_t id;
        if (is_space(text[i])) {
            i++;
            continue;
        }
        for (begin = i; i < n && !is_space(text[i]);) i++;
        PF_TRY(pf_statetab_intern(vocabulary, text + begin, i - begin, &id, NULL));
        PF_TRY(PF_PUSH(&words->word, id));
    }
    return PF_PUSH(&words->end, words->word.n);
}

pf_err pf_tokens_add(pf_tokens *words, const pf_tokeniser *tokeniser, pf_statetab *vocabulary, const char *text, size_t n) {
    pf_token_text rewritten = {0};
    if (!tokeniser->rewrite) return split(words, vocabulary, text, n);
    pf_err err = tokeniser->rewrite(text, n, &rewritten);
    if (!err) err = split(words, vocabulary, rewritten.at, rewritten.n);
    PF_VEC_FREE(&rewritten);
    return err;
}

void pf_tokens_free(pf_tokens *words) {
    PF_VEC_FREE(&words->word);
    PF_VEC_FREE(&words->end);
}
