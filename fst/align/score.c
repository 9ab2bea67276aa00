/* Counts over two sorted lists, merged. */
#include <permfst/align/score.h>

static bool before(const pf_link *a, const pf_link *b) {
    return a->source != b->source ? a->source < b->source : a->target < b->target;
}

void pf_align_count(const pf_alignment *links, const pf_alignment *gold, pf_align_counts *c) {
    size_t k = 0;
    c->pairs++;
    c->links += links->link.n;
    c->possible += gold->link.n;
    for (size_t i = 0; i < gold->link.n; i++) {
        const pf_link *y = &gold->link.at[i];
        c->sure += !y->possible;
        while (k < links->link.n && before(&links->link.at[k], y)) k++;
        if (k == links->link.n || before(y, &links->link.at[k])) continue;
        c->in_possible++;
        c->in_sure += !y->possible;
    }
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 1; }

double pf_align_precision(const pf_align_counts *c) { return ratio(c->in_possible, c->links); }
double pf_align_recall(const pf_align_counts *c) { return ratio(c->in_sure, c->sure); }
double pf_align_aer(const pf_align_counts *c) { return 1 - ratio(c->in_sure + c->in_possible, c->links + c->sure); }

double pf_align_f(const pf_align_counts *c, double alpha) {
    double precision = pf_align_precision(c), recall = pf_align_recall(c), sum = alpha * recall + (1 - alpha) * precision;
    return sum > 0 ? precision * recall / sum : 0;
}
