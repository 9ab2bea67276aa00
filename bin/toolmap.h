/* Programs that work on many records, lines or other pieces: the library's workers with --jobs and --keep-going, Ctrl-C between two
 * pieces, and progress. */
#ifndef TOOLMAP_H
#define TOOLMAP_H

#include "toolfst.h"

/* ---- records: permfst/ops/records.h, whose `call` is the tool_call ---- */

/* All records of the operands (none: standard input). *failed: --keep-going has left some out. */
pf_err toolmap_read(tool_call *call, int n, char *const *operands, const pf_record_steps *steps, void *self, bool *failed);

/* ---- lines: permfst/base/lines.h ---- */

/* All lines of the files (none: standard input). *failed as above. */
pf_err toollines_read(tool_call *call, int n, char *const *files, const pf_line_steps *steps, void *self, pf_writer *out,
                      bool *failed);

/* ---- other pieces ---- */

/* Workers of the call's --jobs: pf_workers_new. */
pf_err tool_workers(tool_call *call, const pf_workers_steps *steps, void *self, pf_workers **out);

/* What to do about the error of a piece: with --keep-going it is reported, *failed says so, and the result is PF_OK. Where
 * the system refuses or memory is out, it is the end. */
pf_err tool_skip(tool_call *call, pf_err err, bool *failed);

#endif
