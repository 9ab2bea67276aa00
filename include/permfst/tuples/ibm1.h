/* IBM model 1 (Brown et al. 1993, The mathematics of statistical machine translation, section 4.1): how likely a target word
 * is, given a source word, estimated on a corpus without its alignments.
 *
 * With f_0 the empty word and f_1..f_J the source words of a pair, an iteration of EM sums over all pairs and target words e_i
 *
 *   c(e_i | f_j) += t(e_i | f_j) / (t(e_i | f_0) + ... + t(e_i | f_J)),  and then  t(e | f) = c(e | f) / sum over e' of c(e' | f).
 *
 * At first all t are equal. There is no smoothing. The model does not keep the corpus: each iteration reads it again, in the same
 * order, so that the numbers are the same each time. Memory: 32 to 64 bytes for each two words that occur in one sentence pair,
 * whatever the length of the corpus. Time of an iteration: a hash look-up for each two words of each sentence pair. A pair is
 * O(source words x target words); words by number are O(1), and a visit of all is O(table). */
#ifndef PF_TUPLES_IBM1_H
#define PF_TUPLES_IBM1_H

#include <permfst/align/parallel.h>
#include <permfst/base/err.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_ibm1 pf_ibm1;

/* A model that knows no word. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_ibm1_new(pf_ibm1 **out);
void pf_ibm1_free(pf_ibm1 *model);

/* A corpus that can be read any number of times. */
typedef struct {
    /* Begins at the first pair: a new *pairs, which whoever calls this frees, also after an error, and the columns of its texts. */
    pf_err (*open)(void *self, pf_parallel **pairs, size_t *source, size_t *target);
    void (*progress)(void *self, uint64_t pair); /* called after each pair, with its number; NULL: not */
    void *self;
} pf_ibm1_corpus;

/* Trains a new model with this many iterations, each of which opens the corpus once. Errors of the corpus, of pf_ibm1_count. */
pf_err pf_ibm1_train(pf_ibm1 *model, const pf_ibm1_corpus *corpus, uint64_t iterations);

/* The two steps of an iteration, for callers that have the sentences at hand: count all pairs, then update.
 *
 * Counts a sentence pair under the present t; the first iteration learns the words. PF_ENOMEM; PF_ELIMIT past 2^32 - 2 words;
 * PF_EINPUT in later iterations for words that were not together in the first. */
pf_err pf_ibm1_count(pf_ibm1 *model, const pf_words *source, const pf_words *target);

/* Ends an iteration: the counts become the new t. O(table). */
void pf_ibm1_update(pf_ibm1 *model);

/* t(target | source), 0 for words that were never together; a source without bytes is the empty word. Only reads the model, so
 * any number of threads may ask at once. O(bytes). */
double pf_ibm1_given(const pf_ibm1 *model, const pf_word *source, const pf_word *target);

/* The words of a side, by number, in the order in which they were met: how many there are, and one of them, borrowed. Source word 0
 * is the empty word. */
uint32_t pf_ibm1_words(const pf_ibm1 *model, bool target);
pf_word pf_ibm1_word(const pf_ibm1 *model, bool target, uint32_t number);

/* Visits t(target | source) of all words that were together, in no order that means anything; an error of `visit` is the end. */
pf_err pf_ibm1_each(const pf_ibm1 *model, pf_err (*visit)(void *self, uint32_t source, uint32_t target, double given), void *self);

#ifdef __cplusplus
}
#endif
#endif
