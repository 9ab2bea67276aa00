/* Walls and zones of a sentence, without any other constraint: they are reached if the aligned words, in the order in which they
 * must be visited, break none of them. For words without links can join: marks nest, so such a word has an innermost zone, and
 * within it a side of each wall; a place there is a place that no mark forbids. O(marks x words). */
#include "coverage/coverage_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

pfi_mark_parts pfi_mark_take_apart(const pf_mark *mark) {
    pfi_mark_parts parts = {.last = UINT32_MAX};
    char kind[8] = "";
    int found = sscanf(mark->spec, "%7[^:]:", kind);
    const char *numbers = strchr(mark->spec, ':') + 1;
    parts.wall = strcmp(kind, "wall") == 0;
    parts.unit = strcmp(kind, "unit") == 0;
    found += parts.wall ? sscanf(numbers, "%u,%u,%u", &parts.at, &parts.first, &parts.last)
                        : sscanf(numbers, "%u,%u", &parts.first, &parts.last);
    assert(found == 3 || (parts.wall && (found == 2 || found == 4)));
    (void)found;
    if (!parts.first) parts.first = 1;
    return parts;
}

static bool allows(const pfi_order *order, const pfi_mark_parts *mark) {
    bool entered = false, left = false, passed = false;
    unsigned before = 0;
    for (unsigned i = 0; i < order->aligned; i++) {
        unsigned word = order->chain[i] + 1;
        bool inside = word >= mark->first && word <= mark->last;
        if (mark->wall && inside && word <= mark->at && passed) return false;
        if (mark->wall) passed = passed || (inside && word > mark->at);
        if (mark->wall) continue;
        if (inside && (left || (mark->unit && word < before))) return false;
        left = left || (entered && !inside);
        entered = entered || inside;
        if (inside) before = word;
    }
    return true;
}

bool pfi_coverage_marks(const pfi_order *order, const pf_marks *marks) {
    for (size_t i = 0; i < marks->n; i++) {
        const pfi_mark_parts mark = pfi_mark_take_apart(&marks->at[i]);
        if (!allows(order, &mark)) return false;
    }
    return true;
}
