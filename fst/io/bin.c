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

static uint32_t load32(const unsigned char *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static uint64_t load64(const unsigned char *b) { return load32(b) | (uint64_t)load32(b + 4) << 32; }

static void store32(unsigned char *b, uint32_t value) {
    for (unsigned i = 0; i < 4; i++) b[i] = (unsigned char)(value >> 8 * i);
}

/* A weight as it is in the file; false for one that is not a cost: NaN, -Infinity, or a double no float comes near. */
static bool load_weight(const bin_input *in, const unsigned char *b, float *w) {
    if (in->wide) {
        uint64_t bits = load64(b);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value != (double)INFINITY && !(value >= -(double)FLT_MAX && value <= (double)FLT_MAX)) return false;
        *w = (float)value;
        return true;
    }
    uint32_t bits = load32(b);
    memcpy(w, &bits, sizeof *w);
    return *w >= -FLT_MAX; /* false for NaN as well */
}

static pf_err bad_arc(const bin_input *in, pf_state s, const pf_arc *a, bool weight) {
    if (!weight)
        return pf_reader_fail(in->reader, "state %u has an arc whose weight is not a cost (NaN, -Infinity or out of range)",
                              s);
    if (a->in < 0 || a->out < 0)
        return pf_reader_fail(in->reader, "state %u has an arc with the negative label %d", s,
                              a->in < 0 ? a->in : a->out);
    if (in->header->states < 0) return pf_reader_fail(in->reader, "state %u has an arc to state %d", s, (int)a->to);
    return pf_reader_fail(in->reader, "state %u has an arc to state %d, but there are %u states", s, (int)a->to,
                          in->states);
}

/* k arcs from in->raw into the machine's scratch list. */
static pf_err decode(bin_input *in, pf_state s, size_t k) {
    pf_emit *emit = &in->fst->emit;
    PF_TRY(PF_ROOM(&emit->arcs, k));
    pf_arc *a = emit->arcs.at + emit->arcs.n;
    const unsigned char *b = in->raw;
    for (size_t i = 0; i < k; i++, a++, b += in->arc_bytes) {
        a->in = (pf_label)load32(b);
        a->out = (pf_label)load32(b + 4);
        bool weight = load_weight(in, b + 8, &a->w);
        a->to = load32(b + (in->wide ? 16 : 12));
        if (!weight || a->in < 0 || a->out < 0 || a->to >= in->states) return bad_arc(in, s, a, weight);
        if (a->to > in->far) {
            in->far = a->to;
            in->from = s;
        }
    }
    emit->arcs.n += k;
    return PF_OK;
}

pf_err pfi_fst_place(pf_fst *f, pf_state s) {
    size_t n = f->emit.arcs.n;
    if (n >= PF_NOT_DONE) return pf_fail(PF_ELIMIT, "state %u has too many arcs: %zu", s, n);
    pf_arc *arc = n ? pf_arena_get(&f->arcs, n * sizeof *arc) : NULL;
    if (n && !arc) return pf_nomem();
    if (n) memcpy(arc, f->emit.arcs.at, n * sizeof *arc);
    f->state.at[s].arc = arc;
    f->state.at[s].n = (uint32_t)n;
    f->expanded++;
    f->narcs += n;
    return PF_OK;
}

/* The n arcs of state s, whose record is there. */
static pf_err read_arcs(bin_input *in, pf_state s, uint64_t n) {
    pf_fst *f = in->fst;
    f->emit.arcs.n = 0;
    for (uint64_t left = n; left;) {
        size_t k = left < CHUNK ? (size_t)left : CHUNK, got;
        PF_TRY(pf_reader_some(in->reader, in->raw, k * in->arc_bytes, &got));
        if (got < k * in->arc_bytes)
            return pf_reader_fail(in->reader, "state %u: expected %" PRIu64 " arcs, found the end of the input after %"
                                  PRIu64, s, n, n - left + got / in->arc_bytes);
        PF_TRY(decode(in, s, k));
        left -= k;
    }
    return pfi_fst_place(f, s);
}

/* A new state with `n` arcs to come, from its final weight at b. */
static pf_err new_state(bin_input *in, const unsigned char *b, uint64_t n) {
    pf_fst_record record = {NULL, 0, INFINITY};
    size_t state = in->fst->state.n;
    if (!load_weight(in, b, &record.final))
        return pf_reader_fail(in->reader, "the final weight of state %zu is not a cost (NaN, -Infinity or out of range)", state);
    if (n >= PF_NOT_DONE) return pf_reader_fail(in->reader, "state %zu is said to have %" PRId64 " arcs", state, (int64_t)n);
    record.n = (uint32_t)n;
    return PF_PUSH(&in->fst->state, record);
}

static pf_err read_vector(bin_input *in) {
    size_t weight = in->wide ? 8 : 4, have;
    const unsigned char *at;
    unsigned char b[16];
    for (pf_state s = 0; s < in->states; s++) {
        if (in->header->states < 0) {
            PF_TRY(pf_reader_peek(in->reader, 1, &at, &have));
            if (!have) break;
        }
        PF_TRY(pf_reader_some(in->reader, b, weight + 8, &have));
        if (have < weight + 8)
            return pf_reader_fail(in->reader, "expected state %u%s, found the end of the input", s,
                                  have ? " whole" : "");
        uint64_t n = load64(b + weight);
        PF_TRY(new_state(in, b, n));
        PF_TRY(read_arcs(in, s, n));
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
    unsigned char b[24];
    uint64_t arcs = 0;
    for (pf_state s = 0; s < in->states; s++) {
        PF_TRY(pf_reader_get(in->reader, b, weight + 16, "the record of a state"));
        uint32_t first = load32(b + weight), n = load32(b + weight + 4);
        if (n && first != arcs)
            return pf_reader_fail(in->reader, "the arcs of state %u begin at number %u, expected %" PRIu64, s, first,
                                  arcs);
        PF_TRY(new_state(in, b, n));
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
    for (pf_state s = 0; s < in->states; s++) PF_TRY(read_arcs(in, s, in->fst->state.at[s].n));
    return PF_OK;
}

static bool is_vector(const pf_header *header) { return strcmp(header->fst_type, "vector") == 0; }
bool pf_bin_is(const pf_header *header) { return is_vector(header) || strcmp(header->fst_type, "const") == 0; }

static pf_err check_header(pf_reader *r, const pf_header *header) {
    char shown[4 * sizeof header->fst_type + 1];
    int least = is_vector(header) ? 2 : 1;
    if (!pf_bin_is(header))
        return pf_reader_fail(r, "fst type '%s' is not an ordinary automaton: only vector and const can be read",
                              pfi_printable(header->fst_type, strlen(header->fst_type), shown, sizeof shown));
    if (header->version < least || header->version > 2)
        return pf_reader_fail(r, "version %d of fst type '%s' is not supported: %s", header->version, header->fst_type,
                              is_vector(header) ? "only 2 is" : "only 1 and 2 are");
    if (header->states < (is_vector(header) ? -1 : 0) || header->states > INT32_MAX)
        return pf_reader_fail(r, "the header says that there are %" PRId64 " states", header->states);
    if (header->start < -1 || header->start > INT32_MAX || (header->states >= 0 && header->start >= header->states))
        return pf_reader_fail(r, "the start state is %" PRId64 ", but there are %" PRId64 " states", header->start, header->states);
    return PF_OK;
}

/* What only the end of a record with state count -1 tells. */
static pf_err check_end(const bin_input *in) {
    size_t n = in->fst->state.n;
    if (in->fst->narcs && in->far >= n)
        return pf_reader_fail(in->reader, "state %u has an arc to state %u, but there are %zu states", in->from, in->far,
                              n);
    if (in->header->start >= 0 && (uint64_t)in->header->start >= n)
        return pf_reader_fail(in->reader, "the start state is %" PRId64 ", but there are %zu states", in->header->start,
                              n);
    return PF_OK;
}

pf_err pf_bin_read(pf_reader *r, const pf_header *header, uint64_t begin, pf_fst **out) {
    bin_input in = {.reader = r, .header = header, .wide = header->type == PF_LOG64};
    pf_symtab *isyms = NULL, *osyms = NULL;
    *out = NULL;
    PF_TRY(check_header(r, header));
    in.states = header->states < 0 ? (pf_state)INT32_MAX : (pf_state)header->states;
    in.arc_bytes = !in.wide ? 16 : is_vector(header) ? 20 : 24; /* a const arc is padded to a multiple of its double */
    PF_TRY(pf_fst_new(header->type, NULL, NULL, &in.fst));
    pf_err err = pf_symtabs_read(r, header->flags, &isyms, &osyms);
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

/* A weight at b; returns its bytes. */
static size_t store_weight(unsigned char *b, float w, bool wide) {
    if (wide) {
        double value = (double)w;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        store32(b, (uint32_t)bits);
        store32(b + 4, (uint32_t)(bits >> 32));
        return 8;
    }
    uint32_t bits;
    memcpy(&bits, &w, sizeof bits);
    store32(b, bits);
    return 4;
}

static pf_err write_state(pf_writer *writer, pf_fst *f, pf_state s, bool wide) {
    unsigned char raw[CHUNK * MAX_ARC];
    pf_arcs a = pf_fst_arcs(f, s);
    size_t n = store_weight(raw, pf_fst_final(f, s), wide);
    store32(raw + n, a.n);
    store32(raw + n + 4, 0);
    n += 8;
    for (uint32_t i = 0; i < a.n; i++) {
        if (n > sizeof raw - MAX_ARC) {
            PF_TRY(pf_writer_put(writer, raw, n));
            n = 0;
        }
        store32(raw + n, (uint32_t)a.arc[i].in);
        store32(raw + n + 4, (uint32_t)a.arc[i].out);
        n += 8 + store_weight(raw + n + 8, a.arc[i].w, wide);
        store32(raw + n, a.arc[i].to);
        n += 4;
    }
    return pf_writer_put(writer, raw, n);
}

pf_err pf_bin_write(pf_writer *writer, pf_fst *f) {
    PF_TRY(pf_fst_complete(f));
    pf_state states = pf_fst_states(f);
    pf_header header = {.fst_type = "vector", .type = f->type, .version = 2, .start = -1};
    header.flags = (f->isyms ? (uint32_t)PF_HAS_ISYMS : 0) | (f->osyms ? (uint32_t)PF_HAS_OSYMS : 0);
    if (f->start != PF_NO_STATE) header.start = f->start;
    header.states = states;
    header.arcs = (int64_t)f->narcs;
    PF_TRY(pf_header_write(writer, &header));
    if (f->isyms) PF_TRY(pf_symtab_write(writer, f->isyms));
    if (f->osyms) PF_TRY(pf_symtab_write(writer, f->osyms));
    for (pf_state s = 0; s < states; s++) PF_TRY(write_state(writer, f, s, f->type == PF_LOG64));
    return PF_OK;
}
