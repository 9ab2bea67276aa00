/* A set of words, such as the most frequent ones of a corpus, and tags that are made finer by them (Pecheux et al. 2016,
 * section 3.3, enhanced POS). */
#ifndef PF_RULES_LEXICON_H
#define PF_RULES_LEXICON_H

#include <permfst/align/words.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_lexicon pf_lexicon;

pf_err pf_lexicon_new(pf_lexicon **out);
void pf_lexicon_free(pf_lexicon *lexicon);

/* Adds words, each of which may be there already: then it counts once more. Memory: the different words. PF_ENOMEM. */
pf_err pf_lexicon_count(pf_lexicon *lexicon, const pf_words *words);

/* Keeps the n words that count most, of equal ones those whose bytes come first, and puts them in the order of their bytes.
 * It must be called before the words are used; SIZE_MAX keeps them all. O(words log words). PF_ENOMEM. */
pf_err pf_lexicon_keep(pf_lexicon *lexicon, size_t n);

/* The words that are kept; borrowed, no NUL behind them. */
size_t pf_lexicon_size(const pf_lexicon *lexicon);
pf_word pf_lexicon_at(const pf_lexicon *lexicon, size_t i);
bool pf_lexicon_has(const pf_lexicon *lexicon, const pf_word *word);

/* Tags, of which those of words of the lexicon are "tag|word". All zero: empty; the room is kept from line to line. */
typedef struct {
    pf_words tags;
    PF_VEC(char) text;
} pf_lexical_tags;
void pf_lexical_tags_free(pf_lexical_tags *t);

/* `tags` and `words` are of the same number, and the former must live as long as the result. O(bytes). PF_ENOMEM. */
pf_err pf_lexicon_tags(const pf_lexicon *lexicon, const pf_words *tags, const pf_words *words, pf_lexical_tags *out);

#ifdef __cplusplus
}
#endif
#endif
