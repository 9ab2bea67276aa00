/* What the files of the fuzzer's target share. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>
#include <permfst/model/model.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(claim)                                                                       \
    do {                                                                                  \
        if (!(claim)) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #claim, pf_message()); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

enum { FUZZ_MAX_STATES = 200 };

/* Reads `r` to its end or an error, writes to `w` what it has accepted, if that can be read again, and returns how much was
 * accepted. `variant` counts through the options there are. */
typedef size_t fuzz_reader(pf_reader *r, pf_writer *w, unsigned variant);

/* fuzz_readers.c: is a record not used again if one of the same bytes was used before? Not in a fuzzer, for which an input must do
 * the same at any time. */
extern bool fuzz_remembers;

/* fuzz_readers.c: what was read is searched, expanded and asked a little. */
void fuzz_use_model(const pf_model *model);
void fuzz_use_fst(pf_fst *fst);

/* fuzz_spaces.c: specifications of constraints, tables of costs, permutations, references. */
fuzz_reader fuzz_constraints, fuzz_tables, fuzz_orders, fuzz_references;

/* fuzz_searches.c: bytes are made into a small permutation automaton with a model, or any small machine; all searches agree with
 * one another and with a list of all paths. */
fuzz_reader fuzz_searches, fuzz_machines, fuzz_graphs;

/* fuzz_learners.c: states of learners, from which they go on. */
fuzz_reader fuzz_learners;

#endif
