/* The name that was meant: for "did you mean ...?" in messages. */
#ifndef PF_BASE_NEAREST_H
#define PF_BASE_NEAREST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The known name that the text is nearest to: it begins with the text, or becomes it by one change, by two where the text has five
 * bytes or more. A change adds, drops or replaces a byte, or exchanges two neighbours. The first of several; NULL: none is near.
 * known(self, i) is the i-th name; NULL past the last. O(names x length^2); names and texts of 64 bytes or more are near to
 * nothing. */
const char *pf_nearest(const char *text, size_t length, const char *(*known)(const void *self, size_t i), const void *self);

#ifdef __cplusplus
}
#endif
#endif
