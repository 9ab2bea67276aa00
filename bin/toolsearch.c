/* The clock of a search is read where the library asks whether the time is over. */
#include "toolsearch.h"

#include "toolprogress.h"
#include "toolwatch.h"

#include <assert.h>
#include <float.h>
#include <unistd.h>

tool_clock tool_clock_begin(tool_call *call, double seconds) { return (tool_clock){call, tool_now(), seconds}; }

bool tool_clock_expired(void *self) {
    const tool_clock *clock = self;
    return tool_interrupted(clock->call) || (clock->seconds >= 0 && tool_now() - clock->began > clock->seconds);
}

void tool_clock_states(void *clock, uint64_t states) { tool_states(((const tool_clock *)clock)->call, states); }

void tool_clock_again(void *clock) { ((tool_clock *)clock)->began = tool_now(); }

double tool_clock_worked(void *clock PF_UNUSED) { return tool_seconds(CLOCK_THREAD_CPUTIME_ID); }

uint64_t tool_bytes(uint64_t mebibytes, uint64_t jobs) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    assert(jobs > 0 && mebibytes <= UINT64_MAX >> 20);
    if (mebibytes) return mebibytes << 20;
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 / jobs : 0;
}

double tool_threshold(double given) { return given == 0 ? DBL_TRUE_MIN : given; }
