/* A model's rows of shorter histories, of which a longer one differs in few words. Private to the searches.
 *
 * A history of a back-off model lists few words of a sentence (Katz 1987). Of the others it says what the history without its
 * first word says, and the back-off weight. Most histories of a sentence back off to those of one word, which are few. So their
 * rows are made once, as what is listed where, and a row of a longer history is made of its own list, the costs listed and the
 * sums of back-off weights: one addition a word, where each word was searched in two or three lists. The sums are those that the
 * model makes itself, term by term. Where a bound has asked the model before, its lists are read. 13 bytes for each word of each
 * shorter history. */
#ifndef PF_SEARCH_SHORTER_H
#define PF_SEARCH_SHORTER_H

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include <permfst/model/scorer.h>

typedef struct {
    uint32_t lower; /* the row that it backs off to; itself: it lists all words */
    double back;    /* what that costs */
    double end;     /* the cost of the end, where it is listed */
    unsigned end_backs; /* how many histories the row backs off to before that */
} pfi_shorter_row;

typedef struct {
    pf_scorer *scorer;
    const pf_label_set *labels; /* borrowed */
    const struct pfi_listings *listings; /* of the same labels: asked before the model is; borrowed; NULL */
    pf_known_words asked; /* scratch; nothing else is there before the first row */
    pf_statetab states;   /* of the model -> rows */
    PF_VEC(pfi_shorter_row) rows;
    PF_VEC(double) cost;  /* of each word of each row: where it is listed */
    PF_VEC(uint8_t) backs; /* how many histories the row backs off to before that */
    PF_VEC(pf_state) to;
} pfi_shorter;

/* Does the model make rows in this way, and are the words few enough? */
bool pfi_shorter_possible(const pf_scorer *scorer, unsigned words);

/* Costs and next states of all words after `state`, and the cost of the end: what the scorer's row() and final() say. *row: the row
 * that most of them were taken from. PF_ENOMEM. */
pf_err pfi_shorter_fill(pfi_shorter *shorter, pf_state state, double *costs, pf_state *to, double *end, uint32_t *row);

/* The cost of a word after `state`, counted among the labels, and the next state: what the scorer's step() says. */
double pfi_shorter_step(const pfi_shorter *shorter, pf_state state, uint32_t which, pf_state *to);

void pfi_shorter_free(pfi_shorter *shorter); /* what is all zero is accepted */

uint64_t pfi_shorter_bytes(const pfi_shorter *shorter);

#endif
