/* Private to the metrics: the classes, and the memory that counting keeps from segment to segment. */
#ifndef PF_METRIC_METRIC_IMPL_H
#define PF_METRIC_METRIC_IMPL_H

#include <permfst/metric/metric.h>

extern const pf_metric_class pfi_metric_bleu, pfi_metric_wer, pfi_metric_per;

struct pfi_metric_room {
    pf_statetab pairs;                       /* n-grams of the segment at hand: (n-1)-gram, word -> number */
    PF_VEC(uint32_t) gram;                   /* the n-gram that begins at each word of the system and the references */
    PF_VEC(uint32_t) had, best, now, row;    /* by n-gram: times in the system, in the references; a row of a matrix */
};

/* Drops the n-grams, in time proportional to their number. */
void pfi_metric_forget(struct pfi_metric_room *room);

/* The two statistics of WER and PER, errors and length: those of the reference with the fewest errors, of equal ones the longer. */
typedef pf_err (*pfi_errors)(pf_metric *m, pf_segment system, pf_segment reference, size_t *errors);
pf_err pfi_fewest_errors(pf_metric *metric, pf_segment system, const pf_segment *reference, size_t n, pfi_errors count,
                         double *to);

/* What WER and PER share: two statistics, errors and length, and their quotient. Over no length, 0 errors are 0 and others 1. */
unsigned pfi_error_width(const pf_metric_options *options);
double pfi_error_rate(const pf_metric_options *options, const double *sum);
pf_err pfi_error_details(const pf_metric_options *options, const double *sum, pf_writer *writer);

#endif
