/* Reordering spaces on a command line: constraints, weights, lengths. */
#ifndef TOOLPERM_H
#define TOOLPERM_H

#include "tool.h"

/* What can be given, a line each: name with its values, tab, help. */
pf_err toolperm_list_constraints(pf_writer *to);
pf_err toolperm_list_weights(pf_writer *to);

/* The row of -c, a tool_specs of a program's options. */
#define TOOLPERM_CONSTRAINT(AT) \
    {.letter = 'c', .name = "constraint", .kind = TOOL_SPECS, .at = AT, .metavar = "SPEC", .list = toolperm_list_constraints, \
     .help = "a constraint, such as ibm:4; an order must satisfy all that are given; without any, every order is allowed. " \
             "-c list prints them all"}

/* Is it a number, and so a length? */
bool toolperm_is_length(const char *operand);

/* A length, or a range of lengths such as 1-40 (a single one is both ends). PF_EARG. */
pf_err toolperm_length(const char *text, unsigned *n);
pf_err toolperm_range(const char *text, unsigned *from, unsigned *to);

#endif
