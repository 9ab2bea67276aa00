/* Texts as words. A tokeniser rewrites a text, ASCII white space splits it, and a vocabulary numbers the words.
 *
 * A no-break space, and any other space beyond ASCII, is part of a word. Adding a segment is O(bytes); a segment is found in
 * O(1). */
#ifndef PF_METRIC_TOKENS_H
#define PF_METRIC_TOKENS_H

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef PF_VEC(char) pf_token_text;

/* Writes the text to split into the empty `out`; NULL: split the text as it is. O(n). PF_ENOMEM. */
typedef struct {
    const char *name; /* as a signature has it */
    pf_err (*rewrite)(const char *text, size_t n, pf_token_text *out);
} pf_tokeniser;

/* The entry at a place of the table, a constant; NULL past the last. */
const pf_tokeniser *pf_tokeniser_at(size_t place);

/* Appends a text in lower case to `out`, letter by letter and without regard to a language: letters of the Latin, Greek, Cyrillic
 * and Armenian scripts in UTF-8. O(n). PF_ENOMEM. */
pf_err pf_lower_case(const char *text, size_t length, pf_token_text *out);

/* Words of one segment, borrowed. */
typedef struct {
    const uint32_t *word;
    size_t n;
} pf_segment;

/* The words of segments, in sequence. All zero: empty. */
typedef struct {
    PF_VEC(uint32_t) word;
    PF_VEC(size_t) end;
} pf_tokens;

/* Adds a segment, its words numbered by `vocabulary` (pf_statetab_init(.., 0)). PF_ENOMEM, PF_ELIMIT. */
pf_err pf_tokens_add(pf_tokens *words, const pf_tokeniser *tokeniser, pf_statetab *vocabulary, const char *text, size_t n);
void pf_tokens_free(pf_tokens *words);

static inline pf_segment pf_tokens_at(const pf_tokens *words, size_t i) {
    size_t begin = i ? words->end.at[i - 1] : 0;
    pf_segment segment = {words->word.at ? words->word.at + begin : NULL, words->end.at[i] - begin};
    return segment;
}

#ifdef __cplusplus
}
#endif
#endif
