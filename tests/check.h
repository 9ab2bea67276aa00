/* What the cmocka tests share: cmocka itself with what it needs, and checks that say what failed. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <permfst/base/err.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifndef __has_feature
#define __has_feature(x) 0
#endif

/* The claim holds; else the words, as for printf. */
#define CHECK(claim, ...)                                           \
    do {                                                            \
        if (!(claim)) {                                             \
            print_error("%s:%d: %s: ", __FILE__, __LINE__, #claim); \
            print_error(__VA_ARGS__);                               \
            print_error("\n");                                      \
            fail();                                                 \
        }                                                           \
    } while (0)

/* The library's call succeeds; else its message. */
#define SUCCEED(call) CHECK((call) == PF_OK, "%s", pf_message())

/* Is the test watched by memcheck (PERMFST_QUICK) or a sanitizer? It takes twenty times as long then, and more memory. */
static inline bool is_watched(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
    return true;
#else
    return getenv("PERMFST_QUICK") != NULL;
#endif
}

/* No test after this gets more than 256 MiB, so a count that is believed fails. What watches a test takes memory itself: there the
 * limit is not set. */
static inline void limit_memory(void) {
    struct rlimit few = {(rlim_t)256 << 20, (rlim_t)256 << 20};
    if (!is_watched()) setrlimit(RLIMIT_AS, &few);
}

/* What the test frees stays in the process: the kernel clears each page that is given back and asked for again. */
static inline void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
#endif
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#endif
