/* Rows of scores: as an aligned table, as TSV with a line of names, or as JSON, an object a line. */
#ifndef TOOLROWS_H
#define TOOLROWS_H

#include "tool.h"

extern const char *const toolrows_formats[]; /* choices, ended by NULL: the first is the table */

/* What is not there is NAN, 0 or NULL. */
typedef struct {
    uint64_t sentence;
    const char *system, *metric, *details, *signature;
    double score, mean, low, high, p;
} toolrows_row;

typedef struct {
    pf_writer *w;
    const char *format;
    unsigned digits;                   /* behind the point */
    bool sentences, intervals, paired; /* the columns that there are */
    size_t width;                      /* of the systems' names, in a table */
} toolrows;

pf_err toolrows_begin(const toolrows *t);
pf_err toolrows_put(const toolrows *t, const toolrows_row *row);

/* Behind all rows: what a table has at its end, a signature a metric; the first time with an empty line before it. */
pf_err toolrows_signature(const toolrows *t, const char *metric, const char *signature, bool first);

#endif
