/* WER: insertions, deletions and substitutions (Levenshtein 1966) by reference words. One row of the matrix at a time, and
 * only of what lies between the words that both begin and end with: O(system * reference) time, O(system) memory. */
#include "metric/metric_impl.h"

static uint32_t least(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static void trim(pf_segment *a, pf_segment *b) {
    for (; a->n && b->n && *a->word == *b->word; a->n--, b->n--) a->word++, b->word++;
    for (; a->n && b->n && a->word[a->n - 1] == b->word[b->n - 1]; a->n--) b->n--;
}

/* row[i]: the distance of the first i words of `s` and the words of `r` so far. */
static pf_err distance(pf_metric *m, pf_segment s, pf_segment r, size_t *errors) {
    trim(&s, &r);
    m->room->row.n = 0;
    PF_TRY(PF_ROOM(&m->room->row, s.n + 1));
    uint32_t *row = m->room->row.at;
    for (size_t i = 0; i <= s.n; i++) row[i] = (uint32_t)i;
    for (size_t j = 0; j < r.n; j++) {
        uint32_t diagonal = row[0]++;
        for (size_t i = 1; i <= s.n; i++) {
            uint32_t above = row[i];
            row[i] = least(above + 1, row[i - 1] + 1, diagonal + (s.word[i - 1] != r.word[j]));
            diagonal = above;
        }
    }
    *errors = row[s.n];
    return PF_OK;
}

static pf_err count(pf_metric *m, pf_segment system, const pf_segment *reference, size_t n, double *to) {
    return pfi_fewest_errors(m, system, reference, n, distance, to);
}

const pf_metric_class pfi_metric_wer = {
    .name = "wer", .title = "WER", .width = pfi_error_width, .count = count, .score = pfi_error_rate,
    .details = pfi_error_details,
};
