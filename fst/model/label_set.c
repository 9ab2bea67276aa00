/* Open addressing, with room enough that most labels that are not there are told by one look. */
#include <permfst/model/label_set.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_A_LABEL = 4 };

static void put(pf_label_set *set, pf_label label, uint32_t place) {
    size_t at = (size_t)label & set->last_slot;
    while (set->slot[at].label) at = (at + 1) & set->last_slot;
    set->slot[at] = (pf_label_slot){label, place};
}

pf_err pf_label_set_init(pf_label_set *set, const pf_label *labels, unsigned count) {
    size_t slots = 1;
    *set = (pf_label_set){0};
    if (!count) return PF_OK;
    while (slots / SLOTS_A_LABEL < count) slots *= 2;
    set->at = malloc(count * sizeof *set->at);
    set->slot = calloc(slots, sizeof *set->slot);
    if (!set->at || !set->slot) return pf_nomem();
    memcpy(set->at, labels, count * sizeof *labels);
    set->last_slot = slots - 1;
    for (; set->n < count; set->n++) {
        assert(labels[set->n] > (set->n ? labels[set->n - 1] : PF_EPSILON));
        put(set, labels[set->n], set->n);
    }
    return PF_OK;
}

void pf_label_set_free(pf_label_set *set) {
    free(set->at);
    free(set->slot);
    *set = (pf_label_set){0};
}
