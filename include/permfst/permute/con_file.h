/* Constraints with files of trees: "tree:FILE" stands for the tree of the sentence.
 *
 * A specification of a sequence of sentences may have such names anywhere: "tree:de.conllu+ibm:6". The trees of a file
 * (tree/treebank.h) are read beside the sentences, one for each; in the specification of a sentence its tree stands as a text
 * (tree/heads.h). Punctuation is left out of the trees, except with "tree:FILE,punctuation". FILE ends at a blank, '+', '|', '(' or
 * ')', or at ",limited"; so a difference has a blank before its '-'. A tree is O(its bytes). */
#ifndef PF_PERMUTE_CON_FILE_H
#define PF_PERMUTE_CON_FILE_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_con_file pf_con_file;

/* Does a specification name files of trees? */
bool pf_con_has_files(const char *spec);

/* Opens the files of a specification, which is copied; *out = NULL where it names none. Freed by pf_con_file_free. PF_EARG,
 * PF_EINPUT, PF_EIO, PF_ENOMEM. */
pf_err pf_con_file_open(const char *spec, pf_con_file **out);
void pf_con_file_free(pf_con_file *file); /* NULL is accepted */

/* Skips the trees of the first `sentences` sentences, as far as they were not read, whatever they are.
 * PF_EIO, PF_ENOMEM. */
pf_err pf_con_file_skip(pf_con_file *file, uint64_t sentences);

/* Reads the trees of the next sentence, of n words: *spec is its specification, borrowed until the next call. PF_EINPUT, with file
 * and line: no tree is left, or it is not a tree, or it has another number of words. */
pf_err pf_con_file_next(pf_con_file *file, unsigned n, const char **spec);

/* Ends the files after the last sentence. PF_EINPUT: a file has one more tree. */
pf_err pf_con_file_end(pf_con_file *file);

#ifdef __cplusplus
}
#endif
#endif
