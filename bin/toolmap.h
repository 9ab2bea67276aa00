/* Programs that work record by record: what toolring does, with records as the pieces. */
#ifndef TOOLMAP_H
#define TOOLMAP_H

#include "toolfst.h"
#include "toolring.h"

typedef struct {
    tool_call *call;
    pf_expr *in, *out;
    pf_opened *opened; /* `in`, by toolmap_open */
    pf_writer *text; /* what is to be printed for the record; a memory writer, where the steps say `text` */
    uint64_t record;
    bool failed;     /* out is NULL and text empty; --keep-going was given */
    void *own;       /* what prepare() or work() like to keep */
} toolmap_record;

typedef struct {
    /* In order, by the thread that reads: reads what goes with it. May be NULL. */
    pf_err (*prepare)(void *self, toolmap_record *r);
    /* By any thread, makes r->out or r->text: must not write, and change nothing but what is its record's own. */
    pf_err (*work)(void *self, toolmap_record *r);
    /* In order, by one thread at a time: writes, and flushes. Also of a record that failed: writes what stands for it. */
    pf_err (*finish)(void *self, toolmap_record *r);
    void (*drop)(void *own); /* ends r->own, unless it is NULL. May be NULL */
    bool text;
} toolmap_steps;

/* All records of the operands, at most 4 N of them in memory. Errors name the record, and end it; with --keep-going those of
 * prepare and work are reported, and *failed says that there were some. */
pf_err toolmap_read(tool_call *call, int n, char *const *operands, const toolmap_steps *steps, void *self, bool *failed);

/* The automaton of r->in, opened when first asked for; the states that are expanded are counted. */
pf_err toolmap_open(toolmap_record *r, pf_fst **out);

/* finish(): r->text, or `stand_in` for a record that failed. */
pf_err toolmap_put_text(pf_writer *writer, const toolmap_record *r, const char *stand_in);

#endif
