/* The inverses of the permutations of local:L (definitions: "p_t > max(p_1 .. p_(t-L))").
 *
 * When a position is visited, all smaller uncovered positions become gaps, and each gap must be visited within L-1 further
 * steps. So every gap has a deadline. The deadlines of gaps ascend from the first gap on, and visiting the gaps in order meets
 * them: a state is live iff the k-th gap has at least k steps. Bytes: the number of gaps, and the steps that each of them has,
 * at most as many as there are uncovered positions (more is no limit), all uint16. States with different bytes have different
 * continuations: the automaton is minimal. */
#include "permute/con_impl.h"

#include <permfst/base/digits.h>

#include <stdio.h>

static unsigned gaps_of(const unsigned char *extra) { return pfi_u16(extra); }
static unsigned steps_of(const unsigned char *extra, unsigned i) { return pfi_u16(extra + 2 + 2 * i); }

static size_t start(const pf_con *con, unsigned char *extra) {
    (void)con;
    return pfi_put_u16(extra, 0);
}

/* The first gap that has no step to spare once all gaps before it are visited; the number of gaps if there is none. */
static unsigned due_first(const unsigned char *extra) {
    unsigned at = 0;
    while (at < gaps_of(extra) && steps_of(extra, at) > at + 1) at++;
    return at;
}

/* A position is allowed if every gap before it has a step to spare, and the gaps that it makes can be visited in time. */
static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    unsigned due = due_first(extra), gap = pf_cover_gap(covered, con->nw, 0);
    uint64_t most = due < gaps_of(extra) ? due : con->param - 1; /* uncovered positions that may be left before it */
    for (uint64_t before = 0; before < most && gap < con->n; before++) gap = pf_cover_gap(covered, con->nw, gap + 1);
    pfi_con_keep_below(con, gap + 1, set);
    return PF_OK;
}

static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    unsigned gaps = gaps_of(extra), kept = 0, gap = pf_cover_gap(covered, con->nw, 0),
             uncovered = con->n - pf_cover_count(covered, con->nw) - 1;
    for (unsigned at = 0; at < gaps; at++, gap = pf_cover_gap(covered, con->nw, gap + 1)) {
        assert(steps_of(extra, at) > 0);
        unsigned steps = steps_of(extra, at) - 1;
        if (gap != position) kept += (unsigned)pfi_put_u16(to + 2 + 2 * kept, steps < uncovered ? steps : uncovered) / 2;
    }
    unsigned fresh = con->param - 1 < uncovered ? (unsigned)con->param - 1 : uncovered;
    for (; gap < position; gap = pf_cover_gap(covered, con->nw, gap + 1))
        kept += (unsigned)pfi_put_u16(to + 2 + 2 * kept, fresh) / 2;
    return pfi_put_u16(to, kept) + 2 * kept;
}

static size_t extent(const pf_con *con, const unsigned char *extra) {
    (void)con;
    return 2 + 2 * gaps_of(extra);
}

static pf_err init(pf_con *con, const pf_params *params) {
    PF_TRY(pfi_con_window(con, params));
    con->room = 2 + 2 * (con->param < con->n ? (size_t)con->param : con->n);
    return PF_OK;
}

/* perm[step] > max(perm[0] .. perm[step-L]). */
static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned step = 0; step < con->n; step++)
        for (uint64_t before = 0; before + con->param <= step; before++)
            if (perm[before] > perm[step]) return false;
    return true;
}

static void size(const pf_con *con, pf_con_size *size) { /* as many permutations as local:L has; other states */
    pf_con_size local;
    pf_con_size_init(&local);
    pfi_con_local.size(con, &local);
    size->count = local.count;
    mpz_set(size->paths, local.paths);
    pf_con_size_clear(&local);
}

/* The longest wait: the steps from the first larger position to perm[step]. It is the first prefix maximum that is larger. */
static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    unsigned *record = scratch, records = 0, most = 0; /* steps at which a new largest position came */
    for (unsigned step = 0; step < length; step++) {
        unsigned low = 0, high = records;
        while (low < high) {
            unsigned middle = low + (high - low) / 2;
            if (perm[record[middle]] > perm[step]) high = middle;
            else low = middle + 1;
        }
        if (low == records) record[records++] = step;
        else if (step - record[low] > most) most = step - record[low];
    }
    *param = most + 1u;
    return true;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    unsigned due = due_first(extra), wait = (unsigned)con->param - 1;
    (void)covered, (void)perm;
    if (due < gaps_of(extra))
        snprintf(words, room, "to be visited by step %u, at most %u after the first larger one", step + due + base, wait);
    else if (!wait) snprintf(words, room, "the first uncovered");
    else snprintf(words, room, "the first %u uncovered, each at most %u step%s after the first larger one", wait + 1, wait,
                  pf_plural(wait));
}

const pf_con_class pfi_con_inverse_local = {
    .name = "inverse-local",
    .params = ":L",
    .help = "a position larger than all those visited L or more steps before",
    .first_gap = true,
    .sorts = true,
    .inverse = &pfi_con_local,
    .init = init,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .inverts = pfi_con_inverts_short,
    .range = pfi_con_range_window,
    .member = member,
    .size = size,
    .least = least,
    .why = why,
};
