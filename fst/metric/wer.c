/* WER: insertions, deletions and substitutions (Levenshtein 1966) by reference words. One row of the matrix at a time, and
 * only of what lies between the words that both begin and end with: O(system * reference) time, O(system) memory. */
#include "metric/metric_impl.h"

static uint32_t least(uint32_t first, uint32_t second, uint32_t third) {
    uint32_t ab = first < second ? first : second;
    return ab < third ? ab : third;
}

static void trim(pf_segment *first, pf_segment *second) {
    for (; first->n && second->n && *first->word == *second->word; first->n--, second->n--) first->word++, second->word++;
    for (; first->n && second->n && first->word[first->n - 1] == second->word[second->n - 1]; first->n--) second->n--;
}

/* row[i]: the distance of the first i words of `system` and the words of `reference` so far. */
static pf_err distance(pf_metric *metric, pf_segment segment, pf_segment reference, size_t *errors) {
    trim(&segment, &reference);
    metric->room->row.n = 0;
    PF_TRY(PF_ROOM(&metric->room->row, segment.n + 1));
    uint32_t *row = metric->room->row.at;
    for (size_t i = 0; i <= segment.n; i++) row[i] = (uint32_t)i;
    for (size_t j = 0; j < reference.n; j++) {
        uint32_t diagonal = row[0]++;
        for (size_t at = 1; at <= segment.n; at++) {
            uint32_t above = row[at];
            row[at] = least(above + 1, row[at - 1] + 1, diagonal + (segment.word[at - 1] != reference.word[j]));
            diagonal = above;
        }
    }
    *errors = row[segment.n];
    return PF_OK;
}

static pf_err count(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    return pfi_fewest_errors(metric, system, references, distance, to);
}

const pf_metric_class pfi_metric_wer = {
    .name = "wer", .title = "WER", .usual = true, .width = pfi_error_width, .count = count, .score = pfi_error_rate,
    .details = pfi_error_details,
};

/* The same by the name that it has with several references (Nießen et al. 2000). */
const pf_metric_class pfi_metric_mwer = {
    .name = "mwer", .title = "mWER", .width = pfi_error_width, .count = count, .score = pfi_error_rate,
    .details = pfi_error_details,
};
