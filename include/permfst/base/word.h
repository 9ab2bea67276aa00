/* Words that stay where they are in a text. Each call is O(bytes) that are passed. */
#ifndef PF_BASE_WORD_H
#define PF_BASE_WORD_H

#include <permfst/base/vec.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n bytes at `at`, borrowed from the text; no NUL follows them. */
typedef struct {
    const char *at;
    size_t n;
} pf_word;

/* All zero is empty; PF_VEC_FREE frees it. */
typedef PF_VEC(pf_word) pf_words;

/* The next word of the text from *at to `end`, which spaces and tabs separate; *at moves past it. False: there is none. */
static inline bool pf_word_next(const char **at, const char *end, pf_word *out) {
    const char *c = *at;
    while (c < end && (*c == ' ' || *c == '\t')) c++;
    out->at = c;
    while (c < end && *c != ' ' && *c != '\t') c++;
    out->n = (size_t)(c - out->at);
    *at = c;
    return out->n > 0;
}

#ifdef __cplusplus
}
#endif
#endif
