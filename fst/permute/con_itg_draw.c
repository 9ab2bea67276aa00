/* Uniformly drawn separable permutations, by Schroeder decomposition (Zens & Ney 2003, section 3.3 count them so).
 *
 * A separable permutation of m > 1 positions is a sum or a skew sum of two or more parts, never both, and as many are the
 * one as the other. The first part is no sum (no skew sum) itself; what follows is any permutation. With S(m) all and
 * H(m) = S(m) / 2 those of one kind, H(1) = 1: the first part has k of m positions with probability
 * H(k) S(m-k) / (S(m) / 2). Short and long first parts are the likely ones, so k is sought from both ends: the
 * whole takes O(n) numbers of O(n) bits and few steps a part. */
#include "permute/con_impl.h"

#include "base/vec.h"

#include <stdlib.h>

/* A piece still to be drawn: `n` positions from `low`, at steps from `at`; what it must not be at the top. */
enum { ANY, NO_SUM, NO_SKEW };
typedef struct {
    unsigned low, at, n;
    int kind;
} piece;

typedef struct {
    unsigned n;
    mpz_t *all; /* S: all[m] for m = 0..n */
    mpz_t rest, term;
    PF_VEC(piece) todo;
} drawing;

static void fill(drawing *d) {
    for (unsigned m = 0; m <= d->n; m++) mpz_init_set_ui(d->all[m], m > 1 ? 2 : 1);
    for (unsigned long m = 2; m < d->n; m++) {
        mpz_mul_ui(d->all[m + 1], d->all[m], 3 * (2 * m - 1));
        mpz_submul_ui(d->all[m + 1], d->all[m - 1], m - 2);
        mpz_divexact_ui(d->all[m + 1], d->all[m + 1], m + 1);
    }
}

/* term = H(k) S(m-k). */
static void ways(drawing *d, unsigned k, unsigned m) {
    mpz_mul(d->term, d->all[k], d->all[m - k]);
    if (k > 1) mpz_fdiv_q_2exp(d->term, d->term, 1);
}

/* The size of the first part of m. */
static unsigned first_part(drawing *d, unsigned m, gmp_randstate_t random) {
    mpz_fdiv_q_2exp(d->rest, d->all[m], 1);
    mpz_urandomm(d->rest, random, d->rest);
    for (unsigned i = 1;; i++) {
        unsigned k = i % 2 ? (i + 1) / 2 : m - i / 2; /* 1, m-1, 2, m-2, ... */
        ways(d, k, m);
        if (mpz_cmp(d->rest, d->term) < 0) return k;
        mpz_sub(d->rest, d->rest, d->term);
    }
}

static pf_err draw_piece(drawing *d, piece w, gmp_randstate_t random, unsigned *p) {
    if (w.n == 1) p[w.at] = w.low;
    if (w.n < 2) return PF_OK;
    bool skew = w.kind == ANY ? gmp_urandomb_ui(random, 1) : w.kind == NO_SUM;
    unsigned k = first_part(d, w.n, random);
    piece first = {skew ? w.low + w.n - k : w.low, w.at, k, skew ? NO_SKEW : NO_SUM};
    piece rest = {skew ? w.low : w.low + k, w.at + k, w.n - k, ANY};
    /* What follows is of any kind; that it is again of the same kind makes the parts three or more. */
    PF_TRY(PF_PUSH(&d->todo, first));
    return PF_PUSH(&d->todo, rest);
}

pf_err pfi_con_itg_draw(const pf_con *con, gmp_randstate_t random, unsigned *p) {
    drawing d = {.n = con->n, .all = calloc(con->n + 2u, sizeof(mpz_t))};
    if (!d.all) return pf_nomem();
    mpz_inits(d.rest, d.term, (mpz_ptr)NULL);
    fill(&d);
    piece whole = {0, 0, con->n, ANY};
    pf_err err = PF_PUSH(&d.todo, whole);
    while (!err && d.todo.n) err = draw_piece(&d, d.todo.at[--d.todo.n], random, p);
    for (unsigned m = 0; m <= d.n; m++) mpz_clear(d.all[m]);
    mpz_clears(d.rest, d.term, (mpz_ptr)NULL);
    PF_VEC_FREE(&d.todo);
    free(d.all);
    return err;
}
