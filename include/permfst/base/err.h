/* Errors: a code that functions return, and words that say what happened.
 *
 * Every function that can fail returns a pf_err. The words belong to the thread; they are set once, where the
 * fact is known ("sentences.txt:12: expected a number, found 'x'") and stay until the next failure. Each call is O(length of the
 * words). */
#ifndef PF_BASE_ERR_H
#define PF_BASE_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_OK = 0,
    PF_EINPUT,   /* what was read breaks its format or a rule */
    PF_EIO,      /* the system refused: open, read, write, close */
    PF_ENOMEM,   /* out of memory */
    PF_ELIMIT,   /* a stated limit was reached */
    PF_EARG      /* an option, name or parameter makes no sense */
} pf_err;

#if defined(__GNUC__)
#define PF_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define PF_UNUSED __attribute__((unused))
#else
#define PF_PRINTF(f, a)
#define PF_UNUSED
#endif

/* Sets the thread's message and returns `code`. */
pf_err pf_fail(pf_err code, const char *format, ...) PF_PRINTF(2, 3);

/* Puts words before the present message ("record 3: ..."); returns `code`. */
pf_err pf_fail_in(pf_err code, const char *format, ...) PF_PRINTF(2, 3);

/* PF_ENOMEM with its message. */
pf_err pf_nomem(void);

/* The message of the thread's last failure; "" before the first. Borrowed, valid until the next failure. */
const char *pf_message(void);

/* Where warnings about what was read go, one call each ("en.arpa:12: ..."); NULL drops them. */
typedef void (*pf_warn)(void *to, const char *words);

#define PF_TRY(expression)                        \
    do {                                          \
        pf_err pf_try_code_ = (expression);       \
        if (pf_try_code_) return pf_try_code_;    \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
