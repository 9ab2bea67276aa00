/* What the programs for aligned corpora share: the format of alignments as an option, texts and alignments as columns of a
 * corpus, and the words for links that are left out. */
#ifndef TOOLALIGN_H
#define TOOLALIGN_H

#include "toolfst.h"

extern const char *toolalign_from;       /* --from */
extern const char *toolalign_readable[]; /* what it can be, ended by NULL, once toolalign_list was called */

#define TOOLALIGN_FROM(operands) \
    {.letter = 'f', .name = "from", .kind = TOOL_CHOICE, .to = &toolalign_from, .metavar = "FORMAT", .words = toolalign_readable, \
     .help = "the format of the " operands ": auto (by the first line), pharaoh, lengths, naacl or a3 [auto]"}

void toolalign_list(void);

/* The format of a name that is one. */
pf_align_format toolalign_format(const char *name);

/* One more column, of sentences or of alignments; without a path there is none. */
pf_err toolalign_text(pf_parallel *rows, const char *path, size_t *column);
pf_err toolalign_links(pf_parallel *rows, const char *path, const pf_parallel_links *how, size_t *column);

/* For tool_left_out. */
#define TOOLALIGN_REPEATED "links listed again in the same pair"
#define TOOLALIGN_EMPTY_WORD "links with the empty word (position 0)"
#define TOOLALIGN_POSSIBLE "possible links (--links=sure)"

#endif
