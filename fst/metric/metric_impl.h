/* Private to the metrics: the classes, and the memory that counting keeps from segment to segment. */
#ifndef PF_METRIC_METRIC_IMPL_H
#define PF_METRIC_METRIC_IMPL_H

#include <permfst/metric/metric.h>
#include <permfst/metric/orders.h>

extern const pf_metric_class pfi_metric_bleu, pfi_metric_nist, pfi_metric_ribes, pfi_metric_wer, pfi_metric_mwer, pfi_metric_per;
extern const pf_metric_class pfi_metric_tau, pfi_metric_kendall, pfi_metric_pairs, pfi_metric_fuzzy, pfi_metric_fragmentation,
    pfi_metric_spearman, pfi_metric_footrule;
extern const pf_metric_class pfi_metric_lader_chunk, pfi_metric_lader_tau, pfi_metric_tdbtg_fuzzy, pfi_metric_tdbtg_tau,
    pfi_metric_tdbtg_match, pfi_metric_crossing;

typedef PF_VEC(uint32_t) pfi_numbers;

struct pfi_metric_room {
    pf_statetab pairs;                /* n-grams of the segment at hand: (n-1)-gram, word -> number */
    pfi_numbers gram;                 /* the n-gram that begins at each word of the system and the references */
    pfi_numbers had, best, now, row;  /* by n-gram: times in the system, in the references; a row of a matrix */
    pf_statetab corpus;               /* NIST: the same of all references of the corpus, of all lengths */
    pfi_numbers times;                /* ... and how often each is there */
    uint64_t words;                   /* ... and how many words there are */
    pf_order_room orders;
};

/* The n-grams of a segment (room->gram: those of one word less, 0 for order 1) and how often they are in it (room->had) and in the
 * reference that has it most often (room->best). First make room for all lengths, then count for order 1, 2, ... PF_ENOMEM. */
pf_err pfi_grams_begin(struct pfi_metric_room *room, pf_segment system, const pf_references *references);
pf_err pfi_grams_count(struct pfi_metric_room *room, pf_segment system, const pf_references *references, unsigned order);

/* The number nearest to the value that is a multiple of 2^-bits: such numbers have exact sums, as far as 53 bits hold them. */
double pfi_rounded(double value, int bits);

/* Pairs of places i < j with value[i] > value[j]. Sorts the values; `spare` has room for `count`. O(count log count). */
uint64_t pfi_inversions(uint32_t *value, size_t count, uint32_t *spare);

/* Drops the n-grams, in time proportional to their number. */
void pfi_metric_forget(struct pfi_metric_room *room);

/* The two statistics of WER and PER, errors and length: those of the reference with the fewest errors, of equal ones the longer. */
typedef pf_err (*pfi_errors)(pf_metric *metric, pf_segment system, pf_segment reference, size_t *errors);
pf_err pfi_fewest_errors(pf_metric *metric, pf_segment system, const pf_references *references, pfi_errors count, double *to);

/* What WER and PER share: two statistics, errors and length, and their quotient. Over no length, 0 errors are 0 and others 1. */
unsigned pfi_error_width(const pf_metric_options *options);
double pfi_error_rate(const pf_metric *metric, const double *sum);
pf_err pfi_error_details(const pf_metric *metric, const double *sum, pf_writer *writer);

#endif
