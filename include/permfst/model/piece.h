/* Pieces of a sentence, scored before the words to their left are known: what a chart needs, whose spans are joined later.
 *
 * A back-off model of order N looks at up to N - 1 words before a word. Of a piece w1 .. wn whose left context is not known the
 * cost of wk is known as soon as nothing that may stand before w1 can change it: where w1 .. wk-1 are N - 1 words, or where
 * no history of the model ends in w1 .. wk-1 and begins before them. The words up to there are *pending*; the cost of a
 * piece is that of all others. A pending word is scored when its left context comes, so that each word is scored once, with
 * the costs that it has in the whole sentence, and nothing is estimated:
 *
 *   cost(a b) = cost(a) + cost(b) + the cost of those words pending in b whose context a completes;
 *   pending(a b) = pending(a), and, while a is all pending and leaves its end open, those of b that stay so.
 *
 * Why that is exact. Say that k words are open if some history of the model (a state) has them as its end and one word
 * more before them, or more words. Every beginning of a history is a history; so if k words are not open neither are k + 1 words
 * that begin with them, and the costs are known from some word on. If k words are not open, then what stands before them leads
 * to the same state as nothing does: the longest history that is an end of all words read is an end of the k words. The state
 * decides the cost of the next word, which is therefore that of the whole sentence.
 *
 * The first words of a piece and its last state are the two sides that Chiang (2007, "Hierarchical phrase-based translation",
 * section 5.3) keeps of a chart item. That they may be fewer than N - 1 words, because the model has no longer history, is due to
 * Li & Khudanpur (2008, "A scalable decoder for parsing-based machine translation with equivalent language model state
 * maintenance"); Heafield (2011, "KenLM: faster and smaller language model queries") keeps a bit with each state for it.
 * Two pieces with the same pending words, the same state and the same `closed` cost the same in every sentence, but for
 * their own cost: a chart keeps the cheaper one. */
#ifndef PF_MODEL_PIECE_H
#define PF_MODEL_PIECE_H

#include <permfst/model/scorer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double cost;     /* of the words that are not pending */
    pf_state state;  /* after the words: if `closed`, whatever stands before the piece; else after nothing but these words */
    bool closed;     /* no word before the piece matters to what follows it */
    unsigned n;      /* pending: the first words, all of them unless closed */
    pf_label *word;  /* the n words; room for reach() of them, the caller's */
} pf_piece;

/* Can pieces be scored? Else none of these may be called. Where labels are any number of words (length() of the scorer), no count
 * of labels bounds those that are pending, so that they have no room here. */
bool pf_piece_possible(const pf_scorer *scorer);

/* The empty piece. `room` is for reach() labels and stays the piece's. O(1). */
void pf_piece_begin(pf_scorer *scorer, pf_label *room, pf_piece *out);

/* One word more, to the right. One step of the scorer, if the word's context is complete or not. */
void pf_piece_word(pf_scorer *scorer, pf_piece *piece, pf_label label);

/* `first` gets the words of `second` to its right; `second` stays. A step for each word that is pending in `second`. */
void pf_piece_join(pf_scorer *scorer, pf_piece *first, const pf_piece *second);

/* The cost of all words of a piece after a state that is known, and the state after it: a sentence is its one piece after
 * start(), and the cost of ending there. A step for each pending word. */
double pf_piece_after(pf_scorer *scorer, pf_state at, const pf_piece *piece, pf_state *to);

#ifdef __cplusplus
}
#endif
#endif
