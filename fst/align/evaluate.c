/* Two sorted lists are merged and counted. */
#include <permfst/align/evaluate.h>

#include "align/sound.h"
#include "base/contract.h"

void pf_align_evaluate(const pf_alignment *links, const pf_alignment *gold, pf_align_counts *c) {
    size_t k = 0;
    PFI_CHECK(pfi_alignment_sound(links) && pfi_alignment_sound(gold));
    c->pairs++;
    c->links += links->link.n;
    c->possible += gold->link.n;
    for (size_t i = 0; i < gold->link.n; i++) {
        const pf_link *y = &gold->link.at[i];
        c->sure += !y->possible;
        while (k < links->link.n && pfi_link_before(&links->link.at[k], y)) k++;
        if (k == links->link.n || pfi_link_before(y, &links->link.at[k])) continue;
        c->in_possible++;
        c->in_sure += !y->possible;
    }
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 1; }

double pf_align_precision(const pf_align_counts *c) { return ratio(c->in_possible, c->links); }
double pf_align_recall(const pf_align_counts *c) { return ratio(c->in_sure, c->sure); }
double pf_align_aer(const pf_align_counts *c) { return 1 - ratio(c->in_sure + c->in_possible, c->links + c->sure); }

double pf_align_f(const pf_align_counts *c, double alpha) {
    double precision = pf_align_precision(c), recall = pf_align_recall(c);
    assert(alpha >= 0 && alpha <= 1);
    double sum = alpha * recall + (1 - alpha) * precision;
    return sum > 0 ? precision * recall / sum : 0;
}

/* ---- as text ---- */

enum { COUNTS = 5, FIELDS = 9 };
static const char *const fields[FIELDS] = {"links",     "sure",   "possible", "in-sure", "in-possible",
                                           "precision", "recall", "f",        "aer"};

static pf_err write_field(const pf_align_counts *c, double alpha, int i, pf_writer *w) {
    const uint64_t count[COUNTS] = {c->links, c->sure, c->possible, c->in_sure, c->in_possible};
    if (i < COUNTS) return pf_writer_text(w, "\t%llu", (unsigned long long)count[i]);
    const double ratios[] = {pf_align_precision(c), pf_align_recall(c), pf_align_f(c, alpha), pf_align_aer(c)};
    return pf_writer_text(w, "\t%.6f", ratios[i - COUNTS]);
}

pf_err pf_align_counts_write(const pf_align_counts *c, double alpha, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "pairs\t%llu\n", (unsigned long long)c->pairs));
    for (int i = 0; i < FIELDS; i++) {
        PF_TRY(pf_writer_text(w, "%s", fields[i]));
        PF_TRY(write_field(c, alpha, i, w));
        PF_TRY(pf_writer_put(w, "\n", 1));
    }
    return PF_OK;
}

pf_err pf_align_counts_write_line(const pf_align_counts *c, double alpha, const char *label, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "%s", label));
    for (int i = 0; i < FIELDS; i++) PF_TRY(write_field(c, alpha, i, w));
    return pf_writer_put(w, "\n", 1);
}
