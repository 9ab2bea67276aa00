/* There are so many slots that one look shows of most labels that they are not there. */
#include <permfst/model/label_set.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_A_LABEL = 4, FEWEST_BITS = 2, MOST_BITS = 31 };

static void put(pf_label_set *set, pf_label label, uint32_t place) {
    uint32_t at = pf_label_set_first(set, label);
    while (set->slot[at].label) at = pf_label_set_next(set, at);
    set->slot[at] = (pf_label_slot){label, place};
}

static int by_label(const void *first, const void *second) {
    const pf_label label = *(const pf_label *)first, next = *(const pf_label *)second;
    return (label > next) - (label < next);
}

/* Puts labels in order, unless they are, as units often are; returns how many different ones come first. */
static unsigned put_in_order(pf_label *labels, unsigned count) {
    unsigned in_order = 1, different = 1;
    while (in_order < count && labels[in_order - 1] < labels[in_order]) in_order++;
    if (in_order == count) return count;
    qsort(labels, count, sizeof *labels, by_label);
    for (unsigned i = 1; i < count; i++)
        if (labels[i] != labels[different - 1]) labels[different++] = labels[i];
    return different;
}

pf_err pf_label_set_init(pf_label_set *set, const pf_label *labels, unsigned count) {
    unsigned bits = FEWEST_BITS;
    *set = (pf_label_set){0};
    if (!count) return PF_OK;
    while (bits < MOST_BITS && (size_t)1 << bits < SLOTS_A_LABEL * (size_t)count) bits++;
    if (count >> bits) return pf_fail(PF_ELIMIT, "found %u different words, expected fewer than 2^%d", count, MOST_BITS);
    set->shift = 32 - bits;
    set->at = malloc(count * sizeof *set->at);
    set->slot = calloc((size_t)1 << bits, sizeof *set->slot);
    if (!set->at || !set->slot) return pf_nomem();
    memcpy(set->at, labels, count * sizeof *labels);
    count = put_in_order(set->at, count);
    assert(set->at[0] > PF_EPSILON);
    for (; set->n < count; set->n++) put(set, set->at[set->n], set->n);
    return PF_OK;
}

void pf_label_set_free(pf_label_set *set) {
    free(set->at);
    free(set->slot);
    *set = (pf_label_set){0};
}
