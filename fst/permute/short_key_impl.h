/* Private: short keys: the states of a space as words of 64 bits, whatever the length of the sentence.
 *
 * A coverage is told from its first uncovered position on. Where no covered position is far from it (local, mj, distortion,
 * displacement, and all short sentences), a key is that position and the bits after it. Under ibm:L with L <= 4 it is the L first
 * uncovered positions: all others before the last of them are covered. So a state and its moves take O(moves) time, and no longer
 * in a long sentence. Equal keys, equal states: there are as many of them as of those that walk.h writes. */
#ifndef PF_PERMUTE_SHORT_KEY_IMPL_H
#define PF_PERMUTE_SHORT_KEY_IMPL_H

#include <permfst/permute/con.h>

typedef struct {
    const pf_con *con;        /* borrowed */
    pf_con *const *part;      /* of a conjunction; NULL: it is none, and the only part itself */
    size_t parts;
    const pf_con *extra;      /* the one of them with extra bytes; NULL: there is none */
    unsigned listed;          /* L, where keys are lists; else 0 */
} pfi_short_keys;

enum { PFI_SHORT_MOVES = 48 }; /* at most, from a state */

/* Has the space such keys? The constraint has no dead ends, and must outlive them. O(parts). */
bool pfi_short_keys_init(pfi_short_keys *keys, const pf_con *con);

uint64_t pfi_short_start(const pfi_short_keys *keys);

/* How many positions are covered. */
unsigned pfi_short_covered(const pfi_short_keys *keys, uint64_t key);

/* All moves from some states, state by state, ascending by position, and the keys after them: there is room for PFI_SHORT_MOVES of
 * each state. first[i] is where those of state i begin. Returns how many they are together. O(moves) and O(parts). */
unsigned pfi_short_moves(const pfi_short_keys *keys, const uint64_t *key, unsigned states, unsigned *first, uint16_t *position,
                         uint64_t *to);

/* Its coverage: con->nw words. */
void pfi_short_cover(const pfi_short_keys *keys, uint64_t key, pf_cover *covered);

#endif
