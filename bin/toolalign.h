/* What the programs for aligned corpora share: the format of alignments as an option, texts and alignments as columns of a
 * corpus, the loop over its pairs, and the words for links that are left out. */
#ifndef TOOLALIGN_H
#define TOOLALIGN_H

#include "toolfst.h"

/* The row of --from: an int, a place among the formats that are read. */
#define TOOLALIGN_FROM(AT) \
    {.letter = 'f', .name = "from", .kind = TOOL_CHOICE, .at = AT, .metavar = "FORMAT", .word = toolalign_readable, \
     .help = "the format: pharaoh, lengths, naacl, a3, auto [auto]"}

/* The name of format `number` of those that are read, or written; NULL after the last. And the format itself. */
const char *toolalign_readable(size_t number);
const char *toolalign_writable(size_t number);
pf_align_format toolalign_from(int format);
pf_align_format toolalign_to(int format);

/* Adds a column of sentences, of sentences with marks (`how` NULL: without), or of alignments; without a path there is none. */
pf_err toolalign_text(tool_call *call, pf_parallel *pairs, const char *path, size_t *column);
pf_err toolalign_marked(tool_call *call, pf_parallel *pairs, const char *path, const pf_compile_options *how, size_t *column);
pf_err toolalign_links(tool_call *call, pf_parallel *pairs, const char *path, const pf_parallel_links *how, size_t *column);

/* Opens a corpus of two texts. *pairs is the caller's, also after an error. */
pf_err toolalign_texts(tool_call *call, const char *const *files, pf_parallel **pairs, size_t *source, size_t *target);

/* Reads all pairs and calls `work` for each that --records takes, `pass` (NULL: nothing) for the others; Ctrl-C waits until `work`
 * returns. If it fails because of the input, the message names
 * the line of the column `blamed`; 0: the message of `work` stands as it is. */
pf_err toolalign_each(tool_call *call, pf_parallel *pairs, size_t blamed, pf_err (*work)(void *self),
                       pf_err (*pass)(void *self), void *self);

/* Says what was left out: links, and up to TOOLALIGN_MORE other things of the program, in this order. */
enum { TOOLALIGN_MORE = 4 };
void toolalign_say_left_out(tool_call *call, const pf_align_left_out *links, const tool_left_out *more, size_t count);

/* What tool_left_out says of links. */
#define TOOLALIGN_REPEATED "links listed again in the same pair"
#define TOOLALIGN_EMPTY_WORD "links with the empty word (position 0)"
#define TOOLALIGN_POSSIBLE "possible links (--links=sure)"
#define TOOLALIGN_UNLIKELY "links with a low posterior (--min-posterior)"

#endif
