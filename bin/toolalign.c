/* Formats by name, and columns opened by path. */
#include "toolalign.h"

#include <assert.h>
#include <string.h>

enum { CHOICES = 16 };

const char *toolalign_from = "auto", *toolalign_readable[CHOICES + 1];

void toolalign_list(void) {
    const pf_align_form *form;
    for (size_t i = 0, n = 0; (form = pf_align_form_at(i)); i++) {
        assert(n < CHOICES);
        if (form->reads) toolalign_readable[n++] = form->name;
    }
}

pf_align_format toolalign_format(const char *name) {
    size_t i = 0;
    while (strcmp(pf_align_form_at(i)->name, name) != 0) i++;
    return (pf_align_format)i;
}

pf_err toolalign_text(pf_parallel *rows, const char *path, size_t *column) {
    pf_reader *r;
    if (!path) return PF_OK;
    PF_TRY(toolfst_open(path, &r));
    return pf_parallel_words(rows, r, column);
}

pf_err toolalign_links(pf_parallel *rows, const char *path, const pf_parallel_links *how, size_t *column) {
    pf_reader *r;
    if (!path) return PF_OK;
    PF_TRY(toolfst_open(path, &r));
    return pf_parallel_alignments(rows, r, how, column);
}
