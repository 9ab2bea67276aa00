/* A stretch of bytes in somebody else's text, and several of them. */
#ifndef PF_BASE_WORD_H
#define PF_BASE_WORD_H

#include <permfst/base/vec.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n bytes at `at`, which stay those of the text; no NUL behind them. */
typedef struct {
    const char *at;
    size_t n;
} pf_word;

/* at[0..n). All zero is empty; PF_VEC_FREE ends it. */
typedef PF_VEC(pf_word) pf_words;

#ifdef __cplusplus
}
#endif
#endif
