/* The pairs of words of an aligned corpus, as learners read them again and again: which word comes first, and the features.
 *
 * Which of the words at i < j comes first is their gold:
 *   links   i, if its last target is before the first target of j; j, if it is the other way round; else, and where one of them
 *           has no link, neither
 *   unfold  that one which comes first in the order of unfolding (tuples/unfold.h)
 *   ranks   that one whose rank is less; neither, if their ranks are equal. Ranks are those of lader (metric/orders.h): words
 *           without links go with their right neighbour
 * Features of fewer pairs than min_count are left out. Memory: 4 bytes for each feature of each pair.
 *
 * Reading is O(features of all pairs), and O(log links) for the gold of each pair. */
#ifndef PF_LEARN_EXAMPLES_H
#define PF_LEARN_EXAMPLES_H

#include <permfst/learn/order_model.h>
#include <permfst/metric/orders.h>
#include <permfst/tuples/unfold.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_GOLD_LINKS, PF_GOLD_UNFOLD, PF_GOLD_RANKS, PF_GOLDS } pf_gold;
const char *pf_gold_name(size_t gold); /* NULL past the last */

/* Finds the gold of a sentence's pairs. For one thread at a time; all zero but `gold`: to begin with. */
typedef struct {
    pf_gold gold;
    pf_unfolder *unfolder;
    pf_tuples unfolded;
    pf_order_room room;
    PF_VEC(uint32_t) first, last; /* targets of each word; or its place, or rank, in both; UINT32_MAX: none */
    PF_VEC(uint32_t) pair;        /* the links as numbers */
} pf_gold_finder;
void pf_gold_finder_free(pf_gold_finder *finder);

/* The links of a sentence of `words` words, which are its source. PF_ENOMEM. O(links log links). */
pf_err pf_gold_find(pf_gold_finder *finder, const pf_alignment *links, unsigned words);

/* 1: i comes first; -1: j does; 0: neither. */
static inline int pf_gold_of(const pf_gold_finder *finder, unsigned i, unsigned j) {
    if (finder->first.at[i] == UINT32_MAX || finder->first.at[j] == UINT32_MAX) return 0;
    return finder->last.at[i] < finder->first.at[j] ? 1 : finder->last.at[j] < finder->first.at[i] ? -1 : 0;
}

typedef struct {
    pf_gold gold;
    bool all_pairs;      /* list the pairs without gold, too */
    uint64_t max_length; /* sentences of more words are left out */
    uint64_t min_count;  /* of pairs; counted are those that are listed */
} pf_example_options;

typedef struct {
    size_t pair;    /* the number of its first one */
    unsigned n;     /* words; its pairs are in the order (0,1), (0,2), ... of those that are listed */
    size_t rank;    /* place of its first word in `rank` */
    uint64_t line;  /* which one it was of all that were offered, from 1 */
} pf_example_sentence;

typedef struct {
    pf_example_options options;
    pf_order_model *model; /* borrowed; gets all features, of weight 0 */
    bool fixed;            /* it had its features from the beginning */
    PF_VEC(pf_example_sentence) sentence;
    PF_VEC(signed char) gold;     /* of each pair */
    PF_VEC(size_t) end;           /* of each pair: where its features end in `feature`, in the order of the templates */
    PF_VEC(uint32_t) feature;
    PF_VEC(uint32_t) rank;        /* PF_GOLD_RANKS: of each word */
    uint64_t too_long, in_order;  /* sentences left out; pairs whose gold is i first */
    uint64_t with_gold, all_features;
    pf_gold_finder finder;
    pf_numbered numbered;
    PF_VEC(uint64_t) count;       /* of each feature, up to pf_examples_finish */
} pf_examples;

/* Begins without sentences. If `model` has no features, all features are listed and counted; if it has some, only these are listed,
 * and nothing is counted. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_examples_new(const pf_example_options *options, pf_order_model *model, pf_examples **out);
void pf_examples_free(pf_examples *examples); /* NULL is accepted */

/* Adds a sentence with links. PF_ENOMEM; PF_ELIMIT: more features than there are numbers. O(n^2 templates). */
pf_err pf_examples_add(pf_examples *examples, const pf_factored *sentence);

/* Ends the sentences: leaves rare features out, and numbers the others in the order of a model file, whatever the order of the
 * sentences. PF_ENOMEM. O(features log features). */
pf_err pf_examples_finish(pf_examples *examples);

/* Adds all sentences of a corpus and finishes. Errors of the reader, of pf_examples_add and of pf_examples_finish. */
pf_err pf_examples_read(pf_examples *examples, pf_factor_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
