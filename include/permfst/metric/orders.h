/* Measures how far an order of a sentence is from another one, or from an alignment. Positions are from 0, in output order.
 *
 * Two programs of the field score orders against alignments, and differ in everything: which words have the same rank, what becomes
 * of words without links, what is divided by what, and how a corpus is averaged. Both are here as they are: lader's evaluate-lader
 * (Neubig et al. 2012) and evaluate_preordering.py of TD-BTG (Nakagawa 2015). */
#ifndef PF_METRIC_ORDERS_H
#define PF_METRIC_ORDERS_H

#include <permfst/metric/metric.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What all measures of two orders are made of. */
typedef struct {
    size_t n;
    uint64_t discordant;   /* pairs visited in opposite orders: Kendall's distance, not normalised */
    uint64_t chunks;       /* 1 and the neighbours that are not neighbours, in the same order, in the reference; 0 of no position */
    double squares;        /* sum of the squares of the differences of places: Spearman's */
    uint64_t footrule;     /* sum of the differences of places */
} pf_order_figures;

/* Two orders of the same positions, one for each word. `spare` has room for 2 words numbers. O(words log words). */
void pf_order_compare(const uint32_t *order, const uint32_t *reference, size_t words, uint32_t *spare, pf_order_figures *out);

/* What lader says of an order: losses and what they are divided by. */
typedef struct {
    bool undefined;              /* without combining: the targets of a word lie within those of another, so they have no order */
    uint64_t bad, chunks;        /* neighbours whose ranks neither are equal nor follow one another; n + 1, or 0 if
                                    there is one rank */
    uint64_t falling, pairs;     /* pairs in falling rank; pairs of different rank */
} pf_lader_figures;

/* What TD-BTG says of the words of an order that have links. */
typedef struct {
    bool skipped;                /* the targets of a word lie within those of another */
    size_t n;                    /* words with links */
    uint64_t bad, falling;       /* as above; chunks n + 1, pairs n (n - 1) / 2 */
} pf_tdbtg_figures;

/* Memory for what follows; all zero: none. */
typedef struct {
    PF_VEC(uint32_t) number;
} pf_order_room;
void pf_order_room_free(pf_order_room *room);

/* `links` has pairs source, target, each source below `order.n`. PF_ENOMEM. O(n log n + links log links). */
pf_err pf_order_lader(pf_order_room *room, pf_segment order, pf_segment links, bool combine, bool attach_left,
                      pf_lader_figures *out);
pf_err pf_order_tdbtg(pf_order_room *room, pf_segment order, pf_segment links, pf_tdbtg_figures *out);

/* The ranks that lader gives to the `words` words of a sentence, with blocks and with words without links going with the word to
 * their right: rank[0 .. words-1]. PF_ENOMEM. O(n log n + links log links). */
pf_err pf_order_lader_ranks(pf_order_room *room, uint32_t words, pf_segment links, uint32_t *rank);

/* Pairs of links with source before source and target after target: of the sentence, and of the order. PF_ENOMEM.
 * O(n + links log links). */
pf_err pf_order_crossings(pf_order_room *room, pf_segment order, pf_segment links, uint64_t *before, uint64_t *after);

#ifdef __cplusplus
}
#endif
#endif
