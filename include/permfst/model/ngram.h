/* Back-off n-gram models: ARPA files as deterministic scorers with exact back-off.
 *
 * A state is the shortest history that still matters: the longest suffix of the words read that some n-gram extends or
 * that has a back-off weight. Each state has its arcs (the n-grams that extend it, ascending by word), a back-off cost and
 * a back-off state. Scoring a word follows back-off states until one has the word; the unigrams have them all. Costs are
 * -ln p stored as floats, the sum along the back-offs is a double. State 0 is the empty history; states are ordered by
 * length, then by words.
 *
 * The sentence begins after <s> (implied) and ends with the cost of </s>. A word of running text that the model lacks is
 * <unk>; <s> and </s> in running text are not words of the model either. Labels are the unigrams in their order.
 *
 * As an automaton (pf_model_class.expand) it has the same states, an arc a word but <s> and </s>, final costs where a
 * state has </s>, and from every state but 0 an arc labelled `backoff` on both sides to the back-off state. It is exact
 * where that label is read as a failure, for final costs too. `backoff` is 0 (epsilon; `symbol` is not used) or
 * greater than all words' labels; PF_EARG where it is not, or where `symbol` is a word. Both tables are the vocabulary,
 * `symbol`, and 0 as "<eps>" (a name like it if that is a word). Reading is O(bytes); a step is O(order) look-ups. */
#ifndef PF_MODEL_NGRAM_H
#define PF_MODEL_NGRAM_H

#include <permfst/model/model.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const pf_model_class pf_ngram_class;

/* Reads an ARPA file of any order (gzip or plain), up to its \end\. *out belongs to the caller. Memory is
 * linear in the file, and time but for a logarithm; the counts it claims are not relied on.
 *
 * What follows is odd, but is read, each kind with one warning: text before \data\; header counts that differ from what follows; no
 * <s>; no <unk> (it gets log10 p = -100); a log10 p above 0, up to 1e-4 (taken as 0); a positive back-off weight (used as it is);
 * none where longer n-grams begin with the n-gram (0); one on an n-gram of the highest order (not used); n-grams whose history is
 * not listed (entered with its backed-off probability, a float; scores are right) or whose end without the first word is not. Read
 * without a word: blanks, tabs and empty lines anywhere, CR LF, a byte order mark, <UNK> for <unk>, -inf as a probability (cost
 * INFINITY) or a back-off weight.
 *
 * Refused with the line, PF_EINPUT: an empty file, no \data\, no \end\, sections that do not follow one another, a wrong number of
 * fields, anything but a decimal number of at most 1e30, a log10 p above 1e-4, a word that is not a unigram, an n-gram listed
 * twice, no </s>. PF_ELIMIT past 2^32 - 2 n-grams. */
pf_err pf_ngram_read_arpa(pf_reader *reader, pf_warn warn, void *warn_to, pf_model *out);

/* The same for words of one kind. `check` fails, with the reason as message, for a word that is not of this kind; the file is then
 * PF_EINPUT, with its line. */
pf_err pf_ngram_read_arpa_of(pf_reader *reader, pf_err (*check)(const char *word, size_t length), pf_warn warn, void *warn_to,
                             pf_model *out);

/* The state after <s>; that of the empty history where the model has no <s>. */
pf_state pf_ngram_start(const pf_model *model);

/* Does what a scorer's step() does, and puts the length of the n-gram that was used (1..order) into *matched. A history that the
 * file does not list backs off like any other n-gram; so does one that is listed in such a file and costs the same. */
double pf_ngram_step(const pf_model *model, pf_state state, pf_label label, pf_state *to, unsigned *matched);

#ifdef __cplusplus
}
#endif
#endif
