/* The separable permutations (Wu 1997; Zens & Ney 2003, section 2.1) by shift-reduce parsing.
 *
 * The extra state is the parser's stack of intervals: a visited position is pushed, and while the two topmost intervals
 * touch they become one. Greedy reduction is complete for separable permutations. A stack can be completed iff, for every
 * i, the hull of the i topmost intervals contains none of those below; moves to other stacks are not allowed, so no state
 * is dead. Bytes: the number of intervals, then first and last position of each, bottom first, all uint16. */
#include "itg_stacks.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint16_t first, last;
} interval;

typedef struct {
    unsigned n;
    const unsigned char *at; /* n intervals, not aligned */
} stack;

static stack stack_of(const unsigned char *x) {
    uint16_t n;
    memcpy(&n, x, sizeof n);
    return (stack){n, x + sizeof n};
}

static interval nth(const stack *blocks, unsigned i) {
    interval block;
    memcpy(&block, blocks->at + i * sizeof block, sizeof block);
    return block;
}

/* The interval on top after visiting j; *below is how many intervals stay under it. */
static interval reduce(const stack *blocks, unsigned j, unsigned *below) {
    interval top = {(uint16_t)j, (uint16_t)j};
    for (*below = blocks->n; *below; --*below) {
        interval next = nth(blocks, *below - 1);
        if (next.last + 1u == top.first) top.first = next.first;
        else if (top.last + 1u == next.first) top.last = next.last;
        else break;
    }
    return top;
}

static unsigned covered_within(const pf_cover *covered, unsigned nw, interval block) {
    unsigned count = 0;
    for (unsigned i = block.first / 64; i <= block.last / 64u && i < nw; i++) {
        uint64_t word = covered[i];
        if (i == block.first / 64) word &= ~UINT64_C(0) << (block.first % 64);
        if (i == block.last / 64u && block.last % 64 != 63) word &= (UINT64_C(2) << (block.last % 64)) - 1;
        count += pf_bits_count(word);
    }
    return count;
}

/* The test above: a hull that holds only its own intervals covers as many positions as they have. */
static bool completes(const pf_con *con, const pf_cover *covered, const stack *blocks, unsigned j) {
    unsigned below;
    interval hull = reduce(blocks, j, &below);
    unsigned own = hull.last - hull.first; /* j itself is not in b */
    while (below) {
        interval next = nth(blocks, --below);
        own += next.last - next.first + 1u;
        if (next.first < hull.first) hull.first = next.first;
        if (next.last > hull.last) hull.last = next.last;
        if (covered_within(covered, con->nw, hull) != own) return false;
    }
    return true;
}

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *x, pf_cover *set) {
    stack blocks = stack_of(x);
    for (unsigned j = pf_cover_next(set, con->nw, 0); j < con->n; j = pf_cover_next(set, con->nw, j + 1))
        if (!completes(con, covered, &blocks, j)) pf_cover_drop(set, j);
    return PF_OK;
}

static size_t extent(const pf_con *con, const unsigned char *x) {
    (void)con;
    return sizeof(uint16_t) + stack_of(x).n * sizeof(interval);
}

static size_t start(const pf_con *con, unsigned char *x) {
    (void)con;
    memset(x, 0, sizeof(uint16_t));
    return sizeof(uint16_t);
}

static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *x, unsigned j, unsigned char *to) {
    (void)covered;
    stack blocks = stack_of(x);
    unsigned below;
    interval top = reduce(&blocks, j, &below);
    uint16_t n = (uint16_t)(below + 1);
    memcpy(to, &n, sizeof n);
    memcpy(to + sizeof n, blocks.at, below * sizeof(interval));
    memcpy(to + sizeof n + below * sizeof(interval), &top, sizeof top);
    return extent(con, to);
}

/* Four values in the order 2413 or 3142: inner pair outside the outer pair's range, crosswise. */
static bool forbidden(unsigned first, unsigned second, unsigned third, unsigned fourth) {
    return (third < first && first < fourth && fourth < second) || (second < fourth && fourth < first && first < third);
}

static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned i = 0; i < con->n; i++)
        for (unsigned j = i + 1; j < con->n; j++)
            for (unsigned k = j + 1; k < con->n; k++)
                for (unsigned l = k + 1; l < con->n; l++)
                    if (forbidden(perm[i], perm[j], perm[k], perm[l])) return false;
    return true;
}

static const pf_con_class stacks_class = {
    .name = "itg-stacks",
    .params = "",
    .help = "separable permutations, by the stacks of a parser",
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .member = member,
};

pf_con *itg_stacks(unsigned n) {
    pf_con *con = calloc(1, sizeof *con);
    if (!con) abort();
    *con = (pf_con){.cls = &stacks_class, .n = n, .nw = pf_cover_words(n), .live = true};
    con->room = sizeof(uint16_t) + n * sizeof(interval);
    return con;
}
