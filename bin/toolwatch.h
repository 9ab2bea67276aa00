/* A thread beside the work: it answers SIGUSR1, keeps the progress line, and ends the program on Ctrl-C between two records.
 *
 * What is written for one record is written between tool_write_begin and tool_write_end, whole and flushed. On SIGINT the
 * program ends as soon as nobody is between the two: with one line that says after which record, without the temporary of
 * -o, and by the signal itself. A second SIGINT ends it at once. A program that answers early asks tool_interrupted in its
 * work, and ends when the records that were in work are written. */
#ifndef TOOLWATCH_H
#define TOOLWATCH_H

#include <stdbool.h>

/* Begins and ends the watch. A program that is `late` leaves the terminal to others; one that is `quiet` shows no progress
 * there. */
void toolwatch_begin(const char *name, bool late, bool quiet);
void toolwatch_end(void);

/* What signals do before and without a watch: SIGUSR1 is no end, a closed pipe is a quiet one. */
void toolwatch_signals(void);

/* Ctrl-C was pressed: work that answers early gives what it has. */
bool tool_interrupted(void);
void tool_answer_early(void); /* from now on */

/* A record's work begins; it does not return where no more may begin. */
void tool_work_begin(void);

/* The record's results are written between these two, by one thread at a time. */
void tool_write_begin(void);
void tool_write_end(void);

/* Work that was cut short has nothing to write: after SIGINT, ends the program here; else does nothing. */
void tool_cut_short(void);

/* One more file to remove where a signal ends the program; NULL: none any more. */
void tool_temporary(const char *name);

#endif
