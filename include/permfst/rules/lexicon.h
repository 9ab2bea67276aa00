/* A set of words, such as the most frequent words of a corpus, and tags that are made finer by them (Pecheux et al. 2016,
 * section 3.3, enhanced POS).
 *
 * A word is O(its bytes). */
#ifndef PF_RULES_LEXICON_H
#define PF_RULES_LEXICON_H

#include <permfst/align/words.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_lexicon pf_lexicon;

/* An empty lexicon, to be counted. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_lexicon_new(pf_lexicon **out);
void pf_lexicon_free(pf_lexicon *lexicon);

/* Adds words. A word that is there already counts once more. Memory: the different words. PF_ENOMEM. */
pf_err pf_lexicon_count(pf_lexicon *lexicon, const pf_words *words);

/* Keeps the `count` words that count most (of equal counts, those whose bytes come first) and puts them in the order of
 * their bytes. Call it before the words are used; SIZE_MAX keeps them all. O(words log words). PF_ENOMEM. */
pf_err pf_lexicon_keep(pf_lexicon *lexicon, size_t count);

/* All words of the lines of `reader`, of which the `count` most frequent are kept. *out belongs to the caller. The errors
 * of the reader and of pf_words_split. */
pf_err pf_lexicon_read(pf_reader *reader, size_t count, pf_lexicon **out);

/* The words that were kept, in the order of their bytes; borrowed, without a NUL after them. */
size_t pf_lexicon_size(const pf_lexicon *lexicon);
pf_word pf_lexicon_at(const pf_lexicon *lexicon, size_t i);

/* Tags; the tag of a word of the lexicon is "tag|word". All zero: empty; the memory is kept from line to line. */
typedef struct {
    pf_words tags;
    PF_VEC(char) text;
} pf_lexical_tags;
void pf_lexical_tags_free(pf_lexical_tags *tags);

/* There must be as many `words` as `tags`, and `tags` must live as long as the result. O(bytes). PF_ENOMEM. */
pf_err pf_lexicon_tags(const pf_lexicon *lexicon, const pf_words *tags, const pf_words *words, pf_lexical_tags *out);

#ifdef __cplusplus
}
#endif
#endif
