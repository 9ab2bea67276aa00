/* How far a program is: what it counts, and one line that says it.
 *
 * The threads at work only add to counters; another one (toolwatch) reads them, for a line on a terminal about once a second
 * and one wherever SIGUSR1 asks. So a line comes at any time, also from within one long record. */
#ifndef TOOLPROGRESS_H
#define TOOLPROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a long piece of work is made of. */
typedef enum {
    TOOL_STATES,
    TOOL_COUNTED_STATES,
    TOOL_DRAWN_PATHS,
    TOOL_COUNTED_PAIRS,
    TOOL_SCORED_SYSTEMS,
    TOOL_STEP_KINDS
} tool_step;

/* What is counted by tool_done ("record"), and how many bytes of input there are in all (0: nobody knows). */
void tool_unit(const char *unit);
void tool_input(uint64_t bytes);

/* So many more units are done, the last of them with this number, and the input up to this byte with them. */
void tool_done(uint64_t n, uint64_t last, uint64_t position);

/* How many steps this thread has done in its piece of work; a smaller number than before begins anew. tool_steps_begin
 * begins a piece. */
void tool_steps(tool_step step, uint64_t so_far);
void tool_steps_begin(void);

/* The same of TOOL_STATES, as a callback of the library. */
void tool_states(void *nothing, uint64_t so_far);

/* The number of the last unit done, if there is one. */
bool tool_last_done(uint64_t *last);
const char *tool_unit_name(void);

/* A line of stderr, words of less than TOOL_LINE bytes and their LF; the progress line goes out of its way. Bytes that are no
 * text are shown as \xhh. */
enum { TOOL_LINE = 1500 };
void tool_line(const char *words);

/* For toolwatch: a line as SIGUSR1 asks for it; the line on the terminal, drawn anew or taken away. `late` programs leave
 * the terminal to others of their pipeline for a while: one program shows its progress on a terminal. */
void toolprogress_begin(const char *name, bool late);
void toolprogress_say(void);
void toolprogress_draw(void);
void toolprogress_clear(void);

#endif
