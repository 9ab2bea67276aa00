/* A dependency tree (tree/tree.h): each constituent is visited in one run, and so is each unit, in order. Trees under the top
 * follow one another in order. A mark (punctuation) is visited directly after the word that it follows, as if it belonged to the
 * unit of that word; those at the begin and the end of the sentence stay there. With ",limited" the blocks of a node that have two
 * words or more keep their order.
 *
 * The coverage alone is the state, and the automaton is minimal. Of the constituents that are covered in part the smallest decides:
 * the next position is in it, in a block that is not begun yet, or, where its unit is begun, the next word of that. So no state
 * is a dead end. Constituents are kept smallest first: the first that is covered in part is found in O(nodes x words of a
 * coverage).
 *
 * The automaton of a node has N(v) = 2^(k+1) + 2^k (sum of N(c) - 2 over the k children c, and the words of the unit - 1)
 * states. */
#include "permute/con_impl.h"

#include <permfst/tree/heads.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of a node that is visited in one run: its unit, or the constituent of a child. */
typedef struct {
    uint32_t node;   /* of a child; of the unit, the node itself */
    bool fixed;      /* it keeps its place among the fixed blocks */
    pf_cover *all;   /* its positions */
    pf_cover *first; /* those with which it can begin */
} tree_block;

typedef struct {
    uint32_t node;        /* the top: tree->nodes */
    pf_cover *all;        /* positions of the constituent */
    pf_cover *unit;       /* of the unit, with its marks */
    tree_block *block;    /* of its own unit and its children, in read-off order */
    uint32_t blocks;
} tree_part;

typedef struct {
    pf_tree *tree;
    bool limited;
    tree_part *part;      /* all nodes, smallest first; the top is last */
    size_t parts;
    size_t single;        /* so many of these, the first ones, have one position */
    tree_block *block;    /* of all */
    unsigned begin, end;  /* the marks before and after these stay where they are */
    uint32_t *order;      /* scratch of draws, as tree->block */
    pf_cover *allowed;    /* scratch of narrow() */
    void *covers;
} con_tree;

/* ---- reading ---- */

static const char limited_text[] = ",limited";

static pf_err bad_length(const pf_con *con, unsigned n) {
    return pf_fail(PF_EARG, "the tree has %u words, but there are %u positions", n, con->n);
}

static pf_cover *next_cover(const pf_con *con, pf_cover **at) {
    pf_cover *cover = *at;
    *at += con->nw;
    return cover;
}

static bool is_mark(const con_tree *data, unsigned j) { return data->tree->word[j].node == PF_TREE_NONE; }

/* The words of a unit and the marks after them. */
static void cover_unit(const con_tree *data, uint32_t v, pf_cover *unit) {
    const pf_tree_node *node = &data->tree->node[v];
    for (uint32_t i = 0; i < node->words; i++) {
        unsigned j = data->tree->member[node->first + i];
        do pf_cover_put(unit, j++);
        while (j < data->end && is_mark(data, j));
    }
}

static void add(const pf_con *con, pf_cover *to, const pf_cover *more) {
    for (unsigned i = 0; i < con->nw; i++) to[i] |= more[i];
}

/* Is a block one that keeps its place? Under the top all do. */
static bool is_fixed(const con_tree *data, uint32_t node, uint32_t block) {
    const pf_tree_node *nodes = data->tree->node;
    if (node == data->tree->nodes) return true;
    return data->limited && (block == node ? nodes[node].words : nodes[block].size) > 1;
}

/* From the leaves up: what a part covers, and the positions with which it can begin. `first` and `all` are of the nodes. */
static void fill_part(const pf_con *con, tree_part *part, uint32_t number, pf_cover *const *all, pf_cover *const *first,
                      pf_cover **at) {
    con_tree *data = con->data;
    const pf_tree_node *node = &data->tree->node[number];
    bool after_fixed = false;
    part->node = number;
    part->all = all[number];
    part->unit = next_cover(con, at);
    part->blocks = node->n_blocks;
    part->block = data->block + node->blocks;
    if (number < data->tree->nodes) cover_unit(data, number, part->unit);
    for (uint32_t i = 0; i < node->n_blocks; i++) {
        uint32_t child = data->tree->block[node->blocks + i];
        tree_block *block = &part->block[i];
        *block = (tree_block){child, is_fixed(data, number, child), child == number ? part->unit : all[child], first[child]};
        if (child == number) {
            block->first = next_cover(con, at);
            pf_cover_put(block->first, pf_tree_first(data->tree, number));
        }
        add(con, part->all, block->all);
        if (!block->fixed || !after_fixed) add(con, first[number], block->first);
        after_fixed = after_fixed || block->fixed;
    }
}

typedef struct {
    uint32_t node, size;
    bool many; /* it has more than one position */
} sized_node;

/* Words alone first: they are never covered in part. */
static int by_size(const void *one, const void *other) {
    const sized_node *first = one, *second = other;
    if (first->size != second->size) return first->size < second->size ? -1 : 1;
    if (first->many != second->many) return first->many ? 1 : -1;
    return (first->node > second->node) - (first->node < second->node);
}

/* Children are smaller than their heads, so the nodes by size are also from the leaves up. */
static pf_err fill_parts(pf_con *con, sized_node *sorted, pf_cover **all, pf_cover **first) {
    con_tree *data = con->data;
    uint32_t nodes = data->tree->nodes;
    pf_cover *at = data->covers;
    for (uint32_t node = 0; node <= nodes; node++) {
        all[node] = next_cover(con, &at);
        first[node] = next_cover(con, &at);
        sorted[node] = (sized_node){nodes, UINT32_MAX, true};
        if (node == nodes) break;
        unsigned next = pf_tree_first(data->tree, node) + 1, size = data->tree->node[node].size;
        sorted[node] = (sized_node){node, size, size > 1 || (next < data->end && is_mark(data, next))};
    }
    qsort(sorted, nodes + 1, sizeof *sorted, by_size);
    for (uint32_t i = 0; i <= nodes; i++) {
        tree_part *part = &data->part[data->parts];
        fill_part(con, part, sorted[i].node, all, first, &at);
        data->single += !sorted[i].many;
        data->parts++;
    }
    data->allowed = at;
    return PF_OK;
}

static pf_err set_up(pf_con *con) {
    con_tree *data = con->data;
    size_t nodes = data->tree->nodes + 1;
    data->covers = calloc((4 * nodes + 1) * con->nw, sizeof(pf_cover));
    data->part = calloc(nodes, sizeof *data->part);
    data->block = calloc(2 * nodes, sizeof *data->block);
    data->order = calloc(2 * nodes, sizeof *data->order);
    sized_node *sorted = calloc(nodes, sizeof *sorted);
    pf_cover **covers = calloc(2 * nodes, sizeof *covers);
    pf_err err = data->covers && data->part && data->block && data->order && sorted && covers ? PF_OK : pf_nomem();
    for (data->end = con->n; data->end && is_mark(data, data->end - 1);) data->end--;
    while (data->begin < data->end && is_mark(data, data->begin)) data->begin++;
    if (!err) err = fill_parts(con, sorted, covers, covers + nodes);
    free(sorted);
    free(covers);
    return err;
}

static pf_err read(pf_con *con, const char *text, size_t length) {
    const size_t word = sizeof limited_text - 1;
    con_tree *data = con->data = calloc(1, sizeof *data);
    if (!data) return pf_nomem();
    data->limited = length > word && memcmp(text + length - word, limited_text, word) == 0;
    if (data->limited) length -= word;
    if (!pf_tree_is_heads(text, length))
        return con->n == PFI_ANY_LENGTH ? PF_OK
            : pf_fail(PF_EARG, "expected tree:HEADS, such as tree:2,0,2, found '%.*s'; files of trees are read by lazyperm, "
                      "permcheck and permcover", length < 40 ? (int)length : 40, text);
    PF_TRY(pf_tree_of_heads(text, length, &data->tree));
    con->may_be_empty = true;
    if (con->n == PFI_ANY_LENGTH && data->tree->n != con->n) return PF_OK; /* it is only checked */
    if (data->tree->n != con->n) return bad_length(con, data->tree->n);
    return set_up(con);
}

static void end(pf_con *con) {
    con_tree *data = con->data;
    if (!data) return;
    pf_tree_free(data->tree);
    free(data->part);
    free(data->block);
    free(data->order);
    free(data->covers);
    free(data);
}

/* ---- moves ---- */

static bool meets(const pf_cover *one, const pf_cover *other, unsigned nw) {
    for (unsigned i = 0; i < nw; i++)
        if (one[i] & other[i]) return true;
    return false;
}

static bool inside(const pf_cover *one, const pf_cover *other, unsigned nw) {
    for (unsigned i = 0; i < nw; i++)
        if (one[i] & ~other[i]) return false;
    return true;
}

static bool begun(const pf_cover *positions, const pf_cover *cover, unsigned nw) {
    return meets(positions, cover, nw) && !inside(positions, cover, nw);
}

/* The part that decides: the smallest that is begun, else the top. */
static const tree_part *deciding(const pf_con *con, const pf_cover *cover) {
    const con_tree *data = con->data;
    const tree_part *part = data->part + data->single;
    if (con->nw == 1)
        while (part->node < data->tree->nodes && (!(part->all[0] & cover[0]) || !(part->all[0] & ~cover[0]))) part++;
    else
        while (part->node < data->tree->nodes && !begun(part->all, cover, con->nw)) part++;
    return part;
}

/* The next mark that stays where it is, before all words or after them; con->n: there is none to visit now. */
static unsigned standing_mark(const pf_con *con, const pf_cover *cover) {
    const con_tree *data = con->data;
    unsigned gap = pf_cover_gap(cover, con->nw, 0);
    return gap < data->begin || gap >= data->end ? gap : con->n;
}

static void keep_only(const pf_con *con, pf_cover *set, unsigned position) {
    bool there = pf_cover_has(set, position);
    pf_cover_clear(set, con->nw);
    if (there) pf_cover_put(set, position);
}

/* The first word of a unit that is not covered. */
static unsigned next_of(const pf_con *con, const pf_cover *unit, const pf_cover *cover) {
    unsigned word = 0;
    while (!(unit[word] & ~cover[word])) word++;
    assert(word < con->nw);
    return 64 * word + pf_bits_first(unit[word] & ~cover[word]);
}

static pf_err narrow(const pf_con *con, const pf_cover *cover, const unsigned char *x, pf_cover *set) {
    unsigned mark = standing_mark(con, cover);
    (void)x;
    if (mark < con->n) {
        keep_only(con, set, mark);
        return PF_OK;
    }
    const tree_part *part = deciding(con, cover);
    if (begun(part->unit, cover, con->nw)) {
        keep_only(con, set, next_of(con, part->unit, cover));
        return PF_OK;
    }
    pf_cover *allowed = ((const con_tree *)con->data)->allowed;
    bool after_fixed = false;
    pf_cover_clear(allowed, con->nw);
    for (uint32_t k = 0; k < part->blocks; k++) {
        const tree_block *block = &part->block[k];
        if (meets(block->all, cover, con->nw)) continue; /* it is done */
        if (!block->fixed || !after_fixed) add(con, allowed, block->first);
        after_fixed = after_fixed || block->fixed;
    }
    for (unsigned i = 0; i < con->nw; i++) set[i] &= allowed[i];
    return PF_OK;
}

/* ---- the definition ---- */

/* Are the positions visited in one run? */
static bool is_run(const pf_con *con, const pf_cover *positions, const unsigned *perm) {
    unsigned first = con->n, last = 0;
    for (unsigned step = 0; step < con->n; step++) {
        if (!pf_cover_has(positions, perm[step])) continue;
        if (first == con->n) first = step;
        last = step;
    }
    return last - first + 1 == pf_cover_count(positions, con->nw);
}

/* Are the positions visited in ascending order? */
static bool ascends(const pf_con *con, const pf_cover *positions, const unsigned *perm) {
    unsigned last = 0;
    for (unsigned step = 0; step < con->n; step++) {
        if (!pf_cover_has(positions, perm[step])) continue;
        if (perm[step] < last) return false;
        last = perm[step];
    }
    return true;
}

/* The first step at which one of these is visited. */
static unsigned first_step(const pf_cover *positions, const unsigned *perm) {
    unsigned step = 0;
    while (!pf_cover_has(positions, perm[step])) step++;
    return step;
}

static bool fixed_blocks_ascend(const tree_part *part, const unsigned *perm) {
    unsigned last = 0;
    for (uint32_t at = 0; at < part->blocks; at++) {
        if (!part->block[at].fixed) continue;
        unsigned step = first_step(part->block[at].all, perm);
        if (step < last) return false;
        last = step;
    }
    return true;
}

static bool member(const pf_con *con, const unsigned *perm) {
    const con_tree *data = con->data;
    for (unsigned j = 0; j < con->n; j++)
        if ((j < data->begin || j >= data->end) && perm[j] != j) return false;
    for (size_t at = 0; at < data->parts; at++) {
        const tree_part *part = &data->part[at];
        bool top = part->node == data->tree->nodes;
        if (!top && (!is_run(con, part->all, perm) || !is_run(con, part->unit, perm) || !ascends(con, part->unit, perm)))
            return false;
        if (!fixed_blocks_ascend(part, perm)) return false;
    }
    return true;
}

/* ---- what else there is to say ---- */

/* The first position of the unit that a position belongs to, also as a mark after one of its words. */
static unsigned unit_of(const con_tree *data, unsigned position) {
    while (is_mark(data, position)) position--;
    return pf_tree_first(data->tree, data->tree->word[position].node);
}

static void why(const pf_con *con, const pf_cover *cover, const unsigned char *x, const unsigned *perm, unsigned step,
                unsigned base, char *words, size_t room) {
    const con_tree *data = con->data;
    unsigned mark = standing_mark(con, cover), position = perm[step];
    (void)x;
    if (mark == con->n && (position < data->begin || position >= data->end)) mark = position;
    if (mark < con->n) {
        snprintf(words, room, "position %u, which is punctuation, stays where it is", mark + base);
        return;
    }
    const tree_part *part = deciding(con, cover);
    bool top = part->node == data->tree->nodes;
    unsigned head = top ? 0 : pf_tree_first(data->tree, part->node);
    if (!top && begun(part->unit, cover, con->nw))
        snprintf(words, room, "the unit of position %u goes on with position %u", head + base,
                 next_of(con, part->unit, cover) + base);
    else if (!top && !pf_cover_has(part->all, position))
        snprintf(words, room, "the constituent of position %u is not complete: position %u", head + base,
                 next_of(con, part->all, cover) + base);
    else if (unit_of(data, position) != position)
        snprintf(words, room, "its unit begins with position %u", unit_of(data, position) + base);
    else snprintf(words, room, top ? "trees without a head keep their order" : "parts of two words or more keep their order");
}

/* How a node's automaton grows: its states, its arcs, its orders. */
typedef struct {
    mpz_t states, arcs;
} node_size;

/* The sums over the blocks of a part: of states inside each, and of arcs; free ones and fixed ones. */
typedef struct {
    mpz_t inside[2], arcs[2];
    unsigned long count[2];
} block_sums;

static void sum_blocks(const tree_part *part, const node_size *size, block_sums *sums, unsigned nw) {
    for (uint32_t i = 0; i < part->blocks; i++) {
        const tree_block *block = &part->block[i];
        unsigned long words = pf_cover_count(block->all, nw);
        bool unit = block->node == part->node;
        sums->count[block->fixed]++;
        if (unit) {
            mpz_add_ui(sums->inside[block->fixed], sums->inside[block->fixed], words - 1);
            mpz_add_ui(sums->arcs[block->fixed], sums->arcs[block->fixed], words);
        } else {
            mpz_add(sums->inside[block->fixed], sums->inside[block->fixed], size[block->node].states);
            mpz_sub_ui(sums->inside[block->fixed], sums->inside[block->fixed], 2);
            mpz_add(sums->arcs[block->fixed], sums->arcs[block->fixed], size[block->node].arcs);
        }
    }
}

/* Any set of s free blocks may be done, and any beginning of f fixed ones. While a free block is visited, any of the others may be
 * done; while a fixed one is visited, those before it are done. So what is inside counts 2^(s-1) (f+1) times, or 2^s times. */
static void size_part(const tree_part *part, node_size *size, unsigned nw) {
    block_sums sums = {.count = {0, 0}};
    mpz_t *to[2] = {&size[part->node].states, &size[part->node].arcs};
    for (unsigned i = 0; i < 2; i++) mpz_inits(sums.inside[i], sums.arcs[i], (mpz_ptr)NULL);
    sum_blocks(part, size, &sums, nw);
    unsigned long free_blocks = sums.count[0], fixed = sums.count[1];
    mpz_t *sum[2] = {sums.inside, sums.arcs};
    for (unsigned which = 0; which < 2; which++) {
        mpz_mul_ui(*to[which], sum[which][0], fixed + 1);
        if (free_blocks) mpz_mul_2exp(*to[which], *to[which], free_blocks - 1);
        mpz_mul_2exp(sum[which][1], sum[which][1], free_blocks);
        mpz_add(*to[which], *to[which], sum[which][1]);
    }
    mpz_set_ui(sum[0][0], fixed + 1);
    mpz_mul_2exp(sum[0][0], sum[0][0], free_blocks);
    mpz_add(size[part->node].states, size[part->node].states, sum[0][0]);
    for (unsigned i = 0; i < 2; i++) mpz_clears(sums.inside[i], sums.arcs[i], (mpz_ptr)NULL);
}

/* N! for the blocks of a node, of which those that keep their order count once. */
static void count_part(const tree_part *part, mpz_t paths) {
    unsigned long fixed = 0;
    mpz_t orders;
    mpz_init(orders);
    for (uint32_t i = 0; i < part->blocks; i++) fixed += part->block[i].fixed;
    mpz_fac_ui(orders, part->blocks);
    mpz_mul(paths, paths, orders);
    mpz_fac_ui(orders, fixed);
    mpz_divexact(paths, paths, orders);
    mpz_clear(orders);
}

static void size_of(const pf_con *con, pf_con_size *size) {
    const con_tree *data = con->data;
    unsigned long standing = data->begin + con->n - data->end;
    node_size *sizes = calloc(data->tree->nodes + 1, sizeof *sizes);
    if (!sizes) return; /* as if nothing were known */
    mpz_set_ui(size->paths, 1);
    for (size_t at = 0; at < data->parts; at++) {
        mpz_inits(sizes[data->part[at].node].states, sizes[data->part[at].node].arcs, (mpz_ptr)NULL);
        size_part(&data->part[at], sizes, con->nw);
        count_part(&data->part[at], size->paths);
    }
    mpz_add_ui(size->states, sizes[data->tree->nodes].states, standing);
    mpz_add_ui(size->arcs, sizes[data->tree->nodes].arcs, standing);
    for (size_t at = 0; at < data->parts; at++)
        mpz_clears(sizes[data->part[at].node].states, sizes[data->part[at].node].arcs, (mpz_ptr)NULL);
    free(sizes);
    size->machine = size->count = true;
}

/* ---- draws ---- */

/* A number below n. */
static uint32_t below(gmp_randstate_t random, uint32_t n) { return (uint32_t)gmp_urandomm_ui(random, n); }

/* Any order of the blocks; then those that keep their order are put into it, in the places that they have. */
static void shuffle(const tree_part *part, gmp_randstate_t random, uint32_t *order) {
    for (uint32_t place = 0; place < part->blocks; place++) {
        uint32_t chosen = below(random, place + 1);
        order[place] = order[chosen];
        order[chosen] = place;
    }
    for (uint32_t place = 0, next = 0; place < part->blocks; place++) {
        if (!part->block[order[place]].fixed) continue;
        while (!part->block[next].fixed) next++;
        order[place] = next++;
    }
    for (uint32_t i = 0; i < part->blocks; i++) order[i] = part->block[order[i]].node;
}

static pf_err draw(const pf_con *con, gmp_randstate_t random, unsigned *perm) {
    con_tree *data = con->data;
    for (size_t i = 0; i < data->parts; i++)
        shuffle(&data->part[i], random, data->order + data->tree->node[data->part[i].node].blocks);
    return pf_tree_order(data->tree, data->order, perm);
}

const pf_con_class pfi_con_tree = {
    .name = "tree",
    .params = ":FILE[,punctuation][,limited]",
    .help = "each constituent of a dependency tree in one run; limited: parts of two words or more keep their order",
    .read = read,
    .free = end,
    .narrow = narrow,
    .member = member,
    .size = size_of,
    .why = why,
    .draw = draw,
};
