/* BLEU: O(order * words) expected a segment. */
#include <permfst/metric/bleu.h>

#include "metric/metric_impl.h"

#include <assert.h>
#include <math.h>

static const struct {
    const char *name;
    double value;
} smoothings[] = {
    [PF_SMOOTH_NONE] = {"none", -1},
    [PF_SMOOTH_FLOOR] = {"floor", 0.1},
    [PF_SMOOTH_ADD_K] = {"add-k", 1},
    [PF_SMOOTH_EXP] = {"exp", -1},
};
enum { SMOOTHINGS = sizeof smoothings / sizeof *smoothings };

const char *pf_smoothing_name(size_t place) { return place < SMOOTHINGS ? smoothings[place].name : NULL; }
double pf_smoothing_value(pf_smoothing smoothing) { return smoothings[smoothing].value; }

pf_bleu_options pf_bleu_usual(void) { return (pf_bleu_options){.order = 4, .smoothing = PF_SMOOTH_EXP, .value = -1}; }

/* ---- the score ---- */

static double penalty(double words, double reference) {
    return words >= reference ? 1 : words > 0 ? exp(1 - reference / words) : 0;
}

static bool has_match(const pf_bleu_options *options, const double *match) {
    for (unsigned n = 0; n < options->order; n++)
        if (match[n] > 0) return true;
    return false;
}

/* In percent; *zeros counts the orders without a match. */
static double precision(const pf_bleu_options *options, double match, double total, int *zeros) {
    if (match > 0) return 100 * match / total;
    if (options->smoothing == PF_SMOOTH_FLOOR) return 100 * options->value / total;
    return options->smoothing == PF_SMOOTH_EXP ? 100 / (ldexp(1, ++*zeros) * total) : 0;
}

void pf_bleu_of(const pf_bleu_options *options, const double *sum, pf_bleu *out) {
    const double *match = sum + 2, *total = sum + 2 + options->order;
    double logs = 0;
    int zeros = 0;
    unsigned order = 0;
    assert(options->order >= 1 && options->order <= PF_BLEU_ORDER);
    *out = (pf_bleu){.penalty = penalty(sum[0], sum[1])};
    if (!has_match(options, match)) return;
    for (; order < options->order; order++) {
        double more = options->smoothing == PF_SMOOTH_ADD_K && order ? options->value : 0;
        if (!(total[order] + more > 0)) break;
        out->precision[order] = precision(options, match[order] + more, total[order] + more, &zeros);
        logs += log(out->precision[order]); /* of 0: minus infinity, and the score is 0 */
    }
    if (order == options->order || options->effective) out->score = out->penalty * exp(logs / order);
}

/* ---- the statistics ---- */

static unsigned width(const pf_metric_options *options) { return 2 + 2 * options->bleu.order; }

static size_t closest(size_t words, const pf_segment *reference, size_t references) {
    size_t best = reference[0].n;
    for (size_t i = 1; i < references; i++) {
        size_t length = reference[i].n, far = length > words ? length - words : words - length;
        size_t best_far = best > words ? best - words : words - best;
        if (far < best_far || (far == best_far && length < best)) best = length;
    }
    return best;
}

static double matches(const struct pfi_metric_room *room) {
    double sum = 0;
    for (size_t i = 0; i < room->had.n; i++) sum += room->had.at[i] < room->best.at[i] ? room->had.at[i] : room->best.at[i];
    return sum;
}

static pf_err count(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    struct pfi_metric_room *room = metric->room;
    unsigned order = metric->options.bleu.order;
    PF_TRY(pfi_grams_begin(room, system, references));
    to[0] = (double)system.n;
    to[1] = (double)closest(system.n, references->at, references->n);
    for (unsigned n = 1; n <= order; n++) {
        PF_TRY(pfi_grams_count(room, system, references, n));
        to[1 + n] = matches(room);
        to[1 + order + n] = system.n < n ? 0 : (double)(system.n - n + 1);
    }
    return PF_OK;
}

/* ---- the class ---- */

static double score(const pf_metric *metric, const double *sum) {
    pf_bleu bleu;
    pf_bleu_of(&metric->options.bleu, sum, &bleu);
    return bleu.score;
}

static pf_err details(const pf_metric *metric, const double *sum, pf_writer *writer) {
    pf_bleu bleu;
    pf_bleu_of(&metric->options.bleu, sum, &bleu);
    for (unsigned n = 0; n < metric->options.bleu.order; n++)
        PF_TRY(pf_writer_text(writer, "%s%.1f", n ? "/" : "", bleu.precision[n]));
    return pf_writer_text(writer, " BP=%.3f ratio=%.3f hyp_len=%.0f ref_len=%.0f", bleu.penalty,
                          sum[1] > 0 ? sum[0] / sum[1] : 0, sum[0], sum[1]);
}

static pf_err before_tok(const pf_metric_options *options, pf_writer *writer) {
    return pf_writer_text(writer, "eff:%s|", options->bleu.effective ? "yes" : "no");
}

static pf_err after_tok(const pf_metric_options *options, pf_writer *writer) {
    const char *name = smoothings[options->bleu.smoothing].name;
    PF_TRY(pf_writer_text(writer, "smooth:%s", name));
    if (smoothings[options->bleu.smoothing].value >= 0) PF_TRY(pf_writer_text(writer, "[%.2f]", options->bleu.value));
    if (options->bleu.order != pf_bleu_usual().order) PF_TRY(pf_writer_text(writer, "|order:%u", options->bleu.order));
    return pf_writer_text(writer, "|");
}

const pf_metric_class pfi_metric_bleu = {
    .name = "bleu", .title = "BLEU", .usual = true, .width = width, .count = count, .score = score, .details = details,
    .before_tok = before_tok, .after_tok = after_tok,
};
