/* A line of each output for a pair. They are flushed together, so that all of them end with the same pair when training is
 * ended. */
#include <permfst/train/aligned.h>

#include <permfst/align/format.h>

#include <assert.h>
#include <stdlib.h>

struct pf_aligned_writer {
    pf_aligned_to to;
    pf_sym *sym;
    pf_alignment symmetrized;
};

pf_err pf_aligned_writer_new(const pf_aligned_to *to, pf_aligned_writer **out) {
    pf_aligned_writer *writer = calloc(1, sizeof *writer);
    *out = NULL;
    if (!writer) return pf_nomem();
    assert(!to->symmetrized || to->method);
    writer->to = *to;
    pf_err err = pf_sym_new(&writer->sym);
    if (err) free(writer);
    else *out = writer;
    return err;
}

void pf_aligned_writer_free(pf_aligned_writer *writer) {
    if (!writer) return;
    pf_sym_free(writer->sym);
    pf_alignment_free(&writer->symmetrized);
    free(writer);
}

static pf_err write_links(pf_writer *to, pf_align_format format, const pf_alignment *links, uint64_t number) {
    const pf_align_pair pair = {.number = number};
    if (!to) return PF_OK;
    PF_TRY(pf_align_write(to, format, links, &pair));
    return pf_writer_flush(to);
}

pf_err pf_aligned_writer_take(void *self, const pf_aligned_pair *pair) {
    pf_aligned_writer *writer = self;
    const pf_aligned_to *to = &writer->to;
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        PF_TRY(write_links(to->best[direction], PF_ALIGN_PLAIN, pair->best[direction], pair->number));
        PF_TRY(write_links(to->likely[direction], PF_ALIGN_PHARAOH, pair->likely[direction], pair->number));
    }
    if (!to->symmetrized) return PF_OK;
    PF_TRY(pf_symmetrize(writer->sym, to->method, to->order, pair->best[PF_HMM_FORWARD], pair->best[PF_HMM_REVERSE],
                         &writer->symmetrized));
    return write_links(to->symmetrized, PF_ALIGN_PLAIN, &writer->symmetrized, pair->number);
}
