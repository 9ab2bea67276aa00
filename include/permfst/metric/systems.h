/* Several systems scored against the references of one test set, by several metrics, with intervals and tests.
 *
 * Add metrics, references, and after them systems; then count each segment; then ask. Score and details of a corpus, or of one
 * segment, are those that the class of a metric gives for the sum of statistics (metric.h).
 *
 * Orders are scored in the same way: their references are orders or alignments.
 *
 *   pf_systems_init(&s, tokeniser);
 *   pf_systems_reference(&s, reference, "ref"); pf_systems_add(&s, system, "hyp", &extra, &first);
 *   pf_systems_metric(&s, bleu, &options);
 *   for (size_t i = 0; i < s.set.n; i++) pf_systems_count(&s, i);
 *   score = pf_systems_score(&s, 0, 0);
 *
 * Adding a text is O(bytes), choosing is O(words), and counting a segment costs what its metrics do (metric.h). Sums and scores
 * are O(segments); the rest is O(1). */
#ifndef PF_METRIC_SYSTEMS_H
#define PF_METRIC_SYSTEMS_H

#include <permfst/align/format.h>
#include <permfst/metric/bootstrap.h>
#include <permfst/metric/testset.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_SYSTEMS_METRICS = 16 }; /* at most */

typedef struct {
    char *name;
    pf_tokens words;
    pf_statistics statistics[PF_SYSTEMS_METRICS];
} pf_scored_system;

typedef struct {
    pf_testset set;
    PF_VEC(pf_scored_system) system;
    pf_metric metric[PF_SYSTEMS_METRICS];
    unsigned metrics;
    size_t least_references, most_references; /* of the segments counted so far */
    bool links;                               /* the reference is an alignment */
    bool learnt;                              /* have the metrics seen all references? */
    PF_VEC(uint32_t) lower;                   /* the lower-case word of each word of the vocabulary, where it was asked for */
    PF_VEC(uint32_t) lowered;                 /* words of the segment at hand in lower case, and where its references begin: */
    PF_VEC(pf_segment) lowered_at;
    double *samples[PF_SYSTEMS_METRICS];      /* bootstrap samples of the first system; NULL: none yet */
} pf_systems;

/* Begins with no references, systems or metrics; the tokeniser is borrowed. */
void pf_systems_init(pf_systems *systems, const pf_tokeniser *tokeniser);
void pf_systems_free(pf_systems *systems);

/* Adds a reference or a system, with the results and errors of pf_testset_reference and pf_testset_system. The name is copied. */
pf_err pf_systems_reference(pf_systems *systems, const pf_docset *set, const char *name);
pf_err pf_systems_add(pf_systems *systems, const pf_docset *set, const char *name, size_t *extra, size_t *first);

/* Adds all texts of a kind, PF_DOCS_REFERENCE or PF_DOCS_SYSTEM, that a file has; if it has none, those of the other kind, with a
 * warning. Segments of a system without a reference are left out, with a warning. `name` is the file's; of several texts, each is
 * "name:text". PF_EINPUT: the file has only a source text; the errors of the two functions above. */
pf_err pf_systems_docs(pf_systems *systems, const pf_docs *docs, const char *name, pf_docs_kind kind, pf_warn warn,
    void *warn_to);

/* Adds orders, of numbers from `base` (permute/order.h), a line each, as the reference or as a system, and alignments
 * (align/format.h) as the reference, without links that the filter (NULL: none) leaves out. Orders have as many positions as the
 * reference has, or more than the last source word that is linked. There is one reference, and no text. PF_EINPUT with file and
 * line: a line that is not an order, or has another length; another number of lines. */
pf_err pf_systems_orders(pf_systems *systems, pf_reader *reader, unsigned base, pf_docs_kind kind);
pf_err pf_systems_links(pf_systems *systems, pf_reader *reader, pf_align_format format, const pf_align_filter *filter);

/* How the files of a subject are read. */
typedef struct {
    pf_metric_subject subject;
    pf_docs_form docs;     /* words */
    unsigned base;         /* orders, and orders with alignments: the number of the first position */
    pf_align_filter links; /* alignments */
} pf_scored_form;

/* Reads a file as its subject says and adds what it has, with the errors of pf_systems_docs, pf_systems_orders or pf_systems_links,
 * and those of the reader. Only texts give warnings. */
pf_err pf_systems_read(pf_systems *systems, pf_reader *reader, const pf_scored_form *form, pf_docs_kind kind, pf_warn warn,
                       void *warn_to);

/* Leaves out the segments that are not wanted, whose numbers go from 1, from the references and from all systems, before any is
 * counted. PF_ENOMEM. */
pf_err pf_systems_choose(pf_systems *systems, bool (*wanted)(void *self, uint64_t number), void *self);

/* Adds a metric: see pf_metric_init. PF_EARG also for more than PF_SYSTEMS_METRICS. The same by its name: see pf_metric_find. */
pf_err pf_systems_metric(pf_systems *systems, const pf_metric_class *cls, const pf_metric_options *options);
pf_err pf_systems_metric_named(pf_systems *systems, pf_metric_subject subject, const char *name, const pf_metric_options *options);

/* Adds the usual metrics of a subject; or those that score as `program` does (NULL: none; "lader", "tdbtg"). Errors of
 * pf_systems_metric. */
pf_err pf_systems_usual(pf_systems *systems, pf_metric_subject subject, const char *program, const pf_metric_options *options);

/* Counts the statistics of a segment, for all systems and metrics. Segments are counted in order, each once. PF_ENOMEM. */
pf_err pf_systems_count(pf_systems *systems, size_t segment);

/* The same of all segments. `progress` (NULL: nobody) is told after each of them. Warns (NULL: does not) where some segments have
 * fewer references than others. PF_EINPUT, with the file: there are no segments. */
pf_err pf_systems_count_all(pf_systems *systems, pf_warn warn, void (*progress)(void *self, uint64_t counted), void *self);

/* The statistics of a segment, borrowed; the sum of all, into sum[PF_METRIC_STATISTICS]; and the score of that sum. */
const double *pf_systems_segment(const pf_systems *systems, size_t system, unsigned metric, size_t segment);
void pf_systems_sum(const pf_systems *systems, size_t system, unsigned metric, double *sum);
double pf_systems_score(const pf_systems *systems, size_t system, unsigned metric);

/* What to find out by resampling. All zero: nothing. */
typedef struct {
    uint64_t samples; /* bootstrap samples for intervals; 0: none */
    bool paired;      /* also the paired bootstrap test against the first system, from the same samples */
    uint64_t trials;  /* trials of approximate randomisation against the first system; 0: none. Not with `paired` */
    uint64_t seed;
} pf_resampling;

typedef struct {
    pf_interval interval;
    double p_value; /* of the difference from the first system */
    double difference; /* from the first system, on the text: above 0 where this system has the higher score */
    pf_interval differences; /* of the samples; with `paired` only */
} pf_resampled; /* NAN: not asked, or the first system itself */
#define PF_NOT_RESAMPLED ((pf_resampled){{NAN, NAN, NAN}, NAN, NAN, {NAN, NAN, NAN}})

/* Resamples a system. The first system must come first, with the same resampling, because its samples are kept for the test.
 * PF_ENOMEM. O((samples + trials) * segments). */
pf_err pf_systems_resample(pf_systems *systems, size_t system, unsigned metric, const pf_resampling *how, pf_resampled *out);

/* Writes how the scores of a metric were made: pf_metric_signature, with the parts for resampling. Errors of the writer. */
pf_err pf_systems_signature(const pf_systems *systems, unsigned metric, const pf_resampling *how, const char *version,
                            pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
