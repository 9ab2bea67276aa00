/* Alignments compared with gold links (Och and Ney 2003, section 6).
 *
 * A: the links given, S: the sure links of the gold, P: all of its links, sure or possible.
 *
 *   precision  |A and P| / |A|        recall  |A and S| / |S|        AER  1 - (|A and S| + |A and P|) / (|A| + |S|)
 *   F          1 / (alpha / precision + (1 - alpha) / recall), alpha = 0.5 for the harmonic mean (Fraser and Marcu 2007)
 *
 * Counts are summed over a corpus before they are divided. Nothing over nothing is 1 for precision and recall, 0 for AER.
 * Figures and lines of counts are O(1). */
#ifndef PF_ALIGN_EVALUATE_H
#define PF_ALIGN_EVALUATE_H

#include <permfst/align/alignment.h>
#include <permfst/base/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t pairs, links, sure, possible; /* sentence pairs, |A|, |S|, |P| */
    uint64_t in_sure, in_possible;         /* |A and S|, |A and P| */
} pf_align_counts; /* all zero: nothing counted */

/* Adds a pair. Every link of `links` counts, sure or possible. O(links of both). */
void pf_align_evaluate(const pf_alignment *links, const pf_alignment *gold, pf_align_counts *counts);

double pf_align_precision(const pf_align_counts *counts);
double pf_align_recall(const pf_align_counts *counts);
double pf_align_aer(const pf_align_counts *counts);
double pf_align_f(const pf_align_counts *counts, double alpha); /* alpha from 0 to 1; 0 if precision and recall are */

/* Writes the counts and the four figures: a line for each, with its name; or all of them in one line after `label`.
 * Errors of the writer. */
pf_err pf_align_counts_write(const pf_align_counts *counts, double alpha, pf_writer *writer);
pf_err pf_align_counts_write_line(const pf_align_counts *counts, double alpha, const char *label, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
