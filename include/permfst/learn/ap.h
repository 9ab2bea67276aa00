/* The averaged structured perceptron (Collins 2002; for linear ordering Tromble and Eisner 2009, section 5), in whole numbers, so
 * that it is the same on every machine.
 *
 * Sentences come in the order of the file. Each is decoded with the weights as they are: the best order of the space, of equal ones
 * the first. Its target is the order of the space that is nearest to the gold (fewest pairs with gold in the other order; of equal
 * ones the first). For every pair with gold i < j on which the two disagree, y is added to each of its features, y = 1 if the
 * target has i first, else -1. The result is the mean of the weights after each sentence of each pass.
 *
 * With a loss the margin is learned (Taskar et al. 2003; as lader trains, Neubig et al. 2012): an order costs `margin` less for
 * each loss it has, so what wins is what is bad and looks good; and of all orders of least loss the target is that of the least
 * cost, so an order that no gold asks for need not be learned. The gold is that of lader's ranks:
 *
 *   tau    a loss for each pair in falling rank
 *   chunk  a loss for each two neighbours whose ranks neither are equal nor follow one another, the ends included
 *
 * A pass decodes each sentence once: O(passes) decodings, and O(features) for each pair on which the two orders disagree. The
 * mean is O(features of the model). */
#ifndef PF_LEARN_AP_H
#define PF_LEARN_AP_H

#include <permfst/learn/examples.h>
#include <permfst/learn/order_decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_LOSS_NONE, PF_LOSS_TAU, PF_LOSS_CHUNK, PF_LOSSES } pf_loss;
const char *pf_loss_name(size_t loss); /* "none", "tau", "chunk"; NULL past the last */

/* What ap tells after each pass. */
typedef struct {
    uint64_t pass;
    uint64_t sentences, pairs; /* of which some pair was wrong; pairs wrong */
} pf_ap_state;

typedef struct {
    const char *space; /* of orders, a specification of constraints */
    pf_loss loss;
    int64_t margin;    /* at least 1, at most PF_MARGIN_MOST: of each loss */
    void (*sentence)(void *self, uint64_t sentence); /* one is done; NULL: not called */
    void *self;
} pf_ap_options;
enum { PF_MARGIN_MOST = 1000000 };

/* A learner, for one thread. All pairs of the examples are listed; with a loss their gold is PF_GOLD_RANKS. *out belongs to the
 * caller. PF_EARG: no such space; errors of pf_order_decode (no order of some length). */
typedef struct pf_perceptron pf_perceptron;
pf_err pf_perceptron_new(const pf_examples *examples, const pf_ap_options *options, pf_perceptron **out);
void pf_perceptron_free(pf_perceptron *learner); /* NULL is accepted */

/* One more pass over all sentences. PF_ENOMEM; errors of pf_order_decode. */
pf_err pf_perceptron_pass(pf_perceptron *learner, pf_ap_state *state);

/* How many passes there were, also before a state was read. */
uint64_t pf_perceptron_passes(const pf_perceptron *learner);

/* The means of the weights so far, into the weights of the examples' model. */
void pf_perceptron_mean(const pf_perceptron *learner);

#ifdef __cplusplus
}
#endif
#endif
