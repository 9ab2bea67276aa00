/* A table of calls of programs, at least one of each program, which several tests run in one process. */
#ifndef PF_TESTS_STEPS_H
#define PF_TESTS_STEPS_H

#include "../bin/tool.h"

#include <stdbool.h>
#include <stddef.h>

extern const tool permcompile, lazyperm, permcompose, permshortest, permprint, permexpand, perminfo, permlm, permcount, permequal,
    permrandgen, permcheck, permalign, permscore, permtune, permtuples, permrules, permcover, permtree, permoracle,
    permlearn, permsh;

enum { NAME = 300 };

/* One call. In a word of its arguments "@NAME" is a file that it reads, one of those that begin_folder makes or what a step before
 * it wrote; DATA/NAME is one of the test data; "%NAME" is a file that it writes. A file NAME.gz is NAME packed. A last word ">NAME"
 * names its standard output for later steps. */
typedef struct {
    const tool *program;
    const char *arguments; /* separated by blanks */
    const char *input;     /* text, "@NAME" or "DATA/NAME" */
    int status;
} step;

extern const step steps[];
extern const size_t n_steps;

/* A folder with the files that the calls name; `folder` gets its name. */
void begin_folder(char folder[NAME]);
void end_folder(const char *folder);

/* Runs a step; what it writes goes to FOLDER/NAME, what it says to FOLDER/NAME.said. Returns the status. */
int run_step(const char *folder, const step *s, const char *name);

/* The same, through a function of the caller's that calls tool_run. */
typedef int step_runner(const tool *program, int n, const char *const *arguments, tool_streams streams);
int run_step_by(const char *folder, const step *s, const char *name, step_runner *runner);

/* Runs all of them; step k writes to FOLDER/k. A step whose status is another one fails the test. */
void run_all(const char *folder);

/* The names in the folder of the files that a step reads, standard input last, or that it writes; returns how many. Borrowed
 * until the thread's next call. step_input: that of standard input. */
enum { MOST_FILES = 8 };
size_t step_files(const step *s, bool outputs, const char *name[MOST_FILES]);
const char *step_input(const step *s);

/* The bytes of a file, and a NUL; *bytes is freed by the caller. */
void read_whole(const char *path, char **bytes, size_t *n);

/* A file of these bytes. */
void put_bytes(const char *path, const void *bytes, size_t n);

#endif
