/* One record of a stream and its references, by any metric of oracles: what permoracle does to a record.
 *
 * References are lines of words, or orders, or alignments, whose unfolding is the order (Pecheux et al. 2016, section 2.1); each
 * record has one of every file. BLEU goes to pf_oracle_bleu, or to a front for the choices of a corpus; the metrics that add go to
 * a machine of their costs (additive.h) and the search for best paths. References are O(bytes), figures and sums O(paths); the
 * search is that of the metric. */
#ifndef PF_ORACLE_RECORD_H
#define PF_ORACLE_RECORD_H

#include <permfst/align/format.h>
#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/oracle/additive.h>
#include <permfst/oracle/corpus.h>
#include <permfst/oracle/table.h>
#include <permfst/permute/order.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_ORACLE_BY_BLEU, PF_ORACLE_BY_LINEAR, PF_ORACLE_BY_KENDALL, PF_ORACLE_BY_CHUNKS,
              PF_ORACLE_BY_EDITS } pf_oracle_kind;

typedef struct {
    pf_oracle_kind kind;
    const char *name;      /* bleu, linear-bleu, kendall, chunks, wer */
    pf_linear_bleu linear;
} pf_oracle_metric;

/* A metric by its name, linear-bleu also with two numbers above 0: "linear-bleu:0.4,0.8". PF_EARG, with all names. */
pf_err pf_oracle_metric_read(const char *word, pf_oracle_metric *out);

/* Is its reference an order? */
static inline bool pf_oracle_by_order(const pf_oracle_metric *metric) {
    return metric->kind == PF_ORACLE_BY_KENDALL || metric->kind == PF_ORACLE_BY_CHUNKS;
}

/* Where references are read. */
typedef struct {
    pf_oracle_metric metric;
    pf_reader **reader;
    size_t readers;
    pf_align_reader *align; /* of *reader: the orders are unfoldings of alignments; NULL: they are lines */
    unsigned base;          /* the number of the first position in an order */
} pf_oracle_sources;        /* pf_oracle_sources_open, pf_oracle_sources_free */

/* Opens n files of references, or, with `links`, a file of alignments; `open` opens a file. After an error there is as much to free
 * as before. Errors of `open`; PF_ENOMEM. */
pf_err pf_oracle_sources_open(pf_oracle_sources *sources, const char *const *path, size_t n, const char *links,
                              pf_err (*open)(void *call, const char *path, pf_reader **out), void *call);
void pf_oracle_sources_free(pf_oracle_sources *sources);

typedef struct {
    pf_oracle_references references;
    PF_VEC(char *) line;    /* those of the references */
    PF_VEC(const char *) taken; /* of these, those that have words; one of them if none has */
    pf_visit_order order;
    pf_alignment links;
    pf_oracle_answer answer;
    pf_oracle_front front;
    pf_oracle_sentence sentence; /* of a table */
} pf_oracle_record; /* pf_oracle_record_init, pf_oracle_record_free */

void pf_oracle_record_init(pf_oracle_record *record);
void pf_oracle_record_free(pf_oracle_record *record);

/* The references of the next record. They are also read where the record has failed: `failed` is its error, whose message stays,
 * and `record` may be NULL then. And after the last record: PF_EINPUT, if there is one more line. PF_EINPUT names file and line. */
pf_err pf_oracle_sources_next(const pf_oracle_sources *sources, pf_err failed, pf_oracle_record *record);
pf_err pf_oracle_sources_end(const pf_oracle_sources *sources);

/* The oracle of a machine into record->answer, or record->front. Errors of pf_oracle_bleu; PF_EINPUT: the reference does not belong
 * to the machine; PF_ELIMIT: a limit ended the search before there was a path. */
typedef struct {
    pf_oracle_options oracle;
    bool front;
    bool lattice;           /* as in search/best.h, metrics that add; and the threshold, 0: of the best paths only */
    double threshold;
} pf_oracle_record_options;
pf_err pf_oracle_record_search(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst,
                               const pf_oracle_record_options *options);

/* The figure of path `rank` by a metric that adds: its cost, or its gain. */
double pf_oracle_figure(const pf_oracle_metric *metric, const pf_path *path);

/* Lines for the paths of an answer, with tabs: record, rank, score, details, length, reference, ties, proof, permutation, words.
 * Errors of the writer. */
pf_err pf_oracle_scores_head(pf_writer *writer);
pf_err pf_oracle_scores_write(const pf_oracle_metric *metric, const pf_oracle_answer *answer, bool brevity, uint64_t record,
                              pf_writer *writer);

/* The choice of a front as an answer of one path. *out is freed by pf_oracle_answer_free, also after an error. PF_ENOMEM. */
pf_err pf_oracle_choice_answer(const pf_oracle_front *front, size_t chosen, bool brevity, pf_oracle_answer *out);

/* What the answers of all records come to; all zero: of none. */
typedef struct {
    uint64_t records, proven;
    bool no_path;            /* of some record */
    pf_oracle_counts counts; /* BLEU; and the sum of other figures: */
    double figures;
} pf_oracle_sum;
void pf_oracle_sum_add(pf_oracle_sum *sum, const pf_oracle_metric *metric, const pf_oracle_answer *answer);

/* "3 records, 3 proven; corpus BLEU 34.6251, 383/195/77/23". `bound`: what no choice for the corpus exceeds, 0 to 1; NULL: not a
 * corpus; NAN: it is not known. Returns `words`. */
enum { PF_ORACLE_SUM_BYTES = 300 };
const char *pf_oracle_sum_words(const pf_oracle_sum *sum, const pf_oracle_metric *metric, const double *bound,
                                char words[PF_ORACLE_SUM_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
