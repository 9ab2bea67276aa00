/* Describing: what a record is, and how large it is or will be. The verb of perminfo. A record is O(its description). */
#ifndef PF_VERBS_DESCRIBE_H
#define PF_VERBS_DESCRIBE_H

#include <permfst/base/table.h>
#include <permfst/io/expr.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *prefix;  /* put before each line; NULL: nothing */
    const pf_table *table; /* pf_describe_columns: lines of it, and no prefix; NULL: "key TAB value" */
    uint64_t record;     /* its number, for the table */
    bool no_checksum;    /* the record has come without one, and that is said */
    bool count;          /* lazy automata are expanded, and their states, arcs and paths are counted */
    uint64_t max_states; /* the most states that are counted in one automaton; 0: no limit */
    void (*progress)(void *self, uint64_t states); /* called now and then with the states expanded so far; may be NULL */
    void *self;
} pf_describe_options;

/* The columns record, key and value. */
pf_table pf_describe_columns(pf_table_format format);

/* Writes the facts of a record in lines "key TAB value", which perminfo(1) explains: the kind, what is known without expanding,
 * and then what was counted. An ordinary automaton is always counted. Several threads may describe the same expression. PF_EINPUT,
 * PF_EARG as pf_open; PF_ELIMIT: max_states. */
pf_err pf_expr_describe(pf_expr *expr, const pf_describe_options *options, pf_writer *lines);

#ifdef __cplusplus
}
#endif
#endif
