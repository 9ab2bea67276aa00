/* A group of blocks S stands between two blocks b and a. It is best visited in ascending order; or it is turned: from a block f up
 * to the greatest, down over the blocks between to the least, and up to a block l < f, which costs max S - min S + 1 inside, and 1
 * for each block of S between l and f. (Any other order can be exchanged for one of these that costs less.)
 *
 * If l is given, f is best the first block above b, or the greatest. Then a group left of all smaller classes costs
 *     max(0, b - min S + 1)                                    where l is the greatest, and
 *     max(max S, b) - min S + 1 + |{s in S: l < s < b}|        else.
 * The mirror image of this holds on the right, where f is given. So only the least and the greatest block matter, and how many
 * blocks lie in a range. How many go left is known. Therefore a scan of the class in ascending order, block by block to the left or
 * to the right, knows from the number that went left whether a group has begun and has ended: a path in a grid. The last block on
 * the left, l, is chosen within the scan; the first one on the right, f, is fixed for each scan, because what is inside depends on
 * both. */
#include "tree/split.h"

#include <assert.h>
#include <stdbool.h>

void pfi_splitter_free(pfi_splitter *splitter) {
    PF_VEC_FREE(&splitter->enter);
    PF_VEC_FREE(&splitter->row);
    PF_VEC_FREE(&splitter->next);
}

static int32_t least_of(int32_t one, int32_t other) { return one < other ? one : other; }
static int32_t most_of(int32_t one, int32_t other) { return one > other ? one : other; }

static size_t place_of(const pfi_inside *inside, int32_t block) {
    uint32_t place = block < 0 || block >= (int32_t)inside->n ? 0 : inside->place[block];
    return place ? place - inside->offset : 0;
}

int32_t pfi_inside_cost(const pfi_inside *inside, int32_t before, int32_t after) {
    if (!inside->cost) return pfi_drop(before, inside->unit) + pfi_drop(inside->unit, after);
    return inside->cost[place_of(inside, before) * inside->width + place_of(inside, after)];
}

int32_t pfi_group_cost(const int32_t *block, size_t n, int32_t before, int32_t after) {
    int32_t between = 0;
    if (!n) return pfi_drop(before, after);
    if (before < after) return pfi_drop(before, block[0]) + pfi_drop(block[n - 1], after);
    for (size_t i = 0; i < n; i++) between += after < block[i] && block[i] < before;
    return most_of(block[n - 1], before) - least_of(block[0], after) + 1 + between;
}

/* ---- a scan ---- */

/* How the left group goes on: in ascending order; turned, and l is still to be met; turned, and l was met. A group that has not
 * begun, or has ended, is in the first of these. */
enum { ASCENDING, BEFORE_L, BEHIND_L, STAGES };

typedef struct {
    const pfi_class_rest *rest;
    int32_t before, after, first_right;
    uint32_t left, right; /* so many go there */
    bool turned;          /* the right group: some of it lie below first_right */
} scan;

static void relax(int32_t *cell, int32_t cost) { *cell = least_of(*cell, cost); }

/* A block goes to the left, where `gone` have gone before it. to[]: the cell of one more. */
static void go_left(const scan *sweep, int32_t block, int32_t enter, uint32_t gone, const int32_t *from, int32_t *to) {
    bool first = gone == 0, last = gone + 1 == sweep->left;
    relax(&to[ASCENDING], from[ASCENDING] + (first ? pfi_drop(sweep->before, block) : 0) + (last ? enter : 0));
    if (last) {
        relax(&to[ASCENDING], from[BEHIND_L] + most_of(block, sweep->before) + (block < sweep->before));
        return;
    }
    int32_t open = first ? from[ASCENDING] - block + 1 : from[BEFORE_L];
    relax(&to[BEFORE_L], open);
    relax(&to[BEHIND_L], open + enter);
    relax(&to[BEHIND_L], from[BEHIND_L] + (block < sweep->before));
}

/* The cost of a block on the right, where `gone` have gone there before it; PFI_UNREACHED: it cannot. */
static int32_t right_cost(const scan *sweep, int32_t block, uint32_t gone) {
    bool first = gone == 0, last = gone + 1 == sweep->right;
    if (gone == sweep->right || (first && sweep->turned == (block == sweep->first_right))) return PFI_UNREACHED;
    if (!sweep->turned) return last ? pfi_drop(block, sweep->after) : 0;
    return (first ? 1 - least_of(block, sweep->after) : 0) + (last ? block : 0)
        + (sweep->after < block && block < sweep->first_right);
}

static void clear(int32_t *row, size_t n) {
    for (size_t i = 0; i < n; i++) row[i] = PFI_UNREACHED;
}

static int32_t scanned(pfi_splitter *splitter, const scan *sweep) {
    const pfi_class_rest *rest = sweep->rest;
    uint32_t blocks = sweep->left + sweep->right;
    int32_t *row = splitter->row.at, *next = splitter->next.at;
    clear(row, (sweep->left + 1) * STAGES);
    row[ASCENDING] = 0;
    for (uint32_t at = 0; at < blocks; at++) {
        int32_t block = rest->block.at[at];
        uint32_t from = at > sweep->right ? at - sweep->right : 0, to = at < sweep->left ? at : sweep->left;
        uint32_t cells = (to < sweep->left) + to - from + 1;
        clear(next + from * STAGES, cells * STAGES);
        for (uint32_t gone = from; gone <= to; gone++) {
            int32_t *here = row + gone * STAGES, *down = next + gone * STAGES;
            if (rest->side.at[at] != PFI_RIGHT && gone < sweep->left && block != sweep->first_right)
                go_left(sweep, block, splitter->enter.at[at], gone, here, down + STAGES);
            if (rest->side.at[at] == PFI_LEFT) continue;
            int32_t cost = right_cost(sweep, block, at - gone);
            for (unsigned k = 0; cost < PFI_UNREACHED && k < STAGES; k++) relax(&down[k], here[k] + cost);
        }
        splitter->steps += (to - from + 1) * STAGES;
        int32_t *swap = row;
        row = next;
        next = swap;
    }
    return row[sweep->left * STAGES + ASCENDING];
}

/* Where first_right is given: a bound from what is inside, then the scans. */
static void with_first(pfi_splitter *splitter, scan *sweep, const pfi_inside *inside, int32_t *least) {
    const int32_t *block = sweep->rest->block.at;
    size_t blocks = sweep->rest->block.n;
    int32_t outside = sweep->right ? pfi_drop(sweep->first_right, sweep->after) : 0;
    int32_t bound = sweep->left ? PFI_UNREACHED : pfi_inside_cost(inside, sweep->before, sweep->first_right);
    int32_t begin = sweep->left ? 0 : bound;
    for (size_t at = 0; sweep->left && at < blocks; at++) {
        splitter->enter.at[at] =
            block[at] == sweep->first_right ? PFI_UNREACHED : pfi_inside_cost(inside, block[at], sweep->first_right);
        bound = least_of(bound, pfi_drop(sweep->before, block[at]) + splitter->enter.at[at]);
    }
    splitter->steps += blocks;
    if (bound + outside >= *least) return;
    sweep->turned = false;
    *least = least_of(*least, begin + scanned(splitter, sweep));
    sweep->turned = true;
    if (sweep->right > 1) *least = least_of(*least, begin + scanned(splitter, sweep));
}

pf_err pfi_split(pfi_splitter *splitter, const pfi_class_rest *rest, const pfi_inside *inside, int32_t before, int32_t after,
                 int32_t limit, int32_t *least) {
    size_t blocks = rest->block.n, cells = (blocks + 2) * STAGES;
    scan sweep = {.rest = rest, .before = before, .after = after, .left = rest->left, .right = (uint32_t)blocks - rest->left};
    assert(rest->left <= blocks);
    *least = limit;
    PF_TRY(pf_vec_reserve(&splitter->enter.at, &splitter->enter.cap, blocks + 1, sizeof *splitter->enter.at));
    PF_TRY(pf_vec_reserve(&splitter->row.at, &splitter->row.cap, cells, sizeof *splitter->row.at));
    PF_TRY(pf_vec_reserve(&splitter->next.at, &splitter->next.cap, cells, sizeof *splitter->next.at));
    if (!sweep.right) {
        sweep.first_right = after;
        with_first(splitter, &sweep, inside, least);
    }
    for (size_t at = 0; sweep.right && at < blocks; at++) {
        if (rest->side.at[at] == PFI_LEFT) continue;
        sweep.first_right = rest->block.at[at];
        with_first(splitter, &sweep, inside, least);
    }
    return PF_OK;
}
