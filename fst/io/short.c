/* Short forms, inside other records, of what takes many bytes in OpenFst's format: symbol tables, and chains, which are linear
 * automata with one arc from each state to the next, of which the last one alone is final: sentences.
 *
 *   table  title; number of symbols; flags; of each symbol its bytes and, where labels are not the numbers from 1 on, its label
 *   chain  number of arcs; flags; of each arc its input label, where any differs its output label, and where not all are 0 its
 *          weight; with weights, the final weight
 *
 * Numbers have 7 bits a byte, the lowest first; the highest bit says that there are more. A string is its length and its bytes.
 * Weights are floats. */
#include "io/io_impl.h"

#include <permfst/io/expr.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { WEIGHTED = 1, TRANSDUCER = 2 }; /* flags of a chain */
enum { LABELLED = 1 };                 /* flags of a table */

/* ---- numbers ---- */

static pf_err put_number(pf_writer *writer, uint32_t value) {
    unsigned char bytes[5];
    size_t n = 0;
    for (; value > 0x7f; value >>= 7) bytes[n++] = (unsigned char)(value | 0x80);
    bytes[n++] = (unsigned char)value;
    return pf_writer_put(writer, bytes, n);
}

/* Up to `limit`, which is below 2^31. */
static pf_err get_number(pf_reader *reader, uint32_t limit, const char *what, uint32_t *to) {
    uint64_t value = 0;
    unsigned char byte = 0x80;
    for (unsigned shift = 0; byte & 0x80 && shift < 35; shift += 7) {
        PF_TRY(pf_reader_get(reader, &byte, 1, what));
        value |= (uint64_t)(byte & 0x7f) << shift;
    }
    *to = (uint32_t)value;
    return !(byte & 0x80) && value <= limit ? PF_OK : pf_reader_fail(reader, "expected %s, at most %u, found more", what, limit);
}

static pf_err get_flags(pf_reader *reader, uint32_t known, const char *what, uint32_t *flags) {
    PF_TRY(get_number(reader, 0x7f, what, flags));
    return *flags & ~known ? pf_reader_fail(reader, "unknown flags %#x: expected %s", *flags, what) : PF_OK;
}

/* ---- symbol tables ---- */

static bool is_numbered(const pf_symtab *table) {
    for (size_t i = 0; i < pf_symtab_count(table); i++) {
        pf_label label;
        pf_symtab_at(table, i, NULL, &label);
        if ((size_t)label != i + 1) return false;
    }
    return true;
}

static pf_err put_text(pf_writer *writer, const char *text, size_t n) {
    PF_TRY(put_number(writer, (uint32_t)n));
    return pf_writer_put(writer, text, n);
}

static pf_err write_table(pf_writer *writer, const pf_symtab *table) {
    const char *title = pf_symtab_title(table);
    const bool numbered = is_numbered(table);
    PF_TRY(put_text(writer, title, strlen(title)));
    PF_TRY(put_number(writer, (uint32_t)pf_symtab_count(table)));
    PF_TRY(put_number(writer, numbered ? 0 : LABELLED));
    for (size_t i = 0; i < pf_symtab_count(table); i++) {
        size_t length;
        pf_label label;
        const char *symbol = pf_symtab_at(table, i, &length, &label);
        PF_TRY(put_text(writer, symbol, length));
        if (!numbered) PF_TRY(put_number(writer, (uint32_t)label));
    }
    return PF_OK;
}

typedef PF_VEC(char) short_text;

/* Reads a string, whose length is a claim, into the text, and ends it with a NUL. */
static pf_err get_text(pf_reader *reader, const char *what, short_text *text) {
    const unsigned char *at;
    uint32_t n;
    size_t have;
    text->n = 0;
    PF_TRY(get_number(reader, (uint32_t)PF_SYMBOL_LIMIT, what, &n));
    PF_TRY(pf_reader_peek(reader, n, &at, &have));
    if (have < n) return pf_reader_fail(reader, "expected %s (%u bytes), found the end of the input after %zu", what, n, have);
    if (memchr(at, 0, n)) return pf_reader_fail(reader, "expected %s, found a NUL byte inside it", what);
    PF_TRY(PF_ROOM(text, (size_t)n + 1));
    memcpy(text->at, at, n);
    text->at[n] = 0;
    text->n = n;
    return pf_reader_skip(reader, n);
}

static pf_err get_symbol(pf_reader *reader, bool labelled, short_text *text, pf_symtab *table) {
    uint32_t label = (uint32_t)pf_symtab_count(table) + 1;
    PF_TRY(get_text(reader, "a symbol", text));
    if (labelled) PF_TRY(get_number(reader, INT32_MAX, "the label of a symbol", &label));
    pf_err err = pf_symtab_put(table, text->at, text->n, (pf_label)label);
    return err == PF_EINPUT ? pf_reader_fail(reader, "%s", pf_message()) : err;
}

static pf_err get_symbols(pf_reader *reader, short_text *text, pf_symtab *table) {
    uint32_t count, flags;
    PF_TRY(get_number(reader, INT32_MAX - 1, "the number of symbols", &count));
    PF_TRY(get_flags(reader, LABELLED, "the flags of a symbol table", &flags));
    for (uint32_t i = 0; i < count; i++) PF_TRY(get_symbol(reader, flags & LABELLED, text, table));
    return PF_OK;
}

static pf_err read_table(pf_reader *reader, pf_symtab **out) {
    short_text text = {0};
    *out = NULL;
    pf_err err = get_text(reader, "the name of a symbol table", &text);
    if (!err) err = pf_symtab_new(text.at, out);
    if (!err) err = get_symbols(reader, &text, *out);
    PF_VEC_FREE(&text);
    if (!err) return PF_OK;
    pf_symtab_free(*out);
    *out = NULL;
    return err;
}

pf_err pfi_short_tables_write(pf_writer *writer, uint32_t flags, const pf_symtab *isyms, const pf_symtab *osyms) {
    if (flags & PF_HAS_ISYMS) PF_TRY(write_table(writer, isyms));
    return flags & PF_HAS_OSYMS ? write_table(writer, osyms) : PF_OK;
}

static bool is_same(const pf_symtab *table, const pf_symtab *other) {
    const size_t n = pf_symtab_count(table);
    if (n != pf_symtab_count(other) || strcmp(pf_symtab_title(table), pf_symtab_title(other)) != 0) return false;
    for (size_t i = 0; i < n; i++) {
        size_t length, other_length;
        pf_label label, other_label;
        const char *symbol = pf_symtab_at(table, i, &length, &label);
        const char *other_symbol = pf_symtab_at(other, i, &other_length, &other_label);
        if (label != other_label || length != other_length || memcmp(symbol, other_symbol, length) != 0) return false;
    }
    return true;
}

/* Tables that are the same become one. */
static void join_tables(pf_symtab *isyms, pf_symtab **osyms) {
    if (!isyms || !*osyms || isyms == *osyms || !is_same(isyms, *osyms)) return;
    pf_symtab_free(*osyms);
    *osyms = pf_symtab_ref(isyms);
}

pf_err pfi_short_tables_read(pf_reader *reader, uint32_t flags, pf_symtab **isyms, pf_symtab **osyms) {
    *isyms = *osyms = NULL;
    PF_TRY(pfi_symtabs_check(reader, flags));
    if (flags & PF_HAS_ISYMS) PF_TRY(read_table(reader, isyms));
    if (flags & PF_SAME_SYMS) *osyms = pf_symtab_ref(*isyms);
    pf_err err = flags & PF_HAS_OSYMS ? read_table(reader, osyms) : PF_OK;
    join_tables(*isyms, osyms);
    if (!err) return PF_OK;
    pf_symtab_free(*isyms);
    *isyms = NULL;
    return err;
}

/* ---- chains ---- */

bool pfi_chain_is(pf_fst *fst) {
    const pf_state states = pf_fst_states(fst);
    if (fst->type != PF_STANDARD || !states || fst->start != 0) return false;
    for (pf_state state = 0; state < states; state++) {
        const pf_arcs arcs = pf_fst_arcs(fst, state);
        const bool last = state + 1 == states, is_final = pf_fst_final(fst, state) != INFINITY;
        if (is_final != last || arcs.n != !last || (arcs.n && arcs.arc[0].to != state + 1)) return false;
    }
    return true;
}

/* The bits of a weight come back, also those of a negative zero. */
static bool is_zero(float weight) { return weight == 0 && !signbit(weight); }

static uint32_t flags_of(pf_fst *fst) {
    const pf_state last = pf_fst_states(fst) - 1;
    uint32_t flags = is_zero(pf_fst_final(fst, last)) ? 0 : WEIGHTED;
    for (pf_state state = 0; state < last; state++) {
        const pf_arc *arc = pf_fst_arcs(fst, state).arc;
        flags |= (is_zero(arc->w) ? 0u : WEIGHTED) | (arc->in != arc->out ? TRANSDUCER : 0u);
    }
    return flags;
}

pf_err pfi_chain_write(pf_writer *writer, pf_fst *fst, uint64_t properties) {
    const pf_state last = pf_fst_states(fst) - 1;
    const uint32_t flags = flags_of(fst);
    pf_header header = {.fst_type = PFI_CHAIN, .type = PF_STANDARD, .version = PF_FORMAT_VERSION, .start = -1};
    header.properties = properties;
    header.flags = pf_symtabs_flags(fst->isyms, fst->osyms, true);
    PF_TRY(pf_header_write(writer, &header));
    PF_TRY(pfi_short_tables_write(writer, header.flags, fst->isyms, fst->osyms));
    PF_TRY(put_number(writer, last));
    PF_TRY(put_number(writer, flags));
    for (pf_state state = 0; state < last; state++) {
        const pf_arc *arc = pf_fst_arcs(fst, state).arc;
        PF_TRY(put_number(writer, (uint32_t)arc->in));
        if (flags & TRANSDUCER) PF_TRY(put_number(writer, (uint32_t)arc->out));
        if (flags & WEIGHTED) PF_TRY(pf_writer_f32(writer, arc->w));
    }
    return flags & WEIGHTED ? pf_writer_f32(writer, pf_fst_final(fst, last)) : PF_OK;
}

static pf_err get_weight(pf_reader *reader, const char *what, float *weight) {
    PF_TRY(pf_reader_f32(reader, weight, what));
    return *weight >= -FLT_MAX ? PF_OK : pf_reader_fail(reader, "%s is not a cost (NaN, -Infinity or out of range)", what);
}

static pf_err read_arc(pf_reader *reader, uint32_t flags, pf_fst *fst, pf_state state) {
    uint32_t in, out;
    pf_arc arc = {.to = state + 1};
    PF_TRY(get_number(reader, INT32_MAX, "an input label", &in));
    out = in;
    if (flags & TRANSDUCER) PF_TRY(get_number(reader, INT32_MAX, "an output label", &out));
    if (flags & WEIGHTED) PF_TRY(get_weight(reader, "the weight of an arc", &arc.w));
    arc.in = (pf_label)in;
    arc.out = (pf_label)out;
    fst->emit.arcs.n = 0;
    PF_TRY(PF_PUSH(&fst->emit.arcs, arc));
    PF_TRY(PF_PUSH(&fst->state, ((pf_fst_record){NULL, 1, INFINITY})));
    return pfi_fst_place(fst, state);
}

static pf_err read_arcs(pf_reader *reader, pf_fst *fst) {
    uint32_t arcs, flags;
    float final = 0;
    PF_TRY(get_number(reader, INT32_MAX - 1, "the number of arcs of a chain", &arcs));
    PF_TRY(get_flags(reader, WEIGHTED | TRANSDUCER, "the flags of a chain", &flags));
    for (pf_state state = 0; state < arcs; state++) PF_TRY(read_arc(reader, flags, fst, state));
    if (flags & WEIGHTED) PF_TRY(get_weight(reader, "the final weight of a chain", &final));
    if (final == INFINITY) return pf_reader_fail(reader, "the final weight of a chain is infinite");
    PF_TRY(PF_PUSH(&fst->state, ((pf_fst_record){NULL, 0, final})));
    fst->emit.arcs.n = 0;
    fst->start = 0;
    return pfi_fst_place(fst, arcs);
}

pf_err pfi_chain_read(pf_reader *reader, const pf_header *header, pf_fst **out) {
    pf_symtab *isyms, *osyms;
    *out = NULL;
    if (header->type != PF_STANDARD) return pf_reader_fail(reader, "expected a chain of standard arcs, found another arc type");
    PF_TRY(pfi_short_tables_read(reader, header->flags, &isyms, &osyms));
    pf_err err = pf_fst_new(PF_STANDARD, NULL, NULL, out);
    if (!err) err = read_arcs(reader, *out);
    if (!err) {
        PF_VEC_FREE(&(*out)->emit.arcs);
        pf_fst_set_symbols(*out, isyms, osyms);
    } else {
        pf_fst_free(*out);
        *out = NULL;
    }
    pf_symtab_free(isyms);
    pf_symtab_free(osyms);
    return err;
}
