/* The thread's last message. */
#include <permfst/base/err.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

pf_err pf_fail(pf_err code, const char *format, ...) {
    char words[sizeof message]; /* an argument may be the present message */
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    memcpy(message, words, sizeof message);
    return code;
}

pf_err pf_fail_in(pf_err code, const char *format, ...) {
    char before[sizeof message], words[2 * sizeof message];
    va_list ap;
    va_start(ap, format);
    vsnprintf(before, sizeof before, format, ap);
    va_end(ap);
    snprintf(words, sizeof words, "%s%s", before, message);
    memcpy(message, words, sizeof message - 1);
    return code;
}

pf_err pf_nomem(void) { return pf_fail(PF_ENOMEM, "out of memory"); }

const char *pf_message(void) { return message; }
