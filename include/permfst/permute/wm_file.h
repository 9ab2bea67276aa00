/* The files of weight models with a table of costs.
 *
 * A file of matrices has one for each sentence, in the order of the records: a line for each position, with numbers separated
 * by spaces, and an empty line after each matrix but the last. The matrix of a sentence without words is an empty line alone.
 * A file of words has a line for each word: the word, then its costs. Words that are not in it have the costs of <unk>. A matrix
 * is O(its bytes). */
#ifndef PF_PERMUTE_WM_FILE_H
#define PF_PERMUTE_WM_FILE_H

#include <permfst/base/reader.h>
#include <permfst/machine/symtab.h>
#include <permfst/permute/input.h>
#include <permfst/permute/wm.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_wm_file pf_wm_file;

/* Opens the file of a specification; *out = NULL where the model has none. A file of words is read at once. *out is freed by
 * pf_wm_file_free. PF_EARG, PF_EINPUT, PF_EIO, PF_ENOMEM. */
pf_err pf_wm_file_open(const char *spec, pf_wm_file **out);

/* The same from a reader, which it takes over, also when this fails; the file that the specification names is not opened. The model
 * has a table. */
pf_err pf_wm_file_read(const char *spec, pf_reader *reader, pf_wm_file **out);
void pf_wm_file_free(pf_wm_file *file);

/* The costs for the next sentence: *count numbers, which the caller frees. `words` names the output labels.
 * PF_EINPUT with file and line: not a number, a matrix that does not fit the sentence (both shapes are named), no matrix left,
 * a word without costs, alternatives for a word. */
pf_err pf_wm_file_next(pf_wm_file *file, const pf_input *input, const pf_symtab *words, double **cost, size_t *count);

/* Skips what is left of the first `count` matrices, whatever they hold: those of sentences that were skipped, and the rest of a
 * matrix that was refused. Errors of the reader. */
pf_err pf_wm_file_skip(pf_wm_file *file, uint64_t count);

/* Checks that no matrix is left after the last sentence. PF_EINPUT. */
pf_err pf_wm_file_end(pf_wm_file *file);

#ifdef __cplusplus
}
#endif
#endif
