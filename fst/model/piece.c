/* Pieces of a sentence: pending words are kept until their left context comes. */
#include <permfst/model/piece.h>

#include <assert.h>

bool pf_piece_possible(const pf_scorer *s) { return s->cls->empty; }

void pf_piece_begin(pf_scorer *s, pf_label *room, pf_piece *out) {
    assert(pf_piece_possible(s));
    pf_state empty = s->cls->empty(s);
    *out = (pf_piece){.state = empty, .closed = !s->cls->open(s, empty, 0), .word = room};
}

void pf_piece_word(pf_scorer *s, pf_piece *p, pf_label x) {
    double w = s->cls->step(s, p->state, x, &p->state);
    if (p->closed) {
        p->cost += w;
        return;
    }
    assert(p->n < s->cls->reach(s));
    p->word[p->n++] = x;
    p->closed = !s->cls->open(s, p->state, p->n);
}

/* The pending words of `second` come one by one, after words that are known or pending themselves; all others are after these,
 * and do not see what stands before. */
void pf_piece_join(pf_scorer *s, pf_piece *first, const pf_piece *second) {
    for (unsigned i = 0; i < second->n; i++) pf_piece_word(s, first, second->word[i]);
    first->cost += second->cost;
    if (!second->closed) return;
    first->closed = true; /* words that end in words that are not open are not open */
    first->state = second->state;
}

double pf_piece_after(pf_scorer *s, pf_state at, const pf_piece *p, pf_state *to) {
    double w = 0;
    for (unsigned i = 0; i < p->n; i++) w += s->cls->step(s, at, p->word[i], &at);
    *to = p->closed ? p->state : at;
    return w + p->cost;
}
