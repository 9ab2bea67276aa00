/* Rows of scores: as an aligned table, as TSV with a line of names, or as JSON, an object a line. */
#ifndef TOOLROWS_H
#define TOOLROWS_H

#include "tool.h"

extern const char *const toolrows_formats[]; /* choices, ended by NULL: the first is the table */

/* NAN, 0 or NULL: not there. */
typedef struct {
    uint64_t sentence;
    const char *system, *metric, *details, *signature;
    double score, mean, low, high, p;
} toolrows_row;

typedef struct {
    pf_writer *w;
    int format;                        /* a place in toolrows_formats */
    unsigned digits;                   /* after the point */
    bool sentences, intervals, paired; /* the columns that there are */
    size_t width;                      /* of the systems' names, in a table */
} toolrows;

pf_err toolrows_begin(const toolrows *t);
pf_err toolrows_put(const toolrows *t, const toolrows_row *row);

/* After all rows: the end of a table, a signature for each metric; the first one is preceded by an empty line. */
pf_err toolrows_signature(const toolrows *t, const char *metric, const char *signature, bool first);

#endif
