/* Scorers: what a model says of the words of one record.
 *
 * A scorer has states, a start, and for each state and word a cost and a next state; compositions and searches know nothing else
 * about models. It belongs to one thread and may change while it is asked (a memory of what was said, words met for the first
 * time); the model that it reads is immutable and shared. Costs are -ln p, as doubles; +INFINITY where there is no way on.
 *
 * A scorer may begin in the middle of a sentence. From empty(), steps over a history of at least reach() words lead to the state
 * that the whole sentence leads to. Where nothing is known of the words before, open() tells which costs may still change. What
 * an n-gram scorer does is O(order) look-ups. */
#ifndef PF_MODEL_SCORER_H
#define PF_MODEL_SCORER_H

#include <permfst/model/label_set.h>
#include <permfst/model/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a state of a model says of words by itself: of `n` of the labels that it was asked for, which[0] < which[1] < ... are their
 * indexes. Every other one of them costs `back` more than after the state `lower`, and leads to where it leads from there; where
 * `lower` is the state itself, there is no other one. The arrays have room for each label. */
typedef struct {
    unsigned n;
    uint32_t *which;
    double *cost;
    pf_state *to; /* PF_NO_STATE: where the word leads from `lower` */
    pf_state lower;
    double back;
} pf_known_words;

/* Labels by their heads, which are what they begin with, as the first words of units. A label costs what its head costs, and then
 * its tail: what that costs, and where it leads, depends on the state that the head has led to. Labels are counted as in the set
 * that was asked for: those of head h are label[first[h]] .. label[first[h + 1] - 1], in order. Each label has one head. */
typedef struct {
    unsigned n;
    const uint32_t *first, *label;
} pf_label_heads;

typedef struct pf_scorer_class {
    pf_state (*start)(const pf_scorer *scorer); /* of a sentence */

    /* The cost of a word after `state`, and the next state. The label is one that label() gives. */
    double (*step)(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to);

    /* The same of several words from one state: costs[i] and to[i] for labels->at[i]. */
    void (*row)(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to);

    /* The same of a model whose histories back off, as the difference from the row of a shorter history. Going on from `lower`
     * to `lower` ends at a state that knows all words. NULL: the model has no such histories. */
    void (*known)(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out);

    /* known() in two parts. heads() is called first: *out belongs to the scorer; PF_ENOMEM. The other two then answer for the same
     * labels, until any function is called with other ones. known_heads() says of heads what known() says of labels; a head without
     * labels is never listed. tails(): costs[i] and to[i] for label i of a head that has led to `state`. All there or all NULL;
     * NULL: each label is a head, and has no tail. */
    pf_err (*heads)(pf_scorer *scorer, const pf_label_set *labels, pf_label_heads *out);
    void (*known_heads)(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out);
    void (*tails)(pf_scorer *scorer, const pf_label_set *labels, unsigned head, pf_state state, double *costs, pf_state *to);

    /* How many histories a state backs off to at most, one after the other. row(), step() and final() add up the `back`s that
     * known() says, in this order, and then the cost. NULL: they do not. */
    unsigned (*backs)(const pf_scorer *scorer);

    /* step() in two parts: the cost, and the sum of the `back`s. NULL, or there is backs(), too. */
    double (*listed)(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to, double *back);

    /* Fetch into the cache what known() will read of a state: where its words stand; then, a while later, the words. NULL: nothing
     * is fetched. */
    void (*fetch)(const pf_scorer *scorer, pf_state state);
    void (*fetch_words)(const pf_scorer *scorer, pf_state state);

    /* The cost of ending in a state. */
    double (*final)(pf_scorer *scorer, pf_state state);

    /* What a state says of the end by itself, as known() says it of words; NAN: ending in it costs `back` more than in `lower`. It
     * is there where backs() is. */
    double (*known_end)(const pf_scorer *scorer, pf_state state);

    pf_label (*label)(const pf_scorer *scorer, const char *word, size_t length); /* of running text */

    /* Is no cost below 0? NULL: nobody knows. O(size of the model) when first asked, then O(1). */
    bool (*nonnegative)(const pf_scorer *scorer);

    /* The next three are all there or all NULL; NULL: sentences are scored from their start only. A history is the words read so
     * far; of a piece of a sentence the words before it are not known. */
    pf_state (*empty)(const pf_scorer *scorer); /* the state of an empty history */
    unsigned (*reach)(const pf_scorer *scorer); /* how many words before a word can matter to its cost */
    /* So many words from empty() have led to `state`. Could more words before them still matter: to the cost of a word
     * that follows, or to the state? Once this is false it is so for all words that follow. O(1). */
    bool (*open)(const pf_scorer *scorer, pf_state state, unsigned words);
    unsigned (*length)(const pf_scorer *scorer, pf_label label); /* how many words a label is to open(); NULL: 1 */

    void (*free)(void *own); /* NULL: there is nothing to give back */
} pf_scorer_class;

struct pf_scorer {
    const pf_scorer_class *cls;
    const void *model; /* what it reads; borrowed */
    void *own;         /* what it may change */
};

/* A scorer of a model, which must outlive it. Ended by pf_scorer_end. O(1). PF_ENOMEM. */
pf_err pf_scorer_of(const pf_model *model, pf_scorer *out);

/* Gives back what it owns; what is all zero is accepted. */
void pf_scorer_end(pf_scorer *scorer);

/* Room for what states say of `count` labels. O(count). PF_ENOMEM. */
pf_err pf_known_words_init(pf_known_words *words, unsigned count);
void pf_known_words_free(pf_known_words *words); /* what is all zero is accepted */

/* Is no cost below 0? False where that is not known. */
bool pf_scorer_nonnegative(const pf_scorer *scorer);

#ifdef __cplusplus
}
#endif
#endif
