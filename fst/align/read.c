/* The reader of alignments: the table of formats, and how a file's first bytes tell which it is. */
#include "align/align_impl.h"

#include <assert.h>
#include <stdlib.h>

static pfi_align_next next_pharaoh;

static const struct {
    pf_align_form form;
    pfi_align_next *next;
} formats[] = {
    [PF_ALIGN_AUTO] = {{"auto", true, false, true, true}, NULL},
    [PF_ALIGN_PHARAOH] = {{"pharaoh", true, true, true, true}, next_pharaoh},
    [PF_ALIGN_LENGTHS] = {{"lengths", true, true, true, true}, next_pharaoh},
    [PF_ALIGN_PLAIN] = {{"plain", false, true, false, false}, NULL},
    [PF_ALIGN_NAACL] = {{"naacl", true, true, true, true}, pfi_align_naacl},
    [PF_ALIGN_A3] = {{"a3", true, true, false, false}, pfi_align_a3},
};

const pf_align_form *pf_align_form_at(size_t i) { return i < sizeof formats / sizeof *formats ? &formats[i].form : NULL; }

/* ---- which format ---- */

/* Looks at no more bytes than it needs, since a pipe may send more only when these are answered: '#' begins a3; a number, then a
 * blank, begins naacl. */
static pf_err guess(pf_reader *reader, pf_align_format *out) {
    const unsigned char *at;
    size_t have, n = 1;
    bool digits = false;
    *out = PF_ALIGN_PHARAOH;
    PF_TRY(pf_reader_skip_mark(reader));
    for (;; n++) {
        PF_TRY(pf_reader_peek(reader, n, &at, &have));
        if (have < n) return PF_OK;
        unsigned char first = at[n - 1];
        bool blank = first == ' ' || first == '\t';
        if (first == '#' && !digits) *out = PF_ALIGN_A3;
        if (blank && digits) *out = PF_ALIGN_NAACL;
        if (*out != PF_ALIGN_PHARAOH) return PF_OK;
        if (!blank && (first < '0' || first > '9')) return PF_OK;
        digits = digits || !blank;
    }
}

pf_err pf_align_reader_new(pf_reader *reader, pf_align_format format, uint64_t first, pf_align_reader **out) {
    *out = NULL;
    assert(pf_align_form_at(format) && first > 0);
    if (format == PF_ALIGN_AUTO) PF_TRY(guess(reader, &format));
    if (!formats[format].next) return pf_fail(PF_EARG, "the format %s cannot be read", formats[format].form.name);
    pf_align_reader *made = calloc(1, sizeof *made);
    if (!made) return pf_nomem();
    made->reader = reader;
    made->format = format;
    made->first = made->number = first;
    *out = made;
    return PF_OK;
}

void pf_align_reader_free(pf_align_reader *reader) {
    if (!reader) return;
    PF_VEC_FREE(&reader->target_line);
    PF_VEC_FREE(&reader->source);
    PF_VEC_FREE(&reader->target);
    PF_VEC_FREE(&reader->words);
    free(reader);
}

pf_align_format pf_align_reader_format(const pf_align_reader *reader) { return reader->format; }
const pf_words *pf_align_source_words(const pf_align_reader *reader) { return &reader->source; }
const pf_words *pf_align_target_words(const pf_align_reader *reader) { return &reader->target; }

pf_err pf_align_next(pf_align_reader *reader, uint32_t n_source, uint32_t n_target, pf_alignment *links, bool *more) {
    pf_alignment_reset(links);
    links->n_source = n_source;
    links->n_target = n_target;
    *more = false;
    PF_TRY(formats[reader->format].next(reader, links, more));
    pf_alignment_sort(links);
    reader->number += *more;
    return PF_OK;
}

static pf_err next_pharaoh(pf_align_reader *reader, pf_alignment *links, bool *more) {
    char *line;
    size_t length;
    PF_TRY(pf_reader_line(reader->reader, &line, &length));
    *more = line != NULL;
    return line ? pf_align_line(reader->reader, line, length, reader->format, links->n_source, links->n_target, links) : PF_OK;
}
