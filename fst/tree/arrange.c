/* The order of a node's blocks with the least sum of squares, then the fewest jumps, then the least break count, then the smallest
 * numbers.
 *
 * sides.c finds how many blocks of each size stand left of the unit; there may be several choices. A choice makes a chain of
 * groups: on the left from the largest size to the smallest, the unit, on the right from the smallest to the largest. Within a
 * group all orders cost the same squares, so the rest is to find the break count, the sum of max(0, a - b + 1) over neighbours a b.
 *
 * A group is a set of blocks, all forced, except where blocks of a class jump: then the left and the right group of the class
 * share a pool of blocks, and which of them go left is open too. The least break count of a chain from a block on, `rest`, is
 * exact where no pool is open and a bound otherwise:
 *   - A group is best visited in ascending order, or so: up from a block f to the greatest, then down, over the blocks between, to
 *     the least, then up to a block l < f. Any other order of the same set can be exchanged for one of these that costs no more.
 *   - The later block a group ends with, the more the next one costs.
 * A search goes through sequences in lexicographic order and leaves out those whose bound is above a limit. The limit begins at
 * the bound of all choices and grows until there is an answer; the first answer of a choice is its smallest. Without pools
 * nothing that is begun fails. With pools the search remembers what has failed: the blocks that were used, the last of them, and
 * how much was left of the limit. */
#include "tree/arrange.h"
#include "tree/coupled.h"
#include "tree/sides.h"

#include <permfst/base/statetab.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1, UNREACHED = PFI_UNREACHED, FEW_FAILURES = 16 /* before the costly bound is worth it */ };
#define NO_CLASS SIZE_MAX

/* One group of the chain. Its blocks are in list[], ascending: all forced ones and all of the pool. */
typedef struct {
    uint32_t list, n; /* in arranger.list */
    uint32_t length;  /* how many blocks stand here */
    uint32_t picks;   /* how many of them come from the pool */
    uint32_t at;      /* the step of the first */
    size_t class;     /* of its blocks; NO_CLASS: the unit, or a block that keeps its order */
    bool sorted;      /* it has no order that is better than the ascending one: nothing before it, or nothing behind it */
} chain_group;

typedef PF_VEC(uint32_t) numbers;
typedef PF_VEC(int32_t) costs;

struct pfi_arranger {
    pfi_sides sides;
    numbers left;              /* a choice */
    PF_VEC(chain_group) group;
    numbers list;
    PF_VEC(char) pooled;       /* of each entry of list: it is from a pool */
    PF_VEC(char) used;         /* of each block */
    costs tail;                /* of each entry of list: the least break count from behind its group on, if the group ends here */
    costs after;               /* of each block that may stand right of the unit, and of the unit: the same */
    pfi_coupled coupled;
    costs pool;                /* scratch */
    const pfi_choice *choice;
    size_t unit_group;
    numbers where;             /* of each step: its group */
    numbers picked;            /* of each step: the entry of list that stands there */
    costs cost;                /* of each step: the break count up to it */
    bool pools;                /* there are some */
    uint32_t n;                /* blocks */
    const pfi_blocks *blocks;
    int32_t limit, next_limit; /* of break counts: what is searched for; the least bound above it that was met */
    numbers best;
    bool found;
    uint32_t failures;         /* of this search */
    pf_statetab seen;          /* what has failed: see above */
    costs failed;              /* of each: how much was left */
    PF_VEC(uint64_t) key;      /* scratch */
    uint64_t steps;
};

pf_err pfi_arranger_new(pfi_arranger **out) {
    *out = calloc(1, sizeof **out);
    if (*out) pf_statetab_init(&(*out)->seen, 0);
    return *out ? PF_OK : pf_nomem();
}

void pfi_arranger_free(pfi_arranger *a) {
    if (!a) return;
    pfi_sides_free(&a->sides);
    PF_VEC_FREE(&a->left);
    PF_VEC_FREE(&a->group);
    PF_VEC_FREE(&a->list);
    PF_VEC_FREE(&a->pooled);
    PF_VEC_FREE(&a->used);
    PF_VEC_FREE(&a->tail);
    PF_VEC_FREE(&a->after);
    PF_VEC_FREE(&a->pool);
    pfi_coupled_free(&a->coupled);
    PF_VEC_FREE(&a->where);
    PF_VEC_FREE(&a->picked);
    PF_VEC_FREE(&a->cost);
    PF_VEC_FREE(&a->best);
    PF_VEC_FREE(&a->failed);
    PF_VEC_FREE(&a->key);
    pf_statetab_free(&a->seen);
    free(a);
}

uint64_t pfi_blocks_cost(const pfi_blocks *blocks, const uint32_t *order) {
    uint64_t sum = 0, distance = 1;
    uint32_t at = 0;
    while (order[at] != blocks->unit) at++;
    for (uint32_t i = at; i-- > 0; distance += blocks->size[order[i]]) sum += distance * distance;
    distance = 1;
    for (uint32_t i = at + 1; i < blocks->n; distance += blocks->size[order[i++]]) sum += distance * distance;
    return sum;
}

/* ---- the chain of a choice ---- */

static pf_err add_block(pfi_arranger *a, uint32_t block, bool pooled) {
    chain_group *group = &a->group.at[a->group.n - 1];
    PF_TRY(PF_PUSH(&a->list, block));
    PF_TRY(PF_PUSH(&a->pooled, pooled));
    PF_TRY(PF_PUSH(&a->tail, 0));
    group->n++;
    group->length += !pooled;
    return PF_OK;
}

static pf_err open_group(pfi_arranger *a, size_t class) {
    uint32_t at = a->group.n ? a->group.at[a->group.n - 1].at + a->group.at[a->group.n - 1].length : 0;
    return PF_PUSH(&a->group, ((chain_group){.list = (uint32_t)a->list.n, .at = at, .class = class}));
}

/* The group of a class on one side, where `here` of its blocks stand and `own` of them did in the read-off. Those of the other
 * side are a pool for this one if it gains, and its own are a pool if it loses. */
static pf_err add_side(pfi_arranger *a, const pfi_class *class, bool left, uint32_t here, uint32_t own) {
    const uint32_t *item = a->sides.item.at + class->item;
    if (!here) return PF_OK;
    PF_TRY(open_group(a, (size_t)(class - a->sides.class.at)));
    for (uint32_t i = 0; i < class->n; i++) {
        bool was_here = (i < class->left) == left;
        if (was_here || here > own) PF_TRY(add_block(a, item[i], was_here ? here < own : true));
    }
    chain_group *group = &a->group.at[a->group.n - 1];
    group->picks = here - group->length;
    group->length = here;
    a->pools = a->pools || group->picks;
    return PF_OK;
}

static pf_err add_class(pfi_arranger *a, const pfi_class *class, uint32_t at_left, bool left) {
    return left ? add_side(a, class, true, at_left, class->left)
                : add_side(a, class, false, class->n - at_left, class->n - class->left);
}

static pf_err add_alone(pfi_arranger *a, uint32_t block) {
    PF_TRY(open_group(a, NO_CLASS));
    return add_block(a, block, false);
}

/* In limited mode: the fixed blocks from..to-1, each a group of its own. */
static pf_err add_fixed(pfi_arranger *a, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++)
        if (a->sides.fixed.at[i] != a->blocks->unit) PF_TRY(add_alone(a, a->sides.fixed.at[i]));
    return PF_OK;
}

static pf_err make_chain(pfi_arranger *a, const pfi_choice *choice) {
    const pfi_sides *sides = &a->sides;
    a->group.n = a->list.n = a->pooled.n = a->tail.n = a->where.n = 0;
    a->pools = false;
    PF_TRY(add_fixed(a, 0, choice->fixed_left));
    for (size_t c = sides->class.n; c-- > 0;) PF_TRY(add_class(a, &sides->class.at[c], choice->left[c], true));
    a->unit_group = a->group.n;
    PF_TRY(add_alone(a, a->blocks->unit));
    for (size_t c = 0; c < sides->class.n; c++) PF_TRY(add_class(a, &sides->class.at[c], choice->left[c], false));
    PF_TRY(add_fixed(a, choice->fixed_left, (uint32_t)sides->fixed.n));
    a->group.at[0].sorted = a->group.at[a->group.n - 1].sorted = true;
    for (size_t g = 0; g < a->group.n; g++)
        for (uint32_t i = 0; i < a->group.at[g].length; i++) PF_TRY(PF_PUSH(&a->where, (uint32_t)g));
    assert(a->where.n == a->n);
    return PF_OK;
}

/* ---- bounds ---- */

static int32_t least_of(int32_t one, int32_t other) { return one < other ? one : other; }
static int32_t most_of(int32_t one, int32_t other) { return one > other ? one : other; }

/* What of a group is still to be visited: entries of list that are not used; so many of the pool are to be picked. The pool lies
 * below all forced blocks, or above, or there are no forced ones. */
typedef struct {
    const chain_group *group;
    uint32_t picks;
    int32_t forced_least, forced_most; /* blocks; forced_least > forced_most: there are none */
    int32_t low, high;                 /* the range that the visited blocks must reach: at least from low to high */
} remains;

static int32_t block_of(const pfi_arranger *a, uint32_t entry) { return (int32_t)a->list.at[entry]; }
static bool is_free(const pfi_arranger *a, uint32_t entry) { return !a->used.at[a->list.at[entry]]; }
static bool is_pooled(const pfi_arranger *a, uint32_t entry) { return a->pooled.at[entry]; }

/* The pick-th block of the pool, from below or from above. */
static int32_t nth_pooled(const pfi_arranger *a, const chain_group *group, uint32_t pick, bool from_above) {
    for (uint32_t k = 0; k < group->n; k++) {
        uint32_t entry = group->list + (from_above ? group->n - 1 - k : k);
        if (is_free(a, entry) && is_pooled(a, entry) && --pick == 0) return block_of(a, entry);
    }
    assert(!"the pool has enough blocks");
    return 0;
}

static remains what_remains(const pfi_arranger *a, const chain_group *group, uint32_t picks) {
    remains r = {group, picks, INT32_MAX, -1, 0, 0};
    int32_t pool = -1;
    for (uint32_t entry = group->list; entry < group->list + group->n; entry++) {
        if (!is_free(a, entry)) continue;
        if (is_pooled(a, entry)) pool = block_of(a, entry);
        else r.forced_least = least_of(r.forced_least, block_of(a, entry));
        if (!is_pooled(a, entry)) r.forced_most = block_of(a, entry);
    }
    r.low = r.forced_least;
    r.high = r.forced_most;
    if (!picks || r.forced_most < 0) return r;
    if (pool < r.forced_least) r.low = nth_pooled(a, group, picks, true);
    else r.high = nth_pooled(a, group, picks, false);
    return r;
}

/* The least cost of a group in ascending order from `before` on. */
static int32_t rest_sorted(const pfi_arranger *a, const remains *r, int32_t before) {
    int32_t least = UNREACHED;
    if (r->forced_most >= 0) {
        for (uint32_t entry = r->group->list; entry < r->group->list + r->group->n; entry++)
            if (block_of(a, entry) == r->high) return pfi_drop(before, r->low) + a->tail.at[entry];
        assert(!"the end of the range is in the group");
    }
    uint32_t first = r->group->list, ahead = 0; /* a window of `picks` free blocks: from `first` to `entry` */
    for (uint32_t entry = first; entry < r->group->list + r->group->n; entry++) {
        if (!is_free(a, entry)) continue;
        if (++ahead < r->picks) continue;
        while (!is_free(a, first)) first++;
        least = least_of(least, pfi_drop(before, block_of(a, first)) + a->tail.at[entry]);
        first++;
    }
    return least;
}

/* The least cost of a group that begins at an entry `from`, goes up, down and up again, and ends at an entry below it. */
static int32_t rest_turned_from(const pfi_arranger *a, const remains *r, uint32_t from) {
    int32_t begin = block_of(a, from), between = 0, least = UNREACHED;
    int32_t most = most_of(begin, r->high);
    for (uint32_t entry = from; entry-- > r->group->list;) {
        if (!is_free(a, entry)) continue;
        int32_t end = block_of(a, entry), span = most - least_of(end, r->low);
        if (r->forced_most < 0) span = most_of(begin - end, (int32_t)r->picks - 1);
        least = least_of(least, span + 1 + between + a->tail.at[entry]);
        between += !is_pooled(a, entry);
    }
    return least;
}

/* A bound of the break count from `before` over what remains of a group to the end; exact where there is no pool. */
static int32_t rest(pfi_arranger *a, const remains *r, int32_t before) {
    int32_t least = rest_sorted(a, r, before);
    uint32_t length = r->group->n;
    a->steps += length;
    if (r->group->sorted || length < 2 || before < block_of(a, r->group->list)) return least;
    for (uint32_t from = r->group->list + 1; from < r->group->list + length; from++)
        if (is_free(a, from)) {
            int32_t turned = pfi_drop(before, block_of(a, from)) + rest_turned_from(a, r, from);
            least = least_of(least, turned);
            a->steps += from - r->group->list;
        }
    return least;
}

/* Sets the tails of all groups down to group g. */
static void set_tails(pfi_arranger *a, size_t g) {
    for (size_t k = a->group.n; k-- > g;) {
        const chain_group *group = &a->group.at[k], *next = group + 1;
        bool last = k + 1 == a->group.n;
        remains r = last ? (remains){0} : what_remains(a, next, next->picks);
        for (uint32_t entry = group->list; entry < group->list + group->n; entry++) {
            a->tail.at[entry] = last ? 0 : rest(a, &r, block_of(a, entry));
            if (k >= a->unit_group) a->after.at[block_of(a, entry)] = a->tail.at[entry];
        }
    }
}

/* ---- the bound of both sides together ---- */

/* The least and the greatest of so many blocks that are not used; nothing of them: least > most. */
static void free_range(const pfi_arranger *a, const uint32_t *item, uint32_t n, int32_t *least, int32_t *most) {
    *least = INT32_MAX;
    *most = -1;
    for (uint32_t i = 0; i < n; i++) {
        if (a->used.at[item[i]]) continue;
        if (*most < 0) *least = (int32_t)item[i];
        *most = (int32_t)item[i];
    }
}

/* What is still to be placed of a class, of whose left group at most a part was visited. */
static pf_err remaining_class(pfi_arranger *a, size_t c, pfi_coupled_class *out) {
    const pfi_class *class = &a->sides.class.at[c];
    const uint32_t *item = a->sides.item.at + class->item;
    uint32_t at_left = a->choice->left[c], pool = 0, pool_end = 0;
    uint32_t left_forced = class->left, right_forced = class->n - class->left;
    *out = (pfi_coupled_class){0};
    if (at_left < class->left) {
        pool_end = class->left;
        left_forced = 0;
        out->picks = at_left;
    } else if (at_left > class->left) {
        pool = class->left;
        pool_end = class->n;
        right_forced = 0;
        out->picks = at_left - class->left;
    }
    PF_TRY(pf_vec_reserve(&a->pool.at, &a->pool.cap, class->n + 1, sizeof *a->pool.at));
    for (uint32_t i = pool; i < pool_end; i++)
        if (a->used.at[item[i]]) out->picks--;
        else a->pool.at[out->n++] = (int32_t)item[i];
    out->pool = a->pool.at;
    free_range(a, item, left_forced, &out->left_least, &out->left_most);
    free_range(a, item + class->n - right_forced, right_forced, &out->right_least, &out->right_most);
    return PF_OK;
}

/* The break count from a step left of the unit on: the classes whose left groups are still to come, or the last of which was begun,
 * around the unit; behind them tails. Blocks that keep their order come before these, and ascend. */
static pf_err bound_both(pfi_arranger *a, uint32_t step, int32_t *least) {
    size_t g = a->where.at[step], classes = a->group.at[g].class == NO_CLASS ? a->sides.class.n : a->group.at[g].class + 1;
    int32_t before = block_of(a, a->picked.at[step]);
    for (size_t k = g; k < a->unit_group && a->group.at[k].class == NO_CLASS; k++) before = block_of(a, a->group.at[k].list);
    PF_TRY(pfi_coupled_begin(&a->coupled, (int32_t)a->blocks->unit));
    a->coupled.steps = 0;
    for (size_t c = 0; c < classes; c++) {
        pfi_coupled_class class;
        PF_TRY(remaining_class(a, c, &class));
        PF_TRY(pfi_coupled_add(&a->coupled, &class));
    }
    a->steps += a->coupled.steps;
    *least = a->cost.at[step] + pfi_coupled_bound(&a->coupled, before, a->after.at);
    return PF_OK;
}

/* ---- the search ---- */

/* The bound of all sequences that begin with the steps up to this one. Tails are those of the present choice of blocks. */
static int32_t bound(pfi_arranger *a, uint32_t step, uint32_t picks_left) {
    const chain_group *group = &a->group.at[a->where.at[step]];
    uint32_t entry = a->picked.at[step];
    if (step + 1 == group->at + group->length) return a->cost.at[step] + a->tail.at[entry];
    remains r = what_remains(a, group, picks_left);
    return a->cost.at[step] + rest(a, &r, block_of(a, entry));
}

/* The picks of a group that the steps before this one have not made. */
static uint32_t picks_left(const pfi_arranger *a, uint32_t step) {
    const chain_group *group = &a->group.at[a->where.at[step]];
    uint32_t picks = group->picks;
    for (uint32_t i = group->at; group->picks && i < step; i++) picks -= is_pooled(a, a->picked.at[i]);
    return picks;
}

/* The key of what the steps up to this one have used. */
static size_t key_of(pfi_arranger *a, uint32_t step) {
    size_t words = a->n / 64 + 1;
    memset(a->key.at, 0, words * sizeof *a->key.at);
    for (uint32_t i = 0; i < a->n; i++)
        if (a->used.at[i]) a->key.at[i / 64] |= UINT64_C(1) << (i % 64);
    a->key.at[words] = a->list.at[a->picked.at[step]];
    a->steps += words;
    return (words + 1) * sizeof *a->key.at;
}

/* Is it known that nothing within the limit goes on from here? */
static bool has_failed(pfi_arranger *a, uint32_t step) {
    if (!a->pools) return false;
    size_t length = key_of(a, step);
    uint32_t id = pf_statetab_find(&a->seen, a->key.at, length);
    return id != UINT32_MAX && a->failed.at[id] >= a->limit - a->cost.at[step];
}

static pf_err note_failure(pfi_arranger *a, uint32_t step) {
    uint32_t id;
    int fresh;
    int32_t left = a->limit - a->cost.at[step];
    if (!a->pools) return PF_OK;
    a->failures++;
    PF_TRY(pf_statetab_intern(&a->seen, a->key.at, key_of(a, step), &id, &fresh));
    if (fresh) return PF_PUSH(&a->failed, left);
    a->failed.at[id] = most_of(a->failed.at[id], left);
    return PF_OK;
}

/* Is there a way for the next step: the smallest entry from `entry` on whose bound is within the limit? */
static pf_err advance(pfi_arranger *a, uint32_t step, uint32_t entry, bool *found) {
    size_t g = a->where.at[step];
    const chain_group *group = &a->group.at[g];
    uint32_t picks = picks_left(a, step), places = group->at + group->length - step;
    int32_t before = step ? block_of(a, a->picked.at[step - 1]) : NOWHERE, cost = step ? a->cost.at[step - 1] : 0;
    for (; entry < group->list + group->n; entry++) {
        bool pooled = is_pooled(a, entry);
        if (!is_free(a, entry) || (pooled ? !picks : picks == places)) continue;
        a->picked.at[step] = entry;
        a->cost.at[step] = cost + pfi_drop(before, block_of(a, entry));
        a->used.at[a->list.at[entry]] = true;
        if (a->pools && g < a->unit_group) set_tails(a, g);
        int32_t least = bound(a, step, picks - pooled), both = 0;
        if (least <= a->limit && a->failures > FEW_FAILURES && g < a->unit_group) PF_TRY(bound_both(a, step, &both));
        *found = least <= a->limit && both <= a->limit && !has_failed(a, step);
        if (*found) return PF_OK;
        least = most_of(least, both);
        a->next_limit = least_of(a->next_limit, least > a->limit ? least : a->limit + 1);
        a->used.at[a->list.at[entry]] = false;
    }
    *found = false;
    return PF_OK;
}

/* Leaves the way of a step: the entry after it is to be tried next. */
static uint32_t retreat(pfi_arranger *a, uint32_t step) {
    uint32_t entry = a->picked.at[step];
    a->used.at[a->list.at[entry]] = false;
    return entry + 1;
}

static bool smaller(const pfi_arranger *a) {
    if (!a->found) return true;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t block = a->list.at[a->picked.at[i]];
        if (block != a->best.at[i]) return block < a->best.at[i];
    }
    return false;
}

/* The first sequence within the limit, if it is smaller than the best of other choices. */
static pf_err search(pfi_arranger *a) {
    uint32_t step = 0, entry = a->group.at[0].list;
    memset(a->used.at, 0, a->n);
    for (;;) {
        if (a->steps > PFI_ARRANGE_LIMIT)
            return pf_fail(PF_ELIMIT, "a node with %u blocks has too many orders that are equally good", a->n);
        bool found;
        PF_TRY(advance(a, step, entry, &found));
        if (found) {
            if (++step == a->n) break;
            entry = a->group.at[a->where.at[step]].list;
        } else if (!step) return PF_OK;
        else {
            PF_TRY(note_failure(a, --step));
            entry = retreat(a, step);
        }
    }
    if (!smaller(a)) return PF_OK;
    for (uint32_t i = 0; i < a->n; i++) a->best.at[i] = a->list.at[a->picked.at[i]];
    a->found = true;
    return PF_OK;
}

/* Blocks of one size: those that jump are the nearest to the unit in number, since only their distance to it counts, and both sides
 * ascend. So a head with thousands of words takes no search. */
static void arrange_one_class(pfi_arranger *a, const pfi_choice *choice) {
    const uint32_t *item = a->sides.item.at;
    uint32_t at_left = choice->left[0];
    memcpy(a->best.at, item, at_left * sizeof *item);
    a->best.at[at_left] = a->blocks->unit;
    memcpy(a->best.at + at_left + 1, item + at_left, (a->n - 1 - at_left) * sizeof *item);
    a->found = true;
}

static pf_err search_choice(void *self, const pfi_choice *choice) {
    pfi_arranger *a = self;
    a->choice = choice;
    if (a->sides.class.n == 1 && !a->sides.fixed.n) {
        arrange_one_class(a, choice);
        return PF_OK;
    }
    PF_TRY(make_chain(a, choice));
    memset(a->used.at, 0, a->n);
    set_tails(a, 0);
    pf_statetab_reset(&a->seen);
    a->failed.n = a->failures = 0;
    return search(a);
}

/* ---- a node ---- */

static pf_err make_room(pfi_arranger *a) {
    PF_TRY(pf_vec_reserve(&a->left.at, &a->left.cap, a->n + 1, sizeof *a->left.at));
    PF_TRY(pf_vec_reserve(&a->used.at, &a->used.cap, a->n + 1, sizeof *a->used.at));
    PF_TRY(pf_vec_reserve(&a->picked.at, &a->picked.cap, a->n + 1, sizeof *a->picked.at));
    PF_TRY(pf_vec_reserve(&a->cost.at, &a->cost.cap, a->n + 1, sizeof *a->cost.at));
    PF_TRY(pf_vec_reserve(&a->after.at, &a->after.cap, a->n + 1, sizeof *a->after.at));
    PF_TRY(pf_vec_reserve(&a->key.at, &a->key.cap, a->n / 64 + 2, sizeof *a->key.at));
    return pf_vec_reserve(&a->best.at, &a->best.cap, a->n + 1, sizeof *a->best.at);
}

pf_err pfi_arrange(pfi_arranger *a, const pfi_blocks *blocks, uint32_t *order, uint64_t *cost) {
    a->n = blocks->n;
    a->blocks = blocks;
    a->steps = 0;
    for (uint32_t i = 0; i < a->n; i++) order[i] = i;
    *cost = pfi_blocks_cost(blocks, order);
    if (a->n < 2) return PF_OK;
    PF_TRY(pfi_sides_find(&a->sides, blocks));
    assert(a->sides.cost <= *cost);
    if (a->sides.cost == *cost) return PF_OK; /* no jump, no break */
    PF_TRY(make_room(a));
    a->found = false;
    pfi_choice choice = {a->left.at, 0};
    for (a->limit = 0; !a->found; a->limit = a->next_limit) {
        a->next_limit = UNREACHED;
        PF_TRY(pfi_sides_each(&a->sides, blocks, &choice, search_choice, a));
        assert(a->found || a->next_limit > a->limit);
    }
    memcpy(order, a->best.at, a->n * sizeof *order);
    *cost = a->sides.cost;
    return PF_OK;
}
