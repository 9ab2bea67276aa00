/* PER, position-independent errors: the longer of the two lengths less the matches of the two bags of words (Tillmann et al.
 * 1997, in the form max(system, reference) - matches). O(words) expected. */
#include "metric/metric_impl.h"

/* Each word of the system is had once more than it was; each of the reference takes one. */
static pf_err distance(pf_metric *metric, pf_segment segment, pf_segment reference, size_t *errors) {
    struct pfi_metric_room *room = metric->room;
    size_t matches = 0;
    pfi_metric_forget(room);
    room->had.n = 0;
    PF_TRY(PF_ROOM(&room->had, segment.n));
    for (size_t i = 0; i < segment.n; i++) {
        uint32_t id;
        PF_TRY(pf_statetab_intern_word(&room->pairs, 0, segment.word[i], &id));
        if (id == room->had.n) room->had.at[room->had.n++] = 0;
        room->had.at[id]++;
    }
    for (size_t i = 0; i < reference.n && segment.n; i++) {
        uint64_t word = reference.word[i];
        uint32_t id = pf_statetab_find(&room->pairs, &word, sizeof word);
        if (id == UINT32_MAX || !room->had.at[id]) continue;
        room->had.at[id]--;
        matches++;
    }
    *errors = (segment.n > reference.n ? segment.n : reference.n) - matches;
    return PF_OK;
}

static pf_err count(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    return pfi_fewest_errors(metric, system, references, distance, to);
}

const pf_metric_class pfi_metric_per = {
    .name = "per", .title = "PER", .usual = true, .width = pfi_error_width, .count = count, .score = pfi_error_rate,
    .details = pfi_error_details,
};
