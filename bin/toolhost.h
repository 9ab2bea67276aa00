/* A session of permsh and the system around it: programs, commands, clocks and the terminal. */
#ifndef TOOLHOST_H
#define TOOLHOST_H

#include "toolfst.h"

typedef struct {
    tool_call *call;
    bool people; /* at a terminal: there Ctrl-C ends what the session runs, and not the session */
} tool_host;

/* What pf_shell_new wants; borrows the host. */
pf_shell_host tool_shell_host(tool_host *host);

/* Does the lines that are typed, until the session has ended. What fails is said, and the session goes on. `history`: lines are
 * kept in $XDG_STATE_HOME/permfst/history. */
pf_err tool_converse(tool_call *call, pf_shell *shell, bool history);

#endif
