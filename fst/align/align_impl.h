/* What the readers of alignments share. Private to this folder. */
#ifndef PF_ALIGN_ALIGN_IMPL_H
#define PF_ALIGN_ALIGN_IMPL_H

#include <permfst/base/digits.h>
#include <permfst/align/format.h>

struct pf_align_reader {
    pf_reader *reader; /* borrowed */
    pf_align_format format;
    uint64_t first, number; /* of the first pair, of the next one */
    uint64_t links;    /* naacl: read so far */
    bool ended;
    struct {
        uint64_t number, source, target; /* from 0; UINT64_MAX: the empty word */
        bool there, possible;
        double posterior;
    } ahead;                        /* naacl: the link read last, of this pair or a later one */
    PF_VEC(char) target_line;       /* a3 */
    pf_words source, target, words; /* a3; words: of the third line, with its brackets */
};

/* The next pair of a format: pf_align_next without sorting and counting. */
typedef pf_err pfi_align_next(pf_align_reader *reader, pf_alignment *alignment, bool *more);
pfi_align_next pfi_align_naacl, pfi_align_a3;

/* The numbers of a naacl file may leave out pairs, such as the next one. PF_EINPUT if they leave out more than its size
 * justifies: for a file beside which no other column says how many pairs there are. */
pf_err pfi_align_naacl_gaps(const pf_align_reader *reader);

/* Past spaces and tabs. */
const char *pfi_align_skip(const char *at);

/* Adds a link of a file's current line, unless an end of it is past its sentence: PF_EINPUT, naming the link. `base` is the
 * number of the first position in the file, for messages. */
pf_err pfi_align_add(const pf_reader *reader, pf_alignment *links, uint64_t source, uint64_t target, bool possible,
                     double probability, unsigned base);

/* Reads a probability at *at, which a NUL ends, and moves *at past it; false if there is none or it is outside [0, 1]. */
bool pfi_align_probability(const char **at, double *out);

/* The file says that there are `found` words (PF_UNKNOWN_LENGTH: says nothing). Sets *length if it was unknown; PF_EINPUT
 * if the two differ. `what` is "source" or "target". */
pf_err pfi_align_length(const pf_reader *reader, const char *what, uint32_t found, uint32_t *length);

#endif
