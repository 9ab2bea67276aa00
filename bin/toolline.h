/* Lines that somebody types: edited, completed and remembered by GNU readline or libedit, or plain ones without them. */
#ifndef TOOLLINE_H
#define TOOLLINE_H

#include "tool.h"

/* Writes what the word that ends at `end` of a line can be: pf_shell_complete. */
typedef pf_err (*tool_completer)(void *self, const char *line, size_t end, size_t *begin, bool *files, pf_writer *candidates);

/* Lines are typed on standard input. `history` is the file that keeps them; NULL: none does. One at a time in a process. */
void tool_lines_begin(tool_completer completer, void *self, const char *history);

/* The next line, the caller's; NULL at the end of the input. After an interruption, which *interrupted tells, an empty one. */
char *tool_lines_next(const char *prompt, bool (*interrupted)(void));
void tool_lines_end(void);

#endif
