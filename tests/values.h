/* Numbers in order, for qsort. */
#ifndef TESTS_VALUES_H
#define TESTS_VALUES_H

/* Two doubles: the smaller one first. */
static inline int by_value(const void *first, const void *second) {
    const double one = *(const double *)first, other = *(const double *)second;
    return (one > other) - (one < other);
}

#endif
