/* A sentence as words, walls and zones, and its reading from the markup of phrase-based decoders, one sentence a line:
 *
 *   <zone> ... </zone>   its words are visited in one run; <zone monotone="1">: in order, a unit
 *   <wall/>              the words before it are visited before those after it
 *   <wall> ... </wall>   a wall at its begin, at its end, and between its words
 *
 * A line is XML content: &lt; &gt; &amp; &apos; &quot;, character references, comments and CDATA sections are what they are
 * in XML; everything else is refused. Words and zones are counted from 1. Adding a word and clearing are O(length). */
#ifndef PF_IO_MARKUP_H
#define PF_IO_MARKUP_H

#include <permfst/base/err.h>
#include <permfst/base/vec.h>

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PF_MARKUP_DEPTH = 200,    /* nested elements */
    PF_MARKUP_LIMIT = 1 << 16 /* bytes of a tag, a comment, a CDATA section; some more may pass */
};

typedef struct {
    uint32_t first, last; /* its words; last = 0 while it is open */
    uint32_t around;      /* the innermost zone around it, or 0 */
    bool unit;            /* in order */
} pf_zone;

/* The words of its zone up to word `at` are visited before those after it. */
typedef struct {
    uint32_t at, zone; /* the innermost zone around it, or 0: the whole sentence */
} pf_wall;

/* All zero is an empty sentence. */
typedef struct pf_sentence {
    bool at_punctuation;  /* set by the caller: a wall before and after each word that is one of , . ! ? : ; " */
    PF_VEC(char) text;    /* the words without space, and then the one that has not ended */
    PF_VEC(size_t) end;   /* where in the text each word ends */
    PF_VEC(pf_zone) zone; /* in the order of their begins */
    PF_VEC(pf_wall) wall; /* in order, each once, only those that have words on both sides */
    uint32_t open, walled; /* while it is read: the innermost zone; the first word of the outermost <wall> */
} pf_sentence;

/* Word i, from 0, of sentence->end.n: *length bytes, borrowed; no NUL follows them. */
static inline const char *pf_sentence_word(const pf_sentence *sentence, size_t i, size_t *length) {
    assert(i < sentence->end.n);
    size_t begin = i ? sentence->end.at[i - 1] : 0;
    *length = sentence->end.at[i] - begin;
    return sentence->text.at + begin;
}

/* Adds a word of at least one byte to a sentence of plain text. PF_ENOMEM. */
pf_err pf_sentence_add(pf_sentence *sentence, const char *word, size_t length);

/* Reads a marked line of `length` bytes, which a NUL ends. What was in the sentence before is forgotten. PF_EINPUT with the byte,
 * counted from 1; the caller knows file and line. O(n) and a parser of libxml2's. */
pf_err pf_sentence_markup(pf_sentence *sentence, const char *line, size_t length);

/* Empties a sentence for the next line; frees what it holds. */
void pf_sentence_clear(pf_sentence *sentence);
void pf_sentence_free(pf_sentence *sentence);

#ifdef __cplusplus
}
#endif
#endif
