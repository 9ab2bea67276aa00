/* Sentences as linear automata: state i leads to state i + 1 by word i, and the last state is final.
 *
 * A machine of words, ready to be permuted and searched:
 *
 *     pf_fst *sentence;
 *     pf_err err = pf_fst_of_line(PF_STANDARD, "das ist ein haus", &sentence);
 *
 * Each call is O(bytes). */
#ifndef PF_IO_SENTENCE_H
#define PF_IO_SENTENCE_H

#include <permfst/base/vec.h>
#include <permfst/io/labels.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `count` words, NUL-ended. The machine has a table of its own, in which the words have the labels 1, 2, ... in the order in which
 * they appear first. *out belongs to the caller. PF_EINPUT: a word is empty or longer than PF_SYMBOL_LIMIT, or there are
 * more than PF_MAX_WORDS. PF_ENOMEM. O(bytes). */
pf_err pf_fst_of_words(pf_arc_type type, const char *const *words, size_t count, pf_fst **out);

/* The same of a NUL-ended text, whose words are separated by spaces and tabs. Errors as pf_fst_of_words. */
pf_err pf_fst_of_line(pf_arc_type type, const char *line, pf_fst **out);

typedef struct {
    pf_arc_type type;
    pf_word_labels labels;
    bool markup;         /* the line is marked with zones and walls (markup.h) */
    bool at_punctuation; /* there is a wall before and after each word that is one of , . ! ? : ; " */
} pf_compile_options; /* all zero: plain text */

/* A constraint that a mark of the line stands for, as pf_con_new reads it: "zone:2,4", "unit:2,4", "wall:3", "wall:3,2,5". */
typedef struct {
    char spec[40];
} pf_mark;
typedef PF_VEC(pf_mark) pf_marks; /* zones in the order in which they begin, then walls in order */

typedef struct {
    pf_fst *fst;         /* the words */
    pf_marks mark;       /* none without `markup` and `at_punctuation` */
} pf_compiled;

/* The words, walls and zones of a line, which a NUL ends, in the place of those that *sentence has; and its marks, in the place of
 * those in *marks. Errors as pf_compile_line. O(bytes). */
struct pf_sentence;
pf_err pf_sentence_read(struct pf_sentence *sentence, bool markup, const char *line, size_t length);
pf_err pf_sentence_marks(const struct pf_sentence *sentence, pf_marks *marks);

/* A line of text, which a NUL ends, as a machine and the constraints that its marks stand for. *out is freed by
 * pf_compiled_free, also after an error; a caller that keeps out->fst sets it to NULL. PF_EINPUT: a NUL byte, damaged markup, a
 * word that a fixed table lacks, a word or a sentence that is too long, more than PF_SPECS_LIMIT marks. The message has no file
 * and line: the caller puts them before it. Several threads may compile lines at the same time if they do not share
 * `labels.words`, or if that table is fixed. O(bytes). */
pf_err pf_compile_line(const pf_compile_options *options, const char *line, size_t length, pf_compiled *out);
void pf_compiled_free(pf_compiled *compiled);

#ifdef __cplusplus
}
#endif
#endif
