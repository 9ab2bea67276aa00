/* The shape of a chart: which spans and nodes an itg space has, and what a node costs by itself. Private to the chart.
 *
 * A node joins two neighbouring blocks, i .. j-1 and j .. k-1, straight or inverted. A constraint beside itg belongs in a chart
 * if it can be told node by node; a weight model, if its costs decompose over pairs of positions, each of which is decided at the
 * one node that parts the pair, or over positions that follow one another. */
#ifndef PF_CHART_SHAPE_H
#define PF_CHART_SHAPE_H

#include <permfst/base/vec.h>
#include <permfst/chart/spans.h>
#include <permfst/machine/fst.h>
#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>

/* the orientation of a node; either; of none, but a leaf, with what is in it */
enum { PFI_STRAIGHT, PFI_INVERTED, PFI_ANY, PFI_ATOM };

enum { PFI_CHART_POSITIONS = 1000 }; /* a sentence may have; its nodes are some n^3 / 3 */

typedef struct {
    unsigned begin, end;
} pfi_block_range;

typedef struct {
    unsigned n;                      /* positions */
    bool itg;                        /* one of the constraints is itg */
    PF_VEC(const pf_con *) beside;   /* the constraints beside itg; none: all nodes may be inverted */
    PF_VEC(pfi_block_range) zones;   /* positions that are visited without a break */
    bool units;                      /* leaves may be of several words, and reach over the end of a zone */
    bool two_runs;                   /* some of them may be around a block */
    PF_VEC(const pf_wm *) follows;   /* weight models with costs of one position right after another */
    const pf_tree_costs *trees; /* NULL: trees cost nothing */
    bool free_trees; /* trees of one order may cost different sums: so none of them stands for the others */
    double own;     /* the scale of the weights' costs */
    double *pairs;  /* at i * (n + 1) + k: the sum of the costs of visiting s before p, for s < i and p < k; NULL: no pair costs
                       anything */
    double largest; /* no sum of costs of pairs of one position is more in size */
    double arcs;    /* nor is the sum of the sizes of those of all positions */
    double all;     /* nor is any sum of costs of pairs */
    double most_of_trees; /* nor is any sum of costs of the nodes of a tree */
    int lowest;     /* the costs of pairs are multiples of this power of two */
} pfi_shape;

/* Borrows the constraint, the weights and the costs of trees, which may be NULL. pfi_shape_free is to be called after an error,
 * too. PF_EARG: one of them does not belong in a chart; the message names it and says why. O(n^2 weights). */
pf_err pfi_shape_init(pfi_shape *shape, const pf_con *con, const pf_wm *weights, double own, const pf_tree_costs *trees);

/* The same of a word graph, whose last node is n. */
pf_err pfi_shape_init_graph(pfi_shape *shape, unsigned n, const pf_tree_costs *trees);
void pfi_shape_free(pfi_shape *shape);

/* Which orientation the first and the second son of a node may have. `any`: any, as the right one is a zone, so that no other tree
 * has the order, or as trees of one order cost different sums. */
static inline void pfi_sons(unsigned orientation, bool any, unsigned which[2]) {
    which[0] = orientation == PFI_STRAIGHT || any ? PFI_ANY : PFI_STRAIGHT;
    which[1] = orientation == PFI_STRAIGHT && !any ? PFI_INVERTED : PFI_ANY;
}

/* May begin .. end-1 be a node?
 *
 * A node crosses a zone if it has a part of the zone and a part of what is beside it, and no other. Where all trees of an order
 * cost the same, and without units, there is no such node. Where trees cost different sums, all of them are searched: the part of
 * the zone is visited first or last in a node that crosses it, and a node above it, up to one that has all of the zone, has the
 * same orientation.
 *
 * A unit may cross a zone, and then nodes above it do, until one has all of the zone. Where the rest of the zone is to the right of
 * them, their part of it is visited last, else first; so they are straight, and sons of straight nodes. Around a unit of two runs
 * it is the other way round: a block that crosses a zone, which one of the runs completes, has its part where that run is read
 * right before it or after it; it is inverted, and so are the nodes in it that cross the zone. */
bool pfi_shape_has(const pfi_shape *shape, unsigned begin, unsigned end);

/* Does begin .. end-1 cross a zone? */
bool pfi_shape_crosses(const pfi_shape *shape, unsigned begin, unsigned end);

/* Is begin .. end-1 a zone? */
bool pfi_shape_zone(const pfi_shape *shape, unsigned begin, unsigned end);

/* May the node be inverted? With units of two runs there may be no sons for it. */
bool pfi_shape_inverts(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end);

/* Which orientation the sons of a node may have, the one that is visited first and the other one, so that each order has one tree.
 * False: there are no such sons. */
bool pfi_shape_sons(const pfi_shape *shape, unsigned orientation, unsigned begin, unsigned split, unsigned end, unsigned which[2]);

/* And the block in a leaf of two runs. */
static inline unsigned pfi_shape_inner(const pfi_shape *shape, unsigned begin, unsigned end) {
    return shape->units && pfi_shape_crosses(shape, begin, end) ? PFI_INVERTED : PFI_ANY;
}

/* What a leaf costs whose words begin .. end-1 are read in their order: the pairs of them. */
double pfi_shape_run(const pfi_shape *shape, unsigned begin, unsigned end);

/* A leaf of two runs around a block. */
typedef struct {
    unsigned begin, gap_begin, gap_end, end;
} pfi_two_runs;

/* The same of it with its block, but for the pairs within the block: PFI_STRAIGHT, it is read before the block; PFI_INVERTED, after
 * it. INFINITY: a constraint forbids that. O(words + zones). */
void pfi_shape_around(const pfi_shape *shape, const pfi_two_runs *runs, double cost[2]);

/* What a node costs that is no run, for both orientations, beside its pairs. INFINITY: there is no such node. */
void pfi_shape_tree_node(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end, double cost[2]);

/* The least of that, where the node may be within a run, which costs nothing. */
void pfi_shape_least_node(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end, double cost[2]);

/* The same with the pairs that the node parts, which cost what they do in any tree. */
void pfi_shape_node(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end, double cost[2]);

/* The exponent of the lowest bit of a number; INT_MAX for 0. Multiples of one power of two add up without rounding. */
int pfi_lowest_bit(double value);

/* What position j costs right after `last`, or at the start (last = n). */
static inline double pfi_shape_follow(const pfi_shape *shape, unsigned last, unsigned j) {
    double cost = 0;
    for (size_t w = 0; w < shape->follows.n; w++) cost += shape->follows.at[w]->cls->follow(shape->follows.at[w], last, j);
    return cost;
}

#endif
