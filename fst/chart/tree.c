/* The tree of a path is that which it carries, or of its order. An order is read from the left by a shift-reduce parser: a
 * position is pushed, and as long as the two topmost blocks are neighbours they become one. That finds a tree of every separable
 * order (definition of the itg automaton; Shapiro & Stephens 1991). */
#include "chart/tree_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- from an order ---- */

/* Two neighbouring blocks, of which `one` is visited first, are one. */
static pf_err reduce(pfi_order_tree *tree, uint32_t one, uint32_t other) {
    const pfi_order_node *first = &tree->nodes.at[one], *second = &tree->nodes.at[other];
    bool straight = first->end == second->begin;
    pfi_order_node node = straight ? (pfi_order_node){first->begin, second->end, '[', .left = one, .right = other}
                              : (pfi_order_node){second->begin, first->end, '<', .left = other, .right = one};
    tree->stack.n -= 2;
    PF_TRY(PF_PUSH(&tree->stack, (uint32_t)tree->nodes.n));
    return PF_PUSH(&tree->nodes, node);
}

static bool are_neighbours(const pfi_order_tree *tree, uint32_t one, uint32_t other) {
    const pfi_order_node *first = &tree->nodes.at[one], *second = &tree->nodes.at[other];
    return first->end == second->begin || second->end == first->begin;
}

static pf_err shift(pfi_order_tree *tree, unsigned position, uint32_t begin, uint32_t end) {
    PF_TRY(PF_PUSH(&tree->stack, (uint32_t)tree->nodes.n));
    PF_TRY(PF_PUSH(&tree->nodes, ((pfi_order_node){position, position + 1, 0, .left = begin, .right = end})));
    while (tree->stack.n > 1) {
        const uint32_t *top = &tree->stack.at[tree->stack.n - 2];
        if (!are_neighbours(tree, top[0], top[1])) return PF_OK;
        PF_TRY(reduce(tree, top[0], top[1]));
    }
    return PF_OK;
}

static int by_label(const void *first, const void *second) {
    const pf_label one = *(const pf_label *)first, other = *(const pf_label *)second;
    return (one > other) - (one < other);
}

/* The positions in ascending order. Those of a word graph's path are numbers of nodes, some of which are not on the path. */
static pf_err find_positions(pfi_order_tree *tree) {
    const pf_path *path = tree->path;
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].in < 0) return pf_fail(PF_EINPUT, "expected positions, found the input label %d", path->arc[i].in);
        if (path->arc[i].in != PF_EPSILON) PF_TRY(PF_PUSH(&tree->sorted, path->arc[i].in));
    }
    if (tree->sorted.n) qsort(tree->sorted.at, tree->sorted.n, sizeof *tree->sorted.at, by_label);
    for (size_t i = 1; i < tree->sorted.n; i++)
        if (tree->sorted.at[i] == tree->sorted.at[i - 1])
            return pf_fail(PF_EINPUT, "expected positions, each once, and %d is there twice: there is no tree of such input labels",
                           tree->sorted.at[i]);
    return PF_OK;
}

unsigned pfi_order_tree_rank(const pfi_order_tree *tree, pf_label position) {
    const pf_label *at = bsearch(&position, tree->sorted.at, tree->sorted.n, sizeof position, by_label);
    assert(at);
    return (unsigned)(at - tree->sorted.at) + 1;
}

static pf_err read_order(pfi_order_tree *tree) {
    const pf_path *path = tree->path;
    for (size_t i = 0; i < path->n;) {
        size_t begin = i;
        while (i < path->n && path->arc[i].in == PF_EPSILON) i++; /* words before the first position */
        if (i == path->n) return PF_OK;
        unsigned position = pfi_order_tree_rank(tree, path->arc[i++].in);
        while (i < path->n && path->arc[i].in == PF_EPSILON) i++;
        PF_TRY(shift(tree, position, (uint32_t)begin, (uint32_t)i));
    }
    return PF_OK;
}

static pf_err read_whole_order(pfi_order_tree *tree) {
    PF_TRY(read_order(tree));
    if (tree->stack.n > 1)
        return pf_fail(PF_EINPUT, "the order is none of itg, so it has no tree (permcheck --why -c itg tells where)");
    tree->stack.n = 0;
    return PF_OK;
}

static pf_err check_labels(const pf_answer *answer) {
    if (!answer->isyms) return PF_OK;
    return pf_fail(PF_EINPUT, "the input labels are symbols, not positions: there is no tree to write (see lazyperm)");
}

pf_err pfi_order_tree_read(pfi_order_tree *tree, const pf_answer *answer) {
    PF_TRY(check_labels(answer));
    PF_TRY(find_positions(tree));
    return read_whole_order(tree);
}

/* Of equal trees the one whose splits, the root first, are smallest: no left son has the brackets of its node. A node is turned
 * until that is so. */
static void turn_right(pfi_order_tree *tree) {
    for (uint32_t id = (uint32_t)tree->nodes.n; id-- > 0;) {
        pfi_order_node *node = &tree->nodes.at[id];
        while (node->open && tree->nodes.at[node->left].open == node->open) {
            pfi_order_node *left = &tree->nodes.at[node->left];
            const uint32_t turned = node->left, first = left->left;
            left->left = left->right;
            left->right = node->right;
            left->begin = tree->nodes.at[left->left].begin;
            left->end = node->end;
            node->left = first;
            node->right = turned;
        }
    }
}

/* By the codes of the path, or by its order. */
static pf_err read_tree(pfi_order_tree *tree, const pf_answer *answer) {
    PF_TRY(check_labels(answer));
    PF_TRY(find_positions(tree));
    if (tree->path->codes) return pfi_order_tree_decode(tree);
    PF_TRY(read_whole_order(tree));
    if (tree->binary) turn_right(tree);
    return PF_OK;
}

void pfi_order_tree_free(pfi_order_tree *tree) {
    PF_VEC_FREE(&tree->nodes);
    PF_VEC_FREE(&tree->stack);
    PF_VEC_FREE(&tree->sorted);
}

/* ---- to text ---- */

enum { CLOSE = 1u << 31 }; /* in the stack: the end of this node */

static pf_err put_label(const pfi_order_tree *tree, pf_writer *writer, pf_label label) {
    size_t n;
    const char *word = tree->words ? pf_symtab_name(tree->words, label, &n) : NULL;
    if (!word && tree->words) return pf_fail(PF_EINPUT, "label %d is not in the symbol table", label);
    if (!word) return pf_writer_text(writer, "%d", label);
    for (size_t i = 0; i < n; i++) {
        if (word[i] && strchr(tree->units ? "[]<>\\ ~" : "[]<>\\ ", word[i])) PF_TRY(pf_writer_put(writer, "\\", 1));
        PF_TRY(pf_writer_put(writer, &word[i], 1));
    }
    return PF_OK;
}

static pf_err put_words(const pfi_order_tree *tree, const pfi_order_node *leaf, pf_writer *writer) {
    bool any = false;
    for (uint32_t i = leaf->left; i < leaf->right; i++) {
        const pf_label word = tree->path->arc[i].out;
        if (word == PF_EPSILON) continue;
        if (any) PF_TRY(pf_writer_put(writer, "\\ ", 2));
        PF_TRY(put_label(tree, writer, word));
        any = true;
    }
    return any ? PF_OK : pf_writer_put(writer, "\\-", 2);
}

static pf_err put_positions(const pfi_order_tree *tree, const pfi_order_node *leaf, pf_writer *writer) {
    for (unsigned i = leaf->begin; i < leaf->end; i++)
        PF_TRY(pf_writer_text(writer, i > leaf->begin ? "\\ %d" : "%d", tree->sorted.at[i - 1]));
    return PF_OK;
}

static pf_err put_leaf(const pfi_order_tree *tree, const pfi_order_node *leaf, pf_writer *writer) {
    if (leaf->run == PFI_SECOND_RUN) PF_TRY(pf_writer_put(writer, "~", 1));
    PF_TRY(tree->positions ? put_positions(tree, leaf, writer) : put_words(tree, leaf, writer));
    return leaf->run == PFI_FIRST_RUN ? pf_writer_put(writer, "~", 1) : PF_OK;
}

static pf_err push_sons(pfi_order_tree *tree, uint32_t id) {
    const pfi_order_node node = tree->nodes.at[id];
    PF_TRY(PF_PUSH(&tree->stack, node.right));
    if (node.around) PF_TRY(PF_PUSH(&tree->stack, node.inner));
    return PF_PUSH(&tree->stack, node.left);
}

typedef PF_VEC(char) bracket_list; /* of the nodes around; of a unit of two runs 0 */

/* What is on top of the stack. *space: one goes before what follows. */
static pf_err put_top(pfi_order_tree *tree, uint32_t top, bracket_list *open, bool *space, pf_writer *writer) {
    const uint32_t id = top & ~(uint32_t)CLOSE;
    const pfi_order_node node = tree->nodes.at[id];
    if (top & CLOSE) {
        open->n--;
        return pf_writer_put(writer, node.open == '[' ? "]" : ">", 1);
    }
    const bool joined = node.open && !tree->binary && !node.around && open->n && open->at[open->n - 1] == node.open;
    if (joined) return push_sons(tree, id); /* it stands for its sons */
    if (*space) PF_TRY(pf_writer_put(writer, " ", 1));
    *space = !node.open;
    if (!node.open) return put_leaf(tree, &node, writer);
    PF_TRY(pf_writer_put(writer, &node.open, 1));
    PF_TRY(PF_PUSH(open, node.around ? 0 : node.open));
    PF_TRY(PF_PUSH(&tree->stack, id | CLOSE));
    return push_sons(tree, id);
}

pf_err pfi_order_tree_write(pfi_order_tree *tree, pf_writer *writer) {
    bracket_list open = {0};
    bool space = false;
    pf_err err = PF_PUSH(&tree->stack, (uint32_t)tree->nodes.n - 1);
    while (!err && tree->stack.n) err = put_top(tree, tree->stack.at[--tree->stack.n], &open, &space, writer);
    PF_VEC_FREE(&open);
    return err;
}

pf_err pf_answer_write_tree(pf_writer *writer, const pf_answer *answer, size_t rank, pf_itg_tree_form form, bool positions,
                            bool numeric) {
    assert(rank < answer->paths.n);
    pfi_order_tree tree = {.path = &answer->paths.at[rank], .words = numeric ? NULL : answer->osyms, .positions = positions,
                           .binary = form == PF_TREE_BINARY};
    pf_err err = read_tree(&tree, answer);
    if (!err && tree.nodes.n) err = pfi_order_tree_write(&tree, writer);
    pfi_order_tree_free(&tree);
    return err;
}
