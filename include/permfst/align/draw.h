/* Pictures of an alignment: a matrix of the words of both sides. */
#ifndef PF_ALIGN_DRAW_H
#define PF_ALIGN_DRAW_H

#include <permfst/align/format.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row for each source word, a column for each target word, whose words stand above like stairs. A sure link is a black square, a
 * possible one a white square, a link with a posterior the first digit of it (9 also for 1), and a dot is no link. Where the pair
 * has no words (NULL) positions stand for them, from 0 as in the formats. A side has as many words as the pair, or as the alignment
 * knows of. O(words of one side x words of the other) bytes. PF_ELIMIT: more than PF_DRAW_CELLS cells. Errors of the writer. */
enum { PF_DRAW_CELLS = 1 << 20 };
pf_err pf_draw_alignment_text(pf_writer *writer, const pf_alignment *links, const pf_align_pair *pair);

/* The same as SVG: links are squares, black or white, and with a posterior the greyer, the less likely they are. O(words +
 * links). Errors as pf_draw_alignment_text. */
pf_err pf_draw_alignment(pf_writer *writer, const pf_alignment *links, const pf_align_pair *pair);

#ifdef __cplusplus
}
#endif
#endif
