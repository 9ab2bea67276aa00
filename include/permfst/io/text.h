/* AT&T text, as fstcompile and fstprint have it, and symbol table files.
 *
 * Columns: src dst in [out] [weight], or state [weight] for a final state; the first source is the start state. Their
 * limits are gone: lines have any length, a number that does not fit is an error, and every error names file and line. Each call
 * is O(bytes). */
#ifndef PF_IO_TEXT_H
#define PF_IO_TEXT_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_arc_type type;
    pf_symtab *isyms, *osyms;  /* borrowed; NULL: labels are numbers */
    bool acceptor;             /* one label a line */
    bool keep_numbering;       /* state ids as they are, gaps not final; else in order of first appearance */
    bool many;                 /* several machines, each ended by a blank line or the end of the input */
} pf_text_options;

/* A symbol table file: "symbol TAB number" lines, blank ones skipped; the table is named for the file, without folders.
 * *out belongs to the caller. PF_EINPUT with file and line. */
pf_err pf_symtab_read_text(pf_reader *reader, pf_symtab **out);

/* Reads a machine; the tables, where given, become its own. Without `many` it is all that is left of the input, blank
 * lines are skipped, and nothing at all is the machine without states, as for fstcompile. With `many` each blank line
 * ends a machine (right after another it is one without states), and *out = NULL when nothing is left. A final state
 * named twice has the last weight. *out belongs to the caller. PF_EINPUT with file and line. */
pf_err pf_text_read(pf_reader *reader, const pf_text_options *options, pf_fst **out);

/* Writes a machine, expanded whole, the start state first; labels go through its own tables (a label without a symbol,
 * or a symbol with white space, is PF_EINPUT), or are numbers with `numeric`. An `acceptor` has one label a line; an
 * arc with two is PF_EINPUT. Weights have the fewest digits that read back exactly; 0 is left out. No blank line is
 * written. */
pf_err pf_text_write(pf_writer *writer, pf_fst *fst, bool acceptor, bool numeric);

#ifdef __cplusplus
}
#endif
#endif
