/* A thread beside the work of a process: it answers SIGUSR1, keeps the progress line, and ends the program on Ctrl-C between
 * two records.
 *
 * What is written for one record is written between tool_write_begin and tool_write_end, whole. On SIGINT the program ends as soon
 * as nobody is between the two: when what was gathered (toolgather.h) is flushed, with one line that says after which record,
 * without the temporary of -o, and by the signal itself. A second SIGINT ends it at once. A program that answers early asks
 * tool_interrupted in its work, and ends when the records that were in work are written.
 *
 * Signals belong to the process, so one call at a time is watched: that of tool_main. In a call that nobody watches these
 * functions do nothing. */
#ifndef TOOLWATCH_H
#define TOOLWATCH_H

#include "tool.h"

typedef struct tool_watch tool_watch;

/* What signals do before and without a watch: SIGUSR1 is no end, a closed pipe is a quiet one. */
void tool_watch_signals(void);

/* Begins and ends the watch of a call. */
void tool_watch_begin(tool_call *call);
void tool_watch_end(tool_call *call);

/* Ctrl-C was pressed: work that answers early gives what it has. As a callback of the library; `call` is a tool_call. */
bool tool_interrupted(void *call);
void tool_answer_early(tool_call *call); /* from now on */

/* A record is taken, in order: from now on it is in work until it is written. False, after SIGINT: it must not begin, for the
 * program ends when the records before it are written. */
bool tool_take(tool_call *call);

/* The record's results are written between these two, by one thread at a time. */
void tool_write_begin(tool_call *call);
void tool_write_end(tool_call *call);

/* From now on a writer gathers records, which are flushed before the program ends on SIGINT. NULL: there is none any more, and what
 * the last one has gathered is flushed. */
void tool_watch_writer(tool_call *call, pf_writer *writer);

/* Flushes what was gathered, after a flush by another thread; false: another thread is writing a record. An error stays with the
 * writer. */
bool tool_flush(tool_call *call);

/* The same where nobody may write for a long time, and hear of the error: it is said, and ends the program. */
bool tool_flush_or_end(tool_call *call);

/* Work that was cut short has nothing to write: after SIGINT, ends the program here; else does nothing. */
void tool_cut_short(tool_call *call);

/* Around the making of such a file: a signal that comes meanwhile ends the program as soon as the file is known. */
void tool_temporary_begin(tool_call *call);
void tool_temporary_end(tool_call *call);

/* One more file to remove where a signal ends the program; NULL: none any more. */
void tool_temporary(tool_call *call, const char *name);

/* A line of the third stream, words of less than TOOL_LINE bytes and their LF, after the records that were written before it; the
 * progress line goes out of its way. Bytes that are no text are shown as \xhh. */
enum { TOOL_LINE = 1500 };
void tool_line(tool_call *call, const char *words);

#endif
