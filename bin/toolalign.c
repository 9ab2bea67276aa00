/* Formats by name, columns opened by path, and the loop over the pairs of a corpus. */
#include "toolalign.h"

#include "toolprogress.h"
#include "toolwatch.h"

#include <assert.h>

/* The place among all formats of number i of those that are read, or written; -1 after the last. */
static int place(size_t number, bool reads) {
    const pf_align_form *form;
    for (int k = 0; (form = pf_align_form_at((size_t)k)); k++)
        if ((reads ? form->reads : form->writes) && !number--) return k;
    return -1;
}

static const char *name(int place) { return place < 0 ? NULL : pf_align_form_at((size_t)place)->name; }

const char *toolalign_readable(size_t number) { return name(place(number, true)); }
const char *toolalign_writable(size_t number) { return name(place(number, false)); }
pf_align_format toolalign_from(int format) { return (pf_align_format)place((size_t)format, true); }
pf_align_format toolalign_to(int format) { return (pf_align_format)place((size_t)format, false); }

pf_err toolalign_marked(tool_call *call, pf_parallel *pairs, const char *path, const pf_compile_options *how, size_t *column) {
    pf_reader *reader;
    if (!path) return PF_OK;
    PF_TRY(toolfst_open(call, path, &reader));
    return how ? pf_parallel_marked(pairs, reader, how, column) : pf_parallel_words(pairs, reader, column);
}

pf_err toolalign_text(tool_call *call, pf_parallel *pairs, const char *path, size_t *column) {
    return toolalign_marked(call, pairs, path, NULL, column);
}

pf_err toolalign_texts(tool_call *call, const char *const *files, pf_parallel **pairs, size_t *source, size_t *target) {
    PF_TRY(pf_parallel_new(tool_common_of(call)->first_record, pairs));
    PF_TRY(toolalign_text(call, *pairs, files[0], source));
    return toolalign_text(call, *pairs, files[1], target);
}

pf_err toolalign_links(tool_call *call, pf_parallel *pairs, const char *path, const pf_parallel_links *how, size_t *column) {
    pf_reader *reader;
    if (!path) return PF_OK;
    PF_TRY(toolfst_open(call, path, &reader));
    return pf_parallel_alignments(pairs, reader, how, column);
}

/* ---- pairs ---- */

static pf_err do_pair(tool_call *call, pf_err (*work)(void *self), void *self) {
    tool_write_begin(call);
    pf_err err = work(self);
    tool_write_end(call);
    return err;
}

pf_err toolalign_each(tool_call *call, pf_parallel *pairs, size_t blamed, pf_err (*work)(void *self),
                      pf_err (*pass)(void *self), void *self) {
    assert(pairs && work);
    tool_item(call, "pair");
    for (bool more;;) {
        PF_TRY(pf_parallel_next(pairs, &more));
        if (!more) return tool_text_ended(call, pf_parallel_number(pairs));
        if (!tool_is_wanted(call, pf_parallel_number(pairs))) {
            if (pass) PF_TRY(pass(self));
            continue;
        }
        pf_err err = do_pair(call, work, self);
        if (blamed && (err == PF_EINPUT || err == PF_ELIMIT))
            return pf_reader_fail_line(pf_parallel_reader(pairs, blamed), "%s", pf_message());
        PF_TRY(err);
        tool_done(call, 1, pf_parallel_number(pairs), 0);
    }
}

void toolalign_say_left_out(tool_call *call, const pf_align_left_out *links, const tool_left_out *more, size_t count) {
    enum { LINKS = 4 };
    tool_left_out all[LINKS + TOOLALIGN_MORE] = {
        {links->repeated, TOOLALIGN_REPEATED},
        {links->empty_word, TOOLALIGN_EMPTY_WORD},
        {links->possible, TOOLALIGN_POSSIBLE},
        {links->unlikely, TOOLALIGN_UNLIKELY},
    };
    assert(count <= TOOLALIGN_MORE);
    for (size_t i = 0; i < count; i++) all[LINKS + i] = more[i];
    tool_say_left_out(call, all, LINKS + count);
}
