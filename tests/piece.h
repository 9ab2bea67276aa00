/* Pieces of a sentence, scored before the words to their left are known, with the words and the state of one scorer: the plain form
 * of chart/pieces.h, which says why the costs are exact. */
#ifndef PIECE_H
#define PIECE_H

#include <permfst/model/scorer.h>

typedef struct {
    double cost;    /* of the words that are not pending */
    pf_state state; /* after the words: if `closed`, whatever stands before the piece; else after nothing but these words */
    bool closed;    /* no word before the piece matters to what follows it */
    unsigned n;     /* pending: the first words, all of them unless closed */
    pf_label *word; /* the n words; room for reach() of them, the caller's */
} text_piece;

/* The empty piece, of a scorer that has the methods of pieces, and whose labels are one word each. */
void piece_begin(pf_scorer *scorer, pf_label *room, text_piece *out);

/* One word more, to the right. */
void piece_word(pf_scorer *scorer, text_piece *piece, pf_label label);

/* `first` gets the words of `second` to its right; `second` stays. */
void piece_join(pf_scorer *scorer, text_piece *first, const text_piece *second);

/* The cost of all words of a piece after a state that is known, and the state after it. */
double piece_after(pf_scorer *scorer, pf_state at, const text_piece *piece, pf_state *to);

/* The state after a history: of the first words of a sentence, where it `begins` with them, or of words in the middle of one. */
pf_state state_after(pf_scorer *scorer, bool begins, const pf_label *history, size_t count);

#endif
