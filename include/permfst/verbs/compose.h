/* Composing: a record with a list of operands, one after the other. The verb of permcompose.
 *
 * An operand is a model or an automaton that serves all records, or a sequence of automata, one for each record. The list is made
 * once; then each record takes what goes with it, in order, and is composed, by any thread. An operand is read once, in
 * O(bytes); a record is O(operands). */
#ifndef PF_VERBS_COMPOSE_H
#define PF_VERBS_COMPOSE_H

#include <permfst/io/expr.h>
#include <permfst/ops/records.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double scale_first; /* of the costs of the records that are composed: finite, at most FLT_MAX in size */
    const char *phi;    /* the symbol of failure arcs, in any operand that has it; NULL: none */
    bool all_words;     /* a word that a model lacks is an error */
} pf_operands_options;

typedef struct pf_operands pf_operands;

/* An empty list, of options whose strings must outlive it. *out belongs to the caller; NULL after an error. PF_ELIMIT: a scale
 * is too large; PF_ENOMEM. O(1). */
pf_err pf_operands_new(const pf_operands_options *options, pf_operands **out);
void pf_operands_free(pf_operands *operands); /* NULL is accepted */

/* Adds a model, of which a reference is kept. `scale` multiplies its costs. PF_ELIMIT: it is too large; PF_ENOMEM. */
pf_err pf_operands_add_model(pf_operands *operands, double scale, pf_blob *model);

/* Reads the next record of an operand; *out = NULL at the end, else the caller's. */
typedef pf_err (*pf_operand_next)(void *self, pf_expr **out);

/* Adds the automata that begin with `first`, of which a reference is kept, and go on with what `next` gives. One that stands
 * alone serves all records; that is found out here. `name`, which must outlive the list, is for messages. Errors of
 * `next`; PF_ELIMIT: the scale is too large. */
pf_err pf_operands_add(pf_operands *operands, const char *name, double scale, pf_expr *first, pf_operand_next next, void *self);

/* The same from a source, which the list owns from now on, also after an error; `first` is the record that was read of it. */
pf_err pf_operands_add_source(pf_operands *operands, const char *name, double scale, pf_expr *first, pf_source *source);

/* The model or ordinary automaton that operand i has for all records, borrowed; NULL: it has none. */
pf_blob *pf_operands_shared(const pf_operands *operands, size_t i);

/* Do the options name a failure symbol that no operand has had so far and that none can have later? */
bool pf_operands_lack_phi(const pf_operands *operands);
pf_err pf_operands_check_phi(const pf_operands *operands); /* PF_EARG, which names the symbol: they do */

/* Steps of records (ops/records.h) that compose each of them; their `self` is a list. */
extern const pf_record_steps pf_operands_steps;

/* What goes with the next record; by one thread, in order, also for a record that has failed. *out belongs to the caller, who frees
 * it, also after an error. PF_EINPUT: an operand has fewer records than were taken. Errors of `next`. */
typedef struct pf_operand_records pf_operand_records;
pf_err pf_operands_take(pf_operands *operands, pf_operand_records **out);
void pf_operand_records_free(pf_operand_records *records); /* NULL is accepted */

/* The composition of a record with all operands; *out has one reference, the caller's. Any number of threads at once, also while
 * another one takes. PF_EINPUT: one of them is a model where an automaton is needed; words that a model cannot score
 * (ops/wording.h). PF_EARG: the symbol is empty or too long; arc types that cannot be composed. O(operands),
 * and the check of words. */
pf_err pf_operands_compose(const pf_operands *operands, const pf_operand_records *records, pf_expr *first, pf_expr **out);

/* Ends the operands after the last record. PF_EINPUT: one of them has more records than were taken. */
pf_err pf_operands_end(const pf_operands *operands);

#ifdef __cplusplus
}
#endif
#endif
