/* Pieces of a sentence: pending words are kept until their left context comes. */
#include <permfst/model/piece.h>

#include <assert.h>

bool pf_piece_possible(const pf_scorer *scorer) { return scorer->cls->empty && !scorer->cls->length; }

void pf_piece_begin(pf_scorer *scorer, pf_label *room, pf_piece *out) {
    assert(pf_piece_possible(scorer));
    pf_state empty = scorer->cls->empty(scorer);
    *out = (pf_piece){.state = empty, .closed = !scorer->cls->open(scorer, empty, 0), .word = room};
}

void pf_piece_word(pf_scorer *scorer, pf_piece *piece, pf_label label) {
    double cost = scorer->cls->step(scorer, piece->state, label, &piece->state);
    if (piece->closed) {
        piece->cost += cost;
        return;
    }
    assert(piece->n < scorer->cls->reach(scorer));
    piece->word[piece->n++] = label;
    piece->closed = !scorer->cls->open(scorer, piece->state, piece->n);
}

/* The pending words of `second` come one by one, after words that are known or pending themselves; all others are after these,
 * and do not see what stands before. */
void pf_piece_join(pf_scorer *scorer, pf_piece *first, const pf_piece *second) {
    for (unsigned i = 0; i < second->n; i++) pf_piece_word(scorer, first, second->word[i]);
    first->cost += second->cost;
    if (!second->closed) return;
    first->closed = true; /* words that end in words that are not open are not open */
    first->state = second->state;
}

double pf_piece_after(pf_scorer *scorer, pf_state at, const pf_piece *piece, pf_state *to) {
    double cost = 0;
    for (unsigned i = 0; i < piece->n; i++) cost += scorer->cls->step(scorer, at, piece->word[i], &at);
    *to = piece->closed ? piece->state : at;
    return cost + piece->cost;
}
