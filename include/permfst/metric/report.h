/* The scores of systems as rows: a table for people, lines with tabs, or JSON with an object on each line.
 *
 * A row is a system and a metric, for the whole test set or for one sentence: the score, what resampling says about it, and the
 * details of the metric. Tab-separated lines begin with a heading; a table ends with the signatures of the metrics, which the other
 * formats have in each row. */
#ifndef PF_METRIC_REPORT_H
#define PF_METRIC_REPORT_H

#include <permfst/base/table.h>
#include <permfst/metric/systems.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_table_format format; 
    unsigned digits;          /* after the point of a score */
    bool sentences;           /* rows for each sentence, and none for the test set */
    pf_resampling resampling; /* of the test set: has columns for the interval and the p value, as far as they are asked for */
    const char *version;      /* of the program that scores, for signatures */
    void (*progress)(void *self, uint64_t rows); /* told after each row of the test set; NULL: nobody is */
    void *self;
} pf_report_options;

/* Writes the rows of all systems, whose segments are counted. PF_ENOMEM; the errors of the writer. O(rows), and the time of
 * pf_systems_resample for each row of the test set. */
pf_err pf_systems_report(pf_systems *systems, const pf_report_options *options, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
