/* Ordinary automata in OpenFst's binary format.
 *
 * A vector is a list of states, each followed by its arcs; a const is all states and then all arcs, with padding where
 * its writer wanted to map it into memory. Both are read once, front to back, in O(states + arcs): a count is a promise
 * that the next bytes must keep, and memory grows with the bytes. */
#include <permfst/io/bin.h>

#include "base/contract.h"
#include "io/io_impl.h"
#include "machine/fst_check.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 256 /* arcs decoded at a time */, MAX_ARC = 24, ALIGN = 16 };

typedef struct {
    pf_reader *reader;
    const pf_header *header;
    pf_fst *fst;
    bool wide;           /* weights are doubles */
    size_t arc_bytes;
    pf_state states;     /* arcs must go below this */
    pf_state far, from;  /* the largest state that an arc leads to so far, and the state of that arc */
    unsigned char raw[CHUNK * MAX_ARC];
} bin_input;

static uint32_t load32(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}
static uint64_t load64(const unsigned char *bytes) { return load32(bytes) | (uint64_t)load32(bytes + 4) << 32; }

static void store32(unsigned char *bytes, uint32_t value) {
    for (unsigned i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

/* A weight as it is in the file; false for one that is not a cost: NaN, -Infinity, or a double no float comes near. */
static bool load_weight(const bin_input *in, const unsigned char *bytes, float *weight) {
    if (in->wide) {
        uint64_t bits = load64(bytes);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value != (double)INFINITY && !(value >= -(double)FLT_MAX && value <= (double)FLT_MAX)) return false;
        *weight = (float)value;
        return true;
    }
    uint32_t bits = load32(bytes);
    memcpy(weight, &bits, sizeof *weight);
    return *weight >= -FLT_MAX; /* false for NaN as well */
}

static pf_err bad_arc(const bin_input *in, pf_state state, const pf_arc *arc, bool weight) {
    if (!weight)
        return pf_reader_fail(in->reader, "state %u has an arc whose weight is not a cost (NaN, -Infinity or out of range)",
                              state);
    if (arc->in < 0 || arc->out < 0)
        return pf_reader_fail(in->reader, "state %u has an arc with the negative label %d", state,
                              arc->in < 0 ? arc->in : arc->out);
    if (in->header->states < 0) return pf_reader_fail(in->reader, "state %u has an arc to state %d", state, (int)arc->to);
    return pf_reader_fail(in->reader, "state %u has an arc to state %d, but there are %u states", state, (int)arc->to,
                          in->states);
}

/* k arcs from in->raw into the machine's scratch list. */
static pf_err decode(bin_input *in, pf_state state, size_t k) {
    pf_emit *emit = &in->fst->emit;
    PF_TRY(PF_ROOM(&emit->arcs, k));
    pf_arc *arc = emit->arcs.at + emit->arcs.n;
    const unsigned char *bytes = in->raw;
    for (size_t i = 0; i < k; i++, arc++, bytes += in->arc_bytes) {
        arc->in = (pf_label)load32(bytes);
        arc->out = (pf_label)load32(bytes + 4);
        bool weight = load_weight(in, bytes + 8, &arc->w);
        arc->to = load32(bytes + (in->wide ? 16 : 12));
        if (!weight || arc->in < 0 || arc->out < 0 || arc->to >= in->states) return bad_arc(in, state, arc, weight);
        if (arc->to > in->far) {
            in->far = arc->to;
            in->from = state;
        }
    }
    emit->arcs.n += k;
    return PF_OK;
}

pf_err pfi_fst_place(pf_fst *fst, pf_state state) {
    size_t arcs = fst->emit.arcs.n;
    if (arcs >= PF_NOT_DONE) return pf_fail(PF_ELIMIT, "state %u has too many arcs: %zu", state, arcs);
    pf_arc *arc = arcs ? pf_arena_get(&fst->arcs, arcs * sizeof *arc) : NULL;
    if (arcs && !arc) return pf_nomem();
    if (arcs) memcpy(arc, fst->emit.arcs.at, arcs * sizeof *arc);
    fst->state.at[state].arc = arc;
    fst->state.at[state].n = (uint32_t)arcs;
    fst->expanded++;
    fst->narcs += arcs;
    return PF_OK;
}

/* The `count` arcs of `state`, whose record is there. */
static pf_err read_arcs(bin_input *in, pf_state state, uint64_t count) {
    pf_fst *fst = in->fst;
    fst->emit.arcs.n = 0;
    for (uint64_t left = count; left;) {
        size_t k = left < CHUNK ? (size_t)left : CHUNK, got;
        PF_TRY(pf_reader_some(in->reader, in->raw, k * in->arc_bytes, &got));
        if (got < k * in->arc_bytes)
            return pf_reader_fail(in->reader, "state %u: expected %" PRIu64 " arcs, found the end of the input after %"
                                  PRIu64, state, count, count - left + got / in->arc_bytes);
        PF_TRY(decode(in, state, k));
        left -= k;
    }
    return pfi_fst_place(fst, state);
}

/* A new state with `count` arcs to come; its final weight is at `bytes`. */
static pf_err new_state(bin_input *in, const unsigned char *bytes, uint64_t count) {
    pf_fst_record record = {NULL, 0, INFINITY};
    size_t state = in->fst->state.n;
    if (!load_weight(in, bytes, &record.final))
        return pf_reader_fail(in->reader, "the final weight of state %zu is not a cost (NaN, -Infinity or out of range)", state);
    if (count >= PF_NOT_DONE)
        return pf_reader_fail(in->reader, "state %zu is said to have %" PRId64 " arcs", state, (int64_t)count);
    record.n = (uint32_t)count;
    return PF_PUSH(&in->fst->state, record);
}

static pf_err read_vector(bin_input *in) {
    size_t weight = in->wide ? 8 : 4, have;
    const unsigned char *at;
    unsigned char bytes[16];
    for (pf_state state = 0; state < in->states; state++) {
        if (in->header->states < 0) {
            PF_TRY(pf_reader_peek(in->reader, 1, &at, &have));
            if (!have) break;
        }
        PF_TRY(pf_reader_some(in->reader, bytes, weight + 8, &have));
        if (have < weight + 8)
            return pf_reader_fail(in->reader, "expected state %u%s, found the end of the input", state,
                                  have ? " whole" : "");
        uint64_t n = load64(bytes + weight);
        PF_TRY(new_state(in, bytes, n));
        PF_TRY(read_arcs(in, state, n));
    }
    return PF_OK;
}

/* Padding up to the next multiple of 16 bytes from where the record, or the file around it, begins. */
static pf_err skip_padding(bin_input *in, uint64_t begin) {
    unsigned char pad[ALIGN];
    if (in->header->version != 1 && !(in->header->flags & PF_ALIGNED)) return PF_OK;
    size_t past = (size_t)((pf_reader_offset(in->reader) - begin) % ALIGN);
    return past ? pf_reader_get(in->reader, pad, ALIGN - past, "padding") : PF_OK;
}

/* The state records of a const; their arc ranges must follow one another and cover all arcs. */
static pf_err read_const_states(bin_input *in) {
    size_t weight = in->wide ? 8 : 4;
    unsigned char bytes[24];
    uint64_t arcs = 0;
    for (pf_state state = 0; state < in->states; state++) {
        PF_TRY(pf_reader_get(in->reader, bytes, weight + 16, "the record of a state"));
        uint32_t first = load32(bytes + weight), n = load32(bytes + weight + 4);
        if (n && first != arcs)
            return pf_reader_fail(in->reader, "the arcs of state %u begin at number %u, expected %" PRIu64, state, first,
                                  arcs);
        PF_TRY(new_state(in, bytes, n));
        arcs += n;
    }
    if (in->header->arcs >= 0 && arcs == (uint64_t)in->header->arcs) return PF_OK;
    return pf_reader_fail(in->reader, "the states have %" PRIu64 " arcs, but the header says %" PRId64, arcs,
                          in->header->arcs);
}

static pf_err read_const(bin_input *in, uint64_t begin) {
    PF_TRY(skip_padding(in, begin));
    PF_TRY(read_const_states(in));
    PF_TRY(skip_padding(in, begin));
    for (pf_state state = 0; state < in->states; state++) PF_TRY(read_arcs(in, state, in->fst->state.at[state].n));
    return PF_OK;
}

static bool is_vector(const pf_header *header) { return strcmp(header->fst_type, "vector") == 0; }
bool pf_bin_is(const pf_header *header) { return is_vector(header) || strcmp(header->fst_type, "const") == 0; }

static pf_err check_header(pf_reader *reader, const pf_header *header) {
    char shown[4 * sizeof header->fst_type + 1];
    int least = is_vector(header) ? 2 : 1;
    if (!pf_bin_is(header))
        return pf_reader_fail(reader, "fst type '%s' is not an ordinary automaton: only vector and const can be read",
                              pfi_printable(header->fst_type, strlen(header->fst_type), shown, sizeof shown));
    if (header->version < least || header->version > 2)
        return pf_reader_fail(reader, "version %d of fst type '%s' is not supported: %s", header->version, header->fst_type,
                              is_vector(header) ? "only 2 is" : "only 1 and 2 are");
    if (header->states < (is_vector(header) ? -1 : 0) || header->states > INT32_MAX)
        return pf_reader_fail(reader, "the header says that there are %" PRId64 " states", header->states);
    if (header->start < -1 || header->start > INT32_MAX || (header->states >= 0 && header->start >= header->states))
        return pf_reader_fail(reader, "the start state is %" PRId64 ", but there are %" PRId64 " states", header->start,
            header->states);
    return PF_OK;
}

/* What only the end of a record with state count -1 tells. */
static pf_err check_end(const bin_input *in) {
    size_t states = in->fst->state.n;
    if (in->fst->narcs && in->far >= states)
        return pf_reader_fail(in->reader, "state %u has an arc to state %u, but there are %zu states", in->from, in->far,
                              states);
    if (in->header->start >= 0 && (uint64_t)in->header->start >= states)
        return pf_reader_fail(in->reader, "the start state is %" PRId64 ", but there are %zu states", in->header->start,
                              states);
    return PF_OK;
}

pf_err pf_bin_read(pf_reader *reader, const pf_header *header, uint64_t begin, pf_fst **out) {
    bin_input in = {.reader = reader, .header = header, .wide = header->type == PF_LOG64};
    pf_symtab *isyms = NULL, *osyms = NULL;
    *out = NULL;
    PF_TRY(check_header(reader, header));
    in.states = header->states < 0 ? (pf_state)INT32_MAX : (pf_state)header->states;
    in.arc_bytes = !in.wide ? 16 : is_vector(header) ? 20 : 24; /* a const arc is padded to a multiple of its double */
    PF_TRY(pf_fst_new(header->type, NULL, NULL, &in.fst));
    pf_err err = pf_symtabs_read(reader, header->flags, &isyms, &osyms);
    if (!err) err = is_vector(header) ? read_vector(&in) : read_const(&in, begin);
    if (!err) err = check_end(&in);
    if (err) pf_fst_free(in.fst);
    else {
        in.fst->start = header->start < 0 ? PF_NO_STATE : (pf_state)header->start;
        PF_VEC_FREE(&in.fst->emit.arcs);
        PFI_CHECK(pfi_fst_is_closed(in.fst));
        pf_fst_set_symbols(in.fst, isyms, osyms);
        *out = in.fst;
    }
    pf_symtab_free(isyms);
    pf_symtab_free(osyms);
    return err;
}

/* A weight at `bytes`; returns its bytes. */
static size_t store_weight(unsigned char *bytes, float weight, bool wide) {
    if (wide) {
        double value = (double)weight;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        store32(bytes, (uint32_t)bits);
        store32(bytes + 4, (uint32_t)(bits >> 32));
        return 8;
    }
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    store32(bytes, bits);
    return 4;
}

static pf_err write_state(pf_writer *writer, pf_fst *fst, pf_state state, bool wide) {
    unsigned char raw[CHUNK * MAX_ARC];
    pf_arcs arcs = pf_fst_arcs(fst, state);
    size_t bytes = store_weight(raw, pf_fst_final(fst, state), wide);
    store32(raw + bytes, arcs.n);
    store32(raw + bytes + 4, 0);
    bytes += 8;
    for (uint32_t i = 0; i < arcs.n; i++) {
        if (bytes > sizeof raw - MAX_ARC) {
            PF_TRY(pf_writer_put(writer, raw, bytes));
            bytes = 0;
        }
        store32(raw + bytes, (uint32_t)arcs.arc[i].in);
        store32(raw + bytes + 4, (uint32_t)arcs.arc[i].out);
        bytes += 8 + store_weight(raw + bytes + 8, arcs.arc[i].w, wide);
        store32(raw + bytes, arcs.arc[i].to);
        bytes += 4;
    }
    assert(bytes <= sizeof raw);
    return pf_writer_put(writer, raw, bytes);
}

pf_err pf_bin_write(pf_writer *writer, pf_fst *fst) { return pfi_bin_write_as(writer, fst, 0, false); }

pf_err pfi_bin_write_as(pf_writer *writer, pf_fst *fst, uint64_t properties, bool inside) {
    PF_TRY(pf_fst_complete(fst));
    pf_state states = pf_fst_states(fst);
    pf_header header = {.fst_type = "vector", .type = fst->type, .version = 2, .properties = properties, .start = -1};
    header.flags = pf_symtabs_flags(fst->isyms, fst->osyms, inside);
    if (fst->start != PF_NO_STATE) header.start = fst->start;
    header.states = states;
    header.arcs = (int64_t)fst->narcs;
    PF_TRY(pf_header_write(writer, &header));
    PF_TRY(pf_symtabs_write(writer, header.flags, fst->isyms, fst->osyms));
    for (pf_state state = 0; state < states; state++) PF_TRY(write_state(writer, fst, state, fst->type == PF_LOG64));
    return PF_OK;
}
