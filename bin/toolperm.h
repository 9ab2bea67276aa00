/* Reordering spaces on a command line: constraints, weights, lengths. */
#ifndef TOOLPERM_H
#define TOOLPERM_H

#include "tool.h"

extern tool_specs toolperm_con; /* -c */

/* What can be given, a line each: name with its values, tab, help. */
void toolperm_list_constraints(void);
void toolperm_list_weights(void);

#define TOOLPERM_CONSTRAINT \
    {.letter = 'c', .name = "constraint", .kind = TOOL_SPECS, .to = &toolperm_con, .metavar = "SPEC", \
     .list = toolperm_list_constraints, \
     .help = "a constraint, such as ibm:4; of several all must hold; without any, every order is allowed. -c list prints them all"}

/* Is it a number, and so a length? */
bool toolperm_is_length(const char *operand);

/* A length, or a range of lengths such as 1-40 (a single one is both ends). PF_EARG. */
pf_err toolperm_length(const char *text, unsigned *n);
pf_err toolperm_range(const char *text, unsigned *from, unsigned *to);

/* What is -c all together, for n positions. */
pf_err toolperm_space(unsigned n, pf_con **out);

#endif
