/* Working on several records at a time: read, worked on and written in order, with -j threads for the work between. */
#ifndef TOOLMAP_H
#define TOOLMAP_H

#include "toolfst.h"

extern uint64_t toolmap_jobs; /* -j */
extern bool toolmap_keep_going;

#define TOOLMAP_JOBS \
    {.letter = 'j', .name = "jobs", .kind = TOOL_NUMBER, .to = &toolmap_jobs, .metavar = "N", .min = 1, .max = 1024, \
     .help = "work on N records at a time; the output does not depend on it [1]"}
#define TOOLMAP_KEEP_GOING \
    {.letter = 'k', .name = "keep-going", .kind = TOOL_FLAG, .to = &toolmap_keep_going, \
     .help = "report a record that fails, and go on with the others"}

typedef struct {
    pf_expr *in, *out;
    uint64_t record;
    void *own; /* what prepare() likes to keep */
} toolmap_record;

typedef struct {
    /* In order, by the thread that reads: opens what records may share. May be NULL. */
    pf_err (*prepare)(void *self, toolmap_record *r);
    /* By any thread, makes r->out: must not write, and change nothing but what is its record's own. */
    pf_err (*work)(void *self, toolmap_record *r);
    /* In order, by the thread that reads. r->out = NULL: the record failed, and --keep-going was given. */
    pf_err (*finish)(void *self, toolmap_record *r);
    void (*drop)(void *own); /* ends r->own, unless it is NULL. May be NULL */
} toolmap_steps;

/* All records of the operands, at most 4 N of them in memory. Errors name the record, and end it; with --keep-going those of
 * prepare and work are reported, and *failed says that there were some. */
pf_err toolmap_read(int n, char **operands, const toolmap_steps *steps, void *self, bool *failed);

#endif
