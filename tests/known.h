/* What a scorer says of a word, or of the end, by what its states know. */
#ifndef TESTS_KNOWN_H
#define TESTS_KNOWN_H

#include "check.h"

#include <permfst/model/scorer.h>

#include <math.h>

/* The cost and next state of a label, or of the end (place: their number), by going down from a state to one that knows it.
 * Back-offs are added one after the other, and then the cost. */
static inline double cost_by_known(pf_scorer *by, pf_state state, const pf_label_set *labels, unsigned place, pf_state *to) {
    double cost = (double)NAN, back = 0;
    pf_known_words known;
    SUCCEED(pf_known_words_init(&known, labels->n));
    for (unsigned backs = 0; isnan(cost); backs++, back += known.back, state = known.lower) {
        if (by->cls->backs) assert_true(backs <= by->cls->backs(by));
        by->cls->known(by, state, labels, &known);
        assert_true(known.n <= labels->n && (known.lower != state || known.n == labels->n));
        if (place == labels->n) cost = back + by->cls->known_end(by, state);
        for (unsigned i = 0; i < known.n; i++) {
            assert_true(known.which[i] < labels->n && (!i || known.which[i] > known.which[i - 1]));
            if (known.which[i] != place) continue;
            *to = known.to[i];
            if (*to == PF_NO_STATE) cost_by_known(by, known.lower, labels, place, to);
            cost = back + known.cost[i];
        }
        assert_true(!isnan(cost) || known.lower != state);
    }
    pf_known_words_free(&known);
    return cost;
}

#endif
