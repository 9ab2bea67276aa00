/* From the inside out: whatever is placed around the unit so far matters to the next class only by its first block x and its last
 * block y. A group matters by its least and its greatest block: it is visited in ascending order, or it begins with the
 * greatest and ends with the least, which costs their difference and 1. (Other orders that may be best begin and end between
 * these; they cost as much inside, and more at their ends.) The pool of a class is split; which splits there are is seen by the
 * least and greatest blocks of both parts. O(classes x pool^3). */
#include "tree/coupled.h"

#include <stdbool.h>
#include <string.h>

void pfi_coupled_free(pfi_coupled *c) {
    PF_VEC_FREE(&c->x);
    PF_VEC_FREE(&c->y);
    PF_VEC_FREE(&c->cost);
    PF_VEC_FREE(&c->left);
    PF_VEC_FREE(&c->right);
    PF_VEC_FREE(&c->half);
    PF_VEC_FREE(&c->whole);
    PF_VEC_FREE(&c->next);
}

pf_err pfi_coupled_begin(pfi_coupled *c, int32_t unit) {
    c->x.n = c->y.n = c->cost.n = 0;
    PF_TRY(PF_PUSH(&c->x, unit));
    PF_TRY(PF_PUSH(&c->y, unit));
    return PF_PUSH(&c->cost, 0);
}

static int32_t least_of(int32_t one, int32_t other) { return one < other ? one : other; }

/* ---- the ends that the groups of a class may have ---- */

/* The pool with the forced ends around it, which come first and last; or, where the group is empty, what was there before. */
static pf_err set_ends(const pfi_coupled_class *class, bool empty, int32_t least, int32_t most, const int32_t *had, size_t n,
                       int32_t **at, size_t *count, size_t *cap) {
    *count = 0;
    PF_TRY(pf_vec_reserve(at, cap, n + class->n + 2, sizeof **at));
    if (empty) {
        memcpy(*at, had, n * sizeof *had);
        *count = n;
        return PF_OK;
    }
    if (least <= most) (*at)[(*count)++] = least;
    memcpy(*at + *count, class->pool, class->n * sizeof *class->pool);
    *count += class->n;
    if (least <= most) (*at)[(*count)++] = most;
    return PF_OK;
}

/* ---- the costs of reaching them ---- */

/* half[x, r]: from x, over what is inside, to right block r. whole[l, r]: the same from left block l. */
static pf_err reach(pfi_coupled *c, bool left_empty, bool right_empty) {
    size_t rights = c->right.n, lefts = c->left.n;
    PF_TRY(pf_vec_reserve(&c->half.at, &c->half.cap, c->x.n * rights + 1, sizeof *c->half.at));
    PF_TRY(pf_vec_reserve(&c->whole.at, &c->whole.cap, lefts * rights + 1, sizeof *c->whole.at));
    PF_TRY(pf_vec_reserve(&c->next.at, &c->next.cap, lefts * rights + 1, sizeof *c->next.at));
    for (size_t x = 0; x < c->x.n; x++)
        for (size_t r = 0; r < rights; r++) {
            int32_t least = right_empty ? c->cost.at[x * c->y.n + r] : PFI_UNREACHED;
            for (size_t y = 0; !right_empty && y < c->y.n; y++)
                least = least_of(least, c->cost.at[x * c->y.n + y] + pfi_drop(c->y.at[y], c->right.at[r]));
            c->half.at[x * rights + r] = least;
        }
    for (size_t l = 0; l < lefts; l++)
        for (size_t r = 0; r < rights; r++) {
            int32_t least = left_empty ? c->half.at[l * rights + r] : PFI_UNREACHED;
            for (size_t x = 0; !left_empty && x < c->x.n; x++)
                least = least_of(least, pfi_drop(c->left.at[l], c->x.at[x]) + c->half.at[x * rights + r]);
            c->whole.at[l * rights + r] = least;
            c->next.at[l * rights + r] = PFI_UNREACHED;
        }
    c->steps += c->x.n * rights * (1 + c->y.n) + lefts * rights * (1 + c->x.n);
    return PF_OK;
}

/* ---- splits of the pool ---- */

/* Where the least and the greatest block of a group are among its ends. */
typedef struct {
    size_t least, most;
} extremes;

/* A group of the pool's blocks from..to and the forced ones. `forced`: the ends begin and end with these. */
static extremes among(const int32_t *ends, size_t n, bool forced, bool some, size_t from, size_t to) {
    extremes e = {from + forced, to + forced};
    if (!some) return (extremes){0, n - 1};
    if (forced && ends[0] < ends[e.least]) e.least = 0;
    if (forced && ends[n - 1] > ends[e.most]) e.most = n - 1;
    return e;
}

typedef struct {
    pfi_coupled *c;
    const pfi_coupled_class *class;
    bool left_forced, right_forced, left_empty, right_empty;
} split;

static void relax(const split *s, size_t l, size_t r, size_t new_l, size_t new_r, int32_t inside) {
    size_t rights = s->c->right.n;
    int32_t *to = &s->c->next.at[new_l * rights + new_r];
    *to = least_of(*to, s->c->whole.at[l * rights + r] + inside);
}

static int32_t turned(const int32_t *ends, extremes e) { return ends[e.most] - ends[e.least] + 1; }

/* Both groups, in ascending order or turned; an empty one stays as it was, whatever that is. */
static void relax_groups(const split *s, extremes left, extremes right) {
    pfi_coupled *c = s->c;
    size_t first_l = s->left_empty ? 0 : left.least, last_l = s->left_empty ? c->left.n - 1 : left.least;
    for (size_t l = first_l; l <= last_l; l++) {
        size_t first_r = s->right_empty ? 0 : right.least, last_r = s->right_empty ? c->right.n - 1 : right.least;
        for (size_t r = first_r; r <= last_r; r++) {
            size_t l_most = s->left_empty ? l : left.most, r_most = s->right_empty ? r : right.most;
            int32_t turn_l = s->left_empty ? 0 : turned(c->left.at, left), turn_r = s->right_empty ? 0 : turned(c->right.at, right);
            relax(s, l_most, r, l, r_most, 0);
            relax(s, l, r, l_most, r_most, turn_l);
            relax(s, l_most, r_most, l, r, turn_r);
            relax(s, l, r_most, l_most, r, turn_l + turn_r);
            c->steps += 4;
        }
    }
}

/* The left part of the pool has blocks from `a` to `b`, the right part from `i` to `k`: places in the pool. */
static void relax_split(const split *s, size_t a, size_t b, size_t i, size_t k) {
    bool some_left = s->class->picks > 0, some_right = s->class->picks < s->class->n;
    relax_groups(s, among(s->c->left.at, s->c->left.n, s->left_forced, some_left, a, b),
                 among(s->c->right.at, s->c->right.n, s->right_forced, some_right, i, k));
}

/* One part has both ends of the pool, the other, of `inner` blocks, lies inside. */
static void relax_nested(const split *s, bool left_outside, size_t inner) {
    size_t n = s->class->n;
    for (size_t i = 1; i + inner < n; i++)
        for (size_t k = i + inner - 1; k + 1 < n; k++) {
            if (inner == 1 && k > i) break;
            if (left_outside) relax_split(s, 0, n - 1, i, k);
            else relax_split(s, i, k, 0, n - 1);
        }
}

/* One part, of `lower` blocks, has the least block of the pool, the other the greatest. */
static void relax_crossed(const split *s, bool left_lower, size_t lower) {
    size_t n = s->class->n, upper = n - lower;
    for (size_t i = 1; i <= lower; i++) {       /* the upper part begins */
        for (size_t b = lower - 1; b + 1 < n; b++) { /* the lower part ends */
            bool apart = i == lower && b == lower - 1;
            bool mixed = i < b && lower >= i + 1 && upper >= n - b;
            if (!apart && !mixed) continue;
            if (left_lower) relax_split(s, 0, b, i, n - 1);
            else relax_split(s, i, n - 1, 0, b);
        }
    }
}

static void relax_all(const split *s) {
    size_t n = s->class->n, left = s->class->picks, right = n - left;
    if (!left || !right) {
        relax_split(s, 0, n ? n - 1 : 0, 0, n ? n - 1 : 0);
        return;
    }
    if (left > 1) relax_nested(s, true, right);
    if (right > 1) relax_nested(s, false, left);
    relax_crossed(s, true, left);
    relax_crossed(s, false, right);
}

pf_err pfi_coupled_add(pfi_coupled *c, const pfi_coupled_class *class) {
    bool left_forced = class->left_least <= class->left_most, right_forced = class->right_least <= class->right_most;
    split s = {c, class, left_forced, right_forced, !left_forced && !class->picks, !right_forced && class->picks == class->n};
    if (s.left_empty && s.right_empty) return PF_OK;
    PF_TRY(set_ends(class, s.left_empty, class->left_least, class->left_most, c->x.at, c->x.n, &c->left.at, &c->left.n,
                    &c->left.cap));
    PF_TRY(set_ends(class, s.right_empty, class->right_least, class->right_most, c->y.at, c->y.n, &c->right.at, &c->right.n,
                    &c->right.cap));
    PF_TRY(reach(c, s.left_empty, s.right_empty));
    relax_all(&s);
    c->x.n = c->y.n = c->cost.n = 0;
    PF_TRY(PF_ROOM(&c->x, c->left.n));
    PF_TRY(PF_ROOM(&c->y, c->right.n));
    PF_TRY(PF_ROOM(&c->cost, c->left.n * c->right.n));
    memcpy(c->x.at, c->left.at, c->left.n * sizeof *c->x.at);
    memcpy(c->y.at, c->right.at, c->right.n * sizeof *c->y.at);
    memcpy(c->cost.at, c->next.at, c->left.n * c->right.n * sizeof *c->cost.at);
    c->x.n = c->left.n;
    c->y.n = c->right.n;
    c->cost.n = c->left.n * c->right.n;
    return PF_OK;
}

int32_t pfi_coupled_bound(const pfi_coupled *c, int32_t before, const int32_t *after) {
    int32_t least = PFI_UNREACHED;
    for (size_t x = 0; x < c->x.n; x++)
        for (size_t y = 0; y < c->y.n; y++)
            least = least_of(least, pfi_drop(before, c->x.at[x]) + c->cost.at[x * c->y.n + y] + after[c->y.at[y]]);
    return least;
}
