/* Formats by name, columns opened by path, and the loop over the pairs of a corpus. */
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

pf_err toolalign_text(pf_parallel *pairs, const char *path, size_t *column) {
    pf_reader *r;
    if (!path) return PF_OK;
    PF_TRY(toolfst_open(path, &r));
    return pf_parallel_words(pairs, r, column);
}

pf_err toolalign_links(pf_parallel *pairs, const char *path, const pf_parallel_links *how, size_t *column) {
    pf_reader *r;
    if (!path) return PF_OK;
    PF_TRY(toolfst_open(path, &r));
    return pf_parallel_alignments(pairs, r, how, column);
}

/* ---- pairs ---- */

static pf_err do_pair(pf_err (*work)(void *self), void *self) {
    tool_write_begin();
    pf_err err = work(self);
    tool_write_end();
    return err;
}

pf_err toolalign_each(pf_parallel *pairs, size_t blamed, pf_err (*work)(void *self), void *self) {
    tool_unit("pair");
    for (bool more;;) {
        PF_TRY(pf_parallel_next(pairs, &more));
        if (!more) return PF_OK;
        pf_err err = do_pair(work, self);
        if (blamed && (err == PF_EINPUT || err == PF_ELIMIT))
            return pf_reader_fail_line(pf_parallel_reader(pairs, blamed), "%s", pf_message());
        PF_TRY(err);
        tool_done(1, pf_parallel_number(pairs), 0);
    }
}

void toolalign_say_left_out(const pf_align_left_out *links, const tool_left_out *more, size_t n) {
    enum { LINKS = 4 };
    tool_left_out all[LINKS + TOOLALIGN_MORE] = {
        {links->repeated, TOOLALIGN_REPEATED},
        {links->empty_word, TOOLALIGN_EMPTY_WORD},
        {links->possible, TOOLALIGN_POSSIBLE},
        {links->unlikely, TOOLALIGN_UNLIKELY},
    };
    assert(n <= TOOLALIGN_MORE);
    for (size_t i = 0; i < n; i++) all[LINKS + i] = more[i];
    tool_say_left_out(all, LINKS + n);
}
