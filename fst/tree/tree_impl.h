/* Private to the trees: making one. */
#ifndef PF_TREE_TREE_IMPL_H
#define PF_TREE_TREE_IMPL_H

#include <permfst/base/reader.h>
#include <permfst/tree/tree.h>
#include <permfst/tree/treebank.h>

/* A tree that is being made: its words, and for each the first word of its unit and the first word of its head's unit. */
enum { PFI_HEAD_TOP = -1, PFI_HEAD_MARK = -2 };
typedef struct {
    pf_tree *tree;
    uint32_t *unit; /* of each word: the first word of its unit */
    int32_t *head;  /* of the first word of a unit: a first word; PFI_HEAD_TOP; PFI_HEAD_MARK: it is no node */
} pfi_tree_draft;

/* A draft of n words, all of which are units of one word under the top. PF_ENOMEM. What was made is the draft's until
 * pfi_tree_finish. */
pf_err pfi_tree_draft_new(unsigned n, pfi_tree_draft *draft);
void pfi_tree_draft_free(pfi_tree_draft *draft);

/* A copy of n bytes with a NUL, which the tree owns; NULL: memory is out. */
const char *pfi_tree_text(pf_tree *tree, const char *at, size_t n);

/* Makes the nodes. The heads must lead to the top. The tree is the caller's then. PF_ENOMEM. */
pf_err pfi_tree_finish(pfi_tree_draft *draft, pf_tree **out);

/* The formats. `next` reads a sentence: *out = NULL at the end. After PF_EINPUT the sentence has been read to its end, unless
 * *broken: then nothing more can be read. */
typedef struct {
    pf_err (*open)(pf_reader *reader, pf_tree_punctuation punctuation, void **self);
    pf_err (*next)(void *self, pf_tree **out, bool *broken);
    void (*free)(void *self);
} pfi_tree_format;
extern const pfi_tree_format pfi_conllu, pfi_alpino;

#endif
