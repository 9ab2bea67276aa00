/* Checking answers against the automata that they answer: permshortest --verify. */
#ifndef TOOLVERIFY_H
#define TOOLVERIFY_H

#include "tool.h"

/* Every path of every answer in the file must be a path of the automaton with the same number among the operands, at the cost
 * that the answer says; what is not is reported. Returns the exit status. */
int toolverify_run(tool_call *call, const char *answers, int n, char *const *operands);

#endif
