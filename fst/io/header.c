/* Headers and symbol tables, field by field: OpenFst's layout, all numbers little-endian, strings with their length
 * before them. No count is believed: what it announces is read entry by entry, so memory grows with what comes. */
#include <permfst/io/header.h>

#include "io/io_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROPERTIES = 0x3 /* expanded, mutable: all that a vector has by its nature */ };

const char *pfi_printable(const char *bytes, size_t length, char *out, size_t room) {
    size_t at = 0;
    for (size_t i = 0; i < length && at + 5 < room; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte >= ' ' && byte != 0x7f) out[at++] = (char)byte;
        else at += (size_t)snprintf(out + at, room - at, "\\x%02x", byte);
    }
    out[at] = 0;
    return out;
}

/* The next four bytes are a magic number: `what` it is of. */
static pf_err read_magic(pf_reader *reader, uint32_t magic, const char *what) {
    const unsigned char *at;
    size_t have;
    uint32_t found = 0;
    PF_TRY(pf_reader_peek(reader, 4, &at, &have));
    if (!have && !pf_reader_offset(reader))
        return pf_fail(PF_EINPUT, "%s is empty (did the command before it fail?)", pf_reader_name(reader));
    for (size_t i = 0; i < have; i++) found |= (uint32_t)at[i] << 8 * i;
    if (have == 4 && found == magic) return pf_reader_u32(reader, &found, what);
    char words[40] = "";
    for (size_t i = 0; i < have; i++) snprintf(words + 3 * i, 4, "%02x ", at[i]);
    if (have < 4) snprintf(words + 3 * have, 28, "%sthe end of the input", have ? "and " : "");
    else words[11] = 0;
    return pf_reader_fail(reader, "expected the magic number of %s (%02x %02x %02x %02x), found %s", what, magic & 0xff,
                          magic >> 8 & 0xff, magic >> 16 & 0xff, magic >> 24, words);
}

/* A short name into an array of `room` bytes. */
static pf_err read_name(pf_reader *reader, char *to, size_t room, const char *what) {
    char *name = NULL;
    PF_TRY(pf_reader_string(reader, &name, NULL, room - 1, what));
    memcpy(to, name, strlen(name) + 1);
    free(name);
    return PF_OK;
}

static pf_err read_i64(pf_reader *reader, int64_t *to, const char *what) {
    uint64_t bits;
    PF_TRY(pf_reader_u64(reader, &bits, what));
    memcpy(to, &bits, sizeof *to);
    return PF_OK;
}

pf_err pf_header_read(pf_reader *reader, pf_header *out) {
    char arc_type[sizeof out->fst_type], shown[4 * sizeof arc_type + 1];
    uint32_t version;
    PF_TRY(read_magic(reader, PF_FST_MAGIC, "an automaton"));
    PF_TRY(read_name(reader, out->fst_type, sizeof out->fst_type, "the name of an fst type"));
    PF_TRY(read_name(reader, arc_type, sizeof arc_type, "the name of an arc type"));
    if (!pf_arc_type_find(arc_type, &out->type))
        return pf_reader_fail(reader, "arc type '%s' is not known: only standard, log and log64 are",
                              pfi_printable(arc_type, strlen(arc_type), shown, sizeof shown));
    PF_TRY(pf_reader_u32(reader, &version, "the version"));
    memcpy(&out->version, &version, sizeof version);
    PF_TRY(pf_reader_u32(reader, &out->flags, "the flags"));
    PF_TRY(pf_reader_u64(reader, &out->properties, "the properties"));
    PF_TRY(read_i64(reader, &out->start, "the start state"));
    PF_TRY(read_i64(reader, &out->states, "the number of states"));
    return read_i64(reader, &out->arcs, "the number of arcs");
}

pf_err pf_header_write(pf_writer *writer, const pf_header *header) {
    const char *arc_type = pf_arc_type_name(header->type);
    PF_TRY(pf_writer_u32(writer, PF_FST_MAGIC));
    PF_TRY(pf_writer_string(writer, header->fst_type, strlen(header->fst_type)));
    PF_TRY(pf_writer_string(writer, arc_type, strlen(arc_type)));
    PF_TRY(pf_writer_u32(writer, (uint32_t)header->version));
    PF_TRY(pf_writer_u32(writer, header->flags));
    PF_TRY(pf_writer_u64(writer, header->properties | (strcmp(header->fst_type, "vector") == 0 ? PROPERTIES : 0)));
    PF_TRY(pf_writer_u64(writer, (uint64_t)header->start));
    PF_TRY(pf_writer_u64(writer, (uint64_t)header->states));
    return pf_writer_u64(writer, (uint64_t)header->arcs);
}

/* A table that is read. As long as it is the same as `like`, which may be NULL, nothing is made: then `table` is NULL, and the
 * first `same` symbols of `like` have come. */
typedef struct {
    const pf_symtab *like;
    char *title;
    size_t same;
    pf_symtab *table;
} symtab_input;

/* A table of its own, with what has come. */
static pf_err part_from(symtab_input *in) {
    if (in->table) return PF_OK;
    PF_TRY(pf_symtab_new(in->title, &in->table));
    for (size_t i = 0; i < in->same; i++) {
        size_t length;
        pf_label label;
        const char *symbol = pf_symtab_at(in->like, i, &length, &label);
        PF_TRY(pf_symtab_put(in->table, symbol, length, label));
    }
    return PF_OK;
}

static bool is_next_of(const symtab_input *in, const char *symbol, size_t length, pf_label label) {
    size_t n;
    pf_label there;
    if (in->table || in->same == pf_symtab_count(in->like)) return false;
    const char *next = pf_symtab_at(in->like, in->same, &n, &there);
    return n == length && there == label && memcmp(next, symbol, n) == 0;
}

static pf_err take_symbol(pf_reader *reader, symtab_input *in, const char *symbol, int64_t key) {
    char shown[101];
    size_t length = strlen(symbol);
    if (key < 0 || key > INT32_MAX)
        return pf_reader_fail(reader, "symbol '%s' has the label %" PRId64 ": expected 0 to %d",
                              pfi_printable(symbol, length, shown, sizeof shown), key, INT32_MAX);
    if (is_next_of(in, symbol, length, (pf_label)key)) return in->same++, PF_OK;
    PF_TRY(part_from(in));
    pf_err err = pf_symtab_put(in->table, symbol, length, (pf_label)key);
    return err == PF_EINPUT ? pf_reader_fail(reader, "%s", pf_message()) : err;
}

static pf_err read_symbol(pf_reader *reader, symtab_input *in) {
    char *symbol = NULL;
    int64_t key = 0;
    PF_TRY(pf_reader_string(reader, &symbol, NULL, PF_SYMBOL_LIMIT, "a symbol"));
    pf_err err = read_i64(reader, &key, "the label of a symbol");
    if (!err) err = take_symbol(reader, in, symbol, key);
    free(symbol);
    return err;
}

static pf_err read_symbols(pf_reader *reader, symtab_input *in) {
    int64_t free_key, count; /* the next free key is not needed */
    PF_TRY(pf_reader_string(reader, &in->title, NULL, PF_SYMBOL_LIMIT, "the name of a symbol table"));
    if (!in->like || strcmp(in->title, pf_symtab_title(in->like)) != 0) PF_TRY(part_from(in));
    PF_TRY(read_i64(reader, &free_key, "the next free label of a symbol table"));
    PF_TRY(read_i64(reader, &count, "the number of symbols"));
    if (count < 0) return pf_reader_fail(reader, "a symbol table says that it has %" PRId64 " symbols", count);
    for (int64_t i = 0; i < count; i++) PF_TRY(read_symbol(reader, in));
    return in->table || in->same == pf_symtab_count(in->like) ? PF_OK : part_from(in);
}

/* Like `like`, a reference to it where they are the same. */
static pf_err read_table(pf_reader *reader, pf_symtab *like, pf_symtab **out) {
    symtab_input in = {.like = like};
    *out = NULL;
    PF_TRY(read_magic(reader, PF_SYMTAB_MAGIC, "a symbol table"));
    pf_err err = read_symbols(reader, &in);
    free(in.title);
    if (err) pf_symtab_free(in.table);
    else *out = in.table ? in.table : pf_symtab_ref(like);
    return err;
}

pf_err pf_symtab_read(pf_reader *reader, pf_symtab **out) { return read_table(reader, NULL, out); }

pf_err pf_symtab_write(pf_writer *writer, const pf_symtab *table) {
    const char *title = pf_symtab_title(table);
    size_t count = pf_symtab_count(table);
    PF_TRY(pf_writer_u32(writer, PF_SYMTAB_MAGIC));
    PF_TRY(pf_writer_string(writer, title, strlen(title)));
    PF_TRY(pf_writer_u64(writer, count ? (uint64_t)pf_symtab_largest(table) + 1 : 0));
    PF_TRY(pf_writer_u64(writer, count));
    for (size_t i = 0; i < count; i++) {
        size_t n;
        pf_label label;
        const char *symbol = pf_symtab_at(table, i, &n, &label);
        PF_TRY(pf_writer_string(writer, symbol, n));
        PF_TRY(pf_writer_u64(writer, (uint64_t)label));
    }
    return PF_OK;
}

pf_err pfi_symtabs_check(const pf_reader *reader, uint32_t flags) {
    if (!(flags & PF_SAME_SYMS) || (flags & (PF_HAS_ISYMS | PF_HAS_OSYMS)) == PF_HAS_ISYMS) return PF_OK;
    return pf_reader_fail(reader, "the flags %#x say that both symbol tables are one, and that there is %s", flags,
                          flags & PF_HAS_ISYMS ? "another one" : "none");
}

pf_err pf_symtabs_read(pf_reader *reader, uint32_t flags, pf_symtab **isyms, pf_symtab **osyms) {
    *isyms = *osyms = NULL;
    PF_TRY(pfi_symtabs_check(reader, flags));
    if (flags & PF_HAS_ISYMS) PF_TRY(pf_symtab_read(reader, isyms));
    if (flags & PF_SAME_SYMS) *osyms = pf_symtab_ref(*isyms);
    pf_err err = flags & PF_HAS_OSYMS ? read_table(reader, *isyms, osyms) : PF_OK;
    if (!err) return PF_OK;
    pf_symtab_free(*isyms);
    *isyms = NULL;
    return err;
}

uint32_t pf_symtabs_flags(const pf_symtab *isyms, const pf_symtab *osyms, bool once) {
    if (once && isyms && isyms == osyms) return PF_HAS_ISYMS | PF_SAME_SYMS;
    return (isyms ? (uint32_t)PF_HAS_ISYMS : 0) | (osyms ? (uint32_t)PF_HAS_OSYMS : 0);
}

pf_err pf_symtabs_write(pf_writer *writer, uint32_t flags, const pf_symtab *isyms, const pf_symtab *osyms) {
    if (flags & PF_HAS_ISYMS) PF_TRY(pf_symtab_write(writer, isyms));
    return flags & PF_HAS_OSYMS ? pf_symtab_write(writer, osyms) : PF_OK;
}
