/* Private to the constraints: the classes, one a file, how they are combined, and what several of them share. */
#ifndef PF_PERMUTE_CON_IMPL_H
#define PF_PERMUTE_CON_IMPL_H

#include <permfst/permute/con.h>

extern const pf_con_class pfi_con_none, pfi_con_ibm, pfi_con_inverse_ibm, pfi_con_local, pfi_con_inverse_local, pfi_con_mj,
    pfi_con_displacement, pfi_con_distortion, pfi_con_jump, pfi_con_itg, pfi_con_itg_span, pfi_con_wall, pfi_con_zone,
    pfi_con_unit;

extern const pf_con_class pfi_con_all_of, pfi_con_one_of, pfi_con_without; /* combinations */

/* A constraint of a class, without parameters read; freed by pf_con_free. */
pf_err pfi_con_make(const pf_con_class *cls, unsigned n, pf_con **out);

/* A specification as it stands, dead ends included; everything in it has its `spec`. */
pf_err pfi_con_parse(const char *spec, unsigned n, pf_con **out);

/* Combinations, dead ends included. They own their parts from now on, also when they fail. */
pf_err pfi_con_conjoin(pf_con **part, size_t count, unsigned n, pf_con **out);
pf_err pfi_con_union(pf_con *a, pf_con *b, pf_con **out);
pf_err pfi_con_minus(pf_con *a, pf_con *b, pf_con **out);

/* What a union and a difference share: two parts, and scratch; `room` is a byte and theirs. Owns a and b, as above. */
typedef struct {
    pf_con *part[2];
    pf_cover *left, *kept;
} pfi_pair;
pf_err pfi_pair_make(const pf_con_class *cls, pf_con *a, pf_con *b, pf_con **out);
void pfi_pair_free(pf_con *con);
pf_con *const *pfi_pair_parts(const pf_con *con, size_t *n);

/* The same without dead ends: a completion test around it where it is not known to have none. Owns it, as above.
 * `spec` is for the message when a difference leaves nothing. */
pf_err pfi_con_finish(pf_con *con, const char *spec, pf_con **out);

/* Puts the completion test around a constraint, which it owns, or takes it off again. It may remember `limit` states. */
pf_err pfi_con_live(pf_con *inner, uint64_t limit, pf_con **out);
pf_con *pfi_con_bare(pf_con *con);

/* Can anything be completed at all? Of a constraint with the test. */
pf_err pfi_con_live_start(const pf_con *con, bool *live);

/* That no two zones among the parts cross. PF_EARG. */
pf_err pfi_con_zones_nest(pf_con *const *part, size_t count);

/* Are all parts zones and units, and walls that split none of these? Then they have no dead ends. */
bool pfi_con_marks_live(pf_con *const *part, size_t count);

/* The positions begin..end-1 that a zone or a unit is about; those that a wall is about, and where it stands. */
typedef struct {
    unsigned begin, at, end;
} pfi_span;
bool pfi_con_wall_span(const pf_con *con, pfi_span *out); /* false: no wall */

/* The one parameter of ibm:L and its like, at least 1; or of displacement:D and its like, at least 0; this, where the extra
 * bytes are one number (pfi_u16). */
pf_err pfi_con_window(pf_con *con, const pf_params *params);
pf_err pfi_con_distance(pf_con *con, const pf_params *params);
pf_err pfi_con_distance_u16(pf_con *con, const pf_params *params);

/* The most positions that are still to come before p[t] (or, with `earlier`, that came behind it), over all t.
 * room: n + 1 numbers. O(n log n). */
unsigned pfi_con_most_inverted(const unsigned *p, unsigned n, unsigned *room, bool earlier);

/* Is p separable? room: 2n + 2 numbers. O(n). */
bool pfi_con_separable(const unsigned *p, unsigned n, unsigned *room);

/* A uniformly drawn separable permutation. What its draws share is con->data. */
pf_err pfi_con_itg_draw_init(pf_con *con);
void pfi_con_itg_draw_free(pf_con *con);
pf_err pfi_con_itg_draw(const pf_con *con, gmp_randstate_t random, unsigned *p);

/* The sizes of all orders of n positions. */
void pfi_con_size_all(unsigned n, pf_con_size *size);

/* Extra bytes that are one number of 16 bits; cf. pf_con.room. */
static inline unsigned pfi_u16(const unsigned char *x) { return (unsigned)(x[0] | x[1] << 8); }
static inline size_t pfi_put_u16(unsigned char *x, unsigned v) {
    x[0] = (unsigned char)v;
    x[1] = (unsigned char)(v >> 8);
    return 2;
}

#endif
