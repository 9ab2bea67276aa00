/* The score of a sentence under an n-gram model, and totals of many. The verb of permlm.
 *
 * A sentence is one step of the scorer for each word; sums are O(1). */
#ifndef PF_MODEL_SENTENCE_SCORE_H
#define PF_MODEL_SENTENCE_SCORE_H

#include <permfst/model/ngram.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The score of a sentence, or the sums for several sentences. All zero: for none. */
typedef struct {
    uint64_t sentences, words; /* the words without the ends of sentences */
    uint64_t unknown;          /* words that the model lacks */
    double log10, log10_known; /* sums of log10 probabilities; the second without unknown words. Ends of sentences count */
} pf_sentence_score;

/* A word that was scored, n bytes at `word`: log10 p, by an n-gram of `matched` words. The end of the sentence is "</s>". */
typedef struct {
    const char *word;
    size_t n;
    unsigned matched;
    double log10;
} pf_word_score;

typedef struct {
    bool all_words; /* a word that the model lacks is an error */
    pf_err (*each)(void *self, const pf_word_score *score); /* called for each word and for the end; NULL: not called */
    void *self;
} pf_sentence_score_options;

/* Scores a NUL-ended line, whose words are separated by spaces and tabs, under a model of the class pf_ngram_class. Any number of
 * threads at once. PF_EINPUT: a word that the model lacks, or one that is too long; errors of `each`. O(words). */
pf_err pf_sentence_score_line(const pf_model *model, const char *line, const pf_sentence_score_options *options,
                              pf_sentence_score *out);

/* total += one. Sums of doubles depend on their order. */
void pf_sentence_score_add(pf_sentence_score *total, const pf_sentence_score *one);

/* The perplexities that KenLM's query prints: the ends of sentences count as words. NAN: there is nothing to count. */
double pf_sentence_score_perplexity(const pf_sentence_score *score);
double pf_sentence_score_perplexity_known(const pf_sentence_score *score); /* without unknown words */

#ifdef __cplusplus
}
#endif
#endif
