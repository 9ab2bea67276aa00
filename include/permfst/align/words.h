/* The words of a line, for texts, tags and classes in files whose lines belong together. Each call is O(bytes). */
#ifndef PF_ALIGN_WORDS_H
#define PF_ALIGN_WORDS_H

#include <permfst/base/reader.h>
#include <permfst/base/word.h>
#include <permfst/base/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Splits a line at spaces and tabs. The words replace what `words` held; its memory is kept. They point into the line and live
 * as long as it does. `reader` is where the line comes from, for messages. PF_EINPUT for a NUL byte and for more than
 * PF_MAX_WORDS words; PF_ENOMEM. O(length). */
pf_err pf_words_split(const pf_reader *reader, const char *line, size_t length, pf_words *words);

/* Writes words with spaces between them, without an end of line. Errors of the writer. */
pf_err pf_words_write(pf_writer *writer, const pf_words *words);

#ifdef __cplusplus
}
#endif
#endif
