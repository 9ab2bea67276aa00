/* Makes tuples of the alignment of a sentence pair, by one of two methods, and counts what was found in a corpus.
 *
 *   unfold    tuples between which no link leads (unfold.h)
 *   monotone  one source word a tuple, at the least cost (monotonize.h)
 *
 * An extractor is for one thread at a time; several may share one model of IBM. A pair costs what unfold.h or monotonize.h does. */
#ifndef PF_TUPLES_EXTRACT_H
#define PF_TUPLES_EXTRACT_H

#include <permfst/align/parallel.h>
#include <permfst/base/writer.h>
#include <permfst/tuples/monotonize.h>
#include <permfst/tuples/unfold.h>
#include <permfst/tuples/write.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_EXTRACT_UNFOLD, PF_EXTRACT_MONOTONE } pf_extract_method;

/* What the costs of `monotone` come from. Auto: posteriors if every link of the pair has one, links if none has one. */
typedef enum { PF_COSTS_AUTO, PF_COSTS_LINKS, PF_COSTS_POSTERIORS } pf_costs_kind;

typedef struct {
    pf_extract_method method;
    bool keep_order;       /* do not reorder the source */
    uint64_t max_words;    /* leave out pairs with a tuple of more words on a side; 0: no limit */
    pf_unaligned unaligned; /* unfold: the side of unaligned target words; and the model for PF_UNALIGNED_IBM1 */
    const pf_ibm1 *model;        /* NULL: the extractor trains one on this corpus, with `iterations` iterations */
    const pf_ibm1_corpus *corpus;
    uint64_t iterations;
    pf_costs_kind costs;   /* monotone; and the share of the second alignment in the costs, 0 to 1 */
    double second_share;
} pf_extract_options;

typedef struct {
    const pf_alignment *first, *second; /* second: monotone only; NULL: there is one alignment */
    const pf_words *source, *target;    /* needed for PF_UNALIGNED_IBM1 only */
} pf_extract_pair;

/* Sums over pairs. The figures after left_out are those of the pairs that were not left out. */
typedef struct {
    uint64_t pairs, left_out;             /* left_out: for max_words */
    uint64_t in_order;                    /* the source keeps its order */
    uint64_t uncrossed, unlinked;         /* the first alignment has no crossing links; no links */
    uint64_t source_words, target_words;
    uint64_t tuples, no_target, no_source; /* all; those that lack a side */
    uint64_t most_sources, most_targets;  /* the most words of a tuple on a side */
    uint64_t unused_posteriors;           /* of all pairs: links whose posterior was not used */
} pf_extract_counts;

/* Writes all but unused_posteriors: a line for each, with name and number. Errors of the writer. O(1). */
pf_err pf_extract_counts_write(const pf_extract_counts *counts, pf_writer *writer);

typedef struct pf_extractor pf_extractor;

/* Makes an extractor. The options are copied; the model is borrowed. *out belongs to the caller; NULL after an error. PF_ENOMEM;
 * errors of pf_ibm1_train. O(1), and the training of a model where there is none. */
pf_err pf_extractor_new(const pf_extract_options *options, pf_extractor **out);
void pf_extractor_free(pf_extractor *extractor); /* NULL is accepted */

/* Finds the tuples of a pair: none if it is left out. PF_EINPUT: some links have a posterior and some do not (PF_COSTS_AUTO), and
 * the errors of pf_unfold, pf_costs_links, pf_costs_posteriors and pf_monotonize. */
pf_err pf_tuples_of_pair(pf_extractor *extractor, const pf_extract_pair *pair, pf_tuples *out);

/* A corpus that is read pair by pair, by its columns; and where the lines of each pair go. */
typedef struct {
    pf_parallel *pairs; /* borrowed */
    size_t source, target, links[2]; /* the second 0: there is one alignment */
    pf_tuple_writers to;
} pf_tuple_corpus;

/* Extracts the tuples of the pair that was read last, and writes its lines. What is left out of its links is added to *left_out.
 * The errors and costs of pf_tuples_of_pair and pf_tuples_write_lines. */
pf_err pf_extractor_pair(pf_extractor *extractor, const pf_tuple_corpus *corpus, pf_align_left_out *left_out);

/* The sums over all pairs so far; borrowed. O(1). */
const pf_extract_counts *pf_extractor_counts(const pf_extractor *extractor);

#ifdef __cplusplus
}
#endif
#endif
