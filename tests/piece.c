/* Pieces of a sentence: pending words are kept until their left context comes. */
#include "piece.h"

#include <assert.h>

void piece_begin(pf_scorer *scorer, pf_label *room, text_piece *out) {
    assert(scorer->cls->empty && !scorer->cls->length);
    pf_state empty = scorer->cls->empty(scorer);
    *out = (text_piece){.state = empty, .closed = !scorer->cls->open(scorer, empty, 0), .word = room};
}

void piece_word(pf_scorer *scorer, text_piece *piece, pf_label label) {
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
void piece_join(pf_scorer *scorer, text_piece *first, const text_piece *second) {
    for (unsigned i = 0; i < second->n; i++) piece_word(scorer, first, second->word[i]);
    first->cost += second->cost;
    if (!second->closed) return;
    first->closed = true; /* words that end in words that are not open are not open */
    first->state = second->state;
}

double piece_after(pf_scorer *scorer, pf_state at, const text_piece *piece, pf_state *to) {
    double cost = 0;
    for (unsigned i = 0; i < piece->n; i++) cost += scorer->cls->step(scorer, at, piece->word[i], &at);
    *to = piece->closed ? piece->state : at;
    return cost + piece->cost;
}

pf_state state_after(pf_scorer *scorer, bool begins, const pf_label *history, size_t count) {
    pf_state at = begins ? scorer->cls->start(scorer) : scorer->cls->empty(scorer);
    for (size_t i = 0; i < count; i++) scorer->cls->step(scorer, at, history[i], &at);
    return at;
}
