/* Private to Alpino's trees: what is read of a sentence, and making its tree. */
#ifndef PF_TREE_ALPINO_IMPL_H
#define PF_TREE_ALPINO_IMPL_H

#include "tree/tree_impl.h"

#include <permfst/base/digits.h>
#include <permfst/base/vec.h>
#include <permfst/machine/fst.h>

enum {
    PFI_ALPINO_REL,
    PFI_ALPINO_CAT,
    PFI_ALPINO_WORD,
    PFI_ALPINO_PT,
    PFI_ALPINO_WVORM,
    PFI_ALPINO_LEMMA,
    PFI_ALPINO_POSTAG,
    PFI_ALPINO_TEXTS
};

typedef struct {
    uint32_t parent;               /* UINT32_MAX: none */
    uint32_t begin;
    bool placed;                   /* it has a begin */
    size_t text[PFI_ALPINO_TEXTS]; /* attributes, in the sentence's text; 0: it has none */
} pfi_alpino_node;

typedef struct {
    pf_reader *reader; /* for messages */
    pf_tree_punctuation punctuation;
    PF_VEC(pfi_alpino_node) node; /* in the order of the file: parents before their children */
    PF_VEC(char) text;
    size_t id;
    unsigned words;
    uint64_t line;
} pfi_alpino_sentence;

static inline const char *pfi_alpino_text(const pfi_alpino_sentence *sentence, const pfi_alpino_node *node, unsigned which) {
    return sentence->text.at + node->text[which];
}

/* The tree of a sentence. PF_EINPUT: two words of one begin, no words. */
pf_err pfi_alpino_make(const pfi_alpino_sentence *sentence, pf_tree **out);

#endif
