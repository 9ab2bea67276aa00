/* Private to the readers and writers of io: what several of them share. */
#ifndef PF_IO_IO_IMPL_H
#define PF_IO_IO_IMPL_H

#include <permfst/io/bin.h>
#include <permfst/io/expr.h>

/* Makes the arcs in fst->emit those of `state`, whose record is there. PF_ENOMEM. */
pf_err pfi_fst_place(pf_fst *fst, pf_state state);

/* Bytes as words of a message: control characters as \xNN, cut to `room`. Returns `out`. */
const char *pfi_printable(const char *bytes, size_t length, char *out, size_t room);

/* The length in bytes of the UTF-8 character that n > 0 bytes begin with; 0 if they begin with none that XML may have. */
size_t pfi_xml_char(const char *text, size_t length);

/* A weight as text: the fewest of 6 to 9 digits that read back to the same float, or "Infinity". Returns its length. */
enum { PFI_WEIGHT_BYTES = 32 };
size_t pfi_weight_text(float weight, char *to);

/* A weight from text: a number within the floats, or infinity by name; not NaN. */
bool pfi_weight_parse(const char *text, float *weight);

/* pf_bin_write with more property bits in the header. `inside` another record, where OpenFst does not look, it may be smaller. */
pf_err pfi_bin_write_as(pf_writer *writer, pf_fst *fst, uint64_t properties, bool inside);

/* Do the flags of a header agree about symbol tables? PF_EINPUT. */
pf_err pfi_symtabs_check(const pf_reader *reader, uint32_t flags);

/* As pf_symtabs_write and pf_symtabs_read, in the short form (short.c). */
pf_err pfi_short_tables_write(pf_writer *writer, uint32_t flags, const pf_symtab *isyms, const pf_symtab *osyms);
pf_err pfi_short_tables_read(pf_reader *reader, uint32_t flags, pf_symtab **isyms, pf_symtab **osyms);

/* Is a machine whose states are all done a chain? It is written with its header, and read after it. */
#define PFI_CHAIN "chain"
bool pfi_chain_is(pf_fst *fst);
pf_err pfi_chain_write(pf_writer *writer, pf_fst *fst, uint64_t properties);
pf_err pfi_chain_read(pf_reader *reader, const pf_header *header, pf_fst **out);

/* Writes the automaton of an expression, and its name after it: inside another record, or, with the bit that announces one, before
 * a seal. */
pf_err pfi_fst_record_write(pf_writer *writer, const pf_expr *expr, bool sealed);

/* Is it the header of a lazy record of this version? PF_EINPUT: its type or its version is another. */
pf_err pfi_lazy_header_check(const pf_reader *reader, const pf_header *header);

#endif
