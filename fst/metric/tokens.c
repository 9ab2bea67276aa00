/* The tokenisers: none, and 13a, which is that of mteval-v13a.pl (NIST) as sacreBLEU has it: entities, then four
 * substitutions, each of which goes over the text once from left to right. Their classes are of ASCII, so bytes do for
 * characters. A new tokeniser is one function and a line. */
#include <permfst/metric/tokens.h>

#include <stdbool.h>
#include <string.h>

static pf_err put(pf_token_text *to, const char *text, size_t bytes) {
    PF_TRY(PF_ROOM(to, bytes));
    if (bytes) memcpy(to->at + to->n, text, bytes);
    to->n += bytes;
    return PF_OK;
}

static bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
static bool is_point(char byte) { return byte == '.' || byte == ','; }

/* ---- 13a ---- */

static const struct {
    const char *from, *to;
} replaced[] = {{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};

/* All of them, one after the other, in place: none makes the text longer. */
static size_t replace(char *text, size_t bytes) {
    for (size_t rule = 0; rule < sizeof replaced / sizeof *replaced; rule++) {
        size_t length = strlen(replaced[rule].from), kept = 0;
        if (!memchr(text, *replaced[rule].from, bytes)) continue;
        for (size_t at = 0; at < bytes;) {
            bool here = bytes - at >= length && memcmp(text + at, replaced[rule].from, length) == 0;
            if (!here) text[kept++] = text[at];
            else if (*replaced[rule].to) text[kept++] = *replaced[rule].to;
            at += here ? length : 1;
        }
        bytes = kept;
    }
    return bytes;
}

/* ASCII characters that stand alone: all but letters, digits, space, and ' , - . */
static bool stands_alone(char byte) {
    return byte > ' ' && byte < 127 && !(byte >= 'a' && byte <= 'z') && !(byte >= 'A' && byte <= 'Z') && !is_digit(byte)
           && !strchr("',-.", byte);
}

static bool one(const char *at, size_t left) { return left && stands_alone(*at); }
static bool point_after(const char *at, size_t left) { return left > 1 && !is_digit(at[0]) && is_point(at[1]); }
static bool point_before(const char *at, size_t left) { return left > 1 && is_point(at[0]) && !is_digit(at[1]); }
static bool dash_after(const char *at, size_t left) { return left > 1 && is_digit(at[0]) && at[1] == '-'; }

/* A match is one or two bytes, which get a space before, between or after them. */
static const struct {
    bool (*matches)(const char *at, size_t left);
    size_t bytes;
    bool before, between, after;
} substitutions[] = {
    {one, 1, true, false, true},
    {point_after, 2, false, true, true},
    {point_before, 2, true, true, false},
    {dash_after, 2, false, true, true},
};

static pf_err substitute(const pf_token_text *from, size_t rule, pf_token_text *to) {
    PF_TRY(PF_ROOM(to, 3 * from->n)); /* each byte with a space on both sides is the most */
    for (size_t at = 0; at < from->n;) {
        bool here = substitutions[rule].matches(from->at + at, from->n - at);
        if (here && substitutions[rule].before) to->at[to->n++] = ' ';
        to->at[to->n++] = from->at[at++];
        if (!here) continue;
        if (substitutions[rule].between) to->at[to->n++] = ' ';
        if (substitutions[rule].bytes == 2) to->at[to->n++] = from->at[at++];
        if (substitutions[rule].after) to->at[to->n++] = ' ';
    }
    return PF_OK;
}

static pf_err substitute_all(pf_token_text *text, pf_token_text *other) {
    for (size_t rule = 0; rule < sizeof substitutions / sizeof *substitutions; rule++) {
        other->n = 0;
        PF_TRY(substitute(text, rule, other));
        pf_token_text swap = *text;
        *text = *other;
        *other = swap;
    }
    return PF_OK;
}

static pf_err rewrite_13a(const char *text, size_t bytes, pf_token_text *out) {
    pf_token_text other = {0};
    while (bytes && is_space(text[bytes - 1])) bytes--;
    PF_TRY(put(out, " ", 1));
    PF_TRY(put(out, text, bytes));
    out->n = 1 + replace(out->at + 1, bytes);
    PF_TRY(put(out, " ", 1));
    pf_err err = substitute_all(out, &other);
    PF_VEC_FREE(&other);
    return err;
}

/* ---- the table ---- */

static const pf_tokeniser tokenisers[] = {{"none", NULL}, {"13a", rewrite_13a}};
enum { TOKENISERS = sizeof tokenisers / sizeof *tokenisers };

const pf_tokeniser *pf_tokeniser_at(size_t place) { return place < TOKENISERS ? &tokenisers[place] : NULL; }

/* ---- words ---- */

static pf_err split(pf_tokens *words, pf_statetab *vocabulary, const char *text, size_t bytes) {
    for (size_t at = 0, begin; at < bytes;) {
        uint32_t id;
        if (is_space(text[at])) {
            at++;
            continue;
        }
        for (begin = at; at < bytes && !is_space(text[at]);) at++;
        PF_TRY(pf_statetab_intern(vocabulary, text + begin, at - begin, &id, NULL));
        PF_TRY(PF_PUSH(&words->word, id));
    }
    return PF_PUSH(&words->end, words->word.n);
}

pf_err pf_tokens_add(pf_tokens *words, const pf_tokeniser *tokeniser, pf_statetab *vocabulary, const char *text, size_t bytes) {
    pf_token_text rewritten = {0};
    if (!tokeniser->rewrite) return split(words, vocabulary, text, bytes);
    pf_err err = tokeniser->rewrite(text, bytes, &rewritten);
    if (!err) err = split(words, vocabulary, rewritten.at, rewritten.n);
    PF_VEC_FREE(&rewritten);
    return err;
}

void pf_tokens_free(pf_tokens *words) {
    PF_VEC_FREE(&words->word);
    PF_VEC_FREE(&words->end);
}
