/* Where a learner is, in a file, so that a training that was ended goes on from there and gives the same bits.
 *
 * A state belongs to its examples and options: it has a hash of both. Each call is O(numbers of the state). */
#ifndef PF_LEARN_LEARNER_STATE_H
#define PF_LEARN_LEARNER_STATE_H

#include <permfst/learn/ap.h>
#include <permfst/learn/lr.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_PASSES_MOST = 1000000000 }; /* of a state that is read */

/* Writes the state of lr after a pass; its weights are those of the model. Errors of the writer. */
pf_err pf_lr_state_write(const pf_examples *examples, const pf_lr_options *options, const pf_lr_state *state, pf_writer *writer);

/* Reads the state from which pf_lr_train goes on, and leaves its weights in the model. *out belongs to the caller
 * (pf_lr_state_free). PF_EINPUT: it is damaged, it is of other examples or options, or it has numbers that no training with them
 * reaches; PF_ENOMEM. */
pf_err pf_lr_state_read(pf_reader *reader, const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out);

/* Write and read the state of a perceptron after a pass, with the same errors. After an error of reading it can only be freed. */
pf_err pf_perceptron_write(const pf_perceptron *learner, pf_writer *writer);
pf_err pf_perceptron_read(pf_perceptron *learner, pf_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
