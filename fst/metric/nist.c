/* NIST (Doddington, HLT 2002), as mteval-v11b.pl computes it: n-grams of up to 5 words count as much as they are informative.
 *
 *   info(g) = log2(c(g without its last word) / c(g)),  c of no word: all words; c counts in all references of the corpus
 *   score = penalty * sum over n of gain_n / max(total_n, 1);  gain_n: clipped matches, each times its info
 *   penalty = exp(-beta ln^2 ratio) for ratio < 1, beta = ln 2 / ln^2 1.5; ratio: words of the system by words of a mean reference
 *
 * Statistics: words, mean reference words, gains of n = 1..5, totals of n = 1..5. Gains are multiples of 2^-24, with exact sums.
 * O(words) expected for each n, and memory for each n-gram of the references. */
#include "metric/metric_impl.h"

#include <math.h>

enum { LENGTH, REFERENCE, GAIN, TOTAL = GAIN + PF_NIST_ORDER, WIDTH = TOTAL + PF_NIST_ORDER, BITS = 24, NONE = UINT32_MAX };

static unsigned width(const pf_metric_options *options PF_UNUSED) { return WIDTH; }

/* ---- all references ---- */

/* The n-gram that continues `begin` (NONE: the empty one) by a word. */
static pf_err learn_gram(struct pfi_metric_room *room, uint32_t begin, uint32_t word, uint32_t *id) {
    PF_TRY(pf_statetab_intern_word(&room->corpus, 0, (uint64_t)begin << 32 | word, id));
    if (*id == room->times.n) PF_TRY(PF_PUSH(&room->times, 0));
    room->times.at[*id]++;
    return PF_OK;
}

static pf_err learn_segment(struct pfi_metric_room *room, pf_segment segment) {
    room->words += segment.n;
    for (size_t at = 0; at < segment.n; at++) {
        uint32_t id = NONE;
        for (size_t k = at; k < segment.n && k < at + PF_NIST_ORDER; k++) PF_TRY(learn_gram(room, id, segment.word[k], &id));
    }
    return PF_OK;
}

static pf_err learn(pf_metric *metric, const pf_references *references) {
    for (size_t k = 0; k < references->n; k++) PF_TRY(learn_segment(metric->room, references->at[k]));
    return PF_OK;
}

static double info(const struct pfi_metric_room *room, uint32_t begin, uint32_t gram) {
    double before = begin == NONE ? (double)room->words : room->times.at[begin];
    return log2(before / room->times.at[gram]);
}

/* ---- a segment ---- */

/* The gain of the n-grams of one length; known[i]: the n-gram of the corpus that begins at word i, first one word less, then n. */
static double gain(struct pfi_metric_room *room, pf_segment system, unsigned order, uint32_t *known) {
    double sum = 0;
    uint32_t fresh = 0; /* n-grams are numbered as they come */
    for (size_t at = 0; at + order <= system.n; at++) {
        uint32_t gram = room->gram.at[at], begin = known[at], had = room->had.at[gram], best = room->best.at[gram];
        uint64_t key = (uint64_t)begin << 32 | system.word[at + order - 1];
        if (best) known[at] = pf_statetab_find(&room->corpus, &key, sizeof key);
        if (gram != fresh) continue;
        fresh++;
        if (best) sum += (had < best ? had : best) * info(room, begin, known[at]);
    }
    return sum;
}

static double mean_length(const pf_references *references) {
    double words = 0;
    size_t n = references->at[0].n ? references->n + references->empty : references->empty;
    for (size_t k = 0; k < references->n; k++) words += (double)references->at[k].n;
    return n ? words / (double)n : 0;
}

static pf_err count(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    struct pfi_metric_room *room = metric->room;
    PF_TRY(pfi_grams_begin(room, system, references));
    room->row.n = 0;
    PF_TRY(PF_ROOM(&room->row, system.n + 1));
    for (size_t i = 0; i < system.n; i++) room->row.at[i] = NONE;
    to[LENGTH] = (double)system.n;
    to[REFERENCE] = pfi_rounded(mean_length(references), BITS);
    for (unsigned n = 1; n <= PF_NIST_ORDER; n++) {
        PF_TRY(pfi_grams_count(room, system, references, n));
        to[GAIN + n - 1] = pfi_rounded(gain(room, system, n, room->row.at), BITS);
        to[TOTAL + n - 1] = system.n < n ? 0 : (double)(system.n - n + 1);
    }
    return PF_OK;
}

/* ---- the score ---- */

static double penalty(const double *sum) {
    double ratio = sum[LENGTH] / sum[REFERENCE], beta = log(2) / (log(1.5) * log(1.5));
    if (!(sum[LENGTH] > 0)) return 0;
    return ratio >= 1 ? 1 : exp(-beta * log(ratio) * log(ratio));
}

static double score(const pf_metric *metric PF_UNUSED, const double *sum) {
    double all = 0;
    for (unsigned n = 0; n < PF_NIST_ORDER; n++) all += sum[GAIN + n] / fmax(sum[TOTAL + n], 1);
    return penalty(sum) * all;
}

static pf_err details(const pf_metric *metric PF_UNUSED, const double *sum, pf_writer *writer) {
    for (unsigned n = 0; n < PF_NIST_ORDER; n++)
        PF_TRY(pf_writer_text(writer, "%s%.4f", n ? "/" : "", sum[GAIN + n] / fmax(sum[TOTAL + n], 1)));
    return pf_writer_text(writer, " penalty=%.4f hyp_len=%.0f ref_len=%.1f", penalty(sum), sum[LENGTH], sum[REFERENCE]);
}

const pf_metric_class pfi_metric_nist = {
    .name = "nist", .title = "NIST", .width = width, .learn = learn, .count = count, .score = score, .details = details,
};
