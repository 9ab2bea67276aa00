/* Sentences with what other files say about them: a line of tags, and lines of permutations, for each sentence.
 *
 * The sentences come as automata, from a stream, and the files are read line by line beside it. The lines of a sentence are read as
 * a whole, also where one of them is bad, so that those of the next sentence come next. Each call is O(bytes) of the lines. */
#ifndef PF_RULES_ANNOTATED_H
#define PF_RULES_ANNOTATED_H

#include <permfst/base/reader.h>
#include <permfst/permute/input.h>
#include <permfst/rules/apply.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All borrowed. */
typedef struct {
    pf_reader *tags;         /* NULL: there are none */
    pf_reader *const *perms; /* files of permutations */
    size_t n_perms;
} pf_annotation_files;

typedef struct {
    pf_input input;      /* by pf_annotated_take, as are the next two: the words */
    pf_symtab *symbols;  /* of them; may be NULL */
    pf_arc_type type;
    pf_words tags;       /* none without a file */
    pf_permutation *perm; /* of each file */
    size_t n_perms;
    char *line;          /* what the tags point into */
} pf_annotated;

/* Reads the lines of the next sentence. *out belongs to the caller, NULL after an error. PF_EINPUT with file and line: a file ends,
 * or a line is not text or not a permutation. PF_ENOMEM. */
pf_err pf_annotated_read(const pf_annotation_files *files, pf_annotated **out);
void pf_annotated_free(pf_annotated *sentence); /* NULL is accepted */

/* Takes the words from a linear automaton. PF_EINPUT with file and line: a line has another number of tags or positions than the
 * sentence has words, which is only known until the next line is read; the errors of pf_input_read. */
pf_err pf_annotated_take(pf_annotated *sentence, const pf_annotation_files *files, pf_fst *words);

/* The sentence, with the first `count` of its permutations, as pf_rules_apply takes it. Borrowed. */
pf_rule_sentence pf_annotated_sentence(const pf_annotated *sentence, size_t count);

/* Checks that no line is left after the last sentence of `name`, the stream of the sentences, which began with record `first`.
 * PF_EINPUT: there is one. */
pf_err pf_annotation_end(const pf_annotation_files *files, const char *name, uint64_t first);

#ifdef __cplusplus
}
#endif
#endif
