/* Metrics of translation. Each has statistics of a segment, which add up, and the score of a sum of them.
 *
 * The metrics are BLEU (Papineni et al. 2002, as sacreBLEU 2 computes it), WER and PER. A new metric is a class (mostly one
 * function that counts and one that scores) and a line in the table. */
#ifndef PF_METRIC_METRIC_H
#define PF_METRIC_METRIC_H

#include <permfst/base/writer.h>
#include <permfst/metric/bleu.h>
#include <permfst/metric/tokens.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_bleu_options bleu;
} pf_metric_options;

enum { PF_METRIC_STATISTICS = 2 + 2 * PF_BLEU_ORDER }; /* at most */

struct pfi_metric_room;
typedef struct pf_metric {
    const struct pf_metric_class *cls;
    pf_metric_options options;
    struct pfi_metric_room *room; /* memory for counting */
} pf_metric;

typedef struct pf_metric_class {
    const char *name;  /* in options: bleu */
    const char *title; /* in tables: BLEU */

    /* How many statistics a segment has. */
    unsigned (*width)(const pf_metric_options *options);

    /* The statistics of a segment with its n >= 1 references. They are whole numbers. PF_ENOMEM. */
    pf_err (*count)(pf_metric *metric, pf_segment system, const pf_segment *reference, size_t n, double *statistic);

    /* The score of a sum. */
    double (*score)(const pf_metric_options *options, const double *sum);

    /* Writes the figures of which the score is made. */
    pf_err (*details)(const pf_metric_options *options, const double *sum, pf_writer *writer);

    /* Write the parts of a signature, each ended by |, before and after that of the tokeniser; NULL: there is none. */
    pf_err (*before_tok)(const pf_metric_options *options, pf_writer *writer);
    pf_err (*after_tok)(const pf_metric_options *options, pf_writer *writer);
} pf_metric_class;

/* A metric by its name (n bytes). PF_EARG, with all names, if there is none. */
pf_err pf_metric_find(const char *name, size_t n, const pf_metric_class **out);

/* Sets up *out, which pf_metric_free frees, also after an error. PF_EARG: options that make no sense; PF_ENOMEM. */
pf_err pf_metric_init(pf_metric *out, const pf_metric_class *cls, const pf_metric_options *options);
void pf_metric_free(pf_metric *metric);

/* The statistics of the segments of one system, `width` numbers each, in sequence. All zero: none. */
typedef struct {
    PF_VEC(double) at;
    unsigned width;
    size_t n; /* segments */
} pf_statistics;

/* Adds a segment. PF_ENOMEM. */
pf_err pf_statistics_add(pf_statistics *statistics, pf_metric *metric, pf_segment system, const pf_segment *reference, size_t n);
void pf_statistics_free(pf_statistics *statistics);

/* The sum over all segments, into sum[width]; O(n). */
void pf_statistics_sum(const pf_statistics *statistics, double *sum);

/* Writes how a score was made: "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:V", in the grammar of the signatures of
 * sacreBLEU. `references` is 0 if their number varies; `resampled` is "" or, for example, "bs:1000|seed:12345|". */
pf_err pf_metric_signature(const pf_metric *metric, size_t references, const char *resampled, const pf_tokeniser *tokeniser,
                           const char *version, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
