/* Several files that belong together line by line: sentences, tags, alignments in any format.
 *
 * Columns are added first, then rows are read. They are numbered from 1 on, so that 0 can stand for none. All columns must end together: the first line that one of them lacks is an
 * error that names both files. Only naacl alignments may end before the others, because a pair without links has no line
 * there. Memory: one row. */
#ifndef PF_ALIGN_PARALLEL_H
#define PF_ALIGN_PARALLEL_H

#include <permfst/align/format.h>
#include <permfst/align/words.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_parallel pf_parallel;

/* `first` is the number of the first row, 1 if nothing else is said. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_parallel_new(uint64_t first, pf_parallel **out);

/* Frees the readers too. */
void pf_parallel_free(pf_parallel *p);

/* Adds a column of sentences (or tags) and takes the reader over, also where it fails; *column is its number. */
pf_err pf_parallel_words(pf_parallel *p, pf_reader *reader, size_t *column);

/* The words of `column` must be as many as those of `like` (tags and their words, say), else the row is an error that
 * names both files, the line and both counts. */
pf_err pf_parallel_match(pf_parallel *p, size_t column, size_t like);

/* How a column of alignments is read. */
typedef struct {
    pf_align_format format;
    bool inverted;         /* the file lists targets as sources: each alignment is inverted when it has been read */
    size_t source, target; /* columns of its words, against which lengths are checked; 0: none, only the file can tell lengths */
} pf_parallel_links;

/* Adds a column of alignments, behind those of its words; takes the reader over, also where it fails. */
pf_err pf_parallel_alignments(pf_parallel *p, pf_reader *reader, const pf_parallel_links *how, size_t *column);

/* The next row, *more = false behind the last. Errors name file and line. */
pf_err pf_parallel_next(pf_parallel *p, bool *more);

/* Of the row last read. Words and alignments are borrowed until the next call; the alignment may be changed in place. */
uint64_t pf_parallel_number(const pf_parallel *p);
const pf_words *pf_parallel_sentence(const pf_parallel *p, size_t column);
pf_alignment *pf_parallel_alignment(pf_parallel *p, size_t column);

/* The words that an a3 file has itself, as it is inverted or not; NULL where the column has none. */
const pf_words *pf_parallel_source(const pf_parallel *p, size_t column);
const pf_words *pf_parallel_target(const pf_parallel *p, size_t column);

/* The reader of a column, for messages: pf_reader_fail_line(pf_parallel_reader(p, column), ...). */
const pf_reader *pf_parallel_reader(const pf_parallel *p, size_t column);

#ifdef __cplusplus
}
#endif
#endif
