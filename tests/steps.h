/* A table of calls of programs, at least one of each program, which several tests run in one process. */
#ifndef PF_TESTS_STEPS_H
#define PF_TESTS_STEPS_H

#include "../bin/tool.h"

#include <stddef.h>

extern const tool permcompile, lazyperm, permcompose, permshortest, permprint, permexpand, perminfo, permlm, permcount, permequal,
    permrandgen, permcheck, permalign, permscore, permtuples, permrules, permcover;

enum { NAME = 300 };

/* One call. In its arguments DATA is the folder of test data, "@k" the output of step k, "@NAME" one of the files below. */
typedef struct {
    const tool *program;
    const char *arguments; /* separated by blanks */
    const char *input;     /* text, or "@k" */
    int status;
} step;

extern const step steps[];
extern const size_t n_steps;

/* A folder with the files that the calls name; `folder` gets its name. */
void begin_folder(char folder[NAME]);
void end_folder(const char *folder);

/* Runs a step; what it writes goes to FOLDER/NAME, what it says to FOLDER/NAME.said. Returns the status. */
int run_step(const char *folder, const step *s, const char *name);

/* Runs all of them; step k writes to FOLDER/k. A step whose status is another one fails the test. */
void run_all(const char *folder);

/* The bytes of a file, and a NUL; *bytes is freed by the caller. */
void read_whole(const char *path, char **bytes, size_t *n);

#endif
