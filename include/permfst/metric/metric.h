/* Metrics of translation and of word order. Each has statistics of a segment, which add up, and the score of a sum of them.
 *
 * What is scored is a segment, and what it is compared with are segments, too; what their numbers mean depends on the subject of
 * the metric:
 *
 *   words    words; references are translations. BLEU (Papineni et al. 2002, as sacreBLEU 2 computes it), NIST (Doddington 2002, as
 *            mteval-v11b.pl), RIBES (Isozaki et al. 2010, as RIBES 1.03.1), WER, mWER (its name with several references), PER
 *   orders   the positions of a sentence, from 0, in output order; the one reference is another order of them
 *   links    an order as above; the one reference is an alignment, as source, target, source, target, .., from 0
 *
 * A new metric is a class (mostly one function that counts and one that scores) and a line in the table. A score that is not
 * defined is NAN. Counting a segment is O(words) for each reference, of WER and RIBES O(words^2), and of orders as orders.h
 * says; a score, a name and a signature are O(1). */
#ifndef PF_METRIC_METRIC_H
#define PF_METRIC_METRIC_H

#include <permfst/base/writer.h>
#include <permfst/metric/bleu.h>
#include <permfst/metric/tokens.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_METRIC_WORDS, PF_METRIC_ORDERS, PF_METRIC_LINKS } pf_metric_subject;

/* Whether upper and lower case differ: as is usual for the metric (RIBES: they do not, others: they do); always; never. */
typedef enum { PF_CASE_USUAL, PF_CASE_MIXED, PF_CASE_LOWER } pf_metric_case;

/* How the scores of two orders become one of a corpus: their mean, or the quotient of the sums of what they are quotients of. */
typedef enum { PF_AVERAGE_SENTENCE, PF_AVERAGE_PAIRS } pf_metric_average;

typedef struct {
    pf_bleu_options bleu;
    pf_metric_case letters;
    pf_metric_average average; /* of orders */
    bool apart;                /* lader: words whose targets overlap make no block */
    bool attach_left;          /* lader: a word without links goes with its left neighbour, not its right one */
} pf_metric_options;           /* all zero but for bleu: the usual ones */

enum { PF_METRIC_STATISTICS = 2 + 2 * PF_BLEU_ORDER, PF_NIST_ORDER = 5 }; /* statistics at most; n-grams of NIST */

struct pfi_metric_room;
typedef struct pf_metric {
    const struct pf_metric_class *cls;
    pf_metric_options options;
    struct pfi_metric_room *room; /* memory for counting */
} pf_metric;

/* The references of a segment: n >= 1 that have words, or one without if none has; and how many have none. Borrowed. */
typedef struct {
    const pf_segment *at;
    size_t n, empty;
} pf_references;

typedef struct pf_metric_class {
    const char *name;  /* in options: bleu */
    const char *title; /* in tables: BLEU */
    pf_metric_subject subject;
    bool usual;          /* scored by where nobody names a metric of the subject */
    const char *program; /* of the field, which scores like this; NULL: none */
    bool lower_case;     /* is PF_CASE_USUAL lower case? */

    /* How many statistics a segment has. */
    unsigned (*width)(const pf_metric_options *options);

    /* Looks at the references of a segment, before any segment is counted: for what depends on all of them. NULL: nothing does.
     * PF_ENOMEM, PF_ELIMIT. */
    pf_err (*learn)(pf_metric *metric, const pf_references *references);

    /* The statistics of a segment: whole numbers, or such that their sums are exact. PF_ENOMEM. */
    pf_err (*count)(pf_metric *metric, pf_segment system, const pf_references *references, double *statistic);

    /* The score of a sum; that of the statistics of one segment, if it is another (NULL: it is not). */
    double (*score)(const pf_metric *metric, const double *sum);
    double (*score_one)(const pf_metric *metric, const double *statistic);

    /* Writes the figures of which the score is made. */
    pf_err (*details)(const pf_metric *metric, const double *sum, pf_writer *writer);

    /* Write the parts of a signature, each ended by |, before and after that of the tokeniser; NULL: there is none. */
    pf_err (*before_tok)(const pf_metric_options *options, pf_writer *writer);
    pf_err (*after_tok)(const pf_metric_options *options, pf_writer *writer);

    const void *own; /* of classes that share their functions: what is different */
} pf_metric_class;

/* A metric of a subject by its name (`length` bytes). PF_EARG, with all names, if there is none. */
pf_err pf_metric_find(pf_metric_subject subject, const char *name, size_t length, const pf_metric_class **out);

/* The entry at a place of the table, NULL past the last. */
const pf_metric_class *pf_metric_at(size_t place);

/* Sets up *out, which pf_metric_free frees, also after an error. PF_EARG: options that make no sense; PF_ENOMEM. */
pf_err pf_metric_init(pf_metric *out, const pf_metric_class *cls, const pf_metric_options *options);
void pf_metric_free(pf_metric *metric);

/* Does it see words in lower case? Its caller gives them to it. */
bool pf_metric_lowers(const pf_metric *metric);

/* The score of a sum, and of one segment. */
static inline double pf_metric_score(const pf_metric *metric, const double *sum) { return metric->cls->score(metric, sum); }
double pf_metric_score_one(const pf_metric *metric, const double *statistic);

/* The statistics of the segments of one system, `width` numbers each, in sequence. All zero: none. */
typedef struct {
    PF_VEC(double) at;
    unsigned width;
    size_t n; /* segments */
} pf_statistics;

/* Adds a segment. PF_ENOMEM. */
pf_err pf_statistics_add(pf_statistics *statistics, pf_metric *metric, pf_segment system, const pf_references *references);
void pf_statistics_free(pf_statistics *statistics);

/* The sum over all segments, into sum[width]; O(n). */
void pf_statistics_sum(const pf_statistics *statistics, double *sum);

/* Writes how a score was made: "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:V", in the grammar of the signatures of
 * sacreBLEU; of orders, there is no case and no tokeniser. `references` is 0 if their number varies; `resampled` is "" or, for
 * example, "bs:1000|seed:12345|". Errors of the writer. */
pf_err pf_metric_signature(const pf_metric *metric, size_t references, const char *resampled, const pf_tokeniser *tokeniser,
                           const char *version, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
