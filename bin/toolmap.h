/* Programs that work on many records, lines or other pieces: the library's workers with --jobs and --keep-going, Ctrl-C between two
 * pieces, progress, and the output. */
#ifndef TOOLMAP_H
#define TOOLMAP_H

#include "toolfst.h"

/* ---- records: permfst/ops/records.h, whose `call` is the tool_call ---- */

/* All records of the operands (none: standard input). */
pf_err toolmap_read(tool_call *call, int count, const char *const *operands, const pf_record_steps *steps, void *self);

/* The same to records: what the steps make of a record goes to -o. finish() is called before that, and may still make r->out; it
 * may be NULL. Where there is no r->out, an automaton without states stands for it. After the last record `end` (NULL: nothing) is
 * called, and then the output is complete. */
pf_err toolmap_records(tool_call *call, int count, const char *const *operands, const pf_record_steps *steps, void *self,
                       pf_err (*end)(void *self));

/* The same to text, of all operands of the call: r->text, or `stand_in` for a record that failed. The heading of a table comes
 * first; NULL: there is none. So it is in what follows. */
pf_err toolmap_text(tool_call *call, const pf_record_steps *steps, void *self, const char *stand_in, const pf_table *heading);

/* ---- lines to text: permfst/base/lines.h ---- */

/* All lines of the files (none: standard input), to -o. */
pf_err toolmap_lines(tool_call *call, int count, const char *const *files, const pf_line_steps *steps, void *self,
                     const pf_table *heading);

/* ---- numbers to text ---- */

/* So many numbers, a piece of work. */
typedef struct {
    uint64_t first, n;
    pf_writer *text; /* a memory writer, for work() */
} tool_piece;

/* All numbers from `first` to `last`, at most `most` of them in a piece, to -o. A piece of which work() fails prints nothing. */
pf_err toolmap_numbers(tool_call *call, uint64_t first, uint64_t last, uint64_t most, pf_err (*work)(void *self, tool_piece *piece),
                       void *self, const pf_table *heading);

/* ---- other pieces ---- */

/* What a call does around the pieces of the library's workers. */
pf_workers_hooks tool_hooks(tool_call *call);

/* Workers of the call's --jobs: pf_workers_new. */
pf_err tool_workers(tool_call *call, const pf_workers_steps *steps, void *self, pf_workers **out);

/* What to do about the error of a piece: with --keep-going it is reported, tool_failed, and the result is PF_OK. Where the system
 * refuses or memory is out, it is the end. */
pf_err tool_skip(tool_call *call, pf_err err);

/* From now on the call goes on as with --keep-going, but what fails is no trouble: *skipped becomes true. It outlives the
 * reading. */
void tool_go_on(tool_call *call, bool *skipped);

/* From now on records may also be read from text: each line of it is a sentence. */
void tool_take_sentences(tool_call *call);

#endif
