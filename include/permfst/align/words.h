/* A line as its words, for texts, tags and classes that stand line beside line. */
#ifndef PF_ALIGN_WORDS_H
#define PF_ALIGN_WORDS_H

#include <permfst/base/reader.h>
#include <permfst/base/word.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The words of a line, which spaces and tabs separate; those of the line before are forgotten, their room is kept. They
 * live as long as the line does. `reader` is where the line comes from, for messages. PF_EINPUT for a NUL byte and for more
 * than PF_MAX_WORDS words. O(length). */
pf_err pf_words_split(const pf_reader *reader, const char *line, size_t length, pf_words *words);

#ifdef __cplusplus
}
#endif
#endif
