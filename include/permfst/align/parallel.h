/* Files that belong together line by line: sentences, tags, alignments in any format. One line of each is a pair.
 *
 * First add the columns, a file each; then read the pairs. Columns are numbered from 1, so that 0 can mean none. All columns
 * must end together: if one of them lacks a line, that is an error that names both files. Only naacl alignments may end early,
 * because in that format a pair without links has no line. Memory: one pair.
 *
 *   size_t source, links;
 *   pf_parallel_new(1, &p);
 *   pf_parallel_words(p, source_reader, &source);
 *   pf_parallel_alignments(p, links_reader, &(pf_parallel_links){.source = source}, &links);
 *   while (!pf_parallel_next(p, &more) && more) use(pf_parallel_sentence(p, source), pf_parallel_alignment(p, links));
 *
 * Reading a pair is O(bytes of its lines); what is asked of it is O(1). */
#ifndef PF_ALIGN_PARALLEL_H
#define PF_ALIGN_PARALLEL_H

#include <permfst/align/format.h>
#include <permfst/align/words.h>
#include <permfst/io/sentence.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_parallel pf_parallel;

/* `first` is the number of the first pair, normally 1. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_parallel_new(uint64_t first, pf_parallel **out);

/* Frees the readers too. */
void pf_parallel_free(pf_parallel *pairs);

/* Adds a column of sentences (or tags). The reader belongs to `pairs` from here on, even if the call fails. *column is the number
 * of the column. PF_ENOMEM. */
pf_err pf_parallel_words(pf_parallel *pairs, pf_reader *reader, size_t *column);

/* The same of sentences with walls and zones, whose marks pf_parallel_marks gives; their tags are not words (io/markup.h). */
pf_err pf_parallel_marked(pf_parallel *pairs, pf_reader *reader, const pf_compile_options *how, size_t *column);

/* Demands that `column` has as many words as the earlier column `like` in every pair (tags and their words, for example). A pair in
 * which they differ is an error that names both files, the line and both counts. PF_EARG: one of them is not a column of sentences,
 * or `like` is not the earlier one. */
pf_err pf_parallel_match(pf_parallel *pairs, size_t column, size_t like);

/* How a column of alignments is read. */
typedef struct {
    pf_align_format format;
    bool inverted;         /* the file lists targets as sources: each alignment is inverted after it is read */
    size_t source, target; /* the columns of its words, which give the lengths to check; 0: only the file can give a length */
} pf_parallel_links;

/* Adds a column of alignments, after the columns of its words. The reader belongs to `pairs` from here on, even if the call fails.
 * PF_EARG: a column that is not before it, or a format that is only written; PF_EIO, PF_ENOMEM. */
pf_err pf_parallel_alignments(pf_parallel *pairs, pf_reader *reader, const pf_parallel_links *how, size_t *column);

/* Reads the next pair; *more = false after the last one. Errors name file and line. */
pf_err pf_parallel_next(pf_parallel *pairs, bool *more);

/* The pair that was read last. Words and alignments are borrowed until the next call; the alignment may be changed in place.
 * `column` must be a column of that kind. */
uint64_t pf_parallel_number(const pf_parallel *pairs);
const pf_words *pf_parallel_sentence(const pf_parallel *pairs, size_t column);
pf_alignment *pf_parallel_alignment(pf_parallel *pairs, size_t column);
const pf_marks *pf_parallel_marks(const pf_parallel *pairs, size_t column); /* of a column of words; empty if it has no marks */

/* The words that an a3 file contains itself, exchanged if it is inverted; NULL if the column is in another format. */
const pf_words *pf_parallel_source(const pf_parallel *pairs, size_t column);
const pf_words *pf_parallel_target(const pf_parallel *pairs, size_t column);

/* The reader of a column, for messages: pf_reader_fail_line(pf_parallel_reader(pairs, column), ...). Borrowed. */
const pf_reader *pf_parallel_reader(const pf_parallel *pairs, size_t column);

#ifdef __cplusplus
}
#endif
#endif
