/* Alignments of a corpus, pair by pair: one made of two, inverted, in another format, drawn, or evaluated. The verb of
 * permalign.
 *
 * A pair costs what its reading, symmetrizing and writing do, all O(links log links); the rest is O(1). */
#ifndef PF_ALIGN_CONVERT_H
#define PF_ALIGN_CONVERT_H

#include <permfst/align/evaluate.h>
#include <permfst/align/parallel.h>
#include <permfst/align/symmetrize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is written of a pair: its links in a format, or a picture of them (align/draw.h). */
typedef enum { PF_ALIGN_LINKS, PF_ALIGN_MATRIX_TEXT, PF_ALIGN_MATRIX_SVG } pf_align_shown;

/* Columns are those of `pairs`, 0 where there is none. */
typedef struct {
    pf_parallel *pairs; /* borrowed */
    size_t operand[2];  /* alignments; the second one only with a method */
    size_t source, target;
    size_t gold;        /* what to evaluate against: then no links are written */
    pf_align_filter filter; /* of the operands */
    const pf_sym_method *method; /* makes one alignment of the two; NULL: there is one */
    pf_sym_order order;
    bool invert;        /* exchange source and target of the result; that of `gold` is as it should be */
    pf_align_format to;
    pf_align_shown shown;
    bool per_line;      /* with `gold`: a line for each pair, and one for all */
    double alpha;       /* with `gold`: the weight of precision in F */
    pf_writer *writer;  /* borrowed */
} pf_align_conversion;

typedef struct pf_align_converter pf_align_converter;

/* *out belongs to the caller; NULL after an error. PF_ENOMEM. */
pf_err pf_align_converter_new(const pf_align_conversion *how, pf_align_converter **out);
void pf_align_converter_free(pf_align_converter *converter); /* NULL is accepted */

/* Converts the pair that was read last, or adds it to the counts, and flushes what it has written. Changes the alignments in place.
 * PF_EINPUT: the format cannot have the links, or needs words that are not known; PF_EARG: a picture of a second pair; PF_ENOMEM;
 * errors of the writer. */
pf_err pf_align_converter_pair(pf_align_converter *converter);

/* Ends the corpus: writes the counts of all pairs, if they were evaluated. Errors of the writer. */
pf_err pf_align_converter_end(pf_align_converter *converter);

/* What was left out so far, of the operands and of `gold`; and what the format cannot have. */
const pf_align_left_out *pf_align_converter_left_out(const pf_align_converter *converter);
const pf_align_lost *pf_align_converter_lost(const pf_align_converter *converter);

#ifdef __cplusplus
}
#endif
#endif
