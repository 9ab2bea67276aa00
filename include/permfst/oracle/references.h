/* The references of one sentence, and which of their n-grams a path of an automaton has.
 *
 * N-grams are the nodes of a trie: node 0 is the empty one, and the parent of an n-gram is that without its last word. A history is
 * the longest end of what was printed, of at most three words, that some reference has: all that the next words can match depends
 * on it. Words are O(length); the closest length is O(references). */
#ifndef PF_ORACLE_REFERENCES_H
#define PF_ORACLE_REFERENCES_H

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include <permfst/base/word.h>
#include <permfst/oracle/counts.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t parent, end;  /* without its last word; without its first */
    uint32_t word;         /* its last word: a number of `words` */
    uint32_t most, now;    /* how often the reference that has it most often has it; scratch */
    uint32_t length;
} pf_oracle_gram;

typedef struct {
    pf_statetab words;             /* of all references */
    pf_statetab grams;             /* parent and word -> node - 1 */
    PF_VEC(pf_oracle_gram) gram;
    PF_VEC(uint32_t) length;       /* of each reference, in words */
} pf_oracle_references; /* pf_oracle_references_init and _free */

enum { PF_ORACLE_NO_WORD = UINT32_MAX };

/* Begins with no references. O(1). */
void pf_oracle_references_init(pf_oracle_references *references);
void pf_oracle_references_free(pf_oracle_references *references);

/* Adds a reference: a line of words, which spaces and tabs separate. Of several references those without words do not count, as in
 * metric/testset.h: the caller leaves them out. PF_ENOMEM. O(bytes) expected. */
pf_err pf_oracle_references_add(pf_oracle_references *references, const char *line, size_t length);

/* The number of a word; PF_ORACLE_NO_WORD: no reference has it. */
uint32_t pf_oracle_word(const pf_oracle_references *references, const char *word, size_t length);

/* The longest n-gram, of at most four words, that ends with `word` after a history: 0 if there is none. The others that match are
 * its ends: gram.at[..].end, until 0. *next is the history after the word. O(1). */
uint32_t pf_oracle_step(const pf_oracle_references *references, uint32_t history, uint32_t word, uint32_t *next);

/* The length of the reference closest to `length`, of two the shorter; 0 without references. */
uint32_t pf_oracle_closest(const pf_oracle_references *references, uint64_t length);

#ifdef __cplusplus
}
#endif
#endif
