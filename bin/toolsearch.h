/* A search of a call: for how long it goes on, and what ended it. */
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

/* What has stopped a search: "Ctrl-C", "the end of memory" or "a limit". */
const char *tool_stop(const tool_call *call, const pf_answer *answer);

#endif
