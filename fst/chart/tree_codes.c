/* The tree that a path carries (machine/answer.h). Codes come from files: each is checked against the moves that are there, and
 * each node against their positions. O(moves log moves).
 *
 * Parts are taken from a stack, so a node comes before its sons; then it is asked from the last node to the first one which
 * positions it visits, and the nodes are turned round. */
#include "chart/tree_impl.h"

#include <assert.h>

/* The moves a .. b-1, the one visited first before the others, and the node whose son they are. */
typedef struct {
    uint32_t a, b, above;
    bool second; /* the son that is visited second; of a unit of two runs: the block */
    bool run;    /* in their order, and the code has been read */
} coded_part;

typedef struct {
    pfi_order_tree *tree;
    PF_VEC(uint32_t) arc;   /* of each move the first of its arcs, then the end */
    PF_VEC(unsigned) rank;  /* of each move, its place in the source */
    PF_VEC(coded_part) parts;
    PF_VEC(coded_part) unit; /* of each node: the moves of a unit of two runs; or of a leaf */
    size_t read;            /* codes */
} tree_decoder;

static pf_err no_tree(void) { return pf_fail(PF_EINPUT, "the tree of the answer does not fit its order"); }

static pf_err find_moves(tree_decoder *decoder) {
    const pf_path *path = decoder->tree->path;
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].in == PF_EPSILON) continue;
        const uint32_t begin = decoder->arc.n ? (uint32_t)i : 0; /* words before the first position are its own */
        PF_TRY(PF_PUSH(&decoder->arc, begin));
        PF_TRY(PF_PUSH(&decoder->rank, pfi_order_tree_rank(decoder->tree, path->arc[i].in)));
    }
    return PF_PUSH(&decoder->arc, (uint32_t)path->n);
}

/* ---- nodes, each before its sons ---- */

static pf_err add_node(tree_decoder *decoder, const coded_part *part, pfi_order_node node, coded_part unit) {
    const uint32_t id = (uint32_t)decoder->tree->nodes.n;
    if (id) *(part->second ? &decoder->tree->nodes.at[part->above].right : &decoder->tree->nodes.at[part->above].left) = id;
    PF_TRY(PF_PUSH(&decoder->unit, unit));
    return PF_PUSH(&decoder->tree->nodes, node);
}

static pf_err add_leaf(tree_decoder *decoder, const coded_part *part) {
    return add_node(decoder, part, (pfi_order_node){0}, *part);
}

/* The first `moves` of the part and the others are its sons. */
static pf_err add_parts(tree_decoder *decoder, const coded_part *part, uint32_t moves, bool run) {
    const uint32_t id = (uint32_t)decoder->tree->nodes.n, parted = part->a + moves;
    assert(part->a < parted && parted < part->b);
    PF_TRY(add_node(decoder, part, (pfi_order_node){.open = '['}, (coded_part){0}));
    PF_TRY(PF_PUSH(&decoder->parts, ((coded_part){parted, part->b, id, .second = true, .run = run})));
    return PF_PUSH(&decoder->parts, ((coded_part){part->a, parted, id, .run = run}));
}

static pf_err add_around(tree_decoder *decoder, const coded_part *part, uint32_t moves, bool before) {
    const uint32_t id = (uint32_t)decoder->tree->nodes.n, parted = part->a + moves;
    const coded_part unit = {.a = before ? part->a : parted, .b = before ? parted : part->b};
    decoder->tree->units = true;
    PF_TRY(add_node(decoder, part, (pfi_order_node){.open = before ? '[' : '<', .around = true}, unit));
    return PF_PUSH(&decoder->parts, ((coded_part){before ? parted : part->a, before ? part->b : parted, id, .second = true}));
}

static pf_err add_part(tree_decoder *decoder, const coded_part *part) {
    const pf_path *path = decoder->tree->path;
    if (part->b - part->a == 1) return add_leaf(decoder, part);
    if (part->run) return add_parts(decoder, part, 1, true);
    if (decoder->read == path->codes) return no_tree();
    const uint32_t code = path->tree[decoder->read++], kind = code % PF_TREE_KINDS, moves = code / PF_TREE_KINDS;
    const bool leaf = kind == PF_TREE_RUN || kind == PF_TREE_UNIT;
    if (leaf && moves) return no_tree();
    if (kind == PF_TREE_RUN && !decoder->tree->binary) return add_parts(decoder, part, 1, true);
    if (leaf) return add_leaf(decoder, part);
    if (!moves || moves >= part->b - part->a) return no_tree();
    return kind == PF_TREE_NODE ? add_parts(decoder, part, moves, false) : add_around(decoder, part, moves, kind == PF_TREE_BEFORE);
}

static pf_err add_nodes(tree_decoder *decoder) {
    PF_TRY(PF_PUSH(&decoder->parts, ((coded_part){.b = (uint32_t)decoder->rank.n})));
    while (decoder->parts.n) {
        const coded_part part = decoder->parts.at[--decoder->parts.n];
        PF_TRY(add_part(decoder, &part));
    }
    return decoder->read == decoder->tree->path->codes ? PF_OK : no_tree();
}

/* ---- the positions of a node ---- */

static pf_err place_leaf(tree_decoder *decoder, pfi_order_node *node, const coded_part *moves) {
    assert(moves->a < moves->b);
    node->begin = decoder->rank.at[moves->a];
    node->end = decoder->rank.at[moves->b - 1] + 1;
    node->left = decoder->arc.at[moves->a];
    node->right = decoder->arc.at[moves->b];
    for (uint32_t move = moves->a + 1; move < moves->b; move++)
        if (decoder->rank.at[move] != decoder->rank.at[move - 1] + 1) return no_tree();
    return PF_OK;
}

static pf_err place_parts(const tree_decoder *decoder, pfi_order_node *node) {
    const pfi_order_node *first = &decoder->tree->nodes.at[node->left], *second = &decoder->tree->nodes.at[node->right];
    const uint32_t visited_first = node->left;
    if (first->end != second->begin && second->end != first->begin) return no_tree();
    node->begin = first->begin < second->begin ? first->begin : second->begin;
    node->end = first->end > second->end ? first->end : second->end;
    if (first->begin < second->begin) return PF_OK;
    node->open = '<';
    node->left = node->right;
    node->right = visited_first;
    return PF_OK;
}

/* Two runs in the order of the source, around the block. They become leaves after all other nodes. */
static pf_err place_around(tree_decoder *decoder, uint32_t id, const coded_part *unit) {
    pfi_order_node *node = &decoder->tree->nodes.at[id];
    const pfi_order_node block = decoder->tree->nodes.at[node->right];
    pfi_order_node run[2] = {{.run = PFI_FIRST_RUN}, {.run = PFI_SECOND_RUN}};
    uint32_t parted = unit->a;
    while (parted < unit->b && decoder->rank.at[parted] < block.begin) parted++;
    if (parted == unit->a || parted == unit->b) return no_tree();
    PF_TRY(place_leaf(decoder, &run[0], &(coded_part){.a = unit->a, .b = parted}));
    PF_TRY(place_leaf(decoder, &run[1], &(coded_part){.a = parted, .b = unit->b}));
    if (run[0].end != block.begin || run[1].begin != block.end) return no_tree();
    run[0].right = run[1].right; /* the words are those of the whole unit */
    run[1].left = run[1].right;
    node->begin = run[0].begin;
    node->end = run[1].end;
    node->inner = node->right;
    node->left = (uint32_t)decoder->tree->nodes.n;
    node->right = node->left + 1;
    PF_TRY(PF_PUSH(&decoder->tree->nodes, run[0]));
    return PF_PUSH(&decoder->tree->nodes, run[1]);
}

static pf_err place_nodes(tree_decoder *decoder) {
    for (uint32_t id = (uint32_t)decoder->unit.n; id-- > 0;) {
        pfi_order_node *node = &decoder->tree->nodes.at[id];
        if (node->around) PF_TRY(place_around(decoder, id, &decoder->unit.at[id]));
        else PF_TRY(node->open ? place_parts(decoder, node) : place_leaf(decoder, node, &decoder->unit.at[id]));
    }
    return PF_OK;
}

/* The root, which came first, comes last. */
static void turn_round(pfi_order_tree *tree) {
    const uint32_t last = (uint32_t)tree->nodes.n - 1;
    assert(tree->nodes.n);
    for (uint32_t id = 0; 2 * id < last; id++) {
        const pfi_order_node node = tree->nodes.at[id];
        tree->nodes.at[id] = tree->nodes.at[last - id];
        tree->nodes.at[last - id] = node;
    }
    for (uint32_t id = 0; id <= last; id++) {
        pfi_order_node *node = &tree->nodes.at[id];
        if (!node->open) continue;
        node->left = last - node->left;
        node->right = last - node->right;
        node->inner = node->around ? last - node->inner : 0;
    }
}

pf_err pfi_order_tree_decode(pfi_order_tree *tree) {
    tree_decoder decoder = {.tree = tree};
    pf_err err = find_moves(&decoder);
    if (!err && !decoder.rank.n) err = no_tree();
    if (!err) err = add_nodes(&decoder);
    if (!err) err = place_nodes(&decoder);
    if (!err) turn_round(tree);
    PF_VEC_FREE(&decoder.arc);
    PF_VEC_FREE(&decoder.rank);
    PF_VEC_FREE(&decoder.parts);
    PF_VEC_FREE(&decoder.unit);
    return err;
}
