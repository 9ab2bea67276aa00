/* A search of a call: for how long it goes on, and the memory it may take. */
#ifndef TOOLSEARCH_H
#define TOOLSEARCH_H

#include "tool.h"

/* A search at work: when it began, and for how many seconds it may go on (negative: for ever). */
typedef struct {
    tool_call *call;
    double began, seconds;
} tool_clock;

tool_clock tool_clock_begin(tool_call *call, double seconds);

/* For the options of a search, whose `self` is a tool_clock: the time is over, or Ctrl-C was pressed; states are counted. */
bool tool_clock_expired(void *clock);
void tool_clock_states(void *clock, uint64_t states);

/* For a table of searches: the next one begins; and the seconds of CPU that the thread has taken. */
void tool_clock_again(void *clock);
double tool_clock_worked(void *clock);

/* The bytes that the search of one record may take, where `jobs` of them search at the same time: so many MiB, or, if 0 are given,
 * half of the memory of the machine, divided by them. */
uint64_t tool_bytes(uint64_t mebibytes, uint64_t jobs);

/* A threshold as an option for the library, where 0 is none: what costs as much as the best is kept. */
double tool_threshold(double given);

enum { TOOL_MOVES_BYTES = 1 << 28 }; /* of tables of moves, for records that have the same space and length */

#endif
