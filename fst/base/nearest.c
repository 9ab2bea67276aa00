/* Damerau's distance, where no part is changed twice (optimal string alignment): three rows of the table are kept. */
#include <permfst/base/nearest.h>

#include <string.h>

enum { LENGTH_LIMIT = 64, LONG = 5 };

static unsigned least_of(unsigned one, unsigned other) { return one < other ? one : other; }

static unsigned distance(const char *one, size_t n, const char *other, size_t m) {
    unsigned rows[3][LENGTH_LIMIT];
    for (size_t k = 0; k <= m; k++) rows[0][k] = (unsigned)k;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t k = 1; k <= m; k++) {
            row[k] = least_of(last[k - 1] + (one[i - 1] != other[k - 1]), least_of(last[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && one[i - 1] == other[k - 2] && one[i - 2] == other[k - 1])
                row[k] = least_of(row[k], before[k - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *pf_nearest(const char *text, size_t length, const char *(*known)(const void *self, size_t i), const void *self) {
    unsigned least = length >= LONG ? 3 : 2;
    const char *found = NULL, *name;
    if (!length || length >= LENGTH_LIMIT) return NULL;
    for (size_t i = 0; (name = known(self, i)); i++) {
        size_t n = strlen(name);
        if (n >= LENGTH_LIMIT) continue;
        unsigned apart = n > length && length > 1 && strncmp(name, text, length) == 0 ? 1 : distance(text, length, name, n);
        if (apart < least && apart < n) {
            least = apart;
            found = name;
        }
    }
    return found;
}
