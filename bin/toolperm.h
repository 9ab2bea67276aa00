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
     .help = "allow only what SPEC allows, such as ibm:4 (-c list: names)"}

/* A length, or a range of lengths such as 1-40 (a single one is both ends). PF_EARG. */
pf_err toolperm_length(const char *text, unsigned *length);
pf_err toolperm_range(const char *text, unsigned *from, unsigned *to);

#endif
