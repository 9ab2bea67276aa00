/* The header of every binary record: that of OpenFst, for ordinary machines and for lazy ones. Each call is O(bytes). */
#ifndef PF_IO_HEADER_H
#define PF_IO_HEADER_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_FST_MAGIC 2125659606u
#define PF_SYMTAB_MAGIC 2125658996u
#define PF_FORMAT_VERSION 6 /* of frames and of the lazy records perm, compose, model, define, best */

/* PF_SAME_SYMS, in records inside others and in answers only: the input table, which is there, is the output table, too. */
enum { PF_HAS_ISYMS = 1, PF_HAS_OSYMS = 2, PF_ALIGNED = 4, PF_SAME_SYMS = 8 };

/* Property bits that OpenFst leaves free, and whose programs neither mind them nor pass them on: a seal follows the automaton; a
 * string follows it (before the seal), the name of the record. */
#define PF_SEALED (UINT64_C(1) << 62)
#define PF_NAMED (UINT64_C(1) << 61)

typedef struct {
    char fst_type[32];
    pf_arc_type type;
    int32_t version;
    uint32_t flags;
    uint64_t properties;
    int64_t start, states, arcs;
} pf_header;

/* Reads a header, the magic number included (pf_reader_offset before the call is where it begins). The arc type is known
 * after this; the fst type, version and counts are for the record's own reader to check. PF_EINPUT. */
pf_err pf_header_read(pf_reader *reader, pf_header *out);

/* The stored properties are those given, and 0x3 (expanded, mutable) for a vector. Errors of the writer. */
pf_err pf_header_write(pf_writer *writer, const pf_header *header);

/* OpenFst binary symbol tables. *out belongs to the caller. PF_EINPUT with the byte: a label that is not in 0..2^31-1, a symbol or
 * a label that comes twice with another partner, or something that is not a table; PF_ENOMEM. Writing: errors of the writer. */
pf_err pf_symtab_read(pf_reader *reader, pf_symtab **out);
pf_err pf_symtab_write(pf_writer *writer, const pf_symtab *table);

/* The tables that `flags` announce; *isyms and *osyms are NULL where there is none, else a reference of the caller's each: to one
 * table, where both are the same. Errors as pf_symtab_read; both are NULL then. */
pf_err pf_symtabs_read(pf_reader *reader, uint32_t flags, pf_symtab **isyms, pf_symtab **osyms);

/* The flags of two tables, each of which may be NULL; with `once`, a table that is both is written once. And the tables that such
 * flags announce. Errors of the writer. */
uint32_t pf_symtabs_flags(const pf_symtab *isyms, const pf_symtab *osyms, bool once);
pf_err pf_symtabs_write(pf_writer *writer, uint32_t flags, const pf_symtab *isyms, const pf_symtab *osyms);

#ifdef __cplusplus
}
#endif
#endif
