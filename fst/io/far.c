/* FAR archives: a magic number, a version, and entries of a key and an automaton with all that belongs to it.
 *
 * An stlist ends with an empty key. An sttable ends with the number of entries, the position of each, and the number again, for
 * readers that seek. A reader that does not seek knows this table from an entry by the bytes 4..7, which are zero: they are the
 * upper half of the number; in an entry they would be the begin of a key, and keys have no NULs. */
#include <permfst/io/far.h>

#include "io/io_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FAR_VERSION = 1, FIRST = 8 /* where the first entry begins */, SHOWN = 101 };

static const uint32_t magic[] = {[PF_STLIST] = 5656924u, [PF_STTABLE] = 2125656924u};

struct pf_far_reader {
    pf_reader *reader;
    pf_far_type type;
    uint64_t begin; /* of the archive */
    bool ended;
    char *key;
    pf_header header; /* of the last entry */
    PF_VEC(uint64_t) position; /* sttable: of each entry */
};

/* The kind of archive that these bytes begin. */
static bool kind(const unsigned char *bytes, size_t length, pf_far_type *type) {
    if (length < 4) return false;
    uint32_t found = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    for (unsigned i = 0; i < sizeof magic / sizeof *magic; i++)
        if (found == magic[i]) {
            *type = (pf_far_type)i;
            return true;
        }
    return false;
}

bool pf_far_is(const unsigned char *bytes, size_t length) {
    pf_far_type type;
    return kind(bytes, length, &type);
}

static pf_err read_start(pf_far_reader *far) {
    const unsigned char *at;
    size_t have;
    uint32_t number;
    far->begin = pf_reader_offset(far->reader);
    PF_TRY(pf_reader_peek(far->reader, 4, &at, &have));
    if (!kind(at, have, &far->type)) return pf_reader_fail(far->reader, "expected the magic number of a FAR archive");
    PF_TRY(pf_reader_u32(far->reader, &number, "the magic number"));
    PF_TRY(pf_reader_u32(far->reader, &number, "the version of an archive"));
    if (number == FAR_VERSION) return PF_OK;
    return pf_reader_fail(far->reader, "version %u of FAR archives is not supported: only 1 is", number);
}

pf_err pf_far_reader_new(pf_reader *reader, pf_far_reader **out) {
    pf_far_reader *far = calloc(1, sizeof *far);
    *out = NULL;
    if (!far) return pf_nomem();
    far->reader = reader;
    pf_err err = read_start(far);
    if (err) pf_far_reader_free(far);
    else *out = far;
    return err;
}

void pf_far_reader_free(pf_far_reader *far) {
    if (!far) return;
    PF_VEC_FREE(&far->position);
    free(far->key);
    free(far);
}

/* Does the position table come next? */
static pf_err at_table(pf_far_reader *far, bool *is) {
    const unsigned char *at;
    size_t have;
    PF_TRY(pf_reader_peek(far->reader, 8, &at, &have));
    *is = have == 8 && memcmp(at + 4, "\0\0\0\0", 4) == 0;
    return PF_OK;
}

static pf_err check_count(pf_far_reader *far) {
    uint64_t count;
    PF_TRY(pf_reader_u64(far->reader, &count, "the number of entries"));
    if (count == far->position.n) return PF_OK;
    return pf_reader_fail(far->reader, "the position table says that there are %" PRIu64 " entries; there are %zu", count,
                          far->position.n);
}

static pf_err check_table(pf_far_reader *far) {
    uint64_t at;
    PF_TRY(check_count(far));
    for (size_t i = 0; i < far->position.n; i++) {
        PF_TRY(pf_reader_u64(far->reader, &at, "the position of an entry"));
        if (at != far->position.at[i])
            return pf_reader_fail(far->reader, "the position table puts entry %zu at byte %" PRIu64 "; it is at byte %" PRIu64,
                                  i + 1, at, far->position.at[i]);
    }
    return check_count(far);
}

/* Reads the next key, or the end of the archive. */
static pf_err read_key(pf_far_reader *far) {
    const unsigned char *at;
    size_t have;
    free(far->key);
    far->key = NULL;
    PF_TRY(pf_reader_peek(far->reader, 1, &at, &have));
    if (!have) return pf_reader_fail(far->reader, "the archive ends without its end marker: it is truncated");
    if (far->type == PF_STTABLE) {
        bool table;
        PF_TRY(at_table(far, &table));
        if (table) {
            PF_TRY(check_table(far));
            far->ended = true;
            return PF_OK;
        }
        PF_TRY(PF_PUSH(&far->position, pf_reader_offset(far->reader) - far->begin));
    }
    PF_TRY(pf_reader_string(far->reader, &far->key, NULL, PF_SYMBOL_LIMIT, "a key"));
    if (*far->key) return PF_OK;
    if (far->type == PF_STTABLE) return pf_reader_fail(far->reader, "expected a key, found an empty one");
    far->ended = true;
    return PF_OK;
}

pf_err pf_far_next(pf_far_reader *far, const char **key, pf_fst **out) {
    char shown[SHOWN];
    *out = NULL;
    *key = NULL;
    if (!far->ended) PF_TRY(read_key(far));
    if (far->ended) return PF_OK;
    PF_TRY(pf_header_read(far->reader, &far->header));
    if (far->header.states < 0)
        return pf_reader_fail(far->reader, "the entry '%s' does not say how many states it has",
                              pfi_printable(far->key, strlen(far->key), shown, sizeof shown));
    PF_TRY(pf_bin_read(far->reader, &far->header, far->begin, out)); /* padding counts from the begin of the file */
    *key = far->key;
    return PF_OK;
}

const pf_header *pf_far_header(const pf_far_reader *far) { return &far->header; }

struct pf_far_writer {
    pf_writer *writer;
    pf_writer *entry; /* sttable: the current entry, whose length has to be known */
    pf_far_type type;
    char *key;        /* the last; NULL before the first */
    pf_arc_type arcs; /* of the entries so far */
    uint64_t at;
    PF_VEC(uint64_t) position;
};

pf_err pf_far_writer_new(pf_writer *writer, pf_far_type type, pf_far_writer **out) {
    pf_far_writer *far = calloc(1, sizeof *far);
    *out = NULL;
    if (!far) return pf_nomem();
    far->writer = writer;
    far->type = type;
    far->at = FIRST;
    pf_err err = type == PF_STTABLE ? pf_writer_memory(&far->entry) : PF_OK;
    if (!err) err = pf_writer_u32(writer, magic[type]);
    if (!err) err = pf_writer_u32(writer, FAR_VERSION);
    if (err) pf_far_writer_free(far);
    else *out = far;
    return err;
}

void pf_far_writer_free(pf_far_writer *far) {
    if (!far) return;
    pf_writer_free(far->entry);
    PF_VEC_FREE(&far->position);
    free(far->key);
    free(far);
}

/* Checks that the entry may come next, and keeps its key. */
static pf_err check_entry(pf_far_writer *far, const char *key, const pf_fst *fst) {
    char shown[SHOWN], last[SHOWN];
    pfi_printable(key, strlen(key), shown, sizeof shown);
    if (!*key) return pf_fail(PF_EINPUT, "an entry of an archive has an empty key");
    if (far->key && strcmp(key, far->key) < 0)
        return pf_fail(PF_EINPUT,
                       "the keys of an archive must be in ascending order: '%s' comes after '%s' (--number-keys numbers them)",
                       shown, pfi_printable(far->key, strlen(far->key), last, sizeof last));
    if (far->key && fst->type != far->arcs)
        return pf_fail(PF_EINPUT, "an archive has one arc type: entry '%s' is %s, but the entries before it are %s", shown,
                       pf_arc_type_name(fst->type), pf_arc_type_name(far->arcs));
    char *copy = strdup(key);
    if (!copy) return pf_nomem();
    free(far->key);
    far->key = copy;
    far->arcs = fst->type;
    return PF_OK;
}

static pf_err write_entry(pf_writer *writer, const char *key, pf_fst *fst) {
    PF_TRY(pf_writer_string(writer, key, strlen(key)));
    return pf_bin_write(writer, fst);
}

pf_err pf_far_put(pf_far_writer *far, const char *key, pf_fst *fst) {
    PF_TRY(check_entry(far, key, fst));
    if (far->type == PF_STLIST) return write_entry(far->writer, key, fst);
    size_t length;
    pf_writer_clear(far->entry);
    PF_TRY(write_entry(far->entry, key, fst));
    const unsigned char *bytes = pf_writer_bytes(far->entry, &length);
    PF_TRY(PF_PUSH(&far->position, far->at));
    far->at += length;
    return pf_writer_put(far->writer, bytes, length);
}

pf_err pf_far_end(pf_far_writer *far) {
    if (far->type == PF_STLIST) return pf_writer_u32(far->writer, 0);
    PF_TRY(pf_writer_u64(far->writer, far->position.n));
    for (size_t i = 0; i < far->position.n; i++) PF_TRY(pf_writer_u64(far->writer, far->position.at[i]));
    return pf_writer_u64(far->writer, far->position.n);
}
