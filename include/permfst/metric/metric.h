/* Metrics of translation: statistics of a segment, which add up, and the score of a sum of them.
 *
 * BLEU (Papineni et al. 2002, as sacreBLEU 2 computes it), WER and PER. A new metric is a class (mostly one function that
 * counts, one that scores) and a line in the table. */
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
    pf_metric_options o;
    struct pfi_metric_room *room; /* for counting */
} pf_metric;

typedef struct pf_metric_class {
    const char *name;  /* in options: bleu */
    const char *title; /* in tables: BLEU */

    /* Numbers a segment. */
    unsigned (*width)(const pf_metric_options *o);

    /* Those of a segment with its n >= 1 references. They are whole numbers. PF_ENOMEM. */
    pf_err (*count)(pf_metric *m, pf_segment system, const pf_segment *reference, size_t n, double *statistic);

    /* The score of a sum. */
    double (*score)(const pf_metric_options *o, const double *sum);

    /* What is worth knowing beside it. */
    pf_err (*details)(const pf_metric_options *o, const double *sum, pf_writer *w);

    /* Its parts of a signature, each with a | at the end: before and behind that of the tokeniser; NULL: none. */
    pf_err (*before_tok)(const pf_metric_options *o, pf_writer *w);
    pf_err (*after_tok)(const pf_metric_options *o, pf_writer *w);
} pf_metric_class;

/* Entry i of the table, NULL behind the last; by name (n bytes), PF_EARG with the names there are. */
const pf_metric_class *pf_metric_at(size_t i);
pf_err pf_metric_find(const char *name, size_t n, const pf_metric_class **out);

/* Begins on *out, which pf_metric_free ends. PF_EARG: options that make no sense. */
pf_err pf_metric_init(pf_metric *out, const pf_metric_class *cls, const pf_metric_options *options);
void pf_metric_free(pf_metric *m);

/* Statistics of the segments of one system, `width` numbers each, one behind the other. */
typedef struct {
    PF_VEC(double) at;
    unsigned width;
    size_t n; /* segments */
} pf_statistics;

/* Adds a segment. PF_ENOMEM. */
pf_err pf_statistics_add(pf_statistics *s, pf_metric *m, pf_segment system, const pf_segment *reference, size_t n);
void pf_statistics_free(pf_statistics *s);

/* The sum of all, into sum[width]; O(n). */
void pf_statistics_sum(const pf_statistics *s, double *sum);

/* What makes a score: "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:V", the grammar of sacreBLEU's signatures.
 * `references` is 0 where their number varies; `resampled` is "" or such as "bs:1000|seed:12345|". */
pf_err pf_metric_signature(const pf_metric *m, size_t references, const char *resampled, const pf_tokeniser *t,
                           const char *version, pf_writer *w);

#ifdef __cplusplus
}
#endif
#endif
