/* What the cmocka tests share: cmocka itself with what it needs, and checks that say what failed. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <permfst/base/err.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#endif
