/* Programs that work line by line: what toolring does, with some lines that are there already as a piece. */
#ifndef TOOLLINES_H
#define TOOLLINES_H

#include "toolfst.h"
#include "toolring.h"

typedef struct {
    tool_call *call;
    const char *text; /* `length` bytes without a NUL, which ends them */
    size_t length;
    uint64_t record;  /* its number: lines of all files count from --first-record */
    pf_writer *out;   /* what is to be printed for it: whole, or nothing where the work fails */
    void *result;     /* for finish(): zeros at first */
} toollines_line;

typedef struct {
    size_t most;   /* lines of a piece; it has fewer where the next would have to be waited for */
    size_t result; /* bytes of a result */
    /* By any thread. An error gets file and line before its words. */
    pf_err (*work)(void *self, toollines_line *line);
    /* In order, by one thread at a time, of each line that has not failed. */
    void (*finish)(void *self, const void *result);
    const char *stand_in; /* printed for a line that failed, where --keep-going goes on */
} toollines_steps;

/* All lines of the files (none: standard input). *failed: --keep-going has left some out. */
pf_err toollines_read(tool_call *call, int n, char *const *files, const toollines_steps *steps, void *self, pf_writer *out, bool *failed);

#endif
