/* A dependency tree over the words of a sentence (Zwarts & Dras 2006, section 3).
 *
 * The nodes of the tree are units: one word, or the words of a multi-word unit, which need not be neighbours. A constituent is a
 * node with all nodes below it; where its words are not one run it is discontinuous. The blocks of a node are its own unit and the
 * constituents of its children. Punctuation may be left out of the tree: such a word is a mark, which has no node.
 *
 * Nodes are numbered in the order of the first words of their units. So the blocks of a node in ascending order are its read-off:
 * the order in which the paper reads them off the tree. Words and nodes count from 0. What is asked is O(1). */
#ifndef PF_TREE_TREE_H
#define PF_TREE_TREE_H

#include <permfst/base/arena.h>
#include <permfst/base/err.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_TREE_NONE UINT32_MAX /* no node: what a mark has */

/* What becomes of punctuation: left out of the tree, or nodes like others. */
typedef enum { PF_TREE_SKIP, PF_TREE_KEEP } pf_tree_punctuation;

/* Whose relations and tags the words have. */
typedef enum { PF_TREE_UD, PF_TREE_ALPINO } pf_tree_scheme;

/* What the rules of `collins` ask of words. */
enum {
    PF_WORD_VERB = 1,      /* UD: VERB or AUX; Alpino: pt=ww */
    PF_WORD_FINITE = 2,    /* a verb, with Mood= or VerbForm=Fin; wvorm=pv */
    PF_WORD_PARTICLE = 4,  /* UD: PART */
    PF_WORD_RELATIVE = 8,  /* UD: PronType Rel or Int */
    PF_WORD_NEGATIVE = 16, /* UD: Polarity=Neg; Alpino: "niet" */
    PF_WORD_CLAUSE = 32    /* Alpino: it heads the ssub that is the body of a phrase */
};

typedef struct {
    const char *form, *lemma, *upos, *xpos, *feats, *relation; /* never NULL; "_" for what is not there */
    uint32_t node;     /* PF_TREE_NONE: it is a mark */
    unsigned features; /* PF_WORD_... */
} pf_tree_word;

typedef struct {
    uint32_t head;             /* a node; the last one is the top */
    uint32_t first, words;     /* its unit: words member[first] .. member[first + words - 1], ascending */
    uint32_t size;             /* words of its constituent */
    uint32_t blocks, n_blocks; /* block[blocks] .. : itself and its children, ascending */
} pf_tree_node;

typedef struct {
    unsigned n;           /* words */
    unsigned nodes;       /* without the top */
    pf_tree_word *word;
    pf_tree_node *node;   /* nodes + 1: the last one is the top, which has no unit and whose children have no head */
    uint32_t *member;     /* words */
    uint32_t *block;      /* nodes */
    pf_tree_scheme scheme;
    const char *id;       /* of the sentence; "" where it has none */
    uint64_t line;        /* of its begin in the file */
    const char *source;   /* the lines of a CoNLL-U sentence, each with its LF; "" for other formats */
    pf_arena arena;       /* of all of these */
} pf_tree;

void pf_tree_free(pf_tree *tree); /* NULL is accepted */

/* The first word of a node's unit. */
static inline unsigned pf_tree_first(const pf_tree *tree, uint32_t node) { return tree->member[tree->node[node].first]; }

/* The relation of a node to its head. */
static inline const char *pf_tree_relation(const pf_tree *tree, uint32_t node) {
    return tree->word[pf_tree_first(tree, node)].relation;
}

/* The order of the words, perm[0..n-1], where each node v has its blocks in the order block[v.blocks] .. : a permutation of those
 * of tree->block. A constituent is one run then. A mark stands after the word that it followed; those before the first and after
 * the last word that is not a mark stay there. O(n). PF_ENOMEM. */
pf_err pf_tree_order(const pf_tree *tree, const uint32_t *block, unsigned *perm);

/* Is the constituent of a node one run of words, not counting marks? Writes which to broken[0..nodes-1] (NULL: not asked) and the
 * number of those that are not to *count. O(n). PF_ENOMEM. */
pf_err pf_tree_discontinuous(const pf_tree *tree, bool *broken, unsigned *count);

#ifdef __cplusplus
}
#endif
#endif
