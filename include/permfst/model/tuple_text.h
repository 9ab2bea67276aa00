/* Tuples as text, one word of an m-gram model each: what an estimator of m-grams reads and a compiler of tuple models parses.
 *
 *   f|e1_e2    a source word and two target words        f|     the empty phrase
 *   f1_f2|e    two source words                          |e     no source
 *
 * After a backslash, \\ \| and \_ stand for the bytes \ | and _ inside a word. A tuple has exactly one bare |, its words are not
 * empty, and at least one side has a word; so a tuple has one spelling, and what is parsed is written as it was. */
#ifndef PF_MODEL_TUPLE_TEXT_H
#define PF_MODEL_TUPLE_TEXT_H

#include <permfst/base/err.h>
#include <permfst/base/word.h>
#include <permfst/base/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes one tuple of n_source and n_target words, none of which may be empty. O(bytes). Errors of the
 * writer. */
pf_err pf_tuple_write(pf_writer *writer, const pf_word *source, size_t n_source, const pf_word *target, size_t n_target);

/* A tuple that was parsed: its words without escapes, which are kept in `bytes` until the next one. All zero: none. */
typedef struct {
    pf_words source, target;
    PF_VEC(char) bytes;
} pf_tuple_words;
void pf_tuple_words_free(pf_tuple_words *tuple);

/* Parses `length` bytes. PF_EINPUT naming the tuple (not its place, which the caller knows: pf_fail_in), PF_ENOMEM. O(n). */
pf_err pf_tuple_parse(const char *text, size_t length, pf_tuple_words *out);

#ifdef __cplusplus
}
#endif
#endif
