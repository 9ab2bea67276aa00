/* Uniformly drawn separable permutations, by Schroeder decomposition.
 *
 * A separable permutation of n > 1 positions is a sum or a skew sum of two or more parts, and each part is a leaf or of the
 * other kind. So it is an ordered tree with n leaves whose inner nodes have two or more children; sums and skew sums alternate
 * from level to level. (Zens & Ney 2003 count the permutations by the large Schroeder numbers: twice the number of trees.)
 *
 * T(k) = C(n+k-1, k-1) C(n-2, k-1) / k trees have k inner nodes. First k is drawn: T is computed at its maximum, and the other
 * terms follow from one another, so that O(sqrt n) of them are looked at. Then the tree is drawn by the cycle lemma
 * (Dvoretzky & Motzkin 1947): exactly one rotation of a sequence of numbers of children is a tree in preorder. The draw is
 * exact. O(n) steps, of which the first O(sqrt n) work on numbers of O(n) bits; O(n) memory. Before the first draw there are
 * O(n) such steps. */
#include "permute/con_impl.h"

#include <stdlib.h>

/* What all draws share. */
typedef struct {
    bool ready;
    mpz_t trees;   /* their number, of all k */
    mpz_t top;     /* T(likeliest), the largest */
    unsigned likeliest;
    mpz_t rest, up, down; /* scratch */
} itg_trees;

/* A node whose children are being placed: the values low .. end-1 remain for `children` more of them. */
typedef struct {
    unsigned low, end, children;
    bool skew;
} itg_node;

pf_err pfi_con_itg_draw_init(pf_con *con) {
    itg_trees *shared = calloc(1, sizeof *shared);
    if (!shared) return pf_nomem();
    mpz_inits(shared->trees, shared->top, shared->rest, shared->up, shared->down, (mpz_ptr)NULL);
    con->data = shared;
    return PF_OK;
}

void pfi_con_itg_draw_free(pf_con *con) {
    itg_trees *shared = con->data;
    if (shared) mpz_clears(shared->trees, shared->top, shared->rest, shared->up, shared->down, (mpz_ptr)NULL);
    free(shared);
}

/* term *= a b / (c d). The result is a whole number, and so it is after each step. */
static void times(mpz_t term, unsigned long first, unsigned long second, unsigned long c, unsigned long d) {
    mpz_mul_ui(term, term, first);
    mpz_mul_ui(term, term, second);
    mpz_divexact_ui(term, term, c);
    mpz_divexact_ui(term, term, d);
}

/* T rises while T(k+1) / T(k) = (n+k)(n-1-k) / (k(k+1)) is at least 1. */
static void prepare(itg_trees *shared, const pf_con *con) {
    unsigned length = con->n, inner = 1;
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    mpz_fdiv_q_2exp(shared->trees, size.paths, 1);
    pf_con_size_clear(&size);
    while ((uint64_t)(length + inner) * (length - 1 - inner) >= (uint64_t)inner * (inner + 1)) inner++;
    shared->likeliest = inner;
    mpz_bin_uiui(shared->top, length + inner - 1, inner - 1);
    mpz_bin_uiui(shared->rest, length - 2, inner - 1);
    mpz_mul(shared->top, shared->top, shared->rest);
    mpz_divexact_ui(shared->top, shared->top, inner);
    shared->ready = true;
}

/* Is `rest` the number of one of the next `term` trees? Otherwise these are skipped. */
static bool among(mpz_t rest, const mpz_t term) {
    if (mpz_cmp(rest, term) < 0) return true;
    mpz_sub(rest, rest, term);
    return false;
}

/* Draws k. The terms are tried from the likeliest k outwards. */
static unsigned inner_nodes(itg_trees *shared, unsigned length, gmp_randstate_t random) {
    unsigned low = shared->likeliest, high = shared->likeliest;
    mpz_set(shared->up, shared->top);
    mpz_set(shared->down, shared->top);
    mpz_urandomm(shared->rest, random, shared->trees);
    if (among(shared->rest, shared->top)) return shared->likeliest;
    while (low > 1 || high < length - 1) {
        if (high < length - 1) {
            times(shared->up, length + high, length - 1 - high, high + 1, high);
            high++;
            if (among(shared->rest, shared->up)) return high;
        }
        if (low > 1) {
            times(shared->down, low, low - 1, length + low - 1, length - low);
            low--;
            if (among(shared->rest, shared->down)) return low;
        }
    }
    assert(!"the terms add up to the number of trees");
    return shared->likeliest;
}

/* Writes k numbers of children, each 2 or more, and n leaves, uniformly among all such sequences with n + k - 1 children. */
static void draw_sequence(unsigned length, unsigned nodes, gmp_randstate_t random, unsigned *children) {
    for (unsigned left = length + nodes, inner = nodes, i = 0; left; left--, i++) {
        children[i] = gmp_urandomm_ui(random, left) < inner ? 2 : 0;
        inner -= children[i] / 2;
    }
    while (!*children) children++;
    for (unsigned left = length - 2, bars = nodes - 1; left; left--) { /* a child more here, or on to the next inner node */
        if (gmp_urandomm_ui(random, left) >= bars) ++*children;
        else {
            bars--;
            do children++;
            while (!*children);
        }
    }
}

/* Where the tree begins: after the first place at which the most subtrees have ended. */
static unsigned first_node(const unsigned *children, unsigned nodes) {
    long open = 0, least = 0;
    unsigned first = 0;
    for (unsigned at = 0; at < nodes; at++) {
        open += (long)children[at] - 1;
        if (open >= least) continue;
        least = open;
        first = at + 1;
    }
    return first % nodes;
}

/* How many leaves are below each node, from the last node on; `done` has the subtrees whose parents are still to come. */
static void count_leaves(const unsigned *children, unsigned first, unsigned nodes, unsigned *leaves, unsigned *done) {
    for (unsigned left = nodes, waiting = 0; left-- > 0;) {
        unsigned at = (first + left) % nodes;
        leaves[at] = !children[at];
        for (unsigned child = children[at]; child; child--) leaves[at] += done[--waiting];
        done[waiting++] = leaves[at];
    }
}

/* Each node takes the lowest values that remain in its parent, or the highest. */
static void place(const unsigned *children, unsigned first, unsigned nodes, const unsigned *leaves, itg_node *path,
                  unsigned *perm) {
    itg_node *top = path;
    for (unsigned next = 0; next < nodes; next++) {
        unsigned at = (first + next) % nodes;
        while (!top->children) top--;
        top->children--;
        if (top->skew) top->end -= leaves[at];
        itg_node here = {top->skew ? top->end : top->low, 0, children[at], !top->skew};
        here.end = here.low + leaves[at];
        if (!top->skew) top->low = here.end;
        if (here.children) *++top = here;
        else *perm++ = here.low;
    }
}

pf_err pfi_con_itg_draw(const pf_con *con, gmp_randstate_t random, unsigned *perm) {
    itg_trees *shared = con->data;
    unsigned length = con->n;
    for (unsigned i = 0; i < length; i++) perm[i] = i;
    if (length < 2) return PF_OK;
    if (!shared->ready) prepare(shared, con);
    unsigned *children = calloc(3 * 2 * (size_t)length, sizeof *children), *leaves = children + 2 * length,
             *done = leaves + 2 * length;
    itg_node *path = malloc((length + 1u) * sizeof *path);
    if (children && path) {
        unsigned inner = inner_nodes(shared, length, random), first;
        draw_sequence(length, inner, random, children);
        first = first_node(children, length + inner);
        count_leaves(children, first, length + inner, leaves, done);
        path[0] = (itg_node){0, length, 1, gmp_urandomb_ui(random, 1) != 0};
        place(children, first, length + inner, leaves, path, perm);
    }
    pf_err err = children && path ? PF_OK : pf_nomem();
    free(children);
    free(path);
    return err;
}
