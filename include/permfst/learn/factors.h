/* Sentences as columns of factors: words, tags, classes, and what dependency trees say, read side by side; and their orders.
 *
 * The columns are those of a pf_parallel, each with a value for every word; trees (tree/treebank.h) are read beside them, one for
 * each sentence. Memory: one sentence. A sentence is O(bytes of its lines). */
#ifndef PF_LEARN_FACTORS_H
#define PF_LEARN_FACTORS_H

#include <permfst/align/parallel.h>
#include <permfst/learn/templates.h>
#include <permfst/tree/treebank.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_parallel *pairs;
    size_t words;                                /* columns of `pairs`, each but the links with as many words as this one */
    size_t tag[PF_TAG_COLUMNS];
    unsigned tags;
    size_t links, orders;                        /* alignments, or words that are permutations; 0: none are read */
    pf_reader *trees;                            /* NULL: none */
    void (*progress)(void *self, uint64_t sentence); /* called when a sentence was read, with its number; NULL: not */
    bool (*wanted)(void *self, uint64_t sentence);   /* is this one taken? The others are read and passed over; NULL: all are */
    pf_err (*ended)(void *self, uint64_t last);      /* called at the end, with the number of the last sentence; NULL: not */
    void *self;
} pf_factor_files;

enum { PF_NO_GOVERNOR = UINT32_MAX };

/* A sentence, all of it borrowed until the next one is read. */
typedef struct {
    uint64_t number;
    const pf_words *column[PF_COLUMNS]; /* NULL: there is no such column */
    const uint32_t *governor;           /* of each word, a position or PF_NO_GOVERNOR; NULL: no trees */
    pf_alignment *links;                /* of a permutation: each word with its place. NULL: none are read */
} pf_factored;

typedef struct pf_factor_reader pf_factor_reader;

/* files->pairs and files->trees belong to *out from here on, even if the call fails. *out belongs to the caller. Errors of
 * pf_treebank_open; PF_ENOMEM. */
pf_err pf_factor_reader_new(const pf_factor_files *files, pf_factor_reader **out);
void pf_factor_reader_free(pf_factor_reader *reader); /* NULL is accepted */

/* The next sentence that is wanted; *more = false after the last one. Errors of pf_parallel_next, pf_treebank_next and `ended`;
 * PF_EINPUT with file and line: a tree of another length, or more or fewer trees than sentences. */
pf_err pf_factor_next(pf_factor_reader *reader, pf_factored *out, bool *more);

/* An error of the sentence read last, which the message blames on the line of its words. */
pf_err pf_factor_blame(const pf_factor_reader *reader, pf_err err);

#ifdef __cplusplus
}
#endif
#endif
