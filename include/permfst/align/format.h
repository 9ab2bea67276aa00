/* The formats in which the programs of the field write alignments, read and written pair by pair.
 *
 *   pharaoh   a line a pair, links i-j from 0, source first; ipj and i?j are possible links, i-j:p has a posterior
 *   lengths   the same after "m-n ||| ", the numbers of words on each side (lader, TD-BTG)
 *   plain     written only: pharaoh without marks
 *   naacl     a line a link: pair, source, target, all from 1, then S or P and a confidence, both optional (Mihalcea and
 *             Pedersen 2003, An evaluation exercise for word alignment); position 0 is the empty word, a pair without
 *             links has no line
 *   a3        GIZA++ A3.final: three lines a pair, the last one "NULL ({ }) word ({ 1 3 })" with target positions from 1
 *
 * Reading and writing a pair is O(bytes), for links that come unsorted O(bytes + links log links); what is asked is O(1). */
#ifndef PF_ALIGN_FORMAT_H
#define PF_ALIGN_FORMAT_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/align/alignment.h>
#include <permfst/align/words.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_ALIGN_AUTO, /* reading: by the first line */
    PF_ALIGN_PHARAOH,
    PF_ALIGN_LENGTHS,
    PF_ALIGN_PLAIN,
    PF_ALIGN_NAACL,
    PF_ALIGN_A3
} pf_align_format;

/* What a format is like. Formats in the order of pf_align_format; NULL past the last. */
typedef struct {
    const char *name;
    bool reads, writes;
    bool marks, posteriors; /* can it say which links are possible, and give posteriors? */
} pf_align_form;
const pf_align_form *pf_align_form_at(size_t format);

/* Parses one Pharaoh line, with or without "m-n ||| " (PF_ALIGN_LENGTHS: with), into `links`, sorted. n_source and n_target are the
 * lengths of the texts, or PF_UNKNOWN_LENGTH; links->n_source and links->n_target become these, or else those of the line.
 * PF_EINPUT, naming file, line and link: something that is not a link, a link past the end of its sentence, lengths that differ, a
 * posterior outside [0, 1], a position of PF_MAX_WORDS or more. O(length) for sorted links. */
pf_err pf_align_line(const pf_reader *reader, const char *line, size_t length, pf_align_format format, uint32_t n_source,
                     uint32_t n_target, pf_alignment *links);

typedef struct pf_align_reader pf_align_reader;

/* Reads alignments from `reader`, which is borrowed and must outlive it. `first` is the number of the first pair, normally 1:
 * files that number their pairs must count from there, a3 without a gap. PF_EARG: a format that is only written; PF_EIO,
 * PF_EINPUT, PF_ENOMEM. */
pf_err pf_align_reader_new(pf_reader *reader, pf_align_format format, uint64_t first, pf_align_reader **out);
void pf_align_reader_free(pf_align_reader *reader);

/* The format that it reads, never PF_ALIGN_AUTO. */
pf_align_format pf_align_reader_format(const pf_align_reader *reader);

/* Reads the next pair, with the lengths and errors of pf_align_line; *more = false at the end. A naacl file ends with its last pair
 * that has links; only other files can tell whether pairs without links follow: see parallel.h. */
pf_err pf_align_next(pf_align_reader *reader, uint32_t n_source, uint32_t n_target, pf_alignment *links, bool *more);

/* The words of the pair read last; n = 0 in formats without words (all but a3). Borrowed until the next call. */
const pf_words *pf_align_source_words(const pf_align_reader *reader);
const pf_words *pf_align_target_words(const pf_align_reader *reader);

/* What a format may need besides the links. */
typedef struct {
    uint64_t number;                /* of the pair, from 1: naacl, a3 */
    const pf_words *source, *target; /* a3; NULL: not known */
} pf_align_pair;

/* Writes a pair. `format` must be one that is written. PF_EINPUT: the format needs lengths (lengths) or words (a3) that are not
 * there. What the format cannot say (see pf_align_form) is left out. */
pf_err pf_align_write(pf_writer *writer, pf_align_format format, const pf_alignment *links, const pf_align_pair *pair);

/* What writing leaves out; sums over pairs. */
typedef struct {
    uint64_t marks, posteriors; /* of possible links; links with a posterior */
} pf_align_lost;
void pf_align_count_lost(pf_align_format format, const pf_alignment *links, pf_align_lost *lost);

#ifdef __cplusplus
}
#endif
#endif
