/* Rules applied to the sentences of a stream, record by record (ops/records.h). The verb of permrules apply. The end is O(1). */
#ifndef PF_RULES_RULED_H
#define PF_RULES_RULED_H

#include <permfst/ops/records.h>
#include <permfst/rules/annotated.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_rule_apply_options how;
    pf_annotation_files files; /* what goes with the sentences, line by line */
    const char *name;          /* of the stream of sentences, for messages; and the number of its first record */
    uint64_t first;
    bool reference;            /* the last file of permutations has references; those of the others are added to lattices */
    /* Of pf_ruled_figures only: */
    pf_writer *lines;      /* the figures of each sentence, a line each; NULL: they are only added up */
    pf_rule_totals totals; /* of all sentences: set up and freed by the caller */
} pf_ruling;

/* Steps whose `self` is a pf_ruling, shared by all threads. The first make of each linear automaton its lattice (r->out); the
 * others count it. Errors of a record: those of pf_annotated_read and _take, and of pf_rules_apply. */
extern const pf_record_steps pf_ruled_lattices, pf_ruled_figures;

/* Ends the files after the last record. PF_EINPUT: a file has one more line (pf_annotation_end). */
pf_err pf_ruled_end(const pf_ruling *ruling);

#ifdef __cplusplus
}
#endif
#endif
