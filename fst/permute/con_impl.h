/* Private to the constraints: the classes, one in each file; how they are combined; what several of them share. */
#ifndef PF_PERMUTE_CON_IMPL_H
#define PF_PERMUTE_CON_IMPL_H

#include <permfst/permute/con.h>

#include <assert.h>

/* Claims about a state (base/contract.h) take O(n^2) time and more: the states of longer sentences are not looked at. */
enum { PFI_CLAIMED_POSITIONS = 100 };

/* The length for which specifications are only checked (pf_con_check). */
enum { PFI_ANY_LENGTH = UINT16_MAX };

/* The bytes of the text of a class with read(), which `text` begins with. A text that is only numbers and signs of a tree ends at
 * any operator; a file name may have hyphens. */
size_t pfi_con_text(const char *text);

extern const pf_con_class pfi_con_none, pfi_con_ibm, pfi_con_inverse_ibm, pfi_con_local, pfi_con_inverse_local, pfi_con_mj,
    pfi_con_displacement, pfi_con_distortion, pfi_con_jump, pfi_con_itg, pfi_con_itg_span, pfi_con_wall, pfi_con_zone,
    pfi_con_unit, pfi_con_tree;

extern const pf_con_class pfi_con_all_of, pfi_con_one_of, pfi_con_without; /* combinations */

/* A constraint of a class whose parameters are still to be read; freed by pf_con_free. `length` is at most UINT16_MAX. */
pf_err pfi_con_make(const pf_con_class *cls, unsigned length, pf_con **out);

/* Parses a specification. The constraint may have dead ends; all its parts have their `spec`. */
pf_err pfi_con_parse(const char *spec, unsigned length, pf_con **out);

/* Combinations, which may have dead ends. They own their parts from now on, also when they fail. */
pf_err pfi_con_conjoin(pf_con **part, size_t count, unsigned length, pf_con **out);
pf_err pfi_con_union(pf_con *first, pf_con *second, pf_con **out);
pf_err pfi_con_minus(pf_con *first, pf_con *second, pf_con **out);

/* The conjunction of constraints, with a completion test where it needs one. It owns the parts, as above. */
pf_err pfi_con_and(pf_con **part, size_t count, unsigned length, pf_con **out);

/* What a union and a difference share: two parts, and scratch sets. Their extra bytes are one byte, which says which parts
 * still admit the moves made, and those of the parts. Owns the parts, as above. */
typedef struct {
    pf_con *part[2];
    pf_cover *narrowed, *kept;
} pfi_pair;
pf_err pfi_pair_make(const pf_con_class *cls, pf_con *first, pf_con *second, pf_con **out);
void pfi_pair_free(pf_con *con);
pf_con *const *pfi_pair_parts(const pf_con *con, size_t *count);

/* Does a part allow `position` at (covered, extra)? Parts have no completion test, so this cannot fail. */
bool pfi_pair_allows(const pfi_pair *pair, unsigned part, const pf_cover *covered, const unsigned char *extra,
    unsigned position);

/* The constraint without dead ends: a completion test is put around it unless it is known to have none. Owns it, as above.
 * `what` names it in the message that nothing is left of it. */
pf_err pfi_con_finish(pf_con *con, const char *what, pf_con **out);

/* Puts the completion test around a constraint, which it owns, also when this fails. The test may remember `limit` states.
 * pfi_con_bare takes it off again. */
pf_err pfi_con_live(pf_con *inner, uint64_t limit, pf_con **out);
pf_con *pfi_con_bare(pf_con *con);

/* Can the start state be completed? The constraint is a completion test. */
pf_err pfi_con_live_start(const pf_con *con, bool *live);

/* Checks that no two zones among the parts cross. PF_EARG. */
pf_err pfi_con_zones_nest(pf_con *const *part, size_t count);

/* Are all parts zones, units, or walls that split none of these? Then their conjunction has no dead ends. */
bool pfi_con_marks_live(pf_con *const *part, size_t count);

/* A wall: of the positions begin .. end-1, those before `at` are visited before the others. False if the constraint is no wall. */
typedef struct {
    unsigned begin, at, end;
} pfi_wall_range;
bool pfi_con_wall_of(const pf_con *con, pfi_wall_range *out);

/* init() with one parameter: of ibm:L and its like, at least 1; of displacement:D and its like, at least 0; the same for a
 * class whose extra bytes are one number (pfi_u16). */
pf_err pfi_con_window(pf_con *con, const pf_params *params);
pf_err pfi_con_distance(pf_con *con, const pf_params *params);
pf_err pfi_con_distance_u16(pf_con *con, const pf_params *params);

/* Over all steps, the most smaller positions that are visited later than perm[step]; with `earlier`, the most larger positions that
 * are visited earlier. scratch: length + 1 numbers. O(length log length). */
unsigned pfi_con_most_inverted(const unsigned *perm, unsigned length, unsigned *scratch, bool earlier);

/* Is perm separable? scratch: 2 length + 2 numbers. O(length). */
bool pfi_con_separable(const unsigned *perm, unsigned length, unsigned *scratch);

/* Draws a separable permutation uniformly. con->data is what the draws share. */
pf_err pfi_con_itg_draw_init(pf_con *con);
void pfi_con_itg_draw_free(pf_con *con);
pf_err pfi_con_itg_draw(const pf_con *con, gmp_randstate_t random, unsigned *perm);

/* The sizes of all orders of so many positions. */
void pfi_con_size_all(unsigned length, pf_con_size *size);

/* inverts() of a constraint that inverts no more than its parameter; and of one that admits all inversions. */
bool pfi_con_inverts_short(const pf_con *con, unsigned i, unsigned j, unsigned k);
bool pfi_con_inverts_any(const pf_con *con, unsigned i, unsigned j, unsigned k);

/* Takes out of a set the positions from `end` on, for narrow(). O(n/64). */
static inline void pfi_con_keep_below(const pf_con *con, unsigned end, pf_cover *set) {
    for (unsigned word = 0; word < con->nw; word++) set[word] &= pf_cover_range_word(0, end, word);
}

/* range() where a position is visited at most `early` steps before the step of its own number, and at most `late` steps after it.
 * Where none is early, none is late. */
static inline void pfi_con_narrow_range(unsigned t, uint64_t early, uint64_t late, unsigned *least, unsigned *most) {
    if (!early || !late) early = late = 0;
    if (*most > t && *most - t > early) *most = t + (unsigned)early;
    if (*least < t && t - *least > late) *least = t - (unsigned)late;
}

/* range() where steps visit positions first .. last. */
static inline void pfi_con_meet(unsigned first, unsigned last, unsigned *least, unsigned *most) {
    if (*least < first) *least = first;
    if (*most > last) *most = last;
}

/* range() of a constraint that visits each position fewer steps before and after the step of its own number than its parameter. */
void pfi_con_range_window(const pf_con *con, unsigned t, unsigned *least, unsigned *most);

/* Extra bytes that are one number of 16 bits; cf. pf_con.room. */
static inline unsigned pfi_u16(const unsigned char *extra) { return (unsigned)(extra[0] | extra[1] << 8); }
static inline size_t pfi_put_u16(unsigned char *extra, unsigned value) {
    assert(value <= UINT16_MAX);
    extra[0] = (unsigned char)value;
    extra[1] = (unsigned char)(value >> 8);
    return 2;
}

#endif
