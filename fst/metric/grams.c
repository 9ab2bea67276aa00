/* The n-grams of a segment, numbered order by order: the key of an n-gram is the number of its first n-1 words and its last word.
 * Only n-grams of the system are numbered. An n-gram of a reference without a number cannot match, and neither can a longer one
 * that begins with it. O(words) expected for each order. */
#include "metric/metric_impl.h"

#include <string.h>

enum { NONE = UINT32_MAX };

/* Memory for all words; every empty n-gram has the number 0. */
static pf_err make_room(struct pfi_metric_room *room, size_t words, size_t all) {
    room->gram.n = room->best.n = room->now.n = 0;
    PF_TRY(PF_ROOM(&room->gram, all + 1));
    PF_TRY(PF_ROOM(&room->best, words + 1));
    PF_TRY(PF_ROOM(&room->now, words + 1));
    memset(room->gram.at, 0, all * sizeof *room->gram.at);
    return PF_OK;
}

pf_err pfi_grams_begin(struct pfi_metric_room *room, pf_segment system, const pf_references *references) {
    size_t all = system.n;
    for (size_t k = 0; k < references->n; k++) all += references->at[k].n;
    return make_room(room, system.n, all);
}

/* The n-grams of the system: those of one word less are in gram[], 0 for order 1. How often each is there goes to `had`. */
static pf_err number_grams(struct pfi_metric_room *room, pf_segment segment, unsigned order) {
    pfi_metric_forget(room);
    room->had.n = 0;
    PF_TRY(PF_ROOM(&room->had, segment.n));
    for (size_t at = 0; at + order <= segment.n; at++) {
        uint64_t pair = (uint64_t)room->gram.at[at] << 32 | segment.word[at + order - 1];
        uint32_t id;
        PF_TRY(pf_statetab_intern_word(&room->pairs, 0, pair, &id));
        if (id == room->had.n) room->had.at[room->had.n++] = 0;
        room->had.at[id]++;
        room->gram.at[at] = id;
    }
    return PF_OK;
}

/* How often each is in a reference that has it most often, in `best`. */
static void find_grams(struct pfi_metric_room *room, pf_segment segment, unsigned order, uint32_t *gram) {
    memset(room->now.at, 0, room->had.n * sizeof *room->now.at);
    for (size_t at = 0; at + order <= segment.n; at++) {
        uint64_t pair = (uint64_t)gram[at] << 32 | segment.word[at + order - 1];
        if (gram[at] != NONE) gram[at] = pf_statetab_find(&room->pairs, &pair, sizeof pair);
        if (gram[at] == NONE) continue;
        uint32_t k = ++room->now.at[gram[at]];
        if (k > room->best.at[gram[at]]) room->best.at[gram[at]] = k;
    }
}

pf_err pfi_grams_count(struct pfi_metric_room *room, pf_segment system, const pf_references *references, unsigned order) {
    uint32_t *gram = room->gram.at + system.n;
    PF_TRY(number_grams(room, system, order));
    memset(room->best.at, 0, room->had.n * sizeof *room->best.at);
    for (size_t k = 0; room->had.n && k < references->n; gram += references->at[k++].n)
        find_grams(room, references->at[k], order, gram);
    return PF_OK;
}
