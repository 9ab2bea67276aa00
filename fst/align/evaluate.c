/* Two sorted lists are merged and counted. */
#include <permfst/align/evaluate.h>

#include "align/sound.h"
#include "base/contract.h"

void pf_align_evaluate(const pf_alignment *links, const pf_alignment *gold, pf_align_counts *counts) {
    size_t at = 0;
    PFI_CHECK(pfi_alignment_sound(links) && pfi_alignment_sound(gold));
    counts->pairs++;
    counts->links += links->link.n;
    counts->possible += gold->link.n;
    for (size_t i = 0; i < gold->link.n; i++) {
        const pf_link *one = &gold->link.at[i];
        counts->sure += !one->possible;
        while (at < links->link.n && pfi_link_before(&links->link.at[at], one)) at++;
        if (at == links->link.n || pfi_link_before(one, &links->link.at[at])) continue;
        counts->in_possible++;
        counts->in_sure += !one->possible;
    }
}

static double ratio(uint64_t first, uint64_t second) { return second ? (double)first / (double)second : 1; }

double pf_align_precision(const pf_align_counts *counts) { return ratio(counts->in_possible, counts->links); }
double pf_align_recall(const pf_align_counts *counts) { return ratio(counts->in_sure, counts->sure); }
double pf_align_aer(const pf_align_counts *counts) { return 1 - ratio(counts->in_sure + counts->in_possible,
                                                                      counts->links + counts->sure); }

double pf_align_f(const pf_align_counts *counts, double alpha) {
    double precision = pf_align_precision(counts), recall = pf_align_recall(counts);
    assert(alpha >= 0 && alpha <= 1);
    double sum = alpha * recall + (1 - alpha) * precision;
    return sum > 0 ? precision * recall / sum : 0;
}

/* ---- as text ---- */

enum { COUNTS = 5, FIELDS = 9 };
static const char *const fields[FIELDS] = {"links",     "sure",   "possible", "in-sure", "in-possible",
                                           "precision", "recall", "f",        "aer"};

static pf_err write_field(const pf_align_counts *counts, double alpha, int i, pf_writer *writer) {
    const uint64_t count[COUNTS] = {counts->links, counts->sure, counts->possible, counts->in_sure, counts->in_possible};
    if (i < COUNTS) return pf_writer_text(writer, "\t%llu", (unsigned long long)count[i]);
    const double ratios[] = {pf_align_precision(counts), pf_align_recall(counts), pf_align_f(counts, alpha), pf_align_aer(counts)};
    return pf_writer_text(writer, "\t%.6f", ratios[i - COUNTS]);
}

pf_err pf_align_counts_write(const pf_align_counts *counts, double alpha, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "pairs\t%llu\n", (unsigned long long)counts->pairs));
    for (int i = 0; i < FIELDS; i++) {
        PF_TRY(pf_writer_text(writer, "%s", fields[i]));
        PF_TRY(write_field(counts, alpha, i, writer));
        PF_TRY(pf_writer_put(writer, "\n", 1));
    }
    return PF_OK;
}

pf_err pf_align_counts_write_line(const pf_align_counts *counts, double alpha, const char *label, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "%s", label));
    for (int i = 0; i < FIELDS; i++) PF_TRY(write_field(counts, alpha, i, writer));
    return pf_writer_put(writer, "\n", 1);
}
