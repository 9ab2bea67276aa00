/* Uniformly drawn separable permutations, by Schroeder decomposition.
 *
 * A separable permutation of n > 1 positions is a sum or a skew sum of two or more parts, and its parts are leaves or of the
 * other kind: an ordered tree with n leaves whose inner nodes have two or more children, with sums and skew sums by turns
 * (Zens & Ney 2003 count them by the large Schroeder numbers, which are twice the number of the trees).
 *
 * Of the trees T(k) = C(n+k-1, k-1) C(n-2, k-1) / k have k inner nodes. k is drawn first: T is known at its top, and the
 * other terms follow from one another, so that O(sqrt n) of them are looked at. Then the tree, by the cycle lemma
 * (Dvoretzky & Motzkin 1947): of the numbers of children in any order, one rotation is a tree in preorder. All of it is
 * exact. O(n) steps, of which the O(sqrt n) first are on numbers of O(n) bits; O(n) memory; before the first draw O(n)
 * such steps. */
#include "permute/con_impl.h"

#include <stdlib.h>

/* What all draws share. */
typedef struct {
    bool ready;
    mpz_t trees; /* of all k */
    mpz_t top;   /* T(most) */
    unsigned most;
    mpz_t rest, up, down; /* scratch */
} itg_trees;

/* A node whose children are being placed: the values left for them, and how many they are. */
typedef struct {
    unsigned low, end, left;
    bool skew;
} node;

pf_err pfi_con_itg_draw_init(pf_con *con) {
    itg_trees *t = calloc(1, sizeof *t);
    if (!t) return pf_nomem();
    mpz_inits(t->trees, t->top, t->rest, t->up, t->down, (mpz_ptr)NULL);
    con->data = t;
    return PF_OK;
}

void pfi_con_itg_draw_free(pf_con *con) {
    itg_trees *t = con->data;
    if (t) mpz_clears(t->trees, t->top, t->rest, t->up, t->down, (mpz_ptr)NULL);
    free(t);
}

/* term *= a b / (c d); the result is whole, and so is it after each step. */
static void times(mpz_t term, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
    mpz_mul_ui(term, term, a);
    mpz_mul_ui(term, term, b);
    mpz_divexact_ui(term, term, c);
    mpz_divexact_ui(term, term, d);
}

/* T rises while T(k+1) / T(k) = (n+k)(n-1-k) / (k(k+1)) is at least 1. */
static void prepare(itg_trees *t, const pf_con *con) {
    unsigned n = con->n, k = 1;
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    mpz_fdiv_q_2exp(t->trees, size.paths, 1);
    pf_con_size_clear(&size);
    while ((uint64_t)(n + k) * (n - 1 - k) >= (uint64_t)k * (k + 1)) k++;
    t->most = k;
    mpz_bin_uiui(t->top, n + k - 1, k - 1);
    mpz_bin_uiui(t->rest, n - 2, k - 1);
    mpz_mul(t->top, t->top, t->rest);
    mpz_divexact_ui(t->top, t->top, k);
    t->ready = true;
}

/* Is it one of the `term` trees? Else they are passed by. */
static bool among(mpz_t rest, const mpz_t term) {
    if (mpz_cmp(rest, term) < 0) return true;
    mpz_sub(rest, rest, term);
    return false;
}

/* Draws k, from the likeliest outwards. */
static unsigned inner_nodes(itg_trees *t, unsigned n, gmp_randstate_t random) {
    unsigned low = t->most, high = t->most;
    mpz_set(t->up, t->top);
    mpz_set(t->down, t->top);
    mpz_urandomm(t->rest, random, t->trees);
    if (among(t->rest, t->top)) return t->most;
    while (low > 1 || high < n - 1) {
        if (high < n - 1) {
            times(t->up, n + high, n - 1 - high, high + 1, high);
            high++;
            if (among(t->rest, t->up)) return high;
        }
        if (low > 1) {
            times(t->down, low, low - 1, n + low - 1, n - low);
            low--;
            if (among(t->rest, t->down)) return low;
        }
    }
    return t->most; /* not reached */
}

/* Writes k numbers of children, each 2 or more, and n leaves, uniformly among all such sequences with n + k - 1 children. */
static void draw_sequence(unsigned n, unsigned k, gmp_randstate_t random, unsigned *children) {
    for (unsigned left = n + k, inner = k, i = 0; left; left--, i++) {
        children[i] = gmp_urandomm_ui(random, left) < inner ? 2 : 0;
        inner -= children[i] / 2;
    }
    while (!*children) children++;
    for (unsigned left = n - 2, bars = k - 1; left; left--) { /* a child more here, or on to the next inner node */
        if (gmp_urandomm_ui(random, left) >= bars) ++*children;
        else {
            bars--;
            do children++;
            while (!*children);
        }
    }
}

/* Where the tree begins: behind the first place where the most subtrees have ended. */
static unsigned first_node(const unsigned *children, unsigned nodes) {
    long open = 0, least = 0;
    unsigned first = 0;
    for (unsigned i = 0; i < nodes; i++) {
        open += (long)children[i] - 1;
        if (open >= least) continue;
        least = open;
        first = i + 1;
    }
    return first % nodes;
}

/* How many leaves are below each node, from the end; `done` are the subtrees waiting for their parents. */
static void count_leaves(const unsigned *children, unsigned first, unsigned nodes, unsigned *leaves, unsigned *done) {
    for (unsigned i = nodes, waiting = 0; i-- > 0;) {
        unsigned at = (first + i) % nodes;
        leaves[at] = !children[at];
        for (unsigned c = children[at]; c; c--) leaves[at] += done[--waiting];
        done[waiting++] = leaves[at];
    }
}

/* Each node takes the lowest values that its parent has left, or the highest. */
static void place(const unsigned *children, unsigned first, unsigned nodes, const unsigned *leaves, node *path, unsigned *p) {
    node *top = path;
    for (unsigned i = 0; i < nodes; i++) {
        unsigned at = (first + i) % nodes;
        while (!top->left) top--;
        top->left--;
        if (top->skew) top->end -= leaves[at];
        node here = {top->skew ? top->end : top->low, 0, children[at], !top->skew};
        here.end = here.low + leaves[at];
        if (!top->skew) top->low = here.end;
        if (here.left) *++top = here;
        else *p++ = here.low;
    }
}

pf_err pfi_con_itg_draw(const pf_con *con, gmp_randstate_t random, unsigned *p) {
    itg_trees *t = con->data;
    unsigned n = con->n;
    for (unsigned i = 0; i < n; i++) p[i] = i;
    if (n < 2) return PF_OK;
    if (!t->ready) prepare(t, con);
    unsigned *children = calloc(3 * 2 * (size_t)n, sizeof *children), *leaves = children + 2 * n, *done = leaves + 2 * n;
    node *path = malloc((n + 1u) * sizeof *path);
    if (children && path) {
        unsigned k = inner_nodes(t, n, random), first;
        draw_sequence(n, k, random, children);
        first = first_node(children, n + k);
        count_leaves(children, first, n + k, leaves, done);
        path[0] = (node){0, n, 1, gmp_urandomb_ui(random, 1) != 0};
        place(children, first, n + k, leaves, path, p);
    }
    pf_err err = children && path ? PF_OK : pf_nomem();
    free(children);
    free(path);
    return err;
}
