/* Word alignment by a hidden Markov model (Vogel, Ney and Tillmann 1996, HMM-based word alignment in statistical translation;
 * Och and Ney 2003, A systematic comparison of various statistical alignment models, sections 2.1 and 2.3), in both
 * directions.
 *
 * Forward, each target word e_i is linked with one source word f_a(i), or with the empty word. The source words f_1..f_J are
 * the states of a Markov chain, and
 *
 *   p(e_1..e_I, a_1..a_I | f_1..f_J) = product over i of p(a_i | a_i-1, J) t(e_i | f_a(i)).
 *
 * A jump from j' to j has a probability in proportion to a weight that depends on j - j' alone. The sum is over the positions
 * that the sentence has. Jumps of more than PF_HMM_FAR words share a weight, and the first word has weights of its own. With
 * the probability `empty` a word is linked with the empty word, and the next jump starts from where the chain was before.
 * Reverse, the same with source and target exchanged.
 *
 * EM starts from model 1 (tuples/ibm1.h) and from equal weights of all jumps. The weights that fit the expected jumps best
 * have no closed form, as sentences have different lengths; the steps of Hunter (2004, MM algorithms for generalized
 * Bradley-Terry models) come closer and never lower the likelihood. Unless the directions are trained alone, each iteration
 * counts, for a link, the product of its posteriors in the two directions, and for the empty word what these links leave of a
 * word (Liang, Taskar and Klein 2006, Alignment by agreement). Jumps are counted in each direction alone.
 *
 * Memory: 54 to 107 bytes for each two words that occur in one pair, whatever the length of the corpus, and 32 for each two
 * lengths up to the longest sentence. Time: O(J^2 I + J I^2) for a pair. */
#ifndef PF_TRAIN_HMM_H
#define PF_TRAIN_HMM_H

#include <permfst/align/alignment.h>
#include <permfst/tuples/ibm1.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_HMM_FAR = 10 };
typedef enum { PF_HMM_FORWARD, PF_HMM_REVERSE, PF_HMM_DIRECTIONS } pf_hmm_direction;

typedef struct {
    double empty; /* the probability of a link with the empty word, above 0 and below 1 */
    bool alone;   /* train the directions alone */
} pf_hmm_options;

typedef struct pf_hmm pf_hmm;

/* A model that knows no word. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_hmm_new(const pf_hmm_options *options, pf_hmm **out);
void pf_hmm_free(pf_hmm *model);

/* Takes over the words and the t of a model 1, which was trained in this direction: for PF_HMM_REVERSE its source words are
 * the target words here. Call it once for each direction, before anything else. PF_ENOMEM; PF_ELIMIT past 2^32 - 2 words.
 * O(table). */
pf_err pf_hmm_start(pf_hmm *model, pf_hmm_direction direction, const pf_ibm1 *from);

/* ---- a pair of sentences ---- */

/* What the model says of a pair. For one thread at a time; the memory is kept from pair to pair. *out belongs to the
 * caller. PF_ENOMEM. */
typedef struct pf_hmm_pair pf_hmm_pair;
pf_err pf_hmm_pair_new(pf_hmm_pair **out);
void pf_hmm_pair_free(pf_hmm_pair *pair);

/* Memory for the computation, of one thread; one serves any number of pairs. *out belongs to the caller. PF_ENOMEM. */
typedef struct pf_hmm_work pf_hmm_work;
pf_err pf_hmm_work_new(pf_hmm_work **out);
void pf_hmm_work_free(pf_hmm_work *work);

/* Takes the words of a pair. PF_EINPUT: a word that the corpus of model 1 did not have. PF_ENOMEM. */
pf_err pf_hmm_pair_set(pf_hmm_pair *pair, const pf_hmm *model, const pf_words *source, const pf_words *target);

/* The words on each side. */
uint32_t pf_hmm_pair_sources(const pf_hmm_pair *pair);
uint32_t pf_hmm_pair_targets(const pf_hmm_pair *pair);

/* The posteriors of all links of the pair that was set, in both directions. A probability t below 1e-12 is taken as 1e-12, so
 * that every pair has an alignment. Only reads the model, so that any number of threads may ask at once. PF_ENOMEM; PF_EINPUT:
 * two words of the pair were never together in the corpus of model 1. */
pf_err pf_hmm_expect(const pf_hmm *model, pf_hmm_work *work, pf_hmm_pair *pair);

/* The posterior of a link of the pair, and the logarithm of the probability of the pair, as pf_hmm_expect has found them. Both
 * sides have words. What the posteriors of a target word (forward) or source word (reverse) lack to 1 is that of its link with the
 * empty word. */
double pf_hmm_posterior(const pf_hmm_pair *pair, pf_hmm_direction direction, uint32_t source, uint32_t target);
double pf_hmm_log_likelihood(const pf_hmm_pair *pair, pf_hmm_direction direction);

/* The links with a posterior of at least `least` and above 0, with their posteriors. PF_ENOMEM. */
pf_err pf_hmm_likely(const pf_hmm_pair *pair, pf_hmm_direction direction, double least, pf_alignment *out);

/* The links of the best alignment (Viterbi), after pf_hmm_expect. Of equal alignments it takes, from the last word back, the word
 * that comes first, and the empty word last. Only reads the model. PF_ENOMEM. */
pf_err pf_hmm_best(const pf_hmm *model, pf_hmm_work *work, const pf_hmm_pair *pair, pf_hmm_direction direction, pf_alignment *out);

/* ---- an iteration ---- */

/* Turns the posteriors of pf_hmm_expect into what an iteration counts, unless the directions are trained alone. Only reads the
 * model. */
void pf_hmm_agree(const pf_hmm *model, pf_hmm_pair *pair);

/* Adds the counts of a pair. The sums, and so the model, depend on the order of the pairs. PF_ENOMEM. */
pf_err pf_hmm_count(pf_hmm *model, const pf_hmm_pair *pair);

/* Ends an iteration: the counts become the new probabilities. O(table + longest sentence squared). */
void pf_hmm_update(pf_hmm *model);

#ifdef __cplusplus
}
#endif
#endif
