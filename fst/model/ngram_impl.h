/* What the files of the n-gram model share: the model itself, and the trie of n-grams it is built from. */
#ifndef PF_MODEL_NGRAM_IMPL_H
#define PF_MODEL_NGRAM_IMPL_H

#include "base/packed.h"

#include <permfst/base/bytes.h>
#include <permfst/base/vec.h>
#include <permfst/model/ngram.h>
#include <permfst/model/scorer.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The model. States are ordered by length, then by their words, so that a back-off state comes before its own and the
 * same model has the same bytes. The arcs of state s are first[s] .. first[s + 1] - 1, ascending by word; those of state
 * 0, the empty history, are all the words, the arc of word x at x - 1.
 *
 * Whole numbers are packed. Nothing tells where the n-grams of the model's own length lead, which are most of all: an n-gram that
 * nothing extends leads where it leads without its first word. */
typedef struct {
    pf_symtab *words;
    pf_label begin, end, unknown;  /* <s> or PF_NO_LABEL; </s>; <unk> */
    pf_state start;
    pf_bytes *placed;              /* what the tables without room of their own (cap = 0) lie in; NULL: all have room */
    PF_VEC(uint64_t) count;        /* n-grams of length k + 1 that were listed; as many as the order */
    PF_VEC(uint32_t) level;        /* where the states of length k end; as many as the order */
    PF_VEC(float) back;            /* a state's back-off cost; 0 for state 0 */
    PF_VEC(float) cost;            /* of each arc */
    pfi_packed first;              /* states + 1 */
    pfi_packed fail;               /* a state's back-off state; 0 for state 0 */
    pfi_packed word;               /* of each arc */
    pfi_packed to;                 /* the next state of each arc of a state that is not of the greatest length */
    unsigned char *longer;         /* a bit for each state: another one backs off to it */
    bool gaps;                     /* some state backs off by more than one word */
    signed char *nonnegative;      /* atomic: no cost of a word, after any history, is below 0. 1: so it is; -1: not, or not known;
                                      0: nobody has asked yet. Behind a pointer, as all else is immutable */
} pfi_ngram;

static inline size_t pfi_ngram_states(const pfi_ngram *model) { return model->fail.n; }
static inline size_t pfi_ngram_arcs(const pfi_ngram *model) { return model->cost.n; }

/* Where the arcs of a state begin; where they end is first(state + 1). */
static inline uint32_t pfi_ngram_first(const pfi_ngram *model, size_t state) { return pfi_packed_at(&model->first, state); }
static inline pf_state pfi_ngram_fail(const pfi_ngram *model, pf_state state) { return pfi_packed_at(&model->fail, state); }
static inline uint32_t pfi_ngram_word(const pfi_ngram *model, uint32_t arc) { return pfi_packed_at(&model->word, arc); }

/* Where an arc of a state leads. O(1) for a state that is not of the greatest length; for others a few searches. */
pf_state pfi_ngram_to(const pfi_ngram *model, pf_state state, uint32_t arc);

/* How many arcs leave the states that are not of the greatest length. */
static inline size_t pfi_ngram_inner_arcs(const pfi_ngram *model) {
    return model->level.n < 2 ? 0 : pfi_ngram_first(model, model->level.at[model->level.n - 2]);
}

/* A model of nothing. *out belongs to the caller. PF_ENOMEM. */
pf_err pfi_ngram_new(pfi_ngram **out);
void pfi_ngram_free(pfi_ngram *model);

/* Fills `longer` and `gaps`, once all states are there. O(states). PF_ENOMEM. */
pf_err pfi_ngram_mark_longer(pfi_ngram *model);

/* The cost of a word after `state`, and the next state. */
double pfi_ngram_follow(const pfi_ngram *model, pf_state state, pf_label label, pf_state *to);

/* Finds <s>, </s> and <unk> (or <UNK>) among the words, and the start. False: there is no </s> or no <unk>. */
bool pfi_ngram_marks(pfi_ngram *model);

/* Is no cost below 0? Looks at the costs when first asked. */
bool pfi_ngram_nonnegative(const pfi_ngram *model);

/* pf_model_class: write, read, expand. */
pf_err pfi_ngram_write(const void *self, pf_writer *writer);
pf_err pfi_ngram_read(pf_reader *reader, void **self);
pf_err pfi_ngram_expand(const void *self, pf_label backoff, const char *symbol, pf_fst **out);

enum { PFI_LISTED = 1, PFI_WEIGHED = 2, PFI_GAP = 4 }; /* listed; with a back-off weight; a shorter end is missing */

typedef struct {
    float cost, back;
    unsigned char flags;
} pfi_gram;

/* The n-grams of one length: as they came, or sorted by their first words, then by the next ones. */
typedef struct {
    unsigned length;          /* in words */
    PF_VEC(uint32_t) word;    /* the labels of all, one n-gram after the other */
    PF_VEC(pfi_gram) gram;    /* what is said of each */
} pfi_section;

void pfi_section_free(pfi_section *section);

static inline const uint32_t *pfi_section_words(const pfi_section *section, size_t i) {
    return section->word.at + i * section->length;
}

/* Sorts a section, whose labels are 1 .. `labels`. came[i] becomes the place at which n-gram i came; equal ones stay in the order
 * in which they came. O(words of the n-grams), times a logarithm where there are fewer n-grams than labels. PF_ENOMEM. */
pf_err pfi_section_sort(pfi_section *section, uint32_t labels, uint32_t *came);

/* Moves *at to the first n-gram of a sorted section that is not below these words, of which the section's length counts. Is it
 * them? For words that ascend from call to call. */
bool pfi_section_reach(const pfi_section *section, size_t *at, const uint32_t *words);

/* The trie of n-grams. A node is an n-gram: its history's node and its last word. Nodes are ordered by length, then by their
 * words, so the node of word x alone is x - 1, and the nodes with one history stand side by side. A history may be there without
 * being listed. */
#define PFI_ROOT UINT32_MAX

typedef struct {
    uint32_t history, word;
} pfi_gram_key;

typedef struct {
    pf_symtab *words;
    PF_VEC(pfi_gram_key) node;
    PF_VEC(pfi_gram) gram;    /* of each node */
    PF_VEC(uint64_t) count;   /* n-grams listed of length k + 1 */
} pfi_trie;

/* Makes the nodes from sorted sections, the one of length k at k - 1, in which no n-gram stands twice, and empties them. The first
 * one has all words. PF_ENOMEM; PF_ELIMIT past 2^32 - 2 nodes. O(words of the n-grams). */
pf_err pfi_trie_make(pfi_section *sections, size_t count, pfi_trie *trie);
void pfi_trie_free(pfi_trie *trie);

/* Kinds of warnings; each is given once a file. */
enum {
    PFI_WARN_BEFORE, PFI_WARN_COUNT, PFI_WARN_NO_BEGIN, PFI_WARN_NO_UNKNOWN, PFI_WARN_POSITIVE, PFI_WARN_BACK_POSITIVE,
    PFI_WARN_BACK_MISSING, PFI_WARN_BACK_HIGHEST, PFI_WARN_HISTORY, PFI_WARN_SUFFIX, PFI_WARN_AFTER
};

typedef struct {
    const char *name; /* of the file */
    pf_warn warn;
    void *to;
    unsigned given; /* bit set of kinds */
} pfi_warner;

/* "name:line: words", or without a line if it is 0. */
void pfi_ngram_warn(pfi_warner *warner, unsigned kind, uint64_t line, const char *format, ...) PF_PRINTF(4, 5);

/* The model of a trie whose unigrams hold </s> and <unk>; the trie may get costs and flags for unlisted histories. The
 * words are shared. O(n-grams * order), times a logarithm for n-grams whose ends are not listed. */
pf_err pfi_ngram_build(pfi_trie *trie, pfi_warner *warner, pfi_ngram **out);

#ifdef __cplusplus
}
#endif
#endif
