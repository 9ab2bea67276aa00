/* What the nodes of a tree cost: by their orientation (p_m of zens-ney-2003, section 2.1, as -ln p_m and -ln(1 - p_m)), and by
 * their spans, as a parser or a trained model of trees gives them.
 *
 * Such costs belong to a tree. The cost of an order is what it costs as a path plus what the cheapest of its trees costs. Where all
 * straight nodes cost the same and so do all inverted ones, all trees of an order cost the same. Under zones, only trees count
 * in which each zone has a node.
 *
 * A file has a record for each sentence: lines of four numbers "begin end straight inverted", for the nodes of begin .. end-1, or
 * of five, "begin split end straight inverted", for the node that joins begin .. split-1 and split .. end-1. Positions count from
 * 0; a cost is finite or `inf`, which forbids the node; costs of a span and of its split are added, and what is missing costs 0.
 * Records are separated by an empty line. Reading and skipping a record are O(bytes); what is asked is O(1). */
#ifndef PF_CHART_SPANS_H
#define PF_CHART_SPANS_H

#include <permfst/base/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_span_costs pf_span_costs;

typedef struct pf_tree_costs {
    double node[2];             /* of every straight node, of every inverted one; finite */
    bool runs;                  /* positions that are visited in their order may be one leaf, which has no node (the paper's start);
                                   else leaves are single positions */
    const pf_span_costs *spans; /* NULL: none */
} pf_tree_costs; /* all zero: nothing costs anything */

/* The next record of a file, for n positions. *out is the caller's. PF_EINPUT, with the line: there is no other record; a line has
 * none of these forms; a node is listed twice, or is not within n positions; every tree is forbidden. O(n^3 log lines) where
 * something is forbidden, else O(lines log lines). */
pf_err pf_span_costs_read(pf_reader *reader, unsigned n, pf_span_costs **out);

/* Passes over a record. PF_EINPUT: there is none. */
pf_err pf_span_costs_skip(pf_reader *reader);
void pf_span_costs_free(pf_span_costs *spans);

/* Ends the file after the last record. PF_EINPUT: it has one more. */
pf_err pf_span_costs_end(pf_reader *reader);

/* Adds what the node begin .. split-1, split .. end-1 costs, straight and inverted. O(log lines). */
void pf_span_costs_add(const pf_span_costs *spans, unsigned begin, unsigned split, unsigned end, double cost[2]);

/* The absolute value of no sum of finite costs of the nodes of a tree is greater than this. */
double pf_span_costs_largest(const pf_span_costs *spans);

/* Do some splits of a span have costs of their own? */
bool pf_span_costs_by_split(const pf_span_costs *spans);

#ifdef __cplusplus
}
#endif
#endif
