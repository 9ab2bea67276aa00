/* The files of weight models with a table of costs.
 *
 * A file of matrices has one for each sentence, in the order of the records: a line for each position, numbers between
 * spaces, and an empty line behind each matrix but the last; a sentence without words is an empty line alone. A file of
 * words has a line for each: the word, then its costs; the row of <unk> is for words that have none. */
#ifndef PF_PERMUTE_WM_FILE_H
#define PF_PERMUTE_WM_FILE_H

#include <permfst/machine/symtab.h>
#include <permfst/permute/input.h>
#include <permfst/permute/wm.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_wm_file pf_wm_file;

/* Opens the file of a specification; *out = NULL where the model has none. A file of words is read here. */
pf_err pf_wm_file_open(const char *spec, pf_wm_file **out);
void pf_wm_file_free(pf_wm_file *file);

/* The costs for the next sentence: *n numbers, of malloc, the caller's. `words` names the output labels.
 * PF_EINPUT with file and line: not a number, a matrix of another shape than the sentence's (both are named), none left, a
 * word without costs, alternatives for a word. */
pf_err pf_wm_file_next(pf_wm_file *file, const pf_input *input, const pf_symtab *words, double **cost, size_t *n);

/* Past the first n matrices, whatever they hold: those of sentences that were skipped, and one that was refused half-way. */
pf_err pf_wm_file_skip(pf_wm_file *file, uint64_t n);

/* That no matrix is left when the sentences are through. PF_EINPUT. */
pf_err pf_wm_file_end(pf_wm_file *file);

#ifdef __cplusplus
}
#endif
#endif
